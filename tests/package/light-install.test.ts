// The npm packages that `npm start` installs: those that the workspaces name, and what these need.
// The lock file tells which.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./support/tarball.ts";

interface Entry {
  link?: boolean;
  resolved?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
const LOCK: Record<string, Entry> = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
).packages;

/** Returns the path of a package as a folder finds it. */
function found(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const path = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    const entry = LOCK[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (at === "") return undefined;
  }
}

/** Returns whether a package is for Linux on x64. */
const isForLinux = ({ os, cpu, libc }: Entry) =>
  (os?.includes("linux") ?? true) && (cpu?.includes("x64") ?? true) && !libc?.includes("musl");

it("npm start needs neither the tests' packages nor a compiler of types", () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const needed = new Set<string>(workspaces);
  for (const path of needed) {
    const { dependencies, devDependencies, optionalDependencies } = LOCK[path]!;
    for (const name of Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...(workspaces.includes(path) ? devDependencies : {}),
    })) {
      const at = found(path, name);
      if (at !== undefined && isForLinux(LOCK[at]!)) needed.add(at);
    }
  }
  const packages = [...needed].filter((path) => path.includes("node_modules/"));
  const named = new Set(packages.map((path) => path.replace(/^.*node_modules\//, "")));
  expect(["esbuild", "vite", "zod", "preact"].filter((name) => !named.has(name))).toEqual([]);
  const others = ["typescript", "vitest", "@biomejs/biome", "typedoc", "playwright-core"];
  expect(others.filter((name) => named.has(name))).toEqual([]);
  expect(packages.length).toBeLessThan(120);
});
