// Measuring retrieval quality: the metrics, and the labelled questions.

import fc from "fast-check";
import { classifyIntent, getSectionForSubtype } from "nous-wasm";
import { afterAll, describe, expect, it } from "vitest";
import { draws, estimate } from "../../benches/quality/bootstrap.ts";
import { EmbeddedMemory, semanticsOf } from "../../benches/quality/embedded.ts";
import { isTest, labelledSet, SETS } from "../../benches/quality/labelled-set.ts";
import { Library } from "../../benches/quality/library.ts";
import { latentSemantics } from "../../benches/quality/lsa.ts";
import { DEPTH, hit, ndcg, recall, reciprocalRank } from "../../benches/quality/metrics.ts";
import {
  GRADE,
  type Grade,
  KINDS,
  type Labelled,
  labelled,
} from "../../benches/quality/questions.ts";
import { leadingVectors } from "../../benches/quality/svd.ts";
import { termsOf } from "../../benches/quality/terms.ts";
import { reweigh, WEIGHINGS } from "../../benches/quality/why.ts";
import { generateSample, sampleAt, textOf } from "../../js/sample/trader/index.ts";
import { Random } from "../../js/sample/trader/random.ts";
import { runs } from "../support/amount.ts";

const grades = (given: Record<string, Grade>): Labelled["grades"] => new Map(Object.entries(given));

describe("the metrics", () => {
  const answers = grades({ a: GRADE.exact, b: GRADE.exact, c: GRADE.related });

  it("hit@1 requires an exact answer in the first place", () => {
    expect(hit(["a", "x"], answers)).toBe(1);
    expect(hit(["c", "a"], answers)).toBe(0);
    expect(hit([], answers)).toBe(0);
  });

  it("recall@10 counts exact answers among the first ten", () => {
    expect(recall(["x", "b", "c"], answers)).toBe(0.5);
    expect(recall([..."0123456789", "a"], answers)).toBe(0);
    expect(recall([], answers)).toBe(0);
  });

  it("recall@10 is of ten if there are more answers", () => {
    const ids = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const many = grades(Object.fromEntries(ids.map((id) => [id, GRADE.exact])));
    expect(recall(ids, many)).toBe(1);
    expect(recall(ids.slice(0, 4), many)).toBe(0.4);
  });

  it("MRR uses the first exact answer among the first ten", () => {
    expect(reciprocalRank(["c", "x", "b", "a"], answers)).toBe(1 / 3);
    expect(reciprocalRank(["c"], answers)).toBe(0);
    expect(reciprocalRank([..."0123456789", "a"], answers)).toBe(0);
  });

  it("nDCG@10 discounts by rank and grade", () => {
    // Gains are 3 for an exact and 1 for a related answer; the best order is 3, 3, 1.
    const best = 3 + 3 / Math.log2(3) + 1 / 2;
    expect(ndcg(["a", "b", "c"], answers)).toBe(1);
    expect(ndcg(["b", "a", "c", "x"], answers)).toBe(1);
    expect(ndcg(["c", "x", "a"], answers)).toBeCloseTo((1 + 3 / 2) / best, 12);
    expect(ndcg(["x"], answers)).toBe(0);
    expect(ndcg([..."0123456789", "a"], answers)).toBe(0);
  });

  it("nDCG@10 measures against the best order of ten", () => {
    const ids = Array.from({ length: 15 }, (_, i) => `n${i}`);
    expect(ndcg(ids, grades(Object.fromEntries(ids.map((id) => [id, GRADE.related]))))).toBe(1);
  });
});

describe("the intervals", () => {
  it("equal the value if all values agree", () => {
    expect(estimate([0.25, 0.25, 0.25], draws(3))).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
  });

  it("are those of the mean: half of a hundred zeros and ones lie within a tenth of a half", () => {
    const { mean, low, high } = estimate(
      Array.from({ length: 100 }, (_, i) => i % 2),
      draws(100),
    );
    expect(mean).toBe(0.5);
    // 1.96 standard errors of 0.05.
    expect(low).toBeCloseTo(0.402, 1);
    expect(high).toBeCloseTo(0.598, 1);
    expect(low).toBeLessThan(0.43);
    expect(high).toBeGreaterThan(0.57);
  });

  it("are the same on every run", () => {
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(7).toReversed());
  });
});

const dot = (one: ArrayLike<number>, other: ArrayLike<number>) =>
  Array.from(one).reduce((sum, value, i) => sum + value * other[i]!, 0);

describe("the singular vectors", () => {
  const leading = (matrix: readonly (readonly number[])[], rank: number) => {
    const columns = matrix[0]!.map((_, column) => column);
    return leadingVectors(
      matrix.map((values) => ({ columns, values })),
      columns.length,
      rank,
      new Random(1),
    );
  };
  const entries = (rows: number, columns: number) =>
    fc.array(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: columns, maxLength: columns }),
      {
        minLength: rows,
        maxLength: rows,
      },
    );
  const RANK = 3;
  /** Products of narrow matrices, so of a rank of at most 3. */
  const lowRank = fc
    .tuple(entries(12, RANK), entries(9, RANK))
    .map(([left, right]) => left.map((row) => right.map((column) => dot(row, column))));

  it("are orthonormal, and as many as the rank", () => {
    fc.assert(
      fc.property(lowRank, (matrix) => {
        const { vectors } = leading(matrix, 8);
        expect(vectors.length).toBeLessThanOrEqual(RANK);
        vectors.forEach((one, i) => {
          vectors.forEach((other, j) => {
            expect(dot(one, other)).toBeCloseTo(i === j ? 1 : 0, 6);
          });
        });
      }),
      runs(),
    );
  });

  it("restore a matrix of low rank", () => {
    fc.assert(
      fc.property(lowRank, (matrix) => {
        const { vectors } = leading(matrix, RANK);
        for (const row of matrix) {
          const components = vectors.map((vector) => dot(row, vector));
          row.forEach((value, column) => {
            const again = vectors.reduce(
              (sum, vector, i) => sum + components[i]! * vector[column]!,
              0,
            );
            expect(again).toBeCloseTo(value, 6);
          });
        }
      }),
      runs(),
    );
  });

  it("have their values, the largest first", () => {
    fc.assert(
      fc.property(lowRank, (matrix) => {
        const { values, vectors } = leading(matrix, RANK);
        expect([...values]).toEqual([...values].sort((a, b) => b - a));
        vectors.forEach((vector, i) => {
          const image = matrix.map((row) => dot(row, vector));
          expect(Math.sqrt(dot(image, image))).toBeCloseTo(values[i]!, 6);
        });
      }),
      runs(),
    );
  });

  it("are those of the largest values if there are more", () => {
    const size = 40;
    const diagonal = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => +(i === j) * 0.7 ** i),
    );
    const { values, vectors } = leading(diagonal, 4);
    expect(vectors).toHaveLength(4);
    values.forEach((value, i) => {
      expect(value).toBeCloseTo(0.7 ** i, 9);
      expect(Math.abs(vectors[i]![i]!)).toBeCloseTo(1, 9);
    });
  });

  it("are absent for a matrix of zeros", () => {
    expect(leading([[0, 0], [0, 0]], 2).vectors).toEqual([]); // biome-ignore format: a matrix
  });
});

describe("latent semantics", () => {
  const texts = [
    "car engine wheel road",
    "automobile engine wheel road",
    "car driver road wheel",
    "automobile driver road engine",
    "rose garden petal soil",
    "tulip garden petal soil",
    "rose soil water garden",
    "tulip water petal garden",
    "solitary",
  ];
  const options = { dimensions: 2, seed: 1, terms: (text: string) => text.split(" ") };
  const semantics = latentSemantics(texts, options);
  const cosine = (one: string, other: string) =>
    dot(semantics.embed(one)!, semantics.embed(other)!);

  it("bring together words that share contexts but no text", () => {
    expect(cosine("car", "automobile")).toBeGreaterThan(0.95);
    expect(cosine("rose", "tulip")).toBeGreaterThan(0.95);
    expect(Math.abs(cosine("car", "rose"))).toBeLessThan(0.1);
  });

  it("project a text into the same space, at length 1", () => {
    texts.slice(0, -1).forEach((text, place) => {
      const document = semantics.document(place)!;
      expect(semantics.embed(text)).toEqual(document);
      expect(dot(document, document)).toBeCloseTo(1, 6);
      expect(document).toHaveLength(semantics.dimensions);
    });
  });

  it("ignore words that no two texts share", () => {
    expect(semantics.embed("bicycle")).toBeNull();
    expect(semantics.embed("solitary")).toBeNull();
    expect(semantics.document(texts.length - 1)).toBeNull();
    expect(semantics.embed("bicycle car")).toEqual(semantics.embed("car"));
  });

  it("have no more dimensions than the texts allow", () => {
    expect(
      latentSemantics(["a b", "b a", "c d", "c d"], { ...options, dimensions: 9 }).dimensions,
    ).toBe(2);
  });

  it("are the same on every run", () => {
    const again = latentSemantics(texts, options);
    for (const text of texts) expect(again.embed(text)).toEqual(semantics.embed(text));
  });
});

describe("the sample with embeddings", () => {
  const sample = generateSample({ memories: 300, days: 40 });
  const library = new Library(sample, sample.truth.end);
  const semantics = semanticsOf(library);
  const memory = new EmbeddedMemory(library, semantics);
  const questions = library.nodes
    .slice(-20)
    .map(({ id, content_title }) =>
      labelled(content_title, "single", [{ id, made: 0, node: library.get(id) }]),
    );
  afterAll(() => {
    library.free();
    memory.free();
  });

  it("has the terms of the full-text index", () => {
    expect(termsOf("What are the last Signals of BTC, and why?")).toEqual(["signal", "btc"]);
    const words = library.nodes.flatMap(({ content_body }) =>
      textOf(content_body).split(/[\s\p{P}]+/u),
    );
    const hitsOf = new Map<string, unknown>();
    for (const word of new Set(words)) {
      const hits = library.hits(word);
      const found = termsOf(word);
      expect(found, word).toHaveLength(hits.length === 0 ? 0 : 1);
      for (const term of found) {
        if (!hitsOf.has(term)) hitsOf.set(term, hits);
        expect(hits, word).toEqual(hitsOf.get(term));
      }
    }
    expect(hitsOf.size).toBeGreaterThan(500);
  });

  it("gives every memory an embedding, and finds it by its title", () => {
    expect(library.nodes.every((_, place) => semantics.document(place) !== null)).toBe(true);
    const found = questions.filter(({ text, grades }) =>
      memory.alone(text).some((id) => grades.has(id)),
    );
    expect(found.length).toBeGreaterThan(questions.length / 2);
  });

  it("is searched by words only if the question has no known term", () => {
    expect(memory.alone("xyzzy")).toEqual([]);
    expect(memory.search("xyzzy", true).ranking.ids).toEqual([]);
  });

  it("is reranked as the module does", () => {
    const first = (lists: readonly (readonly string[])[]) =>
      lists.map((ids) => ids.slice(0, DEPTH));
    const searched = (sections: boolean) =>
      questions.map(({ text }) => memory.search(text, sections).ranking.ids);
    const { global, others } = reweigh(
      (text, sections) => memory.search(text, sections),
      library,
      questions,
    );
    expect(first(global)).toEqual(first(searched(false)));
    expect(others).toHaveLength(WEIGHINGS.length);
    expect(first(others[0]!)).toEqual(first(searched(true)));
  });
});

describe("a labelled question", () => {
  const [node] = generateSample({ memories: 100, days: 14 }).nodes;
  const known = (id: string) => ({ id, made: 0, node: node! });

  it("has one grade for an answer that is both exact and related", () => {
    const { grades } = labelled("?", "single", [known("a")], [known("a"), known("b")]);
    expect([...grades]).toEqual([
      ["a", GRADE.exact],
      ["b", GRADE.related],
    ]);
  });

  it("is refused without an answer", () => {
    expect(() => labelled("what is not there", "single", [], [known("a")])).toThrow(
      "what is not there",
    );
  });
});

describe("the labelled set", () => {
  const sample = generateSample();
  const sets = labelledSet(sample);
  const all = SETS.flatMap((set) => sets[set]);
  const present = new Map(sampleAt(sample, sample.truth.end).nodes.map((node) => [node.id, node]));
  const exactOf = ({ grades }: Labelled) =>
    [...grades].flatMap(([id, grade]) => (grade === GRADE.exact ? [id] : []));

  it("has at least 250 generated and 60 handwritten questions, with about 40 % of the generated ones held out", () => {
    const generated = sets.dev.length + sets.test.length;
    expect(generated).toBeGreaterThanOrEqual(250);
    expect(sets.handwritten.length).toBeGreaterThanOrEqual(60);
    expect(sets.test.length / generated).toBeGreaterThan(0.33);
    expect(sets.test.length / generated).toBeLessThan(0.47);
  });

  it("has ten questions of every kind in every set, and no duplicates", () => {
    for (const set of SETS) {
      for (const kind of KINDS) {
        expect(
          sets[set].filter((question) => question.kind === kind).length,
          `${set} ${kind}`,
        ).toBeGreaterThanOrEqual(10);
      }
    }
    expect(new Set(all.map(({ text }) => text.toLowerCase())).size).toBe(all.length);
  });

  it("has an exact answer to every question, and all answers are in the memory at the clock", () => {
    for (const question of all) {
      expect(exactOf(question), question.text).not.toHaveLength(0);
      for (const id of question.grades.keys()) expect(present.has(id), question.text).toBe(true);
    }
  });

  it("asks for every section, with some questions that only this section answers", () => {
    const sections = all.map((question) => {
      const found = new Set(
        exactOf(question).map((id) => getSectionForSubtype(present.get(id)!.subtype)),
      );
      return found.size === 1 ? [...found][0] : null;
    });
    for (const section of ["EPISODIC", "SIGNALS", "KNOWLEDGE", "PROCEDURAL"] as const) {
      expect(sections.filter((one) => one === section).length, section).toBeGreaterThanOrEqual(20);
    }
  });

  it("misleads where it claims to: the question names a section without exact answers", () => {
    for (const question of all.filter(({ kind }) => kind === "misleading")) {
      const right = new Set(
        exactOf(question).map((id) => getSectionForSubtype(present.get(id)!.subtype)),
      );
      expect(
        classifyIntent(question.text).filter((section) => !right.has(section)),
        question.text,
      ).not.toHaveLength(0);
    }
  });

  it("leaves no slot unfilled", () => {
    for (const { text } of all) expect(text).not.toMatch(/[{}]|undefined|\?\?/);
  });

  it("is the same on every run", () => {
    expect(labelledSet(generateSample())).toEqual(sets);
  });

  it("is split by the words of a question only", () => {
    for (const { text } of sets.test) expect(isTest(text)).toBe(true);
    for (const { text } of sets.dev) expect(isTest(text)).toBe(false);
    // Fixed for good: a held-out question stays held out.
    expect(isTest("What have I learned about funding?")).toBe(false);
    expect(isTest("Which signals are firing?")).toBe(true);
  });
});
