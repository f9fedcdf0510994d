// How the memories of the open memory fade over time, and what a recall changes. Nothing here
// changes the open memory.
//
// A memory fades from its last access, and on days before that from its making, always with the
// stability that it has now: earlier accesses are not known. A stability means another time on
// another curve, and is converted.

import {
  ANSWERABLE,
  createEngine,
  type DecayLifecycleState,
  type Engine,
  exponentialStabilityFromFsrs,
  fsrsStabilityFromExponential,
  LIFECYCLE_STATES,
  MEMORY_SECTIONS,
  MemoryIndex,
  type MemorySection,
} from "nous-wasm";
import { probabilityIn } from "./ask.ts";
import type { Held } from "./held.ts";
import type { Card } from "./records.ts";

/** A forgetting curve. */
export type Curve = "exponential" | "fsrs6";

const DAY = 86_400_000;
/** Places of today's answers at which a change of place is looked up. */
const COMPARED = 100;

/** Engines on the curve that a memory is not configured with. */
const others = new WeakMap<Held, Engine>();

function engineOn(held: Held, curve: Curve): Engine {
  if ((held.config.curve ?? "exponential") === curve) return held.engine;
  let engine = others.get(held);
  if (engine === undefined) {
    engine = createEngine({ ...held.config, curve });
    others.set(held, engine);
  }
  return engine;
}

/** Returns how a stability of the open memory is written on a curve. */
function onCurve(held: Held, curve: Curve): (stability: number) => number {
  const own = held.config.curve ?? "exponential";
  if (own === curve) return (stability) => stability;
  return curve === "fsrs6" ? fsrsStabilityFromExponential : exponentialStabilityFromFsrs;
}

/** How memories of a section fade that are never recalled. */
export interface SectionCurve {
  section: MemorySection;
  /** The stability in days that a memory begins with, in the unit of the curve. */
  stability: number;
  /** The retrievability after each of the days. */
  values: number[];
  /** Days after which it is no longer ACTIVE, and no longer WEAK; null if after the last day. */
  weakAfter: number | null;
  dormantAfter: number | null;
}

export interface CurvesRequest {
  curve: Curve;
  /** Days since the last access, rising. */
  days: readonly number[];
}

/** Returns how each section fades on a curve. */
export function sectionCurves(held: Held, { curve, days }: CurvesRequest): SectionCurve[] {
  const engine = engineOn(held, curve);
  const convert = onCurve(held, curve);
  return MEMORY_SECTIONS.map((section) => {
    const { decay } = held.engine.SECTION_PROFILES[section];
    const stability = convert(decay.initial_stability_days);
    const after = (threshold: number) =>
      firstDay((day) => engine.calculateRetrievability(day, stability) <= threshold, days.at(-1)!);
    return {
      section,
      stability,
      values: days.map((day) => engine.calculateRetrievability(day, stability)),
      weakAfter: after(decay.active_threshold),
      dormantAfter: after(decay.weak_threshold),
    };
  });
}

/** Returns the first day, to an hour, from which on a condition holds; null if after `last`. */
function firstDay(holds: (day: number) => boolean, last: number): number | null {
  if (!holds(last)) return null;
  let [below, above] = [0, last];
  while (above - below > 1 / 24) {
    const middle = (below + above) / 2;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** How many memories are in each lifecycle state, over days. */
export interface StatesOverTime {
  /** Milliseconds since 1970, rising. */
  days: number[];
  /** By state, in the order of `LIFECYCLE_STATES`; one count per day. */
  counts: number[][];
}

export interface StatesRequest {
  curve: Curve;
  /** Milliseconds since 1970, rising. */
  days: readonly number[];
  /** Rises with each change of the open memory. */
  generation: number;
}

/** Returns the states of all memories on some days. */
export function statesOverTime(held: Held, request: StatesRequest): StatesOverTime {
  const { curve, days, generation } = request;
  const engine = engineOn(held, curve);
  const { created, accessed, stability: own, section } = columnsOf(held, generation);
  const stability = own.map(onCurve(held, curve));
  const counts = LIFECYCLE_STATES.map(() => new Array<number>(days.length).fill(0));
  const last = new Float64Array(created.length);
  let there = 0;
  for (const [place, day] of days.entries()) {
    while (there < created.length && created[there]! <= day) there += 1;
    for (let i = 0; i < there; i++) last[i] = accessed[i]! <= day ? accessed[i]! : created[i]!;
    const { lifecycle } = engine.decayColumns(
      {
        lastAccessed: last.subarray(0, there),
        stability: stability.subarray(0, there),
        section: section.subarray(0, there),
      },
      day,
    );
    for (const state of lifecycle) counts[state]![place]! += 1;
  }
  return { days: [...days], counts };
}

interface Columns {
  generation: number;
  created: Float64Array;
  accessed: Float64Array;
  stability: Float64Array;
  section: Uint8Array;
}

/** Kept, since the slider asks with each frame. */
const columns = new WeakMap<Held, Columns>();

/** Returns all memories as columns, in order of their making. */
function columnsOf(held: Held, generation: number): Columns {
  const known = columns.get(held);
  if (known?.generation === generation) return known;
  const { index, engine } = held;
  const nodes = Array.from(index.ids(), (id) => index.get(id)!);
  nodes.sort((a, b) => a.created_at - b.created_at);
  const codeOf = new Map(MEMORY_SECTIONS.map((section, code) => [section, code]));
  const codes = nodes.map(({ subtype }) => codeOf.get(engine.getSectionForSubtype(subtype))!);
  const made = {
    generation,
    created: Float64Array.from(nodes, (node) => node.created_at),
    accessed: Float64Array.from(nodes, (node) => node.last_accessed),
    stability: Float64Array.from(nodes, (node) => node.stability),
    section: Uint8Array.from(codes),
  };
  columns.set(held, made);
  return made;
}

/** An answer on a day, beside that of today. */
export interface AnswerOnDay {
  card: Card;
  rank: number;
  score: number;
  /** Its place among today's answers; null if it is behind the hundredth. */
  rankToday: number | null;
  scoreToday: number | null;
  state: DecayLifecycleState;
  retrievability: number;
}

export interface AnswersOnDay {
  answers: AnswerOnDay[];
  isAnswerable: boolean;
  /** Today's answers that were not made by that day. */
  notYet: number;
  /** How long the engine took to rank. */
  milliseconds: number;
}

export interface DayRequest {
  question: string;
  day: number;
  curve: Curve;
  limit: number;
}

/** Returns the answers to a question on another day, from the memories of that day and before. */
export function answersOnDay(
  held: Held,
  { question, day, curve, limit }: DayRequest,
): AnswersOnDay {
  const { index, now, engine } = held;
  const asking = held.asking(question);
  const today = index.ask(question, { ...asking, limit: COMPARED });
  const places = new Map(today.map(({ id, score }, place) => [id, { rank: place + 1, score }]));
  const start = performance.now();
  const filters = day < now ? { created_before: day } : {};
  const answers = index.ask(question, { ...asking, limit, now: day, filters });
  const milliseconds = performance.now() - start;
  const on = engineOn(held, curve);
  const convert = onCurve(held, curve);
  const nodes = answers.map(({ id }) => index.get(id)!);
  const { retrievability, lifecycle } = on.decayColumns(
    {
      lastAccessed: nodes.map((node) =>
        node.last_accessed <= day ? node.last_accessed : node.created_at,
      ),
      stability: nodes.map((node) => convert(node.stability)),
      section: nodes.map(({ subtype }) =>
        MEMORY_SECTIONS.indexOf(engine.getSectionForSubtype(subtype)),
      ),
    },
    day,
  );
  return {
    answers: answers.map(({ id, score }, place) => ({
      card: held.card(id),
      rank: place + 1,
      score,
      rankToday: places.get(id)?.rank ?? null,
      scoreToday: places.get(id)?.score ?? null,
      state: LIFECYCLE_STATES[lifecycle[place]!]!,
      retrievability: retrievability[place]!,
    })),
    isAnswerable: probabilityIn(held, question, answers) >= ANSWERABLE,
    notYet: today.slice(0, limit).filter(({ id }) => index.get(id)!.created_at > day).length,
    milliseconds,
  };
}

export interface RecallRequest {
  id: string;
  /** When it is recalled; rising. */
  recalls: readonly number[];
  curve: Curve;
  /** The end of the curves. */
  to: number;
  points: number;
}

/** A stretch of a memory's life between two recalls. */
interface Stretch {
  from: number;
  stability: number;
}

/** A memory's life with recalls, beside its life without. */
export interface Recalled {
  /** The recalls, without those before the memory was made. */
  recalls: number[];
  days: number[];
  without: number[];
  with: number[];
  /** Stability in days before the first recall, and after each. */
  stabilities: number[];
  /** When the memory is no longer ACTIVE, and no longer WEAK; null if after `to`. */
  withoutUntil: Until;
  withUntil: Until;
}

export interface Until {
  active: number | null;
  weak: number | null;
}

/**
 * Returns the effect of recalls on a memory. A copy of it, alone in a separate index, is recalled.
 *
 * @throws {Error} If there is no such memory.
 */
export function recalled(held: Held, request: RecallRequest): Recalled {
  const { id, curve, to, points } = request;
  const node = held.index.get(id);
  if (node === undefined) throw new Error("this memory is not in the open memory");
  const recalls = request.recalls.filter((at) => at >= node.created_at);
  const stability = onCurve(held, curve)(node.stability);
  const first = recalls[0] ?? held.now;
  // On a day before its last access the memory was as it was made.
  const from = node.last_accessed <= first ? node.last_accessed : node.created_at;
  const stretches: Stretch[] = [{ from, stability }];
  const copy = new MemoryIndex({ config: { ...held.config, curve } });
  try {
    copy.upsert([{ ...node, stability, last_accessed: from }], { now: from });
    for (const at of recalls) {
      copy.recall([id], at);
      stretches.push({ from: at, stability: copy.get(id)!.stability });
    }
  } finally {
    copy.free();
  }
  const engine = engineOn(held, curve);
  const section = engine.getSectionForSubtype(node.subtype);
  const { active_threshold, weak_threshold } = engine.SECTION_PROFILES[section].decay;
  const at = (day: number, those: readonly Stretch[]) => {
    const { from: since, stability: days } = those.findLast((stretch) => stretch.from <= day)!;
    return engine.calculateRetrievability((day - since) / DAY, days);
  };
  const until = ({ from: since, stability: own }: Stretch): Until => {
    const below = (threshold: number) => {
      const days = firstDay(
        (day) => engine.calculateRetrievability(day, own) <= threshold,
        Math.max(0, (to - since) / DAY),
      );
      return days === null ? null : since + days * DAY;
    };
    return { active: below(active_threshold), weak: below(weak_threshold) };
  };
  const days = daysWith(from, to, points, recalls);
  return {
    recalls,
    days,
    without: days.map((day) => at(day, stretches.slice(0, 1))),
    with: days.map((day) => at(day, stretches)),
    stabilities: stretches.map((stretch) => stretch.stability),
    withoutUntil: until(stretches[0]!),
    withUntil: until(stretches.at(-1)!),
  };
}

/** Returns days at equal distances, and the moments before and at each recall. */
function daysWith(from: number, to: number, points: number, recalls: readonly number[]): number[] {
  const even = Array.from({ length: points }, (_, i) => from + ((to - from) * i) / (points - 1));
  const jumps = recalls.flatMap((at) => [at - 1, at]).filter((at) => at > from && at < to);
  return [...new Set([...even, ...jumps])].sort((a, b) => a - b);
}
