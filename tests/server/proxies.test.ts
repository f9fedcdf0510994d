// The load balancers of docs/scaling.md, as that page configures them, before three servers on one
// PostgreSQL database. Only their addresses and ports are replaced.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent as Connections, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { some } from "../support/amount.ts";
import { freePort, type Postgres, startPostgres } from "./support/postgres.ts";
import { caddy, type LoadBalancer, nginx } from "./support/proxies.ts";
import { type Running, start } from "./support/server-process.ts";
import { LESSON } from "./support/shared-server.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./support/temporary-folder.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/scaling.md", import.meta.url)), "utf8");
/** The name under which clients know the servers. */
const HOST = "memory.example.org";
/** The largest body that a server takes unless its options say otherwise. */
const LARGEST = 8 * 2 ** 20;
const AGENTS = Array.from({ length: 150 }, (_, place) => `agent ${place}`);
/** For tests that start several programs. */
const BUSY = { timeout: 180_000 };

const connections = new Connections({ keepAlive: true, maxSockets: 8 });
const folder = makeFolder();
let postgres: Postgres;
let servers: Running[];

const startServer = (place: string, scope: "test" | "file") =>
  start(place, ["--database-url", postgres.url, "--allowed-hosts", HOST], scope);

beforeAll(async () => {
  postgres = await startPostgres();
  const places = [1, 2, 3].map((number) => `${folder}/${number}`);
  servers = await Promise.all(places.map((place) => startServer(place, "file")));
}, 120_000);
afterAll(async () => {
  connections.destroy();
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  await postgres.stop();
  removeFolder(folder);
});

interface Answer {
  status: number;
  /** The run of the server that answered, if the request was about that. */
  instance: string;
  text: string;
}

/** Sends a request through a proxy, as clients do that know the servers by their common name. */
function ask(
  { port }: LoadBalancer,
  call: string,
  { agent, body, headers }: { agent?: string; body?: string; headers?: object } = {},
): Promise<Answer> {
  const [method, path] = call.split(" ") as [string, string];
  const sent = {
    host: HOST,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(agent === undefined
      ? {}
      : { "x-nous-agent": Buffer.from(agent, "utf8").toString("latin1") }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, method, path, headers: sent, agent: connections },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          const instance = String(answer.headers["x-nous-instance"] ?? "");
          const text = Buffer.concat(parts).toString("utf8");
          resolve({ status: answer.statusCode!, instance, text });
        });
      },
    );
    asked.on("error", reject);
    // Node would write the headers in the encoding of a string.
    asked.end(body === undefined ? undefined : Buffer.from(body));
  });
}

/** Returns the run of the server to which a proxy sends the requests of each agent. */
async function placesOf(
  proxy: LoadBalancer,
  agents: readonly string[] = AGENTS,
): Promise<string[]> {
  const answers = await Promise.all(agents.map((agent) => ask(proxy, "GET /livez", { agent })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  return answers.map(({ instance }) => instance);
}

/** The run that a dying server names. */
const DYING = "dying";

/** A server that answers what a proxy asks of its health, and dies with all other requests. */
async function startDying(): Promise<{
  port: number;
  /** Waits until it has this many requests, and ends without an answer. */
  dieWith(requests: number): Promise<void>;
}> {
  let held = 0;
  const server = createServer((asked, answer) => {
    if (/^\/(livez|readyz)$/.test(asked.url!)) answer.setHeader("x-nous-instance", DYING).end();
    else {
      asked.resume();
      asked.on("end", () => {
        held += 1;
        server.emit("held");
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const die = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(die);
  return {
    port: (server.address() as AddressInfo).port,
    async dieWith(requests) {
      while (held < requests) await once(server, "held");
      die();
    },
  };
}

const portOf = ({ url }: Running) => Number(new URL(url).port);
/** Returns the ports of the first servers. */
const ports = (count = 3) => servers.slice(0, count).map(portOf);
const instanceOf = async (server: Running) =>
  (await server.ask("GET //livez")).headers.get("x-nous-instance")!;

const PROXIES = [
  { name: "nginx", run: nginx },
  { name: "Caddy", run: caddy },
];
describe.each(some(PROXIES, 1))("$name", BUSY, ({ name, run }) => {
  /** Starts the proxy for the test, before the servers on these ports. */
  async function before(...ports: readonly number[]): Promise<LoadBalancer> {
    const proxy = await run(PAGE, ports);
    onTestFinished(() => proxy.stop());
    return proxy;
  }

  test("sends all requests of an agent to one server, and uses all servers", async () => {
    const proxy = await before(...ports());
    const places = await placesOf(proxy);
    expect(await placesOf(proxy)).toEqual(places);
    const shares = await Promise.all(
      servers.map(async (server) => {
        const own = await instanceOf(server);
        return places.filter((place) => place === own).length;
      }),
    );
    // An even share is 50.
    expect(Math.min(...shares)).toBeGreaterThan(15);
    expect(shares.reduce((sum, share) => sum + share)).toBe(AGENTS.length);
  });

  test("knows requests without the header as those of the agent default", async () => {
    const proxy = await before(...ports());
    const [named] = await placesOf(proxy, ["default"]);
    for (let turn = 0; turn < 9; turn++)
      expect((await ask(proxy, "GET /livez")).instance).toBe(named);
  });

  test("passes names of agents in UTF-8", async () => {
    const proxy = await before(...ports());
    const agent = "трейдер 資金";
    const body = JSON.stringify({ ...LESSON, id: "n_1" });
    expect(await ask(proxy, "POST /v1/nodes", { agent, body })).toMatchObject({ status: 201 });
    expect((await ask(proxy, "GET /v1/nodes/n_1", { agent })).status).toBe(200);
    const { text } = await ask(proxy, "GET /v1/agents");
    expect(JSON.parse(text).data).toContainEqual(expect.objectContaining({ agent }));
  });

  test("moves the agents of a server that is taken away, and no other", async () => {
    const [places, fewer] = [
      await placesOf(await before(...ports())),
      await placesOf(await before(...ports(2))),
    ];
    const gone = await instanceOf(servers[2]!);
    const moved = fewer.filter((place, at) => place !== places[at]);
    expect(moved).toHaveLength(places.filter((place) => place === gone).length);
    // Both others share them.
    expect(new Set(moved).size).toBe(2);
  });

  test("passes the largest body that a server takes, and large answers", async () => {
    const proxy = await before(...ports());
    const agent = "large";
    const item = (place: number) => ({
      ...{ id: `n_${place}`, type: "note", content_title: `Large ${place}` },
      content_body: "squeeze ".repeat(9_000),
    });
    const items = Array.from({ length: 100 }, (_, place) => item(place));
    const padded = (size: number) => JSON.stringify({ items }).padEnd(size, " ");
    const stored = await ask(proxy, "POST /v1/nodes/batch", { agent, body: padded(LARGEST) });
    expect({ ...stored, text: JSON.parse(stored.text).failed }).toMatchObject({
      status: 200,
      text: 0,
    });
    const { text } = await ask(proxy, "GET /v1/nodes?limit=100", { agent });
    expect(JSON.parse(text).data).toHaveLength(100);
    const tooLarge = await ask(proxy, "POST /v1/nodes/batch", { agent, body: padded(LARGEST + 1) });
    expect(tooLarge.status).toBe(413);
  });

  test("uses a server that starts after it, within seconds", async () => {
    const port = await freePort();
    const proxy = await before(port);
    const own = ["--database-url", postgres.url, "--allowed-hosts", HOST, "--port", String(port)];
    await start(temporaryFolder(), own);
    const status = async () => (await ask(proxy, "GET /livez", { agent: "early" })).status;
    // Caddy by itself would ask the server after half a minute again.
    await expect.poll(status, { timeout: 20_000, interval: 500 }).toBe(200);
  });

  test("goes on while a server dies", async () => {
    const dying = await startServer(temporaryFolder(), "test");
    const proxy = await before(...ports(2), portOf(dying));
    const places = await placesOf(proxy);
    const own = await instanceOf(dying);
    const agents = AGENTS.filter((_, at) => places[at] === own);
    let isOver = false;
    const statuses = new Set<number>();
    const readers = agents.slice(0, 6).map(async (agent) => {
      while (!isOver) statuses.add((await ask(proxy, "GET /v1/health", { agent })).status);
    });
    await ask(proxy, "GET /v1/health", { agent: agents[0]! });
    await dying.end("SIGKILL");
    const body = JSON.stringify(LESSON);
    for (const agent of agents.slice(0, 6)) {
      const write = { agent, body, headers: { "idempotency-key": `${own}-${agent.slice(6)}` } };
      const written = () => ask(proxy, "POST /v1/nodes", write);
      // The proxy may have sent the first one on a connection that broke off, and not know.
      const first = await written();
      expect((first.status === 502 ? await written() : first).status).toBe(201);
    }
    isOver = true;
    await Promise.all(readers);
    expect([...statuses]).toEqual([200]);
    // The others stay where they were. On a busy machine the proxy may hold a server for dead that
    // was slow to say that it is ready, until it asks again.
    const moved = async () => {
      const after = await placesOf(proxy);
      expect(after).not.toContain(own);
      return after.filter((place, at) => places[at] !== own && place !== places[at]);
    };
    await expect.poll(moved, { timeout: 90_000, interval: 1_000 }).toEqual([]);
  });

  test("repeats a read that a dying server had already, and answers a write with 502", async () => {
    const dying = await startDying();
    const proxy = await before(...ports(2), dying.port);
    const agent = AGENTS[(await placesOf(proxy)).indexOf(DYING)]!;
    const body = JSON.stringify({ ...LESSON, content_title: `Once by ${name}` });
    const write = { agent, body, headers: { "idempotency-key": `once-${name}` } };
    const [read, written] = [
      ask(proxy, "GET /v1/health", { agent }),
      ask(proxy, "POST /v1/nodes", write),
    ];
    await dying.dieWith(2);
    expect((await read).status).toBe(200);
    expect((await written).status).toBe(502);
    // A client repeats it, with its key.
    for (let turn = 0; turn < 2; turn++)
      expect(await ask(proxy, "POST /v1/nodes", write)).toMatchObject({ status: 201 });
    const { text } = await ask(proxy, "GET /v1/nodes?limit=100", { agent });
    const titles = JSON.parse(text).data.map(
      ({ content_title }: { content_title: string }) => content_title,
    );
    expect(titles.filter((title: string) => title === `Once by ${name}`)).toHaveLength(1);
  });
});
