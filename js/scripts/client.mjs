// Builds the TypeScript client of the server. The client imports nothing: the build writes methods,
// paths and types of all operations into it.

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, fail, fingerprint, importing, isStampedWith, root } from "./lib.mjs";

const SERVER = at("js", "server");
const SOURCES = join(SERVER, "src", "client");

/** Writes `client.mjs` and its types into a folder. */
export async function writeClient(bundle, out) {
  const outfile = at(".cache", "programs", "client-routes.mjs");
  const options = {
    bundle: true,
    format: "esm",
    target: "es2022",
    packages: "external",
    logLevel: "warning",
  };
  await bundle({
    ...options,
    platform: "node",
    entryPoints: [join(SOURCES, "routes.ts")],
    outfile,
  });
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
  await writeTypes(join(out, "types"));
}

/** The types take the compiler seconds, and change with the schemas alone. */
async function writeTypes(out) {
  const types = at(".cache", "client-types");
  const made = ["client.d.ts", "types.d.ts"];
  const from = [
    "js/server/src/client",
    "js/server/src/api",
    "js/server/tsconfig.json",
    "tsconfig.json",
  ];
  const sources = fingerprint([...from, "js/scripts/client.mjs"]);
  const stamp = join(types, ".built-from");
  if (!isStampedWith(stamp, sources)) {
    rmSync(types, { recursive: true, force: true });
    mkdirSync(types, { recursive: true });
    const texts = await declarations();
    for (const [place, name] of made.entries()) writeFileSync(join(types, name), texts[place]);
    writeFileSync(stamp, sources);
  }
  for (const name of made) cpSync(join(types, name), join(out, name));
}

/**
 * The declarations of the client, and of its methods. These follow from schemas, and are written as
 * what they come to.
 */
async function declarations() {
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

  const checker = program.getTypeChecker();
  const file = program.getSourceFile(join(SOURCES, "types.ts"));
  const named = checker
    .getExportsOfModule(checker.getSymbolAtLocation(file))
    .find(({ name }) => name === "Methods");
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;
  const methods = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(named))
    .map((method) => {
      const type = checker.typeToString(checker.getTypeOfSymbol(method), file, flags);
      return `  readonly ${method.name}: ${type};\n`;
    });
  return [
    client,
    `/** A method for each operation, by the operation's name. */\nexport type Methods = {\n${methods.join("")}};\n`,
  ];

  function complain(diagnostic) {
    const form = {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (name) => name,
      getNewLine: () => "\n",
    };
    fail(ts.formatDiagnostic(diagnostic, form));
  }
}
