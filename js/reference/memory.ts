// A resident memory: nodes and edges in Maps, with searching, ranking, recall and decay over them.
// Its rules, in full. Plain on purpose: this is the yardstick of the parity tests. Input is taken
// as valid.

import type {
  Answer,
  AskOptions,
  Bm25Hit,
  DecayChanges,
  EmbeddingScale,
  EvidenceMatrix,
  Feedback,
  Instant as InstantGiven,
  Learned,
  LearningStep,
  Linked,
  MemoryEdge,
  MemoryIndexOptions,
  MemoryNode,
  RankedEntry,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchFilters as SearchFiltersGiven,
  SearchQuery as SearchQueryGiven,
  SearchResult as SearchResultGiven,
  Similar,
  SimilarOptions,
  StoredMemoryEdge,
  StoredMemoryNode,
  Strengthened,
  Sweep,
  Transition,
  Why,
} from "nous-wasm";
import { offsetIn } from "nous-wasm";
import { DECAY_LIFECYCLE_STATES } from "./decay.ts";
import { spreadOut } from "./diversity.ts";
import {
  type AskedMemory,
  type CollectedEvidence,
  collectEvidence,
  EVIDENCE,
  EvidenceTexts,
  type Fit,
  type Fits,
  fittedCosine,
  fitWith,
  learn,
  NOTHING_LEARNED,
  type Placed,
  ranked,
  reasons,
  replacementsOf,
  type Supersession,
  TRAITS,
  type Values,
  weighsTraits,
} from "./evidence.ts";
import { type EvidencePreset, fitted } from "./evidence-weights.ts";
import { classifyIntent } from "./intent.ts";
import { rerankTop } from "./rerank.ts";
import {
  edgePasses,
  getInitialEdgeStrength,
  isGuess,
  LIKELY,
  type Memory,
  nodePasses,
  normalise,
  POSSIBLE,
  prepareMemory,
  type Quantised,
  quantise,
  SEARCH_DEFAULTS,
  type SearchConfig,
  type SearchFilters,
  type SearchNode,
  search,
  similar,
  spread,
  type Vectors,
} from "./search.ts";
import {
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  SECTION_PROFILES,
} from "./sections.ts";
import { affinityScore, days, recencyScore, toMs } from "./signals.ts";
import { recall, type StoredLifecycleState, type StoredNode, sweep } from "./sweep.ts";

// ---- stored data --------------------------------------------------------------------------------

interface KeptNode extends SearchNode {
  subtype: string | null;
  created_at: number;
  last_accessed: number;
  stability: number;
  retrievability: number;
  difficulty: number;
  salience: number;
  lifecycle: StoredLifecycleState;
  tags: string[];
  clusters: string[];
  /** The row's numbers; a search only checks whether the row has any. */
  embedding: ArrayLike<number> | null;
  row: Float32Array | Quantised | null;
  sequence: number;
}

const MAX_ACCESSES = 2 ** 32 - 1;
const NEUTRAL_SALIENCE = 0.5;
const DEFAULT_LIMIT = 20;
const DEFAULT_ANSWERS = 10;
/** The memories from which activation starts when a question is asked. */
const MIN_SEED = 0.2;
const SEEDS_OF_QUESTION = 15;
const MAX_ACTIVATION = 1e6;

/** Text is an instant too. */
const ms = (instant: InstantGiven): number =>
  typeof instant === "string" ? Date.parse(instant) : toMs(instant);

/** A node with these fields and defaults for the others. */
const newNode = (
  id: string,
  subtype: string | null,
  created_at: number,
  sequence: number,
): KeptNode => ({
  id,
  type: "concept",
  subtype,
  created_at,
  last_accessed: created_at,
  access_count: 0,
  stability: getInitialStabilityForSubtype(subtype),
  retrievability: 1,
  difficulty: SECTION_PROFILES[getSectionForSubtype(subtype)].encoding.base_difficulty,
  salience: NEUTRAL_SALIENCE,
  lifecycle: "ACTIVE",
  tags: [],
  clusters: [],
  embedding: null,
  row: null,
  sequence,
});

const newEdge = (
  id: string,
  source_id: string,
  target_id: string,
  type: string,
  sequence: number,
) => ({
  id,
  source_id,
  target_id,
  type,
  strength: getInitialEdgeStrength(type),
  sequence,
});

/** The node in the form of the decay rules. */
const storedOf = (node: KeptNode): StoredNode => ({
  id: node.id,
  subtype: node.subtype,
  state_lifecycle: node.lifecycle,
  neural_stability: node.stability,
  neural_retrievability: node.retrievability,
  neural_difficulty: node.difficulty,
  neural_access_count: node.access_count,
  neural_last_accessed: node.last_accessed,
  provenance_created_at: node.created_at,
});

const bySequence = (a: { sequence: number }, b: { sequence: number }): number =>
  a.sequence - b.sequence;

/** Filters with their instants in milliseconds. */
function filtersOf({ created_after, created_before, ...rest }: SearchFiltersGiven): SearchFilters {
  return {
    ...rest,
    created_after: created_after === undefined ? undefined : ms(created_after),
    created_before: created_before === undefined ? undefined : ms(created_before),
  };
}

// ---- configuration ------------------------------------------------------------------------------

type Camel<Key> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Key;

/** Search options as users write them. Each search decides whether sections count. */
export type SearchSettings = {
  [Key in keyof Omit<SearchConfig, "sections"> as Camel<Key>]?: SearchConfig[Key] | undefined;
};

export interface EvidenceSettings {
  preset?: EvidencePreset | undefined;
  weights?: Partial<Values> | undefined;
}

export interface ReferenceMemoryOptions extends Omit<MemoryIndexOptions, "config"> {
  config?:
    | {
        search?: SearchSettings | undefined;
        salienceGrowth?: boolean | undefined;
        evidence?: EvidenceSettings | undefined;
      }
    | undefined;
}

function searchConfigOf(settings: SearchSettings): Partial<SearchConfig> {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(entries.map(([key, value]) => [snake(key), value]));
}

function fitsOf({ preset = "general", weights = {} }: EvidenceSettings): Fits {
  const { plain, embedded } = fitted(preset);
  const changed = (fit: Fit): Fit => ({ ...fit, weights: { ...fit.weights, ...weights } });
  return { plain: changed(plain), embedded: changed(embedded) };
}

// ---- rankings -----------------------------------------------------------------------------------

/** The ranked positions, best first. */
export class ReferenceRanking implements Iterable<RankedEntry> {
  readonly ids: string[];
  readonly scores: number[];
  readonly #entries: readonly RankedEntry[];

  constructor(entries: readonly RankedEntry[]) {
    this.#entries = entries;
    this.ids = entries.map(({ id }) => id);
    this.scores = entries.map(({ score }) => score);
  }

  get length(): number {
    return this.#entries.length;
  }

  at(place: number): RankedEntry {
    return this.#entries[place]!;
  }

  [Symbol.iterator](): Iterator<RankedEntry> {
    return this.#entries.values();
  }
}

// ---- the memory ---------------------------------------------------------------------------------

export class ReferenceMemory {
  readonly #dimensions: number;
  readonly #form: Vectors["form"];
  readonly #config: Partial<SearchConfig>;
  readonly #salienceGrowth: boolean;
  #given: Fits;
  #learned: Learned = NOTHING_LEARNED;
  readonly #texts: EvidenceTexts;
  readonly #nodes = new Map<string, KeptNode>();
  readonly #edges = new Map<string, StoredMemoryEdge>();
  /** The edges of each node, in both directions. */
  readonly #edgesOf = new Map<string, Set<StoredMemoryEdge>>();
  #nextNode = 0;
  #nextEdge = 0;
  /** Built on first use, and rebuilt after a change. */
  #inOrder: KeptNode[] | null = null;
  #prepared: Memory | null = null;

  constructor({
    dimensions = 0,
    embeddings = "f32",
    config = {},
    ...ofTexts
  }: ReferenceMemoryOptions = {}) {
    this.#dimensions = dimensions;
    this.#form = embeddings;
    this.#config = searchConfigOf(config.search ?? {});
    this.#salienceGrowth = config.salienceGrowth ?? false;
    this.#given = fitsOf(config.evidence ?? {});
    this.#texts = new EvidenceTexts(ofTexts);
  }

  // ---- nodes and edges ----

  /** Returns the number of new nodes. */
  upsert(
    nodes: readonly MemoryNode[],
    { now = Date.now() }: { now?: InstantGiven | undefined } = {},
  ): number {
    this.#changed();
    const before = this.#nodes.size;
    for (const given of nodes) {
      const { id, created_at, last_accessed, embedding } = given;
      // An empty subtype means none.
      const subtype = given.subtype === "" ? null : given.subtype;
      const known = this.#nodes.get(id);
      const node = known ?? newNode(id, subtype ?? null, ms(created_at ?? now), this.#nextNode);

      if (subtype !== undefined) node.subtype = subtype;
      if (created_at != null) node.created_at = ms(created_at);
      if (last_accessed != null) node.last_accessed = ms(last_accessed);
      if (last_accessed === null) node.last_accessed = node.created_at;
      node.type = given.type ?? node.type;
      node.access_count = given.access_count ?? node.access_count;
      node.stability = given.stability ?? node.stability;
      node.retrievability = given.retrievability ?? node.retrievability;
      node.difficulty = given.difficulty ?? node.difficulty;
      node.salience = given.salience ?? node.salience;
      node.lifecycle = given.lifecycle ?? node.lifecycle;
      if (given.tags != null) node.tags = [...new Set(given.tags)];
      if (given.clusters != null) node.clusters = [...new Set(given.clusters)];
      if (embedding !== undefined) this.#embed(node, embedding);
      node.sequence = given.sequence ?? node.sequence;

      this.#nextNode = Math.max(this.#nextNode, node.sequence + 1);
      this.#nodes.set(id, node);
      if (known === undefined) this.#edgesOf.set(id, new Set());
    }
    this.#texts.upsert(
      nodes
        .filter(({ title, text }) => title != null || text != null)
        .map(({ id, title, text, event_time, utc_offset }) => ({
          id,
          title: title ?? "",
          body: text ?? "",
          event: event_time == null ? undefined : ms(event_time),
          utc_offset: (utc_offset ?? 0) * 60_000,
          created_at: this.#nodes.get(id)!.created_at,
        })),
    );
    return this.#nodes.size - before;
  }

  #embed(node: KeptNode, embedding: ArrayLike<number> | null): void {
    node.embedding = null;
    node.row = null;
    if (embedding === null || this.#dimensions === 0) return;
    const f32 = normalise(embedding);
    const i8 = this.#form === "i8" ? quantise(f32) : null;
    node.embedding = i8?.codes ?? f32;
    node.row = i8 ?? f32;
  }

  /** Returns the number of removed nodes. Their edges are removed with them. */
  remove(ids: readonly string[]): number {
    this.#changed();
    const before = this.#nodes.size;
    for (const id of ids) {
      for (const edge of this.#edgesOf.get(id) ?? []) this.#drop(edge);
      this.#edgesOf.delete(id);
      this.#nodes.delete(id);
    }
    this.#texts.remove(ids);
    return before - this.#nodes.size;
  }

  /** Changes existing edges. An edge with a missing end is skipped, or stays unchanged. */
  link(edges: readonly MemoryEdge[]): Linked {
    this.#changed();
    const ignored: string[] = [];
    for (const given of edges) {
      const { id, source_id, target_id, type } = given;
      if (!this.#nodes.has(source_id) || !this.#nodes.has(target_id)) {
        ignored.push(id);
        continue;
      }
      const known = this.#edges.get(id);
      if (known !== undefined) this.#drop(known);
      const edge = known ?? newEdge(id, source_id, target_id, type ?? "relates_to", this.#nextEdge);

      edge.source_id = source_id;
      edge.target_id = target_id;
      edge.type = type ?? edge.type;
      edge.strength = given.strength ?? edge.strength;
      edge.sequence = given.sequence ?? edge.sequence;

      this.#nextEdge = Math.max(this.#nextEdge, edge.sequence + 1);
      this.#edges.set(id, edge);
      this.#edgesOf.get(source_id)!.add(edge);
      this.#edgesOf.get(target_id)!.add(edge);
    }
    return { linked: edges.length - ignored.length, ignored };
  }

  /** Returns the number of removed edges. */
  unlink(edgeIds: readonly string[]): number {
    this.#changed();
    const before = this.#edges.size;
    for (const id of edgeIds) {
      const edge = this.#edges.get(id);
      if (edge !== undefined) this.#drop(edge);
    }
    return before - this.#edges.size;
  }

  #drop(edge: StoredMemoryEdge): void {
    this.#edges.delete(edge.id);
    this.#edgesOf.get(edge.source_id)!.delete(edge);
    this.#edgesOf.get(edge.target_id)!.delete(edge);
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  get(id: string): StoredMemoryNode | undefined {
    const node = this.#nodes.get(id);
    if (node === undefined) return undefined;
    const { row, embedding, tags, clusters, salience, ...rest } = node;
    return {
      ...rest,
      ...(this.#salienceGrowth ? { salience } : {}),
      tags: [...tags],
      clusters: [...clusters],
      inbound_edge_count: this.#inbound(id),
      has_embedding: row !== null,
    };
  }

  getEdge(id: string): StoredMemoryEdge | undefined {
    const edge = this.#edges.get(id);
    return edge && { ...edge };
  }

  get size(): number {
    return this.#nodes.size;
  }

  get edgeCount(): number {
    return this.#edges.size;
  }

  get textCount(): number {
    return this.#texts.size;
  }

  #inbound(id: string): number {
    return [...this.#edgesOf.get(id)!].filter(({ target_id }) => target_id === id).length;
  }

  #changed(): void {
    this.#inOrder = null;
    this.#prepared = null;
  }

  #nodesInOrder(): KeptNode[] {
    this.#inOrder ??= [...this.#nodes.values()].sort(bySequence);
    return this.#inOrder;
  }

  #prepare(): Memory {
    if (this.#prepared === null) {
      const nodes = this.#nodesInOrder();
      const rows = nodes.filter(({ row }) => row !== null).map(({ id, row }) => ({ id, row }));
      const vectors = { form: this.#form, rows } as Vectors;
      this.#prepared = prepareMemory(nodes, [...this.#edges.values()], {
        dimensions: this.#dimensions,
        vectors,
      });
    }
    return this.#prepared;
  }

  // ---- use ----

  /**
   * Counts an access of each existing id, as often as it is listed. Returns the number of counted
   * accesses.
   */
  touch(ids: readonly string[], now: InstantGiven = Date.now()): number {
    let counted = 0;
    for (const id of ids) {
      const node = this.#nodes.get(id);
      if (node === undefined) continue;
      node.access_count = Math.min(node.access_count + 1, MAX_ACCESSES);
      node.last_accessed = Math.max(node.last_accessed, ms(now));
      counted += 1;
    }
    return counted;
  }

  /** A touch that increases stability. */
  recall(ids: readonly string[], now: InstantGiven = Date.now()): number {
    let counted = 0;
    for (const id of ids) {
      const node = this.#nodes.get(id);
      if (node === undefined) continue;
      const after = recall(
        storedOf(node),
        ms(now),
        this.#salienceGrowth ? node.salience : NEUTRAL_SALIENCE,
      );
      node.stability = after.neural_stability;
      node.retrievability = after.neural_retrievability;
      node.lifecycle = after.state_lifecycle;
      counted += this.touch([id], now);
    }
    return counted;
  }

  /**
   * Strengthens every edge between two different nodes of a group by `amount`, once per call.
   * Unknown ids are skipped.
   */
  strengthen(groups: readonly (readonly string[])[], amount: number): Strengthened {
    const within = new Set<StoredMemoryEdge>();
    for (const group of groups) {
      const members = new Set(group);
      for (const id of members) {
        for (const edge of this.#edgesOf.get(id) ?? []) {
          const { source_id, target_id } = edge;
          if (source_id !== target_id && members.has(source_id) && members.has(target_id))
            within.add(edge);
        }
      }
    }
    const grown = (edge: StoredMemoryEdge) => Math.min(edge.strength + amount, 1);
    const changed = [...within]
      .filter((edge) => !isGuess(edge.type) && grown(edge) !== edge.strength)
      .sort(bySequence);
    for (const edge of changed) edge.strength = grown(edge);
    return {
      ids: changed.map(({ id }) => id),
      strengths: Float64Array.from(changed, ({ strength }) => strength),
    };
  }

  // ---- questions ----

  rerank(
    { ids = [], semantic, bm25, graph }: ResidentCandidates,
    { now = Date.now(), limit = DEFAULT_LIMIT, sections = true }: ResidentRerankOptions = {},
  ): ReferenceRanking {
    const candidates = ids.map((id, i) => {
      const node = this.#nodes.get(id);
      if (node === undefined) throw new Error(`there is no ${id}`);
      return {
        id,
        semantic_score: semantic?.[i],
        bm25_score: bm25?.[i],
        graph_score: graph?.[i],
        last_accessed: node.last_accessed,
        created_at: node.created_at,
        access_count: node.access_count,
        inbound_edge_count: this.#inbound(id),
        subtype: node.subtype,
      };
    });
    const average = this.size === 0 ? 0 : this.edgeCount / this.size;
    const metrics = {
      total_nodes: this.size,
      total_edges: this.edgeCount,
      density: 0,
      avg_inbound_edges: average,
      avg_outbound_edges: average,
    };
    const ranked = rerankTop(candidates, metrics, { now: ms(now), limit, sections });
    return new ReferenceRanking(ranked.map(({ node, ...place }) => ({ id: node.id, ...place })));
  }

  search(query: SearchQueryGiven): SearchResultGiven<ReferenceRanking> {
    const { embedding, bm25, filters, limit, now = Date.now(), sections = true } = query;
    const { include_connections = false, serendipity_level = "off", max_seeds } = query;
    const report = search(
      this.#prepare(),
      { ...(embedding == null ? {} : { embedding }), bm25: bm25 ?? ([] as Bm25Hit[]) },
      {
        now: ms(now),
        config: { ...this.#config, sections },
        filters: filtersOf(filters ?? {}),
        ...(limit === undefined ? {} : { limit }),
        ...(max_seeds === undefined ? {} : { max_seeds }),
        include_connections,
        serendipity_level,
      },
    );
    const { hops, edges_traversed, terminated } = report.spread;
    const connections = report.connections as StoredMemoryEdge[] | undefined;
    return {
      ranking: new ReferenceRanking(report.ranked),
      serendipity: report.serendipity,
      ...(connections === undefined
        ? {}
        : { connections: connections.map((edge) => ({ ...edge })) }),
      metrics: { ...report.metrics, hops, edges_traversed, terminated },
    };
  }

  /** The fit with what was learned. */
  get #fit(): Fit {
    return fitWith(this.#given.plain, this.#learned);
  }

  /** The fit for the question whose evidence was collected. */
  #fitFor({ gates }: CollectedEvidence): Fit {
    return fitWith(gates === undefined ? this.#given.plain : this.#given.embedded, this.#learned);
  }

  weigh(evidence: EvidenceSettings): void {
    this.#given = fitsOf(evidence);
  }

  learn({ question, shown, used, ...asking }: Feedback): LearningStep {
    const collected = this.#collect(question, asking, true);
    const { held } = collected;
    const isUsed = new Set(used);
    const known = [...new Set(shown)].filter((id) => held.has(id));
    // The used ones come first.
    const judged = [true, false].flatMap((first) =>
      known
        .filter((id) => isUsed.has(id) === first)
        .map((id) => ({ values: held.get(id)!.values, isUsed: first })),
    );
    const before = this.#learned;
    const after = learn(before, judged, this.#fitFor(collected).weights);
    this.#learned = after ?? before;
    const moved = TRAITS.map((trait) => [
      trait,
      this.#learned.shifts[trait] - before.shifts[trait],
    ]);
    return {
      counted: after === undefined ? 0 : judged.length,
      moved: Object.fromEntries(moved) as LearningStep["moved"],
    };
  }

  learned(): Learned {
    return this.#learned;
  }

  setLearned(learned: Learned): void {
    this.#learned = learned;
  }

  forgetLearned(): void {
    this.#learned = NOTHING_LEARNED;
  }

  ask(question: string, options: AskOptions = {}): Answer[] {
    const { limit = DEFAULT_ANSWERS, min_score = 0 } = options;
    const collected = this.#collect(question, options);
    const replacements = replacementsOf(collected, this.#supersessions());
    return this.#order(collected, options.diversity, min_score)
      .slice(0, limit)
      .map(({ id, score, sum, values, similar_to }) => ({
        ...{ id, score, sum },
        evidence: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0)),
        ...replacements.get(id),
        ...(similar_to === undefined ? {} : { similar_to }),
      }));
  }

  why(id: string, question: string, options: AskOptions = {}): Why {
    const collected = this.#collect(question, options);
    return reasons(
      collected,
      id,
      this.#fitFor(collected),
      this.#order(collected, options.diversity),
      replacementsOf(collected, this.#supersessions()).get(id),
    );
  }

  #order(collected: CollectedEvidence, diversity = 0, min_score = 0): Placed[] {
    const answers = ranked(collected, this.#fitFor(collected), this.#supersessions());
    return spreadOut(
      answers.filter(({ score }) => score >= min_score),
      diversity,
      (id) => collected.held.get(id)!.text,
    );
  }

  #supersessions(): Supersession[] {
    return [...this.#edges.values()]
      .filter(({ type }) => type === "supersedes" || type === LIKELY || type === POSSIBLE)
      .sort(bySequence)
      .map(({ source_id, target_id, type, strength }) => ({
        newer: source_id,
        older: target_id,
        probability: isGuess(type) ? strength : undefined,
        isPossible: type === POSSIBLE,
      }));
  }

  evidence(question: string, options: AskOptions = {}): EvidenceMatrix {
    const { held } = this.#collect(question, options, true);
    const found = [...held.values()].filter(({ memory }) => memory.passes);
    return {
      ids: found.map(({ memory }) => memory.id),
      names: EVIDENCE,
      values: Float64Array.from(
        found.flatMap(({ values }) => EVIDENCE.map((name) => values[name])),
      ),
    };
  }

  #collect(
    text: string,
    { now: given = Date.now(), time_zone = "UTC", times = true, ...asking }: AskOptions,
    readsTraits = weighsTraits(this.#fit),
  ): CollectedEvidence {
    const now = ms(given);
    const filters = filtersOf(asking.filters ?? {});
    const memories = this.#nodesInOrder().map((node): AskedMemory => {
      // A time in the future counts as today.
      const past = (at: number) => (days(at, now) < 0 ? now : at);
      const accessed = past(node.last_accessed);
      return {
        id: node.id,
        section: getSectionForSubtype(node.subtype),
        cluster: node.clusters[0],
        created_at: node.created_at,
        recency: recencyScore(past(node.created_at), now),
        affinity: affinityScore(node.access_count, node.created_at, accessed, now),
        passes: nodePasses(node, filters, now),
        isExcluded: filters.excluded_ids?.includes(node.id) ?? false,
      };
    });
    const sections = classifyIntent(text);
    const activation = (nearness: ReadonlyMap<string, number>) =>
      this.#activation(
        memories.filter(({ id, passes }) => passes && nearness.has(id)).map(({ id }) => id),
        nearness,
        filters,
        now,
      );
    const local = times ? now + 60_000 * offsetIn(time_zone, now) : undefined;
    const cosines =
      asking.embedding == null
        ? undefined
        : this.#cosines(asking.embedding, asking.embedding_scale);
    const asked = { text, local, sections, cosines };
    return collectEvidence(this.#texts, asked, memories, activation, readsTraits);
  }

  /** The cosines of the memories that have an embedding, by id, on the scale of the fitted model. */
  #cosines(embedding: ArrayLike<number>, scale?: EmbeddingScale): Map<string, number> {
    const all = similar(this.#prepare().vectors, embedding, this.#nodes.size, () => true);
    return new Map(
      all.map(({ id, score }) => [id, scale === undefined ? score : fittedCosine(score, scale)]),
    );
  }

  /** Activation that comes over edges from the memories that are nearest to a question. */
  #activation(
    ids: readonly string[],
    nearness: ReadonlyMap<string, number>,
    filters: SearchFilters,
    now: number,
  ): Map<string, number> {
    const config = { ...SEARCH_DEFAULTS, ...this.#config };
    const seeds = ids
      .map((id) => ({ node_id: id, vector_score: nearness.get(id)!, bm25_score: 0 }))
      .sort((a, b) => b.vector_score - a.vector_score)
      .slice(0, SEEDS_OF_QUESTION)
      .filter(({ vector_score }) => vector_score >= MIN_SEED)
      .map((seed) => ({
        ...seed,
        combined_score: config.dense_weight * Math.min(seed.vector_score, 1),
      }))
      .sort((a, b) => b.combined_score - a.combined_score);
    const { activated } = spread(
      this.#prepare(),
      seeds,
      config,
      (node, edge) => edgePasses(edge, filters) && nodePasses(node, filters, now),
    );
    const own = seeds.map(({ combined_score }) => config.initial_activation * combined_score);
    return new Map(
      activated.map(({ id, activation }, place) => {
        const received = activation - (own[place] ?? 0);
        return [id, received <= MAX_ACTIVATION ? received : MAX_ACTIVATION];
      }),
    );
  }

  similar(
    embedding: ArrayLike<number>,
    { limit = DEFAULT_LIMIT, filter, now = Date.now() }: SimilarOptions = {},
  ): Similar {
    const filters = filtersOf(filter ?? {});
    const passes = (id: string) => nodePasses(this.#nodes.get(id)!, filters, ms(now));
    const found = similar(this.#prepare().vectors, embedding, limit, passes);
    return {
      ids: found.map(({ id }) => id),
      scores: Float64Array.from(found, ({ score }) => score),
    };
  }

  // ---- decay ----

  decay(now: InstantGiven = Date.now()): Sweep {
    const { report, changes } = sweep(this.#nodesInOrder().map(storedOf), ms(now));
    return {
      processed: report.processed,
      changes: {
        ids: changes.map(({ id }) => id),
        retrievability: Float64Array.from(changes, (change) => change.neural_retrievability),
        lifecycle: Uint8Array.from(changes, (change) =>
          (DECAY_LIFECYCLE_STATES as readonly string[]).indexOf(change.state_lifecycle),
        ),
      },
      transitions: report.transitions as Transition[],
    };
  }

  /** Returns the number of updated nodes. */
  applyDecay({ ids, retrievability, lifecycle }: DecayChanges): number {
    let applied = 0;
    ids.forEach((id, i) => {
      const node = this.#nodes.get(id);
      if (node === undefined) return;
      node.retrievability = retrievability[i]!;
      node.lifecycle = DECAY_LIFECYCLE_STATES[lifecycle[i]!]!;
      applied += 1;
    });
    return applied;
  }

  transitions(now: InstantGiven = Date.now()): Transition[] {
    return this.decay(now).transitions;
  }
}
