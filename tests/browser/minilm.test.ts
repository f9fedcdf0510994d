// The packed package nous-minilm in a page: the file is fetched once, and the vectors have the bits
// of Node's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Project, root } from "../package/support/tarball.ts";
import { openBrowser, PAGE, Site, visit } from "./support/page.ts";

const MINUTES = 60_000;

const recorded = (name: string) =>
  gunzipSync(readFileSync(join(root, "tests", "golden", "minilm", `${name}.gz`)));

/** Loads the model twice, and leaves the bits of vectors and the steps of progress as text. */
const PROGRAM = `
import { loadMinilm } from "nous-minilm";
import { texts } from "./texts.js";
async function run() {
  const told = [];
  const first = await loadMinilm({ onProgress: (read, all) => told.push(read / all) });
  const again = await loadMinilm();
  const kept = (await (await caches.open("nous-minilm")).keys()).length;
  const { vectors } = first.embedAll(texts);
  return { answer: JSON.stringify([again.id, kept, told.length > 1, told.at(-1), [...new Uint32Array(vectors.buffer)]]) };
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
  project = await Project.create("minilm");
  project.write("texts.js", `export const texts = ${recorded("bits.json").toString()};`);
  project.write("index.html", PAGE);
  project.write("main.js", PROGRAM);
}, 5 * MINUTES);

afterAll(async () => {
  await browser?.close();
  project?.remove();
});

it("a page of Vite fetches the file once, keeps it, and has the vectors of Node to the bit", {
  timeout: 2 * MINUTES,
}, async () => {
  await build({ root: project.dir, configFile: false, logLevel: "error" });
  const site = await Site.serve(project.at("dist"));
  try {
    const { requests, complaints, answer, failure, message } = await visit(browser, site.url);
    expect([complaints, failure, message]).toEqual([[], undefined, undefined]);
    const [id, kept, toldMore, toldLast, bits] = JSON.parse(answer!);
    expect([kept, toldMore, toldLast]).toEqual([1, true, 1]);
    expect(id).toMatch(/^minilm-384-/);
    const bytes = new Uint8Array(recorded("bits.bin"));
    expect(bits).toEqual([...new Uint32Array(bytes.buffer)]);
    const files = requests.filter((path) => path.endsWith(".bin"));
    expect(files).toEqual([expect.stringMatching(/^\/assets\/minilm-l6-.*\.bin$/)]);
  } finally {
    await site.close();
  }
});
