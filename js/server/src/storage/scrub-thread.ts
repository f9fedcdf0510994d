// The thread that rids a database file of what is left of a memory; it ends when that is done.

import { parentPort, workerData } from "node:worker_threads";
import type { Durability } from "../settings/options.ts";
import { scrubFile } from "./scrub-file.ts";

/** What the thread is started with. */
export interface ScrubSetup {
  file: string;
  durability: Durability;
  nodeId: string;
}

export interface Scrubbed {
  /** Why it could not be done, with SQLite's own name of it. */
  failure?: { message: string; code: string | undefined };
}

const { file, durability, nodeId } = workerData as ScrubSetup;

function scrubbed(): Scrubbed {
  try {
    scrubFile(file, durability, nodeId);
    return {};
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { failure: { message, code } };
  }
}

parentPort!.postMessage(scrubbed());
