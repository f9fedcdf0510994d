// Errors whose messages are for people: refusals are sent to the client, and wrong settings are told
// to the operator.

/** A fault of one field: its dotted path, and the reason. */
export interface Issue {
  path: string;
  message: string;
}

type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 429 | 503 | 507;

/** A refusal with its HTTP status. Its message is sent to the client unchanged. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: RefusalStatus;
  readonly issues: readonly Issue[];
  /** Seconds after which the request may succeed; undefined: those of the status. */
  readonly retryAfter: number | undefined;

  constructor(
    status: RefusalStatus,
    message: string,
    issues: readonly Issue[] = [],
    retryAfter?: number,
  ) {
    super(message);
    this.status = status;
    this.issues = issues;
    this.retryAfter = retryAfter;
  }
}

export const notFound = (): Refusal => new Refusal(404, "not found");

export const noRoom = (): Refusal =>
  new Refusal(507, "there is no room on the disk: try again when there is");

export const readOnly = (): Refusal =>
  new Refusal(
    503,
    "the memory may only be read: its files, their folder or its database cannot be written to",
  );

export const NOT_VALID = "the request is not valid";

/** Returns the refusal of one wrong field. */
export const wrong = (path: string, message: string): Refusal =>
  new Refusal(400, NOT_VALID, [{ path, message }]);

/** Thrown for an invalid setting. The message is a sentence for the operator. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
