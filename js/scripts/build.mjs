// `npm run build`: builds the npm packages. Engine: crate → .wasm and glue → an entry
// for each environment (esbuild) → types. Embedder: see embedder.mjs. Memory: see memory.mjs.
// Minilm: its own crate, in the same way, then minilm.mjs. Server: see server.mjs.
// Integrations: see integrations.mjs. Page: see page.mjs. Skips what is up to date.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LINE_LIMIT } from "./bundle.mjs";
import { writeEmbedder } from "./embedder.mjs";
import { writeIntegrations } from "./integrations.mjs";
import { layoutAsTypeScript } from "./layout.mjs";
import { at, fail, fingerprint, isStampedWith, root, runStep, say } from "./lib.mjs";
import { writeMemory } from "./memory.mjs";
import { MINILM, writeMinilm } from "./minilm.mjs";
import { writeNotices } from "./notices.mjs";
import { writePage } from "./page.mjs";
import { hasPart, PARTS } from "./parts.mjs";
import { writeServer } from "./server.mjs";
import { setUpPackages, setUpWasm, WASM_TARGET } from "./setup.mjs";
import { writeTypes } from "./types.mjs";

const ENGINE = at("js", "engine");
const DIST = join(ENGINE, "dist");

/** The crates that are compiled to WebAssembly: folder, name, and the folder of the npm package. */
const ENGINE_CRATE = { folder: ".", name: "nous_wasm", made: at("pkg") };
const MINILM_CRATE = {
  folder: "crates/minilm",
  name: "nous_minilm",
  made: at(".cache", "minilm"),
};

const ofCrates = () =>
  fingerprint(["src", "crates", "Cargo.toml", "Cargo.lock", ".cargo", "js/scripts/build.mjs"]);
/**
 * The fingerprint of the packages' sources and of the build's outputs, so that a missing or altered
 * output is built again.
 */
const ofPackages = () =>
  fingerprint(["js", "pkg", "package-lock.json", "tsconfig.json", "LICENSE"]) +
  Object.keys(PARTS)
    .filter((name) => !hasPart(name))
    .map((name) => ` without ${name}`)
    .join("");

/**
 * Sets up and builds the packages. Fast if nothing changed. What serves needs fewer npm packages and
 * no declarations of types: those come if `isWhole`. `parts` are those of the server that a run needs.
 */
export async function build({ isWhole = true, parts = [] } = {}) {
  const crates = ofCrates();
  const crateStamp = at(".cache", "crate.built-from");
  const isThere = [ENGINE_CRATE, MINILM_CRATE].every(({ name, made }) =>
    existsSync(join(made, `${name}_bg.wasm`)),
  );
  const isBuilt = isThere && isStampedWith(crateStamp, crates);
  // A build that ends in the middle leaves no stamp beside files that are not of it.
  if (!isBuilt) rmSync(crateStamp, { force: true });
  const areThere = existsSync(at("node_modules", ".package-lock.json"));
  if (!isBuilt || !areThere)
    say(
      "Building what is missing. In a fresh clone this takes three to ten minutes, once: Rust is " +
        "compiled to WebAssembly, and npm packages are installed.",
    );
  // Tools and crates are compiled while npm downloads.
  const building = isBuilt ? undefined : buildCrates();
  await setUpPackages({ isWhole, parts });
  if (!isBuilt) {
    await building;
    mkdirSync(at(".cache"), { recursive: true });
    writeFileSync(crateStamp, crates);
  }
  const packagesStamp = at(".cache", "packages.built-from");
  const wholeStamp = at(".cache", "packages-whole.built-from");
  const packages = ofPackages();
  if (isStampedWith(wholeStamp, packages)) return;
  if (!isWhole && isStampedWith(packagesStamp, packages)) return;
  for (const stamp of [packagesStamp, wholeStamp]) rmSync(stamp, { force: true });
  say(`bundling the packages and the page (${isWhole ? "about a minute" : "some ten seconds"})`);
  const { build: bundle } = await import("esbuild");
  const generated = join(ENGINE, "src", "generated");
  rmSync(generated, { recursive: true, force: true });
  await writeGlue(bundle, ENGINE_CRATE, generated);
  await writeConstants(generated);
  writeLayout(generated);
  await writePackage(bundle);
  await writeEmbedder(bundle);
  await writeMemory(bundle);
  await writeGlue(bundle, MINILM_CRATE, join(MINILM, "src", "generated"));
  await writeMinilm(bundle, join(MINILM_CRATE.made, "nous_minilm_bg.wasm"));
  const typed = ["engine", "embedder", "memory", "minilm"];
  if (isWhole) for (const name of typed) writeTypes(at("js", name));
  await writeServer(bundle, isWhole);
  if (isWhole) await writeIntegrations(bundle);
  await writePage();
  mkdirSync(at(".cache"), { recursive: true });
  writeFileSync(isWhole ? wholeStamp : packagesStamp, ofPackages());
}

/**
 * Builds the module with a counting allocator for the memory test, in `.cache/counted`. Its speed
 * does not matter.
 */
export async function buildCounted() {
  const crates = ofCrates();
  const stamp = at(".cache", "counted", ".built-from");
  if (isStampedWith(stamp, crates)) return;
  rmSync(stamp, { force: true });
  const counted = { ...ENGINE_CRATE, made: at(".cache", "counted") };
  await buildCrate(counted, {
    isOptimised: false,
    settings: ["opt-level=1", 'lto="off"', "codegen-units=16"],
    features: ["count-allocations"],
  });
  const { build: bundle } = await import("esbuild");
  await writeGlue(bundle, counted, counted.made);
  writeFileSync(stamp, crates);
}

/** Makes the npm packages of both crates. */
async function buildCrates() {
  await buildCrate(ENGINE_CRATE);
  await buildCrate(MINILM_CRATE);
}

/**
 * Makes the npm package of a crate with wasm-pack. The crate is compiled while wasm-pack may have to
 * be installed.
 */
async function buildCrate(
  { folder, name, made },
  { isOptimised = true, settings = [], features = [] } = {},
) {
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
  const options = ["--locked", ...features.flatMap((name) => ["--features", name]), ...configured];

  const tools = setUpWasm();
  const crate = ["--manifest-path", join(at(folder), "Cargo.toml"), "--lib"];
  const compiling = ["build", ...crate, "--release", "--target", WASM_TARGET, ...options];
  const ok = await runStep(name, "cargo", compiling, { duration: "one to three minutes" });
  if (!ok) fail(`The crate ${name} could not be compiled; the output of cargo is above.`);
  await tools;
  const form = ["--target", "bundler", "--out-name", name, "--out-dir", made];
  // npm would honour a .gitignore in the folder, and pack nothing.
  const how = ["--no-gitignore", "--mode", "no-install", ...(isOptimised ? [] : ["--no-opt"])];
  const packing = ["--quiet", "build", at(folder), ...how, ...form, ...options];
  const duration = isOptimised ? "half a minute" : "some seconds";
  const packed = await runStep(`wasm-pack ${name}`, "wasm-pack", packing, { duration });
  if (!packed) fail(`\`wasm-pack build ${folder}\` failed; its output is above.`);
}

/**
 * Turns wasm-bindgen's glue into a function that is called once for each instance. The glue keeps
 * its state in its module, so that one import is one instance. The function returns plain fields:
 * the getters of a bundled module would cost each instance about 30 KB.
 */
async function writeGlue(bundle, { name, made }, to) {
  mkdirSync(to, { recursive: true });
  const file = join(to, "glue.js");
  await bundle({
    entryPoints: [join(made, `${name}_bg.js`)],
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
  const types = readFileSync(join(made, `${name}.d.ts`), "utf8");
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
  const core = { ...options, lineLimit: LINE_LIMIT, entryPoints: [src("core.ts")] };
  await bundle({ ...core, outfile: dist("core.mjs"), format: "esm" });
  await bundle({ ...core, outfile: dist("core.cjs"), format: "cjs" });
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
  const entry = (name, format) =>
    bundle({
      ...options,
      entryPoints: [src(`entries/${name}.ts`)],
      outfile: dist(`${name}.${format}`),
      format: format === "cjs" ? "cjs" : "esm",
      external: ["node:*"],
      plugins: [besideCore(format)],
    });
  await Promise.all([
    entry("node", "cjs"),
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
  writeNotices("nous-wasm", join(ENGINE, "THIRD-PARTY-LICENSES.txt"));
  copyFileSync(at("LICENSE"), join(ENGINE, "LICENSE"));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--counted")) {
    await buildCounted();
  } else {
    await build();
    say("built dist of js/engine, js/embedder, js/memory, js/minilm, js/server and js/page");
  }
}
