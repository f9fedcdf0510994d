//! What a text is before it is split: characters are replaced by those that mean the same.
//!
//! # Idea
//!
//! The replacements are SentencePiece's rules `nmt_nfkc`: of a character by its compatible ones, of
//! a character with its marks by one character, of a control by nothing. The library `tokenizers`
//! looks up a short grapheme as a whole, and takes the replacement of its shortest beginning that
//! has one, for all of it; otherwise it looks up each character. Models know texts from it, so the
//! same is done here, although a mark may be lost.
//!
//! # Invariants
//!
//! - Sources are ordered by their bytes, and none stands twice.

use std::fmt;

use unicode_segmentation::UnicodeSegmentation;

/// The bytes from which on a grapheme is not looked up as a whole.
const LONG: usize = 6;

/// Replacements of characters.
#[derive(Debug)]
pub struct Replacements {
    /// Source and target in turn, each with a zero after it.
    text: String,
    /// The places before each source and each target, in turn.
    starts: Box<[u32]>,
}

/// A fault of a list of replacements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementsFault {
    /// A source or a target is not UTF-8.
    NotUtf8,
    /// The last text has no zero after it, or is a source without a target.
    CutOff,
    /// The source of this number is empty, or does not stand after the one before it.
    Order(usize),
}

impl fmt::Display for ReplacementsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => write!(f, "must be UTF-8"),
            Self::CutOff => write!(f, "must be pairs of texts that end with a zero"),
            Self::Order(at) => write!(f, "must be ordered by their sources, found another at {at}"),
        }
    }
}

impl Replacements {
    /// Reads pairs of source and target, each with a zero after it, ordered by the bytes of sources.
    ///
    /// # Errors
    /// If the bytes break one of these rules.
    pub fn new(bytes: Vec<u8>) -> Result<Self, ReplacementsFault> {
        let text = String::from_utf8(bytes).map_err(|_| ReplacementsFault::NotUtf8)?;
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == 0);
        let starts: Vec<u32> =
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        if starts.len().is_multiple_of(2) || starts.last().copied() != Some(text.len() as u32) {
            return Err(ReplacementsFault::CutOff);
        }
        let all = Self { text, starts: starts.into() };
        for at in 0..all.count() {
            let before = at.checked_sub(1).map_or("", |before| all.part(2 * before));
            if all.part(2 * at) <= before {
                return Err(ReplacementsFault::Order(at));
            }
        }
        Ok(all)
    }

    /// Returns the number of replacements.
    pub fn count(&self) -> usize {
        self.starts.len() / 2
    }

    /// Returns a text with its characters replaced, and with one space instead of many. Spaces at
    /// the end are lost.
    pub fn normalised(&self, text: &str) -> String {
        let mut replaced = String::with_capacity(text.len());
        for grapheme in text.graphemes(true) {
            if grapheme.len() < LONG
                && let Some(target) = self.of_beginning(grapheme)
            {
                replaced.push_str(target);
                continue;
            }
            let mut rest = grapheme;
            while let Some(c) = rest.chars().next() {
                let (one, others) = rest.split_at(c.len_utf8());
                replaced.push_str(self.of(one).unwrap_or(one));
                rest = others;
            }
        }
        replaced.truncate(replaced.trim_end().len());
        let mut is_after_space = false;
        replaced.retain(|c| {
            let keeps = c != ' ' || !is_after_space;
            is_after_space = c == ' ';
            keeps
        });
        replaced
    }

    /// Returns the target of the shortest beginning of a text that has one.
    fn of_beginning(&self, text: &str) -> Option<&str> {
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        ends.into_iter().find_map(|end| self.of(&text[..end]))
    }

    /// Returns the target of a source.
    fn of(&self, source: &str) -> Option<&str> {
        let (mut from, mut to) = (0, self.count());
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.part(2 * middle).cmp(source) {
                std::cmp::Ordering::Equal => return Some(self.part(2 * middle + 1)),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    fn part(&self, number: usize) -> &str {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }
}
