// The guide for replacing a Hynous server (docs/compatibility.md) is followed word for word: the
// commands are read from the page, and run on a folder that is laid out as Hynous' is.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverTarball, tarball } from "../package/support/tarball.ts";
import { startProvider, vectorOf } from "./support/embedding-provider.ts";
import { raw } from "./support/existing-database.ts";
import { makeHynous } from "./support/hynous-database.ts";
import { makeFolder, removeFolder } from "./support/temporary-folder.ts";

const MINUTES = 60_000;
const DIMENSIONS = 1_536;
const MEMORIES = 60;
/** A question that Hynous compares by its vector, too. */
const QUESTION = "how does Heliotrope compare?";
const repository = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(repository, "docs", "compatibility.md"), "utf8");
const { version: VERSION } = JSON.parse(
  readFileSync(join(repository, "js", "engine", "package.json"), "utf8"),
);

/** The commands of a section of the page. */
const commandsIn = (heading: string): string[] => {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [steps = ""] = section.split(/^##/m);
  return Array.from(steps.matchAll(/^( {4}| {7})(?! )(\S.*)$/gm), ([, , command]) => command!);
};
const SWAP = commandsIn("Swap the import");
const REPLACE = commandsIn("Replace the server");
const isOfServer = (command: string) => /nous-server --compat/.test(command);

const folder = makeFolder({ onDisk: true });
const [hynous, own] = [join(folder, "hynous"), join(folder, "nous")];
const inServer = (...path: string[]) => join(hynous, "nous-server", "server", ...path);
let tarballs: string[];

beforeAll(async () => {
  tarballs = await Promise.all([tarball(), serverTarball()]);
  mkdirSync(own);
  for (const file of tarballs) copyFileSync(file, join(own, basename(file)));
  layOut();
}, 3 * MINUTES);
afterAll(() => removeFolder(folder));

/** Writes the files of Hynous that the guide is about. */
function layOut(): void {
  const files = {
    "config/default.yaml":
      'nous:\n  url: "http://localhost:3100"\n  server_dir: "nous-server/server"\n',
    "nous-server/pnpm-workspace.yaml": "packages:\n  - core\n  - server\n",
    "nous-server/package.json": JSON.stringify({ name: "nous", private: true }),
    "nous-server/core/package.json": JSON.stringify({ name: "@nous/core", version: "0.1.0" }),
    "nous-server/server/package.json": JSON.stringify({
      name: "@nous/server",
      version: "0.1.0",
      dependencies: { "@nous/core": "workspace:*" },
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(hynous, name)), { recursive: true });
    writeFileSync(join(hynous, name), text);
  }
  mkdirSync(inServer("storage"));
  const made = join(folder, "made.db");
  makeHynous(made, {
    ...{ now: Date.now(), memories: MEMORIES, trades: 0, dimensions: DIMENSIONS },
    embedded: 1,
  });
  // A server that was ended leaves its last writes in the log.
  const db = raw(made);
  db.exec("PRAGMA wal_autocheckpoint = 0");
  const vector = Buffer.from(Float32Array.from(vectorOf(QUESTION, DIMENSIONS)).buffer);
  db.prepare(
    "UPDATE nodes SET content_title = 'Heliotrope', embedding_vector = ? WHERE rowid = 1",
  ).run(vector);
  for (const end of ["", "-wal"]) copyFileSync(made + end, inServer("storage", `nous.db${end}`));
  db.close();
}

const sumsOf = (place: string) =>
  readdirSync(place, { recursive: true, encoding: "utf8" })
    .sort()
    .filter((name) => statSync(join(place, name)).isFile())
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(place, name)))
        .digest("hex"),
    ]);

/** The environment of a user's shell, with a data folder of its own and without a network. */
const env = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|node_|vitest|nous_)/i.test(name)),
  ),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NOUS_DATA_DIR: join(folder, "data"),
  OPENAI_API_KEY: "a-key",
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
});

function run(command: string, cwd: string) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
    cwd,
    env: env(),
    encoding: "utf8",
  });
  return { status, printed: stdout + stderr };
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "localhost", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** The server that a command starts, with the programs around it. */
class Started {
  readonly #process: ChildProcess;
  log = "";

  constructor(command: string) {
    this.#process = spawn("bash", ["-c", command], { cwd: own, env: env(), detached: true });
    for (const stream of [this.#process.stdout!, this.#process.stderr!])
      stream.on("data", (text) => {
        this.log += text;
      });
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#process.exitCode !== null) resolve();
      this.#process.once("exit", () => resolve());
      process.kill(-this.#process.pid!, "SIGTERM");
    });
  }
}

describe("the guide", () => {
  test(
    "installs the package in a project of npm, and says that npm refuses in Hynous' workspace",
    () => {
      const [byPnpm, byNpm] = SWAP.map((command) => command.replace(/ {2,}#.*/, ""));
      expect(byPnpm).toBe(`pnpm add ./nous-wasm-${VERSION}.tgz`);
      const install = byNpm!.replace("./", `${own}/`);
      const refused = run(install, inServer());
      expect(refused.status).not.toBe(0);
      const [, why] = /npm refuses to\s+install there \(`(\S+ \S+)`\)/.exec(page)!;
      for (const word of why!.split(" ")) expect(refused.printed).toContain(word);
      const project = join(folder, "project");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), "{}");
      expect(run(install, project)).toMatchObject({ status: 0 });
      expect(run(`node -p 'require("nous-wasm").version'`, project).printed.trim()).toBe(VERSION);
    },
    MINUTES,
  );

  test(
    "replaces the server, command after command",
    async () => {
      expect(REPLACE.length).toBeGreaterThan(6);
      expect(REPLACE.filter(isOfServer)).toHaveLength(2);
      const before = sumsOf(inServer());
      expect(before.map(([name]) => name)).toContain(join("storage", "nous.db-wal"));
      const provider = await startProvider(DIMENSIONS);
      const port = await freePort();
      const url = `http://localhost:${port}/v1`;
      const search = async (body: object) => {
        const response = await fetch(`${url}/search`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return (await response.json()) as {
          data: { content_title: string; breakdown: { semantic: number } }[];
        };
      };
      const isReady = () =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      let server: Started | undefined;
      const printed: string[] = [];
      try {
        for (const written of REPLACE) {
          const command = written
            .replaceAll("3100", String(port))
            .replaceAll("https://api.openai.com/v1", provider.url);
          if (!isOfServer(command)) {
            const done = run(command, own);
            expect({ command, ...done }).toMatchObject({ status: 0 });
            printed.push(done.printed);
            continue;
          }
          await server?.end();
          expect(await isReady()).toBe(false);
          server = new Started(command);
          await expect.poll(isReady, { timeout: MINUTES, message: server.log }).toBe(true);
          const { data } = await search({ query: QUESTION });
          expect(data.map((node) => node.content_title)).toContain("Heliotrope");
          const hasVectors = command.includes("openai-compatible");
          expect(data.some(({ breakdown }) => breakdown.semantic > 0)).toBe(hasVectors);
          expect(server.log.includes(`vectors of ${DIMENSIONS} components`)).toBe(!hasVectors);
          if (hasVectors) {
            expect(provider.asked.at(-1)).toMatchObject({
              model: "text-embedding-3-small",
              authorization: "Bearer a-key",
            });
          }
          // A second server at the port is told of Hynous' own.
          const second = run(command, own);
          expect(second.status).toBe(1);
          expect(second.printed).toContain("is in use");
          expect(second.printed).toContain("Hynous starts its own server again");
        }
      } finally {
        await server?.end();
      }
      const all = printed.join("\n");
      // What `adopt` says names the command of the page.
      for (const part of [`vectors of ${DIMENSIONS} components`, "text-embedding-3-small"])
        expect(all).toContain(part);
      const { node_count } = JSON.parse(/\{.*"node_count".*\}/.exec(all)![0]);
      expect(node_count).toBe(MEMORIES + 3);
      expect(all).toMatch(/default: .*sound/);
      expect(sumsOf(inServer())).toEqual(before);
      // Hynous starts no server from a folder without a package.
      const [, place] = /server_dir: "(.*)"/.exec(
        readFileSync(join(hynous, "config", "default.yaml"), "utf8"),
      )!;
      expect(existsSync(join(hynous, place!, "package.json"))).toBe(false);
    },
    5 * MINUTES,
  );
});
