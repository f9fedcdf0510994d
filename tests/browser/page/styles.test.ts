// The styles of the page: names of classes are global, so that each has its rules in one file, or
// below the root of a view.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FOLDER = new URL("../../../js/page/src/styles/", import.meta.url);

test("no class has rules in two files", () => {
  const files = readdirSync(fileURLToPath(FOLDER)).filter((name) => name.endsWith(".css"));
  const filesOf = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(new URL(file, FOLDER), "utf8");
    // Selectors begin a line, also within a media query.
    for (const [, name] of text.matchAll(/^\s*\.([\w-]+)/gm)) {
      const known = filesOf.get(name!) ?? new Set();
      filesOf.set(name!, known.add(file));
    }
  }
  expect(filesOf.size).toBeGreaterThan(100);
  const shared = [...filesOf].filter(([, of]) => of.size > 1).map(([name, of]) => [name, ...of]);
  expect(shared).toEqual([]);
});
