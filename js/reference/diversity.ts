// The order of answers in which memories that are alike do not crowd a list. Plain on purpose: the
// yardstick of the parity tests.

import type { Placed, Ranked, TextOfMemory } from "./evidence.ts";

const POOL = 64;
const MAX_LOSS = 4;
/** Memories that repeat each other share at least nine of ten words. */
const HELD_BY_BOTH = 19;

const isNumber = (word: string): boolean => /\p{N}/u.test(word);

/** The words that only one of two memories holds. */
const heldByOne = ({ stems: one }: TextOfMemory, { stems: other }: TextOfMemory): string[] => [
  ...[...one].filter((word) => !other.has(word)),
  ...[...other].filter((word) => !one.has(word)),
];

/** Whether two memories share nine of ten words, and every number. */
export function repeat(one: TextOfMemory, other: TextOfMemory): boolean {
  const alone = heldByOne(one, other);
  const max = Math.floor((one.stems.size + other.stems.size) / HELD_BY_BOTH);
  return alone.length <= max && !alone.some(isNumber);
}

/** The share of words that both hold, or the cosine of the first passages to the fourth. */
export function likeness(one: TextOfMemory, other: TextOfMemory): number {
  const all = one.stems.size + other.stems.size;
  const alone = heldByOne(one, other).length;
  const [a, b] = [one.passages[0]!.vector, other.passages[0]!.vector];
  const lengths = a.length * b.length;
  const product = a.codes.reduce((sum, code, place) => sum + code * b.codes[place]!, 0);
  const cosine = lengths === 0 ? 0 : (product * a.step * b.step) / lengths;
  const square = Math.min(Math.max(cosine, 0), 1) ** 2;
  return Math.max((all - alone) / (all + alone), square * square);
}

/** Chooses answers one by one; only the best 64 are moved. */
export function spreadOut(
  answers: readonly Ranked[],
  diversity: number,
  textOf: (id: string) => TextOfMemory,
): Placed[] {
  const pool = answers.slice(0, POOL);
  const placed: Placed[] = [];
  const left = pool.map((answer, place) => ({ answer, place }));
  while (left.length > 0) {
    const judged = left.map((it) => {
      const own = textOf(it.answer.id);
      const repeats = placed.find(({ id }) => repeat(textOf(id), own))?.id;
      const loss = { like: undefined as string | undefined, likeness: 0 };
      for (const { id } of diversity > 0 ? placed : []) {
        const found = likeness(textOf(id), own);
        if (found > loss.likeness) Object.assign(loss, { like: id, likeness: found });
      }
      const { behind: first, sum } = it.answer;
      return {
        ...it,
        repeats,
        like: loss.like,
        waits: first !== undefined && left.some(({ answer }) => answer.id === first),
        worth: sum - diversity * MAX_LOSS * loss.likeness,
      };
    });
    const [{ answer, place, repeats, like }] = judged.sort(
      (a, b) =>
        Number(a.waits) - Number(b.waits) ||
        Number(a.repeats !== undefined) - Number(b.repeats !== undefined) ||
        b.worth - a.worth ||
        a.place - b.place,
    ) as [(typeof judged)[number]];
    const wasMoved = placed.some(({ id }) => pool.findIndex((it) => it.id === id) > place);
    placed.push({ ...answer, similar_to: repeats ?? (wasMoved ? like : undefined) });
    left.splice(
      left.findIndex((it) => it.place === place),
      1,
    );
  }
  return [...placed, ...answers.slice(POOL).map((it) => ({ ...it, similar_to: undefined }))];
}
