// The compared systems, from the simplest to the complete one, over a memory with and without
// embeddings. All get the same full-text hits.

import {
  createEngine,
  createOrchestrator,
  type Engine,
  type Ranking,
  type SearchResult,
} from "nous-wasm";
import type { Library } from "./library.ts";
import { DEPTH } from "./metrics.ts";

export const EMBEDDINGS = ["without", "with"] as const;
export type Embeddings = (typeof EMBEDDINGS)[number];

/**
 * The systems, in the order of the tables. Each from the third on adds one thing to the one before.
 */
export const WAYS = [
  "alone",
  "global",
  "sections",
  "substring",
  "words",
  "unreplaced",
  "orchestrator",
] as const;
export type Way = (typeof WAYS)[number];

const NAMES: Readonly<Record<Exclude<Way, "alone">, string>> = {
  global: "global weights",
  sections: "section weights",
  substring: "sections, boost `substring`",
  words: "sections, boost `words`",
  unreplaced: "orchestrator, nothing replaced",
  orchestrator: "orchestrator",
};
const ALONE: Readonly<Record<Embeddings, string>> = { without: "BM25 alone", with: "LSA alone" };

export function nameOf(way: Way, embeddings: Embeddings): string {
  return way === "alone" ? ALONE[embeddings] : NAMES[way];
}

/** A memory that can be searched. */
export interface Askable {
  /**
   * Returns the results of the best single signal, best first: words without embeddings, else
   * meaning.
   */
  alone(question: string): readonly string[];
  /** Returns all results, ranked by section weights or by global ones. */
  search(question: string, sections: boolean): SearchResult<Ranking>;
}

/** The memory without embeddings, searched by words. */
export function byWords(library: Library): Askable {
  return {
    alone: (question) => library.hits(question).map(({ id }) => id),
    search: (question, sections) => library.search(library.hits(question), sections),
  };
}

/** Returns the ids of the results of a question, best first. */
export type Retrieve = (question: string) => readonly string[] | Promise<readonly string[]>;

const WORDS = { intent: { matcher: "words" } } as const;
/**
 * A deadline in seconds that no retrieval reaches, so that a busy machine does not change the
 * results.
 */
const PATIENCE = 60;

/** Returns the systems over one memory, whose contents are in the library. */
export function waysOver(memory: Askable, library: Library): Record<Way, Retrieve> {
  const rows = (question: string) => {
    const { ids, scores } = memory.search(question, true).ranking;
    return ids.map((id, place) => {
      const { subtype, content_title } = library.get(id);
      return { id, score: scores[place] ?? 0, subtype, content_title };
    });
  };
  const boosted =
    ({ mergeAndSelect }: Engine): Retrieve =>
    (query) =>
      mergeAndSelect([[query, rows(query)]], { query, maxResults: DEPTH }).map(({ id }) => id);
  const orchestrated = (changes: { maxReplacements?: number }): Retrieve => {
    const orchestrator = createOrchestrator({
      ranking: "signals",
      search: (query, { limit }) => rows(query).slice(0, limit),
      config: { ...WORDS, orchestrator: { timeoutSeconds: PATIENCE, ...changes } },
    });
    return async (question) => {
      const { nodes } = await orchestrator.retrieve(question, { now: library.at });
      return nodes.map(({ id }) => id);
    };
  };
  return {
    alone: (question) => memory.alone(question),
    global: (question) => memory.search(question, false).ranking.ids,
    sections: (question) => memory.search(question, true).ranking.ids,
    substring: boosted(createEngine()),
    words: boosted(createEngine(WORDS)),
    unreplaced: orchestrated({ maxReplacements: 0 }),
    orchestrator: orchestrated({}),
  };
}
