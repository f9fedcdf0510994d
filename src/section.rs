//! Sections: the section of each subtype, and the profile of each section.
//!
//! A section never hides a memory. It decides the ranking weights of the memory, its decay and its
//! initial stability. Unknown subtypes belong to KNOWLEDGE, or to the section configured in its
//! place.

use rustc_hash::FxHashMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::settings::{Entries, Factor, Key, Positive, Unit, changes, wrong_number};

/// The four sections, in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[repr(u8)]
pub enum Section {
    /// Events: trades, summaries. Ranking favours recency; stability is weeks.
    Episodic = 0,
    /// Signals and watchpoints. Ranking is led by recency; stability is days.
    Signals = 1,
    /// Lessons and theses. Ranking is led by meaning and authority; stability is months.
    Knowledge = 2,
    /// Playbooks and reviews of outcomes. Ranking is led by words and links; nearly permanent.
    Procedural = 3,
}

impl Section {
    /// All sections in order. The code of a section is its place here.
    pub const ALL: [Self; 4] = [Self::Episodic, Self::Signals, Self::Knowledge, Self::Procedural];

    /// Returns the section of a code, or `None` for an unknown code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Returns the name in data, such as `EPISODIC`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Episodic => "EPISODIC",
            Self::Signals => "SIGNALS",
            Self::Knowledge => "KNOWLEDGE",
            Self::Procedural => "PROCEDURAL",
        }
    }
}

/// The order in which the sections of a question are listed.
pub const INTENT_ORDER: [Section; 4] =
    [Section::Signals, Section::Episodic, Section::Knowledge, Section::Procedural];

/// A set of sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionSet(u8);

impl SectionSet {
    /// Returns one bit per section, by its code.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Returns the set of these bits.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// Whether the section is in the set.
    pub fn contains(self, section: Section) -> bool {
        self.0 & Self::from(section).0 != 0
    }

    /// Returns the sections of the set, in [`INTENT_ORDER`].
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

/// The weights of the six signals in a score. In a profile each lies in [0, 1], and they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weights {
    /// Weight of the semantic signal.
    pub semantic: f64,
    /// Weight of the keyword signal.
    pub keyword: f64,
    /// Weight of the graph signal.
    pub graph: f64,
    /// Weight of the recency signal.
    pub recency: f64,
    /// Weight of the authority signal.
    pub authority: f64,
    /// Weight of the affinity signal.
    pub affinity: f64,
}

impl Weights {
    /// The weights of a ranking without sections.
    pub const GLOBAL: Self = Self::from_array([0.30, 0.15, 0.20, 0.15, 0.10, 0.10]);

    /// Creates weights in signal order: semantic, keyword, graph, recency, authority, affinity.
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

    /// Returns the weights in signal order: semantic, keyword, graph, recency, authority, affinity.
    pub const fn to_array(self) -> [f64; 6] {
        [self.semantic, self.keyword, self.graph, self.recency, self.authority, self.affinity]
    }
}

/// The decay of memories of a section, and the growth of stability on recall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayProfile {
    /// The initial stability in days, for subtypes without one of their own.
    pub initial_stability_days: f64,
    /// The factor of stability on recall, before difficulty reduces it.
    pub growth_rate: f64,
    /// The retrievability above which a memory is ACTIVE.
    pub active_threshold: f64,
    /// The retrievability above which a memory is WEAK. At or below it the memory is DORMANT,
    /// COMPRESS or ARCHIVE.
    pub weak_threshold: f64,
    /// The most days of stability.
    pub max_stability_days: f64,
}

/// The initial values of memories of a section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EncodingProfile {
    /// The difficulty in [0, 1] of a memory whose difficulty cannot be computed.
    pub base_difficulty: f64,
    /// Whether salience scales the initial stability.
    pub salience_enabled: bool,
    /// The largest factor of the initial stability by salience; at least 1.
    pub max_salience_multiplier: f64,
}

/// The role of a section's memories in consolidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsolidationRole {
    /// They are read by consolidation.
    Source,
    /// They are written by consolidation.
    Target,
}

/// The profile of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionProfile {
    /// The display name.
    pub name: String,
    /// The section.
    pub section: Section,
    /// The ranking weights.
    pub reranking_weights: Weights,
    /// Decay and growth.
    pub decay: DecayProfile,
    /// Initial values.
    pub encoding: EncodingProfile,
    /// The role in consolidation.
    pub consolidation_role: ConsolidationRole,
    /// Factor for results of this section if the query asks for it; at least 1.
    pub intent_boost: f64,
}

/// The default intent boost.
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

/// The built-in subtypes, those of a trading agent, with their initial stabilities in days.
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

/// The prefix of subtypes. Memory types do not have it.
const CUSTOM: &str = "custom:";

/// A subtype of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Subtype {
    /// The exact name, such as `custom:lesson`.
    pub name: String,
    /// The section of memories of this subtype.
    pub section: Section,
    /// The initial stability in days. `None`: that of the section.
    pub stability: Option<f64>,
}

/// The sections, their profiles and the subtypes: the defaults, with the changes of a
/// configuration.
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
    /// Whether sections are enabled. If not, all memories have global weights and no boost.
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Returns the section of an unknown, empty or missing subtype.
    pub fn default_section(&self) -> Section {
        self.default_section
    }

    /// Returns the boost of sections whose profile has none of its own.
    pub fn intent_boost(&self) -> f64 {
        self.intent_boost
    }

    /// Returns the boost that the configuration sets for this section, or `None`.
    pub fn own_boost(&self, section: Section) -> Option<f64> {
        self.own_boost[section as usize]
    }

    /// Returns the profile of a section.
    pub fn profile(&self, section: Section) -> &SectionProfile {
        &self.profiles[section as usize]
    }

    /// Returns all four profiles, in section order.
    pub fn profiles(&self) -> &[SectionProfile; 4] {
        &self.profiles
    }

    /// Returns all known subtypes: the built-in ones, then the configured ones.
    pub fn subtypes(&self) -> &[Subtype] {
        &self.subtypes
    }

    fn find(&self, subtype: Option<&str>) -> Option<&Subtype> {
        self.places.get(subtype?).map(|&place| &self.subtypes[place])
    }

    /// Returns the section of a subtype. The name must match exactly, prefix and case included.
    pub fn section_of(&self, subtype: Option<&str>) -> Section {
        self.find(subtype).map_or(self.default_section, |known| known.section)
    }

    /// Returns the section of a memory type as agents name it: a subtype without `custom:`, or
    /// `episode`.
    pub fn section_of_memory_type(&self, memory_type: &str) -> Section {
        if memory_type == "episode" {
            return Section::Episodic;
        }
        let with_prefix = [CUSTOM, memory_type].concat();
        self.section_of(Some(&with_prefix))
    }

    /// Returns the initial stability in days of a subtype: its own, else that of its section.
    pub fn initial_stability(&self, subtype: Option<&str>) -> f64 {
        let own = self.find(subtype).and_then(|known| known.stability);
        own.unwrap_or_else(|| self.profile(self.section_of(subtype)).decay.initial_stability_days)
    }

    /// Returns the ranking weights of each section, in section order: all global if sections are
    /// disabled.
    pub fn weights(&self) -> [Weights; 4] {
        match self.enabled {
            true => self.profiles.each_ref().map(|profile| profile.reranking_weights),
            false => [Weights::GLOBAL; 4],
        }
    }
}

changes! {
    TableChanges to SectionTable {
        enabled: bool,
        intent_boost: Factor,
        default_section: Section,
    } besides {
        subtypes: Entries<SubtypeName, SubtypeSettings>,
        profiles: Entries<Key<Section>, ProfileChanges>,
    }
}

struct SubtypeName(String);

impl<'de> Deserialize<'de> for SubtypeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)? {
            name if name.is_empty() => Err(D::Error::custom("must not name an empty subtype")),
            name => Ok(Self(name)),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubtypeSettings {
    section: Section,
    stability: Option<Positive>,
}

changes! {
    ProfileChanges to SectionProfile {
        name: String,
        consolidation_role: ConsolidationRole,
        intent_boost: Factor,
    } besides {
        reranking_weights: WeightChanges,
        decay: DecayChanges,
        encoding: EncodingChanges,
    }
}

changes! {
    WeightChanges to Weights {
        semantic: Unit,
        keyword: Unit,
        graph: Unit,
        recency: Unit,
        authority: Unit,
        affinity: Unit,
    }
}

changes! {
    DecayChanges to DecayProfile {
        initial_stability_days: Positive,
        growth_rate: Positive,
        active_threshold: Unit,
        weak_threshold: Unit,
        max_stability_days: Positive,
    }
}

changes! {
    EncodingChanges to EncodingProfile {
        base_difficulty: Unit,
        salience_enabled: bool,
        max_salience_multiplier: Factor,
    }
}

/// The largest distance of the sum of the weights from 1. The last term allows for rounding of the
/// sum.
const WEIGHT_SUM_TOLERANCE: f64 = 0.01 + 1e-9;

impl<'de> Deserialize<'de> for SectionTable {
    /// Reads the `sections` part of a configuration over the defaults; see
    /// [`Config`](crate::Config).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut changes = TableChanges::deserialize(deserializer)?;
        let Entries(subtypes) = changes.subtypes.take().unwrap_or_default();
        let Entries(profiles) = changes.profiles.take().unwrap_or_default();
        let mut table = Self::default();
        changes.apply(&mut table);
        for (SubtypeName(name), SubtypeSettings { section, stability }) in subtypes {
            let place = *table.places.entry(name.clone()).or_insert(table.subtypes.len());
            let subtype = Subtype { name, section, stability: stability.map(f64::from) };
            if place == table.subtypes.len() {
                table.subtypes.push(subtype);
            } else {
                table.subtypes[place] = subtype;
            }
        }
        for profile in &mut table.profiles {
            profile.intent_boost = table.intent_boost;
        }
        for (Key(section), changes) in profiles {
            let profile = &mut table.profiles[section as usize];
            if let Some(Factor(boost)) = changes.intent_boost {
                table.own_boost[section as usize] = Some(boost);
            }
            profile.change(changes).map_err(|(number, rule)| {
                wrong_number(number, &format!("`profiles.{}.{rule}", section.name()))
            })?;
        }
        Ok(table)
    }
}

impl SectionProfile {
    /// Makes changes. Returns a number that breaks a rule with the rule, which begins with the end
    /// of the path.
    fn change(&mut self, mut changes: ProfileChanges) -> Result<(), (f64, &'static str)> {
        if let Some(changes) = changes.reranking_weights.take() {
            changes.apply(&mut self.reranking_weights);
            let sum: f64 = self.reranking_weights.to_array().iter().sum();
            if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE {
                return Err((sum, "reranking_weights` must sum to 1 within 0.01"));
            }
        }
        if let Some(changes) = changes.decay.take() {
            changes.apply(&mut self.decay);
            let DecayProfile { weak_threshold, active_threshold, .. } = self.decay;
            if weak_threshold >= active_threshold {
                let rule = "decay.weak_threshold` must lie below active_threshold";
                return Err((weak_threshold, rule));
            }
        }
        if let Some(changes) = changes.encoding.take() {
            changes.apply(&mut self.encoding);
        }
        changes.apply(self);
        Ok(())
    }
}
