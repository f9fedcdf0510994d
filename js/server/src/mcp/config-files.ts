// Edits of configuration files that belong to other programs: one entry is set or removed, and the rest
// of the text stays as it is, comments included. Of an entry that is there, what starts the program is set,
// and the rest is the user's.
//
// JSON with comments is edited by its parser's own edits, and YAML by its document. No parser of TOML
// keeps comments: there the lines of our table are replaced, and what they mean is checked before the text
// is used. A text that could not be edited so is refused, and the user adds the entry by hand.

import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml, stringify as stringifyToml } from "smol-toml";
import { Document, parseDocument, type Tags } from "yaml";

/** The keys that lead to an entry. */
export type Path = readonly [group: string, name: string];

/** How files of a kind are edited. */
export interface Form {
  /** The name of the format. */
  name: string;
  /** The text of a new file. */
  empty: string;
  /**
   * Returns the text with this entry, or without one if `entry` is undefined. An entry that is there keeps
   * its other fields, such as `env`.
   *
   * @throws {Error} If the text is not of this form, or cannot be edited. The message says why.
   */
  edited(text: string, path: Path, entry: object | undefined): string;
  /** Returns the entry alone, as it would stand in a file. */
  shown(path: Path, entry: object): string;
}

const FORMATTING = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** Returns the object in a text of JSON with comments. @throws {Error} If there is none. */
export function objectIn(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const known: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw new Error(printParseErrorCode(error.error));
  if (typeof known !== "object" || known === null || Array.isArray(known))
    throw new Error("it is no object");
  return known as Record<string, unknown>;
}

/** Returns a text of JSON with another value at a path; undefined removes it. */
export const withValue = (text: string, path: (string | number)[], value: unknown): string =>
  applyEdits(text, modify(text, path, value, FORMATTING));

/** The fields of an entry that say how a client starts the server. The others are the user's. */
const STARTING = ["command", "args", "cmd", "type", "source"];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the fields of an entry that the one that is there does not have so. */
const changesTo = (known: Readonly<Record<string, unknown>>, entry: object): [string, unknown][] =>
  Object.entries(entry).filter(
    ([name, value]) =>
      known[name] === undefined ||
      (STARTING.includes(name) && !isDeepStrictEqual(known[name], value)),
  );

const json: Form = {
  name: "JSON",
  empty: "{}\n",
  edited(text, [group, name], entry) {
    const known = objectIn(text)[group] as Record<string, unknown> | undefined;
    const there = known?.[name];
    if (entry === undefined && there === undefined) return text;
    if (entry === undefined || !isObject(there)) return withValue(text, [group, name], entry);
    return changesTo(there, entry).reduce(
      (edited, [field, value]) => withValue(edited, [group, name, field], value),
      text,
    );
  },
  shown: ([group, name], entry) => JSON.stringify({ [group]: { [name]: entry } }, null, 2),
};

/** Tags whose numbers are written as they were read: a large or a long one would be rounded. */
const asRead = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag === "object" && /:(?:int|float)$/.test(tag.tag) && "stringify" in tag
      ? { ...tag, stringify: (item, ...more) => item.source ?? tag.stringify!(item, ...more) }
      : tag,
  ) as Tags;

const yaml: Form = {
  name: "YAML",
  empty: "",
  edited(text, path, entry) {
    const document = parseDocument(text, { customTags: asRead });
    const [error] = document.errors;
    if (error !== undefined) throw new Error(error.message.split("\n", 1)[0]);
    const known: unknown = document.toJS() ?? {};
    if (!isObject(known)) throw new Error("it is no object");
    const there = (known[path[0]] as Record<string, unknown> | null | undefined)?.[path[1]];
    if (entry === undefined && !document.hasIn(path)) return text;
    if (entry === undefined) document.deleteIn(path);
    else if (isObject(there)) {
      const changes = changesTo(there, entry);
      if (changes.length === 0) return text;
      for (const [field, value] of changes)
        document.setIn([...path, field], document.createNode(value));
    } else document.setIn(path, document.createNode(entry));
    return document.toString({ lineWidth: 0 });
  },
  shown: ([group, name], entry) =>
    new Document({ [group]: { [name]: entry } }).toString({ lineWidth: 0 }).trimEnd(),
};

/** A line that begins a table or an array of tables. */
const HEADER = /^\s*\[/;

const toml: Form = {
  name: "TOML",
  empty: "",
  edited(text, [group, name], entry) {
    const before = parseToml(text);
    const those = before[group] as Record<string, unknown> | undefined;
    const known = isObject(those?.[name]) ? those[name] : {};
    const changes = entry === undefined ? [] : changesTo(known, entry);
    const ours = `(?:${group}|"${group}")\\s*\\.\\s*(?:${name}|"${name}")`;
    const isOurs = new RegExp(`^\\s*\\[\\s*${ours}\\s*\\]`);
    const isBelow = new RegExp(`^\\s*\\[\\s*${ours}\\s*\\.`);
    const lines = text.split("\n");
    const kept: string[] = [];
    let isThere = false;
    for (let at = 0; at < lines.length; ) {
      const line = lines[at]!;
      let end = at + 1;
      if (HEADER.test(line)) while (end < lines.length && !HEADER.test(lines[end]!)) end += 1;
      // Comments and empty lines before the next table belong to that.
      let own = end;
      if (HEADER.test(line)) while (own > at + 1 && /^\s*(#.*)?$/.test(lines[own - 1]!)) own -= 1;
      if (entry !== undefined && isOurs.test(line)) {
        isThere = true;
        kept.push(line, ...withFields(lines.slice(at + 1, own), changes), ...lines.slice(own, end));
      } else {
        const isRemoved = entry === undefined && (isOurs.test(line) || isBelow.test(line));
        kept.push(...lines.slice(isRemoved ? own : at, end));
      }
      at = end;
    }
    if (entry !== undefined && changes.length > 0 && !isThere) {
      const table = stringifyToml({ [group]: { [name]: Object.fromEntries(changes) } });
      while (kept.at(-1)?.trim() === "") kept.pop();
      kept.push(...(kept.length === 0 ? [] : [""]), ...table.trim().split("\n"), "");
    }
    const after = kept.join("\n");
    const wanted = entry && { ...structuredClone(known), ...Object.fromEntries(changes) };
    checkToml(before, after, [group, name], wanted);
    return after;
  },
  shown: ([group, name], entry) => stringifyToml({ [group]: { [name]: entry } }).trim(),
};

/** Returns the lines of a table with these fields, in place of those of the same names. */
function withFields(lines: readonly string[], fields: readonly [string, unknown][]): string[] {
  const edited = [...lines];
  for (const [name, value] of fields) {
    const isField = new RegExp(`^\\s*(?:${name}|"${name}"|'${name}')\\s*=`);
    const from = edited.findIndex((line) => isField.test(line));
    const written = stringifyToml({ [name]: value })
      .trim()
      .split("\n");
    let end = Math.max(from, 0);
    // A value ends with the first line with which it can be read.
    if (from >= 0)
      do end += 1;
      while (end < edited.length && !isToml(edited.slice(from, end).join("\n")));
    edited.splice(Math.max(from, 0), end - Math.max(from, 0), ...written);
  }
  return edited;
}

function isToml(text: string): boolean {
  try {
    parseToml(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws {Error} If the text after an edit does not mean what was before, with our entry or without. */
function checkToml(
  before: Record<string, unknown>,
  text: string,
  [group, name]: Path,
  entry: object | undefined,
): void {
  const cannot = new Error(`the part ${group} has a form that cannot be edited`);
  let after: Record<string, unknown>;
  try {
    after = parseToml(text);
  } catch {
    throw cannot;
  }
  const found = (after[group] as Record<string, object> | undefined)?.[name];
  const isSet = isDeepStrictEqual(found && { ...structuredClone(found) }, entry);
  const rest = [after, before].map((data) => without(data, group, name));
  if (!isSet || !isDeepStrictEqual(rest[0], rest[1])) throw cannot;
}

/** Returns the data without an entry, and without a group that has no other. */
function without(data: Record<string, unknown>, group: string, name: string): object {
  const { [group]: those, ...rest } = structuredClone(data);
  const { [name]: _, ...others } = (those ?? {}) as Record<string, unknown>;
  return Object.keys(others).length === 0 ? rest : { ...rest, [group]: others };
}

export const FORMS = { json, yaml, toml } as const;
