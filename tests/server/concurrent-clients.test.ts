// Many clients write and search in one memory concurrently, on one server and on two: no request
// fails, no write is lost, and counts and strengths add up exactly. A wrong clock archives no
// memory.

import { describe, expect, test } from "vitest";
import { amount, patience, some } from "../support/amount.ts";
import { heldBy } from "./support/acknowledged-writes.ts";
import { raw } from "./support/existing-database.ts";
import { query, startPostgres } from "./support/postgres.ts";
import { type Running, start } from "./support/server-process.ts";
import { type Client, clientOf, LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const CLIENTS = 16;
const SHARED = 4;
/** So small that no edge reaches the maximum strength. */
const STEP = 2 ** -16;

/** The clients' work, by the answers. */
interface Acknowledged {
  answers: number;
  /** Of each shared memory: its numbers of reads and of changes. */
  reads: number[];
  changes: number[];
  /** Of each shared edge. */
  strengthenings: number[];
  made: string[];
  gone: string[];
  failures: string[];
}

/** Memories that all clients read, change and strengthen, and edges between them. */
async function sharedBy({ create, link }: Client) {
  const nodes: string[] = [];
  for (let place = 0; place < SHARED; place++) {
    nodes.push(
      (await create({ id: `shared${place}`, content_title: `Common ground ${place}` })).id,
    );
  }
  const edges: string[] = [];
  for (const [place, id] of nodes.entries()) {
    edges.push((await link(id, nodes[(place + 1) % SHARED]!, "causes", { strength: 0 })).id);
  }
  return { nodes, edges };
}

/** One client: it writes, reads and searches for a number of turns. */
async function work(
  name: string,
  { ask }: Client,
  shared: { nodes: string[]; edges: string[] },
  acknowledged: Acknowledged,
  turns: number,
) {
  const done = async (call: string, body?: unknown) => {
    const answer = await ask(call, body);
    acknowledged.answers += 1;
    if (answer.status >= 300)
      acknowledged.failures.push(`${call}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (let turn = 0; turn < turns; turn++) {
    const place = turn % SHARED;
    const [node, edge] = [shared.nodes[place]!, shared.edges[place]!];
    const id = `${name}t${turn}`;
    await done("POST /nodes", { ...LESSON, id, content_title: id });
    acknowledged.made.push(id);
    // By signals a search finds this memory alone, and counts no access of another.
    const found = (await done("POST /search", { query: id, ranking: "signals" })).data.map(
      (one: { id: string }) => one.id,
    );
    if (!found.includes(id)) acknowledged.failures.push(`${id} is not found`);
    await done(`POST /edges/${edge}/strengthen`, { amount: STEP });
    acknowledged.strengthenings[place]! += 1;
    await done(`GET /nodes/${node}`);
    acknowledged.reads[place]! += 1;
    await done(`PATCH /nodes/${node}`, { content_body: `changed by ${id}` });
    acknowledged.changes[place]! += 1;
    if (turn % 3 !== 2) continue;
    await done(`DELETE /nodes/${id}`);
    acknowledged.gone.push(id);
  }
}

async function workAtOnce(servers: readonly Running[], turns: number): Promise<Acknowledged> {
  const clients = servers.map((server) => clientOf(server, "default"));
  const shared = await sharedBy(clients[0]!);
  const nothing = () => Array.from({ length: SHARED }, () => 0);
  const acknowledged: Acknowledged = {
    answers: 0,
    reads: nothing(),
    changes: nothing(),
    strengthenings: nothing(),
    made: [],
    gone: [],
    failures: [],
  };
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, place) =>
      work(`c${place}`, clients[place % clients.length]!, shared, acknowledged, turns),
    ),
  );
  expect(acknowledged.failures).toEqual([]);
  for (const { ask } of clients) {
    const strengths = async () => {
      const edges = (await ask("GET /graph")).body.edges as { id: string; strength: number }[];
      return shared.edges.map((id) => edges.find((edge) => edge.id === id)!.strength / STEP);
    };
    expect(await strengths()).toEqual(acknowledged.strengthenings);
    for (const [place, id] of shared.nodes.entries()) {
      // Soft state of another server comes with its next flush.
      const read = async () => (await ask(`GET /nodes/${id}?recall=false`)).body;
      await expect
        .poll(async () => (await read()).neural_access_count, { timeout: 20_000 })
        .toBe(acknowledged.reads[place]);
      expect((await read()).version).toBe(1 + acknowledged.changes[place]!);
    }
    const { found, problems } = await heldBy({ ask });
    expect(problems).toEqual([]);
    const there = new Set(
      [...shared.nodes, ...acknowledged.made].filter((id) => !acknowledged.gone.includes(id)),
    );
    const nodes = [...found.keys()].filter((key) => key.startsWith("memory "));
    expect(new Set(nodes.map((key) => key.slice("memory ".length)))).toEqual(there);
  }
  return acknowledged;
}

/** Returns how often each shared memory was read, as it is stored. */
const COUNTS = "SELECT neural_access_count AS count FROM nodes WHERE id LIKE 'shared%' ORDER BY id";

describe(`${CLIENTS} concurrent clients`, () => {
  /** Works on servers, ends them, and compares the stored counts with the answers. */
  async function loseNoUpdate(
    servers: readonly Running[],
    turns: number,
    stored: () => unknown[] | Promise<unknown[]>,
  ) {
    const acknowledged = await workAtOnce(servers, turns);
    expect(acknowledged.answers).toBeGreaterThanOrEqual(CLIENTS * turns * 5);
    for (const server of servers) {
      expect(server.log()).toBe("");
      expect(await server.end()).toBe(0);
    }
    // Pending counts have been added to the database, once.
    expect(await stored()).toEqual(acknowledged.reads.map((reads) => ({ count: reads })));
  }

  const hosts: [string, number, number][] = [
    ["one server", 1, amount(110, 25)],
    ["two servers of one database", 2, amount(30, 10)],
  ];
  test.each(some(hosts, 1))(
    "of %s lose no update",
    { timeout: patience(180_000) },
    async (_, count, turns) => {
      const folder = temporaryFolder();
      const options = ["--log-level", "error"];
      const servers: Running[] = [];
      for (let place = 0; place < count; place++) servers.push(await start(folder, options));
      const file = clientOf(servers[0]!, "default").file();
      await loseNoUpdate(servers, turns, () => raw(file).prepare(COUNTS).all());
    },
  );

  test("of three servers of one PostgreSQL database lose no update", {
    timeout: patience(180_000),
  }, async () => {
    const postgres = await startPostgres();
    try {
      const options = ["--log-level", "error", "--database-url", postgres.url];
      const servers: Running[] = [];
      for (let place = 0; place < 3; place++) servers.push(await start(temporaryFolder(), options));
      const counts = COUNTS.replace("_count AS", "_count::int AS").replace("nodes", "nous.nodes");
      await loseNoUpdate(servers, amount(20, 8), () =>
        query(postgres.superuserOf(postgres.url), counts),
      );
    } finally {
      await postgres.stop();
    }
  });
});

describe("a wrong clock", () => {
  const YEARS = 20 * 365 * 86_400_000;
  /**
   * A sweep by a clock that is far ahead is refused. After a sweep by a clock that is far behind, a
   * sweep by the right clock is refused if it would archive a memory.
   */
  const clocks: [string, number, { wrong: number; right: number }][] = [
    ["ahead", YEARS, { wrong: 409, right: 200 }],
    ["behind", -YEARS, { wrong: 200, right: 409 }],
  ];
  test.each(some(clocks, 1))(
    "far %s buries no memory",
    { timeout: 60_000 },
    async (_, offset, statuses) => {
      const folder = temporaryFolder();
      const options = ["--log-level", "error", "--decay-interval", "1"];
      const first = await start(folder, options);
      const { id } = await clientOf(first, "default").create();
      expect((await first.ask("POST /decay", {})).status).toBe(200);
      expect(await first.end()).toBe(0);
      const clock = `const now = Date.now; Date.now = () => now() + ${offset};`;
      const node = ["--import", `data:text/javascript,${encodeURIComponent(clock)}`];
      const wrong = await start(folder, options, "test", { node });
      const own = clientOf(wrong, "default");
      expect((await own.ask("POST /decay", {})).status).toBe(statuses.wrong);
      const later = await own.create({ content_title: "Made by a wrong clock" });
      expect(await own.search("wrong")).toContain(later.id);
      expect(await wrong.end()).toBe(0);
      const right = await start(folder, options);
      expect((await right.ask("POST /decay", {})).status).toBe(statuses.right);
      expect((await right.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle).toBe(
        "ACTIVE",
      );
      expect(await right.end()).toBe(0);
      const states = raw(own.file()).prepare("SELECT state_lifecycle AS state FROM nodes").all();
      expect(states).toEqual([{ state: "ACTIVE" }, { state: "ACTIVE" }]);
    },
  );
});
