// What seems to replace a memory, with a link, and the decision about it.

import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { dayOf, percent } from "../app/format.ts";
import { memory, memoryChanged } from "../memory/client.ts";
import type { Card, Decision } from "../memory/records.ts";
import { whyNot } from "./problem.ts";

const DECISIONS: Readonly<Record<Decision, string>> = {
  new_is_current: "Confirm",
  keep_both: "Both hold",
};

export function Earlier({ card: { id, replaced_by } }: { card: Card }) {
  const why = useSignal("");
  if (replaced_by === undefined) return null;
  const { since, probability, title } = replaced_by;
  const decide = async (how: Decision) => {
    why.value = await whyNot(() => memory.decide(id, how));
    await memoryChanged();
  };
  return (
    <>
      <p class="note">
        Earlier; since {dayOf(since)}: “
        <a href={linkTo("why-not", { id: replaced_by.id })}>{title}</a>” ({percent(probability)}).
      </p>
      <p class="steps">
        {Object.entries(DECISIONS).map(([how, label]) => (
          <button key={how} type="button" class="more" onClick={() => void decide(how as Decision)}>
            {label}
            <span class="hidden">: {title}</span>
          </button>
        ))}
      </p>
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </>
  );
}
