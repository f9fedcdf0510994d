//! The words and phrases of the rules.

use std::sync::LazyLock;

use crate::automaton::Automaton;

/// Why a question is not a lookup. Earlier categories win over later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// It asks for reasons, comparisons, summaries.
    Reasoning,
    /// It asks for something that is absent.
    Negation,
    /// It names a time.
    Time,
    /// It asks several questions.
    Compound,
    /// It refers to earlier text.
    Reference,
    /// It is open-ended.
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

    /// Returns the name, from D1 to D6.
    pub fn name(self) -> &'static str {
        ["D1", "D2", "D3", "D4", "D5", "D6"][self as usize]
    }

    /// Returns a description of the category.
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

    /// Returns the patterns, in order. An entry in brackets describes a set of strings. All others
    /// are matched as whole words.
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

/// Attribute words, matched inside words too. Earlier ones win over later ones.
pub const ATTRIBUTE_WORDS: [&str; 20] = [
    "phone", "email", "address", "birthday", "number", "date", "name", "title", "location", "id",
    "link", "url", "contact", "age", "status", "role", "position", "company", "team", "project",
];

/// The place of a pattern among those of all categories in order. Of several matches the lowest
/// wins.
pub type Rank = u8;

/// Returns the category and the entry of a pattern.
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

/// The meaning of a string in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A pattern, if it stands as whole words.
    Phrase(Rank),
    /// A pattern, at the start of a word, if a word of four digits follows.
    BeforeYear(Rank),
    /// A pattern, at the start of a word, if the run that follows has an ASCII letter, a digit or
    /// `_`.
    BeforeWord(Rank),
    /// A pattern, as a whole word, if a question mark follows on the line.
    BeforeMark(Rank),
    /// The first half of a pattern, at the start of a word.
    From,
    /// The second half of a pattern, at the end of a word.
    To(Rank),
    /// An attribute word, by its place.
    Attribute(u8),
    /// Stands before a thing and its attribute, at the start of a word.
    WhatIs,
    /// Stands between a thing and its attribute.
    Possessive,
    /// Stands between an attribute and its thing, as a whole word.
    For,
    /// Stands before a thing, at the start of a word: who, where, when.
    WhoIs,
}

/// The strings of the rules and their meanings.
pub struct Table {
    /// Finds the strings. Its patterns are places in `strings`.
    pub automaton: Automaton,
    /// The length and the sign of each string.
    pub strings: Vec<(usize, Sign)>,
    /// The pattern of two question marks with text between them.
    pub two_marks: Rank,
}

/// The mark of attribute words, for a search of these alone.
pub const ATTRIBUTE_MARK: u8 = 1;
const OTHER_MARK: u8 = 2;

/// The only table: no configuration changes it.
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
        // Attribute words are matched in Unicode lower case. Besides ASCII letters, only the Kelvin
        // sign has an ASCII letter as its lower case.
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
