//! The types of memory that a prompt has a part for.

use crate::section::{Section, SectionTable};

/// What a memory is to a prompt. The order decides where hints are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// What was decided.
    Decision,
    /// What is known.
    Fact,
    /// How things are done.
    Procedure,
    /// What happened.
    Episode,
    /// What to watch. Only in the default mode, and only where a turn asks for it.
    Signal,
}

/// The subtypes whose type is not that of their section.
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
    /// Those that are asked for whenever anything is.
    pub const ALWAYS: [Self; 4] = [Self::Decision, Self::Fact, Self::Procedure, Self::Episode];

    /// Its name in data.
    pub fn name(self) -> &'static str {
        ["decision", "fact", "procedure", "episode", "signal"][self as usize]
    }

    /// How it is told.
    pub fn label(self) -> &'static str {
        ["Decision", "Fact", "Procedure", "Episode", "Signal"][self as usize]
    }

    /// The name of its budget of tokens.
    pub fn budget(self) -> &'static str {
        ["decisions", "facts", "procedures", "episodes", "signals"][self as usize]
    }

    /// The type of memories of a section, where their subtype does not say otherwise.
    pub fn of_section(section: Section) -> Self {
        match section {
            Section::Episodic => Self::Episode,
            Section::Signals => Self::Signal,
            Section::Knowledge => Self::Fact,
            Section::Procedural => Self::Procedure,
        }
    }

    /// The type of a memory: by its subtype for [`TYPED_SUBTYPES`], else by its section.
    pub fn of(subtype: Option<&str>, table: &SectionTable) -> Self {
        let typed = TYPED_SUBTYPES.iter().find(|(name, _)| subtype == Some(name));
        typed.map_or_else(|| Self::of_section(table.section_of(subtype)), |&(_, its)| its)
    }
}
