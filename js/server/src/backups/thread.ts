// The thread that backs up all agents, so that the server answers meanwhile. It ends afterwards.

import { parentPort, workerData } from "node:worker_threads";
import type { Place } from "../storage/place.ts";
import { type BackedUp, backUpInto } from "./set.ts";

/** The thread's worker data. */
export interface BackupSetup {
  place: Place;
  dir: string;
  keep: number;
}

/** The thread's answer. */
export type BackupReply = { done: BackedUp } | { failure: string };

function work(): BackupReply {
  const { place, dir, keep } = workerData as BackupSetup;
  try {
    return { done: backUpInto(place, dir, keep) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

parentPort!.postMessage(work());
