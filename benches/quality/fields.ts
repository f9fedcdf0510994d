// Checks the fields of files with questions. Errors name the place, the field and the value.

/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns an object.
 *
 * @param names - The fields that it may have. Default: any.
 * @throws {Error} If the value is no object, or has another field.
 */
export function record(value: unknown, place: string, names?: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${place}: ${shown(value)} is no object`);
  const unknown = Object.keys(value).find((name) => names?.includes(name) === false);
  if (unknown !== undefined)
    throw new Error(`${place}: unknown field ${unknown}. Known are ${names!.join(", ")}`);
  return value as Fields;
}

/**
 * Returns a list.
 *
 * @throws {Error} If the value is no list.
 */
export function list(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place}: ${shown(value)} is no list`);
  return value;
}

/**
 * Returns a field that holds a text.
 *
 * @throws {Error} If the field holds no text, or a blank one.
 */
export function text(fields: Fields, name: string, place: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value.trim() === "")
    throw new Error(`${place}.${name}: ${shown(value)} is no text`);
  return value;
}

/** Returns whether the calendar has the day, YYYY-MM-DD. `Date.parse` takes 30 February for 2 March. */
export function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const MAX_SHOWN = 60;

/** Returns a value as JSON, cut short; `nothing` for undefined. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value);
  return json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}…` : json;
}
