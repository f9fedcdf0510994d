// Watches whether a provider accepts connections, from the start of a server on.

import { connect } from "node:net";
import type { Logger } from "../log.ts";

/** The timeout of the connection, in milliseconds. */
const PATIENCE = 5_000;
/** The time to the next check, in milliseconds, while there is no connection, and else. */
const [SOON, LATER] = [5_000, 60_000];

/** A provider, as the log and `/readyz` name it. */
export interface Watched {
  /** Its name, such as `embeddings provider`. */
  what: string;
  baseUrl: string;
  /** What the server does until the provider answers. */
  without: string;
}

/**
 * Watches a provider. Opens a connection and sends nothing, because the provider may charge for
 * requests. Logs when it can no longer be reached, and when it can again.
 */
export class Reachability {
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    readonly watched: Watched,
    readonly log: Logger,
  ) {
    void this.#check();
  }

  /** A sentence if the provider cannot be reached; undefined if it can. Names no address. */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const { what, baseUrl, without } = this.watched;
    const why = await unreachable(new URL(baseUrl));
    if (this.#isClosed) return;
    if (why !== undefined && this.#problem === undefined)
      this.log.warn(
        `The ${what} at ${baseUrl} cannot be reached (${why}): until it answers, ${without}`,
      );
    if (why === undefined && this.#problem !== undefined)
      this.log.info(`The ${what} at ${baseUrl} can be reached again`);
    this.#problem =
      why === undefined
        ? undefined
        : `the ${what} cannot be reached (${why}): until it answers, ${without}`;
    this.#timer = setTimeout(() => void this.#check(), why === undefined ? LATER : SOON);
    this.#timer.unref();
  }
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
