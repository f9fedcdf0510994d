// The ways of retrieval that are compared, from the plain to the whole, over a memory without
// embeddings and over the same one with them. All get the same full-text hits.

import {
  createEngine,
  createOrchestrator,
  type Engine,
  type Ranking,
  type SearchResult,
} from "nous-wasm";
import type { Library } from "../../js/demo/terminal/library.ts";
import { DEPTH } from "./metrics.ts";

export const EMBEDDINGS = ["without", "with"] as const;
export type Embeddings = (typeof EMBEDDINGS)[number];

/**
 * The ways, in the order of the tables; each but the first two adds one thing to the one before.
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

/** A memory that can be asked. */
export interface Askable {
  /**
   * What the best single signal finds, best first: words where there are no embeddings, else
   * meaning.
   */
  alone(question: string): readonly string[];
  /** Everything that is found, ranked by the weights of sections or by global ones. */
  search(question: string, sections: boolean): SearchResult<Ranking>;
}

/** The memory as it is, found by its words. */
export function byWords(library: Library): Askable {
  return {
    alone: (question) => library.hits(question).map(({ id }) => id),
    search: (question, sections) => library.search(library.hits(question), sections),
  };
}

/** Ids of what is found for a question, best first. */
export type Retrieve = (question: string) => readonly string[] | Promise<readonly string[]>;

const WORDS = { intent: { matcher: "words" } } as const;
/** Seconds that no retrieval here takes, so that a busy machine changes no number. */
const PATIENCE = 60;

/** The ways over one memory, whose contents the library knows. */
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
