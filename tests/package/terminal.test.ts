// The first program as a user has it: bundled, started as a process of its own, read from its output.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Explanation } from "nous-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { generateSample, SAMPLE_DEFAULTS, sampleAt } from "../../js/sample/index.ts";
import type { Answer, Report, Result } from "../../js/terminal/answer.ts";
import { parseAt } from "../../js/terminal/args.ts";
import { type Host, handle } from "../../js/terminal/conversation.ts";
import { bar, cell, wrap } from "../../js/terminal/layout.ts";
import { Library } from "../../js/terminal/library.ts";
import { STANDING_QUESTIONS } from "../../js/terminal/questions.ts";

// Loaded by Node itself, as a program has it.
const {
  calculateDifficulty,
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  SECTION_PROFILES,
  updateStabilityOnAccessForSection,
} = createRequire(import.meta.url)("nous-wasm") as typeof import("nous-wasm");

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = `${root}.cache/terminal-test/main.mjs`;

beforeAll(async () => {
  mkdirSync(`${root}.cache/terminal-test`, { recursive: true });
  await build({
    entryPoints: [`${root}js/terminal/main.ts`],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
});

/** Runs the program without a terminal. */
function run(args: readonly string[], columns = 120) {
  const env = { ...process.env, COLUMNS: String(columns) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    input: "",
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

function json(args: readonly string[]): Report {
  const { status, stdout, stderr } = run([...args, "--json"]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout) as Report;
}

function one(args: readonly string[]): Answer {
  const { answers } = json(args);
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) throw new Error(`${answers.length} answers to one question`);
  return answer;
}

describe("the data of an answer", () => {
  it("has the documented shape", () => {
    const report = json(["Which signals are firing on SOL right now?", "--limit", "3"]);
    expect(report).toMatchObject({ format: 2, clock: SAMPLE_DEFAULTS.end, memories: 2000 });
    expect(report.edges).toBeGreaterThan(2000);
    const [answer] = report.answers;
    expect(answer?.question).toBe("Which signals are firing on SOL right now?");
    expect(answer?.intents[0]).toMatchObject({ section: "SIGNALS" });
    expect(answer?.intents[0]?.strings.map((one) => one.string)).toEqual(
      expect.arrayContaining(["signals", "right now"]),
    );
    expect(answer?.candidates.total).toBe((answer?.candidates.by_words ?? 0) + (answer?.candidates.by_edges ?? 0));
    expect(Object.keys(answer?.rankings ?? {})).toEqual(["global", "sections", "intent"]);
    expect(answer?.time_us.calls).toBeGreaterThan(50);
    for (const ranking of Object.values(answer?.rankings ?? {})) {
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

  it("ranks as the weights say", () => {
    const { rankings } = one(["what happened with my ETH trades"]);
    const score = (result: Result, weights: Record<string, number>) =>
      Object.entries(result.signals).reduce((sum, [signal, value]) => sum + value * (weights[signal] ?? 0), 0);
    const global = { semantic: 0.3, keyword: 0.15, graph: 0.2, recency: 0.15, authority: 0.1, affinity: 0.1 };
    for (const result of rankings.global) expect(result.score).toBeCloseTo(score(result, global), 12);
    for (const result of rankings.sections) {
      expect(result.score).toBeCloseTo(score(result, { ...SECTION_PROFILES[result.section].reranking_weights }), 12);
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

  it("says how far each result moved against the global ranking, and why", () => {
    const { rankings } = one(["Which signals are firing on SOL right now?", "--limit", "20"]);
    const place = new Map(rankings.global.map((result) => [result.id, result.rank]));
    for (const result of [...rankings.sections, ...rankings.intent]) {
      const before = place.get(result.id);
      if (before !== undefined) expect(result.moved).toBe(before - result.rank);
      else expect(result.moved + result.rank).toBeGreaterThan(20);
      if (result.moved !== 0) expect(result.reason).toMatch(/\w/);
      if (result.boosted && result.moved > 0) expect(result.reason).toContain("intent ×1.3");
    }
    expect(rankings.sections.some((result) => result.reason === "recency 0.45 in SIGNALS")).toBe(true);
    expect(rankings.global.every((result) => result.moved === 0 && result.reason === null)).toBe(true);
  });

  it("is the same each time, but for the times", () => {
    const [a, b] = [0, 1].map(() => one(["funding on DOGE", "--explain", "n_cak5y"]));
    expect({ ...a, time_us: null }).toEqual({ ...b, time_us: null });
  });

  it("is empty, and no failure, when no word is known", () => {
    const answer = one(["xyzzy plugh"]);
    expect(answer.candidates.total).toBe(0);
    expect(answer.rankings).toEqual({ global: [], sections: [], intent: [] });
    expect(run(["xyzzy plugh"])).toMatchObject({ status: 0, stdout: expect.stringContaining("No memory has a word") });
  });
});

describe("--at", () => {
  it("takes away what came later", () => {
    const report = json(["signals on BTC", "--at", "2025-12-01", "--limit", "20"]);
    expect(report.clock).toBe("2025-12-01T00:00:00.000Z");
    expect(report.memories).toBe(sampleAt(generateSample(), Date.parse(report.clock)).nodes.length);
    for (const ranking of Object.values(report.answers[0]?.rankings ?? {})) {
      expect(ranking.every((result) => result.created_at <= report.clock)).toBe(true);
      expect(ranking.every((result) => result.signals.recency <= 1)).toBe(true);
    }
  });

  it("is UTC unless it says otherwise", () => {
    expect(parseAt("2026-03-01")).toBe(Date.parse("2026-03-01T00:00:00Z"));
    expect(parseAt("2026-03-01T14:30")).toBe(Date.parse("2026-03-01T14:30:00Z"));
    expect(parseAt("2026-03-01 14:30")).toBe(Date.parse("2026-03-01T14:30:00Z"));
    expect(parseAt("2026-03-01T14:30+02:00")).toBe(Date.parse("2026-03-01T12:30:00Z"));
  });

  it("lets memories fade when it lies later", () => {
    const [now] = one(["funding fade playbook"]).rankings.global;
    const [later] = one(["funding fade playbook", "--at", "2029-03-15"]).rankings.global;
    expect(now?.lifecycle).toBe("ACTIVE");
    expect(later?.retrievability).toBeLessThan(now?.retrievability ?? 0);
    expect(later?.lifecycle).not.toBe("ACTIVE");
  });
});

/** Holds each value against those that it comes from. */
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

/** All numbers of a tree that have this name. */
function partsNamed(name: string, tree: Explanation): Explanation[] {
  const below = (tree.parts ?? []).flatMap((part) => partsNamed(name, part));
  return tree.name === name ? [tree, ...below] : below;
}

describe("the index", () => {
  const sample = generateSample();
  const at = Date.parse(SAMPLE_DEFAULTS.end);
  const question = STANDING_QUESTIONS[1];
  const found = (library: Library) => library.search(library.hits(question), true).ranking;

  it("holds the memory, and is where the rankings come from", () => {
    const library = new Library(sample, at);
    const { rankings, candidates } = one([question, "--limit", "20"]);
    expect([library.index.size, library.index.edgeCount]).toEqual([sample.nodes.length, sample.edges.length]);
    expect(library.hits(question)).toHaveLength(45);
    expect(library.hits(question)[0]?.score).toBe(1);
    const { global, sections } = library.find(question);
    expect(candidates.total).toBe(sections.ranking.length);
    for (const [way, ranking] of [["global", global.ranking] as const, ["sections", sections.ranking] as const]) {
      expect(rankings[way].map(({ id, score }) => [id, score])).toEqual(
        [...ranking].slice(0, 20).map(({ id, score }) => [id, score]),
      );
    }
    library.free();
  });

  it("finds what no word finds, over the edges", () => {
    const library = new Library(sample, at);
    const hits = new Set(library.hits(question).map((hit) => hit.id));
    const linked = found(library).ids.filter((id) => !hits.has(id));
    expect(linked).not.toEqual([]);
    expect(one([question]).rankings.sections.some((result) => linked.includes(result.id))).toBe(true);
    library.index.unlink(sample.edges.map((edge) => edge.id));
    expect(found(library).ids.filter((id) => !hits.has(id))).toEqual([]);
    library.free();
    expect(() => found(library)).toThrow(/freed/);
  });
});

describe("--explain", () => {
  const question = "funding on DOGE";

  it("gives a tree that adds up to the score exactly", () => {
    const { rankings } = one([question, "--limit", "3"]);
    for (const [i, { id, score }] of rankings.sections.entries()) {
      const { explanation } = one([question, "--limit", "3", "--explain", id.slice(0, 7)]);
      expect(explanation).toMatchObject({ id, rank: i + 1 });
      expect(Object.is(explanation?.score?.value, score)).toBe(true);
      if (explanation?.score) expectToAddUp(explanation.score);
    }
    expect(one([question, "--limit", "3"])).not.toHaveProperty("explanation");
  });

  it("does so for everything that the standing questions lead to", () => {
    const library = new Library(generateSample(), Date.parse(SAMPLE_DEFAULTS.end));
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
    library.free();
  });

  it("prints a tree whose products are those of their printed factors", () => {
    const { sections } = one([question]).rankings;
    const { id, score, title } = sections[1] ?? {};
    const { status, stdout, stderr } = run([question, "--explain", id ?? ""], 300);
    expect([status, stderr]).toEqual([0, ""]);
    const tree = stdout.slice(stdout.indexOf("WHY "));
    expect(tree).toContain(`WHY ${id}  ${title}`);
    expect(tree).toContain("Place 2 of ");
    expect(tree).toContain(`\nscore ${score} = semantic 0 + keyword `);
    expect(tree).toMatch(/\n +\+ [\d.]+ = seed [\d.]+ × edge [\d.]+ × decay 0\.8, hop 1 from “[^”]+” over \w+\n/);
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

  it.each([60, 80, 120])("fits %i columns", (columns) => {
    const { stdout } = run(["What is my playbook for extreme funding?", "--explain", "n_cak5y"], columns);
    const tree = stdout.slice(stdout.indexOf("WHY "));
    expect(Math.max(...tree.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    expect(tree).not.toContain("\u001b");
    expect(tree.replace(/\s+/g, " ")).toMatch(/from \d+ more, none of them above/);
  });

  it("says why a memory is not in the ranking", () => {
    const below = one([question, "--limit", "20"]).rankings.sections[9]?.id ?? "";
    const answer = one([question, "--explain", below]);
    expect(answer.explanation).toMatchObject({ id: below, rank: null, absent: "below_limit" });
    const limited = run([question, "--explain", below]).stdout;
    expect(limited).toContain(`Place 10 of ${answer.candidates.total} by section weights, below the limit of 5.`);
    expect(limited).toContain("\nscore 0.");
    const unreached = "n_tuwusn1tv94w";
    expect(one([question, "--explain", unreached]).explanation).toEqual({
      id: unreached,
      rank: null,
      absent: "not_reached",
      score: null,
    });
    expect(run([question, "--explain", unreached], 200).stdout).toContain("none reaches it over the edges");
  });

  it("takes ids as they stand beside the results", () => {
    const { sections } = one([question]).rankings;
    const { stdout } = run([question]);
    for (const { id } of sections) expect(stdout).toContain(id.slice(0, 7));
    expect(new Set(generateSample().nodes.map((node) => node.id.slice(0, 7))).size).toBe(SAMPLE_DEFAULTS.memories);
  });
});

describe("a conversation", () => {
  it("follows commands, and takes everything else for a question", () => {
    const calls: unknown[][] = [];
    const note = (name: string) => (value: unknown) => void calls.push([name, value]);
    const host: Host = {
      ask: note("ask"),
      explain: note("explain"),
      setClock: note("setClock"),
      setLimit: note("setLimit"),
      print: note("print"),
    };
    const lines = [":explain  n_cak5y ", "explain funding", ":at 2026-01-15", "at 2026-01-15", ":limit 8", "2"];
    expect(lines.map((line) => handle(line, host))).toEqual(lines.map(() => true));
    expect(calls).toEqual([
      ["explain", "n_cak5y"],
      ["ask", "explain funding"],
      ["setClock", Date.parse("2026-01-15T00:00:00Z")],
      ["setClock", Date.parse("2026-01-15T00:00:00Z")],
      ["setLimit", 8],
      ["ask", STANDING_QUESTIONS[1]],
    ]);
    calls.length = 0;
    for (const line of [":explain", ":at soon", ":limit", ":why"]) handle(line, host);
    expect(calls.map(([name, text]) => `${name}: ${String(text).split("\n")[0]}`)).toEqual([
      "print: explain: the id is missing. Write its beginning, as it stands beside a result.",
      "print: at: “soon” is no date. Write it as 2026-03-01, or 2026-03-01T14:30.",
      "print: limit: “” is no whole number from 1 to 20.",
      "print: There is no command “:why”.",
    ]);
    for (const line of ["quit", ":quit"]) expect(handle(line, host)).toBe(false);
  });
});

describe("without a question and without a terminal", () => {
  it("answers four standing questions, one for each section", () => {
    const { status, stdout, stderr } = run([]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout.match(/^› /gm)).toHaveLength(4);
    const { answers } = json([]);
    const sections = ["SIGNALS", "EPISODIC", "KNOWLEDGE", "PROCEDURAL"];
    expect(answers.map((answer) => answer.intents[0]?.section)).toEqual(sections);
    answers.forEach(({ rankings }, i) => {
      const places = (ranking: Result[]) =>
        ranking.flatMap((result) => (result.section === sections[i] ? [result.rank] : []));
      expect(places(rankings.intent)[0]).toBeLessThanOrEqual(2);
      expect(places(rankings.intent).length).toBeGreaterThanOrEqual(places(rankings.sections).length);
    });
  });
});

describe("the picture", () => {
  const question = "What lessons have I learned about liquidation cascades?";

  it.each([60, 80, 119, 120, 149, 150, 200])("fits %i columns", (columns) => {
    const { stdout } = run([question], columns);
    const widest = Math.max(...stdout.split("\n").map((line) => [...line].length));
    expect(widest).toBeLessThanOrEqual(columns);
    expect(stdout).not.toContain("\u001b");
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

  it("fits the narrowest width for every standing question", () => {
    const widest = Math.max(
      ...run([], 60)
        .stdout.split("\n")
        .map((line) => [...line].length),
    );
    expect(widest).toBeLessThanOrEqual(60);
  });

  it("has cells of exact width, bars of eight steps, and lines that break at words", () => {
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
    [[""], "The question is empty"],
    [["--explain", "n_cak5y"], "--explain: a score belongs to a question, and there is none"],
    [["BTC", "--explain"], "argument missing"],
    [["BTC", "--explain", " "], "--explain: the id is missing"],
    [["BTC", "--explain", "n_"], "--explain: several ids begin with “n_”, for example n_"],
    [["BTC", "--explain", "n_zzz"], "--explain: there is no memory “n_zzz”. In this answer are, for example, n_"],
    [["BTC", "--explain", "n_zzz", "--json"], "there is no memory “n_zzz”"],
    [["xyzzy", "--explain", "n_zzz"], "This answer has none"],
    [["BTC", "--explain", "n_cak5y", "--at", "2025-09-20"], "“n_cak5y” is not there yet, it is of 2025-09-26"],
  ])("%j ends with a sentence and code 2", (args, sentence) => {
    const { status, stdout, stderr } = run(args);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr.trim()).toMatch(/\.$/);
  });

  it("--help tells what there is, and ends well", () => {
    const { status, stdout } = run(["--help"]);
    expect(status).toBe(0);
    for (const word of ["--at", "--limit", "--explain", "--json", "format 2", "npm start", "standing questions"])
      expect(stdout).toContain(word);
  });
});

describe("the sample's stored strengths", () => {
  const { nodes } = generateSample();
  const STAKES = ["trade_entry", "trade_close", "trade_modify", "missed_opportunity", "good_pass"].map(
    (name) => `custom:${name}`,
  );
  const KINDS = {
    "custom:signal": "fact",
    "custom:trade": "fact",
    "custom:lesson": "fact",
    "custom:market_event": "event",
    "custom:turn_summary": "event",
    "custom:session_summary": "note",
  } as const;

  it("begin as the engine has them begin", () => {
    for (const node of nodes) {
      if (!STAKES.includes(node.subtype))
        expect(node.initial_stability).toBe(getInitialStabilityForSubtype(node.subtype));
      if (node.subtype === "custom:playbook") continue;
      const kind = KINDS[node.subtype as keyof typeof KINDS] ?? "concept";
      expect(node.difficulty, node.subtype).toBe(calculateDifficulty(kind, node.content_body.length, 0));
    }
  });

  it("grow with each read as the engine has them grow", () => {
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
