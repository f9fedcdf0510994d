// Nodes, edges, filters and searches, read off a caller's objects. Reading may run the caller's own
// code (getters, proxies), so all of it is done before the scratch is touched.

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
import { toMilliseconds } from "../instant.ts";
import { KnownFields } from "../suggest.ts";
import type { Instant } from "../types.ts";
import { type Names, textsOf } from "./names.ts";
import type {
  MemoryEdge,
  MemoryNode,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchFilters,
  SearchQuery,
  StoredLifecycleState,
} from "./types.ts";

/** A missing number; no field takes −∞. @internal */
export const ABSENT = Number.NEGATIVE_INFINITY;
/** A last access that never was. */
const NEVER = Number.POSITIVE_INFINITY;
/** Numbers of a node, of an edge, of a search's head. @internal */
export const NODE = 15;
/** @internal */
export const EDGE = 6;
/** @internal */
export const SEARCH = 11;
/** Where in a node's record its target stands. */
const TARGET = 0;
/** No embedding any more. */
const NO_EMBEDDING = -1;

const NODE_FIELDS = new KnownFields(
  ...["id", "sequence", "created_at", "last_accessed", "access_count", "stability"],
  ...["retrievability", "difficulty", "salience", "lifecycle", "type", "subtype", "tags"],
  ...["clusters", "embedding"],
);
const EDGE_FIELDS = new KnownFields(
  ...["id", "source_id", "target_id", "type", "strength", "sequence"],
);

/** The states in the order of their codes. @internal */
export const STORED_STATES: readonly StoredLifecycleState[] = [...LIFECYCLE_STATES, "DELETED"];
const STATE_CODES = new Map<unknown, number>(STORED_STATES.map((state, code) => [state, code]));

/** No embedding has as many; a longer list is none. */
const MOST_COMPONENTS = 2 ** 20;

const LEVELS: readonly unknown[] = ["off", "low", "medium", "high"];

/**
 * A batch as it was read: records without targets and codes, and the lists that they tell the
 * lengths of. @internal
 */
export interface Batch {
  ids: string[];
  records: Float64Array;
  /**
   * Types and subtypes, one after the other; null where there is to be none, undefined where none
   * is said.
   */
  kinds: (string | null | undefined)[];
  /** Tags and clusters. */
  labels: string[];
  embeddings: Components;
}

/** The names that nodes and edges have. @internal */
export interface AllNames {
  types: Names;
  subtypes: Names;
  edgeTypes: Names;
  tags: Names;
  clusters: Names;
}

const numberOf = (value: unknown): number => {
  if (value === undefined || value === null) return ABSENT;
  return typeof value === "number" && value !== ABSENT ? value : Number.NaN;
};

const momentOf = (value: Instant | null | undefined): number => {
  if (value === undefined || value === null) return ABSENT;
  const moment = toMilliseconds(value);
  return Number.isFinite(moment) ? moment : Number.NaN;
};

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

/** Its code; `none` is what null stands for. */
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
  };
  for (let index = 0, at = 0; index < count; index++, at += NODE) {
    const node = nodes[index]!;
    if (typeof node !== "object" || node === null) throw invalidShape("nodes", index, node);
    if (index === 0) requireNoMisspelling("nodes", index, node, NODE_FIELDS);
    batch.ids[index] = entryId("nodes", index, node, "id", node.id);
    const { last_accessed, lifecycle } = node;
    records[at + 1] = numberOf(node.sequence);
    records[at + 2] = momentOf(node.created_at);
    records[at + 3] = last_accessed === null ? NEVER : momentOf(last_accessed);
    records[at + 4] = numberOf(node.access_count);
    records[at + 5] = numberOf(node.stability);
    records[at + 6] = numberOf(node.retrievability);
    records[at + 7] = numberOf(node.difficulty);
    records[at + 8] = numberOf(node.salience);
    const state =
      lifecycle === undefined || lifecycle === null ? ABSENT : STATE_CODES.get(lifecycle);
    if (state === undefined) {
      const problem = `must be one of ${STORED_STATES.join(", ")}, found ${show(lifecycle)}`;
      throw invalidEntry("nodes", index, node, "lifecycle", problem);
    }
    records[at + 9] = state;
    kinds[2 * index] = nameOf("nodes", index, node, "type", node.type);
    kinds[2 * index + 1] = nameOf("nodes", index, node, "subtype", node.subtype);
    records[at + 12] = readLabels(index, node, "tags", node.tags, batch.labels);
    records[at + 13] = readLabels(index, node, "clusters", node.clusters, batch.labels);
    records[at + 14] = readEmbedding(index, node, node.embedding, batch);
  }
  return batch;
}

/**
 * Puts the codes of types and subtypes into a batch's records; the answer holds those of tags and
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
    records[at + 10] = codeOf(names.types, kinds[kind], ABSENT);
    records[at + 11] = codeOf(names.subtypes, kinds[kind + 1], 0);
    label(names.tags, records[at + 12]!);
    label(names.clusters, records[at + 13]!);
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

/** How many numbers a typed array has, whatever it says of itself. */
const lengthOf = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Int8Array.prototype),
  "length",
)!.get!;

/**
 * Embeddings as the scratch takes them, one after the other. A copy: what is read next may be code
 * that changes them, or takes their bytes away. One buffer for all of a batch: beside a hundred
 * thousand buffers, each further one takes V8 fifty microseconds.
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
   * Adds an embedding: how many components it has, or undefined for what is none. What is no number
   * becomes NaN, which the module refuses.
   */
  add(embedding: unknown): number | undefined {
    // Behind a proxy there is none, whatever it is an instance of.
    const isTyped = ArrayBuffer.isView(embedding) && !(embedding instanceof DataView);
    if (isTyped && (embedding instanceof Float32Array || embedding instanceof Float64Array)) {
      const at = this.#extend(lengthOf.call(embedding));
      // One whose buffer is detached has no components, and cannot even be copied.
      if (this.#length > at) this.#numbers.set(embedding, at);
      return this.#length - at;
    }
    if (!isTyped && !Array.isArray(embedding)) return undefined;
    const list = embedding as ArrayLike<unknown>;
    const { length } = list;
    if (!(Number.isInteger(length) && length >= 0 && length <= MOST_COMPONENTS)) return undefined;
    const at = this.#extend(length);
    for (let place = 0; place < length; place++) {
      const component = list[place];
      this.#numbers[at + place] = typeof component === "number" ? component : Number.NaN;
    }
    return length;
  }

  /** Makes room for so many more; where they go. */
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
 * Gives a record its target: −1 a new one, a row or slot, or −2 − place of an earlier entry.
 * @internal
 */
export function setTarget(
  records: Float64Array,
  size: number,
  index: number,
  target: number,
): void {
  records[index * size + TARGET] = target;
}

/**
 * Edges as they were read; the ends are given to the records when the ids are looked up. @internal
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
    records[at + 4] = numberOf(edge.strength);
    records[at + 5] = numberOf(edge.sequence);
  }
  return batch;
}

/** Puts the codes of their types into the records of edges. @internal */
export function setTypes({ records, types }: EdgeBatch, names: AllNames): void {
  types.forEach((type, index) => {
    records[index * EDGE + 3] = codeOf(names.edgeTypes, type, ABSENT);
  });
}

/** A search as it was read: its head, lists of codes, hits and embedding. @internal */
export interface ReadSearch {
  head: Float64Array;
  lists: number[][];
  hits: string[];
  scores: Float64Array;
  embedding: ArrayLike<number> | undefined;
}

/**
 * As `optionsOf` both, of a ranking, which may take no more than a microsecond. Keys are compared
 * one by one: asking a set is 5 % of that.
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
export const RERANK_KEYS: ReadonlySet<string> = new Set(["limit", "now", "sections"]);
/** @internal */
export const SIMILAR_KEYS: ReadonlySet<string> = new Set(["limit", "filter", "now"]);
/** @internal */
export const CANDIDATE_KEYS: ReadonlySet<string> = new Set([
  "ids",
  "handles",
  "semantic",
  "bm25",
  "graph",
]);
/** @internal */
export const QUERY_KEYS: ReadonlySet<string> = new Set([
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
  head[0] = presentOf(query.now);
  head[1] = limitOf(query.limit, ABSENT);
  head[2] = Number(flagOf("sections", query.sections, true));
  head[3] = Number(flagOf("include_connections", query.include_connections, false));
  head[4] = LEVELS.indexOf(level);
  if (head[4] < 0)
    throw invalid("serendipity_level", `must be one of ${LEVELS.join(", ")}, found ${show(level)}`);
  const lists = readFilters(query.filters, names, head);
  const embedding = readQueryEmbedding(query.embedding, head);
  head[9] = countOf("max_seeds", query.max_seeds, ABSENT);
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
  head[SEARCH - 1] = count;
  return { head, lists, hits, scores, embedding };
}

/** The same for a search by vector alone. @internal */
export function readSimilar(
  embedding: ArrayLike<number>,
  filters: SearchFilters | null | undefined,
  limit: number,
  now: number,
  names: AllNames,
): ReadSearch {
  const head = new Float64Array(SEARCH);
  head[0] = now;
  head[1] = limit;
  const lists = readFilters(filters, names, head);
  if (embedding === undefined || embedding === null) {
    throw invalid("embedding", `must be an array of numbers, found ${show(embedding)}`);
  }
  return {
    head,
    lists,
    hits: [],
    scores: new Float64Array(0),
    embedding: readQueryEmbedding(embedding, head),
  };
}

function readQueryEmbedding(embedding: unknown, head: Float64Array): ArrayLike<number> | undefined {
  head[8] = NO_EMBEDDING;
  if (embedding === undefined || embedding === null) return undefined;
  const components = new Components();
  const length = components.add(embedding);
  if (length === undefined)
    throw invalid("embedding", `must be an array of numbers, found ${show(embedding)}`);
  head[8] = length;
  return components.all;
}

/** @internal */
export const FILTER_KEYS: ReadonlySet<string> = new Set([
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
  "relationship_types",
]);

/** Puts the filters' numbers into the head; the answer holds their lists, as codes. */
function readFilters(
  given: SearchFilters | null | undefined,
  names: AllNames,
  head: Float64Array,
): number[][] {
  const filters: SearchFilters = optionsOf("filters", given ?? undefined, FILTER_KEYS);
  const moment = (field: "created_after" | "created_before") => {
    const instant = filters[field];
    const found = momentOf(instant);
    if (Number.isNaN(found))
      throw invalid(`filters.${field}`, problemWith("must be an instant", instant));
    return found;
  };
  head[5] = moment("created_after");
  head[6] = moment("created_before");
  const days = filters.accessed_within_days;
  head[7] = numberOf(days);
  if (Number.isNaN(head[7])) {
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
  return [
    codes("types", names.types),
    codes("excluded_types", names.types),
    codes("subtypes", names.subtypes),
    states,
    codes("cluster_ids", names.clusters),
    codes("tags_all", names.tags),
    codes("tags_any", names.tags),
    codes("tags_none", names.tags),
    codes("relationship_types", names.edgeTypes),
  ];
}
