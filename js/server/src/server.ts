// The server as a whole: starts and stops the agent threads and the HTTP front.

import { randomUUID } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { isAbsolute, relative } from "node:path";
import { serverBehaviourOf } from "./compat/server.ts";
import { requireTransformer } from "./embeddings/required-package.ts";
import { ringAt } from "./keys/open.ts";
import type { KeyRing } from "./keys/ring.ts";
import type { Logger } from "./log.ts";
import { SettingsError } from "./refusal.ts";
import { DEFAULT_AGENT } from "./settings/agent-names.ts";
import { vectorSourcesOf } from "./settings/embeddings-model.ts";
import { LOOPBACK, type Settings } from "./settings/options.ts";
import { agentsDir } from "./settings/paths.ts";
import type { InForce } from "./settings/read.ts";
import { removeAddress, writeAddress } from "./storage/address-file.ts";
import { makeFolder, makeFolderOf } from "./storage/make-folder.ts";
import { identityOf } from "./storage/open-files.ts";
import { areFiles, placeOf } from "./storage/place.ts";
import { cutLogsIn } from "./storage/wal.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { Pool } from "./workers/pool.ts";
import { Unsent } from "./workers/unsent.ts";

export interface RunningServer {
  /** The address, such as `http://127.0.0.1:3100`. */
  url: string;
  /** Refuses new requests, finishes those under way, and flushes all agents. */
  stop(): Promise<void>;
}

/** Starts the server. Resolves when the default agent's index is loaded. */
export async function startServer(
  inForce: InForce,
  { log, worker, version }: { log: Logger; worker: URL; version: string },
): Promise<RunningServer> {
  const { settings, engine, presets } = inForce;
  const place = placeOf(settings);
  requireTransformer(settings);
  prepareBackups(settings);
  await refuseUsedPort(settings);
  const keys = await ringAt(place, log);
  await refuseExposure(settings, keys);
  const maxBytes = (settings.max_resident_mb * 2 ** 20) / settings.workers;
  const residence = { idle: settings.agent_idle * 1000, maxBytes };
  const folder = areFiles(place) ? madeFolder(place.dataDir) : undefined;
  const found = areFiles(place) ? cutLogsIn(place.dataDir) : new Map<string, string>();
  for (const why of found.values()) log.error(why);
  // With less durability a power cut does that, too, and the last moments may be lost.
  const cutLogs: typeof found = place.durability === "full" ? found : new Map();
  const unsent = new Unsent();
  const instance = randomUUID();
  const { compat, ranking, count_outcomes: countOutcomes, preset, time_zone } = settings;
  const learns = settings.learning === "on";
  const ofAgents = {
    engine,
    compat,
    ranking,
    learns,
    vectors: vectorSourcesOf(settings),
    countOutcomes,
    preset,
    presets,
    timeZone: time_zone,
  };
  const setup = { ...ofAgents, place, residence, cutLogs, folder, unsent: unsent.shared };
  const telemetry = await telemetryOf(settings, { version, instance, log });
  const pool = new Pool(settings.workers, worker, setup, log, telemetry);
  try {
    // Loading the HTTP modules takes as long as starting a thread: both run at once.
    const loading = import("./front/front.ts").then(({ createFront }) =>
      createFront(pool, inForce, { keys, log, version, unsent, instance, telemetry }),
    );
    const [front] = await Promise.all([loading, pool.open(DEFAULT_AGENT)]);
    const url = await front.open();
    if (areFiles(place)) writeAddress(place.dataDir, { url, instance });
    const stop = async () => {
      if (areFiles(place)) removeAddress(place.dataDir, instance);
      await front.close();
      await telemetry?.close();
      await Promise.all([pool.close(), keys.close()]);
    };
    return { url, stop };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Returns what follows the requests; undefined, and nothing is loaded, if no collector is set. */
async function telemetryOf(
  { otlp_endpoint: endpoint }: Settings,
  options: { version: string; instance: string; log: Logger },
): Promise<Telemetry | undefined> {
  if (endpoint === "") return undefined;
  const { Otlp } = await import("./telemetry/otlp.ts");
  return new Otlp({ endpoint, ...options });
}

/**
 * Makes the folder of backups, if there is to be one.
 *
 * @throws {SettingsError} If there can be no backups: nothing has been opened yet.
 */
function prepareBackups({ backup_dir: dir, database_url: url, data_dir }: Settings): void {
  if (dir === "") return;
  if (url !== "")
    throw new SettingsError(
      "backup_dir is for files, and a PostgreSQL database is set: back that up by its own tools, such as pg_dump.",
    );
  const within = relative(agentsDir(data_dir), dir);
  if (within === "" || !(within.startsWith("..") || isAbsolute(within)))
    throw new SettingsError(`backup_dir is ${dir}, among the databases: name a folder elsewhere.`);
  try {
    makeFolder(dir);
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw new SettingsError(
      `backup_dir is ${dir}, which cannot be written to: ${(error as Error).message}.`,
    );
  }
}

/** @throws {SettingsError} If another program listens on the port: nothing has been opened yet. */
async function refuseUsedPort({
  host,
  port,
  compat,
}: Pick<Settings, "host" | "port" | "compat">): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  const problem = await new Promise<string | undefined>((resolve) => {
    probe.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
    probe.listen({ host, port, exclusive: true }, () => resolve(undefined));
  });
  await new Promise((resolve) => probe.close(resolve));
  if (problem === "EADDRINUSE")
    throw new SettingsError(
      `Port ${port} of ${host} is in use: end the program that listens there, or choose another port with --port.${serverBehaviourOf(compat).onUsedPort}`,
    );
}

/**
 * Returns the device and inode of the folder of databases, and makes the folder if it is missing.
 *
 * @throws {SettingsError} If it cannot be made: nothing has been opened yet.
 */
function madeFolder(dataDir: string): string {
  const path = agentsDir(dataDir);
  makeFolderOf(dataDir, path);
  return identityOf(path)!;
}

/** @throws {SettingsError} If others could send requests and the server has no keys. */
async function refuseExposure(
  { host, mcp_oauth_issuer: issuer }: Settings,
  keys: KeyRing,
): Promise<void> {
  if ((await keys.current()) !== undefined) return;
  const how = "make one with `nous-server keys create` first";
  if (!LOOPBACK.test(host))
    throw new SettingsError(
      `The host ${host} is not loopback, and there are no keys: ${how}, or listen on 127.0.0.1.`,
    );
  if (issuer !== "")
    throw new SettingsError(
      `mcp_oauth_issuer is set, and there are no keys, so that all but /mcp would be open: ${how}.`,
    );
}
