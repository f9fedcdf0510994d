// Whether most texts are in a language that an English model does not know: whoever starts the
// server with its default model and writes German is told, once.

import { isOtherLanguage } from "nous-memory";

/** A shorter text says nothing of its language. */
const MIN_WORDS = 5;
/** So many texts decide, if at least this share of them is in another language. */
const DECIDING = { texts: 20, share: 0.6 } as const;

/** Counts the languages of texts. */
export class Languages {
  #texts = 0;
  #others = 0;
  #isTold = false;

  /** Counts a text. Returns true once: when most texts so far are in another language. */
  note(text: string): boolean {
    const isOther = this.#isTold ? undefined : isOtherLanguage(text, MIN_WORDS);
    if (isOther === undefined) return false;
    this.#texts += 1;
    this.#others += Number(isOther);
    this.#isTold = this.#texts >= DECIDING.texts && this.#others >= DECIDING.share * this.#texts;
    return this.#isTold;
  }
}
