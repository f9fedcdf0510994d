//! Names of types, subtypes, edge types, tags and clusters, and their codes.

use super::MemoryIndex;
use crate::columns::Names;
use crate::error::{Error, Result};
use crate::search::{EdgeWeight, edge_weight, stored_edge_strength};
use crate::section::Section;

/// The default type of a node.
pub const DEFAULT_NODE_TYPE: &str = "concept";
/// The default type of an edge.
pub const DEFAULT_EDGE_TYPE: &str = "relates_to";
/// Memories of this subtype do not grow by being read; their outcomes change their stability.
const PLAYBOOK: &str = "custom:playbook";
/// Codes of types and subtypes have two bytes, and the last code is not used.
const MAX_NAMES: usize = u16::MAX as usize;

/// The kinds of names that a memory gives codes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NameKind {
    /// Types of nodes.
    Type = 0,
    /// Subtypes of nodes.
    Subtype = 1,
    /// Types of edges.
    EdgeType = 2,
    /// Tags of nodes.
    Tag = 3,
    /// Clusters of nodes.
    Cluster = 4,
}

impl NameKind {
    /// All kinds; a kind's place here is its code.
    pub const ALL: [Self; 5] =
        [Self::Type, Self::Subtype, Self::EdgeType, Self::Tag, Self::Cluster];
}

/// The settings of the configuration for the nodes of a subtype.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubtypeFacts {
    pub section: Section,
    pub stability: f64,
    pub grows: bool,
}

impl MemoryIndex {
    pub(super) fn names(&self, kind: NameKind) -> &Names {
        match kind {
            NameKind::Type => &self.types,
            NameKind::Subtype => &self.subtypes,
            NameKind::EdgeType => &self.edge_types,
            NameKind::Tag => &self.tags,
            NameKind::Cluster => &self.clusters,
        }
    }

    /// Returns the code of a name, or `None` if the name has none.
    pub fn code(&self, kind: NameKind, name: &str) -> Option<u32> {
        self.names(kind).code(name)
    }

    /// Returns the name of a code, or an empty text for code 0 of subtypes.
    pub fn text(&self, kind: NameKind, code: u32) -> &str {
        self.names(kind).text(code)
    }

    /// Returns the code of a name. A new name gets a new code.
    ///
    /// # Errors
    /// `out_of_memory` if there are 65,535 names of its kind already (types and subtypes), or no
    /// room for it.
    pub fn name(&mut self, kind: NameKind, name: &str) -> Result<u32> {
        if let Some(code) = self.code(kind, name) {
            return Ok(code);
        }
        let field = match kind {
            NameKind::Type | NameKind::EdgeType => "type",
            NameKind::Subtype => "subtype",
            NameKind::Tag => "tags",
            NameKind::Cluster => "clusters",
        };
        let is_short = !matches!(kind, NameKind::Tag | NameKind::Cluster);
        if is_short && self.names(kind).count() >= MAX_NAMES {
            return Err(Error::memory(field, format!("must be one of at most {MAX_NAMES} names")));
        }
        self.afford(field, self.names(kind).need(1, name.len()) + 3 * size_of::<SubtypeFacts>())?;
        Ok(match kind {
            NameKind::Type => self.types.code_or_new(name),
            NameKind::Subtype => {
                let subtype = (!name.is_empty()).then_some(name);
                self.subtype_facts.push(SubtypeFacts {
                    section: self.table.section_of(subtype),
                    stability: self.table.initial_stability(subtype),
                    grows: name != PLAYBOOK,
                });
                self.subtypes.code_or_new(name)
            }
            NameKind::EdgeType => {
                self.edge_weights.push(match self.search.edge_weight {
                    EdgeWeight::StoredType => stored_edge_strength(name),
                    EdgeWeight::Type | EdgeWeight::Learned => edge_weight(name),
                });
                self.edge_types.code_or_new(name)
            }
            NameKind::Tag => self.tags.code_or_new(name),
            NameKind::Cluster => self.clusters.code_or_new(name),
        })
    }

    /// Returns the number of names of a kind.
    pub fn count_names(&self, kind: NameKind) -> usize {
        self.names(kind).count()
    }

    /// Removes all names of a kind but the first `count`, and keeps those that every index has. The
    /// removed names were given codes for a batch that was refused.
    pub fn truncate_names(&mut self, kind: NameKind, count: usize) {
        match kind {
            NameKind::Type => self.types.truncate(count.max(1)),
            NameKind::Subtype => {
                self.subtypes.truncate(count.max(1));
                self.subtype_facts.truncate(self.subtypes.count());
            }
            NameKind::EdgeType => {
                self.edge_types.truncate(count.max(1));
                self.edge_weights.truncate(self.edge_types.count());
            }
            NameKind::Tag => self.tags.truncate(count),
            NameKind::Cluster => self.clusters.truncate(count),
        }
    }

    /// Returns the names of all kinds.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &Names> {
        NameKind::ALL.iter().map(|&kind| self.names(kind))
    }
}
