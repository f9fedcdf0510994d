//! Questions: classification, splitting into parts, and the confidence of answers.
//!
//! The rules use words and phrases, without a language model. Places in a question are byte offsets
//! in its UTF-8. Word boundaries and case are those of ASCII, white space and line ends those of
//! ECMAScript. Every function takes time linear in the question.
//!
//! ```
//! use nous_wasm::query::{Category, DecomposeOptions, QueryConfig, classify, decompose};
//! let question = "What's my BTC thesis and how did my last SOL trade go?";
//! let asked = classify(question, &QueryConfig::default());
//! assert_eq!(asked.disqualifier.map(|it| it.category), Some(Category::Compound));
//! let parts = decompose(question, Some(Category::Compound), false, &DecomposeOptions::default());
//! let texts: Vec<String> = parts.iter().map(|part| part.text(question, &[])).collect();
//! assert_eq!(texts, ["What's my BTC thesis", "how did my last SOL trade go?"]);
//! ```

mod attributes;
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

pub use attributes::AttributeWords;
pub use confidence::{Confidence, FLAGS, Level, Retrieved, confidence};
pub use config::QueryConfig;
pub use decompose::{DecomposeOptions, MAX_PARTS, Part, decompose};
pub use lookup::{Lookup, extract_attribute, extract_entities};
pub use orchestrator::{Fallback, OrchestratorConfig, Retry};
pub use reformulate::{Reformulation, reformulate};
pub use replace::{Fate, Scored, TitleSearch, settle_weak};
pub use table::{ATTRIBUTE_WORDS, Category};

use crate::text::Span;

/// The default symbols, those of a trading agent. [`decompose`] may make a part for each of them. A
/// configuration can name others.
pub const KNOWN_SYMBOLS: [&str; 20] = [
    "BTC", "ETH", "SOL", "DOGE", "ARB", "OP", "AVAX", "MATIC", "LINK", "UNI", "AAVE", "APT", "SUI",
    "SEI", "WIF", "PEPE", "BONK", "JUP", "TIA", "INJ",
];

/// The source of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A span of the question.
    Text(Span),
    /// An entry of [`ATTRIBUTE_WORDS`].
    Attribute(u8),
    /// A known symbol, by its place.
    Symbol(u16),
}

impl Piece {
    /// Returns the text of the piece.
    pub fn text<'a>(self, question: &'a str, symbols: &'a [String]) -> &'a str {
        match self {
            Self::Text(span) => span.of(question),
            Self::Attribute(place) => ATTRIBUTE_WORDS[usize::from(place)],
            Self::Symbol(place) => &symbols[usize::from(place)],
        }
    }
}

impl Part {
    /// Returns the text of the part.
    pub fn text(&self, question: &str, symbols: &[String]) -> String {
        let rest = self.rest.text(question, symbols);
        self.lead.map_or_else(|| rest.into(), |lead| [lead.text(question, symbols), rest].join(" "))
    }
}

/// The type of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryType {
    /// It asks for one attribute of one thing.
    Lookup,
    /// Any other question.
    Ambiguous,
}

impl QueryType {
    /// The names of the types, in order.
    pub const NAMES: [&str; 2] = ["LOOKUP", "AMBIGUOUS"];
}

/// A pattern that keeps a question from being a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disqualifier {
    /// Its category.
    pub category: Category,
    /// The place of the pattern among those of all categories in order.
    pub rank: u8,
    /// The pattern, as its category lists it.
    pub pattern: &'static str,
}

/// The result of [`classify`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classification {
    /// The pattern that keeps the question from being a lookup, if there is one.
    pub disqualifier: Option<Disqualifier>,
    /// The type of the question, with the thing and the attribute of a lookup.
    pub lookup: Lookup,
}

/// Classifies a question, in one pass over it.
///
/// ```
/// use nous_wasm::Config;
/// use nous_wasm::query::{QueryConfig, QueryType, classify};
/// // The built-in words are matched inside words too: "avoid" holds "id".
/// let asked = |config: &QueryConfig| classify("Do we avoid sugar?", config).lookup.query_type;
/// assert_eq!(asked(&QueryConfig::default()), QueryType::Lookup);
/// let config = Config::from_json(r#"{ "query": { "attribute_words": ["id", "size"] } }"#)?;
/// assert_eq!(asked(&config.query), QueryType::Ambiguous);
/// # Ok::<(), nous_wasm::Error>(())
/// ```
pub fn classify(question: &str, config: &QueryConfig) -> Classification {
    let scan = scan::scan(question);
    let disqualifier = scan.disqualifier.map(|rank| {
        let (category, pattern) = table::pattern(rank);
        Disqualifier { category, rank, pattern }
    });
    Classification { disqualifier, lookup: lookup::lookup(question, &scan, config) }
}
