// How an item of a LangGraph store is a memory.
//
// Idea: an item is one memory. Its id is a hash of namespace and key, so that a `put` is a `PUT`, which
// replaces and may be repeated. Its body is JSON with two fields: `text`, which searches read, and
// `value`, which they do not. Its metadata names its place and the plain fields of its value, by which
// the server filters:
//
//     {"langgraph": {"namespace": ["users", "mira"], "key": "diet", "under": ["users", "users.mira"],
//                    "fields": {"kind": "food"}, "indexed": true}}
//
// The store of the Python client writes the same memories.
//
// Invariant: a filter of the server may let through what the filter of LangGraph refuses, never the other
// way round. `matches` decides; the server's filter only saves it work.
//
// Soundness: labels have no period, so that a joined prefix names one prefix. Only comparisons that mean
// the same in both go to the server: equality with a text of at most `MAX_TEXT` characters, a number or a
// boolean, and comparisons with numbers, below 2^53. Every field that could equal one is in `fields`, or
// the item is refused (`MAX_METADATA`). The server limits a filter, too: of a long prefix its beginning
// goes there, and of many conditions the first.

import {
  getTextAtPath,
  InvalidNamespaceError,
  type Item,
  type MatchCondition,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Filter, MemoryNode, NodeReplacement } from "nous-server/client";
import { hexOf } from "./hash.ts";
import { countOf, textsOf } from "./texts.ts";

const SOURCE = "langgraph";
/** Characters of a text that the server filters by, at half of its own limit. */
const MAX_TEXT = 500;
/** The server's limit of metadata, in bytes of JSON. */
const MAX_METADATA = 16_384;
/** Characters of a joined prefix, and conditions beside those on prefix and `indexed`. */
const MAX_PREFIX = 1_000;
const MAX_CONDITIONS = 18;
/** Bytes of a filter's JSON: an address has room for it. */
const MAX_FILTER = 3_500;
/** Values whose text needs no name before it. */
const PLAIN_KEYS = ["text", "content", "memory", "data", "page_content"];
const COMPARED = { $gt: "gt", $gte: "gte", $lt: "lt", $lte: "lte" } as const;

type Value = Record<string, unknown>;
type Conditions = NonNullable<Filter["metadata"]>;

/** Returns the bytes of a value as JSON. */
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Returns the id of the memory of an item. */
export const idOf = async (namespace: readonly string[], key: string): Promise<string> =>
  `lg_${await hexOf(JSON.stringify([...namespace, key]))}`;

/** @throws {InvalidNamespaceError} If labels could not be joined. */
export function checkLabels(labels: readonly unknown[]): void {
  const wrong = labels.find(
    (label) => typeof label !== "string" || label === "" || /[.\0]/.test(label),
  );
  if (wrong !== undefined || labels.includes(undefined))
    throw new InvalidNamespaceError(
      `Labels of a namespace must be texts without periods, found ${JSON.stringify(wrong)} in ${labels}`,
    );
}

// ---- writing --------------------------------------------------------------------------------------

/** Returns the memory of an item. */
export function replacementOf(
  { namespace, key, index, value }: PutOperation & { value: Value },
  id: string,
): NodeReplacement {
  const text = index === false ? "" : textOfValue(value, index).trim();
  const fields = Object.entries(value).filter(([name, field]) => isField(name, field));
  const metadata = {
    [SOURCE]: {
      ...{ namespace, key },
      under: namespace.map((_, depth) => namespace.slice(0, depth + 1).join(".")),
      fields: Object.fromEntries(fields),
      indexed: text !== "",
    },
  };
  if (bytesOf(metadata) > MAX_METADATA)
    throw new Error(
      `${namespace} ${JSON.stringify(key)}: the namespace and the short fields of the value take more ` +
        `than ${MAX_METADATA} bytes; put them below one field`,
    );
  return { type: "fact", ...textsOf(text, "value", value, { id }), metadata, source: SOURCE };
}

/** Returns whether the server filters by a field of a value. Such a path has no period. */
function isField(name: string, value: unknown): value is string | number | boolean {
  if (!/^[\p{L}\p{N}_ -]{1,100}$/u.test(name) || name === "__proto__") return false;
  if (typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && countOf(value) <= MAX_TEXT;
}

/** Returns the text that searches read: of the given fields, or of the whole value. */
function textOfValue(value: Value, index: readonly string[] | undefined): string {
  const lines = index?.flatMap((path) => getTextAtPath(value, path)) ?? linesOf(value);
  return lines.join("\n");
}

function linesOf(value: unknown, name = ""): string[] {
  if (value === null || value === undefined || typeof value === "boolean") return [];
  if (Array.isArray(value)) return value.flatMap((inner) => linesOf(inner, name));
  if (typeof value === "object")
    return Object.entries(value).flatMap(([key, inner]) =>
      linesOf(inner, PLAIN_KEYS.includes(key) ? "" : key.replaceAll("_", " ")),
    );
  return [name === "" ? String(value) : `${name}: ${value}`];
}

// ---- reading --------------------------------------------------------------------------------------

/** Returns an item; undefined if another program made the memory, which is then no item. */
export function itemOf(node: MemoryNode): Item | undefined {
  const place = (node.metadata as Value | null)?.[SOURCE] as Value | undefined;
  const { namespace, key } = place ?? {};
  const value = valueIn(node.content_body ?? "");
  if (!Array.isArray(namespace) || typeof key !== "string" || value === undefined) return undefined;
  return {
    ...{ value, key, namespace: namespace.map(String) },
    createdAt: new Date(node.created_at ?? 0),
    updatedAt: new Date(node.last_modified ?? node.created_at ?? 0),
  };
}

function valueIn(body: string): Value | undefined {
  try {
    const { value } = JSON.parse(body) as { value?: unknown };
    return typeof value === "object" && value !== null ? (value as Value) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an item as a search finds it. */
export const found = (item: Item, score?: number): SearchItem =>
  score === undefined ? item : { ...item, score };

// ---- filters --------------------------------------------------------------------------------------

/** Returns a filter of the server that lets through every item that matches. */
export function filterOf(
  prefix: readonly string[],
  conditions: Value = {},
  isIndexed = false,
): Filter {
  const metadata: Conditions = isIndexed ? { [`${SOURCE}.indexed`]: true } : {};
  const filter: Filter = { source: SOURCE, metadata };
  for (let end = prefix.length; end > 0; end--) {
    const under = prefix.slice(0, end).join(".");
    metadata[`${SOURCE}.under`] = under;
    if (countOf(under) <= MAX_PREFIX && bytesOf(filter) <= MAX_FILTER) break;
    delete metadata[`${SOURCE}.under`];
  }
  let left = MAX_CONDITIONS;
  for (const [name, wanted] of Object.entries(conditions)) {
    const condition = conditionOf(name, wanted);
    if (condition === undefined) continue;
    const path = `${SOURCE}.fields.${name}`;
    metadata[path] = condition;
    left -= 1;
    if (left >= 0 && bytesOf(filter) <= MAX_FILTER) continue;
    delete metadata[path];
    break;
  }
  // The server refuses an empty one.
  return Object.keys(metadata).length === 0 ? { source: SOURCE } : filter;
}

/** Returns what the server can compare of a condition; undefined if that is nothing. */
function conditionOf(name: string, wanted: unknown): Conditions[string] | undefined {
  if (isObject(wanted) && !isOperators(wanted)) return undefined;
  const operators = isObject(wanted) ? wanted : { $eq: wanted };
  const condition: Record<string, string | number | boolean> = {};
  for (const [operator, operand] of Object.entries(operators)) {
    if (!isField(name, operand)) continue;
    if (typeof operand === "number" && Math.abs(operand) > Number.MAX_SAFE_INTEGER) continue;
    if (operator === "$eq") condition.eq = operand;
    else if (operator in COMPARED && typeof operand === "number")
      condition[COMPARED[operator as keyof typeof COMPARED]] = operand;
  }
  return Object.keys(condition).length === 0 ? undefined : condition;
}

/** Returns whether an item is one that a search asks for. */
export function matches(item: Item, { namespacePrefix, filter = {} }: SearchOperation): boolean {
  return (
    namespacePrefix.every((label, at) => item.namespace[at] === label) &&
    Object.entries(filter).every(([name, wanted]) => compare(ownOf(item.value, name), wanted))
  );
}

const ownOf = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Value)[name] : undefined;

const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOperators = (wanted: Value): boolean =>
  Object.keys(wanted).some((name) => name.startsWith("$"));

/** Compares as JSON does: only numbers are greater than numbers, and lists are equal by their items. */
function compare(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return isEqual(value, wanted);
  if (isOperators(wanted))
    return Object.entries(wanted).every(([name, operand]) => operate(value, name, operand));
  return (
    isObject(value) &&
    Object.entries(wanted).every(([name, inner]) => compare(ownOf(value, name), inner))
  );
}

/** A field that is missing equals null. */
function isEqual(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((one, at) => isEqual(value[at], one))
    );
  if (isObject(wanted))
    return (
      isObject(value) &&
      Object.keys(value).length === Object.keys(wanted).length &&
      Object.entries(wanted).every(([name, one]) => isEqual(ownOf(value, name), one))
    );
  return (value ?? null) === (wanted ?? null);
}

function operate(value: unknown, name: string, operand: unknown): boolean {
  const isIn = () => Array.isArray(operand) && operand.some((one) => isEqual(value, one));
  if (name === "$eq") return isEqual(value, operand);
  if (name === "$ne") return !isEqual(value, operand);
  if (name === "$in") return isIn();
  if (name === "$nin") return !isIn();
  if (!(name in COMPARED)) throw new Error(`Unsupported operator: ${name}`);
  if (typeof value !== "number" || typeof operand !== "number") return false;
  if (name === "$gt") return value > operand;
  if (name === "$gte") return value >= operand;
  return name === "$lt" ? value < operand : value <= operand;
}

/** Returns whether a namespace begins or ends as a condition says. `*` is any label. */
export function doesMatch({ matchType, path }: MatchCondition, namespace: string[]): boolean {
  if (namespace.length < path.length) return false;
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((wanted, at) => wanted === "*" || wanted === namespace[from + at]);
}

/** Returns the labels that every namespace begins with, as far as conditions tell. */
export function knownPrefix(conditions: readonly MatchCondition[]): string[] {
  const { path = [] } = conditions.find(({ matchType }) => matchType === "prefix") ?? {};
  return path.includes("*") ? path.slice(0, path.indexOf("*")) : path;
}
