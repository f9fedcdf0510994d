// The terminal demo, tested by its output: answers by signals, and the views in place of an answer.
// Answers by evidence: demo-evidence.test.ts. Each kind of output also comes from the bundled
// program in a child process, and one test compares the two. The printed picture is drawn from the
// --json data, which another test checks; other widths redraw that picture.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Explanation } from "nous-wasm";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateSample, SAMPLE_DEFAULTS, sampleAt } from "../../js/demo/sample/index.ts";
import {
  type Answer,
  answer,
  explained,
  type Report,
  type Result,
} from "../../js/demo/terminal/answer.ts";
import { parseAt } from "../../js/demo/terminal/args.ts";
import {
  type CycleReport,
  cycleReport,
  renderConsolidation,
} from "../../js/demo/terminal/consolidation.ts";
import { type Host, handle } from "../../js/demo/terminal/conversation.ts";
import type { EventsReport } from "../../js/demo/terminal/events.ts";
import { bar, cell, wrap } from "../../js/demo/terminal/layout.ts";
import { Library } from "../../js/demo/terminal/library.ts";
import { program } from "../../js/demo/terminal/program.ts";
import { type PromptReport, promptReport, renderPrompt } from "../../js/demo/terminal/prompt.ts";
import { STANDING_QUESTIONS } from "../../js/demo/terminal/questions.ts";
import { renderAnswer, renderHead, type Screen } from "../../js/demo/terminal/render.ts";
import { renderTrace } from "../../js/demo/terminal/trace.ts";
import { renderExplanation } from "../../js/demo/terminal/tree.ts";
import { UsageError } from "../../js/demo/terminal/usage-error.ts";

// Loaded by Node itself, as in the real program.
const {
  calculateDifficulty,
  calculateRetrievability,
  createOrchestrator,
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  memoryTypeOf,
  SECTION_PROFILES,
  updateStabilityOnAccessForSection,
  version,
} = createRequire(import.meta.url)("nous-wasm") as typeof import("nous-wasm");

const SAMPLE = generateSample();

const SCREEN: Screen = { width: 200, colors: pc.createColors(false) };

/** Outputs of earlier runs: equal arguments give equal output, which one test checks. */
const known = new Map<string, { status: number; stdout: string; stderr: string }>();

/** Runs the program without a terminal. */
async function run(args: readonly string[], columns = 120) {
  const key = JSON.stringify([args, columns]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const ran = { status: 0, stdout: "", stderr: "" };
  ran.status = await program(args, {
    write: (text) => {
      ran.stdout += text;
    },
    writeError: (text) => {
      ran.stderr += text;
    },
    screen: () => ({ ...SCREEN, width: columns }),
    isInteractive: false,
    sample: () => SAMPLE,
  });
  known.set(key, ran);
  return ran;
}

const BY_SIGNALS = ["--ranking", "signals"] as const;

/** Runs the program with rankings by signals. */
const signals = (args: readonly string[], columns = 120) => run([...args, ...BY_SIGNALS], columns);

async function json(args: readonly string[]): Promise<Report> {
  const { status, stdout, stderr } = await signals([...args, "--json"]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout) as Report;
}

async function one(args: readonly string[]): Promise<Answer> {
  const { answers } = await json(args);
  const [answer] = answers;
  if (answer === undefined || answers.length > 1)
    throw new Error(`${answers.length} answers to one question`);
  return answer;
}

/** Removes everything that differs between runs. */
function timeless<Data>(data: Data): Data {
  return JSON.parse(
    JSON.stringify(data, (key, value) => (["time_us", "ms"].includes(key) ? null : value)),
  );
}

/** The text from a heading on, with each time replaced by a `t`. */
function untimed(text: string, heading = "TRACE "): string {
  return text.slice(text.indexOf(heading)).replace(/\b\d+(\.\d)? (µs|ms)/g, "t");
}

/** Joins the lines and removes branches and times, since the times decide where lines break. */
const flowing = (text: string): string => untimed(text.replace(/[│├└─\s]+/g, " "), "");

const widest = (text: string): number =>
  Math.max(...text.split("\n").map((line) => [...line].length));

const IN_PARTS = "What's my BTC thesis and how did my last SOL trade go?";
const PARTS = ["What's my BTC thesis", "how did my last SOL trade go?"];

describe("a process of the program", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const file = `${root}.cache/terminal-test/main.mjs`;

  beforeAll(async () => {
    mkdirSync(`${root}.cache/terminal-test`, { recursive: true });
    await build({
      entryPoints: [`${root}js/demo/terminal/main.ts`],
      outfile: file,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "error",
    });
  });

  const start = (args: readonly string[], columns: number) => {
    const env = { ...process.env, COLUMNS: String(columns) };
    return spawnSync(process.execPath, [file, ...args], { input: "", encoding: "utf8", env });
  };

  it.each([
    [[], 100],
    [[...BY_SIGNALS], 150],
    [[IN_PARTS, "--trace", "--explain", "n_cak5y", ...BY_SIGNALS], 80],
    [["--events", "funding_extreme BTC 0.8"], 80],
    [["--consolidate", "--at", "2026-02-20"], 160],
    [["--context", "What did we decide about ETH shorts yesterday?"], 100],
    [["--help"], 100],
    [["BTC", "--explain", "n_zzz"], 100],
    [["BTC", "--colour"], 100],
  ])("writes the same output for %j as a call in this process", async (args, columns) => {
    const { status, stdout, stderr } = start(args, columns);
    const here = await run(args, columns);
    expect({ status, stdout: flowing(stdout), stderr }).toEqual({
      ...here,
      stdout: flowing(here.stdout),
    });
    expect(widest(stdout)).toBe(widest(here.stdout));
  });

  it("writes the same data", async () => {
    const args = ["funding on DOGE", "--explain", "n_cak5y"];
    const { status, stdout, stderr } = start([...args, ...BY_SIGNALS, "--json"], 100);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(timeless(JSON.parse(stdout))).toEqual(timeless(await json(args)));
    const byEvidence = start([...args, "--json"], 100);
    expect(byEvidence).toMatchObject({
      stderr: "",
      stdout: (await run([...args, "--json"])).stdout,
    });
  });

  it("exits normally if its reader closes the pipe early", () => {
    const { status, stdout, stderr } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" --json | head -c 9`, process.execPath, file],
      {
        encoding: "utf8",
      },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '{\n  "form', stderr: "" });
  });
});

describe("the data of an answer", () => {
  it("has the documented shape", async () => {
    const report = await json(["Which signals are firing on SOL right now?", "--limit", "3"]);
    expect(report).toMatchObject({ format: 3, clock: SAMPLE_DEFAULTS.end, memories: 2000 });
    expect(report.edges).toBeGreaterThan(2000);
    const [answer] = report.answers;
    expect(answer?.question).toBe("Which signals are firing on SOL right now?");
    expect(answer?.intents[0]).toMatchObject({ section: "SIGNALS" });
    expect(answer?.intents[0]?.strings.map((one) => one.string)).toEqual(
      expect.arrayContaining(["signals", "right now"]),
    );
    expect(answer?.candidates.total).toBe(
      (answer?.candidates.by_words ?? 0) + (answer?.candidates.by_edges ?? 0),
    );
    expect(Object.keys(answer?.rankings ?? {})).toEqual(["global", "sections", "intent"]);
    expect(answer?.time_us.calls).toBeGreaterThan(50);
    for (const name of ["classify_intent", "search_global", "search_sections", "retrieve"]) {
      expect(answer?.time_us).toHaveProperty(name, expect.any(Number));
    }
    expect(answer?.trace).toMatchObject({
      query: answer?.question,
      mode: "parts",
      parts: [{ outcome: "ok" }],
    });
    for (const [name, ranking] of Object.entries(answer?.rankings ?? {})) {
      expect(ranking.map((result) => result.part)).toEqual(
        Array(3).fill(name === "intent" ? 1 : null),
      );
      expect(ranking.map((result) => result.rank)).toEqual([1, 2, 3]);
      for (const result of ranking) {
        expect(Object.keys(result)).toEqual([
          "id",
          "rank",
          "score",
          "section",
          "subtype",
          "title",
          "text",
          "created_at",
          "signals",
          "primary_signal",
          "retrievability",
          "lifecycle",
          "moved",
          "reason",
          "boosted",
          "part",
        ]);
        expect(Object.keys(result.signals)).toEqual([
          "semantic",
          "keyword",
          "graph",
          "recency",
          "authority",
          "affinity",
        ]);
        expect(result.signals.semantic).toBe(0);
        expect(result.text).not.toMatch(/^\{/);
      }
    }
  });

  it("ranks by the weights that it reports", async () => {
    const { rankings } = await one(["what happened with my ETH trades"]);
    const score = (result: Result, weights: Record<string, number>) =>
      Object.entries(result.signals).reduce(
        (sum, [signal, value]) => sum + value * (weights[signal] ?? 0),
        0,
      );
    const global = {
      semantic: 0.3,
      keyword: 0.15,
      graph: 0.2,
      recency: 0.15,
      authority: 0.1,
      affinity: 0.1,
    };
    for (const result of rankings.global)
      expect(result.score).toBeCloseTo(score(result, global), 12);
    for (const result of rankings.sections) {
      expect(result.score).toBeCloseTo(
        score(result, { ...SECTION_PROFILES[result.section].reranking_weights }),
        12,
      );
    }
    for (const result of rankings.intent) {
      const boost = result.boosted ? 1.3 : 1;
      expect(result.score).toBeCloseTo(
        boost * score(result, { ...SECTION_PROFILES[result.section].reranking_weights }),
        12,
      );
      expect(result.boosted).toBe(result.section === "EPISODIC");
    }
  });

  it("gives each result's movement against the global ranking, and the reason", async () => {
    const { rankings } = await one(["Which signals are firing on SOL right now?", "--limit", "20"]);
    const place = new Map(rankings.global.map((result) => [result.id, result.rank]));
    for (const result of [...rankings.sections, ...rankings.intent]) {
      const before = place.get(result.id);
      const { moved } = result;
      if (moved === null) throw new Error(`the whole question leads to ${result.id}`);
      if (before !== undefined) expect(moved).toBe(before - result.rank);
      else expect(moved + result.rank).toBeGreaterThan(20);
      if (moved !== 0) expect(result.reason).toMatch(/\w/);
      if (result.boosted && moved > 0) expect(result.reason).toContain("intent ×1.3");
    }
    expect(rankings.sections.some((result) => result.reason === "recency 0.45 in SIGNALS")).toBe(
      true,
    );
    expect(rankings.global.every((result) => result.moved === 0 && result.reason === null)).toBe(
      true,
    );
  });

  it("is the same in each run, except for the times", async () => {
    for (const question of ["funding on DOGE", IN_PARTS]) {
      const before = await one([question, "--explain", "n_cak5y"]);
      known.clear();
      expect(timeless(await one([question, "--explain", "n_cak5y"]))).toEqual(timeless(before));
      expect(before.trace.ms.total).toBeGreaterThan(0);
    }
  });

  it("is empty, and not an error, if no word of the question is known", async () => {
    const answer = await one(["xyzzy plugh"]);
    expect(answer.candidates.total).toBe(0);
    expect(answer.rankings).toEqual({ global: [], sections: [], intent: [] });
    expect(answer.trace.confidence.flags).toEqual(["no_results"]);
    expect(await signals(["xyzzy plugh"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No memory has a word"),
    });
  });
});

describe("--at", () => {
  it("hides memories that are newer", async () => {
    const report = await json(["signals on BTC", "--at", "2025-12-01", "--limit", "20"]);
    expect(report.clock).toBe("2025-12-01T00:00:00.000Z");
    expect(report.memories).toBe(sampleAt(SAMPLE, Date.parse(report.clock)).nodes.length);
    for (const ranking of Object.values(report.answers[0]?.rankings ?? {})) {
      expect(ranking.every((result) => result.created_at <= report.clock)).toBe(true);
      expect(ranking.every((result) => result.signals.recency <= 1)).toBe(true);
    }
  });

  it("is in UTC unless it names another zone", () => {
    expect(parseAt("2026-03-01")).toBe(Date.parse("2026-03-01T00:00:00Z"));
    expect(parseAt("2026-03-01T14:30")).toBe(Date.parse("2026-03-01T14:30:00Z"));
    expect(parseAt("2026-03-01 14:30")).toBe(Date.parse("2026-03-01T14:30:00Z"));
    expect(parseAt("2026-03-01T14:30+02:00")).toBe(Date.parse("2026-03-01T12:30:00Z"));
  });

  it("fades memories when it is later", async () => {
    const [now] = (await one(["funding fade playbook"])).rankings.global;
    const [later] = (await one(["funding fade playbook", "--at", "2029-03-15"])).rankings.global;
    expect(now?.lifecycle).toBe("ACTIVE");
    expect(later?.retrievability).toBeLessThan(now?.retrievability ?? 0);
    expect(later?.lifecycle).not.toBe("ACTIVE");
  });
});

/** Checks each value against the values that it is computed from. */
function expectToAddUp({ name, value, operation, parts = [] }: Explanation): void {
  const operations = {
    sum: (a: number, b: number) => a + b,
    product: (a: number, b: number) => a * b,
    quotient: (a: number, b: number) => a / b,
    maximum: (a: number, b: number) => Math.max(a, b),
    minimum: (a: number, b: number) => Math.min(a, b),
  };
  if (operation === undefined) expect(parts, name).toEqual([]);
  else {
    const made = parts.map((part) => part.value).reduce(operations[operation]);
    expect(Object.is(made, value), `${name}: ${made} for ${value}`).toBe(true);
  }
  for (const part of parts) expectToAddUp(part);
}

/** All numbers of a tree with this name. */
function partsNamed(name: string, tree: Explanation): Explanation[] {
  const below = (tree.parts ?? []).flatMap((part) => partsNamed(name, part));
  return tree.name === name ? [tree, ...below] : below;
}

describe("the index", () => {
  const at = Date.parse(SAMPLE_DEFAULTS.end);
  const question = STANDING_QUESTIONS[1];
  const found = (library: Library) => library.search(library.hits(question), true).ranking;

  it("holds the memory and produces the rankings", async () => {
    const library = new Library(SAMPLE, at);
    const { rankings, candidates } = await one([question, "--limit", "20"]);
    expect([library.index.size, library.index.edgeCount]).toEqual([
      SAMPLE.nodes.length,
      SAMPLE.edges.length,
    ]);
    expect(library.hits(question)).toHaveLength(45);
    expect(library.hits(question)[0]?.score).toBe(1);
    const { global, sections } = library.find(question);
    expect(candidates.total).toBe(sections.ranking.length);
    for (const [way, ranking] of [
      ["global", global.ranking] as const,
      ["sections", sections.ranking] as const,
    ]) {
      expect(rankings[way].map(({ id, score }) => [id, score])).toEqual(
        [...ranking].slice(0, 20).map(({ id, score }) => [id, score]),
      );
    }
    library.free();
  });

  it("finds over edges memories that no word matches", async () => {
    const library = new Library(SAMPLE, at);
    const hits = new Set(library.hits(question).map((hit) => hit.id));
    const linked = found(library).ids.filter((id) => !hits.has(id));
    expect(linked).not.toEqual([]);
    expect(
      (await one([question])).rankings.sections.some((result) => linked.includes(result.id)),
    ).toBe(true);
    library.index.unlink(SAMPLE.edges.map((edge) => edge.id));
    expect(found(library).ids.filter((id) => !hits.has(id))).toEqual([]);
    library.free();
    expect(() => found(library)).toThrow(/freed/);
  });
});

describe("--explain", () => {
  const question = "funding on DOGE";
  const library = new Library(SAMPLE, Date.parse(SAMPLE_DEFAULTS.end));
  afterAll(() => library.free());
  const draw = (found: Answer, width: number) => {
    if (found.explanation === undefined) throw new Error("nothing is explained");
    return renderExplanation(library, found, found.explanation, { ...SCREEN, width });
  };

  it("prints a tree that adds up to the score exactly", async () => {
    const found = await one([question, "--limit", "3"]);
    for (const [i, { id, score }] of found.rankings.sections.entries()) {
      const { explanation } = explained(library, found, id.slice(0, 7));
      expect(explanation).toMatchObject({ id, rank: i + 1 });
      expect(Object.is(explanation.score?.value, score)).toBe(true);
      if (explanation.score) expectToAddUp(explanation.score);
    }
    expect(found).not.toHaveProperty("explanation");
    const [first] = found.rankings.sections;
    const printed = (
      await one([question, "--limit", "3", "--explain", first?.id.slice(0, 7) ?? ""])
    ).explanation;
    expect(printed).toEqual(
      JSON.parse(JSON.stringify(explained(library, found, first?.id ?? "").explanation)),
    );
  });

  it("does so for every result of the standing questions", () => {
    for (const standing of STANDING_QUESTIONS) {
      const hits = library.hits(standing);
      for (const { id, score, breakdown } of library.search(hits, true).ranking) {
        const { score: tree } = library.explain(id, standing, 5);
        if (tree === null) throw new Error(`${id} has no tree`);
        expect(Object.is(tree.value, score)).toBe(true);
        expectToAddUp(tree);
        const isHit = hits.some((hit) => hit.id === id);
        if (!isHit) expect(breakdown.keyword).toBe(0);
        for (const { from, edge } of partsNamed("arrival", tree)) {
          expect(library.get(from ?? "").id).toBe(from);
          expect(library.index.getEdge(edge ?? "")).toBeDefined();
        }
        if (!isHit) expect(partsNamed("arrival", tree)).not.toEqual([]);
      }
    }
  });

  it("prints a tree whose products follow from the printed factors", async () => {
    const { sections } = (await one([question])).rankings;
    const { id, score, title } = sections[1] ?? {};
    const { status, stdout, stderr } = await signals([question, "--explain", id ?? ""], 300);
    expect([status, stderr]).toEqual([0, ""]);
    const tree = stdout.slice(stdout.indexOf("WHY "));
    expect(tree).toBe(`${draw(await one([question, "--explain", id ?? ""]), 300)}\n`);
    expect(tree).toContain(`WHY ${id}  ${title}`);
    expect(tree).toContain("Place 2 of ");
    expect(tree).toContain(`\nscore ${score} = semantic 0 + keyword `);
    expect(tree).toMatch(
      /\n +\+ [\d.]+ = seed [\d.]+ × edge [\d.]+ × decay 0\.8, hop 1 from “[^”]+” over \w+\n/,
    );
    expect(tree).toMatch(/recency [\d.]+: exp\(-\d+ \/ 30\), in days/);
    const products = tree.split("\n").filter((line) => line.includes(" × "));
    expect(products.length).toBeGreaterThan(8);
    for (const line of products) {
      const [head = "", formula = ""] = line.split(" = ");
      const last = (text: string) => Number(text.split(", ")[0]?.split(" ").at(-1));
      const product = formula.split(" × ").reduce((made, factor) => made * last(factor), 1);
      expect(product, line).toBeCloseTo(last(head), 4);
    }
  });

  it.each([60, 80, 120])("fits %i columns", async (columns) => {
    const tree = draw(
      await one(["What is my playbook for extreme funding?", "--explain", "n_cak5y"]),
      columns,
    );
    expect(widest(tree)).toBeLessThanOrEqual(columns);
    expect(tree.replace(/\s+/g, " ")).toMatch(/from \d+ more, none of them above/);
  });

  it("says why a memory is not in the ranking", async () => {
    const below = (await one([question, "--limit", "20"])).rankings.sections[9]?.id ?? "";
    const answer = await one([question, "--explain", below]);
    expect(answer.explanation).toMatchObject({ id: below, rank: null, absent: "below_limit" });
    const limited = draw(answer, 120);
    expect(limited).toContain(
      `Place 10 of ${answer.candidates.total} by section weights, below the limit of 5.`,
    );
    expect(limited).toContain("\nscore 0.");
    const unreached = "n_tuwusn1tv94w";
    const without = await one([question, "--explain", unreached]);
    expect(without.explanation).toEqual({
      query: question,
      id: unreached,
      rank: null,
      absent: "not_reached",
      score: null,
    });
    expect(draw(without, 200)).toContain("none reaches it over the edges");
  });

  it("accepts ids as they are printed beside the results", async () => {
    const { sections } = (await one([question])).rankings;
    const { stdout } = await signals([question]);
    for (const { id } of sections) expect(stdout).toContain(id.slice(0, 7));
    expect(new Set(SAMPLE.nodes.map((node) => node.id.slice(0, 7))).size).toBe(
      SAMPLE_DEFAULTS.memories,
    );
  });
});

describe("a question in parts", () => {
  const library = new Library(SAMPLE, Date.parse(SAMPLE_DEFAULTS.end));
  const whole = library.find(IN_PARTS);
  afterAll(() => library.free());

  it("is answered by parts in the third ranking, and as a whole in the others", async () => {
    const { rankings, trace } = await one([IN_PARTS, "--limit", "12"]);
    expect(trace.parts.map((part) => part.query)).toEqual(PARTS);
    const found = PARTS.map(
      (text) => new Map([...library.find(text).sections.ranking].map((row) => [row.id, row])),
    );
    for (const { id, rank, score, signals, boosted, part, moved } of rankings.intent) {
      const row = found[(part ?? 0) - 1]?.get(id);
      expect(signals).toEqual(row?.breakdown);
      expect(score).toBe((row?.score ?? 0) * (boosted ? 1.3 : 1));
      const before = whole.global.ranking.ids.indexOf(id);
      expect(moved).toBe(before < 0 ? null : before + 1 - rank);
    }
    expect(new Set(rankings.intent.map((result) => result.part))).toEqual(new Set([1, 2]));
    expect(rankings.intent.some((result) => result.moved === null)).toBe(true);
    expect(rankings.sections.map((result) => result.id)).toEqual(
      whole.sections.ranking.ids.slice(0, 12),
    );
    expect(rankings.global.map((result) => result.id)).toEqual(
      whole.global.ranking.ids.slice(0, 12),
    );
  });

  it.each([60, 100, 140, 150])(
    "shows the parts, and the part of each result, in %i columns",
    async (columns) => {
      const found = await one([IN_PARTS]);
      const screen = { ...SCREEN, width: columns };
      const picture = renderAnswer(found, screen);
      expect(widest(`${picture}\n${renderTrace(found.trace, screen)}`)).toBeLessThanOrEqual(
        columns,
      );
      const third = picture.slice(picture.indexOf("SECTIONS + INTENT"), picture.indexOf("\nbars "));
      const parts = [...third.matchAll(/ part (\d)/g)].map(([, part]) => Number(part));
      expect(parts).toHaveLength(5);
      const shown = PARTS.map((query, i) => {
        return `${i + 1} ${query} (25 found, ${parts.filter((part) => part === i + 1).length} of them below)`;
      });
      const text = picture.replace(/\s+/g, " ");
      expect(text).toContain(` parts ${shown.join(" ")} candidates `);
      expect(text).toContain("SECTIONS + INTENT 2 parts, KNOWLEDGE boosted");
      expect(text).toContain("new: the whole question did not lead to it");
      expect(third).toContain(" new ");
    },
  );

  it("says so if a part has no results", async () => {
    const empty = (await signals(["What is my rule for stops and when does xyzzy plugh?"])).stdout;
    expect(empty).toMatch(
      /\nparts +1 {2}What is my rule for stops \(25 found, 5 of them below\)\n/,
    );
    expect(empty).toContain("2  when does xyzzy plugh? (nothing found)\n");
    const crowded = (await signals(["What is my playbook for squeezes? What happened with DOGE?"]))
      .stdout;
    expect(crowded).toContain("2  What happened with DOGE (25 found, none of them below)\n");
  });

  it("explains scores by the part that they come from", async () => {
    const found = await answer(library, IN_PARTS, 5);
    const { intent, sections } = found.rankings;
    for (const { id, score, part, rank } of intent) {
      const one = explained(library, found, id);
      const query = PARTS[(part ?? 0) - 1] ?? "";
      expect(one.explanation).toMatchObject({ query, id });
      const from = found.trace.merge?.boosted.find((boosted) => boosted.id === id)?.from ?? score;
      expect(one.explanation.score?.value).toBe(from);
      const text = renderExplanation(library, one, one.explanation, SCREEN);
      const { ids } = library.find(query).sections.ranking;
      expect(text).toContain(
        `Place ${ids.indexOf(id) + 1} of ${ids.length} by section weights for part ${part}, “${query}”.`,
      );
      expect(text).toMatch(new RegExp(`place ${rank}\\.\\n`));
    }
    const other = sections.find(({ id }) => intent.every((result) => result.id !== id))?.id ?? "";
    const whole = await one([IN_PARTS, "--explain", other]);
    expect(whole.explanation?.query).toBe(IN_PARTS);
    const text = renderExplanation(
      library,
      whole,
      whole.explanation ?? explained(library, found, other).explanation,
      SCREEN,
    );
    expect(text).toContain(" by section weights for the whole question.");
  });
});

describe("--trace", () => {
  it("prints the steps of an answer as a tree", async () => {
    const { status, stdout, stderr } = await signals([IN_PARTS, "--trace"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(untimed(stdout).split("\n")).toEqual([
      "TRACE  how the third ranking came about",
      "─".repeat(120),
      "retrieve  t",
      "├─ understand  t: LOOKUP 0.60, D4 (several questions), entity “What”, attribute “my”, intent KNOWLEDGE",
      "├─ search  t: 2 parts",
      "│  ├─ part 1  “What's my BTC thesis”: 25 found, best 0.477, t",
      "│  └─ part 2  “how did my last SOL trade go?”: 25 found, best 0.599, t",
      "├─ merge  t: 50 found, 50 different, 5 selected, cut-off 0.246",
      "│  ├─ boosted  n_pwhwl 0.474 → 0.616, n_qtsak 0.461 → 0.599, n_cwogu 0.441 → 0.573",
      "│  └─ cut  35 beyond the limit, 10 below the cut-off",
      "├─ replace  t: nothing is weak",
      "└─ confidence  0.61 MEDIUM, disambiguation needed",
      "",
      "Times are of one run after those to warm up. The times of searches have the full-text search in them.",
      "",
    ]);
  });

  it("shows the outcome of weak results", async () => {
    const question = ["weekend liquidity", "--limit", "20"];
    const { trace, rankings } = await one(question);
    const text = untimed((await signals([...question, "--trace"], 200)).stdout);
    expect(flowing(text)).toBe(flowing(`${renderTrace(trace, SCREEN)}\n`));
    expect(text).toContain("├─ replace  t: 2 replaced, 2 dropped\n");
    for (const { id, score, by, by_score } of trace.replaced) {
      const { query, results, top_score } = trace.titles.find((title) => title.id === id) ?? {};
      const fate = `${score.toFixed(3)} replaced by ${by.slice(0, 7)} ${by_score.toFixed(3)}`;
      const search = `search for “${query}”: ${results} found, best ${top_score?.toFixed(3)}, t`;
      expect(text).toContain(`─ ${id.slice(0, 7)}  ${fate}; ${search}\n`);
      expect(rankings.intent.find((result) => result.id === by)?.reason).toBe(
        "replaces a weak one",
      );
      const { explanation } = await one([...question, "--explain", by]);
      expect([explanation?.query, explanation?.score?.value]).toEqual([query, by_score]);
    }
    for (const { id, score } of trace.dropped) {
      expect(text).toContain(
        `─ ${id.slice(0, 7)}  ${score.toFixed(3)} dropped, enough were replaced already\n`,
      );
      expect(rankings.intent.map((result) => result.id)).not.toContain(id);
    }
  });

  it("has a line for every outcome of a search", async () => {
    const rows: Record<string, { id: string; score: number; content_title?: string }[]> = {
      "what fired": [{ id: "strong", score: 0.9 }],
      "how it went": [],
      "it went": [
        { id: "untitled", score: 0.2 },
        { id: "unlucky", score: 0.2, content_title: "the search for this fails" },
      ],
    };
    const search = (query: string) => {
      const found = rows[query];
      if (found === undefined) throw new Error("no answer");
      return found;
    };
    const orchestrator = createOrchestrator({
      search,
      ranking: "signals",
      config: { orchestrator: { relevanceRatio: 0 } },
    });
    const { trace } = await orchestrator.retrieve(
      "what fired and how it went and why nobody knows",
    );
    const text = untimed(renderTrace(trace, SCREEN));
    for (const line of [
      "│  ├─ part 2  “how it went”: nothing found, t",
      "│  │  └─ again  “it went”: 2 found, best 0.200, t, better, so it stands",
      "│  └─ part 3  “why nobody knows”: failed (no answer), t",
      "│  ├─ untitle  0.200 dropped, it has no title to search for",
      "│  └─ unlucky  kept; search for “the search for this fails”: failed (no answer), t",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  it.each([60, 100])("fits %i columns, with its branches unbroken", async (columns) => {
    const { trace } = await one(["weekend liquidity", "--limit", "20"]);
    const text = untimed(`${renderTrace(trace, { ...SCREEN, width: columns })}\n`);
    expect(widest(text)).toBeLessThanOrEqual(columns);
    const steps = text.slice(text.indexOf("├─"), text.indexOf("\n\n")).split("\n");
    expect(steps.length).toBeGreaterThan(10);
    for (const line of steps) expect(line).toMatch(/^(│ {2}| {3})*([├└]─ )?\S/);
  });

  it("is printed with every answer, before an explanation", async () => {
    expect((await signals(["--trace"])).stdout.match(/^TRACE /gm)).toHaveLength(4);
    const { stdout } = await signals(["funding on DOGE", "--trace", "--explain", "n_cak5y"]);
    expect(stdout).toMatch(/\nTRACE .*\nWHY /s);
    expect((await signals(["funding on DOGE"])).stdout).not.toMatch(/TRACE |\nparts | part \d/);
  });
});

describe("a conversation", () => {
  it("follows commands, and takes every other line for a question", async () => {
    const calls: unknown[][] = [];
    const note = (name: string) => (value: unknown) => void calls.push([name, value]);
    const noteLater = (name: string) => async (value: unknown) => note(name)(value);
    const host: Host = {
      ask: noteLater("ask"),
      explain: noteLater("explain"),
      trace: () => note("trace")("the last answer"),
      setClock: note("setClock"),
      setLimit: note("setLimit"),
      print: note("print"),
    };
    const lines = [
      ":explain  n_cak5y ",
      "explain funding",
      ":at 2026-01-15",
      "at 2026-01-15",
      ":limit 8",
      "2",
      ":trace",
    ];
    for (const line of lines) expect(await handle(line, host)).toBe(true);
    expect(calls).toEqual([
      ["explain", "n_cak5y"],
      ["ask", "explain funding"],
      ["setClock", Date.parse("2026-01-15T00:00:00Z")],
      ["setClock", Date.parse("2026-01-15T00:00:00Z")],
      ["setLimit", 8],
      ["ask", STANDING_QUESTIONS[1]],
      ["trace", "the last answer"],
    ]);
    calls.length = 0;
    for (const line of [":explain", ":at soon", ":limit", ":why"]) await handle(line, host);
    expect(calls.map(([name, text]) => `${name}: ${String(text).split("\n")[0]}`)).toEqual([
      "print: explain: the id is missing. Write its beginning, as it stands beside a result.",
      "print: at: “soon” is no date. Write it as 2026-03-01, or 2026-03-01T14:30.",
      "print: limit: “” is no whole number from 1 to 20.",
      "print: There is no command “:why”.",
    ]);
    for (const line of ["quit", ":quit"]) expect(await handle(line, host)).toBe(false);
  });

  it("continues after a wrong command, at once or later", async () => {
    const printed: string[] = [];
    const refuse = () => {
      throw new UsageError("--explain: there is no memory “n_zzz”.");
    };
    const host: Host = {
      ask: async () => Promise.reject(new Error("broken")),
      explain: async () => refuse(),
      trace: refuse,
      setClock: refuse,
      setLimit: refuse,
      print: (text) => void printed.push(text),
    };
    for (const line of [":explain n_zzz", ":trace"]) expect(await handle(line, host)).toBe(true);
    expect(printed).toEqual(Array(2).fill("explain: there is no memory “n_zzz”."));
    await expect(handle("BTC", host)).rejects.toThrow("broken");
  });
});

describe("without a question and without a terminal", () => {
  it("the program answers four standing questions, one for each section", async () => {
    const { status, stdout, stderr } = await signals([]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout.match(/^› /gm)).toHaveLength(4);
    const { answers } = await json([]);
    const sections = ["SIGNALS", "EPISODIC", "KNOWLEDGE", "PROCEDURAL"];
    expect(answers.map((answer) => answer.intents[0]?.section)).toEqual(sections);
    answers.forEach(({ rankings }, i) => {
      const places = (ranking: Result[]) =>
        ranking.flatMap((result) => (result.section === sections[i] ? [result.rank] : []));
      expect(places(rankings.intent)[0]).toBeLessThanOrEqual(2);
      expect(places(rankings.intent).length).toBeGreaterThanOrEqual(
        places(rankings.sections).length,
      );
    });
  });
});

describe("the picture", () => {
  const question = "What lessons have I learned about liquidation cascades?";

  it.each([80, 150])("is as wide as a terminal of %i columns", async (columns) => {
    const { stdout } = await signals([question, "--trace", "--explain", "n_cak5y"], columns);
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
    expect(widest(stdout)).toBeGreaterThan(columns - 10);
    expect(stdout).not.toContain("\u001b");
    const found = await one([question, "--explain", "n_cak5y"]);
    const library = new Library(SAMPLE, Date.parse(SAMPLE_DEFAULTS.end));
    const screen = { ...SCREEN, width: columns };
    const picture = [
      renderHead(library, version, screen),
      renderAnswer(found, screen),
      renderTrace(found.trace, screen),
      found.explanation ? renderExplanation(library, found, found.explanation, screen) : "",
    ];
    library.free();
    expect(flowing(stdout)).toBe(flowing(`${picture.join("\n\n")}\n`));
  });

  it.each([60, 80, 119, 120, 149, 150, 200])("fits %i columns", async (columns) => {
    const stdout = renderAnswer(await one([question]), { ...SCREEN, width: columns });
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
    for (const part of [
      "GLOBAL WEIGHTS",
      "SECTION WEIGHTS",
      "SECTIONS + INTENT",
      "“lessons”",
      "no embeddings",
      "µs",
      "R 0.",
    ]) {
      expect(stdout.replace(/\s+/g, " ")).toContain(part);
    }
    const together = stdout
      .split("\n")
      .some((line) => line.includes("GLOBAL WEIGHTS") && line.includes("SECTIONS + INTENT"));
    expect(together).toBe(columns >= 150);
  });

  it("fits the narrowest width for every standing question", async () => {
    const screen = { ...SCREEN, width: 60 };
    for (const found of (await json([])).answers) {
      expect(
        widest(`${renderAnswer(found, screen)}\n${renderTrace(found.trace, screen)}`),
      ).toBeLessThanOrEqual(60);
    }
  });

  it("has cells of exact width, bars of eight steps, and line breaks between words", () => {
    expect(cell("funding", 10)).toBe("funding   ");
    expect(cell("funding", 10, (text) => text, "right")).toBe("   funding");
    expect(cell("liquidation", 6)).toBe("liqui…");
    expect([-1, 0, 0.5, 1, 7].map(bar).join("")).toBe("▁▁▅██");
    expect(wrap("one two three", 8, 2)).toEqual(["one two", "  three"]);
  });
});

describe("a wrong command line", () => {
  it.each([
    [["BTC", "--at", "soon"], "--at: “soon” is no date"],
    [["BTC", "--at", "2026-02-30"], "--at: “2026-02-30” is no date"],
    [["BTC", "--at", "2019-01-01"], "--at: “2019-01-01” is too early"],
    [["BTC", "--limit", "0"], "--limit: “0” is no whole number from 1 to 20"],
    [["BTC", "--limit", "many"], "--limit: “many” is no whole number"],
    [["BTC", "--limit"], "argument missing"],
    [["BTC", "--colour"], "Unknown option '--colour'"],
    [["BTC", "--ranking", "luck"], "Allowed choices are evidence, signals"],
    [["BTC", "--trace"], "--trace: only answers by signals have a trace. Add --ranking signals"],
    [["--consolidate", "--ranking", "signals"], "--ranking: --consolidate ranks nothing"],
    [["--events", "a 1", "--ranking", "evidence"], "--ranking: --events ranks nothing"],
    [[""], "The question is empty"],
    [["--explain", "n_cak5y"], "--explain: a score belongs to a question, and there is none"],
    [["BTC", "--explain"], "argument missing"],
    [["BTC", "--explain", " "], "--explain: the id is missing"],
    [["BTC", "--explain", "n_"], "--explain: several ids begin with “n_”, for example n_"],
    [
      ["BTC", "--explain", "n_zzz"],
      "--explain: there is no memory “n_zzz”. In this answer are, for example, n_",
    ],
    [["BTC", "--explain", "n_zzz", "--json"], "there is no memory “n_zzz”"],
    [["xyzzy", "--explain", "n_zzz", "--ranking", "signals"], "This answer has none"],
    [
      ["BTC", "--explain", "n_cak5y", "--at", "2025-09-20"],
      "“n_cak5y” is not there yet, it is of 2025-09-26",
    ],
    [["--consolidate", "BTC"], "--consolidate: it takes no question beside it"],
    [["--context", "BTC", "SOL"], "--context: it takes no question beside it"],
    [["--context", " "], "--context: the question is empty"],
    [["--context"], "argument missing"],
    [
      ["--context", "BTC", "--consolidate"],
      "--context and --consolidate: only one of them can be shown",
    ],
    [
      ["--consolidate", "--events", "a 1"],
      "--consolidate and --events: only one of them can be shown",
    ],
    [["--consolidate", "--at", "soon"], "--at: “soon” is no date"],
  ])("%j ends with a sentence and code 2", async (args, sentence) => {
    const { status, stdout, stderr } = await run(args);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr.trim()).toMatch(/\.$/);
  });

  it("--help lists every option and exits normally", async () => {
    const { status, stdout } = await run(["--help"]);
    expect(status).toBe(0);
    const options = [
      "--at",
      "--limit",
      "--ranking",
      "--explain",
      "--trace",
      "--events",
      "--consolidate",
      "--context",
      "--json",
    ];
    for (const word of [...options, "npm run ask", "standing questions"])
      expect(stdout).toContain(word);
    expect(inOneLine(stdout)).toContain(
      "Only times differ from run to run: time_us, and each ms in the trace",
    );
    for (const file of stdout.match(/js\/demo\/\S+\.ts/g) ?? [])
      expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
  });
});

describe("the sample's stored strengths", () => {
  const { nodes } = SAMPLE;
  const STAKES = [
    "trade_entry",
    "trade_close",
    "trade_modify",
    "missed_opportunity",
    "good_pass",
  ].map((name) => `custom:${name}`);
  const KINDS = {
    "custom:signal": "fact",
    "custom:trade": "fact",
    "custom:lesson": "fact",
    "custom:market_event": "event",
    "custom:turn_summary": "event",
    "custom:session_summary": "note",
  } as const;

  it("begin with the engine's initial values", () => {
    for (const node of nodes) {
      if (!STAKES.includes(node.subtype))
        expect(node.initial_stability).toBe(getInitialStabilityForSubtype(node.subtype));
      if (node.subtype === "custom:playbook") continue;
      const kind = KINDS[node.subtype as keyof typeof KINDS] ?? "concept";
      expect(node.difficulty, node.subtype).toBe(
        calculateDifficulty(kind, node.content_body.length, 0),
      );
    }
  });

  it("grow with each read as in the engine", () => {
    for (const node of nodes.filter((one) => one.subtype !== "custom:playbook")) {
      const { decay } = SECTION_PROFILES[getSectionForSubtype(node.subtype)];
      const grown = node.read_times.reduce(
        (stability) => updateStabilityOnAccessForSection(stability, node.difficulty, decay),
        node.initial_stability,
      );
      expect(node.stability).toBe(grown);
    }
  });
});

describe("--events", () => {
  const report = async (...args: string[]): Promise<EventsReport> => {
    const { status, stdout, stderr } = await run([...args, "--json"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return JSON.parse(stdout) as EventsReport;
  };

  it("shows the playbooks that fire on the latest market snapshot, and why the others do not", async () => {
    const { matches, markets, passed_over, playbooks, text } = await report(
      "--events",
      "funding_extreme BTC 0.8",
    );
    expect(matches.length).toBeGreaterThan(0);
    expect(markets).toHaveLength(1);
    expect(Math.abs(markets[0]!.numbers.funding_rate!)).toBeGreaterThan(0.006);
    for (const { id } of matches) expect(text).toContain(`Playbook ID: ${id}`);
    expect(passed_over.length).toBeLessThan(playbooks);
    const weaker = await report("--events", "funding_extreme BTC 0.1");
    expect(weaker.matches).toEqual([]);
    expect(weaker.text).toBe("");
    const called = matches.map(({ id }) => id);
    const against = new Map(weaker.passed_over.map(({ id, reason }) => [id, reason]));
    for (const id of called)
      expect(against.get(id)).toMatch(/^funding_extreme of 0\.1: it asks for 0\.\d+ or more$/);
  });

  it("takes several events, with and without symbols, and reports missing conditions", async () => {
    const { events, markets, matches, passed_over } = await report(
      "--events",
      "funding_extreme 0.9, relative_strength sol 1",
    );
    expect(markets.map((market) => market === null)).toEqual([true, false]);
    expect(matches.map(({ type }) => type)).toContain("relative_strength");
    expect(events).toEqual([
      { type: "funding_extreme", symbol: null, severity: 0.9 },
      { type: "relative_strength", symbol: "sol", severity: 1 },
    ]);
    const reasons = passed_over.map(({ reason }) => reason);
    expect(reasons).toContain("Its conditions ask for funding_rate, which memory does not tell");
    expect(reasons).toContain("funding_extreme on no symbol: it is for BTC");
  });

  it("prints a picture without --json, as wide as the screen", async () => {
    const { status, stdout } = await run(["--events", "funding_extreme BTC 0.8"], 80);
    expect(status).toBe(0);
    expect(stdout).toMatch(/PLAYBOOKS {2}\d+ of \d+ fire/);
    expect(stdout).toContain("[Matching Playbooks]");
    const [picture = ""] = stdout.split("[Matching Playbooks]");
    for (const line of picture.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it.each([
    "",
    "funding_extreme",
    "funding_extreme BTC",
    "funding_extreme BTC 1.5",
    "a b c 0.5",
    "x y 0.5,",
    "x y NaN",
  ])("refuses “%s” with a sentence", async (text) => {
    const { status, stderr, stdout } = await run(["--events", text]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^--events: “.*” is no anomaly: .*\.\n$/);
  });

  it("takes no question", async () => {
    const { status, stderr } = await run(["--events", "funding_extreme BTC 0.8", "what now?"]);
    expect(status).toBe(2);
    expect(stderr).toBe("--events: it takes no question beside it.\n");
  });
});

/** The program's --json output for these arguments. */
async function data<Report>(...args: string[]): Promise<Report> {
  const { status, stdout, stderr } = await run([...args, "--json"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ");

describe("--consolidate", () => {
  /**
   * The moment when a pattern stands out, and a moment some days later, when one more trade
   * supports it.
   */
  const FOUND = "2026-02-20";
  const LATER = "2026-02-24";
  const DAY = 86_400_000;

  it("groups recent memories that have not faded", async () => {
    const { clock, groups, existing, tested, plan } = await data<CycleReport>("--consolidate");
    expect(clock).toBe(SAMPLE_DEFAULTS.end);
    const { nodes } = sampleAt(SAMPLE, Date.parse(clock));
    expect(existing).toBe(
      nodes.filter(({ subtype }) => /:(lesson|playbook)$/.test(subtype)).length,
    );
    expect(groups).toHaveLength(plan.report.groups_analyzed);
    expect(plan.report.groups_found).toBeGreaterThan(groups.length);
    const byId = new Map(nodes.map((node) => [node.id, node]));
    for (const { symbol, episodes, kinds, from, to, ...group } of groups) {
      const members = episodes.map((id) => byId.get(id)!);
      const kindsOf = members.map(({ subtype }) =>
        subtype.slice("custom:".length).replaceAll("_", " "),
      );
      for (const [kind, count] of Object.entries(kinds))
        expect(kindsOf.filter((one) => one === kind)).toHaveLength(count);
      expect(Object.values(kinds).reduce((sum, count) => sum + count)).toBe(episodes.length);
      const days = members.map(({ created_at }) => new Date(created_at).toISOString().slice(0, 10));
      expect([days.at(-1), days[0]]).toEqual([from, to]);
      for (const { created_at, last_accessed, stability, subtype } of members) {
        expect(created_at).toBeGreaterThanOrEqual(Date.parse(clock) - 14 * DAY);
        const { decay } = SECTION_PROFILES[getSectionForSubtype(subtype)];
        const left = calculateRetrievability((Date.parse(clock) - last_accessed) / DAY, stability);
        expect(left).toBeGreaterThanOrEqual(decay.active_threshold);
      }
      expect(group.tested).toBe(tested.filter((pattern) => pattern.symbol === symbol).length);
    }
  });

  it("tests the trades of the sample", async () => {
    for (const at of [FOUND, SAMPLE_DEFAULTS.end]) {
      const { tested } = await data<CycleReport>("--consolidate", "--at", at);
      expect(tested.map(({ q_value }) => q_value)).toEqual(
        tested.map(({ q_value }) => q_value).sort((a, b) => a - b),
      );
      const sides = tested.filter(({ conditions }) => conditions[0]?.kind === "direction");
      expect(sides).not.toEqual([]);
      for (const { symbol, conditions, ...figures } of sides) {
        const closed = SAMPLE.truth.trades.filter(
          (trade) =>
            trade.symbol === symbol &&
            trade.closed_at !== null &&
            trade.closed_at <= Date.parse(at),
        );
        const [these, others] = [true, false].map((same) =>
          closed.filter(({ side }) => (side === conditions[0]?.value) === same),
        );
        const won = (trades = closed) => trades.filter(({ outcome }) => outcome === "win").length;
        expect(figures).toMatchObject({ n: these?.length, wins: won(these) });
        expect(figures).toMatchObject({ rest_n: others?.length, rest_wins: won(others) });
        expect(figures.trade_ids).toEqual(these?.map(({ close_id }) => close_id));
      }
    }
  });

  it("shows the closest candidates if no pattern stands out", async () => {
    const { tested, plan } = await data<CycleReport>("--consolidate");
    expect(tested.filter(({ kept }) => kept)).toEqual([]);
    expect(plan.groups).toEqual([]);
    const { stdout } = await run(["--consolidate"], 160);
    expect(stdout).toContain(`PATTERNS  0 of ${tested.length} conditions tested stand out\n`);
    expect(inOneLine(stdout)).toMatch(
      /Nothing stands out\. .* 70 % of them would be expected to be false \(q 0\.70\)\./,
    );
    const misses = stdout.slice(
      stdout.indexOf("THE CLOSEST MISSES"),
      stdout.indexOf("WHAT WOULD BE WRITTEN"),
    );
    expect(misses).toContain(
      [
        "BTC   trade type swing",
        "      10 of 13 won (77 %, 95 % interval 50–92 %), others 2 of 7 (29 %)",
        "      p 0.062, q 0.697, lift ×2.69, +2.1 % on average",
      ].join("\n"),
    );
    const shown = [...misses.matchAll(/q (\d\.\d{3})/g)].map(([, q]) => q);
    expect(shown).toEqual(tested.slice(0, 5).map(({ q_value }) => q_value.toFixed(3)));
    expect(stdout).toMatch(/\nWHAT WOULD BE WRITTEN {2}nothing is, here\n─+\nNothing\.\n$/);
  });

  it("shows the patterns that stand out, and the lesson for each", async () => {
    const { tested, plan } = await data<CycleReport>("--consolidate", "--at", FOUND);
    const [pattern, ...others] = tested.filter(({ kept }) => kept);
    expect(others).toEqual([]);
    const [node] = plan.groups[0]?.create ?? [];
    expect(node?.edges.map(({ target_id }) => target_id)).toEqual(pattern?.trade_ids);
    const { stdout } = await run(["--consolidate", "--at", FOUND], 160);
    expect(stdout).toContain(`PATTERNS  1 of ${tested.length} conditions tested stands out\n`);
    expect(stdout).toContain(
      "HYPE  direction long\n      0 of 6 won (0 %, 95 % interval 0–39 %), others 6 of 7 (86 %)\n",
    );
    expect(stdout).toContain(
      "HYPE  a new lesson: HYPE longs: 0 of 6 won\n      HYPE longs won none of 6 trades (0 %,",
    );
    expect(stdout).toContain("\n      new edges to 6 of its trades\n");
    expect(stdout).not.toContain("CLOSEST");
  });

  it("recognizes an earlier lesson and updates its figures", async () => {
    const [learned] =
      (await data<CycleReport>("--consolidate", "--at", FOUND)).plan.groups[0]?.create ?? [];
    const lesson = SAMPLE.nodes.find(({ subtype }) => subtype === "custom:lesson");
    if (learned === undefined || lesson === undefined) throw new Error("nothing was learned");
    const { content_title, content_body, edges } = learned;
    const created_at = Date.parse(FOUND);
    const node = {
      ...lesson,
      id: "n_learned",
      content_title,
      content_body,
      created_at,
      last_accessed: created_at,
    };
    const links = edges.map((edge, i) => ({
      ...edge,
      id: `e_${i}`,
      source_id: node.id,
      strength: 0.5,
      created_at,
    }));
    const written = async (at: string, tied = links) => {
      const since = {
        ...SAMPLE,
        nodes: [...SAMPLE.nodes, node],
        edges: [...SAMPLE.edges, ...tied],
      };
      const library = new Library(since, Date.parse(at));
      const text = renderConsolidation(await cycleReport(library), SCREEN);
      library.free();
      return text.slice(text.indexOf("WHAT WOULD BE WRITTEN")).split("\n").slice(2);
    };
    expect(await written(FOUND)).toEqual(["Nothing."]);
    const changed = [
      "HYPE  new figures of n_learn: HYPE longs: 0 of 6 won",
      expect.stringMatching(
        /^ {6}HYPE longs won none of 6 trades .* against 88 % of the other 8 HYPE trades/,
      ),
    ];
    expect(await written(LATER)).toEqual([...changed, "      no new edge"]);
    expect(await written(LATER, links.slice(1))).toEqual([
      ...changed,
      "      new edges to 1 of its trades",
    ]);
  });

  it("says so if there is too little data", async () => {
    const early = (await run(["--consolidate", "--at", "2025-09-20"], 160)).stdout;
    expect(early).toContain("\n      too few closed trades to compare\n");
    expect(early).toContain(
      "\nNothing was tested: no group has trades enough for both sides of a condition.\n",
    );
    const late = (await run(["--consolidate", "--at", "2029-01-01"])).stdout;
    expect(late).toMatch(/\nGROUPS {2}0 of 0 analysed, .*\n─+\nNone: too little happened\.\n/);
  });

  it.each([60, 80, 100, 160])("fits %i columns", async (width) => {
    for (const at of [FOUND, SAMPLE_DEFAULTS.end]) {
      const library = new Library(SAMPLE, Date.parse(at));
      expect(
        widest(renderConsolidation(await cycleReport(library), { ...SCREEN, width })),
      ).toBeLessThanOrEqual(width);
      library.free();
    }
  });
});

describe("--context", () => {
  const QUESTION = "What did we decide about ETH shorts yesterday?";
  const byId = new Map(SAMPLE.nodes.map((node) => [node.id, node]));

  it.each([
    ["evidence", 5],
    ["signals", 10],
  ] as const)(
    "searches the types in the plan by %s, and passes on memories of that type",
    async (ranking, min) => {
      const args = ["--context", QUESTION, "--ranking", ranking];
      const { question, clock, searches, context } = await data<PromptReport>(...args);
      expect([question, clock]).toEqual([QUESTION, SAMPLE_DEFAULTS.end]);
      expect(context.frame.frame_id).toBe("decision");
      expect(searches.map(({ found: _, ...query }) => query)).toEqual(context.plan.queries);
      for (const { limit, found } of searches) {
        expect(found).toBeGreaterThan(0);
        expect(found).toBeLessThanOrEqual(2 * limit);
      }
      const recalled = Object.entries(context.recalled_ids);
      expect(recalled.flatMap(([, ids]) => ids).length).toBeGreaterThan(min);
      for (const [type, ids] of recalled) {
        for (const id of ids) expect(memoryTypeOf(byId.get(id)?.subtype)).toBe(type);
        expect(ids.length).toBeLessThanOrEqual(
          searches.find((one) => one.memory_type === type)?.limit ?? 0,
        );
      }
      expect(context.failed).toEqual([]);
      expect(await data<PromptReport>(...args)).toEqual({
        format: 1,
        question,
        clock,
        searches,
        context,
        titles: expect.anything(),
      });
    },
  );

  it("includes the newest conversations of two days, in more detail if the turn asks for something recent", async () => {
    const conversations = async (question: string) => {
      const { context } = await data<PromptReport>("--context", question);
      return context.sections.find(({ name }) => name === "recent_conversations")?.content;
    };
    const since = Date.parse(SAMPLE_DEFAULTS.end) - 48 * 3_600_000;
    const titles = SAMPLE.nodes
      .filter(({ subtype, created_at }) => /_summary$/.test(subtype) && created_at >= since)
      .map(({ content_title }) => `- ${content_title}`)
      .reverse();
    expect((await conversations("What is my playbook for extreme funding?"))?.split("\n")).toEqual(
      titles.slice(0, 3),
    );
    const longer = (await conversations(QUESTION))?.split("\n");
    expect(longer?.map((line, place) => line.startsWith(`${titles[place]}: `))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("finds memories by evidence unless it is told otherwise", async () => {
    const ranked = (...by: string[]) => data<PromptReport>("--context", QUESTION, ...by);
    expect(await ranked()).toEqual(await ranked("--ranking", "evidence"));
    expect((await ranked()).searches).not.toEqual((await ranked(...BY_SIGNALS)).searches);
  });

  it("uses the clock", async () => {
    const at = "2025-12-01";
    const { context, titles } = await data<PromptReport>("--context", QUESTION, "--at", at);
    const ids = [...Object.values(context.recalled_ids).flat(), ...Object.keys(titles)];
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids) expect(byId.get(id)?.created_at).toBeLessThanOrEqual(Date.parse(at));
  });

  it("prints the prompt with its tokens, the left-out memories and the reasons", async () => {
    const { context, titles, searches } = await data<PromptReport>("--context", QUESTION);
    const { status, stdout } = await run(["--context", QUESTION], 100);
    expect(status).toBe(0);
    const text = inOneLine(stdout);
    expect(text).toContain(`THE PROMPT ${context.tokens} tokens`);
    for (const { label, content, token_estimate, budget } of context.sections) {
      const share =
        budget === null ? `${token_estimate} tokens` : `${token_estimate} of ${budget} tokens`;
      expect(text).toContain(inOneLine(`${label} ${share} ${content}`));
    }
    for (const { memory_type, limit, found, query_text } of searches) {
      expect(text).toContain(`${memory_type} ${limit} wanted, ${found} found for “${query_text}”`);
    }
    expect(text).toContain("frame Decision: One of several options is to be chosen.");
    expect(text).toContain("something recent is meant");
    const left = stdout.slice(stdout.indexOf("\nLEFT OUT")).split("\n");
    expect(left[1]).toBe(`LEFT OUT  ${context.left_out.length} of what was found`);
    for (const { id, section } of context.left_out) {
      const title = titles[id ?? ""];
      expect(title).toBe(byId.get(id ?? "")?.content_title);
      expect(left).toContain(`  ${id?.slice(0, 7)}  ${section}  ${title}`);
    }
    const alike = context.left_out.filter(({ reason }) => reason === "diversity").length;
    expect(left).toContain(`enough others are about the same (${alike})`);
    expect(stdout).not.toContain("FAILED");
  });

  it("skips memory if the turn asks no question", async () => {
    const report = await data<PromptReport>("--context", "hi");
    expect(report.searches).toEqual([]);
    expect(Object.values(report.context.recalled_ids).flat()).toEqual([]);
    const text = renderPrompt(report, SCREEN);
    expect(text).toContain("\nLeft alone: decision, fact, procedure, episode.\n");
    expect(text).toMatch(/\nLEFT OUT {2}0 of what was found\n─+\nNothing\.$/);
  });

  it.each(["xyzzy plugh", "???", "😀"])(
    "has a prompt without memories for “%s”",
    async (question) => {
      const { searches, context } = await data<PromptReport>("--context", question);
      for (const { found } of searches) expect(found).toBe(0);
      expect(context.sections.map(({ name }) => name)).toEqual([
        "identity",
        "frame",
        "recent_conversations",
      ]);
      expect(context.failed).toEqual([]);
    },
  );

  it("names the failed steps and the results without an id", async () => {
    const report = await data<PromptReport>("--context", "hi");
    const failed = [{ part: "facts", reason: "no answer" }] as const;
    const left_out = [{ id: null, section: "working_memory", reason: "unwanted" }] as const;
    const text = renderPrompt(
      { ...report, context: { ...report.context, failed: [...failed], left_out: [...left_out] } },
      SCREEN,
    );
    expect(text).toMatch(
      /\nLEFT OUT {2}1 .*\n─+\nnot meant for a prompt \(1\)\n {2}working_memory\n\n/,
    );
    expect(text).toMatch(/\nFAILED {2}and done without\n─+\nfacts: no answer$/);
  });

  it("fits 60, 80, 100 and 160 columns", async () => {
    const library = new Library(SAMPLE, Date.parse(SAMPLE_DEFAULTS.end));
    for (const question of [QUESTION, ...STANDING_QUESTIONS]) {
      const report = await promptReport(library, question, "evidence");
      for (const width of [60, 80, 100, 160]) {
        expect(widest(renderPrompt(report, { ...SCREEN, width }))).toBeLessThanOrEqual(width);
      }
    }
    library.free();
  });
});
