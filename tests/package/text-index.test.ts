// TextIndex of the package: refused calls and their effects, reentrant calls, freeing, snapshots,
// limits, a trap of one index, and memory after removals.

import { NousError, type TextDocument, TextIndex } from "nous-wasm";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  buildCountedCore,
  type CountedCore,
  countedModule,
  freshCore,
} from "./support/counted-engine.ts";

const MINUTES = 60_000;
const MIB = 2 ** 20;
const DOCUMENTS: TextDocument[] = [
  { id: "a", title: "Gold", summary: null, body: "Breakouts of gold fail on Fridays." },
  { id: "b", title: "Silver", body: "Follows gold, later." },
  { id: "c", summary: "Copper" },
  { id: "d", body: "比特币价格" },
  { id: "e" },
  { id: "f", title: "Tin" },
];

const indexes: TextIndex[] = [];
afterEach(() => {
  for (const index of indexes.splice(0)) index.free();
});

function filled(options = {}): TextIndex {
  const index = new TextIndex(options);
  indexes.push(index);
  index.upsert(DOCUMENTS);
  return index;
}

const idsOf = (index: TextIndex, ...terms: string[]) => index.search(terms).map(({ id }) => id);

function thrownBy(call: () => unknown): NousError {
  try {
    call();
  } catch (error) {
    return error as NousError;
  }
  throw new Error("nothing was thrown");
}

/** All of an index that its callers can observe. */
const portrait = (index: TextIndex) => [
  index.size,
  [...index.ids()].sort(),
  index.search(["gold", "copper"]),
  index.snapshot(),
];

describe("a text index", () => {
  it("finds documents after additions, replacements and removals", () => {
    const index = filled();
    expect(index.size).toBe(6);
    expect(idsOf(index, "gold")).toEqual(["a", "b"]);
    expect(idsOf(index, "bitcoin", "价格")).toEqual(["d"]);
    expect(idsOf(index)).toEqual([]);
    expect(
      index.upsert([
        { id: "c", title: "Gold" },
        { id: "g", body: "new" },
      ]),
    ).toBe(1);
    expect(idsOf(index, "copper")).toEqual([]);
    expect(index.remove(["a", "a", "nobody"])).toBe(1);
    expect([index.has("a"), index.has("c")]).toEqual([false, true]);
    expect(idsOf(index, "gold")).toEqual(["c", "b"]);
  });

  it("uses the last of documents with one id, in the place of the first", () => {
    const index = new TextIndex();
    indexes.push(index);
    expect(
      index.upsert([
        { id: "x", title: "old" },
        { id: "y", title: "same" },
        { id: "x", title: "same" },
      ]),
    ).toBe(2);
    expect(idsOf(index, "same")).toEqual(["x", "y"]);
    expect(idsOf(index, "old")).toEqual([]);
  });

  it("searches only the given ids, with the scores of the whole index", () => {
    const index = filled();
    const all = index.search(["gold"]);
    expect(index.search(["gold"], { among: ["b", "c", "nobody", "b"] })).toEqual(all.slice(1));
    expect(index.search(["gold"], { among: [] })).toEqual([]);
    expect(index.search(["gold"], { limit: 1 })).toEqual(all.slice(0, 1));
    expect(index.search(["gold"], { limit: 0 })).toEqual([]);
    expect(index.search(["gold"], { limit: Number.POSITIVE_INFINITY })).toEqual(all);
  });

  it("accepts text with lone surrogates and other oddities", () => {
    const index = filled();
    index.upsert([
      { id: "\ud800", title: "half \udc00 a pair \ud800word", body: "\u0000 \uffff \ufffe" },
    ]);
    expect(idsOf(index, "pair")).toEqual(["\ud800"]);
    expect(idsOf(index, "\ud800pair\udc00")).toEqual(["\ud800"]);
    expect(idsOf(index, "word")).toEqual(["\ud800"]);
    const restored = TextIndex.restore(index.snapshot());
    indexes.push(restored);
    expect(portrait(restored)).toEqual(portrait(index));
  });

  it("reads at most the configured number of terms", () => {
    const index = filled();
    const terms = Array.from({ length: 20_000 }, (_, place) => `w${place}`);
    let read = 0;
    const counted = new Proxy(terms, {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) read++;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(index.search(counted)).toEqual([]);
    expect(read).toBe(64);
  });
});

describe("a refused call", () => {
  const index = () => filled();
  const REFUSED: [string, (index: TextIndex) => unknown, object][] = [
    ["documents that are no list", (it) => it.upsert({} as never), { field: "documents" }],
    [
      "a document that is none",
      (it) => it.upsert([DOCUMENTS[0]!, null as never]),
      { field: "documents", index: 1 },
    ],
    ["no id", (it) => it.upsert([{ id: "new" }, {} as never]), { field: "id", index: 1 }],
    ["an empty id", (it) => it.upsert([{ id: "" }]), { field: "id", index: 0 }],
    [
      "a title that is no text",
      (it) => it.upsert([{ id: "new" }, { id: "z", title: 5 as never }]),
      { field: "title", index: 1, id: "z" },
    ],
    [
      "a body that is no text",
      (it) => it.upsert([{ id: "z", body: [] as never }]),
      { field: "body", index: 0, id: "z" },
    ],
    ["ids that are no list", (it) => it.remove("a" as never), { field: "ids" }],
    ["an id that is no text", (it) => it.remove(["a", 7 as never]), { field: "ids", index: 1 }],
    ["terms that are no list", (it) => it.search("gold" as never), { field: "terms" }],
    ["a term that is no text", (it) => it.search(["gold", null as never]), { field: "terms" }],
    ["a limit below 0", (it) => it.search(["gold"], { limit: -1 }), { field: "limit" }],
    [
      "a limit that is no whole number",
      (it) => it.search(["gold"], { limit: 1.5 }),
      { field: "limit" },
    ],
    [
      "among what is no list",
      (it) => it.search(["gold"], { among: "a" as never }),
      { field: "among" },
    ],
    ["an unknown option", (it) => it.search(["gold"], { max: 3 } as never), { field: "max" }],
    ["options of another kind", (it) => it.search(["gold"], 7 as never), { field: "options" }],
  ];

  it.each(REFUSED)("for %s changes nothing", (_, call, details) => {
    const it = index();
    const before = portrait(it);
    const error = thrownBy(() => call(it));
    expect(error).toBeInstanceOf(NousError);
    expect(error).toMatchObject({ code: "invalid_argument", details });
    expect(portrait(it)).toEqual(before);
  });

  it.each([0, -1, Number.NaN, "1" as never])("for maxBytes of %s changes nothing", (maxBytes) => {
    expect(thrownBy(() => new TextIndex({ maxBytes }))).toMatchObject({
      code: "invalid_argument",
      details: { field: "maxBytes" },
    });
  });

  it("for exceeding maxBytes leaves earlier documents findable", () => {
    const index = filled({ maxBytes: 4 * MIB });
    const words = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => `w${from + n}`).join(" ");
    const error = thrownBy(() => index.upsert([{ id: "big", body: words(0, 100_000) }]));
    expect(error.code).toBe("out_of_memory");
    expect([index.size, idsOf(index, "gold"), idsOf(index, "w7")]).toEqual([6, ["a", "b"], []]);
    let added = 0;
    const full = thrownBy(() => {
      for (; ; added++) index.upsert([{ id: `n${added}`, body: words(added * 50, 50) }]);
    });
    expect(full.code).toBe("out_of_memory");
    expect(added).toBeGreaterThan(10);
    expect(index.size).toBe(6 + added);
    expect(index.bytes.index).toBeLessThan(4 * MIB);
    expect(idsOf(index, `w${added * 50 - 1}`)).toEqual([`n${added - 1}`]);
    const restored = TextIndex.restore(index.snapshot(), { maxBytes: 12 * MIB });
    expect(
      [restored.size, idsOf(restored, `w${added * 50 - 1}`)],
      "what is full can be saved",
    ).toEqual([6 + added, [`n${added - 1}`]]);
    restored.free();
    expect(index.remove([...index.ids()])).toBe(6 + added);
    expect(index.upsert(DOCUMENTS), "what was removed gives room").toBe(6);
  });
});

describe("freeing", () => {
  const METHODS: [string, (index: TextIndex) => unknown][] = [
    ["upsert", (index) => index.upsert([])],
    ["remove", (index) => index.remove([])],
    ["search", (index) => index.search(["gold"])],
    ["has", (index) => index.has("a")],
    ["ids", (index) => index.ids()],
    ["size", (index) => index.size],
    ["bytes", (index) => index.bytes],
    ["snapshot", (index) => index.snapshot()],
  ];
  it.each(METHODS)("makes %s throw, except for another free", (_, call) => {
    const index = filled();
    const parts = index.snapshotParts();
    parts.next();
    index[Symbol.dispose]();
    index.free();
    expect(thrownBy(() => call(index)).code).toBe("freed");
    expect(thrownBy(() => parts.next()).code).toBe("freed");
  });
});

describe("reentrant calls", () => {
  const ACTIONS: [string, (index: TextIndex) => unknown][] = [
    ["a search", (index) => index.search(["gold", "copper"])],
    [
      "many new documents",
      (index) =>
        index.upsert(Array.from({ length: 3000 }, (_, n) => ({ id: `n${n}`, title: `t${n}` }))),
    ],
    ["the removal of what is read", (index) => index.remove(["a", "b"])],
    [
      "so much removal that rows are given anew",
      (index) => index.remove(["a", "b", "c", "d", "e", "f"]),
    ],
    ["a snapshot", (index) => index.snapshot()],
  ];
  it.each(ACTIONS)("%s, from the getter of a document or an entry of a list", (_, act) => {
    const twin = filled();
    act(twin);
    twin.upsert([{ id: "z", title: "zinc" }, DOCUMENTS[1]!]);
    const index = filled();
    const entry = {
      id: "z",
      get title() {
        act(index);
        return "zinc";
      },
    };
    index.upsert([entry, DOCUMENTS[1]!]);
    expect(portrait(index)).toEqual(portrait(twin));
    const acting = (list: string[]) =>
      new Proxy(list, {
        get(target, key, receiver) {
          if (key === "0") act(index);
          return Reflect.get(target, key, receiver);
        },
      });
    const hits = index.search(acting(["zinc"]));
    act(twin);
    expect(hits).toEqual(twin.search(["zinc"]));
    expect(index.remove(acting(["z", "nobody"]))).toBe(1);
    expect(idsOf(index, "zinc")).toEqual([]);
  });

  it("that free the index raise an error", () => {
    for (const use of [
      (index: TextIndex, run: () => void) => index.upsert([{ id: "z", get title() { return run(), ""; } }]), // biome-ignore format: one line
      (index: TextIndex, run: () => void) => index.search(["gold"], { get limit() { return run(), 1; } }), // biome-ignore format: one line
    ]) {
      const index = filled();
      expect(thrownBy(() => use(index, () => index.free())).code).toBe("freed");
    }
  });
});

describe("snapshots", () => {
  it("restore an equal index, from one buffer or from chunks of any length", () => {
    const index = filled();
    index.remove(["b"]);
    const bytes = index.snapshot();
    for (const length of [1, 7, 100_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
        bytes.subarray(n * length, (n + 1) * length),
      );
      const restored = TextIndex.restore(pieces);
      indexes.push(restored);
      expect(portrait(restored)).toEqual([
        index.size,
        [...index.ids()].sort(),
        index.search(["gold", "copper"]),
        restored.snapshot(),
      ]);
      expect(restored.upsert([DOCUMENTS[1]!, DOCUMENTS[0]!])).toBe(1);
      expect(idsOf(restored, "gold")).toEqual(["a", "b"]);
    }
  });

  it("are refused if they are truncated, damaged, of a MemoryIndex, or with a repeated id", async () => {
    const { MemoryIndex } = await import("nous-wasm");
    const index = filled();
    const bytes = index.snapshot();
    const damaged = bytes.slice();
    damaged[damaged.length - 3]! ^= 1;
    const memory = new MemoryIndex();
    memory.upsert([{ id: "a" }]);
    const ofMemory = memory.snapshot();
    for (const wrong of [
      bytes.subarray(0, -1),
      bytes.subarray(0, 100),
      damaged,
      ofMemory,
      new Uint8Array(64),
      new Uint8Array(),
    ]) {
      expect(thrownBy(() => TextIndex.restore(wrong)).code).toBe("invalid_snapshot");
    }
    expect(thrownBy(() => MemoryIndex.restore(bytes)).code).toBe("invalid_snapshot");
    expect(thrownBy(() => TextIndex.restore(bytes, { maxBytes: 1 })).code).toBe("out_of_memory");
    memory.free();
  });

  it("end if the index changes, or if another snapshot is begun", () => {
    const index = filled();
    for (const act of [
      () => index.remove(["a"]),
      () => index.upsert([{ id: "y" }]),
      () => [...index.snapshotParts()],
    ]) {
      const parts = index.snapshotParts();
      parts.next();
      act();
      expect(thrownBy(() => [...parts]).code).toBe("invalid_snapshot");
    }
  });
});

describe("the instance of a text index", () => {
  const { Instance } = WebAssembly;
  let core: CountedCore;
  let last: WebAssembly.Exports;
  let trapping: Set<string>;

  beforeAll(async () => {
    await buildCountedCore();
    const module = countedModule();
    // Exports that panic on demand.
    const construct = (made: typeof Instance, args: [WebAssembly.Module]) => {
      const instance = new made(...args);
      const names = new Set<string>();
      const exports: WebAssembly.Exports = {};
      for (const [name, value] of Object.entries(instance.exports)) {
        exports[name] =
          typeof value === "function"
            ? Object.defineProperty(
                (...values: unknown[]) =>
                  names.has(name) ? (instance.exports.trap as () => void)() : value(...values),
                "length",
                { value: value.length },
              )
            : value;
      }
      [last, trapping] = [exports, names];
      return { exports };
    };
    WebAssembly.Instance = new Proxy(Instance, { construct }) as typeof Instance;
    core = freshCore(module);
    return () => {
      WebAssembly.Instance = Instance;
    };
  }, 10 * MINUTES);

  it("is lost by a trap, and no other instance with it", () => {
    const lost = new core.TextIndex();
    lost.upsert(DOCUMENTS);
    const names = trapping;
    const other = new core.TextIndex();
    other.upsert(DOCUMENTS);
    names.add("residenttext_search");
    const error = thrownBy(() => lost.search(["gold"]));
    expect(error).toMatchObject({
      code: "instance_lost",
      message: expect.stringContaining("asked to"),
    });
    names.clear();
    for (const call of [
      () => lost.search(["gold"]),
      () => lost.upsert(DOCUMENTS),
      () => lost.remove(["a"]),
      () => lost.snapshot(),
    ]) {
      expect(thrownBy(call).code).toBe("instance_lost");
    }
    expect(other.search(["gold"]).length).toBe(2);
    expect(new core.TextIndex().upsert(DOCUMENTS)).toBe(6);
  });

  it("uses no more memory after a thousand equal rounds than after some", () => {
    const index = new core.TextIndex();
    const live = last.live_bytes as () => number;
    const round = (number: number) => {
      index.upsert(
        Array.from({ length: 40 }, (_, n) => ({
          id: `${n}`,
          title: `t${n} of ${number % 20}`,
          body: "same words",
        })),
      );
      index.search(["t1", "same", "words"], { limit: 30, among: ["1", "2"] });
      expect(() => index.upsert([{ id: "x", title: 7 as never }])).toThrow(core.NousError);
      index.remove(["3", "4"]);
      if (number % 50 === 0) core.TextIndex.restore(index.snapshot()).free();
    };
    const liveAfter = (from: number, to: number) => {
      for (let number = from; number < to; number++) round(number);
      index.remove([...index.ids()]);
      return live();
    };
    const first = liveAfter(0, 200);
    expect(liveAfter(200, 1200)).toBe(first);
    index.free();
  });
});
