// An agent in the process of the test, whose export and whose explanations other tests compare with.

import { join } from "node:path";
import type { Embedder } from "nous-wasm";
import { Agent } from "../../../js/server/src/agent/agent.ts";
import type { ExplainAnswer } from "../../../js/server/src/api/explain.ts";
import { SqliteStorage } from "../../../js/server/src/storage/sqlite.ts";
import { exportMemory } from "../../../js/server/src/transfer/export.ts";
import { ask } from "./direct-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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
