// What an import from another program did, or would do, in words.

import type { LeftOut, Place } from "nous-memory/moving";

/** Examples of memories that are shown. */
const EXAMPLES = 3;
/** Wrong parts that are shown, and characters of a memory. */
const SHOWN = 20;
const MAX_CHARACTERS = 100;

/** Returns a place in words: `conversations.json, conversation 3`. */
export const placeInWords = ({ file, of, number }: Place): string =>
  number === undefined ? file : `${file}, ${of ?? "entry"} ${number}`;

interface Counted {
  count: number;
  first: Place;
}

/** Counts what is taken and what is not. */
export class Report {
  readonly #types = new Map<string, number>();
  readonly #examples: string[] = [];
  readonly #left = new Map<string, Counted>();
  readonly #wrong: LeftOut[] = [];
  #wrongCount = 0;

  /** Counts a memory that is stored, or would be. */
  took({ type, created_at, content_title, content_body }: Readonly<Record<string, unknown>>): void {
    const name = String(type);
    this.#types.set(name, (this.#types.get(name) ?? 0) + 1);
    if (this.#examples.length === EXAMPLES) return;
    const words = String(content_title || content_body).replace(/\s+/g, " ");
    const shown =
      words.length <= MAX_CHARACTERS ? words : `${words.slice(0, MAX_CHARACTERS).trimEnd()}…`;
    this.#examples.push(`  ${name}, ${String(created_at).slice(0, 10)}: ${shown}`);
  }

  leave(left: LeftOut): void {
    if (left.isWrong) {
      this.#wrongCount += 1;
      if (this.#wrong.length < SHOWN) this.#wrong.push(left);
      return;
    }
    const counted = this.#left.get(left.why);
    if (counted === undefined) this.#left.set(left.why, { count: 1, first: left.place });
    else counted.count += 1;
  }

  /** How many parts are damaged or unknown. */
  get wrong(): number {
    return this.#wrongCount;
  }

  /** Returns the kinds of memories that are taken: `12 fact, 3 preference`. */
  types(): string {
    const sorted = [...this.#types].sort(([, a], [, b]) => b - a);
    return sorted.map(([type, count]) => `${count} ${type}`).join(", ");
  }

  examples(): string[] {
    return this.#examples.length === 0 ? [] : ["For example:", ...this.#examples];
  }

  /** Returns what is not taken, and why. */
  leftOut(): string[] {
    const left = [...this.#left].sort(([, a], [, b]) => b.count - a.count);
    const lines = left.map(
      ([why, { count, first }]) => `  ${count} times ${why} (first: ${placeInWords(first)})`,
    );
    const more = this.#wrongCount - this.#wrong.length;
    return [
      ...(lines.length === 0 ? [] : ["Not taken:", ...lines]),
      ...(this.#wrong.length === 0 ? [] : ["Wrong:"]),
      ...this.#wrong.map(({ place, why }) => `  ${placeInWords(place)}: ${why}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ];
  }
}
