// Writes rows of an export into a store, within a transaction.

import { isOwnModel, ownModelOf } from "../embeddings/built-in.ts";
import type { Storage } from "../storage/storage.ts";
import type { PortableKind, PortableRow } from "../storage/tables/portable.ts";
import { LineError, readLine } from "./lines.ts";

/** The kinds of rows that files of other programs become. */
const OF_FILES: readonly PortableKind[] = ["node", "cluster", "membership", "edge"];

/**
 * Imports one row, unless it is there. `check` is called before it is written.
 *
 * @throws {LineError} If the row is invalid, or names one that is not there. Nothing is written then.
 */
export function importRow(
  storage: Storage,
  given: object,
  now: number,
  check: (kind: PortableKind, row: PortableRow) => void,
): "added" | "there" {
  const read = readLine(JSON.stringify(given), now);
  if (!("row" in read) || !OF_FILES.includes(read.kind))
    throw new LineError(`kind: must be ${OF_FILES.join(", ")}`);
  const { kind, row } = read;
  if (storage.portable.changedAt(kind, row) !== undefined) return "there";
  const lacking = storage.portable.lacking(kind, row);
  if (lacking !== undefined)
    throw new LineError(`${lacking}: names ${JSON.stringify(row[lacking])}, which is not there`);
  check(kind, row);
  writeRow(storage, kind, row);
  return "added";
}

/**
 * Writes a row, over a stored one with the same key.
 *
 * @throws {LineError} If its embedding does not fit the others.
 */
export function writeRow(storage: Storage, kind: PortableKind, row: PortableRow): void {
  noteVector(storage, row);
  storage.portable.put(kind, [row]);
  if (kind === "node") storage.nodes.seal([row.id as string]);
}

/**
 * Checks that an embedding is as long as the first one of the store. Of the first one it stores the
 * length, and the model if a server made it by itself: the server goes on with that.
 */
function noteVector(storage: Storage, { embedding_vector, embedding_model }: PortableRow): void {
  const bytes = embedding_vector as Uint8Array | null | undefined;
  if (bytes == null) return;
  const length = bytes.byteLength / Float32Array.BYTES_PER_ELEMENT;
  const dimensions = storage.embeddings.dimensions();
  if (length === dimensions) return;
  if (dimensions !== 0 && storage.embeddings.has(dimensions)) {
    throw new LineError(
      `embedding: must have ${dimensions} components, as the others, found ${length}`,
    );
  }
  storage.setMeta("dimensions", String(length));
  if (typeof embedding_model === "string" && isOwnModel(embedding_model))
    storage.setMeta(
      "embedding_model",
      JSON.stringify({ name: embedding_model, dimensions: length }),
    );
  else if (ownModelOf(storage) !== undefined) storage.setMeta("embedding_model", "");
}
