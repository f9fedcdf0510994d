// A database that was closed is given back, with its files and locks, when its statements are
// collected: libSQL has no call that ends them. Where that must not wait for its turn, it is asked
// for here.

import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * What was closed before, and nobody holds, is given back when this is done: memory, files, locks.
 * Not always all of it: V8 itself holds some of it for as long as it compiles a function elsewhere.
 */
export async function releaseHandles(): Promise<void> {
  collect();
  // What natives hold goes a turn of the event loop later.
  await setImmediate();
}
