// The growth switch: with it memories keep their salience, and a recall increases their stability
// by it; without it they keep no salience, and grow as before. A snapshot can be restored with or
// without the switch.

import fc from "fast-check";
import {
  createEngine,
  MemoryIndex,
  type MemoryNode,
  type NousError,
  SECTION_PROFILES,
} from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import { runs } from "../support/amount.ts";
import { contentOf, type Resident } from "./inputs/memories.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;
const ON = { config: { salienceGrowth: true } };
const OFF = { config: { salienceGrowth: false } };

/** Episodes of one age, from trivial to catastrophic, one of unknown salience, and a playbook. */
const NODES: MemoryNode[] = [
  ...[0, 0.1, 0.5, 0.8, 1, null].map((salience) => ({
    id: `${salience}`,
    subtype: "custom:trade",
    salience,
  })),
  { id: "playbook", subtype: "custom:playbook", salience: 1 },
].map((node) => ({ ...node, stability: 16, difficulty: 0.5, created_at: NOW - 4 * DAY }));
const IDS = NODES.map(({ id }) => id);

const MAKERS: [string, (options: typeof ON) => Resident][] = [
  ["index", (options) => new MemoryIndex(options)],
  ["reference", (options) => new ReferenceMemory(options)],
];

/** A memory of these nodes, each recalled once. */
function recalled(memory: Resident): Resident {
  memory.upsert(NODES, { now: NOW });
  memory.recall(IDS, NOW);
  return memory;
}

const grownIn = (memory: Resident) => IDS.map((id) => memory.get(id)!.stability);
const keptIn = (memory: Resident) => IDS.map((id) => memory.get(id)!.salience);
const NOTHING = IDS.map(() => undefined);
const PLAIN = [24, 24, 24, 24, 24, 24, 16];
const EMPHASISED = [18, 24 * (1 + (0.1 - 0.5) * 0.5), 24, 24 * (1 + (0.8 - 0.5) * 0.5), 30, 24, 16];

describe.each(MAKERS)("%s", (_, make) => {
  test("with the switch, salience is kept, and a recall uses it", () => {
    const memory = recalled(make(ON));
    expect(keptIn(memory)).toEqual([0, 0.1, 0.5, 0.8, 1, 0.5, 1]);
    expect(grownIn(memory)).toEqual(EMPHASISED);
    // A change keeps it, unless it sets another.
    memory.upsert([
      { id: "1", stability: 16 },
      { id: "0", stability: 16, salience: 0.75 },
      { id: "0.8", stability: 16, salience: null },
    ]);
    memory.recall(["1", "0", "0.8"], NOW);
    expect([memory.get("1")!.stability, memory.get("0")!.stability]).toEqual([30, 27]);
    expect(memory.get("0.8")).toMatchObject({ salience: 0.8, stability: EMPHASISED[3] });
    // A removed id that comes again is a new memory, and a cap still applies.
    memory.remove(["1"]);
    memory.upsert(
      [{ id: "1", subtype: "custom:trade", stability: 170, difficulty: 0, salience: 1 }],
      { now: NOW },
    );
    memory.recall(["1"], NOW);
    expect(memory.get("1")!.stability).toBe(SECTION_PROFILES.EPISODIC.decay.max_stability_days);
    memory.remove(["1"]);
    memory.upsert([{ id: "1" }], { now: NOW });
    expect(memory.get("1")!.salience).toBe(0.5);
  });

  test("without the switch, no salience is kept, and a recall works as before", () => {
    const memory = recalled(make(OFF));
    expect(keptIn(memory)).toEqual(NOTHING);
    expect(grownIn(memory)).toEqual(PLAIN);
  });
});

describe("the index with growth", () => {
  test("grows as the functions do, on either curve, and fades equally", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const days = fc.double({ min: 0.01, max: 200, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom("exponential" as const, "fsrs6" as const),
        fc.array(fc.tuple(days, unit, unit, days), { minLength: 1, maxLength: 12 }),
        (curve, rows) => {
          const config = { curve, salienceGrowth: true };
          const engine = createEngine(config);
          const index = new MemoryIndex({ config });
          index.upsert(
            rows.map(([stability, difficulty, salience, ago], i) => {
              const created_at = NOW - ago * DAY;
              return {
                id: `${i}`,
                subtype: "custom:lesson",
                stability,
                difficulty,
                salience,
                created_at,
              };
            }),
          );
          index.recall(
            rows.map((_, i) => `${i}`),
            NOW,
          );
          for (const [i, [stability, difficulty, salience]] of rows.entries()) {
            const node = index.get(`${i}`)!;
            const { decay } = SECTION_PROFILES.KNOWLEDGE;
            const recall = [decay, node.retrievability, salience] as const;
            expect(node.stability).toBe(
              engine.updateStabilityOnAccessForSection(stability, difficulty, ...recall),
            );
            expect(node.salience).toBe(salience);
          }
          for (const later of [30, 200, 900]) {
            const { transitions } = index.decay(NOW + later * DAY);
            expect(index.transitions(NOW + later * DAY)).toEqual(transitions);
          }
          index.free();
        },
      ),
      runs(200),
    );
  });

  test("uses eight more bytes per node, and none without the switch", () => {
    const nodes = Array.from({ length: 4096 }, (_, i) => ({ id: `n_${i}`, salience: 0.9 }));
    const [on, off, none] = [ON, OFF, {}].map((options) => {
      const index = new MemoryIndex(options);
      index.upsert(nodes, { now: NOW });
      const { bytes } = index;
      index.free();
      return bytes;
    }) as [MemoryIndex["bytes"], MemoryIndex["bytes"], MemoryIndex["bytes"]];
    expect(off).toEqual(none);
    expect(off.nodes / nodes.length).toBeLessThan(72);
    expect(on.nodes - off.nodes).toBe(8 * nodes.length);
    expect(on.nodes_capacity - off.nodes_capacity).toBe(8 * nodes.length);
  });

  test("refuses a batch with wrong salience, with or without the switch", () => {
    for (const options of [ON, OFF]) {
      const index = new MemoryIndex(options);
      recalled(index);
      const before = contentOf(index, [...IDS, "new"], []);
      for (const salience of [Number.NaN, -5e-324, 1 + Number.EPSILON, "0.5", 1n, {}] as never[]) {
        expect(() => index.upsert([{ id: "new" }, { id: "1", salience }])).toThrow(
          expect.objectContaining({
            code: "invalid_argument",
            details: { field: "salience", index: 1, id: "1" },
          } satisfies Partial<NousError>),
        );
      }
      expect(same(contentOf(index, [...IDS, "new"], []), before)).toBe(null);
      index.free();
    }
  });
});

describe("a snapshot with salience", () => {
  const version = (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(32, true);
  const taken = (options: typeof ON) => {
    const index = new MemoryIndex(options);
    recalled(index);
    const bytes = index.snapshot();
    index.free();
    return bytes;
  };
  const restored = (bytes: Uint8Array, options: typeof ON) => MemoryIndex.restore(bytes, options);

  test("contains it, and has a version of its own", () => {
    const bytes = taken(ON);
    const index = restored(bytes, ON);
    expect([version(bytes), version(taken(OFF))]).toEqual([4, 3]);
    expect(keptIn(index)).toEqual([0, 0.1, 0.5, 0.8, 1, 0.5, 1]);
    expect(index.snapshot()).toEqual(bytes);
    index.recall(["1"], NOW);
    expect(index.get("1")!.stability).toBe(30 * 1.5 * 1.25);
    index.free();
  });

  test("of an index without it is neutral in an index with the switch", () => {
    const index = restored(taken(OFF), ON);
    expect(keptIn(index)).toEqual(IDS.map(() => 0.5));
    index.recall(["1"], NOW);
    expect(index.get("1")!.stability).toBe(24 * 1.5);
    expect(version(index.snapshot())).toBe(4);
    index.free();
  });

  test("of an index with it is restored without it in an index without the switch", () => {
    const index = restored(taken(ON), OFF);
    expect(keptIn(index)).toEqual(NOTHING);
    expect(grownIn(index)).toEqual(EMPHASISED);
    index.recall(["1"], NOW);
    expect(index.get("1")!.stability).toBe(30 * 1.5);
    expect(version(index.snapshot())).toBe(3);
    index.free();
  });
});
