// Other rankings of the same memories, to compare with evidence. Words are found and signals are
// weighted as the server does it for requests that rank by signals.

import type { MemorySection } from "nous-wasm";
import type { Held } from "./held.ts";
import type { Compared, Rival } from "./records.ts";

const DEFAULT_LIMIT = 10;
/** The server asks for three times the limit, and for three full-text hits per seed. */
const OVERFETCH = 3;
const HITS_PER_SEED = 3;

export interface CompareRequest {
  question: string;
  ranking: Rival;
  limit?: number;
}

interface Scored {
  id: string;
  score: number;
}

/** Returns the answers of another ranking. */
export function compare(
  held: Held,
  { question, ranking, limit = DEFAULT_LIMIT }: CompareRequest,
): Compared {
  // These are made when they are first needed; that is not part of the ranking's time.
  void held.texts;
  if (ranking !== "bm25") void held.vectors;
  const start = performance.now();
  const scored =
    ranking === "bm25" ? byWords(held, question, limit) : bySignals(held, question, ranking, limit);
  const milliseconds = performance.now() - start;
  return {
    question,
    ranking,
    answers: scored.map(({ id, score }, place) => ({
      card: held.card(id),
      rank: place + 1,
      score,
    })),
    raised: ranking === "intent" ? intentsOf(held, question) : [],
    milliseconds,
  };
}

function byWords(held: Held, question: string, limit: number): Scored[] {
  const { terms } = held.engine.understand(question, { terms: "unicode" });
  return held.texts.search(terms, { limit });
}

function bySignals(
  held: Held,
  question: string,
  ranking: Exclude<Rival, "bm25">,
  limit: number,
): Scored[] {
  const seeds = OVERFETCH * limit;
  const hits = byWords(held, question, HITS_PER_SEED * seeds);
  const best = hits[0]?.score ?? 1;
  const found = held.vectors.search({
    embedding: held.vectorOf(question),
    bm25: hits.map(({ id, score }) => ({ id, score: score / best })),
    sections: ranking !== "signals",
    limit: seeds,
    max_seeds: seeds,
    now: held.now,
  });
  const { ids, scores } = found.ranking;
  const rows = ids.map((id, place) => ({ id, score: scores[place]! }));
  return ranking === "intent" ? raised(held, question, rows, limit) : rows.slice(0, limit);
}

/** Raises the memories of the sections that the question asks for. */
function raised(held: Held, question: string, rows: Scored[], limit: number): Scored[] {
  const withKinds = rows.map((row) => ({ ...row, subtype: held.row(row.id)?.subtype ?? null }));
  return held.engine.mergeAndSelect([[question, withKinds]], {
    query: question,
    relevanceRatio: 0,
    maxResults: limit,
  });
}

const intentsOf = (held: Held, question: string): MemorySection[] =>
  held.engine.classifyIntent(question);
