// Errors explain the fault without revealing paths of the server's machine: the log contains them,
// for the operator.

import { spawn } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { StorageError, withoutPlaces } from "../../js/server/src/storage/errors.ts";
import { logIndexOf, logOf } from "../../js/server/src/storage/files.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { ask } from "./support/direct-agent.ts";
import { raw } from "./support/existing-database.ts";
import { type Running, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { tradeInFile } from "./support/trades.ts";

/** A change of an agent's files before a server starts, and its effect on the answers. */
const FAULTS: readonly (readonly [name: string, fault: (file: string) => void, words: RegExp])[] = [
  ["empty", (file) => truncateSync(file, 0), /is empty/],
  ["of other bytes", (file) => writeFileSync(file, "x".repeat(8_192)), /cannot be opened/],
  ["cut off", (file) => truncateSync(file, 4_096), /cannot be opened|is damaged|malformed/],
  ["gone with its log there", (file) => (writeFileSync(logOf(file), "x"), rmSync(file)), /is gone/],
  [
    "of a newer version",
    (file) => run(file, "UPDATE nous_meta SET value = '999' WHERE key = 'schema'"),
    /use a newer one/,
  ],
  [
    "without a readable schema",
    (file) => run(file, "UPDATE nous_meta SET value = 'x' WHERE key = 'schema'"),
    /no number/,
  ],
  ["a folder", (file) => (rmSync(file), mkdirSync(file)), /cannot be opened|folder/],
  ["with a log that is a folder", (file) => mkdirSync(logOf(file)), /folder in the place of/],
];

function run(file: string, sql: string): void {
  const db = raw(file);
  db.exec(sql);
  db.close();
}

async function damaged(folder: string): Promise<void> {
  for (const [name, fault] of FAULTS) {
    const storage = new SqliteStorage(agentFile(folder, name), { durability: "normal" });
    storage.setMeta("agent", name);
    storage.close();
    run(
      agentFile(folder, name),
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_1', 'concept', 'Funding squeeze')",
    );
    fault(agentFile(folder, name));
  }
}

/**
 * Sends every request that opens, reads, writes and deletes an agent; returns the texts of the
 * answers.
 */
async function answersOf(server: Running, agent: string): Promise<string[]> {
  const { ask } = clientOf(server, agent);
  const answers = [
    await ask("GET /health"),
    await ask("POST /nodes", LESSON),
    await ask("POST /search", { query: "funding squeeze" }),
    await ask("POST /decay", {}),
    await ask("POST /nodes/n_1/purge"),
    await server.ask("GET /agents"),
    await server.ask(`DELETE /agents/${encodeURIComponent(agent)}`),
  ];
  return answers.map(({ body }) => JSON.stringify(body));
}

test("no answer about any fault of files contains a path", { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  await damaged(folder);
  const server = await start(folder, ["--log-level", "warn"]);
  for (const [name, , words] of FAULTS) {
    const texts = await answersOf(server, name);
    expect({ name, error: texts[0] }).toEqual({ name, error: expect.stringMatching(words) });
    for (const text of texts) {
      expect(text).not.toContain(folder);
      expect(text).not.toMatch(/"error":"[^"]*\/(tmp|home|work|var|root)/);
    }
  }
  expect(server.log()).toContain(agentFile(folder, "empty"));
});

test("no answer about a truncated log, or a locked database, contains a path", {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  for (let turn = 0; turn < 20; turn++) await clientOf(first, "cut").create();
  await clientOf(first, "busy").create();
  await first.end("SIGKILL");
  truncateSync(logOf(agentFile(folder, "cut")), 0);
  const second = await start(folder, ["--log-level", "warn"]);
  const cut = await answersOf(second, "cut");
  expect(cut[0]).toMatch(/was cut off or damaged: .*\.db-shm/);
  expect(second.log()).toContain(logIndexOf(agentFile(folder, "cut")));
  const holder = `const db = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(agentFile(folder, "busy"))});
    db.exec("BEGIN IMMEDIATE"); console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", holder]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const busy = [
    await second.ask("DELETE /agents/busy"),
    await clientOf(second, "busy").ask("POST /nodes", LESSON),
  ];
  const bodies = busy.map(({ body }) => JSON.stringify(body));
  for (const text of bodies) expect(text).toMatch(/in use|using it/);
  for (const text of [...cut, ...bodies]) expect(text).not.toContain(folder);
});

test("no report of a consolidation whose database fails contains a path", async () => {
  const file = join(temporaryFolder(), "a.db");
  const agent = new Agent(new SqliteStorage(file, { durability: "normal" }), {
    preset: "trading",
  });
  agent.open();
  tradeInFile(file, "BTC", 0, 20);
  const read = agent.read.bind(agent);
  // It reads the known lessons first, and then the memories similar to each draft.
  let reads = 0;
  vi.spyOn(agent, "read").mockImplementation((work) => {
    reads += 1;
    if (reads > 1) throw new StorageError(`The database ${file} has been replaced.`);
    return read(work);
  });
  const { errors } = await ask(agent, "consolidate");
  expect(errors).not.toEqual([]);
  expect(JSON.stringify(errors)).not.toContain(file);
});

describe("a message without paths", () => {
  const folder = join("/srv", "our data (1)", "nous");

  test.each([
    [
      `The database ${folder}/agents/ab.db cannot be opened: no.`,
      "The database ab.db cannot be opened: no.",
    ],
    [`remove ${folder}/agents/ab.db-shm to go on.`, "remove ab.db-shm to go on."],
    [`There is no agent x in ${folder}.`, "There is no agent x in the data directory."],
    [
      `EACCES: permission denied, mkdir '${folder}/agents'`,
      "EACCES: permission denied, mkdir 'agents'",
    ],
    [`link '${folder}/agents/a.tmp' -> '${folder}/agents/a.db'`, "link 'a.tmp' -> 'a.db'"],
    [`of a neighbour: ${folder}2/x`, `of a neighbour: ${folder}2/x`],
    [
      "The database https://memory.example.org cannot be opened",
      "The database elsewhere cannot be opened",
    ],
    ["There is no room", "There is no room"],
  ])("%s", (message, words) => {
    expect(withoutPlaces(message, folder, "https://memory.example.org")).toBe(words);
  });
});
