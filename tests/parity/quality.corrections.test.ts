// The measurement of corrections that no word announces, and the fitted rule.

import { loadEmbedderSync } from "nous-embedder";
import { MIN_LIKELY, MIN_POSSIBLE } from "nous-memory";
import { expect, test } from "vitest";
import {
  fitReading,
  fitReplacing,
  type JudgedPair,
  weightsFile,
} from "../../benches/fit/replacing.ts";
import {
  conflictTables,
  proposedBy,
  tally,
  verdictOf,
  written,
} from "../../benches/quality/conflicts.ts";
import { generalSet } from "../../benches/quality/own-sets.ts";
import { Random } from "../../js/sample/trader/random.ts";

const writes = written(generalSet(), { embedder: loadEmbedderSync() });
const half = (part: string) => writes.filter((write) => write.part === part);

test("the rule finds replacements of the half that took no part in its fit", () => {
  const possible = tally(half("test"), proposedBy("plain", MIN_POSSIBLE));
  expect(possible.right / possible.pairs).toBeGreaterThan(0.4);
  expect(possible.right / (possible.right + possible.wrong)).toBeGreaterThan(0.45);
  expect(possible.wrong / possible.writes).toBeLessThan(0.08);
  const likely = tally(half("test"), proposedBy("plain", MIN_LIKELY));
  expect(likely.right / likely.pairs).toBeGreaterThan(0.25);
  expect(likely.wrong / likely.writes).toBeLessThan(0.025);
});

test("the fit gives the same weights again", () => {
  const judged = half("dev").flatMap(({ id, candidates }) =>
    candidates.flatMap(({ id: older, features }): JudgedPair[] =>
      features === undefined ? [] : [{ features, replaces: verdictOf(older, id) === "right" }],
    ),
  );
  const weights = fitReplacing(judged);
  expect(fitReplacing(judged)).toEqual(weights);
  expect(weights.long_taken).toBeGreaterThan(0);
  const drawn = { offset: -0.5, features: 0.8, reading: 0.4, rivals: -1.2 };
  expect(weightsFile({ embedded: weights, plain: weights }, drawn)).toContain("long_taken");
});

test("the fit finds how features, readings and rivals add up", () => {
  const random = new Random(5, "readings");
  const drawn = { offset: -0.5, features: 0.8, reading: 0.4, rivals: -1.2 };
  const pairs = Array.from({ length: 20_000 }, () => {
    const [features, logOdds] = [random.whole(-600, 200) / 100, random.whole(-600, 400) / 100];
    const rivals = random.whole(0, 150) / 100;
    const read = drawn.reading * logOdds + drawn.rivals * rivals;
    const odds = drawn.offset + drawn.features * features + read;
    const replaces = random.whole(0, 999_999) / 1e6 < 1 / (1 + Math.exp(-odds));
    return { features, reading: { logOdds, rivals }, replaces };
  });
  const fitted = fitReading(pairs);
  for (const name of ["offset", "features", "reading", "rivals"] as const)
    expect(Math.abs(fitted[name] - drawn[name]), name).toBeLessThan(0.1);
});

test("the table has a row for each rule and each group of memories", () => {
  const [table] = conflictTables("plain", writes, { name: "none", writes: [] });
  expect(table!.split("\n")).toHaveLength(2 + 3 * 7);
});
