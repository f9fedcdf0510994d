// `npm run ask`: the answers of the sample memory in a terminal.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadEmbedderSync } from "nous-embedder";
import { KINDS } from "nous-page/kinds";
import { ANSWERABLE, MemoryIndex } from "nous-wasm";
import { expect, it } from "vitest";
import { generateSample, SAMPLE_DEFAULTS, searchedText } from "../../js/sample/trader/index.ts";
import { ask, UsageError } from "../../js/scripts/ask/ask.ts";

const QUESTION = "What lessons have I learned about liquidation cascades?";
const NOW = Date.parse(SAMPLE_DEFAULTS.end);

const { nodes, edges } = generateSample();
const index = new MemoryIndex({
  embedder: loadEmbedderSync(),
  config: { evidence: { preset: "trading" } },
});
index.upsert(
  nodes.map((node) => ({ ...node, ...searchedText(node) })),
  { now: NOW },
);
index.link(edges);
const node = (id: string) => nodes.find((one) => one.id === id)!;

it("prints the first answers of the engine, with their probabilities", () => {
  for (const limit of [5, 20]) {
    const answers = index.ask(QUESTION, { limit, now: NOW });
    const rows = ask([QUESTION, "--limit", String(limit)]).matchAll(
      /^ ?(\d+) {2}(0\.\d{3}) {2}(.+?)…? +(\w+) {2,}([\d-]+) {2}(n_\w+)$/gm,
    );
    const printed = [...rows].map(([, rank, score, title, , made, id]) => {
      const { content_title, provenance_created_at } = nodes.find((one) => one.id.startsWith(id!))!;
      expect(content_title.startsWith(title!)).toBe(true);
      expect(provenance_created_at.startsWith(made!)).toBe(true);
      return [Number(rank), score, id];
    });
    expect(printed).toEqual(
      answers.map(({ id, score }, place) => [place + 1, score.toFixed(3), id.slice(0, 7)]),
    );
  }
});

it("says so if nothing answers, or if nothing has to do with the question", () => {
  const [best] = index.ask("Which restaurants did my sister recommend?", { limit: 1, now: NOW });
  expect(best?.score).toBeLessThan(ANSWERABLE);
  expect(ask(["Which restaurants did my sister recommend?"])).toContain(
    `Nothing in this memory answers the question: the best probability is ${best?.score.toFixed(3)}, and an answer begins at ${ANSWERABLE}.`,
  );
  expect(ask(["???"])).toBe("Nothing in this memory has anything to do with the question.\n");
});

it("names the memory that supersedes an answer", () => {
  const answers = index.ask(QUESTION, { limit: 5, now: NOW });
  const superseded = answers.find((one) => one.superseded_by !== undefined);
  const by = node(superseded!.superseded_by!);
  expect(ask([QUESTION])).toContain(`superseded by ${by.id.slice(0, 7)} “${by.content_title}”\n`);
});

it("gives reasons that add up, with words for every kind of evidence", () => {
  const { names } = index.evidence(QUESTION, { now: NOW });
  expect(Object.keys(KINDS).sort()).toEqual([...names, "supersession"].sort());
  for (const place of [0, 1, 19]) {
    const { id } = index.ask(QUESTION, { limit: 20, now: NOW })[place]!;
    const why = index.why(id, QUESTION, { now: NOW });
    const text = ask([QUESTION, "--explain", id.slice(0, 7)]);
    const rows = [...text.matchAll(/^ *(-?[\d.]+) = +(-?[\d.]+) × +(-?[\d.]+) {2}(\w+) +(.+)$/gm)];
    const weighing = why.evidence.filter(({ contribution }) => contribution !== 0);
    expect(rows.map(([, , , , name]) => name)).toEqual(weighing.map(({ name }) => name));
    let total = 0;
    for (const [, adds, value, weight, name, about] of rows) {
      expect(about).toBe(KINDS[name!]!.about);
      expect(Number(adds)).toBeCloseTo(Number(value) * Number(weight), 2);
      total += Number(adds);
    }
    expect(total).toBeCloseTo(why.sum, 2);
    const odds = why.scale * why.sum + why.offset;
    expect(why.score).toBeCloseTo(1 / (1 + Math.exp(-odds)), 12);
    expect(text).toContain(`\nWHY ${id.slice(0, 7)}  ${node(id).content_title}\n`);
    expect(text).toContain(
      `\nPlace ${place + 1}${place < 5 ? "" : ", below the limit of 5"}. The probability is ${why.score.toFixed(3)} = `,
    );
    expect(text).toContain(`${why.sum.toFixed(3)} is the sum`);
  }
});

it("explains a memory that nothing connects with the question, and names words without a match", () => {
  const found = new Set(
    index.ask("dentist", { limit: nodes.length, now: NOW }).map(({ id }) => id),
  );
  const stranger = nodes.find(({ id }) => !found.has(id))!;
  expect(ask(["dentist", "--explain", stranger.id])).toContain(
    "\nNot among the answers: nothing connects it with the question. ",
  );
  expect(ask(["dentist BTC"])).toContain("\nWords without a match: dentist.\n");
});

it.each([
  [[], "There is no question. See --help."],
  [["  "], "There is no question. See --help."],
  [[QUESTION, "--limit", "0"], '--limit: "0" is no whole number from 1 on.'],
  [[QUESTION, "--limit", "many"], '--limit: "many" is no whole number from 1 on.'],
  [[QUESTION, "--explain", "m_1"], '--explain: there is no memory "m_1".'],
  [[QUESTION, "--explain", "n_"], /^--explain: several ids begin with "n_", for example n_/],
  [[QUESTION, "--what"], /--what.* See --help\.$/],
])("refuses the arguments %j with a sentence", (args, message) => {
  expect(() => ask(args)).toThrow(message);
  expect(() => ask(args)).toThrow(UsageError);
});

it("is a program: it prints, explains its options, and ends with status 2 if they are wrong", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ["js/scripts/ask.mjs", ...args], { encoding: "utf8" });
  expect(run(QUESTION)).toMatchObject({ status: 0, stdout: ask([QUESTION]) });
  const { status, stdout } = run("--help");
  expect([status, stdout]).toEqual([0, ask(["--help"])]);
  for (const option of ["--limit", "--explain"]) expect(stdout).toContain(option);
  expect(run("--limit", "3")).toMatchObject({ status: 2, stdout: "" });
});

it("prints what the guide to the page shows", () => {
  const guide = readFileSync("docs/page/README.md", "utf8");
  const [, question = "", block = ""] =
    /`npm run ask -- "([^"]+)"`[^\n]*\n[^\n]*\n\n((?: {4}[^\n]*\n|\n)+)/.exec(guide) ?? [];
  const lines = block.split("\n").map((line) => line.slice(4));
  const shown = lines.filter((line) => line !== "" && line !== "…");
  expect(shown.length).toBeGreaterThan(6);
  const printed = ask([question]).split("\n");
  for (const line of shown) expect(printed).toContain(line);
});
