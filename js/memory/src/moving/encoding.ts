// Finds out in which encoding a file was written, and reads it as text.

import { FileError } from "./moved.ts";

/** Control characters of which a text holds few. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NO_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g;

/** The encodings of a file. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/**
 * Returns the encoding of bytes: the one that a byte order mark names, else UTF-8 if they are that,
 * else Windows-1252, in which editors of Windows saved for decades. Text in UTF-8 with a damaged
 * character stays UTF-8.
 *
 * @param isWhole Whether these are all bytes of the file. Else they may end within a character.
 * @throws {FileError} If they are no text.
 */
export function encodingOf(bytes: Uint8Array, isWhole: boolean): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const text = new TextDecoder().decode(bytes, { stream: !isWhole });
  const broken = text.split("\ufffd").length - 1;
  const encoding = broken > 0 && !isDamagedUtf8(text, broken) ? "windows-1252" : "utf-8";
  const read = encoding === "utf-8" ? text : new TextDecoder(encoding).decode(bytes);
  const controls = read.match(NO_TEXT)?.length ?? 0;
  // No language that Windows-1252 can write has as many letters beyond ASCII.
  const isGuessed = encoding === "windows-1252" && beyondAscii(read) > read.length / 4;
  if (text.startsWith("%PDF-") || controls > 2 + read.length / 200 || isGuessed)
    throw new FileError(
      "This is no text. Exports (.jsonl, conversations.json), Markdown and text can be read.",
    );
  return encoding;
}

/** Whether most characters beyond ASCII were read. By chance, bytes seldom make one in UTF-8. */
const isDamagedUtf8 = (text: string, broken: number): boolean => beyondAscii(text) > 2 * broken;

/** Returns how many characters of a text are beyond ASCII. */
const beyondAscii = (text: string): number => text.replace(/[\0-\x7f]/g, "").length;

/** Returns bytes as text, without a byte order mark. */
export const decoded = (bytes: Uint8Array, encoding: Encoding): string =>
  new TextDecoder(encoding).decode(bytes);
