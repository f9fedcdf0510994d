// What an agent decides in another way if it takes on the behaviour of another server. The folder
// `compat` has a behaviour for each compatibility mode; default-behaviour.ts has this server's own.

import type { Correction, EngineYaml, Faded, Preset } from "nous-memory";
import type { Engine, MemoryIndex, StoredMemoryNode, Sweep, TextIndex } from "nous-wasm";
import type { RankedBy } from "../settings/choices.ts";
import type { ConflictRow, NodeRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { SoftState } from "./replica/soft-state.ts";

/** The parts of an agent that a behaviour reads. */
export interface Memory {
  readonly storage: Storage;
  readonly index: MemoryIndex;
  readonly texts: TextIndex;
  readonly engine: Engine;
  readonly soft: SoftState;
  readonly ranking: RankedBy;
  /** Returns the time of the agent's clock, in milliseconds since 1970. */
  now(): number;
}

/** The texts of a new memory. */
export interface NewTexts {
  title: string;
  summary: string | null;
  body: string | null;
}

/** The memories that a new memory may correct, found before the new one was stored. */
export interface Contradiction {
  correction: Correction;
  alike: NodeRow[];
}

export interface Behaviour {
  /** Returns the engine's configuration for a preset. `given` is that of the settings. */
  engineConfig(preset: Preset, given: EngineYaml): EngineYaml;
  /** Whether searches read SQLite's own full text. */
  readonly readsSqliteTexts: boolean;

  /** Returns the subtype of a new memory. A request without `subtype` names none. */
  subtypeOfNew(
    preset: Preset,
    request: { type: string; subtype?: string | null | undefined },
  ): string | null;
  /** Returns the difficulty of a new memory, in [0, 1]. */
  difficultyOfNew(type: string, subtype: string | null, body: string | null): number;
  /** Returns when a memory that is stored `now` counts as accessed last; null for never. */
  lastAccessOfNew(now: string): string | null;
  /** Whether a memory keeps its vector until that of its changed text is made. */
  readonly keepsOldVectors: boolean;
  /** Whether a change of a memory's type changes its layer. */
  readonly layerFollowsType: boolean;
  /** Returns the stored time of an event in the form of answers. */
  eventTimeOf(stored: string | null): string | null;

  /**
   * Returns retrievability and state of memories of the index as answers show them at `now`;
   * undefined for a memory that is not in the index.
   */
  faded(
    nodes: readonly (StoredMemoryNode | undefined)[],
    engine: Engine,
    now: number,
  ): (Faded | undefined)[];
  /** Runs after the index has counted a recall of a memory. */
  afterRecall(memory: Memory, id: string): void;
  /** Returns what a sweep at `now` stores. */
  sweep(memory: Memory, now: number): Sweep;
  /** Returns the changes of state that counts of states include though no sweep has stored them. */
  dueTransitions(memory: Memory): ReturnType<MemoryIndex["transitions"]>;

  /** Returns what a new memory corrects; undefined if it has no marker of a correction. */
  contradictionIn(memory: Memory, texts: NewTexts): Contradiction | undefined;
  /** Returns how a conflict of a new memory is stored. `row` is that of the new memory. */
  conflictOf(
    row: NodeRow,
    correction: Correction,
  ): Pick<ConflictRow, "new_content" | "conflict_type" | "context">;
  /** Whether new memories are compared with older ones that they may replace. */
  readonly comparesNew: boolean;
  /** Whether a conflict that is queued drops those that have expired. */
  readonly dropsExpiredConflicts: boolean;
  /** Runs within the transaction that deletes a memory, before the deletion. */
  beforeDeletion(storage: Storage, id: string): void;

  /** The stored source of a new cluster. */
  readonly sourceOfClusters: string;
  /** Returns the stored form of the subtypes that a cluster takes. */
  subtypesOfCluster(subtypes: readonly string[] | null | undefined): string | null;
  /** Whether a memory joins the clusters that take its subtype. */
  readonly joinsClusters: boolean;

  /** Whether consolidation makes lessons of trades. */
  learnsFromTrades(preset: Preset): boolean;
}
