// Rule: the prompt of a turn by evidence.
//
// # Idea
//
// The whole turn is asked as one question, and the memories that answer it go into the prompt in the
// order of their probability, whatever their kind, as far as `picking.ts` picks them and until the
// tokens of the prompt are used. A memory that does not fit makes room for the next best one. Before
// that the profile of the user may take a share of the prompt, and after it recent conversations. Of a
// large profile only those that are picked are shown. A turn that asks for nothing, such as a greeting,
// gets the profile at most. A memory that only asks, greets or thanks answers nothing: it gets no line.
// Kinds decide only under which heading a memory stands. Every line ends with the day of the event, or
// with the day on which the memory was noted, and how long ago that is: models do not compute with
// dates.
//
// # Invariants
//
// - A memory that another one supersedes is left out: its successor is asked for in its place. For a
//   question for the past it is shown, with the day until which it held.
// - A memory that another one seems to replace is shown, and its line tells the newer one. What may
//   replace one of the first stands behind it, and its line says so.
// - What the conversation says already is left out, and so is the turn itself, if the agent stored it
//   before it asked.
// - Each memory that was found is either in the prompt or in `left_out`, with the reason.

import {
  type ContextBudget,
  type Engine,
  type LeftOut,
  type MemoryType,
  offsetIn,
} from "nous-wasm";
import { isQuestion } from "../asks.ts";
import { EPISODE, isIdle } from "../idle.ts";
import { MAX_QUERY } from "../limits.ts";
import { type Heading, type Preset, typeOf, typesUnder } from "../presets/preset.ts";
import { offsetOf, parseInstant } from "../time.ts";
import { type ShownRow, wordsOfMemory } from "../words-of-memory.ts";
import { MARK_BEHIND, MARK_OF_EARLIER, markOfEarlier, type NewerMemory } from "./earlier.ts";
import { MAX_BEHIND, type Picking, picksOf } from "./picking.ts";
import { PROFILE_CATEGORIES } from "./profile.ts";
import { DEFAULT_TOKENS, PROFILE_SHARE, RECENT_SHARE } from "./room.ts";
import { isAtHand } from "./selection.ts";
import { tokensIn, tokensOf } from "./tokens.ts";

/** The most characters of one memory, about a fifth of a usual prompt. */
const MAX_OF_A_MEMORY = 1_200;

/** The section of a prompt that a memory stands in. */
export type MemoryHeading = Heading | "recent_conversations";
/** The labels of the sections that memories stand in, in their order. */
const LABELS: Readonly<Record<MemoryHeading, string>> = {
  user_profile: "User Profile",
  decisions: "Related Decisions",
  facts: "Relevant Facts",
  procedures: "Known Procedures",
  recent_conversations: "Recent Conversations",
  episodes: "Past Episodes",
  signals: "Signals",
};
/** All sections in the order of the prompt, with heading and priority. */
const SECTIONS = [
  ["identity", "Identity", 1],
  ["user_profile", LABELS.user_profile, 1],
  ["censors", "Active Censors", 2],
  ["frame", "Current Frame", 3],
  ["working_memory", "Working Memory", 4],
  ["decisions", LABELS.decisions, 5],
  ["facts", LABELS.facts, 6],
  ["procedures", LABELS.procedures, 7],
  ["recent_conversations", LABELS.recent_conversations, 7],
  ["episodes", LABELS.episodes, 8],
  ["signals", LABELS.signals, 8],
] as const;
type SectionName = (typeof SECTIONS)[number][0];

/** A memory that may go into a prompt. */
export interface PromptMemory {
  id: string;
  /** Its words, without the day. */
  text: string;
  heading: MemoryHeading;
  /** The kind under which feedback counts it. */
  type: MemoryType;
  /** How probably it answers the turn, from 0 to 1; the preferences of the agent count, too. */
  score: number;
  /** The probability alone, by which it is picked. Default: the score. */
  probability?: number | undefined;
  /** The cosine of its embedding and the turn's; undefined without one. */
  cosine?: number | undefined;
  /** When it happened, in milliseconds since 1970; undefined if it tells of no event. */
  event_at?: number | undefined;
  /** Minutes before UTC of the clock by which the day of its event is told. Default: the zone's. */
  event_offset?: number | undefined;
  /** When it was made. */
  created_at?: number | undefined;
  /** The form of its line, if its type has one; see `PresetType`. */
  line?: string | undefined;
  /** The id of the memory that supersedes it, unless the turn asks for what held before. */
  superseded_by?: string | undefined;
  /** The memory that replaces it, which its line tells. */
  newer?: NewerMemory | undefined;
  /** Whether the turn asks for what held before that. */
  isPast?: boolean | undefined;
  /** Whether it may replace the memory before it, and stands there for that. */
  isBehind?: boolean | undefined;
  /** Whether it is a message of a conversation. */
  isMessage?: boolean | undefined;
  /** Whether it was said beside a question that was found. */
  isAnswer?: boolean | undefined;
}

/** Fixed parts of a prompt: lines by section, in order. */
export type FixedParts = Readonly<
  Partial<Record<"identity" | "censors" | "frame" | "working_memory", readonly string[]>>
>;

/** A turn, and the memories that its prompt is chosen from. */
export interface TurnToPrompt {
  engine: Pick<Engine, "classifyTurn">;
  input: string;
  now: number;
  /** The time zone by which days are told. Default: UTC. */
  zone?: string | undefined;
  fixed: FixedParts;
  /** The conversation before the turn, oldest first. */
  messages: readonly Message[];
  /** The memories that describe the user, the newest first. Their scores do not count. */
  profile: readonly PromptMemory[];
  /** The memories that the turn finds, in any order. */
  found: readonly PromptMemory[];
  /** Recent conversations, the newest first. */
  recent: readonly PromptMemory[];
  /** Returns the memories that may replace one, the most probable first. */
  mayReplace(id: string): readonly PromptMemory[];
  budgets: Partial<ContextBudget>;
  /** Which of them are shown. */
  picking: Picking;
}

/** A message of the conversation. */
export interface Message {
  role: string;
  content: string;
}

/**
 * `share`: the profile, or recent conversations, have their share of the prompt already. `unlikely`:
 * it hardly answers the turn. `lines`: the prompt has `max_lines` memories. `question`: it only asks.
 */
export type NotInPromptReason =
  | LeftOut["reason"]
  | "superseded"
  | "echo"
  | "share"
  | "unlikely"
  | "lines"
  | "question";
/** A memory, or a line that the request gives, that is not in the prompt. */
export interface NotInPrompt {
  /** The id of the memory; null for a line that the request gives. */
  id: string | null;
  /** The section in which it would stand. */
  section: SectionName;
  /** Why it is left out. */
  reason: NotInPromptReason;
}

/** A section of a prompt. */
export interface WrittenSection {
  /** The name of the section. */
  name: SectionName;
  /** From 1, the most important, to 8. */
  priority: number;
  /** The heading, without `##`. */
  label: string;
  /** The lines below the heading. */
  content: string;
  /** The tokens of heading and lines, estimated. */
  token_estimate: number;
  /** The most tokens that the section may take; null if only the whole prompt is limited. */
  budget: number | null;
}

/** The prompt of a turn, and how it came about. */
export interface TurnPrompt {
  /** The prompt: its sections as Markdown. */
  prompt: string;
  /** The tokens of the prompt, estimated. */
  tokens: number;
  /** Its sections, in order. */
  sections: WrittenSection[];
  /** The memories in the prompt: the profile, what was found, and recent conversations. */
  recalled: PromptMemory[];
  /** What was found and is not in the prompt, with the reason. */
  left_out: NotInPrompt[];
}

/** Writes the prompt of a turn from memories that were looked up. */
export function writePrompt(turn: TurnToPrompt): TurnPrompt {
  const { now, zone, fixed, budgets } = turn;
  const asked = saidIn(turn.input);
  const said = turn.messages.map(({ content }) => saidIn(content));
  const talks = new Set(turn.recent.map(({ id }) => id));
  const asks = (memory: PromptMemory) => reasonAgainst(memory) === "question";
  const found = withContext(turn.found, asks)
    .map(
      (memory): PromptMemory =>
        talks.has(memory.id) ? { ...memory, heading: "recent_conversations" } : memory,
    )
    .sort((a, b) => b.score - a.score);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  const scoreOf = ({ id }: PromptMemory) => byId.get(id)?.score ?? 0;
  const profile = turn.profile.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  const total = budgets.total ?? DEFAULT_TOKENS;
  const lines = new Map<SectionName, string[]>();
  const left_out: NotInPrompt[] = [];
  const recalled: PromptMemory[] = [];
  const used = new Map<SectionName, number>();
  let tokens = 0;
  /** Adds a line if its section and the prompt have room for it. */
  const add = (section: SectionName, line: string, max = Number.POSITIVE_INFINITY) => {
    const [, label] = SECTIONS.find(([name]) => name === section)!;
    const isFirst = !lines.has(section);
    const cost = tokensIn(line) + 1 + (isFirst ? tokensIn(label) + 2 : 0);
    const spent = used.get(section) ?? 0;
    const own = section === "recent_conversations" ? undefined : budgets[section];
    if (own !== undefined && spent + cost > own) return "budget";
    if (spent + cost > max) return "share";
    if (tokens + cost > total) return "total";
    lines.set(section, [...(lines.get(section) ?? []), line]);
    used.set(section, spent + cost);
    tokens += cost;
    return undefined;
  };
  for (const [section, parts] of Object.entries(fixed) as [keyof FixedParts, string[]][]) {
    for (const part of parts) {
      const reason = add(section, part) ?? null;
      if (reason !== null) left_out.push({ id: null, section, reason });
    }
  }
  const known = new Set<string>();
  const picks = picksOf(turn.picking, {
    found: found.filter((memory) => reasonAgainst(memory) === undefined),
    profile,
  });
  const maxLines = turn.picking.max_lines ?? Number.POSITIVE_INFINITY;
  /** Shows a memory if there is room. Returns why not otherwise. */
  const show = (memory: PromptMemory, share: number): NotInPromptReason | undefined => {
    const max = share === 1 ? undefined : total * share;
    const isFull = known.size >= Math.ceil(maxLines * share);
    const reason = isFull ? "lines" : add(memory.heading, lineOf(memory, now, zone), max);
    if (reason !== undefined) return reason;
    known.add(memory.id);
    recalled.push(memory);
    return undefined;
  };
  const take = (memory: PromptMemory, part: "profile" | "found" | "recent", share = 1) => {
    const { id, heading: section } = memory;
    if (known.has(id)) return;
    const against = reasonAgainst(memory) ?? (picks[part](id) ? undefined : "unlikely");
    const reason = against ?? show(memory, share);
    if (reason !== undefined) {
      if (!left_out.some((left) => left.id === id)) left_out.push({ id, section, reason });
      return;
    }
    if (!picks.followed(id)) return;
    let room = MAX_BEHIND;
    for (const one of turn.mayReplace(id)) {
      const behind = { ...(byId.get(one.id) ?? one), heading: section, isBehind: true };
      if (room === 0 || known.has(one.id) || reasonAgainst(behind) !== undefined) continue;
      if (show(behind, share) === undefined) room -= 1;
    }
  };
  for (const memory of profile) take(memory, "profile", PROFILE_SHARE);
  for (const memory of found) take(memory, "found");
  for (const memory of turn.recent) take(memory, "recent", RECENT_SHARE);
  const sections = SECTIONS.flatMap(([name, label, priority]): WrittenSection[] => {
    const own = lines.get(name);
    if (own === undefined) return [];
    return [
      {
        ...{ name, label, priority, content: own.join("\n") },
        token_estimate: Math.round(used.get(name)!),
        budget: name === "recent_conversations" ? null : (budgets[name] ?? null),
      },
    ];
  });
  const prompt = sections.map(({ label, content }) => `## ${label}\n\n${content}`).join("\n\n");
  const stands = ({ id }: NotInPrompt) => id === null || !known.has(id);
  return {
    prompt,
    tokens: tokensOf(prompt),
    sections,
    recalled,
    left_out: left_out.filter(stands),
  };

  function reasonAgainst(memory: PromptMemory): NotInPromptReason | undefined {
    if (memory.text.trim() === "" || saysNothing(memory)) return "empty";
    if (memory.superseded_by !== undefined) return "superseded";
    const forms = formsOf(memory.text);
    if (forms.some((form) => isEcho(form, memory))) return "echo";
    const isSaid = forms.some((form) => said.some((message) => isIn(form, memory, message)));
    if (isSaid) return "conversation";
    return isQuestion(memory.text) ? "question" : undefined;
  }

  /** Whether a message greets or thanks. "Smoker: no" is no message, and "yes" answers a question. */
  function saysNothing({ text, isMessage = false, isAnswer = false }: PromptMemory): boolean {
    return isMessage && !isAnswer && isIdle(turn, text.replace(SPEAKER, ""));
  }

  /** Whether a memory is the turn itself, or a part of it: the agent stored it before it asked. */
  function isEcho(form: string, { event_at, created_at = now }: PromptMemory): boolean {
    if (form === asked.words) return true;
    return event_at === undefined && now - created_at <= ECHO_FOR && isClauseOf(form, asked);
  }
}

/** The time between a question and what is said beside it, in milliseconds. */
const TALK = { min: 1_000, below: 3_600_000 } as const;
/** The share of a question's probability that what was said beside it has at least. */
const OF_QUESTION = 0.5;

/**
 * A question answers nothing, but what was said before and after it may: it has a share of the question's
 * score and probability, if that is more than its own.
 */
function withContext(
  found: readonly PromptMemory[],
  asks: (memory: PromptMemory) => boolean,
): PromptMemory[] {
  const inTime = found
    .filter(({ created_at }) => created_at !== undefined)
    .sort((a, b) => a.created_at! - b.created_at!);
  const raised = new Map<PromptMemory, PromptMemory>();
  inTime.forEach((question, place) => {
    if (!asks(question)) return;
    for (const beside of [inTime[place - 1], inTime[place + 1]]) {
      if (beside === undefined) continue;
      const apart = Math.abs(beside.created_at! - question.created_at!);
      if (apart < TALK.min || apart >= TALK.below) continue;
      const { score, probability = score } = raised.get(beside) ?? beside;
      const { score: asked, probability: likely = asked } = question;
      raised.set(beside, {
        ...beside,
        isAnswer: true,
        score: Math.max(score, asked * OF_QUESTION),
        probability: Math.max(probability, likely * OF_QUESTION),
      });
    }
  });
  return found.map((memory) => raised.get(memory) ?? memory);
}

/**
 * Returns the line of a memory: its words and its day, in the form of its type. The day is that of its
 * event's own clock, or else that of the zone.
 */
export function lineOf(
  {
    text,
    event_at,
    event_offset,
    created_at,
    line,
    newer,
    isPast = false,
    isBehind = false,
  }: Omit<PromptMemory, "id" | "heading" | "type" | "score" | "superseded_by">,
  now: number,
  zone = "UTC",
): string {
  const words = oneLine(text);
  const short =
    words.length <= MAX_OF_A_MEMORY ? words : `${words.slice(0, MAX_OF_A_MEMORY).trimEnd()}…`;
  const day =
    event_at !== undefined
      ? dayPhrase(event_at, now, zone, event_offset)
      : created_at === undefined
        ? undefined
        : `noted ${dayPhrase(created_at, now, zone)}`;
  const marks = [
    ...(newer === undefined ? [] : [markOfEarlier(newer, isPast, now, zone)]),
    ...(isBehind ? [MARK_BEHIND] : []),
  ];
  const marked = [short, ...marks].join(" ");
  const form = line ?? "{text} ({day})";
  const whole = day === undefined ? form.replaceAll(/ ?[([]?\{day\}[)\]]?/g, "") : form;
  return `- ${whole.replaceAll(/\{(text|day)\}/g, (_, part) => (part === "text" ? marked : day!))}`;
}

/** The day of a line as `dayPhrase` writes it. */
const DAY_OF_LINE =
  "\\((?:noted )?on \\d{1,2} [A-Z][a-z]{2} \\d{4}, (?:today|yesterday|tomorrow|\\d{1,5} (?:day|week|month|year)s? ago|in \\d{1,5} (?:day|week|month|year)s?)\\)";
const GIVEN_END = new RegExp(` ${DAY_OF_LINE}(?: · \\d{1,3} %)?$`);

/**
 * Returns a text without what `lineOf` and tools put around the words of a memory: the hyphen, the id
 * in brackets, the mark of an earlier one, the day, and the probability. An agent may send a line back that it was given. `isId`
 * tells whether a word in brackets is the id of a memory. `isCertain`: the marks are those of a line, and
 * no part of what the caller says.
 */
export function withoutMarks(
  text: string,
  isId: (id: string) => boolean,
): { text: string; isCertain: boolean } {
  const line = text.trim();
  if (line.includes("\n")) return { text: line, isCertain: false };
  const words = line.replace(/^[-*] /, "");
  const [, id = "", rest = ""] = /^\[([\w.:-]{1,200})\] (.*)$/s.exec(words) ?? [];
  const hasId = id !== "" && isId(id);
  const said = hasId ? rest : words;
  const undated = said.replace(GIVEN_END, "");
  const unplaced = undated.endsWith(` ${MARK_BEHIND}`)
    ? undated.slice(0, -MARK_BEHIND.length - 1)
    : undated;
  const bare = undated === said ? said : unplaced.replace(MARK_OF_EARLIER, "");
  return {
    text: bare === said ? said.replace(/ · \d{1,3} %$/, "") : bare,
    isCertain: hasId || (words !== line && bare !== said),
  };
}

/** A line as `lineOf` and tools write it. */
const GIVEN_LINE = new RegExp(`^- .* ${DAY_OF_LINE}(?: · \\d{1,3} %)?$`);
/** What stands between such lines: headings, and sentences of tools about the list. */
const AROUND_LINES = /^(?:## .*|… \d+ more: .*|The memory (?:may|probably does not) know .*)$/;

/**
 * Returns the lines of a text that a prompt or a tool gave, if it is one; else undefined. An agent may
 * send it back as a whole.
 */
export function givenLines(text: string): string[] | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !AROUND_LINES.test(line));
  return lines.length > 1 && lines.every((line) => GIVEN_LINE.test(line)) ? lines : undefined;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const DAYS_OF_WEEKS = 14;
const DAYS_OF_MONTHS = 63;
const DAYS_OF_YEARS = 730;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * Returns a day and how far it is from now: "on 3 Oct 2026, 7 weeks ago". The day is told by a clock
 * that is `offset` minutes before UTC, and the present by those of the zone.
 */
export function dayPhrase(
  at: number,
  now: number,
  zone: string,
  offset: number = offsetIn(zone, at),
): string {
  const [local, present] = [at + offset * MINUTE, now + offsetIn(zone, now) * MINUTE];
  const day = new Date(local);
  const written = `on ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
  const days = Math.floor(present / DAY) - Math.floor(local / DAY);
  return `${written}, ${distanceOf(days)}`;
}

function distanceOf(days: number): string {
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  if (days === -1) return "tomorrow";
  const far = Math.abs(days);
  const [count, unit] =
    far < DAYS_OF_WEEKS
      ? [far, "day"]
      : far < DAYS_OF_MONTHS
        ? [Math.round(far / 7), "week"]
        : far < DAYS_OF_YEARS
          ? [Math.round(far / 30.44), "month"]
          : [Math.round(far / 365.25), "year"];
  const much = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return days > 0 ? `${much} ago` : `in ${much}`;
}

/** Factor for a memory that was stored in the frame of the turn. */
const SAME_FRAME = 1.3;
/** The most that equal active censors add to the factor. */
const SAME_CENSORS = 0.2;

/** Returns the factor of a memory that was stored in the turn's frame, or under its censors. */
export function factorOf(
  memory: { frame: string | null; censors: readonly string[] },
  frame: string,
  censors: readonly string[],
): number {
  const active = new Set(censors);
  const both = memory.censors.filter((id) => active.has(id)).length;
  const all = new Set([...memory.censors, ...censors]).size;
  return (
    (memory.frame === frame ? SAME_FRAME : 1) * (1 + (all === 0 ? 0 : SAME_CENSORS * (both / all)))
  );
}

/** A row as an answer has it, as far as a prompt needs it. */
export interface CandidateRow extends ShownRow {
  id: string;
  subtype: string | null;
  created_at: string | null;
  provenance_created_at: string | null;
  temporal_event_time: string | null;
  score?: number | undefined;
}

const HEADING_OF: Readonly<Record<MemoryType, MemoryHeading>> = {
  decision: "decisions",
  fact: "facts",
  procedure: "procedures",
  episode: "episodes",
  signal: "signals",
};

const TYPE_OF: Readonly<Record<Exclude<Heading, "user_profile">, MemoryType>> = {
  decisions: "decision",
  facts: "fact",
  procedures: "procedure",
  episodes: "episode",
  signals: "signal",
};

/**
 * Returns a memory that may go into a prompt, with the score that the row has. One that has faded is
 * found, but does not describe the user any more.
 */
export function candidateOf(
  row: CandidateRow,
  { engine, preset }: { engine: Pick<Engine, "memoryTypeOf">; preset: Preset },
  lifecycle: string | null | undefined,
): PromptMemory {
  const { heading: own, line } = typeOf(preset, row.subtype) ?? {};
  const isOfProfile =
    isAtHand(lifecycle) &&
    (own === "user_profile" || Object.hasOwn(PROFILE_CATEGORIES, row.subtype ?? ""));
  const type =
    own === undefined || own === "user_profile" ? engine.memoryTypeOf(row.subtype) : TYPE_OF[own];
  return {
    id: row.id,
    text: wordsOfMemory(row),
    heading: isOfProfile ? "user_profile" : HEADING_OF[type],
    type,
    score: row.score ?? 0,
    event_at: parseInstant(row.temporal_event_time ?? ""),
    event_offset: offsetOf(row.temporal_event_time ?? ""),
    created_at: parseInstant(row.provenance_created_at ?? row.created_at ?? ""),
    line,
    isMessage: row.subtype === EPISODE,
  };
}

/** Returns the subtypes of memories that describe the user. */
export const profileTypes = (preset: Preset): string[] => [
  ...new Set([...Object.keys(PROFILE_CATEGORIES), ...typesUnder(preset, "user_profile")]),
];

/** The parts of a prompt that a request gives. */
export interface GivenParts {
  identity: string;
  censors: readonly { text: string; action: string }[];
  frame?:
    | {
        frame_id: string;
        frame_name?: string | undefined;
        description?: string | null | undefined;
        questions_to_ask?: readonly string[] | undefined;
      }
    | undefined;
  working_memory?:
    | {
        current_task?: string | null | undefined;
        current_frame?: string | null | undefined;
        open_threads?: readonly string[] | null | undefined;
        items?: readonly { text: string; relevance: number }[] | null | undefined;
      }
    | null
    | undefined;
}

/** The strictest censors come first. */
const ACTIONS = ["absolute", "block", "warn"];
/** The least relevance of an item of the working memory. */
const MIN_RELEVANCE = 0.7;

/** Returns the lines of the parts that a request gives. */
export function fixedParts({ identity, censors, frame, working_memory }: GivenParts): FixedParts {
  const labelled = (label: string, text: string | null | undefined) =>
    text ? [`- ${label}: ${oneLine(text)}`] : [];
  const { current_task, current_frame, open_threads, items } = working_memory ?? {};
  const name = frame?.frame_name ?? frame?.frame_id;
  return {
    identity: identity.trim() === "" ? [] : [identity],
    censors: [...censors]
      .sort((a, b) => ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action))
      .map(({ action, text }) => `- [${action}] ${oneLine(text)}`),
    frame:
      name === undefined
        ? []
        : [
            frame?.description ? `- ${name}: ${oneLine(frame.description)}` : `- ${name}`,
            ...(frame?.questions_to_ask ?? []).map((question) => `- ${oneLine(question)}`),
          ],
    working_memory: [
      ...labelled("Task", current_task),
      ...labelled("Frame", current_frame),
      ...(open_threads ?? []).flatMap((thread) => labelled("Open", thread)),
      ...(items ?? [])
        .filter(({ relevance }) => relevance >= MIN_RELEVANCE)
        .map(({ text }) => `- ${oneLine(text)}`),
    ],
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The fewest words of a text that repeats a part of a turn. */
const MIN_ECHOED = 3;
/**
 * How long after it was stored a text may be a part of the turn, in milliseconds. A turn that repeats
 * an older memory may ask for it: "The deploy is on Friday, right?"
 */
const ECHO_FOR = 3_600_000;

/** What was said, as texts are compared. */
interface Said {
  /** The words, a space before and after each. */
  words: string;
  /** The places of the spaces at which a clause begins or ends. */
  bounds: ReadonlySet<number>;
}

function saidIn(text: string): Said {
  let words = " ";
  const bounds = new Set([0]);
  for (const clause of text.split(/[.,;:!?…\n。、，；：！？]/)) {
    for (const word of wordsOf(clause)) words += `${word} `;
    bounds.add(words.length - 1);
  }
  return { words, bounds };
}

/** The speaker of a message. */
const SPEAKER = /^[^:\n]{1,80}: /;

/** Returns the words of a memory. Those of a message are given without its speaker, too. */
function formsOf(text: string): string[] {
  const message = text.replace(SPEAKER, "");
  const forms = message === text ? [text] : [text, message];
  return forms.map((form) => ` ${wordsOf(form).join(" ")} `).filter((words) => words.trim() !== "");
}

/** Whether what was said tells all that a memory tells. An event has a time besides its words. */
const isIn = (form: string, { event_at }: PromptMemory, { words }: Said): boolean =>
  form === words || (event_at === undefined && words.includes(form) && isLong(form));

/**
 * Whether words are clauses of what was said. "Is it true that Mira lives in Oslo?" does not say that
 * she lives there: it asks.
 */
function isClauseOf(form: string, { words, bounds }: Said): boolean {
  for (let at = words.indexOf(form); at >= 0; at = words.indexOf(form, at + 1))
    if (bounds.has(at) && bounds.has(at + form.length - 1)) return isLong(form);
  return false;
}

const isLong = (form: string): boolean => form.trim().split(" ").length >= MIN_ECHOED;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The most messages of the user that a turn is asked together with if it continues a topic. */
const MAX_BEFORE = 2;

/**
 * Returns the question of a turn: its text, after the user's last messages if it continues their
 * topic ("and her brother?"). Returns undefined for a turn that asks for nothing, such as a greeting.
 */
export function questionOfTurn(
  input: string,
  messages: readonly Message[],
  {
    signals: { is_greeting, is_acknowledgement },
    opensTopic,
  }: {
    signals: { is_greeting: boolean; is_acknowledgement: boolean };
    opensTopic: boolean;
  },
): string | undefined {
  if (is_greeting || is_acknowledgement || input.trim() === "") return undefined;
  const before = opensTopic
    ? []
    : messages.filter(({ role }) => role === "user").slice(-MAX_BEFORE);
  return [...before.map(({ content }) => content), input].join("\n").slice(-MAX_QUERY);
}
