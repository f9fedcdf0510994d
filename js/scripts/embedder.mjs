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
  const entry = (name, format, suffix) =>
    bundle({
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: ["node:*", "nous-wasm"],
      entryPoints: [join(EMBEDDER, "src", `${name}.ts`)],
      outfile: join(DIST, `${name}.${suffix}`),
      format,
    });
  await Promise.all([entry("node", "cjs", "cjs"), entry("browser", "esm", "mjs")]);
  // `__dirname` exists in CommonJS alone.
  writeFileSync(
    join(DIST, "node.mjs"),
    'import m from "./node.cjs";\nexport const { loadEmbedder, loadEmbedderSync } = m;\n',
  );
  must("tsc", ["-p", join(EMBEDDER, "tsconfig.json")]);
  const types = join(DIST, "types");
  for (const name of readdirSync(types)) {
    const text = readFileSync(join(types, name), "utf8");
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
  copyFileSync(at("LICENSE"), join(EMBEDDER, "LICENSE"));
}
