// `npm run quality -- consolidation --set FILE …`: measures what the summaries of a consolidation
// do to searches and prompts. Every question is asked before a consolidation and after it.

import { basename } from "node:path";
import { whole } from "../js/units.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import {
  foundBySearch,
  gainsOf,
  inPrompts,
  LENGTHS,
  type Stored,
  withStored,
} from "./answers-in-prompts.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { shown, shownDifference } from "./evidence-report.ts";
import { DEPTH } from "./metrics.ts";
import { setsAndWriting } from "./options.ts";
import { readSet } from "./read-set.ts";

const USAGE = `npm run quality -- consolidation --set FILE …   JSON, or JSON compressed by gzip
    --no-write                          prints the table, writes nothing`;
/** The page that quotes the figures. */
const PAGE = "docs/quality.md";

const HOW = `\`npm run quality -- consolidation --set FILE …\`: every store is written to a server of default settings as episodes. Every question
that has an answer is asked before \`POST /v1/consolidate\` and after it, without counting an access. *nDCG@10* is that of
\`POST /v1/search\`; a *prompt* is \`POST /v1/context\`, and its figure is the mean share of a question's answers in it. A summary counts as no answer,
also if it quotes one. In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions.`;

const { files, writes } = setsAndWriting(USAGE, { needsFiles: true });
await run();

async function run(): Promise<void> {
  const rows: string[][] = [];
  for (const file of files) {
    const name = basename(file).replace(/\.json(\.gz)?$/, "");
    const before = emptyMeasures();
    const after = emptyMeasures();
    let [memories, summaries] = [0, 0];
    for (const set of readSet(file)) {
      memories += set.memories.length;
      await withStored(set, async (stored) => {
        append(before, await measured(stored));
        const { body } = await stored.server.ask("POST /consolidate", {});
        summaries += body.summaries.length;
        append(after, await measured(stored));
      });
      console.error(`${name}: ${set.name}`);
    }
    for (const [measure, earlier] of before) {
      const later = after.get(measure)!;
      const drawn = draws(earlier.length);
      const gain = later.map((value, place) => value - earlier[place]!);
      const counts = [memories, summaries, earlier.length].map(whole);
      const figures = [earlier, later].map((one) => shown(estimate(one, drawn)));
      rows.push([name, ...counts, measure, ...figures, shownDifference(estimate(gain, drawn))]);
    }
  }
  const counts = ["set", "memories", "summaries", "questions"];
  const text = table([...counts, "measure", "before", "after", "difference"], rows);
  console.log(text);
  if (!writes) return;
  const title = "Answers before and after a consolidation";
  const path = writeResults("summaries", title, `${HOW}\n\n${text}`);
  writeInto(PAGE, "figures of summaries", `${text}\n\nMeasured on ${today()}.`);
  console.log(`\nwritten to ${path}, in short to ${PAGE}`);
}

/** Values of each question by the name of the measure. */
type Measures = Map<string, number[]>;

function promptOf(tokens: number): string {
  return `prompt of ${whole(tokens)} tokens`;
}

function emptyMeasures(): Measures {
  return new Map(["nDCG@10", ...LENGTHS.map(promptOf)].map((name) => [name, []]));
}

function append(all: Measures, own: Measures): void {
  for (const [name, list] of all) list.push(...own.get(name)!);
}

async function measured(stored: Stored): Promise<Measures> {
  const measures = new Map([
    ["nDCG@10", gainsOf(stored.cases, await foundBySearch(stored, DEPTH))],
  ]);
  for (const tokens of LENGTHS) measures.set(promptOf(tokens), await inPrompts(stored, tokens));
  return measures;
}
