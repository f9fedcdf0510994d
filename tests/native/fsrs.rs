//! FSRS-6 against the `ts-fsrs` package, and its laws.

use std::process::{Command, Stdio};

use nous_wasm::fsrs::{
    DIFFICULTY_RANGE, EXPONENTIAL_PER_FSRS_STABILITY, ForgettingCurve, MemoryState, Parameters,
    Rating, STABILITY_RANGE, exponential_stability_from_fsrs, fsrs_stability_from_exponential,
    initial_difficulty, initial_stability, next_difficulty, next_state, retrievability,
    stability_after_lapse, stability_after_recall, stability_same_day,
};
use proptest::prelude::*;

const SEQUENCES: usize = 5_000;
const REVIEWS: usize = 25;

/// One step of the eighth decimal. A power that differs in its last bit can change the rounding by
/// this much.
const LAST_DECIMAL: f64 = 1.001e-8;

struct Review {
    rating: Rating,
    elapsed_days: f64,
    retrievability: f64,
    after: MemoryState,
}

struct Sequence {
    weights: [f64; Parameters::COUNT],
    bounded_weights: [f64; Parameters::COUNT],
    reviews: Vec<Review>,
}

/// Generated sequences of reviews with the results of `ts-fsrs` (see
/// `parity/inputs/fsrs-oracle.mjs`).
fn sequences_of_ts_fsrs(sequences: usize, reviews: usize) -> Vec<Sequence> {
    let output = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/inputs/fsrs-oracle.mjs"))
        .args([sequences.to_string(), reviews.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("`node` runs: these tests compare with ts-fsrs, so Node 24 must be on the PATH");
    assert!(output.status.success(), "the oracle needs ts-fsrs: run `npm ci` first");
    let mut numbers =
        output.stdout.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
    let mut next = || numbers.next().expect("as many numbers as asked for");
    (0..sequences)
        .map(|_| Sequence {
            weights: std::array::from_fn(|_| next()),
            bounded_weights: std::array::from_fn(|_| next()),
            reviews: (0..reviews)
                .map(|_| Review {
                    rating: Rating::from_grade(next() as u8).expect("a grade from 1 to 4"),
                    elapsed_days: next(),
                    retrievability: next(),
                    after: MemoryState { stability: next(), difficulty: next() },
                })
                .collect(),
        })
        .collect()
}

fn assert_close(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{what} is {ours}, not {theirs}");
}

#[test]
fn every_review_agrees_with_ts_fsrs_to_8_decimals() {
    for sequence in sequences_of_ts_fsrs(SEQUENCES, REVIEWS) {
        let parameters = Parameters::from_weights(sequence.weights).expect("finite weights");
        assert_eq!(parameters.to_weights(), sequence.bounded_weights);

        let mut before = None;
        for review in sequence.reviews {
            if let Some(MemoryState { stability, .. }) = before {
                let r = retrievability(review.elapsed_days, stability, &parameters);
                assert_close("retrievability", r, review.retrievability, LAST_DECIMAL);
            }
            let after = next_state(before, review.elapsed_days, review.rating, &parameters);
            let (ours, theirs) = (after, review.after);
            assert_close("stability", ours.stability, theirs.stability, LAST_DECIMAL);
            assert_close("difficulty", ours.difficulty, theirs.difficulty, LAST_DECIMAL);
            before = Some(review.after);
        }
    }
}

#[test]
fn whole_sequences_do_not_drift_from_ts_fsrs() {
    for sequence in sequences_of_ts_fsrs(SEQUENCES, REVIEWS) {
        let parameters = Parameters::from_weights(sequence.weights).expect("finite weights");
        let mut state = None;
        for review in sequence.reviews {
            let after = next_state(state, review.elapsed_days, review.rating, &parameters);
            let theirs = review.after;
            assert_close(
                "stability",
                after.stability,
                theirs.stability,
                1e-6 * theirs.stability.max(1.0),
            );
            assert_close("difficulty", after.difficulty, theirs.difficulty, 1e-6);
            state = Some(after);
        }
    }
}

#[test]
fn the_defaults_are_those_of_ts_fsrs() {
    let first = &sequences_of_ts_fsrs(1, 1)[0];
    assert_eq!(Parameters::default().to_weights(), first.weights);
    assert_eq!(Parameters::default().to_weights(), first.bounded_weights);
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut weights = Parameters::default().to_weights();
        weights[20] = bad;
        assert_eq!(Parameters::from_weights(weights), None);
    }
}

#[test]
fn grades_are_1_to_4() {
    for rating in Rating::ALL {
        assert_eq!(Rating::from_grade(rating as u8), Some(rating));
        assert_eq!(rating.grade(), f64::from(rating as u8));
    }
    assert_eq!(Rating::from_grade(0), None);
    assert_eq!(Rating::from_grade(5), None);
}

#[test]
fn a_first_review_takes_the_initial_state_of_its_rating() {
    let parameters = Parameters::default();
    for rating in Rating::ALL {
        let state = next_state(None, 17.0, rating, &parameters);
        assert_eq!(state.stability, initial_stability(rating, &parameters));
        assert_eq!(state.difficulty, initial_difficulty(rating, &parameters));
    }
}

#[test]
fn the_curve_is_defined_at_its_ends() {
    let curve = ForgettingCurve::new(&Parameters::default());
    assert_eq!(curve.retrievability(0.0, 5.0), 1.0);
    assert_eq!(curve.retrievability(-3.0, 5.0), 1.0);
    assert_eq!(curve.retrievability(3.0, 0.0), 0.0);
    assert_eq!(curve.retrievability(3.0, -1.0), 0.0);
    assert_eq!(curve.retrievability(f64::INFINITY, 5.0), 0.0);
    assert!(curve.retrievability(f64::NAN, 5.0).is_nan());
    assert!(curve.retrievability(3.0, f64::NAN).is_nan());
}

#[test]
fn reviews_less_than_a_day_apart_are_on_the_same_day() {
    let parameters = Parameters::default();
    let state = MemoryState { stability: 4.0, difficulty: 5.0 };
    let at_once = next_state(Some(state), 0.0, Rating::Good, &parameters);
    assert_eq!(next_state(Some(state), 0.999, Rating::Good, &parameters), at_once);
    assert_ne!(next_state(Some(state), 1.0, Rating::Good, &parameters), at_once);
}

#[test]
fn the_two_stabilities_convert_at_the_time_where_r_is_nine_tenths() {
    let exact = -1.0 / 0.9_f64.ln();
    assert!((EXPONENTIAL_PER_FSRS_STABILITY - exact).abs() <= 2.0 * f64::EPSILON * exact);
    for exponential in [0.5, 7.0, 60.0, 365.0] {
        let fsrs = fsrs_stability_from_exponential(exponential);
        assert!(((-fsrs / exponential).exp() - 0.9).abs() < 1e-15);
        assert_eq!(retrievability(fsrs, fsrs, &Parameters::default()), 0.9);
        assert!((exponential_stability_from_fsrs(fsrs) - exponential).abs() < 1e-12);
    }
}

fn parameters() -> impl Strategy<Value = Parameters> {
    prop_oneof![
        Just(Parameters::default()),
        prop::array::uniform21(0.0..5.0_f64)
            .prop_map(|weights| Parameters::from_weights(weights).expect("finite weights")),
    ]
}

fn stabilities() -> impl Strategy<Value = f64> {
    (-3.0..4.5_f64).prop_map(|exponent| 10.0_f64.powf(exponent))
}

fn states() -> impl Strategy<Value = MemoryState> {
    (stabilities(), DIFFICULTY_RANGE)
        .prop_map(|(stability, difficulty)| MemoryState { stability, difficulty })
}

fn ratings() -> impl Strategy<Value = Rating> {
    prop::sample::select(Rating::ALL.to_vec())
}

proptest! {
    #[test]
    fn retrievability_at_stability_is_nine_tenths(s in stabilities(), p in parameters()) {
        prop_assert!((retrievability(s, s, &p) - 0.9).abs() < LAST_DECIMAL);
    }

    #[test]
    fn retrievability_falls_with_time(t in 0.0..10_000.0_f64, more in 0.0..1_000.0_f64, s in stabilities(), p in parameters()) {
        let (sooner, later) = (retrievability(t, s, &p), retrievability(t + more, s, &p));
        prop_assert!(later <= sooner);
        prop_assert!(later > 0.0 && sooner <= 1.0);
    }

    #[test]
    fn retrievability_rises_with_stability(t in 0.0..10_000.0_f64, s in stabilities(), factor in 1.0..10.0_f64, p in parameters()) {
        prop_assert!(retrievability(t, s * factor, &p) >= retrievability(t, s, &p));
    }

    #[test]
    fn days_until_undoes_the_curve(r in 0.05..1.0_f64, s in stabilities(), p in parameters()) {
        let curve = ForgettingCurve::new(&p);
        prop_assert!((curve.retrievability(curve.days_until(r, s), s) - r).abs() < LAST_DECIMAL);
    }

    #[test]
    fn states_stay_in_range(state in states(), t in 0.0..100_000.0_f64, rating in ratings(), p in parameters()) {
        let after = next_state(Some(state), t, rating, &p);
        prop_assert!(STABILITY_RANGE.contains(&after.stability));
        prop_assert!(DIFFICULTY_RANGE.contains(&after.difficulty));
    }

    #[test]
    fn a_recall_never_reduces_stability_and_a_lapse_never_raises_it(state in states(), r in 0.0..1.0_f64, p in parameters()) {
        let slack = LAST_DECIMAL;
        for rating in [Rating::Hard, Rating::Good, Rating::Easy] {
            prop_assert!(stability_after_recall(state, r, rating, &p) >= state.stability - slack);
            prop_assert!(stability_same_day(state.stability, rating, &p) >= state.stability - slack);
        }
        prop_assert!(stability_after_lapse(state, r, &p) <= state.stability + slack);
    }

    #[test]
    fn a_better_rating_never_leaves_less_stability_or_more_difficulty(state in states(), t in 0.0..1_000.0_f64) {
        let after = Rating::ALL.map(|rating| next_state(Some(state), t, rating, &Parameters::default()));
        prop_assert!(after.is_sorted_by(|worse, better| better.stability >= worse.stability));
        prop_assert!(after.is_sorted_by(|worse, better| better.difficulty <= worse.difficulty));
    }

    #[test]
    fn growth_rises_as_retrievability_falls(state in states(), r in 0.0..1.0_f64, less in 0.0..1.0_f64) {
        let p = Parameters::default();
        let grown = |r| stability_after_recall(state, r, Rating::Good, &p);
        prop_assert!(grown(r * less) >= grown(r));
    }

    #[test]
    fn difficulty_goes_up_at_again_and_down_at_easy(d in 1.5..9.5_f64) {
        let p = Parameters::default();
        prop_assert!(next_difficulty(d, Rating::Again, &p) > d);
        prop_assert!(next_difficulty(d, Rating::Easy, &p) < d);
    }
}
