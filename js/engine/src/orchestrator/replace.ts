// Replacing weak results: a search for the title of a weak result may find a better memory.

import { copyWith, finiteScore } from "../arguments.ts";
import type { MergedRow } from "../merge.ts";
import type { Fate, SettleWeak, TitleSearch } from "../query.ts";
import { isAnswered, type Searches } from "./searches.ts";
import type { FoundRow, RetrievalTrace } from "./types.ts";

/** The most results of a search for a title. */
const TITLE_LIMIT = 3;
/** The least UTF-16 units of a title that is searched for. */
const SHORTEST_TITLE = 3;

/** A selection after its weak results were replaced or dropped. @internal */
export interface Settled<Row extends FoundRow>
  extends Pick<RetrievalTrace, "titles" | "replaced" | "dropped"> {
  nodes: MergedRow<Row>[];
}

/** The terms of a replacement. @internal */
export interface Replacing<Row extends FoundRow, Filters extends object> {
  settleWeak: SettleWeak;
  searches: Searches<Row, Filters>;
  filters: Readonly<Filters> | undefined;
  floor: number | null;
  /** The most results to replace. */
  budget: number;
}

/** Settles all weak results. The searches of each round run at once. @internal */
export async function replaceWeak<Row extends FoundRow, Filters extends object>(
  nodes: MergedRow<Row>[],
  { settleWeak, searches, filters, floor, budget }: Replacing<Row, Filters>,
): Promise<Settled<Row>> {
  const titles: RetrievalTrace["titles"] = [];
  if (floor === null || budget === 0 || nodes.every(({ score }) => score >= floor)) {
    return { nodes, titles, replaced: [], dropped: [] };
  }
  const selected = nodes.map(({ id, score }) => ({ id: id!, score }));
  const found: TitleSearch<Row>[] = nodes.map((node) =>
    titleOf(node) === undefined ? "no_title" : "not_yet",
  );
  for (;;) {
    const fates = settleWeak(selected, found, { floor, budget });
    const round = nodes.flatMap((node, place) =>
      fates[place]!.kind === "to_search" ? { node, place } : [],
    );
    if (round.length === 0) return { titles, ...settle(nodes, found, fates) };
    const answers = await Promise.all(
      round.map(({ node }) => searches.ask(titleOf(node)!, TITLE_LIMIT, filters)),
    );
    round.forEach(({ node, place }, turn) => {
      const answer = answers[turn]!;
      found[place] = isAnswered(answer) ? answer.rows.slice(0, TITLE_LIMIT) : "failed";
      titles.push({ id: node.id!, ...answer.trace });
    });
  }
}

function settle<Row extends FoundRow>(
  nodes: readonly MergedRow<Row>[],
  found: readonly TitleSearch<Row>[],
  fates: readonly Fate[],
): Omit<Settled<Row>, "titles"> {
  const settled: Omit<Settled<Row>, "titles"> = { nodes: [], replaced: [], dropped: [] };
  nodes.forEach((node, place) => {
    const fate = fates[place]!;
    const { id, score, _sub_query_group } = node;
    if (fate.kind === "dropped") {
      settled.dropped.push({ id: id!, score, why: fate.why });
    } else if (fate.kind === "replaced") {
      const row = (found[place] as readonly Row[])[fate.by]!;
      const better = copyWith(row, { score: finiteScore(row.score), _sub_query_group });
      settled.nodes.push(better);
      settled.replaced.push({ id: id!, score, by: better.id!, by_score: better.score });
    } else {
      settled.nodes.push(node);
    }
  });
  if (settled.replaced.length > 0) settled.nodes.sort((one, other) => other.score - one.score);
  return settled;
}

/** Returns the title to search for; undefined without a usable title. */
function titleOf({ content_title, title }: FoundRow): string | undefined {
  const text: unknown = content_title ?? title;
  const trimmed = typeof text === "string" ? text.trim() : "";
  return trimmed.length < SHORTEST_TITLE ? undefined : trimmed;
}
