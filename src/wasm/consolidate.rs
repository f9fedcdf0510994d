//! Consolidation over numbers and text in the scratch: JavaScript keeps ids, reads bodies, and
//! numbers symbols.

use wasm_bindgen::prelude::*;
use xxhash_rust::xxh64::xxh64;

use super::Engine;
use crate::consolidate::{
    Source, SymbolFinder, Tested, Trade, bands, find_patterns, groups, sources,
};

#[wasm_bindgen]
impl Engine {
    /// Numbers: the length of each text in bytes. Bytes: the texts, one after the other. The
    /// numbers become the place of the symbol that each names first, −1 for none.
    pub fn first_symbols(&mut self, count: usize) {
        let finder = self.symbol_finder.get_or_init(|| SymbolFinder::new(&self.known_symbols));
        let mut at = 0;
        for place in 0..count {
            let length = self.numbers[place] as usize;
            let first = finder.first(self.text(at, length));
            self.numbers[place] = first.map_or(-1.0, |symbol| symbol as f64);
            at += length;
        }
    }

    /// Numbers: kind and creation of each episode. The answer is the places of those to review.
    pub fn episode_sources(&self, count: usize, now: f64) -> Vec<u32> {
        let source = |&[kind, created_at]: &[f64; 2]| Source { kind: kind as usize, created_at };
        let episodes: Vec<Source> =
            self.numbers.as_chunks().0[..count].iter().map(source).collect();
        sources(&episodes, now)
    }

    /// Numbers: the symbol of each episode. The answer is how many groups there are; of those to
    /// analyse follow symbol, size, and the places of the episodes.
    pub fn episode_groups(&self, count: usize) -> Vec<u32> {
        let symbols: Vec<u32> = self.numbers[..count].iter().map(|&symbol| symbol as u32).collect();
        let groups = groups(&symbols);
        let mut answer = vec![groups.found as u32];
        for (symbol, places) in groups.chosen {
            answer.extend([symbol, places.len() as u32]);
            answer.extend(places);
        }
        answer
    }

    /// A sum over the first `length` bytes that tells them from others.
    pub fn fingerprint(&self, length: usize) -> u64 {
        xxh64(&self.bytes[..length], 0)
    }

    /// Numbers: of each trade symbol, close, return, whether it is flat, entry and funding rate
    /// (NaN where they are not known), how many conditions come before those that the latter two
    /// come to, how many after, and all these. The answer is what was tested: see [`told`].
    pub fn find_patterns(&self, count: usize) -> Vec<f64> {
        let mut rest = &self.numbers[..];
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
        find_patterns(&trades).iter().flat_map(told).collect()
    }
}

/// Symbol; how many conditions, of these trades and of the others, and these; how many trades there
/// are and were won, of these and of the others; rate and the ends of its interval, rate of the
/// others, lift (NaN for none), mean return, p value, q value; whether it is kept, and whether its
/// record makes a playbook; the places of the trades.
fn told(tested: &Tested) -> Vec<f64> {
    let (counts, (low, high)) = (tested.counts, tested.counts.wilson_interval());
    let mut told = vec![
        f64::from(tested.symbol),
        tested.conditions.len() as f64,
        tested.opposite.len() as f64,
    ];
    told.extend(
        tested.conditions.iter().chain(&tested.opposite).map(|&condition| f64::from(condition)),
    );
    told.extend([counts.n, counts.wins, counts.rest_n, counts.rest_wins].map(f64::from));
    told.extend([tested.rate(), low, high, tested.rest_rate(), tested.lift().unwrap_or(f64::NAN)]);
    told.extend([tested.mean_return_pct, tested.p_value, tested.q_value]);
    told.extend([tested.kept(), tested.is_playable()].map(|flag| f64::from(u8::from(flag))));
    told.extend(tested.trades.iter().map(|&place| f64::from(place)));
    told
}
