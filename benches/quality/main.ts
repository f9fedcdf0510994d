// `npm run quality`: asks memories questions with known answers, and writes how good the answers of
// several systems are to benches/results/. `--set FILE …` asks the questions of files.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { generateSample } from "../../js/sample/trader/index.ts";
import { today, writeInto, writeResults, writeRows } from "../results.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { calibrationPicture } from "./calibration-picture.ts";
import { evidenceAsServed, simplerThanEvidence } from "./contestants.ts";
import { chosen, reportOnFiles } from "./files.ts";
import { isLongMemEval } from "./longmemeval.ts";
import { reportOnLongMemEval } from "./longmemeval-report.ts";
import { type Report, reportOnOwn } from "./own.ts";
import { reportOnLanguages } from "./own-languages.ts";
import { readmeRows } from "./readme.ts";
import { Sentences } from "./sentences.ts";
import { reportOnServer } from "./served.ts";
import { reportOnServedLanguages } from "./served-languages.ts";
import { isTable, TABLES } from "./token-tables.ts";
import { reportOnSignals } from "./trader.ts";

const USAGE = `npm run quality                     own questions over own memories
npm run quality -- --set FILE …     questions of files: JSON, or JSON compressed by gzip;
                                    sets, or LongMemEval as its authors publish it
    --only TEXT                     asks only systems with this text in their names, writes nothing
    --table NAME                    takes word vectors of another table than english-128, writes nothing
npm run quality -- --served         questions over the sample memory of servers that it starts
    --no-write                      prints the tables, writes nothing`;

/** The pages that quote figures. */
const PAGE = "docs/quality.md";
const README = "README.md";

const { values, positionals } = parseArgs({
  options: {
    set: { type: "string", multiple: true },
    only: { type: "string" },
    table: { type: "string", default: "english-128" },
    served: { type: "boolean" },
    "no-write": { type: "boolean", default: false },
    help: { type: "boolean" },
  },
  allowPositionals: true,
});
const files = [...(values.set ?? []), ...positionals];
const histories: string[] = [];
for (const file of files) if (await isLongMemEval(file)) histories.push(file);
const { table } = values;
if (!isTable(table))
  throw new Error(`--table: ${table} is none of the tables ${Object.keys(TABLES).join(", ")}`);
const isDefault = values.only === undefined && table === "english-128";
const writes = isDefault && !values["no-write"];
const models = async () => ({
  embedder: loadEmbedderSync(TABLES[table]),
  sentences: await Sentences.load(),
});

const HOW = `\`npm run quality -- --set FILE …\`. The stores of a file count together, question by question. A question without a time is asked
when the last memory of its store was made. hit@1 is the share of questions whose first memory answers; recall@10 is the share of all
answers of a question among its first ten memories; nDCG@10 has a gain of 1 for an answer. In brackets are ${100 * CONFIDENCE} % intervals of
${RESAMPLES} bootstrap resamples over questions. The calibration error is the expected one over ten bins of the scores of all first ten
memories. µs is the median time of a question in microseconds, without any network.

*BM25* has k1 1.2, b 0.75, Snowball stems and the stop words of the crate. *FTS5* and *MiniSearch* get the whole question. *Signals* is
ranking by six signals, without embeddings and with those of the built-in table of 128 dimensions. *Evidence* has the weights \`general\` and the table of 128 dimensions. *Runs by gaps*: the
index does not know the clusters. Rows with … are evidence whose group weighs 0; the other weights stay, so that they show what a
group adds, not what weights fitted without it would reach.`;

const HOW_LONGMEMEVAL = `\`npm run quality -- --set FILE …\` with a file of LongMemEval. Each turn is a memory with the time of its session, each session a cluster. The
present is the time of the question. Questions of abstention are left out. A session is found with its first turn; sessions come from the first 200 turns. *Any*: one of the
answers is found; *all*: all of them. nDCG@10 has the discount of the authors, in which the first two places count alike. The authors index the turns
of the user alone, and leave out questions that none of these answers: the last tables count as they do, over an index of all turns. In brackets are
${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions.`;

const HOW_SERVED = `\`npm run quality -- --served\`: \`nous-server --sample\` with default settings, asked over HTTP. Each row has a server of its own.
*search* is \`POST /v1/search\` with ten results, which counts an access of each; *retrieve* is \`POST /v1/retrieve\` without
accesses, which asks parts of compound questions. *Without sections* the weights of recency by section, of intent and of the
section weigh 0. In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions. µs is the median time of a request.`;

if (values.help === true) console.log(USAGE);
else if (values.served === true) {
  const languages = await reportOnServedLanguages();
  const text = `${await reportOnServer(generateSample())}\n\n## German and Spanish questions about English texts\n\n${languages}`;
  console.log(text);
  say(writeResults("quality-served", "Quality of answers over HTTP", `${HOW_SERVED}\n\n${text}`));
} else if (histories.length > 0) {
  if (histories.length < files.length)
    throw new Error("--set: files of LongMemEval and files of sets are measured by two commands");
  const all = await models();
  const systems = chosen([...simplerThanEvidence(all), ...evidenceAsServed(all)], values.only);
  const tables: string[] = [];
  for (const file of histories) tables.push(await reportOnLongMemEval(file, systems));
  const text = tables.join("\n\n");
  console.log(text);
  if (writes) {
    const title = "Retrieval on LongMemEval";
    const path = writeResults("quality-longmemeval", title, `${HOW_LONGMEMEVAL}\n\n${text}`);
    console.log(`\nwritten to ${path}`);
  }
} else if (files.length > 0) {
  const report = reportOnFiles(files, await models(), values.only);
  console.log(report.text);
  if (writes) {
    const title = "Quality of answers on sets from files";
    const path = writeResults("quality-sets", title, `${HOW}\n\n${report.text}`);
    await quote(report, "figures of files", "calibration-of-files");
    say(path);
  }
} else {
  const sample = generateSample();
  const own = await models();
  const report = reportOnOwn(sample, own);
  const languages = reportOnLanguages({
    english: own.sentences,
    multilingual: await Sentences.loadMultilingual(),
  });
  const signals = `# Ranking by signals, and the orchestrator\n\n${await reportOnSignals(sample)}`;
  const text = `${report.text}\n\n# Questions in another language\n\n${languages}`;
  console.log(text);
  if (writes) {
    const path = writeResults("quality", "Quality of retrieval", `${text}\n\n${signals}`);
    await quote(report, "figures of own questions", "calibration-of-own-questions");
    writeInto(PAGE, "figures of languages", `${languages}\n\nMeasured on ${today()}.`);
    say(path);
  }
}

/** Writes the summary into the page, draws its picture, and writes the rows of the README. */
async function quote({ summary, parts }: Report, figures: string, picture: string): Promise<void> {
  writeFileSync(`docs/${picture}.svg`, await calibrationPicture(parts));
  const shown = `![Share of results that answer, over their mean score](${picture}.svg)`;
  writeInto(PAGE, figures, `${summary}\n\n${shown}\n\nMeasured on ${today()}.`);
  writeRows(README, readmeRows(parts));
}

function say(path: string): void {
  console.log(`\nwritten to ${path}, in short to ${PAGE} and ${README}`);
}
