//! Reads the words of a text by which memories are found.
//!
//! # Idea
//!
//! A text is a row of words, folded ([`super::folding`]). Scripts without spaces between words give
//! pairs of characters instead, and a picture is a word of its own. Some places hold more than their
//! word:
//!
//! - An *identifier* is a chain of words that marks join without white space: a version, an address, a
//!   path, an e-mail. Order and marks are part of it, so it is a word besides those that it holds.
//!   Letters that hyphens join are none.
//! - A word with signs, such as "C++" or "-5", is another word than that without. It is the word of
//!   its place.
//! - A *stem* is what is left of a word without an article or a preposition of Arabic or Hebrew, or a
//!   particle of Korean, and an ideograph between kana.
//! - A *part* is a word within a word: of camelCase, an ideograph of a pair.
//!
//! Stems, parts and words without their signs have names of their own, since a text that holds one need
//! not hold the word.
//!
//! # Invariants
//!
//! - Every place has one word, which comes first. What else it holds follows.
//! - Words, identifiers and parts have different names: an identifier holds a mark between letters,
//!   and the others begin with [`PART`], [`STEM`] and [`BARE`].
//!
//! # Cost
//!
//! One pass. ASCII letters need no table, and nothing is allocated for a word that is no more than
//! itself.

use std::ops::Range;

use super::folding::{Folded, cluster, fold_cluster, folded};
use super::parts::{camel_parts, clitic_parts, is_ideograph, is_telling_ideograph, noun_of};
use super::tokens::{MAX_BYTES, stands_alone};
use super::{is_white_space, is_word};

/// The first character of the name of a part.
pub(crate) const PART: char = '\u{1}';
/// The first character of the name of a stem.
pub(crate) const STEM: char = '\u{2}';
/// The first character of the name of a word without its signs.
pub(crate) const BARE: char = '\u{3}';
/// The most marks between two words of an identifier.
const MAX_MARKS: usize = 3;
/// A longer chain is no identifier.
const MAX_IDENTIFIER: usize = 256;
/// The most characters of a run that are compared with a noun and its particle.
const MAX_NOUN: usize = 5;

/// What a place of a text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Its word.
    Word,
    /// The identifier that ends with its word.
    Identifier,
    /// What is left of its word without clitics or particle, or an ideograph between kana.
    Stem,
    /// An ideograph of its pair.
    Ideograph,
    /// Its word without signs.
    Bare,
    /// Another part of its word.
    Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Letter,
    Unspaced,
    Picture,
    Separator,
}

fn role(c: char) -> Role {
    if c.is_ascii() {
        if c.is_ascii_alphanumeric() { Role::Letter } else { Role::Separator }
    } else if is_picture(c) {
        Role::Picture
    } else if stands_alone(c) {
        Role::Unspaced
    } else if is_word(c) {
        Role::Letter
    } else {
        Role::Separator
    }
}

/// Whether a character is a picture, such as an emoji or a letter of a flag.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{231A}'..='\u{231B}'
        | '\u{23E9}'..='\u{23FA}'
        | '\u{2600}'..='\u{27BF}'
        | '\u{2B1B}'..='\u{2B1C}'
        | '\u{2B50}'..='\u{2B55}'
        | '\u{1F000}'..='\u{1F0FF}'
        | '\u{1F18E}'..='\u{1F1FF}'
        | '\u{1F300}'..='\u{1FAFF}')
}

/// Returns the form of a mark that joins the words of an identifier.
fn joining(c: char) -> Option<char> {
    match c {
        '.' | '-' | '_' | '/' | '\\' | ':' | '@' | '+' | '#' | '&' | '=' | '~' | '%' => Some(c),
        '\u{2010}'..='\u{2013}' | '\u{2212}' => Some('-'),
        _ => None,
    }
}

/// Whether the text between two words joins them.
fn joins(between: &str) -> bool {
    !between.is_empty()
        && between.len() <= MAX_MARKS * 3
        && between.chars().count() <= MAX_MARKS
        && between.chars().all(|c| joining(c).is_some())
        && !between.as_bytes().windows(2).any(|two| matches!(two, b".." | b"--"))
}

/// What a word of the text is within.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Word,
    Run,
}

struct Reader<'a> {
    text: &'a str,
    add: &'a mut dyn FnMut(&str, Held, Range<usize>),
    open: Open,
    /// The open word, or the first characters of the open run.
    name: String,
    /// The bytes of the open word or run.
    start: usize,
    end: usize,
    /// The characters of the open run, and its last one with its place.
    count: usize,
    last: (char, usize),
    /// The character before the last one.
    before: Option<char>,
    /// The bytes of the chain of words that the last word belongs to, and the number of its words.
    chain: (usize, usize, usize),
    /// A name that is being made.
    other: String,
}

/// Calls `add` with everything that a text holds, in order. `scratch` is scratch.
pub(crate) fn each_held(text: &str, scratch: &mut String, mut add: impl FnMut(&str, Held)) {
    each_held_in(text, scratch, &mut |name, held, _| add(name, held));
}

/// Does the same, and gives the bytes of the text that each was made of.
pub(crate) fn each_held_in(
    text: &str,
    scratch: &mut String,
    add: &mut dyn FnMut(&str, Held, Range<usize>),
) {
    let mut reader = Reader {
        text,
        add,
        open: Open::Nothing,
        name: std::mem::take(scratch),
        start: 0,
        end: 0,
        count: 0,
        last: (' ', 0),
        before: None,
        chain: (0, 0, 0),
        other: String::new(),
    };
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        if byte.is_ascii() {
            if byte.is_ascii_alphanumeric() {
                reader.letter(byte.to_ascii_lowercase().into(), at, at + 1);
            } else {
                reader.close();
            }
            at += 1;
        } else {
            at += reader.wide(at);
        }
    }
    reader.close();
    reader.end_chain();
    *scratch = reader.name;
}

impl Reader<'_> {
    /// Reads the characters beyond ASCII at a place. Returns their bytes.
    #[inline(never)]
    fn wide(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        if let Some(bytes) = cluster(rest) {
            for c in fold_cluster(&rest[..bytes]).chars() {
                self.character(c, at, at + bytes);
            }
            return bytes;
        }
        let Some(c) = rest.chars().next() else { return 1 };
        let end = at + c.len_utf8();
        match folded(c) {
            Folded::Same => self.character(c, at, end),
            Folded::Text(text) => text.chars().for_each(|c| self.character(c, at, end)),
            Folded::Mark if self.open == Open::Word => self.end = end,
            Folded::Mark => {}
        }
        end - at
    }

    #[inline(never)]
    fn character(&mut self, c: char, start: usize, end: usize) {
        match role(c) {
            Role::Letter => self.letter(c, start, end),
            Role::Unspaced => self.unspaced(c, start, end),
            Role::Picture => self.picture(c, start, end),
            Role::Separator => self.close(),
        }
    }

    #[inline]
    fn letter(&mut self, c: char, start: usize, end: usize) {
        if self.open != Open::Word {
            self.close();
            self.open = Open::Word;
            self.name.clear();
            self.start = start;
        }
        if self.name.len() + c.len_utf8() <= MAX_BYTES {
            self.name.push(c);
        }
        self.end = end;
    }

    #[inline(never)]
    fn unspaced(&mut self, c: char, start: usize, end: usize) {
        if self.open == Open::Run {
            let (before, place) = self.last;
            self.other.clear();
            self.other.extend([before, c]);
            (self.add)(&self.other, Held::Word, place..end);
            self.ideograph(Some(c), start);
            self.before = Some(before);
        } else {
            self.close();
            self.end_chain();
            self.open = Open::Run;
            self.name.clear();
            self.start = start;
            self.count = 0;
            self.before = None;
        }
        if self.count < MAX_NOUN {
            self.name.push(c);
        }
        self.count += 1;
        self.last = (c, start);
        self.end = end;
    }

    /// Adds the last character of the open run, if it is an ideograph that can be a word.
    #[inline(never)]
    fn ideograph(&mut self, after: Option<char>, end: usize) {
        let (c, start) = self.last;
        if !is_telling_ideograph(c) {
            return;
        }
        let is_alone = ![self.before, after].into_iter().flatten().any(is_ideograph);
        let (prefix, held) = if is_alone { (STEM, Held::Stem) } else { (PART, Held::Ideograph) };
        self.other.clear();
        self.other.extend([prefix, c]);
        (self.add)(&self.other, held, start..end);
    }

    #[inline(never)]
    fn picture(&mut self, c: char, start: usize, end: usize) {
        self.close();
        self.end_chain();
        self.name.clear();
        self.name.push(c);
        (self.add)(&self.name, Held::Word, start..end);
    }

    /// Ends the open word or run.
    #[inline]
    fn close(&mut self) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Word => self.close_word(),
            Open::Run => self.close_run(),
        }
    }

    #[inline(never)]
    fn close_word(&mut self) {
        let (mut start, mut end) = (self.start, self.end);
        let source = &self.text[start..end];
        let (before, after) = (&self.text[..start], &self.text[end..]);
        let sign =
            if self.name.as_bytes()[0].is_ascii_digit() { sign_before(before) } else { None };
        let signs = signs_after(source, after);
        if sign.is_some() || !signs.is_empty() {
            self.other.clear();
            self.other.extend(sign);
            self.other.push_str(&self.name);
            self.other.push_str(signs);
            std::mem::swap(&mut self.name, &mut self.other);
            start -= sign.map_or(0, |_| before.chars().next_back().map_or(0, char::len_utf8));
            end += signs.len();
        }
        let (chain_start, chain_end, words) = self.chain;
        let between = self.text.get(chain_end..start);
        if words > 0 && between.is_some_and(joins) {
            self.chain = (chain_start, end, words + 1);
        } else {
            self.end_chain();
            self.chain = (start, end, 1);
        }
        (self.add)(&self.name, Held::Word, start..end);
        let add = &mut self.add;
        let mut part = |name: &str, held: Held| {
            let mut part = String::with_capacity(1 + name.len());
            part.push(match held {
                Held::Stem => STEM,
                Held::Bare => BARE,
                _ => PART,
            });
            part.push_str(name);
            add(&part, held, start..end);
        };
        if sign.is_some() || !signs.is_empty() {
            part(&self.other, Held::Bare);
        } else if !self.name.is_ascii() {
            clitic_parts(&self.name, |name| part(name, Held::Stem));
        }
        if source.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
            && source.bytes().any(|byte| byte.is_ascii_lowercase())
        {
            camel_parts(source, |name| part(name, Held::Part));
        }
    }

    #[inline(never)]
    fn close_run(&mut self) {
        if self.count == 1 {
            (self.add)(&self.name, Held::Word, self.start..self.end);
            return;
        }
        self.ideograph(None, self.end);
        if self.count <= MAX_NOUN
            && let Some(noun) = noun_of(&self.name)
        {
            self.other.clear();
            self.other.extend([STEM, noun]);
            (self.add)(&self.other, Held::Stem, self.start..self.end);
        }
    }

    /// Ends the chain of words.
    #[inline]
    fn end_chain(&mut self) {
        let (start, end, words) = std::mem::take(&mut self.chain);
        if words > 1 && end - start <= MAX_IDENTIFIER {
            self.identifier(start, end);
        }
    }

    #[inline(never)]
    fn identifier(&mut self, start: usize, end: usize) {
        let mut name = String::with_capacity(end - start);
        let text = &self.text[start..end];
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let bytes = cluster(&text[at..]).unwrap_or(c.len_utf8());
            if let Some(mark) = joining(c) {
                name.push(mark);
            } else if bytes > c.len_utf8() {
                name.push_str(&fold_cluster(&text[at..at + bytes]));
            } else if c.is_ascii() {
                name.push(c.to_ascii_lowercase());
            } else {
                match folded(c) {
                    Folded::Same => name.push(c),
                    Folded::Text(text) => name.push_str(&text),
                    Folded::Mark => {}
                }
            }
            at += bytes;
        }
        // Prose joins words by hyphens, too: "check-in".
        if !name.chars().all(|c| c == '-' || c.is_alphabetic()) {
            (self.add)(&name, Held::Identifier, start..end);
        }
    }
}

/// Returns the sign of a number at the end of the text before it, unless something else precedes the
/// sign.
fn sign_before(before: &str) -> Option<char> {
    let mut characters = before.chars().rev();
    let sign = match characters.next()? {
        '+' => '+',
        '-' | '\u{2212}' => '-',
        _ => return None,
    };
    let is_first = |c| {
        is_white_space(c)
            || matches!(c, '(' | '[' | '{' | '=' | '$' | '€' | '£' | '。' | '！' | '？')
    };
    characters.next().is_none_or(is_first).then_some(sign)
}

/// Returns the signs of a name at the start of the text after it: "++", "+" or "#", and "-" after the
/// capital letters of a grade or a blood group.
fn signs_after<'a>(name: &str, after: &'a str) -> &'a str {
    let signs = after.len() - after.trim_start_matches(['+', '#']).len();
    let is_grade = || after.starts_with('-') && matches!(name, "A" | "B" | "AB" | "C" | "D" | "O");
    let signs = if signs == 0 && is_grade() { 1 } else { signs };
    let ends = |c: char| !(is_word(c) || joining(c).is_some_and(|mark| mark == '-'));
    let is_end = after[signs..].chars().next().is_none_or(ends);
    if signs <= 2 && is_end { &after[..signs] } else { "" }
}
