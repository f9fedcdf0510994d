// What a store of one agent's memories can do. Everything is synchronous: between a commit and its
// being applied to the index nothing else may happen.

import type { StoredLifecycleState } from "nous-wasm";
import type { Steps } from "../steps.ts";
import type { EmbeddingTables } from "./embeddings.ts";
import type {
  Bytes,
  ClusterChanges,
  ClusterRow,
  ConflictRow,
  EdgeRow,
  IndexedNodeRow,
  MembershipRow,
  NewCluster,
  NewConflict,
  NewEdge,
  NewMembership,
  NewNode,
  NodeChanges,
  NodeRow,
  SoftRow,
  TextRow,
  UsageRow,
} from "./rows.ts";

/** Which memories a list or a search may give. Times are ISO 8601 in UTC, bounds inclusive. */
export interface NodeFilter {
  type?: string | undefined;
  subtype?: string | undefined;
  /** One of which it has to have; null is none. */
  subtypes?: readonly (string | null)[] | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** Bounds on when what it tells of happened, when it was taken in, or either. */
  time_range?:
    | { by: "event" | "ingestion" | "any"; start?: string | undefined; end?: string | undefined }
    | undefined;
  /** Ids of clusters, in one of which it has to be. */
  cluster_ids?: readonly string[] | undefined;
  lifecycle?: LifecycleFilter | undefined;
}

/** The stored state, but for those whose state is about to change. */
export interface LifecycleFilter {
  state: StoredLifecycleState;
  /** Stored with the state, and about to leave it. */
  leaving: readonly string[];
  /** Stored with another, and about to come to it. */
  arriving: readonly string[];
}

/** A part of a list in the order of sequence numbers; all of it where neither is given. */
export interface Page {
  /** The sequence number of the last row before it. */
  after?: number | undefined;
  limit?: number | undefined;
  room?: ReadRoom | undefined;
}

/** Room for the texts of rows: those that it does not take are not read. */
export interface ReadRoom {
  /**
   * How many of the first of some rows are to be read, by the bytes that the texts of each take.
   */
  fitting(octets: readonly number[]): number;
}

/** Which conflicts a list gives. `now` is ISO. */
export interface ConflictFilter {
  status: "pending" | "resolved";
  now: string;
  /** The sequence number of the last row of the page before. */
  before?: number | undefined;
  limit: number;
  room?: ReadRoom | undefined;
}

/** The queue of conflicts. Times are ISO. */
export interface Conflicts {
  insert(conflict: NewConflict): ConflictRow;
  /** One that is pending, has not expired, and whose memories are there. */
  open(id: string, now: string): ConflictRow | undefined;
  isResolved(id: string): boolean;
  /** One in whatever status, expired or not, whose old memory is there. */
  find(id: string): ConflictRow | undefined;
  /**
   * Those of a status, expired or not, oldest first, whose old memory is there, as many as there is
   * room for.
   */
  all(status: string, room: ReadRoom): ConflictRow[];
  /** Newest first; of the pending ones those that are open. */
  list(filter: ConflictFilter): ConflictRow[];
  resolve(id: string, resolution: string, now: string): void;
  /**
   * Unties pending ones that hold a text from the new memory that said it: they stay when it is
   * deleted.
   */
  untie(newNodeId: string): void;
  /** Forgets those of a memory. */
  removeOf(nodeId: string): void;
  /** Forgets pending ones whose time is over, and was over when another one was queued. */
  removeExpired(now: string): void;
}

/** What a request with a key of its caller's made, so that the same request again makes nothing. */
export interface Retry {
  key: string;
  /** A hash of what was asked. */
  request: string;
  /** JSON without any text of a memory. */
  made: string;
  /** ISO. */
  created_at: string;
}

/** Requests that were made with a key. */
export interface Retries {
  /** One that is not older than `since`, in ISO. */
  find(key: string, since: string): Retry | undefined;
  /** Remembers one, and forgets what is older than `since` once another one is not. */
  put(retry: Retry, since: string): void;
}

/** An entry of the change log: what became different, and not how. */
export interface Change {
  /** Rises with every change, and is never used again. */
  sequence: number;
  /** `soft`: nothing became different but soft state. */
  entity: "node" | "edge" | "soft";
  /** Of the rows: of one, or of several whose soft state was flushed. */
  ids: readonly string[];
}

/** What recalls and sweeps came to since the last flush. */
export interface SoftChange {
  id: string;
  /** Accesses to add. */
  accesses: number;
  /**
   * ISO; the later of this and the stored one stays, unless that lies ahead of the clock. Null
   * leaves it.
   */
  last_accessed: string | null;
  /** Days; null leaves it. */
  stability: number | null;
  /** Null leaves it. */
  retrievability: number | null;
  /** Null leaves it. */
  lifecycle: StoredLifecycleState | null;
}

/** What a memory or an edge is called by; each kind of name is bounded. */
export type NameKind = "type" | "subtype" | "edge type";

/**
 * What is carried from one store to another, in this order: what is named stands before what names
 * it.
 */
export const PORTABLE_KINDS = [
  "node",
  "outcome",
  "cluster",
  "membership",
  "conflict",
  "edge",
] as const;
export type PortableKind = (typeof PORTABLE_KINDS)[number];
/**
 * A row with all its columns, by their names; a memory's with the figures that it came with,
 * `signals`, as JSON.
 */
export type PortableRow = Readonly<Record<string, string | number | Bytes | null>>;
/** A place in the list of memories, newest first. */
export interface NodePlace {
  /** When it was made, in ISO; null where that cannot be read, after all others. */
  listed_at: string | null;
  sequence: number;
}

/** A memory as a graph shows it. */
export interface GraphNode {
  sequence: number;
  id: string;
  type: string;
  subtype: string | null;
  title: string;
  summary: string | null;
  created_at: string | null;
}

/** What is known of a store as a whole. `epoch` is random, and another one after a restore. */
export type MetaKey =
  | "schema"
  | "epoch"
  | "agent"
  | "last_sweep"
  | "dimensions"
  | "embedding_model"
  | "next_embedding_model";

export interface Storage {
  /** Whether the database is kept by somebody else, so that nothing can be done with its files. */
  readonly isRemote: boolean;
  /** Names this connection in the change log. */
  readonly writer: string;
  /** Vectors that are still to be made. */
  readonly embeddings: EmbeddingTables;
  readonly conflicts: Conflicts;
  readonly retries: Retries;

  meta(key: MetaKey): string | undefined;
  setMeta(key: MetaKey, value: string): void;

  /**
   * One transaction, begun as a writer: nobody else writes until it has ended. What throws undoes
   * it. `patience` is how long another writer is waited for, in milliseconds.
   */
  transaction<T>(work: () => T, patience?: number): T;
  /**
   * The same, open over the pauses of `work`. Nothing else may use this store meanwhile, and other
   * programs wait to write for as long as it is open.
   */
  transactionInSteps<T>(work: () => Steps<T>, patience?: number): Steps<T>;
  /**
   * To be asked after a write, before it is acknowledged: what is written to files that nobody
   * finds again is lost.
   *
   * @throws {MovedError} where the files that are open are not those at their place.
   */
  checkPlace(): void;
  /** What `work` reads is of one moment, whatever others write meanwhile. */
  snapshot<T>(work: () => T): T;
  /** The same, over the pauses of `work`. Nothing else may use this store meanwhile. */
  snapshotInSteps<T>(work: () => Steps<T>): Steps<T>;

  /** One that was deleted under the same id goes on: the version is counted from its last one. */
  insertNode(node: NewNode): void;
  /** Raises the version by one. Undefined where there is no such memory. */
  updateNode(id: string, changes: NodeChanges): NodeRow | undefined;
  /** Its edges and memberships go with it. Whether it was there. */
  deleteNode(id: string): boolean;
  node(id: string): NodeRow | undefined;
  /** Those that are there, in no order. */
  nodes(ids: readonly string[]): NodeRow[];
  /** Bytes that the texts of memories take, by their ids. */
  octets(ids: readonly string[]): Map<string, number>;
  /** Those that pass, in no order. */
  passing(ids: readonly string[], filter: NodeFilter): string[];
  /** All that pass, in no order; undefined where a filter asks for nothing. */
  matching(filter: NodeFilter): string[] | undefined;
  /** Newest first. */
  listNodes(filter: NodeFilter, limit: number, after?: NodePlace, room?: ReadRoom): NodeRow[];
  /** Where a memory stands in that list. */
  placeOf(sequence: number): NodePlace;
  /** Memories whose title or body is like an SQL pattern, newest first. */
  nodesLike(pattern: string, limit: number): NodeRow[];
  /** The subtypes that there are; null is none, and always among them. */
  subtypes(): (string | null)[];
  /** All memories of these subtypes, in order. */
  nodesOfSubtypes(subtypes: readonly string[]): NodeRow[];
  /** Their texts alone. */
  textsOfSubtypes(subtypes: readonly string[]): TextRow[];
  /** How many there are in each stored state, but for these. */
  countStates(except: readonly string[]): { state: string; count: number }[];
  /** All memories in order, without their bodies. */
  graphNodes(page?: Page): GraphNode[];
  /** All memories in order, in batches, or those of these ids, as the index needs them. */
  indexedNodes(ids?: readonly string[]): Iterable<IndexedNodeRow[]>;
  /** The texts of all memories in order, in batches. */
  texts(): Iterable<TextRow[]>;
  /**
   * What SQLite's full text finds, best first: memories with their ranks, which are below 0.
   * Nothing for a query that it cannot read.
   */
  fullText(match: string, limit: number): { id: string; rank: number }[];
  /**
   * Memories with a text that holds what a pattern of LIKE stands for, newest first; the state is
   * the stored one.
   */
  containing(
    pattern: string,
    conditions: {
      type?: string | undefined;
      subtype?: string | undefined;
      lifecycle?: string | undefined;
    },
    limit: number,
  ): NodeRow[];
  /** Soft state of those that are there, in no order. */
  softNodes(ids: readonly string[]): SoftRow[];
  /**
   * Components of a vector: as the store was told, else those that most vectors have; 0 where there
   * is none.
   */
  dimensions(): number;
  /** Whether there is a vector of so many components. */
  hasVectors(dimensions: number): boolean;
  /** All names of a kind that are in use, each once. */
  names(kind: NameKind): string[];

  insertEdge(edge: NewEdge): EdgeRow;
  deleteEdge(id: string): boolean;
  /** Adds to the strength, up to 1. */
  strengthenEdge(id: string, amount: number): EdgeRow | undefined;
  /** Sets strength and weight. */
  setEdgeStrength(id: string, strength: number): EdgeRow | undefined;
  /**
   * Ids of the edges between two different memories of one group that are not as strong as they can
   * be.
   */
  edgesWithin(groups: readonly (readonly string[])[]): string[];
  /** Adds to the strength of each, up to 1. */
  strengthenEdges(ids: readonly string[], amount: number): void;
  /** All edges of these types, in order. */
  edgesOfTypes(types: readonly string[]): EdgeRow[];

  /** The uses of a prompt, as they were recorded. */
  usageOfContext(contextId: string): UsageRow[];
  /** The uses of these memories, the oldest first. */
  usageOf(memoryIds: readonly string[]): UsageRow[];
  /**
   * Records uses, and forgets those from before `since`, in ISO, once others are not from before
   * it; and the oldest of all but so many.
   */
  addUsage(uses: readonly UsageRow[], most: number, since: string): void;

  /** Figures that memories came with, as JSON by their ids. */
  signals(nodeIds: readonly string[]): Map<string, string>;
  addSignals(nodeId: string, json: string): void;
  /** Ids of memories of a subtype from which edges of these types lead to a memory, in order. */
  tiedTo(nodeId: string, types: readonly string[], subtype: string): string[];
  /**
   * Edges of a type to a trade from memories of a subtype for which it has not been counted, in
   * order.
   */
  uncountedEdges(
    entryId: string,
    type: string,
    subtype: string,
  ): Pick<EdgeRow, "id" | "source_id">[];
  /** Whether a trade has been counted for a playbook. */
  hasOutcome(playbookId: string, entryId: string): boolean;
  addOutcome(playbookId: string, entryId: string, profitable: boolean, at: string): void;
  /**
   * Marks the first trade with this end that was counted for a playbook since a time, in ISO, and
   * that no client has counted, as counted by the client, too. Returns whether there was one.
   */
  takeOutcome(playbookId: string, profitable: boolean, since: string): boolean;

  /**
   * Takes periodic work over, for `lease` milliseconds at most; whether it is due, `after` so many
   * milliseconds since it was last done, and nobody else is at it.
   */
  takeTask(name: string, now: number, after: number, lease: number): boolean;
  /**
   * Gives it back, where it is still this writer's. `done` is when it was done; null where it was
   * not.
   */
  leaveTask(name: string, done: number | null): void;
  edgesOf(nodeId: string, direction: "in" | "out" | "both", page?: Page): EdgeRow[];
  /** Edges in order. */
  listEdges(page?: Page): EdgeRow[];
  /** All edges in order, in batches, or those of these ids. */
  edges(ids?: readonly string[]): Iterable<EdgeRow[]>;

  insertCluster(cluster: NewCluster): ClusterRow;
  updateCluster(id: string, changes: ClusterChanges): ClusterRow | undefined;
  /** Its memberships go with it. Whether it was there. */
  deleteCluster(id: string): boolean;
  cluster(id: string): ClusterRow | undefined;
  clusters(page?: Page): ClusterRow[];
  /** Ids of the clusters that take in memories of a subtype by themselves, in order. */
  clustersTaking(subtype: string): readonly string[];
  /**
   * How many memories are in each of these clusters, by their ids. A cluster without members is not
   * in the map.
   */
  countMembers(clusterIds: readonly string[]): Map<string, number>;
  /** Puts a memory into a cluster, or changes how it is in it. */
  putMember(membership: NewMembership): MembershipRow;
  isMember(clusterId: string, nodeId: string): boolean;
  deleteMember(clusterId: string, nodeId: string): boolean;
  /** Of memories that are there. */
  members(clusterId: string, page?: Page): MembershipRow[];
  memberships(page?: Page): MembershipRow[];

  /** How many rows of all portable kinds there are. */
  rows(): number;
  /** All rows of a kind in order, in batches. One that names what is not there is left out. */
  portable(kind: PortableKind): Iterable<PortableRow[]>;
  /** The column in which a row names what is not there; undefined where everything is. */
  lacking(kind: PortableKind, row: PortableRow): string | undefined;
  /**
   * The row that has the same key, as far as it tells when it was last changed; undefined where
   * there is none.
   */
  changedAt(kind: PortableKind, row: PortableRow): { at: string | null } | undefined;
  /** Writes a row as it is, over one with the same key. */
  put(kind: PortableKind, row: PortableRow): void;
  /** From now on to the end of the transaction edges may be written before their ends. */
  deferEnds(): void;
  /** Ids of edges that lack an end. */
  dangling(): string[];

  /** Differs from its last answer when somebody else has committed. */
  version(): number;
  /** The first and the last entry of the change log; 0 and the last ever where it is empty. */
  changeRange(): { first: number; last: number };
  /** What others changed after an entry, in order. */
  changesSince(sequence: number): Change[];
  /**
   * Marks what this transaction changed after an entry as this writer's; the answer is that, in
   * order.
   */
  claimChanges(after: number): Change[];
  /**
   * Sums memories as this transaction leaves them, so that a check finds what changes on the disk.
   */
  seal(ids: readonly string[]): void;
  /** Forgets entries up to one. */
  trimChanges(upTo: number): void;

  /** The last opening that has written; undefined before the first. */
  lastOpening(): string | undefined;
  /**
   * Whether what was known in an opening, at an entry of the change log, is of the history of this
   * database.
   */
  isOfHistory(opening: string, sequence: number): boolean;

  /**
   * Within a transaction. It is logged as soft. A stored access after `latest`, in ISO, gives way
   * to any other.
   */
  writeSoft(changes: readonly SoftChange[], latest: string): void;

  /**
   * Within the transaction that deletes it: a memory of which nothing may be left, once `scrub` is
   * done.
   */
  beginPurge(nodeId: string): void;
  /** Memories of which that was begun, and is not done. */
  purgesBegun(): string[];
  /**
   * Writes the whole database anew, so that nothing of what was deleted is left in it or beside it;
   * what else was kept about a memory, and about those whose purge was begun, goes, too. Not within
   * a transaction.
   */
  scrub(nodeId: string): void;

  /** What is wrong with the database, in words; empty where nothing is. */
  check(): string[];
  /**
   * Rows that name what is not there, in words. Nobody sees them, so that a store with some is
   * sound enough to be taken in.
   */
  loose(): string[];
  /**
   * Whether anything was written by this store since it was opened, soft state and its own tables
   * among it.
   */
  readonly hasChanged: boolean;

  close(): void;
}
