// The prompt of a turn: budgets, the selection and order of memories, their lines, and fitting them
// in. The rules of building a prompt, in full. Plain on purpose: this is the yardstick of the
// parity tests.

import type { ContextMemory as AnyMemory, ContextSection, LeftOut, LeftOutReason } from "nous-wasm";
import { wellFormed } from "./context.ts";
import { getSectionForSubtype } from "./sections.ts";
import { type Instant, toMs } from "./signals.ts";
import {
  type BudgetName,
  type ContextMode,
  FRAMES,
  type FrameSelection,
  MEMORY_TYPES,
  type MemoryType,
  memoryTypeOf,
  planTurn,
  type RetrievalPlan,
  selectFrame,
  type TurnSignals,
} from "./turn.ts";
import { containment, deduplicate } from "./usage.ts";

/** A memory whose instant is no text. */
export interface ContextMemory extends Omit<AnyMemory, "created_at"> {
  created_at?: Instant | null | undefined;
}

// ---- budgets ------------------------------------------------------------------------------------

export type SectionName =
  | ("identity" | "user_profile" | "censors" | "frame" | "working_memory" | "recent_conversations")
  | BudgetName;
export type ContextBudget = Record<
  "total" | "conversation_window" | Exclude<SectionName, "recent_conversations">,
  number
>;

const COMMON = { identity: 500, user_profile: 200, censors: 300, frame: 500, working_memory: 700 };
const memoryBudgets = (decisions: number, facts: number, procedures: number, episodes: number) => {
  return { decisions, facts, procedures, episodes, signals: episodes };
};
const DEFAULT_BUDGET = {
  ...COMMON,
  total: 8000,
  ...memoryBudgets(2000, 1500, 1500, 1000),
  conversation_window: 5,
};
const BUDGETS: Readonly<Record<string, ContextBudget>> = {
  conversation: {
    ...COMMON,
    total: 3000,
    ...memoryBudgets(500, 500, 0, 0),
    conversation_window: 3,
  },
  question: {
    ...COMMON,
    total: 6000,
    ...memoryBudgets(1000, 1500, 500, 500),
    conversation_window: 5,
  },
  task: DEFAULT_BUDGET,
  decision: {
    ...COMMON,
    total: 12_000,
    ...memoryBudgets(3000, 2000, 2000, 1000),
    conversation_window: 8,
  },
  creative: {
    ...COMMON,
    censors: 100,
    total: 6000,
    ...memoryBudgets(1000, 1500, 500, 500),
    conversation_window: 4,
  },
  debug: {
    ...COMMON,
    total: 10_000,
    ...memoryBudgets(1500, 1000, 2500, 1000),
    conversation_window: 6,
  },
};

export function contextBudget(
  frame?: string | null,
  ...overrides: (Partial<ContextBudget> | null | undefined)[]
) {
  const budget = {
    ...(frame != null && Object.hasOwn(BUDGETS, frame) ? BUDGETS[frame]! : DEFAULT_BUDGET),
  };
  for (const override of overrides) {
    for (const name of Object.keys(budget) as (keyof ContextBudget)[])
      budget[name] = override?.[name] ?? budget[name];
  }
  return budget;
}

/** A lone surrogate counts as one character. */
export const estimateTokens = (text: string): number =>
  Math.max(1, Math.floor([...text].length / 4));

// ---- memories -----------------------------------------------------------------------------------

type Typed = ContextMemory & { type: MemoryType };

const MIN_SCORES = { decision: 0.2, fact: 0.25, procedure: 0.3, episode: 0.3, signal: 0.3 };
const MAX_ALIKE: Partial<Record<MemoryType, number>> = { decision: 3, fact: 2, episode: 2 };

const sectionOf = (type: MemoryType): BudgetName => `${type}s`;
const createdAt = ({ created_at }: ContextMemory) =>
  created_at == null ? Number.NEGATIVE_INFINITY : toMs(created_at);
const textOf = (text: string | null | undefined): string => wellFormed(text ?? "");
const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

export function frameBoost(
  memory: Pick<ContextMemory, "frame" | "censors">,
  frame: string,
  censors: readonly string[],
): number {
  const factor = memory.frame === frame ? 1.3 : 1;
  const [stored, active] = [new Set(memory.censors ?? []), new Set(censors)];
  if (stored.size === 0 || active.size === 0) return factor;
  const shared = [...stored].filter((censor) => active.has(censor)).length;
  return factor * (1 + 0.2 * (shared / (stored.size + active.size - shared)));
}

function topicOf(memory: Typed): string {
  const first = (text: string | null | undefined) => words(textOf(text))[0];
  const topics = {
    decision: () => first(memory.category),
    fact: () => first(memory.subject),
    episode: () => textOf(memory.tags?.[0]),
    procedure: () => undefined,
    signal: () => undefined,
  };
  return (topics[memory.type]() || "unknown").toLowerCase();
}

/**
 * The beginnings of two decisions with one outcome have more than 80 % of their words in common.
 */
function isSameDecision(one: Typed, other: Typed): boolean {
  const set = ({ text }: Typed) => {
    const beginning = [...wellFormed(text)].slice(0, 150).join("").toLowerCase();
    return new Set(words(beginning).filter((word) => [...word].length >= 3));
  };
  return textOf(one.outcome) === textOf(other.outcome) && containment(set(one), set(other)) > 0.8;
}

const descending = <T>(list: readonly T[], by: (item: T) => number): T[] => {
  // Not by difference: two infinities have none.
  return [...list].sort((a, b) => (by(a) === by(b) ? 0 : by(a) > by(b) ? -1 : 1));
};

interface Terms {
  mode: ContextMode;
  frame: string;
  censors: readonly string[];
  minScores: Readonly<Partial<Record<MemoryType, number>>>;
  boost: (id: string) => number;
  /** How much the turn asks for something recent. */
  recency: number;
  now: number;
}

/**
 * The recency boost of a memory in a turn that asks for something recent: 1 plus the turn's
 * recency, which halves with each week of age.
 */
export function recencyBoost(
  memory: Pick<ContextMemory, "created_at">,
  recency: number,
  now: number,
): number {
  const age = Math.max(now - createdAt(memory as ContextMemory), 0);
  return 1 + recency * Math.exp(-Math.LN2 * (age / 86_400_000 / 7));
}

/** The selected memories by type, the best first. */
function select(
  found: readonly Typed[],
  terms: Terms,
  leaveOut: (memory: Typed, reason: LeftOutReason) => void,
): Typed[] {
  const best = new Map<string, Typed>();
  for (const memory of found) {
    const known = best.get(memory.id);
    if (known === undefined || memory.score > known.score) best.set(memory.id, memory);
  }
  const reasons = new Map<Typed, LeftOutReason>();
  const selected = MEMORY_TYPES.flatMap((type) => {
    let rows = found.filter((memory) => memory.type === type && best.get(memory.id) === memory);
    const drop = (memory: Typed, reason: LeftOutReason) => {
      reasons.set(memory, reason);
      return false;
    };
    const min = terms.minScores[type] ?? Number.NEGATIVE_INFINITY;
    rows = rows.filter((memory) => memory.score >= min || drop(memory, "threshold"));
    if (type === "decision") {
      const kept: Typed[] = [];
      for (const memory of descending(rows, createdAt)) {
        if (kept.some((other) => isSameDecision(memory, other))) drop(memory, "near_duplicate");
        else kept.push(memory);
      }
      rows = kept;
    }
    const boostOf = (memory: Typed) => frameBoost(memory, terms.frame, terms.censors);
    const recencyOf = (memory: Typed) => recencyBoost(memory, terms.recency, terms.now);
    if (terms.mode === "default") {
      rows.sort((a, b) => (a.id < b.id ? -1 : 1));
      rows = descending(
        rows,
        (memory) => memory.score * boostOf(memory) * terms.boost(memory.id) * recencyOf(memory),
      );
    } else if (type !== "decision") {
      if (terms.recency > 0) rows = descending(rows, (memory) => memory.score * recencyOf(memory));
      rows = descending(rows, boostOf);
    }
    const counts = new Map<string, number>();
    rows = rows.filter((memory) => {
      const topic = topicOf(memory);
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
      return (
        counts.get(topic)! <= (MAX_ALIKE[type] ?? Number.POSITIVE_INFINITY) ||
        drop(memory, "diversity")
      );
    });
    if (terms.mode === "seed-compatible" && type !== "decision")
      rows = descending(rows, ({ id }) => terms.boost(id));
    return rows;
  });
  for (const memory of found) if (reasons.has(memory)) leaveOut(memory, reasons.get(memory)!);
  return selected;
}

// ---- lines --------------------------------------------------------------------------------------

/** One line, with a backslash before every character that has a meaning in a prompt. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is cut at
  const pieces = wellFormed(text).split(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/);
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .map((piece) => piece.replace(/^[#\-+*>=]|`{3,}|~{3,}|<!--/g, "\\$&"))
    .join(" ");
}

/** At most 200 characters, cut after a word, with dots for the rest. */
export function shorten(text: string): string {
  const trimmed = wellFormed(text).trim();
  const characters = [...trimmed];
  if (characters.length <= 200) return trimmed;
  const beginning = characters.slice(0, 200).join("");
  const end = beginning.search(/\s\S*$/);
  return `${end < 0 ? beginning : beginning.slice(0, end)}...`;
}

/** Two decimals of the exact value, half to even. */
export function twoPlaces(share: number): string {
  // With two more decimals than a half-way double can have, so that ties are exact.
  const [whole, decimals] = share.toFixed(60).split(".") as [string, string];
  const rest = decimals.slice(2).replace(/0+$/, "");
  const down = Number(whole) * 100 + Number(decimals.slice(0, 2));
  const up = rest === "5" ? down % 2 === 1 : rest >= "5";
  const hundredths = down + (up ? 1 : 0);
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

const wholePercent = (share: number): number => {
  const percent = share * 100;
  const down = Math.floor(percent);
  if (percent - down === 0.5) return down + (down % 2);
  return Math.round(percent);
};

const dayOf = (created_at: Instant | null | undefined): string =>
  created_at == null ? "unknown" : new Date(toMs(created_at)).toISOString().split("T")[0]!;

/** Null if the memory has no content to show. */
function memoryLine(memory: Typed): string | null {
  const {
    type,
    text,
    outcome,
    subject,
    domain,
    confidence,
    activations,
    effectiveness,
    created_at,
  } = memory;
  const or = (field: string | null | undefined, otherwise: string) =>
    plain(field ?? "") || otherwise;
  const shown = type === "fact" ? plain(shorten(text)) : plain(text);
  if (shown === "") return null;
  switch (type) {
    case "decision":
      return `- [${or(outcome, "pending")}] ${shown}${confidence == null ? "" : ` (confidence: ${twoPlaces(confidence)})`}`;
    case "fact": {
      const about = plain(subject ?? "");
      const sure = confidence == null ? "" : ` [confidence: ${twoPlaces(confidence)}]`;
      return `- ${about === "" ? "" : `[${about}] `}${shown}${sure}`;
    }
    case "procedure": {
      const rate = effectiveness == null ? "" : `, effectiveness: ${wholePercent(effectiveness)}%`;
      return `- **${shown}** (${or(domain, "general")}): activated ${activations ?? 0}x${rate}`;
    }
    case "episode":
      return `- [${or(outcome, "ongoing")}] ${shown} (${dayOf(created_at)})`;
    case "signal":
      return `- ${shown} (${dayOf(created_at)})`;
  }
}

// ---- a complete memory --------------------------------------------------------------------------

/** A stored row, of which any field may be missing. */
export interface StoredMemory {
  subtype?: string | null;
  memory_section?: string | null;
  content_title?: string | null;
  content_body?: string | null;
  content_summary?: string | null;
  tags?: readonly string[] | null;
  provenance_created_at?: string | null;
}

/** Levels below the fourth become dots. */
function fourLevels(value: unknown, level = 0): unknown {
  if (value === null || typeof value !== "object") return value;
  if (level === 4) return "...";
  if (Array.isArray(value)) return value.map((each) => fourLevels(each, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fourLevels(each, level + 1)]),
  );
}

function fieldsOfBody(body: string): Record<string, unknown> {
  if (!body.startsWith("{")) return { text: body };
  try {
    return JSON.parse(body);
  } catch {
    return { text: body };
  }
}

/** Each line quoted; a run of empty ones becomes one, and those at the ends are dropped. */
function quoted(text: string): string[] {
  const lines = wellFormed(text).split(/\r?\n/).map(plain);
  const kept = lines.filter((line, place) => line !== "" || (place > 0 && lines[place - 1] !== ""));
  if (kept.at(-1) === "") kept.pop();
  return kept.map((line) => (line === "" ? ">" : `> ${line}`));
}

/** All fields of a memory, as a text for a model that looks it up by type and id. */
export function expandMemory(
  type: string,
  id: string,
  rows: ReadonlyMap<string, StoredMemory>,
): string {
  if (!(MEMORY_TYPES as readonly string[]).includes(type)) return `Unknown memory type: ${type}`;
  const row = rows.get(id);
  if (row === undefined || memoryTypeOf(row.subtype) !== type) return "not found";
  const { text, ...others } = fieldsOfBody(row.content_body ?? "");
  const [body, summary] = [typeof text === "string" ? text : "", row.content_summary ?? ""];
  const told = (value: unknown) =>
    typeof value === "string" ? value : JSON.stringify(fourLevels(value));
  const fields: [string, string][] = [
    ["id", id],
    ["section", row.memory_section || getSectionForSubtype(row.subtype)],
    ["subtype", row.subtype ?? ""],
    ["stored", row.provenance_created_at ? dayOf(Date.parse(row.provenance_created_at)) : ""],
    ["tags", (row.tags ?? []).filter((tag) => tag !== "").join(", ")],
    ...Object.entries(others).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, told(value)]],
    ),
    ["summary", body === "" ? "" : summary],
  ];
  const lines = fields
    .map(([name, value]) => [plain(name), plain(value)])
    .filter(([, value]) => value !== "");
  const label = type[0]!.toUpperCase() + type.slice(1);
  const quotation = quoted(body || summary);
  return [
    `${label}: ${plain(row.content_title ?? "") || "Untitled"}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    ...(quotation.length > 0 ? ["", ...quotation] : []),
  ].join("\n");
}

// ---- writing ------------------------------------------------------------------------------------

interface Entry {
  section: SectionName;
  id: string | null;
  /** Null for an empty value. */
  line: string | null;
  unwanted?: boolean;
  /** The order within its section; entries of equal rank keep theirs. */
  rank?: number;
  memory?: Typed;
}

const SECTIONS: readonly (readonly [name: SectionName, label: string, priority: number])[] = [
  ["identity", "Identity", 1],
  ["user_profile", "User Profile", 1],
  ["censors", "Active Censors", 2],
  ["frame", "Current Frame", 3],
  ["working_memory", "Working Memory", 4],
  ["decisions", "Related Decisions", 5],
  ["facts", "Relevant Facts", 6],
  ["procedures", "Known Procedures", 7],
  ["recent_conversations", "Recent Conversations", 7],
  ["episodes", "Past Episodes", 8],
  ["signals", "Signals", 8],
];

interface Part {
  name: SectionName;
  lines: { entry: Entry | null; text: string }[];
}

const contentOf = ({ lines }: Part): string => lines.map(({ text }) => text).join("\n");
const promptOf = (parts: readonly Part[]): string =>
  parts
    .filter(({ lines }) => lines.length > 0)
    .map((part) => `## ${SECTIONS.find(([name]) => name === part.name)![1]}\n\n${contentOf(part)}`)
    .join("\n\n");

/** The last of this many positions that fits, by binary search; −1 for none. */
function lastFitting(count: number, fits: (place: number) => boolean): number {
  let [low, high] = [-1, count];
  while (high - low > 1) {
    const middle = low + 1 + Math.floor((high - low - 1) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The whole text, or as many words, or as many characters as fit with dots; null if nothing fits.
 */
export function shortened(text: string, fits: (text: string) => boolean): string | null {
  if (fits(text)) return text;
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => index + word.length);
  const wordEnds = words.filter((end) => end < text.length);
  const characterEnds: number[] = [];
  for (const character of text) characterEnds.push((characterEnds.at(-1) ?? 0) + character.length);
  for (const ends of [wordEnds, characterEnds.slice(0, -1)]) {
    const last = lastFitting(ends.length, (place) => fits(`${text.slice(0, ends[place])}...`));
    if (last >= 0) return `${text.slice(0, ends[last])}...`;
  }
  return null;
}

/** A prompt of these entries; entries that do not fit are left out. */
function write(
  given: string,
  entries: readonly Entry[],
  budget: ContextBudget,
  mode: ContextMode,
  count: (text: string) => number,
) {
  const identity = wellFormed(given);
  const reasons = new Map<Entry, LeftOutReason>();
  let parts = SECTIONS.map(([name]): Part => {
    const max = name === "recent_conversations" ? Number.POSITIVE_INFINITY : budget[name];
    const lines: Part["lines"] = [];
    for (const entry of entries) {
      if (entry.section !== name) continue;
      if (entry.unwanted) reasons.set(entry, "unwanted");
      else if (entry.line === null) reasons.set(entry, "empty");
      else lines.push({ entry, text: entry.line });
    }
    lines.sort((a, b) => (a.entry?.rank ?? 0) - (b.entry?.rank ?? 0));
    if (name === "identity") lines.push({ entry: null, text: identity });
    if (max === 0) {
      for (const { entry } of lines) if (entry !== null) reasons.set(entry, "budget");
      return { name, lines: [] };
    }
    if (mode === "seed-compatible") {
      const content = [...contentOf({ name, lines })];
      if (content.length <= max * 4) return { name, lines };
      return {
        name,
        lines: [{ entry: null, text: `${content.slice(0, max * 4 - 3).join("")}...` }],
      };
    }
    if (name === "identity") {
      const text = shortened(identity, (text) => count(text) <= max);
      return { name, lines: text === null ? [] : [{ entry: null, text }] };
    }
    const fits = (lines: Part["lines"]) => count(contentOf({ name, lines })) <= max;
    if (fits(lines)) return { name, lines };
    const first = lastFitting(lines.length, (last) => fits(lines.slice(0, last + 1))) + 1;
    const kept = lines.slice(0, first);
    // An entry at least as long as a line that did not fit does not fit either.
    let tooLong = Number.POSITIVE_INFINITY;
    for (const line of lines.slice(first)) {
      const { length } = [...line.text];
      if (length < tooLong && fits([...kept, line])) {
        kept.push(line);
        continue;
      }
      tooLong = Math.min(tooLong, length);
      reasons.set(line.entry!, "budget");
    }
    return { name, lines: kept };
  });
  parts = parts.filter((part) => contentOf(part) !== "");
  const hasIdentity = () => parts[0]?.name === "identity";
  const fitsItsBudget = hasIdentity();

  if (mode === "default" && parts.length > 0 && count(promptOf(parts)) > budget.total) {
    const all = parts.flatMap(({ lines }) => lines);
    const within = (left: number) => {
      const kept = new Set(all.slice(0, left));
      return parts.map(
        ({ name, lines }): Part => ({ name, lines: lines.filter((line) => kept.has(line)) }),
      );
    };
    // Part of a section may count for more tokens than the whole.
    const budgetsHold = (cut: readonly Part[]) =>
      cut.every((part, place) => {
        const isCut = part.lines.length > 0 && part.lines.length < parts[place]!.lines.length;
        return (
          !isCut ||
          part.name === "recent_conversations" ||
          count(contentOf(part)) <= budget[part.name]
        );
      });
    const fits = (cut: readonly Part[]) => budgetsHold(cut) && count(promptOf(cut)) <= budget.total;
    const left = lastFitting(all.length, (last) => fits(within(last + 1))) + 1;
    for (const { entry } of all.slice(left)) if (entry !== null) reasons.set(entry, "total");
    parts = within(left);
    if (left === 0 && parts[0]!.name === "identity") {
      const fits = (text: string) =>
        count(text) <= budget.identity && count(`## Identity\n\n${text}`) <= budget.total;
      const text = shortened(identity, fits);
      if (text !== null) parts[0]!.lines = [{ entry: null, text }];
    }
    parts = parts.filter(({ lines }) => lines.length > 0);
  }

  const prompt = promptOf(parts);
  const missing: LeftOut[] =
    identity === "" || hasIdentity()
      ? []
      : [{ id: null, section: "identity", reason: fitsItsBudget ? "total" : "budget" }];
  return {
    prompt,
    tokens: prompt === "" ? 0 : count(prompt),
    sections: parts.map((part): ContextSection => {
      const [name, label, priority] = SECTIONS.find(([name]) => name === part.name)!;
      const content = contentOf(part);
      const max = name === "recent_conversations" ? null : budget[name];
      return { name, priority, label, content, token_estimate: count(content), budget: max };
    }),
    recalled: entries.flatMap((entry) =>
      entry.memory !== undefined && !reasons.has(entry) ? entry.memory : [],
    ),
    leftOut: [
      ...missing,
      ...entries.flatMap((entry): LeftOut[] => {
        const reason = reasons.get(entry);
        return reason === undefined ? [] : [{ id: entry.id, section: entry.section, reason }];
      }),
    ],
  };
}

// ---- building a prompt --------------------------------------------------------------------------

export type TurnFrame = Pick<FrameSelection, "frame_id"> &
  Partial<Pick<FrameSelection, "frame_name" | "description" | "questions_to_ask">>;

export interface BuildContextOptions {
  input: string;
  identity: string;
  /** The search results, without delay. */
  retrieve: (query: RetrievalPlan["queries"][number]) => readonly ContextMemory[];
  now: number;
  mode?: ContextMode | undefined;
  frame?: string | TurnFrame | null | undefined;
  plan?: RetrievalPlan | null | undefined;
  profile?: readonly { id: string; text: string; category: string }[] | undefined;
  censors?:
    | readonly { id: string; text: string; action: "absolute" | "block" | "warn" }[]
    | undefined;
  workingMemory?:
    | {
        current_task?: string | null | undefined;
        current_frame?: string | null | undefined;
        current_topic?: string | null | undefined;
        open_threads?: readonly string[] | undefined;
        items?: readonly { text: string; relevance: number }[] | undefined;
      }
    | null
    | undefined;
  messages?: readonly { role: string; content: string }[] | undefined;
  recent?:
    | (() => readonly {
        id: string;
        title: string;
        summary?: string | null | undefined;
        created_at: number;
      }[])
    | undefined;
  embed?: ((texts: readonly string[]) => readonly ArrayLike<number>[]) | undefined;
  usage?: { boost(ids: readonly string[], now?: number): number[] } | undefined;
  countTokens?: ((text: string) => number) | undefined;
  budgets?: Partial<ContextBudget> | undefined;
  minScores?: Partial<Record<MemoryType, number>> | undefined;
}

export interface BuiltContext {
  prompt: string;
  tokens: number;
  sections: ContextSection[];
  recalled_ids: Record<MemoryType, string[]>;
  recalled_content: Record<string, string>;
  active_censors: string[];
  frame: TurnFrame;
  signals: TurnSignals;
  plan: RetrievalPlan;
  temporal_boost: boolean;
  refresh_needed: boolean;
  left_out: LeftOut[];
  failed: never[];
}

const HOUR = 3_600_000;

/** With all inputs available and no failures. */
export function buildContext(options: BuildContextOptions): BuiltContext {
  const { input, identity, now, mode = "default", workingMemory, budgets } = options;
  const isSeed = mode === "seed-compatible";
  const frame = frameOf(options);
  const turn = planTurn(input, frame.frame_id, { mode });
  const uniform = (["decision", "fact", "procedure", "episode"] as const).map((memory_type) => {
    return { memory_type, query_text: "", limit: 5 };
  });
  const plan =
    options.plan === undefined
      ? turn.plan
      : (options.plan ?? { queries: uniform, budget_overrides: {}, skip_types: [] });
  const budget = contextBudget(frame.frame_id, plan.budget_overrides, budgets);
  const leftOut: LeftOut[] = [];
  const leaveOut = ({ id, type }: Typed, reason: LeftOutReason) => {
    leftOut.push({ id, section: sectionOf(type), reason });
    return false;
  };

  const firstOfEach = <T extends { id: string }>(entries: readonly T[]) =>
    entries.filter(({ id }, place) => entries.findIndex((other) => other.id === id) === place);
  const inDays = (options.recent?.() ?? []).filter(
    ({ created_at }) => created_at >= now - 48 * HOUR,
  );
  let recent = firstOfEach(descending(inDays, ({ created_at }) => created_at)).slice(0, 5);
  const censors = options.censors ?? [];
  const active_censors = [...new Set(censors.map(({ id }) => id))];

  const asked = plan.queries.filter(({ memory_type }) => {
    const skipped = plan.skip_types.includes(memory_type) || (isSeed && memory_type === "signal");
    return !skipped && budget[sectionOf(memory_type)] > 0;
  });
  const topic = workingMemory?.current_topic?.trim() ?? "";
  const isSame = topic === "" || topic.toLowerCase() === input.trim().toLowerCase();
  const topical = isSame ? input : `${workingMemory!.current_topic}: ${input}`;
  const found = asked
    .flatMap((query): Typed[] => {
      const query_text = query.query_text.trim() === "" ? topical : query.query_text;
      return options
        .retrieve({ ...query, query_text })
        .map((memory) => ({ ...memory, type: memory.type ?? query.memory_type }));
    })
    .filter((memory) => {
      return (
        asked.some(({ memory_type }) => memory_type === memory.type) ||
        leaveOut(memory, "not_asked")
      );
    });
  let profile = firstOfEach(
    (options.profile ?? []).filter(({ id, category }) => {
      if (["preference", "person", "rule"].includes(category)) return true;
      leftOut.push({ id, section: "user_profile", reason: "unwanted" });
      return false;
    }),
  );
  const boosts = new Map(found.map(({ id }) => [id, options.usage?.boost([id], now)[0] ?? 1]));
  const terms = {
    mode,
    frame: frame.frame_id,
    censors: active_censors,
    minScores: { ...(options.embed && MIN_SCORES), ...options.minScores },
    boost: (id: string) => boosts.get(id)!,
    recency: turn.signals.temporal_recency,
    now,
  };
  /** A prompt without the memories that profile and conversations show. */
  const attempt = () => {
    const leftOut: LeftOut[] = [];
    const leaveOut = ({ id, type }: Typed, reason: LeftOutReason) => {
      leftOut.push({ id, section: sectionOf(type), reason });
      return false;
    };
    const known = new Set([...profile, ...recent].map(({ id }) => id));
    const selected = select(
      found.filter((memory) => !known.has(memory.id) || leaveOut(memory, "known")),
      terms,
      leaveOut,
    );

    const messages = messagesOf(options.messages ?? [], budget.conversation_window, mode);
    const compared = selected.filter(({ type }) => !(isSeed && type === "decision"));
    const contents = compared.map(({ id, text }) => ({ id, content: text }));
    const hasBoth = contents.length > 0 && messages.length > 0;
    const vectors = hasBoth
      ? options.embed?.([...contents.map(({ content }) => content), ...messages])
      : undefined;
    const results = deduplicate(contents, messages, { vectors, mode });
    const redundant = new Set(compared.filter((_, place) => results[place]!.is_redundant));
    const counts = new Map<MemoryType, number>();
    const memories = selected.filter((memory) => {
      const limit = asked.reduce(
        (sum, query) => sum + (query.memory_type === memory.type ? query.limit : 0),
        0,
      );
      const count = counts.get(memory.type) ?? 0;
      if (!isSeed && count >= limit) return leaveOut(memory, "limit");
      if (redundant.has(memory)) return leaveOut(memory, "conversation");
      counts.set(memory.type, count + 1);
      return true;
    });

    const note = (
      section: SectionName,
      text: string,
      label = "",
      id: string | null = null,
    ): Entry => {
      const shown = plain(text);
      return {
        section,
        id,
        line: shown === "" ? null : `- ${label === "" ? "" : `${plain(label)}: `}${shown}`,
      };
    };
    const entries: Entry[] = [
      ...profile.map(({ id, text }) => note("user_profile", text, "", id)),
      ...censors.map(({ id, text, action }): Entry => {
        const shown = plain(text);
        const rank = ["absolute", "block", "warn"].indexOf(action);
        return {
          section: "censors",
          id,
          line: shown === "" ? null : `- [${action}] ${shown}`,
          rank,
        };
      }),
      frame.description
        ? note("frame", frame.description, frame.frame_name ?? frame.frame_id)
        : note("frame", frame.frame_name ?? frame.frame_id),
      ...(frame.questions_to_ask ?? []).map((question) => note("frame", question)),
      ...(workingMemory?.current_task
        ? [note("working_memory", workingMemory.current_task, "Task")]
        : []),
      ...(workingMemory?.current_frame
        ? [note("working_memory", workingMemory.current_frame, "Frame")]
        : []),
      ...(workingMemory?.open_threads ?? []).map((thread) =>
        note("working_memory", thread, "Open"),
      ),
      ...(workingMemory?.items ?? []).map(({ text, relevance }) => {
        return { ...note("working_memory", text), unwanted: relevance < 0.7 };
      }),
      ...recent.map(({ id, title, summary }): Entry => {
        const shown = plain(shorten(title));
        const more = turn.temporal_boost && summary ? plain(shorten(summary)) : "";
        return {
          section: "recent_conversations",
          id,
          line: shown === "" ? null : `- ${shown}${more && `: ${more}`}`,
        };
      }),
      ...memories.map((memory): Entry => {
        const unwanted = memory.type === "episode" && memory.outcome === "abandoned";
        return {
          section: sectionOf(memory.type),
          id: memory.id,
          line: memoryLine(memory),
          unwanted,
          memory,
        };
      }),
    ];
    const written = write(identity, entries, budget, mode, options.countTokens ?? estimateTokens);
    return {
      written,
      leftOut,
      suppressed: new Set(found.flatMap(({ id }) => (known.has(id) ? id : []))),
    };
  };
  let { written, leftOut: more, suppressed } = attempt();
  for (;;) {
    // Memories that the prompt does not show after all are kept.
    const isOut = (section: SectionName, id: string) =>
      written.leftOut.some((out) => out.section === section && out.id === id);
    const shownIds = new Set([
      ...profile.flatMap(({ id }) => (isOut("user_profile", id) ? [] : id)),
      ...recent.flatMap(({ id }) => (isOut("recent_conversations", id) ? [] : id)),
    ]);
    const untold = written.leftOut.filter(({ id, section }) => {
      const isShown = section === "user_profile" || section === "recent_conversations";
      return isShown && suppressed.has(id!) && !shownIds.has(id!);
    });
    if (untold.length === 0) break;
    leftOut.push(...untold);
    const stays = ({ id }: { id: string }) => !untold.some((out) => out.id === id);
    profile = profile.filter(stays);
    recent = recent.filter(stays);
    ({ written, leftOut: more, suppressed } = attempt());
  }
  const idsOf = (type: MemoryType) =>
    written.recalled.filter((memory) => memory.type === type).map(({ id }) => id);
  return {
    prompt: written.prompt,
    tokens: written.tokens,
    sections: written.sections,
    recalled_ids: Object.fromEntries(MEMORY_TYPES.map((type) => [type, idsOf(type)])) as Record<
      MemoryType,
      string[]
    >,
    recalled_content: Object.fromEntries(written.recalled.map(({ id, text }) => [id, text])),
    active_censors,
    frame,
    signals: turn.signals,
    plan,
    temporal_boost: turn.temporal_boost,
    refresh_needed: workingMemory?.current_frame !== frame.frame_id,
    left_out: [...leftOut, ...more, ...written.leftOut],
    failed: [],
  };
}

function frameOf({ frame, input }: BuildContextOptions): TurnFrame {
  if (frame == null) return selectFrame(input);
  if (typeof frame !== "string") return frame;
  const known = FRAMES.find(({ id }) => id === frame);
  return known
    ? { frame_id: known.id, frame_name: known.name, description: known.description }
    : { frame_id: frame };
}

/**
 * The texts to compare memories with: the last turns of the user, in the default mode with as many
 * of the answers to them.
 */
function messagesOf(
  messages: readonly { role: string; content: string }[],
  turns: number,
  mode: ContextMode,
): string[] {
  const considered = mode === "default" ? messages : messages.slice(-8);
  const begins = considered.flatMap(({ role }, place) => (role === "user" ? place : []));
  if (turns === 0) return [];
  const recent = considered.slice(begins.at(-turns) ?? 0);
  const answers = recent.filter(({ role }) => role === "assistant");
  const counted = new Set(mode === "default" ? answers.slice(-turns) : []);
  return recent
    .filter((message) => message.role === "user" || counted.has(message))
    .map(({ content }) => content);
}
