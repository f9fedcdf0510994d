// The budget of each section of the prompt beside what the section takes.

import { count } from "../../app/format.ts";
import type { Prompt } from "../../memory/context.ts";
import {
  BUDGET_NAMES,
  BUDGETS,
  type BudgetName,
  changedBudgets,
  resetBudgets,
  setBudget,
} from "./budgets.ts";

export function BudgetRows({ prompt }: { prompt: Prompt }) {
  const isChanged = Object.keys(changedBudgets.value).length > 0;
  return (
    <section class="budgets" aria-labelledby="budgets">
      <header>
        <h2 id="budgets">Budgets</h2>
        <button type="button" class="more" disabled={!isChanged} onClick={resetBudgets}>
          Reset
        </button>
      </header>
      <p class="note">
        Tokens that a section may take; one is about four characters. Bars show what it takes.
      </p>
      <div class="rows">
        {BUDGET_NAMES.map((name) => (
          <BudgetRow key={name} name={name} prompt={prompt} />
        ))}
      </div>
    </section>
  );
}

function BudgetRow({ name, prompt }: { name: BudgetName; prompt: Prompt }) {
  const { label, most } = BUDGETS[name];
  const { sections, tokens, budgets, usual } = prompt;
  const budget = changedBudgets.value[name] ?? budgets[name];
  const used =
    name === "total"
      ? tokens
      : (sections.find((section) => section.name === name)?.token_estimate ?? 0);
  const set = (value: number) => {
    if (!Number.isFinite(value)) return;
    const next = Math.min(most, Math.max(0, Math.round(value)));
    setBudget(name, next === usual[name] ? undefined : next);
  };
  return (
    <div class={budget === usual[name] ? "budget" : "budget changed"}>
      <span class="name">{label}</span>
      <span class="used">
        {count(used)} of
        <input
          type="number"
          aria-label={`Budget in tokens, ${label}`}
          min={0}
          max={most}
          step={10}
          value={budget}
          onChange={(event) => set(event.currentTarget.valueAsNumber)}
        />
      </span>
      <input
        type="range"
        aria-label={`Budget, ${label}`}
        aria-valuetext={`${count(budget)} tokens`}
        min={0}
        max={most}
        step={10}
        value={budget}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
      />
      <span class="fill" aria-hidden="true">
        <i style={{ width: `${Math.min(1, budget === 0 ? 0 : used / budget) * 100}%` }} />
      </span>
    </div>
  );
}
