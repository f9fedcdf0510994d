//! Lookups: questions that ask for one attribute of one thing.
//!
//! The forms of such questions were first written as regular expressions. Here they are matched by
//! hand, in time linear in the text, with the result of a backtracking engine. *Two* stands for one
//! or two runs of characters. The second run is taken if the rest still fits.

use super::attributes::AttributeWords;
use super::forms::{Pair, possessive};
use super::scan::Scan;
use super::table::{ATTRIBUTE_MARK, Sign, TABLE};
use super::{Piece, QueryConfig, QueryType};
use crate::text::runs::{runs, runs_from_end, skip_white_space, trim, without_possessive};
use crate::text::{Span, is_ascii_word, is_white_space, units};

/// The type of a question, with the thing and the attribute of a lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookup {
    /// `Lookup`, or `Ambiguous` for every other question.
    pub query_type: QueryType,
    /// In [0, 1].
    pub confidence: f64,
    /// The thing. Empty if the question matches no form, but has a possessive with only marks
    /// before its `'s`.
    pub entity: Option<Span>,
    /// The attribute. Empty if the question matches no form, but has a possessive with only marks
    /// after its `'s`.
    pub attribute: Option<Piece>,
}

const FORM: f64 = 0.7;
const KNOWN_ATTRIBUTE: f64 = 0.15;
const ENDS_WITH_MARK: f64 = 0.05;
const IS_SHORT: f64 = 0.05;
/// A question below this many UTF-16 units is short.
const SHORT: usize = 50;
const POSSESSIVE: f64 = 0.6;
const ATTRIBUTE_ALONE: f64 = 0.5;
const NONE: f64 = 0.3;

/// Matches a question that is *two* `'s` and a run as a whole.
fn whole(text: &str) -> Option<Pair> {
    let pair = possessive(text, runs(text, 0))?;
    let attribute = pair.attribute?;
    (pair.entity.start == 0 && attribute.end == text.len()).then_some(pair)
}

/// Matches *two* at the end of the question. Returns the spans of its last two runs and of its last
/// run.
fn last_two(text: &str) -> impl Iterator<Item = Span> {
    let ends = !text.ends_with(is_white_space);
    let mut runs = runs_from_end(text);
    let last = runs.next().filter(|_| ends);
    let before = runs.next();
    let two = |run: Span| Span { start: run.start, end: text.len() };
    [before.filter(|_| ends), last].into_iter().flatten().map(two)
}

/// Matches a run from its first word on, white space, `for`, white space, *two*, the end.
fn thing_for(text: &str) -> Option<Pair> {
    last_two(text).find_map(|two| {
        let joint = before_run(text, two, "for")?;
        let run = runs_from_end(&text[..joint]).next().filter(|run| run.end < joint)?;
        let word = run.of(text).bytes().position(is_ascii_word)?;
        Some(Pair { entity: Span { start: run.start + word, end: run.end }, attribute: Some(two) })
    })
}

/// Matches `who is` at the start of a word, white space, *two*, the end.
fn who_is(text: &str, words: &str) -> Option<Pair> {
    last_two(text).find_map(|two| {
        let at = before_run(text, two, words)?;
        let begins = at == 0 || !is_ascii_word(text.as_bytes()[at - 1]);
        begins.then_some(Pair { entity: two, attribute: None })
    })
}

/// Returns the start of the words before the white space in front of a run.
fn before_run(text: &str, run: Span, words: &str) -> Option<usize> {
    let before = text[..run.start].trim_end_matches(is_white_space);
    let at = before.len().checked_sub(words.len())?;
    before.as_bytes()[at..].eq_ignore_ascii_case(words.as_bytes()).then_some(at)
}

/// Matches *two* `'s` and a run, anywhere.
fn anywhere(text: &str) -> Option<Pair> {
    let mut rest = runs(text, 0);
    loop {
        let here = rest.clone();
        rest.next()?;
        if let Some(pair) = possessive(text, here) {
            return Some(pair);
        }
    }
}

/// Returns the span without final punctuation and the white space around it.
fn stripped(text: &str, span: Span) -> Span {
    let end = span.start + span.of(text).trim_end_matches(['?', '!', '.', ',', ';', ':']).len();
    trim(text, Span { start: span.start, end })
}

fn is_short(text: &str) -> bool {
    // A UTF-16 unit has at most three bytes of UTF-8.
    text.len() < SHORT || (text.len() < 3 * SHORT && units(text) < SHORT)
}

/// Decides whether a question is a lookup, from its scan.
pub fn lookup(text: &str, scan: &Scan, config: &QueryConfig) -> Lookup {
    let own = config.attribute_words.as_deref();
    let form = scan
        .what_is
        .or_else(|| if scan.possessive { whole(text) } else { None })
        .or_else(|| if scan.has_for { thing_for(text) } else { None })
        .or_else(|| {
            let forms = ["who is", "where is", "when is"];
            if scan.who_is { forms.iter().find_map(|words| who_is(text, words)) } else { None }
        });
    if let Some(pair) = form {
        let left = |span: Span| Some(stripped(text, span)).filter(|span| span.start < span.end);
        let entity = left(pair.entity);
        let attribute = pair.attribute.and_then(left);
        let mut confidence = FORM;
        let mut add = |amount: f64, when: bool| {
            confidence = if when { f64::min(1.0, confidence + amount) } else { confidence }
        };
        add(KNOWN_ATTRIBUTE, attribute.is_some_and(|span| has_attribute_word(span.of(text), own)));
        add(ENDS_WITH_MARK, text.trim_end_matches(is_white_space).ends_with('?'));
        add(IS_SHORT, is_short(text));
        return Lookup {
            query_type: QueryType::Lookup,
            confidence,
            entity,
            attribute: attribute.map(Piece::Text),
        };
    }
    let word = match own {
        Some(words) => words.first(text).map(Piece::Text),
        None => scan.attribute.map(Piece::Attribute),
    };
    let Some(word) = word else {
        return Lookup {
            query_type: QueryType::Ambiguous,
            confidence: NONE,
            entity: None,
            attribute: None,
        };
    };
    let pair = if scan.possessive { anywhere(text) } else { None };
    match pair {
        Some(pair) => Lookup {
            query_type: QueryType::Lookup,
            confidence: POSSESSIVE,
            entity: Some(stripped(text, pair.entity)),
            attribute: pair.attribute.map(|span| Piece::Text(stripped(text, span))),
        },
        None => Lookup {
            query_type: QueryType::Lookup,
            confidence: ATTRIBUTE_ALONE,
            entity: None,
            attribute: Some(word),
        },
    }
}

fn has_attribute_word(text: &str, own: Option<&AttributeWords>) -> bool {
    own.map_or_else(
        || TABLE.automaton.marks(text.as_bytes()) & ATTRIBUTE_MARK != 0,
        |words| words.first(text).is_some(),
    )
}

/// Returns the end of the ASCII word that begins here.
fn word_end(text: &str, start: usize) -> usize {
    let length = text.as_bytes()[start..].iter().take_while(|&&byte| is_ascii_word(byte)).count();
    start + length
}

/// Returns one or two words after the white space that begins here.
fn one_or_two_words(text: &str, from: usize) -> Option<Span> {
    let start = skip_white_space(text, from);
    let end = word_end(text, start);
    if start == from || end == start {
        return None;
    }
    let second = skip_white_space(text, end);
    let second_end = word_end(text, second);
    let has_second = second > end && second_end > second;
    Some(Span { start, end: if has_second { second_end } else { end } })
}

/// Returns the end of a word that stands at a place, or `None` if a word character follows.
fn after_word(text: &str, at: usize, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = at + word.len();
    let is_here = bytes.get(at..end)?.eq_ignore_ascii_case(word.as_bytes());
    (is_here && (at == 0 || !is_ascii_word(bytes[at - 1]))).then_some(end)
}

/// Adds the words after each match of `lead` that does not overlap one before.
fn words_after(text: &str, found: &mut Vec<Span>, lead: impl Fn(usize) -> Option<usize>) {
    let mut at = 0;
    while at < text.len() {
        match lead(at).and_then(|end| one_or_two_words(text, end)) {
            Some(words) => {
                found.push(words);
                at = words.end;
            }
            None => at += 1,
        }
    }
}

/// Returns the things that a question names: owners in possessives, and the words after `for`,
/// `who is`, `where is` and `when is`. Each once.
///
/// ```
/// use nous_wasm::query::{QueryConfig, extract_entities};
/// let question = "What's John's email?";
/// let named = |config| -> Vec<&str> {
///     extract_entities(question, &config).iter().map(|span| span.of(question)).collect()
/// };
/// assert_eq!(named(QueryConfig::default()), ["What"]);
/// assert_eq!(named(QueryConfig { adjacent_possessives: true, ..QueryConfig::default() }), ["What", "John"]);
/// ```
pub fn extract_entities(text: &str, config: &QueryConfig) -> Vec<Span> {
    let mut found = Vec::new();
    let mut all = runs(text, 0);
    while let Some(run) = all.next().filter(|run| run.end < text.len()) {
        let owner =
            without_possessive(text, run).filter(|it| it.of(text).bytes().all(is_ascii_word));
        if let Some(owner) = owner {
            found.push(owner);
            if !config.adjacent_possessives {
                all.next();
            }
        }
    }
    words_after(text, &mut found, |at| after_word(text, at, "for"));
    words_after(text, &mut found, |at| {
        ["who is", "where is", "when is"].iter().find_map(|words| after_word(text, at, words))
    });
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|span| seen.insert(span.of(text)));
    found
}

/// Returns the attribute that a question asks for.
pub fn extract_attribute(text: &str) -> Option<Piece> {
    let mut all = runs(text, 0);
    while let Some(run) = all.next() {
        let Some(next) = all.clone().next() else { break };
        let end = word_end(text, next.start);
        if without_possessive(text, run).is_some() && end > next.start {
            return Some(Piece::Text(Span { start: next.start, end }));
        }
    }
    let first = word_end(text, 0);
    let second = skip_white_space(text, first);
    let for_follows =
        after_word(text, second, "for").is_some_and(|end| skip_white_space(text, end) > end);
    if first > 0 && second > first && for_follows {
        return Some(Piece::Text(Span { start: 0, end: first }));
    }
    first_attribute_word(text).map(Piece::Attribute)
}

/// Returns the place of the first entry of [`ATTRIBUTE_WORDS`] that occurs anywhere in a text.
fn first_attribute_word(text: &str) -> Option<u8> {
    let mut first = None;
    TABLE.automaton.occurrences(text.as_bytes(), |place, _| {
        if let (_, Sign::Attribute(word)) = TABLE.strings[place] {
            first = Some(first.map_or(word, |first| word.min(first)));
        }
    });
    first
}
