// Checks at the start of a server whether a provider accepts connections.

import { connect } from "node:net";
import type { Logger } from "../log.ts";

/** The timeout of the connection, in milliseconds. */
const PATIENCE = 5_000;

/**
 * Logs a warning if a provider's address refuses connections. Sends no request, because the
 * provider may charge for it.
 *
 * @param without What the server does until the provider answers.
 */
export async function warnIfUnreachable(
  what: string,
  baseUrl: string,
  { log, without }: { log: Logger; without: string },
): Promise<void> {
  const why = await unreachable(new URL(baseUrl));
  if (why !== undefined)
    log.warn(`The ${what} at ${baseUrl} cannot be reached (${why}): until it answers, ${without}`);
}

/** Returns why there is no connection; undefined if there is one. */
function unreachable({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  });
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(PATIENCE, () => resolve(`no connection within ${PATIENCE} ms`));
    socket.once("connect", () => resolve(undefined));
    socket.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
  }).finally(() => socket.destroy());
}
