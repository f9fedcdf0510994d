// Faults: a lost index, a database that another program holds or that is invalid, foreign requests,
// and a stop under load.

import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { MemoryIndex, NousError } from "nous-wasm";
import { describe, expect, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { nodeHandlers } from "../../js/server/src/agent/handlers/nodes.ts";
import { searchHandlers } from "../../js/server/src/agent/handlers/search.ts";
import { searchOperations } from "../../js/server/src/api/search.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { execute, raw } from "./support/existing-database.ts";
import { start } from "./support/server-process.ts";
import { clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Every call of this index fails from now on, as after a trap. */
function lose(index: MemoryIndex): void {
  for (const name of Object.getOwnPropertyNames(MemoryIndex.prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(MemoryIndex.prototype, name)!;
    if (typeof value !== "function" || name === "constructor" || name === "free") continue;
    vi.spyOn(index, name as "search").mockImplementation(() => {
      throw new NousError("instance_lost", "This instance of the engine has ended.");
    });
  }
}

function newAgent() {
  const file = join(temporaryFolder(), "a.db");
  const agent = new Agent(new SqliteStorage(file, { durability: "normal" }));
  const create = (fields = {}) =>
    nodeHandlers.createNode(agent, {
      params: undefined,
      query: undefined,
      headers: {},
      body: { ...LESSON, ...fields } as never,
    });
  const read = (id: string, recall: boolean) =>
    nodeHandlers.readNode(agent, { params: { id }, query: { recall }, body: undefined });
  const search = async (query: string) => {
    const body = searchOperations.search.body.parse({ query });
    const { data } = await searchHandlers.search(agent, {
      params: undefined,
      query: undefined,
      body,
    });
    return data.map(({ id }) => id);
  };
  return { agent, file, create, read, search };
}

describe("a lost index", () => {
  test("is rebuilt by a read, by a write, and after writes of another program", async () => {
    const { agent, file, create, read, search } = newAgent();
    const { id } = await create();
    lose(agent.index);
    expect(await search("squeeze")).toEqual([id]);
    lose(agent.index);
    const other = await create({ content_title: "Other", content_body: null });
    expect((await search("other"))[0]).toEqual(other.id);
    lose(agent.index);
    execute(file, "INSERT INTO nodes (id, type, content_title) VALUES ('n_t', 'note', 'Gamma')");
    expect((await search("gamma"))[0]).toEqual("n_t");
    lose(agent.index);
    execute(file, "INSERT INTO nodes (id, type, content_title) VALUES ('n_u', 'note', 'Vanna')");
    await create();
    expect((await read("n_u", false)).content_title).toBe("Vanna");
  });

  test("loses no recall", async () => {
    const { agent, file, create, read } = newAgent();
    const { id } = await create();
    const { neural_stability } = await read(id, true);
    lose(agent.index);
    expect(await read(id, false)).toMatchObject({ neural_stability, neural_access_count: 1 });
    lose(agent.index);
    agent.close();
    const rows = raw(file).prepare("SELECT neural_stability, neural_access_count FROM nodes").all();
    expect(rows).toEqual([{ neural_stability, neural_access_count: 1 }]);
  });

  test("loses no recall in a rebuild for the first vector either", async () => {
    const { create, read } = newAgent();
    const { id } = await create();
    const { neural_stability } = await read(id, true);
    await create({ embedding: [1, 0] });
    expect(await read(id, false)).toMatchObject({ neural_stability, neural_access_count: 1 });
  });
});

test("reads do not wait for another program that is writing", async () => {
  const server = await start(temporaryFolder());
  const { create, ask, search, file } = clientOf(server, "default");
  const { id } = await create();
  await ask(`GET /nodes/${id}`);
  const db = raw(file());
  db.exec("BEGIN IMMEDIATE");
  const begun = performance.now();
  expect((await ask("GET /health")).body.lifecycle).toEqual({ ACTIVE: 1 });
  expect((await ask("GET /nodes?lifecycle=ACTIVE")).body.count).toBe(1);
  expect(await search("squeeze", { lifecycle: "ACTIVE" })).toEqual([id]);
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect((await ask("GET /health")).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(4_500);
  db.exec("COMMIT");
});

test("an invalid database is 503 with a sentence, and leaks no file", async () => {
  const folder = temporaryFolder();
  const server = await start(folder);
  const file = agentFile(folder, "broken");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "no database ".repeat(1_000));
  const { ask } = clientOf(server, "broken");
  const opened = () =>
    process.platform === "linux" ? readdirSync(`/proc/${server.process.pid}/fd`).length : 0;
  const first = await ask("GET /health");
  expect(first).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining("cannot be opened") },
  });
  const before = opened();
  for (let turn = 0; turn < 30; turn++) expect((await ask("POST /nodes", LESSON)).status).toBe(503);
  expect(opened()).toBeLessThan(before + 10);
});

test("a read creates no agent", async () => {
  const server = await start(temporaryFolder());
  const { ask, search, create, file } = clientOf(server, "nobody");
  expect((await ask("GET /health")).body.node_count).toBe(0);
  expect(await search("squeeze")).toEqual([]);
  expect((await ask("GET /nodes/n_none")).status).toBe(404);
  expect(
    (await ask("POST /edges", { source_id: "a", target_id: "b", type: "causes" })).status,
  ).toBe(404);
  const there = () => readdirSync(dirname(file())).filter((name) => name.endsWith(".db"));
  expect(there()).toHaveLength(1);
  const { id } = await create();
  expect(there()).toHaveLength(2);
  expect(await search("squeeze")).toEqual([id]);
});

describe("foreign requests", () => {
  const statusOf = (url: string, headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      const asking = request(`${url}/v1/health`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on("error", reject);
      asking.end();
    });

  test("are refused by their Host and by their Origin", async () => {
    const { url } = await start(temporaryFolder());
    const { host, port } = new URL(url);
    expect(await statusOf(url, {})).toBe(200);
    expect(await statusOf(url, { host: `localhost:${port}` })).toBe(200);
    expect(await statusOf(url, { origin: `http://${host}` })).toBe(200);
    for (const headers of [
      { host: `evil.example:${port}` },
      { host: "127.0.0.1.evil.example" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      expect(await statusOf(url, headers as Record<string, string>), JSON.stringify(headers)).toBe(
        403,
      );
    }
  });
});

test("a stop does not wait for clients that keep sending requests", async () => {
  const server = await start(temporaryFolder());
  const { create } = clientOf(server, "default");
  let isOver = false;
  const load = async () => {
    while (!isOver) await create().catch(() => {});
  };
  const loads = [load(), load()];
  await create();
  const begun = performance.now();
  expect(await server.end("SIGTERM")).toBe(0);
  expect(performance.now() - begun).toBeLessThan(5_000);
  isOver = true;
  await Promise.all(loads);
});

test("an idle connection is kept longer than clients keep theirs, and a stop does not wait for it", async () => {
  const server = await start(temporaryFolder());
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write("GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  const [first] = (await once(socket, "data")) as [Buffer];
  const { seconds } = /keep-alive: timeout=(?<seconds>\d+)/i.exec(first.toString())!.groups as {
    seconds: string;
  };
  expect(Number(seconds)).toBeGreaterThan(60);
  const begun = performance.now();
  expect(await server.end("SIGTERM")).toBe(0);
  expect(performance.now() - begun).toBeLessThan(5_000);
  socket.destroy();
});
