// The rules of usage, comparison, budgets and prompts, case by case, for the reference and for the
// package.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { embeddingOf, MARKUP } from "./inputs/prompts.ts";

const DAY = 86_400_000;
const SEED = "seed-compatible";
const MODES = ["default", SEED] as const;
type Mode = (typeof MODES)[number];

type Options = reference.BuildContextOptions;
type Memory = reference.ContextMemory;

/** An implementation that has to keep the rules. */
interface Functions {
  overlap: typeof reference.overlap;
  estimateTokens: typeof reference.estimateTokens;
  contextBudget: typeof reference.contextBudget;
  UsageTracker: typeof reference.UsageTracker;
  deduplicate(
    memories: { id: string; content: string }[],
    messages: string[],
    options: { mode?: Mode; embeds?: boolean },
  ): Promise<reference.DeduplicationResult[]>;
  buildContext(options: Options): Promise<reference.BuiltContext>;
}

const SUBJECTS: [string, Functions][] = [
  [
    "the reference",
    {
      ...reference,
      deduplicate: async (memories, messages, { mode, embeds }) => {
        const texts = [...memories.map(({ content }) => content), ...messages];
        return reference.deduplicate(memories, messages, {
          ...(mode && { mode }),
          vectors: embeds ? texts.map(embeddingOf) : undefined,
        });
      },
      buildContext: async (options) => reference.buildContext(options),
    },
  ],
  [
    "the package",
    {
      ...(nous as unknown as Functions),
      deduplicate: (memories, messages, { mode, embeds }) => {
        const embed = embeds ? (texts: readonly string[]) => texts.map(embeddingOf) : null;
        return nous.deduplicate(memories, messages, { mode, embed });
      },
    },
  ],
];

describe.each(SUBJECTS)(
  "%s",
  (_name, { overlap, estimateTokens, contextBudget, UsageTracker, ...functions }) => {
    const { deduplicate } = functions;

    /** Builds a prompt from memories by type. */
    const build = (
      found: Partial<Record<reference.MemoryType, Memory[]>>,
      options: Partial<Options> = {},
    ) =>
      functions.buildContext({
        input: "the session cache",
        identity: "You are an agent.",
        now: NOW,
        frame: "task",
        retrieve: ({ memory_type }) => found[memory_type] ?? [],
        ...options,
      });
    const reasonsIn = ({ left_out }: reference.BuiltContext) =>
      left_out.map(({ id, reason }) => `${id} ${reason}`);
    const contentOf = ({ sections }: reference.BuiltContext, name: string) =>
      sections.find((section) => section.name === name)?.content;

    const fact = (id: string, text: string, score = 0.5, more: Partial<Memory> = {}): Memory => {
      return { id, text, score, subject: id, ...more };
    };
    const records = (memory_id: string, ...referenced: boolean[]) =>
      referenced.map((was_referenced) => ({ memory_id, retrieved_at: NOW, was_referenced }));

    describe("usage records", () => {
      test("a memory that was used has a score, which halves in a week", () => {
        const usage = new UsageTracker();
        usage.record(records("a", true));
        expect(usage.usageScore("a", NOW)).toBe(1);
        expect(usage.usageScore("a", NOW + 7 * DAY)).toBe(0.5);
        expect(usage.usageScore("nobody", NOW)).toBe(0);
      });

      test("seed: boosts grow with lifetime counts; default: boosts lie between 0.3 and 2", () => {
        for (const [mode, twoOfThree, never, always] of [
          [SEED, 0.5 + 2 / 3, 0.5, 1.5],
          ["default", 0.3 + 1.7 * (2 / 3), 0.3, 2],
        ] as const) {
          const usage = new UsageTracker({ mode });
          usage.record([
            ...records("a", true, true, false),
            ...records("b", false, false, false),
            ...records("c", true, true),
          ]);
          usage.record(records("once", true));
          expect(usage.boost(["a", "b", "c", "once", "nobody"])).toEqual([
            twoOfThree,
            never,
            always,
            1,
            1,
          ]);
        }
      });

      test("default: recent use counts more than old use; seed: both count alike", () => {
        for (const [mode, rate] of [
          ["default", 0.5 / 1.5],
          [SEED, 0.5],
        ] as const) {
          const usage = new UsageTracker({ mode });
          usage.record([
            { memory_id: "a", retrieved_at: NOW - 7 * DAY, was_referenced: true },
            { memory_id: "a", retrieved_at: NOW, was_referenced: false },
          ]);
          expect(usage.stats("a", NOW)!.rate).toBe(rate);
        }
      });

      const at = (memory_id: string, days: number, was_referenced = true) => {
        return { memory_id, retrieved_at: NOW - days * DAY, was_referenced };
      };

      test("default: the cap drops the oldest records, and a memory goes with its last record", () => {
        const usage = new UsageTracker({ maxRecords: 3 });
        usage.record([...records("a", true, true), ...records("b", false, false)]);
        expect(usage.size).toBe(3);
        expect(usage.stats("a", NOW)!.times_retrieved).toBe(1);
        usage.record(records("b", false));
        expect(usage.stats("a", NOW)).toBeNull();
        expect(usage.boost(["a"])).toEqual([1]);
      });

      test("default: a record of 21 days is dropped, and a memory goes with its last record", () => {
        const usage = new UsageTracker();
        usage.record([at("a", 21), at("b", 20.99), at("b", 25), at("c", 400)], NOW);
        expect(usage.save().records).toEqual([at("b", 20.99)]);
        expect([usage.stats("a", NOW), usage.stats("c", NOW)]).toEqual([null, null]);
        usage.record([], NOW + DAY);
        expect(usage.size).toBe(0);
        usage.record([at("d", 0), at("e", 21), at("f", 20)]);
        expect(usage.save().records).toEqual([at("f", 20), at("d", 0)]);
        usage.feedback({ g: "redis cache" }, "redis cache", NOW + 10 * DAY);
        expect(usage.save().records.map(({ memory_id }) => memory_id)).toEqual(["d", "g"]);
      });

      test("seed: a record over the cap drops those of 21 days; recent records may exceed the cap", () => {
        const usage = new UsageTracker({ mode: SEED, maxRecords: 3 });
        usage.record([at("a", 30), at("b", 21), at("c", 20)], NOW);
        expect(usage.size).toBe(3);
        expect(usage.stats("a", NOW)!.times_retrieved).toBe(1);
        usage.record([at("d", 0)], NOW);
        expect(usage.save().records).toEqual([at("c", 20), at("d", 0)]);
        expect([usage.stats("a", NOW), usage.stats("b", NOW)]).toEqual([null, null]);
        usage.record([at("d", 1), at("d", 2), at("d", 3)], NOW);
        expect(usage.size).toBe(5);
        expect(UsageTracker.load(usage.save()).save()).toEqual(usage.save());
        // Each record is judged when it arrives.
        usage.record([at("e", 30), at("d", 0)], NOW + 2 * DAY);
        expect(usage.save().records).toEqual([
          at("d", 3),
          at("d", 2),
          at("d", 1),
          at("d", 0),
          at("d", 0),
        ]);
      });

      test.each(MODES)(
        "%s: a record ahead of now counts as one of now, and drops no other",
        (mode) => {
          const usage = new UsageTracker({ mode });
          usage.record([at("a", -120, false), at("a", 0), at("b", -120), at("b", -60)], NOW);
          expect(usage.size).toBe(4);
          expect(usage.boost(["a"], NOW)).toEqual([mode === SEED ? 1 : 0.3 + 1.7 * 0.5]);
          expect(usage.stats("b", NOW)).toMatchObject({
            usage_score: 2,
            rate: 1,
            last_retrieved: NOW,
          });
        },
      );

      test("a record keeps the type of its memory", () => {
        const usage = new UsageTracker();
        const typed = { ...at("a", 2), memory_type: "fact" };
        usage.record([typed, { ...at("a", 1), memory_type: null }, at("b", 1)], NOW);
        expect(usage.save().records).toEqual([typed, at("a", 1), at("b", 1)]);
        expect(usage.stats("a", NOW)).toMatchObject({ memory_type: "fact", times_retrieved: 2 });
        expect(usage.stats("b", NOW)).not.toHaveProperty("memory_type");
        const ids = { decision: ["c"], fact: [], procedure: [], episode: [] };
        const recorded = usage.feedback({ c: "redis cache", d: "redis" }, "redis cache", NOW, ids);
        expect(recorded.map(({ memory_id, memory_type }) => [memory_id, memory_type])).toEqual([
          ["c", "decision"],
          ["d", undefined],
        ]);
        const loaded = UsageTracker.load(JSON.parse(JSON.stringify(usage.save())));
        expect(loaded.save()).toEqual(usage.save());
        expect(loaded.stats("c", NOW)!.memory_type).toBe("decision");
      });

      test("default: a record that arrives late keeps its own age", async () => {
        const usage = new UsageTracker({ maxRecords: 4 });
        usage.record([at("a", 1), at("b", 3), at("a", 8), at("b", 2)]);
        expect(usage.stats("a", NOW)!.last_retrieved).toBe(NOW - DAY);
        // The oldest record is dropped, though it arrived third; an even older one is not added.
        usage.record([at("c", 7)]);
        expect(usage.save().records).toEqual([at("c", 7), at("b", 3), at("b", 2), at("a", 1)]);
        usage.record([at("d", 9)]);
        expect(usage.stats("d", NOW)).toBeNull();
        usage.record([at("b", 7, false)]);
        expect(usage.stats("c", NOW)).toBeNull();
        expect(usage.stats("b", NOW)).toMatchObject({
          times_retrieved: 3,
          last_retrieved: NOW - 2 * DAY,
        });
      });

      test.each(MODES)(
        "%s: feedback records each recalled memory with text once, as used from an overlap of 0.15",
        (mode) => {
          const usage = new UsageTracker({ mode });
          const words = (from: number, to: number) =>
            Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(" ");
          const recalled = {
            a: words(0, 20),
            b: words(2, 22),
            c: "",
            d: words(18, 21),
            "": "word18",
          };
          const told = usage.feedback(recalled, words(17, 37), NOW);
          expect(
            told.map((each) => [each.memory_id, each.overlap_score, each.was_referenced]),
          ).toEqual([
            ["a", 0.15, true],
            ["b", 0.25, true],
            ["d", 1, true],
          ]);
          expect(usage.size).toBe(3);
          expect(usage.feedback({ a: words(0, 19) }, words(17, 37), NOW)).toMatchObject([
            { was_referenced: false },
          ]);
        },
      );

      test("a saved and loaded tracker equals the original", () => {
        const usage = new UsageTracker({ mode: SEED, maxRecords: 4 });
        usage.record([...records("a", true, false, true), ...records("__proto__", false, true)]);
        const loaded = UsageTracker.load(JSON.parse(JSON.stringify(usage.save())));
        expect(loaded.save()).toEqual(usage.save());
        for (const each of [usage, loaded]) each.record(records("b", true));
        expect(loaded.boost(["a", "__proto__", "b"])).toEqual(usage.boost(["a", "__proto__", "b"]));
        expect(loaded.save()).toEqual(usage.save());
      });
    });

    describe("overlap", () => {
      test.each<[string, string, number]>([
        ["the quick brown fox", "brown fox jumps", 2 / 3],
        ["", "", 0],
        ["a is of", "a is of", 0],
        ["Redis cache", "redis CACHE is fast and simple", 1],
      ])("of %j with %j is %d in either mode", (one, other, expected) => {
        for (const mode of MODES) expect(overlap(one, other, { mode })).toBe(expected);
      });

      test("default: a word that all texts share counts nothing", () => {
        const [one, other] = ["what the fox would do", "the dog would bark"];
        expect(overlap(one, other, { mode: SEED })).toBe(0.5);
        expect(overlap(one, other)).toBe(0);
      });
    });

    describe("comparison with the conversation", () => {
      const of = async (
        content: string,
        messages: string[],
        options: { mode?: Mode; embeds?: boolean } = {},
      ) => {
        const [result] = await deduplicate([{ id: "m", content }], messages, options);
        return [result!.max_similarity, result!.is_redundant];
      };

      test.each(MODES)("%s: equal texts are redundant, unrelated ones are not", async (mode) => {
        expect(await of("anything", [], { mode })).toEqual([0, false]);
        expect(await of("anything", [], { mode, embeds: true })).toEqual([0, false]);
        const text = "Redis caching strategy for session data";
        expect(await of(text, ["The weather today is very sunny and warm"], { mode })).toEqual([
          0,
          false,
        ]);
        expect(await of(text, ["unrelated", text], { mode })).toEqual([1, true]);
        expect((await of(text, [text], { mode, embeds: true }))[1]).toBe(true);
        const half = "alpha beta something else entirely";
        expect(await of("alpha beta gamma delta", [half], { mode })).toEqual([0.5, false]);
        expect(await of("alpha beta gamma", [half], { mode })).toEqual([2 / 3, true]);
      });

      test("an embedding of length 0 is similar to no other", async () => {
        expect(await of("a b c", ["a b c"], { embeds: true })).toEqual([0, false]);
      });

      test("default: stop words are no sign of similarity", async () => {
        const [one, other] = [
          "what was the plan for them",
          "then there was what they did for the team",
        ];
        expect((await of(one, [other], { mode: SEED }))[1]).toBe(true);
        expect(await of(one, [other])).toEqual([0, false]);
      });
    });

    describe("budgets", () => {
      test("follow the frame, and single sections may be overridden", () => {
        expect(contextBudget("conversation")).toMatchObject({
          total: 3000,
          procedures: 0,
          conversation_window: 3,
        });
        expect(contextBudget("decision")).toMatchObject({
          total: 12_000,
          decisions: 3000,
          conversation_window: 8,
        });
        expect(contextBudget("creative").censors).toBe(100);
        for (const other of ["initiation", "default", null, undefined])
          expect(contextBudget(other)).toEqual(contextBudget("task"));
        const budget = contextBudget("task", { user_profile: 500, colour: 3 } as object);
        expect(budget).toEqual({ ...contextBudget("task"), user_profile: 500 });
      });

      test("estimate a token per four characters, at least one", () => {
        expect(["abcd", "a".repeat(400), "", "🙂".repeat(8)].map(estimateTokens)).toEqual([
          1, 100, 1, 2,
        ]);
      });

      test.each(MODES)(
        "%s: a section with a budget of 0 is neither searched nor printed",
        async (mode) => {
          const asked: string[] = [];
          const retrieve = ({ memory_type }: { memory_type: string }) => {
            asked.push(memory_type);
            return [{ id: memory_type, text: "redis", score: 1 }];
          };
          const input = "what about the redis database?";
          const built = await build({}, { frame: "conversation", mode, retrieve, input });
          expect(asked).toEqual(["decision", "fact"]);
          expect(built.recalled_ids).toEqual({
            decision: ["decision"],
            fact: ["fact"],
            procedure: [],
            episode: [],
            signal: [],
          });
          expect(built.prompt).not.toContain("Known Procedures");
        },
      );
    });

    describe("memories with frames and outcomes", () => {
      const memories: Memory[] = [
        fact("other", "one about cats", 0.5, { frame: "debug" }),
        fact("neutral", "two about dogs", 0.5),
        fact("same", "three about birds", 0.5, { frame: "task" }),
        fact("both", "four about fish", 0.5, { frame: "task", censors: ["c1"] }),
      ];
      const censors = [{ id: "c1", text: "Never.", action: "block" as const }];

      test.each(MODES)("%s: memories stored in similar circumstances come first", async (mode) => {
        const built = await build({ fact: memories }, { mode, censors });
        const others = mode === SEED ? ["other", "neutral"] : ["neutral", "other"];
        expect(built.recalled_ids.fact).toEqual(["both", "same", ...others]);
        const none = await build({ fact: [] }, { mode, censors });
        expect(none.recalled_ids.fact).toEqual([]);
      });

      test("seed: circumstances decide, whatever the relevance; default: the product of relevance, circumstances and use decides, then the id", async () => {
        const found = [
          fact("b", "first about cats", 0.9),
          fact("d", "second about dogs", 0.6),
          fact("c", "third about birds", 0.6),
          fact("a", "fourth about fish", 0.5, { frame: "task" }),
        ];
        expect((await build({ fact: found }, { mode: SEED })).recalled_ids.fact).toEqual([
          "a",
          "b",
          "d",
          "c",
        ]);
        expect((await build({ fact: found })).recalled_ids.fact).toEqual(["b", "a", "c", "d"]);
      });
    });

    describe("a turn that asks for something recent", () => {
      const at = (id: string, score: number, days: number | null): Memory => {
        const created_at = days === null ? null : NOW - days * 86_400_000;
        return { id, text: `${id} of cats`, score, tags: [id], subject: id, created_at };
      };
      const old = at("old", 0.6, 425);
      const yesterday = at("yesterday", 0.59, 1);
      const orderOf = async (found: Memory[], input: string, options: object = {}) =>
        (await build({ episode: found }, { input, ...options })).recalled_ids.episode;

      test.each(MODES)(
        "%s: yesterday's episode of 0.59 stands before one of 0.60, 14 months old",
        async (mode) => {
          const orders = [
            [old, yesterday],
            [yesterday, old],
          ];
          for (const found of orders) {
            expect(await orderOf(found, "what happened yesterday", { mode })).toEqual([
              "yesterday",
              "old",
            ]);
          }
        },
      );

      test.each(MODES)("%s: recency counts as much as the turn asks for it", async (mode) => {
        const found = [old, at("week", 0.45, 7)];
        expect(await orderOf(found, "tell me of cats, just now", { mode })).toEqual([
          "week",
          "old",
        ]);
        expect(await orderOf(found, "what happened to the cats last month", { mode })).toEqual([
          "old",
          "week",
        ]);
      });

      test.each(MODES)("%s: other turns are unaffected", async (mode) => {
        expect(await orderOf([old, yesterday], "what happened to the cats", { mode })).toEqual([
          "old",
          "yesterday",
        ]);
      });

      test.each(MODES)(
        "%s: relevance still counts, and episodes without a date or with a future one keep their place",
        async (mode) => {
          const found = [
            at("fits", 1, 425),
            at("none", 0.62, null),
            old,
            at("ahead", 0.58, -3),
            yesterday,
          ];
          const order = await orderOf(found, "what happened yesterday", { mode });
          expect(order.filter((id) => id !== "fits")).toEqual([
            "ahead",
            "yesterday",
            "none",
            "old",
          ]);
          expect(
            await orderOf([at("fits", 1, 425), at("new", 0.5, 0)], "what happened yesterday", {
              mode,
            }),
          ).toEqual(["fits", "new"]);
        },
      );

      test("default: recency combines with circumstances and use", async () => {
        const found = [{ ...old, score: 0.9, frame: "task" }, yesterday];
        expect(await orderOf(found, "what happened yesterday", { frame: "task" })).toEqual([
          "old",
          "yesterday",
        ]);
        expect(await orderOf(found, "what happened yesterday", { frame: "debug" })).toEqual([
          "yesterday",
          "old",
        ]);
      });

      test.each(MODES)("%s: recency counts for facts, too", async (mode) => {
        const built = await build(
          { fact: [old, yesterday] },
          { mode, input: "what is known since yesterday" },
        );
        expect(built.recalled_ids.fact).toEqual(["yesterday", "old"]);
      });
    });

    describe("diversity", () => {
      const about = (subject: string | undefined, ...ids: string[]) =>
        ids.map((id, place) => ({
          id,
          text: `number ${id} ${place}`,
          score: 0.5,
          subject,
          category: subject,
        }));

      test.each(MODES)("%s: memories on one subject make way for others", async (mode) => {
        const plan = (memory_type: reference.MemoryType) => {
          return {
            queries: [{ memory_type, query_text: "x", limit: 9 }],
            budget_overrides: {},
            skip_types: [],
          };
        };
        const facts = async (found: Memory[]) =>
          (await build({ fact: found }, { mode, plan: plan("fact") })).recalled_ids.fact;
        expect(
          await facts([
            ...about("nous one", "a", "b"),
            ...about("Nous two", "c"),
            ...about("x", "d", "e"),
          ]),
        ).toHaveLength(4);
        expect(await facts(about(undefined, "a", "b", "c"))).toHaveLength(2);
        const decisions = ["alpha", "bravo", "charlie", "delta"].map((text, place) => {
          return { id: text, text, score: 0.5, category: "architecture", created_at: NOW - place };
        });
        const other = { id: "other", text: "echo", score: 0.5, category: "process", created_at: 0 };
        const built = await build(
          { decision: [...decisions, other] },
          { mode, plan: plan("decision") },
        );
        expect(built.recalled_ids.decision).toEqual(["alpha", "bravo", "charlie", "other"]);
        expect(reasonsIn(built)).toEqual(["delta diversity"]);
        const episodes = ["a", "b", "c"].map((id) => ({
          id,
          text: id,
          score: 0.5,
          tags: ["Trade", id],
        }));
        expect(
          (await build({ episode: episodes }, { mode, plan: plan("episode") })).recalled_ids
            .episode,
        ).toEqual(["a", "b"]);
      });
    });

    describe("the pipeline", () => {
      test.each(MODES)(
        "%s: a greeting recalls nothing, and the prompt keeps identity and instructions",
        async (mode) => {
          const built = await build(
            { fact: [fact("a", "redis")] },
            { mode, input: "hey", frame: "conversation" },
          );
          expect(built.recalled_ids).toEqual({
            decision: [],
            fact: [],
            procedure: [],
            episode: [],
            signal: [],
          });
          expect(built.sections.map(({ name }) => name)).toEqual(["identity", "frame"]);
        },
      );

      test.each(MODES)(
        "%s: memories that the conversation repeats are neither shown nor recalled",
        async (mode) => {
          const text = "Redis keeps sessions for thirty minutes";
          const messages = [{ role: "user", content: text }];
          const built = await build(
            { fact: [fact("said", text), fact("new", "Sessions are signed")] },
            { mode, messages },
          );
          expect(built.prompt).not.toContain(text);
          expect(built.recalled_ids.fact).toEqual(["new"]);
          expect(Object.keys(built.recalled_content)).toEqual(["new"]);
          expect(reasonsIn(built)).toEqual(["said conversation"]);
        },
      );

      test.each(MODES)("%s: the used one of two facts stands first", async (mode) => {
        const usage = new UsageTracker({ mode });
        usage.record([...records("A", true, true, true), ...records("B", false, false, false)]);
        const found = [fact("B", "birds sing"), fact("A", "cats purr")];
        expect((await build({ fact: found }, { mode, usage })).recalled_ids.fact).toEqual([
          "A",
          "B",
        ]);
      });

      test("default: decisions are compared, boosted and ordered as all memories are; seed: they are not", async () => {
        const text = "Sessions live in Redis";
        const usage = { boost: (ids: readonly string[]) => ids.map((id) => (id === "d3" ? 2 : 1)) };
        const decision = [
          { id: "d1", text, score: 0.9, category: "a", created_at: NOW },
          { id: "d2", text: "Deploy on Mondays", score: 0.5, category: "b", created_at: NOW - 1 },
          { id: "d3", text: "Write tests first", score: 0.4, category: "c", created_at: NOW - 2 },
        ];
        const options = { usage, messages: [{ role: "user", content: text }] };
        expect((await build({ decision }, options)).recalled_ids.decision).toEqual(["d3", "d2"]);
        expect(
          (await build({ decision }, { ...options, mode: SEED })).recalled_ids.decision,
        ).toEqual(["d1", "d2", "d3"]);
      });

      test.each(MODES)("%s: the newest of equal decisions stays", async (mode) => {
        const decision = (id: string, days: number, more: Partial<Memory> = {}) => {
          return {
            id,
            text: "Use Redis for all the sessions of users",
            score: 0.5,
            created_at: NOW - days * DAY,
            ...more,
          };
        };
        const found = [
          decision("old", 9),
          decision("new", 1),
          decision("failed", 5, { outcome: "failure" }),
        ];
        const built = await build({ decision: found }, { mode });
        expect(built.recalled_ids.decision.toSorted()).toEqual(["failed", "new"]);
        expect(reasonsIn(built)).toEqual(["old near_duplicate"]);
      });

      test("thresholds apply if there is an embedder, or if they are given", async () => {
        const found = {
          decision: [
            { id: "d", text: "x", score: 0.2 },
            { id: "d-", text: "y", score: 0.19 },
          ],
          fact: [fact("f", "one", 0.25), fact("f-", "two", 0.24)],
          procedure: [
            { id: "p", text: "p", score: 0.3 },
            { id: "p-", text: "q", score: 0.29 },
          ],
          episode: [
            { id: "e", text: "e", score: 0.3 },
            { id: "e-", text: "f", score: 0.29 },
          ],
        };
        const embed = (texts: readonly string[]) => texts.map(embeddingOf);
        expect(reasonsIn(await build(found, { embed }))).toEqual(
          ["d-", "f-", "p-", "e-"].map((id) => `${id} threshold`),
        );
        expect(reasonsIn(await build(found))).toEqual([]);
        expect(reasonsIn(await build(found, { minScores: { fact: 0.25 } }))).toEqual([
          "f- threshold",
        ]);
      });

      test.each(MODES)(
        "%s: a memory that two queries find stands once, with the better score",
        async (mode) => {
          const built = await build(
            {
              fact: [fact("a", "as a fact", 0.4)],
              episode: [{ id: "a", text: "as an episode", score: 0.6 }],
            },
            { mode },
          );
          expect(built.recalled_ids).toMatchObject({ fact: [], episode: ["a"] });
          expect(reasonsIn(built)).toEqual([]);
        },
      );

      test("the window counts the user's turns; default: with the answers to them", async () => {
        const turn = (text: string) => [
          { role: "user", content: `question about ${text}` },
          { role: "tool", content: `weather report ${text}` },
          { role: "assistant", content: `answer concerning ${text}` },
        ];
        const messages = ["alpha", "bravo", "charlie", "delta"].flatMap(turn);
        const found = (memory: string) =>
          build({ fact: [fact("a", memory)] }, { messages, budgets: { conversation_window: 3 } });
        const recalls = async (memory: string) =>
          (await found(memory)).recalled_ids.fact.length === 1;
        expect(await recalls("answer concerning charlie")).toBe(false);
        expect(await recalls("question about bravo")).toBe(false);
        // The first turn is outside the window, and tool messages do not count as turns.
        expect(await recalls("alpha question concerning alphabet")).toBe(true);
        expect(await recalls("weather report delta")).toBe(true);
        const seed = async (memory: string) =>
          (
            await build(
              { fact: [fact("a", memory)] },
              { messages, budgets: { conversation_window: 3 }, mode: SEED },
            )
          ).recalled_ids.fact;
        expect(await seed("answer concerning delta")).toEqual(["a"]);
        // Eight messages hold two of three turns, and the end of the third.
        expect(await seed("bravo question gone")).toEqual(["a"]);
        expect(await seed("question about charlie")).toEqual([]);
      });

      test("default: no more answers to a turn count than the window has turns", async () => {
        const steps = ["alpha step", "bravo step", "charlie step", "delta step"];
        const messages = [
          { role: "user", content: "do it" },
          ...steps.map((content) => ({ role: "assistant", content })),
        ];
        const facts = steps.map((text, i) => fact(text, `${text.split(" ")[0]}`, 1 - i / 10));
        const built = await build(
          { fact: facts },
          { messages, budgets: { conversation_window: 2 } },
        );
        expect(built.recalled_ids.fact).toEqual(steps.slice(0, 2));
        expect(reasonsIn(built)).toEqual(["charlie step conversation", "delta step conversation"]);
      });

      test("default: at most the requested number of each type, the best of them", async () => {
        const many = Array.from({ length: 9 }, (_, i) => ({
          id: `p${i}`,
          text: `procedure ${i}`,
          score: i / 9,
        }));
        const built = await build({ procedure: many }, { input: "the deployment" });
        expect(built.recalled_ids.procedure).toEqual(["p8", "p7", "p6", "p5", "p4"]);
        expect(reasonsIn(built)).toEqual(["p3", "p2", "p1", "p0"].map((id) => `${id} limit`));
      });

      test.each(MODES)(
        "%s: without a plan, five of each type are searched for by turn and topic",
        async (mode) => {
          const queries: unknown[] = [];
          const retrieve = (query: unknown) => {
            queries.push(query);
            return [];
          };
          const workingMemory = { current_topic: "Caching", current_frame: "task" };
          const built = await build(
            {},
            { mode, plan: null, retrieve, workingMemory, input: "and now?" },
          );
          expect(built.refresh_needed).toBe(false);
          expect(queries).toEqual(
            ["decision", "fact", "procedure", "episode"].map((memory_type) => {
              return { memory_type, query_text: "Caching: and now?", limit: 5 };
            }),
          );
          await build({}, { mode, plan: null, retrieve, workingMemory, input: " caching " });
          expect(queries.at(-1)).toMatchObject({ query_text: " caching " });
        },
      );

      test.each(MODES)(
        "%s: missing working memory, or that of another frame, is out of date",
        async (mode) => {
          expect((await build({}, { mode })).refresh_needed).toBe(true);
          expect(
            (await build({}, { mode, workingMemory: { current_frame: "debug" } })).refresh_needed,
          ).toBe(true);
        },
      );
    });

    describe("recent conversations", () => {
      const talk = (id: string, hours: number, summary = `summary of ${id}`) => {
        return { id, title: `Title of ${id}`, summary, created_at: NOW - hours * 3_600_000 };
      };
      const recent = () => [talk("c2", 20), talk("c1", 3), talk("old", 49), talk("c3", 48)];

      test.each(MODES)(
        "%s: show titles of two days, the newest first, and are not repeated among episodes",
        async (mode) => {
          const found = {
            episode: [
              { id: "c1", text: "seen", score: 1 },
              { id: "e1", text: "other", score: 1 },
            ],
          };
          const built = await build(found, { mode, recent });
          expect(contentOf(built, "recent_conversations")).toBe(
            "- Title of c1\n- Title of c2\n- Title of c3",
          );
          expect(built.recalled_ids.episode).toEqual(["e1"]);
          expect(reasonsIn(built)).toEqual(["c1 known"]);
          expect(contentOf(await build({}, { mode }), "recent_conversations")).toBeUndefined();
          expect(
            contentOf(await build({}, { mode, recent: () => [] }), "recent_conversations"),
          ).toBeUndefined();
          const six = () => [1, 2, 3, 4, 5, 6].map((hours) => talk(`t${hours}`, hours));
          expect(
            contentOf(await build({}, { mode, recent: six }), "recent_conversations")!.split("\n"),
          ).toHaveLength(5);
        },
      );

      test.each(MODES)(
        "%s: include summaries of up to 200 characters if the turn asks for something recent",
        async (mode) => {
          const input = "what did we talk about recently";
          const long = () => [talk("c1", 1, "word ".repeat(50))];
          const built = await build({}, { mode, recent: long, input, frame: "conversation" });
          expect(built.temporal_boost).toBe(true);
          expect(contentOf(built, "recent_conversations")).toBe(
            `- Title of c1: ${"word ".repeat(40).trim()}...`,
          );
        },
      );
    });

    describe("a memory is left out as known only if another section of the prompt shows it", () => {
      const talk = (id: string, title: string) => ({ id, title, created_at: NOW });
      const factsOf = (built: reference.BuiltContext) => built.recalled_ids.fact;

      test("default: it stays if the profile has no room for it", async () => {
        const profile = Array.from({ length: 30 }, (_, i) => {
          return {
            id: `p${i}`,
            text: `Rule number ${i}: never risk more than that`,
            category: "rule",
          };
        });
        const found = [fact("p0", profile[0]!.text), fact("p29", profile[29]!.text)];
        const built = await build({ fact: found }, { profile });
        expect(factsOf(built)).toEqual(["p29"]);
        expect(reasonsIn(built).filter((reason) => /^p(0|29) /.test(reason))).toEqual([
          "p29 budget",
          "p0 known",
        ]);
      });

      test.each(MODES)(
        "%s: it stays if the conversation has no title, or the profile no tokens",
        async (mode) => {
          const found = {
            episode: [{ id: "e", text: "The cache was moved", score: 1 }],
            fact: [fact("u", "Likes tea")],
          };
          const profile = [{ id: "u", text: "Likes tea", category: "preference" }];
          const options = { mode, profile, recent: () => [talk("e", " ")] };
          const built = await build(found, { ...options, budgets: { user_profile: 0 } });
          expect([built.recalled_ids.episode, factsOf(built)]).toEqual([["e"], ["u"]]);
          expect(reasonsIn(built)).toEqual(["u budget", "e empty"]);
        },
      );

      test("default: it stays if the prompt has no room for the conversation", async () => {
        const recent = () => [
          talk("a", "The first talk of today"),
          talk("f", "Another talk, of which more is known"),
        ];
        const found = { fact: [fact("f", "Sessions are signed")] };
        const whole = await build(found, { recent });
        expect(factsOf(whole)).toEqual([]);
        const built = await build(found, { recent, budgets: { total: whole.tokens - 2 } });
        expect(factsOf(built)).toEqual(["f"]);
        expect(contentOf(built, "recent_conversations")).toBeUndefined();
        expect(reasonsIn(built)).toEqual(["f total", "a total"]);
      });

      test("default: it then takes no needed place of another memory, and the embedder is called only once", async () => {
        let asked = 0;
        const embed = (texts: readonly string[]) => {
          asked += texts.length;
          return texts.map(embeddingOf);
        };
        const built = await build(
          { fact: [fact("e", "Redis evicts by age"), fact("g", "Sessions are signed")] },
          {
            embed,
            messages: [{ role: "user", content: "Redis evicts by age" }],
            recent: () => [talk("e", "")],
          },
        );
        expect(factsOf(built)).toEqual(["g"]);
        expect(reasonsIn(built)).toEqual(["e empty", "e conversation"]);
        if (_name === "the package") expect(asked).toBe(3);
      });
    });

    test.each(MODES)(
      "%s: a memory that comes twice stands once, before others are counted",
      async (mode) => {
        const recent = () =>
          [
            ...[1, 2, 3]
              .flatMap((hours) => [hours, hours])
              .map((hours) => ({ id: `r${hours}`, hours })),
            ...[4, 5].map((hours) => ({ id: `r${hours}`, hours })),
          ].map(({ id, hours }) => ({
            id,
            title: `Talk ${id}`,
            created_at: NOW - hours * 3_600_000,
          }));
        const profile = [
          { id: "u", text: "Slept well", category: "weather" },
          { id: "u", text: "Likes tea", category: "preference" },
          { id: "u", text: "Likes coffee", category: "preference" },
        ];
        const built = await build({}, { mode, recent, profile });
        expect(contentOf(built, "recent_conversations")).toBe(
          "- Talk r1\n- Talk r2\n- Talk r3\n- Talk r4\n- Talk r5",
        );
        expect(contentOf(built, "user_profile")).toBe("- Likes tea");
      },
    );

    test.each(MODES)(
      "%s: a conversation with a future date is a recent one, and the newest",
      async (mode) => {
        const recent = () =>
          [-30, 1, -60].map((days) => ({
            id: `r${days}`,
            title: `day ${-days}`,
            created_at: NOW - days * DAY,
          }));
        expect(contentOf(await build({}, { mode, recent }), "recent_conversations")).toBe(
          "- day 60\n- day 30\n- day -1",
        );
      },
    );

    describe("sections", () => {
      test.each(MODES)("%s: have these lines", async (mode) => {
        const found: Partial<Record<reference.MemoryType, Memory[]>> = {
          decision: [
            {
              id: "d1",
              text: "Use Redis",
              score: 0.9,
              outcome: "success",
              confidence: 0.875,
              created_at: NOW,
            },
            { id: "d2", text: "Wait", score: 0.8, confidence: 0.125, created_at: 0 },
          ],
          fact: [
            fact("f1", "Cats purr", 0.9, { subject: "Cats", confidence: 1 }),
            fact("f2", "x ".repeat(150), 0.8, { subject: "" }),
          ],
          procedure: [
            {
              id: "p1",
              text: "Deploy",
              score: 0.9,
              domain: "ops",
              activations: 7,
              effectiveness: 0.125,
            },
            { id: "p2", text: "Wait", score: 0.8 },
          ],
          episode: [
            { id: "e1", text: "Moved house", score: 0.9, outcome: "done", created_at: NOW },
            { id: "e2", text: "Waited", score: 0.8, tags: ["x"] },
            { id: "e3", text: "Gave up", score: 0.7, outcome: "abandoned", tags: ["y"] },
          ],
        };
        const built = await build(found, { mode });
        expect(
          built.sections.slice(2).map(({ priority, label, content }) => [priority, label, content]),
        ).toEqual([
          [
            5,
            "Related Decisions",
            "- [success] Use Redis (confidence: 0.88)\n- [pending] Wait (confidence: 0.12)",
          ],
          [
            6,
            "Relevant Facts",
            `- [Cats] Cats purr [confidence: 1.00]\n- ${"x ".repeat(100).trim()}...`,
          ],
          [
            7,
            "Known Procedures",
            "- **Deploy** (ops): activated 7x, effectiveness: 12%\n- **Wait** (general): activated 0x",
          ],
          [8, "Past Episodes", "- [done] Moved house (2026-02-20)\n- [ongoing] Waited (unknown)"],
        ]);
        expect(reasonsIn(built)).toEqual(["e3 unwanted"]);
        expect(built.prompt).toBe(
          built.sections.map(({ label, content }) => `## ${label}\n\n${content}`).join("\n\n"),
        );
      });

      test.each(MODES)("%s: hold the entries that need no search", async (mode) => {
        const built = await build(
          {},
          {
            mode,
            profile: [
              { id: "u1", text: "Likes tea", category: "preference" },
              { id: "u2", text: "Sun rises", category: "science" },
            ],
            censors: [
              { id: "c1", text: "late", action: "warn" },
              { id: "c2", text: "never", action: "absolute" },
              { id: "c3", text: "stop", action: "block" },
              { id: "c2", text: "nor this", action: "absolute" },
            ],
            frame: {
              frame_id: "own",
              frame_name: "Mine",
              description: "By myself.",
              questions_to_ask: ["Why?"],
            },
            workingMemory: {
              current_task: "Fix it",
              current_frame: "debug",
              open_threads: ["which?"],
              items: [
                { text: "near", relevance: 0.7 },
                { text: "far", relevance: 0.69 },
              ],
            },
          },
        );
        expect(
          built.sections.map(({ priority, label, content }) => [priority, label, content]),
        ).toEqual([
          [1, "Identity", "You are an agent."],
          [1, "User Profile", "- Likes tea"],
          [
            2,
            "Active Censors",
            "- [absolute] never\n- [absolute] nor this\n- [block] stop\n- [warn] late",
          ],
          [3, "Current Frame", "- Mine: By myself.\n- Why?"],
          [4, "Working Memory", "- Task: Fix it\n- Frame: debug\n- Open: which?\n- near"],
        ]);
        expect(built.active_censors).toEqual(["c1", "c2", "c3"]);
        expect(built.left_out).toEqual([
          { id: "u2", section: "user_profile", reason: "unwanted" },
          { id: null, section: "working_memory", reason: "unwanted" },
        ]);
      });

      test("default: end with the signals, if the options ask for them", async () => {
        const found = { signal: [{ id: "s1", text: "Funding turned", score: 1, created_at: NOW }] };
        const input = "which signals are firing?";
        const built = await build(found, { input });
        expect(built.sections.at(-1)).toMatchObject({
          label: "Signals",
          content: "- Funding turned (2026-02-20)",
          budget: 1000,
        });
        expect((await build(found, { input, mode: SEED })).recalled_ids.signal).toEqual([]);
      });
    });

    describe("an oversized section", () => {
      const long = Array.from({ length: 6 }, (_, i) =>
        fact(`f${i}`, `${"abcdefghi ".repeat(8)}end ${i}.`, 1 - i / 10),
      );
      const plan = {
        queries: [{ memory_type: "fact" as const, query_text: "x", limit: 9 }],
        budget_overrides: {},
        skip_types: [],
      };

      test("default: is shortened by whole lines, which are not recalled; a shorter line may still fit", async () => {
        const found = [...long.slice(0, 3), fact("short", "fits", 0.1)];
        const built = await build({ fact: found }, { plan, budgets: { facts: 52 } });
        expect(built.recalled_ids.fact).toEqual(["f0", "f1", "short"]);
        expect(reasonsIn(built)).toEqual(["f2 budget"]);
        for (const line of contentOf(built, "facts")!.split("\n"))
          expect(line).toMatch(/^- \[.*\] .*(end \d\.|fits)$/);
      });

      test("seed: is cut at the budget, and all of its memories count as recalled", async () => {
        const built = await build({ fact: long }, { plan, budgets: { facts: 52 }, mode: SEED });
        const content = contentOf(built, "facts")!;
        expect([content.length, content.endsWith("...")]).toEqual([52 * 4, true]);
        expect(built.recalled_ids.fact).toHaveLength(6);
      });

      test("default: in an oversized prompt the last lines go first and the identity last; seed: there is no limit", async () => {
        const decision = [{ id: "d", text: "Decided", score: 1 }];
        const both = {
          ...plan,
          queries: [
            ...plan.queries,
            { memory_type: "decision" as const, query_text: "x", limit: 1 },
          ],
        };
        const of = (total: number, mode?: Mode) =>
          build({ fact: long, decision }, { plan: both, budgets: { total }, mode });
        const whole = await of(1000);
        expect(whole.recalled_ids.fact).toHaveLength(6);
        expect((await of(whole.tokens)).prompt).toBe(whole.prompt);
        const less = await of(whole.tokens - 1);
        expect(reasonsIn(less)).toEqual(["f5 total"]);
        expect((await of(40)).sections.map(({ name }) => name)).toEqual([
          "identity",
          "frame",
          "decisions",
        ]);
        expect((await of(8)).prompt).toBe("## Identity\n\nYou are an agent.");
        expect((await of(6)).prompt).toBe("## Identity\n\nYou are an...");
        expect((await of(0)).prompt).toBe("");
        expect((await of(0)).tokens).toBe(0);
        expect((await of(8, SEED)).recalled_ids.fact).toHaveLength(6);
      });

      test("default: an identity is cut at a word", async () => {
        const identity =
          "You are an agent that trades coins and keeps a memory of every trade it has ever made.";
        const of = async (tokens: number, mode?: Mode) =>
          contentOf(await build({}, { identity, budgets: { identity: tokens }, mode }), "identity");
        expect(await of(8)).toBe("You are an agent that trades...");
        expect(await of(8, SEED)).toBe("You are an agent that trades ...");
        expect(await of(22)).toBe(identity);
      });

      test("default: a dropped identity is reported", async () => {
        const identityOf = ({ left_out }: reference.BuiltContext) =>
          left_out.filter(({ section }) => section === "identity");
        expect(identityOf(await build({}, { budgets: { total: 3 } }))).toEqual([
          { id: null, section: "identity", reason: "total" },
        ]);
        expect(identityOf(await build({}, { budgets: { identity: 0 } }))).toEqual([
          { id: null, section: "identity", reason: "budget" },
        ]);
        expect(identityOf(await build({}, { identity: "", budgets: { total: 3 } }))).toEqual([]);
        expect(identityOf(await build({}, { budgets: { total: 6 } }))).toEqual([]);
      });

      test("is measured with the caller's tokenizer", async () => {
        const countTokens = (text: string) => text.length;
        const built = await build(
          { fact: long.slice(0, 2) },
          { plan, countTokens, budgets: { facts: 95, frame: 0 } },
        );
        expect(built.recalled_ids.fact).toEqual(["f0"]);
        expect(built.tokens).toBe(built.prompt.length);
        for (const { content, token_estimate } of built.sections)
          expect(token_estimate).toBe(content.length);
      });

      test("seed-compatible: is cut by characters, whatever the tokenizer returns", async () => {
        const built = await build(
          { fact: long },
          { plan, countTokens: (text) => text.length, budgets: { facts: 40 }, mode: SEED },
        );
        const facts = built.sections.find(({ name }) => name === "facts")!;
        expect(facts.content).toHaveLength(4 * 40);
        expect(facts.token_estimate).toBe(4 * 40);
      });
    });

    test.each(MODES)("%s: no memory can imitate a section", async (mode) => {
      for (const text of MARKUP) {
        const everywhere = `${text} then ${text}\n${text}`;
        const memory = {
          text: everywhere,
          outcome: text,
          subject: text,
          category: text,
          domain: text,
          tags: [text],
          score: 1,
        };
        const found = (id: string) => [{ id, ...memory }];
        const built = await build(
          { decision: found("d"), fact: found("f"), procedure: found("p"), episode: found("e") },
          {
            mode,
            profile: [{ id: "u", text: everywhere, category: "rule" }],
            censors: [{ id: "c", text: everywhere, action: "warn" }],
            frame: {
              frame_id: "own",
              frame_name: text,
              description: everywhere,
              questions_to_ask: [everywhere],
            },
            workingMemory: {
              current_task: text,
              open_threads: [everywhere],
              items: [{ text: everywhere, relevance: 1 }],
            },
            recent: () => [{ id: "r", title: everywhere, summary: everywhere, created_at: NOW }],
            input: "what did we do yesterday",
          },
        );
        const lines = built.prompt.split(/[\n\r\u2028\u2029\u0085\v\f]/);
        const headings = built.sections.map(({ label }) => `## ${label}`);
        expect(
          lines.filter((line) => line !== "" && !line.startsWith("- ")),
          text,
        ).toEqual(headings.toSpliced(1, 0, "You are an agent."));
        // The text of a list item can itself begin a heading, a list or a fence.
        for (const line of lines) expect(line).not.toMatch(/^(- )+([#+>=-]|\* |`{3}|~{3}|<!--)/);
        expect(built.prompt).not.toMatch(/(?<![\\`~])(`{3,}|~{3,})|(?<!\\)<!--/);
      }
    });
  },
);
