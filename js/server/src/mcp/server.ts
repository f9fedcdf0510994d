// The tools, resources and the prompt that a model gets by MCP. Every tool is one or two requests to
// the HTTP interface, so that keys, scopes, limits and errors are those of HTTP.
//
// A session has the few tools that a model needs, or all: what a model reads of them is a part of each of its
// requests. Answers are short: a list ends where its budget of tokens ends, and says how many are left out.

import { McpServer } from "@modelcontextprotocol/server";
import { type Ask, refusing } from "./ask.ts";
import { INSTRUCTIONS, serverInfo } from "./identity.ts";
import { addResources } from "./resources.ts";
import type { ToolSet } from "./tool-sets.ts";
import { conflicts } from "./tools/conflicts.ts";
import { context } from "./tools/context.ts";
import { explain } from "./tools/explain.ts";
import { forget } from "./tools/forget.ts";
import { history } from "./tools/history.ts";
import { link } from "./tools/link.ts";
import { recall } from "./tools/recall.ts";
import { remember } from "./tools/remember.ts";
import { timeline } from "./tools/timeline.ts";
import type { Tool } from "./tools/tool.ts";
import { update } from "./tools/update.ts";

const FEW: readonly Tool[] = [remember, recall, update, forget];

/** The tools of each set, in the order in which a model reads them. */
const TOOLS: Readonly<Record<ToolSet, readonly Tool[]>> = {
  few: FEW,
  all: [...FEW, context, link, explain, timeline, history, conflicts],
};

/** Returns a server with a set of tools. `ask` reaches the memory of one agent. */
export function mcpServer(ask: Ask, version: string, tools: ToolSet): McpServer {
  const server = new McpServer(serverInfo(version), { instructions: INSTRUCTIONS });
  const asked = refusing(ask);
  for (const add of TOOLS[tools]) add(server, asked, tools);
  addResources(server, asked);
  server.registerPrompt(
    "use_memory",
    { title: "Use the memory", description: "Tells a model when to use the tools of the memory." },
    () => ({ messages: [{ role: "user", content: { type: "text", text: INSTRUCTIONS } }] }),
  );
  return server;
}
