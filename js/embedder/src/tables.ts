// The tables of this package, and the options that choose one.

import { NousError } from "nous-wasm";

/** Options of `loadEmbedder` and `loadEmbedderSync`. */
export interface EmbedderOptions {
  /**
   * The language of the texts. `"english"`, or `"multilingual"` for English, German, French,
   * Spanish and Japanese: texts of these languages are near each other if they mean the same.
   * English texts alone are found better by the English tables. Default `"english"`.
   */
  language?: "english" | "multilingual" | undefined;
  /**
   * The number of components of a vector: 128 or 256. The multilingual table has 128. Default 128.
   */
  dimensions?: 128 | 256 | undefined;
}

/** The name of a table, without its ending. */
export type TableName = "nous-128" | "nous-256" | "multilingual-128";

const OPTIONS = ["language", "dimensions"];

/** Returns the name of the table that the options choose. */
export function tableOf(options: EmbedderOptions): TableName {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalid("options", "must be an object");
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined)
    throw invalid(unknown, "is not an option: the options are language and dimensions");
  const { language = "english", dimensions = 128 } = options;
  if (language !== "english" && language !== "multilingual")
    throw invalid("language", "must be english or multilingual");
  if (dimensions !== 128 && dimensions !== 256) throw invalid("dimensions", "must be 128 or 256");
  if (language === "english") return `nous-${dimensions}`;
  if (dimensions === 256) throw invalid("dimensions", "must be 128 for the multilingual table");
  return "multilingual-128";
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
