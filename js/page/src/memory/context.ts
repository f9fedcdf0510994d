// Builds the prompt of a turn over the memory that is open, by the rules of the server.

import {
  CONVERSATIONS,
  candidateOf,
  createdAtOf,
  DEFAULT_TOKENS,
  factorOf,
  fadedNow,
  fixedParts,
  type IndexedNodeRow,
  isAtHand,
  lineOf,
  MAX_CANDIDATES,
  MAX_PROFILE,
  MAX_RECENT,
  type MemoryHeading,
  type NotInPrompt,
  namesIn,
  type PromptMemory,
  profileTypes,
  promptOfTurn,
  questionOfTurn,
  RECENT_FOR,
  rounded,
  type TurnPrompt,
} from "nous-memory";
import { type ContextBudget, estimateTokens, type MemorySection, type MemoryType } from "nous-wasm";
import { titleOf } from "./ask.ts";
import type { Held } from "./held.ts";

/** A turn that needs a prompt. */
export interface ContextRequest {
  input: string;
  identity: string;
  /** Budgets in place of the default ones, in tokens. */
  budgets: Partial<ContextBudget>;
}

/** A memory that was found for a prompt. */
export interface Found {
  id: string;
  title: string;
  section: MemorySection;
  created: number;
  /** The probability that it has to do with the turn; undefined if it was not searched for. */
  score: number | undefined;
}

/** A prompt, and how it came about. */
export interface Prompt extends Pick<TurnPrompt, "prompt" | "tokens" | "sections"> {
  /** The question that memories were searched by; undefined if the turn asks for nothing. */
  asked: string | undefined;
  /**
   * The memories in the prompt: first those that were found, the most probable first. `block` is
   * the section of the prompt, `tokens` the length of the memory's line.
   */
  recalled: (Found & { type: MemoryType; block: MemoryHeading; tokens: number })[];
  /** The memories that are not in the prompt, likewise; `block` is the section of the prompt. */
  left: (Found & Pick<NotInPrompt, "reason"> & { block: NotInPrompt["section"] })[];
  budgets: Partial<ContextBudget>;
  milliseconds: number;
}

/** The budgets of a turn if none is changed. */
const DEFAULT = { total: DEFAULT_TOKENS };

/** Returns the prompt of a turn. */
export function buildContext(held: Held, { input, identity, budgets }: ContextRequest): Prompt {
  const { engine, now } = held;
  const start = performance.now();
  const { frame_id } = engine.selectFrame(input);
  const { signals } = engine.planTurn(input, frame_id);
  const opensTopic = engine.nextTopic(input) !== null;
  const asked = questionOfTurn(input, [], { signals, opensTopic });
  const hits = asked === undefined ? [] : hitsOf(held, asked);
  const scores = new Map(hits.map(({ row, score }) => [row.id, score]));
  const { prompt, tokens, sections, recalled, left_out } = promptOfTurn({
    ...{ input, now, messages: [], budgets: { ...DEFAULT, ...budgets } },
    fixed: fixedParts({ identity, censors: [] }),
    found: hits.map(({ row, score, superseded_by }) => {
      const stored = { frame: row.frame, censors: namesIn(row.censors) };
      return {
        ...candidateOf(row, held, stateOf(held, row.id)),
        score: score * factorOf(stored, frame_id, []),
        superseded_by,
      };
    }),
    profile: profileOf(held),
    recent: conversationsSince(held),
  });
  const milliseconds = performance.now() - start;
  const found = (id: string): Found => {
    const row = held.row(id)!;
    return {
      id,
      title: titleOf(held, id),
      section: held.sectionOf(row),
      created: createdAtOf(row) ?? 0,
      score: scores.get(id),
    };
  };
  return {
    ...{ prompt, tokens, sections, asked, milliseconds },
    recalled: recalled
      .map((memory) => ({
        ...{ ...found(memory.id), type: memory.type, block: memory.heading },
        tokens: estimateTokens(lineOf(memory, now)),
      }))
      .sort(byScore),
    left: left_out
      .flatMap(({ id, section, reason }) =>
        id === null || held.row(id) === undefined ? [] : { ...found(id), block: section, reason },
      )
      .sort(byScore),
    budgets: { ...DEFAULT, ...budgets },
  };
}

/**
 * The most probable first. Memories that were not searched for keep their order, after the others.
 */
const byScore = (a: Found, b: Found): number => (b.score ?? -1) - (a.score ?? -1);

/** Returns the lifecycle state of a memory as of now. */
const stateOf = ({ index, engine, now }: Held, id: string): string | undefined =>
  fadedNow([id], index, engine, now)[0]?.lifecycle;

interface Hit {
  row: IndexedNodeRow;
  score: number;
  superseded_by?: string | undefined;
}

/** Returns the memories that a question finds, with the successors of superseded ones. */
function hitsOf(held: Held, question: string): Hit[] {
  const { index, now } = held;
  const answers = index.ask(question, { limit: MAX_CANDIDATES, now });
  const hits = answers.map(
    ({ id, score, superseded_by }): Hit => ({
      row: held.row(id)!,
      score: rounded(score),
      superseded_by,
    }),
  );
  const known = new Set(answers.map(({ id }) => id));
  for (const { superseded_by, score } of [...hits]) {
    const row = superseded_by === undefined ? undefined : held.row(superseded_by);
    if (row === undefined || known.has(row.id)) continue;
    known.add(row.id);
    hits.push({ row, score });
  }
  return hits;
}

/** Returns the memories of these subtypes, newest first. */
function newestOf(held: Held, subtypes: readonly string[]): [row: IndexedNodeRow, at: number][] {
  const those = [...held.rows.nodes.values()].filter((row) => subtypes.includes(row.subtype ?? ""));
  return those
    .map((row): [IndexedNodeRow, number] => [row, createdAtOf(row) ?? -Infinity])
    .sort(([a, atA], [b, atB]) => atB - atA || b.sequence - a.sequence);
}

function profileOf(held: Held): PromptMemory[] {
  const { engine, index, now } = held;
  const rows = newestOf(held, profileTypes(held.preset)).slice(0, MAX_PROFILE);
  const ids = rows.map(([{ id }]) => id);
  const states = fadedNow(ids, index, engine, now);
  const shown = rows.filter((_, place) => isAtHand(states[place]?.lifecycle));
  return shown.map(([row]) => candidateOf(row, held, stateOf(held, row.id)));
}

function conversationsSince(held: Held): PromptMemory[] {
  const { now } = held;
  return newestOf(held, CONVERSATIONS)
    .filter(([, at]) => at >= now - RECENT_FOR)
    .slice(0, MAX_RECENT)
    .map(([row]) => ({
      ...candidateOf(row, held, stateOf(held, row.id)),
      heading: "recent_conversations",
    }));
}
