//! How alike two memories are: by their words, and by the vectors of their beginnings.
//!
//! # Idea
//!
//! Each memory keeps a mark for every word that it holds: 31 bits of a hash of the stem, and one
//! bit that says whether the word is a number. Marks are sorted, so that one walk over two lists
//! counts the words that both hold. The hash depends on letters alone: marks outlive a fold of the
//! vocabulary, and are the same on every platform.
//!
//! Two memories *repeat* each other if they share nine of ten words and every number. "Deploy 1.18
//! is out" does not repeat "Deploy 1.19 is out".
//!
//! # Soundness
//!
//! Two words with one mark count as one word: among 100,000 words of a vocabulary two in a
//! thousand million pairs are confused, which moves a share by one word at most.
//!
//! # Cost
//!
//! Four bytes for each word of a memory. Most pairs fail at the comparison of two lengths.

use super::vectors::CodedVectors;
use crate::order::sort_descending;
use std::cmp::Ordering;

/// Marks of words, sorted.
pub(super) type Marks = Box<[u32]>;

/// The bit of a mark that says that the word is a number.
const NUMBER: u32 = 1;
/// Of the words of two memories that repeat each other, at most one in so many is held by one of
/// them alone. Then they share nine of ten words.
const HELD_BY_BOTH: usize = 19;

/// Returns the mark of a word: FNV-1a of its stem, with the lowest bit for numbers.
pub(super) fn mark(stem: &str) -> u32 {
    let hash = stem
        .bytes()
        .fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash & !NUMBER) | u32::from(stem.chars().any(char::is_numeric))
}

/// Returns the marks of a memory: sorted, each once.
pub(super) fn marks_of(words: impl Iterator<Item = u32>) -> Marks {
    let mut marks: Vec<u32> = words.collect();
    sort_descending(&mut marks, |&mark| -f64::from(mark));
    marks.dedup();
    marks.into()
}

/// Whether two memories repeat each other.
pub(super) fn repeat(one: &[u32], other: &[u32]) -> bool {
    let max = (one.len() + other.len()) / HELD_BY_BOTH;
    if one.len().abs_diff(other.len()) > max {
        return false;
    }
    let mut alone = 0;
    walk(one, other, |mark| {
        alone += 1;
        mark & NUMBER == 0 && alone <= max
    })
}

/// Returns the number of words that both memories hold, over those that either holds.
fn shared(one: &[u32], other: &[u32]) -> f64 {
    let mut alone = 0;
    walk(one, other, |_| {
        alone += 1;
        true
    });
    let all = one.len() + other.len();
    (all - alone) as f64 / (all + alone) as f64
}

/// Returns how alike two memories are, from 0 to 1: the share of words, or the cosine to the fourth
/// if that is higher. Vectors of unlike texts are hardly ever orthogonal.
pub(super) fn likeness(
    (one, first): (&[u32], u32),
    (other, second): (&[u32], u32),
    vectors: &CodedVectors,
) -> f64 {
    let cosine = vectors.cosine(first as usize, second as usize).clamp(0.0, 1.0);
    let square = cosine * cosine;
    shared(one, other).max(square * square)
}

/// Calls `go_on` with each mark that only one list holds, until it returns `false`. Returns whether
/// it never did.
fn walk(one: &[u32], other: &[u32], mut go_on: impl FnMut(u32) -> bool) -> bool {
    let (mut i, mut k) = (0, 0);
    loop {
        let mark = match (one.get(i), other.get(k)) {
            (None, None) => return true,
            (Some(&mark), None) => (mark, 1, 0),
            (None, Some(&mark)) => (mark, 0, 1),
            (Some(&a), Some(&b)) => match a.cmp(&b) {
                Ordering::Less => (a, 1, 0),
                Ordering::Greater => (b, 0, 1),
                Ordering::Equal => {
                    i += 1;
                    k += 1;
                    continue;
                }
            },
        };
        let (mark, of_one, of_other) = mark;
        i += of_one;
        k += of_other;
        if !go_on(mark) {
            return false;
        }
    }
}
