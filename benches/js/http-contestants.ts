// The servers of the HTTP bench, each in a process of its own, and their client.

import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { resolve } from "node:path";

/** The built program of nous-server. */
export const NOUS = resolve("js/server/dist/cli.mjs");
/** The plain server, as `npm run bench` bundles it. */
const PLAIN = resolve(".cache/programs/benches-js-plain-server-main.mjs");

/**
 * The timeout of a server's start, in milliseconds: it may have to build an index of 100,000
 * memories.
 */
const PATIENCE = 300_000;

export const CONTESTANTS = ["plain", "nous-server"] as const;
/** The name of a server. */
export type Contestant = (typeof CONTESTANTS)[number];

/** Starts a server on a folder that holds its database. */
export async function startContestant(
  contestant: Contestant,
  folder: string,
  file: string,
): Promise<RunningServer> {
  const quiet = [
    "--port",
    "0",
    "--data-dir",
    folder,
    "--log-level",
    "error",
    "--decay-interval",
    "0",
  ];
  // Both rank by signals.
  const options = ["--ranking", "signals", ...quiet];
  const args = contestant === "plain" ? [PLAIN, file] : [NOUS, "serve", ...options];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new RunningServer(child, await listening(child));
}

/** Resolves to the URL of a server once it prints that it listens. */
export function listening(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    child.once("exit", (code) => {
      clearTimeout(late);
      reject(new Error(`a server ended with ${code} before it listened`));
    });
    let output = "";
    child.stdout!.on("data", (text) => {
      output += text;
      const found = /listens on (\S+)\n/.exec(output);
      if (found === null) return;
      clearTimeout(late);
      resolve(new URL(found[1]!));
    });
  });
}

/** An answer, and the nanoseconds from the first byte sent to the last byte received. */
export interface Timed {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  body: any;
  nanoseconds: number;
}

/** A started server, and a client for it. */
export class RunningServer {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(
    readonly child: ChildProcess,
    readonly url: URL,
  ) {}

  /**
   * Sends a request, for example `ask("POST /search", {...})`. A string body is sent as JSON text.
   * A path that begins with `//` is not below `/v1`.
   */
  async ask(call: string, body?: object | string, agent = "default"): Promise<Timed> {
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    const start = performance.now();
    const { status, answer } = await this.#exchange(call, text, agent);
    const nanoseconds = (performance.now() - start) * 1e6;
    if (status >= 300) throw new Error(`${call} was answered with ${status}: ${answer}`);
    return { body: JSON.parse(answer), nanoseconds };
  }

  #exchange(
    call: string,
    text: string | undefined,
    agent: string,
  ): Promise<{ status: number; answer: string }> {
    const [method, path] = call.split(" ") as [string, string];
    const whole = path.startsWith("//") ? path.slice(1) : `/v1${path}`;
    const headers = {
      "x-nous-agent": agent,
      ...(text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: this.url.hostname,
          port: this.url.port,
          agent: this.#agent,
          method,
          path: whole,
          headers,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () => {
            resolve({
              status: response.statusCode!,
              answer: Buffer.concat(chunks).toString("utf8"),
            });
          });
        },
      );
      asked.once("error", reject);
      asked.end(text);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    await ended;
  }
}
