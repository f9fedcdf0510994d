//! A memory index in a native program: stores two memories, searches, and recalls the best result.
//!
//! Run it with `cargo run --example rust_memory`.

use nous_wasm::columns::VectorForm;
use nous_wasm::memory::{
    Access, Embedding, Filters, MemoryIndex, NameKind, NodeChange, Options, RankingWeights, Search,
    Target,
};
use nous_wasm::search::Serendipity;
use nous_wasm::{Config, SectionTable};

const DAY: f64 = 86_400_000.0;
/// 1 March 2026, in milliseconds since 1970.
const NOW: f64 = 1_772_323_200_000.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options {
        dimensions: 3,
        form: VectorForm::F32,
        embedding_id: "example".into(),
        max_bytes: 1 << 28,
    };
    let mut memory = MemoryIndex::new(options, Config::default())?;
    let lesson = memory.name(NameKind::Subtype, "custom:lesson")?;
    let signal = memory.name(NameKind::Subtype, "custom:signal")?;

    let node = |subtype, days: f64, embedding| NodeChange {
        target: Target::New,
        sequence: None,
        created_at: Some(NOW - days * DAY),
        last_accessed: Access::Never,
        access_count: None,
        stability: None,
        retrievability: None,
        difficulty: None,
        salience: None,
        state: None,
        node_type: None,
        subtype: Some(subtype),
        tags: None,
        clusters: None,
        embedding: Embedding::Given(embedding),
    };
    let rows = memory.upsert(
        &[node(lesson, 50.0, &[1.0, 0.1, 0.0]), node(signal, 0.1, &[0.2, 1.0, 0.0])],
        NOW,
    )?;

    let filters = Filters::default();
    let outcome = memory.search(&Search {
        embedding: Some(&[1.0, 0.3, 0.0]),
        bm25: &[],
        filters: &filters,
        limit: Some(5),
        max_seeds: None,
        now: NOW,
        weights: RankingWeights::OfSections,
        connections: false,
        serendipity: Serendipity::Off,
    })?;
    for ranked in &outcome.ranked {
        println!("row {}: {:.3}", outcome.kept[ranked.index].row, ranked.score);
    }
    memory.recall(&rows[..1], NOW)?;
    println!("in a month {} states change", memory.transitions(NOW + 30.0 * DAY)?.len());
    println!("lessons belong to {:?}", SectionTable::default().section_of(Some("custom:lesson")));
    Ok(())
}
