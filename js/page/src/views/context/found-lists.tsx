// The memories in the prompt, and those that were found and left out.

import { dayOf, percent, SECTION_NAMES } from "../../app/format.ts";
import type { Found, Prompt } from "../../memory/context.ts";
import { LEFT_OUT, TYPES } from "./reasons.ts";

export function Recalled({ recalled }: Pick<Prompt, "recalled">) {
  return (
    <section class="recalled" aria-labelledby="recalled">
      <h2 id="recalled">
        In the prompt <span class="quiet">{recalled.length}</span>
      </h2>
      {recalled.length === 0 ? <p class="note">No memory has to do with this turn.</p> : null}
      <ol>
        {recalled.map((memory) => (
          <Row key={memory.id} memory={memory} kind={TYPES[memory.type].one} />
        ))}
      </ol>
    </section>
  );
}

export function LeftOut({ left }: Pick<Prompt, "left">) {
  if (left.length === 0) return null;
  const reasons = [...new Set(left.map(({ reason }) => reason))];
  return (
    <section class="recalled left" aria-labelledby="left">
      <h2 id="left">
        Left out <span class="quiet">{left.length}</span>
      </h2>
      {reasons.map((reason) => (
        <div key={reason}>
          <h3>{LEFT_OUT[reason]}</h3>
          <ol>
            {left
              .filter((memory) => memory.reason === reason)
              .map((memory) => (
                <Row key={`${memory.id} ${memory.block}`} memory={memory} />
              ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

function Row({ memory, kind }: { memory: Found; kind?: string }) {
  const { id, title, section, created, score } = memory;
  return (
    <li data-id={id}>
      <div>
        <p class="title">{title}</p>
        <p class="facts">
          <span class={`section s-${section}`}>{SECTION_NAMES[section]}</span>
          {kind === undefined ? null : <span>{kind}</span>}
          <span>{dayOf(created)}</span>
        </p>
      </div>
      <span class="score" title="The probability that it has to do with the turn">
        {score === undefined ? "" : percent(score)}
      </span>
    </li>
  );
}
