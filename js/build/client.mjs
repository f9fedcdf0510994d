// Builds the client of the server, which stands alone: what it has to know of the operations is written into it.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, fingerprint, importing, must } from "./lib.mjs";

const SERVER = at("js", "server");
const SOURCES = join(SERVER, "src", "client");

/** Writes `client.mjs` and its types into a folder. */
export async function writeClient(bundle, out) {
  const outfile = at(".cache", "programs", "client-routes.mjs");
  const options = { bundle: true, format: "esm", target: "es2022", packages: "external", logLevel: "warning" };
  await bundle({ ...options, platform: "node", entryPoints: [join(SOURCES, "routes.ts")], outfile });
  const { ROUTES } = await import(`${pathToFileURL(outfile)}?${Date.now()}`);
  const routesAsData = {
    name: "routes-as-data",
    setup(build) {
      const contents = `export const ROUTES = ${JSON.stringify(ROUTES)};`;
      build.onLoad({ filter: /client[\\/]routes\.ts$/ }, () => ({ contents }));
    },
  };
  await bundle({
    ...options,
    platform: "neutral",
    entryPoints: [join(SOURCES, "client.ts")],
    outfile: join(out, "client.mjs"),
    plugins: [routesAsData],
  });
  writeTypes(join(out, "types"));
}

/** The types take the compiler seconds, and change with the schemas alone. */
function writeTypes(out) {
  const types = at(".cache", "client-types");
  const sources = fingerprint(["js/server/src/client", "js/server/src/api", "js/server/tsconfig.json"]);
  const stamp = join(types, ".built-from");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sources) {
    rmSync(types, { recursive: true, force: true });
    must("tsc", ["-p", join(SERVER, "tsconfig.json"), "--outDir", types]);
    for (const name of readdirSync(types, { recursive: true })) {
      if (!name.endsWith(".d.ts")) continue;
      writeFileSync(join(types, name), importing(readFileSync(join(types, name), "utf8"), "js"));
    }
    writeFileSync(stamp, sources);
  }
  cpSync(types, out, { recursive: true, filter: (path) => path !== stamp });
}
