//! Deduplication: compares memories with the messages of the conversation.

/// A memory whose word overlap with a message exceeds this is redundant.
pub const SAID_IN_WORDS: f64 = 0.5;
/// A memory whose embedding has a larger cosine than this with that of a message is redundant.
pub const SAID_IN_MEANING: f64 = 0.85;

/// The most last messages that seed-compatible mode compares, of all speakers together.
pub const SEED_MESSAGES: u32 = 8;

/// Returns for each memory its largest cosine with a message, or 0 without messages. Embeddings
/// follow each other and have `dimensions` components each. The cosine is 0 for a vector of zeros
/// and for one whose length overflows.
pub fn cosines(memories: &[f64], messages: &[f64], dimensions: usize) -> Vec<f64> {
    let lengths: Vec<f64> = messages.chunks_exact(dimensions).map(length).collect();
    let max = |memory: &[f64]| {
        let own = length(memory);
        let cosines = messages.chunks_exact(dimensions).zip(&lengths).map(|(message, length)| {
            let cosine = dot(memory, message) / (own * length);
            if cosine.is_finite() { cosine } else { 0.0 }
        });
        cosines.reduce(|max, cosine| if cosine > max { cosine } else { max }).unwrap_or(0.0)
    };
    memories.chunks_exact(dimensions).map(max).collect()
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Adds the products in order, from the first on.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
