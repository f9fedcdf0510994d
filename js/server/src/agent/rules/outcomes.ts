// What became of trades that followed playbooks: each trade counts once for each playbook, in
// whatever order its parts are written. A playbook is tied to the entry of a trade, and so is its
// close. The client of an agent may count instead of the server.

import { NousError, type PlaybookProblem } from "nous-wasm";
import type { OutcomeAnswer } from "../../api/playbooks.ts";
import type { EdgeRow, NodeRow } from "../../storage/rows.ts";
import { toIso } from "../../time.ts";
import type { Agent, Unit } from "../agent.ts";
import { isJsonObject, type JsonObject, jsonObjectIn } from "../json-objects.ts";
import { PLAYBOOK } from "../replica/playbook-replica.ts";

const ENTRY = "custom:trade_entry";
const CLOSE = "custom:trade_close";
/** From a playbook to an entry. */
const FOLLOWED = "applied_to";
/**
 * Between a close and its entry, from either to the other: the second kind where there is none of
 * the first.
 */
const TIES = ["part_of", "relates_to"];
/**
 * How long after a count of the server's a client's count is of the same trade, in milliseconds.
 */
const SAME_TRADE = 600_000;

/** Counts what a new edge completes: it may tie a playbook or a close to a trade. */
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

/** A memory that became another may have closed a trade, or be a playbook that can be read now. */
export function countNode(agent: Agent, { id, subtype }: NodeRow, unit: Unit): void {
  if (subtype === ENTRY) countClosed(agent, id, unit);
  if (subtype !== CLOSE && subtype !== PLAYBOOK) return;
  for (const edge of agent.storage.edges.of(id, "both")) countEdge(agent, edge, unit);
}

/**
 * Counts a trade for those playbooks by the edges that tie them to it, if it is closed and its end
 * is known.
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
 * Returns the body that is stored for one that a client gives a playbook. Where it differs from the
 * stored body by the count of one trade, which the server has counted by itself a moment ago, it
 * keeps the server's counts: the trade counts once.
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

/** Undefined for fields that are nested too deep to be written. */
function jsonOf(fields: JsonObject): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const numberIn = (fields: JsonObject, field: string): number => Number(fields[field] ?? 0);

/** Whether a trade made money, by the first of its closes that tells; undefined where none does. */
function endOf(agent: Agent, entryId: string): boolean | undefined {
  const { storage } = agent;
  for (const id of storage.outcomes.tiedTo(entryId, TIES, CLOSE)) {
    if (!entriesOf(agent, id).includes(entryId)) continue;
    const profitable = endBy(agent, storage.nodes.find(id)!);
    if (profitable !== undefined) return profitable;
  }
  return undefined;
}

/** Whether a trade made money, by one of its closes; undefined where that does not tell. */
function endBy(agent: Agent, close: NodeRow): boolean | undefined {
  const { pnl_pct, outcome } = signalsOf(agent, close);
  // A trade that ended where it began was not won, as consolidation has it, too.
  return Number.isFinite(pnl_pct) ? (pnl_pct as number) > 0 && outcome !== "flat" : undefined;
}

/** The entries that a close belongs to. */
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

/** The figures of a memory: those that it came with, else those of its body. */
function signalsOf({ storage }: Agent, { id, content_body }: NodeRow): JsonObject {
  const { signals } = jsonObjectIn(content_body) ?? {};
  return {
    ...(isJsonObject(signals) ? signals : {}),
    ...jsonObjectIn(storage.nodes.signals([id]).get(id) ?? null),
  };
}

type Counted = Pick<OutcomeAnswer, "applied" | "counted_before" | "problems">;

/**
 * Counts a trade for each playbook that it followed, once. One that cannot be read is counted when
 * it can.
 */
export function count(agent: Agent, entryId: string, profitable: boolean, unit: Unit): Counted {
  const edges = agent.storage.edges.of(entryId, "in").filter(({ type }) => type === FOLLOWED);
  return countFor(agent, entryId, profitable, edgesBySource(edges), unit);
}

const edgesBySource = (edges: readonly Pick<EdgeRow, "id" | "source_id">[]): Map<string, string> =>
  new Map(edges.map(({ id, source_id }) => [source_id, id]));

/**
 * Counts it for the playbooks among these memories, of each of which the edge to the trade is told.
 */
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

/** A playbook's new record, as it is stored; or why there is none. */
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
    // Counts that are none, or a body that is nested too deep to be written again.
    const isItsOwn =
      error instanceof RangeError ||
      (error instanceof NousError && error.code === "invalid_argument");
    if (isItsOwn) return "malformed_body";
    throw error;
  }
}
