// `npm run quality -- services`: measures ranking by evidence with the vectors of a service, on the
// general memory: without them, on their own scale, and on the scale of the transformer.

import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { embeddingText, SCALE_TEXTS, scaleOf } from "nous-memory";
import { draws, estimate } from "./bootstrap.ts";
import { evidence } from "./contestants.ts";
import { JUDGED, reportOf, shown } from "./evidence-report.ts";
import { askingOf, judged, measure, selected } from "./measure.ts";
import { broadKindOf } from "./own-general.ts";
import { generalSet } from "./own-sets.ts";
import { type SentenceVectors, sentenceOf } from "./sentences.ts";
import { TABLES } from "./token-tables.ts";

const USAGE = "npm run quality -- services --url http://127.0.0.1:11434/v1 --model NAME";
/** Texts of a call. */
const BATCH = 32;

const { values } = parseArgs({ options: { url: { type: "string" }, model: { type: "string" } } });
const { url, model: name } = values;
if (url === undefined || name === undefined) throw new Error(USAGE);

const known = new Map<string, Float32Array>();

/** Asks the service for the vectors of texts, which `known` keeps. */
async function embedAll(texts: readonly string[]): Promise<void> {
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  for (let from = 0; from < missing.length; from += BATCH) {
    const input = missing.slice(from, from + BATCH);
    const response = await fetch(`${url}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: name, input, encoding_format: "float" }),
    });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] };
    for (const { index, embedding } of data) known.set(input[index]!, Float32Array.from(embedding));
  }
}

const set = generalSet();
const questions = set.questions.map((one) => ({ ...one, kind: broadKindOf(one) }));
const asking = askingOf({ ...set, questions });
await embedAll(SCALE_TEXTS);
// As the server does it, with the kind of the memory in front.
const { memories } = asking.store;
const textsOf = memories.map(({ title, text, type = null, subtype = null }) =>
  embeddingText({
    ...{ type, subtype, content_title: title },
    ...{ content_summary: null, content_body: text },
  }),
);
await embedAll(textsOf);
for (const [place, memory] of memories.entries())
  known.set(sentenceOf(memory), known.get(textsOf[place]!)!);
await embedAll(questions.map(({ text }) => text));
const scale = scaleOf(SCALE_TEXTS.map((text) => known.get(text)));
console.log(
  `${name}: ${JSON.stringify(scale ?? "no scale: evidence does not compare its vectors")}`,
);
const sentences: SentenceVectors = {
  dimensions: known.get(SCALE_TEXTS[0]!)!.length,
  embed: (text) => known.get(text)!,
  embedAll: () => {},
};
const embedder = loadEmbedderSync(TABLES["english-128"]);
const systems = [
  evidence({ name: "without vectors", embedder }),
  evidence({ name: "cosines as they are", embedder, sentences }),
  evidence({ name: "cosines on the scale", embedder, sentences, scale }),
];
const measured = measure(systems, [asking]);
for (const part of ["test", "dev"] as const) {
  const half = selected(asking.cases, measured, (place) => questions[place]!.part === part);
  console.log(reportOf({ title: `${name}, ${part} half`, ...half }));
  const [without, ...others] = half.measured.map(({ found }) => judged(half.cases, found, JUDGED));
  for (const [place, with_] of others.entries()) {
    const gains = with_.map((value, at) => value - without![at]!);
    const gain = shown(estimate(gains, draws(gains.length)));
    console.log(`\n${systems[place + 1]!.name}, gain in ${JUDGED}: ${gain}`);
  }
}
