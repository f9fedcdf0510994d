//! How much of the question the memories around a memory hold.
//!
//! # Idea
//!
//! A fact is often told over several memories of a run: one asks, the next answers, a third names
//! the place. The *window* of a memory is the memory itself and the five before and after it in
//! its run. For each word of the question, a window holds the nearest word that any of its
//! memories holds.
//!
//! Each memory of a run has a cell, and the cells of a run lie side by side. A word raises the
//! cells around every memory that holds it. Then the raised cells are added to the sums of their
//! windows and set back to 0. Empty cells between two runs take what would reach into another run,
//! so that no window is cut at an end.
//!
//! # Invariants
//!
//! - Between two words all `nearest` are 0.
//! - Sums are added in the order of the words.
//!
//! # Cost
//!
//! For each word the smaller of two: eleven cells for each memory that holds it, or one pass over
//! all cells. Two numbers for each cell.

use super::runs::{AROUND, Layout};
use crate::columns::Row;

/// Sums by cell.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// For the word at hand: the squared nearness of the nearest word in the window.
    nearest: Vec<f64>,
    /// Over all words, weighted by rarity.
    sums: Vec<f64>,
}

impl Windows {
    /// Begins a question.
    pub fn clear(&mut self, layout: &Layout) {
        self.nearest.resize(layout.cells(), 0.0);
        self.sums.clear();
        self.sums.resize(layout.cells(), 0.0);
    }

    /// Adds a word of the question: the memories that hold it, with the nearness of their nearest
    /// word.
    pub fn add_word(
        &mut self,
        layout: &Layout,
        held: impl ExactSizeIterator<Item = (Row, f64)> + Clone,
        rarity: f64,
    ) {
        const WIDTH: usize = 2 * AROUND + 1;
        let windows = held.clone().filter_map(|(row, nearness)| {
            let cell = layout.spot(row).cell as usize;
            (cell > 0).then(|| (cell - AROUND..=cell + AROUND, nearness))
        });
        for (window, nearness) in windows.clone() {
            let square = nearness * nearness;
            for nearest in &mut self.nearest[window] {
                *nearest = if square > *nearest { square } else { *nearest };
            }
        }
        let mut add = |(sum, nearest): (&mut f64, &mut f64)| {
            *sum += rarity * *nearest;
            *nearest = 0.0;
        };
        if held.len() * WIDTH >= self.nearest.len() {
            self.sums.iter_mut().zip(&mut self.nearest).for_each(add);
        } else {
            for (window, _) in windows {
                let nearest = self.nearest[window.clone()].iter_mut();
                self.sums[window].iter_mut().zip(nearest).for_each(&mut add);
            }
        }
    }

    /// Returns the sum of the window of a cell. That of cell 0, which no window meets, is 0.
    #[inline(always)]
    pub fn sum(&self, cell: u32) -> f64 {
        self.sums[cell as usize]
    }

    pub fn bytes(&self) -> usize {
        (self.nearest.capacity() + self.sums.capacity()) * size_of::<f64>()
    }
}
