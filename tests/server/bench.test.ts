// `nous-server bench`: measures generated memories, or a copy of the user's own, and leaves no
// files behind.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { BenchReport } from "../../js/server/src/bench.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { testInFull } from "../support/full.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const PATIENCE = { timeout: 600_000 };
const MEASURED = [
  ...["search", "write", "a page and fsync, for comparison", "sweep"],
  ...["start", "start without snapshots"],
];

function bench(dataDir: string, ...options: string[]): string {
  const args = [PROGRAM, "bench", "--data-dir", dataDir, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

testInFull("the bench measures generated memories, and leaves no files behind", PATIENCE, () => {
  const folder = temporaryFolder();
  const report: BenchReport = JSON.parse(bench(folder, "--json", "--durability", "normal"));
  expect(report).toMatchObject({
    machine: { cores: expect.any(Number), node: process.versions.node },
    memory: { nodes: 5_000, dimensions: 384, is_own: false },
    durability: "normal",
    folder,
  });
  expect(report.measured.map(({ what }) => what)).toEqual(MEASURED);
  for (const { count, median_ms, p95_ms } of report.measured) {
    expect(count).toBeGreaterThan(0);
    expect(median_ms).toBeGreaterThan(0);
    expect(p95_ms).toBeGreaterThanOrEqual(median_ms);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test(
  "the bench measures a copy of an existing memory, which stays unchanged",
  PATIENCE,
  async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    for (let place = 0; place < 3; place++) {
      await clientOf(server, "own").create({ embedding: [place + 1, 2, 3, 4] });
    }
    await server.end();
    const file = agentFile(folder, "own");
    const [before, files] = [readFileSync(file), readdirSync(folder)];
    const output = bench(folder, "--own", "--agent", "own");
    expect(output).toContain("a copy of 3 memories, 0 edges, vectors of 4\n");
    for (const what of MEASURED)
      expect(output).toMatch(new RegExp(`^${what} +[\\d.]+ ms +[\\d.]+ ms +\\d+$`, "m"));
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(files);
  },
);

test("the bench reports a missing agent", () => {
  const folder = temporaryFolder();
  const args = [PROGRAM, "bench", "--data-dir", folder, "--own", "--agent", "nobody"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("There is no agent nobody"),
  });
  expect(readdirSync(folder)).toEqual([]);
});
