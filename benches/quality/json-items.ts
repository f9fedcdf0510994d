// Reads the items of a list from a file of JSON, one after the other, so that a file may be larger
// than the memory.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

const GZIP = [0x1f, 0x8b] as const;

/** Returns whether bytes begin as a file of gzip does. */
export const isGzip = (bytes: Uint8Array): boolean => GZIP.every((one, i) => bytes[i] === one);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
/** Space, tab, line feed, carriage return. */
const BLANK: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/**
 * Yields the items of a list, in order. Holds one item at a time.
 *
 * @param path - A file of JSON. It may be compressed by gzip, whatever its name.
 * @throws {Error} If the file cannot be read or is no list in JSON. The message names the file, and
 * the place of an item that is no JSON.
 */
export async function* itemsOf(path: string): AsyncGenerator<unknown> {
  const items = new Items(path);
  try {
    for await (const chunk of await bytesOf(path)) yield* items.take(chunk);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code?.startsWith("Z_") !== true) throw cause;
    throw new Error(`${path}: no JSON: ${(cause as Error).message}`, { cause });
  }
  items.end();
}

async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
  await file.close();
  const bytes = createReadStream(path);
  // An error of the file ends the list, too.
  return isGzip(buffer) ? pipeline(bytes, createGunzip(), () => {}) : bytes;
}

/** Cuts the bytes of a list into its items. */
class Items {
  /** The bytes of the item so far, of earlier chunks. */
  #parts: Buffer[] = [];
  #count = 0;
  /** How many lists and objects are open. */
  #depth = 0;
  #isOver = false;
  #isInText = false;
  #isEscaped = false;

  constructor(readonly path: string) {}

  /** Yields the items that end in the next bytes. */
  *take(chunk: Buffer): Generator<unknown> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInText = false;
      } else if (this.#depth === 0) {
        if (BLANK.includes(byte)) continue;
        if (this.#isOver || byte !== OPEN_LIST) throw this.#wrong("it is not one list");
        this.#depth = 1;
        start = i + 1;
      } else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth++;
      else if (byte === COMMA && this.#depth === 1) {
        yield this.#item(chunk.subarray(start, i));
        start = i + 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        this.#depth--;
        if (this.#depth > 0) continue;
        this.#isOver = true;
        const last = chunk.subarray(start, i);
        const isEmpty = this.#count === 0 && [...this.#parts, last].every(isBlank);
        if (byte === CLOSE_OBJECT) throw this.#wrong("the list ends with }");
        if (!isEmpty) yield this.#item(last);
      }
    }
    if (this.#depth > 0) this.#parts.push(chunk.subarray(start));
  }

  /** @throws {Error} If the list has not ended. */
  end(): void {
    if (!this.#isOver) throw this.#wrong("the list does not end");
  }

  #item(last: Buffer): unknown {
    const text = Buffer.concat([...this.#parts, last]).toString("utf8");
    this.#parts = [];
    const place = this.#count++;
    try {
      return JSON.parse(text);
    } catch (cause) {
      const { message } = cause as Error;
      throw new Error(`${this.path}[${place}]: no JSON: ${message}`, { cause });
    }
  }

  #wrong(what: string): Error {
    return new Error(`${this.path}: no JSON: ${what}`);
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => BLANK.includes(byte));
