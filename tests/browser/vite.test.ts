// The packed package in a page, in Chromium: built by Vite, served by Vite during development, and
// bundled by esbuild under a policy that forbids eval.

import { copyFileSync } from "node:fs";
import { build as bundle } from "esbuild";
import type { Browser } from "playwright-core";
import { build, createServer } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerOfNode, Project, probeSource } from "../package/support/tarball.ts";
import { openBrowser, PAGE, PROGRAM, Site, visit } from "./support/page.ts";

const MINUTES = 60_000;

let browser: Browser;
let project: Project;
let answer: string;

beforeAll(async () => {
  browser = await openBrowser();
  project = await Project.create();
  answer = await answerOfNode(project);
  project.write("index.html", PAGE);
  project.write("main.js", PROGRAM);
  project.write("probe.mjs", probeSource());
}, 5 * MINUTES);

afterAll(async () => {
  await browser?.close();
  project?.remove();
});

const right = () => ({ early: "not_initialized", answer, complaints: [] });

describe("Vite", () => {
  it("builds a page that finds the module among its assets", { timeout: 2 * MINUTES }, async () => {
    await build({ root: project.dir, configFile: false, logLevel: "error" });
    const site = await Site.serve(project.at("dist"));
    try {
      const { requests, ...found } = await visit(browser, site.url);
      expect(found).toEqual(right());
      const fetched = requests.filter((path) => path.endsWith(".wasm"));
      expect(new Set(fetched)).toEqual(
        new Set([expect.stringMatching(/^\/assets\/nous_wasm-.*\.wasm$/)]),
      );
    } finally {
      await site.close();
    }
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
      const { requests, ...found } = await visit(browser, server.resolvedUrls!.local[0]!);
      expect(found).toEqual(right());
      expect(requests.filter((path) => path.endsWith(".wasm")).length).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  });

  it("builds a page whose own worker answers as Node does", { timeout: 2 * MINUTES }, async () => {
    project.write("working/index.html", PAGE);
    project.write("working/probe.mjs", probeSource());
    project.write(
      "working/worker.js",
      `${PROGRAM.trimEnd().replace(/;$/, "")}.then(() => postMessage(globalThis.found));`,
    );
    project.write(
      "working/main.js",
      `new Worker(new URL("./worker.js", import.meta.url), { type: "module" }).onmessage =
        ({ data }) => { globalThis.found = data; };`,
    );
    const root = project.at("working");
    await build({ root, configFile: false, logLevel: "error", worker: { format: "es" } });
    const site = await Site.serve(project.at("working", "dist"));
    try {
      const { requests, ...found } = await visit(browser, site.url);
      expect(found).toEqual(right());
      expect(requests).toContainEqual(expect.stringMatching(/^\/assets\/worker-.*\.js$/));
    } finally {
      await site.close();
    }
  });
});

describe("a bundle of esbuild, with the module beside it", () => {
  const POLICY = "default-src 'none'; connect-src 'self'; img-src data:; script-src 'self'";

  beforeAll(async () => {
    const outfile = project.at("bundle", "main.js");
    await bundle({
      entryPoints: [project.at("main.js")],
      bundle: true,
      format: "esm",
      outfile,
      logLevel: "error",
    });
    copyFileSync(
      project.installed("dist", "nous_wasm.wasm"),
      project.at("bundle", "nous_wasm.wasm"),
    );
    project.write("bundle/index.html", PAGE);
  });

  async function visitBundle(policy: string, types?: Record<string, string>) {
    const site = await Site.serve(
      project.at("bundle"),
      { "content-security-policy": policy },
      types,
    );
    try {
      return await visit(browser, site.url);
    } finally {
      await site.close();
    }
  }

  it("loads under a policy that allows WebAssembly and no eval", async () => {
    const { requests, ...found } = await visitBundle(`${POLICY} 'wasm-unsafe-eval'`);
    expect(found).toEqual(right());
    expect(requests).toContain("/nous_wasm.wasm");
  });

  it("loads from a server that does not know the type of a .wasm file", async () => {
    const { requests: _, ...found } = await visitBundle(
      `${POLICY} 'wasm-unsafe-eval'`,
      Site.OLD_TYPES,
    );
    expect(found).toEqual(right());
  });

  it("names the directive that a stricter policy lacks", async () => {
    const { failure, message, answer: none } = await visitBundle(POLICY);
    expect({ failure, none }).toEqual({ failure: "unsupported", none: undefined });
    expect(message).toContain("'wasm-unsafe-eval'");
  });
});
