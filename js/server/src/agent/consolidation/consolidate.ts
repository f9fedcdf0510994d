// Consolidation: the agent's preset decides whether it sums up episodes, or learns from trades.

import type { Consolidating, ConsolidationAnswer } from "../../api/consolidation.ts";
import type { Analyses } from "../../api/operation.ts";
import { wrong } from "../../refusal.ts";
import type { Agent } from "../agent.ts";
import { compareAll } from "../writes/comparing.ts";
import { learnFromTrades, learnsFromTrades } from "./lessons.ts";
import { mergeDuplicates } from "./merging.ts";
import { summarize } from "./summaries.ts";

/** Memories that one consolidation compares with older ones. Each takes a search. */
const MAX_COMPARED = 500;

/** Consolidates an agent's memory. `analyses` are the language model's answers, if there is one. */
export async function consolidate(
  agent: Agent,
  { dry_run = false, merge_duplicates = false }: Consolidating = {},
  analyses?: Analyses,
): Promise<ConsolidationAnswer> {
  if (learnsFromTrades(agent)) {
    for (const [field, value] of Object.entries({ dry_run, merge_duplicates })) {
      if (value) throw wrong(field, "must be false: the agent's preset learns from trades");
    }
    return learnFromTrades(agent, analyses);
  }
  // Duplicates first, so that no summary quotes a memory twice.
  const duplicates = await mergeDuplicates(agent, merge_duplicates && !dry_run);
  const summed = await summarize(agent, dry_run);
  const { queued, left } = await compareAll(agent, MAX_COMPARED, dry_run);
  const counted = (action: "created" | "updated") =>
    summed.summaries.filter((summary) => summary.action === action).length;
  return {
    episodes_reviewed: summed.reviewed,
    groups_found: summed.groups,
    groups_analyzed: summed.groups,
    patterns_created: counted("created"),
    patterns_strengthened: counted("updated"),
    errors: [],
    summaries: summed.summaries,
    conflicts: queued,
    conflicts_left: left,
    duplicates,
  };
}
