//! White space, words and letter case, as the rules for questions define them, and spans of text.

mod asking;
mod characters;
mod folding;
pub(crate) mod parts;
pub(crate) mod reading;
pub(crate) mod runs;
mod stop_words;
pub(crate) mod tokens;

use std::borrow::Cow;

pub use asking::ends_as_question;
pub use stop_words::is_stop_word;

/// A span of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last; at least `start`.
    pub end: usize,
}

impl Span {
    /// Returns the text of the span.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// Whether a character is white space by ECMAScript's `\s`.
pub fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// Whether a character ends a line: the `.` of ECMAScript does not match it.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is a word character: `\w` of UTS #18, Annex C.
pub fn is_word(c: char) -> bool {
    // The library is slower for ASCII: it searches its table of ranges.
    if c.is_ascii() { is_ascii_word(c as u8) } else { regex_syntax::is_word_character(c) }
}

/// Whether a byte is an ASCII word character: `\w` of ECMAScript.
pub fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the number of UTF-16 units of a text: its length in JavaScript.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Returns the text in lower case, by Unicode.
pub fn lower_case(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(crate::host::lower_case(text))
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the text without the white space around it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// Returns the text without final punctuation and the white space at its end.
pub fn without_final_marks(text: &str) -> &str {
    let is_mark = |c| {
        matches!(
            c,
            '.' | ','
                | ';'
                | ':'
                | '!'
                | '?'
                | '…'
                | '。'
                | '、'
                | '，'
                | '；'
                | '：'
                | '！'
                | '？'
        )
    };
    text.trim_end_matches(|c| is_mark(c) || is_white_space(c))
}

/// Whether a character is a typographic apostrophe.
pub fn is_curled_apostrophe(c: char) -> bool {
    matches!(c, '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}')
}

/// Returns the text with `'` for typographic apostrophes, and one space for every run of white
/// space.
pub fn straighten(text: &str) -> Cow<'_, str> {
    let is_straight = |pair: &[u8]| pair != b"  " && !matches!(pair[0], b'\t'..=b'\r');
    if text.is_ascii()
        && text.as_bytes().windows(2).all(is_straight)
        && !text.ends_with(is_white_space)
    {
        return Cow::Borrowed(text);
    }
    let mut straight = String::with_capacity(text.len());
    let mut after_blank = false;
    for c in text.chars() {
        let blank = is_white_space(c);
        match c {
            _ if blank && after_blank => {}
            _ if blank => straight.push(' '),
            _ if is_curled_apostrophe(c) => straight.push('\''),
            _ => straight.push(c),
        }
        after_blank = blank;
    }
    Cow::Owned(straight)
}

/// Whether a word character stands before a place.
pub fn word_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(is_word)
}

/// Whether a word character stands at a place.
pub fn word_after(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_some_and(is_word)
}

/// Returns the words of a text, in order: runs of word characters.
pub fn words(text: &str) -> impl Iterator<Item = Span> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = skip(text, at, false);
        at = skip(text, start, true);
        (at > start).then_some(Span { start, end: at })
    })
}

/// Returns the end of the run of word characters, or of other characters, from a place on.
fn skip(text: &str, mut at: usize, of_words: bool) -> usize {
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_one, bytes) = if byte.is_ascii() {
            (is_ascii_word(byte), 1)
        } else {
            let Some(c) = text[at..].chars().next() else { break };
            (is_word(c), c.len_utf8())
        };
        if is_one != of_words {
            break;
        }
        at += bytes;
    }
    at
}

/// Whether a character belongs to the blocks of Chinese, Japanese and Korean writing.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}'
        | '\u{2E80}'..='\u{2FDF}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}'
        | '\u{3038}'..='\u{303B}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3130}'..='\u{318F}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FFDC}'
        | '\u{1AFF0}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}')
}
