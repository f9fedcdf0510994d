// The package as users get it: packed by npm, and installed into an empty project outside this
// repository.

import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { packNpm } from "../../../js/scripts/release/npm.mjs";
import { currentVersion } from "../../../js/scripts/release/versions.mjs";

/** The root of this repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The packages for any environment, by their folders below `js`. */
export type PackageFolder = "e5" | "engine" | "embedder" | "integrations" | "memory" | "minilm";
/** A file of the build of each. */
const BUILT = {
  e5: "LICENSE",
  engine: "dist/nous_wasm.wasm",
  embedder: "dist/node.cjs",
  integrations: "dist/types/client.d.ts",
  memory: "dist/index.cjs",
  minilm: "dist/node.cjs",
};
const PACKED = join(root, ".cache", "package");
/** How long tarballs are kept that no suite asks for, in milliseconds. */
const KEPT = 60 * 60_000;

/** The result of a program. */
export interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program without the environment variables that npm and vitest set for child processes. */
export function run(program: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|node_|vitest)/i.test(name)),
  );
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ status, stdout, stderr: status === 0 || stderr ? stderr : String(error) });
    });
  });
}

/** Runs a program that must succeed; returns its output. */
export async function must(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(program, args, cwd);
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** The tarball of a package, made by `npm pack`; packed once for each state of the package. */
export async function tarball(of: PackageFolder = "engine"): Promise<string> {
  const source = join(root, "js", of);
  if (!existsSync(join(source, BUILT[of]))) {
    throw new Error(
      `js/${of}/dist is missing: run \`npm run build\` before the tests of the package.`,
    );
  }
  const { name, version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  return packedOnce(stateOf(source), `${name}-${version}.tgz`, async (to) => {
    await must("npm", ["pack", "--pack-destination", to, "--loglevel", "error"], source);
  });
}

/** The server's tarball of a release, which bundles the packages that it needs. */
export function serverTarball(): Promise<string> {
  const folders = ["engine", "embedder", "memory", "minilm", "server"];
  const states = folders.map((folder) => stateOf(join(root, "js", folder)));
  const state = createHash("sha256").update(states.join()).digest("hex").slice(0, 16);
  return packedOnce(state, `nous-server-${currentVersion()}.tgz`, (to) => {
    const work = mkdtempSync(join(PACKED, "packing-"));
    packNpm({ to, work, folders });
    rmSync(work, { recursive: true });
  });
}

/** Returns the path of a file in a folder that `pack` fills once for each state of what it packs. */
async function packedOnce(
  state: string,
  name: string,
  pack: (to: string) => void | Promise<void>,
): Promise<string> {
  const folder = join(PACKED, state);
  const packed = join(folder, name);
  if (existsSync(packed)) {
    // In use: another suite that packs leaves it there.
    const now = new Date();
    utimesSync(folder, now, now);
    return packed;
  }
  mkdirSync(PACKED, { recursive: true });
  for (const name of readdirSync(PACKED)) {
    const path = join(PACKED, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT) rmSync(path, { recursive: true });
  }
  // Suites may run concurrently: each packs for itself, and all use the first result.
  const own = mkdtempSync(join(PACKED, "packing-"));
  await pack(own);
  try {
    renameSync(own, folder);
  } catch {
    rmSync(own, { recursive: true });
  }
  return packed;
}

function stateOf(source: string): string {
  const hash = createHash("sha256");
  const add = (path: string) => {
    if (statSync(path).isDirectory())
      for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(relative(source, path)).update("\0").update(readFileSync(path)).update("\0");
  };
  for (const name of readdirSync(source).sort())
    if (name !== "src" && name !== "node_modules") add(join(source, name));
  return hash.digest("hex").slice(0, 16);
}

/** A project in a temporary folder that contains only these packages. */
export class Project {
  private constructor(readonly dir: string) {}

  /** Creates a project with `nous-wasm`, and with others that need it. */
  static async create(...others: PackageFolder[]): Promise<Project> {
    const project = new Project(emptyFolder());
    project.write(
      "package.json",
      JSON.stringify({ name: "a-project", private: true, version: "1.0.0" }),
    );
    const flags = ["--offline", "--no-audit", "--no-fund", "--loglevel", "error"];
    const packed = await Promise.all(["engine" as const, ...others].map(tarball));
    await must("npm", ["install", ...flags, ...packed], project.dir);
    return project;
  }

  /** A path in the project. */
  at(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  /** A path in the installed package `nous-wasm`. */
  installed(...parts: string[]): string {
    return this.at("node_modules", "nous-wasm", ...parts);
  }

  /** Writes a file; returns its path. */
  write(name: string, text: string | Uint8Array): string {
    const path = this.at(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Writes a program and runs it with Node; returns its output. */
  node(name: string, source: string, ...flags: string[]): Promise<string> {
    return must(process.execPath, [...flags, this.write(name, source)], this.dir);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A new folder outside this repository, for the caller to remove. */
export function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "nous-wasm-")));
}

/** The probe as JavaScript: a module that exports `probe`. */
export function probeSource(format: "esm" | "cjs" = "esm"): string {
  const source = readFileSync(join(root, "tests", "package", "support", "probe.ts"), "utf8");
  return transformSync(source, { loader: "ts", format, target: "es2022" }).code;
}

/** Node's answers to the probe, with `import`: the expected answers of all environments. */
export async function answerOfNode(project: Project): Promise<string> {
  project.write("probe.mjs", probeSource());
  const program = `import * as nous from "nous-wasm";\nimport { probe } from "./probe.mjs";\nprocess.stdout.write(probe(nous));\n`;
  return project.node("answer.mjs", program);
}

/**
 * Runs a function of the build scripts in a child process, which it may end; returns the result.
 */
export function fromBuild(name: "buildCounted" | "setUpChromium"): Promise<string> {
  const file = name === "buildCounted" ? "build.mjs" : "setup.mjs";
  const program = `import { ${name} } from "./js/scripts/${file}"; console.log((await ${name}()) ?? "");`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, name], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve(printed.trim().split("\n").at(-1) ?? "");
      else reject(new Error(`${name}() of js/scripts/${file} failed; its output is above.`));
    });
  });
}
