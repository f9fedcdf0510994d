// Contests of consolidation: the patterns of many trades.

import * as reference from "../../js/reference/index.ts";
import { generatePlanted } from "../../js/sample/trader/planted.ts";
import { type Deferred, deferred } from "./compare.ts";
import type { Engine } from "./contests.ts";

const EPISODES = 10_000;
/** One symbol for each group that a cycle can analyse. */
const SYMBOLS = ["BTC", "ETH", "SOL", "DOGE", "ARB"];
/** Trades of each condition of a symbol: enough for all episodes. */
const TRADES = 42;

const counted = EPISODES.toLocaleString("en");

/** Returns the newest entries and closes of a year, with planted patterns. */
function makeEpisodes() {
  const { nodes, edges } = generatePlanted({ symbols: SYMBOLS, trades: TRADES });
  const rows = nodes.slice(-EPISODES);
  return { rows, edges, now: rows.at(-1)!.created_at };
}

const symbolOf = (close: reference.EpisodeNode) =>
  reference.extractSymbol(close) ?? reference.GENERAL;

export function consolidationContests(engine: Engine): Deferred[] {
  return [
    deferred(`patterns of trades in ${counted} episodes`, () => {
      const { rows, edges } = makeEpisodes();
      return {
        contestants: {
          reference: () => reference.findPatterns(reference.closedTrades(rows, edges, symbolOf)),
          engine: () => engine.findPatterns(rows, edges),
        },
        remarks: () => {
          const { patterns, tested } = engine.findPatterns(rows, edges);
          return { found: `${patterns.length} of ${tested.length} tested` };
        },
      };
    }),
    deferred(`consolidation of ${counted} episodes, planned by statistics`, () => {
      const { rows, edges, now } = makeEpisodes();
      return {
        contestants: {
          reference: () => reference.planConsolidation(rows, [], { edges, now }),
          engine: () => engine.planConsolidation(rows, [], { edges, now }),
        },
      };
    }),
  ];
}
