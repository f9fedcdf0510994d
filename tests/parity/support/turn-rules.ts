// The rules for turns, case by case, for the reference and for the package.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as reference from "../../../js/reference/index.ts";
import { amount, runs } from "../../support/amount.ts";

/** An implementation that has to keep the rules. */
export type Functions = Pick<
  typeof reference,
  "classifyTurn" | "planRetrieval" | "planTurn" | "selectFrame" | "nextTopic" | "memoryTypeOf"
>;

interface Vector {
  input: string;
  frame: string;
  greeting: boolean;
  question: boolean;
  recency: number;
  hints: Record<string, number>;
  keywords: string[];
  entities: string[];
  limits: Record<string, number>;
  query_text_is_input: boolean;
  overrides: Record<string, number>;
  skip: string[];
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../../golden/context_intent.json", import.meta.url), "utf8"),
);

/** A turn's signals and plan, as cases name them. */
interface View extends Omit<reference.TurnSignals, "frame_type" | "memory_type_hints"> {
  hints: reference.TurnSignals["memory_type_hints"];
  limits: Partial<Record<reference.MemoryType, number>>;
  query_text: string | undefined;
  overrides: reference.RetrievalPlan["budget_overrides"];
  skip: reference.MemoryType[];
  boost: boolean;
  recap: boolean;
}

type Case = [what: string, text: string, expected: Partial<View>, frame?: string];

const NOTHING: Partial<View> = {
  limits: {},
  overrides: { decisions: 0, facts: 0, procedures: 0, episodes: 0 },
  skip: ["decision", "fact", "procedure", "episode"],
};
const limits = (decision: number, fact: number, procedure: number, episode: number) => ({
  limits: { decision, fact, procedure, episode },
  skip: [],
});
const ALL_ALIKE = limits(5, 5, 5, 5);
const GREETED: Partial<View> = { is_greeting: true, ...NOTHING };

/** True in both modes. */
const IN_BOTH: readonly Case[] = [
  ["a greeting is nothing to search for", "hey", GREETED],
  [
    "should: a question, a hint at decisions, names and long words as keywords",
    "should we use Redis?",
    {
      ...{ is_question: true, hints: { decision: 0.5 }, topic_keywords: ["should", "redis"] },
      ...{ entity_mentions: ["Redis"], query_text: "should redis", ...limits(8, 3, 3, 3) },
    },
  ],
  [
    "yesterday: recent, and a hint at episodes",
    "what happened yesterday",
    { temporal_recency: 0.8, hints: { episode: 0.5 }, boost: true, ...limits(3, 3, 3, 8) },
  ],
  [
    "a hint at decisions",
    "what was my decision about the database",
    { hints: { decision: 0.5 }, ...limits(8, 3, 3, 3) },
  ],
  [
    "a hint at procedures",
    "how do I deploy the application",
    { hints: { procedure: 0.5 }, ...limits(3, 3, 8, 3) },
  ],
  [
    "the frame of decisions has more room for decisions and procedures",
    "should we migrate to PostgreSQL",
    { overrides: { decisions: 3500, procedures: 2000 }, entity_mentions: [] },
    "decision",
  ],
  [
    "eight of the type hinted at, three of the others",
    "what was my decision about deployment strategy",
    limits(8, 3, 3, 3),
  ],
  ["ok plans nothing", "ok", NOTHING],
  ["yes plans nothing", "yes", NOTHING],
  ["no text plans nothing", "", NOTHING],
  ["blanks plan nothing", "   ", NOTHING],
  [
    "history does not begin with hi",
    "history of the project",
    { is_greeting: false, hints: { episode: 0.5 }, ...limits(3, 3, 3, 8) },
  ],
  ["what's up: a greeting and a question", "what's up", { ...GREETED, is_question: true }],
  ["whats up? the same", "whats up?", { ...GREETED, is_question: true }],
  [
    "just now: the turn itself is searched for, and episodes get room",
    "just now",
    {
      ...{
        temporal_recency: 1,
        topic_keywords: [],
        query_text: "just now",
        boost: true,
        ...limits(5, 5, 5, 8),
      },
      overrides: { decisions: 500, facts: 500, procedures: 0, episodes: 1000 },
    },
    "conversation",
  ],
  [
    "recently: 0.8 is more than 0.5",
    "what did we talk about recently",
    {
      temporal_recency: 0.8,
      overrides: { decisions: 500, facts: 500, procedures: 0, episodes: 1000 },
    },
    "conversation",
  ],
  [
    "last week: 0.5 is not more than 0.5",
    "I deployed the service last week",
    { temporal_recency: 0.5, boost: false, overrides: {}, ...ALL_ALIKE },
    "task",
  ],
  [
    "of two times the more recent counts",
    "this week and last month",
    { temporal_recency: 0.8, ...limits(5, 5, 5, 8) },
    "creative",
  ],
  [
    "a frame without room of its own for episodes stays without",
    "today",
    { overrides: {} },
    "task",
  ],
  [
    "recap alone is taken for recent",
    "recap",
    {
      ...{
        temporal_recency: 0.8,
        recap: true,
        boost: true,
        query_text: "recap",
        ...limits(5, 5, 5, 8),
      },
      overrides: { decisions: 500, facts: 500, procedures: 0, episodes: 1000 },
    },
    "conversation",
  ],
  [
    "of equal hints the first type wins: procedures before episodes",
    "how to write the workflow guide for last time",
    limits(3, 3, 8, 3),
  ],
  [
    "acronyms are keywords",
    "AI and ML models",
    { topic_keywords: ["ai", "ml", "models"], entity_mentions: [] },
  ],
  [
    "neither the first word nor the first after a full stop is a name",
    "Today Alice met Bob. Carol was there",
    { entity_mentions: ["Alice", "Bob"], topic_keywords: ["today", "alice", "bob", "carol"] },
  ],
  [
    "nine characters without a blank are one long word",
    "今天我们决定了什么",
    { topic_keywords: ["今天我们决定了什么"], hints: {}, ...ALL_ALIKE },
  ],
  [
    "at most ten keywords and ten names, each once, the first first",
    `see ${"Bea Ann Cid Dan Eve Fay Gus Hal Ida Jon Kim Lou".replace("Dan", "Dan Bea ann")}`,
    {
      topic_keywords: ["bea", "ann", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jon"],
      entity_mentions: ["Bea", "Ann", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon"],
    },
  ],
];

/** True in seed-compatible mode: the seed as it was shipped, defects included. */
const SHIPPED: readonly Case[] = [
  ["thanks is a word to search for", "thanks", { topic_keywords: ["thanks"], ...ALL_ALIKE }],
  ["No is a name", "No", { topic_keywords: ["no"], ...ALL_ALIKE }],
  ["decide is no hint", "what did I decide", { hints: {}, ...ALL_ALIKE }],
  [
    "a greeting silences the question after it",
    "hey, what did we decide about Redis?",
    { ...GREETED, input: "hey, what did we decide about Redis?" },
  ],
  [
    "one pattern a type: 0.5 each, and decisions first",
    "What is the process? should we recommend a choice",
    { hints: { decision: 0.5, fact: 0.5, procedure: 0.5 }, ...limits(8, 3, 3, 3) },
  ],
  ["one blank between the words of a phrase, no other", "how  to do it", { hints: {} }],
  ["signals are never asked for", "which signals are firing?", { hints: {}, ...ALL_ALIKE }],
  ["capitals are those of ASCII", "so Élan met ÜBER", { entity_mentions: [], topic_keywords: [] }],
];

/** Fixes of the default mode: in each of these the seed differs. */
const MENDED: readonly Case[] = [
  ["thanks asks for nothing", "thanks", { is_acknowledgement: true, ...NOTHING }],
  ["No asks for nothing", "No", { is_acknowledgement: true, ...NOTHING }],
  [
    "nor with marks and a smiley after it",
    " Sounds  good!! 👍",
    { is_acknowledgement: true, ...NOTHING },
  ],
  ["nor one character", "R?", { is_acknowledgement: true, ...NOTHING }],
  [
    "but a short name with signs in it does",
    "C++?",
    { is_acknowledgement: false, query_text: "C++?", ...ALL_ALIKE },
  ],
  [
    "and thanks for something does",
    "thanks for the summary",
    { is_acknowledgement: false, topic_keywords: ["thanks", "summary"] },
  ],
  ["decide is a hint", "what did I decide", { hints: { decision: 0.5 }, ...limits(8, 3, 3, 3) }],
  [
    "a greeting before more is left out",
    "hey, what did we decide about Redis?",
    {
      ...{ is_greeting: false, is_question: true, input: "what did we decide about Redis?" },
      ...{ topic_keywords: ["decide", "redis"], entity_mentions: ["Redis"], ...limits(8, 3, 3, 3) },
    },
  ],
  [
    "so are several, with what stands between",
    "Hi 👋 good  morning! Who chose it",
    { input: "Who chose it", is_greeting: false },
  ],
  ["but not what touches the next word", 'hello - "Redis" or $BTC', { input: '"Redis" or $BTC' }],
  [
    "what a word follows without a blank is none",
    "Hi-Lo strategy for BTC",
    { input: "Hi-Lo strategy for BTC" },
  ],
  [
    "nor the beginning of a name",
    "Hello.ts throws",
    { input: "Hello.ts throws", topic_keywords: ["hello", "throws"] },
  ],
  ["nor half of a word", "yo-yo moves", { input: "yo-yo moves", is_greeting: false }],
  ["nor is it after another", "hey, hi-res pictures", { input: "hi-res pictures" }],
  ["other marks may end it", "Hi… yo. hello – well", { input: "well" }],
  ["with a typographic apostrophe, too", "what’s up? yesterday", { input: "yesterday" }],
  ["nothing but greetings is one", "hey hey!! 👋", { ...GREETED, input: "hey hey!! 👋" }],
  [
    "a greeting before thanks asks for nothing",
    "hi, thanks!",
    { is_greeting: false, is_acknowledgement: true, ...NOTHING },
  ],
  [
    "a greeting that is a question remains one",
    "what's up with Redis",
    { is_question: true, input: "with Redis" },
  ],
  [
    "the name after a greeting is the first word",
    "hey Alice",
    { entity_mentions: [], topic_keywords: ["alice"] },
  ],
  [
    "every pattern of a type adds to its hint",
    "When did we decide? I recall: last time we chose, should we define it",
    { hints: { decision: 1.5, fact: 0.5, episode: 1.5 }, ...limits(8, 3, 3, 3) },
  ],
  [
    "the highest hint wins",
    "should we read the story of when it was, earlier, last time",
    limits(3, 3, 3, 8),
  ],
  ["any white space in a phrase", "how \n to do it", { hints: { procedure: 0.5 } }],
  [
    "capitals of every script",
    "so Élan met ÜBER",
    { entity_mentions: ["Élan"], topic_keywords: ["élan", "über"] },
  ],
  [
    "signals are asked for, with the limit of episodes",
    "which signals are firing?",
    {
      hints: { signal: 0.5 },
      limits: { decision: 5, fact: 5, procedure: 5, episode: 5, signal: 5 },
      overrides: {},
    },
    "question",
  ],
  [
    "and with their room",
    "what should we make of the alert today",
    {
      hints: { decision: 0.5, signal: 0.5 },
      limits: { decision: 8, fact: 3, procedure: 3, episode: 8, signal: 8 },
      overrides: { decisions: 500, facts: 500, procedures: 0, episodes: 1000, signals: 1000 },
    },
    "conversation",
  ],
  ["to ask for signals is to ask for something", "alert", { hints: { signal: 0.5 }, skip: [] }],
];

/** Turns that ask by a mark alone: no word of them is long enough to be searched for. */
export const ASKED: readonly string[] = [
  ...[
    "在哪里？",
    "どこ？",
    "أين؟",
    "Πού ζει;",
    "ո՞ւր է։",
    "የት ነው፧",
    "¿quién?",
    "¿y tú",
    "wo denn?",
  ],
  ...["ne oldu⁇", "Хорошо. И где？", "Hola. ¿y él", "کجا؟", "Πού είναι το Wi;", "Που ζει\u037e"],
];
/** Turns that tell: the mark is none, or stands in a sentence before the last. */
export const TOLD: readonly string[] = [
  ...["let π = 3;", "int a;", "Ζει.", "在。", "ո՞ւր. Այո։", "¿y? Vi.", "Πού; Εδώ.", ";", "א;"],
];

/** Turns that need no memory, by language. */
export const IDLE: Readonly<Record<string, readonly string[]>> = {
  German: ["Danke", "vielen Dank", "Guten Morgen", "alles klar"],
  French: ["Merci", "merci beaucoup", "Bonjour", "d’accord", "tres bien"],
  Spanish: ["Gracias", "muchas gracias", "Hola", "buenos dias", "vale"],
  Portuguese: ["Obrigada", "muito obrigado", "Olá", "bom dia", "tudo bem"],
  Italian: ["Grazie", "grazie mille", "Ciao", "va bene"],
  Dutch: ["Bedankt", "dank je wel", "Goedemorgen", "oké"],
  Japanese: ["ありがとう", "ありがとうございます", "こんにちは", "了解です"],
  Chinese: ["谢谢", "謝謝", "你好", "好的"],
  Korean: ["감사합니다", "고마워요", "안녕하세요", "네"],
  Russian: ["Спасибо", "большое спасибо", "Привет", "хорошо"],
  Arabic: ["شكراً", "شكرا جزيلا", "مرحبا", "حسنا"],
  Hindi: ["धन्यवाद", "शुक्रिया", "नमस्ते", "ठीक है"],
  Turkish: ["Teşekkürler", "tesekkur ederim", "Merhaba", "tamam"],
  Polish: ["Dziękuję", "dzieki", "Cześć", "dobrze"],
};

const RECAPS = [
  ...[
    "what did we talk about on Monday",
    "What have we discussed so far",
    "what did we do yesterday",
    "catch me up",
  ],
  ...[
    "give me a recap of recent conversations",
    "so, what happened recently",
    "what happened lately?",
  ],
  ...["show my recent conversations", "a Summary of Recent work"],
];
const NO_RECAPS = [
  "how do I fix this bug",
  "hello",
  "thanks",
  "tell me about the architecture",
  "what happened",
];

const TOPICS: readonly [what: string, text: string, topic: string | null][] = [
  ["a turn says what it is about", "  Redis as a cache \n", "Redis as a cache"],
  ["too short", "uh ok", "uh ok"],
  ["too short", "  okay ", null],
  ["characters, not units", "👍👍👍👍", null],
  ["a pronoun and little more", "It works now", null],
  ["a pronoun with a mark", "that? really", null],
  ["a pronoun and more", "it works on my machine", "it works on my machine"],
  ["only a question", "where?!", null],
  ["a question about something", "where is it deployed", "where is it deployed"],
  ["goes on", "What about\tthe other one", null],
  ["goes on", "continue, please, with the second part", null],
  ["only looks as if it went on", "continued fractions", "continued fractions"],
  ["goes on with hardly anything", "tell me more now", null],
  ["goes on, but with something", "tell me more about Redis", "tell me more about Redis"],
  ["goes on, but with something", "more about JSON", "more about JSON"],
  ["nothing but pronouns", "is that what they did?", null],
  ["too many words for that", "is that what they did to them", "is that what they did to them"],
  ["no pronoun at all", "who are you", "who are you"],
  ["a pronoun and a word that means something", "what does it mean", "what does it mean"],
  ["200 characters of it", "🚀x".repeat(150), "🚀x".repeat(100)],
];

const FRAMES: readonly [text: string, frame: string, confidence: number][] = [
  ["should we fix this bug", "decision", 0.3],
  ["hello how are you", "conversation", 0.6],
  ["xyzzy foobar", "conversation", 0],
  ["", "conversation", 0],
  ["Fix the bug", "debug", 0.3],
  ["is this bug? wrong: no", "conversation", 0],
  ["what if", "question", 0.3],
  ["WHAT IF we brainstorm", "creative", 0.6],
  ["fix\u00a0build deploy it", "task", 0.3 * 3],
  ["build fix create run", "task", 1],
  ["the trade-off", "decision", 0.3],
];

const TYPES: readonly [subtype: string | null, type: reference.MemoryType][] = [
  ["custom:thesis", "decision"],
  ["custom:trade_entry", "decision"],
  ["custom:trade_modify", "decision"],
  ["custom:trade_close", "fact"],
  ["custom:lesson", "fact"],
  ["custom:playbook", "procedure"],
  ["custom:turn_summary", "episode"],
  ["custom:watchpoint", "signal"],
  ["custom:unheard_of", "fact"],
  [null, "fact"],
];

/** A phrase with any marks and white space around it, in any case. */
const said = (phrases: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom("", " ", "¡", "\n", "«"),
      fc.constantFrom(...phrases),
      fc.constantFrom(
        (text: string) => text,
        upper,
        (text: string) => text.replace(" ", " \n "),
      ),
      fc.constantFrom("", "!", ".", "。", "！", "…", " 🙏", "!! 👍🏽", " :)", "~", "۔", "।"),
    )
    .map(([before, text, written, after]) => before + written(text) + after);
const upper = (text: string) => text.toUpperCase();

/** Declares a test for each case. */
export function describeRules(of: Functions): void {
  function view(text: string, frame: string | undefined, mode: reference.ContextMode): View {
    const { signals, plan, temporal_boost, recap } = of.planTurn(text, frame ?? "question", {
      mode,
    });
    const { frame_type: _, memory_type_hints, ...rest } = signals;
    const [texts, limits] = [new Set<string>(), {} as View["limits"]];
    for (const { memory_type, query_text, limit } of plan.queries) {
      limits[memory_type] = limit;
      texts.add(query_text);
    }
    expect(texts.size).toBeLessThanOrEqual(1);
    return {
      ...rest,
      hints: memory_type_hints,
      limits,
      query_text: [...texts][0],
      overrides: plan.budget_overrides,
      skip: plan.skip_types,
      boost: temporal_boost,
      recap,
    };
  }

  function check(mode: reference.ContextMode, [, text, expected, frame]: Case): void {
    const seen = view(text, frame, mode);
    const named = Object.keys(expected).map((key) => [key, seen[key as keyof View]]);
    expect(Object.fromEntries(named)).toEqual(expected);
  }

  test("golden vectors", () => {
    expect(vectors).toHaveLength(38);
    for (const vector of vectors) {
      const mode = "seed-compatible";
      const signals = of.classifyTurn(vector.input, vector.frame, { mode });
      const plan = of.planRetrieval(signals, { mode });
      const isPlanned = plan.queries.length > 0;
      expect({
        input: signals.input,
        frame: signals.frame_type,
        greeting: signals.is_greeting,
        question: signals.is_question,
        recency: signals.temporal_recency,
        hints: signals.memory_type_hints,
        keywords: [...signals.topic_keywords].sort(),
        entities: [...signals.entity_mentions].sort(),
        limits: Object.fromEntries(
          plan.queries.map(({ memory_type, limit }) => [memory_type, limit]),
        ),
        query_text_is_input: isPlanned && signals.topic_keywords.length === 0,
        overrides: plan.budget_overrides,
        skip: [...plan.skip_types].sort(),
      }).toEqual(vector);
      const text = vector.query_text_is_input ? vector.input : signals.topic_keywords.join(" ");
      expect(plan.queries.every(({ query_text }) => query_text === text)).toBe(true);
    }
  });

  test.each(ASKED)("%s asks, and the seed knows only the mark of ASCII", (text) => {
    const plans = of.planTurn(text, "task").plan.queries;
    expect(of.classifyTurn(text).is_question).toBe(true);
    expect(plans.length).toBeGreaterThan(0);
    const { is_question } = of.classifyTurn(text, "task", { mode: "seed-compatible" });
    expect(is_question).toBe(text.endsWith("?"));
  });

  test.each(TOLD)("%s asks nothing", (text) => {
    expect(of.classifyTurn(text).is_question).toBe(false);
  });

  test.each(Object.entries(IDLE))("%s thanks, greetings and agreement need no memory", (_, all) => {
    fc.assert(
      fc.property(said(all), (text) => {
        const { signals, plan } = of.planTurn(text, "question");
        expect(signals.is_acknowledgement).toBe(true);
        expect(plan.queries).toEqual([]);
        const more = `${text.trim()} Xerxes 17`;
        expect(of.classifyTurn(more).is_acknowledgement).toBe(false);
        const seed = of.classifyTurn(text, "task", { mode: "seed-compatible" });
        expect(seed.is_acknowledgement).toBe(false);
      }),
      runs(amount(300)),
    );
  });

  describe("in both modes", () => {
    test.each(IN_BOTH)("%s: %j", (...each) => {
      check("default", each);
      check("seed-compatible", each);
    });

    test("turns that ask about earlier conversations, and others", () => {
      for (const mode of ["default", "seed-compatible"] as const) {
        for (const text of RECAPS)
          expect([text, of.planTurn(text, "task", { mode }).recap]).toEqual([text, true]);
        for (const text of NO_RECAPS)
          expect([text, of.planTurn(text, "task", { mode }).recap]).toEqual([text, false]);
      }
    });

    test("recap alone makes a plan recent, but not a classification", () => {
      for (const mode of ["default", "seed-compatible"] as const) {
        const signals = of.classifyTurn("recap", "conversation", { mode });
        expect(signals.temporal_recency).toBe(0);
        expect(of.planRetrieval(signals, { mode }).queries).toEqual([]);
      }
    });
  });

  test.each(SHIPPED)("seed-compatible: %s: %j", (...each) => {
    check("seed-compatible", each);
    expect(() => check("default", each), "the default mode has this mended").toThrow();
  });

  test.each(MENDED)("default: %s: %j", (...each) => {
    check("default", each);
  });

  test("missing signals count as absent", () => {
    const plan = of.planRetrieval({ frame_type: "task" });
    expect(plan.queries).toEqual([]);
    expect(of.planRetrieval({ frame_type: "task", is_question: true }).queries[0]).toEqual({
      ...{ memory_type: "decision", query_text: "", limit: 5 },
    });
  });

  test("the turn's own frame applies unless one is given", () => {
    expect(of.classifyTurn("should we?").frame_type).toBe("decision");
    expect(of.planTurn("should we?").plan.budget_overrides).toEqual({
      decisions: 3500,
      procedures: 2000,
    });
    expect(of.planTurn("should we?", "initiation").plan.budget_overrides).toEqual({});
  });

  test.each(FRAMES)("the frame of %j is that of %s", (text, frame, confidence) => {
    const selection = of.selectFrame(text);
    expect(selection.frame_id).toBe(frame);
    expect(selection.confidence).toBe(confidence);
    expect(selection.match_method).toBe(confidence === 0 ? "default" : "pattern");
  });

  test.each(TOPICS)("topic: %s: %j", (_, text, topic) => {
    expect(of.nextTopic(text)).toBe(topic);
  });

  test.each(TYPES)("%s is a %s", (subtype, type) => {
    expect(of.memoryTypeOf(subtype)).toBe(type);
  });
}
