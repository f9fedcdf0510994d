//! Splits a compound question into its parts.

use super::Piece;
use super::lookup::extract_attribute;
use super::table::Category;
use crate::text::runs::trim;
use crate::text::{Span, is_ascii_word, is_white_space, units};

/// The options of splitting.
#[derive(Clone, Copy, Debug)]
pub struct DecomposeOptions<'a> {
    /// The most parts.
    pub max_parts: usize,
    /// Symbols for each of which a question may have a part, different ignoring case. `None`:
    /// questions are not split by symbols.
    pub subjects: Option<&'a [String]>,
}

/// The default for the most parts.
pub const MAX_PARTS: usize = 4;

impl Default for DecomposeOptions<'_> {
    fn default() -> Self {
        Self { max_parts: MAX_PARTS, subjects: None }
    }
}

/// A part of a question: one piece of it, or two pieces with a space between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The piece in front: a question word, or a subject.
    pub lead: Option<Piece>,
    /// The rest. Empty if a part between `also` or `and` consists of commas only.
    pub rest: Piece,
}

/// A longer question, in UTF-16 units, is not split.
const LONGEST: usize = 500;
/// A shorter part, in UTF-16 units, is dropped.
const SHORTEST: usize = 3;
const QUESTION_WORDS: [&str; 6] = ["what", "when", "where", "who", "how", "why"];

/// Returns the parts of a question in order, or the whole question if it is not split. Only a
/// question of category Reasoning or Compound is split. Of these rules the first that gives two or
/// more parts applies: at `and` before a question word, at question marks, at `also`, at `and` if
/// `has_entity`, and by subjects if the options name some.
pub fn decompose(
    text: &str,
    category: Option<Category>,
    has_entity: bool,
    options: &DecomposeOptions<'_>,
) -> Vec<Part> {
    let divisible = matches!(category, Some(Category::Reasoning | Category::Compound));
    let whole = || vec![Part::of(Span { start: 0, end: text.len() })];
    if !divisible || units(text) > LONGEST {
        return whole();
    }
    let keep = |mut parts: Vec<Part>| {
        parts.truncate(options.max_parts);
        Some(parts).filter(|parts| parts.len() > 1)
    };
    keep(at_question_words(text))
        .or_else(|| keep(at_marks(text)))
        .or_else(|| keep(at_word(text, "also")))
        .or_else(|| {
            if has_entity && contains(text, " and ") { keep(at_word(text, "and")) } else { None }
        })
        .or_else(|| keep(by_subject(text, options.subjects?)?))
        .unwrap_or_else(whole)
}

impl Part {
    fn of(span: Span) -> Self {
        Self { lead: None, rest: Piece::Text(span) }
    }
}

fn is_long_enough(text: &str, span: Span) -> bool {
    units(span.of(text)) >= SHORTEST
}

/// Returns the places of a word in a text, where it stands as a whole word.
fn whole_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Span> + 'a {
    let bytes = text.as_bytes();
    (0..(text.len() + 1).saturating_sub(word.len())).filter_map(move |start| {
        let end = start + word.len();
        // The first letter rules out most places.
        let begins = bytes[start].eq_ignore_ascii_case(&word.as_bytes()[0]);
        let is_here = begins && bytes[start..end].eq_ignore_ascii_case(word.as_bytes());
        let inside = |at: Option<&u8>| at.is_some_and(|&byte| is_ascii_word(byte));
        let continues = || (start > 0 && inside(bytes.get(start - 1))) || inside(bytes.get(end));
        (is_here && !continues()).then_some(Span { start, end })
    })
}

fn contains(text: &str, string: &str) -> bool {
    text.as_bytes().windows(string.len()).any(|bytes| bytes.eq_ignore_ascii_case(string.as_bytes()))
}

fn without_commas(text: &str, span: Span) -> Span {
    let span = trim(text, span);
    let end = span.start + span.of(text).trim_end_matches(',').len();
    trim(text, Span { start: span.start, end })
}

/// Splits at `and`, white space and a question word. The word and a space stay in front of the part
/// after it. Such a part may have a rest of any length.
fn at_question_words(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lead: Option<Span> = None;
    let mut start = 0;
    let mut add = |lead: Option<Span>, start: usize, end: usize| {
        let rest = Span { start, end };
        let Some(word) = lead else {
            parts.extend(
                Some(without_commas(text, rest))
                    .filter(|&it| is_long_enough(text, it))
                    .map(Part::of),
            );
            return;
        };
        let trimmed = trim(text, rest);
        if trimmed.start < trimmed.end {
            parts.push(Part { lead: Some(Piece::Text(word)), rest: Piece::Text(trimmed) });
        }
    };
    for and in whole_words(text, "and") {
        let after = &text[and.end..];
        let word_at = and.end + after.len() - after.trim_start_matches(is_white_space).len();
        if word_at == and.end || and.start < start {
            continue;
        }
        let word = QUESTION_WORDS.iter().find_map(|word| {
            let end = word_at + word.len();
            let is_here = text.as_bytes().get(word_at..end)?.eq_ignore_ascii_case(word.as_bytes());
            let ends = text.as_bytes().get(end).is_none_or(|&byte| !is_ascii_word(byte));
            (is_here && ends).then_some(Span { start: word_at, end })
        });
        if let Some(word) = word {
            add(lead, start, and.start);
            lead = Some(word);
            start = word.end;
        }
    }
    if lead.is_some() {
        add(lead, start, text.len());
    }
    parts
}

/// Splits at question marks, if there are two or more.
fn at_marks(text: &str) -> Vec<Part> {
    let marks = text.matches('?').count();
    let mut start = 0;
    let pieces = text.split('?').map(|piece| {
        let span = Span { start, end: start + piece.len() };
        start = span.end + 1;
        trim(text, span)
    });
    if marks < 2 {
        Vec::new()
    } else {
        pieces.filter(|&it| is_long_enough(text, it)).map(Part::of).collect()
    }
}

/// Splits at a word. Commas at the end of a part are dropped, but count for its length.
fn at_word(text: &str, word: &str) -> Vec<Part> {
    let mut start = 0;
    let end = Span { start: text.len(), end: text.len() };
    let pieces = whole_words(text, word).chain([end]).map(|span| {
        let piece = trim(text, Span { start, end: span.start });
        start = span.end;
        piece
    });
    pieces
        .filter(|&it| is_long_enough(text, it))
        .map(|it| Part::of(without_commas(text, it)))
        .collect()
}

/// Returns one part for each subject, if the question names two or more.
fn by_subject(text: &str, symbols: &[String]) -> Option<Vec<Part>> {
    let attribute = extract_attribute(text)?;
    let mut subjects: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (subject, end) = if let Some(quoted) = quoted(text, at) {
            (Some(Piece::Text(trim(text, quoted.inside))), quoted.end)
        } else if let Some((symbol, end)) = symbol(text, at, symbols) {
            (Some(Piece::Symbol(symbol)), end)
        } else {
            (None, at + 1)
        };
        if let Some(subject) = subject {
            let name = subject.text(text, symbols);
            if !name.is_empty() && subjects.iter().all(|known| known.text(text, symbols) != name) {
                subjects.push(subject);
            }
        }
        at = end;
    }
    let part = |&subject: &Piece| Part { lead: Some(subject), rest: attribute };
    (subjects.len() > 1).then(|| subjects.iter().map(part).collect())
}

struct Quoted {
    inside: Span,
    end: usize,
}

/// Reads a phrase in double quotes that begins here.
fn quoted(text: &str, at: usize) -> Option<Quoted> {
    let (open, close) = [("\"", "\""), ("“", "”")]
        .into_iter()
        .find(|(open, _)| text.as_bytes()[at..].starts_with(open.as_bytes()))?;
    let start = at + open.len();
    let end = start + text[start..].find(close)?;
    Some(Quoted { inside: Span { start, end }, end: end + close.len() })
}

/// Returns the first symbol of the list that stands here as a whole word, and its end.
fn symbol(text: &str, at: usize, symbols: &[String]) -> Option<(u16, usize)> {
    let bytes = text.as_bytes();
    symbols.iter().enumerate().find_map(|(place, symbol)| {
        let end = at + symbol.len();
        let here = bytes.get(at..end)?;
        let boundary = |at: usize| {
            let word = |byte: Option<&u8>| byte.is_some_and(|&byte| is_ascii_word(byte));
            word(at.checked_sub(1).and_then(|at| bytes.get(at))) != word(bytes.get(at))
        };
        (here.eq_ignore_ascii_case(symbol.as_bytes()) && boundary(at) && boundary(end))
            .then_some((place as u16, end))
    })
}
