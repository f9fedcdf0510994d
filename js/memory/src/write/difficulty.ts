// Rule: the difficulty of a new memory. The crate computes it from a kind and a length; the tables
// here give the kind by the subtypes and types that clients use.

import { type AlgorithmNodeType, calculateDifficulty } from "nous-wasm";

/** The kind of each known subtype. */
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
/** The kind of each known type. */
const TYPE_OF_TYPE: Readonly<Record<string, AlgorithmNodeType>> = {
  concept: "concept",
  episode: "event",
  person: "person",
  document: "document",
  note: "note",
};

/** Returns the kind of a memory: by its subtype, else by its type, else a concept. */
export function algorithmTypeOf(type: string, subtype: string | null): AlgorithmNodeType {
  if (subtype !== null && Object.hasOwn(TYPE_OF_SUBTYPE, subtype)) return TYPE_OF_SUBTYPE[subtype]!;
  return Object.hasOwn(TYPE_OF_TYPE, type) ? TYPE_OF_TYPE[type]! : "concept";
}

/** Returns the difficulty of a memory without edges, in [0, 1]: by its kind and the length of its body. */
export const difficultyOfNew = (
  type: string,
  subtype: string | null,
  body: string | null,
): number => calculateDifficulty(algorithmTypeOf(type, subtype), body?.length ?? 0, 0);
