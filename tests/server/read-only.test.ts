// A read-only memory: writes are refused with an explanation, reads continue, and no write is lost.
// The file or the folder belongs to another user than the server's.

import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { noRoom, readOnly } from "../../js/server/src/refusal.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { isNoRoom, isReadOnly } from "../../js/server/src/storage/errors.ts";
import { failureOf, replyTo } from "../../js/server/src/storage/postgres/replies.ts";
import { testInFull } from "../support/full.ts";
import { gaugeOf } from "./support/process-usage.ts";
import { type Running, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const IS_ROOT = process.getuid?.() === 0;
/** The user of the server if the tests run as a user who may write everywhere. */
const NOBODY = 65_534;
const REFUSED = { status: 503, body: { error: readOnly().message } };

function run(folder: string, ...options: string[]): Promise<Running> {
  const under = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  return start(folder, ["--log-level", "warn", ...options], "test", IS_ROOT ? { under } : {});
}

/** Gives a folder, with its content, to the user of the server. */
function give(folder: string): void {
  if (!IS_ROOT) return;
  chownSync(folder, NOBODY, NOBODY);
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    chownSync(join(folder, entry), NOBODY, NOBODY);
  }
}

/** Removes the write permission of the server's user. */
function protect(path: string): void {
  if (IS_ROOT) chownSync(path, 0, 0);
  chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
}

async function filled(): Promise<{ folder: string; ids: string[] }> {
  const folder = temporaryFolder();
  give(folder);
  const server = await run(folder);
  const { create, link } = clientOf(server, "default");
  const ids = [(await create()).id, (await create()).id, (await create()).id];
  await link(ids[0]!, ids[1]!);
  expect(await server.end()).toBe(0);
  return { folder, ids };
}

/** Every kind of read is answered. */
async function reads({ ask }: Running, ids: readonly string[]): Promise<void> {
  const question = { query: "funding squeeze" };
  expect((await ask("POST /search", question)).body.count).toBe(ids.length);
  for (const recall of ["automatic", "explicit"]) {
    expect((await ask("POST /retrieve", { ...question, recall })).body.count).toBe(ids.length);
    const context = await ask("POST /context", {
      input: "What about the funding squeeze?",
      recall,
    });
    expect({ status: context.status, recall }).toEqual({ status: 200, recall });
  }
  for (const path of [
    `/nodes/${ids[0]}`,
    "/nodes",
    "/graph",
    "/health",
    "/clusters",
    `/edges?node_id=${ids[0]}`,
  ]) {
    expect((await ask(`GET ${path}`)).status, path).toBe(200);
  }
}

describe.runIf(process.platform !== "win32")("a read-only memory", () => {
  test("is recognized by the permissions of its file", { timeout: 60_000 }, async () => {
    const { folder, ids } = await filled();
    protect(agentFile(folder, "default"));
    const server = await run(folder);
    await reads(server, ids);
    const writes: [string, object?][] = [
      ["POST /nodes", LESSON],
      ["POST /nodes/batch", { items: [LESSON] }],
      [`PATCH /nodes/${ids[0]}`, { content_title: "Another" }],
      [`DELETE /nodes/${ids[0]}`],
      ["POST /edges", { source_id: ids[0], target_id: ids[2], type: "causes" }],
      ["POST /clusters", { name: "Majors" }],
      ["POST /decay", {}],
      [`POST /nodes/${ids[0]}/purge`],
    ];
    for (const [call, given] of writes) {
      const { status, body } = await server.ask(call, given);
      expect({ call, status, body }).toEqual({ call, ...REFUSED });
    }
    await reads(server, ids);
    expect(await server.end()).toBe(0);
    // SQLite gives its log the permissions of the database.
    const file = agentFile(folder, "default");
    for (const name of readdirSync(dirname(file))) chmodSync(join(dirname(file), name), 0o600);
    give(folder);
    const again = await run(folder);
    await reads(again, ids);
    expect((await again.ask("POST /nodes", LESSON)).status).toBe(201);
    expect((await again.ask("GET /health")).body.node_count).toBe(ids.length + 1);
  });

  testInFull(
    "does not fill the log, and is closed when idle",
    {
      timeout: 60_000,
    },
    async () => {
      const { folder, ids } = await filled();
      protect(agentFile(folder, "default"));
      const server = await run(folder, "--agent-idle", "3");
      const failures = () => server.log().match(/could not be flushed/g)?.length ?? 0;
      const until = Date.now() + 5_000;
      while (Date.now() < until) {
        expect((await server.ask(`GET /nodes/${ids[0]}`)).status).toBe(200);
        await wait(500);
      }
      expect(failures()).toBe(1);
      await expect.poll(() => gaugeOf(server, "nous_agents_open"), { timeout: 15_000 }).toBe(0);
      await reads(server, ids);
    },
  );

  test("is recognized by the permissions of its folder, where no agent can be created either", {
    timeout: 60_000,
  }, async () => {
    const { folder, ids } = await filled();
    const agents = dirname(agentFile(folder, "default"));
    const server = await run(folder);
    protect(agents);
    await reads(server, ids);
    const { status, body } = await clientOf(server, "another").ask("POST /nodes", LESSON);
    expect({ status, body }).toEqual(REFUSED);
    chmodSync(agents, 0o755);
    give(folder);
    // A failure to open an agent is cached for a few seconds.
    const create = async () =>
      (await clientOf(server, "another").ask("POST /nodes", LESSON)).status;
    await expect.poll(create, { timeout: 15_000 }).toBe(201);
    expect(await server.end()).toBe(0);
  });
});

test("a read-only memory is recognized by the codes of the database and of the system, and differs from a full disk", () => {
  const codes = ["SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY", "EROFS", "EACCES", "EPERM"];
  const others = ["SQLITE_READONLY_DBMOVED", "SQLITE_FULL", "SQLITE_BUSY", "EMFILE", undefined];
  for (const code of codes) expect([code, isReadOnly({ code })]).toEqual([code, true]);
  for (const code of others) expect([code, isReadOnly({ code })]).toEqual([code, false]);
  expect(readOnly().status).not.toBe(noRoom().status);
  // PostgreSQL says it in codes of its own.
  const ofPostgres = (code: string) =>
    failureOf(replyTo({ code, severity: "ERROR", message: "refused" }, 1_000) as never);
  expect(["25006", "53100", "23505"].map((code) => isReadOnly(ofPostgres(code)))).toEqual([
    true,
    false,
    false,
  ]);
  expect(["25006", "53100", "23505"].map((code) => isNoRoom(ofPostgres(code)))).toEqual([
    false,
    true,
    false,
  ]);
});
