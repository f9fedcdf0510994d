// PostgreSQL behind servers: the same answers as from files, several agents and several servers on
// one database, the commands, the second wall between agents, and its failures.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { readOnly } from "../../js/server/src/refusal.ts";
import { SCHEMA, TABLES_OF_AGENTS } from "../../js/server/src/storage/postgres/migrations.ts";
import { amount } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { describe, test } from "../support/in-turn.ts";
import { life } from "./support/memory-life.ts";
import { CERTIFICATE, type Postgres, query, startPostgres } from "./support/postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** Starts a server on a database of its own, or on the named one. */
async function set({ url, options = [] }: { url?: string; options?: string[] } = {}) {
  const database = url ?? (await postgres.create());
  const folder = temporaryFolder();
  const server = await start(folder, ["--database-url", database, ...options]);
  return { url: database, server, folder, client: clientOf(server, "default") };
}

/** Runs a command to its end, while the test's own servers keep answering. */
function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { timeout: 40_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** Runs a statement as a superuser, who sees the rows of all agents. */
const stored = (url: string, text: string) => query(postgres.superuserOf(url), text);

/** For tests that start several programs. */
const BUSY = { timeout: 180_000 };

describe("a PostgreSQL database", () => {
  test("gives the same answers as a file", BUSY, async () => {
    const { server, folder, client } = await set();
    const local = await start(temporaryFolder());
    expect(await life(client)).toEqual(await life(clientOf(local, "default")));
    expect(existsSync(join(folder, "agents"))).toBe(false);
    expect(await server.end()).toBe(0);
  });

  test("holds many agents, each of which sees its own memories alone", BUSY, async () => {
    const { server } = await set();
    const names = ["alice", "bob", "team one", "default"];
    for (const name of names)
      await clientOf(server, name).create({ id: "n_1", content_title: `Squeeze of ${name}` });
    for (const name of names) {
      const client = clientOf(server, name);
      expect((await client.ask("GET /nodes/n_1")).body.content_title).toBe(`Squeeze of ${name}`);
      expect(await client.search("squeeze")).toEqual(["n_1"]);
    }
    const listed = (await server.ask("GET /agents")).body.data.map(
      ({ agent }: { agent: string }) => agent,
    );
    expect(listed.sort()).toEqual([...names].sort());
    expect((await server.ask("DELETE /agents/bob")).status).toBe(200);
    expect((await clientOf(server, "bob").ask("GET /nodes/n_1")).status).toBe(404);
    expect((await clientOf(server, "alice").ask("GET /nodes/n_1")).status).toBe(200);
  });

  test("keeps accesses, pages and vectors over a restart", BUSY, async () => {
    const first = await set();
    const { id } = await first.client.create({ embedding: [0.1, -0.7, 0.3] });
    await first.client.ask(`GET /nodes/${id}`);
    const items = Array.from({ length: 600 }, (_, n) => ({
      type: "note",
      content_title: `Number ${n}`,
    }));
    for (let at = 0; at < items.length; at += 100)
      await first.client.ask("POST /nodes/batch", { items: items.slice(at, at + 100) });
    await first.server.end();
    expect(
      await stored(first.url, "SELECT sum(neural_access_count)::int AS n FROM nous.nodes"),
    ).toEqual([{ n: 1 }]);
    const { client, server } = await set({ url: first.url });
    expect((await client.ask("GET /health")).body.node_count).toBe(601);
    expect(await client.search("number 599")).toHaveLength(10);
    expect(await client.search("nothing alike", { embedding: [0.1, -0.7, 0.3] })).toContain(id);
    expect(server.log()).toContain('"nodes":601');
  });

  test("is maintained by the server's periodic work", async () => {
    const { client, server } = await set({ options: ["--decay-interval", "1"] });
    await client.create();
    const done = /"task":"decay","agent":"default","processed":1/;
    await vi.waitFor(() => expect(server.log()).toMatch(done), { timeout: 30_000, interval: 100 });
  });

  test("keeps a character in metadata that its own JSON cannot hold", async () => {
    const { client } = await set();
    const metadata = { name: "a\0b", other: "c" };
    const { id } = await client.create({ metadata });
    expect((await client.ask(`GET /nodes/${id}`)).body.metadata).toEqual(metadata);
    const filter = { metadata: { other: "c" } };
    expect(await client.search("squeeze", { filter })).toEqual([id]);
  });
});

describe("several servers on one PostgreSQL database", () => {
  /** Pairs of a write on one server and a search on another. `npm run long` does more of them. */
  const PAIRS = Number(process.env.PAIRS ?? amount(120, 30));

  test("each search finds what any of them acknowledged before it", {
    timeout: 120_000 + PAIRS * 100,
  }, async () => {
    const first = await set();
    const others = [await set({ url: first.url }), await set({ url: first.url })];
    const servers = [first, ...others].map(({ server }) => server);
    /** One client after another writes, and each time another one reads. */
    const lane = async (name: string, agent: string, turns: number) => {
      const clients = servers.map((server) => clientOf(server, agent));
      for (let turn = 0; turn < turns; turn++) {
        const [writer, reader] = [clients[turn % 3]!, clients[(turn + 1 + (turn % 2)) % 3]!];
        const word = `${name}word${turn}`;
        const { id } = await writer.create({ content_title: word });
        expect(await reader.search(word, { limit: 1 })).toEqual([id]);
        const next = `${name}next${turn}`;
        const changed = await reader.ask(`PATCH /nodes/${id}`, { content_title: next });
        expect(changed).toMatchObject({ status: 200 });
        expect(await writer.search(next, { limit: 1 })).toEqual([id]);
      }
    };
    const agents = ["one", "two", "three", "four", "five", "six"];
    // Two lanes of each agent, which write to it at the same time.
    const turns = Math.ceil(PAIRS / (4 * agents.length));
    await Promise.all(
      agents.flatMap((agent) => [lane("a", agent, turns), lane("b", agent, turns)]),
    );
    for (const agent of agents) {
      const counts = await Promise.all(
        servers.map((server) => clientOf(server, agent).ask("GET /health")),
      );
      const all = 2 * turns;
      expect(counts.map(({ body }) => body.node_count)).toEqual([all, all, all]);
    }
  });

  test("of two writers of one version, one is refused", BUSY, async () => {
    const first = await set();
    const second = await set({ url: first.url });
    const { id } = await first.client.create();
    for (let turn = 0; turn < 20; turn++) {
      const { headers } = await first.client.ask(`GET /nodes/${id}?recall=false`);
      const condition = { "if-match": headers.get("etag")! };
      const answers = await Promise.all(
        [first, second].map(({ client }, place) =>
          client.ask(`PATCH /nodes/${id}`, { content_body: `${turn} by ${place}` }, condition),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    }
  });

  test("that start at once migrate it once", BUSY, async () => {
    const url = await postgres.create();
    const servers = await Promise.all([set({ url }), set({ url }), set({ url })]);
    for (const { client } of servers) await client.create();
    expect(await stored(url, "SELECT version::int FROM nous.schema_version")).toEqual(
      Array.from({ length: SCHEMA }, (_, place) => ({ version: place + 1 })),
    );
  });

  test(
    "an agent that one of them deleted is gone for the others, and can begin again",
    BUSY,
    async () => {
      const first = await set();
      const second = await set({ url: first.url });
      const [one, other] = [first, second].map(({ server }) => clientOf(server, "alice")) as [
        ReturnType<typeof clientOf>,
        ReturnType<typeof clientOf>,
      ];
      const { id } = await one.create();
      expect(await other.search("squeeze")).toEqual([id]);
      expect((await first.server.ask("DELETE /agents/alice")).status).toBe(200);
      expect((await other.ask(`GET /nodes/${id}`)).status).toBe(404);
      const again = await one.create({ content_title: "Basis" });
      expect(await other.search("basis")).toEqual([again.id]);
      expect(await other.search("squeeze", { ranking: "signals" })).toEqual([]);
      // Deleted and created between two requests to the other server.
      expect((await first.server.ask("DELETE /agents/alice")).status).toBe(200);
      const third = await one.create({ content_title: "Carry" });
      expect(await other.search("basis", { ranking: "signals" })).toEqual([]);
      expect(await other.search("carry")).toEqual([third.id]);
    },
  );
});

describe("snapshots of an index in PostgreSQL", () => {
  const SIZE = 1_100;
  const FROM_SNAPSHOT = "Loaded from its snapshot: index";
  const FROM_ROWS = "Loaded from the database: index";

  /** A server with enough memories for a snapshot, which was written at its end. */
  async function kept(): Promise<string> {
    const { url, server, client } = await set();
    const items = Array.from({ length: SIZE }, (_, n) => ({
      id: `n_${n}`,
      type: "note",
      content_title: n === 7 ? "A kiwi" : `Number ${n}`,
    }));
    for (let at = 0; at < SIZE; at += 100)
      await client.ask("POST /nodes/batch", { items: items.slice(at, at + 100) });
    expect(await server.end()).toBe(0);
    return url;
  }
  const pieces = async (url: string): Promise<number> =>
    (await stored(url, "SELECT count(*)::int AS n FROM nous.snapshots"))[0]!.n as number;
  const holds = async (url: string, word: string): Promise<boolean> => {
    const like = `position('${word}'::bytea IN bytes) > 0`;
    return (await stored(url, `SELECT 1 FROM nous.snapshots WHERE ${like}`)).length > 0;
  };

  test("are read by every server, with what changed since", BUSY, async () => {
    const url = await kept();
    expect(await pieces(url)).toBeGreaterThan(3);
    const [one, other] = [await set({ url }), await set({ url })];
    expect((await one.client.search("kiwi"))[0]).toBe("n_7");
    await one.client.create({ id: "n_new", content_title: "Another kiwi" });
    await one.client.ask("DELETE /nodes/n_7");
    expect((await other.client.search("kiwi"))[0]).toBe("n_new");
    for (const { server } of [one, other]) {
      expect(server.log()).toContain(FROM_SNAPSHOT);
      expect(server.log()).not.toContain(FROM_ROWS);
    }
    // The text that was deleted leaves the snapshot, and the other server finds it recent enough.
    await one.server.end();
    expect(await holds(url, "kiwi")).toBe(true);
    await other.server.end();
    const third = await set({ url });
    expect((await third.client.search("kiwi"))[0]).toBe("n_new");
    expect((await third.client.ask("GET /health")).body.node_count).toBe(SIZE);
    expect(third.server.log()).toContain(FROM_SNAPSHOT);
  });

  test("are removed by a purge, and by the deletion of the agent", BUSY, async () => {
    const url = await kept();
    expect(await holds(url, "kiwi")).toBe(true);
    const { server, client } = await set({ url });
    expect((await client.ask("POST /nodes/n_7/purge")).status).toBe(200);
    expect(await pieces(url)).toBe(0);
    await server.end();
    expect(await pieces(url)).toBeGreaterThan(3);
    expect(await holds(url, "kiwi")).toBe(false);
    await run(["agents", "delete", "default", "--database-url", url]);
    expect(await pieces(url)).toBe(0);
  });

  test("that are damaged are rebuilt, and written anew", BUSY, async () => {
    const url = await kept();
    const damage = `UPDATE nous.snapshots SET bytes = set_byte(bytes, 100, get_byte(bytes, 100) # 1)
      WHERE piece = 2`;
    await stored(url, damage);
    const { server, client } = await set({ url });
    expect((await client.search("kiwi"))[0]).toBe("n_7");
    expect(server.log()).toContain("a checksum does not agree");
    expect(server.log()).toContain(FROM_ROWS);
    await server.end();
    const again = await set({ url });
    expect((await again.client.search("kiwi"))[0]).toBe("n_7");
    expect(again.server.log()).toContain(FROM_SNAPSHOT);
  });
});

describe("commands on a PostgreSQL database", () => {
  test("that work on memories work", BUSY, async () => {
    const { url, client, server } = await set();
    const [a, b] = [await client.create(), await client.create({ content_title: "Basis" })];
    await client.link(a.id, b.id);
    await clientOf(server, "alice").create();
    const folder = temporaryFolder();
    const common = ["--data-dir", folder, "--database-url", url];
    const lines = join(folder, "lines.jsonl");
    // While the server runs.
    expect((await run(["export", ...common, lines])).code).toBe(0);
    expect(readFileSync(lines, "utf8")).toContain(`"${a.id}"`);
    await server.end();
    expect((await run(["check", ...common])).stdout).toBe(
      "alice: 1 memories, 0 edges: sound\ndefault: 2 memories, 1 edges: sound\n",
    );
    expect((await run(["agents", "list", ...common])).stdout).toMatch(
      /^alice\t\d+\ndefault\t\d+\n$/,
    );
    const empty = ["--data-dir", folder, "--database-url", await postgres.create()];
    const imported = await run(["import", ...empty, lines]);
    expect(imported).toMatchObject({ code: 0, stdout: "3 added, 0 replaced, 0 left out.\n" });
    // Into a file, and back.
    const files = ["--data-dir", join(folder, "files")];
    expect((await run(["import", ...files, lines])).code).toBe(0);
    const copy = join(folder, "copy.jsonl");
    expect((await run(["export", ...files, copy])).code).toBe(0);
    const facts = (file: string) => readFileSync(file, "utf8").trim().split("\n").slice(1).sort();
    expect(facts(copy)).toEqual(facts(lines));
    expect((await run(["agents", "purge", ...common, "default", b.id])).stdout).toContain(
      "is purged",
    );
    expect((await run(["agents", "delete", ...common, "alice"])).stdout).toContain("is deleted");
    expect((await run(["agents", "delete", ...common, "alice"])).stderr).toContain(
      "no agent alice",
    );
    expect(await stored(url, "SELECT agent, id FROM nous.nodes")).toEqual([
      { agent: "default", id: a.id },
    ]);
    expect((await run(["check", ...common])).stdout).toBe("default: 1 memories, 0 edges: sound\n");
  });

  test("that work on files refuse", BUSY, async () => {
    const folder = temporaryFolder();
    const copy = join(folder, "copy.db");
    for (const command of ["backup", "restore", "adopt"]) {
      const common = ["--data-dir", folder, "--database-url", await postgres.create()];
      const { code, stderr } = await run([command, ...common, copy]);
      const why = `${command} works on a database file, and database_url is set: that database is kept elsewhere.`;
      expect({ code, stderr }).toEqual({ code: 1, stderr: `nous-server: ${why}\n` });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a URL with a password", () => {
  const PASSWORD = "p@ss/w#rd:%25 ü";

  /** Makes a role that PostgreSQL lets in by its password alone. Returns the URL of its database. */
  async function locked(): Promise<{ url: string; wrong: string; bare: string }> {
    const created = await postgres.create();
    const admin = postgres.superuserOf(created);
    const name = `locked_${new URL(created).pathname.slice(1)}`;
    await query(admin, `CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
    await query(admin, `GRANT CREATE ON DATABASE ${new URL(created).pathname.slice(1)} TO ${name}`);
    const [{ hba_file: file }] = (await query(admin, "SHOW hba_file")) as [{ hba_file: string }];
    const [{ rules }] = (await query(admin, "SELECT pg_read_file($1) AS rules", [file])) as [
      { rules: string },
    ];
    const all = [`host all ${name} 127.0.0.1/32 scram-sha-256`, ...rules.trim().split("\n")];
    const rows = all.map((rule, at) => `(${at}, $$${rule}$$)`).join(", ");
    await query(
      admin,
      `COPY (SELECT rule FROM (VALUES ${rows}) AS rules (at, rule) ORDER BY at) TO '${file}'`,
    );
    await query(admin, "SELECT pg_reload_conf()");
    const withPassword = (password: string) => {
      const url = new URL(created);
      url.username = name;
      url.password = encodeURIComponent(password);
      return url.href;
    };
    return { url: withPassword(PASSWORD), wrong: withPassword("wrong"), bare: withPassword("") };
  }

  test(
    "opens the database from a variable, a file and an option, and is not shown",
    BUSY,
    async () => {
      const { url, wrong, bare } = await locked();
      const folder = temporaryFolder();
      const file = join(folder, "url");
      writeFileSync(file, `${url}\n`);
      const ways: [string[], NodeJS.ProcessEnv][] = [
        [[], { NOUS_DATABASE_URL: url }],
        [[], { NOUS_DATABASE_URL: url, DATABASE_URL: wrong }],
        [["--database-url-file", file], { DATABASE_URL: wrong }],
        [["--database-url", url], {}],
        [[], { NOUS_DATABASE_URL: bare, NOUS_DATABASE_TOKEN: PASSWORD }],
      ];
      for (const [at, [options, env]] of ways.entries()) {
        const server = await start(temporaryFolder(), options, "test", { env });
        const client = clientOf(server, "default");
        await client.create({ id: `n_${at}` });
        expect((await client.ask("GET /health")).body).toMatchObject({ node_count: at + 1 });
        await server.end();
        const shown = server.log();
        for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)])
          expect(shown).not.toContain(secret);
        expect(shown.includes("other users of this machine can read")).toBe(
          options[0] === "--database-url",
        );
      }
      await expect(
        start(temporaryFolder(), [], "test", { env: { NOUS_DATABASE_URL: wrong } }),
      ).rejects.toThrow(/cannot be opened/);
    },
  );

  test("moves agents", BUSY, async () => {
    const { url } = await locked();
    const server = await start(temporaryFolder());
    await clientOf(server, "default").create();
    await server.end();
    const { code, stdout, stderr } = await run(["move", "--from", server.dataDir, "--to", url]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(": equal") });
    expect(stderr).toContain("--to has a password");
    expect(stdout + stderr).not.toContain(encodeURIComponent(PASSWORD));
  });
});

describe("a move", () => {
  const move = (from: string, to: string, ...more: string[]) =>
    run(["move", "--from", from, "--to", to, ...more]);

  /** A server on files with two agents, one of which has rows of every kind. */
  async function filled() {
    const server = await start(temporaryFolder());
    const client = clientOf(server, "default");
    const [a, b] = [
      await client.create({ embedding: [1, 2, 3], tags: ["t"], metadata: { n: 1.5 } }),
      await client.create({ content_title: "Тренд: 資金", expires_at: "2100-01-01T00:00:00Z" }),
    ];
    await client.link(a.id, b.id);
    const { body: cluster } = await client.ask("POST /clusters", { name: "Perpetuals" });
    await client.ask(`POST /clusters/${cluster.id}/members`, { node_id: a.id });
    await client.ask("POST /contradiction/queue", { old_node_id: a.id, new_content: "No" });
    await clientOf(server, "alice").create({ content_title: "Basis" });
    return { server, client, ids: [a.id, b.id] };
  }

  test("to PostgreSQL and back carries all rows while the server writes on", BUSY, async () => {
    const { server, client, ids } = await filled();
    const url = await postgres.create();
    const first = await move(server.dataDir, url);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /^alice: 1 memories, 0 edges: equal, checksum \w{16} .*\ndefault: 2 memories, 1 edges: equal/,
    );
    // Written, changed and deleted since.
    const { id } = await client.create({ content_title: "Later" });
    await client.ask(`PATCH /nodes/${ids[0]}`, { content_title: "Changed squeeze" });
    await client.ask(`DELETE /nodes/${ids[1]}`);
    await server.end();
    const second = await move(server.dataDir, url);
    expect(second.stdout).toContain("default: 2 memories, 0 edges: equal");
    const there = await set({ url });
    expect(await there.client.search("changed")).toContain(ids[0]);
    expect(await there.client.search("later", { limit: 1 })).toEqual([id]);
    expect((await there.client.ask("GET /clusters")).body.count).toBe(1);
    expect(await clientOf(there.server, "alice").search("basis")).toHaveLength(1);
    await there.server.end();
    const folder = temporaryFolder();
    const back = await move(url, folder);
    const beside = await move(url, await postgres.create());
    expect(back.stdout).toBe(beside.stdout);
    const again = await start(folder);
    expect(await clientOf(again, "default").search("later", { limit: 1 })).toEqual([id]);
  });

  test(
    "carries uses of memories, and idempotency keys: a request that is sent again makes nothing",
    BUSY,
    async () => {
      const server = await start(temporaryFolder());
      const client = clientOf(server, "default");
      const keyed = (key: string) => ({ "idempotency-key": key });
      const first = await client.ask("POST /nodes", LESSON, keyed("first"));
      const { body: prompt } = await client.ask("POST /context", { input: "Funding squeeze?" });
      const { context_id, recalled_content } = prompt;
      const response = "A funding squeeze: extremes revert.";
      const feedback = { context_id, response, recalled_content };
      expect((await client.ask("POST /context/feedback", feedback)).status).toBe(200);
      const url = await postgres.create();
      expect((await move(server.dataDir, url)).stdout).toContain("default: 1 memories");
      // Between two passes one is made, and one is deleted with its use.
      const second = await client.ask("POST /nodes", LESSON, keyed("second"));
      await client.ask(`DELETE /nodes/${first.body.id}`);
      await server.end();
      const moved = await move(server.dataDir, url);
      expect(moved.stdout).toContain("default: 1 memories, 0 edges: equal");
      expect(await stored(url, "SELECT memory_id FROM nous.memory_usage")).toEqual([]);
      const there = await set({ url });
      const again = await there.client.ask("POST /nodes", LESSON, keyed("second"));
      expect(again).toMatchObject({ status: 201, body: { id: second.body.id } });
      const other = await there.client.ask(
        "POST /nodes",
        { ...LESSON, type: "note" },
        keyed("second"),
      );
      expect(other.status).toBe(422);
      expect((await there.client.ask("POST /nodes", LESSON, keyed("first"))).status).toBe(409);
      expect((await there.client.ask("GET /health")).body.node_count).toBe(1);
    },
  );

  testInFull("overwrites neither another agent nor a copy that is in use", BUSY, async () => {
    const { server } = await filled();
    const other = await filled();
    const refused = await move(server.dataDir, other.server.dataDir, "--agent", "default");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("memories of its own"),
    });
    const url = await postgres.create();
    expect((await move(server.dataDir, url, "--agent", "default")).code).toBe(0);
    const there = await set({ url });
    await there.client.create({ content_title: "Written to the copy" });
    const late = await move(server.dataDir, url, "--agent", "default");
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was written to since"),
    });
    expect(await there.client.search("written copy", { limit: 1 })).toHaveLength(1);
    expect((await move(server.dataDir, url, "--agent", "nobody")).stderr).toContain(
      "no agent nobody",
    );
    expect((await move("libsql://a.org", url)).stderr).toContain(
      "--from names a remote libSQL database, which version 0.1.0 is the last to read",
    );
  });
});

describe("row-level security", () => {
  test(
    "shows a hand-written query of the server's role no rows of other agents",
    BUSY,
    async () => {
      const { url, server } = await set();
      const fields = { user: "u", tags: ["a"], embedding: [1, 2, 3] };
      for (const name of ["alice", "bob"]) {
        const client = clientOf(server, name);
        const [a, b] = [await client.create(fields), await client.create(fields)];
        await client.link(a.id, b.id);
      }
      for (const table of TABLES_OF_AGENTS) {
        const counted = `SELECT count(*)::int AS n FROM nous.${table}`;
        // Without a setting, and with the setting of one agent.
        expect({ table, rows: await query(url, counted) }).toEqual({ table, rows: [{ n: 0 }] });
        const others = `
        WITH of AS (SELECT set_config('nous.agent', 'alice', false) AS name)
        SELECT count(*)::int AS n FROM of, LATERAL (
          SELECT agent FROM nous.${table} WHERE of.name IS NOT NULL OFFSET 0) AS rows
        WHERE rows.agent <> 'alice'`;
        expect({ table, rows: await query(url, others) }).toEqual({ table, rows: [{ n: 0 }] });
      }
      const counts = await stored(
        url,
        "SELECT agent, count(*)::int AS n FROM nous.nodes GROUP BY agent",
      );
      expect(counts).toHaveLength(2);
      // Rows of another agent can be neither written nor changed.
      const forged = `INSERT INTO nous.meta (agent, key, value) VALUES ('bob', 'x', 'y')`;
      await expect(query(url, forged)).rejects.toThrow(/row-level security/);
      await query(url, "DELETE FROM nous.nodes");
      expect(await stored(url, "SELECT count(*)::int AS n FROM nous.nodes")).toEqual([{ n: 4 }]);
    },
  );
});

describe("TLS", () => {
  test("checks the certificate that the URL names", BUSY, async () => {
    const own = await startPostgres({ hasTls: true });
    try {
      const strict = `${own.url}?sslmode=verify-full`;
      const { client, server } = await set({ url: `${strict}&sslrootcert=${CERTIFICATE}` });
      await client.create();
      const used = "SELECT count(*)::int AS n FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)";
      const [row] = await stored(own.url, `${used} WHERE ssl AND application_name = 'nous-server'`);
      expect(row!.n).toBeGreaterThan(0);
      await server.end();
      // No authority that Node knows has signed it.
      await expect(set({ url: strict })).rejects.toThrow("cannot be opened");
    } finally {
      await own.stop();
    }
  });
});

describe("a failing PostgreSQL database", () => {
  /** Repeats the request until it succeeds: the end of the outage is not known to the millisecond. */
  const again = (work: () => Promise<void>) => vi.waitFor(work, { timeout: 30_000, interval: 200 });

  test("is reported at the start", BUSY, async () => {
    const serve = (url: string) =>
      run(["serve", "--port", "0", "--data-dir", temporaryFolder(), "--database-url", url]);
    expect(await serve("postgres://nous@127.0.0.1:9/nous")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be opened: the database cannot be reached"),
    });
    const missing = `${await postgres.create()}_missing`;
    expect(await serve(missing)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not exist"),
    });
  });

  test("of a newer version is refused", BUSY, async () => {
    const { url, server } = await set();
    await server.end();
    await stored(url, "INSERT INTO nous.schema_version VALUES (99)");
    await expect(set({ url })).rejects.toThrow(
      /has schema 99, and this version .* use a newer one/,
    );
  });

  test(
    "that crashes loses no acknowledged write, and is used again when it is back",
    BUSY,
    async () => {
      const own = await startPostgres();
      try {
        const server = await start(temporaryFolder(), [
          "--database-url",
          own.url,
          "--database-timeout",
          "3000",
        ]);
        const client = clientOf(server, "default");
        const ids = [(await client.create()).id];
        for (let turn = 0; turn < 3; turn++) {
          await own.crash();
          for (const [call, body] of [
            ["POST /nodes", LESSON],
            ["POST /search", { query: "squeeze" }],
            [`GET /nodes/${ids[0]}`, undefined],
          ] as const) {
            const { status, body: answer } = await client.ask(call, body);
            expect({ call, status, answer }).toMatchObject({
              status: 503,
              answer: { error: expect.stringMatching(/^the database /) },
            });
          }
          expect((await client.ask("GET //livez")).status).toBe(200);
          await own.start();
          await again(async () => expect(await client.search("squeeze")).toHaveLength(ids.length));
          ids.push((await client.create()).id);
        }
        expect((await client.search("squeeze")).sort()).toEqual(ids.sort());
      } finally {
        await own.stop();
      }
    },
  );

  test("whose connections are ended goes on with new ones", BUSY, async () => {
    const { url, client } = await set();
    const { id } = await client.create();
    await stored(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await again(async () => expect(await client.search("squeeze")).toEqual([id]));
    await again(async () => void (await client.create()));
  });

  testInFull(
    "with few connections serves many agents, whose work pauses, at once",
    BUSY,
    async () => {
      const options = ["--database-connections", "2", "--workers", "1"];
      const { url, server } = await set({ options });
      const items = Array.from({ length: 100 }, (_, n) => ({
        type: "note",
        content_title: `N ${n}`,
      }));
      const work = async (name: string) => {
        const client = clientOf(server, name);
        for (let turn = 0; turn < 2; turn++) {
          expect((await client.ask("POST /nodes/batch", { items })).body.failed).toBe(0);
          expect((await client.ask("POST /search", { query: "n 7" })).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 6 }, (_, place) => work(`agent ${place}`)));
      expect(await stored(url, "SELECT count(*)::int AS n FROM nous.nodes")).toEqual([
        { n: 1_200 },
      ]);
    },
  );

  test("with the lock of one agent held answers for the others", BUSY, async () => {
    const { url, client, server } = await set({ options: ["--workers", "1"] });
    const other = clientOf(server, "other");
    await client.create({ id: "n_1" });
    const { id } = await other.create();
    const { default: pg } = await import("pg");
    const holder = new pg.Client({ connectionString: postgres.superuserOf(url) });
    await holder.connect();
    try {
      await holder.query("BEGIN; SELECT * FROM nous.agents WHERE agent = 'default' FOR UPDATE");
      let isAnswered = false;
      const write = client.ask("PATCH /nodes/n_1", { content_title: "Later" }).then((answer) => {
        isAnswered = true;
        return answer;
      });
      // More than its turn, so that it has met the lock.
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (let time = 0; time < 20; time++) expect(await other.search("squeeze")).toEqual([id]);
      expect(isAnswered).toBe(false);
      await holder.query("COMMIT");
      expect(await write).toMatchObject({ status: 200, body: { content_title: "Later" } });
    } finally {
      await holder.end();
    }
  });

  testInFull("with a lock that is held answers in time", BUSY, async () => {
    const { url, client } = await set({ options: ["--database-timeout", "1000"] });
    await client.create();
    const { default: pg } = await import("pg");
    const holder = new pg.Client({ connectionString: postgres.superuserOf(url) });
    await holder.connect();
    try {
      await holder.query("BEGIN; SELECT * FROM nous.agents FOR UPDATE");
      const before = performance.now();
      const { status } = await client.ask("POST /nodes", LESSON);
      expect(status).toBe(503);
      expect(performance.now() - before).toBeLessThan(20_000);
    } finally {
      await holder.end();
    }
    await again(async () => void (await client.create()));
  });
});

test("a database that takes no writes is read, before and after a restart of the server", {
  timeout: 180_000,
}, async () => {
  const { url, server, folder, client } = await set({ options: ["--log-level", "info"] });
  const { id } = await client.create();
  await client.search("squeeze");
  const superuser = postgres.superuserOf(postgres.url);
  const name = new URL(url).pathname.slice(1);
  const takeWrites = async (isOn: boolean) => {
    const mode = `default_transaction_read_only = ${isOn ? "off" : "on"}`;
    await query(superuser, `ALTER DATABASE ${name} SET ${mode}`);
    // The setting counts for new connections.
    const own = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
    await query(superuser, own, [name]);
  };
  const check = async ({ ask }: typeof client) => {
    const reads: [string, object?][] = [
      ["POST /search", { query: "squeeze" }],
      ["POST /context", { input: "squeeze" }],
      [`GET /nodes/${id}`],
      ["GET /health"],
    ];
    for (const [call, body] of reads)
      expect([call, (await ask(call, body)).status]).toEqual([call, 200]);
    const writes: [string, object?][] = [
      ["POST /nodes", LESSON],
      [`PATCH /nodes/${id}`, { content_title: "Other" }],
      [`DELETE /nodes/${id}`],
      ["POST /decay", {}],
    ];
    const { status, message: error } = readOnly();
    for (const [call, body] of writes)
      expect([call, await ask(call, body)]).toMatchObject([call, { status, body: { error } }]);
  };
  await takeWrites(false);
  // A request may still meet a connection that was just ended, and is answered with 503.
  const found = async () => expect((await client.ask("GET /nodes")).status).toBe(200);
  await vi.waitFor(found, { timeout: 30_000, interval: 100 });
  await check(client);
  expect(await server.end()).toBe(0);
  expect(server.log()).not.toContain('"level":"error"');
  const again = await start(folder, ["--database-url", url]);
  await check(clientOf(again, "default"));
  const newcomer = await clientOf(again, "newcomer").ask("POST /nodes", LESSON);
  expect(newcomer.status).toBe(readOnly().status);
  await takeWrites(true);
  const create = async () => (await clientOf(again, "default").ask("POST /nodes", LESSON)).status;
  await expect.poll(create).toBe(201);
});

test("a database that takes no connections is not available, and is used again when it does", {
  timeout: 60_000,
}, async () => {
  const { url, client } = await set({ options: ["--workers", "1"] });
  const { id } = await client.create();
  const superuser = postgres.superuserOf(postgres.url);
  const name = new URL(url).pathname.slice(1);
  await query(superuser, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  const own = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
  await query(superuser, own, [name]);
  const calls: [string, object?][] = [
    ["GET /health"],
    [`GET /nodes/${id}`],
    ["POST /nodes", LESSON],
  ];
  // The connections that were open tell of their end at their next use.
  await expect.poll(async () => (await client.ask("GET /health")).status).toBe(503);
  for (const [call, body] of calls)
    expect([call, (await client.ask(call, body)).status]).toEqual([call, 503]);
  await query(superuser, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await expect.poll(async () => (await client.ask(`GET /nodes/${id}`)).status).toBe(200);
});
