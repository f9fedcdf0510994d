// Rule: the words by which two texts are about the same thing.

const WORD = /[\p{L}\p{N}]+/gu;
const DIGIT = /\p{N}/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** The letters by which words are compared, in place of stems of some languages. */
const COMPARED_LETTERS = 5;
/** Shorter words without a digit, such as "is", say nothing of their own. */
const FEWEST_LETTERS = 4;
/** Longer words that say nothing of their own, in English and German. */
const FUNCTION_WORDS = new Set(
  [
    "about after again also always became because been before being both came come could does doing done",
    "down each even ever every from gets give goes gone have having here into just know like made",
    "make many more most much must only other over really said same says should since some such",
    "take than that their them then there these they thing this those time today tomorrow took",
    "until user very want wants week well went were what when where which while will with would",
    "yesterday your assistant",
    "aber alle alles auch beim dann dass dein deine dem denn diese diesem diesen dieser dieses doch",
    "einen einem einer eines etwas gern habe haben hatte heute hier ihre immer jetzt kann mehr mein",
    "meine meinem meinen meiner morgen nach nicht noch oder schon sehr sein seine sich sind über",
    "unser unsere viel war waren weil wenn werden wieder will wird wurde",
  ]
    .join(" ")
    .split(" "),
);

/** Returns the words of a text that tell what it is about, by the form in which they compare. */
export function tellingWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const [word] of text.normalize("NFKC").matchAll(WORD)) {
    const small = word.toLowerCase();
    if (WITHOUT_SPACES.test(small)) {
      for (let at = 0; at < Math.max(1, small.length - 1); at++)
        if (!words.has(small.slice(at, at + 2))) words.set(small.slice(at, at + 2), word);
      continue;
    }
    const isNumber = DIGIT.test(small);
    if (!isNumber && (small.length < FEWEST_LETTERS || FUNCTION_WORDS.has(small))) continue;
    const key = isNumber ? small : small.slice(0, COMPARED_LETTERS);
    if (!words.has(key)) words.set(key, word);
  }
  return words;
}
