// MCP over standard input and output: `nous-server mcp`. Nothing but the protocol is written to
// standard output; the log goes to standard error.
//
// A client starts a process of its own for each session. If a server serves the data folder, the
// process asks that server. Otherwise it starts one in its own process, on a free port of loopback, when
// the first tool is called; processes of other clients then find that one. Several servers on one folder
// see each other's writes, so that a race between two starts loses nothing.

import { BASE, INSTANCE_HEADER } from "../api/base-path.ts";
import type { Logger } from "../log.ts";
import { asHeader } from "../settings/agent-names.ts";
import type { InForce } from "../settings/read.ts";
import { type Address, addressIn } from "../storage/address-file.ts";
import { placeOf } from "../storage/place.ts";
import { type Ask, Refused } from "./ask.ts";
import { whatWasRead } from "./early.ts";
import { keyProblem } from "./key.ts";
import { LineTransport } from "./lines.ts";
import { mcpServer } from "./server.ts";
import type { ToolSet } from "./tool-sets.ts";

/** How long a server may take to say that it lives, in milliseconds. */
const PATIENCE = 1_000;
/** How long the last messages take from the input to a request, and from its answer to the output. */
const SETTLING = 50;

export interface StdioOptions {
  agent: string;
  /** The key of the server, if it has keys. */
  key: string | undefined;
  log: Logger;
  worker: URL;
  version: string;
  /** Starts a server in this process. */
  startServer: StartServer;
}

/** Starts a server; see `startServer` of server.ts, which this file does not import: it serves MCP. */
export type StartServer = (
  inForce: InForce,
  options: { log: Logger; worker: URL; version: string },
) => Promise<{ readonly url: string; stop(): Promise<void> }>;

/** Serves until standard input ends. */
export async function serveStdio(
  inForce: InForce,
  { tools, ...options }: StdioOptions & { tools: ToolSet },
): Promise<void> {
  const server = new FoundServer(inForce, options);
  const { input, answered } = whatWasRead() ?? { input: process.stdin, answered: undefined };
  const hasEnded = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    process.stdout.once("error", () => resolve());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  const transport = new LineTransport(input, process.stdout, answered);
  await mcpServer(server.ask, options.version, tools).connect(transport);
  await hasEnded;
  // Calls that came before the end are answered.
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  await server.idle();
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  await server.stop();
}

/** The server of the data folder: one that runs already, or one of this process. */
export class FoundServer {
  #own: Awaited<ReturnType<StartServer>> | undefined;
  #url: Promise<string> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    readonly inForce: InForce,
    readonly options: StdioOptions,
  ) {}

  /** Sends a request. If the server has stopped since, finds or starts another and asks again. */
  readonly ask: Ask = (...request) => {
    const answer = this.#ask(...request);
    this.#underWay.add(answer);
    const done = () => this.#underWay.delete(answer);
    answer.then(done, done);
    return answer;
  };

  async #ask(...request: Parameters<Ask>): ReturnType<Ask> {
    const url = this.#address();
    try {
      return await this.#send(await url, ...request);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Of several requests that fail at once, the first finds another server.
      if (this.#url === url) this.#url = undefined;
      return this.#send(await this.#address(), ...request);
    }
  }

  /** Returns the address of a server. A failure is not kept: the next request tries again. */
  #address(): Promise<string> {
    const known = this.#url;
    if (known !== undefined) return known;
    const found = this.#find();
    this.#url = found;
    found.catch(() => {
      if (this.#url === found) this.#url = undefined;
    });
    return found;
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async stop(): Promise<void> {
    await this.#url?.catch(() => {});
    await this.#own?.stop();
  }

  async #send(
    url: string,
    method: string,
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: unknown }> {
    const { agent, key } = this.options;
    const answer = await fetch(`${url}${BASE}${path}`, {
      method,
      headers: {
        "x-nous-agent": asHeader(agent),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const said = (await answer.json()) as { error?: string };
    const problem = keyProblem(answer.status, said.error, { agent, hasKey: key !== undefined });
    if (problem !== undefined) throw new Refused(problem);
    return { status: answer.status, body: said };
  }

  async #find(): Promise<string> {
    const { log, worker, version, startServer } = this.options;
    const known = addressIn(placeOf(this.inForce.settings).dataDir);
    if (this.#own === undefined && known !== undefined && (await lives(known))) {
      log.info({ url: known.url }, "Asks the server of the data folder");
      return known.url;
    }
    if (this.#own === undefined) {
      const own = { host: "127.0.0.1", port: 0, mcp_oauth_issuer: "" };
      const settings = { ...this.inForce.settings, ...own };
      this.#own = await startServer({ ...this.inForce, settings }, { log, worker, version });
      log.info({ url: this.#own.url }, "Serves the data folder");
    }
    return this.#own.url;
  }
}

/** Whether the server of the address is the one that wrote it. */
async function lives({ url, instance }: Address): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(PATIENCE) });
    return ok && headers.get(INSTANCE_HEADER) === instance;
  } catch {
    return false;
  }
}
