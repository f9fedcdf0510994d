// Questions to begin with, made of what is stored. A question is suggested if the memory that it was
// made of is its first answer, and reaches the score from which an answer counts.

import { ANSWERABLE } from "nous-wasm";
import type { Held } from "./held.ts";

/** How many questions are suggested, of how many of the last memories, and how many are tried. */
const SUGGESTIONS = 5;
const MAX_LOOKED_AT = 200;
const MAX_TRIED = 20;
/** The most memories that are asked all together: a question takes the longer, the more there are. */
const MAX_ASKED = 200_000;
/** The most words of a subject. */
const MAX_WORDS = 4;

/** Verbs of a state, with the word that asks for their object. */
const ASKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "prefer like love hate eat drink drive use own play study speak need want collect avoid read write take run teach build plan"
      .split(" ")
      .map((verb) => [verb, "What"]),
  ),
  ...{ live: "Where", work: "Where", meet: "When", deploy: "When", pay: "What", have: "What" },
};

const SUBJECT = String.raw`(?<subject>I|We|[A-Z]\p{L}+(?: [A-Z]\p{L}+)?)`;
const VERB = new RegExp(
  String.raw`^${SUBJECT} (?:(?:also|now|always|usually) )?(?<verb>\p{L}+)\b`,
  "u",
);
const THING =
  /^(?<the>My|Our|The|[A-Z]\p{L}+['’]s) (?<thing>\p{L}+(?: \p{L}+){0,3}?) (?<is>is|are|was|were|costs?) (?<next>\S+)/u;
/** What stands after "is", where a thing is somewhere, and where it is something. */
const PLACE = /^(?:in|at|on|under|behind|above|below|between|near|next)$/;
const VALUE = /^[\p{Lu}\p{Sc}"“]|\d|^(?:called|about|a|an)$/u;
const ROLE =
  /^(?<who>(?:Dr\. |Mr\. |Ms\. |Mrs\. )?[A-Z]\p{L}+(?: [A-Z]\p{L}+)?) is (?<role>(?:my|our|the) [^.,;]+?)(?:[.,;]| (?:in|at|from|since|and|who|for|of) |$)/u;

/** Of memories, the questions that they answer; kept until the memory changes. */
const made = new WeakMap<Held, { changes: number; questions: string[] }>();

/** Returns questions that late memories answer first, the latest first. */
export function suggestedOf(held: Held): string[] {
  const { changes } = held;
  const known = made.get(held);
  if (known?.changes === changes) return known.questions;
  const questions = new Set<string>();
  const tried = new Set<string>();
  const count = held.rows.nodes.size;
  const max = Math.min(MAX_TRIED, Math.floor(MAX_ASKED / Math.max(1, count)));
  // Those of a server come in another order.
  const late = [...held.all()].sort((one, other) => other.sequence - one.sequence);
  for (const row of late.slice(0, MAX_LOOKED_AT)) {
    if (questions.size === SUGGESTIONS || tried.size >= max) break;
    for (const statement of [row.content_title, row.content_body ?? ""]) {
      const question = questionOf(statement);
      if (question === undefined || tried.has(question)) continue;
      tried.add(question);
      const [first] = held.index.ask(question, { now: held.now, limit: 1 });
      if (first?.id === row.id && first.score >= ANSWERABLE) questions.add(question);
    }
  }
  made.set(held, { changes, questions: [...questions] });
  return [...questions];
}

/** Returns a question that a statement answers; undefined for one of another form. */
export function questionOf(statement: string): string | undefined {
  const { who, role } = ROLE.exec(statement)?.groups ?? {};
  if (who !== undefined && isShort(role!)) return `Who is ${swapped(role!)}?`;
  const { the, thing, is, next } = THING.exec(statement)?.groups ?? {};
  if (the !== undefined) {
    const subject = `${swapped(the)} ${thing}`;
    if (is!.startsWith("cost")) return `What does ${subject} cost?`;
    if (PLACE.test(next!)) return `Where ${is} ${subject}?`;
    return VALUE.test(next!) ? `What ${is} ${subject}?` : undefined;
  }
  const { subject, verb } = VERB.exec(statement)?.groups ?? {};
  if (subject === undefined) return undefined;
  const plain = plainOf(verb!);
  const ask = Object.hasOwn(ASKS, plain) ? ASKS[plain] : undefined;
  if (ask === undefined) return undefined;
  const isThird = subject !== "I" && subject !== "We";
  if (isThird === (plain === verb)) return undefined;
  return `${ask} ${isThird ? "does" : "do"} ${subject === "We" ? "we" : subject} ${plain}?`;
}

const isShort = (text: string): boolean => text.split(" ").length <= MAX_WORDS;

/** Returns the beginning of a sentence within one. Names stay. */
const swapped = (text: string): string =>
  text.replace(/^(?:My|Our|The)\b/, (it) => it.toLowerCase());

/** Returns the plain form of a verb in the third person. */
function plainOf(verb: string): string {
  if (verb === "has") return "have";
  if (Object.hasOwn(ASKS, verb)) return verb;
  for (const [ending, instead] of [
    ["ies", "y"],
    ["es", ""],
    ["s", ""],
  ] as const) {
    const plain = verb.endsWith(ending) ? verb.slice(0, -ending.length) + instead : "";
    if (Object.hasOwn(ASKS, plain)) return plain;
  }
  return verb;
}
