// The package of a model that not every server needs.

import { SettingsError } from "../refusal.ts";
import { vectorSourcesOf } from "../settings/embeddings-model.ts";
import type { Settings } from "../settings/options.ts";

/**
 * @throws {SettingsError} If the settings name a transformer whose package is not installed: nothing has
 *   been opened yet.
 */
export function requireTransformer(settings: Settings): void {
  if (vectorSourcesOf(settings).maker !== "multilingual") return;
  try {
    import.meta.resolve("nous-e5");
  } catch {
    const needs = "embeddings_model multilingual needs the package nous-e5, which has the model";
    throw new SettingsError(`${needs}: install it beside nous-server.`);
  }
}
