// Builds the page into `dist`: static files with relative addresses, so that any host and any
// folder serves them.

import { fileURLToPath } from "node:url";
import { FITTED_EVIDENCE } from "nous-wasm";
import type { Plugin } from "vite";
import { defineConfig } from "vite";
import { GENERAL_END } from "../sample/general/index.ts";
import { generalLines } from "../sample/general/lines.ts";
import { sampleLines } from "../sample/trader/lines.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** The sample memories as lines of an export. */
const SAMPLES: Readonly<Record<string, () => string>> = {
  "general.jsonl": () => `${generalLines().join("\n")}\n`,
  "trader.jsonl": () => `${sampleLines(Date.parse(GENERAL_END)).join("\n")}\n`,
};

/** Adds the sample memories to the files of the page, below `samples/`. */
function samples(): Plugin {
  return {
    name: "samples",
    generateBundle() {
      for (const [name, lines] of Object.entries(SAMPLES))
        this.emitFile({ type: "asset", fileName: `samples/${name}`, source: lines() });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const lines = SAMPLES[/^\/samples\/([\w.]+)$/.exec(request.url ?? "")?.[1] ?? ""];
        if (lines === undefined) next();
        else response.end(lines());
      });
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  // The engine does not tell its fitted weights.
  define: {
    __FITTED__: JSON.stringify({
      general: FITTED_EVIDENCE.general.weights,
      trading: FITTED_EVIDENCE.trading.weights,
    }),
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  plugins: [samples(), serviceWorker()],
  build: {
    target: "es2022",
    // A `data:` address would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // How long plugins take depends on the machine: a warning about it helps nobody.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
