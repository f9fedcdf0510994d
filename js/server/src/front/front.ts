// The front of the server, in the main thread: HTTP, calls to providers, and periodic work.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createEngine, inSnakeCase } from "nous-wasm";
import { analystOf } from "../analysis/analyst.ts";
import { BackupSchedule } from "../backups/schedule.ts";
import { retrievingPool } from "../compat/retrieval.ts";
import { serverBehaviourOf } from "../compat/server.ts";
import { embedderOf } from "../embeddings/configured.ts";
import { extractorOf } from "../extraction/extractor.ts";
import { createApp } from "../http/app.ts";
import { EventStreams } from "../http/event-streams.ts";
import { createHttpServer } from "../http/malformed-requests.ts";
import { Metrics } from "../http/metrics.ts";
import type { KeyRing } from "../keys/ring.ts";
import type { Logger } from "../log.ts";
import { doorOf } from "../oauth/door.ts";
import { Reachability } from "../providers/reachable.ts";
import { SettingsError } from "../refusal.ts";
import { DEFAULT_AGENT } from "../settings/agent-names.ts";
import { hostnameOf } from "../settings/options.ts";
import { presetOfAll } from "../settings/preset.ts";
import type { InForce } from "../settings/read.ts";
import { zoneFor } from "../settings/time-zone.ts";
import { placeOf } from "../storage/place.ts";
import { type DoPart, type Telemetry, unfollowed } from "../telemetry/telemetry.ts";
import type { Pool } from "../workers/pool.ts";
import type { Unsent } from "../workers/unsent.ts";
import { AnalysisPool } from "./analysis-pool.ts";
import { EmbeddingPool } from "./embedding-pool.ts";
import { ExtractionPool } from "./extraction-pool.ts";
import { Scheduler } from "./scheduler.ts";

/** The page, which the build puts beside the program. */
const PAGE_FOLDER = fileURLToPath(new URL("./page", import.meta.url));
/** How long a stop waits for running requests, in milliseconds. */
const PATIENCE = 10_000;
/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;
/**
 * How long an idle connection stays open, in milliseconds: longer than proxies and clients keep
 * theirs open, so that they do not send a request into a connection that the server closes.
 */
const KEEP_ALIVE_TIMEOUT = 75_000;

/** Why the server cannot listen on a port, and what to do, by error code. */
const NOT_LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use: end the program that listens there, or choose another port with --port",
  EACCES: "is not for this user: choose a port of 1024 or more with --port",
  EADDRNOTAVAIL: "cannot be used, because the host is not this machine: choose another with --host",
};

export interface Front {
  /** Starts to accept requests. Returns the address, such as `http://127.0.0.1:3100`. */
  open(): Promise<string>;
  /** Stops accepting requests, and waits for running ones. */
  close(): Promise<void>;
}

export function createFront(
  pool: Pool,
  { settings, engine: config, presets }: InForce,
  {
    keys,
    log,
    version,
    unsent,
    instance,
    telemetry,
  }: {
    keys: KeyRing;
    log: Logger;
    version: string;
    unsent: Unsent;
    instance: string;
    telemetry: Telemetry | undefined;
  },
): Front {
  const { host, port, decay_interval, consolidate_interval } = settings;
  const { compat, ranking } = settings;
  const byDefault = presets.get(presetOfAll(settings.preset, config))!;
  const { engineConfig, presetOf, terms } = serverBehaviourOf(compat);
  const ofEngine = engineConfig(byDefault, config);
  const engine = createEngine(inSnakeCase(ofEngine));
  const embedder = embedderOf(settings, log);
  if (embedder !== undefined) pool.readPairs = (pairs) => embedder.readPairs(pairs);
  const part: DoPart = telemetry?.part ?? unfollowed;
  const learns = settings.learning === "on";
  const embedding =
    embedder && new EmbeddingPool(pool, { embedder, engine, terms, ranking, learns, log, part });
  const analyst = analystOf(settings, log);
  const analysis = analyst && new AnalysisPool(embedding ?? pool, pool, analyst, embedder, part);
  const extractor = extractorOf(settings, log);
  const defaultPool = analysis ?? embedding ?? pool;
  const extraction = extractor && new ExtractionPool(defaultPool, pool, extractor, part);
  const rules = { config: ofEngine, engine, ranking };
  const agents = retrievingPool(compat, extraction ?? defaultPool, pool, rules);
  let [isReady, isStopping] = [false, false];
  let providers: Reachability[] = [];
  let backups: BackupSchedule | undefined;
  const streams = new EventStreams(pool);
  const oauth = doorOf(settings, log);
  const waiting = () => embedding?.waiting;
  const metrics = new Metrics(pool, waiting, () => backups?.figures);
  const app = createApp({
    instance,
    agents,
    pool,
    streams,
    engine,
    presets,
    defaultPreset: presetOf(byDefault),
    zoneOf: (agent) => zoneFor(settings.time_zone, agent),
    keys,
    oauth,
    known: { hosts: [hostnameOf(host), ...settings.allowed_hosts], origins: settings.cors_origins },
    compat,
    log,
    unsent,
    limits: settings,
    maxBodyBytes: settings.max_body_bytes,
    version,
    pageFolder: PAGE_FOLDER,
    isReady: () => isReady,
    problems: () => [...providers, oauth, backups].flatMap((one) => one?.problem ?? []),
    waiting,
    metrics,
    telemetry,
    isStopping: () => isStopping,
  });
  const watched = [
    {
      isUsed: settings.embeddings_provider === "openai-compatible",
      what: "embeddings provider",
      baseUrl: settings.embeddings_base_url,
      without: "words, edges and time rank, and new memories wait for their vectors",
    },
    {
      isUsed: analyst !== undefined,
      what: "language model",
      baseUrl: settings.analysis_base_url,
      without: "statistics consolidate",
    },
    {
      isUsed: extractor !== undefined,
      what: "language model of facts",
      baseUrl: settings.extraction_base_url,
      without: "conversations are stored without facts",
    },
  ];
  let server: Server | undefined;
  let scheduler: Scheduler | undefined;
  return {
    async open() {
      server = await listen(app.fetch, host, port);
      isReady = true;
      telemetry?.measure(() => metrics.values());
      embedder?.warm();
      embedding?.wake(DEFAULT_AGENT);
      providers = watched.filter(({ isUsed }) => isUsed).map((one) => new Reachability(one, log));
      const intervals = {
        decay: decay_interval * 1000,
        expire: decay_interval * 1000,
        consolidate: consolidate_interval * 1000,
      };
      scheduler = new Scheduler(analysis ?? pool, intervals, log);
      const { backup_dir: dir, backup_every: every, backup_keep: keep } = settings;
      const setup = { place: placeOf(settings), dir, keep };
      if (dir !== "") backups = new BackupSchedule(setup, every * 1000, log);
      const { port: taken } = server.address() as AddressInfo;
      return `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
    },
    async close() {
      [isReady, isStopping] = [false, true];
      streams.close();
      for (const provider of providers) provider.close();
      analyst?.close();
      extractor?.close();
      const periodic = [scheduler?.stop(), backups?.stop()];
      await Promise.all([embedding?.close(), server && closeServer(server), ...periodic]);
    },
  };
}

function listen(
  fetch: Parameters<typeof createHttpServer>[0],
  hostname: string,
  port: number,
): Promise<Server> {
  const server = createHttpServer(fetch, {
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
  });
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const why = NOT_LISTENING[error.code ?? ""];
      const where = `Port ${port} of ${hostname}`;
      reject(why === undefined ? error : new SettingsError(`${where} ${why}.`));
    };
    server.once("error", refuse);
    server.listen(port, hostname, () => {
      server.off("error", refuse);
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
