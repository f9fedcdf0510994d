// Lines of supersession: the edges that count where edges go round in circles, by the index and by the
// reference, over generated graphs.

import fc from "fast-check";
import { Memory, remember } from "nous-memory";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { linesOf, type Supersession, withoutCircles } from "../../js/reference/evidence.ts";
import { amount, runs } from "../support/amount.ts";

const IDS = "abcdefgh".split("");
const id = fc.constantFrom(...IDS);
const edges = fc.array(fc.tuple(id, id), { maxLength: 24 });
const graded = fc.array(
  fc.tuple(id, id, fc.option(fc.constantFrom(0, 0.3, 0.83, 1)), fc.boolean()),
  { maxLength: 16 },
);

/** The probability is that of a guess, which may be only possible. */
type Edge = readonly [
  newer: string,
  older: string,
  probability?: number | null,
  isPossible?: boolean,
];

function indexOf(pairs: readonly Edge[]): MemoryIndex {
  const index = new MemoryIndex();
  const now = Date.UTC(2026, 4, 1);
  index.upsert(
    IDS.map((id, sequence) => ({
      ...{ id, sequence, type: "fact", created_at: now - 1_000 * sequence },
      ...{ title: `The gate is painted in colour ${id}`, text: "" },
    })),
    { now },
  );
  index.link(
    pairs.map(([source_id, target_id, strength = null, isPossible], place) => ({
      ...{ id: `e${place}`, source_id, target_id, sequence: place },
      ...(strength === null
        ? { type: "supersedes" }
        : { type: isPossible ? "possibly_supersedes" : "likely_supersedes", strength }),
    })),
  );
  return index;
}

const countingOf = (pairs: readonly (readonly [string, string])[]) =>
  withoutCircles(pairs.map(([newer, older]) => ({ newer, older })));

describe("lines of supersession", () => {
  test("have the same edges in the index and in the reference", () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        using index = indexOf(pairs);
        const counting = countingOf(pairs);
        for (const id of IDS) {
          const newer = counting.filter(({ older }) => older === id).map(({ newer }) => newer);
          expect(index.successors(id)).toEqual(newer);
        }
        expect(index.successors("none")).toEqual([]);
      }),
      runs(amount(2_000)),
    );
  });

  test("of all grades have the same edges in the index and in the reference", () => {
    let [dropped, untold] = [0, 0];
    fc.assert(
      fc.property(graded, (pairs) => {
        using index = indexOf(pairs);
        const all = pairs.map(
          ([newer, older, probability, isPossible]): Supersession => ({
            ...{ newer, older, probability: probability ?? undefined },
            isPossible: probability !== null && isPossible,
          }),
        );
        const counting = linesOf(all).filter((pair) => !pair.isPossible);
        // What is possible changes nothing of what is told.
        expect(linesOf(all.filter((pair) => !pair.isPossible))).toEqual(counting);
        untold += Number(linesOf(all).length > counting.length);
        const places = counting.map((pair) => all.indexOf(pair));
        dropped += Number(
          all.some((pair) => pair.newer !== pair.older && !counting.includes(pair)),
        );
        const seen = new Set(IDS.flatMap((id) => index.line(id).map(({ id }) => id)));
        expect([...seen].toSorted()).toEqual(places.map((place) => `e${place}`).toSorted());
        for (const id of IDS) {
          // The edges of one line, in order: all that are connected with the memory.
          const its = new Set([id]);
          for (let size = 0; size !== its.size; ) {
            size = its.size;
            for (const { newer, older } of counting)
              if (its.has(newer) || its.has(older)) its.add(newer).add(older);
          }
          const line = places.filter((place) => its.has(all[place]!.newer));
          expect(index.line(id).map((edge) => edge.id)).toEqual(line.map((place) => `e${place}`));
        }
        // A guess changes nothing of what is sure, and nothing goes round.
        const sure = all.filter(({ probability }) => probability === undefined);
        const isSure = (pair: Supersession) => pair.probability === undefined;
        expect(counting.filter(isSure)).toEqual(withoutCircles(sure));
        expect(withoutCircles(linesOf(all))).toEqual(linesOf(all));
      }),
      runs(amount(2_000)),
    );
    expect(dropped).toBeGreaterThan(amount(100, 1));
    expect(untold).toBeGreaterThan(amount(100, 1));
  });

  test("have no circle, and only edges of circles do not count", () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        const counting = countingOf(pairs);
        const above = (id: string, seen: ReadonlySet<string>): boolean =>
          !seen.has(id) &&
          counting
            .filter(({ older }) => older === id)
            .every(({ newer }) => above(newer, new Set([...seen, id])));
        for (const id of IDS) expect(above(id, new Set()), JSON.stringify(pairs)).toBe(true);
        // Whatever was superseded is superseded, but for the memory of a circle that holds.
        const last = pairs.at(-1);
        for (const [, older] of pairs.filter(([newer, older]) => newer !== older)) {
          const isSuperseded = counting.some((pair) => pair.older === older);
          if (!isSuperseded) expect(pairs.some(([newer]) => newer === older)).toBe(true);
        }
        if (last !== undefined && last[0] !== last[1])
          expect(counting).toContainEqual({ newer: last[0], older: last[1] });
      }),
      runs(amount(2_000)),
    );
  });

  test("answer with the memory that holds first", () => {
    for (const [pairs, holds] of [
      [["ba", "ab"], "a"],
      [["ba", "cb", "ac"], "a"],
      [["ba", "cb", "ac", "dc"], "d"],
    ] as const) {
      using index = indexOf(pairs.map((pair) => [pair[0]!, pair[1]!]));
      const answers = index.ask("In which colour is the gate painted?", {
        now: Date.UTC(2026, 4, 1),
      });
      const first = answers.find(({ id }) => pairs.join("").includes(id));
      expect(first).toMatchObject({ id: holds });
      expect(first!.superseded_by).toBeUndefined();
    }
  });

  test("of values that come and go end with one memory, whatever is deleted", () => {
    const values = fc.array(fc.nat(5), { minLength: 1, maxLength: 12 });
    const gone = fc.array(fc.nat(5), { maxLength: 4 });
    fc.assert(
      fc.property(values, gone, fc.boolean(), (values, gone, isLast) => {
        const memory = new Memory();
        const ids = [0, 1, 2, 3, 4, 5].map(
          (value) => remember(memory, `The gate is painted in colour ${value}.`).stored[0]!.id,
        );
        const history = values.filter((value, place) => value !== values[place - 1]);
        const newer = history.slice(1).map((value) => ids[value]!);
        memory.link(
          newer.map((source_id, place) => ({
            ...{ id: `e${place}`, type: "supersedes" },
            ...{ source_id, target_id: ids[history[place]!]! },
          })),
        );
        const holding = () =>
          [...new Set(history)].filter(
            (value) =>
              memory.row(ids[value]!) !== undefined &&
              memory.index.successors(ids[value]!).length === 0,
          );
        const last = history.at(-1)!;
        expect(holding()).toEqual([last]);
        if (isLast) {
          // The one before it is back.
          memory.remove([ids[last]!]);
          expect(holding()).toEqual(history.filter((value) => value !== last).slice(-1));
        } else {
          memory.remove(gone.filter((value) => value !== last).map((value) => ids[value]!));
          expect(holding()).toEqual([last]);
        }
        memory.free();
      }),
      runs(amount(500)),
    );
  });
});
