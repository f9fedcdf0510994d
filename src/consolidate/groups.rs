//! Which episodes are reviewed, and which of them belong together.

use crate::check::DAY_MS;
use crate::order::sort_descending;

/// The subtypes of episodes that knowledge is made of.
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

/// The most episodes of each kind.
const MOST_OF_A_KIND: usize = 50;
/// Days that are looked back, and days where these hold too little.
const WINDOWS: [f64; 2] = [14.0, 30.0];
/// Episodes that are not too little.
const ENOUGH: usize = 8;
/// The fewest episodes that make a group.
const FEWEST: usize = 3;
/// The most groups of a review.
const MOST_GROUPS: usize = 5;
/// The most episodes of a group.
const MOST_OF_A_GROUP: usize = 15;

/// The places of the episodes to review, newest first; of the same instant in the order given.
pub fn sources(episodes: &[Source], now: f64) -> Vec<u32> {
    let mut newest: Vec<u32> = (0..episodes.len() as u32).collect();
    sort_descending(&mut newest, |&place| episodes[place as usize].created_at);
    let within = |days: f64| {
        let mut left = [MOST_OF_A_KIND; SOURCES.len()];
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

/// Episodes by what they are about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// How many groups have enough episodes.
    pub found: usize,
    /// Those to analyse: the symbol, and the places of its newest episodes.
    pub chosen: Vec<(u32, Vec<u32>)>,
}

/// Groups episodes, given newest first by their symbols, which are numbered as they were first
/// seen: the largest groups, of equals that with the newest episode.
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
        |symbol: u32| members[symbol as usize].iter().copied().take(MOST_OF_A_GROUP).collect();
    Groups {
        found,
        chosen: large
            .into_iter()
            .take(MOST_GROUPS)
            .map(|symbol| (symbol, newest(symbol)))
            .collect(),
    }
}
