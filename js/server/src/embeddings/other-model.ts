// The error of a question whose embedding cannot be compared with those of the memories.

import type { EmbeddingModel } from "../api/operation.ts";

/**
 * Thrown if the embedding of a question is of another model than the embeddings of the memories.
 */
export class OtherModel extends Error {
  override readonly name = "OtherModel";

  /** `inUse` is the model of the embeddings of the memories. */
  constructor(readonly inUse: EmbeddingModel) {
    super(`the embeddings of the memories are of the model ${inUse.name}`);
  }
}
