// Rule: which outcome of a trade counts for which playbook. Each trade counts once for each
// playbook that it followed, in whatever order playbook, entry and close are written. Edges tie the
// playbook and the close to the entry. The rule follows edges of the database, so that it is not in
// the crate; the crate applies an outcome to a playbook. The client of an agent may count instead.

import { isJsonObject, type JsonObject, jsonObjectIn, toIso } from "nous-memory";
import { NousError, type PlaybookProblem } from "nous-wasm";
import type { OutcomeAnswer } from "../../api/playbooks.ts";
import type { EdgeRow, NodeRow } from "../../storage/rows.ts";
import type { Agent, Unit } from "../agent.ts";
import { PLAYBOOK } from "../replica/playbook-replica.ts";

const ENTRY = "custom:trade_entry";
const CLOSE = "custom:trade_close";
/** The type of edges from a playbook to an entry. */
const FOLLOWED = "applied_to";
/**
 * The types of edges between a close and its entry, in either direction. The second type counts if
 * there is no edge of the first.
 */
const TIES = ["part_of", "relates_to"];
/** A client's count within this time after the server's counts the same trade, in milliseconds. */
const SAME_TRADE = 600_000;

/** Counts the trades that a new edge completes: it may link a playbook or a close to a trade. */
export function countEdge(
  agent: Agent,
  { id, type, source_id, target_id }: EdgeRow,
  unit: Unit,
): void {
  // The other playbooks of the trade were counted when it was closed.
  if (type === FOLLOWED) countClosed(agent, target_id, unit, new Map([[source_id, id]]));
  if (!TIES.includes(type)) return;
  // A close without figures ends no trade, so that the other closes of the trade need not be read.
  const ends = (nodeId: string) => {
    const node = agent.storage.nodes.find(nodeId);
    return node?.subtype === CLOSE && endBy(agent, node) !== undefined;
  };
  if (ends(source_id)) countClosed(agent, target_id, unit);
  if (ends(target_id)) countClosed(agent, source_id, unit);
}

/**
 * Counts the trades that a changed memory completes: it may close a trade, or be a playbook that
 * can be read now.
 */
export function countNode(agent: Agent, { id, subtype }: NodeRow, unit: Unit): void {
  if (subtype === ENTRY) countClosed(agent, id, unit);
  if (subtype !== CLOSE && subtype !== PLAYBOOK) return;
  for (const edge of agent.storage.edges.of(id, "both")) countEdge(agent, edge, unit);
}

/**
 * Counts a trade, if it is closed with a known result, for the playbooks of `edgeOf`, else for
 * those that have not counted it.
 */
function countClosed(
  agent: Agent,
  entryId: string,
  unit: Unit,
  edgeOf?: ReadonlyMap<string, string>,
): void {
  const { storage } = agent;
  if (!agent.countsOutcomes || storage.nodes.find(entryId)?.subtype !== ENTRY) return;
  const edges =
    edgeOf ?? edgesBySource(storage.outcomes.uncountedEdges(entryId, FOLLOWED, PLAYBOOK));
  if (edges.size === 0) return;
  const profitable = endOf(agent, entryId);
  if (profitable !== undefined) countFor(agent, entryId, profitable, edges, unit);
}

/**
 * Returns the body to store when a client changes a playbook's body. If the client's body differs
 * from the stored one by the count of one trade, which the server counted itself a moment ago, the
 * server's counts stay: the trade counts once.
 */
export function bodyOfPlaybook(
  agent: Agent,
  { id, content_body }: NodeRow,
  given: string | null,
): string | null {
  if (!agent.countsOutcomes) return given;
  const [before, after] = [jsonObjectIn(content_body), jsonObjectIn(given)];
  if (before === undefined || after === undefined) return given;
  const raised = (field: string) => numberIn(after, field) - numberIn(before, field);
  const won = raised("success_count");
  const isCount =
    raised("sample_size") === 1 &&
    (won === 0 || won === 1) &&
    after.last_applied !== before.last_applied;
  if (!isCount) return given;
  const { sample_size, success_count } = before;
  const body = jsonOf({ ...after, sample_size, success_count });
  const isTaken =
    body !== undefined &&
    agent.storage.outcomes.take(id, won === 1, toIso(agent.now() - SAME_TRADE));
  return isTaken ? body : given;
}

/** Returns undefined for fields that are nested too deep for JSON. */
function jsonOf(fields: JsonObject): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const numberIn = (fields: JsonObject, field: string): number => Number(fields[field] ?? 0);

/** Returns whether a trade made money, by its first close with a result; undefined without one. */
function endOf(agent: Agent, entryId: string): boolean | undefined {
  const { storage } = agent;
  for (const id of storage.outcomes.tiedTo(entryId, TIES, CLOSE)) {
    if (!entriesOf(agent, id).includes(entryId)) continue;
    const profitable = endBy(agent, storage.nodes.find(id)!);
    if (profitable !== undefined) return profitable;
  }
  return undefined;
}

/** Returns whether a trade made money, by one of its closes; undefined if it has no result. */
function endBy(agent: Agent, close: NodeRow): boolean | undefined {
  const { pnl_pct, outcome } = signalsOf(agent, close);
  // A flat trade is not won, as in consolidation.
  return Number.isFinite(pnl_pct) ? (pnl_pct as number) > 0 && outcome !== "flat" : undefined;
}

/** Returns the entries of a close. */
function entriesOf({ storage }: Agent, closeId: string): string[] {
  const edges = storage.edges.of(closeId, "both");
  for (const tie of TIES) {
    const tied = edges.filter(({ type }) => type === tie);
    const entries = storage.nodes
      .of(otherEnds(tied, closeId))
      .filter(({ subtype }) => subtype === ENTRY);
    if (entries.length > 0) return entries.map(({ id }) => id);
  }
  return [];
}

const otherEnds = (edges: readonly EdgeRow[], id: string): string[] =>
  edges.map(({ source_id, target_id }) => (source_id === id ? target_id : source_id));

/** Returns the figures of a memory: stored ones first, then those of its body. */
function signalsOf({ storage }: Agent, { id, content_body }: NodeRow): JsonObject {
  const { signals } = jsonObjectIn(content_body) ?? {};
  return {
    ...(isJsonObject(signals) ? signals : {}),
    ...jsonObjectIn(storage.nodes.signals([id]).get(id) ?? null),
  };
}

type Counted = Pick<OutcomeAnswer, "applied" | "counted_before" | "problems">;

/**
 * Counts a trade once for each playbook that it followed. A playbook that cannot be read counts it
 * when it can be read.
 */
export function count(agent: Agent, entryId: string, profitable: boolean, unit: Unit): Counted {
  const edges = agent.storage.edges.of(entryId, "in").filter(({ type }) => type === FOLLOWED);
  return countFor(agent, entryId, profitable, edgesBySource(edges), unit);
}

const edgesBySource = (edges: readonly Pick<EdgeRow, "id" | "source_id">[]): Map<string, string> =>
  new Map(edges.map(({ id, source_id }) => [source_id, id]));

/** Counts a trade for playbooks. `edgeOf` maps each to its edge to the trade. */
function countFor(
  agent: Agent,
  entryId: string,
  profitable: boolean,
  edgeOf: ReadonlyMap<string, string>,
  { settle }: Unit,
): Counted {
  const { storage } = agent;
  const answer: Counted = { applied: [], counted_before: [], problems: [] };
  settle([...edgeOf.keys()]);
  const playbooks = storage.nodes
    .of([...edgeOf.keys()])
    .filter(({ subtype }) => subtype === PLAYBOOK);
  for (const playbook of playbooks.sort((a, b) => a.sequence - b.sequence)) {
    const { id } = playbook;
    if (storage.outcomes.has(id, entryId)) {
      answer.counted_before.push(id);
      continue;
    }
    const applied = applyTo(agent, playbook, profitable, edgeOf.get(id)!);
    if (typeof applied === "string") {
      answer.problems.push({ id, reason: applied });
      continue;
    }
    storage.outcomes.add(id, entryId, profitable, applied.last_applied);
    answer.applied.push(applied);
  }
  return answer;
}

/** Stores a playbook's new record and returns it, or the reason why it cannot be read. */
function applyTo(
  agent: Agent,
  playbook: NodeRow,
  profitable: boolean,
  edgeId: string,
): OutcomeAnswer["applied"][number] | PlaybookProblem {
  const { storage, engine } = agent;
  const { id, content_body, neural_stability, neural_difficulty, subtype } = playbook;
  const body = jsonObjectIn(content_body);
  if (body === undefined) return "malformed_body";
  try {
    const record = {
      success_count: (body.success_count ?? 0) as number,
      sample_size: (body.sample_size ?? 0) as number,
      stability: neural_stability ?? engine.getInitialStabilityForSubtype(subtype),
      difficulty: neural_difficulty,
    };
    const { stability, strengthened, ...counts } = engine.applyOutcome(
      record,
      profitable,
      agent.now(),
    );
    const changes = {
      content_body: JSON.stringify({ ...body, ...counts }),
      neural_stability: stability,
    };
    storage.nodes.update(id, { ...changes, last_modified: counts.last_applied });
    if (strengthened > 0) storage.edges.strengthen(edgeId, strengthened);
    return { id, ...counts, neural_stability: stability };
  } catch (error) {
    // The counts are not numbers, or the body is nested too deep for JSON.
    const isItsOwn =
      error instanceof RangeError ||
      (error instanceof NousError && error.code === "invalid_argument");
    if (isItsOwn) return "malformed_body";
    throw error;
  }
}
