// The file in a data folder that names the server which serves it, so that `nous-server mcp` can ask
// that server. It is a hint: a reader checks that the server answers.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileIn = (dataDir: string): string => join(dataDir, "server.json");

/** Writes the address of this process' server. */
export function writeAddress(dataDir: string, url: string): void {
  writeFileSync(fileIn(dataDir), JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
}

/** Removes the address, unless another server has written its own since. */
export function removeAddress(dataDir: string): void {
  if (addressIn(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true });
}

/** Returns the address that the file names; undefined if there is none. */
export function addressIn(dataDir: string): { url: string; pid: number } | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as {
      url: unknown;
      pid: unknown;
    };
    return typeof url === "string" && typeof pid === "number" ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}
