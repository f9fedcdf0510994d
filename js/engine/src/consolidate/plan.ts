// Planning: what a consolidation would change, group by group. Nothing is changed here.

import { optionsOf, presentOf } from "../arguments.ts";
import { signalOf, timeoutOf } from "../deadline.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { Changes, subtypeOf } from "./changes.ts";
import { askModel, type Before, type Draft, draftsOf } from "./drafts.ts";
import { isSource, readEpisodes, review } from "./episodes.ts";
import { Generalized } from "./generalized.ts";
import { knownIn } from "./known.ts";
import { findings, readLinks } from "./patterns.ts";
import { QuestionFailure, Questions, readSimilar } from "./questions.ts";
import type {
  ConsolidationPlan,
  ConsolidationReport,
  EpisodeRow,
  ExistingRow,
  FindSimilar,
  PlanConsolidationOptions,
} from "./types.ts";

/** Default time limit of a call, in seconds. */
const SECONDS = 60;
const KEYS = new Set([
  "edges",
  "now",
  "agent",
  "analyze",
  "findSimilar",
  "timeoutSeconds",
  "signal",
]);

/** @internal */
export async function planConsolidation<Row extends EpisodeRow>(
  context: EngineContext,
  rows: readonly Row[],
  existing: readonly ExistingRow[],
  given: PlanConsolidationOptions<Row> | undefined,
): Promise<ConsolidationPlan> {
  const { edges, now, agent, analyze, findSimilar, timeoutSeconds, signal } = readOptions(given);
  const episodes = readEpisodes(rows, isSource);
  const known = knownIn(existing);
  const links = readLinks(edges, true);
  const before: Before = { context: context, agent, known, generalized: new Generalized(links) };
  const questions = new Questions(timeoutSeconds, signal);
  questions.requireWanted();

  const { reviewed, found, groups } = review(context, episodes, now);
  const report = reportOf(reviewed, found);
  const symbols = new Set(groups.map(({ symbol }) => symbol));
  // For all groups together, because the q values are computed over all tests.
  const learned = analyze === undefined ? findings(context, episodes, links, symbols) : [];
  const plan: ConsolidationPlan = { groups: [], report };
  for (const group of groups) {
    const changes = new Changes(group.symbol, before.generalized);
    try {
      const drafts =
        analyze === undefined
          ? draftsOf(group.symbol, learned, before)
          : await askModel(group, analyze, questions, before);
      if (drafts === null) continue;
      report.groups_analyzed++;
      for (const draft of drafts) await settle(draft, changes, before, questions, findSimilar);
    } catch (error) {
      if (!(error instanceof QuestionFailure)) throw error;
      report.errors.push({ symbol: group.symbol, stage: error.stage, message: error.message });
      continue;
    }
    report.patterns_created += changes.plan.create.length;
    report.patterns_strengthened += changes.strengthened;
    if (!changes.isEmpty) plan.groups.push(changes.plan);
  }
  return plan;
}

const reportOf = (reviewed: number, found: number): ConsolidationReport => ({
  episodes_reviewed: reviewed,
  groups_found: found,
  groups_analyzed: 0,
  patterns_created: 0,
  patterns_strengthened: 0,
  errors: [],
});

/** Decides whether a draft becomes a new node or updates a known one. */
async function settle(
  draft: Draft,
  changes: Changes,
  { known }: Before,
  questions: Questions,
  findSimilar: FindSimilar | undefined,
): Promise<void> {
  if (draft.known !== null) {
    changes.update(draft, draft.known);
    return;
  }
  if (findSimilar === undefined) {
    changes.create(draft, []);
    return;
  }
  const { title, text: body } = draft;
  const asked = { title, body, subtype: subtypeOf(draft) };
  const { duplicates, connected } = await questions.ask(
    "find_similar",
    (options) => findSimilar(asked, options),
    readSimilar,
  );
  // Sentences of statistics resemble each other more than their contents do. For those, the
  // condition decides whether two are the same.
  const isOther = (id: string) =>
    draft.record.analysis === "statistics" && known.get(id)?.record.analysis === "statistics";
  const duplicate = duplicates.find((id) => !isOther(id));
  if (duplicate === undefined) changes.create(draft, [...duplicates, ...connected]);
  else changes.strengthen(duplicate, draft);
}

function readOptions<Row>(given: PlanConsolidationOptions<Row> | undefined) {
  const options = optionsOf<PlanConsolidationOptions<Row>>("options", given, KEYS);
  const { edges, now, agent, analyze, findSimilar, timeoutSeconds, signal } = options;
  if (agent != null && typeof agent !== "string")
    throw invalid("agent", `must be a string, found ${show(agent)}`);
  for (const [name, call] of Object.entries({ analyze, findSimilar })) {
    if (call != null && typeof call !== "function")
      throw invalid(name, `must be a function, found ${show(call)}`);
  }
  return {
    edges: edges ?? [],
    now: presentOf(now),
    agent: agent ?? "",
    analyze: analyze ?? undefined,
    findSimilar: findSimilar ?? undefined,
    timeoutSeconds: timeoutOf(timeoutSeconds, SECONDS),
    signal: signalOf(signal),
  };
}
