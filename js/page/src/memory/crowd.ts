// A larger memory for a test of speed: the one that is open, and memories made of its words in
// another order. The open memory stays as it is.

import { makeRandom } from "../../../reference/random.ts";
import type { Held } from "./held.ts";
import type { Rows } from "./lines.ts";

const SEED = 7;

interface Crowd {
  of: Held;
  changes: number;
  min: number;
  held: Promise<Held>;
}

let crowd: Crowd | undefined;

/** Returns a memory of at least so many memories. */
export function crowdOf(of: Held, min: number): Promise<Held> {
  const { changes } = of;
  if (crowd?.of !== of || crowd.changes !== changes || crowd.min !== min) {
    forgetCrowd();
    crowd = { of, changes, min, held: of.withRows(filled(of.rows, min), () => {}) };
  }
  return crowd.held;
}

/** Frees the larger memory. */
export function forgetCrowd(): void {
  void crowd?.held.then((held) => held.free());
  crowd = undefined;
}

/**
 * Returns rows with memories added. An added memory copies everything but its texts from another.
 */
function filled(rows: Rows, min: number): Rows {
  const originals = [...rows.nodes.values()];
  const nodes = new Map(rows.nodes);
  const words = originals.flatMap(({ content_body, content_summary }) =>
    wordsOf(content_body ?? content_summary),
  );
  const random = makeRandom(SEED);
  const word = () => words[Math.floor(random() * words.length)] ?? "";
  for (let made = 0; nodes.size < min && originals.length > 0; made += 1) {
    const original = originals[made % originals.length]!;
    const length = wordsOf(original.content_body ?? original.content_summary).length;
    const id = `filler-${made}`;
    nodes.set(id, {
      ...original,
      id,
      sequence: nodes.size,
      content_title: `Made for the test: ${word()} ${word()}`,
      content_summary: null,
      content_body: Array.from({ length: Math.max(4, length) }, word).join(" "),
    });
  }
  return { ...rows, nodes };
}

const wordsOf = (text: string | null): string[] => (text ?? "").split(/\s+/).filter(Boolean);
