// The model of the server's sentence transformer, and the text of a memory that a model reads.

import { embeddingText } from "nous-memory";
import type { EmbeddingModel } from "../api/operation.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";

/** The model of `nous-minilm`: its `id` and its `dimensions`, known before it is loaded. */
export const TRANSFORMER = {
  name: "minilm-384-53b83bc8",
  dimensions: 384,
} as const satisfies EmbeddingModel;

/** The most UTF-16 units of a text that count. */
const MAX = 30_000;

/** Returns whether a model is the server's sentence transformer. */
export const isTransformer = ({ name }: Pick<EmbeddingModel, "name">): boolean =>
  name === TRANSFORMER.name;

/** Returns title, summary and body as one text, as far as they exist. */
export function builtInText({
  content_title,
  content_summary,
  content_body,
}: Omit<EmbeddedTexts, "type" | "subtype">): string {
  return [content_title, content_summary, content_body]
    .filter((part) => typeof part === "string" && part !== "")
    .join("\n")
    .slice(0, MAX);
}

/** Returns the text of a memory that a model reads. */
export const textFor = (model: Pick<EmbeddingModel, "name">, memory: EmbeddedTexts): string =>
  isTransformer(model) ? builtInText(memory) : embeddingText(memory);
