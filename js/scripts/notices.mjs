// Writes THIRD-PARTY-LICENSES.txt of a package: the licence texts of all Rust crates that are
// compiled into its .wasm.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, output } from "./lib.mjs";

/**
 * Writes the file of a crate. Cargo first downloads the sources that the build of the .wasm had no use for,
 * such as those of crates for tests: it lists no crate without its source.
 */
export function writeNotices(crate, file) {
  const parts = compiledCrates(crate).map(({ name, version, license, manifest_path }) => {
    const text = textOf(dirname(manifest_path));
    if (text === "")
      fail(
        `The crate ${name} in the .wasm has no licence text: name another source of it in js/scripts/notices.mjs.`,
      );
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const heading = `The WebAssembly module of ${crate} contains these Rust crates.\n`;
  writeFileSync(file, [heading, ...parts.sort()].join(`\n${"-".repeat(80)}\n\n`));
}

/**
 * Returns the crates of others that the module of a crate links. Leaves out macros, which run during
 * the build, and crates for tests.
 */
function compiledCrates(crate) {
  const platform = "wasm32-unknown-unknown";
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", platform];
  const metadata = output("cargo", args);
  if (metadata === undefined)
    fail(`\`cargo ${args.join(" ")}\` failed, which names the crates of the .wasm.`);
  const { packages, resolve } = JSON.parse(metadata);
  const byId = new Map(packages.map((each) => [each.id, each]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => byId.get(id).targets.some(({ kind }) => kind.includes("proc-macro"));
  const own = packages.find(({ name }) => name === crate);
  const linked = new Set([own.id]);
  for (const id of linked) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind === null) && !isMacro(pkg)) linked.add(pkg);
    }
  }
  // A crate of this workspace has no source.
  return [...linked].map((id) => byId.get(id)).filter(({ source }) => source !== null);
}

function textOf(folder) {
  const names = readdirSync(folder).filter((name) =>
    /^(licen[cs]e|copying|notice|unlicense)/i.test(name),
  );
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())
    .join("\n\n");
}
