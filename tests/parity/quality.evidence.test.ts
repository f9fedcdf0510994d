import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, it } from "vitest";
import { answerableRows, unanswerableTables } from "../../benches/quality/answer-tables.ts";
import { Bm25, stemsOf } from "../../benches/quality/bm25.ts";
import { binsOf, calibrationError } from "../../benches/quality/calibration.ts";
import { calibrationPicture } from "../../benches/quality/calibration-picture.ts";
import {
  BM25,
  BY_GAPS,
  EVIDENCE,
  evidence,
  evidenceByParts,
  FUSED_WITH_SENTENCES,
  GROUPS,
  OF_SECTIONS,
  othersThanEvidence,
  SENTENCES,
} from "../../benches/quality/contestants.ts";
import {
  calibrationTable,
  kindsOf,
  median,
  reportOf,
} from "../../benches/quality/evidence-report.ts";
import { askingOf, type Case, judged, measure, selected } from "../../benches/quality/measure.ts";
import { recall, recallOfAll } from "../../benches/quality/metrics.ts";
import type { QuestionSet } from "../../benches/quality/question-set.ts";
import { GRADE } from "../../benches/quality/questions.ts";
import { readmeRows } from "../../benches/quality/readme.ts";
import {
  correctionShares,
  falseAnswers,
  lostAnswers,
  missedAnswers,
} from "../../benches/quality/shares.ts";
import { groupsOf, simplerReport, simplerSummary } from "../../benches/quality/simpler-tables.ts";
import { summaryOf } from "../../benches/quality/summary.ts";
import { writeInto, writeRows } from "../../benches/results.ts";
import { fitted } from "../../js/reference/evidence-weights.ts";

const SET: QuestionSet = {
  name: "small",
  memories: [
    ["tea", "Mira prefers green tea in the morning", "2026-01-10T08:00:00Z"],
    ["coffee", "Mira prefers coffee in the morning", "2025-12-10T08:00:00Z"],
    ["move", "Tom moved to Lisbon", "2026-02-01T10:00:00Z"],
    ["dentist", "The dentist filled a tooth", "2026-03-03T10:00:00Z"],
  ].map(([id, text, created_at]) => ({
    id: id!,
    text: text!,
    created_at: created_at!,
    cluster: created_at!.slice(0, 10),
  })),
  questions: [
    {
      text: "Which tea does Mira prefer?",
      answers: ["tea"],
      kind: "fact",
      part: "dev",
      outdated: ["coffee"],
    },
    { text: "Where has Tom moved?", answers: ["move"], kind: "place", part: "test" },
    { text: "Who painted the fence?", answers: [], kind: "unanswerable", part: "test" },
  ],
};

const caseOf = (answers: readonly string[], outdated: readonly string[] = []): Case => ({
  text: "?",
  kind: answers.length === 0 ? "unanswerable" : "fact",
  now: 0,
  grades: new Map(answers.map((id) => [id, GRADE.exact])),
  outdated,
});
const hitsOf = (...hits: (readonly [id: string, score: number])[]) =>
  hits.map(([id, score]) => ({ id, score }));

const quietly = () => {};
const embedder = loadEmbedderSync();
/** Sums of word vectors in place of the transformer's: the model would take seconds. */
const sentences = {
  dimensions: embedder.dimensions,
  embed(text: string) {
    const { vector, coverage } = embedder.embed(text);
    return coverage === 0 ? null : vector;
  },
  embedAll() {},
};
const models = { embedder, sentences };

describe("stems", () => {
  it("are words in lower case without endings, accents and stop words", () => {
    expect(stemsOf("She was painting the Houses, and a café")).toEqual(["paint", "hous", "cafe"]);
  });

  it("are pairs of characters in scripts without spaces", () => {
    expect(stemsOf("東京タワーへ, a 猫")).toEqual(["東京", "京タ", "タワ", "ワー", "ーへ", "猫"]);
  });

  it("keep the marks of Japanese letters", () => {
    expect(stemsOf("が")).toEqual(["が"]);
  });
});

describe("BM25", () => {
  it("scores as by hand", () => {
    const index = new Bm25([
      { id: "one", text: "red red blue" },
      { id: "two", text: "blue" },
    ]);
    // Two documents of two words on average; "red" is in one of them, twice.
    const rarity = Math.log(1 + (2 - 1 + 0.5) / (1 + 0.5));
    const score = (rarity * 2 * 2.2) / (2 + 1.2 * (0.25 + 0.75 * (3 / 2)));
    expect(index.search("reds?", 10)).toEqual([{ id: "one", score: expect.closeTo(score, 12) }]);
  });

  it("puts the shorter of two documents with the word first, and keeps to the limit", () => {
    const index = new Bm25([
      { id: "long", text: "blue green yellow" },
      { id: "short", text: "blue" },
    ]);
    expect(index.search("blue", 10).map(({ id }) => id)).toEqual(["short", "long"]);
    expect(index.search("blue", 1)).toHaveLength(1);
  });

  it("counts a repeated word of the question once, and finds nothing without a known word", () => {
    const index = new Bm25([{ id: "one", text: "red" }]);
    expect(index.search("red red", 10)).toEqual(index.search("red", 10));
    expect(index.search("the green", 10)).toEqual([]);
  });
});

describe("recall", () => {
  it("is a share of all answers, where the recall of the trader's tables is of ten at most", () => {
    const ids = Array.from({ length: 20 }, (_, place) => `m${place}`);
    const grades = new Map(ids.map((id) => [id, GRADE.exact]));
    expect(recallOfAll(ids, grades)).toBe(0.5);
    expect(recall(ids, grades)).toBe(1);
  });
});

describe("calibration", () => {
  it("has no error if of the results scored 0.8 four of five answer", () => {
    const results = [true, true, true, true, false].map((isAnswer) => ({ score: 0.8, isAnswer }));
    expect(calibrationError(binsOf(results))).toBeCloseTo(0, 12);
  });

  it("weighs the distance of each bin by its results", () => {
    const results = [
      { score: 0.95, isAnswer: false },
      { score: 0.15, isAnswer: false },
      { score: 0.15, isAnswer: false },
      { score: 0.15, isAnswer: false },
    ];
    expect(calibrationError(binsOf(results))).toBeCloseTo((0.95 + 3 * 0.15) / 4, 12);
    expect(calibrationError(binsOf([]))).toBe(0);
  });

  it("puts 0 into the first bin and 1 into the last", () => {
    const bins = binsOf([
      { score: 0, isAnswer: false },
      { score: 1, isAnswer: true },
    ]);
    expect(bins.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("refuses scores that are no probabilities", () => {
    expect(() => binsOf([{ score: 1.2, isAnswer: true }])).toThrow("1.2 is no probability");
    expect(() => binsOf([{ score: Number.NaN, isAnswer: true }])).toThrow("NaN");
  });

  it("is drawn as a bar of the share with a mark at the score", () => {
    const results = [true, false].map((isAnswer) => ({ score: 0.25, isAnswer }));
    expect(calibrationTable(binsOf(results)).split("\n").at(-1)).toBe(
      "| 0.2–0.3 | 2 | 0.250 | 0.500 | `█████◆████···········` |",
    );
  });
});

describe("shares", () => {
  const cases = [caseOf([]), caseOf([]), caseOf(["a"]), caseOf(["b"])];
  const found = [hitsOf(["x", 0.4]), [], hitsOf(["a", 0.3]), hitsOf(["x", 0.15])];

  it("count false answers among questions without an answer only", () => {
    expect(falseAnswers(cases, found, 0.3)).toBe(0.5);
    expect(falseAnswers(cases, found, 0.41)).toBe(0);
    expect(falseAnswers(cases, found, 0.3, () => false)).toBe(0);
  });

  it("count missed answers among questions with an answer only", () => {
    expect(missedAnswers(cases, found, 0.3)).toBe(0.5);
    expect(missedAnswers(cases, found, 0.31)).toBe(1);
    expect(missedAnswers(cases, found, 0.1)).toBe(0);
  });

  it("count lost answers among questions whose first memory answers", () => {
    expect(lostAnswers(cases, found, 0.3)).toBe(0);
    expect(lostAnswers(cases, found, 0.31)).toBe(1);
    expect(lostAnswers(cases, [[], [], [], []], 0.3)).toBe(0);
  });

  it("have rows for the questions that a part has", () => {
    const answered = [
      { cases, found },
      { cases: cases.slice(2), found: found.slice(2) },
      { cases, found: undefined },
    ];
    expect(answerableRows(answered)).toEqual([
      ["false answers, far from the memory", "50 %", "", ""],
      ["missed", "50 %", "50 %", ""],
      ["right first memories lost", "0 %", "0 %", ""],
    ]);
    expect(unanswerableTables(cases.slice(2), [])).toEqual([]);
  });

  it("say whether the new memory or the one that it replaced comes first", () => {
    const corrections = [
      caseOf(["new"], ["old"]),
      caseOf(["new"], ["old"]),
      caseOf(["new"], ["old"]),
      caseOf(["new"], ["old"]),
      caseOf(["new"]),
      caseOf([], ["old"]),
    ];
    const lists = [
      hitsOf(["x", 3], ["new", 2], ["old", 1]),
      hitsOf(["old", 2], ["new", 1]),
      hitsOf(["new", 2]),
      hitsOf(["x", 2]),
      hitsOf(["new", 2]),
      hitsOf(["old", 2]),
    ];
    expect(correctionShares(corrections, lists)).toEqual({
      newer: 0.5,
      older: 0.25,
      neither: 0.25,
    });
  });
});

describe("a set", () => {
  const asking = askingOf(SET);

  it("is asked after its last memory, unless a question has a time", () => {
    const [first] = SET.questions;
    expect(asking.cases.map(({ now }) => now)).toEqual(
      SET.questions.map(() => Date.parse("2026-03-03T10:00:00Z")),
    );
    const timed = { ...SET, questions: [{ ...first!, now: "2026-01-11T00:00:00Z" }] };
    expect(askingOf(timed).cases[0]!.now).toBe(Date.parse("2026-01-11T00:00:00Z"));
  });

  it("is divided into kinds, without questions that have no answer", () => {
    expect(kindsOf(asking.cases)).toEqual([
      { kind: "fact", places: [0] },
      { kind: "place", places: [1] },
    ]);
  });

  it("is answered by every system", () => {
    const systems = [...othersThanEvidence(models), ...evidenceByParts(models)];
    const measured = measure(systems, [asking, asking], quietly);
    for (const { system, found, micros } of measured) {
      expect(found, system.name).toHaveLength(2 * SET.questions.length);
      expect(micros, system.name).toHaveLength(found.length);
      const tops = found.map((hits) => hits[0]?.id);
      expect([tops[0], tops[1]], system.name).toEqual(["tea", "move"]);
      expect(tops.slice(3), system.name).toEqual(tops.slice(0, 3));
      for (const hits of found)
        expect(
          [...hits].sort((a, b) => b.score - a.score),
          system.name,
        ).toEqual(hits);
    }
  });

  it("can be measured in parts", () => {
    const [measured] = measure([othersThanEvidence(models)[0]!], [asking], quietly);
    const part = selected(asking.cases, [measured!], (place) => place === 1);
    expect(part.cases).toEqual([asking.cases[1]]);
    expect(part.measured[0]!.found).toEqual([measured!.found[1]]);
    expect(judged(asking.cases, measured!.found, "hit@1")).toEqual([1, 1]);
  });

  it("has tables of metrics, kinds, differences and calibration", () => {
    const systems = [...othersThanEvidence(models), evidence({ name: "evidence" })];
    const report = reportOf({
      title: "Small",
      cases: asking.cases,
      measured: measure(systems, [asking], quietly),
    });
    expect(report).toContain("## Small: 2 questions");
    expect(report).toContain("| system | fact (1) | place (1) |");
    expect(report).toContain("| all | 0.000 (0.000 to 0.000) | 0 | 0 |");
    expect(report).toMatch(/\| evidence \| 1\.000 \(1\.00–1\.00\) \| .* \| 0\.\d{3} \| \d+ \|/);
    expect(report).toContain("| scores | results |");
  });
});

describe("a summary", () => {
  const cases = [caseOf(["a"]), caseOf(["b"])];
  const micros = [1, 1];
  const partOf = (own: readonly (readonly ReturnType<typeof hitsOf>[number][])[]) => ({
    title: "set",
    cases,
    measured: [
      { system: BM25, found: [hitsOf(["a", 2]), hitsOf(["b", 2])], micros },
      { system: evidence({ name: EVIDENCE }), found: own, micros },
    ],
  });

  it("names the questions for which evidence is below BM25 by more than 0.02", () => {
    expect(summaryOf([partOf([hitsOf(["a", 0.5]), hitsOf(["x", 0.5])])])).toContain(
      "| set | all | −0.500 (−1.000 to 0.000) |",
    );
  });

  it("says so if there are none", () => {
    const summary = summaryOf([partOf([hitsOf(["a", 0.5]), hitsOf(["b", 0.5])])]);
    expect(summary).toContain("No kind of question is below BM25");
    expect(summary).toContain("| nDCG@10 | set (2) |");
    expect(summary).toContain("| calibration error | 0.500 |");
    expect(summary).toContain("| right first memories lost | 0 % |");
  });

  it("shows the kinds of questions, but those of development halves", () => {
    const part = partOf([hitsOf(["a", 0.5]), hitsOf(["x", 0.5])]);
    const kinds = cases.map((one, place) => ({ ...one, kind: ["fact", "time"][place]! }));
    expect(summaryOf([{ ...part, cases: kinds }])).toContain(
      "| set | time (1) | 1.000 | 0.000 | −1.000 (−1.000 to −1.000) |",
    );
    const development = { ...part, cases: kinds, title: "development half" };
    expect(summaryOf([development])).not.toContain("by kind of question");
  });

  it("has a diagram for each part that evidence answered, the same one each time", async () => {
    const parts = [
      partOf([hitsOf(["a", 0.5]), hitsOf(["b", 0.5])]),
      { ...partOf([]), title: "other", measured: [] },
    ];
    const picture = await calibrationPicture(parts);
    expect(picture).toMatch(/^<svg /);
    expect(picture).toContain(">error 0.500</text>");
    expect(picture).not.toContain(">other<");
    expect(await calibrationPicture(parts)).toBe(picture);
  });

  it("has rows for the README for the sets that it names", () => {
    const part = partOf([hitsOf(["a", 0.5]), hitsOf(["x", 0.5])]);
    const named = { ...part, title: "meetings-dev" };
    const others = [SENTENCES, FUSED_WITH_SENTENCES].map((name) => ({
      ...part.measured[0]!,
      system: { ...part.measured[0]!.system, name },
    }));
    expect(readmeRows([part, { ...named, measured: [...part.measured, ...others] }])).toEqual([
      ["meetings (QMSum)", "2", "1.000", "1.000", "1.000", "0.500"],
    ]);
    expect(() => readmeRows([named])).toThrow("meetings-dev: MiniLM alone was not asked");
  });
});

describe("a comparison with simpler rankings", () => {
  const cases = [
    { ...caseOf(["a"], ["old"]), kind: "update" },
    { ...caseOf(["b"]), kind: "fact" },
    { ...caseOf([], ["old"]), kind: "forget" },
  ];
  const of = (name: string, isCalibrated: boolean, ...firsts: readonly string[]) => ({
    system: { name, isCalibrated },
    found: firsts.map((id) => hitsOf([id, 0.5], ["old", 0.4])),
    micros: [1, 1, 1],
  });
  const part = {
    title: "set",
    cases,
    stores: ["one", "two", "two"],
    measured: [
      of("words", false, "x", "x", "x"),
      of("vectors", false, "a", "b", "x"),
      of(EVIDENCE, true, "a", "x", "x"),
      of(BY_GAPS, true, "x", "b", "x"),
    ],
  };

  it("has the best simpler ranking of all questions, of each kind and of each store", () => {
    const shown = groupsOf(part).map(({ label, best, ahead, aheadOfGaps, means }) => [
      ...[label, best, ahead.mean, aheadOfGaps.mean],
      ...means,
    ]);
    expect(shown).toEqual([
      ["all (2)", "vectors", 0.5, 0.5, 0, 1, 0.5, 0.5],
      ["update (1)", "vectors", 0, 1, 0, 1, 1, 0],
      ["fact (1)", "vectors", 1, 0, 0, 1, 0, 1],
      ["one (1)", "vectors", 0, 1, 0, 1, 1, 0],
      ["two (1)", "vectors", 1, 0, 0, 1, 0, 1],
    ]);
  });

  it("has no row for a single kind, and none for a single store or for five", () => {
    const alike = cases.map((one) => ({ ...one, kind: "fact" }));
    const labels = (stores: readonly string[]) =>
      groupsOf({ ...part, cases: alike, stores }).map(({ label }) => label);
    expect(labels([])).toEqual(["all (2)"]);
    expect(labels(["one", "one", "one"])).toEqual(["all (2)"]);
    const many = { ...part, cases: Array(6).fill(alike[1]), stores: [..."123456"] };
    const found = part.measured.map((one) => ({ ...one, found: Array(6).fill(one.found[1]) }));
    expect(groupsOf({ ...many, measured: found })).toHaveLength(1);
    expect(() => groupsOf({ ...part, measured: part.measured.slice(0, 3) })).toThrow(
      "all (2): evidence, runs by gaps was not asked",
    );
  });

  it("names where evidence is behind, what is affirmed, and what comes before outdated memories", () => {
    const summary = simplerSummary([part]);
    expect(summary).toContain("| set (2) | 0.000 | 1.000 | 0.500 | 0.500 |");
    expect(summary).toContain(
      "| set | fact (1) | vectors | +1.000 (+1.000 to +1.000) | 0.000 (0.000 to 0.000) |",
    );
    expect(summary).toContain("| set | evidence | 100 % of 1 | 100 % of 2 |");
    // Nothing answers the third question, so that its outdated memory counts in no share.
    expect(summary).toContain("| set (1) | 0 % | 100 % | 100 % | 0 % |");
    const report = simplerReport(part);
    expect(report).toContain("# set: 2 questions");
    expect(report).toContain("Corrections (1):");
    const level = {
      ...part,
      measured: part.measured.map((one) => ({ ...one, found: part.measured[1]!.found })),
    };
    expect(simplerSummary([level])).toContain("No simpler ranking is ahead of evidence by more");
  });
});

describe("a page that quotes figures", () => {
  it("gets them between two lines, and is refused without these", () => {
    const folder = mkdtempSync(join(tmpdir(), "nous-quality-"));
    const page = join(folder, "page.md");
    const [start, end] = ["<!-- figures -->\n", "<!-- end of figures -->\n"];
    writeFileSync(page, `before\n${start}old\n${end}after\n`);
    writeInto(page, "figures", "new");
    writeInto(page, "figures", "newer");
    expect(readFileSync(page, "utf8")).toBe(`before\n${start}\nnewer\n\n${end}after\n`);
    expect(() => writeInto(page, "others", "new")).toThrow("lacks the lines <!-- others -->");
    rmSync(folder, { recursive: true });
  });

  it("gets rows over those with the same first cell, and is refused without these", () => {
    const folder = mkdtempSync(join(tmpdir(), "nous-quality-"));
    const page = join(folder, "page.md");
    writeFileSync(page, "| a | b |\n| --- | --- |\n| tea | 1 |\n| tea time | 2 |\n");
    writeRows(page, [["tea", "3"]]);
    expect(readFileSync(page, "utf8")).toBe(
      "| a | b |\n| --- | --- |\n| tea | 3 |\n| tea time | 2 |\n",
    );
    expect(() => writeRows(page, [["coffee", "3"]])).toThrow("has 0 rows that begin with | coffee");
    rmSync(folder, { recursive: true });
  });
});

describe("groups of evidence", () => {
  it("contain every kind that weighs anything", () => {
    const grouped = new Set<string>([...Object.values(GROUPS).flat(), ...OF_SECTIONS]);
    for (const preset of ["general", "trading"] as const)
      for (const { weights } of Object.values(fitted(preset)))
        for (const [kind, weight] of Object.entries(weights))
          if (weight !== 0) expect(grouped, `${preset}, ${kind}`).toContain(kind);
  });

  it("are kinds that the engine knows, and are off in their row", () => {
    const index = new MemoryIndex();
    index.upsert([{ id: "a", text: "tea" }]);
    const { names } = index.evidence("tea");
    for (const kind of [...Object.values(GROUPS).flat(), ...OF_SECTIONS])
      expect(names).toContain(kind);
    index.free();
  });
});

describe("the median", () => {
  it("is the middle value", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([])).toBe(0);
  });
});
