//! The words, numbers and marks of a text.

use super::lexicon::{MOST_UNSPACED, Word, lower, meaning};
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

/// Returns the tokens of a text, in order. A run of letters is one token, and so is a run of
/// digits; of text without spaces it is the longest word of the lexicon, or one character.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
    let mut folded = String::new();
    let mut at = 0;
    let mut end_before = usize::MAX;
    while let Some(c) = text[at..].chars().next() {
        if is_white_space(c) {
            at += c.len_utf8();
            continue;
        }
        let run = |is_part: fn(char) -> bool| {
            text[at..].find(|c| !is_part(c)).map_or(text.len(), |length| at + length)
        };
        let (end, word) = if digit(c).is_some() {
            let end = run(|c| digit(c).is_some());
            (end, number(&text[at..end]))
        } else if is_unspaced(c) {
            unspaced(text, at)
        } else if is_word(c) {
            let end = run(|c| is_word(c) && !is_unspaced(c) && digit(c).is_none());
            folded.clear();
            folded.extend(text[at..end].chars().map(lower));
            (end, meaning(&folded))
        } else {
            (at + c.len_utf8(), Word::Mark(c))
        };
        let token = Token {
            span: Span { start: at, end },
            word,
            attached: at == end_before,
            capital: is_capital(c),
            unspaced: is_unspaced(c),
        };
        match (tokens.last_mut(), ordinal(&token, &folded)) {
            (Some(number), true) if matches!(number.word, Word::Number(1..=99, 1 | 2)) => {
                if let Word::Number(value, _) = number.word {
                    number.word = Word::Ordinal(value as u8);
                }
                number.span.end = end;
            }
            _ => tokens.push(token),
        }
        at = end;
        end_before = end;
    }
    tokens
}

/// Whether a token is the ending of an ordinal number.
fn ordinal(token: &Token, folded: &str) -> bool {
    token.attached
        && token.word == Word::Other
        && !token.unspaced
        && matches!(folded, "st" | "nd" | "rd" | "th")
}

/// The digit of a character, of ASCII or as wide as a letter of Japanese.
fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '\u{FF10}'..='\u{FF19}' => Some(c as u32 - 0xFF10),
        _ => None,
    }
}

fn number(digits: &str) -> Word {
    let (mut value, mut count) = (0, 0);
    for digit in digits.chars().filter_map(digit) {
        if count == 4 {
            return Word::Other;
        }
        value = value * 10 + digit as u16;
        count += 1;
    }
    Word::Number(value, count)
}

/// The longest word of the lexicon at a place in text without spaces, or its first character.
fn unspaced(text: &str, at: usize) -> (usize, Word) {
    let mut ends = [at; MOST_UNSPACED];
    let mut count = 0;
    for (offset, c) in text[at..].char_indices().take(MOST_UNSPACED) {
        if !is_unspaced(c) {
            break;
        }
        ends[count] = at + offset + c.len_utf8();
        count += 1;
    }
    let known = ends[..count].iter().rev().find_map(|&end| match meaning(&text[at..end]) {
        Word::Other => None,
        word => Some((end, word)),
    });
    known.unwrap_or((ends[0], Word::Other))
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
