// Whether a text is in another language than English, for what knows English alone.
//
// A text counts as another language if most of its letters are not Latin, or if it has no English
// function word, and one of another language or a letter that English does not have. Terse notes
// ("job: designer, Lumen agency") have neither, and tell nothing.

import { isReadByTransformer } from "./embedding-text.ts";

/** Function words of English that no common language shares. */
const ENGLISH: ReadonlySet<string> = new Set(
  (
    "the and for with my it are to by from that this have has you our they is of i " +
    "what who whose when where which why how did does can there any"
  ).split(" "),
);
/** Function words of other languages that are no words and no abbreviations of English. */
const OTHERS: ReadonlySet<string> = new Set(
  (
    "der das und ist nicht mit ich wir ein eine einen zu von auf seit nach vom zum wird für gibt " +
    "wo wer wen wem wann warum wie welche welcher welches welchen mein meine meinem meinen " +
    "meiner unser unsere sie sind habe kann sich noch auch beim gerne " +
    "los las que una por y donde dónde quién quien cuándo cuando cuál cual cómo qué tiene está " +
    "nuestro nuestra " +
    "dans avec les une quand où qui quel quelle quels quelles quoi pourquoi mes notre elle sont " +
    "che gli nel sono quando quale perché uma qual onde quem " +
    "het een niet voor wat waar wanneer mijn och att det som nie jest"
  ).split(" "),
);
const NOT_ENGLISH = /[^\p{ASCII}‘’“”–—…€£]/u;

/**
 * Returns whether a text is in another language than English; undefined if it does not tell.
 *
 * @param minWords A text of Latin letters with fewer words does not tell. Default: 1.
 */
export function isOtherLanguage(text: string, minWords: number = 1): boolean | undefined {
  if (!isReadByTransformer(text)) return true;
  const words = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  if (words.length < minWords) return undefined;
  // "What's" is "what".
  if (words.some((word) => ENGLISH.has(word.replace(/['’].*$/u, "")))) return false;
  return words.some((word) => OTHERS.has(word) || NOT_ENGLISH.test(word)) ? true : undefined;
}
