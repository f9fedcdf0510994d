// Builds nous-embedder: an entry for Node, one for browsers, and the types. The tables are kept in
// the repository.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, importing, must } from "./lib.mjs";

const EMBEDDER = at("js", "embedder");
const DIST = join(EMBEDDER, "dist");

/** Writes the package. Its types need those of nous-wasm. */
export async function writeEmbedder(bundle) {
  rmSync(DIST, { recursive: true, force: true });
  const entry = (name, format, suffix, options = {}) =>
    bundle({
      ...options,
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: ["node:*", "nous-wasm"],
      entryPoints: [join(EMBEDDER, "src", `${name}.ts`)],
      outfile: join(DIST, `${name}.${suffix}`),
      format,
    });
  await Promise.all([
    entry("node", "esm", "mjs"),
    // CommonJS has no `import.meta`.
    entry("node", "cjs", "cjs", {
      define: { "import.meta.url": "ownUrl" },
      banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
    }),
    entry("browser", "esm", "mjs"),
  ]);
  must("tsc", ["-p", join(EMBEDDER, "tsconfig.json")]);
  const types = join(DIST, "types");
  for (const name of readdirSync(types)) {
    const text = readFileSync(join(types, name), "utf8");
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
  copyFileSync(at("LICENSE"), join(EMBEDDER, "LICENSE"));
}
