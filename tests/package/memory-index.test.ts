// MemoryIndex at its limits: a full index, freed memory, reentrant calls, a trapped instance, and
// the largest values. Memory use is measured in child processes.

import {
  type DecayChanges,
  MemoryIndex,
  type MemoryIndexOptions,
  type MemoryNode,
  NousError,
} from "nous-wasm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { amount, some } from "../support/amount.ts";
import {
  buildCountedCore,
  type CountedCore,
  countedModule,
  freshCore,
} from "./support/counted-engine.ts";
import { Project } from "./support/tarball.ts";

const MINUTES = 60_000;
const MiB = 2 ** 20;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 15);
const ALL = Number.POSITIVE_INFINITY;

const range = <T>(length: number, each: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => each(i));

/** Returns the error that a call throws, or undefined. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

const codeOf = (error: unknown) =>
  error instanceof NousError ? error.code : (error as Error | undefined)?.stack;

const indexes: MemoryIndex[] = [];
function newIndex(options: MemoryIndexOptions): MemoryIndex {
  const index = new MemoryIndex(options);
  indexes.push(index);
  return index;
}
afterEach(() => {
  for (const index of indexes.splice(0)) index.free();
});

// ---- full ---------------------------------------------------------------------------------------

const MAX = 64 * MiB;
const DIMENSIONS = 256;
const embedding = Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(i));

/**
 * Batches of nodes, each linked to its predecessor, until the index refuses one or reaches this
 * many bytes.
 */
function filled(
  bytes: number,
  dimensions = DIMENSIONS,
  maxBytes = MAX,
  salienceGrowth = false,
): MemoryIndex {
  const index = new MemoryIndex({
    dimensions,
    maxBytes,
    config: { search: { graphReach: true }, salienceGrowth },
  });
  let count = 0;
  for (const size of [1000, 50, 1]) {
    for (;;) {
      if (index.bytes.module >= bytes) return index;
      const nodes = range(
        size,
        (i): MemoryNode => ({
          id: `n_${count + i}`,
          subtype: ["custom:lesson", "custom:trade"][(count + i) % 2],
          tags: [`tag ${(count + i) % 40}`],
          created_at: NOW - ((count + i) % 400) * DAY,
          ...(dimensions > 0 ? { embedding: embedding.subarray(0, dimensions) } : {}),
        }),
      );
      const error = thrownBy(() => {
        index.upsert(nodes, { now: NOW });
        index.link(
          nodes.slice(1).map(({ id }, i) => ({
            id: `e_${id}`,
            source_id: nodes[i]!.id,
            target_id: id,
            strength: 0.3,
          })),
        );
      });
      if (index.has(nodes[0]!.id)) count += size;
      if (error === undefined) continue;
      expect(codeOf(error)).toBe("out_of_memory");
      break;
    }
  }
  return index;
}

/** A sample of the stored data and of answers. */
function sample(index: MemoryIndex) {
  const ids = [...index.ids()];
  const some = range(Math.min(40, ids.length), (i) => ids[Math.floor((i * ids.length) / 40)]!);
  return {
    size: index.size,
    edges: index.edgeCount,
    nodes: some.map((id) => index.get(id)),
    linked: some.map((id) => index.getEdge(`e_${id}`)),
    similar: index.similar(embedding, { limit: 3 }).scores,
    found: index.search({ bm25: [{ id: some[5] ?? "nobody", score: 1 }], now: NOW }).ranking.ids,
  };
}

const MILLION = 1_000_000;
const repeated = (ids: readonly string[]) => range(MILLION, (i) => ids[i % ids.length]!);

const DEMANDS: [string, (index: MemoryIndex, ids: string[]) => unknown][] = [
  ["a node", (index) => index.upsert([{ id: "new", embedding }])],
  [
    "thousands of nodes",
    (index) => index.upsert(range(20_000, (i) => ({ id: `new ${i}`, embedding }))),
  ],
  [
    "a hundred thousand bare nodes",
    (index) => index.upsert(range(100_000, (i) => ({ id: `new ${i}` }))),
  ],
  [
    "changes of all",
    (index, ids) => index.upsert(ids.map((id) => ({ id, access_count: 3, tags: [id] }))),
  ],
  [
    "a tag of 20 MiB",
    (index, ids) => index.upsert([{ id: ids[0]!, tags: ["x".repeat(20 * MiB)] }]),
  ],
  [
    "100,000 tags",
    (index, ids) => index.upsert([{ id: ids[0]!, tags: range(100_000, (i) => `many ${i}`) }]),
  ],
  ["an edge", (index, ids) => index.link([{ id: "new", source_id: ids[0]!, target_id: ids[9]! }])],
  [
    "a hundred thousand edges",
    (index, ids) =>
      index.link(
        range(100_000, (i) => ({
          id: `new ${i}`,
          source_id: ids[i % 999]!,
          target_id: ids[(7 * i) % 999]!,
        })),
      ),
  ],
  ["removing all", (index, ids) => index.remove(ids)],
  ["removing a few", (index, ids) => index.remove(ids.slice(0, 20))],
  ["unlinking all", (index, ids) => index.unlink(ids.map((id) => `e_${id}`))],
  ["touching a million", (index, ids) => index.touch(repeated(ids), NOW)],
  ["recalling a million", (index, ids) => index.recall(repeated(ids), NOW)],
  ["strengthening all", (index, ids) => index.strengthen([ids], 0.1)],
  ["ranking a million", (index, ids) => index.rerank({ ids: repeated(ids) }, { limit: ALL })],
  [
    "ranking 200,000",
    (index, ids) => index.rerank({ ids: repeated(ids).slice(0, 200_000) }, { limit: ALL }),
  ],
  ["ranking a million handles", (index) => index.rerank({ handles: new Uint32Array(MILLION) })],
  [
    "all as hits",
    (index, ids) =>
      index.search({ bm25: ids.map((id) => ({ id, score: 1 })), limit: ALL, now: NOW }),
  ],
  [
    "a million hits",
    (index, ids) =>
      index.search({ bm25: repeated(ids).map((id) => ({ id, score: 1 })), limit: ALL, now: NOW }),
  ],
  [
    "a filter of 100 MiB",
    (index) => index.search({ bm25: [], filters: { tags_any: ["x".repeat(100 * MiB)] }, now: NOW }),
  ],
  ["all that is similar", (index) => index.similar(embedding, { limit: ALL })],
  ["a sweep", (index) => index.decay(NOW + 900 * DAY)],
  [
    "the changes of a sweep",
    (index, ids) => {
      const columns = {
        retrievability: new Float64Array(MILLION),
        lifecycle: new Uint8Array(MILLION),
      };
      return index.applyDecay({ ids: repeated(ids), ...columns });
    },
  ],
  ["transitions", (index) => index.transitions(NOW + 900 * DAY)],
  [
    "an explanation",
    (index, ids) => index.explain(ids[7]!, { bm25: [{ id: ids[7]!, score: 1 }], now: NOW }),
  ],
  [
    "an explanation with all as hits",
    (index, ids) => index.explain(ids[7]!, { bm25: ids.map((id) => ({ id, score: 1 })), now: NOW }),
  ],
  ["a snapshot", (index) => index.snapshot()],
  ["a snapshot's parts, given up", (index) => index.snapshotParts().next()],
  ["handles of a million", (index, ids) => index.handles(repeated(ids))],
  ["nodes", (index, ids) => ids.slice(0, 1000).map((id) => index.get(id))],
];

/**
 * The temporary memory of a snapshot: four parts, 16 bytes per node and edge, and fragmentation.
 */
const SNAPSHOT = 24 * MiB;

const beyond = (module: number, max: number) =>
  expect.fail(`the module takes ${((module - max) / MiB).toFixed(2)} MiB more than it may`);

/** Makes each call, and compares the index before and after it. */
function demandAll(fill: () => MemoryIndex): void {
  // One index serves until a call changed it.
  let index: MemoryIndex | undefined;
  afterAll(() => index?.free());

  it.each(some(DEMANDS, 10))(
    "a full index answers %s or reports that there is no room, and stays unchanged",
    (name, ask) => {
      const asked = index ?? fill();
      index = undefined;
      // A full index can still be saved: a snapshot does not count against the limit.
      const max =
        Math.max(MAX, asked.bytes.module) + (name.startsWith("a snapshot") ? SNAPSHOT : 0);
      const before = sample(asked);
      const error = thrownBy(() => ask(asked, [...asked.ids()]));
      const after = sample(asked);
      const { module } = asked.bytes;
      if (module <= max && JSON.stringify(after) === JSON.stringify(before)) index = asked;
      else asked.free();
      if (error !== undefined) {
        expect(codeOf(error)).toBe("out_of_memory");
        expect((error as NousError).message.length).toBeLessThan(400);
        expect(after).toEqual(before);
      }
      if (module > max) beyond(module, max);
    },
  );
}

describe("a full index", () => {
  demandAll(() => filled(ALL));

  const limited: [string, number, boolean][] = [
    ["bare nodes", 0, false],
    ["bare nodes that keep what was at stake", 0, true],
    ["embeddings", DIMENSIONS, false],
  ];
  it.each(
    some(
      limited.flatMap((kind) => [8 * MiB, MAX].map((max) => [...kind, max] as const)),
      3,
    ),
  )("stays within its limit: %s", (_, dimensions, salienceGrowth, max) => {
    const index = filled(ALL, dimensions, max, salienceGrowth);
    const { module } = index.bytes;
    index.free();
    if (module > max) beyond(module, max);
    expect(module, "and not much less").toBeGreaterThan(0.6 * max);
  });

  const contents: [string, number, number][] = [
    ["embeddings", 8 * MiB, DIMENSIONS],
    ["bare nodes", 8 * MiB, 0],
    ["embeddings", MAX, DIMENSIONS],
    ["bare nodes", MAX, 0],
  ];
  it.each(some(contents, 2))(
    "can be saved and restored completely: %s in %d bytes",
    (_, max, dimensions) => {
      const index = filled(ALL, dimensions, max);
      const sizes = [index.size, index.edgeCount];
      const middle = `n_${Math.floor(index.size / 2)}`;
      const parts: Uint8Array[] = [];
      for (const part of index.snapshotParts()) {
        // A full index can be searched while it is being saved.
        expect(
          index.search({ bm25: [{ id: middle, score: 1 }], limit: 1, now: NOW }).ranking.ids,
        ).toEqual([middle]);
        parts.push(part);
      }
      expect(index.bytes.module).toBeLessThan(max + SNAPSHOT);
      expect(
        codeOf(thrownBy(() => index.upsert(range(100_000, (i) => ({ id: `more ${i}` }))))),
      ).toBe("out_of_memory");
      const restored = MemoryIndex.restore(parts, { maxBytes: 2 * max });
      expect([restored.size, restored.edgeCount]).toEqual(sizes);
      expect(restored.get(middle)).toEqual(index.get(middle));
      expect(Buffer.compare(restored.snapshot(), index.snapshot())).toBe(0);
      restored.free();
      index.free();
    },
  );

  const OWN: [string, (from: number) => MemoryNode[]][] = [
    [
      "tags that one node has had",
      (from) => range(20, (i) => ({ id: "a", tags: [`tag ${from + i}`] })),
    ],
    [
      "clusters that one node has had",
      (from) => range(20, (i) => ({ id: "a", clusters: [`c ${from + i}`] })),
    ],
    [
      "a tag of each node's own",
      (from) => range(20, (i) => ({ id: `n_${from + i}`, tags: [`tag ${from + i}`] })),
    ],
    [
      "a set of each node's own",
      (from) =>
        range(20, (i) => ({
          id: `n_${from + i}`,
          tags: [`tag ${(from + i) % 800}`, `other ${Math.floor((from + i) / 800)}`],
        })),
    ],
  ];

  it.each(some(OWN, 1))("stays within its limit: %s", (_, nodes) => {
    const index = newIndex({ maxBytes: MAX });
    let error: unknown;
    for (let from = 0; error === undefined && from < 4 * MILLION; from += 20) {
      error = thrownBy(() => index.upsert(nodes(from)));
    }
    expect(codeOf(error)).toBe("out_of_memory");
    const { module } = index.bytes;
    if (module > MAX) beyond(module, MAX);
    expect(module, "and not much less").toBeGreaterThan(0.6 * MAX);
  });

  it("finds due changes within its limit, in any order of nodes", () => {
    const index = newIndex({ maxBytes: MAX });
    const nodes = (from: number, size: number) =>
      range(size, (i) => ({
        id: `n_${from + i}`,
        sequence: 9e9 - from - i,
        created_at: NOW - 400 * DAY,
      }));
    let count = 0;
    for (const size of [1000, 10]) {
      while (
        thrownBy(() => index.upsert(nodes(count, size), { now: NOW - 400 * DAY })) === undefined
      )
        count += size;
    }
    for (const ask of [() => index.transitions(NOW), () => index.decay(NOW)]) {
      const error = thrownBy(ask);
      if (error !== undefined) expect(codeOf(error)).toBe("out_of_memory");
      const { module } = index.bytes;
      if (module > MAX) beyond(module, MAX);
    }
    expect(index.size).toBe(count);
  });

  const kinds: [string, number][] = [
    ["bare nodes", 0],
    ["embeddings", 64],
  ];
  it.each(some(kinds, 1))("has room for as much again after removals: %s", (_, dimensions) => {
    const max = 12 * MiB;
    for (const share of [0.1, 0.5, 1]) {
      const index = filled(ALL, dimensions, max);
      const ids = [...index.ids()];
      const gone = ids.slice(0, Math.floor(share * ids.length));
      for (let from = 0; from < gone.length; from += 500)
        index.remove(gone.slice(from, from + 500));
      expect(index.size).toBe(ids.length - gone.length);
      // Nine in ten are removed, one by one and in batches: free lists may have grown.
      const back = gone.slice(0, Math.floor(0.9 * gone.length));
      const nodes = back.map((id) => ({
        id,
        ...(dimensions > 0 ? { embedding: embedding.subarray(0, dimensions) } : {}),
      }));
      for (let from = 0; from < nodes.length; ) {
        const size = from < 100 ? 1 : 200;
        const error = thrownBy(() => index.upsert(nodes.slice(from, from + size)));
        if (error !== undefined)
          expect.fail(`${share}: after ${from} of ${gone.length}, ${(error as Error).message}`);
        from += size;
      }
      index.free();
    }
  });
});

describe("a half-full index", () => {
  demandAll(() => filled(MAX / 2));
});

describe("a batch that alone is too large", () => {
  const batches: [string, (index: MemoryIndex) => unknown][] = [
    ["of a million nodes", (index) => index.upsert(range(MILLION, (i) => ({ id: `new ${i}` })))],
    [
      "of embeddings",
      (index) => index.upsert(range(70_000, (i) => ({ id: `new ${i}`, embedding }))),
    ],
    [
      "of a million edges",
      (index) =>
        index.link(range(MILLION, (i) => ({ id: `new ${i}`, source_id: "a", target_id: "b" }))),
    ],
    [
      "of one id a million times",
      (index) => index.upsert(range(MILLION, () => ({ id: "a", stability: 1 }))),
    ],
  ];
  it.each(some(batches, 1))("is refused completely: %s", (_, ask) => {
    const index = newIndex({ dimensions: DIMENSIONS, maxBytes: MAX });
    index.upsert([{ id: "a" }, { id: "b" }], { now: NOW });
    index.link([{ id: "ab", source_id: "a", target_id: "b" }]);
    const report = () => [
      [...index.ids()],
      index.get("a"),
      index.get("b"),
      index.getEdge("ab"),
      index.edgeCount,
    ];
    const before = report();
    expect(codeOf(thrownBy(() => ask(index)))).toBe("out_of_memory");
    expect(report()).toEqual(before);
    const { module } = index.bytes;
    if (module > MAX) beyond(module, MAX);
  });
});

describe("a graph in which every node is linked to every other", () => {
  const NODES = 600;
  const edges = range(NODES * NODES, (i) => [i % NODES, Math.floor(i / NODES)] as const)
    .filter(([source, target]) => source < target)
    .map(([source, target]) => ({
      id: `${source} ${target}`,
      source_id: `n_${source}`,
      target_id: `n_${target}`,
      type: "same_entity",
    }));

  function linked(search: object): MemoryIndex {
    const index = newIndex({
      maxBytes: MAX,
      config: { search: { maxNodes: MILLION, graphReach: true, ...search } },
    });
    index.upsert(range(NODES, (i) => ({ id: `n_${i}` })));
    for (let from = 0; from < edges.length; from += 20_000)
      index.link(edges.slice(from, from + 20_000));
    return index;
  }

  const bm25 = range(4, (i) => ({ id: `n_${i}`, score: 1 }));
  const ASKED: [string, object, (index: MemoryIndex) => unknown][] = [
    ["searched", {}, (index) => index.search({ bm25 })],
    [
      "searched without a threshold",
      { minThreshold: 0, hopDecay: 1 },
      (index) => index.search({ bm25 }),
    ],
    ["searched over two hops", { maxHops: 2 }, (index) => index.search({ bm25 })],
    [
      "searched for connections",
      { maxHops: 2 },
      (index) => index.search({ bm25, include_connections: true }),
    ],
    ["explained", {}, (index) => index.explain("n_0", { bm25 })],
    ["explained over two hops", { maxHops: 2 }, (index) => index.explain("n_0", { bm25 })],
    ["strengthened", {}, (index) => index.strengthen([[...index.ids()]], 0.1)],
    ["emptied", {}, (index) => index.remove([...index.ids()].slice(1))],
  ];

  it.each(ASKED)("is %s within the limit, or there is no room", (_, search, ask) => {
    const index = linked(search);
    const began = performance.now();
    const error = thrownBy(() => ask(index));
    expect(performance.now() - began).toBeLessThan(10_000);
    if (error !== undefined) expect(codeOf(error)).toBe("out_of_memory");
    expect(index.get("n_0")!.id).toBe("n_0");
    const { module } = index.bytes;
    if (module > MAX) beyond(module, MAX);
  });
});

// ---- freed memory -------------------------------------------------------------------------------

/** A small memory with data for every method. */
function small(options: MemoryIndexOptions = {}): MemoryIndex {
  const index = newIndex({ dimensions: 2, ...options });
  const dates = { created_at: NOW - 90 * DAY, last_accessed: NOW - 60 * DAY };
  index.upsert(
    ["a", "b", "c", "d", "e"].map((id, i) => ({
      id,
      embedding: [1, i],
      tags: ["t", id],
      ...dates,
    })),
    { now: NOW },
  );
  index.link(
    ["ab", "bc", "cd", "de"].map((id) => ({
      id,
      source_id: id[0]!,
      target_id: id[1]!,
      type: "causes",
      strength: 0.5,
    })),
  );
  return index;
}

const CHANGES: DecayChanges = {
  ids: ["a", "b", "c"],
  retrievability: Float64Array.of(0.5, 0.25, 0.125),
  lifecycle: Uint8Array.of(1, 2, 3),
};

const METHODS: [string, (index: MemoryIndex) => unknown][] = [
  ["upsert", (index) => index.upsert([{ id: "a" }])],
  ["upsert of nothing", (index) => index.upsert([])],
  ["remove", (index) => index.remove(["a"])],
  ["link", (index) => index.link([{ id: "ab", source_id: "a", target_id: "b" }])],
  ["link of nothing", (index) => index.link([])],
  ["unlink", (index) => index.unlink(["ab"])],
  ["has", (index) => index.has("a")],
  ["get", (index) => index.get("a")],
  ["getAll", (index) => index.getAll(["a"])],
  ["getEdge", (index) => index.getEdge("ab")],
  ["ids", (index) => index.ids()],
  ["handles", (index) => index.handles([])],
  ["touch", (index) => index.touch(["a"])],
  ["recall", (index) => index.recall(["a"])],
  ["strengthen", (index) => index.strengthen([["a", "b"]], 0.1)],
  ["rerank", (index) => index.rerank({ ids: ["a"] })],
  ["search", (index) => index.search({ bm25: [{ id: "a", score: 1 }] })],
  ["similar", (index) => index.similar([1, 2])],
  ["decay", (index) => index.decay(NOW)],
  ["applyDecay", (index) => index.applyDecay(CHANGES)],
  ["transitions", (index) => index.transitions(NOW)],
  ["explain", (index) => index.explain("a", { bm25: [{ id: "a", score: 1 }] })],
  ["snapshot", (index) => index.snapshot()],
  ["snapshotParts", (index) => [...index.snapshotParts()]],
  ["size", (index) => index.size],
  ["edgeCount", (index) => index.edgeCount],
  ["embeddingId", (index) => index.embeddingId],
  ["bytes", (index) => index.bytes],
];

/** Frees through `Symbol.dispose`, which `using` of TypeScript calls, if the symbol exists. */
const WAYS: [string, (index: MemoryIndex) => void][] = [
  ["free", (index) => index.free()],
  ["Symbol.dispose", (index) => index[Symbol.dispose]()],
];

describe.each(WAYS)("after %s", (_, free) => {
  it.each(METHODS)("%s reports it", (_, call) => {
    const index = small();
    expect(call(index)).toBeDefined();
    const other = small();
    free(index);
    for (let time = 0; time < 2; time++) {
      expect(codeOf(thrownBy(() => call(index)))).toBe("freed");
      expect(thrownBy(() => free(index))).toBeUndefined();
    }
    expect(call(other)).toBeDefined();
  });

  it("earlier results stay readable, and a snapshot yields no further part", () => {
    const index = small();
    const { ranking } = index.search({ bm25: [{ id: "a", score: 1 }], now: NOW });
    const [similar, sweep] = [index.similar([1, 2]), index.decay(NOW + 900 * DAY)];
    const read = () =>
      JSON.stringify([[...ranking], [...similar.scores], [...sweep.changes.retrievability]]);
    const before = read();
    const [begun, asked] = [index.snapshotParts(), index.snapshotParts()];
    begun.next();
    free(index);
    expect(read()).toBe(before);
    for (const parts of [begun, asked]) expect(codeOf(thrownBy(() => parts.next()))).toBe("freed");
  });
});

describe("the memory", () => {
  let project: Project;
  beforeAll(async () => {
    project = await Project.create();
  }, 2 * MINUTES);
  afterAll(() => project?.remove());

  const PREAMBLE = `
    import { MemoryIndex } from "nous-wasm";
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const settle = async () => { for (let turn = 0; turn < 6; turn++) { gc(); await sleep(5); } };
    const mib = () => process.memoryUsage().rss / 2 ** 20;
    const make = (nodes, edges) => {
      const index = new MemoryIndex({ dimensions: 8 });
      index.upsert(Array.from({ length: nodes }, (_, i) => ({ id: "n" + i, tags: ["t" + i % 9], embedding: [1, 2, 3, 4, 5, 6, 7, i] })));
      index.link(Array.from({ length: edges }, (_, i) => ({ id: "e" + i, source_id: "n" + i % nodes, target_id: "n" + (7 * i) % nodes })));
      index.search({ embedding: [1, 2, 3, 4, 5, 6, 7, 8], bm25: [{ id: "n1", score: 1 }] });
      return index;
    };
  `;
  const measured = async (name: string, program: string) =>
    JSON.parse(await project.node(`${name}.mjs`, PREAMBLE + program, "--expose-gc"));

  it("of freed indexes is given back", async () => {
    const { first, last } = await measured(
      "freed",
      `
      let first;
      for (let made = 1; made <= ${amount(1000, 400)}; made++) {
        make(200, 100).free();
        if (made % 20 === 0) await sleep(0);
        if (made === 100) { await settle(); first = mib(); }
      }
      await settle();
      console.log(JSON.stringify({ first, last: mib() }));
    `,
    );
    expect(last - first, `from ${first} to ${last} MiB`).toBeLessThan(40);
  });

  it("of garbage-collected indexes is given back", async () => {
    const { collected, first, last } = await measured(
      "forgotten",
      `
      let collected = 0;
      const registry = new FinalizationRegistry(() => collected++);
      let first;
      for (let made = 1; made <= 400; made++) {
        registry.register(make(200, 100));
        if (made % 20 === 0) await sleep(0);
        if (made === 100) { await settle(); first = mib(); }
      }
      await settle();
      console.log(JSON.stringify({ collected, first, last: mib() }));
    `,
    );
    expect(collected).toBeGreaterThanOrEqual(399);
    expect(last - first, `from ${first} to ${last} MiB`).toBeLessThan(40);
  });

  // Node 24 needs a fifth more for an instance than Node 20, which stays below 200 MB.
  it("of four hundred small indexes is below 265 MB", async () => {
    const { first, last, found } = await measured(
      "small",
      `
      make(100, 200);
      await settle();
      const first = mib();
      const all = Array.from({ length: 400 }, () => make(100, 200));
      await settle();
      const last = mib();
      const found = all.filter((index) => index.search({ bm25: [{ id: "n1", score: 1 }] }).ranking.ids[0] === "n1").length;
      console.log(JSON.stringify({ first, last, found }));
    `,
    );
    expect(found).toBe(400);
    expect((last - first) * 1.048576, `from ${first} to ${last} MiB`).toBeLessThan(265);
  });
});

// ---- reentrant calls ----------------------------------------------------------------------------

describe("reentrant calls", () => {
  type Action = (index: MemoryIndex) => unknown;
  const ACTIONS: [string, Action][] = [
    [
      "a search",
      (index) =>
        index.search({
          embedding: [1, 2],
          bm25: [{ id: "d", score: 1 }],
          include_connections: true,
        }),
    ],
    [
      "a new node",
      (index) => index.upsert([{ id: "new", embedding: [7, 1], tags: ["new"], created_at: NOW }]),
    ],
    [
      "many new nodes",
      (index) =>
        index.upsert(range(3000, (i) => ({ id: `new ${i}`, created_at: NOW, embedding: [i, 1] }))),
    ],
    [
      "a change of what is read",
      (index) => index.upsert([{ id: "b", stability: 7, tags: ["other"] }]),
    ],
    ["the removal of what is read", (index) => index.remove(["b", "a"])],
    [
      "the removal and return of what is read",
      (index) => (index.remove(["b"]), index.upsert([{ id: "b", created_at: NOW }])),
    ],
    [
      "another in the place of what was read",
      (index) => (index.remove(["a"]), index.upsert([{ id: "z", created_at: NOW }])),
    ],
    [
      "edges that go and come",
      (index) => (index.unlink(["ab"]), index.link([{ id: "zz", source_id: "e", target_id: "a" }])),
    ],
    ["a sweep", (index) => index.applyDecay(index.decay(NOW + 900 * DAY).changes)],
    ["a ranking", (index) => index.rerank({ ids: ["e", "d"] })],
    ["a snapshot", (index) => index.snapshot()],
    [
      "what is refused",
      (index) => thrownBy(() => index.upsert([{ id: "x" }, { id: "b", stability: Number.NaN }])),
    ],
    ["free", (index) => index.free()],
  ];

  /** An object of which one field runs a function on its first read. */
  const reading = <T extends object>(object: T, field: keyof T, run: () => void): T => {
    const value = object[field];
    let ran = false;
    return Object.defineProperty(object, field, {
      enumerable: true,
      configurable: true,
      get: () => {
        if (!ran) {
          ran = true;
          run();
        }
        return value;
      },
    });
  };
  const moment = (ms: number, run: () => void): Date =>
    Object.defineProperty(new Date(ms), "getTime", { value: () => (run(), ms) });
  const IDS = () => ["a", "b", "c"];
  /** A list behind a proxy that runs a function when an entry is read. */
  const proxied = <T>(list: T[], run: () => void): T[] => {
    let ran = false;
    return new Proxy(list, {
      get(target, key, receiver) {
        if (key === "1" && !ran) {
          ran = true;
          run();
        }
        return Reflect.get(target, key, receiver);
      },
    });
  };

  const BATCHES: [string, (index: MemoryIndex, run: () => void) => unknown][] = [
    ...(["id", "stability", "salience", "tags", "embedding", "sequence", "type"] as const).map(
      (field): (typeof BATCHES)[number] => [
        `a node's ${field}`,
        (index, run) => {
          const nodes: MemoryNode[] = [
            { id: "a", embedding: [3, 4], tags: ["x"], sequence: 100 },
            {
              id: "b",
              embedding: [5, 1],
              tags: ["y"],
              sequence: 101,
              type: "note",
              stability: 3,
              salience: 1,
            },
            { id: "fresh", embedding: [1, 1], tags: ["x", "y"], sequence: 102, created_at: NOW },
          ];
          reading(nodes[1]!, field, run);
          return index.upsert(nodes, { now: NOW });
        },
      ],
    ),
    [
      "a node's tag",
      (index, run) =>
        index.upsert(
          [
            { id: "a", tags: proxied(["x", "y"], run) },
            { id: "b", stability: 4 },
          ],
          { now: NOW },
        ),
    ],
    [
      "a component of an embedding",
      (index, run) =>
        index.upsert(
          [
            { id: "a", embedding: proxied([3, 4], run) },
            { id: "b", embedding: [9, 1] },
          ],
          { now: NOW },
        ),
    ],
    [
      "a list of nodes",
      (index, run) =>
        index.upsert(
          proxied(
            [
              { id: "a", stability: 1 },
              { id: "b", stability: 2 },
            ],
            run,
          ),
          { now: NOW },
        ),
    ],
    [
      "the moment of a batch",
      (index, run) => index.upsert([{ id: "b" }, { id: "fresh" }], { now: moment(NOW, run) }),
    ],
    ["a list of ids to remove", (index, run) => index.remove(proxied(IDS(), run))],
    ...(["id", "source_id", "target_id", "strength"] as const).map(
      (field): (typeof BATCHES)[number] => [
        `an edge's ${field}`,
        (index, run) => {
          const edges = [
            { id: "ab", source_id: "a", target_id: "b", strength: 0.25 },
            { id: "eb", source_id: "e", target_id: "b", strength: 0.75 },
            { id: "ce", source_id: "c", target_id: "e" },
          ];
          reading(edges[1]!, field, run);
          return index.link(edges);
        },
      ],
    ),
    ["a list of edges to remove", (index, run) => index.unlink(proxied(["ab", "bc", "cd"], run))],
    ["a list of ids to touch", (index, run) => index.touch(proxied(IDS(), run), NOW)],
    ["the moment of a touch", (index, run) => index.touch(IDS(), moment(NOW, run))],
    ["a list of ids to recall", (index, run) => index.recall(proxied(IDS(), run), NOW)],
    ["a group", (index, run) => index.strengthen([IDS(), proxied(["b", "c", "d"], run)], 0.1)],
    ["a list of groups", (index, run) => index.strengthen(proxied([IDS(), ["d", "e"]], run), 0.1)],
    ["a list of ids for handles", (index, run) => [...index.handles(proxied(IDS(), run))]],
    [
      "a list of candidates",
      (index, run) => [
        ...index.rerank({ ids: proxied(IDS(), run), bm25: [3, 2, 1] }, { now: NOW }),
      ],
    ],
    [
      "a column",
      (index, run) => [
        ...index.rerank({ ids: IDS(), bm25: proxied([3, 2, 1], run) }, { now: NOW }),
      ],
    ],
    [
      "the moment of a ranking",
      (index, run) => [...index.rerank({ ids: IDS() }, { now: moment(NOW, run) })],
    ],
    [
      "a hit's score",
      (index, run) => {
        const bm25 = IDS().map((id, i) => ({ id, score: i + 1 }));
        reading(bm25[1]!, "score", run);
        const { ranking, ...rest } = index.search({
          embedding: [1, 2],
          bm25,
          now: NOW,
          include_connections: true,
        });
        return [[...ranking], rest];
      },
    ],
    [
      "a component of a query",
      (index, run) => [
        ...index.search({
          embedding: proxied([1, 2], run),
          bm25: [{ id: "b", score: 1 }],
          now: NOW,
        }).ranking,
      ],
    ],
    [
      "a filter",
      (index, run) => [
        ...index.search({
          embedding: [1, 2],
          filters: { tags_any: proxied(["t", "a"], run) },
          now: NOW,
        }).ranking,
      ],
    ],
    ["what is similar", (index, run) => index.similar(proxied([1, 2], run), { now: NOW })],
    ["the moment of a sweep", (index, run) => index.decay(moment(NOW + 900 * DAY, run))],
    ["the moment of transitions", (index, run) => index.transitions(moment(NOW + 900 * DAY, run))],
    [
      "a list of changes",
      (index, run) => index.applyDecay({ ...CHANGES, ids: proxied(IDS(), run) }),
    ],
    [
      "a change",
      (index, run) =>
        index.applyDecay({ ...CHANGES, retrievability: proxied([0.5, 0.25, 0.125], run) as never }),
    ],
    [
      "an explanation",
      (index, run) =>
        index.explain("b", reading({ bm25: [{ id: "b", score: 1 }], now: NOW }, "bm25", run)),
    ],
  ];

  /** All observable state of an index; empty for a freed one. */
  const report = (index: MemoryIndex) => {
    if (codeOf(thrownBy(() => index.size)) === "freed") return "freed";
    const ids = [...index.ids()];
    const { ranking, ...rest } = index.search({
      embedding: [1, 2],
      bm25: [{ id: "c", score: 1 }],
      now: NOW,
      include_connections: true,
    });
    return {
      nodes: ids.slice(0, 50).map((id) => index.get(id)),
      edges: ["ab", "bc", "cd", "de", "eb", "ce", "zz"].map((id) => index.getEdge(id)),
      count: [index.size, index.edgeCount],
      found: [[...ranking], rest],
      similar: index.similar([1, 3]),
      decay: index.decay(NOW + 90 * DAY),
      transitions: index.transitions(NOW + 90 * DAY),
      snapshot: MemoryIndex.restore(index.snapshot()).size,
    };
  };

  /** Returns the answer, or the code of the error. */
  const answer = (call: () => unknown): unknown => {
    try {
      return call();
    } catch (error) {
      return codeOf(error);
    }
  };

  const pairs = BATCHES.flatMap(([batch, call]) =>
    ACTIONS.map(([name, action]) => [batch, name, call, action] as const),
  );
  it.each(some(pairs, 120))(
    "while %s is read, %s acts as if it had come first",
    (_, __, call, action) => {
      const [nested, plain] = [small(), small()];
      let ran = 0;
      const actual = answer(() => call(nested, () => (ran++, action(nested))));
      expect(ran).toBe(1);
      action(plain);
      expect(actual).toEqual(answer(() => call(plain, () => {})));
      expect(report(nested)).toEqual(report(plain));
    },
  );

  it("are right at any depth", () => {
    const index = small();
    const down = (depth: number): void => {
      const nodes: MemoryNode[] = [
        { id: `deep ${depth}`, embedding: [1, depth] },
        { id: "a", stability: 100 + depth },
      ];
      if (depth > 0) reading(nodes[1]!, "stability", () => down(depth - 1));
      index.upsert(nodes, { now: NOW });
      expect(index.search({ bm25: [{ id: `deep ${depth}`, score: 1 }] }).ranking.ids).toEqual([
        `deep ${depth}`,
      ]);
    };
    down(60);
    expect(index.size).toBe(66);
    expect(index.get("a")!.stability).toBe(160);
    expect(range(61, (i) => index.get(`deep ${i}`)!.has_embedding)).toEqual(range(61, () => true));
  });

  it("leave no trace if they throw", () => {
    for (const [name, call] of BATCHES) {
      const index = small();
      const before = report(index);
      const mine = new Error("mine");
      const thrown = thrownBy(() =>
        call(index, () => {
          throw mine;
        }),
      );
      expect(thrown, name).toBe(mine);
      expect(report(index), name).toEqual(before);
    }
  });

  // Numbers are written straight into the module's memory: their values at the time of reading
  // count, and no other memory is overwritten.
  describe("that change numbers after they were read", () => {
    type Resizable = ArrayBuffer & { resize(bytes: number): void };
    const bytesOf = (count: number): ArrayBuffer =>
      Reflect.construct(ArrayBuffer, [4 * count, { maxByteLength: MiB }]) as ArrayBuffer;
    const grow = (buffer: ArrayBuffer) => (buffer as Resizable).resize(4096);
    const shrink = (buffer: ArrayBuffer) => (buffer as Resizable).resize(0);
    const detach = (buffer: ArrayBuffer) => void structuredClone(buffer, { transfer: [buffer] });

    const HOW: [string, (buffer: ArrayBuffer) => void][] = [
      ["grow", grow],
      ["shrink", shrink],
      ["detach", detach],
    ];

    it.each(HOW)("an embedding whose buffer they %s", (_, change) => {
      const index = small();
      const before = index.similar([1, 1], { limit: ALL });
      const buffer = bytesOf(2);
      const components = new Float32Array(buffer);
      components.set([3, 4]);
      const nodes: MemoryNode[] = [
        { id: "fresh", embedding: components },
        { id: "other", created_at: NOW },
      ];
      reading(nodes[1]!, "id", () => change(buffer));
      const error = thrownBy(() => index.upsert(nodes, { now: NOW }));
      if (error !== undefined) {
        expect(codeOf(error)).toBe("invalid_argument");
        expect(index.size).toBe(5);
        expect(index.similar([1, 1], { limit: ALL })).toEqual(before);
      } else {
        expect(index.size).toBe(7);
        const { ids, scores } = index.similar([3, 4], { limit: 1 });
        expect([ids, Math.fround(scores[0]!)]).toEqual([["fresh"], 1]);
      }
      index.remove(["fresh", "other"]);
      expect(index.similar([1, 1], { limit: ALL })).toEqual(before);
      expect(MemoryIndex.restore(index.snapshot()).size).toBe(5);
    });

    it.each(HOW)("a query whose buffer they %s", (_, change) => {
      const index = small();
      const buffer = bytesOf(2);
      const components = new Float32Array(buffer);
      components.set([3, 4]);
      const query = { embedding: components, bm25: [{ id: "a", score: 1 }], now: NOW };
      const expected = [...index.search({ ...query, embedding: [3, 4] }).ranking];
      reading(query.bm25[0]!, "score", () => change(buffer));
      const found = answer(() => [...index.search(query).ranking]);
      if (found !== "invalid_argument") expect(found).toEqual(expected);
      expect(MemoryIndex.restore(index.snapshot()).size).toBe(5);
    });

    it.each(HOW)("handles whose buffer they %s", (_, change) => {
      const index = small();
      const buffer = bytesOf(3);
      const handles = new Uint32Array(buffer);
      handles.set(index.handles(["a", "b", "c"]));
      const expected = [...index.rerank({ ids: ["a", "b", "c"], bm25: [1, 2, 3] }, { now: NOW })];
      const found = answer(() => [
        ...index.rerank({ handles, bm25: proxied([1, 2, 3], () => change(buffer)) }, { now: NOW }),
      ]);
      if (found !== "invalid_argument") expect(found).toEqual(expected);
      expect(MemoryIndex.restore(index.snapshot()).size).toBe(5);
    });

    it("an array of numbers that reports a wrong length", () => {
      const index = small();
      const lying = Object.defineProperty(new Float32Array(20_000).fill(1), "length", { value: 2 });
      const before = report(index);
      const error = thrownBy(() => index.upsert([{ id: "a", embedding: lying }]));
      if (error === undefined) index.upsert([{ id: "a", embedding: [1, 0] }]);
      else expect(codeOf(error)).toBe("invalid_argument");
      expect(report(index)).toEqual(before);
    });

    it("an array of numbers behind a proxy that calls the index", () => {
      for (const action of [
        (index: MemoryIndex) => index.upsert([{ id: "new", created_at: NOW, tags: ["new"] }]),
        (index: MemoryIndex) => index.remove(["a"]),
        (index: MemoryIndex) => index.search({ embedding: [2, 1] }),
      ]) {
        const [index, plain] = [small(), small()];
        let ran = false;
        const components = new Proxy(Float32Array.of(3, 4), {
          get: (target, key) => {
            if (key === "0" && !ran) {
              ran = true;
              action(index);
            }
            return Reflect.get(target, key, target);
          },
        });
        const error = thrownBy(() =>
          index.upsert([{ id: "fresh", embedding: components, created_at: NOW }]),
        );
        if (ran) action(plain);
        if (error === undefined)
          plain.upsert([{ id: "fresh", embedding: [3, 4], created_at: NOW }]);
        else expect(codeOf(error)).toBe("invalid_argument");
        expect(report(index)).toEqual(report(plain));
      }
    });
  });
});

// ---- trapped instances --------------------------------------------------------------------------

describe("an index whose instance trapped", () => {
  let core: CountedCore;
  const { Instance } = WebAssembly;

  beforeAll(async () => {
    await buildCountedCore();
    // Every export of an instance can be made to panic.
    WebAssembly.Instance = class extends Instance {
      constructor(...given: ConstructorParameters<typeof Instance>) {
        super(...given);
        const names = new Set<string>();
        const { trap } = this.exports as { trap: () => void };
        const entries = Object.entries(super.exports).map(([name, value]) => {
          if (typeof value !== "function" || !name.startsWith("residentmemory_"))
            return [name, value];
          const call = value as (...args: unknown[]) => unknown;
          const panicking = (...args: unknown[]) => (names.has(name) ? trap() : call(...args));
          return [name, Object.defineProperty(panicking, "length", { value: call.length })];
        });
        last = names;
        Object.defineProperty(this, "exports", { value: Object.fromEntries(entries) });
      }
    };
    core = freshCore(countedModule());
  }, 10 * MINUTES);
  afterAll(() => {
    WebAssembly.Instance = Instance;
  });

  /** The exports of the last instance that panic. */
  let last: Set<string>;
  const make = (): [MemoryIndex, Set<string>] => {
    const index = new core.MemoryIndex({ dimensions: 2 });
    const names = last;
    index.upsert(
      ["a", "b"].map((id, i) => ({ id, embedding: [1, i] })),
      { now: NOW },
    );
    index.link([{ id: "ab", source_id: "a", target_id: "b" }]);
    return [index, names];
  };

  const trapped: [string, string][] = [
    ["search", "residentmemory_search"],
    ["upsert", "residentmemory_upsert"],
    ["remove", "residentmemory_remove"],
    ["link", "residentmemory_link"],
    ["touch", "residentmemory_touch"],
    ["decay", "residentmemory_decay"],
    ["snapshot", "residentmemory_next_part"],
    ["get", "residentmemory_stored_nodes"],
  ];
  it.each(some(trapped, 3))(
    "reports the cause in %s, stays unusable, and affects no other index",
    (method, name) => {
      const [lost, names] = make();
      const others = METHODS.map(() => make()[0]);
      const call = METHODS.find(([each]) => each === method)![1];
      names.add(name);
      const failure = thrownBy(() => call(lost)) as NousError;
      expect(failure).toBeInstanceOf(core.NousError);
      expect(failure).toMatchObject({
        code: "instance_lost",
        message: expect.stringContaining("asked to"),
      });
      expect(failure.cause).toBeInstanceOf(WebAssembly.RuntimeError);
      names.clear();

      // Methods that do not need the module still answer; the others throw as before.
      const WITHOUT = ["has", "ids", "size", "edgeCount", "embeddingId", "handles"];
      for (const [each, call] of METHODS) {
        const thrown = thrownBy(() => call(lost)) as NousError | undefined;
        if (WITHOUT.includes(each)) continue;
        expect(thrown?.code, each).toBe("instance_lost");
        expect(thrown).toBeInstanceOf(core.NousError);
      }
      METHODS.forEach(([each, call], i) => {
        expect(
          thrownBy(() => call(others[i]!)),
          each,
        ).toBeUndefined();
      });
      expect(core.classifyIntent("signal")).toEqual(["SIGNALS"]);
      expect(core.calculateRetrievability(0, 1)).toBe(1);
      const [another] = make();
      expect(another.size).toBe(2);
      lost.free();
      expect((thrownBy(() => lost.size) as NousError).code).toBe("freed");
    },
  );
});

// ---- extremes -----------------------------------------------------------------------------------

describe("extremes", () => {
  /** A name of nine megabytes, and in `npm test` of two. */
  const long = "é🚀xxx".repeat(amount(1_000_000, 200_000));

  it("an id of megabytes", () => {
    const index = small();
    index.upsert([{ id: long, embedding: [1, 1] }, { id: `${long}y` }], { now: NOW });
    index.link([{ id: long, source_id: long, target_id: `${long}y` }]);
    expect(index.get(long)!.id).toBe(long);
    expect(index.getEdge(long)!.target_id).toBe(`${long}y`);
    expect(index.search({ bm25: [{ id: `${long}y`, score: 1 }] }).ranking.ids).toEqual([
      `${long}y`,
    ]);
    const restored = MemoryIndex.restore(index.snapshot());
    expect([...restored.ids()]).toEqual([...index.ids()]);
    restored.free();
    const refused = thrownBy(() =>
      index.upsert([{ id: long, stability: Number.NaN }]),
    ) as NousError;
    expect(refused.code).toBe("invalid_argument");
    expect(index.remove([long])).toBe(1);
    expect(index.size).toBe(6);
  });

  it("a tag, a cluster, a type and a subtype of megabytes", () => {
    const index = small();
    index.upsert([{ id: "a", tags: [long], clusters: [long], type: long, subtype: long }]);
    expect(index.get("a")).toMatchObject({
      tags: [long],
      clusters: [long],
      type: long,
      subtype: long,
    });
    const hits = ["a", "b"].map((id) => ({ id, score: 1 }));
    expect(index.search({ bm25: hits, filters: { tags_all: [long] } }).ranking.ids).toEqual(["a"]);
    const restored = MemoryIndex.restore(index.snapshot());
    expect(restored.get("a")).toEqual(index.get("a"));
    restored.free();
  });

  it("100,000 tags on one node", () => {
    const index = small();
    const tags = range(100_000, (i) => `tag ${i}`);
    index.upsert([{ id: "a", tags: [...tags, ...tags] }]);
    expect(index.get("a")!.tags).toEqual(tags);
    const bm25 = ["a", "b"].map((id) => ({ id, score: 1 }));
    const found = (filters: object) => index.search({ bm25, filters, now: NOW }).ranking.ids;
    expect(found({ tags_all: ["tag 99999", "tag 0"] })).toEqual(["a"]);
    expect(found({ tags_all: ["tag 99999", "tag 100000"] })).toEqual([]);
    expect(found({ tags_any: tags.slice(99_000) })).toEqual(["a"]);
    const restored = MemoryIndex.restore(index.snapshot());
    expect(restored.get("a")).toEqual(index.get("a"));
    restored.free();
    index.upsert([{ id: "a", clusters: ["c"] }]);
    expect(index.get("a")!.tags).toHaveLength(100_000);
    index.upsert([{ id: "a", tags: [] }]);
    expect(index.get("a")).toMatchObject({ tags: [], clusters: ["c"] });
  });

  it.each(["subtype", "type"] as const)(
    "a %s for every available code is accepted, and one more is refused",
    (field) => {
      const index = small();
      // One of the 65,535 codes stands for no name, or for the default.
      const nodes = range(65_534, (i) => ({
        id: `n_${i}`,
        [field]: `${field} ${i}`,
        created_at: NOW,
      }));
      index.upsert(nodes);
      for (const place of [0, 1, 40_000, 65_533])
        expect(index.get(`n_${place}`)![field]).toBe(`${field} ${place}`);
      const beyond = [{ id: "first" }, { id: "beyond", [field]: "one more" }];
      const error = thrownBy(() => index.upsert(beyond)) as NousError;
      expect([error.code, error.details.field]).toEqual(["out_of_memory", field]);
      expect(error.message).toContain("65535");
      expect([index.has("first"), index.has("beyond"), index.size]).toEqual([false, false, 65_539]);
      // Known names still work.
      expect(index.upsert([{ id: "again", [field]: `${field} 65533` }])).toBe(1);
      const restored = MemoryIndex.restore(index.snapshot());
      expect(restored.get("again")![field]).toBe(`${field} 65533`);
      expect(codeOf(thrownBy(() => restored.upsert(beyond)))).toBe("out_of_memory");
      restored.free();
    },
  );

  const refusals: [string, Partial<MemoryNode>, string][] = [
    ["a number", { stability: Number.NaN }, "invalid_argument"],
    ["a list", { tags: [7 as unknown as string] }, "invalid_argument"],
    ["room", { tags: ["x".repeat(20 * MiB)] }, "out_of_memory"],
    ["a type too many", { type: "one more" }, "out_of_memory"],
  ];
  it.each(some(refusals, 1))(
    "names of a batch refused for %s are forgotten",
    (_, refused, code) => {
      const index = small({ maxBytes: 96 * MiB });
      const nodes = (prefix: string) =>
        range(65_533, (i): MemoryNode => ({ id: `n_${i}`, type: `${prefix} ${i}` }));
      index.upsert([{ id: "a", type: "known", subtype: "known" }]);
      const { bytes } = index;
      const names = { subtype: "new", tags: ["known", "new"], clusters: ["new"] };
      const batch = [
        ...nodes("refused"),
        { id: "new", type: "known", ...names },
        { id: "a", ...refused },
      ];
      expect(codeOf(thrownBy(() => index.upsert(batch)))).toBe(code);
      expect(index.bytes.nodes).toBe(bytes.nodes);
      const edges = range(65_534, (i) => ({
        id: `e_${i}`,
        source_id: "a",
        target_id: "b",
        type: `refused ${i}`,
      }));
      const odd = { ...edges[0]!, type: "known", strength: 2 };
      expect(codeOf(thrownBy(() => index.link([...edges.slice(0, 60_000), odd])))).toBe(
        "invalid_argument",
      );
      expect(index.bytes.nodes).toBe(bytes.nodes);
      // There is room for as many other names, and for these.
      expect(index.upsert(nodes("taken"))).toBe(65_533);
      expect(index.get("n_65532")!.type).toBe("taken 65532");
      expect(
        index.search({ bm25: [{ id: "n_7", score: 1 }], filters: { types: ["refused 7"] } }).ranking
          .ids,
      ).toEqual([]);
      expect(index.upsert([{ id: "new", type: "known", ...names }])).toBe(1);
      expect(index.get("new")).toMatchObject({ type: "known", ...names });
    },
  );

  it("no sequence number follows the highest one", () => {
    const index = small();
    index.upsert([{ id: "last", sequence: 2 ** 53 - 1 }]);
    const error = thrownBy(() => index.upsert([{ id: "beyond" }]));
    if (error !== undefined) expect(codeOf(error)).toMatch(/^(invalid_argument|out_of_memory)$/);
    for (const id of index.ids())
      expect(Number.isSafeInteger(index.get(id)!.sequence), id).toBe(true);
    index.link([{ id: "last", source_id: "a", target_id: "b", sequence: 2 ** 53 - 1 }]);
    const refused = thrownBy(() => index.link([{ id: "beyond", source_id: "a", target_id: "b" }]));
    if (refused !== undefined)
      expect(codeOf(refused)).toMatch(/^(invalid_argument|out_of_memory)$/);
    for (const id of ["last", "beyond"]) {
      const edge = index.getEdge(id);
      if (edge !== undefined) expect(Number.isSafeInteger(edge.sequence), id).toBe(true);
    }
  });

  it.each<[string, Partial<MemoryNode>]>([
    ["a creation at the first instant", { created_at: -8.64e15 }],
    ["a creation at the last instant", { created_at: 8.64e15 }],
    ["an access at the first instant", { last_accessed: new Date(-8.64e15) }],
    ["an access at the last instant", { last_accessed: "+275760-09-13T00:00:00.000Z" }],
    ["the least stability", { stability: 5e-324 }],
    ["the greatest stability", { stability: Number.MAX_VALUE }],
    ["a stability of 0", { stability: 0 }],
    ["a negative stability", { stability: -Number.MAX_VALUE }],
    ["the greatest count of accesses", { access_count: 2 ** 32 - 1 }],
    ["the least retrievability", { retrievability: 5e-324 }],
    ["the least salience, of the greatest stability", { salience: 0, stability: Number.MAX_VALUE }],
    [
      "the greatest salience, of the greatest stability",
      { salience: 1, stability: Number.MAX_VALUE },
    ],
  ])("%s is stored, swept, read and reported", (_, fields) => {
    for (const curve of ["exponential", "fsrs6"] as const) {
      const config = { curve, salienceGrowth: true };
      const index = newIndex({ config });
      const hits = [{ id: "a", score: 1 }];
      index.upsert([{ id: "a", created_at: NOW - DAY, ...fields }], { now: NOW });
      for (const now of [NOW, -8.64e15, 8.64e15, NOW + 900 * DAY]) {
        const { changes, transitions } = index.decay(now);
        for (const value of changes.retrievability)
          expect(value >= 0 && value <= 1, `${value}`).toBe(true);
        expect(index.transitions(now)).toEqual(transitions);
        index.applyDecay(changes);
        expect(index.transitions(now)).toEqual([]);
      }
      const found = thrownBy(() => index.search({ bm25: hits, now: NOW }));
      if (found !== undefined) expect(codeOf(found)).toBe("invalid_argument");
      expect(index.touch(["a", "a"], NOW)).toBe(2);
      const { access_count, last_accessed } = index.get("a")!;
      expect(access_count).toBe(Math.min((fields.access_count ?? 0) + 2, 2 ** 32 - 1));
      expect(last_accessed).toBeGreaterThanOrEqual(NOW);
      for (let time = 0; time < 5; time++) index.recall(["a"], NOW + time * DAY);
      const { stability, retrievability } = index.get("a")!;
      expect(Number.isFinite(stability), `${stability}`).toBe(true);
      expect(retrievability >= 0 && retrievability <= 1, `${retrievability}`).toBe(true);
      const restored = MemoryIndex.restore(index.snapshot(), { config });
      expect(restored.get("a")).toEqual(index.get("a"));
      restored.free();
    }
  });

  it("an infinite stability is refused", () => {
    expect(
      codeOf(thrownBy(() => small().upsert([{ id: "a", stability: Number("1.8e308") }]))),
    ).toBe("invalid_argument");
  });

  it("every method accepts an empty batch", () => {
    const index = small();
    const before = index.snapshot();
    expect(index.upsert([])).toBe(0);
    expect(index.remove([])).toBe(0);
    expect(index.link([])).toEqual({ linked: 0, ignored: [] });
    expect(index.unlink([])).toBe(0);
    expect([index.touch([]), index.recall([])]).toEqual([0, 0]);
    for (const groups of [[], [[]], [[], []], [["a"]]])
      expect(index.strengthen(groups, 1).ids).toEqual([]);
    expect(index.handles([])).toEqual(new Uint32Array());
    for (const none of [
      { ids: [] },
      { handles: new Uint32Array() },
      { ids: [], bm25: [], graph: null },
    ]) {
      expect([...index.rerank(none)]).toEqual([]);
    }
    expect(index.search({}).ranking.length).toBe(0);
    expect(index.similar([1, 2], { limit: 0 }).ids).toEqual([]);
    expect(
      index.applyDecay({
        ids: [],
        retrievability: new Float64Array(),
        lifecycle: new Uint8Array(),
      }),
    ).toBe(0);
    expect(index.snapshot()).toEqual(before);
    const empty = newIndex({});
    expect([empty.decay(NOW).processed, empty.transitions(NOW), [...empty.ids()]]).toEqual([
      0,
      [],
      [],
    ]);
    expect(empty.search({ bm25: [{ id: "a", score: 1 }] }).metrics.seeds_found).toBe(0);
  });

  it("many nodes with repeated ids in one batch", () => {
    const index = newIndex({ dimensions: 4 });
    const count = amount(200_000, 40_000);
    const nodes = range(count, (i) => ({
      id: `n_${i}`,
      tags: [`t_${i % 100}`],
      embedding: [1, i, -i, 0.5],
    }));
    expect(index.upsert(nodes)).toBe(count);
    expect([index.size, index.get(`n_${count - 1}`)!.sequence]).toEqual([count, count - 1]);
    const edges = nodes.slice(1).map(({ id }, i) => ({ id, source_id: id, target_id: `n_${i}` }));
    expect(index.link(edges)).toEqual({ linked: count - 1, ignored: [] });
    expect(index.similar([1, 1, -1, 0.5], { limit: 1 }).ids).toEqual(["n_1"]);
    expect(index.remove(nodes.map(({ id }) => id))).toBe(count);
    expect([index.size, index.edgeCount]).toEqual([0, 0]);

    const twice = nodes.flatMap((node, i) => [node, { id: node.id, access_count: i }]);
    expect(index.upsert(twice)).toBe(count);
    const places = [0, 1, count - 1];
    expect(places.map((i) => index.get(`n_${i}`)!.access_count)).toEqual(places);
    expect(index.touch(["n_3", "n_3", "n_3"], NOW)).toBe(3);
    expect(index.remove(["n_3", "n_3", "n_4"])).toBe(2);
    expect(index.unlink(["n_5", "n_5"])).toBe(0);
    expect(index.get("n_5")!.has_embedding).toBe(true);
  });
});
