// The options of the programs that measure sets of files, alone or beside the own questions.

import { parseArgs } from "node:util";

/** What a program was asked for. */
export interface SetsAndWriting {
  /** The files of sets. */
  readonly files: readonly string[];
  /** Whether tables are written, and not only printed. */
  readonly writes: boolean;
}

/**
 * Reads `--set FILE …`, or files alone, and `--no-write`. For `--help`, and without a file if it
 * `needsFiles`, prints `usage` and ends the program.
 */
export function setsAndWriting(
  usage: string,
  { needsFiles = false }: { needsFiles?: boolean } = {},
): SetsAndWriting {
  const { values, positionals } = parseArgs({
    options: {
      set: { type: "string", multiple: true, default: [] },
      "no-write": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const files = [...values.set, ...positionals];
  if (values.help || (needsFiles && files.length === 0)) {
    console.log(usage);
    process.exit(0);
  }
  return { files, writes: !values["no-write"] };
}
