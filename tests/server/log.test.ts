// Lines of the log as readable text.

import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "../../js/server/src/log.ts";
import { runs } from "../support/amount.ts";

const TIME = new Date(2026, 10, 28, 14, 3, 12, 45);

/** Returns a line of JSON as text, without colours. */
const text = (fields: object) =>
  textOf(`${JSON.stringify({ time: TIME.toISOString(), ...fields })}\n`);

test("a line has the time of day, the level, the message and the other fields", () => {
  expect(text({ level: "info", msg: "Stopped" })).toBe("[14:03:12.045] INFO: Stopped\n");
  expect(
    text({ level: "warn", agent: "mira", failure: { name: "down" }, ms: 7, msg: "Slow" }),
  ).toBe('[14:03:12.045] WARN: Slow {"agent":"mira","failure":{"name":"down"},"ms":7}\n');
  expect(text({ level: "error", code: 3 })).toBe('[14:03:12.045] ERROR: {"code":3}\n');
  expect(text({ level: "debug", file: "C:\\data", msg: "Open" })).toBe(
    '[14:03:12.045] DEBUG: Open {"file":"C:\\data"}\n',
  );
});

test("a line holds no control characters but tabs and ends of lines", () => {
  const any = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(any, fc.dictionary(any, any), (msg, fields) => {
      const line = text({ ...fields, level: "info", msg });
      expect(line).not.toMatch(/[^\P{Cc}\t\n]/u);
      expect(line.endsWith("\n")).toBe(true);
    }),
    runs(1_000),
  );
});
