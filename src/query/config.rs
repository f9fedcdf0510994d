//! What can be set about reading questions.

use crate::error::Result;
use crate::value::{Path, Value, unknown_key};

/// How questions are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryConfig {
    /// Whether a possessive right after another names a thing as well: `John` in "What's John's
    /// email?". Off, the word after a possessive is passed over.
    pub adjacent_possessives: bool,
}

impl QueryConfig {
    /// The default under the `query` of a configuration; see [`Config`](crate::Config).
    pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut config = Self::default();
        for (key, path, value) in value.entries(path)? {
            match key {
                "adjacent_possessives" => config.adjacent_possessives = value.read(&path)?,
                _ => return Err(unknown_key(path)),
            }
        }
        Ok(config)
    }
}
