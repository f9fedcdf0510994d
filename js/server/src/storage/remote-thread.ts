// The thread that sends statements to a remote database, in Hrana over HTTP, while the agent's
// thread blocks: the store is synchronous, and the network is not. The synchronous client of the
// `libsql` package is not used: it waits for ever for a server that does not answer, and its errors
// have no codes.

import { workerData } from "node:worker_threads";
import {
  type HttpStream,
  openHttp,
  parseLibsqlUrl,
  ResponseError,
  type Value,
} from "@libsql/hrana-client";
import { answerCalls, type CallsSetup } from "./blocking-thread.ts";

/** The thread's worker data. */
export interface ThreadSetup extends CallsSetup {
  url: string;
  /** The access token. Empty: no token is sent. */
  token: string;
  /** The timeout of each request, in milliseconds. */
  timeout: number;
}

/**
 * A call to the thread. Calls between `begin` and `end` run in one transaction. `abandon` drops it,
 * and the server undoes it.
 */
export type RemoteCall =
  | { kind: "begin" | "end" | "script"; sql: string }
  | { kind: "statement"; sql: string; values: readonly unknown[] }
  | { kind: "abandon" };

/** The thread's answer to a call. */
export type Reply =
  | { rows: Record<string, unknown>[] }
  /** SQLite refused a statement. */
  | { refused: { code: string | undefined; message: string } }
  /** No usable answer. The reason, as a sentence without a full stop. */
  | { lost: string };

/**
 * Sent before each transaction: edges must be deleted with their memories, whatever the server's
 * default is. Within a transaction it cannot be set.
 */
const FOREIGN_KEYS = "PRAGMA foreign_keys = ON";

/** Sentences for the codes with which the server ends a request or transaction. */
const GIVEN_UP: Readonly<Record<string, string>> = {
  TRANSACTION_TIMEOUT: "ended the transaction, which took too long",
  TRANSACTION_BUSY: "has too much to do",
  RESPONSE_TOO_LARGE: "gives no answer of that size",
  BLOCKED: "is blocked where it is kept",
};

const setup = workerData as ThreadSetup;
const { url, token, timeout } = setup;
const client = openHttp(
  parseLibsqlUrl(url).hranaHttpUrl!,
  token === "" ? undefined : token,
  patiently,
);
// Another program may have stored integers beyond the safe range.
client.intMode = "bigint";
/** The connection of the open transaction; undefined outside a transaction. */
let transaction: HttpStream | undefined;

/** Thrown if the server refuses a request. */
class Refused extends Error {}

async function patiently(request: Request): Promise<Response> {
  // A redirect would send the statements, and perhaps the token, to another server.
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
  // The pending statements and the close of the connection go out as one request.
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

answerCalls(setup, async (asked: RemoteCall): Promise<Reply> => {
  try {
    return await perform(asked);
  } catch (error) {
    const reply = failureOf(error);
    if ("lost" in reply || asked.kind === "begin") forget();
    return reply;
  }
});
