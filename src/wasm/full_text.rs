//! A resident full-text index with scratch of its own. The texts of a batch stand in the bytes, one
//! after the other.
//!
//! JavaScript maps ids to rows; only rows cross.

use std::mem::ManuallyDrop;

use wasm_bindgen::prelude::*;

use super::layout::{
    DOCUMENT, DOCUMENT_BODY, DOCUMENT_ROW, DOCUMENT_SUMMARY, DOCUMENT_TITLE, NOBODY, PART_HEADER,
};
use super::scratch::{Scratch, code_of_part, no_room_for_part, text_of};
use super::{answer, grow};
use crate::columns::Row;
use crate::error::Error;
use crate::full_text::{COLUMNS, TERMS_READ, TextEntry, TextIndex, TextRestoring, TextSnapshot};

const _: () = assert!(DOCUMENT == 1 + COLUMNS);

/// The full-text index of one agent, the only thing in its instance.
#[wasm_bindgen]
pub struct ResidentText {
    /// Never dropped: freeing the instance frees it.
    index: ManuallyDrop<TextIndex>,
    scratch: Scratch,
    snapshot: Option<TextSnapshot>,
    /// The last part of the snapshot. Neither it nor the snapshot counts against `max_bytes`.
    part: Vec<u8>,
}

#[wasm_bindgen]
impl ResidentText {
    /// An empty index in an instance that already takes `module_bytes`.
    pub fn create(max_bytes: f64, module_bytes: usize) -> ResidentText {
        Self::new(TextIndex::new(max_bytes as usize), module_bytes)
    }

    /// Makes room for a batch. Refuses if `max_bytes` leaves too little; returns `false` without a
    /// reason if the host has too little memory. Moves the scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        let missing = self.scratch.missing(numbers, rows, bytes);
        if answer(self.index.afford_for_now("batch", 2 * missing)).is_none() {
            return false;
        }
        let done = self.scratch.reserve(numbers, rows, bytes);
        self.report_scratch_bytes();
        done
    }

    /// Address of the numbers, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Address of the rows.
    pub fn rows_at(&self) -> usize {
        self.scratch.rows.as_ptr() as usize
    }

    /// Address of the bytes.
    pub fn bytes_at(&self) -> usize {
        self.scratch.bytes.as_ptr() as usize
    }

    /// Frees the scratch if it is large. Returns whether it did, which moves the scratch.
    pub fn shrink_if_large(&mut self) -> bool {
        let is_large = self.scratch.shrink_if_large();
        self.report_scratch_bytes();
        is_large
    }

    /// Bytes that the index uses.
    pub fn bytes_used(&self) -> usize {
        self.index.bytes()
    }

    /// Count of the words of all texts, repetitions included.
    pub fn words(&self) -> f64 {
        self.index.words() as f64
    }

    /// Most terms of a question that are read.
    pub fn terms_read() -> usize {
        TERMS_READ
    }

    /// Rows: `count` times a `DOCUMENT`. Bytes: their texts. Writes the row of each document to the
    /// rows.
    pub fn upsert(&mut self, count: usize) -> bool {
        if answer(self.index.afford_for_now("documents", count * 2 * size_of::<TextEntry<'_>>()))
            .is_none()
        {
            return false;
        }
        let mut texts = &self.scratch.bytes[..];
        let mut take = |length: u32| {
            let (text, rest) = texts.split_at(length as usize);
            texts = rest;
            text_of(text)
        };
        let entries: Vec<TextEntry<'_>> = self.scratch.rows.as_chunks::<DOCUMENT>().0[..count]
            .iter()
            .map(|document| TextEntry {
                row: (document[DOCUMENT_ROW] != NOBODY).then_some(document[DOCUMENT_ROW]),
                columns: [
                    take(document[DOCUMENT_TITLE]),
                    take(document[DOCUMENT_SUMMARY]),
                    take(document[DOCUMENT_BODY]),
                ],
            })
            .collect();
        let Some(rows) = answer(self.index.upsert(&entries)) else { return false };
        self.scratch.rows[..rows.len()].copy_from_slice(&rows);
        true
    }

    /// Rows: documents to remove.
    pub fn remove(&mut self, count: usize) {
        self.index.remove(&self.scratch.rows[..count]);
    }

    /// Sweeps out removed documents if they are many. Returns whether it did: the rows of the
    /// others have moved up then, in their order.
    pub fn sweep(&mut self) -> bool {
        self.index.sweep()
    }

    /// Rows: lengths of the terms in bytes, then the documents to search among. Bytes: the terms.
    /// Writes the rows of the hits to the rows and their scores to the numbers. Returns the count
    /// of hits, −1 if refused.
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
        self.report_scratch_bytes();
        hits.len() as f64
    }

    /// Begins a snapshot. Returns the rows in the order in which their texts are written.
    pub fn begin_snapshot(&mut self) -> Option<Vec<Row>> {
        self.snapshot = Some(answer(self.index.snapshot())?);
        self.snapshot.as_ref().map(|snapshot| snapshot.rows().to_vec())
    }

    /// Address of the part of a snapshot.
    pub fn part_at(&self) -> usize {
        self.part.as_ptr() as usize
    }

    /// Makes the next part. Returns its length in bytes, 0 after the last, −1 if refused.
    pub fn next_part(&mut self) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        let Some(part) = answer(self.index.next_part(snapshot)) else { return -1.0 };
        self.part = part.unwrap_or_default();
        if self.part.is_empty() {
            self.snapshot = None;
        }
        self.part.len() as f64
    }

    /// Makes room for the content of a part of the caller's own, which the caller then writes to
    /// the address of the part.
    pub fn reserve_part(&mut self, length: usize) -> bool {
        self.part = Vec::new();
        let affordable = answer(self.index.afford_snapshot(2 * length)).is_some();
        affordable
            && (grow(&mut self.part, length) || answer::<()>(Err(no_room_for_part())).is_some())
    }

    /// Makes a part of that content. Returns its length in bytes.
    pub fn own_part(&mut self, kind: u32) -> f64 {
        let Some(snapshot) = &mut self.snapshot else { return 0.0 };
        self.part = snapshot.own_part(kind, &self.part);
        self.part.len() as f64
    }
}

impl ResidentText {
    fn new(index: TextIndex, module_bytes: usize) -> Self {
        let index = ManuallyDrop::new(index);
        let scratch = Scratch::new(module_bytes);
        let mut resident = Self { index, scratch, snapshot: None, part: Vec::new() };
        resident.report_scratch_bytes();
        resident
    }

    /// Reports the bytes beside the index, which count against `max_bytes`.
    fn report_scratch_bytes(&mut self) {
        self.index.set_elsewhere(self.scratch.beside_index());
    }
}

/// Reads the snapshot of a full-text index, part by part.
#[wasm_bindgen]
pub struct TextRestorer {
    restoring: Option<ManuallyDrop<TextRestoring>>,
    max_bytes: usize,
    scratch: Scratch,
}

#[wasm_bindgen]
impl TextRestorer {
    /// Begins, with the options of an index.
    pub fn create(max_bytes: f64, module_bytes: usize) -> TextRestorer {
        let scratch = Scratch::new(module_bytes);
        Self { restoring: None, max_bytes: max_bytes as usize, scratch }
    }

    /// Makes room for bytes. Returns their address, 0 if there is too little memory.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if !self.scratch.reserve_part(bytes, self.max_bytes) {
            return 0;
        }
        if let Some(restoring) = &mut self.restoring {
            restoring.set_elsewhere(self.scratch.beside_index());
        }
        self.scratch.bytes.as_ptr() as usize
    }

    /// Returns the length in bytes of the part that begins with the header in the bytes, or −1 if
    /// it is not a header.
    pub fn part_length(&self) -> f64 {
        let header = &self.scratch.bytes[..self.scratch.bytes.len().min(PART_HEADER)];
        answer(TextRestoring::part_length(header)).map_or(-1.0, |length| length as f64)
    }

    /// Reads the part in the first `length` bytes. Returns its code: see [`code_of_part`]. The
    /// content of the caller's own part follows its header.
    pub fn read(&mut self, length: usize) -> f64 {
        let part = &self.scratch.bytes[..length];
        match &mut self.restoring {
            Some(restoring) => code_of_part(answer(restoring.read(part))),
            None => {
                let begun = TextRestoring::begin(part, self.max_bytes, self.scratch.beside_index());
                self.restoring = answer(begun).map(ManuallyDrop::new);
                if self.restoring.is_some() { 0.0 } else { -1.0 }
            }
        }
    }

    /// Count of the texts that have been read.
    pub fn texts(&self) -> usize {
        self.restoring.as_ref().map_or(0, |restoring| restoring.texts())
    }

    /// Returns the index after its last part has been read.
    pub fn finish(&mut self) -> Option<ResidentText> {
        let Some(restoring) = self.restoring.take() else {
            return answer(Err(Error::snapshot("is cut off: it is empty")));
        };
        let module_bytes = self.scratch.module_bytes;
        let restored = ManuallyDrop::into_inner(restoring).finish();
        answer(restored.map(|index| ResidentText::new(index, module_bytes)))
    }
}
