// The measurement of corrections that no word announces, and the fitted rule.

import { loadEmbedderSync } from "nous-embedder";
import { CONFLICT_SIGNALS, CONFLICT_WEIGHTS, MIN_CONFLICT_PROBABILITY } from "nous-memory";
import { expect, test } from "vitest";
import {
  conflictTables,
  fitSignals,
  proposedBy,
  tally,
  written,
} from "../../benches/quality/conflicts.ts";
import { generalSet } from "../../benches/quality/own-sets.ts";

const writes = written(generalSet(), loadEmbedderSync());
const half = (part: string) => writes.filter((write) => write.part === part);

test("the rule finds replacements of the half that took no part in its fit", () => {
  const { pairs, right, wrong, writes } = tally(
    half("test"),
    proposedBy(CONFLICT_WEIGHTS, MIN_CONFLICT_PROBABILITY),
  );
  expect(right / pairs).toBeGreaterThan(0.4);
  expect(right / (right + wrong)).toBeGreaterThan(0.45);
  expect(wrong / writes).toBeLessThan(0.08);
});

test("a higher threshold proposes a part of the conflicts of a lower one", () => {
  const [few, many] = [0.5, 0.1].map((min) => proposedBy(CONFLICT_WEIGHTS, min));
  for (const write of writes) expect(many!(write)).toEqual(expect.arrayContaining(few!(write)));
});

test("the fit gives the weights of the rule their signs, and the same weights again", () => {
  const fitted = fitSignals(half("dev"));
  expect(fitSignals(half("dev"))).toEqual(fitted);
  for (const name of CONFLICT_SIGNALS)
    expect(Math.sign(fitted[name]), name).toBe(Math.sign(CONFLICT_WEIGHTS[name]));
});

test("the table has a row for each rule and each group of memories", () => {
  const [table] = conflictTables(writes, { name: "none", writes: [] });
  expect(table!.split("\n")).toHaveLength(2 + 3 * 6);
});
