// `npm run bench -- --times`: compares ways to find expressions of time: the scanner of the crate,
// the crates `regex` and `regex-lite` (benches/times), and chrono-node. Correctness on the cases of
// tests/golden/times.json, time per text, and size.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { de, en, ja, type ParsedComponents } from "chrono-node";
import { Command } from "commander";
import { build } from "esbuild";
import { understand } from "nous-wasm";
import { WASM_OPT } from "../../js/scripts/lib.mjs";
import { table, writeResults } from "../results.ts";
import { duration, kilobytes } from "./units.ts";

const options = new Command("bench --times")
  .option("--no-write", "leave benches/results/ alone")
  .parse()
  .opts<{ write: boolean }>();

interface Found {
  text: string;
  start: number;
  end: number;
  grain: string;
}

const FILE: { now: string; cases: string[][] } = JSON.parse(
  readFileSync("tests/golden/times.json", "utf8"),
);
const NOW = Date.parse(`${FILE.now}Z`);
const ENDS: Readonly<Record<string, number>> = { "-": -8.64e15, "+": 8.64e15, now: NOW + 1 };
const instant = (text: string): number =>
  ENDS[text] ?? Date.parse(text.includes("T") ? `${text}Z` : text);

const CASES = FILE.cases.map(([text, ...fields]) => {
  const expected: Found[] = [];
  for (let at = 0; at < fields.length; at += 4) {
    const [found, start, end, grain] = fields.slice(at, at + 4) as [string, string, string, string];
    expected.push({ text: found, start: instant(start), end: instant(end), grain });
  }
  return { text: text!, expected };
});
const TEXTS = CASES.map(({ text }) => text);
/** Texts of about 40 words, as memories have them. */
const MEMORIES = Array.from({ length: 60 }, (_, from) => {
  const words = "we talked about the new house and the garden that Mira likes so much".split(" ");
  const some = Array.from(
    { length: 5 },
    (_, at) => CASES[(from * 7 + at * 61) % CASES.length]!.text,
  );
  return [...words, ...some, ...words].join(" ");
});

// ---- the contestants ----------------------------------------------------------------------------

const FOLDER = ".cache/times-bench";
const FEATURES = ["scanner", "regex", "regex-lite"] as const;

function must(command: string, args: string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    input,
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function buildProgram(feature: string | undefined, target: string | undefined): string {
  const folder = `${FOLDER}/${feature ?? "none"}`;
  must("cargo", [
    ...["build", "--release", "--locked", "--manifest-path", "benches/times/Cargo.toml"],
    ...["--target-dir", folder],
    ...(feature === undefined ? [] : ["--features", feature]),
    ...(target === undefined ? [] : ["--target", target]),
  ]);
  return target === undefined
    ? `${folder}/release/times-bench`
    : `${folder}/${target}/release/times-bench.wasm`;
}

const lines = (texts: readonly string[]): string =>
  texts.map((text) => `${NOW}\t${text.replaceAll("\n", " ")}\n`).join("");

function native(feature: string) {
  const program = buildProgram(feature, undefined);
  const rows = must(program, [], lines(TEXTS)).split("\n");
  const answers = new Map(
    TEXTS.map((text, at) => {
      const fields = rows[at]!.split("\t");
      const found: Found[] = [];
      for (let place = 0; place + 3 < fields.length; place += 4) {
        const [start, end, grain, words] = fields.slice(place, place + 4) as string[];
        found.push({ text: words!, start: Number(start), end: Number(end), grain: grain! });
      }
      return [text, found] as const;
    }),
  );
  const time = (texts: readonly string[]) => Number(must(program, ["time", "200"], lines(texts)));
  return { find: (text: string) => answers.get(text)!, time };
}

/** The size of a program beyond that of one which finds nothing: gzipped. */
function size(feature: string): number {
  const packed = (name: string | undefined) => {
    const path = buildProgram(name, "wasm32-unknown-unknown");
    must(WASM_OPT, ["-O3", "--all-features", path, "-o", `${path}.small`]);
    return gzipSync(readFileSync(`${path}.small`), { level: 9 }).length;
  };
  return packed(feature) - packed(undefined);
}

const PARSERS = [en, de, ja];
const REFERENCE = { instant: new Date(NOW), timezone: "UTC" };

/** The unit of the smallest part that chrono-node is certain of. */
function chronoRange(parts: { start: ParsedComponents; end?: ParsedComponents | null }): {
  start: number;
  end: number;
} {
  const UNITS = ["minute", "hour", "day", "weekday", "month", "year"] as const;
  const range = (components: ParsedComponents) => {
    const date = components.date();
    const unit = UNITS.find((unit) => components.isCertain(unit)) ?? "day";
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    if (unit === "year") return [Date.UTC(year), Date.UTC(year + 1)] as const;
    if (unit === "month") return [Date.UTC(year, month), Date.UTC(year, month + 1)] as const;
    if (unit === "hour" || unit === "minute") {
      const length = unit === "hour" ? 3_600_000 : 60_000;
      const from = Math.floor(date.getTime() / length) * length;
      return [from, from + length] as const;
    }
    return [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)] as const;
  };
  const [start, end] = range(parts.start);
  return { start, end: parts.end == null ? end : range(parts.end)[1] };
}

function chronoFind(parser: typeof en, text: string): Found[] {
  return parser.parse(text, REFERENCE).map((result) => ({
    text: result.text,
    ...chronoRange(result as Parameters<typeof chronoRange>[0]),
    grain: "",
  }));
}

// ---- correctness --------------------------------------------------------------------------------

/** How an answer agrees with a case: not at all, roughly, or to the millisecond. */
function agreement(found: readonly Found[], expected: readonly Found[]): 0 | 1 | 2 {
  if (found.length !== expected.length) return 0;
  const all = (is: (one: Found, other: Found) => boolean) =>
    found.every((one, at) => is(one, expected[at]!));
  if (all((one, other) => one.start === other.start && one.end === other.end)) return 2;
  // Their words overlap, and the beginning lies in the range.
  const isRough = (one: Found, other: Found) =>
    (other.text.includes(one.text) || one.text.includes(other.text)) &&
    one.start >= other.start &&
    one.start < other.end;
  return all(isRough) ? 1 : 0;
}

const isJapanese = ({ text }: { text: string }) => /[\u3040-\u9fff]/.test(text);
const FIRST_GERMAN = CASES.findIndex(({ text }) => text === "gestern");
const GROUPS = [
  ["English", CASES.slice(0, FIRST_GERMAN).filter(({ expected }) => expected.length > 0)],
  ["no time", CASES.filter(({ expected }) => expected.length === 0)],
  ["German", CASES.slice(FIRST_GERMAN).filter((it) => it.expected.length > 0 && !isJapanese(it))],
  ["Japanese", CASES.filter((it) => it.expected.length > 0 && isJapanese(it))],
] as const;

function scores(find: (text: string, expected: readonly Found[]) => 0 | 1 | 2): string[] {
  return GROUPS.map(([, cases]) => {
    const answers = cases.map(({ text, expected }) => find(text, expected));
    const exact = answers.filter((agreement) => agreement === 2).length;
    const rough = answers.filter((agreement) => agreement >= 1).length;
    return exact === rough ? `${exact}` : `${exact} (${rough})`;
  });
}

// ---- time ---------------------------------------------------------------------------------------

/** The nanoseconds of a text: the best of some rounds. */
function timeOf(texts: readonly string[], rounds: number, find: (text: string) => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    for (const text of texts) find(text);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / texts.length);
  }
  return best;
}

const rows: string[][] = [];
for (const feature of FEATURES) {
  const { find, time } = native(feature);
  rows.push([
    feature === "scanner" ? "**scanner by hand**" : `crate \`${feature}\``,
    ...scores((text, expected) => agreement(find(text), expected)),
    duration(time(TEXTS)),
    duration(time(MEMORIES)),
    kilobytes(size(feature)),
  ]);
}

const wasm = (texts: readonly string[]) =>
  timeOf(texts, 200, (text) => understand(text, { now: NOW })) -
  timeOf(texts, 200, (text) => understand(text));
rows.push([
  "the scanner in `understand`, from JavaScript",
  ...scores((text, expected) => agreement(understand(text, { now: NOW }).times!, expected)),
  duration(wasm(TEXTS)),
  duration(wasm(MEMORIES)),
  "",
]);

const { outputFiles } = await build({
  stdin: { contents: 'export { en, de, ja } from "chrono-node";', resolveDir: process.cwd() },
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
});
rows.push([
  "chrono-node",
  ...scores(
    (text, expected) =>
      Math.max(
        ...PARSERS.map((parser) => agreement(chronoFind(parser as typeof en, text), expected)),
      ) as 0 | 1 | 2,
  ),
  duration(timeOf(TEXTS, 10, (text) => en.parse(text, REFERENCE))),
  duration(timeOf(MEMORIES, 10, (text) => en.parse(text, REFERENCE))),
  kilobytes(gzipSync(outputFiles[0]!.contents, { level: 9 }).length),
]);

const head = [
  "",
  ...GROUPS.map(([name, cases]) => `${name} (${cases.length})`),
  "a case",
  "40 words",
  "gzipped",
];
const text = `\`npm run bench -- --times\`: the ${CASES.length} cases of \`tests/golden/times.json\`. A case counts if the number of expressions and their ranges are right to the millisecond;
in brackets, if the expressions overlap and the beginning lies in the range. *No time* holds texts such as "I may go" and "31 February", in which nothing may be found.
The cases were written with the scanner's rules in mind ("last week" is a week from Monday to Sunday), so the brackets are the fairer measure for the others.
chrono-node is asked in English, German and Japanese, and the best answer counts; its time is that of English alone. Times are the best round: natively for the crates, in Node for the others.
Sizes: of the crates what a WASM program grows by (\`wasm-opt -O3\`), of chrono-node a minified bundle of the three languages.
The crates' patterns cover the common forms in some thirty expressions (\`benches/times\`). The machine's load over the last minute was ${loadavg()[0]!.toFixed(1)}.

${table(head, rows)}`;
console.log(text);
if (options.write) console.log(writeResults("times", "Ways to find expressions of time", text));
