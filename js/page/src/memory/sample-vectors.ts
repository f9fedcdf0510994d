// Keeps the vectors of samples in this browser, so that a second visit does not make them again. Of
// a visitor's own memories, and of a sample that was edited, nothing is kept unasked.

import { TRANSFORMER } from "nous-memory";
import { bytesIn } from "./base64.ts";
import type { Held } from "./held.ts";

/** The cache. */
const VECTORS = "nous-vectors";

/** An entry for each sample and model. */
const keyOf = ({ name }: Held): string =>
  new URL(`./vectors/${encodeURIComponent(name)}?${TRANSFORMER.name}`, location.href).href;

/** Returns the vectors that an earlier visit has kept, by text. There is no cache without HTTPS. */
export async function keptVectors(held: Held): Promise<Map<string, Float32Array>> {
  const found = new Map<string, Float32Array>();
  if (held.source !== "sample") return found;
  try {
    const response = await (await caches.open(VECTORS)).match(keyOf(held));
    const entries = ((await response?.json()) ?? []) as [text: string, base64: string][];
    for (const [text, base64] of entries) {
      const bytes = bytesIn(base64);
      if (bytes?.length === 4 * TRANSFORMER.dimensions)
        found.set(text, new Float32Array(bytes.buffer));
    }
  } catch {
    // Then they are made again.
  }
  return found;
}

/** Keeps the vectors of a sample, in place of those of another model. */
export async function keepVectors(held: Held): Promise<void> {
  if (held.source !== "sample" || held.isEdited) return;
  const entries = Array.from(held.rows.carried.values(), ({ text, embedding }) => [
    text,
    embedding,
  ]);
  try {
    const cache = await caches.open(VECTORS);
    for (const { url } of await cache.keys())
      if (!url.endsWith(`?${TRANSFORMER.name}`)) await cache.delete(url);
    await cache.put(keyOf(held), Response.json(entries));
  } catch {
    // There is no room, or no cache.
  }
}
