// The module frees its memory: as many live bytes after 100,000 calls as after the first hundred.

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { testInFull } from "../support/full.ts";
import { buildCountedCore, type CountedCore, freshCore } from "./support/counted-engine.ts";

const CALLS = 100_000;
const MINUTES = 60_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

beforeAll(buildCountedCore, 10 * MINUTES);

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const SUBTYPES = ["custom:trade", "custom:signal", "custom:lesson", "custom:playbook", undefined];

const candidates = Array.from({ length: 200 }, (_, index) => ({
  id: `node-${index}`,
  semantic_score: Math.sin(index),
  bm25_score: index % 11,
  graph_score: index % 3,
  last_accessed: NOW - index * DAY,
  created_at: NOW - 2 * index * DAY,
  access_count: index,
  inbound_edge_count: index % 5,
  subtype: SUBTYPES[index % SUBTYPES.length],
}));
const batches = Array.from({ length: 201 }, (_, count) => candidates.slice(0, count));
const wrong = [...candidates.slice(0, 20), { ...candidates[0]!, id: "wrong", bm25_score: -1 }];
const metrics = { avg_inbound_edges: 2 };
const columns = {
  lastAccessed: candidates.map(({ last_accessed }) => last_accessed),
  stability: candidates.map((_, index) => index),
  section: candidates.map((_, index) => index % 4),
};
const rows = candidates
  .slice(0, 60)
  .map(({ id, subtype }, index) => ({ id: id, score: index / 60, subtype }));
const subResults = [
  ["a", rows.slice(0, 40)],
  ["b", rows.slice(20)],
  ["c", []],
] as [string, typeof rows][];
const memories = Array.from({ length: 12 }, (_, index) => ({
  subtype: "custom:lesson",
  content_title: `Title ${index}`,
  content_body:
    index % 2 === 0
      ? JSON.stringify({ text: `text – ${"é".repeat(index * 9)}` })
      : `{not JSON ${index}`,
  provenance_created_at: "2026-01-15T00:00:00.000Z",
}));
const playbooks = Array.from({ length: 40 }, (_, index) => ({
  id: `playbook-${index}`,
  title: `Playbook ${index}`,
  trigger: {
    anomaly_types: [`kind-${index % 7}`, "any"],
    symbols: index % 3 === 0 ? ["BTC", "ETH"] : null,
    conditions:
      index % 5 === 0 ? { not: { var: `variable-${index}`, op: "<", value: index } } : null,
  },
  ...{ success_count: index % 4, sample_size: index % 9 },
}));
const events = Array.from({ length: 12 }, (_, index) => ({
  type: `kind-${index}`,
  symbol: index % 2 === 0 ? "btc" : null,
  severity: index / 12,
}));
const market = { "variable-5": 9, "variable-10": [1, 2, 3] };
const episodes = Array.from({ length: 60 }, (_, index) => ({
  id: `episode-${index}`,
  subtype: index % 2 === 0 ? "custom:trade_close" : "custom:trade_entry",
  content_title: index % 7 === 0 ? "of nothing" : `short ${index % 3 === 0 ? "eth" : "BTC"} –`,
  content_body: JSON.stringify({
    text: "é".repeat(index * 7),
    signals: { pnl_pct: (index % 6) - 2, news: index % 4 === 1 },
  }),
  created_at: NOW - index * 0.3 * DAY,
}));
const links = episodes
  .slice(1)
  .map(({ id }, index) => ({ source_id: `episode-${index}`, target_id: id, type: "part_of" }));
const question =
  "How does my trade entry differ from the live signal right now? Ärger, currency; show my playbook";

/** Typical calls, in turn; `round` varies each a little. */
function mix(core: CountedCore): ((round: number) => unknown)[] {
  const engine = core.createEngine({
    sections: { intentBoost: 1.5 },
    curve: "fsrs6",
    intent: { matcher: "words" },
    salienceGrowth: true,
  });
  const usage = new core.UsageTracker({ maxRecords: 200 });
  const refused = (call: () => unknown) => () => {
    try {
      call();
    } catch (error) {
      if (error instanceof core.NousError && error.code.startsWith("invalid_")) return;
      throw error;
    }
    throw new Error("a call with wrong arguments was answered");
  };
  return [
    (round) => core.rerankWithSectionWeights(batches[round % batches.length]!, metrics, NOW),
    (round) =>
      core.rerankTop(batches[(round * 7) % batches.length]!, metrics, {
        limit: round % 30,
        now: NOW,
      }),
    (round) =>
      engine.rerankCandidates(batches[(round * 13) % batches.length]!, metrics, undefined, NOW),
    () => core.decayColumns(columns, NOW),
    () => engine.decayColumns(columns, NOW),
    (round) => core.classifyIntent(question.slice(0, round % question.length)),
    () => core.classifyIntent(question, { matcher: "words" }),
    () => core.classifyIntent(question, { explain: true }),
    (round) =>
      core.understand(question.slice(0, round % question.length), {
        terms: "unicode",
        bySubject: true,
      }),
    () => core.classifyQuery(question),
    (round) =>
      core.planTurn(question.slice(round % question.length), undefined, { mode: "default" }),
    (round) =>
      core.planRetrieval(core.classifyTurn(question.slice(0, round % question.length), "decision")),
    () => [
      core.selectFrame(question),
      core.nextTopic(question),
      core.memoryTypeOf("custom:thesis"),
    ],
    (round) => [core.overlap(question.slice(round % 40), question), core.estimateTokens(question)],
    (round) => {
      usage.feedback(
        { [`memory ${round % 90}`]: question, [`memory ${round % 7}`]: "the signal" },
        question,
        NOW + round,
      );
      return [
        usage.boost([`memory ${round % 90}`, "unknown"]),
        usage.usageScore("memory 1", NOW + round),
      ];
    },
    () => core.contextMemory({ id: "a", ...memories[0]! }),
    () => [core.extractQueryEntities(question), core.extractQueryAttribute(question)],
    () => core.decompose(question, { disqualifier_category: "D4" }),
    () => core.reformulate(question, null),
    (round) => core.calculateRetrievalConfidence(1 / (round + 1), null, round, true),
    () => core.mergeAndSelect(subResults, { query: question, maxResults: 30, relevanceRatio: 0.1 }),
    () => engine.mergeAndSelect(subResults, { query: question }),
    (round) =>
      core.coRecallPairs(
        rows.slice(0, round % 30).map(({ id }, index) => ({ id, _sub_query_group: index % 3 })),
      ),
    (round) => core.formatContext(memories, 20 * (round % 20)),
    () => core.memoryGuidance(),
    () => core.calculateRetrievability(3, 21) + core.affinityScore(3, NOW - DAY, NOW - DAY, NOW),
    (round) => engine.updateStabilityOnAccess(14, 0.3, 0.7, round % 2),
    (round) =>
      core.modulateStability(
        "custom:trade_close",
        core.calculateSalience("custom:trade_close", { pnl_pct: round }),
      ),
    (round) =>
      core.applyOutcome(
        { success_count: round, sample_size: round, stability: 60 },
        round % 2 === 0,
        NOW,
      ),
    (round) =>
      core.formatPlaybookMatches(core.matchPlaybooks(playbooks.slice(0, round % 9), events)),
    (round) => core.groupEpisodes(episodes.slice(0, round % 60), { now: NOW }),
    (round) => core.findPatterns(episodes.slice(0, round % 60), links),
    (round) =>
      core.extractSymbol({ content_title: `${"x".repeat(round % 40)} é Btc`, content_body: "" }),
    (round) => engine.extractSymbol({ content_title: "", content_body: `the ${round}th SOL` }),
    refused(() => core.groupEpisodes([{ ...episodes[0]!, created_at: Number.NaN }])),
    refused(() => core.rerankWithSectionWeights(wrong, metrics, NOW)),
    refused(() => core.decayColumns({ ...columns, section: columns.section.map(() => 9) }, NOW)),
    refused(() => core.calculateSalience("custom:trade_close", { pnl_pct: Number.NaN })),
    refused(() => core.matchPlaybooks(playbooks, [{ type: "any", severity: Number.NaN }])),
    refused(() => core.planRetrieval({ frame_type: "task", temporal_recency: Number.NaN })),
    refused(() =>
      usage.record([{ memory_id: "a", retrieved_at: Number.NaN, was_referenced: true }]),
    ),
    refused(() => core.formatContext([{ content_title: 5 as unknown as string }])),
  ];
}

/**
 * Live bytes once all pending frees are done: of the instance of stateless calls, or as counted.
 */
async function settled(
  core: CountedCore,
  count = () => core.numeric().live_bytes(),
): Promise<number> {
  let before = Number.NaN;
  for (;;) {
    // Engines are freed by finalizers, which run between ticks.
    for (let turn = 0; turn < 3; turn++) {
      collect();
      await sleep(1);
    }
    const now = count();
    if (now === before) return now;
    before = now;
  }
}

it(
  "the module uses no more memory after 100,000 mixed calls than after the first hundred",
  async () => {
    const core = freshCore();
    const calls = mix(core);
    // Each call's largest batch once, so that the scratch has its size.
    for (let round = 0; round < 402; round++) for (const call of calls.slice(0, 3)) call(round);
    const create = (round: number) => {
      const strings = { SIGNALS: [`word ${round}`, "signal"] };
      core
        .createEngine({ sections: { intentBoost: 1 + round / 1e6 }, intent: { strings } })
        .classifyIntent("signal");
    };
    const refuse = () =>
      expect(() => core.createEngine({ sections: { intentBoost: 0.5 } })).toThrow(core.NousError);

    let made = 0;
    const until = async (total: number) => {
      for (; made < total; made++) {
        if (made % 500 === 7) create(made);
        else if (made % 500 === 8) refuse();
        else calls[made % calls.length]!(Math.floor(made / calls.length));
        if (made % 5000 === 0) await sleep(0);
      }
    };
    const glue = core.numeric();
    await until(100);
    const first = await settled(core);
    await until(CALLS);
    expect(await settled(core)).toBe(first);
    expect(core.numeric(), "the instance is the one it was").toBe(glue);
  },
  5 * MINUTES,
);

testInFull(
  "the module uses no more memory after 3,000 prompts than after 600, for any tokenizer or embedder, failing ones included",
  async () => {
    const core = freshCore();
    const found = memories.map((row, index) =>
      core.contextMemory({ ...row, id: `memory ${index}`, score: index / 12 }),
    );
    const usage = new core.UsageTracker({ maxRecords: 200 });
    let made = 0;
    const until = async (total: number) => {
      for (; made < total; made++) {
        const { recalled_content } = await core.buildContext({
          input: question.slice(made % 30),
          identity: "You are an agent. ".repeat(made % 50),
          now: NOW,
          retrieve: () => found,
          messages: [{ role: "user", content: question }],
          usage,
          embed: made % 3 === 0 ? (texts) => texts.map((text) => [text.length, 1]) : null,
          countTokens:
            made % 4 === 0 ? null : (text) => (made % 4 === 1 ? Number.NaN : text.length / 3),
          budgets: { total: 40 + (made % 200) },
        });
        usage.feedback(recalled_content, question, NOW + made);
        if (made % 500 === 0) await sleep(0);
      }
    };
    await until(600);
    const glue = core.numeric();
    const first = await settled(core);
    await until(3000);
    expect(await settled(core)).toBe(first);
    expect(core.numeric(), "the instance is the one it was").toBe(glue);
  },
  5 * MINUTES,
);

it("the count of live bytes reveals a single engine that is not freed", async () => {
  const core = freshCore();
  const before = await settled(core);
  const kept = core.createEngine({ sections: { intentBoost: 2 } });
  expect(await settled(core)).toBeGreaterThan(before);
  expect(kept.classifyIntent("signal")).toEqual(["SIGNALS"]);
});

it("an unreferenced engine is freed", async () => {
  const core = freshCore();
  const createAndForget = () => void core.createEngine({ sections: { intentBoost: 2 } });
  createAndForget();
  const before = await settled(core);
  for (let time = 0; time < 100; time++) createAndForget();
  expect(core.numeric().live_bytes()).toBeGreaterThan(before);
  expect(await settled(core)).toBe(before);
});

describe("books of playbooks", () => {
  /** A fresh engine, and the live bytes of the instance that its books share. */
  function withShelf(): { core: CountedCore; live: () => number } {
    const core = freshCore();
    const { Instance } = WebAssembly;
    let shelf: WebAssembly.Instance | undefined;
    const construct = (made: typeof Instance, args: [WebAssembly.Module]) => {
      shelf = new made(...args);
      return shelf;
    };
    WebAssembly.Instance = new Proxy(Instance, { construct });
    try {
      core.matchPlaybooks([], []);
    } finally {
      WebAssembly.Instance = Instance;
    }
    const { live_bytes } = shelf!.exports as unknown as { live_bytes(): number };
    return { core, live: live_bytes };
  }

  /** Adds and removes playbooks, with refused calls among them; the book is empty afterwards. */
  function live(
    core: CountedCore,
    book: InstanceType<CountedCore["PlaybookBook"]>,
    given = playbooks,
  ): void {
    book.add(given.slice(0, 30));
    book.match(events, market);
    book.add(given.slice(20));
    expect(() => book.add([given[0]!, { id: "" }])).toThrow(core.NousError);
    expect(() => book.match([...events, { type: "any", severity: Number.NaN }], market)).toThrow(
      core.NousError,
    );
    expect(
      book.match([...events, { type: "any", severity: 1 }], market).matches.length,
    ).toBeGreaterThan(0);
    book.remove(given.map(({ id }) => id));
  }

  it("use no more memory after 5,000 equal rounds than after ten", async () => {
    const { core, live: bytes } = withShelf();
    const book = new core.PlaybookBook();
    const until = async (from: number, to: number) => {
      for (let round = from; round < to; round++) live(core, book);
      return settled(core, bytes);
    };
    const first = await until(0, 10);
    expect(await until(10, 5000)).toBe(first);
    expect(book.size).toBe(0);
  });

  it("use no more memory after a hundred rounds of new names than after ten", async () => {
    const { core, live: bytes } = withShelf();
    const book = new core.PlaybookBook();
    const until = async (from: number, to: number) => {
      for (let round = from; round < to; round++) {
        const renamed = playbooks.map(({ id, trigger, ...rest }) => ({
          ...rest,
          id: `${id} of ${round}`,
          trigger: {
            anomaly_types: [...trigger.anomaly_types, `kind of ${round}`],
            symbols: trigger.symbols && [...trigger.symbols, `symbol of ${round}`],
            conditions: {
              any: [{ var: `variable of ${id} of ${round}`, op: "<", value: 0 }, { all: [] }],
            },
          },
        }));
        live(core, book, renamed as unknown as typeof playbooks);
      }
      return settled(core, bytes);
    };
    const first = await until(0, 10);
    expect(await until(10, 100)).toBe(first);
  });

  it("free their memory once unreferenced, whether or not their last call was refused", async () => {
    const { core, live: bytes } = withShelf();
    const fill = (round: number) => {
      const book = new core.PlaybookBook();
      book.add(playbooks);
      book.match(events, market);
      if (round % 2 === 0)
        expect(() => book.add([playbooks[0]!, null as never])).toThrow(core.NousError);
    };
    fill(0);
    const before = await settled(core, bytes);
    for (let round = 0; round < 100; round++) fill(round);
    expect(bytes()).toBeGreaterThan(before);
    expect(await settled(core, bytes)).toBe(before);
  });

  it("free it at once if playbooks are matched without a book, also if the call is refused or throws", () => {
    const { core, live: bytes } = withShelf();
    const mine = new Error("mine");
    const throwing = {
      id: "throwing",
      get trigger(): never {
        throw mine;
      },
    };
    const before = bytes();
    for (let time = 0; time < 100; time++) {
      expect(core.matchPlaybooks(playbooks, events).length).toBeGreaterThan(0);
      expect(() => core.matchPlaybooks(playbooks, [...events, null as never])).toThrow(
        core.NousError,
      );
      expect(() => core.matchPlaybooks([...playbooks, throwing], events)).toThrow(mine);
      expect(bytes()).toBe(before);
    }
  });
});
