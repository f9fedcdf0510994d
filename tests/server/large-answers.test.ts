// Large answers are bounded, and clients that request them without reading use no memory.

import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAX_ANSWER } from "../../js/server/src/api/limits.ts";
import { some } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { testOnFilesInFull } from "./support/on-postgres.ts";
import { usedBy } from "./support/process-usage.ts";
import { type Running, start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const MEGABYTE = 2 ** 20;
/**
 * The size of a memory with texts of usual length, and the number of rows for which one answer has
 * room.
 */
const LARGE = "squeeze funding ".repeat(62_000);
const COUNT = 12;
const MAX_ROWS = Math.floor(MAX_ANSWER / (2 * LARGE.length));
const bytesOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body));
/** The size of an answer beside its rows. */
const FRAME = 10_000;

const { client } = sharedServer();

/** Memories of two large texts each. */
async function makeLarge({ create }: Client, count = COUNT): Promise<string[]> {
  const ids: string[] = [];
  for (let place = 0; place < count; place++) {
    const fields = {
      id: `n${place}`,
      content_title: `Large ${place}`,
      content_summary: LARGE,
      content_body: LARGE,
    };
    ids.push((await create(fields)).id);
  }
  return ids;
}

let made: Promise<{ own: Client; ids: string[] }> | undefined;
/** An agent with large memories, which is made once: tests read them, and change none. */
const large = () => {
  made ??= (async () => {
    const own = client();
    return { own, ids: await makeLarge(own) };
  })();
  return made;
};

/** Reads a list page by page, each of limited size. */
async function walk(
  { ask }: Client,
  path: string,
): Promise<{ rows: { id: string; node_id: string }[]; pages: number }> {
  const rows: { id: string; node_id: string }[] = [];
  let cursor: string | null = "";
  let pages = 0;
  while (cursor !== null) {
    const more = cursor === "" ? "" : `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
    const { status, body } = await ask(`GET ${path}${more}`);
    expect(status).toBe(200);
    expect(bytesOf(body)).toBeLessThan(MAX_ANSWER + FRAME);
    expect(body.count).toBe(body.data.length);
    expect(body.data.length).toBeGreaterThan(0);
    rows.push(...body.data);
    cursor = body.next_cursor;
    pages += 1;
  }
  return { rows, pages };
}

describe("an answer is limited", { timeout: 240_000 }, () => {
  test("in lists, whose pages become shorter", async () => {
    const { own, ids } = await large();
    const list = await walk(own, "/nodes?limit=100");
    expect(list.rows.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(list.pages).toBe(COUNT / MAX_ROWS);
    const cluster = (await own.ask("POST /clusters", { name: "Large" })).body.id;
    for (const node_id of ids) await own.ask(`POST /clusters/${cluster}/members`, { node_id });
    const members = await walk(own, `/clusters/${cluster}/members`);
    expect(members.rows.map(({ node_id }) => node_id)).toEqual(ids);
    expect(members.pages).toBe(COUNT / MAX_ROWS);
    expect((await walk(own, `/clusters/${cluster}/members?limit=3`)).pages).toBe(COUNT / 3);
  });

  testOnFilesInFull("in the lists of compatibility mode, too", async () => {
    const own = clientOf(await start(temporaryFolder(), ["--compat", "hynous"]), "default");
    const ids = await makeLarge(own);
    const list = await walk(own, "/nodes?limit=100");
    expect(list.rows.map(({ id }) => id)).toEqual(ids.toReversed());
    const cluster = (await own.ask("POST /clusters", { name: "Large" })).body.id;
    await own.ask(`POST /clusters/${cluster}/members`, { node_ids: ids });
    const { body: members } = await own.ask(`GET /clusters/${cluster}/members?limit=200`);
    expect(members.count).toBe(MAX_ROWS);
    expect(bytesOf(members)).toBeLessThan(MAX_ANSWER + FRAME);
    for (let place = 0; place < 20; place++) {
      await own.ask("POST /contradiction/queue", {
        old_node_id: ids[0],
        new_content: `${place} ${LARGE}`,
      });
    }
    const { body: queue } = await own.ask("GET /contradiction/queue");
    expect(
      queue.data.map(({ new_content }: { new_content: string }) =>
        Number.parseInt(new_content, 10),
      ),
    ).toEqual(Array.from({ length: queue.count }, (_, place) => place));
    expect(queue.count).toBeGreaterThan(1);
    expect(bytesOf(queue)).toBeLessThan(MAX_ANSWER + FRAME);
  });

  testInFull("in the queue of conflicts and the list of clusters", async () => {
    const own = client();
    const { id: old_node_id } = await own.create();
    const conflicts: string[] = [];
    const clusters: string[] = [];
    for (let place = 0; place < 20; place++) {
      const queued = await own.ask("POST /contradiction/queue", {
        old_node_id,
        new_content: LARGE,
      });
      conflicts.push(queued.body.id);
      clusters.push(
        (await own.ask("POST /clusters", { name: `Large ${place}`, description: LARGE })).body.id,
      );
    }
    const queue = await walk(own, "/contradiction/queue?limit=100");
    expect(queue.rows.map(({ id }) => id)).toEqual(conflicts.toReversed());
    expect(queue.pages).toBeGreaterThan(2);
    const listed = await walk(own, "/clusters");
    expect(listed.rows.map(({ id }) => id)).toEqual(clusters);
    expect(listed.pages).toBeGreaterThan(2);
  });

  testInFull("in the graph, each of whose lists continues where it ended", async () => {
    const own = client();
    const ids = await makeLarge(own, 10);
    const edges: string[] = [];
    for (const [place, id] of ids.entries())
      edges.push((await own.link(id, ids[(place + 1) % ids.length]!)).id);
    const clusters: string[] = [];
    for (let place = 0; place < 10; place++) {
      clusters.push(
        (await own.ask("POST /clusters", { name: `Large ${place}`, description: LARGE })).body.id,
      );
      await own.ask(`POST /clusters/${clusters[place]}/members`, { node_id: ids[place] });
    }
    const walked = {
      nodes: [] as string[],
      edges: [] as string[],
      clusters: [] as string[],
      memberships: [] as string[],
    };
    let cursor: string | null = "";
    for (let page = 0; cursor !== null && page < 50; page++) {
      const { body } = await own.ask(cursor === "" ? "GET /graph" : `GET /graph?cursor=${cursor}`);
      expect(bytesOf(body)).toBeLessThan(MAX_ANSWER + FRAME);
      const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
      walked.nodes.push(...idsOf(body.nodes));
      walked.edges.push(...idsOf(body.edges));
      walked.clusters.push(...idsOf(body.clusters));
      walked.memberships.push(
        ...body.memberships.map(({ node_id }: { node_id: string }) => node_id),
      );
      cursor = body.next_cursor;
    }
    expect(walked).toEqual({ nodes: ids, edges, clusters, memberships: ids });
  });

  test("for memories read by ids: those without room are refused, and not recalled", async () => {
    const { own, ids } = await large();
    const accesses = async (id: string): Promise<number> =>
      (await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count;
    const around = [ids[MAX_ROWS - 1]!, ids[MAX_ROWS]!];
    const before = await Promise.all(around.map(accesses));
    const { status, body } = await own.ask("POST /nodes/batch-get", { ids });
    expect(status).toBe(200);
    expect(bytesOf(body)).toBeLessThan(MAX_ANSWER + FRAME);
    expect(body).toMatchObject({ found: MAX_ROWS, failed: COUNT - MAX_ROWS, total: COUNT });
    const refused = {
      index: MAX_ROWS,
      status: 413,
      error: expect.stringContaining("in another request"),
    };
    expect(body.results[MAX_ROWS]).toEqual(refused);
    expect(await Promise.all(around.map(accesses))).toEqual([before[0]! + 1, before[1]!]);
  });

  testInFull("for search results: the ids of those without room are reported", async () => {
    const { own, ids } = await large();
    for (const path of ["/search", "/retrieve"]) {
      const { status, body } = await own.ask(`POST ${path}`, {
        query: "squeeze funding",
        ...(path === "/search" ? { limit: 100 } : {}),
      });
      expect(status).toBe(200);
      expect(bytesOf(body)).toBeLessThan(MAX_ANSWER + FRAME);
      expect(body.count).toBe(MAX_ROWS);
      const found = [...body.data.map(({ id }: { id: string }) => id), ...body.omitted_ids];
      expect(new Set(found).size).toBe(found.length);
      if (path === "/search") expect(found.toSorted()).toEqual(ids.toSorted());
    }
    const { body } = await own.ask("POST /search", { query: "squeeze funding", limit: 2 });
    expect(body).not.toHaveProperty("omitted_ids");
  });

  test("but contains at least one memory, however large its JSON", async () => {
    const own = client();
    // Each of these characters takes six bytes in JSON.
    const content_body = "\u0001".repeat(1_000_000);
    for (const id of ["n0", "n1", "n2"]) await own.create({ id, content_body });
    const { body } = await own.ask("GET /nodes?limit=10");
    expect(body.data).toHaveLength(1);
    expect(body.next_cursor).not.toBeNull();
    expect(body.data[0].content_body).toBe(content_body);
  });
});

describe.runIf(process.platform === "linux")(
  "clients that send requests and read no answers",
  { timeout: 240_000 },
  () => {
    /** Connections that send all of their requests and read nothing. */
    function open({ url }: Running, count: number, sent: string): Socket[] {
      const { hostname, port } = new URL(url);
      const sockets = Array.from({ length: count }, () => {
        const socket = connect(Number(port), hostname, () => socket.write(sent));
        return socket.on("error", () => {}).pause();
      });
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      return sockets;
    }

    const LIST = "GET /v1/nodes?limit=100 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

    async function resident(server: Running, seconds: number): Promise<number> {
      let max = 0;
      for (let turn = 0; turn < seconds * 10; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        max = Math.max(max, usedBy(server).resident);
      }
      return max;
    }

    test.each(
      some(
        [
          ["many of them", 60, LIST],
          ["one that sends many requests at once", 2, LIST.repeat(300)],
        ],
        1,
      ),
    )(
      "%s use little memory, and other clients are answered again",
      async (_, connections, sent) => {
        const server = await start(temporaryFolder(), ["--workers", "1", "--log-level", "error"]);
        const own = clientOf(server, "default");
        await makeLarge(own);
        await own.ask("GET /nodes?limit=100");
        const before = usedBy(server).resident;
        open(server, connections, sent);
        expect((await resident(server, 5)) - before).toBeLessThan(500 * MEGABYTE);
        const until = performance.now() + 60_000;
        for (const [call, wanted] of [
          ["GET /health", { node_count: COUNT }],
          ["GET /nodes?limit=100", { count: MAX_ROWS }],
        ] as const) {
          let answer = await own.ask(call);
          while (answer.status === 503 && performance.now() < until) {
            expect(answer.headers.get("retry-after")).toBe("1");
            await new Promise((resolve) => setTimeout(resolve, 500));
            answer = await own.ask(call);
          }
          expect(answer).toMatchObject({ status: 200, body: wanted });
        }
        expect(server.log()).toBe("");
      },
    );
  },
);
