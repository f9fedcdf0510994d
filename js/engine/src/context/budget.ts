// Tokens of a prompt and of its sections.

import { requireText } from "../arguments.ts";
import { invalid, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import type { ContextBudget } from "./types.ts";

/**
 * The tokens that a frame has, and instead of them those that are given; what is not known is
 * passed over. Without a frame, and for one of your own, the default.
 *
 * @throws {NousError} `invalid_argument` for a budget that is no whole number of at least 0.
 */
export function contextBudget(
  frame?: string | null,
  ...overrides: (Partial<ContextBudget> | null | undefined)[]
): ContextBudget {
  if (frame != null) requireText("frame", frame);
  const place = moduleConstants.frames.findIndex(({ id }) => id === frame);
  // The last one is that of any other frame.
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
