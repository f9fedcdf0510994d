// Creates the embedder that the settings name.

import type { Logger } from "../log.ts";
import type { Settings } from "../settings/options.ts";
import { Embedder } from "./embedder.ts";
import { OpenAiCompatible } from "./openai-compatible.ts";

/** Returns undefined unless the setting `embeddings_provider` names a service. */
export function embedderOf(settings: Settings, log: Logger): Embedder | undefined {
  if (settings.embeddings_provider !== "openai-compatible") return undefined;
  const provider = new OpenAiCompatible({
    baseUrl: settings.embeddings_base_url,
    key: settings.embeddings_key,
  });
  const { embeddings_model: name, embeddings_dimensions: dimensions } = settings;
  return new Embedder(provider, {
    model: { name, dimensions: dimensions === 0 ? undefined : dimensions },
    timeout: settings.embeddings_timeout,
    batch: settings.embeddings_batch,
    log,
  });
}
