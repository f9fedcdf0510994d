// Sweeps, and the changes of retrievability and lifecycle that they propose.

import { LIFECYCLE_STATES } from "../constants.ts";
import {
  NO_SUBTYPE,
  NOBODY,
  TRANSITION,
  TRANSITION_FROM,
  TRANSITION_ROW,
  TRANSITION_SUBTYPE,
  TRANSITION_TO,
} from "../generated/layout.ts";
import { STORED_STATES } from "./read.ts";
import { changeRefused } from "./refusals.ts";
import type { MemoryState } from "./state.ts";
import type { DecayChanges, Sweep, Transition } from "./types.ts";

/** Proposes changes of all nodes. @internal */
export function sweep(state: MemoryState, now: number): Sweep {
  const { resident, ids } = state;
  const { module } = resident;
  const processed = module.decay(now);
  if (processed < 0) throw resident.refusal();
  const count = module.sweep_length();
  const { buffer } = resident.instance.memory;
  const rows = new Uint32Array(buffer, module.sweep_rows_at(), count);
  const changes: DecayChanges = {
    ids: idsAt(ids, rows, module.sweep_begins()),
    retrievability: new Float64Array(buffer, module.sweep_retrievability_at(), count).slice(),
    lifecycle: new Uint8Array(buffer, module.sweep_states_at(), count).slice(),
  };
  const transitions = transitionsIn(state, module.sweep_transitions());
  module.forget_sweep();
  resident.revalidateViews();
  return { processed, changes, transitions };
}

/** The transitions that a sweep would propose. @internal */
export function dueTransitions(state: MemoryState, now: number): Transition[] {
  const due = state.resident.module.transitions(now);
  if (due === undefined) throw state.resident.refusal();
  return transitionsIn(state, due);
}

/**
 * Stores changes. Ids that are not there are skipped. Returns the count of the others. @internal
 */
export function storeDecay(
  { resident, rows: known }: MemoryState,
  ids: readonly string[],
  retrievability: ArrayLike<number>,
  lifecycle: ArrayLike<number>,
): number {
  resident.reserve(ids.length, ids.length, ids.length);
  const { numbers, rows, bytes, numbersAt, rowsAt, bytesAt } = resident;
  for (let index = 0; index < ids.length; index++) {
    const r = retrievability[index]!;
    const code = lifecycle[index]!;
    if (!(r >= 0 && r <= 1))
      throw changeRefused(ids, index, "retrievability", "must lie between 0 and 1", r);
    if (!(Number.isInteger(code) && code >= 0 && code < STORED_STATES.length)) {
      throw changeRefused(ids, index, "lifecycle", "must be a place in LIFECYCLE_STATES", code);
    }
    numbers[numbersAt + index] = r;
    bytes[bytesAt + index] = code;
    rows[rowsAt + index] = known.get(ids[index]!) ?? NOBODY;
  }
  const applied = resident.module.apply_decay(ids.length);
  if (applied < 0) throw resident.refusal();
  resident.shrinkIfLarge();
  return applied;
}

function transitionsIn({ ids, names }: MemoryState, numbers: Uint32Array): Transition[] {
  const count = numbers.length / TRANSITION;
  const transitions = new Array<Transition>(count);
  for (let place = 0; place < count; place++) {
    const at = place * TRANSITION;
    const subtype = numbers[at + TRANSITION_SUBTYPE]!;
    transitions[place] = {
      id: ids[numbers[at + TRANSITION_ROW]!]!,
      from: STORED_STATES[numbers[at + TRANSITION_FROM]!]!,
      to: LIFECYCLE_STATES[numbers[at + TRANSITION_TO]!]!,
      subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
    };
  }
  return transitions;
}

/**
 * The ids of rows, of which the first `begin` are 0, 1, 2 and so on. A copy of the first ids takes
 * less time than an empty list. If most nodes fade, most of the copy is right already.
 */
function idsAt(ids: readonly (string | undefined)[], rows: Uint32Array, begin: number): string[] {
  const found = ids.slice(0, rows.length) as string[];
  for (let place = begin; place < rows.length; place++) {
    const row = rows[place]!;
    if (row !== place) found[place] = ids[row]!;
  }
  return found;
}
