// Limits of keys: requests in a minute, and what the agents of a key hold.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { followMemory, NousClient, type NousRequestError } from "nous-server/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyIn } from "./support/keys.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { LESSON } from "./support/shared-server.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./support/temporary-folder.ts";

type Named = { key: string; id: string };
type Call = (call: string, body?: unknown) => ReturnType<Running["ask"]>;

const folder = makeFolder();
const keys: Record<string, Named> = {};
let server: Running;

/** Returns a function that asks with a key, about an agent. */
const as =
  (name: string, agent: string): Call =>
  (call, body) =>
    server.ask(call, body, {
      "x-nous-agent": agent,
      authorization: `Bearer ${keys[name]!.key}`,
    });

const mcpCall = (id: number, name: string, given: object) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: given },
});

beforeAll(async () => {
  const of = (agents: string[] | "all") =>
    keyIn(folder, { agents, scopes: ["memory", "admin"], creates_agents: true });
  keys.busy = await of(["busy"]);
  keys.calm = await of(["busy"]);
  keys.large = await of(["large"]);
  keys.speaks = await of(["speaks"]);
  keys.few = await of(["few", "more"]);
  keys.each = await of("all");
  keys.small = await of(["small"]);
  server = await start(
    folder,
    [
      "--max-requests-per-minute",
      `${keys.busy.id}=5, ${keys.speaks.id}=6, ${keys.large.id}=4`,
      "--max-memories",
      `4, ${keys.calm.id}=0, ${keys.few.id}=3`,
      ...["--max-bytes", `${keys.small.id}=1`],
    ],
    "file",
  );
});

afterAll(async () => {
  await server.end("SIGKILL");
  removeFolder(folder);
});

describe("requests in a minute", () => {
  test("are refused beyond the limit of the key, with the time to wait", async () => {
    const ask = as("busy", "busy");
    const allowed = await Promise.all(Array.from({ length: 5 }, () => ask("GET /health")));
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (let more = 0; more < 2; more++) {
      const { status, headers, body } = await ask("POST /search", { query: "x" });
      const wait = Number(headers.get("retry-after"));
      expect({ status, body }).toEqual({
        status: 429,
        body: {
          error: "too many requests",
          issues: [
            { path: "max_requests_per_minute", message: `is 5: try again in ${wait} seconds` },
          ],
        },
      });
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
    const { key } = keys.busy!;
    const client = new NousClient({ baseUrl: server.url, agent: "busy", key });
    const error = await client.health().catch((caught: unknown) => caught as NousRequestError);
    expect(error).toMatchObject({ status: 429, issues: [{ path: "max_requests_per_minute" }] });
    expect((error as NousRequestError).retryAfter).toBeGreaterThan(0);
    const stream = followMemory({ baseUrl: server.url, agent: "busy", key });
    const refused = await stream.next().catch((caught: unknown) => caught as NousRequestError);
    expect(refused).toMatchObject({ status: 429 });
    expect((refused as NousRequestError).retryAfter).toBeGreaterThan(0);
    // Another key of the same agent, and what says how the server is.
    expect((await as("calm", "busy")("GET /health")).status).toBe(200);
    expect((await ask("GET //livez")).status).toBe(200);
    expect((await ask("GET //mcp")).status).toBe(429);
  });

  test("count each call of MCP once, in a batch too", async () => {
    const ask = as("speaks", "speaks");
    const said = (id: number) =>
      mcpCall(id, "remember", { text: `The lamp ${id} is on desk ${id}.` });
    expect((await ask("POST //mcp", said(1))).body).toMatchObject({ id: 1, result: {} });
    expect((await ask("POST //mcp", [said(2), said(3), said(4)])).body).toHaveLength(3);
    // Two are left: three at once are none.
    const refused = await ask("POST //mcp", [said(5), said(6), said(7)]);
    expect(refused).toMatchObject({ status: 429, body: { error: "too many requests" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask("GET /health")).body).toMatchObject({ node_count: 4 });
  });

  test("tell no time to wait for a request that holds more than any minute allows", async () => {
    const ask = as("large", "large");
    const pings = Array.from({ length: 5 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const never = await ask("POST //mcp", pings);
    expect(never).toMatchObject({
      status: 413,
      body: {
        error: "too many requests in one",
        issues: [
          {
            path: "max_requests_per_minute",
            message: "is 4, and this request holds 5: send fewer at once",
          },
        ],
      },
    });
    expect(never.headers.get("retry-after")).toBe(null);
    // A batch of mem0 counts as its items: after the one above, three are left.
    const batch = (length: number) =>
      ask("PUT //mem0/v1/batch", {
        memories: Array.from({ length }, () => ({ memory_id: "none", text: "x" })),
      });
    expect((await batch(3)).status).toBe(404);
    expect((await batch(1)).status).toBe(429);
  });
});

describe("the quota of memories", () => {
  test("holds for concurrent writes, batches and several agents, and is free after a deletion", async () => {
    const [few, more] = [as("few", "few"), as("few", "more")];
    expect((await more("POST /nodes", { ...LESSON, id: "n_first" })).status).toBe(201);
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) => few("POST /nodes", { ...LESSON, id: `n_${n}` })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = made.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(refused[0]!.headers.get("retry-after")).toBe("60");
    expect(refused[0]!.body).toEqual({
      error: "the quota of the key is used up",
      issues: [
        {
          path: "max_memories",
          message: "is 3, and as many are stored: delete memories, or ask for a larger quota",
        },
      ],
    });
    const kept = made.find(({ status }) => status === 201)!.body.id;
    // What is stored can be read, changed and sent again.
    expect((await few("POST /search", { query: "funding" })).body.data).not.toHaveLength(0);
    expect((await few(`PATCH /nodes/${kept}`, { content_title: "New" })).status).toBe(200);
    expect((await few("POST /remember", { text: "The key is under the mat." })).status).toBe(429);
    expect((await few(`DELETE /nodes/${kept}`)).status).toBe(200);
    const batch = await few("POST /nodes/batch", { items: [LESSON, LESSON] });
    expect(batch.body).toMatchObject({ created: 1, failed: 1 });
    expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 429]);
  });

  test("counts each agent of a key for all agents by itself, and is told to a model", async () => {
    for (const agent of ["one", "two"]) {
      const ask = as("each", agent);
      for (const _ of "abcd") expect((await ask("POST /nodes", LESSON)).status).toBe(201);
      expect((await ask("POST /nodes", LESSON)).status).toBe(429);
      const told = await ask("POST //mcp", mcpCall(1, "remember", { text: "Mira likes pears." }));
      expect(told.body.result).toMatchObject({ isError: true });
      expect(told.body.result.content[0].text).toContain("max_memories is 4");
    }
  });

  test("is no limit if it is 0", async () => {
    for (const _ of "abcde")
      expect((await as("calm", "busy")("POST /nodes", LESSON)).status).toBe(201);
  });
});

test("the quota of bytes refuses what needs room, and lets the rest through", async () => {
  const ask = as("small", "small");
  // A PostgreSQL database of no memory has no bytes, and a file has those of its tables.
  await ask("POST /nodes", LESSON);
  const { status, body } = await ask("POST /nodes", LESSON);
  expect(status).toBe(429);
  expect(body.issues[0]).toMatchObject({
    path: "max_bytes",
    message: expect.stringMatching(/^is 1, and \d{3,} are in use: /),
  });
  expect((await ask("POST /search", { query: "x" })).status).toBe(200);
  expect((await ask("DELETE /nodes/n_x")).status).toBe(404);
});

test("without keys all callers share a limit", async () => {
  const open = await start(temporaryFolder(), ["--max-requests-per-minute", "2"]);
  const statuses = [];
  for (const agent of ["a", "b", "c"])
    statuses.push((await open.ask("GET /health", undefined, { "x-nous-agent": agent })).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await open.ask("GET //metrics").catch(() => ({ status: "text" }))).status).toBe("text");
});

test("a wrong limit stops the server with its place, and a file may have numbers", () => {
  const config = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, "config", ...args], { encoding: "utf8" });
  for (const wrong of ["many", "-1", "1.5", "alice=5", "k_short=5"])
    expect(config("--max-memories", wrong)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        `--max-memories is ${JSON.stringify(wrong)}: must be a whole`,
      ),
    });
  const file = join(temporaryFolder(), "nous.yaml");
  writeFileSync(file, "max_memories: 5000\nmax_bytes: [1000000, k_0123456789ab=5]\n");
  expect(config("--config", file).stdout).toMatch(
    /max_memories:\n {2}- "5000"\nmax_bytes:\n {2}- "1000000"\n {2}- k_0123456789ab=5\n/,
  );
});
