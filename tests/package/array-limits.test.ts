// Lists too long to copy, and detached buffers: each raises a NousError, and the process continues.

import { spawnSync } from "node:child_process";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";

/** The functions as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
const js = nous as any;

/**
 * Calls by name, as source, since they run in a child process: `holes` is a list without any entry.
 */
const CALLS: Record<string, string> = {
  upsert: "index.upsert(holes)",
  remove: "index.remove(holes)",
  link: "index.link(holes)",
  unlink: "index.unlink(holes)",
  touch: "index.touch(holes)",
  recall: "index.recall(holes)",
  handles: "index.handles(holes)",
  "strengthen, groups": "index.strengthen(holes, 0.1)",
  "strengthen, a group": "index.strengthen([holes], 0.1)",
  rerank: "index.rerank({ ids: holes })",
  "rerank, a column": 'index.rerank({ ids: ["a"], semantic: holes })',
  "search, hits": "index.search({ bm25: holes })",
  "search, embedding": "index.search({ embedding: holes })",
  "search, a filter": "index.search({ filters: { tags_any: holes } })",
  explain: 'index.explain("a", { bm25: holes })',
  applyDecay: "index.applyDecay({ ids: holes, retrievability: [], lifecycle: [] })",
  "upsert, tags": 'index.upsert([{ id: "b", tags: holes }])',
  "TextIndex upsert": "texts.upsert(holes)",
  "TextIndex remove": "texts.remove(holes)",
  rerankWithSectionWeights: "nous.rerankWithSectionWeights(holes, {})",
  "rerankWithSectionWeights, neutral":
    'nous.rerankWithSectionWeights(holes, {}, 0, { onInvalid: "neutral" })',
  rerankTop: "nous.rerankTop(holes, {})",
  mergeAndSelect: 'nous.mergeAndSelect([["a", holes]])',
  formatContext: "nous.formatContext(holes)",
  findPatterns: "nous.findPatterns(holes, [])",
  "findPatterns, edges": "nous.findPatterns([], holes)",
  boost: "new nous.UsageTracker().boost(holes)",
  record: "new nous.UsageTracker().record(holes)",
  "matchPlaybooks, events": "nous.matchPlaybooks([], holes)",
  createEngine: "nous.createEngine({ knownSymbols: holes })",
  contextMemory: 'nous.contextMemory({ id: "a", score: 1, tags: holes })',
  deduplicate: "nous.deduplicate(holes, [])",
};

describe("a list of 2^32 - 1 holes", () => {
  test("is refused by every function, in little memory", () => {
    const source = `
      import * as nous from "nous-wasm";
      const holes = new Array(2 ** 32 - 1);
      const index = new nous.MemoryIndex({ dimensions: 4 });
      index.upsert([{ id: "a", created_at: 0 }]);
      const texts = new nous.TextIndex();
      const calls = { ${Object.entries(CALLS).map(([name, call]) => `${JSON.stringify(name)}: () => ${call}`)} };
      for (const [name, call] of Object.entries(calls)) {
        try {
          await call();
          console.log(name + ": nothing");
        } catch (error) {
          if (!(error instanceof nous.NousError)) console.log(name + ": " + error);
        }
      }
      const built = await nous.buildContext({ input: "what is redis?", identity: "i", retrieve: () => holes });
      console.log(built.failed.map(({ part }) => part).join());
    `;
    const options = ["--max-old-space-size=300", "--input-type=module", "--eval", source];
    const { stdout, stderr, status } = spawnSync(process.execPath, options, {
      cwd: new URL("../..", import.meta.url),
      encoding: "utf8",
    });
    expect({ stdout: stdout.trim(), stderr, status }).toEqual({
      stdout: "decisions,facts,procedures,episodes",
      stderr: "",
      status: 0,
    });
  });

  test("is refused with the allowed number of entries", () => {
    const index = new nous.MemoryIndex();
    for (const length of [2 ** 31, 2 ** 32 - 1]) {
      expect(() => index.touch(new Array(length))).toThrow(
        expect.objectContaining({
          code: "out_of_memory",
          message: `ids must have at most 33554432 entries, found ${length}: pass them in parts.`,
          details: { field: "ids" },
        }),
      );
    }
    index.free();
  });
});

describe("a detached buffer", () => {
  const detached = <A extends ArrayBufferView>(view: A): A => {
    structuredClone(view.buffer, { transfer: [view.buffer as ArrayBuffer] });
    return view;
  };
  const f32 = () => detached(new Float32Array(4));
  const f64 = () => detached(new Float64Array(4));
  const index = new nous.MemoryIndex({ dimensions: 4 });
  index.upsert([{ id: "a", created_at: 0, embedding: [1, 0, 0, 0] }]);

  test.each<[string, () => unknown, string]>([
    ["an embedding", () => index.upsert([{ id: "b", embedding: f32() }]), "embedding"],
    ["an embedding of doubles", () => index.upsert([{ id: "b", embedding: f64() }]), "embedding"],
    ["a search", () => index.search({ embedding: f32() }), "embedding"],
    ["similar", () => index.similar(f64()), "embedding"],
    ["a column", () => index.rerank({ ids: ["a"], semantic: f64() }), "semantic"],
    [
      "columns of a sweep",
      () => js.decayColumns({ lastAccessed: f64(), stability: [1] }),
      "stability",
    ],
    ["a snapshot", () => nous.MemoryIndex.restore(detached(new Uint8Array(64))), "bytes"],
    [
      "a snapshot's buffer",
      () => nous.MemoryIndex.restore(detached(new Uint8Array(64)).buffer),
      "bytes",
    ],
    ["a snapshot's piece", () => nous.TextIndex.restore([detached(new Uint8Array(64))]), "bytes"],
    [
      "a snapshot's view",
      () => js.MemoryIndex.restore([detached(new DataView(new ArrayBuffer(8)))]),
      "bytes",
    ],
  ])("is refused as %s", (_, call, field) => {
    expect(call).toThrow(expect.objectContaining({ name: "NousError", code: "invalid_argument" }));
    expect(call).toThrow(expect.objectContaining({ details: expect.objectContaining({ field }) }));
    expect(index.get("a")).toMatchObject({ has_embedding: true });
    expect(index.has("b")).toBe(false);
  });

  test("counts as an empty one if nothing is requested of it", () => {
    expect(index.rerank({ ids: [], semantic: f64(), graph: f32() }).length).toBe(0);
    expect(index.rerank({ handles: detached(new Uint32Array(2)) }).length).toBe(0);
  });
});
