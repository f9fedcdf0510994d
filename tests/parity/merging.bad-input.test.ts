// Wrong rows to merge and wrong memories are refused. Unusual but valid ones are accepted.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import {
  checkDefaultResults,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  NEGATIVE_INFINITY,
  NO_NUMBERS,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("merging", () => {
  test("refuses results that are not lists of pairs, by place", () => {
    for (const wrong of [undefined, null, 5, "results", {}, new Set(), () => []]) {
      expectRefusal(() => js.mergeAndSelect(wrong), { field: "subResults" });
    }
    const good = ["a", [{ id: "x", score: 1 }]];
    for (const wrong of [
      null,
      undefined,
      "pair",
      5,
      {},
      [],
      ["a"],
      ["a", null],
      ["a", {}],
      ["a", "rows"],
    ]) {
      expectRefusal(() => js.mergeAndSelect([good, wrong]), { field: "subResults[1]" });
    }
    expectRefusal(() => js.mergeAndSelect(new Map([["a", null]])), { field: "subResults[0]" });
    for (const wrong of [null, undefined, 5, "row", true]) {
      const details = { field: "subResults[1]", index: 2 };
      expectRefusal(() => js.mergeAndSelect([good, ["b", [{ id: "y" }, {}, wrong]]]), details);
    }
  });

  test("refuses wrong options by name", () => {
    const wrong: [string, unknown[]][] = [
      ["intentBoost", [Number.NaN, INFINITY, ...NO_NUMBERS]],
      ["relevanceRatio", [Number.NaN, NEGATIVE_INFINITY, null, ...NO_NUMBERS]],
      ["maxResults", [Number.NaN, -1, 0.5, NEGATIVE_INFINITY, null, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        expectRefusal(() => js.mergeAndSelect([["a", [{ id: "x" }]]], { [field]: value }), {
          field,
        });
      }
    }
    expectRefusal(() => js.mergeAndSelect([], null), { field: "options" });
  });

  test("keeps a row's own key named __proto__, and the row's prototype", () => {
    const row = JSON.parse(
      '{ "id": "a", "score": 1, "subtype": "custom:signal", "__proto__": { "polluted": true } }',
    );
    const [merged] = nous.mergeAndSelect([["q", [row]]], { query: "signal" });
    const [expected] = reference.mergeAndSelect([["q", [row]]], { query: "signal" });
    expect(Object.entries(merged!)).toEqual(Object.entries(expected!));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  test("accepts unusual scores and ids", () => {
    const rows = [
      ...[
        Number.NaN,
        INFINITY,
        "0.9",
        " 1e-1 ",
        "",
        "abc",
        null,
        undefined,
        {},
        [],
        true,
        5n,
        Symbol("score"),
      ],
    ].map((score, i) => ({ id: `n_${i}`, score }));
    const ids = [
      { id: "__proto__", score: 0.8 },
      { id: "constructor", score: 0.7 },
      { id: "\ud83d", score: 0.6 },
    ];
    const groups: [string, nous.MergeRow[]][] = [
      ["a", [...rows, ...ids]],
      ["b", []],
    ];
    for (const relevanceRatio of [0, 0.4, 1, 2, -1]) {
      for (const maxResults of [0, 1, 20, INFINITY]) {
        const options = { relevanceRatio, maxResults };
        expectSame(nous.mergeAndSelect(groups, options), reference.mergeAndSelect(groups, options));
      }
    }
    expect(nous.mergeAndSelect([])).toEqual([]);
    expect(nous.mergeAndSelect(new Map())).toEqual([]);
  });

  test("refuses a selection that is not a list of nodes", () => {
    for (const wrong of [undefined, null, {}, "nodes"]) {
      expectRefusal(() => js.coRecallPairs(wrong), { field: "selected" });
    }
    for (const wrong of [null, undefined, 5, "node"]) {
      expectRefusal(() => js.coRecallPairs([{ id: "a" }, wrong]), { field: "selected", index: 1 });
    }
    const many = Array.from({ length: 20_000 }, (_, place) => ({
      id: `n${place}`,
      _sub_query_group: 0,
    }));
    expectRefusal(() => nous.coRecallPairs(many), { field: "selected" }, "out_of_memory");
    expect(
      nous.coRecallPairs(many.map((node, place) => ({ ...node, _sub_query_group: place }))),
    ).toEqual([]);
  });
});

describe("memories", () => {
  const FIELDS = [
    "subtype",
    "type",
    "memory_section",
    "content_title",
    "content_body",
    "content_summary",
  ];

  test("with a field that is not text are refused by place, id and field", () => {
    for (const field of [...FIELDS, "provenance_created_at"]) {
      for (const wrong of [
        5,
        Number.NaN,
        true,
        {},
        ["text"],
        1n,
        Symbol("text"),
        new String("text"),
        new Date(Number.NaN),
      ]) {
        const rows = [{}, { id: "m", [field]: wrong }];
        expectRefusal(() => js.formatContext(rows), { field, index: 1, id: "m" });
        expectRefusal(() => js.formatContext([{ [field]: wrong }]), { field, index: 0 });
      }
    }
    for (const field of FIELDS) {
      expectRefusal(() => js.formatContext([{ [field]: new Date(0) }]), { field, index: 0 });
    }
  });

  test("that are not a list of objects are refused", () => {
    for (const wrong of [undefined, null, {}, "rows", new Set()]) {
      expectRefusal(() => js.formatContext(wrong), { field: "results" });
    }
    for (const wrong of [null, undefined, 5, "row"]) {
      expectRefusal(() => js.formatContext([{}, wrong]), { field: "results", index: 1 });
    }
  });

  test("with a wrong budget are refused, and budgets at the limits accepted", () => {
    for (const wrong of [Number.NaN, -1, -5e-324, NEGATIVE_INFINITY, null, ...NO_NUMBERS]) {
      expectRefusal(() => js.formatContext([{}], wrong), { field: "maxTokens" });
    }
    for (const wrong of [null, 1, "yes", NaN]) {
      expectRefusal(() => js.formatContext([{}], 10, { emptyAsMissing: wrong }), {
        field: "emptyAsMissing",
      });
      expectRefusal(() => js.formatContext([{}], 10, wrong), { field: "options" });
    }
    expect(nous.formatContext([{}], 0)).toBeNull();
    expect(nous.formatContext([{}], INFINITY)).toBe("- [ · KNOWLEDGE] Untitled (): ");
    expect(nous.formatContext([], INFINITY)).toBeNull();
  });

  test("may have Dates, and lone surrogates, which become U+FFFD", () => {
    expect(nous.formatContext([{ provenance_created_at: new Date(NOW) }])).toContain(
      "(2026-02-20)",
    );
    const rows = [{ content_title: "\ud83d!", content_body: "\ude80", subtype: "custom:\ud83d" }];
    expect(nous.formatContext(rows)).toBe("- [\ufffd · KNOWLEDGE] \ufffd! (): \ufffd");
    expect(nous.formatContext([{ content_body: '{"text":"\ud83d"}' }])).toContain("): \ufffd");
  });
});
