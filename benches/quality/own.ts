// Measures all systems on our own questions: over the general memory and over the trader's.

import type { Sample } from "../../js/sample/trader/index.ts";
import { whole } from "../js/units.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import type { Models } from "./contestants.ts";
import type { Part } from "./measure.ts";
import { measureGeneral } from "./own-general.ts";
import { generalSet, traderSet } from "./own-sets.ts";
import { measureTrader } from "./own-trader.ts";
import type { QuestionSet } from "./question-set.ts";
import { summaryOf } from "./summary.ts";

/** Tables of measurements, in Markdown. */
export interface Report {
  /** The tables for docs/quality.md. */
  readonly summary: string;
  /** All tables, with an explanation. */
  readonly text: string;
  /** The parts that the summary has columns for. */
  readonly parts: readonly Part[];
}

/** Asks our own questions over the general memory and over the trader's memory. */
export function reportOnOwn(sample: Sample, models: Models): Report {
  const sets = { general: generalSet(), trader: traderSet(sample) };
  const general = measureGeneral(sets.general, models);
  const trader = measureTrader(sample, sets.trader, models);
  const named = (store: string) => (part: Part) => ({
    ...part,
    title: `${store}, ${part.title.toLowerCase()}`,
  });
  const parts = [...general.halves.map(named("general")), ...trader.parts.map(named("trader"))];
  const summary = summaryOf(parts);
  const text = [
    howOver(sets.general, sets.trader),
    "# In short",
    summary,
    "# The general memory",
    ...general.tables,
    "# The trader's memory",
    ...trader.tables,
  ].join("\n\n");
  return { summary, text, parts };
}

const howOver = (
  general: QuestionSet,
  trader: QuestionSet,
) => `\`npm run quality\`: questions with known answers over two memories that are made up. The *general memory* holds
${whole(general.memories.length)} memories of a person, a household and a software project over one year, in English, German and Japanese; memories and
questions were written by hand. The *trader's memory* is the sample of ${whole(trader.memories.length)} memories. A hash of a question's words says whether it
belongs to the development half, on which weights may be fitted, or to the test half, which fitting never sees.

hit@1 is the share of questions whose first memory answers; recall@10 is the share of all answers of a question among its first ten
memories; nDCG@10 has gains 2^grade − 1: an answer has grade 2, a memory that bears on the question grade 1. In brackets are
${100 * CONFIDENCE} % intervals of ${whole(RESAMPLES)} bootstrap resamples over questions. The calibration error is the expected one over ten bins of the scores
of all first ten memories, those of questions without an answer included. µs is the median time of a question in microseconds.

*BM25* has k1 1.2, b 0.75, Snowball stems and the stop words of the crate. *FTS5* and *MiniSearch* get the whole question. Over the
trader's memory these three read kind and tags as words of the title, too. *Signals* is ranking by six signals, as the server
does it, without embeddings and with those of the built-in table of 128 dimensions. *Evidence* has the table of 128 dimensions, and the weights \`general\` for the general memory,
\`trading\` for the trader's. *Runs by gaps*: the index does not know the clusters. Rows with … are evidence whose group weighs 0; the
other weights stay, so that they show what a group adds, not what weights fitted without it would reach.`;
