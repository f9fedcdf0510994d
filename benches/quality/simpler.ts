// `npm run quality -- simpler --set FILE …`: where rankings that are simpler than evidence find more
// than the default of the server does, by kind of question.

import { basename } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { today, writeInto, writeResults } from "../results.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { evidenceAsServed, type Models, simplerThanEvidence } from "./contestants.ts";
import { askingOf, measure } from "./measure.ts";
import { setsAndWriting } from "./options.ts";
import { measureHalves } from "./own-general.ts";
import { generalSet } from "./own-sets.ts";
import { readSet } from "./read-set.ts";
import { Sentences } from "./sentences.ts";
import { type Compared, simplerReport, simplerSummary } from "./simpler-tables.ts";

const USAGE = `npm run quality -- simpler --set FILE …   JSON, or JSON compressed by gzip
    --no-write                           prints the tables, writes nothing`;
/** The page that quotes the figures. */
const PAGE = "docs/quality.md";

const HOW = `\`npm run quality -- simpler --set FILE …\`. The rankings that users would take instead of evidence, and evidence as the server has it:
without embeddings (*token table*), and by default (*evidence*). All have the weights \`general\`. The stores of a file count together,
question by question; a file of two to four stores also has a row for each. The test half of the general memory took no part in any fit. The last column of a
table is nDCG@10 of the best of the three simple rankings less that of evidence. In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES}
bootstrap resamples over questions; they do not take into account that the best of three was chosen.`;

const { files, writes } = setsAndWriting(USAGE);
const models = { embedder: loadEmbedderSync(), sentences: await Sentences.load() };
const parts = [...general(models), ...files.map((file) => measuredFile(file, models))];
const summary = simplerSummary(parts);
const text = [HOW, "# In short", summary, ...parts.map(simplerReport)].join("\n\n");
console.log(text);
if (writes) {
  const path = writeResults("quality-simpler", "Simpler rankings beside evidence", text);
  writeInto(PAGE, "figures of simpler rankings", `${summary}\n\nMeasured on ${today()}.`);
  console.log(`\nwritten to ${path}, in short to ${PAGE}`);
}

function general(models: Models): Compared[] {
  const { halves } = measureHalves(generalSet(), systemsOf(models));
  return halves.map((half) => ({
    ...half,
    title: `general, ${half.title.toLowerCase()}`,
    stores: [],
  }));
}

function measuredFile(file: string, models: Models): Compared {
  const sets = readSet(file);
  const askings = sets.map(askingOf);
  return {
    title: basename(file).replace(/\.json(\.gz)?$/, ""),
    cases: askings.flatMap(({ cases }) => cases),
    measured: measure(systemsOf(models), askings),
    stores: askings.flatMap(({ cases }, place) => cases.map(() => sets[place]!.name)),
  };
}

function systemsOf(models: Models) {
  return [...simplerThanEvidence(models), ...evidenceAsServed(models)];
}
