//! The settings of question analysis.

use std::sync::Arc;

use serde::Deserialize;

use super::attributes::{self, AttributeWords};

/// The settings of question analysis.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueryConfig {
    /// Whether a possessive right after another names a thing as well, such as `John` in "What's
    /// John's email?". If false, the word after a possessive is skipped.
    pub adjacent_possessives: bool,
    /// The words that name an attribute, matched as whole words. `None`: the built-in
    /// [`ATTRIBUTE_WORDS`](super::ATTRIBUTE_WORDS), matched inside words too.
    #[serde(deserialize_with = "attributes::read")]
    pub attribute_words: Option<Arc<AttributeWords>>,
}
