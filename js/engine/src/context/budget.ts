// Token budgets of a prompt and its sections.

import { requireText } from "../arguments.ts";
import { invalid, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import type { ContextBudget } from "./types.ts";

/**
 * Returns the token budgets of a frame, with overrides. Later overrides win. Unknown names are
 * skipped. Without a frame, and for a frame of your own, the budgets are the default ones.
 *
 * @throws {NousError} `invalid_argument` for a budget that is not a whole number of at least 0.
 *
 * @example
 * ```ts
 * const budget = contextBudget("debug", { total: 4000 });
 * ```
 */
export function contextBudget(
  frame?: string | null,
  ...overrides: (Partial<ContextBudget> | null | undefined)[]
): ContextBudget {
  if (frame != null) requireText("frame", frame);
  const place = moduleConstants.frames.findIndex(({ id }) => id === frame);
  // Place −1, of an unknown frame, is the last entry: the default.
  const budget: ContextBudget = { ...moduleConstants.context.budgets.at(place)! };
  for (const given of overrides) {
    if (given == null) continue;
    if (typeof given !== "object")
      throw invalid("budgets", `must be an object, found ${show(given)}`);
    for (const name of Object.keys(budget) as (keyof ContextBudget)[]) {
      const tokens = given[name];
      if (tokens === undefined) continue;
      if (!Number.isSafeInteger(tokens) || tokens < 0) {
        throw invalid(
          `budgets.${name}`,
          `must be a whole number of at least 0, found ${show(tokens)}`,
        );
      }
      budget[name] = tokens;
    }
  }
  return budget;
}
