// An agent thread: opens agents, runs their operations, and answers the HTTP thread.

import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadEmbedderSync } from "nous-embedder";
import { NousError } from "nous-wasm";
import { Agent, type PairReader } from "../agent/agent.ts";
import { HeldTime } from "../agent/held-time.ts";
import { Room } from "../agent/room.ts";
import { SERVER_TASKS } from "../agent/server-tasks.ts";
import { doIfDue } from "../agent/tasks.ts";
import type { Quota } from "../api/operation.ts";
import { behaviourOf } from "../compat/behaviour.ts";
import { handlersFor } from "../compat/handlers.ts";
import { signalSearchOf } from "../compat/search.ts";
import { foreignVectors } from "../embeddings/foreign.ts";
import { OtherModel } from "../embeddings/other-model.ts";
import { noRoom, Refusal, readOnly } from "../refusal.ts";
import { TABLES } from "../settings/embeddings-model.ts";
import { agentFile, agentsDir, snapshotsOf } from "../settings/paths.ts";
import { counterOf } from "../settings/per-agent.ts";
import { presetOf } from "../settings/preset.ts";
import { zoneFor } from "../settings/time-zone.ts";
import {
  isDamage,
  isNoRoom,
  isReadOnly,
  MENDING_DAMAGE,
  StorageError,
  Unavailable,
  withoutPlaces,
} from "../storage/errors.ts";
import { logOf } from "../storage/files.ts";
import { agentsIn, deleteAgent, holdingOf } from "../storage/hosted-agents.ts";
import { openStorage } from "../storage/open.ts";
import { checkFolder, identityOf } from "../storage/open-files.ts";
import { areFiles } from "../storage/place.ts";
import { closeDatabases, databaseAt } from "../storage/postgres/open.ts";
import { scrubApart } from "../storage/scrub.ts";
import { SqliteStorage } from "../storage/sqlite.ts";
import { IN_MEMORY } from "../storage/sqlite-file.ts";
import { whyCut } from "../storage/wal.ts";
import { moment } from "../telemetry/telemetry.ts";
import { EventReaders } from "./event-readers.ts";
import { Agents, type Opening } from "./open-agents.ts";
import type { Failure, FromWorker, ToWorker, WorkerSetup } from "./protocol.ts";
import { type Asker, AskerGone } from "./shares.ts";
import { isFull, tooMuchUnsent } from "./unsent.ts";

const setup = workerData as WorkerSetup;
const {
  place,
  engine,
  compat,
  ranking,
  learns,
  vectors,
  countOutcomes,
  preset,
  presets,
  timeZone,
} = setup;
const { residence, cutLogs, folder, unsent } = setup;
const { dataDir, durability, postgres } = place;
const hasFiles = areFiles(place);
const port = parentPort!;
const handlers = handlersFor(compat);
const behaviour = behaviourOf(compat);
const searchBySignals = signalSearchOf(compat);
/** It outlives agents, so that a step of the clock is known to agents that are opened after it. */
const heldTime = new HeldTime();

/** All agents of the thread share one table. */
const builtIn = vectors.table && loadEmbedderSync(TABLES[vectors.table]);
const { maker } = vectors;
/** Agents whose vectors were looked at: the server warns of them once. */
const warned = new Set<string>();

const say = (message: FromWorker) => port.postMessage(message);
const log = (
  level: "info" | "warn" | "error",
  agent: string,
  what: string,
  figures: Record<string, unknown> = {},
) => say({ kind: "log", level, agent, what, figures });

/** Resolves readings by the numbers of their questions. */
const unread = new Map<number, (readings: Float32Array | undefined) => void>();
let lastRead = 0;
const readPairs: PairReader = (pairs) =>
  new Promise((resolve) => {
    lastRead += 1;
    unread.set(lastRead, resolve);
    say({ kind: "read pairs", id: lastRead, pairs });
  });

/**
 * @throws {MovedError} If the folder of the databases is not the one that the server started with.
 */
function checkPlace(): void {
  if (folder !== undefined) checkFolder(agentsDir(dataDir), folder);
}

const opening: Opening = {
  open: openAgent,
  exists: (name) => {
    checkPlace();
    if (postgres !== undefined) return databaseAt(postgres).has(name);
    const file = agentFile(dataDir, name);
    return existsSync(file) || existsSync(logOf(file));
  },
  openEmpty: () =>
    new Agent(new SqliteStorage(IN_MEMORY, { durability }), {
      ...{ config: engine, behaviour, ranking, learns, builtIn, maker, presets },
      ...(maker === undefined ? {} : { readPairs }),
      preset: presetOf(preset, engine, undefined),
      timeZone: zoneFor(timeZone, undefined),
    }),
};
const agents = new Agents(
  opening,
  (name, what, error) => log("warn", name, what, { failure: failureOf(error) }),
  residence,
);

const readers = new EventReaders({
  identityOf: (name) => (hasFiles ? identityOf(agentFile(dataDir, name)) : name),
  open: (name) => {
    if (postgres !== undefined && !databaseAt(postgres).has(name)) return undefined;
    const storage = openStorage(place, name, { migrates: false });
    const given = presetOf(preset, engine, name);
    return new Agent(storage, { config: engine, behaviour, preset: given, presets });
  },
});

function openAgent(name: string): Agent {
  const logOfAgent = (what: string, figures?: Record<string, unknown>) =>
    log("info", name, what, figures);
  const why = hasFiles ? whyCut(agentFile(dataDir, name), cutLogs) : undefined;
  if (why !== undefined) throw new StorageError(why);
  checkPlace();
  const storage = openStorage(place, name, { tell: logOfAgent });
  try {
    if (storage.meta("agent") === undefined) storage.setMeta("agent", name);
    const foreign = warned.has(name) ? undefined : foreignVectors(storage, vectors);
    if (foreign !== undefined) log("warn", name, foreign);
    warned.add(name);
    // Snapshots are kept beside the database if the database is a local file.
    const file = agentFile(dataDir, name);
    const scrub = (nodeId: string) => scrubApart({ file, durability, nodeId });
    const kept = hasFiles ? { snapshots: snapshotsOf(file), scrub } : {};
    const countsOutcomes = counterOf(countOutcomes, compat, name) === "server";
    return new Agent(storage, {
      config: engine,
      behaviour,
      ranking,
      searchBySignals,
      learns,
      builtIn,
      maker,
      ...(maker === undefined ? {} : { readPairs }),
      countsOutcomes,
      preset: presetOf(preset, engine, name),
      timeZone: zoneFor(timeZone, name),
      presets,
      log: logOfAgent,
      heldTime,
      ...kept,
    });
  } catch (error) {
    storage.close();
    throw error;
  }
}

/** The clients of unanswered calls, by the calls' numbers. */
const clients = new Map<number, Asker>();
const unsentBytes = new Int32Array(unsent);

/** Does the work of a message, and answers it. */
async function answer(message: Exclude<ToWorker, { kind: "cancel" | "readings" }>): Promise<void> {
  const reply = (value: unknown) =>
    say({ kind: "answer", id: message.id, json: JSON.stringify(value ?? null) });
  switch (message.kind) {
    case "open":
      await agents.do(message.agent, () => {});
      return reply(null);
    case "call": {
      const handle = handlers[message.operation] as (agent: Agent, given: unknown) => unknown;
      const work = async (agent: Agent) => {
        if (isFull(unsentBytes)) throw tooMuchUnsent();
        const { quota } = message.given as { quota?: Quota };
        agent.room = quota && new Room(quota, agent.storage.size());
        agent.parts = message.isFollowed ? [] : undefined;
        const from = moment();
        try {
          const json = JSON.stringify((await handle(agent, message.given)) ?? null);
          const parts = agent.parts && [
            { name: "turn", from, to: moment() } as const,
            ...agent.parts,
          ];
          say({ kind: "answer", id: message.id, json, parts });
        } finally {
          agent.room = undefined;
          agent.parts = undefined;
        }
      };
      const client: Asker = { isGone: false };
      clients.set(message.id, client);
      try {
        return await agents.do(message.agent, work, message.ifAbsent, client);
      } finally {
        clients.delete(message.id);
      }
    }
    case "events":
      checkPlace();
      return reply(readers.read(message.agent, message.after));
    case "task": {
      const perform = SERVER_TASKS[message.task] as (agent: Agent, given: unknown) => unknown;
      const work = async (agent: Agent) => reply(await perform(agent, message.given));
      return agents.do(message.agent, work, "empty");
    }
    case "turn": {
      const work = async (agent: Agent) =>
        reply(await doIfDue(agent, message.task, message.interval));
      return agents.do(message.agent, work, "empty");
    }
    case "delete":
      checkPlace();
      return reply(
        await agents.whileClosed(message.agent, () => {
          readers.close(message.agent);
          return deleteAgent(place, message.agent);
        }),
      );
    case "list":
      checkPlace();
      return reply(agentsIn(place, message.page, cutLogs));
    case "holding":
      checkPlace();
      return reply(holdingOf(place, message.agents));
    case "measure":
      return reply(agents.occupancy());
    case "close":
      readers.closeAll();
      await agents.close();
      closeDatabases();
      return reply(null);
  }
}

/**
 * Returns the refusal of an error that passes by itself or that the user can correct; undefined for
 * any other error. Nothing was written.
 */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable) return new Refusal(503, error.message);
  if (isNoRoom(error)) return noRoom();
  if (isReadOnly(error)) return readOnly();
  const code = String((error as { code?: string }).code);
  if (code.startsWith("SQLITE_BUSY")) return new Refusal(503, "the database is in use: try again");
  if (code.startsWith("SQLITE_IOERR")) return new Refusal(503, "the disk failed");
  if (!isDamage(error)) return undefined;
  return new Refusal(503, `the database is damaged: ${MENDING_DAMAGE}`);
}

/**
 * Returns an error for the log. Messages of the engine may show values of a request, and are left
 * out; messages of the database name tables and columns at most.
 */
function failureOf(error: unknown): Failure {
  if (error instanceof NousError)
    return { name: error.name, code: error.code, message: error.details.field ?? "" };
  const { name, message, code } = error as Error & { code?: string };
  return { name, code, message };
}

port.on("message", async (message: ToWorker) => {
  const { id } = message;
  if (message.kind === "cancel") {
    const client = clients.get(id);
    if (client !== undefined) client.isGone = true;
    return;
  }
  if (message.kind === "readings") {
    unread.get(id)?.(message.readings);
    unread.delete(id);
    return;
  }
  try {
    await answer(message);
  } catch (error) {
    if (error instanceof AskerGone) return;
    if (error instanceof OtherModel) return say({ kind: "other model", id, inUse: error.inUse });
    const refusal = refusalOf(error);
    // The operator of the server has to learn of it, not only the client.
    if (error instanceof Unavailable)
      log("warn", "agent" in message ? message.agent : "", error.message);
    if ("agent" in message && isDamage(error)) {
      log("error", message.agent, "The database is damaged", { failure: failureOf(error) });
    }
    if (refusal !== undefined) {
      const { status, message: why, issues } = refusal;
      say({
        kind: "refusal",
        id,
        status,
        message: withoutPlaces(why, dataDir, postgres?.url),
        issues,
      });
    } else {
      say({ kind: "failure", id, failure: failureOf(error) });
    }
  }
});
