// The token tables by the names that the option `--table` takes.

import type { EmbedderOptions } from "nous-embedder";

/** The tables of nous-embedder. */
export const TABLES = {
  "english-128": { language: "english", dimensions: 128 },
  "english-256": { language: "english", dimensions: 256 },
  "multilingual-128": { language: "multilingual", dimensions: 128 },
} as const satisfies Record<string, EmbedderOptions>;

/** Returns whether a table has this name. */
export const isTable = (name: string): name is keyof typeof TABLES => Object.hasOwn(TABLES, name);
