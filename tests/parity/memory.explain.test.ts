// Explanations: for each ranked node, the tree adds up to the score, number by number and to the
// bit; for each other node, the reason equals the reference's.

import fc from "fast-check";
import { type ExplainedNode, type Explanation, MemoryIndex, NousError } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import * as reference from "../../js/reference/search.ts";
import { runs, SEED } from "../support/amount.ts";
import {
  type GraphMemory,
  type GraphSearch,
  makeMemory,
  makeSearch,
  smallCase,
} from "./inputs/graphs.ts";
import { fill, queryOf, settingsOf } from "./inputs/memories.ts";

const DAY = 86_400_000;

const COMBINE: Record<NonNullable<Explanation["operation"]>, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  product: (a, b) => a * b,
  quotient: (a, b) => a / b,
  maximum: (a, b) => Math.max(a, b),
  minimum: (a, b) => Math.min(a, b),
};

/** The tree's value, after a check that every value in it follows from its parts. */
function checked(tree: Explanation, path = tree.name): number {
  const { value, operation, parts } = tree;
  if (typeof value !== "number") expect.fail(`${path} has no value`);
  if ((parts === undefined) !== (operation === undefined))
    expect.fail(`${path}: parts where there is an operation`);
  if (operation === undefined) return value;
  const values = parts!.map((part) => checked(part, `${path}/${part.name}`));
  const combine = COMBINE[operation];
  const combined = values.reduce((a, b) => combine(a, b));
  if (!Object.is(value, combined))
    expect.fail(`${path}: ${value} is not ${combined}, of ${values}`);
  return value;
}

/** All numbers of a tree. */
function* within(tree: Explanation): Generator<Explanation> {
  yield tree;
  for (const part of tree.parts ?? []) yield* within(part);
}

/** Counts of explained nodes, so that no test runs empty. */
interface Seen {
  ranked: number;
  hops: Set<string>;
  absent: Record<NonNullable<ExplainedNode["absent"]>, number>;
}

const newSeen = (): Seen => ({
  ranked: 0,
  hops: new Set(),
  absent: { filtered: 0, not_reached: 0, below_floor: 0, below_limit: 0 },
});

/**
 * Explains some nodes of a memory after a search, and compares with that search and with the
 * reference's steps.
 */
function compare(
  index: MemoryIndex,
  memory: GraphMemory,
  dimensions: number,
  search: GraphSearch,
  seen: Seen,
  config: Partial<reference.SearchConfig>,
  only: (id: string, place: number) => boolean = () => true,
): void {
  const query = queryOf(search);
  const { ranking } = index.search(query);
  const whole = index.search({ ...query, limit: Number.POSITIVE_INFINITY }).ranking;
  const { bm25 = [] } = search.query;
  const prepared = reference.prepareMemory(memory.nodes, memory.edges, { dimensions });
  const options = { ...search.options, config: { ...config, sections: query.sections ?? true } };
  const embedding = query.embedding as Float32Array | undefined;
  const report = reference.search(
    prepared,
    embedding === undefined ? { bm25 } : { embedding, bm25 },
    options,
  );
  const active = new Set(report.spread.activated.map(({ id }) => id));
  const edges = new Map(memory.edges.map((edge) => [edge.id, edge]));

  for (const node of memory.nodes) {
    const rank = ranking.ids.indexOf(node.id);
    const place = whole.ids.indexOf(node.id);
    if (!only(node.id, place)) continue;
    const explained = index.explain(node.id, query);
    expect(explained.id).toBe(node.id);
    expect(explained.rank, `rank of ${node.id}`).toBe(rank < 0 ? null : rank + 1);

    const passes = reference.nodePasses(node, search.options.filters ?? {}, search.options.now);
    const reason = active.has(node.id) ? "below_floor" : passes ? "not_reached" : "filtered";
    const absent = place < 0 ? reason : rank < 0 ? "below_limit" : undefined;
    expect(explained.absent, `why ${node.id} is absent`).toBe(absent);
    if (absent !== undefined) seen.absent[absent] += 1;
    if (place < 0) {
      expect(explained.score).toBeNull();
      continue;
    }

    seen.ranked += 1;
    const tree = explained.score!;
    const value = checked(tree);
    if (!Object.is(value, whole.scores[place]))
      expect.fail(`${node.id}: ${value} is not ${whole.scores[place]}`);
    const { breakdown } = whole.at(place)!;
    expect(tree.parts!.map(({ name }) => name)).toEqual(Object.keys(breakdown));
    tree.parts!.forEach(({ parts }, signal) => {
      const [weight, told] = parts!;
      expect(weight!.name).toBe("weight");
      const known = Object.values(breakdown)[signal];
      if (!Object.is(told!.value, known))
        expect.fail(`${node.id}: ${told!.name} is ${told!.value}, not ${known}`);
    });
    // An edge leads from the node that passed activation on; a chain of arrivals begins at a seed.
    const follow = (part: Explanation, to: string): void => {
      const { name, from, edge: id, note, parts } = part;
      if (name === "seed" && from === undefined && id === undefined) return;
      const { source_id, target_id } = edges.get(id!)!;
      const leads =
        (source_id === from && target_id === to) || (source_id === to && target_id === from);
      if (name !== "arrival" || !leads) expect.fail(`${name} from ${from} to ${to} over ${id}`);
      seen.hops.add(note!);
      follow(parts![0]!, from!);
    };
    for (const part of within(tree))
      if (part.name === "activation") for (const one of part.parts!) follow(one, node.id);
  }
}

/** Zeros have no direction, so they are not valid embeddings. */
const withoutZeros = ({ nodes, edges }: GraphMemory): GraphMemory => ({
  nodes: nodes.map((node) => ({
    ...node,
    embedding: node.embedding?.some((it) => it !== 0) ? node.embedding : null,
  })),
  edges,
});

function using(
  options: { dimensions: number; config: object },
  use: (index: MemoryIndex) => void,
): void {
  const index = new MemoryIndex(options);
  try {
    use(index);
  } finally {
    index.free();
  }
}

test("every node of every search of a small memory is explained", () => {
  const seen = newSeen();
  fc.assert(
    fc.property(smallCase, fc.boolean(), ({ memory, dimensions, query, options }, sections) => {
      const sound = withoutZeros(memory);
      const { sections: _, ...config } = options.config ?? {};
      using({ dimensions, config: { search: settingsOf(config) } }, (index) => {
        fill(index, sound);
        const search = { query, options: { ...options, config: { ...config, sections } } };
        compare(index, sound, dimensions, search, seen, config);
      });
    }),
    runs(500),
  );
  expect(seen.ranked).toBeGreaterThan(100);
  for (const [reason, count] of Object.entries(seen.absent))
    expect(count, reason).toBeGreaterThan(5);
  // Few seeds have a fourth hop.
  expect([...seen.hops].sort().slice(0, 3)).toEqual(["hop 1", "hop 2", "hop 3"]);
});

const SWITCHES: [string, Partial<reference.SearchConfig>][] = [
  ["as it is", {}],
  ["the largest activation", { aggregation: "max" }],
  ["graph reach", { graph_reach: true }],
  ["graph reach, the largest activation", { graph_reach: true, aggregation: "max" }],
  ["edges by stored type", { edge_weight: "stored_type", graph_reach: true }],
  ["learned edges", { edge_weight: "learned", graph_reach: true }],
  ["far and wide", { max_hops: 4, min_threshold: 0, max_nodes: 140, graph_reach: true }],
  ["no hop", { max_hops: 0 }],
  ["few nodes", { max_nodes: 20, graph_reach: true }],
  ["heavy seeds", { initial_activation: 3, dense_weight: 1, bm25_weight: 1, max_seeds: 3 }],
];

describe("a larger memory", () => {
  const content = makeMemory({
    nodes: 150,
    edges: 400,
    dimensions: 19,
    seed: SEED,
    unembedded: 0.1,
  });

  test.each(SWITCHES)("%s", (_, config) => {
    const seen = newSeen();
    using({ dimensions: 19, config: { search: settingsOf(config) } }, (index) => {
      fill(index, content);
      for (let i = 0; i < 5; i++) {
        const search = makeSearch(content, SEED + i);
        const options = { ...search.options, config: { ...config, sections: i % 2 === 0 } };
        const only = (id: string, place: number) => (place >= 0 && place < 9) || id.endsWith("7");
        compare(index, content, 19, { ...search, options }, seen, config, only);
      }
    });
    expect(seen.ranked).toBeGreaterThan(2);
  });

  test("sections that are off, moved or reweighted are explained as they rank", () => {
    const profiles = { KNOWLEDGE: { rerankingWeights: { semantic: 0.3, keyword: 0.2 } } };
    const subtypes = { "custom:trade": { section: "SIGNALS" } };
    for (const sections of [{ enabled: false }, { subtypes }, { profiles }]) {
      using({ dimensions: 19, config: { sections } }, (index) => {
        fill(index, content);
        const query = { ...queryOf(makeSearch(content, SEED)), max_seeds: undefined };
        const { ranking } = index.search({ ...query, filters: null, limit: 10 });
        expect(ranking.length).toBe(10);
        ranking.ids.forEach((id, place) => {
          const { rank, score } = index.explain(id, { ...query, filters: null, limit: 10 });
          expect(rank).toBe(place + 1);
          expect(checked(score!)).toBe(ranking.scores[place]);
        });
      });
    }
  });
});

/** Numbers at the limits: numbers that round to 0, zeros, and infinities. */
describe("extreme numbers", () => {
  const ask = { bm25: [{ id: "a", score: 2 }], limit: 5 };

  test.each<[string, object, object, number]>([
    ["an access 58 years ahead", { created_at: NOW + 21_170 * DAY }, {}, NOW],
    [
      "an access so far ahead that recency is infinite",
      { created_at: 8.64e15, access_count: 3 },
      {},
      NOW,
    ],
    ["an access so far back that recency is 0", { created_at: -8.64e15, access_count: 3 }, {}, NOW],
    ["as many accesses as can be", { access_count: 2 ** 32 - 1 }, {}, NOW],
    [
      "an activation that nearly overflows",
      {},
      { initialActivation: 1e308, bm25Weight: 1, minThreshold: 0 },
      NOW,
    ],
    ["weights of 0", {}, { denseWeight: 0, bm25Weight: 0, seedThreshold: 0 }, NOW],
    ["an activation that rounds to 0", {}, { initialActivation: 5e-324, minThreshold: 0 }, NOW],
  ])("%s", (_, fields, search, now) => {
    using({ dimensions: 0, config: { search } }, (index) => {
      index.upsert([{ id: "a", created_at: NOW - DAY, ...fields }, { id: "b" }], { now: NOW });
      index.link([{ id: "ab", source_id: "a", target_id: "b" }]);
      const score = index.search({ ...ask, now }).ranking.scores[0]!;
      const value = checked(index.explain("a", { ...ask, now }).score!);
      if (!Object.is(value, score)) expect.fail(`${value} is not ${score}`);
    });
  });
});

test("a score of NaN is refused as in a search", () => {
  const infinite = { search: { initialActivation: 1e308, bm25Weight: 1e308 } };
  for (const [config, fields] of [
    [infinite, {}],
    [{}, { created_at: 8.64e15, access_count: 0 }],
  ] as const) {
    using({ dimensions: 0, config }, (index) => {
      index.upsert([{ id: "b" }, { id: "a", ...fields }], { now: NOW });
      const query = { bm25: [{ id: "a", score: 2 }], now: NOW };
      for (const call of [() => index.search(query), () => index.explain("a", query)]) {
        expect(call).toThrow('score (id "a") is not a number');
      }
      expect(index.size).toBe(2);
    });
  }
});

test("a missing node is refused by its id", () => {
  using({ dimensions: 0, config: {} }, (index) => {
    index.upsert([{ id: "a" }, { id: "gone" }]);
    index.remove(["gone"]);
    for (const id of ["nobody", "", "gone", "__proto__", undefined, null, 7, {}]) {
      try {
        index.explain(id as string, { bm25: [{ id: "a", score: 1 }] });
      } catch (error) {
        expect(error).toBeInstanceOf(NousError);
        expect(error).toMatchObject({ code: "invalid_argument", details: { field: "id" } });
        continue;
      }
      expect.fail(`${String(id)} was explained`);
    }
    expect(() => index.explain("a", { embedding: [1] })).toThrow(NousError);
    expect(index.explain("a", { bm25: [{ id: "a", score: 1 }] }).rank).toBe(1);
  });
});

test("a removed edge or node is in no explanation", () => {
  using({ dimensions: 0, config: { search: { graphReach: true } } }, (index) => {
    index.upsert(
      ["a", "b", "c"].map((id) => ({ id })),
      { now: NOW },
    );
    index.link([
      { id: "old", source_id: "a", target_id: "b" },
      { id: "by", source_id: "a", target_id: "c" },
      { id: "on", source_id: "c", target_id: "b" },
    ]);
    const query = { bm25: [{ id: "a", score: 1 }], now: NOW };
    const ways = () =>
      [...within(index.explain("b", query).score!)].flatMap(({ edge }) => edge ?? []);
    expect(ways()).toContain("old");
    index.unlink(["old"]);
    index.link([{ id: "new", source_id: "b", target_id: "a" }]);
    expect(ways()).toContain("new");
    expect(ways()).not.toContain("old");
    index.remove(["c"]);
    expect(new Set(ways())).toEqual(new Set(["new"]));
    index.unlink(["new"]);
    expect(index.explain("b", query)).toEqual({
      id: "b",
      rank: null,
      absent: "not_reached",
      score: null,
    });
  });
});
