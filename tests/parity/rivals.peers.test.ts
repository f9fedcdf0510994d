// The bench beside libraries and databases, as far as it needs no environment of Python.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Data, DIMENSIONS, LIMIT, vectorAt } from "../../benches/js/peers/data.ts";
import { writeData } from "../../benches/js/peers/make-data.ts";
import { recallOf } from "../../benches/js/peers/measure.ts";
import { bundleProgram } from "../../js/scripts/bundle.mjs";
import { patience } from "../support/amount.ts";

const PROGRAMS = [
  "benches/js/peers.ts",
  "benches/js/peers/library.ts",
  "benches/js/plain-server/main.ts",
];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "nous-peers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs the bench in a folder that has no environment of Python yet. Returns the cells of its rows. */
async function rowsOf(only: string): Promise<string[][]> {
  const [program] = await Promise.all(PROGRAMS.map(bundleProgram));
  const root = temporaryFolder();
  mkdirSync(join(root, ".cache"));
  for (const part of ["js", "benches", ".cache/programs"])
    symlinkSync(resolve(part), join(root, part));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program!, "--small", "--folder", root, "--only", only],
    { cwd: root, env: { ...process.env, PYTHON: join(root, "python") }, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const rows = stdout.split("\n").filter((line) => line.startsWith("| 300 "));
  return rows.map((row) =>
    row
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

test("each contestant has its figures in a row, and one that fails is named with its error", {
  timeout: patience(120_000),
}, async () => {
  const rows = await rowsOf("hnswlib,nous-server,nous-wasm,plain,fts5,minisearch,orama");
  const [failed, ...measured] = rows;
  expect(failed!.slice(0, 3)).toEqual(["300", "hnswlib", "Python"]);
  expect(failed![3]).toMatch(/^failed: .*python -m venv .* failed: .*ENOENT/);
  const time = expect.stringMatching(/^[\d.]+ (ns|µs|ms|s)$/);
  const bytes = expect.stringMatching(/^[\d.]+ MB$/);
  const written = (how: string) => expect.stringMatching(new RegExp(`^[\\d.]+ (µs|ms|s), ${how}$`));
  const rowOf = (label: string, over: string, how: string, by: string) => [
    ...["300", label, over, time, time, written(how)],
    ...[time, time, bytes, bytes, `by ${by}`],
  ];
  expect(measured).toEqual([
    rowOf("nous-server", "HTTP", "synced", "more than vectors"),
    rowOf("nous-wasm", "Node", "whole file", "more than vectors"),
    rowOf("plain server, by signals", "HTTP", "synced", "more than vectors"),
    rowOf("SQLite FTS5", "Node", "synced", "words"),
    rowOf("MiniSearch", "Node", "whole file", "words"),
    rowOf("Orama", "Node", "whole file", "words"),
  ]);
});

test("recall compares answers with the nearest memories by the cosine", () => {
  const folder = temporaryFolder();
  const nearest = writeData(
    folder,
    { memories: 200, rounds: 1, seconds: 1, least: 1 },
    { questions: 6, writes: 2, judged: 3 },
  );
  const data = new Data(folder);
  const memories = data.vectors();
  const lengths = [memories, data.added, data.asked].map(({ length }) => length / DIMENSIONS);
  expect(lengths).toEqual([200, 2, 6]);
  const sorted = [0, 1, 2].map((question) => {
    const cosine = (place: number) =>
      vectorAt(memories, place).reduce(
        (sum, component, at) => sum + component * vectorAt(data.asked, question)[at]!,
        0,
      );
    return Array.from({ length: 200 }, (_, place) => place).sort((a, b) => cosine(b) - cosine(a));
  });
  expect(nearest).toEqual(sorted.map((places) => places.slice(0, LIMIT)));
  expect(recallOf(nearest, nearest)).toBe(1);
  const half = sorted.map((places) => places.slice(LIMIT / 2, LIMIT / 2 + LIMIT));
  expect(recallOf(half, nearest)).toBe(0.5);
  // A contestant that is slow has answered fewer questions.
  expect(recallOf([nearest[0]!.slice(0, 5)], nearest)).toBe(0.5);
});
