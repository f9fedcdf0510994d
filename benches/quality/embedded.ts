// The sample memory with embeddings by latent semantic analysis of its own texts.

import { MemoryIndex, type Ranking, type SearchConfig, type SearchResult } from "nous-wasm";
import { textOf } from "../../js/sample/trader/index.ts";
import type { Library } from "./library.ts";
import { type LatentSemantics, latentSemantics } from "./lsa.ts";
import { DEPTH } from "./metrics.ts";
import type { Askable } from "./systems.ts";
import { termsOf } from "./terms.ts";

/**
 * Components of an embedding: of 64, 128 and 256 the number with the best global ranking on the
 * development set.
 */
export const DIMENSIONS = 128;
const SEED = 5;

/**
 * The defaults, except for the sample's edge types, and for the number of seeds, of 15 and 45 the
 * better one on the development set.
 */
const SEARCH: SearchConfig = { edgeWeight: "stored_type", maxSeeds: 45 };

/** Returns the latent semantics of the texts in the full-text index. */
export function semanticsOf(library: Library): LatentSemantics {
  const texts = library.nodes.map(({ subtype, content_title, content_body, tags }) =>
    [subtype, content_title, textOf(content_body), ...tags].join(" "),
  );
  return latentSemantics(texts, { dimensions: DIMENSIONS, seed: SEED, terms: termsOf });
}

/**
 * The memories of a library with embeddings, searched by words and meaning. Call `free` at the end.
 */
export class EmbeddedMemory implements Askable {
  readonly #index: MemoryIndex;

  constructor(
    readonly library: Library,
    readonly semantics: LatentSemantics,
    changes: SearchConfig = {},
  ) {
    const { nodes, edges, at } = library;
    this.#index = new MemoryIndex({
      dimensions: semantics.dimensions,
      config: { search: { ...SEARCH, ...changes } },
    });
    this.#index.upsert(
      nodes.map((node, place) => ({ ...node, embedding: semantics.document(place) })),
      { now: at },
    );
    this.#index.link(edges);
  }

  alone(question: string): readonly string[] {
    const embedding = this.semantics.embed(question);
    return embedding === null ? [] : this.#index.similar(embedding, { limit: DEPTH }).ids;
  }

  search(
    question: string,
    sections: boolean,
    embedding = this.semantics.embed(question),
  ): SearchResult<Ranking> {
    const { library } = this;
    const bm25 = library.hits(question);
    return this.#index.search({
      embedding,
      bm25,
      sections,
      limit: library.nodes.length,
      now: library.at,
    });
  }

  /** Frees the index and its memory. */
  free(): void {
    this.#index.free();
  }
}
