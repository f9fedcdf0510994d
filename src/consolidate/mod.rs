//! Consolidation: many episodes become one piece of durable knowledge.
//!
//! Which episodes are reviewed, what they are about, and under which conditions trades were won
//! more often than others, or less. Names come as numbers: whoever keeps the memories reads their
//! bodies.
//!
//! ```
//! use nous_wasm::consolidate::SymbolFinder;
//! let finder = SymbolFinder::new(&["BTC".into(), "ETH".into()]);
//! assert_eq!(finder.first("short eth against BTC"), Some(1));
//! assert_eq!(finder.first("method"), None);
//! ```

mod conditions;
mod groups;
mod patterns;
mod statistics;
mod symbols;

pub use conditions::{FUNDING, HOURS, WEEKDAYS};
pub use groups::{Groups, SOURCES, Source, groups, sources};
pub use patterns::{FIRST_NAMED, PLAYBOOK_RULE, PlaybookRule, Tested, Trade, bands, find_patterns};
pub use statistics::{Counts, q_values};
pub use symbols::SymbolFinder;

/// What an edge to an episode gains when what it says is learned again.
pub const RELEARNED: f64 = 0.05;
