// The setting `embeddings_model`: a table of the server with the provider `builtin`, else the name of
// a provider's model.

import type { EmbedderOptions } from "nous-embedder";

export const EMBEDDING_PROVIDERS = ["builtin", "none", "openai-compatible"] as const;
export type EmbeddingsProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** The tables of the server by name, as `nous-embedder` loads them. */
export const TABLES = {
  "english-128": { language: "english", dimensions: 128 },
  "english-256": { language: "english", dimensions: 256 },
  "multilingual-128": { language: "multilingual", dimensions: 128 },
} as const satisfies Record<string, EmbedderOptions>;
export type TableName = keyof typeof TABLES;

/** The names of the tables in a sentence. */
export const TABLE_NAMES: string = Object.keys(TABLES).join(", ");

const DEFAULT_TABLE: TableName = "english-128";

/** Returns the model of a provider unless the setting names one. */
export const defaultModel = (provider: EmbeddingsProvider = "builtin"): string =>
  provider === "openai-compatible" ? "nomic-embed-text" : DEFAULT_TABLE;

export const isTable = (name: string): name is TableName => Object.hasOwn(TABLES, name);

/** Returns what is wrong with the model of a provider; undefined if it fits. */
export const modelProblem = (provider: EmbeddingsProvider, model: string): string | undefined =>
  provider !== "builtin" || isTable(model)
    ? undefined
    : `the tables of embeddings_provider builtin are ${TABLE_NAMES}; for a model of a service set ` +
      "embeddings_provider to openai-compatible";

/** Returns the table that makes vectors; undefined if the settings name another provider, or none. */
export const tableNamed = (settings: {
  embeddings_provider: EmbeddingsProvider;
  embeddings_model: string;
}): TableName | undefined => {
  const { embeddings_provider: provider, embeddings_model: model } = settings;
  return provider === "builtin" && isTable(model) ? model : undefined;
};
