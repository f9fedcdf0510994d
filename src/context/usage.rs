//! Usage: how often answers used a memory that stood in their prompt.

use std::f64::consts::LN_2;

use super::ContextMode;
use crate::check::DAY_MS;
use crate::math::exp;

/// The least share of a memory's words in an answer that used the memory.
pub const REFERENCED_FROM: f64 = 0.15;
/// The default number of uses kept.
pub const MAX_USES: u32 = 5000;
/// Days after which a use is dropped: three half-lives.
pub const USE_DAYS: u32 = 21;

/// Days after which the weight of a use, or of a memory's recency, is one half.
const HALF_LIFE_DAYS: f64 = 7.0;
/// The least number of uses for a boost.
const FEWEST_USES: usize = 2;

/// One appearance of a memory in a prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    /// The time of the prompt, in milliseconds since 1970.
    pub at: f64,
    /// Whether the answer used the memory.
    pub referenced: bool,
}

/// Returns the weight of an age in milliseconds, in [0, 1]: 1 at age 0, and half as much after each
/// week.
pub(super) fn weight(age: f64) -> f64 {
    exp(-LN_2 * (age / DAY_MS / HALF_LIFE_DAYS))
}

/// Returns the recent usage of a memory: the sum of the weights of the uses that an answer
/// referenced. A use has weight 1 at first, and half as much after each week. A use in the future
/// counts as one of now.
pub fn usage_score(uses: &[MemoryUse], now: f64) -> f64 {
    uses.iter().filter(|it| it.referenced).fold(0.0, |sum, it| sum + weight((now - it.at).max(0.0)))
}

/// Returns the share of a memory's uses that an answer referenced, in [0, 1], or 0 without uses.
/// Each use is weighted by its age; in seed-compatible mode all weights are equal.
///
/// All weights shrink by the same factor, so the rate does not depend on the time of the call.
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

/// Returns the factor for a memory's relevance: 0.3 + 1.7 × rate, in seed-compatible mode 0.5 +
/// rate. Returns 1 for a memory with fewer than two uses.
pub fn usage_boost(uses: &[MemoryUse], mode: ContextMode) -> f64 {
    if uses.len() < FEWEST_USES {
        return 1.0;
    }
    let (min, range) = if mode == ContextMode::SeedCompatible { (0.5, 1.0) } else { (0.3, 1.7) };
    min + range * usage_rate(uses, mode)
}
