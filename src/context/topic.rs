//! Topics: whether a turn opens one, or goes on with what is talked about.

use super::phrases::after_phrase;
use super::{ContextMode, is_stop_word};
use crate::query::Span;
use crate::text::{is_final_mark, is_white_space};

/// Shorter turns, in characters, go on.
const SHORTEST: usize = 5;
/// So much of a turn is its topic.
const LONGEST: usize = 200;
/// A turn of at most so many words goes on when it begins with a pronoun,
const FEW_WORDS: usize = 3;
/// and of at most so many when it says nothing but pronouns.
const SOME_WORDS: usize = 5;
/// What follows "tell me more" is a topic from so many characters on.
const SHORTEST_OBJECT: usize = 4;

const PRONOUNS: [&str; 9] = ["it", "that", "this", "them", "they", "those", "these", "he", "she"];
const BARE_QUESTIONS: [&str; 5] = ["why", "how", "when", "where", "who"];
/// Openings of a turn that goes on, whatever follows.
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
/// Openings of a turn that goes on unless it says with what.
const OPEN_FOLLOW_UPS: [&str; 2] = ["tell me more", "more about"];

/// The topic that a turn opens: its first 200 characters, without the white space around it. None when it goes on with the last.
pub fn next_topic(text: &str) -> Option<Span> {
    let trimmed = text.trim_matches(is_white_space);
    if trimmed.chars().nth(SHORTEST - 1).is_none() || goes_on(trimmed) {
        return None;
    }
    let start = text.len() - text.trim_start_matches(is_white_space).len();
    let length = trimmed.char_indices().nth(LONGEST).map_or(trimmed.len(), |(at, _)| at);
    Some(Span { start, end: start + length })
}

fn goes_on(trimmed: &str) -> bool {
    let words = || trimmed.split(is_white_space).filter(|word| !word.is_empty()).map(unmarked);
    let has_at_most = |count| words().nth(count).is_none();
    if has_at_most(FEW_WORDS) && words().next().is_some_and(|first| is_one_of(first, &PRONOUNS)) {
        return true;
    }
    if is_one_of(unmarked(trimmed), &BARE_QUESTIONS) {
        return true;
    }
    let after = |opening: &&str| after_phrase(trimmed, opening, ContextMode::Default);
    if FOLLOW_UPS.iter().find_map(after).is_some() {
        return true;
    }
    if let Some(end) = OPEN_FOLLOW_UPS.iter().find_map(after) {
        return trimmed[end..].trim_start_matches(is_white_space).chars().nth(SHORTEST_OBJECT - 1).is_none();
    }
    let says_nothing = |word: &str| is_stop_word(&word.to_ascii_lowercase()) || word.is_empty();
    has_at_most(SOME_WORDS)
        && words().any(|word| is_one_of(word, &PRONOUNS))
        && words().all(|word| is_one_of(word, &PRONOUNS) || says_nothing(word))
}

/// A word, or a turn, without the marks that it ends in.
fn unmarked(text: &str) -> &str {
    text.trim_end_matches(|c| is_white_space(c) || is_final_mark(c))
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}
