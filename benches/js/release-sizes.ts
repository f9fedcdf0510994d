// `npm run bench -- --release`: measures the files of a release, and what an installation of each
// adds: bytes, and packages. Ends with 1 if one is above its bar. Makes the files by `npm run
// release -- --dry-run`; `--from FOLDER` measures those that are there. The packages that the
// Python client needs come from PyPI.

import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { Command } from "commander";
import { table, writeFigures } from "../results.ts";

const options = new Command("bench --release")
  .option("--from <folder>", "the folder of a release's files, in place of a dry run")
  .option("--only <text>", "only files whose name contains this text")
  .option("--no-write", "leave benches/results/ and docs/ alone")
  .parse()
  .opts<{ from?: string; only?: string; write: boolean }>();

/** Megabytes, and packages that an installation adds. */
interface Sizes {
  file: number;
  installed?: number;
  packages?: number;
}

/** The most that the files of a release may have, by their names without version and processor. */
const BARS: Readonly<Record<string, Sizes>> = {
  "nous-wasm.tgz": { file: 2.3, installed: 6, packages: 1 },
  "nous-embedder.tgz": { file: 9, installed: 17, packages: 2 },
  "nous-memory.tgz": { file: 0.3, installed: 7, packages: 2 },
  "nous-minilm.tgz": { file: 16, installed: 18, packages: 1 },
  "nous-e5.tgz": { file: 32, installed: 35, packages: 1 },
  "nous-integrations.tgz": { file: 0.12, installed: 0.6, packages: 1 },
  "nous-server.tgz": { file: 34, installed: 50, packages: 1 },
  "nous-server.oci.tar": { file: 88, installed: 195 },
  "nous_memory_client.whl": { file: 0.1, installed: 4, packages: 11 },
  "nous_memory_client.tar.gz": { file: 0.1 },
};
const COLUMNS = ["file", "installed", "packages"] as const;
/** What a name has between its package and its ending. */
const VERSION = /-\d+\.\d+\.\d+(-py3-none-any|-linux-[a-z0-9]+)?(?=\.(tgz|tar|oci|whl))/;

const HOW = `\`npm run bench -- --release\`: megabytes of the files of a release, and what an
installation into an empty folder adds: megabytes of files, and packages, with those that a file
needs. npm installs from the files alone, and pip from PyPI, too. Of the image, *installed* are its
unpacked layers. In brackets is the bar of each, above which the bench fails. The machine's load
over the last minute was`;

const work = mkdtempSync(join(tmpdir(), "nous-bench-"));
try {
  const release = options.from === undefined ? dryRun() : resolve(options.from);
  const rows = Object.entries(BARS)
    .filter(([name]) => name.includes(options.only ?? ""))
    .map(([name, bars]) => [name, ...cellsOf(name, fileOf(release, name), bars)]);
  const text = table(["", "MB", "installed, MB", "packages"], rows);
  console.log(text);
  if (options.write && options.only === undefined)
    writeFigures({
      name: "sizes",
      title: "Sizes of a release",
      how: HOW,
      load: loadavg()[0]!.toFixed(1),
      text,
      mark: "sizes of a release",
    });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Makes the files of a release. Returns their folder. */
function dryRun(): string {
  const to = join(work, "release");
  run(process.execPath, ["js/scripts/release.mjs", "--dry-run", "--out", to]);
  return to;
}

/** Returns the path of a file of a release. Throws if it is not there, or if another has no bar. */
function fileOf(release: string, name: string): string {
  const files = readdirSync(release).filter((file) => VERSION.test(file));
  const nameOf = (file: string) => file.replace(VERSION, "");
  const more = files.find((file) => !(nameOf(file) in BARS));
  if (more !== undefined)
    throw new Error(`${more} has no bar: add it to benches/js/release-sizes.ts`);
  const found = files.find((file) => nameOf(file) === name);
  if (found === undefined) throw new Error(`${release} has no version of ${name}`);
  return join(release, found);
}

/** Returns the sizes of a file beside their bars, and says which are above. */
function cellsOf(name: string, file: string, bars: Sizes): string[] {
  const sizes = measured(file);
  return COLUMNS.map((what) => {
    const [size, bar] = [sizes[what], bars[what]];
    if (size === undefined || bar === undefined) return "";
    const shown = Number.isInteger(size) ? String(size) : size.toPrecision(3);
    if (size > bar) {
      console.error(`${name}: ${what} is ${shown}, above its bar of ${bar}`);
      process.exitCode = 1;
    }
    return `${shown} (${bar})`;
  });
}

function measured(file: string): Sizes {
  const bytes = { file: statSync(file).size / 1e6 };
  if (file.endsWith(".oci.tar")) return { ...bytes, ...unpacked(file) };
  if (file.endsWith(".whl")) return { ...bytes, ...installedByPip(file) };
  return file.endsWith(".tgz") ? { ...bytes, ...installedByNpm(file) } : bytes;
}

/** Installs a package, and those of the same release that it needs, without a network. */
function installedByNpm(file: string): Partial<Sizes> {
  const folder = mkdtempSync(join(work, "npm-"));
  const text = run("tar", ["-xzOf", file, "package/package.json"]);
  const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(text);
  const needed = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
  const files = needed.map((name) => fileOf(join(file, ".."), `${name}.tgz`));
  const flags = ["--prefix", folder, "--offline", "--no-audit", "--no-fund"];
  const said = run("npm", ["install", ...flags, file, ...files]);
  const packages = Number(/^added (\d+) packages? /m.exec(said)![1]);
  return { installed: megabytesIn(join(folder, "node_modules")), packages };
}

/** Installs a Python package with those that it needs. */
function installedByPip(file: string): Partial<Sizes> {
  const folder = mkdtempSync(join(work, "pip-"));
  const [environment, to] = [join(folder, "environment"), join(folder, "installed")];
  run(process.env.PYTHON ?? "python3", ["-m", "venv", environment]);
  const flags = ["--quiet", "--no-compile", "--target", to];
  run(join(environment, "bin", "python"), ["-m", "pip", "install", ...flags, file]);
  const packages = readdirSync(to).filter((name) => name.endsWith(".dist-info")).length;
  return { installed: megabytesIn(to), packages };
}

/** Returns the megabytes of an image's layers. */
function unpacked(file: string): Partial<Sizes> {
  const folder = mkdtempSync(join(work, "image-"));
  run("tar", ["-xf", file, "-C", folder]);
  const blob = (digest: string) => readFileSync(join(folder, "blobs", ...digest.split(":")));
  const [{ digest }] = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")).manifests;
  const { layers } = JSON.parse(blob(digest).toString("utf8"));
  const lengths = layers.map((layer: { digest: string }) => gunzipSync(blob(layer.digest)).length);
  return { installed: lengths.reduce((sum: number, length: number) => sum + length) / 1e6 };
}

function megabytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)))
    .filter((entry) => entry.isFile());
  return entries.reduce((sum, { size }) => sum + size, 0) / 1e6;
}

/** Runs a program that must succeed; returns its output. */
function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
