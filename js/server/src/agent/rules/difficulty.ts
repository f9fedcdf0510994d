// How hard a new memory is to keep: by what kind of thing it is, and how long.

import { type AlgorithmNodeType, calculateDifficulty, getInitialDifficulty } from "nous-wasm";
import type { Compat } from "../../settings/compat.ts";

const TYPE_OF_SUBTYPE: Readonly<Record<string, AlgorithmNodeType>> = {
  "custom:watchpoint": "concept",
  "custom:curiosity": "concept",
  "custom:thesis": "concept",
  "custom:trade_entry": "concept",
  "custom:trade_close": "concept",
  "custom:trade_modify": "concept",
  "custom:lesson": "fact",
  "custom:trade": "fact",
  "custom:signal": "fact",
  "custom:market_event": "event",
  "custom:turn_summary": "event",
  "custom:preference": "preference",
  "custom:session_summary": "note",
};
const TYPE_OF_TYPE: Readonly<Record<string, AlgorithmNodeType>> = {
  concept: "concept",
  episode: "event",
  person: "person",
  document: "document",
  note: "note",
};

/** What kind of thing a memory is: by its subtype, else by its type, else a concept. */
export function algorithmTypeOf(type: string, subtype: string | null): AlgorithmNodeType {
  if (subtype !== null && Object.hasOwn(TYPE_OF_SUBTYPE, subtype)) return TYPE_OF_SUBTYPE[subtype]!;
  return Object.hasOwn(TYPE_OF_TYPE, type) ? TYPE_OF_TYPE[type]! : "concept";
}

/**
 * Returns a difficulty in [0, 1], for a memory without edges. Hynous goes by the kind alone,
 * whatever its length.
 */
export function difficultyOfNew(
  type: string,
  subtype: string | null,
  body: string | null,
  compat: Compat,
): number {
  const kind = algorithmTypeOf(type, subtype);
  return compat === "hynous"
    ? getInitialDifficulty(kind)
    : calculateDifficulty(kind, body?.length ?? 0, 0);
}
