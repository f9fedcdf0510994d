// An answer of the list: probability, memory, evidence as a bar, and as a table on demand.

import { useState } from "preact/hooks";
import { percent } from "../../app/format.ts";
import type { Shown } from "../../memory/records.ts";
import { MemoryCard } from "../../parts/card.tsx";
import { EvidenceBar, EvidenceTable } from "../../parts/evidence-bar.tsx";

export function AnswerItem({ shown, full }: { shown: Shown; full: number }) {
  const { card, score, reasons, superseded_by, similar_to } = shown;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class={`answer s-${card.section}`} data-id={card.id}>
      <p class="probability" title="The probability that this memory answers the question">
        {percent(score)}
      </p>
      <div class="body">
        <MemoryCard card={card} marks={reasons?.marks ?? []} isShort={!isOpen} />
        {superseded_by === undefined ? null : (
          <p class="note">Superseded by “{superseded_by.title}”.</p>
        )}
        {similar_to === undefined ? null : (
          <p class="note">Moved back: it is like “{similar_to.title}”.</p>
        )}
        {reasons === undefined ? null : (
          <>
            <EvidenceBar reasons={reasons} full={full} />
            <button
              type="button"
              class="more"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? "Hide the evidence" : "Why?"}
            </button>
            {isOpen ? <EvidenceTable reasons={reasons} /> : null}
          </>
        )}
      </div>
    </li>
  );
}
