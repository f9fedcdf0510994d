// Builds the TypeScript client of the server. The client imports nothing: the build writes methods,
// paths and types of all operations into it.

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { typesOf } from "./client-types.mjs";
import { at, fail, fingerprint, importing, isStampedWith, root } from "./lib.mjs";

const SERVER = at("js", "server");
const SOURCES = join(SERVER, "src", "client");

/** Writes `client.mjs` into a folder, and its types if `hasTypes`. */
export async function writeClient(bundle, out, hasTypes) {
  const options = {
    bundle: true,
    format: "esm",
    target: "es2022",
    packages: "external",
    logLevel: "warning",
  };
  /** Returns the exports of a source of the server. */
  const exportsOf = async (...source) => {
    const outfile = at(".cache", "programs", `client-${source.at(-1)}.mjs`);
    const entryPoints = [join(SERVER, "src", ...source)];
    await bundle({ ...options, platform: "node", entryPoints, outfile });
    return import(`${pathToFileURL(outfile)}?${Date.now()}`);
  };
  const { ROUTES } = await exportsOf("client", "routes.ts");
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
  if (!hasTypes) return;
  const { descriptionOf } = await exportsOf("http", "description.ts");
  const types = join(out, "types");
  mkdirSync(types, { recursive: true });
  writeFileSync(join(types, "types.d.ts"), typesOf(descriptionOf({ version: "", compat: "none" })));
  await writeDeclarations(types);
}

/** Writes the type declarations if the client changed: the compiler needs seconds for them. */
async function writeDeclarations(out) {
  const kept = at(".cache", "client-types");
  const sources = fingerprint([
    "js/server/src/client",
    "js/server/src/api",
    "js/server/tsconfig.json",
    "tsconfig.json",
    "js/scripts/client.mjs",
  ]);
  const stamp = join(kept, ".built-from");
  if (!isStampedWith(stamp, sources)) {
    rmSync(kept, { recursive: true, force: true });
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, "client.d.ts"), await declarationsOfClient());
    writeFileSync(stamp, sources);
  }
  cpSync(join(kept, "client.d.ts"), join(out, "client.d.ts"));
}

/** Returns the declarations of the client's own code, after a type check. */
async function declarationsOfClient() {
  const { default: ts } = await import("typescript");
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: complain };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    join(SERVER, "tsconfig.json"),
    {},
    host,
  );
  const program = ts.createProgram(fileNames, options);
  const [problem] = ts.getPreEmitDiagnostics(program);
  if (problem !== undefined) complain(problem);
  let client;
  program.emit(program.getSourceFile(join(SOURCES, "client.ts")), (_, text) => {
    client = importing(text, "js");
  });
  return client;

  function complain(diagnostic) {
    const form = {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (name) => name,
      getNewLine: () => "\n",
    };
    fail(ts.formatDiagnostic(diagnostic, form));
  }
}
