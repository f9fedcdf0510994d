// Builds the page: static files with relative addresses, so that any host and any folder serves
// them. Names below `assets/` hold a hash of the content.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { FITTED_EVIDENCE } from "nous-wasm";
import { build } from "rolldown";
import { GENERAL_END } from "../../sample/general/index.ts";
import { generalLines } from "../../sample/general/lines.ts";
import { sampleLines } from "../../sample/trader/lines.ts";
import { writeServiceWorker } from "./service-worker.ts";

/** The sample memories as lines of an export. */
const SAMPLES: Readonly<Record<string, () => string[]>> = {
  "general.jsonl": generalLines,
  "trader.jsonl": () => sampleLines(Date.parse(GENERAL_END)),
};

const MAIN = "src/main.tsx";
const STYLES = "src/styles/page.css";
const VIEW_STYLES = "src/styles/views.css";
/** The oldest browsers that have the syntax of ES2022, for the prefixes of styles. */
const BROWSERS = ["chrome94", "firefox93", "safari16.4"];

/** The script of the sentence model. nous-minilm names the model's file by `new URL`. */
const SENTENCES = "src/memory/sentence-worker.ts";

/**
 * The scripts of the page's workers, by the name that the page's code gives their addresses. The
 * worker of the memory starts that of sentences, which stands before it.
 */
const WORKERS = {
  __SENTENCE_WORKER__: SENTENCES,
  __MEMORY_WORKER__: "src/memory/worker.ts",
  __SPEED_WORKER__: "src/views/speed/speed-worker.ts",
};

/** Builds the page in its folder into `dist`. */
export async function buildPage(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  /** Builds scripts. Returns the chunk of each, and the chunks that several need. */
  const scripts = async (input: string[], define: Record<string, string> = {}) => {
    const { output } = await build({
      cwd: folder,
      input,
      platform: "browser",
      // By its files: what remembers comes later than what asks.
      resolve: {
        alias: {
          "nous-memory$": join(folder, "../memory/src/index.ts"),
          "nous-memory/moving$": join(folder, "../memory/src/moving/index.ts"),
        },
      },
      moduleTypes: { ".bin": "asset", ".wasm": "asset" },
      experimental: { resolveNewUrlToAsset: input.includes(SENTENCES) },
      transform: { target: "es2022", define },
      // A package that is not installed would be left to the browser, which has none.
      onLog: (level, log, report) => {
        if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
        report(level, log);
      },
      output: {
        dir: join(dist, "assets"),
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
        minify: true,
      },
    });
    return output.filter((each) => each.type === "chunk");
  };
  const addresses: Record<string, string> = {};
  for (const [name, source] of Object.entries(WORKERS)) {
    // A worker starts with one file, the first, so that it starts with one request.
    const [worker] = await scripts([source], addresses);
    addresses[name] = JSON.stringify(`./${worker!.fileName}`);
  }
  const [styles, viewStyles] = await writeStyles(folder, dist);
  const [main] = await scripts([MAIN], {
    ...addresses,
    __VIEW_STYLES__: JSON.stringify(`./${viewStyles}`),
    // The page's first script does not need the engine, which has them.
    __FITTED__: JSON.stringify({
      general: weightsOf(FITTED_EVIDENCE.general),
      trading: weightsOf(FITTED_EVIDENCE.trading),
    }),
  });
  const head = [
    `<script type="module" src="./assets/${main!.fileName}"></script>`,
    ...main!.imports.map((name) => `<link rel="modulepreload" href="./assets/${name}" />`),
    `<link rel="stylesheet" href="./${styles}" />`,
  ];
  const whole = readFileSync(join(folder, "index.html"), "utf8")
    .replace(/ *<(script|link) [^>]*"\.\/src\/.*\n/g, "")
    .replace("  </head>", `    ${head.join("\n    ")}\n  </head>`);
  writeFileSync(join(dist, "index.html"), whole);
  mkdirSync(join(dist, "samples"));
  for (const [name, lines] of Object.entries(SAMPLES))
    writeFileSync(join(dist, "samples", name), `${lines().join("\n")}\n`);
  cpSync(join(folder, "public"), dist, { recursive: true });
  writeServiceWorker(join(folder, "src", "service-worker.js"), dist);
}

/** Returns the weights of a preset by words alone, and by meaning, too. */
const weightsOf = ({ weights, embedded }: (typeof FITTED_EVIDENCE)["general"]) => ({
  byWords: weights,
  byMeaning: embedded.weights,
});

/** Writes the styles of the first view, and of the others. Returns the paths of the files below `dist`. */
async function writeStyles(folder: string, dist: string): Promise<string[]> {
  const { metafile } = await bundle({
    absWorkingDir: folder,
    entryPoints: [STYLES, VIEW_STYLES],
    outdir: join(dist, "assets"),
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    metafile: true,
    target: BROWSERS,
    logLevel: "warning",
  });
  const written = Object.entries(metafile.outputs);
  return [STYLES, VIEW_STYLES].map((source) => {
    const [path] = written.find(([, { entryPoint }]) => entryPoint === source)!;
    return path.slice("dist/".length);
  });
}
