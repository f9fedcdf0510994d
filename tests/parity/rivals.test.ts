// The rivals of the benches answer as the reference does, to the bit: a baseline that is wrong is none.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeCandidates, makeMetrics, NOW } from "../../benches/js/inputs.ts";
import * as plain from "../../benches/js/rivals/plain.ts";
import * as tuned from "../../benches/js/rivals/tuned.ts";
import * as reference from "../reference/index.ts";
import { same } from "./same.ts";

type Rerank = Pick<
  typeof reference,
  "rerankCandidates" | "rerankTop" | "rerankWithSectionWeights"
>;
interface Batch {
  candidates: reference.ScoredNode[];
  metrics: reference.GraphMetrics;
  weights?: reference.RerankingWeights | undefined;
  now: reference.Instant;
  limit: number;
}

/** The first difference between a rival and the reference, over all ways to call them. */
function difference(rival: Rerank, { candidates, metrics, weights, now, limit }: Batch) {
  const answers = (from: Rerank) => [
    from.rerankWithSectionWeights(candidates, metrics, now),
    from.rerankCandidates(candidates, metrics, weights, now),
    from.rerankTop(candidates, metrics, { now, limit }),
    from.rerankTop(candidates, metrics, { now, limit, sections: false }),
    from.rerankTop(candidates, metrics, { now, limit, weights }),
  ];
  const actual = answers(rival);
  const expected = answers(reference);
  const mixedUp = actual.some((ranking, i) =>
    ranking.some((ranked, j) => ranked.node !== expected[i]![j]!.node),
  );
  return same(actual, expected) ?? (mixedUp ? "a node is not the very object passed in" : null);
}

const golden = JSON.parse(
  readFileSync(new URL("../golden/rerank.json", import.meta.url), "utf8"),
) as {
  now: number;
  batches: (Omit<Batch, "now"> & { custom_weights: reference.RerankingWeights })[];
};

describe.each<[string, Rerank]>([
  ["plain", plain],
  ["tuned", tuned],
])("%s ranks as the reference does", (_, rival) => {
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
        expect(difference(rival, { candidates, metrics, now: NOW, limit: 20 })).toBeNull();
      }
    }
  });
});
