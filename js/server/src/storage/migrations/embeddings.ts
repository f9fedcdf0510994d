// Migration: the queue of memories that wait for an embedding, and the embeddings of a next model.

import type { Connection } from "../connection.ts";
import { EMBEDDING_TABLES } from "../tables/embeddings.ts";

/** The name of Hynous' model in its database, and the provider's name of the same model. */
const EXISTING = { called: "openai-3-small", model: { name: "text-embedding-3-small" } };

export function createEmbeddingTables(db: Connection): void {
  db.exec(EMBEDDING_TABLES);
  db.prepare(
    `INSERT INTO nous_meta SELECT 'embedding_model', ? WHERE EXISTS (SELECT 1 FROM nodes WHERE embedding_model = ?)
     ON CONFLICT DO NOTHING`,
  ).run(JSON.stringify(EXISTING.model), EXISTING.called);
}
