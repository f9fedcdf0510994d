//! Invalid input: which input is refused, with which message, and that a refusal has no
//! after-effect.

use crate::common::{NOW, PLAIN, assert_is};
use nous_wasm::check::MAX_INSTANT_MS;
use nous_wasm::{
    Candidate, Config, Curve, DecayColumns, Error, Hit, IntentClassifier, Matcher, MergeOptions,
    Query, Reranker, Section, SectionTable, Weighting, Weights, co_recall_pairs, decay,
    format_context, merge_and_select,
};

const NAN: f64 = f64::NAN;
const INFINITY: f64 = f64::INFINITY;

const FINITE: &str = "must be a finite number";
const AMOUNT: &str = "must be a finite number of at least 0";
const COUNT: &str = "must be a whole number of at least 0";
const INSTANT: &str = "must be an instant within 8.64e15 milliseconds of 1970";
const NO_SUM: &str = "is not a number: its signals are too large to add";

/// The next double after the latest instant.
const TOO_LATE: f64 = MAX_INSTANT_MS.next_up();

const QUERY: Query<'_> =
    Query { weighting: Weighting::Uniform(Weights::GLOBAL), avg_inbound_edges: 2.0, now: NOW };

/// Checks field, row, problem and number found of an error.
#[track_caller]
fn assert_says(
    error: &Error,
    field: &str,
    index: Option<usize>,
    problem: &str,
    found: Option<f64>,
) {
    assert_eq!(error.code(), "invalid_argument");
    assert_eq!((error.field(), error.index(), error.problem()), (field, index, problem));
    let row = index.map_or(String::new(), |index| format!("row {index}: "));
    let number = found.map_or(String::new(), |number| format!(", found {number}"));
    assert_eq!(error.to_string(), format!("{row}{field} {problem}{number}"));
    match found {
        Some(number) => assert_is(error.number_found().expect("the number found"), number, field),
        None => assert_eq!(error.number_found(), None),
    }
}

mod ranking {
    use super::*;

    type Put = fn(&mut Candidate, f64);

    const FIELDS: [(&str, Put, &str, &[f64]); 7] = [
        (
            "semantic_score",
            |it, wrong| it.semantic_score = wrong,
            FINITE,
            &[NAN, INFINITY, -INFINITY],
        ),
        (
            "bm25_score",
            |it, wrong| it.bm25_score = wrong,
            AMOUNT,
            &[NAN, INFINITY, -INFINITY, -1.0, -5e-324],
        ),
        (
            "graph_score",
            |it, wrong| it.graph_score = wrong,
            AMOUNT,
            &[NAN, INFINITY, -INFINITY, -1.0, -5e-324],
        ),
        (
            "last_accessed",
            |it, wrong| it.last_accessed = wrong,
            INSTANT,
            &[NAN, INFINITY, TOO_LATE, -TOO_LATE],
        ),
        (
            "created_at",
            |it, wrong| it.created_at = wrong,
            INSTANT,
            &[NAN, -INFINITY, TOO_LATE, -TOO_LATE, 1e300],
        ),
        (
            "access_count",
            |it, wrong| it.access_count = wrong,
            COUNT,
            &[NAN, INFINITY, -1.0, 0.5, 1e-300, 3.000_000_1],
        ),
        (
            "inbound_edge_count",
            |it, wrong| it.inbound_edge_count = wrong,
            COUNT,
            &[NAN, INFINITY, -1.0, 0.5, -0.5],
        ),
    ];

    /// Ranks the batch again, and then a valid one: a refusal has no after-effect.
    #[track_caller]
    fn assert_refused(
        reranker: &mut Reranker,
        batch: &[Candidate],
        query: &Query<'_>,
        (field, index, problem, found): (&str, Option<usize>, &str, Option<f64>),
    ) {
        let good: Vec<Candidate> = (0..70)
            .map(|place| Candidate { semantic_score: f64::from(place % 7), ..PLAIN })
            .collect();
        let expected = Reranker::default().rerank(&good, &QUERY).unwrap();
        for limit in [batch.len(), 1, 0] {
            let error = reranker.rerank_top(batch, query, limit).expect_err("a wrong input");
            assert_says(&error, field, index, problem, found);
            assert_eq!(reranker.rerank(&good, &QUERY).unwrap(), expected);
            assert_eq!(reranker.rerank_top(&good, &QUERY, 9).unwrap(), expected[..9]);
        }
    }

    #[test]
    fn a_neutral_ranking_ranks_every_candidate_by_finite_scores() {
        let mut reranker = Reranker::default();
        let usual = reranker.rerank(&[PLAIN; 3], &QUERY).unwrap();
        assert_eq!(reranker.rerank_neutral(&[PLAIN; 3], &QUERY).unwrap(), usual);
        for (field, put, _, wrong) in FIELDS {
            for &wrong in wrong {
                let mut batch = vec![PLAIN; 3];
                put(&mut batch[1], wrong);
                let ranked = reranker.rerank_neutral(&batch, &QUERY).unwrap();
                let mut indices: Vec<usize> = ranked.iter().map(|it| it.index).collect();
                indices.sort_unstable();
                assert_eq!(indices, [0, 1, 2]);
                for it in &ranked {
                    assert!(
                        it.score.is_finite()
                            && it.breakdown.iter().all(|signal| signal.is_finite()),
                        "{field}"
                    );
                    if it.index != 1 {
                        assert_eq!(
                            (it.score, it.breakdown),
                            (usual[0].score, usual[0].breakdown),
                            "{field} {wrong}"
                        );
                    }
                }
            }
        }
        assert!(reranker.rerank_neutral(&[PLAIN], &Query { now: NAN, ..QUERY }).is_err());
    }

    #[test]
    fn a_wrong_number_in_any_field_of_any_candidate_is_refused_by_row_and_field() {
        let mut reranker = Reranker::default();
        for (field, put, problem, wrong) in FIELDS {
            for &wrong in wrong {
                for (size, row) in [(1, 0), (2, 1), (60, 0), (60, 31), (300, 299)] {
                    let mut batch = vec![PLAIN; size];
                    put(&mut batch[row], wrong);
                    assert_refused(
                        &mut reranker,
                        &batch,
                        &QUERY,
                        (field, Some(row), problem, Some(wrong)),
                    );
                }
            }
        }
    }

    #[test]
    fn of_several_faults_the_first_is_reported() {
        let mut batch = vec![PLAIN; 5];
        batch[4].semantic_score = NAN;
        batch[2].inbound_edge_count = -1.0;
        batch[2].graph_score = -2.0;
        let expected = ("graph_score", Some(2), AMOUNT, Some(-2.0));
        assert_refused(&mut Reranker::default(), &batch, &QUERY, expected);
    }

    #[test]
    fn weights_average_and_now_are_refused_before_any_candidate_is_looked_at() {
        let mut reranker = Reranker::default();
        let mut wrong_row = vec![PLAIN; 3];
        wrong_row[0].bm25_score = NAN;
        for batch in [&[][..], &[PLAIN; 4], &wrong_row] {
            let names = ["semantic", "keyword", "graph", "recency", "authority", "affinity"];
            for (place, name) in names.into_iter().enumerate() {
                for wrong in [NAN, INFINITY, -INFINITY] {
                    let mut weights = Weights::GLOBAL.to_array();
                    weights[place] = wrong;
                    let query = Query {
                        weighting: Weighting::Uniform(Weights::from_array(weights)),
                        ..QUERY
                    };
                    let expected = (&*format!("weights.{name}"), None, FINITE, Some(wrong));
                    assert_refused(&mut reranker, batch, &query, expected);
                }
            }
            for wrong in [NAN, INFINITY, -INFINITY, -1.0, -5e-324] {
                let query = Query { avg_inbound_edges: wrong, ..QUERY };
                assert_refused(
                    &mut reranker,
                    batch,
                    &query,
                    ("avg_inbound_edges", None, AMOUNT, Some(wrong)),
                );
            }
            for wrong in [NAN, INFINITY, -INFINITY, TOO_LATE, -TOO_LATE] {
                let query = Query { now: wrong, ..QUERY };
                assert_refused(&mut reranker, batch, &query, ("now", None, INSTANT, Some(wrong)));
            }
        }
    }

    #[test]
    fn signals_too_large_to_add_are_refused_by_row() {
        let mut reranker = Reranker::default();
        // +∞ of the semantic signal and −∞ of the graph signal add up to NaN.
        let opposed = Query {
            weighting: Weighting::Uniform(Weights::from_array([10.0, 0.0, -10.0, 0.0, 0.0, 0.0])),
            ..QUERY
        };
        let mut batch = vec![PLAIN; 60];
        batch[40] = Candidate { semantic_score: f64::MAX, graph_score: f64::MAX, ..PLAIN };
        batch[50] = batch[40];
        assert_refused(&mut reranker, &batch, &opposed, ("score", Some(40), NO_SUM, None));

        // The access is so far ahead that its recency is infinite. A weight of 0 makes the product
        // NaN.
        let late = Candidate { last_accessed: MAX_INSTANT_MS, ..PLAIN };
        let without = Query {
            weighting: Weighting::Uniform(Weights::from_array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
            ..QUERY
        };
        assert_refused(
            &mut reranker,
            &[PLAIN, PLAIN, late],
            &without,
            ("score", Some(2), NO_SUM, None),
        );
        // Without an access, its affinity is 0 · ∞.
        let unused = Candidate { access_count: 0.0, ..late };
        assert_refused(&mut reranker, &[unused], &QUERY, ("score", Some(0), NO_SUM, None));
    }

    #[test]
    fn the_edges_of_every_range_are_allowed() {
        let edges: [(Put, &[f64]); 7] = [
            (|it, edge| it.semantic_score = edge, &[f64::MAX, f64::MIN, -0.0]),
            (|it, edge| it.bm25_score = edge, &[f64::MAX, 0.0, -0.0, 5e-324]),
            (|it, edge| it.graph_score = edge, &[f64::MAX, 0.0, -0.0, 5e-324]),
            (|it, edge| it.last_accessed = edge, &[-MAX_INSTANT_MS, 0.5, NOW + 0.1]),
            (|it, edge| it.created_at = edge, &[MAX_INSTANT_MS, -MAX_INSTANT_MS, 0.5]),
            (|it, edge| it.access_count = edge, &[f64::MAX, 0.0, -0.0, 1e15]),
            (|it, edge| it.inbound_edge_count = edge, &[f64::MAX, 0.0, -0.0, 1e15]),
        ];
        for (put, values) in edges {
            for &edge in values {
                let mut batch = [PLAIN; 3];
                put(&mut batch[1], edge);
                assert_eq!(Reranker::default().rerank(&batch, &QUERY).unwrap().len(), 3, "{edge}");
            }
        }
        for now in [MAX_INSTANT_MS, -MAX_INSTANT_MS + 1e11] {
            let old =
                Candidate { last_accessed: -MAX_INSTANT_MS, created_at: -MAX_INSTANT_MS, ..PLAIN };
            for avg_inbound_edges in [0.0, -0.0, 5e-324, f64::MAX] {
                let query = Query { now, avg_inbound_edges, ..QUERY };
                assert_eq!(Reranker::default().rerank(&[old], &query).unwrap().len(), 1);
            }
        }
    }

    #[test]
    fn zero_one_and_a_million_candidates_are_ranked() {
        let table = SectionTable::default();
        let query = Query { weighting: Weighting::Sections(&table), ..QUERY };
        let mut reranker = Reranker::default();
        assert_eq!(reranker.rerank(&[], &query).unwrap(), []);
        assert_eq!(reranker.rerank_top(&[], &query, 20).unwrap(), []);
        let alone = reranker.rerank(&[PLAIN], &query).unwrap();
        assert_eq!((alone.len(), alone[0].index), (1, 0));

        let million: Vec<Candidate> = (0..1_000_000_u32)
            .map(|place| {
                let scattered = place.wrapping_mul(2_654_435_761);
                Candidate {
                    semantic_score: f64::from(scattered >> 12) / f64::from(1 << 20),
                    section: Section::ALL[place as usize % 4],
                    ..PLAIN
                }
            })
            .collect();
        let ranking = reranker.rerank(&million, &query).unwrap();
        assert_eq!(ranking.len(), million.len());
        let in_order = |pair: &[nous_wasm::Ranked]| {
            pair[0].score > pair[1].score
                || (pair[0].score == pair[1].score && pair[0].index < pair[1].index)
        };
        assert!(ranking.windows(2).all(in_order));
        assert_eq!(reranker.rerank_top(&million, &query, 20).unwrap(), ranking[..20]);
        // One invalid number among a million is found.
        let mut million = million;
        million[999_999].access_count = 0.5;
        let error = reranker.rerank_top(&million, &query, 20).unwrap_err();
        assert_says(&error, "access_count", Some(999_999), COUNT, Some(0.5));
        assert_eq!(reranker.rerank(&[PLAIN], &query).unwrap(), alone);
    }
}

mod columns {
    use super::*;

    const STABILITY: &str = "must be a finite number of days";
    const SECTION: &str = "must be a section code from 0 to 3";

    fn run(
        last_accessed: &[f64],
        stability: &[f64],
        section: &[u8],
        now: f64,
    ) -> Result<(), Error> {
        let columns = DecayColumns { last_accessed, stability, section };
        let mut out = (vec![0.0; stability.len()], vec![0; stability.len()]);
        let table = SectionTable::default();
        let results = [Curve::Exponential, Curve::Fsrs6]
            .map(|curve| decay::decay_columns(columns, now, &table, curve, &mut out.0, &mut out.1));
        assert_eq!(
            format!("{:?}", results[0]),
            format!("{:?}", results[1]),
            "both curves refuse alike"
        );
        results.into_iter().collect()
    }

    #[test]
    fn a_wrong_number_in_any_row_is_refused_by_row_and_column() {
        for (size, row) in [(1, 0), (7, 6), (8, 3), (9, 8), (100, 50)] {
            let (last, stability, section) = (vec![NOW; size], vec![14.0; size], vec![2; size]);
            for wrong in [NAN, INFINITY, -INFINITY, TOO_LATE, -TOO_LATE] {
                let mut last = last.clone();
                last[row] = wrong;
                let error = run(&last, &stability, &section, NOW).unwrap_err();
                assert_says(&error, "last_accessed", Some(row), INSTANT, Some(wrong));
            }
            for wrong in [NAN, INFINITY, -INFINITY] {
                let mut stability = stability.clone();
                stability[row] = wrong;
                let error = run(&last, &stability, &section, NOW).unwrap_err();
                assert_says(&error, "stability", Some(row), STABILITY, Some(wrong));
            }
            for wrong in [4, 5, 128, 255] {
                let mut section = section.clone();
                section[row] = wrong;
                let error = run(&last, &stability, &section, NOW).unwrap_err();
                assert_says(&error, "section", Some(row), SECTION, Some(f64::from(wrong)));
            }
        }
    }

    #[test]
    fn a_wrong_present_is_refused() {
        for wrong in [NAN, INFINITY, -INFINITY, TOO_LATE] {
            assert_says(&run(&[], &[], &[], wrong).unwrap_err(), "now", None, INSTANT, Some(wrong));
        }
    }

    #[test]
    fn of_several_faults_the_first_row_is_reported() {
        let error = run(&[NOW, NOW, NAN], &[1.0, 1.0, NAN], &[0, 9, 0], NOW).unwrap_err();
        assert_says(&error, "section", Some(1), SECTION, Some(9.0));
    }

    #[test]
    fn zero_one_and_a_million_nodes_are_computed() {
        for size in [0, 1, 1_000_000] {
            assert_eq!(run(&vec![NOW; size], &vec![14.0; size], &vec![1; size], NOW), Ok(()));
        }
    }

    #[test]
    #[should_panic(expected = "columns of one length")]
    fn columns_of_different_lengths_are_the_callers_mistake() {
        let _ = run(&[NOW], &[1.0, 2.0], &[0, 0], NOW);
    }
}

mod elsewhere {
    //! Odd input that is valid has a result.

    use super::*;

    #[test]
    fn an_invalid_configuration_is_refused_by_key_and_value() {
        let error = Config::from_json(
            r#"{ "sections": { "profiles": { "SIGNALS": { "decay": { "growth_rate": -2 } } } } }"#,
        )
        .unwrap_err();
        assert_eq!(error.code(), "invalid_config");
        assert_eq!(error.field(), "sections.profiles.SIGNALS.decay.growth_rate");
        assert_eq!((error.index(), error.number_found()), (None, Some(-2.0)));
        assert_eq!(
            error.to_string(),
            "sections.profiles.SIGNALS.decay.growth_rate must be a positive number, found -2"
        );
    }

    #[test]
    fn merging_nothing_gives_nothing() {
        let (options, table) = (MergeOptions::default(), SectionTable::default());
        let nameless = [
            Hit { id: None, score: 1.0, section: Section::Signals },
            Hit { id: Some(""), score: 2.0, section: Section::Signals },
        ];
        for sub_results in
            [&[][..], &[&[][..]], &[&[][..], &[][..]], &[&nameless[..], &[][..], &nameless[..]]]
        {
            assert_eq!(merge_and_select(sub_results, &options, &table), []);
        }
    }

    #[test]
    fn a_score_that_is_not_finite_counts_as_0_in_merging() {
        let hit = |id, score| Hit { id: Some(id), score, section: Section::Knowledge };
        for wrong in [NAN, -NAN, INFINITY, -INFINITY] {
            let hits = [hit("a", wrong), hit("b", 0.5), hit("c", -0.5)];
            let all = MergeOptions { relevance_ratio: -1.0, ..MergeOptions::default() };
            let selected = merge_and_select(&[&hits], &all, &SectionTable::default());
            let scores: Vec<_> = selected.iter().map(|it| (it.row, it.score)).collect();
            assert_eq!(scores, [(1, 0.5), (0, 0.0), (2, -0.5)]);
        }
    }

    #[test]
    fn a_ratio_that_excludes_all_leaves_the_best() {
        let hits = [0.1, 0.9, 0.5].map(|score| Hit {
            id: Some(["a", "b", "c"][(score * 2.0) as usize]),
            score,
            section: Section::Knowledge,
        });
        for relevance_ratio in [NAN, INFINITY, 2.0] {
            let options = MergeOptions { relevance_ratio, ..MergeOptions::default() };
            let selected = merge_and_select(&[&hits], &options, &SectionTable::default());
            assert_eq!(selected.iter().map(|it| it.row).collect::<Vec<_>>(), [1]);
        }
    }

    #[test]
    fn fewer_than_two_memories_make_no_pair() {
        assert_eq!(co_recall_pairs::<&str>(&[]), []);
        assert_eq!(co_recall_pairs(&[("a", 0)]), []);
        assert_eq!(co_recall_pairs(&[("a", 0), ("a", 0)]), []);
    }

    #[test]
    fn an_empty_question_has_no_intent() {
        let classifier = IntentClassifier::default();
        for matcher in [Matcher::Substring, Matcher::Words] {
            for query in ["", " ", "\0", "\u{FEFF}", "?!"] {
                assert_eq!(classifier.classify(query, matcher).bits(), 0);
                assert_eq!(classifier.explain(query, matcher), []);
            }
        }
    }

    #[test]
    fn no_rows_and_no_budget_make_no_context() {
        let table = SectionTable::default();
        let row = nous_wasm::ContextRow::default();
        assert_eq!(format_context(&[], 4000.0, &table), None);
        for max_tokens in [0.0, -0.0, -1.0, -INFINITY, 1.0] {
            assert_eq!(format_context(&[row], max_tokens, &table), None);
        }
        assert_eq!(
            format_context(&[row], INFINITY, &table).as_deref(),
            Some("- [ · KNOWLEDGE] Untitled (): ")
        );
    }
}
