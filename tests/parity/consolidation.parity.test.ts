// The package's consolidation equals the golden vectors and the reference to the bit; and a
// carried-out plan leaves nothing to do.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { generatePlanted } from "../../js/sample/trader/planted.ts";
import { amount, isFull, runs, SEED } from "../support/amount.ts";
import { analyze, findSimilarAmong, memory, Store } from "./inputs/consolidation.ts";
import { same } from "./support/same.ts";

const LARGE = { trades: 160, others: 12 };
const SMALL = { trades: 25, others: 40 };

function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

test("golden vectors", () => {
  const file = readFileSync(new URL("../golden/consolidation.json", import.meta.url), "utf8");
  const { symbol, trigger, pattern } = JSON.parse(file);
  for (const vector of symbol) expect(nous.extractSymbol(vector)).toBe(vector.symbol);
  for (const { text, trigger: expected } of trigger)
    expect(nous.extractPlaybookTrigger(text)).toEqual(expected);
  for (const { text, title, body } of pattern)
    expect(nous.parsePatternOutput(text)).toEqual({ title, body });
});

describe("texts", () => {
  const word = fc.constantFrom(
    ...[
      "BTC",
      "btc",
      "Eth",
      "btc-perp",
      "BTC-",
      "perp",
      "SOLO",
      "sol",
      "x_sol",
      "\u212aAS",
      "kas",
      "ä",
      "btcä",
      "\ud83d",
    ],
    ...[" ", " ", "\n", "-", "_", ".", "$", "1", "1000pepe", "{", '"', "[", "null", "7"],
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 12, size: "max" }).map((words) => words.join("")),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  const body = fc.oneof(
    text,
    fc
      .record(
        {
          text: fc.oneof(text, fc.constant(7)),
          signals: fc.record(
            { symbol: fc.oneof(text, fc.constant(1)), coin: text },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  const symbols = fc.uniqueArray(
    fc.constantFrom(
      "BTC",
      "eth",
      "BTC-PERP",
      "sol",
      "KAS",
      "1000PEPE",
      "perp",
      "a",
      "a-b",
      "a-b-c",
      "b.c",
    ),
    { minLength: 1, maxLength: 8 },
  );

  test("symbols", () => {
    fc.assert(
      fc.property(text, body, (content_title, content_body) => {
        const node = { content_title, content_body };
        expect(nous.extractSymbol(node)).toBe(reference.extractSymbol(node));
      }),
      runs(amount(20_000)),
    );
  });

  test("symbols of the user's own", () => {
    const nodes = fc.array(fc.tuple(text, body), { minLength: 10, maxLength: 30, size: "max" });
    fc.assert(
      fc.property(symbols, nodes, (knownSymbols, nodes) => {
        const { extractSymbol } = nous.createEngine({ knownSymbols });
        for (const [content_title, content_body] of nodes) {
          const node = { content_title, content_body };
          expect(extractSymbol(node)).toBe(reference.extractSymbol(node, knownSymbols));
        }
      }),
      runs(300),
    );
  });

  const line = fc.oneof(
    fc.constantFrom(
      "TITLE:",
      "TITLE: A",
      "TITLE:  ",
      "title: a",
      "NO_PATTERN",
      "no_Pattern here",
      "  ",
      "",
      "Body.",
      "\r",
    ),
    fc.constantFrom(
      'PLAYBOOK_TRIGGER: {"anomaly_types":["a"]}',
      "PLAYBOOK_TRIGGER: {bad",
      "PLAYBOOK_TRIGGER:[1]",
    ),
    fc.constantFrom(
      'PLAYBOOK_TRIGGER: {"anomaly_types":["a",7]}',
      ' PLAYBOOK_TRIGGER: {"anomaly_types":["b"]}\u2028',
    ),
    fc.integer({ min: 28, max: 63 }).map((length) => "🚀x".repeat(40).slice(0, length)),
    fc.string({ unit: "binary", maxLength: 70 }),
  );

  test("answers of language models", () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.constantFrom("\n", "\n", "\r\n"),
        (lines, end) => {
          const answer = lines.join(end);
          expectSame(nous.parsePatternOutput(answer), reference.parsePatternOutput(answer));
          expectSame(nous.extractPlaybookTrigger(answer), reference.extractPlaybookTrigger(answer));
        },
      ),
      runs(amount(20_000)),
    );
  });
});

test("groups and their requests to a language model equal the reference's", () => {
  fc.assert(
    fc.property(
      memory(SMALL),
      fc.constantFrom(NOW, NOW - 8 * 86_400_000, NOW + 20 * 86_400_000),
      ({ rows }, now) => {
        const groups = nous.groupEpisodes(rows, { now });
        const expected = reference.groupEpisodes(rows, { now });
        expectSame(groups, expected);
        for (const [place, group] of groups.entries()) {
          for (const [at, row] of group.episodes.entries())
            expect(row).toBe(expected[place]!.episodes[at]);
          expectSame(nous.patternPrompt(group), reference.patternPrompt(group));
        }
      },
    ),
    runs(500),
  );
});

test("patterns equal the reference's", () => {
  let [patternCount, max] = [0, 0];
  fc.assert(
    fc.property(memory(LARGE), ({ rows, edges }) => {
      const symbolOf = (close: reference.EpisodeNode) =>
        reference.extractSymbol(close) ?? reference.GENERAL;
      const trades = reference.closedTrades(rows, edges, symbolOf);
      const { tested, patterns } = nous.findPatterns(rows, edges);
      const expected = reference.findPatterns(trades);
      expectSame(tested, expected);
      expectSame(
        patterns,
        expected.filter(({ kept }) => kept),
      );
      const eth = reference.findPatterns(trades.filter(({ symbol }) => symbol === "ETH"));
      expectSame(nous.findPatterns(rows, edges, { symbols: ["ETH", "unheard of"] }).tested, eth);
      patternCount += patterns.length;
      max = Math.max(max, ...tested.map(({ conditions }) => conditions.length));
    }),
    runs(amount(300, 100)),
  );
  // Otherwise the test would have shown nothing. Few memories have patterns of several conditions:
  // a short run may have none.
  expect(patternCount).toBeGreaterThan(amount(20, 0));
  if (isFull) expect(max).toBeGreaterThan(1);
});

test("patterns and plans of planted memories equal the reference's", async () => {
  for (const seed of [SEED, SEED + 1, SEED + 2]) {
    const { nodes, edges } = generatePlanted({ seed });
    const trades = reference.closedTrades(nodes, edges, (close) => reference.extractSymbol(close)!);
    expectSame(nous.findPatterns(nodes, edges).tested, reference.findPatterns(trades));
    const options = { edges, now: nodes.at(-1)!.created_at };
    const plan = await nous.planConsolidation(nodes, [], options);
    expectSame(plan, await reference.planConsolidation(nodes, [], options));
    expect(plan.report.patterns_created).toBeGreaterThan(5);
  }
});

describe("plans", () => {
  const DAY = 86_400_000;
  /** Cycles of one memory, with this much of it present at each; some call a language model. */
  const cycles = fc.array(
    fc.record({
      share: fc.constantFrom(0.5, 0.7, 1),
      days: fc.constantFrom(0, 2),
      model: fc.boolean(),
      similar: fc.boolean(),
      agent: fc.constantFrom("", "", "other"),
    }),
    { minLength: 2, maxLength: 4 },
  );

  /** Each implementation words the faults of an answer differently. */
  const withoutMessages = ({ groups, report }: reference.ConsolidationPlan) => {
    const errors = report.errors.map(({ symbol, stage }) => ({ symbol, stage }));
    return { groups, report: { ...report, errors } };
  };

  test("equal the reference's, and leave nothing to do once carried out", async () => {
    const seen = { created: 0, strengthened: 0, updated: 0, playbooks: 0, errors: 0, related: 0 };
    const property = fc.asyncProperty(memory(LARGE), cycles, async ({ rows, edges }, cycles) => {
      const store = new Store(edges);
      for (const { share, days, model, similar, agent } of cycles) {
        const there = rows.slice(0, Math.ceil(rows.length * share));
        const plan = async () => {
          const existing = [...store.existing.values()];
          const options = {
            ...{ edges: store.edges, now: NOW + days * DAY, agent },
            analyze: model ? analyze : undefined,
            // Of the existing memories, whatever a plan adds.
            findSimilar: similar ? findSimilarAmong(similarIds) : undefined,
          };
          const planned = await nous.planConsolidation(there, existing, options);
          const expected = await reference.planConsolidation(there, existing, options);
          expectSame(withoutMessages(planned), withoutMessages(expected));
          return planned;
        };
        const similarIds = [...store.existing.keys()];
        const { groups, report } = await plan();
        seen.created += report.patterns_created;
        seen.strengthened += report.patterns_strengthened;
        seen.errors += report.errors.length;
        seen.updated += groups.flatMap(({ update }) => update).length;
        const created = groups.flatMap(({ create }) => create);
        seen.playbooks += created.filter(({ subtype }) => subtype === "custom:playbook").length;
        seen.related += created
          .flatMap(({ edges }) => edges)
          .filter(({ type }) => type === "relates_to").length;
        store.apply({ groups });
        const again = await plan();
        expect(again.groups).toEqual([]);
        expect(again.report).toMatchObject({ patterns_created: 0, patterns_strengthened: 0 });
      }
    });
    await fc.assert(property, runs(amount(200, 50)));
    if (!isFull) return;
    // A plan rarely updates a memory. Of these some do.
    await fc.assert(property, { numRuns: 200, seed: 10 });
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
  });
});
