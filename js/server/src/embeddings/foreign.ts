// Vectors that neither the server nor a service of its settings makes: those of an adopted database,
// or of clients. Nothing says so otherwise: questions are answered without them.

import { textOf } from "nous-memory";
import type { VectorSources } from "../settings/embeddings-model.ts";
import type { Storage } from "../storage/storage.ts";
import { modelOf, ownModelOf } from "./built-in.ts";

/**
 * Returns what to say about the vectors of a database that a server with these sources does not
 * make, and how it would compare questions with them; undefined if there are none.
 */
export function foreignVectors(
  storage: Storage,
  { maker, table }: VectorSources,
): string | undefined {
  if (maker === "service" || ownModelOf(storage) !== undefined) return undefined;
  const { embeddings, nodes } = storage;
  const dimensions = embeddings.dimensions();
  if (dimensions === 0 || !embeddings.has(dimensions)) return undefined;
  const [first] = embeddings.lacking("", 1);
  const model =
    modelOf(storage) ?? textOf((first && nodes.find(first.id)?.embedding_model) ?? null);
  const of = model === null ? "" : ` of the model ${model}`;
  const own = maker !== undefined || table !== undefined;
  return [
    `The memories have vectors of ${dimensions} components${of}, which this server does not make.`,
    "They stay as they are, and it compares no question with them.",
    "If a service makes such vectors, name it: --embeddings-provider openai-compatible",
    `--embeddings-base-url URL --embeddings-model ${model ?? "MODEL"}`,
    `--embeddings-dimensions ${dimensions},`,
    "and its key in NOUS_EMBEDDINGS_KEY.",
    ...(own ? ["Or replace them by vectors of this server: nous-server reembed."] : []),
  ].join(" ");
}
