// Latent semantic analysis (Deerwester et al. 1990): embeddings of texts from the texts alone,
// without a model. A matrix of texts by terms, weighted by TF-IDF, is reduced to its largest
// singular values. Texts with similar contexts come close, even without a common word. Queries are
// folded in: projected onto the same singular vectors.

import { Random } from "../../js/sample/trader/random.ts";
import { leadingVectors, type SparseRow } from "./svd.ts";

/** Options of the analysis. */
export interface LatentSemanticsOptions {
  /** The most components of an embedding. There are fewer if the rank of the matrix is lower. */
  dimensions: number;
  /** The seed of the randomized decomposition. */
  seed: number;
  /** Splits a text into terms. */
  terms: (text: string) => readonly string[];
}

/** Embeddings of length 1, so that a dot product is a cosine. */
export interface LatentSemantics {
  /** The components of every embedding. */
  dimensions: number;
  /** Returns the embedding of the text at a place; null if it shares no term with another text. */
  document(place: number): Float32Array | null;
  /** Returns the embedding of any text; null if it contains no known term. */
  embed(text: string): Float32Array | null;
}

/** The least texts of a term: a term of a single text relates no texts. */
const MIN_TEXTS = 2;

/** Computes the latent semantics of texts. */
export function latentSemantics(
  texts: readonly string[],
  { dimensions, seed, terms }: LatentSemanticsOptions,
): LatentSemantics {
  const counts = texts.map((text) => countsOf(terms(text)));
  const spread = countsOf(counts.flatMap((count) => [...count.keys()]));
  const known = [...spread].filter(([, of]) => of >= MIN_TEXTS);
  const column = new Map(known.map(([term], place) => [term, place]));
  const rarity = known.map(([, of]) => Math.log(texts.length / of));

  /**
   * Returns a text's TF-IDF row at length 1, with logarithmic frequencies; empty if it contains no
   * known term.
   */
  const rowOf = (count: ReadonlyMap<string, number>): SparseRow => {
    const columns: number[] = [];
    const values: number[] = [];
    for (const [term, times] of count) {
      const place = column.get(term);
      if (place === undefined || rarity[place] === 0) continue;
      columns.push(place);
      values.push((1 + Math.log(times)) * rarity[place]!);
    }
    const length = Math.hypot(...values);
    return { columns, values: values.map((value) => value / length) };
  };

  const rows = counts.map(rowOf);
  const { vectors } = leadingVectors(
    rows,
    known.length,
    dimensions,
    new Random(seed, "latent semantics"),
  );
  const project = ({ columns, values }: SparseRow): Float32Array | null => {
    const components = vectors.map((vector) =>
      columns.reduce((sum, at, i) => sum + values[i]! * vector[at]!, 0),
    );
    const length = Math.hypot(...components);
    return length === 0 ? null : Float32Array.from(components, (component) => component / length);
  };
  return {
    dimensions: vectors.length,
    document: (place) => project(rows[place]!),
    embed: (text) => project(rowOf(countsOf(terms(text)))),
  };
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
