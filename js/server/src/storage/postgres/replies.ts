// What errors of PostgreSQL and of its driver mean: a refused statement, or a connection that is lost.

import { RemoteError, StorageError } from "../errors.ts";
import type { PostgresReply } from "./protocol.ts";

/** A reply without rows. */
type FailedReply = Exclude<PostgresReply, { rows: unknown }>;

/** Classes of SQLSTATE with which the server ends a connection, or takes no more of them. */
const GIVEN_UP = /^(08|57P|53)/;
/** The SQLSTATE of a statement that took longer than its timeout. */
const TIMED_OUT = "57014";
/** SQLSTATEs, and the codes of the store's errors for them. */
const LOCK_NOT_AVAILABLE = "55P03";
const BUSY = "SQLITE_BUSY";

/** Returns whether an error means that the connection cannot be used any more. */
export function isLost(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string };
  return severity === undefined || GIVEN_UP.test(code ?? "") || code === TIMED_OUT;
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
  if (code === LOCK_NOT_AVAILABLE)
    return new StorageError("another connection is writing this memory", { code: BUSY });
  return new StorageError(`PostgreSQL refuses a statement (${code}): ${message}`, { code });
}
