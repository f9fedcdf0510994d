// Memories to explain, and an agent in the process of the test, whose export and whose explanations
// other tests compare with.

import { join } from "node:path";
import type { Embedder } from "nous-wasm";
import { Agent } from "../../../js/server/src/agent/agent.ts";
import type { ExplainAnswer } from "../../../js/server/src/api/explain.ts";
import { SqliteStorage } from "../../../js/server/src/storage/sqlite.ts";
import { exportMemory } from "../../../js/server/src/transfer/export.ts";
import { ask } from "./direct-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns nine in the morning of a day of 2026, such as `03-01`. */
export const day = (date: string): string => `2026-${date}T09:00:00.000Z`;
/** Returns a memory that was created on a day of 2026. */
export const memory = (
  id: string,
  created: string,
  content_title: string,
  fields: object = {},
) => ({
  ...{ id, type: "note", subtype: "custom:lesson", created_at: day(created) },
  ...{ content_title, content_body: null, ...fields },
});
/** Memories of several kinds, of which one supersedes another. */
export const MEMORIES = [
  memory("deploys", "01-05", "Deploys on Friday fail more often", {
    content_body: "Three of four rollbacks of this year were deploys on a Friday.",
    user: "mira",
    tags: ["billing"],
  }),
  memory("tea", "01-07", "Mira prefers tea", { user: "mira" }),
  memory("lisbon", "01-09", "Mira moved to Lisbon", { metadata: { place: "flat" } }),
  memory("porto", "02-09", "Mira moved to Porto", { user: "mira", metadata: { place: "flat" } }),
  memory("salary", "01-11", "The salary is paid on the 25th"),
];

/** Returns the lines of an agent's export, and its explanations as of `now`. */
export async function explainingAgent(
  { memories, edges }: { memories: readonly object[]; edges: readonly object[] },
  { now, builtIn }: { now: number; builtIn: Embedder },
) {
  const storage = new SqliteStorage(join(temporaryFolder(), "a.db"), { durability: "normal" });
  const agent = new Agent(storage, { clock: () => now, builtIn });
  agent.open();
  for (const body of memories) await ask(agent, "createNode", { body });
  for (const body of edges) await ask(agent, "createEdge", { body });
  let exported = "";
  const write = (lines: string) => {
    exported += lines;
  };
  exportMemory(storage, write, () => {}, { withLearned: false, facts: () => undefined });
  return {
    lines: exported.trim().split("\n"),
    explain: (query: string, ids: readonly string[]): Promise<ExplainAnswer> =>
      ask(agent, "explain", { body: { query, ids } }),
  };
}
