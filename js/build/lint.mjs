// `npm run lint`: formatting and lints of both languages, and the types of everything. Warnings are failures.

import { build } from "./build.mjs";
import { fail, run, say } from "./lib.mjs";

const CHECKS = [
  ["cargo", ["fmt", "--check"]],
  ["cargo", ["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]],
  ["cargo", ["doc", "--locked", "--no-deps", "--quiet"], { env: { RUSTDOCFLAGS: "-D warnings" } }],
  ["biome", ["check", "--error-on-warnings"]],
  ["tsc", ["--project", "."]],
];

// Types and rules are checked against the built package, as its users see it.
await build();
const failed = [];
for (const [command, args, options] of CHECKS) {
  say(`${command} ${args.join(" ")}`);
  if (!run(command, args, options)) failed.push(`${command} ${args[0]}`);
}
if (failed.length > 0) fail(`Not clean: ${failed.join(", ")}. \`npm run format\` mends what is only form.`);
