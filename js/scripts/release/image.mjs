// The container image of a release, made without a container runtime: three layers in the files of an
// OCI layout, which also has the index by which `docker load` reads an archive.
//
// The first layer has the C libraries that Node links, from the Debian or Ubuntu packages of this
// machine. The second has the Node of npm whose hash js/scripts/node.mjs pins. The third has the
// server's tarball. There is no shell and no package manager. deploy/Containerfile puts the same
// tarball into official images.
//
// Cost: Node takes 120 MB, 45 MB compressed.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { at, fail, output } from "../lib.mjs";
import { installNode, PACKAGES } from "../node.mjs";
import { unpack } from "./npm.mjs";
import { archived } from "./tar.mjs";

/** The user and group that the server runs as. */
const USER = 10_001;
/** The folder of the databases: a volume. */
const DATA = "/data";
const PROGRAM = "/opt/nous/bin/nous-server.mjs";
/** Succeeds if the server is ready. deploy/Containerfile has the same. */
const HEALTH =
  "fetch('http://127.0.0.1:'+(process.env.NOUS_PORT||3100)+'/readyz').then(a=>process.exit(a.ok?0:1),()=>process.exit(1))";

const ETC = {
  passwd: `root:x:0:0:root:/:/none\nnous:x:${USER}:${USER}:nous:${DATA}:/none\n`,
  group: `root:x:0:\nnous:x:${USER}:\n`,
  "nsswitch.conf": "hosts: files dns\n",
};

/** The folders that the server may write to. */
const WRITABLE = [
  { path: "data", mode: 0o700, owner: USER },
  { path: "tmp", mode: 0o1777 },
];

/** Returns the name of the archive: `nous-server-0.2.0-linux-x64.oci.tar`. */
export const imageOf = (version) => `nous-server-${version}-linux-${process.arch}.oci.tar`;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const json = (value) => Buffer.from(JSON.stringify(value));

/**
 * Makes the image of a server's tarball. `work` is an empty folder. Returns what the image contains
 * beside the server: Node and packages of the system, with versions.
 */
export function packImage({ tarball, to, work, version, epoch, revision, repository }) {
  const roots = ["system", "node", "server"].map((name) => join(work, name));
  const [ofSystem, ofNode, ofServer] = roots;
  const contents = layOutSystem(ofSystem, ofNode);
  unpack(tarball, join(ofServer, "opt", "nous"));
  startsByItself(join(ofServer, PROGRAM));
  mkdirSync(join(ofServer, "usr", "local", "bin"), { recursive: true });
  symlinkSync(PROGRAM, join(ofServer, "usr", "local", "bin", "nous-server"));

  const layout = join(work, "layout");
  mkdirSync(join(layout, "blobs", "sha256"), { recursive: true });
  const blob = (kind, bytes) => {
    const digest = sha256(bytes);
    writeFileSync(join(layout, "blobs", "sha256", digest), bytes);
    const mediaType = `application/vnd.oci.image.${kind}`;
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const layers = roots.map((root) => {
    const archive = archived(root, epoch, root === ofSystem ? WRITABLE : []);
    const descriptor = blob("layer.v1.tar+gzip", gzipSync(archive, { level: 9 }));
    return { id: `sha256:${sha256(archive)}`, descriptor };
  });
  const config = configOf({ layers, version, revision, repository, epoch });
  const described = blob("config.v1+json", json(config));
  const descriptors = layers.map(({ descriptor }) => descriptor);
  const manifest = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described,
    layers: descriptors,
  };
  const { architecture, os } = config;
  const listed = {
    ...blob("manifest.v1+json", json(manifest)),
    platform: { architecture, os },
    annotations: {
      "io.containerd.image.name": `docker.io/library/nous-server:${version}`,
      "org.opencontainers.image.ref.name": version,
    },
  };
  const pathOf = ({ digest }) => `blobs/${digest.replace(":", "/")}`;
  const loaded = {
    Config: pathOf(described),
    RepoTags: [`nous-server:${version}`],
    Layers: descriptors.map(pathOf),
  };
  const files = {
    "oci-layout": { imageLayoutVersion: "1.0.0" },
    "index.json": {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: [listed],
    },
    "manifest.json": [loaded],
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(layout, name), json(value));
  writeFileSync(join(to, imageOf(version)), archived(layout, epoch));
  return contents;
}

/** Returns the configuration of the image, as the OCI specifies it. */
export function configOf({ layers, version, revision, repository, epoch }) {
  const created = new Date(epoch * 1000).toISOString();
  const labels = {
    title: "nous-server",
    description: "A memory server for AI agents",
    version,
    revision,
    created,
    licenses: "MIT",
    ...(repository === undefined ? {} : { source: repository }),
  };
  const ofLayers = ["the C libraries of Node", "Node", "nous-server"];
  return {
    created,
    architecture: { x64: "amd64" }[process.arch] ?? process.arch,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { "3100/tcp": {} },
      Env: ["PATH=/usr/local/bin", `HOME=${DATA}`, "NOUS_HOST=0.0.0.0", `NOUS_DATA_DIR=${DATA}`],
      Entrypoint: ["nous-server"],
      WorkingDir: DATA,
      Volumes: { [DATA]: {} },
      StopSignal: "SIGTERM",
      // Nanoseconds. Docker reads it from images of this format, too.
      Healthcheck: { Test: ["CMD", "node", "-e", HEALTH], Interval: 30e9, StartPeriod: 10e9 },
      Labels: Object.fromEntries(
        Object.entries(labels).map(([name, text]) => [`org.opencontainers.image.${name}`, text]),
      ),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ id }) => id) },
    history: ofLayers.map((comment) => ({ created, comment })),
  };
}

/**
 * Lays out Node in one folder, and in another the files of the system that it needs. Returns Node and
 * the packages of the system, with versions.
 */
export function layOutSystem(ofSystem, ofNode, node = nodeOfNpm()) {
  const { version, program } = node;
  put(join(ofNode, "usr", "local", "bin", "node"), program);
  put(join(ofNode, "usr", "share", "doc", "node", "LICENSE"), join(program, "../../LICENSE"));
  const linked = output("ldd", [program])?.matchAll(/(?:^|=>)\s*(\/\S+) \(0x/gm);
  if (linked === undefined || output("dpkg-query", ["--version"]) === undefined)
    fail("The image takes C libraries from Debian or Ubuntu: make the release there.");
  const packages = new Map();
  for (const [, library] of linked) {
    put(join(ofSystem, library), library);
    const owner = ownerOf(library);
    packages.set(owner.name, owner);
    const copyright = `/usr/share/doc/${owner.name}/copyright`;
    put(join(ofSystem, copyright), copyright);
  }
  mkdirSync(join(ofSystem, "etc"), { recursive: true });
  for (const [name, text] of Object.entries(ETC)) writeFileSync(join(ofSystem, "etc", name), text);
  return [{ name: "node", version }, ...packages.values()];
}

/** Returns the Node of this platform that npm has, which is installed into .tools. */
export function nodeOfNpm(of = PACKAGES[`${process.platform} ${process.arch}`]) {
  const [name, version] = of;
  const program = installNode(at(".tools", `node-${version}`), of);
  if (program === undefined) fail(`npm could not install ${name} ${version}, the image's Node.`);
  return { program, version };
}

/** Returns the package of the system to which a file belongs. */
function ownerOf(path) {
  // Debian may list files below /lib that are below /usr/lib, too.
  const names = [path, realpathSync(path)].flatMap((one) => [one, one.replace(/^\/usr/, "")]);
  const [name] =
    names
      .map((one) => output("dpkg-query", ["--search", one]))
      .find((found) => found !== undefined)
      ?.split(":") ?? [];
  if (name === undefined) fail(`No package of the system owns ${path}, which Node links.`);
  const asked = ["--show", "--showformat", "${Version}\n", name];
  const [, distribution] = /^ID="?(\w+)/m.exec(readFileSync("/etc/os-release", "utf8"));
  return { name, version: output("dpkg-query", asked).split("\n")[0], distribution };
}

function put(to, from) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Makes a program start without `env`, which the image does not have. */
function startsByItself(program) {
  const text = readFileSync(program, "utf8");
  writeFileSync(program, text.replace("#!/usr/bin/env node", "#!/usr/local/bin/node"));
}
