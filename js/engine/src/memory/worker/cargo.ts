// What a caller hands in, made ready to cross: the fields that the index reads and no others, and
// vectors gathered into buffers of their own, which move instead of being copied again.

import { requireShort } from "../../arguments.ts";
import { invalid, show } from "../../errors.ts";
import { FILTER_KEYS } from "../read.ts";
import type { MemoryEdge, MemoryNode } from "../types.ts";

/** Buffers that are to move with a message. @internal */
export type Cargo = Set<ArrayBuffer>;

type TypedArray = Float64Array | Float32Array | Uint8Array | Uint32Array;
type Plain = Record<string, unknown>;

/** The fields of a node and of an edge, all of them, as their types check. */
const NODE_FIELDS = Object.keys({
  id: 1,
  type: 1,
  subtype: 1,
  created_at: 1,
  last_accessed: 1,
  access_count: 1,
  stability: 1,
  retrievability: 1,
  difficulty: 1,
  salience: 1,
  lifecycle: 1,
  tags: 1,
  clusters: 1,
  embedding: 1,
  sequence: 1,
} satisfies Record<keyof MemoryNode, 1>);
const EDGE_FIELDS = Object.keys({
  id: 1,
  source_id: 1,
  target_id: 1,
  type: 1,
  strength: 1,
  sequence: 1,
} satisfies Record<keyof MemoryEdge, 1>);

/**
 * A batch of nodes. Their embeddings travel in one buffer; with `transfer` typed arrays travel in
 * their own. @internal
 */
export function packNodes(nodes: readonly MemoryNode[], transfer: boolean, cargo: Cargo): unknown {
  const packed = pick("nodes", nodes, NODE_FIELDS);
  if (!Array.isArray(packed)) return packed;
  const gathered: [Plain, ArrayLike<unknown>][] = [];
  let bytes = 0;
  for (const node of packed) {
    const embedding: unknown = node?.embedding;
    const isTyped = isTypedArray(embedding);
    if (isTyped && transfer && embedding.length > 0 && isOrdinary(embedding.buffer))
      cargo.add(embedding.buffer);
    else if (isTyped || Array.isArray(embedding)) {
      requireShort("nodes.embedding", embedding);
      gathered.push([node, embedding]);
      bytes += room(embedding);
    }
  }
  if (gathered.length === 0) return packed;
  const buffer = new ArrayBuffer(bytes);
  let at = 0;
  for (const [node, embedding] of gathered) {
    node.embedding = write(embedding, buffer, at);
    at += room(embedding);
  }
  cargo.add(buffer);
  return packed;
}

/** A batch of edges. @internal */
export const packEdges = (edges: readonly MemoryEdge[]): unknown =>
  pick("edges", edges, EDGE_FIELDS);

/** Numbers, where they are some: a view would take all that its buffer holds along. @internal */
export function packNumbers(numbers: unknown, cargo: Cargo): unknown {
  if (!isTypedArray(numbers)) return numbers;
  const copy = copyOf(numbers);
  cargo.add(copy.buffer);
  return copy;
}

/**
 * An object whose fields may be columns of numbers. The index reads them by their names, so they
 * may be inherited, or had by getters, which would not cross; `known` are those names. What has
 * other names crosses, too, to be refused there. @internal
 */
export function packFields<T>(fields: T, known: ReadonlySet<string>, cargo: Cargo): T {
  if (!isObject(fields)) return fields;
  // Without a prototype, which a field's name could be.
  const packed: Plain = Object.create(null);
  for (const name in fields) packed[name] = packNumbers(fields[name], cargo);
  for (const name of known) {
    if (name in packed) continue;
    const field = packNumbers(fields[name], cargo);
    if (field !== undefined) packed[name] = field;
  }
  return packed as T;
}

/** The same of an object with filters in one of its fields. @internal */
export function packFiltered<T>(
  fields: T,
  known: ReadonlySet<string>,
  filters: string,
  cargo: Cargo,
): T {
  const packed: unknown = packFields(fields, known, cargo);
  if (isObject(packed) && filters in packed)
    packed[filters] = packFields(packed[filters], FILTER_KEYS, cargo);
  return packed as T;
}

/** A snapshot, which moves; one that is part of a larger buffer is copied. @internal */
export function packSnapshot(
  snapshot: unknown,
  cargo: Cargo,
): Uint8Array | ArrayBuffer | undefined {
  if (snapshot === undefined) return undefined;
  const isView = snapshot instanceof Uint8Array;
  if (!isView && !isOrdinary(snapshot)) {
    throw invalid("snapshot", `must be a Uint8Array or an ArrayBuffer, found ${show(snapshot)}`);
  }
  const buffer = isView ? snapshot.buffer : snapshot;
  if (!isOrdinary(buffer) || buffer.byteLength !== snapshot.byteLength) {
    return packNumbers(snapshot, cargo) as Uint8Array;
  }
  cargo.add(buffer);
  return snapshot;
}

/** Objects with those fields alone; what is no list of objects stays, for the index to refuse. */
function pick(batch: string, entries: readonly object[], fields: readonly string[]): Plain[] {
  if (!Array.isArray(entries)) return entries as never;
  requireShort(batch, entries);
  return Array.from(entries, (entry: Plain) => {
    if (typeof entry !== "object" || entry === null) return entry;
    const picked: Plain = {};
    for (const field of fields) {
      const value = entry[field];
      if (value !== undefined) picked[field] = value;
    }
    return picked;
  });
}

const isObject = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Shared memory is another thing: it stays where it is, so that it has to be copied. */
const isOrdinary = (buffer: unknown): buffer is ArrayBuffer =>
  Object.prototype.toString.call(buffer) === "[object ArrayBuffer]";

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function copyOf(numbers: TypedArray): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(numbers.byteLength);
  // Of what has been moved elsewhere there is nothing to read.
  if (bytes.length > 0)
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  // The tag is the array's own, whatever class was made of it.
  const { [numbers[Symbol.toStringTag]]: Kind } = globalThis as unknown as Record<
    string,
    typeof Uint8Array
  >;
  return new Kind!(bytes.buffer) as Uint8Array<ArrayBuffer>;
}

/** Bytes that an embedding takes in a buffer. */
const room = (embedding: ArrayLike<unknown>): number =>
  embedding instanceof Float32Array ? Math.ceil(embedding.length / 2) * 8 : embedding.length * 8;

/** Writes an embedding; what is no number becomes NaN, which the index refuses. */
function write(embedding: ArrayLike<unknown>, buffer: ArrayBuffer, at: number): TypedArray {
  if (embedding instanceof Float32Array) {
    const written = new Float32Array(buffer, at, embedding.length);
    if (written.length > 0) written.set(embedding);
    return written;
  }
  const written = new Float64Array(buffer, at, embedding.length);
  if (embedding instanceof Float64Array && written.length > 0) written.set(embedding);
  else {
    for (let place = 0; place < embedding.length; place++) {
      const component = embedding[place];
      written[place] = typeof component === "number" ? component : Number.NaN;
    }
  }
  return written;
}
