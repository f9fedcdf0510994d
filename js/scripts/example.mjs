// `npm run example -- NAME`: builds the packages and runs `examples/NAME.ts`.

import { readdirSync } from "node:fs";
import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";
import { at, fail } from "./lib.mjs";

const names = readdirSync(at("examples"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replace(/\.ts$/, ""));
const [name = "", ...args] = process.argv.slice(2);
if (!names.includes(name)) fail(`There is no example "${name}". Name one of: ${names.join(", ")}.`);
await build();
await runProgram(`examples/${name}.ts`, args);
