// Parses texts that are JSON objects, such as bodies of playbooks and figures of trades.

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON, and no list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a text that is a JSON object; returns undefined for any other value. */
export function jsonObjectIn(json: unknown): JsonObject | undefined {
  try {
    const fields: unknown = typeof json === "string" ? JSON.parse(json) : undefined;
    return isJsonObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
