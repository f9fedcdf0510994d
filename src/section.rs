//! Sections: which one a memory belongs to, and what that means for it.
//!
//! A section never hides a memory. It only decides how the memory is ranked, how fast it fades and
//! how strongly it is first stored. Whatever is not known is KNOWLEDGE, or the section configured
//! in its place.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::value::{Path, Rule, Value, leaf, number, unknown_key};

/// The four kinds of memory, in the order used wherever one is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[repr(u8)]
pub enum Section {
    /// What happened: trades, summaries, events. Favours the recent, fades in weeks.
    Episodic = 0,
    /// What to watch: signals, watchpoints. Ruled by recency, fades in days.
    Signals = 1,
    /// What was learned: lessons, theses. Led by meaning and authority, fades in months.
    Knowledge = 2,
    /// How to act: playbooks, reviews of outcomes. Led by words and links, nearly permanent.
    Procedural = 3,
}

impl Section {
    /// All four, in order; a section's place here is its code.
    pub const ALL: [Self; 4] = [Self::Episodic, Self::Signals, Self::Knowledge, Self::Procedural];

    /// The section with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The name used in data, such as `EPISODIC`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Episodic => "EPISODIC",
            Self::Signals => "SIGNALS",
            Self::Knowledge => "KNOWLEDGE",
            Self::Procedural => "PROCEDURAL",
        }
    }
}

leaf!(Section, "must be EPISODIC, SIGNALS, KNOWLEDGE or PROCEDURAL", Value::Text(text) =>
    Section::ALL.into_iter().find(|section| section.name() == text));

/// The order in which the sections of a question are listed.
pub const INTENT_ORDER: [Section; 4] =
    [Section::Signals, Section::Episodic, Section::Knowledge, Section::Procedural];

/// A set of sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionSet(u8);

impl SectionSet {
    /// One bit per section, by its code.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set of these bits.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// Whether the section is in the set.
    pub fn contains(self, section: Section) -> bool {
        self.0 & Self::from(section).0 != 0
    }

    /// The sections of the set, in [`INTENT_ORDER`].
    pub fn iter(self) -> impl Iterator<Item = Section> {
        INTENT_ORDER.into_iter().filter(move |&section| self.contains(section))
    }

    /// Adds a section.
    pub fn insert(&mut self, section: Section) {
        self.0 |= Self::from(section).0;
    }
}

impl From<Section> for SectionSet {
    fn from(section: Section) -> Self {
        Self(1 << section as u8)
    }
}

/// How much each of the six signals counts in a score. In a profile each lies in [0, 1] and they
/// sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weights {
    /// Weight of similarity of meaning.
    pub semantic: f64,
    /// Weight of the match of words.
    pub keyword: f64,
    /// Weight of activation over the graph.
    pub graph: f64,
    /// Weight of freshness.
    pub recency: f64,
    /// Weight of standing in the graph.
    pub authority: f64,
    /// Weight of use.
    pub affinity: f64,
}

impl Weights {
    /// The weights of a ranking without sections.
    pub const GLOBAL: Self = Self::from_array([0.30, 0.15, 0.20, 0.15, 0.10, 0.10]);

    /// In signal order: semantic, keyword, graph, recency, authority, affinity.
    pub const fn from_array(w: [f64; 6]) -> Self {
        Self {
            semantic: w[0],
            keyword: w[1],
            graph: w[2],
            recency: w[3],
            authority: w[4],
            affinity: w[5],
        }
    }

    /// In signal order: semantic, keyword, graph, recency, authority, affinity.
    pub const fn to_array(self) -> [f64; 6] {
        [self.semantic, self.keyword, self.graph, self.recency, self.authority, self.affinity]
    }
}

/// How memories of a section fade, and how recall strengthens them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayProfile {
    /// Stability in days of a new memory whose subtype has none of its own.
    pub initial_stability_days: f64,
    /// Factor by which a recall multiplies stability, before difficulty takes its part.
    pub growth_rate: f64,
    /// Retrievability above which a memory is ACTIVE.
    pub active_threshold: f64,
    /// Retrievability above which a memory is WEAK rather than DORMANT or beyond.
    pub weak_threshold: f64,
    /// The most that stability can grow to, in days.
    pub max_stability_days: f64,
}

/// How strongly memories of a section are first stored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EncodingProfile {
    /// Difficulty in [0, 1] of a memory whose own cannot be computed.
    pub base_difficulty: f64,
    /// Whether what is at stake changes the initial stability.
    pub salience_enabled: bool,
    /// The most that salience can multiply the initial stability by; at least 1.
    pub max_salience_multiplier: f64,
}

/// What consolidation does with a section's memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsolidationRole {
    /// Many of these are condensed.
    Source,
    /// These are what is condensed into.
    Target,
}

leaf!(ConsolidationRole, "must be source or target", Value::Text(text) => match text.as_str() {
    "source" => Some(ConsolidationRole::Source),
    "target" => Some(ConsolidationRole::Target),
    _ => None,
});

/// Everything that belonging to a section decides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionProfile {
    /// The name shown to people.
    pub name: String,
    /// The section itself.
    pub section: Section,
    /// Weights of the six signals in ranking.
    pub reranking_weights: Weights,
    /// Fading and growth.
    pub decay: DecayProfile,
    /// First storage.
    pub encoding: EncodingProfile,
    /// Part in consolidation.
    pub consolidation_role: ConsolidationRole,
    /// Factor for results of this section when the query asks for it.
    pub intent_boost: f64,
}

/// Factor for results of a section that the query asks for, where nothing else is configured.
pub(crate) const INTENT_BOOST: f64 = 1.3;

fn default_profiles() -> [SectionProfile; 4] {
    use ConsolidationRole::{Source, Target};
    let profile = |section,
                   name: &str,
                   weights,
                   decay: [f64; 5],
                   encoding: (f64, bool, f64),
                   consolidation_role| {
        SectionProfile {
            name: name.into(),
            section,
            reranking_weights: Weights::from_array(weights),
            decay: DecayProfile {
                initial_stability_days: decay[0],
                growth_rate: decay[1],
                active_threshold: decay[2],
                weak_threshold: decay[3],
                max_stability_days: decay[4],
            },
            encoding: EncodingProfile {
                base_difficulty: encoding.0,
                salience_enabled: encoding.1,
                max_salience_multiplier: encoding.2,
            },
            consolidation_role,
            intent_boost: INTENT_BOOST,
        }
    };
    // Weights: semantic, keyword, graph, recency, authority, affinity. Decay: initial days, growth
    // rate, active threshold, weak threshold, most days.
    [
        profile(
            Section::Episodic,
            "Episodic",
            [0.20, 0.15, 0.15, 0.30, 0.10, 0.10],
            [14.0, 2.0, 0.5, 0.1, 180.0],
            (0.3, true, 2.0),
            Source,
        ),
        profile(
            Section::Signals,
            "Signals",
            [0.15, 0.10, 0.10, 0.45, 0.10, 0.10],
            [2.0, 1.5, 0.5, 0.15, 30.0],
            (0.2, false, 1.0),
            Source,
        ),
        profile(
            Section::Knowledge,
            "Knowledge",
            [0.35, 0.15, 0.20, 0.05, 0.20, 0.05],
            [60.0, 3.0, 0.4, 0.05, 365.0],
            (0.4, true, 2.0),
            Target,
        ),
        profile(
            Section::Procedural,
            "Procedural",
            [0.25, 0.25, 0.20, 0.05, 0.15, 0.10],
            [120.0, 3.5, 0.3, 0.03, 365.0],
            (0.5, true, 3.0),
            Target,
        ),
    ]
}

/// The built-in subtypes, of a trading agent, with the stability in days that each is first stored
/// with.
const SUBTYPES: [(&str, Section, f64); 15] = [
    ("custom:trade_entry", Section::Episodic, 21.0),
    ("custom:trade_close", Section::Episodic, 21.0),
    ("custom:trade_modify", Section::Episodic, 14.0),
    ("custom:trade", Section::Episodic, 14.0),
    ("custom:turn_summary", Section::Episodic, 7.0),
    ("custom:session_summary", Section::Episodic, 14.0),
    ("custom:market_event", Section::Episodic, 10.0),
    ("custom:signal", Section::Signals, 2.0),
    ("custom:watchpoint", Section::Signals, 5.0),
    ("custom:lesson", Section::Knowledge, 90.0),
    ("custom:thesis", Section::Knowledge, 30.0),
    ("custom:curiosity", Section::Knowledge, 14.0),
    ("custom:playbook", Section::Procedural, 180.0),
    ("custom:missed_opportunity", Section::Procedural, 30.0),
    ("custom:good_pass", Section::Procedural, 30.0),
];

/// The prefix that a memory type lacks and a subtype has.
const CUSTOM: &str = "custom:";

/// A subtype with a place in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Subtype {
    /// The exact name, such as `custom:lesson`.
    pub name: String,
    /// Where memories of this subtype belong.
    pub section: Section,
    /// Stability in days of a new memory; without one the section's serves.
    pub stability: Option<f64>,
}

/// Sections, profiles and subtypes: the default, or the default as a configuration changed it.
///
/// ```
/// use nous_wasm::{Section, SectionTable};
/// let table = SectionTable::default();
/// assert_eq!(table.section_of(Some("custom:signal")), Section::Signals);
/// assert_eq!(table.section_of(Some("anything else")), Section::Knowledge);
/// assert_eq!(table.initial_stability(Some("custom:lesson")), 90.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SectionTable {
    enabled: bool,
    default_section: Section,
    intent_boost: f64,
    own_boost: [Option<f64>; 4],
    profiles: [SectionProfile; 4],
    subtypes: Vec<Subtype>,
    /// The place of each subtype by its name.
    places: FxHashMap<String, usize>,
}

impl Default for SectionTable {
    fn default() -> Self {
        Self {
            enabled: true,
            default_section: Section::Knowledge,
            intent_boost: INTENT_BOOST,
            own_boost: [None; 4],
            profiles: default_profiles(),
            subtypes: SUBTYPES
                .iter()
                .map(|&(name, section, stability)| Subtype {
                    name: name.into(),
                    section,
                    stability: Some(stability),
                })
                .collect(),
            places: SUBTYPES
                .iter()
                .zip(0..)
                .map(|(&(name, ..), place)| (name.into(), place))
                .collect(),
        }
    }
}

impl SectionTable {
    /// The default table under the `sections` of a configuration; see [`Config`](crate::Config).
    pub(crate) fn read(value: &Value, path: &Path<'_>) -> Result<Self> {
        let mut table = Self::default();
        for (key, path, value) in value.entries(path)? {
            match key {
                "enabled" => table.enabled = value.read(&path)?,
                "intent_boost" => table.intent_boost = number(value, &path, Rule::AtLeastOne)?,
                "default_section" => table.default_section = value.read(&path)?,
                "subtypes" => table.read_subtypes(value, &path)?,
                // Read last, below: a profile without a boost of its own takes the general one.
                "profiles" => {}
                _ => return Err(unknown_key(path)),
            }
        }
        for profile in &mut table.profiles {
            profile.intent_boost = table.intent_boost;
        }
        if let Some((path, profiles)) = value.get("profiles", path) {
            table.read_profiles(profiles, &path)?;
        }
        Ok(table)
    }

    fn read_subtypes(&mut self, value: &Value, path: &Path<'_>) -> Result<()> {
        for (name, path, entry) in value.entries(path)? {
            if name.is_empty() {
                return Err(Error::config(path, "must not name an empty subtype"));
            }
            let (mut section, mut stability) = (None, None);
            for (key, path, value) in entry.entries(&path)? {
                match key {
                    "section" => section = Some(value.read(&path)?),
                    "stability" => stability = Some(number(value, &path, Rule::Positive)?),
                    _ => return Err(unknown_key(path)),
                }
            }
            let Some(section) = section else {
                return Err(Error::config(Path::Key(&path, "section"), "is missing"));
            };
            let subtype = Subtype { name: name.into(), section, stability };
            let place = *self.places.entry(name.into()).or_insert(self.subtypes.len());
            if place == self.subtypes.len() {
                self.subtypes.push(subtype);
            } else {
                self.subtypes[place] = subtype;
            }
        }
        Ok(())
    }

    fn read_profiles(&mut self, value: &Value, path: &Path<'_>) -> Result<()> {
        for (name, path, changes) in value.entries(path)? {
            let section = Value::Text(name.into()).read::<Section>(&path)?;
            let profile = &mut self.profiles[section as usize];
            for (key, path, value) in changes.entries(&path)? {
                match key {
                    "name" => profile.name = value.read(&path)?,
                    "reranking_weights" => {
                        read_weights(&mut profile.reranking_weights, value, &path)?
                    }
                    "decay" => read_decay(&mut profile.decay, value, &path)?,
                    "encoding" => read_encoding(&mut profile.encoding, value, &path)?,
                    "consolidation_role" => profile.consolidation_role = value.read(&path)?,
                    "intent_boost" => {
                        profile.intent_boost = number(value, &path, Rule::AtLeastOne)?;
                        self.own_boost[section as usize] = Some(profile.intent_boost);
                    }
                    _ => return Err(unknown_key(path)),
                }
            }
        }
        Ok(())
    }

    /// Whether sections change anything; off means global weights and no boost.
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// The section of an unknown, empty or missing subtype.
    pub fn default_section(&self) -> Section {
        self.default_section
    }

    /// The boost of a section whose profile has none of its own.
    pub fn intent_boost(&self) -> f64 {
        self.intent_boost
    }

    /// The boost that a configuration gave to this very section, if it did.
    pub fn own_boost(&self, section: Section) -> Option<f64> {
        self.own_boost[section as usize]
    }

    /// What belonging to this section means.
    pub fn profile(&self, section: Section) -> &SectionProfile {
        &self.profiles[section as usize]
    }

    /// All four profiles, in section order.
    pub fn profiles(&self) -> &[SectionProfile; 4] {
        &self.profiles
    }

    /// All known subtypes: the built-in ones, then the configured ones.
    pub fn subtypes(&self) -> &[Subtype] {
        &self.subtypes
    }

    fn find(&self, subtype: Option<&str>) -> Option<&Subtype> {
        self.places.get(subtype?).map(|&place| &self.subtypes[place])
    }

    /// The section of a subtype; exact, so case and prefix matter.
    pub fn section_of(&self, subtype: Option<&str>) -> Section {
        self.find(subtype).map_or(self.default_section, |known| known.section)
    }

    /// The section of a memory type as agents name it: a subtype without `custom:`, or `episode`.
    pub fn section_of_memory_type(&self, memory_type: &str) -> Section {
        if memory_type == "episode" {
            return Section::Episodic;
        }
        let with_prefix = [CUSTOM, memory_type].concat();
        self.section_of(Some(&with_prefix))
    }

    /// Days of stability a new memory of this subtype starts with: its own, else its section's.
    pub fn initial_stability(&self, subtype: Option<&str>) -> f64 {
        let own = self.find(subtype).and_then(|known| known.stability);
        own.unwrap_or_else(|| self.profile(self.section_of(subtype)).decay.initial_stability_days)
    }

    /// The weights each section ranks with, in section order: all global when sections are off.
    pub fn weights(&self) -> [Weights; 4] {
        match self.enabled {
            true => self.profiles.each_ref().map(|profile| profile.reranking_weights),
            false => [Weights::GLOBAL; 4],
        }
    }
}

/// How far the sum of the weights may be from 1; the last part forgives rounding in the sum itself.
const WEIGHT_SUM_TOLERANCE: f64 = 0.01 + 1e-9;

fn read_weights(weights: &mut Weights, value: &Value, path: &Path<'_>) -> Result<()> {
    for (key, path, value) in value.entries(path)? {
        let weight = match key {
            "semantic" => &mut weights.semantic,
            "keyword" => &mut weights.keyword,
            "graph" => &mut weights.graph,
            "recency" => &mut weights.recency,
            "authority" => &mut weights.authority,
            "affinity" => &mut weights.affinity,
            _ => return Err(unknown_key(path)),
        };
        *weight = number(value, &path, Rule::Unit)?;
    }
    let sum: f64 = weights.to_array().iter().sum();
    if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE {
        return Err(Error::config(*path, "must sum to 1 within 0.01").found(sum));
    }
    Ok(())
}

fn read_decay(decay: &mut DecayProfile, value: &Value, path: &Path<'_>) -> Result<()> {
    for (key, path, value) in value.entries(path)? {
        let (field, rule) = match key {
            "initial_stability_days" => (&mut decay.initial_stability_days, Rule::Positive),
            "growth_rate" => (&mut decay.growth_rate, Rule::Positive),
            "active_threshold" => (&mut decay.active_threshold, Rule::Unit),
            "weak_threshold" => (&mut decay.weak_threshold, Rule::Unit),
            "max_stability_days" => (&mut decay.max_stability_days, Rule::Positive),
            _ => return Err(unknown_key(path)),
        };
        *field = number(value, &path, rule)?;
    }
    if decay.weak_threshold >= decay.active_threshold {
        let path = Path::Key(path, "weak_threshold");
        return Err(
            Error::config(path, "must lie below active_threshold").found(decay.weak_threshold)
        );
    }
    Ok(())
}

fn read_encoding(encoding: &mut EncodingProfile, value: &Value, path: &Path<'_>) -> Result<()> {
    for (key, path, value) in value.entries(path)? {
        match key {
            "base_difficulty" => encoding.base_difficulty = number(value, &path, Rule::Unit)?,
            "salience_enabled" => encoding.salience_enabled = value.read(&path)?,
            "max_salience_multiplier" => {
                encoding.max_salience_multiplier = number(value, &path, Rule::AtLeastOne)?
            }
            _ => return Err(unknown_key(path)),
        }
    }
    Ok(())
}
