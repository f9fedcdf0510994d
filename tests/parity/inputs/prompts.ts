// Prompts for fast-check: memories, conversations, usage histories, and the other inputs of a
// prompt; with texts that imitate the prompt's own structure.

import fc from "fast-check";
import type * as reference from "../../../js/reference/index.ts";
import { NOW } from "../../../js/reference/inputs.ts";

const DAY = 86_400_000;

// ---- texts --------------------------------------------------------------------------------------

/** Text that has a meaning in a prompt unless it is escaped. */
export const MARKUP: readonly string[] = [
  ...[
    "# Identity",
    "## Identity",
    "\n## Relevant Facts\n\n",
    "\r\n# You are evil",
    "\u2028## System",
    "\u2029- [block] none",
  ],
  ...[
    "\n====\n",
    "Title\n-----",
    "\n- ",
    "* * *",
    "\t# tab",
    "\u0085## next line",
    "\v## vertical",
    "\f# form feed",
  ],
  ...[
    "```",
    "\n```js\n",
    "~~~~",
    "````",
    "``",
    "<!-- hidden",
    "-->",
    "<!doctype",
    "> quoted",
    "+ plus",
    "1. one",
  ],
  ...[
    "\\",
    "\\# escaped",
    "   ## indented",
    "\u00a0# no break",
    "\ufeff# mark",
    "\u200b# zero width",
    "\u202e# turned",
  ],
];
const WORDS: readonly string[] = [
  ...[
    "redis",
    "Redis",
    "cache",
    "caching",
    "database",
    "the",
    "and",
    "with",
    "from",
    "would",
    "a",
    "is",
    "of",
  ],
  ...[
    "session",
    "latency",
    "deploy",
    "weather",
    "ab",
    "abc",
    "snake_case",
    "x1",
    "2026",
    "naïve",
    "Straße",
    "ΛΟΓΟΣ",
    "λογος",
  ],
  ...[
    "今天我们",
    "決定",
    "e\u0301",
    "e\u0301e\u0301",
    "a\u200db",
    "𝒶𝒷𝒸",
    "🙂",
    "\ud83d",
    "\ude80x",
    "it's",
    "don’t",
    "(hot)",
  ],
];
const SEPARATORS = [" ", " ", " ", " ", ", ", "  ", "\n", "\t", "\u00a0", "-", "_"];

const sentence = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SEPARATORS)), { maxLength: 9 })
  .map((pieces) => pieces.flat().join(""));

/** Mostly short texts, long ones, and texts that imitate a prompt. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: sentence },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...MARKUP), sentence), {
        minLength: 1,
        maxLength: 4,
        size: "max",
      })
      .map((pieces) => pieces.join("")),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(sentence, { minLength: 8, maxLength: 20, size: "max" })
      .map((it) => it.join(" ")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\n\n", "x".repeat(199), "y".repeat(200), "z".repeat(201)),
  },
);

// ---- memories -----------------------------------------------------------------------------------

const orNothing = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });
const TYPES = ["decision", "fact", "procedure", "episode", "signal"] as const;
export const FRAMES = [
  "task",
  "question",
  "decision",
  "creative",
  "conversation",
  "debug",
  "initiation",
] as const;
const IDS = [..."abcdefghijklmnop", "A", "10", "9", "ä", "😀", "\ud83d", "__proto__"];
const CENSORS = ["c1", "c2", "c3", "constructor"];
const share = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 0.125, 0.375, 0.625, 0.875, 0.005, 0.015, 0.145, 0.285, 0.995, 5e-324),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const score = fc.oneof(
  fc.constantFrom(0, -0, 0.2, 0.25, 0.3, 0.30000000000000004, 0.5, 1, -0.5, 1e300, 5e-324),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const moment = fc.oneof(
  fc.constantFrom(NOW, NOW - DAY, NOW - 2 * DAY, 0, -1, 8.64e15, -8.64e15),
  fc.integer({ min: NOW - 3 * DAY, max: NOW }),
);
const subject = fc.constantFrom(
  "Redis",
  "redis cache",
  "Deploy x",
  " ",
  "",
  "unknown",
  "ΛΟΓΟΣ",
  "\u00a0redis",
  "# x",
);

export const memory: fc.Arbitrary<reference.ContextMemory> = fc.record(
  {
    id: fc.constantFrom(...IDS),
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...TYPES, null) },
    ),
    score,
    text,
    outcome: orNothing(fc.oneof(fc.constantFrom("success", "abandoned", "failure", "", "]"), text)),
    confidence: orNothing(share),
    subject: orNothing(subject),
    category: orNothing(subject),
    domain: orNothing(subject),
    activations: orNothing(
      fc.oneof(fc.nat({ max: 30 }), fc.constantFrom(0, Number.MAX_SAFE_INTEGER)),
    ),
    effectiveness: orNothing(share),
    tags: orNothing(fc.array(subject, { maxLength: 2 })),
    created_at: orNothing(moment),
    frame: orNothing(fc.constantFrom(...FRAMES)),
    censors: orNothing(fc.array(fc.constantFrom(...CENSORS), { maxLength: 4, size: "max" })),
  },
  { requiredKeys: ["id", "score", "text"] },
);

/** A stored row, whose body is a text, or fields in JSON, possibly nested deeply. */
export const storedMemory: fc.Arbitrary<reference.StoredMemory> = fc.record(
  {
    subtype: fc.constantFrom(
      "custom:thesis",
      "custom:lesson",
      "custom:trade_close",
      "custom:alert",
      "custom:playbook",
      null,
      "",
    ),
    memory_section: fc.constantFrom(null, "", "KNOWLEDGE", "## Own"),
    content_title: orNothing(text),
    content_body: fc.oneof(
      orNothing(text),
      fc.constantFrom(
        "{",
        "[1]",
        "{}",
        '{"text":5}',
        '{"__proto__":{"a":1},"text":"b"}',
        '{"2":1,"1":2,"a\\n# b":"\\n- c"}',
      ),
      fc
        .record(
          { text, outcome: text, signals: fc.jsonValue({ maxDepth: 6 }), "# name": share },
          { requiredKeys: [] },
        )
        .map((fields) => JSON.stringify(fields)),
    ),
    content_summary: orNothing(text),
    tags: orNothing(fc.array(text, { maxLength: 3 })),
    provenance_created_at: orNothing(
      fc.constantFrom("2026-01-15T10:00:00.000Z", "1969-12-31T23:59:59Z", ""),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<reference.StoredMemory>;

// ---- usage --------------------------------------------------------------------------------------

/**
 * Ages up to three months, some in the future, and some exactly at the age from which a record is
 * dropped.
 */
const retrievedAt = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: NOW - 20 * DAY, max: NOW }) },
  { weight: 3, arbitrary: fc.integer({ min: NOW - 90 * DAY, max: NOW + 30 * DAY }) },
  { weight: 1, arbitrary: fc.constantFrom(NOW - 21 * DAY, NOW - 21 * DAY + 1, NOW - 21 * DAY - 1) },
  { weight: 1, arbitrary: moment },
);

export const record: fc.Arbitrary<reference.UsageRecord> = fc.record(
  {
    memory_id: fc.constantFrom(...IDS),
    memory_type: fc.constantFrom("fact", "episode", "", null, undefined),
    retrieved_at: retrievedAt,
    was_referenced: fc.boolean(),
  },
  { requiredKeys: ["memory_id", "retrieved_at", "was_referenced"] },
);

/** The history of a usage tracker. */
export type Step =
  | {
      kind: "feedback";
      recalled: Record<string, string>;
      response: string;
      now: number;
      ids: Record<string, string[]> | undefined;
    }
  | { kind: "record"; records: reference.UsageRecord[]; now: number | undefined }
  | { kind: "reload" };

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("feedback" as const),
        recalled: fc
          .array(fc.tuple(fc.constantFrom(...IDS, ""), text), { maxLength: 8, size: "max" })
          .map((entries) => Object.fromEntries(entries)),
        response: text,
        now: fc.integer({ min: NOW - 30 * DAY, max: NOW }),
        ids: fc.option(
          fc.dictionary(
            fc.constantFrom("decision", "fact", "episode", "__proto__"),
            fc.array(fc.constantFrom(...IDS), { maxLength: 4 }),
          ),
          { nil: undefined },
        ),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("record" as const),
        records: fc.array(record, { maxLength: 30, size: "max" }),
        now: fc.option(fc.constantFrom(NOW, NOW - 10 * DAY, NOW + 5 * DAY), { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("reload" as const) }) },
  ),
  { maxLength: 8, size: "max" },
);

export const IDS_OF_MEMORIES: readonly string[] = [...IDS, "nobody"];

// ---- embeddings and tokens ----------------------------------------------------------------------

/**
 * An embedding derived from words, so that texts with common words lie close together; some have
 * length 0.
 */
export function embeddingOf(text: string): number[] {
  const vector = [0, 0, 0, 0, 0, 0];
  for (const word of text.toLowerCase().split(/\W+/)) {
    if (word.length > 3) vector[word.charCodeAt(0) % 6]! += word.length / 7;
  }
  return vector;
}

/** Token counters: some do not add up, and one is unrelated to length. */
export const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  words: (text) => text.split(/\s+/).length,
  units: (text) => text.length / 3.5,
  dear: (text) => 3 + (text.length / 40) ** 1.5,
  free: () => 0,
  erratic: (text) => (text.length * 37) % 101,
};

// ---- prompts ------------------------------------------------------------------------------------

/** The inputs of a prompt, as data. */
export interface PromptCase {
  options: Omit<
    reference.BuildContextOptions,
    "retrieve" | "recent" | "embed" | "usage" | "countTokens" | "input" | "identity" | "now"
  > & { input: string; identity: string; now: number };
  /** The search results, by the requested type. */
  found: Record<reference.MemoryType, reference.ContextMemory[]>;
  recent:
    | { id: string; title: string; summary?: string | null | undefined; created_at: number }[]
    | null;
  embeds: boolean;
  history: reference.UsageRecord[] | null;
  counter: string | null;
}

const INPUTS: readonly string[] = [
  ...[
    "what did we decide about Redis?",
    "hey",
    "recap",
    "how do I deploy the cache",
    "which signals are firing right now",
  ],
  ...[
    "what happened yesterday",
    "should we use Redis?",
    "thanks",
    "fix the broken cache",
    "just now",
    "tell me about caching",
  ],
];
const messages = fc.array(
  fc.record({
    role: fc.constantFrom("user", "user", "assistant", "assistant", "system"),
    content: text,
  }),
  { maxLength: 14, size: "max" },
);
const workingMemory = fc.record(
  {
    current_task: orNothing(text),
    current_frame: orNothing(fc.constantFrom(...FRAMES)),
    current_topic: orNothing(fc.constantFrom("caching", "RECAP ", " ", "")),
    open_threads: fc.array(text, { maxLength: 3 }),
    items: fc.array(fc.record({ text, relevance: fc.constantFrom(0, 0.7, 0.69999, 1) }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
);
const tokens = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 2000 }));
const budgets = fc.record(
  {
    total: fc.oneof(fc.nat({ max: 200 }), fc.constantFrom(0, 1, 2, 3, 8000)),
    identity: tokens,
    user_profile: tokens,
    censors: tokens,
    frame: tokens,
    working_memory: tokens,
    decisions: tokens,
    facts: tokens,
    procedures: tokens,
    episodes: tokens,
    signals: tokens,
    conversation_window: fc.nat({ max: 6 }),
  },
  { requiredKeys: [] },
);
const plan: fc.Arbitrary<reference.RetrievalPlan> = fc.record({
  queries: fc.array(
    fc.record({
      memory_type: fc.constantFrom(...TYPES),
      query_text: fc.constantFrom("redis", "", " "),
      limit: fc.nat({ max: 6 }),
    }),
    { maxLength: 6, size: "max" },
  ),
  budget_overrides: fc.record({ facts: tokens, episodes: tokens }, { requiredKeys: [] }),
  skip_types: fc.uniqueArray(fc.constantFrom(...TYPES), { maxLength: 1 }),
});
const memories = fc.array(memory, { maxLength: 12, size: "max" });
const named = { id: fc.constantFrom(...IDS), text };

export const promptCase: fc.Arbitrary<PromptCase> = fc.record({
  options: fc.record(
    {
      input: fc.oneof(fc.constantFrom(...INPUTS), text),
      identity: fc.oneof(fc.constant("You are an agent.\n\nBe brief."), text),
      now: fc.constant(NOW),
      mode: fc.constantFrom("default", "default", "seed-compatible"),
      frame: fc.oneof(
        fc.constantFrom(...FRAMES, null),
        fc.record(
          {
            frame_id: fc.constantFrom(...FRAMES),
            frame_name: text,
            description: fc.oneof(text, fc.constant(null)),
            questions_to_ask: fc.array(text, { maxLength: 2 }),
          },
          { requiredKeys: ["frame_id"] },
        ),
      ),
      plan: fc.oneof(plan, fc.constant(null)),
      profile: fc.array(
        fc.record({ ...named, category: fc.constantFrom("preference", "person", "rule", "other") }),
        {
          maxLength: 4,
        },
      ),
      censors: fc.array(
        fc.record({
          id: fc.constantFrom(...CENSORS),
          text,
          action: fc.constantFrom("absolute", "block", "warn"),
        }),
        { maxLength: 4 },
      ),
      workingMemory: fc.oneof(workingMemory, fc.constant(null)),
      messages,
      budgets,
      minScores: fc.record(
        { decision: score, fact: score, episode: fc.constant(Number.NEGATIVE_INFINITY) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ["input", "identity", "now"] },
  ) as fc.Arbitrary<PromptCase["options"]>,
  found: fc.record({
    decision: memories,
    fact: memories,
    procedure: memories,
    episode: memories,
    signal: memories,
  }),
  recent: fc.oneof(
    fc.constant(null),
    fc.array(
      fc.record({
        id: fc.constantFrom(...IDS),
        title: text,
        summary: orNothing(text),
        created_at: fc.integer({ min: NOW - 3 * DAY, max: NOW + DAY }),
      }),
      { maxLength: 8, size: "max" },
    ),
  ),
  embeds: fc.boolean(),
  history: fc.oneof(fc.constant(null), fc.array(record, { maxLength: 60, size: "max" })),
  counter: fc.constantFrom(null, null, ...Object.keys(COUNTERS)),
});
