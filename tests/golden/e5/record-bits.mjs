// Records the bits of vectors, from the built package: `npm run build`, then
// `node tests/golden/e5/record-bits.mjs`. Tests compare those of the native crate, of Node and of
// Chromium with them. Every second text is a question.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { multilingual } from "nous-e5";
import { loadMinilm } from "nous-minilm";

const at = (name) => new URL(`${name}.gz`, import.meta.url);
/** Every so many of the texts whose vectors are recorded, and a text that is cut. */
const DISTANCE = 24;

const all = JSON.parse(gunzipSync(readFileSync(at("vectors.json"))));
const texts = all.filter((_, place) => place % DISTANCE === 0);
texts.push("The ferry leaves at nine, and the last one returns at dusk. ".repeat(20));
const e5 = await loadMinilm({ model: multilingual });
const vectors = texts.map(
  (text, place) => e5.embed(text, { purpose: place % 2 ? "question" : "passage" }).vector,
);
writeFileSync(at("bits.json"), gzipSync(JSON.stringify(texts)));
writeFileSync(at("bits.bin"), gzipSync(Buffer.concat(vectors.map(({ buffer }) => Buffer.from(buffer)))));
console.log(`${texts.length} texts by ${e5.id}`);
