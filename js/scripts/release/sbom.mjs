// The list of what a release contains, in the format CycloneDX 1.6: own packages, npm packages and
// crates that are bundled, the sentence models, and what the image has beside them.
//
// Bundled packages are read from the files of licences that the build writes from what it links, so
// that the list and the licences cannot differ. Tools that read lock files would list what builds and
// tests need, too. Hashes come from the lock files.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../lib.mjs";
import { PUBLISHED } from "./npm.mjs";

/** Packages of others in a package, by its folder: the kind, and the file that lists them. */
const BUNDLED = [
  ["engine", "cargo", ["engine", "THIRD-PARTY-LICENSES.txt"]],
  ["minilm", "cargo", ["minilm", "THIRD-PARTY-LICENSES.txt"]],
  ["server", "npm", ["server", "THIRD-PARTY-LICENSES.txt"]],
  ["server", "npm", ["page", "dist", "THIRD-PARTY-LICENSES.txt"]],
];
/** The models from which files of a package derive, as its NOTICE says. */
const MODELS = [
  ["embedder", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"],
  ["minilm", "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"],
  ["e5", "intfloat/multilingual-e5-small", "MIT"],
];

const read = (...path) => readFileSync(at(...path), "utf8");

/** Returns the list as JSON. `contents` is what the image has beside the server. */
export function sbomOf({ version, epoch, contents }) {
  const components = new Map();
  const needs = new Map();
  const add = (component, by) => {
    components.set(component["bom-ref"], component);
    needs.set(by, new Set([...(needs.get(by) ?? []), component["bom-ref"]]));
  };
  const manifests = Object.fromEntries(
    PUBLISHED.map((folder) => [folder, JSON.parse(read("js", folder, "package.json"))]),
  );
  const refOf = (name) => `pkg:npm/${name}@${version}`;
  const { server, ...others } = manifests;
  for (const { name, license, description, dependencies = {} } of Object.values(others)) {
    const own = component("library", { purl: refOf(name), name, version, license });
    add({ ...own, description }, refOf(server.name));
    for (const needed of Object.keys(dependencies)) needs.get(refOf(name)).add(refOf(needed));
  }
  const hashOf = { npm: hashesOfNpm(), cargo: hashesOfCargo() };
  for (const [folder, kind, file] of BUNDLED) {
    for (const [, name, version, license] of read("js", ...file).matchAll(
      /^-{80}\n\n(\S+) (\d\S*) \((.+)\)\n/gm,
    )) {
      const purl = `pkg:${kind}/${name.replace("@", "%40")}@${version}`;
      const hashes = hashOf[kind].get(`${name}@${version}`);
      add(
        component("library", { purl, name, version, license, hashes }),
        refOf(manifests[folder].name),
      );
    }
  }
  for (const [folder, name, license] of MODELS)
    add(
      component("machine-learning-model", { purl: `pkg:huggingface/${name}`, name, license }),
      refOf(manifests[folder].name),
    );
  for (const { name, version, distribution } of contents) {
    const place = distribution === undefined ? "generic" : `deb/${distribution}`;
    const purl = `pkg:${place}/${name}@${encodeURIComponent(version)}`;
    add(
      component(distribution === undefined ? "platform" : "library", { purl, name, version }),
      refOf(server.name),
    );
  }
  const sorted = [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const dependencies = [refOf(server.name), ...sorted.map(({ purl }) => purl)].map((ref) => ({
    ref,
    dependsOn: [...(needs.get(ref) ?? [])].sort(),
  }));
  const { name, license, description } = server;
  const described = component("application", { purl: refOf(name), name, version, license });
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { ...described, description },
    },
    components: sorted,
    dependencies,
  };
  return `${JSON.stringify({ ...bom, serialNumber: serialOf(bom) }, null, 2)}\n`;
}

const component = (type, { purl, name, version, license, hashes }) => ({
  type,
  "bom-ref": purl,
  name,
  ...(version === undefined ? {} : { version }),
  purl,
  ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  ...(hashes === undefined ? {} : { hashes: [hashes] }),
});

/** Returns the hashes of the packages of package-lock.json, by `NAME@VERSION`. */
function hashesOfNpm() {
  const { packages } = JSON.parse(read("package-lock.json"));
  return new Map(
    Object.entries(packages).flatMap(([path, { version, integrity }]) => {
      const [alg, content] = /^(sha512)-(.+)$/.exec(integrity ?? "")?.slice(1) ?? [];
      if (alg === undefined) return [];
      const name = path.replace(/^.*node_modules\//, "");
      const hash = { alg: "SHA-512", content: Buffer.from(content, "base64").toString("hex") };
      return [[`${name}@${version}`, hash]];
    }),
  );
}

/** Returns the hashes of the crates of Cargo.lock, by `NAME@VERSION`. */
function hashesOfCargo() {
  const found = read("Cargo.lock").matchAll(
    /^name = "(.+)"\nversion = "(.+)"\nsource = .*\nchecksum = "(.+)"$/gm,
  );
  return new Map(
    Array.from(found, ([, name, version, content]) => [
      `${name}@${version}`,
      { alg: "SHA-256", content },
    ]),
  );
}

/** Returns a number that the content decides, so that a second run gives the same. */
function serialOf(bom) {
  const hex = createHash("sha256").update(JSON.stringify(bom)).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16], 16) % 4];
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return `urn:uuid:${[...parts, variant + hex.slice(17, 20), hex.slice(20, 32)].join("-")}`;
}
