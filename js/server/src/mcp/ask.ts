// Requests of tools to the HTTP interface, and their refusals as sentences.

/**
 * Sends a request to the HTTP interface as the agent of the session. `cancelled` is aborted if the client
 * wants no answer any more.
 */
export type Ask = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  cancelled?: AbortSignal,
) => Promise<{ status: number; body: unknown }>;

/** Sends a request, and returns the body of its answer. Throws `Refused` if HTTP refuses it. */
export type Asked = <Answer>(...request: Parameters<Ask>) => Promise<Answer>;

/** A refusal, whose message is the answer of the tool; with the status if HTTP refused. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Returns `ask` with refusals as errors. */
export const refusing =
  (ask: Ask): Asked =>
  async <Answer>(...request: Parameters<Ask>) => {
    const { status, body } = await ask(...request);
    if (status < 400) return body as Answer;
    throw new Refused(sentenceOf(status, body), status);
  };

/** Returns a refusal of HTTP as a sentence. */
function sentenceOf(status: number, body: unknown): string {
  const { error = "the request failed", issues = [] } = (body ?? {}) as {
    error?: string;
    issues?: { path: string; message: string }[];
  };
  const faults = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  if (status === 404 && error === "not found")
    return "No memory has this id. Call recall to find it.";
  return faults.length === 0 ? `${error} (${status}).` : `${error}: ${faults.join("; ")}.`;
}
