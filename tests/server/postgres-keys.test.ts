// Keys in PostgreSQL: several servers, commands and moves on one database, the wall around the
// keys, and a database that cannot be reached.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createKey, type Rights, readKeys, revokeKey } from "../../js/server/src/keys/keys.ts";
import { PostgresKeys } from "../../js/server/src/keys/postgres-keys.ts";
import { PostgresRing } from "../../js/server/src/keys/postgres-ring.ts";
import { createLog } from "../../js/server/src/log.ts";
import { keysDir } from "../../js/server/src/settings/paths.ts";
import { testInFull } from "../support/full.ts";
import { type Postgres, query, startPostgres } from "./support/postgres.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const ALL: Rights = { agents: "all", scopes: ["memory", "admin"], creates_agents: true };
/** For tests that start several programs. */
const BUSY = { timeout: 180_000 };
/** For changes that servers notice within a second. */
const SOON = { timeout: 20_000, interval: 50 };

const serverOn = (url: string, folder = temporaryFolder()) =>
  start(folder, ["--database-url", url]);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const statusOf = async (server: Running, key?: string) =>
  (await server.ask("GET /health", undefined, key === undefined ? {} : bearer(key))).status;

/** Runs a command to its end, while the test's own servers keep answering. */
function run(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { timeout: 40_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** The keys of a database, until the end of the test. */
async function storeOn(url: string): Promise<PostgresKeys> {
  const place = { url, password: "", connections: 1, timeout: 5_000 };
  const store = await PostgresKeys.open(place, { migrates: true });
  onTestFinished(() => store.close());
  return store;
}

describe("keys of a PostgreSQL database", () => {
  test(
    "count for all of its servers, from their creation until soon after they are revoked",
    BUSY,
    async () => {
      const url = await postgres.create();
      const servers = [await serverOn(url), await serverOn(url)];
      for (const server of servers) expect(await statusOf(server)).toBe(200);
      const at = ["--database-url", url, "--data-dir", temporaryFolder()];
      const made = await run("keys", "create", "--agents", "alice", "--creates-agents", ...at);
      const key = made.stdout.trim();
      const [id] = /k_[0-9a-z]{12}/.exec(made.stderr)!;
      for (const server of servers) {
        await vi.waitFor(async () => expect(await statusOf(server)).toBe(401), SOON);
        // A key that the server has not read yet is read at once.
        const other = await run("keys", "create", "--all-agents", ...at);
        expect(await statusOf(server, other.stdout.trim())).toBe(200);
        const client = clientOf(server, "alice");
        expect((await client.ask("POST /nodes", LESSON, bearer(key))).status).toBe(201);
        expect((await server.ask("GET /nodes", undefined, bearer(key))).status).toBe(403);
      }
      const listed = await run("keys", "list", ...at);
      expect(listed.stdout).toMatch(
        /^k_\w+\t20\S+Z\t"alice", memory, creates agents\n(k_\w+\t20\S+Z\tall agents, memory\n){2}$/,
      );
      expect(await run("keys", "revoke", id, ...at)).toMatchObject({
        code: 0,
        stdout: `${id} is revoked.\n`,
      });
      for (const server of servers)
        await vi.waitFor(async () => {
          const { status, body } = await server.ask("GET /health", undefined, bearer(key));
          expect({ status, body }).toEqual({
            status: 401,
            body: { error: "the key is not known" },
          });
        }, SOON);
      // No server has files of keys.
      for (const { dataDir } of servers) expect(existsSync(keysDir(dataDir))).toBe(false);
      for (const server of servers) expect(server.log()).not.toContain(key);
    },
  );

  test("are stored as their SHA-256, and refuse rows that no server could read", async () => {
    const url = await postgres.create();
    const { key, id } = await (await storeOn(url)).create({ ...ALL, agents: ["alice"] });
    const by = postgres.superuserOf(url);
    const [row] = await query(by, "SELECT row_to_json(keys)::text AS text FROM nous.keys");
    expect(row!.text).toContain(id);
    expect(row!.text).not.toContain(key.slice("nous_".length));
    for (const wrong of [
      "sha256 = 'x'",
      "scopes = '{}'",
      "scopes = '{root}'",
      "agents = '{}'",
      "id = 'k_'",
    ])
      await expect(query(by, `UPDATE nous.keys SET ${wrong}`), wrong).rejects.toThrow("violates");
  });

  test("are needed until `keys off`, also after the last one is revoked", BUSY, async () => {
    const url = await postgres.create();
    const at = ["--database-url", url, "--data-dir", temporaryFolder()];
    const store = await storeOn(url);
    const { id } = await store.create(ALL);
    expect((await run("keys", "off", ...at)).stderr).toContain(`such as ${id}`);
    expect((await run("keys", "revoke", "k_000000000000", ...at)).stderr).toBe(
      `nous-server: there is no key k_000000000000 in ${url}\n`,
    );
    expect((await run("keys", "revoke", id, ...at)).stdout).toContain("last one");
    expect((await run("keys", "list", ...at)).stderr).toContain("keys off");
    const server = await serverOn(url);
    const refused = await server.ask("GET /health", undefined, bearer("nous_none"));
    expect(refused).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining("keys off") },
    });
    expect(server.log()).toContain("There are no keys: every request is refused");
    expect((await run("keys", "off", ...at)).stdout).toContain("asks for no key");
    expect((await run("keys", "off", ...at)).stdout).toBe("No keys were needed.\n");
    expect(await statusOf(server)).toBe(401);
    expect(await statusOf(await serverOn(url))).toBe(200);
  });

  test("count if they are written and deleted by hand", async () => {
    const url = await postgres.create();
    const store = await storeOn(url);
    const by = postgres.superuserOf(url);
    const before = await store.stateAfter(undefined);
    await query(
      by,
      `INSERT INTO nous.keys VALUES ('k_000000000000', '2026', NULL, '{admin}', false, '${"0".repeat(64)}')`,
    );
    const written = await store.stateAfter(before.state);
    expect(written).toMatchObject({
      are_needed: true,
      keys: [{ agents: "all", scopes: ["admin"] }],
    });
    expect((await store.stateAfter(written.state)).keys).toBeNull();
    await query(by, "DELETE FROM nous.keys");
    expect(await store.stateAfter(written.state)).toMatchObject({ are_needed: true, keys: [] });
  });

  test("are invisible to the server's role without their own setting", async () => {
    const url = await postgres.create();
    const { id } = await (await storeOn(url)).create(ALL);
    for (const table of ["keys", "key_state"]) {
      const counted = `SELECT count(*)::int AS n FROM nous.${table}`;
      expect(await query(url, counted)).toEqual([{ n: 0 }]);
      const asAgent = `SET nous.agent = 'default'; SET nous.lists_agents = 'on'; ${counted}`;
      const [, , { rows }] = (await resultsOf(url, asAgent)) as [
        unknown,
        unknown,
        { rows: object[] },
      ];
      expect(rows).toEqual([{ n: 0 }]);
    }
    await query(url, "DELETE FROM nous.keys");
    const forged = `INSERT INTO nous.keys VALUES ('k_000000000001', '2026', NULL, '{admin}', true, '${"1".repeat(64)}')`;
    await expect(query(url, forged)).rejects.toThrow(/row-level security/);
    const left = await query(postgres.superuserOf(url), "SELECT id FROM nous.keys");
    expect(left).toEqual([{ id }]);
  });

  test("two commands create keys at once", async () => {
    const url = await postgres.create();
    const stores = [await storeOn(url), await storeOn(url)];
    const made = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 10 }, () => store.create(ALL))),
    );
    const ids = (await stores[0]!.read()).map(({ id }) => id);
    expect(ids.sort()).toEqual(made.map(({ id }) => id).sort());
  });
});

/** Runs several statements on one connection. */
async function resultsOf(url: string, text: string): Promise<unknown> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

describe("a server that keeps keys in memory", () => {
  /** A ring on a database of its own, with one key. Its clock is the test's. */
  async function ringOn(cluster: Postgres) {
    const url = await cluster.create();
    const store = await storeOn(url);
    const made = await store.create(ALL);
    const log = createLog({ log_level: "silent", log_format: "json" });
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const place = { url, password: "", connections: 1, timeout: 2_000 };
    const ring = await PostgresRing.open(place, temporaryFolder(), log);
    onTestFinished(() => ring.close());
    const ids = async () => (await ring.current())?.map(({ key }) => key.id);
    return { ring, store, made, ids };
  }

  test("asks the database once a second", async () => {
    const { ring, store, made, ids } = await ringOn(postgres);
    await store.revoke(made.id);
    vi.advanceTimersByTime(999);
    expect(await ids()).toEqual([made.id]);
    vi.advanceTimersByTime(1);
    expect(await Promise.all([ids(), ids()])).toEqual([[], []]);
    const other = await store.create(ALL);
    expect(await ids()).toEqual([]);
    expect((await ring.newest())?.map(({ key }) => key.id)).toEqual([other.id]);
    expect(await ids()).toEqual([other.id]);
  });

  testInFull(
    "lets known keys in for a minute if the database is gone, and no others",
    BUSY,
    async () => {
      const own = await startPostgres();
      try {
        const { ring, made, ids } = await ringOn(own);
        await own.crash();
        vi.advanceTimersByTime(1_000);
        expect(await ids()).toEqual([made.id]);
        await expect(ring.newest()).rejects.toMatchObject({ status: 503 });
        vi.advanceTimersByTime(58_000);
        expect(await ids()).toEqual([made.id]);
        vi.advanceTimersByTime(1_001);
        await expect(ring.current()).rejects.toMatchObject({ status: 503 });
        await own.start();
        await vi.waitFor(async () => {
          vi.advanceTimersByTime(1_000);
          expect(await ids()).toEqual([made.id]);
        }, SOON);
      } finally {
        await own.stop();
      }
    },
  );
});

describe("keys in the data folder of a server on PostgreSQL", () => {
  test("stop the start if the database has none, and are copied by a move", BUSY, async () => {
    const url = await postgres.create();
    const folder = temporaryFolder();
    const { key, id } = createKey(folder, { ...ALL, agents: ["alice", "b c"] });
    await expect(serverOn(url, folder)).rejects.toThrow(
      `the folder ${folder} has some: \`nous-server move --from ${folder} --to ${url}\` copies them`,
    );
    const move = () => run("move", "--from", folder, "--to", url);
    expect(await move()).toEqual({ code: 0, stdout: "keys: 1 copied, 0 were there\n", stderr: "" });
    expect(await move()).toEqual({ code: 0, stdout: "keys: 0 copied, 1 were there\n", stderr: "" });
    const store = await storeOn(url);
    expect(await store.read()).toEqual(readKeys(folder));
    const server = await serverOn(url, folder);
    const { status } = await clientOf(server, "alice").ask("GET /health", undefined, bearer(key));
    expect(status).toBe(200);
    expect(server.log()).not.toContain("do not count");
    await server.end();
    // A key that was revoked at the old place between two moves.
    revokeKey(folder, id);
    expect((await move()).stdout).toMatch(
      `${id} is not at the old place, or has other rights there: revoke it`,
    );
    const later = createKey(folder, ALL);
    expect((await serverOn(url, folder)).log()).toContain(
      `Keys in the folder ${folder} do not count, such as ${later.id}`,
    );
  });

  testInFull("are copied by several first moves at once, there and back", BUSY, async () => {
    const url = await postgres.create();
    const [folder, back] = [temporaryFolder(), temporaryFolder()];
    for (let count = 0; count < 20; count++) createKey(folder, ALL);
    for (const [from, to] of [
      [folder, url],
      [url, back],
    ] as const) {
      const moves = Array.from({ length: 4 }, () => run("move", "--from", from, "--to", to));
      for (const { code, stderr } of await Promise.all(moves))
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect(readKeys(back)).toEqual(readKeys(folder));
  });

  testInFull("come back by a move to files, and not by a move of named agents", BUSY, async () => {
    const url = await postgres.create();
    const store = await storeOn(url);
    await store.create(ALL);
    const folder = temporaryFolder();
    const server = await serverOn(url);
    await server.end();
    const named = await run("move", "--from", url, "--to", folder, "--agent", "default");
    expect(named).toMatchObject({ code: 0, stdout: expect.not.stringContaining("keys") });
    expect(existsSync(keysDir(folder))).toBe(false);
    const all = await run("move", "--from", url, "--to", folder);
    expect(all.stdout).toContain("keys: 1 copied, 0 were there\n");
    expect(readKeys(folder)).toEqual(await store.read());
    expect(await statusOf(await start(folder))).toBe(401);
  });
});

test(
  "commands for keys name a database that cannot be reached, or that has an older schema",
  BUSY,
  async () => {
    const folder = temporaryFolder();
    const list = (url: string) => run("keys", "list", "--data-dir", folder, "--database-url", url);
    const gone = "postgres://nous@127.0.0.1:9/nous";
    expect(await list(gone)).toMatchObject({
      code: 1,
      stderr: `nous-server: The database ${gone} cannot be opened: the database cannot be reached, or broke off.\n`,
    });
    expect(await list(await postgres.create())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has schema 0"),
    });
  },
);
