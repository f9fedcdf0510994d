// Building a prompt while the caller's functions fail, return invalid values, hang or are aborted:
// the prompt arrives in time, and it names each missing part. The tests use fake time.

import { getEventListeners } from "node:events";
import * as nous from "nous-wasm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { amount } from "../support/amount.ts";

const NOW = Date.UTC(2026, 0, 15);
const IDENTITY = "You are an agent.";
const DEADLINE = 3000;

/** The functions as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
const js = nous as any;

const rejected: unknown[] = [];
const note = (reason: unknown) => rejected.push(reason);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  process.on("unhandledRejection", note);
});

afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  expect(rejected.splice(0)).toEqual([]);
});

const MEMORIES: Record<string, nous.ContextMemory[]> = {
  decision: [{ id: "d", text: "Use Redis for sessions", score: 0.9 }],
  fact: [
    { id: "f", text: "Redis evicts by age", score: 0.8, subject: "Redis" },
    { id: "g", text: "Sessions are signed", score: 0.7, subject: "Sessions" },
  ],
  procedure: [{ id: "p", text: "Flush the cache", score: 0.6 }],
  episode: [{ id: "e", text: "The cache was moved", score: 0.5 }],
};
const EVERYTHING = {
  decision: ["d"],
  fact: ["f", "g"],
  procedure: ["p"],
  episode: ["e"],
  signal: [],
};

type Options = Partial<Record<keyof nous.BuildContextOptions, unknown>>;
const optionsOf = (options: Options) => ({
  input: "the session cache",
  identity: IDENTITY,
  frame: "task",
  now: NOW,
  retrieve: ({ memory_type }: nous.RetrievalQuery) => MEMORIES[memory_type],
  ...options,
});

/** Builds a prompt with the clock advanced; no timer remains afterwards. */
async function build(options: Options = {}, milliseconds = DEADLINE): Promise<nous.BuiltContext> {
  const building: Promise<nous.BuiltContext> = js.buildContext(optionsOf(options));
  await vi.advanceTimersByTimeAsync(milliseconds);
  const built = await building;
  expect(vi.getTimerCount()).toBe(0);
  return built;
}

const never = () => new Promise(() => {});
const own = new Error("my own");
const throwing = () => {
  throw own;
};
const rejecting = () => Promise.reject(own);
const LATE = `no answer within ${DEADLINE / 1000} s`;

test("a prompt is the same whether its memories come at once or later", async () => {
  const expected = await build();
  expect(expected.recalled_ids).toEqual(EVERYTHING);
  expect(expected.failed).toEqual([]);
  const later = ({ memory_type }: nous.RetrievalQuery) =>
    new Promise((resolve) =>
      setTimeout(resolve, memory_type === "decision" ? 90 : 10, MEMORIES[memory_type]),
    );
  expect(await build({ retrieve: later })).toEqual(expected);
});

describe("a failing search costs only its own section", () => {
  const RUBBISH: [string, () => unknown, RegExp][] = [
    ["throws", throwing, /^my own$/],
    ["is rejected", rejecting, /^my own$/],
    ["never answers", never, new RegExp(`^${LATE}$`)],
    ["gives nothing", () => undefined, /must be an array/],
    ["gives no list", () => ({ length: 1 }), /must be an array/],
    ["gives what is no memory", () => [null], /memories\[0\] must be an object/],
    ["throws nothing at all", () => Promise.reject(undefined), /undefined/],
  ];

  test.each(RUBBISH)("when it %s", async (_what, fail, reason) => {
    const retrieve = (query: nous.RetrievalQuery) =>
      query.memory_type === "fact" ? fail() : MEMORIES[query.memory_type];
    const built = await build({ retrieve });
    expect(built.recalled_ids).toEqual({ ...EVERYTHING, fact: [] });
    expect(built.failed).toEqual([{ part: "facts", reason: expect.stringMatching(reason) }]);
  });

  test("and if all searches fail, the prompt still has the identity and the frame", async () => {
    const built = await build({ retrieve: rejecting });
    expect(built.sections.map(({ name }) => name)).toEqual(["identity", "frame"]);
    expect(built.failed.map(({ part }) => part)).toEqual([
      "decisions",
      "facts",
      "procedures",
      "episodes",
    ]);
  });

  test("and an unreadable memory is dropped alone", async () => {
    const wrong: [string, unknown][] = [
      ["id", ""],
      ["id", 7],
      ["score", Number.NaN],
      ["score", "0.5"],
      ["text", undefined],
      ["text", ["a"]],
      ["type", "memory"],
      ["outcome", 1],
      ["confidence", 1.5],
      ["confidence", Number.NaN],
      ["subject", {}],
      ["domain", 1],
      ["category", true],
      ["activations", -1],
      ["activations", 0.5],
      ["effectiveness", "1"],
      ["tags", "redis"],
      ["tags", [1]],
      ["censors", [null]],
      ["created_at", "yesterday"],
      ["created_at", new Date(Number.NaN)],
      ["created_at", 9e15],
      ["frame", 5],
    ];
    for (const [field, value] of wrong) {
      const bad = { id: "bad", text: "bad", score: 1, [field]: value };
      const retrieve = ({ memory_type }: nous.RetrievalQuery) => [
        ...MEMORIES[memory_type]!,
        ...(memory_type === "fact" ? [bad] : []),
      ];
      const built = await build({ retrieve }, 0);
      expect(built.recalled_ids, field).toEqual(EVERYTHING);
      expect(built.failed).toEqual([
        { part: "facts", reason: expect.stringContaining(`${field} must be`) },
      ]);
    }
    const trap = Object.defineProperty({ id: "trap", score: 1 }, "text", { get: throwing });
    const built = await build({ retrieve: () => [trap, MEMORIES.fact![0]] }, 0);
    expect(built.failed.map(({ reason }) => reason)).toEqual([
      "my own",
      "my own",
      "my own",
      "my own",
    ]);
    expect(Object.values(built.recalled_ids).flat()).toEqual(["f"]);
  });
});

describe("a prompt does without other failing parts", () => {
  test.each([
    ["profile", "user_profile", [{ id: "u", text: "Likes tea", category: "preference" }]],
    ["censors", "censors", [{ id: "c", text: "Never", action: "block" }]],
    ["workingMemory", "working_memory", { current_task: "Fix it" }],
    ["recent", "recent_conversations", [{ id: "r", title: "Talk", created_at: NOW }]],
  ] as const)("%s", async (option, part, value) => {
    const whole = await build({ [option]: async () => value });
    expect(whole.sections.map(({ name }) => name)).toContain(part);
    if (option !== "recent") expect(await build({ [option]: value })).toEqual(whole);
    const without = await build();
    // Any object may be a working memory.
    const noLists = option === "workingMemory" ? [] : [() => [null], () => [{}], () => ({})];
    for (const fail of [throwing, rejecting, never, () => 5, () => "text", ...noLists]) {
      const built = await build({ [option]: fail });
      expect(built.failed, String(fail)).toEqual([{ part, reason: expect.any(String) }]);
      expect(built.prompt).toBe(without.prompt);
    }
  });

  test("wrong fields of a section", async () => {
    const wrong: Options[] = [
      { profile: [{ id: 1, text: "x", category: "rule" }] },
      { profile: [{ id: "u", text: null, category: "rule" }] },
      { censors: [{ id: "c", text: "x", action: "forbid" }] },
      { workingMemory: { current_task: 5 } },
      { workingMemory: { open_threads: [5] } },
      { workingMemory: { open_threads: "x" } },
      { workingMemory: { items: [{ text: "x", relevance: Number.NaN }] } },
      { recent: () => [{ id: "r", title: "x", created_at: "yesterday" }] },
      { recent: () => [{ id: "r", title: "x", summary: 5, created_at: NOW }] },
    ];
    for (const options of wrong)
      expect((await build(options, 0)).failed, JSON.stringify(options)).toHaveLength(1);
  });

  test.each([
    [
      "censors",
      "censors",
      [{ id: "c", text: "Never", action: "block" }],
      { id: "bad", text: "x", action: "forbid" },
    ],
    [
      "profile",
      "user_profile",
      [{ id: "u", text: "Likes tea", category: "rule" }],
      { id: "bad", text: 5 },
    ],
    [
      "recent",
      "recent_conversations",
      [{ id: "r", title: "Talk", created_at: NOW }],
      { id: "bad", title: "x" },
    ],
  ] as const)(
    "an unreadable entry of %s, which is dropped alone",
    async (option, part, good, bad) => {
      const whole = await build({ [option]: () => good });
      const built = await build({ [option]: () => [bad, ...good, null] });
      expect(built).toEqual({
        ...whole,
        failed: [
          { part, reason: expect.stringMatching(/^[a-z]+\[0\] \(id "bad"\): [a-z_]+ must be/) },
          {
            part,
            reason: expect.stringContaining(
              "[1] must be an object".replace("1", `${good.length + 1}`),
            ),
          },
        ],
      });
    },
  );

  const messages = [{ role: "user", content: "Redis evicts by age, they say" }];
  const SAID = { ...EVERYTHING, fact: ["g"] };

  test.each<[string, (texts: readonly string[]) => unknown]>([
    ["throws", throwing],
    ["is rejected", rejecting],
    ["never answers", never],
    ["gives nothing", () => undefined],
    ["gives one too few", (texts) => texts.slice(1).map(() => [1, 0])],
    ["gives one too many", (texts) => [...texts, ""].map(() => [1, 0])],
    ["gives none of any length", (texts) => texts.map(() => [])],
    ["gives other lengths", (texts) => texts.map((_, place) => new Array(1 + (place % 2)).fill(1))],
    ["gives what is no number", (texts) => texts.map(() => [1, Number.NaN])],
    ["gives infinities", (texts) => texts.map(() => [1, Number.POSITIVE_INFINITY])],
    ["gives texts", (texts) => texts.map(() => "12")],
    ["gives a view of bytes", (texts) => texts.map(() => new DataView(new ArrayBuffer(8)))],
    ["gives numbers alone", (texts) => texts.map(() => 1)],
    ["gives big numbers", (texts) => texts.map(() => new BigInt64Array(2))],
  ])("an embedder that %s: words are compared", async (_what, embed) => {
    const built = await build({ embed, messages });
    expect(built.recalled_ids).toEqual(SAID);
    expect(built.failed).toEqual([{ part: "embed", reason: expect.any(String) }]);
    const compared = nous.deduplicate(
      [{ id: "f", content: "Redis evicts by age" }],
      [messages[0]!.content],
      {
        embed: embed as nous.Embed,
      },
    );
    await vi.advanceTimersByTimeAsync(DEADLINE);
    expect(await compared).toMatchObject([{ max_similarity: 1, is_redundant: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("an embedder is called once, for all texts, and not for an empty list", async () => {
    const asked: (readonly string[])[] = [];
    const embed = (texts: readonly string[], { signal }: nous.SeamOptions) => {
      expect(signal.aborted).toBe(false);
      asked.push(texts);
      return Promise.resolve(texts.map((_, place) => Float32Array.of(place, 1)));
    };
    await build({ embed, messages });
    const contents = Object.values(MEMORIES)
      .flat()
      .map(({ text }) => text);
    expect(asked).toEqual([[...contents, messages[0]!.content]]);
    await build({ embed });
    await build({ embed, messages, input: "hey" });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ["throws", throwing],
    ["gives nothing", () => undefined],
    ["gives too few", () => []],
    ["gives what is no number", (ids: string[]) => ids.map(() => Number.NaN)],
  ])("usage that %s: no memory is boosted", async (_what, boost) => {
    const built = await build({ usage: { boost } });
    expect(built.recalled_ids).toEqual(EVERYTHING);
    expect(built.failed).toEqual([{ part: "usage", reason: expect.any(String) }]);
  });

  test.each<[string, unknown]>([
    ["throws", throwing],
    ["gives nothing", () => undefined],
    ["gives NaN", () => Number.NaN],
    ["gives less than nothing", () => -1],
    ["gives infinity", () => Number.POSITIVE_INFINITY],
    ["gives text", () => "5"],
    ["gives a promise", async () => 5],
    ["gives a symbol", () => Symbol("five")],
    ["fails in the end", (text: string) => (text.startsWith("## ") ? Number.NaN : text.length / 4)],
    [
      "never ends by itself",
      function again(text: string): number {
        return again(text) + 1;
      },
    ],
  ])("a tokenizer that %s: tokens are estimated", async (_what, countTokens) => {
    const built = await build({ countTokens });
    const { failed, ...rest } = built;
    expect(rest).toMatchObject({ prompt: (await build()).prompt, tokens: (await build()).tokens });
    expect(failed).toEqual([{ part: "count_tokens", reason: expect.any(String) }]);
  });

  test("a tokenizer may call the package", async () => {
    const countTokens = (text: string) =>
      nous.estimateTokens(text) +
      nous.calculateRetrievability(1, 14) +
      nous.classifyIntent(text).length * 0;
    const built = await build({ countTokens });
    expect(built.failed).toEqual([]);
    expect(built.tokens).toBe(nous.estimateTokens(built.prompt) + Math.exp(-1 / 14));
  });
});

describe("the deadline", () => {
  test("leaves out unanswered parts, and the prompt names them", async () => {
    const reasons: unknown[] = [];
    const late = (_: unknown, { signal }: nous.SeamOptions) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name));
      return never();
    };
    const retrieve = (query: nous.RetrievalQuery, options: nous.SeamOptions) =>
      query.memory_type === "episode" ? late(query, options) : MEMORIES[query.memory_type];
    const built = await build({ retrieve, timeoutSeconds: 0.5 }, 500);
    expect(built.recalled_ids).toEqual({ ...EVERYTHING, episode: [] });
    expect(built.failed).toEqual([{ part: "episodes", reason: "no answer within 0.5 s" }]);
    expect(reasons).toEqual(["TimeoutError"]);
  });

  test("does not cost a search if the topic comes late", async () => {
    const asked: [string, number][] = [];
    const retrieve = ({ memory_type, query_text }: nous.RetrievalQuery) => {
      asked.push([query_text, Date.now() - NOW]);
      return MEMORIES[memory_type];
    };
    const built = await build({ retrieve, plan: null, workingMemory: never });
    expect(built.recalled_ids).toEqual(EVERYTHING);
    expect(built.failed).toEqual([{ part: "working_memory", reason: LATE }]);
    expect(asked).toEqual(new Array(4).fill(["the session cache", DEADLINE / 4]));
    asked.length = 0;
    const slow = () =>
      new Promise((resolve) => setTimeout(resolve, 100, { current_topic: "Caching" }));
    expect((await build({ retrieve, plan: null, workingMemory: slow })).recalled_ids).toEqual(
      EVERYTHING,
    );
    expect(asked.map(([text]) => text)).toEqual(new Array(4).fill("Caching: the session cache"));
  });

  test("covers all calls: an embedder is not called after it", async () => {
    const embed = vi.fn();
    const messages = [{ role: "user", content: "something" }];
    const retrieve = ({ memory_type }: nous.RetrievalQuery) =>
      memory_type === "episode" ? never() : MEMORIES[memory_type];
    const built = await build({ retrieve, embed, messages });
    expect(embed).not.toHaveBeenCalled();
    expect(built.failed.map(({ part }) => part)).toEqual(["episodes", "embed"]);
  });

  test("gives way to the caller's signal: its reason is thrown, every function is notified, and no timer or listener remains", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const hang = (_: unknown, options?: nous.SeamOptions) => {
      const { signal } = options ?? (_ as nous.SeamOptions);
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return never();
    };
    const parts = {
      retrieve: hang,
      profile: hang,
      censors: hang,
      workingMemory: hang,
      recent: hang,
    };
    const building = js.buildContext(optionsOf({ ...parts, signal: controller.signal }));
    const outcome = expect(building).rejects.toBe(own);
    await vi.advanceTimersByTimeAsync(100);
    controller.abort(own);
    await outcome;
    expect(reasons).toEqual(new Array(8).fill(own));
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    const asked = vi.fn();
    await expect(
      js.buildContext(optionsOf({ retrieve: asked, signal: controller.signal })),
    ).rejects.toBe(own);
    expect(asked).not.toHaveBeenCalled();
    await expect(nous.deduplicate([], [], { signal: controller.signal })).rejects.toBe(own);
  });

  test("gives way to a signal even if every function has answered", async () => {
    const controller = new AbortController();
    const retrieve = ({ memory_type }: nous.RetrievalQuery) => {
      controller.abort(own);
      return MEMORIES[memory_type];
    };
    await expect(js.buildContext(optionsOf({ retrieve, signal: controller.signal }))).rejects.toBe(
      own,
    );
  });

  test("gives way to a signal while vectors are awaited, too", async () => {
    const controller = new AbortController();
    const messages = [{ role: "user", content: "something" }];
    const embed = () => {
      controller.abort(own);
      return never();
    };
    await expect(
      js.buildContext(optionsOf({ embed, messages, signal: controller.signal })),
    ).rejects.toBe(own);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a prompt that cannot be built", () => {
  // More than the module accepts in one call.
  const open_threads = new Array(3).fill("x".repeat(2 ** 29 - 24));

  test.each(["default", "seed-compatible"] as const)(
    "is the identity, and gives the reason: %s",
    async (mode) => {
      const identity = `${IDENTITY} ${"And more. ".repeat(400)}`;
      const built = await build({
        workingMemory: { open_threads },
        mode,
        identity,
        budgets: { identity: 10 },
      });
      expect(built.prompt).toBe(
        mode === "default" ? "You are an agent. And more. And more...." : identity,
      );
      expect(built.tokens).toBe(nous.estimateTokens(built.prompt));
      expect(built.failed).toEqual([{ part: "prompt", reason: expect.stringContaining("MiB") }]);
      expect(built.recalled_ids).toEqual({
        decision: [],
        fact: [],
        procedure: [],
        episode: [],
        signal: [],
      });
      expect(built.sections).toEqual([]);
      expect((await build()).recalled_ids).toEqual(EVERYTHING);
    },
  );

  test("stays within the caller's token limit", async () => {
    const countTokens = (text: string) => text.length;
    const built = await build({
      workingMemory: { open_threads },
      budgets: { total: 11 },
      countTokens,
    });
    expect(built.prompt).toBe("You are...");
    const none = await build({ workingMemory: { open_threads }, budgets: { total: 0 } });
    expect([none.prompt, none.left_out]).toEqual([
      "",
      [{ id: null, section: "identity", reason: "total" }],
    ]);
  });
});

describe("wrong options are refused by name", () => {
  const NO_TEXT = [undefined, null, 5, {}, ["x"], Symbol("x"), new String("x")];
  const NO_FUNCTION = [5, "x", {}, [], true];
  const WRONG: [string, unknown[], string?][] = [
    ["input", NO_TEXT],
    ["identity", NO_TEXT],
    ["retrieve", [undefined, null, ...NO_FUNCTION]],
    ["recent", NO_FUNCTION],
    ["embed", NO_FUNCTION],
    ["countTokens", NO_FUNCTION],
    ["usage", [5, {}, [], { boost: 5 }], "usage.boost"],
    ["now", [null, Number.NaN, "yesterday", {}]],
    ["mode", [null, "seed", 5]],
    ["frame", [5, true]],
    ["frame", [{}, { frame_id: 5 }], "frame.frame_id"],
    ["frame", [{ frame_id: "x", questions_to_ask: "why?" }], "frame.questions_to_ask"],
    ["plan", [5, "plan"]],
    ["plan", [{}, { queries: 5 }], "plan.queries"],
    ["messages", [5, "x", {}]],
    ["budgets", [5, "x"]],
    ["minScores", [5, "x", [], new Map()]],
    ["timeoutSeconds", [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "3", null, 2_147_484]],
    ["signal", [5, {}, { aborted: false }]],
  ];

  test.each(WRONG)("%s", async (option, values, field = option) => {
    for (const value of values) {
      const error = await js
        .buildContext(optionsOf({ [option]: value }))
        .catch((error: unknown) => error);
      expect(error, String(value)).toBeInstanceOf(nous.NousError);
      expect([error.code, error.details.field]).toEqual(["invalid_argument", field]);
    }
  });

  test("their parts, and unknown options", async () => {
    const query = { memory_type: "fact", query_text: "x", limit: 3 };
    for (const [options, details] of [
      [{ messages: [{ role: "user", content: "x" }, null] }, { field: "messages", index: 1 }],
      [{ messages: [{ role: "user" }] }, { field: "content", index: 0 }],
      [{ messages: [{ role: 5, content: "x" }] }, { field: "role", index: 0 }],
      [{ plan: { queries: [null] } }, { field: "plan.queries", index: 0 }],
      [{ plan: { queries: [{ ...query, limit: -1 }] } }, { field: "limit", index: 0 }],
      [
        { plan: { queries: [{ ...query, memory_type: "facts" }] } },
        { field: "memory_type", index: 0 },
      ],
      [{ plan: { queries: [{ ...query, query_text: null }] } }, { field: "query_text", index: 0 }],
      [
        { plan: { queries: [query], budget_overrides: { facts: 0.5 } } },
        { field: "budgets.facts" },
      ],
      [{ budgets: { total: Number.NaN } }, { field: "budgets.total" }],
      [{ budgets: { identity: -1 } }, { field: "budgets.identity" }],
      [{ minScores: { fact: Number.NaN } }, { field: "minScores.fact" }],
      [{ minScores: { fakt: 1 } }, { field: "minScores.fakt" }],
      [
        { plan: { queries: [query], skip_types: ["fact", "nope"] } },
        { field: "plan.skip_types[1]" },
      ],
      [{ colour: "blue" }, { field: "colour" }],
    ] as [Options, nous.NousErrorDetails][]) {
      await expect(
        js.buildContext(optionsOf(options)),
        JSON.stringify(options),
      ).rejects.toMatchObject({
        code: "invalid_argument",
        details,
      });
    }
    for (const options of [undefined, null, 5, []]) {
      await expect(js.buildContext(options)).rejects.toMatchObject({ code: "invalid_argument" });
    }
    for (const [args, details] of [
      [[5, []], { field: "memories" }],
      [[[], 5], { field: "messages" }],
      [[[null], []], { field: "memories", index: 0 }],
      [[[{ id: "a" }], []], { field: "content", index: 0, id: "a" }],
      [[[{ id: 5, content: "x" }], []], { field: "id", index: 0 }],
      [[[], ["a", 5]], { field: "messages", index: 1 }],
      [[[], [], { embed: 5 }], { field: "embed" }],
      [[[], [], { mode: "seed" }], { field: "mode" }],
      [[[], [], { timeoutSeconds: 0 }], { field: "timeoutSeconds" }],
      [[[], [], { colour: 1 }], { field: "colour" }],
    ] as [unknown[], nous.NousErrorDetails][]) {
      await expect(js.deduplicate(...args), JSON.stringify(args)).rejects.toMatchObject({
        code: "invalid_argument",
        details,
      });
    }
  });
});

test("getters may call the package, change lists, and throw", async () => {
  const inner: unknown[] = [];
  const calling = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        inner.push(nous.overlap("redis cache", "the redis cache"));
        return Reflect.get(object, key);
      },
    });
  const retrieve = ({ memory_type }: nous.RetrievalQuery) =>
    calling(MEMORIES[memory_type]!.map(calling));
  const messages = [calling({ role: "user", content: "unrelated" })];
  const profile = calling([calling({ id: "u", text: "Likes tea", category: "rule" })]);
  const built = await build({ retrieve, messages, profile });
  expect(built.recalled_ids).toEqual(EVERYTHING);
  expect(inner.length).toBeGreaterThan(20);
  expect(new Set(inner)).toEqual(new Set([1]));

  const growing: nous.ContextMemory[] = [];
  growing.push(
    Object.defineProperty({ id: "a", text: "x" } as nous.ContextMemory, "score", {
      get: () => growing.push({ id: `more ${growing.length}`, text: "y", score: 1 }),
    }),
  );
  const only = ({ memory_type }: nous.RetrievalQuery) => (memory_type === "fact" ? growing : []);
  expect((await build({ retrieve: only })).recalled_ids.fact).toEqual(["a"]);
  const trap = { get: throwing };
  expect(
    await js
      .buildContext(new Proxy({}, { ...trap, has: () => false }))
      .catch((error: unknown) => error),
  ).toBe(own);
});

const MILLIONS = amount(10_000_000, 2_000_000);

describe("enormous input", () => {
  test("a message, a memory and an identity of millions of characters", async () => {
    const long = "word and more ".repeat(MILLIONS / 14);
    const messages = [{ role: "user", content: `${long} Redis evicts by age` }];
    const facts = [{ id: "long", text: long, score: 1 }, ...MEMORIES.fact!];
    const retrieve = ({ memory_type }: nous.RetrievalQuery) =>
      memory_type === "fact" ? facts : [];
    const built = await build({
      messages,
      retrieve,
      identity: long,
      censors: [{ id: "c", text: long, action: "warn" }],
    });
    expect(built.recalled_ids.fact).toEqual(["g"]);
    expect(built.left_out.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
      "long conversation",
      "f conversation",
      "c budget",
    ]);
    expect(built.sections[0]!.token_estimate).toBeGreaterThan(495);
    expect(built.sections[0]!.token_estimate).toBeLessThanOrEqual(500);
    expect(
      built.sections[0]!.content.endsWith(" more...") ||
        built.sections[0]!.content.endsWith(" and..."),
    ).toBe(true);
    expect(built.failed).toEqual([]);
  });

  test("three hundred thousand unreadable memories", async () => {
    const bad = new Array(300_000).fill(null);
    const retrieve = ({ memory_type }: nous.RetrievalQuery) =>
      memory_type === "fact" ? bad : MEMORIES[memory_type];
    const built = await build({ retrieve });
    expect(built.recalled_ids).toEqual({ ...EVERYTHING, fact: [] });
    expect(built.failed).toHaveLength(300_000);
  });

  test("twenty thousand decisions, compared with each other", async () => {
    const began = process.cpuUsage();
    const decisions = Array.from({ length: 20_000 }, (_, i) => ({
      ...{ id: `d${i}`, score: i / 20_000, category: `c${i}`, created_at: NOW - i },
      text: `Decided number${i} about book${i % 977} after review${i % 31} of basis`,
    }));
    decisions.push({ ...decisions[7]!, id: "again", created_at: NOW - 30_000 });
    const retrieve = ({ memory_type }: nous.RetrievalQuery) =>
      memory_type === "decision" ? decisions : [];
    const built = await nous.buildContext({
      input: "the session cache",
      identity: IDENTITY,
      frame: "task",
      retrieve,
    });
    const ids = built.left_out.flatMap(({ id, reason }) => (reason === "near_duplicate" ? id : []));
    expect(ids).toEqual(["again"]);
    // Comparing all pairs takes seven seconds.
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(6);
  });

  test("a profile of thousands of lines, each of which is counted only a few times", async () => {
    const profile = Array.from({ length: 4000 }, (_, i) => ({
      id: `u${i}`,
      text: `rule ${i}`,
      category: "rule",
    }));
    let counted = 0;
    const countTokens = (text: string) => {
      counted += text.length;
      return text.length;
    };
    const built = await build({
      profile,
      countTokens,
      budgets: { user_profile: 24_000, total: 100_000 },
    });
    const lines = built.sections.find(({ name }) => name === "user_profile")!.content.length;
    expect(lines).toBeGreaterThan(23_980);
    expect(counted).toBeLessThan(60 * lines);
  });

  test("fifty thousand memories, and as many messages", async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      id: `n${i}`,
      text: `memory number ${i}`,
      score: i / 50_000,
      subject: `s${i}`,
    }));
    const messages = Array.from({ length: 50_000 }, (_, i) => ({
      role: "user",
      content: `message ${i}`,
    }));
    const retrieve = ({ memory_type }: nous.RetrievalQuery) => (memory_type === "fact" ? many : []);
    const built = await build({ messages, retrieve });
    expect(built.recalled_ids.fact).toEqual(
      [49_999, 49_998, 49_997, 49_996, 49_995].map((i) => `n${i}`),
    );
    expect(built.left_out).toHaveLength(49_995);
  });
});

describe("a complete memory", () => {
  const row = {
    id: "a",
    subtype: "custom:lesson",
    content_title: "Wait",
    content_body: "for the retest",
  };

  test("has any type, and comes from any source", async () => {
    const text =
      "Fact: Wait\nid: a\nsection: KNOWLEDGE\nsubtype: custom:lesson\n\n> for the retest";
    for (const find of [() => row, async () => row])
      expect(await nous.expandMemory("fact", "a", find)).toBe(text);
    for (const none of [() => null, async () => undefined]) {
      expect(await nous.expandMemory("fact", "a", none)).toBe("not found");
    }
    expect(await nous.expandMemory("decision", "a", () => row)).toBe("not found");
    const asked: unknown[] = [];
    const find = (...args: unknown[]) => void asked.push(args);
    expect(await nous.expandMemory("rumour", "a", find)).toBe("Unknown memory type: rumour");
    expect(await nous.expandMemory("signal", "a", find)).toBe("not found");
    expect(asked).toEqual([["a", "signal"]]);
  });

  test("has its arguments checked by name, and passes on errors of the caller's function", async () => {
    for (const [args, field] of [
      [[5, "a", () => row], "type"],
      [[undefined, "a", () => row], "type"],
      [["fact", "", () => row], "id"],
      [["fact", 7, () => row], "id"],
      [["fact", "a"], "find"],
      [["fact", "a", row], "find"],
      [["fact", "a", () => 5], "row"],
      [["fact", "a", () => "row"], "row"],
    ] as [unknown[], string][]) {
      await expect(js.expandMemory(...args), String(args)).rejects.toMatchObject({
        code: "invalid_argument",
        details: { field },
      });
    }
    const own = new Error("away");
    const thrower = () => {
      throw own;
    };
    await expect(nous.expandMemory("fact", "a", thrower)).rejects.toBe(own);
    await expect(nous.expandMemory("fact", "a", () => Promise.reject(own))).rejects.toBe(own);
    const calling = {
      ...row,
      get content_body() {
        nous.estimateTokens("nested");
        return "again";
      },
    };
    expect(await nous.expandMemory("fact", "a", () => calling)).toContain("> again");
  });

  test("may have rows of any value, of which it prints the meaningful ones", async () => {
    const find = (fields: object) => () => ({ ...row, ...fields }) as nous.RecalledRow;
    for (const odd of [null, undefined, 5, true, {}, ["x"], Symbol("x")]) {
      const text = await nous.expandMemory(
        "fact",
        "a",
        find({ content_title: odd, content_body: odd, tags: [odd, "b"] }),
      );
      expect(text.split("\n")[0]).toBe("Fact: Untitled");
    }
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const text = await nous.expandMemory(
      "fact",
      "a",
      find({ content_body: `{"text":"short","more":${deep}}` }),
    );
    expect(text.split("\n").slice(-3)).toEqual([
      'more: {"a":{"a":{"a":{"a":"..."}}}}',
      "",
      "> short",
    ]);
    const long = await nous.expandMemory(
      "fact",
      "a",
      find({ content_body: "é # \n".repeat(MILLIONS / 5) }),
    );
    expect(long).toHaveLength(long.indexOf("\n\n> ") + 1 + (MILLIONS / 5) * "\n> é #".length);
  });
});
