//! The configuration: one schema, in snake_case. Unknown keys are errors.

use rustc_hash::FxHashSet;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::automaton::read_sought;
use crate::decay::Curve;
use crate::error::{Error, Result};
use crate::evidence::{self, Fits, Preset};
use crate::intent::IntentConfig;
use crate::query::{KNOWN_SYMBOLS, OrchestratorConfig, QueryConfig};
use crate::salience::SalienceConfig;
use crate::search::SearchConfig;
use crate::section::SectionTable;
use crate::settings::Value;
use crate::text::is_ascii_word;

/// A checked configuration. Missing keys have their defaults.
///
/// | key | meaning | default |
/// |---|---|---|
/// | `sections.enabled` | if false: global weights, no boost, and no evidence of sections | true |
/// | `sections.intent_boost` | factor for results of intended sections; at least 1 | 1.3 |
/// | `sections.default_section` | the section of unknown subtypes | KNOWLEDGE |
/// | `sections.subtypes.NAME` | adds or moves a subtype: `section`, and `stability` in days | |
/// | `sections.profiles.SECTION` | any field of a profile but `section` | |
/// | `intent.matcher` | `substring` or `words` | substring |
/// | `intent.strings.SECTION` | strings of a section that replace the built-in ones | |
/// | `curve` | `exponential` or `fsrs6` | exponential |
/// | `salience_growth` | if true: salience scales the growth of stability on recall | false |
/// | `search` | any field of a [`SearchConfig`] | see there |
/// | `evidence.preset` | fitted weights: `general` or `trading` | general |
/// | `evidence.weights.NAME` | the weight of a kind of evidence | that of the preset |
/// | `known_symbols` | symbols that a question can name | [`KNOWN_SYMBOLS`] |
/// | `query.adjacent_possessives` | see [`QueryConfig`] | false |
/// | `query.attribute_words` | whole words that name an attribute | twenty, inside words too |
/// | `salience.sources.SUBTYPE` | `field`, `scale` (1), `weight` (0.55), `loss_bonus` (0) | |
/// | `salience.rarity.weight` | the most that rarity adds, in [0, 1] | 0 |
/// | `salience.surprise.weight` | the most that surprise adds, in [0, 1] | 0 |
/// | `salience.consequence.weight` | the most that `led_to_action` adds, in [0, 1] | 0 |
/// | `orchestrator` | any field of an [`OrchestratorConfig`] | see there |
///
/// ```
/// use nous_wasm::{Config, Section};
/// let config = Config::from_json(r#"{
///     "sections": {
///         "subtypes": { "custom:recipe": { "section": "PROCEDURAL", "stability": 200 } },
///         "profiles": { "SIGNALS": { "decay": { "max_stability_days": 60 } } }
///     }
/// }"#)?;
/// assert_eq!(config.sections.section_of(Some("custom:recipe")), Section::Procedural);
/// # Ok::<(), nous_wasm::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Sections, their profiles and subtypes.
    pub sections: SectionTable,
    /// How the intent of a query is classified.
    pub intent: IntentConfig,
    /// The forgetting curve.
    pub curve: Curve,
    /// Whether a memory index keeps salience, which then scales the growth of stability on recall.
    pub salience_growth: bool,
    /// The settings of search in a memory index.
    pub search: SearchConfig,
    /// The weights of a ranking by evidence.
    #[serde(deserialize_with = "evidence::config::read")]
    pub evidence: Fits,
    /// The symbols that a question can name.
    #[serde(deserialize_with = "read_symbols")]
    pub known_symbols: Vec<String>,
    /// The settings of question analysis.
    pub query: QueryConfig,
    /// The settings of retrieval in several passes.
    pub orchestrator: OrchestratorConfig,
    /// The settings of salience.
    pub salience: SalienceConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            sections: SectionTable::default(),
            intent: IntentConfig::default(),
            curve: Curve::default(),
            salience_growth: false,
            search: SearchConfig::default(),
            evidence: Preset::General.fits(),
            known_symbols: KNOWN_SYMBOLS.map(String::from).to_vec(),
            query: QueryConfig::default(),
            orchestrator: OrchestratorConfig::default(),
            salience: SalienceConfig::default(),
        }
    }
}

impl Config {
    /// Reads a configuration from plain data.
    ///
    /// # Errors
    /// `invalid_config` with the path of the key: unknown keys, wrong types, numbers out of range,
    /// and invalid profiles. A valid profile has six weights in [0, 1] that sum to 1 within 0.01,
    /// positive days and rates, thresholds in [0, 1] with the weak one below the active one, a
    /// difficulty in [0, 1], and a multiplier and boosts of at least 1.
    pub fn read(value: &Value) -> Result<Self> {
        value.read()
    }

    /// Reads a configuration from JSON text.
    ///
    /// # Errors
    /// As [`Config::read`], and for text that is not JSON or has a key of an object twice.
    pub fn from_json(json: &str) -> Result<Self> {
        let value = serde_json::from_str(json).map_err(|error| {
            Error::config("config", format!("could not be read as JSON: {error}"))
        })?;
        Self::read(&value)
    }
}

fn read_symbols<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<String>, D::Error> {
    let symbols = read_sought(deserializer)?;
    for (place, symbol) in symbols.iter().enumerate() {
        let [first, last] = [symbol.bytes().next(), symbol.bytes().next_back()];
        if ![first, last].into_iter().all(|byte| byte.is_some_and(is_ascii_word)) {
            return Err(D::Error::custom(format!(
                "`[{place}]` must begin and end with a letter, a digit or _ of ASCII"
            )));
        }
    }
    let mut known = FxHashSet::default();
    match symbols.iter().find(|symbol| !known.insert(symbol.to_ascii_uppercase())) {
        Some(symbol) => Err(D::Error::custom(format!("must not name {symbol} twice"))),
        None => Ok(symbols),
    }
}
