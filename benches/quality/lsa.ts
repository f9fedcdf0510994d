// Latent semantic analysis (Deerwester et al. 1990): embeddings of texts from the texts alone,
// without a model. A matrix of texts by terms, weighed by TF-IDF, is cut down to its largest
// singular values; texts that share contexts come close, also where they share no word. Queries are
// folded in: projected onto the same singular vectors.

import { Random } from "../../js/demo/sample/random.ts";
import { leadingVectors, type SparseRow } from "./svd.ts";

export interface LatentSemanticsOptions {
  /** Components of an embedding, at most; fewer where the texts have no more to tell apart. */
  dimensions: number;
  /** Of the randomized decomposition. */
  seed: number;
  /** How a text is divided. */
  terms: (text: string) => readonly string[];
}

/** Embeddings of length 1, so that a dot product is a cosine. */
export interface LatentSemantics {
  /** Components of every embedding. */
  dimensions: number;
  /** The embedding of a text by its place; null where it shares no term with another text. */
  document(place: number): Float32Array | null;
  /** The embedding of any text; null where no term of it is known. */
  embed(text: string): Float32Array | null;
}

/** A term of one text alone ties nothing together. */
const LEAST_TEXTS = 2;

/** Learns from texts which terms go together. */
export function latentSemantics(
  texts: readonly string[],
  { dimensions, seed, terms }: LatentSemanticsOptions,
): LatentSemantics {
  const counts = texts.map((text) => countsOf(terms(text)));
  const spread = countsOf(counts.flatMap((count) => [...count.keys()]));
  const known = [...spread].filter(([, of]) => of >= LEAST_TEXTS);
  const column = new Map(known.map(([term], place) => [term, place]));
  const rarity = known.map(([, of]) => Math.log(texts.length / of));

  /** A text's TF-IDF at length 1, with logarithmic frequencies; empty where no term is known. */
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
