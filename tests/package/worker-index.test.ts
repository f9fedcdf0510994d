// An index in a worker, from the packed package: its answers equal those of an index without one,
// they come in order, and every way to end is tested.

import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import type {
  DecayChanges,
  IndexWorker,
  IndexWorkerOptions,
  MemoryIndex,
  MemoryNode,
  NousError,
} from "nous-wasm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { same } from "../parity/support/same.ts";
import { emptyFolder, must, Project } from "./support/tarball.ts";

const MINUTES = 60_000;
const NOW = Date.UTC(2026, 1, 1, 12);
const DAY = 86_400_000;
const DIMENSIONS = 8;

let project: Project;
let nous: typeof import("nous-wasm");
let open: IndexWorker[] = [];

beforeAll(async () => {
  project = await Project.create();
  nous = createRequire(project.at("here.cjs"))("nous-wasm");
}, 2 * MINUTES);

afterEach(async () => {
  await Promise.all(open.map((index) => index.terminate()));
  open = [];
});

afterAll(() => project?.remove());

async function worker(
  options: IndexWorkerOptions = { dimensions: DIMENSIONS },
): Promise<IndexWorker> {
  const index = await nous.createIndexWorker(options);
  open.push(index);
  return index;
}

/** Returns the error that rejects a promise; fails if it is not rejected. */
async function rejection(promise: Promise<unknown>): Promise<NousError> {
  const error = await promise.then(
    (value) => new Error(`it was answered with ${JSON.stringify(value)}`),
    (error) => error,
  );
  if (!(error instanceof nous.NousError)) throw error;
  return error;
}

const errorFields = ({ code, message, details }: NousError) => ({ code, message, details });

/** Deterministic pseudo-random numbers. */
const vector = (seed: number) =>
  Array.from({ length: DIMENSIONS }, (_, place) => Math.sin(seed * 7 + place * 1.3 + 1));

const nodesOf = (count: number): MemoryNode[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    type: index % 3 === 0 ? "episode" : "concept",
    subtype: ["custom:lesson", "custom:signal", null, undefined][index % 4],
    // The three forms of an instant.
    created_at: [new Date(NOW - index * DAY), NOW - index * DAY, "2025-11-03T10:00:00Z"][
      index % 3
    ]!,
    last_accessed: index % 5 === 0 ? null : NOW - (index % 40) * DAY,
    access_count: index % 7,
    tags: index % 2 === 0 ? ["even", `tag ${index % 6}`] : [],
    clusters: index % 9 === 0 ? ["c"] : undefined,
    salience: index % 4 === 3 ? null : (index % 4) / 3,
    embedding: [
      vector(index),
      new Float32Array(vector(index)),
      new Float64Array(vector(index)),
      null,
    ][index % 4]!,
    title: index % 3 === 0 ? `Memory ${index}` : undefined,
    text: index % 2 === 0 ? `Gold breakouts failed ${index} times in May 2023` : undefined,
    // The index does not read this field.
    about: () => index,
  }));

const edges = Array.from({ length: 60 }, (_, index) => ({
  id: `e${index}`,
  source_id: `n${index}`,
  target_id: `n${(index * 7) % 66}`,
  type: index % 2 === 0 ? "causes" : undefined,
  strength: index % 3 === 0 ? 0.25 : undefined,
}));

const query = { embedding: vector(3), bm25: [{ id: "n5", score: 3 }], limit: 12, now: NOW };

const BY_TRAIT = { qm: 0.1, prevq: 0, len: 0, num: -0.2, cap: 0, pos: 0 };

/** A life in which every method is called: name and call. */
const LIFE: [string, (index: MemoryIndex) => unknown][] = [
  ["upsert", (index) => index.upsert(nodesOf(60), { now: NOW })],
  [
    "upsert, again",
    (index) =>
      index.upsert([{ id: "n1", stability: 3, embedding: null }, ...nodesOf(3)], { now: NOW }),
  ],
  ["upsert, nothing", (index) => index.upsert([])],
  ["link", (index) => index.link(edges)],
  ["has", (index) => index.has("n7")],
  ["has not", (index) => index.has("nobody")],
  ["get", (index) => index.get("n8")],
  ["get nothing", (index) => index.get("nobody")],
  ["getEdge", (index) => index.getEdge("e4")],
  ["handles", (index) => index.handles(["n9", "n2", "n9"])],
  ["touch", (index) => index.touch(["n4", "n4", "nobody"], new Date(NOW))],
  ["recall", (index) => index.recall(["n6", "n1"], "2026-02-01")],
  [
    "strengthen",
    (index) =>
      index.strengthen(
        [
          ["n1", "n7"],
          ["n2", "n14", "n4"],
        ],
        0.125,
      ),
  ],
  [
    "rerank by ids",
    (index) =>
      index.rerank(
        { ids: ["n3", "n4", "n5"], semantic: [0.1, -0.5, 1], bm25: null },
        { now: NOW, limit: 2 },
      ),
  ],
  [
    "rerank by handles",
    (index) =>
      index.rerank({
        handles: new Uint32Array([1, 2, 3, 4]).subarray(1),
        graph: new Float32Array(3).fill(0.3),
      }),
  ],
  ["search", (index) => index.search(query)],
  [
    "search, with all there is",
    (index) =>
      index.search({
        ...query,
        embedding: new Float64Array(3 * DIMENSIONS).fill(0.5).subarray(4, 4 + DIMENSIONS),
        filters: { tags_any: ["even"], created_after: new Date(NOW - 90 * DAY) },
        sections: false,
        include_connections: true,
        serendipity_level: "high",
      }),
  ],
  ["ask", (index) => index.ask("which breakout failed?", { now: NOW })],
  [
    "ask, with all there is",
    (index) =>
      index.ask("gold in May 2023", {
        limit: 3,
        min_score: 0.001,
        now: new Date(NOW),
        filters: { tags_any: ["even"] },
      }),
  ],
  ["why", (index) => index.why("n0", "which breakout failed?", { now: NOW })],
  ["evidence", (index) => index.evidence("which breakout failed?", { now: NOW })],
  [
    "learn",
    (index) =>
      index.learn({
        question: "which breakout failed?",
        shown: ["n0", "n1", "n2", "nobody"],
        used: ["n1"],
        now: NOW,
      }),
  ],
  ["learned", (index) => index.learned()],
  [
    "setLearned",
    (index) => index.setLearned({ steps: 7, shifts: { ...BY_TRAIT, len: 0.5 }, means: BY_TRAIT }),
  ],
  ["ask, with what was learned", (index) => index.ask("which breakout failed?", { now: NOW })],
  ["forgetLearned", (index) => index.forgetLearned()],
  ["weigh", (index) => index.weigh({ preset: "trading", weights: { graph: 2, qm: 1 } })],
  ["ask, with other weights", (index) => index.ask("which breakout failed?", { now: NOW })],
  ["search for nothing", (index) => index.search({ now: NOW })],
  ["similar", (index) => index.similar(vector(4), { limit: 5, filter: { types: ["concept"] } })],
  ["explain", (index) => index.explain("n5", query)],
  ["transitions", (index) => index.transitions(NOW + 200 * DAY)],
  ["decay", (index) => index.decay(NOW + 200 * DAY)],
  ["applyDecay", (index) => index.applyDecay(index.decay(NOW + 200 * DAY).changes)],
  ["snapshot", (index) => index.snapshot()],
  ["unlink", (index) => index.unlink(["e3", "e3", "nothing"])],
  ["remove", (index) => index.remove(["n3", "nobody"])],
];

/** Refused calls, one per kind. */
const REFUSED: [string, (index: MemoryIndex) => unknown][] = [
  ["an entry", (index) => index.upsert([{ id: "a" }, { id: "b", access_count: -1 }])],
  ["an entry that is none", (index) => index.upsert([null as never])],
  ["no entries", (index) => index.upsert("nodes" as never)],
  ["an embedding's length", (index) => index.upsert([{ id: "a", embedding: [1, 2] }])],
  [
    "an embedding's component",
    (index) => index.upsert([{ id: "a", embedding: [..."12345678"] as never }]),
  ],
  [
    "an embedding that is none",
    (index) => index.upsert([{ id: "a", embedding: "12345678" as never }]),
  ],
  ["options", (index) => index.upsert([], [] as never)],
  ["an edge", (index) => index.link([{ id: "e", source_id: "n1", target_id: 3 as never }])],
  ["an id", (index) => index.handles(["n1", "nobody"])],
  ["an instant", (index) => index.touch([], "soon")],
  ["a column", (index) => index.rerank({ ids: ["n1"], semantic: [1, 2] })],
  ["a candidate", (index) => index.rerank({ ids: ["n1", "n2"], bm25: [1, -1] })],
  ["a query", (index) => index.search({ limit: 1.5 })],
  ["a query that is none", (index) => index.search(null as never)],
  [
    "a change",
    (index) =>
      index.applyDecay({
        ids: ["n1"],
        retrievability: [7],
        lifecycle: [0],
      } as never as DecayChanges),
  ],
  ["whom to explain", (index) => index.explain("nobody", query)],
  ["a use", (index) => index.learn({ question: "which?", shown: ["n1"], used: ["n2"] })],
  ["a weight", (index) => index.weigh({ preset: "trading", weights: { graph: 2, qm: 1001 } })],
  ["weights that are no data", (index) => index.weigh({ weights: new Map() as never })],
  ["weights of a class", (index) => index.weigh({ weights: new (class {})() as never })],
  ["no weights", (index) => index.weigh(undefined as never)],
  [
    "a learned number",
    (index) => index.setLearned({ steps: 1, shifts: { ...BY_TRAIT, qm: 3 }, means: BY_TRAIT }),
  ],
];

/** An index with synchronous-looking calls: it takes each result from the worker. */
const asked = async (index: IndexWorker, call: (index: MemoryIndex) => unknown) =>
  call(index as never as MemoryIndex);

/** A value with its rankings converted to plain data. */
const spelled = (value: unknown): unknown => {
  if (value instanceof nous.Ranking)
    return { ids: value.ids, scores: value.scores, places: [...value] };
  const { ranking } = (value ?? {}) as { ranking?: unknown };
  return ranking === undefined ? value : { ...(value as object), ranking: spelled(ranking) };
};

describe("the answers", () => {
  it("equal those of an index without a worker, for every method", async () => {
    const options = {
      dimensions: DIMENSIONS,
      embeddingId: "small",
      config: { salienceGrowth: true },
    };
    const here = new nous.MemoryIndex(options);
    const there = await worker(options);
    expect(there.embeddingId).toBe("small");
    for (const [name, call] of LIFE) {
      const expected = call(here);
      const found =
        name === "applyDecay"
          ? there.decay(NOW + 200 * DAY).then(({ changes }) => there.applyDecay(changes))
          : asked(there, call);
      expect(same(spelled(await found), spelled(expected)), name).toBe(null);
    }
    expect(await there.size()).toBe(here.size);
    expect(await there.edgeCount()).toBe(here.edgeCount);
    expect(await there.textCount()).toBe(here.textCount);
    expect(await there.bytes()).toEqual(here.bytes);
    expect(await there.ids()).toEqual([...here.ids()]);

    const called = LIFE.map(([name]) => name.split(/[ ,]/)[0]);
    const others = [
      "constructor",
      "free",
      "size",
      "edgeCount",
      "textCount",
      "embeddingId",
      "bytes",
      "ids",
      "snapshotParts",
    ];
    const methods = Object.getOwnPropertyNames(nous.MemoryIndex.prototype).filter(
      (name) => !others.includes(name),
    );
    expect(methods.filter((name) => !called.includes(name))).toEqual([]);
  });

  it("have rankings with all methods of a ranking", async () => {
    const index = await worker();
    await index.upsert(nodesOf(20), { now: NOW });
    const { ranking } = await index.search(query);
    expect(ranking).toBeInstanceOf(nous.Ranking);
    expect(ranking.at(0)).toMatchObject({ id: ranking.ids[0], breakdown: ranking.breakdown(0)! });
    expect(ranking.at(ranking.length)).toBe(undefined);
    expect(await index.rerank({ ids: ["n1"] })).toBeInstanceOf(nous.Ranking);
  });

  it("come in the order of the requests, without awaiting each", async () => {
    const index = await worker();
    const order: number[] = [];
    const requests = Array.from({ length: 300 }, (_, place) => {
      const request: Promise<unknown> = [
        () => index.upsert(nodesOf(place + 1), { now: NOW }),
        () => index.size(),
        () => index.search(query),
        () => index.handles(["nobody"]),
        () => index.has(`n${place}`),
      ][place % 5]!();
      const done = () => order.push(place);
      return request.then(done, done);
    });
    expect(order).toEqual([]);
    await Promise.all(requests);
    expect(order).toEqual([...order.keys()]);
    expect(await index.size()).toBe(296);
  });

  it("are the same in ES modules and in CommonJS", async () => {
    const program = `
      (async () => {
        const index = await nous.createIndexWorker({ dimensions: 2 });
        index.upsert([{ id: "a", embedding: [1, 0] }, { id: "b", embedding: [1, 1] }]);
        const { ids } = await index.similar([0, 1]);
        await index.terminate();
        console.log(ids.join());
      })();
    `;
    expect(await project.node("esm.mjs", `import * as nous from "nous-wasm";${program}`)).toBe(
      "b,a\n",
    );
    expect(await project.node("cjs.cjs", `const nous = require("nous-wasm");${program}`)).toBe(
      "b,a\n",
    );
    // A bundle has no file beside it.
    const elsewhere = emptyFolder();
    try {
      const entryPoints = [project.at("esm.mjs")];
      const shared = { bundle: true, platform: "node", format: "esm", logLevel: "error" } as const;
      await build({
        ...shared,
        entryPoints,
        outfile: join(elsewhere, "main.mjs"),
        absWorkingDir: project.dir,
      });
      expect(await must(process.execPath, ["main.mjs"], elsewhere)).toBe("b,a\n");
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});

describe("errors", () => {
  it("arrive complete, and affect no other call", async () => {
    const here = new nous.MemoryIndex({ dimensions: DIMENSIONS });
    const there = await worker();
    here.upsert(nodesOf(9), { now: NOW });
    await there.upsert(nodesOf(9), { now: NOW });
    for (const [name, call] of REFUSED) {
      let expected: NousError | undefined;
      try {
        call(here);
      } catch (error) {
        expected = error as NousError;
      }
      const found = await rejection(asked(there, call));
      // One option more.
      const message = expected!.message.replace("there are now", "there are now, transfer");
      expect(errorFields(found), name).toEqual({ ...errorFields(expected!), message });
    }
    expect(await there.snapshot()).toEqual(here.snapshot());
  });

  it("report values that cannot be sent", async () => {
    const index = await worker();
    const none = () => 1;
    const cases: [Promise<unknown>, object][] = [
      [index.upsert([{ id: "a" }, { id: "b", type: none as never }]), { field: "nodes", index: 1 }],
      [index.remove(new Proxy([], {})), { field: "ids" }],
      [index.get(none as never), { field: "id" }],
      [index.search({ filters: none as never }), { field: "query" }],
      [index.touch(["a"], Symbol("now") as never), { field: "now" }],
      [index.upsert([], { transfer: 1 as never }), { field: "transfer" }],
    ];
    for (const [request, details] of cases) {
      expect(await rejection(request)).toMatchObject({ code: "invalid_argument", details });
    }
    const getter = {
      get id(): string {
        throw new Error("mine");
      },
    };
    await expect(index.upsert([getter])).rejects.toThrow("mine");
    expect(await index.size()).toBe(0);
  });

  it("in the options equal those of the constructor", async () => {
    const snapshot = new nous.MemoryIndex({ dimensions: 2 }).snapshot();
    const cases: [IndexWorkerOptions, string, string][] = [
      [{ dimensions: -1 }, "invalid_argument", "dimensions"],
      [{ colour: "blue" } as object, "invalid_argument", "colour"],
      [{ config: { search: { maxHops: -1 } } }, "invalid_config", "search.maxHops"],
      [{ config: { curve: (() => 1) as never } }, "invalid_config", "curve"],
      [{ config: new Map() as object }, "invalid_config", "config"],
      [{ maxBytes: -1 }, "invalid_argument", "maxBytes"],
      [{ maxPending: 0 }, "invalid_argument", "maxPending"],
      [{ maxPending: "9" as never }, "invalid_argument", "maxPending"],
      [{ snapshot: "bytes" as never }, "invalid_argument", "snapshot"],
      [{ snapshot: snapshot.slice(9) }, "invalid_snapshot", "snapshot"],
      [{ snapshot, dimensions: 2 }, "invalid_argument", "dimensions"],
      [null as never, "invalid_argument", "options"],
    ];
    for (const [options, code, field] of cases) {
      const error = await rejection(nous.createIndexWorker(options));
      expect([error.code, error.details.field], JSON.stringify(options)).toEqual([code, field]);
    }
  });

  it("report a missing worker", async () => {
    const program = (entry: string) => `
      import { readFileSync } from "node:fs";
      import { createIndexWorker, init } from "nous-wasm/${entry}";
      const code = () => createIndexWorker().then(() => "made", (error) => error.code);
      const early = await code();
      await init(readFileSync(new URL(import.meta.resolve("nous-wasm/nous_wasm.wasm"))));
      console.log(early, await code());
    `;
    expect(await project.node("slim.mjs", program("slim"))).toBe("not_initialized unsupported\n");
    expect(await project.node("browser.mjs", program("browser"))).toBe(
      "not_initialized unsupported\n",
    );
  });
});

describe("the queue", () => {
  it("refuses excess calls at once, and goes on", async () => {
    const index = await worker({ maxPending: 3 });
    const order: string[] = [];
    const three = ["a", "b", "c"].map((id) => index.upsert([{ id }]).then(() => order.push(id)));
    const fourth = await rejection(index.upsert([{ id: "d" }]));
    expect(fourth).toMatchObject({ code: "queue_full", details: {} });
    expect(order).toEqual([]);
    await Promise.all(three);
    expect(await index.ids()).toEqual(["a", "b", "c"]);
    expect(await index.upsert([{ id: "d" }])).toBe(1);
  });

  it("has a limit of a thousand by default, or any given limit", async () => {
    const [byDefault, any] = [await worker({}), await worker({ maxPending: Infinity })];
    const codes = async (index: IndexWorker) => {
      const requests = Array.from({ length: 1002 }, () =>
        index.size().catch((error: NousError) => error.code),
      );
      return (await Promise.all(requests)).filter((answer) => answer !== 0);
    };
    expect(await codes(byDefault)).toEqual(["queue_full", "queue_full"]);
    expect(await codes(any)).toEqual([]);
  });
});

describe("termination", () => {
  it("rejects waiting and later calls in order, and may be repeated", async () => {
    const index = await worker();
    await index.upsert(nodesOf(60), { now: NOW });
    const order: number[] = [];
    const waiting = Array.from({ length: 20 }, (_, place) =>
      rejection(index.search(query)).then(({ code }) => {
        order.push(place);
        return code;
      }),
    );
    const ended = index.terminate();
    const codes = new Set(await Promise.all(waiting));
    expect(codes).toEqual(new Set(["terminated"]));
    expect(order).toEqual([...order.keys()]);
    await ended;
    expect((await rejection(index.size())).code).toBe("terminated");
    expect((await rejection(index.upsert([{ id: "a" }]))).code).toBe("terminated");
    await index.terminate();
    await index.free();
    await index[Symbol.asyncDispose]();
    expect((await rejection(index.size())).code).toBe("terminated");
  });

  it("leaves other indexes alone", async () => {
    const [one, other] = [await worker(), await worker()];
    await one.free();
    expect(await other.upsert([{ id: "a" }])).toBe(1);
  });
});

describe("vectors", () => {
  const rows = () => {
    const all = new Float32Array(3 * DIMENSIONS).map((_, place) => Math.cos(place));
    return [0, 1, 2].map((row) => all.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS));
  };
  const batch = (embeddings: ArrayLike<number>[]) =>
    embeddings.map((embedding, row) => ({ id: `n${row}`, embedding }));
  const expected = () => {
    const index = new nous.MemoryIndex({ dimensions: DIMENSIONS });
    index.upsert(batch(rows()), { now: NOW });
    return index.similar(vector(1));
  };

  it("stay with the caller without `transfer`, and may be changed at once", async () => {
    const index = await worker();
    const given = rows();
    const request = index.upsert(batch(given), { now: NOW });
    expect(given[0]!.buffer.byteLength).toBe(4 * 3 * DIMENSIONS);
    for (const row of given) row.fill(1);
    expect(await request).toBe(3);
    const asked = new Float64Array(vector(1));
    const found = index.similar(asked);
    asked.fill(0);
    expect(same(await found, expected())).toBe(null);
  });

  it("move with `transfer`, once for all views of a buffer", async () => {
    const index = await worker();
    const given = rows();
    const own = new Float64Array(vector(5));
    const numbers = vector(6);
    const shared = new Float32Array(new SharedArrayBuffer(4 * DIMENSIONS));
    shared.set(vector(7));
    const nodes = batch([...given, given[1]!, own, numbers, shared]);
    const request = index.upsert(nodes, { now: NOW, transfer: true });
    expect([...given, own].map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0, 0]);
    expect([numbers.length, shared.length]).toEqual([DIMENSIONS, DIMENSIONS]);
    expect(await request).toBe(7);
    await index.remove(["n3", "n4", "n5", "n6"]);
    expect(same(await index.similar(vector(1)), expected())).toBe(null);
    // Empty now, which is not the number of components.
    for (const transfer of [false, true]) {
      const details = { field: "embedding", index: 0, id: "n0" };
      expect(await rejection(index.upsert(batch(given), { transfer }))).toMatchObject({
        code: "invalid_argument",
        details,
      });
      expect(await rejection(index.upsert(batch([own]), { transfer }))).toMatchObject({
        code: "invalid_argument",
        details,
      });
    }
    expect(await rejection(index.similar(own))).toMatchObject({ code: "invalid_argument" });
    expect(await index.size()).toBe(3);
  });

  it("are sent without the rest of their buffer", async () => {
    const index = await worker();
    await index.upsert(batch(rows()), { now: NOW });
    const large = new Float64Array(2 ** 24);
    large.set(vector(1), 1000);
    const start = process.cpuUsage();
    for (let time = 0; time < 120; time++)
      await index.similar(large.subarray(1000, 1000 + DIMENSIONS));
    expect(same(await index.similar(large.subarray(1000, 1000 + DIMENSIONS)), expected())).toBe(
      null,
    );
    // Whole buffers would take 16 GB.
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it("of snapshots move both ways, and a part of a buffer is copied", async () => {
    const index = await worker({ dimensions: DIMENSIONS, embeddingId: "small" });
    await index.upsert(batch(rows()), { now: NOW });
    const bytes = await index.snapshot();
    expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
    const padded = new Uint8Array(bytes.length + 10);
    padded.set(bytes, 5);
    const copied = await worker({ snapshot: padded.subarray(5, 5 + bytes.length) });
    expect(padded.byteLength).toBe(bytes.length + 10);
    const moved = await worker({ snapshot: bytes, config: { curve: "fsrs6" } });
    expect(bytes.byteLength).toBe(0);
    for (const restored of [copied, moved]) {
      expect(restored.embeddingId).toBe("small");
      expect(same(await restored.similar(vector(1)), expected())).toBe(null);
    }
  });
});

describe("a request", () => {
  it("is read by the names of its fields, inherited or not, as by the index itself", async () => {
    const source = `
      import { createIndexWorker, MemoryIndex } from "nous-wasm";
      const nodes = [0, 1, 2, 3, 4].map((i) => ({ id: "n" + i, type: i % 2 ? "fact" : "event", embedding: [1, i + 1] }));
      const local = new MemoryIndex({ dimensions: 2 });
      const remote = await createIndexWorker(Object.create({ dimensions: 2 }));
      local.upsert(nodes);
      await remote.upsert(nodes, Object.create({ transfer: true, now: 0 }));
      class Filters { get types() { return ["fact"]; } }
      class Query { get embedding() { return [1, 0]; } get filters() { return new Filters(); } }
      const candidates = Object.create({ ids: ["n0", "n1"], semantic: [0.1, 0.2] });
      const calls = [
        (index) => index.search({ embedding: [1, 0], filters: new Filters() }),
        (index) => index.search({ embedding: [1, 0], filters: Object.create({ types: ["fact"] }) }),
        (index) => index.search(Object.create({ embedding: [1, 0], limit: 1 })),
        (index) => index.search(new Query()),
        (index) => index.rerank(candidates, Object.create({ limit: 1 })),
        async (index) => ({ ranking: await index.similar([1, 0], Object.create({ limit: 3, filter: new Filters() })) }),
        async (index) => ({ ranking: { ids: [(await index.explain("n1", new Query())).rank] } }),
        (index) => index.search(JSON.parse('{ "embedding": [1, 0], "__proto__": { "limit": 1 } }')),
        (index) => index.search({ embedding: [1, 0], filters: Object.create({ kinds: ["fact"] }) }),
      ];
      const told = async (index, call) => {
        try {
          const answer = await call(index);
          return (answer.ranking ?? answer).ids.join(" ");
        } catch ({ code, details }) {
          return code + " " + details.field;
        }
      };
      for (const call of calls) console.log(await told(local, call), "=", await told(remote, call));
      await remote.terminate();
    `;
    const lines = (await project.node("inherited.mjs", source)).trim().split("\n");
    for (const line of lines) {
      const [local, remote] = line.split(" = ");
      expect(remote).toBe(local);
    }
    expect(lines).toHaveLength(9);
    expect(lines[0]).toBe("n1 n3 = n1 n3");
    expect(lines.at(-1)).toContain("invalid_argument kinds");
  });

  it("waits in order, with any number of others", async () => {
    const source = `
      import { createIndexWorker } from "nous-wasm";
      const index = await createIndexWorker({ maxPending: 60_000 });
      const order = [];
      const asked = Array.from({ length: 60_000 }, (_, place) => index.has("x").then(() => order.push(place)));
      await index.has("one too many").catch(({ code }) => console.log(code));
      await Promise.all(asked);
      console.log(order.every((place, at) => place === at), await index.size());
      await index.terminate();
    `;
    expect(await project.node("many.mjs", source)).toBe("queue_full\ntrue 0\n");
  });
});

describe("the process", () => {
  it("exits while a worker is idle, and stays while it has work", async () => {
    const program = `
      import { createIndexWorker } from "nous-wasm";
      const index = await createIndexWorker();
      await index.upsert([{ id: "a" }]);
      const ids = Array.from({ length: 50_000 }, (_, place) => ({ id: "n" + place }));
      index.upsert(ids).then((added) => console.log(added));
      process.on("exit", (code) => console.log("ended", code));
    `;
    expect(await project.node("idle.mjs", program)).toBe("50000\nended 0\n");
  });

  it("waits for the end of a worker if the program does", async () => {
    const program = `
      import { createIndexWorker } from "nous-wasm";
      const index = await createIndexWorker();
      await index.terminate();
      console.log("ended");
    `;
    expect(await project.node("ended.mjs", program)).toBe("ended\n");
  });

  it("passes none of its flags on to a worker", async () => {
    const program = `import { createIndexWorker } from "nous-wasm"; console.log(await (await createIndexWorker()).size());`;
    const flags = [
      "--input-type=module",
      "--import",
      "data:text/javascript,console.log('loaded')",
      "-e",
      program,
    ];
    expect(await must(process.execPath, flags, project.dir)).toBe("loaded\n0\n");
  });
});

describe("a thread that ends", () => {
  /** Runs a program that has access to its workers, and that creates them as given. */
  const withThreads = (name: string, making: string, source: string) =>
    project.node(
      name,
      `
      import { createRequire } from "node:module";
      const threads = createRequire(import.meta.url)("node:worker_threads");
      const made = [];
      threads.Worker = class extends threads.Worker {
        constructor(script, options) {
          super(...(${making})(script, options));
          made.push(this);
        }
      };
      const { createIndexWorker, NousError } = await import("nous-wasm");
      const code = (promise) =>
        promise.then(() => "answered", (error) => (error instanceof NousError ? error.code : String(error)));
      ${source}
    `,
    );

  it("rejects waiting and later calls with `instance_lost`", async () => {
    // The batch must take the thread longer than its end: a single node could be answered in
    // between.
    const source = `
      const index = await createIndexWorker();
      const nodes = Array.from({ length: 50_000 }, (_, place) => ({ id: "node " + place }));
      const waiting = [index.upsert(nodes), index.size(), index.decay()].map(code);
      made[0].terminate();
      console.log(...await Promise.all(waiting), await code(index.size()));
      await index.terminate();
      console.log(await code(index.size()));
      const next = await createIndexWorker();
      console.log(await next.size());
    `;
    const lost = "instance_lost";
    expect(await withThreads("killed.mjs", "(...args) => args", source)).toBe(
      `${lost} ${lost} ${lost} ${lost}\n${lost}\n0\n`,
    );
  });

  it("does so if its memory was exhausted", { timeout: 2 * MINUTES }, async () => {
    const source = `
      const index = await createIndexWorker();
      let found = "answered";
      for (let batch = 0; found === "answered"; batch++) {
        const nodes = Array.from({ length: 20_000 }, (_, place) => ({ id: "node " + batch + " " + place }));
        found = await code(index.upsert(nodes));
      }
      const { message, cause } = await index.size().catch((error) => error);
      console.log(found, cause.code, message.includes("memory"));
    `;
    const making = `(script, options) => [script, { ...options, resourceLimits: { maxOldGenerationSizeMb: 24 } }]`;
    expect(await withThreads("full.mjs", making, source)).toBe(
      "instance_lost ERR_WORKER_OUT_OF_MEMORY true\n",
    );
  });

  it("is `unsupported` if it ended before it began", async () => {
    const source = `console.log(await code(createIndexWorker()));`;
    expect(
      await withThreads("missing.mjs", `(_, options) => ["/no/script.cjs", options]`, source),
    ).toBe("unsupported\n");
    expect(
      await withThreads("refused.mjs", `() => { throw new Error("no threads for you") }`, source),
    ).toBe("unsupported\n");
  });
});
