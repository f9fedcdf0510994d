// Arguments as clients send them. A client with strict schemas sends null for whatever is not given, and
// bridges and small models write numbers, booleans and lists as text. Each means one thing alone, so
// it is read as that. What a schema takes is left as it is.

import type { z } from "zod";

/** What of the schema of an argument this file reads. */
interface Schema {
  def: { type: string; innerType?: Schema; element?: Schema };
}

/** What is not given, written as a text. */
const NOTHING = /^\s*(null|none|undefined)?\s*$/i;

/** Returns the arguments with what is not given left out, and with values in place of their texts. */
export function readLeniently(shape: z.ZodRawShape, given: unknown): unknown {
  if (given == null) return {};
  if (typeof given !== "object" || Array.isArray(given)) return given;
  const read = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const schema = Object.hasOwn(shape, name) ? (shape[name] as unknown as Schema) : undefined;
    if (schema === undefined) return [[name, value]];
    const isOptional = schema.def.type === "optional";
    const base = baseOf(schema);
    const isText = base.def.type === "string";
    const isNothing =
      value === null || (typeof value === "string" && !isText && NOTHING.test(value));
    if (isOptional && isNothing) return [];
    return [[name, typeof value === "string" ? readAs(base, value) : value]];
  });
  return Object.fromEntries(read);
}

function baseOf(schema: Schema): Schema {
  const { innerType } = schema.def;
  return innerType === undefined ? schema : baseOf(innerType);
}

/** Returns the value that a text stands for; the text itself if it stands for none. */
function readAs({ def }: Schema, text: string): unknown {
  const written = text.trim();
  switch (def.type) {
    case "number":
      return /^[+-]?\d+(\.\d+)?$/.test(written) ? Number(written) : text;
    case "boolean":
      return (
        ({ true: true, false: false } as Record<string, unknown>)[written.toLowerCase()] ?? text
      );
    case "enum":
      return written;
    case "array":
      return listOf(written, def.element!);
    default:
      return text;
  }
}

/** Returns the list that a text stands for: JSON, or words with commas between them. */
function listOf(written: string, element: Schema): unknown {
  if (/^[[{]/.test(written)) {
    try {
      const value: unknown = JSON.parse(written);
      return Array.isArray(value) ? value : [value];
    } catch {
      // Some models write a list in brackets that is no JSON.
    }
  }
  if (baseOf(element).def.type !== "string") return written;
  return written
    .replace(/^\[(.*)\]$/s, "$1")
    .split(",")
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/s, "$2"))
    .filter((item) => item !== "");
}
