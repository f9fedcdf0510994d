//! What the conversation says already: memories compared with its messages.

/// A memory that shares more of its words with a message says nothing new.
pub const SAID_IN_WORDS: f64 = 0.5;
/// A memory whose embedding lies closer to a message's says nothing new: its cosine.
pub const SAID_IN_MEANING: f64 = 0.85;

/// In seed-compatible mode no more of the conversation's last messages count, whoever spoke.
pub const SEED_MESSAGES: u32 = 8;

/// For each memory its largest cosine with a message; 0 without messages. Embeddings stand one
/// after the other, all of so many dimensions. A vector of zeros is like none, and so is one too
/// large to have a length.
pub fn cosines(memories: &[f64], messages: &[f64], dimensions: usize) -> Vec<f64> {
    let lengths: Vec<f64> = messages.chunks_exact(dimensions).map(length).collect();
    let most = |memory: &[f64]| {
        let own = length(memory);
        let cosines = messages.chunks_exact(dimensions).zip(&lengths).map(|(message, length)| {
            let cosine = dot(memory, message) / (own * length);
            if cosine.is_finite() { cosine } else { 0.0 }
        });
        cosines.reduce(|most, cosine| if cosine > most { cosine } else { most }).unwrap_or(0.0)
    };
    memories.chunks_exact(dimensions).map(most).collect()
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Summed in order, from the first on.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
