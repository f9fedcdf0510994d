// Playbooks: one for each setup, written in the first months, and later variants for single coins.
// The trades that follow them raise their counts.

import { COINS, DAY } from "./market.ts";
import { SETUPS, type Setup } from "./setups.ts";
import type { SampleNode } from "./types.ts";
import { MINUTE, type World } from "./world.ts";

const VARIANTS: readonly {
  setup: Setup["key"];
  symbols: readonly string[];
  title: string;
  extra: string;
}[] = [
  {
    setup: "funding_fade",
    symbols: ["BTC"],
    title: "BTC funding fade, full size",
    extra:
      "On BTC the fade has been the most reliable trade of all, full size from the first entry.",
  },
  {
    setup: "liquidation_bounce",
    symbols: ["BTC", "ETH", "SOL"],
    title: "Cascade bounce in deep books",
    extra: "Only BTC, ETH and SOL: their makers come back after forced flow.",
  },
  {
    setup: "trend_pullback",
    symbols: ["SOL"],
    title: "SOL at its 4-hour average",
    extra: "SOL respects the average better than anything else; full size at once.",
  },
  {
    setup: "relative_strength",
    symbols: ["HYPE", "SOL"],
    title: "Riding the leader: HYPE and SOL",
    extra: "These two lead when alts lead; hold through one BTC dip.",
  },
  {
    setup: "breakout_retest",
    symbols: ["BTC", "ETH"],
    title: "Weekday breakout retest in majors",
    extra: "Monday to Friday noon only, and spot has to break first.",
  },
  {
    setup: "deleveraging_reentry",
    symbols: ["ETH", "LINK", "AVAX"],
    title: "Second-day re-entry after a flush",
    extra: "In these coins the day after the flush is better than the day itself.",
  },
  {
    setup: "crowded_positioning",
    symbols: ["DOGE", "HYPE"],
    title: "Crowd fade in story coins",
    extra: "The crowd here arrives late and leaves in minutes: orders rest beforehand.",
  },
  {
    setup: "cvd_divergence",
    symbols: ["BTC"],
    title: "Follow spot in BTC",
    extra: "Aggregate three spot venues, ignore the one with free fees.",
  },
];

const CONDITIONS: Partial<Record<Setup["key"], object>> = {
  funding_fade: {
    any: [
      { var: "funding_rate", op: ">", value: 0.006 },
      { var: "funding_rate", op: "<", value: -0.006 },
    ],
  },
  crowded_positioning: {
    all: [
      { var: "open_interest_change_pct", op: ">", value: 8 },
      { var: "change_24h_pct", op: "between", value: [-3, 3] },
    ],
  },
  relative_strength: {
    any: [
      { var: "vs_btc_24h_pct", op: ">", value: 3 },
      { var: "vs_btc_24h_pct", op: "<", value: -3 },
    ],
  },
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the JSON body of a playbook with the counts of its feedback so far. */
export function playbookBody(
  body: string,
  feedback: readonly { at: number; success: boolean }[],
  at: number,
): string {
  const counted = feedback.filter((one) => one.at <= at);
  return JSON.stringify({
    ...(JSON.parse(body) as object),
    success_count: counted.filter((one) => one.success).length,
    sample_size: counted.length,
    ...(counted.length > 0
      ? { last_applied: new Date(Math.max(...counted.map((one) => one.at))).toISOString() }
      : {}),
  });
}

/** Writes the playbooks. */
export function writePlaybooks(world: World): void {
  const { market, journal, truth, quota } = world;
  const random = world.random.fork("playbooks");
  const span = market.end - market.start;
  const general = SETUPS.map((setup) => ({
    setup,
    symbols: null as readonly string[] | null,
    title: `${capital(setup.label)} playbook`,
    extra: "",
  }));
  const variants = VARIANTS.map((variant) => ({
    ...variant,
    setup: SETUPS.find((one) => one.key === variant.setup) as Setup,
  }));
  const singles = SETUPS.flatMap((setup) =>
    COINS.filter((coin) => setup.symbols?.includes(coin.symbol) ?? true).map((coin) => ({
      setup,
      symbols: [coin.symbol] as readonly string[],
      title: `${capital(setup.label)} in ${coin.symbol}`,
      extra: `Notes for ${coin.name} only: its hourly range is about ${coin.pace} times that of BTC, stops are scaled by that.`,
    })),
  );
  const all = [
    ...random.shuffled(general),
    ...random.shuffled(variants),
    ...random.shuffled(singles),
  ].slice(0, quota.playbooks);
  all.forEach((one, i) => {
    const { setup, symbols, title, extra } = one;
    const when =
      i < general.length
        ? 0.02 + (0.24 * i) / general.length
        : 0.3 + (0.45 * (i - general.length)) / Math.max(1, all.length - general.length);
    const raw = market.start + when * span + random.between(0.2, 0.9) * DAY;
    const at = raw - (raw % MINUTE);
    const conditions = CONDITIONS[setup.key];
    const node = journal.add({
      subtype: "custom:playbook",
      at,
      title,
      body: {
        text: [setup.playbook.text, extra].filter(Boolean).join(" "),
        trigger: {
          anomaly_types: [setup.anomaly],
          symbols: symbols ?? setup.symbols ?? null,
          min_severity: setup.playbook.minSeverity,
          ...(conditions ? { conditions } : {}),
        },
        action: setup.playbook.action,
        direction: "either",
        success_count: 0,
        sample_size: 0,
      },
      summary: setup.playbook.action,
      tags: [...(symbols ?? []), setup.key, setup.anomaly, "playbook"],
    });
    node.feedback = [];
    truth.playbooks.push({
      id: node.id,
      setup: setup.key,
      symbols: symbols === null ? null : [...symbols],
      entry_ids: [],
      success_count: 0,
      sample_size: 0,
    });
    const base = truth.playbooks.find(
      (other) => other.setup === setup.key && other.symbols === null && other.id !== node.id,
    );
    if (base) journal.link("derived_from", node, journal.get(base.id));
  });
}

/** Links each playbook to the closes and lessons from which it was made, and updates its counts. */
export function finishPlaybooks(world: World): void {
  const { journal, truth, market } = world;
  const linkAll = (
    type: "generalizes" | "derived_from",
    playbook: SampleNode,
    ids: readonly (string | null)[],
    max: number,
  ) => {
    const nodes = ids.flatMap((id) => (id === null ? [] : [journal.get(id)]));
    for (const node of nodes.filter((one) => one.created_at < playbook.created_at).slice(-max))
      journal.link(type, playbook, node);
  };
  for (const playbook of truth.playbooks) {
    const node = journal.get(playbook.id);
    const fits = (symbol: string) => playbook.symbols?.includes(symbol) ?? true;
    linkAll(
      "generalizes",
      node,
      truth.trades
        .filter((one) => one.setup === playbook.setup && fits(one.symbol))
        .map((one) => one.close_id),
      6,
    );
    linkAll(
      "derived_from",
      node,
      truth.lessons.filter((one) => one.setup === playbook.setup).map((one) => one.id),
      3,
    );
    const feedback = (node.feedback ?? []).sort((a, b) => a.at - b.at);
    node.content_body = playbookBody(node.content_body, feedback, market.end);
    for (const lesson of truth.lessons) {
      const later = journal.get(lesson.id);
      if (
        lesson.setup === playbook.setup &&
        playbook.symbols === null &&
        later.created_at > node.created_at
      )
        journal.link("relates_to", later, node);
    }
  }
}
