// Builds nous-embedder: an entry for Node and one for browsers. The tables are kept in
// the repository.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at } from "./lib.mjs";

const EMBEDDER = at("js", "embedder");
const DIST = join(EMBEDDER, "dist");

/** Writes the package, without its types. */
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
  copyFileSync(at("LICENSE"), join(EMBEDDER, "LICENSE"));
}
