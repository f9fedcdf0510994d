// Rule: what a memory superseded does not become current again when that memory is deleted.

import { edgesOver, SUPERSEDES } from "nous-memory";
import type { Storage } from "./storage.ts";

/**
 * Within a write, before a memory is deleted: what it superseded is superseded by its successor from now
 * on.
 */
export function keepLine({ edges }: Pick<Storage, "edges">, id: string): void {
  const edgesOf = (end: string) => edges.of(end, "both").filter(({ type }) => type === SUPERSEDES);
  for (const edge of edgesOver(id, edgesOf)) edges.move(edge.id, edge.source_id);
}
