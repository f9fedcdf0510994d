// A thread that agents live in. Each request is done whole before the next is looked at.

import { parentPort, workerData } from "node:worker_threads";
import { NousError } from "nous-wasm";
import { Agent } from "../agent/agent.ts";
import { Refusal } from "../agent/errors.ts";
import { agentFile } from "../settings/paths.ts";
import { LibsqlStorage } from "../storage/libsql.ts";
import type { Failure, FromWorker, ToWorker, WorkerSetup } from "./protocol.ts";

/** How long soft state may be ahead of the database, in milliseconds. */
const FLUSH_AFTER = 1_000;

const { dataDir, durability, engine } = workerData as WorkerSetup;
const port = parentPort!;
const agents = new Map<string, Agent>();
const flushes = new Map<string, NodeJS.Timeout>();

const say = (message: FromWorker) => port.postMessage(message);
const log = (level: "info" | "warn" | "error", agent: string, what: string, figures: object = {}) =>
  say({ kind: "log", level, agent, what, figures: { ...figures } });

function agentOf(name: string): Agent {
  let agent = agents.get(name);
  if (agent === undefined) {
    const tell = (what: string, figures?: Record<string, unknown>) => log("info", name, what, figures);
    const storage = new LibsqlStorage(agentFile(dataDir, name), { durability, tell });
    if (storage.meta("agent") === undefined) storage.setMeta("agent", name);
    agent = new Agent(storage, { config: engine, tell });
    agents.set(name, agent);
  }
  return agent;
}

function answer(message: ToWorker): string {
  if (message.kind === "close") {
    closeAll();
    return "null";
  }
  const agent = agentOf(message.agent);
  if (message.kind === "open") {
    agent.open();
    return "null";
  }
  const method = agent[message.operation] as (input: unknown) => unknown;
  const result = JSON.stringify(method.call(agent, message.input));
  flushSoon(message.agent, agent);
  return result;
}

function flushSoon(name: string, agent: Agent): void {
  if (!agent.isAhead || flushes.has(name)) return;
  const flush = () => {
    flushes.delete(name);
    try {
      agent.flush();
    } catch (error) {
      // Nothing is forgotten before it is written.
      log("warn", name, "Soft state could not be flushed; it is tried again", { failure: failureOf(error) });
      flushSoon(name, agent);
    }
  };
  flushes.set(name, setTimeout(flush, FLUSH_AFTER));
}

function closeAll(): void {
  for (const timer of flushes.values()) clearTimeout(timer);
  flushes.clear();
  for (const [name, agent] of agents) {
    try {
      agent.close();
    } catch (error) {
      log("error", name, "The agent could not be closed properly", { failure: failureOf(error) });
    }
  }
  agents.clear();
}

/** What passes by itself, or with more room: nothing was done, and it can be tried again. */
const PASSING: Readonly<Record<string, string>> = {
  SQLITE_BUSY: "the database is in use: try again",
  SQLITE_FULL: "the disk is full",
  SQLITE_IOERR: "the disk failed",
};

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  // SQLITE_IOERR_WRITE is a kind of SQLITE_IOERR.
  const [, kind] = /^(SQLITE_[A-Z]+)/.exec((error as { code?: string }).code ?? "") ?? [];
  const why = PASSING[kind ?? ""];
  return why === undefined ? undefined : new Refusal(503, why);
}

/** Messages of the engine may show values of a request; those of the database name tables and columns at most. */
function failureOf(error: unknown): Failure {
  if (error instanceof NousError) return { name: error.name, code: error.code, message: error.details.field ?? "" };
  const { name, message, code } = error as Error & { code?: string };
  return { name, code, message };
}

port.on("message", (message: ToWorker) => {
  const { id } = message;
  try {
    say({ kind: "answer", id, json: answer(message) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      const { status, message: why, issues } = refusal;
      say({ kind: "refusal", id, status, message: why, issues });
    } else {
      say({ kind: "failure", id, failure: failureOf(error) });
    }
  }
});
