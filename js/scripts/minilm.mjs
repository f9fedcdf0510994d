// Builds nous-minilm: an entry for Node and one for browsers, with the module as text. Its model file,
// and that of nous-e5, which has no build, are kept in the repository.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at } from "./lib.mjs";
import { writeNotices } from "./notices.mjs";

export const MINILM = at("js", "minilm");
const DIST = join(MINILM, "dist");

/** Writes the package, without its types. */
export async function writeMinilm(bundle, wasm) {
  rmSync(DIST, { recursive: true, force: true });
  const base64 = readFileSync(wasm).toString("base64");
  const entry = (name, format, outfile, options = {}) =>
    bundle({
      ...options,
      define: { __WASM_BASE64__: JSON.stringify(base64), ...options.define },
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: ["node:*"],
      entryPoints: [join(MINILM, "src", `${name}.ts`)],
      outfile: join(DIST, outfile),
      format,
    });
  await Promise.all([
    // CommonJS has no `import.meta`.
    entry("node", "cjs", "node.cjs", {
      define: { "import.meta.url": "ownUrl" },
      banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
    }),
    // For bundlers: a file of CommonJS asks for Node's modules in a way that a bundle cannot.
    entry("node", "esm", "bundled-node.mjs"),
    entry("browser", "esm", "browser.mjs"),
  ]);
  // In Node both formats share the CommonJS file, so that one process has one copy of the classes.
  const names = Object.keys(
    await import(`${pathToFileURL(join(DIST, "browser.mjs"))}?${Date.now()}`),
  );
  writeFileSync(
    join(DIST, "node.mjs"),
    `import m from "./node.cjs";\nexport const { ${names.sort().join(", ")} } = m;\n`,
  );
  writeNotices("nous-minilm", join(MINILM, "THIRD-PARTY-LICENSES.txt"));
  for (const folder of [MINILM, at("js", "e5")])
    copyFileSync(at("LICENSE"), join(folder, "LICENSE"));
}
