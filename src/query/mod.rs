//! Questions: what is asked, of whom, in how many parts, and how far an answer can be trusted.
//!
//! The rules are those of words and phrases, without a language model. Places in a question are
//! bytes of its UTF-8. Word boundaries and case are those of ASCII, white space and line ends those
//! of ECMAScript; a question of any length takes time linear in it.
//!
//! ```
//! use nous_wasm::query::{Category, DecomposeOptions, classify, decompose};
//! let question = "What's my BTC thesis and how did my last SOL trade go?";
//! let asked = classify(question);
//! assert_eq!(asked.disqualifier.map(|it| it.category), Some(Category::Compound));
//! let parts = decompose(question, Some(Category::Compound), false, &DecomposeOptions::default());
//! let texts: Vec<String> = parts.iter().map(|part| part.text(question, &[])).collect();
//! assert_eq!(texts, ["What's my BTC thesis", "how did my last SOL trade go?"]);
//! ```

mod confidence;
mod config;
mod decompose;
mod forms;
mod lookup;
mod orchestrator;
mod reformulate;
mod replace;
mod scan;
mod table;

pub use confidence::{Confidence, FLAGS, Level, Retrieved, confidence};
pub use config::QueryConfig;
pub use decompose::{DecomposeOptions, MOST_PARTS, Part, decompose};
pub use lookup::{Lookup, extract_attribute, extract_entities};
pub use orchestrator::{Fallback, OrchestratorConfig, Retry};
pub use reformulate::{Reformulation, reformulate};
pub use replace::{Fate, Scored, TitleSearch, settle_weak};
pub use table::{ATTRIBUTE_WORDS, Category};

use crate::text::Span;

/// The symbols of a trading agent, for which [`decompose`] may make parts; a configuration can name
/// others.
pub const KNOWN_SYMBOLS: [&str; 20] = [
    "BTC", "ETH", "SOL", "DOGE", "ARB", "OP", "AVAX", "MATIC", "LINK", "UNI", "AAVE", "APT", "SUI",
    "SEI", "WIF", "PEPE", "BONK", "JUP", "TIA", "INJ",
];

/// Where a piece of an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// In the question.
    Text(Span),
    /// Among [`ATTRIBUTE_WORDS`].
    Attribute(u8),
    /// Among the known symbols.
    Symbol(u16),
}

impl Piece {
    /// The piece itself.
    pub fn text<'a>(self, question: &'a str, symbols: &'a [String]) -> &'a str {
        match self {
            Self::Text(span) => span.of(question),
            Self::Attribute(place) => ATTRIBUTE_WORDS[usize::from(place)],
            Self::Symbol(place) => &symbols[usize::from(place)],
        }
    }
}

impl Part {
    /// The part itself.
    pub fn text(&self, question: &str, symbols: &[String]) -> String {
        let rest = self.rest.text(question, symbols);
        self.lead.map_or_else(|| rest.into(), |lead| [lead.text(question, symbols), rest].join(" "))
    }
}

/// What kind of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryType {
    /// One attribute of one thing is asked for.
    Lookup,
    /// Anything else.
    Ambiguous,
}

impl QueryType {
    /// The names of all, in order.
    pub const NAMES: [&str; 2] = ["LOOKUP", "AMBIGUOUS"];
}

/// What keeps a question from being a plain lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disqualifier {
    /// Its category.
    pub category: Category,
    /// Place of the pattern among those of all categories in order.
    pub rank: u8,
    /// The pattern found, as its category lists it.
    pub pattern: &'static str,
}

/// What a question is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classification {
    /// What keeps it from being a plain lookup.
    pub disqualifier: Option<Disqualifier>,
    /// Whether it is one, and of what.
    pub lookup: Lookup,
}

/// What a question is, in one pass over it.
pub fn classify(question: &str) -> Classification {
    let scan = scan::scan(question);
    let disqualifier = scan.disqualifier.map(|rank| {
        let (category, pattern) = table::pattern(rank);
        Disqualifier { category, rank, pattern }
    });
    Classification { disqualifier, lookup: lookup::lookup(question, &scan) }
}
