//! Writes a prompt from its entries, within the token budgets of its sections and of the whole.

use super::ContextMode;
use super::budget::characters_of;
use super::entry::{PromptEntry, PromptSection, RANKS, SECTIONS};
use super::plain::ELLIPSIS;
use crate::text::is_white_space;

/// The limits of a prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PromptLimits {
    /// The set of rules.
    pub mode: ContextMode,
    /// The most tokens of the whole prompt.
    pub total: f64,
    /// The most tokens of each section, or ∞ for a section that only the whole limits.
    pub sections: [f64; SECTIONS],
}

impl PromptLimits {
    fn of(&self, section: PromptSection) -> f64 {
        self.sections[section as usize]
    }
}

/// Why an entry is not in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omitted {
    /// It has no text.
    Empty,
    /// It is an abandoned episode, or an item of too little relevance.
    Unwanted,
    /// It exceeds the budget of its section.
    Budget,
    /// It exceeds the budget of the whole prompt.
    Total,
}

impl Omitted {
    /// The names in data, in order.
    pub const NAMES: [&str; 4] = ["empty", "unwanted", "budget", "total"];
}

/// A section of a finished prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenSection {
    /// The section.
    pub section: PromptSection,
    /// The byte range in the prompt of the text below its heading.
    pub content: (usize, usize),
    /// The tokens of that text.
    pub tokens: f64,
}

/// A finished prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The text: sections under headings of the second level, in order.
    pub text: String,
    /// The tokens of the text, or 0 for an empty text.
    pub tokens: f64,
    /// The sections that the prompt holds.
    pub sections: Vec<WrittenSection>,
    /// For each entry the reason why it is not in the text, or `None` if it is.
    pub omitted: Vec<Option<Omitted>>,
    /// The reason why the identity is not in the text, or `None` if it is.
    pub identity: Option<Omitted>,
}

/// A line and the entry that it comes from. The identity comes from no entry.
struct Line {
    entry: Option<usize>,
    text: String,
}

/// A section while the prompt is written.
struct SectionDraft {
    section: PromptSection,
    lines: Vec<Line>,
    tokens: f64,
}

/// Returns the tokens of a text.
type Count<'a> = dyn Fn(&str) -> f64 + 'a;

/// Writes a prompt. `count` returns the tokens of a text. Every text that is kept has been counted
/// and fits.
///
/// Each section takes the lines that fit, from the first on. While the whole is too long, its last
/// line is removed, and a section goes with its last line. An identity that is too long is cut at a
/// word and ends with an ellipsis.
///
/// In seed-compatible mode a section that is too long is cut off at a character, entries in the
/// removed rest count as present, and the whole has no limit.
pub fn write_prompt(
    identity: &str,
    entries: &[(PromptSection, PromptEntry<'_>)],
    limits: &PromptLimits,
    count: &Count<'_>,
) -> Prompt {
    let mut omitted = vec![None; entries.len()];
    let mut parts = Vec::new();
    for section in PromptSection::ALL {
        let max = limits.of(section);
        let lines = match section {
            PromptSection::Identity => vec![Line { entry: None, text: identity.into() }],
            _ => lines_of(section, entries, &mut omitted),
        };
        let lines = if max <= 0.0 {
            leave_out(lines, Omitted::Budget, &mut omitted)
        } else if limits.mode == ContextMode::SeedCompatible {
            cut_off(lines, max)
        } else if section == PromptSection::Identity {
            shortened(identity, &|text| count(text) <= max)
        } else {
            fitting(lines, max, count, &mut omitted)
        };
        let content = join(&lines);
        if !content.is_empty() {
            parts.push(SectionDraft { section, lines, tokens: count(&content) });
        }
    }
    let begins = |parts: &[SectionDraft]| {
        parts.first().is_some_and(|part| part.section == PromptSection::Identity)
    };
    let is_kept = begins(&parts);
    if limits.mode == ContextMode::Default {
        trim(&mut parts, identity, limits, count, &mut omitted);
    }
    let missing = match (identity.is_empty(), is_kept, begins(&parts)) {
        (true, ..) => Some(Omitted::Empty),
        (_, false, _) => Some(Omitted::Budget),
        (.., false) => Some(Omitted::Total),
        _ => None,
    };
    let (text, contents) = whole(&parts, usize::MAX);
    let section = |(part, content): (&SectionDraft, (usize, usize))| WrittenSection {
        section: part.section,
        content,
        tokens: part.tokens,
    };
    let sections = parts.iter().zip(contents).map(section).collect();
    let tokens = tokens_of(&text, count);
    Prompt { text, tokens, sections, omitted, identity: missing }
}

/// Returns the identity alone, shortened to `most` tokens, and its tokens.
pub fn write_identity(identity: &str, max: f64, count: &Count<'_>) -> (String, f64) {
    let text = join(&shortened(identity, &|text| count(text) <= max));
    let tokens = tokens_of(&text, count);
    (text, tokens)
}

/// Returns the tokens of a text, and 0 for an empty one.
fn tokens_of(text: &str, count: &Count<'_>) -> f64 {
    if text.is_empty() { 0.0 } else { count(text) }
}

fn lines_of(
    section: PromptSection,
    entries: &[(PromptSection, PromptEntry<'_>)],
    omitted: &mut [Option<Omitted>],
) -> Vec<Line> {
    let mut lines = Vec::new();
    let of_rank = |rank| {
        (0..entries.len())
            .filter(move |&place| entries[place].0 == section && entries[place].1.rank() == rank)
    };
    for place in (0..RANKS).flat_map(of_rank) {
        let entry = &entries[place].1;
        if !entry.is_wanted() {
            omitted[place] = Some(Omitted::Unwanted);
        } else if let Some(text) = entry.line() {
            lines.push(Line { entry: Some(place), text });
        } else {
            omitted[place] = Some(Omitted::Empty);
        }
    }
    lines
}

fn leave_out(lines: Vec<Line>, why: Omitted, omitted: &mut [Option<Omitted>]) -> Vec<Line> {
    for entry in lines.iter().filter_map(|line| line.entry) {
        omitted[entry] = Some(why);
    }
    Vec::new()
}

/// Returns the longest run of lines from the first on that fits, and of the later lines each that
/// still fits. A line is tried only if it is shorter than every line that did not fit. That limits
/// the calls of `count` for long lists.
fn fitting(
    mut lines: Vec<Line>,
    max: f64,
    count: &Count<'_>,
    omitted: &mut [Option<Omitted>],
) -> Vec<Line> {
    if count(&join(&lines)) <= max {
        return lines;
    }
    let last = last_fitting(lines.len(), &|last| count(&join(&lines[..=last])) <= max);
    let rest = lines.split_off(last.map_or(0, |last| last + 1));
    let mut kept = lines;
    let mut text = join(&kept);
    let mut too_long = usize::MAX;
    for line in rest {
        let characters = line.text.chars().count();
        let length = text.len();
        if characters < too_long {
            if length > 0 {
                text.push('\n');
            }
            text.push_str(&line.text);
            if count(&text) <= max {
                kept.push(line);
                continue;
            }
            text.truncate(length);
            too_long = characters;
        }
        leave_out(vec![line], Omitted::Budget, omitted);
    }
    kept
}

/// Returns the text if it fits. Otherwise returns the most of its words that fit with an ellipsis,
/// else the most of its characters, else nothing.
fn shortened(text: &str, fits: &dyn Fn(&str) -> bool) -> Vec<Line> {
    if fits(text) {
        return vec![Line { entry: None, text: text.into() }];
    }
    let beginning = |end: usize| format!("{}{ELLIPSIS}", &text[..end]);
    let longest = |ends: Vec<usize>| {
        let fitting = last_fitting(ends.len(), &|place| fits(&beginning(ends[place])));
        fitting.map(|place| Line { entry: None, text: beginning(ends[place]) })
    };
    let ends_word = |&(at, c): &(usize, char)| {
        is_white_space(c) && !text[..at].ends_with(is_white_space) && at > 0
    };
    let words = text.char_indices().filter(ends_word).map(|(end, _)| end).collect();
    let characters = || text.char_indices().skip(1).map(|(end, _)| end).collect();
    longest(words).or_else(|| longest(characters())).into_iter().collect()
}

/// Returns the last of `count` places that fits, by binary search. The lengths rise with the
/// places.
fn last_fitting(count: usize, fits: &dyn Fn(usize) -> bool) -> Option<usize> {
    let (mut fitting, mut beyond) = (None, count);
    loop {
        let first = fitting.map_or(0, |place| place + 1);
        if first >= beyond {
            return fitting;
        }
        let middle = first + (beyond - first) / 2;
        if fits(middle) {
            fitting = Some(middle);
        } else {
            beyond = middle;
        }
    }
}

/// Cuts the text off at the characters that the tokens stand for, ellipsis included.
fn cut_off(lines: Vec<Line>, max: f64) -> Vec<Line> {
    let content = join(&lines);
    let max = characters_of(max);
    if content.chars().count() as f64 <= max {
        return lines;
    }
    let kept = content.chars().take((max - ELLIPSIS.len() as f64) as usize);
    vec![Line { entry: None, text: kept.chain(ELLIPSIS.chars()).collect() }]
}

/// Removes lines from the end until the whole fits.
fn trim(
    parts: &mut Vec<SectionDraft>,
    identity: &str,
    limits: &PromptLimits,
    count: &Count<'_>,
    omitted: &mut [Option<Omitted>],
) {
    // A shorter text may count more tokens, so each section is counted again.
    let fits_in = |part: &SectionDraft, kept: usize| {
        kept == 0
            || kept >= part.lines.len()
            || count(&join(&part.lines[..kept])) <= limits.of(part.section)
    };
    let fits = |lines: usize| {
        let mut left = lines;
        let mut each = parts.iter().map(|part| {
            let kept = left.min(part.lines.len());
            left -= kept;
            fits_in(part, kept)
        });
        each.all(|fits| fits) && count(&whole(parts, lines).0) <= limits.total
    };
    let lines = parts.iter().map(|part| part.lines.len()).sum();
    if lines == 0 || fits(lines) {
        return;
    }
    let mut left = last_fitting(lines, &|last| fits(last + 1)).map_or(0, |last| last + 1);
    for part in parts.iter_mut() {
        let kept = left.min(part.lines.len());
        left -= kept;
        let removed = part.lines.split_off(kept);
        if removed.is_empty() {
            continue;
        }
        leave_out(removed, Omitted::Total, omitted);
        if part.section == PromptSection::Identity {
            let heading = heading(part.section);
            let fits = |text: &str| {
                count(text) <= limits.of(part.section)
                    && count(&format!("{heading}{text}")) <= limits.total
            };
            part.lines = shortened(identity, &fits);
        }
        part.tokens = count(&join(&part.lines));
    }
    parts.retain(|part| !part.lines.is_empty());
}

/// Returns the prompt of the first `lines` lines, and the byte ranges of its sections' contents.
fn whole(parts: &[SectionDraft], mut lines: usize) -> (String, Vec<(usize, usize)>) {
    let mut text = String::new();
    let mut contents = Vec::new();
    for part in parts {
        let kept = &part.lines[..lines.min(part.lines.len())];
        lines -= kept.len();
        if kept.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&heading(part.section));
        let start = text.len();
        text.push_str(&join(kept));
        contents.push((start, text.len()));
    }
    (text, contents)
}

fn heading(section: PromptSection) -> String {
    format!("## {}\n\n", section.label())
}

fn join(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line.text);
    }
    text
}
