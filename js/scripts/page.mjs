// Builds the page (js/page), and puts it beside nous-server, which serves it at `/`.

import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { bundleProgram } from "./bundle.mjs";
import { at } from "./lib.mjs";
import { MINILM } from "./minilm.mjs";
import { licencesIn, manifestIn } from "./server.mjs";

const PAGE = at("js", "page");
/** A compressed file is kept only if it is at most this share of the whole one. */
const WORTH = 0.9;
/**
 * Larger files are compressed less hard: the last percent would take seconds. The module is below
 * it, since it is most of the first load.
 */
const LARGE = 1_300_000;
/**
 * The files of the sentence model and of its adapters, which no compression makes smaller.
 * nous-server has them already.
 */
const MODEL = /(?:minilm-l6|replacing|asking)-[^/]*\.bin$/;

/** Builds the page into `dist` of js/page, and copies it to `dist/page` of js/server. */
export async function writePage() {
  const program = await bundleProgram("js/page/build/build.ts");
  const { buildPage } = await import(`${pathToFileURL(program)}?${Date.now()}`);
  await buildPage(PAGE);
  const from = join(PAGE, "dist");
  const licences = [licencesIn("The page", packagesOfPage()), ...licencesOfModel()];
  writeFileSync(join(from, "THIRD-PARTY-LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
  for (const name of readdirSync(from, { recursive: true })) compress(join(from, name));
  const to = at("js", "server", "dist", "page");
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => !MODEL.test(path) });
}

/** Returns what must be beside the file of the sentence model. */
const licencesOfModel = () =>
  ["NOTICE", "model/LICENSE"].map((name) => readFileSync(join(MINILM, name), "utf8"));

/** Returns the folders of the npm packages in the page: its dependencies, and theirs. */
function packagesOfPage() {
  const folders = new Set();
  const add = (manifest) => {
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const folder = join("node_modules", name);
      if (name.startsWith("nous-") || folders.has(folder)) continue;
      folders.add(folder);
      add(manifestIn(at(folder)));
    }
  };
  add(manifestIn(PAGE));
  return folders;
}

/** Writes a compressed copy beside a file if it is worth it. */
function compress(path) {
  if (!statSync(path).isFile() || MODEL.test(path)) return;
  const bytes = readFileSync(path);
  // Small blocks save a kilobyte of the module.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: bytes.length > LARGE ? 9 : 11,
    [constants.BROTLI_PARAM_LGBLOCK]: 16,
  };
  const compressed = brotliCompressSync(bytes, { params });
  if (compressed.length <= WORTH * bytes.length) writeFileSync(`${path}.br`, compressed);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writePage();
