// Three servers before one PostgreSQL: an acknowledged write survives any fault. Servers and
// PostgreSQL are killed at random moments, servers are stopped, and connections between them break
// off or stand still. KILLS is the number of faults; `npm run long -- postgres-kills` does hundreds.

import { afterAll, expect, test } from "vitest";
import { heldBy, Ledger } from "../server/support/acknowledged-writes.ts";
import { type Postgres, query, startPostgres } from "../server/support/postgres.ts";
import { type Running, start } from "../server/support/server-process.ts";
import { clientOf } from "../server/support/shared-server.ts";
import { temporaryFolder } from "../server/support/temporary-folder.ts";
import { amount } from "../support/amount.ts";
import { startProxy, type TcpProxy } from "./support/proxy.ts";
import { Writer } from "./support/writer.ts";

const WANTED = Number(process.env.KILLS ?? amount(15, 4));
const SERVERS = 3;
const AGENT = "shared";
/** How long a statement may take, in milliseconds. */
const TIMEOUT = 1_500;
/**
 * How long a request may take: the thread that sends statements is waited for at most twice the
 * timeout and fifteen seconds.
 */
const DEADLINE = 2 * TIMEOUT + 16_000;
const FAULTS = [
  "a killed server",
  "a killed PostgreSQL",
  "a stopped server",
  "a reset",
  "a stall",
] as const;

const figures = { faults: 0, acknowledged: 0, unavailable: 0, slowest: 0 };
afterAll(() => console.log(`faults of PostgreSQL: ${JSON.stringify(figures)}`));

const random = (below: number) => Math.floor(Math.random() * below);
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** A server with a proxy between it and PostgreSQL, which outlives it. */
interface Place {
  proxy: TcpProxy;
  folder: string;
  server: Running | undefined;
}

/** Sends requests of the agent. 503 ends a writer, as the end of its server does. */
function askerOf(server: Running): Running["ask"] {
  const { ask } = clientOf(server, AGENT);
  return async (call, body, headers) => {
    const began = performance.now();
    const answer = await ask(call, body, headers).finally(() => {
      figures.slowest = Math.max(figures.slowest, Math.round(performance.now() - began));
    });
    if (answer.status !== 503) return answer;
    figures.unavailable += 1;
    throw new TypeError("unavailable");
  };
}

/** Waits until PostgreSQL has no open transaction: that of a dead server may still be committing. */
async function settled(postgres: Postgres): Promise<void> {
  const open =
    "SELECT 1 FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
  while ((await query(postgres.superuserOf(postgres.url), open)).length > 0) await pause(20);
}

test(`${WANTED} faults lose no acknowledged write`, {
  timeout: 60_000 + WANTED * 30_000,
}, async () => {
  const postgres = await startPostgres();
  const places: Place[] = [];
  try {
    const { port } = new URL(postgres.url);
    for (let place = 0; place < SERVERS; place++) {
      const proxy = await startProxy(Number(port));
      places.push({ proxy, folder: temporaryFolder(), server: undefined });
    }
    const startAll = () =>
      Promise.all(
        places.map(async (place) => {
          const url = postgres.url.replace(`:${port}`, `:${place.proxy.port}`);
          const options = ["--database-url", url, "--database-timeout", String(TIMEOUT)];
          place.server ??= await start(place.folder, [...options, "--log-level", "error"]);
          return place.server;
        }),
      );
    const [first] = await startAll();
    const ledger = new Ledger();
    const { id: cluster } = (await clientOf(first!, AGENT).ask("POST /clusters", { name: "all" }))
      .body;
    while (figures.faults < WANTED) {
      const servers = await startAll();
      let isOver = false;
      const writers = servers.map((server, place) => {
        const name = `r${figures.faults}s${place}`;
        return new Writer(askerOf(server), ledger, name, cluster);
      });
      const writing = Promise.all(writers.map((writer) => writer.run(() => isOver)));
      await pause(100 + random(900));
      const fault = FAULTS[figures.faults % FAULTS.length]!;
      const hit = places[random(SERVERS)]!;
      if (fault === "a killed server") {
        await hit.server!.end("SIGKILL");
        hit.server = undefined;
      } else if (fault === "a stopped server") {
        // As in a rolling restart: it answers what it has begun.
        expect(await hit.server!.end()).toBe(0);
        hit.server = undefined;
      } else if (fault === "a killed PostgreSQL") {
        await postgres.crash();
        await pause(random(300));
        await postgres.start();
      } else if (fault === "a reset") hit.proxy.cut();
      else {
        hit.proxy.stall();
        await pause(random(2 * TIMEOUT));
        hit.proxy.resume();
      }
      figures.faults += 1;
      await pause(random(300));
      isOver = true;
      await writing;
      expect({ fault, problems: writers.flatMap(({ problems }) => problems) }).toEqual({
        fault,
        problems: [],
      });
      await settled(postgres);
      const [held, ...others] = await Promise.all(
        (await startAll()).map(async (server) => {
          const client = clientOf(server, AGENT);
          // A server whose connections were lost may need a request to notice.
          for (let tries = 0; tries < 3; tries++)
            if ((await client.ask("GET /health")).status === 200) break;
          return heldBy(client);
        }),
      );
      expect({ fault, problems: held!.problems }).toEqual({ fault, problems: [] });
      expect({ fault, problems: ledger.compare(held!.found) }).toEqual({ fault, problems: [] });
      for (const other of others) {
        expect(other.problems).toEqual([]);
        expect([...other.found].sort()).toEqual([...held!.found].sort());
      }
    }
    figures.acknowledged = ledger.acknowledged;
    expect(figures.slowest).toBeLessThan(DEADLINE);
  } finally {
    for (const { proxy, server } of places) {
      await server?.end("SIGKILL");
      proxy.close();
    }
    await postgres.stop();
  }
});
