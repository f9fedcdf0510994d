// Adds the service worker to the files of the page. It keeps every file of the page but the word
// tables, the samples and the script of the sentence model from the first visit on, and those from
// their first use on, so that a second visit needs no network. nous-minilm keeps the file of the model.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { transformSync } from "esbuild";

/** Files that are kept when they are first used: they are large, and not every visit needs them. */
const LATER = /\.bin$|^samples\/|\/sentence-worker-/;

/** Writes `service-worker.js` with the list of the page's files and a name for this build. */
export function writeServiceWorker(source: string, dist: string): void {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  const build = createHash("sha256");
  for (const file of files) build.update(file.slice(dist.length)).update(readFileSync(file));
  const names = files.map((file) => file.slice(dist.length + 1).replaceAll(sep, "/"));
  const first = names.filter((name) => !LATER.test(name) && name !== "index.html");
  const { code } = transformSync(readFileSync(source, "utf8"), {
    minify: true,
    define: {
      __BUILD__: JSON.stringify(build.digest("hex").slice(0, 12)),
      __FILES__: JSON.stringify(["./", ...first]),
    },
  });
  writeFileSync(join(dist, "service-worker.js"), code);
}
