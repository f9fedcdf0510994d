// The neighbourhood of the answers to a question: activation spreads from the first answers over
// links, hop by hop, and runs join memories in order of time.
//
// An answer without links passes no activation on. It is joined with the memories that are nearest to it: those
// that its own words and its vector find.
//
// The engine computes each activation. It spreads over a copy of the part of the graph that the
// answers reach within the hops: no other memory can pass activation to it, so that the activations
// are those of the whole graph.

import { createdAtOf, type EdgeRow, isFaint, memoryEdgeOf } from "nous-memory";
import { type EngineConfig, MemoryIndex } from "nous-wasm";
import type { Held } from "./held.ts";
import type { Card } from "./records.ts";

/** Rounds of spreading that the page shows. */
export const HOPS = 3;
/** Answers from which activation starts. */
const STARTS = 10;
/** Memories that a graph shows. */
const MAX_NODES = 150;
/** Memories by activation; the rest of the places is for those of the same runs. */
const MAX_ACTIVE = 110;
/** Memories before and after an answer in its run that are shown. */
const AROUND = 4;
/** The nearest memories that are shown of an answer without links. */
const ALIKE = 3;
/** So much of an answer's text asks for them: twice as much takes twice the time, and finds the same. */
const ASKED_TEXT = 240;
/** Milliseconds between two memories without a run that end a run: the engine's own rule. */
const GAP = 3_600_000;
/**
 * A node without links, with an activation of 1. The engine gives activations as shares of the
 * largest; the share of this node tells how large that is.
 */
const UNIT = "\0unit";

/** A memory of the graph. */
export interface GraphNode {
  card: Card;
  /** Its place among the answers, from 1; null if it is none of the first. */
  rank: number | null;
  /** The probability that it answers the question; null if it is none of the first. */
  score: number | null;
  /** Its activation after 0, 1, 2 and 3 hops, where the first answer begins with 1. */
  activation: number[];
  /** The hop that first reached it; null if activation does not. */
  hop: number | null;
}

/** A link between two memories of the graph, by their places among the nodes. */
export interface GraphLink {
  source: number;
  target: number;
  type: string;
}

/** Two memories that are alike, by their places among the nodes. */
export interface Pair {
  source: number;
  target: number;
}

/** Memories of one run, in order of time, by their places among the nodes. */
export interface Thread {
  /** The run's name; empty for memories that were only made one after the other. */
  name: string;
  nodes: number[];
}

export interface Neighbourhood {
  nodes: GraphNode[];
  links: GraphLink[];
  threads: Thread[];
  /** Answers without links, each with the memories that are nearest to it. */
  alike: Pair[];
  /** Memories that activation reached after 0, 1, 2 and 3 hops, also those that are not shown. */
  reached: number[];
  /** Whether links join any of these memories. Else no activation spreads. */
  hasLinks: boolean;
  /** The share of an activation that remains after a hop over a link of full weight. */
  hopDecay: number;
}

/** Returns the neighbourhood of the answers to a question. */
export function neighbourhood(held: Held, question: string): Neighbourhood {
  const { index, rows } = held;
  const answers = index.ask(question, { ...held.asking(question), limit: STARTS });
  const ranks = new Map(answers.map(({ id }, place) => [id, place]));
  const best = Math.max(...answers.map(({ score }) => score), Number.MIN_VALUE);
  const starts = answers.map(({ id, score }) => ({ id, score: score / best }));
  const activations = spread(held, starts);
  const after = (id: string) => activations.map((round) => round.get(id) ?? 0);
  const active = [...activations[HOPS]!.entries()]
    .sort(
      ([a, one], [b, other]) => (ranks.get(a) ?? STARTS) - (ranks.get(b) ?? STARTS) || other - one,
    )
    .map(([id]) => id);
  const shown = new Set([...ranks.keys(), ...active.slice(0, MAX_ACTIVE)]);
  const runs = runsOf(held);
  const told = rows.edges.filter((edge) => !isFaint(edge));
  const linked = new Set(told.flatMap(({ source_id, target_id }) => [source_id, target_id]));
  const pairs = alikeTo(
    held,
    [...ranks.keys()].filter((id) => !linked.has(id)),
  );
  for (const [, id] of pairs) shown.add(id);
  for (const id of around([...ranks.keys()], runs)) {
    if (shown.size >= MAX_NODES) break;
    shown.add(id);
  }
  const isAnswer = (id: string) => Number(ranks.has(id));
  const end = (id: string) => activations[HOPS]!.get(id) ?? 0;
  // A sort keeps the order of those that are equal.
  const ids = [...shown].sort(
    (a, b) => isAnswer(b) - isAnswer(a) || (isAnswer(a) === 1 ? 0 : end(b) - end(a)),
  );
  const places = new Map(ids.map((id, place) => [id, place]));
  const links = linksAmong(told, places);
  return {
    nodes: ids.map((id) => {
      const [place, activation] = [ranks.get(id), after(id)];
      const hop = activation.findIndex((amount) => amount > 0);
      return {
        card: held.card(id),
        rank: place === undefined ? null : place + 1,
        score: place === undefined ? null : answers[place]!.score,
        activation,
        hop: hop < 0 ? null : hop,
      };
    }),
    links,
    threads: runs.flatMap(({ name, ids: members }) => {
      const nodes = members.flatMap((id) => places.get(id) ?? []);
      return nodes.length < 2 ? [] : { name, nodes };
    }),
    alike: pairs.map(([source, target]) => ({
      source: places.get(source)!,
      target: places.get(target)!,
    })),
    reached: activations.map((round) => [...round.values()].filter((amount) => amount > 0).length),
    hasLinks: links.length > 0,
    hopDecay: held.config.search?.hopDecay ?? 0.8,
  };
}

/** Returns each answer with the memories that its own words and its vector find, each pair once. */
function alikeTo(held: Held, answers: readonly string[]): [string, string][] {
  const known = new Set<string>();
  return answers.flatMap((id) => {
    const { title, text } = held.card(id);
    const found = held.index.ask(`${title} ${text}`.slice(0, ASKED_TEXT), {
      ...{ limit: ALIKE + 1, now: held.now, embedding: held.ownVector(id) },
    });
    const others = found.filter((other) => other.id !== id).slice(0, ALIKE);
    return others.flatMap((other): [string, string][] => {
      const key = [id, other.id].sort().join("\0");
      if (known.has(key)) return [];
      known.add(key);
      return [[id, other.id]];
    });
  });
}

interface Start {
  id: string;
  score: number;
}

/** Returns the activation of each memory after 0, 1, … hops. */
function spread(held: Held, starts: readonly Start[]): Map<string, number>[] {
  const { ids, edges } = reachable(held.rows.edges, starts);
  const nodes = [...ids, UNIT].map((id) => ({ id, created_at: 0 }));
  const links = edges.map(memoryEdgeOf);
  const bm25 = [...starts, { id: UNIT, score: 1 }];
  return Array.from({ length: HOPS + 1 }, (_, maxHops) => {
    const copy = new MemoryIndex({ config: spreadingOver(held.config, nodes.length, maxHops) });
    try {
      copy.upsert(nodes, { now: held.now });
      copy.link(links);
      const query = { bm25, limit: nodes.length, max_seeds: bm25.length, now: held.now };
      const { ranking } = copy.search({ ...query, sections: false });
      const shares = new Map(ranking.ids.map((id, place) => [id, ranking.breakdown(place)!.graph]));
      const largest = 1 / shares.get(UNIT)!;
      shares.delete(UNIT);
      return new Map([...shares].map(([id, share]) => [id, share * largest]));
    } finally {
      copy.free();
    }
  });
}

/** The configuration by which a search returns the activation of every node that it reaches. */
function spreadingOver({ search }: EngineConfig, maxNodes: number, maxHops: number): EngineConfig {
  const start = { denseWeight: 0, bm25Weight: 1, seedThreshold: 0, initialActivation: 1 };
  return { search: { ...search, ...start, graphReach: true, maxNodes: maxNodes + 1, maxHops } };
}

/** Returns the memories within the hops of some, and the links between them. */
function reachable(edges: readonly EdgeRow[], starts: readonly Start[]) {
  const ids = new Set(starts.map(({ id }) => id));
  for (let hop = 0; hop < HOPS; hop++) {
    const next = edges.flatMap(({ source_id, target_id }) => {
      if (ids.has(source_id) === ids.has(target_id)) return [];
      return ids.has(source_id) ? target_id : source_id;
    });
    for (const id of next) ids.add(id);
  }
  const isInside = (edge: EdgeRow) => ids.has(edge.source_id) && ids.has(edge.target_id);
  return { ids, edges: edges.filter(isInside) };
}

function linksAmong(edges: readonly EdgeRow[], places: ReadonlyMap<string, number>): GraphLink[] {
  return edges.flatMap(({ source_id, target_id, type }) => {
    const [source, target] = [places.get(source_id), places.get(target_id)];
    return source === undefined || target === undefined || source === target
      ? []
      : { source, target, type: type ?? "relates_to" };
  });
}

interface Run {
  name: string;
  /** In order of time. */
  ids: string[];
}

/** Returns the runs: clusters, and memories without one, made within an hour of each other. */
function runsOf({ rows }: Held): Run[] {
  const byTime = Array.from(rows.nodes.values(), (row) => ({
    row,
    at: createdAtOf(row) ?? 0,
  })).sort((one, other) => one.at - other.at || one.row.sequence - other.row.sequence);
  const clusters = new Map<string, Run>();
  const alone: Run[] = [];
  let last = -Infinity;
  for (const { row, at } of byTime) {
    const { id } = row;
    const own = rows.clusters.get(id) ?? [];
    for (const cluster of own) {
      const run = clusters.get(cluster);
      if (run !== undefined) run.ids.push(id);
      else clusters.set(cluster, { name: rows.clusterNames.get(cluster) ?? cluster, ids: [id] });
    }
    if (own.length > 0) continue;
    if (at - last > GAP) alone.push({ name: "", ids: [] });
    alone.at(-1)!.ids.push(id);
    last = at;
  }
  return [...clusters.values(), ...alone];
}

/** Returns the memories around some in their runs, the nearest first. */
function* around(ids: readonly string[], runs: readonly Run[]): Generator<string> {
  const among = new Set(ids);
  const spots = runs.flatMap(({ ids: members }) =>
    members.flatMap((id, place) => (among.has(id) ? { members, place } : [])),
  );
  for (let distance = 1; distance <= AROUND; distance++) {
    for (const { members, place } of spots) {
      for (const other of [place - distance, place + distance])
        if (members[other] !== undefined) yield members[other];
    }
  }
}
