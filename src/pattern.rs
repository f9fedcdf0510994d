//! Patterns of users: regular expressions that take linear time.
//!
//! Idea: `regex-lite` runs all branches of a pattern at once over the text, so that no pattern and
//! no text can make it go back. It has no look-around and no back-references, which need that.
//!
//! Case: letters of ASCII match in either case by the expression itself. Text, and the other
//! letters of a pattern, are in lower case before they are compared, so that `ä` matches `Ä`.
//!
//! Cost: at most the length of the text times the size of the compiled pattern, which is limited.
//! Alone it is 36 KB compressed. `regex` with the tables of case is 144 KB alone.

use std::borrow::Cow;

use regex_lite::{Regex, RegexBuilder};

use crate::error::{Error, Result};
use crate::text::lower_case;

/// The most patterns of a set.
pub const MAX_PATTERNS: usize = 1_000;
/// The most bytes of a pattern.
pub const MAX_PATTERN_BYTES: usize = 2_000;
/// The most bytes of a compiled pattern. Repetitions such as `\w{500}` take many.
const MAX_COMPILED_BYTES: usize = 1 << 18;
/// The most groups within one another.
const MAX_NESTING: u32 = 32;

/// Patterns in order. Letters match in either case; `\b`, `\w`, `\d` and `\s` know ASCII alone.
///
/// ```
/// use nous_wasm::PatternSet;
/// let patterns = PatternSet::new(["\\bgestern\\b", "\\bärzt(in)?\\b|\\barzt\\b"])?;
/// assert_eq!(patterns.first_match("Der Arzt kam GESTERN"), Some(0));
/// assert_eq!(patterns.first_match("Mein Arzt"), Some(1));
/// assert_eq!(patterns.first_match("Heute"), None);
/// # Ok::<(), nous_wasm::Error>(())
/// ```
#[derive(Debug)]
pub struct PatternSet(Vec<Regex>);

impl PatternSet {
    /// Compiles patterns.
    ///
    /// # Errors
    /// `invalid_argument` with the place of the pattern: a syntax error, look-around, a
    /// back-reference, or a pattern that is too long or too large. Without a place if there are too
    /// many.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut compiled = Vec::new();
        for (place, pattern) in patterns.into_iter().enumerate() {
            if place == MAX_PATTERNS {
                let problem = format!("must be at most {MAX_PATTERNS}");
                return Err(Error::argument("patterns", problem));
            }
            compiled.push(compile(pattern).map_err(|error| error.at(place))?);
        }
        Ok(Self(compiled))
    }

    /// Returns the place of the first pattern that matches anywhere in the text.
    pub fn first_match(&self, text: &str) -> Option<usize> {
        let text = lower_case(text);
        self.0.iter().position(|pattern| pattern.is_match(&text))
    }
}

fn compile(pattern: &str) -> Result<Regex> {
    if pattern.len() > MAX_PATTERN_BYTES {
        let problem = format!("must have at most {MAX_PATTERN_BYTES} bytes");
        return Err(Error::argument("pattern", problem).found(pattern.len() as f64));
    }
    let built = RegexBuilder::new(&lower_case_beyond_ascii(pattern))
        .case_insensitive(true)
        .size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_NESTING)
        .build();
    built.map_err(|error| Error::argument("pattern", problem(&error.to_string())))
}

/// Returns the pattern with letters beyond ASCII in lower case. Those of ASCII may belong to an
/// escape, such as `\S`.
fn lower_case_beyond_ascii(pattern: &str) -> Cow<'_, str> {
    if pattern.is_ascii() {
        return pattern.into();
    }
    let parts = pattern.split_inclusive(|c: char| c.is_ascii());
    let lowered = parts.map(|part| match part.char_indices().next_back() {
        Some((end, last)) if last.is_ascii() => [&lower_case(&part[..end]), &part[end..]].concat(),
        _ => lower_case(part).into_owned(),
    });
    lowered.collect::<String>().into()
}

/// Returns the problem and a remedy for an error of the compiler.
fn problem(error: &str) -> String {
    let remedy = if error.contains("look-around") || error.contains("backreferences") {
        ": a pattern takes linear time, so say it in other words, or in two patterns"
    } else if error.contains("limit") || error.contains("nesting") {
        ": repeat less, or divide it into several patterns"
    } else {
        ""
    };
    format!("must be a regular expression that the engine takes, but {error}{remedy}")
}
