// What a turn of conversation asks of memory, and what to retrieve for it. The rules run in the
// module.

import { flagOf, isPlainObject, requireText } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  PLAN,
  PLAN_BUDGETS,
  PLAN_BY_KEYWORDS,
  PLAN_LIMITS,
  PLAN_SKIPPED,
  PLANNED,
  PLANNED_IS_RECENT,
  PLANNED_PLAN,
  SPAN,
  TO_PLAN,
  TO_PLAN_HINTS,
  TO_PLAN_RECENCY,
  TURN,
  TURN_ENTITIES,
  TURN_ENTITY_COUNT,
  TURN_HINTS,
  TURN_INPUT,
  TURN_IS_ACKNOWLEDGEMENT,
  TURN_IS_GREETING,
  TURN_IS_QUESTION,
  TURN_IS_RECAP,
  TURN_KEYWORD_COUNT,
  TURN_KEYWORDS,
  TURN_RECENCY,
} from "../generated/layout.ts";
import type { EngineLease } from "../runtime.ts";
import { slicesOf, withText } from "../text.ts";

/**
 * What a memory is to a prompt, in this order. `signal` is there in the default mode alone, where a
 * turn asks for signals.
 */
export type MemoryType = "decision" | "fact" | "procedure" | "episode" | "signal";

/** The budget of tokens of a type. */
export type BudgetName = `${MemoryType}s`;

/**
 * `seed-compatible`: as the system that this one follows shipped it. `default`: with the defects of
 * that mended; each function says which.
 */
export type ContextMode = "default" | "seed-compatible";

/** By which rules to go. */
export interface ContextOptions {
  /** Default `default`. */
  mode?: ContextMode | undefined;
}

/** What a turn asks of memory. */
export interface TurnSignals {
  /**
   * What is understood, and searched for where there are no keywords: the turn; in the default mode
   * without a greeting before more.
   */
  input: string;
  /** The frame of mind; any other than those of `selectFrame` changes no budget. */
  frame_type: string;
  /** Words that seem to be names, as they are spelled, each once, in order; at most 10. */
  entity_mentions: string[];
  /**
   * How strongly something recent is meant, in [0, 1]: 0 not at all, 1 of this moment.
   * `buildContext` multiplies the relevance of each memory by 1 + `temporal_recency` × 0.5^(age in
   * days / 7), the age being that of `created_at`.
   */
  temporal_recency: number;
  /**
   * How strongly the turn asks for memories of a type: 0.5 for each pattern that it contains. Types
   * without one are left out.
   */
  memory_type_hints: Partial<Record<MemoryType, number>>;
  is_question: boolean;
  /**
   * Whether it is nothing but a greeting; in the seed-compatible mode, whether it begins with one.
   */
  is_greeting: boolean;
  /** Whether it asks for nothing, such as "thanks" or "ok 👍"; never in the seed-compatible mode. */
  is_acknowledgement: boolean;
  /** Words that tell what it is about, in lower case, each once, in order; at most 10. */
  topic_keywords: string[];
}

/**
 * Signals as a plan needs them: what is missing says nothing, and `entity_mentions` are not read.
 */
export type SignalsToPlan = Pick<TurnSignals, "frame_type"> & {
  readonly [Field in keyof TurnSignals]?: TurnSignals[Field] | undefined;
};

/** One search of memory. */
export interface RetrievalQuery {
  memory_type: MemoryType;
  /** The keywords, or the turn where there are none. */
  query_text: string;
  /** The most memories to find. */
  limit: number;
}

/** What to retrieve for a turn. */
export interface RetrievalPlan {
  /** In the order of the types; none where nothing is to be retrieved. */
  queries: RetrievalQuery[];
  /** Tokens that take the place of the frame's budgets, not in addition to them. */
  budget_overrides: Partial<Record<BudgetName, number>>;
  /** Types that nothing is to be retrieved of, in order. */
  skip_types: MemoryType[];
}

/** A turn, understood and planned for. */
export interface TurnPlan {
  signals: TurnSignals;
  plan: RetrievalPlan;
  /** Whether something recent is meant, so that a prompt tells more of recent conversations. */
  temporal_boost: boolean;
  /** Whether the turn asks what was talked about. */
  recap: boolean;
}

/** A frame of mind to answer in. */
export interface FrameSelection {
  /** `task`, `question`, `decision`, `creative`, `conversation` or `debug`. */
  frame_id: string;
  frame_name: string;
  /** In [0, 1]: 0.3 for each pattern found. */
  confidence: number;
  /** `default`: no pattern was found, and the frame is that of a conversation. */
  match_method: "pattern" | "default";
  description: string | null;
  /** The category of decisions made in this frame. */
  default_category: string | null;
  /** How much is at stake in it. */
  default_stakes: string | null;
  questions_to_ask: string[];
}

const { names: TYPES, budgets: BUDGETS } = moduleConstants.memory_types;
const TYPES_OF_SUBTYPES = new Map<unknown, MemoryType>(moduleConstants.memory_types.of_subtypes);
const FRAME_CODES = new Map<string, number>(
  moduleConstants.frames.map(({ id }, code) => [id, code]),
);

/** The most UTF-16 units that a string holds in every engine. */
const LONGEST_STRING = 2 ** 28 - 16;

/** @internal */
export function classifyTurn(
  context: EngineContext,
  text: string,
  frame?: string,
  options: ContextOptions = {},
): TurnSignals {
  const { isSeed, frameType } = asked(context, text, frame, options);
  return withText(context.pool, text, TURN, (lease, length) => {
    lease.engine.classify_turn(length, isSeed);
    lease.revalidateViews();
    return signalsIn(lease, text, frameType);
  });
}

/** @internal */
export function planTurn(
  context: EngineContext,
  text: string,
  frame?: string,
  options: ContextOptions = {},
): TurnPlan {
  const { isSeed, frameType } = asked(context, text, frame, options);
  return withText(context.pool, text, PLANNED, (lease, length) => {
    lease.engine.plan_turn(length, codeOf(frameType), isSeed);
    lease.revalidateViews();
    const { numbers, numbersAt: at } = lease;
    const signals = signalsIn(lease, text, frameType);
    return {
      signals,
      plan: planIn(lease, PLANNED_PLAN, signals.topic_keywords, signals.input),
      temporal_boost: numbers[at + PLANNED_IS_RECENT] === 1,
      recap: numbers[at + TURN_IS_RECAP] === 1,
    };
  });
}

/** @internal */
export function planRetrieval(
  context: EngineContext,
  signals: SignalsToPlan,
  options: ContextOptions = {},
): RetrievalPlan {
  const isSeed = isSeedCompatible(options);
  if (typeof signals !== "object" || signals === null) {
    throw invalid("signals", `must be an object, found ${show(signals)}`);
  }
  const { input = "", frame_type, temporal_recency = 0 } = signals;
  requireText("input", input);
  requireText("frame_type", frame_type);
  if (!(typeof temporal_recency === "number" && temporal_recency >= 0 && temporal_recency <= 1)) {
    throw invalid("temporal_recency", `must lie between 0 and 1, found ${show(temporal_recency)}`);
  }
  const isQuestion = flagOf("is_question", signals.is_question, false);
  const isGreeting = flagOf("is_greeting", signals.is_greeting, false);
  const isAcknowledgement = flagOf("is_acknowledgement", signals.is_acknowledgement, false);
  const hints = hintsOf(signals.memory_type_hints);
  const keywords = keywordsOf(signals.topic_keywords);
  const lease = context.pool.acquire();
  try {
    lease.reserve(Math.max(TO_PLAN, PLAN), 0, 0);
    const { numbers, numbersAt: at } = lease;
    numbers[at + TO_PLAN_RECENCY] = temporal_recency;
    for (let place = 0; place < hints.length; place++)
      numbers[at + TO_PLAN_HINTS + place] = hints[place]!;
    const asksNothing = isGreeting || isAcknowledgement;
    lease.engine.plan_retrieval(
      codeOf(frame_type),
      isQuestion,
      asksNothing,
      keywords.length > 0,
      isSeed,
    );
    lease.revalidateViews();
    return planIn(lease, 0, keywords, input);
  } finally {
    context.pool.release(lease);
  }
}

/** @internal */
export function selectFrame(context: EngineContext, text: string): FrameSelection {
  requireText("text", text);
  return withText(context.pool, text, 1, (lease, length) => {
    const { id, name, description, category, stakes } =
      moduleConstants.frames[lease.engine.select_frame(length)]!;
    lease.revalidateViews();
    const confidence = lease.numbers[lease.numbersAt]!;
    return {
      frame_id: id,
      frame_name: name,
      confidence,
      match_method: confidence === 0 ? "default" : "pattern",
      description,
      default_category: category,
      default_stakes: stakes,
      questions_to_ask: [],
    };
  });
}

/** @internal */
export function nextTopic(context: EngineContext, text: string): string | null {
  requireText("text", text);
  return withText(context.pool, text, SPAN, (lease, length) => {
    if (!lease.engine.next_topic(length)) return null;
    lease.revalidateViews();
    return slicesOf(text, lease.numbers, lease.numbersAt, 1)[0]!;
  });
}

/** @internal */
export function memoryTypeOf(
  context: EngineContext,
  subtype: string | null | undefined,
): MemoryType {
  return (
    TYPES_OF_SUBTYPES.get(subtype) ??
    moduleConstants.memory_types.of_sections[context.codes.get(subtype)]!
  );
}

function signalsIn(
  { numbers, numbersAt: at }: EngineLease,
  text: string,
  frameType: string,
): TurnSignals {
  const hints: Partial<Record<MemoryType, number>> = {};
  for (let place = 0; place < TYPES.length; place++) {
    const hint = numbers[at + TURN_HINTS + place]!;
    if (hint > 0) hints[TYPES[place]!] = hint;
  }
  const keywords = slicesOf(text, numbers, at + TURN_KEYWORDS, numbers[at + TURN_KEYWORD_COUNT]!);
  for (let place = 0; place < keywords.length; place++)
    keywords[place] = keywords[place]!.toLowerCase();
  return {
    input: text.slice(numbers[at + TURN_INPUT]),
    frame_type: frameType,
    entity_mentions: slicesOf(text, numbers, at + TURN_ENTITIES, numbers[at + TURN_ENTITY_COUNT]!),
    temporal_recency: numbers[at + TURN_RECENCY]!,
    memory_type_hints: hints,
    is_question: numbers[at + TURN_IS_QUESTION] === 1,
    is_greeting: numbers[at + TURN_IS_GREETING] === 1,
    is_acknowledgement: numbers[at + TURN_IS_ACKNOWLEDGEMENT] === 1,
    topic_keywords: keywords,
  };
}

function planIn(
  { numbers, numbersAt }: EngineLease,
  from: number,
  keywords: string[],
  input: string,
): RetrievalPlan {
  const at = numbersAt + from;
  const plan: RetrievalPlan = { queries: [], budget_overrides: {}, skip_types: [] };
  const query_text = numbers[at + PLAN_BY_KEYWORDS] === 1 ? keywords.join(" ") : input;
  for (let place = 0; place < TYPES.length; place++) {
    const limit = numbers[at + PLAN_LIMITS + place]!;
    const budget = numbers[at + PLAN_BUDGETS + place]!;
    if (limit >= 0) plan.queries.push({ memory_type: TYPES[place]!, query_text, limit });
    else if (limit === PLAN_SKIPPED) plan.skip_types.push(TYPES[place]!);
    if (budget >= 0) plan.budget_overrides[BUDGETS[place]!] = budget;
  }
  return plan;
}

/** Checks what a turn is asked with. A frame that is not given is the turn's own. */
function asked(
  context: EngineContext,
  text: string,
  frame: string | undefined,
  options: ContextOptions,
) {
  requireText("text", text);
  if (frame !== undefined) requireText("frame", frame);
  const isSeed = isSeedCompatible(options);
  return { isSeed, frameType: frame ?? selectFrame(context, text).frame_id };
}

/** A frame's place, and one past the last for a frame of the caller's own. */
const codeOf = (frame: string): number => FRAME_CODES.get(frame) ?? moduleConstants.frames.length;

/** Whether the mode is the seed's. @internal */
export function isSeedCompatible(options: ContextOptions): boolean {
  if (typeof options !== "object" || options === null) {
    throw invalid("options", `must be an object, found ${show(options)}`);
  }
  const { mode = "default" } = options;
  if (mode !== "default" && mode !== "seed-compatible") {
    throw invalid("mode", `must be "default" or "seed-compatible", found ${show(mode)}`);
  }
  return mode === "seed-compatible";
}

function hintsOf(hints: TurnSignals["memory_type_hints"] = {}): number[] {
  if (!isPlainObject(hints)) {
    throw invalid("memory_type_hints", `must be a plain object, found ${show(hints)}`);
  }
  return TYPES.map((type) => {
    const hint = hints[type] ?? 0;
    if (!(Number.isFinite(hint) && hint >= 0)) {
      throw invalid(
        `memory_type_hints.${type}`,
        `must be a number of at least 0, found ${show(hint)}`,
      );
    }
    return hint;
  });
}

function keywordsOf(keywords: readonly string[] = []): string[] {
  if (!Array.isArray(keywords))
    throw invalid("topic_keywords", `must be an array, found ${show(keywords)}`);
  // A getter may make the list longer with every entry that is read.
  const { length } = keywords;
  const read: string[] = [];
  let units = 0;
  for (let place = 0; place < length; place++) {
    const keyword = keywords[place];
    if (typeof keyword !== "string") {
      throw invalid(`topic_keywords[${place}]`, `must be a string, found ${show(keyword)}`);
    }
    units += keyword.length + 1;
    read.push(keyword);
  }
  if (units > LONGEST_STRING) throw invalid("topic_keywords", "are too long to be one query");
  return read;
}
