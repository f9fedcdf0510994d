// Rules of the reference that no golden vector covers.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { runs } from "../support/amount.ts";
import { maxTokens, memoryRows, mergeOptions, subResults } from "./inputs/arbitraries.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

describe("sections", () => {
  test.each([
    ["custom:signal", "SIGNALS", 2],
    ["custom:playbook", "PROCEDURAL", 180],
    ["custom:thesis", "KNOWLEDGE", 30],
    ["custom:LESSON", "KNOWLEDGE", 60],
    ["lesson", "KNOWLEDGE", 60],
    ["constructor", "KNOWLEDGE", 60],
    ["__proto__", "KNOWLEDGE", 60],
    ["", "KNOWLEDGE", 60],
    [null, "KNOWLEDGE", 60],
    [undefined, "KNOWLEDGE", 60],
  ] as const)("subtype %s is %s and starts at %i days", (subtype, section, stability) => {
    expect(reference.getSectionForSubtype(subtype)).toBe(section);
    expect(reference.getInitialStabilityForSubtype(subtype)).toBe(stability);
  });

  test("memory types map as their subtypes do, and an episode is EPISODIC", () => {
    expect(reference.sectionForMemoryType("episode")).toBe("EPISODIC");
    expect(reference.sectionForMemoryType("watchpoint")).toBe("SIGNALS");
    expect(reference.sectionForMemoryType("unheard of")).toBe("KNOWLEDGE");
    expect(reference.sectionForMemoryType(undefined)).toBe("KNOWLEDGE");
  });

  test("weights sum to 1, and every subtype has a section and a stability", () => {
    const all = Object.values(reference.SECTION_PROFILES).map((p) => p.reranking_weights);
    for (const weights of [...all, reference.RERANKING_WEIGHTS]) {
      expect(Object.values(weights).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
    }
    expect(Object.keys(reference.SUBTYPE_INITIAL_STABILITY)).toEqual(
      Object.keys(reference.SUBTYPE_TO_SECTION),
    );
  });
});

describe("decay", () => {
  test.each([
    ["custom:watchpoint", "note", "concept"],
    ["custom:lesson", "concept", "fact"],
    ["session_summary", null, "note"],
    ["custom:preference", undefined, "preference"],
    ["custom:playbook", "episode", "event"],
    [null, "person", "person"],
    ["toString", "valueOf", "concept"],
  ] as const)("subtype %s of node type %s is of algorithm type %s", (subtype, type, expected) => {
    expect(reference.algorithmTypeFor(subtype, type)).toBe(expected);
  });

  test.each([
    [0.03125, 0.0312],
    [0.09375, 0.0938],
    [0.96875, 0.9688],
    [0.00005, 0.0001],
    [0.00015, 0.0001],
    [0.12345, 0.1235],
    [0.99995, 1],
    [0, 0],
    [1, 1],
  ])("R %d is stored as %d", (retrievability, stored) => {
    expect(reference.roundRetrievability(retrievability)).toBe(stored);
  });

  const node = (fields: Partial<reference.StoredNode>): reference.StoredNode => ({
    id: "n",
    subtype: "custom:lesson",
    state_lifecycle: "ACTIVE",
    neural_stability: 60,
    neural_retrievability: 1,
    neural_difficulty: 0.4,
    neural_access_count: 3,
    neural_last_accessed: NOW,
    provenance_created_at: NOW,
    ...fields,
  });
  const ago = (days: number) => ({ neural_last_accessed: NOW - days * DAY });

  test("the sweep writes changed values and reports changed states", () => {
    const { report, changes } = reference.sweep(
      [
        node({ id: "still" }),
        node({ id: "faded", ...ago(30) }),
        node({ id: "weak", ...ago(60), neural_retrievability: Math.exp(-1) }),
        node({ id: "buried", ...ago(181) }),
        node({ id: "asleep", state_lifecycle: "DORMANT" }),
        node({ id: "future", ...ago(-5) }),
        node({ id: "archived", state_lifecycle: "ARCHIVE", ...ago(900) }),
        node({ id: "deleted", state_lifecycle: "DELETED", ...ago(900) }),
        node({ id: "never read", neural_last_accessed: null, subtype: null }),
      ],
      new Date(NOW),
    );
    expect(report).toEqual({
      ok: true,
      processed: 7,
      transitions_count: 2,
      transitions: [
        { id: "weak", from: "ACTIVE", to: "WEAK", subtype: "custom:lesson" },
        { id: "buried", from: "ACTIVE", to: "ARCHIVE", subtype: "custom:lesson" },
      ],
    });
    expect(changes).toEqual([
      { id: "faded", neural_retrievability: 0.6065, state_lifecycle: "ACTIVE" },
      { id: "weak", neural_retrievability: 0.3679, state_lifecycle: "WEAK" },
      { id: "buried", neural_retrievability: 0.049, state_lifecycle: "ARCHIVE" },
    ]);
  });

  test("a recall stores R and state of the moment before it, and increases stability", () => {
    const read = reference.recall(node({ ...ago(60) }), NOW);
    expect(read).toMatchObject({
      neural_access_count: 4,
      neural_last_accessed: NOW,
      neural_stability: 144,
      neural_retrievability: Math.exp(-1),
      state_lifecycle: "WEAK",
    });
    expect(reference.recall(node({ state_lifecycle: "DORMANT" }), NOW).state_lifecycle).toBe(
      "DORMANT",
    );
    expect(reference.recall(node({ subtype: "custom:playbook" }), NOW).neural_stability).toBe(60);
  });
});

describe("merge", () => {
  type Row = { id: string; score: number; subtype?: string };
  const merge = (groups: Row[][], options: reference.MergeOptions = {}) =>
    reference
      .mergeAndSelect(
        groups.map((rows, i): [string, Row[]] => [`q${i}`, rows]),
        options,
      )
      .map((row) => [row.id, row.score, row._sub_query_group]);

  test("a sub-query below the cut-off may still add results if there is room", () => {
    const groups = [[{ id: "a", score: 1 }], [{ id: "b", score: 0.1 }]];
    expect(merge(groups)).toEqual([
      ["a", 1, 0],
      ["b", 0.1, 1],
    ]);
    expect(merge(groups, { maxResults: 1 })).toEqual([["a", 1, 0]]);
  });

  test("a row appended for coverage may cover the sub-query that its id came from", () => {
    // b's best instance is of sub-query 2; appended for sub-query 1 it comes as it came there.
    const groups = [
      [{ id: "a", score: 1 }],
      [
        { id: "b", score: 0.1 },
        { id: "c", score: 0.05 },
      ],
      [
        { id: "b", score: 0.2 },
        { id: "d", score: 0.1 },
      ],
    ];
    expect(merge(groups)).toEqual([
      ["a", 1, 0],
      ["b", 0.1, 1],
    ]);
  });

  test("negative scores only: the top one", () => {
    expect(
      merge([
        [
          { id: "a", score: -1 },
          { id: "b", score: -2 },
        ],
      ]),
    ).toEqual([["a", -1, 0]]);
  });

  test("laws: unique ids, at most the requested number, and at least one if one was kept", () => {
    fc.assert(
      fc.property(subResults, mergeOptions, (groups, options) => {
        const before = structuredClone(groups);
        const selected = reference.mergeAndSelect(groups, options);
        const ids = new Set(selected.map((row) => row.id));
        const rows = groups.flatMap(([, list]) => list);
        const some = rows.some((row) => row.id != null && row.id !== "");
        expect(ids.size).toBe(selected.length);
        expect(selected.length).toBeLessThanOrEqual(options.maxResults ?? 20);
        expect(selected.length > 0).toBe(some);
        expect(same(groups, before)).toBeNull();
        expect(same(reference.mergeAndSelect(new Map(groups), options), selected)).toBeNull();
      }),
      runs(),
    );
  });

  test("nodes recalled together are paired within their group, each pair once", () => {
    const selected = [
      { id: "a", _sub_query_group: 0 },
      { id: "b", _sub_query_group: 1 },
      { id: "c", _sub_query_group: 0 },
      { id: "d", _sub_query_group: 0 },
      { id: "a", _sub_query_group: 0 },
    ];
    expect(reference.coRecallPairs(selected)).toEqual([
      ["a", "c"],
      ["a", "d"],
      ["c", "d"],
    ]);
    expect(reference.coRecallPairs([{ id: "x" }, { id: "y" }])).toEqual([["x", "y"]]);
  });
});

describe("context lines", () => {
  const line = (row: reference.MemoryRow) => reference.formatContext([row]);
  const known = (row: reference.MemoryRow) =>
    reference.formatContext([row], 4000, { emptyAsMissing: true });

  test.each<[string, reference.MemoryRow, string]>([
    ["nothing known", {}, "- [ · KNOWLEDGE] Untitled (): "],
    [
      "the type, if the subtype is missing",
      { type: "custom:x" },
      "- [x · KNOWLEDGE] Untitled (): ",
    ],
    [
      "and its section",
      { type: "custom:signal", memory_section: "" },
      "- [signal · SIGNALS] Untitled (): ",
    ],
    ["an empty subtype", { type: "custom:signal", subtype: "" }, "- [ · KNOWLEDGE] Untitled (): "],
    ["an empty title", { content_title: "" }, "- [ · KNOWLEDGE]  (): "],
    ["text of a JSON body", { content_body: '{"text":"in"}' }, "- [ · KNOWLEDGE] Untitled (): in"],
    [
      "an empty text: the body",
      { content_body: '{"text":""}' },
      '- [ · KNOWLEDGE] Untitled (): {"text":""}',
    ],
    [
      "a body after a blank is text",
      { content_body: ' {"text":"in"}' },
      '- [ · KNOWLEDGE] Untitled ():  {"text":"in"}',
    ],
    [
      "a lone surrogate",
      { content_title: "a\ud83d", content_body: "\ude80" },
      "- [ · KNOWLEDGE] a\ufffd (): \ufffd",
    ],
    [
      "a date in code points",
      { provenance_created_at: "🚀".repeat(11) },
      `- [ · KNOWLEDGE] Untitled (${"🚀".repeat(10)}): `,
    ],
  ])("%s", (_, row, expected) => {
    expect(line(row)).toBe(expected);
  });

  test.each<[string, reference.MemoryRow, string]>([
    ["subtype", { type: "custom:signal", subtype: "" }, "- [signal · SIGNALS] Untitled (): "],
    ["title", { content_title: "" }, "- [ · KNOWLEDGE] Untitled (): "],
    ["body", { content_body: "", content_summary: "sum" }, "- [ · KNOWLEDGE] Untitled (): sum"],
  ])("an empty %s counts as missing if the option says so", (_, row, expected) => {
    expect(known(row)).toBe(expected);
  });

  test("laws: well-formed, within the budget, a prefix of the whole list", () => {
    fc.assert(
      fc.property(memoryRows, maxTokens, (rows, tokens) => {
        const lines = rows.map((row) => line(row)!);
        const formatted = reference.formatContext(rows, tokens);
        const whole = lines.join("\n");
        if (formatted === null) {
          expect(rows.length === 0 || [...lines[0]!].length > tokens * 4).toBe(true);
          return;
        }
        expect(/\p{Surrogate}/u.test(formatted)).toBe(false);
        expect(whole === formatted || whole.startsWith(`${formatted}\n`)).toBe(true);
      }),
      runs(),
    );
  });
});

test("the guidance names every section and shows a tag", () => {
  const guidance = reference.memoryGuidance();
  // By the names that other texts use for agents: "Signals", and not "SIGNALS", which is the tag of
  // a line.
  for (const name of ["Episodic", "Signals", "Knowledge", "Procedural"])
    expect(guidance).toContain(`**${name}**`);
  expect(guidance).toContain("[lesson · KNOWLEDGE]");
});
