// The budget of each section of the prompt beside its use. One bar shows both: its
// filled part is taken, and its knob is the budget.

import { DEFAULT_TOKENS } from "nous-memory";
import { useState } from "preact/hooks";
import { count } from "../../app/format.ts";
import type { Prompt } from "../../memory/context.ts";
import {
  BUDGET_NAMES,
  BUDGETS,
  type BudgetName,
  changedBudgets,
  MAX_TOKENS,
  resetBudgets,
  setBudget,
} from "./budgets.ts";

export function BudgetRows({ prompt }: { prompt: Prompt }) {
  const changed = Object.keys(changedBudgets.value);
  // A reset does not close the list under the visitor's hand.
  const [isOpen] = useState(() => changed.some((name) => name !== "total"));
  return (
    <section class="budgets" aria-labelledby="budgets">
      <header>
        <h2 id="budgets">Budgets</h2>
        <button type="button" class="more" disabled={changed.length === 0} onClick={resetBudgets}>
          Reset all
        </button>
      </header>
      <p class="note">
        Tokens that the prompt, or a section, may take; one is about four characters of English. The
        filled part of a bar is taken, its knob is the budget.
      </p>
      <div class="rows">
        <BudgetRow name="total" prompt={prompt} />
      </div>
      <details class="of-sections" open={isOpen}>
        <summary>Budgets of sections</summary>
        <p class="note">A section without a budget shares what the prompt has.</p>
        <div class="rows">
          {OF_SECTIONS.map((name) => (
            <BudgetRow key={name} name={name} prompt={prompt} />
          ))}
        </div>
      </details>
    </section>
  );
}

const OF_SECTIONS = BUDGET_NAMES.filter((name) => name !== "total");

function BudgetRow({ name, prompt }: { name: BudgetName; prompt: Prompt }) {
  const label = BUDGETS[name];
  const { sections, tokens, budgets } = prompt;
  const isTotal = name === "total";
  const byDefault = isTotal ? DEFAULT_TOKENS : undefined;
  const changed = changedBudgets.value[name];
  const budget = changed ?? byDefault;
  const max = isTotal ? MAX_TOKENS : budgets.total!;
  const used = isTotal
    ? tokens
    : (sections.find((section) => section.name === name)?.token_estimate ?? 0);
  const set = (value: number): number | undefined => {
    const next = Number.isFinite(value)
      ? Math.min(MAX_TOKENS, Math.max(0, Math.round(value)))
      : undefined;
    setBudget(name, next === byDefault ? undefined : next);
    return next ?? byDefault;
  };
  const told = budget === undefined ? "no budget of its own" : `${count(budget)} tokens`;
  const filled = `${Math.min(1, used / Math.max(1, max)) * 100}%`;
  return (
    <div class={changed === undefined ? "budget" : "budget changed"}>
      <span class="name">{label}</span>
      <label class="limit">
        <input
          type="number"
          aria-label={`Budget in tokens, ${label}`}
          min={0}
          max={MAX_TOKENS}
          step={10}
          placeholder="none"
          value={budget ?? ""}
          onChange={(event) => {
            const next = set(event.currentTarget.valueAsNumber);
            // A number out of range is replaced by the number in use.
            event.currentTarget.value = next === undefined ? "" : String(next);
          }}
        />
        tokens
      </label>
      <input
        type="range"
        aria-label={`Budget, ${label}`}
        aria-valuetext={told}
        min={0}
        max={max}
        step={10}
        value={Math.min(max, budget ?? max)}
        style={{ "--filled": filled }}
        onInput={(event) => {
          const value = event.currentTarget.valueAsNumber;
          // At the end of its bar a section has all that the prompt has.
          set(isTotal || value < max ? value : Number.NaN);
        }}
      />
      <div class="state">
        <span class="quiet">
          {budget === undefined
            ? `${count(used)} tokens taken, no budget of its own`
            : `${count(used)} of ${count(budget)} tokens taken`}
        </span>
        <button
          type="button"
          class="more"
          aria-label={`Reset ${label}`}
          hidden={changed === undefined}
          onClick={({ currentTarget }) => {
            setBudget(name, undefined);
            // The button goes; the focus stays in the row.
            currentTarget.closest(".budget")?.querySelector("input")?.focus();
          }}
        >
          Reset
        </button>
      </div>
    </div>
  );
}
