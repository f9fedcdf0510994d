// The published files of nous-integrations: complete, valid by the standard checkers, and of use without
// the frameworks that a program does not have.

import { readFileSync, rmSync } from "node:fs";
import { createPackageFromTarballData } from "@arethetypeswrong/core";
import { expect, it, onTestFinished } from "vitest";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { emptyFolder, must, run, tarball } from "./support/tarball.ts";

const MINUTES = 60_000;
const ENTRIES = [
  ...["ai-sdk", "anthropic", "client", "langgraph", "mastra", "mastra-storage", "openai-agents"],
];

it("contains the build, the manifest, the readme and the licence", async () => {
  const packed = readFileSync(await tarball("integrations"));
  const contents = createPackageFromTarballData(packed);
  const folder = "/node_modules/nous-integrations/";
  const files = contents.listFiles(folder).map((path) => path.slice(folder.length));
  expect(files.filter((path) => !path.startsWith("dist/types/")).sort()).toEqual(
    [
      "LICENSE",
      "README.md",
      ...ENTRIES.flatMap((name) => [`dist/${name}.cjs`, `dist/${name}.mjs`]),
      "package.json",
    ].sort(),
  );
  // The client and its types are inside: a program needs no server beside it.
  for (const path of files.filter((name) => /\.(mjs|cjs|d\.ts|d\.cts)$/.test(name)))
    expect(contents.readFile(folder + path)).not.toMatch(/from ["']nous-server/);
});

it("publint reports nothing, suggestions included", async () => {
  expect(await complaintsAbout("integrations")).toEqual([]);
});

it("has valid types in Node 16 and later, and in bundlers", { timeout: MINUTES }, async () => {
  const { entries, problems } = await typesOf("integrations");
  expect(problems).toEqual([]);
  expect(entries).toEqual([...ENTRIES.map((name) => `./${name}`), "./package.json"].sort());
});

it("installs nothing beside itself, and says which framework is missing", async () => {
  const project = emptyFolder();
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const flags = ["--offline", "--no-audit", "--no-fund", "--loglevel", "error"];
  await must("npm", ["install", ...flags, await tarball("integrations")], project);
  const listed = await must("npm", ["ls", "--all", "--parseable"], project);
  expect(listed.trim().split("\n").slice(1)).toEqual([expect.stringMatching(/nous-integrations$/)]);
  const program = `
    import { NousClient } from "nous-integrations/client";
    import { memoryProcessor } from "nous-integrations/mastra";
    import { NousSession } from "nous-integrations/openai-agents";
    const memory = new NousClient({ baseUrl: "http://127.0.0.1:1", agent: "a" });
    console.log(memoryProcessor(memory).id, typeof new NousSession(memory).getItems);`;
  const args = ["--input-type=module", "-e"];
  expect(await must(process.execPath, [...args, program], project)).toBe("nous-memory function\n");
  const required =
    'const { NousClient } = require("nous-integrations/client"); console.log(NousClient.name)';
  expect(await must(process.execPath, ["-e", required], project)).toBe("NousClient\n");
  const missing = await run(
    process.execPath,
    [...args, 'import "nous-integrations/ai-sdk"'],
    project,
  );
  expect(missing).toMatchObject({ status: 1, stderr: expect.stringMatching(/find package 'ai'/) });
});
