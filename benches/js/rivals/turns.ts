// Turn planning by precompiled regular expressions, as an expert of V8 writes it. An expression
// runs only if it can still change the result. Only for ASCII turns in the default mode with a
// given frame.

import * as reference from "../../../js/reference/index.ts";

const source = (phrases: readonly string[]) =>
  phrases
    .map((phrase) =>
      (phrase.endsWith("*") ? phrase.slice(0, -1) : `${phrase}\\b`).replaceAll(" ", "\\s+"),
    )
    .join("|");
const anywhere = (phrases: readonly string[]) => new RegExp(`\\b(?:${source(phrases)})`, "i");

const GREETING = new RegExp(`^\\s*(?:${source(reference.GREETINGS)})`, "i");
const QUESTION = new RegExp(`^\\s*(?:${source(reference.QUESTION_WORDS)})`, "i");
const ACKNOWLEDGEMENT = new RegExp(`^\\s*(?:${source(reference.ACKNOWLEDGEMENTS)})\\W*$`, "i");
const SHORT = /^\s*.?[\s.,;:!?]*$/;
const RECENCY = reference.RECENCY.map(({ weight, phrases }) => ({
  weight,
  regex: anywhere(phrases),
}));
const HINTS = reference.MEMORY_TYPES.map((type) => ({
  type,
  regexes: (reference.HINTS.default[type] ?? []).map(anywhere),
}));
const RECAP = new RegExp(reference.RECAPS.join("|").replaceAll(" ", "\\s+"), "i");
/** A name, capitals, or a long word. */
const KEYWORD = /\b(?:[A-Z][a-z]+|[A-Z]{2,}|\w{6,})\b/g;
const NAME = /^[A-Z][a-z]+$/;
const MAX = 10;

function afterGreetings(text: string): number | null {
  let from = 0;
  for (;;) {
    const greeting = GREETING.exec(text.slice(from));
    if (greeting === null) return from;
    const end = from + greeting[0].length;
    const word = text.slice(end).search(/\w/);
    if (word === -1) return null;
    const blank = text.slice(end, end + word).search(/\S*$/);
    if (blank === 0) return from;
    from = end + blank;
  }
}

function named(text: string) {
  const [keywords, entities]: [string[], string[]] = [[], []];
  for (const { 0: word, index } of text.matchAll(KEYWORD)) {
    const lower = word.toLowerCase();
    if (keywords.length < MAX && !keywords.includes(lower)) keywords.push(lower);
    const begins = index === 0 || (text[index - 1] === " " && text[index - 2] === ".");
    if (!begins && entities.length < MAX && NAME.test(word) && !entities.includes(word))
      entities.push(word);
  }
  return { keywords, entities };
}

export function planTurn(text: string, frame: string): reference.TurnPlan {
  const after = afterGreetings(text);
  const input = text.slice(after ?? 0);
  const { keywords, entities } = named(input);
  const recap = RECAP.test(input);
  const recency = RECENCY.find(({ regex }) => regex.test(input))?.weight ?? 0;
  const hints: reference.TurnSignals["memory_type_hints"] = {};
  for (const { type, regexes } of HINTS) {
    let hint = 0;
    for (const regex of regexes) if (regex.test(input)) hint += 0.5;
    if (hint > 0) hints[type] = hint;
  }
  if (reference.classifyIntent(input).includes("SIGNALS")) hints.signal = 0.5;
  const signals = {
    input,
    frame_type: frame,
    entity_mentions: entities,
    temporal_recency: recap && recency <= 0.5 ? 0.8 : recency,
    memory_type_hints: hints,
    is_question: /\?\s*$/.test(input) || QUESTION.test(input) || QUESTION.test(text),
    is_greeting: after === null,
    is_acknowledgement: SHORT.test(input) || ACKNOWLEDGEMENT.test(input),
    topic_keywords: keywords,
  };
  const plan = reference.planRetrieval(signals);
  return { signals, plan, temporal_boost: signals.temporal_recency > 0.5, recap };
}
