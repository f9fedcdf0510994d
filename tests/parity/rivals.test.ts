// The competitors of the benches answer as the reference does, to the bit: a wrong baseline would
// be worthless.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as includes from "../../benches/js/rivals/includes.ts";
import { IndexedBook } from "../../benches/js/rivals/playbooks.ts";
import * as regexes from "../../benches/js/rivals/regexes.ts";
import { planTurn } from "../../benches/js/rivals/turns.ts";
import { UsageTracker } from "../../benches/js/rivals/usage.ts";
import { TURNS } from "../../benches/js/turn-contests.ts";
import * as reference from "../../js/reference/index.ts";
import {
  makeCandidates,
  makeColumns,
  makeEvents,
  makeMetrics,
  makePlaybooks,
  makeQueries,
  makeRandom,
  NOW,
  pick,
} from "../../js/reference/inputs.ts";
import * as plain from "../../js/reference/rivals/plain.ts";
import * as tuned from "../../js/reference/rivals/tuned.ts";
import * as tunedDecay from "../../js/reference/rivals/tuned-decay.ts";
import { runs, SEED } from "../support/amount.ts";
import { type Batch, batch, batches, decayInput, query } from "./inputs/arbitraries.ts";
import { asked } from "./inputs/questions.ts";
import { turn } from "./inputs/turns.ts";
import { same } from "./support/same.ts";

type Rerank = Pick<typeof reference, "rerankCandidates" | "rerankTop" | "rerankWithSectionWeights">;
/** Over all ways to call it. */
const answersOf = (from: Rerank, { candidates, metrics, weights, now, limit }: Batch) => [
  from.rerankWithSectionWeights(candidates, metrics, now),
  from.rerankCandidates(candidates, metrics, weights, now),
  from.rerankTop(candidates, metrics, { now, limit }),
  from.rerankTop(candidates, metrics, { now, limit, sections: false }),
  from.rerankTop(candidates, metrics, { now, limit, weights }),
];

/** The first difference between a competitor and the reference. */
function difference(rival: Rerank, batch: Batch, expected = answersOf(reference, batch)) {
  const actual = answersOf(rival, batch);
  const mixedUp = actual.some((ranking, i) =>
    ranking.some((ranked, j) => ranked.node !== expected[i]![j]!.node),
  );
  return same(actual, expected) ?? (mixedUp ? "a node is not the very object passed in" : null);
}

const golden = JSON.parse(
  readFileSync(new URL("../golden/rerank.json", import.meta.url), "utf8"),
) as {
  now: number;
  batches: (Batch & { custom_weights: reference.RerankingWeights })[];
};

const RIVALS: [string, Rerank][] = [
  ["plain", plain],
  ["tuned", tuned],
];

describe.each(RIVALS)("%s ranks as the reference does", (_, rival) => {
  test("over the golden batches", () => {
    for (const { candidates, metrics, custom_weights: weights } of golden.batches) {
      const batch = { candidates, metrics, weights, now: golden.now, limit: 5 };
      expect(difference(rival, batch)).toBeNull();
    }
  });

  test("over the inputs of the benches, up to 10,000 candidates", () => {
    for (const count of [1, 2, 10, 50, 500, 2000, 10_000]) {
      for (const instants of ["date", "ms"] as const) {
        const candidates = makeCandidates(count, count, { instants });
        const metrics = makeMetrics(count, count);
        const batch = { candidates, metrics, weights: undefined, now: NOW, limit: 20 };
        expect(difference(rival, batch)).toBeNull();
      }
    }
  });

  test("with all scores equal, or close together beside an outlier", () => {
    const nodes = makeCandidates(300, 5);
    const equal = nodes.map(({ id }) => ({ ...nodes[0]!, id }));
    const crowded = [...nodes, { ...nodes[0]!, id: "far", semantic_score: 1e300 }, ...equal];
    for (const candidates of [equal, crowded]) {
      const metrics = makeMetrics(300, 5);
      for (const limit of [0, 1, 30, 70, 300, 299, 5000]) {
        const batch = { candidates, metrics, weights: undefined, now: NOW, limit };
        expect(difference(rival, batch)).toBeNull();
      }
    }
  });

  test("over arbitrary batches", () => {
    fc.assert(
      fc.property(batch(), (arbitrary) => difference(rival, arbitrary) === null),
      runs(500),
    );
  });
});

test("plain and tuned rank as the reference does over 20,000 generated batches of every form", () => {
  let index = 0;
  for (const batch of batches(20_000, SEED)) {
    const expected = answersOf(reference, batch);
    for (const [name, rival] of RIVALS) {
      const found = difference(rival, batch, expected);
      if (found !== null) expect.fail(`${name}, batch ${index} of seed 1: ${found}`);
    }
    index++;
  }
});

describe("the tuned decay sweep answers as the reference does", () => {
  const codes = (count: number) => Uint8Array.from({ length: count }, (_, i) => i % 4);
  const now = NOW;
  const check = (columns: reference.DecayInput) =>
    same(tunedDecay.decayColumns(columns, now), reference.decayColumns(columns, now));

  test("over the inputs of the benches", () => {
    for (const seed of [1, 2, 3]) expect(check(makeColumns(20_000, seed))).toBeNull();
  });

  test("over arguments of exp of every size, and around its steps", () => {
    const random = makeRandom(SEED);
    const exponents = [
      () => random() * 760,
      () => random() * 1.1,
      () => 0.34657 + random() * 1e-5,
      () => 2 ** (-60 * random()),
      () => 707 + random() * 2,
    ];
    const days = Float64Array.from({ length: 50_000 }, (_, i) => exponents[i % 5]!());
    const lastAccessed = days.map((t) => now - t * 86_400_000);
    const stability = new Float64Array(days.length).fill(1);
    expect(check({ lastAccessed, stability, section: codes(days.length) })).toBeNull();
  });

  test("at the edges: no stability, no time, the future, the thresholds of days", () => {
    const times = [
      now,
      now + 1,
      now - 1,
      0,
      -8.64e15,
      now - 60 * 86_400_000,
      now - 120 * 86_400_000,
    ];
    const stabilities = [0, -0, -1, 5e-324, 1e-9, 0.5, 14, 365, 1e300];
    const rows = times.flatMap((time) =>
      stabilities.flatMap((s) => [0, 1, 2, 3].map((section) => [time, s, section] as const)),
    );
    const columns = {
      lastAccessed: Float64Array.from(rows, ([time]) => time),
      stability: Float64Array.from(rows, ([, s]) => s),
      section: Uint8Array.from(rows, ([, , section]) => section),
    };
    expect(check(columns)).toBeNull();
  });

  test("over arbitrary columns", () => {
    fc.assert(
      fc.property(decayInput, (columns) => check(columns) === null),
      runs(),
    );
  });

  test("into the caller's own output", () => {
    const columns = makeColumns(100, 9);
    const output = { retrievability: new Float64Array(100), lifecycle: new Uint8Array(100) };
    expect(tunedDecay.decayColumns(columns, now, output)).toBe(output);
    expect(same(output, reference.decayColumns(columns, now))).toBeNull();
  });
});

test("the includes loop finds the sections that the reference finds", () => {
  const arbitrary = fc.sample(query, runs(2000));
  const queries = [8, 40, 200, 2000].flatMap((length) => makeQueries(length, 500, length));
  queries.push(...arbitrary);
  const found = new Set<string>();
  for (const query of queries) {
    const expected = reference.classifyIntent(query);
    expect(includes.classifyIntent(query), query).toEqual(expected);
    found.add(expected.join());
  }
  expect(found.size, "the queries ask for many different combinations").toBeGreaterThan(10);
});

test.each([
  ["one by one", regexes.patterns],
  ["by category", regexes.tuned],
])("regular expressions, %s, classify as the reference does", (_, classify) => {
  fc.assert(
    fc.property(asked, ({ query }) => {
      expect(same(classify(query), reference.classifyQuery(query))).toBeNull();
    }),
    runs(5_000),
  );
});

test("playbooks in a Map by kind match as the reference does", () => {
  for (const seed of [1, 2, 3]) {
    const playbooks = makePlaybooks(2_000, seed);
    const events = makeEvents(200, seed);
    const plain = new reference.PlaybookBook();
    plain.add(playbooks);
    const { matches } = plain.match(events);
    expect(matches.length).toBeGreaterThan(50);
    expect(same(new IndexedBook(playbooks).match(events), matches)).toBeNull();
  }
});

test("usage in lists by id is stored and boosted as the reference does", () => {
  const [plain, lists] = [new reference.UsageTracker({ maxRecords: 90 }), new UsageTracker(90)];
  const random = makeRandom(SEED);
  const words = ["redis", "cache", "the", "naïve", "session", "Straße", "ab", "deploy"];
  const text = () => Array.from({ length: 6 }, () => pick(random, words)).join(" ");
  const ids = Array.from({ length: 20 }, (_, i) => `memory ${i}`);
  for (let turn = 0; turn < 60; turn++) {
    const recalled = Object.fromEntries(
      Array.from({ length: 5 }, () => [pick(random, ids), text()]),
    );
    const args = [recalled, text(), NOW + turn * 3_600_000] as const;
    expect(same(lists.feedback(...args), plain.feedback(...args))).toBeNull();
    expect(same(lists.boost(ids), plain.boost(ids))).toBeNull();
  }
});

test("turns of ASCII by precompiled expressions match the reference", () => {
  const isAscii = (character: string) => character.charCodeAt(0) < 128;
  const ascii = turn.map((text) => Array.from(text).filter(isAscii).join(""));
  for (const text of [...TURNS, ...fc.sample(ascii, runs(5_000))]) {
    const difference = same(planTurn(text, "task"), reference.planTurn(text, "task"));
    expect(difference, JSON.stringify(text)).toBeNull();
  }
});
