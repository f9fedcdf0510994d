// Files that are deleted, moved or replaced while a server has them open: no write is acknowledged
// that would be lost, memory is still readable, and a known agent never appears empty.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { agentFile, agentsDir } from "../../js/server/src/settings/paths.ts";
import { logIndexOf, logOf } from "../../js/server/src/storage/files.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { some } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { describe, test } from "../support/in-turn.ts";
import { raw } from "./support/existing-database.ts";
import { type Running, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const MOVED = /nothing is written\. Put the files back; or stop the server/;
const AGENT = "known";

interface Setting {
  folder: string;
  file: string;
  /** A folder of another name on the same disk. */
  aside: string;
  server: Running;
}

async function setUp(options: readonly string[] = []): Promise<Setting> {
  const folder = temporaryFolder({ onDisk: true });
  const server = await start(folder, ["--log-level", "warn", ...options]);
  const { create } = clientOf(server, AGENT);
  for (let place = 0; place < 3; place++) await create({ id: `n_${place}` });
  await clientOf(server, "other").create({ id: "n_other" });
  return { folder, file: agentFile(folder, AGENT), aside: join(folder, "aside"), server };
}

const filesOf = (file: string) =>
  [file, logOf(file), logIndexOf(file)].filter((path) => existsSync(path));

/**
 * Writes of every kind are refused with an explanation, and the data in memory is still readable.
 */
async function isWatched({ server, folder }: Setting): Promise<void> {
  const { ask, search } = clientOf(server, AGENT);
  const calls: [string, object?][] = [
    ["POST /nodes", { type: "note", content_title: "lost" }],
    ["PATCH /nodes/n_1", { content_title: "lost" }],
    ["POST /edges", { type: "causes", source_id: "n_0", target_id: "n_1" }],
    ["DELETE /nodes/n_2"],
    ["POST /nodes/n_2/purge"],
  ];
  for (const [call, body] of calls) {
    const { status, body: answer } = await ask(call, body);
    expect({ call, status, error: answer.error }).toEqual({
      call,
      status: 503,
      error: expect.stringMatching(MOVED),
    });
    expect(answer.error).not.toContain(folder);
  }
  expect((await ask("GET /health")).body).toMatchObject({ node_count: 3, edge_count: 0 });
  expect((await ask("GET /nodes/n_1?recall=false")).body).toMatchObject({
    content_title: "Funding squeeze",
  });
  expect(await search("squeeze")).toHaveLength(3);
}

const moving: [
  what: string,
  move: (setting: Setting) => void,
  back: ((setting: Setting) => void) | undefined,
][] = [
  [
    "the database, its log and the log's index are deleted",
    ({ file }) => filesOf(file).forEach((it) => void rmSync(it)),
    undefined,
  ],
  ["the database alone is deleted", ({ file }) => rmSync(file), undefined],
  ["the log alone is deleted", ({ file }) => rmSync(logOf(file)), undefined],
  ["the log's index alone is deleted", ({ file }) => rmSync(logIndexOf(file)), undefined],
  [
    "the folder is moved away",
    ({ folder, aside }) => renameSync(agentsDir(folder), aside),
    ({ folder, aside }) => renameSync(aside, agentsDir(folder)),
  ],
  [
    "another folder is put in its place",
    ({ folder, aside }) => {
      renameSync(agentsDir(folder), aside);
      mkdirSync(agentsDir(folder));
      for (const name of readdirSync(aside))
        copyFileSync(join(aside, name), join(agentsDir(folder), name));
    },
    ({ folder, aside }) => {
      rmSync(agentsDir(folder), { recursive: true });
      renameSync(aside, agentsDir(folder));
    },
  ],
  [
    "a backup is moved over the database",
    ({ file, aside }) => {
      raw(file).prepare("VACUUM INTO ?").run(aside);
      renameSync(aside, file);
    },
    undefined,
  ],
  [
    "another agent's database is put in its place",
    ({ folder, file }) => renameSync(agentFile(folder, "other"), file),
    undefined,
  ],
];

test.each(some(moving, 3))(
  "%s: writes are refused, and the data in memory is readable",
  { timeout: 60_000 },
  async (_, move, back) => {
    const setting = await setUp();
    move(setting);
    await isWatched(setting);
    // For any number of requests, also after writes that could not be flushed.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await isWatched(setting);
    if (back === undefined) return;
    back(setting);
    const { create, ask } = clientOf(setting.server, AGENT);
    await create({ id: "n_back" });
    expect((await ask("GET /health")).body.node_count).toBe(4);
    expect(await setting.server.end()).toBe(0);
    const again = clientOf(await start(setting.folder), AGENT);
    expect((await again.ask("GET /health")).body.node_count).toBe(4);
  },
);

/** Starts a server on the folder again; returns how it answers for the agent. */
async function startedAgain(
  folder: string,
): Promise<{ status: number; body: unknown; log: string }> {
  const server = await start(folder, ["--log-level", "warn"]);
  const { status, body } = await clientOf(server, AGENT).ask("GET /health");
  const log = server.log();
  expect(await server.end()).toBe(0);
  return { status, body, log };
}

describe("a log that is deleted with its index under a running server", () => {
  test.each(some(["full", "normal"], 1))(
    "is missed after a kill, until its loss is accepted (durability %s)",
    { timeout: 60_000 },
    async (durability) => {
      const { folder, file, server } = await setUp(["--durability", durability]);
      rmSync(logOf(file));
      rmSync(logIndexOf(file));
      await server.end("SIGKILL");
      const refused = await startedAgain(folder);
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.log).toMatch(/The log of the database .* is gone/);
      const note = /remove (\S+) to go on/.exec(refused.log)![1]!;
      rmSync(note);
      expect(await startedAgain(folder)).toMatchObject({ status: 200, body: { node_count: 0 } });
    },
  );

  test("is not missed if all of it is in the database", { timeout: 60_000 }, async () => {
    const { folder, file, server } = await setUp();
    rmSync(logOf(file));
    rmSync(logIndexOf(file));
    await server.end("SIGTERM");
    expect(await startedAgain(folder)).toMatchObject({ status: 200, body: { node_count: 3 } });
  });

  test("is not missed in what replaces the database", { timeout: 60_000 }, async () => {
    const { folder, file, aside, server } = await setUp();
    raw(file).prepare("VACUUM INTO ?").run(aside);
    await server.end("SIGKILL");
    rmSync(logOf(file));
    rmSync(logIndexOf(file));
    copyFileSync(aside, file);
    expect(await startedAgain(folder)).toMatchObject({ status: 200, body: { node_count: 3 } });
  });

  testInFull(
    "is not missed after another program has closed the database",
    {
      timeout: 60_000,
    },
    async () => {
      const { folder, file, server } = await setUp();
      await server.end("SIGKILL");
      const db = raw(file);
      db.prepare("SELECT count(*) FROM nodes").all();
      db.close();
      expect(existsSync(logOf(file))).toBe(false);
      expect(await startedAgain(folder)).toMatchObject({ status: 200, body: { node_count: 3 } });
    },
  );

  testInFull("is not missed in a copy of the whole folder", { timeout: 60_000 }, async () => {
    const { folder, file, server } = await setUp();
    await server.end("SIGKILL");
    const copy = temporaryFolder({ onDisk: true });
    cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
    expect(await startedAgain(copy)).toMatchObject({ status: 200, body: { node_count: 3 } });
    expect(await startedAgain(folder)).toMatchObject({ status: 200, body: { node_count: 3 } });
    expect(readdirSync(dirname(file)).filter((name) => name === `${basename(file)}-note`)).toEqual(
      [],
    );
  });
});

test("a closed agent does not appear in another folder, and is not created in it", {
  timeout: 60_000,
}, async () => {
  const { folder, aside, server } = await setUp();
  renameSync(agentsDir(folder), aside);
  const newcomer = clientOf(server, "somebody new");
  for (const [call, body] of [
    ["GET /health"],
    ["POST /nodes", { type: "note", content_title: "lost" }],
  ] as const) {
    expect(await newcomer.ask(call, body)).toMatchObject({
      status: 503,
      body: { error: expect.stringMatching(MOVED) },
    });
  }
  for (const call of ["GET /agents", `DELETE /agents/${AGENT}`])
    expect((await server.ask(call)).status).toBe(503);
  expect(existsSync(agentsDir(folder))).toBe(false);
});

testInFull(
  "an idle agent stays open, since its memory may be the only copy",
  {
    timeout: 60_000,
  },
  async () => {
    const setting = await setUp(["--agent-idle", "1"]);
    for (const path of filesOf(setting.file)) rmSync(path);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await isWatched(setting);
  },
);

test("a database of another agent is opened by no other name", { timeout: 60_000 }, async () => {
  const { folder, file, server } = await setUp();
  expect(await server.end()).toBe(0);
  copyFileSync(agentFile(folder, "other"), file);
  const again = clientOf(await start(folder), AGENT);
  for (const [call, body] of [
    ["GET /health"],
    ["POST /nodes", { type: "note", content_title: "lost" }],
  ] as const) {
    const { status, body: answer } = await again.ask(call, body);
    expect({ status, ...answer }).toEqual({
      status: 503,
      error: expect.stringMatching(/that of another agent/),
    });
  }
});

test("a file that replaced a database keeps its log when the server ends", {
  timeout: 60_000,
}, async () => {
  const { file, server } = await setUp();
  const place = dirname(file);
  const mine = filesOf(file);
  for (const path of mine) renameSync(path, `${path}.old`);
  const storage = new SqliteStorage(file, { durability: "full" });
  storage.transaction(() => storage.setMeta("last_sweep", "1"));
  expect(statSync(logOf(file)).size).toBeGreaterThan(0);
  const own = () => readdirSync(place).filter((name) => name.startsWith(basename(file)));
  const names = own();
  expect(names).toHaveLength(7);
  expect(await server.end()).toBe(0);
  expect(own()).toEqual(names);
  storage.transaction(() => storage.setMeta("last_sweep", "2"));
  storage.close();
});

test("the check before a write that the files are in place takes less than 200 µs", () => {
  const file = join(temporaryFolder({ onDisk: true }), "a.db");
  const storage = new SqliteStorage(file, { durability: "full" });
  const CALLS = 100;
  // A busy machine interrupts most batches, but not every one of them.
  let shortest = Infinity;
  for (let batch = 0; batch < 50; batch++) {
    const begin = performance.now();
    for (let call = 0; call < CALLS; call++) storage.checkPlace();
    shortest = Math.min(shortest, ((performance.now() - begin) * 1_000) / CALLS);
  }
  expect(shortest).toBeLessThan(200);
  storage.close();
});
