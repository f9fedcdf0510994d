// `npm test -- --changed`: which suites run for which changed files.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./support/tarball.ts";

let changed: {
  SUITES: readonly string[];
  OF_FULL: readonly string[];
  RULES: readonly { files: readonly string[]; run: readonly string[] }[];
  suitesOf(paths: readonly string[]): string[];
  changedSince(base?: string): string[];
};

beforeAll(async () => {
  changed = await import(pathToFileURL(join(root, "js", "scripts", "changed.mjs")).href);
});

describe("changed files", () => {
  it.each([
    [["docs/server.md", "README.md"], ["docs"]],
    [["js/page/src/views/ask/view.tsx"], ["browser"]],
    [["js/sample/trader/lines.ts"], ["parity", "package", "server", "browser", "benches"]],
    [["js/server/src/http/app.ts"], ["server", "postgres", "browser"]],
    [["js/server/src/api/search.ts"], ["server", "postgres", "browser", "python"]],
    [["clients/python/pyproject.toml"], ["python"]],
    [["js/server/src/storage/files.ts"], ["server", "postgres", "kills", "browser"]],
    [
      ["tests/server/keys.test.ts", "docs/server.md"],
      ["server", "postgres"],
    ],
    [["tests/server/plain-server.test.ts"], ["benches"]],
    [
      ["tests/native/memory.rs", "tests/kills/kills.test.ts"],
      ["rust", "kills"],
    ],
    [[".github/workflows/test.yml", "LICENSE"], []],
    [[], []],
  ])("%j can break %j", (paths, suites) => {
    expect(changed.suitesOf(paths)).toEqual(suites);
  });

  it.each([
    "src/memory/answer.rs",
    "Cargo.lock",
    "js/engine/src/core.ts",
    "js/scripts/test.mjs",
    "package-lock.json",
    "tests/support/amount.ts",
    "js/reference/query.ts",
    "a file without a rule",
  ])("%s can break every suite", (path) => {
    expect(changed.suitesOf([path])).toEqual([...changed.SUITES, ...changed.OF_FULL]);
  });
});

it("every rule is of files that exist, and of known suites", () => {
  const known = [...changed.SUITES, ...changed.OF_FULL, "docs"];
  for (const { files, run } of changed.RULES) {
    expect(run.filter((suite) => !known.includes(suite))).toEqual([]);
    // A beginning of file names, such as `tests/parity/quality.`, has no file of its own.
    const folders = files.filter((file) => !/\/[^/]+\.$|rivals$/.test(file));
    expect(folders.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  }
});

it("the first rule that fits decides, and none is behind a wider one", () => {
  const beginnings = changed.RULES.flatMap(({ files }) => files);
  for (const [place, file] of beginnings.entries())
    expect(beginnings.slice(0, place).filter((wider) => file.startsWith(wider))).toEqual([]);
});
