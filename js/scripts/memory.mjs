// Builds nous-memory: one file for each format. nous-wasm stays outside.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at } from "./lib.mjs";

const MEMORY = at("js", "memory");
const DIST = join(MEMORY, "dist");

/** Writes the package, without its types. */
export async function writeMemory(bundle) {
  rmSync(DIST, { recursive: true, force: true });
  const entry = (format, suffix) =>
    bundle({
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: ["nous-wasm"],
      entryPoints: [join(MEMORY, "src", "index.ts")],
      outfile: join(DIST, `index.${suffix}`),
      format,
    });
  await Promise.all([entry("esm", "mjs"), entry("cjs", "cjs")]);
  copyFileSync(at("LICENSE"), join(MEMORY, "LICENSE"));
}
