// Programs written in TypeScript are bundled into .cache before they run; packages stay outside the
// bundle.

import { spawnSync } from "node:child_process";
import { at, root } from "./lib.mjs";

/** How what Node runs is bundled. */
export const FOR_NODE = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
};

/** Bundles a program; the answer is where it is then. */
export async function bundleProgram(source) {
  const { build } = await import("esbuild");
  const outfile = at(".cache", "programs", source.replaceAll("/", "-").replace(/\.ts$/, ".mjs"));
  await build({ ...FOR_NODE, entryPoints: [at(source)], outfile });
  return outfile;
}

/** Bundles a program, runs it with these arguments, and ends as it ends. */
export async function runProgram(source, args, nodeOptions = []) {
  const outfile = await bundleProgram(source);
  const { status } = spawnSync(process.execPath, [...nodeOptions, outfile, ...args], {
    cwd: root,
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}
