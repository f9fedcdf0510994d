// Asks a server, and systems of word search, for prompts, and tells which share of the answers each
// prompt holds.

import { tokensOf } from "nous-memory";
import type { RunningServer } from "../js/http-contestants.ts";
import { BM25, FTS5, type System } from "./contestants.ts";
import { askingOf, type Case } from "./measure.ts";
import { DEPTH, ndcg } from "./metrics.ts";
import { storeSet, withServer } from "./own-server.ts";
import type { QuestionSet } from "./question-set.ts";

/** The lengths of the prompts, in tokens: that of a prompt by default, and a short one. */
export const LENGTHS = [1_500, 400] as const;
/** How prompts come about. The last three are filled with what a search finds, best first. */
export const WAYS = ["prompt", "filled by evidence", "filled by BM25", "filled by FTS5"] as const;
export type Way = (typeof WAYS)[number];

/** The results of a search that a prompt is filled with. */
const CANDIDATES = 50;
/** The most characters that a prompt shows of one memory, as in the prompts of the server. */
const MAX_OF_A_MEMORY = 1_200;

/** For each case that has an answer: the share of its answers in the prompt. */
export type Shares = readonly number[];

/** A set on a server of its own. */
export interface Stored {
  readonly server: RunningServer;
  readonly set: QuestionSet;
  /** The questions that have an answer. Grades are by the ids of the set. */
  readonly cases: readonly Case[];
  /** The ids of the set, by those of the server. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Runs `work` with a server of default settings that holds a set; it is asked after its last memory. */
export async function withStored(
  set: QuestionSet,
  work: (stored: Stored) => Promise<void>,
): Promise<void> {
  const asking = askingOf(set);
  const now = Math.max(...set.memories.map(({ created_at }) => Date.parse(created_at)));
  await withServer({ now }, async (server) => {
    const own = await storeSet(server, set);
    const ids = new Map([...own].map(([id, node]) => [node, id]));
    const cases = asking.cases.filter(({ grades }) => grades.size > 0);
    await work({ server, set, cases, ids });
  });
}

/** Returns the shares of the answers in the prompts of the server. */
export async function inPrompts({ server, cases, ids }: Stored, max_tokens: number) {
  const shares: number[] = [];
  for (const { text, grades } of cases) {
    const turn = { input: text, max_tokens, recall: false };
    const { body } = await server.ask("POST /context", turn);
    shares.push(shareOf(Object.keys(body.recalled_content).map(ids.get, ids), grades));
  }
  return shares;
}

/** Returns what searches of the server find for each case, as ids of the set. */
export async function foundBySearch({ server, cases, ids }: Stored, limit: number) {
  const found: string[][] = [];
  for (const { text } of cases) {
    const { body } = await server.ask("POST /search", { query: text, limit, recall: false });
    // A memory that is not of the set is a summary: it keeps its place.
    found.push(body.data.map(({ id }: { id: string }) => ids.get(id) ?? id));
  }
  return found;
}

/** Returns nDCG@10 of each case. */
export const gainsOf = (cases: readonly Case[], found: readonly (readonly string[])[]) =>
  cases.map(({ grades }, place) => ndcg(found[place]!.slice(0, DEPTH), grades));

/** Returns the shares by way of filling, and by length of the prompt. */
export async function inFilledPrompts(
  stored: Stored,
  tokens: number,
): Promise<Record<Way, Shares>> {
  const { cases, set } = stored;
  const texts = new Map(set.memories.map(({ id, text }) => [id, text]));
  const filled = (found: readonly (readonly string[])[]) =>
    cases.map(({ grades }, place) => shareOf(within(found[place]!, texts, tokens), grades));
  return {
    prompt: await inPrompts(stored, tokens),
    "filled by evidence": filled(await foundBySearch(stored, CANDIDATES)),
    "filled by BM25": filled(foundByWords(stored, BM25)),
    "filled by FTS5": filled(foundByWords(stored, FTS5)),
  };
}

function foundByWords({ cases, set }: Stored, finder: System): string[][] {
  const opened = finder.open(askingOf(set).store, CANDIDATES);
  const found = cases.map(({ text, now }) => opened.ask(text, now).map(({ id }) => id));
  opened.free?.();
  return found;
}

/** Returns the ids whose lines fit into the tokens. A line that does not fit makes room for the next. */
function within(ids: readonly string[], texts: ReadonlyMap<string, string>, tokens: number) {
  let used = 0;
  return ids.filter((id) => {
    const cost = tokensOf(texts.get(id)!.slice(0, MAX_OF_A_MEMORY)) + 1;
    if (used + cost > tokens) return false;
    used += cost;
    return true;
  });
}

/** Returns the share of the answers that are among the ids. */
function shareOf(ids: readonly (string | undefined)[], grades: Case["grades"]): number {
  return ids.filter((id) => id !== undefined && grades.has(id)).length / grades.size;
}
