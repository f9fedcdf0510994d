// Wrong questions and options are refused. Texts of any kind and of millions of characters are
// answered in time.

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { amount } from "../support/amount.ts";
import {
  ASKED,
  checkDefaultResults,
  EXPECTED,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  MILLIONS,
  NO_NUMBERS,
  ours,
  repeated,
  results,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("questions", () => {
  test("with wrong options are refused by name", () => {
    for (const maxParts of [0, -1, 1.5, Number.NaN, "4", null, {}]) {
      expectRefusal(() => js.decompose("q", null, { maxParts }), { field: "maxParts" });
      expectRefusal(() => js.understand("q", { maxParts }), { field: "maxParts" });
    }
    for (const bySubject of [0, 1, "true", null, {}]) {
      expectRefusal(() => js.decompose("q", null, { bySubject }), { field: "bySubject" });
      expectRefusal(() => js.understand("q", { bySubject }), { field: "bySubject" });
    }
    for (const terms of ["", "ASCII", 5, null, {}]) {
      expectRefusal(() => js.understand("q", { terms }), { field: "terms" });
    }
    for (const now of ["", "yesterday", "2023-02-31", null, Number.NaN, Infinity, {}, true]) {
      expectRefusal(() => js.understand("q", { now }), { field: "now" });
    }
    expectRefusal(() => js.understand("q", { matcher: "regex" }), { field: "matcher" });
    expectRefusal(() => js.understand("q", null), { field: "options" });
    expectRefusal(() => js.decompose("q", null, null), { field: "options" });
    for (const classification of [5, "D4", true, 1n]) {
      expectRefusal(() => js.decompose("q", classification), { field: "classification" });
      expectRefusal(() => js.reformulate("q", classification), { field: "classification" });
    }
  });

  test("with a wrong classification are neither divided nor given entities", () => {
    const question = "this and that?";
    for (const value of [null, undefined, 5, "", "D9", {}, ["D4"]]) {
      const classification = { disqualifier_category: value, entity: value };
      expect(js.decompose(question, classification)).toEqual([question]);
    }
    for (const entity of [null, undefined, 5, "", "x", {}, ["BTC"]])
      expect(js.reformulate("why", { entity })).toBeNull();
  });

  test("and confidence in invalid retrievals is refused", () => {
    for (const wrong of [...NO_NUMBERS, Number.NaN, INFINITY, undefined]) {
      expectRefusal(() => js.calculateRetrievalConfidence(wrong, 0.1, 2, true), {
        field: "topScore",
      });
      if (wrong != null) {
        expectRefusal(() => js.calculateRetrievalConfidence(0.5, wrong, 2, true), {
          field: "secondScore",
        });
      }
      expectRefusal(() => js.getConfidenceLevel(wrong), { field: "score" });
    }
    for (const count of [-1, 0.5, INFINITY, Number.NaN, "2", null]) {
      expectRefusal(() => js.calculateRetrievalConfidence(0.5, 0.1, count, true), {
        field: "resultCount",
      });
    }
    for (const flag of [0, 1, "true", null, undefined]) {
      expectRefusal(() => js.calculateRetrievalConfidence(0.5, 0.1, 2, flag), {
        field: "hasAttribute",
      });
    }
  });

  test("may have millions of characters", () => {
    for (const piece of [
      "what's a's ",
      "? ",
      "from x to\n",
      "who is ",
      "x for ",
      "é's ",
      "漢字",
      "\ud83d ",
    ]) {
      const question = repeated(piece, ["what's a's ", "who is ", "é's "]);
      expect(nous.decompose(question, { disqualifier_category: "D4" })).toEqual([question]);
      const { query, parts, terms } = nous.understand(question, { terms: "unicode" });
      expect([query === question, parts.length, terms.length < 4]).toEqual([true, 1, true]);
      nous.extractQueryEntities(question);
      nous.extractQueryAttribute(question);
      nous.reformulate(question, null);
    }
  });

  test("that are not text are refused, and so are unknown matchers", () => {
    for (const query of [
      undefined,
      null,
      5,
      true,
      {},
      ["live"],
      1n,
      Symbol("query"),
      new String("live"),
    ]) {
      expectRefusal(() => js.classifyIntent(query), { field: "query" });
      if (query != null) expectRefusal(() => js.mergeAndSelect([], { query }), { field: "query" });
      for (const ask of ASKED) expectRefusal(() => js[ask](query), { field: "query" });
    }
    for (const matcher of ["", "Words", "regex", 5, null, {}, true]) {
      expectRefusal(() => js.classifyIntent("live", { matcher }), { field: "matcher" });
    }
  });

  test("may have lone surrogates", () => {
    for (const query of ["\ud83d live", "live\ude80", "\ud83dlive\ude80 rule", "\ude80\ud83d"]) {
      for (const matcher of ["substring", "words"] as const) {
        expect(nous.classifyIntent(query, { matcher })).toEqual(
          reference.classifyIntent(query, { matcher }),
        );
      }
    }
  });

  test("and bodies may have millions of characters, and their memory is freed", async () => {
    const filler = "zz ".repeat(MILLIONS / 3);
    for (const [query, found] of [
      [filler, []],
      [`${filler}live lesson`, ["SIGNALS", "KNOWLEDGE"]],
    ] as const) {
      for (const matcher of ["substring", "words"] as const) {
        expect(nous.classifyIntent(query, { matcher })).toEqual(found);
      }
    }
    const beyondAscii = "é ".repeat(MILLIONS / 2);
    expect(nous.classifyIntent(`${beyondAscii}RULE`, { matcher: "words" })).toEqual(["KNOWLEDGE"]);
    const counted = "live ".repeat(MILLIONS / 5);
    expect(nous.classifyIntent(counted, { explain: true })[0]!.evidence).toBe(MILLIONS / 5);

    const row = { content_title: "t", content_body: filler };
    const head = "- [ · KNOWLEDGE] t (): ";
    expect(nous.formatContext([row])).toBeNull();
    expect(nous.formatContext([row], INFINITY) === head + filler).toBe(true);
    const json = { content_title: "t", content_body: JSON.stringify({ text: beyondAscii }) };
    expect(nous.formatContext([json], INFINITY) === head + beyondAscii).toBe(true);

    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    /** Bytes; one such question alone needs 30 MB in the module. */
    const LITTLE = 25e6;
    const external = async () => {
      expectSame(results(ours), EXPECTED);
      let min = Number.POSITIVE_INFINITY;
      // Unused memory is released in steps.
      for (let i = 0; i < 50 && !(min < LITTLE); i++) {
        await sleep(10);
        collect();
        min = process.memoryUsage().external;
      }
      return min;
    };
    expect(await external()).toBeLessThan(LITTLE);
  });
});

describe("compared texts", () => {
  const NO_TEXTS = [undefined, null, 5, true, {}, ["a"], 1n, Symbol("text"), new String("text")];

  test("of a wrong type, or in an unknown mode, are refused by name", () => {
    for (const wrong of NO_TEXTS) {
      expectRefusal(() => js.overlap(wrong, "a"), { field: "context" });
      expectRefusal(() => js.overlap("a", wrong), { field: "response" });
      expectRefusal(() => js.estimateTokens(wrong), { field: "text" });
    }
    for (const mode of ["", "seed", null, 5])
      expectRefusal(() => js.overlap("a", "b", { mode }), { field: "mode" });
    for (const options of [null, 5])
      expectRefusal(() => js.overlap("a", "b", options), { field: "options" });
  });

  test("may have lone surrogates, and millions of characters", () => {
    for (const text of ["\ud83d redis", "redis\ude80cache", "\ud83d\ud83d\ud83d"]) {
      expect(nous.overlap(text, "redis \ufffd\ufffd\ufffd")).toBe(
        reference.overlap(text, "redis \ufffd\ufffd\ufffd"),
      );
      expect(nous.estimateTokens(text)).toBe(reference.estimateTokens(text));
    }
    for (const piece of ["redis ", "Ärger ", "x", "漢字", "\ud83d", "\n"]) {
      const long = piece.repeat(MILLIONS / piece.length);
      expect(nous.overlap(long, "redis")).toBe(piece === "redis " ? 1 : 0);
      expect(nous.estimateTokens(long)).toBe(Math.floor(long.length / 4));
    }
    const different = Array.from({ length: amount(1_000_000) }, (_, i) => `word${i}`).join(" ");
    expect(nous.overlap(different, `${different} and more`)).toBe(1);
  });
});
