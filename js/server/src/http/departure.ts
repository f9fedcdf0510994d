// The connection that a request came by: what is under way for a client ends when the client goes.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "hono";

/** What Node has of a request; nothing where an app is asked without a server. */
interface Connected {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

const connected = ({ env }: Context): Connected => (env ?? {}) as Connected;

/** What a request is answered by, where that is HTTP. */
export const responseOf = (context: Context): ServerResponse | undefined =>
  connected(context).outgoing;

/** Is aborted when the connection ends before the request has been answered. */
export function departureOf(context: Context): AbortSignal | undefined {
  const response = responseOf(context);
  if (response === undefined) return undefined;
  const departure = new AbortController();
  const leave = () => {
    if (!response.writableFinished) departure.abort();
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return departure.signal;
}

/** Of each connection the last request's answer. */
const lastAnswers = new WeakMap<Socket, ServerResponse>();

/**
 * A connection's requests are answered one after another, and each is worked on when the client has
 * taken the answers before: else one that sends many and reads none would have all of them made.
 * Nothing where there is nothing to wait for.
 */
export function answersBefore(context: Context): Promise<void> | undefined {
  const { incoming, outgoing } = connected(context);
  if (incoming === undefined || outgoing === undefined) return undefined;
  const before = lastAnswers.get(incoming.socket);
  lastAnswers.set(incoming.socket, outgoing);
  if (before === undefined || before.writableFinished || before.destroyed) return undefined;
  return new Promise((resolve) => before.once("close", resolve));
}
