// The events of an agent: their order, cursors that lose and double nothing, writes of other processes,
// isolation, slow readers and the end of streams.

import fc from "fast-check";
import { followMemory } from "nous-server/client";
import { describe, expect, test, vi } from "vitest";
import type { Events } from "../../js/server/src/api/events.ts";
import { EventStreams } from "../../js/server/src/http/event-streams.ts";
import { amount, runs } from "../support/amount.ts";
import { follow, type Sent } from "./support/event-stream.ts";
import { keyIn, revokeIn } from "./support/keys.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server, client } = sharedServer();
const as = (agent: string) => ({ "x-nous-agent": agent });
const streamOf = (own: Client, query = "", headers: Record<string, string> = {}) =>
  follow(server().url, { ...as(own.agent), ...headers }, query);
const listed = async (own: Client, query = "after=0"): Promise<Events> => {
  const { status, body } = await own.ask(`GET /events?${query}`);
  expect(status).toBe(200);
  return body;
};
/** Returns all events of an agent, page by page. */
async function allOf(own: Client, limit = 500): Promise<Events["data"]> {
  const all: Events["data"] = [];
  for (let after = "0"; ; ) {
    const { data, cursor, reset } = await listed(own, `after=${after}&limit=${limit}`);
    expect(reset).toBe(false);
    if (data.length === 0) return all;
    all.push(...data);
    after = cursor;
  }
}
const told = ({ kind, data }: Sent) => `${kind} ${data.id}`;
const numberOf = (cursor: string) => Number(cursor.slice(cursor.lastIndexOf(".") + 1));

describe("the events of an agent", () => {
  test("tell what was written, in order, with the memory in short", async () => {
    const own = client();
    const stream = await streamOf(own);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    const before = new Date().toISOString();
    await own.create({ id: "old", content_title: "Rent is 900" });
    await own.ask("PATCH /nodes/old", { content_body: "a month" });
    await own.create({ id: "new", content_title: "Rent is 950", embedding: [1, 0] });
    const link = await own.link("old", "new", "causes");
    const replacing = await own.link("new", "old", "supersedes");
    await own.ask(`DELETE /edges/${link.id}`);
    await own.ask("DELETE /nodes/new");
    const [begun, ...events] = await stream.take(9);
    expect(begun).toMatchObject({ kind: "start" });
    const kinds = events.map(told);
    expect(kinds.slice(0, 6)).toEqual([
      "stored old",
      "changed old",
      "stored new",
      `linked ${link.id}`,
      `replaced ${replacing.id}`,
      `unlinked ${link.id}`,
    ]);
    // A deleted memory takes its edges along.
    expect(kinds.slice(6).sort()).toEqual(["deleted new", `unlinked ${replacing.id}`].sort());
    const [first] = events;
    expect(first!.data).toEqual({
      cursor: first!.id,
      kind: "stored",
      id: "old",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      memory: {
        id: "old",
        type: "concept",
        subtype: "custom:lesson",
        title: "Rent is 900",
        memory_section: "KNOWLEDGE",
      },
      edge: null,
    });
    // Clocks of processes and of PostgreSQL may differ by a moment.
    expect(Date.parse(first!.data.at)).toBeGreaterThan(Date.parse(before) - 60_000);
    const gone = events.find(({ kind }) => kind === "deleted")!;
    expect(gone.data.memory).toBeNull();
    expect(await allOf(own)).toEqual(
      events.map(({ data }) =>
        expect.objectContaining({
          ...{ cursor: data.cursor, kind: expect.any(String), id: data.id, at: data.at },
        }),
      ),
    );
  });

  test("show an edge with its ends while it is there", async () => {
    const own = client();
    const [one, other] = [await own.create(), await own.create()];
    const edge = await own.link(one.id, other.id, "causes");
    const { data } = await listed(own);
    expect(data.find(({ id }) => id === edge.id)).toMatchObject({
      kind: "linked",
      memory: null,
      edge: { type: "causes", source_id: one.id, target_id: other.id },
    });
  });

  test("are neither recalls nor embeddings", async () => {
    const own = client();
    const { id } = await own.create({ embedding: [0.1, 0.2] });
    const { cursor } = await listed(own);
    await own.ask(`GET /nodes/${id}`);
    await own.search("funding squeeze");
    // The accesses are written after a second.
    const count = async () =>
      (await own.stored("SELECT neural_access_count AS count FROM nodes"))[0]!.count;
    await vi.waitFor(async () => expect(await count()).not.toBe(0), { timeout: 20_000 });
    expect((await listed(own, `after=${cursor}`)).data).toEqual([]);
  });

  test("come without a loss or a double, wherever readers break off", async () => {
    const step = fc.constantFrom("store", "change", "delete", "link", "many");
    const round = fc.record({ steps: fc.array(step, { maxLength: 12 }), taken: fc.nat(9) });
    const rounds = fc.array(round, { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rounds, async (plan) => {
        const own = client();
        const ids: string[] = [];
        const write = async (what: string) => {
          if (what === "store" || ids.length < 2) ids.push((await own.create()).id);
          else if (what === "change")
            await own.ask(`PATCH /nodes/${ids[0]}`, { content_body: "x" });
          else if (what === "delete") await own.ask(`DELETE /nodes/${ids.pop()}`);
          else if (what === "link") await own.link(ids[0]!, ids[1]!, "causes");
          else {
            const items = Array.from({ length: 30 }, () => LESSON);
            const { body } = await own.ask("POST /nodes/batch", { items });
            expect(body.results).toHaveLength(30);
          }
        };
        let last = "0";
        const taken: Sent[] = [];
        for (const { steps, taken: wanted } of plan) {
          const stream = await streamOf(own, "", { "last-event-id": last });
          expect((await stream.next())?.kind).toBe("start");
          for (const what of steps) await write(what);
          const left = (await allOf(own)).length - taken.length;
          for (const event of await stream.take(Math.min(wanted, left))) {
            taken.push(event);
            last = event.id;
          }
          stream.leave();
        }
        const all = await allOf(own, 7);
        const rest = await streamOf(own, `?after=${last}`);
        await rest.next();
        taken.push(...(await rest.take(all.length - taken.length)));
        rest.leave();
        expect(taken.map(({ id }) => id)).toEqual(all.map(({ cursor }) => cursor));
        const numbers = all.map(({ cursor }) => numberOf(cursor));
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      }),
      runs(amount(20, 4)),
    );
  }, 300_000);

  test("tell what another process wrote, also while this one has the agent closed", async () => {
    const folder = temporaryFolder();
    const quick = ["--agent-idle", "1"];
    const [one, other] = [await start(folder, quick), await start(folder, quick)];
    const [here, there] = [clientOf(one, "shared"), clientOf(other, "shared")];
    const stream = await follow(one.url, as("shared"));
    await stream.next();
    await there.create({ id: "a" });
    expect((await stream.take(1)).map(told)).toEqual(["stored a"]);
    const open = async () =>
      (await (await fetch(`${one.url}/metrics`)).text()).match(/^nous_agents_open (\d+)/m)?.[1];
    await vi.waitFor(async () => expect(await open()).toBe("0"), {
      timeout: 30_000,
      interval: 200,
    });
    await there.create({ id: "b" });
    expect((await stream.take(1)).map(told)).toEqual(["stored b"]);
    expect(await open()).toBe("0");
    await here.create({ id: "c" });
    expect((await stream.take(1)).map(told)).toEqual(["stored c"]);
  }, 120_000);

  test("begin before the agent exists, and begin anew with its next life", async () => {
    const own = client();
    const stream = await streamOf(own);
    expect((await stream.next())?.id).toBe("0");
    await own.create({ id: "a" });
    const [stored] = await stream.take(1);
    expect(told(stored!)).toBe("stored a");
    expect((await server().ask(`DELETE /agents/${encodeURIComponent(own.agent)}`)).status).toBe(
      200,
    );
    await own.create({ id: "b" });
    const [reset] = await stream.take(1);
    expect(reset).toMatchObject({ kind: "reset", data: { cursor: reset!.id } });
    const { data, reset: isReset } = await listed(own, `after=${stored!.id}`);
    expect([data, isReset]).toEqual([[], true]);
  });
});

test("a stream does not hinder the purge of a memory", async () => {
  const own = await start(temporaryFolder());
  const me = clientOf(own, "default");
  await me.create({ id: "a" });
  await me.create({ id: "b" });
  const stream = await follow(own.url, as("default"), "?after=0");
  expect((await stream.take(3)).map(told)).toEqual(["start undefined", "stored a", "stored b"]);
  expect((await me.ask("POST /nodes/a/purge")).status).toBe(200);
  expect((await stream.take(1)).map(told)).toEqual(["deleted a"]);
  await me.create({ id: "c" });
  expect((await stream.take(1)).map(told)).toEqual(["stored c"]);
});

describe("the client", () => {
  test("follows from a cursor, and ends when it is told to", async () => {
    const own = client();
    await own.create({ id: "a" });
    await own.create({ id: "b" });
    const { data } = await listed(own);
    const leaving = new AbortController();
    const found: string[] = [];
    const options = { baseUrl: server().url, agent: own.agent, signal: leaving.signal };
    for await (const event of followMemory({ ...options, after: data[0]!.cursor })) {
      if (event.kind === "start" || event.kind === "reset") {
        expect(event).toEqual({ kind: "start", cursor: data[0]!.cursor });
        continue;
      }
      found.push(`${event.kind} ${event.id}`);
      if (event.id === "b") await own.create({ id: "c" });
      else leaving.abort();
    }
    expect(found).toEqual(["stored b", "stored c"]);
    const foreign = followMemory({ ...options, signal: undefined, after: `x${data[0]!.cursor}` });
    expect((await foreign.next()).value.kind).toBe("start");
    expect((await foreign.next()).value.kind).toBe("reset");
    await foreign.return(undefined);
  });

  test("throws the refusal of a server, and says which server does not answer", async () => {
    const own = { baseUrl: server().url, agent: "a" };
    await expect(followMemory({ ...own, after: "yesterday" }).next()).rejects.toMatchObject({
      ...{ status: 400, issues: [{ path: "after" }] },
    });
    await expect(
      followMemory({ ...own, baseUrl: "http://127.0.0.1:1" }).next(),
    ).rejects.toMatchObject({ status: null, message: expect.stringContaining("127.0.0.1:1") });
  });
});

describe("a cursor", () => {
  test("whose next changes are forgotten, or that is of another memory, is answered by a reset", async () => {
    const [own, other] = [client(), client()];
    await own.create();
    const { cursor: old } = await listed(own);
    await own.create();
    await own.create({ id: "last" });
    const now = async () => (await listed(own, "limit=1")).cursor;
    const number = numberOf(await now());
    await other.create();
    const foreign = (await listed(other)).cursor;
    const future = (await now()).replace(/\d+$/, String(number + 1_000));
    await own.stored("DELETE FROM change_log WHERE sequence <= ?", numberOf(old) + 1);
    for (const wrong of ["0", old, foreign, future]) {
      const cursor = await now();
      const answer = await listed(own, `after=${wrong}`);
      expect({ wrong, ...answer }).toEqual({ wrong, data: [], count: 0, cursor, reset: true });
      const stream = await streamOf(own, `?after=${wrong}`);
      const [begun, reset] = await stream.take(2);
      expect(begun!.kind).toBe("start");
      expect(reset).toEqual({ id: cursor, kind: "reset", data: { cursor } });
      await own.create();
      expect((await stream.take(1))[0]!.kind).toBe("stored");
      stream.leave();
    }
  });

  test("that is none is refused, and so is a wrong limit", async () => {
    const own = client();
    for (const accept of ["application/json", "text/event-stream"]) {
      const ask = (query: string, headers = {}) =>
        own.ask(`GET /events${query}`, undefined, { accept, ...headers });
      for (const [query, path] of [
        ["?after=yesterday", "after"],
        ["?after=", "after"],
        ["?limit=many", "limit"],
        ["?since=0", "since"],
      ] as const) {
        const { status, body } = await ask(query);
        expect({
          query,
          status,
          paths: body.issues.map((it: { path: string }) => it.path),
        }).toEqual({
          ...{ query, status: 400, paths: [path] },
        });
      }
      const { status, body } = await ask("", { "last-event-id": "x y" });
      expect([status, body.issues[0].path]).toEqual([400, "Last-Event-ID"]);
    }
  });
});

describe("a stream", () => {
  test("has the events of its agent alone, and ends when its key is revoked", async () => {
    const folder = temporaryFolder();
    const { key: all } = await keyIn(folder, {
      ...{ agents: "all", scopes: ["memory", "admin"], creates_agents: true },
    });
    const { key, id } = await keyIn(folder, {
      ...{ agents: ["alice"], scopes: ["memory"], creates_agents: true },
    });
    const { key: admin } = await keyIn(folder, {
      ...{ agents: "all", scopes: ["admin"], creates_agents: true },
    });
    const own = await start(folder);
    const withKey = (agent: string, key: string) => ({
      ...as(agent),
      authorization: `Bearer ${key}`,
    });
    const create = (agent: string, id: string) =>
      own.ask("POST /nodes", { ...LESSON, id }, withKey(agent, all));
    await create("alice", "a1");
    await create("bob", "b1");
    expect((await follow(own.url, withKey("bob", key))).status).toBe(403);
    expect((await follow(own.url, withKey("alice", admin))).status).toBe(403);
    expect((await follow(own.url, as("alice"))).status).toBe(401);
    const stream = await follow(own.url, withKey("alice", key), "?after=0");
    await create("bob", "b2");
    await create("alice", "a2");
    expect((await stream.take(3)).map(told).slice(1)).toEqual(["stored a1", "stored a2"]);
    await revokeIn(folder, id);
    // PostgreSQL's keys are read again after a moment.
    let number = 2;
    const ended = vi.waitFor(
      async () => {
        await create("alice", `a${++number}`);
        while ((await stream.next()) !== undefined);
        return true;
      },
      { timeout: 30_000 },
    );
    expect(await ended).toBe(true);
  });

  test("is refused beyond the most that an agent has, and makes room when it ends", async () => {
    const own = client();
    const streams = await Promise.all(Array.from({ length: 32 }, () => streamOf(own)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const { status, body } = await own.ask("GET /events", undefined, {
      accept: "text/event-stream",
    });
    expect([status, body.error]).toEqual([429, "too many streams of events"]);
    expect(body.issues[0].message).toContain("the agent has 32 streams open");
    expect((await streamOf(client())).status).toBe(200);
    streams[0]!.leave();
    await vi.waitFor(async () => expect((await streamOf(own)).status).toBe(200), {
      timeout: 10_000,
    });
  });

  test("ends when the server stops, which does not wait for it", async () => {
    const own = await start(temporaryFolder());
    const streams = await Promise.all(
      Array.from({ length: 3 }, () => follow(own.url, as("default"))),
    );
    for (const stream of streams) {
      await stream.next();
      // A connection that stayed open would keep the server waiting.
      expect(stream.headers.get("connection")).toBe("close");
    }
    const code = own.end();
    // Without an end of its own the connection would be cut off, which `fetch` throws.
    for (const stream of streams) expect(await stream.next()).toBeUndefined();
    expect(await code).toBe(0);
  });

  const page = (number: number): Events => ({
    data: [],
    ...{ count: 0, cursor: `e.${number}`, reset: true },
  });
  const never = { look: 0, alive: 1e9, stalled: 1e9 };
  /** A stream over pages that never end. */
  const endless = (waits = never) => {
    let asked = 0;
    const streams = new EventStreams({ events: async () => page(++asked) }, waits);
    const response = { destroy: vi.fn() };
    const follower = {
      ...{ agent: "a", key: undefined, after: undefined, first: page(0) },
      ...{ mayRead: async () => true, response: response as never },
    };
    return { body: streams.open(follower), response, asked: () => asked, streams };
  };

  test("reads no further ahead of a client than a page", async () => {
    const { body, asked } = endless();
    const reader = body.getReader();
    for (let taken = 0; taken < 20; taken++) {
      const { value } = await reader.read();
      if (taken > 0) expect(new TextDecoder().decode(value)).toContain(`id: e.${taken}\n`);
      // The work that could run on without the client has had its turns.
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(asked()).toBeLessThanOrEqual(taken + 1);
    }
    await reader.cancel();
  });

  test("is cut off if its client takes nothing", async () => {
    const { response } = endless({ ...never, stalled: 5 });
    await vi.waitFor(() => expect(response.destroy).toHaveBeenCalledOnce());
  });

  test("goes on after a look that failed, and ends after three in a row", async () => {
    // Every third look works, until none does.
    let asked = 0;
    const events = async () => {
      asked += 1;
      if (asked % 3 !== 0 || asked > 9) throw new Error("busy");
      return page(asked);
    };
    const reader = new EventStreams({ events }, never)
      .open({
        ...{ agent: "a", key: undefined, after: undefined, first: page(0), response: undefined },
        mayRead: async () => true,
      })
      .getReader();
    await reader.read();
    for (const number of [3, 6, 9]) {
      const { value } = await reader.read();
      expect(new TextDecoder().decode(value)).toContain(`id: e.${number}\n`);
    }
    expect((await reader.read()).done).toBe(true);
    expect(asked).toBe(12);
  });

  test("shows signs of life, with the newest cursor", async () => {
    const quiet: Events = { data: [], count: 0, cursor: "e.7", reset: false };
    const streams = new EventStreams({ events: async () => quiet }, { ...never, alive: 1 });
    const reader = streams
      .open({
        ...{ agent: "a", key: undefined, after: "e.7", first: quiet, response: undefined },
        mayRead: async () => true,
      })
      .getReader();
    await reader.read();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toBe(": still here\nid: e.7\n\n");
    streams.close();
    let isDone = false;
    while (!isDone) isDone = (await reader.read()).done;
  });
});
