// The errors of questions in words: wrong texts, questions, options, embedders and configurations
// have errors with field, place and id. A refused call changes nothing, and later calls give right
// answers.

import * as nous from "nous-wasm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fitted } from "../../js/reference/evidence-weights.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import { fakeEmbedder } from "./inputs/word-vectors.ts";
import { expectRefusal, expectSame, INFINITY, NO_NUMBERS, thrownBy } from "./support/bad-input.ts";

const NODES = [
  { id: "a", title: "Move", text: "Mira moved to Lisbon.", created_at: NOW },
  { id: "b", text: "Jonas bakes bread.", created_at: NOW },
  { id: "c", created_at: NOW, tags: ["quiet"] },
];
const QUESTION = "Where did Mira move?";
const FITTED_P_SOFT = fitted("general").plain.weights.p_soft;
const embedder = fakeEmbedder(16);

let index: nous.MemoryIndex;
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
let js: any;

const expected = new ReferenceMemory({ embedder });
expected.upsert(NODES);
const said = (memory: nous.MemoryIndex | ReferenceMemory) => ({
  size: memory.size,
  texts: memory.textCount,
  nodes: ["a", "b", "c", "new"].map((id) => memory.get(id)),
  answers: memory.ask(QUESTION, { now: NOW }),
  other: memory.ask("bread and wine", { now: NOW }),
});

beforeEach(() => {
  js = index = new nous.MemoryIndex({ embedder });
  index.upsert(NODES);
});
afterEach(() => {
  expectSame(said(index), said(expected));
  index.free();
});

const NO_STRINGS: unknown[] = [7, Number.NaN, true, 1n, {}, ["a"], Symbol("a"), () => "a"];

describe("upsert", () => {
  test("refuses a wrong event_time by place, id and field", () => {
    for (const event_time of [Number.NaN, INFINITY, 8.64e15 + 2, "", "yesterday", true, 1n, {}]) {
      const nodes = [
        { id: "c", text: "A text." },
        { id: "new", text: "Another.", event_time },
      ];
      expectRefusal(() => js.upsert(nodes), { field: "event_time", index: 1, id: "new" });
    }
  });

  test.each(["title", "text"])("refuses a wrong %s by place, id and field", (field) => {
    for (const value of NO_STRINGS) {
      for (const id of ["new", "b"]) {
        const nodes = [
          { id: "c", text: "A text of its own." },
          { id, [field]: value },
        ];
        expectRefusal(() => js.upsert(nodes), { field, index: 1, id });
      }
    }
  });

  test("refuses texts together with a wrong number, and stores neither", () => {
    const nodes = [
      { id: "b", text: "Jonas bakes cake." },
      { id: "new", text: "Bread.", stability: Number.NaN },
    ];
    expectRefusal(() => index.upsert(nodes), { field: "stability", index: 1, id: "new" });
  });

  test("names the field of a misspelled one", () => {
    for (const [field, meant] of [
      ["titel", "title"],
      ["eventTime", "event_time"],
    ] as const) {
      const error = thrownBy(() => js.upsert([{ id: "new", [field]: "Bread" }]));
      expect(error).toBeInstanceOf(nous.NousError);
      expect((error as Error).message).toContain(meant);
    }
  });

  test("keeps the text for null, and takes one of the two as both", () => {
    const memory = new nous.MemoryIndex();
    memory.upsert(NODES);
    memory.upsert([{ id: "a", title: null, text: null }, { id: "b" }]);
    expect(memory.textCount).toBe(2);
    expect(memory.why("a", "Lisbon").words[0]).toMatchObject({ found: "lisbon" });
    memory.upsert([{ id: "a", title: "Lisbon", text: null }]);
    expect(memory.why("a", "Mira in Lisbon").words).toMatchObject([
      { asked: "mira", found: null },
      { asked: "lisbon", found: "lisbon" },
    ]);
    memory.upsert([{ id: "a", text: "" }]);
    expect(memory.textCount).toBe(1);
    memory.free();
  });
});

test("why refuses a text that is not the memory's, and asks for it by name", () => {
  const memory = new nous.MemoryIndex();
  memory.upsert([{ id: "a", title: "Mira", text: "Mira moved to Lisbon." }]);
  const call = (text: unknown) => () =>
    memory.why("a", QUESTION, { text } as Parameters<typeof memory.why>[2]);
  for (const text of [null, "Mira moved to Lisbon.", 7, []])
    expectRefusal(call(text), { field: "text" });
  expectRefusal(call({ body: "" }), { field: "body" });
  for (const wrong of [null, ...NO_STRINGS]) {
    expectRefusal(call({ title: wrong }), { field: "text.title" });
    expectRefusal(call({ text: wrong }), { field: "text.text" });
  }
  for (const text of [
    {},
    { text: "Mira moved to Lisbon." },
    { title: "Mira", text: "Mira moved." },
  ])
    expectRefusal(call(text), { field: "text" });
  memory.free();
});

describe.each(["ask", "evidence", "why"] as const)("%s", (method) => {
  const call = (question: unknown, options?: unknown) => () =>
    method === "why" ? js.why("a", question, options) : js[method](question, options);

  test("refuses an embedding that cannot be compared with those of the memories", () => {
    const field = "embedding";
    // This index keeps none.
    expectRefusal(call(QUESTION, { now: NOW, embedding: [1, 0] }), { field });
    for (const wrong of [...NO_STRINGS, "[1, 0]"].filter((one) => !Array.isArray(one)))
      expectRefusal(call(QUESTION, { now: NOW, embedding: wrong }), { field });
    const memory = new nous.MemoryIndex({ dimensions: 2 });
    memory.upsert([{ ...NODES[0]!, embedding: [1, 0] }]);
    for (const embedding of [
      [],
      [1],
      [1, 0, 0],
      [0, 0],
      [Number.NaN, 1],
      [INFINITY, 1],
      ["a", 1],
    ]) {
      const options = { now: NOW, embedding: embedding as number[] };
      const asks = {
        ask: () => memory.ask(QUESTION, options),
        evidence: () => memory.evidence(QUESTION, options),
        why: () => memory.why("a", QUESTION, options),
      };
      expectRefusal(asks[method], { field });
    }
    memory.free();
  });

  test("refuses a scale of embeddings that is none", () => {
    for (const wrong of [null, "a", 7, true, []])
      expectRefusal(call(QUESTION, { now: NOW, embedding_scale: wrong }), {
        field: "embedding_scale",
      });
    const given = { of_unrelated: 0.1, of_related: 0.4 };
    const scaled = (changes: object) =>
      call(QUESTION, { now: NOW, embedding_scale: { ...given, ...changes } });
    expectRefusal(scaled({ mean: 0.1 }), { field: "mean" });
    for (const wrong of [undefined, null, "0.1", Number.NaN, INFINITY, -1.01, 1.01])
      expectRefusal(scaled({ of_unrelated: wrong }), { field: "embedding_scale.of_unrelated" });
    for (const wrong of [undefined, null, "0.4", Number.NaN, INFINITY, 0.1, -0.1, 1.01])
      expectRefusal(scaled({ of_related: wrong }), { field: "embedding_scale.of_related" });
  });

  test("refuses a question that is not a string", () => {
    for (const question of [undefined, null, ...NO_STRINGS])
      expectRefusal(call(question), { field: "question" });
  });

  test("refuses options that are not an object, and unknown ones", () => {
    for (const options of [null, "a", 7, true, []])
      expectRefusal(call(QUESTION, options), { field: "options" });
    expectRefusal(call(QUESTION, { min_scores: 0.5 }), { field: "min_scores" });
    expectRefusal(call(QUESTION, { filter: {} }), { field: "filter" });
  });

  test("refuses wrong limits, scores, instants and filters", () => {
    for (const limit of [-1, 1.5, Number.NaN, null, ...NO_NUMBERS])
      expectRefusal(call(QUESTION, { limit }), { field: "limit" });
    for (const min_score of [-1e-9, 1.01, Number.NaN, INFINITY, null, ...NO_NUMBERS])
      expectRefusal(call(QUESTION, { min_score }), { field: "min_score" });
    for (const diversity of [-1e-9, 1.01, Number.NaN, INFINITY, null, ...NO_NUMBERS])
      expectRefusal(call(QUESTION, { diversity }), { field: "diversity" });
    for (const now of [Number.NaN, INFINITY, 8.64e15 + 2, new Date(Number.NaN), "", "today", {}])
      expectRefusal(call(QUESTION, { now }), { field: "now" });
    for (const among of [null, [0], "0", new Float64Array(1), new Uint8Array(4)])
      expectRefusal(call(QUESTION, { among }), { field: "among" });
    expectRefusal(call(QUESTION, { filters: [] }), { field: "filters" });
    expectRefusal(call(QUESTION, { filters: { tags: ["a"] } }), { field: "tags" });
    expectRefusal(call(QUESTION, { filters: { created_after: "soon" } }), {
      field: "filters.created_after",
    });
    expectRefusal(call(QUESTION, { filters: { accessed_within_days: -1 } }), {
      field: "filters.accessed_within_days",
    });
  });

  test("throws the error of a read, and of an embedder that fails for every word", () => {
    const trap = () => {
      throw new RangeError("from within");
    };
    const options = Object.defineProperty({}, "now", { get: trap, enumerable: true });
    expect(call(QUESTION, options)).toThrow("from within");
    const memory = new nous.MemoryIndex({ embedder: { dimensions: 16, addWord: trap } });
    memory.upsert([{ id: "a" }]);
    const asking = () => (method === "why" ? memory.why("a", "") : memory[method](""));
    expect(asking).toThrow("from within");
    expect(() => memory.upsert([{ id: "b", text: "Bread" }])).toThrow("from within");
    expect([memory.size, memory.textCount]).toEqual([1, 0]);
    memory.free();
  });
});

describe("why", () => {
  test("refuses ids without a memory, without a text, and of memories that do not pass", () => {
    for (const id of ["nobody", "", 7, null, undefined, "c"])
      expectRefusal(() => js.why(id, QUESTION), { field: "id" });
    const filters = { tags_none: ["quiet"], created_before: NOW - 1 };
    expectRefusal(() => index.why("a", QUESTION, { filters }), { field: "id" });
    expect((thrownBy(() => index.why("c", QUESTION)) as Error).message).toMatch(/title or a text/);
  });
});

const WRONG_EVIDENCE: [what: string, evidence: unknown, field: string][] = [
  ["preset", { preset: "trader" }, "evidence.preset"],
  ["preset that is no text", { preset: 7 }, "evidence.preset"],
  ["weights", { weights: 7 }, "evidence.weights"],
  ["kind", { weights: { bm25: 1 } }, "evidence.weights.bm25"],
  ["weight", { weights: { bm: "1" } }, "evidence.weights.bm"],
  ["weight that is missing", { weights: { bm: null } }, "evidence.weights.bm"],
  ["NaN", { weights: { bm: Number.NaN } }, "evidence.weights.bm"],
  ["weight that is too large", { weights: { bm: 1000.1 } }, "evidence.weights.bm"],
  ["weight that is too small", { weights: { sem: -1001 } }, "evidence.weights.sem"],
  ["weight after a right one", { weights: { bm: 1, sem: INFINITY } }, "evidence.weights.sem"],
  ["map", { weights: new Map([["bm", 1]]) }, "evidence.weights"],
  ["list", { weights: [1] }, "evidence.weights"],
  ["key", { weight: {} }, "evidence.weight"],
  ["key of the server", { evidence_preset: "general" }, "evidence.evidence_preset"],
  ["group", 7, "evidence"],
  ["null", null, "evidence"],
];

describe("options", () => {
  const make = (options: unknown) => () => new nous.MemoryIndex(options as nous.MemoryIndexOptions);

  test("refuse what is no embedder", () => {
    for (const wrong of [null, 7, "minilm", {}, { dimensions: 16 }, () => true])
      expectRefusal(make({ embedder: wrong }), { field: "embedder" });
    const { addWord } = embedder;
    for (const dimensions of [0, -1, 1.5, Number.NaN, INFINITY, 65_537, "16", undefined, null])
      expectRefusal(make({ embedder: { dimensions, addWord } }), { field: "embedder.dimensions" });
  });

  test("refuse a wrong language", () => {
    for (const stemming of ["german", "", true, null, 7])
      expectRefusal(make({ stemming }), { field: "stemming" });
  });

  test.each(WRONG_EVIDENCE)("refuse a wrong %s of the configuration", (_, evidence, field) => {
    const error = thrownBy(make({ config: { evidence } })) as nous.NousError;
    expect([error.code, error.details.field]).toEqual(["invalid_config", field]);
    expect(error.message).toContain(field);
  });

  test("accept every preset, every kind, and the greatest weights", () => {
    for (const preset of ["general", "trading"] as const)
      new nous.MemoryIndex({ config: { evidence: { preset } } }).free();
    const { names } = index.evidence(QUESTION);
    const weights = Object.fromEntries(names.map((name, place) => [name, place % 2 ? 1e3 : -1e3]));
    const memory = new nous.MemoryIndex({ config: { evidence: { weights } } });
    memory.upsert(NODES);
    for (const { sum, score } of memory.ask(QUESTION, { now: NOW }))
      expect([Number.isFinite(sum), score >= 0 && score <= 1]).toEqual([true, true]);
    memory.free();
  });
});

describe("weigh", () => {
  test.each(WRONG_EVIDENCE)("refuses a wrong %s as the constructor does", (_, evidence, field) => {
    const config = { evidence } as nous.EngineConfig;
    const refused = thrownBy(() => new nous.MemoryIndex({ config })) as nous.NousError;
    expectRefusal(() => js.weigh(evidence), { field }, "invalid_config");
    expect((thrownBy(() => js.weigh(evidence)) as Error).message).toBe(refused.message);
  });

  test("refuses nothing at all, and what is marked as written in snake_case by its keys", () => {
    expectRefusal(() => js.weigh(), { field: "evidence" }, "invalid_config");
    const { inSnakeCase } = nous as unknown as { inSnakeCase(settings: object): object };
    const field = "evidence.presets_of";
    expectRefusal(() => js.weigh(inSnakeCase({ presets_of: 1 })), { field }, "invalid_config");
    const marked = inSnakeCase({ preset: "general", weights: { p_soft: FITTED_P_SOFT } });
    // The weight that was fitted: answers stay as they are.
    js.weigh(marked);
  });

  test("names the key that a misspelled one may mean", () => {
    const error = thrownBy(() => js.weigh({ weigths: {} })) as Error;
    expect(error.message).toContain("evidence.weigths is not a known key (did you mean weights?)");
  });

  test("throws the error of a read, and finds an index that a read has freed", () => {
    const own = new RangeError("from within");
    const reading = (get: () => unknown) =>
      Object.defineProperty({}, "bm", { get, enumerable: true });
    const throwing = reading(() => {
      throw own;
    });
    expect(thrownBy(() => js.weigh({ weights: throwing }))).toBe(own);
    const memory = new nous.MemoryIndex();
    const freeing = reading(() => {
      memory.free();
      return 1;
    }) as Record<string, number>;
    const error = thrownBy(() => memory.weigh({ weights: freeing })) as nous.NousError;
    expect(error.code).toBe("freed");
  });

  test("refuses a configuration for which maxBytes leaves no room, and takes no memory", () => {
    const small = new nous.MemoryIndex({ embedder, maxBytes: 8 * 2 ** 20 });
    small.upsert(NODES);
    const before = [said(small), small.bytes.module];
    for (const wrong of [
      { preset: "general ".repeat(1e6) },
      { weights: Object.fromEntries(Array.from({ length: 1e5 }, (_, kind) => [`kind${kind}`, 1])) },
    ]) {
      const error = thrownBy(() => small.weigh(wrong as nous.EvidenceConfig)) as nous.NousError;
      expect(error.code).toBe("out_of_memory");
    }
    expectSame([said(small), small.bytes.module], before);
    small.free();
  });

  test("counts from the next question on, and with a missing preset goes back to general", () => {
    const memory = new nous.MemoryIndex({
      embedder,
      config: { evidence: { preset: "trading", weights: { sem: 3 } } },
    });
    memory.upsert(NODES);
    expect(said(memory)).not.toEqual(said(expected));
    memory.weigh({ weights: {} });
    expectSame(said(memory), said(expected));
    memory.weigh({ preset: undefined, weights: { titlecov: 900 } } as nous.EvidenceConfig);
    expect(memory.ask("move", { now: NOW })[0]!.sum).toBeGreaterThan(800);
    memory.free();
  });
});

describe("an embedder", () => {
  const words = (memory: nous.MemoryIndex) =>
    memory.why("a", "relocate", { now: NOW }).words.map(({ found }) => found);

  test("that throws or adds no numbers for some words gives those no vector", () => {
    const wrongs: Record<string, (sum: Float32Array) => unknown> = {
      throws: () => {
        throw new Error("no such word");
      },
      "adds NaN": (sum) => {
        sum[0] = Number.NaN;
        return true;
      },
      "adds infinity": (sum) => {
        sum.fill(INFINITY);
        return true;
      },
      "says no after adding": (sum) => {
        sum.fill(1);
        return false;
      },
    };
    for (const [what, wrong] of Object.entries(wrongs)) {
      const memory = new nous.MemoryIndex({
        embedder: {
          dimensions: 3,
          addWord(word, sum) {
            const text = new TextDecoder().decode(word);
            if (text === "moved") return wrong(sum) as boolean;
            sum[1]! += 1;
            return true;
          },
        },
      });
      memory.upsert([{ id: "a", text: "moved" }]);
      expect(words(memory), what).toEqual([null]);
      const { values } = memory.evidence("moved relocate");
      expect(values.every(Number.isFinite), what).toBe(true);
      memory.free();
    }
  });

  test("that calls the index does not harm it", () => {
    let memory: nous.MemoryIndex | undefined;
    let calls = 0;
    memory = new nous.MemoryIndex({
      embedder: {
        dimensions: 2,
        addWord(_, sum) {
          calls += 1;
          memory?.ask("anything");
          sum[0]! += 1;
          return true;
        },
      },
    });
    expect(() => memory!.upsert([{ id: "a", text: "moved" }])).toThrow();
    expect([calls > 0, memory.size]).toEqual([true, 0]);
    memory.free();
  });
});

describe("memory", () => {
  test("texts count against maxBytes: a batch without room is refused and leaves nothing", () => {
    const small = new nous.MemoryIndex({ embedder, maxBytes: 8 * 2 ** 20 });
    small.upsert(NODES);
    const before = { ...said(small), bytes: small.bytes.texts };
    const text = Array.from({ length: 60_000 }, (_, place) => `word${place * 7919}`).join(" ");
    const nodes = [
      { id: "a", text: "Mira moved again.", access_count: 9 },
      { id: "new", text },
    ];
    const error = thrownBy(() => small.upsert(nodes)) as nous.NousError;
    expect(error.code).toBe("out_of_memory");
    expectSame({ ...said(small), bytes: small.bytes.texts }, before);
    expect(small.has("new")).toBe(false);
    small.free();
  });

  test("the bytes of texts are reported, and grow with them", () => {
    const memory = new nous.MemoryIndex();
    const before = memory.bytes.texts;
    const text = (place: number) =>
      Array.from({ length: 50 }, (_, word) => `w${place * 50 + word}`).join(" ");
    memory.upsert(
      Array.from({ length: 100 }, (_, place) => ({ id: `${place}`, text: text(place) })),
    );
    const { texts, module } = memory.bytes;
    // At least the letters of 5,000 words.
    expect(texts - before).toBeGreaterThan(25_000);
    expect(texts).toBeLessThan(module);
    memory.free();
  });
});

describe("snapshots", () => {
  const withId = (id: string) => Object.assign(Object.create(embedder) as typeof embedder, { id });

  test("hold texts: a restored index answers at once, in steps, too", () => {
    const named = withId("fake-16");
    const full = new nous.MemoryIndex({ embedder: named });
    full.upsert(NODES);
    const snapshot = full.snapshot();
    const restored = [nous.MemoryIndex.restore(snapshot, { embedder: named })];
    const steps = nous.MemoryIndex.restoreInSteps(snapshot, { embedder: named });
    let pauses = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) pauses += 1;
    restored.push(step.value);
    // Start, ids of nodes, nodes, texts, words, end.
    expect(pauses).toBe(6);
    for (const memory of restored) {
      expectSame(said(memory), said(expected));
      expectSame(memory.snapshot(), snapshot);
      // Words that come later get their vectors from the embedder.
      memory.upsert([{ id: "new", text: "Ana eats wine grapes in Porto.", created_at: NOW }]);
    }
    full.upsert([{ id: "new", text: "Ana eats wine grapes in Porto.", created_at: NOW }]);
    for (const memory of restored) {
      expectSame(said(memory), said(full));
      memory.free();
    }
    full.free();
  });

  test("leave out texts whose words are read in another way", () => {
    const full = new nous.MemoryIndex({ embedder: withId("fake-16") });
    full.upsert(NODES);
    const snapshot = full.snapshot();
    full.free();
    for (const options of [
      {},
      { embedder },
      { embedder: withId("another") },
      { embedder: withId("fake-16"), stemming: "none" as const },
    ]) {
      const restored = nous.MemoryIndex.restore(snapshot, options);
      expect([restored.size, restored.textCount]).toEqual([3, 0]);
      restored.free();
    }
  });

  test("hold texts of an index without an embedder", () => {
    const full = new nous.MemoryIndex();
    full.upsert(NODES);
    const restored = nous.MemoryIndex.restore(full.snapshot());
    expect(restored.textCount).toBe(2);
    expectSame(restored.ask(QUESTION, { now: NOW }), full.ask(QUESTION, { now: NOW }));
    for (const memory of [full, restored]) memory.free();
  });

  test("are refused in the step that meets the fault, and options in the first", () => {
    const full = new nous.MemoryIndex({ embedder: withId("fake-16") });
    full.upsert(NODES);
    const parts = [...full.snapshotParts()];
    full.free();
    parts[4]![parts[4]!.length - 1]! ^= 1;
    const steps = nous.MemoryIndex.restoreInSteps(parts, { embedder: withId("fake-16") });
    for (let step = 0; step < 4; step++) expect(steps.next().done).toBe(false);
    expect(thrownBy(() => steps.next())).toMatchObject({ code: "invalid_snapshot" });
    expectRefusal(
      () => nous.MemoryIndex.restoreInSteps(parts, { stemming: "french" as never }).next(),
      { field: "stemming" },
    );
    for (const id of [7, null, {}])
      expectRefusal(() => new nous.MemoryIndex({ embedder: withId(id as never) }), {
        field: "embedder.id",
      });
  });

  test("hold no texts if the source of vectors has no name, until they are passed again", () => {
    const nodes = NODES.map((node, place) => ({
      ...node,
      type: "note",
      subtype: "custom:lesson",
      last_accessed: NOW - 1,
      access_count: 3 + place,
      stability: 9.5,
      retrievability: 0.5,
      difficulty: 0.25,
      lifecycle: "WEAK" as const,
      tags: ["one", "two"],
      clusters: ["three"],
    }));
    const full = new nous.MemoryIndex({ embedder });
    full.upsert(nodes);
    full.link([{ id: "ab", source_id: "a", target_id: "b", strength: 0.3 }]);
    const restored = nous.MemoryIndex.restore(full.snapshot(), { embedder });
    const fields = (memory: nous.MemoryIndex) => ["a", "b", "c"].map((id) => memory.get(id));
    expect([restored.size, restored.textCount]).toEqual([3, 0]);
    expect(restored.ask(QUESTION)).toEqual([]);
    expectRefusal(() => restored.why("a", QUESTION), { field: "id" });
    // A text alone keeps every other field.
    const texts = nodes.map(({ id, title, text }) => ({ id, title, text }));
    expect(restored.upsert(texts, { now: NOW + 9 })).toBe(0);
    expect(fields(restored)).toEqual(fields(full));
    expect(restored.getEdge("ab")).toEqual(full.getEdge("ab"));
    expect(restored.textCount).toBe(2);
    for (const question of [QUESTION, "bread", "lisbno"]) {
      expectSame(
        [restored.ask(question, { now: NOW }), restored.evidence(question, { now: NOW })],
        [full.ask(question, { now: NOW }), full.evidence(question, { now: NOW })],
      );
    }
    for (const memory of [full, restored]) memory.free();
  });
});

describe("learn", () => {
  const feedback = { question: QUESTION, shown: ["a", "b"], used: ["a"], now: NOW };
  const withField = (field: string, value: unknown) => () =>
    js.learn({ ...feedback, [field]: value });

  test("refuses feedback that is not an object, and unknown fields", () => {
    for (const wrong of [null, "a", 7, true, []])
      expectRefusal(() => js.learn(wrong), { field: "feedback" });
    expectRefusal(withField("show", []), { field: "show" });
  });

  test("refuses wrong questions, ids and instants", () => {
    for (const wrong of [undefined, null, ...NO_STRINGS])
      expectRefusal(withField("question", wrong), { field: "question" });
    for (const field of ["shown", "used"]) {
      for (const wrong of [undefined, null, 7, "a", {}])
        expectRefusal(withField(field, wrong), { field });
      expectRefusal(withField(field, ["a", 7]), { field, index: 1 });
      expectRefusal(withField(field, [""]), { field, index: 0 });
    }
    for (const now of [Number.NaN, INFINITY, "soon", {}])
      expectRefusal(withField("now", now), { field: "now" });
    // This index keeps no embeddings.
    for (const wrong of [[1, 0], "[1, 0]", 7])
      expectRefusal(withField("embedding", wrong), { field: "embedding" });
    expectRefusal(withField("embedding_scale", { of_unrelated: 2, of_related: 0.1 }), {
      field: "embedding_scale.of_unrelated",
    });
  });

  test("refuses an id that was used and not shown, by its place", () => {
    expectRefusal(withField("used", ["a", "c"]), { field: "used[1]" });
  });
});

describe("setLearned", () => {
  const numbers = { qm: 0, prevq: 0, len: 0, num: 0, cap: 0, pos: 0 };
  const learned = { steps: 3, shifts: { ...numbers, len: 1 }, means: numbers };

  test("refuses what is not an object, unknown fields and unknown traits", () => {
    for (const wrong of [null, "a", 7, true, []])
      expectRefusal(() => js.setLearned(wrong), { field: "learned" });
    expectRefusal(() => js.setLearned({ ...learned, weights: {} }), { field: "weights" });
    for (const field of ["shifts", "means"]) {
      for (const wrong of [undefined, null, 7, "a", []])
        expectRefusal(() => js.setLearned({ ...learned, [field]: wrong }), { field });
      expectRefusal(() => js.setLearned({ ...learned, [field]: { ...numbers, bm: 1 } }), {
        field: "bm",
      });
    }
  });

  test("refuses wrong numbers by field", () => {
    for (const steps of [undefined, null, -1, 1.5, 2 ** 32, Number.NaN, "1"])
      expectRefusal(() => js.setLearned({ ...learned, steps }), { field: "steps" });
    for (const field of ["shifts", "means"]) {
      for (const wrong of [...NO_NUMBERS, -2.001, 2.001, INFINITY, Number.NaN]) {
        const given = { ...learned, [field]: { ...numbers, cap: wrong } };
        expectRefusal(() => js.setLearned(given), { field: `${field}.cap` });
      }
    }
  });
});
