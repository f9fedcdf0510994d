// The benchmark's competitors of MemoryIndex answer as the reference does, and in every contest all
// answers agree.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import type { Contest, Deferred } from "../../benches/js/compare.ts";
import {
  aboutTime,
  makeLinks,
  makeNewQuestions,
  makeTextMemories,
  makeTextQuestions,
  vocabularyOf,
  WORDS,
} from "../../benches/js/evidence-inputs.ts";
import * as contests from "../../benches/js/memory-contests.ts";
import {
  DUE,
  makeCandidateColumns,
  makeDue,
  makeFading,
  makeQuestions,
  type ResidentEngine,
  STEP,
} from "../../benches/js/memory-inputs.ts";
import { FadingColumns } from "../../benches/js/rivals/memory-columns.ts";
import * as objects from "../../benches/js/rivals/memory-objects.ts";
import {
  ObviousCodes,
  ObviousMemory,
  ObviousVectors,
} from "../../benches/js/rivals/memory-obvious.ts";
import { TunedMemory } from "../../benches/js/rivals/memory-tuned.ts";
import { UnrolledCodes, UnrolledVectors } from "../../benches/js/rivals/memory-unrolled.ts";
import { tableOf } from "../../benches/js/token-tables.ts";
import { DECAY_LIFECYCLE_STATES, roundRetrievability } from "../../js/reference/decay.ts";
import { makeRandom, NOW, pick, SUBTYPES } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import { decayColumns as tunedDecay } from "../../js/reference/rivals/tuned-decay.ts";
import { prepareVectors, similar, type Vectors } from "../../js/reference/search.ts";
import { sweep as referenceSweep, type StoredNode } from "../../js/reference/sweep.ts";
import { runs, SEED } from "../support/amount.ts";
import { type GraphMemory, makeMemory, smallMemory } from "./inputs/graphs.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

// ---- ranking ------------------------------------------------------------------------------------

/** The first difference between the competitors and the reference. */
function rankingDifference(
  memory: GraphMemory,
  columns: Columns,
  now: number,
  limit: number,
): string | null {
  const edges = linked(memory);
  const obvious = new ObviousMemory();
  obvious.upsert(memory.nodes);
  obvious.link(edges);
  const tuned = new TunedMemory(memory.nodes, edges);
  const { ids, scores } = filled({ nodes: memory.nodes, edges }).rerank(columns, { now, limit });
  const expected = { ids, scores };
  const numbered = { ...columns, handles: tuned.handles(columns.ids) };
  return (
    same(obvious.rerank(columns, now, limit), expected, "obvious") ??
    same(tuned.rerankIds(columns, now, limit), expected, "tuned") ??
    same(tuned.rerank(numbered, now, limit), expected, "tuned by handles")
  );
}

type Columns = ReturnType<typeof makeCandidateColumns>;

/** The edges whose nodes exist. */
function linked({ nodes, edges }: GraphMemory) {
  const ids = new Set(nodes.map(({ id }) => id));
  return edges.filter(({ source_id, target_id }) => ids.has(source_id) && ids.has(target_id));
}

function filled({ nodes, edges }: GraphMemory): ReferenceMemory {
  const memory = new ReferenceMemory();
  memory.upsert(nodes);
  memory.link(edges);
  return memory;
}

describe("the competitors rank resident rows as the reference does", () => {
  test("over the inputs of the benches", () => {
    const memory = makeMemory({ nodes: 3_000, edges: 12_000, dimensions: 0, seed: SEED });
    for (const count of [1, 2, 50, 500, 3_000]) {
      const columns = makeCandidateColumns(memory, count, count);
      for (const limit of [0, 1, 20])
        expect(rankingDifference(memory, columns, NOW, limit)).toBeNull();
    }
  });

  test("with all scores equal", () => {
    const [first, ...others] = makeMemory({ nodes: 60, edges: 0, dimensions: 0, seed: SEED }).nodes;
    const memory = { nodes: [first!, ...others.map(({ id }) => ({ ...first!, id }))], edges: [] };
    const columns = makeCandidateColumns(memory, 60, 1);
    for (const column of [columns.semantic, columns.bm25, columns.graph]) column.fill(0.5);
    for (const limit of [1, 20, 60, 70])
      expect(rankingDifference(memory, columns, NOW, limit)).toBeNull();
  });

  test("over arbitrary memories and candidates, the same one twice among them", () => {
    const score = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 20, noNaN: true }));
    const now = fc.integer({ min: -900, max: 900 }).map((days) => NOW + days * DAY + 0.5);
    const cases = smallMemory(0)
      .filter(({ nodes }) => nodes.length > 0)
      .chain((memory) => {
        const id = fc.constantFrom(...memory.nodes.map((node) => node.id));
        const candidate = fc.record({ id, semantic: score, bm25: score, graph: score });
        return fc.tuple(
          fc.constant(memory),
          fc.array(candidate, { maxLength: 30 }),
          now,
          fc.nat({ max: 32 }),
        );
      });
    fc.assert(
      fc.property(cases, ([memory, candidates, now, limit]) => {
        const columns = {
          ids: candidates.map(({ id }) => id),
          semantic: Float64Array.from(candidates, ({ semantic }) => semantic),
          bm25: Float64Array.from(candidates, ({ bm25 }) => bm25),
          graph: Float64Array.from(candidates, ({ graph }) => graph),
        };
        expect(rankingDifference(memory, columns, now, limit)).toBeNull();
      }),
      runs(500),
    );
  });
});

// ---- similarity ---------------------------------------------------------------------------------

/** The tolerance between sums in different orders. */
const NEAR = 1e-5;

interface Found {
  ids: readonly string[];
  scores: ArrayLike<number>;
}

/**
 * The places where two answers differ by more than the order of sums explains; ids may swap places
 * if their scores are that near.
 */
function farApart(actual: Found, expected: Found, scoreOf: (id: string) => number): string | null {
  if (actual.ids.length !== expected.ids.length)
    return `${actual.ids.length} are not ${expected.ids.length}`;
  if (new Set(actual.ids).size !== actual.ids.length) return "an id is there twice";
  for (let i = 0; i < expected.ids.length; i++) {
    const score = expected.scores[i]!;
    const near = [actual.scores[i]!, scoreOf(actual.ids[i]!)].every(
      (other) => Math.abs(other - score) <= NEAR,
    );
    if (!near)
      return `place ${i}: ${actual.ids[i]} ${actual.scores[i]} is not ${expected.ids[i]} ${score}`;
  }
  return null;
}

function similarDifference(
  memory: GraphMemory,
  dimensions: number,
  query: Float32Array,
  limit: number,
): string | null {
  const { nodes } = memory;
  const answer = (form: Vectors["form"]) => {
    const all = similar(prepareVectors(nodes, form), query, Number.POSITIVE_INFINITY);
    const top = all.slice(0, limit);
    const found = {
      ids: top.map(({ id }) => id),
      scores: Float64Array.from(top, ({ score }) => score),
    };
    return { found, scores: new Map(all.map(({ id, score }) => [id, score])) };
  };
  const f32 = answer("f32");
  const i8 = answer("i8");
  const scoreOf = (id: string) => f32.scores.get(id) ?? Number.NaN;
  return (
    farApart(new ObviousVectors(nodes).similar(query, limit), f32.found, scoreOf) ??
    farApart(new UnrolledVectors(nodes, dimensions).similar(query, limit), f32.found, scoreOf) ??
    // Sums of integers are the same in any order.
    same(new ObviousCodes(nodes).similar(query, limit), i8.found, "obvious, i8") ??
    same(new UnrolledCodes(nodes, dimensions).similar(query, limit), i8.found, "unrolled, i8")
  );
}

describe("the competitors find the embeddings that the reference finds", () => {
  test("over the inputs of the benches", () => {
    for (const [nodes, dimensions] of [
      [1, 384],
      [50, 384],
      [2_001, 384],
      [2_002, 19],
      [1_999, 1],
    ] as const) {
      const memory = makeMemory({ nodes, edges: 0, dimensions, seed: nodes, unembedded: 0 });
      for (const { embedding } of makeQuestions(memory, 4, 1)) {
        for (const limit of [0, 1, 50])
          expect(similarDifference(memory, dimensions, embedding!, limit)).toBeNull();
      }
    }
  });

  test("with all embeddings equal", () => {
    const embedding = Float32Array.from({ length: 16 }, (_, i) => i - 7);
    const nodes = makeMemory({ nodes: 61, edges: 0, dimensions: 0, seed: SEED }).nodes.map(
      (node) => ({
        ...node,
        embedding,
      }),
    );
    const first = (limit: number) => nodes.slice(0, limit).map(({ id }) => id);
    for (const limit of [1, 20, 61]) {
      expect(new UnrolledVectors(nodes, 16).similar(embedding, limit).ids).toEqual(first(limit));
      expect(new UnrolledCodes(nodes, 16).similar(embedding, limit).ids).toEqual(first(limit));
    }
  });

  test("over arbitrary memories", () => {
    const component = fc.oneof(
      fc.constantFrom(-1, 0, 1),
      fc.float({ min: -2, max: 2, noNaN: true }),
    );
    const cases = fc.constantFrom(1, 3, 16, 19).chain((dimensions) => {
      const query = fc.array(component, { minLength: dimensions, maxLength: dimensions });
      return fc.tuple(fc.constant(dimensions), smallMemory(dimensions), query, fc.nat({ max: 12 }));
    });
    fc.assert(
      fc.property(cases, ([dimensions, memory, query, limit]) => {
        expect(similarDifference(memory, dimensions, Float32Array.from(query), limit)).toBeNull();
      }),
      runs(500),
    );
  });
});

// ---- sweeps -------------------------------------------------------------------------------------

const storedOf = (node: objects.FadingNode): StoredNode => ({
  id: node.id,
  subtype: node.subtype,
  state_lifecycle: node.lifecycle,
  neural_stability: node.stability,
  neural_retrievability: node.retrievability,
  neural_difficulty: 0.3,
  neural_access_count: 1,
  neural_last_accessed: node.last_accessed,
  provenance_created_at: node.created_at,
});

/** The changes of the reference's sweep, as columns. */
function swept(nodes: readonly objects.FadingNode[], now: number) {
  const { report, changes } = referenceSweep(nodes.map(storedOf), now);
  return {
    processed: report.processed,
    changes: {
      ids: changes.map(({ id }) => id),
      retrievability: Float64Array.from(changes, (change) => change.neural_retrievability),
      lifecycle: Uint8Array.from(changes, (change) => codeOf(change.state_lifecycle)),
    },
    transitions: report.transitions,
  };
}

const codeOf = (state: string) => (DECAY_LIFECYCLE_STATES as readonly string[]).indexOf(state);

/** A sweep with its changes as columns. */
function inColumns({ changes, ...rest }: objects.ObjectSweep) {
  return {
    ...rest,
    changes: {
      ids: changes.map(({ id }) => id),
      retrievability: Float64Array.from(changes, ({ retrievability }) => retrievability),
      lifecycle: Uint8Array.from(changes, ({ lifecycle }) => codeOf(lifecycle)),
    },
  };
}

function sweepDifference(nodes: readonly objects.FadingNode[], now: number): string | null {
  const expected = swept(nodes, now);
  const columns = new FadingColumns(nodes);
  return (
    same(inColumns(objects.sweep(nodes, now)), expected, "objects") ??
    same(columns.sweep(now), expected, "typed arrays") ??
    same(columns.sweep(now, tunedDecay), expected, "tuned")
  );
}

describe("the competitors sweep as the reference does", () => {
  test("over the inputs of the benches, with the stated number of changes", () => {
    for (const share of [0, 0.1, 1]) {
      const nodes = makeFading(20_000, share, 2);
      const { processed, changes, transitions } = swept(nodes, NOW);
      expect(processed).toBe(nodes.length);
      expect(changes.ids.length).toBe(share * nodes.length);
      expect(transitions.length).toBe((share * nodes.length) / 100);
      expect(sweepDifference(nodes, NOW)).toBeNull();
      expect(sweepDifference(nodes, NOW + 100 * DAY)).toBeNull();
    }
  });

  test("over arbitrary nodes", () => {
    const days = fc.oneof(
      fc.constantFrom(0, 1, 59, 60, 61, 120, 121),
      fc.double({ min: -10, max: 400, noNaN: true }),
    );
    const instant = days.map((each) => NOW - Math.round(each * DAY));
    const node: fc.Arbitrary<objects.FadingNode> = fc.record({
      id: fc.constantFrom("a", "b", "c"),
      subtype: fc.constantFrom(...SUBTYPES.map((subtype) => subtype ?? null), "constructor"),
      created_at: instant,
      last_accessed: fc.option(instant),
      stability: fc.oneof(
        fc.constantFrom(0, -1, 5e-324, 1e300),
        fc.double({ min: 0.5, max: 365, noNaN: true }),
      ),
      retrievability: fc.double({ min: 0, max: 1, noNaN: true }),
      lifecycle: fc.constantFrom(...DECAY_LIFECYCLE_STATES, "DELETED" as const),
    });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 40 }), (nodes) => {
        expect(sweepDifference(nodes, NOW)).toBeNull();
      }),
      runs(500),
    );
  });

  test("and round alike, including halves", () => {
    const random = makeRandom(SEED);
    const values = Array.from({ length: 50_000 }, () => random());
    const halves = Array.from({ length: 33 }, (_, i) => i / 32);
    const nearHalves = Array.from({ length: 10_000 }, (_, i) => (i + 0.5) / 10_000);
    for (const value of [...values, ...halves, ...nearHalves]) {
      if (objects.rounded(value) !== roundRetrievability(value)) expect.fail(`${value}`);
    }
  });

  test("over due nodes: each step takes a thousand, and no others are written", () => {
    const nodes = makeDue(60_000, 1);
    let due = 0;
    for (const step of [0, 1, 2, 20, 40]) {
      const { changes, transitions } = objects.sweep(nodes, NOW + step * STEP);
      expect(changes.length, `after step ${step}`).toBe(transitions.length);
      expect(Math.abs(transitions.length - step * DUE), `after step ${step}`).toBeLessThanOrEqual(
        5,
      );
      due = transitions.length;
    }
    expect(due).toBeGreaterThan(39_000);
  });
});

// ---- contests -----------------------------------------------------------------------------------

/**
 * The reference with the other methods of the contests. Its numbers are positions in a list of ids.
 */
class ReferenceIndex extends ReferenceMemory {
  readonly #numbered: string[] = [];

  handles(ids: readonly string[]): Uint32Array {
    return Uint32Array.from(ids, (id) => this.#numbered.push(id) - 1);
  }

  override rerank(
    { handles, ...columns }: nous.ResidentCandidates,
    options?: nous.ResidentRerankOptions,
  ) {
    const ids = handles && Array.from(handles, (handle) => this.#numbered[handle]!);
    return super.rerank(ids ? { ...columns, ids } : columns, options);
  }

  free(): void {}
}

const engines: [string, ResidentEngine][] = [
  ["the reference", { MemoryIndex: ReferenceIndex as never }],
  ["the package", nous],
];

/** Each contestant's answer to its first call. */
function answers({ make }: Deferred): { contest: Contest; given: Record<string, unknown> } {
  const contest = make();
  const entries = Object.entries(contest.contestants).map(([label, contestant]) => {
    if (typeof contestant === "function") return [label, contestant()] as const;
    contestant.prepare?.();
    return [label, contestant.run()] as const;
  });
  contest.close?.();
  return { contest, given: Object.fromEntries(entries) };
}

/** Lists of numbers of any kind as arrays, changes given as objects as columns. */
function plainly(answer: unknown): unknown {
  const sweep = answer as objects.ObjectSweep;
  const whole = Array.isArray(sweep.changes) ? inColumns(sweep) : answer;
  return JSON.parse(
    JSON.stringify(whole, (_, value) =>
      ArrayBuffer.isView(value) ? [...(value as never)] : value,
    ),
  );
}

describe.each(engines)("in a contest with %s all answers agree", (_, engine) => {
  const equal: Deferred[] = [
    contests.residentRerank(50, "ids", engine, 300),
    contests.residentRerank(200, "ids", engine, 300),
    contests.residentRerank(50, "handles", engine, 300),
    contests.similarTop(300, "i8", engine, 24),
    contests.searchByWords(engine, 1_500),
    contests.wholeSearch(engine, 300, 24),
    ...contests.CHANGING.map((share) => contests.sweep(share, engine, 1_000)),
  ];

  test.each(equal.map((contest) => [contest.name, contest] as const))("%s", (_, contest) => {
    const { given } = answers(contest);
    const expected = plainly(given.engine);
    for (const [label, answer] of Object.entries(given))
      expect(same(plainly(answer), expected, label)).toBeNull();
  });

  test("similar, f32", () => {
    const { given } = answers(contests.similarTop(300, "f32", engine, 24));
    const expected = given.engine as Found;
    expect(expected.ids.length).toBe(contests.SIMILAR_TOP);
    for (const answer of Object.values(given) as Found[]) {
      const scores = new Map(expected.ids.map((id, i) => [id, expected.scores[i]!]));
      const min = expected.scores[expected.ids.length - 1]!;
      expect(farApart(answer, expected, (id) => scores.get(id) ?? min)).toBeNull();
    }
  });

  test("transitions: each read finds the next thousand", () => {
    const { make } = contests.transitions(engine, 50_000);
    const { contestants, close } = make();
    const random = makeRandom(SEED);
    for (let call = 0; call < 6; call++) {
      const contestant = pick(random, Object.values(contestants));
      if (typeof contestant === "function") throw new Error("a call is not prepared");
      contestant.prepare?.();
      const found = contestant.run() as unknown[];
      expect(Math.abs(found.length - DUE)).toBeLessThanOrEqual(5);
    }
    close?.();
  });

  test("filling ends", () => {
    for (const contest of [contests.upsert(0, engine, 2_500), contests.upsert(24, engine, 2_500)])
      answers(contest);
    answers(contests.link(engine, 500, 2_000));
  });
});

describe("answers by evidence", () => {
  const vocabulary = vocabularyOf(tableOf(128));

  test("are those of the reference over the memories of the contests", () => {
    const embedder = new nous.Embedder(tableOf(128));
    const [index, reference] = [
      new nous.MemoryIndex({ embedder }),
      new ReferenceMemory({ embedder }),
    ];
    for (const memory of [index, reference]) {
      memory.upsert(makeTextMemories(vocabulary, 120), { now: NOW });
      memory.link(makeLinks(120));
    }
    const questions = makeTextQuestions(vocabulary, 4);
    for (const question of [...questions, ...questions.map(aboutTime)])
      expect(
        same(index.ask(question, { now: NOW }), reference.ask(question, { now: NOW })),
        question,
      ).toBeNull();
    index.free();
    embedder.free();
  });

  test("are asked in words of the promised number, each word of new questions once", () => {
    const words = makeNewQuestions(vocabulary).flatMap((text) => text.slice(0, -1).split(" "));
    expect(new Set(words).size).toBe(words.length);
    for (const { title, text } of makeTextMemories(vocabulary, 50))
      expect(`${title} ${text}`.split(" ")).toHaveLength(WORDS.memory);
    for (const question of makeTextQuestions(vocabulary, 20))
      expect(aboutTime(question).split(" ")).toHaveLength(WORDS.question);
  });
});
