// The tables of this package, and the options that choose one.

import { NousError } from "nous-wasm";

/** Options of `loadEmbedder` and `loadEmbedderSync`. */
export interface EmbedderOptions {
  /**
   * The number of components of a vector: 128 (a table of 2.8 MB) or 256 (5.4 MB, slightly better).
   * Default 128.
   */
  dimensions?: 128 | 256 | undefined;
}

/** The name of a table, without its ending. */
export type TableName = "nous-128" | "nous-256";

/** Returns the name of the table that the options choose. */
export function tableOf(options: EmbedderOptions): TableName {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalid("options", "must be an object");
  const unknown = Object.keys(options).find((key) => key !== "dimensions");
  if (unknown !== undefined) throw invalid(unknown, "is not an option: the option is dimensions");
  const { dimensions = 128 } = options;
  if (dimensions !== 128 && dimensions !== 256) throw invalid("dimensions", "must be 128 or 256");
  return `nous-${dimensions}`;
}

/** Returns the error for a table that cannot be read, with the way out. */
export function unreadable(table: TableName, url: URL, cause: unknown): NousError {
  const way = `pass the bytes of nous-embedder/tables/${table}.bin to new Embedder() of nous-wasm`;
  const message = `The table could not be read from ${url.href}: ${way}.`;
  return new NousError("unsupported", message, {}, { cause });
}

function invalid(field: string, problem: string): NousError {
  return new NousError("invalid_argument", `${field} ${problem}`, { field });
}
