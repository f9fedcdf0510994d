// Many trades, and what they add up to.

import { generatePlanted } from "../../js/demo/sample/planted.ts";
import * as reference from "../../tests/reference/index.ts";
import { type Deferred, deferred } from "./compare.ts";
import type { Engine } from "./contests.ts";

const EPISODES = 10_000;
/** As many groups as a cycle has room for. */
const SYMBOLS = ["BTC", "ETH", "SOL", "DOGE", "ARB"];
/** For each condition of a symbol: enough for all the episodes. */
const TRADES = 42;

const counted = EPISODES.toLocaleString("en");

/** The newest of a year's entries and closes, with regularities in them. */
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
