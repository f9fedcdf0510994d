// The messages between the HTTP thread and the agent threads.

import type { EngineYaml, PairOfStatements, Presets } from "nous-memory";
import type { ServerTask } from "../agent/server-tasks.ts";
import type { TaskName } from "../agent/tasks.ts";
import type { EmbeddingModel } from "../api/operation.ts";
import type { AgentOperation } from "../api/operations.ts";
import type { Issue } from "../refusal.ts";
import type { Compat, RankedBy } from "../settings/choices.ts";
import type { VectorSources } from "../settings/embeddings-model.ts";
import type { AgentsPage } from "../storage/hosted-agents.ts";
import type { Place } from "../storage/place.ts";
import type { Part } from "../telemetry/telemetry.ts";
import type { IfAbsent, Residence } from "./open-agents.ts";

/** The data that a worker starts with. */
export interface WorkerSetup {
  place: Place;
  engine: EngineYaml;
  compat: Compat;
  /** How searches rank unless a request says. */
  ranking: RankedBy;
  /** Whether feedback teaches, and searches rank by what it taught. */
  learns: boolean;
  vectors: VectorSources;
  /** The setting that says who counts closed trades. */
  countOutcomes: readonly string[];
  /** The setting that says which preset an agent has. */
  preset: readonly string[];
  /** The setting that says which time zone an agent has. */
  timeZone: readonly string[];
  /** The presets by name. */
  presets: Presets;
  residence: Residence;
  /** Databases that must not be opened, and why: their logs were cut off. */
  cutLogs: ReadonlyMap<string, string>;
  /**
   * The device and inode of the folder of the databases at the start of the server; undefined if
   * the databases are remote.
   */
  folder: string | undefined;
  /** Counts the bytes of answers that clients have not read yet; see `Unsent`. */
  unsent: SharedArrayBuffer;
}

export type ToWorker =
  | {
      kind: "call";
      id: number;
      agent: string;
      operation: AgentOperation;
      given: unknown;
      ifAbsent: IfAbsent;
      /** Whether the answer tells its parts. */
      isFollowed: boolean;
    }
  /** Cancels the call of this number: the client has gone. It gets no answer. */
  | { kind: "cancel"; id: number }
  /** Answers `read pairs` of this number. */
  | { kind: "readings"; id: number; readings: Float32Array | undefined }
  /** Does one of the server's own tasks. */
  | { kind: "task"; id: number; agent: string; task: ServerTask; given: unknown }
  /** Reads the events of an agent after a cursor, for a stream. */
  | { kind: "events"; id: number; agent: string; after: string }
  /** Opens an agent before its first request. */
  | { kind: "open"; id: number; agent: string }
  /** Deletes an agent with all its files. */
  | { kind: "delete"; id: number; agent: string }
  /** Lists agents, of all threads. */
  | { kind: "list"; id: number; page: AgentsPage }
  /** Adds up what agents of all threads hold. */
  | { kind: "holding"; id: number; agents: readonly string[] }
  /** Counts what the thread has open. */
  | { kind: "measure"; id: number }
  /** Does periodic work if it is due; `interval` is in milliseconds. */
  | { kind: "turn"; id: number; agent: string; task: TaskName; interval: number }
  /** Flushes and closes all agents. */
  | { kind: "close"; id: number };

/** A failure as it is logged, without values of a request. */
export interface Failure {
  name: string;
  code?: string | undefined;
  message: string;
}

export type FromWorker =
  /** The answer as JSON, which is sent to the client unchanged. */
  | { kind: "answer"; id: number; json: string; parts?: readonly Part[] | undefined }
  | { kind: "refusal"; id: number; status: number; message: string; issues: readonly Issue[] }
  /** The question's embedding is of another model than those of the memories. */
  | { kind: "other model"; id: number; inUse: EmbeddingModel }
  | { kind: "failure"; id: number; failure: Failure }
  /** Asks the HTTP thread, whose transformer reads pairs. */
  | { kind: "read pairs"; id: number; pairs: readonly PairOfStatements[] }
  | {
      kind: "log";
      level: "info" | "warn" | "error";
      agent: string;
      what: string;
      figures: Record<string, unknown>;
    };
