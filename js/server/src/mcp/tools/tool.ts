// A tool: its description for the model, its arguments, and its answer.

import type { CallToolResult, McpServer, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { meantBy } from "../../api/unknown-fields.ts";
import { type Asked, Refused } from "../ask.ts";
import type { ToolSet } from "../tool-sets.ts";
import { readLeniently } from "./lenient.ts";

/** An answer: for the model, and as data. */
interface Told {
  text: string;
  data: Record<string, unknown>;
}

interface Described<Shape extends z.ZodRawShape> {
  title: string;
  description: string;
  arguments: Shape;
  /** The arguments that a session with few tools does without. They are optional. */
  seldom?: readonly (keyof Shape & string)[];
  annotations: ToolAnnotations;
  /**
   * Answers a call of a session with a set of tools: what it says names their arguments alone. Throws
   * `Refused` with a sentence for the model.
   */
  answer(
    given: z.infer<z.ZodObject<Shape, z.core.$strict>>,
    asked: Asked,
    set: ToolSet,
  ): Promise<Told>;
}

/** Adds a tool to a server with a set of tools. `asked` reaches the memory of one agent. */
export type Tool = (server: McpServer, asked: Asked, set: ToolSet) => void;

/** Returns a tool of this name. */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  { arguments: shape, seldom = [], answer, ...described }: Described<Shape>,
): Tool {
  const usual = Object.entries(shape).filter(([argument]) => !seldom.includes(argument));
  const schemas: Record<ToolSet, ReturnType<typeof argumentsOf<Shape>>> = {
    few: argumentsOf(name, Object.fromEntries(usual) as Shape),
    all: argumentsOf(name, shape),
  };
  return (server, asked, set) => {
    const config = { ...described, inputSchema: schemas[set] };
    server.registerTool(name, config, (given, { mcpReq: { signal } }) => {
      const askedFor: Asked = (method, path, body) => asked(method, path, body, signal);
      return answering(() => answer(given, askedFor, set));
    });
  };
}

/**
 * Returns the schema of a tool's arguments, which are read leniently. Arguments that it does not have are refused by a sentence:
 * a model would take an ignored filter for one that holds.
 */
function argumentsOf<Shape extends z.ZodRawShape>(tool: string, shape: Shape) {
  const known = Object.keys(shape);
  const sentenceFor = (given: string): string => {
    const meant = meantBy(given, known);
    const advice =
      meant === undefined ? `its arguments are ${known.join(", ")}` : `did you mean ${meant}?`;
    return `${tool} has no argument ${given}: ${advice}`;
  };
  const schema = z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map(sentenceFor).join("; ") : undefined,
  });
  const standard = schema["~standard"];
  const validate = (given: unknown) => standard.validate(readLeniently(shape, given));
  // The dialect is that of the protocol. A model would read its address with each tool.
  const input: typeof standard.jsonSchema.input = (options) => {
    const { $schema: _, ...schema } = standard.jsonSchema.input(options);
    return schema;
  };
  return { "~standard": { ...standard, validate, jsonSchema: { ...standard.jsonSchema, input } } };
}

/** Runs a tool. A refusal becomes an answer that tells the model what to do. */
async function answering(work: () => Promise<Told>): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}
