// Requests to every operation of an OpenAPI description: some valid ones, and mostly requests with
// one wrong or unusual part. The description decides whether a request is wrong.

import fc from "fast-check";
import {
  HEADERS,
  LITERALS,
  ODD_KEYS,
  ODD_PATHS,
  ODD_TEXTS,
  ODD_VALUES,
  spelled,
} from "./odd-inputs.ts";
import type { Described, Description, Parameter, Schema } from "./openapi.ts";

export interface Request {
  /** The operation's name. */
  to: string;
  method: string;
  /** With its query, as it is sent. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
  /** Whether the server must refuse it. */
  isWrong: boolean;
  /** Whether it may reach another route, or no route. */
  isAstray: boolean;
}

/**
 * Ids of existing objects, by the names of fields and parameters that take them, and by the kinds
 * in paths.
 */
export type Known = Readonly<Record<string, readonly string[]>>;

/** A longer body may exceed the server's limit. */
const MAX_PATH = 8_000;

/** A part of a request, and whether it alone makes the request wrong. */
interface Part<T> {
  is: T;
  isWrong?: boolean;
  isAstray?: boolean;
}

interface Parts {
  method: Part<string>;
  path: Part<string>;
  query: Part<string>;
  headers: Part<Record<string, string>>;
  body: Part<Request["body"]>;
}
type PartArbitraries = { [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> };

export function requestsTo(
  description: Description,
  agent: string,
  known: Known,
): fc.Arbitrary<Request> {
  const values = new Values(description, known);
  return fc.oneof(
    ...description.operations.map((operation) => requestTo(operation, description, values, agent)),
  );
}

/** Requests with at most one part that departs from the description. */
function requestTo(
  operation: Described,
  description: Description,
  values: Values,
  agent: string,
): fc.Arbitrary<Request> {
  const right = described(operation, values, agent);
  const wrong: { [Name in keyof Parts]: fc.Arbitrary<Parts[Name]>[] } = {
    method: [oddMethod(operation, description)],
    path: operation.path.includes("{") ? [oddPath(operation)] : [],
    query: [oddQuery(operation, description, values)],
    headers: [oddHeaders(operation, agent)],
    body:
      operation.body === undefined ? [oddBody()] : wrongBodies(operation.body, description, values),
  };
  const withOne = (Object.keys(wrong) as (keyof Parts)[]).flatMap((part) =>
    wrong[part].map((arbitrary) => ({ ...right, [part]: arbitrary }) as PartArbitraries),
  );
  return fc
    .oneof(...[right, right, ...withOne].map((parts) => fc.record(parts)))
    .map((parts) => joined(operation.name, parts));
}

function joined(to: string, { method, path, query, headers, body }: Parts): Request {
  const parts = [method, path, query, headers, body];
  const whole = query.is === "" ? path.is : `${path.is}?${query.is}`;
  const request: Request = {
    to,
    method: method.is,
    path: whole,
    headers: headers.is,
    body: body.is,
    isWrong: parts.some((part) => part.isWrong),
    isAstray: parts.some((part) => part.isAstray) || whole.length > MAX_PATH,
  };
  const shown = () =>
    JSON.stringify(request, (_, value) =>
      typeof value === "string" ? value.slice(0, 300) : value,
    );
  return Object.assign(request, { [fc.toStringMethod]: shown });
}

// ---- valid parts --------------------------------------------------------------------------------

function described(operation: Described, values: Values, agent: string): PartArbitraries {
  const named = (place: Parameter["in"]) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  const inHeaders = named("header").filter(({ name }) => name !== "X-Nous-Agent");
  // The path gives the kind of the id: `/v1/nodes/{id}`.
  const kind = operation.path.split("/")[2]!;
  return {
    method: fc.constant({ is: operation.method }),
    path: values.texts(named("path"), kind).map((ids) => ({ is: pathOf(operation, ids) })),
    query: values
      .texts(named("query"))
      .map((texts) => ({ is: new URLSearchParams(texts).toString() })),
    headers: values
      .texts(inHeaders)
      .map((texts) => ({ is: { ...defaultHeaders(operation, agent), ...texts } })),
    body:
      operation.body === undefined
        ? fc.constant({ is: undefined })
        : values.like(operation.body.schema).map((value) => ({ is: spelled(value) })),
  };
}

const defaultHeaders = ({ body }: Described, agent: string): Record<string, string> => ({
  "x-nous-agent": agent,
  ...(body === undefined ? {} : { "content-type": "application/json" }),
});

const pathOf = ({ path }: Described, ids: Record<string, string>) =>
  // A part of a path is never empty, and lone surrogates do not exist in UTF-8.
  path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(Buffer.from(ids[name] || "none").toString()),
  );

/** Values that the schemas describe. */
class Values {
  readonly #description: Description;
  readonly #known: Known;

  constructor(description: Description, known: Known) {
    this.#description = description;
    this.#known = known;
  }

  /** Parameters as text, the optional ones sometimes; an `id` belongs to an object of this kind. */
  texts(parameters: readonly Parameter[], kind = "id"): fc.Arbitrary<Record<string, string>> {
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const like = ({ name, schema }: Parameter) =>
      this.like(schema, name === "id" ? kind : name).map(textOf);
    const texts = parameters.map((parameter) => [parameter.name, like(parameter)] as const);
    return fc.record(Object.fromEntries(texts), { requiredKeys: required }) as fc.Arbitrary<
      Record<string, string>
    >;
  }

  /** A value that the schema describes, for a field of this name. */
  like(schema: Schema, name = ""): fc.Arbitrary<unknown> {
    const { anyOf, allOf, type, enum: choice, ...rest } = this.#description.resolve(schema);
    if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => this.like(one, name)));
    if (allOf !== undefined) return this.#all(allOf);
    if (choice !== undefined) return fc.constantFrom(...choice);
    const types = Array.isArray(type) ? type : [type];
    // A null value tests little.
    const arbitraries = types.map((one) => ({
      weight: one === "null" ? 1 : 4,
      arbitrary: this.#ofType(one, rest, name),
    }));
    return fc.oneof(...arbitraries);
  }

  #all(schemas: readonly Schema[]): fc.Arbitrary<unknown> {
    const all = schemas.map((schema) => this.like(schema) as fc.Arbitrary<object>);
    return fc.tuple(...all).map((objects) => Object.assign({}, ...objects));
  }

  #ofType(type: string | undefined, schema: Schema, name: string): fc.Arbitrary<unknown> {
    const known = this.#known[name];
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
      case "number":
        return numbersOf(schema, type);
      case "string":
        return known === undefined
          ? textsOf(schema, name)
          : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, textsOf(schema, name));
      case "array":
        return this.#lists(schema, name);
      default:
        return this.#objects(schema);
    }
  }

  /** Vectors mostly have the length of the memory's other vectors. */
  #lists(
    { items = {}, minItems = 0, maxItems = 4 }: Schema,
    name: string,
  ): fc.Arbitrary<unknown[]> {
    const item = this.like(items, name);
    const few = fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, 4) });
    if (name !== "embedding") return few;
    return fc.oneof({ weight: 4, arbitrary: fc.array(item, { minLength: 3, maxLength: 3 }) }, few);
  }

  #objects({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<object> {
    const fields = Object.entries(properties).map(
      ([name, schema]) => [name, this.like(schema, name)] as const,
    );
    const named = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
    if (additionalProperties === undefined) return named.map(withoutAlternatives);
    const value =
      additionalProperties === true ? fc.jsonValue() : this.like(additionalProperties as Schema);
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 9 }), fc.constantFrom(...ODD_KEYS));
    // If values have a schema, the server refuses a field of this name.
    const isRead = (name: string) => additionalProperties === true || name !== "__proto__";
    return fc.dictionary(name.filter(isRead), value, {
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
}

/**
 * Fields of which a request has one: the time of an event has two names, and something to remember
 * is a text, memories or messages.
 */
const ALTERNATIVES = [
  ["event_time", "temporal_event_time"],
  ["text", "memories", "messages"],
];

/** Returns the fields with the first that is there of each alternative. */
function withoutAlternatives(fields: object): object {
  const others = ALTERNATIVES.flatMap((names) => names.filter((name) => name in fields).slice(1));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !others.includes(name)));
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const isShorter = (max: number, min: number) => (text: string) =>
  text.length <= max && text.length >= min;

function textsOf(
  { minLength = 0, maxLength = 40, pattern, format }: Schema,
  name: string,
): fc.Arbitrary<string> {
  if (name === "filter") return fc.constantFrom('{"user":"mira"}', '{"tags":{"any":["a"]}}', "{");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (format === "date-time" || name === "expires_at") return instants();
  const max = Math.min(maxLength, 40);
  const odd = ODD_TEXTS.filter(isShorter(maxLength, minLength));
  return fc.oneof(
    fc.string({ minLength, maxLength: max, unit: "grapheme" }),
    fc.lorem({ maxCount: 6 }).map((text) => text.slice(0, maxLength)),
    ...(odd.length > 0 ? [fc.constantFrom(...odd)] : []),
  );
}

const instants = () =>
  fc.oneof(
    fc
      .date({ noInvalidDate: true, min: new Date("0001-01-02"), max: new Date("9999-12-30") })
      .map((at) => at.toISOString()),
    fc.constantFrom(
      "2026-02-01",
      "2026-02-01 09:30:00",
      "9999-12-31T23:59:59-23:59",
      "0000-01-01T00:00:00+23:59",
    ),
  );

function numbersOf(
  { minimum, maximum, exclusiveMinimum }: Schema,
  type: "integer" | "number",
): fc.Arbitrary<number> {
  const [min, max] = [minimum ?? exclusiveMinimum ?? -1e9, maximum ?? 1e9];
  const edges = [
    -0,
    0,
    1,
    0.5,
    5e-324,
    1.797e308,
    -1.797e308,
    1e39,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
  ].filter((edge) => edge >= min && edge <= (maximum ?? edge) && edge !== exclusiveMinimum);
  if (type === "integer") {
    const whole = edges.filter(Number.isInteger);
    return fc.oneof(
      fc.integer({ min: Math.ceil(min), max: Math.floor(max) }),
      fc.constantFrom(...whole),
    );
  }
  const within = fc.double({
    min: min,
    max: max,
    minExcluded: exclusiveMinimum !== undefined,
    noNaN: true,
  });
  return fc.oneof(within, fc.constantFrom(...edges));
}

// ---- wrong parts --------------------------------------------------------------------------------

function oddMethod({ path }: Described, { operations }: Description): fc.Arbitrary<Part<string>> {
  const there = new Set(
    operations.filter((other) => other.path === path).map(({ method }) => method),
  );
  const others = ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].filter(
    (method) => !there.has(method),
  );
  return fc.constantFrom(...others).map((is) => ({ is, isAstray: true }));
}

const oddPath = (operation: Described): fc.Arbitrary<Part<string>> =>
  fc
    .constantFrom(...ODD_PATHS)
    .map((odd) => ({ is: operation.path.replace(/\{\w+\}/g, odd), isAstray: true }));

/** A parameter with any text, an unknown one, a repeated one, and an invalid query. */
function oddQuery(
  { parameters }: Described,
  { isDescribed }: Description,
  values: Values,
): fc.Arbitrary<Part<string>> {
  const known = parameters.filter((parameter) => parameter.in === "query");
  const strange = fc
    .constantFrom("%", "%zz=%ff", "&&&", "=", "?", "a[b]=c&a[b]=d", "__proto__=1", "%00=%00")
    .map((is) => ({ is }));
  const [first] = known;
  if (first === undefined) return strange;
  const odd = fc.tuple(
    fc.constantFrom(...known),
    fc.constantFrom(...ODD_TEXTS, "1e2", "+5", " 5", "05", "0x10", "-1"),
  );
  const replaced = fc.tuple(values.texts(known), odd).map(([texts, [{ name, schema }, text]]) => {
    const query = new URLSearchParams({ ...texts, [name]: text });
    return {
      is: query.toString(),
      isWrong: !isDescribed(schema, readAs(schema, query.get(name)!)),
    };
  });
  const twice = values.texts(known).map((texts) => ({
    is: `${new URLSearchParams(texts)}&${new URLSearchParams(texts)}&${first.name}=7`,
    isAstray: true,
  }));
  return fc.oneof({ weight: 4, arbitrary: replaced }, strange, twice);
}

/** A text of a query as a value of the schema. */
function readAs({ type }: Schema, text: string): unknown {
  if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  return text;
}

function oddHeaders(
  operation: Described,
  agent: string,
): fc.Arbitrary<Part<Record<string, string>>> {
  const byDefault = defaultHeaders(operation, agent);
  const looksAt = (of: string | undefined) => {
    if (of === undefined) return true;
    return of === "body"
      ? operation.body !== undefined
      : operation.parameters.some(({ name }) => name === of);
  };
  const odd = HEADERS.filter(({ of }) => looksAt(of));
  return fc.constantFrom(...odd).map(({ headers, isWrong = false, isAstray = false }) => ({
    is: { ...byDefault, ...headers },
    isWrong,
    isAstray,
  }));
}

/** The body for a call that takes none. */
const oddBody = (): fc.Arbitrary<Part<Request["body"]>> =>
  fc.constantFrom("{", "{}", "x".repeat(100_000), "\0").map((is) => ({ is }));

type Body = NonNullable<Described["body"]>;

function wrongBodies(
  { schema, isRequired, isValid }: Body,
  description: Description,
  values: Values,
): fc.Arbitrary<Part<Request["body"]>>[] {
  const whole = values.like(schema);
  const judged = (is: string): Part<Request["body"]> => ({
    is,
    isWrong: is === "" ? isRequired : !isJson(is) || !isValid(JSON.parse(is)),
  });
  const at = fc.nat({ max: 1_000 });
  const replaced = fc
    .tuple(whole, at, oddValues())
    .map(([value, place, odd]) => spelled(changed(value, place, () => odd)));
  const removed = fc
    .tuple(whole, at)
    .map(([value, place]) => spelled(changed(value, place, () => undefined)));
  const added = fc
    .tuple(whole, at, fc.constantFrom(...ODD_KEYS), oddValues())
    .map(([value, place, key, odd]) =>
      spelled(changed(value, place, (old) => (isObject(old) ? withOwn(old, key, odd) : odd))),
    );
  const keys = ["none", ...Object.keys(description.resolve(schema).properties ?? {})];
  const literal = fc
    .tuple(whole, fc.constantFrom(...keys), fc.constantFrom(...LITERALS), fc.boolean())
    .map(([value, key, text, isFirst]) =>
      withLiteral(spelled(value), JSON.stringify(key), text, isFirst),
    );
  const broken = fc
    .tuple(whole, fc.constantFrom(...BREAKS))
    .map(([value, break_]) => break_(spelled(value)));
  const bytes = whole.map((value) => ({ is: withBadByte(spelled(value)), isWrong: true }));
  return [
    ...[replaced, replaced, replaced, removed, added, literal, broken].map((one) =>
      one.map(judged),
    ),
    bytes,
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const oddValues = () => fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.constantFrom(...ODD_VALUES));

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object with a property of its own, even if the name has another meaning. */
function withOwn(object: object, key: string, value: unknown): object {
  return Object.defineProperty({ ...object }, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** The value with one nested value changed; undefined removes it. */
function changed(value: unknown, place: number, change: (old: unknown) => unknown): unknown {
  const count = { left: place % sizeOf(value) };
  return changedAt(value, count, change);
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 1);
}

function changedAt(
  value: unknown,
  count: { left: number },
  change: (old: unknown) => unknown,
): unknown {
  if (count.left-- === 0) return change(value);
  if (Array.isArray(value)) return value.map((one) => changedAt(one, count, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, changedAt(one, count, change)]),
  );
}

/** An object's text with an extra field of this text, before or after the others. */
function withLiteral(text: string, key: string, literal: string, isFirst: boolean): string {
  const inner = text.slice(1, -1);
  if (inner === "") return `{${key}: ${literal}}`;
  return isFirst ? `{${key}: ${literal}, ${inner}}` : `{${inner}, ${key}: ${literal}}`;
}

/** Changes that damage a JSON text. */
const BREAKS: readonly ((text: string) => string)[] = [
  () => "",
  () => " ",
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => text.slice(0, text.length / 2),
  (text) => `${text}}`,
  (text) => `${text}${text}`,
  (text) => `${text},`,
  (text) => `[${text}]`,
  (text) => `{"value": ${text}}`,
  (text) => JSON.stringify(text),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replaceAll(":", "="),
  (text) => text.replace("}", ",}"),
  (text) => `// comment\n${text}`,
  (text) => `\0${text}`,
  (text) => `)]}'${text}`,
  (text) => "[".repeat(50_000) + text,
  (text) => '{"a":'.repeat(50_000) + text + "}".repeat(50_000),
  () => "null",
  () => "NaN",
  () => "query=funding&limit=5",
  () => '<?xml version="1.0"?><a/>',
];

/** With a byte that is invalid in UTF-8, within a text if possible. */
function withBadByte(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const at = Math.max(bytes.lastIndexOf('"'), 0);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe]), bytes.subarray(at)]);
}
