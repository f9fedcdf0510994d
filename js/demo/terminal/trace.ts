// Renders a trace: the steps of a retrieval as a tree, with results and times.

import type { DisqualifierCategory, PartTrace, RetrievalTrace, SearchTrace } from "nous-wasm";
import { duration, widthOf, wrap } from "./layout.ts";
import { NARROWEST, type Screen, shortId } from "./render.ts";

/** The most boosted memories that are named. The others are counted. */
const MAX_NAMED = 6;

const CATEGORIES: Readonly<Record<DisqualifierCategory, string>> = {
  D1: "asks for reasons",
  D2: "negates",
  D3: "names a time",
  D4: "several questions",
  D5: "points back",
  D6: "explores",
};

const OUTCOMES = {
  empty: "nothing found",
  failed: "failed",
  late: "not answered in time",
} as const;

const DROPPED = {
  nothing_better: "nothing better was found",
  no_title: "it has no title to search for",
  budget: "enough were replaced already",
} as const;

const score = (value: number): string => value.toFixed(3);

/** A node of the tree: its line, and its children. */
interface Step {
  head: string;
  text: string;
  below?: readonly Step[];
}

/** Renders a trace under a heading. */
export function renderTrace(trace: RetrievalTrace, { width, colors }: Screen): string {
  const screen: Screen = { width: Math.max(width, NARROWEST), colors };
  const note =
    "Times are of one run after those to warm up. The times of searches have the full-text search in them.";
  return [
    ...wrap("TRACE  how the third ranking came about", screen.width).map((line) =>
      colors.bold(line),
    ),
    colors.dim("─".repeat(screen.width)),
    ...lines(retrieval(trace), screen),
    "",
    ...wrap(note, screen.width).map((line) => colors.dim(line)),
  ].join("\n");
}

/**
 * Returns the lines of a step and its children. `lead` precedes its first line, and `under` the
 * others.
 */
function lines({ head, text, below = [] }: Step, screen: Screen, lead = "", under = ""): string[] {
  const { width, colors } = screen;
  const hanging = below.length > 0 ? "│  " : "   ";
  const [first = "", ...rest] = wrap(`${head}  ${text}`, width - widthOf(lead), hanging.length);
  return [
    `${colors.dim(lead)}${colors.bold(head)}${first.slice(head.length)}`,
    ...rest.map((line) => `${colors.dim(under + hanging)}${line.slice(hanging.length)}`),
    ...below.flatMap((step, i) =>
      i < below.length - 1
        ? lines(step, screen, `${under}├─ `, `${under}│  `)
        : lines(step, screen, `${under}└─ `, `${under}   `),
    ),
  ];
}

function retrieval(trace: RetrievalTrace): Step {
  const { confidence, ms } = trace;
  const flags = confidence.flags.map((flag) => `, ${flag.replaceAll("_", " ")}`).join("");
  return {
    head: "retrieve",
    text: duration(ms.total),
    below: [
      understanding(trace),
      searching(trace),
      ...merging(trace),
      replacing(trace),
      { head: "confidence", text: `${confidence.score.toFixed(2)} ${confidence.level}${flags}` },
    ],
  };
}

function understanding({ classification, ms }: RetrievalTrace): Step {
  const {
    query_type,
    confidence,
    disqualifier_category: category,
    entity,
    attribute,
    intents,
  } = classification;
  const facts = [
    `${query_type} ${confidence.toFixed(2)}`,
    category === null ? "no disqualifier" : `${category} (${CATEGORIES[category]})`,
    entity === null ? "no entity" : `entity “${entity}”`,
    attribute === null ? "no attribute" : `attribute “${attribute}”`,
    intents.length === 0 ? "no intent" : `intent ${intents.join(" and ")}`,
  ];
  return { head: "understand", text: `${duration(ms.understand)}: ${facts.join(", ")}` };
}

function searching({ query, parts, ms }: RetrievalTrace): Step {
  const what = parts.length === 1 ? "one part" : `${parts.length} parts`;
  const below = parts.map((part, i) => searchOf(part, i + 1, part.query === query));
  return { head: "search", text: `${duration(ms.search)}: ${what}`, below };
}

/** The sentences for a second answer that counts, by the outcome of the first search. */
const VERDICTS: Partial<Record<SearchTrace["outcome"], string>> = {
  empty: "better, so it stands",
  ok: "merged with the first",
};

function searchOf(part: PartTrace, number: number, isWhole: boolean): Step {
  const { query, retry } = part;
  const name = isWhole ? "the whole question" : `“${query}”`;
  const step: Step = { head: `part ${number}`, text: `${name}: ${outcomeOf(part)}` };
  if (retry === undefined) return step;
  const verdict = retry.stands ? VERDICTS[part.outcome] : "no better";
  return {
    ...step,
    below: [{ head: "again", text: `“${retry.query}”: ${outcomeOf(retry)}, ${verdict}` }],
  };
}

function outcomeOf({ outcome, results, top_score, error, ms }: SearchTrace): string {
  const found =
    outcome === "ok" ? `${results} found, best ${score(top_score ?? 0)}` : OUTCOMES[outcome];
  return `${found}${error === undefined ? "" : ` (${error})`}, ${duration(ms)}`;
}

function merging({ merge, ms }: RetrievalTrace): Step[] {
  if (merge === null) return [];
  const { found, kept, cutoff, boosted, covered, cut, cut_total } = merge;
  const below: Step[] = [];
  if (boosted.length > 0) {
    const named = boosted
      .slice(0, MAX_NAMED)
      .map(({ id, from, to }) => `${shortId(id)} ${score(from)} → ${score(to)}`);
    if (boosted.length > MAX_NAMED) named.push(`${boosted.length - MAX_NAMED} more`);
    below.push({ head: "boosted", text: named.join(", ") });
  }
  if (covered.length > 0) {
    below.push({
      head: "added",
      text: `${covered.map(shortId).join(", ")}, for parts that had no say`,
    });
  }
  if (cut_total > 0) {
    // `cut` is complete here: a trace has room for parts times their limit.
    const weak = cut.filter(({ why }) => why === "below_cutoff").length;
    below.push({
      head: "cut",
      text: `${cut_total - weak} beyond the limit, ${weak} below the cut-off`,
    });
  }
  const counts = `${found} found, ${kept} different, ${kept - cut_total} selected`;
  return [
    { head: "merge", text: `${duration(ms.merge)}: ${counts}, cut-off ${score(cutoff)}`, below },
  ];
}

function replacing({ titles, replaced, dropped, ms }: RetrievalTrace): Step {
  const searched = new Map(titles.map((title) => [title.id, title]));
  const step = (id: string, weak: number | null, fate: string): Step => {
    const title = searched.get(id);
    const search = title === undefined ? "" : `; search for “${title.query}”: ${outcomeOf(title)}`;
    return { head: shortId(id), text: `${weak === null ? "" : `${score(weak)} `}${fate}${search}` };
  };
  const gone = new Set([...replaced, ...dropped].map(({ id }) => id));
  const below = [
    ...replaced.map(({ id, score: weak, by, by_score }) =>
      step(id, weak, `replaced by ${shortId(by)} ${score(by_score)}`),
    ),
    ...dropped.map(({ id, score: weak, why }) => step(id, weak, `dropped, ${DROPPED[why]}`)),
    ...titles.filter(({ id }) => !gone.has(id)).map(({ id }) => step(id, null, "kept")),
  ];
  const what =
    below.length === 0
      ? "nothing is weak"
      : `${replaced.length} replaced, ${dropped.length} dropped`;
  return { head: "replace", text: `${duration(ms.replace)}: ${what}`, below };
}
