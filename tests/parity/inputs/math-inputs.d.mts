/** The kinds of arguments that `inputs` knows. */
export const KINDS: readonly string[];

/** `n` arguments of a kind: one of `KINDS`. */
export function inputs(kind: string, n: number): Float64Array;
