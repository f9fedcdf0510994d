// Ranks the memory that is open by changed weights, beside the default ones. A call weighs the
// index and weighs it back, so that no other call sees the change.

import {
  createEngine,
  type Engine,
  type EngineConfig,
  LIFECYCLE_STATES,
  MEMORY_SECTIONS,
  type MemorySection,
  type ScoredNode,
  type SectionProfile,
} from "nous-wasm";
import { crowdOf, forgetCrowd } from "./crowd.ts";
import type { Held } from "./held.ts";
import type { Card } from "./records.ts";

/** Answers that are shown. */
const LIMIT = 10;
/** Places among which a memory's place by default is known. */
const MAX_PLACES = 200;
/** The server ranks three times the limit by signals, and asks for three hits per seed. */
const OVERFETCH = 3;
const HITS_PER_SEED = 3;

/** Changes of the weights of evidence, by the name of the kind. */
export type Weights = Readonly<Record<string, number>>;
/** Changes of the profiles of sections. */
export type Profiles = NonNullable<NonNullable<EngineConfig["sections"]>["profiles"]>;

export interface RankRequest {
  question: string;
  by:
    | { ranking: "evidence"; weights: Weights }
    | {
        ranking: "signals";
        profiles: Profiles;
        /** Whether all memories are ranked, or those that the server would rank. */
        isAll: boolean;
      };
  /** The least number of memories: the rest is made for a test of speed. */
  min: number;
}

/** A memory of a list, and its place by the default weights. */
export interface Moved {
  card: Card;
  /** A probability, or a sum of six weighted signals. */
  score: number;
  /** From 1; null if it is beyond those that are known. */
  default: number | null;
}

/** A ranking by changed weights. */
export interface Rerank {
  ranking: RankRequest["by"]["ranking"];
  answers: Moved[];
  /** Memories that left the list: they were in it by the default weights. */
  left: string[];
  /** How many memories were ranked. */
  ranked: number;
  /** How many memories there are. */
  among: number;
  /** How long the engine took to rank them, in milliseconds. */
  milliseconds: number;
  /** The sections that the question asks for. */
  intents: MemorySection[];
}

/** Returns the answers by changed weights. */
export async function rank(open: Held, { question, by, min }: RankRequest): Promise<Rerank> {
  const held = min > open.rows.nodes.size ? await crowdOf(open, min) : open;
  await held.hear([question]);
  const [byDefault, now] =
    by.ranking === "evidence"
      ? rankByEvidence(held, question, by.weights)
      : rankBySignals(held, question, by.profiles, by.isAll);
  const { places, ranked } = byDefault;
  const shown = new Set(now.rows.map(({ id }) => id));
  return {
    ranking: by.ranking,
    answers: now.rows.map(({ id, score }) => ({
      card: held.card(id),
      score,
      default: places.get(id) ?? null,
    })),
    left: [...places.keys()].slice(0, LIMIT).filter((id) => !shown.has(id)),
    ranked,
    among: held.rows.nodes.size,
    milliseconds: now.milliseconds,
    intents: held.engine.classifyIntent(question),
  };
}

interface Scored {
  id: string;
  score: number;
}

/** A ranking by the default weights, of the question that was asked last. */
interface Default {
  /** Question and options. */
  key: string;
  held: Held;
  places: ReadonlyMap<string, number>;
  ranked: number;
}

interface Timed {
  rows: Scored[];
  milliseconds: number;
}

const placesOf = (rows: readonly Scored[]) =>
  new Map(rows.map(({ id }, place) => [id, place + 1] as const));

let defaultEvidence: Default | undefined;

function rankByEvidence(held: Held, question: string, weights: Weights): [Default, Timed] {
  const { index } = held;
  const preset = held.preset.weights;
  const key = JSON.stringify([question, held.changes]);
  const ask = (limit: number) => index.ask(question, { ...held.asking(question), limit });
  try {
    if (defaultEvidence?.held !== held || defaultEvidence.key !== key) {
      index.weigh({ preset });
      const places = placesOf(ask(MAX_PLACES));
      defaultEvidence = { key, held, places, ranked: index.textCount };
    }
    const start = performance.now();
    index.weigh({ preset, weights });
    const rows = ask(LIMIT);
    return [defaultEvidence, { rows, milliseconds: performance.now() - start }];
  } finally {
    index.weigh(held.evidence);
  }
}

/** The candidates of a question, which no profile changes. */
interface Candidates extends Default {
  nodes: ScoredNode[];
}

let candidates: Candidates | undefined;
let changed: { key: string; engine: Engine } | undefined;

function rankBySignals(
  held: Held,
  question: string,
  profiles: Profiles,
  isAll: boolean,
): [Default, Timed] {
  const key = JSON.stringify([question, held.changes, isAll]);
  if (candidates?.held !== held || candidates.key !== key) {
    const nodes = candidatesOf(held, question, isAll);
    const rows = bySignals(held.engine, held, question, nodes, MAX_PLACES);
    candidates = { key, held, places: placesOf(rows), ranked: nodes.length, nodes };
  }
  const { nodes } = candidates;
  const engine = engineOf(held, profiles);
  const start = performance.now();
  const rows = bySignals(engine, held, question, nodes, LIMIT);
  return [candidates, { rows, milliseconds: performance.now() - start }];
}

/** Returns an engine with changed profiles. */
function engineOf({ config }: Held, profiles: Profiles): Engine {
  const whole = { ...config, sections: { ...config.sections, profiles } };
  const key = JSON.stringify(whole);
  if (changed?.key !== key) changed = { key, engine: createEngine(whole) };
  return changed.engine;
}

/** Ranks by the weights of the sections, and raises the sections that the question asks for. */
function bySignals(
  engine: Engine,
  { now, rows, index }: Held,
  question: string,
  nodes: readonly ScoredNode[],
  limit: number,
): Scored[] {
  const metrics = { avg_inbound_edges: index.edgeCount / Math.max(1, rows.nodes.size) };
  const ranked = engine.rerankTop(nodes, metrics, { limit: OVERFETCH * limit, now });
  const found = ranked.map(({ node: { id, subtype }, score }) => ({ id, subtype, score }));
  return engine.mergeAndSelect([[question, found]], {
    query: question,
    relevanceRatio: 0,
    maxResults: limit,
  });
}

/** Returns the candidates that the server would rank, or all memories, with their signals. */
function candidatesOf(held: Held, question: string, isAll: boolean): ScoredNode[] {
  const { now, vectors } = held;
  const size = held.rows.nodes.size;
  const seeds = isAll ? size : OVERFETCH * LIMIT;
  const { terms } = held.engine.understand(question, { terms: "unicode" });
  const hits = held.texts.search(terms, { limit: Math.min(size, HITS_PER_SEED * seeds) });
  const best = hits[0]?.score ?? 1;
  const bm25 = hits.map(({ id, score }) => ({ id, score: score / best }));
  const embedding = held.vectorOf(question);
  const { ranking } = vectors.search({ embedding, bm25, limit: seeds, max_seeds: seeds, now });
  const words = new Map(bm25.map(({ id, score }) => [id, score]));
  const inbound = new Map<string, number>();
  for (const { target_id } of held.rows.edges)
    inbound.set(target_id, (inbound.get(target_id) ?? 0) + 1);
  const nodeOf = (id: string, semantic: number, graph: number): ScoredNode => {
    const { created_at, last_accessed, access_count, subtype } = vectors.get(id)!;
    return {
      ...{ id, created_at, last_accessed, access_count, subtype },
      semantic_score: semantic,
      bm25_score: words.get(id) ?? 0,
      graph_score: graph,
      inbound_edge_count: inbound.get(id) ?? 0,
    };
  };
  const found = ranking.ids.map((id, place) => {
    const { semantic, graph } = ranking.breakdown(place)!;
    return nodeOf(id, semantic, graph);
  });
  if (!isAll) return found;
  // A memory that the search did not reach has its cosine, and no activation.
  const reached = new Set(found.map(({ id }) => id));
  const near = embedding === null ? undefined : vectors.similar(embedding, { limit: size, now });
  const cosines = new Map(near?.ids.map((id, place) => [id, near.scores[place]!]));
  const others = [...held.rows.nodes.keys()].filter((id) => !reached.has(id));
  return [...found, ...others.map((id) => nodeOf(id, cosines.get(id) ?? 0, 0))];
}

/** How many memories of each section are in each state, in the order of `LIFECYCLE_STATES`. */
export type States = Record<MemorySection, number[]>;

/** Returns the states that memories have now if the profiles of sections are changed. */
export function states(held: Held, profiles: Profiles): States {
  const engine = engineOf(held, profiles);
  const { lastAccessed, stability, section, subtype, subtypes } = columnsOf(held);
  // A memory without a stability of its own has the first one of its subtype, which profiles change.
  const first = subtypes.map((name) => engine.getInitialStabilityForSubtype(name));
  const { lifecycle } = engine.decayColumns(
    {
      lastAccessed,
      stability: stability.map((days, place) =>
        Number.isNaN(days) ? first[subtype[place]!]! : days,
      ),
      section,
    },
    held.now,
  );
  const counts = MEMORY_SECTIONS.map(() => LIFECYCLE_STATES.map(() => 0));
  for (const [place, state] of lifecycle.entries()) counts[section[place]!]![state]! += 1;
  return Object.fromEntries(MEMORY_SECTIONS.map((name, place) => [name, counts[place]!])) as States;
}

/** What no profile changes of the memories, in one order. */
interface Columns {
  held: Held;
  changes: number;
  lastAccessed: Float64Array;
  /** NaN for a memory that has none of its own. */
  stability: Float64Array;
  /** Places in `MEMORY_SECTIONS`. */
  section: Uint8Array;
  /** Places in `subtypes`. */
  subtype: Uint32Array;
  subtypes: (string | null)[];
}

/** Kept, since a slider asks with each move. */
let columns: Columns | undefined;

function columnsOf(held: Held): Columns {
  const { changes } = held;
  if (columns?.held === held && columns.changes === changes) return columns;
  const rows = [...held.rows.nodes.values()];
  const places = new Map<string | null, number>();
  const subtype = Uint32Array.from(rows, (row) => {
    if (!places.has(row.subtype)) places.set(row.subtype, places.size);
    return places.get(row.subtype)!;
  });
  const subtypes = [...places.keys()];
  const sections = subtypes.map((name) =>
    MEMORY_SECTIONS.indexOf(held.engine.getSectionForSubtype(name)),
  );
  columns = {
    ...{ held, changes, subtype, subtypes },
    lastAccessed: Float64Array.from(rows, ({ id }) => held.index.get(id)!.last_accessed),
    stability: Float64Array.from(rows, (row) => row.neural_stability ?? Number.NaN),
    section: Uint8Array.from(subtype, (place) => sections[place]!),
  };
  return columns;
}

/** Returns the profiles of the sections, as the memory was opened with them. */
export const profilesOf = ({ engine }: Held): Record<MemorySection, SectionProfile> => ({
  ...engine.SECTION_PROFILES,
});

/** Drops the values computed for the calls of this file. */
export function forget(): void {
  defaultEvidence = undefined;
  candidates = undefined;
  changed = undefined;
  columns = undefined;
  forgetCrowd();
}
