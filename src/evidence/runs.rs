//! Runs: memories that were made one after the other, as in a conversation.
//!
//! # Idea
//!
//! The memories of one cluster are a run, in the order in which they were made. Memories without a
//! cluster are in one line of time. It breaks into runs where an hour passes between one memory and
//! the next. Talk takes time: a turn or two may be stored within a second, but more memories were
//! loaded together, and say nothing of each other. Each of them is a run of its own.
//! All memories are in one ordered set, cluster by cluster, then the line of time. A question reads
//! it as a list of cells, which is laid out anew after a change: the rows of a run have cells side
//! by side, and empty cells separate the runs. A row that is alone in its run has no cell: most of
//! what runs give is 0 for it.
//!
//! A run is cut into *segments* of [`NEARBY`] cells. What is around a row lies in its segment and
//! in the two beside it in the run. So a few numbers of each segment bound what is around its rows.
//!
//! # Invariants
//!
//! - Before and after the rows of a run are [`AROUND`] empty cells or more, at least [`REACH`].
//! - Cell 0 and segment 0 are empty. Rows without a cell have both.
//!
//! # Cost
//!
//! A change takes a search in the set, wherever in time its memory is. The layout takes one pass
//! over all rows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::ops::Range;

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
/// The row of an empty cell.
const NO_ROW: Row = Row::MAX;
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
    /// The row of each cell, or [`NO_ROW`].
    cells: Vec<Row>,
    /// The rows that are alone in their runs.
    pub singles: Vec<Row>,
    /// The first cell of each segment and the one after its last.
    pub segments: Vec<(u32, u32)>,
    /// The end of the segments of each run, that of segment 0 first.
    ends: Vec<u32>,
    /// By row.
    spots: Vec<Spot>,
}

/// Where a row stands: 0 and 0 if it is alone in its run or has no text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    pub cell: u32,
    pub segment: u32,
}

impl Layout {
    /// Lays out rows that are run by run; `ends` has the end of each run.
    fn new(rows: &[Row], ends: &[usize]) -> Self {
        let count = rows.iter().max().map_or(0, |&last| last as usize + 1);
        let mut all = Self {
            cells: vec![NO_ROW; AROUND + 1],
            segments: vec![(0, 0)],
            ends: vec![1],
            spots: vec![Spot::default(); count],
            singles: Vec::new(),
        };
        let mut start = 0;
        for &end in ends {
            let run = &rows[start..end];
            start = end;
            if let &[row] = run {
                all.singles.push(row);
                continue;
            }
            for rows in run.chunks(NEARBY) {
                let (first, segment) = (all.cells.len() as u32, all.segments.len() as u32);
                for (&row, cell) in rows.iter().zip(first..) {
                    all.spots[row as usize] = Spot { cell, segment };
                }
                all.cells.extend(rows);
                all.segments.push((first, all.cells.len() as u32));
            }
            all.ends.push(all.segments.len() as u32);
            all.cells.resize(all.cells.len() + AROUND, NO_ROW);
        }
        all
    }

    /// Returns where a row stands.
    #[inline(always)]
    pub fn spot(&self, row: Row) -> Spot {
        self.spots[row as usize]
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns the rows of a segment, in order.
    #[inline(always)]
    pub fn rows_of(&self, segment: usize) -> &[Row] {
        let (start, end) = self.segments[segment];
        &self.cells[start as usize..end as usize]
    }

    /// Returns the segments of each run of two or more, and segment 0.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| start as usize..end as usize)
    }

    /// Returns the rows of each run.
    pub fn rows_of_runs(&self) -> impl Iterator<Item = &[Row]> {
        let of_more = self.cells.split(|&row| row == NO_ROW).filter(|rows| !rows.is_empty());
        of_more.chain(self.singles.chunks(1))
    }

    /// Returns the sum of the numbers of the [`REACH`] rows before and after a row in its run, each
    /// over its distance. Numbers are by row, and are added in the order of the run.
    pub fn sum_around(&self, row: Row, numbers: &[f64]) -> f64 {
        let cell = self.spot(row).cell as usize;
        if cell == 0 {
            return 0.0;
        }
        let before = (1..=REACH).rev().map(|distance| (cell - distance, distance));
        let after = (1..=REACH).map(|distance| (cell + distance, distance));
        before.chain(after).fold(0.0, |sum, (cell, distance)| match self.cells[cell] {
            NO_ROW => sum,
            other => sum + numbers[other as usize] / distance as f64,
        })
    }

    /// Returns the best of the numbers of a row and of the [`NEARBY`] before and after it in its
    /// run, at least 0. Numbers are by row.
    pub fn best_around(&self, row: Row, numbers: &[f64]) -> f64 {
        let cell = self.spot(row).cell as usize;
        let before = self.cells[cell.saturating_sub(NEARBY)..cell].iter().rev();
        let after = self.cells[cell + 1..].iter().take(NEARBY);
        let its = |&&other: &&Row| other != NO_ROW;
        let others = before.take_while(its).chain(after.take_while(its));
        others.chain([&row]).fold(0.0, |best, &other| {
            let number = numbers[other as usize];
            if number > best { number } else { best }
        })
    }

    fn bytes(&self) -> usize {
        (self.cells.capacity() + self.singles.capacity() + self.ends.capacity()) * size_of::<u32>()
            + self.segments.capacity() * size_of::<(u32, u32)>()
            + self.spots.capacity() * size_of::<Spot>()
    }
}

/// The rows of all memories in order, and where runs end.
#[derive(Default)]
struct InOrder {
    rows: Vec<Row>,
    ends: Vec<usize>,
}

impl InOrder {
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
            let mut all = InOrder::default();
            let mut places = self.places.iter().peekable();
            let mut before = f64::NEG_INFINITY;
            while let Some(&first) = places.next() {
                let start = all.rows.len();
                all.rows.push(first.row);
                let mut last = first;
                while let Some(&place) = places.next_if(|place| is_next(&last, place)) {
                    all.rows.push(place.row);
                    last = place;
                }
                match first.list {
                    LINE => all.end_stored(start, first.created_at.0 - before >= GAP),
                    _ => all.end_run(all.rows.len()),
                }
                before = last.created_at.0;
            }
            all.end_run(all.rows.len());
            self.layout = Layout::new(&all.rows, &all.ends);
        }
    }

    /// Returns all rows, run by run, as of the last [`Runs::lay_out`].
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn bytes(&self) -> usize {
        self.places.len() * BYTES_OF_PLACE + self.clusters.len() * 64 + self.layout.bytes()
    }
}

/// Whether a place belongs to the same cluster as the one before it, or was stored at once with it.
fn is_next(before: &Place, place: &Place) -> bool {
    place.list == before.list
        && (place.list != LINE || place.created_at.0 - before.created_at.0 < AT_ONCE)
}
