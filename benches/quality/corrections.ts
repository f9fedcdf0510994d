// `npm run quality -- corrections`: measures the rule by which a new memory is compared with those
// that it may replace.

import { loadEmbedderSync } from "nous-embedder";
import { MAX_REPLACED } from "nous-memory";
import { generateSample } from "../../js/sample/trader/index.ts";
import { writeResults } from "../results.ts";
import { conflictTables, written } from "./conflicts.ts";
import { generalSet, traderSet } from "./own-sets.ts";
import { LOOKALIKES, REPLACEMENTS } from "./replacements.ts";
import { Sentences } from "./sentences.ts";

const HOW = `\`npm run quality -- corrections\`: every memory of the general memory is written in order of time, and the rule of the server
compares it with older ones that it may replace. ${REPLACEMENTS.length} pairs are labelled as replacements, and ${LOOKALIKES.length} pairs look alike and both
stand. At most ${MAX_REPLACED} older memories are named for a memory; *wrong* ones are all that are not labelled, lookalikes among them. A pair
whose older memory was replaced before by a third one counts neither as right nor as wrong. A hash of the newer memory's id says which half it belongs to; the
weights are fitted on the development half, and on half of the trader's memory. The trader's memory has no labelled pair: all that is proposed there counts as wrong.`;

const embedder = loadEmbedderSync();
const sentences = await Sentences.load();
const sections = (
  [
    ["With the sentence transformer", "embedded"],
    ["With word vectors alone", "plain"],
  ] as const
).map(([title, by]) => {
  const compared = { embedder, sentences: by === "embedded" ? sentences : undefined };
  const general = written(generalSet(), compared);
  const trader = written(traderSet(generateSample()), compared);
  const tables = conflictTables(by, general, { name: "trader's memory", writes: trader });
  return [`## ${title}`, ...tables].join("\n\n");
});
const text = sections.join("\n\n");
console.log(text);
const path = writeResults("corrections", "Corrections that no word announces", `${HOW}\n\n${text}`);
console.log(`\nwritten to ${path}`);
