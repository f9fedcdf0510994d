// Packing arguments for a worker: copies the fields that the index reads, and gathers vectors in
// buffers that are transferred instead of copied again.

import { requireShort } from "../../arguments.ts";
import { invalid, show } from "../../errors.ts";
import { FILTER_KEYS } from "../read.ts";
import type { MemoryEdge, MemoryNode } from "../types.ts";

/** Buffers to transfer with a message. @internal */
export type Cargo = Set<ArrayBuffer>;

type TypedArray = Float64Array | Float32Array | Uint8Array | Uint32Array;
type Plain = Record<string, unknown>;

/** All fields of a node and of an edge. The types check that the lists are complete. */
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
  title: 1,
  text: 1,
  event_time: 1,
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
 * Packs a batch of nodes. Embeddings are gathered in one buffer. With `transfer`, typed arrays keep
 * their own buffers. @internal
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

/** Packs a batch of edges. @internal */
export const packEdges = (edges: readonly MemoryEdge[]): unknown =>
  pick("edges", edges, EDGE_FIELDS);

/**
 * Packs a typed array as a copy. Without a copy, a view would take its whole buffer along. Other
 * values are returned unchanged. @internal
 */
export function packNumbers(numbers: unknown, cargo: Cargo): unknown {
  if (!isTypedArray(numbers)) return numbers;
  const copy = copyOf(numbers);
  cargo.add(copy.buffer);
  return copy;
}

/**
 * Packs an object whose fields may be columns of numbers. Fields that are inherited or have getters
 * would not be sent, so the fields in `known` are read by name. Unknown fields are sent, too; the
 * index refuses them. @internal
 */
export function packFields<T>(fields: T, known: ReadonlySet<string>, cargo: Cargo): T {
  if (!isObject(fields)) return fields;
  // Without a prototype, because a field may have the name of an inherited one.
  const packed: Plain = Object.create(null);
  for (const name in fields) packed[name] = packNumbers(fields[name], cargo);
  for (const name of known) {
    if (name in packed) continue;
    const field = packNumbers(fields[name], cargo);
    if (field !== undefined) packed[name] = field;
  }
  return packed as T;
}

/** Packs an object as `packFields` does, with filters in one of its fields. @internal */
export function packFiltered<T>(
  fields: T,
  known: ReadonlySet<string>,
  filters: string,
  cargo: Cargo,
): T {
  return packParts(packFields(fields, known, cargo), [filters], FILTER_KEYS, cargo);
}

/** Packs the objects in some fields of a packed object as `packFields` does. @internal */
export function packParts<T>(
  packed: T,
  parts: readonly string[],
  known: ReadonlySet<string>,
  cargo: Cargo,
): T {
  const fields: unknown = packed;
  if (!isObject(fields)) return packed;
  for (const part of parts)
    if (part in fields) fields[part] = packFields(fields[part], known, cargo);
  return packed;
}

/** Packs a snapshot, which is transferred. A view of a part of a buffer is copied. @internal */
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

/**
 * Returns objects with the given fields only. A value that is no list of objects is returned
 * unchanged; the index refuses it.
 */
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

/** Shared memory cannot be transferred and must be copied. */
const isOrdinary = (buffer: unknown): buffer is ArrayBuffer =>
  Object.prototype.toString.call(buffer) === "[object ArrayBuffer]";

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function copyOf(numbers: TypedArray): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(numbers.byteLength);
  // A detached buffer cannot be read.
  if (bytes.length > 0)
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  // The tag is that of the built-in class, also for a subclass.
  const { [numbers[Symbol.toStringTag]]: Kind } = globalThis as unknown as Record<
    string,
    typeof Uint8Array
  >;
  return new Kind!(bytes.buffer) as Uint8Array<ArrayBuffer>;
}

/** Bytes of an embedding in a buffer. */
const room = (embedding: ArrayLike<unknown>): number =>
  embedding instanceof Float32Array ? Math.ceil(embedding.length / 2) * 8 : embedding.length * 8;

/** Writes an embedding. A component that is no number becomes NaN, which the index refuses. */
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
