// The files that an import from another program reads: one file, those of a folder, the standard input, or
// what a URL answers. A file is read in pieces, so that it may be larger than a text of JavaScript.

import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Encoding, encodingOf, FileError, linkId, type SourceFile } from "nous-memory/moving";
import { SettingsError } from "../../refusal.ts";
import { filesOfArchive, isArchive } from "./archive.ts";

/** Stands for the standard input. */
const STANDARD = "-";
/** Bytes of one read, and of the start by which the encoding is found. */
const PIECE = 2 ** 20;
const START = 65_536;
/** Bytes that a URL may answer. */
const MAX_ANSWER = 256 * 2 ** 20;
/** How long a URL may take, in milliseconds. */
const MAX_WAIT = 300_000;
/** Folders of a folder within each other. */
const MAX_DEPTH = 64;

/** A file, with its bytes for a progress bar. */
export interface FoundFile extends SourceFile {
  bytes: number;
  /** Its path on the disk; empty if it has none. */
  path: string;
}

/** The files that were found. */
export interface Found {
  files: FoundFile[];
  /** The name under which they are known: no two folders, archives, URLs or inputs share one. */
  folder: string;
}

/**
 * Finds the files of an import.
 *
 * @param given A file, a folder, a URL, or `-` for the standard input.
 * @param wanted The names of the files that are read in a folder.
 * @param read Called with the bytes that were read.
 * @throws {SettingsError} If there is none. The message says what to name instead.
 */
export async function filesAt(
  given: string,
  wanted: RegExp,
  read: (bytes: number) => void = () => {},
): Promise<Found> {
  if (given === STANDARD) {
    const bytes = readFileSync(0);
    const known = nameOf("standard input", createHash("sha256").update(bytes).digest("hex"));
    return of("standard input", bytes, wanted, known);
  }
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(given)) {
    const { name, bytes } = await fetched(given);
    return of(name, bytes, wanted, nameOf(name, withoutSecrets(given)));
  }
  const path = resolve(given);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) throw new SettingsError(`There is no file or folder ${path}.`);
  if (!there.isDirectory()) {
    if (beginsAsArchive(path))
      return of(basename(path), readFileSync(path), wanted, nameOfFolder(path), path);
    const file = fileAt(path, basename(path), read);
    return { files: [file], folder: nameOfFolder(resolve(path, "..")) };
  }
  const files = filesIn(path, wanted).map((name) => fileAt(join(path, name), name, read));
  if (files.length === 0)
    throw new SettingsError(`The folder ${path} holds no file to read (${wanted.source}).`);
  return { files, folder: nameOfFolder(path) };
}

const nameOf = (name: string, identity: string): string =>
  `${name}-${linkId(identity, "", "").slice(5)}`;

/** Returns the name under which an import knows a folder or an archive: that of its whole path. */
export const nameOfFolder = (path: string): string => {
  const whole = realpathSync(path);
  return nameOf(basename(whole), whole);
};

/** Names of fields of a URL that are secrets. */
const SECRET = /token|secret|passw|signature|^sig$|^(?:api[_-]?)?key$|credential|^x-(?:amz|goog)-/i;

/** Returns a URL without its credentials and the secrets of its query. */
function withoutSecrets(given: string): string {
  const url = new URL(given);
  const fields = [...url.searchParams].filter(([name]) => !SECRET.test(name));
  return `${url.origin}${url.pathname}?${new URLSearchParams(fields)}`;
}

/** Folders and files that editors, systems and archivers keep for themselves. */
const BESIDE =
  /^(?:\.|~\$|#)|~$|\.(?:tmp|temp|swp|swx|bak|part|crdownload)$|^(?:__MACOSX|node_modules)$/i;

/** Whether a name is that of a hidden or temporary file, or of such a folder. */
export const isBeside = (name: string): boolean => BESIDE.test(name);

/** Returns the files of a folder, as `entriesIn` does, whose paths are wanted. */
export const filesIn = (folder: string, wanted: RegExp): string[] =>
  entriesIn(folder).files.filter((name) => wanted.test(name));

/**
 * Returns the files of a folder and of those within, by their paths with "/" in order, and these folders,
 * itself as "". Hidden and temporary ones are left out, and symbolic links are not followed.
 */
export function entriesIn(folder: string): { files: string[]; folders: string[] } {
  const [files, folders]: [string[], string[]] = [[], []];
  const look = (below: string, depth: number): void => {
    folders.push(below);
    const entries = readdirSync(join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (isBeside(entry.name)) continue;
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < MAX_DEPTH) look(name, depth + 1);
      else if (entry.isFile()) files.push(name);
    }
  };
  look("", 0);
  return { files, folders };
}

function fileAt(path: string, name: string, read: (bytes: number) => void): FoundFile {
  const { size, mtimeMs } = lstatSync(path).isSymbolicLink() ? statSync(path) : lstatSync(path);
  const modified = Math.round(mtimeMs);
  return { name, path, modified, bytes: size, chunks: () => chunksOf(path, read) };
}

function ofBytes(name: string, bytes: Uint8Array, modified: number): FoundFile {
  let text: string | undefined;
  const chunks = () => {
    text ??= textOf(bytes);
    return [text];
  };
  return { name, path: "", modified, bytes: bytes.length, chunks };
}

function beginsAsArchive(path: string): boolean {
  const handle = openSync(path, "r");
  try {
    const start = Buffer.alloc(4);
    readSync(handle, start);
    return isArchive(start);
  } finally {
    closeSync(handle);
  }
}

/** Returns bytes as a file, or the files of the archive that they are. */
function of(name: string, bytes: Uint8Array, wanted: RegExp, folder: string, path = ""): Found {
  const now = Date.now();
  if (!isArchive(bytes)) return { files: [ofBytes(name, bytes, now)], folder };
  const isRead = (within: string) => wanted.test(within) && !within.split("/").some(isBeside);
  try {
    const files = filesOfArchive(bytes, isRead).map((file) =>
      ofBytes(file.name, file.bytes, Math.min(file.modified ?? now, now)),
    );
    if (files.length > 0) return { files, folder };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SettingsError(`${path || name}: ${error.message}`);
  }
  throw new SettingsError(`The archive ${path || name} holds no file to read (${wanted.source}).`);
}

/** Returns the text of bytes in their encoding. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder(checkedEncoding(bytes, true)).decode(bytes);

/** @throws {FileError} If these are an archive, or no text. */
function checkedEncoding(bytes: Uint8Array, isWhole: boolean): Encoding {
  if (isArchive(bytes))
    throw new FileError("This is an archive (ZIP): name it alone, or unpack it.");
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new FileError("This is an archive (gzip): unpack it first.");
  return encodingOf(bytes, isWhole);
}

function* chunksOf(path: string, read: (bytes: number) => void): Iterable<string> {
  const handle = openSync(path, "r");
  try {
    const piece = Buffer.alloc(PIECE);
    let decoder: TextDecoder | undefined;
    for (;;) {
      const length = readSync(handle, piece);
      const bytes = piece.subarray(0, length);
      if (decoder === undefined) {
        if (length === 0) return;
        const start = bytes.subarray(0, START);
        decoder = new TextDecoder(checkedEncoding(start, length <= START));
      }
      if (length === 0) break;
      yield decoder.decode(bytes, { stream: true });
      read(length);
    }
    yield decoder.decode();
  } finally {
    closeSync(handle);
  }
}

/** @throws {SettingsError} If the URL is none of http, or does not answer with a file. */
async function fetched(given: string): Promise<{ name: string; bytes: Uint8Array }> {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new SettingsError(
      `${given.replace(/:\/\/.*$/s, "://…")} must be a file, a folder, or a URL with http or https.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new SettingsError(
      `The URL of ${url.host} names a user or a password: load the file down, and name it.`,
    );
  // A password in the URL stays out of messages.
  const shown = `${url.origin}${url.pathname}`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(MAX_WAIT) });
    if (!answer.ok) throw new Error(`it answered with status ${answer.status}`);
    const bytes = await bytesOf(answer);
    return { name: basename(url.pathname) || url.host, bytes };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error && cause.message !== "" ? cause.message : message;
    throw new SettingsError(`${shown} could not be read: ${why}.`);
  }
}

async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const piece = (await reader?.read())?.value;
    if (piece === undefined) return Buffer.concat(pieces);
    pieces.push(piece);
    size += piece.length;
    if (size <= MAX_ANSWER) continue;
    await reader?.cancel();
    throw new Error("it is larger than 256 MB: load it down, and name the file");
  }
}
