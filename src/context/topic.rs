//! Topics: whether a turn opens a new topic or continues the last one.

use super::ContextMode;
use super::phrases::after_phrase;
use crate::text::runs::runs;
use crate::text::{Span, is_stop_word, is_white_space, trim, without_final_marks};

/// A turn with fewer characters continues the topic.
const SHORTEST: usize = 5;
/// The most characters of a topic.
const LONGEST: usize = 200;
/// The most words of a turn that continues the topic because it begins with a pronoun.
const FEW_WORDS: usize = 3;
/// The most words of a turn that continues the topic because all its words are pronouns or stop
/// words.
const SOME_WORDS: usize = 5;
/// The least number of characters after "tell me more" that make a topic.
const SHORTEST_OBJECT: usize = 4;

const PRONOUNS: [&str; 9] = ["it", "that", "this", "them", "they", "those", "these", "he", "she"];
const BARE_QUESTIONS: [&str; 5] = ["why", "how", "when", "where", "who"];
/// Openings of a turn that continues the topic, whatever follows.
const FOLLOW_UPS: [&str; 10] = [
    "what about",
    "how about",
    "and what",
    "and how",
    "what else",
    "anything else",
    "go on",
    "continue",
    "keep going",
    "elaborate",
];
/// Openings of a turn that continues the topic unless a subject follows.
const OPEN_FOLLOW_UPS: [&str; 2] = ["tell me more", "more about"];

/// Returns the topic that a turn opens: its first 200 characters, without the white space around
/// it. Returns `None` if the turn continues the last topic.
pub fn next_topic(text: &str) -> Option<Span> {
    let trimmed = trim(text);
    if trimmed.chars().nth(SHORTEST - 1).is_none() || continues_topic(trimmed) {
        return None;
    }
    let start = text.len() - text.trim_start_matches(is_white_space).len();
    let length = trimmed.char_indices().nth(LONGEST).map_or(trimmed.len(), |(at, _)| at);
    Some(Span { start, end: start + length })
}

fn continues_topic(trimmed: &str) -> bool {
    let first = runs(trimmed, 0).take(SOME_WORDS + 1);
    let words: Vec<&str> = first.map(|word| without_final_marks(word.of(trimmed))).collect();
    if words.len() <= FEW_WORDS && is_one_of(words[0], &PRONOUNS) {
        return true;
    }
    if is_one_of(without_final_marks(trimmed), &BARE_QUESTIONS) {
        return true;
    }
    let after = |opening: &&str| after_phrase(trimmed, opening, ContextMode::Default);
    if FOLLOW_UPS.iter().find_map(after).is_some() {
        return true;
    }
    if let Some(end) = OPEN_FOLLOW_UPS.iter().find_map(after) {
        return trim(&trimmed[end..]).chars().nth(SHORTEST_OBJECT - 1).is_none();
    }
    let is_pronoun = |word: &&str| is_one_of(word, &PRONOUNS);
    let is_filler = |word: &str| word.is_empty() || is_stop_word(&word.to_ascii_lowercase());
    words.len() <= SOME_WORDS
        && words.iter().any(is_pronoun)
        && words.iter().all(|word| is_pronoun(word) || is_filler(word))
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}
