// The queue of memories that wait for a vector, and the vectors of a next model.

import type { Connection } from "../connection.ts";
import { EMBEDDING_TABLES } from "../tables/embeddings.ts";

/** What the existing server calls its model, and what its provider does. */
const EXISTING = { called: "openai-3-small", model: { name: "text-embedding-3-small" } };

export function createEmbeddingTables(db: Connection): void {
  db.exec(EMBEDDING_TABLES);
  db.prepare(
    `INSERT INTO nous_meta SELECT 'embedding_model', ? WHERE EXISTS (SELECT 1 FROM nodes WHERE embedding_model = ?)
     ON CONFLICT DO NOTHING`,
  ).run(JSON.stringify(EXISTING.model), EXISTING.called);
}
