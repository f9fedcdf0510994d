// Answers of the terminal demo by evidence, tested by its data and its output.

import { readFileSync } from "node:fs";
import { ANSWERABLE, SECTION_PROFILES } from "nous-wasm";
import pc from "picocolors";
import { afterAll, describe, expect, it } from "vitest";
import { generateSample, SAMPLE_DEFAULTS } from "../../js/demo/sample/index.ts";
import {
  answerByEvidence,
  type EvidenceAnswer,
  type EvidenceReport,
  explainedByEvidence,
  renderEvidence,
} from "../../js/demo/terminal/evidence.ts";
import { Library } from "../../js/demo/terminal/library.ts";
import { program } from "../../js/demo/terminal/program.ts";
import { STANDING_QUESTIONS } from "../../js/demo/terminal/questions.ts";
import type { Screen } from "../../js/demo/terminal/render.ts";
import { KINDS } from "../../js/page/src/evidence/kinds.ts";

const SAMPLE = generateSample();
const SCREEN: Screen = { width: 200, colors: pc.createColors(false) };
const QUESTION = "What lessons have I learned about liquidation cascades?";

const library = new Library(SAMPLE, Date.parse(SAMPLE_DEFAULTS.end));
afterAll(() => library.free());

const ask = (question: string, limit = 5) => answerByEvidence(library, question, limit);
const draw = (answer: EvidenceAnswer, width = 100) =>
  renderEvidence(library, answer, { ...SCREEN, width });
const inOneLine = (text: string): string => text.replace(/\s+/g, " ");
const widest = (text: string): number =>
  Math.max(...text.split("\n").map((line) => [...line].length));

async function run(args: readonly string[]): Promise<string> {
  let written = "";
  const status = await program(args, {
    write: (text) => {
      written += text;
    },
    writeError: (text) => {
      throw new Error(text);
    },
    screen: () => ({ ...SCREEN, width: 100 }),
    isInteractive: false,
    sample: () => SAMPLE,
  });
  expect(status).toBe(0);
  return written;
}

/** The reasons of an answer, which must have some. */
function reasonsOf({ explanation }: EvidenceAnswer) {
  if (explanation === null) throw new Error("nothing is explained");
  return explanation;
}

describe("an answer by evidence", () => {
  it("is the default, and has the documented shape", async () => {
    const report = JSON.parse(await run([QUESTION, "--limit", "3", "--json"])) as EvidenceReport;
    expect(report).toEqual({
      format: 4,
      clock: SAMPLE_DEFAULTS.end,
      memories: SAMPLE.nodes.length,
      edges: SAMPLE.edges.length,
      answers: [JSON.parse(JSON.stringify(ask(QUESTION, 3)))],
    });
    const [answer] = report.answers;
    expect(answer).toMatchObject({ question: QUESTION, limit: 3, answerable: true });
    expect(answer?.results.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    for (const { id, score, section, title, text } of answer?.results ?? []) {
      const memory = library.get(id);
      expect([title, memory.content_body]).toEqual([
        memory.content_title,
        expect.stringContaining(text.slice(0, 20)),
      ]);
      expect(Object.keys(SECTION_PROFILES)).toContain(section);
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThan(1);
    }
  });

  it("finds memories by their kind and tags, and by words that mean the same", () => {
    const { title } = reasonsOf(ask("playbook for extreme funding")).searched;
    expect(title).toMatch(/^playbook /);
    const { words } = reasonsOf(ask("money lost last week")).why;
    expect(words.some(({ found, nearness }) => found !== null && nearness < 1)).toBe(true);
  });

  it("says so if nothing answers, or if nothing has to do with the question", async () => {
    const weak = ask("Which restaurants did my sister recommend?");
    expect(weak.answerable).toBe(false);
    expect(weak.results[0]?.score).toBeLessThan(ANSWERABLE);
    expect(inOneLine(draw(weak))).toContain(
      `Nothing in this memory answers the question: the best probability is ${weak.results[0]?.score.toFixed(3)}, and an answer begins at ${ANSWERABLE}.`,
    );
    expect(draw(weak)).toContain("\nTHE NEAREST ");
    const none = ask("???");
    expect(none).toMatchObject({ answerable: false, results: [], explanation: null });
    const picture = await run(["???"]);
    expect(picture).toContain("\nNothing in this memory has anything to do with the question.\n");
    expect(picture).not.toMatch(/ANSWERS|NEAREST|WHY/);
  });

  it("names the memory that supersedes a result, and the one that it repeats", () => {
    const results = STANDING_QUESTIONS.flatMap((question) => ask(question, 20).results);
    const superseded = results.find((one) => one.superseded_by !== null);
    if (superseded?.superseded_by == null) throw new Error("nothing is superseded");
    const answer = { ...ask(QUESTION), results: [superseded] };
    const by = library.get(superseded.superseded_by);
    expect(inOneLine(draw(answer))).toContain(
      inOneLine(`superseded by ${by.id.slice(0, 7)} “${by.content_title}”`),
    );
    const repeated = { ...superseded, superseded_by: null, similar_to: by.id };
    expect(inOneLine(draw({ ...answer, results: [repeated] }))).toContain(
      inOneLine(`stands behind, as it repeats ${by.id.slice(0, 7)} “${by.content_title}”`),
    );
  });

  it("is shown for each standing question without one", async () => {
    const picture = await run([]);
    for (const question of STANDING_QUESTIONS) expect(picture).toContain(`› ${question}\n`);
    expect(picture.match(/^WHY /gm)).toHaveLength(STANDING_QUESTIONS.length);
  });
});

describe("the guide to the page", () => {
  it("shows what the program prints", async () => {
    const guide = readFileSync(new URL("../../docs/page/README.md", import.meta.url), "utf8");
    const [, question = "", block = ""] =
      /`npm run ask -- "([^"]+)"`[^\n]*\n[^\n]*\n\n((?: {4}[^\n]*\n|\n)+)/.exec(guide) ?? [];
    const lines = block.split("\n").map((line) => line.slice(4));
    const shown = lines.filter((line) => line !== "" && line !== "…");
    expect(shown.length).toBeGreaterThan(6);
    const printed = (await run([question])).split("\n");
    for (const line of shown) expect(printed).toContain(line);
  });
});

describe("the reasons for a result", () => {
  it("add up to the sum, and the sum gives the probability", () => {
    for (const question of STANDING_QUESTIONS) {
      const answer = ask(question, 20);
      for (const { id, rank, score } of answer.results) {
        const { why } = explainedByEvidence(library, answer, id).explanation;
        expect([why.rank, why.score]).toEqual([rank, score]);
        for (const { value, weight, contribution } of why.evidence)
          expect(contribution).toBe(value * weight);
        const total = why.evidence.reduce((sum, { contribution }) => sum + contribution, 0);
        expect(why.sum).toBeCloseTo(total, 12);
        const odds = why.scale * why.sum + why.offset;
        expect(score).toBeCloseTo(1 / (1 + Math.exp(-odds)), 12);
      }
    }
  });

  it("are printed as numbers that add up", () => {
    const answer = ask(QUESTION);
    const { why } = reasonsOf(answer);
    const rows = [
      ...draw(answer).matchAll(/^ *(-?[\d.]+) = +(-?[\d.]+) × +(-?[\d.]+) {2}(\w+) /gm),
    ];
    const weighing = why.evidence.filter(({ contribution }) => contribution !== 0);
    expect(rows.map(([, , , , name]) => name)).toEqual(weighing.map(({ name }) => name));
    let total = 0;
    for (const [, adds, value, weight] of rows.map((row) => row.map(Number))) {
      expect(adds).toBeCloseTo(value! * weight!, 2);
      total += adds!;
    }
    expect(total).toBeCloseTo(why.sum, 2);
    expect(draw(answer)).toContain(`${why.sum.toFixed(3)} is the sum`);
    expect(inOneLine(draw(answer))).toContain(
      `The probability is ${why.score.toFixed(3)} = 1 / (1 + e^−(${why.scale} × sum − ${(-why.offset).toFixed(3)})), and the sum is ${why.sum.toFixed(3)}`,
    );
  });

  it("have words for every kind of evidence", () => {
    const { names } = library.byEvidence.evidence(QUESTION, { now: library.at });
    expect(Object.keys(KINDS).sort()).toEqual([...names].sort());
    const answer = ask(QUESTION);
    for (const { name } of reasonsOf(answer).why.evidence.slice(0, 3)) {
      const { label, about } = KINDS[name]!;
      expect(draw(answer, 120)).toContain(`  ${about}\n`);
      expect(draw(answer, 80)).toContain(`  ${label}\n`);
      expect(draw(answer, 60)).toContain(`  ${name}\n${" ".repeat(26)}${label}\n`);
    }
  });

  it("name the words that matched, and mark them in the best passage", () => {
    const answer = ask("money lost last week");
    const { why, searched } = reasonsOf(answer);
    const text = inOneLine(draw(answer));
    for (const { asked, found, nearness, in_passage, spans = [] } of why.words) {
      if (found === null) continue;
      if (nearness < 1) expect(text).toContain(`${asked} ~ ${found} ${nearness.toFixed(2)}`);
      const marks = spans.map(({ field, start, end }) => searched[field].slice(start, end));
      if (in_passage) expect(marks.some((mark) => text.includes(`«${mark}»`))).toBe(true);
    }
    const shown = text.slice(text.indexOf("in «»: ") + "in «»: ".length).replace(/[«»]/g, "");
    const [stretch] = why.passage.spans ?? [];
    if (stretch === undefined) throw new Error("the passage has no place");
    const passage = searched[stretch.field].slice(stretch.start, stretch.end);
    expect(shown).toContain(inOneLine(passage));
    const missing = ask("dentist BTC");
    expect(draw(missing)).toContain("\nWords without a match: dentist.\n");
  });

  it("are those of the memory that --explain names, wherever it stands", async () => {
    const { results } = ask(QUESTION, 20);
    const [id, far] = [results[1]!.id, results[19]!.id];
    expect(await run([QUESTION, "--explain", id.slice(0, 7)])).toMatch(
      new RegExp(`\nWHY ${id.slice(0, 7)} .*\n─+\nPlace 2\\. `),
    );
    expect(await run([QUESTION, "--explain", far])).toContain("\nPlace 20, below the limit of 5. ");
    const { names, ids } = library.byEvidence.evidence("dentist", { now: library.at });
    expect(names.length).toBeGreaterThan(0);
    const found = new Set(ask("dentist", ids.length).results.map((result) => result.id));
    const stranger = ids.find((one) => !found.has(one));
    if (stranger === undefined) throw new Error("every memory has to do with a dentist");
    expect(await run(["dentist", "--explain", stranger])).toContain(
      "\nNot among the answers: nothing connects it with the question. ",
    );
  });

  it.each([60, 80, 100, 150])("fit %i columns", (columns) => {
    for (const question of [...STANDING_QUESTIONS, "???", "dentist"])
      expect(widest(draw(ask(question, 20), columns))).toBeLessThanOrEqual(columns);
  });
});
