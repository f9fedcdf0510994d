// The package equals the golden vectors, to the bit.

import { readFileSync } from "node:fs";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { same } from "./support/same.ts";

const text = (name: string) => readFileSync(new URL(`../golden/${name}`, import.meta.url), "utf8");
const golden = <T>(name: string): T => JSON.parse(text(`${name}.json`));

describe("ranking", () => {
  interface Batch {
    metrics: nous.GraphMetrics;
    candidates: (nous.ScoredNode & { last_accessed: number; created_at: number })[];
    by_section: unknown[];
    global: unknown[];
    custom: unknown[];
    custom_weights: nous.RerankingWeights;
  }
  const { now, batches } = golden<{ now: number; batches: Batch[] }>("rerank");
  const rows = (ranking: nous.RankedNode[]) =>
    ranking.map(({ node, ...rest }) => ({ id: node.id, ...rest }));

  /** The same instants in every allowed form. */
  const FORMS: [string, (ms: number) => nous.Instant][] = [
    ["milliseconds", (ms) => ms],
    ["dates", (ms) => new Date(ms)],
    ["text", (ms) => new Date(ms).toISOString()],
    ["text without a zone", (ms) => new Date(ms).toISOString().replace("Z", "")],
  ];
  const inForm = (
    candidates: Batch["candidates"],
    form: (ms: number) => nous.Instant,
  ): nous.ScoredNode[] =>
    candidates.map((node) => ({
      ...node,
      last_accessed: form(node.last_accessed),
      created_at: form(node.created_at),
    }));

  test.each(FORMS)(
    "by section, by global and by custom weights, with instants as %s",
    (_, form) => {
      for (const batch of batches) {
        const { metrics, custom_weights } = batch;
        const candidates = inForm(batch.candidates, form);
        const bySection = nous.rerankWithSectionWeights(candidates, metrics, form(now));
        expect(same(rows(bySection), batch.by_section)).toBeNull();
        const global = nous.rerankCandidates(candidates, metrics, undefined, form(now));
        expect(same(rows(global), batch.global)).toBeNull();
        const custom = nous.rerankCandidates(candidates, metrics, custom_weights, form(now));
        expect(same(rows(custom), batch.custom)).toBeNull();
        const passed = new Set(candidates);
        expect(bySection.every(({ node }) => passed.delete(node))).toBe(true);
      }
    },
  );

  test("from the top, with a limit", () => {
    for (const { metrics, candidates, by_section, global, custom, custom_weights } of batches) {
      const top = (options: nous.RerankTopOptions) =>
        rows(nous.rerankTop(candidates, metrics, { now, ...options }));
      expect(same(top({}), by_section.slice(0, 20))).toBeNull();
      for (const limit of [0, 1, 3, 50, Number.POSITIVE_INFINITY]) {
        expect(same(top({ limit }), by_section.slice(0, limit))).toBeNull();
        expect(same(top({ limit, sections: false }), global.slice(0, limit))).toBeNull();
        expect(same(top({ limit, weights: custom_weights }), custom.slice(0, limit))).toBeNull();
      }
    }
  });
});

describe("decay", () => {
  interface Vectors {
    retrievability: [number, number, number][];
    lifecycle: {
      retrievability: number;
      days_dormant: number;
      section: nous.MemorySection;
      by_section: string;
      global: string;
    }[];
    growth: {
      stability: number;
      difficulty: number;
      section: nous.MemorySection;
      by_section: number;
      global: number;
    }[];
    cascade: [number, number, number][];
    difficulty: {
      type: nous.AlgorithmNodeType;
      content_length: number;
      edge_count: number;
      difficulty: number;
    }[];
  }
  const vectors = golden<Vectors>("decay");
  const decayOf = (section: nous.MemorySection) => nous.SECTION_PROFILES[section].decay;

  test("retrievability", () => {
    for (const [t, stability, expected] of vectors.retrievability) {
      expect(nous.calculateRetrievability(t, stability)).toBe(expected);
    }
  });

  test("retrievability in columns", () => {
    const now = 2e13;
    const rows = vectors.retrievability.filter(([t]) => Number.isInteger(t));
    const { retrievability } = nous.decayColumns(
      {
        lastAccessed: rows.map(([t]) => now - t * 86_400_000),
        stability: rows.map(([, stability]) => stability),
        section: rows.map(() => 2),
      },
      now,
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(
      same(
        retrievability,
        Float64Array.from(rows, ([, , expected]) => expected),
      ),
    ).toBeNull();
  });

  test("lifecycle, by section and global", () => {
    for (const { retrievability, days_dormant, section, by_section, global } of vectors.lifecycle) {
      const state = nous.getDecayLifecycleStateForSection(
        retrievability,
        days_dormant,
        decayOf(section),
      );
      expect(state).toBe(by_section);
      expect(nous.getDecayLifecycleState(retrievability, days_dormant)).toBe(global);
    }
  });

  test("growth on recall, by section and global, also for neutral salience", () => {
    const staked = nous.createEngine({ salienceGrowth: true });
    for (const { stability, difficulty, section, by_section, global } of vectors.growth) {
      expect(nous.updateStabilityOnAccessForSection(stability, difficulty, decayOf(section))).toBe(
        by_section,
      );
      expect(nous.updateStabilityOnAccess(stability, difficulty)).toBe(global);
      const neutral = [stability, difficulty, decayOf(section), undefined, 0.5] as const;
      expect(staked.updateStabilityOnAccessForSection(...neutral)).toBe(by_section);
      expect(staked.updateStabilityOnAccess(stability, difficulty)).toBe(global);
    }
  });

  test("cascade", () => {
    for (const [weight, retrievability, expected] of vectors.cascade) {
      expect(nous.applyCascadeDecay(weight, retrievability)).toBe(expected);
    }
  });

  test("difficulty", () => {
    for (const { type, content_length, edge_count, difficulty } of vectors.difficulty) {
      expect(nous.calculateDifficulty(type, content_length, edge_count)).toBe(difficulty);
    }
  });
});

test("intents equal the golden ones", () => {
  for (const { query, sections } of golden<{ query: string; sections: string[] }[]>("intent")) {
    expect(nous.classifyIntent(query), query).toEqual(sections);
  }
});

test("merges of an array and of a map equal the golden ones", () => {
  type Row = nous.MergeRow & { row: string };
  interface Case {
    query: string;
    options: nous.MergeOptions;
    sub_results: [string, Row[]][];
    selected: unknown[];
  }
  for (const { query, options, sub_results, selected } of golden<Case[]>("merge")) {
    const before = structuredClone(sub_results);
    const byName = new Map(sub_results);
    const forms = byName.size === sub_results.length ? [sub_results, byName] : [sub_results];
    for (const subResults of forms) {
      const merged = nous.mergeAndSelect(subResults, { query, ...options });
      const rows = merged.map((node) => ({
        id: node.id,
        row: node.row,
        score: node.score,
        original: node._original_score ?? null,
        boosted: node._intent_boosted ?? false,
      }));
      expect(same(rows, selected)).toBeNull();
      expect(same(sub_results, before), "inputs are never changed").toBeNull();
      expect(merged.map((node) => node._sub_query_group)).toEqual(
        merged.map(({ row }) => Number(row.split("/")[0])),
      );
    }
  }
});

test("context lines equal the golden ones", () => {
  type Case = { results: nous.MemoryRow[]; max_tokens: number; text: string | null };
  for (const { results, max_tokens, text: expected } of golden<Case[]>("context_lines")) {
    expect(nous.formatContext(results, max_tokens)).toBe(expected);
  }
});

test("the guidance equals the golden one", () => {
  expect(nous.memoryGuidance()).toBe(text("memory_guidance.txt"));
});
