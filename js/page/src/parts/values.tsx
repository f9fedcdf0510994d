// The values that a fact had, in the order of time, and the decisions about them: what replaced a value, or
// seems to.

import { useSignal } from "@preact/signals";
import { linkTo } from "../app/address.ts";
import { count, dayOf, percent } from "../app/format.ts";
import { memory, memoryChanged } from "../memory/client.ts";
import { type Card, type Decision, type Seen, seenOf, type Value } from "../memory/records.ts";
import { whyNot } from "./problem.ts";

const DECISIONS: Readonly<Record<Decision, string>> = {
  new_is_current: "Confirm",
  keep_both: "Both hold",
};

const replacedBy = ({ id, history = [] }: Card): Value["replaced_by"] =>
  history.find((value) => value.id === id)?.replaced_by;

/** Returns what seems to replace a memory; undefined if nothing does, or if that is sure. */
export function guessAbout(card: Card): Value["replaced_by"] {
  const by = replacedBy(card);
  return by?.grade === "likely" ? by : undefined;
}

/** Whether it is sure that a memory was replaced, or decided that a newer one holds beside it. */
export const isSettled = (older: Card, newer: Card): boolean =>
  replacedBy(older)?.grade === "sure" ||
  older.held_beside?.id === newer.id ||
  newer.held_beside?.id === older.id;

interface ValuesProps {
  card: Card;
  /** Whether a memory above has the list already: then this one says only what replaced it. */
  isTold?: boolean;
}

export function Values({ card, isTold = false }: ValuesProps) {
  const { id, history = [], values_before = 0, values_after = 0, held_beside: beside } = card;
  const why = useSignal("");
  const change = async (work: () => Promise<void>) => {
    why.value = await whyNot(work);
    await memoryChanged();
  };
  const decide = (older: Value, how: Decision) =>
    memory.decide(seenOf(older), seenOf(older.replaced_by!), how);
  const undo = (older: Seen, newer: Seen, title: string) => (
    <Step
      label="Undo"
      about={title}
      act={() => change(() => memory.undecide(seenOf(older), seenOf(newer)))}
    />
  );
  return (
    <>
      {history.length === 0 ? null : isTold ? (
        <Earlier card={card} />
      ) : (
        <ol class="values" aria-label="Values, in the order of time">
          <Others amount={values_before} when="before" />
          {history.map((value) => (
            <li key={value.id}>
              <Name value={value} isThis={value.id === id} />
              <span class="when"> — {timeOf(value)}</span>
              {value.replaced_by?.grade === "likely"
                ? Object.entries(DECISIONS).map(([how, label]) => (
                    <Step
                      key={how}
                      label={label}
                      about={value.title}
                      act={() => change(() => decide(value, how as Decision))}
                    />
                  ))
                : value.isDecided && value.replaced_by !== undefined
                  ? undo(value, value.replaced_by, value.title)
                  : null}
            </li>
          ))}
          <Others amount={values_after} when="after" />
        </ol>
      )}
      {beside === undefined ? null : (
        <p class="note">
          <span class="told">
            Holds beside “<a href={linkTo("why-not", { id: beside.id })}>{beside.title}</a>”.
          </span>
          {undo(beside.older, beside.newer, beside.title)}
        </p>
      )}
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </>
  );
}

/** Says how many values are not shown. */
const Others = ({ amount, when }: { amount: number; when: string }) =>
  amount === 0 ? null : (
    <li class="when">
      … {count(amount)} {when}
    </li>
  );

function timeOf({ since, until, replaced_by }: Value): string {
  if (until === undefined) return `since ${dayOf(since)}`;
  return replaced_by?.grade === "likely"
    ? `probably until ${dayOf(until)} (${percent(replaced_by.probability)})`
    : `until ${dayOf(until)}`;
}

const Name = ({ value: { id, title }, isThis }: { value: Value; isThis: boolean }) =>
  isThis ? <strong>{title}</strong> : <a href={linkTo("why-not", { id })}>{title}</a>;

interface StepProps {
  label: string;
  /** The title of the value that it is about, for readers who do not see the list. */
  about: string;
  act: () => Promise<void>;
}

const Step = ({ label, about, act }: StepProps) => (
  <button type="button" class="more" onClick={() => void act()}>
    {label}
    <span class="hidden">: {about}</span>
  </button>
);

function Earlier({ card }: { card: Card }) {
  const by = guessAbout(card);
  if (by === undefined) return null;
  return (
    <p class="note">
      Earlier; since {dayOf(by.since)}: “<a href={linkTo("why-not", { id: by.id })}>{by.title}</a>”
      ({percent(by.probability)}).
    </p>
  );
}
