// Scripts that start on an older Node go on with a newer one, which npm installs into .tools. Here
// npm is a program that writes the package, and the Node in it this one.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isNewEnough } from "../../js/scripts/node.mjs";
import { emptyFolder, root } from "./support/tarball.ts";

it("the versions of Node are the same in the scripts, the packages and .nvmrc", () => {
  const all = ["18.0.0", "22.99.0", "24.14.1", "24.15.0", "24.21.0", "25.9.0", "26.0.0", "27.1.0"];
  expect(all.filter(isNewEnough)).toEqual(["24.15.0", "24.21.0", "26.0.0", "27.1.0"]);
  for (const folder of [".", "js/server"]) {
    const { engines } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    expect(engines.node, folder).toBe("^24.15.0 || >=26.0.0");
  }
  expect(readFileSync(join(root, ".nvmrc"), "utf8").trim()).toBe("24");
});

describe("a script on an older Node", () => {
  const module = pathToFileURL(join(root, "js", "scripts", "node.mjs")).href;
  let folder: string;
  let env: Record<string, string | undefined>;

  beforeEach(() => {
    folder = emptyFolder();
    env = { ...process.env, npm_execpath: join(folder, "npm-cli.cjs") };
    writeNpm();
    // The program says that it runs on Node 20, unless the Node of the package runs it.
    writeFileSync(
      join(folder, "program.mjs"),
      `import { goOnWithNewNode } from ${JSON.stringify(module)};
const versions = { ...process.versions, node: process.env.IN_PACKAGE ? "24.21.0" : "20.20.2" };
Object.defineProperty(process, "versions", { value: versions });
const say = (line) => process.stderr.write(line + "\\n");
try {
  await goOnWithNewNode({ root: ${JSON.stringify(folder)}, say });
} catch ({ message }) {
  say(message);
  process.exit(1);
}
const [how] = process.argv.slice(2);
if (how === "wait") process.on("SIGTERM", () => process.exit(7)).stdout.write("waits");
else if (how === "signal") process.kill(process.pid, "SIGKILL");
else if (how === "path") console.log(process.env.PATH.split(":")[0]);
else console.log(JSON.stringify([process.argv.slice(2), process.execArgv]));
if (how === "wait") setInterval(() => {}, 1000);
if (how === "status") process.exitCode = 3;
`,
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes an npm whose package contains a Node of this version; it notes each call. */
  function writeNpm(version = "24.21.0") {
    const node = `#!/bin/sh
[ "$1" = --version ] && exec echo v${version}
IN_PACKAGE=yes exec "${process.execPath}" "$@"
`;
    writeFileSync(
      join(folder, "npm-cli.cjs"),
      `const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const [name] = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).dependencies);
mkdirSync("node_modules/" + name + "/bin", { recursive: true });
writeFileSync("node_modules/" + name + "/bin/node", ${JSON.stringify(node)}, { mode: 0o755 });
writeFileSync(${JSON.stringify(folder)} + "/call-" + Date.now(), readFileSync("package-lock.json"));
`,
    );
  }
  const calls = () => readdirSync(folder).filter((name) => name.startsWith("call-"));
  const runs = (...args: string[]) => {
    const flags = ["--no-warnings", join(folder, "program.mjs"), ...args];
    return spawnSync(process.execPath, flags, { env, encoding: "utf8" });
  };

  it("installs the package once, and runs the same program with it", () => {
    const first = runs("one", "two words");
    expect(JSON.parse(first.stdout)).toEqual([["one", "two words"], ["--no-warnings"]]);
    expect(first.stderr).toMatch(
      /^Node 20\.20\.2 is too old\. This goes on with Node 24\.\d+\.\d in \.tools \(npm .*\)\n$/,
    );
    expect(first.status).toBe(0);
    const second = runs("status");
    expect(second.stderr).toMatch(/in \.tools\n$/);
    expect(second.status).toBe(3);
    expect(calls()).toHaveLength(1);
    const { packages } = JSON.parse(readFileSync(join(folder, calls()[0]!), "utf8"));
    const [, { version, integrity }] = Object.values(packages) as [unknown, Record<string, string>];
    expect(version).toBe("24.21.0");
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(readdirSync(join(folder, ".tools"))).toEqual(["node-24.21.0"]);
  });

  it("has the newer Node first in the path of its children", () => {
    expect(runs("path").stdout).toMatch(/\/\.tools\/node-24\.21\.0\/node_modules\/[\w-]+\/bin\n$/);
  });

  it("hands signals on, and ends by the signal that ends the program", async () => {
    expect(runs("signal").signal).toBe("SIGKILL");
    const program = [join(folder, "program.mjs"), "wait"];
    const child = spawn(process.execPath, program, { env, stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([7, null]);
  });

  it.each([
    ["npm cannot install it", "process.exit(1)", /npm could not install node-linux/],
    ["it does not run", undefined, /does not run here/],
  ])("says what to do if %s", (_, npm, sentence) => {
    if (npm === undefined) writeNpm("24.0.0");
    else writeFileSync(join(folder, "npm-cli.cjs"), npm);
    const { status, stderr } = runs();
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/Install Node 24 from https:\/\/nodejs\.org, then run this again\.\n$/);
    expect(status).toBe(1);
  });
});
