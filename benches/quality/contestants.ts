// The systems that answer questions over any memory: word search as others do it, and the rankings
// of nous-wasm. Each gets the same texts and returns at most `DEPTH` memories.

import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import {
  type Embedder,
  type EmbeddingScale,
  type EngineConfig,
  type MemoryEdge,
  MemoryIndex,
  type MemoryNode,
  TextIndex,
  understand,
  type WordVectors,
} from "nous-wasm";
import { Bm25, type Hit } from "./bm25.ts";
import { DEPTH } from "./metrics.ts";
import { plainVector, type SentenceVectors, sentenceOf, servedVector } from "./sentences.ts";

/** A memory as the systems take it. */
export interface StoredMemory extends MemoryNode {
  readonly title: string;
  readonly text: string;
  /** Conversations, sessions or days that the memory belongs to. */
  readonly clusters: readonly string[];
  /** Kind and tags in words, which the systems of others read like the title. Default "". */
  readonly labels?: string;
}

/** The memory of one agent. */
export interface Store {
  readonly memories: readonly StoredMemory[];
  readonly edges: readonly MemoryEdge[];
}

/** A system that has read a store. */
export interface Opened {
  /** Returns the best memories for a question that is asked at `now`, best first. */
  ask(question: string, now: number): readonly Hit[];
  /** Frees the system's memory. */
  free?(): void;
}

/** A system. */
export interface System {
  readonly name: string;
  /** Whether scores are probabilities. */
  readonly isCalibrated: boolean;
  /**
   * Reads a store.
   *
   * @param max - How many memories a question finds at most. Default: `DEPTH`.
   */
  open(store: Store, max?: number): Opened;
}

const headOf = ({ title, labels = "" }: StoredMemory): string => `${title} ${labels}`.trim();

/** BM25 over stems. */
export const BM25: System = {
  name: "BM25, stems",
  isCalibrated: false,
  open({ memories }, max = DEPTH) {
    const index = new Bm25(
      memories.map((one) => ({ id: one.id, text: `${headOf(one)} ${one.text}` })),
    );
    return { ask: (question) => index.search(question, max) };
  },
};

/** Full-text search of SQLite with the Porter stemmer. */
export const FTS5: System = {
  name: "SQLite FTS5, porter",
  isCalibrated: false,
  open({ memories }, max = DEPTH) {
    const database = new DatabaseSync(":memory:");
    const tokenizer = 'tokenize = "porter unicode61"';
    database.exec(`CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, title, text, ${tokenizer})`);
    const insert = database.prepare("INSERT INTO texts VALUES (?, ?, ?)");
    database.exec("BEGIN");
    for (const one of memories) insert.run(one.id, headOf(one), one.text);
    database.exec("COMMIT");
    const find = database.prepare(
      `SELECT id, -bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ${max}`,
    );
    return {
      ask(question) {
        const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
        if (words.length === 0) return [];
        return find.all(words.map((word) => `"${word}"`).join(" OR ")) as unknown as Hit[];
      },
      free: () => void database.close(),
    };
  },
};

/** MiniSearch, forgiving typos and completing words. */
export const MINISEARCH: System = {
  name: "MiniSearch, fuzzy and prefix",
  isCalibrated: false,
  open({ memories }, max = DEPTH) {
    const index = new MiniSearch<StoredMemory>({
      fields: ["title", "text"],
      searchOptions: { fuzzy: 0.2, prefix: true },
    });
    index.addAll(memories.map((one) => ({ ...one, title: headOf(one) })));
    return {
      ask: (question) =>
        index
          .search(question)
          .slice(0, max)
          .map(({ id, score }) => ({ id: id as string, score })),
    };
  },
};

/** The server asks for three times the limit, and for three full-text hits per seed. */
const OVERFETCH = 3;
const HITS_PER_SEED = 3;

/** What makes the vectors of texts and questions, as the server does it. */
export type TextVectors = Pick<Embedder, "dimensions" | "embed">;

/**
 * Returns ranking by six signals, as the server does it. With an embedder, memories have the
 * vectors of title and text, and questions have theirs. A text without a known word has none.
 */
export function signals(embedder?: TextVectors): System {
  const dimensions = embedder?.dimensions ?? 0;
  const vectorOf = (text: string): Float32Array | null => {
    const made = embedder?.embed(text);
    return made === undefined || made.coverage === 0 ? null : made.vector;
  };
  return {
    name: `signals, ${embedder === undefined ? "without" : "with"} embeddings`,
    isCalibrated: false,
    open({ memories, edges }, max = DEPTH) {
      const index = new MemoryIndex({ dimensions });
      const texts = new TextIndex();
      index.upsert(
        memories.map(({ title, text, ...node }) => ({
          ...node,
          ...(embedder === undefined ? {} : { embedding: vectorOf(`${title}\n${text}`.trim()) }),
        })),
      );
      index.link(edges);
      texts.upsert(memories.map(({ id, title, text }) => ({ id, title, body: text })));
      const seeds = OVERFETCH * max;
      return {
        ask(question, now) {
          const { terms } = understand(question, { terms: "unicode" });
          const hits = texts.search(terms, { limit: seeds * HITS_PER_SEED });
          const best = hits[0]?.score ?? 1;
          const bm25 = hits.map(({ id, score }) => ({ id, score: score / best }));
          const embedding = vectorOf(question);
          const query = { embedding, bm25, limit: max, max_seeds: seeds, now };
          const { ranking } = index.search(query);
          return ranking.ids.map((id, place) => ({ id, score: ranking.scores[place]! }));
        },
        free() {
          index.free();
          texts.free();
        },
      };
    },
  };
}

/** Returns an index with an embedding of each memory by the sentence transformer. */
function sentenceIndex({ memories }: Store, sentences: SentenceVectors): MemoryIndex {
  const index = new MemoryIndex({ dimensions: sentences.dimensions, embeddings: "i8" });
  sentences.embedAll(memories.map(sentenceOf), "passage");
  index.upsert(
    memories.map((one) => ({ ...one, embedding: sentences.embed(sentenceOf(one), "passage") })),
  );
  return index;
}

/** The names of the rankings that a user would take instead. */
export const SENTENCES = "MiniLM alone";
export const FUSED_WITH_SENTENCES = "BM25 + MiniLM, rank fusion";

/** The sentence transformer alone: by the cosine of question and memory. */
export const sentencesAlone = (sentences: SentenceVectors): System => ({
  name: SENTENCES,
  isCalibrated: false,
  open(store, max = DEPTH) {
    const index = sentenceIndex(store, sentences);
    return {
      ask(question) {
        const embedding = plainVector(sentences, question);
        if (embedding === null) return [];
        const { ids, scores } = index.similar(embedding, { limit: max });
        return ids.map((id, place) => ({ id, score: scores[place]! }));
      },
      free: () => index.free(),
    };
  },
});

/** The constant of reciprocal rank fusion, and how many results of each list it reads at least. */
const OF_RANK = 60;
const FUSED = 100;

/** BM25 and the sentence transformer, by the sum of 1 / (60 + rank). */
export const fusedWithSentences = (sentences: SentenceVectors): System => ({
  name: FUSED_WITH_SENTENCES,
  isCalibrated: false,
  open(store, max = DEPTH) {
    const index = sentenceIndex(store, sentences);
    const limit = Math.max(FUSED, max);
    const words = BM25.open(store, limit);
    return {
      ask(question, now) {
        const embedding = plainVector(sentences, question);
        const near = embedding === null ? [] : index.similar(embedding, { limit }).ids;
        const scores = new Map<string, number>();
        for (const list of [words.ask(question, now).map(({ id }) => id), near])
          for (const [rank, id] of list.entries())
            scores.set(id, (scores.get(id) ?? 0) + 1 / (OF_RANK + rank + 1));
        const all = Array.from(scores, ([id, score]) => ({ id, score }));
        return all.sort((a, b) => b.score - a.score).slice(0, max);
      },
      free() {
        index.free();
        words.free?.();
      },
    };
  },
});

/** Kinds of evidence that the tables switch off together. */
export const GROUPS = {
  "exact words": ["bm", "cov"],
  "words with neighbours": ["sbm", "p_soft", "p_softcov", "p_sbm", "win", "soft_unheld"],
  "sentence vectors": ["sem", "p_sem"],
  passages: ["p_soft", "p_softcov", "p_sem", "p_sbm", "soft_unheld"],
  runs: ["nb", "win", "ses", "sesb"],
  "what the question asks for": ["date", "told", "p_temp", "p_numq", "p_where"],
  "titles, links and use": ["titlecov", "graph", "affinity", "lastrec", "vaguerec"],
  "the transformer": [
    "emb",
    "nb_emb",
    "ses_emb",
    "emb_unheld",
    "emb_rank",
    "emb_unlike",
    "ses_unheld",
  ],
} as const;

/** What the section of a memory adds to its evidence. */
export const OF_SECTIONS = [
  "recency_episodic",
  "recency_signals",
  "recency_knowledge",
  "recency_procedural",
  "intent",
  "section_episodic",
  "section_signals",
  "section_procedural",
] as const;

/** A set of fitted weights. */
export type Preset = "general" | "trading";

/** A ranking by evidence. */
export interface EvidenceOptions {
  readonly name: string;
  readonly preset?: Preset;
  readonly embedder?: WordVectors | undefined;
  /** Embeddings of memories and questions. Default: none. */
  readonly sentences?: SentenceVectors | undefined;
  /** The scale of their cosines. Default: that of the sentence transformer. */
  readonly scale?: EmbeddingScale | undefined;
  /** Kinds of evidence that weigh 0. */
  readonly off?: readonly string[];
  /** Weights of kinds of evidence, by name. Default: those of the preset. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Keys of the engine's configuration. */
  readonly config?: EngineConfig;
  /** Whether the index knows the clusters. Default true. */
  readonly clusters?: boolean;
  /** How far memories move back that are like a better one. Default 0. */
  readonly diversity?: number;
}

/** Returns a ranking by evidence. */
export function evidence(options: EvidenceOptions): System {
  const { name, preset = "general", embedder, sentences, scale } = options;
  const { off = [], clusters = true, diversity = 0, config } = options;
  const weights = { ...options.weights, ...Object.fromEntries(off.map((kind) => [kind, 0])) };
  return {
    name,
    isCalibrated: off.length === 0,
    open({ memories, edges }, max = DEPTH) {
      const index = new MemoryIndex({
        embedder,
        dimensions: sentences?.dimensions,
        embeddings: "i8",
        config: { ...config, evidence: { preset, weights } },
      });
      sentences?.embedAll(memories.map(sentenceOf), "passage");
      index.upsert(
        memories.map(({ labels = "", ...one }) => ({
          ...one,
          embedding: sentences && servedVector(sentences, sentenceOf(one), "passage"),
          ...(clusters ? {} : { clusters: [] }),
          // As the server does it.
          title: labels === "" ? one.title : `${labels}. ${one.title}`,
        })),
      );
      index.link(edges);
      return {
        ask: (question, now) =>
          index.ask(question, {
            ...{ limit: max, now, diversity },
            embedding: sentences && servedVector(sentences, question, "question"),
            embedding_scale: scale,
          }),
        free: () => index.free(),
      };
    },
  };
}

/** How far memories that are alike are moved in the tables, beside 0. */
const DIVERSITIES = [0.25, 1];

/** The name of the whole ranking by evidence: the default of the server. */
export const EVIDENCE = "evidence";
/** The name of the same for an index that does not know the clusters. */
export const BY_GAPS = `${EVIDENCE}, runs by gaps`;
/** The name of the ranking by evidence without embeddings of memories. */
const BY_TABLE = `${EVIDENCE}, token table`;

/** What makes vectors in the tables. */
export interface Models {
  /** The token table. */
  readonly embedder: TextVectors & WordVectors;
  /** The sentence transformer. */
  readonly sentences: SentenceVectors;
}

/**
 * Returns word search as others do it, the sentence transformer alone and fused with word search,
 * and ranking by signals without and with embeddings.
 */
export function othersThanEvidence(models: Models): System[] {
  const [bm25, ...ofSentences] = simplerThanEvidence(models);
  return [bm25!, FTS5, MINISEARCH, ...ofSentences, signals(), signals(models.embedder)];
}

/** Returns what users would take instead: words, the sentence transformer, or both by rank. */
export const simplerThanEvidence = ({ sentences }: Models): System[] => [
  BM25,
  sentencesAlone(sentences),
  fusedWithSentences(sentences),
];

/**
 * Returns the rankings by evidence that the server has: without embeddings, its default, and its
 * default for memories without clusters.
 */
export const evidenceAsServed = (
  { embedder, sentences }: Models,
  preset: Preset = "general",
): System[] => [
  evidence({ name: BY_TABLE, preset, embedder }),
  evidence({ name: EVIDENCE, preset, embedder, sentences }),
  evidence({ name: BY_GAPS, preset, embedder, sentences, clusters: false }),
];

/**
 * Returns evidence with and without word vectors and the transformer, and without each group of
 * evidence.
 */
export function evidenceByParts(models: Models, preset: Preset = "general"): System[] {
  const whole = { ...models, preset };
  return [
    evidence({ name: "evidence, words alone", preset }),
    ...evidenceAsServed(models, preset),
    ...DIVERSITIES.map((diversity) =>
      evidence({ name: `${EVIDENCE}, diversity ${diversity}`, ...whole, diversity }),
    ),
    ...Object.entries(GROUPS).map(([group, off]) =>
      evidence({ name: `… without ${group}`, ...whole, off }),
    ),
  ];
}
