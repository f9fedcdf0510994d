//! Splits a text into tokens: words as in SQLite's `unicode61`, and pairs of characters for scripts
//! without spaces between words.

use std::ops::Range;

use super::characters::{Role, fold, role};
use super::{is_unspaced, is_word};

/// The most bytes of a token. A longer one is cut, as in FTS5.
pub(super) const MAX_BYTES: usize = 32_768;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word, folded.
    Word,
    /// Two adjacent characters of a script without spaces.
    Pair,
    /// The last character of a run of such a script, so that each character of the run begins a
    /// token. `alone` if it is the whole run.
    Last { alone: bool },
}

/// Calls `add` with every token of a text, in order. `token` is scratch.
pub(crate) fn each_token(text: &str, token: &mut String, mut add: impl FnMut(&str, Token)) {
    each_token_in(text, token, |token, kind, _| add(token, kind));
}

/// Does the same, and gives the bytes of the text that each token was made of.
pub(crate) fn each_token_in(
    text: &str,
    token: &mut String,
    mut add: impl FnMut(&str, Token, Range<usize>),
) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if stands_alone(c) {
            at += run(&text[at..], token, |token, kind, place| {
                add(token, kind, at + place.start..at + place.end);
            });
        } else if is_of_word(c) {
            let start = at;
            at += word(&text[at..], token);
            add(token, Token::Word, start..at);
        } else {
            at += c.len_utf8();
        }
    }
}

fn is_of_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { role(c) == Role::Word }
}

/// Whether a character belongs to a script without spaces between words.
pub(super) fn stands_alone(c: char) -> bool {
    // Thai and Lao, Burmese and Khmer, besides the scripts that questions are split by.
    let is_unspaced = |c| {
        is_unspaced(c)
            || matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
    };
    !c.is_ascii() && is_unspaced(c) && is_word(c)
}

/// Folds the word at the start of a text. Returns its length in the text.
fn word(text: &str, token: &mut String) -> usize {
    token.clear();
    for (at, c) in text.char_indices() {
        let folded = if c.is_ascii() {
            if !c.is_ascii_alphanumeric() {
                return at;
            }
            c.to_ascii_lowercase()
        } else {
            match role(c) {
                Role::Separator => return at,
                Role::Mark => continue,
                Role::Word if stands_alone(c) => return at,
                Role::Word => fold(c),
            }
        };
        if token.len() + folded.len_utf8() <= MAX_BYTES {
            token.push(folded);
        }
    }
    text.len()
}

/// Calls `add` with the pairs of the run at the start of a text. Returns the length of the run.
fn run(text: &str, token: &mut String, mut add: impl FnMut(&str, Token, Range<usize>)) -> usize {
    token.clear();
    let mut end = text.len();
    let mut characters = 0;
    let mut last = 0;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if !stands_alone(c) {
            end = at;
            break;
        }
        if characters > 0 {
            token.push(fold(c));
            add(token, Token::Pair, start..at + c.len_utf8());
            token.drain(..last);
        } else {
            token.push(fold(c));
        }
        last = token.len();
        start = at;
        characters += 1;
    }
    add(token, Token::Last { alone: characters == 1 }, start..end);
    end
}
