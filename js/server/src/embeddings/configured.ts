// Creates the embedder that the settings name.

import type { Logger } from "../log.ts";
import { vectorSourcesOf } from "../settings/embeddings-model.ts";
import type { Settings } from "../settings/options.ts";
import { Embedder } from "./embedder.ts";
import { OpenAiCompatible } from "./openai-compatible.ts";
import { TRANSFORMERS } from "./text.ts";
import { Transformer } from "./transformer.ts";

/** Texts that the transformer embeds between two writes of vectors. */
const BATCH = 16;

/**
 * Returns undefined unless the settings name a service or a transformer of the server. The caller closes
 * the embedder.
 */
export function embedderOf(settings: Settings, log: Logger): Embedder | undefined {
  const { maker } = vectorSourcesOf(settings);
  if (maker === undefined) return undefined;
  const { embeddings_timeout: timeout } = settings;
  if (maker !== "service") {
    const script = new URL("./transformer-thread.mjs", import.meta.url);
    const provider = new Transformer(script, maker, log);
    return new Embedder(provider, { model: TRANSFORMERS[maker], timeout, batch: BATCH, log });
  }
  const provider = new OpenAiCompatible({
    baseUrl: settings.embeddings_base_url,
    key: settings.embeddings_key,
  });
  const { embeddings_model: name, embeddings_dimensions: dimensions } = settings;
  return new Embedder(provider, {
    model: { name, dimensions: dimensions === 0 ? undefined : dimensions },
    ...{ timeout, batch: settings.embeddings_batch, log },
  });
}
