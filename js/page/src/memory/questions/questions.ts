// Questions of a statement: "Where do I live?" of "I live in Graz". The rules of a language ask for what
// the statement tells if they know its form, and else for what they know of its subject, as it stands in
// it. They guess: whoever offers a question asks it first, and offers it if the statement is the answer.

import { english } from "./english.ts";
import { GERMAN, german } from "./german.ts";
import { firstSentence, type Rules } from "./sentence.ts";
import { SPANISH, spanish } from "./spanish.ts";

/** The most words of a question. */
const MAX_WORDS = 14;
/** Frequent words of English that the others do not have. */
const ENGLISH = new RegExp(
  "^(?:the|is|my|our|are|was|i|we|to|of|and|on|at|for|with|it|not|has|have|her|his|a|" +
    "an|that|this|every|never|always|use)$",
  "",
);

/** Frequent words of French, Italian and Portuguese, of which the page knows no more. */
const OTHERS = new RegExp(
  "^(?:le|les|du|des|et|est|nous|notre|ma|mon|au|aux|dans|une|pas|il|elle|je|ce|cette|" +
    "ses|la|un|avec|chez|pour|sur|gli|di|che|è|non|una|per|sono|della|nel|o|os|não|um|" +
    "uma|é|em|do|da|dos|das|com|meu|minha|à|été|a|l|j|qu|cet|sans|plus)$",
  "",
);

/** The questions of a statement, the most telling one first. */
export interface Questions {
  /** Those that ask for what it tells. */
  telling: string[];
  /** Those that ask what is known of something in it. */
  general: string[];
}

/**
 * Returns questions that a statement may answer; none of a question, of what states nothing, and of a
 * statement in a language without rules.
 */
export function questionsOf(statement: string): Questions {
  const sentence = firstSentence(statement);
  if (sentence === "") return { telling: [], general: [] };
  const rules = rulesFor(sentence);
  if (rules === undefined) return { telling: [], general: [] };
  const { asks, topics, about } = rules;
  return { telling: short(asks(sentence)), general: short([...topics(sentence)].map(about)) };
}

const short = (questions: Iterable<string>): string[] =>
  [...new Set(questions)].filter((question) => question.split(" ").length <= MAX_WORDS);

/** Returns the rules of the language whose words a sentence has; of English if there are none. */
function rulesFor(sentence: string): Rules | undefined {
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (isOf: (word: string) => boolean) => words.filter(isOf).length;
  const ofGerman = count(
    (word) => GERMAN.has(word) || /iert$|ieren$|ung$|heit$|keit$|[äöüß]/.test(word),
  );
  const ofSpanish = count(
    (word) => SPANISH.has(word) || /ción$|dad$|mente$|iendo$|[ñáíóú]/.test(word),
  );
  const ofOthers = count((word) => OTHERS.test(word) || /[àâçèêîôœùû]/.test(word));
  const ofEnglish = count((word) => ENGLISH.test(word));
  if (ofOthers > Math.max(ofEnglish, ofGerman, ofSpanish)) return undefined;
  if (ofGerman > ofEnglish && ofGerman >= ofSpanish) return german;
  return ofSpanish > ofEnglish ? spanish : english;
}
