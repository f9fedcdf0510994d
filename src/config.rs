//! What a user can configure. One schema, in snake_case; unknown keys are errors.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::section::{ConsolidationRole, Section};

/// A configuration: whatever is missing keeps its default.
///
/// ```
/// use nous_wasm::{Config, Section, SectionTable};
/// let config = Config::from_json(r#"{
///     "sections": {
///         "subtypes": { "custom:recipe": { "section": "PROCEDURAL", "stability": 200 } },
///         "profiles": { "SIGNALS": { "decay": { "max_stability_days": 60 } } }
///     }
/// }"#)?;
/// let table = SectionTable::new(&config)?;
/// assert_eq!(table.section_of(Some("custom:recipe")), Section::Procedural);
/// # Ok::<(), nous_wasm::Error>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Sections, their profiles and subtypes.
    pub sections: SectionsConfig,
    /// How a query's intent is read.
    pub intent: IntentConfig,
    /// Which forgetting curve retrievability follows.
    pub curve: Curve,
}

/// Sections, their profiles and subtypes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionsConfig {
    /// Off: global weights for every memory and no boost. Default on.
    pub enabled: bool,
    /// Factor for results whose section the query asks for; at least 1, where 1 is none. Default 1.3.
    pub intent_boost: Option<f64>,
    /// The section of unknown subtypes. Default KNOWLEDGE.
    pub default_section: Option<Section>,
    /// Subtypes to add, or to move: an entry takes the place of the built-in one.
    pub subtypes: BTreeMap<String, SubtypeConfig>,
    /// Changes to profiles, by section.
    pub profiles: BTreeMap<Section, ProfileConfig>,
}

impl Default for SectionsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            intent_boost: None,
            default_section: None,
            subtypes: BTreeMap::new(),
            profiles: BTreeMap::new(),
        }
    }
}

/// Where a subtype belongs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubtypeConfig {
    /// The section of its memories.
    pub section: Section,
    /// Days of stability of a new memory; the section's when missing.
    #[serde(default)]
    pub stability: Option<f64>,
}

macro_rules! changes {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[allow(missing_docs)] // each field is documented where it ends up
        pub struct $name { $(pub $field: Option<$type>),* }
    };
}

changes! {
    /// Changes to [`Weights`](crate::Weights).
    WeightsConfig { semantic: f64, keyword: f64, graph: f64, recency: f64, authority: f64, affinity: f64 }
}
changes! {
    /// Changes to a [`DecayProfile`](crate::DecayProfile).
    DecayConfig {
        initial_stability_days: f64,
        growth_rate: f64,
        active_threshold: f64,
        weak_threshold: f64,
        max_stability_days: f64,
    }
}
changes! {
    /// Changes to an [`EncodingProfile`](crate::EncodingProfile).
    EncodingConfig { base_difficulty: f64, salience_enabled: bool, max_salience_multiplier: f64 }
}

/// Changes to a [`SectionProfile`](crate::SectionProfile).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)] // each field is documented where it ends up
pub struct ProfileConfig {
    pub name: Option<String>,
    pub reranking_weights: WeightsConfig,
    pub decay: DecayConfig,
    pub encoding: EncodingConfig,
    pub consolidation_role: Option<ConsolidationRole>,
    pub intent_boost: Option<f64>,
}

/// How a query's intent is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntentConfig {
    /// Which occurrences count when a call does not say. Default `substring`.
    pub matcher: Matcher,
    /// A section's strings, in place of the built-in ones.
    pub strings: BTreeMap<Section, Vec<String>>,
}

/// Which occurrences of a string count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Matcher {
    /// Anywhere, inside words too.
    #[default]
    Substring,
    /// Whole words and phrases only.
    Words,
}

/// A forgetting curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Curve {
    /// R = exp(−t / S): at t = S a memory is at 0.368.
    #[default]
    Exponential,
    /// The power curve of FSRS-6: at t = S a memory is at 0.9.
    Fsrs6,
}

impl Config {
    /// Reads a configuration from JSON text.
    ///
    /// # Errors
    /// `invalid_config`, with the path of the field, for unknown keys and wrong types.
    pub fn from_json(json: &str) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_str(json);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let mut problem = error.inner().to_string();
            // The place within the text says nothing to whoever passed an object.
            if let Some(place) = problem.rfind(" at line ") {
                problem.truncate(place);
            }
            Error::config(error.path().to_string(), format!("is not valid: {problem}"))
        })
    }
}
