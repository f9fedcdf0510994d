// Builds nous-memory: one file for each format, and the types. nous-wasm stays outside.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, importing, must } from "./lib.mjs";

const MEMORY = at("js", "memory");
const DIST = join(MEMORY, "dist");

/** Writes the package. Its types need those of nous-wasm. */
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
  must("tsc", ["-p", join(MEMORY, "tsconfig.json")]);
  const types = join(DIST, "types");
  for (const name of readdirSync(types, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = readFileSync(join(types, name), "utf8");
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
  copyFileSync(at("LICENSE"), join(MEMORY, "LICENSE"));
}
