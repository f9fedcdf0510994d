// The memory that is open: rows of an export, and the index over them. It lives in the worker.

import {
  builtInText,
  createdAtOf,
  type EdgeRow,
  type EngineYaml,
  embeddingText,
  engineConfigOf,
  historyOf,
  type IndexedNodeRow,
  isFaint,
  isReadByTransformer,
  type JsonObject as Json,
  kindInWords,
  LIKELY_SUPERSEDES,
  memoryEdgeOf,
  memoryNodeOf,
  namesIn,
  type Preset,
  TRANSFORMER,
  textsOf,
} from "nous-memory";
import {
  type AskOptions,
  createEngine,
  type Embedder,
  type Engine,
  type EngineConfig,
  type EvidenceConfig,
  inSnakeCase,
  MemoryIndex,
  type MemoryNode,
  type MemorySection,
  type StoredMemoryEdge,
  TextIndex,
} from "nous-wasm";
import { base64Of, bytesIn } from "./base64.ts";
import { type Coming, exportLines, isOf, type Rows } from "./lines.ts";
import {
  type Card,
  type Decision,
  type Seen,
  type Summary,
  titleOf,
  type Value,
  type WrongLine,
} from "./records.ts";
import type { Server } from "./server.ts";

/** Memories that go into the index at once, so that progress shows and the worker answers. */
const AT_ONCE = 500;

/** How many vectors of questions are kept. */
const MAX_HEARD = 200;
/** Models of which a server makes vectors anew: tables. */
const TABLE = /^nous-\d+-[0-9a-f]{8}$/;

/** Returns the vector of a text; null if it has none. */
export type Meaning = (text: string) => Promise<Float32Array | null>;

/** The vector of a memory's text; null if the text has none. */
export interface Made {
  id: string;
  text: string;
  vector: Float32Array | null;
}

/** The most values of a fact that are shown of a memory. */
const MAX_VALUES = 20;

/** How a memory is opened. */
export interface Opening {
  name: string;
  rows: Rows;
  /** The present; null for the clock. */
  now: number | null;
  /** The configuration, without evidence. */
  config: EngineConfig;
  words: Embedder | undefined;
  wrong: WrongLine[];
  wrongCount: number;
  source: Summary["source"];
  /** The server whose memory it is. */
  server?: Server | undefined;
  /** The memories that are still to come, if they are not among the rows. */
  coming?: Coming | undefined;
}

/** A decision about a guess, which can be taken back. */
export interface Decided {
  how: Decision;
  older: string;
  newer: string;
  /** The edge of the guess as it was; missing with a server, which has it. */
  edge?: EdgeRow;
}

/** The state that an undo restores. */
export interface Past {
  rows: IndexedNodeRow[];
  edges: EdgeRow[];
  /** Ids of memories that were not there. */
  added?: readonly string[];
  /** The id of a conflict that was waiting. */
  waiting?: string;
}

/** Resolves when other calls have had their turn. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

export class Held {
  readonly name: string;
  readonly rows: Rows;
  readonly config: EngineConfig;
  readonly engine: Engine;
  readonly index: MemoryIndex;
  readonly wrong: WrongLine[];
  readonly wrongCount: number;
  readonly hasVectors: boolean;
  readonly source: Summary["source"];
  /** The server whose memory it is; changes go there first. */
  readonly server: Server | undefined;
  /** The decisions of this visit about guesses, the last one at the end. */
  decisions: readonly Decided[] = [];
  /** The steps of this visit that can be undone, the last one at the end. */
  pasts: readonly Past[] = [];
  readonly #now: number | null;
  readonly #words: Embedder | undefined;
  isFreed = false;
  /** Resolves when all memories are here. Rejects if the others cannot be read. */
  whole: Promise<void> = Promise.resolve();
  #awaited = 0;
  #onArrival = () => {};
  /** Links that wait for a memory, by its id. */
  readonly #loose = new Map<string, EdgeRow[]>();
  /** The versions of the memories that were deleted in this visit, by id. */
  readonly #gone = new Map<string, number>();
  /** Whether memories were changed or removed since it was opened. */
  isEdited = false;
  #changes = 0;
  #evidence: EvidenceConfig;
  #texts: TextIndex | undefined;
  #vectors: MemoryIndex | undefined;
  /** Ids of the memories whose text the sentence transformer has not read. */
  readonly #waiting = new Set<string>();
  #onWaiting = () => {};
  #meaning: Meaning | undefined;
  /** Vectors of questions, the last one that was made at the end. */
  readonly #heard = new Map<string, Float32Array | null>();

  private constructor(opening: Opening) {
    const { name, rows, now, config, words, wrong, wrongCount, source, server } = opening;
    this.name = name;
    this.source = source;
    this.server = server;
    this.rows = rows;
    this.config = withSections(config, rows.sections);
    this.#now = now;
    this.#evidence = { preset: rows.preset.weights };
    this.wrong = wrong;
    this.wrongCount = wrongCount;
    this.#words = words;
    this.hasVectors = words !== undefined;
    // The keys that a page configures are written alike in both forms.
    const whole = inSnakeCase(engineConfigOf(rows.preset, this.config as EngineYaml));
    this.engine = createEngine(whole);
    this.index = new MemoryIndex({
      embedder: words,
      config: whole,
      stemming: rows.preset.stemming,
      ...{ dimensions: TRANSFORMER.dimensions, embeddings: "i8", embeddingId: TRANSFORMER.name },
    });
  }

  /**
   * Makes the index. `progress` is called with the share of the memories that are in it. Of memories that
   * come page by page the first page is there: see `whole`.
   */
  static async open(opening: Opening, progress: (share: number) => void): Promise<Held> {
    const held = new Held(opening);
    const { rows, coming } = opening;
    const all = [...rows.nodes.values()];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      held.#upsert(all.slice(from, from + AT_ONCE));
      progress(Math.min(1, (from + AT_ONCE) / all.length));
      await turn();
    }
    held.link(rows.edges);
    if (coming === undefined) return held;
    held.whole = held.#fill(coming);
    const first = new Promise<void>((resolve) => {
      held.#onArrival = resolve;
    });
    await Promise.race([first, held.whole]);
    if (held.#awaited === 1) await held.whole;
    return held;
  }

  /**
   * Takes the memories that come, page by page. One that is here already, or was deleted, is left out: what
   * changes meanwhile comes by `put` and `remove`, and is newer.
   */
  async #fill({ count, pages }: Coming): Promise<void> {
    this.#awaited = Math.max(1, count);
    for await (const page of pages) {
      for (let from = 0; from < page.length; from += AT_ONCE) {
        const part = page.slice(from, from + AT_ONCE);
        const fresh = part.filter(({ id }) => !this.rows.nodes.has(id) && !this.#gone.has(id));
        for (const row of fresh) this.rows.nodes.set(row.id, row);
        this.#awaited = Math.max(1, this.#awaited - part.length);
        this.#upsert(fresh);
        this.#forget();
        await turn();
        if (this.isFreed) return;
      }
      this.#onArrival();
    }
    this.#awaited = 0;
    const inOrder = [...this.rows.nodes].sort(
      ([, one], [, other]) => one.sequence - other.sequence,
    );
    this.rows.nodes = new Map(inOrder);
    this.#forget();
  }

  /** How many memories are still to come, about; 0 if all are here. */
  get awaited(): number {
    return this.#awaited;
  }

  /** Tells how many memories are here, until all are here. */
  untilWhole(tell: (there: number) => void): Promise<void> {
    this.#onArrival = () => tell(this.rows.nodes.size);
    return this.whole;
  }

  /** The present of the memory. */
  get now(): number {
    return this.#now ?? Date.now();
  }

  /** How often its memories have changed. */
  get changes(): number {
    return this.#changes;
  }

  /** The subject of the memory. */
  get preset(): Preset {
    return this.rows.preset;
  }

  get evidence(): EvidenceConfig {
    return this.#evidence;
  }

  /** Replaces weights of evidence, for all questions from now on. The others are the preset's. */
  weigh(weights: Readonly<Record<string, number>>): void {
    const evidence = { preset: this.rows.preset.weights, weights };
    this.index.weigh(evidence);
    this.#evidence = evidence;
  }

  /** Returns a memory of other rows, opened as this one. */
  async withRows(rows: Rows, progress: (share: number) => void): Promise<Held> {
    const { name, config, wrong, wrongCount, source } = this;
    const opening = { name, rows, config, wrong, wrongCount, source };
    const other = await Held.open({ ...opening, now: this.#now, words: this.#words }, progress);
    other.mean(this.#meaning);
    return other;
  }

  /** The full-text index, for rankings that start from words. Made when it is first needed. */
  get texts(): TextIndex {
    if (this.#texts === undefined) {
      this.#texts = new TextIndex();
      for (const rows of this.#batches()) {
        this.#texts.upsert(
          rows.map((row) => {
            const { title, text } = textsOf(row);
            return { id: row.id, title, body: text };
          }),
        );
      }
    }
    return this.#texts;
  }

  /**
   * The index for rankings by six signals, with a vector for each memory, as the server makes them.
   * Made when it is first needed.
   */
  get vectors(): MemoryIndex {
    if (this.#vectors === undefined) {
      const dimensions = this.#words?.dimensions ?? 0;
      this.#vectors = new MemoryIndex({ dimensions, config: this.config });
      for (const rows of this.#batches()) {
        const nodes = rows.map((row) => ({
          ...this.#nodeOf(row),
          embedding: this.vectorOf(embeddingText(row)),
        }));
        this.#vectors.upsert(nodes, { now: this.now });
      }
      this.#vectors.link(this.rows.edges.map(memoryEdgeOf));
    }
    return this.#vectors;
  }

  /** Returns the vector of a text; null if it has none. */
  vectorOf(text: string): Float32Array | null {
    const made = this.#words?.embed(text);
    return made === undefined || made.coverage === 0 ? null : made.vector;
  }

  /**
   * Whether a server ranks the memory by the sentence transformer: not if its memories have vectors
   * of a model that only a service or their writer has.
   */
  get isForTransformer(): boolean {
    const { nodes, carried } = this.rows;
    const isOfTransformer = (model: string | null) => model === TRANSFORMER.name;
    if (this.source === "server")
      return [...nodes.values()].some(({ embedding_model: model }) => isOfTransformer(model));
    return [...carried.values()].every(
      ({ embedding, model }) =>
        embedding === null || isOfTransformer(model) || TABLE.test(model ?? ""),
    );
  }

  /** How many memories wait for their vector by the sentence transformer. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether answers go by the meaning of whole sentences, too. */
  get isByMeaning(): boolean {
    return this.#meaning !== undefined;
  }

  /** Returns the memories that wait, with their texts; also those that come to wait meanwhile. */
  *waitingTexts(): Generator<{ id: string; text: string }> {
    for (const id of this.#waiting) yield { id, text: builtInText(this.rows.nodes.get(id)!) };
  }

  /** Resolves when a memory waits for its vector, or when the memory is freed. */
  untilWaiting(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWaiting = resolve;
      if (this.#waiting.size > 0 || this.isFreed) resolve();
    });
  }

  /** Takes vectors of texts. Those of a text that its memory no longer has are left out. */
  take(made: readonly Made[]): void {
    const nodes: MemoryNode[] = [];
    for (const { id, text, vector } of made) {
      const row = this.rows.nodes.get(id);
      if (row === undefined || builtInText(row) !== text) continue;
      this.#waiting.delete(id);
      if (vector === null) continue;
      const { signals = null } = this.rows.carried.get(id) ?? {};
      const embedding = base64Of(new Uint8Array(vector.buffer));
      this.rows.carried.set(id, { embedding, model: TRANSFORMER.name, text, signals });
      nodes.push({ id, embedding: vector });
    }
    this.index.upsert(nodes, { now: this.now });
    this.#changes += 1;
  }

  /** From now on questions are compared by their meaning, too; undefined: no longer. */
  mean(meaning: Meaning | undefined): void {
    this.#meaning = meaning;
    this.#heard.clear();
    this.#changes += 1;
  }

  /** Makes the vectors of questions, by which they are asked afterwards. */
  async hear(questions: readonly string[]): Promise<void> {
    for (const question of questions) {
      const meaning = this.#meaning;
      if (meaning === undefined || this.#heard.has(question)) continue;
      try {
        const vector = await meaning(question);
        if (meaning === this.#meaning) this.#heard.set(question, vector);
      } catch {
        // The model failed meanwhile: then words alone rank.
      }
    }
    const [first] = this.#heard.keys();
    if (this.#heard.size > MAX_HEARD) this.#heard.delete(first!);
  }

  /** Returns the vector of a question that was heard. */
  embeddingOf(question: string): Float32Array | undefined {
    return this.#heard.get(question) ?? undefined;
  }

  /** Returns the options by which a question is asked now. */
  asking(question: string): Pick<AskOptions, "now" | "embedding"> {
    return { now: this.now, embedding: this.embeddingOf(question) };
  }

  *#batches(): Generator<IndexedNodeRow[]> {
    const all = [...this.rows.nodes.values()];
    for (let from = 0; from < all.length; from += AT_ONCE) yield all.slice(from, from + AT_ONCE);
  }

  /** Adds memories, and replaces those that are there. */
  put(rows: readonly IndexedNodeRow[]): void {
    this.isEdited = true;
    for (const row of rows) {
      this.rows.nodes.set(row.id, row);
      this.#gone.delete(row.id);
    }
    this.#upsert(rows);
    this.#forget();
  }

  /** Removes memories and their edges, also memories that are still to come. */
  remove(ids: readonly string[]): void {
    this.isEdited = true;
    for (const id of ids) {
      this.#gone.set(id, this.rows.nodes.get(id)?.version ?? -1);
      this.rows.nodes.delete(id);
      this.#waiting.delete(id);
    }
    const gone = new Set(ids);
    this.dropEdges(({ source_id, target_id }) => gone.has(source_id) || gone.has(target_id));
    this.index.remove(ids);
    this.#forget();
  }

  /** Adds edges to the index. One without a memory at both ends waits for it. */
  link(edges: readonly EdgeRow[]): void {
    const whole: EdgeRow[] = [];
    for (const edge of edges) {
      const missing = [edge.source_id, edge.target_id].find((id) => !this.rows.nodes.has(id));
      if (missing === undefined) whole.push(edge);
      else if (this.#loose.has(missing)) this.#loose.get(missing)!.push(edge);
      else this.#loose.set(missing, [edge]);
    }
    this.index.link(whole.map(memoryEdgeOf));
  }

  /** Removes edges. */
  dropEdges(isGone: (edge: EdgeRow) => boolean): void {
    const stays = (edge: EdgeRow) => !isGone(edge);
    this.index.unlink(this.rows.edges.filter(isGone).map(({ id }) => id));
    this.rows.edges = this.rows.edges.filter(stays);
    for (const [id, edges] of this.#loose) this.#loose.set(id, edges.filter(stays));
  }

  /** Whether a row of the server is older than what is known of its memory. */
  isOlder({ id, version }: Json): boolean {
    const known = this.rows.nodes.get(id as string);
    const number = (version as number | null) ?? 0;
    if (known !== undefined) return number < (known.version ?? 0);
    return number <= (this.#gone.get(id as string) ?? -1);
  }

  /** Whether a memory is here, or may still come. */
  expects(id: string): boolean {
    return this.rows.nodes.has(id) || (this.#awaited > 0 && !this.#gone.has(id));
  }

  #forget(): void {
    this.#changes += 1;
    this.#texts?.free();
    this.#texts = undefined;
    this.#vectors?.free();
    this.#vectors = undefined;
  }

  #upsert(rows: readonly IndexedNodeRow[]): void {
    const now = this.now;
    const nodes = rows.map((row) => ({ ...this.#nodeOf(row), ...textsOf(row) }));
    this.index.upsert(nodes, { now });
    for (const { id, embedding } of nodes) {
      // A text that the model cannot read gets no vector.
      const isRead = () => isReadByTransformer(builtInText(this.rows.nodes.get(id)!));
      if (embedding === null && isRead()) this.#waiting.add(id);
      else this.#waiting.delete(id);
    }
    if (this.#waiting.size > 0) this.#onWaiting();
    const loose = rows.flatMap(({ id }) => this.#loose.get(id) ?? []);
    if (loose.length === 0) return;
    for (const { id } of rows) this.#loose.delete(id);
    this.link(loose);
  }

  #nodeOf(row: IndexedNodeRow): MemoryNode {
    const clusters = JSON.stringify(this.rows.clusters.get(row.id) ?? []);
    const carried = this.rows.carried.get(row.id);
    const isOwn = carried?.model === TRANSFORMER.name && isOf(row, carried);
    const embedding_vector = isOwn ? bytesIn(carried.embedding) : null;
    const { dimensions } = TRANSFORMER;
    return memoryNodeOf({ ...row, clusters, embedding_vector }, dimensions, this.now);
  }

  /** Returns the vector of a memory, if questions are compared by meaning and it has one. */
  ownVector(id: string): ArrayLike<number> | undefined {
    if (this.#meaning === undefined) return undefined;
    return this.#nodeOf(this.rows.nodes.get(id)!).embedding ?? undefined;
  }

  row(id: string): IndexedNodeRow | undefined {
    return this.rows.nodes.get(id);
  }

  /** Returns the rows of all memories. */
  all(): Iterable<IndexedNodeRow> {
    return this.rows.nodes.values();
  }

  /** Returns the lines of an export. */
  exportLines(): Iterable<Json> {
    return exportLines(this.rows, (subtype) => this.engine.getSectionForSubtype(subtype));
  }

  sectionOf(row: IndexedNodeRow): MemorySection {
    return this.engine.getSectionForSubtype(row.subtype);
  }

  /** Returns a memory as a list shows it. */
  card(id: string): Card {
    const row = this.rows.nodes.get(id)!;
    const { event_time, text } = textsOf(row);
    return {
      ...this.#seen(id),
      title: row.content_title,
      text: text ?? "",
      kind: kindInWords(row.subtype ?? ""),
      tags: row.tags === null ? [] : namesIn(row.tags),
      section: this.sectionOf(row),
      created: createdAtOf(row) ?? 0,
      event: (event_time as number | null | undefined) ?? null,
      runs: (this.rows.clusters.get(id) ?? []).map((run) => this.rows.clusterNames.get(run) ?? run),
      ...this.#history(id),
      ...this.#heldBeside(id),
    };
  }

  #seen(id: string): Seen {
    return { id, version: this.rows.nodes.get(id)!.version };
  }

  /** Returns the title of a memory, or the beginning of its text. */
  titleOf(id: string): string {
    const row = this.rows.nodes.get(id)!;
    return titleOf({ title: row.content_title, text: textsOf(row).text ?? "" });
  }

  /** The values of the fact that a memory tells, if there are several: those around its own. */
  #history(id: string): Pick<Card, "history" | "values_before" | "values_after"> {
    const line = this.index.line(id);
    if (line.length === 0) return {};
    const sinceOf = (one: string) => {
      const row = this.rows.nodes.get(one);
      return row && ((textsOf(row).event_time as number | null) ?? createdAtOf(row) ?? 0);
    };
    const steps = historyOf(id, line, sinceOf);
    if (steps.length < 2) return {};
    const place = steps.findIndex((step) => step.id === id);
    const last = Math.max(0, steps.length - MAX_VALUES);
    const first = Math.min(last, Math.max(0, place - MAX_VALUES / 2));
    const history = steps.slice(first, first + MAX_VALUES).map(
      ({ id, since, until, replaced_by }): Value => ({
        ...{ ...this.#seen(id), since, title: this.titleOf(id) },
        ...(until === undefined || replaced_by === undefined
          ? {}
          : {
              until,
              replaced_by: {
                ...{ ...replaced_by, ...this.#seen(replaced_by.id) },
                ...{ since: until, title: this.titleOf(replaced_by.id) },
              },
            }),
        ...(this.#isDecided(id, replaced_by?.id) ? { isDecided: true } : {}),
      }),
    );
    const values_after = steps.length - first - history.length;
    return { history, values_before: first, values_after };
  }

  /** Whether it was decided in this visit that a memory replaces another one. */
  #isDecided(older: string, newer: string | undefined): boolean {
    return this.decisions.some(
      (it) => it.how === "new_is_current" && it.older === older && it.newer === newer,
    );
  }

  /** The other memory of a decision of this visit that both hold, if there is one. */
  #heldBeside(id: string): Pick<Card, "held_beside"> {
    for (const { how, older, newer } of this.decisions) {
      const other = id === older ? newer : older;
      const isAbout = how === "keep_both" && (id === older || id === newer);
      if (!isAbout || !this.rows.nodes.has(other)) continue;
      const both = { older: this.#seen(older), newer: this.#seen(newer) };
      return { held_beside: { id: other, title: this.titleOf(other), ...both } };
    }
    return {};
  }

  /** The edge of the guess that another memory replaces this one, as its history tells it. */
  guessOf(id: string): StoredMemoryEdge | undefined {
    const by = this.#history(id).history?.find((value) => value.id === id)?.replaced_by;
    return this.index
      .line(id)
      .find(
        ({ type, source_id, target_id }) =>
          type === LIKELY_SUPERSEDES && source_id === by?.id && target_id === id,
      );
  }

  /** The other facts are known elsewhere. */
  summary(): Omit<Summary, "isKept" | "canUndo" | "suggested"> {
    const bySection = { EPISODIC: 0, SIGNALS: 0, KNOWLEDGE: 0, PROCEDURAL: 0 };
    let [first, last] = [Infinity, -Infinity];
    for (const row of this.rows.nodes.values()) {
      bySection[this.sectionOf(row)] += 1;
      const created = createdAtOf(row) ?? 0;
      first = Math.min(first, created);
      last = Math.max(last, created);
    }
    return {
      name: this.name,
      preset: this.rows.preset.weights,
      memories: this.rows.nodes.size,
      awaited: this.#awaited,
      edges: this.rows.edges.filter((edge) => !isFaint(edge)).length,
      runs: this.rows.clusterNames.size,
      learnedSteps: this.rows.learnedSteps,
      bySection,
      first,
      last,
      now: this.now,
      wrong: this.wrong,
      wrongCount: this.wrongCount,
      hasVectors: this.hasVectors,
      isByMeaning: this.isByMeaning,
      source: this.source,
      isBySignals: this.server?.isBySignals ?? false,
      kindNames: Object.keys(this.preset.types),
    };
  }

  free(): void {
    this.isFreed = true;
    this.#onWaiting();
    this.index.free();
    this.#forget();
  }
}

/** Returns a configuration with sections that rows tell. Those of the configuration itself win. */
function withSections(config: EngineConfig, told: Rows["sections"]): EngineConfig {
  const names = Object.entries(told);
  if (names.length === 0) return config;
  const { sections = {} } = config;
  const subtypes = Object.fromEntries(names.map(([name, section]) => [name, { section }]));
  return { ...config, sections: { ...sections, subtypes: { ...subtypes, ...sections.subtypes } } };
}
