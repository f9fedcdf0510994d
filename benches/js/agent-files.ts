// The files of the agent `default` in a data folder, which benches make before a server starts.

import { createHash } from "node:crypto";
import { join } from "node:path";

/** The name of the files: the first 32 hexadecimal digits of the SHA-256 of the agent's name. */
const NAME = createHash("sha256").update("default").digest("hex").slice(0, 32);

/** Returns the path of the agent's database. */
export const databaseIn = (dataDir: string): string => join(dataDir, "agents", `${NAME}.db`);

/** Returns the paths of the snapshots of the agent's indexes. */
export const snapshotsIn = (dataDir: string): string[] =>
  [".index", ".texts"].map((ending) => join(dataDir, "agents", `${NAME}${ending}`));
