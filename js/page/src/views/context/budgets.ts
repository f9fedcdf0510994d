// The budgets that the visitor changed, as the address holds them: `total*4000*facts*800`.

import { computed } from "@preact/signals";
import type { ContextBudget } from "nous-wasm";
import { param } from "../../app/address.ts";
import { asPairs, numberIn, pairsIn } from "../../app/pairs.ts";

/** The budgets that the page offers, in the order of a prompt, and how far their sliders reach. */
export const BUDGETS = {
  total: { label: "Whole prompt", most: 12_000 },
  identity: { label: "Identity", most: 1_000 },
  user_profile: { label: "User profile", most: 1_000 },
  frame: { label: "Frame", most: 1_000 },
  decisions: { label: "Decisions", most: 4_000 },
  facts: { label: "Facts", most: 4_000 },
  procedures: { label: "Procedures", most: 4_000 },
  episodes: { label: "Episodes", most: 4_000 },
  signals: { label: "Signals", most: 4_000 },
} as const satisfies { [Name in keyof ContextBudget]?: { label: string; most: number } };

export type BudgetName = keyof typeof BUDGETS;
export const BUDGET_NAMES = Object.keys(BUDGETS) as BudgetName[];

const written = param("budgets", "");

export const changedBudgets = computed<{ [Name in BudgetName]?: number }>(() => {
  const known = pairsIn(written.value).flatMap(([name, text]): [string, number][] => {
    const budget = BUDGETS[name as BudgetName];
    const value = budget === undefined ? undefined : numberIn(text, 0, budget.most);
    return value === undefined ? [] : [[name, Math.round(value)]];
  });
  return Object.fromEntries(known);
});

/** Changes a budget; undefined makes it the usual one again. */
export function setBudget(name: BudgetName, tokens: number | undefined): void {
  const { [name]: _, ...others } = changedBudgets.peek();
  written.set(
    asPairs(Object.entries(tokens === undefined ? others : { ...others, [name]: tokens })),
  );
}

export const resetBudgets = (): void => written.set("");
