// Reads files that the visitor opens. They are read here, in the worker, and sent nowhere.

import {
  decoded,
  type Encoding,
  encodingOf,
  FileError,
  kindOf,
  type MovingOptions,
  readWhole,
  rowsOf,
} from "nous-memory/moving";
import { filesIn } from "./archive.ts";
import { addLine, addRow, LineError, type Rows } from "./lines.ts";
import type { WrongLine } from "./records.ts";

/** Bytes by which the kind of a file is found. */
const START = 65_536;
/** Files of an archive that the page reads. */
const WITHIN =
  /(?:^|\/)(?:(?:conversations|memories|MyActivity)[^/]*\.(?:json|html)|[^/]+\.(?:jsonl|md|markdown|txt))$/i;
/** Files that archivers add, with names like those of others. */
const BESIDE = /(?:^|\/)(?:__MACOSX\/|\.)/;

export interface FileReport {
  /** Notes a line, or a file, that could not be read. */
  wrong(line: WrongLine): void;
  /** Called with the share of the bytes that were read. */
  progress(share: number): void;
  /** Notes what a rule leaves out. */
  left?: ((why: string) => void) | undefined;
  /** Tells greetings and thanks, which are left out. Without it all messages are taken. */
  engine?: MovingOptions["engine"];
}

/** Reads files into `rows`. Notes the parts that cannot be read, and reads the rest. */
export async function readFiles(
  rows: Rows,
  files: readonly File[],
  { wrong, progress, ...rules }: FileReport,
): Promise<void> {
  const total = Math.max(
    1,
    files.reduce((sum, { size }) => sum + size, 0),
  );
  let done = 0;
  for (const file of withOwnNames(files)) {
    const ofFile = (bytes: number) => progress((done + bytes) / total);
    const report = { wrong, progress: ofFile, ...rules };
    try {
      await readFile(rows, file, report);
    } catch (error) {
      wrong({ file: file.name, line: null, why: whyOf(error) });
    }
    done += file.size;
    progress(done / total);
  }
}

/** Returns why a file could not be read. The browser's own words help where there are no better. */
function whyOf(error: unknown): string {
  if (error instanceof FileError) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `The file could not be read: ${why}`;
}

/** Returns the files with names that differ: the ids of memories begin with them. */
function withOwnNames(files: readonly File[]): File[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let name = file.name;
    for (let more = 2; taken.has(name); more += 1) name = `${file.name} (${more})`;
    taken.add(name);
    return name === file.name ? file : renamed(file, name);
  });
}

const renamed = (file: File, name: string): File =>
  new File([file], name, { lastModified: file.lastModified });

async function readFile(rows: Rows, file: File, report: FileReport): Promise<void> {
  const start = new Uint8Array(await file.slice(0, START).arrayBuffer());
  const kind = kindOf(start);
  if (kind === "zip") return readArchive(rows, file, report);
  if (kind === "lines") return readLines(rows, file, encodingOf(start, false), report);
  const { name, lastModified: modified } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = decoded(bytes, encodingOf(bytes, true));
  const moved = readWhole(kind, { name, text, modified });
  const { engine } = report;
  for (const part of rowsOf(moved, { preset: rows.preset, engine, now: Date.now(), modified })) {
    if (part.kind === "row") addRow(rows, part.row);
    else if (!part.isWrong) report.left?.(part.why);
    else {
      const { of, number = null } = part.place;
      report.wrong({
        file: name,
        line: number,
        why: part.why,
        ...(of === undefined ? {} : { of }),
      });
    }
  }
}

async function readArchive(rows: Rows, file: File, report: FileReport): Promise<void> {
  const isWanted = (name: string) => WITHIN.test(name) && !BESIDE.test(name);
  const within = filesIn(new Uint8Array(await file.arrayBuffer()), isWanted, file.lastModified);
  if (within.length === 0)
    throw new FileError("The archive holds no conversations.json, .jsonl, .md or .txt.");
  // Their bytes count as those of the archive.
  await readFiles(rows, within, { ...report, progress: () => {} });
}

/** Reads lines of an export as they arrive, so that a large file is never held as a whole. */
async function readLines(
  rows: Rows,
  file: File,
  encoding: Encoding,
  { wrong, progress }: FileReport,
): Promise<void> {
  const chunks = file.stream().pipeThrough(new TextDecoderStream(encoding)).getReader();
  let [rest, number, size] = ["", 0, 0];
  const take = (line: string) => {
    number += 1;
    if (line.trim() === "") return;
    try {
      addLine(rows, line);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      wrong({ file: file.name, line: number, why: error.message });
    }
  };
  for (;;) {
    const { done, value } = await chunks.read();
    if (done) break;
    size += value.length;
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
    progress(Math.min(size, file.size));
  }
  if (rest !== "") take(rest);
}
