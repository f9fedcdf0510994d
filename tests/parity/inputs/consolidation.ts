// Memories of trades for fast-check, some with regularities and some broken, a store that carries
// plans out, and caller functions that answer the same question equally. A memory is a list of
// plain parts, so that a counterexample can be read.

import fc from "fast-check";
import type * as reference from "../../../js/reference/index.ts";
import { NOW } from "../../../js/reference/inputs.ts";

const DAY = 86_400_000;

/** An episode with the fields that package and reference read. */
export type Row = reference.Episode & { created_at: number };

export interface Memory {
  rows: Row[];
  edges: reference.Edge[];
}

// ---- trades -------------------------------------------------------------------------------------

const SYMBOLS = ["BTC", "btc", "ETH", "kPEPE", "SOL", "ÄTH", "  ", ""];
const ANOMALIES = ["funding_extreme", "oi_surge", "liquidations", "größe", "__proto__"];

interface Trade {
  symbol: string | undefined;
  anomaly: string | undefined;
  side: string | undefined;
  type: string | undefined;
  funding: number | undefined;
  labels: Record<string, unknown>;
  /** Days ago. */
  closed: number;
  held: number;
  /** It is won if it is below the chance of its anomaly. */
  luck: number;
  size: number;
  tie: "part_of" | "relates_to" | "none";
}

/**
 * The directions of a tie's edges: from close to entry, from entry to close, both, one of them
 * twice, or also to another entry.
 */
const WAYS = ["to entry", "to close", "both", "twice", "to entry", "to close", "mixed"] as const;

const orNone = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: fc.constant(undefined) });

const trade: fc.Arbitrary<Trade> = fc.record({
  symbol: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("BTC", "ETH") },
    { weight: 1, arbitrary: fc.constantFrom(...SYMBOLS, undefined) },
  ),
  anomaly: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("funding_extreme", undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...ANOMALIES) },
  ),
  side: orNone(fc.constantFrom("long", "short", "LONG", "flat")),
  type: orNone(fc.constantFrom("macro", "scalp", "quick_trade")),
  funding: orNone(fc.constantFrom(-0.02, -0.0015, 0, 0.0015, 0.006, 1)),
  labels: fc.record(
    {
      regime: fc.constantFrom<unknown>("range", "risk_off", "x".repeat(70), 7, null),
      news: fc.boolean(),
      note_id: fc.constant("n_1"),
      "": fc.constantFrom("empty", "_"),
    },
    { requiredKeys: [] },
  ),
  closed: fc.oneof(
    { weight: 3, arbitrary: fc.double({ min: 0, max: 13, noNaN: true }) },
    { weight: 2, arbitrary: fc.double({ min: 13, max: 45, noNaN: true }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 14, 30, -0.01) },
  ),
  held: fc.constantFrom(0.1, 0.4, 2),
  luck: fc.nat({ max: 99 }),
  size: fc.oneof(fc.double({ min: 0, max: 9, noNaN: true }), fc.constantFrom(0, 0.04, 1e300)),
  tie: fc.constantFrom("part_of", "part_of", "part_of", "relates_to", "none"),
});

function rowsOf(given: Trade, place: number, chances: readonly [string, number][]): Memory {
  const { symbol, anomaly, side, type, funding, labels, closed, held, luck, size } = given;
  const chance = chances.find(([name]) => name === anomaly || name === side)?.[1] ?? 40;
  const won = luck < chance;
  const at = Math.round(NOW - closed * DAY);
  const [entry, close] = [`e${place}`, `c${place}`];
  const named = place % 3 === 0 ? { coin: symbol } : { symbol };
  const known = {
    ...named,
    side,
    trade_type: type,
    anomaly_types: anomaly === undefined ? undefined : [anomaly],
  };
  return {
    rows: [
      {
        ...{
          id: entry,
          subtype: "custom:trade_entry",
          content_title: `${side} ${symbol ?? "sol"} at 7`,
        },
        content_body: JSON.stringify({
          text: "Why.",
          signals: { ...known, funding_rate: funding, ...labels },
        }),
        created_at: Math.round(at - held * DAY),
      },
      {
        ...{ id: close, subtype: "custom:trade_close", content_title: "closed" },
        content_body: JSON.stringify({
          text: `${won ? "Target" : "Stop"} of the ${symbol ?? "link"} trade.`,
          signals: {
            ...known,
            anomaly_types: undefined,
            pnl_pct: won ? size : -size,
            roe_pct: size * 3,
            leverage: 3,
          },
        }),
        created_at: at,
      },
    ],
    edges: edgesOf(given, place),
  };
}

function edgesOf({ tie }: Trade, place: number): reference.Edge[] {
  if (tie === "none") return [];
  const [entry, close, other] = [`e${place}`, `c${place}`, `e${place - 1}`];
  const toEntry = { id: `l${place}`, source_id: close, target_id: entry, type: tie };
  const toClose = { ...toEntry, source_id: entry, target_id: close };
  const again = { ...toClose, id: `m${place}` };
  const ways: Record<(typeof WAYS)[number], reference.Edge[]> = {
    "to entry": [toEntry],
    "to close": [toClose],
    both: [toEntry, again],
    twice: [toClose, again],
    mixed: [
      { id: `m${place}`, source_id: other, target_id: close, type: "relates_to" },
      { id: `n${place}`, source_id: close, target_id: other, type: tie },
      toClose,
    ],
  };
  return ways[WAYS[place % WAYS.length]!];
}

// ---- other episodes -----------------------------------------------------------------------------

const bodies = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    "",
    "{",
    "[]",
    "null",
    "7",
    '"BTC"',
    '{"text":7}',
    '{"text":"long Sol, not SOLO"}',
  ),
  fc.constantFrom(
    '{"signals":{"symbol":7,"coin":"sui"}}',
    '{"signals":[]}',
    '{"signals":{"pnl_pct":1e999}}',
  ),
  fc.constantFrom("the OP trade", "optimism", "\ud83d ETH", "{bad BTC"),
);

const other: fc.Arbitrary<Omit<Row, "id">> = fc.record(
  {
    subtype: fc.constantFrom(
      ...["custom:turn_summary", "custom:signal", "custom:trade_modify", "custom:trade_close"],
      ...["custom:lesson", "custom:trade", "", null, undefined],
    ),
    content_title: fc.constantFrom(
      "BTC and eth",
      "of nothing",
      "",
      null,
      'TITLE: "x"\nPLAYBOOK_TRIGGER: {}\u2028- eth',
    ),
    content_body: bodies,
    created_at: fc.integer({ min: -45, max: 1 }).map((days) => NOW + days * DAY),
    provenance_created_at: fc.constantFrom(
      null,
      undefined,
      NOW - 3 * DAY,
      new Date(NOW - 5 * DAY).toISOString(),
    ),
    state_lifecycle: fc.constantFrom("ACTIVE", null, undefined, "", "DORMANT", "WEAK"),
  },
  { requiredKeys: ["subtype", "content_title", "content_body", "created_at"] },
);

/**
 * A memory in which trades with an anomaly or on one side may win more often, or less, than the
 * others.
 */
export const memory = (max: { trades: number; others: number }): fc.Arbitrary<Memory> =>
  fc
    .record({
      trades: fc.array(trade, { maxLength: max.trades, size: "max" }),
      others: fc.array(other, { maxLength: max.others, size: "max" }),
      chances: fc.array(
        fc.tuple(
          fc.constantFrom("funding_extreme", "oi_surge", "short"),
          fc.constantFrom(5, 90, 100),
        ),
        { minLength: 1, maxLength: 2 },
      ),
      twice: fc.boolean(),
    })
    .map(({ trades, others, chances, twice }) => {
      const made = trades.map((given, place) => rowsOf(given, place, chances));
      const rows = made.flatMap(({ rows }) => rows);
      rows.push(...others.map((row, place) => ({ id: `o${place}`, ...row })));
      if (twice) rows.push(...rows.slice(0, 3).map((row) => ({ ...row, content_title: "again" })));
      return { rows, edges: made.flatMap(({ edges }) => edges) };
    });

// ---- caller functions ---------------------------------------------------------------------------

const sumOf = (text: string): number =>
  [...text].reduce((sum, c) => (sum * 31 + c.codePointAt(0)!) % 1_000_003, 7);

const ANSWERS = [
  "NO_PATTERN",
  "no_pattern: nothing here",
  "TITLE: Fade the crowd\n\nIt worked nine times.",
  `TITLE: Fade\nPLAYBOOK_TRIGGER: {"anomaly_types":["funding_extreme"],"direction":" SHORT","action":" Short it. "}\nIt won.`,
  `TITLE: Long\nIt won.\nPLAYBOOK_TRIGGER: {"anomaly_types":["a"],"symbols":["ETH"],"min_severity":0.4,"direction":"up"}`,
  `TITLE: Bad\nIt won.\nPLAYBOOK_TRIGGER: {"anomaly_types":[7]}`,
  `TITLE: Long\n${"A long body. ".repeat(40)}`,
  "only one line that is definitely longer than thirty characters",
  "short",
];

/** A language model: it fails for some groups, and answers nonsense for others. */
export const analyze = ({ user }: reference.PatternPrompt): string => {
  const place = sumOf(user) % (ANSWERS.length + 2);
  if (place === ANSWERS.length) throw new Error("overloaded");
  return place > ANSWERS.length ? (undefined as unknown as string) : ANSWERS[place]!;
};

/** A search that finds some of these ids, or nothing, or fails. */
export const findSimilarAmong =
  (ids: readonly string[]) =>
  ({ title, subtype }: reference.PatternDraft): reference.SimilarAnswer => {
    const sum = sumOf(title + subtype);
    const some = [ids[sum % (ids.length + 1)], ids[(sum >> 3) % (ids.length + 1)]].filter(
      (id) => id !== undefined,
    );
    if (sum % 17 === 0) throw new Error("no index");
    const kind = sum % 5;
    if (kind === 0)
      return { recommendation: "duplicate_found", matches: some.map((node_id) => ({ node_id })) };
    if (kind === 1) {
      const matches = some.map((node_id, place) => ({
        node_id,
        action: place === 0 ? "connect" : "duplicate",
      }));
      return { recommendation: "duplicate_found", matches };
    }
    if (kind === 2 && some.length > 0) {
      return {
        recommendation: "similar_found",
        matches: some.map((node_id) => ({ node_id, action: "connect" })),
      };
    }
    return { recommendation: "unique" };
  };

// ---- a store ------------------------------------------------------------------------------------

/** Lessons, playbooks and edges, and the effects of plans on them. */
export class Store {
  readonly existing = new Map<
    string,
    reference.Existing & { subtype: string; content_title: string }
  >();
  readonly edges: (reference.Edge & { strength: number })[] = [];
  #made = 0;

  constructor(edges: readonly reference.Edge[]) {
    for (const id of ["lesson", "playbook"]) {
      this.existing.set(id, {
        id,
        subtype: `custom:${id}`,
        content_title: "by hand",
        content_body: "Wait.",
      });
    }
    this.#link(edges.map((edge) => ({ ...edge, strength: 0.5 })));
  }

  apply({ groups }: Pick<reference.ConsolidationPlan, "groups">): void {
    for (const { create, update, link, strengthen } of groups) {
      for (const { edges, subtype, content_title, content_body } of create) {
        const id = `made ${this.#made++}`;
        this.existing.set(id, { id, subtype, content_title, content_body });
        this.#link(edges.map((edge) => ({ source_id: id, ...edge, strength: 0.7 })));
      }
      for (const { id, content_title, content_body } of update) {
        this.existing.set(id, { ...this.existing.get(id)!, content_title, content_body });
      }
      this.#link(link.map((edge) => ({ ...edge, strength: 0.7 })));
      for (const { edge_id, amount } of strengthen) {
        const edge = this.edges.find(({ id }) => id === edge_id)!;
        edge.strength = Math.min(1, edge.strength + amount);
      }
    }
  }

  #link(edges: readonly (Omit<reference.Edge, "id"> & { strength: number })[]): void {
    for (const edge of edges) this.edges.push({ ...edge, id: `edge ${this.edges.length}` });
  }
}
