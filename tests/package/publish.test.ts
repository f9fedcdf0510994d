// The published files: complete, valid by the standard checkers, small, with SIMD instructions, and
// without traces of the build machine.

import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createPackageFromTarballData } from "@arethetypeswrong/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WASM_OPT } from "../../js/scripts/lib.mjs";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { must, Project, root, tarball } from "./support/tarball.ts";

const MINUTES = 60_000;
/** The maximum compressed size of the module, in bytes. */
const MAX_BYTES = 460 * 1024;

let project: Project;
let files: string[];
let wasm: Buffer;

beforeAll(async () => {
  const contents = createPackageFromTarballData(readFileSync(await tarball()));
  project = await Project.create();
  const folder = `/node_modules/${contents.packageName}/`;
  files = contents.listFiles(folder).map((path) => path.slice(folder.length));
  wasm = readFileSync(project.installed("dist", "nous_wasm.wasm"));
}, 2 * MINUTES);

afterAll(() => project?.remove());

describe("the tarball", () => {
  it("includes the licence of every crate in the module", () => {
    const notices = readFileSync(project.installed("THIRD-PARTY-LICENSES.txt"), "utf8");
    const entries = [...notices.matchAll(/^-{80}\n\n(\S+) \S+ \((.+)\)\n\n(.+)/gm)];
    const names = entries.map(([, name]) => name);
    for (const name of [
      "js-sys",
      "regex-lite",
      "regex-syntax",
      "rustc-hash",
      "serde",
      "serde-wasm-bindgen",
      "serde_json",
      "serde_path_to_error",
      "wasm-bindgen",
      "xxhash-rust",
    ]) {
      expect(names).toContain(name);
    }
    // Macros and dependencies of tests are not in the module.
    for (const name of ["nous-wasm", "serde_derive", "proptest", "criterion"])
      expect(names).not.toContain(name);
    expect(entries.length).toBe(notices.split("-".repeat(80)).length - 1);
    expect(notices).toMatch(/Permission is hereby granted|Apache License/);
  });

  it("contains the build, the manifest, the readme and the licences", () => {
    expect(files.filter((path) => !path.startsWith("dist/types/")).sort()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD-PARTY-LICENSES.txt",
      "dist/browser.mjs",
      "dist/core.cjs",
      "dist/core.mjs",
      "dist/inline.cjs",
      "dist/inline.mjs",
      "dist/node.cjs",
      "dist/node.mjs",
      "dist/nous_wasm.wasm",
      "dist/slim-node.mjs",
      "dist/workerd.mjs",
      "package.json",
    ]);
  });

  it("declares types twice, once for each kind of module", () => {
    const types = files.filter((path) => path.startsWith("dist/types/"));
    const names = (suffix: string) =>
      types.filter((path) => path.endsWith(suffix)).map((path) => path.slice(0, -suffix.length));
    expect(names(".d.ts")).toContain("dist/types/core");
    expect(names(".d.cts").sort()).toEqual(names(".d.ts").sort());
    expect(types).toHaveLength(2 * names(".d.ts").length);
  });

  it("reveals nothing about the build machine, and has no source maps", () => {
    const telling = [root, homedir(), "/home/", "/Users/", ".cargo", ".rustup", "sourceMappingURL"];
    const found = files.flatMap((path) => {
      const text = readFileSync(project.installed(path), "latin1");
      return telling.filter((part) => text.includes(part)).map((part) => `${path}: ${part}`);
    });
    expect(found).toEqual([]);
    expect(files.filter((path) => path.endsWith(".map"))).toEqual([]);
  });

  it("needs no other package and runs no install script", () => {
    const manifest = JSON.parse(readFileSync(project.installed("package.json"), "utf8"));
    const unwanted = [
      "dependencies",
      "peerDependencies",
      "optionalDependencies",
      "scripts",
      "private",
    ];
    expect(unwanted.filter((key) => key in manifest)).toEqual([]);
    expect(manifest).toMatchObject({
      name: "nous-wasm",
      license: "MIT",
      engines: { node: ">=20.0.0" },
    });
  });
});

describe("the checkers", () => {
  it("publint reports nothing, suggestions included", async () => {
    expect(await complaintsAbout("engine")).toEqual([]);
  });

  it(
    "the types are valid in Node 16 and later, and in bundlers",
    async () => {
      const { entries, problems } = await typesOf("engine", ["./nous_wasm.wasm"]);
      // The browser's entry is an ES module only: browsers and their bundlers load that.
      const others = problems.filter(
        (problem) => !(problem.kind === "CJSResolvesToESM" && problem.entrypoint === "./browser"),
      );
      expect(others).toEqual([]);
      expect(entries).toEqual([".", "./browser", "./package.json", "./slim"]);
    },
    MINUTES,
  );
});

describe("the declarations", () => {
  it("of all packages are read by TypeScript 5.4, whose typed arrays take no argument", () => {
    const found = ["embedder", "engine", "memory", "minilm", "server"].flatMap((name) => {
      const types = join(root, "js", name, "dist", "types");
      const names = readdirSync(types, { recursive: true, encoding: "utf8" });
      const declarations = names.filter((path) => /\.d\.[cm]?ts$/.test(path));
      expect(declarations.length, name).toBeGreaterThan(0);
      return declarations.flatMap((path) => {
        const text = readFileSync(join(types, path), "utf8");
        return Array.from(text.matchAll(/\b\w+Array</g))
          .filter(([type]) => !["Array<", "ReadonlyArray<"].includes(type))
          .map(([type]) => `${name}/${path}: ${type}`);
      });
    });
    expect(found).toEqual([]);
    const embedder = join("dist", "types", "embedder.d.ts");
    // A compiler with arguments knows that the buffer is not shared.
    expect(readFileSync(project.installed(embedder), "utf8")).toContain(
      'vector: ReturnType<Float32ArrayConstructor["of"]>;',
    );
  });

  it("document every export, for editors, which do not follow {@inheritDoc}", () => {
    const core = readFileSync(project.installed("dist", "types", "core.d.ts"), "utf8");
    expect(core).not.toContain("@inheritDoc");
    const undocumented = [...core.matchAll(/^(.*)\nexport declare const (\w+)/gm)]
      .filter(([, before]) => !before!.endsWith("*/"))
      .map(([, , name]) => name);
    expect(undocumented).toEqual([]);
    expect(core).toMatch(
      /Returns the first `limit` entries of the ranking\.[^/]*@example[^/]*\*\/\nexport declare const rerankTop:/,
    );
  });
});

describe("the module", () => {
  it(`weighs at most ${MAX_BYTES / 1024} KiB compressed`, () => {
    const weight = gzipSync(wasm, { level: 9 }).length;
    console.info(
      `nous_wasm.wasm: ${wasm.length} bytes, ${weight} compressed, of at most ${MAX_BYTES}`,
    );
    expect(weight).toBeLessThanOrEqual(MAX_BYTES);
  });

  it(
    "uses SIMD instructions",
    async () => {
      const module = project.installed("dist", "nous_wasm.wasm");
      const text = await must(process.execPath, [WASM_OPT, module, "--print"], root);
      expect(text).toContain("(func ");
      expect(text.match(/\(f64x2\.(add|sub|mul|div)/g)?.length ?? 0).toBeGreaterThan(50);
    },
    MINUTES,
  );

  it("is inside the entries that load nothing, byte for byte", () => {
    for (const name of ["inline.mjs", "inline.cjs"]) {
      expect(
        readFileSync(project.installed("dist", name), "utf8").includes(wasm.toString("base64")),
        name,
      ).toBe(true);
    }
  });

  it("has no names, no debugging and none of the tests' exports", () => {
    const module = new WebAssembly.Module(new Uint8Array(wasm));
    const custom = [
      "name",
      "producers",
      ".debug_info",
      ".debug_line",
      ".debug_str",
      "sourceMappingURL",
    ];
    expect(
      custom.filter((name) => WebAssembly.Module.customSections(module, name).length > 0),
    ).toEqual([]);
    const exports = WebAssembly.Module.exports(module).map(({ name }) => name);
    expect(exports).toContain("engine_rerank");
    expect(exports.filter((name) => name === "trap" || name === "live_bytes")).toEqual([]);
  });
});
