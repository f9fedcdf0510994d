//! Consolidation: turns many episodes into a lesson or a playbook.
//!
//! Selects the episodes to review, groups them by symbol, and finds the conditions under which
//! trades were won more or less often than others. Names are numbers; the caller reads the bodies
//! of memories.
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

/// The amount that the edge to an episode gains when its lesson is learned again.
pub const RELEARNED: f64 = 0.05;
