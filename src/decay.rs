//! Decay and growth: retrievability, lifecycle state, stability and difficulty.
//!
//! Retrievability R is the probability that a memory is at hand. After t days without access, R =
//! exp(−t / S) for a stability of S days. Each recall increases S. [`crate::fsrs`] is an
//! alternative curve.

use std::array::from_fn;

use serde::{Deserialize, Serialize};

use crate::check::{DAY_MS, MAX_INSTANT_MS, check_instant};
use crate::error::{Error, Result};
use crate::fsrs::{self, ForgettingCurve, MemoryState, Parameters, Rating};
use crate::math::{F64x2, Mask, exp, exp_pairs};
use crate::salience::NEUTRAL;
use crate::section::{DecayProfile, Section, SectionTable};

/// A forgetting curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Curve {
    /// R = exp(−t / S). At t = S, R is 0.368.
    #[default]
    Exponential,
    /// The power curve of FSRS-6. At t = S, R is 0.9.
    Fsrs6,
}

/// Constants of decay. Those marked "without a section" hold if sections are disabled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayConstants {
    /// Growth rate of stability on recall, without a section.
    pub growth_rate: f64,
    /// The most days of stability, without a section.
    pub max_stability_days: f64,
    /// The retrievability above which a memory without a section is ACTIVE.
    pub active_threshold: f64,
    /// The retrievability above which a memory without a section is WEAK. Below it the edges of a
    /// node are weakened.
    pub weak_threshold: f64,
    /// Dormant days after which a memory of a section becomes COMPRESS.
    pub dormant_days: f64,
    /// Dormant days after which a memory of a section becomes ARCHIVE, and one without a section
    /// COMPRESS.
    pub compress_days: f64,
    /// Dormant days after which a memory without a section becomes ARCHIVE.
    pub archive_days: f64,
    /// Factor for the weight of an edge of a node below the weak threshold.
    pub cascade_factor: f64,
    /// The weight below which an edge is never weakened.
    pub edge_floor: f64,
}

/// The constants.
pub const DECAY: DecayConstants = DecayConstants {
    growth_rate: 2.5,
    max_stability_days: 365.0,
    active_threshold: 0.5,
    weak_threshold: 0.1,
    dormant_days: 60.0,
    compress_days: 120.0,
    archive_days: 240.0,
    cascade_factor: 0.8,
    edge_floor: 0.1,
};

/// The lifecycle state of a memory, from fresh to archived, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Lifecycle {
    /// Retrievability is above the active threshold.
    Active = 0,
    /// Retrievability is between the thresholds.
    Weak = 1,
    /// Below the weak threshold, for a short time.
    Dormant = 2,
    /// Below the weak threshold for long: may be condensed.
    Compress = 3,
    /// Below the weak threshold for very long: archived.
    Archive = 4,
}

impl Lifecycle {
    /// All states in order. The code of a state is its place here.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Weak, Self::Dormant, Self::Compress, Self::Archive];

    /// Returns the name in data, such as `ACTIVE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Weak => "WEAK",
            Self::Dormant => "DORMANT",
            Self::Compress => "COMPRESS",
            Self::Archive => "ARCHIVE",
        }
    }
}

/// Returns the retrievability in [0, 1] after `days` without access: exp(−days / stability), or 0
/// if the stability is 0 or less.
pub fn retrievability(days: f64, stability: f64) -> f64 {
    if stability <= 0.0 { 0.0 } else { exp(-days / stability) }
}

/// [`retrievability`] on the chosen curve.
pub fn retrievability_on(curve: Curve, days: f64, stability: f64) -> f64 {
    match curve {
        Curve::Exponential => retrievability(days, stability),
        Curve::Fsrs6 => fsrs_curve().retrievability(days, stability),
    }
}

fn fsrs_curve() -> ForgettingCurve {
    ForgettingCurve::new(&Parameters::PUBLISHED)
}

/// Returns the days without access at `now`, fractions included. An access in the future counts as
/// one at `now`.
pub fn days_without_access(last_accessed: f64, now: f64) -> f64 {
    let days = (now - last_accessed) / DAY_MS;
    if days > 0.0 { days } else { 0.0 }
}

/// Returns the lifecycle state of a memory without a section: thresholds 0.5 and 0.1. Below 0.1 it
/// is DORMANT until 120 dormant days, then COMPRESS until 240, then ARCHIVE.
pub fn lifecycle(retrievability: f64, days_dormant: f64) -> Lifecycle {
    let limits =
        [DECAY.active_threshold, DECAY.weak_threshold, DECAY.compress_days, DECAY.archive_days];
    state(retrievability, days_dormant, limits)
}

/// Returns the lifecycle state of a memory by the thresholds of its section. Below the weak one it
/// is DORMANT until 60 dormant days, then COMPRESS until 120, then ARCHIVE.
pub fn lifecycle_for_section(
    retrievability: f64,
    days_dormant: f64,
    decay: &DecayProfile,
) -> Lifecycle {
    let limits =
        [decay.active_threshold, decay.weak_threshold, DECAY.dormant_days, DECAY.compress_days];
    state(retrievability, days_dormant, limits)
}

fn state(r: f64, days_dormant: f64, [active, weak, dormant, compress]: [f64; 4]) -> Lifecycle {
    if r > active {
        Lifecycle::Active
    } else if r > weak {
        Lifecycle::Weak
    } else if days_dormant < dormant {
        Lifecycle::Dormant
    } else if days_dormant < compress {
        Lifecycle::Compress
    } else {
        Lifecycle::Archive
    }
}

/// The share of the growth that the hardest memory loses.
const DIFFICULTY_DAMPING: f64 = 0.5;
/// The weight of salience's distance from neutral in the growth.
const SALIENCE_WEIGHT: f64 = 0.5;

/// Returns the factor of growth for a salience in [0, 1]: from 0.75 to 1.25, and 1 at [`NEUTRAL`].
fn emphasis(salience: f64) -> f64 {
    1.0 + (salience - NEUTRAL) * SALIENCE_WEIGHT
}

fn grow(stability: f64, difficulty: f64, salience: f64, rate: f64, max: f64) -> f64 {
    at_most(stability * rate * (1.0 - difficulty * DIFFICULTY_DAMPING) * emphasis(salience), max)
}

/// Returns the stability in days after a recall without a section: min(S · 2.5 · (1 − difficulty ·
/// 0.5) · (1 + (salience − 0.5) · 0.5), 365). A salience of [`NEUTRAL`] has no effect.
pub fn stability_on_access(stability: f64, difficulty: f64, salience: f64) -> f64 {
    grow(stability, difficulty, salience, DECAY.growth_rate, DECAY.max_stability_days)
}

/// [`stability_on_access`] with the growth rate and the cap of a section.
pub fn stability_on_access_for_section(
    stability: f64,
    difficulty: f64,
    salience: f64,
    decay: &DecayProfile,
) -> f64 {
    grow(stability, difficulty, salience, decay.growth_rate, decay.max_stability_days)
}

/// Returns the stability in days after a recall on the FSRS-6 curve, at most `most`: the stability
/// after a recall rated Good at this `retrievability`. Difficulty in [0, 1] is mapped to FSRS's 1
/// to 10. A stability below FSRS's least, including 0, grows from that least. Salience scales the
/// increase of S like a rating. The increase is never negative.
pub fn fsrs_stability_on_access(
    stability: f64,
    difficulty: f64,
    salience: f64,
    retrievability: f64,
    max: f64,
) -> f64 {
    let (easiest, hardest) = (fsrs::DIFFICULTY_RANGE.start(), fsrs::DIFFICULTY_RANGE.end());
    let min = *fsrs::STABILITY_RANGE.start();
    let stability = if stability < min { min } else { stability };
    let state = MemoryState { stability, difficulty: easiest + difficulty * (hardest - easiest) };
    let weight = emphasis(salience);
    let grown = fsrs::stability_after_weighted_recall(
        state,
        retrievability,
        Rating::Good,
        weight,
        &Parameters::PUBLISHED,
    );
    at_most(grown, max)
}

/// Returns the weight of an edge of a node with this retrievability: unchanged for R ≥ 0.1, else
/// max(weight · 0.8, 0.1).
pub fn cascade(edge_weight: f64, retrievability: f64) -> f64 {
    if retrievability >= DECAY.weak_threshold {
        return edge_weight;
    }
    let weakened = edge_weight * DECAY.cascade_factor;
    if weakened < DECAY.edge_floor { DECAY.edge_floor } else { weakened }
}

/// The type of a node, for its initial stability and difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AlgorithmType {
    /// A person.
    Person = 0,
    /// A fact, such as a lesson, a trade or a signal.
    Fact = 1,
    /// An idea. The default.
    Concept = 2,
    /// An event.
    Event = 3,
    /// A note, such as the summary of a session.
    Note = 4,
    /// A document.
    Document = 5,
    /// A preference of the user.
    Preference = 6,
}

impl AlgorithmType {
    /// All types. The code of a type is its place here.
    pub const ALL: [Self; 7] = {
        use AlgorithmType::*;
        [Person, Fact, Concept, Event, Note, Document, Preference]
    };

    /// Returns the name in data, such as `concept`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Fact => "fact",
            Self::Concept => "concept",
            Self::Event => "event",
            Self::Note => "note",
            Self::Document => "document",
            Self::Preference => "preference",
        }
    }

    /// Returns the type of a node: by its subtype, with or without `custom:`, else by its node
    /// type, else Concept.
    pub fn of(subtype: Option<&str>, node_type: Option<&str>) -> Self {
        let subtype = subtype.unwrap_or_default();
        match subtype.strip_prefix("custom:").unwrap_or(subtype) {
            "watchpoint" | "curiosity" | "thesis" | "trade_entry" | "trade_close"
            | "trade_modify" => Self::Concept,
            "lesson" | "trade" | "signal" => Self::Fact,
            "market_event" | "turn_summary" => Self::Event,
            "preference" => Self::Preference,
            "session_summary" => Self::Note,
            _ => match node_type.unwrap_or_default() {
                "episode" => Self::Event,
                "person" => Self::Person,
                "document" => Self::Document,
                "note" => Self::Note,
                _ => Self::Concept,
            },
        }
    }
}

/// Returns the initial stability of a node without a section, in days; 14 for an unknown type.
pub fn initial_stability(node_type: Option<AlgorithmType>) -> f64 {
    match node_type {
        Some(AlgorithmType::Person) | None => 14.0,
        Some(AlgorithmType::Fact | AlgorithmType::Document) => 7.0,
        Some(AlgorithmType::Concept) => 21.0,
        Some(AlgorithmType::Event) => 10.0,
        Some(AlgorithmType::Note) => 30.0,
        Some(AlgorithmType::Preference) => 45.0,
    }
}

/// Returns the initial difficulty of a type, in [0, 1]; 0.3 for an unknown type.
pub fn initial_difficulty(node_type: Option<AlgorithmType>) -> f64 {
    match node_type {
        Some(AlgorithmType::Person | AlgorithmType::Note) => 0.2,
        Some(AlgorithmType::Fact | AlgorithmType::Event) | None => 0.3,
        Some(AlgorithmType::Concept) => 0.4,
        Some(AlgorithmType::Document) => 0.5,
        Some(AlgorithmType::Preference) => 0.1,
    }
}

/// The body length in UTF-16 units from which more length adds no difficulty.
const LONG_BODY: f64 = 5000.0;
/// The difficulty that the longest body adds.
const LENGTH_DIFFICULTY: f64 = 0.15;
/// The difficulty that type Concept adds.
const CONCEPT_DIFFICULTY: f64 = 0.1;
/// The number of edges from which more edges reduce difficulty no further.
const MANY_EDGES: f64 = 40.0;
/// The difficulty that this many edges take away.
const EDGE_RELIEF: f64 = 0.15;

/// Returns the difficulty in [0, 1] of a new node: initial + min(length / 5000, 1) · 0.15 + (0.1
/// for a concept) − min(edges / 40, 1) · 0.15, clamped. `content_length` counts the body's UTF-16
/// units.
pub fn difficulty(node_type: Option<AlgorithmType>, content_length: f64, edge_count: f64) -> f64 {
    let concept = if node_type == Some(AlgorithmType::Concept) { CONCEPT_DIFFICULTY } else { 0.0 };
    let difficulty = initial_difficulty(node_type)
        + at_most(content_length / LONG_BODY, 1.0) * LENGTH_DIFFICULTY
        + concept
        - at_most(edge_count / MANY_EDGES, 1.0) * EDGE_RELIEF;
    let difficulty = at_most(difficulty, 1.0);
    if difficulty <= 0.0 { 0.0 } else { difficulty }
}

/// Returns min(value, most). NaN on either side gives NaN, as in JavaScript.
fn at_most(value: f64, max: f64) -> f64 {
    if value <= max || value.is_nan() { value } else { max }
}

/// Nodes as columns of one length.
#[derive(Clone, Copy, Debug)]
pub struct DecayColumns<'a> {
    /// Last accesses, in milliseconds since 1970.
    pub last_accessed: &'a [f64],
    /// Stabilities in days. 0 or less gives a retrievability of 0.
    pub stability: &'a [f64],
    /// Section codes.
    pub section: &'a [u8],
}

/// Computes the retrievability and the lifecycle code of every node at `now`.
///
/// Dormant days are the days without access if R is below the section's weak threshold, else 0.
///
/// # Errors
/// `invalid_argument` with field and index for an instant or a stability that is not finite or out
/// of range, and for an unknown section code.
///
/// # Panics
/// If columns or outputs differ in length.
pub fn decay_columns(
    columns: DecayColumns<'_>,
    now: f64,
    table: &SectionTable,
    curve: Curve,
    retrievability: &mut [f64],
    lifecycle: &mut [u8],
) -> Result<()> {
    let DecayColumns { last_accessed, stability, section } = columns;
    let nodes = last_accessed.len();
    let lengths = [stability.len(), section.len(), retrievability.len(), lifecycle.len()];
    assert!(lengths.iter().all(|&length| length == nodes), "columns of one length");
    check_instant("now", now)?;
    check_columns(columns)?;
    fade(columns, now, &Limits::of(table), curve, retrievability, lifecycle);
    Ok(())
}

/// [`decay_columns`] for columns that are in range.
pub(crate) fn fade(
    columns: DecayColumns<'_>,
    now: f64,
    limits: &Limits,
    curve: Curve,
    retrievability: &mut [f64],
    lifecycle: &mut [u8],
) {
    let DecayColumns { last_accessed, stability, section } = columns;
    let nodes = last_accessed.len();
    let one_by_one =
        |curve: &dyn Fn(f64, f64) -> f64, from: usize, r: &mut [f64], states: &mut [u8]| {
            for index in from..nodes {
                let days = days_without_access(last_accessed[index], now);
                r[index] = curve(days, stability[index]);
                states[index] = limits.state(r[index], days, section[index]);
            }
        };
    match curve {
        Curve::Exponential => {
            let done = exponential_blocks(columns, now, limits, retrievability, lifecycle);
            one_by_one(&self::retrievability, done, retrievability, lifecycle);
        }
        Curve::Fsrs6 => {
            let curve = fsrs_curve();
            one_by_one(
                &|days, stability| curve.retrievability(days, stability),
                0,
                retrievability,
                lifecycle,
            );
        }
    }
}

/// The thresholds of each section, by code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    active: [f64; 4],
    weak: [f64; 4],
}

impl Limits {
    pub(crate) fn of(table: &SectionTable) -> Self {
        Self {
            active: Section::ALL.map(|section| table.profile(section).decay.active_threshold),
            weak: Section::ALL.map(|section| table.profile(section).decay.weak_threshold),
        }
    }

    fn state(&self, r: f64, days: f64, section: u8) -> u8 {
        let (active, weak) =
            (self.active[usize::from(section & 3)], self.weak[usize::from(section & 3)]);
        let days_dormant = if r < weak { days } else { 0.0 };
        state(r, days_dormant, [active, weak, DECAY.dormant_days, DECAY.compress_days]) as u8
    }

    /// Returns for two nodes the conditions that hold. The number of conditions that hold is the
    /// code of the state. Counting replaces branches, because states are unpredictable.
    #[inline(always)]
    fn passed(&self, r: F64x2, minus_days: F64x2, sections: [u8; 2]) -> [Mask; 4] {
        let [first, second] = sections.map(|section| usize::from(section & 3));
        let active = F64x2::new(self.active[first], self.active[second]);
        let weak = F64x2::new(self.weak[first], self.weak[second]);
        let dormant = r.below(weak);
        [
            r.at_most(active),
            r.at_most(weak),
            dormant.and(minus_days.at_most(F64x2::splat(-DECAY.dormant_days))),
            dormant.and(minus_days.at_most(F64x2::splat(-DECAY.compress_days))),
        ]
    }
}

/// The number of pairs that go through exp together.
const PAIRS: usize = 4;
const BLOCK: usize = 2 * PAIRS;

/// Computes exp(−t / S) and the states down the columns, in lanes. Returns the number of nodes
/// done: all but less than a block.
fn exponential_blocks(
    columns: DecayColumns<'_>,
    now: f64,
    limits: &Limits,
    retrievability: &mut [f64],
    lifecycle: &mut [u8],
) -> usize {
    let (last_accessed, _) = columns.last_accessed.as_chunks::<BLOCK>();
    let (stability, _) = columns.stability.as_chunks::<BLOCK>();
    let (section, _) = columns.section.as_chunks::<BLOCK>();
    let (retrievability, _) = retrievability.as_chunks_mut::<BLOCK>();
    let (lifecycle, _) = lifecycle.as_chunks_mut::<BLOCK>();
    let (now, day) = (F64x2::splat(now), F64x2::splat(DAY_MS));
    let inputs = last_accessed.iter().zip(stability).zip(section);
    for (((last, stability), section), (r, states)) in
        inputs.zip(retrievability.iter_mut().zip(lifecycle))
    {
        let last = load(last);
        let stability = load(stability);
        let minus_days: [F64x2; PAIRS] = from_fn(|i| {
            let minus_days = (last[i] - now) / day;
            minus_days.where_at_most(minus_days, 0.0)
        });
        // A stability of 0 or less would take exp's slow path. R is set to 0 below.
        let exponents = from_fn(|i| (minus_days[i] / stability[i]).where_above(stability[i], 0.0));
        let powers: [F64x2; PAIRS] = exp_pairs(exponents);
        let (r_pairs, _) = r.as_chunks_mut::<2>();
        let (section_pairs, _) = section.as_chunks::<2>();
        *states = Mask::counts(from_fn(|i| {
            let r = powers[i].where_above(stability[i], 0.0);
            r.store(&mut r_pairs[i]);
            limits.passed(r, minus_days[i], section_pairs[i])
        }));
    }
    last_accessed.len() * BLOCK
}

#[inline(always)]
fn load(block: &[f64; BLOCK]) -> [F64x2; PAIRS] {
    from_fn(|i| F64x2::new(block[2 * i], block[2 * i + 1]))
}

/// Whether all numbers of a column are within `bound` of 0. False for NaN.
fn all_within(column: &[f64], bound: f64) -> bool {
    let (pairs, rest) = column.as_chunks::<2>();
    let (low, high) = (F64x2::splat(-bound), F64x2::splat(bound));
    let none = F64x2::splat(0.0);
    let sound = pairs
        .iter()
        .fold(none.equals(none), |sound, pair| sound.and(F64x2::load(pair).lies_in(low, high)));
    sound.all() && rest.iter().all(|value| value.abs() <= bound)
}

fn check_columns(columns: DecayColumns<'_>) -> Result<()> {
    let DecayColumns { last_accessed, stability, section } = columns;
    // Checks whole columns first, without a branch for each entry, and looks for the entry only if
    // there is a fault. No valid code has a bit above those of the last one.
    let sound = all_within(last_accessed, MAX_INSTANT_MS)
        && all_within(stability, f64::MAX)
        && usize::from(section.iter().fold(0, |bits, &code| bits | code)) < Section::ALL.len();
    if sound {
        return Ok(());
    }
    let fault = |field: &str, index: usize, wanted: &str, value: f64| {
        Error::argument(field, wanted).found(value).at(index)
    };
    for index in 0..last_accessed.len() {
        check_instant("last_accessed", last_accessed[index]).map_err(|error| error.at(index))?;
        if !stability[index].is_finite() {
            return Err(fault(
                "stability",
                index,
                "must be a finite number of days",
                stability[index],
            ));
        }
        if usize::from(section[index]) >= Section::ALL.len() {
            return Err(fault(
                "section",
                index,
                "must be a section code from 0 to 3",
                f64::from(section[index]),
            ));
        }
    }
    Ok(())
}
