// Deep equality to the bit: numbers by Object.is, so that 0 and −0, and any two doubles, are told
// apart.

/**
 * The path of the first difference, with both values, or null if there is none. Objects are
 * compared by their own enumerable keys in any order; a key with an undefined value differs from a
 * missing key.
 */
export function same(actual: unknown, expected: unknown, path = "$"): string | null {
  if (Object.is(actual, expected)) return null;
  const differ = () => `${path}: ${show(actual)} is not ${show(expected)}`;
  if (typeof actual !== "object" || typeof expected !== "object") return differ();
  if (actual === null || expected === null) return differ();

  if (actual instanceof Date || expected instanceof Date) {
    const both = actual instanceof Date && expected instanceof Date;
    return both && Object.is(actual.getTime(), expected.getTime()) ? null : differ();
  }
  if (isList(actual) || isList(expected)) {
    if (!isList(actual) || !isList(expected)) return differ();
    if (ArrayBuffer.isView(actual) !== ArrayBuffer.isView(expected)) return differ();
    if (actual.length !== expected.length) {
      return `${path}.length: ${actual.length} is not ${expected.length}`;
    }
    for (let i = 0; i < expected.length; i++) {
      const difference = same(actual[i], expected[i], `${path}[${i}]`);
      if (difference !== null) return difference;
    }
    return null;
  }

  const left = actual as Record<string, unknown>;
  const right = expected as Record<string, unknown>;
  for (const key of Object.keys(left)) {
    if (!Object.hasOwn(right, key)) return `${path}.${key}: ${show(left[key])} is not expected`;
  }
  for (const key of Object.keys(right)) {
    if (!Object.hasOwn(left, key)) return `${path}.${key}: ${show(right[key])} is missing`;
    const difference = same(left[key], right[key], `${path}.${key}`);
    if (difference !== null) return difference;
  }
  return null;
}

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function show(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  return typeof value === "object" ? (JSON.stringify(value) ?? String(value)) : String(value);
}
