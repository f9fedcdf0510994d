// Bodies of requests. A large body takes a while to decode, parse and check. So each large body gets
// a turn of the event loop: requests with small bodies are served between two of them. What all
// large bodies take together is bounded.

import type { Context } from "hono";
import { AskerGone, Shares } from "../workers/shares.ts";
import { responseOf } from "./departure.ts";

/** Bytes of a body that can be parsed at once, whatever else there is to do. */
const SMALL = 64 * 2 ** 10;

/** The most bytes of all large bodies whose requests are not answered. */
const MAX_BYTES = 256 * 2 ** 20;

const turns = new Shares<Context>();
let reservedBytes = 0;

/**
 * Reserves room for a body until its request is answered or its client goes. Returns false if there
 * is no room. A small body needs none, and a body that is the only large one always has room.
 */
export function hasRoom(context: Context, bytes: number): boolean {
  const response = responseOf(context);
  if (bytes <= SMALL || response === undefined || response.destroyed) return true;
  if (reservedBytes > 0 && reservedBytes + bytes > MAX_BYTES) return false;
  reservedBytes += bytes;
  response.once("close", () => {
    reservedBytes -= bytes;
  });
  return true;
}

/**
 * Reads a chunked body, whose length is unknown before its end. Once it is large, room for
 * `maxSize` bytes is reserved.
 */
export async function bufferChunked(
  context: Context,
  maxSize: number,
): Promise<"taken" | "too large" | "no room"> {
  const { raw } = context.req;
  if (raw.body === null) return "taken";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const reader = raw.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const wasSmall = size <= SMALL;
    size += value.length;
    if (size > maxSize) return "too large";
    if (wasSmall && size > SMALL && !hasRoom(context, maxSize)) return "no room";
    chunks.push(value);
  }
  context.req.raw = new Request(raw, { body: Buffer.concat(chunks, size) });
  return "taken";
}

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
