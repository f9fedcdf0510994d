// One agent: a database, an index, and all that can be asked of them. Everything is synchronous, so that nothing comes between a
// commit and its being applied.

import { createEngine, type Engine, type EngineConfig, getInitialEdgeStrength, NousError } from "nous-wasm";
import type {
  EdgesRequest,
  Graph,
  Health,
  ListRequest,
  NewEdgeRequest,
  NewNodeRequest,
  NodeChangesRequest,
  SearchAnswer,
  SearchRequest,
  SweepAnswer,
} from "../api/schemas.ts";
import { newId } from "../ids.ts";
import type { NodeChanges } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import { normaliseTime, parseInstant, toIso } from "../time.ts";
import { difficultyOfNew } from "./difficulty.ts";
import { notFound, Refusal, wrong } from "./errors.ts";
import { Follower, type NameKind, type Tell } from "./follower.ts";
import { isState } from "./index-rows.ts";
import { type Edge, fadedNow, type Node, presentEdge, presentNode } from "./presenting.ts";
import { search, statesOf } from "./search.ts";
import { SoftState } from "./soft.ts";

const DAY = 86_400_000;
/** A sweep so long after the last one tells of a wrong clock rather than of a long sleep. */
const MOST_DAYS_BETWEEN_SWEEPS = 400;
/** And so does one that would archive more than this share of all memories. */
const MOST_ARCHIVED = 0.5;

const SOURCE = "agent";

export interface AgentOptions {
  config?: EngineConfig;
  tell?: Tell;
  /** The clock, in milliseconds since 1970. */
  clock?: () => number;
}

export interface SweepRequest {
  force: boolean;
}

export class Agent {
  readonly #storage: Storage;
  readonly #follower: Follower;
  readonly #soft = new SoftState();
  readonly #engine: Engine;
  readonly #config: EngineConfig;
  readonly #tell: Tell;
  readonly #clock: () => number;

  constructor(storage: Storage, { config = {}, tell = () => {}, clock = Date.now }: AgentOptions = {}) {
    this.#storage = storage;
    this.#config = config;
    this.#tell = tell;
    this.#clock = clock;
    this.#engine = createEngine(config);
    this.#follower = new Follower(storage, this.#soft, config, tell);
  }

  /** Loads the index, so that the first request does not wait for it. */
  open(): void {
    this.#follower.follow();
  }

  /** Does something on an index that knows all that is committed. An index that was lost is made anew, once. */
  #on<T>(work: () => T): T {
    this.#follower.follow();
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NousError) || error.code !== "instance_lost") throw error;
      this.#tell("The index was lost, and is built anew", { why: error.message });
      this.#follower.forget();
      this.#follower.follow();
      return work();
    }
  }

  // ---- memories -----------------------------------------------------------------------------------

  createNode(request: NewNodeRequest): Node {
    const now = toIso(this.#clock());
    const { type, content_title, subtype = null, content_body = null } = request;
    const row = this.#follower.write(
      () => {
        this.#checkNames({ type, subtype });
        return this.#storage.insertNode({
          id: newId("n"),
          type,
          subtype,
          content_title,
          content_summary: request.content_summary ?? null,
          content_body,
          neural_stability: request.neural_stability ?? this.#engine.getInitialStabilityForSubtype(subtype),
          neural_retrievability: 1,
          neural_difficulty: difficultyOfNew(type, subtype, content_body),
          neural_access_count: 0,
          neural_last_accessed: null,
          state_lifecycle: "ACTIVE",
          provenance_source: SOURCE,
          provenance_created_at: now,
          layer: layerOf(type),
          version: 1,
          last_modified: now,
          created_at: now,
          embedding_model: request.embedding_model ?? null,
          embedding_vector: this.#vectorBytes(request.embedding ?? null),
          temporal_event_time: request.temporal_event_time ?? null,
          temporal_event_confidence: request.temporal_event_confidence ?? null,
          temporal_event_source: request.temporal_event_source ?? null,
        });
      },
      ({ id }) => this.#follower.takeNodes([id]),
    );
    return this.#present(row);
  }

  /** A read; a recall, unless it is said not to be one. */
  readNode({ id, recall }: { id: string; recall: boolean }): Node {
    return this.#on(() => {
      const row = this.#storage.node(id);
      if (row === undefined) throw notFound();
      const now = this.#clock();
      const { index } = this.#follower;
      if (recall) {
        if (index.recall([id], now) > 0) this.#soft.recalled(id, now);
        return this.#present(row);
      }
      const [faded] = fadedNow([id], index, this.#engine, now);
      return { ...this.#present(row), ...(faded && fadedFields(faded)) };
    });
  }

  listNodes(request: ListRequest): { data: Node[]; count: number } {
    return this.#on(() => {
      const { limit, lifecycle, ...filter } = request;
      const now = this.#clock();
      const { index } = this.#follower;
      if (lifecycle !== undefined) this.flush();
      const states = lifecycle === undefined ? undefined : statesOf(index, lifecycle, now).stored;
      const rows = this.#storage.listNodes({ ...filter, lifecycle: states }, limit);
      const faded = fadedNow(
        rows.map(({ id }) => id),
        index,
        this.#engine,
        now,
      );
      const data = rows.map((row, place) => {
        const now = faded[place];
        return { ...this.#present(row), ...(now && fadedFields(now)) };
      });
      return { data, count: data.length };
    });
  }

  updateNode({ id, changes }: { id: string; changes: NodeChangesRequest }): Node {
    const row = this.#follower.write(
      () => {
        const { type, subtype = null } = changes;
        this.#checkNames({ type: type ?? null, subtype });
        // What a recall changed comes first, so that it does not undo this later.
        this.#storage.writeSoft(this.#soft.changes(this.#follower.index, [id]));
        const updated = this.#storage.updateNode(id, this.#changesOf(changes));
        if (updated === undefined) throw notFound();
        return updated;
      },
      () => {
        this.#soft.forget([id]);
        this.#follower.takeNodes([id]);
      },
    );
    return this.#present(row);
  }

  #changesOf({ embedding, ...fields }: NodeChangesRequest): NodeChanges {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return {
      ...given,
      ...(fields.type === undefined ? {} : { layer: layerOf(fields.type) }),
      ...(embedding === undefined ? {} : { embedding_vector: this.#vectorBytes(embedding) }),
      last_modified: toIso(this.#clock()),
    };
  }

  deleteNode({ id }: { id: string }): { ok: true } {
    this.#follower.write(
      () => {
        if (!this.#storage.deleteNode(id)) throw notFound();
      },
      () => {
        this.#soft.forget([id]);
        this.#follower.index.remove([id]);
      },
    );
    return { ok: true };
  }

  // ---- edges --------------------------------------------------------------------------------------

  createEdge(request: NewEdgeRequest): Edge {
    const { source_id, target_id, type, subtype = null } = request;
    const row = this.#follower.write(
      () => {
        const missing = (["source_id", "target_id"] as const).filter((end) => !this.#storage.node(request[end]));
        if (missing.length > 0) {
          const issues = missing.map((path) => ({ path, message: "there is no memory with this id" }));
          throw new Refusal(404, "not found", issues);
        }
        this.#checkNames({ "edge type": type });
        const strength = request.strength ?? getInitialEdgeStrength(type);
        return this.#storage.insertEdge({
          id: newId("e"),
          type,
          subtype,
          source_id,
          target_id,
          neural_weight: request.neural_weight ?? strength,
          strength,
          confidence: request.confidence ?? 1,
          created_at: toIso(this.#clock()),
        });
      },
      (edge) => this.#follower.takeEdges([edge]),
    );
    return presentEdge(row);
  }

  listEdges({ node_id, direction }: EdgesRequest): { data: Edge[]; count: number } {
    const data = this.#storage.edgesOf(node_id, direction).map(presentEdge);
    return { data, count: data.length };
  }

  strengthenEdge({ id, amount }: { id: string; amount: number }): Edge {
    const row = this.#follower.write(
      () => {
        const edge = this.#storage.strengthenEdge(id, amount);
        if (edge === undefined) throw notFound();
        return edge;
      },
      (edge) => this.#follower.takeEdges([edge]),
    );
    return presentEdge(row);
  }

  deleteEdge({ id }: { id: string }): { ok: true } {
    this.#follower.write(
      () => {
        if (!this.#storage.deleteEdge(id)) throw notFound();
      },
      () => this.#follower.index.unlink([id]),
    );
    return { ok: true };
  }

  // ---- the whole ----------------------------------------------------------------------------------

  /** Counts an access of what it returns. */
  search(request: SearchRequest): SearchAnswer {
    if (request.lifecycle != null) this.flush();
    return this.#on(() => {
      const now = this.#clock();
      const searching = { follower: this.#follower, engine: this.#engine, config: this.#config, now };
      const answer = search(searching, request);
      const ids = answer.data.map(({ id }) => id);
      this.#follower.index.touch(ids, now);
      this.#soft.touched(ids, now);
      return answer;
    });
  }

  /**
   * Looks at every memory and stores what time did.
   *
   * @throws {Refusal} when the clock looks wrong, unless it is forced: a wrong one must not bury a memory.
   */
  sweep({ force }: SweepRequest): SweepAnswer {
    return this.#on(() => {
      const now = this.#clock();
      const { index } = this.#follower;
      const sweep = index.decay(now);
      const archived = sweep.transitions.filter(({ to }) => to === "ARCHIVE").length;
      if (!force) this.#checkClock(now, archived, index.size);
      index.applyDecay(sweep.changes);
      this.#soft.faded(sweep.changes.ids);
      this.#storage.setMeta("last_sweep", toIso(now));
      const { processed, transitions } = sweep;
      return { ok: true, processed, transitions_count: transitions.length, transitions };
    });
  }

  #checkClock(now: number, archived: number, size: number): void {
    const last = parseInstant(this.#storage.meta("last_sweep") ?? "");
    const days = last === undefined ? 0 : Math.floor((now - last) / DAY);
    const doubts = [
      ...(days > MOST_DAYS_BETWEEN_SWEEPS ? [`the last sweep was ${days} days ago`] : []),
      ...(archived > size * MOST_ARCHIVED ? [`${archived} of ${size} memories would be archived`] : []),
    ];
    if (doubts.length === 0) return;
    throw new Refusal(409, `${doubts.join(", and ")}: if the clock is right, send {"force": true}`);
  }

  graph(): Graph {
    return this.#on(() => {
      const stored = this.#storage.graphNodes();
      const { index } = this.#follower;
      const faded = fadedNow(
        stored.map(({ id }) => id),
        index,
        this.#engine,
        this.#clock(),
      );
      const nodes = stored.flatMap((row, place) => {
        const live = index.get(row.id);
        const now = faded[place];
        if (live === undefined || now === undefined) return [];
        const created_at = normaliseTime(row.created_at);
        return [{ ...row, ...now, access_count: live.access_count, created_at }];
      });
      const edges = [...this.#storage.edges()].flat().map((edge) => ({
        id: edge.id,
        source: edge.source_id,
        target: edge.target_id,
        type: edge.type,
        strength: edge.strength,
      }));
      const clusters = this.#storage.clusters().map((cluster) => ({
        ...cluster,
        pinned: cluster.pinned === 1,
        auto_subtypes: namesOf(cluster.auto_subtypes),
        created_at: normaliseTime(cluster.created_at),
      }));
      const memberships = this.#storage.memberships().map((membership) => ({
        ...membership,
        pinned: membership.pinned === 1,
        updated_at: normaliseTime(membership.updated_at),
      }));
      return { nodes, edges, clusters, memberships, count: { nodes: nodes.length, edges: edges.length } };
    });
  }

  health(): Health {
    return this.#on(() => {
      this.flush();
      const { index } = this.#follower;
      const lifecycle = new Map<string, number>();
      const add = (state: string, count: number) => lifecycle.set(state, (lifecycle.get(state) ?? 0) + count);
      for (const { state, count } of this.#storage.countStates()) add(isState(state) ? state : "ACTIVE", count);
      for (const { from, to } of index.transitions(this.#clock())) {
        add(from, -1);
        add(to, 1);
      }
      const there = [...lifecycle].filter(([, count]) => count > 0);
      return {
        status: "ok",
        node_count: index.size,
        edge_count: index.edgeCount,
        lifecycle: Object.fromEntries(there) as Health["lifecycle"],
      };
    });
  }

  // ---- soft state ---------------------------------------------------------------------------------

  /** Whether recalls or sweeps are ahead of the database. */
  get isAhead(): boolean {
    return this.#soft.size > 0;
  }

  /** Writes what recalls and sweeps changed. */
  flush(): void {
    if (!this.isAhead) return;
    this.#follower.write(
      () => {
        this.#storage.writeSoft(this.#soft.changes(this.#follower.index));
      },
      () => this.#soft.forget(),
    );
  }

  close(): void {
    this.flush();
    this.#follower.forget();
    this.#storage.close();
  }

  // ---- parts --------------------------------------------------------------------------------------

  #present(row: Parameters<typeof presentNode>[0]): Node {
    return presentNode(row, this.#follower.index, this.#soft);
  }

  /** A vector as it is stored; the first one decides how long they are. */
  #vectorBytes(embedding: readonly number[] | null): Uint8Array | null {
    if (embedding === null) return null;
    const { dimensions } = this.#follower;
    if (dimensions !== 0 && embedding.length !== dimensions) {
      throw wrong("embedding", `must have ${dimensions} components, as the others, found ${embedding.length}`);
    }
    return Buffer.from(Float32Array.from(embedding).buffer);
  }

  #checkNames(names: Partial<Record<NameKind, string | null>>): void {
    for (const [kind, name] of Object.entries(names) as [NameKind, string | null][]) {
      if (!this.#follower.isFull(kind, name)) continue;
      const path = kind === "edge type" ? "type" : kind;
      throw wrong(path, `would be one ${kind} more than an agent can have`);
    }
  }
}

const layerOf = (type: string): string => (type === "episode" ? "episode" : "semantic");

const fadedFields = ({
  retrievability,
  lifecycle,
}: {
  retrievability: number;
  lifecycle: Node["state_lifecycle"];
}) => ({
  neural_retrievability: retrievability,
  state_lifecycle: lifecycle,
});

/** The subtypes that a cluster takes in by itself, from JSON that somebody else may have written. */
function namesOf(json: string | null): string[] {
  try {
    const names: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
