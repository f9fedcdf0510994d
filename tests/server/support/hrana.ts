// Starts a remote database for a test: hrana-server.mjs, which speaks sqld's protocol. No package
// registry has sqld itself.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("hrana-server.mjs", import.meta.url));

/** A fault that hits a request with a statement that contains `at`. */
export interface Trouble {
  at: string;
  /**
   * The connection breaks before the statement runs, or after it without an answer; the request is
   * never answered; the server answers with an error; the stream has expired; or the server answers
   * that the result is too large.
   */
  does: "break before" | "break after" | "hang" | "fail" | "expire" | "too large";
  times: number;
}

export interface Database {
  url: string;
  token: string;
  file: string;
  /** Options of a nous-server that uses this database. */
  options: string[];
  /** Sets the faults from now on, in place of earlier ones. */
  trouble(...troubles: Trouble[]): Promise<void>;
  /** Returns the number of requests since the last call. */
  requests(): Promise<number>;
  stop(): Promise<void>;
  /** Serves again at the same port. */
  startAgain(): Promise<void>;
}

export async function startDatabase(
  file = join(temporaryFolder(), "remote.db"),
): Promise<Database> {
  const token = "very-secret-token";
  let child: ChildProcess;
  const nextMessage = <T>() =>
    new Promise<T>((resolve) => child.once("message", (message) => resolve(message as T)));
  const serve = async (port: number) => {
    child = fork(PROGRAM, [file, token, String(port)]);
    return (await nextMessage<{ port: number }>()).port;
  };
  const say = (message: object) => {
    const answer = nextMessage<{ requests: number }>();
    child.send(message);
    return answer;
  };
  const port = await serve(0);
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    token,
    file,
    options: ["--database-url", url, "--database-token", token],
    trouble: async (...troubles) => void (await say({ troubles })),
    requests: async () => (await say({})).requests,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
    startAgain: async () => void (await serve(port)),
  };
}
