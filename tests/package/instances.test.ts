// Instances of the module: they share no state, a trapped instance does not affect others, and
// calls may nest.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { some } from "../support/amount.ts";
import {
  buildCountedCore,
  type CountedCore,
  type Counting,
  countedModule,
  countedPaths,
  freshCore,
} from "./support/counted-engine.ts";
import { probe } from "./support/probe.ts";
import type { Report } from "./support/small-stack.ts";
import { must, root } from "./support/tarball.ts";

const MINUTES = 60_000;

let module: WebAssembly.Module;

beforeAll(async () => {
  await buildCountedCore();
  module = countedModule();
}, 10 * MINUTES);

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const SUBTYPES = ["custom:trade", "custom:signal", "custom:lesson", "custom:playbook", undefined];
const METRICS = { avg_inbound_edges: 2 };

const EVENTS = [
  { type: "spike", symbol: "BTC", severity: 0.8 },
  { type: "surge", symbol: null, severity: 0.5 },
];
const playbooksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `playbook-${index}`,
    title: `Playbook ${index}`,
    trigger: {
      anomaly_types: index % 2 === 0 ? ["spike", "surge"] : ["surge"],
      symbols: index % 3 === 0 ? ["btc"] : [],
      min_severity: (index % 5) / 5,
      conditions: {
        any: [
          { var: "price", op: ">", value: index % 4 },
          { all: [{ var: "oi", op: "<", value: 1 }] },
        ],
      },
    },
    ...{ success_count: index % 6, sample_size: index },
  }));
const MARKET = { price: [1, 2], oi: 3 };

const episodesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const signals = { side: "long", pnl_pct: index % 3 === 0 ? 2 : -1 };
    return [
      {
        id: `close-${index}`,
        subtype: "custom:trade_close",
        content_body: JSON.stringify({ signals }),
      },
      {
        id: `entry-${index}`,
        subtype: "custom:trade_entry",
        content_body: `{"signals":{"news":${index % 3 === 0}}}`,
      },
    ].map((row) => ({
      ...row,
      content_title: index % 8 === 0 ? "of nothing" : "short ETH",
      created_at: NOW - index * DAY,
    }));
  }).flat();
const linksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    source_id: `close-${index}`,
    target_id: `entry-${index}`,
    type: "part_of",
  }));

const candidatesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
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

/** Returns the error that a call throws; fails if it does not throw. */
function thrownBy(call: () => unknown): Error & { code?: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("the call was answered");
}

type CountedInstance = Omit<ReturnType<CountedCore["instantiate"]>, "glue"> & {
  glue: ReturnType<CountedCore["instantiate"]>["glue"] & Counting;
};

const instanceOf = (core: CountedCore) => core.instantiate(module) as CountedInstance;

describe("instances", () => {
  it("share neither memory nor configuration", () => {
    const core = freshCore(module);
    const [one, other] = [instanceOf(core), instanceOf(core)];
    expect(one.memory).not.toBe(other.memory);
    const [plain, fsrs] = [
      one.glue.Engine.create({})!,
      other.glue.Engine.create({ curve: "fsrs6" })!,
    ];
    const before = other.glue.live_bytes();
    plain.reserve(100_000, 0, 100_000);
    expect(other.glue.live_bytes()).toBe(before);
    expect(plain.retrievability(9, 9)).not.toBe(fsrs.retrievability(9, 9));
  });

  it("do not share errors", () => {
    const core = freshCore(module);
    const [one, other] = [instanceOf(core), instanceOf(core)];
    expect(one.glue.Engine.create({ colour: 1 })).toBe(undefined);
    expect(other.glue.take_error()).toBe(undefined);
    expect(one.glue.take_error()).toMatchObject({ field: "colour" });
  });
});

describe("an instance that trapped", () => {
  it("reports the cause once, and then that it is lost", () => {
    const core = freshCore(module);
    const { glue, ...instance } = instanceOf(core);
    const engine = glue.Engine.create({})!;
    const book = new glue.Playbooks();
    const failure = thrownBy(() => glue.trap());
    expect(failure).toBeInstanceOf(core.NousError);
    expect(failure).toMatchObject({
      code: "instance_lost",
      message: expect.stringContaining("asked to"),
    });
    expect(failure.cause).toBeInstanceOf(WebAssembly.RuntimeError);

    const calls: Record<string, () => unknown> = {
      Engine: () => glue.Engine.create({}),
      reserve: () => engine.reserve(1, 1, 1),
      numbers_at: () => engine.numbers_at(),
      rerank: () => engine.rerank(0, 0, true, false),
      decay_columns: () => engine.decay_columns(0, 0),
      merge_and_select: () => engine.merge_and_select(0, 0, 0, 0, 1, 0.4, 20),
      format_context: () => engine.format_context(0, 10),
      describe: () => engine.describe(),
      recency: () => glue.recency(0, 0),
      lifecycle: () => glue.lifecycle(1, 1),
      take_error: () => glue.take_error(),
      constants: () => glue.constants(),
      memory_guidance: () => glue.memory_guidance(),
      salience: () => engine.salience(0, 1, 1, 1, 1, 1, 1),
      modulated_stability: () => engine.modulated_stability(0, 1),
      stability_after_outcome: () => engine.stability_after_outcome(60, 0.5, true),
      whole_percent: () => glue.whole_percent(0.5),
      Playbooks: () => new glue.Playbooks(),
      matches: () => book.matches(0, 0),
      first_symbols: () => engine.first_symbols(0),
      episode_sources: () => engine.episode_sources(0, 0),
      episode_groups: () => engine.episode_groups(0),
      find_patterns: () => engine.find_patterns(0),
      fingerprint: () => engine.fingerprint(0),
      live_bytes: () => glue.live_bytes(),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect(thrownBy(call), name).toMatchObject({ name: "NousError", code: "instance_lost" });
    }
    expect(instance.memory.buffer.byteLength).toBeGreaterThan(0);
    expect(() => engine.free()).not.toThrow();
    expect(() => book.free()).not.toThrow();
  });

  it("leaves the others alive", () => {
    const core = freshCore(module);
    const [lost, alive] = [instanceOf(core), instanceOf(core)];
    const engine = alive.glue.Engine.create({})!;
    expect(() => lost.glue.trap()).toThrow();
    expect([lost.dead, alive.dead]).toEqual([true, false]);
    expect(engine.retrievability(0, 1)).toBe(1);
    engine.free();
  });

  it("is replaced, so that the next call works, however often it happens", () => {
    const core = freshCore(module);
    const engine = core.createEngine({ curve: "fsrs6", sections: { intentBoost: 2 } });
    const answer = probe(core);
    const configured = () => [
      engine.calculateRetrievability(3, 21),
      engine.rerankTop(candidatesOf(30), METRICS, { now: NOW }),
    ];
    const before = configured();
    // A leak on this path would use up the module's stack in fewer calls.
    for (let time = 0; time < 400; time++) {
      expect(() => core.numeric().trap()).toThrow("asked to");
      if (time % 100 === 0) expect(probe(core)).toBe(answer);
      expect(configured()).toEqual(before);
    }
  });

  it("causes no output when the garbage collector takes its remains", async () => {
    const program = `
      const { readFileSync } = require("node:fs");
      const core = require(${JSON.stringify(countedPaths.core)});
      const module = new WebAssembly.Module(readFileSync(${JSON.stringify(countedPaths.module)}));
      core.initSync(module);
      let unregistered = 0;
      (() => {
        for (let round = 0; round < 20; round++) {
          const { glue } = core.instantiate(module);
          const engines = Array.from({ length: 20 }, () => glue.Engine.create({}));
          try { glue.trap(); } catch {}
          engines[0].free();
          new FinalizationRegistry(() => unregistered++).register(engines[1]);
        }
        for (let round = 0; round < 20; round++) {
          core.createEngine({ sections: { intentBoost: 1 + round } }).classifyIntent("signal");
          try { core.numeric().trap(); } catch {}
        }
      })();
      (async () => {
        for (let turn = 0; turn < 20; turn++) {
          gc();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        console.log(core.classifyIntent("signal")[0]);
      })();
    `;
    expect(await must(process.execPath, ["--expose-gc", "-e", program], root)).toBe("SIGNALS\n");
  });
});

/** The calls that support/small-stack.ts makes; of a kept book, and of one entry each. */
const CALLS = [
  "ranking",
  "decay",
  "intent",
  "questions",
  "turns",
  "usage",
  "overlap",
  "plans",
  "merging",
  "pairs",
  "context",
  "engines",
  "numbers",
  "guidance",
  "stakes",
  "outcomes",
  "playbooks",
  "episodes",
  "patterns",
  "books",
  "changes",
];

describe("a nearly full stack", () => {
  let reports: Record<string, Report>;
  const calls = some(CALLS, 7);

  beforeAll(async () => {
    const program = join(root, ".cache", "counted", "little-stack.cjs");
    const source = readFileSync(new URL("./support/small-stack.ts", import.meta.url), "utf8");
    writeFileSync(
      program,
      transformSync(source, { loader: "ts", format: "cjs", target: "es2022" }).code,
    );
    const { core, module } = countedPaths;
    reports = JSON.parse(
      await must(process.execPath, ["--stack-size=150", program, core, module, ...calls], root),
    );
  }, 3 * MINUTES);

  it.each(calls)("fails %s or answers correctly, and affects no later call", (name) => {
    const { answered, failed, wrong } = reports[name]!;
    expect(wrong).toEqual([]);
    // Both outcomes occurred, so the steps were small enough to cross the border between them.
    expect(answered).toBeGreaterThan(20);
    expect(failed).toBeGreaterThan(20);
  });
});

describe("a failed memory allocation", () => {
  it("is reported, and affects no later call", () => {
    const core = freshCore(module);
    const answer = probe(core);
    const glue = core.numeric();
    // Rows for the numbers to move, and then more text than a vector can hold.
    const rows = Array.from({ length: 200 }, () => ({ content_title: "title", content_body: "" }));
    const text = "x".repeat(2 ** 28);
    for (let row = 0; row < 3; row++) rows[row]!.content_body = text;
    expect(thrownBy(() => core.formatContext(rows))).toMatchObject({
      name: "NousError",
      code: "out_of_memory",
    });
    expect(probe(core)).toBe(answer);
    expect(core.numeric()).toBe(glue);
  });
});

describe("reentrant calls", () => {
  /** The same objects, one of which runs a function when a field is read. */
  function reading<T extends object>(
    objects: T[],
    place: number,
    field: keyof T,
    run: () => void,
  ): T[] {
    const copy = [...objects];
    const value = copy[place]![field];
    copy[place] = Object.defineProperty({ ...copy[place]! }, field, {
      enumerable: true,
      get: () => {
        run();
        return value;
      },
    });
    return copy;
  }

  const plain = <T extends { node: object }>(ranked: T[]) =>
    ranked.map(({ node, ...rest }) => ({ ...rest, node: { ...node } }));

  /** Every call that a getter might make, in a fresh engine and in the shared one. */
  const inner = (core: CountedCore) => ({
    rerank: () => core.rerankWithSectionWeights(candidatesOf(300), METRICS, NOW),
    top: () => core.rerankTop(candidatesOf(40), METRICS, { limit: 3, now: NOW, sections: false }),
    decay: () =>
      core.decayColumns({ lastAccessed: [NOW - DAY], stability: [2], section: [1] }, NOW),
    intent: () => core.classifyIntent("my trade and the signal", { explain: true }),
    question: () => core.understand("What's my BTC thesis and how did my last SOL trade go?"),
    turn: () => core.planTurn("hey, what did we decide about ÉLAN right now?"),
    plan: () => core.planRetrieval({ frame_type: "decision", topic_keywords: ["redis"] }),
    overlap: () => [
      core.overlap("the Redis cache", "a cache of ÉLAN"),
      core.estimateTokens("a few – words"),
    ],
    usage: () => {
      const usage = new core.UsageTracker();
      for (const now of [NOW - DAY, NOW])
        usage.feedback({ a: "the Redis cache", b: "élan" }, "the cache", now);
      return [usage.boost(["a", "b", "c"]), usage.stats("a", NOW), usage.save()];
    },
    merge: () =>
      core.mergeAndSelect([["q", [{ id: "x", score: 1, subtype: "custom:signal" }]]], {
        query: "signal",
      }),
    pairs: () => core.coRecallPairs([{ id: "a" }, { id: "b" }]),
    context: () => core.formatContext([{ content_title: "T", content_body: '{"text":"t"}' }]),
    numbers: () => [
      core.recencyScore(NOW - DAY, NOW),
      core.calculateRetrievability(1, 2),
      core.getDecayLifecycleState(0.3, 1),
    ],
    guidance: () => core.memoryGuidance(),
    stakes: () =>
      core.modulateStability(
        "custom:trade_close",
        core.calculateSalience("custom:trade_close", { pnl_pct: -4 }),
      ),
    outcome: () =>
      core.applyOutcome({ success_count: 1, sample_size: 2, stability: 60 }, true, NOW),
    playbooks: () => core.formatPlaybookMatches(core.matchPlaybooks(playbooksOf(9), EVENTS)),
    episodes: () => [
      core.groupEpisodes(episodesOf(30), { now: NOW }),
      core.findPatterns(episodesOf(30), linksOf(30)),
    ],
    book: () => {
      const book = new core.PlaybookBook();
      book.add(playbooksOf(30));
      return book.match(EVENTS, MARKET);
    },
    engine: () =>
      core
        .createEngine({ curve: "fsrs6", sections: { intentBoost: 3 } })
        .rerankTop(candidatesOf(20), METRICS, { now: NOW }),
    grown: () => core.createEngine({ curve: "fsrs6" }).updateStabilityOnAccess(14, 0.3),
    refused: () =>
      thrownBy(() => core.rerankTop([{ ...candidatesOf(1)[0]!, bm25_score: -1 }], METRICS)).message,
  });

  const NAMES = [
    "rerank",
    "top",
    "decay",
    "intent",
    "question",
    "turn",
    "plan",
    "overlap",
    "usage",
    "merge",
    "pairs",
    "context",
    "numbers",
    "guidance",
    "stakes",
    "outcome",
    "playbooks",
    "episodes",
    "book",
    "engine",
    "grown",
    "refused",
  ] as const;

  it.each(NAMES)("are right if a candidate's getter calls %s, and so is the outer call", (name) => {
    const core = freshCore(module);
    const candidates = candidatesOf(50);
    const expected = {
      outer: plain(core.rerankWithSectionWeights(candidates, METRICS, NOW)),
      inner: inner(core)[name](),
    };
    const answers: unknown[] = [];
    const read = reading(candidates, 20, "bm25_score", () => answers.push(inner(core)[name]()));
    const outer = core.rerankWithSectionWeights(read, METRICS, NOW);
    expect(answers).toEqual([expected.inner]);
    expect(plain(outer)).toEqual(expected.outer);
  });

  it("are right at any depth", () => {
    const core = freshCore(module);
    const candidates = candidatesOf(30);
    const ranking = (batch: typeof candidates) =>
      core.rerankTop(batch, METRICS, { now: NOW }).map(({ node, score }) => [node.id, score]);
    const expected = ranking(candidates);
    const down = (depth: number): void => {
      const below = () => down(depth - 1);
      const read = depth === 0 ? candidates : reading(candidates, depth, "semantic_score", below);
      expect(ranking(read)).toEqual(expected);
    };
    down(12);
  });

  it("are right in merged rows, in columns and in memories", () => {
    const core = freshCore(module);
    const everything = () => {
      for (const name of NAMES) inner(core)[name]();
    };
    const rows = candidatesOf(30).map(({ id, subtype }, index) => ({ id, subtype, score: index }));
    const merge = (groups: typeof rows) =>
      core.mergeAndSelect(
        [
          ["a", groups],
          ["b", rows],
        ],
        { query: "signal" },
      );
    expect(merge(reading(rows, 9, "score", everything)).map((row) => ({ ...row }))).toEqual(
      merge(rows),
    );

    const numbers = rows.map(({ score }) => score);
    const columns = {
      lastAccessed: numbers,
      stability: numbers,
      section: numbers.map((value) => value % 4),
    };
    const stability = [...numbers];
    Object.defineProperty(stability, 5, { get: () => (everything(), 5) });
    expect(core.decayColumns({ ...columns, stability }, NOW)).toEqual(
      core.decayColumns(columns, NOW),
    );

    const memories = rows.map(({ id, subtype }) => ({ subtype, content_title: id }));
    const read = reading(memories, 7, "content_title", everything);
    expect(core.formatContext(read)).toBe(core.formatContext(memories));
    const pairs = core.coRecallPairs(rows.slice(0, 9));
    expect(core.coRecallPairs(reading(rows.slice(0, 9), 3, "id", everything))).toEqual(pairs);
  });

  it("are right in figures, playbooks, events and markets, also within one book", () => {
    const core = freshCore(module);
    const playbooks = playbooksOf(30);
    const other = new core.PlaybookBook();
    other.add(playbooks);
    const expected = other.match(EVENTS, MARKET);
    const triggers = playbooks.map(({ trigger }) => trigger);

    const book = new core.PlaybookBook();
    let depth = 0;
    const everything = () => {
      if (depth > 1) return;
      depth++;
      for (const name of NAMES) inner(core)[name]();
      book.add(playbooks.slice(0, 20));
      book.match(EVENTS, MARKET);
      book.remove(["playbook-3"]);
      book.add(playbooks);
      expect(book.match(EVENTS, MARKET)).toEqual(expected);
      depth--;
    };
    book.add(reading(playbooks, 7, "title", everything));
    expect(book.match(EVENTS, MARKET)).toEqual(expected);
    const read = reading(triggers, 7, "conditions", everything);
    book.add(playbooks.map((playbook, index) => ({ ...playbook, trigger: read[index] })));
    expect(book.match(EVENTS, MARKET)).toEqual(expected);
    expect(book.match(reading(EVENTS, 1, "severity", everything), MARKET)).toEqual(expected);
    expect(book.match(EVENTS, reading([MARKET], 0, "price", everything)[0])).toEqual(expected);
    const series = [...MARKET.price];
    Object.defineProperty(series, 1, { get: () => (everything(), 2) });
    expect(book.match(EVENTS, { ...MARKET, price: series })).toEqual(expected);
    expect(other.match(EVENTS, MARKET)).toEqual(expected);

    const signals = { pnl_pct: -4, note: "" };
    expect(
      core.calculateSalience("custom:trade_close", reading([signals], 0, "pnl_pct", everything)[0]),
    ).toBe(core.calculateSalience("custom:trade_close", signals));
    const record = { success_count: 1, sample_size: 2, stability: 60 };
    expect(core.applyOutcome(reading([record], 0, "stability", everything)[0]!, true, NOW)).toEqual(
      core.applyOutcome(record, true, NOW),
    );
    const block = core.formatPlaybookMatches(expected.matches);
    expect(
      core.formatPlaybookMatches(reading(expected.matches, 1, "success_rate", everything)),
    ).toBe(block);
  });

  it("are right in episodes and edges", () => {
    const core = freshCore(module);
    const everything = () => {
      for (const name of NAMES) inner(core)[name]();
    };
    const [episodes, links] = [episodesOf(30), linksOf(30)];
    const groups = core.groupEpisodes(episodes, { now: NOW });
    const patterns = core.findPatterns(episodes, links);
    expect([groups.length, patterns.patterns.length]).toEqual([2, 1]);
    const read = reading(episodes, 9, "content_body", everything);
    expect(core.groupEpisodes(read, { now: NOW })).toEqual(groups);
    expect(core.findPatterns(read, links)).toEqual(patterns);
    expect(core.findPatterns(episodes, reading(links, 4, "target_id", everything))).toEqual(
      patterns,
    );
    const [group] = groups;
    const asked = reading(group!.episodes, 1, "content_title", everything);
    expect(core.patternPrompt({ ...group!, episodes: asked })).toEqual(core.patternPrompt(group!));
    const [node] = reading(
      [{ content_title: "btc", content_body: null }],
      0,
      "content_title",
      everything,
    );
    expect(core.extractSymbol(node!)).toBe("BTC");
  });

  it("that throw end the outer call with the same error, and have no other effect", () => {
    const core = freshCore(module);
    const mine = new Error("mine");
    const glue = core.numeric();
    const read = reading(candidatesOf(50), 20, "bm25_score", () => {
      throw mine;
    });
    for (let time = 0; time < 3; time++)
      expect(thrownBy(() => core.rerankTop(read, METRICS, { now: NOW }))).toBe(mine);
    expect(core.numeric()).toBe(glue);
  });

  it("that make the batch longer or shorter do no harm", () => {
    const core = freshCore(module);
    const answer = probe(core);
    const many = <T>(value: T): T[] => new Array<T>(50_000).fill(value);

    const candidates = candidatesOf(50);
    const rows = candidates.map(({ id, subtype }, index) => ({
      id,
      subtype,
      score: index as number | undefined,
    }));
    const columns = () => ({
      lastAccessed: candidates.map(() => NOW),
      stability: candidates.map(() => 5),
      section: candidates.map(() => 1),
    });
    const changes: Record<string, (list: unknown[]) => void> = {
      longer: (list) => list.push(...many(list.at(-1))),
      shorter: (list) => {
        list.length = 1;
      },
    };
    const batches: Record<string, (change: (list: unknown[]) => void) => unknown> = {
      candidates: (change) => {
        const list: typeof candidates = reading(candidates, 10, "bm25_score", () => change(list));
        return core.rerankWithSectionWeights(list, METRICS, NOW);
      },
      rows: (change) => {
        const list: typeof rows = reading(rows, 10, "score", () => change(list));
        return core.mergeAndSelect(
          [
            ["a", list],
            ["b", rows],
          ],
          { query: "signal" },
        );
      },
      laterRows: (change) => {
        const later = [...rows];
        return core.mergeAndSelect(
          [
            ["a", reading(rows, 10, "score", () => change(later))],
            ["b", later],
          ],
          { query: "signal" },
        );
      },
      pairs: (change) => {
        const list: typeof rows = reading(rows, 10, "id", () => change(list));
        return core.coRecallPairs(list);
      },
      memories: (change) => {
        const memories = rows.map(({ id }) => ({ content_title: id }));
        const list: typeof memories = reading(memories, 10, "content_title", () => change(list));
        return core.formatContext(list);
      },
      keywords: (change) => {
        const topic_keywords = candidates.map(({ id }) => id);
        Object.defineProperty(topic_keywords, 10, {
          configurable: true,
          get: () => (change(topic_keywords), "word"),
        });
        return core.planRetrieval({ frame_type: "task", topic_keywords });
      },
      records: (change) => {
        const usage = new core.UsageTracker();
        const records = candidates.map(({ id }) => ({
          memory_id: id,
          retrieved_at: NOW,
          was_referenced: true,
        }));
        const list: typeof records = reading(records, 10, "retrieved_at", () => change(list));
        usage.record(list);
        return usage.save();
      },
      recalled: (change) => {
        const usage = new core.UsageTracker();
        const ids = candidates.map(({ id }) => id);
        Object.defineProperty(ids, 10, { configurable: true, get: () => (change(ids), "id") });
        return usage.boost(ids);
      },
      playbooks: (change) => {
        const list: ReturnType<typeof playbooksOf> = reading(playbooksOf(30), 10, "title", () =>
          change(list),
        );
        return core.matchPlaybooks(list, EVENTS);
      },
      kinds: (change) => {
        const kinds = EVENTS.map(({ type }) => type);
        const trigger = { anomaly_types: kinds, symbols: kinds };
        const read = reading([trigger], 0, "symbols", () => change(kinds));
        return core.matchPlaybooks([{ id: "p", trigger: read[0] }], EVENTS);
      },
      conditions: (change) => {
        const all: object[] = [{ op: ">", value: 0 }, { all: [] }];
        Object.defineProperty(all[0], "var", { get: () => (change(all), "price") });
        return core.matchPlaybooks(
          [{ id: "p", trigger: { anomaly_types: ["spike"], conditions: { all } } }],
          EVENTS,
        );
      },
      episodes: (change) => {
        const episodes = episodesOf(30);
        const list: typeof episodes = reading(episodes, 10, "content_body", () => change(list));
        return [core.groupEpisodes(list, { now: NOW }), core.findPatterns(list, linksOf(30))];
      },
      links: (change) => {
        const list: ReturnType<typeof linksOf> = reading(linksOf(30), 10, "type", () =>
          change(list),
        );
        return core.findPatterns(episodesOf(30), list);
      },
      events: (change) => {
        const list: typeof EVENTS = reading(EVENTS, 0, "severity", () => change(list));
        return core.matchPlaybooks(playbooksOf(30), list);
      },
      series: (change) => {
        const [book, price] = [new core.PlaybookBook(), [1, 2, 3]];
        book.add(playbooksOf(30));
        Object.defineProperty(price, 0, { get: () => (change(price), 1) });
        return book.match(EVENTS, { price });
      },
      ...Object.fromEntries(
        (["lastAccessed", "stability", "section"] as const).flatMap((read) =>
          (["lastAccessed", "stability", "section"] as const).map((changed) => [
            `${changed} while ${read} is read`,
            (change: (list: unknown[]) => void) => {
              const all = columns();
              const value = all[read][10]!;
              Object.defineProperty(all[read], 10, {
                configurable: true,
                get: () => (change(all[changed]), value),
              });
              return core.decayColumns(all, NOW);
            },
          ]),
        ),
      ),
    };
    for (const [what, run] of Object.entries(batches)) {
      for (const [how, change] of Object.entries(changes)) {
        const glue = core.numeric();
        try {
          run(change);
        } catch (error) {
          const clean = error instanceof core.NousError && error.code === "invalid_argument";
          expect(clean, `${what} ${how}: ${(error as Error).stack}`).toBe(true);
        }
        expect(core.numeric() === glue, `${what} ${how}: the instance lives`).toBe(true);
        expect(probe(core) === answer, `${what} ${how}: later calls are right`).toBe(true);
      }
    }
  });
});
