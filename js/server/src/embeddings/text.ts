// Which text of a memory a model reads, and which model is the server's sentence transformer.

import { builtInText, embeddingText, TRANSFORMER } from "nous-memory";
import type { EmbeddingModel } from "../api/operation.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";

export { builtInText, TRANSFORMER } from "nous-memory";

/** Returns whether a model is the server's sentence transformer. */
export const isTransformer = ({ name }: Pick<EmbeddingModel, "name">): boolean =>
  name === TRANSFORMER.name;

/** Returns the text of a memory that a model reads. */
export const textFor = (model: Pick<EmbeddingModel, "name">, memory: EmbeddedTexts): string =>
  isTransformer(model) ? builtInText(memory) : embeddingText(memory);
