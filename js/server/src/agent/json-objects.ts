// Bodies and figures that are JSON objects: playbooks, trades.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a text that is a JSON object; undefined for any other. */
export function fieldsIn(json: unknown): Fields | undefined {
  try {
    const fields: unknown = typeof json === "string" ? JSON.parse(json) : undefined;
    return isFields(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
