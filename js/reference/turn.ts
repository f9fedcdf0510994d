// The retrieval for a turn of conversation: its type and signals, the plan, the frame, and whether
// it opens a topic. The rules for turns, in full. Plain on purpose: this is the yardstick of the
// parity tests.

import type {
  ContextMode,
  FrameSelection,
  RetrievalPlan,
  SignalsToPlan,
  TurnPlan,
  TurnSignals,
} from "nous-wasm";
import { classifyIntent, straighten, WORD } from "./intent.ts";
import { heldIn } from "./reading.ts";
import { getSectionForSubtype, type MemorySection } from "./sections.ts";
import { STOP_WORDS } from "./stop-words.ts";

export type {
  ContextMode,
  FrameSelection,
  RetrievalPlan,
  SignalsToPlan,
  TurnPlan,
  TurnSignals,
} from "nous-wasm";

export const MEMORY_TYPES = ["decision", "fact", "procedure", "episode", "signal"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];
export type BudgetName = `${MemoryType}s`;
export interface ContextOptions {
  mode?: ContextMode | undefined;
  /** Whether a turn asks for signals. */
  wantsSignals?: ((text: string) => boolean) | undefined;
}

// ---- tables -------------------------------------------------------------------------------------

export const GREETINGS: readonly string[] = [
  ...["hey", "hi", "hello", "sup", "yo", "howdy", "greetings"],
  ...["good morning", "good afternoon", "good evening", "good night", "what's up", "whats up"],
];

export const QUESTION_WORDS: readonly string[] = [
  ...[
    "what",
    "where",
    "when",
    "why",
    "how",
    "who",
    "which",
    "can",
    "should",
    "is",
    "are",
    "do",
    "does",
  ],
  ...["did", "will", "would", "could", "has", "have", "was", "were", "might"],
];

export const ACKNOWLEDGEMENTS: readonly string[] = [
  ...[
    "ok",
    "okay",
    "thanks",
    "thank you",
    "thx",
    "ty",
    "got it",
    "sure",
    "yes",
    "no",
    "yep",
    "nope",
    "nice",
    "cool",
  ],
  ...[
    "great",
    "perfect",
    "good",
    "hello",
    "hey",
    "hi",
    "sup",
    "yo",
    "of course",
    "sounds good",
    "makes sense",
  ],
  ...["right", "yea", "yeah", "k", "kk"],
];

/** Those of other languages, as people write them. */
export const OF_OTHER_LANGUAGES: readonly string[] = (
  "danke, danke schön, vielen dank, hallo, guten morgen, guten tag, guten abend, gute nacht, " +
  "alles klar, verstanden, in ordnung, tschüss, ja, nein, gut, dank je, dank je wel, " +
  "dankjewel, bedankt, goedemorgen, nee, goed, oké, prima, merci, merci beaucoup, bonjour, " +
  "bonsoir, salut, d'accord, de rien, oui, non, très bien, gracias, muchas gracias, hola, " +
  "buenos días, buenas tardes, buenas noches, vale, de acuerdo, de nada, sí, obrigado, " +
  "obrigada, muito obrigado, olá, bom dia, boa tarde, boa noite, sim, não, tudo bem, grazie, " +
  "grazie mille, ciao, buongiorno, buonasera, va bene, prego, dziękuję, dzięki, cześć, " +
  "dzień dobry, dobrze, tak, nie, teşekkürler, teşekkür ederim, sağ ol, merhaba, selam, tamam, " +
  "evet, hayır, спасибо, большое спасибо, привет, здравствуйте, добрый день, хорошо, понятно, " +
  "пожалуйста, да, нет, شكرا, شكرا جزيلا, مرحبا, حسنا, نعم, لا, धन्यवाद, शुक्रिया, नमस्ते, " +
  "ठीक है, अच्छा, हाँ, नहीं, 谢谢, 谢谢你, 感谢, 謝謝, 感謝, 你好, 您好, 好的, 不客气, 明白了, ありがとう, ありがとうございます, " +
  "どうも, こんにちは, はい, いいえ, 了解, 了解です, わかりました, 감사합니다, 고맙습니다, 고마워, 고마워요, 안녕, 안녕하세요, 네, 아니요, 알겠습니다"
).split(", ");
const OTHERS = new Set(OF_OTHER_LANGUAGES.map(wordsOf));

/** By how recent they are. */
export const RECENCY: readonly { weight: number; phrases: readonly string[] }[] = [
  { weight: 1, phrases: ["today", "just now", "right now", "currently"] },
  { weight: 0.8, phrases: ["yesterday", "recently", "this week"] },
  { weight: 0.5, phrases: ["last week", "few days ago"] },
  { weight: 0.3, phrases: ["last month", "a while ago"] },
];

/**
 * Patterns of each type, each a list of phrases; if one ends in `*`, its last word may continue.
 */
export const HINTS: Readonly<
  Record<ContextMode, Partial<Record<MemoryType, readonly (readonly string[])[]>>>
> = {
  "seed-compatible": {
    decision: [["decid", "decision", "chose", "choice", "should we", "recommend"]],
    fact: [["what is", "tell me about", "fact", "know about", "definition"]],
    procedure: [["how do", "how to", "how can", "steps", "process", "workflow", "guide"]],
    episode: [["last time", "when did", "history", "story", "what happened"]],
  },
  default: {
    decision: [
      ["decide*", "decision*", "decisive*", "deciding", "decided"],
      ["chose", "choice", "choose", "chosen", "recommend*"],
      ["should we", "should i", "should they", "should you"],
    ],
    fact: [["what is", "tell me about", "fact", "know about", "definition"], ["defin*"]],
    procedure: [
      ["how do", "how did", "how to", "how can", "how could", "how should", "how would"],
      ["steps", "process", "workflow", "guide", "procedure"],
    ],
    episode: [
      ["last time"],
      ["when did", "when was", "when were"],
      ["history", "story", "what happened", "recall", "earlier"],
    ],
  },
};

/** Found inside words, too. */
export const RECAPS: readonly string[] = [
  ...[
    "what did we talk about",
    "what have we discussed",
    "what did we do",
    "recent conversations",
    "catch me up",
  ],
  ...["what happened recently", "what happened lately", "recap", "summary of recent"],
];

interface Frame {
  id: string;
  name: string;
  description: string;
  category: string;
  stakes: string;
  /** The higher wins. */
  priority: number;
  patterns: readonly string[];
}

export const FRAMES: readonly Frame[] = [
  {
    ...{
      id: "task",
      name: "Task",
      description: "Something is to be done.",
      category: "tooling",
      stakes: "medium",
    },
    priority: 4,
    patterns: [
      ...[
        "build",
        "fix",
        "create",
        "implement",
        "deploy",
        "run",
        "execute",
        "check",
        "show",
        "list",
        "install",
      ],
      ...["update", "delete", "move", "copy"],
    ],
  },
  {
    ...{ id: "question", name: "Question", description: "Something is to be known or explained." },
    ...{
      category: "process",
      stakes: "low",
      priority: 3,
      patterns: ["what", "how", "why", "explain", "tell me"],
    },
  },
  {
    ...{ id: "decision", name: "Decision", description: "One of several options is to be chosen." },
    ...{ category: "architecture", stakes: "high", priority: 6 },
    patterns: ["should", "choose", "decide", "compare", "trade-off"],
  },
  {
    ...{ id: "creative", name: "Creative work", description: "New ideas are to be found." },
    ...{ category: "architecture", stakes: "low", priority: 2 },
    patterns: ["imagine", "brainstorm", "what if", "design", "explore"],
  },
  {
    ...{
      id: "conversation",
      name: "Conversation",
      description: "Nothing in particular is asked for.",
    },
    ...{
      category: "process",
      stakes: "low",
      priority: 1,
      patterns: ["hello", "hi", "thanks", "how are you"],
    },
  },
  {
    ...{
      id: "debug",
      name: "Debugging",
      description: "Something does not work, and the reason is to be found.",
    },
    ...{ category: "tooling", stakes: "medium", priority: 5 },
    patterns: ["error", "bug", "broken", "failing", "crash", "wrong"],
  },
];

export const PRONOUNS: readonly string[] = [
  "it",
  "that",
  "this",
  "them",
  "they",
  "those",
  "these",
  "he",
  "she",
];
export const BARE_QUESTIONS: readonly string[] = ["why", "how", "when", "where", "who"];
/** Turns with these beginnings continue a topic; the last two only if hardly anything follows. */
export const FOLLOW_UPS: readonly string[] = [
  ...[
    "what about",
    "how about",
    "and what",
    "and how",
    "what else",
    "anything else",
    "go on",
    "continue",
  ],
  ...["keep going", "elaborate", "tell me more", "more about"],
];
const OPEN_FOLLOW_UPS = ["tell me more", "more about"];

const MAX_NAMED = 10;
const FINAL_MARKS = /[\s.,;:!?…。、，；：！？]+$/;

// ---- words --------------------------------------------------------------------------------------

/** Phrases are English: lower case is that of ASCII. Lengths and positions stay equal. */
const lowered = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The source of an expression for a phrase: tolerant in the default mode, literal in the other. */
function source(phrase: string, mode: ContextMode): string {
  const whole = phrase.replace(/\*$/, "");
  const exact =
    mode === "default" ? whole.replaceAll(" ", "\\s+").replaceAll("'", "['‘’ʼ＇]") : whole;
  return phrase.endsWith("*") ? exact : `${exact}(?!${WORD})`;
}

/** Expressions for lists of phrases after a prefix, each compiled once. */
function expressions(before: string): (phrases: readonly string[], mode: ContextMode) => RegExp {
  const made = {
    default: new WeakMap<object, RegExp>(),
    "seed-compatible": new WeakMap<object, RegExp>(),
  };
  return (phrases, mode) => {
    let expression = made[mode].get(phrases);
    if (expression === undefined) {
      expression = new RegExp(
        `${before}(?:${phrases.map((phrase) => source(phrase, mode)).join("|")})`,
        "u",
      );
      made[mode].set(phrases, expression);
    }
    return expression;
  };
}

const within = expressions(`(?<!${WORD})`);
const atBeginning = expressions("^");

/** Whether one of some phrases occurs as whole words. */
export function occurs(text: string, phrases: readonly string[], mode: ContextMode): boolean {
  const sought = mode === "default" ? straighten(text) : text;
  return within(phrases, mode).test(lowered(sought));
}

/** The length of the first phrase that begins a text as whole words; null if none does. */
export function opening(
  text: string,
  phrases: readonly string[],
  mode: ContextMode,
): number | null {
  return atBeginning(phrases, mode).exec(lowered(text))?.[0].length ?? null;
}

const A_WORD = new RegExp(WORD, "u");
const WORDS = new RegExp(`${WORD}+`, "gu");
const ENDS_IN_NO_WORD = new RegExp(`(?!${WORD}).$`, "su");

// ---- signals ------------------------------------------------------------------------------------

/** Where a turn continues after its greetings; null if it is only a greeting. */
function afterGreetings(text: string): number | null {
  let from = 0;
  for (;;) {
    const begin = from + text.slice(from).length - text.slice(from).trimStart().length;
    const greeting = opening(text.slice(begin), GREETINGS, "default");
    if (greeting === null) return from;
    const rest = text.slice(begin + greeting);
    const word = rest.search(A_WORD);
    if (word === -1) return null;
    // A mark that touches the next word from the left belongs to it, and a greeting that touches
    // the next word is not a greeting.
    const touching = /\S*$/.exec(rest.slice(0, word))![0];
    if (touching.length === word) return from;
    from = begin + greeting + word - touching.length;
  }
}

function isAcknowledgement(text: string): boolean {
  const trimmed = text.trim();
  if ([...trimmed.replace(FINAL_MARKS, "")].length < 2) return true;
  let words = trimmed;
  for (let last = ENDS_IN_NO_WORD.exec(words); last !== null; last = ENDS_IN_NO_WORD.exec(words)) {
    words = words.slice(0, last.index);
  }
  if (opening(words, ACKNOWLEDGEMENTS, "default") === words.length) return true;
  return new TextEncoder().encode(words).length <= 100 && OTHERS.has(wordsOf(words));
}

/** The words by which memories are found. */
function wordsOf(text: string): string {
  const words = heldIn(text).filter(({ kind }) => kind === "word");
  return words.map(({ name }) => name).join(" ");
}

/** Whether the last sentence of a text asks, by the marks of its script. */
export function endsAsQuestion(text: string): boolean {
  const said = text.trim();
  if (/[?？؟፧՞\u037e\u2047-\u2049\ufe16]$/u.test(said)) return true;
  const sentence = said
    .replace(/[.!?;։\n]+$/, "")
    .split(/[.!?;։\n]/)
    .at(-1)!;
  const count = (letter: RegExp) => sentence.match(letter)?.length ?? 0;
  const isGreek = count(/[\u0370-\u03ff\u1f00-\u1fff]/g) > count(/[A-Za-z]/g);
  return /[¿՞]/.test(sentence) || (said.endsWith(";") && isGreek);
}

function isQuestion(text: string, mode: ContextMode): boolean {
  const trimmed = text.trim();
  const ends = mode === "default" ? endsAsQuestion(trimmed) : trimmed.endsWith("?");
  return ends || opening(trimmed, QUESTION_WORDS, "default") !== null;
}

function hintsOf(
  text: string,
  mode: ContextMode,
  wantsSignals: (text: string) => boolean,
): TurnSignals["memory_type_hints"] {
  const hints: TurnSignals["memory_type_hints"] = {};
  for (const type of MEMORY_TYPES) {
    const found = (HINTS[mode][type] ?? []).filter((phrases) => occurs(text, phrases, mode)).length;
    if (found > 0) hints[type] = found * 0.5;
  }
  if (mode === "default" && wantsSignals(text)) hints.signal = 0.5;
  return hints;
}

/** Keywords and entities. */
function named(text: string, mode: ContextMode): { keywords: string[]; entities: string[] } {
  const isMended = mode === "default";
  const capitalised = isMended ? /^\p{Uppercase}\p{Lowercase}+$/u : /^[A-Z][a-z]+$/;
  const capitals = isMended ? /^\p{Uppercase}{2,}$/u : /^[A-Z]{2,}$/;
  const [keywords, entities] = [new Set<string>(), new Set<string>()];
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    if (capitalised.test(word) || capitals.test(word) || [...word].length >= 6)
      keywords.add(word.toLowerCase());
    if (capitalised.test(word) && index > 0 && !text.slice(0, index).endsWith(". "))
      entities.add(word);
  }
  const first = (names: Set<string>) => [...names].slice(0, MAX_NAMED);
  return { keywords: first(keywords), entities: first(entities) };
}

const asksForSignals = (text: string): boolean => classifyIntent(text).includes("SIGNALS");

export function classifyTurn(
  text: string,
  frame: string = selectFrame(text).frame_id,
  { mode = "default", wantsSignals = asksForSignals }: ContextOptions = {},
): TurnSignals {
  const isMended = mode === "default";
  const after = isMended ? afterGreetings(text) : 0;
  const input = text.slice(after ?? 0);
  const { keywords, entities } = named(input, mode);
  return {
    input,
    frame_type: frame,
    entity_mentions: entities,
    temporal_recency: Math.max(
      0,
      ...RECENCY.filter(({ phrases }) => occurs(input, phrases, mode)).map(({ weight }) => weight),
    ),
    memory_type_hints: hintsOf(input, mode, wantsSignals),
    is_question: isQuestion(text, mode) || isQuestion(input, mode),
    is_greeting: isMended ? after === null : opening(text.trim(), GREETINGS, mode) !== null,
    is_acknowledgement: isMended && isAcknowledgement(input),
    topic_keywords: keywords,
  };
}

// ---- plans --------------------------------------------------------------------------------------

const ALWAYS = MEMORY_TYPES.slice(0, 4);
const BUDGETS: Readonly<Record<string, RetrievalPlan["budget_overrides"]>> = {
  conversation: { decisions: 500, facts: 500, procedures: 0, episodes: 0 },
  decision: { decisions: 3500, procedures: 2000 },
};

export function planRetrieval(
  signals: SignalsToPlan,
  { mode = "default" }: ContextOptions = {},
): RetrievalPlan {
  const {
    input = "",
    frame_type,
    topic_keywords = [],
    temporal_recency = 0,
    memory_type_hints = {},
  } = signals;
  const { is_question = false, is_greeting = false, is_acknowledgement = false } = signals;
  const hinted = ALWAYS.filter((type) => (memory_type_hints[type] ?? 0) > 0);
  const wantsSignals = mode === "default" && (memory_type_hints.signal ?? 0) > 0;
  const isRecent = temporal_recency > 0.5;
  const saysSomething =
    is_question || hinted.length > 0 || wantsSignals || topic_keywords.length > 0 || isRecent;
  if (is_greeting || is_acknowledgement || !saysSomething) {
    const budget_overrides = { decisions: 0, facts: 0, procedures: 0, episodes: 0 };
    return { queries: [], budget_overrides, skip_types: [...ALWAYS] };
  }

  const query_text = topic_keywords.length > 0 ? topic_keywords.join(" ") : input;
  const dominant = hinted.toSorted((a, b) => memory_type_hints[b]! - memory_type_hints[a]!)[0];
  const queries: RetrievalPlan["queries"] = ALWAYS.map((memory_type) => {
    const limit = dominant === undefined ? 5 : memory_type === dominant ? 8 : 3;
    return {
      memory_type,
      query_text,
      limit: isRecent && memory_type === "episode" ? Math.max(limit, 8) : limit,
    };
  });
  const budget_overrides = { ...(Object.hasOwn(BUDGETS, frame_type) ? BUDGETS[frame_type] : {}) };
  if (isRecent && (budget_overrides.episodes ?? Infinity) < 1000) budget_overrides.episodes = 1000;
  if (wantsSignals) {
    queries.push({ memory_type: "signal", query_text, limit: queries[3]!.limit });
    if (budget_overrides.episodes !== undefined)
      budget_overrides.signals = budget_overrides.episodes;
  }
  return { queries, budget_overrides, skip_types: [] };
}

export function planTurn(text: string, frame?: string, options: ContextOptions = {}): TurnPlan {
  const { mode = "default" } = options;
  const signals = classifyTurn(text, frame, options);
  const sought =
    mode === "default" ? straighten(signals.input).replace(/\s+/g, " ") : signals.input;
  const recap = RECAPS.some((phrase) => lowered(sought).includes(phrase));
  if (recap && signals.temporal_recency <= 0.5) signals.temporal_recency = 0.8;
  return {
    signals,
    plan: planRetrieval(signals, options),
    temporal_boost: signals.temporal_recency > 0.5,
    recap,
  };
}

// ---- frames, topics, types ----------------------------------------------------------------------

export function selectFrame(text: string): FrameSelection {
  const lower = lowered(text);
  const words = new Set(lower.split(/\s+/));
  const counted = FRAMES.map((frame) => ({
    frame,
    count: frame.patterns.filter((each) =>
      each.includes(" ") ? lower.includes(each) : words.has(each),
    ).length,
  }));
  const best = counted.reduce((a, b) =>
    b.count > a.count || (b.count === a.count && b.frame.priority > a.frame.priority) ? b : a,
  );
  const isDefault = best.count === 0;
  const { id, name, description, category, stakes } = isDefault
    ? FRAMES.find((frame) => frame.id === "conversation")!
    : best.frame;
  return {
    frame_id: id,
    frame_name: name,
    confidence: isDefault ? 0 : Math.min(1, 0.3 * best.count),
    match_method: isDefault ? "default" : "pattern",
    description,
    default_category: category,
    default_stakes: stakes,
    questions_to_ask: [],
  };
}

function goesOn(trimmed: string): boolean {
  const words = lowered(trimmed)
    .split(/\s+/)
    .map((word) => word.replace(FINAL_MARKS, ""));
  if (words.length <= 3 && PRONOUNS.includes(words[0]!)) return true;
  if (BARE_QUESTIONS.includes(lowered(trimmed).replace(FINAL_MARKS, ""))) return true;
  const after = opening(trimmed, FOLLOW_UPS, "default");
  if (after !== null) {
    const isOpen = opening(trimmed, OPEN_FOLLOW_UPS, "default") !== null;
    return !isOpen || [...trimmed.slice(after).trim()].length <= 3;
  }
  const isPronoun = (word: string) => PRONOUNS.includes(word);
  return (
    words.length <= 5 &&
    words.some(isPronoun) &&
    words.every((word) => isPronoun(word) || STOP_WORDS.has(word) || word === "")
  );
}

export function nextTopic(text: string): string | null {
  const trimmed = text.trim();
  if ([...trimmed].length < 5 || goesOn(trimmed)) return null;
  return [...trimmed].slice(0, 200).join("");
}

const TYPES_OF_SECTIONS: Readonly<Record<MemorySection, MemoryType>> = {
  EPISODIC: "episode",
  SIGNALS: "signal",
  KNOWLEDGE: "fact",
  PROCEDURAL: "procedure",
};

export function memoryTypeOf(subtype: string | null | undefined): MemoryType {
  switch (subtype) {
    case "custom:thesis":
    case "custom:trade_entry":
    case "custom:trade_modify":
      return "decision";
    case "custom:trade_close":
      return "fact";
    default:
      return TYPES_OF_SECTIONS[getSectionForSubtype(subtype)];
  }
}
