// A remote database: one agent's memory behind a server that speaks Hrana, its limits, and its
// failures: an unreachable or slow database, and a connection lost within a transaction.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { SCHEMA } from "../../js/server/src/storage/schema.ts";
import { makeExisting, raw } from "./support/existing-database.ts";
import { type Database, startDatabase } from "./support/hrana.ts";
import { life, VECTOR } from "./support/memory-life.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** A server with a remote database, as its only agent sees it. */
async function set({ database, options = [] }: { database?: Database; options?: string[] } = {}) {
  const remote = database ?? (await startDatabase());
  const folder = temporaryFolder();
  const server = await start(folder, [...remote.options, ...options]);
  return { remote, server, folder, client: clientOf(server, "default") };
}

/** Runs a command to its end, while the database keeps answering. */
function run(
  args: readonly string[],
  env = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const options = { timeout: 40_000, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** The database's own content, which shows what was committed. */
const stored = (remote: Database, sql: string) =>
  raw(remote.file).prepare(sql).all() as Record<string, unknown>[];
const idsIn = (remote: Database) =>
  stored(remote, "SELECT id FROM nodes ORDER BY rowid").map(({ id }) => id);

/** For tests that start several programs. */
const BUSY = { timeout: 180_000 };

describe("a remote database", () => {
  test(
    "holds the memory of one agent, which gets the same answers as from a file",
    BUSY,
    async () => {
      const { remote, server, folder, client } = await set();
      const local = await start(temporaryFolder());
      expect(await life(client)).toEqual(await life(clientOf(local, "default")));
      expect(idsIn(remote)).toEqual(["n_squeeze", "n_trend", "n_x", "n_y"]);
      // The reads must return the very same numbers, and other programs' full-text results.
      expect(
        stored(remote, "SELECT neural_stability AS s FROM nodes WHERE id = 'n_squeeze'"),
      ).toEqual([{ s: 0.1 + 0.2 }]);
      expect(stored(remote, "SELECT rowid FROM nodes_fts WHERE nodes_fts MATCH 'trend'")).toEqual([
        { rowid: 2 },
      ]);
      expect(stored(remote, "SELECT value FROM nous_meta WHERE key = 'schema'")).toEqual([
        { value: String(SCHEMA) },
      ]);
      expect(existsSync(join(folder, "agents"))).toBe(false);
      expect(await server.end()).toBe(0);
    },
  );

  test("keeps accesses, all pages and vectors over a restart", BUSY, async () => {
    const first = await set();
    const { id } = await first.client.create({ embedding: VECTOR });
    await first.client.ask(`GET /nodes/${id}`);
    await first.server.end();
    expect(stored(first.remote, "SELECT neural_access_count AS n FROM nodes")).toEqual([{ n: 1 }]);
    raw(first.remote.file).exec(
      `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 600)
       INSERT INTO nodes (id, type, content_title) SELECT 'n_' || n, 'note', 'Number ' || n FROM count`,
    );
    const { client, server } = await set({ database: first.remote });
    expect((await client.ask("GET /health")).body.node_count).toBe(601);
    expect(await client.search("number 599")).toContain("n_599");
    expect(await client.search("nothing alike", { embedding: VECTOR })).toContain(id);
    expect(server.log()).toContain('"nodes":601');
  });

  test("is followed: the next search finds other programs' writes, and not their deleted memories", async () => {
    const { remote, client } = await set();
    const { id } = await client.create();
    raw(remote.file).exec(
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_other', 'note', 'Basis trade')",
    );
    expect(await client.search("basis", { limit: 1 })).toEqual(["n_other"]);
    raw(remote.file).exec(`DELETE FROM nodes WHERE id = '${id}'`);
    expect((await client.ask(`GET /nodes/${id}`)).status).toBe(404);
    expect(await client.search("squeeze")).toEqual([]);
  });

  test("of the existing server gets its missing tables and columns, and keeps its data", async () => {
    const file = join(temporaryFolder(), "existing.db");
    makeExisting(file);
    const before = raw(file).prepare("SELECT id FROM nodes ORDER BY rowid").all();
    const { client, remote, server } = await set({ database: await startDatabase(file) });
    expect(stored(remote, "SELECT id FROM nodes ORDER BY rowid")).toEqual(before);
    expect((await client.ask("GET /health")).body.node_count).toBe(before.length);
    expect(server.log()).toContain("there is no copy of it as it was");
  });

  test("of a newer version is refused", async () => {
    const { remote, server } = await set();
    await server.end();
    raw(remote.file).exec("UPDATE nous_meta SET value = '99' WHERE key = 'schema'");
    await expect(set({ database: remote })).rejects.toThrow(
      /has schema 99, and this version .* use a newer one/,
    );
  });

  test("is maintained by the server's periodic work, too", async () => {
    const { client, server } = await set({ options: ["--decay-interval", "1"] });
    await client.create();
    const done = /"task":"decay","agent":"default","processed":1/;
    await vi.waitFor(() => expect(server.log()).toMatch(done), { timeout: 30_000, interval: 100 });
  });
});

describe("the limits of a remote database", () => {
  test("another agent is refused by name, and the default one may be named", async () => {
    const { server, client } = await set();
    expect((await client.ask("GET /agents")).body).toMatchObject({
      data: [{ agent: "default" }],
      count: 1,
    });
    for (const call of ["GET /nodes", "POST /nodes"]) {
      const { status, body } = await clientOf(server, "alice").ask(
        call,
        call === "POST /nodes" ? LESSON : undefined,
      );
      const message = "must be default: a remote database is that of one agent";
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { issues: [{ path: "X-Nous-Agent", message }] },
      });
    }
  });

  test("it is neither deleted nor rewritten, and the refusal comes before any work", async () => {
    const { remote, client } = await set();
    const { id } = await client.create();
    expect(await client.ask("DELETE /agents/default")).toMatchObject({
      status: 409,
      body: { error: "the database is remote: delete it with the tools of its host" },
    });
    const purged = await client.ask(`POST /nodes/${id}/purge`);
    expect(purged).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/remote.* delete the memory instead/) },
    });
    expect(idsIn(remote)).toEqual([id]);
  });

  test("commands that work on files refuse", BUSY, async () => {
    const remote = await startDatabase();
    const folder = temporaryFolder();
    const copy = join(folder, "copy.db");
    const commands = {
      ...{ backup: [copy], restore: [copy], adopt: [copy] },
      ...{ "agents delete": ["default"], "agents purge": ["default", "n_1"] },
    };
    for (const [command, args] of Object.entries(commands)) {
      const { code, stderr } = await run([
        ...command.split(" "),
        "--data-dir",
        folder,
        ...remote.options,
        ...args,
      ]);
      const why = command.startsWith("agents")
        ? `${command} does not work on a remote libSQL database: use the tools of its host.`
        : `${command} works on a database file, and database_url is set: that database is kept elsewhere.`;
      expect({ code, stderr }).toEqual({ code: 1, stderr: `nous-server: ${why}\n` });
    }
    expect(await remote.requests()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("commands that work on memories work", BUSY, async () => {
    const { remote, client, server } = await set();
    const { id } = await client.create();
    await server.end();
    const folder = temporaryFolder();
    const common = ["--data-dir", folder, ...remote.options];
    const lines = join(folder, "lines.jsonl");
    expect((await run(["check", ...common])).stdout).toBe("default: 1 memories, 0 edges: sound\n");
    expect((await run(["agents", "list", ...common])).stdout).toMatch(/^default\t\d+\n$/);
    expect((await run(["export", ...common, lines])).code).toBe(0);
    expect(readFileSync(lines, "utf8")).toContain(`"${id}"`);
    const empty = await startDatabase();
    const imported = await run(["import", "--data-dir", folder, ...empty.options, lines]);
    expect(imported).toMatchObject({ code: 0, stdout: "1 added, 0 replaced, 0 left out.\n" });
    expect(idsIn(empty)).toEqual([id]);
    expect((await run(["import", ...common, "--agent", "alice", lines])).stderr).toContain(
      "There is no agent alice",
    );
  });

  test("settings: the token is hidden, and a URL that contains one is refused", BUSY, async () => {
    const env = {
      NOUS_DATABASE_URL: "libsql://memory.example.org",
      NOUS_DATABASE_TOKEN: "very-secret",
    };
    const { stdout } = await run(["config"], env);
    expect(stdout).toContain(
      "database_url: libsql://memory.example.org\ndatabase_token: (hidden)\n",
    );
    for (const url of [
      "libsql://a.org?authToken=x",
      "https://me:secret@a.org",
      "file:///tmp/a.db",
      "libsql:",
    ]) {
      const { code, stderr } = await run(["config", "--database-url", url]);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^--database-url is .*: must be a URL/),
      });
    }
  });
});

describe("a failing remote database", () => {
  /**
   * Repeats the request until it succeeds: the end of the outage is not known to the millisecond.
   */
  const again = (work: () => Promise<void>) => vi.waitFor(work, { timeout: 30_000, interval: 200 });

  test("is reported at the start, if it is unreachable or refuses the token", BUSY, async () => {
    const remote = await startDatabase();
    const wrong = ["--database-url", remote.url, "--database-token", "another"];
    const refused = await run(["serve", "--port", "0", "--data-dir", temporaryFolder(), ...wrong]);
    expect(refused.stderr).toContain(
      `The database ${remote.url} cannot be opened: the remote database refuses the token.`,
    );
    expect(refused.stderr).not.toContain("another\n");
    await remote.stop();
    const away = await run([
      "serve",
      "--port",
      "0",
      "--data-dir",
      temporaryFolder(),
      ...remote.options,
    ]);
    expect(away).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be reached, or broke off."),
    });
    expect(`${away.stdout}${away.stderr}`).not.toContain(remote.token);
  });

  test("gives 503 while it is unreachable, and is used again when it is back", async () => {
    const { remote, client, server } = await set();
    const { id } = await client.create();
    await remote.stop();
    for (const call of [`GET /nodes/${id}`, "POST /search", "POST /nodes"]) {
      const body = { "POST /search": { query: "squeeze" }, "POST /nodes": LESSON }[call];
      const { status, body: answer } = await client.ask(call, body);
      const error = "the remote database cannot be reached, or broke off";
      expect({ status, answer }).toEqual({ status: 503, answer: { error } });
    }
    expect((await client.ask("GET //livez")).status).toBe(200);
    await remote.startAgain();
    await again(async () => expect(await client.search("squeeze")).toEqual([id]));
    await client.create({ content_title: "Afterwards" });
    expect(idsIn(remote)).toHaveLength(2);
    expect(server.log()).toContain('"msg":"the remote database cannot be reached, or broke off"');
  });

  test("that does not answer is abandoned after the configured time", async () => {
    const { remote, client } = await set({ options: ["--database-timeout", "3000"] });
    const { id } = await client.create();
    await remote.trouble({ at: "INSERT INTO nodes (", does: "hang", times: 1 });
    const { status, body } = await client.ask("POST /nodes", LESSON);
    expect({ status, body }).toEqual({
      status: 503,
      body: { error: "the remote database did not answer within 3000 ms" },
    });
    await again(async () =>
      expect((await client.ask("POST /nodes", { ...LESSON, id: "n_next" })).status).toBe(201),
    );
    expect(idsIn(remote)).toEqual([id, "n_next"]);
  });

  test("that is lost at any point of a transaction leaves no partial write", BUSY, async () => {
    const { remote, client } = await set();
    const ids = [(await client.create()).id];
    const inserted = "INSERT INTO nodes (";
    const troubles = [
      { at: inserted, does: "break before" },
      { at: inserted, does: "break after" },
      { at: "row_checksums", does: "break after" },
      { at: "COMMIT", does: "break before" },
      { at: inserted, does: "fail" },
      { at: "row_checksums", does: "expire" },
      { at: inserted, does: "too large" },
    ] as const;
    for (const [place, trouble] of troubles.entries()) {
      const [id, content_title] = [`n_half_${place}`, `Half${place}`];
      const create = () => client.ask("POST /nodes", { ...LESSON, id, content_title });
      await remote.trouble({ ...trouble, times: 1 });
      const { status, body } = await create();
      const error = expect.stringMatching(/^the remote database /);
      expect({ trouble, status, body }).toEqual({ trouble, status: 503, body: { error } });
      expect(idsIn(remote)).toEqual(ids);
      expect(
        (await client.ask("POST /search", { query: content_title, ranking: "signals" })).body.data,
      ).toEqual([]);
      await again(async () => expect((await create()).status).toBe(201));
      ids.push(id);
      expect(idsIn(remote)).toEqual(ids);
      expect((await client.ask(`GET /nodes/${id}?recall=false`)).status).toBe(200);
    }
  });

  test("that fails after a commit keeps the write: the index learns of it, and a key prevents a second one", async () => {
    const { remote, client } = await set();
    const key = { "idempotency-key": "once" };
    await remote.trouble({ at: "COMMIT", does: "break after", times: 1 });
    expect((await client.ask("POST /nodes", LESSON, key)).status).toBe(503);
    const ids = idsIn(remote);
    expect(ids).toHaveLength(1);
    expect(await client.search("squeeze")).toEqual(ids);
    const { status, body } = await client.ask("POST /nodes", LESSON, key);
    expect({ status, id: body.id }).toEqual({ status: 201, id: ids[0] });
    expect(idsIn(remote)).toEqual(ids);
  });

  test("whose connection breaks during a read of the write has the index reloaded, and the write stands", async () => {
    const { remote, client, server } = await set();
    await client.create();
    await remote.trouble({
      at: "embedding_vector, (SELECT json_group_array",
      does: "fail",
      times: 1,
    });
    const { id } = await client.create({ content_title: "Basis" });
    expect(await client.search("basis", { limit: 1 })).toEqual([id]);
    expect(server.log()).toContain(
      "Committed changes could not be read: all replicas are reloaded",
    );
  });
});
