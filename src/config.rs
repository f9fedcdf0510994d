//! What a user can configure. One schema, in snake_case; unknown keys are errors.

use std::fmt;

use rustc_hash::FxHashSet;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::automaton::MOST_STATES;
use crate::error::{Error, Result};
use crate::query::{Fallback, KNOWN_SYMBOLS, OrchestratorConfig, QueryConfig, Retry};
use crate::salience::SalienceConfig;
use crate::search::{Aggregation, EdgeWeight, SearchConfig};
use crate::section::{ConsolidationRole, Section, SectionTable};
use crate::text::is_ascii_word;

/// A configuration, read and checked; whatever was missing has its default.
///
/// | key | what it changes | default |
/// |---|---|---|
/// | `sections.enabled` | off: global weights for every memory and no boost | true |
/// | `sections.intent_boost` | factor for results whose section the question asks for; at least 1, where 1 is none | 1.3 |
/// | `sections.default_section` | the section of unknown subtypes | KNOWLEDGE |
/// | `sections.subtypes.NAME` | adds or moves a subtype: `section`, and `stability` in days (else the section's) | |
/// | `sections.profiles.SECTION` | any field of a [`SectionProfile`](crate::SectionProfile) but the section itself | |
/// | `intent.matcher` | `substring` or `words` | substring |
/// | `intent.strings.SECTION` | a section's strings, in place of the built-in ones | |
/// | `curve` | `exponential` or `fsrs6` | exponential |
/// | `salience_growth` | on: a recall lets stability grow by what was at stake, too | false |
/// | `search` | any field of a [`SearchConfig`] | see there |
/// | `known_symbols` | what a question can name, each once in any case | [`KNOWN_SYMBOLS`] |
/// | `query.adjacent_possessives` | whether a possessive right after another names a thing, too: see [`QueryConfig`] | false |
/// | `salience.sources.SUBTYPE` | what is at stake in it: `field`, `scale` (1), `weight` (0.55), `loss_bonus` (0) | |
/// | `salience.rarity.weight`, `salience.surprise.weight` | what rarity and surprise add at most, in [0, 1] | 0 |
/// | `salience.consequence.weight` | what a memory that led to action (`led_to_action`) adds, in [0, 1] | 0 |
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
#[derive(Clone, Debug)]
pub struct Config {
    /// Sections, their profiles and subtypes.
    pub sections: SectionTable,
    /// How a query's intent is read.
    pub intent: IntentConfig,
    /// Which forgetting curve retrievability follows.
    pub curve: Curve,
    /// Whether a resident memory keeps salience, so that growth on recall goes by what was at
    /// stake.
    pub salience_growth: bool,
    /// How a resident memory is searched.
    pub search: SearchConfig,
    /// What a question can name.
    pub known_symbols: Vec<String>,
    /// How questions are read.
    pub query: QueryConfig,
    /// How retrieval in several passes goes.
    pub orchestrator: OrchestratorConfig,
    /// What tells how much was at stake.
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
            known_symbols: KNOWN_SYMBOLS.map(String::from).to_vec(),
            query: QueryConfig::default(),
            orchestrator: OrchestratorConfig::default(),
            salience: SalienceConfig::default(),
        }
    }
}

/// How a query's intent is read.
#[derive(Clone, Debug, Default)]
pub struct IntentConfig {
    /// Which occurrences count when a call does not say.
    pub matcher: Matcher,
    /// A section's strings in place of the built-in ones, by section code.
    pub strings: [Option<Vec<String>>; 4],
}

/// Which occurrences of a string count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matcher {
    /// Anywhere, inside words too.
    #[default]
    Substring,
    /// Whole words and phrases only.
    Words,
}

/// A forgetting curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// R = exp(−t / S): at t = S a memory is at 0.368.
    #[default]
    Exponential,
    /// The power curve of FSRS-6: at t = S a memory is at 0.9.
    Fsrs6,
}

impl Config {
    /// Reads a configuration from plain data.
    ///
    /// # Errors
    /// `invalid_config` with the path of the key: unknown keys, wrong types, numbers out of range,
    /// and profiles that are not valid: six weights in [0, 1] that sum to 1 within 0.01, positive
    /// days and rates, thresholds in [0, 1] with weak below active, difficulty in [0, 1],
    /// multiplier and boosts of at least 1.
    pub fn read(value: &Value) -> Result<Self> {
        let mut config = Self::default();
        for (key, path, value) in value.entries(&Path::Root)? {
            match key {
                "sections" => config.sections = SectionTable::read(value, &path)?,
                "intent" => config.intent = IntentConfig::read(value, &path)?,
                "curve" => config.curve = value.read(&path)?,
                "salience_growth" => config.salience_growth = value.read(&path)?,
                "search" => config.search = SearchConfig::read(value, &path)?,
                "known_symbols" => config.known_symbols = read_symbols(value, &path)?,
                "query" => config.query = QueryConfig::read(value, &path)?,
                "salience" => config.salience = SalienceConfig::read(value, &path)?,
                "orchestrator" => config.orchestrator = OrchestratorConfig::read(value, &path)?,
                _ => return Err(unknown_key(path)),
            }
        }
        Ok(config)
    }

    /// Reads a configuration from JSON text.
    ///
    /// # Errors
    /// As [`Config::read`], and for text that is no JSON or gives a key of an object twice.
    pub fn from_json(json: &str) -> Result<Self> {
        let value = serde_json::from_str(json).map_err(|error| {
            Error::config("config", format!("could not be read as JSON: {error}"))
        })?;
        Self::read(&value)
    }
}

/// More symbols than any question can name, and within 16 bits.
const MOST_SYMBOLS: usize = 10_000;

fn read_symbols(value: &Value, path: &Path<'_>) -> Result<Vec<String>> {
    let symbols: Vec<String> = value.read(path)?;
    if symbols.len() > MOST_SYMBOLS {
        let problem = format!("must not be more than {MOST_SYMBOLS}");
        return Err(Error::config(*path, problem).found(symbols.len() as f64));
    }
    let bytes: usize = symbols.iter().map(String::len).sum();
    if bytes > MOST_STATES - 1 {
        let problem = format!("must not exceed {} bytes in all", MOST_STATES - 1);
        return Err(Error::config(*path, problem).found(bytes as f64));
    }
    for (place, symbol) in symbols.iter().enumerate() {
        let path = Path::Place(path, place);
        let [first, last] = [symbol.bytes().next(), symbol.bytes().next_back()];
        if ![first, last].into_iter().all(|byte| byte.is_some_and(is_ascii_word)) {
            return Err(Error::config(
                path,
                "must begin and end with a letter, a digit or _ of ASCII",
            ));
        }
    }
    let mut known = FxHashSet::default();
    match symbols.iter().find(|symbol| !known.insert(symbol.to_ascii_uppercase())) {
        Some(symbol) => Err(Error::config(*path, format!("must not name {symbol} twice"))),
        None => Ok(symbols),
    }
}

impl IntentConfig {
    fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut config = Self::default();
        for (key, path, value) in value.entries(path)? {
            match key {
                "matcher" => config.matcher = value.read(&path)?,
                "strings" => {
                    for (name, path, strings) in value.entries(&path)? {
                        let section = Value::Text(name.into()).read::<Section>(&path)?;
                        config.strings[section as usize] = Some(strings.read(&path)?);
                    }
                }
                _ => return Err(unknown_key(path)),
            }
        }
        Ok(config)
    }
}

pub(crate) fn unknown_key(path: Path<'_>) -> Error {
    Error::config(path, "is not a known key")
}

/// Where a value stands in a configuration; put into words only for an error.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The whole.
    Root,
    /// An entry of a map.
    Key(&'a Path<'a>, &'a str),
    /// An entry of a list.
    Place(&'a Path<'a>, usize),
}

impl From<Path<'_>> for String {
    fn from(path: Path<'_>) -> Self {
        match path {
            Path::Root => "config".into(),
            Path::Key(Path::Root, key) => key.into(),
            Path::Key(&parent, key) => [&Self::from(parent), ".", key].concat(),
            Path::Place(&parent, place) => format!("{}[{place}]", Self::from(parent)),
        }
    }
}

/// Plain data, as JSON and YAML have it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // plain words
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The entries of a map, each with its key and path.
    pub(crate) fn entries<'a>(
        &'a self,
        path: &'a Path<'a>,
    ) -> Result<impl Iterator<Item = (&'a str, Path<'a>, &'a Value)>> {
        let Self::Map(entries) = self else {
            return Err(Error::config(*path, "must be an object"));
        };
        Ok(entries.iter().map(move |(key, value)| (key.as_str(), Path::Key(path, key), value)))
    }

    /// One entry of a map, with its path; the last where a key is repeated, as it is for those read
    /// in turn.
    pub(crate) fn get<'a>(
        &'a self,
        key: &'a str,
        path: &'a Path<'a>,
    ) -> Option<(Path<'a>, &'a Value)> {
        let Self::Map(entries) = self else { return None };
        entries
            .iter()
            .rfind(|(name, _)| name == key)
            .map(|(_, value)| (Path::Key(path, key), value))
    }

    /// The value as what is wanted, or an error that names the path.
    #[inline(never)]
    pub(crate) fn read<T: FromValue>(&self, path: &Path<'_>) -> Result<T> {
        T::from_value(self, path)?.ok_or_else(|| Error::config(*path, T::WANTED))
    }
}

/// What a leaf of a configuration can be.
pub(crate) trait FromValue: Sized {
    const WANTED: &str;
    /// The value, none where it is of another kind; an error where one of its parts is.
    fn from_value(value: &Value, path: &Path<'_>) -> Result<Option<Self>>;
}

macro_rules! leaf {
    ($type:ty, $wanted:literal, $pattern:pat => $result:expr) => {
        impl FromValue for $type {
            const WANTED: &str = $wanted;
            fn from_value(value: &Value, _: &Path<'_>) -> Result<Option<Self>> {
                #[allow(clippy::redundant_guards)]
                Ok(match value {
                    $pattern => $result,
                    _ => None,
                })
            }
        }
    };
}

leaf!(f64, "must be a number", Value::Number(number) => Some(*number));
leaf!(bool, "must be true or false", Value::Bool(flag) => Some(*flag));
leaf!(String, "must be text", Value::Text(text) => Some(text.clone()));
leaf!(Section, "must be EPISODIC, SIGNALS, KNOWLEDGE or PROCEDURAL", Value::Text(text) =>
    Section::ALL.into_iter().find(|section| section.name() == text));
leaf!(ConsolidationRole, "must be source or target", Value::Text(text) => match text.as_str() {
    "source" => Some(ConsolidationRole::Source),
    "target" => Some(ConsolidationRole::Target),
    _ => None,
});
leaf!(Matcher, "must be substring or words", Value::Text(text) => match text.as_str() {
    "substring" => Some(Matcher::Substring),
    "words" => Some(Matcher::Words),
    _ => None,
});
leaf!(Aggregation, "must be sum or max", Value::Text(text) => match text.as_str() {
    "sum" => Some(Aggregation::Sum),
    "max" => Some(Aggregation::Max),
    _ => None,
});
leaf!(EdgeWeight, "must be type, stored_type or learned", Value::Text(text) => match text.as_str() {
    "type" => Some(EdgeWeight::Type),
    "stored_type" => Some(EdgeWeight::StoredType),
    "learned" => Some(EdgeWeight::Learned),
    _ => None,
});
leaf!(Fallback, "must be none or plain", Value::Text(text) => match text.as_str() {
    "none" => Some(Fallback::None),
    "plain" => Some(Fallback::Plain),
    _ => None,
});
leaf!(Retry, "must be merge or replace", Value::Text(text) => match text.as_str() {
    "merge" => Some(Retry::Merge),
    "replace" => Some(Retry::Replace),
    _ => None,
});
leaf!(Curve, "must be exponential or fsrs6", Value::Text(text) => match text.as_str() {
    "exponential" => Some(Curve::Exponential),
    "fsrs6" => Some(Curve::Fsrs6),
    _ => None,
});

impl<T: FromValue> FromValue for Vec<T> {
    const WANTED: &str = "must be a list";
    fn from_value(value: &Value, path: &Path<'_>) -> Result<Option<Self>> {
        let Value::List(entries) = value else { return Ok(None) };
        let entries = entries.iter().enumerate();
        entries
            .map(|(place, entry)| entry.read(&Path::Place(path, place)))
            .collect::<Result<_>>()
            .map(Some)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> std::result::Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Value::List(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, _>()? {
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(serde::de::Error::custom(format_args!(
                    "the key `{key}` is given twice"
                )));
            }
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }
}
