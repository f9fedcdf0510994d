// The reference of patterns: its statistics against the figures of SciPy 1.17, its reading of a
// memory's trades, and its patterns.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { runs } from "../support/amount.ts";

const {
  binomialTest,
  closedTrades,
  findPatterns,
  fisherTest,
  fundingBand,
  hourBandOf,
  qValues,
  weekdayOf,
} = reference;

describe("the numbers", () => {
  // binomtest(wins, n, restWins / restN).pvalue, fisher_exact(table).pvalue, proportion_ci(0.95,
  // method="wilson").
  test.each<[wins: number, n: number, restWins: number, restN: number, ...expected: number[]]>([
    [
      30, 40, 80, 160, 0.0022214337732293643, 0.0045793064366901354, 0.5980603857923197,
      0.858128813609037,
    ],
    [5, 5, 3, 7, 0.014458261438686257, 0.0808080808080808, 0.5655175352168251, 1.0],
    [0, 5, 9, 10, 9.999999999999989e-6, 0.001998001998001998, 0.0, 0.43448246478317476],
    [
      2, 40, 20, 40, 1.4933903003111482e-9, 8.33444281883226e-6, 0.013820667386148358,
      0.16503877369140962,
    ],
    [20, 40, 20, 40, 1.0, 1.0, 0.35199526933465386, 0.6480047306653461],
    [
      7, 9, 400, 1000, 0.035112448000000004, 0.03513098003370869, 0.4525889691069889,
      0.9367748928821533,
    ],
    [
      29, 40, 48, 100, 0.002276079506952508, 0.009062598294395666, 0.5716504419378943,
      0.8389198375233267,
    ],
    [
      3, 30, 1, 200, 0.00045869717361907814, 0.007390243888481231, 0.034599888747334176,
      0.2562108257918408,
    ],
    [0, 12, 0, 8, 1.0, 1.0, 0.0, 0.24249400665524085],
    [12, 12, 8, 8, 1.0, 1.0, 0.7575059933447592, 1.0],
    [1, 6, 0, 9, 0.0, 0.4, 0.03005336974830669, 0.5635028221864702],
    [5, 6, 9, 9, 0.0, 0.4, 0.43649717781352976, 0.9699466302516933],
    [5, 10, 40, 80, 1.0, 1.0, 0.236593090512564, 0.7634069094874361],
    [
      2500, 5000, 2600, 5000, 0.0048495021595452515, 0.04765361355524053, 0.48614628258320963,
      0.5138537174167904,
    ],
    [1300, 2500, 100, 5000, 0.0, 0.0, 0.5004003664379818, 0.5395382645195469],
    [4000, 5000, 5, 10, 0.0, 0.03304478296586743, 0.7886843227480311, 0.8108550560849346],
    [13, 17, 3, 5, 0.2178983814823936, 0.5853269537480064, 0.5273820188043502, 0.9044495567791989],
  ])("of %d in %d against %d in %d", (wins, n, restWins, restN, binomial, fisher, low, high) => {
    expect(binomialTest(wins, n, restWins, restN)).toBeCloseTo(binomial!, 12);
    expect(fisherTest(wins, n, restWins, restN)).toBeCloseTo(fisher!, 12);
    const interval = reference.wilsonInterval(wins, n);
    expect(interval[0]).toBeCloseTo(low!, 14);
    expect(interval[1]).toBeCloseTo(high!, 14);
    if (binomial! > 0) expect(binomialTest(wins, n, restWins, restN) / binomial!).toBeCloseTo(1, 8);
    if (fisher! > 0) expect(fisherTest(wins, n, restWins, restN) / fisher!).toBeCloseTo(1, 8);
  });

  // false_discovery_control(ps, method="bh").
  test("q values", () => {
    const ps = [0.001, 0.04, 0.03, 0.6, 0.03, 0.0007, 1.0, 0.2];
    const expected = [
      0.004, 0.064, 0.06, 0.6857142857142856, 0.06, 0.004, 1.0, 0.26666666666666666,
    ];
    qValues(ps, ps.length).forEach((q, i) => {
      expect(q).toBeCloseTo(expected[i]!, 14);
    });
    // Two of eight lie above one half: (2 + 1) · 2 are estimated to be null. No q value is below
    // its p value.
    qValues(ps).forEach((q, i) => {
      expect(q).toBeCloseTo(Math.max((expected[i]! * 6) / 8, ps[i]!), 14);
    });
    expect(qValues([0.9, 0.001, 0.8])).toEqual(qValues([0.9, 0.001, 0.8], 3));
    expect(qValues([])).toEqual([]);
  });

  const counts = fc
    .record({ n: fc.integer({ min: 1, max: 400 }), restN: fc.integer({ min: 1, max: 400 }) })
    .chain(({ n, restN }) =>
      fc.tuple(
        fc.integer({ min: 0, max: n }),
        fc.constant(n),
        fc.integer({ min: 0, max: restN }),
        fc.constant(restN),
      ),
    );

  test("are probabilities, and an interval contains its rate", () => {
    fc.assert(
      fc.property(counts, ([wins, n, restWins, restN]) => {
        for (const p of [
          binomialTest(wins, n, restWins, restN),
          fisherTest(wins, n, restWins, restN),
        ]) {
          expect(p).toBeGreaterThanOrEqual(0);
          expect(p).toBeLessThanOrEqual(1);
        }
        const [low, high] = reference.wilsonInterval(wins, n);
        // If all or no trades won, the rate is an end of the interval, except for rounding.
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(wins / n + Number.EPSILON);
        expect(high).toBeGreaterThanOrEqual(wins / n - Number.EPSILON);
        expect(high).toBeLessThanOrEqual(1);
      }),
      runs(),
    );
  });

  test("are the same for losses as for wins, and Fisher's for either side", () => {
    fc.assert(
      fc.property(counts, ([wins, n, restWins, restN]) => {
        const losses = [n - wins, n, restN - restWins, restN] as const;
        expect(binomialTest(...losses)).toBeCloseTo(binomialTest(wins, n, restWins, restN), 10);
        expect(fisherTest(...losses)).toBeCloseTo(fisherTest(wins, n, restWins, restN), 10);
        expect(fisherTest(restWins, restN, wins, n)).toBeCloseTo(
          fisherTest(wins, n, restWins, restN),
          10,
        );
      }),
      runs(),
    );
  });
});

test.each([
  [-0.02, "deeply negative"],
  [-0.006, "deeply negative"],
  [-0.0059, "negative"],
  [-0.0015, "negative"],
  [-0.0014, "neutral"],
  [0, "neutral"],
  [0.00125, "neutral"],
  [0.0015, "elevated"],
  [0.0059, "elevated"],
  [0.006, "extreme"],
])("funding of %d %% an hour is %s", (rate, band) => {
  expect(fundingBand(rate)).toBe(band);
});

test("weekdays and hours follow the calendar", () => {
  expect(weekdayOf(0)).toBe("Thursday");
  expect(weekdayOf(-1)).toBe("Wednesday");
  expect(hourBandOf(-1)).toBe("18-24");
  expect(hourBandOf(Date.parse("2026-03-15T05:59:59.999Z"))).toBe("00-06");
  expect(hourBandOf(Date.parse("2026-03-15T06:00:00Z"))).toBe("06-12");
  const names = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });
  const instants = fc.date({
    min: new Date(-8.64e15),
    max: new Date(8.64e15),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instants, (date) => {
      expect(weekdayOf(date.getTime())).toBe(names.format(date));
      expect(hourBandOf(date.getTime()).slice(0, 2)).toBe(
        String(Math.floor(date.getUTCHours() / 6) * 6).padStart(2, "0"),
      );
    }),
    runs(),
  );
});

describe("the trades of a memory", () => {
  const AT = Date.parse("2026-03-13T07:30:00Z");
  const node = (
    id: string,
    kind: string,
    signals: unknown,
    created_at: reference.Instant = AT,
  ) => ({
    id,
    subtype: `custom:trade_${kind}`,
    content_body: JSON.stringify({ text: "", signals }),
    created_at,
  });
  const edge = (source_id: string, target_id: string, type = "part_of") => ({
    source_id,
    target_id,
    type,
  });
  const of = (nodes: reference.EpisodeNode[], edges: reference.EpisodeEdge[] = []) =>
    closedTrades(nodes, edges, () => "BTC");
  const conditionsOf = ({ conditions }: reference.ClosedTrade) =>
    conditions.map((one) => `${one.kind === "signal" ? one.field : one.kind} ${one.value}`);

  test("know the facts at the entry", () => {
    const entry = {
      ...{
        action: "entry",
        symbol: "BTC",
        side: "LONG",
        trade_type: "swing",
        anomaly_types: ["oi_surge", "oi_surge"],
      },
      ...{
        funding_rate: 0.002,
        severity: 0.8,
        regime: "range",
        news: false,
        playbook_id: "n_1",
        opened_at: "now",
      },
      ...{ outcome: "win", note: "x".repeat(65), empty: "", list: ["a"], nothing: null },
    };
    const close = {
      ...{
        pnl_pct: 2,
        side: "short",
        trade_type: "scalp",
        anomaly_type: "cvd_divergence",
        exit_reason: "target",
      },
      ...{ funding_rate: -1, mood: "good" },
    };
    const nodes = [
      node("c", "close", close, AT + 3_600_000),
      node("e", "entry", entry, new Date(AT)),
    ];
    const [trade, ...others] = of(nodes, [edge("c", "e")]);
    expect(others).toEqual([]);
    expect(trade).toMatchObject({
      id: "c",
      symbol: "BTC",
      at: AT + 3_600_000,
      won: true,
      return_pct: 2,
    });
    expect(conditionsOf(trade!)).toEqual([
      ...[
        "anomaly_type oi_surge",
        "anomaly_type cvd_divergence",
        "direction long",
        "trade_type swing",
      ],
      ...["weekday Friday", "hours 06-12", "funding elevated", "regime range", "news false"],
    ]);
  });

  test("take facts from the close if there is no entry", () => {
    const close = {
      pnl_pct: -1,
      direction: "Short",
      trade_type: "swing",
      anomaly_types: ["oi_surge", 7],
      mood: "bad",
    };
    expect(of([node("c", "close", close)]).map(conditionsOf)).toEqual([
      ["anomaly_type oi_surge", "direction short", "trade_type swing"],
    ]);
  });

  test("begin with the earliest entry, preferring an entry they are part of to one they relate to", () => {
    const entries = [1, 2, 3, 4].map((i) =>
      node(`e${i}`, "entry", { which: `${i}` }, AT - i * 1000),
    );
    const nodes = [
      ...entries,
      node("m", "modify", { which: "m" }, 0),
      node("c", "close", { pnl_pct: 1 }),
    ];
    const which = (...edges: reference.EpisodeEdge[]) =>
      conditionsOf(of(nodes, edges)[0]!).filter((text) => text.startsWith("which"));
    expect(
      which(edge("c", "e1"), edge("c", "e3"), edge("c", "e2"), edge("c", "e4", "relates_to")),
    ).toEqual(["which 3"]);
    expect(which(edge("c", "e2", "relates_to"), edge("c", "m"), edge("c", "gone"))).toEqual([
      "which 2",
    ]);
    expect(
      which(edge("c", "e2", "precedes"), edge("e1", "c", "precedes"), edge("other", "e3")),
    ).toEqual([]);
  });

  test("are tied to their entries by edges in either direction, as one tie", () => {
    const entries = [1, 2, 3].map((i) => node(`e${i}`, "entry", { which: `${i}` }, AT - i * 1000));
    const nodes = [...entries, node("c", "close", { pnl_pct: 1 })];
    const which = (...edges: reference.EpisodeEdge[]) =>
      of(nodes, edges).map((trade) =>
        conditionsOf(trade).filter((text) => text.startsWith("which")),
      );
    expect(which(edge("e1", "c"))).toEqual([["which 1"]]);
    expect(which(edge("e1", "c"), edge("c", "e1"), edge("e1", "c"))).toEqual([["which 1"]]);
    expect(which(edge("e1", "c"), edge("c", "e2"))).toEqual([["which 2"]]);
    expect(which(edge("c", "e1"), edge("e2", "c"))).toEqual([["which 2"]]);
    expect(
      which(edge("c", "e1", "relates_to"), edge("e3", "c", "relates_to"), edge("e2", "c")),
    ).toEqual([["which 2"]]);
    expect(which(edge("e1", "e2"), edge("e2", "e1"))).toEqual([[]]);
  });

  test("are won above 0, unless they are marked as flat", () => {
    const closes = [
      { pnl_pct: 0.01 },
      { pnl_pct: 0 },
      { pnl_pct: -3 },
      { pnl_pct: 0.1, outcome: "flat" },
      { pnl_pct: 0.1, outcome: "loss" },
    ];
    const trades = of(closes.map((signals, i) => node(`c${i}`, "close", signals)));
    expect(trades.map(({ won }) => won)).toEqual([true, false, false, false, true]);
  });

  test("need a known result", () => {
    const bodies = [
      null,
      "",
      "stopped out",
      "[]",
      '{"signals":[]}',
      '{"signals":{"pnl_pct":1e999}}',
      '{"pnl_pct":1}',
    ];
    const nodes = bodies.map((content_body, i) => ({
      ...node(`c${i}`, "close", {}),
      content_body,
    }));
    const others = [node("t", "entry", { pnl_pct: 1 }), node("p", "close", { pnl_pct: "1" })];
    expect(of([...nodes, ...others])).toEqual([]);
  });

  test("count once", () => {
    expect(
      of([node("c", "close", { pnl_pct: 1 }), node("c", "close", { pnl_pct: -1 })]),
    ).toMatchObject([{ won: true }]);
  });
});

describe("patterns", () => {
  type TradeGroup = [value: string, trades: number, wins: number];
  const anomaly = (value: string): reference.Condition => ({ kind: "anomaly_type", value });
  /** This many trades with an anomaly each, and this many wins. */
  const trades = (symbol: string, ...tradeGroups: TradeGroup[]): reference.ClosedTrade[] =>
    tradeGroups.flatMap(([value, n, wins]) =>
      Array.from({ length: n }, (_, i) => ({
        id: `${symbol} ${value} ${i}`,
        symbol,
        at: i,
        won: i < wins,
        return_pct: i < wins ? 2 : -1,
        conditions: value === "" ? [] : [anomaly(value)],
      })),
    );
  const values = (pattern: reference.TestedPattern) =>
    pattern.conditions.map(({ value }) => value).join(" & ");

  test("have every number that they rest on", () => {
    const [pattern, ...others] = findPatterns(
      trades("ETH", ["funding_extreme", 40, 29], ["", 100, 48]),
    );
    expect(others).toEqual([]);
    expect(pattern).toMatchObject({
      ...{ symbol: "ETH", conditions: [anomaly("funding_extreme")] },
      ...{
        n: 40,
        wins: 29,
        rate: 0.725,
        rest_n: 100,
        rest_wins: 48,
        rest_rate: 0.48,
        lift: 0.725 / 0.48,
        kept: true,
      },
    });
    expect(pattern!.trade_ids).toEqual(
      Array.from({ length: 40 }, (_, i) => `ETH funding_extreme ${i}`),
    );
    expect(pattern!.interval).toEqual(reference.wilsonInterval(29, 40));
    expect(pattern!.mean_return_pct).toBeCloseTo((29 * 2 - 11) / 40, 12);
    expect(pattern!.p_value).toBe(fisherTest(29, 40, 48, 100));
    expect(pattern!.q_value).toBe(pattern!.p_value);
  });

  test("need five trades, and five others", () => {
    expect(
      findPatterns([
        ...trades("A", ["x", 4, 4], ["", 9, 0]),
        ...trades("B", ["x", 9, 9], ["", 4, 0]),
      ]),
    ).toEqual([]);
    expect(findPatterns([...trades("A", ["x", 5, 5], ["", 5, 0])]).map(values)).toEqual(["x"]);
    expect(findPatterns([])).toEqual([]);
  });

  test("are compared within a group, and corrected over all", () => {
    const eth = trades("ETH", ["x", 20, 18], ["", 40, 12]);
    const alone = findPatterns(eth)[0]!;
    const btc = trades("BTC", ["x", 20, 2], ["y", 20, 10], ["", 40, 20]);
    const tested = findPatterns([...eth, ...btc]);
    expect(tested.map(({ symbol, conditions }) => [symbol, conditions[0]!.value])).toEqual([
      ...[["ETH", "x"], ["BTC", "x"], ["BTC", "y"]], // biome-ignore format: a table
    ]);
    expect(tested.find(({ symbol }) => symbol === "ETH")).toEqual({
      ...alone,
      q_value: alone.p_value * 2,
    });
  });

  test("have no lift over trades without wins", () => {
    const [pattern] = findPatterns(trades("A", ["x", 6, 3], ["", 30, 0]));
    expect(pattern).toMatchObject({ lift: null, rest_rate: 0, kept: true });
  });

  test("of the same trades are one test, reported together", () => {
    const twice = trades("A", ["x", 10, 9], ["z", 10, 5], ["", 20, 8]).map((trade) => ({
      ...trade,
      conditions: trade.conditions.flatMap((one) =>
        one.value === "x" ? [one, anomaly("also x")] : [one],
      ),
    }));
    expect(findPatterns(twice).map(values)).toEqual(["x & also x", "z"]);
  });

  test("test a question once: on the smaller side, or on the first of equal sides", () => {
    const sides = (longs: number, shorts: number) =>
      findPatterns(trades("A", ["long", longs, 5], ["short", shorts, 2])).map(values);
    expect(sides(30, 10)).toEqual(["short"]);
    expect(sides(10, 30)).toEqual(["long"]);
    expect(sides(20, 20)).toEqual(["long"]);
  });

  test("do not depend on the order of trades that were closed one after the other", () => {
    const some = fc.array(
      fc.record({
        symbol: fc.constantFrom("BTC", "ETH"),
        won: fc.boolean(),
        return_pct: fc.double({ noNaN: true, noDefaultInfinity: true }),
        conditions: fc
          .uniqueArray(fc.constantFrom("a", "b", "c", "d"))
          .map((names) => names.map(anomaly)),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(some, fc.infiniteStream(fc.nat()), (parts, ranks) => {
        const closed = parts.map((part, at) => ({ ...part, id: `c${at}`, at }));
        const mixed = closed
          .map((trade) => [ranks.next().value, trade] as const)
          .sort(([a], [b]) => a - b)
          .map(([, trade]) => trade);
        const patterns = findPatterns(closed);
        expect(findPatterns(mixed)).toEqual(patterns);
        for (const { mean_return_pct, q_value, p_value } of patterns) {
          expect(Number.isFinite(mean_return_pct)).toBe(true);
          expect(q_value).toBeGreaterThanOrEqual(p_value);
          expect(q_value).toBeLessThanOrEqual(1);
        }
      }),
      runs(),
    );
  });
});
