// Reads and checks the options of `buildContext`, before any function of the caller's is called.

import { isPlainObject, listOf, optionsOf, presentOf, requireText } from "../arguments.ts";
import { signalOf, timeoutOf } from "../deadline.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import { contextBudget } from "./budget.ts";
import { requireEmbed } from "./dedup.ts";
import { readTexts } from "./entries.ts";
import { isSeedCompatible, type MemoryType, type RetrievalPlan } from "./turn.ts";
import type { BuildContextOptions, ContextBudget, TurnFrame } from "./types.ts";

const KEYS = new Set<string>([
  "input",
  "identity",
  "retrieve",
  "now",
  "mode",
  "frame",
  "plan",
  "profile",
  "censors",
  "workingMemory",
  "messages",
  "recent",
  "embed",
  "usage",
  "countTokens",
  "budgets",
  "minScores",
  "timeoutSeconds",
  "signal",
] satisfies (keyof BuildContextOptions)[]);

const { names: TYPES } = moduleConstants.memory_types;

/** @internal */
export type Request = ReturnType<typeof readRequest>;

/**
 * Checks the options. Throws `invalid_argument` with the option's name. Values that only one
 * section needs are checked later. @internal
 */
export function readRequest(context: EngineContext, options: BuildContextOptions) {
  if (options === undefined) throw invalid("options", "must be an object, found undefined");
  const given = optionsOf<BuildContextOptions>("options", options, KEYS) as BuildContextOptions;
  const {
    input,
    identity,
    retrieve,
    frame,
    plan,
    recent,
    embed,
    usage,
    countTokens,
    budgets,
    minScores,
  } = given;
  requireText("input", input);
  requireText("identity", identity);
  requireFunction("retrieve", retrieve);
  if (recent != null) requireFunction("recent", recent);
  requireEmbed(embed);
  if (usage != null) requireFunction("usage.boost", usage.boost);
  if (countTokens != null) requireFunction("countTokens", countTokens);
  return {
    input,
    identity,
    retrieve,
    isSeed: isSeedCompatible({ mode: given.mode }),
    now: presentOf(given.now),
    frame: frame == null ? null : readFrame(frame),
    /** Undefined: the plan of the turn. Null: five memories of each type. */
    plan: plan == null ? plan : readPlan(plan),
    profile: given.profile,
    censors: given.censors,
    workingMemory: given.workingMemory,
    messages: readTexts("messages", given.messages ?? [], ["role", "content"]),
    recent: recent ?? null,
    embed: embed ?? null,
    usage: usage ?? null,
    countTokens: countTokens ?? null,
    budgets: overridesOf(budgets),
    minScores: minScoresOf(minScores, embed != null),
    timeoutSeconds: timeoutOf(given.timeoutSeconds, context.orchestrator.timeout_seconds),
    signal: signalOf(given.signal),
  };
}

function requireFunction(field: string, value: unknown): void {
  if (typeof value !== "function") throw invalid(field, `must be a function, found ${show(value)}`);
}

function readFrame(frame: string | TurnFrame): TurnFrame {
  if (typeof frame === "string") {
    const known = moduleConstants.frames.find(({ id }) => id === frame);
    return known === undefined
      ? { frame_id: frame }
      : { frame_id: known.id, frame_name: known.name, description: known.description };
  }
  if (typeof frame !== "object")
    throw invalid("frame", `must be a string or an object, found ${show(frame)}`);
  const { frame_id, frame_name, description, questions_to_ask } = frame;
  requireText("frame.frame_id", frame_id);
  if (frame_name !== undefined) requireText("frame.frame_name", frame_name);
  if (description != null) requireText("frame.description", description);
  const questions =
    questions_to_ask === undefined
      ? undefined
      : [...listOf("frame.questions_to_ask", questions_to_ask)];
  questions?.forEach((question, place) => {
    requireText(`frame.questions_to_ask[${place}]`, question);
  });
  return {
    frame_id,
    ...(frame_name === undefined ? {} : { frame_name }),
    ...(description === undefined ? {} : { description }),
    ...(questions === undefined ? {} : { questions_to_ask: questions }),
  };
}

function readPlan(plan: RetrievalPlan): RetrievalPlan {
  if (typeof plan !== "object") throw invalid("plan", `must be an object, found ${show(plan)}`);
  const { queries, budget_overrides, skip_types = [] } = plan;
  return {
    queries: Array.from(listOf("plan.queries", queries), (query, place) => {
      if (typeof query !== "object" || query === null)
        throw invalidShape("plan.queries", place, query);
      const { memory_type, query_text, limit } = query;
      const wrong = (field: string, wanted: string, found: unknown) =>
        invalidEntry(
          "plan.queries",
          place,
          query,
          field,
          `must be ${wanted}, found ${show(found)}`,
        );
      if (!TYPES.includes(memory_type))
        throw wrong("memory_type", `one of ${TYPES.join(", ")}`, memory_type);
      if (typeof query_text !== "string") throw wrong("query_text", "a string", query_text);
      if (!Number.isSafeInteger(limit) || limit < 0)
        throw wrong("limit", "a whole number of at least 0", limit);
      return { memory_type, query_text, limit };
    }),
    budget_overrides: overridesOf(budget_overrides),
    skip_types: Array.from(listOf("plan.skip_types", skip_types), (type, place) => {
      if (TYPES.includes(type)) return type;
      throw invalid(
        `plan.skip_types[${place}]`,
        `must be one of ${TYPES.join(", ")}, found ${show(type)}`,
      );
    }),
  };
}

/** Returns the given budgets, checked. */
function overridesOf(budgets: Partial<ContextBudget> | null | undefined): Partial<ContextBudget> {
  const checked = contextBudget(null, budgets);
  const names = Object.keys(checked) as (keyof ContextBudget)[];
  return Object.fromEntries(
    names.filter((name) => budgets?.[name] !== undefined).map((name) => [name, checked[name]]),
  );
}

/** Returns the lowest score of each type, in order; −∞ for none. */
function minScoresOf(
  given: Partial<Record<MemoryType, number>> | null | undefined,
  areCosines: boolean,
): number[] {
  if (given != null && !isPlainObject(given))
    throw invalid("minScores", `must be a plain object, found ${show(given)}`);
  const unknown = Object.keys(given ?? {}).find(
    (type) => !(TYPES as readonly string[]).includes(type),
  );
  if (unknown !== undefined)
    throw invalid(`minScores.${unknown}`, `is not a memory type: there are ${TYPES.join(", ")}`);
  return TYPES.map((type, place) => {
    const min =
      given?.[type] ??
      (areCosines ? moduleConstants.context.min_scores[place]! : Number.NEGATIVE_INFINITY);
    if (typeof min !== "number" || Number.isNaN(min)) {
      throw invalid(`minScores.${type}`, `must be a number, found ${show(min)}`);
    }
    return min;
  });
}
