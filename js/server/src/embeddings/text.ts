// The models of the server's sentence transformers, and the text of a memory that a model reads.

import { builtInText, embeddingText, TRANSFORMER } from "nous-memory";
import type { EmbeddingScale } from "nous-wasm";
import type { EmbeddingModel } from "../api/operation.ts";
import type { TransformerName } from "../settings/embeddings-model.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";

export { builtInText } from "nous-memory";

/**
 * The models of `nous-minilm` and `nous-e5`: their `id` and their `dimensions`, known before they are
 * loaded.
 */
export const TRANSFORMERS = {
  english: TRANSFORMER,
  multilingual: { name: "e5-384-9fde173e", dimensions: 384 },
} as const satisfies Record<TransformerName, EmbeddingModel>;

/**
 * The scales of transformers whose cosines are not those of the fitted weights, measured over the
 * development questions of the general memory and across languages.
 */
const SCALES: Readonly<Record<string, EmbeddingScale>> = {
  [TRANSFORMERS.multilingual.name]: { of_unrelated: 0.11, of_related: 0.361 },
};

/** Returns the scale of a transformer's cosines; undefined for that of the fitted weights. */
export const scaleOfTransformer = ({
  name,
}: Pick<EmbeddingModel, "name">): EmbeddingScale | undefined => SCALES[name];

/** Returns whether a model is a sentence transformer of the server. */
export const isTransformer = ({ name }: Pick<EmbeddingModel, "name">): boolean =>
  Object.values(TRANSFORMERS).some((one) => one.name === name);

/** Returns the text of a memory that a model reads. */
export const textFor = (model: Pick<EmbeddingModel, "name">, memory: EmbeddedTexts): string =>
  isTransformer(model) ? builtInText(memory) : embeddingText(memory);
