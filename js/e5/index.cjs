const { pathToFileURL } = require("node:url");

exports.multilingual = {
  url: new URL("./model/e5-small.bin", pathToFileURL(__filename)),
  bytes: 31_924_108,
  id: "e5-384-9fde173e",
};
