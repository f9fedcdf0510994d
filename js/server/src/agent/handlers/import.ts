// Imports: rows of an export become memories, runs and links.

import { textOf } from "nous-memory";
import type { importOperations } from "../../api/import.ts";
import { LineError } from "../../portable/lines.ts";
import { importRow } from "../../portable/rows.ts";
import { Refusal } from "../../refusal.ts";
import type { PortableKind, PortableRow } from "../../storage/tables/portable.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";

export const importHandlers: HandlersOf<typeof importOperations> = {
  importRows: (agent, { body: { rows } }) =>
    agent.writeInTurns(function* () {
      const counts = { added: 0, there: 0 };
      const wrong: { index: number; message: string }[] = [];
      for (const [index, row] of rows.entries()) {
        if (index > 0) yield;
        try {
          const check = (kind: PortableKind, taken: PortableRow) => admit(agent, kind, taken);
          counts[importRow(agent.storage, row, agent.now(), check)] += 1;
        } catch (error) {
          const why = whyWrong(error);
          if (why === undefined) throw error;
          wrong.push({ index, message: why });
        }
      }
      return { ok: true, ...counts, wrong };
    }),
};

/** @throws {Refusal} If the agent has no room for a new row. */
function admit(agent: Agent, kind: PortableKind, { type, subtype }: PortableRow): void {
  if (kind === "edge") agent.checkNames({ "edge type": textOf(type) });
  if (kind !== "node") return;
  agent.checkNames({ type: textOf(type), subtype: textOf(subtype) });
  agent.room?.take();
}

/** Returns why a row alone is wrong; undefined if the whole request fails. */
function whyWrong(error: unknown): string | undefined {
  if (error instanceof LineError) return error.message;
  if (!(error instanceof Refusal) || error.status !== 400) return undefined;
  const [issue] = error.issues;
  return issue === undefined ? error.message : `${issue.path}: ${issue.message}`;
}
