//! The settings of ranking by evidence.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::fitted::{GENERAL, GENERAL_EMBEDDED, TRADING, TRADING_EMBEDDED};
use super::weights::{Fits, KINDS, NAMES, Values};
use crate::settings::{Entries, Weight};

/// A set of fitted weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Fitted on memories of people, projects and documents.
    #[default]
    General,
    /// Fitted on these and on the memory of a trading agent.
    Trading,
}

impl Preset {
    /// Returns the fitted weights.
    pub fn fits(self) -> Fits {
        match self {
            Self::General => Fits { plain: GENERAL, embedded: GENERAL_EMBEDDED },
            Self::Trading => Fits { plain: TRADING, embedded: TRADING_EMBEDDED },
        }
    }
}

/// The `evidence` part of a configuration.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    preset: Preset,
    weights: Entries<Kind, Weight>,
}

/// The place of a kind of evidence, read from its name.
struct Kind(usize);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let kind = NAMES.iter().position(|known| *known == name);
        kind.map(Self).ok_or_else(|| D::Error::unknown_field(&name, &NAMES))
    }
}

/// Reads the `evidence` part of a configuration; see [`Config`](crate::Config).
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fits, D::Error> {
    let Settings { preset, weights: Entries(changes) } = Settings::deserialize(deserializer)?;
    Ok(preset.fits().map(|mut fit| {
        let mut weights: [f64; KINDS] = fit.weights.to_array();
        for (Kind(kind), Weight(weight)) in &changes {
            weights[*kind] = *weight;
        }
        fit.weights = Values::from_array(weights);
        fit
    }))
}
