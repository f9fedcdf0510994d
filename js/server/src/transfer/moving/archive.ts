// Reads the files of a ZIP archive (APPNOTE.TXT of PKWARE, 4.3): stored or deflated, without passwords.

import { inflateRawSync } from "node:zlib";
import { FileError } from "nous-memory/moving";

/** A file of an archive. */
export interface ArchivedFile {
  name: string;
  /** When it was changed, by local time, in milliseconds since 1970; undefined if it is not known. */
  modified: number | undefined;
  bytes: Uint8Array;
}

/** Bytes of all files together, unpacked. */
const MAX_UNPACKED = 2 ** 30;
const [DIRECTORY_ENTRY, LOCAL_ENTRY, END] = [0x02014b50, 0x04034b50, 0x06054b50];
const [ENTRY_SIZE, LOCAL_SIZE, END_SIZE] = [46, 30, 22];
const [IS_ENCRYPTED, NAMES_ARE_UTF8] = [1, 1 << 11];
const [STORED, DEFLATED] = [0, 8];
const DAMAGED = "The archive is damaged or cut off: load it down again.";

/** Whether bytes begin like an archive. */
export const isArchive = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/**
 * Returns the files of an archive whose names are wanted, in order.
 *
 * @throws {FileError} If it is damaged, has a password, or would fill more than 1 GB.
 */
export function filesOfArchive(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
): ArchivedFile[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new FileError(DAMAGED);
  const files: ArchivedFile[] = [];
  let left = MAX_UNPACKED;
  try {
    let at = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw new FileError(DAMAGED);
      const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
      const [packed, place] = [view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
      const nameEnd = at + ENTRY_SIZE + view.getUint16(at + 28, true);
      const encoding = (flags & NAMES_ARE_UTF8) === 0 ? "latin1" : "utf-8";
      const name = new TextDecoder(encoding).decode(archive.subarray(at + ENTRY_SIZE, nameEnd));
      const modified = timeOf(view.getUint16(at + 14, true), view.getUint16(at + 12, true));
      at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
      if (name.endsWith("/") || !isWanted(name)) continue;
      if ((flags & IS_ENCRYPTED) !== 0)
        throw new FileError("The archive has a password: unpack it, and name its folder.");
      if (view.getUint32(place, true) !== LOCAL_ENTRY) throw new FileError(DAMAGED);
      const start =
        place + LOCAL_SIZE + view.getUint16(place + 26, true) + view.getUint16(place + 28, true);
      const data = archive.subarray(start, start + packed);
      if (data.length < packed) throw new FileError(DAMAGED);
      const bytes = unpacked(data, method, left);
      left -= bytes.length;
      files.push({ name, modified, bytes });
    }
  } catch (error) {
    // Places beyond its end.
    if (error instanceof RangeError) throw new FileError(DAMAGED);
    throw error;
  }
  return files;
}

function unpacked(data: Uint8Array, method: number, room: number): Uint8Array {
  const tooLarge = "The archive holds more than 1 GB: unpack it, and name its folder.";
  if (method === STORED) {
    if (data.length > room) throw new FileError(tooLarge);
    return data;
  }
  if (method !== DEFLATED)
    throw new FileError("The archive is packed in an unusual way: unpack it, and name its folder.");
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(room, 1) });
  } catch (error) {
    const isLarge = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw new FileError(isLarge ? tooLarge : DAMAGED);
  }
}

/** Returns a date and a time of MS-DOS in milliseconds; undefined if they are none. */
function timeOf(date: number, time: number): number | undefined {
  const [year, month, day] = [1980 + (date >> 9), (date >> 5) & 15, date & 31];
  // Writers without a clock put 1980 or 0.
  if (month === 0 || day === 0 || date >> 9 === 0) return undefined;
  return new Date(year, month - 1, day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime();
}
