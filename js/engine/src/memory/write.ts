// Changes of nodes and edges. The batches were read before: no code of the caller runs here.

import {
  ABSENT,
  EDGE,
  EDGE_FROM,
  EDGE_TARGET,
  EDGE_TO,
  NO_END,
  NOBODY,
  NODE,
  NODE_TARGET,
  NODE_TEXT,
  NODE_TITLE,
  TARGET_EARLIER,
  TARGET_NEW,
} from "../generated/layout.ts";
import { checkRoom } from "../resident/resident-index.ts";
import { maxBytes, writeText } from "../text.ts";
import { naming } from "./names.ts";
import { type Batch, codesOf, type EdgeBatch, setTypes } from "./read.ts";
import { refusedEntry } from "./refusals.ts";
import type { MemoryState } from "./state.ts";
import { edgeAt } from "./stored.ts";
import type { Linked, MemoryEdge, MemoryNode, Strengthened } from "./types.ts";

/**
 * Adds and changes the nodes of a batch, which was read from `nodes`. Returns the count of new
 * nodes. @internal
 */
export function storeNodes(
  state: MemoryState,
  batch: Batch,
  nodes: readonly MemoryNode[],
  now: number,
): number {
  const { resident, rows, ids, names } = state;
  const { records } = batch;
  const count = batch.ids.length;
  const added = setTargets(batch.ids, rows, records, NODE, NODE_TARGET);
  checkRoom("nodes", rows.size + added);
  naming([names.types, names.subtypes, names.tags, names.clusters], () => {
    const codes = codesOf(batch, names);
    const embeddings = batch.embeddings.all;
    const units = batch.texts.reduce((sum, text) => sum + text.length, 0);
    resident.reserve(
      records.length + embeddings.length,
      Math.max(codes.length, count),
      maxBytes(units),
    );
    writeTexts(state, batch);
    resident.numbers.set(records, resident.numbersAt);
    resident.rows.set(codes, resident.rowsAt);
    resident.numbers.set(embeddings, resident.numbersAt + records.length);
    if (!resident.module.upsert(count, now, state.addWord))
      throw refusedEntry(state, "nodes", nodes);
  });
  resident.relocate();
  for (let index = 0; index < count; index++) {
    if (records[index * NODE + NODE_TARGET] !== TARGET_NEW) continue;
    const row = resident.rows[resident.rowsAt + index]!;
    const id = batch.ids[index]!;
    rows.set(id, row);
    ids[row] = id;
  }
  resident.shrinkIfLarge();
  return added;
}

/** Writes the texts of a batch into the bytes, and their lengths into its records. */
function writeTexts({ resident }: MemoryState, { records, texts }: Batch): void {
  let to = resident.bytesAt;
  const write = (text: string) => {
    const length = writeText(text, resident.bytes, to);
    to += length;
    return length;
  };
  for (let at = 0, text = 0; text < texts.length; at += NODE) {
    if (records[at + NODE_TITLE] === ABSENT) continue;
    records[at + NODE_TITLE] = write(texts[text++]!);
    records[at + NODE_TEXT] = write(texts[text++]!);
  }
}

/** Removes the nodes of rows, and their edges. @internal */
export function removeNodes(state: MemoryState, rows: readonly number[]): void {
  const { resident } = state;
  resident.reserve(0, rows.length, 0);
  resident.rows.set(rows, resident.rowsAt);
  const slots = resident.module.remove(rows.length);
  for (const row of rows) {
    state.rows.delete(state.ids[row]!);
    state.ids[row] = undefined;
  }
  forgetEdges(state, slots);
}

/** Adds and changes the edges of a batch, which was read from `edges`. @internal */
export function storeEdges(
  state: MemoryState,
  batch: EdgeBatch,
  edges: readonly MemoryEdge[],
): Linked {
  const { resident, rows, slots, edgeIds, names } = state;
  const { records, ids } = batch;
  const count = ids.length;
  for (let index = 0; index < count; index++) {
    const source = rows.get(batch.sources[index]!);
    const target = rows.get(batch.targets[index]!);
    // The module checks an edge without an end as it checks others, and leaves it out.
    records[index * EDGE + EDGE_FROM] = target === undefined ? NO_END : (source ?? NO_END);
    records[index * EDGE + EDGE_TO] = target ?? NO_END;
  }
  const added = setTargets(
    ids,
    slots,
    records,
    EDGE,
    EDGE_TARGET,
    (index) => records[index * EDGE + EDGE_FROM] === NO_END,
  );
  checkRoom("edges", slots.size + added);
  naming([names.edgeTypes], () => {
    setTypes(batch, names);
    resident.reserve(count * EDGE, count, 0);
    resident.numbers.set(records, resident.numbersAt);
    if (!resident.module.link(count)) throw refusedEntry(state, "edges", edges);
  });
  resident.relocate();
  const ignored: string[] = [];
  for (let index = 0; index < count; index++) {
    const slot = resident.rows[resident.rowsAt + index]!;
    const id = ids[index]!;
    if (slot === NOBODY) {
      ignored.push(id);
      continue;
    }
    const known = slots.get(id);
    if (known === slot) continue;
    // An edge whose ends changed has a new slot. Its old slot may belong to another edge of this
    // batch already.
    if (known !== undefined && edgeIds[known] === id) edgeIds[known] = undefined;
    slots.set(id, slot);
    edgeIds[slot] = id;
  }
  resident.shrinkIfLarge();
  return { linked: count - ignored.length, ignored };
}

/** Removes the edges of slots. @internal */
export function removeEdges(state: MemoryState, slots: readonly number[]): void {
  const { resident } = state;
  resident.reserve(0, slots.length, 0);
  resident.rows.set(slots, resident.rowsAt);
  resident.module.unlink(slots.length);
  forgetEdges(state, slots);
}

/** Counts an access of each row. Returns the count of accesses. @internal */
export function countAccesses(
  { resident }: MemoryState,
  how: "touch" | "recall",
  rows: readonly number[],
  now: number,
): number {
  resident.reserve(0, rows.length, 0);
  resident.rows.set(rows, resident.rowsAt);
  const counted = resident.module[how](rows.length, now);
  if (counted < 0) throw resident.refusal();
  return counted;
}

/** Strengthens the edges between the rows of each group. @internal */
export function strengthenEdges(
  state: MemoryState,
  groups: readonly (readonly number[])[],
  amount: number,
): Strengthened {
  const { resident, edgeIds } = state;
  const flat = groups.flat();
  resident.reserve(0, groups.length + flat.length, 0);
  resident.rows.set(
    groups.map(({ length }) => length),
    resident.rowsAt,
  );
  resident.rows.set(flat, resident.rowsAt + groups.length);
  const slots = resident.module.strengthen(groups.length, amount);
  if (slots === undefined) throw resident.refusal();
  const strengths = Float64Array.from(slots, (slot) => edgeAt(state, slot).strength);
  return { ids: Array.from(slots, (slot) => edgeIds[slot]!), strengths };
}

/** Writes the target of each entry into its record. Returns the count of new ids. */
function setTargets(
  ids: readonly string[],
  known: ReadonlyMap<string, number>,
  records: Float64Array,
  size: number,
  field: number,
  isLeftOut: (index: number) => boolean = () => false,
): number {
  const first = new Map<string, number>();
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    if (isLeftOut(index)) continue;
    const there = known.get(id);
    if (there !== undefined) {
      records[index * size + field] = there;
      continue;
    }
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    records[index * size + field] = before === undefined ? TARGET_NEW : TARGET_EARLIER - before;
  }
  return first.size;
}

function forgetEdges({ slots, edgeIds }: MemoryState, freed: ArrayLike<number>): void {
  for (let place = 0; place < freed.length; place++) {
    const slot = freed[place]!;
    const id = edgeIds[slot];
    if (id === undefined) continue;
    slots.delete(id);
    edgeIds[slot] = undefined;
  }
}
