// The npm packages of a release. `npm pack` makes the same bytes of the same files. The server's
// tarball bundles the packages that it needs, so that one command installs it without a network.

import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { at, fail, must, output } from "../lib.mjs";
import { npmCommand } from "../node.mjs";

/** The packages that npm publishes, by their folders below `js`; each stands after what it needs. */
export const PUBLISHED = ["engine", "embedder", "memory", "minilm", "e5", "integrations", "server"];

/** The name of the file that `npm pack` writes. */
export const tarballOf = ({ name, version }) => `${name}-${version}.tgz`;

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Packs the built packages of these folders into `to`; packages that one bundles stand before it.
 * `work` is an empty folder. Returns the paths of the tarballs.
 */
export function packNpm({ to, work, repository, folders = PUBLISHED }) {
  const staged = (name) => join(work, name);
  return folders.map((folder) => {
    const source = at("js", folder);
    const { name } = manifestIn(source);
    for (const file of filesOf(source)) cpSync(join(source, file), join(staged(name), file));
    const { private: _, ...manifest } = manifestIn(staged(name));
    if (repository !== undefined)
      manifest.repository = { type: "git", url: repository, directory: `js/${folder}` };
    if (folder === "server") {
      manifest.bundleDependencies = Object.keys(manifest.dependencies);
      for (const needed of manifest.bundleDependencies)
        cpSync(staged(needed), join(staged(name), "node_modules", needed), { recursive: true });
    }
    writeFileSync(join(staged(name), "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    alike(staged(name));
    const made = pack(staged(name), work);
    renameSync(join(work, made), join(to, made));
    return join(to, made);
  });
}

/** Returns the paths of the files that npm takes into the package of a folder. */
function filesOf(folder) {
  const [npm, ...first] = npmCommand();
  const printed = output(npm, [
    ...first,
    "pack",
    folder,
    "--dry-run",
    "--json",
    "--ignore-scripts",
  ]);
  if (printed === undefined) fail(`npm does not say which files of ${folder} it packs.`);
  const [{ files }] = Object.values(JSON.parse(printed));
  return files.map(({ path }) => path);
}

/** Packs a folder. Returns the name of the tarball. */
function pack(folder, to) {
  const flags = ["--ignore-scripts", "--loglevel", "error", "--pack-destination", to];
  must("npm", ["pack", ...flags], { cwd: folder, quiet: true });
  return tarballOf(manifestIn(folder));
}

/** Unpacks an npm tarball into a folder. */
export function unpack(tarball, to) {
  mkdirSync(to, { recursive: true });
  must("tar", ["-xzf", tarball, "--strip-components=1", "-C", to]);
}

/** Gives files and folders the same rights, whatever those of the checkout are. */
export function alike(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) alike(path);
    else chmodSync(path, /[\\/]bin[\\/]/.test(path) ? 0o755 : 0o644);
  }
}
