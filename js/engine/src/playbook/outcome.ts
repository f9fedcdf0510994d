// `applyOutcome`: the record of a playbook after a trade that followed it.

import { isFields, isNumber, presentOf } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, problemWith, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import type { Instant } from "../types.ts";
import { isCount } from "./read.ts";
import type { AppliedPlaybook, PlaybookRecord } from "./types.ts";

/** @internal */
export function applyOutcome(
  context: EngineContext,
  playbook: PlaybookRecord,
  profitable: boolean,
  now: Instant | undefined,
): AppliedPlaybook {
  if (!isFields(playbook)) throw invalid("playbook", `must be an object, found ${show(playbook)}`);
  const { success_count, sample_size, stability, difficulty } = playbook;
  const refuse = (field: string, wanted: string, found: unknown) =>
    invalid(field, problemWith(`must be ${wanted}`, found));
  for (const [field, count] of [
    ["success_count", success_count],
    ["sample_size", sample_size],
  ] as const) {
    if (!isCount(count)) throw refuse(field, "a whole number of at least 0", count);
  }
  if (!(isNumber(stability) && stability >= 0))
    throw refuse("stability", "a finite number of at least 0", stability);
  if (difficulty != null && !(isNumber(difficulty) && difficulty >= 0 && difficulty <= 1)) {
    throw refuse("difficulty", "a number from 0 to 1", difficulty);
  }
  if (typeof profitable !== "boolean") throw refuse("profitable", "true or false", profitable);
  const present = new Date(presentOf(now));
  if (Number.isNaN(present.getTime())) throw refuse("now", "an instant that a Date can hold", now);
  return {
    success_count: success_count + (profitable ? 1 : 0),
    sample_size: sample_size + 1,
    last_applied: present.toISOString(),
    stability: context.pool
      .engine()
      .stability_after_outcome(stability, difficulty ?? Number.NaN, profitable),
    strengthened: profitable ? moduleConstants.edge_strengthening : 0,
  };
}
