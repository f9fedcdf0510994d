// The fit of evidence: minimisation, listwise weights, calibration, sets, and the written file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryIndex } from "nous-wasm";
import { afterAll, describe, expect, it } from "vitest";
import { cutStores } from "../../benches/fit/cut-stores.ts";
import { bestRows, collect, sumsOf, TableBuilder } from "../../benches/fit/evidence-table.ts";
import { judge, mean } from "../../benches/fit/judge.ts";
import { minimise } from "../../benches/fit/lbfgs.ts";
import { fitListwise } from "../../benches/fit/listwise.ts";
import { firstOfAll, fitScale, probabilityOf } from "../../benches/fit/logistic.ts";
import { fitPreset, type Preset } from "../../benches/fit/preset.ts";
import { rustFile } from "../../benches/fit/rust-file.ts";
import { fileSet, namedFile, ownFitSets } from "../../benches/fit/sets.ts";
import { askingOf } from "../../benches/quality/measure.ts";
import { generateSample } from "../../js/sample/trader/index.ts";
import { Random } from "../../js/sample/trader/random.ts";

const FREE = Number.NEGATIVE_INFINITY;

describe("the minimisation", () => {
  const rosenbrock = (p: Float64Array) => {
    const [x, y] = [p[0]!, p[1]!];
    return {
      value: (1 - x) ** 2 + 100 * (y - x * x) ** 2,
      gradient: Float64Array.of(-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)),
    };
  };

  it("finds the end of a curved valley", () => {
    const { point, converged } = minimise(rosenbrock, [-1.2, 1], [FREE, FREE]);
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(1, 4);
    expect(point[1]).toBeCloseTo(1, 4);
  });

  it("stays above its bounds, and lets go of them where the value falls inwards", () => {
    const asked: number[] = [];
    const bowl = (p: Float64Array) => {
      asked.push(p[0]!, p[1]!);
      // The minimum without bounds is (−1, 2), and the two numbers depend on each other.
      const [x, y] = [p[0]! + 1, p[1]! - 2];
      return {
        value: x * x + y * y + x * y,
        gradient: Float64Array.of(2 * x + y, 2 * y + x),
      };
    };
    const { point } = minimise(bowl, [5, 0], [0, 0]);
    expect(point[0]).toBe(0);
    expect(point[1]).toBeCloseTo(1.5, 4);
    expect(Math.min(...asked)).toBe(0);
  });

  it("refuses bounds of another number, and a start without a value", () => {
    expect(() => minimise(rosenbrock, [0, 0], [0])).toThrow("lower: 1 bounds for 2 numbers");
    expect(() => minimise(rosenbrock, [Number.NaN, 0], [FREE, FREE])).toThrow(
      "start: the value is NaN",
    );
  });
});

/** Draws the answer of each question from the softmax of `sharpness` · weighted sum. */
function synthetic(name: string, truth: readonly number[], sharpness: number, questions = 1500) {
  const random = new Random(7, name);
  const kinds = [...truth.map((_, k) => `kind${k}`), "absent"];
  const builder = new TableBuilder(name, kinds);
  const memories = 12;
  for (let q = 0; q < questions; q++) {
    const values = new Float64Array(memories * kinds.length);
    const sums = Array.from({ length: memories }, (_, memory) =>
      truth.reduce((sum, weight, k) => {
        const value = random.whole(0, 1000) / 1000;
        values[memory * kinds.length + k] = value;
        return sum + sharpness * weight * value;
      }, 0),
    );
    const masses = sums.map(Math.exp);
    let left = (random.whole(0, 999_999) / 1e6) * masses.reduce((sum, mass) => sum + mass, 0);
    const answer = masses.findIndex((mass) => {
      left -= mass;
      return left < 0;
    });
    const grades = sums.map((_, memory) => (memory === answer ? 2 : 0));
    builder.add({ kind: q % 2 === 0 ? "even" : "odd", grades, values });
  }
  return builder.finish();
}

const KINDS = ["kind0", "kind1", "kind2", "kind3"];
const TRUTH = [3, 1, 0, 2];

describe("the listwise fit", () => {
  const sharp = synthetic("sharp", TRUTH, 2);
  const flat = synthetic("flat", TRUTH, 1);

  it("finds the proportions of the weights by which answers were drawn", () => {
    const { weights } = fitListwise([{ table: sharp, weight: 1 }], { kinds: KINDS });
    const found = KINDS.map((kind) => weights[kind]! / weights.kind0!);
    for (const [k, ratio] of found.entries()) expect(ratio).toBeCloseTo(TRUTH[k]! / 3, 1);
  });

  it("gives each set a temperature, so that sets of another sharpness agree", () => {
    const both = [
      { table: sharp, weight: 1 },
      { table: flat, weight: 1 },
    ];
    const { weights, temperatures } = fitListwise(both, { kinds: KINDS });
    expect(temperatures[0]! / temperatures[1]!).toBeCloseTo(2, 0);
    expect(weights.kind3! / weights.kind0!).toBeCloseTo(2 / 3, 1);
  });

  it("keeps a weight at 0 or above, unless it is signed", () => {
    const opposed = synthetic("opposed", [3, -1], 1);
    const sets = [{ table: opposed, weight: 1 }];
    expect(fitListwise(sets, { kinds: ["kind0", "kind1"] }).weights.kind1).toBe(0);
    const signed = fitListwise(sets, { kinds: ["kind0", "kind1"], signed: new Set(["kind1"]) });
    expect(signed.weights.kind1! / signed.weights.kind0!).toBeCloseTo(-1 / 3, 1);
  });

  it("follows the heavier of two sets that disagree", () => {
    const one = synthetic("one", [3, 0], 1);
    const other = synthetic("other", [0, 3], 1);
    const ratioAt = (weight: number) => {
      const sets = [
        { table: one, weight },
        { table: other, weight: 1 },
      ];
      const { weights } = fitListwise(sets, { kinds: ["kind0", "kind1"] });
      return weights.kind0! / weights.kind1!;
    };
    expect(ratioAt(1)).toBeCloseTo(1, 0);
    expect(ratioAt(8)).toBeGreaterThan(1.5 * ratioAt(1));
  });

  it("leaves out questions without an answer", () => {
    const builder = new TableBuilder("some", ["kind0"]);
    builder.add({ kind: "a", grades: [2, 0], values: Float64Array.of(1, 0) });
    const before = fitListwise([{ table: builder.finish(), weight: 1 }], { kinds: ["kind0"] });
    builder.add({ kind: "a", grades: [0, 1], values: Float64Array.of(0, 1) });
    const after = fitListwise([{ table: builder.finish(), weight: 1 }], { kinds: ["kind0"] });
    expect(after).toEqual(before);
  });

  it("refuses no sets, a set without answers, and a weight of 0", () => {
    const builder = new TableBuilder("silent", ["kind0"]);
    builder.add({ kind: "a", grades: [0], values: Float64Array.of(1) });
    const silent = builder.finish();
    expect(() => fitListwise([], { kinds: ["kind0"] })).toThrow("no sets to fit on");
    expect(() => fitListwise([{ table: silent, weight: 1 }], { kinds: ["kind0"] })).toThrow(
      "silent: no question has an answer",
    );
    expect(() => fitListwise([{ table: flat, weight: 0 }], { kinds: ["kind0"] })).toThrow(
      "flat: a weight of 0",
    );
  });
});

/** A question that says nothing. */
const ALONE = { best: 0, gap: 0, spread: 0, unheld: 0 };

/** Odds to which nothing adds. */
const ALONE_ODDS = { scale: 0, ofBest: 0, ofGap: 0, ofSpread: 0, ofUnheld: 0, offset: 0 };

describe("calibration", () => {
  it("finds the scale by which answers were drawn", () => {
    const random = new Random(3, "logistic");
    const drawn = { scale: 1.3, ofBest: -0.8, ofGap: 0.6, ofSpread: -6, ofUnheld: -1, offset: -2 };
    const judged = Array.from({ length: 40_000 }, () => {
      const best = random.whole(0, 1000) / 100;
      const sum = best - random.whole(0, 300) / 100;
      const [gap, unheld] = [random.whole(0, 400) / 100, random.whole(0, 100) / 100];
      const one = { sum, best, gap, spread: random.whole(0, 300) / 1000, unheld };
      return { ...one, isAnswer: random.whole(0, 999_999) / 1e6 < probabilityOf(drawn, one) };
    });
    const fitted = fitScale([{ judged, weight: 1 }]);
    expect(fitted.scale).toBeCloseTo(drawn.scale, 0.7);
    expect(fitted.ofBest).toBeCloseTo(drawn.ofBest, 0.7);
    expect(fitted.ofGap).toBeCloseTo(drawn.ofGap, 0.7);
    expect(fitted.ofSpread / drawn.ofSpread).toBeCloseTo(1, 0.7);
    expect(fitted.ofUnheld).toBeCloseTo(drawn.ofUnheld, 0.3);
    expect(fitted.offset).toBeCloseTo(drawn.offset, 0.3);
  });

  it("reads of each question the best sums, the spread of the runs and what none holds", () => {
    const builder = new TableBuilder("two", ["sesb", "p_soft", "soft_unheld"]);
    const rows = [
      [0, 0, 0],
      [1, 0.5, 0.125],
      [0, 0, 0],
      [1, 0, 0],
    ];
    builder.add({ kind: "a", grades: [0, 2, 0, 0], values: Float64Array.from(rows.flat()) });
    builder.add({ kind: "a", grades: [2], values: Float64Array.of(0.25, 0, 0) });
    const table = builder.finish();
    const sums = sumsOf(table, { sesb: 4, p_soft: 2 });
    expect(firstOfAll(table, sums, 2)).toEqual([
      { sum: 5, best: 5, gap: 1, spread: 0.5, unheld: 0.25, isAnswer: true },
      { sum: 4, best: 5, gap: 1, spread: 0.5, unheld: 0.25, isAnswer: false },
      { sum: 1, best: 1, gap: 1, spread: 0, unheld: 1, isAnswer: true },
    ]);
    expect(firstOfAll(table, sums, 1)[0]).toMatchObject({ gap: 1 });
  });

  it("stays finite where a threshold parts answers from others", () => {
    const judged = [1, 2, 3, 4].map((sum) => ({ ...ALONE, sum, isAnswer: sum > 2 }));
    const { scale, offset } = fitScale([{ judged, weight: 1 }]);
    expect(scale).toBeGreaterThan(1);
    expect(Number.isFinite(scale) && Number.isFinite(offset)).toBe(true);
  });

  it("refuses sums that all answer, or none of which does", () => {
    const all = [{ ...ALONE, sum: 1, isAnswer: true }];
    const none = [{ ...ALONE, sum: 1, isAnswer: false }];
    expect(() => fitScale([{ judged: all, weight: 1 }])).toThrow("1 of 1 memories answer");
    expect(() => fitScale([{ judged: none, weight: 1 }])).toThrow("0 of 1 memories answer");
  });
});

describe("cut stores", () => {
  const memories = Array.from({ length: 300 }, (_, n) => ({
    ...{ id: `m${n}`, text: `Note ${n}.`, created_at: "2026-06-01T08:00:00Z", cluster: "day" },
  }));
  const asked = (text: string, answers: string[]) => ({
    ...{ text, answers, kind: "where", part: "dev" as const },
  });
  const questions = [asked("One?", ["m7"]), asked("None?", []), asked("Many?", ["m1", "m2", "m3"])];
  const whole = askingOf({ name: "notes", memories, questions });
  const store = { ...whole.store, edges: [{ id: "e", source_id: "m7", target_id: "m8" }] };
  const cuts = cutStores([{ ...whole, store }], 10);

  it("hold no answer, or few memories with answers among them", () => {
    expect(cuts.map(({ name }) => name)).toEqual([
      "all but the answers",
      ...["4 memories and the answer", "4 memories, no answer"],
      ...["20 memories and the answer", "20 memories, no answer"],
      ...["100 memories and the answer", "100 memories, no answer"],
    ]);
    for (const { name, askings } of cuts) {
      expect(askings.map(({ cases }) => cases.map(({ text }) => text))).toEqual([
        ["One?"],
        ["Many?"],
      ]);
      for (const { store, cases } of askings) {
        const answers = store.memories.filter(({ id }) => cases[0]!.grades.has(id)).length;
        const size = Number(/^\d+/.exec(name)?.[0] ?? 300);
        if (!name.endsWith("and the answer")) expect(answers).toBe(0);
        else expect(answers).toBe(size === 4 ? 1 : cases[0]!.grades.size);
        expect(store.memories.length).toBeLessThanOrEqual(size + 3);
        const ids = store.memories.map(({ id }) => id);
        for (const { source_id, target_id } of store.edges)
          expect(ids).toEqual(expect.arrayContaining([source_id, target_id]));
      }
    }
  });

  it("are cut for some of many questions, and the same each time", () => {
    expect(cutStores([{ ...whole, store }], 1)[0]!.askings).toHaveLength(1);
    expect(cutStores([{ ...whole, store }], 10)).toEqual(cuts);
    expect(cutStores([{ store, cases: [] }], 10)).toEqual([]);
  });
});

describe("a table of evidence", () => {
  it("drops kinds that are 0 everywhere, and keeps rows in order", () => {
    const builder = new TableBuilder("two", ["a", "b", "c"]);
    builder.add({ kind: "x", grades: [0, 2], values: Float64Array.of(1, 0, 0, 2, 0, 0) });
    builder.add({ kind: "y", grades: [1], values: Float64Array.of(3, 0, 4) });
    const table = builder.finish();
    expect(table.kinds).toEqual(["a", "c"]);
    expect([...table.values]).toEqual([1, 0, 2, 0, 3, 4]);
    expect([...table.starts]).toEqual([0, 2, 3]);
    expect([...table.grades]).toEqual([0, 2, 1]);
    expect([...sumsOf(table, { a: 10, b: 5, c: 1 })]).toEqual([10, 20, 34]);
  });

  it("takes the best rows of a question, of equal ones the earlier first", () => {
    const sums = Float64Array.of(9, 1, 3, 3, 2, 9);
    const starts = Uint32Array.of(0, 1, 5, 6);
    expect(bestRows({ starts }, sums, 1, 3)).toEqual([2, 3, 4]);
    expect(bestRows({ starts }, sums, 1, 1)).toEqual([2]);
    expect(bestRows({ starts }, sums, 1, 9)).toEqual([2, 3, 4, 1]);
  });

  it("refuses other than one value for each memory and kind", () => {
    const builder = new TableBuilder("odd", ["a", "b"]);
    expect(() =>
      builder.add({ kind: "x", grades: [0, 2], values: Float64Array.of(1, 2, 3) }),
    ).toThrow("odd, question 0: 3 values for 2 memories and 2 kinds");
  });

  it("is what the engine says, memory by memory", () => {
    const memories = [
      ["m1", "Mira moved to Lisbon in May 2026."],
      ["m2", "Jon prefers tea."],
      ["m3", "The dentist is on Rua Augusta."],
    ].map(([id, text]) => ({
      ...{ id: id!, text: text! },
      ...{ created_at: "2026-06-01T08:00:00Z", cluster: "day" },
    }));
    const question = { text: "Where did Mira move?", answers: ["m1"], kind: "where" };
    const set = { name: "moves", memories, questions: [{ ...question, part: "dev" as const }] };
    const asking = askingOf(set);
    const embedder = { dimensions: 1, addWord: () => false };
    const table = collect("moves", [asking], { embedder });
    const index = new MemoryIndex({ embedder });
    index.upsert(asking.store.memories);
    const { ids, names, values } = index.evidence(question.text, { now: asking.cases[0]!.now });
    index.free();
    expect([...table.grades]).toEqual(ids.map((id) => (id === "m1" ? 2 : 0)));
    expect(table.kinds).toContain("bm");
    for (const [k, kind] of table.kinds.entries())
      for (let memory = 0; memory < ids.length; memory++)
        expect(table.values[memory * table.kinds.length + k]).toBe(
          Math.fround(values[memory * names.length + names.indexOf(kind)]!),
        );
    const { values: figures } = judge(table, { bm: 1 }, { ...ALONE_ODDS, scale: 1 });
    expect(figures["hit@1"]).toEqual([1]);
    expect(figures["nDCG@10"]).toEqual([1]);
  });

  it("needs a question", () => {
    const set = { name: "none", memories: [], questions: [] };
    const embedder = { dimensions: 1, addWord: () => false };
    expect(() => collect("none", [askingOf(set)], { embedder })).toThrow(
      "none: no questions to fit on",
    );
  });
});

describe("a preset", () => {
  const kinds = ["bm", "emb", "section_signals", "recency_signals"];
  const builder = new TableBuilder("own", kinds);
  const random = new Random(5, "preset");
  for (let q = 0; q < 300; q++) {
    const grades = Array.from({ length: 12 }, (_, memory) => (memory === q % 12 ? 2 : 0));
    const values = Float64Array.from({ length: 12 * 4 }, (_, at) => {
      const isAnswer = grades[Math.floor(at / 4)] === 2;
      const more = at % 4 === 2 ? -0.5 : 0.5;
      return random.whole(0, 1000) / 1000 + (isAnswer ? more : 0);
    });
    builder.add({ kind: "a", grades, values });
  }
  const sets = [{ table: builder.finish(), weight: 1 }];

  it("general does not weigh what a memory is like, trading does", () => {
    const general = fitPreset({ preset: "general", isEmbedded: false, cut: [] }, kinds, sets);
    expect(general.weights).toMatchObject({ section_signals: 0, recency_signals: 0 });
    expect(general.weights.bm).toBeGreaterThan(0);
    expect(general.weights.emb).toBe(0);
    const embedded = fitPreset({ preset: "general", isEmbedded: true, cut: [] }, kinds, sets);
    expect(embedded.weights.emb).toBeGreaterThan(0);
    const trading = fitPreset({ preset: "trading", isEmbedded: false, cut: [] }, kinds, sets);
    expect(trading.weights.section_signals).toBeLessThan(0);
    expect(trading.weights.recency_signals).toBeGreaterThan(0);
    const ndcg = ({ weights, ...scale }: typeof general) =>
      mean(judge(sets[0]!.table, weights, scale).values["nDCG@10"]);
    expect(ndcg(trading)).toBeGreaterThan(ndcg(general));
  });

  it("keeps weights that are given, and fits odds with what is cut", () => {
    const [{ table }] = sets as [(typeof sets)[number]];
    const kept = { bm: 1.25, emb: 0.001 };
    const options = { preset: "general", isEmbedded: true, kept } as const;
    const alone = fitPreset({ ...options, cut: [] }, kinds, sets);
    expect(alone.weights).toMatchObject({ bm: 1.25, emb: 0 });
    const silent = { ...table, grades: table.grades.map(() => 0) };
    const doubting = fitPreset({ ...options, cut: [silent] }, kinds, sets);
    const probabilities = [alone, doubting].map((fitted) =>
      probabilityOf(fitted, { ...ALONE, sum: 2, best: 2 }),
    );
    expect(probabilities[1]).toBeLessThan(probabilities[0]!);
  });

  it("is calibrated on its own sets", () => {
    const { weights, ...scale } = fitPreset(
      { preset: "trading", isEmbedded: false, cut: [] },
      kinds,
      sets,
    );
    expect(judge(sets[0]!.table, weights, scale).error).toBeLessThan(0.05);
  });

  it("is written to the same bytes, with a field for each kind of evidence", () => {
    const write = (kept: "none" | "plain" | "all" = "none") => {
      const both = (preset: Preset) => ({
        plain: fitPreset({ preset, isEmbedded: false, cut: [] }, kinds, sets),
        embedded: fitPreset({ preset, isEmbedded: true, cut: [] }, kinds, sets),
      });
      const presets = { general: both("general"), trading: both("trading") };
      const reported = {
        ...{ name: "own", questions: 300, figures: "nDCG@10 0.500", embedded: "0.600" },
        fittedOn: ["trading"] as const,
      };
      return rustFile({ date: "2026-03-14", kept, sets: [reported], presets });
    };
    const text = write();
    expect(write()).toBe(text);
    expect(text).toContain("//! Fitted on 2026-03-14.");
    expect(text).not.toContain("kept from an earlier fit");
    expect(write("plain")).toContain("without an embedding were kept from an earlier fit.");
    expect(write("all")).toContain("//! Weights were kept from an earlier fit");
    expect(text).toContain("//! - own (300; trading): nDCG@10 0.500. Embedded: 0.600.");
    for (const kind of kinds)
      expect(text.match(new RegExp(`^ {8}${kind}: -?\\d+\\.\\d+,$`, "gm"))).toHaveLength(4);
    expect(text).toMatch(/^ {4}scale: \d+\.\d+,$/m);
  });
});

describe("sets to fit on", () => {
  const folder = mkdtempSync(join(tmpdir(), "nous-fit-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, value: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  };
  const memory = { id: "m1", text: "Tea.", created_at: "2026-02-20T08:00:00Z", cluster: "c" };
  const set = (questions: unknown) => [{ name: "drinks", memories: [memory], questions }];
  const question = { text: "Tea?", answers: ["m1"], kind: "a" };

  it("come from files, with a weight, without their test half", () => {
    expect(namedFile("drinks.json")).toEqual({ path: "drinks.json", weight: 1 });
    expect(namedFile("drinks.json=2.5")).toEqual({ path: "drinks.json", weight: 2.5 });
    const path = file("drinks.json", set([question, { ...question, text: "Me?", part: "test" }]));
    const { name, askings, weights } = fileSet({ path, weight: 2 });
    expect(name).toBe("drinks");
    expect(askings.flatMap(({ cases }) => cases.map(({ text }) => text))).toEqual(["Tea?"]);
    expect(weights).toEqual({ general: 2, trading: 2 });
  });

  it("refuse wrong files and weights by name and place", () => {
    for (const weight of ["0", "-1", "two", "Infinity"])
      expect(() => namedFile(`drinks.json=${weight}`)).toThrow(
        `--set drinks.json=${weight}: the weight must be a number above 0`,
      );
    const open = (path: string) => () => fileSet({ path, weight: 1 });
    expect(open(join(folder, "missing.json"))).toThrow("missing.json");
    expect(open(file("broken.json", "[{"))).toThrow("broken.json: no JSON");
    const unknown = file("unknown.json", set([{ ...question, answers: ["m9"] }]));
    expect(open(unknown)).toThrow('answers[0]: "m9" is the id of no memory of the set');
    const silent = file("silent.json", set([{ ...question, answers: [] }]));
    expect(open(silent)).toThrow("silent.json: no question of the development half has an answer");
  });

  it("of our own are fitted on by their development halves alone", () => {
    const sets = ownFitSets(generateSample());
    const textsOf = (isFitted: boolean) =>
      sets
        .filter(({ weights }) => Object.keys(weights).length > 0 === isFitted)
        .flatMap(({ askings }) => askings.flatMap(({ cases }) => cases.map(({ text }) => text)));
    const [fitted, measured] = [textsOf(true), textsOf(false)];
    expect(fitted.length).toBeGreaterThan(400);
    expect(measured.length).toBeGreaterThan(400);
    expect(fitted.filter((text) => measured.includes(text))).toEqual([]);
    expect(sets.map(({ weights }) => weights.general === undefined)).toEqual(
      sets.map(({ name }) => name !== "general, dev"),
    );
  });
});
