// Writes the client's types with their comments from the OpenAPI document of the server. The
// meaning of each field and operation is documented once, in `js/server/src/api`.

/** The longest line of the declarations, in columns. */
const WIDTH = 100;
/** Status codes of refused headers that the client does not send. */
const OF_HEADERS = new Set(["412", "422"]);
const JSON_BODY = "application/json";

/** Returns the text of a declaration file: a type for each schema, and `Methods`. */
export function typesOf(document) {
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => operationOf(path, operation)),
  );
  const sent = reachable(
    operations.map(({ body }) => body?.schema),
    schemas,
  );
  const answered = reachable(
    operations.map(({ answer }) => answer.schema),
    schemas,
  );
  const named = Object.entries(schemas)
    .filter(([name]) => sent.has(name) || answered.has(name))
    .map(([name, schema]) => namedType(name, schema, { schemas, isSent: sent.has(name) }));
  const queries = operations.flatMap((operation) => queryType(operation, schemas));
  const methods = operations.map((operation) => methodOf(operation, schemas));
  return [
    "// Written by the build from the operations of the server.\n",
    ...named,
    ...queries,
    `${comment(["The methods of {@link NousClient}: one for each operation of the server."], "")}export interface Methods {\n${methods.join("\n")}}\n`,
    `import type { NousClient, NousRequestError } from "./client.js";\n`,
  ].join("\n");
}

function operationOf(path, { operationId, parameters = [], requestBody, responses, ...texts }) {
  const [answer, ...refusals] = Object.entries(responses).sort(([a], [b]) => a - b);
  const [, { description: returns, content }] = answer;
  const at = (place) => parameters.filter((parameter) => parameter.in === place);
  return {
    ...texts,
    name: operationId,
    // In the order of the path.
    params: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) =>
      at("path").find((parameter) => parameter.name === name),
    ),
    query: at("query"),
    body: requestBody && {
      ...requestBody.content[JSON_BODY],
      isOptional: requestBody.required === false,
    },
    answer: { schema: content[JSON_BODY].schema, returns },
    refusals: refusals.filter(([status]) => status.startsWith("4") && !COMMON.has(status)),
  };
}

/** Status codes that every method may have. They are documented with the error. */
const COMMON = new Set(["400", "401", "403", "413", ...OF_HEADERS]);

// ---- types --------------------------------------------------------------------------------------

/** Returns the name of the schema that a reference names; undefined for an inline schema. */
function nameOf({ $ref, allOf }) {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  const [base, ...others] = allOf ?? [];
  const addsTextAlone = others.every((other) => Object.keys(other).join() === "description");
  return base?.$ref !== undefined && addsTextAlone ? nameOf(base) : undefined;
}

function reachable(roots, schemas) {
  const found = new Set();
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    const name = value.$ref === undefined ? undefined : nameOf(value);
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(roots);
  return found;
}

function namedType(name, schema, place) {
  const bases = (schema.allOf ?? []).flatMap((part) => nameOf(part) ?? []);
  const own = schema.allOf?.find((part) => part.properties !== undefined) ?? schema;
  const head = comment([schema.description], "");
  const inherits = bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
  return `${head}export interface ${name}${inherits} ${fields(own, { ...place, indent: "" })}\n`;
}

function queryType({ name, query }, schemas) {
  if (query.length === 0) return [];
  const schema = {
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
  const head = comment([`The query of {@link NousClient.${name}}.`], "");
  return [
    `${head}export interface ${queryName(name)} ${fields(schema, { schemas, isSent: true, indent: "" })}\n`,
  ];
}

const queryName = (operation) => `${operation[0].toUpperCase()}${operation.slice(1)}Query`;

/** Returns the fields of an object, each with its comment. */
function fields({ properties = {}, required = [], additionalProperties }, place) {
  const { schemas, isSent, indent } = place;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([key, schema]) => {
    const isOptional = !required.includes(key);
    const type = typeOf(schema, { ...place, indent: inner });
    const about = schema.description ?? schemas[nameOf(schema)]?.description;
    const orAbsent = isOptional && isSent ? " | undefined" : "";
    return `${comment([about], inner)}${inner}${key}${isOptional ? "?" : ""}: ${type}${orAbsent};\n`;
  });
  const others = isOpen(additionalProperties)
    ? `${comment(["Other fields."], inner)}${inner}[field: string]: unknown;\n`
    : "";
  return `{\n${lines.join("")}${others}${indent}}`;
}

const isOpen = (additional) =>
  additional === true || (additional !== undefined && Object.keys(additional).length === 0);

function typeOf(schema, place) {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (anyOf ?? oneOf) return union((anyOf ?? oneOf).map((one) => typeOf(one, place)));
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, place)));
  switch (type) {
    case "integer":
      return "number";
    case "array":
      return arrayOf(typeOf(schema.items, place));
    case "object":
      return objectType(schema, place);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    default:
      if (schema.allOf !== undefined) return intersection(schema.allOf, place);
      return "unknown";
  }
}

const union = (types) => [...new Set(types)].join(" | ");
const intersection = (parts, place) => parts.map((part) => typeOf(part, place)).join(" & ");
const arrayOf = (type) =>
  /[|&]/.test(type) && !type.startsWith("{") ? `(${type})[]` : `${type}[]`;

function objectType(schema, place) {
  const { properties = {}, required = [], additionalProperties } = schema;
  const keys = Object.keys(properties);
  if (keys.length === 0) {
    if (additionalProperties === undefined || additionalProperties === false)
      return "Record<string, never>";
    if (isOpen(additionalProperties)) return "Record<string, unknown>";
    return `Record<string, ${typeOf(additionalProperties, place)}>`;
  }
  const [first, ...others] = Object.values(properties).map((property) => JSON.stringify(property));
  const isRecord = first.indexOf("description") < 0 && others.every((other) => other === first);
  if (!isRecord || keys.length === 1) return fields(schema, place);
  const record = `Record<${union(keys.map((key) => JSON.stringify(key)))}, ${typeOf(properties[keys[0]], place)}>`;
  return required.length === 0 ? `Partial<${record}>` : record;
}

// ---- methods ------------------------------------------------------------------------------------

function methodOf({ name, summary, description, params, query, body, answer, refusals }, schemas) {
  const given = [
    ...params.map((parameter) => [
      `${parameter.name}: string`,
      parameter.name,
      parameter.schema.description,
    ]),
    ...(body === undefined
      ? []
      : [
          [
            `body${body.isOptional ? "?" : ""}: ${typeOf(body.schema, { schemas, isSent: true, indent: "  " })}`,
            "body",
            schemas[nameOf(body.schema)]?.description ?? "An empty object.",
          ],
        ]),
    ...(query.length === 0
      ? []
      : [
          [
            `query${query.some(({ required }) => required) ? "" : "?"}: ${queryName(name)}`,
            "query",
            `The query: ${query.map(({ name }) => `\`${name}\``).join(", ")}.`,
          ],
        ]),
  ];
  const values = Object.fromEntries(
    [...params, ...query].flatMap(({ name, schema: { example } }) =>
      example === undefined ? [] : [[name, example]],
    ),
  );
  const inQuery = query.filter(({ name }) => name in values);
  const sample = [
    ...params.map(({ name }) => literal(values[name], "")),
    ...(body?.example === undefined ? [] : [literal(body.example, "", params.length * 20)]),
    ...(inQuery.length === 0
      ? []
      : [literal(Object.fromEntries(inQuery.map(({ name }) => [name, values[name]])), "")]),
  ];
  const failures = refusals.flatMap(([status, { description }]) => {
    const sentences = description.split(/(?<=\.) /).filter((it) => !it.includes("Idempotency-Key"));
    return sentences.length === 0 ? [] : [`${status}: ${sentences.join(" ")}`];
  });
  const text = comment(
    [
      `${summary}.`,
      ...(description === undefined ? [] : ["", description]),
      "",
      ...given.map(([, name, about]) => `@param ${name} - ${about}`),
      `@returns ${answer.returns}`,
      `@throws {@link NousRequestError} if the request fails.${failures.length === 0 ? "" : ` Status ${failures.join(" Status ")}`}`,
      "@example",
      "```ts",
      ...`const answer = await nous.${name}(${sample.join(", ")});`.split("\n"),
      "```",
    ],
    "  ",
  );
  const answered = typeOf(answer.schema, { schemas, isSent: false, indent: "  " });
  return `${text}  ${name}(${given.map(([declared]) => declared).join(", ")}): Promise<${answered}>;\n`;
}

/**
 * Returns a value as a literal, on one line if it is short. `taken` columns of that line are in
 * use.
 */
function literal(value, indent, taken = 0) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{ ", " }"];
  const parts = (inner) =>
    isList
      ? value.map((item) => literal(item, inner))
      : Object.entries(value).map(([key, item]) => `${key}: ${literal(item, inner)}`);
  const short = `${open}${parts(indent).join(", ")}${close}`;
  if (short.length <= WIDTH - 40 - taken && !short.includes("\n")) return short;
  const inner = `${indent}  `;
  const lines = parts(inner).map((part) => `${inner}${part},\n`);
  return `${open.trim()}\n${lines.join("")}${indent}${close.trim()}`;
}

// ---- comments -----------------------------------------------------------------------------------

/** Returns a doc comment of these lines, wrapped. Code between fences stays as it is. */
function comment(lines, indent) {
  const texts = lines.filter((line) => line !== undefined);
  if (texts.length === 0) return "";
  const room = WIDTH - indent.length - " * ".length;
  const [only] = texts;
  if (texts.length === 1 && only.length <= room - 4) return `${indent}/** ${only} */\n`;
  let isCode = false;
  const wrapped = texts.flatMap((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    return isCode ? [line] : wrap(line, room);
  });
  const body = wrapped.map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

function wrap(text, room) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== "" && line.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
