// The linter refuses imports of another package's inside, and circles of folders within a package.

import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { circlesIn } from "../../js/scripts/circles.mjs";
import { emptyFolder, root } from "./support/tarball.ts";

/** Files, and what each imports. */
const REFUSED = [
  ["js/page/src/memory/one.ts", "../../../server/src/time.ts"],
  ["js/page/src/memory/two.ts", "../../../memory/src/time.ts"],
  ["js/page/one.config.ts", "../server/src/time.ts"],
  ["js/page/src/views/speed/one.ts", "../../../../../benches/js/contests.ts"],
  ["js/server/src/one.ts", "../../engine/src/instant.ts"],
  ["js/server/src/two.ts", "../../engine/dist/core.mjs"],
  ["js/memory/src/one.ts", "../../server/src/storage/rows.ts"],
  ["js/memory/src/two.ts", "../../../tests/parity/inputs/graphs.ts"],
  ["js/sample/general/one.ts", "../../server/src/time.ts"],
  ["benches/js/one.ts", "../../js/server/src/time.ts"],
  ["examples/one.ts", "../js/server/src/time.ts"],
  ["tests/parity/one.test.ts", "../../js/server/src/time.ts"],
  ["tests/package/one.test.ts", "../../js/page/src/main.tsx"],
  ["tests/server/one.test.ts", "../../js/page/src/main.tsx"],
  ["tests/server/two.test.ts", "../../js/memory/src/time.ts"],
  ["tests/kills/one.test.ts", "../../js/engine/src/core.ts"],
  ["tests/browser/one.test.ts", "../../js/page/src/main.tsx"],
  ["tests/browser/page/one.test.ts", "../../../js/server/src/time.ts"],
] as const;
const ACCEPTED = [
  ["js/page/src/memory/three.ts", "nous-memory"],
  ["js/page/src/memory/four.ts", "./lines.ts"],
  ["js/server/src/storage/three.ts", "../time.ts"],
  ["tests/parity/three.test.ts", "../../js/engine/src/core.ts"],
  ["tests/package/three.test.ts", "../../js/memory/src/time.ts"],
  ["tests/server/three.test.ts", "../../js/server/src/time.ts"],
  ["tests/kills/three.test.ts", "../../js/server/src/time.ts"],
  ["tests/browser/page/three.test.ts", "../../../js/page/src/main.tsx"],
  ["tests/browser/page/four.test.ts", "../../server/support/keys.ts"],
] as const;

let folder: string;
let refused: string;

beforeAll(() => {
  folder = emptyFolder();
  copyFileSync(join(root, "biome.json"), join(folder, "biome.json"));
  for (const [path, source] of [...REFUSED, ...ACCEPTED]) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `import { one } from "${source}";\n\none();\n`);
  }
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const options = ["--only=style/noRestrictedImports", "--max-diagnostics=none"];
  const args = [biome, "lint", ...options, "--reporter=json"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  refused = stdout;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(REFUSED)("%s may not import %s", (path) => expect(refused).toContain(`"${path}"`));

it.each(ACCEPTED)("%s may import %s", (path) => expect(refused).not.toContain(`"${path}"`));

/** An import that closes a circle of folders: the package, the file, and what it imports. */
const CLOSING = [
  ["server", "storage/rows.ts", "../api/limits.ts"],
  ["server", "storage/rows.ts", "../http/route.ts"],
  ["server", "mcp/stdio.ts", "../server.ts"],
  ["server", "agent/replica/columns.ts", "../search/filters.ts"],
  ["server", "agent/writes/edges.ts", "../handlers/edges.ts"],
  ["engine", "constants.ts", "./memory/types.ts"],
  ["page", "parts/card.tsx", "../views/ask/ask.tsx"],
  ["memory", "presets/preset.ts", "../prompt/turn-prompt.ts"],
] as const;

it.each(["embedder", "engine", "integrations", "memory", "minilm", "page", "server"])(
  "%s has no circle of folders",
  (name) => expect(circlesIn(join(root, "js", name, "src"))).toEqual([]),
);

it.each(CLOSING)("in %s, %s may not import %s", (name, file, imported) => {
  const source = join(folder, "closing", name);
  cpSync(join(root, "js", name, "src"), source, { recursive: true });
  appendFileSync(join(source, file), `\nexport type * from "${imported}";\n`);
  expect(circlesIn(source).flat()).toContainEqual(expect.stringContaining(`${file} imports `));
  rmSync(source, { recursive: true });
});
