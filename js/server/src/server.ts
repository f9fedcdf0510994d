// The server as a whole: threads of agents, HTTP in front of them, and how both come up and go down.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createEngine } from "nous-wasm";
import { AskingPool } from "./embeddings/asking.ts";
import { embedderOf } from "./embeddings/configured.ts";
import { cutLogsIn } from "./hosting.ts";
import { createApp } from "./http/app.ts";
import { USUAL_AGENT } from "./http/route.ts";
import type { Logger } from "./log.ts";
import { Scheduler } from "./scheduler.ts";
import type { InForce } from "./settings/read.ts";
import { Pool } from "./workers/pool.ts";

/** How long requests that are under way are waited for, in milliseconds. */
const PATIENCE = 10_000;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT = 30_000;

export interface RunningServer {
  /** Such as `http://127.0.0.1:3100`. */
  url: string;
  /** Takes no more requests, finishes those under way, flushes. */
  stop(): Promise<void>;
}

/** Comes up: the usual agent's index is loaded when it is done. */
export async function startServer(
  { settings, engine: config }: InForce,
  { log, worker, version }: { log: Logger; worker: URL; version: string },
): Promise<RunningServer> {
  const { host, port, data_dir: dataDir, durability, workers, max_body_bytes: maxBodyBytes } = settings;
  const residence = { idle: settings.agent_idle * 1000, mostBytes: (settings.max_resident_mb * 2 ** 20) / workers };
  const found = cutLogsIn(dataDir);
  for (const why of found.values()) log.error(why);
  // With less durability a power cut does that, too, and the last moments may be lost.
  const cutLogs: typeof found = durability === "full" ? found : new Map();
  const pool = new Pool(workers, worker, { dataDir, durability, engine: config, residence, cutLogs }, log);
  let [isReady, isStopping] = [false, false];
  try {
    await pool.open(USUAL_AGENT);
    const engine = createEngine(config);
    const embedder = embedderOf(settings, log);
    const asking = embedder && new AskingPool(pool, embedder, log);
    const app = createApp({
      agents: asking ?? pool,
      pool,
      engine,
      log,
      maxBodyBytes,
      version,
      isReady: () => isReady,
      isStopping: () => isStopping,
    });
    const server = await listen(app.fetch, host, port);
    isReady = true;
    asking?.wake(USUAL_AGENT);
    const { decay_interval, consolidate_interval } = settings;
    const intervals = { decay: decay_interval * 1000, consolidate: consolidate_interval * 1000 };
    const scheduler = new Scheduler(pool, intervals, log);
    const { port: taken } = server.address() as AddressInfo;
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
    const stop = async () => {
      [isReady, isStopping] = [false, true];
      await Promise.all([asking?.close(), closeServer(server), scheduler.stop()]);
      await pool.close();
    };
    return { url, stop };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function listen(fetch: Parameters<typeof serve>[0]["fetch"], hostname: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname, port, serverOptions: { requestTimeout: REQUEST_TIMEOUT } }, () => {
      server.off("error", reject);
      resolve(server);
    }) as Server;
    server.once("error", reject);
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const hurry = setTimeout(() => server.closeAllConnections(), PATIENCE);
    server.close(() => {
      clearTimeout(hurry);
      resolve();
    });
    server.closeIdleConnections();
  });
}
