// MCP over standard input and output: `nous-server mcp`. Nothing but the protocol is written to
// standard output; the log goes to standard error.
//
// A client starts a process of its own for each session. If a server serves the data folder, the
// process asks that server. Otherwise it starts one in its own process, on a free port of loopback, when
// the first tool is called; processes of other clients then find that one. Several servers on one folder
// see each other's writes, so that a race between two starts loses nothing.

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { BASE } from "../http/base-path.ts";
import type { Logger } from "../log.ts";
import type { RunningServer } from "../server.ts";
import type { InForce } from "../settings/read.ts";
import { addressIn } from "../storage/address-file.ts";
import { placeOf } from "../storage/place.ts";
import { type Ask, mcpServer } from "./tools.ts";

/** How long a server may take to say that it lives, in milliseconds. */
const PATIENCE = 1_000;

export interface StdioOptions {
  agent: string;
  /** The key of the server, if it has keys. */
  key: string | undefined;
  log: Logger;
  worker: URL;
  version: string;
}

/** Serves until standard input ends. */
export async function serveStdio(inForce: InForce, options: StdioOptions): Promise<void> {
  const server = new FoundServer(inForce, options);
  const transport = new StdioServerTransport();
  await mcpServer(server.ask, options.version).connect(transport);
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  await server.stop();
}

/** The server of the data folder: one that runs already, or one of this process. */
class FoundServer {
  #own: RunningServer | undefined;
  #url: Promise<string> | undefined;

  constructor(
    readonly inForce: InForce,
    readonly options: StdioOptions,
  ) {}

  /** Sends a request. If the server has stopped since, finds or starts another and asks again. */
  readonly ask: Ask = async (...request) => {
    this.#url ??= this.#find();
    try {
      return await this.#send(await this.#url, ...request);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#url = this.#find();
      return this.#send(await this.#url, ...request);
    }
  };

  async stop(): Promise<void> {
    await this.#url?.catch(() => {});
    await this.#own?.stop();
  }

  async #send(
    url: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }> {
    const { agent, key } = this.options;
    const answer = await fetch(`${url}${BASE}${path}`, {
      method,
      headers: {
        "x-nous-agent": agent,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  async #find(): Promise<string> {
    const { log, worker, version } = this.options;
    const known = addressIn(placeOf(this.inForce.settings).dataDir);
    if (this.#own === undefined && known !== undefined && (await lives(known.url))) {
      log.info({ url: known.url }, "Asks the server of the data folder");
      return known.url;
    }
    if (this.#own === undefined) {
      const settings = { ...this.inForce.settings, host: "127.0.0.1", port: 0 };
      const { startServer } = await import("../server.ts");
      this.#own = await startServer({ ...this.inForce, settings }, { log, worker, version });
      log.info({ url: this.#own.url }, "Serves the data folder");
    }
    return this.#own.url;
  }
}

async function lives(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(PATIENCE) });
    return ok;
  } catch {
    return false;
  }
}
