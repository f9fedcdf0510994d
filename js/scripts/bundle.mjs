// Bundles TypeScript programs of the project into .cache and runs them: some of their syntax is not
// in JavaScript, and Node only strips types. npm packages stay outside the bundle.

import { spawnSync } from "node:child_process";
import { at, root } from "./lib.mjs";

/** Where minified lines break: Node prints the whole line of an uncaught error before its message. */
export const LINE_LIMIT = 400;

/** Options of esbuild for programs that Node runs. */
export const FOR_NODE = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node24",
  packages: "external",
  logLevel: "warning",
};

/** Bundles a program. Returns the path of the bundle. */
export async function bundleProgram(source) {
  const { build } = await import("esbuild");
  const outfile = at(".cache", "programs", source.replaceAll("/", "-").replace(/\.ts$/, ".mjs"));
  await build({ ...FOR_NODE, entryPoints: [at(source)], outfile });
  return outfile;
}

/** Bundles a program, runs it with these arguments, and exits with its status. */
export async function runProgram(source, args, nodeOptions = []) {
  const outfile = await bundleProgram(source);
  const { status } = spawnSync(process.execPath, [...nodeOptions, outfile, ...args], {
    cwd: root,
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}
