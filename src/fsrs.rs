//! FSRS-6, the memory model of spaced-repetition research, as an alternative to the exponential
//! curve.
//!
//! A memory has a *stability* S, the days after which it is recalled with a probability of 0.9, and
//! a *difficulty* D from 1 to 10. The forgetting curve gives its retrievability R after a time. A
//! recall, graded from Again to Easy, gives it a new state. Formulas: "The Algorithm" in the wiki
//! of open-spaced-repetition/fsrs4anki. Results follow the `ts-fsrs` package, which rounds to 8
//! decimals, and are tested against it.
//!
//! ```
//! use nous_wasm::fsrs::{Parameters, Rating, next_state, retrievability};
//!
//! let parameters = Parameters::default();
//! let learned = next_state(None, 0.0, Rating::Good, &parameters);
//! assert_eq!(learned.stability, 2.3065);
//! assert_eq!(retrievability(learned.stability, learned.stability, &parameters), 0.9);
//!
//! let recalled = next_state(Some(learned), 3.0, Rating::Good, &parameters);
//! assert!(recalled.stability > learned.stability);
//! ```

use core::ops::RangeInclusive;

use crate::host::pow;
use crate::math::exp;

/// The retrievability by which stability is defined: R(S) = 0.9.
pub const RETRIEVABILITY_AT_STABILITY: f64 = 0.9;

/// The quotient of the stability S of an exponential curve exp(−t/S) and the FSRS stability of the
/// same memory: 1/−ln 0.9.
///
/// The two stabilities are different times. After its S an exponential curve is at e⁻¹ = 0.368. It
/// passes 0.9 at t = −S·ln 0.9 = S / 9.4912.
pub const EXPONENTIAL_PER_FSRS_STABILITY: f64 = 9.491_221_581_029_903;

/// The range of stabilities, in days: a minute and a half to a hundred years.
pub const STABILITY_RANGE: RangeInclusive<f64> = 0.001..=36_500.0;
/// The least first stability, in days.
const INITIAL_STABILITY_MIN: f64 = 0.1;
/// The range of difficulties.
pub const DIFFICULTY_RANGE: RangeInclusive<f64> = 1.0..=10.0;
/// The distance in days below which two reviews are on the same day.
const SAME_DAY: f64 = 1.0;
/// The rounding of `ts-fsrs`: 8 decimals.
const ROUNDING: f64 = 1e8;

/// The grade of a recall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rating {
    /// Forgotten: a lapse.
    Again = 1,
    /// Recalled with effort.
    Hard = 2,
    /// Recalled.
    Good = 3,
    /// Recalled at once.
    Easy = 4,
}

impl Rating {
    /// All ratings, worst first.
    pub const ALL: [Self; 4] = [Self::Again, Self::Hard, Self::Good, Self::Easy];

    /// Returns the rating of a grade from 1 (Again) to 4 (Easy), or `None` for any other.
    #[must_use]
    pub fn from_grade(grade: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|rating| *rating as u8 == grade)
    }

    /// Returns the grade, 1 (Again) to 4 (Easy): the G of the formulas.
    #[must_use]
    pub fn grade(self) -> f64 {
        f64::from(self as u8)
    }

    /// Returns the grades above Good: −2 to 1.
    fn above_good(self) -> f64 {
        self.grade() - Self::Good.grade()
    }
}

/// The FSRS state of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryState {
    /// Days after which retrievability is 0.9; in [`STABILITY_RANGE`].
    pub stability: f64,
    /// How little a recall makes stability grow; in [`DIFFICULTY_RANGE`].
    pub difficulty: f64,
}

/// The 21 parameters of FSRS-6, w₀ to w₂₀ in the publications, under names.
///
/// `Default` returns the published ones (`default_w` of `ts-fsrs` 5.4.2).
/// [`from_weights`](Self::from_weights) takes a list as optimizers write it, and clamps each number
/// to the range given here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// w₀: stability after a first Again, in days. 0.001 to 100.
    pub initial_stability_again: f64,
    /// w₁: stability after a first Hard, in days. 0.001 to 100.
    pub initial_stability_hard: f64,
    /// w₂: stability after a first Good, in days. 0.001 to 100.
    pub initial_stability_good: f64,
    /// w₃: stability after a first Easy, in days. 0.001 to 100.
    pub initial_stability_easy: f64,
    /// w₄: difficulty after a first Again. 1 to 10.
    pub initial_difficulty_again: f64,
    /// w₅: how fast the first difficulty falls, as an exponent of the grade. 0.001 to 4.
    pub initial_difficulty_exponent: f64,
    /// w₆: the change of difficulty for each grade of distance from Good. 0.001 to 4.
    pub difficulty_step: f64,
    /// w₇: the share of the way that difficulty returns to that of a first Easy, at each review.
    /// 0.001 to 0.75.
    pub difficulty_mean_reversion: f64,
    /// w₈: logarithm of the general growth on recall. 0 to 4.5.
    pub recall_growth_log: f64,
    /// w₉: how much less stable memories grow, as an exponent of stability. 0 to 0.8.
    pub recall_stability_exponent: f64,
    /// w₁₀: how much more nearly forgotten memories grow, as an exponent of 1 − R. 0.001 to 3.5.
    pub recall_forgetting_exponent: f64,
    /// w₁₁: factor of the stability after a lapse. 0.001 to 5.
    pub lapse_factor: f64,
    /// w₁₂: how much less difficult memories keep after a lapse, as an exponent of difficulty.
    /// 0.001 to 0.25.
    pub lapse_difficulty_exponent: f64,
    /// w₁₃: how much more stable memories keep after a lapse, as an exponent of stability. 0.001 to
    /// 0.9.
    pub lapse_stability_exponent: f64,
    /// w₁₄: how much more nearly forgotten memories keep after a lapse, as an exponent of 1 − R. 0
    /// to 4.
    pub lapse_forgetting_exponent: f64,
    /// w₁₅: factor of the growth at Hard. 0 to 1.
    pub hard_penalty: f64,
    /// w₁₆: factor of the growth at Easy. 1 to 6.
    pub easy_bonus: f64,
    /// w₁₇: growth on the same day for each grade above Good, as an exponent. 0 to 2.
    pub same_day_grade_exponent: f64,
    /// w₁₈: the amount added to that number of grades. 0 to 2.
    pub same_day_grade_offset: f64,
    /// w₁₉: how much less stable memories grow on the same day, as an exponent of stability. 0.01
    /// to 0.8.
    pub same_day_stability_exponent: f64,
    /// w₂₀: the exponent of the forgetting curve, without its sign: the smaller, the longer the
    /// tail. 0.1 to 0.8.
    pub curve_decay: f64,
}

impl Parameters {
    /// The number of parameters.
    pub const COUNT: usize = 21;

    /// The published defaults.
    pub const PUBLISHED: Self = Self::in_published_order([
        0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
        1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
    ]);

    /// The lower end of each range.
    const LOWEST: Self = Self::in_published_order([
        0.001, 0.001, 0.001, 0.001, 1.0, 0.001, 0.001, 0.001, 0.0, 0.0, 0.001, 0.001, 0.001, 0.001,
        0.0, 0.0, 1.0, 0.0, 0.0, 0.01, 0.1,
    ]);

    /// The upper end of each range.
    const HIGHEST: Self = Self::in_published_order([
        100.0, 100.0, 100.0, 100.0, 10.0, 4.0, 4.0, 0.75, 4.5, 0.8, 3.5, 5.0, 0.25, 0.9, 4.0, 1.0,
        6.0, 2.0, 2.0, 0.8, 0.8,
    ]);

    /// Returns parameters from w₀ to w₂₀, each clamped to its range, or `None` if a number is not
    /// finite.
    #[must_use]
    pub fn from_weights(weights: [f64; Self::COUNT]) -> Option<Self> {
        if !weights.iter().all(|weight| weight.is_finite()) {
            return None;
        }
        let mut clamped = weights;
        let ranges = Self::LOWEST.to_weights().into_iter().zip(Self::HIGHEST.to_weights());
        for (weight, (lowest, highest)) in clamped.iter_mut().zip(ranges) {
            *weight = weight.clamp(lowest, highest);
        }
        Some(Self::in_published_order(clamped))
    }

    /// Returns w₀ to w₂₀.
    #[must_use]
    pub const fn to_weights(&self) -> [f64; Self::COUNT] {
        let Self {
            initial_stability_again,
            initial_stability_hard,
            initial_stability_good,
            initial_stability_easy,
            initial_difficulty_again,
            initial_difficulty_exponent,
            difficulty_step,
            difficulty_mean_reversion,
            recall_growth_log,
            recall_stability_exponent,
            recall_forgetting_exponent,
            lapse_factor,
            lapse_difficulty_exponent,
            lapse_stability_exponent,
            lapse_forgetting_exponent,
            hard_penalty,
            easy_bonus,
            same_day_grade_exponent,
            same_day_grade_offset,
            same_day_stability_exponent,
            curve_decay,
        } = *self;
        [
            initial_stability_again,
            initial_stability_hard,
            initial_stability_good,
            initial_stability_easy,
            initial_difficulty_again,
            initial_difficulty_exponent,
            difficulty_step,
            difficulty_mean_reversion,
            recall_growth_log,
            recall_stability_exponent,
            recall_forgetting_exponent,
            lapse_factor,
            lapse_difficulty_exponent,
            lapse_stability_exponent,
            lapse_forgetting_exponent,
            hard_penalty,
            easy_bonus,
            same_day_grade_exponent,
            same_day_grade_offset,
            same_day_stability_exponent,
            curve_decay,
        ]
    }

    const fn in_published_order(weights: [f64; Self::COUNT]) -> Self {
        let [
            initial_stability_again,
            initial_stability_hard,
            initial_stability_good,
            initial_stability_easy,
            initial_difficulty_again,
            initial_difficulty_exponent,
            difficulty_step,
            difficulty_mean_reversion,
            recall_growth_log,
            recall_stability_exponent,
            recall_forgetting_exponent,
            lapse_factor,
            lapse_difficulty_exponent,
            lapse_stability_exponent,
            lapse_forgetting_exponent,
            hard_penalty,
            easy_bonus,
            same_day_grade_exponent,
            same_day_grade_offset,
            same_day_stability_exponent,
            curve_decay,
        ] = weights;
        Self {
            initial_stability_again,
            initial_stability_hard,
            initial_stability_good,
            initial_stability_easy,
            initial_difficulty_again,
            initial_difficulty_exponent,
            difficulty_step,
            difficulty_mean_reversion,
            recall_growth_log,
            recall_stability_exponent,
            recall_forgetting_exponent,
            lapse_factor,
            lapse_difficulty_exponent,
            lapse_stability_exponent,
            lapse_forgetting_exponent,
            hard_penalty,
            easy_bonus,
            same_day_grade_exponent,
            same_day_grade_offset,
            same_day_stability_exponent,
            curve_decay,
        }
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::PUBLISHED
    }
}

/// The forgetting curve R(t, S) = (1 + f·t/S)^−w₂₀ with f = 0.9^(−1/w₂₀) − 1, so that R(S, S) =
/// 0.9.
///
/// f costs a power, so a loop over many memories creates the curve once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForgettingCurve {
    exponent: f64,
    factor: f64,
}

impl ForgettingCurve {
    /// Creates the curve of these parameters.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let exponent = -parameters.curve_decay;
        let factor = pow(RETRIEVABILITY_AT_STABILITY, exponent.recip()) - 1.0;
        Self { exponent, factor: rounded(factor) }
    }

    /// Returns the retrievability, 0 to 1, `elapsed_days` after the last recall at `stability`
    /// days.
    ///
    /// A negative time counts as 0, and a stability of 0 or less gives 0, as on the exponential
    /// curve.
    #[must_use]
    pub fn retrievability(&self, elapsed_days: f64, stability: f64) -> f64 {
        if stability <= 0.0 {
            return 0.0;
        }
        let elapsed_days = if elapsed_days < 0.0 { 0.0 } else { elapsed_days };
        rounded(pow(1.0 + self.factor * elapsed_days / stability, self.exponent))
    }

    /// Returns the days after which `retrievability` (above 0, at most 1) is reached at `stability`
    /// days: the inverse of the curve, unrounded.
    #[must_use]
    pub fn days_until(&self, retrievability: f64, stability: f64) -> f64 {
        stability / self.factor * (pow(retrievability, self.exponent.recip()) - 1.0)
    }
}

/// Returns the retrievability on the [`ForgettingCurve`] of these parameters.
#[must_use]
pub fn retrievability(elapsed_days: f64, stability: f64, parameters: &Parameters) -> f64 {
    ForgettingCurve::new(parameters).retrievability(elapsed_days, stability)
}

/// Returns the stability after the first review, in days: one parameter for each rating, at least
/// 0.1.
#[must_use]
pub fn initial_stability(rating: Rating, parameters: &Parameters) -> f64 {
    let stability = match rating {
        Rating::Again => parameters.initial_stability_again,
        Rating::Hard => parameters.initial_stability_hard,
        Rating::Good => parameters.initial_stability_good,
        Rating::Easy => parameters.initial_stability_easy,
    };
    stability.max(INITIAL_STABILITY_MIN)
}

/// Returns the difficulty after the first review: D₀(G) = w₄ − e^(w₅·(G − 1)) + 1, clamped to
/// [`DIFFICULTY_RANGE`].
#[must_use]
pub fn initial_difficulty(rating: Rating, parameters: &Parameters) -> f64 {
    within(&DIFFICULTY_RANGE, unbounded_initial_difficulty(rating, parameters))
}

/// Returns D₀(G) before it is clamped, for the mean reversion of difficulty.
fn unbounded_initial_difficulty(rating: Rating, parameters: &Parameters) -> f64 {
    let grades_above_again = rating.grade() - Rating::Again.grade();
    let eased = exp(grades_above_again * parameters.initial_difficulty_exponent);
    rounded(parameters.initial_difficulty_again - eased + 1.0)
}

/// Returns the difficulty after a further review: D' = w₇·D₀(Easy) + (1 − w₇)·(D − w₆·(G − 3)·(10 −
/// D)/9), in [`DIFFICULTY_RANGE`].
#[must_use]
pub fn next_difficulty(difficulty: f64, rating: Rating, parameters: &Parameters) -> f64 {
    let (easiest, hardest) = (DIFFICULTY_RANGE.start(), DIFFICULTY_RANGE.end());
    let step = -parameters.difficulty_step * rating.above_good();
    let damped = rounded(step * (hardest - difficulty) / (hardest - easiest));
    let goal = unbounded_initial_difficulty(Rating::Easy, parameters);
    let reversion = parameters.difficulty_mean_reversion;
    let reverted = rounded(reversion * goal + (1.0 - reversion) * (difficulty + damped));
    within(&DIFFICULTY_RANGE, reverted)
}

/// Returns the stability after a recall on a later day, in days: S' = S·(1 + e^w₈·(11 −
/// D)·S^−w₉·(e^(w₁₀·(1 − R)) − 1)·(w₁₅ at Hard)·(w₁₆ at Easy)), in [`STABILITY_RANGE`].
///
/// `rating` is Hard, Good or Easy. After Again see [`stability_after_lapse`].
#[must_use]
pub fn stability_after_recall(
    state: MemoryState,
    retrievability: f64,
    rating: Rating,
    parameters: &Parameters,
) -> f64 {
    stability_after_weighted_recall(state, retrievability, rating, 1.0, parameters)
}

/// [`stability_after_recall`] with a further factor of the increase of S. A factor of 1 changes
/// nothing.
#[must_use]
pub fn stability_after_weighted_recall(
    state: MemoryState,
    retrievability: f64,
    rating: Rating,
    weight: f64,
    parameters: &Parameters,
) -> f64 {
    let MemoryState { stability, difficulty } = state;
    let rated = match rating {
        Rating::Hard => parameters.hard_penalty,
        Rating::Easy => parameters.easy_bonus,
        Rating::Again | Rating::Good => 1.0,
    };
    let ease = DIFFICULTY_RANGE.end() + 1.0 - difficulty;
    let growth = exp(parameters.recall_growth_log)
        * ease
        * pow(stability, -parameters.recall_stability_exponent)
        * (exp((1.0 - retrievability) * parameters.recall_forgetting_exponent) - 1.0)
        * rated
        * weight;
    rounded(within(&STABILITY_RANGE, stability * (1.0 + growth)))
}

/// Returns the stability after a lapse on a later day, in days: S' = w₁₁·D^−w₁₂·((S + 1)^w₁₃ −
/// 1)·e^(w₁₄·(1 − R)), but at most S / e^(w₁₇·w₁₈), the result of a lapse on the same day; in
/// [`STABILITY_RANGE`].
#[must_use]
pub fn stability_after_lapse(
    state: MemoryState,
    retrievability: f64,
    parameters: &Parameters,
) -> f64 {
    let MemoryState { stability, difficulty } = state;
    let kept = parameters.lapse_factor
        * pow(difficulty, -parameters.lapse_difficulty_exponent)
        * (pow(stability + 1.0, parameters.lapse_stability_exponent) - 1.0)
        * exp((1.0 - retrievability) * parameters.lapse_forgetting_exponent);
    let max =
        stability / exp(parameters.same_day_grade_exponent * parameters.same_day_grade_offset);
    let kept = rounded(within(&STABILITY_RANGE, kept));
    kept.min(rounded(max).max(*STABILITY_RANGE.start()))
}

/// Returns the stability after a review on the same day, in days: S' = S·S^−w₁₉·e^(w₁₇·(G − 3 +
/// w₁₈)), in [`STABILITY_RANGE`]. Only Again may reduce it.
#[must_use]
pub fn stability_same_day(stability: f64, rating: Rating, parameters: &Parameters) -> f64 {
    let grades = rating.above_good() + parameters.same_day_grade_offset;
    let growth = pow(stability, -parameters.same_day_stability_exponent)
        * exp(parameters.same_day_grade_exponent * grades);
    let growth = if rating == Rating::Again { growth } else { growth.max(1.0) };
    rounded(within(&STABILITY_RANGE, stability * growth))
}

/// Returns the state after a review rated `rating`, `elapsed_days` after the one before. `state` is
/// `None` before the first review.
///
/// Reviews less than a day apart are on the same day and follow the same-day formula, because FSRS
/// counts whole days. A fraction beyond that counts in R. `elapsed_days` is ignored for the first
/// review.
#[must_use]
pub fn next_state(
    state: Option<MemoryState>,
    elapsed_days: f64,
    rating: Rating,
    parameters: &Parameters,
) -> MemoryState {
    let Some(state) = state else {
        return MemoryState {
            stability: initial_stability(rating, parameters),
            difficulty: initial_difficulty(rating, parameters),
        };
    };
    let stability = if elapsed_days < SAME_DAY {
        stability_same_day(state.stability, rating, parameters)
    } else {
        let retrievability = retrievability(elapsed_days, state.stability, parameters);
        match rating {
            Rating::Again => stability_after_lapse(state, retrievability, parameters),
            Rating::Hard | Rating::Good | Rating::Easy => {
                stability_after_recall(state, retrievability, rating, parameters)
            }
        }
    };
    MemoryState { stability, difficulty: next_difficulty(state.difficulty, rating, parameters) }
}

/// Returns the FSRS stability at which the FSRS curve and exp(−t/S) pass 0.9 after the same time: S
/// / 9.4912, in days.
///
/// See [`EXPONENTIAL_PER_FSRS_STABILITY`]. The two curves meet only at that point, and at t = 0.
#[must_use]
pub fn fsrs_stability_from_exponential(exponential_stability: f64) -> f64 {
    exponential_stability / EXPONENTIAL_PER_FSRS_STABILITY
}

/// Returns the S with which exp(−t/S) passes 0.9 after the same time as the FSRS curve, in days.
/// The inverse of [`fsrs_stability_from_exponential`].
#[must_use]
pub fn exponential_stability_from_fsrs(fsrs_stability: f64) -> f64 {
    fsrs_stability * EXPONENTIAL_PER_FSRS_STABILITY
}

/// Rounds to 8 decimals, half upwards, as `ts-fsrs` does.
fn rounded(value: f64) -> f64 {
    (value * ROUNDING + 0.5).floor() / ROUNDING
}

/// Returns the nearest value in `range`. NaN stays NaN.
fn within(range: &RangeInclusive<f64>, value: f64) -> f64 {
    value.clamp(*range.start(), *range.end())
}
