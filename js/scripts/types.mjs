// Writes the declarations of types of a package.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importing, must } from "./lib.mjs";

/** Writes `dist/types` of a package, for both module formats. */
export function writeTypes(folder) {
  must("tsc", ["-p", join(folder, "tsconfig.json")]);
  const types = join(folder, "dist", "types");
  for (const name of readdirSync(types, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = withOlderArrays(withDocsOfEngine(readFileSync(join(types, name), "utf8"), types));
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
}

/**
 * Returns declarations that compilers before TypeScript 5.7 read, too: there typed arrays take no
 * argument. "of" returns an array of the same type as before, for either.
 */
const withOlderArrays = (text) =>
  text.replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>');

/**
 * Returns declarations with the comments of `Engine` in place of {@inheritDoc}, which editors do not
 * follow.
 */
function withDocsOfEngine(text, types) {
  return text.replace(/\/\*\* \{@inheritDoc Engine\.(\w+)\} \*\//g, (_, name) => {
    const engine = readFileSync(join(types, "engine.d.ts"), "utf8");
    const member = new RegExp(`(/\\*\\*(?:(?!\\*/)[^])*\\*/)\\s*(?:readonly )?${name}[(<:]`).exec(
      engine,
    );
    if (member === null) throw new Error(`Engine has no documentation of ${name}.`);
    return member[1].replace(/\n {4}/g, "\n");
  });
}
