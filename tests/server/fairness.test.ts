// Agents that share a thread: no agent waits for another's whole work, work ends if its client
// disconnects, and the cost of a write does not grow with the data. Tests compare order and ratios
// rather than times, since the machine may be slow.

import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amount, patience, some } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { beside, withinLock } from "./support/database-lock.ts";
import { execute, raw } from "./support/existing-database.ts";
import { testOnFiles, testOnFilesInFull } from "./support/on-postgres.ts";
import { usedBy } from "./support/process-usage.ts";
import { type Running, start } from "./support/server-process.ts";
import { type Client, clientOf, LESSON } from "./support/shared-server.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./support/temporary-folder.ts";

const ONE_THREAD = ["--workers", "1"];
const MEGABYTE = 2 ** 20;

/** Without vectors texts are compared by their words, which takes longer. */
const BY_WORDS = ["--embeddings-provider", "none"];

/** A text of this many characters, of words that memories share. */
const wordsOf = (length: number, first = "") =>
  `${first} ${"funding squeeze extremes revert ".repeat(length / 32)}`;

interface Two {
  server: Running;
  busy: Client;
  other: Client;
}

/** Starts a server with two agents. In a folder of the caller's it stays for the file. */
async function twoAgents(folder?: string): Promise<Two> {
  const scope = folder === undefined ? "test" : "file";
  const server = await start(folder ?? temporaryFolder(), [...ONE_THREAD, ...BY_WORDS], scope);
  const [busy, other] = [clientOf(server, "busy"), clientOf(server, "other")];
  await other.create();
  return { server, busy, other };
}

/**
 * Two agents for tests that only read. The memories of `busy` are about ten megabytes of words, so
 * that to compare them with a text takes a while.
 */
let long: Two;
const folder = makeFolder();
beforeAll(async () => {
  long = await twoAgents(folder);
  for (let place = 0; place < 24; place++)
    await long.busy.create({ content_body: wordsOf(MEGABYTE / 2, `t${place}`) });
}, 120_000);
afterAll(async () => {
  await long?.server.end("SIGKILL");
  removeFolder(folder);
});

const checkSimilar = ({ ask }: Client) =>
  ask("POST /nodes/check-similar", { content: wordsOf(900_000) });

/** A promise, and whether it has settled. */
function watched<T>(work: Promise<T>): { work: Promise<T>; isDone(): boolean } {
  let done = false;
  return { work: work.finally(() => (done = true)), isDone: () => done };
}

describe("another agent's request is answered", () => {
  test("between the requests of an agent with many of them queued", {
    timeout: 60_000,
  }, async () => {
    const { busy, other } = long;
    let answered = 0;
    // The requests are short, so that all of them have arrived when the first is answered.
    const asked = Array.from({ length: 40 }, async () => {
      await busy.ask("POST /nodes/check-similar", { content: "funding squeeze extremes revert" });
      answered += 1;
    });
    await Promise.race(asked);
    await other.search("squeeze");
    expect(answered).toBeLessThan(asked.length / 2);
    await Promise.all(asked);
  });

  test("while a long text is compared with long memories", { timeout: 60_000 }, async () => {
    const { busy, other } = long;
    const { work, isDone } = watched(Promise.all([checkSimilar(busy), checkSimilar(busy)]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let turn = 0; turn < 3; turn++) await other.search("squeeze");
    expect(isDone()).toBe(false);
    const [{ status, body }] = await work;
    expect({ status, basis: body.basis, found: body.matches.length }).toEqual({
      status: 200,
      basis: "words",
      found: 5,
    });
  });

  testOnFiles("while a memory is purged from a large database", { timeout: 120_000 }, async () => {
    const { busy, other } = await twoAgents();
    const body = wordsOf(900_000);
    for (let place = 0; place < amount(60, 30); place++)
      await busy.create({ id: `n${place}`, content_body: body });
    const { work, isDone } = watched(busy.ask("POST /nodes/n7/purge"));
    // Requests of the purging agent are answered after the purge.
    const later = watched(busy.ask("GET /nodes/n8?recall=false"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let turn = 0; turn < 3; turn++) await other.search("squeeze");
    await other.create();
    expect([isDone(), later.isDone()]).toEqual([false, false]);
    expect(await work).toMatchObject({ status: 200, body: { ok: true, deleted: true } });
    expect((await later.work).body).toMatchObject({ id: "n8", content_body: body });
    expect((await busy.ask("GET /nodes/n7")).status).toBe(404);
    expect((await busy.create({ content_title: "After the purge" })).content_title).toBe(
      "After the purge",
    );
  });
});

testOnFilesInFull(
  "other agents are answered while an interrupted purge is finished",
  {
    timeout: 240_000,
  },
  async () => {
    const folder = temporaryFolder();
    const body = wordsOf(900_000);
    let isSeen = false;
    // A machine that stops for seconds may miss it at one start.
    for (let round = 0; !isSeen && round < 10; round++) {
      const before = await start(folder, ONE_THREAD);
      const filling = clientOf(before, "busy");
      if (round === 0) {
        const items = Array.from({ length: 8 }, () => ({ ...LESSON, content_body: body }));
        for (let batch = 0; batch < 5; batch++) await filling.ask("POST /nodes/batch", { items });
      }
      await before.end();
      const db = raw(filling.file());
      db.exec("INSERT INTO nous_purges VALUES ('gone')");
      db.close();
      const server = await start(folder, ONE_THREAD);
      const [busy, other] = [clientOf(server, "busy"), clientOf(server, "other")];
      await other.create();
      const probe = beside(busy.file());
      const { work, isDone } = watched(busy.ask("GET /health"));
      isSeen = await withinLock(probe, isDone, async () => {
        await other.search("squeeze");
        await other.create();
      });
      if (isSeen) expect(isDone()).toBe(false);
      expect((await work).body.node_count).toBe(40);
      expect(raw(busy.file()).prepare("SELECT id FROM nous_purges").all()).toEqual([]);
      expect(server.log()).toContain("A purge that was interrupted is finished");
      await server.end();
    }
    expect(isSeen).toBe(true);
  },
);

describe("a request whose client has disconnected", () => {
  /** Sends a request and disconnects. */
  async function abandon(
    { url }: Running,
    agent: string,
    path: string,
    body: object,
  ): Promise<void> {
    const leaving = new AbortController();
    const headers = { "content-type": "application/json", "x-nous-agent": agent };
    const init = { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal };
    const asked = fetch(`${url}/v1${path}`, init).catch(() => {});
    setTimeout(() => leaving.abort(), 60);
    await asked;
  }

  test("is stopped, or not begun if it was waiting", { timeout: 120_000 }, async () => {
    const { server, busy } = long;
    await checkSimilar(busy);
    const begun = performance.now();
    await checkSimilar(busy);
    const one = performance.now() - begun;
    const content = wordsOf(900_000);
    await Promise.all(
      Array.from({ length: 12 }, () =>
        abandon(server, busy.agent, "/nodes/check-similar", { content }),
      ),
    );
    const left = performance.now();
    await busy.search("squeeze");
    expect(performance.now() - left).toBeLessThan(3 * one);
    expect(server.log()).not.toContain("A request failed");
  });

  test("writes nothing if it was waiting", { timeout: 60_000 }, async () => {
    const { server, busy } = long;
    const comparing = checkSimilar(busy);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await abandon(server, busy.agent, "/nodes", { ...LESSON, id: "abandoned" });
    await comparing;
    expect((await busy.ask("GET /nodes/abandoned")).status).toBe(404);
  });
});

describe("the cost of a write does not grow:", () => {
  /** The shortest of several runs, in milliseconds, of two functions that take turns. */
  async function shortest(runs: number, ...works: (() => Promise<unknown>)[]): Promise<number[]> {
    const times = works.map(() => Infinity);
    for (let run = 0; run < runs; run++) {
      for (const [place, work] of works.entries()) {
        const begun = performance.now();
        await work();
        times[place] = Math.min(times[place]!, performance.now() - begun);
      }
    }
    return times;
  }

  test.each(
    some(
      [
        ["playbooks that a trade followed", "custom:playbook", "applied_to"],
        ["closes of a trade", "custom:trade_close", "part_of"],
        ["other memories that belong to a trade", "custom:lesson", "part_of"],
      ],
      1,
    ),
  )("edges beside many %s", { timeout: 120_000 }, async (_, subtype, type) => {
    const { busy } = await twoAgents();
    const make = async (items: object[]) => {
      const made = [];
      for (let at = 0; at < items.length; at += 100) {
        const { body } = await busy.ask("POST /nodes/batch", { items: items.slice(at, at + 100) });
        made.push(...body.results.map(({ id }: { id: string }) => id));
      }
      return made as string[];
    };
    const entry = { type: "concept", subtype: "custom:trade_entry", content_title: "Entry" };
    const close = {
      type: "concept",
      subtype: "custom:trade_close",
      content_title: "Close",
      signals: { pnl_pct: 2 },
    };
    const [many, few, ending, otherEnding] = (await make([entry, entry, close, close])) as [
      string,
      string,
      string,
      string,
    ];
    const body = JSON.stringify({ success_count: 0, sample_size: 0 });
    const sources = await make(
      Array.from({ length: 1_000 }, (_, place) => ({
        ...{ type: "concept", subtype, content_title: `Source ${place}`, content_body: body },
      })),
    );
    const tie = async (ids: string[], target_id: string) => {
      const items = ids.map((source_id) => ({ source_id, target_id, type }));
      expect((await busy.ask("POST /edges/batch", { items })).body).toMatchObject({ failed: 0 });
    };
    await busy.link(ending, many, "part_of");
    await busy.link(otherEnding, few, "part_of");
    await tie(sources.slice(0, 500), many);
    await tie(sources.slice(500, 900), many);
    const rest = sources.slice(900);
    const next = () => rest.splice(0, 10);
    const [beside, alone] = (await shortest(
      4,
      () => tie(next(), many),
      () => tie(next(), few),
    )) as [number, number];
    expect(beside).toBeLessThan(alone * 6 + 20);
  });

  testInFull("edges beside many closes without a result", { timeout: 120_000 }, async () => {
    const { busy } = await twoAgents();
    const node = (subtype: string, more: object = {}) =>
      busy.create({
        type: "concept",
        subtype: `custom:${subtype}`,
        content_title: subtype,
        ...more,
      });
    const content_body = JSON.stringify({ success_count: 0, sample_size: 0 });
    const [many, few, plan] = [
      await node("trade_entry"),
      await node("trade_entry"),
      await node("playbook", { content_body }),
    ];
    await busy.link(plan.id, many.id, "applied_to");
    await busy.link(plan.id, few.id, "applied_to");
    const closes: string[] = [];
    for (let at = 0; at < 12; at++) {
      const items = Array.from({ length: 100 }, () => ({
        type: "concept",
        subtype: "custom:trade_close",
        content_title: "Close",
      }));
      const { body } = await busy.ask("POST /nodes/batch", { items });
      closes.push(...body.results.map(({ id }: { id: string }) => id));
    }
    const tie = async (count: number, target_id: string) => {
      const items = closes
        .splice(0, count)
        .map((source_id) => ({ source_id, target_id, type: "part_of" }));
      expect((await busy.ask("POST /edges/batch", { items })).body).toMatchObject({ failed: 0 });
    };
    await tie(500, many.id);
    await tie(300, many.id);
    const [beside, alone] = (await shortest(
      4,
      () => tie(20, many.id),
      () => tie(20, few.id),
    )) as [number, number];
    expect(beside).toBeLessThan(alone * 6 + 20);
    // The trade counts once a close gives its result.
    const ending = await node("trade_close", { signals: { pnl_pct: 2 } });
    await busy.link(ending.id, many.id, "part_of");
    const { body } = await busy.ask(`GET /nodes/${plan.id}?recall=false`);
    expect(JSON.parse(body.content_body)).toMatchObject({ success_count: 1, sample_size: 1 });
  });

  testOnFilesInFull("a prompt beside many subtypes", { timeout: 240_000 }, async () => {
    const { busy, other } = await twoAgents();
    const count = amount(16_000, 4_000);
    // Another program writes them: this takes a tenth of the time of requests.
    const fill = async (client: Client, subtype: string) => {
      await client.create();
      const nodesOf = async () => (await client.ask("GET /health")).body.node_count as number;
      const before = await nodesOf();
      execute(
        client.file(),
        `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${count})
         INSERT INTO nodes (id, type, subtype, content_title, content_body)
         SELECT 'f' || n, 'concept', ${subtype}, 'Funding ' || n, 'Short' FROM count`,
      );
      expect(await nodesOf()).toBe(before + count);
    };
    await fill(busy, "'custom:' || n");
    await fill(other, "'custom:lesson'");
    const build = (client: Client) => async () => {
      const asked = { input: "What did we decide about funding?", identity: "You are a trader." };
      expect((await client.ask("POST /context", asked)).status).toBe(200);
    };
    const [beside, alone] = (await shortest(3, build(busy), build(other))) as [number, number];
    expect(beside).toBeLessThan(alone * 6 + 300);
  });

  test("memories beside many clusters", { timeout: 60_000 }, async () => {
    const { busy, other } = await twoAgents();
    const clusters = amount(1_000, 250);
    const cluster = (name: string, subtype: string) => ({ name, auto_subtypes: [subtype] });
    for (let place = 0; place < clusters; place++) {
      await busy.ask("POST /clusters", cluster(`Cluster ${place}`, `custom:${place}`));
    }
    const { body } = await busy.ask("POST /clusters", cluster("Lessons", "custom:lesson"));
    await other.ask("POST /clusters", cluster("Lessons", "custom:lesson"));
    const items = Array.from({ length: 100 }, (_, place) => ({
      ...LESSON,
      content_title: `Lesson ${place}`,
    }));
    const make = (client: Client) => async () => {
      expect((await client.ask("POST /nodes/batch", { items })).body.created).toBe(items.length);
    };
    const [beside, alone] = (await shortest(3, make(busy), make(other))) as [number, number];
    expect(beside).toBeLessThan(alone * 4 + 50);
    expect((await busy.ask(`GET /clusters/${body.id}/members`)).body.count).toBe(3 * items.length);
  });
});

// No connection of these reaches a store.
testOnFilesInFull.runIf(process.platform === "linux")(
  "thousands of broken connections leak no memory",
  { timeout: patience(180_000) },
  async () => {
    const server = await start(temporaryFolder(), [...ONE_THREAD, "--log-level", "error"]);
    const { create, search } = clientOf(server, "default");
    for (let place = 0; place < 10; place++)
      await create({ content_body: wordsOf(100_000, `t${place}`) });
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify({ content: wordsOf(300_000) });
    const post = (path: string, length: number, sent: string) =>
      `POST /v1${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${sent}`;
    const requests = [
      post("/nodes/check-similar", body.length, body.slice(0, 100_000)),
      post("/nodes/check-similar", body.length, body),
      post("/search", 5_000, "{"),
      `GET /v1/nodes?limit=200 HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`,
      "GET /v1/he",
    ];
    const breakOff = (place: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(requests[place % requests.length]!);
          setTimeout(
            () => (place % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()),
            place % 30,
          );
        });
        socket.on("error", () => {});
        socket.on("close", () => resolve());
      });
    const storm = async (connections: number) => {
      for (let at = 0; at < connections; at += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, place) => breakOff(at + place)));
      }
      // Pending work ends, and garbage is collected during other work.
      for (let turn = 0; turn < amount(500); turn++) await search("squeeze");
      return usedBy(server);
    };
    const calm = await storm(0);
    let before = await storm(amount(1_000, 200));
    // The allocator keeps the memory of one storm for the next, and takes more when a storm has more
    // at once than those before it. A leak adds to it with each storm.
    let least = Infinity;
    for (let turn = 0; turn < 6 && least > 5; turn++) {
      const after = await storm(amount(1_000, 200));
      least = Math.min(least, (after.resident - before.resident) / MEGABYTE);
      before = after;
    }
    expect(least).toBeLessThan(5);
    expect(before.files).toBeLessThan(calm.files + 10);
  },
);
