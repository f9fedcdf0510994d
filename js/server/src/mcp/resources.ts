// The resources that a model may read without a tool.

import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Node } from "../api/nodes.ts";
import type { Asked } from "./ask.ts";
import { lineWithId, MAX_TOKENS, within, zoneOf } from "./tools/lines.ts";

/** The subtypes that describe the user. */
const PROFILE = [
  "preference",
  "person",
  "rule",
  "custom:preference",
  "custom:person",
  "custom:rule",
];

/** Adds the resources to a server. */
export function addResources(server: McpServer, asked: Asked): void {
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
      const zone = await zoneOf(asked);
      const { text } = within(
        data.length === 0 ? "The profile is empty." : "",
        data.map((node) => lineWithId(node, zone)),
        MAX_TOKENS,
      );
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
    },
  );
}
