//! A resident full-text index over scratch of its own: rows and numbers, and the texts of a batch in one run of bytes.
//!
//! JavaScript keeps the ids and says rows.

use std::mem::ManuallyDrop;

use wasm_bindgen::prelude::*;

use super::{answer, grow};
use crate::error::Error;
use crate::full_text::{COLUMNS, TERMS_READ, TextEntry, TextIndex, TextRestoring, TextSnapshot};
use crate::index::Row;

/// Rows of an entry: the row that it replaces, and the lengths of its columns in bytes.
const ENTRY: usize = 1 + COLUMNS;
/// The row of an entry that is new.
const NEW: u32 = u32::MAX;
/// Scratch above this, in bytes, is given back.
const MOST_SCRATCH: usize = 1 << 24;

/// The full-text index of one agent, the only thing in its instance.
#[wasm_bindgen]
pub struct ResidentText {
    /// Never dropped: it goes with its instance.
    index: ManuallyDrop<TextIndex>,
    numbers: Vec<f64>,
    rows: Vec<u32>,
    bytes: Vec<u8>,
    snapshot: Option<TextSnapshot>,
    /// What of memory is the module's own.
    own: usize,
}

#[wasm_bindgen]
impl ResidentText {
    /// An empty index; `own` is what the module takes before there is one.
    pub fn create(max_bytes: f64, own: usize) -> ResidentText {
        Self::new(TextIndex::new(max_bytes as usize), own)
    }

    /// Makes room for so many numbers, rows and bytes; refused where there is not as much. Moves the scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let missing = numbers.saturating_sub(self.numbers.len()).saturating_mul(8)
            + rows.saturating_sub(self.rows.len()).saturating_mul(4)
            + bytes.saturating_sub(self.bytes.len());
        if answer(self.index.afford_for_now("batch", 2 * missing)).is_none() {
            return false;
        }
        let done = grow(&mut self.numbers, numbers) && grow(&mut self.rows, rows) && grow(&mut self.bytes, bytes);
        self.tell();
        if done { true } else { answer::<()>(Err(Error::memory("batch", "needs more than there is"))).is_some() }
    }

    /// Where the numbers stand, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.numbers.as_ptr() as usize
    }

    /// Where the rows stand.
    pub fn rows_at(&self) -> usize {
        self.rows.as_ptr() as usize
    }

    /// Where the bytes stand.
    pub fn bytes_at(&self) -> usize {
        self.bytes.as_ptr() as usize
    }

    /// Gives scratch back where it has become large; whether it did, which moves it.
    pub fn release(&mut self) -> bool {
        let large = self.scratch() > MOST_SCRATCH;
        if large {
            (self.numbers, self.rows, self.bytes) = Default::default();
            self.tell();
        }
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
        if answer(self.index.afford_for_now("documents", count * 2 * size_of::<TextEntry<'_>>())).is_none() {
            return false;
        }
        let mut texts = &self.bytes[..];
        let entries: Vec<TextEntry<'_>> = self.rows.as_chunks::<ENTRY>().0[..count]
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
        self.rows[..rows.len()].copy_from_slice(&rows);
        true
    }

    /// Rows: those to remove.
    pub fn remove(&mut self, count: usize) {
        self.index.remove(&self.rows[..count]);
    }

    /// Sweeps out what was removed where that is much; whether rows were given anew, in the order in which they were.
    pub fn sweep(&mut self) -> bool {
        self.index.sweep()
    }

    /// Rows: lengths of the terms, then the rows to look among; bytes: the terms. The rows receive those of the found, the
    /// numbers their scores; the answer is how many, −1 where it was refused.
    pub fn search(&mut self, terms: usize, among: Option<usize>, limit: usize) -> f64 {
        let (lengths, rows) = self.rows.split_at(terms);
        let mut texts = &self.bytes[..];
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
        if !(grow(&mut self.rows, hits.len()) && grow(&mut self.numbers, hits.len())) {
            answer::<()>(Err(Error::memory("limit", "asks for more than there is room for")));
            return -1.0;
        }
        for (place, hit) in hits.iter().enumerate() {
            self.rows[place] = hit.row;
            self.numbers[place] = hit.score;
        }
        self.tell();
        hits.len() as f64
    }

    /// Begins a snapshot; the answer holds the rows in the order in which texts are written.
    pub fn begin_snapshot(&mut self) -> Option<Vec<Row>> {
        self.snapshot = Some(answer(self.index.snapshot())?);
        self.snapshot.as_ref().map(|snapshot| snapshot.rows().to_vec())
    }

    /// Puts the next part into the bytes; the answer is its length, 0 after the last, −1 where it was refused.
    pub fn next_part(&mut self) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        let Some(part) = answer(self.index.next_part(snapshot)) else { return -1.0 };
        self.bytes = part.unwrap_or_default();
        if self.bytes.is_empty() {
            self.snapshot = None;
        }
        self.tell();
        self.bytes.len() as f64
    }

    /// Makes a part of the first `length` bytes, and puts it into the bytes; the answer is its length.
    pub fn own_part(&mut self, kind: u32, length: usize) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        self.bytes = snapshot.own_part(kind, &self.bytes[..length]);
        self.tell();
        self.bytes.len() as f64
    }
}

impl ResidentText {
    fn new(index: TextIndex, own: usize) -> Self {
        let index = ManuallyDrop::new(index);
        let mut resident =
            Self { index, numbers: Vec::new(), rows: Vec::new(), bytes: Vec::new(), snapshot: None, own };
        resident.tell();
        resident
    }

    fn scratch(&self) -> usize {
        self.numbers.capacity() * 8 + self.rows.capacity() * 4 + self.bytes.capacity()
    }

    /// Tells the index what stands beside it.
    fn tell(&mut self) {
        let elsewhere = self.own + self.scratch();
        self.index.set_elsewhere(elsewhere);
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
    own: usize,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl TextRestorer {
    /// Begins, with what an index is made with.
    pub fn create(max_bytes: f64, own: usize) -> TextRestorer {
        Self { restoring: None, max_bytes: max_bytes as usize, own, bytes: Vec::new() }
    }

    /// Makes room for so many bytes; where they stand, 0 where there is not as much.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if grow(&mut self.bytes, bytes) { self.bytes.as_ptr() as usize } else { 0 }
    }

    /// The length of the part whose header the first 32 bytes are; −1 where they are none.
    pub fn part_length(&self) -> f64 {
        let header = &self.bytes[..self.bytes.len().min(32)];
        answer(TextRestoring::part_length(header)).map_or(-1.0, |length| length as f64)
    }

    /// Reads a part of so many bytes. The answer is −1 where it was refused, 0 for one that the index took, and for the
    /// caller's own one more than its kind; its content stands behind the header's 32 bytes.
    pub fn read(&mut self, length: usize) -> f64 {
        let part = &self.bytes[..length];
        match &mut self.restoring {
            Some(restoring) => match answer(restoring.read(part)) {
                None => -1.0,
                Some(None) => 0.0,
                Some(Some((own, _))) => f64::from(own) + 1.0,
            },
            None => {
                let begun = TextRestoring::begin(part, self.max_bytes, self.own + self.bytes.capacity());
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
        let own = self.own;
        answer(ManuallyDrop::into_inner(restoring).finish().map(|index| ResidentText::new(index, own)))
    }
}
