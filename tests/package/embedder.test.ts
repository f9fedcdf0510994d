// The packed package nous-embedder: its files, the standard checkers, and its answers in Node, in
// bundles, and as types.

import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { some } from "../support/amount.ts";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { emptyFolder, must, Project, root, run, tarball } from "./support/tarball.ts";

const MINUTES = 60_000;
const TEXTS = ["Deploys on Friday fail more often", "日本 tea", "日本", ""];

let project: Project;
let contents: Package;
/** Names, coverages and bits of vectors, as Node's `import` gives them. */
let answer: string;

const PROBE = `
  const bits = (vectors) => [...new Uint32Array(vectors.buffer)];
  export const probe = (embedder) => {
    const { vectors, coverages } = embedder.embedAll(${JSON.stringify(TEXTS)});
    return JSON.stringify([embedder.id, embedder.dimensions, [...coverages], bits(vectors)]);
  };
`;

beforeAll(async () => {
  project = await Project.create("embedder");
  contents = createPackageFromTarballData(readFileSync(await tarball("embedder")));
  project.write("probe.mjs", PROBE);
  answer = await project.node(
    "answer.mjs",
    `import { loadEmbedderSync } from "nous-embedder";
     import { probe } from "./probe.mjs";
     process.stdout.write(probe(loadEmbedderSync()));`,
  );
}, 2 * MINUTES);

afterAll(() => project?.remove());

const installed = (...parts: string[]) => project.at("node_modules", "nous-embedder", ...parts);

describe("the tarball", () => {
  it("contains entries, tables, manifest, readme and licences", () => {
    const folder = "/node_modules/nous-embedder/";
    const files = contents.listFiles(folder).map((path) => path.slice(folder.length));
    expect(files.sort()).toEqual([
      "LICENSE",
      "NOTICE",
      "README.md",
      "dist/browser.mjs",
      "dist/node.cjs",
      "dist/node.mjs",
      "dist/types/node.d.cts",
      "dist/types/node.d.ts",
      "dist/types/tables.d.cts",
      "dist/types/tables.d.ts",
      "package.json",
      "tables/LICENSE",
      "tables/multilingual-128.bin",
      "tables/nous-128.bin",
      "tables/nous-256.bin",
    ]);
    expect(readFileSync(installed("NOTICE"), "utf8")).toContain(
      "sentence-transformers/all-MiniLM-L6-v2",
    );
    expect(readFileSync(installed("tables", "LICENSE"), "utf8")).toContain("Apache License");
  });

  it("needs nous-wasm alone, and installs one copy of it", () => {
    const lock = JSON.parse(readFileSync(project.at("package-lock.json"), "utf8"));
    const packages = ["", "node_modules/nous-embedder", "node_modules/nous-wasm"];
    expect(Object.keys(lock.packages)).toEqual(packages);
  });

  it("publint reports nothing, suggestions included", async () => {
    expect(await complaintsAbout("embedder")).toEqual([]);
  });

  it("has valid types in Node 16 and later, and in bundlers", { timeout: MINUTES }, async () => {
    const tables = ["nous-128", "nous-256", "multilingual-128"];
    const { entries, problems } = await typesOf(
      "embedder",
      tables.map((name) => `./tables/${name}.bin`),
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([".", "./package.json"]);
  });
});

describe("Node", () => {
  it("loads each table, and the default is the English one of 128 dimensions", async () => {
    const program = `
      import { loadEmbedder, loadEmbedderSync } from "nous-embedder";
      const embedders = [await loadEmbedder(), loadEmbedderSync({ dimensions: 128 }),
        await loadEmbedder({ dimensions: 256 }), loadEmbedderSync({ language: "multilingual" })];
      process.stdout.write(JSON.stringify(embedders.map(({ id }) => id)));
    `;
    const ids = [
      "nous-128-6e2b8e92",
      "nous-128-6e2b8e92",
      "nous-256-652fff12",
      "nous-128-e2e3ba03",
    ];
    expect(JSON.parse(await project.node("ids.mjs", program))).toEqual(ids);
    const [id, dimensions, coverages, bits] = JSON.parse(answer);
    expect([id, dimensions, coverages]).toEqual(["nous-128-6e2b8e92", 128, [1, 1 / 3, 0, 0]]);
    expect(bits).toHaveLength(4 * 128);
    expect(bits.slice(256).every((number: number) => number === 0)).toBe(true);
  });

  it("requires it from CommonJS, with the classes that imports get", async () => {
    const program = `
      const { loadEmbedderSync } = require("nous-embedder");
      const { Embedder } = require("nous-wasm");
      import("./probe.mjs").then(async ({ probe }) => {
        const [imported, engine] = [await import("nous-embedder"), await import("nous-wasm")];
        const embedders = [loadEmbedderSync(), imported.loadEmbedderSync()];
        const ours = embedders.every((each) => each instanceof Embedder && each instanceof engine.Embedder);
        process.stdout.write(ours ? probe(embedders[0]) : "another class");
      });
    `;
    expect(await project.node("required.cjs", program)).toBe(answer);
  });

  it("refuses options that do not exist", async () => {
    const program = `
      import { loadEmbedder, loadEmbedderSync } from "nous-embedder";
      import { NousError } from "nous-wasm";
      const found = [];
      for (const options of [null, 128, [], { dimension: 128 }, { dimensions: 64 }, { dimensions: "128" },
        { language: "klingon" }, { language: "multilingual", dimensions: 256 }]) {
        const heard = (error) => found.push([error instanceof NousError && error.code, error.details.field, error.message]);
        try { loadEmbedderSync(options); } catch (error) { heard(error); }
        await loadEmbedder(options).catch(heard);
      }
      process.stdout.write(JSON.stringify(found));
    `;
    const refused = (field: string, problem: string) => {
      const error = ["invalid_argument", field, `${field} ${problem}`];
      return [error, error];
    };
    expect(JSON.parse(await project.node("refused.mjs", program))).toEqual([
      ...refused("options", "must be an object"),
      ...refused("options", "must be an object"),
      ...refused("options", "must be an object"),
      ...refused("dimension", "is not an option: the options are language and dimensions"),
      ...refused("dimensions", "must be 128 or 256"),
      ...refused("dimensions", "must be 128 or 256"),
      ...refused("language", "must be english or multilingual"),
      ...refused("dimensions", "must be 128 for the multilingual table"),
    ]);
  });
});

describe("bundles", () => {
  const MAIN = `import { loadEmbedder, loadEmbedderSync } from "nous-embedder";
    import { probe } from "./probe.mjs";`;

  it("for Node without the tables say how to pass one", async () => {
    const away = emptyFolder();
    try {
      const source = `${MAIN}
        import { Embedder } from "nous-wasm";
        import { readFileSync } from "node:fs";
        const codes = [];
        try { loadEmbedderSync(); } catch (error) { codes.push(error.code, error.message.includes("new Embedder()")); }
        await loadEmbedder().catch(({ code }) => codes.push(code));
        const own = new Embedder(readFileSync(${JSON.stringify(installed("tables", "nous-128.bin"))}));
        process.stdout.write(JSON.stringify(codes) + probe(own));`;
      await build({
        entryPoints: [project.write("for-node.mjs", source)],
        outfile: join(away, "main.mjs"),
        bundle: true,
        platform: "node",
        format: "esm",
        logLevel: "error",
      });
      const text = await must(process.execPath, ["main.mjs"], away);
      expect(text).toBe(`["unsupported",true,"unsupported"]${answer}`);
    } finally {
      rmSync(away, { recursive: true });
    }
  });

  it("for browsers fetch module and table, and cannot load at once", async () => {
    const away = emptyFolder();
    try {
      const source = `${MAIN}
        export const early = (() => { try { loadEmbedderSync(); } catch ({ code }) { return code; } })();
        export const found = async () => probe(await loadEmbedder());
        export const missing = () => loadEmbedder({ dimensions: 256 }).catch(({ code, message }) => [code, message]);`;
      const { metafile } = await build({
        entryPoints: [project.write("for-browser.mjs", source)],
        outfile: join(away, "dist", "main.js"),
        absWorkingDir: project.dir,
        bundle: true,
        platform: "browser",
        format: "esm",
        metafile: true,
        logLevel: "error",
      });
      const inputs = Object.keys(metafile.inputs).filter((path) => path.includes("nous-embedder"));
      expect(inputs).toEqual(["node_modules/nous-embedder/dist/browser.mjs"]);
      // As on a server: the .wasm beside the bundle, and the tables where its URL points.
      copyFileSync(
        project.installed("dist", "nous_wasm.wasm"),
        join(away, "dist", "nous_wasm.wasm"),
      );
      const program = `
        import { mkdirSync, copyFileSync } from "node:fs";
        import { readFile } from "node:fs/promises";
        import { early, found, missing } from "./dist/main.js";
        mkdirSync("tables");
        copyFileSync(${JSON.stringify(installed("tables", "nous-128.bin"))}, "tables/nous-128.bin");
        globalThis.fetch = (url) => readFile(new URL(url)).then(
          (bytes) => new Response(bytes, { headers: { "content-type": "application/wasm" } }),
          () => new Response("", { status: 404 }),
        );
        const [code, message] = await missing();
        process.stdout.write(JSON.stringify([early, code, message.includes("nous-256.bin")]) + await found());
      `;
      const script = join(away, "run.mjs");
      copyFileSync(project.write("run.mjs", program), script);
      const { stdout, stderr } = await run(process.execPath, [script], away);
      expect(stdout, stderr).toBe(`["unsupported","unsupported",true]${answer}`);
    } finally {
      rmSync(away, { recursive: true });
    }
  });
});

describe("TypeScript", () => {
  it("accepts callers from ES modules, CommonJS and bundlers", { timeout: MINUTES }, async () => {
    const use = `
      export const one: number = embedder.loadEmbedderSync().embed("tea").coverage;
      export const later: Promise<{ id: string }> = embedder.loadEmbedder({ dimensions: 256 });
      export const many = embedder.loadEmbedder({ language: "multilingual" });
      // @ts-expect-error: no such table
      embedder.loadEmbedder({ dimensions: 64 });
    `;
    project.write("imports.mts", `import * as embedder from "nous-embedder";${use}`);
    project.write("requires.cts", `import embedder = require("nous-embedder");${use}`);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const check = async (options: object, ...files: string[]) => {
      const compilerOptions = {
        noEmit: true,
        strict: true,
        target: "es2022",
        types: [],
        ...options,
      };
      project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
      return (await run(process.execPath, [tsc, "--pretty", "false"], project.dir)).stdout;
    };
    const bundler = { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] };
    const ways: [options: object, ...files: string[]][] = [
      [{ module: "nodenext" }, "imports.mts", "requires.cts"],
      [bundler, "imports.mts"],
    ];
    for (const way of some(ways, 1)) expect(await check(...way)).toBe("");
  });
});
