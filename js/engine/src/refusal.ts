// Refusals: the reasons for which the module refuses a call.

import { NousError } from "./errors.ts";
import type { Glue } from "./instance.ts";

/** A refusal as the module reports it. @internal */
export interface Refusal {
  code: "invalid_argument" | "invalid_config" | "out_of_memory" | "invalid_snapshot";
  field: string;
  index: number | null;
  problem: string;
  /** The wrong number; null if there is none. */
  found: number | null;
  /** The known keys, if the field is an unknown key of a configuration. */
  known: readonly string[];
}

/** The reason of the last refusal, once. @internal */
export function takeRefusal(glue: Glue): Refusal {
  return (
    glue.take_error() ?? {
      code: "invalid_argument",
      field: "input",
      index: null,
      problem: "was refused",
      found: null,
      known: [],
    }
  );
}

const knownKeys = new WeakMap<object, readonly string[]>();

/** The error for a refusal that concerns no entry of a batch. @internal */
export function refusal(glue: Glue): NousError {
  const { code, field, problem, found, known } = takeRefusal(glue);
  const message = `${field} ${problem}${found === null ? "" : `, found ${found}`}`;
  const error = new NousError(code, message, { field });
  if (known.length > 0) knownKeys.set(error, known);
  return error;
}

/** The known keys, if a refusal is about an unknown key of a configuration. @internal */
export const knownKeysOf = (error: object): readonly string[] => knownKeys.get(error) ?? [];
