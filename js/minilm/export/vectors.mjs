// Writes the vectors of texts: node vectors.mjs MODEL PURPOSE, texts as JSON on the standard input,
// f32 on the standard output. MODEL is a model file, or `own` for that of nous-minilm.

import { readFileSync } from "node:fs";
import { loadMinilm } from "nous-minilm";

const [model, purpose] = process.argv.slice(2);
const minilm = await loadMinilm(model === "own" ? {} : { file: readFileSync(model) });
const { vectors } = minilm.embedAll(JSON.parse(readFileSync(0, "utf8")), { purpose });
process.stdout.write(new Uint8Array(vectors.buffer));
