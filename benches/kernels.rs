//! Benchmarks of the kernels, each beside a plain baseline in the same run.
//!
//! `cargo bench --features benches` takes under two minutes. Medians of two runs on a shared
//! machine differ by about 10 %, so compare within a run. The baselines are the plain
//! implementations of the property tests, with the platform's exp and tanh. Their results equal
//! those of the kernels except for the last bits of these two functions.

use std::hint::black_box;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use nous_wasm::{
    Candidate, ContextRow, Curve, DecayColumns, Hit, IntentClassifier, Matcher, MergeOptions,
    Query, Reranker, Section, SectionSet, SectionTable, Weighting, decay, format_context,
    merge_and_select,
};

#[path = "../tests/native/common/naive.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod naive;

use naive::{DAY, Math};

/// The platform's functions, for baselines.
struct Platform;

impl Math for Platform {
    fn exp(x: f64) -> f64 {
        x.exp()
    }
    fn tanh(x: f64) -> f64 {
        x.tanh()
    }
}

/// 2026-02-20, 12:00 UTC.
const NOW: f64 = 1_771_588_800_000.0;
/// The default limit of results.
const TOP: usize = 20;

/// Pseudo-random numbers, the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Returns a number in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a whole number below `bound`; small ones are more frequent.
    fn count(&mut self, bound: f64) -> f64 {
        (self.unit() * self.unit() * bound).floor()
    }

    fn section(&mut self) -> Section {
        Section::ALL[self.next() as usize % Section::ALL.len()]
    }
}

fn candidates(count: usize) -> Vec<Candidate> {
    let mut random = Random(1);
    let mut candidate = || {
        let idle = random.count(400.0) * DAY;
        Candidate {
            semantic_score: random.unit(),
            bm25_score: if random.unit() < 0.5 { 0.0 } else { random.unit() * 12.0 },
            graph_score: if random.unit() < 0.6 { 0.0 } else { random.unit() },
            last_accessed: NOW - idle - random.unit() * DAY,
            created_at: NOW - idle - random.count(400.0) * DAY - DAY,
            access_count: random.count(60.0),
            inbound_edge_count: random.count(12.0),
            section: random.section(),
        }
    };
    (0..count).map(|_| candidate()).collect()
}

/// Long benchmarks have the same number of iterations in each sample, or the run would take
/// minutes.
fn sampling(count: usize) -> SamplingMode {
    if count < 100_000 { SamplingMode::Linear } else { SamplingMode::Flat }
}

fn rerank(c: &mut Criterion) {
    let table = SectionTable::default();
    let query = Query { weighting: Weighting::Sections(&table), avg_inbound_edges: 2.0, now: NOW };
    let mut reranker = Reranker::default();
    let mut group = c.benchmark_group("rerank");
    for count in [10, 50, 200, 500, 2_000, 10_000, 100_000] {
        let batch = candidates(count);
        group.sampling_mode(sampling(count));
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("whole", count), |b| {
            b.iter(|| reranker.rerank(black_box(&batch), &query).unwrap());
        });
        group.bench_function(BenchmarkId::new("top 20", count), |b| {
            b.iter(|| reranker.rerank_top(black_box(&batch), &query, TOP).unwrap());
        });
        group.bench_function(BenchmarkId::new("baseline: map and sort", count), |b| {
            b.iter(|| naive::rerank::<Platform>(black_box(&batch), &query));
        });
    }
    group.finish();
}

fn decay_columns(c: &mut Criterion) {
    let table = SectionTable::default();
    let mut group = c.benchmark_group("decay columns");
    for count in [1_000, 100_000] {
        let mut random = Random(2);
        let last_accessed: Vec<f64> =
            (0..count).map(|_| NOW - random.unit() * 200.0 * DAY).collect();
        let stability: Vec<f64> = (0..count).map(|_| 1.0 + random.unit() * 180.0).collect();
        let section: Vec<u8> = (0..count).map(|_| random.section() as u8).collect();
        let columns = DecayColumns {
            last_accessed: &last_accessed,
            stability: &stability,
            section: &section,
        };
        let (mut retrievability, mut lifecycle) = (vec![0.0; count], vec![0; count]);
        group.sampling_mode(sampling(count));
        group.throughput(Throughput::Elements(count as u64));
        for (name, curve) in [("exponential", Curve::Exponential), ("FSRS-6", Curve::Fsrs6)] {
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| {
                    let columns = black_box(columns);
                    decay::decay_columns(
                        columns,
                        NOW,
                        &table,
                        curve,
                        &mut retrievability,
                        &mut lifecycle,
                    )
                    .unwrap();
                });
            });
        }
        group.bench_function(
            BenchmarkId::new("baseline: exponential with std's exp", count),
            |b| {
                b.iter(|| {
                    let columns = black_box(columns);
                    naive::decay_columns::<Platform>(
                        columns,
                        NOW,
                        &table,
                        &mut retrievability,
                        &mut lifecycle,
                    );
                });
            },
        );
    }
    group.finish();
}

/// Returns a question of about `characters` characters with one string of the table in its middle.
fn question(characters: usize) -> String {
    const WORDS: [&str; 12] = [
        "btc", "funding", "on", "the", "venues", "we", "talked", "about", "turned", "negative",
        "after", "midnight",
    ];
    let mut random = Random(3);
    let mut text = String::from("Which");
    let mut asked = false;
    while text.len() < characters {
        let word = if !asked && text.len() >= characters / 2 {
            "lesson"
        } else {
            WORDS[random.next() as usize % 12]
        };
        asked |= word == "lesson";
        text.push(' ');
        text.push_str(word);
    }
    text
}

fn intent(c: &mut Criterion) {
    let classifier = IntentClassifier::default();
    let table = naive::intent_table();
    let mut group = c.benchmark_group("intent");
    for characters in [60, 300, 2_000] {
        let query = question(characters);
        assert_eq!(
            classifier.classify(&query, Matcher::Substring).iter().collect::<Vec<_>>(),
            [Section::Knowledge]
        );
        group.throughput(Throughput::Bytes(query.len() as u64));
        for (name, matcher) in [("substring", Matcher::Substring), ("words", Matcher::Words)] {
            group.bench_function(BenchmarkId::new(name, characters), |b| {
                b.iter(|| classifier.classify(black_box(&query), matcher));
            });
        }
        group.bench_function(
            BenchmarkId::new("baseline: contains for each string", characters),
            |b| {
                b.iter(|| naive::classify(black_box(&query), &table));
            },
        );
    }
    group.finish();
}

fn merge(c: &mut Criterion) {
    let table = SectionTable::default();
    let options =
        MergeOptions { intents: SectionSet::from_bits(0b0101), ..MergeOptions::default() };
    let mut group = c.benchmark_group("merge");
    for (groups, rows) in [(4, 25), (8, 1_000)] {
        let mut random = Random(4);
        // Half of the results of a sub-query occur in another one too.
        let ids: Vec<String> = (0..groups * rows / 2).map(|id| format!("n_{id:012}")).collect();
        let mut hit = |place: usize| Hit {
            id: Some(&ids[random.next() as usize % ids.len()]),
            score: random.unit() * (rows - place) as f64 / rows as f64,
            section: random.section(),
        };
        let results: Vec<Vec<Hit>> =
            (0..groups).map(|_| (0..rows).map(&mut hit).collect()).collect();
        let sub_results: Vec<&[Hit]> = results.iter().map(Vec::as_slice).collect();
        let size = format!("{groups} x {rows}");
        group.throughput(Throughput::Elements((groups * rows) as u64));
        group.bench_function(BenchmarkId::new("select", &size), |b| {
            b.iter(|| merge_and_select(black_box(&sub_results), &options, &table));
        });
        group.bench_function(BenchmarkId::new("baseline: map, sort, filter", &size), |b| {
            b.iter(|| naive::merge_and_select(black_box(&sub_results), &options, &table));
        });
    }
    group.finish();
}

fn context(c: &mut Criterion) {
    let table = SectionTable::default();
    let text =
        "Funding squeezes often reverse within a day; wait for the second candle before you fade one. ".repeat(3);
    let bodies: Vec<String> = (0..TOP)
        .map(|row| match row % 2 {
            0 => text.clone(),
            _ => format!(
                r#"{{ "text": "{text}", "signals": {{ "symbol": "BTC", "pnl_pct": -{row}.25 }} }}"#
            ),
        })
        .collect();
    let row = |body| ContextRow {
        subtype: Some("custom:lesson"),
        title: Some("Funding squeezes often reverse in 24h"),
        body: Some(body),
        created_at: Some("2026-01-15T09:30:00.000Z"),
        ..ContextRow::default()
    };
    let rows: Vec<ContextRow> = bodies.iter().map(|body| row(body.as_str())).collect();
    let mut group = c.benchmark_group("context");
    group.throughput(Throughput::Bytes(bodies.iter().map(|body| body.len() as u64).sum()));
    group.bench_function("20 rows", |b| {
        b.iter(|| format_context(black_box(&rows), 4_000.0, &table))
    });
    group.bench_function("baseline: 20 rows with serde_json's values", |b| {
        b.iter(|| naive::format_context(black_box(&rows), 4_000.0, &table));
    });
    group.finish();
}

fn short() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(25)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
}

criterion_group! {
    name = kernels;
    config = short();
    targets = rerank, decay_columns, intent, merge, context
}
criterion_main!(kernels);
