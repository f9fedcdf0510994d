// The version of SQLite, which Node brings along. It is checked before anything is opened.

/** The first version in which two programs that write one database at once cannot damage it. */
const FIRST_SOUND = [3, 51, 3];
/** The first version of Node with it. */
const FIRST_NODE = "24.15";

/**
 * Returns why the server cannot work with a version of SQLite, and what to do; undefined if it can.
 *
 * @param version Such as `3.53.4`; undefined if Node has no SQLite.
 */
export function problemOfSqlite(version: string | undefined, node: string): string | undefined {
  const there = version?.split(".").map(Number) ?? [];
  const at = FIRST_SOUND.findIndex((part, place) => there[place] !== part);
  if (at < 0 || there[at]! > FIRST_SOUND[at]!) return undefined;
  const found = version === undefined ? "has no SQLite" : `has SQLite ${version}`;
  return (
    `Node ${node} ${found}, and nous-server needs ${FIRST_SOUND.join(".")} or newer: before it, two ` +
    `programs that write to one database at once can damage it. Install Node ${FIRST_NODE} or newer.`
  );
}

/** Returns the version of SQLite that this process uses; undefined if Node has none. */
export async function sqliteVersion(): Promise<string | undefined> {
  // The driver of a Node that is too old prints a warning when it is loaded.
  const { sqlite } = process.versions;
  if (problemOfSqlite(sqlite, "") !== undefined) return sqlite;
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(":memory:");
  try {
    // Some builds of Node use the SQLite of the system.
    const row = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
    return row.version;
  } finally {
    db.close();
  }
}
