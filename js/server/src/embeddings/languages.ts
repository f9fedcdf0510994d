// Whether texts are in a language that an English model does not know: whoever starts the server with
// its default model and writes German is told, once.
//
// A text counts as another language if most of its letters are not Latin, or if it has no English
// function word. Notes in English have none in every fifth case, and whole memories in another language
// have hardly any: so many texts decide.

/** Function words of English that no common language shares. */
const ENGLISH: ReadonlySet<string> = new Set(
  "the and for with my it are to by from that this have has you our they is of i".split(" "),
);
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
  return words.length < MIN_WORDS ? undefined : !words.some((word) => ENGLISH.has(word));
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
