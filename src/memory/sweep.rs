//! The sweep and its transitions: the retrievability and the lifecycle state that stored nodes
//! should have now.
//!
//! # Idea
//!
//! A node carries the retrievability and the state that its database holds. [`MemoryIndex::decay`]
//! goes over all nodes, recomputes both and returns those that differ. The caller writes its
//! database, and [`MemoryIndex::apply_decay`] stores them.
//!
//! [`MemoryIndex::transitions`] returns the nodes whose state would change, without going over all
//! of them. The curve has an inverse, so the days at which a state ends can be computed. Each row
//! is filed in the [due tree](crate::columns::Due) under a moment before which its state cannot
//! differ from the stored one:
//!
//! ```text
//! ACTIVE    until R passes the active threshold
//! WEAK      until R passes the weak one, from the active one on
//! DORMANT   until R has passed the weak one and 60 days are over
//! COMPRESS  until R has passed the weak one and 120 days are over, from 60 days on
//! ARCHIVE, DELETED   never
//! ```
//!
//! A row whose state may not have begun yet, as far as the clock was looked at, is always due.
//!
//! # Invariants
//!
//! - The forward function, the one that the sweep uses, decides about every row that the tree
//!   returns. So `transitions` never reports a change that a sweep would not, and it needs no exact
//!   inverse.
//! - A row is filed again after every change of its fields, and after every look that did not
//!   change its state. A row that does change stays due until the change is stored.
//! - If `now` goes back, all rows are filed again for the earlier moment.
//!
//! # Why a moment is never too late in floating point
//!
//! - Exponential curve: R = e^(−t/S) passes a threshold at t = −S · ln threshold. The computed
//!   power is off by less than one unit in its last place, which moves t/S by less than
//!   [`EXP_ROUNDING`]. The first passing is taken that much earlier, the last one that much later.
//!   Below e^−700 the power loses bits, so the first passing is taken as 700 · S at the latest, and
//!   the last one as 746 · S, from where on the power is 0.
//! - FSRS-6: R is rounded to 8 decimals, so the passing is computed for thresholds that are higher
//!   and lower by [`ROUNDING`].
//! - The logarithm, days and instants are rounded, too. A moment is set one second and a billionth
//!   of the span earlier, which is more than all of that loses.
//! - Moments are whole units of ten seconds, rounded down. Instants outside of what 32 bits hold
//!   (680 years from 1970) become the first or the last moment.
//!
//! # Cost
//!
//! A sweep computes the exponential in lanes, a block of eight nodes at a time, and compares 64
//! nodes without a branch for each: the results are words of bits. `transitions` takes time in
//! proportion to the number of due rows, which is that of the changes.

use core::array::from_fn;
use core::mem::replace;

use super::MemoryIndex;
use crate::check::{DAY_MS, check_instant};
use crate::columns::{ALWAYS, Column, NEVER, Row, StoredState};
use crate::decay::{self, Curve, DECAY, DecayColumns, Lifecycle};
use crate::error::Result;
use crate::fsrs::{ForgettingCurve, Parameters};
use crate::math::{F64x2, Mask, highest_bits};
use crate::section::Section;

/// The largest difference from the stored retrievability that is left as it is.
const TOLERANCE: f64 = 0.001;
/// Retrievability is stored with four decimals.
const DECIMALS: f64 = 10_000.0;

/// The new stored values of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecayChange {
    /// The node.
    pub row: Row,
    /// In [0, 1], rounded to 4 decimals, half to even.
    pub retrievability: f64,
    /// The lifecycle state to store.
    pub state: StoredState,
}

/// A change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The node.
    pub row: Row,
    /// The stored state.
    pub from: StoredState,
    /// The state that a sweep would store.
    pub to: Lifecycle,
}

/// The changes that a sweep proposes, in order of sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The number of nodes looked at: all that are not archived or deleted.
    pub processed: usize,
    /// The rows of nodes whose retrievability differs from the stored one by more than 0.001, or
    /// whose state changes.
    pub rows: Vec<Row>,
    /// Their new retrievabilities, rounded to 4 decimals, half to even.
    pub retrievability: Vec<f64>,
    /// The codes of their new states.
    pub states: Vec<u8>,
    /// The states that change.
    pub transitions: Vec<Transition>,
}

/// The number of rows that go through the curve together, so that their results stay in the nearest
/// cache.
const BATCH: usize = 512;

impl MemoryIndex {
    /// Returns the retrievability and the state of a node at a moment, independent of the stored
    /// values.
    pub(super) fn faded(&self, row: Row, now: f64) -> (f64, Lifecycle) {
        let place = row as usize;
        let days = decay::days_without_access(self.nodes.last_accessed().get(place), now);
        let retrievability =
            decay::retrievability_on(self.curve, days, self.nodes.stability.get(place));
        let profile = &self.table.profile(self.section(row)).decay;
        let days_dormant = if retrievability < profile.weak_threshold { days } else { 0.0 };
        (retrievability, decay::lifecycle_for_section(retrievability, days_dormant, profile))
    }

    /// Looks at every node at `now` and proposes what to store.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` that is not an instant; `out_of_memory`.
    pub fn decay(&mut self, now: f64) -> Result<Sweep> {
        check_instant("now", now)?;
        let sweep = self.sweep(now)?;
        self.swept_at = now;
        Ok(sweep)
    }

    fn sweep(&self, now: f64) -> Result<Sweep> {
        let nodes = &self.nodes;
        let (mut retrievability, mut states) = ([0.0; BATCH], [0; BATCH]);
        let mut sweep = Sweep::default();
        let segments = nodes.last_accessed().segments().iter().zip(nodes.stability.segments());
        let segments = segments.zip(nodes.section.segments());
        let stored = nodes.retrievability.segments().iter().zip(nodes.states().segments());
        let mut row = 0;
        for (((last_accessed, stability), section), (known, from)) in segments.zip(stored) {
            let batches =
                last_accessed.chunks(BATCH).zip(stability.chunks(BATCH)).zip(section.chunks(BATCH));
            let stored = known.chunks(BATCH).zip(from.chunks(BATCH));
            for (((last_accessed, stability), section), (known, from)) in batches.zip(stored) {
                let length = last_accessed.len();
                let (retrievability, states) =
                    (&mut retrievability[..length], &mut states[..length]);
                let columns = DecayColumns { last_accessed, stability, section };
                decay::fade(columns, now, &self.limits, self.curve, retrievability, states);
                if sweep.rows.capacity() - sweep.rows.len() < length {
                    sweep.expect(self.affordable(&sweep, row, length)?);
                }
                sweep.compare(
                    row,
                    FadedColumns { retrievability, states },
                    FadedColumns { retrievability: known, states: from },
                );
                row += length as Row;
            }
        }
        if nodes.is_out_of_order() {
            self.afford_for_now("decay", 2 * sweep.rows.len() * size_of::<DecayChange>())?;
            let mut order: Vec<u32> = (0..sweep.rows.len() as u32).collect();
            nodes.sort_places(&mut order, &|place| sweep.rows[place as usize]);
            let places = || order.iter().map(|&place| place as usize);
            sweep.retrievability = places().map(|place| sweep.retrievability[place]).collect();
            sweep.states = places().map(|place| sweep.states[place]).collect();
            sweep.rows = places().map(|place| sweep.rows[place]).collect();
            let mut order: Vec<u32> = (0..sweep.transitions.len() as u32).collect();
            nodes.sort_places(&mut order, &|place| sweep.transitions[place as usize].row);
            sweep.transitions =
                order.iter().map(|&place| sweep.transitions[place as usize]).collect();
        }
        Ok(sweep)
    }

    /// The number of further changes to reserve room for, at least `length`: the number to expect
    /// if the rows from `row` on change as often as those before it.
    fn affordable(&self, sweep: &Sweep, row: Row, length: usize) -> Result<usize> {
        // A list doubles when it grows, and while it does, the old one still exists.
        // A reported transition takes four more numbers.
        let max = 3
            * (size_of::<Row>() + size_of::<f64>() + size_of::<u8>() + size_of::<Transition>())
            + 4 * size_of::<u32>();
        let found = sweep.rows.len();
        let left = self.nodes.rows() as u64 - u64::from(row);
        let expected = length.max((found as u64 * left / u64::from(row.max(1))) as usize);
        let afford = |more: usize| {
            self.afford_for_now("decay", (found + more).saturating_mul(max)).map(|()| more)
        };
        afford(expected).or_else(|_| afford(length))
    }

    /// Stores new values. Skips rows without a node. Returns the number stored.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a retrievability outside [0, 1]. Then nothing is
    /// stored.
    pub fn apply_decay(&mut self, changes: &[DecayChange]) -> Result<usize> {
        for (index, change) in changes.iter().enumerate() {
            super::check_share("retrievability", Some(change.retrievability))
                .map_err(|error| error.at(index))?;
        }
        self.changes += 1;
        // The sweep looked at every row, so transitions up to its instant are known.
        self.looked_at = self.looked_at.max(replace(&mut self.swept_at, f64::NEG_INFINITY));
        let mut applied = 0;
        for change in changes {
            if !self.nodes.has(change.row) {
                continue;
            }
            self.nodes.retrievability.set(change.row as usize, change.retrievability);
            self.nodes.set_state(change.row, change.state);
            self.refile(change.row);
            applied += 1;
        }
        Ok(applied)
    }

    /// Returns the transitions that [`MemoryIndex::decay`] would propose at `now`, found among the
    /// due rows. The time is proportional to their number, unless `now` is before that of the last
    /// call or of a sweep applied since.
    ///
    /// # Errors
    /// As [`MemoryIndex::decay`].
    pub fn transitions(&mut self, now: f64) -> Result<Vec<Transition>> {
        check_instant("now", now)?;
        if now < self.looked_at {
            self.looked_at = now;
            (0..self.nodes.rows() as Row).for_each(|row| self.refile(row));
        }
        (self.looked_at, self.swept_at) = (now, f64::NEG_INFINITY);
        let branches = self.due.branches_until(moment(now));
        // Rows out of order are sorted by keys of their own.
        let to_sort = if self.nodes.is_out_of_order() { 2 * size_of::<DecayChange>() } else { 0 };
        self.afford_for_now("transitions", branches.max_rows() * (size_of::<Row>() + to_sort))?;
        let mut rows = self.due.rows_under(&branches);
        self.nodes.sort(&mut rows);
        // Copying whole columns of the due rows is faster than reading the fields row by row,
        // because rows are far apart.
        self.afford_for_now(
            "transitions",
            rows.len()
                * (size_of::<Transition>() + 3 * size_of::<f64>() + 2 + 4 * size_of::<u32>()),
        )?;
        let column = |column: &Column<f64>| -> Vec<f64> {
            rows.iter().map(|&row| column.at(row as usize)).collect()
        };
        let (last_accessed, stability) =
            (column(self.nodes.last_accessed()), column(&self.nodes.stability));
        let section: Vec<u8> =
            rows.iter().map(|&row| self.nodes.section.at(row as usize)).collect();
        let columns = DecayColumns {
            last_accessed: &last_accessed,
            stability: &stability,
            section: &section,
        };
        let (mut retrievability, mut states) = (vec![0.0; rows.len()], vec![0; rows.len()]);
        decay::fade(columns, now, &self.limits, self.curve, &mut retrievability, &mut states);
        let mut transitions = Vec::with_capacity(rows.len());
        for (row, state) in rows.into_iter().zip(states) {
            let from = self.nodes.state(row);
            match next_state(from, Lifecycle::ALL[usize::from(state)]) {
                Some(to) => transitions.push(Transition { row, from, to }),
                None => self.refile(row),
            }
        }
        Ok(transitions)
    }

    /// Files a row under the moment before which its state cannot differ from the stored one.
    pub(super) fn refile(&mut self, row: Row) {
        let moment = if self.nodes.has(row) { self.due_moment(row) } else { NEVER };
        self.due.set(row, moment);
    }

    fn due_moment(&self, row: Row) -> u32 {
        let StoredState::Living(state) = self.nodes.state(row) else { return NEVER };
        let last_accessed = self.nodes.last_accessed().get(row as usize);
        let stability = self.nodes.stability.get(row as usize);
        let [active, weak] =
            self.ends[usize::from(self.nodes.section.get(row as usize) & 3)].at(stability);
        // The stored state holds from `from` to `until` days without access, whatever the rounding.
        // A stored DORMANT also holds while ACTIVE or WEAK is computed.
        let (from, until) = match state {
            Lifecycle::Active => (f64::NEG_INFINITY, active.first),
            Lifecycle::Weak => {
                (if active.last > 0.0 { active.last } else { f64::NEG_INFINITY }, weak.first)
            }
            Lifecycle::Dormant => (f64::NEG_INFINITY, weak.first.max(DECAY.dormant_days)),
            Lifecycle::Compress => {
                (weak.last.max(DECAY.dormant_days), weak.first.max(DECAY.compress_days))
            }
            Lifecycle::Archive => return NEVER,
        };
        // The state has ended with the last access: always due.
        if until <= 0.0 {
            return ALWAYS;
        }
        // A row whose state may not have begun at the last look is always due. The slack of a
        // second and a billionth of the span is more than the rounding of instants and days.
        let span = |days: f64| days * DAY_MS;
        let slack = |days: f64| 1_000.0 + span(days).abs() * 1e-9;
        if from != f64::NEG_INFINITY && self.looked_at < last_accessed + span(from) + slack(from) {
            return ALWAYS;
        }
        moment(last_accessed + span(until) - slack(until))
    }
}

impl Sweep {
    /// Returns the changes.
    pub fn changes(&self) -> impl Iterator<Item = DecayChange> {
        let columns = self.rows.iter().zip(&self.retrievability).zip(&self.states);
        columns.map(|((&row, &retrievability), &code)| DecayChange {
            row,
            retrievability,
            state: stored_state(code),
        })
    }

    /// Reserves room for `more` changes. Lists that grow by doubling would be copied several times.
    fn expect(&mut self, more: usize) {
        self.rows.reserve(more);
        self.retrievability.reserve(more);
        self.states.reserve(more);
    }

    /// Compares the computed values of the rows from `first` on with the stored ones. First it
    /// collects the places that change, then it extends each column once.
    fn compare(&mut self, first: Row, faded: FadedColumns<'_>, stored: FadedColumns<'_>) {
        let (mut states, mut changed, mut moved) = ([0_u8; BATCH], [0_u16; BATCH], [0_u16; BATCH]);
        let (mut changes, mut moves, mut processed) = (0, 0, 0);
        let length = stored.states.len();
        for start in (0..length).step_by(WORD) {
            let to = &mut states[start..start + WORD];
            let Some(to) = to.first_chunk_mut() else { break };
            let differences = match (faded.word(start), stored.word(start)) {
                (Some(faded), Some(stored)) => Differences::between(faded, stored, to),
                _ => {
                    // The last word is padded with ARCHIVE, which is not swept.
                    let (mut retrievability, mut codes) =
                        ([[0.0; WORD]; 2], [[Lifecycle::Archive as u8; WORD]; 2]);
                    for (of, from) in [faded, stored].into_iter().enumerate() {
                        retrievability[of][..length - start]
                            .copy_from_slice(&from.retrievability[start..]);
                        codes[of][..length - start].copy_from_slice(&from.states[start..]);
                    }
                    Differences::between(
                        (&retrievability[0], &codes[0]),
                        (&retrievability[1], &codes[1]),
                        to,
                    )
                }
            };
            processed += differences.swept.count_ones() as usize;
            changes += put_places(differences.changed, start as u16, &mut changed[changes..]);
            moves += put_places(differences.moved, start as u16, &mut moved[moves..]);
        }
        self.processed += processed;
        let places = || changed[..changes].iter().map(|&place| usize::from(place));
        self.rows.extend(places().map(|place| first + place as Row));
        self.states.extend(places().map(|place| states[place]));
        let start = self.retrievability.len();
        self.retrievability.extend(places().map(|place| faded.retrievability[place]));
        round_retrievabilities(&mut self.retrievability[start..]);
        self.transitions.extend(moved[..moves].iter().filter_map(|&place| {
            let (from, to) = (stored.states[usize::from(place)], states[usize::from(place)]);
            let StoredState::Living(to) = stored_state(to) else { return None };
            Some(Transition { row: first + Row::from(place), from: stored_state(from), to })
        }));
    }
}

/// Retrievabilities and state codes of some rows.
#[derive(Clone, Copy)]
struct FadedColumns<'a> {
    retrievability: &'a [f64],
    states: &'a [u8],
}

/// The number of rows that are compared together: each is a bit of a word.
const WORD: usize = 64;
type FadedWord<'a> = (&'a [f64; WORD], &'a [u8; WORD]);

impl<'a> FadedColumns<'a> {
    fn word(&self, start: usize) -> Option<FadedWord<'a>> {
        Some((self.retrievability[start..].first_chunk()?, self.states[start..].first_chunk()?))
    }
}

/// For a word of rows: those that are swept, those whose state changes, and those that change at
/// all.
struct Differences {
    swept: u64,
    moved: u64,
    changed: u64,
}

impl Differences {
    /// Writes the new states to `to`. There is no branch per row, because it could not be
    /// predicted.
    #[inline(always)]
    fn between(faded: FadedWord<'_>, stored: FadedWord<'_>, to: &mut [u8; WORD]) -> Self {
        let (mut swept, mut moved) = ([0; WORD], [0; WORD]);
        for place in 0..WORD {
            let from = stored.1[place];
            to[place] = to_state(from, faded.1[place]);
            swept[place] = byte(from < Lifecycle::Archive as u8);
            moved[place] = swept[place] & byte(to[place] != from);
        }
        let [swept, moved] =
            [swept, moved].map(|bytes| word_of(|part| highest_bits(&bytes.as_chunks().0[part])));
        let [low, high] = [-TOLERANCE, TOLERANCE].map(F64x2::splat);
        let near = word_of(|part| {
            let [computed, known] =
                [faded.0, stored.0].map(|column| column.as_chunks::<PART>().0[part].as_chunks().0);
            Mask::bits_of(from_fn(|i| {
                (F64x2::load(&computed[i]) - F64x2::load(&known[i])).lies_in(low, high)
            }))
        });
        Self { swept, moved, changed: moved | (swept & !near) }
    }
}

/// The number of rows whose bits are computed at once.
const PART: usize = 16;

/// Returns a word from the bits of its parts.
#[inline(always)]
fn word_of(bits: impl Fn(usize) -> u16) -> u64 {
    (0..WORD / PART).rev().fold(0, |word, part| word << PART | u64::from(bits(part)))
}

/// Returns a byte with all bits set, or none.
#[inline(always)]
fn byte(holds: bool) -> u8 {
    if holds { u8::MAX } else { 0 }
}

/// Writes the places of a word's bits, counted from `start`. Returns their number.
#[inline(always)]
fn put_places(mut word: u64, start: u16, places: &mut [u16]) -> usize {
    let count = word.count_ones() as usize;
    for place in &mut places[..count] {
        *place = start + word.trailing_zeros() as u16;
        word &= word - 1;
    }
    count
}

/// Returns the code of the state that replaces a stored one if another is computed. DORMANT stays
/// instead of ACTIVE or WEAK, since it may have been set by hand.
#[inline(always)]
fn to_state(from: u8, computed: u8) -> u8 {
    let stays = (from == Lifecycle::Dormant as u8) & (computed < from);
    if stays { from } else { computed }
}

fn stored_state(code: u8) -> StoredState {
    StoredState::from_code(code).unwrap_or(StoredState::Deleted)
}

/// Returns the state that replaces a stored one, or `None` if the stored one stays. DORMANT may
/// have been set by hand, and changes to ACTIVE or WEAK only by a change of the node. ARCHIVE and
/// DELETED are not swept.
fn next_state(from: StoredState, computed: Lifecycle) -> Option<Lifecycle> {
    match from {
        StoredState::Deleted | StoredState::Living(Lifecycle::Archive) => None,
        StoredState::Living(Lifecycle::Dormant) if computed < Lifecycle::Dormant => None,
        StoredState::Living(from) => (computed != from).then_some(computed),
    }
}

/// The unit of the moments in [`Due`], in milliseconds.
const UNIT: f64 = 10_000.0;

/// Returns the moment of an instant: the ten seconds that it lies in, between [`ALWAYS`] and
/// [`NEVER`]. Instants more than 680 years from 1970 have the first or the last moment.
fn moment(instant: f64) -> u32 {
    let moment = (instant / UNIT).floor() + f64::from(1_u32 << 31);
    // NaN converts to 0, which is clamped to the first moment.
    (moment as u32).clamp(ALWAYS + 1, NEVER - 1)
}

/// The times at which the curve passes the thresholds of ACTIVE and WEAK of a section, for a
/// stability of one day.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThresholdTimes {
    active: ThresholdTime,
    weak: ThresholdTime,
}

/// A retrievability is above the threshold before `first` days without access, and below it after
/// `last`. Infinite if it is never passed, or too late to matter.
#[derive(Clone, Copy, Debug)]
struct ThresholdTime {
    first: f64,
    last: f64,
}

/// From here on e^−x loses bits. From `VANISHED` on it is 0.
const VANISHING: f64 = 700.0;
const VANISHED: f64 = 746.0;
/// An upper bound of the change of x that corresponds to rounding e^−x near 1.
const EXP_ROUNDING: f64 = 4e-16;
/// The days, at a stability of one day, beyond which the power curve is not inverted.
const FAR: f64 = 1e12;
/// An upper bound of the error of rounding a retrievability to 8 decimals.
const ROUNDING: f64 = 6e-9;

impl ThresholdTimes {
    /// Returns the times of all sections, by code. For exp(−t / S), t = −S · ln threshold. For
    /// FSRS-6 it is the inverse of the curve at S = 1, for thresholds raised and lowered by the
    /// rounding error.
    pub(super) fn of(memory: &crate::section::SectionTable, curve: Curve) -> [Self; 4] {
        let passing = |threshold: f64| match curve {
            Curve::Exponential => {
                let days = -threshold.ln();
                ThresholdTime {
                    first: (days - EXP_ROUNDING).clamp(0.0, VANISHING),
                    last: match days {
                        ..=VANISHING => days.max(0.0) + EXP_ROUNDING,
                        _ if threshold > 0.0 => VANISHED,
                        _ => f64::INFINITY,
                    },
                }
            }
            Curve::Fsrs6 => {
                let forgetting = ForgettingCurve::new(&Parameters::PUBLISHED);
                let days = |threshold: f64, far: f64| match threshold {
                    0.0.. => Some(forgetting.days_until(threshold, 1.0))
                        .filter(|&days| days <= FAR)
                        .unwrap_or(far)
                        .max(0.0),
                    _ => far,
                };
                ThresholdTime {
                    first: days(threshold + ROUNDING, FAR),
                    last: days(threshold - ROUNDING, f64::INFINITY),
                }
            }
        };
        Section::ALL.map(|section| {
            let profile = &memory.profile(section).decay;
            Self {
                active: passing(profile.active_threshold),
                weak: passing(profile.weak_threshold),
            }
        })
    }

    /// Returns the times for ACTIVE and for WEAK at a stability.
    fn at(&self, stability: f64) -> [ThresholdTime; 2] {
        let stability = stability.max(0.0);
        [self.active, self.weak].map(|ThresholdTime { first, last }| ThresholdTime {
            first: first * stability,
            last: if last == f64::INFINITY { last } else { last * stability },
        })
    }
}

/// The distance from the middle between two decimals below which the product with [`DECIMALS`] does
/// not decide which is nearer.
const CLOSE: f64 = 1e-6;

/// [`round_retrievability`] of each value, two at a time except close to a middle.
fn round_retrievabilities(values: &mut [f64]) {
    let (decimals, close) = (F64x2::splat(DECIMALS), [-CLOSE, CLOSE].map(F64x2::splat));
    let (half, one) = (F64x2::splat(0.5), F64x2::splat(1.0));
    let (pairs, rest) = values.as_chunks_mut::<2>();
    for pair in pairs {
        let scaled = F64x2::load(pair) * decimals;
        let below = scaled.floor();
        let beyond_half = scaled - below - half;
        if beyond_half.lies_in(close[0], close[1]).bits() == 0 {
            ((below + one.where_above(beyond_half, 0.0)) / decimals).store(pair);
        } else {
            *pair = pair.map(round_retrievability);
        }
    }
    rest.iter_mut().for_each(|value| *value = round_retrievability(*value));
}

/// Rounds the exact value to four decimals, half to even.
fn round_retrievability(retrievability: f64) -> f64 {
    let below = (retrievability * DECIMALS).floor();
    // The product is rounded. The products of its two halves are exact, and so is the difference of
    // numbers that are close together.
    let high = f64::from_bits(retrievability.to_bits() & !0x07FF_FFFF);
    let beyond_half = (high * DECIMALS - (below + 0.5)) + (retrievability - high) * DECIMALS;
    let up = beyond_half > 0.0 || (beyond_half == 0.0 && below % 2.0 == 1.0);
    (if up { below + 1.0 } else { below }) / DECIMALS
}
