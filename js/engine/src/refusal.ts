// Refusals: the reasons for which the module refuses a call.

import { NousError } from "./errors.ts";
import type { Glue } from "./instance.ts";

/** A refusal as the module reports it. @internal */
export interface Refusal {
  code: "invalid_argument" | "invalid_config" | "out_of_memory" | "invalid_snapshot";
  field: string;
  index: number | null;
  problem: string;
  /** The wrong number; null if there is none, or if JSON cannot hold it. */
  found: number | null;
}

/** The reason of the last refusal, once. @internal */
export function takeRefusal(glue: Glue): Refusal {
  return JSON.parse(
    glue.take_error() ??
      '{"code":"invalid_argument","field":"input","index":null,"problem":"was refused","found":null}',
  );
}

/** The error for a refusal that concerns no entry of a batch. @internal */
export function refusal(glue: Glue): NousError {
  const { code, field, problem, found } = takeRefusal(glue);
  return new NousError(code, `${field} ${problem}${found === null ? "" : `, found ${found}`}`, {
    field,
  });
}
