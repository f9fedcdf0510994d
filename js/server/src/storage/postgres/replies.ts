// What errors of PostgreSQL and of its driver mean: a refused statement, or a connection that is lost.

import { RemoteError, StorageError } from "../errors.ts";
import type { PostgresReply } from "./protocol.ts";

/** A reply without rows. */
type FailedReply = Exclude<PostgresReply, { rows: unknown }>;

/** Classes of SQLSTATE with which the server ends a connection, or takes no more of them. */
const GIVEN_UP = /^(08|28|3D|57P|53)/;
/** The severity of an error that ends the connection, in most languages of PostgreSQL. */
const FATAL = "FATAL";
/** The SQLSTATE of a statement that took longer than its timeout. */
const TIMED_OUT = "57014";
/** The SQLSTATE of a write without free space. The connection stays usable. */
const DISK_FULL = "53100";
/** SQLSTATEs that every store knows by a code of SQLite, with a message. */
const OF_ALL_STORES: Readonly<Record<string, { code: string; message: string }>> = {
  "55P03": { code: "SQLITE_BUSY", message: "another connection is writing this memory" },
  "25006": { code: "SQLITE_READONLY", message: "the database takes no writes" },
  [DISK_FULL]: { code: "SQLITE_FULL", message: "the database has no free space" },
};

/** Returns whether an error means that the connection cannot be used any more. */
export function isLost(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string };
  if (code === DISK_FULL) return false;
  const isGivenUp = severity === undefined || severity === FATAL || GIVEN_UP.test(code ?? "");
  return isGivenUp || code === TIMED_OUT;
}

/** Returns the reply to a call that failed. `timeout` is that of the call, in milliseconds. */
export function replyTo(error: unknown, timeout: number): FailedReply {
  const { code, message, severity } = error as Error & { code?: string; severity?: string };
  if (!isLost(error)) return { refused: { code, message } };
  if (code === TIMED_OUT) return { lost: `did not answer within ${timeout} ms` };
  // PostgreSQL's own words about a connection that it refuses hold no statement.
  if (severity !== undefined) return { lost: `ended the connection: ${message}` };
  if (/timeout/i.test(message))
    return { lost: `did not answer, or has no free connection, within ${timeout} ms` };
  return { lost: "cannot be reached, or broke off" };
}

/** Returns the error of a call that failed: a `RemoteError`, or a `StorageError` for a refusal. */
export const failureOf = (reply: FailedReply): Error =>
  "lost" in reply ? new RemoteError(`the database ${reply.lost}`) : refusalOf(reply.refused);

function refusalOf({ code, message }: { code: string | undefined; message: string }): Error {
  const known = OF_ALL_STORES[code ?? ""];
  if (known !== undefined) return new StorageError(known.message, { code: known.code });
  return new StorageError(`PostgreSQL refuses a statement (${code}): ${message}`, { code });
}
