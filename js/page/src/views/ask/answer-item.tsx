// An answer of the list: probability, memory, evidence as a bar, and as a table on demand.

import { useState } from "preact/hooks";
import { linkTo } from "../../app/address.ts";
import { percent } from "../../app/format.ts";
import type { Named, Shown } from "../../memory/records.ts";
import { Facts, MemoryCard } from "../../parts/card.tsx";
import { EvidenceBar, EvidenceTable } from "../../parts/evidence-bar.tsx";
import { Marked } from "../../parts/memory-text.tsx";
import { Values } from "../../parts/values.tsx";

interface ItemProps {
  shown: Shown;
  question: string;
  /** Whether the text stays hidden until the reasons are shown: where two lists stand side by side. */
  isDense?: boolean;
  /** Its place in the list beside this one, in words. */
  elsewhere?: string | undefined;
  /** Whether an answer above shows the values of the same fact. */
  isTold?: boolean;
}

export function AnswerItem({
  shown,
  question,
  isDense = false,
  elsewhere,
  isTold = false,
}: ItemProps) {
  const { card, rank, score, reasons, superseded_by, similar_to } = shown;
  const [isOpen, setOpen] = useState(false);
  const marks = reasons?.marks ?? [];
  return (
    <li
      class={`answer s-${card.section}`}
      data-id={card.id}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        setOpen(false);
        event.stopPropagation();
      }}
    >
      <p class="probability" title="The probability that this memory answers the question">
        {percent(score)}
      </p>
      <div class="body">
        {isDense && !isOpen ? (
          <>
            <h3 class="title">
              {card.title === "" ? (
                <Marked text={card.text} field="text" marks={marks} isShort />
              ) : (
                <Marked text={card.title} field="title" marks={marks} />
              )}
            </h3>
            <Facts card={card} />
          </>
        ) : (
          <MemoryCard
            card={card}
            marks={marks}
            passage={reasons?.passage}
            isShort={!isOpen}
            heading={isDense ? "h3" : "h2"}
          />
        )}
        {elsewhere === undefined ? null : <p class="elsewhere">{elsewhere}</p>}
        <Values card={card} isTold={isTold} />
        {superseded_by === undefined ? null : (
          <Note before="Superseded by" named={superseded_by} question={question} />
        )}
        {similar_to === undefined ? null : (
          <Note before="Moved back: it is like" named={similar_to} question={question} />
        )}
        {reasons === undefined ? null : (
          <>
            <EvidenceBar reasons={reasons} />
            <p class="steps">
              <button
                type="button"
                class="more"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? "Hide the evidence" : "Why?"}
                <span class="hidden"> {card.title}</span>
              </button>
              {rank === 1 ? null : (
                <a class="more" href={linkTo("why-not", { q: question, id: card.id })}>
                  Why not first?
                </a>
              )}
            </p>
            {isOpen ? <EvidenceTable reasons={reasons} /> : null}
          </>
        )}
      </div>
    </li>
  );
}

interface NoteProps {
  before: string;
  named: Named;
  question: string;
}

/** Names a memory that this one stands behind. In the same list the link moves the focus to it. */
function Note({ before, named, question }: NoteProps) {
  return (
    <p class="note">
      {before} “
      <a
        href={linkTo("why-not", { q: question, id: named.id })}
        onClick={(event) => {
          const there = document.querySelector<HTMLElement>(
            `.answer[data-id="${CSS.escape(named.id)}"] button.more`,
          );
          if (there === null) return;
          event.preventDefault();
          there.focus();
        }}
      >
        {named.title}
      </a>
      ”.
    </p>
  );
}
