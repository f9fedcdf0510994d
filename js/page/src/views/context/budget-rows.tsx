// The budget of each section of the prompt beside what the section takes.

import { USUAL_TOKENS } from "../../../../server/src/agent/rules/turn-prompt.ts";
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
        Tokens that the prompt, or a section, may take; one is about four characters. Bars show what
        is taken. A section without a budget shares what the prompt has.
      </p>
      <div class="rows">
        <BudgetRow name="total" prompt={prompt} />
      </div>
      <details class="of-sections" open={isChanged}>
        <summary>Budgets of sections</summary>
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
  const { label, most } = BUDGETS[name];
  const { sections, tokens, budgets } = prompt;
  const usual = name === "total" ? USUAL_TOKENS : budgets.total!;
  const budget = changedBudgets.value[name] ?? usual;
  const used =
    name === "total"
      ? tokens
      : (sections.find((section) => section.name === name)?.token_estimate ?? 0);
  const set = (value: number) => {
    if (!Number.isFinite(value)) return;
    const next = Math.min(most, Math.max(0, Math.round(value)));
    setBudget(name, next === usual ? undefined : next);
  };
  return (
    <div class={budget === usual ? "budget" : "budget changed"}>
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
