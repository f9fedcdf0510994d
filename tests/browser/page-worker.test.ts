// An index in a worker of a page, in Chromium: its script found by Vite, beside a bundle, or inside
// it.

import { copyFileSync, rmSync } from "node:fs";
import { build as bundle } from "esbuild";
import type { Browser } from "playwright-core";
import { build, createServer } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project } from "../package/support/tarball.ts";
import { openBrowser, PAGE, Site, visit } from "./support/page.ts";

const MINUTES = 60_000;

/**
 * A page that sends the same calls to an index in a worker and to one of its own, and leaves the
 * answers as text.
 */
const PROGRAM = `
import * as nous from "nous-wasm";

const codeOf = (error) => (error instanceof nous.NousError ? error.code : String(error));
const nodes = () => Array.from({ length: 100 }, (_, index) => ({
  id: "n" + index,
  created_at: new Date(Date.UTC(2026, 0, 1 + (index % 28))),
  embedding: Float32Array.from({ length: 16 }, (_, place) => Math.sin(index * 5 + place)),
}));
const now = Date.UTC(2026, 1, 1);
const query = { embedding: new Float32Array(16).map((_, place) => Math.cos(place)), limit: 10, now };
const spelled = ({ ranking, ...rest }) => [ranking instanceof nous.Ranking, ...ranking, rest];

async function run() {
  let early;
  try { await nous.createIndexWorker(); } catch (error) { early = codeOf(error); }
  await nous.init();
  const here = new nous.MemoryIndex({ dimensions: 16 });
  const there = await nous.createIndexWorker({ dimensions: 16 });
  const moved = nodes();
  const added = [here.upsert(nodes(), { now }), await there.upsert(moved, { now, transfer: true })];
  const left = moved[0].embedding.length;
  const answers = [here.search(query), await there.search(query)].map((found) => JSON.stringify(spelled(found)));
  const snapshot = await there.snapshot();
  const refused = await there.handles(["nobody"]).catch((error) => [codeOf(error), error.details]);
  const waiting = there.size().catch(codeOf);
  await there.terminate();
  const restored = await nous.createIndexWorker({ snapshot });
  const again = JSON.stringify(spelled(await restored.search(query)));
  return {
    early,
    answer: JSON.stringify({
      added,
      left,
      equal: [answers[1] === answers[0], again === answers[0]],
      moved: snapshot.length,
      first: answers[1].slice(0, 6),
      refused,
      ended: [await waiting, await there.size().catch(codeOf)],
    }),
  };
}
run().catch((error) => ({ failure: codeOf(error), message: error.message })).then((found) => { globalThis.found = found; });
`;

const RIGHT = JSON.stringify({
  added: [100, 100],
  left: 0,
  equal: [true, true],
  moved: 0,
  first: "[true,",
  refused: ["invalid_argument", { field: "ids", index: 0, id: "nobody" }],
  ended: ["terminated", "terminated"],
});
const right = { early: "not_initialized", answer: RIGHT, complaints: [] };

let browser: Browser;
let project: Project;

beforeAll(async () => {
  browser = await openBrowser();
  project = await Project.create();
  project.write("index.html", PAGE);
  project.write("main.js", PROGRAM);
}, 5 * MINUTES);

afterAll(async () => {
  await browser?.close();
  project?.remove();
});

async function visitSite(folder: string, policy?: string) {
  const site = await Site.serve(
    project.at(folder),
    policy === undefined ? {} : { "content-security-policy": policy },
  );
  try {
    return await visit(browser, site.url);
  } finally {
    await site.close();
  }
}

describe("Vite", () => {
  it("builds a page that finds the worker among its assets", { timeout: 2 * MINUTES }, async () => {
    await build({ root: project.dir, configFile: false, logLevel: "error" });
    const { requests, ...found } = await visitSite("dist");
    expect(found).toEqual(right);
    const scripts = requests.filter((path) => path.includes("worker"));
    expect(new Set(scripts)).toEqual(
      new Set([expect.stringMatching(/^\/assets\/index-worker-.*\.m?js$/)]),
    );
  });

  it("serves it during development", { timeout: 2 * MINUTES }, async () => {
    const server = await createServer({
      root: project.dir,
      configFile: false,
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0 },
    });
    try {
      await server.listen();
      const { requests: _, ...found } = await visit(browser, server.resolvedUrls!.local[0]!);
      expect(found).toEqual(right);
    } finally {
      await server.close();
    }
  });
});

describe("a bundle of esbuild", () => {
  const POLICY =
    "default-src 'none'; connect-src 'self'; img-src data:; script-src 'self' 'wasm-unsafe-eval'";
  const SCRIPT = "index-worker.js";

  async function bundled(folder: string, platform: "browser" | "neutral") {
    const outfile = project.at(folder, "main.js");
    const entryPoints = [project.at("main.js")];
    await bundle({
      entryPoints,
      bundle: true,
      platform,
      format: "esm",
      outfile,
      logLevel: "error",
    });
    project.write(`${folder}/index.html`, PAGE);
  }

  it("finds the worker's script beside itself, and reports a missing one", async () => {
    await bundled("beside", "browser");
    for (const name of ["nous_wasm.wasm", SCRIPT]) {
      copyFileSync(project.installed("dist", name), project.at("beside", name));
    }
    const { requests, ...found } = await visitSite("beside", POLICY);
    expect(found).toEqual(right);
    expect(requests).toContain(`/${SCRIPT}`);

    rmSync(project.at("beside", SCRIPT));
    const { failure, message } = await visitSite("beside", POLICY);
    expect(failure).toBe("unsupported");
    expect(message).toContain("could not be started");
  });

  it("contains it if the module is inside", async () => {
    await bundled("inside", "neutral");
    const { requests, complaints, answer } = await visitSite(
      "inside",
      `${POLICY}; worker-src blob:`,
    );
    expect({ complaints, answer }).toEqual({ complaints: [], answer: RIGHT });
    expect(requests.filter((path) => path.startsWith("/")).sort()).toEqual(["/", "/main.js"]);

    const { failure } = await visitSite("inside", POLICY);
    expect(failure).toBe("unsupported");
  });
});
