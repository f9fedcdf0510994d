// What a JavaScript engine has, and the module would have to carry.

/**
 * The `text` of a JSON object, by the host's own parser; undefined when there is none, or no JSON.
 */
export function text_of_json(body) {
  try {
    const { text } = JSON.parse(body);
    return typeof text === "string" ? text : undefined;
  } catch (error) {
    // A stack that is full says nothing about the body.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Lower case by the tables of the host. */
export function lower_case(text) {
  return text.toLowerCase();
}

/**
 * Canonical decomposition, each character in lower case. A capital sigma is replaced first: the
 * host's lower case of one at the end of a word is another letter.
 */
export function decomposed_lower_case(text) {
  return text.normalize("NFD").replaceAll("Σ", "σ").toLowerCase();
}

/** Marks within words, made when the first word is folded. */
const marks = () =>
  new RegExp(
    "[\\u00ad\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4" +
      "\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-" +
      "\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u200b-\\u200d\\u20d0-\\u20f0\\ufe00-\\ufe0f" +
      "\\u{1f3fb}-\\u{1f3ff}]",
    "u",
  );
/** Letters that people write in another way, and that way. */
const SPELLED = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i" },
  ...{ ŧ: "t", ŋ: "n", ĸ: "k", ə: "e", ς: "σ", ى: "ي", ی: "ي", ک: "ك", ة: "ه", ٱ: "ا" },
};
let mark;

/** A text without what compatibility, accents and scripts make of one letter. */
export function folded(text) {
  mark ??= marks();
  let [base, all] = ["", ""];
  for (const c of text.normalize("NFKD").replaceAll("Σ", "σ").toLowerCase()) {
    if (mark.test(c)) {
      // Letters of Cyrillic keep what makes them others, but for "ё".
      if (base >= "\u0400" && base <= "\u052f" && base !== "е" && c <= "\u036f") all += c;
      continue;
    }
    base = c;
    all += SPELLED[c] ?? digitOf(c) ?? c;
  }
  return all.normalize("NFC");
}

/** The value of a digit of any script; undefined for others. */
function digitOf(c) {
  const isDigit = (code) => /\p{Nd}/u.test(String.fromCodePoint(code));
  const code = c.codePointAt(0);
  if (code < 0x80 || !isDigit(code)) return undefined;
  // The digits of a script follow its zero, which no digit precedes but of another script.
  let zero = code;
  while (isDigit(zero - 1)) zero--;
  return String((code - zero) % 10);
}

/** Tokens of a text by the caller's own function, which does not throw. */
export function count_tokens(count, text) {
  return count(text);
}

/** Adds the vector of a word to a sum by the caller's own function, which does not throw. */
export function add_word(add, word, length, sum) {
  return add(word, length, sum);
}
