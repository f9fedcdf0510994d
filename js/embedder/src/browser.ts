// Entry for browsers and bundlers: tables are fetched. Bundlers recognize `new URL(…,
// import.meta.url)` and copy the tables, so each is named by a literal.

import { Embedder, init, NousError } from "nous-wasm";
import type { loadEmbedder as Load, loadEmbedderSync as LoadSync } from "./node.ts";
import { type TableName, tableOf, unreadable } from "./tables.ts";

const URLS: Record<TableName, () => URL> = {
  "nous-128": () => new URL("../tables/nous-128.bin", import.meta.url),
  "nous-256": () => new URL("../tables/nous-256.bin", import.meta.url),
  "multilingual-128": () => new URL("../tables/multilingual-128.bin", import.meta.url),
};

/** As in Node. Loads the module of nous-wasm, too. */
export const loadEmbedder: typeof Load = async (options = {}) => {
  const table = tableOf(options);
  const [bytes] = await Promise.all([fetched(table), init()]);
  return new Embedder(bytes);
};

/** Throws `unsupported`: nothing can be fetched at once. */
export const loadEmbedderSync: typeof LoadSync = (options = {}) => {
  tableOf(options);
  throw new NousError("unsupported", "Only Node reads a table at once: use await loadEmbedder().");
};

async function fetched(table: TableName): Promise<Uint8Array> {
  const url = URLS[table]();
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw unreadable(table, url, cause);
  }
}
