// Parses texts that are JSON objects, such as bodies of playbooks and figures of trades.

export type JsonObject = Readonly<Record<string, unknown>>;

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
