// The server as a whole: threads of agents, HTTP in front of them, and how both come up and go down.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createEngine } from "nous-wasm";
import { AnalysingPool } from "./analysis/analysing.ts";
import { analystOf } from "./analysis/analyst.ts";
import { AskingPool } from "./embeddings/asking.ts";
import { embedderOf } from "./embeddings/configured.ts";
import { cutLogsIn } from "./hosting.ts";
import { createApp } from "./http/app.ts";
import { createHttpServer } from "./http/unreadable.ts";
import { KeyRing } from "./keys/ring.ts";
import type { Logger } from "./log.ts";
import { Scheduler } from "./scheduler.ts";
import { hostnameOf, LOOPBACK } from "./settings/options.ts";
import { type InForce, SettingsError } from "./settings/read.ts";
import { placeOf, USUAL_AGENT } from "./storage/place.ts";
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
  const { host, port, workers, max_body_bytes: maxBodyBytes } = settings;
  const place = placeOf(settings);
  const keys = new KeyRing(place.dataDir, log);
  refuseExposure(host, keys);
  const residence = { idle: settings.agent_idle * 1000, mostBytes: (settings.max_resident_mb * 2 ** 20) / workers };
  const found = place.remote === undefined ? cutLogsIn(place.dataDir) : new Map<string, string>();
  for (const why of found.values()) log.error(why);
  // With less durability a power cut does that, too, and the last moments may be lost.
  const cutLogs: typeof found = place.durability === "full" ? found : new Map();
  const pool = new Pool(workers, worker, { place, engine: config, residence, cutLogs }, log);
  let [isReady, isStopping] = [false, false];
  try {
    await pool.open(USUAL_AGENT);
    const engine = createEngine(config);
    const embedder = embedderOf(settings, log);
    const asking = embedder && new AskingPool(pool, embedder, log);
    const analyst = analystOf(settings, log);
    const analysing = analyst && new AnalysingPool(asking ?? pool, pool, analyst, embedder);
    const app = createApp({
      agents: analysing ?? asking ?? pool,
      pool,
      engine,
      keys,
      known: { hosts: [hostnameOf(host), ...settings.allowed_hosts], origins: settings.cors_origins },
      log,
      maxBodyBytes,
      version,
      hasOneAgent: place.remote !== undefined,
      isReady: () => isReady,
      isStopping: () => isStopping,
    });
    const server = await listen(app.fetch, host, port);
    isReady = true;
    asking?.wake(USUAL_AGENT);
    const { decay_interval, consolidate_interval } = settings;
    const intervals = { decay: decay_interval * 1000, consolidate: consolidate_interval * 1000 };
    const scheduler = new Scheduler(analysing ?? pool, intervals, log);
    const { port: taken } = server.address() as AddressInfo;
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
    const stop = async () => {
      [isReady, isStopping] = [false, true];
      analyst?.close();
      await Promise.all([asking?.close(), closeServer(server), scheduler.stop()]);
      await pool.close();
    };
    return { url, stop };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** @throws {SettingsError} where others than this machine's could ask, and nobody would be asked for a key. */
function refuseExposure(host: string, keys: KeyRing): void {
  if (LOOPBACK.test(host) || keys.current !== undefined) return;
  const how = "make one with `nous-server keys create` first, or listen on 127.0.0.1";
  throw new SettingsError(`The host ${host} is not loopback, and there are no keys: ${how}.`);
}

function listen(fetch: Parameters<typeof createHttpServer>[0], hostname: string, port: number): Promise<Server> {
  const server = createHttpServer(fetch, { requestTimeout: REQUEST_TIMEOUT });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve(server);
    });
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
