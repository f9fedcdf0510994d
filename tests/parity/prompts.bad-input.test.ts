// Wrong budgets, usage records and rows for a prompt are refused by name.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { amount } from "../support/amount.ts";
import {
  checkDefaultResults,
  expectRefusal,
  INFINITY,
  js,
  NO_NUMBERS,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("budgets", () => {
  test("of invalid frames and overrides are refused by name", () => {
    for (const frame of [5, true, {}, ["task"]])
      expectRefusal(() => js.contextBudget(frame), { field: "frame" });
    for (const budgets of [5, "task", true])
      expectRefusal(() => js.contextBudget("task", budgets), { field: "budgets" });
    for (const wrong of [-1, 0.5, Number.NaN, INFINITY, null, ...NO_NUMBERS]) {
      for (const name of ["total", "facts", "conversation_window"]) {
        expectRefusal(() => js.contextBudget("task", {}, { [name]: wrong }), {
          field: `budgets.${name}`,
        });
      }
    }
    const before = nous.contextBudget("task");
    nous.contextBudget("task").facts = 0;
    expect(nous.contextBudget("task")).toEqual(before);
  });
});

describe("usage", () => {
  const record = (changes: object = {}) => ({
    memory_id: "a",
    retrieved_at: NOW,
    was_referenced: true,
    ...changes,
  });
  const WRONG: [string, unknown[]][] = [
    ["memory_id", [undefined, null, "", 5, {}, Symbol("id")]],
    ["retrieved_at", [undefined, null, Number.NaN, INFINITY, "2026-01-15", new Date(NOW)]],
    ["memory_type", [5, true, {}, ["fact"], Symbol("fact")]],
    ["was_referenced", [undefined, null, 0, 1, "true", {}]],
  ];

  /** A tracker with a record that no call may change. */
  function kept(change: (usage: nous.UsageTracker) => void): void {
    const usage = new nous.UsageTracker({ maxRecords: 5 });
    usage.record([record(), record({ memory_id: "b", was_referenced: false }), record()]);
    const before = usage.save();
    change(usage);
    expect(usage.save()).toEqual(before);
  }

  test("with wrong records is refused by place and field, and nothing is recorded", () => {
    kept((usage) => {
      for (const [field, values] of WRONG) {
        for (const value of values) {
          const wrong = [record(), record({ [field]: value })] as nous.UsageRecord[];
          expectRefusal(() => usage.record(wrong), { field, index: 1 });
        }
      }
      for (const wrong of [undefined, null, 5, "records", {}]) {
        expectRefusal(() => usage.record(wrong as never), { field: "records" });
      }
      for (const wrong of [null, undefined, 5, "record"]) {
        expectRefusal(() => usage.record([record(), wrong] as never), {
          field: "records",
          index: 1,
        });
      }
    });
  });

  test("with wrong feedback is refused by name, and nothing is recorded", () => {
    kept((usage) => {
      for (const wrong of [undefined, null, 5, "a", ["a"], new Map([["a", "x"]])]) {
        expectRefusal(() => usage.feedback(wrong as never, "x"), { field: "recalled" });
      }
      for (const wrong of [undefined, null, 5, {}, ["a"]]) {
        expectRefusal(() => usage.feedback({ good: "x", bad: wrong } as never, "x"), {
          field: 'recalled["bad"]',
        });
        expectRefusal(() => usage.feedback({ good: "x" }, wrong as never), { field: "response" });
      }
      for (const now of [null, Number.NaN, "yesterday", {}]) {
        expectRefusal(() => usage.feedback({ good: "x" }, "x", now as never), { field: "now" });
        expectRefusal(() => usage.usageScore("a", now as never), { field: "now" });
        expectRefusal(() => usage.record([record()], now as never), { field: "now" });
        expectRefusal(() => usage.boost(["a"], now as never), { field: "now" });
      }
      const feedback = (ids: unknown) => () =>
        usage.feedback({ good: "x" }, "x", NOW, ids as never);
      for (const wrong of [5, "fact", ["fact"], new Map()])
        expectRefusal(feedback(wrong), { field: "recalledIds" });
      for (const wrong of [5, "good", null])
        expectRefusal(feedback({ fact: wrong }), { field: "recalledIds.fact" });
      expectRefusal(feedback({ fact: ["a", 5] }), { field: "recalledIds.fact", index: 1 });
      const own = new RangeError("from a getter");
      const throwing = {
        good: "x",
        get bad(): string {
          throw own;
        },
      };
      expect(thrownBy(() => usage.feedback(throwing, "x"))).toBe(own);
    });
  });

  test("refuses wrong queries", () => {
    kept((usage) => {
      for (const wrong of [undefined, null, "a", {}]) {
        expectRefusal(() => usage.boost(wrong as never), { field: "ids" });
      }
      for (const wrong of [undefined, null, "", 5, {}]) {
        expectRefusal(() => usage.boost(["a", wrong] as never), { field: "ids", index: 1 });
      }
      for (const wrong of [undefined, null, 5, {}])
        expectRefusal(() => usage.stats(wrong as never), { field: "id" });
      expect(usage.boost([])).toEqual([]);
      expect([usage.usageScore(""), usage.stats("__proto__")]).toEqual([0, null]);
    });
    for (const maxRecords of [0, -1, 0.5, 10_000_001, Number.NaN, INFINITY, "5", null]) {
      expectRefusal(() => new nous.UsageTracker({ maxRecords } as never), { field: "maxRecords" });
    }
    expectRefusal(() => new nous.UsageTracker({ mode: "seed" } as never), { field: "mode" });
    expectRefusal(() => new nous.UsageTracker({ cap: 5 } as never), { field: "cap" });
    for (const options of [null, 5, []])
      expectRefusal(() => new nous.UsageTracker(options as never), { field: "options" });
  });

  test("saved in another form is not loaded", () => {
    const usage = new nous.UsageTracker({ maxRecords: 3 });
    usage.record([record(), record()]);
    const state = usage.save();
    const load = (changes: object) => () =>
      nous.UsageTracker.load({ ...state, ...changes } as never);
    const code = "invalid_snapshot";
    for (const version of [0, 2, "1", null, undefined])
      expectRefusal(load({ version }), { field: "version" }, code);
    for (const mode of ["seed", 5, null]) expectRefusal(load({ mode }), { field: "mode" }, code);
    for (const max_records of [0, 1.5, "3", null, undefined]) {
      expectRefusal(load({ max_records }), { field: "max_records" }, code);
    }
    for (const records of [undefined, null, {}, "[]"])
      expectRefusal(load({ records }), { field: "records" }, code);
    for (const [field, values] of WRONG) {
      for (const value of values) {
        expectRefusal(
          load({ records: [record(), record({ [field]: value })] }),
          { field, index: 1 },
          code,
        );
      }
    }
    expectRefusal(load({ max_records: 1 }), { field: "records" }, code);
    for (const wrong of [undefined, null, 5, "state"]) {
      expectRefusal(() => nous.UsageTracker.load(wrong as never), { field: "state" }, code);
    }
    const before = JSON.stringify(state);
    nous.UsageTracker.load(state).record([record({ memory_id: "c" })]);
    expect(JSON.stringify(state)).toBe(before);
  });

  test("may have very many records, and ids of any kind", () => {
    const all = amount(1_000_000);
    const many = Array.from({ length: all }, (_, i) =>
      record({ memory_id: `m${i % 1000}`, retrieved_at: i }),
    );
    const kept = 0.7 * all;
    const usage = new nous.UsageTracker({ maxRecords: kept });
    usage.record(many as nous.UsageRecord[]);
    expect([usage.size, usage.stats("m7", NOW)!.times_retrieved]).toEqual([kept, kept / 1000]);
    expect(nous.UsageTracker.load(usage.save()).save()).toEqual(usage.save());
    const odd = ["__proto__", "constructor", "\ud83d", "\ude80", "10", " "];
    const recorded = usage.feedback(
      Object.fromEntries(odd.map((id) => [id, `about ${id} redis`])),
      "redis",
    );
    expect(recorded.map(({ memory_id }) => memory_id).sort()).toEqual(odd.toSorted());
    usage.feedback(Object.fromEntries(odd.map((id) => [id, "redis"])), "redis");
    expect(usage.boost(odd)).toEqual(odd.map(() => 2));
  });
});

describe("rows converted to memories of a prompt", () => {
  const of = (row: object) => nous.contextMemory({ id: "a", ...row });

  test("are refused if they are not objects; their content is read as far as it is valid", () => {
    for (const wrong of [undefined, null, 5, "row"])
      expectRefusal(() => js.contextMemory(wrong), { field: "row" });
    const odd = [undefined, null, 5, true, {}, ["x"], Symbol("x")];
    for (const value of odd) {
      const memory = js.contextMemory({
        ...{
          id: "a",
          subtype: value,
          content_title: value,
          content_body: value,
          content_summary: value,
        },
        ...{ score: value, tags: value === null ? null : [value] },
      });
      expect([memory.type, memory.score, memory.text]).toEqual(["fact", value === 5 ? 5 : 0, ""]);
    }
    for (const content_body of [
      "{",
      "{}",
      "[1]",
      '{"text":5,"outcome":{},"confidence":2,"sample_size":-1}',
      "null",
    ]) {
      const { text, outcome, confidence, activations } = of({ content_title: "T", content_body });
      expect([outcome, confidence, activations]).toEqual([undefined, undefined, undefined]);
      expect(text).toBe(["{", "[1]", "null"].includes(content_body) ? `T: ${content_body}` : "T");
    }
  });

  test("give memories that a prompt accepts, even if fields are empty or wrong", async () => {
    const rows: [object, Partial<nous.ContextMemory>][] = [
      [{ provenance_created_at: "", created_at: 5 }, { created_at: 5 }],
      [
        { provenance_created_at: "yesterday", created_at: "2026-01-15" },
        { created_at: "2026-01-15" },
      ],
      [{ provenance_created_at: new Date(Number.NaN) }, { created_at: undefined }],
      [{ created_at: 9e15 }, { created_at: undefined }],
      [{ tags: [1, "", "a", null, "b"] }, { tags: ["a", "b"], subject: "a" }],
      [{ tags: "a" }, { tags: [] }],
    ];
    for (const [row, expected] of rows) {
      const memory = of({ content_title: "T", ...row });
      expect(memory).toMatchObject(expected);
      const built = await nous.buildContext({
        ...{ input: "the session cache", identity: "I", frame: "task" },
        retrieve: ({ memory_type }) => (memory_type === "fact" ? [memory] : []),
      });
      expect([built.recalled_ids.fact, built.failed]).toEqual([["a"], []]);
    }
  });

  test("take fields from their bodies", () => {
    const body = (fields: object) => ({ content_body: JSON.stringify(fields) });
    expect(
      of({
        subtype: "custom:thesis",
        content_title: "Higher BTC",
        ...body({ text: "why", confidence: 0.7 }),
      }),
    ).toMatchObject({
      ...{ type: "decision", text: "Higher BTC", confidence: 0.7 },
    });
    const close = body({ text: "Stopped.", signals: { outcome: "loss", confidence: 0.4 } });
    const closed = {
      subtype: "custom:trade_close",
      content_title: "Closed BTC",
      tags: ["BTC", "loss"],
      score: "0.5",
      ...close,
    };
    expect(of({ ...closed, provenance_created_at: "2026-01-15", created_at: 5 })).toMatchObject({
      ...{
        type: "fact",
        text: "Closed BTC: Stopped.",
        outcome: "loss",
        subject: "BTC",
        category: "BTC",
        score: 0.5,
      },
      ...{ confidence: 0.4, created_at: "2026-01-15" },
    });
    const playbook = body({ success_count: 3, sample_size: 4, domain: "scalps" });
    expect(
      of({ subtype: "custom:playbook", content_title: "Fade", content_summary: "s", ...playbook }),
    ).toMatchObject({
      ...{ type: "procedure", text: "Fade", domain: "scalps", activations: 4, effectiveness: 0.75 },
    });
    expect(
      of({
        subtype: "custom:playbook",
        content_title: "New",
        ...body({ sample_size: 0, success_count: 0 }),
      }),
    ).toMatchObject({
      ...{ activations: 0, effectiveness: undefined },
    });
    expect(
      of({
        subtype: "custom:signal",
        content_summary: "A summary",
        content_body: "body",
        created_at: NOW,
      }),
    ).toMatchObject({
      ...{ type: "signal", text: "A summary", created_at: NOW },
    });
  });
});
