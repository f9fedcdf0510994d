// The OpenAPI description of a server (GET /v1/openapi.json), with its schemas as validators. Tests
// generate requests from it and check answers against it.

import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The parts of a JSON schema from which requests are generated. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  maxItems?: number;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  schema: Schema;
}

interface Content {
  content: { "application/json": { schema: Schema } };
}

/** The parts of the description that tests read. */
export interface Document {
  paths: Record<string, Record<string, DescribedCall>>;
  components: { schemas: Record<string, Schema> };
}

interface DescribedCall {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content>;
}

/** One operation. */
export interface Described {
  name: string;
  /** The HTTP method, in capitals. */
  method: string;
  /** The path, with `{id}` for a parameter. */
  path: string;
  parameters: readonly Parameter[];
  body: { schema: Schema; isRequired: boolean; isValid: (value: unknown) => boolean } | undefined;
  /** For each status: returns what is wrong with the body of an answer, or undefined. */
  answers: ReadonlyMap<number, (body: unknown) => string | undefined>;
}

export interface Description {
  operations: readonly Described[];
  /** Returns what is wrong with the body of a 4xx or 5xx answer. */
  refusal: (body: unknown) => string | undefined;
  /** Returns whether the schema of a parameter allows a value. */
  isDescribed: (schema: Schema, value: unknown) => boolean;
  /** Returns the schema that a `$ref` names, or the schema itself. */
  resolve: (schema: Schema) => Schema;
}

/** The name of the document, which `$ref`s are resolved against. */
const ROOT = "openapi";
const pointer = (...parts: string[]) =>
  `${ROOT}#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
const JSON_OF = ["content", "application/json", "schema"];

/** Compiles a schema at its first use: compiling all of them takes more than a second. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function read(document: Document): Description {
  const ajv = new Ajv2020({ strict: false, allErrors: false, unicodeRegExp: false });
  addFormats.default(ajv);
  ajv.addSchema(document, ROOT);
  const faultsBy = (...parts: string[]) => {
    const validate = lazily(() => ajv.compile({ $ref: pointer(...parts) }));
    return (body: unknown) => (validate()(body) ? undefined : ajv.errorsText(validate().errors));
  };
  // The pattern of a time is wider than the format of answers.
  const ofRequests = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false });
  ofRequests.addSchema(document, ROOT);

  const operations = Object.entries(document.paths).flatMap(([path, calls]) =>
    Object.entries(calls).map(([method, call]): Described => {
      const { operationId, parameters = [], requestBody, responses } = call;
      const at = ["paths", path, method];
      const taken = lazily(() =>
        ofRequests.compile({ $ref: pointer(...at, "requestBody", ...JSON_OF) }),
      );
      return {
        name: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody && {
          schema: requestBody.content["application/json"].schema,
          isRequired: requestBody.required,
          isValid: (value) => taken()(value) as boolean,
        },
        answers: new Map(
          Object.keys(responses).map((status) => [
            Number(status),
            faultsBy(...at, "responses", status, ...JSON_OF),
          ]),
        ),
      };
    }),
  );
  return {
    operations,
    refusal: faultsBy("components", "schemas", "Problem"),
    isDescribed: (schema, value) => ofRequests.validate(schema, value),
    resolve: ({ $ref, ...schema }) =>
      $ref === undefined
        ? schema
        : document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)]!,
  };
}
