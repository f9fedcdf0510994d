// `npm run release`: makes a release of this commit in `release/`, the same bytes each time. Refuses
// what is not fit for one. Publishes nothing, and says the commands that would.
//
// `-- --dry-run` makes it of the working tree as it is, and says why a release would be refused. Without a key it
// signs the provenance with one that it makes for the run.
// `-- --verify FOLDER` verifies files by their signed provenance, and `-- --set-version X.Y.Z` writes a version into
// all places instead.

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
import { PUBLISHED, packNpm, tarballOf } from "./release/npm.mjs";
import { provenanceOf, sha256 } from "./release/provenance.mjs";
import { packPython } from "./release/python.mjs";
import { sbomOf } from "./release/sbom.mjs";
import { keyOfRun, privateKeyOf, publicHalf, publicKeyOf, signed } from "./release/signing.mjs";
import { BUNDLE, hashesOf, PUBLIC_KEY, verifyFolder } from "./release/verifying.mjs";
import { currentVersion, outOfStep, setVersion, VERSION } from "./release/versions.mjs";

const OPTIONS = {
  "dry-run": { type: "boolean", default: false },
  key: { type: "string" },
  out: { type: "string" },
  "public-key": { type: "string" },
  repository: { type: "string" },
  "set-version": { type: "string" },
  verify: { type: "string" },
};
const USAGE = `npm run release -- [--dry-run] [--key FILE] [--out FOLDER] [--repository URL]
  | --verify FOLDER --public-key FILE | --set-version X.Y.Z`;

/** Returns the options of a command line, or exits with a sentence. */
function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.repository !== undefined && !/^https:\/\/[^/]+\/.+/.test(values.repository))
      throw new Error("--repository takes an address with https, such as that of the clone");
    if (values["set-version"] !== undefined && !VERSION.test(values["set-version"]))
      throw new Error("--set-version takes a version such as 0.3.0");
    if ((values.verify === undefined) !== (values["public-key"] === undefined))
      throw new Error("--verify FOLDER and --public-key FILE go together");
    return values;
  } catch ({ message }) {
    return fail(`${message}. Usage: ${USAGE}`);
  }
}

/** Returns whether this runs in a workflow of GitHub that may sign by its own identity, as release.yml does. */
const isSignedByWorkflow = () => process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined;

/** Returns the notes of a version: its section of the changelog, or what is not released yet. */
async function notesOf(version) {
  // The build has installed it.
  const { parseChangelog } = await import("changelog-parser");
  const how = { filePath: at("CHANGELOG.md"), removeMarkdown: false };
  const { versions } = await parseChangelog(how);
  const { body } = versions.find((section) => section.version === version) ?? versions[0];
  return `# ${version}\n\n${body}\n`;
}

/** Returns why there can be no release of this version now, each as a sentence. */
function refusalsOf(version, key) {
  const changed = output("git", ["status", "--porcelain"]);
  const changelog = readFileSync(at("CHANGELOG.md"), "utf8");
  return [
    ...(changed === "" ? [] : [`files differ from the commit: commit or remove them:\n${changed}`]),
    ...(changelog.includes(`\n## ${version} – `)
      ? []
      : [`CHANGELOG.md has no section "## ${version} – DATE"`]),
    ...(has("tests", "server", "released", version)
      ? []
      : [`tests/server/released/${version} is missing: run \`npm run fixture\``]),
    ...(key !== undefined || isSignedByWorkflow()
      ? []
      : [
          "no key signs its provenance: name the file of one with --key, or put its PEM into RELEASE_KEY " +
            "(release.yml signs without a key)",
        ]),
  ];
}

/** Writes the provenance of a folder's files, signed, and the public key beside it. Then verifies both. */
function attest({ to, key, ...made }) {
  const path = (end) => join(to, `nous-${made.version}${end}`);
  const revision = output("git", ["rev-parse", "HEAD"]);
  const isChanged = output("git", ["status", "--porcelain"]) !== "";
  const statement = provenanceOf({ ...made, hashes: hashesOf(to), revision, isChanged });
  writeFileSync(path(PUBLIC_KEY), publicHalf(key));
  writeFileSync(path(BUNDLE), signed(statement, key));
  verifyFolder(to, publicKeyOf(path(PUBLIC_KEY)));
}

/** Verifies the files of a folder, and says what their signer says of them. */
function verify(folder, publicKey) {
  const { subject, predicate } = verifyFolder(folder, publicKeyOf(publicKey));
  const { externalParameters, internalParameters, resolvedDependencies, buildType } =
    predicate.buildDefinition;
  const [source] = resolvedDependencies;
  console.log(`${subject.length} files are as the key signed them.
Version ${externalParameters.version} of ${source.uri}, commit ${source.digest.gitCommit}`);
  if (internalParameters.differsFromCommit) console.log("The sources differed from the commit.");
  if (buildType.endsWith(":dry-run")) console.log("They are of a dry run, and no release.");
}

/** Makes all files of a release in an empty folder. */
async function make({ to, version, epoch, repository }) {
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
    writeFileSync(join(to, "NOTES.md"), await notesOf(version));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const sums = readdirSync(to)
    .sort()
    .map((name) => `${sha256(readFileSync(join(to, name)))}  ${name}\n`);
  writeFileSync(join(to, "SHA256SUMS"), sums.join(""));
}

function publishing(version, folder) {
  const npm = PUBLISHED.map(
    (name) => JSON.parse(readFileSync(at("js", name, "package.json"), "utf8")).name,
  ).join(" ");
  return `Nothing is published. These commands would, with the rights of the owner of the names:

    for name in ${npm}; do npm publish --access public --provenance ${folder}/$name-${version}.tgz; done
    python -m twine upload ${folder}/nous_memory_client-${version}*
`;
}

/** Says who signs the provenance, and what verifies it. */
function signing({ version, folder, ownKey, key }) {
  if (key === undefined) return "The provenance is signed by the workflow, in its next step.";
  const names = [BUNDLE, PUBLIC_KEY].map((end) => `nous-${version}${end}`);
  const verifying = `npm run release -- --verify ${folder} --public-key ${folder}/${names[1]}`;
  const by =
    ownKey === undefined
      ? "a key that was made for this run and is gone: the signature shows the way, and proves nothing"
      : "your key";
  return `${names[0]} is signed with ${by}.
Its public half is ${names[1]}. All files are verified by them, as this does again:

    ${verifying}
`;
}

/** Returns what `read` does, or exits with the sentence of its error. */
function orFail(read) {
  try {
    return read();
  } catch ({ message }) {
    return fail(message);
  }
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  if (options["set-version"] !== undefined) {
    for (const file of setVersion(options["set-version"])) console.log(file);
    return;
  }
  if (options.verify !== undefined) {
    orFail(() => verify(options.verify, options["public-key"]));
    return;
  }
  const version = currentVersion();
  const wrong = outOfStep(version);
  if (wrong.length > 0) fail(`Versions are out of step:\n${wrong.join("\n")}`);
  const isDry = options["dry-run"];
  const ownKey = orFail(() => privateKeyOf(options.key));
  const refusals = refusalsOf(version, ownKey);
  if (refusals.length > 0 && !isDry) fail(`No release of ${version}: ${refusals.join("\n")}`);
  const folder = options.out ?? "release";
  const isGone = isDry && options.out === undefined;
  const to = isGone ? mkdtempSync(join(tmpdir(), "nous-dry-")) : resolve(at(), folder);
  if (existsSync(to) && readdirSync(to).length > 0)
    fail(`${to} is not empty: remove it, or name another folder with --out.`);
  mkdirSync(to, { recursive: true });
  await build();
  const epoch = Number(output("git", ["log", "-1", "--format=%ct"]));
  const begun = Date.now();
  const { repository } = options;
  await make({ to, version, epoch, repository });
  const key = ownKey ?? (isDry ? keyOfRun() : undefined);
  if (key !== undefined) attest({ to, key, version, repository, isDry });
  for (const line of readFileSync(join(to, "SHA256SUMS"), "utf8").trim().split("\n")) {
    const name = line.slice(66);
    const { length } = readFileSync(join(to, name));
    console.log(`${(length / 1e6).toFixed(2).padStart(8)} MB  ${line.slice(0, 12)}  ${name}`);
  }
  const where = isGone ? "a folder that is gone: --out FOLDER keeps it" : folder;
  console.log(`Version ${version} in ${((Date.now() - begun) / 1000).toFixed(0)} s, in ${where}.`);
  console.log(signing({ version, folder, ownKey, key }));
  for (const why of refusals) console.log(`A release would be refused: ${why}`);
  console.log(publishing(version, folder));
  if (isGone) rmSync(to, { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
