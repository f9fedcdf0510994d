//! Decay and growth: the laws of the single functions, and columns against them.

use super::*;
use nous_wasm::SalienceTable;
use nous_wasm::salience::NEUTRAL;

proptest! {
    #[test]
    fn retrievability_falls_with_time(stability in 1e-3..1e4, idle in 0.0..50.0, more in 1e-6..50.0) {
        for curve in [Curve::Exponential, Curve::Fsrs6] {
            let r = |idle: f64| decay::retrievability_on(curve, idle * stability, stability);
            let (before, after) = (r(idle), r(idle + more));
            prop_assert!((0.0..=1.0).contains(&before) && after <= before, "{curve:?}: {before} then {after}");
            // The FSRS curve is rounded to 8 decimals, which can hide a short time.
            prop_assert!(after < before || curve == Curve::Fsrs6);
        }
    }

    #[test]
    fn retrievability_rises_with_stability(stability in 1e-3..1e4, idle in 1e-3..50.0, more in 1e-6..10.0) {
        for curve in [Curve::Exponential, Curve::Fsrs6] {
            let days = idle * stability;
            let weaker = decay::retrievability_on(curve, days, stability);
            let stronger = decay::retrievability_on(curve, days, stability * (1.0 + more));
            prop_assert!(stronger > weaker || (curve == Curve::Fsrs6 && stronger == weaker), "{curve:?}");
        }
    }

    #[test]
    fn retrievability_is_0_without_stability(days in 0.0..1e6, stability in -1e6..=0.0) {
        for curve in [Curve::Exponential, Curve::Fsrs6] {
            assert_is(decay::retrievability_on(curve, days, stability), 0.0, "without stability");
        }
    }

    #[test]
    fn the_lifecycle_only_moves_on(
        section in any_section(), r in 0.0..1.0, less in 0.0..1.0, idle in 0.0..300.0, more in 0.0..300.0,
    ) {
        let profile = SectionTable::default().profile(section).decay;
        let later = (r - less, idle + more);
        let by_section = |(r, idle)| decay::lifecycle_for_section(r, idle, &profile);
        let global = |(r, idle)| decay::lifecycle(r, idle);
        prop_assert!(by_section((r, idle)) <= by_section(later));
        prop_assert!(global((r, idle)) <= global(later));
        // A higher threshold is crossed earlier.
        let stricter = nous_wasm::DecayProfile { active_threshold: 0.6, weak_threshold: 0.2, ..profile };
        prop_assert!(by_section((r, idle)) <= decay::lifecycle_for_section(r, idle, &stricter));
    }

    #[test]
    fn a_recall_strengthens_within_bounds(
        section in any_section(), stability in 1e-3..400.0, difficulty in 0.0..=1.0, easier in 0.0..1.0,
        salience in 0.0..=1.0, less in 0.0..1.0,
    ) {
        let profile = SectionTable::default().profile(section).decay;
        let recalled = |stability: f64, difficulty: f64, salience: f64| {
            decay::stability_on_access_for_section(stability, difficulty, salience, &profile)
        };
        let grown = recalled(stability, difficulty, salience);
        prop_assert!(grown <= profile.max_stability_days);
        prop_assert!(recalled(stability, difficulty * easier, salience) >= grown);
        prop_assert!(recalled(stability * 1.5, difficulty, salience) >= grown);
        prop_assert!(recalled(stability, difficulty, salience * less) <= grown);
        let global = decay::stability_on_access(stability, difficulty, salience);
        prop_assert!(global <= decay::DECAY.max_stability_days);
    }

    #[test]
    fn salience_changes_growth_by_up_to_a_quarter(
        stability in 1e-3..10.0, difficulty in 0.0..=1.0, salience in 0.0..=1.0,
    ) {
        let growth = |salience| decay::stability_on_access(stability, difficulty, salience);
        let neutral = growth(NEUTRAL);
        assert_is(neutral, stability * 2.5 * (1.0 - difficulty * 0.5), "without stakes");
        prop_assert!((0.75 * neutral..=1.25 * neutral).contains(&growth(salience)));
        assert_is(growth(0.0), 0.75 * neutral, "of nothing");
        assert_is(growth(1.0), 1.25 * neutral, "of everything");
    }

    #[test]
    fn a_recall_on_the_fsrs_curve_equals_a_good_rating(
        stability in 0.001..400.0, difficulty in 0.0..=1.0, r in 0.0..=1.0, max in 1.0..400.0,
    ) {
        use nous_wasm::fsrs::{MemoryState, Parameters, Rating, stability_after_recall};
        // 0 to 1 is mapped to FSRS's 1 to 10.
        let state = MemoryState { stability, difficulty: 1.0 + difficulty * 9.0 };
        let recalled = stability_after_recall(state, r, Rating::Good, &Parameters::PUBLISHED);
        let grown = decay::fsrs_stability_on_access(stability, difficulty, NEUTRAL, r, max);
        assert_is(grown, if recalled > max { max } else { recalled }, "as FSRS has it, within the cap");
    }

    #[test]
    fn salience_scales_the_growth_on_the_fsrs_curve(
        stability in 0.001..300.0, difficulty in 0.0..=1.0, r in 0.0..=1.0, salience in 0.0..=1.0, less in 0.0..1.0,
    ) {
        let grown = |salience| decay::fsrs_stability_on_access(stability, difficulty, salience, r, 1e5);
        // Results are rounded to 8 decimals.
        let added = |salience| grown(salience) - stability;
        prop_assert!(added(0.0) >= -1e-8, "a trifle loses nothing");
        prop_assert!(grown(salience * less) <= grown(salience));
        prop_assert!((added(salience) - added(NEUTRAL) * (1.0 + (salience - 0.5) * 0.5)).abs() < 3e-8);
        prop_assert!(decay::fsrs_stability_on_access(stability, difficulty, salience, r, 30.0) <= 30.0);
    }

    #[test]
    fn a_cascade_weakens_to_the_floor_and_no_further(weight in 0.0..2.0, r in 0.0..1.0) {
        let weakened = decay::cascade(weight, r);
        let expected = if r >= 0.1 { weight } else { (weight * 0.8).max(0.1) };
        prop_assert_eq!(weakened, expected);
        prop_assert!(weakened <= weight.max(0.1));
    }

    #[test]
    fn difficulty_stays_in_its_range(length in 0.0..1e9, edges in 0.0..1e9) {
        for node_type in decay::AlgorithmType::ALL.map(Some).into_iter().chain([None]) {
            prop_assert!((0.0..=1.0).contains(&decay::difficulty(node_type, length, edges)));
        }
    }
}

#[test]
fn a_memory_without_stability_still_grows_on_the_fsrs_curve() {
    for stability in [0.0, -0.0, -5.0, 5e-324] {
        let grown =
            |stability| decay::fsrs_stability_on_access(stability, 0.3, NEUTRAL, 0.5, 365.0);
        let (grown, min) = (grown(stability), grown(0.001));
        assert_is(grown, min, stability);
        assert!(grown > 0.001);
    }
}

/// A node: last access, stability, section.
type Node = (f64, f64, Section);

fn nodes(length: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<Node>> {
    let last = prop_oneof![
        6 => (-3000.0..100.0).prop_map(|days| NOW + days * DAY),
        1 => select(&[NOW, NOW + 0.5, NOW - 60.0 * DAY, NOW - 120.0 * DAY, 8.64e15, -8.64e15, 0.0][..]),
    ];
    let stability = prop_oneof![
        4 => 1e-3..365.0,
        1 => select(&[0.0, -0.0, -1.0, 5e-324, -5e-324, 1e-9, 1.0, 60.0, 1e300, f64::MAX, f64::MIN][..]),
    ];
    vec((last, stability, any_section()), length)
}

fn columns(nodes: &[Node], table: &SectionTable, curve: Curve) -> (Vec<f64>, Vec<u8>) {
    let last_accessed: Vec<f64> = nodes.iter().map(|node| node.0).collect();
    let stability: Vec<f64> = nodes.iter().map(|node| node.1).collect();
    let section: Vec<u8> = nodes.iter().map(|node| node.2 as u8).collect();
    let columns =
        DecayColumns { last_accessed: &last_accessed, stability: &stability, section: &section };
    let mut out = (vec![f64::NAN; nodes.len()], vec![u8::MAX; nodes.len()]);
    decay::decay_columns(columns, NOW, table, curve, &mut out.0, &mut out.1).unwrap();
    if curve == Curve::Exponential {
        let mut expected = (vec![f64::NAN; nodes.len()], vec![u8::MAX; nodes.len()]);
        naive::decay_columns::<Ported>(columns, NOW, table, &mut expected.0, &mut expected.1);
        assert_eq!(out, expected);
    }
    out
}

fn assert_columns_equal_scalars(nodes: &[Node], table: &SectionTable) {
    for curve in [Curve::Exponential, Curve::Fsrs6] {
        let (retrievability, lifecycle) = columns(nodes, table, curve);
        for (place, &(last, stability, section)) in nodes.iter().enumerate() {
            let days = decay::days_without_access(last, NOW);
            let r = decay::retrievability_on(curve, days, stability);
            let profile = &table.profile(section).decay;
            let days_dormant = if r < profile.weak_threshold { days } else { 0.0 };
            let state = decay::lifecycle_for_section(r, days_dormant, profile);
            let what = format!("node {place} of {}: {:?}", nodes.len(), nodes[place]);
            assert_is(retrievability[place], r, &what);
            assert_eq!(lifecycle[place], state as u8, "{what}");
        }
    }
}

proptest! {
    #[test]
    fn columns_equal_the_scalar_functions(nodes in nodes(0..=17)) {
        assert_columns_equal_scalars(&nodes, &SectionTable::default());
    }

    #[test]
    fn results_do_not_depend_on_the_place_of_a_node(nodes in nodes(1..60), start in any::<prop::sample::Index>()) {
        let table = SectionTable::default();
        let start = start.index(nodes.len());
        let whole = columns(&nodes, &table, Curve::Exponential);
        let tail = columns(&nodes[start..], &table, Curve::Exponential);
        prop_assert_eq!(&whole.0[start..], &tail.0[..]);
        prop_assert_eq!(&whole.1[start..], &tail.1[..]);
    }

    #[test]
    fn columns_follow_a_configured_profile(nodes in nodes(0..40)) {
        let table = config(r#"{ "sections": { "profiles": {
            "KNOWLEDGE": { "decay": { "active_threshold": 0.9, "weak_threshold": 0.8 } },
            "SIGNALS": { "decay": { "active_threshold": 1, "weak_threshold": 0 } } } } }"#).sections;
        assert_columns_equal_scalars(&nodes, &table);
    }

    #[test]
    fn an_idle_memory_never_recovers(node in nodes(1), days in 0.001..400.0) {
        let (last, stability, section) = node[0];
        let later = [(f64::max(last.min(NOW) - days * DAY, -8.64e15), stability, section)];
        for curve in [Curve::Exponential, Curve::Fsrs6] {
            let now = columns(&node, &SectionTable::default(), curve);
            let then = columns(&later, &SectionTable::default(), curve);
            prop_assert!(then.0 <= now.0 && then.1 >= now.1, "{now:?} then {then:?}");
        }
    }
}

#[test]
fn every_length_has_its_tail_computed() {
    let table = SectionTable::default();
    for length in 0..=17 {
        let nodes: Vec<Node> = (0..length)
            .map(|place| {
                (
                    NOW - f64::from(place) * 11.5 * DAY,
                    f64::from(place % 5) * 7.0,
                    Section::ALL[place as usize % 4],
                )
            })
            .collect();
        assert_columns_equal_scalars(&nodes, &table);
    }
}

#[test]
fn a_section_can_skip_a_state() {
    // KNOWLEDGE at 60 days falls below its weak threshold of 0.05 on day 180, past DORMANT's 60 and
    // COMPRESS's 120.
    let state = |days: f64| {
        columns(
            &[(NOW - days * DAY, 60.0, Section::Knowledge)],
            &SectionTable::default(),
            Curve::Exponential,
        )
        .1[0]
    };
    assert_eq!(state(179.0), Lifecycle::Weak as u8);
    assert_eq!(state(180.0), Lifecycle::Archive as u8);
}

/// The standard library prints the exact value, rounded half to even.
#[test]
fn initial_stability_is_rounded_exactly() {
    let config = config(
        r#"{ "sections": { "subtypes": { "custom:day": { "section": "EPISODIC", "stability": 1 } },
            "profiles": { "EPISODIC": { "encoding": { "salience_enabled": true, "max_salience_multiplier": 2 } } } } }"#,
    );
    let table = SalienceTable::new(&config.salience, &config.sections);
    let check = |days: f64| {
        let salience = NEUTRAL + (days - 1.0) * NEUTRAL;
        let exact = match salience {
            0.5.. => 1.0 + (salience - 0.5) / 0.5,
            _ => 0.2 + salience / 0.5 * 0.8,
        };
        let printed: f64 = format!("{exact:.2}").parse().expect("a number");
        let Some(rounded) = table.of("custom:day").modulated_stability(salience) else {
            assert!((salience - NEUTRAL).abs() < 0.01);
            return;
        };
        assert_is(rounded, printed, exact);
    };
    let mut state = 1_u64;
    for _ in 0..200_000 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 / (1_u64 << 53) as f64;
        let (eighths, halves_of_hundredths) =
            ((unit * 1e4).floor() / 8.0, (unit * 1e6).floor() / 200.0);
        [unit, unit * 50.0, unit * 1e4, eighths, halves_of_hundredths].into_iter().for_each(check);
    }
    [0.125, 0.375, 1.125, 1.375, 2.675, 1.005, 0.0, 7e13, 1e300].into_iter().for_each(check);
}
