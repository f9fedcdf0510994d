// The memories in the prompt, and those that were found and left out. Long lists are folded.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count, dayOf, percent, SECTION_NAMES } from "../../app/format.ts";
import { isEmpty } from "../../memory/client.ts";
import type { Found, Prompt } from "../../memory/context.ts";
import { Nothing } from "../../parts/loading.tsx";
import { reasonOf, TYPES } from "./reasons.ts";

/** The memories of a list that is folded. */
const FOLDED = 12;

interface Group<Memory> {
  name: string;
  memories: Memory[];
}

/** Returns memories in groups, in the order in which their names come up. */
function grouped<Memory>(
  memories: readonly Memory[],
  nameOf: (memory: Memory) => string,
): Group<Memory>[] {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    const name = nameOf(memory);
    const there = groups.get(name);
    if (there === undefined) groups.set(name, [memory]);
    else there.push(memory);
  }
  return [...groups].map(([name, those]) => ({ name, memories: those }));
}

interface RecalledProps extends Pick<Prompt, "recalled"> {
  /** Whether no turn is written yet. */
  isBlank: boolean;
}

export function Recalled({ recalled, isBlank }: RecalledProps) {
  return (
    <section class="recalled" aria-labelledby="recalled">
      <h2 id="recalled">
        In the prompt <span class="quiet">{count(recalled.length)}</span>
      </h2>
      {recalled.length > 0 ? null : isEmpty() ? (
        <Nothing />
      ) : (
        <p class="note">
          {isBlank
            ? "Write what the user says, and the memories that may help come in."
            : "No memory has to do with this turn."}
        </p>
      )}
      <Groups groups={grouped(recalled, originOf)}>
        {(memory) => (
          <Row key={memory.id} memory={memory}>
            <span>{memory.block === "user_profile" ? "Profile" : TYPES[memory.type].one}</span>
            <span>{count(memory.tokens)} tokens</span>
          </Row>
        )}
      </Groups>
    </section>
  );
}

/** Says how a memory came into the prompt. */
function originOf({ score, block }: Prompt["recalled"][number]): string {
  if (score !== undefined) return "Found by the turn, the most probable first";
  return block === "user_profile"
    ? "Part of the profile: not searched for"
    : "Recent conversations: not searched for";
}

export function LeftOut({ left }: Pick<Prompt, "left">) {
  if (left.length === 0) return null;
  return (
    <section class="recalled left" aria-labelledby="left">
      <h2 id="left">
        Left out <span class="quiet">{count(left.length)}</span>
      </h2>
      <Groups groups={grouped(left, reasonOf)}>
        {(memory) => <Row key={`${memory.id} ${memory.block}`} memory={memory} />}
      </Groups>
    </section>
  );
}

interface GroupsProps<Memory> {
  groups: readonly Group<Memory>[];
  /** Returns the row of a memory. */
  children: (memory: Memory) => ComponentChildren;
}

function Groups<Memory>({ groups, children: rowOf }: GroupsProps<Memory>) {
  const [isWhole, setWhole] = useState(false);
  const many = groups.reduce((sum, { memories }) => sum + memories.length, 0);
  let room = isWhole ? many : FOLDED;
  return (
    <>
      {groups.map(({ name, memories }) => {
        const shown = memories.slice(0, room);
        room -= shown.length;
        return (
          <div key={name}>
            <h3>
              {name} · {count(memories.length)}
            </h3>
            <ol>{shown.map(rowOf)}</ol>
          </div>
        );
      })}
      {many <= FOLDED ? null : (
        <button
          type="button"
          class="more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? `Show the first ${FOLDED}` : `Show all ${count(many)}`}
        </button>
      )}
    </>
  );
}

function Row({ memory, children }: { memory: Found; children?: ComponentChildren }) {
  const { id, title, section, created, score } = memory;
  return (
    <li data-id={id}>
      <div>
        <p class="title">{title}</p>
        <p class="facts">
          <span class={`section s-${section}`}>{SECTION_NAMES[section]}</span>
          <span>{dayOf(created)}</span>
          {children}
        </p>
      </div>
      {score === undefined ? null : (
        <>
          <span class="hidden">Probability </span>
          <span class="score" title="The probability that it has to do with the turn">
            {percent(score)}
          </span>
        </>
      )}
    </li>
  );
}
