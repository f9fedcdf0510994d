// Keeps the vectors of samples in this browser, so that a second visit does not make them again. Of
// a visitor's own memories, and of a sample that was edited, nothing is kept unasked.

import { TRANSFORMER } from "nous-memory";
import { bytesIn } from "./base64.ts";
import type { Held } from "./held.ts";

/** The cache. */
const VECTORS = "nous-vectors";

/** A text, and its vector in base64. */
type Entry = readonly [text: string, base64: unknown];
export type Vectors = Map<string, Float32Array>;

/** An entry for each sample and model. */
const keyOf = ({ name }: Held): string =>
  new URL(`./vectors/${encodeURIComponent(name)}?${TRANSFORMER.name}`, location.href).href;

/** Returns the vectors that an earlier visit has kept, by text. There is no cache without HTTPS. */
export async function keptVectors(held: Held): Promise<Vectors> {
  if (held.source !== "sample") return new Map();
  try {
    const response = await (await caches.open(VECTORS)).match(keyOf(held));
    return vectorsOf((await response?.json()) ?? []);
  } catch {
    // Then they are made again.
    return new Map();
  }
}

/** Returns the vectors that an open memory has, by text. */
export const vectorsIn = (held: Held | undefined): Vectors => vectorsOf(entriesOf(held));

const entriesOf = (held: Held | undefined): Entry[] =>
  Array.from(held?.rows.carried.values() ?? []).flatMap(({ model, text, embedding }) =>
    model === TRANSFORMER.name ? [[text, embedding]] : [],
  );

function vectorsOf(entries: readonly Entry[]): Vectors {
  const found: Vectors = new Map();
  for (const [text, base64] of entries) {
    const bytes = bytesIn(base64);
    if (bytes?.length === Float32Array.BYTES_PER_ELEMENT * TRANSFORMER.dimensions)
      found.set(text, new Float32Array(bytes.buffer));
  }
  return found;
}

/** Keeps the vectors of a sample, in place of those of another model. */
export async function keepVectors(held: Held): Promise<void> {
  if (held.source !== "sample" || held.isEdited) return;
  try {
    const cache = await caches.open(VECTORS);
    for (const { url } of await cache.keys())
      if (!url.endsWith(`?${TRANSFORMER.name}`)) await cache.delete(url);
    await cache.put(keyOf(held), Response.json(entriesOf(held)));
  } catch {
    // There is no room, or no cache.
  }
}
