// A program that makes the named calls with little stack left, and reports the result of each. It runs in a
// child process: with a small stack the descent is short, and the stack holds no other frames.

import { readFileSync } from "node:fs";
import type { CountedCore } from "./counted-engine.ts";

/** The results of the calls of one kind. */
export interface Report {
  answered: number;
  /** Failed for lack of stack, or with the instance. */
  failed: number;
  /** Results that are wrong. */
  wrong: string[];
}

/** The maximum number of frames for a call. */
const FRAMES = 128;
/** Frames that leave enough stack to compile the called code. */
const AMPLE = 1000;
/** Consecutive answers after which more stack makes no difference. */
const ENOUGH = 24;

/** Far more frames than the stack has. */
const ENDLESS = 2 ** 29;
let depth = 0;

/** Makes a call this many frames down. */
function descend(frames: number, call: () => void): void {
  depth++;
  if (depth === frames) call();
  else descend(frames, call);
}

/**
 * The number of frames that fit on the stack. It counts with the same function that descends: the
 * compiler decides the size of a frame.
 */
function room(): number {
  depth = 0;
  try {
    descend(ENDLESS, () => {});
  } catch {
    // The end of the stack.
  }
  return depth;
}

/** Makes a call with this many frames of stack left. */
function withLittleStack<T>(frames: number, call: () => T): T {
  let outcome: { answer: T } | undefined;
  const until = room() - frames;
  depth = 0;
  descend(until, () => {
    outcome = { answer: call() };
  });
  if (outcome === undefined) throw new Error("the stack has fewer frames");
  return outcome.answer;
}

const isLost = (error: unknown) => (error as { code?: string }).code === "instance_lost";

/**
 * Makes a call with little stack, and counts its result; returns undefined if it failed, and notes
 * the failure if it is not allowed.
 */
function tried<T>(
  report: Report,
  frames: number,
  note: (what: string) => void,
  call: () => T,
): { answer: T } | undefined {
  try {
    const answer = withLittleStack(frames, call);
    report.answered++;
    return { answer };
  } catch (error) {
    if (!(error instanceof RangeError || isLost(error))) note(String(error));
    report.failed++;
    return undefined;
  }
}

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const SUBTYPES = ["custom:trade", "custom:signal", "custom:lesson", undefined];

/** The calls, each over this many entries. */
function callsOf(core: CountedCore, size: number): Record<string, () => unknown> {
  const candidates = Array.from({ length: size }, (_, index) => ({
    id: `node-${index}`,
    semantic_score: Math.sin(index),
    bm25_score: index % 11,
    graph_score: (index % 10) / 10,
    last_accessed: NOW - index * DAY,
    created_at: NOW - 2 * index * DAY,
    access_count: index,
    inbound_edge_count: index % 5,
    subtype: SUBTYPES[index % SUBTYPES.length],
  }));
  const rows = candidates.map(({ id, subtype }, index) => ({
    id,
    subtype,
    score: (index % 17) / 17,
  }));
  const numbers = candidates.map((_, index) => index);
  const columns = {
    lastAccessed: numbers,
    stability: numbers,
    section: numbers.map((value) => value % 4),
  };
  const memories = rows.map(({ id, subtype }) => ({
    subtype,
    content_title: id,
    content_body: `{"text": "of ${id}"}`,
  }));
  const playbooks = numbers.map((index) => ({
    id: `playbook-${index}`,
    trigger: {
      anomaly_types: [`kind-${index % 5}`],
      conditions:
        index % 3 === 0 ? { not: { all: [{ var: "price", op: "<", value: index }] } } : null,
    },
    ...{ success_count: index % 4, sample_size: index },
  }));
  const events = numbers.map((index) => ({ type: `kind-${index}`, severity: 1 / (index + 1) }));
  const episodes = numbers.flatMap((index) => {
    const [close, entry] = [`close-${index}`, `entry-${index}`].map((id) => ({
      id,
      created_at: NOW - index * DAY,
    }));
    const signals = {
      symbol: index % 9 === 0 ? undefined : "eth",
      pnl_pct: index % 3 === 0 ? 2 : -1,
    };
    return [
      {
        ...close!,
        subtype: "custom:trade_close",
        content_title: "BTC",
        content_body: JSON.stringify({ signals }),
      },
      {
        ...entry!,
        subtype: "custom:trade_entry",
        content_body: `{"signals":{"news":${index % 3 === 0}}}`,
      },
    ];
  });
  const links = numbers.map((index) => ({
    source_id: `close-${index}`,
    target_id: `entry-${index}`,
    type: "part_of",
  }));
  const strings = { SIGNALS: [`word ${size}`, "signal"] };
  return {
    ranking: () => core.rerankWithSectionWeights(candidates, { avg_inbound_edges: 2 }, NOW),
    decay: () => core.decayColumns(columns, NOW),
    questions: () =>
      core.understand(`${"–".repeat(size)} and what is this, and why?`, { terms: "unicode" }),
    turns: () => [
      core.planTurn(`hey ${"–".repeat(size)} what did we decide about Redis and ÉLAN`),
      core.nextTopic(`tell me more about ${"word ".repeat(size)}`),
    ],
    usage: () => {
      const usage = new core.UsageTracker({ maxRecords: 40 });
      const recalled = Object.fromEntries(
        rows.map(({ id }) => [id, `of ${id}, ${"–".repeat(size)} and Redis`]),
      );
      for (const day of [2, 1])
        usage.feedback(recalled, "node-1 or node-2 of ÉLAN", NOW - day * DAY);
      return [usage.boost(rows.map(({ id }) => id)), usage.stats("node-1", NOW), usage.save()];
    },
    overlap: () => [
      core.overlap("Redis ".repeat(size), "redis"),
      core.estimateTokens("–".repeat(size)),
    ],
    plans: () =>
      core.planRetrieval({ frame_type: "decision", topic_keywords: numbers.map(String) }),
    intent: () => core.classifyIntent(`${"–".repeat(size)} signal and my trade`, { explain: true }),
    merging: () =>
      core.mergeAndSelect(
        [
          ["a", rows],
          ["b", rows.slice(3)],
        ],
        { query: "signal", maxResults: 50 },
      ),
    pairs: () =>
      core.coRecallPairs(rows.slice(0, 9).map(({ id }) => ({ id, _sub_query_group: 0 }))),
    context: () => core.formatContext(memories),
    engines: () =>
      core.createEngine({ intent: { strings } }).classifyIntent(`my signal, word ${size}`),
    numbers: () => [
      core.recencyScore(NOW - size * DAY, NOW),
      core.calculateRetrievability(size, 21),
    ],
    guidance: () => core.memoryGuidance(),
    stakes: () => {
      const salience = core.calculateSalience("custom:trade_close", { pnl_pct: -size / 9 });
      return [salience, core.modulateStability("custom:trade_close", salience)];
    },
    outcomes: () =>
      core.applyOutcome({ success_count: size, sample_size: size, stability: 60 }, true, NOW),
    playbooks: () => core.formatPlaybookMatches(core.matchPlaybooks(playbooks, events)),
    episodes: () =>
      core.groupEpisodes(episodes, { now: NOW }).map((group) => core.patternPrompt(group)),
    patterns: () => core.findPatterns(episodes, links),
    books: () => {
      const book = new core.PlaybookBook();
      book.add(playbooks);
      book.add(playbooks.slice(0, 2));
      book.remove(["playbook-1"]);
      return [book.match(events, { price: [2, size / 2] }), book.size, book.problems];
    },
  };
}

/** As `FRAMES`, for calls before they are optimized. */
const MORE_FRAMES = 800;

/**
 * Changes of a kept book: each is made completely or not at all, or the book is lost. These run
 * first: a function that is inlined later cannot fail half-way.
 */
function keptBooks(core: CountedCore): Report {
  const of = (title: string, many: number) =>
    Array.from({ length: many }, (_, index) => ({
      ...{ id: `p-${index}`, title },
      trigger: { anomaly_types: ["kind"] },
    }));
  const changes: ((book: InstanceType<CountedCore["PlaybookBook"]>) => void)[] = [
    (book) => book.add(of("new", 6)),
    (book) => book.add(of("new", 9).slice(3)),
    (book) => book.remove(["p-1", "p-3", "p-4"]),
  ];
  const filled = () => {
    const book = new core.PlaybookBook();
    book.add(of("old", 6));
    return book;
  };
  const stateOf = (book: ReturnType<typeof filled>) => {
    const { matches } = book.match([{ type: "kind", severity: 1 }]);
    return JSON.stringify([book.size, matches.map(({ id, title }) => [id, title])]);
  };
  const before = stateOf(filled());
  const report: Report = { answered: 0, failed: 0, wrong: [] };
  for (const [place, change] of changes.entries()) {
    const changed = filled();
    change(changed);
    const after = stateOf(changed);
    for (let time = 0; time < 20; time++) withLittleStack(AMPLE, () => change(filled()));
    for (let frames = 1; frames <= MORE_FRAMES; frames++) {
      const note = (what: string) =>
        report.wrong.push(`change ${place}, ${frames} frames: ${what}`);
      const book = filled();
      const failed = tried(report, frames, note, () => change(book)) === undefined;
      try {
        const state = stateOf(book);
        if (state !== after && !(failed && state === before))
          note(`${failed ? "failed" : "done"}, and now ${state}`);
      } catch (error) {
        if (!(failed && isLost(error))) note(`afterwards ${error}`);
      }
    }
  }
  return report;
}

function main([engine, module, ...named]: string[]): Record<string, Report> {
  const core: CountedCore = require(engine!);
  core.initSync(readFileSync(module!));
  const [small, large] = [callsOf(core, 3), callsOf(core, 30)];
  const everything = (calls: typeof small) =>
    JSON.stringify(Object.values(calls).map((call) => call()));
  const lose = () => {
    try {
      core.numeric().trap();
    } catch {
      // As asked.
    }
  };
  /** The scratch before the call: none, too small, and large enough. */
  const situations: Record<string, () => void> = {
    "a lost instance": lose,
    "small scratch": () => {
      lose();
      everything(small);
    },
    "all it needs": () => {},
  };

  const expected = everything(large);
  const reports: Record<string, Report> = {};
  if (named.includes("changes")) reports.changes = keptBooks(core);
  for (const [name, call] of Object.entries(large)) {
    if (!named.includes(name)) continue;
    const attempt = () => JSON.stringify(call());
    // Code that never ran needs more stack for compiling than for running.
    for (let time = 0; time < 20; time++) {
      lose();
      everything(small);
      everything(large);
      withLittleStack(AMPLE, attempt);
    }
    const right = JSON.stringify(call());
    const report: Report = { answered: 0, failed: 0, wrong: [] };
    reports[name] = report;
    for (const [found, prepare] of Object.entries(situations)) {
      let inRow = 0;
      for (let frames = 1; frames <= FRAMES && inRow < ENOUGH; frames++) {
        const note = (what: string) => report.wrong.push(`${found}, ${frames} frames: ${what}`);
        prepare();
        const outcome = tried(report, frames, note, attempt);
        inRow = outcome === undefined ? 0 : inRow + 1;
        if (outcome !== undefined && outcome.answer !== right) note("another answer");
        // Partial work would show, first of all in the call itself.
        try {
          if (attempt() !== right) note("another answer to the same call afterwards");
          if (outcome === undefined && everything(large) !== expected)
            note("another answer to a later call");
        } catch (error) {
          note(`afterwards ${error}`);
          lose();
        }
      }
    }
  }
  return reports;
}

process.stdout.write(JSON.stringify(main(process.argv.slice(2))));
