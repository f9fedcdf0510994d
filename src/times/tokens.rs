//! The words, numbers and marks of a text.

use super::lexicon::{MAX_UNSPACED, Word, lower, meaning};
use crate::text::{Span, is_unspaced, is_white_space, is_word};

/// A word, number or mark.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Its place.
    pub span: Span,
    /// Its meaning.
    pub word: Word,
    /// Whether it stands directly behind the token before it.
    pub attached: bool,
    /// Whether it begins with a capital letter.
    pub capital: bool,
    /// Whether it is of Chinese, Japanese or Korean writing.
    pub unspaced: bool,
}

/// The kind of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Digit,
    Unspaced,
    Letter,
    Mark,
}

impl Kind {
    fn of(c: char) -> Self {
        if is_white_space(c) {
            Self::Blank
        } else if digit(c).is_some() {
            Self::Digit
        } else if is_unspaced(c) {
            Self::Unspaced
        } else if is_word(c) {
            Self::Letter
        } else {
            Self::Mark
        }
    }
}

/// Returns the tokens of a text, in order. A run of letters is one token, and so is a run of
/// digits; of text without spaces it is the longest word of the lexicon, or one character.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
    let mut folded = String::new();
    let mut at = 0;
    let mut end_before = usize::MAX;
    while let Some((first, kind)) = char_at(text, at) {
        let start = at;
        at += first.len_utf8();
        if kind == Kind::Blank {
            continue;
        }
        folded.clear();
        folded.push(lower(first));
        if matches!(kind, Kind::Digit | Kind::Letter) {
            while let Some((c, _)) = char_at(text, at).filter(|&(_, its)| its == kind) {
                folded.push(lower(c));
                at += c.len_utf8();
            }
        }
        let word = match kind {
            Kind::Digit => number(&folded),
            Kind::Unspaced => unspaced(text, start, &mut at),
            Kind::Letter => meaning(&folded),
            _ => Word::Mark(first),
        };
        let attached = start == end_before;
        end_before = at;
        let is_ending = attached
            && kind == Kind::Letter
            && matches!(folded.as_bytes(), b"st" | b"nd" | b"rd" | b"th");
        if let Some(Token { word: before @ Word::Number(1..=99, 1 | 2), span, .. }) =
            tokens.last_mut().filter(|_| is_ending)
            && let Word::Number(value, _) = *before
        {
            *before = Word::Ordinal(value as u8);
            span.end = at;
            continue;
        }
        tokens.push(Token {
            span: Span { start, end: at },
            word,
            attached,
            capital: is_capital(first),
            unspaced: kind == Kind::Unspaced,
        });
    }
    tokens
}

#[inline(never)]
fn char_at(text: &str, at: usize) -> Option<(char, Kind)> {
    let c = text.get(at..)?.chars().next()?;
    Some((c, Kind::of(c)))
}

/// The digit of a character, of ASCII or as wide as a letter of Japanese.
fn digit(c: char) -> Option<u16> {
    match c {
        '0'..='9' => Some(c as u16 - 0x30),
        '\u{FF10}'..='\u{FF19}' => Some((c as u32 - 0xFF10) as u16),
        _ => None,
    }
}

fn number(digits: &str) -> Word {
    let (mut value, mut count) = (0, 0);
    for digit in digits.chars().filter_map(digit) {
        if count == 4 {
            return Word::Other;
        }
        value = value * 10 + digit;
        count += 1;
    }
    Word::Number(value, count)
}

/// The longest word of the lexicon at a place in text without spaces, or its first character. Moves
/// `end` from behind the first character to the end of the word.
fn unspaced(text: &str, start: usize, end: &mut usize) -> Word {
    let mut longest = meaning(&text[start..*end]);
    let mut at = *end;
    for _ in 1..MAX_UNSPACED {
        let Some((c, Kind::Unspaced)) = char_at(text, at) else { break };
        at += c.len_utf8();
        let word = meaning(&text[start..at]);
        if word != Word::Other {
            longest = word;
            *end = at;
        }
    }
    longest
}

/// Whether a character is a capital letter of Latin, Greek or Cyrillic writing.
pub fn is_capital(c: char) -> bool {
    match c {
        'A'..='Z' | 'À'..='Ö' | 'Ø'..='Þ' | 'Α'..='Ω' | 'Ѐ'..='Я' => true,
        '\u{100}'..='\u{137}' | '\u{14A}'..='\u{177}' => (c as u32).is_multiple_of(2),
        '\u{139}'..='\u{148}' | '\u{179}'..='\u{17E}' => !(c as u32).is_multiple_of(2),
        '\u{178}' => true,
        _ => false,
    }
}
