// Conflicts: pairs of memories that may contradict each other, side by side.

import { useSignal } from "@preact/signals";
import { count, counted, dayOf, percent } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory, memoryChanged } from "../../memory/client.ts";
import { type Card, type Conflict, type Resolution, seenOf } from "../../memory/records.ts";
import { whyNot } from "../../parts/problem.ts";

/** Pairs that are shown at once. */
const AT_ONCE = 10;

const RESOLUTIONS: Readonly<Record<Resolution, string>> = {
  new_is_current: "Newer replaces older",
  keep_both: "Keep both",
  old_is_current: "Older stands",
};

export function Conflicts() {
  const found = useLive(() => () => memory.conflicts()).value.value;
  const why = useSignal("");
  const resolve = async ({ id, older, newer }: Conflict, how: Resolution) => {
    const seen = [older, ...(newer === undefined ? [] : [newer])].map(seenOf);
    why.value = await whyNot(() => memory.resolve(id, seen, how));
    await memoryChanged();
  };
  if (found === undefined) return null;
  if (found.length === 0 && why.value === "")
    return (
      <section class="conflicts" aria-label="Conflicts">
        <h2>No conflicts</h2>
        <p class="hint">No two memories that contradict each other wait for a decision.</p>
      </section>
    );
  return (
    <section class="conflicts" aria-label="Conflicts">
      <h2>{found.length === 1 ? "One conflict" : `${count(found.length)} conflicts`}</h2>
      <p class="hint">Both cannot be true, it seems. Which one holds?</p>
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
      <ul>
        {found.slice(0, AT_ONCE).map((conflict) => (
          <Pair key={conflict.id} conflict={conflict} resolve={resolve} />
        ))}
      </ul>
      {found.length > AT_ONCE ? (
        <p class="hint">
          {counted(found.length - AT_ONCE, "more follows", "more follow")} when these are resolved.
        </p>
      ) : null}
    </section>
  );
}

interface PairProps {
  conflict: Conflict;
  resolve: (conflict: Conflict, how: Resolution) => void;
}

function Pair({ conflict, resolve }: PairProps) {
  const { older, newer, newText, sureness } = conflict;
  const name = older.title === "" ? older.text.slice(0, 60) : older.title;
  // Nothing can be linked with a text that is no memory.
  const offered = Object.entries(RESOLUTIONS).filter(
    ([how]) => newer !== undefined || how === "old_is_current",
  );
  return (
    <li>
      <div class="conflict-pair">
        <Side head={`Older, ${dayOf(older.created)}`} card={older} text={older.text} />
        <Side
          head={newer === undefined ? "Newer, not a memory" : `Newer, ${dayOf(newer.created)}`}
          card={newer}
          text={newText}
        />
      </div>
      <fieldset class="actions">
        <legend class="hidden">Conflict about {name}</legend>
        {offered.map(([how, label]) => (
          <button key={how} type="button" onClick={() => resolve(conflict, how as Resolution)}>
            {label}
          </button>
        ))}
        {sureness === null ? null : <span class="hint">found with {percent(sureness)}</span>}
      </fieldset>
    </li>
  );
}

interface SideProps {
  head: string;
  card: Card | undefined;
  text: string;
}

const Side = ({ head, card, text }: SideProps) => (
  <div class={`conflict-side s-${card?.section ?? "KNOWLEDGE"}`}>
    <p class="hint">{head}</p>
    {card === undefined || card.title === "" ? null : <h3>{card.title}</h3>}
    <p class="text">{text}</p>
  </div>
);
