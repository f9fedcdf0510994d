// The thread that speaks with a database elsewhere, in Hrana over HTTP, while the agent's thread
// waits: the store is synchronous, and the network is not. The synchronous client of the `libsql`
// package waits for ever where nobody answers, and says what went wrong in words alone.

import { type MessagePort, workerData } from "node:worker_threads";
import {
  type HttpStream,
  openHttp,
  parseLibsqlUrl,
  ResponseError,
  type Value,
} from "@libsql/hrana-client";

/** What the thread is started with. */
export interface ThreadSetup {
  port: MessagePort;
  /** Is 1 once the answer has been sent. */
  answered: Int32Array;
  url: string;
  /** None where it is empty. */
  token: string;
  /** For each request, in milliseconds. */
  timeout: number;
}

/**
 * `begin` opens a transaction, in which everything is until `end`. One that is abandoned is undone
 * by the server.
 */
export type RemoteCall =
  | { kind: "begin" | "end" | "script"; sql: string }
  | { kind: "statement"; sql: string; values: readonly unknown[] }
  | { kind: "abandon" };

export type Reply =
  | { rows: Record<string, unknown>[] }
  /** SQLite refused a statement. */
  | { refused: { code: string | undefined; message: string } }
  /** There is no answer to go on with; why, as a sentence without its end. */
  | { lost: string };

/**
 * That edges go with their memories is not to hang on what the server is set to; within a
 * transaction it cannot be set.
 */
const FOREIGN_KEYS = "PRAGMA foreign_keys = ON";

/** What the server says when it gives up, by its codes. */
const GIVEN_UP: Readonly<Record<string, string>> = {
  TRANSACTION_TIMEOUT: "ended the transaction, which took too long",
  TRANSACTION_BUSY: "has too much to do",
  RESPONSE_TOO_LARGE: "gives no answer of that size",
  BLOCKED: "is blocked where it is kept",
};

const { port, answered, url, token, timeout } = workerData as ThreadSetup;
const client = openHttp(
  parseLibsqlUrl(url).hranaHttpUrl!,
  token === "" ? undefined : token,
  patiently,
);
// Others may have stored any number.
client.intMode = "bigint";
/** The connection of the transaction, while there is one. */
let transaction: HttpStream | undefined;

/** The server does not do what it is asked for. */
class Refused extends Error {}

async function patiently(request: Request): Promise<Response> {
  // Whoever a redirect leads to would get the statements, and perhaps the token.
  const response = await fetch(request, {
    signal: AbortSignal.timeout(timeout),
    redirect: "manual",
  });
  if (response.ok) return response;
  await response.body?.cancel();
  const { status } = response;
  throw new Refused(
    status === 401 || status === 403 ? "refuses the token" : `answered with status ${status}`,
  );
}

async function perform(asked: RemoteCall): Promise<Reply> {
  if (asked.kind === "abandon") {
    forget();
    return { rows: [] };
  }
  const stream = transaction ?? client.openStream();
  const before = asked.kind === "begin" ? stream.sequence(FOREIGN_KEYS) : undefined;
  if (asked.kind === "begin") transaction = stream;
  const done = asked.kind === "statement" ? rowsOf(stream, asked) : stream.sequence(asked.sql);
  if (asked.kind === "end") transaction = undefined;
  // What has been asked goes out as one request, and the end of the connection with it.
  if (stream !== transaction) stream.closeGracefully();
  const [rows] = await Promise.all([done, before]);
  return { rows: rows ?? [] };
}

async function rowsOf(
  stream: HttpStream,
  { sql, values }: Extract<RemoteCall, { kind: "statement" }>,
): Promise<Record<string, unknown>[]> {
  const { rows, columnNames } = await stream.query([sql, [...(values as Value[])]]);
  return rows.map((row) =>
    Object.fromEntries(columnNames.map((name, place) => [name ?? "", plain(row[place])])),
  );
}

const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);

function forget(): void {
  transaction?.close();
  transaction = undefined;
}

function failureOf(error: unknown): Reply {
  if (error instanceof ResponseError) {
    const { code, message } = error;
    const why = GIVEN_UP[code ?? ""];
    return why === undefined ? { refused: { code, message } } : { lost: why };
  }
  if (error instanceof Refused) return { lost: error.message };
  const isLate = (error as Error).name === "TimeoutError";
  return {
    lost: isLate ? `did not answer within ${timeout} ms` : "cannot be reached, or broke off",
  };
}

port.on("message", async (asked: RemoteCall) => {
  let reply: Reply;
  try {
    reply = await perform(asked);
  } catch (error) {
    reply = failureOf(error);
    if ("lost" in reply || asked.kind === "begin") forget();
  }
  port.postMessage(reply);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
