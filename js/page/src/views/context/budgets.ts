// The budgets that the visitor changed, as the address holds them: `total*4000*facts*800`.

import { computed } from "@preact/signals";
import type { ContextBudget } from "nous-wasm";
import { param } from "../../app/address.ts";
import { asPairs, numberIn, pairsIn } from "../../app/pairs.ts";

/** The budgets that the page offers, in the order of a prompt. */
export const BUDGETS = {
  total: "Whole prompt",
  identity: "Identity",
  user_profile: "User profile",
  frame: "Frame",
  decisions: "Decisions",
  facts: "Facts",
  procedures: "Procedures",
  episodes: "Episodes",
  signals: "Signals",
} as const satisfies { [Name in keyof ContextBudget]?: string };

/** The largest budget that the page offers. */
export const MAX_TOKENS = 12_000;

export type BudgetName = keyof typeof BUDGETS;
export const BUDGET_NAMES = Object.keys(BUDGETS) as BudgetName[];

const written = param("budgets", "");

export const changedBudgets = computed<{ [Name in BudgetName]?: number }>(() => {
  const known = pairsIn(written.value).flatMap(([name, text]): [string, number][] => {
    const value = Object.hasOwn(BUDGETS, name) ? numberIn(text, 0, MAX_TOKENS) : undefined;
    return value === undefined ? [] : [[name, Math.round(value)]];
  });
  return Object.fromEntries(known);
});

/** Changes a budget; undefined makes it the default again. */
export function setBudget(name: BudgetName, tokens: number | undefined): void {
  const { [name]: _, ...others } = changedBudgets.peek();
  written.set(
    asPairs(Object.entries(tokens === undefined ? others : { ...others, [name]: tokens })),
  );
}

export const resetBudgets = (): void => written.set("");
