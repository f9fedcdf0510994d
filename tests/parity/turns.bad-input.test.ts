// Wrong turns of conversation and plans are refused. Texts of any kind and length are accepted.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import {
  checkDefaultResults,
  EXPECTED,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  NEGATIVE_INFINITY,
  NO_NUMBERS,
  ours,
  repeated,
  results,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("turns", () => {
  const ASKED = ["classifyTurn", "planTurn", "selectFrame", "nextTopic"] as const;
  const signals = (changes: object) => ({
    ...nous.classifyTurn("should we use Redis?"),
    ...changes,
  });
  const refused = (changes: object, field: string) =>
    expectRefusal(() => js.planRetrieval(signals(changes)), { field });

  test("that are not text, or in an unknown frame or mode, are refused by name", () => {
    for (const wrong of [
      undefined,
      null,
      5,
      true,
      {},
      ["hey"],
      1n,
      Symbol("text"),
      new String("hey"),
    ]) {
      for (const ask of ASKED) expectRefusal(() => js[ask](wrong), { field: "text" });
      if (wrong === undefined) continue;
      for (const ask of ["classifyTurn", "planTurn"])
        expectRefusal(() => js[ask]("hey", wrong), { field: "frame" });
    }
    for (const mode of ["", "seed", "Default", 5, null, {}, true]) {
      for (const ask of ["classifyTurn", "planTurn"]) {
        expectRefusal(() => js[ask]("hey", "task", { mode }), { field: "mode" });
      }
      expectRefusal(() => js.planRetrieval(signals({}), { mode }), { field: "mode" });
    }
    for (const options of [null, 5, "seed-compatible", true]) {
      expectRefusal(() => js.planTurn("hey", "task", options), { field: "options" });
      expectRefusal(() => js.planRetrieval(signals({}), options), { field: "options" });
    }
  });

  test("with wrong signals are refused by their name", () => {
    for (const wrong of [undefined, null, 5, "hey", true, 1n]) {
      expectRefusal(() => js.planRetrieval(wrong), { field: "signals" });
    }
    for (const wrong of [5, null, true, {}, ["hey"], 1n]) {
      for (const field of ["input", "frame_type"]) refused({ [field]: wrong }, field);
      refused({ topic_keywords: ["redis", wrong] }, "topic_keywords[1]");
    }
    expectRefusal(() => js.planRetrieval({}), { field: "frame_type" });
    for (const wrong of [...NO_NUMBERS, Number.NaN, INFINITY, NEGATIVE_INFINITY, -0.1, 1.1, null]) {
      refused({ temporal_recency: wrong }, "temporal_recency");
    }
    for (const wrong of [...NO_NUMBERS, Number.NaN, INFINITY, NEGATIVE_INFINITY, -0.1]) {
      for (const type of ["decision", "fact", "procedure", "episode", "signal"]) {
        refused({ memory_type_hints: { [type]: wrong } }, `memory_type_hints.${type}`);
      }
    }
    for (const wrong of [5, null, "decision", true, 1n, [1]])
      refused({ memory_type_hints: wrong }, "memory_type_hints");
    for (const wrong of [5, null, "redis", true, {}, new Set(["redis"])]) {
      refused({ topic_keywords: wrong }, "topic_keywords");
    }
    refused({ topic_keywords: new Array(2) }, "topic_keywords[0]");
    for (const wrong of [0, 1, "true", null, {}]) {
      for (const field of ["is_question", "is_greeting", "is_acknowledgement"])
        refused({ [field]: wrong }, field);
    }
  });

  test("may have unusual but valid signals", () => {
    const of = (changes: object) =>
      js.planRetrieval(Object.freeze({ __proto__: null, ...signals(changes) }));
    expect(
      of({ memory_type_hints: { __proto__: null, decision: 0, fact: null, other: "much" } })
        .queries[0].limit,
    ).toBe(5);
    expect(
      of({ memory_type_hints: { decision: Number.MAX_VALUE, episode: 5e-324 } }).queries[0].limit,
    ).toBe(8);
    expect(of({ topic_keywords: ["\ud83d", ""] }).queries[0].query_text).toBe("\ud83d ");
    expect(of({ topic_keywords: [], input: "\ud83d" }).queries[0].query_text).toBe("\ud83d");
    expect(
      of({ topic_keywords: [], is_question: false, memory_type_hints: {}, temporal_recency: -0 })
        .queries,
    ).toEqual([]);
    expect(of({ frame_type: "__proto__", entity_mentions: 5 }).budget_overrides).toEqual({});
    const many = Array.from({ length: 200_000 }, (_, index) => `word${index}`);
    expect(of({ topic_keywords: many }).queries[3].query_text).toBe(many.join(" "));
    const large = "x".repeat(10_000_000);
    refused({ topic_keywords: new Array(60).fill(large) }, "topic_keywords");
  });

  test("may have lone surrogates, which stay unchanged", () => {
    for (const text of [
      "hey \ud83d, tell me about Re\ude80dis Redi\ud83d",
      "\ude80Redis \ud83d",
      "so\ud83d\ud83d Élan",
    ]) {
      for (const mode of ["default", "seed-compatible"] as const) {
        expectSame(
          nous.planTurn(text, "task", { mode }),
          reference.planTurn(text, "task", { mode }),
        );
      }
      expect(nous.nextTopic(text)).toBe(text);
    }
  });

  test("may have millions of characters", () => {
    const pieces = [
      "hey ",
      "hey, hi ",
      "good  ",
      "today ",
      "Redis ",
      "what is ",
      "is that ",
      "recap",
      "é",
      "Élan. ",
    ];
    for (const piece of [...pieces, "漢字", " ", "\n", "?", "\ud83d "]) {
      const text = repeated(piece, ["hey, hi ", "Élan. ", "recap"]);
      for (const mode of ["default", "seed-compatible"] as const) {
        const { signals, plan } = nous.planTurn(text, undefined, { mode });
        expect(text.endsWith(signals.input)).toBe(true);
        expect(signals.topic_keywords.length).toBeLessThan(3);
        expect([0, 4, 5]).toContain(plan.queries.length);
      }
      expect(nous.nextTopic(text)?.length ?? 0).toBeLessThanOrEqual(200);
    }
  });

  test("read by a getter: its exception comes through, and its calls do no harm", () => {
    const own = new Error("from a getter");
    const fields = Object.keys(signals({})).filter((field) => field !== "entity_mentions");
    expect(fields).toHaveLength(8);
    for (const field of fields) {
      const trapped = (get: () => unknown) =>
        Object.defineProperty(signals({}), field, { get, enumerable: true });
      const throwing = trapped(() => {
        throw own;
      });
      expect(thrownBy(() => js.planRetrieval(throwing))).toBe(own);
      let inner: unknown;
      const value = signals({})[field as keyof nous.TurnSignals];
      const calling = trapped(() => {
        inner = results(ours);
        return value;
      });
      expectSame(js.planRetrieval(calling), nous.planRetrieval(signals({})));
      expectSame(inner, EXPECTED);
    }
    const options = {
      get mode() {
        results(ours);
        return "seed-compatible" as const;
      },
    };
    expect(nous.planTurn("thanks", "task", options).plan.queries).toHaveLength(4);
  });

  test("and subtypes of any kind have a type", () => {
    for (const subtype of [undefined, null, "", "constructor", 5, {}, Symbol("subtype")]) {
      expect(js.memoryTypeOf(subtype)).toBe("fact");
    }
  });
});
