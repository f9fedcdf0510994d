// The front matter of a Markdown file: the part of YAML that notes use. Values are texts, lists of texts
// or JSON; a value of any other form is its lines.

/** A value of front matter. */
export type FrontValue = string | readonly string[];

/** Front matter, and the text below it. */
export interface WithFront {
  values: ReadonlyMap<string, FrontValue>;
  /** The text after the line that ends it. */
  below: string;
}

/** Lines that are searched for its end. */
const MAX_LINES = 1_000;
const KEY = /^([^\s:#'"[{-][^:]*):(?:[ \t]+(.*))?$/s;
const BELOW_KEY = /^(?:[ \t]*-(?:[ \t]|$)|[ \t]+\S|[ \t]*#|[ \t]*$)/;

/** Reads the front matter that a text begins with; undefined if it begins with none. */
export function frontIn(given: string): WithFront | undefined {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  if (!/^---[ \t]*\r?\n/.test(text)) return undefined;
  const lines: string[] = [];
  let at = text.indexOf("\n") + 1;
  for (;;) {
    const end = text.indexOf("\n", at);
    const line = (end < 0 ? text.slice(at) : text.slice(at, end)).replace(/\r$/, "");
    const next = end < 0 ? text.length : end + 1;
    if (/^(?:---|\.\.\.)[ \t]*$/.test(line)) return readLines(lines, text.slice(next));
    if (end < 0 || lines.length === MAX_LINES) return undefined;
    lines.push(line);
    at = next;
  }
}

/** Two rules with a text between them are no front matter: each line is a key, or belongs to one. */
function readLines(lines: readonly string[], below: string): WithFront | undefined {
  const first = lines.find((line) => line.trim() !== "" && !line.startsWith("#"));
  const isFront =
    lines.every((line) => KEY.test(line) || BELOW_KEY.test(line)) &&
    (first === undefined ? lines.length === 0 : KEY.test(first));
  if (!isFront) return undefined;
  const values = new Map<string, FrontValue>();
  for (let at = 0; at < lines.length; ) {
    const [, name, rest = ""] = KEY.exec(lines[at]!) ?? [];
    let next = at + 1;
    while (next < lines.length && !KEY.test(lines[next]!)) next += 1;
    if (name !== undefined) values.set(name.trim(), valueIn(rest, lines.slice(at + 1, next)));
    at = next;
  }
  return { values, below };
}

function valueIn(given: string, lines: readonly string[]): FrontValue {
  const rest = withoutComment(given).trim();
  const block = /^([|>])[+-]?\d?$/.exec(rest)?.[1];
  if (block !== undefined) {
    const indent = Math.min(
      ...lines.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0].length),
    );
    const own = lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0));
    return own.join(block === "|" ? "\n" : " ").trim();
  }
  if (rest.startsWith("[") && rest.endsWith("]")) return listIn(rest.slice(1, -1));
  if (rest !== "") return scalar(rest);
  const items = lines.filter((line) => /^[ \t]*-[ \t]/.test(line));
  if (items.length > 0)
    return items.map((line) => scalar(withoutComment(line.replace(/^[ \t]*-[ \t]+/, "")).trim()));
  return lines
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

/** Returns the names of a list in one line: `a, "b, c", 'd'`. */
function listIn(inside: string): string[] {
  const items = inside.match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g) ?? [];
  return items.map((item) => scalar(item.trim())).filter((item) => item !== "");
}

/** Returns a text without the marks around it. */
function scalar(text: string): string {
  if (text.startsWith('"') && text.endsWith('"') && text.length > 1) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text.slice(1, -1);
    }
  }
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1)
    return text.slice(1, -1).replaceAll("''", "'");
  return /^(?:null|~)$/.test(text) ? "" : text;
}

/** Returns a value without the comment after it. Within marks, "#" is a character. */
function withoutComment(value: string): string {
  if (/^\s*["'[{]/.test(value)) return value;
  // A comment ends with its line.
  const start =
    Math.max(...["\n", "\r", "\u2028", "\u2029"].map((end) => value.lastIndexOf(end))) + 1;
  const comment = start === 0 ? /(?:^|[ \t])#(?:[ \t]|$)/ : /[ \t]#(?:[ \t]|$)/;
  const at = value.slice(start).search(comment);
  return at < 0 ? value : value.slice(0, start + at);
}

/** A text that YAML reads as this text without marks around it. */
const PLAIN = /^[\p{L}_][\p{L}\p{N}_./ ()+-]*$/u;
const NO_TEXT = /^(?:true|false|yes|no|on|off|null|y|n|inf|nan)$/i;

/** Returns a text as a value of front matter. JSON is YAML, too. */
export const asScalar = (text: string): string =>
  PLAIN.test(text) && !text.endsWith(" ") && !NO_TEXT.test(text) ? text : JSON.stringify(text);

/** Returns names as a list of front matter. */
export const asList = (names: readonly string[]): string =>
  `[${names.map((name) => (/[,\]]/.test(name) ? JSON.stringify(name) : asScalar(name))).join(", ")}]`;
