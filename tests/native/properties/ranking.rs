//! Ranking by all six signals.

use super::*;

fn amount() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(&[0.0, -0.0, 5e-324, 1e-9, 0.1, 0.30000000000000004, 0.5, 1.0, 12.5, 1e300][..]),
        0.0..1.0,
        0.0..30.0,
    ]
}

fn instant() -> impl Strategy<Value = f64> {
    let days = prop_oneof![
        select(&[0, 1, 6, 7, 8, 29, 30, 365, 1023, 1024, 30_000, -1, -7, -20_000][..]),
        -30..3000,
    ];
    let around = (days, select(&[-1.0, -0.5, 0.0, 0.5, 1.0, 4e7][..]));
    let around = around.prop_map(|(days, off)| NOW - f64::from(days) * DAY + off);
    prop_oneof![9 => around, 1 => select(&[-8.64e15, -1.0, 0.0][..])]
}

fn count() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(&[0.0, -0.0, 1.0, 9.0, 10.0, 190.0, 191.0, 219.0, 220.0, 256.0, 1e6, 1e300][..]),
        (0..60).prop_map(f64::from),
    ]
}

fn candidate() -> impl Strategy<Value = Candidate> {
    let semantic =
        (amount(), any::<bool>()).prop_map(|(score, minus)| if minus { -score } else { score });
    let fields =
        (semantic, amount(), amount(), instant(), instant(), count(), count(), any_section());
    fields.prop_map(
        |(
            semantic_score,
            bm25_score,
            graph_score,
            last_accessed,
            created_at,
            accesses,
            edges,
            section,
        )| {
            Candidate {
                semantic_score,
                bm25_score,
                graph_score,
                last_accessed,
                created_at,
                access_count: accesses,
                inbound_edge_count: edges,
                section,
            }
        },
    )
}

fn batch() -> impl Strategy<Value = Vec<Candidate>> {
    // Some candidates twice, so that there are equal scores.
    (vec(candidate(), 0..80), vec(any::<usize>(), 0..20)).prop_map(|(mut batch, again)| {
        let known = batch.len();
        for place in again.into_iter().filter(|_| known > 0) {
            batch.push(batch[place % known]);
        }
        batch
    })
}

fn weights() -> impl Strategy<Value = Weights> {
    let weight = prop_oneof![select(&[0.0, -0.0, 0.1, 0.15, 0.5, 1.0, -0.5][..]), -2.0..2.0];
    [weight.clone(), weight.clone(), weight.clone(), weight.clone(), weight.clone(), weight]
        .prop_map(Weights::from_array)
}

fn average() -> impl Strategy<Value = f64> {
    prop_oneof![select(&[0.0, -0.0, 5e-324, 1e-3, 0.5, 1.0, 2.0, 1e9, 1e300][..]), 0.0..20.0]
}

/// Checks that all numbers are equal to the bit.
#[track_caller]
fn assert_same(ours: &[Ranked], naive: &[Ranked]) {
    assert_eq!(ours.len(), naive.len());
    for (ours, naive) in ours.iter().zip(naive) {
        assert_eq!(ours.index, naive.index);
        assert_is(ours.score, naive.score, format!("score of {}", ours.index));
        for (signal, (value, expected)) in ours.breakdown.iter().zip(naive.breakdown).enumerate() {
            assert_is(*value, expected, format!("signal {signal} of {}", ours.index));
        }
        assert_eq!(ours.primary_signal, naive.primary_signal, "primary signal of {}", ours.index);
    }
}

proptest! {
    #[test]
    fn a_ranking_equals_the_plain_implementation(
        batch in batch(),
        weights in weights(),
        avg_inbound_edges in average(),
        later in select(&[0.0, 0.5, 43_200_000.0, 86_400_000.0][..]),
    ) {
        let table = SectionTable::default();
        let mut reranker = Reranker::default();
        for weighting in [Weighting::Uniform(weights), Weighting::Sections(&table)] {
            let query = Query { weighting, avg_inbound_edges, now: NOW + later };
            let expected = naive::rerank::<Ported>(&batch, &query);
            assert_same(&reranker.rerank(&batch, &query).unwrap(), &expected);
            for limit in [0, 1, 2, 20, batch.len()] {
                let top = reranker.rerank_top(&batch, &query, limit).unwrap();
                assert_same(&top, &expected[..limit.min(batch.len())]);
            }
        }
    }

    #[test]
    fn every_candidate_is_ranked_once_by_score(batch in batch()) {
        let table = SectionTable::default();
        let query = Query { weighting: Weighting::Sections(&table), avg_inbound_edges: 2.0, now: NOW };
        let ranking = Reranker::default().rerank(&batch, &query).unwrap();
        let mut places: Vec<usize> = ranking.iter().map(|ranked| ranked.index).collect();
        for pair in ranking.windows(2) {
            let tied_in_order = pair[0].score == pair[1].score && pair[0].index < pair[1].index;
            prop_assert!(pair[0].score > pair[1].score || tied_in_order);
        }
        places.sort_unstable();
        prop_assert_eq!(places, (0..batch.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_batch_of_one_section_ranks_as_with_that_sections_weights_for_all(batch in batch(), section in any_section()) {
        let table = SectionTable::default();
        let batch: Vec<Candidate> = batch.into_iter().map(|candidate| Candidate { section, ..candidate }).collect();
        let rank = |weighting| {
            let query = Query { weighting, avg_inbound_edges: 1.5, now: NOW };
            Reranker::default().rerank(&batch, &query).unwrap()
        };
        let weights = table.profile(section).reranking_weights;
        assert_same(&rank(Weighting::Sections(&table)), &rank(Weighting::Uniform(weights)));
    }

    #[test]
    fn disabled_sections_rank_by_global_weights(batch in batch()) {
        let off = config(r#"{ "sections": { "enabled": false } }"#).sections;
        let rank = |weighting| {
            let query = Query { weighting, avg_inbound_edges: 1.5, now: NOW };
            Reranker::default().rerank(&batch, &query).unwrap()
        };
        assert_same(&rank(Weighting::Sections(&off)), &rank(Weighting::Uniform(Weights::GLOBAL)));
    }

    #[test]
    fn a_single_candidate_has_keyword_signal_1_or_neutral(candidate in candidate()) {
        let query = Query { weighting: Weighting::Uniform(Weights::GLOBAL), avg_inbound_edges: 0.0, now: NOW };
        let ranking = Reranker::default().rerank(&[candidate], &query).unwrap();
        prop_assert_eq!(ranking[0].breakdown[1], if candidate.bm25_score == 0.0 { 0.5 } else { 1.0 });
    }
}
