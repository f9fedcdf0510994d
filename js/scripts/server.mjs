// Builds nous-server: the program, and the scripts of its threads (agents, PostgreSQL, purge, backups,
// sentence transformer). npm packages are bundled, since loading hundreds of small files would be most of a
// start. The `dependencies` of the manifest stay outside the bundle.

import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { FOR_NODE, LINE_LIMIT } from "./bundle.mjs";
import { writeClient } from "./client.mjs";
import { at, fail, root } from "./lib.mjs";
import { hasPart, PARTS } from "./parts.mjs";

const SERVER = at("js", "server");
const LICENCES = join(SERVER, "THIRD-PARTY-LICENSES.txt");

/** Leaves out the messages of zod in some fifty languages: the server uses the English ones. */
const englishAlone = {
  name: "english-alone",
  setup(build) {
    const contents = `export { default as en } from "./en.js";`;
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
  },
};

/** Exports of Node's `http` that load a whole client of HTTP when they are read. */
const OF_CLIENT = ["WebSocket", "CloseEvent", "MessageEvent"];

/**
 * Loads Node's `http` by a call. An import would read each of its exports, and so load that client,
 * which takes a twelfth of the processor time of a start.
 */
const httpByCall = {
  name: "http-by-call",
  setup(build) {
    const names = Object.keys(http).filter((name) => !OF_CLIENT.includes(name));
    const contents = `
      const http = process.getBuiltinModule("node:http");
      export default http;
      export const { ${names.join(", ")} } = http;`;
    build.onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "http", namespace: "http" }));
    build.onLoad({ filter: /./, namespace: "http" }, () => ({ contents }));
  },
};

/** A part of the server that it was built without: its modules tell that when they are loaded. */
export const without = (name) => ({
  name: `without-${name}`,
  setup(build) {
    const { imports, what } = PARTS[name];
    const why = `This build of nous-server has no ${what}. Run the command by \`npm run serve -- COMMAND\`, or run \`npm run build\` first.`;
    // As CommonJS, a module may be asked for any name.
    const contents = `module.exports = {}; throw new Error(${JSON.stringify(why)});`;
    build.onResolve({ filter: imports }, ({ path }) => ({ path, namespace: name }));
    build.onLoad({ filter: /./, namespace: name }, () => ({ contents }));
  },
});

/** Writes the package; the types of its client if `hasTypes`. */
export async function writeServer(bundle, hasTypes) {
  const { version, dependencies, peerDependencies } = manifestIn(SERVER);
  const out = join(SERVER, "dist");
  rmSync(out, { recursive: true, force: true });
  const { metafile } = await bundle({
    ...FOR_NODE,
    absWorkingDir: root,
    packages: "bundle",
    // A driver in C that `pg` can use, if it is there.
    external: [...Object.keys(dependencies), ...Object.keys(peerDependencies), "pg-native"],
    plugins: [
      englishAlone,
      httpByCall,
      ...Object.keys(PARTS)
        .filter((name) => !hasPart(name))
        .map(without),
    ],
    // Its main file loads parts by computed names, which no bundle can hold.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    metafile: true,
    // CommonJS packages load Node's modules with `require`.
    banner: {
      js: `import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);`,
    },
    entryPoints: {
      cli: join(SERVER, "src", "cli.ts"),
      worker: join(SERVER, "src", "workers", "worker.ts"),
      "postgres-thread": join(SERVER, "src", "storage", "postgres", "thread.ts"),
      "backup-thread": join(SERVER, "src", "backups", "thread.ts"),
      "scrub-thread": join(SERVER, "src", "storage", "scrub-thread.ts"),
      "transformer-thread": join(SERVER, "src", "embeddings", "transformer-thread.ts"),
    },
    outdir: out,
    splitting: true,
    // Names stay, so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: LINE_LIMIT,
    outExtension: { ".js": ".mjs" },
    define: { __VERSION__: JSON.stringify(version) },
  });
  chmodSync(join(out, "cli.mjs"), 0o755);
  writeFileSync(LICENCES, licencesOf(metafile));
  copyFileSync(at("LICENSE"), join(SERVER, "LICENSE"));
  await writeClient(bundle, out, hasTypes);
}

export const manifestIn = (folder) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Packages without the text of their licence, and a package of the same project that contains it.
 */
const SAME_PROJECT = { "@hono/zod-openapi": "hono", "@hono/zod-validator": "hono" };

/** Returns the copyright notices and licence texts of the packages in a bundle. */
function licencesOf({ outputs }) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
  const folders = inputs.flatMap(
    (path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? [],
  );
  return licencesIn("nous-server", new Set(folders));
}

/** Returns the copyright notices and licence texts of npm packages that a program contains. */
export function licencesIn(program, packages) {
  const parts = [...packages].map((folder) => {
    const { name, version, license } = manifestIn(at(folder));
    const text =
      textOf(at(folder)) ||
      (name in SAME_PROJECT ? textOf(at("node_modules", SAME_PROJECT[name])) : "") ||
      sectionOf(at(folder));
    if (text === "")
      fail(
        `The package ${name} in ${program} has no licence text: name another source of it in js/scripts/server.mjs.`,
      );
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return [`${program} contains these packages.\n`, ...parts.sort()].join(`\n${"-".repeat(80)}\n\n`);
}

function textOf(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return names.map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n\n");
}

/**
 * Returns the section about the licence in a package's README, or "" if the README has none that
 * contains a notice of copyright.
 */
function sectionOf(folder) {
  const readme = readdirSync(folder).find((name) => /^readme(\.md)?$/i.test(name));
  if (readme === undefined) return "";
  const [, section = ""] = readFileSync(join(folder, readme), "utf8").split(/^#+ *licen[cs]e *$/im);
  return /copyright/i.test(section) ? section.trim() : "";
}
