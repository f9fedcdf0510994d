// The words of a text by which memories are found: folded characters, pairs of scripts without
// spaces, pictures, identifiers, and the parts of words. Plain on purpose: the yardstick of the parity
// tests.

import { UNSPACED } from "./full-text.ts";
import { WORD } from "./search.ts";

export type Kind = "word" | "identifier" | "stem" | "ideograph" | "bare" | "part";

/** What a text holds at a place: the word first, then what else is there. */
export interface Held {
  name: string;
  kind: Kind;
}

/** The first characters of the names of stems and of parts. */
export const STEM = "\u{2}";
export const PART = "\u{1}";

/** The first character of the name of a word without its signs. */
export const BARE = "\u{3}";

/** What a name begins with if it is none of a word. */
export const prefixOf = (name: string): string =>
  [STEM, PART, BARE].find((prefix) => name.startsWith(prefix)) ?? "";

/** The name as it stands in texts. */
export const shown = (name: string): string => name.slice(prefixOf(name).length);

// ---- characters ---------------------------------------------------------------------------------

/** Kana with a voicing mark, a syllable of Korean in letters, or one character. */
const CLUSTER =
  /[\u3041-\u30ff\uff66-\uff9d][\u3099\u309a\uff9e\uff9f]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|./gsu;
const MARK = new RegExp(
  "[\\u00ad\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4" +
    "\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-" +
    "\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u200b-\\u200d\\u20d0-\\u20f0\\ufe00-\\ufe0f" +
    "\\u{1f3fb}-\\u{1f3ff}]",
  "u",
);
const SPELLED: Record<string, string> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i" },
  ...{ ŧ: "t", ŋ: "n", ĸ: "k", ə: "e", ς: "σ", ى: "ي", ی: "ي", ک: "ك", ة: "ه", ٱ: "ا" },
};

const compatible = (text: string): string =>
  text.normalize("NFKD").replaceAll("Σ", "σ").toLowerCase();

/** The value of a digit of any script; NaN for others. */
function digitOf(c: string): number {
  if (!/\p{Nd}/u.test(c)) return Number.NaN;
  const code = c.codePointAt(0)!;
  // The digits of a script follow each other, from a zero that no digit precedes.
  let zero = code;
  while (zero > 0 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}

function fold(cluster: string): string {
  if ([...cluster].length > 1) return compatible(cluster).normalize("NFC");
  if (/[\u3130-\u318f]/u.test(cluster)) return cluster;
  let [base, folded] = [" ", ""];
  for (const c of compatible(cluster)) {
    if (MARK.test(c)) {
      if (/[\u0400-\u052f]/u.test(base) && base !== "е" && c <= "\u036f") folded += c;
      continue;
    }
    base = c;
    const digit = digitOf(c);
    folded += Number.isNaN(digit) ? (SPELLED[c] ?? c) : String(digit);
  }
  return folded.normalize("NFC");
}

const PICTURE =
  /[\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b1b\u2b1c\u2b50-\u2b55\u{1f000}-\u{1f0ff}\u{1f18e}-\u{1f1ff}\u{1f300}-\u{1faff}]/u;
const OF_WORDS = new RegExp(`[${WORD}]`, "u");

type Role = "word" | "run" | "picture" | undefined;

function roleOf(c: string): Role {
  if (c < "\u{80}") return /[a-z0-9]/.test(c) ? "word" : undefined;
  if (PICTURE.test(c)) return "picture";
  if (UNSPACED.test(c)) return "run";
  return OF_WORDS.test(c) ? "word" : undefined;
}

/** Characters of one role that follow each other; a picture stands alone. */
interface Piece {
  role: Role;
  start: number;
  end: number;
  characters: string[];
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const end = index + cluster.length;
    if (MARK.test(cluster) && [...cluster].length === 1) {
      if (open?.role === "word") open.end = end;
      continue;
    }
    for (const c of fold(cluster)) {
      const role = roleOf(c);
      if (role !== undefined && role !== "picture" && open?.role === role) {
        open.characters.push(c);
        open.end = end;
        continue;
      }
      open = role && { role, start: index, end, characters: [c] };
      if (open !== undefined) pieces.push(open);
    }
  }
  return pieces;
}

// ---- parts --------------------------------------------------------------------------------------

/** The words of a name in camelCase. */
function camelParts(name: string): string[] {
  if (
    name.length > 128 ||
    !/^[\0-\x7f]*$/.test(name) ||
    !/.[A-Z]/.test(name) ||
    !/[a-z]/.test(name)
  )
    return [];
  const pieces = name.split(/(?<=[^A-Z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])/);
  if (pieces.length > 1 && pieces[0]!.length === 1) pieces.splice(0, 2, pieces[0]! + pieces[1]!);
  if (pieces.length < 2 || (pieces.length === 2 && /^[A-Z]s$/.test(pieces[1]!))) return [];
  return pieces
    .filter(({ length }) => length > 1)
    .flatMap((piece) => {
      const lower = piece.toLowerCase();
      const letters = lower.replace(/\d+$/, "");
      const all = [lower];
      if (letters.length > 1 && letters !== lower) all.push(letters);
      if (/^[A-Z]{1,12}$/.test(piece)) {
        for (let length = 3; length < lower.length - 1; length++)
          all.push(lower.slice(0, length), lower.slice(-length));
      }
      return all;
    });
}

const OF_ARABIC = "وال فال بال كال ولل وب ول ال لل و ف ب ل ك".split(" ");
const ARABIC_SUFFIXES = "هما ها هم هن كم نا ه ي".split(" ");

/** What is left of a word of Hebrew or Arabic without its clitics. */
function stemsOf(word: string): string[] {
  const found: string[] = [];
  if (/^[\u05d0-\u05ea]/.test(word)) {
    let rest = word;
    for (let stripped = 0; stripped < 3 && /^[והבלכמש]/.test(rest); stripped++) {
      rest = rest.slice(1);
      if ([...rest].length < 2) break;
      found.push(rest);
    }
  } else if (/^[\u0620-\u06ff]/.test(word)) {
    const prefix = OF_ARABIC.find((one) => word.startsWith(one));
    for (const rest of [word, ...(prefix === undefined ? [] : [word.slice(prefix.length)])]) {
      const fewest = rest !== word && prefix!.length > 1 ? 2 : 3;
      if (rest !== word && [...rest].length >= fewest) found.push(rest);
      const suffix = ARABIC_SUFFIXES.find((one) => rest.endsWith(one));
      const stem = suffix === undefined ? "" : rest.slice(0, -suffix.length);
      if ([...stem].length >= 3) found.push(stem);
    }
  }
  return found;
}

const PARTICLES = new Set(
  (
    "가 같은 과 까지 께 는 도 들 들이 로 를 만 밖에 보다 부터 야 에 에게 에서 와 으로 은 을 의 이 " +
    "이다 이랑 이에요 입니다 처럼"
  ).split(" "),
);
const FUNCTION_IDEOGRAPHS = new Set(
  "不与个为么之也了于些什从他以们会但何你來個們其几则到則去又可向吗吧呀呢和哦哪啊嗎嘛因在多她如它对對少就幾应很從怎您想應我" +
    "或所把於是會有来此每沒没為的着給给而能與若著被裡要該說誰讓让该说谁跟过还这這過還那都里麼",
);
const IDEOGRAPH = /[\u3005\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const isTelling = (c: string): boolean =>
  IDEOGRAPH.test(c) && c !== "々" && !FUNCTION_IDEOGRAPHS.has(c);

/** Whether a word is a pair of ideographs of which none carries a subject. */
export const isFunctionPair = (word: string): boolean =>
  [...word].length === 2 && [...word].every((c) => FUNCTION_IDEOGRAPHS.has(c));

function* ofRun(characters: readonly string[]): Generator<Held> {
  if (characters.length === 1) {
    yield { name: characters[0]!, kind: "word" };
    return;
  }
  const ideograph = function* (place: number): Generator<Held> {
    const c = characters[place]!;
    if (!isTelling(c)) return;
    // Between kana an ideograph is a word.
    const isAlone = [place - 1, place + 1].every(
      (other) => !IDEOGRAPH.test(characters[other] ?? ""),
    );
    yield isAlone ? { name: STEM + c, kind: "stem" } : { name: PART + c, kind: "ideograph" };
  };
  for (let place = 1; place < characters.length; place++) {
    yield { name: characters[place - 1]! + characters[place]!, kind: "word" };
    yield* ideograph(place - 1);
  }
  yield* ideograph(characters.length - 1);
  const [noun, ...rest] = characters;
  if (characters.length <= 5 && /[\uac00-\ud7a3]/.test(noun!) && PARTICLES.has(rest.join("")))
    yield { name: STEM + noun, kind: "stem" };
}

// ---- identifiers --------------------------------------------------------------------------------

const JOINING = /[-._/\\:@+#&=~%\u2010-\u2013\u2212]/u;
const DASH = /[\u2010-\u2013\u2212]/u;

const joins = (between: string): boolean =>
  [...between].length >= 1 &&
  [...between].length <= 3 &&
  [...between].every((c) => JOINING.test(c)) &&
  !/\.\.|--/.test(between);

function identifierOf(text: string): string {
  return Array.from(text.matchAll(CLUSTER), ([cluster]) => {
    if (JOINING.test(cluster)) return DASH.test(cluster) ? "-" : cluster;
    return MARK.test(cluster) && [...cluster].length === 1 ? "" : fold(cluster);
  }).join("");
}

const GRADES = new Set(["A", "B", "AB", "C", "D", "O"]);

/** The signs after a name, which stands before them. */
function signsAfter(name: string, after: string): string {
  const [signs] = /^[+#]*/.exec(after)!;
  const all = signs === "" && after.startsWith("-") && GRADES.has(name) ? "-" : signs;
  const next = after.slice(all.length);
  const goesOn = /^[-\u2010-\u2013\u2212]/u.test(next) || new RegExp(`^[${WORD}]`, "u").test(next);
  return all.length > 2 || goesOn ? "" : all;
}

/** Everything that a text holds, in order. */
export function heldIn(text: string): Held[] {
  const all: Held[] = [];
  let chain = { start: 0, end: 0, words: 0 };
  const endChain = () => {
    const identifier = text.slice(chain.start, chain.end);
    const name = chain.words > 1 ? identifierOf(identifier) : "";
    const isProse = /^[\p{Alphabetic}-]*$/u.test(name);
    if (!isProse && new TextEncoder().encode(identifier).length <= 256)
      all.push({ name, kind: "identifier" });
    chain = { start: 0, end: 0, words: 0 };
  };
  for (const { role, start, end, characters } of piecesOf(text)) {
    if (role !== "word") {
      endChain();
      all.push(
        ...(role === "run" ? ofRun(characters) : [{ name: characters[0]!, kind: "word" as const }]),
      );
      continue;
    }
    const bare = characters.join("");
    const before = /(?:^|[\s([{=$€£。！？])([+\-−])$/u.exec(
      text.slice(Math.max(start - 3, 0), start),
    );
    const sign = /^[0-9]/.test(bare) && before !== null ? before[1]!.replace("−", "-") : "";
    const source = text.slice(start, end);
    const signs = signsAfter(source, text.slice(end, end + 8));
    const from = start - sign.length;
    const to = end + signs.length;
    if (chain.words > 0 && joins(text.slice(chain.end, from)))
      chain = { start: chain.start, end: to, words: chain.words + 1 };
    else {
      endChain();
      chain = { start: from, end: to, words: 1 };
    }
    all.push({ name: sign + bare + signs, kind: "word" });
    if (sign + signs !== "") all.push({ name: BARE + bare, kind: "bare" });
    else {
      for (const stem of stemsOf(bare)) all.push({ name: STEM + stem, kind: "stem" });
    }
    for (const part of camelParts(source)) all.push({ name: PART + part, kind: "part" });
  }
  endChain();
  return all;
}
