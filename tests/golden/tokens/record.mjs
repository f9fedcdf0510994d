// Counts the tokens of the texts of tokens.json by OpenAI's `o200k_base`, and writes the counts into
// the file. The tokenizer is no dependency of this project. Install it elsewhere, and name its folder:
//
//     npm install --prefix /tmp/tokenizer gpt-tokenizer@3
//     node tests/golden/tokens/record.mjs /tmp/tokenizer/node_modules/gpt-tokenizer

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the tokenizer.");
const { encode } = createRequire(import.meta.url)(resolve(folder, "cjs/encoding/o200k_base"));
const FILE = new URL("tokens.json", import.meta.url);
const texts = JSON.parse(readFileSync(FILE, "utf8"));
for (const one of texts) one.tokens = encode(one.text).length;
writeFileSync(FILE, `${JSON.stringify(texts, null, 2)}\n`);
