//! The settings of ranking by evidence.

use super::fitted::{GENERAL, TRADING};
use super::weights::{Fit, KINDS, NAMES, Values};
use crate::error::{Error, Result};
use crate::value::{Path, Value, leaf, unknown_key};

/// A set of fitted weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Fitted on memories of people, projects and documents.
    #[default]
    General,
    /// Fitted on these and on the memory of a trading agent.
    Trading,
}

leaf!(Preset, "must be general or trading", Value::Text(text) => match text.as_str() {
    "general" => Some(Preset::General),
    "trading" => Some(Preset::Trading),
    _ => None,
});

impl Preset {
    /// Returns the fitted weights.
    pub fn fit(self) -> Fit {
        match self {
            Self::General => GENERAL,
            Self::Trading => TRADING,
        }
    }
}

/// The greatest size of a weight.
const MOST: f64 = 1_000.0;

/// Reads the `evidence` part of a configuration; see [`Config`](crate::Config).
pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Fit> {
    let mut preset = Preset::default();
    let mut changes: Vec<(usize, f64)> = Vec::new();
    for (key, path, value) in value.entries(path)? {
        match key {
            "preset" => preset = value.read(&path)?,
            "weights" => {
                for (name, path, weight) in value.entries(&path)? {
                    let Some(kind) = NAMES.iter().position(|known| *known == name) else {
                        return Err(unknown_key(path));
                    };
                    let weight: f64 = weight.read(&path)?;
                    if weight.abs() > MOST || weight.is_nan() {
                        let problem = "must lie between -1000 and 1000";
                        return Err(Error::config(path, problem).found(weight));
                    }
                    changes.push((kind, weight));
                }
            }
            _ => return Err(unknown_key(path)),
        }
    }
    let mut fit = preset.fit();
    let mut weights: [f64; KINDS] = fit.weights.to_array();
    for (kind, weight) in changes {
        weights[kind] = weight;
    }
    fit.weights = Values::from_array(weights);
    Ok(fit)
}
