// The published files of nous-memory: complete, and valid by the standard checkers.

import { readFileSync } from "node:fs";
import { createPackageFromTarballData } from "@arethetypeswrong/core";
import { expect, it } from "vitest";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { tarball } from "./support/tarball.ts";

const MINUTES = 60_000;

it("contains the build, the manifest, the readme and the licence", async () => {
  const contents = createPackageFromTarballData(readFileSync(await tarball("memory")));
  const folder = "/node_modules/nous-memory/";
  const files = contents.listFiles(folder).map((path) => path.slice(folder.length));
  expect(files.filter((path) => !path.startsWith("dist/types/")).sort()).toEqual([
    "LICENSE",
    "README.md",
    "dist/index.cjs",
    "dist/index.mjs",
    "dist/moving.cjs",
    "dist/moving.mjs",
    "package.json",
  ]);
  const types = files.filter((path) => path.startsWith("dist/types/"));
  const names = (suffix: string) =>
    types.filter((path) => path.endsWith(suffix)).map((path) => path.slice(0, -suffix.length));
  expect(names(".d.ts")).toContain("dist/types/index");
  expect(names(".d.cts").sort()).toEqual(names(".d.ts").sort());
});

it("publint reports nothing, suggestions included", async () => {
  expect(await complaintsAbout("memory")).toEqual([]);
});

it("has valid types in Node 16 and later, and in bundlers", { timeout: MINUTES }, async () => {
  const { entries, problems } = await typesOf("memory");
  expect(problems).toEqual([]);
  expect(entries).toEqual([".", "./moving", "./package.json"]);
});
