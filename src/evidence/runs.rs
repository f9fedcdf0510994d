//! Runs: memories that were made one after the other, as in a conversation.
//!
//! # Idea
//!
//! The memories of one cluster are a run, in the order in which they were made. Memories without a
//! cluster are in one line of time. It breaks into runs where an hour passes between one memory and
//! the next. Talk takes time: a turn or two may be stored within a second, but more memories were
//! loaded together, and say nothing of each other. Each of them is a run of its own.
//! Both orders are kept sorted, since almost every memory is made after all others. A question
//! reads them as one list of rows, which is laid out anew after a change.
//!
//! # Cost
//!
//! A change in the middle of a list moves its end: four bytes for each later memory. The layout
//! takes one pass over all rows.

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

/// The place of a memory in every order: the instant of its creation, then its sequence.
type Place = (f64, u64, Row);

/// The runs of an index.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The memories without a cluster.
    line: Vec<Place>,
    clusters: FxHashMap<u32, Vec<Place>>,
    /// The codes of the clusters, in order of their first memory.
    order: Vec<u32>,
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
        let place = (created_at, sequence, row);
        let list = match cluster {
            None => &mut self.line,
            Some(cluster) => self.clusters.entry(cluster).or_insert_with(|| {
                self.order.push(cluster);
                Vec::new()
            }),
        };
        let at = list.partition_point(|other| is_before(other, &place));
        list.insert(at, place);
        self.is_stale = true;
    }

    /// Removes a memory that was added with these values.
    pub fn remove(&mut self, row: Row, cluster: Option<u32>, created_at: f64, sequence: u64) {
        let place = (created_at, sequence, row);
        let list = match cluster {
            None => Some(&mut self.line),
            Some(cluster) => self.clusters.get_mut(&cluster),
        };
        let Some(list) = list else { return };
        let at = list.partition_point(|other| is_before(other, &place));
        if list.get(at).is_some_and(|found| found.2 == row) {
            list.remove(at);
        }
        if let Some(cluster) = cluster
            && list.is_empty()
        {
            self.clusters.remove(&cluster);
            self.order.retain(|&other| other != cluster);
        }
        self.is_stale = true;
    }

    /// Lays out all rows, run by run, if memories were added or removed.
    pub fn lay_out(&mut self) {
        if self.is_stale {
            self.is_stale = false;
            let Layout { rows, ends, .. } = &mut self.layout;
            rows.clear();
            ends.clear();
            for cluster in &self.order {
                rows.extend(self.clusters[cluster].iter().map(|place| place.2));
                ends.push(rows.len());
            }
            let mut before = f64::NEG_INFINITY;
            for stored in self.line.chunk_by(|one, other| other.0 - one.0 < AT_ONCE) {
                let is_loaded = stored.len() > MAX_OF_TALK;
                let ends_run = is_loaded || stored[0].0 - before >= GAP;
                if ends_run && rows.len() > ends.last().copied().unwrap_or(0) {
                    ends.push(rows.len());
                }
                for &(created_at, _, row) in stored {
                    rows.push(row);
                    if is_loaded {
                        ends.push(rows.len());
                    }
                    before = created_at;
                }
            }
            if rows.len() > ends.last().copied().unwrap_or(0) {
                ends.push(rows.len());
            }
            self.layout.give_cells();
        }
    }

    /// Returns all rows, run by run, as of the last [`Runs::lay_out`].
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn bytes(&self) -> usize {
        let places: usize = self.clusters.values().map(Vec::capacity).sum();
        (places + self.line.capacity()) * size_of::<Place>()
            + self.clusters.len() * 64
            + self.layout.rows.capacity() * size_of::<Row>()
            + self.layout.ends.capacity() * size_of::<usize>()
            + self.layout.cell_of.capacity() * size_of::<u32>()
    }
}

fn is_before(one: &Place, other: &Place) -> bool {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)).is_lt()
}
