// The packed package nous-embedder in a page, in Chromium: built by Vite, which copies the tables,
// and bundled by esbuild with a table beside it.

import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { build as bundle } from "esbuild";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Project } from "../package/support/tarball.ts";
import { openBrowser, PAGE, Site, visit } from "./support/page.ts";

const MINUTES = 60_000;

/** Embeds texts, and leaves the bits of their vectors as text. */
const EMBED = `
const embed = (embedder) => {
  const { vectors, coverages } = embedder.embedAll(["Deploys on FRIDAY fail", "Été", "日本"]);
  return JSON.stringify([embedder.id, [...coverages], [...new Uint32Array(vectors.buffer)]]);
};
`;
const PROGRAM = `
import { loadEmbedder, loadEmbedderSync } from "nous-embedder";
${EMBED}
async function run() {
  let early;
  try { loadEmbedderSync(); } catch (error) { early = error.code; }
  try {
    return { early, answer: embed(await loadEmbedder({ dimensions: 256 })) };
  } catch ({ code, message }) {
    return { early, failure: code, message };
  }
}
run().then((found) => { globalThis.found = found; });
`;

let browser: Browser;
let project: Project;
let answer: string;

beforeAll(async () => {
  browser = await openBrowser();
  project = await Project.create("embedder");
  answer = await project.node(
    "answer.mjs",
    `import { loadEmbedderSync } from "nous-embedder";
     ${EMBED}
     process.stdout.write(embed(loadEmbedderSync({ dimensions: 256 })));`,
  );
  project.write("index.html", PAGE);
  project.write("main.js", PROGRAM);
}, 5 * MINUTES);

afterAll(async () => {
  await browser?.close();
  project?.remove();
});

const right = () => ({ early: "unsupported", answer, complaints: [] });

it("Vite builds a page that fetches one table among its assets", {
  timeout: 2 * MINUTES,
}, async () => {
  await build({ root: project.dir, configFile: false, logLevel: "error" });
  const site = await Site.serve(project.at("dist"));
  try {
    const { requests, ...found } = await visit(browser, site.url);
    expect(found).toEqual(right());
    const tables = requests.filter((path) => path.endsWith(".bin"));
    expect(tables).toEqual([expect.stringMatching(/^\/assets\/nous-256-.*\.bin$/)]);
  } finally {
    await site.close();
  }
});

it("a bundle of esbuild fetches the table from beside its folder", {
  timeout: 2 * MINUTES,
}, async () => {
  await bundle({
    entryPoints: [project.at("main.js")],
    bundle: true,
    format: "esm",
    outfile: project.at("site", "script", "main.js"),
    logLevel: "error",
  });
  project.write("site/index.html", PAGE.replace("./main.js", "./script/main.js"));
  copyFileSync(
    project.installed("dist", "nous_wasm.wasm"),
    project.at("site", "script", "nous_wasm.wasm"),
  );
  const table = project.at("site", "tables", "nous-256.bin");
  mkdirSync(dirname(table));
  copyFileSync(project.at("node_modules", "nous-embedder", "tables", "nous-256.bin"), table);
  const site = await Site.serve(project.at("site"));
  try {
    const { requests, ...found } = await visit(browser, site.url);
    expect(found).toEqual(right());
    expect(requests).toContain("/tables/nous-256.bin");
  } finally {
    await site.close();
  }
});
