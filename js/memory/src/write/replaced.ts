// The memories that a memory may replace, found by the index: the answers to its text, by the rule of
// possible conflicts.

import type { Answer, AskOptions, Engine } from "nous-wasm";
import { createdAtOf, textOf, textsOf } from "../index-rows.ts";
import type { NodeRow } from "../rows.ts";
import {
  type ComparedMemory,
  comparedText,
  conflictCandidates,
  MAX_CONFLICT_ANSWERS,
  possibleConflicts,
} from "./possible-conflicts.ts";

/** An older memory that a new one may replace. */
export interface Replaced {
  /** The id of the older memory. */
  id: string;
  /** The probability that the new memory replaces it, from 0 to 1. */
  probability: number;
}

/** Returns the memories of the same user that a memory may replace, the most probable first. */
export function possiblyReplacedBy(
  row: NodeRow,
  store: {
    readonly engine: Pick<Engine, "getSectionForSubtype">;
    ask(question: string, options: Pick<AskOptions, "limit" | "filters">): readonly Answer[];
    rows(ids: readonly string[]): readonly NodeRow[];
  },
): Replaced[] {
  const newer = comparedOf(row);
  const answers = store.ask(comparedText(newer), {
    limit: MAX_CONFLICT_ANSWERS,
    filters: { created_before: newer.created_at },
  });
  // A memory that another one supersedes is replaced already.
  const older = answers.filter(
    (answer) => answer.id !== row.id && answer.superseded_by === undefined,
  );
  const rows = new Map(store.rows(older.map(({ id }) => id)).map((row) => [row.id, row]));
  const candidates = conflictCandidates(
    newer,
    older.flatMap(({ id, evidence }) => {
      const its = rows.get(id);
      return its === undefined || its.user_id !== row.user_id
        ? []
        : { id, ...comparedOf(its), evidence };
    }),
    (subtype) => store.engine.getSectionForSubtype(subtype),
  );
  return possibleConflicts(newer, candidates).map(({ place, probability }) => ({
    id: candidates[place]!.id,
    probability,
  }));
}

function comparedOf(row: NodeRow): ComparedMemory {
  return {
    // Without kind and tags, which the index adds to the title.
    title: textOf(row.content_title) ?? "",
    text: textsOf(row).text ?? "",
    subtype: textOf(row.subtype),
    created_at: createdAtOf(row) ?? 0,
  };
}
