// Programs written in TypeScript are bundled into .cache before they run; packages stay outside the bundle.

import { at, must } from "./lib.mjs";

/** Bundles a program and runs it with these arguments. */
export async function runProgram(source, args, nodeOptions = []) {
  const { build } = await import("esbuild");
  const outfile = at(".cache", "programs", source.replaceAll("/", "-").replace(/\.ts$/, ".mjs"));
  await build({
    entryPoints: [at(source)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  must("node", [...nodeOptions, outfile, ...args]);
}
