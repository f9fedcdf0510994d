//! A token table in an instance of its own, with scratch for texts and vectors.

use std::mem::ManuallyDrop;

use wasm_bindgen::prelude::*;

use super::scratch::Scratch;
use super::{answer, grow};
use crate::embed::TokenTable;

/// A token table, the only thing in its instance.
#[wasm_bindgen]
pub struct ResidentTable {
    /// Never dropped: freeing the instance frees it.
    table: ManuallyDrop<TokenTable>,
    scratch: Scratch,
    /// The vectors of a batch, one after the other.
    vectors: Vec<f32>,
}

/// The bytes of a table that is about to be read.
#[wasm_bindgen]
#[derive(Default)]
pub struct TableReader {
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl TableReader {
    /// A reader without bytes.
    pub fn create() -> TableReader {
        Self::default()
    }

    /// Makes room for the bytes of a table. Returns their address, 0 if there is too little memory.
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if grow(&mut self.bytes, bytes) { self.bytes.as_ptr() as usize } else { 0 }
    }

    /// Returns the table of these bytes, and keeps none.
    pub fn finish(&mut self) -> Option<ResidentTable> {
        let table = answer(TokenTable::read(std::mem::take(&mut self.bytes)))?;
        let table = ManuallyDrop::new(table);
        Some(ResidentTable { table, scratch: Scratch::default(), vectors: Vec::new() })
    }
}

#[wasm_bindgen]
impl ResidentTable {
    /// The name of the table.
    pub fn id(&self) -> String {
        self.table.id().to_owned()
    }

    /// Components of a vector.
    pub fn dimensions(&self) -> usize {
        self.table.dimensions()
    }

    /// Makes room for a batch. Returns `false` if the host has too little memory. Moves the
    /// scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        self.scratch.reserve(numbers, rows, bytes)
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
        self.scratch.shrink_if_large()
    }

    /// Makes room for this many vectors. Returns their address, 0 if there is too little memory.
    pub fn reserve_vectors(&mut self, count: usize) -> usize {
        let length = count.saturating_mul(self.table.dimensions());
        if grow(&mut self.vectors, length) { self.vectors.as_ptr() as usize } else { 0 }
    }

    /// Rows: the lengths of `count` texts. Bytes: the texts. Writes the coverage of each text to
    /// the numbers, and its vector to the vectors, for all of which there is room.
    pub fn embed(&mut self, count: usize) {
        let dimensions = self.table.dimensions();
        let mut from = 0;
        for place in 0..count {
            let length = self.scratch.rows[place] as usize;
            let vector = &mut self.vectors[place * dimensions..][..dimensions];
            let coverage = self.table.embed(self.scratch.text(from, length), vector);
            self.scratch.numbers[place] = coverage;
            from += length;
        }
    }

    /// Bytes: a word, in the form of the words of a normalised text. Writes the sum of the vectors
    /// of its tokens as the first vector. Returns whether tokens cover the word.
    pub fn add_word(&mut self, length: usize) -> bool {
        let sum = &mut self.vectors[..self.table.dimensions()];
        sum.fill(0.0);
        self.table.add_word(self.scratch.text(0, length), sum)
    }
}
