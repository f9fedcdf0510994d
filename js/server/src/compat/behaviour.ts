// The behaviour of agents in a compatibility mode, and that of Hynous' Nous server.

import { algorithmTypeOf, fadedByTime, looseCorrectionIn, normaliseTime } from "nous-memory";
import {
  type Engine,
  getInitialDifficulty,
  LIFECYCLE_STATES,
  type StoredMemoryNode,
  type Sweep,
} from "nous-wasm";
import type { Behaviour, Memory, NewTexts } from "../agent/behaviour.ts";
import { DEFAULT_BEHAVIOUR } from "../agent/default-behaviour.ts";
import { storedState } from "../agent/lifecycle-filters.ts";
import { memoryText } from "../agent/present.ts";
import { PLAYBOOK } from "../agent/replica/playbook-replica.ts";
import type { Compat } from "../settings/choices.ts";

/** The most memories that a text is in conflict with, and the words of a title that are compared. */
const MAX_CONFLICTS = 3;
const TITLE_WORDS = 3;

/** Rounds a fraction as Hynous does before it stores or answers it. */
export const toFourDigits = (share: number): number => Math.round(share * 10_000) / 10_000;

const HYNOUS: Behaviour = {
  // Hynous knows its own types alone.
  engineConfig: ({ weights }, given) => ({
    ...given,
    evidence: { ...given.evidence, preset: weights },
  }),
  readsSqliteTexts: true,

  subtypeOfNew: (_, { subtype }) => subtype ?? null,
  // The length of the text does not count.
  difficultyOfNew: (type, subtype) => getInitialDifficulty(algorithmTypeOf(type, subtype)),
  lastAccessOfNew: (now) => now,
  keepsOldVectors: true,
  layerFollowsType: false,
  // All times end with "Z".
  eventTimeOf: normaliseTime,

  faded: fadedToFourDigits,
  afterRecall: growPlaybook,
  sweep: wakingSweep,
  // Hynous counts states as they were stored last.
  dueTransitions: () => [],

  contradictionIn: looseContradictionIn,
  // Hynous keeps the text as it was, even if the memory changes.
  conflictOf: (row) => ({
    new_content: memoryText(row),
    conflict_type: "AMBIGUOUS",
    context: null,
  }),
  comparesNew: false,
  // Hynous' daemon resolves expired conflicts.
  dropsExpiredConflicts: false,
  // Conflicts whose new side is the memory stay, as texts.
  beforeDeletion: ({ conflicts }, id) => conflicts.untie(id),

  sourceOfClusters: "user_created",
  // Hynous distinguishes a cluster without a list from one with an empty list.
  subtypesOfCluster: (subtypes) => (subtypes == null ? null : JSON.stringify(subtypes)),
  // The client does that.
  joinsClusters: false,

  // Hynous knows nothing else.
  learnsFromTrades: () => true,
};

const BEHAVIOURS: Readonly<Record<Compat, Behaviour>> = { none: DEFAULT_BEHAVIOUR, hynous: HYNOUS };

/** Returns the behaviour of agents in a compatibility mode. */
export const behaviourOf = (compat: Compat): Behaviour => BEHAVIOURS[compat];

/** Lets the stability of a playbook grow by a read. In the index only outcomes of trades raise it. */
function growPlaybook({ index, engine }: Memory, id: string): void {
  const node = index.get(id);
  if (node?.subtype !== PLAYBOOK) return;
  const { decay } = engine.SECTION_PROFILES[engine.getSectionForSubtype(PLAYBOOK)];
  const stability = engine.updateStabilityOnAccessForSection(
    node.stability,
    node.difficulty,
    decay,
  );
  index.upsert([{ id, stability }]);
}

/** Returns the state by time alone, whatever is stored, and four digits of the retrievability. */
function fadedToFourDigits(
  nodes: readonly (StoredMemoryNode | undefined)[],
  engine: Engine,
  now: number,
) {
  const faded = fadedByTime(nodes, engine, now);
  for (const its of faded)
    if (its !== undefined) its.retrievability = toFourDigits(its.retrievability);
  return faded;
}

/** Returns a sweep that also wakes dormant memories whose retrievability as of now is high enough. */
function wakingSweep(memory: Memory, now: number): Sweep {
  const { index, engine, storage } = memory;
  const sweep = index.decay(now);
  const asleep = storage.nodes.matching({ lifecycle: storedState(memory, "DORMANT") }) ?? [];
  const nodes = index.getAll(asleep);
  const faded = fadedToFourDigits(nodes, engine, now);
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

/**
 * Reads the body, or the title if there is none, and finds memories with the title's first words in
 * order.
 */
function looseContradictionIn({ storage }: Memory, { title, body }: NewTexts) {
  const correction = looseCorrectionIn(body || title);
  if (!correction.detected) return undefined;
  const words = title.split(" ").slice(0, TITLE_WORDS).join("%");
  return { correction, alike: storage.nodes.like(`%${words}%`, MAX_CONFLICTS) };
}
