// Rule: which memory a text says again. It has the same statement and the same user, and the time, the
// session and the type of content that the text gives are its own. A text that gives less, such as a
// line of a prompt that an agent sends back, says it again, too.

import type { SearchFilters } from "nous-wasm";
import { EPISODE } from "../idle.ts";
import { createdAtOf, labelOf } from "../index-rows.ts";
import type { NodeRow } from "../rows.ts";
import { statementOf } from "../statement.ts";
import { parseInstant } from "../time.ts";
import { wordsOfMemory } from "../words-of-memory.ts";
import type { Piece } from "./split.ts";
import type { RememberedText, RememberingStore, Seen, SplitItem } from "./store.ts";
import { titleOfPiece } from "./titles.ts";

/** The older memories that a text is compared with. */
const MAX_COMPARED = 20;
/** UTF-16 units of a text by which they are found: a memory that begins with them is among the first. */
const MAX_ASKED = 300;

/** Returns the statement of the memory that a piece becomes. */
export const statementOfPiece = (
  { title }: Pick<RememberedText, "title">,
  piece: Piece,
): string => {
  const content_title = titleOfPiece(title, piece);
  return statementOf(
    wordsOfMemory({
      ...{ content_title, content_summary: null },
      content_body: content_title === piece.text ? null : piece.text,
    }),
  );
};

/** Returns the memories that may say what a piece says. */
export function candidatesOf(store: RememberingStore, item: SplitItem, piece: Piece): string[] {
  // An id of the caller's names a memory of its own.
  if (item.id != null) return [item.id];
  const filters = filtersOf(item);
  const answers = store.ask(piece.text.slice(0, MAX_ASKED), { limit: MAX_COMPARED, filters });
  return answers.map(({ id }) => id);
}

/**
 * Returns the memory that says what a piece says, among those of this call and some others; undefined if
 * there is none. One that no other supersedes comes first.
 */
export function sameStatement(
  store: RememberingStore,
  item: SplitItem,
  piece: Piece,
  { seen, found }: { seen: Seen; found: readonly string[] },
): NodeRow | undefined {
  const statement = statementOfPiece(item, piece);
  const isSame = (row: NodeRow) => {
    const isOwn = item.id == null || row.id === item.id;
    return isOwn && isOfSame(row, item) && statementOf(wordsOfMemory(row)) === statement;
  };
  const ids = [...(seen.get(statement) ?? []), ...found];
  if (ids.length === 0) return undefined;
  const rows = new Map(store.rows(ids).map((row) => [row.id, row]));
  const same = ids.flatMap((id) => rows.get(id) ?? []).filter(isSame);
  return same.find(({ id }) => store.successorsOf(id).length === 0) ?? same[0];
}

/** Whether a memory is of the user, the session and the times that a text gives. */
function isOfSame(row: NodeRow, item: SplitItem): boolean {
  if (row.user_id !== (item.user ?? null)) return false;
  if (item.isGiven) return true;
  const isSameTime = (given: string | null | undefined, own: number | undefined) =>
    given == null || parseInstant(given) === own;
  if (!isSameTime(item.event_time, parseInstant(row.temporal_event_time ?? ""))) return false;
  // A fact is told again in another conversation. A part of a conversation fades within weeks: it does
  // not stand for the fact that it tells.
  if (item.sources !== undefined)
    return ![row.type, row.subtype].includes(EPISODE) && !item.sources.has(row.id);
  return (
    isSameTime(item.created_at, createdAtOf(row)) &&
    (item.session == null || item.session === row.session_id)
  );
}

/** The part of that which the index knows. */
function filtersOf({ user, session, sources, isGiven }: SplitItem): SearchFilters {
  const labels = [
    ...(user == null ? [] : [labelOf("user", user)]),
    ...(session == null || sources !== undefined || isGiven ? [] : [labelOf("session", session)]),
  ];
  return labels.length === 0 ? {} : { tags_all: labels };
}

/** The most memories of a line of successors that are read. */
const MAX_LINE = 1_000;

/**
 * Returns the memories at the end of the line that superseded a memory: those that the statement
 * supersedes in its turn if it is made again. None if nothing superseded it, or if the statement is older.
 */
export function superseding(
  store: RememberingStore,
  { id }: NodeRow,
  { created_at }: RememberedText,
): string[] {
  const known = new Set([id]);
  const last: string[] = [];
  const next = [...store.successorsOf(id)];
  const at = created_at == null ? store.now : (parseInstant(created_at) ?? store.now);
  if (next.some((row) => (createdAtOf(row) ?? 0) > at)) return [];
  for (let row = next.pop(); row !== undefined && known.size < MAX_LINE; row = next.pop()) {
    if (known.has(row.id)) continue;
    known.add(row.id);
    const newer = store.successorsOf(row.id).filter((other) => !known.has(other.id));
    if (newer.length === 0) last.push(row.id);
    next.push(...newer);
  }
  return last;
}
