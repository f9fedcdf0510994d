//! Merging: the whole against a plain implementation, and the laws that follow from the rules.

use super::*;

/// A result whose id is a number: below 0 for a missing id, 0 for an empty one.
type Row = (i32, f64, Section);

const IDS: [&str; 16] =
    ["", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"];

fn hits(groups: &[Vec<Row>]) -> Vec<Vec<Hit<'static>>> {
    let hit = |&(id, score, section): &Row| Hit {
        id: usize::try_from(id).ok().map(|id| IDS[id]),
        score,
        section,
    };
    groups.iter().map(|rows| rows.iter().map(hit).collect()).collect()
}

fn merge(groups: &[Vec<Row>], options: &MergeOptions, table: &SectionTable) -> Vec<Selected> {
    let hits = hits(groups);
    merge_and_select(&hits.iter().map(Vec::as_slice).collect::<Vec<_>>(), options, table)
}

fn groups(score: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Vec<Vec<Row>>> {
    vec(vec((-1..16i32, score, any_section()), 0..12), 0..6)
}

fn any_score() -> impl Strategy<Value = f64> + Clone {
    let edges = [0.0, -0.0, -0.5, -1.0, 5e-324, 1e308, f64::MAX, f64::MIN];
    let not_finite = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    prop_oneof![
        8 => 0.0..1.0,
        4 => (0..8).prop_map(|eighths| f64::from(eighths) / 8.0),
        1 => select(edges.to_vec()),
        1 => select(not_finite.to_vec()),
    ]
}

/// Scores, boosts and ratios with few bits, so that every product is exact and laws hold without
/// rounding.
fn exact_score() -> impl Strategy<Value = f64> + Clone {
    (0..64).prop_map(|n| f64::from(n) / 64.0)
}

fn options() -> impl Strategy<Value = MergeOptions> {
    let boost = select(&[0.5, 1.0, 1.25, 1.3, 1.5, 2.0, 1e10][..]);
    let ratio = select(&[0.0, 0.25, 0.4, 0.5, 0.75, 1.0][..]);
    let max = select(&[0, 1, 2, 3, 5, 20, 1000, usize::MAX][..]);
    (0..16u8, boost, ratio, max).prop_map(|(bits, intent_boost, relevance_ratio, max_results)| {
        MergeOptions {
            intents: SectionSet::from_bits(bits),
            intent_boost,
            relevance_ratio,
            max_results,
        }
    })
}

fn tables() -> impl Strategy<Value = SectionTable> {
    let own_boosts = r#"{ "SIGNALS": { "intent_boost": 1 }, "KNOWLEDGE": { "intent_boost": 3 } }"#;
    let off = r#"{ "sections": { "enabled": false } }"#;
    let json = [
        String::from("{}"),
        off.into(),
        format!(r#"{{ "sections": {{ "profiles": {own_boosts} }} }}"#),
    ];
    select(json.to_vec()).prop_map(|json| config(&json).sections)
}

fn ids<'a>(groups: &[Vec<Row>], selected: impl IntoIterator<Item = &'a Selected>) -> Vec<i32> {
    selected.into_iter().map(|it| groups[it.group][it.row].0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_selection_equals_the_plain_implementation(groups in groups(any_score()), options in options(), table in tables()) {
        let hits = hits(&groups);
        let slices: Vec<&[Hit]> = hits.iter().map(Vec::as_slice).collect();
        let (ours, plain) =
            (merge_and_select(&slices, &options, &table), naive::merge_and_select(&slices, &options, &table));
        prop_assert_eq!(&ours, &plain);
        for (ours, plain) in ours.iter().zip(&plain) {
            assert_is(ours.score, plain.score, "to the bit");
        }
    }

    #[test]
    fn every_selected_id_is_present_and_unique(groups in groups(any_score()), options in options()) {
        let mut ids = ids(&groups, &merge(&groups, &options, &SectionTable::default()));
        prop_assert!(ids.iter().all(|&id| id > 0));
        let selected = ids.len();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), selected);
    }

    #[test]
    fn a_selection_has_one_to_max_results_entries(
        groups in groups(any_score()), options in options(),
    ) {
        let selected = merge(&groups, &options, &SectionTable::default()).len();
        // If `max_results` is 0, the best is selected all the same.
        prop_assert!(selected <= options.max_results.max(1));
        let any = groups.iter().flatten().any(|row| row.0 > 0);
        prop_assert_eq!(selected > 0, any);
    }

    #[test]
    fn with_room_every_sub_query_with_results_is_covered(
        groups in groups(any_score()), options in options(),
    ) {
        let selected = ids(&groups, &merge(&groups, &options, &SectionTable::default()));
        let room = selected.len() < options.max_results;
        for (group, rows) in groups.iter().enumerate().filter(|_| room) {
            // By a row of its own, or by one that another sub-query found as well.
            let mut found = rows.iter().map(|row| row.0).filter(|&id| id > 0).peekable();
            prop_assert!(found.peek().is_none() || found.any(|id| selected.contains(&id)), "sub-query {}", group);
        }
    }

    #[test]
    fn results_above_the_cutoff_come_first_in_order(groups in groups(any_score()), options in options()) {
        let table = SectionTable::default();
        let selected = merge(&groups, &options, &table);
        let whole = MergeOptions { relevance_ratio: f64::NEG_INFINITY, max_results: usize::MAX, ..options };
        // Every kept instance in the order of the ranking: a cutoff that excludes none.
        let all = merge(&groups, &whole, &table);
        // A share of the best is only meaningful if the best is positive.
        let Some(best) = all.first().filter(|best| best.score > 0.0 && best.score.is_finite()) else { return Ok(()) };
        let cutoff = best.score * options.relevance_ratio;
        let passed: Vec<_> =
            all.iter().filter(|it| it.score >= cutoff).take(options.max_results.max(1)).collect();
        prop_assert_eq!(selected.iter().take(passed.len()).collect::<Vec<_>>(), passed);
    }
}

/// Checks the effect of the boost on the selection from one sub-query, without coverage and with
/// scores of at least 0. It removes no result that it boosts. It removes another only by the
/// cutoff, which rose with the best score, or because boosted results that ranked behind took the
/// room.
fn assert_boost_law(rows: &[Row], options: &MergeOptions, table: &SectionTable) {
    let groups = [rows.to_vec()];
    let plain = MergeOptions { intents: SectionSet::default(), ..*options };
    let (before, after) = (merge(&groups, &plain, table), merge(&groups, options, table));
    let key = |it: &Selected| (it.group, it.row);
    let asked = |it: &Selected| options.intents.contains(rows[it.row].2);
    let boost = options.intent_boost.max(1.0);
    let cutoff = after.first().map_or(0.0, |best| best.score) * options.relevance_ratio;
    for it in &before {
        if after.iter().any(|other| key(other) == key(it)) {
            continue;
        }
        assert!(!asked(it), "{it:?} was boosted and lost its place");
        let cut_off = it.score < cutoff;
        let passed_by = |other: &&Selected| {
            asked(other) && other.score / boost <= it.score && other.score >= it.score
        };
        let no_room = after.len() == options.max_results.max(1)
            && after.iter().any(|other| passed_by(&other));
        assert!(cut_off || no_room, "{it:?} was neither cut off nor passed by");
    }
    for it in &after {
        assert_eq!(it.boosted, asked(it) && options.intent_boost > 1.0);
        let own = rows[it.row].1;
        assert_is(it.score, if it.boosted { own * boost } else { own }, "boosted once");
    }
    // The order among boosted results, and among the others, is unchanged.
    for of_asked in [true, false] {
        let order = |selected: &[Selected]| -> Vec<usize> {
            selected.iter().filter(|it| asked(it) == of_asked).map(|it| it.row).collect()
        };
        let (before, after) = (order(&before), order(&after));
        let common = |rows: &[usize], others: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|row| others.contains(row)).collect()
        };
        assert_eq!(common(&before, &after), common(&after, &before));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_boost_removes_no_boosted_result(
        rows in vec((1..16i32, exact_score(), any_section()), 0..30),
        bits in 0..16u8,
        intent_boost in select(&[0.5, 1.0, 1.25, 1.5, 2.0, 4.0][..]),
        relevance_ratio in select(&[0.0, 0.25, 0.5, 0.75, 1.0][..]),
        max_results in select(&[1, 2, 3, 5, 20][..]),
    ) {
        let intents = SectionSet::from_bits(bits);
        let options = MergeOptions { intents, intent_boost, relevance_ratio, max_results };
        assert_boost_law(&rows, &options, &SectionTable::default());
    }
}

#[test]
fn an_unboosted_result_can_be_cut_off_or_crowded_out_by_boosted_ones() {
    let rows = |scores: [f64; 3]| {
        let sections = [Section::Knowledge, Section::Signals, Section::Knowledge];
        vec![(1, scores[0], sections[0]), (2, scores[1], sections[1]), (3, scores[2], sections[2])]
    };
    let signals = SectionSet::from_bits(1 << Section::Signals as u8);
    let cut =
        MergeOptions { intents: signals, intent_boost: 2.0, relevance_ratio: 0.5, max_results: 20 };
    let selected = |options: &MergeOptions, scores| {
        ids(&[rows(scores)], &merge(&[rows(scores)], options, &SectionTable::default()))
    };
    assert_eq!(
        selected(&MergeOptions { intents: SectionSet::default(), ..cut }, [0.5, 1.0, 0.75]),
        [2, 3, 1]
    );
    assert_eq!(selected(&cut, [0.5, 1.0, 0.75]), [2], "2.0 raised the cut-off to 1.0");
    let crowded = MergeOptions { relevance_ratio: 0.0, max_results: 2, ..cut };
    assert_eq!(
        selected(&MergeOptions { intents: SectionSet::default(), ..crowded }, [1.0, 0.5, 0.75]),
        [1, 3]
    );
    assert_eq!(
        selected(&crowded, [1.0, 0.5, 0.75]),
        [1, 2],
        "the boosted one ties with the first and passes 3"
    );
}

proptest! {
    #[test]
    fn pairs_recalled_together_equal_the_plain_implementation(selected in vec((0..8u32, 0..4u32), 0..14)) {
        let pairs = co_recall_pairs(&selected);
        prop_assert_eq!(&pairs, &naive::co_recall_pairs(&selected));
    }

    #[test]
    fn a_group_of_different_ids_is_paired_whole(size in 0..30u32) {
        let selected: Vec<(u32, u32)> = (0..size).map(|id| (id, 7)).collect();
        prop_assert_eq!(co_recall_pairs(&selected).len() as u32, size * size.saturating_sub(1) / 2);
    }

    #[test]
    fn an_edge_never_grows_past_1(strength in 0.0..=1.0, recalls in 0..60) {
        use nous_wasm::merge::{AUTOMATIC_RECALL_GAIN, EXPLICIT_RECALL_GAIN, strengthen};
        for gain in [AUTOMATIC_RECALL_GAIN, EXPLICIT_RECALL_GAIN] {
            let grown = (0..recalls).fold(strength, |strength, _| strengthen(strength, gain));
            prop_assert!((strength..=1.0).contains(&grown));
            prop_assert!(recalls < 40 || grown == 1.0);
        }
    }
}
