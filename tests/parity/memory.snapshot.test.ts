// Snapshots: a restored index equals the saved one in every answer and in its bytes; damaged,
// truncated or forged snapshots are refused, and never restored in part.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { MemoryIndex, type MemoryIndexOptions, NousError, type SnapshotSource } from "nous-wasm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeRandom, NOW } from "../../js/reference/inputs.ts";
import { M, xxh64 } from "../../js/reference/xxh64.ts";
import { amount, runs, SEED, some } from "../support/amount.ts";
import { makeMemory, makeSearch } from "./inputs/graphs.ts";
import {
  answerTo,
  type Call,
  contentOf,
  EDGE_IDS,
  fill,
  foundBy,
  type Life,
  life,
  NODE_IDS,
  queryOf,
} from "./inputs/memories.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;
const MiB = 2 ** 20;
const ascending = (length: number) => Array.from({ length }, (_, i) => i);

function expectSame(actual: unknown, expected: unknown, what = ""): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(`${what} ${difference}`);
}

/** Memories of the instances created since the last check. */
const made: WebAssembly.Memory[] = [];
const { Instance } = WebAssembly;
beforeAll(() => {
  WebAssembly.Instance = class extends Instance {
    constructor(...given: ConstructorParameters<typeof Instance>) {
      super(...given);
      made.push(this.exports.memory as WebAssembly.Memory);
    }
  };
});
beforeEach(() => {
  made.length = 0;
});
afterAll(() => {
  WebAssembly.Instance = Instance;
});

type RestoreOptions = Pick<MemoryIndexOptions, "config" | "maxBytes">;

/** Expects an error of this code, and less memory than a small index takes. */
function expectRefusal(
  source: unknown,
  what: string,
  code = "invalid_snapshot",
  options: RestoreOptions = {},
): void {
  made.length = 0;
  let thrown: unknown;
  try {
    MemoryIndex.restore(source as SnapshotSource, options).free();
  } catch (error) {
    thrown = error;
  }
  if (thrown === undefined) expect.fail(`${what}: an index came of it`);
  if (!(thrown instanceof NousError)) expect.fail(`${what}: ${String((thrown as Error).stack)}`);
  if (thrown.code !== code) expect.fail(`${what}: ${thrown.code}, ${thrown.message}`);
  for (const { buffer } of made.splice(0)) {
    if (buffer.byteLength > 16 * MiB)
      expect.fail(`${what}: the module grew to ${buffer.byteLength / MiB} MiB`);
  }
}

/** All state of an index that methods can observe. */
function report(
  index: MemoryIndex,
  embeddings: readonly ArrayLike<number>[],
  queries: readonly object[] = [],
) {
  const ids = [...index.ids()].sort();
  return {
    content: contentOf(index, ids, EDGE_IDS),
    embeddingId: index.embeddingId,
    similar: embeddings.map((embedding) =>
      index.similar(embedding, { limit: Number.POSITIVE_INFINITY, now: NOW }),
    ),
    found: queries.map((query) =>
      foundBy(index.search({ include_connections: true, now: NOW, ...query })),
    ),
    decay: [0, 61, 900, -20].map((days) => index.decay(NOW + days * DAY)),
    transitions: [0, 61, 900, -20].map((days) => index.transitions(NOW + days * DAY)),
  };
}

/** Restores, passes both indexes to a function, and frees the restored one. */
function restoring(
  index: MemoryIndex,
  config: object | undefined,
  use: (restored: MemoryIndex) => void,
): void {
  const bytes = index.snapshot();
  const restored = MemoryIndex.restore(bytes, { config } as RestoreOptions);
  expectSame(restored.snapshot(), bytes, "the snapshot of the restored one:");
  use(restored);
  restored.free();
}

/** The version of the format: the first number of the first part, behind its header. */
const versionOf = (snapshot: Uint8Array) =>
  new DataView(snapshot.buffer, snapshot.byteOffset).getUint32(32, true);

describe("a restored index equals the saved one", () => {
  test("for any history, and under any later queries, reads and removals", () => {
    const after: fc.Arbitrary<{ before: Life; more: Call[] }> = fc.record({
      before: life,
      more: life.map(({ calls }) =>
        calls.filter(([method]) => !["upsert", "link", "similar", "search"].includes(method)),
      ),
    });
    fc.assert(
      fc.property(after, ({ before: { options, calls }, more }) => {
        const index = new MemoryIndex({ ...options, embeddingId: "größe 🚀" });
        for (const call of calls) answerTo(index, call);
        restoring(index, options.config, (restored) => {
          const { dimensions = 0 } = options;
          const embeddings =
            dimensions === 0 ? [] : [ascending(dimensions).map((i) => ((i * 7) % 5) - 1)];
          const queries = [
            { bm25: NODE_IDS.map((id, i) => ({ id, score: i })) },
            ...embeddings.map((it) => ({ embedding: it })),
          ];
          const now = () => [index, restored].map((it) => report(it, embeddings, queries));
          const [expected, actual] = now();
          expectSame(actual, expected);
          for (const call of [...calls.filter(([method]) => method === "search"), ...more]) {
            expectSame(answerTo(restored, call), answerTo(index, call), `${call[0]}:`);
          }
          const [later, actualLater] = now();
          expectSame(actualLater, later, "later:");
          expectSame(restored.snapshot(), index.snapshot(), "the snapshot of later:");
        });
        index.free();
      }),
      runs(120),
    );
  });

  test("with what use has taught, which takes a version of its own", () => {
    const index = new MemoryIndex();
    index.upsert(
      NODE_IDS.slice(0, 3).map((id, place) => ({ id, text: `Tea ${"again ".repeat(place)}?` })),
    );
    const blank = index.snapshot();
    const [used, ...others] = NODE_IDS.slice(0, 3) as [string, string, string];
    index.learn({ question: "Which tea?", shown: [used, ...others], used: [used], now: NOW });
    expect(index.learned().steps).toBe(1);
    restoring(index, undefined, (restored) => {
      expectSame(restored.learned(), index.learned());
    });
    expect(versionOf(index.snapshot())).toBe(versionOf(blank) + 2);
    index.forgetLearned();
    expectSame(index.snapshot(), blank, "after forgetting:");
    index.free();
  });

  test.each(["f32", "i8"] as const)(
    "for a larger one in %s, with updated rows and numbers out of order",
    (form) => {
      const content = makeMemory({
        nodes: 700,
        edges: 2500,
        dimensions: 19,
        seed: SEED,
        unembedded: 0.1,
      });
      const index = new MemoryIndex({ dimensions: 19, embeddings: form });
      fill(index, content);
      index.remove(content.nodes.filter((_, i) => i % 3 === 0).map(({ id }) => id));
      index.unlink(content.edges.filter((_, i) => i % 5 === 0).map(({ id }) => id));
      index.upsert(
        content.nodes
          .filter((_, i) => i % 6 === 0)
          .map((node, i) => ({ ...node, sequence: 1e6 + ((i * 7919) % 65_521) * 1e4 })),
      );
      index.link(
        content.edges.map((edge, i) =>
          i % 4 === 0 ? { ...edge, sequence: 1e6 + ((i * 7919) % 65_521) * 1e4 } : edge,
        ),
      );
      const embeddings = [1, 2, 3].map(
        (seed) => makeMemory({ nodes: 1, edges: 0, dimensions: 19, seed }).nodes[0]!.embedding!,
      );
      restoring(index, undefined, (restored) => {
        const queries = ascending(12).map((i) => queryOf(makeSearch(content, SEED + i)));
        expectSame(report(restored, embeddings, queries), report(index, embeddings, queries));
        for (const { id } of content.edges) expectSame(restored.getEdge(id), index.getEdge(id), id);
        // Both stay equal afterwards.
        for (const memory of [index, restored]) {
          memory.remove(content.nodes.filter((_, i) => i % 7 === 1).map(({ id }) => id));
          memory.upsert(
            content.nodes.filter((_, i) => i % 4 === 0),
            { now: NOW },
          );
          memory.link(content.edges.filter((_, i) => i % 3 === 0));
        }
        expectSame(
          report(restored, embeddings, queries),
          report(index, embeddings, queries),
          "later:",
        );
        expectSame(restored.snapshot(), index.snapshot(), "the snapshot of later:");
      });
      index.free();
    },
  );

  test("sequence numbers continue as in the original, also if the highest are gone", () => {
    const index = new MemoryIndex();
    index.upsert(["a", "b", "c"].map((id) => ({ id })));
    const edge = (id: string) => ({ id, source_id: "a", target_id: "b" });
    index.link(["e", "f", "g"].map(edge));
    index.remove(["c"]);
    index.unlink(["g"]);
    restoring(index, undefined, (restored) => {
      for (const memory of [index, restored]) {
        memory.upsert([{ id: "d" }]);
        memory.link([edge("h")]);
      }
      expect([restored.get("d")!.sequence, restored.getEdge("h")!.sequence]).toEqual([3, 3]);
    });
    index.free();
  });

  test("nodes of equal sequence numbers keep their order", () => {
    const index = new MemoryIndex({
      dimensions: 2,
      config: { search: { maxNodes: 2, graphReach: true } },
    });
    const node = (id: string) => ({ id, sequence: 7, embedding: [1, 1] });
    index.upsert(["a", "b", "c", "d", "p", "q"].map(node));
    index.remove(["a", "c"]);
    index.upsert(["e", "f", "g"].map(node));
    // Free slots are reused from the last.
    const edge = (id: string, target: string) => ({
      id,
      source_id: "d",
      target_id: target,
      sequence: 1000,
    });
    const others = ascending(300).map((i) => ({ ...edge(`x_${i}`, "d"), sequence: i }));
    index.link(others);
    index.unlink(others.slice(0, 290).map(({ id }) => id));
    index.link([edge("to p", "p")]);
    index.link([edge("to q", "q"), edge("to e", "e")]);
    const queries = [{ bm25: [{ id: "d", score: 1 }] }];
    restoring(index, { search: { maxNodes: 2, graphReach: true } }, (restored) => {
      for (const limit of [1, 2, 3, 4]) {
        const all = index.similar([1, 0], { limit: Number.POSITIVE_INFINITY }).ids;
        for (const memory of [index, restored])
          expect(memory.similar([1, 0], { limit }).ids).toEqual(all.slice(0, limit));
      }
      expectSame(report(restored, [[1, 1]], queries), report(index, [[1, 1]], queries));
    });
    index.free();
  });

  test("the highest sequence number survives, with its consequences", () => {
    const index = new MemoryIndex();
    index.upsert([{ id: "a" }, { id: "last", sequence: 2 ** 53 - 1 }]);
    index.link([{ id: "e", source_id: "a", target_id: "a", sequence: 2 ** 53 - 1 }]);
    restoring(index, undefined, (restored) =>
      expect(restored.get("last")!.sequence).toBe(2 ** 53 - 1),
    );
    for (const add of [
      () => index.upsert([{ id: "beyond" }]),
      () => index.link([{ id: "beyond", source_id: "a", target_id: "a" }]),
    ]) {
      try {
        add();
      } catch (error) {
        expect(error).toBeInstanceOf(NousError);
      }
      // The index can be saved whether or not the call is refused.
      restoring(index, undefined, (restored) => expect(restored.size).toBe(index.size));
    }
    index.free();
  });

  test.each<[string, MemoryIndexOptions]>([
    ["nothing", {}],
    [
      "nothing, with dimensions and a model",
      { dimensions: 7, embeddings: "i8", embeddingId: "größe 🚀\0" },
    ],
    ["nothing, with as many dimensions as can be", { dimensions: 65_536 }],
  ])("%s", (_, options) => {
    const index = new MemoryIndex(options);
    restoring(index, undefined, (restored) => {
      expect([restored.size, restored.edgeCount, restored.embeddingId]).toEqual([
        0,
        0,
        options.embeddingId ?? "",
      ]);
      const embedding = new Float32Array(options.dimensions ?? 0).fill(1);
      for (const memory of [index, restored]) {
        memory.upsert([{ id: "a", ...(embedding.length > 0 ? { embedding } : {}) }], { now: NOW });
        if (embedding.length > 0) expect(memory.similar(embedding).ids).toEqual(["a"]);
      }
      expectSame(restored.snapshot(), index.snapshot());
    });
    index.free();
  });

  test("an emptied index stays empty", () => {
    const index = new MemoryIndex({ dimensions: 2 });
    index.upsert([{ id: "a", embedding: [1, 2], tags: ["t"] }, { id: "b" }]);
    index.link([{ id: "e", source_id: "a", target_id: "b" }]);
    index.remove(["a", "b"]);
    restoring(index, undefined, (restored) =>
      expect([restored.size, restored.edgeCount]).toEqual([0, 0]),
    );
    index.free();
  });

  const IDS: [string, string[]][] = [
    ["lone surrogates", ["\ud800", "\udc00", "\ud800\ud800", "a\udfffb", "\udbff"]],
    [
      "lone surrogates that are neighbours and make a pair",
      ["a\ud83d", "\ude80b", "🚀", "\ude80\ud83d"],
    ],
    [
      "emoji, combining marks and other planes",
      ["🚀", "👩‍👩‍👧", "é", "e\u0301", "𝒳", "\u{10ffff}"],
    ],
    [
      "NUL, controls, a mark of byte order",
      ["\0", "\0\0", "a\0b", "\x7f\x1b", "\ufeff", "\ufeffa", "\r\n", " "],
    ],
    [
      "10,000 characters",
      ["x".repeat(10_000), "é".repeat(10_000), `${"x".repeat(9_999)}y`, "\ud800".repeat(10_000)],
    ],
    [
      "words of JavaScript",
      ["__proto__", "constructor", "toString", "undefined", "null", "0", "-1", "NaN"],
    ],
  ];

  test.each(IDS)("ids of %s", (_, ids) => {
    const index = new MemoryIndex();
    index.upsert(
      ids.map((id) => ({ id })),
      { now: NOW },
    );
    index.link(ids.map((id, i) => ({ id, source_id: id, target_id: ids[(i + 1) % ids.length]! })));
    restoring(index, undefined, (restored) => {
      expectSame(contentOf(restored, ids, ids), contentOf(index, ids, ids));
      expect([...restored.ids()]).toEqual(ids);
    });
    index.free();
  });

  test("a model, types, tags and clusters of any text", () => {
    const texts = [...new Set(IDS.flatMap(([, ids]) => ids))].filter(
      (text) => !/\p{Surrogate}/u.test(text),
    );
    const index = new MemoryIndex({ embeddingId: texts.join("") });
    index.upsert(
      texts.map((text, i) => ({
        id: `${i}`,
        type: text,
        subtype: text,
        tags: texts,
        clusters: [text],
      })),
    );
    index.link(texts.map((type, i) => ({ id: `${i}`, type, source_id: "0", target_id: "1" })));
    restoring(index, undefined, (restored) => {
      expect(restored.embeddingId).toBe(index.embeddingId);
      const ids = texts.map((_, i) => `${i}`);
      expectSame(contentOf(restored, ids, ids), contentOf(index, ids, ids));
      expect(restored.get("3")).toMatchObject({
        type: texts[3],
        subtype: texts[3],
        tags: texts,
        clusters: [texts[3]],
      });
    });
    index.free();
  });

  test("numbers at their limits", () => {
    const index = new MemoryIndex({ dimensions: 1 });
    const ends = {
      retrievability: 1,
      difficulty: 5e-324,
      access_count: 2 ** 32 - 1,
      created_at: -8.64e15,
    };
    index.upsert([
      {
        id: "a",
        stability: 5e-324,
        last_accessed: 8.64e15,
        embedding: [-1e-150],
        lifecycle: "DELETED",
        ...ends,
      },
      {
        id: "b",
        stability: Number.MAX_VALUE,
        retrievability: 0,
        difficulty: 1,
        created_at: 0.5,
        embedding: [1e150],
      },
      { id: "c", stability: -0, retrievability: -0, created_at: -0 },
    ]);
    index.link([{ id: "e", source_id: "a", target_id: "a", strength: 5e-324 }]);
    restoring(index, undefined, (restored) => {
      expectSame(report(restored, [[1]]), report(index, [[1]]));
      expectSame(restored.getEdge("e"), index.getEdge("e"));
    });
    index.free();
  });

  test("another configuration applies its own sections", () => {
    const moved = {
      sections: { subtypes: { "custom:trade": { section: "KNOWLEDGE", stability: 300 } } },
    } as const;
    const content = makeMemory({ nodes: 120, edges: 300, dimensions: 3, seed: SEED });
    const trades = content.nodes.map((node) => ({
      ...node,
      subtype: "custom:trade",
      difficulty: null,
    }));
    const [plain, other] = [
      new MemoryIndex({ dimensions: 3 }),
      new MemoryIndex({ dimensions: 3, config: moved }),
    ];
    for (const memory of [plain, other]) {
      memory.upsert(trades, { now: NOW });
      memory.link(content.edges);
    }
    const queries = ascending(5).map((i) => ({
      ...queryOf(makeSearch(content, SEED + i)),
      filters: null,
    }));
    const asked = (index: MemoryIndex) => {
      const { found, decay, transitions } = report(index, [[1, 2, 3]], queries);
      return { found, decay, transitions };
    };
    expect(same(asked(plain), asked(other))).not.toBeNull();
    const [there, back] = [
      MemoryIndex.restore(plain.snapshot(), { config: moved }),
      MemoryIndex.restore(other.snapshot()),
    ];
    expectSame(asked(there), asked(other));
    expectSame(asked(back), asked(plain));
    // A new node of the subtype follows that configuration, too.
    for (const memory of [there, other])
      memory.upsert([{ id: "new", subtype: "custom:trade" }], { now: NOW });
    expect(there.get("new")!.stability).toBe(300);
    expectSame({ ...there.get("new"), sequence: 0 }, { ...other.get("new"), sequence: 0 });
    for (const memory of [plain, other, there, back]) memory.free();
  });
});

// ---- written bytes ------------------------------------------------------------------------------

describe("shared and unused names", () => {
  test("a set of tags is written once across all parts", () => {
    const index = new MemoryIndex();
    const tags = ascending(1000).map((i) => `tag ${i}`);
    const shared = (i: number) => (i % 100 === 3 ? { tags, clusters: ["c"] } : {});
    index.upsert(
      ascending(70_000).map((i) => ({ id: `${i}`, ...shared(i) })),
      { now: NOW },
    );
    index.upsert([{ id: "69999", tags: tags.slice(1) }]);
    const parts = [...index.snapshotParts()];
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(6 * MiB);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(4.1 * MiB);
    const restored = MemoryIndex.restore(parts);
    for (const id of ["3", "4", "69903", "69999"]) expectSame(restored.get(id), index.get(id), id);
    expect(Buffer.concat(parts).equals(restored.snapshot())).toBe(true);
    for (const each of [index, restored]) each.free();
  });

  test("unused names are not written", () => {
    const index = small();
    const expected = index.snapshot();
    const gone = {
      type: "no type",
      subtype: "no subtype",
      tags: ["no tag"],
      clusters: ["no cluster"],
    };
    index.upsert([{ id: "gone", ...gone }]);
    index.link([{ id: "to gone", source_id: "aa", target_id: "gone", type: "no relation" }]);
    index.upsert([{ id: "gone", type: "note", subtype: null, tags: ["late"], clusters: [] }]);
    index.remove(["gone"]);
    index.upsert([{ id: "dd", type: "late type", tags: ["late"], created_at: NOW }]);
    const bytes = index.snapshot();
    const text = new TextDecoder("latin1").decode(bytes);
    expect(
      Object.values(gone)
        .flat()
        .filter((name) => text.includes(name)),
    ).toEqual([]);
    expect(text).not.toContain("no relation");
    restoring(index, undefined, (restored) => {
      expectSame(report(restored, [[1, 2, 3]]), report(index, [[1, 2, 3]]));
      expect(restored.get("dd")).toMatchObject({ type: "late type", tags: ["late"] });
      restored.remove(["dd"]);
      // Except for the numbers that come next.
      expect(restored.snapshot().length).toBe(expected.length);
    });
    index.free();
  });

  test("a part of ids is limited by their length, too", () => {
    const index = new MemoryIndex();
    const ids = ascending(300).map((i) => `${i} ${"é".repeat(20_000)}`);
    index.upsert(ids.map((id) => ({ id })));
    index.link(ids.slice(0, 200).map((id) => ({ id, source_id: id, target_id: ids[0]! })));
    const parts = [...index.snapshotParts()];
    const kinds = parts.map((part) => partsOf(part)[0]!.kind);
    expect(
      [KINDS.nodeIds, KINDS.edgeIds].map((kind) => kinds.filter((it) => it === kind).length),
    ).toEqual([3, 2]);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(5 * MiB);
    const restored = MemoryIndex.restore(parts);
    expectSame([...restored.ids()], ids);
    expectSame(restored.getEdge(ids[77]!), index.getEdge(ids[77]!));
    for (const each of [index, restored]) each.free();
  });
});

/** Fixtures of earlier packages: version 1, and version 2 with embeddings in i8. */
const OLD = JSON.parse(
  readFileSync(new URL("inputs/old-snapshots.json", import.meta.url), "utf8"),
) as Record<string, string>;

test.each(["1", "2"])("a snapshot of version %s can still be read", (version) => {
  const keepsSalience = version === "2";
  const config = { salienceGrowth: keepsSalience };
  const index = new MemoryIndex({
    dimensions: 3,
    embeddings: keepsSalience ? "i8" : "f32",
    embeddingId: "model",
    config,
  });
  const dates = {
    created_at: Date.UTC(2026, 0, 1) - 9 * DAY,
    last_accessed: Date.UTC(2026, 0, 1) - DAY,
  };
  const [tags, clusters] = [["t", "u"], ["c"]];
  index.upsert([
    { id: "gone", tags: ["gone"] },
    { id: "aa", subtype: "custom:lesson", tags, clusters, embedding: [1, 2, 3], ...dates },
    { id: "bb", type: "note", tags: ["u"], salience: 0.75, ...dates },
    { id: "cc", embedding: [-1, 0, 0.5], stability: 3, tags, clusters, ...dates },
  ]);
  index.link([
    { id: "gone", source_id: "gone", target_id: "aa" },
    { id: "ab", source_id: "aa", target_id: "bb", type: "causes" },
    { id: "cc", source_id: "cc", target_id: "cc", strength: 0.3 },
  ]);
  index.remove(["gone"]);
  const old = new Uint8Array(Buffer.from(OLD[version]!, "base64"));
  expect(new DataView(old.buffer).getUint32(HEADER, true)).toBe(Number(version));
  const restored = MemoryIndex.restore(old, { config });
  expectSame(report(restored, [[1, 2, 3]]), report(index, [[1, 2, 3]]));
  for (const id of ["aa", "bb", "cc"]) expectSame(restored.get(id), index.get(id), id);
  expectSame(restored.getEdge("ab"), index.getEdge("ab"));
  restoring(restored, config, (again) =>
    expectSame(report(again, [[1, 2, 3]]), report(index, [[1, 2, 3]])),
  );
  for (const each of [index, restored]) each.free();
});

// ---- parts --------------------------------------------------------------------------------------

const HEADER = 32;
const KINDS = {
  start: 0,
  nodes: 1,
  edges: 2,
  embeddings: 3,
  end: 4,
  nodeIds: 16,
  edgeIds: 17,
} as const;
type Kind = keyof typeof KINDS;

interface Piece {
  kind: number;
  content: Uint8Array;
}

function partsOf(snapshot: Uint8Array): Piece[] {
  const parts: Piece[] = [];
  for (let at = 0; at < snapshot.length; ) {
    const view = new DataView(snapshot.buffer, snapshot.byteOffset + at);
    const end = at + HEADER + Number(view.getBigUint64(16, true));
    parts.push({ kind: view.getUint32(4, true), content: snapshot.slice(at + HEADER, end) });
    at = end;
  }
  return parts;
}

/** Parts with valid headers: part numbers and checksums. */
const seal = (parts: readonly Piece[]): Uint8Array[] =>
  parts.map(({ kind, content }, number) => {
    const bytes = new Uint8Array(HEADER + content.length);
    const view = new DataView(bytes.buffer);
    bytes.set(new TextEncoder().encode("NOUS"));
    view.setUint32(4, kind, true);
    view.setBigUint64(8, BigInt(number), true);
    view.setBigUint64(16, BigInt(content.length), true);
    bytes.set(content, HEADER);
    const summed = new Uint8Array(24 + content.length);
    summed.set(bytes.subarray(0, 24));
    summed.set(content, 24);
    view.setBigUint64(24, xxh64(summed), true);
    return bytes;
  });

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(pieces.flatMap((piece) => [...piece]));

/** A snapshot with changed content in one part: changed in place, or returned by `edit`. */
function forged(
  snapshot: Uint8Array,
  kind: Kind,
  edit: (view: DataView, content: Uint8Array) => unknown,
): Uint8Array {
  const parts = partsOf(snapshot);
  const part = parts.find((each) => each.kind === KINDS[kind])!;
  const other = edit(new DataView(part.content.buffer), part.content);
  if (other instanceof Uint8Array) part.content = other;
  return joined(seal(parts));
}

function small(embeddings: "f32" | "i8" = "f32", config = {}): MemoryIndex {
  const index = new MemoryIndex({ dimensions: 3, embeddings, embeddingId: "model", config });
  const dates = { created_at: NOW - 9 * DAY, last_accessed: NOW - DAY };
  index.upsert([
    {
      id: "aa",
      subtype: "custom:lesson",
      tags: ["t", "u"],
      clusters: ["c"],
      embedding: [1, 2, 3],
      ...dates,
    },
    { id: "bb", type: "note", tags: ["u"], salience: 0.75, ...dates },
    { id: "cc", embedding: [-1, 0, 0.5], stability: 3, ...dates },
  ]);
  index.link([
    { id: "ab", source_id: "aa", target_id: "bb", type: "causes" },
    { id: "cc", source_id: "cc", target_id: "cc", strength: 0.3 },
  ]);
  return index;
}

const snapshotOf = (index: MemoryIndex): Uint8Array => {
  const bytes = index.snapshot();
  index.free();
  return bytes;
};

test("parts that are taken apart and sealed again equal the snapshot, so the forging helper knows the format", () => {
  for (const form of ["f32", "i8"] as const) {
    const bytes = snapshotOf(small(form));
    expectSame(joined(seal(partsOf(bytes))), bytes);
    expect(partsOf(bytes).map(({ kind }) => kind)).toEqual([0, 16, 17, 1, 2, 3, 4]);
  }
});

describe("a snapshot to restore", () => {
  const content = makeMemory({ nodes: 300, edges: 900, dimensions: 16, seed: SEED });
  let bytes: Uint8Array<ArrayBuffer>;
  let parts: Uint8Array[];
  beforeAll(() => {
    const index = new MemoryIndex({ dimensions: 16 });
    fill(index, content);
    [bytes, parts] = [index.snapshot(), [...index.snapshotParts()]];
    index.free();
  });

  function* cut(length: (at: number) => number): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      const end = at + length(at);
      yield bytes.subarray(at, end);
      at = end;
    }
  }

  const random = makeRandom(SEED);
  test.each<[string, () => SnapshotSource]>([
    ["one", () => bytes],
    ["its buffer", () => bytes.buffer],
    [
      "a view into a larger buffer",
      () => joined([new Uint8Array(5), bytes, new Uint8Array(9)]).subarray(5, 5 + bytes.length),
    ],
    ["a view of other elements", () => new DataView(bytes.buffer) as unknown as Uint8Array],
    ["its parts", () => parts],
    ["a set of its parts", () => new Set(parts)],
    ["bytes", () => cut(() => 1)],
    ["sevens", () => cut(() => 7)],
    ["pieces of 31, 32 and 33", () => cut((at) => 31 + (at % 3))],
    ["pieces of any length, also none", () => cut(() => Math.floor(random() ** 4 * 5000))],
    ["pieces of 4 KiB", () => cut(() => 4096)],
  ])("may be passed as %s", (_, source) => {
    const restored = MemoryIndex.restore(source());
    expectSame(restored.snapshot(), bytes);
    restored.free();
  });

  test("in chunks of a few bytes takes time in proportion to their number", () => {
    const index = new MemoryIndex({ dimensions: 256 });
    const embedding = new Float32Array(256).fill(1);
    index.upsert(ascending(2500).map((i) => ({ id: `${i}`, embedding })));
    const long = snapshotOf(index);
    function* pieces() {
      for (let at = 0; at < long.length; at += 8) yield long.subarray(at, at + 8);
    }
    const began = process.cpuUsage();
    const restored = MemoryIndex.restore(pieces());
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(16);
    expect(restored.size).toBe(2500);
    restored.free();
  });

  test.each([33, 250, 1000])(
    "may come in one reused buffer of %i bytes, as a file is read",
    (length) => {
      const place = new Uint8Array(length);
      function* read() {
        for (let at = 0; at < bytes.length; at += place.length) {
          const some = bytes.subarray(at, at + place.length);
          place.set(some);
          yield place.subarray(0, some.length);
        }
      }
      const restored = MemoryIndex.restore(read());
      expectSame(restored.snapshot(), bytes);
      restored.free();
    },
  );

  test("is read no further if the first chunk is not a snapshot", () => {
    let asked = 0;
    function* pieces() {
      for (;;) {
        asked += 1;
        yield new Uint8Array(64);
      }
    }
    expectRefusal(pieces(), "zeros without end");
    expect(asked).toBeLessThan(3);
  });

  test("throws the iterator's own error", () => {
    function* pieces() {
      yield bytes.subarray(0, 100);
      throw new RangeError("from within");
    }
    expect(() => MemoryIndex.restore(pieces())).toThrow("from within");
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a number", 7],
    ["text", "NOUS"],
    ["an object", {}],
    ["an object with a length", { length: 3 }],
    ["numbers", [78, 79, 85, 83]],
    ["texts", ["NOUS"]],
    ["a promise", Promise.resolve()],
    ["lists of lists", [[new Uint8Array(1)]]],
    ["something asynchronous", (async function* () {})()],
    ["a function", () => new Uint8Array()],
  ])("is refused as %s", (_, source) => expectRefusal(source, "", "invalid_argument"));

  test("is refused if it is empty", () => {
    for (const source of [
      new Uint8Array(),
      new ArrayBuffer(0),
      [],
      [new Uint8Array(), new Uint8Array()],
    ]) {
      expectRefusal(source, "nothing");
    }
  });

  test("refuses unknown and invalid options", () => {
    for (const [options, code] of [
      [{ dimensions: 16 }, "invalid_argument"],
      [{ embeddingId: "model" }, "invalid_argument"],
      [{ maxBytes: -1 }, "invalid_argument"],
      [null, "invalid_argument"],
      [{ config: { search: { hopdecay: 1 } } }, "invalid_config"],
      [{ maxBytes: 1 }, "out_of_memory"],
    ] as const) {
      expectRefusal(bytes, JSON.stringify(options), code, options as RestoreOptions);
    }
  });

  test("is refused if it is larger than maxBytes", () => {
    const index = new MemoryIndex({ dimensions: 256 });
    const embedding = new Float32Array(256).fill(1);
    index.upsert(ascending(20_000).map((i) => ({ id: `n_${i}`, embedding })));
    expectRefusal(snapshotOf(index), "20 MiB", "out_of_memory", { maxBytes: 12 * MiB });
  });
});

describe("a damaged snapshot is refused", () => {
  /** All places of a small snapshot, or in `npm test` a fifth of them. */
  const placesOf = ({ length }: Uint8Array) => some(ascending(length), length / 5);

  test.each(["f32", "i8"] as const)("for any flipped bit of a small one, %s", (form) => {
    const bytes = snapshotOf(small(form));
    for (const place of placesOf(bytes)) {
      for (const bit of form === "f32"
        ? [place % 8, (place + 3) % 8, (place + 6) % 8]
        : [place % 8]) {
        bytes[place]! ^= 1 << bit;
        expectRefusal(bytes, `bit ${bit} of byte ${place}`);
        bytes[place]! ^= 1 << bit;
      }
    }
    MemoryIndex.restore(bytes).free();
  });

  test("for any byte of a small one set to 0 or 255, removed or doubled", () => {
    const bytes = snapshotOf(small());
    for (const place of placesOf(bytes)) {
      for (const value of [0, 255]) {
        if (bytes[place] === value) continue;
        const other = bytes.slice();
        other[place] = value;
        expectRefusal(other, `byte ${place} is ${value}`);
      }
      expectRefusal([bytes.subarray(0, place), bytes.subarray(place + 1)], `without byte ${place}`);
      expectRefusal([bytes.subarray(0, place + 1), bytes.subarray(place)], `twice byte ${place}`);
    }
  });

  test("for any truncation of a small one", () => {
    const bytes = snapshotOf(small());
    for (const length of placesOf(bytes)) {
      expectRefusal(bytes.subarray(0, length), `the first ${length} bytes`);
      expectRefusal(
        [bytes.subarray(0, length), new Uint8Array()],
        `the first ${length} bytes in pieces`,
      );
    }
  });

  describe("if it is large", () => {
    let parts: Uint8Array[];
    let pieces: Piece[];
    let bytes: Uint8Array;
    const random = makeRandom(SEED);
    const below = (bound: number) => Math.floor(random() * bound);
    beforeAll(() => {
      const index = new MemoryIndex({ dimensions: 32 });
      fill(index, makeMemory({ nodes: 3000, edges: 6000, dimensions: 32, seed: SEED }));
      [parts, bytes] = [[...index.snapshotParts()], index.snapshot()];
      pieces = partsOf(bytes);
      index.free();
    });

    test("for any truncation", () => {
      for (let time = 0; time < 60; time++) {
        const length = below(bytes.length);
        expectRefusal(bytes.subarray(0, length), `the first ${length} bytes`);
      }
      let at = 0;
      for (const part of parts) {
        for (const length of [at, at + 31, at + 32, at + 33])
          expectRefusal(bytes.subarray(0, length), `${length} bytes`);
        at += part.length;
      }
    });

    test("for a hole, and for a changed or moved range", () => {
      for (let time = 0; time < 60; time++) {
        const [from, length] = [below(bytes.length), 1 + below(200)];
        expectRefusal(
          [bytes.subarray(0, from), bytes.subarray(from + length)],
          `a hole of ${length} at ${from}`,
        );
        const noise = bytes.slice();
        for (let place = from; place < Math.min(from + length, bytes.length); place++)
          noise[place]! ^= 1 + below(255);
        expectRefusal(noise, `noise of ${length} at ${from}`);
      }
    });

    test("for reordered, missing or repeated parts", () => {
      const all = ascending(parts.length);
      for (const one of all) {
        expectRefusal(
          parts.filter((_, place) => place !== one),
          `without part ${one}`,
        );
        expectRefusal(
          all.flatMap((place) =>
            place === one ? [parts[place]!, parts[place]!] : [parts[place]!],
          ),
          `twice ${one}`,
        );
        for (const other of all.slice(one + 1)) {
          const swapped = parts.slice();
          [swapped[one], swapped[other]] = [parts[other]!, parts[one]!];
          expectRefusal(swapped, `parts ${one} and ${other}`);
        }
      }
    });

    test("for data after its end", () => {
      const noise = Uint8Array.from({ length: 100 }, () => below(256));
      for (const more of [
        new Uint8Array(1),
        new Uint8Array(32),
        noise,
        bytes,
        parts[0]!,
        parts.at(-1)!,
        parts[1]!,
      ]) {
        expectRefusal([...parts, more], `${more.length} bytes more`);
      }
      const more = [KINDS.start, KINDS.nodes, KINDS.embeddings, KINDS.end, KINDS.nodeIds, 99].map(
        (kind) => ({
          kind,
          content: new Uint8Array(8),
        }),
      );
      for (const one of more)
        expectRefusal(seal([...pieces, one]), `a part of kind ${one.kind} more`);
    });

    test("for parts with new numbers and checksums", () => {
      for (const one of ascending(pieces.length)) {
        expectRefusal(seal(pieces.filter((_, place) => place !== one)), `without part ${one}`);
        expectRefusal(seal(pieces.toSpliced(one, 0, pieces[one]!)), `twice part ${one}`);
      }
      // The package's own parts may come in any order between; nodes come before the parts that
      // refer to them.
      const [start, nodeIds, edgeIds, nodes, edges, embeddings, end] = pieces as [
        Piece,
        Piece,
        Piece,
        Piece,
        Piece,
        Piece,
        Piece,
      ];
      for (const wrong of [
        [start, nodeIds, edgeIds, edges, nodes, embeddings, end],
        [start, nodeIds, edgeIds, embeddings, nodes, edges, end],
        [nodes, start, nodeIds, edgeIds, edges, embeddings, end],
        [start, nodeIds, edgeIds, nodes, edges, end, embeddings],
        [start, start, nodeIds, edgeIds, nodes, edges, embeddings, end],
        [start, nodeIds, edgeIds, nodes, nodes, edges, embeddings, end],
        [start, end],
        [end],
      ]) {
        expectRefusal(seal(wrong), wrong.map(({ kind }) => kind).join(", "));
      }
    });
  });
});

describe("impossible content is refused despite right checksums", () => {
  const NODES = 3;
  const EDGES = 2;
  /** Where the columns of a part begin. */
  const nodesAt = (column: number) =>
    8 + NODES * [0, 8, 16, 24, 32, 40, 48, 52, 56, 58, 60, 61][column]!;
  const edgesAt = (column: number) => 8 + EDGES * [0, 8, 16, 20, 24][column]!;
  /** Changes content in place, or returns other content. */
  type Edit = (view: DataView, content: Uint8Array) => unknown;
  const writer =
    <T>(write: (view: DataView, at: number, value: T) => void) =>
    (at: number, value: T): Edit =>
    (view) =>
      write(view, at, value);
  const f64 = writer<number>((view, at, value) => view.setFloat64(at, value, true));
  const f32 = writer<number>((view, at, value) => view.setFloat32(at, value, true));
  const u64 = writer<bigint>((view, at, value) => view.setBigUint64(at, value, true));
  const u32 = writer<number>((view, at, value) => view.setUint32(at, value, true));
  const u16 = writer<number>((view, at, value) => view.setUint16(at, value, true));
  const u8 = writer<number>((view, at, value) => view.setUint8(at, value));
  const max = 2 ** 32 - 1;
  const counts = (kind: Kind, count: number): [string, Kind, Edit][] =>
    [
      0n,
      BigInt(count) - 1n,
      BigInt(count) + 1n,
      1000n,
      0xffff_ffffn,
      1n << 53n,
      M / 61n + 1n,
      M,
    ].map((other) => [`a count of ${other}`, kind, u64(0, other)]);
  const each = <T>(values: readonly T[], row: (value: T) => [string, Kind, Edit]) =>
    values.map(row);
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  // The first part: version, three counts, dimensions, form; the model's name with its length;
  // names.
  const NAMES = 24 + 4 + 5;

  const FORGERIES: [string, Kind, Edit][] = [
    ...counts("nodes", NODES),
    ...each([1n << 53n, (1n << 53n) + 1n, M], (it) => [
      `the sequence ${it}`,
      "nodes",
      u64(nodesAt(0), it),
    ]),
    ...each([nan, inf, -inf, 8.64e15 + 2, -8.64e15 - 2], (it) => [
      `a creation at ${it}`,
      "nodes",
      f64(nodesAt(1) + 8, it),
    ]),
    ...each([nan, inf, -inf, 8.64e15 + 2, -1e300], (it) => [
      `an access at ${it}`,
      "nodes",
      f64(nodesAt(2), it),
    ]),
    ...each([nan, inf, -inf], (it) => [`a stability of ${it}`, "nodes", f64(nodesAt(3) + 16, it)]),
    ...each([nan, inf, -5e-324, 1 + 2 ** -52], (it) => [
      `a retrievability of ${it}`,
      "nodes",
      f64(nodesAt(4), it),
    ]),
    ...each([nan, -inf, -1, 2], (it) => [`a difficulty of ${it}`, "nodes", f64(nodesAt(5), it)]),
    ...each([0, 2, 4, 1000, max], (it) => [
      `the set of labels ${it} first`,
      "nodes",
      u32(nodesAt(7), it),
    ]),
    ...each([3, 4, max], (it) => [
      `the set of labels ${it} last`,
      "nodes",
      u32(nodesAt(7) + 8, it),
    ]),
    ...each([0, 1, 2, 4, 1000, max], (it) => [`${it} labels`, "nodes", u32(nodesAt(11), it)]),
    ...each([2, 999, 65_535], (it) => [`the type ${it}`, "nodes", u16(nodesAt(8), it)]),
    ...each([2, 999, 65_535], (it) => [`the subtype ${it}`, "nodes", u16(nodesAt(9), it)]),
    ...each([6, 7, 255], (it) => [`the state ${it}`, "nodes", u8(nodesAt(10), it)]),
    ...each([4, 3, max, max - 1], (it) => [`the label ${it}`, "nodes", u32(nodesAt(11) + 4, it)]),
    ["a byte more of nodes", "nodes", (_, content) => joined([content, new Uint8Array(1)])],
    ["no nodes", "nodes", () => new Uint8Array()],

    ...counts("edges", EDGES),
    ...each([1n << 53n, M], (it) => [`an edge's sequence ${it}`, "edges", u64(edgesAt(0), it)]),
    ...each([nan, inf, -0.5, 1.5], (it) => [
      `a strength of ${it}`,
      "edges",
      f64(edgesAt(1) + 8, it),
    ]),
    ...each([3, 1000, max, max - 1], (it) => [`the source ${it}`, "edges", u32(edgesAt(2), it)]),
    ...each([3, 1000, max, max - 1], (it) => [
      `the target ${it}`,
      "edges",
      u32(edgesAt(3) + 4, it),
    ]),
    ...each([2, 65_535], (it) => [`an edge's type ${it}`, "edges", u16(edgesAt(4), it)]),
    ["a byte more of edges", "edges", (_, content) => joined([content, new Uint8Array(1)])],

    ...counts("embeddings", 2),
    ...each([3, 1000, max], (it) => [`an embedding of row ${it}`, "embeddings", u32(8, it)]),
    ["two embeddings of a row", "embeddings", u32(8, 2)],
    ...each([nan, inf, -inf, 1.5, -2], (it) => [
      `a component of ${it}`,
      "embeddings",
      f32(16 + 4, it),
    ]),
    [
      "a byte more of embeddings",
      "embeddings",
      (_, content) => joined([content, new Uint8Array(1)]),
    ],

    ...each([0, 1, 2, 4, 5, max], (it) => [`the version ${it}`, "start", u32(0, it)]),
    ...each([0, NODES - 1, NODES + 1, max], (it) => [
      `${it} nodes at the start`,
      "start",
      u32(4, it),
    ]),
    ...each([0, EDGES + 1, max], (it) => [`${it} edges at the start`, "start", u32(8, it)]),
    ...each([0, 1, 3, max], (it) => [`${it} embeddings at the start`, "start", u32(12, it)]),
    ...each([0, 1, 2, 4, 65_536, 65_537, 2 ** 31, max], (it) => [
      `${it} dimensions`,
      "start",
      u32(16, it),
    ]),
    ...each([1, max], (it) => [`the form ${it}`, "start", u32(20, it)]),
    ...each([0, 4, 6, 2 ** 31, max], (it) => [
      `a model's name of ${it} bytes`,
      "start",
      u32(24, it),
    ]),
    ...each([0, 1, 3, 70_000, max], (it) => [`${it} types`, "start", u32(NAMES, it)]),
    ...each([0, 8, 2 ** 31, max], (it) => [`a type of ${it} bytes`, "start", u32(NAMES + 4, it)]),
    ["a type that is no text", "start", u8(NAMES + 8, 0xff)],
    ["a model that is no text", "start", u8(28, 0xc0)],
    ["a byte more at the start", "start", (_, content) => joined([content, new Uint8Array(1)])],

    ...each([0n, 5n, 7n, M], (it) => [`${it} parts`, "end", u64(0, it)]),
    ["no number of parts", "end", () => new Uint8Array()],
    ["a byte more at the end", "end", (_, content) => joined([content, new Uint8Array(1)])],

    ...(["nodeIds", "edgeIds"] as const).flatMap((kind): [string, Kind, Edit][] => [
      ...each([0, 1, 4, 2 ** 28, max], (it) => [`${it} ids in ${kind}`, kind, u32(4, it)]),
      ...each([0, 1, 3, 2 ** 31, max], (it) => [`an id of ${it} in ${kind}`, kind, u32(8, it)]),
      ...each([1, 2, max], (it) => [`the encoding ${it} in ${kind}`, kind, u32(0, it)]),
      [
        `an id twice in ${kind}`,
        kind,
        (view, { length }) => view.setUint16(length - 2, view.getUint16(length - 4)),
      ],
      [
        `an id that is no text in ${kind}`,
        kind,
        (view, { length }) => view.setUint8(length - 1, 0xff),
      ],
      [`no content in ${kind}`, kind, () => new Uint8Array()],
      [`too little content in ${kind}`, kind, () => new Uint8Array(7)],
      [`a byte more in ${kind}`, kind, (_, content) => joined([content, new Uint8Array([65])])],
    ]),
  ];

  test.each(FORGERIES)("%s (%s)", (what, kind, edit) => {
    const bytes = snapshotOf(small());
    expectRefusal(forged(bytes, kind, edit), what);
  });

  test.each<[string, Kind, Edit]>([
    ...each([0, -1, nan, inf, 2], (it): [string, Kind, Edit] => [
      `a scale of ${it}`,
      "embeddings",
      f32(16, it),
    ]),
    ["a code of −128", "embeddings", u8(20, 128)],
    ["the other form", "start", u32(20, 0)],
    ...each([0, 1, 4, 65_536, max], (it): [string, Kind, Edit] => [
      `${it} dimensions`,
      "start",
      u32(16, it),
    ]),
  ])("quantised: %s", (what, kind, edit) => {
    expectRefusal(forged(snapshotOf(small("i8")), kind, edit), what);
  });

  test.each<[string, Kind, Edit]>([
    ...counts("nodes", NODES),
    ...each([nan, inf, -5e-324, 1 + 2 ** -52], (it): [string, Kind, Edit] => [
      `a salience of ${it}`,
      "nodes",
      f64(nodesAt(6) + 8, it),
    ]),
    ...each([0, 1, 2, 3, 5], (it): [string, Kind, Edit] => [
      `the version ${it}`,
      "start",
      u32(0, it),
    ]),
  ])("with salience: %s", (what, kind, edit) => {
    const bytes = forged(snapshotOf(small("f32", { salienceGrowth: true })), kind, edit);
    for (const salienceGrowth of [true, false])
      expectRefusal(bytes, what, undefined, { config: { salienceGrowth } });
  });

  test("embeddings without dimensions", () => {
    const index = new MemoryIndex();
    index.upsert([{ id: "a" }, { id: "b" }]);
    const [start, ...rest] = partsOf(snapshotOf(index));
    const end = rest.pop()!;
    new DataView(start!.content.buffer).setUint32(12, 2, true);
    new DataView(end.content.buffer).setUint32(0, 4, true);
    const content = Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
    expectRefusal(
      seal([start!, ...rest, { kind: KINDS.embeddings, content }, end]),
      "without dimensions",
    );
  });

  test("ids in UTF-16 with an odd number of bytes", () => {
    const index = new MemoryIndex();
    index.upsert([{ id: "\ud800" }]);
    const bytes = forged(snapshotOf(index), "nodeIds", (_, content) =>
      joined([content, new Uint8Array(1)]),
    );
    expectRefusal(bytes, "half a unit");
  });

  test("random changes of sealed content give a working index or a refusal", () => {
    const bytes = snapshotOf(small());
    const random = makeRandom(SEED);
    const changed = amount(1500);
    let refused = 0;
    for (let time = 0; time < changed; time++) {
      const parts = partsOf(bytes);
      const { content } = parts[Math.floor(random() * parts.length)]!;
      for (let changes = 1 + Math.floor(random() * 2); changes > 0; changes--) {
        const place = Math.floor(random() * content.length);
        content[place] =
          random() < 0.5
            ? [0, 1, 127, 128, 255][Math.floor(random() * 5)]!
            : Math.floor(random() * 256);
      }
      made.length = 0;
      let index: MemoryIndex;
      try {
        index = MemoryIndex.restore(seal(parts));
      } catch (error) {
        if (!(error instanceof NousError) || error.code !== "invalid_snapshot") throw error;
        refused += 1;
        continue;
      }
      report(index, [[1, 2, 3]]);
      try {
        index.search({ bm25: [...index.ids()].map((id) => ({ id, score: 1 })), now: NOW });
      } catch (error) {
        // An access may lie so far ahead that a score is not finite.
        expect(error).toMatchObject({ code: "invalid_argument", details: { field: "score" } });
      }
      restoring(index, undefined, (restored) =>
        expectSame(report(restored, [[1, 2, 3]]), report(index, [[1, 2, 3]])),
      );
      index.free();
    }
    expect(refused).toBeGreaterThan(changed / 3);
    expect(refused).toBeLessThan(changed);
  });
});

describe("a snapshot in progress", () => {
  const CHANGES: [string, (index: MemoryIndex) => unknown][] = [
    ["upsert", (index) => index.upsert([{ id: "new" }])],
    ["a change of a node", (index) => index.upsert([{ id: "aa", stability: 1 }])],
    ["remove", (index) => index.remove(["aa"])],
    ["link", (index) => index.link([{ id: "new", source_id: "aa", target_id: "bb" }])],
    ["unlink", (index) => index.unlink(["ab"])],
    ["touch", (index) => index.touch(["aa"], NOW)],
    ["recall", (index) => index.recall(["aa"], NOW)],
    ["strengthen", (index) => index.strengthen([["aa", "bb"]], 0.1)],
    ["applyDecay", (index) => index.applyDecay(index.decay(NOW + 900 * DAY).changes)],
  ];

  test.each(CHANGES)(
    "cannot be finished after %s, and the index continues to work",
    (_, change) => {
      for (const begun of ascending(6)) {
        const index = small();
        const parts = index.snapshotParts();
        for (let part = 0; part <= begun; part++) parts.next();
        change(index);
        let thrown: unknown;
        try {
          for (const _ of parts);
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(NousError);
        expect((thrown as NousError).code).toBe("invalid_snapshot");
        restoring(index, undefined, (restored) =>
          expectSame(report(restored, [[1, 2, 3]]), report(index, [[1, 2, 3]])),
        );
        index.free();
      }
    },
  );

  test("is finished if the index was only read between its parts", () => {
    const index = small();
    const expected = index.snapshot();
    const parts: Uint8Array[] = [];
    for (const part of index.snapshotParts()) {
      parts.push(part);
      index.search({
        embedding: [1, 2, 3],
        bm25: [{ id: "aa", score: 1 }],
        include_connections: true,
      });
      index.similar([3, 2, 1]);
      index.rerank({ ids: ["aa", "bb"] });
      index.explain("aa", { bm25: [{ id: "aa", score: 1 }] });
      index.decay(NOW + 900 * DAY);
      index.transitions(NOW + 900 * DAY);
      index.get("aa");
      index.getEdge("ab");
      index.handles(["aa"]);
      expect(index.bytes.nodes).toBeGreaterThan(0);
      // A refused call changes nothing.
      expect(() => index.upsert([{ id: "aa", stability: Number.NaN }])).toThrow(NousError);
    }
    expectSame(joined(parts), expected);
    index.free();
  });

  test("survives another snapshot of the same index: each is complete or throws", () => {
    const index = small();
    const expected = index.snapshot();
    const all = index.snapshotParts();
    for (const before of ascending(7)) {
      const parts: Uint8Array[] = [];
      const slow = before === 0 ? all : index.snapshotParts();
      for (let part = 0; part < before; part++) parts.push(slow.next().value);
      expectSame(index.snapshot(), expected, `another after ${before} parts:`);
      try {
        parts.push(...slow);
      } catch (error) {
        expect(error).toBeInstanceOf(NousError);
        continue;
      }
      expectSame(joined(parts), expected, `the one that another came into after ${before} parts:`);
    }
    index.free();
  });

  test("may be abandoned", () => {
    const index = small();
    for (let time = 0; time < 200; time++) {
      const parts = index.snapshotParts();
      for (let part = 0; part < time % 8; part++) parts.next();
      if (time % 2 === 0) parts.return?.();
    }
    restoring(index, undefined, (restored) => expect(restored.size).toBe(3));
    index.free();
  });

  test("yields chunks that belong to the caller", () => {
    const index = small();
    const expected = index.snapshot();
    const parts = [];
    for (const part of index.snapshotParts()) {
      parts.push(part.slice());
      part.fill(0);
    }
    expectSame(joined(parts), expected);
    index.free();
  });
});
