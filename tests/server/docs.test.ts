// The documentation is valid: every code block compiles and runs, every shell block succeeds
// against a server, every YAML block is a valid configuration, every relative link has a
// target, and README's recording is one.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { makeFolder, removeFolder } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Programs lie inside the repository, where they find the packages as users do. */
const PROGRAMS = join(root, ".cache", "docs");
const SERVER_ADDRESS = /(http:\/\/)?(127\.0\.0\.1|localhost):3100/g;

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "clients/python/README.md",
  "examples/README.md",
  "js/embedder/README.md",
  "js/engine/README.md",
  "js/integrations/README.md",
  "js/memory/README.md",
  "js/e5/README.md",
  "js/minilm/README.md",
  "js/server/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

interface Block {
  /** Page and line, as a test's title. */
  title: string;
  language: string;
  code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return Array.from(
    text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
    ({ 1: language, 2: code, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return { title: `${page}:${line}`, language: language!, code: code! };
    },
  );
}

const blocks = PAGES.flatMap(blocksOf);
const blocksIn = (language: string) => blocks.filter((block) => block.language === language);
const fileOf = ({ title }: Block) => join(PROGRAMS, `${title.replace(/[^\w-]+/g, "-")}.ts`);

const folder = makeFolder();
let server: Running;

beforeAll(async () => {
  rmSync(PROGRAMS, { recursive: true, force: true });
  mkdirSync(PROGRAMS, { recursive: true });
  server = await start(folder, [], "file");
});

afterAll(async () => {
  await server.end("SIGKILL");
  removeFolder(folder);
});

describe("code blocks", () => {
  test("are in languages that are tested, or plain text", () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(
      // Programs of agents are tested by first-agent.test.ts.
      new Set(["ts", "sh", "yaml", "text", "js", "python"]),
    );
  });

  // Half a minute of a core, for the types of all frameworks, beside other tests.
  test("compile with strict types", { timeout: 300_000 }, () => {
    for (const block of blocksIn("ts")) writeFileSync(fileOf(block), block.code);
    const options = {
      strict: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2022", "dom", "esnext.disposable"],
      module: "esnext",
      moduleResolution: "bundler",
      moduleDetection: "force",
      skipLibCheck: false,
      types: ["node"],
    };
    writeFileSync(
      join(PROGRAMS, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
    );
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    expect(outputOf(process.execPath, [tsc, "-p", PROGRAMS])).toBe("");
  });

  test.each(blocksIn("ts"))("$title runs", (block) => {
    const code = block.code.replace(SERVER_ADDRESS, server.url);
    const program = fileOf(block).replace(/\.ts$/, ".mjs");
    writeFileSync(program, transformSync(code, { loader: "ts", target: "es2022" }).code);
    const printed = execFileSync(process.execPath, [program], {
      encoding: "utf8",
      timeout: 60_000,
    });
    // The comment on a printed line is true.
    for (const [, promised] of block.code.matchAll(
      /console\.log\(.*\); \/\/ (\[?"[^…\n]*"\]?|[\d.]+)$/gm,
    )) {
      // Node prints the texts of a list in quotes.
      expect(printed.replaceAll("'", "")).toContain(
        promised!.replaceAll('"', "").replace(/^\[|\]$/g, ""),
      );
    }
  });

  test.each(blocksIn("sh"))("$title succeeds against a server", ({ code }) => {
    const script = `set -euo pipefail\ncurl() { command curl -fsS "$@"; }\n${code.replace(SERVER_ADDRESS, server.url)}`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8", timeout: 60_000 })).toContain(
      "{",
    );
  });

  test.each(blocksIn("yaml"))("$title is a configuration, or a preset", ({ code }) => {
    // The first line of a preset is its path.
    const [, preset] = /^# presets\/(\w+\.yaml)\n/.exec(code) ?? [];
    if (preset !== undefined) {
      writeFileSync(join(PROGRAMS, preset), code);
      expect(
        outputOf(process.execPath, [PROGRAM, "presets", "check", join(PROGRAMS, preset)]),
      ).toContain("is sound");
      return;
    }
    const file = join(PROGRAMS, "settings.yaml");
    writeFileSync(file, code);
    const printed = execFileSync(process.execPath, [PROGRAM, "config", "--config", file], {
      encoding: "utf8",
    });
    expect(printed).toContain("port:");
  });
});

/** A program's output, whether or not it succeeds. */
function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", cwd: root });
  } catch (error) {
    const { stdout, message } = error as Error & { stdout?: string };
    return stdout || message;
  }
}

describe("relative links", () => {
  const anchorsOf = (text: string) =>
    Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    );

  test.each(PAGES)("of %s have targets", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path, anchor] = link.split("#") as [string, string?];
      const file = path === "" ? join(root, page) : join(root, dirname(page), path);
      if (relative(root, file).startsWith("..") || !existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

test("README's recording moves for 10 to 20 seconds, in at most 1.5 MB, and says what happens", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const { src, alt } = /<img src="(?<src>[^"]+)" alt="(?<alt>[^"]+)">/.exec(readme)!.groups!;
  expect(statSync(join(root, src!)).size).toBeLessThanOrEqual(1_500_000);
  const { pages, delay, loop } = await sharp(join(root, src!), { animated: true }).metadata();
  expect(pages).toBeGreaterThan(20);
  expect(loop, "it does not end").toBe(0);
  const shown = delay!.reduce((sum, one) => sum + one);
  expect(shown).toBeGreaterThanOrEqual(10_000);
  expect(shown).toBeLessThanOrEqual(20_000);
  for (const said of ["I live in Graz.", "I moved to Salzburg in May.", "Where do I live?"])
    expect(alt).toContain(said);
  // Who wants no motion sees a picture that stands still.
  const still = /media="\(prefers-reduced-motion: reduce\)" srcset="([^"]+)"/.exec(readme)![1]!;
  expect((await sharp(join(root, still)).metadata()).pages).toBeUndefined();
});
