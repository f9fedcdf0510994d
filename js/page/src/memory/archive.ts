// Reads the files of a ZIP archive, with the times at which they were changed.

import { unzipSync } from "fflate";
import { FileError } from "nous-memory/moving";

/** Bytes of all files of an archive together, unpacked. A browser cannot hold much more. */
const MAX_UNPACKED = 512 * 1024 * 1024;

/**
 * Returns the files of an archive whose names are wanted.
 *
 * @param archived When the archive was last changed, in milliseconds since 1970. A file without a
 *   time of its own gets it.
 * @throws {FileError} If the archive is damaged, or would fill more than 512 MB.
 */
export function filesIn(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  archived: number,
): File[] {
  let unpacked = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false;
        unpacked += originalSize;
        if (unpacked > MAX_UNPACKED)
          throw new FileError("The archive holds more than 512 MB: unpack it, and open its parts.");
        return true;
      },
    });
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError("The archive is damaged or cut off: load the export down again.");
  }
  const times = timesIn(bytes);
  return Object.entries(entries).map(
    ([name, content]) =>
      new File([content as Uint8Array<ArrayBuffer>], name, {
        lastModified: times.get(name) ?? archived,
      }),
  );
}

// The directory at the end of an archive (APPNOTE.TXT of PKWARE, 4.3.12 and 4.3.16).
const DIRECTORY_ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const NAMES_ARE_UTF8 = 1 << 11;

/** Returns when each file of an archive was changed, by its name. The times are local ones. */
function timesIn(bytes: Uint8Array): Map<string, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const times = new Map<string, number>();
  let end = bytes.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) return times;
  let at = view.getUint32(end + 16, true);
  while (at + ENTRY_SIZE <= bytes.length && view.getUint32(at, true) === DIRECTORY_ENTRY) {
    const flags = view.getUint16(at + 8, true);
    const time = dosTime(view.getUint16(at + 14, true), view.getUint16(at + 12, true));
    const nameEnd = at + ENTRY_SIZE + view.getUint16(at + 28, true);
    const name = bytes.subarray(at + ENTRY_SIZE, nameEnd);
    const encoding = (flags & NAMES_ARE_UTF8) === 0 ? "latin1" : "utf-8";
    if (time !== undefined) times.set(new TextDecoder(encoding).decode(name), time);
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return times;
}

/** Returns a date and a time of MS-DOS in milliseconds; undefined if they are none. */
function dosTime(date: number, time: number): number | undefined {
  const [month, day] = [(date >> 5) & 15, date & 31];
  // Writers without a clock put 1980 or 0.
  if (month === 0 || day === 0 || date >> 9 === 0) return undefined;
  return new Date(
    1980 + (date >> 9),
    month - 1,
    day,
    time >> 11,
    (time >> 5) & 63,
    (time & 31) * 2,
  ).getTime();
}
