// The tools, resources and the prompt that a model gets by MCP. Every tool is one or two requests to
// the HTTP interface, so that keys, scopes, limits and errors are those of HTTP.
//
// Answers are short: a list ends where its budget of tokens ends, and says how many are left out.

import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { estimateTokens } from "nous-wasm";
import { z } from "zod";
import { lineOf, wordsOfMemory } from "../agent/rules/turn-prompt.ts";
import type { Conflict } from "../api/conflicts.ts";
import type { ExplainAnswer } from "../api/explain.ts";
import type { Node } from "../api/nodes.ts";
import type { RememberAnswer } from "../api/remember.ts";
import type { SearchAnswer } from "../api/search.ts";
import { meantBy } from "../http/unknown-fields.ts";
import { GENERAL } from "../presets/general.ts";
import { parseInstant } from "../time.ts";
import { explanationFor, percent } from "./explanation.ts";
import { INSTRUCTIONS, serverInfo } from "./identity.ts";

/** Sends a request to the HTTP interface as the agent of the session. */
export type Ask = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
) => Promise<{ status: number; body: unknown }>;

/** The tokens of an answer, if the call does not say. */
const DEFAULT_TOKENS = 800;
const MAX_TOKENS = 8_000;
/** The tokens of the line that says how many memories do not fit. */
const TOKENS_OF_THE_REST = 16;

const max_tokens = z
  .number()
  .int()
  .min(50)
  .max(MAX_TOKENS)
  .optional()
  .describe(`How long the answer may be, in tokens. Default ${DEFAULT_TOKENS}.`);
const user = z.string().min(1).optional().describe("Only memories of this user.");
const session = z.string().min(1).optional().describe("Only memories of this session.");
const tags = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe("Only memories with one of these tags.");
const id = z.string().min(1).describe("The id of the memory, as it stands in brackets in a list.");
const instant = z.string().describe("A day or time in ISO 8601, such as 2026-03-01.");
const type = z
  .string()
  .min(1)
  .optional()
  .describe(
    `The type of the memory: ${Object.keys(GENERAL.types).join(", ")}, or another one that the ` +
      "preset of the agent has. Default: guessed from the text.",
  );

/** A refusal, whose message is the answer of the tool. */
export class Refused extends Error {}

/**
 * Returns the schema of a tool's arguments. Arguments that it does not have are refused by a sentence:
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
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map(sentenceFor).join("; ") : undefined,
  });
}

/** Returns a server with all tools. `ask` reaches the memory of one agent. */
export function mcpServer(ask: Ask, version: string): McpServer {
  const server = new McpServer(serverInfo(version), { instructions: INSTRUCTIONS });
  const asked = async <Answer>(...request: Parameters<Ask>): Promise<Answer> => {
    const { status, body } = await ask(...request);
    if (status < 400) return body as Answer;
    throw new Refused(sentenceOf(status, body));
  };
  const wanted = (given: {
    user?: string | undefined;
    session?: string | undefined;
    tags?: string[] | undefined;
  }) => ({
    ...(given.user === undefined ? {} : { user: given.user }),
    ...(given.session === undefined ? {} : { session: given.session }),
    ...(given.tags === undefined ? {} : { tags: { any: given.tags } }),
  });

  server.registerTool(
    "remember",
    {
      title: "Remember",
      description:
        "Stores something that will matter later, in one or more sentences that make sense alone: write " +
        "names instead of pronouns, and dates instead of `yesterday`. What is known already is not stored again.",
      inputSchema: argumentsOf("remember", {
        text: z.string().min(1).describe("What to remember."),
        type,
        tags: z.array(z.string().min(1)).optional().describe("Words by which people ask for it."),
        user: z.string().min(1).optional().describe("The user that it is about."),
        session: z.string().min(1).optional().describe("The session that it comes from."),
        event_time: instant.optional().describe("When it happened, in ISO 8601."),
        expires_at: instant.optional().describe("When it is to be forgotten, in ISO 8601."),
        importance: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe("How long it lasts; 0.5 is usual."),
        max_tokens,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    },
    ({ max_tokens: max, ...given }) =>
      answering(async () => {
        const { stored } = await asked<RememberAnswer>("POST", "/remember", given);
        const lines = stored.map(({ id, action, title, type, possible_conflicts = [] }) => {
          const conflicts = possible_conflicts.map((old) => `[${old}]`).join(", ");
          return action === "duplicate"
            ? `Known already: [${id}] ${title}`
            : `Stored [${id}] as ${type}: ${title}${conflicts === "" ? "" : `. It may correct ${conflicts}: see the tool conflicts`}`;
        });
        const { text, shown } = within("", lines, max, "raise max_tokens to see them");
        return { text, data: { stored: stored.slice(0, shown), count: stored.length } };
      }),
  );

  server.registerTool(
    "recall",
    {
      title: "Recall",
      description:
        "Finds the memories that answer a question, the most probable first. Ask a whole question in the " +
        "user's words; a time such as `last spring` may be part of it.",
      inputSchema: argumentsOf("recall", {
        query: z.string().min(1).describe("The question."),
        limit: z.number().int().min(1).max(50).optional().describe("How many at most. Default 8."),
        ...{ user, session, tags, max_tokens },
      }),
      annotations: { readOnlyHint: true },
    },
    ({ query, limit = 8, max_tokens: max, ...filters }) =>
      answering(async () => {
        const {
          data,
          answerable,
          probability = 0,
        } = await asked<SearchAnswer>("POST", "/search", {
          ...{ query, limit, filter: wanted(filters) },
        });
        const head =
          data.length === 0
            ? "The memory knows nothing about it."
            : answerable === false
              ? `The memory probably does not know (${percent(probability)}). Nearest:`
              : "";
        const lines = data.map((node) => `${lineWithId(node)} · ${percent(node.score)}`);
        const { text, shown } = within(head, lines, max);
        const memories = data.slice(0, shown).map(({ id, score }) => ({ id, score }));
        return { text, data: { answerable: answerable ?? false, probability, memories } };
      }),
  );

  server.registerTool(
    "context",
    {
      title: "Context for a message",
      description:
        "Returns what the memory has to say about a message of the user: profile, facts, decisions, events. " +
        "Call it once per turn, before you answer.",
      inputSchema: argumentsOf("context", {
        input: z.string().min(1).describe("The message of the user."),
        ...{ user, session, max_tokens },
      }),
      annotations: { readOnlyHint: true },
    },
    ({ input, max_tokens: max = DEFAULT_TOKENS, ...filters }) =>
      answering(async () => {
        const { prompt, tokens, answerable } = await asked<{
          prompt: string;
          tokens: number;
          answerable?: boolean;
        }>("POST", "/context", { input, max_tokens: max, filter: wanted(filters) });
        const text = prompt === "" ? "The memory knows nothing about it." : prompt;
        return { text, data: { tokens, answerable: answerable ?? false } };
      }),
  );

  server.registerTool(
    "update",
    {
      title: "Update a memory",
      description: "Changes a memory. Fields that are not given stay as they are.",
      inputSchema: argumentsOf("update", {
        id,
        title: z.string().min(1).optional().describe("The title."),
        text: z.string().nullable().optional().describe("The text below the title; null for none."),
        type,
        tags: z.array(z.string().min(1)).optional().describe("The tags."),
        event_time: instant.nullable().optional().describe("When it happened; null if unknown."),
        expires_at: instant
          .nullable()
          .optional()
          .describe("When it is to be forgotten; null: never."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    ({ id, title, text, type, ...fields }) =>
      answering(async () => {
        const node = await asked<Node>("PATCH", `/nodes/${encodeURIComponent(id)}`, {
          ...fields,
          ...(title === undefined ? {} : { content_title: title }),
          ...(text === undefined ? {} : { content_body: text }),
          ...(type === undefined ? {} : { type, subtype: type }),
        });
        return {
          text: `Changed. ${lineWithId(node)}`,
          data: { id: node.id, version: node.version },
        };
      }),
  );

  server.registerTool(
    "forget",
    {
      title: "Forget",
      description:
        "Deletes a memory by its id, or all memories of a user, a session or tags. Without `confirm` it only " +
        "tells what would be deleted. It cannot be undone.",
      inputSchema: argumentsOf("forget", {
        id: id.optional(),
        ...{ user, session, tags },
        confirm: z.boolean().optional().describe("Whether to delete. Default false."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    ({ id, confirm = false, ...filters }) =>
      answering(async () => {
        const filter = { ...wanted(filters), ...(id === undefined ? {} : { ids: [id] }) };
        if (Object.keys(filter).length === 0)
          throw new Refused("Say what to forget: an id, a user, a session or tags.");
        const { matched, deleted, ids } = await asked<{
          matched: number;
          deleted: number;
          ids: string[];
        }>("POST", "/nodes/delete", { filter, dry_run: !confirm });
        const text =
          matched === 0
            ? "No memory matches."
            : confirm
              ? `${deleted} deleted.`
              : `${matched} would be deleted: ${ids.slice(0, 20).join(", ")}. Call again with confirm: true.`;
        return { text, data: { matched, deleted } };
      }),
  );

  server.registerTool(
    "link",
    {
      title: "Link two memories",
      description:
        "Links a memory to another one. With `supersedes` the first replaces the second, which is shown no more.",
      inputSchema: argumentsOf("link", {
        from: id.describe("The id of the memory that the link starts at."),
        to: id.describe("The id of the memory that it leads to."),
        relation: z
          .enum(["relates_to", "supersedes", "part_of", "causes", "supports", "contradicts"])
          .describe("What the first is to the second."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ from, to, relation }) =>
      answering(async () => {
        const edge = await asked<{ id: string }>("POST", "/edges", {
          ...{ source_id: from, target_id: to, type: relation },
        });
        return { text: `Linked: [${from}] ${relation} [${to}].`, data: { id: edge.id } };
      }),
  );

  server.registerTool(
    "explain",
    {
      title: "Explain a rank",
      description:
        "Tells why a memory comes up for a question, or why it does not: its rank, the words that " +
        "match, and what each kind of evidence adds.",
      inputSchema: argumentsOf("explain", {
        query: z.string().min(1).describe("The question."),
        id,
        ...{ user, session, tags, max_tokens },
      }),
      annotations: { readOnlyHint: true },
    },
    ({ query, id, max_tokens: max, ...filters }) =>
      answering(async () => {
        const explained = await asked<ExplainAnswer>("POST", "/explain", {
          ...{ query, id, filter: wanted(filters) },
        });
        const { head, lines, data } = explanationFor(explained);
        return { text: within(head, lines, max).text, data };
      }),
  );

  server.registerTool(
    "timeline",
    {
      title: "Timeline",
      description: "Lists what happened in a time, in order. Use it for `what happened in May?`.",
      inputSchema: argumentsOf("timeline", {
        from: instant.optional().describe("The first day, in ISO 8601."),
        to: instant.optional().describe("The last instant, in ISO 8601."),
        order: z
          .enum(["asc", "desc"])
          .optional()
          .describe("`asc`, the default: the earliest first."),
        limit: z
          .number()
          .int()
          .min(1)
          .max(200)
          .optional()
          .describe("How many at most. Default 30."),
        ...{ user, session, tags, max_tokens },
      }),
      annotations: { readOnlyHint: true },
    },
    ({ from, to, order, limit = 30, max_tokens: max, ...filters }) =>
      answering(async () => {
        const query = new URLSearchParams({ limit: String(limit) });
        for (const [name, value] of Object.entries({ from, to, order }))
          if (value !== undefined) query.set(name, value);
        const filter = wanted(filters);
        if (Object.keys(filter).length > 0) query.set("filter", JSON.stringify(filter));
        const { data } = await asked<{ data: Node[] }>("GET", `/timeline?${query}`);
        const head =
          data.length === 0 ? "Nothing happened in that time, as far as the memory knows." : "";
        const { text, shown } = within(head, data.map(lineWithId), max);
        return {
          text,
          data: { ids: data.slice(0, shown).map(({ id }) => id) },
        };
      }),
  );

  server.registerTool(
    "conflicts",
    {
      title: "Conflicts",
      description:
        "Lists pairs of memories that may contradict each other. With `conflict_id` and `resolution` it resolves one.",
      inputSchema: argumentsOf("conflicts", {
        conflict_id: z.string().min(1).optional().describe("The id of the conflict to resolve."),
        resolution: z
          .enum(["new_is_current", "old_is_current", "keep_both", "merge"])
          .optional()
          .describe("`new_is_current`: the newer memory supersedes the older one."),
        max_tokens,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ conflict_id, resolution, max_tokens: max }) =>
      answering(async () => {
        if ((conflict_id === undefined) !== (resolution === undefined))
          throw new Refused(
            "Give both conflict_id and resolution, or neither to list the conflicts.",
          );
        if (conflict_id !== undefined) {
          await asked("POST", "/contradiction/resolve", { conflict_id, resolution });
          return { text: `Resolved: ${resolution}.`, data: { conflict_id } };
        }
        const { data } = await asked<{ data: Conflict[] }>(
          "GET",
          "/contradiction/queue?status=pending&limit=50",
        );
        const ids = data.flatMap(({ old_node_id, new_node_id }) => [
          old_node_id,
          new_node_id ?? "",
        ]);
        const known = [...new Set(ids)].filter((id) => id !== "" && id !== null) as string[];
        const read =
          known.length === 0
            ? { results: [] }
            : await asked<{ results: { node?: Node }[] }>("POST", "/nodes/batch-get", {
                ...{ ids: known.slice(0, 200), recall: false },
              });
        const titles = new Map(read.results.map(({ node }) => [node?.id, node?.content_title]));
        const lines = data.map(
          ({ id, old_node_id, new_node_id }) =>
            `- [${id}] old [${old_node_id}] ${titles.get(old_node_id ?? "") ?? ""} / new [${new_node_id}] ${titles.get(new_node_id ?? "") ?? ""}`,
        );
        const head = data.length === 0 ? "No conflicts wait." : "";
        const { text, shown } = within(head, lines, max);
        return {
          text,
          data: { conflicts: data.slice(0, shown).map(({ id }) => id) },
        };
      }),
  );

  server.registerResource(
    "memory",
    new ResourceTemplate("nous://memory/{id}", { list: undefined }),
    { title: "A memory", description: "A whole memory, as JSON.", mimeType: "application/json" },
    async (uri, { id }) => {
      const node = await asked<Node>(
        "GET",
        `/nodes/${encodeURIComponent(String(id))}?recall=false`,
      );
      return {
        contents: [
          { uri: uri.href, mimeType: "application/json", text: JSON.stringify(node, null, 2) },
        ],
      };
    },
  );
  server.registerResource(
    "profile",
    "nous://profile",
    { title: "The profile", description: "Preferences, people and rules.", mimeType: "text/plain" },
    async (uri) => {
      const filter = { subtype: PROFILE };
      const query = new URLSearchParams({ limit: "50", filter: JSON.stringify(filter) });
      const { data } = await asked<{ data: Node[] }>("GET", `/nodes?${query}`);
      const { text } = within(
        data.length === 0 ? "The profile is empty." : "",
        data.map(lineWithId),
        MAX_TOKENS,
      );
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
    },
  );
  server.registerPrompt(
    "use_memory",
    { title: "Use the memory", description: "Tells a model when to use the tools of the memory." },
    () => ({ messages: [{ role: "user", content: { type: "text", text: INSTRUCTIONS } }] }),
  );
  return server;
}

/** The subtypes that describe the user. */
const PROFILE = [
  "preference",
  "person",
  "rule",
  "custom:preference",
  "custom:person",
  "custom:rule",
];

/** Runs a tool. A refusal becomes an answer that tells the model what to do. */
async function answering(
  work: () => Promise<{ text: string; data: Record<string, unknown> }>,
): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

/** Returns a refusal of HTTP as a sentence. */
function sentenceOf(status: number, body: unknown): string {
  const { error = "the request failed", issues = [] } = (body ?? {}) as {
    error?: string;
    issues?: { path: string; message: string }[];
  };
  const faults = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  if (status === 404 && error === "not found")
    return "No memory has this id. Call recall to find it.";
  return faults.length === 0 ? `${error} (${status}).` : `${error}: ${faults.join("; ")}.`;
}

/** Returns a memory as one line, with its id in brackets. */
function lineWithId(node: Node): string {
  const created_at = parseInstant(node.provenance_created_at ?? node.created_at ?? "");
  const event_at = parseInstant(node.temporal_event_time ?? "");
  const memory = { text: wordsOfMemory(node), created_at, event_at };
  return lineOf(memory, Date.now()).replace(/^- /, `- [${node.id}] `);
}

/**
 * Joins lines as far as a budget of tokens reaches, and says how many do not fit. Returns how many lines
 * are shown, too.
 *
 * @param advice How to see the rest.
 */
function within(
  head: string,
  lines: readonly string[],
  max = DEFAULT_TOKENS,
  advice = "raise max_tokens, or ask more narrowly",
): { text: string; shown: number } {
  const kept = head === "" ? [] : [head];
  let tokens = head === "" ? 0 : estimateTokens(head) + 1;
  for (const [place, line] of lines.entries()) {
    const room = max - tokens - (place < lines.length - 1 ? TOKENS_OF_THE_REST : 0);
    if (estimateTokens(line) + 1 > room) {
      // A first line that is too long is cut: an answer without a memory would say nothing.
      if (kept.length === 0)
        return { text: `${line.slice(0, Math.max(room - 1, 1) * 4)}…`, shown: 1 };
      kept.push(`… ${lines.length - place} more: ${advice}.`);
      return { text: kept.join("\n"), shown: place };
    }
    kept.push(line);
    tokens += estimateTokens(line) + 1;
  }
  return { text: kept.join("\n"), shown: lines.length };
}
