// Turns: the signals of a user's message, its frame, and the retrieval plan for it. The rules run
// in the module.

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
 * Role of a memory in a prompt, in the order of the prompt. `signal` exists only in the default
 * mode, for turns that ask for signals.
 */
export type MemoryType = "decision" | "fact" | "procedure" | "episode" | "signal";

/** Name of the token budget of a memory type. */
export type BudgetName = `${MemoryType}s`;

/**
 * Rules of the turn functions. `seed-compatible`: the behaviour of the system that this one
 * replaces. `default`: the same with its defects fixed; each function names the differences.
 */
export type ContextMode = "default" | "seed-compatible";

/** Options of the turn functions. */
export interface ContextOptions {
  /** Rules to apply. Default `default`. */
  mode?: ContextMode | undefined;
}

/** What a turn asks of memory. */
export interface TurnSignals {
  /**
   * The text that is classified, and searched for if there are no keywords: the turn. The default
   * mode drops a greeting before other text.
   */
  input: string;
  /** Id of the frame. A frame that `selectFrame` does not know changes no budget. */
  frame_type: string;
  /** Words that look like names, as they are spelled, each once, in order. At most 10. */
  entity_mentions: string[];
  /**
   * How strongly the turn means something recent, in [0, 1]: 0 not at all, 1 at this moment.
   * `buildContext` multiplies the relevance of each memory by 1 + `temporal_recency` × 0.5^(age in
   * days / 7). The age is that of `created_at`.
   */
  temporal_recency: number;
  /**
   * Hints at memory types: 0.5 for each pattern that the turn contains. Types without a pattern are
   * missing.
   */
  memory_type_hints: Partial<Record<MemoryType, number>>;
  /** Whether the turn is a question. */
  is_question: boolean;
  /**
   * Whether the turn is only a greeting. In the seed-compatible mode: whether it begins with one.
   */
  is_greeting: boolean;
  /**
   * Whether the turn is an acknowledgement, such as "thanks" or "ok 👍". False in the
   * seed-compatible mode.
   */
  is_acknowledgement: boolean;
  /** Words that name the topic, in lower case, each once, in order. At most 10. */
  topic_keywords: string[];
}

/**
 * The signals that `planRetrieval` reads. Missing fields have no effect. `entity_mentions` is not
 * read.
 */
export type SignalsToPlan = Pick<TurnSignals, "frame_type"> & {
  readonly [Field in keyof TurnSignals]?: TurnSignals[Field] | undefined;
};

/** One search of memory. */
export interface RetrievalQuery {
  /** The memory type to search for. */
  memory_type: MemoryType;
  /** The keywords; the turn if there are no keywords. */
  query_text: string;
  /** The most memories to find. */
  limit: number;
}

/** A retrieval plan: what to retrieve for a turn. */
export interface RetrievalPlan {
  /** One query per type, in the order of the types. Empty if nothing is to be retrieved. */
  queries: RetrievalQuery[];
  /** Token budgets that replace those of the frame. */
  budget_overrides: Partial<Record<BudgetName, number>>;
  /** Types of which nothing is to be retrieved, in order. */
  skip_types: MemoryType[];
}

/** The signals and the retrieval plan of a turn. */
export interface TurnPlan {
  /** The signals of the turn. */
  signals: TurnSignals;
  /** The retrieval plan. */
  plan: RetrievalPlan;
  /**
   * Whether the turn means something recent. The prompt shows more of recent conversations then.
   */
  temporal_boost: boolean;
  /** Whether the turn asks for a recap of what was discussed. */
  recap: boolean;
}

/** The frame of a turn. */
export interface FrameSelection {
  /** `task`, `question`, `decision`, `creative`, `conversation` or `debug`. */
  frame_id: string;
  /** Name of the frame in words. */
  frame_name: string;
  /** Confidence in [0, 1]: 0.3 for each pattern found. */
  confidence: number;
  /**
   * `pattern`: patterns were found. `default`: no pattern was found, and the frame is
   * `conversation`.
   */
  match_method: "pattern" | "default";
  /** Description of the frame; null if it has none. */
  description: string | null;
  /** Category of the decisions in this frame. */
  default_category: string | null;
  /** Stakes of the decisions in this frame. */
  default_stakes: string | null;
  /** Questions to ask in this frame. */
  questions_to_ask: string[];
}

const { names: TYPES, budgets: BUDGETS } = moduleConstants.memory_types;
const TYPES_OF_SUBTYPES = new Map<unknown, MemoryType>(moduleConstants.memory_types.of_subtypes);
const FRAME_CODES = new Map<string, number>(
  moduleConstants.frames.map(({ id }, code) => [id, code]),
);

/** The most UTF-16 units that a string holds in every JavaScript engine. */
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

/** Checks the arguments of a turn function. Without a frame it selects the turn's frame. */
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

/** The code of a frame. A frame of the caller's own has the code after the last. */
const codeOf = (frame: string): number => FRAME_CODES.get(frame) ?? moduleConstants.frames.length;

/** Returns whether the mode is `seed-compatible`. @internal */
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
  // A getter may lengthen the list while it is read.
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
