// Where results of measurements go, and what a reader has to know of the machine that they are
// from.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const FOLDER = "benches/results";

/**
 * Writes `DATE-NAME.md`: the title with the date, the machine, and the text. Gives its path back.
 */
export function writeResults(name: string, title: string, text: string): string {
  const path = `${FOLDER}/${today()}-${name}.md`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, `# ${title}, ${today()}\n\n${machine()}\n\n${text}\n`);
  return path;
}

/**
 * Writes the text between the lines `<!-- NAME -->` and `<!-- end of NAME -->` of a page.
 *
 * @throws {Error} If the page lacks one of the two lines.
 */
export function writeInto(path: string, name: string, text: string): void {
  const page = readFileSync(path, "utf8");
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->\n`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`${path} lacks the lines ${start.trim()} and ${end.trim()}`);
  writeFileSync(path, `${page.slice(0, from)}${start}\n${text}\n\n${page.slice(to)}`);
}

/** Figures that stand in a file of their own and in docs/benchmarks.md. */
export interface Figures {
  /** The name of the file. */
  readonly name: string;
  readonly title: string;
  /** How they were measured; ends before the machine's load. */
  readonly how: string;
  readonly load: string;
  /** The table. */
  readonly text: string;
  /** The name of the place in docs/benchmarks.md. */
  readonly mark: string;
}

/** Writes figures to both places, and says where. */
export function writeFigures({ name, title, how, load, text, mark }: Figures): void {
  const path = writeResults(name, title, `${how} ${load}.\n\n${text}`);
  const measured = `Measured on ${today()}, at a load of ${load}.`;
  writeInto("docs/benchmarks.md", mark, `${text}\n\n${measured}`);
  console.log(`\nwritten to ${path}, and to docs/benchmarks.md`);
}

/**
 * Writes rows into the tables of a page, each over the row with the same first cell.
 *
 * @throws {Error} If the page has no row with the first cell of one, or several.
 */
export function writeRows(path: string, rows: readonly (readonly string[])[]): void {
  const lines = readFileSync(path, "utf8").split("\n");
  for (const row of rows) {
    const start = `| ${row[0]} |`;
    const places = lines.flatMap((line, place) => (line.startsWith(start) ? place : []));
    const [place] = places;
    if (place === undefined || places.length > 1)
      throw new Error(`${path} has ${places.length} rows that begin with ${start}: give it one`);
    lines[place] = rowOf(row);
  }
  writeFileSync(path, lines.join("\n"));
}

/** Rows under a head, as Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map(rowOf).join("\n");
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function machine(): string {
  const rust =
    spawnSync("rustc", ["--version"], { encoding: "utf8" }).stdout?.split(" ")[1] ?? "unknown";
  return `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}, Rust ${rust}.`;
}

/** Returns the date, YYYY-MM-DD. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
