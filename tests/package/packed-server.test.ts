// The packed server: it includes its bundled packages and their licences, and it runs with only the
// packages of its manifest.

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyFolder, must, root, run } from "./support/tarball.ts";

const MINUTES = 60_000;
const DEPENDENCIES = ["nous-embedder", "nous-memory", "nous-minilm", "nous-wasm"];
/** Packages that a setting needs. */
const OPTIONAL = ["nous-e5"];
/** Licences that only require attribution. */
const LICENCES = ["Apache-2.0", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT"];

let project: string;
const installed = (...parts: string[]) => join(project, "node_modules", "nous-server", ...parts);
const read = (...parts: string[]) => readFileSync(installed(...parts), "utf8");

beforeAll(async () => {
  project = emptyFolder();
  mkdirSync(installed(), { recursive: true });
  const server = join(root, "js", "server");
  await must("npm", ["pack", "--pack-destination", project, "--loglevel", "error"], server);
  const [packed] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
  await must(
    "tar",
    ["-xzf", join(project, packed!), "--strip-components=1", "-C", installed()],
    project,
  );
  for (const name of DEPENDENCIES) {
    symlinkSync(
      realpathSync(join(root, "node_modules", name)),
      join(project, "node_modules", name),
    );
  }
}, MINUTES);

afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }));

/** Name, version and licence of each listed package. */
const noticesOf = () => [
  ...read("THIRD-PARTY-LICENSES.txt").matchAll(/^-{80}\n\n(\S+) (\S+) \((.+)\)\n\n(.+)/gm),
];

describe("the packed server", () => {
  it("contains the build, the manifest, the documents, and the licences of its bundled packages", () => {
    const files = [
      "LICENSE",
      "README.md",
      "THIRD-PARTY-LICENSES.txt",
      "bin",
      "dist",
      "package.json",
    ];
    expect(readdirSync(installed()).sort()).toEqual(files);
    expect(readdirSync(installed("dist", "types")).sort()).toEqual(["client.d.ts", "types.d.ts"]);
  });

  it("imports only the packages of its manifest", () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      read("package.json"),
    );
    const sources = readdirSync(installed("dist")).filter((name) => name.endsWith(".mjs"));
    const texts = sources.map((name) => read("dist", name)).join("\n");
    const imports = [
      ...texts.matchAll(/(?:\bfrom|\bimport\(|^import|;import)"([@\w][^"\s]*)"/gm),
    ].map(([, name]) => name!);
    // A package may have several entries.
    const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0];
    const packages = new Set(imports.filter((name) => !isBuiltin(name)).map(packageOf));
    expect([...packages].sort()).toEqual([...OPTIONAL, ...DEPENDENCIES].sort());
    expect(Object.keys(dependencies)).toEqual(DEPENDENCIES);
    expect(Object.keys(peerDependencies)).toEqual(OPTIONAL);
    for (const name of OPTIONAL) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  });

  it("lists the version, the licence and its text for each bundled package", () => {
    const manifestOf = (folder: string) =>
      JSON.parse(readFileSync(join(root, "js", folder, "package.json"), "utf8"));
    const bundled = {
      ...manifestOf("server").devDependencies,
      ...manifestOf("postgres").dependencies,
      ...manifestOf("telemetry").dependencies,
    };
    const versions = Object.fromEntries(noticesOf().map(([, name, version]) => [name, version]));
    expect(versions).toMatchObject(bundled);
    expect(versions).toHaveProperty("@asteasolutions/zod-to-openapi");
    for (const [, name, , licence, text] of noticesOf()) {
      expect(LICENCES, name).toContain(licence);
      expect(text, name).toMatch(/\S/);
    }
    expect(noticesOf().length).toBe(
      read("THIRD-PARTY-LICENSES.txt").split("-".repeat(80)).length - 1,
    );
  });

  it("runs without other installed packages", async () => {
    const cli = installed("dist", "cli.mjs");
    expect(await must(process.execPath, [cli, "config"], project)).toContain("log_format: auto\n");
    const args = [
      "serve",
      "--port",
      "0",
      "--data-dir",
      join(project, "data"),
      "--log-format",
      "text",
    ];
    for (const command of [args, ["backfill"], ["reembed"]]) {
      const all = [cli, ...command, "--embeddings-model", "multilingual"];
      const { status, stderr } = await run(process.execPath, all, project);
      expect([command[0], status]).toEqual([command[0], 1]);
      expect(stderr).toContain(
        "embeddings_model multilingual needs the package nous-e5, which has the model: install it beside nous-server.",
      );
    }
    expect(existsSync(join(project, "data"))).toBe(false);
    const server = spawn(process.execPath, [cli, ...args], {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => server.once("close", resolve));
    let printed = "";
    for await (const text of server.stdout.setEncoding("utf8")) {
      printed += text;
      const [url] = /http:\S+/.exec(printed) ?? [];
      if (url === undefined) continue;
      const description = await (await fetch(`${url}/v1/openapi.json`)).json();
      expect(description).toMatchObject({ openapi: "3.1.0" });
      expect((await fetch(`${url}/v1/health`)).status).toBe(200);
      server.kill();
      break;
    }
    expect(await ended).toBe(0);
    expect(existsSync(join(project, "data"))).toBe(true);
  });

  it(
    "declares types that need no other package's",
    async () => {
      const program = `
        import { NousClient, NousRequestError, type NousClientOptions } from "nous-server/client";
        const options: NousClientOptions = { baseUrl: "http://127.0.0.1:3100", agent: "a" };
        const client = new NousClient(options);
        const { id } = await client.createNode({ type: "note", content_title: "A note" });
        const { data } = await client.listEdges({ node_id: id, limit: 3 });
        export const strength: number | null = data[0]!.strength;
        export const [error, section] = [new NousRequestError("no", 400), (await client.search({ query: "note" })).data[0]?.memory_section];
        // @ts-expect-error a memory has a title
        await client.createNode({ type: "note" });
        // @ts-expect-error there are other sections
        section === "elsewhere";
      `;
      writeFileSync(join(project, "program.mts"), program);
      const compilerOptions = {
        ...{
          noEmit: true,
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          types: [],
        },
        ...{ target: "es2022", lib: ["es2022", "dom"], module: "nodenext" },
      };
      writeFileSync(
        join(project, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["program.mts"] }),
      );
      const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
      expect((await run(process.execPath, [tsc, "--pretty", "false"], project)).stdout).toBe("");
    },
    MINUTES,
  );
});
