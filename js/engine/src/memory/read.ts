// Reading nodes, edges, filters and searches from a caller's objects. Reading may run code of the
// caller (getters, proxies), so all of it happens before the scratch is used.

import {
  countOf,
  entryId,
  flagOf,
  limitOf,
  listOf,
  optionsOf,
  presentOf,
  requireNoMisspelling,
  requireOptions,
  unknownOption,
} from "../arguments.ts";
import { LIFECYCLE_STATES } from "../constants.ts";
import { invalid, invalidEntry, invalidShape, problemWith, show } from "../errors.ts";
import {
  ABSENT,
  EDGE,
  EDGE_SEQUENCE,
  EDGE_STRENGTH,
  EDGE_TYPE,
  FILTERS,
  FILTERS_CLUSTERS,
  FILTERS_EXCLUDED_TYPES,
  FILTERS_LIFECYCLES,
  FILTERS_RELATIONSHIP_TYPES,
  FILTERS_SUBTYPES,
  FILTERS_TAGS_ALL,
  FILTERS_TAGS_ANY,
  FILTERS_TAGS_NONE,
  FILTERS_TYPES,
  NEVER,
  NO_EMBEDDING,
  NO_SUBTYPE,
  NODE,
  NODE_ACCESS_COUNT,
  NODE_CLUSTERS,
  NODE_COMPONENTS,
  NODE_CREATED_AT,
  NODE_DIFFICULTY,
  NODE_EVENT_TIME,
  NODE_LAST_ACCESSED,
  NODE_RETRIEVABILITY,
  NODE_SALIENCE,
  NODE_SEQUENCE,
  NODE_STABILITY,
  NODE_STATE,
  NODE_SUBTYPE,
  NODE_TAGS,
  NODE_TEXT,
  NODE_TITLE,
  NODE_TYPE,
  NODE_UTC_OFFSET,
  SEARCH,
  SEARCH_ACCESSED_WITHIN_DAYS,
  SEARCH_COMPONENTS,
  SEARCH_CONNECTIONS,
  SEARCH_CREATED_AFTER,
  SEARCH_CREATED_BEFORE,
  SEARCH_HITS,
  SEARCH_LIMIT,
  SEARCH_MAX_SEEDS,
  SEARCH_NOW,
  SEARCH_OF_RELATED,
  SEARCH_OF_UNRELATED,
  SEARCH_SECTIONS,
  SEARCH_SERENDIPITY,
  SEARCH_UTC_OFFSET,
  SERENDIPITY_HIGH,
  SERENDIPITY_LOW,
  SERENDIPITY_MEDIUM,
  SERENDIPITY_OFF,
} from "../generated/layout.ts";
import { lastMillisecondsIn, toMilliseconds } from "../instant.ts";
import { KnownFields } from "../suggest.ts";
import type { Instant } from "../types.ts";
import { offsetIn } from "../zone.ts";
import { type Names, textsOf } from "./names.ts";
import type { AllNames } from "./state.ts";
import type {
  AskOptions,
  EmbeddingScale,
  MemoryEdge,
  MemoryNode,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchFilters,
  SearchQuery,
  StoredLifecycleState,
  WhyOptions,
} from "./types.ts";

const NODE_FIELDS = new KnownFields(
  ...["id", "sequence", "created_at", "last_accessed", "access_count", "stability"],
  ...["retrievability", "difficulty", "salience", "lifecycle", "type", "subtype", "tags"],
  ...["clusters", "embedding", "title", "text", "event_time", "utc_offset"],
);
const EDGE_FIELDS = new KnownFields(
  ...["id", "source_id", "target_id", "type", "strength", "sequence"],
);

/** The lifecycle states in the order of their codes. @internal */
export const STORED_STATES: readonly StoredLifecycleState[] = [...LIFECYCLE_STATES, "DELETED"];
const STATE_CODES = new Map<unknown, number>(STORED_STATES.map((state, code) => [state, code]));

/** The default limit of answers. */
const DEFAULT_ANSWERS = 10;

/** The most components of an embedding. */
const MAX_COMPONENTS = 2 ** 20;

/** Codes of the serendipity levels. */
const LEVELS = new Map<unknown, number>([
  ["off", SERENDIPITY_OFF],
  ["low", SERENDIPITY_LOW],
  ["medium", SERENDIPITY_MEDIUM],
  ["high", SERENDIPITY_HIGH],
]);

/**
 * A batch of nodes after reading: records without targets and codes, and the lists whose lengths
 * the records hold. @internal
 */
export interface Batch {
  ids: string[];
  records: Float64Array;
  /** Type and subtype of each node. Null removes it. Undefined keeps it. */
  kinds: (string | null | undefined)[];
  /** Tags and clusters. */
  labels: string[];
  embeddings: Components;
  /** Title and text of each node that has either, in order. */
  texts: string[];
}

const numberOf = (value: unknown): number => {
  if (value === undefined || value === null) return ABSENT;
  return typeof value === "number" && value !== ABSENT ? value : Number.NaN;
};

const instantOf = (value: Instant | null | undefined): number => {
  if (value === undefined || value === null) return ABSENT;
  const moment = toMilliseconds(value);
  return Number.isFinite(moment) ? moment : Number.NaN;
};

const MAX_OFFSET = 1_440;

/** Returns how far a clock is before UTC, in milliseconds, of its minutes; NaN if it is wrong. */
const offsetOf = (minutes: number | null | undefined): number => {
  if (minutes === undefined || minutes === null) return 0;
  const isSound = typeof minutes === "number" && Math.abs(minutes) <= MAX_OFFSET;
  return isSound ? minutes * 60_000 : Number.NaN;
};

const wrongOffset = (found: unknown): string =>
  `must be a number of minutes from −${MAX_OFFSET} to ${MAX_OFFSET}, found ${show(found)}`;

/** A name that may be missing. */
function nameOf(
  batch: string,
  index: number,
  entry: object,
  field: string,
  name: unknown,
): string | null | undefined {
  if (name === undefined || name === null || typeof name === "string") return name;
  throw invalidEntry(batch, index, entry, field, `must be a string, found ${show(name)}`);
}

/** Returns the code of a name; `none` for null. */
function codeOf(names: Names, name: string | null | undefined, none: number): number {
  if (name === undefined) return ABSENT;
  return name === null ? none : names.code(name);
}

/** @internal */
export function readNodes(nodes: readonly MemoryNode[]): Batch {
  const count = listOf("nodes", nodes).length;
  const records = new Float64Array(count * NODE);
  const kinds = new Array<string | null | undefined>(2 * count);
  const batch: Batch = {
    ids: new Array(count),
    records,
    kinds,
    labels: [],
    embeddings: new Components(),
    texts: [],
  };
  for (let index = 0, at = 0; index < count; index++, at += NODE) {
    const node = nodes[index]!;
    if (typeof node !== "object" || node === null) throw invalidShape("nodes", index, node);
    if (index === 0) requireNoMisspelling("nodes", index, node, NODE_FIELDS);
    batch.ids[index] = entryId("nodes", index, node, "id", node.id);
    const { last_accessed, lifecycle } = node;
    records[at + NODE_SEQUENCE] = numberOf(node.sequence);
    records[at + NODE_CREATED_AT] = instantOf(node.created_at);
    records[at + NODE_LAST_ACCESSED] = last_accessed === null ? NEVER : instantOf(last_accessed);
    records[at + NODE_ACCESS_COUNT] = numberOf(node.access_count);
    records[at + NODE_STABILITY] = numberOf(node.stability);
    records[at + NODE_RETRIEVABILITY] = numberOf(node.retrievability);
    records[at + NODE_DIFFICULTY] = numberOf(node.difficulty);
    records[at + NODE_SALIENCE] = numberOf(node.salience);
    const state =
      lifecycle === undefined || lifecycle === null ? ABSENT : STATE_CODES.get(lifecycle);
    if (state === undefined) {
      const problem = `must be one of ${STORED_STATES.join(", ")}, found ${show(lifecycle)}`;
      throw invalidEntry("nodes", index, node, "lifecycle", problem);
    }
    records[at + NODE_STATE] = state;
    kinds[2 * index] = nameOf("nodes", index, node, "type", node.type);
    kinds[2 * index + 1] = nameOf("nodes", index, node, "subtype", node.subtype);
    records[at + NODE_TAGS] = readLabels(index, node, "tags", node.tags, batch.labels);
    records[at + NODE_CLUSTERS] = readLabels(index, node, "clusters", node.clusters, batch.labels);
    records[at + NODE_COMPONENTS] = readEmbedding(index, node, node.embedding, batch);
    const title = nameOf("nodes", index, node, "title", node.title);
    const text = nameOf("nodes", index, node, "text", node.text);
    const hasText = typeof title === "string" || typeof text === "string";
    // The lengths in bytes are known when the texts are written.
    records[at + NODE_TITLE] = records[at + NODE_TEXT] = hasText ? 0 : ABSENT;
    if (hasText) batch.texts.push(title ?? "", text ?? "");
    records[at + NODE_EVENT_TIME] = instantOf(node.event_time);
    if (Number.isNaN(records[at + NODE_EVENT_TIME])) {
      const problem = problemWith("must be an instant", node.event_time);
      throw invalidEntry("nodes", index, node, "event_time", problem);
    }
    records[at + NODE_UTC_OFFSET] = offsetOf(node.utc_offset);
    if (Number.isNaN(records[at + NODE_UTC_OFFSET]))
      throw invalidEntry("nodes", index, node, "utc_offset", wrongOffset(node.utc_offset));
  }
  return batch;
}

/**
 * Writes the codes of types and subtypes into a batch's records. Returns the codes of tags and
 * clusters. @internal
 */
export function codesOf({ records, kinds, labels }: Batch, names: AllNames): number[] {
  const codes = new Array<number>(labels.length);
  let done = 0;
  const label = (of: Names, length: number) => {
    for (const end = done + Math.max(length, 0); done < end; done++)
      codes[done] = of.code(labels[done]!);
  };
  for (let at = 0, kind = 0; at < records.length; at += NODE, kind += 2) {
    records[at + NODE_TYPE] = codeOf(names.types, kinds[kind], ABSENT);
    records[at + NODE_SUBTYPE] = codeOf(names.subtypes, kinds[kind + 1], NO_SUBTYPE);
    label(names.tags, records[at + NODE_TAGS]!);
    label(names.clusters, records[at + NODE_CLUSTERS]!);
  }
  return codes;
}

function readLabels(
  index: number,
  node: MemoryNode,
  field: string,
  labels: unknown,
  read: string[],
): number {
  if (labels === undefined || labels === null) return ABSENT;
  if (!Array.isArray(labels)) {
    throw invalidEntry(
      "nodes",
      index,
      node,
      field,
      `must be a list of strings, found ${show(labels)}`,
    );
  }
  const { length } = labels;
  for (let place = 0; place < length; place++) {
    const label: unknown = labels[place];
    if (typeof label !== "string") {
      throw invalidEntry(
        "nodes",
        index,
        node,
        field,
        `must be a list of strings, found ${show(label)} at ${place}`,
      );
    }
    read.push(label);
  }
  return length;
}

function readEmbedding(index: number, node: MemoryNode, embedding: unknown, batch: Batch): number {
  if (embedding === undefined) return ABSENT;
  if (embedding === null) return NO_EMBEDDING;
  const components = batch.embeddings.add(embedding);
  if (components === undefined) {
    const problem = `must be an array of numbers, found ${show(embedding)}`;
    throw invalidEntry("nodes", index, node, "embedding", problem);
  }
  return components;
}

const typedLength = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  "length",
)!.get!;

/** The length of a typed array, whatever its own property `length` is. @internal */
export const lengthOf = (numbers: ArrayLike<number>): number => typedLength.call(numbers) as number;

/**
 * A column of `count` numbers. An entry that is not a number becomes NaN, which the module refuses.
 * @internal
 */
export function columnOf(
  field: string,
  column: unknown,
  count: number,
): ArrayLike<number> | undefined {
  if (column === undefined || column === null) return undefined;
  const isList =
    Array.isArray(column) || (ArrayBuffer.isView(column) && !(column instanceof DataView));
  if (!isList) throw invalid(field, `must be an array of numbers, found ${show(column)}`);
  const list = column as ArrayLike<unknown>;
  if (list.length !== count)
    throw invalid(field, `must have as many entries as ids, ${count}, found ${list.length}`);
  if (
    column instanceof Float64Array ||
    column instanceof Float32Array ||
    column instanceof Uint8Array
  )
    return column;
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const number = list[index];
    numbers[index] = typeof number === "number" ? number : Number.NaN;
  }
  return numbers;
}

/**
 * The components of the embeddings of a batch, one after the other. A copy, since reading the next
 * object may run code that changes or detaches an embedding. One buffer for the batch: beside a
 * hundred thousand buffers, each further one takes V8 fifty microseconds.
 *
 * @internal
 */
export class Components {
  #numbers = new Float64Array(0);
  #length = 0;

  /** All of them. */
  get all(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }

  /**
   * Appends an embedding. Returns the count of its components, or undefined if it is not an array.
   * An entry that is not a number becomes NaN, which the module refuses.
   */
  add(embedding: unknown): number | undefined {
    // A proxy is not a view, even if it is an instance of a typed array.
    const isTyped = ArrayBuffer.isView(embedding) && !(embedding instanceof DataView);
    if (isTyped && (embedding instanceof Float32Array || embedding instanceof Float64Array)) {
      const at = this.#extend(lengthOf(embedding));
      // An array with a detached buffer is empty, and copying it would throw.
      if (this.#length > at) this.#numbers.set(embedding, at);
      return this.#length - at;
    }
    if (!isTyped && !Array.isArray(embedding)) return undefined;
    const list = embedding as ArrayLike<unknown>;
    const { length } = list;
    if (!(Number.isInteger(length) && length >= 0 && length <= MAX_COMPONENTS)) return undefined;
    const at = this.#extend(length);
    for (let place = 0; place < length; place++) {
      const component = list[place];
      this.#numbers[at + place] = typeof component === "number" ? component : Number.NaN;
    }
    return length;
  }

  /** Makes room for further components. Returns where they begin. */
  #extend(by: number): number {
    const at = this.#length;
    this.#length += by;
    if (this.#length > this.#numbers.length) {
      const longer = new Float64Array(Math.max(2 * this.#numbers.length, this.#length));
      longer.set(this.#numbers.subarray(0, at));
      this.#numbers = longer;
    }
    return at;
  }
}

/**
 * Edges after reading. The rows of their ends are written into the records after the ids are looked
 * up. @internal
 */
export interface EdgeBatch {
  ids: string[];
  sources: string[];
  targets: string[];
  types: (string | null | undefined)[];
  records: Float64Array;
}

/** @internal */
export function readEdges(edges: readonly MemoryEdge[]): EdgeBatch {
  const count = listOf("edges", edges).length;
  const records = new Float64Array(count * EDGE);
  const [ids, sources, targets] = [new Array(count), new Array(count), new Array(count)];
  const batch: EdgeBatch = { ids, sources, targets, types: new Array(count), records };
  for (let index = 0, at = 0; index < count; index++, at += EDGE) {
    const edge = edges[index]!;
    if (typeof edge !== "object" || edge === null) throw invalidShape("edges", index, edge);
    if (index === 0) requireNoMisspelling("edges", index, edge, EDGE_FIELDS);
    batch.ids[index] = entryId("edges", index, edge, "id", edge.id);
    batch.sources[index] = entryId("edges", index, edge, "source_id", edge.source_id);
    batch.targets[index] = entryId("edges", index, edge, "target_id", edge.target_id);
    batch.types[index] = nameOf("edges", index, edge, "type", edge.type);
    records[at + EDGE_STRENGTH] = numberOf(edge.strength);
    records[at + EDGE_SEQUENCE] = numberOf(edge.sequence);
  }
  return batch;
}

/** Writes the codes of the types into the records of edges. @internal */
export function setTypes({ records, types }: EdgeBatch, names: AllNames): void {
  types.forEach((type, index) => {
    records[index * EDGE + EDGE_TYPE] = codeOf(names.edgeTypes, type, ABSENT);
  });
}

/** A search after reading: its head, lists of codes, hits and embedding. @internal */
export interface ReadSearch {
  head: Float64Array;
  lists: number[][];
  /** The ids of the nodes to leave out. */
  excluded: readonly string[];
  hits: string[];
  scores: Float64Array;
  embedding: ArrayLike<number> | undefined;
  /** The handles among which a question is answered; undefined for all. */
  among?: Uint32Array | undefined;
}

/**
 * Checks options of a ranking, as `optionsOf` does. A ranking takes about a microsecond; comparing
 * the keys one by one saves the 5 % that a set would cost.
 *
 * @internal
 */
export function checkRerank(candidates: ResidentCandidates, options: ResidentRerankOptions): void {
  requireOptions("options", options);
  for (const key in options) {
    if (key !== "limit" && key !== "now" && key !== "sections")
      throw unknownOption(key, RERANK_KEYS);
  }
  requireOptions("candidates", candidates);
  for (const key in candidates) {
    if (
      key === "handles" ||
      key === "ids" ||
      key === "semantic" ||
      key === "bm25" ||
      key === "graph"
    )
      continue;
    throw unknownOption(key, CANDIDATE_KEYS);
  }
}

/** @internal */
const RERANK_KEYS: ReadonlySet<string> = new Set(["limit", "now", "sections"]);
/** @internal */
export const SIMILAR_KEYS: ReadonlySet<string> = new Set(["limit", "filter", "now"]);
/** @internal */
const CANDIDATE_KEYS: ReadonlySet<string> = new Set([
  "ids",
  "handles",
  "semantic",
  "bm25",
  "graph",
]);
/** @internal */
const QUERY_KEYS: ReadonlySet<string> = new Set([
  "embedding",
  "bm25",
  "filters",
  "limit",
  "max_seeds",
  "now",
  "sections",
  "include_connections",
  "serendipity_level",
]);

/** @internal */
export function readSearch(search: SearchQuery, names: AllNames): ReadSearch {
  const query = optionsOf("query", search, QUERY_KEYS);
  const { serendipity_level: level = "off" } = query;
  const head = new Float64Array(SEARCH);
  head[SEARCH_NOW] = presentOf(query.now);
  head[SEARCH_LIMIT] = limitOf(query.limit, ABSENT);
  head[SEARCH_SECTIONS] = Number(flagOf("sections", query.sections, true));
  head[SEARCH_CONNECTIONS] = Number(
    flagOf("include_connections", query.include_connections, false),
  );
  const serendipity = LEVELS.get(level);
  if (serendipity === undefined) {
    const levels = [...LEVELS.keys()].join(", ");
    throw invalid("serendipity_level", `must be one of ${levels}, found ${show(level)}`);
  }
  head[SEARCH_SERENDIPITY] = serendipity;
  const filters = readFilters(query.filters, names, head);
  const embedding = readQueryEmbedding(query.embedding, head);
  head[SEARCH_MAX_SEEDS] = countOf("max_seeds", query.max_seeds, ABSENT);
  const given = query.bm25 ?? [];
  const count = listOf("bm25", given).length;
  const hits = new Array<string>(count);
  const scores = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const hit = given[index]!;
    if (typeof hit !== "object" || hit === null) throw invalidShape("bm25", index, hit);
    hits[index] = entryId("bm25", index, hit, "id", hit.id);
    const { score } = hit;
    if (typeof score !== "number" || !(score >= 0 && score < Infinity)) {
      throw invalidEntry(
        "bm25",
        index,
        hit,
        "score",
        `must be a finite number of at least 0, found ${show(score)}`,
      );
    }
    scores[index] = score;
  }
  head[SEARCH_HITS] = count;
  return { head, ...filters, hits, scores, embedding };
}

/** @internal */
const ASK_KEYS: ReadonlySet<string> = new Set([
  ...["limit", "min_score", "diversity", "embedding", "embedding_scale", "now", "time_zone"],
  ...["times", "filters", "among"],
]);
const SCALE_KEYS: ReadonlySet<string> = new Set(["of_unrelated", "of_related"]);

/** A question after reading: a search without hits, and the least score. @internal */
export interface ReadQuestion {
  text: string;
  search: ReadSearch;
  minScore: number;
  diversity: number;
}

/** @internal */
export function readQuestion(text: string, options: AskOptions, names: AllNames): ReadQuestion {
  if (typeof text !== "string") throw invalid("question", `must be a string, found ${show(text)}`);
  const given = optionsOf<AskOptions>("options", options, ASK_KEYS);
  const { limit, now, filters, among } = given;
  if (among !== undefined && !(among instanceof Uint32Array))
    throw invalid("among", `must be a Uint32Array, found ${show(among)}`);
  const minScore = shareOf("min_score", given.min_score);
  const diversity = shareOf("diversity", given.diversity);
  const head = new Float64Array(SEARCH);
  head[SEARCH_NOW] = presentOf(now);
  const offset = 60_000 * offsetIn(given.time_zone ?? "UTC", head[SEARCH_NOW]);
  head[SEARCH_UTC_OFFSET] = flagOf("times", given.times, true) ? offset : ABSENT;
  head[SEARCH_LIMIT] = limitOf(limit, DEFAULT_ANSWERS);
  const read = readFilters(filters, names, head);
  const embedding = readQueryEmbedding(given.embedding, head);
  readScale(given.embedding_scale, head);
  const scores = new Float64Array(0);
  const search = { head, ...read, hits: [], scores, embedding, among };
  return { text, search, minScore, diversity };
}

/** Writes the scale of an embedding's cosines into the head. */
function readScale(given: EmbeddingScale | undefined, head: Float64Array): void {
  head[SEARCH_OF_UNRELATED] = ABSENT;
  if (given === undefined) return;
  const scale = optionsOf<EmbeddingScale>("embedding_scale", given, SCALE_KEYS);
  const { of_unrelated: low, of_related: high }: Record<string, unknown> = scale;
  if (!(typeof low === "number" && low >= -1 && low <= 1))
    throw invalid("embedding_scale.of_unrelated", `must lie between -1 and 1, found ${show(low)}`);
  if (!(typeof high === "number" && high > low && high <= 1))
    throw invalid(
      "embedding_scale.of_related",
      `must be above of_unrelated and at most 1, found ${show(high)}`,
    );
  head[SEARCH_OF_UNRELATED] = low;
  head[SEARCH_OF_RELATED] = high;
}

/** The text of a memory. @internal */
export interface ReadText {
  title: string;
  body: string;
}

/** The options of a question about one memory. @internal */
export const WHY_KEYS: ReadonlySet<string> = new Set([...ASK_KEYS, "text"]);
const TEXT_KEYS: ReadonlySet<string> = new Set(["title", "text"]);

/** Reads the options of a question about one memory. @internal */
export function readWhy(
  question: string,
  options: WhyOptions,
  names: AllNames,
): { read: ReadQuestion; text: ReadText | undefined } {
  const { text, ...asked } = { ...optionsOf<WhyOptions>("options", options, WHY_KEYS) };
  const read = readQuestion(question, asked, names);
  if (text === undefined) return { read, text };
  const { title = "", text: body = "" } = optionsOf<NonNullable<WhyOptions["text"]>>(
    "text",
    text,
    TEXT_KEYS,
  );
  if (typeof title !== "string")
    throw invalid("text.title", `must be a string, found ${show(title)}`);
  if (typeof body !== "string") throw invalid("text.text", `must be a string, found ${show(body)}`);
  return { read, text: { title, body } };
}

/** Returns a number from 0 to 1; 0 if it is missing. */
function shareOf(field: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalid(field, `must lie between 0 and 1, found ${show(value)}`);
}

/** Reads a search by vector alone. @internal */
export function readSimilar(
  embedding: ArrayLike<number>,
  filters: SearchFilters | null | undefined,
  limit: number,
  now: number,
  names: AllNames,
): ReadSearch {
  const head = new Float64Array(SEARCH);
  head[SEARCH_NOW] = now;
  head[SEARCH_LIMIT] = limit;
  const read = readFilters(filters, names, head);
  if (embedding === undefined || embedding === null) {
    throw invalid("embedding", `must be an array of numbers, found ${show(embedding)}`);
  }
  return {
    head,
    ...read,
    hits: [],
    scores: new Float64Array(0),
    embedding: readQueryEmbedding(embedding, head),
  };
}

function readQueryEmbedding(embedding: unknown, head: Float64Array): ArrayLike<number> | undefined {
  head[SEARCH_COMPONENTS] = NO_EMBEDDING;
  if (embedding === undefined || embedding === null) return undefined;
  const components = new Components();
  const length = components.add(embedding);
  if (length === undefined)
    throw invalid("embedding", `must be an array of numbers, found ${show(embedding)}`);
  head[SEARCH_COMPONENTS] = length;
  return components.all;
}

/** @internal */
const FILTER_KEYS: ReadonlySet<string> = new Set([
  "types",
  "excluded_types",
  "subtypes",
  "lifecycles",
  "created_after",
  "created_before",
  "accessed_within_days",
  "cluster_ids",
  "tags_all",
  "tags_any",
  "tags_none",
  "excluded_ids",
  "relationship_types",
]);

/** Writes the numbers of the filters into the head. Returns their lists, as codes, and ids to exclude. */
function readFilters(
  given: SearchFilters | null | undefined,
  names: AllNames,
  head: Float64Array,
): Pick<ReadSearch, "lists" | "excluded"> {
  const filters: SearchFilters = optionsOf("filters", given ?? undefined, FILTER_KEYS);
  const moment = (field: "created_after" | "created_before") => {
    const instant = filters[field];
    const isLast = field === "created_before" && instant != null;
    const found = instantOf(isLast ? lastMillisecondsIn("UTC", instant) : instant);
    if (Number.isNaN(found))
      throw invalid(`filters.${field}`, problemWith("must be an instant", instant));
    return found;
  };
  head[SEARCH_CREATED_AFTER] = moment("created_after");
  head[SEARCH_CREATED_BEFORE] = moment("created_before");
  const days = filters.accessed_within_days;
  head[SEARCH_ACCESSED_WITHIN_DAYS] = numberOf(days);
  if (Number.isNaN(head[SEARCH_ACCESSED_WITHIN_DAYS])) {
    throw invalid(
      "filters.accessed_within_days",
      `must be a finite number of at least 0, found ${show(days)}`,
    );
  }
  const codes = (field: keyof SearchFilters, of: Names) =>
    textsOf(`filters.${field}`, filters[field]).map((name) => of.known(name));
  const states = textsOf("filters.lifecycles", filters.lifecycles).map((state) => {
    const code = STATE_CODES.get(state);
    if (code === undefined) {
      throw invalid(
        "filters.lifecycles",
        `must hold some of ${STORED_STATES.join(", ")}, found ${show(state)}`,
      );
    }
    return code;
  });
  const lists = Array.from({ length: FILTERS }, (): number[] => []);
  lists[FILTERS_TYPES] = codes("types", names.types);
  lists[FILTERS_EXCLUDED_TYPES] = codes("excluded_types", names.types);
  lists[FILTERS_SUBTYPES] = codes("subtypes", names.subtypes);
  lists[FILTERS_LIFECYCLES] = states;
  lists[FILTERS_CLUSTERS] = codes("cluster_ids", names.clusters);
  lists[FILTERS_TAGS_ALL] = codes("tags_all", names.tags);
  lists[FILTERS_TAGS_ANY] = codes("tags_any", names.tags);
  lists[FILTERS_TAGS_NONE] = codes("tags_none", names.tags);
  lists[FILTERS_RELATIONSHIP_TYPES] = codes("relationship_types", names.edgeTypes);
  return { lists, excluded: textsOf("filters.excluded_ids", filters.excluded_ids) };
}
