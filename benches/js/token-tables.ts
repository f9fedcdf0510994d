// The token tables of nous-embedder, and words that they hold.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Returns the bytes of the table with vectors of these dimensions. */
export const tableOf = (dimensions: number): Uint8Array =>
  new Uint8Array(readFileSync(resolve(`js/embedder/tables/nous-${dimensions}.bin`)));

/** Returns the tokens of a table that are words of letters, and those that continue words. */
export function lettersOf(table: Uint8Array): { starts: string[]; ends: string[] } {
  const length = new DataView(table.buffer, table.byteOffset).getUint32(16, true);
  const tokens = new TextDecoder().decode(table.subarray(20, 20 + length)).split("\n");
  return {
    starts: tokens.filter((token) => /^[a-z]{3,}$/.test(token)),
    ends: tokens.filter((token) => /^##[a-z]{2,}$/.test(token)).map((token) => token.slice(2)),
  };
}
