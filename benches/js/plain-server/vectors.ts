// The embeddings of all memories, in memory: rows of length 1, scanned one after the other.

import { normalise } from "../../../js/reference/search.ts";
import type { Hit } from "./store.ts";

/** The embeddings by id. */
export class Vectors {
  readonly #ids: string[] = [];
  readonly #rows: Float32Array[] = [];
  readonly #known = new Set<string>();

  get size(): number {
    return this.#rows.length;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  add(id: string, vector: ArrayLike<number>): void {
    this.#ids.push(id);
    this.#rows.push(normalise(vector));
    this.#known.add(id);
  }

  /** Returns the nearest memories by cosine, best first. Ties: the older first. */
  nearest(vector: ArrayLike<number>, limit: number): Hit[] {
    const query = normalise(vector);
    const best: { row: number; score: number }[] = [];
    for (let row = 0; row < this.#rows.length; row++) {
      const score = dot(this.#rows[row]!, query);
      if (best.length === limit && !(score > best[limit - 1]!.score)) continue;
      let place = best.length;
      while (place > 0 && best[place - 1]!.score < score) place -= 1;
      best.splice(place, 0, { row, score });
      if (best.length > limit) best.pop();
    }
    return best.map(({ row, score }) => ({ id: this.#ids[row]!, score }));
  }
}

/** Returns a dot product. Four partial sums avoid a chain of dependent additions. */
function dot(a: Float32Array, b: Float32Array): number {
  const even = a.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < even; i += 4) {
    s0 += a[i]! * b[i]!;
    s1 += a[i + 1]! * b[i + 1]!;
    s2 += a[i + 2]! * b[i + 2]!;
    s3 += a[i + 3]! * b[i + 3]!;
  }
  for (let i = even; i < a.length; i++) s0 += a[i]! * b[i]!;
  return s0 + s1 + (s2 + s3);
}
