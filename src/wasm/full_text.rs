//! A resident full-text index over scratch of its own: rows and numbers, and the texts of a batch
//! in one run of bytes.
//!
//! JavaScript keeps the ids and says rows.

use std::mem::ManuallyDrop;

use wasm_bindgen::prelude::*;

use super::scratch::{Scratch, no_room_for_part, told_of};
use super::{answer, grow};
use crate::columns::Row;
use crate::error::Error;
use crate::full_text::{COLUMNS, TERMS_READ, TextEntry, TextIndex, TextRestoring, TextSnapshot};

/// Rows of an entry: the row that it replaces, and the lengths of its columns in bytes.
const ENTRY: usize = 1 + COLUMNS;
/// The row of an entry that is new.
const NEW: u32 = u32::MAX;

/// The full-text index of one agent, the only thing in its instance.
#[wasm_bindgen]
pub struct ResidentText {
    /// Never dropped: it goes with its instance.
    index: ManuallyDrop<TextIndex>,
    scratch: Scratch,
    snapshot: Option<TextSnapshot>,
    /// The part of the snapshot that was made last. It does not count against the bound, and no
    /// more does the snapshot.
    part: Vec<u8>,
}

#[wasm_bindgen]
impl ResidentText {
    /// An empty index; `own` is what the module takes before there is one.
    pub fn create(max_bytes: f64, own: usize) -> ResidentText {
        Self::new(TextIndex::new(max_bytes as usize), own)
    }

    /// Makes room for so many numbers, rows and bytes; refused where there is not as much. Moves
    /// the scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let missing = self.scratch.missing(numbers, rows, bytes);
        if answer(self.index.afford_for_now("batch", 2 * missing)).is_none() {
            return false;
        }
        let done = self.scratch.reserve(numbers, rows, bytes);
        self.tell();
        done
    }

    /// Where the numbers stand, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Where the rows stand.
    pub fn rows_at(&self) -> usize {
        self.scratch.rows.as_ptr() as usize
    }

    /// Where the bytes stand.
    pub fn bytes_at(&self) -> usize {
        self.scratch.bytes.as_ptr() as usize
    }

    /// Gives scratch back where it has become large; whether it did, which moves it.
    pub fn release(&mut self) -> bool {
        let large = self.scratch.release();
        self.tell();
        large
    }

    /// Bytes that the index takes.
    pub fn bytes_used(&self) -> usize {
        self.index.bytes()
    }

    /// Words of all texts, each as often as it stands there.
    pub fn words(&self) -> f64 {
        self.index.words() as f64
    }

    /// How many terms of a question are looked at.
    pub fn terms_read() -> usize {
        TERMS_READ
    }

    /// Rows: `count` entries; bytes: their texts. The rows receive those of the entries.
    pub fn upsert(&mut self, count: usize) -> bool {
        if answer(self.index.afford_for_now("documents", count * 2 * size_of::<TextEntry<'_>>()))
            .is_none()
        {
            return false;
        }
        let mut texts = &self.scratch.bytes[..];
        let entries: Vec<TextEntry<'_>> = self.scratch.rows.as_chunks::<ENTRY>().0[..count]
            .iter()
            .map(|&[row, ref lengths @ ..]| TextEntry {
                row: (row != NEW).then_some(row),
                columns: lengths.map(|length| {
                    let (text, rest) = texts.split_at(length as usize);
                    texts = rest;
                    text_of(text)
                }),
            })
            .collect();
        let Some(rows) = answer(self.index.upsert(&entries)) else { return false };
        self.scratch.rows[..rows.len()].copy_from_slice(&rows);
        true
    }

    /// Rows: those to remove.
    pub fn remove(&mut self, count: usize) {
        self.index.remove(&self.scratch.rows[..count]);
    }

    /// Sweeps out what was removed where that is much; whether rows were given anew, in the order
    /// in which they were.
    pub fn sweep(&mut self) -> bool {
        self.index.sweep()
    }

    /// Rows: lengths of the terms, then the rows to look among; bytes: the terms. The rows receive
    /// those of the found, the numbers their scores; the answer is how many, −1 where it was
    /// refused.
    pub fn search(&mut self, terms: usize, among: Option<usize>, limit: usize) -> f64 {
        let (lengths, rows) = self.scratch.rows.split_at(terms);
        let mut texts = &self.scratch.bytes[..];
        let question: Vec<&str> = lengths
            .iter()
            .map(|&length| {
                let (text, rest) = texts.split_at(length as usize);
                texts = rest;
                text_of(text)
            })
            .collect();
        let among = among.map(|count| &rows[..count]);
        let Some(hits) = answer(self.index.search(&question, limit, among)) else { return -1.0 };
        if !self.scratch.reserve_answer(hits.len(), hits.len()) {
            return -1.0;
        }
        for (place, hit) in hits.iter().enumerate() {
            self.scratch.rows[place] = hit.row;
            self.scratch.numbers[place] = hit.score;
        }
        self.tell();
        hits.len() as f64
    }

    /// Begins a snapshot; the answer holds the rows in the order in which texts are written.
    pub fn begin_snapshot(&mut self) -> Option<Vec<Row>> {
        self.snapshot = Some(answer(self.index.snapshot())?);
        self.snapshot.as_ref().map(|snapshot| snapshot.rows().to_vec())
    }

    /// Where the part of a snapshot stands.
    pub fn part_at(&self) -> usize {
        self.part.as_ptr() as usize
    }

    /// Makes the next part; the answer is its length, 0 after the last, −1 where it was refused.
    pub fn next_part(&mut self) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        let Some(part) = answer(self.index.next_part(snapshot)) else { return -1.0 };
        self.part = part.unwrap_or_default();
        if self.part.is_empty() {
            self.snapshot = None;
        }
        self.part.len() as f64
    }

    /// Makes room for the content of a part of the caller's own, which is to be put where the part
    /// stands.
    pub fn reserve_part(&mut self, length: usize) -> bool {
        self.part = Vec::new();
        let affordable = answer(self.index.afford_snapshot(2 * length)).is_some();
        affordable
            && (grow(&mut self.part, length) || answer::<()>(Err(no_room_for_part())).is_some())
    }

    /// Makes a part of that content; the answer is its length, −1 where it was refused.
    pub fn own_part(&mut self, kind: u32) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        self.part = snapshot.own_part(kind, &self.part);
        self.part.len() as f64
    }
}

impl ResidentText {
    fn new(index: TextIndex, own: usize) -> Self {
        let index = ManuallyDrop::new(index);
        let mut resident =
            Self { index, scratch: Scratch::new(own), snapshot: None, part: Vec::new() };
        resident.tell();
        resident
    }

    /// Tells the index what stands beside it.
    fn tell(&mut self) {
        self.index.set_elsewhere(self.scratch.elsewhere());
    }
}

/// Encoders write UTF-8; if one did not, no text is better than a trap.
fn text_of(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// A snapshot of a full-text index that is being read, part by part.
#[wasm_bindgen]
pub struct TextRestorer {
    restoring: Option<ManuallyDrop<TextRestoring>>,
    max_bytes: usize,
    scratch: Scratch,
}

#[wasm_bindgen]
impl TextRestorer {
    /// Begins, with what an index is made with.
    pub fn create(max_bytes: f64, own: usize) -> TextRestorer {
        Self { restoring: None, max_bytes: max_bytes as usize, scratch: Scratch::new(own) }
    }

    /// Makes room for so many bytes; where they stand, 0 where there is not as much.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if !self.scratch.reserve_part(bytes, self.max_bytes) {
            return 0;
        }
        if let Some(restoring) = &mut self.restoring {
            restoring.set_elsewhere(self.scratch.elsewhere());
        }
        self.scratch.bytes.as_ptr() as usize
    }

    /// The length of the part whose header the first 32 bytes are; −1 where they are none.
    pub fn part_length(&self) -> f64 {
        let header = &self.scratch.bytes[..self.scratch.bytes.len().min(32)];
        answer(TextRestoring::part_length(header)).map_or(-1.0, |length| length as f64)
    }

    /// Reads a part of so many bytes. The answer is −1 where it was refused, 0 for one that the
    /// index took, and for the caller's own one more than its kind; its content stands behind the
    /// header's 32 bytes.
    pub fn read(&mut self, length: usize) -> f64 {
        let part = &self.scratch.bytes[..length];
        match &mut self.restoring {
            Some(restoring) => told_of(answer(restoring.read(part))),
            None => {
                let begun = TextRestoring::begin(part, self.max_bytes, self.scratch.elsewhere());
                self.restoring = answer(begun).map(ManuallyDrop::new);
                if self.restoring.is_some() { 0.0 } else { -1.0 }
            }
        }
    }

    /// The number of texts that have been read.
    pub fn texts(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.texts())
    }

    /// The index, once its last part has been read.
    pub fn finish(&mut self) -> Option<ResidentText> {
        let Some(restoring) = self.restoring.take() else {
            return answer(Err(Error::snapshot("is cut off: it is empty")));
        };
        let own = self.scratch.own;
        answer(
            ManuallyDrop::into_inner(restoring).finish().map(|index| ResidentText::new(index, own)),
        )
    }
}
