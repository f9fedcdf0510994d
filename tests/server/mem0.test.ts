// The interface of mem0 at /mem0. The requests are those that its npm client sends (mem0ai 3.3.1), and those
// of its older clients. The full tier also runs the clients of npm and PyPI.

import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Rights } from "../../js/server/src/keys/keys.ts";
import { keyIn } from "./support/keys.ts";
import { testOnFilesInFull } from "./support/on-postgres.ts";
import { type Running, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Sends a request as the client does: with a token, and a slash at the end of the path. */
function clientOf({ url }: Pick<Running, "url">, token = "m0-any", below = "/mem0") {
  return async (call: string, body?: object) => {
    const [method, path] = call.split(" ") as [string, string];
    const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}${below}${path}`, init);
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which the tests are about
    return { status: answer.status, body: (await answer.json()) as any };
  };
}

const started = async (...options: string[]) => start(temporaryFolder(), options);

test("memories are added, found, read, changed and deleted", async () => {
  const send = clientOf(await started());
  expect((await send("GET /v1/ping/")).body).toMatchObject({
    ...{ status: "ok", org_id: "nous", project_id: "memory" },
  });
  const added = await send("POST /v3/memories/add/", {
    messages: [
      { role: "user", content: "I am allergic to walnuts." },
      { role: "assistant", content: "Walnuts are noted: I leave them out of recipes." },
    ],
    ...{ user_id: "mira", agent_id: "cook", run_id: "r1", metadata: { via: "chat" } },
    ...{ categories: ["food"], timestamp: 1_770_000_000 },
  });
  expect(added.status).toBe(200);
  expect(added.body.results).toMatchObject([
    { memory: "I am allergic to walnuts.", event: "ADD" },
    { memory: "Walnuts are noted: I leave them out of recipes.", event: "ADD" },
  ]);
  const [{ id }] = added.body.results;
  const one = {
    ...{ id, memory: "I am allergic to walnuts.", user_id: "mira", agent_id: "cook", run_id: "r1" },
    ...{ metadata: { via: "chat" }, categories: ["food"], app_id: null },
    created_at: "2026-02-02T02:40:00.000Z",
  };
  await send("POST /v3/memories/add/", { messages: "Omar sails on Sundays.", user_id: "omar" });
  const found = await send("POST /v3/memories/search/", {
    ...{ query: "Which nuts must Mira avoid?", output_format: "v1.1", top_k: 5 },
    filters: { AND: [{ user_id: "mira" }, { categories: { in: ["food"] } }] },
  });
  expect(found.body.results[0]).toMatchObject({ ...one, score: expect.any(Number) });
  expect(found.body.results.every((hit: { user_id: string }) => hit.user_id === "mira")).toBe(true);
  expect((await send(`GET /v1/memories/${id}/`)).body).toMatchObject(one);
  const text = "I am allergic to walnuts and hazelnuts.";
  const changed = await send(`PUT /v1/memories/${id}/`, { text, metadata: { via: "form" } });
  const later = { ...one, memory: text, metadata: { via: "form" } };
  expect(changed.body).toMatchObject(later);
  expect((await send(`GET /v1/memories/${id}/`)).body).toMatchObject(later);
  expect((await send(`GET /v1/memories/${id}/history/`)).body).toMatchObject([
    { memory_id: id, new_memory: text, event: "ADD" },
  ]);
  expect((await send(`DELETE /v1/memories/${id}/`)).body).toEqual({
    message: "Memory deleted successfully!",
  });
  expect((await send(`GET /v1/memories/${id}/`)).status).toBe(404);
});

test("lists come in pages, by filters", async () => {
  const send = clientOf(await started());
  const texts = ["The pier opens at nine.", "The ferry leaves at ten.", "The boat is red."];
  await send("POST /v3/memories/add/", { messages: texts, user_id: "mira", app_id: "diary" });
  await send("POST /v3/memories/add/", { messages: "Omar sails.", user_id: "omar" });
  const page = async (number: number) =>
    (await send(`POST /v3/memories/?page=${number}&page_size=2`, { filters: { user_id: "mira" } }))
      .body;
  expect(await page(1)).toMatchObject({ count: 3, next: "?page=2&page_size=2", previous: null });
  expect((await page(1)).results).toHaveLength(2);
  expect(await page(2)).toMatchObject({ count: 3, next: null, results: [{ user_id: "mira" }] });
  expect((await page(3)).results).toEqual([]);
  const all = async (filters: object) =>
    (await send("POST /v2/memories/", { filters })).body.results.map(
      (one: { memory: string }) => one.memory,
    );
  expect(await all({ app_id: "diary" })).toHaveLength(3);
  expect(await all({ user_id: { in: ["omar"] } })).toEqual(["Omar sails."]);
  expect(await all({ user_id: "*" })).toHaveLength(4);
  expect(await all({ user_id: "*", created_at: { gte: "2999-01-01" } })).toEqual([]);
  // The first version had its filters in the query.
  expect((await send("GET /v1/memories/?user_id=omar")).body.results).toHaveLength(1);
});

test("all conditions narrow, wherever they stand, and none is dropped", async () => {
  const send = clientOf(await started());
  const add = (messages: string, day: number, more: object) =>
    send("POST /v3/memories/add/", {
      ...{ messages, timestamp: Date.UTC(2026, 1, day) / 1000, user_id: "mira", ...more },
    });
  await add("The pier opens at nine.", 1, { categories: ["work"], metadata: { via: "chat" } });
  await add("The ferry leaves at ten.", 2, { categories: ["food"], metadata: { via: "chat" } });
  await add("The boat at the pier is red.", 3, { categories: ["food"], metadata: { via: "form" } });
  await add("Omar eats at the pier.", 3, { user_id: "omar", categories: ["food"] });
  const filters = { user_id: "mira" };
  const bounds = [{ created_at: { gte: "2026-02-02" } }, { created_at: { lte: "2026-02-02" } }];
  for (const [given, count] of [
    [{ filters }, 3],
    [{ filters, categories: ["food"], show_expired: false, latest_only: false }, 2],
    [{ filters, metadata: { via: "chat" } }, 2],
    [{ filters, start_date: "2026-02-02", end_date: "2026-02-02" }, 1],
    [{ filters: { AND: [filters, ...bounds] } }, 1],
    [{ filters: { AND: [filters, { categories: "food" }] }, user_id: "mira" }, 2],
    [{ user_id: "mira", categories: ["food"] }, 2],
  ] as const) {
    const listed = await send("POST /v3/memories/", given);
    expect({ given, count: listed.body.count }).toEqual({ given, count });
    const found = await send("POST /v3/memories/search/", { query: "pier", ...given });
    expect(found.status).toBe(200);
    expect(found.body.results.length).toBeLessThanOrEqual(count);
    for (const { user_id } of found.body.results) expect(user_id).toBe("mira");
  }
  for (const given of [
    ...[{ filters: { user_id: null } }, { filters: {} }, {}, { user_id: null }],
    ...[{ filters: null }, { filters, run_id: null }, { filters: { AND: [] } }],
    { filters: { AND: [{ user_id: "mira" }, { user_id: "omar" }] } },
    { filters: { AND: [filters, { metadata: { a: 1 } }, { metadata: { a: 2 } }] } },
    {
      filters: { AND: [filters, { created_at: { gte: "2026" } }, { created_at: { gte: "2027" } }] },
    },
  ])
    for (const [path, query] of [
      ["", {}],
      ["search/", { query: "pier" }],
    ] as const) {
      const { status } = await send(`POST /v3/memories/${path}`, { ...query, ...given });
      expect({ given, status }).toEqual({ given, status: 400 });
    }
});

test("many are changed and deleted at once", async () => {
  const send = clientOf(await started());
  const texts = ["The pier opens at nine.", "The ferry leaves at ten.", "The boat is red."];
  const { results } = (await send("POST /v3/memories/add/", { messages: texts, user_id: "mira" }))
    .body;
  const [first, second] = results as { id: string }[];
  const changes = [{ memory_id: first!.id, text: "The pier opens at eight." }];
  expect((await send("PUT /v1/batch/", { memories: changes })).status).toBe(200);
  expect((await send(`GET /v1/memories/${first!.id}/`)).body.memory).toBe(
    "The pier opens at eight.",
  );
  await send("DELETE /v1/batch/", { memories: [{ memory_id: second!.id }] });
  const left = async () =>
    (await send("POST /v3/memories/", { filters: { user_id: "mira" } })).body.count;
  expect(await left()).toBe(2);
  // Nobody named: nothing is deleted.
  expect((await send("DELETE /v1/memories/?")).status).toBe(400);
  expect(await left()).toBe(2);
  await send("DELETE /v1/memories/?user_id=mira");
  expect(await left()).toBe(0);
  await send("POST /v3/memories/add/", { messages: texts, run_id: "r 1" });
  await send("DELETE /v2/entities/run/r%201/");
  expect((await send("POST /v3/memories/", { filters: { run_id: "r 1" } })).body.count).toBe(0);
});

test("a batch does what its method says, and all of it or nothing", async () => {
  const send = clientOf(await started());
  const texts = ["The pier opens at nine.", "The ferry leaves at ten."];
  const named = { user_id: "mira", agent_id: "cook", metadata: { via: "chat" } };
  const { results } = (await send("POST /v3/memories/add/", { messages: texts, ...named })).body;
  const [first, second] = (results as { id: string }[]).map(({ id }) => id);
  const read = async (id: string | undefined) => (await send(`GET /v1/memories/${id}/`)).body;
  const put = (...memories: object[]) => send("PUT /v1/batch/", { memories });
  const day = "2999-01-02";
  const both = { text: "The pier opens at eight.", metadata: { via: "form" } };
  const answered = await put(
    { memory_id: first, metadata: { via: "form" }, expiration_date: day },
    { memory_id: second, ...both },
  );
  expect(answered.body.message).toBe("Successfully updated 2 memories");
  const changed = { metadata: { via: "form" }, agent_id: "cook" };
  expect(await read(first)).toMatchObject({ ...changed, memory: texts[0], expiration_date: day });
  expect(await read(second)).toMatchObject({ ...changed, memory: both.text });
  for (const [wrong, status, path] of [
    [{ memory_id: second }, 400, "memories.1.text"],
    [{ memory_id: second, text: " " }, 400, "memories.1.text"],
    [{ memory_id: second, metadata: [] }, 400, "memories.1.metadata"],
    [{ memory_id: second, expiration_date: "soon" }, 400, "memories.1.expiration_date"],
    [{ memory_id: second, text: "x", user_id: "omar" }, 400, "memories.1.user_id"],
    [{ memory_id: "none", text: "x" }, 404, "memories.1.memory_id"],
  ] as const) {
    const { status: found, body } = await put({ memory_id: first, text: "Changed." }, wrong);
    expect({ found, path: body.issues[0].path }).toEqual({ found: status, path });
  }
  const gone = await send("DELETE /v1/batch/", {
    memories: [{ memory_id: first }, { memory_id: "none" }],
  });
  expect(gone.status).toBe(404);
  expect(await read(first)).toMatchObject({ memory: texts[0] });
  // A deletion deletes, whatever stands beside the id, and an id that is there twice is one.
  const twice = [{ memory_id: first, text: "Kept?" }, { memory_id: first }];
  expect((await send("DELETE /v1/batch/", { memories: twice })).status).toBe(200);
  expect((await send(`GET /v1/memories/${first}/`)).status).toBe(404);
});

test("an agent stands in the path, and a key is the token", async () => {
  const server = await started();
  const mira = clientOf(server, "any", "/mem0/mira");
  await mira("POST /v3/memories/add/", { messages: "Mira sails.", user_id: "mira" });
  const all = { filters: { user_id: "mira" } };
  expect((await mira("POST /v3/memories/", all)).body.count).toBe(1);
  expect((await clientOf(server)("POST /v3/memories/", all)).body.count).toBe(0);
  const rights: Rights = { agents: ["mira"], scopes: ["memory"], creates_agents: false };
  const { key } = await keyIn(server.dataDir, rights);
  // With PostgreSQL a new key counts within a second.
  await expect.poll(async () => (await mira("GET /v1/ping/")).status).toBe(401);
  const withKey = clientOf(server, key, "/mem0/mira");
  expect((await withKey("GET /v1/ping/")).status).toBe(200);
  expect((await withKey("POST /v3/memories/", all)).body.count).toBe(1);
  expect((await clientOf(server, key)("POST /v3/memories/", all)).status).toBe(403);
});

describe("what does not fit", () => {
  test("is refused with the field, and nothing is stored", async () => {
    const send = clientOf(await started());
    for (const [call, body, path] of [
      ["POST /v3/memories/add/", {}, "messages"],
      ["POST /v3/memories/add/", { messages: "x y", timestamp: "soon" }, "timestamp"],
      ["POST /v3/memories/search/", { query: "x", filters: { OR: [] } }, "filters.OR"],
      ["POST /v3/memories/search/", { query: "x" }, "filters"],
      ["POST /v3/memories/", { filters: { categories: "food" } }, "filters"],
      ["GET /v1/memories/", undefined, "filters"],
      ["POST /v3/memories/", { filters: { user_id: ["mira", null] } }, "filters.user_id"],
      ["GET /v1/memories/?user_id=mira&user_id=omar", undefined, "user_id"],
      ["DELETE /v1/memories/?categories=food", undefined, "user_id"],
      ["POST /v3/memories/", { filters: { user_id: "mira" }, latest_only: true }, "latest_only"],
      ["POST /v3/memories/", { filters: { user_id: "mira" }, user_id: "omar" }, "user_id"],
      [
        "POST /v3/memories/search/",
        { query: "x", filters: { AND: [{ NOT: [] }] } },
        "filters.AND.0.NOT",
      ],
      [
        "POST /v3/memories/search/",
        { query: "x", filters: { created_at: "now" } },
        "filters.created_at",
      ],
      ["POST /v3/memories/search/", { query: "x", top_k: 0 }, "top_k"],
      ["POST /v3/memories/?page_size=1000", {}, "page_size"],
      ["PUT /v1/batch/", {}, "memories"],
    ] as const) {
      const { status, body: answer } = await send(call, body);
      expect(status, `${call} ${JSON.stringify(body)}`).toBe(400);
      expect(answer.issues[0].path).toBe(path);
    }
    expect((await send("GET /v1/webhooks/")).status).toBe(404);
    expect((await send("GET /v1/memories/%E0%A4%A/")).status).toBe(400);
    expect((await send("GET /a%00b/v1/ping/")).status).toBe(400);
    expect((await send("GET /v1/memories/none/")).status).toBe(404);
    expect((await send("POST /v3/memories/search/", { filters: {} })).status).toBe(400);
  });
});

/** The commands that install a client of mem0 into their folder, and the one that starts a program. */
const CLIENTS: [program: string, commands: string[]][] = [
  ["calls.mjs", ["npm install --ignore-scripts --no-audit --no-fund mem0ai@3.3.1", "node"]],
  [
    "calls.py",
    [
      "python3 -m venv environment",
      "environment/bin/pip install --quiet mem0ai==2.2.1",
      "environment/bin/python",
    ],
  ],
];

testOnFilesInFull.each(CLIENTS)(
  "mem0's own client gets all that it asks for: %s",
  { timeout: 600_000 },
  async (program, commands) => {
    const { url } = await started();
    const cwd = temporaryFolder({ onDisk: true });
    copyFileSync(
      fileURLToPath(new URL(`./support/mem0/${program}`, import.meta.url)),
      join(cwd, program),
    );
    const env = { ...process.env, MEM0_TELEMETRY: "false" };
    const run = (command: string, ...args: string[]) => {
      const [name, ...rest] = command.split(" ");
      return execFileSync(name!, [...rest, ...args], { cwd, env, encoding: "utf8" });
    };
    const starting = commands.at(-1)!;
    for (const command of commands.slice(0, -1)) run(command);
    expect(JSON.parse(run(starting, program, `${url}/mem0`))).toEqual({
      read: "I am allergic to walnuts and cashews.",
      history: 1,
      left: ["I am allergic to walnuts and cashews.", "I play the cello on Mondays."],
      afterAll: [],
      afterUsers: [],
    });
  },
);
