//! One pass over a question that finds all fixed strings of the rules.

use super::forms::{Pair, after_what_is};
use super::table::{Rank, Sign, TABLE};
use crate::text::runs::skip_white_space;
use crate::text::{is_ascii_word, is_line_end, is_white_space};

/// The matches in a question.
#[derive(Default)]
pub struct Scan {
    /// The pattern that keeps the question from being a lookup.
    pub disqualifier: Option<Rank>,
    /// The first attribute word, in the order of the list, that the question contains.
    pub attribute: Option<u8>,
    /// The first thing and attribute after `what's` or `what is`.
    pub what_is: Option<Pair>,
    /// Whether `'s` occurs.
    pub possessive: bool,
    /// Whether `for` occurs as a whole word.
    pub has_for: bool,
    /// Whether `who is`, `where is` or `when is` occurs at the start of a word.
    pub who_is: bool,
}

/// Scans a question, in time linear in its length.
pub fn scan(text: &str) -> Scan {
    let bytes = text.as_bytes();
    let table = &*TABLE;
    let mut found = Scan::default();
    let mut rank = Rank::MAX;
    let mut attribute = u8::MAX;
    let mut marks = Marks::new(text);
    // The start of the text after the first `from ` of the line.
    let mut from: Option<usize> = None;
    let mut lines = Lines::new(text);
    table.automaton.occurrences(bytes, |place, end| {
        let (length, sign) = table.strings[place];
        let start = end - length;
        let begins = || start == 0 || !is_ascii_word(bytes[start - 1]);
        let ends = || bytes.get(end).is_none_or(|&byte| !is_ascii_word(byte));
        match sign {
            Sign::Attribute(place) => attribute = attribute.min(place),
            Sign::Possessive => found.possessive = true,
            Sign::For => found.has_for |= begins() && ends(),
            Sign::WhoIs => found.who_is |= begins(),
            Sign::WhatIs if begins() => {
                found.what_is = found.what_is.or_else(|| after_what_is(text, end))
            }
            Sign::Phrase(its) if its < rank && begins() && ends() => rank = its,
            Sign::BeforeYear(its) if its < rank && begins() && is_year(&bytes[end..]) => rank = its,
            Sign::BeforeWord(its) if its < rank && begins() && run_has_word(&text[end..]) => {
                rank = its
            }
            Sign::BeforeMark(its) if its < rank && begins() && ends() && marks.on_line(end) => {
                rank = its
            }
            Sign::From if begins() => {
                from = from.filter(|&from| lines.begin(start) <= from).or(Some(end));
            }
            Sign::To(its) if its < rank && ends() => {
                from = from.filter(|&from| lines.begin(start) <= from);
                if from.is_some_and(|from| from < start) {
                    rank = its;
                }
            }
            _ => {}
        }
    });
    if table.two_marks < rank && marks.enclose_something() {
        rank = table.two_marks;
    }
    found.disqualifier = (rank != Rank::MAX).then_some(rank);
    found.attribute = (attribute != u8::MAX).then_some(attribute);
    found
}

/// Whether the run at the start of the text has an ASCII letter, a digit or `_`.
fn run_has_word(text: &str) -> bool {
    let mut run = text.chars().take_while(|&c| !is_white_space(c));
    run.any(|c| c.is_ascii() && is_ascii_word(c as u8))
}

/// Whether the bytes begin with a word of four digits.
fn is_year(bytes: &[u8]) -> bool {
    let (digits, rest) = bytes.split_at(bytes.len().min(4));
    digits.len() == 4
        && digits.iter().all(u8::is_ascii_digit)
        && rest.first().is_none_or(|&byte| !is_ascii_word(byte))
}

/// The starts of lines, for places in rising order.
struct Lines<'a> {
    text: &'a str,
    scanned: usize,
    begin: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, scanned: 0, begin: 0 }
    }

    /// Returns the start of the line of a place.
    fn begin(&mut self, at: usize) -> usize {
        if at > self.scanned {
            if let Some((last, end)) =
                self.text[self.scanned..at].char_indices().rev().find(|&(_, c)| is_line_end(c))
            {
                self.begin = self.scanned + last + end.len_utf8();
            }
            self.scanned = at;
        }
        self.begin
    }
}

/// The question marks of lines, for places in rising order.
struct Marks<'a> {
    text: &'a str,
    /// The next question mark or line end from a place on, and whether it is a question mark.
    next: Option<(usize, bool)>,
}

impl<'a> Marks<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, next: None }
    }

    /// Whether a question mark follows before the line ends.
    fn on_line(&mut self, from: usize) -> bool {
        match self.next {
            Some((at, is_mark)) if at >= from => is_mark,
            _ => {
                let next =
                    self.text[from..].char_indices().find(|&(_, c)| c == '?' || is_line_end(c));
                let (at, is_mark) =
                    next.map_or((self.text.len(), false), |(at, c)| (from + at, c == '?'));
                self.next = Some((at, is_mark));
                is_mark
            }
        }
    }

    /// Whether a line has two question marks with more than white space between them.
    fn enclose_something(&mut self) -> bool {
        self.next = None;
        let text = self.text;
        text.match_indices('?').any(|(at, _)| {
            let something = skip_white_space(text, at + 1);
            text[something..].chars().next().is_some_and(|c| self.on_line(something + c.len_utf8()))
        })
    }
}
