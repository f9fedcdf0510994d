// Bodies and figures that are JSON objects: playbooks, trades.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a text that is a JSON object; undefined for any other. */
export function jsonObjectIn(json: unknown): JsonObject | undefined {
  try {
    const fields: unknown = typeof json === "string" ? JSON.parse(json) : undefined;
    return isJsonObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
