// `npm run build`: builds the npm packages. Engine: crate → .wasm and glue → an entry
// for each environment (esbuild) → types. Embedder: see embedder.mjs. Memory: see memory.mjs.
// Server: see server.mjs. Page: see page.mjs. Skips what is up to date.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { writeEmbedder } from "./embedder.mjs";
import { layoutAsTypeScript } from "./layout.mjs";
import { at, fingerprint, importing, isStampedWith, must, root, say } from "./lib.mjs";
import { writeMemory } from "./memory.mjs";
import { writeNotices } from "./notices.mjs";
import { writePage } from "./page.mjs";
import { writeServer } from "./server.mjs";
import { setUpPackages, setUpWasm, WASM_TARGET } from "./setup.mjs";

const ENGINE = at("js", "engine");
const DIST = join(ENGINE, "dist");

/**
 * The compiler has inlined what is hot. Inlining large functions into their one caller, and functions
 * with loops or calls, gains nothing and costs four kilobytes.
 */
const OPTIMISING = [
  "-O3",
  "--one-caller-inline-max-function-size=100",
  "--flexible-inline-max-function-size=0",
  "--strip-debug",
  "--strip-producers",
];

const ofCrate = () =>
  fingerprint(["src", "Cargo.toml", "Cargo.lock", ".cargo", "js/scripts/build.mjs"]);
/**
 * The fingerprint of the packages' sources and of the build's outputs, so that a missing or altered
 * output is built again.
 */
const ofPackages = () =>
  fingerprint(["js", "pkg", "package-lock.json", "tsconfig.json", "LICENSE"]);

/** Sets up and builds everything. Fast if nothing changed. */
export async function build() {
  setUpPackages();
  const crate = ofCrate();
  const crateStamp = at("pkg", ".built-from");
  if (!isStampedWith(crateStamp, crate)) {
    setUpWasm();
    buildCrate(at("pkg"));
    writeFileSync(crateStamp, crate);
  }
  const packagesStamp = at(".cache", "packages.built-from");
  if (isStampedWith(packagesStamp, ofPackages())) return;
  const { build: bundle } = await import("esbuild");
  const generated = join(ENGINE, "src", "generated");
  rmSync(generated, { recursive: true, force: true });
  await writeGlue(bundle, at("pkg"), generated);
  await writeConstants(generated);
  writeLayout(generated);
  await writePackage(bundle);
  await writeEmbedder(bundle);
  await writeMemory(bundle);
  await writeServer(bundle);
  await writePage();
  mkdirSync(at(".cache"), { recursive: true });
  writeFileSync(packagesStamp, ofPackages());
}

/**
 * Builds the module with a counting allocator for the memory test, in `.cache/counted`. Its speed
 * does not matter.
 */
export async function buildCounted() {
  const crate = ofCrate();
  const stamp = at(".cache", "counted", ".built-from");
  if (isStampedWith(stamp, crate)) return;
  setUpWasm();
  buildCrate(at(".cache", "counted"), {
    isOptimised: false,
    settings: ["opt-level=1", 'lto="off"', "codegen-units=16"],
    features: ["count-allocations"],
  });
  const { build: bundle } = await import("esbuild");
  await writeGlue(bundle, at(".cache", "counted"), at(".cache", "counted"));
  writeFileSync(stamp, crate);
}

function buildCrate(out, { isOptimised = true, settings = [], features = [] } = {}) {
  say(`cargo build, wasm-bindgen and wasm-opt → ${relative(root, out)} (a minute)`);
  // Keeps paths of this machine out of the module. `--config` adds to the flags of
  // .cargo/config.toml.
  const home = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const remap = [
    [root, "/nous/"],
    [home, "/cargo"],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const configured = [
    `target.${WASM_TARGET}.rustflags=${JSON.stringify(remap)}`,
    ...settings.map((setting) => `profile.release.${setting}`),
  ].flatMap((setting) => ["--config", setting]);
  const named = features.flatMap((feature) => ["--features", feature]);
  const target = ["--target", WASM_TARGET];
  must("cargo", ["build", "--lib", "--release", "--locked", ...target, ...named, ...configured]);
  const folder = process.env.CARGO_TARGET_DIR ?? at("target");
  const module = join(folder, WASM_TARGET, "release", "nous_wasm.wasm");
  const form = ["--target", "bundler", "--typescript", "--out-name", "nous_wasm"];
  must("wasm-bindgen", [module, ...form, "--out-dir", out]);
  const bound = join(out, "nous_wasm_bg.wasm");
  if (isOptimised) must("wasm-opt", [bound, "-o", bound, ...OPTIMISING]);
}

/**
 * Turns wasm-bindgen's glue into a function that is called once for each instance. The glue keeps
 * its state in its module, so that one import is one instance. The function returns plain fields:
 * the getters of a bundled module would cost each instance about 30 KB.
 */
async function writeGlue(bundle, from, to) {
  mkdirSync(to, { recursive: true });
  const file = join(to, "glue.js");
  await bundle({
    entryPoints: [join(from, "nous_wasm_bg.js")],
    outfile: file,
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
  const [body, names, ...rest] = readFileSync(file, "utf8").split(/^export (\{[\w\s,$]+\});\n/m);
  if (names === undefined || rest.join("").trim() !== "")
    throw new Error("The glue of wasm-bindgen does not end with one list of its exports.");
  writeFileSync(
    file,
    `// Made by js/scripts/build.mjs from the output of wasm-bindgen.
export function createGlue() {
"use strict";
${body}return ${names};
}
`,
  );
  const types = readFileSync(join(from, "nous_wasm.d.ts"), "utf8");
  writeFileSync(join(to, "bindings.d.ts"), types);
  writeFileSync(
    join(to, "glue.d.ts"),
    `import type * as bindings from "./bindings.js";
/** One instance's worth of glue; \`__wbg_set_wasm\` hands it the instance's exports. */
export function createGlue(): typeof bindings & { __wbg_set_wasm(exports: WebAssembly.Exports): void };
`,
  );
}

/** Writes the constants and the default configuration of the module as TypeScript. */
async function writeConstants(to) {
  const { createGlue } = await import(`${pathToFileURL(join(to, "glue.js"))}?${Date.now()}`);
  const glue = createGlue();
  const module = new WebAssembly.Module(readFileSync(at("pkg", "nous_wasm_bg.wasm")));
  const { exports } = new WebAssembly.Instance(module, { "./nous_wasm_bg.js": glue });
  glue.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  const [constants, description] = [glue.constants(), glue.Engine.create(undefined).describe()].map(
    (value) => JSON.stringify(value),
  );
  writeFileSync(
    join(to, "constants.ts"),
    `// Made by js/scripts/build.mjs from the compiled module.
/** Names and numbers that no configuration changes. @internal */
export const moduleConstants = ${constants} as const;
/** The description of an engine without a configuration. @internal */
export const defaultDescription = ${description} as const;
`,
  );
}

/** Writes the place of each field of a packed record as TypeScript. */
function writeLayout(to) {
  const layout = readFileSync(at("src", "wasm", "layout.rs"), "utf8");
  writeFileSync(join(to, "layout.ts"), layoutAsTypeScript(layout));
}

async function writePackage(bundle) {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const wasm = at("pkg", "nous_wasm_bg.wasm");
  copyFileSync(wasm, join(DIST, "nous_wasm.wasm"));
  const { version } = JSON.parse(readFileSync(join(ENGINE, "package.json"), "utf8"));
  const base64 = readFileSync(wasm).toString("base64");
  const options = {
    bundle: true,
    target: "es2022",
    platform: "neutral",
    logLevel: "warning",
    legalComments: "none",
    // Parsing is a large part of loading, and minified text parses in half the time.
    minify: true,
    define: { __VERSION__: JSON.stringify(version), __WASM_BASE64__: JSON.stringify(base64) },
  };
  const src = (name) => join(ENGINE, "src", name);
  const dist = (name) => join(DIST, name);

  // One core for each format; everything else is a thin entry beside it.
  await bundle({
    ...options,
    entryPoints: [src("core.ts")],
    outfile: dist("core.mjs"),
    format: "esm",
  });
  await bundle({
    ...options,
    entryPoints: [src("core.ts")],
    outfile: dist("core.cjs"),
    format: "cjs",
  });
  const besideCore = (format) => ({
    name: "core-beside",
    setup(build) {
      build.onResolve({ filter: /\/core\.ts$/ }, () => ({
        path: `./core.${format}`,
        external: true,
      }));
      build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
    },
  });
  // The script of an index's worker contains its core. It runs as an ES module and as a classic
  // script. Its name ends in .js because some servers do not know .mjs.
  await bundle({
    ...options,
    entryPoints: [src("entries/index-worker.ts")],
    outfile: dist("index-worker.js"),
    format: "iife",
  });
  options.define.__INDEX_WORKER__ = JSON.stringify(readFileSync(dist("index-worker.js"), "utf8"));
  const entry = (name, format, as = name) =>
    bundle({
      ...options,
      entryPoints: [src(`entries/${name}.ts`)],
      outfile: dist(`${as}.${format}`),
      format: format === "cjs" ? "cjs" : "esm",
      external: ["node:*"],
      plugins: [besideCore(format)],
    });
  await Promise.all([
    entry("node", "cjs"),
    entry("index-worker-node", "cjs", "index-worker"),
    entry("inline", "mjs"),
    entry("inline", "cjs"),
    entry("browser", "mjs"),
    entry("workerd", "mjs"),
  ]);
  // In Node both formats share the CommonJS core, so that one process has one copy of everything.
  const names = Object.keys(await import(`${pathToFileURL(dist("core.mjs"))}?${Date.now()}`));
  for (const [name, from] of [
    ["node", "./node.cjs"],
    ["slim-node", "./core.cjs"],
  ]) {
    writeFileSync(
      dist(`${name}.mjs`),
      `import m from "${from}";\nexport const { ${names.sort().join(", ")} } = m;\n`,
    );
  }
  writeTypes();
  writeNotices();
  copyFileSync(at("LICENSE"), join(ENGINE, "LICENSE"));
}

function writeTypes() {
  must("tsc", ["-p", join(ENGINE, "tsconfig.json")]);
  const types = join(DIST, "types");
  for (const name of readdirSync(types, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = readFileSync(join(types, name), "utf8");
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--counted")) {
    await buildCounted();
  } else {
    await build();
    say("built dist of js/engine, js/embedder, js/memory, js/server and js/page");
  }
}
