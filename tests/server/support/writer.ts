// A process that writes memories into one database file, and moves its log into the file, until it is
// told to stop. After each commit it prints the id of the memory. Started by writers.test.ts.
//
//     node writer.ts FILE NAME

import { DatabaseSync } from "node:sqlite";
import { SqliteStorage } from "../../../js/server/src/storage/sqlite.ts";
import { nodeOf } from "./stored-node.ts";

const [, , file = "", name = ""] = process.argv;
/** What `PRAGMA wal_checkpoint` does beside the writers, in turn. */
const CHECKPOINTS = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];
/** Writes between two checkpoints of this process. */
const EVERY = 7;

let isStopping = false;
process.once("SIGTERM", () => {
  isStopping = true;
});

const storage = new SqliteStorage(file, { durability: "normal" });
// As another program does it, on a connection of its own.
const beside = new DatabaseSync(file, { timeout: 50 });

for (let turn = 0; !isStopping; turn++) {
  const id = `${name}-${turn}`;
  try {
    storage.transaction(() => {
      storage.nodes.insert(nodeOf(id, { content_body: `${id} `.repeat(1 + (turn % 200)) }));
      // Pages are freed and used again.
      if (turn % 5 === 4) storage.nodes.delete(`${name}-${turn - 1}`);
    });
    process.stdout.write(`${id}\n`);
  } catch (error) {
    // The others did not let it in for five seconds: nothing is written, and nothing told.
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
  }
  if (turn % EVERY === 0)
    beside
      .prepare(`PRAGMA wal_checkpoint(${CHECKPOINTS[(turn / EVERY) % CHECKPOINTS.length]})`)
      .all();
  // Lets the signal in.
  await new Promise((resolve) => setImmediate(resolve));
}
beside.close();
storage.close();
