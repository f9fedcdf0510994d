//! Fading and growth: retrievability, lifecycle, stability, difficulty.
//!
//! Retrievability R is the chance that a memory is still at hand: exp(−t / S) after t days without
//! access at a stability of S days. Each recall lets S grow. FSRS-6 stands beside it as another
//! curve, see [`crate::fsrs`].

use std::array::from_fn;

use serde::Serialize;

use crate::check::{DAY_MS, MAX_INSTANT_MS, check_instant};
use crate::error::{Error, Result};
use crate::fsrs::{self, ForgettingCurve, MemoryState, Parameters, Rating};
use crate::math::{F64x2, Mask, exp, exp_pairs};
use crate::salience::NEUTRAL;
use crate::section::{DecayProfile, Section, SectionTable};
use crate::value::{Value, leaf};

/// A forgetting curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// R = exp(−t / S): at t = S a memory is at 0.368.
    #[default]
    Exponential,
    /// The power curve of FSRS-6: at t = S a memory is at 0.9.
    Fsrs6,
}

leaf!(Curve, "must be exponential or fsrs6", Value::Text(text) => match text.as_str() {
    "exponential" => Some(Curve::Exponential),
    "fsrs6" => Some(Curve::Fsrs6),
    _ => None,
});

/// The numbers of decay that no section changes, and the global ones from before there were
/// sections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayConstants {
    /// Growth on recall without a section.
    pub growth_rate: f64,
    /// Most days of stability without a section.
    pub max_stability_days: f64,
    /// Threshold of ACTIVE without a section.
    pub active_threshold: f64,
    /// Threshold of WEAK without a section; below it an edge of a fading node is weakened.
    pub weak_threshold: f64,
    /// Days dormant from which a section's memory is no longer DORMANT but COMPRESS.
    pub dormant_days: f64,
    /// Days dormant from which a section's memory is ARCHIVE; without a section, COMPRESS.
    pub compress_days: f64,
    /// Days dormant from which a memory without a section is ARCHIVE.
    pub archive_days: f64,
    /// Factor for the weight of an edge of a fading node.
    pub cascade_factor: f64,
    /// Weight below which no cascade takes an edge.
    pub edge_floor: f64,
}

/// The numbers of decay that no section changes.
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

/// Where a memory stands between fresh and put away. The order is that of fading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Lifecycle {
    /// At hand.
    Active = 0,
    /// Fading.
    Weak = 1,
    /// Faded, kept as it is.
    Dormant = 2,
    /// Faded for long: may be condensed.
    Compress = 3,
    /// Put away.
    Archive = 4,
}

impl Lifecycle {
    /// All states in order; a state's place here is its code.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Weak, Self::Dormant, Self::Compress, Self::Archive];

    /// The name used in data, such as `ACTIVE`.
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

/// Chance in [0, 1] that a memory is at hand after `days` without access: exp(−days / stability),
/// and 0 when the stability is not above 0.
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

/// Days without access at `now`, with their fraction; an access in the future counts as one just
/// now.
pub fn days_without_access(last_accessed: f64, now: f64) -> f64 {
    let days = (now - last_accessed) / DAY_MS;
    if days > 0.0 { days } else { 0.0 }
}

/// The state of a memory without a section: thresholds 0.5 and 0.1; below, DORMANT until 120 days
/// dormant, COMPRESS until 240.
pub fn lifecycle(retrievability: f64, days_dormant: f64) -> Lifecycle {
    let limits =
        [DECAY.active_threshold, DECAY.weak_threshold, DECAY.compress_days, DECAY.archive_days];
    state(retrievability, days_dormant, limits)
}

/// The state of a memory by its section's thresholds; below the weak one, DORMANT until 60 days
/// dormant, COMPRESS until 120.
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

/// How much of the growth the hardest memory loses.
const DIFFICULTY_DAMPING: f64 = 0.5;
/// How much growth follows a salience's distance from neutral.
const SALIENCE_WEIGHT: f64 = 0.5;

/// What a salience in [0, 1] multiplies growth by: from 0.75 to 1.25, and 1 at [`NEUTRAL`].
fn emphasis(salience: f64) -> f64 {
    1.0 + (salience - NEUTRAL) * SALIENCE_WEIGHT
}

fn grow(stability: f64, difficulty: f64, salience: f64, rate: f64, most: f64) -> f64 {
    at_most(stability * rate * (1.0 - difficulty * DIFFICULTY_DAMPING) * emphasis(salience), most)
}

/// Stability in days after a recall without a section: min(S · 2.5 · (1 − difficulty · 0.5) · (1 +
/// (salience − 0.5) · 0.5), 365). A salience of [`NEUTRAL`] changes nothing.
pub fn stability_on_access(stability: f64, difficulty: f64, salience: f64) -> f64 {
    grow(stability, difficulty, salience, DECAY.growth_rate, DECAY.max_stability_days)
}

/// [`stability_on_access`] with the section's rate and cap.
pub fn stability_on_access_for_section(
    stability: f64,
    difficulty: f64,
    salience: f64,
    decay: &DecayProfile,
) -> f64 {
    grow(stability, difficulty, salience, decay.growth_rate, decay.max_stability_days)
}

/// Stability in days after a recall on the FSRS-6 curve, at most `most`: what a recall rated Good
/// makes of it when `retrievability` was left. Difficulty in [0, 1] is spread over FSRS's 1 to 10;
/// a stability below FSRS's least, 0 among them, grows from there. Salience counts as a rating
/// does: it weighs what a recall adds to S, which is never less than nothing.
pub fn fsrs_stability_on_access(
    stability: f64,
    difficulty: f64,
    salience: f64,
    retrievability: f64,
    most: f64,
) -> f64 {
    let (easiest, hardest) = (fsrs::DIFFICULTY_RANGE.start(), fsrs::DIFFICULTY_RANGE.end());
    let least = *fsrs::STABILITY_RANGE.start();
    let stability = if stability < least { least } else { stability };
    let state = MemoryState { stability, difficulty: easiest + difficulty * (hardest - easiest) };
    let weight = emphasis(salience);
    let grown = fsrs::stability_after_weighted_recall(
        state,
        retrievability,
        Rating::Good,
        weight,
        &Parameters::PUBLISHED,
    );
    at_most(grown, most)
}

/// Weight of an edge of a fading node: as it was while R ≥ 0.1, else max(weight · 0.8, 0.1).
pub fn cascade(edge_weight: f64, retrievability: f64) -> f64 {
    if retrievability >= DECAY.weak_threshold {
        return edge_weight;
    }
    let weakened = edge_weight * DECAY.cascade_factor;
    if weakened < DECAY.edge_floor { DECAY.edge_floor } else { weakened }
}

/// What kind of thing a node is, for its initial stability and difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AlgorithmType {
    /// A person.
    Person = 0,
    /// A fact, such as a lesson, a trade or a signal.
    Fact = 1,
    /// An idea; the type of a node about which nothing is known.
    Concept = 2,
    /// Something that happened.
    Event = 3,
    /// A note, such as the summary of a session.
    Note = 4,
    /// A document.
    Document = 5,
    /// A preference of the user.
    Preference = 6,
}

impl AlgorithmType {
    /// All types; a type's place here is its code.
    pub const ALL: [Self; 7] = {
        use AlgorithmType::*;
        [Person, Fact, Concept, Event, Note, Document, Preference]
    };

    /// The name used in data, such as `concept`.
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

    /// The type of a node by its subtype, with or without `custom:`, else by its node type, else a
    /// concept.
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

/// Days of stability that a node without a section starts with; 14 for an unknown type.
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

/// Difficulty in [0, 1] that a type starts from; 0.3 for an unknown one.
pub fn initial_difficulty(node_type: Option<AlgorithmType>) -> f64 {
    match node_type {
        Some(AlgorithmType::Person | AlgorithmType::Note) => 0.2,
        Some(AlgorithmType::Fact | AlgorithmType::Event) | None => 0.3,
        Some(AlgorithmType::Concept) => 0.4,
        Some(AlgorithmType::Document) => 0.5,
        Some(AlgorithmType::Preference) => 0.1,
    }
}

/// Body length in UTF-16 units from which length adds no more difficulty.
const LONG_BODY: f64 = 5000.0;
/// What the longest body adds.
const LENGTH_DIFFICULTY: f64 = 0.15;
/// What being a concept adds.
const CONCEPT_DIFFICULTY: f64 = 0.1;
/// Edges from which more edges make nothing easier.
const MANY_EDGES: f64 = 40.0;
/// What that many edges take away.
const EDGE_RELIEF: f64 = 0.15;

/// Difficulty in [0, 1] of a new node: initial + min(length / 5000, 1) · 0.15 + (0.1 for a concept)
/// − min(edges / 40, 1) · 0.15, clamped. `content_length` counts the body's UTF-16 units.
pub fn difficulty(node_type: Option<AlgorithmType>, content_length: f64, edge_count: f64) -> f64 {
    let concept = if node_type == Some(AlgorithmType::Concept) { CONCEPT_DIFFICULTY } else { 0.0 };
    let difficulty = initial_difficulty(node_type)
        + at_most(content_length / LONG_BODY, 1.0) * LENGTH_DIFFICULTY
        + concept
        - at_most(edge_count / MANY_EDGES, 1.0) * EDGE_RELIEF;
    let difficulty = at_most(difficulty, 1.0);
    if difficulty <= 0.0 { 0.0 } else { difficulty }
}

/// min(value, most) that keeps NaN on either side, as JavaScript's does.
fn at_most(value: f64, most: f64) -> f64 {
    if value <= most || value.is_nan() { value } else { most }
}

/// Nodes as columns, one entry a node in each.
#[derive(Clone, Copy, Debug)]
pub struct DecayColumns<'a> {
    /// Last access, in milliseconds since 1970.
    pub last_accessed: &'a [f64],
    /// Stability in days; 0 or less means forgotten at once.
    pub stability: &'a [f64],
    /// Section codes.
    pub section: &'a [u8],
}

/// Retrievability and lifecycle code of every node at `now`.
///
/// Days dormant are the days without access once R is below the section's weak threshold, and 0
/// before.
///
/// # Errors
/// `invalid_argument` with field and index for an instant or a stability that is not finite or out
/// of range, and for an unknown section code.
///
/// # Panics
/// When the columns or the outputs differ in length.
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

/// [`decay_columns`] of columns that are in range.
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

    /// Of two nodes, what holds of fading: as many as hold, so far on is the state. They are
    /// counted, not branched to: which one it is, is as good as random.
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

/// Pairs that go through exp together.
const PAIRS: usize = 4;
const BLOCK: usize = 2 * PAIRS;

/// exp(−t / S) and the states down the columns, in lanes; how many nodes that were, all but fewer
/// than a block.
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
        // What has no stability is kept away from exp's slow path; its R is set to 0 below.
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

/// Whether all numbers of a column lie within `bound` of 0; NaN does not.
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
    // Whole columns first, without a branch for each entry; only a fault is looked for by itself.
    // No code has a bit beyond those of the last one.
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
