// The answers by the changed weights, and how their places moved.

import { useState } from "preact/hooks";
import { count, dayOf, ms, percent, SECTION_NAMES } from "../../app/format.ts";
import { titleOf } from "../../memory/records.ts";
import type { Moved, Rerank } from "../../memory/sections.ts";

const SHORT = 90;
/** In a narrow window so many stay in sight while the sliders move. */
const FIRST = 3;

interface ListProps {
  rerank: Rerank;
  /** Whether scores are probabilities. */
  isShare: boolean;
}

export function MovedList({ rerank, isShare }: ListProps) {
  const [isWhole, setWhole] = useState(false);
  const { answers, left, ranked, among, milliseconds, intents } = rerank;
  const of = ranked === among ? "" : ` of ${count(among)}`;
  return (
    <div class={isWhole ? "pinned whole" : "pinned"}>
      <p class="verdict" role="status">
        Ranked {count(ranked)}
        {of} memories in <strong>{ms(milliseconds)}</strong>.
        {intents.length === 0 ? null : (
          <span class="intents">
            {" "}
            The question asks for{" "}
            {intents.map((section) => SECTION_NAMES[section].toLowerCase()).join(", ")}.
          </span>
        )}
      </p>
      {answers.length === 0 ? (
        <p class="quiet">Nothing in this memory has to do with the question.</p>
      ) : (
        <ol class="moved">
          {answers.map((moved, place) => (
            <Item key={moved.card.id} moved={moved} rank={place + 1} isShare={isShare} />
          ))}
        </ol>
      )}
      {left.length === 0 ? null : (
        <p class="note">
          {left.length === 1 ? "One memory" : `${left.length} memories`} left the first ten.
        </p>
      )}
      {answers.length <= FIRST ? null : (
        <button
          type="button"
          class="more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? `Keep the first ${FIRST} in sight` : `Show all ${answers.length}`}
        </button>
      )}
    </div>
  );
}

function Item({ moved, rank, isShare }: { moved: Moved; rank: number; isShare: boolean }) {
  const { card, score, default: byDefault } = moved;
  return (
    <li class={`s-${card.section}`} data-id={card.id}>
      <p class="rank">
        {rank}
        <Move rank={rank} default={byDefault} />
      </p>
      <div>
        <p class="title">{titleOf(card, SHORT)}</p>
        <p class="facts">
          <span class={`section s-${card.section}`}>{SECTION_NAMES[card.section]}</span>
          <span>{dayOf(card.created)}</span>
        </p>
      </div>
      <span class="score">{isShare ? percent(score) : score.toFixed(3)}</span>
    </li>
  );
}

function Move({ rank, default: byDefault }: { rank: number; default: number | null }) {
  if (byDefault === rank) return null;
  const by = byDefault === null ? null : byDefault - rank;
  const isUp = by === null || by > 0;
  const told =
    by === null
      ? "usually far behind"
      : `${Math.abs(by)} ${Math.abs(by) === 1 ? "place" : "places"} ${isUp ? "up" : "down"}, usually ${byDefault}`;
  return (
    <span class={isUp ? "move up" : "move down"} title={told}>
      <span aria-hidden="true">
        {isUp ? "▲" : "▼"}
        {by === null ? "" : `\u2009${Math.abs(by)}`}
      </span>
      <span class="hidden">, {told}</span>
    </span>
  );
}
