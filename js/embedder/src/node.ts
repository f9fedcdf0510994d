// Entry for Node: tables are read from the folder `tables` of this package.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Embedder } from "nous-wasm";
import { type EmbedderOptions, type TableName, tableOf, unreadable } from "./tables.ts";

export type { EmbedderOptions } from "./tables.ts";

const urlOf = (table: TableName) => new URL(`../tables/${table}.bin`, import.meta.url);

/**
 * Returns an embedder with a table of this package. In a browser it also loads the module of
 * nous-wasm, and fetches the table. Each call reads a table of its own: keep the embedder.
 *
 * @throws {NousError} `invalid_argument` for a wrong or unknown option; `unsupported` if the table
 *   cannot be read.
 *
 * @example
 * ```ts
 * const embedder = await loadEmbedder();
 * const { vector, coverage } = embedder.embed("Deploys on Friday fail more often");
 * ```
 */
export async function loadEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const table = tableOf(options);
  const bytes = await readFile(urlOf(table)).catch((cause: unknown) => {
    throw unreadable(table, urlOf(table), cause);
  });
  return new Embedder(bytes);
}

/**
 * Returns an embedder with a table of this package, at once. In Node only: elsewhere use
 * {@link loadEmbedder}.
 *
 * @throws {NousError} As `loadEmbedder`; `unsupported` outside of Node.
 *
 * @example
 * ```ts
 * const embedder = loadEmbedderSync({ dimensions: 256 });
 * embedder.id; // "nous-256-652fff12"
 * ```
 */
export function loadEmbedderSync(options: EmbedderOptions = {}): Embedder {
  const table = tableOf(options);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(urlOf(table));
  } catch (cause) {
    throw unreadable(table, urlOf(table), cause);
  }
  return new Embedder(bytes);
}
