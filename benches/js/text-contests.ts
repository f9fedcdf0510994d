// Contests of full text: questions of eight words and new memories, against SQLite's FTS5,
// MiniSearch, and a hand-written index.

import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import { makeRandom, pick } from "../../js/reference/inputs.ts";
import { type Deferred, deferred } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import { InvertedIndex } from "./rivals/inverted.ts";

const SIZES = [1_000, 10_000, 100_000];
/** The most memories for MiniSearch, which takes half a minute to index more. */
const MAX_OF_MINISEARCH = 10_000;
const VOCABULARY = 30_000;
const WORDS = 60;
const TERMS = 8;
const QUESTIONS = 64;
/** The number of hits that a search with a limit of 15 requests. */
const LIMIT = 135;
const BATCH = 100;

/** Returns a generator of words by Zipf's law: the nth word is n times as rare as the first. */
function makeWords(seed: number): () => string {
  const random = makeRandom(seed);
  const syllables = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");
  const words = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(random, syllables)).join(""),
  );
  const top = Math.log(VOCABULARY + 1);
  return () => words[Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * top)) - 1)]!;
}

function makeTexts(count: number, seed: number) {
  const word = makeWords(seed);
  const text = () => Array.from({ length: WORDS }, word).join(" ");
  return {
    texts: Array.from({ length: count }, text),
    questions: Array.from({ length: QUESTIONS }, () => [
      ...new Set(Array.from({ length: TERMS }, word)),
    ]),
  };
}

const documentsOf = (texts: readonly string[]) =>
  texts.map((body, row) => ({ id: `${row}`, body }));

function fts(texts: readonly string[]) {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE texts USING fts5(body)");
  const insert = db.prepare("INSERT INTO texts(rowid, body) VALUES (?, ?)");
  db.exec("BEGIN");
  for (const [row, body] of texts.entries()) insert.run(row, body);
  db.exec("COMMIT");
  const best = db.prepare(
    "SELECT rowid, -bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score DESC, rowid LIMIT ?",
  );
  return {
    db,
    search: (terms: readonly string[]) =>
      best.all(terms.map((term) => `"${term}"*`).join(" OR "), LIMIT),
  };
}

function searching(count: number, engine: Engine): Deferred {
  return deferred(`find ${LIMIT} of ${count.toLocaleString("en")} texts by ${TERMS} words`, () => {
    const { texts, questions } = makeTexts(count, 1);
    const asking = (ask: (terms: string[]) => unknown) => {
      const next = inTurn(questions);
      return () => ask(next());
    };
    const { db, search } = fts(texts);
    const inverted = new InvertedIndex();
    texts.forEach((text, row) => {
      inverted.add(row, text);
    });
    const mini = new MiniSearch({ fields: ["body"] });
    if (count <= MAX_OF_MINISEARCH) mini.addAll(documentsOf(texts));
    const index = new engine.TextIndex();
    index.upsert(documentsOf(texts));
    return {
      contestants: {
        fts5: asking(search),
        obvious: asking((terms) => inverted.search(terms, LIMIT)),
        ...(count <= MAX_OF_MINISEARCH
          ? {
              minisearch: asking((terms) =>
                mini.search(terms.join(" "), { prefix: true }).slice(0, LIMIT),
              ),
            }
          : {}),
        engine: asking((terms) => index.search(terms, { limit: LIMIT })),
      },
      ...(count > MAX_OF_MINISEARCH ? { rounds: 5 } : {}),
      remarks: () => ({ "bytes a text": `${Math.round(index.bytes.index / count)}` }),
      close: () => {
        db.close();
        index.free();
      },
    };
  });
}

function indexing(engine: Engine): Deferred {
  return deferred(`index ${BATCH} texts of ${WORDS} words, from nothing`, () => {
    const { texts } = makeTexts(BATCH, 2);
    const documents = documentsOf(texts);
    const index = new engine.TextIndex();
    let inverted = new InvertedIndex();
    let mini = new MiniSearch({ fields: ["body"] });
    const ids = documents.map(({ id }) => id);
    return {
      contestants: {
        obvious: {
          prepare: () => {
            inverted = new InvertedIndex();
          },
          run: () => {
            texts.forEach((text, row) => {
              inverted.add(row, text);
            });
          },
        },
        minisearch: {
          prepare: () => {
            mini = new MiniSearch({ fields: ["body"] });
          },
          run: () => mini.addAll(documents),
        },
        engine: {
          prepare: () => {
            index.remove(ids);
          },
          run: () => index.upsert(documents),
        },
      },
      close: () => index.free(),
    };
  });
}

export function textContests(engine: Engine): Deferred[] {
  return [...SIZES.map((count) => searching(count, engine)), indexing(engine)];
}
