// The full-text index against plain TypeScript, to the bit, and against SQLite's FTS5: the class of
// every character, and scores up to the last places of the logarithm.

import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { TextIndex } from "nous-wasm";
import { describe, expect, it } from "vitest";
import { InvertedIndex } from "../../benches/js/rivals/inverted.ts";
import { type ReferenceDocument, ReferenceTexts, UNSPACED } from "../../js/reference/full-text.ts";
import { STOP_WORDS } from "../../js/reference/stop-words.ts";
import { runs } from "../support/amount.ts";
import { same } from "./support/same.ts";

/** Few prefixes and many words, as in a language; marks, cases, and words that contain others. */
const WORDS = [
  ..."gold golden goldsmith silver silverware Été été etait Ζεύς ΖΕΥΣ ζευς привет ПРИВЕТ прив naïve naive".split(
    " ",
  ),
  ..."x x1 x12 1 12 stop_loss take_profit take profit don't e\u0301t\u0308 Straße STRASSE ½ Ⅷ".split(
    " ",
  ),
];
const COMMON = ["what", "the", "is", "and"];
const RUNNING = [
  "比特币价格",
  "价格",
  "金の価格",
  "ビットコイン",
  "ราคาทองคำ",
  "ทองคำ",
  "가격이",
  "金",
  "BTC価格x",
];
const SEPARATORS = [" ", ", ", ". ", "-", "\n", " – ", "\u0000", "😀 ", "_"];

const piece = (words: readonly string[]) =>
  fc.tuple(fc.constantFrom(...words), fc.constantFrom(...SEPARATORS));
const textOf = (words: readonly string[]) =>
  fc.array(piece(words), { maxLength: 12 }).map((pieces) => pieces.flat().join(""));
const documentOf = (words: readonly string[]) =>
  fc.record(
    { title: fc.option(textOf(words)), summary: textOf(words), body: textOf(words) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Omit<ReferenceDocument, "id">>;
const questionOf = (words: readonly string[]) =>
  fc.array(
    fc.oneof(
      fc.constantFrom(...words),
      fc
        .tuple(fc.constantFrom(...words), fc.integer({ min: 1, max: 3 }))
        .map(([word, length]) => word.slice(0, length)),
    ),
    { maxLength: 6 },
  );

describe("the full text and plain TypeScript", () => {
  it("find the same with the same scores, to the bit, after any replacements, removals and restores", () => {
    const words = [...WORDS, ...COMMON, ...RUNNING];
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(
          fc.constant("put" as const),
          fc.integer({ min: 0, max: 30 }),
          documentOf(words),
        ),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(fc.constant("remove" as const), fc.integer({ min: 0, max: 30 })),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constant("restore" as const)) },
    );
    const steps = fc.array(step, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        steps,
        fc.array(questionOf(words), { minLength: 1, maxLength: 4 }),
        (taken, questions) => {
          let index = new TextIndex();
          const reference = new ReferenceTexts();
          for (const [what, number, document] of taken) {
            const id = `n${number}`;
            if (what === "put") {
              index.upsert([{ id, ...document }]);
              reference.upsert([{ id, ...document }]);
            } else if (what === "remove") {
              index.remove([id]);
              reference.remove([id]);
            } else {
              const restored = TextIndex.restore(index.snapshot());
              index.free();
              index = restored;
            }
          }
          for (const question of questions) {
            expect(
              same(index.search(question, { limit: 12 }), reference.search(question, 12)),
            ).toBeNull();
          }
          index.free();
        },
      ),
      runs(400),
    );
  });

  it("agree on many documents in one batch, most of which are then removed", () => {
    const [sample] = fc.sample(
      fc.array(documentOf([...WORDS, ...COMMON]), { minLength: 900, maxLength: 900 }),
      runs(1),
    );
    const documents = sample!.map((document, place) => ({ id: `n${place}`, ...document }));
    const index = new TextIndex();
    const reference = new ReferenceTexts();
    expect(index.upsert(documents)).toBe(900);
    reference.upsert(documents);
    const gone = documents.filter((_, place) => place % 4 > 0).map(({ id }) => id);
    expect(index.remove([...gone, "nobody", gone[0]!])).toBe(675);
    reference.remove(gone);
    index.upsert(documents.slice(0, 9));
    // The remaining documents keep their places.
    reference.upsert(documents.slice(0, 9));
    for (const question of [
      ["gold"],
      ["gold", "silver", "the"],
      ["stop_loss", "прив"],
      ["e"],
      ["what", "is"],
    ]) {
      expect(
        same(index.search(question, { limit: 300 }), reference.search(question, 300)),
      ).toBeNull();
    }
    index.free();
  });
});

it("the competitor of the benchmark finds the same", () => {
  const words = "gold golden silver tin copper x1 x12 one two three".split(" ");
  const text = fc.array(fc.constantFrom(...words), { maxLength: 9 }).map((each) => each.join(" "));
  const question = fc.uniqueArray(fc.constantFrom(...words, "go", "x"), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), question, (texts, terms) => {
      const [index, rival] = [new TextIndex(), new InvertedIndex()];
      index.upsert(texts.map((body, row) => ({ id: `${row}`, body })));
      texts.forEach((body, row) => {
        rival.add(row, body);
      });
      const hits = index
        .search(terms, { limit: 7 })
        .map(({ id, score }) => ({ row: Number(id), score }));
      expect(same(hits, rival.search(terms, 7))).toBeNull();
      index.free();
    }),
    runs(),
  );
});

// ---- FTS5 ---------------------------------------------------------------------------------------

function fts(): { db: DatabaseSync; put(rowid: number, ...columns: string[]): void } {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE texts USING fts5(title, summary, body)");
  const insert = db.prepare("INSERT INTO texts(rowid, title, summary, body) VALUES (?, ?, ?, ?)");
  return { db, put: (...row) => void insert.run(...row) };
}

const quoted = (term: string) => `"${term.replaceAll('"', '""')}"*`;

describe("the full text and FTS5", () => {
  it("find the same documents with the same scores", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(documentOf(WORDS), { minLength: 1, maxLength: 60 }),
        fc.array(questionOf(WORDS), { minLength: 1, maxLength: 5 }),
        (texts, questions) => {
          const { db, put } = fts();
          const index = new TextIndex();
          index.upsert(texts.map((document, place) => ({ id: `${place + 1}`, ...document })));
          texts.forEach(({ title, summary, body }, place) => {
            put(place + 1, title ?? "", summary ?? "", body ?? "");
          });
          const holding = db.prepare("SELECT count(*) AS n FROM texts WHERE texts MATCH ?");
          const count = (term: string) => (holding.get(quoted(term)) as { n: number }).n;
          for (const given of questions) {
            const question = given.filter((term) => !STOP_WORDS.has(term.toLowerCase()));
            // FTS5 gets only the terms that count.
            const rare = question.filter(
              (term) => count(term) > 0 && 2 * count(term) < texts.length,
            );
            const asked = rare.length > 0 ? rare : question;
            const sql =
              "SELECT rowid, -bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score DESC, rowid";
            const expected =
              asked.length === 0
                ? []
                : (db.prepare(sql).all(asked.map(quoted).join(" OR ")) as {
                    rowid: number;
                    score: number;
                  }[]);
            const hits = index.search(question, { limit: Number.POSITIVE_INFINITY });
            expect(hits.map(({ id }) => Number(id)).sort(), question.join()).toEqual(
              expected.map(({ rowid }) => rowid).sort(),
            );
            const scores = new Map(expected.map(({ rowid, score }) => [`${rowid}`, score]));
            for (const { id, score } of hits) {
              const theirs = scores.get(id)!;
              // Its logarithm is that of the C library, which may differ in the last place.
              expect(Math.abs(score - theirs)).toBeLessThanOrEqual(
                theirs * 1e-15 * (1 + asked.length),
              );
              compared++;
            }
          }
          db.close();
          index.free();
        },
      ),
      runs(150),
    );
    expect(compared).toBeGreaterThan(500);
  });

  it("classify every character alike", { timeout: 300_000 }, () => {
    const db = new DatabaseSync(":memory:");
    db.exec(
      "CREATE VIRTUAL TABLE texts USING fts5(text); CREATE VIRTUAL TABLE terms USING fts5vocab(texts, 'row')",
    );
    const insert = db.prepare("INSERT INTO texts(text) VALUES (?)");
    const terms = db.prepare("SELECT term, cnt FROM terms ORDER BY term");
    const isAsked = (code: number) =>
      code > 0 && !(code >= 0xd800 && code < 0xe000) && !UNSPACED.test(String.fromCodePoint(code));
    const odd: string[] = [];
    for (let from = 0; from < 0x3_0000; from += 256) {
      const characters = Array.from({ length: 256 }, (_, place) => from + place).filter(isAsked);
      // Each stands alone between ASCII neighbours; the number identifies it.
      const words = characters.map((code) => `${code}q${String.fromCodePoint(code)}z`);
      insert.run(words.join(" "));
      const index = new TextIndex();
      index.upsert(words.map((body, place) => ({ id: `${characters[place]}`, body })));
      const expected = new Map(terms.all().map(({ term, cnt }) => [term as string, cnt as number]));
      for (const [term] of expected) {
        if (!/^\d/.test(term)) continue;
        const code = /^\d+/.exec(term)![0];
        const found = index.search([term], { limit: Number.POSITIVE_INFINITY });
        if (found.length !== 1 || found[0]!.id !== code) odd.push(term);
      }
      const joined = [...expected].filter(([term]) => /^\d+q.*z$/u.test(term)).length;
      const apart = expected.get("z") ?? 0;
      if (joined + apart !== characters.length)
        odd.push(`${from}: ${joined} and ${apart} of ${characters.length}`);
      // A separator leaves a separate word.
      if (index.search(["z"], { limit: Number.POSITIVE_INFINITY }).length !== apart)
        odd.push(`${from}: separators`);
      db.exec("DELETE FROM texts");
      index.free();
    }
    expect(odd).toEqual([]);
    db.close();
  });
});
