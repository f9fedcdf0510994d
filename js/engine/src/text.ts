// Text in the module's memory, as UTF-8. A lone surrogate becomes U+FFFD.

import { SPAN, SPAN_END, SPAN_START } from "./generated/layout.ts";
import type { EngineLease, EnginePool } from "./runtime.ts";

const encoder = new TextEncoder();
/**
 * Up to this number of UTF-16 units, writing them one by one is faster than calling the encoder.
 */
const SHORT = 96;

/** The most bytes of a text with this number of UTF-16 units. @internal */
export const maxBytes = (units: number): number => units * 3;

/** Writes text where there is room for `mostBytes`. Returns its length in bytes. @internal */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  const units = text.length;
  if (units <= SHORT) {
    let unit = 0;
    for (; unit < units; unit++) {
      const code = text.charCodeAt(unit);
      if (code > 127) break;
      bytes[at + unit] = code;
    }
    if (unit === units) return units;
  }
  return encoder.encodeInto(text, bytes.subarray(at, at + maxBytes(units))).written;
}

/**
 * Slices of a text: `count` pairs of start and end, in UTF-16 units, beginning at `from` in a list.
 * @internal
 */
export function slicesOf(
  text: string,
  ends: ArrayLike<number>,
  from: number,
  count: number,
): string[] {
  const slices: string[] = [];
  for (let at = from; at < from + SPAN * count; at += SPAN)
    slices.push(text.slice(ends[at + SPAN_START], ends[at + SPAN_END]));
  return slices;
}

/**
 * Calls `use` with an engine that has the text in its scratch, and room for `numbers` numbers.
 * @internal
 */
export function withText<T>(
  pool: EnginePool,
  text: string,
  numbers: number,
  use: (lease: EngineLease, length: number) => T,
): T {
  const lease = pool.acquire();
  try {
    lease.reserve(numbers, 0, maxBytes(text.length));
    return use(lease, writeText(text, lease.bytes, lease.bytesAt));
  } finally {
    pool.release(lease);
  }
}
