// The model file. Bundlers recognize `new URL(…, import.meta.url)` and copy it.

/** As in the types. */
export const multilingual = {
  url: new URL("./model/e5-small.bin", import.meta.url),
  bytes: 31_924_108,
  id: "e5-384-9fde173e",
};
