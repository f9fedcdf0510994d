// Whether texts are in a language that an English model does not know: whoever starts the server with
// its default model and writes German is told, once.
//
// A text counts as another language if most of its letters are not Latin, or if it has no English
// function word, and one of another language or a letter that English does not have. Terse notes
// ("job: designer, Lumen agency") have neither, and tell nothing. Many texts decide.

/** Function words of English that no common language shares. */
const ENGLISH: ReadonlySet<string> = new Set(
  "the and for with my it are to by from that this have has you our they is of i".split(" "),
);
/** Function words of other languages that are no words and no abbreviations of English. */
const OTHERS: ReadonlySet<string> = new Set(
  (
    "der das und ist nicht mit ich wir ein eine einen zu von auf seit nach vom zum wird " +
    "los las que una por y dans avec les une che gli nel sono uma com het een niet voor " +
    "och att det som nie jest"
  ).split(" "),
);
const NOT_ENGLISH = /[^\p{ASCII}’]/u;
/** Shorter texts say nothing of their language. */
const MIN_WORDS = 5;
const MIN_LETTERS = 4;
/** So many texts decide, if at least this share of them is in another language. */
const DECIDING = { texts: 20, share: 0.6 } as const;

/** Returns whether a text is in another language than English; undefined if it does not tell. */
export function isOtherLanguage(text: string): boolean | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters >= MIN_LETTERS && 2 * latin < letters) return true;
  const words = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  if (words.length < MIN_WORDS) return undefined;
  if (words.some((word) => ENGLISH.has(word))) return false;
  return words.some((word) => OTHERS.has(word) || NOT_ENGLISH.test(word)) ? true : undefined;
}

/** Counts the languages of texts. */
export class Languages {
  #texts = 0;
  #others = 0;
  #isTold = false;

  /** Counts a text. Returns true once: when most texts so far are in another language. */
  note(text: string): boolean {
    const isOther = this.#isTold ? undefined : isOtherLanguage(text);
    if (isOther === undefined) return false;
    this.#texts += 1;
    this.#others += Number(isOther);
    this.#isTold = this.#texts >= DECIDING.texts && this.#others >= DECIDING.share * this.#texts;
    return this.#isTold;
  }
}
