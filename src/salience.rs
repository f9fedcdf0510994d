//! Salience: how much was at stake when a memory was stored. It scales the initial stability.
//!
//! Salience lies in [0.1, 1], with 0.5 neutral. It scales the initial stability: from a fifth at
//! the lowest to the section's `max_salience_multiplier` at the highest.
//!
//! ```
//! use nous_wasm::{Config, SalienceTable};
//! let config = Config::default();
//! let table = SalienceTable::new(&config.salience, &config.sections);
//! let close = table.of("custom:trade_close");
//! let salience = close.salience(|field| (field == "pnl_pct").then_some(-10.0));
//! assert_eq!(salience, 1.0);
//! assert_eq!(close.modulated_stability(salience), Some(42.0));
//! ```

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::math::{exp, round_to_hundredths};
use crate::section::SectionTable;
use crate::settings::{Entries, Positive, Unit, changes};

/// The neutral salience. It has no effect on stability.
pub const NEUTRAL: f64 = 0.5;
const LEAST: f64 = 0.1;
/// The salience of an event without figures.
const BASE: f64 = 0.3;
/// The price move, in percent, from which a move counts in full.
const LARGE_MOVE: f64 = 10.0;
const CLOSE_WEIGHT: f64 = 0.55;
const CLOSE_LOSS_BONUS: f64 = 0.15;
const CONFIDENCE_WEIGHT: f64 = 0.5;
const DEFAULT_CONFIDENCE: f64 = 0.5;
const RATIO_WEIGHT: f64 = 0.2;
/// The ratio of reward to risk from which a ratio counts in full.
const GOOD_RATIO: f64 = 3.0;
const UNTAKEN_WEIGHT: f64 = 0.7;
/// The standard deviations over which rarity rises to 1 − e⁻¹ of its weight.
const RARE: f64 = 2.0;

/// The distance from neutral below which salience has no effect.
const INDIFFERENT: f64 = 0.01;
/// The factor of the initial stability at salience 0.
const MIN_MULTIPLIER: f64 = 0.2;

const PRICE_MOVE: &str = "pnl_pct";
const CONFIDENCE: &str = "confidence";
const REWARD_TO_RISK: &str = "rr_ratio";
/// The distance of an event from its history, in standard deviations.
pub const Z_SCORE: &str = "z_score";
/// The actual outcome, in [0, 1]. Compared with [`EXPECTATION`].
pub const OUTCOME: &str = "outcome";
/// The expected outcome, in [0, 1].
pub const EXPECTATION: &str = "expectation";
/// How far a memory led to action, in [0, 1].
pub const LED_TO_ACTION: &str = "led_to_action";

/// The figures from which a salience is computed.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    Close,
    Entry,
    Modify,
    Untaken,
    Own(OwnSource),
    None,
}

/// A figure that a configuration declares for a subtype.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSource {
    /// The signal to read.
    pub field: String,
    /// The size, of either sign, from which a value counts in full.
    pub scale: f64,
    /// The salience that a full value adds.
    pub weight: f64,
    /// The salience that a negative value adds besides.
    pub loss_bonus: f64,
}

/// The settings of salience.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SalienceConfig {
    /// Sources by subtype, in place of the built-in ones.
    pub sources: Vec<(String, OwnSource)>,
    /// The most that rarity adds.
    pub rarity_weight: f64,
    /// The most that surprise adds.
    pub surprise_weight: f64,
    /// The amount that a memory adds that led to action.
    pub consequence_weight: f64,
}

changes! {
    SourceChanges to OwnSource {
        scale: Positive,
        weight: Unit,
        loss_bonus: Unit,
    } besides {
        field: String,
    }
}

impl<'de> Deserialize<'de> for OwnSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut changes = SourceChanges::deserialize(deserializer)?;
        let field = changes.field.take().filter(|field| !field.is_empty());
        let field = field.ok_or_else(|| D::Error::missing_field("field"))?;
        let mut source = Self { field, scale: 1.0, weight: CLOSE_WEIGHT, loss_bonus: 0.0 };
        changes.apply(&mut source);
        Ok(source)
    }
}

/// The `salience` part of a configuration.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    sources: Entries<String, OwnSource>,
    rarity: WeightSettings,
    surprise: WeightSettings,
    consequence: WeightSettings,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WeightSettings {
    weight: Option<Unit>,
}

impl From<WeightSettings> for f64 {
    fn from(settings: WeightSettings) -> Self {
        settings.weight.map_or(0.0, Self::from)
    }
}

impl<'de> Deserialize<'de> for SalienceConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let settings = Settings::deserialize(deserializer)?;
        Ok(Self {
            sources: settings.sources.0,
            rarity_weight: settings.rarity.into(),
            surprise_weight: settings.surprise.into(),
            consequence_weight: settings.consequence.into(),
        })
    }
}

/// The rule of salience for memories of one subtype.
#[derive(Clone, Debug, PartialEq)]
pub struct SubtypeSalience {
    source: Source,
    /// Whether the section enables salience.
    enabled: bool,
    initial_stability: f64,
    max_multiplier: f64,
    rarity_weight: f64,
    surprise_weight: f64,
    consequence_weight: f64,
}

/// The rules of salience of every subtype, under one configuration.
#[derive(Debug)]
pub struct SalienceTable {
    by_subtype: Vec<(String, SubtypeSalience)>,
    unknown: SubtypeSalience,
}

/// A subtype, and the figures from which its salience is computed.
#[derive(Debug, Serialize)]
pub struct SalienceFields<'a> {
    /// The subtype.
    pub subtype: &'a str,
    /// The names of these figures, at most two.
    pub fields: [Option<&'a str>; 2],
}

impl SalienceTable {
    /// Creates the table of a configuration.
    pub fn new(salience: &SalienceConfig, sections: &SectionTable) -> Self {
        let known = sections.subtypes().iter().map(|subtype| subtype.name.as_str());
        let own = salience.sources.iter().map(|(subtype, _)| subtype.as_str());
        let added =
            own.filter(|name| sections.subtypes().iter().all(|subtype| subtype.name != *name));
        Self {
            by_subtype: known
                .chain(added)
                .map(|name| (name.into(), SubtypeSalience::new(Some(name), sections, salience)))
                .collect(),
            unknown: SubtypeSalience::new(None, sections, salience),
        }
    }

    /// Returns the rule of a subtype, by its exact name. An unknown subtype has the rule of the
    /// default section.
    pub fn of(&self, subtype: &str) -> &SubtypeSalience {
        self.by_subtype
            .iter()
            .find(|(name, _)| name == subtype)
            .map_or(&self.unknown, |(_, found)| found)
    }

    /// Returns the rule at a place of [`all_fields`](Self::all_fields), or beyond it that of an
    /// unknown subtype.
    pub fn at(&self, place: usize) -> &SubtypeSalience {
        self.by_subtype.get(place).map_or(&self.unknown, |(_, found)| found)
    }

    /// Whether rarity, surprise and consequence have a weight above 0. Their figures are read only
    /// then.
    pub fn weighs(&self) -> [bool; 3] {
        let SubtypeSalience { rarity_weight, surprise_weight, consequence_weight, .. } =
            self.unknown;
        [rarity_weight > 0.0, surprise_weight > 0.0, consequence_weight > 0.0]
    }

    /// Returns every subtype with a rule of its own, and its figures.
    pub fn all_fields(&self) -> impl Iterator<Item = SalienceFields<'_>> {
        self.by_subtype.iter().map(|(subtype, salience)| SalienceFields {
            subtype,
            fields: [salience.field(0), salience.field(1)],
        })
    }
}

impl SubtypeSalience {
    fn new(subtype: Option<&str>, sections: &SectionTable, config: &SalienceConfig) -> Self {
        let profile = sections.profile(sections.section_of(subtype));
        let own = config.sources.iter().find(|(name, _)| Some(name.as_str()) == subtype);
        let source = match (own, subtype) {
            (Some((_, own)), _) => Source::Own(own.clone()),
            (None, Some("custom:trade_close")) => Source::Close,
            (None, Some("custom:trade_entry")) => Source::Entry,
            (None, Some("custom:trade_modify")) => Source::Modify,
            (None, Some("custom:missed_opportunity" | "custom:good_pass")) => Source::Untaken,
            _ => Source::None,
        };
        Self {
            source,
            enabled: profile.encoding.salience_enabled,
            initial_stability: sections.initial_stability(subtype),
            max_multiplier: profile.encoding.max_salience_multiplier,
            rarity_weight: config.rarity_weight,
            surprise_weight: config.surprise_weight,
            consequence_weight: config.consequence_weight,
        }
    }

    /// Returns the name of a figure that the rule reads, by place. A rule reads at most two.
    pub fn field(&self, place: usize) -> Option<&str> {
        match (&self.source, place) {
            (Source::Close | Source::Modify | Source::Untaken, 0) => Some(PRICE_MOVE),
            (Source::Entry, 0) => Some(CONFIDENCE),
            (Source::Entry, 1) => Some(REWARD_TO_RISK),
            (Source::Own(own), 0) => Some(&own.field),
            _ => None,
        }
    }

    /// Returns the salience of a memory with these figures, in [0.1, 1], or [`NEUTRAL`] if its
    /// section does not enable salience.
    pub fn salience(&self, signal: impl Fn(&str) -> Option<f64>) -> f64 {
        if !self.enabled {
            return NEUTRAL;
        }
        let value = |field: &str| signal(field).unwrap_or(0.0);
        let price_move = || f64::min(1.0, value(PRICE_MOVE).abs() / LARGE_MOVE);
        let mut salience = match &self.source {
            Source::Close => {
                let bonus = if value(PRICE_MOVE) < 0.0 { CLOSE_LOSS_BONUS } else { 0.0 };
                BASE + price_move() * CLOSE_WEIGHT + bonus
            }
            Source::Entry => {
                let confidence = signal(CONFIDENCE).unwrap_or(DEFAULT_CONFIDENCE);
                let ratio = f64::min(1.0, value(REWARD_TO_RISK) / GOOD_RATIO);
                BASE + confidence * CONFIDENCE_WEIGHT + ratio * RATIO_WEIGHT
            }
            Source::Modify if value(PRICE_MOVE) != 0.0 => BASE + price_move() * CLOSE_WEIGHT,
            Source::Untaken => BASE + price_move() * UNTAKEN_WEIGHT,
            Source::Own(own) => {
                let value = value(&own.field);
                let bonus = if value < 0.0 { own.loss_bonus } else { 0.0 };
                BASE + f64::min(1.0, value.abs() / own.scale) * own.weight + bonus
            }
            Source::Modify | Source::None => NEUTRAL,
        };
        if let Some(deviation) = signal(Z_SCORE).filter(|_| self.rarity_weight > 0.0) {
            salience += (1.0 - exp(-deviation.abs() / RARE)) * self.rarity_weight;
        }
        if let (Some(outcome), Some(expectation)) = (signal(OUTCOME), signal(EXPECTATION)) {
            salience += f64::min(1.0, (outcome - expectation).abs()) * self.surprise_weight;
        }
        salience += value(LED_TO_ACTION) * self.consequence_weight;
        salience.clamp(LEAST, 1.0)
    }

    /// Returns the initial stability in days for this salience, rounded to two decimals. Returns
    /// `None` if the default applies: the section does not enable salience, or the salience is
    /// within 0.01 of neutral.
    pub fn modulated_stability(&self, salience: f64) -> Option<f64> {
        if !self.enabled || (salience - NEUTRAL).abs() < INDIFFERENT {
            return None;
        }
        let multiplier = if salience >= NEUTRAL {
            let above = (salience - NEUTRAL) / NEUTRAL;
            1.0 + above * (self.max_multiplier - 1.0)
        } else {
            MIN_MULTIPLIER + (salience / NEUTRAL) * (1.0 - MIN_MULTIPLIER)
        };
        Some(round_to_hundredths(self.initial_stability * multiplier))
    }
}
