// A memory in a list: title, kind, date, section, text.

import type { ComponentChildren } from "preact";
import { dayOf, SECTION_NAMES } from "../app/format.ts";
import type { Card, Mark } from "../memory/records.ts";
import { Marked } from "./memory-text.tsx";

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Section, kind, dates and runs of a memory in one line. */
export function Facts({ card }: { card: Card }) {
  const { section, kind, created, event } = card;
  // A run of a day has its date for a name, which stands there already.
  const runs = card.runs.filter((run) => !DATE.test(run));
  return (
    <p class="facts">
      <span class={`section s-${section}`}>{SECTION_NAMES[section]}</span>
      {kind === "" ? null : <span>{kind}</span>}
      <span>{dayOf(created)}</span>
      {event === null ? null : <span>event on {dayOf(event)}</span>}
      {runs.length === 0 ? null : <span class="run">{runs.join(", ")}</span>}
    </p>
  );
}

interface CardProps {
  card: Card;
  marks?: readonly Mark[];
  /** The best passage; text outside of it is subdued. */
  passage?: readonly Mark[] | undefined;
  isShort?: boolean;
  /** The level of the title: one below that of the heading above the list. Default `h2`. */
  heading?: "h2" | "h3";
  children?: ComponentChildren;
}

/** A memory. A text that repeats the title is not shown again. */
export function MemoryCard(props: CardProps) {
  const { card, marks = [], passage, isShort = true, heading: Heading = "h2", children } = props;
  return (
    <>
      {card.title === "" ? null : (
        <Heading class="title">
          <Marked text={card.title} field="title" marks={marks} />
        </Heading>
      )}
      <Facts card={card} />
      {card.text === card.title ? null : (
        <p class="text">
          <Marked text={card.text} field="text" marks={marks} passage={passage} isShort={isShort} />
        </p>
      )}
      {children}
    </>
  );
}
