// The package analyses generated questions as the reference does, to the bit; and both keep the
// laws of question analysis.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { amount, runs } from "../support/amount.ts";
import { mergeOptions, subResults } from "./inputs/arbitraries.ts";
import { type Asked, asked, QUESTIONS, question, retrieval } from "./inputs/questions.ts";
import { same } from "./support/same.ts";

/** Every function gets the same questions. */
const LONG_RUN = runs(QUESTIONS);

function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

describe(`${QUESTIONS} questions`, () => {
  /** A function of the package and its counterpart of the reference, by name and arguments. */
  const CASES: [string, (asked: Asked) => readonly unknown[]][] = [
    ["checkDisqualifiers", ({ query }) => [query]],
    ["classifyQueryType", ({ query }) => [query]],
    ["classifyQuery", ({ query }) => [query]],
    ["extractQueryEntities", ({ query }) => [query]],
    ["extractQueryAttribute", ({ query }) => [query]],
    ["decompose", ({ query, classified, options }) => [query, classified, options]],
    ["reformulate", ({ query, classified }) => [query, classified]],
    ["understand", ({ query, options }) => [query, options]],
  ];
  type Functions = Record<string, (...args: unknown[]) => unknown>;

  test.each(CASES)("%s", (name, argumentsOf) => {
    const ours = (nous as unknown as Functions)[name]!;
    const plain = (reference as unknown as Functions)[name]!;
    fc.assert(
      fc.property(asked, (each) =>
        expectSame(ours(...argumentsOf(each)), plain(...argumentsOf(each))),
      ),
      LONG_RUN,
    );
  });
});

test("attribute words of a configuration are found as whole words", () => {
  const engine = nous.createEngine({ query: { attributeWords: ["id", "Größe", "e-mail"] } });
  const attributeOf = (question: string) => engine.classifyQuery(question).attribute;
  expect(nous.createEngine().classifyQuery("Do we avoid sugar?").attribute).toBe("id");
  expect(attributeOf("Do we avoid sugar?")).toBeNull();
  expect(attributeOf("Größen und Ideen")).toBeNull();
  expect(attributeOf("Welche größe, und welche ID?")).toBe("ID");
  expect(attributeOf("My e-mail please")).toBe("e-mail");
  expect(nous.createEngine({ query: { attributeWords: [] } }).classifyQuery("phone")).toMatchObject(
    {
      query_type: "AMBIGUOUS",
    },
  );
  expect(engine.classifyQuery("What is the size of Omar's ID?").confidence).toBe(
    nous.createEngine().classifyQuery("What is the size of Omar's ID?").confidence,
  );
});

test("entities with adjacent possessives equal the reference's", () => {
  const config = { adjacentPossessives: true };
  const engine = nous.createEngine({ query: config });
  const possessives = fc
    .tuple(
      fc.array(fc.constantFrom("x's", "BTC's", "é's", "'s", "for", "who is", "y"), {
        maxLength: 8,
      }),
      question,
    )
    .map(([pieces, query]) => [...pieces, query].join(" "));
  fc.assert(
    fc.property(possessives, (query) => {
      expectSame(engine.extractQueryEntities(query), reference.extractQueryEntities(query, config));
    }),
    runs(amount(5000)),
  );
});

test("parts of questions that are mostly punctuation equal the reference's", () => {
  const pieces = fc.array(
    fc.constantFrom(
      ...[
        "and",
        "and what",
        "and how",
        "AND\twhy",
        "also",
        "also",
        "?",
        ",",
        ",,",
        ",,,",
        ".",
        ", ",
        ";",
      ],
      ...["BTC", "is", "up", "x", "'s", "what's", "🚀"],
    ),
    { maxLength: 12 },
  );
  let divided = 0;
  fc.assert(
    fc.property(
      pieces,
      fc.constantFrom(" ", " ", ""),
      fc.integer({ min: 1, max: 6 }),
      (words, glue, maxParts) => {
        const query = words.join(glue);
        const classified = { disqualifier_category: "D4", entity: "BTC" };
        const parts = nous.decompose(query, classified, { maxParts });
        expectSame(parts, reference.decompose(query, classified, { maxParts }));
        if (parts.some((part) => /^(?:\w+ )?[,.;]*$/.test(part)) && parts.length > 1) divided++;
      },
    ),
    runs(amount(20_000)),
  );
  expect(divided).toBeGreaterThan(amount(500));
});

test("parts by the user's own symbols equal the reference's", () => {
  const symbols = ["GOLD", "BTC", "BRK", "BRK.B", "C3", "X", "MÜLLER", "S&P 500"];
  const engine = nous.createEngine({ knownSymbols: symbols });
  const naming = fc
    .tuple(
      fc.array(
        fc.oneof(
          fc.constantFrom(...symbols, "gold", "brk.b", "c++x", "x,", '"x"', "ETH"),
          question,
        ),
      ),
      question,
    )
    .map(([named, query]) => [...named, query, "status"].join(" "));
  const classified = { disqualifier_category: "D1" };
  fc.assert(
    fc.property(naming, fc.integer({ min: 1, max: 9 }), (query, many) => {
      const maxParts = many > 8 ? Number.POSITIVE_INFINITY : many;
      const options = { bySubject: true, maxParts };
      const expected = reference.decompose(query, classified, { ...options, symbols });
      expectSame(engine.decompose(query, classified, options), expected);
    }),
    runs(amount(5000)),
  );
});

test("confidence of a retrieval equals the reference's", () => {
  fc.assert(
    fc.property(retrieval, (args) => {
      const confidence = nous.calculateRetrievalConfidence(...args);
      expectSame(confidence, reference.calculateRetrievalConfidence(...args));
      expect(nous.getConfidenceLevel(confidence.score)).toBe(confidence.level);
    }),
    LONG_RUN,
  );
});

describe("laws", () => {
  const QUESTION_WORD = /^(?:what|when|where|who|how|why)/i;

  test("parts are stretches of the question, possibly after a question word; at most the configured number", () => {
    fc.assert(
      fc.property(asked, ({ query, classified, options }) => {
        const parts = nous.decompose(query, classified, { ...options, bySubject: false });
        expect(parts.length).toBeGreaterThan(0);
        expect(parts.length).toBeLessThanOrEqual(options.maxParts ?? reference.MAX_PARTS);
        for (const part of parts) {
          const rest = part.replace(QUESTION_WORD, "").trim();
          expect(
            query.includes(part) || (QUESTION_WORD.test(part) && query.includes(rest)),
            part,
          ).toBe(true);
        }
      }),
      runs(amount(5000)),
    );
  });

  test("a part for each subject consists of the subject and the attribute", () => {
    const options = { bySubject: true, maxParts: 1000 };
    fc.assert(
      fc.property(question, (query) => {
        const classified = { disqualifier_category: "D1" };
        const parts = nous.decompose(query, classified, options);
        const without = nous.decompose(query, classified, { ...options, bySubject: false });
        if (same(parts, without) === null) return;
        expect(without).toEqual([query]);
        const attribute = nous.extractQueryAttribute(query)!;
        for (const part of parts) {
          expect(part.endsWith(` ${attribute}`)).toBe(true);
          const subject = part.slice(0, -attribute.length - 1);
          expect(query.includes(subject) || query.toUpperCase().includes(subject), subject).toBe(
            true,
          );
        }
        expect(new Set(parts).size).toBe(parts.length);
      }),
      runs(amount(5000)),
    );
  });

  test("another wording is shorter than the question, or is the entity", () => {
    fc.assert(
      fc.property(asked, ({ query, classified }) => {
        const reformulation = nous.reformulate(query, classified);
        if (reformulation === null || reformulation === classified.entity) return;
        expect(reformulation.length).toBeLessThan(query.length);
        expect(query).toContain(reformulation);
      }),
      runs(amount(5000)),
    );
  });

  test("a typographic apostrophe is not an apostrophe: it acts like any other mark inside a word", () => {
    fc.assert(
      fc.property(question, (query) => {
        const withMark = (mark: string) => nous.classifyQuery(query.replace(/['’´]/g, mark));
        const swapped = JSON.parse(JSON.stringify(withMark("´")).replaceAll("´", "’"));
        expectSame(withMark("’"), swapped);
      }),
      runs(amount(5000)),
    );
  });

  test("merging a selection again, without a boost, selects the same", () => {
    fc.assert(
      fc.property(subResults, mergeOptions, (groups, options) => {
        const plain = { ...options, query: null };
        const once = nous.mergeAndSelect(groups, plain);
        const again = nous.mergeAndSelect(
          groups.map(([name], group) => [
            name,
            once.filter((row) => row._sub_query_group === group),
          ]),
          plain,
        );
        // Of equal scores the first one comes first, and here the order differs.
        const byId = (rows: typeof once) => Object.fromEntries(rows.map((row) => [row.id, row]));
        expectSame(byId(again), byId(once));
        // 0 and −0 are equal scores, too.
        const scores = (rows: typeof once) => rows.map(({ score }) => score + 0);
        expect(scores(again)).toEqual(scores(once));
      }),
      runs(2000),
    );
  });
});
