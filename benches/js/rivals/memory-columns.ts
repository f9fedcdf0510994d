// The sweep over typed arrays: input columns, output columns of the changed rows, and objects for
// transitions only. The decay function is a parameter: a plain loop with `Math.exp` here, or the
// tuned sweep with its own exp.

import {
  DECAY_CONFIG,
  DECAY_LIFECYCLE_STATES,
  type DecayInput,
} from "../../../js/reference/decay.ts";
import {
  MEMORY_SECTIONS,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
} from "../../../js/reference/sections.ts";
import { type FadingNode, rounded, type Transition } from "./memory-objects.ts";

const MS_PER_DAY = 86_400_000;
const ACTIVE = Float64Array.from(
  MEMORY_SECTIONS,
  (s) => SECTION_PROFILES[s].decay.active_threshold,
);
const WEAK = Float64Array.from(MEMORY_SECTIONS, (s) => SECTION_PROFILES[s].decay.weak_threshold);
const CODES = new Map<string | null, number>(
  Object.entries(SUBTYPE_TO_SECTION).map(([subtype, section]) => [
    subtype,
    MEMORY_SECTIONS.indexOf(section),
  ]),
);
const DEFAULT_CODE = MEMORY_SECTIONS.indexOf("KNOWLEDGE");

const STATES = [...DECAY_LIFECYCLE_STATES, "DELETED"] as const;
const DORMANT = STATES.indexOf("DORMANT");
const ARCHIVE = STATES.indexOf("ARCHIVE");

export interface ColumnSweep {
  processed: number;
  changes: { ids: string[]; retrievability: Float64Array; lifecycle: Uint8Array };
  transitions: Transition[];
}

/** Retrievability and state code of every row. */
interface Faded {
  retrievability: Float64Array;
  lifecycle: Uint8Array;
}

type Fade = (columns: DecayInput, now: number, output: Faded) => unknown;

/** Nodes as columns. */
export class FadingColumns implements DecayInput {
  readonly lastAccessed: Float64Array;
  readonly stability: Float64Array;
  readonly section: Uint8Array;
  readonly #ids: string[];
  readonly #subtypes: (string | null)[];
  readonly #retrievability: Float64Array;
  readonly #lifecycle: Uint8Array;
  readonly #faded: Faded;
  readonly #changed: Uint32Array;

  constructor(nodes: readonly FadingNode[]) {
    this.#ids = nodes.map((node) => node.id);
    this.#subtypes = nodes.map((node) => node.subtype);
    this.lastAccessed = Float64Array.from(nodes, (node) => node.last_accessed ?? node.created_at);
    this.stability = Float64Array.from(nodes, (node) => node.stability);
    this.section = Uint8Array.from(nodes, (node) => CODES.get(node.subtype) ?? DEFAULT_CODE);
    this.#retrievability = Float64Array.from(nodes, (node) => node.retrievability);
    this.#lifecycle = Uint8Array.from(nodes, (node) => STATES.indexOf(node.lifecycle));
    this.#faded = {
      retrievability: new Float64Array(nodes.length),
      lifecycle: new Uint8Array(nodes.length),
    };
    this.#changed = new Uint32Array(nodes.length);
  }

  sweep(now: number, fade: Fade = fadeByExp): ColumnSweep {
    fade(this, now, this.#faded);
    const { retrievability: computed, lifecycle: states } = this.#faded;
    const stored = this.#retrievability;
    const lifecycle = this.#lifecycle;
    const changed = this.#changed;
    const count = stored.length;
    const [dormant, archive] = [DORMANT, ARCHIVE];
    const transitions: Transition[] = [];
    let processed = 0;
    let found = 0;
    for (let row = 0; row < count; row++) {
      const from = lifecycle[row]!;
      if (from >= archive) continue;
      processed++;
      let to = states[row]!;
      if (to < dormant && from === dormant) to = dormant;
      states[row] = to;
      if (to !== from) transitions.push(this.#transition(row, from, to));
      else if (!(Math.abs(computed[row]! - stored[row]!) > 0.001)) continue;
      changed[found++] = row;
    }

    const ids = new Array<string>(found);
    const changes = {
      ids,
      retrievability: new Float64Array(found),
      lifecycle: new Uint8Array(found),
    };
    for (let i = 0; i < found; i++) {
      const row = changed[i]!;
      ids[i] = this.#ids[row]!;
      changes.retrievability[i] = rounded(computed[row]!);
      changes.lifecycle[i] = states[row]!;
    }
    return { processed, changes, transitions };
  }

  #transition(row: number, from: number, to: number): Transition {
    return {
      id: this.#ids[row]!,
      from: STATES[from]!,
      to: DECAY_LIFECYCLE_STATES[to]!,
      subtype: this.#subtypes[row]!,
    };
  }
}

/** Computes decay in a plain loop with `Math.exp`. */
export function fadeByExp(
  { lastAccessed, stability, section }: DecayInput,
  now: number,
  output: Faded,
): void {
  const { retrievability, lifecycle } = output;
  const msPerDay = MS_PER_DAY;
  const dormantDays = DECAY_CONFIG.dormant_days;
  const compressDays = DECAY_CONFIG.compress_days;
  const actives = ACTIVE;
  const weaks = WEAK;
  const count = lastAccessed.length;
  for (let i = 0; i < count; i++) {
    const t = Math.max(0, (now - lastAccessed[i]!) / msPerDay);
    const s = stability[i]!;
    const r = s <= 0 ? 0 : Math.exp(-t / s);
    retrievability[i] = r;
    const code = section[i]!;
    const weak = weaks[code]!;
    let state = 0;
    if (!(r > actives[code]!)) {
      const dormant = r < weak ? t : 0;
      state = r > weak ? 1 : dormant < dormantDays ? 2 : dormant < compressDays ? 3 : 4;
    }
    lifecycle[i] = state;
  }
}
