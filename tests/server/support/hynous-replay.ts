// Sends the calls of hynous-calls.ts to a server, and returns the answers that differ from that
// table.

import { type Call, type HttpRequest, Matching, METHODS } from "./hynous-calls.ts";

export interface Replied {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  body: any;
}

/** Answers by the names that the table gives to calls. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Names = Map<string, any>;

/** Sends calls in order. Returns a line for each answer that differs. */
export async function replay(
  calls: readonly Call[],
  ask: (request: HttpRequest) => Promise<Replied>,
  names: Names = new Map(),
): Promise<string[]> {
  const differences: string[] = [];
  for (const [place, { method, args, status, answer, as }] of calls.entries()) {
    const request = METHODS[method](named(args, names));
    const replied = await ask(request);
    if (as !== undefined) names.set(as, replied.body);
    const found = [
      ...(replied.status === status ? [] : [`status ${replied.status}, not ${status}`]),
      ...differencesOf(replied.body, named(answer, names), ""),
    ];
    if (found.length > 0)
      differences.push(`${place} ${method} ${JSON.stringify(args)}: ${found.join("; ")}`);
  }
  return differences;
}

/** Replaces references to earlier calls by the ids that those calls returned. */
function named(value: unknown, names: Names): unknown {
  if (typeof value === "string") return value.startsWith("$") ? idOf(value.slice(1), names) : value;
  if (value instanceof Matching) return new Matching(patternOf(value.pattern, names));
  if (Array.isArray(value)) return value.map((entry) => named(entry, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, named(entry, names)]),
  );
}

function idOf(reference: string, names: Names): string {
  const [, name, place] = /^(.*?)(?:\.(\d+))?$/.exec(reference)!;
  const body = names.get(name!);
  const id = place === undefined ? body?.id : body?.data?.[Number(place)]?.id;
  return id ?? `nothing is called ${reference}`;
}

function patternOf(pattern: string, names: Names): string {
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  return longestFirst.reduce(
    (text, name) => text.replaceAll(`$${name}`, () => names.get(name)?.id ?? name),
    pattern,
  );
}

function differencesOf(found: unknown, expected: unknown, path: string): string[] {
  const difference = () => [`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  if (expected instanceof Matching)
    return new RegExp(expected.pattern, "s").test(String(found)) ? [] : difference();
  if (typeof expected !== "object" || expected === null)
    return Object.is(found, expected) ? [] : difference();
  if (typeof found !== "object" || found === null) return difference();
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return difference();
    return expected.flatMap((entry, place) =>
      differencesOf(found[place], entry, `${path}[${place}]`),
    );
  }
  return Object.entries(expected).flatMap(([key, entry]) =>
    differencesOf(
      (found as Record<string, unknown>)[key],
      entry,
      path === "" ? key : `${path}.${key}`,
    ),
  );
}
