// Rules: how the memories of a retrieval become lines, and the error of one that found none.

import { type Engine, NousError } from "nous-wasm";
import type { LinesAnswer } from "../../api/retrieval.ts";
import type { FoundNode } from "../../api/search.ts";
import { Refusal } from "../../refusal.ts";

/**
 * Returns memories as lines, and their ids. A line shows when something happened, and when it was
 * stored if that is not known.
 */
export function linesOf(
  { formatContext }: Pick<Engine, "formatContext">,
  nodes: readonly FoundNode[],
  maxTokens: number,
): LinesAnswer {
  const dated = nodes.map((node) => ({
    ...node,
    provenance_created_at: node.temporal_event_time ?? node.provenance_created_at,
  }));
  const text = formatContext(dated, maxTokens, { emptyAsMissing: true });
  return { text, ids: nodes.map(({ id }) => id) };
}

/** Returns why all searches failed. */
export function causeOf(error: unknown): unknown {
  if (!(error instanceof NousError) || error.code !== "search_failed") return error;
  const { cause } = error;
  return cause instanceof Refusal ? cause : ((cause as Error).cause ?? cause);
}
