// State changes: `transitions` reports at any instant the changes that a sweep would make, however
// close to a boundary, and whether time moves forward or back.

import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import type { MemoryNode } from "../../js/engine/src/memory/types.ts";
import { makeRandom, NOW, pick } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import {
  MEMORY_SECTIONS,
  type MemorySection,
  SECTION_PROFILES,
} from "../../js/reference/sections.ts";
import { SEED } from "../support/amount.ts";
import { LIFECYCLES } from "./inputs/graphs.ts";
import type { Resident } from "./inputs/memories.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

/** The earliest and the latest instant of a Date. */
const ENDS = [-8.64e15, 8.64e15] as const;

const SUBTYPE_OF: Record<MemorySection, string> = {
  EPISODIC: "custom:trade",
  SIGNALS: "custom:signal",
  KNOWLEDGE: "custom:lesson",
  PROCEDURAL: "custom:playbook",
};
const STATES = [...LIFECYCLES, "DELETED"] as const;
const STABILITIES = [5e-324, 1e-9, 1e-3, 0.5, 2, 14, 60.25, 365, 1e5, 1e9, 1e300, 0, -0, -1, -1e9];

/** The next number, up or down. */
function next(from: number, step: 1n | -1n): number {
  const bits = new BigInt64Array(1);
  const number = new Float64Array(bits.buffer);
  number[0] = from;
  bits[0] = bits[0]! + (from < 0 ? -step : step);
  return from === 0 ? Number(step) * 5e-324 : number[0];
}

/** Instants at which the state of a memory may end, and their neighbours. */
function boundaries(section: MemorySection, stability: number, lastAccessed: number): number[] {
  const { active_threshold, weak_threshold } = SECTION_PROFILES[section].decay;
  const ends = [
    0,
    -stability * Math.log(active_threshold),
    -stability * Math.log(weak_threshold),
    60,
    120,
  ];
  return ends
    .map((days) => lastAccessed + days * DAY)
    .flatMap((ms) => [ms - 1, ms - 0.5, next(ms, -1n), ms, next(ms, 1n), ms + 0.5, ms + 1])
    .filter((ms) => ms >= ENDS[0] && ms <= ENDS[1]);
}

const nodesOf = (section: MemorySection, lastAccessed: number): MemoryNode[] =>
  STABILITIES.flatMap((stability, i) =>
    STATES.map((lifecycle, j) => ({
      id: `${stability} ${lifecycle} ${i}`,
      subtype: SUBTYPE_OF[section],
      created_at: NOW,
      last_accessed: lastAccessed,
      stability,
      lifecycle,
      retrievability: (i + j) % 3 === 0 ? 1 : 0.25,
      // Neither in the order of arrival nor against it.
      sequence: ((i * STATES.length + j) * 37) % 1009,
    })),
  );

function expectAlike(index: Resident, reference: ReferenceMemory, now: number): void {
  const expected = reference.transitions(now);
  const difference =
    same(index.transitions(now), expected) ?? same(index.decay(now).transitions, expected);
  if (difference !== null)
    expect.fail(`at ${now}, which is ${now - NOW} ms from the usual: ${difference}`);
}

function withBoth(
  nodes: readonly MemoryNode[],
  use: (index: Resident, reference: ReferenceMemory) => void,
): void {
  const index = new MemoryIndex();
  const reference = new ReferenceMemory();
  index.upsert(nodes);
  reference.upsert(nodes);
  use(index, reference);
  index.free();
}

const shuffled = <T>(random: () => number, list: readonly T[]): T[] =>
  list
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);

const LAST_ACCESSES: [string, number][] = [
  ["now", NOW],
  ["between two milliseconds", NOW - 1234567.34375],
  ["in 1969", -DAY / 3],
  ["in the future", NOW + 10 * DAY],
  ["at the beginning of time", ENDS[0]],
  ["at its end", ENDS[1]],
];

describe.each(MEMORY_SECTIONS)("%s", (section) => {
  test.each(LAST_ACCESSES)("last accessed %s", (_, lastAccessed) => {
    const around = STABILITIES.flatMap((stability) => boundaries(section, stability, lastAccessed));
    const moments = [...new Set([...around, NOW, 0, ...ENDS])].sort((a, b) => a - b);
    const random = makeRandom(lastAccessed);
    // Forward, backward, and in any order.
    for (const order of [moments, moments.toReversed(), shuffled(random, moments)]) {
      withBoth(nodesOf(section, lastAccessed), (index, reference) => {
        for (const now of order) expectAlike(index, reference, now);
      });
    }
  });

  test("each instant for a memory without earlier queries", () => {
    for (const stability of [0, 2, 60.25, 1e9]) {
      for (const now of boundaries(section, stability, NOW)) {
        withBoth(nodesOf(section, NOW), (index, reference) => expectAlike(index, reference, now));
      }
    }
  });
});

test("applied changes are done; going back in time may change states again", () => {
  const random = makeRandom(SEED);
  const nodes = MEMORY_SECTIONS.flatMap((section) =>
    nodesOf(section, NOW - Math.floor(random() * 100 * DAY)).map(({ sequence: _, ...node }) => ({
      ...node,
      id: `${section} ${node.id}`,
    })),
  );
  withBoth(nodes, (index, reference) => {
    for (let round = 0; round < 120; round++) {
      const back = random() < 0.25 ? -1 : 1;
      const now = NOW + back * random() ** 4 * 1000 * DAY;
      expectAlike(index, reference, now);
      const { changes } = reference.decay(now);
      if (random() < 0.4) {
        expect(index.applyDecay(changes)).toBe(changes.ids.length);
        reference.applyDecay(changes);
        expectAlike(index, reference, now);
        // Memories that a sweep archives do not come back; all others are as computed.
        expect(index.transitions(now)).toEqual([]);
      }
      for (const memory of [index, reference]) {
        memory.recall([nodes[round]!.id], now);
        memory.upsert([
          {
            id: nodes[round + 5]!.id,
            stability: round,
            lifecycle: pick(makeRandom(round), LIFECYCLES),
          },
        ]);
        memory.upsert([
          { id: nodes[round + 9]!.id, subtype: round % 2 === 0 ? null : "custom:signal" },
        ]);
        memory.upsert([{ id: nodes[round + 3]!.id, last_accessed: now - round * DAY }]);
        memory.remove([nodes[round + 1]!.id]);
      }
      expectAlike(index, reference, now);
      expectAlike(index, reference, now - 60 * DAY);
    }
  });
});

test("an empty memory has no transitions at any instant", () => {
  withBoth([], (index, reference) => {
    for (const now of [NOW, ...ENDS, 0]) expectAlike(index, reference, now);
  });
});
