// The file in a data folder that names the server which serves it, so that `nous-server mcp` can ask
// that server. It is a hint: a reader checks that the server at the address is the one of the file, since
// another program may have the port by now.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileIn = (dataDir: string): string => join(dataDir, "server.json");

/** The address of a server, and the name that it gave itself at its start. */
export interface Address {
  url: string;
  instance: string;
}

/** Writes the address of this process' server. */
export function writeAddress(dataDir: string, address: Address): void {
  writeFileSync(fileIn(dataDir), JSON.stringify(address), { mode: 0o600 });
}

/** Removes the address, unless another server has written its own since. */
export function removeAddress(dataDir: string, instance: string): void {
  if (addressIn(dataDir)?.instance === instance) rmSync(fileIn(dataDir), { force: true });
}

/** Returns the address that the file names; undefined if there is none. */
export function addressIn(dataDir: string): Address | undefined {
  try {
    const { url, instance } = JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as {
      url: unknown;
      instance: unknown;
    };
    const isAddress = typeof url === "string" && typeof instance === "string";
    return isAddress ? { url, instance } : undefined;
  } catch {
    return undefined;
  }
}
