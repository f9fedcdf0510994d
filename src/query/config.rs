//! The settings of question analysis.

use std::sync::Arc;

use super::attributes::AttributeWords;
use crate::error::Result;
use crate::value::{Path, Value, unknown_key};

/// The settings of question analysis.
#[derive(Clone, Debug, Default)]
pub struct QueryConfig {
    /// Whether a possessive right after another names a thing as well, such as `John` in "What's
    /// John's email?". If false, the word after a possessive is skipped.
    pub adjacent_possessives: bool,
    /// The words that name an attribute, matched as whole words. `None`: the built-in
    /// [`ATTRIBUTE_WORDS`](super::ATTRIBUTE_WORDS), matched inside words too.
    pub attribute_words: Option<Arc<AttributeWords>>,
}

impl QueryConfig {
    /// Reads the `query` part of a configuration over the defaults; see [`Config`](crate::Config).
    pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut config = Self::default();
        for (key, path, value) in value.entries(path)? {
            match key {
                "adjacent_possessives" => config.adjacent_possessives = value.read(&path)?,
                "attribute_words" => {
                    config.attribute_words = Some(Arc::new(AttributeWords::read(value, &path)?));
                }
                _ => return Err(unknown_key(path)),
            }
        }
        Ok(config)
    }
}
