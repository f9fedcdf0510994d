// The end of a client's connection: it cancels the work for the client's request.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "hono";
import type { Caller } from "../keys/access.ts";

/** Node's request and response; undefined if the app is called without a server, as in tests. */
interface Connected {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
  /** Of a request that is made for another one: whether the client of that one has gone. */
  departure?: AbortSignal | undefined;
  /** Of such a request: whether the other one counts for it. */
  isCounted?: boolean;
  /** Of such a request: the caller of the other one, whose token is for that one alone. */
  caller?: Caller | undefined;
}

const connected = ({ env }: Context): Connected => (env ?? {}) as Connected;

/** Returns Node's response; undefined if the app is called without a server. */
export const responseOf = (context: Context): ServerResponse | undefined =>
  connected(context).outgoing;

/** Returns whether a request is made for another one, which was counted. */
export const isCounted = (context: Context): boolean => connected(context).isCounted ?? false;

/** Returns the caller of the request that a request is made for, if that one's token counts for it. */
export const callerBefore = (context: Context): Caller | undefined => connected(context).caller;

/** Returns a signal that is aborted if the connection ends before the response is complete. */
export function departureOf(context: Context): AbortSignal | undefined {
  const response = responseOf(context);
  if (response === undefined) return connected(context).departure;
  const departure = new AbortController();
  const leave = () => {
    if (!response.writableFinished) departure.abort();
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return departure.signal;
}

/** The response to the last request of each connection. */
const lastAnswers = new WeakMap<Socket, ServerResponse>();

/**
 * Resolves when the client has read the answers to its earlier requests on the connection. Without
 * this wait a client that sends many requests and reads no answer would have all answers computed.
 * Returns undefined if there is nothing to wait for.
 */
export function answersBefore(context: Context): Promise<void> | undefined {
  const { incoming, outgoing } = connected(context);
  if (incoming === undefined || outgoing === undefined) return undefined;
  const before = lastAnswers.get(incoming.socket);
  lastAnswers.set(incoming.socket, outgoing);
  if (before === undefined || before.writableFinished || before.destroyed) return undefined;
  return new Promise((resolve) => before.once("close", resolve));
}
