// The progress of reading a file, on a terminal.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withLines } from "../../js/server/src/transfer/files.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const LINE = "a line of an export\n";

/** Reads a file of some lines. Returns their number, and what the standard error got meanwhile. */
function reading(lines: number, isTerminal: boolean): { read: number; shown: string } {
  const file = join(temporaryFolder(), "lines.jsonl");
  writeFileSync(file, LINE.repeat(lines));
  const was = process.stderr.isTTY;
  process.stderr.isTTY = isTerminal;
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
    process.stderr.isTTY = was;
  });
  const read = withLines(file, (all) => [...all].length);
  return { read, shown: written.mock.calls.map(([text]) => String(text)).join("") };
}

test("a bar grows to 100 %, and is removed at the end", () => {
  const { read, shown } = reading(200_000, true);
  expect(read).toBe(200_000);
  const bars = [...shown.matchAll(/(█*)(░*) (\d+) %/g)];
  const percents = bars.map(([, , , percent]) => Number(percent));
  expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
  expect(percents.length).toBeGreaterThan(2);
  expect(percents.at(-1)).toBe(100);
  for (const [, full, empty, percent] of bars) {
    expect(full!.length + empty!.length).toBe(40);
    expect(full!.length).toBe(Math.round((40 * Number(percent)) / 100));
  }
  // Back to the beginning of the line, which is cleared.
  expect(shown.endsWith("\x1b[1G\x1b[2K")).toBe(true);
});

test("without a terminal, and for an empty file, nothing is shown", () => {
  expect(reading(1_000, false).shown).toBe("");
  expect(reading(0, true).shown).toBe("");
});
