// Sweeps: what time did to every memory is looked at and stored.

import { LIFECYCLE_STATES, type Sweep } from "nous-wasm";
import type { SweepAnswer, wholeOperations } from "../api/whole.ts";
import { MOST_JUMP, parseInstant, toIso } from "../time.ts";
import type { Agent } from "./agent.ts";
import { Refusal } from "./errors.ts";
import type { HandlersOf } from "./handlers.ts";
import { fadedOf } from "./presenting.ts";
import { storedState } from "./states.ts";

const DAY = 86_400_000;
/** A sweep so many days after the last one tells of a wrong clock rather than of a long sleep. */
const MOST_DAYS_BETWEEN_SWEEPS = MOST_JUMP / DAY;
/** So does a sweep that would archive more than this share of all memories. */
const MOST_ARCHIVED = 0.5;

export const decayHandlers: HandlersOf<Pick<typeof wholeOperations, "sweep">> = {
  sweep: (agent, { body: { force } }) => sweep(agent, force),
};

/** @throws {Refusal} where the clock looks wrong, unless it is forced. */
export function sweep(agent: Agent, force: boolean): SweepAnswer {
  return agent.read(() => {
    const now = agent.now();
    const { index } = agent;
    const { processed, changes, transitions } = sweepOf(agent, now);
    const archived = transitions.filter(({ to }) => to === "ARCHIVE").length;
    if (!force) checkClock(agent, now, archived);
    // After a sweep by a clock that is far behind, every sweep by the right clock would be refused.
    const isBehind = daysSinceSweep(agent, now) < -MOST_DAYS_BETWEEN_SWEEPS;
    if (force || !isBehind) agent.storage.setMeta("last_sweep", toIso(now));
    index.applyDecay(changes);
    agent.soft.faded(changes);
    return { ok: true, processed, transitions_count: transitions.length, transitions };
  });
}

/**
 * What a sweep would store. Hynous wakes what sleeps where time alone would not have put it to
 * sleep.
 */
function sweepOf(agent: Agent, now: number): Sweep {
  const { index, engine, storage, compat } = agent;
  const sweep = index.decay(now);
  if (compat !== "hynous") return sweep;
  const asleep = storage.matching({ lifecycle: storedState(agent, "DORMANT") }) ?? [];
  const nodes = asleep.map((id) => index.get(id));
  const faded = fadedOf(nodes, engine, now, compat);
  const woken = nodes.flatMap((node, place) => {
    const { retrievability, lifecycle } = faded[place] ?? {};
    return node !== undefined && (lifecycle === "ACTIVE" || lifecycle === "WEAK")
      ? [{ id: node.id, subtype: node.subtype, retrievability: retrievability!, lifecycle }]
      : [];
  });
  const isWoken = new Set(woken.map(({ id }) => id));
  const { ids, retrievability, lifecycle } = sweep.changes;
  const others = [...ids.keys()].filter((place) => !isWoken.has(ids[place]!));
  return {
    processed: sweep.processed,
    changes: {
      ids: [...others.map((place) => ids[place]!), ...isWoken],
      retrievability: Float64Array.from([
        ...others.map((place) => retrievability[place]!),
        ...woken.map((one) => one.retrievability),
      ]),
      lifecycle: Uint8Array.from([
        ...others.map((place) => lifecycle[place]!),
        ...woken.map((one) => LIFECYCLE_STATES.indexOf(one.lifecycle)),
      ]),
    },
    transitions: [
      ...sweep.transitions,
      ...woken.map(({ id, subtype, lifecycle }) => ({
        id,
        from: "DORMANT" as const,
        to: lifecycle,
        subtype,
      })),
    ],
  };
}

/** A wrong clock must not bury a memory. */
function checkClock(agent: Agent, now: number, archived: number): void {
  const { index } = agent;
  const days = daysSinceSweep(agent, now);
  const doubts = [
    ...(days > MOST_DAYS_BETWEEN_SWEEPS ? [`the last sweep was ${Math.floor(days)} days ago`] : []),
    ...(archived > index.size * MOST_ARCHIVED
      ? [`${archived} of ${index.size} memories would be archived`]
      : []),
  ];
  if (doubts.length === 0) return;
  throw new Refusal(409, `${doubts.join(", and ")}: if the clock is right, send {"force": true}`);
}

/** Days since the last sweep; less than 0 if it lies ahead of the clock, 0 if there was none. */
function daysSinceSweep({ storage }: Agent, now: number): number {
  const last = parseInstant(storage.meta("last_sweep") ?? "");
  return last === undefined ? 0 : (now - last) / DAY;
}
