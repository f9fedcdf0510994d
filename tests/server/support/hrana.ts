// A database server of a test's own; see hrana.mjs. It is not sqld, which no package registry has.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("hrana-server.mjs", import.meta.url));

/** What a request is in for that has a statement with `at` in it. */
export interface Trouble {
  at: string;
  /**
   * The connection breaks off before the statement is done, or after it, without an answer; it is
   * never answered; the server fails; it has closed the stream; or it answers that the answer would
   * be too large.
   */
  does: "break before" | "break after" | "hang" | "fail" | "expire" | "too large";
  times: number;
}

export interface Database {
  url: string;
  token: string;
  file: string;
  /** Options of a server that has its memory there. */
  options: string[];
  /** From now on, in place of what was said before. */
  trouble(...troubles: Trouble[]): Promise<void>;
  /** Requests since this was asked last. */
  requests(): Promise<number>;
  stop(): Promise<void>;
  /** Serves again, where it did before. */
  startAgain(): Promise<void>;
}

export async function startDatabase(
  file = join(temporaryFolder(), "remote.db"),
): Promise<Database> {
  const token = "very-secret-token";
  let child: ChildProcess;
  const told = <T>() =>
    new Promise<T>((resolve) => child.once("message", (message) => resolve(message as T)));
  const serve = async (port: number) => {
    child = fork(PROGRAM, [file, token, String(port)]);
    return (await told<{ port: number }>()).port;
  };
  const say = (message: object) => {
    const answer = told<{ requests: number }>();
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
