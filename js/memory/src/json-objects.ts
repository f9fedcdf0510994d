// Parses texts that are JSON objects, such as bodies of playbooks and figures of trades.

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON, and no list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the text of a body as prompts show it: the `text` of a JSON object, if it has one. */
export function shownBody(body: unknown): string | null {
  if (typeof body !== "string") return null;
  const text = body.startsWith("{") ? jsonObjectIn(body)?.text : undefined;
  return typeof text === "string" ? text : body;
}

/** Parses a text that is a JSON object; returns undefined for any other value. */
export function jsonObjectIn(json: unknown): JsonObject | undefined {
  try {
    const fields: unknown = typeof json === "string" ? JSON.parse(json) : undefined;
    return isJsonObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
