// Starts the built server as users do: in a process of its own, called over HTTP.

import { type ChildProcess, spawn } from "node:child_process";
import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { databaseOptions } from "./on-postgres.ts";

export const PROGRAM = fileURLToPath(new URL("../../../js/server/dist/cli.mjs", import.meta.url));

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which the tests are about
  body: any;
  headers: Headers;
}

export interface Running {
  url: string;
  dataDir: string;
  process: ChildProcess;
  /** Returns everything that it has logged. */
  log(): string;
  /** Sends a request, by default of the agent `default`. A body other than a string is JSON. */
  ask(call: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends the server. Returns its exit code or the signal that ended it. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** How the process of a server is started. */
export interface Surroundings {
  /** Options of Node, before the program. */
  node?: readonly string[];
  /** Environment variables beside those of the tests. */
  env?: NodeJS.ProcessEnv;
  /** A command with options that runs the program, such as `setpriv`. */
  under?: readonly string[];
}

/** Thrown if a server ends before it listens. */
export class Ended extends Error {
  constructor(
    readonly how: number | NodeJS.Signals | null,
    logged: string,
  ) {
    super(`the server ended with ${how}: ${logged}`);
  }
}

/** No periodic sweeps: they would change memories at any moment of a test. */
const UNSWEPT = ["--decay-interval", "0"];

/**
 * Starts a server on a free port, and waits until it listens. The server is killed after the test,
 * unless its scope is the file. It sweeps periodically only if the options say so.
 */
export async function start(
  dataDir: string,
  options: readonly string[] = [],
  scope: "test" | "file" = "test",
  { node = [], env = {}, under = [] }: Surroundings = {},
): Promise<Running> {
  const place = options.includes("--database-url") ? [] : await databaseOptions(dataDir);
  const common = ["--port", "0", "--data-dir", dataDir, ...place, ...UNSWEPT];
  const args = [PROGRAM, "serve", ...common, ...options];
  const [command, ...rest] = [...under, process.execPath, ...node, ...args] as [
    string,
    ...string[],
  ];
  const child = spawn(command, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  if (scope === "test") onTestFinished(() => void child.kill("SIGKILL"));
  // A fetch that was connecting when the server was killed could wait forever.
  const gone = new AbortController();
  // Every request adds a listener.
  setMaxListeners(0, gone.signal);
  child.once("exit", () => gone.abort());
  let [printed, logged] = ["", ""];
  child.stderr.on("data", (text) => {
    logged += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code, by) => reject(new Ended(code ?? by, logged)));
    child.stdout.on("data", (text) => {
      printed += text;
      const found = /listens on (\S+)\n/.exec(printed);
      if (found) resolve(found[1]!);
    });
  });
  return {
    url,
    dataDir,
    process: child,
    log: () => logged,
    ask: (call, body, headers) => ask(url, call, body, headers, gone.signal),
    end: (signal = "SIGTERM") =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null)
          resolve(child.exitCode ?? child.signalCode);
        child.once("exit", (code, by) => resolve(code ?? by));
        child.kill(signal);
      }),
  };
}

/** When the loop of events turned last, to half a second. */
let turned = performance.now();
setInterval(() => {
  turned = performance.now();
}, 500).unref();
/** A server closes idle connections after five seconds. */
const LONG_BLOCKED = 2_000;

/** `ask(url, "POST /nodes", {...})`. A path that begins with `//` is not under `/v1`. */
async function ask(
  url: string,
  call: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal,
): Promise<Answer> {
  const [method, path] = call.split(" ") as [string, string];
  // A property that blocked the thread kept it from seeing that a connection was closed.
  if (performance.now() - turned > LONG_BLOCKED) await setImmediate();
  const response = await fetch(path.startsWith("//") ? url + path.slice(1) : `${url}/v1${path}`, {
    method,
    signal,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}
