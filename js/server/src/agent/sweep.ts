// A sweep computes the retrievability and state of every memory as of now, and stores changes.

import { MAX_JUMP, parseInstant, toIso } from "nous-memory";
import type { SweepAnswer } from "../api/agent.ts";
import { Refusal } from "../refusal.ts";
import type { Agent } from "./agent.ts";

const DAY = 86_400_000;
/** Days since the last sweep above which the clock counts as wrong. */
const MAX_DAYS_BETWEEN_SWEEPS = MAX_JUMP / DAY;
/** The clock also counts as wrong if a sweep would archive more than this share of all memories. */
const MAX_ARCHIVED = 0.5;

/**
 * Sweeps an agent's memories. Unless `force` is true, a step of the clock forward counts only once
 * it has held for an hour: archived memories stay archived if the clock is set back.
 *
 * @throws {Refusal} if the clock looks wrong and `force` is false.
 */
export function sweep(agent: Agent, force: boolean): SweepAnswer {
  return agent.read(() => {
    const now = force ? agent.now() : agent.heldNow();
    const { index } = agent;
    const { processed, changes, transitions } = agent.behaviour.sweep(agent, now);
    const archived = transitions.filter(({ to }) => to === "ARCHIVE").length;
    const days = daysSinceSweep(agent, now);
    if (!force) checkClock(agent, days, archived);
    // A clock that is far behind must not set this back: the right clock would seem far ahead.
    const isBehind = !force && days < -MAX_DAYS_BETWEEN_SWEEPS;
    if (!isBehind) agent.storage.setMeta("last_sweep", toIso(now));
    const behind = isBehind ? toIso(now) : "";
    if (behind !== (agent.storage.meta("sweep_far_behind") ?? ""))
      agent.storage.setMeta("sweep_far_behind", behind);
    index.applyDecay(changes);
    agent.soft.faded(changes);
    return { ok: true, processed, transitions_count: transitions.length, transitions };
  });
}

/**
 * Keeps a wrong clock from archiving memories. Memories that were made by a clock far behind look
 * old. After a sweep by such a clock, any archiving is therefore a doubt.
 *
 * @throws {Refusal} if there is a doubt; `days` are those since the last sweep.
 */
function checkClock({ index, storage }: Agent, days: number, archived: number): void {
  const behind = storage.meta("sweep_far_behind") ?? "";
  const doubts = [
    ...(days > MAX_DAYS_BETWEEN_SWEEPS ? [`the last sweep was ${Math.floor(days)} days ago`] : []),
    ...(archived > index.size * MAX_ARCHIVED
      ? [`${archived} of ${index.size} memories would be archived`]
      : []),
    ...(archived > 0 && behind !== ""
      ? [`the last sweep came from a clock that showed ${behind}`]
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
