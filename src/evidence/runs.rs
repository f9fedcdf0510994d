//! Runs: memories that were made one after the other, as in a conversation.
//!
//! # Idea
//!
//! The memories of one cluster are a run, in the order in which they were made. Memories without a
//! cluster are in one line of time. It breaks into runs where an hour passes between one memory and
//! the next. Talk takes time: a turn or two may be stored within a second, but more memories were
//! loaded together, and say nothing of each other. Each of them is a run of its own.
//! All memories are in one ordered set, cluster by cluster, then the line of time. A question reads
//! it as one list of rows, which is laid out anew after a change.
//!
//! # Cost
//!
//! A change takes a search in the set, wherever in time its memory is. The layout takes one pass
//! over all rows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::columns::Row;

/// Milliseconds between two memories that end a run.
const GAP: f64 = 3_600_000.0;
/// The memories before and after that count.
pub(super) const REACH: usize = 3;
/// The memories before and after that count for the best of a run. A long run changes its subject:
/// the best of a whole meeting would say nothing of each of its turns.
pub(super) const NEARBY: usize = 12;
/// The memories before and after a memory that belong to its window.
pub(super) const AROUND: usize = 5;
/// The cell of a row that is alone in its run or has no text.
const NO_CELL: u32 = u32::MAX;
/// Milliseconds between two memories below which they were stored at once.
const AT_ONCE: f64 = 1_000.0;
/// The most memories that talk stores at once: a message, its reply, and what was noted of them.
const MAX_OF_TALK: usize = 3;

/// The number of the line of time, which comes after those of all clusters.
const LINE: u32 = u32::MAX;

/// The place of a memory among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The number of its cluster, or [`LINE`].
    list: u32,
    created_at: Instant,
    sequence: u64,
    row: Row,
}

/// The bytes that a place takes in the set, whose nodes are half full after places in order.
const BYTES_OF_PLACE: usize = 2 * size_of::<Place>();

/// An instant, in the order of `f64::total_cmp`.
#[derive(Clone, Copy, Debug)]
struct Instant(f64);

impl Ord for Instant {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Instant {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Instant {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Instant {}

/// A cluster with memories.
#[derive(Debug)]
struct Cluster {
    /// Numbers grow with the order of the first memories.
    number: u32,
    memories: usize,
}

/// The runs of an index.
#[derive(Debug, Default)]
pub(super) struct Runs {
    places: BTreeSet<Place>,
    /// By code.
    clusters: FxHashMap<u32, Cluster>,
    /// The number of the next cluster.
    next: u32,
    layout: Layout,
    is_stale: bool,
}

/// All rows, run by run.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub rows: Vec<Row>,
    /// The end of each run among the rows.
    pub ends: Vec<usize>,
    /// The number of cells. The rows of a run of two or more have cells side by side, with
    /// [`AROUND`] empty ones before and after.
    pub cells: usize,
    /// By row.
    cell_of: Vec<u32>,
}

impl Layout {
    /// Returns the cell of a row. `None` if the row is alone in its run.
    pub fn cell_of(&self, row: Row) -> Option<usize> {
        let cell = *self.cell_of.get(row as usize)?;
        (cell != NO_CELL).then_some(cell as usize)
    }

    /// Ends a run before the row at `end`, if it has any rows.
    fn end_run(&mut self, end: usize) {
        if end > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(end);
        }
    }

    /// Ends the runs of memories of the line of time that were stored at once: all from `start` on.
    /// `is_apart` says whether a gap in time is before them.
    fn end_stored(&mut self, start: usize, is_apart: bool) {
        let end = self.rows.len();
        let is_loaded = end - start > MAX_OF_TALK;
        if is_loaded || is_apart {
            self.end_run(start);
        }
        if is_loaded {
            self.ends.extend(start + 1..=end);
        }
    }

    fn give_cells(&mut self) {
        let Self { rows, ends, cells, cell_of } = self;
        cell_of.clear();
        cell_of.resize(rows.iter().max().map_or(0, |&last| last as usize + 1), NO_CELL);
        *cells = AROUND;
        let mut start = 0;
        for &end in &*ends {
            let run = &rows[start..end];
            start = end;
            if run.len() > 1 {
                for &row in run {
                    cell_of[row as usize] = *cells as u32;
                    *cells += 1;
                }
                *cells += AROUND;
            }
        }
    }
}

impl Runs {
    /// Adds a memory to the run of its cluster, or to the line of time.
    pub fn add(&mut self, row: Row, cluster: Option<u32>, created_at: f64, sequence: u64) {
        let list = cluster.map_or(LINE, |code| {
            let cluster = self.clusters.entry(code).or_insert_with(|| {
                self.next += 1;
                Cluster { number: self.next - 1, memories: 0 }
            });
            cluster.memories += 1;
            cluster.number
        });
        self.places.insert(Place { list, created_at: Instant(created_at), sequence, row });
        self.is_stale = true;
    }

    /// Removes a memory that was added with these values.
    pub fn remove(&mut self, row: Row, cluster: Option<u32>, created_at: f64, sequence: u64) {
        let list = match cluster.map(|code| self.clusters.get(&code)) {
            None => LINE,
            Some(Some(cluster)) => cluster.number,
            Some(None) => return,
        };
        let place = Place { list, created_at: Instant(created_at), sequence, row };
        if self.places.remove(&place)
            && let Some(code) = cluster
            && let Entry::Occupied(mut cluster) = self.clusters.entry(code)
        {
            cluster.get_mut().memories -= 1;
            if cluster.get().memories == 0 {
                cluster.remove();
            }
        }
        self.is_stale = true;
    }

    /// Lays out all rows, run by run, if memories were added or removed.
    pub fn lay_out(&mut self) {
        if self.is_stale {
            self.is_stale = false;
            self.layout.rows.clear();
            self.layout.ends.clear();
            let mut places = self.places.iter().peekable();
            let mut before = f64::NEG_INFINITY;
            while let Some(&first) = places.next() {
                let start = self.layout.rows.len();
                self.layout.rows.push(first.row);
                let mut last = first;
                while let Some(&place) = places.next_if(|place| is_next(&last, place)) {
                    self.layout.rows.push(place.row);
                    last = place;
                }
                match first.list {
                    LINE => self.layout.end_stored(start, first.created_at.0 - before >= GAP),
                    _ => self.layout.end_run(self.layout.rows.len()),
                }
                before = last.created_at.0;
            }
            self.layout.end_run(self.layout.rows.len());
            self.layout.give_cells();
        }
    }

    /// Returns all rows, run by run, as of the last [`Runs::lay_out`].
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn bytes(&self) -> usize {
        self.places.len() * BYTES_OF_PLACE
            + self.clusters.len() * 64
            + self.layout.rows.capacity() * size_of::<Row>()
            + self.layout.ends.capacity() * size_of::<usize>()
            + self.layout.cell_of.capacity() * size_of::<u32>()
    }
}

/// Whether a place belongs to the same cluster as the one before it, or was stored at once with it.
fn is_next(before: &Place, place: &Place) -> bool {
    place.list == before.list
        && (place.list != LINE || place.created_at.0 - before.created_at.0 < AT_ONCE)
}
