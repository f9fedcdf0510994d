// Lines of supersession: the edges that count where edges go round in circles, by the index and by the
// reference, over generated graphs.

import fc from "fast-check";
import { Memory, remember } from "nous-memory";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { withoutCircles } from "../../js/reference/evidence.ts";
import { amount, runs } from "../support/amount.ts";

const IDS = "abcdefgh".split("");
const id = fc.constantFrom(...IDS);
const edges = fc.array(fc.tuple(id, id), { maxLength: 24 });

function indexOf(pairs: readonly (readonly [newer: string, older: string])[]): MemoryIndex {
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
    pairs.map(([source_id, target_id], place) => ({
      ...{ id: `e${place}`, type: "supersedes", source_id, target_id, sequence: place },
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
