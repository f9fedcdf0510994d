//! Filters: which memories a search may find, and which edges activation may pass over.

use super::MemoryIndex;
use crate::check::{DAY_MS, INSTANT, is_instant};
use crate::columns::{Label, LabelSets, Nodes, Row};
use crate::error::{Error, Result};

/// The code of a name that no node has: no node passes a list of it alone.
pub const NO_CODE: u32 = u32::MAX;

/// Conditions that a memory must all fulfil to be found. Names are codes of the index, or
/// [`NO_CODE`]. An empty list is no condition. `created_after` and `created_before` are inclusive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    /// Types of nodes: the memory has one of them.
    pub types: Vec<u32>,
    /// Types of nodes to exclude.
    pub excluded_types: Vec<u32>,
    /// Subtypes: the memory has one of them.
    pub subtypes: Vec<u32>,
    /// Codes of [`StoredState`](crate::columns::StoredState)s: the memory has one of them.
    pub lifecycles: Vec<u32>,
    /// The earliest creation, in milliseconds since 1970.
    pub created_after: Option<f64>,
    /// The latest creation, in milliseconds since 1970.
    pub created_before: Option<f64>,
    /// The most days since the last access, at least 0; a fraction counts.
    pub accessed_within_days: Option<f64>,
    /// Clusters: the memory is in at least one of them.
    pub clusters: Vec<u32>,
    /// Tags: the memory has all of them.
    pub tags_all: Vec<u32>,
    /// Tags: the memory has at least one of them.
    pub tags_any: Vec<u32>,
    /// Tags to exclude.
    pub tags_none: Vec<u32>,
    /// Memories to exclude. A question is answered as if they had no text: they say nothing of the
    /// memories around them either. In ascending order.
    pub excluded: Vec<Row>,
    /// Types of edges that activation may pass over.
    pub relationship_types: Vec<u32>,
}

impl Filters {
    /// # Errors
    /// `invalid_argument` with the field of an instant out of range, and of days that are negative
    /// or not finite.
    pub(super) fn check(&self) -> Result<()> {
        for (field, instant) in [
            ("filters.created_after", self.created_after),
            ("filters.created_before", self.created_before),
        ] {
            if let Some(found) = instant.filter(|&instant| !is_instant(instant)) {
                return Err(Error::argument(field, INSTANT).found(found));
            }
        }
        match self.accessed_within_days {
            Some(days) if !(days >= 0.0 && days.is_finite()) => {
                let problem = "must be a finite number of at least 0";
                Err(Error::argument("filters.accessed_within_days", problem).found(days))
            }
            _ => Ok(()),
        }
    }

    /// Whether there is a condition on nodes.
    pub(super) fn is_about_nodes(&self) -> bool {
        let lists = [&self.types, &self.excluded_types, &self.subtypes, &self.lifecycles];
        let labels = [&self.clusters, &self.tags_all, &self.tags_any, &self.tags_none];
        let numbers = [self.created_after, self.created_before, self.accessed_within_days];
        lists.iter().chain(&labels).chain([&&self.excluded]).any(|list| !list.is_empty())
            || numbers.iter().any(Option::is_some)
    }

    /// Whether activation may pass over an edge of this type. It passes over guesses, which are
    /// edges of the types `guesses`, only if they are asked for: what replaces a memory is ranked by
    /// its line.
    #[inline]
    pub(super) fn passes_edge(&self, edge_type: u16, guesses: &[Option<u32>]) -> bool {
        if self.relationship_types.is_empty() {
            !guesses.contains(&Some(edge_type.into()))
        } else {
            self.relationship_types.contains(&edge_type.into())
        }
    }
}

/// Whether the list holds the code. An empty list is no condition.
#[inline]
fn one_of(wanted: &[u32], code: impl FnOnce() -> u32) -> bool {
    wanted.is_empty() || wanted.contains(&code())
}

impl Filters {
    /// Whether a node passes. Reads only the columns that a condition is about, since a question
    /// asks this of every memory, and each column is elsewhere in memory.
    #[inline(never)]
    pub(super) fn pass(&self, row: Row, nodes: &Nodes, sets: &LabelSets, now: f64) -> bool {
        let place = row as usize;
        let node_type = || nodes.node_type.at(place).into();
        one_of(&self.types, node_type)
            && (self.excluded_types.is_empty() || !self.excluded_types.contains(&node_type()))
            && one_of(&self.subtypes, || nodes.subtype.at(place).into())
            && one_of(&self.lifecycles, || nodes.state(row).code().into())
            && self.created_after.is_none_or(|instant| nodes.created_at.at(place) >= instant)
            && self.created_before.is_none_or(|instant| nodes.created_at.at(place) <= instant)
            && self.accessed_within_days.is_none_or(|days| {
                let idle = now - nodes.last_accessed().at(place);
                idle <= days * DAY_MS
            })
            && self.passes_labels(nodes.labels.at(place), sets)
            && self.excluded.binary_search(&row).is_err()
    }

    /// Whether a set of labels fulfils the conditions on clusters and tags.
    #[inline]
    fn passes_labels(&self, set: u32, sets: &LabelSets) -> bool {
        let Filters { clusters, tags_all, tags_any, tags_none, .. } = self;
        let has_tag = |&code: &u32| sets.holds(set, Label::tag(code));
        let has_cluster = |&code: &u32| sets.holds(set, Label::cluster(code));
        (clusters.is_empty() || clusters.iter().any(has_cluster))
            && tags_all.iter().all(has_tag)
            && (tags_any.is_empty() || tags_any.iter().any(has_tag))
            && !tags_none.iter().any(has_tag)
    }
}

impl MemoryIndex {
    /// Whether a node of the index passes.
    pub(super) fn passes(&self, row: Row, filters: &Filters, now: f64) -> bool {
        filters.pass(row, &self.nodes, &self.labels, now)
    }
}
