//! Finds conditions under which trades were won more or less often than the others of their group.
//!
//! Every condition that splits a group in two is tested. The p values of all groups together become
//! q values, which bound the rate of false discoveries.

use serde::Serialize;
use xxhash_rust::xxh64::xxh64;

use super::conditions::{FUNDING, HOURS, WEEKDAYS, funding, hours, weekday};
use super::statistics::{Counts, q_values};
use crate::order::sort_descending;

/// The least number of trades on either side of a split.
const FEWEST_TRADES: usize = 5;
/// The largest rate of false discoveries among the kept patterns.
const FALSE_DISCOVERY_RATE: f64 = 0.1;

/// The record from which a pattern makes a playbook.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaybookRule {
    /// The least number of trades.
    pub trades: u32,
    /// The least share of won trades.
    pub rate: f64,
}

/// The rule. It holds for patterns of statistics and of language models.
pub const PLAYBOOK_RULE: PlaybookRule = PlaybookRule { trades: 8, rate: 0.7 };

/// The first number of a named condition. Lower numbers are weekdays, hours and funding, in their
/// order. The caller numbers the others.
pub const FIRST_NAMED: u32 = (WEEKDAYS.len() + HOURS.len() + FUNDING.len()) as u32;

/// A closed trade.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trade {
    /// The number of the group that it is compared in.
    pub symbol: u32,
    /// The time of closing, in milliseconds since 1970.
    pub closed_at: f64,
    /// The return in percent, in the direction of the trade.
    pub return_pct: f64,
    /// Whether the trade is marked as flat, for example because of fees. A flat trade is not won.
    pub flat: bool,
    /// The conditions at entry, by number. Their first occurrences decide the order of patterns.
    pub conditions: Vec<u32>,
}

impl Trade {
    fn won(&self) -> bool {
        self.return_pct > 0.0 && !self.flat
    }
}

/// Returns the conditions of an entry's instant and funding rate (in percent an hour).
pub fn bands(entered_at: Option<f64>, funding_rate: Option<f64>) -> impl Iterator<Item = u32> {
    let after_weekdays = WEEKDAYS.len();
    let after_hours = after_weekdays + HOURS.len();
    let of_time = entered_at.map(|instant| [weekday(instant), after_weekdays + hours(instant)]);
    let of_funding = funding_rate.map(|rate| after_hours + funding(rate));
    of_time.into_iter().flatten().chain(of_funding).map(|place| place as u32)
}

/// A split of a group that was tested, with all numbers of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// The group.
    pub symbol: u32,
    /// The conditions that hold for exactly these trades, by first occurrence.
    pub conditions: Vec<u32>,
    /// The conditions that hold for exactly the other trades.
    pub opposite: Vec<u32>,
    /// The places of the trades, by the time of closing.
    pub trades: Vec<u32>,
    /// The won trades among these and among the others.
    pub counts: Counts,
    /// The mean return of the trades, in percent.
    pub mean_return_pct: f64,
    /// See [`Counts::p_value`].
    pub p_value: f64,
    /// See [`q_values`].
    pub q_value: f64,
}

impl Tested {
    /// Returns the share of these trades that were won.
    pub fn rate(&self) -> f64 {
        f64::from(self.counts.wins) / f64::from(self.counts.n)
    }

    /// Returns the share of the other trades that were won.
    pub fn rest_rate(&self) -> f64 {
        f64::from(self.counts.rest_wins) / f64::from(self.counts.rest_n)
    }

    /// Returns the rate as a multiple of the others' rate, or `None` if no other trade was won.
    pub fn lift(&self) -> Option<f64> {
        (self.counts.rest_wins > 0).then(|| self.rate() / self.rest_rate())
    }

    /// Whether the q value is low enough to keep the pattern.
    pub fn kept(&self) -> bool {
        self.q_value <= FALSE_DISCOVERY_RATE
    }

    /// Whether the record of a pattern with a trigger and a direction makes a playbook.
    pub fn is_playable(&self) -> bool {
        let PlaybookRule { trades, rate } = PLAYBOOK_RULE;
        self.counts.n >= trades && self.rate() >= rate && self.rate() > self.rest_rate()
    }
}

/// Tests every split of every group. Returns the splits by group and then by condition, both in the
/// order of their first occurrence in closed trades.
///
/// Each split of a group in two is one test, reported for the smaller side: longs against shorts is
/// the same test as shorts against longs. Conditions that hold for exactly the same trades share
/// one test.
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

/// Returns the groups by first occurrence, each with its trades in order.
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

/// Trades of a group, as places in it, and the conditions that hold for exactly these.
struct Split {
    conditions: Vec<u32>,
    /// The conditions that hold for exactly the other trades.
    opposite: Vec<u32>,
    places: Vec<u32>,
}

impl Split {
    /// Merges another split of the same trades, or of exactly the other trades. In the second case
    /// the smaller side stays. One of the two splits is left empty.
    fn settle(&mut self, other: &mut Self, size: usize) {
        if self.places == other.places {
            self.conditions.append(&mut other.conditions);
            other.places.clear();
        } else if self.is_opposite(other, size) {
            let (kept, absorbed) =
                if other.places.len() < self.places.len() { (other, self) } else { (self, other) };
            kept.opposite.append(&mut absorbed.conditions);
            absorbed.places.clear();
        }
    }

    fn is_opposite(&self, other: &Self, size: usize) -> bool {
        let apart = || self.places.iter().all(|place| other.places.binary_search(place).is_err());
        self.places.len() + other.places.len() == size && apart()
    }
}

/// Numbers the conditions of each group in turn.
#[derive(Default)]
struct Conditions {
    /// For each condition its number in a group, and that group.
    numbers: Vec<(u32, u32)>,
    group: u32,
}

impl Conditions {
    /// Returns every condition of a group by first occurrence, with the trades for which it holds.
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

/// Returns the splits with enough trades on both sides, each split once.
fn divide(mut splits: Vec<Split>, size: usize) -> Vec<Split> {
    splits.retain(|split| {
        split.places.len() >= FEWEST_TRADES && size - split.places.len() >= FEWEST_TRADES
    });
    // Equal splits have equal marks, so only splits of one mark are compared.
    let all = sum_of_marks(0..size as u32);
    let mark = |split: &Split| {
        let sum = sum_of_marks(split.places.iter().copied());
        let mark = if split.places[0] == 0 { sum } else { all.wrapping_sub(sum) };
        // Keeps the number of bits that a double holds.
        mark >> (u64::BITS - f64::MANTISSA_DIGITS)
    };
    let mut marked: Vec<(u64, u32)> = splits.iter().map(mark).zip(0..).collect();
    sort_descending(&mut marked, |&(mark, _)| mark as f64);
    for alike in marked.chunk_by(|a, b| a.0 == b.0) {
        // The splits of this mark that no other has absorbed: one, unless different splits share a
        // mark.
        let mut kept: Vec<u32> = Vec::new();
        for &(_, next) in alike {
            kept.retain(|&first| {
                if let Ok([first, next]) = splits.get_disjoint_mut([first as usize, next as usize])
                {
                    first.settle(next, size);
                }
                !splits[first as usize].places.is_empty()
            });
            if !splits[next as usize].places.is_empty() {
                kept.push(next);
            }
        }
    }
    splits.retain(|split| !split.places.is_empty());
    splits
}

/// Returns a hash of a set of places: the sum of the hashes of its members.
fn sum_of_marks(places: impl Iterator<Item = u32>) -> u64 {
    places.fold(0, |sum: u64, place| sum.wrapping_add(xxh64(&place.to_le_bytes(), 0)))
}

/// Tests a split of a group.
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
        // Each return is divided before it is added, so that the sum does not overflow.
        mean_return_pct: chosen
            .iter()
            .fold(0.0, |sum, &place| sum + trade(place).return_pct / f64::from(n)),
        p_value: counts.p_value(),
        q_value: 1.0,
        trades: chosen,
    }
}
