// Agents as such: which there are, what is left of one that was deleted and of a memory that was purged, and how many stay open.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { raw } from "./existing.ts";
import { PROGRAM, type Running, start } from "./process.ts";
import { clientOf } from "./shared.ts";
import { temporaryFolder } from "./temporary.ts";

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Files of an agent in which a text is, in UTF-8. */
function filesWith(file: string, text: string): string[] {
  const start = basename(file).replace(/db$/, "");
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(start));
  return names.filter((name) => readFileSync(join(dirname(file), name)).includes(text));
}

describe("agents", () => {
  test("are listed, and one that is deleted is gone with its files and may come to be again", async () => {
    const server = await start(temporaryFolder());
    const [one, other] = [clientOf(server, "one"), clientOf(server, "other")];
    await one.create({ content_title: "Zanzibar" });
    await other.create();
    writeFileSync(`${one.file()}.schema-1.copy`, "Zanzibar");
    const { body } = await server.ask("GET /agents");
    expect(body.data.map(({ agent }: { agent: string }) => agent).sort()).toEqual(["default", "one", "other"]);
    expect(body.count).toBe(3);
    expect(await server.ask("DELETE /agents/one")).toMatchObject({ status: 200, body: { ok: true } });
    expect(await server.ask("DELETE /agents/one")).toMatchObject({ status: 404 });
    expect(readdirSync(dirname(one.file())).filter((name) => name.startsWith(basename(one.file(), ".db")))).toEqual([]);
    expect(await one.search("zanzibar")).toEqual([]);
    expect(await other.search("squeeze")).toHaveLength(1);
    const { id } = await one.create({ content_title: "Zanzibar anew" });
    expect(await one.search("zanzibar")).toEqual([id]);
  });

  test("of names that a path has to spell are deleted by them", async () => {
    const server = await start(temporaryFolder());
    const name = "a/б ../%";
    const { create, file } = clientOf(server, Buffer.from(name).toString("latin1"));
    await create();
    expect(existsSync(agentFile(server.dataDir, name))).toBe(true);
    expect((await server.ask(`DELETE /agents/${encodeURIComponent(name)}`)).status).toBe(200);
    expect(existsSync(file())).toBe(false);
  });

  test("are deleted while requests come in, each of which is answered", async () => {
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

  test("are listed and deleted by command, unless a server has them open", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    await clientOf(server, "one").create();
    const refused = run("agents", "delete", "one", "--data-dir", folder);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("another program is using it") });
    expect(await clientOf(server, "one").search("squeeze")).toHaveLength(1);
    await server.end();
    expect(run("agents", "list", "--data-dir", folder).stdout).toMatch(/^one\t\d+$/m);
    expect(run("agents", "delete", "one", "--data-dir", folder)).toMatchObject({ status: 0 });
    expect(run("agents", "list", "--data-dir", folder).stdout).not.toContain("one\t");
    expect(run("agents", "delete", "one", "--data-dir", folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("there is no agent one"),
    });
  });
});

describe("a memory that is purged", () => {
  const TEXTS = ["Xylophone title", "Quagmire body", "Zeitgeist before", "Kaleidoscope deleted"];

  /** Memories whose texts were written, changed and deleted in every way there is. */
  async function written(server: Running) {
    const client = clientOf(server, "default");
    for (let place = 0; place < 30; place++) await client.create({ content_title: `other ${place}` });
    const { id } = await client.create({ content_title: TEXTS[0], content_body: TEXTS[2] });
    await client.ask(`PATCH /nodes/${id}`, { content_body: `${TEXTS[1]} `.repeat(500) });
    const gone = await client.create({ content_title: TEXTS[3] });
    await client.ask(`DELETE /nodes/${gone.id}`);
    raw(client.file()).exec(
      `INSERT INTO conflict_queue (id, old_node_id, new_content) VALUES ('q', '${id}', 'Quagmire body')`,
    );
    writeFileSync(`${client.file()}.schema-1.copy`, TEXTS[0]!);
    return { ...client, id };
  }

  test("is in no file by its text, and others are as they were", async () => {
    const server = await start(temporaryFolder());
    const { ask, id, search, file } = await written(server);
    for (const text of TEXTS) expect(filesWith(file(), text)).not.toEqual([]);
    const before = await search("other", { limit: 50 });
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({ status: 200, body: { ok: true, deleted: true } });
    for (const text of TEXTS) {
      expect(filesWith(file(), text)).toEqual([]);
      // The full-text index has words in small letters.
      expect(filesWith(file(), text.split(" ")[0]!.toLowerCase().slice(1))).toEqual([]);
    }
    expect(await search("other", { limit: 50 })).toEqual(before);
    expect(await search("xylophone")).toEqual([]);
    expect((await ask(`GET /nodes/${id}`)).status).toBe(404);
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({ status: 200, body: { ok: true, deleted: false } });
    await server.end();
    expect(run("check", "--data-dir", server.dataDir)).toMatchObject({ status: 0 });
  });

  test("by command, too, and a server that is running knows it", async () => {
    const server = await start(temporaryFolder());
    const { id, search, file } = await written(server);
    expect(run("agents", "purge", "default", id, "--data-dir", server.dataDir)).toMatchObject({ status: 0 });
    for (const text of TEXTS) expect(filesWith(file(), text)).toEqual([]);
    expect(await search("xylophone")).toEqual([]);
  });

  test("is refused while another program reads, and done when it is asked again", async () => {
    const server = await start(temporaryFolder());
    const { ask, id, file } = await written(server);
    const reader = raw(file());
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM nodes").all();
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({ status: 503 });
    reader.exec("COMMIT");
    expect(await ask(`POST /nodes/${id}/purge`)).toMatchObject({ status: 200, body: { deleted: false } });
    for (const text of TEXTS) expect(filesWith(file(), text)).toEqual([]);
  });
});

describe("how many agents stay open", () => {
  /** Kilobytes that a process takes, and the databases that it has open. */
  const usedBy = ({ process: { pid } }: Running) => {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
    return { resident: Number(kilobytes), files: readdirSync(`/proc/${pid}/fd`).length };
  };

  /** What was used at most meanwhile. */
  const fill = async (server: Running, agents: number) => {
    const most = usedBy(server);
    for (let place = 0; place < agents; place++) {
      const { create } = clientOf(server, `agent ${place}`);
      await create({ content_title: `only ${place}`, embedding: Array(384).fill(place + 1) });
      const { resident, files } = usedBy(server);
      most.resident = Math.max(most.resident, resident);
      most.files = Math.max(most.files, files);
    }
    return most;
  };

  test.runIf(process.platform === "linux")(
    "those that are idle are closed, which gives files and memory back, and open again when they are asked",
    { timeout: 120_000 },
    async () => {
      const server = await start(temporaryFolder(), ["--agent-idle", "5", "--log-level", "error"]);
      const before = usedBy(server).files;
      const most = await fill(server, 60);
      expect(most.files).toBeGreaterThan(before + 3 * 15);
      await expect.poll(() => usedBy(server).files, { timeout: 30_000 }).toBeLessThan(before + 6);
      await expect.poll(() => usedBy(server).resident, { timeout: 30_000 }).toBeLessThan(most.resident * 0.9);
      expect(await clientOf(server, "agent 7").search("only")).toHaveLength(1);
    },
  );

  test.runIf(process.platform === "linux")(
    "those that were asked longest ago are closed when there is no more room",
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
      // Each takes four megabytes and more; what was closed is given back within a second or so.
      await expect.poll(() => usedBy(server).files, { timeout: 10_000 }).toBeLessThan(before + 3 * 16);
      for (const place of [0, 59]) expect(await clientOf(server, `agent ${place}`).search("only")).toHaveLength(1);
    },
  );
});
