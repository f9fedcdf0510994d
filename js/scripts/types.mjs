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
    const text = readFileSync(join(types, name), "utf8");
    writeFileSync(join(types, name), importing(text, "js"));
    writeFileSync(join(types, name.replace(/\.d\.ts$/, ".d.cts")), importing(text, "cjs"));
  }
}
