//! Ranking by one score alone, so that every double can be put in order.

use super::*;

/// With these a candidate's score is its semantic score, −0 included.
const SCORE_ALONE: Weights = Weights::from_array([1.0, -0.0, -0.0, -0.0, -0.0, -0.0]);
const QUERY: Query<'_> =
    Query { weighting: Weighting::Uniform(SCORE_ALONE), avg_inbound_edges: 0.0, now: NOW };

fn batch(scores: &[f64]) -> Vec<Candidate> {
    scores.iter().map(|&semantic_score| Candidate { semantic_score, ..PLAIN }).collect()
}

fn indices(ranking: &[Ranked]) -> Vec<usize> {
    ranking.iter().map(|ranked| ranked.index).collect()
}

/// Returns the order of a stable sort by `>`.
fn naive_order(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).expect("no score is NaN"));
    order
}

/// Scores that are easy to sort wrongly: ties, both zeros, neighbours, subnormals, all magnitudes
/// at once.
fn scores(max: usize) -> impl Strategy<Value = Vec<f64>> {
    let finite =
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |score| score.is_finite());
    let zeros = select(&[0.0, -0.0, 5e-324, -5e-324, f64::MIN_POSITIVE, 1e-300][..]);
    prop_oneof![
        vec(-1.0..1.0, 0..max),
        vec(finite.clone(), 0..max),
        // Most of them close together, and a few far off.
        vec(prop_oneof![30 => -1.0..1.0, 1 => finite.clone()], 0..max),
        vec(zeros, 0..max),
        // A few values, many times each.
        (vec(finite.clone(), 1..6), vec(any::<usize>(), 0..max)).prop_map(|(values, picks)| picks
            .iter()
            .map(|pick| values[pick % values.len()])
            .collect()),
        // Neighbours: doubles that differ in their last bits only, of either sign.
        (finite, vec(0..300u64, 0..max)).prop_map(|(base, steps)| {
            let nearby = |step| f64::from_bits(base.to_bits() & !0x1FF | step);
            steps.into_iter().map(nearby).collect()
        }),
        // Clusters: the highest bits differ by at most one, so that the lowest decide.
        vec((0..4u64, 0..=u64::from(u32::MAX)), 0..max).prop_map(|places| {
            places
                .into_iter()
                .map(|(cluster, low)| f64::from_bits(0x3FE0_0000_0000_0000 | cluster << 40 | low))
                .collect()
        }),
    ]
}

#[track_caller]
fn assert_ordered(
    scores: &[f64],
    reranker: &mut Reranker,
    limits: impl IntoIterator<Item = usize>,
) {
    let batch = batch(scores);
    let whole = reranker.rerank(&batch, &QUERY).unwrap();
    assert_eq!(indices(&whole), naive_order(scores));
    for ranked in &whole {
        assert_is(ranked.score, scores[ranked.index], "the score is the one handed in");
    }
    for limit in limits {
        let top = reranker.rerank_top(&batch, &QUERY, limit).unwrap();
        assert_eq!(top, whole[..limit.min(whole.len())], "the first {limit}");
    }
}

proptest! {
    #[test]
    fn the_order_equals_a_stable_sort_and_every_top_its_head(scores in scores(130)) {
        assert_ordered(&scores, &mut Reranker::default(), 0..scores.len() + 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn large_batches_equal_a_stable_sort(scores in scores(4000), limit in any::<prop::sample::Index>()) {
        let limit = limit.index(scores.len() + 1);
        assert_ordered(&scores, &mut Reranker::default(), [0, 1, 20, 48, 49, 500, limit, scores.len()]);
    }

    #[test]
    fn scratch_of_one_batch_leaves_no_trace_in_the_next(batches in vec(scores(300), 1..6)) {
        let mut reranker = Reranker::default();
        for scores in batches {
            assert_ordered(&scores, &mut reranker, [5, 50]);
        }
    }
}

/// The sizes at which the sort changes its method, and the worst inputs for each method.
#[test]
fn sorted_reversed_and_equal_batches_are_ordered_at_every_size() {
    let mut reranker = Reranker::default();
    for size in (0..=130).chain([255, 256, 257, 511, 512, 513, 1000, 3000]) {
        let rising: Vec<f64> = (0..size).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().map(|score| -score).collect();
        let equal = vec![0.25; size as usize];
        let steep: Vec<f64> = (0..size).map(|place| 2_f64.powi(place * 7 % 1000)).collect();
        let signs: Vec<f64> =
            rising.iter().map(|score| if score % 2.0 == 0.0 { 0.0 } else { -0.0 }).collect();
        let infinite: Vec<f64> =
            rising.iter().map(|score| (score % 3.0 - 1.0) * f64::MAX).collect();
        for scores in [rising, falling, equal, steep, signs, infinite] {
            assert_ordered(&scores, &mut reranker, [1, size as usize / 2]);
        }
    }
}

#[test]
fn infinite_scores_stand_at_the_ends_in_their_order() {
    let weights = Weights::from_array([1e308, -0.0, -0.0, -0.0, -0.0, -0.0]);
    let query = Query { weighting: Weighting::Uniform(weights), ..QUERY };
    let batch = batch(&[-1e10, 1e10, 0.0, 1e11, -1e11, 1.0]);
    for limit in 0..=batch.len() {
        let ranking = Reranker::default().rerank_top(&batch, &query, limit).unwrap();
        assert_eq!(indices(&ranking), [1, 3, 5, 2, 0, 4][..limit]);
    }
}
