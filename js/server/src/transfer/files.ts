// Reads and writes lines of files, standard input and standard output. It works in pieces, so that
// a file may have any size.

import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { clearLine, cursorTo } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { SettingsError } from "../refusal.ts";
import { StorageError } from "../storage/errors.ts";
import type { Target } from "../storage/target.ts";

/** Says how files are imported that no export of the server wrote. */
export const OTHER_FILES = "Files and folders of other programs need --from.";

const [STANDARD_INPUT, STANDARD_OUTPUT] = [0, 1];
/** Bytes of one read. */
const PIECE = 2 ** 20;
/** How long a stream that is not ready is left alone, in milliseconds. */
const WAIT = 5;
/** Characters of a progress bar. */
const WIDTH = 40;

/**
 * Calls `use` with the lines of a file, or of the standard input without a file. Shows the progress
 * on a terminal.
 */
export function withLines<T>(file: string | undefined, use: (lines: Iterable<string>) => T): T {
  const handle = file === undefined ? STANDARD_INPUT : openSync(file, "r");
  const found = fstatSync(handle);
  const bar = barOf(found.size);
  try {
    if (found.isDirectory()) throw new SettingsError(`${file} is a folder. ${OTHER_FILES}`);
    return use(linesIn(handle, (bytes) => bar?.update(bytes)));
  } finally {
    bar?.stop();
    if (file !== undefined) closeSync(handle);
  }
}

/** Calls `use` with a function that shows how much of a total is done, on a terminal. */
export function withBar<T>(total: number, use: (update: (done: number) => void) => T): T {
  const bar = barOf(total);
  try {
    return use((done) => bar?.update(done));
  } finally {
    bar?.stop();
  }
}

function* linesIn(handle: number, read: (bytes: number) => void): Iterable<string> {
  const decoder = new StringDecoder("utf8");
  const piece = Buffer.alloc(PIECE);
  let [rest, bytes] = ["", 0];
  for (;;) {
    const length = onceReady(() => readSync(handle, piece));
    if (length === 0) break;
    bytes += length;
    const lines = (rest + decoder.write(piece.subarray(0, length))).split("\n");
    rest = lines.pop()!;
    yield* lines;
    read(bytes);
  }
  if (rest !== "") yield rest;
}

/**
 * Calls `use` with a function that writes to a file, or to the standard output without one, and
 * with a function that shows the progress out of a total. The file appears only when it is
 * complete.
 */
export function withWriting<T>(
  target: Target | undefined,
  total: number,
  use: (write: (text: string) => void, done: (count: number) => void) => T,
): T {
  const handle = target === undefined ? STANDARD_OUTPUT : openSync(target.unfinished, "wx", 0o600);
  const bar = target === undefined ? undefined : barOf(total);
  try {
    const result = use(
      (text) => writeAll(handle, Buffer.from(text)),
      (count) => bar?.update(count),
    );
    target?.put();
    return result;
  } finally {
    bar?.stop();
    if (target !== undefined) {
      closeSync(handle);
      target.cleanUp();
    }
  }
}

/** @throws {StorageError} If the handle is a pipe whose reader has gone. */
function writeAll(handle: number, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length; ) at += onceReady(() => writeSync(handle, bytes, at));
  } catch (error) {
    if ((error as { code?: string }).code !== "EPIPE") throw error;
    throw new StorageError(
      "The output is not complete: the program that read it has ended. Start both again.",
    );
  }
}

/**
 * Returns what `act` returns, which reads or writes a piece. Another program, or Node itself, can
 * have made a pipe one that does not block: then it is tried until the pipe has data or room.
 */
function onceReady(act: () => number): number {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, WAIT);
    }
  }
}

/** A progress bar. */
interface Bar {
  update(done: number): void;
  /** Removes the bar. */
  stop(): void;
}

/** Returns a progress bar on the standard error; undefined if that is not a terminal. */
function barOf(total: number): Bar | undefined {
  const { stderr } = process;
  if (!stderr.isTTY || total === 0) return undefined;
  let shown: number | undefined;
  return {
    update(done) {
      const percent = Math.min(100, Math.floor((100 * done) / total));
      if (percent === shown) return;
      shown = percent;
      const filled = Math.round((WIDTH * percent) / 100);
      cursorTo(stderr, 0);
      stderr.write(`${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${percent} %`);
    },
    stop() {
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
    },
  };
}
