// Which suites a change can break: the rules of `npm test -- --changed`.

import { fail, output } from "./lib.mjs";

/** The suites of `npm test`. */
export const SUITES = [
  ...["rust", "parity", "package", "server", "postgres", "kills", "browser", "python"],
];

/** The one that `npm run test:full` runs besides, and `--changed` after a change of what it tests. */
export const OF_FULL = ["benches"];

/**
 * The suites that files can break, by the beginning of their paths. The first rule that fits a file
 * applies; a file without a rule can break all. `lint` always runs.
 */
export const RULES = [
  // The suite of the server that reads them runs their blocks, too.
  {
    files: ["docs/", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
    run: ["docs"],
  },
  { files: [".ci/", ".github/", "LICENSE"], run: [] },
  { files: ["clients/python/"], run: ["python"] },
  { files: ["deploy/"], run: ["server", "package"] },
  { files: ["examples/"], run: ["docs", "package"] },
  { files: ["tests/browser/", "js/page/"], run: ["browser"] },
  { files: ["tests/kills/"], run: ["kills"] },
  { files: ["tests/native/"], run: ["rust"] },
  { files: ["tests/package/"], run: ["package"] },
  { files: ["tests/parity/quality.", "tests/parity/rivals"], run: ["benches"] },
  { files: ["tests/parity/"], run: ["parity", "benches"] },
  { files: ["tests/server/plain-server."], run: ["benches"] },
  // The kills and the browser use its helpers.
  { files: ["tests/server/support/"], run: ["server", "postgres", "kills", "browser"] },
  { files: ["tests/server/"], run: ["server", "postgres"] },
  // Tests of the engine use the inputs of the benches.
  { files: ["benches/"], run: ["benches", "rust", "parity", "package"] },
  { files: ["js/sample/"], run: ["benches", "parity", "package", "server", "browser"] },
  { files: ["js/server/src/storage/"], run: ["server", "postgres", "kills", "browser"] },
  { files: ["js/server/src/api/"], run: ["server", "postgres", "browser", "python"] },
  { files: ["js/server/"], run: ["server", "postgres", "browser"] },
  { files: ["js/integrations/"], run: ["server", "package"] },
  { files: ["js/memory/"], run: ["parity", "package", "server", "postgres", "browser"] },
  { files: ["crates/minilm/"], run: ["rust", "package", "browser"] },
  { files: ["crates/unigram/"], run: ["rust", "package", "browser"] },
  { files: ["js/minilm/", "js/e5/"], run: ["rust", "package", "server", "browser"] },
  { files: ["tests/golden/minilm/", "tests/golden/e5/"], run: ["rust", "package", "browser"] },
  { files: ["js/embedder/"], run: ["parity", "package", "server", "browser"] },
];

/** Returns the suites that changes of these files can break; `docs` and `OF_FULL` are among them. */
export function suitesOf(paths) {
  const all = [...SUITES, ...OF_FULL];
  const broken = new Set(
    paths.flatMap((path) => {
      const rule = RULES.find(({ files }) => files.some((beginning) => path.startsWith(beginning)));
      return rule === undefined ? all : rule.run;
    }),
  );
  // The server's suite has the test of the docs.
  if (broken.has("server")) broken.delete("docs");
  return [...all, "docs"].filter((suite) => broken.has(suite));
}

/**
 * Returns the paths of the files that differ from a commit, or else from where this branch left
 * `main`; new files are among them. Exits if there is no such commit.
 */
export function changedSince(base) {
  const from = base ?? output("git", ["merge-base", "main", "HEAD"]) ?? "HEAD";
  const differing = output("git", ["diff", "--name-only", "--no-renames", from, "--"]);
  if (differing === undefined)
    fail(`There is no commit "${from}": name one, for example \`npm test -- --changed HEAD~1\`.`);
  const added = output("git", ["ls-files", "--others", "--exclude-standard"]);
  return [...new Set(`${differing}\n${added}`.split("\n"))].filter((path) => path !== "").sort();
}
