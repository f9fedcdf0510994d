// Adds the service worker to the files of the page. It keeps every file of the page but the word
// tables and the samples from the first visit on, and those from their first use on, so that a
// second visit needs no network.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import type { Plugin } from "vite";

/** Files that are kept when they are first used: they are large, and not every visit needs them. */
const LATER = /\.bin$|^samples\//;
/** Files that Vite copies as they are. */
const PUBLIC = fileURLToPath(new URL("../public", import.meta.url));
const SOURCE = fileURLToPath(new URL("../src/service-worker.js", import.meta.url));

/** Writes `service-worker.js` with the list of the page's files and a name for this build. */
export function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const files = Object.keys(bundle).filter((name) => !name.endsWith(".map"));
        const build = createHash("sha256");
        for (const name of files.toSorted()) {
          const file = bundle[name]!;
          build.update(name).update(file.type === "chunk" ? file.code : file.source);
        }
        const copied = readdirSync(PUBLIC);
        for (const name of copied) build.update(name).update(readFileSync(join(PUBLIC, name)));
        const first = files.filter((name) => !LATER.test(name) && name !== "index.html");
        const { code } = transformSync(readFileSync(SOURCE, "utf8"), {
          minify: true,
          define: {
            __BUILD__: JSON.stringify(build.digest("hex").slice(0, 12)),
            __FILES__: JSON.stringify(["./", ...copied, ...first]),
          },
        });
        this.emitFile({ type: "asset", fileName: "service-worker.js", source: code });
      },
    },
  };
}
