//! Classification of a turn: the signals by which retrieval is planned.

use std::borrow::Cow;

use super::phrases::{
    ACKNOWLEDGEMENTS, GREETINGS, QUESTION_WORDS, Sense, after_phrase, patterns_in, says_nothing,
};
use super::{ContextMode, MemoryType};
use crate::intent::IntentClassifier;
use crate::section::Section;
use crate::text::{
    Span, ends_as_question, is_white_space, is_word, lower_case, straighten, trim,
    without_final_marks, words,
};

/// The most keywords of a turn, and the most entities.
pub const MAX_NAMED: usize = 10;
/// The least number of characters of a keyword.
const LONG_WORD: usize = 6;
/// The amount that one pattern adds to the hint of its type.
const HINT: f64 = 0.5;

/// The signals of a turn. Places are byte offsets in its UTF-8.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnSignals {
    /// The start of the text that is classified. In the default mode it follows a leading greeting,
    /// if more text follows the greeting.
    pub input: usize,
    /// How strongly the turn asks for something recent, from 0 (not at all) to 1 (this moment).
    pub recency: f64,
    /// For each type of [`MemoryType::ALL`], 0.5 times the number of patterns that hint at it. The
    /// last is 0.5 if the turn asks for signals.
    pub hints: [f64; 5],
    /// Whether the turn is a question.
    pub is_question: bool,
    /// Whether the turn is only a greeting. In seed-compatible mode: whether it begins with one.
    pub is_greeting: bool,
    /// Whether the turn needs no memory, such as "thanks". Always false in seed-compatible mode.
    pub is_acknowledgement: bool,
    /// Whether the turn asks for a recap of earlier conversations.
    pub is_recap: bool,
    /// The words that carry the subject, each once ignoring case, by first occurrence; at most 10.
    /// Compare them in lower case.
    pub keywords: Vec<Span>,
    /// The words that look like names, each once, by first occurrence; at most 10.
    pub entities: Vec<Span>,
}

/// Classifies a turn, in time linear in its length. In the default mode, `intent` decides whether
/// the turn asks for signals.
pub fn classify_turn(text: &str, intent: &IntentClassifier, mode: ContextMode) -> TurnSignals {
    let mut signals = TurnSignals::default();
    let is_default = mode == ContextMode::Default;
    if is_default {
        (signals.input, signals.is_greeting) = after_greetings(text);
    } else {
        signals.is_greeting = after_greeting(trim(text), mode).is_some();
    }
    let input = &text[signals.input..];
    // A greeting may open a question, as in "What's up with the deploy".
    signals.is_question = is_question(input, mode) || is_question(text, mode);
    signals.is_acknowledgement = is_default && is_acknowledgement(input);
    let searched = if is_default { straighten(input) } else { Cow::Borrowed(input) };
    for pattern in patterns_in(&searched, mode) {
        match pattern.sense {
            Sense::Recency(weight) => signals.recency = signals.recency.max(weight),
            Sense::Hint(memory_type) => signals.hints[memory_type as usize] += HINT,
            Sense::Recap => signals.is_recap = true,
        }
    }
    if is_default && intent.classify(input, intent.matcher()).contains(Section::Signals) {
        signals.hints[MemoryType::Signal as usize] = HINT;
    }
    let (keywords, entities) = named(text, signals.input, mode);
    TurnSignals { keywords, entities, ..signals }
}

/// Returns the end of the first greeting of a trimmed text.
fn after_greeting(trimmed: &str, mode: ContextMode) -> Option<usize> {
    GREETINGS.iter().find_map(|greeting| after_phrase(trimmed, greeting, mode))
}

/// Returns the start of the text behind its leading greetings, and whether there is nothing else.
/// In that case the start is 0. A greeting ends at white space: "Hi-Lo" and "Hello.ts" hold none.
fn after_greetings(text: &str) -> (usize, bool) {
    let mut from = 0;
    loop {
        let begin = text.len() - text[from..].trim_start_matches(is_white_space).len();
        let Some(length) = after_greeting(&text[begin..], ContextMode::Default) else {
            return (from, false);
        };
        let end = begin + length;
        let Some(next) = text[end..].find(is_word) else { return (0, true) };
        // A mark that touches the next word, such as a quotation mark, belongs to the text.
        let blank = text[end..end + next].char_indices().rev().find(|&(_, c)| is_white_space(c));
        let Some((at, c)) = blank else { return (from, false) };
        from = end + at + c.len_utf8();
    }
}

fn is_question(text: &str, mode: ContextMode) -> bool {
    let trimmed = trim(text);
    let ends = if mode == ContextMode::Default {
        ends_as_question(trimmed)
    } else {
        trimmed.ends_with('?')
    };
    ends || QUESTION_WORDS.iter().any(|word| after_phrase(trimmed, word, mode).is_some())
}

fn is_acknowledgement(text: &str) -> bool {
    let trimmed = trim(text);
    let unmarked = without_final_marks(trimmed);
    // Ignore marks, such as a smiley, after the last word.
    let words = trimmed.trim_end_matches(|c| !is_word(c));
    let is_words =
        |known: &str| after_phrase(words, known, ContextMode::Default) == Some(words.len());
    unmarked.chars().nth(1).is_none()
        || ACKNOWLEDGEMENTS.iter().any(|known| is_words(known))
        || says_nothing(words)
}

/// Returns the keywords and the entities of a text from a place on.
fn named(text: &str, from: usize, mode: ContextMode) -> (Vec<Span>, Vec<Span>) {
    let input = &text[from..];
    let (mut keywords, mut entities) = (Vec::new(), Vec::new());
    let mut known: Vec<Cow<'_, str>> = Vec::new();
    let is_new =
        |known: &[Span], spelled: &str| known.iter().all(|known| known.of(text) != spelled);
    for word in words(input) {
        if keywords.len() == MAX_NAMED && entities.len() == MAX_NAMED {
            break;
        }
        let spelled = word.of(input);
        let span = Span { start: from + word.start, end: from + word.end };
        let is_name = is_capitalised(spelled, mode);
        let is_keyword = is_name || is_long(spelled) || is_all_capitals(spelled, mode);
        if is_keyword && keywords.len() < MAX_NAMED && is_new(&keywords, spelled) {
            let lower = lower_case(spelled);
            if !known.contains(&lower) {
                known.push(lower);
                keywords.push(span);
            }
        }
        let begins_sentence = word.start == 0 || input[..word.start].ends_with(". ");
        if is_name && !begins_sentence && entities.len() < MAX_NAMED && is_new(&entities, spelled) {
            entities.push(span);
        }
    }
    (keywords, entities)
}

fn is_upper(c: char, mode: ContextMode) -> bool {
    if mode == ContextMode::Default { c.is_uppercase() } else { c.is_ascii_uppercase() }
}

fn is_lower(c: char, mode: ContextMode) -> bool {
    if mode == ContextMode::Default { c.is_lowercase() } else { c.is_ascii_lowercase() }
}

/// Whether a word is one capital followed by at least one small letter.
fn is_capitalised(word: &str, mode: ContextMode) -> bool {
    let mut rest = word.chars();
    let begins = rest.next().is_some_and(|c| is_upper(c, mode));
    begins && !rest.as_str().is_empty() && rest.all(|c| is_lower(c, mode))
}

/// Whether a word is two or more capitals and nothing else.
fn is_all_capitals(word: &str, mode: ContextMode) -> bool {
    word.chars().nth(1).is_some() && word.chars().all(|c| is_upper(c, mode))
}

fn is_long(word: &str) -> bool {
    word.len() >= LONG_WORD && word.chars().nth(LONG_WORD - 1).is_some()
}
