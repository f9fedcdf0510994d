// Every program in `examples/` runs as its first lines say, against the built packages.

import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { build as buildPage } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, start } from "../server/support/server-process.ts";
import { makeFolder, removeFolder } from "../server/support/temporary-folder.ts";
import { must, Project, root, run } from "./support/tarball.ts";

const MINUTES = 60_000;
const EXAMPLES = join(root, "examples");

/** Parts of each program's output. */
const PRINTED: Record<string, string[]> = {
  "rank-objects": ["signal: 0.661, mostly recency", "lesson: 0.639, mostly semantic"],
  "memory-index": [
    "found: friday, rollback",
    "score 0.8310 (sum)",
    "tea ACTIVE → DORMANT",
    "restored: 3 memories",
  ],
  "full-text": ["deploys fail? → m1", "Postgres? → m2", "火曜日に何をする → m3"],
  orchestrator: ["part “What's my billing thesis”: 1 found", "Last search outage was a full disk"],
  "prompt-context": [
    "## Related Decisions",
    "- [pending] Use Redis for sessions",
    "boost of f1 next time:",
  ],
  playbooks: ["1. **Shed load** — 75% win rate (9/12)", "after one more success: 10 of 13"],
  remember: [
    "preference: Mira eats no dairy since March.",
    "again: a memory says the same",
    "corrects: true",
    "- Actually, the API allows 60 requests a minute now.",
    "kept: 6",
  ],
  "http-client": [
    "remembered Deploys on Friday fail more often",
    "## Relevant Facts",
    "forgotten: true",
  ],
};

const folder = makeFolder();
let server: Running;
let project: Project;

beforeAll(async () => {
  server = await start(folder, [], "file");
  project = await Project.create();
}, 2 * MINUTES);

afterAll(async () => {
  await server.end("SIGKILL");
  removeFolder(folder);
  project?.remove();
});

describe("a program", () => {
  it("is listed, and each is tested", () => {
    const names = readdirSync(EXAMPLES).filter((name) => name !== "README.md");
    const listed = readFileSync(join(EXAMPLES, "README.md"), "utf8");
    expect(names.filter((name) => !listed.includes(`(${name})`))).toEqual([]);
    const programs = names
      .filter((name) => name.endsWith(".ts"))
      .map((name) => name.replace(/\.ts$/, ""));
    expect(programs.sort()).toEqual(Object.keys(PRINTED).sort());
  });

  it.each(Object.entries(PRINTED))("%s prints its results", async (name, printed) => {
    // Bundled into the repository's cache, where it finds the packages as `npm run example` does.
    const outfile = join(root, ".cache", "examples", `${name}.mjs`);
    const entryPoints = [join(EXAMPLES, `${name}.ts`)];
    await build({
      entryPoints,
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
    });
    const environment = [
      "--input-type=module",
      "-e",
      `process.env.NOUS_URL = "${server.url}"; await import("${outfile}")`,
    ];
    const output = await must(process.execPath, environment, root);
    for (const part of printed) expect(output).toContain(part);
  });

  it("rust_memory runs natively", { timeout: 5 * MINUTES }, async () => {
    const { status, stdout, stderr } = await run(
      "cargo",
      ["run", "-q", "--locked", "--example", "rust_memory"],
      root,
    );
    expect(status === 0 ? stdout : stderr).toContain("lessons belong to Knowledge");
  });
});

describe("an environment", () => {
  it("browser-vite builds a page with the module among its assets", {
    timeout: 2 * MINUTES,
  }, async () => {
    cpSync(join(EXAMPLES, "browser-vite"), project.dir, { recursive: true });
    await buildPage({ root: project.dir, configFile: false, logLevel: "error" });
    expect(
      readdirSync(project.at("dist", "assets")).some((name) => /^nous_wasm-.*\.wasm$/.test(name)),
    ).toBe(true);
  });

  it("cloudflare-worker ranks candidates in workerd", { timeout: 2 * MINUTES }, async () => {
    cpSync(join(EXAMPLES, "cloudflare-worker"), project.dir, { recursive: true });
    const outdir = project.at("deployed");
    await build({
      entryPoints: [project.at("worker.js")],
      absWorkingDir: project.dir,
      outdir,
      bundle: true,
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      loader: { ".wasm": "copy" },
      assetNames: "[name]",
      outExtension: { ".js": ".mjs" },
      logLevel: "error",
    });
    const worker = new Miniflare({
      modulesRoot: outdir,
      modules: [
        { type: "ESModule", path: join(outdir, "worker.mjs") },
        { type: "CompiledWasm", path: join(outdir, "nous_wasm.wasm") },
      ],
      compatibilityDate: "2026-01-01",
    });
    try {
      const now = Date.UTC(2026, 2, 1);
      const metrics = {
        total_nodes: 1,
        total_edges: 0,
        density: 0,
        avg_inbound_edges: 0,
        avg_outbound_edges: 0,
      };
      const candidate = {
        id: "a",
        bm25_score: 2,
        last_accessed: now,
        created_at: now,
        access_count: 0,
      };
      const body = JSON.stringify({
        candidates: [{ ...candidate, inbound_edge_count: 0 }],
        metrics,
        now,
      });
      const response = await worker.dispatchFetch("http://localhost/", { method: "POST", body });
      expect(await response.json()).toEqual([
        { id: "a", score: expect.any(Number), primary_signal: expect.any(String) },
      ]);
    } finally {
      await worker.dispose();
    }
  });
});
