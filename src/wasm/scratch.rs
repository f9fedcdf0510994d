//! Scratch in which the batches of what is resident cross: numbers, rows, and bytes.

use super::{answer, grow};
use crate::error::Error;

/// Scratch above this, in bytes, is given back.
const MOST: usize = 1 << 24;

/// The scratch of one instance.
pub(super) struct Scratch {
    pub numbers: Vec<f64>,
    pub rows: Vec<u32>,
    pub bytes: Vec<u8>,
    /// What of memory is the module's own.
    pub own: usize,
}

impl Scratch {
    /// Empty scratch; `own` is what the module takes before there is anything.
    pub fn new(own: usize) -> Self {
        Self { numbers: Vec::new(), rows: Vec::new(), bytes: Vec::new(), own }
    }

    /// Bytes that stand beside what is resident: the scratch, and the module's own.
    pub fn elsewhere(&self) -> usize {
        self.own + self.size()
    }

    fn size(&self) -> usize {
        self.numbers.capacity() * 8 + self.rows.capacity() * 4 + self.bytes.capacity()
    }

    /// Bytes that it takes to have room for so many numbers, rows and bytes.
    pub fn missing(&self, numbers: usize, rows: usize, bytes: usize) -> usize {
        numbers.saturating_sub(self.numbers.len()).saturating_mul(8)
            + rows.saturating_sub(self.rows.len()).saturating_mul(4)
            + bytes.saturating_sub(self.bytes.len())
    }

    /// Makes room for so many numbers, rows and bytes; refused where there is not as much.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let done = grow(&mut self.numbers, numbers)
            && grow(&mut self.rows, rows)
            && grow(&mut self.bytes, bytes);
        done || answer::<()>(Err(Error::memory("batch", "needs more than there is"))).is_some()
    }

    /// Makes room for a part of a snapshot where an index that may take so many bytes could;
    /// whether there is.
    pub fn reserve_part(&mut self, bytes: usize, max_bytes: usize) -> bool {
        bytes <= max_bytes.saturating_sub(self.own) && grow(&mut self.bytes, bytes)
    }

    /// Makes room for an answer of so many numbers and rows; refused where there is not as much.
    pub fn reserve_answer(&mut self, numbers: usize, rows: usize) -> bool {
        let done = grow(&mut self.numbers, numbers) && grow(&mut self.rows, rows);
        done || answer::<()>(Err(Error::memory("limit", "asks for more than there is room for")))
            .is_some()
    }

    /// Gives it back where it has become large; whether it did.
    pub fn release(&mut self) -> bool {
        let large = self.size() > MOST;
        if large {
            *self = Self::new(self.own);
        }
        large
    }

    /// Answers are small, or have been counted; the scratch grows to hold them.
    pub fn put_numbers(&mut self, numbers: &[f64]) {
        put(&mut self.numbers, numbers);
    }

    /// As [`Scratch::put_numbers`].
    pub fn put_rows(&mut self, rows: &[u32]) {
        put(&mut self.rows, rows);
    }
}

/// The host has no room for a part of a snapshot.
pub(super) fn no_room_for_part() -> Error {
    Error::memory("snapshot", "needs more than there is")
}

fn put<T: Copy + Default>(scratch: &mut Vec<T>, answers: &[T]) {
    if scratch.len() < answers.len() {
        scratch.resize(answers.len(), T::default());
    }
    scratch[..answers.len()].copy_from_slice(answers);
}

/// What JavaScript is told of a part that was read: −1 where it was refused, 0 for one that was
/// taken, and for the caller's own one more than its kind.
pub(super) fn told_of<T>(read: Option<Option<(u32, T)>>) -> f64 {
    match read {
        None => -1.0,
        Some(None) => 0.0,
        Some(Some((kind, _))) => f64::from(kind) + 1.0,
    }
}
