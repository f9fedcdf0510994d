// Rule: which questions are searched by their words alone. The crate classifies the question.

import type { Understanding } from "nous-wasm";

/** Returns whether a question is a plain lookup: it is searched without an embedding of its own. */
export const isPlainLookup = ({
  query_type,
  disqualified,
}: Pick<Understanding, "query_type" | "disqualified">): boolean =>
  query_type === "LOOKUP" && !disqualified;
