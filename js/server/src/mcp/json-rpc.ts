// Messages of JSON-RPC as clients write them: one, or a batch; some without the form, and some with null
// where they mean "not given". What cannot be read is answered by an error, never by silence.

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";

/** The codes of errors about messages. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;

/** The most messages of a batch. */
const MAX_BATCH = 100;

/** The answer to something that is no message. */
export interface Fault {
  jsonrpc: "2.0";
  /** The id of the request, if it has one. */
  id: RequestId | null;
  error: { code: number; message: string };
}

/** A text of JSON-RPC: messages and faults, in their order. */
export interface ReadText {
  items: readonly ({ message: JSONRPCMessage } | { fault: Fault })[];
  isBatch: boolean;
}

export const faultOf = (code: number, message: string, id: RequestId | null = null): Fault => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

/** Reads a text of JSON-RPC. A batch holds at least one item. */
export function readMessages(text: string): ReadText {
  const wrong = (code: number, problem: string): ReadText => ({
    items: [{ fault: faultOf(code, problem) }],
    isBatch: false,
  });
  let given: unknown;
  try {
    // Pipes of Windows begin with a byte order mark.
    given = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return wrong(PARSE_ERROR, "Parse error: the message is not JSON");
  }
  if (!Array.isArray(given)) return { items: [itemOf(given)], isBatch: false };
  if (given.length === 0) return wrong(INVALID_REQUEST, "Invalid Request: the batch is empty");
  if (given.length > MAX_BATCH)
    return wrong(INVALID_REQUEST, `Invalid Request: a batch has at most ${MAX_BATCH} messages`);
  return { items: given.map(itemOf), isBatch: true };
}

function itemOf(given: unknown): ReadText["items"][number] {
  const message = withoutNulls(given);
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
    return { message };
  const { id } = (message ?? {}) as { id?: unknown };
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return {
    fault: faultOf(INVALID_REQUEST, "Invalid Request: it is no message of JSON-RPC", known),
  };
}

/** Returns a message without `params` and `arguments` that are null. */
function withoutNulls(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  const { params, ...message } = given as { params?: unknown };
  if (params === null) return message;
  if (typeof params !== "object") return given;
  const { arguments: those, ...rest } = params as { arguments?: unknown };
  return those === null ? { ...message, params: rest } : given;
}

/**
 * Returns the ids of the requests of a batch that a later message of the same batch cancels. Such a
 * request is not answered.
 */
export function cancelledIn({ items }: ReadText): ReadonlySet<RequestId> {
  const asked = new Set<RequestId>();
  const cancelled = new Set<RequestId>();
  for (const item of items) {
    if (!("message" in item)) continue;
    if (isJSONRPCRequest(item.message)) asked.add(item.message.id);
    const id = cancelledBy(item.message);
    if (id !== undefined && asked.has(id)) cancelled.add(id);
  }
  return cancelled;
}

/** Returns the id of the request that a message cancels; undefined if it cancels none. */
export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled")
    return undefined;
  return message.params?.requestId as RequestId | undefined;
}
