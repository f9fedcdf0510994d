//! Under which conditions trades were won more often, or less, than the others of their group.

use serde::Serialize;
use xxhash_rust::xxh64::xxh64;

use super::conditions::{FUNDING, HOURS, WEEKDAYS, funding, hours, weekday};
use super::statistics::{Counts, q_values};
use crate::order::sort_descending;

/// The fewest trades on either side of a split.
const FEWEST_TRADES: usize = 5;
/// What share of all that is told may be false, on average.
const FALSE_DISCOVERY_RATE: f64 = 0.1;

/// From what record on a pattern is a way to act, and makes a playbook.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaybookRule {
    /// The fewest trades.
    pub trades: u32,
    /// The least share of them that was won.
    pub rate: f64,
}

/// The rule, for statistics and language models alike.
pub const PLAYBOOK_RULE: PlaybookRule = PlaybookRule { trades: 8, rate: 0.7 };

/// Conditions are numbered: weekdays, hours and funding first, in their order, and from here on as
/// whoever reads the memories likes.
pub const FIRST_NAMED: u32 = (WEEKDAYS.len() + HOURS.len() + FUNDING.len()) as u32;

/// A trade that has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trade {
    /// The group that it is compared in, numbered.
    pub symbol: u32,
    /// When it was closed, in milliseconds since 1970.
    pub closed_at: f64,
    /// In percent, in the direction of the trade.
    pub return_pct: f64,
    /// Whether it calls itself flat, as one does that fees ate up: it was not won then.
    pub flat: bool,
    /// What was known of it when it was entered, in an order of which the first sight tells.
    pub conditions: Vec<u32>,
}

impl Trade {
    fn won(&self) -> bool {
        self.return_pct > 0.0 && !self.flat
    }
}

/// The conditions that an entry's instant and funding rate (in percent an hour) come to.
pub fn bands(entered_at: Option<f64>, funding_rate: Option<f64>) -> impl Iterator<Item = u32> {
    let after_weekdays = WEEKDAYS.len();
    let after_hours = after_weekdays + HOURS.len();
    let of_time = entered_at.map(|instant| [weekday(instant), after_weekdays + hours(instant)]);
    let of_funding = funding_rate.map(|rate| after_hours + funding(rate));
    of_time.into_iter().flatten().chain(of_funding).map(|place| place as u32)
}

/// A way to divide the trades of a group that was tested, with every number that the test rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// The group.
    pub symbol: u32,
    /// What holds for these trades and no others, as first seen.
    pub conditions: Vec<u32>,
    /// What holds for all others and none of these.
    pub opposite: Vec<u32>,
    /// Their places, by the time they were closed.
    pub trades: Vec<u32>,
    /// How many were won, of these and of the rest.
    pub counts: Counts,
    /// In percent.
    pub mean_return_pct: f64,
    /// See [`Counts::p_value`].
    pub p_value: f64,
    /// See [`q_values`].
    pub q_value: f64,
}

impl Tested {
    /// Share of trades won.
    pub fn rate(&self) -> f64 {
        f64::from(self.counts.wins) / f64::from(self.counts.n)
    }

    /// Share of the others that were won.
    pub fn rest_rate(&self) -> f64 {
        f64::from(self.counts.rest_wins) / f64::from(self.counts.rest_n)
    }

    /// How many times as often these were won; none where the others never were.
    pub fn lift(&self) -> Option<f64> {
        (self.counts.rest_wins > 0).then(|| self.rate() / self.rest_rate())
    }

    /// Whether the q value is low enough for the pattern to be told.
    pub fn kept(&self) -> bool {
        self.q_value <= FALSE_DISCOVERY_RATE
    }

    /// Whether its record makes a playbook of a pattern with a trigger and a direction.
    pub fn is_playable(&self) -> bool {
        let PlaybookRule { trades, rate } = PLAYBOOK_RULE;
        self.counts.n >= trades && self.rate() >= rate && self.rate() > self.rest_rate()
    }
}

/// All that can be tested, of all groups together: by group and then by condition, both as they are
/// first seen while trades are closed. Each way of dividing a group in two is one test, asked of
/// the smaller side: longs against shorts is the same question as shorts against longs, and what
/// holds for the very same trades is told together.
pub fn find_patterns(trades: &[Trade]) -> Vec<Tested> {
    let mut by_time: Vec<u32> = (0..trades.len() as u32).collect();
    sort_descending(&mut by_time, |&place| -trades[place as usize].closed_at);
    let mut conditions = Conditions::default();
    let mut tested: Vec<Tested> = Vec::new();
    for group in by_symbol(trades, &by_time) {
        let splits = divide(conditions.of(trades, &group), group.len());
        tested.extend(splits.into_iter().map(|split| test(split, trades, &group)));
    }
    let p_values: Vec<f64> = tested.iter().map(|it| it.p_value).collect();
    for (it, q_value) in tested.iter_mut().zip(q_values(&p_values)) {
        it.q_value = q_value;
    }
    tested
}

/// The groups as they are first seen, each with its trades in order.
fn by_symbol(trades: &[Trade], order: &[u32]) -> Vec<Vec<u32>> {
    let count = trades.iter().map(|trade| trade.symbol as usize + 1).max().unwrap_or(0);
    let mut group_of: Vec<Option<usize>> = vec![None; count];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &place in order {
        let group = *group_of[trades[place as usize].symbol as usize].get_or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
    }
    groups
}

/// Some of a group's trades, by their places in it, and what they have in common.
struct Split {
    conditions: Vec<u32>,
    /// What all others have in common.
    opposite: Vec<u32>,
    places: Vec<u32>,
}

impl Split {
    /// Takes over what another says of the very same trades, or of the opposite ones where these
    /// are not fewer; one of the two is left empty.
    fn settle(&mut self, other: &mut Self, size: usize) {
        if self.places == other.places {
            self.conditions.append(&mut other.conditions);
            other.places.clear();
        } else if self.is_opposite(other, size) {
            let (asking, silent) =
                if other.places.len() < self.places.len() { (other, self) } else { (self, other) };
            asking.opposite.append(&mut silent.conditions);
            silent.places.clear();
        }
    }

    fn is_opposite(&self, other: &Self, size: usize) -> bool {
        let apart = || self.places.iter().all(|place| other.places.binary_search(place).is_err());
        self.places.len() + other.places.len() == size && apart()
    }
}

/// Numbers the conditions of one group after the other.
#[derive(Default)]
struct Conditions {
    /// By condition its number in the group, and which group that was.
    numbers: Vec<(u32, u32)>,
    group: u32,
}

impl Conditions {
    /// Every condition of a group as it is first seen, with the trades for which it holds.
    fn of(&mut self, trades: &[Trade], group: &[u32]) -> Vec<Split> {
        self.group += 1;
        let mut found: Vec<Split> = Vec::new();
        for (place, &trade) in (0..).zip(group) {
            for &condition in &trades[trade as usize].conditions {
                if self.numbers.len() <= condition as usize {
                    self.numbers.resize(condition as usize + 1, (0, 0));
                }
                let number = &mut self.numbers[condition as usize];
                if number.1 != self.group {
                    *number = (found.len() as u32, self.group);
                    found.push(Split {
                        conditions: vec![condition],
                        opposite: Vec::new(),
                        places: Vec::new(),
                    });
                }
                let places = &mut found[number.0 as usize].places;
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        found
    }
}

/// Those that divide a group of this size, each way once.
fn divide(mut splits: Vec<Split>, size: usize) -> Vec<Split> {
    splits.retain(|split| {
        split.places.len() >= FEWEST_TRADES && size - split.places.len() >= FEWEST_TRADES
    });
    // What divides the group in the same way has the same mark, so that only those few are
    // compared.
    let all = sum_of_marks(0..size as u32);
    let mark = |split: &Split| {
        let sum = sum_of_marks(split.places.iter().copied());
        let mark = if split.places[0] == 0 { sum } else { all.wrapping_sub(sum) };
        // As many bits as a double holds.
        mark >> (u64::BITS - f64::MANTISSA_DIGITS)
    };
    let mut marked: Vec<(u64, u32)> = splits.iter().map(mark).zip(0..).collect();
    sort_descending(&mut marked, |&(mark, _)| mark as f64);
    for alike in marked.chunk_by(|a, b| a.0 == b.0) {
        // Those of this mark that no other has taken over: one, unless a mark stands for several
        // ways.
        let mut asking: Vec<u32> = Vec::new();
        for &(_, next) in alike {
            asking.retain(|&first| {
                if let Ok([first, next]) = splits.get_disjoint_mut([first as usize, next as usize])
                {
                    first.settle(next, size);
                }
                !splits[first as usize].places.is_empty()
            });
            if !splits[next as usize].places.is_empty() {
                asking.push(next);
            }
        }
    }
    splits.retain(|split| !split.places.is_empty());
    splits
}

/// A sum that tells sets of places from others.
fn sum_of_marks(places: impl Iterator<Item = u32>) -> u64 {
    places.fold(0, |sum: u64, place| sum.wrapping_add(xxh64(&place.to_le_bytes(), 0)))
}

/// Tests what holds for some of a group's trades against the others.
fn test(split: Split, trades: &[Trade], group: &[u32]) -> Tested {
    let trade = |place: u32| &trades[place as usize];
    let won = |places: &[u32]| places.iter().filter(|&&place| trade(place).won()).count() as u32;
    let chosen: Vec<u32> = split.places.iter().map(|&place| group[place as usize]).collect();
    let (n, wins) = (chosen.len() as u32, won(&chosen));
    let counts = Counts { n, wins, rest_n: group.len() as u32 - n, rest_wins: won(group) - wins };
    Tested {
        symbol: trade(group[0]).symbol,
        conditions: split.conditions,
        opposite: split.opposite,
        counts,
        // Divided first, so that no sum grows out of range.
        mean_return_pct: chosen
            .iter()
            .fold(0.0, |sum, &place| sum + trade(place).return_pct / f64::from(n)),
        p_value: counts.p_value(),
        q_value: 1.0,
        trades: chosen,
    }
}
