// Resources of a running server: memory and open files by /proc, sizes of its files, rows of its
// tables, and gauges of its metrics.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentsDir } from "../../../js/server/src/settings/paths.ts";
import type { Running } from "./server-process.ts";
import type { Client } from "./shared-server.ts";

/** A script for `node --import`: it collects garbage, so that memory in use is that of live objects. */
export const COLLECTING: string = fileURLToPath(new URL("collect-garbage.mjs", import.meta.url));

/** Returns the resident bytes and the number of open files and sockets. Linux only. */
export function usedBy({ process: { pid } }: Running): { resident: number; files: number } {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return { resident: Number(kilobytes) * 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** Returns the sizes of all agents' files by their extension: `db`, `db-wal`, `index`. */
export function filesOf({ dataDir }: Running): Record<string, { count: number; largest: number }> {
  const files: Record<string, { count: number; largest: number }> = {};
  // With PostgreSQL there is no folder of agents.
  if (!existsSync(agentsDir(dataDir))) return files;
  for (const name of readdirSync(agentsDir(dataDir))) {
    const kind = name.slice(name.indexOf(".") + 1);
    // The file may have been deleted since the folder was read.
    const size = statSync(join(agentsDir(dataDir), name), { throwIfNoEntry: false })?.size ?? 0;
    const { count, largest } = files[kind] ?? { count: 0, largest: 0 };
    files[kind] = { count: count + 1, largest: Math.max(largest, size) };
  }
  return files;
}

const TABLES = [
  "nodes",
  "edges",
  "change_log",
  "memory_usage",
  "embedding_queue",
  "conflict_queue",
] as const;
export type Rows = Record<(typeof TABLES)[number], number>;

/** Numbers of rows in an agent's tables. */
export async function rowsOf({ stored }: Client): Promise<Rows> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const [row] = await stored(`SELECT ${counts.join(", ")}`);
  return row as Rows;
}

/** Returns the value of a gauge without labels, such as `nous_queue_length`. */
export async function gaugeOf({ url }: Running, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)![1]);
}
