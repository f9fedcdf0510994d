// `npm run quality -- corrections`: fits the weights by which a new memory is compared with those
// that it may replace, and measures the rule of the server with the weights that it has.

import { loadEmbedderSync } from "nous-embedder";
import { CONFLICT_SIGNALS, CONFLICT_WEIGHTS, MAX_CONFLICTS } from "nous-memory";
import { generateSample } from "../../js/sample/trader/index.ts";
import { table, writeResults } from "../results.ts";
import { conflictTables, fitSignals, written } from "./conflicts.ts";
import { generalSet, traderSet } from "./own-sets.ts";
import { LOOKALIKES, REPLACEMENTS } from "./replacements.ts";

const HOW = `\`npm run quality -- corrections\`: every memory of the general memory is written in order of time, and the rule of the server
compares it with older ones that it may replace. ${REPLACEMENTS.length} pairs are labelled as replacements, and ${LOOKALIKES.length} pairs look alike and both
stand. At most ${MAX_CONFLICTS} conflicts are proposed for a memory; *wrong* ones are all that are not labelled, lookalikes among them. A pair
whose older memory was replaced before by a third one counts neither as right nor as wrong. A hash of the newer memory's id says which half it belongs to; the
weights are fitted on the development half. The trader's memory has no labelled pair: all that is proposed there counts as wrong.`;

const embedder = loadEmbedderSync();
const general = written(generalSet(), embedder);
const trader = written(traderSet(generateSample()), embedder);
const fitted = fitSignals(general.filter(({ part }) => part === "dev"));

const text = [
  ...conflictTables(general, { name: "trader's memory", writes: trader }),
  "The weights of the signals, fitted now and in the rule:",
  table(
    ["signal", "fitted", "in the rule"],
    CONFLICT_SIGNALS.map((name) => [`\`${name}\``, `${fitted[name]}`, `${CONFLICT_WEIGHTS[name]}`]),
  ),
].join("\n\n");
console.log(text);
const path = writeResults("corrections", "Corrections that no word announces", `${HOW}\n\n${text}`);
console.log(`\nwritten to ${path}`);
