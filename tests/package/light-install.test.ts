// The npm packages that `npm start` installs: those that the workspaces name, and what these need.
// The lock file tells which. The driver of PostgreSQL comes when a database is named, and the sender of telemetry
// when a collector is.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { partsFor } from "../../js/scripts/parts.mjs";
import { without } from "../../js/scripts/server.mjs";
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

it("npm start needs neither the tests' packages, a compiler of types, nor what few runs need", () => {
  const apart = ["js/postgres", "js/telemetry"];
  const packages = neededBy(WORKSPACES.filter((folder) => !apart.includes(folder)));
  const named = new Set(packages.map(nameOf));
  expect(["esbuild", "rolldown", "zod", "preact"].filter((name) => !named.has(name))).toEqual([]);
  const others = ["typescript", "vitest", "@biomejs/biome", "typedoc", "playwright-core", "pg"];
  others.push("@opentelemetry/sdk-trace");
  expect(others.filter((name) => named.has(name))).toEqual([]);
  // npm counts the links to the workspaces and the repository, too, and says 63.
  expect(packages.length).toBeLessThan(55);
});

it("with a PostgreSQL database and a collector, npm start needs what speaks to them", () => {
  const named = neededBy(WORKSPACES).map(nameOf);
  const theirs = ["pg", "pg-copy-streams", "@opentelemetry/sdk-trace"];
  expect(named).toEqual(expect.arrayContaining(["esbuild", ...theirs]));
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
  expect(partsFor(args.map(placed), Object.fromEntries(variables))).toEqual(["postgres"]);
});

it.each([
  [[], {}],
  [["--data-dir", "postgres", "--port", "3101"], { DATABASE_URL: "mysql://another/program" }],
  [["--config", "missing.yaml"], { NOUS_CONFIG: "missing.yaml" }],
  [["--log-level", "info"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://x", NOUS_OTLP_ENDPOINT: "" }],
])("%j with %j names neither a PostgreSQL database nor a collector", (args, env) => {
  expect(partsFor(args, env)).toEqual([]);
});

it.each([
  [["--otlp-endpoint", "http://127.0.0.1:4318"], {}],
  [["serve", "--otlp-endpoint=http://127.0.0.1:4318"], {}],
  [[], { NOUS_OTLP_ENDPOINT: "http://127.0.0.1:4318" }],
  [["--config", "nous.conf"], {}],
])("%j with %j names a collector", (args, env) => {
  const folder = emptyFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "nous.conf");
  writeFileSync(file, "port: 3100\notlp_endpoint: http://127.0.0.1:4318\n");
  expect(
    partsFor(
      args.map((text) => text.replace("nous.conf", file)),
      env,
    ),
  ).toEqual(["telemetry"]);
});

it.each([
  ["postgres", `import { to } from "pg-copy-streams"; import pg from "pg"; console.log(pg, to);`],
  ["telemetry", `import { TracerProvider } from "@opentelemetry/sdk-trace"; new TracerProvider();`],
] as const)("a server that was built without %s says what to run", async (part, contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [without(part)],
  });
  const program = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
  await expect(import(/* @vite-ignore */ program)).rejects.toThrow(
    /has no (driver of PostgreSQL|sender of telemetry).*`npm run serve -- COMMAND`/,
  );
});
