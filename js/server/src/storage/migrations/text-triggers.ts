// Migration: renames the full-text triggers to the names that Hynous' server uses. When Hynous
// starts on this database again, it finds its names and creates no second set, which would index
// every text twice.

import type { Connection } from "../connection.ts";

const TEXTS = ["content_title", "content_summary", "content_body"] as const;
const of = (row: "old" | "new") =>
  [`${row}.rowid`, ...TEXTS.map((text) => `${row}.${text}`)].join(", ");
const ADDED = `INSERT INTO nodes_fts(rowid, ${TEXTS.join(", ")}) VALUES (${of("new")});`;
const REMOVED = `INSERT INTO nodes_fts(nodes_fts, rowid, ${TEXTS.join(", ")}) VALUES ('delete', ${of("old")});`;

export function nameTextTriggers(db: Connection): void {
  const triggers = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'nodes' AND sql LIKE '%nodes_fts%'",
    )
    .all() as { name: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name.replaceAll('"', '""')}"`);
  db.exec(`
    CREATE TRIGGER nodes_ai AFTER INSERT ON nodes BEGIN ${ADDED} END;
    CREATE TRIGGER nodes_ad AFTER DELETE ON nodes BEGIN ${REMOVED} END;
    CREATE TRIGGER nodes_au AFTER UPDATE OF ${TEXTS.join(", ")} ON nodes
      WHEN ${TEXTS.map((text) => `old.${text} IS NOT new.${text}`).join(" OR ")}
      BEGIN ${REMOVED} ${ADDED} END;
  `);
  // Both sets of triggers may have written to the index.
  db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('rebuild')");
}
