// The thread that removes the remains of a memory from a database file. It ends afterwards.

import { parentPort, workerData } from "node:worker_threads";
import type { Durability } from "../settings/options.ts";
import { scrubFile } from "./scrub-file.ts";

/** The thread's worker data. */
export interface ScrubSetup {
  file: string;
  durability: Durability;
  nodeId: string;
}

/** The thread's answer. */
export interface Scrubbed {
  /** Why the scrub failed, with SQLite's code. Missing if it succeeded. */
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
