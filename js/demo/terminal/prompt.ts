// What an agent would read before it answers a question: the prompt section by section, what was
// asked of memory for it, and what became of the rest. `PromptReport` is what --json prints.

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
import { cell, indented, wrap } from "./layout.ts";
import { type Library, textOf } from "./library.ts";
import { headed, NARROWEST, type Screen, shortId } from "./render.ts";

export interface PromptReport {
  format: 1;
  /** The present, ISO 8601. */
  clock: string;
  question: string;
  /** The queries of the plan that were searched for, and the memories that were handed over. */
  searches: (RetrievalQuery & { found: number })[];
  context: BuiltContext;
  /** Titles of what was left out, by id. */
  titles: Record<string, string>;
}

const IDENTITY =
  "You trade perpetual futures on crypto for one account. You remember your trades, what you expected of them and what you " +
  "learned, and you go by that. Where memory says nothing, you say so.";
/** Memories that are handed over for each that is asked for, since some are left out. */
const SPARE = 2;
/** What stands for conversations: the sample has none itself. */
const SUMMARIES: ReadonlySet<string> = new Set(["custom:turn_summary", "custom:session_summary"]);

/** The prompt for a question, out of a memory at its clock. */
export async function promptReport(library: Library, question: string): Promise<PromptReport> {
  const searches: PromptReport["searches"] = [];
  const context = await buildContext({
    input: question,
    identity: IDENTITY,
    now: library.at,
    retrieve: (query) => {
      const memories = memoriesFor(library, query);
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

/** The best memories of the type that a query is for. */
function memoriesFor(
  library: Library,
  { memory_type, query_text, limit }: RetrievalQuery,
): ContextMemory[] {
  const found = [...library.search(library.hits(query_text), true).ranking];
  return found
    .map(({ id, score }) => ({ ...library.get(id), score }))
    .filter(({ subtype }) => memoryTypeOf(subtype) === memory_type)
    .slice(0, SPARE * limit)
    .map((row) => contextMemory(row));
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

/** The frame and the plan, the prompt as it stands, and what is not in it. */
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

/** Width of the column of types. */
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

/** An entry of a list begins with it. */
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

/** What is not in the prompt, by the reason, in the order in which that came up. */
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
