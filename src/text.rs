//! What characters are, as the rules for questions have it.

use std::borrow::Cow;

/// White space as ECMAScript's `\s` has it.
pub fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// Whether `.` of ECMAScript stops at a character.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Whether a character belongs to words: `\w` of UTS #18, Annex C.
pub fn is_word(c: char) -> bool {
    regex_syntax::is_word_character(c)
}

/// Whether a byte belongs to words of ASCII: `\w` of ECMAScript.
pub fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many UTF-16 units a text has: the length that JavaScript knows.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The text in lower case, by all of Unicode.
pub fn lower_case(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(crate::host::lower_case(text))
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}
