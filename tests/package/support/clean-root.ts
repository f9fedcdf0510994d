// Root folders without Rust, a compiler or a shell: Node, npm and the C libraries that Node links,
// with a Python beside them for some tests, or the files of a container image. Programs run in them
// by `chroot`, in mounts of their own.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { layOutSystem, type Node } from "../../../js/scripts/release/image.mjs";
import { emptyFolder, must } from "./tarball.ts";

/** What a program finds in an environment without anything of this machine. */
export const ENV = { PATH: "/usr/local/bin", HOME: "/root" };
/** Mounts what a container has: /proc, /dev, and, on a root that cannot be written to, /tmp and /data. */
const MOUNTS = {
  writable: `mount --rbind /proc "$1/proc"; mount --rbind /dev "$1/dev"`,
  readOnly: `mount --bind "$1" "$1"; mount --rbind /proc "$1/proc"; mount --rbind /dev "$1/dev"
    mount --bind "$2" "$1/data"; mount -t tmpfs tmpfs "$1/tmp"; mount -o remount,bind,ro "$1"`,
};
/** Root of this machine becomes another user inside; others are root of a namespace of their own. */
const isRoot = process.getuid!() === 0;

export interface Inside {
  /** The environment. */
  env: Readonly<Record<string, string>>;
  /** The number of the user, if root runs the tests. */
  user?: number;
  /** The folder at /data of a root that cannot be written to. */
  data?: string;
}

/** Starts a program of a root folder. Signals reach it. */
export function startIn(
  root: string,
  args: readonly string[],
  { env, user, data }: Inside,
): ChildProcess {
  for (const name of ["proc", "dev", "tmp", "data"])
    mkdirSync(join(root, name), { recursive: true });
  const mounts = data === undefined ? MOUNTS.writable : MOUNTS.readOnly;
  const as = isRoot && user !== undefined ? [`--userspec=${user}:${user}`] : [];
  const apart = ["--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];
  // The variables of this machine are those of `mount`, and end there.
  const script = `set -e; ${mounts}; shift 2; exec env --ignore-environment "$@"`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const inside = [...variables, "/usr/sbin/chroot", ...as, root, ...args];
  return spawn("unshare", [...apart, "sh", "-c", script, "sh", root, data ?? "", ...inside], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program of a root folder to its end, which must be a success. Returns what it printed. */
export async function runIn(root: string, args: readonly string[], how: Inside): Promise<string> {
  const child = startIn(root, args, how);
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${printed}`);
  return printed;
}

/** Makes a root folder with a Node and this machine's npm. The caller removes it. */
export async function rootWithNpm(node: Node): Promise<string> {
  const root = emptyFolder();
  layOutSystem(root, root, node);
  const found = process.env.npm_execpath ?? (await must("which", ["npm"], root)).trim();
  const npm = dirname(dirname(realpathSync(found)));
  cpSync(npm, join(root, "usr", "lib", "npm"), { recursive: true });
  // The first line of a program of npm names it. Every Unix has it.
  mkdirSync(join(root, "usr", "bin"), { recursive: true });
  cpSync("/usr/bin/env", join(root, "usr", "bin", "env"), { dereference: true });
  return root;
}

/**
 * Runs npm's installation in a root folder with npm, without a network. Returns the seconds that it
 * took.
 */
export async function installIn(root: string, ...args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const npm = ["/usr/local/bin/node", "/usr/lib/npm/bin/npm-cli.js"];
  const install = ["install", "--offline", "--no-audit", "--no-fund"];
  await runIn(root, [...npm, ...install, ...args], { env: ENV });
  return (performance.now() - begun) / 1000;
}

/** Prints where a Python has its program, its library and its pip. */
const PYTHON = `import json, os, pip, sys, sysconfig
paths = [sys.executable, sysconfig.get_path("stdlib"), os.path.dirname(pip.__file__)]
print(json.dumps([os.path.realpath(path) for path in paths]))`;
/** What the library of a Python has for tests and for other packages. */
const NOT_OF_PYTHON = /^(__pycache__|test|idlelib|(site|dist)-packages|EXTERNALLY-MANAGED)$/;

/**
 * Copies a Python with pip into a root folder, at the places that it has here, with the C libraries
 * that it links. Returns the command that starts it.
 */
export async function copyPython(python: string, root: string): Promise<string[]> {
  const [program, library, pip] = JSON.parse(await must(python, ["-c", PYTHON], root));
  cpSync(program, join(root, program));
  cpSync(library, join(root, library), {
    recursive: true,
    filter: (path) => !NOT_OF_PYTHON.test(basename(path)),
  });
  cpSync(pip, join(root, "usr", "lib", "pip", "pip"), { recursive: true });
  const modules = join(library, "lib-dynload");
  const linking = [program, ...readdirSync(modules).map((name) => join(modules, name))];
  const linked = await must("ldd", linking, root);
  for (const [, path] of linked.matchAll(/=>\s*(\/\S+) \(0x/g)) {
    mkdirSync(dirname(join(root, path!)), { recursive: true });
    copyFileSync(path!, join(root, path!));
  }
  return ["/usr/bin/env", "PYTHONPATH=/usr/lib/pip", program];
}

/** A server that runs in a root folder. */
export class ServerIn {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the server, and waits until it listens. */
  static async start(root: string, args: readonly string[], how: Inside): Promise<ServerIn> {
    const child = startIn(root, args, how);
    let [printed, logged] = ["", ""];
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      logged += text;
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => reject(new Error(`ended with ${code}: ${logged}`)));
      child.stdout!.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const [, port] = /listens on http:\S+:(\d+)/.exec(printed) ?? [];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
      });
    });
    return new ServerIn(url, child);
  }

  /** Stores a fact, and returns the title of what a question in other words finds. */
  async answer(key?: string): Promise<string> {
    const headers = {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const ask = async (call: string, body: object) => {
      const asked = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${this.url}/v1/${call}`, asked);
      if (!answer.ok) throw new Error(`${call}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    await ask("remember", { text: "Mira eats no dairy since March." });
    const { data } = await ask("search", { query: "What may Mira eat?" });
    return data[0]?.content_title;
  }

  /** Asks the server to stop. Returns its exit code. */
  stop(): Promise<number | null> {
    return new Promise((resolve) => {
      this.child.removeAllListeners("close").once("close", resolve);
      this.child.kill("SIGTERM");
    });
  }
}

export const removeRoot = (root: string) =>
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
