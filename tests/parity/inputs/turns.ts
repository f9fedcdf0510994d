// Turns of conversation for fast-check: known forms, near misses, and any text; and signals to plan
// for.

import fc from "fast-check";
import * as reference from "../../../js/reference/index.ts";
import { amount } from "../../support/amount.ts";
import { anyCharacter, disguised, ODD } from "./questions.ts";

/** The number of turns in the long runs. */
export const TURNS = amount(20_000);

export const MODES: readonly reference.ContextMode[] = ["default", "seed-compatible"];

const anyOf = (values: readonly string[]) => fc.constantFrom(...values);

/** One of these with a probability of one in this number, else nothing. */
const seldom = (values: readonly string[], every: number) =>
  fc.oneof(
    { weight: every - 1, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: anyOf(values) },
  );

/** Every phrase that is a signal, without its `*`. */
export const PHRASES: readonly string[] = [
  ...new Set(
    [
      ...reference.RECENCY.flatMap(({ phrases }) => phrases),
      ...MODES.flatMap((mode) => Object.values(reference.HINTS[mode]).flat(2)),
      ...reference.RECAPS,
    ].map((phrase) => phrase.replace("*", "")),
  ),
];

const ENDINGS = ["s", "d", "ed", "ing", "ition", "_", "2", "\u0301", "é"];
const NAMES = [
  ...[
    "Redis",
    "redis",
    "REDIS",
    "PostgreSQL",
    "AI",
    "ML",
    "JSONB",
    "Alice",
    "Bob. Carol",
    "Al",
    "A",
    "X1",
    "A_b",
    "AWS",
  ],
  ...[
    "ÜBER",
    "Élan",
    "É",
    "Straße",
    "größere",
    "Änderungen",
    "Σίσυφος",
    "ΣΊΣΥΦΟΣ",
    "Москва",
    "ИИ",
    "İstanbul",
    "ǅungla",
  ],
  ...[
    "Ⓐⓑ",
    "Ⅳⅳ",
    "E\u0301lan",
    "ﬁnance",
    "Łódź",
    "naïve",
    "今天我们决定了什么",
    "ビットコイン",
    "𝒶𝒷",
    "𐐀𐐨",
    "\u212aelvin",
  ],
  ...[
    "\ud83d",
    "Re\ud83ddis",
    "a‿b‿c",
    "three word name",
    "deployment strategy",
    "the database",
    "funding",
  ],
];
const FILLERS = [
  "the",
  "a",
  "my",
  "with",
  "about",
  "it",
  "Bob",
  "work",
  "in detail",
  "of",
  "we",
  "do",
];
const MARKS = ["", "", "?", "!", ".", "…", " ?", "?!", ",", " 👍", " :)", "。", "！？", "++", '"'];
const SEPARATORS = [
  " ",
  ", ",
  "! ",
  " – ",
  "\n",
  ",",
  "",
  ' "',
  " (",
  " 👋 ",
  ". ",
  "-",
  "’s ",
  " $",
];

const phrase = fc.tuple(anyOf(PHRASES), seldom(ENDINGS, 4)).map((pieces) => pieces.join(""));

const clause = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: phrase },
      { weight: 3, arbitrary: anyOf(NAMES) },
      { weight: 2, arbitrary: anyOf(FILLERS) },
      { weight: 2, arbitrary: anyOf(reference.QUESTION_WORDS) },
      { weight: 2, arbitrary: anyOf(reference.FRAMES.flatMap(({ patterns }) => patterns)) },
      { weight: 1, arbitrary: anyOf(reference.INTENT_STRINGS.SIGNALS) },
      { weight: 1, arbitrary: anyOf(["today. ", ". Dana", "ok.", ...ODD]) },
    ),
    { maxLength: 7 },
  )
  .map((pieces) => pieces.join(" "));

/** Several signs of one type, or of one frame. */
const insistent = fc
  .constantFrom(
    ...MODES.flatMap((mode) =>
      Object.values(reference.HINTS[mode]).map((patterns) => patterns.flat()),
    ),
    ...reference.FRAMES.map(({ patterns }) => patterns),
  )
  .chain((signs) => fc.array(anyOf(signs), { minLength: 2, maxLength: 7, size: "max" }))
  .map((signs) => signs.join(" ").replaceAll("*", ""));

/** More names than a turn reports, some of them twice. */
const roll = fc
  .array(fc.oneof(anyOf([..."ABCDEFGHIJKLMNOP"].map((letter) => `${letter}nn`)), anyOf(NAMES)), {
    ...{ minLength: 8, maxLength: 24, size: "max" },
  })
  .map((names) => `see ${names.join(" ")}`);

const acknowledgement = fc
  .tuple(anyOf(reference.ACKNOWLEDGEMENTS), anyOf(MARKS), seldom(FILLERS, 6))
  .map(([words, mark, more]) => words + mark + (more && ` ${more}`));

const pronounced = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: anyOf(reference.PRONOUNS) },
      { weight: 2, arbitrary: anyOf([...reference.STOP_WORDS, ...reference.BARE_QUESTIONS]) },
      { weight: 1, arbitrary: anyOf(["works", "then?", "...", "-"]) },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((words) => words.join(" "));

const followUp = fc
  .tuple(
    anyOf(reference.FOLLOW_UPS),
    fc.oneof(
      { weight: 3, arbitrary: anyOf(["", " it", " X", "?", ", do", "…"]) },
      { weight: 2, arbitrary: anyOf([...FILLERS, ...NAMES]).map((word) => ` ${word}`) },
      { weight: 2, arbitrary: clause.map((rest) => ` ${rest}`) },
      { weight: 1, arbitrary: anyOf(["d", "_", "ed fractions"]) },
    ),
  )
  .map((pieces) => pieces.join(""));

const bare = fc
  .tuple(anyOf(reference.BARE_QUESTIONS), anyOf(["??", "?!.", " ?", "...", " so", "。"]))
  .map((it) => it.join(""));

const statement = fc.oneof(
  { weight: 8, arbitrary: clause },
  { weight: 2, arbitrary: insistent },
  { weight: 1, arbitrary: roll },
  { weight: 2, arbitrary: acknowledgement },
  { weight: 3, arbitrary: pronounced },
  { weight: 3, arbitrary: followUp },
  { weight: 1, arbitrary: bare },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
);

const greeted = fc
  .tuple(anyOf(reference.GREETINGS), anyOf(SEPARATORS), seldom(reference.GREETINGS, 6), statement)
  .map(
    ([first, separator, second, rest]) => first + separator + (second && second + separator) + rest,
  );

const long = fc
  .tuple(anyOf(["word ", "漢字", "🚀", "é"]), fc.integer({ min: 40, max: 205 }), statement)
  .map(([piece, times, rest]) => piece.repeat(times) + rest);

/** Any turn. */
export const turn: fc.Arbitrary<string> = disguised(
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: statement },
        { weight: 3, arbitrary: greeted },
        { weight: 1, arbitrary: anyOf(reference.GREETINGS) },
        { weight: 1, arbitrary: long },
      ),
      anyOf(MARKS),
    )
    .map((pieces) => pieces.join("")),
);

/** Turns of other languages: phrases that need no memory, words and marks of questions, in any order. */
export const foreignTurn: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyOf(reference.OF_OTHER_LANGUAGES) },
      { weight: 4, arbitrary: anyOf([..."?？؟;;՞፧¿\u037e⁇⁈⁉.!։。\n️", " ", ". ", "; "]) },
      {
        weight: 2,
        arbitrary: anyOf(["Πού", "ζει", "π", "ուր", "ወዴት", "где", "wo", "iPhone", "ΩΣ"]),
      },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .chain((pieces) =>
    fc.constantFrom("", " ").map((between) => pieces.join(between).replaceAll("|", "")),
  );

export const frame: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 6, arbitrary: anyOf(reference.FRAMES.map(({ id }) => id)) },
  { weight: 1, arbitrary: fc.constantFrom("initiation", "", "constructor", "Decision", undefined) },
);

export const mode = fc.constantFrom(...MODES);

const hint = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 1.5, 5e-324),
  fc.double({ min: 0, max: 2, noNaN: true }),
);
const flag = fc.oneof(
  { weight: 5, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constantFrom(true, undefined) },
);

/** Signals of real turns, and arbitrary combinations. */
export const signals: fc.Arbitrary<reference.SignalsToPlan> = fc.oneof(
  fc.tuple(turn, frame, mode).map(([text, of, mode]) => reference.classifyTurn(text, of, { mode })),
  fc.record({ frame_type: frame.map((of) => of ?? "task") }).chain(({ frame_type }) =>
    fc.record(
      {
        frame_type: fc.constant(frame_type),
        input: turn,
        temporal_recency: fc.oneof(
          fc.constantFrom(0, 0.3, 0.5, 0.5000000000000001, 0.8, 1),
          fc.double({ min: 0, max: 1, noNaN: true }),
        ),
        memory_type_hints: fc.record(
          { decision: hint, fact: hint, procedure: hint, episode: hint, signal: hint },
          { requiredKeys: [] },
        ),
        is_question: flag,
        is_greeting: flag,
        is_acknowledgement: flag,
        topic_keywords: fc.array(
          fc.oneof(anyOf(NAMES), fc.string({ unit: anyCharacter, maxLength: 4 })),
          {
            maxLength: 4,
          },
        ),
      },
      { requiredKeys: ["frame_type"] },
    ),
  ),
);

export const subtype: fc.Arbitrary<string | null | undefined> = fc.constantFrom(
  ...Object.keys(reference.SUBTYPE_TO_SECTION),
  ...[
    "thesis",
    "custom:THESIS",
    "custom:unheard_of",
    "constructor",
    "__proto__",
    "",
    null,
    undefined,
  ],
);

/** The reference's answers about a turn, as the native tests read them. */
export function answersTo(text: string) {
  const { frame_id, confidence } = reference.selectFrame(text);
  const planned = (mode: reference.ContextMode) => {
    const { signals, plan, temporal_boost, recap } = reference.planTurn(text, frame_id, { mode });
    const limits = Object.fromEntries(
      plan.queries.map(({ memory_type, limit }) => [memory_type, limit]),
    );
    return {
      dropped: text.slice(0, text.length - signals.input.length),
      keywords: signals.topic_keywords,
      entities: signals.entity_mentions,
      recency: signals.temporal_recency,
      hints: signals.memory_type_hints,
      flags: [
        signals.is_question,
        signals.is_greeting,
        signals.is_acknowledgement,
        recap,
        temporal_boost,
      ],
      limits,
      budgets: plan.budget_overrides,
      skipped: plan.skip_types,
      by_keywords:
        plan.queries[0] !== undefined &&
        plan.queries[0].query_text === signals.topic_keywords.join(" "),
    };
  };
  const [default_mode, seed_compatible] = MODES.map(planned);
  return {
    text,
    frame: frame_id,
    confidence,
    topic: reference.nextTopic(text),
    default_mode,
    seed_compatible,
  };
}
