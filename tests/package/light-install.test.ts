// The npm packages that `npm start` installs: those that the workspaces name, and what these need.
// The lock file tells which. The driver of PostgreSQL comes when a database is named.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { namesPostgres } from "../../js/scripts/postgres.mjs";
import { noPostgres } from "../../js/scripts/server.mjs";
import { emptyFolder, root } from "./support/tarball.ts";

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

const WORKSPACES: string[] = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
).workspaces;

/** Returns the paths of the packages that workspaces need, without packages of this repository. */
function neededBy(workspaces: readonly string[]): string[] {
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
  return [...needed].filter((path) => path.includes("node_modules/"));
}

const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

it("npm start needs neither the tests' packages, a compiler of types, nor a driver of PostgreSQL", () => {
  const packages = neededBy(WORKSPACES.filter((folder) => folder !== "js/postgres"));
  const named = new Set(packages.map(nameOf));
  expect(["esbuild", "rolldown", "zod", "preact"].filter((name) => !named.has(name))).toEqual([]);
  const others = ["typescript", "vitest", "@biomejs/biome", "typedoc", "playwright-core", "pg"];
  expect(others.filter((name) => named.has(name))).toEqual([]);
  // npm counts the links to six workspaces, too, and says 57.
  expect(packages.length).toBeLessThan(54);
});

it("with a PostgreSQL database, npm start needs its driver", () => {
  const named = neededBy(WORKSPACES).map(nameOf);
  expect(named).toEqual(expect.arrayContaining(["esbuild", "pg", "pg-copy-streams"]));
});

it.each([
  [["--database-url", "postgres://nous@db.example.org/nous"], {}],
  [["serve", "--database-url=postgresql://localhost/nous"], {}],
  [["move", "--from", "./nous-data", "--to", "postgres://db/nous"], {}],
  [[], { NOUS_DATABASE_URL: "postgres:///nous?host=/tmp" }],
  [[], { DATABASE_URL: "postgres://nous:secret@db.example.org/nous" }],
  [["--database-url-file", "nous.conf"], {}],
  [[], { NOUS_DATABASE_URL_FILE: "nous.conf" }],
  [["--config", "nous.conf"], {}],
  [["--config=nous.conf"], {}],
  [[], { NOUS_CONFIG: "nous.conf" }],
])("%j with %j names a PostgreSQL database", (args, env) => {
  const folder = emptyFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "nous.conf"), "port: 3100\ndatabase_url: postgres://db/nous\n");
  const placed = (text: string) => text.replace("nous.conf", join(folder, "nous.conf"));
  const variables = Object.entries(env).map(([name, text]) => [name, placed(text)]);
  expect(namesPostgres(args.map(placed), Object.fromEntries(variables))).toBe(true);
});

it.each([
  [[], {}],
  [["--data-dir", "postgres", "--port", "3101"], { DATABASE_URL: "mysql://another/program" }],
  [["--config", "missing.yaml"], { NOUS_CONFIG: "missing.yaml" }],
])("%j with %j names no PostgreSQL database", (args, env) => {
  expect(namesPostgres(args, env)).toBe(false);
});

it("a server that was built without the driver says what to run", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { to } from "pg-copy-streams"; import pg from "pg"; console.log(pg, to);`,
      resolveDir: root,
    },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [noPostgres],
  });
  const program = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
  await expect(import(/* @vite-ignore */ program)).rejects.toThrow(
    /no driver of PostgreSQL.*`npm run serve -- COMMAND`/,
  );
});
