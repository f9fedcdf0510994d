//! Embeddings against plain implementations of their rules, and against a plain map through
//! additions and removals.
//!
//! Recall is measured among 10,000 vectors if the tests are optimised, else among fewer.

use std::collections::BTreeMap;

use nous_wasm::columns::{Column, Row, SEGMENT, StoredVector, VectorForm, Vectors};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const FORMS: [VectorForm; 2] = [VectorForm::F32, VectorForm::I8];

/// The rules as documented, one step after the other.
mod naive {
    use nous_wasm::columns::VectorForm;

    pub fn normalise(embedding: &[f64]) -> Vec<f32> {
        let mut squares = 0.0;
        for component in embedding {
            squares += component * component;
        }
        embedding.iter().map(|component| (component / squares.sqrt()) as f32).collect()
    }

    pub fn dot(a: &[f32], b: &[f32]) -> f32 {
        let mut lanes = [0.0_f32; 16];
        for i in 0..a.len() {
            let product = a[i] * b[i];
            lanes[i % 16] += product;
        }
        let mut half = 8;
        while half >= 1 {
            for lane in 0..half {
                lanes[lane] += lanes[lane + half];
            }
            half /= 2;
        }
        lanes[0]
    }

    pub fn quantise(row: &[f32], max_code: i64) -> (Vec<i64>, f32) {
        let mut largest = 0.0;
        for &component in row {
            largest = f64::max(largest, f64::from(component).abs());
        }
        let step = (largest / max_code as f64) as f32;
        let code = |component: f32| {
            let exact = f64::from(component) / f64::from(step);
            (exact.signum() * (exact.abs() + 0.5).floor()) as i64
        };
        let codes: Vec<i64> = row.iter().map(|&component| code(component)).collect();
        let mut along = 0.0;
        for i in 0..row.len() {
            along += codes[i] as f64 * f64::from(row[i]);
        }
        (codes, (1.0 / along) as f32)
    }

    /// Returns the score of a row for a query, both unscaled.
    pub fn score(form: VectorForm, row: &[f64], query: &[f64]) -> f64 {
        let (row, query) = (normalise(row), normalise(query));
        match form {
            VectorForm::F32 => f64::from(dot(&row, &query)),
            VectorForm::I8 => {
                let max_query_code = 32_767.min((i64::from(i32::MAX)) / (127 * row.len() as i64));
                let ((row, row_scale), (query, query_scale)) =
                    (quantise(&row, 127), quantise(&query, max_query_code));
                let mut sum = 0;
                for i in 0..row.len() {
                    sum += row[i] * query[i];
                }
                assert!(i32::try_from(sum).is_ok());
                sum as f64 * f64::from(row_scale) * f64::from(query_scale)
            }
        }
    }
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns a number in (0, 1).
    fn fraction(&mut self) -> f64 {
        (self.below(1 << 31) as f64 + 0.5) / (1_u64 << 31) as f64
    }

    /// Returns a normally distributed number of variance 1.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.fraction().ln()).sqrt() * (std::f64::consts::TAU * self.fraction()).cos()
    }

    fn embedding(&mut self, dimensions: usize) -> Vec<f64> {
        (0..dimensions).map(|_| self.normal()).collect()
    }
}

/// Creates vectors of rows from 0 on.
fn filled(dimensions: usize, embeddings: &[Vec<f64>], form: VectorForm) -> Vectors {
    let mut vectors = Vectors::new(dimensions, form);
    for (row, embedding) in embeddings.iter().enumerate() {
        vectors.check(embedding).unwrap();
        vectors.set(row as Row, embedding);
    }
    vectors
}

/// Rows and the bits of their scores.
type Ranking = Vec<(Row, u64)>;

fn ranking(
    vectors: &Vectors,
    query: &[f64],
    limit: usize,
    passes: Option<&dyn Fn(Row) -> bool>,
    sequence: impl Fn(Row) -> f64,
) -> Ranking {
    let query = vectors.query(query).unwrap();
    vectors
        .similar(&query, limit, passes, sequence)
        .iter()
        .map(|it| (it.row, it.score.to_bits()))
        .collect()
}

/// Returns all rows of a map that pass, ranked by sorting them.
fn naive_ranking<'a>(
    rows: impl IntoIterator<Item = (Row, &'a Vec<f64>)>,
    form: VectorForm,
    query: &[f64],
    passes: impl Fn(Row) -> bool,
    sequence: impl Fn(Row) -> f64,
) -> Ranking {
    let rows = rows.into_iter().filter(|&(row, _)| passes(row));
    let mut scored: Vec<(Row, f64)> =
        rows.map(|(row, embedding)| (row, naive::score(form, embedding, query))).collect();
    scored.sort_by(|a, b| sequence(a.0).total_cmp(&sequence(b.0)));
    scored.sort_by(|a, b| b.1.partial_cmp(&a.1).expect("no score is NaN"));
    scored.into_iter().map(|(row, score)| (row, score.to_bits())).collect()
}

fn component() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -1.0..1.0,
        // Few values: ties between rows, halves between codes.
        3 => select(&[0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0][..]),
        1 => -1e100..1e100_f64,
        1 => -1e-100..1e-100_f64,
    ]
}

fn embedding(dimensions: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(component(), dimensions).prop_filter("has a direction", |embedding| {
        embedding.iter().any(|component| component.abs() > 1e-120)
    })
}

/// A query and rows of equal length, some rows twice.
fn embeddings() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<f64>>)> {
    select(&[1_usize, 3, 15, 16, 17, 384][..]).prop_flat_map(|dimensions| {
        let picks = vec(any::<usize>(), 0..30);
        let rows = (vec(embedding(dimensions), 1..12), picks).prop_map(|(distinct, picks)| {
            picks.iter().map(|pick| distinct[pick % distinct.len()].clone()).collect()
        });
        (embedding(dimensions), rows)
    })
}

proptest! {
    #[test]
    fn stored_vectors_follow_the_rules((query, rows) in embeddings()) {
        for form in FORMS {
            let vectors = filled(query.len(), &rows, form);
            for (row, embedding) in rows.iter().enumerate() {
                let unit = naive::normalise(embedding);
                match (form, vectors.stored(row as Row)) {
                    (VectorForm::F32, Some(StoredVector::F32(components))) => {
                        let bits = |it: &[f32]| it.iter().map(|component| component.to_bits()).collect::<Vec<_>>();
                        prop_assert_eq!(bits(components), bits(&unit));
                    }
                    (VectorForm::I8, Some(StoredVector::I8 { codes, scale })) => {
                        let (expected, expected_scale) = naive::quantise(&unit, 127);
                        prop_assert_eq!(codes.iter().map(|&code| i64::from(code)).collect::<Vec<_>>(), expected);
                        prop_assert_eq!(scale.to_bits(), expected_scale.to_bits());
                    }
                    (_, other) => prop_assert!(false, "{other:?}"),
                }
            }
        }
    }

    #[test]
    fn the_most_similar_equal_sorting_all(
        (query, rows) in embeddings(),
        divisor in 2..4_u32,
        step in select(&[1_u32, 7, 11, 31][..]),
    ) {
        // Sequences rise and fall over the rows, each of them once.
        let sequence = |row: Row| f64::from((row * step) % 37);
        let some = |row: Row| !row.is_multiple_of(divisor);
        for form in FORMS {
            let vectors = filled(query.len(), &rows, form);
            for (filter, passes) in [(None, &(|_| true) as &dyn Fn(Row) -> bool), (Some(&some as _), &some as _)] {
                let all = rows.iter().enumerate().map(|(row, embedding)| (row as Row, embedding));
                let expected = naive_ranking(all, form, &query, passes, sequence);
                for limit in (0..=expected.len() + 1).chain([100_000]) {
                    let best = ranking(&vectors, &query, limit, filter, sequence);
                    prop_assert_eq!(&best[..], &expected[..limit.min(expected.len())]);
                }
                let ready = vectors.query(&query).unwrap();
                for (row, score) in expected {
                    prop_assert_eq!(vectors.similarity(&ready, row).map(f64::to_bits), Some(score));
                }
            }
        }
    }
}

/// Members of a cluster differ by less than their codes can show, so only the bounds decide which
/// are skipped.
#[test]
fn nearly_equal_vectors_are_ranked_exactly() {
    let mut dice = Dice(5);
    for (dimensions, spread) in
        [16, 100, 384, 2_048].into_iter().flat_map(|it| [1.0, 0.03, 1e-4, 1e-7].map(|s| (it, s)))
    {
        let centre = dice.embedding(dimensions);
        let mut near = |spread: f64| -> Vec<f64> {
            let noise = dice.embedding(dimensions);
            centre.iter().zip(noise).map(|(component, noise)| component + spread * noise).collect()
        };
        let rows: Vec<Vec<f64>> = (0..300).map(|_| near(spread)).collect();
        for query in [near(spread), near(3.0)] {
            for form in FORMS {
                let vectors = filled(dimensions, &rows, form);
                let all = rows.iter().enumerate().map(|(row, embedding)| (row as Row, embedding));
                let expected = naive_ranking(all, form, &query, |_| true, f64::from);
                for limit in [1, 10, 299] {
                    assert_eq!(
                        ranking(&vectors, &query, limit, None, f64::from),
                        expected[..limit]
                    );
                }
            }
        }
    }
}

#[test]
fn vectors_equal_a_plain_map_through_changes() {
    for (seed, (form, dimensions)) in
        FORMS.into_iter().flat_map(|form| [3, 16, 50].map(|it| (form, it))).enumerate()
    {
        let mut dice = Dice(seed as u64);
        let mut vectors = Vectors::new(dimensions, form);
        let mut model: BTreeMap<Row, Vec<f64>> = BTreeMap::new();
        for step in 0..1_200 {
            let row = dice.below(90) as Row;
            // It grows, then shrinks, and so on.
            if dice.below(10) < if step / 300 % 2 == 0 { 7 } else { 2 } {
                let embedding = dice.embedding(dimensions);
                vectors.set(row, &embedding);
                model.insert(row, embedding);
            } else {
                vectors.remove(row);
                model.remove(&row);
            }
            assert_eq!(vectors.has(row), model.contains_key(&row));
            if step % 23 == 0 {
                assert_eq!((vectors.len(), vectors.is_empty()), (model.len(), model.is_empty()));
                assert!(vectors.bytes() <= vectors.capacity_bytes());
                let query = dice.embedding(dimensions);
                let best = ranking(&vectors, &query, 200, None, f64::from);
                let rows = model.iter().map(|(&row, embedding)| (row, embedding));
                assert_eq!(
                    best,
                    naive_ranking(rows, form, &query, |_| true, f64::from),
                    "at step {step}"
                );
                for row in 0..100 {
                    assert_eq!(
                        vectors.stored(row).is_some(),
                        model.contains_key(&row),
                        "row {row} at step {step}"
                    );
                }
            }
        }
    }
}

#[test]
fn equal_scores_are_ordered_by_sequence_after_moves() {
    for form in FORMS {
        let mut vectors = filled(3, &vec![vec![1.0, 2.0, 3.0]; 500], form);
        (0..500).step_by(3).for_each(|row| vectors.remove(row));
        let sequence = |row: Row| f64::from(500 - row);
        let expected: Vec<Row> = (0..500).rev().filter(|row| row % 3 != 0).collect();
        for limit in [0, 1, 2, 49, 50, 332, 333, 334, 100_000] {
            let best = ranking(&vectors, &[3.0, 2.0, 1.0], limit, None, sequence);
            let rows: Vec<Row> = best.iter().map(|&(row, _)| row).collect();
            assert_eq!(rows, expected[..limit.min(expected.len())], "the first {limit}");
        }
    }
}

#[test]
fn an_embedding_without_a_direction_is_refused() {
    let missing_length = "must have 3 components";
    let infinite = "must consist of finite numbers";
    let small = "is too small: its squares add up to less than a number can hold in full";
    let large = "is too large: its squares add up to more than a number can hold";
    for form in FORMS {
        let vectors = Vectors::new(3, form);
        let cases: [(&[f64], &str, Option<f64>); 12] = [
            (&[], missing_length, Some(0.0)),
            (&[1.0, 2.0], missing_length, Some(2.0)),
            (&[1.0; 4], missing_length, Some(4.0)),
            (&[0.0, f64::INFINITY, 0.0], infinite, Some(f64::INFINITY)),
            (&[0.0, 1.0, f64::NEG_INFINITY], infinite, Some(f64::NEG_INFINITY)),
            (&[0.0; 3], "must not be zero", None),
            (&[0.0, -0.0, 0.0], "must not be zero", None),
            (&[1e-170, 5e-324, -1e-162], small, None),
            // Each square is rounded to nearly twice its value.
            (&[1.6e-162; 3], small, None),
            (&[0.0, 1.4e-154, 0.0], small, None),
            (&[1e154, 1e154, 1e154], large, None),
            (&[f64::MAX, 0.0, 0.0], large, None),
        ];
        for (embedding, problem, found) in cases {
            for error in
                [vectors.check(embedding).unwrap_err(), vectors.query(embedding).unwrap_err()]
            {
                let reported = (
                    error.code(),
                    error.field(),
                    error.index(),
                    error.problem(),
                    error.number_found(),
                );
                assert_eq!(reported, ("invalid_argument", "embedding", None, problem, found));
            }
        }
        let nan = vectors.check(&[0.0, f64::NAN, 1.0]).unwrap_err();
        assert_eq!(nan.problem(), infinite);
        assert!(nan.number_found().is_some_and(f64::is_nan));
        for accepted in [[1.5e-154, 0.0, 0.0], [1e153, 1e154, -1e153], [5e-324, 1.0, 0.0]] {
            assert_eq!(vectors.check(&accepted), Ok(()));
        }
    }
}

#[test]
fn the_smallest_embeddings_are_scaled_to_length_1() {
    let mut dice = Dice(41);
    for magnitude in [1e-153, 1e-154, 1.1e-155] {
        let embedding: Vec<f64> =
            dice.embedding(384).iter().map(|component| component * magnitude).collect();
        let vectors = filled(384, std::slice::from_ref(&embedding), VectorForm::F32);
        let Some(StoredVector::F32(unit)) = vectors.stored(0) else { panic!("it is kept") };
        let length = unit.iter().map(|&component| f64::from(component).powi(2)).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "{magnitude:e}: {length}");
        let cosine =
            vectors.similar(&vectors.query(&embedding).unwrap(), 1, None, |_| 0.0)[0].score;
        assert!((cosine - 1.0).abs() < 1e-6, "{magnitude:e}: {cosine}");
    }
}

#[test]
fn zero_dimensions_and_queries_of_another_form_find_nothing() {
    for form in FORMS {
        let mut none = Vectors::new(0, form);
        assert!(
            none.check(&[]).is_err() && none.query(&[]).is_err() && none.check(&[1.0]).is_err()
        );
        none.remove(7);
        let reported =
            (none.len(), none.dimensions(), none.form(), none.bytes(), none.capacity_bytes());
        assert_eq!(reported, (0, 0, form, 0, 0));
        assert_eq!((none.has(0), none.stored(0)), (false, None));

        let vectors = filled(20, &[vec![1.0; 20]], form);
        let other_form = if form == VectorForm::F32 { VectorForm::I8 } else { VectorForm::F32 };
        for other in [Vectors::new(20, other_form), Vectors::new(40, form)] {
            let query = other.query(&vec![1.0; other.dimensions()]).unwrap();
            assert_eq!(vectors.similar(&query, 5, None, f64::from), []);
            assert_eq!(vectors.similarity(&query, 0), None);
        }
        let query = vectors.query(&[1.0; 20]).unwrap();
        assert_eq!(vectors.similarity(&query, 1), None);
        assert_eq!(none.similar(&query, 5, None, f64::from), []);
    }
}

#[test]
fn stored_vectors_are_restored_to_the_bit() {
    let mut dice = Dice(5);
    for form in FORMS {
        let embeddings: Vec<Vec<f64>> = (0..40).map(|_| dice.embedding(19)).collect();
        let vectors = filled(19, &embeddings, form);
        let mut copy = Vectors::new(19, form);
        for row in (0..40).rev() {
            match vectors.stored(row).unwrap() {
                StoredVector::F32(components) => copy.restore_f32(row, components),
                StoredVector::I8 { codes, scale } => copy.restore_i8(row, scale, &codes),
            }
        }
        let query = dice.embedding(19);
        assert_eq!(
            ranking(&copy, &query, 40, None, f64::from),
            ranking(&vectors, &query, 40, None, f64::from)
        );
        assert!((0..40).all(|row| copy.stored(row) == vectors.stored(row)));
    }
}

/// So many that a segment of 4 MiB holds about 256 vectors in f32 and 1,024 in i8.
const MANY_DIMENSIONS: usize = 4_096;

/// Nearly an axis, which is fast to create.
fn axis(row: Row) -> Vec<f64> {
    let mut embedding = vec![0.0; MANY_DIMENSIONS];
    embedding[row as usize] = 1.0;
    embedding[row as usize / 2] += 0.25;
    embedding
}

#[test]
fn segments_are_allocated_and_freed_in_order() {
    // In f32 three segments of vectors, and one of outlines.
    for (form, count, segments) in [(VectorForm::F32, 600, 4), (VectorForm::I8, 2_100, 3)] {
        let mut vectors = Vectors::new(MANY_DIMENSIONS, form);
        for row in 0..count {
            vectors.set(row, &axis(row));
        }
        let full = vectors.capacity_bytes();
        let just = |bytes: usize, segments: usize| {
            (segments << 22..(segments << 22) + 50_000).contains(&bytes)
        };
        assert!(just(full, segments), "{segments} segments and the rows: {full}");
        // The remaining ones come from all segments, and the last moved to the front.
        (0..count).filter(|row| row % 100 != 99).for_each(|row| vectors.remove(row));
        let kept: Vec<Row> = (0..count).filter(|row| row % 100 == 99).collect();
        assert_eq!(vectors.len(), kept.len());
        for &row in &kept {
            let query = vectors.query(&axis(row)).unwrap();
            let best = vectors.similar(&query, 1, None, f64::from);
            assert_eq!(best.iter().map(|it| it.row).collect::<Vec<_>>(), [row]);
            assert_eq!(vectors.similarity(&query, row), Some(best[0].score));
            assert_eq!(
                best[0].score.to_bits(),
                naive::score(form, &axis(row), &axis(row)).to_bits()
            );
        }
        let spare = vectors.capacity_bytes();
        assert!(just(spare, segments - 1), "one segment to spare: {spare}");
        assert_eq!(vectors.need(kept.len(), count as usize), 0);
        for row in 0..count {
            vectors.set(row, &axis(row));
        }
        assert_eq!((vectors.len(), vectors.capacity_bytes()), (count as usize, full));
    }
}

#[test]
fn short_vectors_are_found_beyond_the_segments_of_columns() {
    let count = SEGMENT as Row + 100;
    let alike = [7, SEGMENT as Row - 1, SEGMENT as Row, count - 1];
    for form in FORMS {
        let mut vectors = Vectors::new(2, form);
        (0..count).for_each(|row| {
            vectors.set(row, if alike.contains(&row) { &[0.6, 0.8] } else { &[0.8, -0.6] })
        });
        let query = vectors.query(&[3.0, 4.0]).unwrap();
        for last_has_moved in [false, true] {
            let rows: Vec<Row> =
                vectors.similar(&query, 4, None, f64::from).iter().map(|it| it.row).collect();
            assert_eq!(rows, alike);
            let some = |row: Row| row > 7 && row != SEGMENT as Row;
            let rows: Vec<Row> = vectors
                .similar(&query, 2, Some(&some), f64::from)
                .iter()
                .map(|it| it.row)
                .collect();
            assert_eq!(rows, [alike[1], alike[3]]);
            assert!(
                alike
                    .iter()
                    .all(|&row| vectors.similarity(&query, row).is_some_and(|score| score > 0.999))
            );
            if !last_has_moved {
                vectors.remove(0);
            }
        }
        (1..count).for_each(|row| vectors.remove(row));
        assert_eq!((vectors.len(), vectors.similar(&query, 4, None, f64::from)), (0, vec![]));
        vectors.set(5, &[1.0, 0.0]);
        assert_eq!(vectors.similar(&query, 4, None, f64::from).len(), 1);
    }
}

#[test]
fn need_covers_the_bytes_taken() {
    let mut dice = Dice(9);
    let steps: [(usize, u64, usize); 5] =
        [(1, 1, 300), (20, 300, 40), (300, 70_000, 12), (7, 200_000, 6), (900, 9, 4)];
    for form in FORMS {
        for (dimensions, spread, times) in
            steps.map(|(more, spread, times)| (1 + more / 7, spread, times))
        {
            let mut vectors = Vectors::new(dimensions, form);
            let mut rows = 0;
            for _ in 0..times {
                let more = dice.below(60) as usize;
                let new: Vec<Row> =
                    (0..more).map(|_| dice.below(rows as u64 + spread) as Row).collect();
                rows = new.iter().fold(rows, |rows, &row| rows.max(row as usize + 1));
                let (need, before) = (vectors.need(more, rows), vectors.capacity_bytes());
                new.iter().for_each(|&row| vectors.set(row, &vec![1.0; dimensions]));
                let taken = vectors.capacity_bytes() - before;
                assert!(
                    taken <= need,
                    "{taken} bytes were taken, {need} needed, for {more} of {rows} rows"
                );
                assert_eq!(vectors.need(0, rows), 0);
                if dice.below(5) == 0 {
                    (0..rows as Row).filter(|row| row % 3 != 0).for_each(|row| vectors.remove(row));
                }
            }
        }
        // Across segments, and not much more than is taken.
        let mut vectors = Vectors::new(MANY_DIMENSIONS, form);
        for end in [100, 250, 300, 1_100] {
            let before = vectors.capacity_bytes();
            let need = vectors.need(end as usize - vectors.len(), end as usize);
            (0..end).filter(|&row| !vectors.has(row)).collect::<Vec<_>>().into_iter().for_each(
                |row| {
                    vectors.set(row, &axis(row));
                },
            );
            let taken = vectors.capacity_bytes() - before;
            assert!(taken <= need, "{taken} bytes were taken, {need} needed, for {end} rows");
            assert!(
                need <= 2 * taken + (4 << 20),
                "{taken} bytes were taken, {need} needed, for {end} rows"
            );
        }
        assert_eq!(vectors.need(usize::MAX, usize::MAX), usize::MAX, "more than there can be");
    }
}

/// Returns the most bytes that a column takes at any moment while entries are added one by one,
/// moves included.
fn max_taken<T: Copy>(column: &mut Column<T>, more: usize, value: T) -> usize {
    let entry = size_of::<T>();
    let before = column.capacity_bytes();
    let mut max = before;
    for _ in 0..more {
        let place = |column: &Column<T>| column.segments().first().map_or(0, Vec::capacity) * entry;
        let old = place(column);
        column.push(value);
        let moved = if place(column) == old { 0 } else { old };
        max = max.max(column.capacity_bytes() + moved);
    }
    let room: usize = column.segments().iter().map(Vec::capacity).sum();
    assert_eq!(column.capacity_bytes(), room * entry);
    max - before
}

fn columns_tell_what_they_need<T: Copy>(value: T) {
    let entry = size_of::<T>();
    let mut empty = Column::<T>::default();
    assert_eq!([0, 1, 4].map(|more| empty.need(more)), [0, 4 * entry, 4 * entry]);
    assert_eq!(
        empty.need(5),
        (4 + 8) * entry,
        "a place for 4 and one for 8, into which those move"
    );
    assert_eq!(
        (max_taken(&mut empty, 5, value), empty.capacity_bytes()),
        ((4 + 8) * entry, 8 * entry)
    );
    let mut dice = Dice(17);
    for max in [3, 40, 1_000, 90_000] {
        let mut column = Column::<T>::default();
        for _ in 0..12 {
            let more = dice.below(max) as usize;
            let need = column.need(more);
            let taken = max_taken(&mut column, more, value);
            assert!(
                taken <= need,
                "{taken} bytes were taken, {need} needed, for {more} of {}",
                column.len()
            );
            // The need is exact, except for the old allocation that is freed before other segments
            // are allocated.
            assert!(need <= taken + SEGMENT / 2 * entry, "{taken} bytes were taken, {need} needed");
        }
        assert!(
            column.need(usize::MAX) >= usize::MAX - column.capacity_bytes(),
            "more than there can be"
        );
    }
}

#[test]
fn the_need_of_a_column_covers_its_growth() {
    columns_tell_what_they_need(1_u8);
    columns_tell_what_they_need(1_u16);
    columns_tell_what_they_need(1_u32);
    columns_tell_what_they_need(1.0_f64);
}

/// The number of best rows that are compared.
const BEST: usize = 20;
const RECALL_DIMENSIONS: usize = 384;
/// The numbers of vectors and queries of a cell.
const RECALLED: (usize, usize) = if cfg!(debug_assertions) { (700, 20) } else { (10_000, 100) };
const SPREADS: [f64; 4] = [0.05, 0.1, 0.3, 1.0];
const CLUSTERS: [usize; 3] = [10, 100, 1_000];

/// Returns the share of the best rows in f32 that are among the best in i8. The members of a
/// cluster lie around its centre, at `spread` times the noise. The queries are members too, but are
/// not stored.
fn recall(centres: &[Vec<f64>], noise: &[Vec<f64>], queries: usize, spread: f64) -> f64 {
    let member = |(at, noise): (usize, &Vec<f64>)| -> Vec<f64> {
        centres[at % centres.len()]
            .iter()
            .zip(noise)
            .map(|(centre, noise)| centre + spread * noise)
            .collect()
    };
    let mut asked: Vec<Vec<f64>> = noise.iter().enumerate().map(member).collect();
    let members = asked.split_off(queries);
    let [f32, i8] = FORMS.map(|form| filled(RECALL_DIMENSIONS, &members, form));
    let found = asked.iter().map(|query| {
        let [best, best_i8] =
            [&f32, &i8].map(|vectors| ranking(vectors, query, BEST, None, f64::from));
        best.iter().filter(|(row, _)| best_i8.iter().any(|(it, _)| it == row)).count()
    });
    found.sum::<usize>() as f64 / (queries * BEST) as f64
}

/// Returns recall by spread and number of clusters, around centres of a length. The components of
/// the noise have a variance of 1.
fn recalls(length: f64) -> [[f64; CLUSTERS.len()]; SPREADS.len()] {
    let (count, queries) = RECALLED;
    let mut dice = Dice(3);
    let mut embeddings = |count| -> Vec<Vec<f64>> {
        (0..count).map(|_| dice.embedding(RECALL_DIMENSIONS)).collect()
    };
    let (mut centres, noise) = (embeddings(1_000), embeddings(queries + count));
    for centre in &mut centres {
        let factor =
            length / centre.iter().map(|component| component * component).sum::<f64>().sqrt();
        centre.iter_mut().for_each(|component| *component *= factor);
    }
    SPREADS.map(|spread| {
        CLUSTERS.map(|clusters| {
            let recall = recall(&centres[..clusters], &noise, queries, spread);
            println!(
                "centres of length {length:.1}, spread {spread}, {clusters} clusters: {recall:.4}"
            );
            recall
        })
    })
}

#[test]
fn i8_vectors_find_most_of_what_f32_finds() {
    for (spread, recalls) in SPREADS.iter().zip(recalls(1.0)) {
        for (clusters, recall) in CLUSTERS.iter().zip(recalls) {
            assert!(recall >= 0.98, "spread {spread}, {clusters} clusters: {recall}");
        }
    }
}

/// Around centres about 20 times as long as the noise, so that members differ by little more than
/// the rounding of codes.
#[test]
fn most_members_of_very_tight_clusters_are_found() {
    // A little below the recall among 10,000.
    let floors =
        [[0.81, 0.895, 0.97], [0.89, 0.93, 0.975], [0.955, 0.97, 0.98], [0.97, 0.98, 0.98]];
    let recalls = recalls((RECALL_DIMENSIONS as f64).sqrt());
    for ((spread, floors), recalls) in SPREADS.iter().zip(floors).zip(recalls) {
        for ((clusters, floor), recall) in CLUSTERS.iter().zip(floors).zip(recalls) {
            assert!(recall >= floor, "spread {spread}, {clusters} clusters: {recall}, not {floor}");
        }
    }
}
