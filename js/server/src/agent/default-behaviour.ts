// The behaviour of agents without a compatibility mode.

import {
  correctionIn,
  difficultyOfNew,
  engineConfigOf,
  fadedOf,
  normaliseEvent,
  typeOf,
} from "nous-memory";
import { keepLine } from "../storage/supersession.ts";
import type { Behaviour } from "./behaviour.ts";
import { MAX_CONFLICTS, resembling } from "./search/resembling.ts";

/** The type of a conflict that a new memory's text caused. */
export const CORRECTION = "correction";

export const DEFAULT_BEHAVIOUR: Behaviour = {
  engineConfig: engineConfigOf,
  readsSqliteTexts: false,

  // A memory whose type has a section, such as `preference`, has it as its subtype, too.
  subtypeOfNew: (preset, { type, subtype }) =>
    subtype !== undefined || typeOf(preset, type) === undefined ? (subtype ?? null) : type,
  difficultyOfNew,
  lastAccessOfNew: () => null,
  keepsOldVectors: false,
  layerFollowsType: true,
  eventTimeOf: normaliseEvent,

  faded: fadedOf,
  afterRecall: () => {},
  sweep: ({ index }, now) => index.decay(now),
  dueTransitions: (memory) => memory.index.transitions(memory.now()),

  contradictionIn: (memory, { title, summary, body }) => {
    const correction = correctionIn([title, summary, body].filter((it) => it !== null).join("\n"));
    return correction.detected
      ? { correction, alike: resembling(memory, title, MAX_CONFLICTS) }
      : undefined;
  },
  // The text of the new memory is read from the memory: a copy would outlive it.
  conflictOf: (_, { triggers }) => ({
    new_content: null,
    conflict_type: CORRECTION,
    context: triggers.join(", "),
  }),
  comparesNew: true,
  dropsExpiredConflicts: true,
  beforeDeletion: keepLine,

  sourceOfClusters: "agent",
  subtypesOfCluster: (subtypes) => JSON.stringify(subtypes ?? []),
  joinsClusters: true,

  learnsFromTrades: ({ consolidation }) => consolidation === "trades",
};
