// The lifecycle of agents: which exist, what remains of a deleted agent and of a purged memory, and
// how many stay open.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { amount, some } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { execute, raw } from "./support/existing-database.ts";
import { describeOnFiles, isOnPostgres, testOnFiles } from "./support/on-postgres.ts";
import { COLLECTING, gaugeOf, usedBy } from "./support/process-usage.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** The names of an agent's files. There are none on PostgreSQL. */
function filesOfAgent(file: string): string[] {
  if (!existsSync(dirname(file))) return [];
  return readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file, "db")));
}

/** Files of an agent that contain a text, in UTF-8. */
function filesWith(file: string, text: string): string[] {
  const holds = (name: string) => readFileSync(join(dirname(file), name)).includes(text);
  return filesOfAgent(file).filter(holds);
}

describe("agents", () => {
  test("are listed, and a deleted one is gone with its files and may be created again", async () => {
    const server = await start(temporaryFolder());
    const [one, other] = [clientOf(server, "one"), clientOf(server, "other")];
    await one.create({ content_title: "Zanzibar" });
    await other.create();
    if (!isOnPostgres) writeFileSync(`${one.file()}.schema-1.copy`, "Zanzibar");
    const { body } = await server.ask("GET /agents");
    expect(body.data.map(({ agent }: { agent: string }) => agent).sort()).toEqual([
      "default",
      "one",
      "other",
    ]);
    expect(body.count).toBe(3);
    expect(await server.ask("DELETE /agents/one")).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await server.ask("DELETE /agents/one")).toMatchObject({ status: 404 });
    expect(filesOfAgent(one.file())).toEqual([]);
    expect(await one.search("zanzibar")).toEqual([]);
    expect(await other.search("squeeze")).toHaveLength(1);
    const { id } = await one.create({ content_title: "Zanzibar anew" });
    expect(await one.search("zanzibar", { limit: 1 })).toEqual([id]);
  });

  test("with names that are escaped in paths are deleted by these names", async () => {
    const server = await start(temporaryFolder());
    const name = "a/б ../%";
    const { create, file } = clientOf(server, Buffer.from(name).toString("latin1"));
    await create();
    expect(existsSync(agentFile(server.dataDir, name))).toBe(!isOnPostgres);
    const listed = async () => (await server.ask("GET /agents")).body.data as { agent: string }[];
    expect(await listed()).toContainEqual(expect.objectContaining({ agent: name }));
    expect((await server.ask(`DELETE /agents/${encodeURIComponent(name)}`)).status).toBe(200);
    expect(await listed()).not.toContainEqual(expect.objectContaining({ agent: name }));
    expect(existsSync(file())).toBe(false);
  });

  testOnFiles(
    "with names that no header or path can carry are not created by any route",
    {
      timeout: 120_000,
    },
    async () => {
      const server = await start(temporaryFolder());
      const at = ["--data-dir", server.dataDir];
      const file = join(temporaryFolder(), "lines.jsonl");
      writeFileSync(file, "");
      const names = [".", "..", "a\tb", "a\u0085b", "x".repeat(201)];
      for (const name of names) {
        const { status, body } = await clientOf(server, Buffer.from(name).toString("latin1")).ask(
          "POST /nodes",
          LESSON,
        );
        expect({ name, status, body }).toMatchObject({
          status: 400,
          body: {
            issues: [{ path: "X-Nous-Agent", message: expect.stringContaining("not . or ..") }],
          },
        });
        const commands = [
          ["import", file, "--agent", name],
          ["restore", file, "--agent", name],
          ["adopt", file, "--agent", name],
          ["keys", "create", "--agents", name],
        ];
        for (const args of some(commands, 1)) {
          expect({ args, ...run(...args, ...at) }).toMatchObject({
            status: 1,
            stderr: expect.stringContaining("not . or .."),
          });
        }
        expect(existsSync(agentFile(server.dataDir, name))).toBe(false);
      }
      const deleted = await server.ask(`DELETE /agents/${"x".repeat(201)}`);
      expect(deleted).toMatchObject({ status: 400, body: { issues: [{ path: "agent" }] } });
      expect((await clientOf(server, "...").ask("POST /nodes", LESSON)).status).toBe(201);
      expect((await server.ask("DELETE /agents/...")).status).toBe(200);
    },
  );

  testOnFiles(
    "with such a name from an earlier version are exported and deleted by command",
    {
      timeout: 60_000,
    },
    async () => {
      const folder = temporaryFolder();
      for (const name of [".", ".."]) {
        const storage = new SqliteStorage(agentFile(folder, name), { durability: "normal" });
        storage.setMeta("agent", name);
        storage.close();
        expect(run("export", "--agent", name, "--data-dir", folder)).toMatchObject({ status: 0 });
        expect(run("agents", "list", "--data-dir", folder).stdout).toContain(`${name}\t`);
        expect(run("agents", "delete", name, "--data-dir", folder)).toMatchObject({ status: 0 });
        expect(existsSync(agentFile(folder, name))).toBe(false);
      }
    },
  );

  test("can be deleted during requests, each of which is answered", async () => {
    const server = await start(temporaryFolder());
    const client = clientOf(server, "busy");
    const calls = Array.from({ length: 40 }, (_, place) =>
      place % 10 === 9
        ? server.ask("DELETE /agents/busy")
        : client.ask("POST /nodes", { type: "note", content_title: "x" }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
    expect((await client.ask("GET /health")).status).toBe(200);
  });

  testOnFiles("are listed and deleted by command, unless a server has them open", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    await clientOf(server, "one").create();
    const refused = run("agents", "delete", "one", "--data-dir", folder);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program is using it"),
    });
    expect(await clientOf(server, "one").search("squeeze")).toHaveLength(1);
    await server.end();
    expect(run("agents", "list", "--data-dir", folder).stdout).toMatch(/^one\t\d+\t\/.+\.db$/m);
    expect(run("agents", "delete", "one", "--data-dir", folder)).toMatchObject({ status: 0 });
    expect(run("agents", "list", "--data-dir", folder).stdout).not.toContain("one\t");
    expect(run("agents", "delete", "one", "--data-dir", folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("there is no agent one"),
    });
  });
});

describeOnFiles("a purged memory", () => {
  const TEXTS = ["Xylophone title", "Quagmire body", "Zeitgeist before", "Kaleidoscope deleted"];

  /** Memories whose texts were written, changed and deleted in every possible way. */
  async function written(server: Running) {
    const client = clientOf(server, "default");
    for (let place = 0; place < 30; place++)
      await client.create({ content_title: `other ${place}` });
    const { id } = await client.create({ content_title: TEXTS[0], content_body: TEXTS[2] });
    await client.ask(`PATCH /nodes/${id}`, { content_body: `${TEXTS[1]} `.repeat(500) });
    const gone = await client.create({ content_title: TEXTS[3] });
    await client.ask(`DELETE /nodes/${gone.id}`);
    execute(
      client.file(),
      `INSERT INTO conflict_queue (id, old_node_id, new_content) VALUES ('q', '${id}', 'Quagmire body')`,
    );
    writeFileSync(`${client.file()}.schema-1.copy`, TEXTS[0]!);
    return { ...client, id };
  }

  test("is in no file by its text, and others are unchanged", async () => {
    const server = await start(temporaryFolder());
    const { ask, id, search, file } = await written(server);
    for (const text of TEXTS) expect(filesWith(file(), text)).not.toEqual([]);
    const bySignals = { limit: 50, ranking: "signals" };
    const before = await search("other", bySignals);
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({
      status: 200,
      body: { ok: true, deleted: true },
    });
    for (const text of TEXTS) {
      expect(filesWith(file(), text)).toEqual([]);
      // The full-text index has words in small letters.
      expect(filesWith(file(), text.split(" ")[0]!.toLowerCase().slice(1))).toEqual([]);
    }
    expect(await search("other", bySignals)).toEqual(before);
    expect(await search("xylophone", bySignals)).toEqual([]);
    expect((await ask(`GET /nodes/${id}`)).status).toBe(404);
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({
      status: 200,
      body: { ok: true, deleted: false },
    });
    await server.end();
    expect(run("check", "--data-dir", server.dataDir)).toMatchObject({ status: 0 });
  });

  test("can be purged by command, too, and a running server notices", async () => {
    const server = await start(temporaryFolder());
    const { id, search, file } = await written(server);
    expect(run("agents", "purge", "default", id, "--data-dir", server.dataDir)).toMatchObject({
      status: 0,
    });
    for (const text of TEXTS) expect(filesWith(file(), text)).toEqual([]);
    expect(await search("xylophone")).toEqual([]);
  });

  test("cannot be purged while another program reads, and can be afterwards", async () => {
    const server = await start(temporaryFolder());
    const { ask, id, file } = await written(server);
    const reader = raw(file());
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM nodes").all();
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({ status: 503 });
    reader.exec("COMMIT");
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({
      status: 200,
      body: { deleted: false },
    });
    for (const text of TEXTS) expect(filesWith(file(), text)).toEqual([]);
  });
});

describe("the number of open agents", () => {
  /**
   * Creates this many agents with this many memories each, one after another; returns the maximum
   * use meanwhile.
   */
  const fill = async (server: Running, agents: number, memories = 1, first = 0) => {
    const max = usedBy(server);
    for (let place = first; place < first + agents; place++) {
      const memory = {
        ...LESSON,
        content_title: `only ${place}`,
        embedding: Array(384).fill(place + 1),
      };
      const items = Array.from({ length: memories }, () => memory);
      const { body } = await clientOf(server, `agent ${place}`).ask("POST /nodes/batch", { items });
      expect(body).toMatchObject({ created: memories });
      const { resident, files } = usedBy(server);
      max.resident = Math.max(max.resident, resident);
      max.files = Math.max(max.files, files);
    }
    return max;
  };

  // Open agents of files have file handles.
  testOnFiles.runIf(process.platform === "linux")(
    "falls when idle agents are closed, which frees files and memory, and they reopen on request",
    { timeout: 120_000 },
    async () => {
      const options = ["--agent-idle", "5", "--log-level", "error"];
      const server = await start(temporaryFolder(), options, "test", {
        node: ["--import", COLLECTING],
      });
      const { files: before, resident: begun } = usedBy(server);
      const max = await fill(server, 60);
      expect(max.files).toBeGreaterThan(before + 3 * 15);
      const allClosed = () =>
        expect.poll(() => usedBy(server).files, { timeout: 30_000 }).toBeLessThan(before + 6);
      await allClosed();
      // As many other agents need no more: the memory of the closed ones serves them. Agents that are
      // not given back would take as much in each round. When a process returns memory is up to its
      // allocator: of five rounds, one shows it.
      const half = (max.resident - begun) / 2;
      const grown: number[] = [];
      for (let from = 60, before = max.resident; from <= 300; from += 60) {
        const { resident } = await fill(server, 60, 1, from);
        grown.push(resident - before);
        if (resident - before < half) break;
        before = resident;
        await allClosed();
      }
      expect(Math.min(...grown)).toBeLessThan(half);
      expect(await clientOf(server, "agent 7").search("only")).toHaveLength(1);
    },
  );

  testInFull.runIf(process.platform === "linux")(
    "stays within the memory limit for many agents in turn, which lose nothing",
    { timeout: 240_000 },
    async () => {
      const [agents, memories, megabytes] = [isOnPostgres ? 100 : amount(200, 100), 20, 300];
      const options = [
        "--max-resident-mb",
        String(megabytes),
        "--durability",
        "normal",
        "--log-level",
        "error",
      ];
      const server = await start(temporaryFolder(), options);
      const before = usedBy(server).resident;
      const max = await fill(server, agents, memories);
      const limit = megabytes * 2 ** 20;
      expect(max.resident - before).toBeLessThan(limit);
      expect(await gaugeOf(server, "nous_resident_bytes")).toBeLessThanOrEqual(limit);
      expect(await gaugeOf(server, "nous_agents_open")).toBeLessThan(agents);
      for (let place = 0; place < agents; place += 33) {
        expect((await clientOf(server, `agent ${place}`).ask("GET /health")).body.node_count).toBe(
          memories,
        );
      }
    },
  );

  testOnFiles.runIf(process.platform === "linux")(
    "is limited: without room, the least recently used agent is closed",
    { timeout: 120_000 },
    async () => {
      const server = await start(temporaryFolder(), [
        "--max-resident-mb",
        "64",
        "--workers",
        "1",
        "--log-level",
        "error",
      ]);
      const before = usedBy(server).files;
      await fill(server, 60);
      // Each takes four megabytes and more. Files are released a moment after their agent was
      // closed.
      await expect
        .poll(() => usedBy(server).files, { timeout: 30_000 })
        .toBeLessThan(before + 3 * 16);
      for (const place of [0, 59])
        expect(await clientOf(server, `agent ${place}`).search("only")).toHaveLength(1);
    },
  );
});
