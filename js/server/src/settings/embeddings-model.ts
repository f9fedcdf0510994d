// The setting `embeddings_model`: with the provider `builtin` what the server makes vectors by, else the
// name of a provider's model.

import type { EmbedderOptions } from "nous-embedder";
import type { Compat, EmbeddingsProvider } from "./choices.ts";

/** The tables of the server by name, as `nous-embedder` loads them. */
export const TABLES = {
  "english-128": { language: "english", dimensions: 128 },
  "english-256": { language: "english", dimensions: 256 },
  "multilingual-128": { language: "multilingual", dimensions: 128 },
} as const satisfies Record<string, EmbedderOptions>;
export type TableName = keyof typeof TABLES;

/** The table of words beside vectors of memories that a service makes. */
const TABLE_OF_WORDS: TableName = "english-128";
/** Memories and questions by a sentence transformer, words by a table. */
const BY_TRANSFORMER = {
  english: "english-128",
  multilingual: "multilingual-128",
} as const satisfies Record<string, TableName>;
/** A sentence transformer of the server. */
export type TransformerName = keyof typeof BY_TRANSFORMER;

/** The names of what the server makes vectors by, in a sentence. */
export const BUILT_IN_NAMES: string = Object.keys({ ...BY_TRANSFORMER, ...TABLES }).join(", ");

/** Returns the model of a provider unless the setting names one. */
export const defaultModel = (provider: EmbeddingsProvider = "builtin"): string =>
  provider === "openai-compatible" ? "nomic-embed-text" : "english";

const isTable = (name: string): name is TableName => Object.hasOwn(TABLES, name);
const isOfTransformer = (name: string): name is TransformerName =>
  Object.hasOwn(BY_TRANSFORMER, name);

/** Returns what is wrong with the model of a provider; undefined if it fits. */
export const modelProblem = (provider: EmbeddingsProvider, model: string): string | undefined =>
  provider !== "builtin" || isOfTransformer(model) || isTable(model)
    ? undefined
    : `the models of embeddings_provider builtin are ${BUILT_IN_NAMES}; for a model of a service set ` +
      "embeddings_provider to openai-compatible";

/** What makes vectors of memories beside their writes: a transformer of the server, or a service. */
export type VectorMaker = TransformerName | "service";

/** The sources of vectors that a server has. */
export interface VectorSources {
  /**
   * The table of word vectors; undefined if words have none. Without a maker it makes the vectors of
   * memories, too.
   */
  table: TableName | undefined;
  maker: VectorMaker | undefined;
}

/** Returns the sources of vectors that the settings name. */
export function vectorSourcesOf(settings: {
  embeddings_provider: EmbeddingsProvider;
  embeddings_model: string;
  compat: Compat;
}): VectorSources {
  const { embeddings_provider: provider, embeddings_model: model, compat } = settings;
  switch (provider) {
    case "none":
      return { table: undefined, maker: undefined };
    case "openai-compatible":
      // Hynous' server has no vectors of words.
      return { table: compat === "hynous" ? undefined : TABLE_OF_WORDS, maker: "service" };
    case "builtin":
      return isOfTransformer(model)
        ? { table: BY_TRANSFORMER[model], maker: model }
        : { table: isTable(model) ? model : undefined, maker: undefined };
  }
}
