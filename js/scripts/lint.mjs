// `npm run lint`: checks format, lints, types, docs and dependencies, of Rust and of TypeScript.
// Warnings fail.

import { pathToFileURL } from "node:url";
import { npmIsSound } from "./audit.mjs";
import { build } from "./build.mjs";
import { hasNoCircles } from "./circles.mjs";
import { fail, runAside, say } from "./lib.mjs";
import { setUpActionlint, setUpDeny } from "./setup.mjs";

/**
 * The checks of each language, in order. The two languages run at the same time, since most checks
 * keep one core busy.
 */
const CHECKS = {
  rust: [
    ["cargo", ["fmt", "--check"]],
    [
      "cargo",
      [
        "clippy",
        ...["--locked", "--workspace", "--all-targets", "--features", "nous-wasm/benches"],
        ...["--", "-D", "warnings"],
      ],
    ],
    [
      "cargo",
      ["doc", "--locked", "--workspace", "--no-deps", "--quiet"],
      { env: { RUSTDOCFLAGS: "-D warnings" } },
    ],
    ["cargo-deny", ["--locked", "check", "licenses", "bans", "sources"]],
  ],
  typescript: [
    ["biome", ["check", "--error-on-warnings"]],
    ["tsc", ["--project", "."]],
    // Writes no reference. An undocumented, unnamed or dangling item fails.
    ["typedoc", ["--emit", "none"]],
    ["actionlint", ["-no-color"]],
  ],
};

/**
 * Runs all checks against the built package, as its users see it. Returns the names of those that
 * passed and failed. `priority` is that of `os.setPriority`. Those of Rust begin once `cargoIsFree`.
 */
export async function lint({ priority, cargoIsFree } = {}) {
  await setUpDeny();
  setUpActionlint();
  const [passed, failed] = [[], []];
  await Promise.all(
    Object.entries(CHECKS).map(async ([language, checks]) => {
      if (language === "rust") await cargoIsFree;
      for (const [command, args, options] of checks) {
        const { ok } = await runAside(command, args, { ...options, priority });
        (ok ? passed : failed).push(`${command} ${args[0]}`);
      }
    }),
  );
  say("circles of folders");
  (hasNoCircles() ? passed : failed).push("circles of folders");
  say("npm audit");
  (npmIsSound(true) ? passed : failed).push("npm audit");
  return { passed, failed };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await build();
  const { failed } = await lint();
  if (failed.length > 0)
    fail(`Not clean: ${failed.join(", ")}. \`npm run format\` fixes the format.`);
}
