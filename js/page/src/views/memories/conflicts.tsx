// Conflicts: pairs of memories that may contradict each other, side by side.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, counted, dayOf, percent } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory, memoryChanged } from "../../memory/client.ts";
import {
  type Card,
  type Conflict,
  type Resolution,
  seenOf,
  titleOf,
} from "../../memory/records.ts";
import { whyNot } from "../../parts/problem.ts";

/** Pairs that are shown at once. */
const AT_ONCE = 10;

const RESOLUTIONS: Readonly<Record<Resolution, string>> = {
  new_is_current: "Newer replaces older",
  keep_both: "Keep both",
  old_is_current: "Older stands",
};

/** What a decision does, in a sentence. */
const DONE: Readonly<Record<Resolution, string>> = {
  new_is_current: "The newer one replaces the older one.",
  keep_both: "Both are kept.",
  old_is_current: "The older one stands.",
};

export function Conflicts() {
  const found = useLive(() => () => memory.conflicts()).value.value;
  const why = useSignal("");
  /** The last decision, which can be taken back. */
  const last = useSignal<{ id: string; how: Resolution } | undefined>(undefined);
  const section = useRef<HTMLElement>(null);
  /** The place of a pair that was decided, or the id of one that waits again. */
  const left = useRef<number | string | undefined>(undefined);
  const act = async (work: () => Promise<void>, to: number | string, now: typeof last.value) => {
    why.value = await whyNot(work);
    if (why.value === "") [last.value, left.current] = [now, to];
    await memoryChanged();
  };
  const resolve = ({ id, older, newer }: Conflict, how: Resolution) => {
    const seen = [older, ...(newer === undefined ? [] : [newer])].map(seenOf);
    const place = found!.findIndex((conflict) => conflict.id === id);
    void act(() => memory.resolve(id, seen, how), place, { id, how });
  };
  // The keyboard goes on with the pair that takes the place.
  useLayoutEffect(() => {
    const to = left.current;
    if (to === undefined || section.current === null) return;
    left.current = undefined;
    const pairs = Array.from(section.current.querySelectorAll("li"));
    const next =
      pairs.find(({ dataset }) => dataset.id === to) ?? pairs[Number(to)] ?? pairs.at(-1);
    (next?.querySelector("button") ?? section.current).focus({ preventScroll: true });
  }, [found]);
  if (found === undefined) return null;
  const decided = found.some(({ id }) => id === last.value?.id) ? undefined : last.value;
  return (
    <section class="conflicts" aria-label="Conflicts" tabIndex={-1} ref={section}>
      <h2>
        {found.length === 0
          ? "No conflicts"
          : found.length === 1
            ? "One conflict"
            : `${count(found.length)} conflicts`}
      </h2>
      <p class="hint" role="status">
        {found.length === 0
          ? "No two memories that contradict each other wait for a decision."
          : "Both cannot be true, it seems. Which one holds?"}
        {decided === undefined ? null : (
          <>
            <br />
            {DONE[decided.how]}{" "}
            <button
              type="button"
              class="more"
              onClick={() => void act(() => memory.reopen(decided.id), decided.id, undefined)}
            >
              Undo
            </button>
          </>
        )}
      </p>
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
      {found.length === 0 ? null : (
        <ul>
          {found.slice(0, AT_ONCE).map((conflict) => (
            <Pair key={conflict.id} conflict={conflict} resolve={resolve} />
          ))}
        </ul>
      )}
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
  // Nothing can be linked with a text that is no memory.
  const offered = Object.entries(RESOLUTIONS).filter(
    ([how]) => newer !== undefined || how === "old_is_current",
  );
  return (
    <li data-id={conflict.id}>
      <div class="conflict-pair">
        <Side head={`Older, ${dayOf(older.created)}`} card={older} text={older.text} />
        <Side
          head={newer === undefined ? "Newer, not a memory" : `Newer, ${dayOf(newer.created)}`}
          card={newer}
          text={newText}
        />
      </div>
      <fieldset class="actions">
        <legend class="hidden">Conflict about {titleOf(older)}</legend>
        {offered.map(([how, label]) => (
          <button key={how} type="button" onClick={() => resolve(conflict, how as Resolution)}>
            {label}
          </button>
        ))}
        {sureness ? (
          <span class="hint">{percent(sureness)} likely that the newer one replaces it</span>
        ) : null}
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
