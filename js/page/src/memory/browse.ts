// Lists the memories that are open: filtered, sorted by date, a page at a time.

import { createdAtOf, type IndexedNodeRow, kindInWords, namesIn } from "nous-memory";
import type { MemorySection } from "nous-wasm";
import type { Held } from "./held.ts";
import type { Counted, Listed } from "./records.ts";

export interface ListRequest {
  /** Words that title or text must hold, all of them. */
  text: string;
  section: MemorySection | "";
  kind: string;
  tag: string;
  /** Bounds of the day of creation, in milliseconds since 1970. */
  from: number | null;
  to: number | null;
  order: "newest" | "oldest";
  /** The page, from 0, and how many memories it has. Beyond the last page it is the last one. */
  page: number;
  size: number;
}

/** The values that filters test, computed once for all lists of a memory. */
interface Entry {
  row: IndexedNodeRow;
  created: number;
  section: MemorySection;
  kind: string;
  tags: readonly string[];
}

interface Listing {
  /** The changes of the memory as it was listed. */
  changes: number;
  /** The newest first. */
  entries: Entry[];
  kinds: Counted[];
  tags: Counted[];
}

/** The most kinds or tags that a filter offers. */
const MAX_OFFERED = 200;

/** The last listing of each memory, kept until it changes. */
const listings = new WeakMap<Held, Listing>();

function listingOf(held: Held): Listing {
  const { changes } = held;
  const known = listings.get(held);
  if (known?.changes === changes) return known;
  const entries = [...held.rows.nodes.values()].map((row) => ({
    row,
    created: createdAtOf(row) ?? 0,
    section: held.sectionOf(row),
    kind: kindInWords(row.subtype ?? ""),
    tags: row.tags === null ? [] : namesIn(row.tags),
  }));
  entries.sort((a, b) => b.created - a.created || b.row.sequence - a.row.sequence);
  const listing = {
    changes,
    entries,
    kinds: counted(entries.map(({ kind }) => kind)),
    tags: counted(entries.flatMap(({ tags }) => tags)),
  };
  listings.set(held, listing);
  return listing;
}

function counted(names: readonly string[]): Counted[] {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
    .slice(0, MAX_OFFERED);
}

/** Returns a page of the memories that pass the filters. */
export function list(held: Held, request: ListRequest): Listed {
  const { section, kind, tag, from, to, order, size } = request;
  const { entries, kinds, tags } = listingOf(held);
  const words = request.text.toLowerCase().split(/\s+/).filter(Boolean);
  const passing = entries.filter(
    (entry) =>
      (section === "" || entry.section === section) &&
      (kind === "" || entry.kind === kind) &&
      (tag === "" || entry.tags.includes(tag)) &&
      (from === null || entry.created >= from) &&
      (to === null || entry.created <= to) &&
      (words.length === 0 || holds(entry.row, words)),
  );
  if (order === "oldest") passing.reverse();
  const total = passing.length;
  const page = Math.min(request.page, Math.max(0, Math.ceil(total / size) - 1));
  const shown = passing.slice(page * size, (page + 1) * size);
  return { cards: shown.map(({ row }) => held.card(row.id)), page, total, kinds, tags };
}

function holds(row: IndexedNodeRow, words: readonly string[]): boolean {
  const text =
    `${row.content_title} ${row.content_summary ?? ""} ${row.content_body ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
