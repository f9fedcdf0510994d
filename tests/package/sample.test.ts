// The sample memory: equal seeds give equal bytes, and its content is consistent.

import { createHash } from "node:crypto";
import {
  calculateDifficulty,
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  SECTION_PROFILES,
  updateStabilityOnAccessForSection,
} from "nous-wasm";
import { describe, expect, it } from "vitest";
import {
  generateSample,
  SAMPLE_DEFAULTS,
  type SampleNode,
  SUBTYPES,
  sampleAt,
} from "../../js/sample/trader/index.ts";

interface TradeBody {
  text: string;
  signals: {
    symbol: string;
    side: "long" | "short";
    entry: number;
    exit: number;
    legs: { fraction: number; price: number }[];
    size_usd: number;
    leverage: number;
    pnl_pct: number;
    pnl_usd: number;
    roe_pct: number;
    mfe_pct: number;
    mae_pct: number;
    outcome: string;
  };
}

const hash = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

const sample = generateSample();
const { nodes, edges, truth } = sample;
const byId = new Map(nodes.map((node) => [node.id, node]));
const END = Date.parse(SAMPLE_DEFAULTS.end);

function node(id: string | null): SampleNode {
  const found = id === null ? undefined : byId.get(id);
  if (!found) throw new Error(`no memory ${id}`);
  return found;
}

const of = (subtype: string) => nodes.filter((one) => one.subtype === subtype);
const jsonOf = <T>(one: SampleNode) => JSON.parse(one.content_body) as T;

describe("the sample", () => {
  it("is the same for the same seed, to the byte", () => {
    expect(hash(generateSample())).toBe(hash(sample));
    expect(hash(sample)).toBe("acb47f7501f45acd736d52e164735ba5653f88c05ca20494fc5f20c23042fba5");
  });

  it("differs for another seed", () => {
    expect(hash(generateSample({ seed: 8 }))).not.toBe(hash(sample));
  });

  it.each([
    { memories: 100, days: 14 },
    { memories: 777, days: 60, seed: 3 },
    { memories: 5000, days: 365, end: "2025-06-01T12:30:00.000Z" },
  ])("has as many memories as requested, and every subtype: %o", (options) => {
    const other = generateSample(options);
    const end = Date.parse(options.end ?? SAMPLE_DEFAULTS.end);
    expect(other.nodes).toHaveLength(options.memories);
    expect(new Set(other.nodes.map((one) => one.subtype)).size).toBe(SUBTYPES.length);
    for (const one of other.nodes) {
      expect(one.created_at).toBeGreaterThanOrEqual(end - options.days * 86_400_000);
      expect(one.last_accessed).toBeLessThanOrEqual(end);
    }
  });

  it.each([
    [{ memories: 99 }, /memories: 99/],
    [{ days: 13 }, /days: 13/],
    [{ seed: -1 }, /seed: -1/],
    [{ seed: 0.5 }, /seed: 0.5/],
    [{ end: "soon" }, /end: soon/],
  ])("refuses %o", (options, message) => {
    expect(() => generateSample(options)).toThrow(message);
  });

  it("holds 2,000 memories of all fifteen subtypes over 200 days", () => {
    expect(nodes).toHaveLength(2000);
    for (const subtype of SUBTYPES) expect(of(subtype).length, subtype).toBeGreaterThanOrEqual(20);
    const days =
      (Math.max(...nodes.map((one) => one.created_at)) -
        Math.min(...nodes.map((one) => one.created_at))) /
      86_400_000;
    expect(days).toBeGreaterThan(195);
    expect(days).toBeLessThanOrEqual(200);
  });

  it("has unique ids", () => {
    const ids = [...nodes, ...edges].map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[ne]_[0-9a-z]{12}$/.test(id))).toEqual([]);
  });

  it("is in the order of creation", () => {
    const times = nodes.map((one) => one.created_at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const one of nodes) expect(Date.parse(one.provenance_created_at)).toBe(one.created_at);
  });

  it("links only existing memories, each pair once per type, and not before both existed", () => {
    expect(edges.length).toBeGreaterThan(2000);
    const seen = new Set<string>();
    for (const edge of edges) {
      const [source, target] = [node(edge.source_id), node(edge.target_id)];
      expect(source).not.toBe(target);
      expect(edge.created_at).toBe(Math.max(source.created_at, target.created_at));
      expect(edge.strength).toBeGreaterThan(0);
      expect(edge.strength).toBeLessThanOrEqual(1);
      const key = `${edge.type} ${edge.source_id} ${edge.target_id}`;
      expect(seen.has(key), key).toBe(false);
      seen.add(key);
    }
  });

  it("counts accesses between the creation and the end", () => {
    for (const one of nodes) {
      expect(one.access_count).toBe(one.access_times.length);
      expect(one.last_accessed).toBe(one.access_times.at(-1) ?? one.created_at);
      expect(one.access_times).toEqual([...new Set(one.access_times)].sort((a, b) => a - b));
      expect(one.access_times.every((at) => at > one.created_at && at <= END)).toBe(true);
      expect(one.read_times.every((at) => one.access_times.includes(at))).toBe(true);
      expect(one.stability).toBeGreaterThan(0);
      expect(one.difficulty).toBeGreaterThan(0);
      expect(one.difficulty).toBeLessThanOrEqual(1);
    }
    const mean = (subtype: string) =>
      of(subtype).reduce((sum, one) => sum + one.access_count, 0) / of(subtype).length;
    expect(mean("custom:playbook")).toBeGreaterThan(mean("custom:lesson"));
    expect(mean("custom:lesson")).toBeGreaterThan(mean("custom:signal"));
  });

  it("stores JSON if it begins with a brace, with a text and the symbol in it", () => {
    const json = nodes.filter((one) => one.content_body.startsWith("{"));
    expect(new Set(json.map((one) => one.subtype))).toEqual(
      new Set(
        [
          "trade_entry",
          "trade_close",
          "trade_modify",
          "trade",
          "signal",
          "watchpoint",
          "playbook",
          "missed_opportunity",
          "good_pass",
        ].map((name) => `custom:${name}`),
      ),
    );
    for (const one of json) {
      const body = jsonOf<{ text: string; signals?: { symbol: string } }>(one);
      expect(body.text.length).toBeGreaterThan(40);
      if (body.signals) expect(one.tags).toContain(body.signals.symbol);
    }
  });

  it("fills every slot of its templates, and uses every number", () => {
    for (const one of nodes) {
      expect(`${one.content_title} ${one.content_body}`).not.toMatch(
        /NaN|undefined|Infinity|\{\w+\}|\[object/,
      );
    }
  });

  it("varies its wording", () => {
    expect(new Set(nodes.map((one) => one.content_body)).size).toBe(nodes.length);
    expect(new Set(nodes.map((one) => one.content_title)).size).toBeGreaterThan(
      nodes.length * 0.96,
    );
    for (const subtype of SUBTYPES) {
      const starts = new Set(
        of(subtype).map((one) => one.content_title.replace(/[\d$,.−+%]+/g, "#")),
      );
      expect(starts.size, subtype).toBeGreaterThan(of(subtype).length * 0.2);
    }
  });
});

describe("trades", () => {
  const closed = truth.trades.filter((trade) => trade.close_id !== null);

  it("win and lose, and some are still open", () => {
    const count = (outcome: string) =>
      truth.trades.filter((trade) => trade.outcome === outcome).length;
    expect(count("win")).toBeGreaterThan(30);
    expect(count("loss")).toBeGreaterThan(30);
    expect(count("open")).toBeGreaterThan(0);
    expect(truth.trades).toHaveLength(of("custom:trade_entry").length);
    expect(closed).toHaveLength(of("custom:trade_close").length);
  });

  it("have a profit that follows from their prices", () => {
    for (const trade of closed) {
      const { signals } = jsonOf<TradeBody>(node(trade.close_id));
      const direction = signals.side === "long" ? 1 : -1;
      const move = signals.legs.reduce(
        (sum, leg) => sum + leg.fraction * direction * (leg.price / signals.entry - 1) * 100,
        0,
      );
      expect(signals.legs.reduce((sum, leg) => sum + leg.fraction, 0)).toBeCloseTo(1, 10);
      expect(signals.legs.at(-1)?.price).toBe(signals.exit);
      expect(signals.pnl_pct).toBeCloseTo(move, 1);
      expect(signals.pnl_usd).toBeCloseTo((signals.size_usd * signals.pnl_pct) / 100, 1);
      expect(signals.roe_pct).toBeCloseTo(signals.pnl_pct * signals.leverage, 1);
      expect(signals.mfe_pct).toBeGreaterThanOrEqual(signals.mae_pct);
      expect(signals.pnl_pct).toBeLessThanOrEqual(signals.mfe_pct + 0.01);
      expect(signals.outcome).toBe(
        signals.pnl_pct > 0.15 ? "win" : signals.pnl_pct < -0.15 ? "loss" : "flat",
      );
      expect({ ...signals, outcome: trade.outcome }).toMatchObject({
        entry: trade.entry_price,
        exit: trade.exit_price,
        pnl_pct: trade.pnl_pct,
      });
    }
    for (const scalp of of("custom:trade")) {
      const { signals } = jsonOf<TradeBody>(scalp);
      const direction = signals.side === "long" ? 1 : -1;
      expect(signals.pnl_pct).toBeCloseTo(direction * (signals.exit / signals.entry - 1) * 100, 1);
    }
  });

  it("are entered, changed, closed and analysed in that order, linked by edges", () => {
    const tied = new Set(edges.map((edge) => `${edge.type} ${edge.source_id} ${edge.target_id}`));
    for (const trade of truth.trades) {
      const chain = [
        trade.entry_id,
        ...trade.modify_ids,
        ...(trade.close_id ? [trade.close_id] : []),
      ].map(node);
      for (let i = 1; i < chain.length; i++) {
        expect(chain[i]?.created_at).toBeGreaterThan(chain[i - 1]?.created_at ?? 0);
        expect(tied.has(`part_of ${chain[i]?.id} ${trade.entry_id}`)).toBe(true);
      }
      for (const lesson of trade.lesson_ids)
        expect(node(lesson).created_at).toBeGreaterThan(trade.closed_at ?? 0);
      if (trade.signal_id) {
        expect(node(trade.signal_id).created_at).toBeLessThan(trade.opened_at);
        expect(tied.has(`causes ${trade.signal_id} ${trade.entry_id}`)).toBe(true);
      }
      if (trade.playbook_id) {
        expect(node(trade.playbook_id).created_at).toBeLessThan(trade.opened_at);
        expect(tied.has(`applied_to ${trade.playbook_id} ${trade.entry_id}`)).toBe(true);
      }
    }
  });

  it("never overlap in one coin", () => {
    for (const trade of truth.trades) {
      const clash = truth.trades.find(
        (other) =>
          other !== trade &&
          other.symbol === trade.symbol &&
          other.opened_at >= trade.opened_at &&
          other.opened_at < (trade.closed_at ?? END),
      );
      expect(clash).toBeUndefined();
    }
  });
});

describe("memories around the trades", () => {
  it("include playbooks whose counts match the trades that followed them", () => {
    for (const playbook of truth.playbooks) {
      const body = jsonOf<{
        success_count: number;
        sample_size: number;
        trigger: { anomaly_types: string[] };
      }>(node(playbook.id));
      const followed = truth.trades.filter(
        (trade) => trade.playbook_id === playbook.id && trade.outcome !== "open",
      );
      expect(body.sample_size).toBe(followed.length);
      expect(body.success_count).toBe(followed.filter((trade) => trade.outcome === "win").length);
      expect(body.trigger.anomaly_types.length).toBeGreaterThan(0);
    }
    expect(truth.playbooks.some((playbook) => playbook.sample_size >= 8)).toBe(true);
  });

  it("include watchpoints that trigger when the level is reached, within their time", () => {
    const hits = truth.watchpoints.filter((one) => one.triggered_at !== null);
    expect(hits.length).toBeGreaterThan(truth.watchpoints.length * 0.3);
    expect(hits.length).toBeLessThan(truth.watchpoints.length * 0.9);
    for (const hit of hits) {
      expect(hit.triggered_at).toBeLessThanOrEqual(hit.expires_at);
      expect(hit.triggered_at).toBeGreaterThan(node(hit.id).created_at);
      if (hit.signal_id) expect(node(hit.signal_id).created_at).toBe(hit.triggered_at);
    }
  });

  it("include lessons that rest on closed trades and name them", () => {
    for (const lesson of truth.lessons) {
      expect(lesson.source_ids.length).toBeGreaterThan(0);
      for (const id of lesson.source_ids) {
        expect(node(id).subtype).toBe("custom:trade_close");
        expect(node(id).created_at).toBeLessThan(node(lesson.id).created_at);
      }
      for (const symbol of lesson.symbols) expect(node(lesson.id).content_body).toContain(symbol);
      if (lesson.supersedes)
        expect(node(lesson.supersedes).created_at).toBeLessThan(node(lesson.id).created_at);
    }
  });

  it("include confirmed and refuted theses", () => {
    const statuses = new Set(truth.theses.map((thesis) => thesis.status));
    expect(statuses).toEqual(new Set(["confirmed", "broken", "expired", "open"]));
    for (const thesis of truth.theses) {
      if (thesis.resolution_id === null) continue;
      expect(node(thesis.resolution_id).content_title).toContain(`Thesis ${thesis.status}`);
      expect(node(thesis.resolution_id).created_at).toBeGreaterThan(node(thesis.id).created_at);
    }
  });

  it("include missed trades that would have won and passed trades that would have lost", () => {
    expect(truth.missed.every((one) => one.pnl_pct > 0)).toBe(true);
    expect(truth.passes.every((one) => one.pnl_pct < 0)).toBe(true);
  });

  it("include a correct summary of each day", () => {
    for (const session of truth.sessions) {
      const closes = session.close_ids.map((id) =>
        truth.trades.find((trade) => trade.close_id === id),
      );
      expect(closes.every((trade) => trade !== undefined)).toBe(true);
      for (const id of [...session.entry_ids, ...session.close_ids, ...session.event_ids]) {
        expect(node(id).created_at).toBeLessThan(node(session.id).created_at);
      }
    }
    expect(truth.sessions.some((session) => session.pnl_usd < 0)).toBe(true);
  });
});

describe("the sample at an earlier instant", () => {
  const at = Date.parse("2025-12-01T00:00:00.000Z");
  const then = sampleAt(sample, at);

  it("contains no later facts", () => {
    expect(then.nodes.length).toBeGreaterThan(500);
    expect(then.nodes.length).toBeLessThan(1500);
    for (const one of then.nodes) {
      expect(one.created_at).toBeLessThanOrEqual(at);
      expect(one.last_accessed).toBeLessThanOrEqual(at);
      expect(one.access_count).toBeLessThanOrEqual(node(one.id).access_count);
    }
    const ids = new Set(then.nodes.map((one) => one.id));
    expect(then.edges.every((edge) => ids.has(edge.source_id) && ids.has(edge.target_id))).toBe(
      true,
    );
  });

  it("has playbooks with the counts of that time", () => {
    for (const playbook of then.nodes.filter((one) => one.subtype === "custom:playbook")) {
      const body = jsonOf<{ sample_size: number; last_applied?: string }>(playbook);
      const closed = truth.trades.filter(
        (trade) => trade.playbook_id === playbook.id && (trade.closed_at ?? END + 1) <= at,
      );
      expect(body.sample_size).toBe(closed.length);
      expect(Date.parse(body.last_applied ?? SAMPLE_DEFAULTS.end) <= at).toBe(closed.length > 0);
    }
  });

  it("is the whole sample at the end", () => {
    expect(hash(sampleAt(sample, END).nodes)).toBe(hash(nodes));
  });
});

describe("the sample's stored strengths", () => {
  const STAKES = [
    "trade_entry",
    "trade_close",
    "trade_modify",
    "missed_opportunity",
    "good_pass",
  ].map((name) => `custom:${name}`);
  const KINDS = {
    "custom:signal": "fact",
    "custom:trade": "fact",
    "custom:lesson": "fact",
    "custom:market_event": "event",
    "custom:turn_summary": "event",
    "custom:session_summary": "note",
  } as const;

  it("begin with the engine's initial values", () => {
    for (const node of nodes) {
      if (!STAKES.includes(node.subtype))
        expect(node.initial_stability).toBe(getInitialStabilityForSubtype(node.subtype));
      if (node.subtype === "custom:playbook") continue;
      const kind = KINDS[node.subtype as keyof typeof KINDS] ?? "concept";
      expect(node.difficulty, node.subtype).toBe(
        calculateDifficulty(kind, node.content_body.length, 0),
      );
    }
  });

  it("grow with each read as in the engine", () => {
    for (const node of nodes.filter((one) => one.subtype !== "custom:playbook")) {
      const { decay } = SECTION_PROFILES[getSectionForSubtype(node.subtype)];
      const grown = node.read_times.reduce(
        (stability) => updateStabilityOnAccessForSection(stability, node.difficulty, decay),
        node.initial_stability,
      );
      expect(node.stability).toBe(grown);
    }
  });
});
