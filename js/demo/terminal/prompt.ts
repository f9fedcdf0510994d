// The prompt of a question as a view: its sections, the queries to memory, and the memories that
// were left out. `--json` prints `PromptReport`.

import {
  type BuiltContext,
  buildContext,
  type ContextMemory,
  type ContextSection,
  contextMemory,
  type LeftOut,
  type LeftOutReason,
  memoryTypeOf,
  type RecentConversation,
  type RetrievalQuery,
} from "nous-wasm";
import { SUBTYPES } from "../sample/types.ts";
import type { RankedBy } from "./args.ts";
import { cell, indented, wrap } from "./layout.ts";
import { type Library, textOf } from "./library.ts";
import { headed, NARROWEST, type Screen, shortId } from "./render.ts";

/** The prompt of a question. */
export interface PromptReport {
  format: 1;
  /** The present, in ISO 8601. */
  clock: string;
  question: string;
  /** The queries of the plan that were run, and the number of memories of each. */
  searches: (RetrievalQuery & { found: number })[];
  context: BuiltContext;
  /** The titles of the memories that were left out, by id. */
  titles: Record<string, string>;
}

const IDENTITY =
  "You trade perpetual futures on crypto for one account. You remember your trades, what you expected of them and what you " +
  "learned, and you go by that. Where memory says nothing, you say so.";
/** The number of memories per requested one, because some are left out. */
const SPARE = 2;
/** The least probability of a memory in a prompt, as in the server. */
const MIN_PROBABILITY = 0.1;
/** Subtypes that stand for conversations, which the sample does not have. */
const SUMMARIES: ReadonlySet<string> = new Set(["custom:turn_summary", "custom:session_summary"]);

/** Builds the prompt of a question from a memory at its present. */
export async function promptReport(
  library: Library,
  question: string,
  ranking: RankedBy,
): Promise<PromptReport> {
  const searches: PromptReport["searches"] = [];
  const context = await buildContext({
    input: question,
    identity: IDENTITY,
    now: library.at,
    retrieve: (query) => {
      const memories = memoriesFor(library, query, ranking);
      searches.push({ ...query, found: memories.length });
      return memories;
    },
    recent: ({ since }) => summariesSince(library, since),
  });
  const ids = context.left_out.flatMap(({ id }) => id ?? []);
  return {
    format: 1,
    clock: new Date(library.at).toISOString(),
    question,
    searches,
    context,
    titles: Object.fromEntries(ids.map((id) => [id, library.get(id).content_title])),
  };
}

/** Returns the best memories of the type of a query. */
function memoriesFor(library: Library, query: RetrievalQuery, ranking: RankedBy): ContextMemory[] {
  const found = ranking === "evidence" ? byEvidence(library, query) : bySignals(library, query);
  return found.map(({ id, score }) => contextMemory({ ...library.get(id), score }));
}

interface Scored {
  id: string;
  score: number;
}

/** As the server does it: asks among the memories of the type. */
function byEvidence(
  { byEvidence, at: now }: Library,
  { memory_type, query_text, limit }: RetrievalQuery,
): Scored[] {
  const subtypes = SUBTYPES.filter((subtype) => memoryTypeOf(subtype) === memory_type);
  return byEvidence.ask(query_text, {
    limit: SPARE * limit,
    min_score: MIN_PROBABILITY,
    now,
    filters: { subtypes },
  });
}

function bySignals(library: Library, { memory_type, query_text, limit }: RetrievalQuery): Scored[] {
  return [...library.search(library.hits(query_text), true).ranking]
    .filter(({ id }) => memoryTypeOf(library.get(id).subtype) === memory_type)
    .slice(0, SPARE * limit);
}

const summariesSince = ({ nodes }: Library, since: number): RecentConversation[] =>
  nodes
    .filter(({ subtype, created_at }) => SUMMARIES.has(subtype) && created_at >= since)
    .map(({ id, content_title, content_body, created_at }) => ({
      id,
      title: content_title,
      summary: textOf(content_body),
      created_at,
    }));

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  not_asked: "of a type that was not asked for",
  known: "told by the recent conversations",
  threshold: "too low a score",
  near_duplicate: "a newer decision says the same",
  diversity: "enough others are about the same",
  conversation: "the conversation says it already",
  limit: "better ones are as many as were asked for",
  empty: "says nothing",
  unwanted: "not meant for a prompt",
  budget: "the section is full",
  total: "the prompt is full",
};

/** Renders the frame, the plan, the prompt, and the memories that were left out. */
export function renderPrompt(
  { question, searches, context, titles }: PromptReport,
  screen: Screen,
): string {
  const fitted: Screen = { ...screen, width: Math.max(screen.width, NARROWEST) };
  const { width, colors } = fitted;
  const { sections, tokens, left_out, failed } = context;
  return [
    ...wrap(`› ${question}`, width, 2).map((line) => colors.bold(line)),
    ...frameLines(context, width),
    ...headed("PLAN  what is asked of memory", fitted),
    ...planLines(searches, context, fitted),
    ...headed(`THE PROMPT  ${tokens} tokens`, fitted),
    ...sections.flatMap((section, place) => [
      ...(place === 0 ? [] : [""]),
      ...sectionLines(section, fitted),
    ]),
    ...headed(`LEFT OUT  ${left_out.length} of what was found`, fitted),
    ...(left_out.length > 0 ? leftOutLines(left_out, titles, fitted) : ["Nothing."]),
    ...(failed.length > 0 ? headed("FAILED  and done without", fitted) : []),
    ...failed.flatMap(({ part, reason }) => wrap(`${part}: ${reason}`, width, 2)),
  ].join("\n");
}

function frameLines({ frame, signals, temporal_boost }: BuiltContext, width: number): string[] {
  const { frame_id, frame_name, description } = frame;
  const { topic_keywords: keywords } = signals;
  const facts = [
    `frame ${[frame_name ?? frame_id, description].filter((it) => it != null).join(": ")}`,
    keywords.length > 0 ? `about ${keywords.join(", ")}` : "about nothing in particular",
    ...(temporal_boost ? ["something recent is meant"] : []),
  ];
  return facts.flatMap((fact) => indented(fact, 2, width));
}

/** The width of the column of types. */
const TYPE = 11;

function planLines(
  searches: PromptReport["searches"],
  { plan }: BuiltContext,
  { width, colors }: Screen,
): string[] {
  const asked = searches.flatMap(({ memory_type, query_text, limit, found }) =>
    wrap(
      `${cell(memory_type, TYPE)}${limit} wanted, ${found} found for “${query_text}”`,
      width,
      TYPE,
    ),
  );
  const { skip_types } = plan;
  const skipped =
    skip_types.length === 0 ? [] : wrap(`Left alone: ${skip_types.join(", ")}.`, width);
  return [...asked, ...skipped.map((line) => colors.dim(line))];
}

/** The start of a list entry. */
const ITEM = "- ";

function sectionLines(
  { label, content, token_estimate, budget }: ContextSection,
  { width, colors }: Screen,
): string[] {
  const share =
    budget === null ? `${token_estimate} tokens` : `${token_estimate} of ${budget} tokens`;
  return [
    `${colors.bold(label)}  ${colors.dim(share)}`,
    ...content
      .split("\n")
      .flatMap((line) => wrap(line, width, line.startsWith(ITEM) ? ITEM.length : 0)),
  ];
}

/**
 * Returns the lines of the memories that were left out, by reason, in the order in which the
 * reasons occurred.
 */
function leftOutLines(
  leftOut: readonly LeftOut[],
  titles: Readonly<Record<string, string>>,
  { width, colors }: Screen,
): string[] {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const these = leftOut.filter((one) => one.reason === reason);
    return [
      ...wrap(`${REASONS[reason]} (${these.length})`, width),
      ...these.map(({ id, section }) => {
        const what = id === null ? section : `${shortId(id)}  ${section}  ${titles[id] ?? ""}`;
        return colors.dim(cell(`  ${what}`, width).trimEnd());
      }),
    ];
  });
}
