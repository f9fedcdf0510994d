// Records the bits of vectors, of vectors of questions and of numbers of pairs, from the built
// package: `npm run build`, then `node tests/golden/minilm/record-bits.mjs`. Tests compare those of
// the native crate, of Node and of Chromium with them.

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
await minilm.loadAsking();
const asked = minilm.embedAll(texts, { purpose: "question" }).vectors;
writeFileSync(at("questions.bin"), gzipSync(new Uint8Array(asked.buffer)));

// Each text after the one before it, and such without words.
const pairs = texts.map((newer, place) => ({ older: texts.at(place - 1), newer }));
pairs.push({ older: "", newer: texts[0] }, { older: texts[0], newer: "" }, { older: "", newer: "" });
await minilm.loadReplacing();
const numbers = minilm.replacing(pairs);
writeFileSync(at("pairs.json"), gzipSync(JSON.stringify(pairs)));
writeFileSync(at("pairs.bin"), gzipSync(new Uint8Array(numbers.buffer)));
console.log(`${texts.length} texts and ${pairs.length} pairs by ${minilm.id}`);
