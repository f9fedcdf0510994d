// The reference equals the golden vectors, to the bit.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { same } from "./support/same.ts";

// biome-ignore lint/suspicious/noExplicitAny: the vectors are data without a type
const golden = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../golden/${name}.json`, import.meta.url), "utf8"));

describe("ranking", () => {
  const { now, batches } = golden("rerank");
  type Batch = {
    metrics: reference.GraphMetrics;
    candidates: reference.ScoredNode[];
    by_section: unknown[];
    global: unknown[];
    custom: unknown[];
    custom_weights: reference.RerankingWeights;
  };
  const rows = (ranking: reference.RankedNode[]) =>
    ranking.map(({ node, ...rest }) => ({ id: node.id, ...rest }));
  const withDates = (nodes: reference.ScoredNode[]) =>
    nodes.map((node) => ({
      ...node,
      last_accessed: new Date(node.last_accessed),
      created_at: new Date(node.created_at),
    }));

  test.each((batches as Batch[]).map((batch, i) => [i, batch] as const))(
    "batch %i ranks as recorded, with instants as milliseconds and as dates",
    (_, batch) => {
      const { metrics, custom_weights } = batch;
      for (const candidates of [batch.candidates, withDates(batch.candidates)]) {
        const dated = new Date(now);
        const bySection = reference.rerankWithSectionWeights(candidates, metrics, dated);
        expect(same(rows(bySection), batch.by_section)).toBeNull();
        const global = reference.rerankCandidates(candidates, metrics, undefined, now);
        expect(same(rows(global), batch.global)).toBeNull();
        const custom = reference.rerankCandidates(candidates, metrics, custom_weights, now);
        expect(same(rows(custom), batch.custom)).toBeNull();
        for (const ranked of bySection) expect(candidates).toContain(ranked.node);
      }
    },
  );

  test("the top of a ranking is the head of the full order", () => {
    const { metrics, candidates, by_section, global, custom, custom_weights } = (
      batches as Batch[]
    ).find((batch) => batch.candidates.length === 120)!;
    const top = (options: reference.RerankTopOptions) =>
      rows(reference.rerankTop(candidates, metrics, { now, ...options }));
    expect(same(top({}), by_section.slice(0, 20))).toBeNull();
    expect(same(top({ limit: 500 }), by_section)).toBeNull();
    expect(same(top({ limit: 3, sections: false }), global.slice(0, 3))).toBeNull();
    expect(same(top({ limit: 7, weights: custom_weights }), custom.slice(0, 7))).toBeNull();
  });
});

describe("decay", () => {
  const vectors = golden("decay");
  const profile = (section: reference.MemorySection) => reference.SECTION_PROFILES[section].decay;

  test("retrievability", () => {
    for (const [t, stability, expected] of vectors.retrievability) {
      expect(same(reference.calculateRetrievability(t, stability), expected)).toBeNull();
    }
  });
  test("lifecycle, by section and global", () => {
    for (const row of vectors.lifecycle) {
      const { retrievability, days_dormant, section } = row;
      const decay = profile(section);
      expect(reference.getDecayLifecycleStateForSection(retrievability, days_dormant, decay)).toBe(
        row.by_section,
      );
      expect(reference.getDecayLifecycleState(retrievability, days_dormant)).toBe(row.global);
    }
  });
  test("growth on recall, by section and global", () => {
    for (const { stability, difficulty, section, by_section, global } of vectors.growth) {
      const decay = profile(section);
      expect(reference.updateStabilityOnAccessForSection(stability, difficulty, decay)).toBe(
        by_section,
      );
      expect(reference.updateStabilityOnAccess(stability, difficulty)).toBe(global);
    }
  });
  test("cascade", () => {
    for (const [weight, retrievability, expected] of vectors.cascade) {
      expect(reference.applyCascadeDecay(weight, retrievability)).toBe(expected);
    }
  });
  test("difficulty", () => {
    for (const { type, content_length, edge_count, difficulty } of vectors.difficulty) {
      expect(reference.calculateDifficulty(type, content_length, edge_count)).toBe(difficulty);
    }
  });
});

test("intents equal the golden ones", () => {
  for (const { query, sections } of golden("intent")) {
    expect(reference.classifyIntent(query), query).toEqual(sections);
  }
});

describe("merge", () => {
  type Case = {
    query: string;
    options: reference.MergeOptions;
    sub_results: [string, (reference.MergeRow & { row: string })[]][];
    selected: unknown[];
  };
  test.each((golden("merge") as Case[]).map((row, i) => [i, row] as const))(
    "case %i selects as recorded",
    (_, { query, options, sub_results, selected }) => {
      const before = structuredClone(sub_results);
      const merged = reference.mergeAndSelect(sub_results, { query, ...options });
      const rows = merged.map((node) => ({
        id: node.id,
        row: node.row,
        score: node.score,
        original: node._original_score ?? null,
        boosted: node._intent_boosted ?? false,
      }));
      expect(same(rows, selected)).toBeNull();
      expect(same(sub_results, before), "inputs are never changed").toBeNull();
      for (const node of merged) {
        expect(node._sub_query_group, "the group is the instance's sub-query").toBe(
          Number(node.row.split("/")[0]),
        );
      }
    },
  );
});

test("context lines equal the golden ones", () => {
  for (const { results, max_tokens, text } of golden("context_lines")) {
    expect(reference.formatContext(results, max_tokens)).toBe(text);
  }
});
