// `npm run release`: makes a release of this commit in `release/`, the same bytes each time. Refuses
// what is not fit for one. Publishes nothing, and says the commands that would.
//
// `-- --dry-run` makes it of the working tree as it is, and says why a release would be refused. Beside the files
// it writes the provenance that the workflow of a release has signed, unsigned.
// `-- --set-version X.Y.Z` writes a version into all places instead.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { at, fail, has, output, say } from "./lib.mjs";
import { packImage } from "./release/image.mjs";
import { notesOf } from "./release/notes.mjs";
import { PUBLISHED, packNpm, tarballOf } from "./release/npm.mjs";
import { provenanceOf } from "./release/provenance.mjs";
import { packPython } from "./release/python.mjs";
import { sbomOf } from "./release/sbom.mjs";
import { currentVersion, outOfStep, setVersion, VERSION } from "./release/versions.mjs";

const OPTIONS = {
  "dry-run": { type: "boolean", default: false },
  out: { type: "string" },
  repository: { type: "string" },
  "set-version": { type: "string" },
};
const USAGE = `npm run release -- [--dry-run] [--out FOLDER] [--repository URL] | --set-version X.Y.Z`;

/** Returns the options of a command line, or exits with a sentence. */
function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.repository !== undefined && !/^https:\/\/[^/]+\/.+/.test(values.repository))
      throw new Error("--repository takes an address with https, such as that of the clone");
    if (values["set-version"] !== undefined && !VERSION.test(values["set-version"]))
      throw new Error("--set-version takes a version such as 0.3.0");
    return values;
  } catch ({ message }) {
    return fail(`${message}. Usage: ${USAGE}`);
  }
}

/** Returns why there can be no release of this version now, each as a sentence. */
function refusalsOf(version) {
  const changed = output("git", ["status", "--porcelain"]);
  return [
    ...(changed === "" ? [] : [`files differ from the commit: commit or remove them:\n${changed}`]),
    ...(notesOf(version).isCut ? [] : [`CHANGELOG.md has no section "## ${version} – DATE"`]),
    ...(has("tests", "server", "released", version)
      ? []
      : [`tests/server/released/${version} is missing: run \`npm run fixture\``]),
  ];
}

/** Makes all files of a release in an empty folder. */
function make({ to, version, epoch, repository }) {
  const work = mkdtempSync(join(tmpdir(), "nous-release-"));
  const own = (name) => join(work, name);
  for (const name of ["npm", "python", "image"]) mkdirSync(own(name));
  try {
    say("npm packages");
    packNpm({ to, work: own("npm"), repository });
    say("Python packages");
    packPython({ to, work: own("python"), repository, epoch });
    say("container image");
    const tarball = join(to, tarballOf({ name: "nous-server", version }));
    const revision = output("git", ["rev-parse", "HEAD"]);
    const shared = { to, version, epoch, repository };
    const contents = packImage({ ...shared, tarball, work: own("image"), revision });
    writeFileSync(join(to, `nous-${version}.cdx.json`), sbomOf({ version, epoch, contents }));
    writeFileSync(join(to, "NOTES.md"), notesOf(version).text);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const sums = readdirSync(to)
    .sort()
    .map((name) => `${sha256(readFileSync(join(to, name)))}  ${name}\n`);
  writeFileSync(join(to, "SHA256SUMS"), sums.join(""));
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function publishing(version, folder) {
  const npm = PUBLISHED.map(
    (name) => JSON.parse(readFileSync(at("js", name, "package.json"), "utf8")).name,
  ).join(" ");
  return `Nothing is published. These commands would, with the rights of the owner of the names:

    for name in ${npm}; do npm publish --access public --provenance ${folder}/$name-${version}.tgz; done
    python -m twine upload ${folder}/nous_memory_client-${version}*
`;
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  if (options["set-version"] !== undefined) {
    for (const file of setVersion(options["set-version"])) console.log(file);
    return;
  }
  const version = currentVersion();
  const wrong = outOfStep(version);
  if (wrong.length > 0) fail(`Versions are out of step:\n${wrong.join("\n")}`);
  const isDry = options["dry-run"];
  const refusals = refusalsOf(version);
  if (refusals.length > 0 && !isDry) fail(`No release of ${version}: ${refusals.join("\n")}`);
  const folder = options.out ?? "release";
  const to =
    isDry && options.out === undefined
      ? mkdtempSync(join(tmpdir(), "nous-dry-"))
      : resolve(at(), folder);
  if (existsSync(to) && readdirSync(to).length > 0)
    fail(`${to} is not empty: remove it, or name another folder with --out.`);
  mkdirSync(to, { recursive: true });
  await build();
  const epoch = Number(output("git", ["log", "-1", "--format=%ct"]));
  const begun = Date.now();
  const { repository } = options;
  make({ to, version, epoch, repository });
  if (isDry) {
    const sums = readFileSync(join(to, "SHA256SUMS"), "utf8");
    const revision = output("git", ["rev-parse", "HEAD"]);
    const isChanged = output("git", ["status", "--porcelain"]) !== "";
    const statement = provenanceOf({ sums, version, revision, isChanged, repository });
    writeFileSync(join(to, `nous-${version}.unsigned-provenance.json`), statement);
  }
  for (const line of readFileSync(join(to, "SHA256SUMS"), "utf8").trim().split("\n")) {
    const name = line.slice(66);
    const { length } = readFileSync(join(to, name));
    console.log(`${(length / 1e6).toFixed(2).padStart(8)} MB  ${line.slice(0, 12)}  ${name}`);
  }
  console.log(`Version ${version} in ${((Date.now() - begun) / 1000).toFixed(0)} s, in ${folder}.`);
  for (const why of refusals) console.log(`A release would be refused: ${why}`);
  console.log(publishing(version, folder));
  if (isDry && options.out === undefined) rmSync(to, { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
