// Reads and discards the rest of a body over the limit before the refusal is sent: a client that is
// still writing would not see the answer. A body far over the limit, or a slow one, is cut off.

import type { IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";

/** How long the rest is read, in milliseconds. */
const PATIENCE = 2_000;
/** How much of the rest is read, in bytes. */
const MAX_REST = 64 * 2 ** 20;

/** Reads the rest of a body. Returns whether the connection can be used again. */
export async function throwAway(incoming: IncomingMessage | undefined): Promise<boolean> {
  if (incoming === undefined || incoming.readableEnded) return true;
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), PATIENCE);
  let read = 0;
  incoming.on("data", (chunk: Uint8Array) => {
    read += chunk.length;
    if (read > MAX_REST) giveUp.abort();
  });
  incoming.resume();
  try {
    await finished(incoming, { signal: giveUp.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
