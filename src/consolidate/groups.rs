//! Selects the episodes of a review and groups them by symbol.

use crate::check::DAY_MS;
use crate::order::sort_descending;

/// The subtypes of episodes that consolidation reads.
pub const SOURCES: [&str; 5] = [
    "custom:trade_entry",
    "custom:trade_close",
    "custom:trade_modify",
    "custom:turn_summary",
    "custom:signal",
];

/// An active episode of one of the [`SOURCES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// The place of its subtype among the sources.
    pub kind: usize,
    /// Milliseconds since 1970.
    pub created_at: f64,
}

/// The most episodes of each subtype.
const MAX_OF_A_KIND: usize = 50;
/// The window in days, and the wider window if the first holds too few episodes.
const WINDOWS: [f64; 2] = [14.0, 30.0];
/// The least number of episodes in the first window.
const ENOUGH: usize = 8;
/// The least number of episodes of a group.
const FEWEST: usize = 3;
/// The most groups of a review.
const MAX_GROUPS: usize = 5;
/// The most episodes of a group.
const MAX_OF_A_GROUP: usize = 15;

/// Returns the places of the episodes to review, newest first. Episodes of one instant keep their
/// order.
pub fn sources(episodes: &[Source], now: f64) -> Vec<u32> {
    let mut newest: Vec<u32> = (0..episodes.len() as u32).collect();
    sort_descending(&mut newest, |&place| episodes[place as usize].created_at);
    let within = |days: f64| {
        let mut left = [MAX_OF_A_KIND; SOURCES.len()];
        let recent = newest.iter().copied().filter(|&place| {
            let Source { kind, created_at } = episodes[place as usize];
            let taken = left[kind] > 0 && created_at >= now - days * DAY_MS;
            left[kind] -= usize::from(taken);
            taken
        });
        recent.collect::<Vec<u32>>()
    };
    let [days, more_days] = WINDOWS;
    let recent = within(days);
    if recent.len() < ENOUGH { within(more_days) } else { recent }
}

/// Episodes grouped by symbol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The number of groups with enough episodes.
    pub found: usize,
    /// The groups to analyse: the symbol, and the places of its newest episodes.
    pub chosen: Vec<(u32, Vec<u32>)>,
}

/// Groups episodes by symbol. `symbols` holds the symbol of each episode, newest first; symbols are
/// numbered by first occurrence. The largest groups come first, of equal ones the one with the
/// newest episode.
pub fn groups(symbols: &[u32]) -> Groups {
    let count = symbols.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (place, &symbol) in (0..).zip(symbols) {
        members[symbol as usize].push(place);
    }
    let mut large: Vec<u32> =
        (0..count as u32).filter(|&symbol| members[symbol as usize].len() >= FEWEST).collect();
    sort_descending(&mut large, |&symbol| members[symbol as usize].len() as f64);
    let found = large.len();
    let newest =
        |symbol: u32| members[symbol as usize].iter().copied().take(MAX_OF_A_GROUP).collect();
    Groups {
        found,
        chosen: large.into_iter().take(MAX_GROUPS).map(|symbol| (symbol, newest(symbol))).collect(),
    }
}
