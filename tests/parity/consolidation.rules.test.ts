// Lessons as a trader would write them, and a plan's decisions about known, equal and similar
// lessons, for the package and the reference, example by example.

import * as nous from "nous-wasm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { type Memory, Store } from "./inputs/consolidation.ts";

const DAY = 86_400_000;
const HOUR = DAY / 24;

/** Some trades with a common property. */
interface Side {
  n: number;
  wins: number;
  /** Signals of their entries. */
  signals: object;
  /** Percent returns of won and of lost trades. */
  made?: [number, number];
  /** Entry time, in days after midnight. */
  entered?: number;
}

/** A memory with one trade a week, the last one yesterday. */
function memoryOf(symbol: string, ...sides: Side[]): Memory {
  const memory: Memory = { rows: [], edges: [] };
  const trades = sides.flatMap((side) =>
    Array.from({ length: side.n }, (_, place) => ({ side, place })),
  );
  for (const [at, { side, place }] of trades.entries()) {
    const { wins, signals, made = [2, -1], entered = 0.5 } = side;
    const day = Math.floor(NOW / DAY) * DAY - 7 * DAY * (trades.length - 1 - at);
    const [entry, close] = [`entry ${memory.rows.length}`, `close ${memory.rows.length}`];
    const body = (signals: object) => JSON.stringify({ text: "", signals: { symbol, ...signals } });
    memory.rows.push(
      {
        id: entry,
        subtype: "custom:trade_entry",
        content_body: body(signals),
        created_at: day + (entered - 4) * DAY,
      },
      {
        ...{ id: close, subtype: "custom:trade_close", created_at: day + HOUR },
        content_body: body({ pnl_pct: place < wins ? made[0] : made[1] }),
      },
    );
    memory.edges.push({ id: `tie ${close}`, source_id: close, target_id: entry, type: "part_of" });
  }
  return memory;
}

type Options = Pick<reference.PlanOptions<reference.Episode>, "analyze" | "findSimilar" | "agent">;
type Plan = (
  memory: Memory,
  store: Store,
  options?: Options,
) => Promise<reference.ConsolidationPlan>;

const SHORT = { side: "short" };

const reversed = (edge: reference.Edge): reference.Edge => ({
  ...edge,
  source_id: edge.target_id,
  target_id: edge.source_id,
});

describe.each<[string, Plan]>([
  [
    "the package",
    ({ rows }, { existing, edges }, options) =>
      nous.planConsolidation(rows, [...existing.values()], { ...options, edges, now: NOW }),
  ],
  [
    "the reference",
    ({ rows }, { existing, edges }, options) =>
      reference.planConsolidation(rows, [...existing.values()], { ...options, edges, now: NOW }),
  ],
])("%s", (_, plan) => {
  const planOf = (memory: Memory, options?: Options) =>
    plan(memory, new Store(memory.edges), options);
  const createdOf = async (memory: Memory, options?: Options) =>
    (await planOf(memory, options)).groups.flatMap(({ create }) => create);

  const lessonOf = async (symbol: string, these: Side, others: Side) => {
    const [node, ...more] = await createdOf(memoryOf(symbol, these, others));
    expect(more).toEqual([]);
    return { ...node!, body: JSON.parse(node!.content_body) };
  };
  const won = (wins: number, n: number, signals: object, more: Partial<Side> = {}): Side => ({
    ...{ n, wins, signals },
    ...more,
  });

  test.each<[title: string, symbol: string, these: Side, others: Side, text: string]>([
    [
      "ETH shorts after a funding extreme: 29 of 40 won",
      "ETH",
      won(29, 40, { ...SHORT, anomaly_types: ["funding_extreme"] }, { made: [3.6, -1.9] }),
      won(29, 60, SHORT),
      "ETH shorts after a funding extreme won 29 of 40 trades (72 %, 95 % interval 57–84 %), against 48 % of the other 60 ETH trades; they made +2.1 % on average.",
    ],
    [
      "ETH longs after an OI surge: 4 of 19 won",
      "ETH",
      won(4, 19, { side: "Long", anomaly_type: "oi_surge" }),
      won(33, 60, { side: "long" }),
      "ETH longs after an OI surge won only 4 of 19 trades (21 %, 95 % interval 9–43 %), against 55 % of the other 60 ETH trades; they lost 0.4 % on average.",
    ],
    [
      "BTC trades after liquidations: 12 of 12 won",
      "BTC",
      won(12, 12, { anomaly_types: ["liquidations"] }),
      won(12, 30, {}),
      "BTC trades after liquidations won all 12 (100 %, 95 % interval 76–100 %), against 40 % of the other 30 BTC trades; they made +2.0 % on average.",
    ],
    [
      "BTC trades after an ETF flow, a CVD divergenc…: 12 of 12 won",
      "BTC",
      won(12, 12, { anomaly_types: ["etf_flow", "cvd_divergence", "squeeze"] }),
      won(12, 30, {}),
      "BTC trades after an ETF flow, a CVD divergence and a squeeze won all 12 (100 %, 95 % interval 76–100 %), against 40 % of the other 30 BTC trades; they made +2.0 % on average.",
    ],
    [
      "SOL shorts: 4 of 20 won",
      "SOL",
      won(4, 20, SHORT),
      won(26, 41, { side: "long" }),
      "SOL shorts won only 4 of 20 trades (20 %, 95 % interval 8–42 %), against 63 % of the other 41 SOL trades; they lost 0.4 % on average.",
    ],
    [
      "SOL quick scalp longs: 15 of 20 won",
      "SOL",
      won(15, 20, { trade_type: "quick_scalp", side: "long" }, { made: [0.4, -3] }),
      won(12, 41, { side: "long" }),
      "SOL quick scalp longs won 15 of 20 trades (75 %, 95 % interval 53–89 %), against 29 % of the other 41 SOL trades; they still lost 0.4 % on average.",
    ],
    [
      "LINK trades on Wednesdays: 1 of 15 won",
      "LINK",
      won(1, 15, {}, { entered: 2.5 }),
      won(26, 45, {}),
      "LINK trades on Wednesdays won only 1 of 15 (7 %, 95 % interval 1–30 %), against 58 % of the other 45 LINK trades; they lost 0.8 % on average.",
    ],
    [
      "LINK trades entered 00:00–06:00 UTC: 14 of 15 won",
      "LINK",
      won(14, 15, {}, { entered: 0.1 }),
      won(13, 45, {}),
      "LINK trades entered 00:00–06:00 UTC won 14 of 15 (93 %, 95 % interval 70–99 %), against 29 % of the other 45 LINK trades; they made +1.8 % on average.",
    ],
    [
      "AVAX trades with deeply negative funding: 13 of 16 won",
      "AVAX",
      won(13, 16, { funding_rate: -0.01 }),
      won(13, 45, { funding_rate: 0 }),
      "AVAX trades with deeply negative funding won 13 of 16 (81 %, 95 % interval 57–93 %), against 29 % of the other 45 AVAX trades; they made +1.4 % on average.",
    ],
    [
      "AVAX trades with extreme funding: 2 of 16 won",
      "AVAX",
      won(2, 16, { funding_rate: 0.02 }, { made: [9, -1] }),
      won(28, 45, {}),
      "AVAX trades with extreme funding won only 2 of 16 (12 %, 95 % interval 3–36 %), against 62 % of the other 45 AVAX trades; they still made +0.3 % on average.",
    ],
    [
      "OP trades with market regime “risk off”: 13 of 16 won",
      "OP",
      won(13, 16, { market_regime: "risk_off" }),
      won(13, 45, {}),
      "OP trades with market regime “risk off” won 13 of 16 (81 %, 95 % interval 57–93 %), against 29 % of the other 45 OP trades; they made +1.4 % on average.",
    ],
    [
      "OP trades without “BTC confirms”: 3 of 16 won",
      "OP",
      won(3, 16, { btc_confirms: false }),
      won(33, 45, { btc_confirms: true }),
      "OP trades without “BTC confirms” won only 3 of 16 (19 %, 95 % interval 7–43 %), against 73 % of the other 45 OP trades; they lost 0.4 % on average.",
    ],
    [
      "OP trades with “news”: 5 of 9 won",
      "OP",
      won(5, 9, { news: true }, { made: [1, -1.2] }),
      won(0, 45, {}),
      "OP trades with “news” won 5 of 9 (56 %, 95 % interval 27–81 %), against none of the other 45 OP trades; on average they made nothing.",
    ],
    [
      "Shorts without a symbol after a price spike: 29 of 40 won",
      "",
      won(29, 40, { ...SHORT, anomaly_types: ["price_spike"] }),
      won(29, 60, SHORT),
      "Shorts without a symbol after a price spike won 29 of 40 trades (72 %, 95 % interval 57–84 %), against 48 % of the other 60 trades without a symbol; they made +1.2 % on average.",
    ],
    [
      "Trades without a symbol entered 18:00–24:00 UTC: 0 of 9 won",
      "",
      won(0, 9, {}, { entered: 0.8 }),
      won(30, 45, {}),
      "Trades without a symbol entered 18:00–24:00 UTC won none of 9 (0 %, 95 % interval 0–30 %), against 67 % of the other 45 trades without a symbol; they lost 1.0 % on average.",
    ],
    [
      "KPEPE macro shorts after a rotation with regi…: 13 of 16 won",
      "kpepe",
      won(
        13,
        16,
        { ...SHORT, anomaly_types: ["rotation"], trade_type: "macro", regime: "range" },
        { entered: 1.5 },
      ),
      won(13, 45, SHORT),
      "KPEPE macro shorts after a rotation with regime “range” on Tuesdays won 13 of 16 trades (81 %, 95 % interval 57–93 %), against 29 % of the other 45 KPEPE trades; they made +1.4 % on average.",
    ],
  ])("%s", async (title, symbol, these, others, text) => {
    const lesson = await lessonOf(symbol, these, others);
    expect([lesson.content_title, lesson.body.text]).toEqual([title, text]);
    expect(lesson).toMatchObject({
      type: "concept",
      content_summary: null,
      temporal_event_source: "consolidation",
    });
  });

  test.each<[direction: string, turned: (edge: reference.Edge) => reference.Edge[]]>([
    ["entries to closes", (edge) => [reversed(edge)]],
    ["both ways", (edge) => [edge, { ...reversed(edge), id: `back ${edge.id}` }]],
    [
      "both ways, in two types",
      (edge) => [reversed(edge), { ...edge, id: `more ${edge.id}`, type: "relates_to" }],
    ],
  ])(
    "with edges from %s, 40 of 48 wins under a condition give the same lesson",
    async (_, turned) => {
      const EXTREME = { ...SHORT, anomaly_types: ["funding_extreme"] };
      const memory = memoryOf("ETH", won(40, 48, EXTREME), won(20, 48, SHORT));
      const expected = await createdOf(memory);
      expect(
        expected.map(({ content_body }) => JSON.parse(content_body).consolidation.figures),
      ).toMatchObject([{ n: 48, wins: 40, rest_n: 48, rest_wins: 20 }]);
      expect(await createdOf({ ...memory, edges: memory.edges.flatMap(turned) })).toEqual(expected);
    },
  );

  describe("playbooks", () => {
    const EXTREME = { ...SHORT, anomaly_types: ["funding_extreme"] };
    const subtypeOf = async (these: Side, others: Side) =>
      (await lessonOf("ETH", these, others)).subtype;

    test("come from anomalies, one direction, and wins", async () => {
      const { subtype, body, edges } = await lessonOf(
        "eth",
        won(7, 8, EXTREME),
        won(12, 40, SHORT),
      );
      expect(subtype).toBe("custom:playbook");
      const { text, consolidation, ...playbook } = body;
      expect(playbook).toEqual({
        trigger: { symbols: ["ETH"], anomaly_types: ["funding_extreme"] },
        ...{
          action: "Short ETH after a funding extreme.",
          direction: "short",
          success_count: 0,
          sample_size: 0,
        },
      });
      expect(consolidation).toMatchObject({
        ...{ agent: "", symbol: "ETH", analysis: "statistics" },
        condition: { kind: "anomaly_type", value: "funding_extreme" },
        figures: { n: 8, wins: 7, rest_n: 40, rest_wins: 12 },
      });
      expect(edges.map(({ type }) => type)).toEqual(new Array(8).fill("generalizes"));
      const [match] = nous.matchPlaybooks(
        [{ id: "p", content_title: "t", content_body: JSON.stringify(body) }],
        [{ type: "funding_extreme", symbol: "ETH", severity: 0.1 }],
      );
      expect(match).toMatchObject({ id: "p", direction: "short", sample_size: 0 });
    });

    test("apply to all symbols if the trades have none", async () => {
      const { body } = await lessonOf("", won(7, 8, EXTREME), won(12, 40, SHORT));
      expect(body.trigger.symbols).toBeNull();
      expect(body.action).toBe("Short after a funding extreme.");
    });

    test.each<[string, Side, Side]>([
      ["seven trades", won(7, 7, EXTREME), won(5, 40, SHORT)],
      ["fewer wins than seven in ten", won(11, 16, EXTREME), won(9, 40, SHORT)],
      ["fewer wins than without it", won(28, 40, EXTREME), won(60, 60, SHORT)],
      [
        "trades of which nobody knows the direction",
        won(15, 16, { anomaly_types: ["a"] }),
        won(9, 40, SHORT),
      ],
      ["no anomaly", won(15, 16, SHORT), won(9, 40, { side: "long" })],
    ])("do not come from %s", async (_, these, others) => {
      expect(await subtypeOf(these, others)).toBe("custom:lesson");
    });

    test("do not come from trades of different directions", async () => {
      const memory = memoryOf(
        "ETH",
        won(15, 16, { anomaly_types: ["a"], side: "long" }),
        won(9, 40, SHORT),
      );
      const { rows } = memory;
      rows[0] = { ...rows[0]!, content_body: rows[0]!.content_body!.replace("long", "short") };
      expect((await createdOf(memory)).map(({ subtype }) => subtype)).toContain("custom:lesson");
      expect((await createdOf(memory)).map(({ subtype }) => subtype)).not.toContain(
        "custom:playbook",
      );
    });
  });

  describe("a known pattern", () => {
    const NEWS = { news: true };
    const before = memoryOf("ETH", won(14, 16, NEWS), won(10, 40, {}));
    const ids = (memory: Memory) => new Set(memory.rows.map(({ id }) => id));
    /** The same memory with more trades. */
    const withMore = (memory: Memory, ...sides: Side[]): Memory => {
      const more = memoryOf("ETH", ...sides);
      const renamed = (id: string) => `more ${id}`;
      return {
        rows: [...memory.rows, ...more.rows.map((row) => ({ ...row, id: renamed(row.id) }))],
        edges: [
          ...memory.edges,
          ...more.edges.map(({ source_id, target_id, type }) => ({
            ...{ id: `tie more ${source_id}`, type },
            ...{ source_id: renamed(source_id), target_id: renamed(target_id) },
          })),
        ],
      };
    };
    /** A store that has learned from a memory, with the edges of another. */
    const learned = async (memory: Memory, later: Memory = memory, options?: Options) => {
      const store = new Store(later.edges);
      store.apply(await plan(memory, store, options));
      return store;
    };
    const later = withMore(before, won(3, 4, NEWS));

    test("is unchanged for the same episodes", async () => {
      const store = await learned(before);
      expect([...store.existing.keys()]).toEqual(["lesson", "playbook", "made 0"]);
      const { groups, report } = await plan(before, store);
      expect([groups, report.groups_analyzed, report.patterns_strengthened]).toEqual([[], 1, 0]);
    });

    test("gets new figures and episodes, and no other changes", async () => {
      const store = await learned(before, later);
      const { groups, report } = await plan(later, store);
      const [{ create, update, link, strengthen } = expect.fail("nothing to do"), ...others] =
        groups;
      expect([others, create, strengthen]).toEqual([[], [], []]);
      expect(update).toEqual([
        expect.objectContaining({
          id: "made 0",
          content_title: "ETH trades with “news”: 17 of 20 won",
        }),
      ]);
      expect(JSON.parse(update[0]!.content_body).text).toContain("won 17 of 20 (85 %");
      expect(
        link.map(({ source_id, target_id }) => [source_id, ids(before).has(target_id)]),
      ).toEqual(new Array(4).fill(["made 0", false]));
      expect(report).toMatchObject({ patterns_created: 0, patterns_strengthened: 1 });
    });

    test("gets new figures if only the other trades increase", async () => {
      const memory = withMore(before, won(1, 4, {}));
      const [{ update, link } = expect.fail("nothing to do")] = (
        await plan(memory, await learned(before, memory))
      ).groups;
      expect([update.length, link.length]).toEqual([1, 0]);
      expect(JSON.parse(update[0]!.content_body).consolidation.figures).toMatchObject({
        n: 16,
        rest_n: 44,
        rest_wins: 11,
      });
    });

    test("keeps the other fields of its body", async () => {
      const store = await learned(before, later);
      const known = store.existing.get("made 0")!;
      const body = {
        ...JSON.parse(known.content_body!),
        success_count: 3,
        sample_size: 4,
        note: ["mine"],
        text: "",
      };
      store.existing.set("made 0", { ...known, content_body: JSON.stringify(body) });
      const [{ update } = expect.fail("nothing to do")] = (await plan(later, store)).groups;
      const { text, ...kept } = JSON.parse(update[0]!.content_body);
      expect(kept).toMatchObject({ success_count: 3, sample_size: 4, note: ["mine"] });
      expect(text).toContain("17 of 20");
    });

    test("belongs to the agent that learned it, and a lesson with an unreadable record to no agent", async () => {
      const store = await learned(before);
      const other = await plan(before, store, { agent: "other" });
      expect(other.report).toMatchObject({ patterns_created: 1, patterns_strengthened: 0 });
      const known = store.existing.get("made 0")!;
      const { consolidation, ...body } = JSON.parse(known.content_body!);
      for (const rubbish of [
        null,
        [],
        7,
        {},
        { ...consolidation, agent: 7 },
        { ...consolidation, condition: undefined },
        { ...consolidation, condition: "news" },
        { ...consolidation, analysis: "guess" },
      ]) {
        const content_body = JSON.stringify({ ...body, consolidation: rubbish });
        store.existing.set("made 0", { ...known, content_body });
        expect((await plan(before, store)).report.patterns_created).toBe(1);
      }
    });

    test("is recognized by either of two conditions that occurred together", async () => {
      const both = memoryOf("ETH", won(14, 16, { news: true, mood: "high" }), won(10, 40, {}));
      const apart = withMore(both, won(1, 2, { mood: "high" }), won(5, 5, NEWS));
      const [{ update, create } = expect.fail("nothing to do")] = (
        await plan(apart, await learned(both, apart))
      ).groups;
      expect(update.map(({ content_title }) => content_title)).toEqual([
        "ETH trades with “news”: 19 of 21 won",
      ]);
      expect(create.map(({ content_title }) => content_title)).toEqual([
        "ETH trades with mood “high”: 15 of 18 won",
      ]);
    });

    test("stays one lesson if the other side becomes the smaller one", async () => {
      const longs = memoryOf("ETH", won(3, 20, SHORT), won(20, 22, { side: "long" }));
      const shorts = withMore(longs, won(1, 6, SHORT));
      const store = await learned(longs, shorts);
      expect(store.existing.get("made 0")!.content_title).toBe("ETH shorts: 3 of 20 won");
      const plans = await plan(shorts, store);
      const [{ update, create, link } = expect.fail("nothing to do")] = plans.groups;
      expect(update).toEqual([
        expect.objectContaining({ id: "made 0", content_title: "ETH longs: 20 of 22 won" }),
      ]);
      expect([create.length, link.length]).toEqual([0, 22]);
      store.apply(plans);
      expect((await plan(shorts, store)).groups).toEqual([]);
    });

    test("leaves its playbook unchanged if the other side becomes the smaller one", async () => {
      const [a, b] = ["a", "b"].map((kind) => ({ ...SHORT, anomaly_types: [kind] }));
      const few = memoryOf("ETH", won(19, 20, a!), won(3, 22, b!));
      const many = withMore(few, won(5, 6, a!));
      const store = await learned(few, many);
      expect(store.existing.get("made 0")).toMatchObject({ subtype: "custom:playbook" });
      expect((await plan(many, store)).groups).toEqual([]);
    });
  });

  describe("equal and similar lessons", () => {
    const memory = memoryOf("ETH", won(14, 16, { news: true }), won(10, 40, {}));
    const closes = async () =>
      (await createdOf(memory))[0]!.edges.map(({ target_id }) => target_id);
    const answering = (answer: reference.SimilarAnswer) => ({ findSimilar: () => answer });
    const DUPLICATE = answering({
      recommendation: "duplicate_found",
      matches: [{ node_id: "lesson" }],
    });

    test("are searched by title, text and subtype", async () => {
      const drafts: reference.PatternDraft[] = [];
      const findSimilar = async (
        draft: reference.PatternDraft,
      ): Promise<reference.SimilarAnswer> => {
        drafts.push(draft);
        return { recommendation: "unique" };
      };
      const [node] = await createdOf(memory, { findSimilar });
      const body = JSON.parse(node!.content_body).text;
      expect(drafts).toEqual([{ title: node!.content_title, body, subtype: "custom:lesson" }]);
    });

    test("are strengthened instead of duplicated, until one generalizes all of the episodes", async () => {
      const store = new Store(memory.edges);
      const episodes = await closes();
      for (const target_id of episodes.slice(0, 3)) {
        store.edges.push({
          ...{ id: `edge to ${target_id}`, source_id: "lesson", target_id },
          ...{ type: "generalizes", strength: 0.98 },
        });
      }
      const planned = await plan(memory, store, DUPLICATE);
      const [{ create, update, link, strengthen } = expect.fail("nothing to do")] = planned.groups;
      expect([create, update]).toEqual([[], []]);
      expect(strengthen).toEqual(
        episodes.slice(0, 3).map((id) => ({ edge_id: `edge to ${id}`, amount: 0.05 })),
      );
      expect(link).toEqual(
        episodes
          .slice(3)
          .map((target_id) => ({ source_id: "lesson", target_id, type: "generalizes" })),
      );
      expect(planned.report).toMatchObject({ patterns_created: 0, patterns_strengthened: 1 });
      store.apply(planned);
      expect((await plan(memory, store, DUPLICATE)).groups).toEqual([]);
    });

    test("if only similar, are linked to the new node, once each", async () => {
      for (const answer of [
        {
          recommendation: "similar_found",
          matches: [{ node_id: "a" }, { node_id: "b" }, { node_id: "a" }],
        },
        {
          recommendation: "similar_found",
          matches: [
            { node_id: "a", action: "connect" },
            { node_id: "b", action: "duplicate" },
          ],
        },
      ] satisfies reference.SimilarAnswer[]) {
        const [node] = await createdOf(memory, answering(answer));
        const related = node!.edges.filter(({ type }) => type === "relates_to");
        expect(related.map(({ target_id }) => target_id)).toEqual(["a", "b"]);
      }
    });

    test("from statistics on another subject are never duplicates, however similar their sentences", async () => {
      const store = new Store(memory.edges);
      store.apply(await plan(memory, store));
      const other = memoryOf("BTC", won(14, 16, { news: true }), won(10, 40, {}));
      const answer = answering({
        recommendation: "duplicate_found",
        matches: [{ node_id: "made 0" }],
      });
      const [{ create, link } = expect.fail("nothing to do")] = (await plan(other, store, answer))
        .groups;
      expect(create[0]!.edges.at(-1)).toEqual({ type: "relates_to", target_id: "made 0" });
      expect(link).toEqual([]);
    });

    test("are unknown if the search fails or its answer is unreadable, which leaves out only that group", async () => {
      const other = memoryOf("BTC", won(14, 16, { news: true }), won(10, 40, {}));
      const renamed = other.rows.map((row) => ({ ...row, id: `btc ${row.id}` }));
      const ties = other.edges.map((edge) => ({
        ...edge,
        source_id: `btc ${edge.source_id}`,
        target_id: `btc ${edge.target_id}`,
      }));
      const both = { rows: [...memory.rows, ...renamed], edges: [...memory.edges, ...ties] };
      const answers: unknown[] = [
        ...[
          undefined,
          null,
          "unique",
          {},
          { recommendation: "perhaps" },
          { recommendation: "duplicate_found" },
        ],
        ...[[], [null], [{ node_id: 7 }], [{ node_id: "" }], [{ action: "duplicate" }]].map(
          (matches) => ({
            recommendation: "similar_found",
            matches,
          }),
        ),
      ];
      for (const answer of [
        ...answers.map((given) => () => given),
        () => Promise.reject(new Error("mine")),
      ]) {
        const findSimilar = ({ title }: reference.PatternDraft) =>
          (title.startsWith("ETH")
            ? answer()
            : { recommendation: "unique" }) as reference.SimilarAnswer;
        const { groups, report } = await planOf(both, { findSimilar });
        expect(groups.map(({ symbol, create }) => [symbol, create.length])).toEqual([["BTC", 1]]);
        expect(report).toMatchObject({ groups_found: 2, groups_analyzed: 2, patterns_created: 1 });
        expect(report.errors.map(({ symbol, stage }) => [symbol, stage])).toEqual([
          ["ETH", "find_similar"],
        ]);
      }
    });
  });

  describe("a language model", () => {
    const rows = (many: number): reference.Episode[] =>
      Array.from({ length: many }, (_, place) => ({
        ...{ id: `turn ${place}`, subtype: "custom:turn_summary", content_title: "about BTC" },
        created_at: NOW - place * HOUR,
      }));
    const memory: Memory = { rows: rows(4) as Memory["rows"], edges: [] };
    const answering = (text: string) => ({ analyze: () => text });
    const LESSON = answering("TITLE: Wait\n\nIt pays to wait.");

    test("writes a lesson from the group's episodes", async () => {
      const [node] = await createdOf(memory, LESSON);
      expect(node).toMatchObject({
        subtype: "custom:lesson",
        content_title: "Wait",
        content_summary: null,
      });
      expect(JSON.parse(node!.content_body)).toMatchObject({
        text: "It pays to wait.",
        consolidation: { symbol: "BTC", analysis: "model", condition: null },
      });
      expect(node!.edges).toEqual(
        memory.rows.map(({ id }) => ({ type: "generalizes", target_id: id })),
      );
    });

    test("writes a playbook if it returns a trigger", async () => {
      const trigger = {
        anomaly_types: ["oi_surge"],
        min_severity: 0.4,
        direction: "Long",
        action: " Buy. ",
        note: 1,
      };
      const text = `TITLE: Buy\n${"It won. ".repeat(50)}\nPLAYBOOK_TRIGGER: ${JSON.stringify(trigger)}`;
      const [node] = await createdOf(memory, answering(text));
      const { consolidation: _, text: playbookText, ...playbook } = JSON.parse(node!.content_body);
      expect(playbook).toEqual({
        trigger: { symbols: ["BTC"], anomaly_types: ["oi_surge"], min_severity: 0.4 },
        ...{ action: "Buy.", direction: "long", success_count: 0, sample_size: 0 },
      });
      expect(node).toMatchObject({
        subtype: "custom:playbook",
        content_summary: playbookText.slice(0, 300),
      });
      expect(playbookText).toBe("It won. ".repeat(50).trim());
    });

    test.each([70, -1, "0.5", Number.MAX_VALUE])(
      "has a minimum severity removed that no anomaly reaches: %s",
      async (severity) => {
        const trigger = JSON.stringify({
          anomaly_types: ["oi_surge"],
          min_severity: severity,
          direction: "long",
        });
        const [node] = await createdOf(
          memory,
          answering(`TITLE: Buy\nIt won.\nPLAYBOOK_TRIGGER: ${trigger}`),
        );
        const book = new nous.PlaybookBook();
        book.add([
          { id: "x", content_title: node!.content_title, content_body: node!.content_body },
        ]);
        expect(
          book.match([{ type: "oi_surge", symbol: "BTC", severity: 0.1 }]).matches,
        ).toHaveLength(1);
      },
    );

    test("is called for new episodes, and not again for the same ones", async () => {
      const store = new Store([]);
      store.apply(await plan(memory, store, LESSON));
      let asked = 0;
      const analyze = () => {
        asked++;
        return "NO_PATTERN";
      };
      const { groups, report } = await plan(memory, store, { analyze });
      expect([asked, groups, report.groups_found, report.groups_analyzed]).toEqual([0, [], 1, 0]);
      await plan({ ...memory, rows: rows(5) as Memory["rows"] }, store, { analyze });
      expect(asked).toBe(1);
    });

    test("is not called for episodes that a hand-written lesson generalizes, but for those of statistical lessons", async () => {
      const store = new Store(
        memory.rows.map(({ id }) => ({ source_id: "lesson", target_id: id, type: "generalizes" })),
      );
      expect((await plan(memory, store, LESSON)).report.groups_analyzed).toBe(0);
      const consolidation = {
        agent: "",
        symbol: "BTC",
        analysis: "statistics",
        condition: null,
        fingerprint: "",
      };
      const content_body = JSON.stringify({ text: "", consolidation });
      store.existing.set("lesson", { ...store.existing.get("lesson")!, content_body });
      expect((await plan(memory, store, LESSON)).report.groups_analyzed).toBe(1);
    });

    test("has analysed the group even if it sees no pattern or answers too little", async () => {
      for (const text of ["NO_PATTERN", "no", "", "TITLE: only"]) {
        const { groups, report } = await planOf(memory, answering(text));
        expect([groups, report.groups_analyzed, report.errors]).toEqual([[], 1, []]);
      }
    });

    test("that fails or returns no text leaves its group open", async () => {
      const failing = () => {
        throw new Error("mine");
      };
      const others = [undefined, null, 7, {}, ["TITLE: a"]].map(
        (given) => () => given as unknown as string,
      );
      for (const analyze of [failing, () => Promise.reject(new Error("mine")), ...others]) {
        const { groups, report } = await planOf(memory, { analyze });
        expect([groups, report.groups_analyzed, report.patterns_created]).toEqual([[], 0, 0]);
        expect(report.errors).toEqual([
          { symbol: "BTC", stage: "analyze", message: expect.any(String) },
        ]);
      }
    });

    test("is called for at most five groups of fifteen, and for no group of two", async () => {
      const of = (symbol: string, many: number) =>
        rows(many).map((row) => ({ ...row, id: `${symbol} ${row.id}`, content_title: symbol }));
      const sizes = [
        ["BTC", 3],
        ["ETH", 16],
        ["SOL", 2],
        ["OP", 9],
        ["ARB", 4],
        ["SUI", 5],
        ["TIA", 3],
      ] as const;
      const all = sizes.flatMap(([symbol, many]) => of(symbol, many)) as Memory["rows"];
      const asked: [string, number][] = [];
      const analyze = (
        _: reference.PatternPrompt,
        { symbol, episodes }: reference.EpisodeGroup,
      ) => {
        asked.push([symbol, episodes.length]);
        return "NO_PATTERN";
      };
      const { report } = await planOf({ rows: all, edges: [] }, { analyze });
      expect(asked).toEqual([
        ["ETH", 15],
        ["OP", 9],
        ["SUI", 5],
        ["ARB", 4],
        ["BTC", 3],
      ]);
      expect(report).toMatchObject({ episodes_reviewed: 42, groups_found: 6, groups_analyzed: 5 });
    });
  });
});

describe("answers of caller functions", () => {
  const rows = ["BTC", "ETH"].flatMap((symbol) =>
    Array.from({ length: 3 }, (_, place) => ({
      ...{ id: `${symbol} ${place}`, subtype: "custom:signal", content_title: symbol },
      created_at: NOW - place,
    })),
  );
  const symbolsOf = ({ groups }: nous.ConsolidationPlan) => groups.map(({ symbol }) => symbol);
  const never = () => new Promise<never>(() => {});
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const running = new Set<unknown>();
  beforeEach(() => {
    running.clear();
    // The process has other timers, too.
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((
      call: (...given: unknown[]) => void,
      ...rest: [number]
    ) => {
      const timer = set(
        (...given) => {
          running.delete(timer);
          call(...given);
        },
        ...rest,
      );
      running.add(timer);
      return timer;
    }) as typeof setTimeout);
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
      running.delete(timer);
      clear(timer);
    });
  });
  afterEach(() => vi.restoreAllMocks());

  test("time out, which loses only their group; later answers are ignored", async () => {
    const signals: AbortSignal[] = [];
    let fail = (_: Error) => {};
    const late = new Promise<string>((_, reject) => {
      fail = reject;
    });
    const analyze: nous.AnalyzePattern = (_, { symbol }, { signal }) => {
      signals.push(signal as AbortSignal);
      return symbol === "BTC" ? late : Promise.resolve("TITLE: Wait\nIt pays.");
    };
    const plan = await nous.planConsolidation(rows, [], {
      now: NOW,
      analyze,
      timeoutSeconds: 0.05,
    });
    expect(symbolsOf(plan)).toEqual(["ETH"]);
    expect(plan.report.errors).toEqual([
      { symbol: "BTC", stage: "analyze", message: "no answer within 0.05 s" },
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect((signals[0]!.reason as Error).name).toBe("TimeoutError");
    expect(running.size).toBe(0);
    fail(new Error("too late to be heard"));
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(plan.groups).toHaveLength(1);
  });

  test("may time out twice, once per function", async () => {
    const slow = <T>(answer: T) => new Promise<T>((resolve) => setTimeout(resolve, 30, answer));
    const options = {
      ...{ now: NOW, timeoutSeconds: 0.25, analyze: () => slow("TITLE: Wait\nIt pays.") },
      findSimilar: () => slow({ recommendation: "unique" } as const),
    };
    expect(symbolsOf(await nous.planConsolidation(rows, [], options))).toEqual(["BTC", "ETH"]);
    const { report } = await nous.planConsolidation(rows, [], {
      ...options,
      timeoutSeconds: 0.05,
      findSimilar: never,
    });
    expect(report.errors.map(({ symbol, stage }) => [symbol, stage])).toEqual([
      ["BTC", "find_similar"],
      ["ETH", "find_similar"],
    ]);
  });

  test("are no longer awaited once the caller's signal is aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    let asked = 0;
    const analyze: nous.AnalyzePattern = (_, __, { signal }) => {
      asked++;
      setTimeout(() => controller.abort(reason), 1);
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("mine"))),
      );
    };
    const { signal } = controller;
    const rejection = (options: object) =>
      nous.planConsolidation(rows, [], { now: NOW, signal, ...options }).then(
        () => "planned",
        (error) => error,
      );
    expect(await rejection({ analyze })).toBe(reason);
    expect([asked, running.size]).toEqual([1, 0]);
    expect(await rejection({ analyze })).toBe(reason);
    expect(await rejection({})).toBe(reason);
    expect(asked).toBe(1);
  });

  test("are requested with the very episode objects, group by group", async () => {
    const asked: nous.EpisodeGroup<(typeof rows)[0]>[] = [];
    const analyze = async (
      prompt: nous.PatternPrompt,
      group: nous.EpisodeGroup<(typeof rows)[0]>,
    ) => {
      expect(prompt).toEqual(nous.patternPrompt(group));
      asked.push(group);
      await null;
      return "NO_PATTERN";
    };
    await nous.planConsolidation(rows, [], { now: NOW, analyze });
    expect(asked.map(({ symbol }) => symbol)).toEqual(["BTC", "ETH"]);
    expect(
      asked.flatMap(({ episodes }) => episodes).every((episode, place) => episode === rows[place]),
    ).toBe(true);
  });
});
