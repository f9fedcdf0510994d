// The packed packages nous-minilm and nous-e5 in a page: files are fetched once, and vectors and
// numbers of pairs have the bits of Node's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Project, root } from "../package/support/tarball.ts";
import { openBrowser, PAGE, Site, visit } from "./support/page.ts";

const MINUTES = 60_000;

const recorded = (name: string, folder = "minilm") =>
  gunzipSync(readFileSync(join(root, "tests", "golden", folder, `${name}.gz`)));

/**
 * Loads the model and its adapter for pairs twice, and leaves the bits of vectors, of numbers of
 * pairs and of vectors of questions, and the steps of progress, as text.
 */
const PROGRAM = `
import { loadMinilm } from "nous-minilm";
import { pairs, texts } from "./texts.js";
async function run() {
  const told = [];
  const first = await loadMinilm({ onProgress: (read, all) => told.push(read / all) });
  const again = await loadMinilm();
  for (const minilm of [first, again]) await minilm.loadReplacing();
  const kept = (await (await caches.open("nous-minilm")).keys()).length;
  const { vectors } = first.embedAll(texts);
  await again.loadAsking();
  const asked = again.embedAll(texts, { purpose: "question" }).vectors;
  const bits = [vectors, again.replacing(pairs), asked].map(({ buffer }) => [...new Uint32Array(buffer)]);
  return { answer: JSON.stringify([again.id, kept, told.length > 1, told.at(-1), bits]) };
}
run().then(
  (found) => { globalThis.found = found; },
  ({ code, message }) => { globalThis.found = { failure: code, message }; },
);
`;

/** Loads both models, the multilingual one twice. Every second text is a question. */
const BOTH = `
import { multilingual } from "nous-e5";
import { loadMinilm } from "nous-minilm";
import { texts } from "./texts.js";
async function run() {
  await loadMinilm();
  const told = [];
  const e5 = await loadMinilm({ model: multilingual, onProgress: (read, all) => told.push(read / all) });
  const again = await loadMinilm({ model: multilingual });
  await loadMinilm();
  const kept = (await (await caches.open("nous-minilm")).keys()).length;
  const purpose = (place) => (place % 2 ? "question" : "passage");
  const bits = texts.flatMap((text, place) => [
    ...new Uint32Array(e5.embed(text, { purpose: purpose(place) }).vector.buffer),
  ]);
  return { answer: JSON.stringify([again.id === multilingual.id, kept, told.length > 1, told.at(-1), bits]) };
}
run().then(
  (found) => { globalThis.found = found; },
  ({ code, message }) => { globalThis.found = { failure: code, message }; },
);
`;

let browser: Browser;
let project: Project;

beforeAll(async () => {
  browser = await openBrowser();
  project = await Project.create("minilm", "e5");
  project.write("index.html", PAGE);
}, 5 * MINUTES);

afterAll(async () => {
  await browser?.close();
  project?.remove();
});

it("a page of Vite fetches each file once, keeps it, and has the numbers of Node to the bit", {
  timeout: 2 * MINUTES,
}, async () => {
  const [texts, pairs] = ["bits.json", "pairs.json"].map((name) => recorded(name).toString());
  project.write("texts.js", `export const texts = ${texts}; export const pairs = ${pairs};`);
  project.write("main.js", PROGRAM);
  await build({ root: project.dir, configFile: false, logLevel: "error" });
  const site = await Site.serve(project.at("dist"));
  try {
    const { requests, complaints, answer, failure, message } = await visit(browser, site.url);
    expect([complaints, failure, message]).toEqual([[], undefined, undefined]);
    const [id, kept, toldMore, toldLast, bits] = JSON.parse(answer!);
    expect([kept, toldMore, toldLast]).toEqual([2, true, 1]);
    expect(id).toMatch(/^minilm-384-/);
    const expected = ["bits.bin", "pairs.bin", "questions.bin"].map(
      (name) => new Uint8Array(recorded(name)),
    );
    expect(bits).toEqual(expected.map(({ buffer }) => [...new Uint32Array(buffer)]));
    const files = requests.filter((path) => path.endsWith(".bin"));
    expect(files).toEqual([
      expect.stringMatching(/^\/assets\/minilm-l6-.*\.bin$/),
      expect.stringMatching(/^\/assets\/replacing-.*\.bin$/),
      expect.stringMatching(/^\/assets\/asking-.*\.bin$/),
    ]);
  } finally {
    await site.close();
  }
});

it("a page keeps both models, and has the multilingual vectors of Node to the bit", {
  timeout: 2 * MINUTES,
}, async () => {
  project.write("texts.js", `export const texts = ${recorded("bits.json", "e5").toString()};`);
  project.write("main.js", BOTH);
  await build({ root: project.dir, configFile: false, logLevel: "error" });
  const site = await Site.serve(project.at("dist"));
  try {
    const { requests, complaints, answer, failure, message } = await visit(browser, site.url);
    expect([complaints, failure, message]).toEqual([[], undefined, undefined]);
    const [isSame, kept, toldMore, toldLast, bits] = JSON.parse(answer!);
    expect([isSame, kept, toldMore, toldLast]).toEqual([true, 2, true, 1]);
    const bytes = new Uint8Array(recorded("bits.bin", "e5"));
    expect(bits).toEqual([...new Uint32Array(bytes.buffer)]);
    const files = requests.filter((path) => path.endsWith(".bin")).sort();
    expect(files).toEqual([
      expect.stringMatching(/^\/assets\/e5-small-.*\.bin$/),
      expect.stringMatching(/^\/assets\/minilm-l6-.*\.bin$/),
    ]);
  } finally {
    await site.close();
  }
});
