// The two switches of searching: graph reach finds memories that are only linked, and learned
// weights favour memories recalled together.

import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { ReferenceMemory, type SearchSettings } from "../../js/reference/memory.ts";
import type { Resident } from "./inputs/memories.ts";

const DAY = 86_400_000;

const MAKERS: [string, (search: SearchSettings) => Resident][] = [
  ["index", (search) => new MemoryIndex({ config: { search } })],
  ["reference", (search) => new ReferenceMemory({ config: { search } })],
];

/** A thesis that contains the words of the question, and two lessons that do not. */
function filled(memory: Resident): Resident {
  const fields = { created_at: NOW - 20 * DAY, last_accessed: NOW - DAY, access_count: 3 };
  memory.upsert([
    { id: "funding thesis", subtype: "custom:thesis", ...fields },
    { id: "lesson on size", subtype: "custom:lesson", ...fields },
    { id: "lesson on patience", subtype: "custom:lesson", ...fields },
    { id: "alone", subtype: "custom:lesson", ...fields },
  ]);
  memory.link([
    {
      id: "to size",
      source_id: "funding thesis",
      target_id: "lesson on size",
      type: "part_of",
      strength: 0.5,
    },
    {
      id: "to patience",
      source_id: "funding thesis",
      target_id: "lesson on patience",
      type: "part_of",
      strength: 0.4,
    },
  ]);
  return memory;
}

const ask = (memory: Resident) =>
  memory.search({
    bm25: [{ id: "funding thesis", score: 1 }],
    now: NOW,
    serendipity_level: "high",
  });
const graphOf = (memory: Resident, id: string) =>
  [...ask(memory).ranking].find((place) => place.id === id)!.breakdown.graph;

describe.each(MAKERS)("%s", (_, make) => {
  test("with graph reach, a linked memory is found without any word of the question", () => {
    const reached = ask(filled(make({ graphReach: true }))).ranking.ids;
    expect([...reached].sort()).toEqual(["funding thesis", "lesson on patience", "lesson on size"]);
    for (const settings of [{}, { graphReach: false }]) {
      const { ranking, serendipity } = ask(filled(make(settings)));
      expect(ranking.ids).toEqual(["funding thesis"]);
      // It was active all the same.
      expect(serendipity.map(({ id }) => id)).toContain("lesson on size");
    }
  });

  test("with learned weights, memories recalled together rank higher than before", () => {
    const memory = filled(make({ graphReach: true, edgeWeight: "learned", maxHops: 1 }));
    expect(ask(memory).ranking.ids).toEqual([
      "funding thesis",
      "lesson on size",
      "lesson on patience",
    ]);
    const before = graphOf(memory, "lesson on patience");

    const together = [["funding thesis", "lesson on patience"]];
    expect(memory.strengthen(together, 0.1)).toEqual({
      ids: ["to patience"],
      strengths: Float64Array.of(0.5),
    });
    expect(graphOf(memory, "lesson on patience")).toBeGreaterThan(before);
    expect(memory.strengthen(together, 0.1).ids).toEqual(["to patience"]);
    expect(ask(memory).ranking.ids).toEqual([
      "funding thesis",
      "lesson on patience",
      "lesson on size",
    ]);
    expect(graphOf(memory, "lesson on size")).toBeCloseTo(0.5 * 0.8, 12);
  });

  test.each(["type", "stored_type"] as const)(
    "with weights by %s, nothing changes",
    (edgeWeight) => {
      const memory = filled(make({ graphReach: true, edgeWeight, maxHops: 1 }));
      const before = [...ask(memory).ranking];
      expect(memory.strengthen([["funding thesis", "lesson on patience"]], 0.6).strengths).toEqual(
        Float64Array.of(1),
      );
      expect([...ask(memory).ranking]).toEqual(before);
    },
  );

  test("an edge grows once per call, to 1 at most, and only within a group", () => {
    const memory = filled(make({}));
    const all = ["lesson on patience", "funding thesis", "lesson on size", "nobody"];
    expect(memory.strengthen([all, all, [...all, ...all]], 0.3)).toEqual({
      ids: ["to size", "to patience"],
      strengths: Float64Array.of(0.8, 0.4 + 0.3),
    });
    expect(memory.strengthen([["funding thesis"], ["lesson on size"], []], 0.3).ids).toEqual([]);
    expect([...memory.strengthen([all], 1).strengths]).toEqual([1, 1]);
    expect(memory.strengthen([all], 1).ids).toEqual([]);
    expect(memory.strengthen([all], 0).ids).toEqual([]);
    expect(memory.getEdge("to patience")!.strength).toBe(1);
  });
});
