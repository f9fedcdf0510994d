//! Consolidation over numbers and text in the scratch. JavaScript keeps ids, reads bodies, and
//! numbers symbols.

use wasm_bindgen::prelude::*;
use xxhash_rust::xxh64::xxh64;

use super::Engine;
use super::layout::{
    EPISODE, EPISODE_CREATED_AT, EPISODE_KIND, GROUP, GROUP_SIZE, GROUP_SYMBOL, NOTHING,
};
use crate::consolidate::{
    Source, SymbolFinder, Tested, Trade, bands, find_patterns, groups, sources,
};

#[wasm_bindgen]
impl Engine {
    /// Numbers: the length of each text in bytes. Bytes: the texts, one after the other. Writes the
    /// place of the symbol that each text names first, or `NOTHING`, to the numbers.
    pub fn first_symbols(&mut self, count: usize) {
        let finder = self.symbol_finder.get_or_init(|| SymbolFinder::new(&self.known_symbols));
        let mut at = 0;
        for place in 0..count {
            let length = self.scratch.numbers[place] as usize;
            let first = finder.first(self.scratch.text(at, length));
            self.scratch.numbers[place] = first.map_or(NOTHING, |symbol| symbol as f64);
            at += length;
        }
    }

    /// Numbers: an `EPISODE` each. Returns the places of the episodes to review.
    pub fn episode_sources(&self, count: usize, now: f64) -> Vec<u32> {
        let source = |episode: &[f64; EPISODE]| Source {
            kind: episode[EPISODE_KIND] as usize,
            created_at: episode[EPISODE_CREATED_AT],
        };
        let episodes: Vec<Source> =
            self.scratch.numbers.as_chunks().0[..count].iter().map(source).collect();
        sources(&episodes, now)
    }

    /// Numbers: the symbol of each episode. Returns the count of groups, and for each group to
    /// analyse a `GROUP` and the places of its episodes.
    pub fn episode_groups(&self, count: usize) -> Vec<u32> {
        let symbols: Vec<u32> =
            self.scratch.numbers[..count].iter().map(|&symbol| symbol as u32).collect();
        let groups = groups(&symbols);
        let mut answer = vec![groups.found as u32];
        for (symbol, places) in groups.chosen {
            let mut head = [0; GROUP];
            head[GROUP_SYMBOL] = symbol;
            head[GROUP_SIZE] = places.len() as u32;
            answer.extend(head);
            answer.extend(places);
        }
        answer
    }

    /// Returns a hash of the first `length` bytes.
    pub fn fingerprint(&self, length: usize) -> u64 {
        xxh64(&self.scratch.bytes[..length], 0)
    }

    /// Numbers, read in order: of each trade its symbol, close, return, whether it is flat, entry
    /// and funding rate (NaN if unknown), the count of conditions before those that entry and
    /// funding rate make, the count of conditions after, and all these conditions. Returns the
    /// tested patterns: see [`numbers_of`].
    pub fn find_patterns(&self, count: usize) -> Vec<f64> {
        let mut rest = &self.scratch.numbers[..];
        let mut trade = || {
            let (
                &[symbol, closed_at, return_pct, flat, entered_at, funding_rate, before, after],
                more,
            ) = rest.split_first_chunk()?;
            let (before, more) = more.split_at_checked(before as usize)?;
            let (after, more) = more.split_at_checked(after as usize)?;
            rest = more;
            let known = |number: f64| Some(number).filter(|number| !number.is_nan());
            let codes = |codes: &[f64]| codes.iter().map(|&code| code as u32).collect::<Vec<u32>>();
            let mut conditions = codes(before);
            conditions.extend(bands(known(entered_at), known(funding_rate)));
            conditions.extend(codes(after));
            Some(Trade {
                symbol: symbol as u32,
                closed_at,
                return_pct,
                flat: flat != 0.0,
                conditions,
            })
        };
        let trades: Vec<Trade> = (0..count).map_while(|_| trade()).collect();
        find_patterns(&trades).iter().flat_map(numbers_of).collect()
    }
}

/// A tested pattern as numbers that are read in order: symbol; count of conditions of these trades,
/// count of those of the other trades, and all of them; count of trades and of won trades, of these
/// and of the others; rate and the ends of its interval, rate of the others, lift (NaN for none),
/// mean return, p value, q value; flags for kept and for making a playbook; the places of the
/// trades.
fn numbers_of(tested: &Tested) -> Vec<f64> {
    let (counts, (low, high)) = (tested.counts, tested.counts.wilson_interval());
    let mut numbers = vec![
        f64::from(tested.symbol),
        tested.conditions.len() as f64,
        tested.opposite.len() as f64,
    ];
    numbers.extend(
        tested.conditions.iter().chain(&tested.opposite).map(|&condition| f64::from(condition)),
    );
    numbers.extend([counts.n, counts.wins, counts.rest_n, counts.rest_wins].map(f64::from));
    numbers.extend([
        tested.rate(),
        low,
        high,
        tested.rest_rate(),
        tested.lift().unwrap_or(f64::NAN),
    ]);
    numbers.extend([tested.mean_return_pct, tested.p_value, tested.q_value]);
    numbers.extend([tested.kept(), tested.is_playable()].map(|flag| f64::from(u8::from(flag))));
    numbers.extend(tested.trades.iter().map(|&place| f64::from(place)));
    numbers
}
