// A closed database keeps its files and locks until its statements are garbage-collected: libSQL
// has no call that finalises them. `releaseHandles` runs a collection at once.

import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Releases the memory, files and locks of databases that were closed and are not referenced. V8 may
 * keep some of them while it compiles a function in another thread.
 */
export async function releaseHandles(): Promise<void> {
  collect();
  // Native handles are released one turn of the event loop later.
  await setImmediate();
}
