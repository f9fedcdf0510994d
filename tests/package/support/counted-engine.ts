// The engine over a module that counts its live bytes and can be made to trap; otherwise it equals
// the published one.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { fromBuild, root } from "./tarball.ts";

const COUNTED = join(root, ".cache", "counted");
const CORE = join(COUNTED, "core.cjs");

type Published = typeof import("nous-wasm");
type Internals = typeof import("../../../js/engine/src/instance.ts") &
  typeof import("../../../js/engine/src/runtime.ts");

/** The counted module's additional exports. */
export interface Counting {
  /** Bytes allocated and not yet freed. */
  live_bytes(): number;
  /** Panics. */
  trap(): void;
}

/** The package's exports, and the internals that the tests read. */
export type CountedCore = Published &
  Pick<Internals, "instantiate"> & {
    /** The glue of the instance that the next call of numbers alone uses. */
    numeric(): ReturnType<Internals["numeric"]> & Counting;
  };

/** Builds the counted module and the engine over it. */
export async function buildCountedCore(): Promise<void> {
  await fromBuild("buildCounted");
  const contents = `
    export * from "./core.ts";
    export { instantiate } from "./instance.ts";
    export { numeric } from "./runtime.ts";
  `;
  await build({
    stdin: { contents, resolveDir: join(root, "js", "engine", "src") },
    outfile: CORE,
    bundle: true,
    format: "cjs",
    target: "es2022",
    logLevel: "warning",
    define: { __VERSION__: '"counted"' },
    plugins: [
      {
        name: "counted-glue",
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/generated\/glue\.js$/ }, () => ({
            path: join(COUNTED, "glue.js"),
          })),
      },
    ],
  });
}

/** The compiled module. */
export const countedModule = (): WebAssembly.Module =>
  new WebAssembly.Module(readFileSync(join(COUNTED, "nous_wasm_bg.wasm")));

/** A copy of the engine that shares nothing with others; without a module it is not loaded yet. */
export function freshCore(module: WebAssembly.Module | undefined = countedModule()): CountedCore {
  const require = createRequire(import.meta.url);
  delete require.cache[CORE];
  const core: CountedCore = require(CORE);
  if (module) core.initSync(module);
  return core;
}

/** The path of the engine, for child processes. */
export const countedPaths = { core: CORE, module: join(COUNTED, "nous_wasm_bg.wasm") };
