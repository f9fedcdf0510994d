// The packed package in a worker: bundled by Cloudflare's tool, run by their runtime.

import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerOfNode, Project, probeSource } from "../package/support/tarball.ts";

const MINUTES = 60_000;

let project: Project;
let answer: string;
let worker: Miniflare | undefined;

beforeAll(async () => {
  project = await Project.create();
  answer = await answerOfNode(project);
  project.write("probe.mjs", probeSource());
}, 2 * MINUTES);

afterAll(async () => {
  await worker?.dispose();
  project?.remove();
});

it("a worker answers as Node does, with the deployed module", {
  timeout: 2 * MINUTES,
}, async () => {
  const source = `
    import * as nous from "nous-wasm";
    import { probe } from "./probe.mjs";
    // While the worker starts: nothing is to be waited for.
    const intent = nous.classifyIntent("which signals are firing?");
    export default {
      async fetch(request) {
        if (new URL(request.url).pathname === "/intent") return Response.json(intent);
        return new Response(probe(nous));
      },
    };
  `;
  const { metafile } = await build({
    entryPoints: [project.write("worker.mjs", source)],
    absWorkingDir: project.dir,
    outdir: project.at("deployed"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    outExtension: { ".js": ".mjs" },
    metafile: true,
    logLevel: "error",
  });
  expect(Object.keys(metafile.inputs)).toContain("node_modules/nous-wasm/dist/workerd.mjs");

  const deployed = project.at("deployed");
  worker = new Miniflare({
    modulesRoot: deployed,
    modules: [
      { type: "ESModule", path: join(deployed, "worker.mjs") },
      { type: "CompiledWasm", path: join(deployed, "nous_wasm.wasm") },
    ],
    compatibilityDate: "2026-01-01",
  });
  const ask = async (path: string) => (await worker!.dispatchFetch(`http://worker${path}`)).text();
  expect(await ask("/intent")).toBe('["SIGNALS"]');
  expect(await ask("/")).toBe(answer);
});
