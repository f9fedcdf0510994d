//! Splits a text into passages: runs of sentences of about forty words.

use crate::text::reading::{Held, each_held};

/// A passage ends with the sentence that brings it to this many words.
const ENOUGH: usize = 40;
/// A sentence that would bring a passage over this many words begins the next one. A longer
/// sentence is cut.
const MOST: usize = 60;
/// A last passage of fewer words joins the one before.
const FEW: usize = 10;

/// A text as codes of words.
#[derive(Debug, Default)]
pub(super) struct ParsedText {
    /// The words of the title, then of the body.
    pub words: Vec<u32>,
    /// The place among the words and the name of everything else that the text holds there, in the
    /// order of places.
    pub others: Vec<(u32, u32)>,
    /// The number of words in the title.
    pub title: usize,
    /// The end of each passage among the words. The title belongs to the first.
    pub ends: Vec<usize>,
}

impl ParsedText {
    /// Parses a text. `code` returns the code of a name.
    pub fn new(
        title: &str,
        body: &str,
        token: &mut String,
        mut code: impl FnMut(&str) -> u32,
    ) -> Self {
        let mut parsed = Self::default();
        let mut add = |text: &str, parsed: &mut Self| {
            each_held(text, token, |name, held| {
                let code = code(name);
                if held == Held::Word {
                    parsed.words.push(code);
                } else {
                    parsed.others.push((parsed.words.len() as u32 - 1, code));
                }
            });
        };
        add(title, &mut parsed);
        parsed.title = parsed.words.len();
        let mut start = 0;
        for sentence in sentences(body) {
            let before = parsed.words.len();
            add(sentence, &mut parsed);
            let end = parsed.words.len();
            if before > start && end - start > MOST {
                parsed.ends.push(before);
                start = before;
            }
            while end - start > MOST {
                start += ENOUGH;
                parsed.ends.push(start);
            }
            if end - start >= ENOUGH {
                parsed.ends.push(end);
                start = end;
            }
        }
        let end = parsed.words.len();
        if end > start {
            let few = end - start < FEW && !parsed.ends.is_empty();
            if few {
                parsed.ends.pop();
            }
            parsed.ends.push(end);
        }
        parsed
    }
}

/// Returns the sentences of a text: up to a line break, a full stop of Chinese or Japanese, or a
/// full stop, question mark or exclamation mark before white space.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut after_mark = false;
        let end = rest.char_indices().find_map(|(at, c)| match c {
            '\n' | '。' | '！' | '？' => Some(at + c.len_utf8()),
            ' ' | '\t' | '\r' if after_mark => Some(at),
            _ => {
                after_mark = matches!(c, '.' | '!' | '?' | '…')
                    || after_mark && matches!(c, '"' | '\'' | ')' | ']' | '”' | '’');
                None
            }
        });
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(sentence)
    })
}
