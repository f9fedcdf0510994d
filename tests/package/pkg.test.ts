// The folder `pkg`: the npm package of the crate alone, as wasm-pack makes it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { must, root } from "./support/tarball.ts";

it("pkg is packed with its module, glue, types, README and licence", async () => {
  const folder = join(root, "pkg");
  const [{ name, files }] = JSON.parse(await must("npm", ["pack", "--dry-run", "--json"], folder));
  expect(name).toBe("nous-wasm");
  const paths = files.map(({ path }: { path: string }) => path);
  expect(paths.filter((path: string) => !path.startsWith("snippets/")).sort()).toEqual([
    "LICENSE",
    "README.md",
    "nous_wasm.d.ts",
    "nous_wasm.js",
    "nous_wasm_bg.js",
    "nous_wasm_bg.wasm",
    "package.json",
  ]);
  const { main, types } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect([main, types]).toEqual(["nous_wasm.js", "nous_wasm.d.ts"]);
  // The module of nous-wasm is this one.
  const module = readFileSync(join(folder, "nous_wasm_bg.wasm"));
  expect(module.equals(readFileSync(join(root, "js/engine/dist/nous_wasm.wasm")))).toBe(true);
});
