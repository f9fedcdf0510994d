// Changes the memory that is open: edits, deletions, conflicts. The memory of a server is changed
// on the server first, and here if the server agreed. Other memories remember how to undo.

import {
  type EdgeRow,
  GUESSES,
  type IndexedNodeRow,
  type JsonObject as Json,
  jsonObjectIn,
  namesIn,
  stabilityOfNew,
} from "nous-memory";
import { getInitialEdgeStrength } from "nous-wasm";
import type { Decided, Held, Past } from "./held.ts";
import { keepChange, keepDeletion } from "./kept.ts";
import { addRow, nodeLine } from "./lines.ts";
import type { Conflict, Decision, Resolution, Seen, Texts } from "./records.ts";

/** Why a change is refused of a memory that is not as the visitor saw it. */
const CHANGED = "Somebody changed this memory meanwhile. Here it is as it is now.";
/** The most steps that can be undone. */
const MAX_STEPS = 50;

function notePast(held: Held, past: Past): void {
  held.pasts = [...held.pasts, past].slice(-MAX_STEPS);
}

const edgeLine = ({ sequence: _, ...edge }: EdgeRow): Json => ({ kind: "edge", ...edge });

/** Notes that memories were added, with the lines to keep of them. */
export async function noteAdded(
  held: Held,
  added: readonly string[],
  lines: readonly Json[],
): Promise<void> {
  if (added.length > 0) notePast(held, { rows: [], edges: [], added });
  await keepChange(held, lines);
}

/** Puts rows into the memory, and keeps them. */
async function put(
  held: Held,
  rows: readonly IndexedNodeRow[],
  edges: readonly EdgeRow[] = [],
  others: readonly Json[] = [],
): Promise<void> {
  held.put(rows);
  const known = new Set(held.rows.edges.map(({ id }) => id));
  const fresh = edges.filter(({ id }) => !known.has(id));
  held.rows.edges.push(...fresh);
  held.link(fresh);
  const nodes = rows.map((row) => nodeLine(held.rows, row));
  await keepChange(held, [...nodes, ...fresh.map(edgeLine), ...others]);
}

function rowOf(held: Held, id: string): IndexedNodeRow {
  const row = held.row(id);
  if (row === undefined) throw new Error("This memory is no longer there.");
  return row;
}

/** Returns the texts of a memory as a form shows them. */
export function texts(held: Held, id: string): Texts {
  const { content_title, content_summary, content_body, tags, subtype, version } = rowOf(held, id);
  const within = jsonObjectIn(content_body)?.text;
  return {
    title: content_title,
    summary: content_summary,
    text: typeof within === "string" ? within : (content_body ?? ""),
    tags: tags === null ? [] : namesIn(tags),
    kind: subtype ?? "",
    version,
  };
}

/** Changes the texts and the kind of a memory. */
export async function edit(held: Held, id: string, changed: Texts) {
  const row = rowOf(held, id);
  const { title, summary, text, tags, kind, version = row.version } = changed;
  const changes = {
    content_title: title,
    content_summary: summary,
    content_body: bodyWith(row, text),
    ...(kind === undefined || kind === (row.subtype ?? "") ? {} : ofKind(held, kind)),
  };
  if (held.server !== undefined) {
    await onServer(held, id, () =>
      held.server!.update(id, version, { ...changes, tags: [...tags] }),
    );
    return;
  }
  notePast(held, { rows: [row], edges: [] });
  const last_modified = new Date(held.now).toISOString();
  await put(held, [{ ...row, ...changes, tags: JSON.stringify(tags), last_modified }]);
}

/** Returns what a memory of another kind has: it fades as those of this kind. */
const ofKind = ({ engine }: Held, kind: string) => ({
  ...{ type: kind, subtype: kind },
  neural_stability: stabilityOfNew(engine, kind, null),
});

/** Returns the body with another text. The other fields of a JSON body stay. */
function bodyWith({ content_body }: IndexedNodeRow, text: string): string | null {
  const fields = jsonObjectIn(content_body);
  if (fields !== undefined && typeof fields.text === "string")
    return JSON.stringify({ ...fields, text });
  return text === "" && content_body === null ? null : text;
}

/** Makes a change on the server. If it refuses, the memory is shown as the server has it. */
async function onServer(held: Held, id: string, change: () => Promise<Json>): Promise<void> {
  try {
    take(held, [await change()]);
  } catch (error) {
    await readAgain(held, id);
    throw error;
  }
}

/** Puts rows of the server into the memory. A row that is older than what is here comes too late. */
export function take(held: Held, rows: readonly Json[]): void {
  const known = held.rows.edges.length;
  const ids = new Set(held.rows.edges.map(({ id }) => id));
  const changed: string[] = [];
  for (const row of rows) {
    const id = row.id as string;
    if (row.kind === "edge" ? ids.has(id) : row.kind === "node" && held.isOlder(row)) continue;
    addRow(held.rows, row);
    if (row.kind === "node") changed.push(id);
  }
  held.put(changed.map((id) => rowOf(held, id)));
  held.link(held.rows.edges.slice(known));
}

/** Shows a memory as the server has it. A memory that cannot be read stays as it is. */
async function readAgain(held: Held, id: string): Promise<void> {
  try {
    take(held, [await held.server!.readRow(id)]);
  } catch {
    // The refusal of the change is shown already. A second message would not help.
  }
}

/**
 * Reads memories of a server anew.
 *
 * @throws {Error} If one is no longer as it was seen.
 */
async function requireSeen(held: Held, seen: readonly Seen[]): Promise<void> {
  for (const { id, version } of seen) {
    const known = rowOf(held, id).version;
    if (held.server === undefined) continue;
    const row = await held.server.readRow(id);
    if (row.version !== known) take(held, [row]);
    if (row.version !== version) throw new Error(CHANGED);
  }
}

/** Deletes memories, each if it is as it was seen. */
export async function remove(held: Held, seen: readonly Seen[]): Promise<void> {
  const ids = seen.map(({ id }) => id);
  const rows = ids.map((id) => rowOf(held, id));
  if (held.server === undefined) {
    const gone = new Set(ids);
    const edges = held.rows.edges.filter((it) => gone.has(it.source_id) || gone.has(it.target_id));
    notePast(held, { rows, edges });
    held.remove(ids);
    await keepDeletion(held, ids);
    return;
  }
  for (const { id, version } of seen) {
    try {
      await held.server.delete(id, version);
    } catch (error) {
      await readAgain(held, id);
      throw error;
    }
    held.remove([id]);
  }
}

/** Undoes the latest edit or deletion. Does nothing if there is none. */
export async function undo(held: Held): Promise<void> {
  const past = held.pasts.at(-1);
  if (past === undefined) return;
  held.pasts = held.pasts.slice(0, -1);
  const { added = [], waiting } = past;
  if (waiting !== undefined) return reopenHere(held, waiting, past);
  if (added.length > 0) {
    held.remove(added);
    await keepDeletion(held, added);
    return;
  }
  const changed = new Set(past.edges.map(({ id }) => id));
  // A deletion has the edge as it was decided.
  const isUndone = ({ edge }: Decided) => edge !== undefined && past.edges.includes(edge);
  for (const decided of held.decisions.filter(isUndone)) markConflicts(held, decided, undefined);
  held.decisions = held.decisions.filter((decided) => !isUndone(decided));
  // An edge that a decision has changed becomes what it was.
  held.dropEdges(({ id }) => changed.has(id));
  const ids = new Set<string | null>(past.rows.map(({ id }) => id));
  // A deletion removes conflicts from the saved memory, too.
  const related = held.rows.conflicts.filter(
    ({ old_node_id, new_node_id }) => ids.has(old_node_id) || ids.has(new_node_id),
  );
  await put(
    held,
    past.rows,
    past.edges,
    related.map(({ read }) => read),
  );
}

/** Returns the conflicts that wait, the surest first. */
export function conflicts(held: Held): Conflict[] {
  const waiting = held.rows.conflicts.filter(
    ({ status, old_node_id, new_node_id, new_content }) =>
      status !== "resolved" &&
      held.row(old_node_id) !== undefined &&
      (new_node_id === null ? new_content !== null : held.row(new_node_id) !== undefined),
  );
  return waiting
    .map(({ id, old_node_id, new_node_id, new_content, detection_confidence }) => {
      const newer = new_node_id === null ? undefined : held.card(new_node_id);
      return {
        id,
        older: held.card(old_node_id),
        ...(newer === undefined ? {} : { newer }),
        newText: newer?.text ?? new_content ?? "",
        sureness: detection_confidence,
      };
    })
    .sort((a, b) => (b.sureness ?? 0) - (a.sureness ?? 0));
}

/**
 * Decides a guess that a newer memory replaces an older one, as both were seen: it does, or both hold.
 * The edge of the guess becomes the one that is sure, or relates the two.
 */
export async function decide(
  held: Held,
  older: Seen,
  newer: Seen,
  resolution: Decision,
): Promise<void> {
  await requireSeen(held, [older, newer]);
  const guess = held.guessOf(older.id);
  if (guess?.source_id !== newer.id) throw new Error("This guess is no longer there.");
  await decideGuess(held, guess, resolution);
}

/** Decides the guess of an edge. */
async function decideGuess(
  held: Held,
  guess: Pick<EdgeRow, "id" | "source_id" | "target_id">,
  resolution: Decision,
): Promise<void> {
  const { source_id, target_id: id } = guess;
  if (held.server !== undefined) {
    const rows = await held.server.decide(id, source_id, resolution);
    held.dropEdges((edge) => edge.id === guess.id);
    take(held, rows);
    const decided = { how: resolution, older: id, newer: source_id };
    held.decisions = [...held.decisions, decided];
    markConflicts(held, decided, resolution);
    return;
  }
  const at = held.rows.edges.findIndex((edge) => edge.id === guess.id);
  const edge = held.rows.edges[at]!;
  notePast(held, { rows: [rowOf(held, id)], edges: [edge] });
  held.decisions = [...held.decisions, { how: resolution, older: id, newer: source_id, edge }];
  const type = resolution === "keep_both" ? "relates_to" : "supersedes";
  const strength = getInitialEdgeStrength(type);
  const decided: EdgeRow = { ...edge, type, strength, neural_weight: strength };
  held.rows.edges[at] = decided;
  held.link([decided]);
  const past = rowOf(held, id);
  const last_modified = new Date(held.now).toISOString();
  const rows: IndexedNodeRow[] =
    resolution === "keep_both" ? [] : [{ ...past, state_lifecycle: "DORMANT", last_modified }];
  const marked = markConflicts(held, { older: id, newer: source_id }, resolution);
  await put(held, rows, [], [edgeLine(decided), ...marked]);
}

/** Marks the conflicts of two memories as decided, or as waiting again. Returns their lines. */
function markConflicts(
  held: Held,
  { older, newer }: Pick<Decided, "older" | "newer">,
  resolution: Decision | undefined,
): Json[] {
  const state =
    resolution === undefined
      ? { status: "pending", resolution: null, resolved_at: null }
      : { status: "resolved", resolution, resolved_at: new Date(held.now).toISOString() };
  const lines = held.rows.conflicts
    .filter((it) => it.old_node_id === older && it.new_node_id === newer)
    .map(({ read }): Json => ({ ...read, ...state }));
  for (const line of lines) addRow(held.rows, line);
  return lines;
}

/** Takes a decision of this visit about two memories back, as they were seen: the guess is there again. */
export async function undecide(held: Held, ...seen: [older: Seen, newer: Seen]): Promise<void> {
  const [id, newer] = [seen[0].id, seen[1].id];
  const decided = held.decisions.find((it) => it.older === id && it.newer === newer);
  if (decided === undefined) throw new Error("This decision is no longer there.");
  const { edge } = decided;
  await requireSeen(held, seen);
  if (held.server !== undefined) {
    const rows = await held.server.decide(id, newer, "undecided");
    const ends = new Set([id, newer]);
    held.dropEdges(({ source_id, target_id }) => ends.has(source_id) && ends.has(target_id));
    take(held, rows);
  }
  held.decisions = held.decisions.filter((it) => it !== decided);
  const marked = markConflicts(held, { older: id, newer }, undefined);
  if (edge === undefined) return;
  const steps = held.pasts;
  const place = steps.findIndex(({ edges }) => edges.includes(edge));
  const state_lifecycle = steps[place]?.rows[0]?.state_lifecycle ?? "ACTIVE";
  // What was edited since stays, and no later step brings the decision back.
  const later = steps.slice(place + 1).map(({ rows, edges, ...step }) => ({
    ...step,
    rows: rows.map((row) => (row.id === id ? { ...row, state_lifecycle } : row)),
    edges: edges.map((it) => (it.id === edge.id ? edge : it)),
  }));
  held.pasts = [...steps.slice(0, Math.max(place, 0)), ...later];
  held.dropEdges((it) => it.id === edge.id);
  await put(held, [{ ...rowOf(held, id), state_lifecycle }], [edge], marked);
}

/** The id of the edge that the decision of a conflict makes. */
const edgeOf = (conflict: string): string => `e_${conflict}`;

/** Takes the decision of a conflict back: it waits again. */
export async function reopen(held: Held, id: string): Promise<void> {
  const conflict = held.rows.conflicts.find((it) => it.id === id);
  if (conflict === undefined) throw new Error("This conflict is no longer there.");
  const { old_node_id: older, new_node_id: newer, read } = conflict;
  if (newer !== null && held.decisions.some((it) => it.older === older && it.newer === newer))
    return undecide(held, rowOf(held, older), rowOf(held, newer));
  if (held.server !== undefined) {
    const rows = await held.server.resolve(id, "undecided");
    const ends = new Set([older, newer]);
    held.dropEdges(({ source_id, target_id }) => ends.has(source_id) && ends.has(target_id));
    take(held, [...rows, waitingAgain(read)]);
    return;
  }
  const past = held.pasts.find((step) => step.waiting === id);
  if (past === undefined) throw new Error("This decision is no longer there.");
  await reopenHere(held, id, past);
}

const waitingAgain = (read: Json): Json => ({
  ...read,
  ...{ status: "pending", resolution: null, resolved_at: null },
});

/** Lets a conflict of a memory in the page wait again. What was edited since stays. */
async function reopenHere(held: Held, id: string, past: Past): Promise<void> {
  const states = new Map(past.rows.map((row) => [row.id, row.state_lifecycle]));
  // No later step brings the decision back.
  const withState = (row: IndexedNodeRow): IndexedNodeRow =>
    states.has(row.id) ? { ...row, state_lifecycle: states.get(row.id) ?? null } : row;
  const place = held.pasts.indexOf(past);
  held.pasts = held.pasts
    .filter((step) => step !== past)
    .map((step, at) => (at < place ? step : { ...step, rows: step.rows.map(withState) }));
  const edge = edgeOf(id);
  held.dropEdges((it) => it.id === edge);
  await keepDeletion(held, [edge]);
  const rows = past.rows.map(({ id, state_lifecycle }) => ({
    ...rowOf(held, id),
    state_lifecycle,
  }));
  const line = waitingAgain(held.rows.conflicts.find((it) => it.id === id)!.read);
  addRow(held.rows, line);
  await put(held, rows, [], [line]);
}

/**
 * Resolves a conflict of memories as they were seen, and as the server does: the outdated memory
 * becomes dormant, and is linked.
 */
export async function resolve(
  held: Held,
  id: string,
  seen: readonly Seen[],
  resolution: Resolution,
): Promise<void> {
  const conflict = held.rows.conflicts.find((it) => it.id === id);
  if (conflict === undefined) throw new Error("This conflict is no longer there.");
  await requireSeen(held, seen);
  const { old_node_id, new_node_id, read } = conflict;
  const guess = held.rows.edges.find(
    ({ type, source_id, target_id }) =>
      GUESSES.includes(type ?? "") && source_id === new_node_id && target_id === old_node_id,
  );
  if (resolution !== "old_is_current" && guess !== undefined)
    return decideGuess(held, guess, resolution);
  const now = new Date(held.now).toISOString();
  const resolved: Json = { ...read, status: "resolved", resolution, resolved_at: now };
  if (held.server !== undefined) {
    take(held, [...(await held.server.resolve(id, resolution)), resolved]);
    return;
  }
  addRow(held.rows, resolved);
  // A text that no memory holds leaves nothing to link.
  if (new_node_id === null) {
    notePast(held, { rows: [], edges: [], waiting: id });
    return keepChange(held, [resolved]);
  }
  const [older, newer] = [rowOf(held, old_node_id), rowOf(held, new_node_id)];
  const [current, past] = resolution === "old_is_current" ? [older, newer] : [newer, older];
  notePast(held, { rows: [past], edges: [], waiting: id });
  const type = resolution === "keep_both" ? "relates_to" : "supersedes";
  const edge: EdgeRow = {
    sequence: held.rows.edges.length,
    id: edgeOf(id),
    type,
    subtype: null,
    source_id: current.id,
    target_id: past.id,
    neural_weight: getInitialEdgeStrength(type),
    strength: getInitialEdgeStrength(type),
    confidence: 1,
    created_at: now,
  };
  const changed: IndexedNodeRow[] =
    resolution === "keep_both" ? [] : [{ ...past, state_lifecycle: "DORMANT", last_modified: now }];
  await put(held, changed, [edge], [resolved]);
}
