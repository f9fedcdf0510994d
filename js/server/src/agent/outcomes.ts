// What became of trades that followed playbooks: each trade counts once for each playbook, in whatever order its parts are written.
// A playbook is tied to the entry of a trade, and so is its close.

import { NousError, type PlaybookProblem } from "nous-wasm";
import type { OutcomeAnswer } from "../api/playbooks.ts";
import type { EdgeRow, NodeRow } from "../storage/rows.ts";
import type { Agent, Unit } from "./agent.ts";
import { PLAYBOOK } from "./book.ts";
import { type Fields, fieldsIn, isFields } from "./fields.ts";

const ENTRY = "custom:trade_entry";
const CLOSE = "custom:trade_close";
/** From a playbook to an entry. */
const FOLLOWED = "applied_to";
/** From a close to its entry: the second kind where there is none of the first. */
const TIES = ["part_of", "relates_to"];

/** A new edge may tie a playbook or a close to a trade. Whether anything was counted. */
export function countEdge(agent: Agent, { id, type, source_id, target_id }: EdgeRow, unit: Unit): boolean {
  // The other playbooks of the trade were counted when it was closed.
  if (type === FOLLOWED) return countClosed(agent, target_id, unit, new Map([[source_id, id]]));
  const isTie = TIES.includes(type) && agent.storage.node(source_id)?.subtype === CLOSE;
  return isTie && countClosed(agent, target_id, unit);
}

/** A memory that became another may have closed a trade, or be a playbook that can be read now. */
export function countNode(agent: Agent, { id, subtype }: NodeRow, unit: Unit): void {
  if (subtype === ENTRY) countClosed(agent, id, unit);
  if (subtype !== CLOSE && subtype !== PLAYBOOK) return;
  for (const edge of agent.storage.edgesOf(id, "out")) countEdge(agent, edge, unit);
}

/** Counts a trade for those playbooks by the edges that tie them to it, where it is closed and its end is known. */
function countClosed(agent: Agent, entryId: string, unit: Unit, edgeOf?: ReadonlyMap<string, string>): boolean {
  const { storage } = agent;
  if (storage.node(entryId)?.subtype !== ENTRY) return false;
  const profitable = endOf(agent, entryId);
  if (profitable === undefined) return false;
  const edges = edgeOf ?? edgesBySource(storage.uncountedEdges(entryId, FOLLOWED, PLAYBOOK));
  return edges.size > 0 && countFor(agent, entryId, profitable, edges, unit).applied.length > 0;
}

/** Whether a trade made money, by the first of its closes that tells; undefined where none does. */
function endOf(agent: Agent, entryId: string): boolean | undefined {
  const { storage } = agent;
  for (const id of storage.tiedTo(entryId, TIES, CLOSE)) {
    if (!entriesOf(agent, id).includes(entryId)) continue;
    const { pnl_pct, outcome } = signalsOf(agent, storage.node(id)!);
    // A trade that ended where it began was not won, as consolidation has it, too.
    if (Number.isFinite(pnl_pct)) return (pnl_pct as number) > 0 && outcome !== "flat";
  }
  return undefined;
}

/** The entries that a close belongs to. */
function entriesOf({ storage }: Agent, closeId: string): string[] {
  const edges = storage.edgesOf(closeId, "out");
  for (const tie of TIES) {
    const targets = edges.filter(({ type }) => type === tie).map(({ target_id }) => target_id);
    const entries = storage.nodes(targets).filter(({ subtype }) => subtype === ENTRY);
    if (entries.length > 0) return entries.map(({ id }) => id);
  }
  return [];
}

/** The figures of a memory: those that it came with, else those of its body. */
function signalsOf({ storage }: Agent, { id, content_body }: NodeRow): Fields {
  const { signals } = fieldsIn(content_body) ?? {};
  return { ...(isFields(signals) ? signals : {}), ...fieldsIn(storage.signals([id]).get(id) ?? null) };
}

type Counted = Pick<OutcomeAnswer, "applied" | "counted_before" | "problems">;

/** Counts a trade for each playbook that it followed, once. One that cannot be read is counted when it can. */
export function count(agent: Agent, entryId: string, profitable: boolean, unit: Unit): Counted {
  const edges = agent.storage.edgesOf(entryId, "in").filter(({ type }) => type === FOLLOWED);
  return countFor(agent, entryId, profitable, edgesBySource(edges), unit);
}

const edgesBySource = (edges: readonly Pick<EdgeRow, "id" | "source_id">[]): Map<string, string> =>
  new Map(edges.map(({ id, source_id }) => [source_id, id]));

/** Counts it for the playbooks among these memories, of each of which the edge to the trade is told. */
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
  const playbooks = storage.nodes([...edgeOf.keys()]).filter(({ subtype }) => subtype === PLAYBOOK);
  for (const playbook of playbooks.sort((a, b) => a.sequence - b.sequence)) {
    const { id } = playbook;
    if (storage.hasOutcome(id, entryId)) {
      answer.counted_before.push(id);
      continue;
    }
    const applied = applyTo(agent, playbook, profitable, edgeOf.get(id)!);
    if (typeof applied === "string") {
      answer.problems.push({ id, reason: applied });
      continue;
    }
    storage.addOutcome(id, entryId, profitable, applied.last_applied);
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
  const body = fieldsIn(content_body);
  if (body === undefined) return "malformed_body";
  try {
    const record = {
      success_count: (body.success_count ?? 0) as number,
      sample_size: (body.sample_size ?? 0) as number,
      stability: neural_stability ?? engine.getInitialStabilityForSubtype(subtype),
      difficulty: neural_difficulty,
    };
    const { stability, strengthened, ...counts } = engine.applyOutcome(record, profitable, agent.now());
    const changes = { content_body: JSON.stringify({ ...body, ...counts }), neural_stability: stability };
    storage.updateNode(id, { ...changes, last_modified: counts.last_applied });
    if (strengthened > 0) storage.strengthenEdge(edgeId, strengthened);
    return { id, ...counts, neural_stability: stability };
  } catch (error) {
    // Counts that are none, or a body that is nested too deep to be written again.
    const isItsOwn = error instanceof RangeError || (error instanceof NousError && error.code === "invalid_argument");
    if (isItsOwn) return "malformed_body";
    throw error;
  }
}
