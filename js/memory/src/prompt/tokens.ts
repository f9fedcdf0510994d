// The tokens of a text, estimated by script.
//
// Idea: a tokenizer first cuts a text into pieces: words with the blank or mark before them, groups
// of three digits, runs of marks. Digits and most marks are tokens as they are cut. A word takes more
// tokens the longer and the rarer it is: tokenizers know most English words whole, and those of other
// languages in parts. So each script has its own tokens for a letter, and Latin letters those of the
// language of their line. The numbers are fitted to the counts of `o200k_base` in tests/golden/tokens.
//
// Cost: one pass over the text.

/** What a character is to a tokenizer. */
const MARK = 0;
const CAPITAL = 1;
const LETTER = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE_END = 5;

function kindOf(c: string): number {
  if (/[\r\n]/u.test(c)) return LINE_END;
  if (/\s/u.test(c)) return BLANK;
  if (/\p{N}/u.test(c)) return DIGIT;
  if (/\p{Lu}/u.test(c)) return CAPITAL;
  return /[\p{L}\p{M}]/u.test(c) ? LETTER : MARK;
}

/** The kinds of the characters of the basic plane that texts held, plus 1. */
const KINDS = new Uint8Array(0x1_0000);

function kindOfCode(code: number): number {
  if (code > 0xffff) return kindOf(String.fromCodePoint(code));
  if (KINDS[code] === 0) KINDS[code] = 1 + kindOf(String.fromCodePoint(code));
  return KINDS[code]! - 1;
}

/** The tokens of a letter from a code point on, up to the next one; 0 for letters of Latin. */
const OF_LETTERS: readonly [from: number, tokens: number][] = [
  [0x41, 0],
  [0x370, 0.42],
  [0x400, 0.31],
  [0x450, 1],
  [0x530, 0.6],
  [0x590, 0.44],
  [0x600, 0.41],
  [0x670, 0.5],
  [0x900, 0.38],
  [0x980, 0.43],
  [0xb80, 0.33],
  [0xc00, 0.45],
  [0xe00, 0.43],
  [0xe80, 0.8],
  [0x1e00, 0],
  [0x1f00, 0.8],
  [0x3040, 0.72],
  [0x3400, 0.92],
  [0xac00, 0.84],
  [0xd7b0, 1.5],
];
const ofLetter = (code: number): number => OF_LETTERS.findLast(([from]) => from <= code)?.[1] ?? 0;

/** Letters of a Latin word that cost nothing more than the word. */
const SHORT_WORD = 4;
/** The tokens of a further letter in an English line, and in another one. */
const OF_ENGLISH = 0.05;
const OF_OTHERS = 0.22;
/** What a word takes besides if it has a letter beyond ASCII: of Eastern Europe, or another. */
const OF_EASTERN = 1.2;
const OF_ACCENTS = 0.7;
/** The words by which a line is English, and the share of its words that they must be. */
const ENGLISH = new Set(
  "the and of to is in that it for was with on at by my i you we are be have has not but this she he".split(
    " ",
  ),
);
const ENGLISH_SHARE = 0.1;
/** What follows an apostrophe in the token of its word. */
const CONTRACTED = /['’](?:s|t|re|ve|m|ll|d)(?![\p{L}\p{M}\p{N}])/uy;

/** The tokens of pictures: of one, of a letter of a flag, and of what joins or varies them. */
const OF_PICTURE = 2.4;
const OF_FLAG_LETTER = 2;
const OF_JOINER = 0.8;
/** The marks of one token, and the digits. */
const MARKS = 3;
const DIGITS = 3;

/**
 * Returns an estimate of the tokens of a text, within about a fifth of what `o200k_base` counts in
 * running text; at least 1.
 */
export const tokensOf = (text: string): number => Math.max(1, Math.round(tokensIn(text)));

/** Returns the same without rounding, so that the sum of lines is not below what they take together. */
export function tokensIn(text: string): number {
  const { length } = text;
  let tokens = 0;
  let [words, english, further] = [0, 0, 0];
  let at = 0;
  /** Goes on while characters are of a kind. */
  const skip = (is: (kind: number) => boolean): void => {
    while (at < length) {
      const code = text.codePointAt(at)!;
      if (!is(kindOfCode(code))) return;
      at += code > 0xffff ? 2 : 1;
    }
  };
  const endLine = () => {
    const isEnglish = english > 0 && english >= ENGLISH_SHARE * words;
    tokens += further * (isEnglish ? OF_ENGLISH : OF_OTHERS);
    [words, english, further] = [0, 0, 0];
  };
  while (at < length) {
    const start = at;
    const kind = kindOfCode(text.codePointAt(at)!);
    if (kind === LINE_END) {
      skip((next) => next === LINE_END || next === BLANK);
      tokens++;
      endLine();
    } else if (kind === BLANK) {
      skip((next) => next === BLANK);
      const next = at < length ? kindOfCode(text.codePointAt(at)!) : LINE_END;
      // The last blank before a word or a mark belongs to it.
      if (at - start > 1 || next === DIGIT || next === LINE_END) tokens++;
    } else if (kind === DIGIT) {
      skip((next) => next === DIGIT);
      tokens += Math.ceil((at - start) / DIGITS);
    } else if (kind === MARK) {
      skip((next) => next === MARK);
      const next = at < length ? kindOfCode(text.codePointAt(at)!) : BLANK;
      const isOfWord = (next === LETTER || next === CAPITAL) && text[start - 1] !== " ";
      if (at - start > 1 || !isOfWord) tokens += ofMarks(text.slice(start, at));
    } else {
      skip((next) => next === CAPITAL);
      // In "HTTPServer" the last capital belongs to the second word.
      const capitals = at - start;
      const isSplit = capitals > 1 && at < length && kindOfCode(text.codePointAt(at)!) === LETTER;
      if (isSplit) at--;
      else skip((next) => next === LETTER);
      const word = text.slice(start, at);
      words++;
      if (word.length <= SHORT_WORD && ENGLISH.has(word.toLowerCase())) english++;
      const { latin, others } = ofWord(word);
      tokens += others;
      further += Math.max(0, latin - SHORT_WORD);
      CONTRACTED.lastIndex = at;
      if (CONTRACTED.test(text)) at = CONTRACTED.lastIndex;
    }
  }
  endLine();
  return tokens;
}

/** Returns the letters of Latin of a word, and its tokens without those of further letters. */
function ofWord(word: string): { latin: number; others: number } {
  let [latin, others, ofAccents] = [0, 0, 0];
  for (let at = 0; at < word.length; at++) {
    const code = word.codePointAt(at)!;
    if (code > 0xffff) at++;
    const tokens = code < 0x80 ? 0 : ofLetter(code);
    if (tokens > 0) others += tokens;
    else {
      latin++;
      if (code >= 0x80) {
        const isEastern = code >= 0x100 && code <= 0x17f;
        ofAccents = Math.max(ofAccents, isEastern ? OF_EASTERN : OF_ACCENTS);
      }
    }
  }
  return { latin, others: latin === 0 ? Math.max(1, others) : 1 + others + ofAccents };
}

function ofMarks(marks: string): number {
  let [ascii, others] = [0, 0];
  for (const c of marks) {
    const code = c.codePointAt(0)!;
    if (code < 0x80) ascii++;
    else if (code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) others += OF_JOINER;
    else if (code >= 0x1f1e6 && code <= 0x1f1ff) others += OF_FLAG_LETTER;
    else others += code > 0xffff ? OF_PICTURE : 1;
  }
  return Math.max(1, others + Math.ceil(ascii / MARKS));
}

/** Returns the longest beginning of a text that takes at most so many tokens by the estimate. */
export function cutTo(text: string, max: number): string {
  const characters = [...text];
  let [fits, exceeds] = [0, characters.length + 1];
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (tokensOf(characters.slice(0, middle).join("")) <= max) fits = middle;
    else exceeds = middle;
  }
  return characters.slice(0, fits).join("");
}
