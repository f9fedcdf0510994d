// A sentence as the rules of a language read it: its first clause, in words.

/** How a language asks. */
export interface Rules {
  /** Returns the questions that a sentence answers, the most telling one first. */
  asks(sentence: string): Iterable<string>;
  /** Returns what a sentence is about, as it stands in it. */
  topics(sentence: string): Iterable<string>;
  /** Returns the question that any statement about something answers. */
  about(topic: string): string;
}

/** Returns the words of a list. */
export const wordsIn = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|Dr|Mr|Mrs|Ms|Sr|Sra|St|Prof|No|Nr|ca|bzw|etc|vs|approx)$/u;
/** "12. März": a number and what it counts. */
const ORDINAL = /^\d\. (?:\p{Ll}|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/u;
/** What opens a note, and is no part of its statement. */
const OPENING = new RegExp(
  String.raw`^(?:[-*+•#>]+\s+|\d+[.)]\s+|(?:please )?(?:remember|note|keep in mind)(?: that|` +
    String.raw`:)\s+|(?:fyi|note|nota|merke|notiz|wichtig|important|importante|todo|user|` +
    String.raw`update)[:,]\s+|(?:bitte )?merke?(?: dir)?,? dass\s+|recuerda que\s+|` +
    String.raw`denk daran,? dass\s+)`,
  "iu",
);

/** Returns the first sentence of a text without its last mark; empty if it asks, or has no words. */
export function firstSentence(text: string): string {
  // A heading states nothing.
  const line = text.split("\n").find((one) => one.trim() !== "" && !/^#+ /.test(one)) ?? "";
  let rest = line.trim().replaceAll(/[*`]+/g, "");
  for (let opening = OPENING.exec(rest); opening !== null; opening = OPENING.exec(rest))
    rest = rest.slice(opening[0].length);
  for (const { index, 0: mark } of rest.matchAll(/[.!?;](?=\s|$)/g)) {
    const isPoint =
      mark === "." &&
      (ABBREVIATION.test(rest.slice(0, index)) || ORDINAL.test(rest.slice(index - 1)));
    if (isPoint) continue;
    return mark === "?" ? "" : stating(rest.slice(0, index));
  }
  return stating(rest);
}

/** Who speaks, and verbs that need no subject: with one of them two words say something. */
const SPEAKER = /^(?:I|we|ich|wir|soy|estoy|vivo|tengo|somos|trabajo)\b/i;

/** Returns a sentence if it may state something: code, an address or a word or two do not. */
function stating(sentence: string): string {
  const words = sentence.match(/[\p{L}\d][^\s]*/gu) ?? [];
  const isCode = /[={}<>]|:\/\/|\w\(/.test(sentence) || !/\p{L}{2}/u.test(sentence);
  return isCode || words.length < (SPEAKER.test(sentence) ? 2 : 3) ? "" : sentence;
}

/** Returns the words of a text, without marks around them. */
export const wordsOf = (text: string): string[] =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[("“„«¡]+|[)"”“»,:!]+$/g, ""))
    .filter((word) => word !== "");

export const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word);
