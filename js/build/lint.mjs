// `npm run lint`: formatting and lints of both languages, the types of everything, and what it all depends on. Warnings are
// failures.

import { npmIsSound } from "./audit.mjs";
import { build } from "./build.mjs";
import { fail, run, say } from "./lib.mjs";
import { setUpDeny } from "./setup.mjs";

const CHECKS = [
  ["cargo", ["fmt", "--check"]],
  ["cargo", ["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]],
  ["cargo", ["doc", "--locked", "--no-deps", "--quiet"], { env: { RUSTDOCFLAGS: "-D warnings" } }],
  ["cargo-deny", ["--locked", "check", "licenses", "bans", "sources"]],
  ["biome", ["check", "--error-on-warnings"]],
  ["tsc", ["--project", "."]],
];

// Types and rules are checked against the built package, as its users see it.
await build();
setUpDeny();
const failed = [];
for (const [command, args, options] of CHECKS) {
  say(`${command} ${args.join(" ")}`);
  if (!run(command, args, options)) failed.push(`${command} ${args[0]}`);
}
say("npm audit");
if (!npmIsSound(true)) failed.push("npm audit");
if (failed.length > 0) fail(`Not clean: ${failed.join(", ")}. \`npm run format\` mends what is only form.`);
