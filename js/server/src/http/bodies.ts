// Bodies of requests. A large body takes a while to decode, parse and check. So each large body gets
// a turn of the event loop: requests with small bodies are served between two of them.

import type { Context } from "hono";
import { AskerGone, Shares } from "../workers/shares.ts";
import { responseOf } from "./departure.ts";

/** Bytes of a body that can be parsed at once, whatever else there is to do. */
const SMALL = 64 * 2 ** 10;

const turns = new Shares<Context>();

/**
 * Returns the body of a request when it is its turn to be parsed.
 *
 * @throws {AskerGone} If the client has gone.
 */
export async function bodyOf(context: Context): Promise<ArrayBuffer> {
  const bytes = await context.req.arrayBuffer();
  if (bytes.byteLength > SMALL) await turns.next(context);
  if (responseOf(context)?.destroyed) throw new AskerGone();
  return bytes;
}
