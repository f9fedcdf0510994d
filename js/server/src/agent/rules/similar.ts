// Rule: the memories that say the same as a text. They are compared by their embeddings, or by
// their words if there are no embeddings. The rule reads rows in slices between which other agents
// get their turns, so that it is not in the crate; the crate finds the candidates.

import { fadedNow } from "nous-memory";
import { overlaps } from "nous-wasm";
import type { SimilarAnswer, SimilarRequest } from "../../api/embeddings.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { VectorHead } from "../../storage/tables/embeddings.ts";
import type { Agent } from "../agent.ts";

/** The number of components that are compared; the rest of a longer embedding is ignored. */
const COMPARED = 512;
/**
 * The least similarity of a duplicate, and of a memory to connect with: a cosine, or a share of
 * words. Of 400 memories of the sample, the server's transformer finds another as near as the second for
 * 29, and one as near as the first for 2.
 */
const BY_VECTORS = { duplicate: 0.95, connect: 0.9 };
/**
 * The same for vectors of a table, which do not tell the order of words. Among 400 memories of the
 * sample, whose texts have much in common, 35 have another as near as the second, and one as near
 * as the first.
 */
const BY_TABLE = { duplicate: 0.97, connect: 0.94 };
const BY_WORDS = { duplicate: 0.95, connect: 0.8 };
/** Candidates beyond the limit: an index may hold rounded embeddings. */
const SPARE = 50;
/** Memories whose words are compared: the best of a full-text search for the text. */
const MAX_CANDIDATES = 200;
/** Bytes of texts that are compared in one slice. */
const COMPARED_AT_ONCE = 512 * 2 ** 10;
/** Terms of a full-text search, and UTF-16 units of the text that are read for them at first. */
const MAX_TERMS = 64;
const FIRST_LOOK = 10_000;
/** UTF-16 units that are read at most. */
const LAST_LOOK = 160_000;
const SIMILARITY_DIGITS = 4;

interface Candidate {
  id: string;
  title: string | null;
  similarity: number;
}

/**
 * Compares a text with the memories, by its embedding if `vector` is given, else by its words.
 * `isOfTable` says that a table made the vectors. Other agents get their turns meanwhile.
 */
export async function similar(
  agent: Agent,
  request: Omit<SimilarRequest, "embedding">,
  vector: ArrayLike<number> | undefined,
  isOfTable = false,
): Promise<SimilarAnswer> {
  const thresholds = vector === undefined ? BY_WORDS : isOfTable ? BY_TABLE : BY_VECTORS;
  const candidates =
    vector === undefined
      ? await byWords(agent, request)
      : await byVectors(agent, request, Float32Array.from(vector), thresholds.connect);
  const best = candidates
    .filter(({ similarity }) => similarity >= thresholds.connect)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, request.limit);
  const ids = best.map(({ id }) => id);
  const faded = agent.read(() => fadedNow(ids, agent.index, agent.engine, agent.now()));
  const matches = best.map(({ id, title, similarity }, place) => ({
    node_id: id,
    title: title ?? "",
    similarity: Number(similarity.toFixed(SIMILARITY_DIGITS)),
    action: similarity >= thresholds.duplicate ? ("duplicate" as const) : ("connect" as const),
    lifecycle: faded[place]?.lifecycle ?? "ACTIVE",
  }));
  return {
    matches,
    recommendation: recommendationOf(matches),
    basis: vector === undefined ? "words" : "vectors",
  };
}

function recommendationOf([best]: SimilarAnswer["matches"]): SimilarAnswer["recommendation"] {
  if (best === undefined) return "unique";
  return best.action === "duplicate" ? "duplicate_found" : "similar_found";
}

async function byVectors(
  agent: Agent,
  request: Omit<SimilarRequest, "embedding">,
  vector: Float32Array,
  min: number,
): Promise<Candidate[]> {
  const asked = vector.subarray(0, COMPARED);
  const found: Candidate[] = [];
  for (const rows of vectorsLike(agent, request, vector, asked.length)) {
    await agent.giveWay();
    for (const { id, content_title: title, head } of rows) {
      const similarity = cosine(asked, componentsOf(head));
      // A NaN, from an embedding of zeros, is not similar.
      if (similarity >= min) found.push({ id, title, similarity });
    }
  }
  return found;
}

/**
 * Returns candidates. The index compares whole embeddings: if only a part of them counts, all rows
 * are read.
 */
function vectorsLike(
  { storage: { embeddings }, index }: Agent,
  { subtype, limit }: Omit<SimilarRequest, "embedding">,
  vector: Float32Array,
  compared: number,
): Iterable<VectorHead[]> {
  if (compared < vector.length) return embeddings.heads(subtype ?? null, vector.length, compared);
  const filter = subtype == null ? {} : { subtypes: [subtype] };
  const { ids } = index.similar(vector, { limit: limit + SPARE, filter });
  return [embeddings.vectors(ids, vector.length)];
}

/** The copy aligns the bytes for floats. */
const componentsOf = (head: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(head).buffer);

/** Returns the cosine of two vectors of one length; NaN if one of them is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [product, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    product += a[at]! * b[at]!;
    squaresOfA += a[at]! * a[at]!;
    squaresOfB += b[at]! * b[at]!;
  }
  return product / (Math.sqrt(squaresOfA) * Math.sqrt(squaresOfB));
}

async function byWords(
  agent: Agent,
  { title, content, subtype }: Omit<SimilarRequest, "embedding">,
): Promise<Candidate[]> {
  const { storage } = agent;
  const text = wordsOf({
    content_title: title ?? "",
    content_summary: null,
    content_body: content,
  });
  await agent.prepare("signals");
  const { ids, octets } = agent.read(() => {
    const among = storage.nodes.matching({ subtype: subtype ?? undefined });
    const hits = agent.texts.search(firstTerms(agent, text), { limit: MAX_CANDIDATES, among });
    const ids = hits.map(({ id }) => id);
    return { ids, octets: storage.nodes.octets(ids) };
  });
  const found: Candidate[] = [];
  for (const few of slicesOf(ids, (id) => octets.get(id) ?? 0)) {
    await agent.giveWay();
    const rows = agent.read(() => storage.nodes.of(few));
    const shares = overlaps(rows.map(wordsOf), text);
    found.push(
      ...rows.map(({ id, content_title }, place) => ({
        id,
        title: content_title,
        similarity: shares[place]!,
      })),
    );
  }
  return found;
}

/** Returns the first terms of a text, up to `MAX_TERMS`, and reads little more than they take. */
function firstTerms({ engine }: Agent, text: string): string[] {
  for (let length = FIRST_LOOK; ; length *= 4) {
    const { terms } = engine.understand(text.slice(0, length), { terms: "unicode" });
    // The last term may be cut off: it is dropped if there are enough, else searched as it is.
    if (terms.length > MAX_TERMS) return terms.slice(0, MAX_TERMS);
    if (length >= text.length || length >= LAST_LOOK) return terms;
  }
}

/** Splits ids into parts whose texts take about one slice to compare. */
function* slicesOf(ids: readonly string[], octetsOf: (id: string) => number): Iterable<string[]> {
  let [part, octets]: [string[], number] = [[], 0];
  for (const id of ids) {
    octets += octetsOf(id);
    part.push(id);
    if (octets < COMPARED_AT_ONCE) continue;
    yield part;
    [part, octets] = [[], 0];
  }
  if (part.length > 0) yield part;
}

function wordsOf(row: Pick<NodeRow, "content_title" | "content_summary" | "content_body">): string {
  const { content_title, content_summary, content_body } = row;
  return [content_title, content_summary, content_body]
    .filter((text) => typeof text === "string")
    .join(" ");
}
