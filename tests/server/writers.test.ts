// Eight processes write to one database file, and each moves the log into the file meanwhile: the
// database stays sound, and nothing that was acknowledged is missing.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { checkAll } from "../../js/server/src/check.ts";
import { agentFile, agentsDir } from "../../js/server/src/settings/paths.ts";
import { makeFolder } from "../../js/server/src/storage/make-folder.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { rowsIn } from "./support/existing-database.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const WRITER = fileURLToPath(new URL("support/writer.ts", import.meta.url));
const PROCESSES = 8;
const MINUTES = Number(process.env.WRITERS_MINUTES ?? 0.2);

/** A process that writes, and the memories whose commits it has told. */
interface Writer {
  child: ChildProcess;
  told: string[];
  logged: () => string;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

function startWriter(file: string, name: string): Writer {
  const child = spawn(process.execPath, [WRITER, file, name], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: string[] = [];
  let logged = "";
  createInterface({ input: child.stdout! }).on("line", (id) => told.push(id));
  child.stderr!.on("data", (text) => {
    logged += text;
  });
  // Listened for from the start, since a process that fails ends before it is told to.
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, told, logged: () => logged, ended };
}

/** Returns the memories that a writer's database holds: each fifth write deletes the one before. */
const heldBy = ({ told }: Writer): string[] => {
  const gone = new Set(
    told.flatMap((id) => {
      const [name, turn] = id.split("-") as [string, string];
      return Number(turn) % 5 === 4 ? [`${name}-${Number(turn) - 1}`] : [];
    }),
  );
  return told.filter((id) => !gone.has(id));
};

test("eight processes write to one file and move its log, and lose and damage nothing", {
  timeout: MINUTES * 60_000 + 120_000,
}, async () => {
  const folder = temporaryFolder({ onDisk: true });
  const file = agentFile(folder, "default");
  makeFolder(agentsDir(folder));
  const storage = new SqliteStorage(file, { durability: "normal" });
  storage.setMeta("agent", "default");
  storage.close();
  const writers = Array.from({ length: PROCESSES }, (_, place) => startWriter(file, `w${place}`));
  await setTimeout(MINUTES * 60_000);
  for (const { child } of writers) child.kill("SIGTERM");
  for (const { ended, logged } of writers)
    expect({ code: await ended, logged: logged() }).toEqual({ code: 0, logged: "" });
  for (const { told } of writers) expect(told.length).toBeGreaterThan(10);
  expect(rowsIn(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  const place = { dataDir: folder, durability: "full", postgres: undefined } as const;
  expect([...checkAll(place, {})]).toMatchObject([{ agent: "default", problems: [] }]);
  const stored = rowsIn(file, "SELECT id, content_body FROM nodes");
  expect(stored.map(({ id }) => id).sort()).toEqual(writers.flatMap(heldBy).sort());
  for (const { id, content_body } of stored)
    expect(String(content_body).startsWith(`${id} `)).toBe(true);
  console.log(
    `${writers.reduce((sum, { told }) => sum + told.length, 0)} commits of ${PROCESSES} processes`,
  );
});
