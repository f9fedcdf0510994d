//! Which memories have proved useful: those that answers took up when they stood in the prompt.

use std::f64::consts::LN_2;

use super::ContextMode;
use crate::check::DAY_MS;
use crate::math::exp;

/// An answer that has at least this much of a memory's words took it up.
pub const REFERENCED_FROM: f64 = 0.15;
/// How many uses are kept, unless somebody says otherwise.
pub const MOST_USES: u32 = 5000;
/// Days after which a use is dropped: three half-lives.
pub const USE_DAYS: u32 = 21;

/// Days until a use, or the recency of a memory, counts half.
const HALF_LIFE_DAYS: f64 = 7.0;
/// Fewer uses tell nothing.
const FEWEST_USES: usize = 2;

/// A memory stood in a prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    /// When, in milliseconds since 1970.
    pub at: f64,
    /// Whether the answer took it up.
    pub referenced: bool,
}

/// What something counts after so many milliseconds, in [0, 1]: 1 at first, and half as much after
/// each week.
pub(super) fn weight(age: f64) -> f64 {
    exp(-LN_2 * (age / DAY_MS / HALF_LIFE_DAYS))
}

/// How much a memory was taken up lately: each time counts 1 at first, and half as much after each
/// week. A use that is yet to come counts as one of now.
pub fn usage_score(uses: &[MemoryUse], now: f64) -> f64 {
    uses.iter().filter(|it| it.referenced).fold(0.0, |sum, it| sum + weight((now - it.at).max(0.0)))
}

/// How often a memory was taken up, in [0, 1]: of its uses, each weighed by its age, or in
/// seed-compatible mode each alike. 0 without uses.
///
/// As all weights shrink by the same factor, the rate does not depend on when it is asked for.
pub fn usage_rate(uses: &[MemoryUse], mode: ContextMode) -> f64 {
    let newest = uses.iter().fold(f64::NEG_INFINITY, |newest, it| newest.max(it.at));
    let (mut referenced, mut all) = (0.0, 0.0);
    for it in uses {
        let weight = if mode == ContextMode::SeedCompatible { 1.0 } else { weight(newest - it.at) };
        all += weight;
        if it.referenced {
            referenced += weight;
        }
    }
    if all == 0.0 { 0.0 } else { referenced / all }
}

/// Factor of a memory's relevance: 0.3 + 1.7 × rate, in seed-compatible mode 0.5 + rate; 1 for a
/// memory that stood in a prompt less than twice.
pub fn usage_boost(uses: &[MemoryUse], mode: ContextMode) -> f64 {
    if uses.len() < FEWEST_USES {
        return 1.0;
    }
    let (least, range) = if mode == ContextMode::SeedCompatible { (0.5, 1.0) } else { (0.3, 1.7) };
    least + range * usage_rate(uses, mode)
}
