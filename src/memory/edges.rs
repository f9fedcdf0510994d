//! Adding, changing, strengthening and removing edges.

use rustc_hash::FxHashMap;

use super::groups::Groups;
use super::succession::guesses_among;
use super::{MemoryIndex, Target, check_sequence, check_share};
use crate::columns::{Edge, MAX_SEQUENCE, Row};
use crate::error::Result;
use crate::search::stored_edge_strength;

/// An edge of a batch. A missing field stays as it is, or has the default of a new edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeChange {
    /// The edge.
    pub target: Target,
    /// The rows that it leads from and to. `None` if one of the two nodes is not in the index: then
    /// the edge is checked and left out.
    pub ends: Option<(Row, Row)>,
    /// The code of its type, from [`MemoryIndex::name`]. Default: 0, the code of `relates_to`.
    pub edge_type: Option<u32>,
    /// In [0, 1]. Default: that of its type, see [`stored_edge_strength`].
    pub strength: Option<f64>,
    /// Its place in every order, at most [`MAX_SEQUENCE`](crate::columns::MAX_SEQUENCE). Default:
    /// one more than the highest so far.
    pub sequence: Option<u64>,
}

impl MemoryIndex {
    /// The edge in a slot, or `None` if the slot has no edge.
    pub fn edge(&self, slot: u32) -> Option<Edge> {
        self.graph.edge(slot)
    }

    /// Adds and changes edges, in order. Returns the slot of each, and `None` for one that was left
    /// out. Their ends are rows that have a node.
    ///
    /// # Errors
    /// `invalid_argument` with field and index for a strength outside [0, 1] and for a sequence
    /// number out of range; `out_of_memory`. Then nothing is changed.
    pub fn link(&mut self, batch: &[EdgeChange]) -> Result<Vec<Option<u32>>> {
        Self::check_edges(batch)?;
        let need =
            self.graph.need(batch.len(), self.nodes.rows()) + batch.len() * 8 * size_of::<Edge>();
        self.afford("edges", need)?;

        self.changes += 1;
        let mut next_sequence = self.graph.next_sequence();
        // New edges are added together, so that the lists are written once.
        let mut added: Vec<Edge> = Vec::new();
        // Edges that were in the index and got other ends or another sequence number: they are
        // removed and added again.
        let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
        let mut places = Vec::with_capacity(batch.len());
        for change in batch {
            let Some((source, target)) = change.ends else {
                places.push(EdgePlace::LeftOut);
                continue;
            };
            let place = match change.target {
                Target::New => EdgePlace::Added(added.len()),
                Target::There(slot) => moved
                    .get(&slot)
                    .map_or(EdgePlace::Slot(slot), |&place| EdgePlace::Added(place as usize)),
                Target::Entry(entry) => places[entry],
            };
            let known = match place {
                EdgePlace::Added(place) => added.get(place).copied(),
                EdgePlace::Slot(slot) => self.graph.edge(slot),
                EdgePlace::LeftOut => None,
            };
            let edge_type = change.edge_type.map(|code| code as u16);
            let edge = match known {
                Some(known) => Edge {
                    source,
                    target,
                    edge_type: edge_type.unwrap_or(known.edge_type),
                    strength: change.strength.unwrap_or(known.strength),
                    sequence: change.sequence.unwrap_or(known.sequence),
                },
                None => {
                    let edge_type = edge_type.unwrap_or(0);
                    let strength = change.strength.unwrap_or_else(|| {
                        stored_edge_strength(self.edge_types.text(edge_type.into()))
                    });
                    let sequence = change.sequence.unwrap_or(next_sequence);
                    Edge { source, target, edge_type, strength, sequence }
                }
            };
            next_sequence = next_sequence.max(edge.sequence + 1).min(MAX_SEQUENCE);
            places.push(match (place, known) {
                (EdgePlace::Added(place), Some(_)) => {
                    added[place] = edge;
                    EdgePlace::Added(place)
                }
                (EdgePlace::Slot(slot), Some(known)) if known.is_between_same(&edge) => {
                    self.graph.set_type(slot, edge.edge_type);
                    self.graph.set_strength(slot, edge.strength);
                    EdgePlace::Slot(slot)
                }
                (EdgePlace::Slot(slot), _) => {
                    self.graph.remove(slot);
                    moved.insert(slot, added.len() as u32);
                    added.push(edge);
                    EdgePlace::Added(added.len() - 1)
                }
                (EdgePlace::Added(_) | EdgePlace::LeftOut, _) => {
                    added.push(edge);
                    EdgePlace::Added(added.len() - 1)
                }
            });
        }
        self.graph.count_sequences_to(next_sequence);
        let slots = self.graph.add_all(&added);
        Ok(places
            .into_iter()
            .map(|place| match place {
                EdgePlace::Added(place) => Some(slots[place]),
                EdgePlace::Slot(slot) => Some(slot),
                EdgePlace::LeftOut => None,
            })
            .collect())
    }

    /// Checks the numbers of a batch of edges, in order.
    pub(crate) fn check_edges(batch: &[EdgeChange]) -> Result<()> {
        batch.iter().enumerate().try_for_each(|(index, change)| {
            check_share("strength", change.strength)
                .and_then(|()| change.sequence.map_or(Ok(()), check_sequence))
                .map_err(|error| error.at(index))
        })
    }

    /// Removes edges. Skips slots without an edge.
    pub fn unlink(&mut self, slots: &[u32]) {
        self.changes += 1;
        slots.iter().for_each(|&slot| self.graph.remove(slot));
    }

    /// Strengthens every edge between two different nodes of one group by `amount`, to 1 at most,
    /// and only once if it is in several groups. The strength of a guess that one memory replaces
    /// another is a probability, and stays. Returns the slots of edges whose strength changed,
    /// in order of sequence.
    ///
    /// # Errors
    /// `invalid_argument` for an amount outside [0, 1].
    pub fn strengthen(&mut self, groups: &[&[Row]], amount: f64) -> Result<Vec<u32>> {
        check_share("amount", Some(amount))?;
        let listed: usize = groups.iter().map(|group| group.len()).sum();
        let need = Groups::need(groups.len(), listed);
        self.afford_for_now("groups", need)?;
        let mut groups = Groups::new(groups, listed, |row| self.nodes.has(row));
        let named: usize = groups.rows().map(|row| self.graph.neighbours(row).count()).sum();
        self.afford_for_now(
            "groups",
            need.saturating_add(named.min(self.graph.len()).saturating_mul(64)),
        )?;
        self.changes += 1;
        let mut within: Vec<u32> = Vec::new();
        groups.compare(|row, shares| {
            // An edge is seen from both its ends; the lower row takes it.
            let neighbours = self.graph.neighbours(row).filter(|it| it.row > row && shares(it.row));
            within.extend(neighbours.map(|neighbour| neighbour.edge));
        });
        self.graph.sort(&mut within);
        let guesses = guesses_among(&self.edge_types);
        within.retain(|&slot| !guesses.contains(&Some(self.graph.edge_type(slot).into())));
        within.retain(|&slot| {
            let before = self.graph.strength(slot);
            let after = (before + amount).min(1.0);
            self.graph.set_strength(slot, after);
            after != before
        });
        Ok(within)
    }
}

/// The place of an edge of a batch while the batch is carried out.
#[derive(Clone, Copy)]
enum EdgePlace {
    Added(usize),
    Slot(u32),
    /// Left out.
    LeftOut,
}

impl Edge {
    /// Whether two edges are in the same lists at the same places.
    fn is_between_same(&self, other: &Self) -> bool {
        (self.source, self.target, self.sequence) == (other.source, other.target, other.sequence)
    }
}
