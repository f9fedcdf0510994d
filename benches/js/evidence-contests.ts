// Contests of evidence: questions in words, and new memories, against the plain TypeScript of the
// tests, MiniSearch and SQLite's FTS5. The reference finds the same answers. MiniSearch and FTS5
// find exact and similar words alone, and so do less.

import MiniSearch from "minisearch";
import type { Embedder, EvidenceConfig, MemoryEdge } from "nous-wasm";
import { NOW } from "../../js/reference/inputs.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import { FTS5, MINISEARCH, type Opened } from "../quality/contestants.ts";
import { type Deferred, deferred } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import {
  aboutTime,
  makeLinks,
  makeNewQuestions,
  makeTextMemories,
  makeTextQuestions,
  type TextMemory,
  vocabularyOf,
  WORDS,
} from "./evidence-inputs.ts";
import { batchesOf } from "./memory-inputs.ts";
import { tableOf } from "./token-tables.ts";
import { whole } from "./units.ts";

const SIZES = [1_000, 10_000, 100_000];
/** The size at which the parts of a question's time are measured, and new memories. */
const MIDDLE = 10_000;
const DIMENSIONS = 128;
/** Questions by Zipf's law. All are asked before the first round, so that their words are known. */
const QUESTIONS = 300;
const LIMIT = 10;
const ASKED = { limit: LIMIT, now: NOW };

/** What contests of evidence begin with. */
export const BY_EVIDENCE = "by evidence: ";

/** How an index is made. */
interface Making {
  embedder?: Embedder | undefined;
  edges?: readonly MemoryEdge[];
  evidence?: EvidenceConfig;
  dimensions?: number;
}

function indexOf(
  engine: Engine,
  memories: readonly TextMemory[],
  { edges = [], evidence = {}, ...options }: Making,
) {
  const index = new engine.MemoryIndex({ ...options, config: { evidence } });
  for (const batch of batchesOf(memories)) index.upsert(batch, { now: NOW });
  for (const batch of batchesOf(edges)) index.link(batch);
  return index;
}

function asking(ask: (question: string) => unknown, questions: readonly string[]): () => unknown {
  const next = inTurn(questions);
  return () => ask(next());
}

/** The same after all questions were asked once: the engine keeps the neighbours of words. */
function askingAgain(
  index: ReturnType<typeof indexOf>,
  questions: readonly string[],
): () => unknown {
  const ask = (text: string) => index.ask(text, ASKED);
  for (const text of questions) ask(text);
  return asking(ask, questions);
}

/** A question to memories of several numbers, beside the plain reference and word search. */
function question(count: number, engine: Engine): Deferred {
  const name = `${BY_EVIDENCE}a question of ${WORDS.question} words to ${whole(count)} memories of ${WORDS.memory}`;
  return deferred(name, () => {
    const table = tableOf(DIMENSIONS);
    const vocabulary = vocabularyOf(table);
    const memories = makeTextMemories(vocabulary, count);
    const questions = makeTextQuestions(vocabulary, QUESTIONS);
    const embedder = new engine.Embedder(table);
    const index = indexOf(engine, memories, { embedder });
    // Indexing more takes MiniSearch half a minute, and a question takes the reference long.
    const isSmall = count <= MIDDLE;
    const store = {
      memories: memories.map((one) => ({ ...one, clusters: one.clusters ?? [] })),
      edges: [],
    };
    const searches: Record<string, Opened> = { fts5: FTS5.open(store) };
    if (isSmall) searches.minisearch = MINISEARCH.open(store);
    const reference = isSmall ? new ReferenceMemory({ embedder }) : undefined;
    reference?.upsert(memories, { now: NOW });
    return {
      contestants: {
        ...Object.fromEntries(
          Object.entries(searches).map(([label, { ask }]) => [
            label,
            asking((text) => ask(text, NOW), questions),
          ]),
        ),
        ...(reference === undefined
          ? {}
          : { reference: asking((text) => reference.ask(text, ASKED), questions) }),
        engine: askingAgain(index, questions),
      },
      ...(count >= MIDDLE ? { rounds: 5 } : {}),
      remarks: () => ({ "bytes a text": `${Math.round(index.bytes.texts / count)}` }),
      close: () => {
        for (const { free } of Object.values(searches)) free?.();
        index.free();
        embedder.free();
      },
    };
  });
}

/**
 * The same index in several forms. The engine computes the evidence of a memory whatever it
 * weighs, so that a form leaves the input of a kind of evidence away, or adds it.
 */
function parts(engine: Engine): Deferred {
  const name = `${BY_EVIDENCE}parts of a question of ${WORDS.question} words to ${whole(MIDDLE)} memories of ${WORDS.memory}`;
  return deferred(name, () => {
    const table = tableOf(DIMENSIONS);
    const vocabulary = vocabularyOf(table);
    const memories = makeTextMemories(vocabulary, MIDDLE);
    const alone = memories.map((one) => ({ ...one, clusters: [one.id] }));
    const questions = makeTextQuestions(vocabulary, QUESTIONS);
    const embedder = new engine.Embedder(table);
    const whole = indexOf(engine, memories, { embedder });
    const forms = {
      "without word vectors": indexOf(engine, memories, {}),
      "each memory a run of its own": indexOf(engine, alone, { embedder }),
      "with use, recency and sections": indexOf(engine, memories, {
        embedder,
        evidence: { preset: "trading" },
      }),
      "with two links a memory": indexOf(engine, memories, {
        embedder,
        edges: makeLinks(MIDDLE),
      }),
    };
    const vector = new Float32Array(DIMENSIONS);
    return {
      contestants: {
        ...Object.fromEntries(
          Object.entries(forms).map(([label, index]) => [label, askingAgain(index, questions)]),
        ),
        "which asks when and names a time": askingAgain(whole, questions.map(aboutTime)),
        "of which no word was asked before": asking(
          (text) => whole.ask(text, ASKED),
          makeNewQuestions(vocabulary),
        ),
        "its vector alone": asking((text) => embedder.embedInto(text, vector), questions),
        engine: askingAgain(whole, questions),
      },
      close: () => {
        for (const index of [whole, ...Object.values(forms)]) index.free();
        embedder.free();
      },
    };
  });
}

/** A new memory with its text and its vector, in place of one that is there. */
function writing(engine: Engine): Deferred {
  const name = `${BY_EVIDENCE}a new memory of ${WORDS.memory} words with its vector, among ${whole(MIDDLE)}`;
  return deferred(name, () => {
    const table = tableOf(DIMENSIONS);
    const memories = makeTextMemories(vocabularyOf(table), MIDDLE);
    const embedder = new engine.Embedder(table);
    const index = indexOf(engine, memories, { embedder, dimensions: DIMENSIONS });
    const bare = indexOf(engine, memories, {});
    const reference = new ReferenceMemory({ embedder, dimensions: DIMENSIONS });
    reference.upsert(memories, { now: NOW });
    const mini = new MiniSearch<TextMemory>({ fields: ["title", "text"] });
    mini.addAll(memories);
    const newer = memories.map((one, place) => ({
      ...one,
      text: memories[(place + 1) % memories.length]!.text,
    }));
    const embedded = (one: TextMemory) => ({
      ...one,
      embedding: embedder.embed(`${one.title}\n${one.text}`).vector,
    });
    const turns = {
      minisearch: inTurn(newer),
      reference: inTurn(newer),
      bare: inTurn(newer),
      engine: inTurn(newer),
    };
    return {
      contestants: {
        "minisearch, no vector": () => mini.replace(turns.minisearch()),
        reference: () => reference.upsert([embedded(turns.reference())], { now: NOW }),
        "engine, no vectors": () => bare.upsert([turns.bare()], { now: NOW }),
        engine: () => index.upsert([embedded(turns.engine())], { now: NOW }),
      },
      rounds: 5,
      close: () => {
        index.free();
        bare.free();
        embedder.free();
      },
    };
  });
}

/** Returns the contests of evidence. */
export function evidenceContests(engine: Engine): Deferred[] {
  return [...SIZES.map((count) => question(count, engine)), parts(engine), writing(engine)];
}
