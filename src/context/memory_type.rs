//! The types of memories that a prompt has sections for.

use crate::section::{Section, SectionTable};

/// The type of a memory in a prompt. Of equal hints the first type in this order wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// A decision.
    Decision,
    /// A fact.
    Fact,
    /// A procedure.
    Procedure,
    /// An episode.
    Episode,
    /// A signal to watch. Retrieved only in the default mode, if a turn asks for signals.
    Signal,
}

/// The subtypes whose type differs from that of their section.
pub const TYPED_SUBTYPES: [(&str, MemoryType); 4] = [
    ("custom:thesis", MemoryType::Decision),
    ("custom:trade_entry", MemoryType::Decision),
    ("custom:trade_modify", MemoryType::Decision),
    ("custom:trade_close", MemoryType::Fact),
];

impl MemoryType {
    /// All types, in order.
    pub const ALL: [Self; 5] =
        [Self::Decision, Self::Fact, Self::Procedure, Self::Episode, Self::Signal];
    /// The types that every retrieval includes.
    pub const ALWAYS: [Self; 4] = [Self::Decision, Self::Fact, Self::Procedure, Self::Episode];

    /// Returns the name of the type in data.
    pub fn name(self) -> &'static str {
        ["decision", "fact", "procedure", "episode", "signal"][self as usize]
    }

    /// Returns the name of the type in texts.
    pub fn label(self) -> &'static str {
        ["Decision", "Fact", "Procedure", "Episode", "Signal"][self as usize]
    }

    /// Returns the name of the token budget of the type.
    pub fn budget(self) -> &'static str {
        ["decisions", "facts", "procedures", "episodes", "signals"][self as usize]
    }

    /// Returns the type of memories of a section, for subtypes that [`TYPED_SUBTYPES`] does not
    /// list.
    pub fn of_section(section: Section) -> Self {
        match section {
            Section::Episodic => Self::Episode,
            Section::Signals => Self::Signal,
            Section::Knowledge => Self::Fact,
            Section::Procedural => Self::Procedure,
        }
    }

    /// Returns the type of a memory: that of its subtype in [`TYPED_SUBTYPES`], else that of its
    /// section.
    pub fn of(subtype: Option<&str>, table: &SectionTable) -> Self {
        let typed = TYPED_SUBTYPES.iter().find(|(name, _)| subtype == Some(name));
        typed.map_or_else(|| Self::of_section(table.section_of(subtype)), |&(_, its)| its)
    }
}
