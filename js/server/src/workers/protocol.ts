// What the thread of HTTP and those of agents say to each other.

import type { ServerTask } from "../agent/server-tasks.ts";
import type { TaskName } from "../agent/tasks.ts";
import type { AgentOperation } from "../api/operations.ts";
import type { EmbeddingModel } from "../embeddings/provider.ts";
import type { Issue } from "../refusal.ts";
import type { Compat } from "../settings/compat.ts";
import type { EngineYaml } from "../settings/engine-config.ts";
import type { AgentsPage } from "../storage/hosted-agents.ts";
import type { Place } from "../storage/place.ts";
import type { IfAbsent, Residence } from "./open-agents.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  place: Place;
  engine: EngineYaml;
  compat: Compat;
  /** Whether there is a provider of embeddings. */
  embeds: boolean;
  /** Who counts closed trades, as the setting says it. */
  countOutcomes: readonly string[];
  residence: Residence;
  /** Databases that are not to be opened, and why: their logs were cut off. */
  cutLogs: ReadonlyMap<string, string>;
  /**
   * The folder of the databases by device and inode, as the server found or made it; undefined
   * where they are elsewhere.
   */
  folder: string | undefined;
  /** Bytes of answers that clients have not taken yet; see `Unsent`. */
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
    }
  /** The client that asked for the call of this number has gone. It is not answered. */
  | { kind: "cancel"; id: number }
  /** What no client asks for. */
  | { kind: "task"; id: number; agent: string; task: ServerTask; given: unknown }
  /** Opens an agent before it is asked anything. */
  | { kind: "open"; id: number; agent: string }
  /** Deletes an agent with all its files. */
  | { kind: "delete"; id: number; agent: string }
  /** Lists agents, whichever thread they live in. */
  | { kind: "list"; id: number; page: AgentsPage }
  /** Counts what is open in the thread. */
  | { kind: "measure"; id: number }
  /** Does periodic work where it is due; `interval` is in milliseconds. */
  | { kind: "turn"; id: number; agent: string; task: TaskName; interval: number }
  /** Flushes and closes everything. */
  | { kind: "close"; id: number };

/** A failure as it is logged: no value of a request is in it. */
export interface Failure {
  name: string;
  code?: string | undefined;
  message: string;
}

export type FromWorker =
  /** The answer as JSON: it goes out as it is. */
  | { kind: "answer"; id: number; json: string }
  | { kind: "refusal"; id: number; status: number; message: string; issues: readonly Issue[] }
  /** The embedding of the question is of another model than those of the memories. */
  | { kind: "other model"; id: number; inUse: EmbeddingModel }
  | { kind: "failure"; id: number; failure: Failure }
  | {
      kind: "log";
      level: "info" | "warn" | "error";
      agent: string;
      what: string;
      figures: Record<string, unknown>;
    };
