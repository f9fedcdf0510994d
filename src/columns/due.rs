//! The due tree: for each row the moment before which its lifecycle state cannot change, in a tree
//! of minima that finds the due rows without looking at the others.
//!
//! # Idea
//!
//! The moments of the rows are the leaves. Each entry of the level above is the least of sixteen
//! moments, each entry above that the least of sixteen entries, up to a level of at most sixteen:
//!
//! ```text
//! least[1]                 4                     one entry per 256 rows
//! least[0]          4             7   ...        one entry per 16 rows
//! moments      9 4 8 ...     7 7 9 ...           one per row
//! ```
//!
//! A search for the rows due by a moment starts at the top, and goes down only under entries that
//! are due. It goes level by level, so that reading one branch does not wait for the one before.
//!
//! # Invariants
//!
//! - Every entry is exactly the least moment below it. [`Due::set`] stops as soon as a level does
//!   not change, because then no level above it changes.
//! - A level exists as soon as the level below it has more than sixteen entries. A level ends with
//!   an entry that may cover fewer than sixteen.
//! - [`NEVER`] is greater than every moment, [`ALWAYS`] is less than every other.
//!
//! # Soundness
//!
//! Moments are whole numbers, so there is no rounding here. The moment of a row may be too early.
//! Then the row is found, looked at and filed again. It must not be too late; `memory/sweep.rs`,
//! which computes the moments, explains why it is not.
//!
//! # Cost
//!
//! 4 bytes a row, and a fifteenth of that for the levels above: 4.3 bytes. Setting a moment takes
//! one step per level, each of up to sixteen comparisons; a change that is not the least of its
//! sixteen stops at the first step. Finding the due rows takes sixteen comparisons for each entry
//! that is due, on each level. It is proportional to the number of due rows if these are many or
//! close together, and at most to that number times the number of levels.

use super::Column;
use super::graph::Row;

/// A row that is due at any moment.
pub const ALWAYS: u32 = 0;
/// A row that is never due.
pub const NEVER: u32 = u32::MAX;

const BRANCHES: usize = 16;

/// Moments of rows, as whole numbers. The caller chooses the unit.
#[derive(Debug, Default)]
pub struct Due {
    moments: Column<u32>,
    /// The levels above the rows. The last one fits into one branch.
    min: Vec<Vec<u32>>,
}

/// Branches of the lowest level that each have at least one due row.
#[derive(Debug)]
pub struct DueBranches {
    branches: Vec<u32>,
    until: u32,
}

impl DueBranches {
    /// Returns the most rows that can be under the branches.
    pub fn max_rows(&self) -> usize {
        self.branches.len() * BRANCHES
    }
}

impl Due {
    /// Adds a row that is never due.
    pub fn push(&mut self) {
        self.moments.push(NEVER);
        let mut length = self.moments.len();
        for level in 0.. {
            if length <= BRANCHES {
                break;
            }
            length = length.div_ceil(BRANCHES);
            if self.min.len() == level {
                // A new level starts with the least of all that is below it.
                let below: Vec<u32> =
                    (0..length).map(|branch| self.min_below(level, branch)).collect();
                self.min.push(below);
            } else if self.min[level].len() < length {
                self.min[level].push(NEVER);
            }
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.moments.len()
    }

    /// Returns the moment of a row.
    pub fn get(&self, row: Row) -> u32 {
        self.moments.get(row as usize)
    }

    /// Changes the moment of a row.
    #[inline]
    pub fn set(&mut self, row: Row, moment: u32) {
        let mut place = row as usize;
        let (mut before, mut now) = (self.moments.at(place), moment);
        self.moments.set(place, moment);
        for level in 0..self.min.len() {
            place /= BRANCHES;
            let min = self.min[level][place];
            // A moment that neither was nor becomes the least changes nothing above.
            let new = if now <= min {
                now
            } else if before > min {
                return;
            } else {
                self.min_below(level, place)
            };
            if new == min {
                return;
            }
            self.min[level][place] = new;
            (before, now) = (min, new);
        }
    }

    /// Returns the branches of the rows whose moment is `until` or earlier.
    pub fn branches_until(&self, until: u32) -> DueBranches {
        let first = if self.moments.is_empty() { Vec::new() } else { vec![0] };
        // Level by level, so that reading one branch does not wait for the one before.
        let branches = self.min.iter().rev().fold(first, |branches, min| {
            let below = |first: usize| &min[first..min.len().min(first + BRANCHES)];
            due_below(&branches, until, below)
        });
        DueBranches { branches, until }
    }

    /// Returns the rows that are due under these branches, in order of rows.
    pub fn rows_under(&self, DueBranches { branches, until }: &DueBranches) -> Vec<Row> {
        due_below(branches, *until, |first| self.moments.part(first, BRANCHES))
    }

    /// Returns the least moment below one branch of a level.
    fn min_below(&self, level: usize, branch: usize) -> u32 {
        let places = branch * BRANCHES..(branch + 1) * BRANCHES;
        let min = |moments: &mut dyn Iterator<Item = u32>| moments.min().unwrap_or(NEVER);
        match level {
            0 => min(&mut (places.start..places.end.min(self.moments.len()))
                .map(|row| self.moments.at(row))),
            _ => {
                let below = &self.min[level - 1];
                min(&mut below[places.start..places.end.min(below.len())].iter().copied())
            }
        }
    }

    /// Returns the bytes of the moments.
    pub fn bytes(&self) -> usize {
        (self.moments.len() + self.min.iter().map(Vec::len).sum::<usize>()) * size_of::<u32>()
    }

    /// Returns the allocated bytes.
    pub fn capacity_bytes(&self) -> usize {
        self.moments.capacity_bytes()
            + self.min.iter().map(Vec::capacity).sum::<usize>() * size_of::<u32>()
    }

    /// Returns the most bytes that `more` rows can take beyond the allocated ones.
    pub fn need(&self, more: usize) -> usize {
        // A level doubles when it grows, and all levels may grow at once.
        let above = (self.moments.len() + more).div_ceil(BRANCHES) * 2 * size_of::<u32>();
        self.moments.need(more) + if more > 0 { 2 * above } else { 0 }
    }
}

/// Returns the places below some branches of a level whose moments are `until` or earlier, in
/// order. `below` returns the moments from the first place of a branch on.
fn due_below<'a>(branches: &[u32], until: u32, below: impl Fn(usize) -> &'a [u32]) -> Vec<u32> {
    let mut due = vec![0; branches.len() * BRANCHES];
    let mut count = 0;
    for &branch in branches {
        let first = branch as usize * BRANCHES;
        for (&moment, place) in below(first).iter().zip(first as u32..) {
            // Written without a branch: due moments are unpredictable, and a mispredicted branch
            // costs more than a wasted write.
            due[count] = place;
            count += usize::from(moment <= until);
        }
    }
    due.truncate(count);
    due
}
