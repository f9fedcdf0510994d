// Builds nous-integrations: an entry for each framework, in both formats. Frameworks stay outside; the
// client of the server is inside, with its types.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, importing } from "./lib.mjs";
import { writeTypes } from "./types.mjs";

const INTEGRATIONS = at("js", "integrations");
const DIST = join(INTEGRATIONS, "dist");
const ENTRIES = [
  ...["client", "ai-sdk", "anthropic", "langgraph", "mastra", "mastra-storage", "openai-agents"],
];
/** The declarations of the client, which the build of the server writes. */
const OF_CLIENT = at("js", "server", "dist", "types");

/** Writes the package with its types. The server has to be built. */
export async function writeIntegrations(bundle) {
  rmSync(DIST, { recursive: true, force: true });
  const { peerDependencies } = JSON.parse(readFileSync(join(INTEGRATIONS, "package.json"), "utf8"));
  const entries = (format, suffix) =>
    bundle({
      bundle: true,
      target: "es2022",
      platform: "neutral",
      logLevel: "warning",
      external: Object.keys(peerDependencies).flatMap((name) => [name, `${name}/*`]),
      entryPoints: ENTRIES.map((name) => join(INTEGRATIONS, "src", `${name}.ts`)),
      outdir: DIST,
      outExtension: { ".js": `.${suffix}` },
      format,
    });
  await Promise.all([entries("esm", "mjs"), entries("cjs", "cjs")]);
  writeTypes(INTEGRATIONS);
  const types = join(DIST, "types");
  for (const name of ["client", "types"]) {
    const text = readFileSync(join(OF_CLIENT, `${name}.d.ts`), "utf8");
    writeFileSync(join(types, `${name}.d.ts`), text);
    writeFileSync(join(types, `${name}.d.cts`), importing(text.replaceAll('.js"', '.ts"'), "cjs"));
  }
  // The package has the client's types itself.
  for (const name of readdirSync(types)) {
    const file = join(types, name);
    const own = `"./client.${name.endsWith(".cts") ? "cjs" : "js"}"`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"nous-server/client"', own));
  }
  copyFileSync(at("LICENSE"), join(INTEGRATIONS, "LICENSE"));
}
