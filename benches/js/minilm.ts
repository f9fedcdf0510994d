// `npm run bench -- --minilm`: measures the sentence transformers of nous-minilm and nous-e5: loading,
// texts of several lengths, and memory. Prints a table and writes it to benches/results/. `--small` makes few
// calls as a test, and writes nothing.

import { loadavg } from "node:os";
import { Command } from "commander";
import { multilingual } from "nous-e5";
import { loadMinilm } from "nous-minilm";
import { GENERAL_MEMORIES } from "../../js/sample/general/index.ts";
import { table, writeResults } from "../results.ts";
import { median } from "./compare.ts";
import { duration, whole } from "./units.ts";

const options = new Command("bench --minilm")
  .option("--small", "few calls, to see that everything works")
  .option("--no-write", "leave benches/results/ alone")
  .parse()
  .opts<{ small?: boolean; write: boolean }>();

const rounds = options.small ? 2 : 25;
const MB = 1e6;

/** Calls of a round, and the texts of a call: how many, and of how many words. */
const CASES = [
  { name: "a question of 12 words", calls: 6, texts: 1, words: 12 },
  { name: "a memory of 40 words", calls: 3, texts: 1, words: 40 },
  { name: "a passage of 200 words", calls: 1, texts: 1, words: 200 },
  { name: "a batch of 32 memories of 40 words", calls: 1, texts: 32, words: 40 },
] as const;

const HOW = `\`npm run bench -- --minilm\`: one process, the cases in turn, medians of ${rounds} rounds. *Processor* is the time that the
process computed, *clock* the time that passed. Texts are cut from the general memory (\`js/sample/general\`). The machine's load over
the last minute was`;

const words = GENERAL_MEMORIES.filter(({ language = "en" }) => language === "en").flatMap(
  ({ text }) => text.split(/\s+/),
);

/** Returns other texts each time it is called. */
function inputs(texts: number, length: number): () => string[] {
  let from = 0;
  return () =>
    Array.from({ length: texts }, () => {
      from = (from + length) % (words.length - length);
      return words.slice(from, from + length).join(" ");
    });
}

/** Runs a call; returns its nanoseconds by the processor and by the clock. */
async function timed(call: () => unknown): Promise<[processor: number, clock: number]> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await call();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) * 1e3, (performance.now() - start) * 1e6];
}

const memory = () => process.memoryUsage().rss / MB;

/** The models, by the packages of their files. */
const MODELS = { "nous-minilm": undefined, "nous-e5": multilingual } as const;

/** Measures a model. Returns its table and what it takes, in Markdown. */
async function measured(name: keyof typeof MODELS): Promise<string> {
  const model = MODELS[name];
  const before = memory();
  const loading = await timed(async () => (await loadMinilm({ model })).embed("tea"));
  const minilm = await loadMinilm({ model });
  const loaded = memory();
  const makers = CASES.map(({ texts, words }) => inputs(texts, words));
  const found = CASES.map(() => [] as { processor: number; clock: number; tokens: number }[]);
  for (let round = 0; round <= rounds; round++)
    for (const [place, { calls }] of CASES.entries())
      for (let call = 0; call < calls; call++) {
        const texts = makers[place]!();
        let tokens = 0;
        const [processor, clock] = await timed(() => {
          tokens = minilm.embedAll(texts).tokens.reduce((sum, count) => sum + count, 0);
        });
        // The first round compiles.
        if (round > 0) found[place]!.push({ processor, clock, tokens });
      }

  const middle = (place: number, of: "processor" | "clock" | "tokens") =>
    median(found[place]!.map((each) => each[of]));
  const rows = [
    ["loading, and the first text", "", ...loading.map(duration)],
    ...CASES.map(({ name }, place) => [
      name,
      whole(middle(place, "tokens")),
      duration(middle(place, "processor")),
      duration(middle(place, "clock")),
    ]),
  ];
  const sizes = `Two models in one process, loaded and used once, add ${whole(loaded - before)} MB to its memory; after the whole
measurement the process has ${whole(memory() - before)} MB more than before.`;
  return `${table([name, "word pieces", "processor", "clock"], rows)}\n\n${sizes}`;
}

const tables: string[] = [];
for (const name of Object.keys(MODELS) as (keyof typeof MODELS)[])
  tables.push(await measured(name));
const text = `${HOW} ${loadavg()[0]!.toFixed(1)}.\n\n${tables.join("\n\n")}`;
console.log(text);
if (options.write && !options.small)
  console.log(`\nwritten to ${writeResults("minilm", "The sentence transformers", text)}`);
