// The errors of MemoryIndex: each wrong input has its error, a refused call changes nothing, and
// after `free` every method reports it.

import * as nous from "nous-wasm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import { contentOf, foundBy, type Resident } from "./inputs/memories.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;
const { POSITIVE_INFINITY: INFINITY, NaN: NAN } = Number;

/**
 * The details of an error; a pattern if more than one name would do, and words if only the message
 * names the place.
 */
interface Details {
  field: string | RegExp;
  index?: number;
  id?: string;
  said?: string;
}

/** Expects the package's error with these details, and a message that names them. */
function expectRefusal(
  call: () => unknown,
  { field, said, ...details }: Details,
  code = "invalid_argument",
): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof nous.NousError)) {
    throw (
      thrown ?? new Error(`nothing was thrown, though ${field} is wrong ${JSON.stringify(details)}`)
    );
  }
  expect(thrown.code, thrown.message).toBe(code);
  const { field: namedField = "", ...others } = thrown.details;
  if (typeof field === "string") expect(namedField, thrown.message).toBe(field);
  else expect(namedField, thrown.message).toMatch(field);
  if (said === undefined) expect(others, thrown.message).toEqual(details);
  expect(thrown.message).toContain(said ?? namedField);
  expect(thrown.message.length).toBeLessThan(400);
  if (details.index !== undefined) expect(thrown.message).toContain(`[${details.index}]`);
  if (details.id !== undefined) expect(thrown.message).toContain(JSON.stringify(details.id));
}

// ---- a memory that every refusal leaves unchanged -----------------------------------------------

const OPTIONS = { dimensions: 3 };
const IDS = ["a", "b", "c", "d"];
const EDGE_IDS = ["ab", "bc", "cd"];

function filled<Memory extends Resident>(memory: Memory): Memory {
  memory.upsert(
    IDS.map((id, i) => ({
      id,
      subtype: ["custom:lesson", "custom:trade", "custom:signal", null][i],
      created_at: NOW - 90 * DAY,
      last_accessed: NOW - 9 * i * DAY,
      tags: ["btc"],
      embedding: [1, i, -1],
    })),
  );
  memory.link([
    { id: "ab", source_id: "a", target_id: "b", type: "causes" },
    { id: "bc", source_id: "b", target_id: "c" },
    { id: "cd", source_id: "c", target_id: "d", strength: 0.25 },
  ]);
  return memory;
}

let memory: nous.MemoryIndex;
const expected = filled(new ReferenceMemory(OPTIONS));

/** The methods as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
let js: any;

const report = (of: Resident) => [
  contentOf(of, [...IDS, "new", "fresh"], [...EDGE_IDS, "new"]),
  foundBy(
    of.search({
      embedding: [1, 0, 0],
      bm25: [{ id: "d", score: 2 }],
      now: NOW,
      include_connections: true,
    }),
  ),
  of.decay(NOW + 30 * DAY),
  of.transitions(NOW + 30 * DAY),
];

function expectUntouched(): void {
  const difference = same(report(memory), report(expected));
  if (difference !== null) expect.fail(difference);
}

beforeEach(() => {
  memory = filled(new nous.MemoryIndex(OPTIONS));
  js = memory;
});

afterEach(() => {
  expectUntouched();
  memory.free();
});

// ---- values -------------------------------------------------------------------------------------

const NO_NUMBERS: unknown[] = [
  "0.5",
  "",
  true,
  1n,
  {},
  [],
  [1],
  Symbol("one"),
  () => 1,
  new Number(1),
];
const NO_STRINGS: unknown[] = [
  7,
  0,
  NAN,
  true,
  {},
  ["a"],
  Symbol("a"),
  1n,
  () => "a",
  new String("a"),
];
const NO_IDS: unknown[] = [undefined, null, "", ...NO_STRINGS];
const NO_ARRAYS: unknown[] = [
  undefined,
  null,
  "a",
  7,
  true,
  {},
  { length: 1, 0: "a" },
  new Set(["a"]),
  () => [],
];
const NO_OBJECTS: unknown[] = [undefined, null, "a", 7, true, Symbol("a"), 1n];
const NO_SHARES: unknown[] = [
  NAN,
  INFINITY,
  -INFINITY,
  -5e-324,
  -1,
  1 + 2 ** -52,
  2,
  ...NO_NUMBERS,
];
const NO_INSTANTS: unknown[] = [
  ...[
    NAN,
    INFINITY,
    8.64e15 + 2,
    -8.64e15 - 2,
    new Date(NAN),
    "",
    "yesterday",
    "2026-13-01",
    true,
    1n,
    {},
    [],
  ],
  { getTime: () => NAN },
];
const NO_LIMITS: unknown[] = [-1, 1.5, NAN, -INFINITY, null, ...NO_NUMBERS];
const NO_LABELS: unknown[] = [
  "btc",
  7,
  true,
  {},
  [7],
  ["btc", null],
  ["btc", undefined],
  [["btc"]],
  new Set(["btc"]),
];
const NO_EMBEDDINGS: unknown[] = [
  ...[
    [],
    [1],
    [1, 2],
    [1, 2, 3, 4],
    [0, 0, 0],
    [0, -0, 0],
    [1, NAN, 3],
    [1, INFINITY, 3],
    new Float32Array(3),
  ],
  ...[
    new Float32Array(4),
    ["1", "2", "3"],
    [1, null, 3],
    [1, undefined, 3],
    "123",
    7,
    true,
    {},
    { length: 3 },
  ],
];
const NO_SEQUENCES: unknown[] = [-1, 1.5, 2 ** 53, NAN, INFINITY, ...NO_NUMBERS];

describe("upsert", () => {
  const upsert = (...nodes: unknown[]) => js.upsert(nodes, { now: NOW });

  test.each<[string, unknown[]]>([
    ["type", NO_STRINGS],
    ["subtype", NO_STRINGS],
    ["created_at", NO_INSTANTS],
    ["last_accessed", NO_INSTANTS],
    ["access_count", [-1, 0.5, NAN, INFINITY, -INFINITY, 2 ** 32, 1e-300, ...NO_NUMBERS]],
    ["stability", [NAN, INFINITY, -INFINITY, ...NO_NUMBERS]],
    ["retrievability", NO_SHARES],
    ["difficulty", NO_SHARES],
    ["salience", NO_SHARES],
    ["lifecycle", ["active", "", "GONE", "constructor", 0, 5, true, {}, ["ACTIVE"]]],
    ["tags", NO_LABELS],
    ["clusters", NO_LABELS],
    ["embedding", NO_EMBEDDINGS],
    ["sequence", NO_SEQUENCES],
  ])(
    "refuses a wrong %s by place, id and field, for new nodes and for known ones",
    (field, values) => {
      for (const value of values) {
        for (const id of ["fresh", "a"]) {
          // Valid nodes before and after it are not added either.
          const [sound, known] = [
            { id: "new" },
            { id: "b", access_count: 99, tags: [], embedding: null },
          ];
          expectRefusal(() => upsert(sound, known, { id, [field]: value }, sound), {
            field,
            index: 2,
            id,
          });
        }
      }
    },
  );

  test("refuses a missing, empty or wrong id by place, and an entry that is not an object", () => {
    for (const id of NO_IDS)
      expectRefusal(() => upsert({ id: "new" }, { id, type: "note" }), { field: "id", index: 1 });
    for (const entry of NO_OBJECTS)
      expectRefusal(() => upsert({ id: "new" }, entry), { field: "nodes", index: 1 });
    expectRefusal(() => js.upsert(new Array(1)), { field: "nodes", index: 0 });
  });

  test("refuses nodes that are not an array, and a wrong `now`", () => {
    for (const nodes of NO_ARRAYS) expectRefusal(() => js.upsert(nodes), { field: "nodes" });
    for (const now of NO_INSTANTS)
      expectRefusal(() => js.upsert([{ id: "new" }], { now }), { field: "now" });
  });

  test("refuses an embedding in a memory without embeddings", () => {
    const bare = new nous.MemoryIndex();
    expectRefusal(() => bare.upsert([{ id: "new", embedding: [1] }]), {
      field: "embedding",
      index: 0,
      id: "new",
    });
    expectRefusal(() => bare.search({ embedding: [1] }), { field: "embedding" });
    expectRefusal(() => bare.similar([1]), { field: "embedding" });
    expect(bare.size).toBe(0);
    expect(bare.upsert([{ id: "new", embedding: null }])).toBe(1);
    bare.free();
  });

  test("leaves the memory unchanged if a read of a value throws", () => {
    const trap = () => {
      throw new RangeError("from within");
    };
    for (const field of ["id", "type", "created_at", "tags", "embedding", "sequence"]) {
      const node = Object.defineProperty({ id: "fresh" }, field, { get: trap, enumerable: true });
      expect(() => upsert({ id: "new" }, node)).toThrow("from within");
      expectUntouched();
    }
  });
});

describe("link", () => {
  const edge = (changes: object) => ({ id: "new", source_id: "a", target_id: "c", ...changes });

  test.each<[string, unknown[]]>([
    ["source_id", NO_IDS],
    ["target_id", NO_IDS],
    ["type", NO_STRINGS],
    ["strength", NO_SHARES],
    ["sequence", NO_SEQUENCES],
  ])(
    "refuses a wrong %s by place, id and field, for new edges and for known ones",
    (field, values) => {
      for (const value of values) {
        for (const id of ["fresh", "ab"]) {
          const batch = [
            edge({}),
            edge({ id: "bc", type: "part_of" }),
            edge({ id, [field]: value }),
            edge({}),
          ];
          expectRefusal(() => js.link(batch), { field, index: 2, id });
        }
      }
    },
  );

  test("refuses a missing, empty or wrong id by place, and an entry that is not an object", () => {
    for (const id of NO_IDS)
      expectRefusal(() => js.link([edge({}), edge({ id })]), { field: "id", index: 1 });
    for (const entry of NO_OBJECTS)
      expectRefusal(() => js.link([edge({}), entry]), { field: "edges", index: 1 });
  });

  test("refuses edges that are not an array", () => {
    for (const edges of NO_ARRAYS) expectRefusal(() => js.link(edges), { field: "edges" });
  });

  test("checks an edge that would be ignored, too", () => {
    const wrong = edge({ target_id: "nobody", strength: 7 });
    expectRefusal(() => js.link([edge({}), wrong]), { field: "strength", index: 1, id: "new" });
  });
});

describe("lists of ids", () => {
  test.each(["remove", "unlink", "touch", "recall"])("%s", (method) => {
    for (const ids of NO_ARRAYS) expectRefusal(() => js[method](ids), { field: /ids$/i });
    for (const id of NO_IDS)
      expectRefusal(() => js[method](["a", "ab", id]), { field: /ids?$/i, index: 2 });
  });

  test.each(["touch", "recall"])("%s with a wrong `now`", (method) => {
    for (const now of [null, ...NO_INSTANTS])
      expectRefusal(() => js[method](["a"], now), { field: "now" });
  });

  test("getAll", () => {
    for (const ids of NO_ARRAYS) expectRefusal(() => js.getAll(ids), { field: "ids" });
    expect(js.getAll([...NO_IDS, "a"])).toEqual([...NO_IDS.map(() => undefined), memory.get("a")]);
  });

  test("unknown ids are skipped", () => {
    expect([
      memory.remove(["nobody"]),
      memory.unlink(["a"]),
      memory.touch([], NOW),
      memory.recall(["ab"], NOW),
    ]).toEqual([0, 0, 0, 0]);
    expect(memory.get("nobody")).toBeUndefined();
    expect(memory.getEdge("a")).toBeUndefined();
    expect(memory.has("ab")).toBe(false);
  });
});

describe("strengthen", () => {
  test("refuses groups that are not an array of arrays of ids", () => {
    for (const groups of NO_ARRAYS)
      expectRefusal(() => js.strengthen(groups, 0.1), { field: "groups" });
    for (const group of NO_ARRAYS) {
      expectRefusal(() => js.strengthen([["a", "b"], group], 0.1), {
        field: /^groups/,
        said: "groups[1]",
      });
    }
    for (const id of NO_IDS) {
      expectRefusal(
        () =>
          js.strengthen(
            [
              ["a", "b"],
              ["a", id],
            ],
            0.1,
          ),
        { field: /^groups/, said: "groups[1]" },
      );
    }
  });

  test("refuses a wrong amount", () => {
    for (const amount of [NAN, INFINITY, -INFINITY, -0.1, -5e-324, null, ...NO_NUMBERS]) {
      expectRefusal(() => js.strengthen([["a", "b"]], amount), { field: "amount" });
    }
  });
});

describe("rerank", () => {
  const rerank = (columns: object, options?: unknown) => () =>
    js.rerank({ ids: ["a", "b", "c"], ...columns }, options);

  test("refuses wrong ids", () => {
    for (const candidates of [undefined, null, 7, "a"]) {
      expectRefusal(() => js.rerank(candidates), { field: /^(candidates|ids)$/ });
    }
    for (const ids of NO_ARRAYS) expectRefusal(rerank({ ids }), { field: "ids" });
    for (const id of NO_IDS)
      expectRefusal(rerank({ ids: ["a", id] }), { field: /^ids?$/, said: "[1]" });
    expectRefusal(rerank({ ids: ["a", "b", "nobody"] }), {
      field: /^ids?$/,
      index: 2,
      id: "nobody",
    });
  });

  test("refuses handles without a node, up to the last number", () => {
    for (const handle of [100, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1]) {
      const handles = Uint32Array.of(0, handle);
      expectRefusal(() => js.rerank({ handles }), { field: "handles", said: "[1]" });
      expectRefusal(() => js.rerank({ handles, semantic: [0, 0] }, { limit: 1 }), {
        field: "handles",
        said: "[1]",
      });
    }
  });

  test.each<[string, unknown[]]>([
    ["semantic", [NAN, INFINITY, -INFINITY]],
    ["bm25", [NAN, INFINITY, -INFINITY, -1, -5e-324]],
    ["graph", [NAN, INFINITY, -INFINITY, -1, -5e-324]],
  ])("%s", (field, values) => {
    for (const value of values) {
      expectRefusal(rerank({ [field]: [0, value, 0] }), { field, index: 1, id: "b" });
      expectRefusal(rerank({ [field]: Float64Array.of(0, 0, value as number) }), {
        field,
        index: 2,
        id: "c",
      });
    }
    for (const column of [[], [1, 2], [1, 2, 3, 4], new Float64Array(2), "123", 7, true, {}]) {
      expectRefusal(rerank({ [field]: column }), { field });
    }
  });

  test("refuses wrong options", () => {
    for (const limit of NO_LIMITS) expectRefusal(rerank({}, { limit }), { field: "limit" });
    for (const now of NO_INSTANTS) expectRefusal(rerank({}, { now }), { field: "now" });
  });
});

const FILTERS: [string, unknown[]][] = [
  ...[
    "types",
    "excluded_types",
    "subtypes",
    "cluster_ids",
    "tags_all",
    "tags_any",
    "tags_none",
    "excluded_ids",
  ].map((name): [string, unknown[]] => [name, NO_LABELS]),
  ["relationship_types", NO_LABELS],
  ["lifecycles", ["ACTIVE", 7, ["active"], ["ACTIVE", null], [0], {}]],
  ["created_after", NO_INSTANTS],
  ["created_before", NO_INSTANTS],
  ["accessed_within_days", [NAN, -1, -5e-324, ...NO_NUMBERS]],
];

describe("search", () => {
  const search = (query: unknown) => () => js.search(query);

  test("refuses a query that is not an object", () => {
    for (const query of [null, "a", 7, true, []]) expectRefusal(search(query), { field: "query" });
  });

  test("refuses a wrong embedding", () => {
    for (const embedding of NO_EMBEDDINGS)
      expectRefusal(search({ embedding }), { field: "embedding" });
  });

  test("refuses wrong hits", () => {
    const sound = { id: "a", score: 1 };
    for (const bm25 of NO_ARRAYS.filter((value) => value != null))
      expectRefusal(search({ bm25 }), { field: "bm25" });
    for (const hit of NO_OBJECTS)
      expectRefusal(search({ bm25: [sound, hit] }), { field: "bm25", index: 1 });
    for (const id of NO_IDS) {
      expectRefusal(search({ bm25: [sound, { id, score: 1 }] }), {
        field: /^(bm25\.)?id$/,
        index: 1,
      });
    }
    for (const score of [undefined, null, NAN, INFINITY, -INFINITY, -1, -5e-324, ...NO_NUMBERS]) {
      for (const id of ["b", "nobody"]) {
        expectRefusal(search({ bm25: [sound, { id, score }] }), {
          field: /^(bm25\.)?score$/,
          index: 1,
          id,
        });
      }
    }
  });

  test.each(FILTERS)("refuses the filter %s", (name, values) => {
    for (const value of values) {
      expectRefusal(search({ filters: { [name]: value } }), {
        field: new RegExp(`^(filters\\.)?${name}$`),
      });
    }
  });

  test("refuses filters that are not an object, and an unknown filter", () => {
    for (const filters of ["a", 7, true, []])
      expectRefusal(search({ filters }), { field: "filters" });
    expectRefusal(search({ filters: { tags: ["btc"] } }), { field: /^(filters\.)?tags$/ });
  });

  test("refuses other wrong options", () => {
    for (const limit of NO_LIMITS) expectRefusal(search({ limit }), { field: "limit" });
    for (const max_seeds of NO_LIMITS) expectRefusal(search({ max_seeds }), { field: "max_seeds" });
    for (const now of NO_INSTANTS) expectRefusal(search({ now }), { field: "now" });
    for (const flag of [null, 0, 1, "true", {}]) {
      expectRefusal(search({ sections: flag }), { field: "sections" });
      expectRefusal(search({ include_connections: flag }), { field: "include_connections" });
    }
    for (const level of ["", "OFF", "highest", "constructor", 0, true, null, {}]) {
      expectRefusal(search({ serendipity_level: level }), { field: "serendipity_level" });
    }
  });

  test("accepts an empty question, and finds nothing", () => {
    const nothing = { ids: [], scores: [], length: 0, at: [], each: [] };
    for (const query of [{}, { embedding: null, bm25: null, filters: null }, { bm25: [] }]) {
      expect(foundBy(memory.search({ ...query, now: NOW })).ranking).toEqual(nothing);
    }
  });
});

describe("similar", () => {
  test("refuses a wrong or missing embedding", () => {
    for (const embedding of [undefined, null, ...NO_EMBEDDINGS]) {
      expectRefusal(() => js.similar(embedding), { field: "embedding" });
    }
  });

  test("refuses wrong options", () => {
    const similar = (options: object) => () => js.similar([1, 2, 3], options);
    for (const limit of NO_LIMITS) expectRefusal(similar({ limit }), { field: "limit" });
    for (const now of NO_INSTANTS) expectRefusal(similar({ now }), { field: "now" });
    for (const filter of ["a", 7, true])
      expectRefusal(similar({ filter }), { field: /^filters?$/ });
    for (const [name, values] of FILTERS) {
      for (const value of values) {
        expectRefusal(similar({ filter: { [name]: value } }), {
          field: new RegExp(`^(filters?\\.)?${name}$`),
        });
      }
    }
  });
});

describe("decay", () => {
  test.each(["decay", "transitions"])("refuses %s with a wrong `now`", (method) => {
    for (const now of [null, ...NO_INSTANTS])
      expectRefusal(() => js[method](now), { field: "now" });
  });

  test("refuses wrong changes", () => {
    const changes = (columns: object) => () =>
      js.applyDecay({
        ids: ["a", "b"],
        retrievability: Float64Array.of(0.5, 0.5),
        lifecycle: Uint8Array.of(1, 1),
        ...columns,
      });
    for (const wrong of [undefined, null, 7, "a"]) {
      expectRefusal(() => js.applyDecay(wrong), { field: /^(changes|ids)$/ });
    }
    for (const ids of NO_ARRAYS) expectRefusal(changes({ ids }), { field: "ids" });
    for (const id of NO_IDS)
      expectRefusal(changes({ ids: ["a", id] }), { field: /^ids?$/, index: 1 });
    for (const value of [NAN, INFINITY, -0.5, 1.5]) {
      expectRefusal(changes({ retrievability: Float64Array.of(0.5, value) }), {
        field: "retrievability",
        index: 1,
        id: "b",
      });
    }
    for (const code of [6, 255]) {
      expectRefusal(changes({ lifecycle: Uint8Array.of(1, code) }), {
        field: "lifecycle",
        index: 1,
        id: "b",
      });
    }
    for (const column of [undefined, null, 7, [], new Float64Array(1), new Float64Array(3)]) {
      expectRefusal(changes({ retrievability: column }), { field: "retrievability" });
      expectRefusal(changes({ lifecycle: column }), { field: "lifecycle" });
    }
  });
});

describe("the constructor", () => {
  // biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
  const make = (options: unknown) => () => new (nous.MemoryIndex as any)(options);

  test.each<[string, unknown[]]>([
    ["dimensions", [-1, 1.5, 65_537, NAN, INFINITY, ...NO_NUMBERS]],
    ["embeddings", ["f16", "", "F32", 32, true, null, {}]],
    ["embeddingId", [7, true, null, {}, ["a"]]],
    ["maxBytes", [NAN, -1, null, ...NO_NUMBERS]],
  ])("refuses a wrong %s", (field, values) => {
    for (const value of values) expectRefusal(make({ [field]: value }), { field });
  });

  test("refuses an unknown option, and options that are not an object", () => {
    expectRefusal(make({ dimension: 3 }), { field: "dimension" });
    expectRefusal(make({ embedding_id: "a" }), { field: "embedding_id" });
    for (const options of [null, 7, "a", true]) expectRefusal(make(options), { field: "options" });
  });

  test.each<[string, object]>([
    ["search.hopdecay", { hopdecay: 0.5 }],
    ["search.hop_decay", { hop_decay: 0.5 }],
    ["search.sections", { sections: true }],
    ["search.hopDecay", { hopDecay: -0.5 }],
    ["search.maxHops", { maxHops: 1.5 }],
    ["search.maxNodes", { maxNodes: -1 }],
    ["search.maxSeeds", { maxSeeds: "15" }],
    ["search.aggregation", { aggregation: "mean" }],
    ["search.edgeWeight", { edgeWeight: "storedType" }],
    ["search.graphReach", { graphReach: 1 }],
    ["search.seedThreshold", { seedThreshold: NAN }],
  ])("refuses a configuration with a wrong %s", (field, search) => {
    expectRefusal(make({ config: { search } }), { field }, "invalid_config");
  });
});

test("after `free` every method reports it, and `free` may be called again", () => {
  const freed = filled(new nous.MemoryIndex(OPTIONS));
  freed.free();
  freed.free();
  const embedding = [1, 2, 3];
  const columns = { ids: [], retrievability: new Float64Array(), lifecycle: new Uint8Array() };
  const calls: [string, ...unknown[]][] = [
    ["upsert", [{ id: "a" }]],
    ["upsert", []],
    ["remove", ["a"]],
    ["link", [{ id: "ab", source_id: "a", target_id: "b" }]],
    ["unlink", ["ab"]],
    ["has", "a"],
    ["get", "a"],
    ["getEdge", "ab"],
    ["touch", ["a"]],
    ["recall", ["a"]],
    ["strengthen", [["a", "b"]], 0.1],
    ["handles", ["a"]],
    ["rerank", { ids: ["a"] }],
    ["search", { bm25: [{ id: "a", score: 1 }] }],
    ["similar", embedding],
    ["decay"],
    ["applyDecay", columns],
    ["transitions"],
    ["explain", "a", { bm25: [{ id: "a", score: 1 }] }],
    ["snapshot"],
  ];
  for (const [method, ...given] of calls) {
    let thrown: unknown;
    try {
      // biome-ignore lint/suspicious/noExplicitAny: methods by their names
      (freed as any)[method](...given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown, method).toBeInstanceOf(nous.NousError);
    expect((thrown as nous.NousError).code, method).toBe("freed");
  }
  freed.free();
});

test("a ranking stays readable after `free`", () => {
  const short = filled(new nous.MemoryIndex(OPTIONS));
  const query = { bm25: [{ id: "a", score: 1 }], now: NOW };
  const { ranking } = short.search(query);
  short.free();
  const before = foundBy(expected.search(query)).ranking;
  expect(same([...ranking], before.each)).toBeNull();
  expect(same(ranking.scores, before.scores)).toBeNull();
});
