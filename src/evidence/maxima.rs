//! The best of the numbers around each number of a list.
//!
//! # Idea
//!
//! A queue holds the numbers that can still be the best of a window: each is larger than those
//! behind it. A new number takes out the smaller ones at the back, and the number that leaves the
//! window stands in front. So the best of the window is always the first of the queue.
//!
//! # Invariants
//!
//! - The queue falls from front to back, and its places rise.
//!
//! # Cost
//!
//! Each number enters and leaves the queue once, whatever the width of the window.

use std::collections::VecDeque;

/// Finds the best numbers. Kept for the next list, whose queue it then holds.
#[derive(Debug, Default)]
pub(super) struct Maxima {
    queue: VecDeque<(usize, f64)>,
}

impl Maxima {
    /// Calls `give` with each place of a list and the best of the number there and the `reach`
    /// numbers before and after it, 0 if all are below 0.
    pub fn each(
        &mut self,
        numbers: impl ExactSizeIterator<Item = f64>,
        reach: usize,
        mut give: impl FnMut(usize, f64),
    ) {
        let Self { queue } = self;
        queue.clear();
        let count = numbers.len();
        let mut next = 0;
        let mut settle = |queue: &mut VecDeque<(usize, f64)>, end: usize| {
            while next < end {
                while queue.front().is_some_and(|&(place, _)| place + reach < next) {
                    queue.pop_front();
                }
                give(next, queue.front().map_or(0.0, |&(_, best)| best));
                next += 1;
            }
        };
        for (place, number) in numbers.enumerate() {
            while queue.back().is_some_and(|&(_, other)| other <= number) {
                queue.pop_back();
            }
            if number > 0.0 {
                queue.push_back((place, number));
            }
            settle(queue, (place + 1).saturating_sub(reach));
        }
        settle(queue, count);
    }

    pub fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<(usize, f64)>()
    }
}
