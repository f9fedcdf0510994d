//! Splits a question into terms for a full-text index.

use rustc_hash::FxHashSet;

use crate::text::{Span, is_ascii_word, is_unspaced, is_word};

/// The characters that make terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermMode {
    /// Letters, digits and `_` of ASCII.
    Ascii,
    /// Letters, digits and `_` of every script. Text of scripts without spaces between words
    /// becomes overlapping pairs.
    Unicode,
}

/// Returns the terms of a text in lower case as spans: terms of two or more characters, each once,
/// by first occurrence.
pub fn terms(lower: &str, mode: TermMode) -> Vec<Span> {
    let mut seen = FxHashSet::default();
    let mut terms = Vec::new();
    let mut add = |start: usize, end: usize| {
        if seen.insert(&lower[start..end]) {
            terms.push(Span { start, end });
        }
    };
    match mode {
        TermMode::Ascii => ascii_terms(lower.as_bytes(), &mut add),
        TermMode::Unicode => unicode_terms(lower, &mut add),
    }
    terms
}

fn ascii_terms(bytes: &[u8], add: &mut impl FnMut(usize, usize)) {
    let mut start = 0;
    for end in 0..=bytes.len() {
        if bytes.get(end).is_some_and(|&byte| is_ascii_word(byte)) {
            continue;
        }
        if end - start > 1 {
            add(start, end);
        }
        start = end + 1;
    }
}

/// The kind of a run of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Word,
    Unspaced,
}

fn kind_of(c: char) -> Kind {
    match is_word(c) {
        true if is_unspaced(c) => Kind::Unspaced,
        true => Kind::Word,
        false => Kind::Other,
    }
}

fn unicode_terms(text: &str, add: &mut impl FnMut(usize, usize)) {
    let mut run = (Kind::Other, 0);
    let mut characters = 0;
    let mut before = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let kind = kind_of(c);
        if kind != run.0 {
            if run.0 == Kind::Word && characters > 1 {
                add(run.1, at);
            }
            run = (kind, at);
            characters = 0;
        } else if kind == Kind::Unspaced {
            add(before, at + c.len_utf8());
        }
        characters += 1;
        before = at;
    }
}
