// Records the bits of vectors, from the built package: `npm run build`, then
// `node tests/golden/minilm/record-bits.mjs`. Tests compare those of the native crate, of Node and
// of Chromium with them.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { loadMinilm } from "nous-minilm";

const at = (name) => new URL(`${name}.gz`, import.meta.url);
/** Every so many of the texts whose vectors are recorded, and a text that is cut. */
const DISTANCE = 40;

const all = JSON.parse(gunzipSync(readFileSync(at("vectors.json"))));
const texts = all.filter((_, place) => place % DISTANCE === 0);
texts.push("The ferry leaves at nine, and the last one returns at dusk. ".repeat(20));
const minilm = await loadMinilm();
const { vectors } = minilm.embedAll(texts);
writeFileSync(at("bits.json"), gzipSync(JSON.stringify(texts)));
writeFileSync(at("bits.bin"), gzipSync(new Uint8Array(vectors.buffer)));
console.log(`${texts.length} texts by ${minilm.id}`);
