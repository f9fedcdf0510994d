// `npm run fit`: fits the weights of evidence on questions with known answers, and writes them to
// src/evidence/fitted.rs. The same package, files, options and date give the same bytes.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { FITTED_EVIDENCE, type FittedEvidence, MemoryIndex } from "nous-wasm";
import { generateSample } from "../../js/sample/trader/index.ts";
import { Sentences } from "../quality/sentences.ts";
import { writeResults } from "../results.ts";
import { cutStores } from "./cut-stores.ts";
import { collect } from "./evidence-table.ts";
import { type FittedPreset, fitPreset, PRESETS, type Preset } from "./preset.ts";
import { cutFor, reportOf, type TabledSet, uses } from "./report.ts";
import { rustFile } from "./rust-file.ts";
import { type FitSet, fileSet, namedFile, ownFitSets } from "./sets.ts";

/** The most questions of a set that are asked over cut stores. */
const MAX_CUT = 60;
const FITTED_FILE = "src/evidence/fitted.rs";
const USAGE = `npm run fit -- --set FILE[=WEIGHT] … [--measure FILE] … [--without NAME] [--date DAY] [--out FILE]

  --set FILE[=WEIGHT]   a file of question sets, and its share relative to the others (1)
  --measure FILE        a file of question sets that takes no part in the fit
  --without NAME        fits once more without this set, to compare; the name of its file without
                        .json or .json.gz
  --keep-plain          keeps the weights of the package for questions without an embedding
  --keep-weights        keeps all weights of the package but that of emb_rank
  --date DAY            the date in the written file, such as 2026-11-25 (today)
  --out FILE            the written file (${FITTED_FILE})`;

const { values } = parseArgs({
  options: {
    set: { type: "string", multiple: true, default: [] },
    measure: { type: "string", multiple: true, default: [] },
    without: { type: "string" },
    "keep-plain": { type: "boolean", default: false },
    "keep-weights": { type: "boolean", default: false },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    out: { type: "string", default: FITTED_FILE },
    help: { type: "boolean" },
  },
});
if (values.help === true) console.log(USAGE);
else await run();

async function run(): Promise<void> {
  const { set, measure, without, date, out, "keep-weights": keepsAll } = values;
  const keepsPlain = keepsAll || values["keep-plain"];
  if (!/^\d{4}-\d\d-\d\d$/.test(date))
    throw new RangeError(`--date ${date}: must be a day such as 2026-11-25`);
  const embedder = loadEmbedderSync();
  const sentences = await Sentences.load();
  const sets: FitSet[] = [
    ...set.map((argument) => fileSet(namedFile(argument))),
    ...measure.map((path) => ({ ...fileSet({ path, weight: 1 }), weights: {} })),
    ...ownFitSets(generateSample()),
  ];
  if (without !== undefined && !sets.some(({ name }) => name === without))
    throw new RangeError(
      `--without ${without}: the sets are ${sets.map(({ name }) => name).join(", ")}`,
    );
  const names = new Set<string>();
  for (const { name } of sets) {
    if (names.has(name)) throw new RangeError(`--set: two files have the name ${name}`);
    names.add(name);
  }
  const tabled: TabledSet[] = sets.map((one) => {
    const start = performance.now();
    const table = collect(one.name, one.askings, { embedder, sentences });
    const gaps = collect(one.name, one.askings, { embedder, sentences, clusters: false });
    const isUsed = Object.keys(one.weights).length > 0;
    const cut = (isUsed ? cutStores(one.askings, MAX_CUT) : []).map(({ name, askings }) =>
      collect(name, askings, { embedder, sentences }),
    );
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.error(`${one.name}: ${table.questionKinds.length} questions, ${seconds} s`);
    return { ...one, table, gaps, cut };
  });
  const probe = new MemoryIndex();
  const kinds = probe.evidence("").names;
  probe.free();
  const fitOf = (preset: Preset, among: readonly TabledSet[]): FittedPreset => {
    const start = performance.now();
    const of = FITTED_EVIDENCE[preset];
    const fittedFor = (isEmbedded: boolean, kept: FittedEvidence | undefined) =>
      fitPreset(
        { preset, isEmbedded, kept: kept?.weights, cut: cutFor(among, preset) },
        kinds,
        uses(among, preset),
      );
    const fitted = {
      plain: fittedFor(false, keepsPlain ? of : undefined),
      embedded: fittedFor(true, keepsAll ? of.embedded : undefined),
    };
    console.error(`${preset}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return fitted;
  };
  const presets = { general: fitOf("general", tabled), trading: fitOf("trading", tabled) };
  const beside =
    without === undefined
      ? undefined
      : {
          name: without,
          fitted: fitOf(
            "general",
            tabled.filter(({ name }) => name !== without),
          ),
        };
  const { text, reported } = reportOf({ sets: tabled, presets, beside });
  const kept = keepsAll ? "all" : keepsPlain ? "plain" : "none";
  writeFileSync(out, rustFile({ date, kept, sets: reported, presets }));
  const path = writeResults("fit", "Fitted weights", text);
  console.log(`${text}\n\nwritten to ${out} and ${path}`);
  for (const preset of PRESETS)
    if (Math.min(presets[preset].plain.scale, presets[preset].embedded.scale) <= 0)
      throw new Error(`${preset}: the sum says nothing of answers`);
}
