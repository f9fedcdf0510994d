// The package compares texts, keeps usage records and builds prompts as the reference does, to the
// bit.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { amount, isFull, runs } from "../support/amount.ts";
import {
  COUNTERS,
  embeddingOf,
  FRAMES,
  IDS_OF_MEMORIES,
  type PromptCase,
  promptCase,
  steps,
  storedMemory,
  text,
} from "./inputs/prompts.ts";
import { same } from "./support/same.ts";

const MODES = ["default", "seed-compatible"] as const;
const mode = fc.constantFrom(...MODES);

function expectSame(actual: unknown, expected: unknown, path?: string): void {
  const difference = same(actual, expected, path);
  if (difference !== null) expect.fail(difference);
}

describe("texts", () => {
  test("overlap and tokens", () => {
    fc.assert(
      fc.property(text, text, mode, (one, other, mode) => {
        expectSame(nous.overlap(one, other, { mode }), reference.overlap(one, other, { mode }));
        expect(nous.estimateTokens(one)).toBe(reference.estimateTokens(one));
      }),
      runs(amount(20_000)),
    );
  });

  test("repetitions in a conversation, by words and by embeddings", async () => {
    const texts = fc.array(text, { maxLength: 8, size: "max" });
    await fc.assert(
      fc.asyncProperty(
        texts,
        texts,
        mode,
        fc.boolean(),
        async (contents, messages, mode, embeds) => {
          const memories = contents.map((content, place) => ({ id: `m ${place}`, content }));
          const embed = (all: readonly string[]) => all.map(embeddingOf);
          const hasBoth = contents.length > 0 && messages.length > 0;
          const vectors =
            embeds && hasBoth ? [...contents, ...messages].map(embeddingOf) : undefined;
          const results = await nous.deduplicate(memories, messages, {
            mode,
            embed: embeds ? embed : null,
          });
          expectSame(results, reference.deduplicate(memories, messages, { mode, vectors }));
        },
      ),
      runs(amount(5_000)),
    );
  });
});

test("budgets equal the reference's", () => {
  const overrides = [{}, null, undefined, { facts: 0 }, { user_profile: 500, total: 1 }];
  for (const frame of [...FRAMES, undefined, null, "constructor"]) {
    for (const override of overrides) {
      expectSame(
        nous.contextBudget(frame, { decisions: 7 }, override),
        reference.contextBudget(frame, { decisions: 7 }, override),
      );
    }
  }
});

test("complete memories equal the reference's", async () => {
  const type = fc.constantFrom(
    "decision",
    "fact",
    "procedure",
    "episode",
    "signal",
    "facts",
    "",
    "Fact",
    "__proto__",
  );
  const ids = fc.constantFrom(...IDS_OF_MEMORIES);
  const outcomes = { found: 0, missing: 0, unknown: 0 };
  await fc.assert(
    fc.asyncProperty(
      type,
      ids,
      fc.array(fc.tuple(ids, storedMemory), { maxLength: 4 }),
      async (type, id, stored) => {
        const rows = new Map(stored);
        const find = (wanted: string) =>
          rows.has(wanted) ? { id: wanted, ...rows.get(wanted) } : undefined;
        const asked = rows.has(id) && type !== "" ? nous.memoryTypeOf(rows.get(id)!.subtype) : type;
        for (const each of [type, asked]) {
          const expanded = await nous.expandMemory(each, id, find);
          expectSame(expanded, reference.expandMemory(each, id, rows));
          outcomes[
            expanded === "not found"
              ? "missing"
              : expanded.startsWith("Unknown")
                ? "unknown"
                : "found"
          ] += 1;
        }
      },
    ),
    runs(amount(10_000)),
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(amount(500, 0));
});

test("usage histories equal the reference's", () => {
  const options = fc.record({
    mode,
    maxRecords: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(5000)),
  });
  fc.assert(
    fc.property(options, steps, (options, steps) => {
      let [tracker, plain] = [new nous.UsageTracker(options), new reference.UsageTracker(options)];
      steps.forEach((step, i) => {
        if (step.kind === "feedback") {
          const { recalled, response, now, ids } = step;
          expectSame(
            tracker.feedback(recalled, response, now, ids),
            plain.feedback(recalled, response, now, ids),
            `step ${i}`,
          );
        } else if (step.kind === "record") {
          for (const each of [tracker, plain]) each.record(step.records, step.now);
        } else {
          tracker = nous.UsageTracker.load(JSON.parse(JSON.stringify(tracker.save())));
          plain = reference.UsageTracker.load(plain.save());
        }
        expectSame(tracker.save(), plain.save(), `step ${i}`);
        expect(tracker.size).toBe(plain.size);
        expectSame(
          tracker.boost(IDS_OF_MEMORIES, NOW),
          plain.boost(IDS_OF_MEMORIES, NOW),
          `step ${i}`,
        );
        for (const id of IDS_OF_MEMORIES) {
          expectSame(tracker.stats(id, NOW), plain.stats(id, NOW), `step ${i}, ${id}`);
          expectSame(tracker.usageScore(id, NOW), plain.usageScore(id, NOW), `step ${i}, ${id}`);
        }
      });
    }),
    runs(amount(3_000)),
  );
});

/** The inputs of a prompt, for either implementation; each has a tracker of its own. */
function optionsOf<Usage>(
  { options, found, recent, embeds, history, counter }: PromptCase,
  usage: Usage,
) {
  return {
    ...options,
    retrieve: ({ memory_type, limit }: { memory_type: reference.MemoryType; limit: number }) =>
      found[memory_type].slice(0, 2 * limit),
    ...(recent === null ? {} : { recent: () => recent }),
    ...(embeds ? { embed: (texts: readonly string[]) => texts.map(embeddingOf) } : {}),
    ...(history === null ? {} : { usage }),
    ...(counter === null ? {} : { countTokens: COUNTERS[counter]! }),
  };
}

test("prompts equal the reference's", async () => {
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(promptCase, async (given) => {
      const { mode = "default" } = given.options;
      const [tracker, plain] = [
        new nous.UsageTracker({ mode }),
        new reference.UsageTracker({ mode }),
      ];
      for (const each of [tracker, plain]) each.record(given.history ?? []);
      const expected = reference.buildContext(optionsOf(given, plain));
      const built = await nous.buildContext(optionsOf(given, tracker));
      expectSame(built, expected);
      for (const { reason } of built.left_out) reasons.add(reason);
      expectLawful(built, given);
    }),
    runs(amount(4_000)),
  );
  const all = [
    ...["budget", "conversation", "diversity", "empty", "known", "limit", "near_duplicate"],
    ...["not_asked", "threshold", "total", "unwanted"],
  ];
  // Near duplicates are rare: a short run may have none.
  if (isFull) expect([...reasons].sort()).toEqual(all);
  else expect(all).toEqual(expect.arrayContaining([...reasons]));
});

/** Laws of every prompt. */
function expectLawful(built: nous.BuiltContext, { options, counter }: PromptCase): void {
  const { prompt, tokens, sections, recalled_ids, recalled_content } = built;
  const recalled = Object.values(recalled_ids).flat();
  expect(new Set(recalled).size, "nothing is recalled twice").toBe(recalled.length);
  expect(Object.keys(recalled_content).sort()).toEqual(recalled.toSorted());
  if (options.mode === "seed-compatible") return;
  const count = counter === null ? reference.estimateTokens : COUNTERS[counter]!;
  const budget = reference.contextBudget(
    built.frame.frame_id,
    built.plan.budget_overrides,
    options.budgets,
  );
  expect(tokens).toBe(prompt === "" ? 0 : count(prompt));
  expect(tokens).toBeLessThanOrEqual(budget.total);
  for (const { name, content, token_estimate } of sections) {
    expect(token_estimate).toBe(count(content));
    if (name !== "recent_conversations") expect(token_estimate).toBeLessThanOrEqual(budget[name]);
  }
}
