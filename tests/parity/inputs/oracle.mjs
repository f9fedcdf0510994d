// The reference's answers to generated inputs, as golden files for the native tests, which cannot
// call the reference.

import { build } from "esbuild";

/**
 * Prints a JSON array with an object on each line: the results of `answersTo` of a module beside
 * this one, applied to samples from another export of it. The command line gives number and seed,
 * or the defaults apply.
 */
export async function print({ module, inputs, isRight, count: defaultCount, seed: defaultSeed }) {
  const [count = defaultCount, seed = defaultSeed] = process.argv.slice(2).map(Number);
  // Node does not read all of TypeScript: generator and reference are bundled into one module.
  const { outputFiles } = await build({
    stdin: {
      contents: `export { answersTo, ${inputs} as inputs } from "./${module}"; export { sample } from "fast-check";`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const {
    answersTo,
    inputs: arbitrary,
    sample,
  } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  const rows = sample(arbitrary.filter(isRight), { numRuns: count, seed }).map((each) =>
    JSON.stringify(answersTo(each)),
  );
  process.stdout.write(`[\n${rows.join(",\n")}\n]\n`);
}
