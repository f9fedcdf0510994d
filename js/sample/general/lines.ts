// The general memory as lines of an export, which `nous-server import` and the page read.

import { clusterOf, GENERAL_MEMORIES, type GeneralMemory } from "./index.ts";

/** Returns the lines: memories, the runs that they belong to, and links from run to memory. */
export function generalLines(): string[] {
  const runs = new Set(GENERAL_MEMORIES.map(clusterOf));
  const rows: object[] = [
    { kind: "agent", preset: "general" },
    ...GENERAL_MEMORIES.map(nodeOf),
    ...[...runs].map((id) => ({ kind: "cluster", id, name: id })),
    ...GENERAL_MEMORIES.map((memory) => ({
      kind: "membership",
      cluster_id: clusterOf(memory),
      node_id: memory.id,
    })),
  ];
  return rows.map((row) => JSON.stringify(row));
}

function nodeOf(memory: GeneralMemory): object {
  const { id, subtype, created_at, event_time, title, text } = memory;
  return {
    kind: "node",
    id,
    type: subtype === "custom:turn" ? "episode" : "concept",
    subtype,
    content_title: title ?? "",
    content_body: text,
    provenance_created_at: created_at,
    created_at,
    ...(event_time === undefined ? {} : { temporal_event_time: event_time }),
  };
}
