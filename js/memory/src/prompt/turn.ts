// The prompt of a turn: understands the turn, looks up its memories, and has the prompt written.
// Where memories are looked up is the caller's: the server's are in a database, those of
// `promptOfTurn` and of the page in an index with rows.

import { ANSWERABLE, type ContextBudget, type Engine, NousError, type TurnPlan } from "nous-wasm";
import { isOtherIdle } from "../idle.ts";
import { type JudgedMemory, type Knows, knowsOf, probabilityKnown } from "../knows.ts";
import type { Preset } from "../presets/preset.ts";
import { wordsOfMemory } from "../words-of-memory.ts";
import { asksIn } from "./picking.ts";
import { describesOther } from "./profile.ts";
import { DEFAULT_TOKENS } from "./room.ts";
import {
  CONVERSATIONS,
  isAtHand,
  MAX_CANDIDATES,
  MAX_PROFILE,
  MAX_RECENT,
  RECENT_FOR,
} from "./selection.ts";
import {
  type CandidateRow,
  candidateOf,
  factorOf,
  fixedParts,
  type GivenParts,
  type Message,
  type NotInPromptReason,
  type PromptMemory,
  profileTypes,
  questionOfTurn,
  type TurnPrompt,
  writePrompt,
} from "./turn-prompt.ts";

/** A memory that a prompt may show, with its lifecycle state as of now. */
export interface StoredCandidate extends CandidateRow {
  state_lifecycle: string | null;
}

/** A memory that a question finds. */
export interface FoundCandidate extends StoredCandidate {
  /** The probability that it answers the question, with four decimals. */
  score: number;
  /** The evidence for it, by name. */
  evidence?: Readonly<Record<string, number>> | undefined;
  /** The id of the memory that supersedes it. */
  superseded_by?: string | undefined;
  /** The memory that seems to replace it. */
  replaced_by?: { readonly id: string } | undefined;
  /** The frame of the turn in which it was stored. */
  frame: string | null;
  /** Ids of the censors that were active then. */
  censors: readonly string[];
}

/** What the prompt of a turn is looked up in. */
export interface TurnMemories<Found extends FoundCandidate> extends JudgedMemory {
  readonly engine: Engine;
  readonly preset: Preset;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
  /** The time zone by which days are told. Default: UTC. */
  readonly zone?: string | undefined;
  /**
   * Returns the memories that answer a question, with those that replace them, as if the memory did
   * not hold `without`.
   */
  find(question: string, limit: number, without: readonly string[]): Found[];
  /** Returns the factor of each memory by its use in earlier prompts. Default: 1. */
  boosts?(ids: readonly string[]): readonly number[];
  /** Returns memories of subtypes, the newest first; none that is older than `since`. */
  newest(subtypes: readonly string[], limit: number, since?: number): StoredCandidate[];
  /** Returns the memories that may replace one, the most probable first. */
  mayReplace(id: string): readonly StoredCandidate[];
  /** Returns for memories the one that replaces each; undefined for one that none replaces. */
  newerOf(ids: readonly string[]): readonly (Newer | undefined)[];
}

/** A memory that replaces another one. */
export interface Newer {
  row: StoredCandidate;
  /** Whether that is sure: an edge of the type `supersedes`. */
  isSure: boolean;
}

/** A turn of a conversation that needs a prompt. */
export interface Turn extends Partial<Omit<GivenParts, "censors" | "frame">> {
  /** What the user says. */
  input: string;
  /** The conversation before it, oldest first. */
  messages?: readonly Message[] | null | undefined;
  /** The frame of the turn: its id, or the frame itself. Default: the one that fits the input. */
  frame?: string | GivenParts["frame"] | null | undefined;
  /** The active censors, which the prompt lists. */
  censors?: readonly { id: string; text: string; action: string }[] | null | undefined;
  /** The most tokens of the prompt (`total`), and of its sections. */
  budgets?: { readonly [Name in keyof ContextBudget]?: number | undefined } | null | undefined;
  /** The most tokens of the prompt. Default: `budgets.total`, else 1,500. */
  max_tokens?: number | null | undefined;
  /**
   * The least probability of a memory in the prompt, from 0 to 1. 0 fills the prompt with what is
   * next best. Default: a share of the best memory's probability; larger if the turn is no
   * question.
   */
  min_score?: number | null | undefined;
  /** The most memories in the prompt. Default: as many as the tokens allow. */
  max_lines?: number | null | undefined;
}

/** The prompt of a turn, and what was understood and found. */
export interface PromptOfTurn<Found extends FoundCandidate> extends TurnPrompt {
  /** The question that memories were searched by; undefined if the turn asks for nothing. */
  asked: string | undefined;
  /** The memories that it found, with those that replace them. */
  hits: Found[];
  /** The probability that the memory knows the answer to the turn, from 0 to 1. */
  probability: number;
  /** Whether that is enough for an answer. */
  answerable: boolean;
  /** The same in a word: `yes` where it is, `perhaps` below that, `no` where it is hardly possible. */
  knows: Knows;
  /** The frame of the turn. */
  frame: NonNullable<GivenParts["frame"]>;
  /** What the engine understands of the turn. */
  plan: TurnPlan;
}

/** Builds the prompt of a turn from its memories. */
export function buildPrompt<Found extends FoundCandidate>(
  memories: TurnMemories<Found>,
  turn: Turn,
): PromptOfTurn<Found> {
  const { engine, now, zone, preset } = memories;
  const { input, identity = "", working_memory, min_score, max_lines } = turn;
  requirePicking(turn);
  const messages = turn.messages ?? [];
  const censors = turn.censors ?? [];
  const frame =
    typeof turn.frame === "object" && turn.frame !== null
      ? turn.frame
      : { frame_id: turn.frame ?? engine.selectFrame(input).frame_id };
  const plan = engine.planTurn(input, frame.frame_id);
  const asked = isOtherIdle(input.trim())
    ? undefined
    : questionOfTurn(input, messages, {
        signals: plan.signals,
        opensTopic: engine.nextTopic(input) !== null,
      });
  const censorIds = censors.map(({ id }) => id);
  const of = { engine, preset };
  // What a question for the past finds before the memory that replaces it is asked for.
  const asksPast = engine.understand(input, { now, time_zone: zone }).era !== "present";
  const set = Object.entries(turn.budgets ?? {}).filter(([, tokens]) => tokens !== undefined);
  const describing = memories
    .newest(profileTypes(preset), MAX_PROFILE)
    .filter(({ state_lifecycle: state }) => isAtHand(state));
  const isOther = describesOther(describing.map(wordsOfMemory));
  const profile = describing.filter((row) => !isOther(wordsOfMemory(row)));
  const recent = memories.newest(CONVERSATIONS, MAX_RECENT, now - RECENT_FOR);
  const written = (hits: readonly Found[]): TurnPrompt => {
    const boosts = memories.boosts?.(hits.map(({ id }) => id));
    const places = new Map(hits.map(({ id }, place) => [id, place]));
    const isBefore = (id: string, newer: string) =>
      asksPast && places.has(id) && places.get(id)! < (places.get(newer) ?? hits.length);
    const stored = (rows: readonly StoredCandidate[]): PromptMemory[] => {
      const newer = memories.newerOf(rows.map(({ id }) => id));
      return rows.map((row, place) => {
        const own = candidateOf(row, of, row.state_lifecycle);
        const isOfOther = own.heading === "user_profile" && isOther(own.text);
        const memory = isOfOther ? { ...own, heading: "facts" as const } : own;
        const its = newer[place];
        if (its === undefined) return memory;
        const isPast = isBefore(row.id, its.row.id);
        if (its.isSure && !isPast) return { ...memory, superseded_by: its.row.id };
        return { ...memory, newer: candidateOf(its.row, of, null), isPast };
      });
    };
    return writePrompt({
      ...{ engine, input, now, zone, messages },
      picking: {
        turn: asked === undefined ? "idle" : asksIn(input, plan.signals) ? "question" : "other",
        ...{ min_score, max_lines },
      },
      budgets: {
        ...Object.fromEntries(set),
        total: turn.max_tokens ?? turn.budgets?.total ?? DEFAULT_TOKENS,
      },
      fixed: fixedParts({
        ...{ identity, censors, working_memory },
        frame: turn.frame == null ? undefined : frame,
      }),
      found: stored(hits).map((memory, place) => ({
        ...memory,
        score:
          hits[place]!.score *
          (boosts?.[place] ?? 1) *
          factorOf(hits[place]!, frame.frame_id, censorIds),
        probability: hits[place]!.score,
        cosine: hits[place]!.evidence?.emb,
      })),
      mayReplace: (id) => stored(memories.mayReplace(id)),
      profile: stored(profile),
      recent: stored(recent).map((memory) => ({
        ...memory,
        heading: "recent_conversations" as const,
      })),
    });
  };
  const find = (without: readonly string[]) =>
    asked === undefined ? [] : memories.find(asked, MAX_CANDIDATES, without);
  let hits = find([]);
  let prompt = written(hits);
  // What repeats the turn or the conversation answers nothing. It is so near to the question that
  // all others would look unlikely beside it: they are found as if it were not there.
  const repeated = new Map<string, Found>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const more = repeatedIn(hits, prompt).filter(({ id }) => !repeated.has(id));
    if (more.length === 0) break;
    for (const hit of more) repeated.set(hit.id, hit);
    hits = [...find([...repeated.keys()]), ...repeated.values()];
    prompt = written(hits);
  }
  const answers = hits.filter(({ id }) => !repeated.has(id));
  const probability =
    asked === undefined
      ? 0
      : probabilityKnown(
          asked,
          answers.map((hit) => ({ ...hit, text: wordsOfMemory(hit) })),
          memories,
        );
  return {
    ...prompt,
    asked,
    hits,
    probability,
    answerable: probability >= ANSWERABLE,
    knows: knowsOf(probability),
    frame,
    plan,
  };
}

/** How often memories that say nothing new are taken out: others may come up in their place. */
const MAX_ROUNDS = 3;
/**
 * Why a memory answers nothing: it is the turn itself, or the conversation says it. One that only
 * asks tells what the memory after it is about.
 */
const ANSWERS_NOTHING: ReadonlySet<NotInPromptReason> = new Set(["echo", "conversation"]);

/** Returns the memories that were found and answer nothing. */
function repeatedIn<Found extends FoundCandidate>(
  hits: readonly Found[],
  { left_out }: TurnPrompt,
): Found[] {
  const ids = new Set(
    left_out.filter(({ reason }) => ANSWERS_NOTHING.has(reason)).map(({ id }) => id),
  );
  return hits.filter(({ id }) => ids.has(id));
}

/** Throws for a least probability or a number of memories that there cannot be. */
function requirePicking({ min_score, max_lines }: Turn): void {
  if (min_score != null && !(min_score >= 0 && min_score <= 1))
    throw wrong("min_score", "must be a number from 0 to 1");
  if (max_lines != null && !(Number.isSafeInteger(max_lines) && max_lines >= 1))
    throw wrong("max_lines", "must be a whole number of at least 1");
}

const wrong = (field: string, problem: string) =>
  new NousError("invalid_argument", `${field} ${problem}`, { field });
