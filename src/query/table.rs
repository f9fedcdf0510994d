//! The words and phrases that a question is judged by.

use std::sync::LazyLock;

use crate::automaton::Automaton;

/// Why a question is no plain lookup. Earlier categories win over later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// It asks for reasons, comparisons, summaries.
    Reasoning,
    /// It asks for what is not there.
    Negation,
    /// It names a time.
    Time,
    /// It has several questions.
    Compound,
    /// It points at something said before.
    Reference,
    /// It explores.
    Exploration,
}

impl Category {
    /// All categories, in order.
    pub const ALL: [Self; 6] = [
        Self::Reasoning,
        Self::Negation,
        Self::Time,
        Self::Compound,
        Self::Reference,
        Self::Exploration,
    ];

    /// D1 to D6.
    pub fn name(self) -> &'static str {
        ["D1", "D2", "D3", "D4", "D5", "D6"][self as usize]
    }

    /// The category in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Reasoning => "Reasoning query (how/why/explain)",
            Self::Negation => "Negation query (not/never/except)",
            Self::Time => "Time reference (last week/in September)",
            Self::Compound => "Compound query (multiple questions)",
            Self::Reference => "Unresolved reference (their/his/it)",
            Self::Exploration => "Exploration query (what else/similar to)",
        }
    }

    /// Its entries, in order. Those in brackets stand for any of their kind; all others are sought
    /// as they are, as whole words.
    pub fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Reasoning => &[
                "how does",
                "how do",
                "how is",
                "why does",
                "why is",
                "why did",
                "relate",
                "relationship",
                "connection",
                "compare",
                "comparison",
                "difference",
                "versus",
                "vs",
                "explain",
                "summarize",
                "describe",
                "what do I know about",
                "tell me about",
            ],
            Self::Negation => &[
                "not in",
                "not included",
                "missing from",
                "never",
                "without",
                "except",
                "what don't I",
                "what haven't I",
            ],
            Self::Time => &[
                "last week",
                "yesterday",
                "recently",
                "last month",
                "last year",
                "today",
                "this week",
                "this month",
                IN_MONTH,
                ON_WEEKDAY,
                IN_YEAR,
                "between",
                FROM_TO,
                "during",
            ],
            Self::Compound => &[
                TWO_MARKS,
                "and what",
                "and when",
                "and where",
                "and who",
                "and how",
                "and why",
                ALSO,
            ],
            Self::Reference => {
                &["their", "his", "her", "its", "that", "this", "the same", "the other"]
            }
            Self::Exploration => &[
                "what else",
                "anything related",
                "more about",
                "similar to",
                LIKE,
                "brainstorm",
                "ideas for",
                "suggest",
            ],
        }
    }
}

const IN_MONTH: &str = "in [month]";
const ON_WEEKDAY: &str = "on [weekday]";
const IN_YEAR: &str = "in [year]";
const FROM_TO: &str = "from [...] to";
const TWO_MARKS: &str = "? ... ?";
const ALSO: &str = "also ... ?";
const LIKE: &str = "like [...]";

const MONTHS: [&str; 12] = [
    "in january",
    "in february",
    "in march",
    "in april",
    "in may",
    "in june",
    "in july",
    "in august",
    "in september",
    "in october",
    "in november",
    "in december",
];

const WEEKDAYS: [&str; 7] = [
    "on monday",
    "on tuesday",
    "on wednesday",
    "on thursday",
    "on friday",
    "on saturday",
    "on sunday",
];

/// What is asked of something, sought inside words too. Earlier ones win over later ones.
pub const ATTRIBUTE_WORDS: [&str; 20] = [
    "phone", "email", "address", "birthday", "number", "date", "name", "title", "location", "id",
    "link", "url", "contact", "age", "status", "role", "position", "company", "team", "project",
];

/// Place of a pattern among those of all categories in order: of several found, the lowest decides.
pub type Rank = u8;

/// The category and the entry of a pattern.
pub fn pattern(rank: Rank) -> (Category, &'static str) {
    let mut rank = usize::from(rank);
    for category in Category::ALL {
        let patterns = category.patterns();
        match patterns.get(rank) {
            Some(pattern) => return (category, pattern),
            None => rank -= patterns.len(),
        }
    }
    unreachable!("ranks come from the same list")
}

/// What it says that a string occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A pattern, where it stands as whole words.
    Phrase(Rank),
    /// A pattern, where a whole word begins and a word of four digits follows.
    BeforeYear(Rank),
    /// A pattern, where a whole word begins and the run that follows has a letter, a digit or `_`
    /// of ASCII.
    BeforeWord(Rank),
    /// A pattern, where it stands as a whole word and a question mark follows on the line.
    BeforeMark(Rank),
    /// The beginning of a pattern, where a whole word begins.
    From,
    /// The end of it, where a whole word ends.
    To(Rank),
    /// An attribute word, by its place.
    Attribute(u8),
    /// Before a thing and its attribute, where a whole word begins.
    WhatIs,
    /// Between a thing and its attribute.
    Possessive,
    /// Between an attribute and its thing, as a whole word.
    For,
    /// Before a thing, where a whole word begins: who, where, when.
    WhoIs,
}

/// The strings that are sought, and what each says.
pub struct Table {
    /// Finds the strings by their places in `strings`.
    pub automaton: Automaton,
    /// Length and sign of each.
    pub strings: Vec<(usize, Sign)>,
    /// The pattern of a question mark, something, and another question mark.
    pub two_marks: Rank,
}

/// Where the automaton is asked for attribute words alone.
pub const ATTRIBUTE_MARK: u8 = 1;
const OTHER_MARK: u8 = 2;

/// The one table: no configuration changes it.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut sought: Vec<(String, Sign)> = Vec::new();
    let mut two_marks = 0;
    let patterns = Category::ALL.iter().flat_map(|category| category.patterns());
    for (rank, &pattern) in (0..).zip(patterns) {
        let mut seek = |string: &str, sign| sought.push((string.to_ascii_lowercase(), sign));
        match pattern {
            IN_MONTH => MONTHS.iter().for_each(|month| seek(month, Sign::Phrase(rank))),
            ON_WEEKDAY => WEEKDAYS.iter().for_each(|day| seek(day, Sign::Phrase(rank))),
            IN_YEAR => seek("in ", Sign::BeforeYear(rank)),
            FROM_TO => {
                seek("from ", Sign::From);
                seek(" to", Sign::To(rank));
            }
            TWO_MARKS => two_marks = rank,
            ALSO => seek("also", Sign::BeforeMark(rank)),
            LIKE => seek("like ", Sign::BeforeWord(rank)),
            _ => seek(pattern, Sign::Phrase(rank)),
        }
    }
    let mut seek = |string: &str, sign| sought.push((string.into(), sign));
    for (place, word) in (0..).zip(ATTRIBUTE_WORDS) {
        seek(word, Sign::Attribute(place));
        // Attribute words are sought in the lower case of all of Unicode. The Kelvin sign alone has
        // a lower case in ASCII.
        if word.contains('k') {
            seek(&word.replace('k', "\u{212A}"), Sign::Attribute(place));
        }
    }
    ["what's", "what is"].iter().for_each(|string| seek(string, Sign::WhatIs));
    ["who is", "where is", "when is"].iter().for_each(|string| seek(string, Sign::WhoIs));
    seek("'s", Sign::Possessive);
    seek("for", Sign::For);
    let mark =
        |sign: &Sign| if matches!(sign, Sign::Attribute(_)) { ATTRIBUTE_MARK } else { OTHER_MARK };
    Table {
        automaton: Automaton::new(
            sought.iter().map(|(string, sign)| (string.as_str(), mark(sign))),
        ),
        strings: sought.iter().map(|(string, sign)| (string.len(), *sign)).collect(),
        two_marks,
    }
});
