// The packed tarball in every supported environment; each must give the answers of Node's `import`.

import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DECLARED, USED } from "./support/declaration-programs.ts";
import {
  answerOfNode,
  emptyFolder,
  must,
  Project,
  probeSource,
  root,
  run,
} from "./support/tarball.ts";

const MINUTES = 60_000;

let project: Project;
let answer: string;

beforeAll(async () => {
  project = await Project.create();
  answer = await answerOfNode(project);
  project.write("probe.cjs", probeSource("cjs"));
  project.write("answer.json", answer);
}, 2 * MINUTES);

afterAll(() => project?.remove());

const PRINT = "process.stdout.write(probe(nous));\n";
const AS_ESM = `import * as nous from "nous-wasm";\nimport { probe } from "./probe.mjs";\n${PRINT}`;
const AS_CJS = `const nous = require("nous-wasm");\nconst { probe } = require("./probe.cjs");\n${PRINT}`;

describe("Node", () => {
  it("imports it, and the probe covers every export", () => {
    const { exports, errors, ranking } = JSON.parse(answer);
    const source = probeSource();
    // The loading functions, and one for `nous-server`.
    const others = ["editDistance", "init", "initSync", "setDefaultModule"];
    expect(exports.filter((name: string) => !source.includes(`nous.${name}`))).toEqual(others);
    expect(ranking.bySection).toHaveLength(50);
    expect(errors.map(({ code }: { code?: string }) => code)).toEqual([
      "invalid_argument",
      "invalid_argument",
      "invalid_config",
      "invalid_config",
      "invalid_argument",
      "invalid_argument",
      "invalid_argument",
      "invalid_argument",
      "invalid_argument",
      "invalid_snapshot",
      "invalid_config",
      undefined,
    ]);
  });

  it("requires it from CommonJS", async () => {
    expect(await project.node("required.cjs", AS_CJS)).toBe(answer);
  });

  it("has one copy in a process that imports and requires it, including the slim entry", async () => {
    const program = `
      import { createRequire } from "node:module";
      let [modules, instances] = [0, 0];
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: (made, args) => (modules++, new made(...args)) });
      WebAssembly.Instance = new Proxy(WebAssembly.Instance, { construct: (made, args) => (instances++, new made(...args)) });
      const require = createRequire(import.meta.url);
      const imported = await import("nous-wasm");
      const others = [require("nous-wasm"), await import("nous-wasm/slim"), require("nous-wasm/slim")];
      const { probe } = require("./probe.cjs");
      for (const nous of [imported, ...others]) probe(nous);
      const different = Object.keys(imported).filter((name) => name !== "default" && others.some((nous) => nous[name] !== imported[name]));
      let ours;
      try { others[0].recencyScore(0, 0); others[0].rerankTop(); } catch (error) { ours = error instanceof imported.NousError; }
      process.stdout.write(JSON.stringify({ modules, instances, different, ours }));
    `;
    const { different, ...rest } = JSON.parse(await project.node("both.mjs", program));
    expect(different).toEqual([]);
    // One instance for all stateless calls, one for all books, and one for each of the four indexes
    // and the embedder of the four probes.
    expect(rest).toEqual({ modules: 1, instances: 1 + 1 + 4 * 5, ours: true });
  });

  it("finds the .wasm itself under its exported path", async () => {
    const program = `
      import { readFileSync } from "node:fs";
      import { createRequire } from "node:module";
      const path = createRequire(import.meta.url).resolve("nous-wasm/nous_wasm.wasm");
      const same = new URL(import.meta.resolve("nous-wasm/nous_wasm.wasm")).pathname === path;
      process.stdout.write(JSON.stringify([same, WebAssembly.validate(readFileSync(path))]));
    `;
    expect(await project.node("path.mjs", program)).toBe("[true,true]");
  });

  it("cannot import other files of the package", async () => {
    const { status, stderr } = await run(
      process.execPath,
      ["-e", `require("nous-wasm/dist/core.cjs")`],
      project.dir,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });
});

describe("an uncaught error", () => {
  const MAX_BYTES = 2_000;
  const CALL = "classifyIntent(null);";

  it.each([
    ["uncaught.mjs", `import { classifyIntent } from "nous-wasm";\n${CALL}`],
    ["uncaught-slim.mjs", `import { initSync } from "nous-wasm/slim";\ninitSync("no module");`],
    ["uncaught.cjs", `const { classifyIntent } = require("nous-wasm");\n${CALL}`],
  ])("of %s shows its message, and little code before it", async (name, source) => {
    const { status, stderr } = await run(
      process.execPath,
      [project.write(name, source)],
      project.dir,
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/^NousError: \w/m);
    expect(stderr).toContain(name);
    expect(Buffer.byteLength(stderr)).toBeLessThan(MAX_BYTES);
  });
});

describe("entries that need explicit loading", () => {
  const MATCH = {
    ...{
      id: "p",
      title: "A playbook",
      action: "",
      direction: "either",
      type: "price_spike",
      symbol: null,
    },
    ...{ severity: 1, success_count: 1, sample_size: 2, success_rate: 0.5, relevance: 0.1 },
  };
  /** Calls that need the module, each with valid arguments. */
  const CALLS = `({
    rerankWithSectionWeights: () => nous.rerankWithSectionWeights([], {}),
    rerankCandidates: () => nous.rerankCandidates([], {}),
    rerankTop: () => nous.rerankTop([], {}),
    decayColumns: () => nous.decayColumns({ lastAccessed: [], stability: [], section: [] }),
    classifyIntent: () => nous.classifyIntent("now"),
    classifyTurn: () => nous.classifyTurn("now", "task"),
    classifyTurnInItsFrame: () => nous.classifyTurn("now"),
    planRetrieval: () => nous.planRetrieval({ frame_type: "task" }),
    planTurn: () => nous.planTurn("now", "task"),
    selectFrame: () => nous.selectFrame("now"),
    nextTopic: () => nous.nextTopic("now"),
    overlap: () => nous.overlap("now", "then"),
    overlaps: () => nous.overlaps(["now"], "then"),
    estimateTokens: () => nous.estimateTokens("now"),
    UsageTracker: () => new nous.UsageTracker().boost(["id"]),
    UsageTrackerFeedback: () => new nous.UsageTracker().feedback({ id: "now" }, "then"),
    mergeAndSelect: () => nous.mergeAndSelect([]),
    mergeAndSelectWithBoost: () => nous.mergeAndSelect([], { query: "now", intentBoost: 2 }),
    coRecallPairs: () => nous.coRecallPairs([]),
    formatContext: () => nous.formatContext([]),
    memoryGuidance: () => nous.memoryGuidance(),
    createEngine: () => nous.createEngine({}),
    calculateSalience: () => nous.calculateSalience("custom:trade_close", { pnl_pct: 1 }),
    modulateStability: () => nous.modulateStability("custom:trade_close", 1),
    applyOutcome: () => nous.applyOutcome({ success_count: 0, sample_size: 0, stability: 1 }, true),
    Embedder: () => new nous.Embedder(new Uint8Array()),
    TextIndex: () => new nous.TextIndex(),
    PlaybookBook: () => new nous.PlaybookBook(),
    matchPlaybooks: () => nous.matchPlaybooks([], []),
    formatPlaybookMatches: () => nous.formatPlaybookMatches([${JSON.stringify(MATCH)}]),
    extractSymbol: () => nous.extractSymbol({ content_title: "BTC" }),
    groupEpisodes: () => nous.groupEpisodes([]),
    findPatterns: () => nous.findPatterns([], []),
    planConsolidation: () => nous.planConsolidation([], []),
    calculateRetrievability: () => nous.calculateRetrievability(1, 1),
    calculateDifficulty: () => nous.calculateDifficulty("fact", 1, 1),
    updateStabilityOnAccess: () => nous.updateStabilityOnAccess(1, 1),
    updateStabilityOnAccessForSection: () => nous.updateStabilityOnAccessForSection(1, 1, {}),
    getDecayLifecycleState: () => nous.getDecayLifecycleState(1, 1),
    getDecayLifecycleStateForSection: () => nous.getDecayLifecycleStateForSection(1, 1, {}),
    applyCascadeDecay: () => nous.applyCascadeDecay(1, 1),
    keywordScore: () => nous.keywordScore({}, 1, 1),
    recencyScore: () => nous.recencyScore(0, 0),
    authorityScore: () => nous.authorityScore(1, 1),
    affinityScore: () => nous.affinityScore(1, 0, 0, 0),
    fsrsStabilityFromExponential: () => nous.fsrsStabilityFromExponential(1),
    exponentialStabilityFromFsrs: () => nous.exponentialStabilityFromFsrs(1),
  })`;
  const EARLY = `
    const early = await Promise.all(Object.entries(${CALLS}).map(async ([name, call]) => {
      try { return [name, "answered " + JSON.stringify((await call()) ?? null)]; }
      catch (error) { return [name, error instanceof nous.NousError ? error.code : String(error)]; }
    }));
  `;
  const LOADS = {
    "initSync(bytes)": "nous.initSync(bytes);",
    "init(bytes)": "await nous.init(bytes);",
    "init(a compiled module)": "await nous.init(new WebAssembly.Module(bytes));",
    "init(a promise of bytes)": "await nous.init(Promise.resolve(bytes));",
    "init(a streaming response)": `await nous.init(new Response(bytes, { headers: { "content-type": "application/wasm" } }));`,
    "init(a response of unknown type)":
      "await nous.init(fetch(`data:;base64,${bytes.toString('base64')}`));",
  };
  const program = (entry: string, load: string) => `
    import { readFileSync } from "node:fs";
    import * as nous from "nous-wasm/${entry}";
    import { probe } from "./probe.mjs";
    ${EARLY}
    const bytes = readFileSync(new URL(import.meta.resolve("nous-wasm/nous_wasm.wasm")));
    ${load}
    process.stdout.write(JSON.stringify({ early, answer: probe(nous) }));
  `;

  it("have their tables before they are loaded", async () => {
    const source = `
      import * as nous from "nous-wasm/slim";
      const { constants } = JSON.parse(process.argv[2]);
      const tables = Object.fromEntries(Object.keys(constants).map((name) => [name, nous[name]]));
      const frozen = Object.values(tables).every(Object.isFrozen);
      const found = [nous.getSectionForSubtype("custom:signal"), nous.getSectionForSubtype("unknown"),
        nous.getInitialStabilityForSubtype("custom:signal"), nous.getInitialStabilityForSubtype(null),
        nous.getInitialStability("fact"), nous.getInitialDifficulty("document"), nous.getInitialEdgeStrength("causes"),
        nous.memoryTypeOf("custom:signal"), nous.memoryTypeOf("unknown")];
      process.stdout.write(JSON.stringify({ tables, frozen, found }));
    `;
    const { constants, decay, sections, types } = JSON.parse(answer);
    const program = project.write("tables.mjs", source);
    const { tables, frozen, found } = JSON.parse(
      await must(process.execPath, [program, answer], project.dir),
    );
    expect(tables).toEqual(constants);
    expect(frozen).toBe(true);
    expect(found).toEqual([
      sections[1][0],
      sections[5][0],
      sections[1][1],
      sections[5][1],
      ...decay.initial,
      types[1],
      types[5],
    ]);
  });

  it.each(Object.entries(LOADS))(
    "throw before loading, and answer after %s",
    async (_name, load) => {
      const { early, answer: late } = JSON.parse(
        await project.node("slim.mjs", program("slim", load)),
      );
      expect(
        early.filter(([, outcome]: [string, string]) => outcome !== "not_initialized"),
      ).toEqual([]);
      expect(late).toBe(answer);
    },
  );

  it("include the browser's, which Node can import too", async () => {
    const { early, answer: late } = JSON.parse(
      await project.node("browser.mjs", program("browser", LOADS["init(bytes)"])),
    );
    expect(early.filter(([, outcome]: [string, string]) => outcome !== "not_initialized")).toEqual(
      [],
    );
    expect(late).toBe(answer);
  });

  it("explain in words why loading failed, and can be loaded afterwards", async () => {
    const source = `
      import { readFileSync } from "node:fs";
      import * as nous from "nous-wasm/slim";
      import { probe } from "./probe.mjs";
      const wasm = { headers: { "content-type": "application/wasm" } };
      const wrong = {
        nothing: () => undefined,
        "no module": () => new Uint8Array([1, 2, 3]),
        "another module": () => new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]),
        "no bytes": () => ({}),
        "no server": () => "http://127.0.0.1:9/nous_wasm.wasm",
        "not found": () => new Response("", { status: 404 }),
        "a page": () => new Response("<html>", wasm),
        "a promise that fails": () => Promise.reject(new Error("mine")),
      };
      const failures = {};
      for (const [name, source] of Object.entries(wrong)) {
        failures[name] = await nous.init(source()).then(
          () => "loaded",
          (error) => (error instanceof nous.NousError ? error.code : error.message),
        );
      }
      await nous.init(readFileSync(new URL(import.meta.resolve("nous-wasm/nous_wasm.wasm"))));
      await nous.init("nothing more is loaded");
      process.stdout.write(JSON.stringify({ failures, answer: probe(nous) }));
    `;
    const { failures, answer: late } = JSON.parse(await project.node("wrong.mjs", source));
    expect(failures).toEqual({
      nothing: "unsupported",
      "no module": "unsupported",
      "another module": "unsupported",
      "no bytes": "unsupported",
      "no server": "unsupported",
      "not found": "unsupported",
      "a page": "unsupported",
      "a promise that fails": "mine",
    });
    expect(late).toBe(answer);
  });
});

describe("bundles by esbuild", () => {
  /** Bundles a program into an empty folder, and runs it there. */
  async function bundled(source: string, name: string, options: BuildOptions) {
    const elsewhere = emptyFolder();
    try {
      const { inputs } = await bundle(source, join(elsewhere, name), options);
      return { inputs, answer: await must(process.execPath, [name], elsewhere) };
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  }

  async function bundle(source: string, outfile: string, options: BuildOptions) {
    const entry = project.write(source === AS_CJS ? "bundled.cjs" : "bundled.mjs", source);
    const shared = {
      bundle: true,
      outfile,
      absWorkingDir: project.dir,
      metafile: true,
      logLevel: "silent",
    } as const;
    const { metafile, warnings } = await build({ entryPoints: [entry], ...shared, ...options });
    const inputs = Object.keys(metafile!.inputs).filter((path) => path.startsWith("node_modules/"));
    return {
      warnings,
      inputs: inputs.map((path) => path.replace("node_modules/nous-wasm/dist/", "")).sort(),
    };
  }

  it.each([
    ["node", "an ES module from import", AS_ESM, "main.mjs", "esm", ["core.mjs", "inline.mjs"]],
    ["node", "CommonJS from import", AS_ESM, "main.cjs", "cjs", ["core.mjs", "inline.mjs"]],
    ["node", "CommonJS from require", AS_CJS, "main.cjs", "cjs", ["core.mjs", "inline.mjs"]],
    ["neutral", "an ES module from import", AS_ESM, "main.mjs", "esm", ["core.mjs", "inline.mjs"]],
    ["neutral", "CommonJS from require", AS_CJS, "main.cjs", "cjs", ["core.cjs", "inline.cjs"]],
  ] as const)(
    "for %s, %s, need no file beside them",
    async (platform, _name, source, file, format, inputs) => {
      expect(await bundled(source, file, { platform, format })).toEqual({ inputs, answer });
    },
  );

  it("for the browser use the fetching entry, without its bytes and without Node's modules", async () => {
    const elsewhere = emptyFolder();
    try {
      const outfile = join(elsewhere, "main.js");
      const source = `export * as nous from "nous-wasm";\n`;
      expect(await bundle(source, outfile, { platform: "browser", format: "esm" })).toEqual({
        warnings: [],
        inputs: ["browser.mjs", "core.mjs"],
      });
      // As it would be on a server: the .wasm beside the bundle.
      copyFileSync(project.installed("dist", "nous_wasm.wasm"), join(elsewhere, "nous_wasm.wasm"));
      const program = `
        import { readFile } from "node:fs/promises";
        import { nous } from "./main.js";
        import { probe } from ${JSON.stringify(project.at("probe.mjs"))};
        globalThis.fetch = async (url) =>
          new Response(await readFile(new URL(url)), { headers: { "content-type": "application/wasm" } });
        await nous.init();
        process.stdout.write(probe(nous));
      `;
      writeFileSync(join(elsewhere, "run.mjs"), program);
      expect(await must(process.execPath, ["run.mjs"], elsewhere)).toBe(answer);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});

describe("vitest", () => {
  it.each(["forks", "threads", "vmThreads"])(
    "runs it in %s",
    async (pool) => {
      project.write(
        "probe.test.mjs",
        `import { readFileSync } from "node:fs";
       import { createRequire } from "node:module";
       import * as nous from "nous-wasm";
       import { probe } from "./probe.mjs";
       test("answers as Node does", () => {
         const answer = readFileSync("answer.json", "utf8");
         expect(probe(nous)).toBe(answer);
         expect(probe(createRequire(import.meta.url)("nous-wasm"))).toBe(answer);
       });`,
      );
      const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
      const flags = [
        "run",
        "--root",
        project.dir,
        "--globals",
        "--pool",
        pool,
        "--reporter",
        "json",
        "--maxWorkers",
        "1",
      ];
      const { stdout, stderr } = await run(process.execPath, [vitest, ...flags], project.dir);
      expect(stdout, stderr).toContain("{");
      const report = JSON.parse(stdout.slice(stdout.indexOf("{")));
      const messages = report.testResults.flatMap(
        (file: { message: string; assertionResults: { failureMessages: string[] }[] }) =>
          [
            file.message,
            ...file.assertionResults.flatMap(({ failureMessages }) => failureMessages),
          ].filter(Boolean),
      );
      expect({ passed: report.numPassedTests, messages }).toEqual({ passed: 1, messages: [] });
    },
    2 * MINUTES,
  );
});

describe("TypeScript", () => {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

  /** Type-checks files that see only the language and the declarations of packages. */
  async function check(files: Record<string, string>, options: object): Promise<string> {
    for (const [name, source] of Object.entries(files)) project.write(name, source);
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    };
    const compilerOptions = {
      noEmit: true,
      target: "es2022",
      lib: ["es2022"],
      types: [],
      ...strict,
      ...options,
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    return (await run(process.execPath, [tsc, "--pretty", "false"], project.dir)).stdout;
  }

  const imported = (entry: string) => `import * as nous from "${entry}";\n${DECLARED}${USED}`;
  const required = (entry: string) => `import nous = require("${entry}");\n${DECLARED}${USED}`;

  it(
    "accepts the declarations of existing callers, from ES modules and from CommonJS",
    async () => {
      const files = {
        "imports.mts": imported("nous-wasm"),
        "imports-slim.mts": imported("nous-wasm/slim"),
        "imports-browser.mts": imported("nous-wasm/browser"),
        "requires.cts": required("nous-wasm"),
        "requires-slim.cts": required("nous-wasm/slim"),
      };
      expect(await check(files, { module: "nodenext", moduleResolution: "nodenext" })).toBe("");
    },
    3 * MINUTES,
  );

  it(
    "accepts it for bundlers, with a browser's types and names imported one by one",
    async () => {
      const named = `
      import { type EngineConfig, init, initSync, NousError, rerankTop, type RankedNode, type ScoredNode } from "nous-wasm";
      export const config: EngineConfig = { curve: "exponential" };
      export const ranked: RankedNode<ScoredNode>[] = rerankTop([] as ScoredNode[], {}, { limit: 1, now: "2026-01-15" });
      export const sources = [
        init(), init("/nous_wasm.wasm"), init(new URL("https://example.org/nous_wasm.wasm")), init(fetch("/nous_wasm.wasm")),
        init(WebAssembly.compile(new Uint8Array())), init(new Response("")),
      ];
      initSync(new WebAssembly.Module(new Uint8Array()));
      export const error = new NousError("unsupported", "words", { field: "x" }, { cause: 1 });
    `;
      const files = { "bundled.ts": imported("nous-wasm"), "named.ts": named };
      const options = {
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["es2022", "dom"],
        verbatimModuleSyntax: true,
      };
      expect(await check(files, options)).toBe("");
    },
    3 * MINUTES,
  );
});

it("the package installs no other package", () => {
  const lock = JSON.parse(readFileSync(project.at("package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/nous-wasm"]);
  expect(existsSync(project.installed("src"))).toBe(false);
});
