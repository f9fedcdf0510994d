//! Scratch: the memory in which batches cross the boundary, as numbers, rows and bytes. JavaScript
//! reserves room, writes into it, calls, and reads the answer in the same place.

use super::layout::{MAX_SCRATCH, PART_HEADER};
use super::{answer, grow};
use crate::error::Error;
use crate::parts;

const _: () = assert!(PART_HEADER == parts::HEADER);

/// The scratch of an engine, of a book of playbooks, or of an index.
#[derive(Default)]
pub(super) struct Scratch {
    pub numbers: Vec<f64>,
    /// Rows of nodes or documents, slots of edges, codes of names, lengths.
    pub rows: Vec<u32>,
    pub bytes: Vec<u8>,
    /// Bytes of the instance before the index was created.
    pub module_bytes: usize,
}

impl Scratch {
    /// Empty scratch.
    pub fn new(module_bytes: usize) -> Self {
        Self { module_bytes, ..Self::default() }
    }

    /// Returns the bytes beside the index: the scratch, and the module's own.
    pub fn beside_index(&self) -> usize {
        self.module_bytes + self.size()
    }

    fn size(&self) -> usize {
        self.numbers.capacity() * 8 + self.rows.capacity() * 4 + self.bytes.capacity()
    }

    /// Bytes that reserving this room would add.
    pub fn missing(&self, numbers: usize, rows: usize, bytes: usize) -> usize {
        numbers.saturating_sub(self.numbers.len()).saturating_mul(8)
            + rows.saturating_sub(self.rows.len()).saturating_mul(4)
            + bytes.saturating_sub(self.bytes.len())
    }

    /// Makes room for a batch. Returns `false` if the host has too little memory. Moves the
    /// scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        grow(&mut self.numbers, numbers)
            && grow(&mut self.rows, rows)
            && grow(&mut self.bytes, bytes)
    }

    /// Makes room for a part of a snapshot of an index that may use `max_bytes`. Returns `false`
    /// if there is too little.
    pub fn reserve_part(&mut self, bytes: usize, max_bytes: usize) -> bool {
        bytes <= max_bytes.saturating_sub(self.module_bytes) && grow(&mut self.bytes, bytes)
    }

    /// Makes room for an answer; refuses if the host has too little memory.
    pub fn reserve_answer(&mut self, numbers: usize, rows: usize) -> bool {
        let done = grow(&mut self.numbers, numbers) && grow(&mut self.rows, rows);
        done || answer::<()>(Err(Error::memory(
            "limit",
            "asks for more results than the memory has room for",
        )))
        .is_some()
    }

    /// Frees the scratch if it is larger than [`MAX_SCRATCH`]. Returns whether it did.
    pub fn shrink_if_large(&mut self) -> bool {
        let is_large = self.size() > MAX_SCRATCH;
        if is_large {
            *self = Self::new(self.module_bytes);
        }
        is_large
    }

    /// Writes an answer of numbers. The scratch grows to hold it: answers are small, or room was
    /// counted before.
    pub fn put_numbers(&mut self, numbers: &[f64]) {
        put(&mut self.numbers, numbers);
    }

    /// Writes an answer of rows, as [`Scratch::put_numbers`].
    pub fn put_rows(&mut self, rows: &[u32]) {
        put(&mut self.rows, rows);
    }

    /// Text that JavaScript encoded into the bytes.
    pub fn text(&self, from: usize, length: usize) -> &str {
        text_of(&self.bytes[from..from + length])
    }
}

/// Returns the text of some bytes, or an empty text if they are not UTF-8. Encoders write UTF-8,
/// and an empty text is better than a trap.
pub(super) fn text_of(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// The error for a host without room for a part of a snapshot.
pub(super) fn no_room_for_part() -> Error {
    Error::memory("snapshot", "needs more memory than there is")
}

fn put<T: Copy + Default>(scratch: &mut Vec<T>, answers: &[T]) {
    if scratch.len() < answers.len() {
        scratch.resize(answers.len(), T::default());
    }
    scratch[..answers.len()].copy_from_slice(answers);
}

/// The code of a part that was read: −1 if it was refused, 0 if the index took it, and one more
/// than its kind if it is the caller's own.
pub(super) fn code_of_part<T>(read: Option<Option<(u32, T)>>) -> f64 {
    match read {
        None => -1.0,
        Some(None) => 0.0,
        Some(Some((kind, _))) => f64::from(kind) + 1.0,
    }
}
