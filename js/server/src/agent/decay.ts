// Sweeps: what time did to every memory is looked at and stored.

import type { SweepAnswer, wholeOperations } from "../api/whole.ts";
import { MOST_JUMP, parseInstant, toIso } from "../time.ts";
import type { Agent } from "./agent.ts";
import { Refusal } from "./errors.ts";
import type { HandlersOf } from "./handlers.ts";

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
    const { processed, changes, transitions } = index.decay(now);
    const archived = transitions.filter(({ to }) => to === "ARCHIVE").length;
    if (!force) checkClock(agent, now, archived);
    agent.storage.setMeta("last_sweep", toIso(now));
    index.applyDecay(changes);
    agent.soft.faded(changes);
    return { ok: true, processed, transitions_count: transitions.length, transitions };
  });
}

/** A wrong clock must not bury a memory. */
function checkClock({ storage, index }: Agent, now: number, archived: number): void {
  const last = parseInstant(storage.meta("last_sweep") ?? "");
  const days = last === undefined ? 0 : (now - last) / DAY;
  const doubts = [
    ...(days > MOST_DAYS_BETWEEN_SWEEPS ? [`the last sweep was ${Math.floor(days)} days ago`] : []),
    ...(archived > index.size * MOST_ARCHIVED ? [`${archived} of ${index.size} memories would be archived`] : []),
  ];
  if (doubts.length === 0) return;
  throw new Refusal(409, `${doubts.join(", and ")}: if the clock is right, send {"force": true}`);
}
