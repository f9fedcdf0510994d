// What a search of an agent is asked for.

import type { QuestionVector } from "../../api/operation.ts";
import type { SearchAnswer, SearchRequest } from "../../api/search.ts";

/** A request for a search. */
export type NodeSearch = Omit<SearchRequest, "type" | "subtype"> & {
  type?: string | null | undefined;
  subtype?: string | null | undefined;
  /** Only memories of one of these subtypes; null stands for memories without a subtype. */
  subtypes?: readonly (string | null)[] | undefined;
  /** Ids of memories that are not found. */
  without?: readonly string[] | undefined;
};

/**
 * Searches the memory of an agent by signals, without counting accesses. Runs within `read`.
 *
 * @throws {Refusal} If the request's embedding does not fit those of the memories.
 */
export type SignalSearch<Agent> = (
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
) => SearchAnswer;
