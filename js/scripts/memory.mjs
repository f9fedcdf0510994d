// Builds nous-memory: a file for each entry and format. nous-wasm stays outside.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at } from "./lib.mjs";

const MEMORY = at("js", "memory");
const DIST = join(MEMORY, "dist");

/** Writes the package, without its types. */
export async function writeMemory(bundle) {
  rmSync(DIST, { recursive: true, force: true });
  // Each entry has all that it needs: a shared module would be in the first load of a page that needs
  // the second one later.
  const entries = (format, suffix) =>
    bundle({
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: ["nous-wasm"],
      entryPoints: {
        index: join(MEMORY, "src", "index.ts"),
        moving: join(MEMORY, "src", "moving", "index.ts"),
      },
      outdir: DIST,
      outExtension: { ".js": `.${suffix}` },
      format,
    });
  await Promise.all([entries("esm", "mjs"), entries("cjs", "cjs")]);
  copyFileSync(at("LICENSE"), join(MEMORY, "LICENSE"));
}
