//! The texts of an index as bytes: what a snapshot of a memory index holds of them.
//!
//! # Idea
//!
//! Reading texts takes most of the time in which an index is built: every word is looked up, and
//! the vectors of the words of each passage are added. A snapshot holds the outcome, so that a
//! restored index answers questions without its texts.
//!
//! Texts come first, in the order of their passages, each with the vectors of its passages. Then
//! come words, each with its vector and its postings. A passage is numbered by its place among
//! those written. Runs and counts follow from the rest, and are not written.
//!
//! # Invariants
//!
//! - Removed texts leave nothing: neither their passages, nor words that no other text holds.
//! - A restored index answers as one to which the same texts were given anew, to the bit.
//! - What is read is checked, so that no sequence of bytes makes a later call fail.
//!
//! # Soundness
//!
//! Passages and words keep their order, as when removed passages are folded away. Scores depend on
//! no other property of their numbers.
//!
//! # Cost
//!
//! With vectors of 128 components some 400 bytes for each memory of forty words, and 150 for each
//! word of the vocabulary. An index of 100,000 such memories is read in a quarter of the time in
//! which it is built of their texts, vectors of memories included.

use super::flags::Flags;
use super::likeness::Marks;
use super::texts::{Entry, MAX_TOLD, Moment, Size, Texts};
use super::words::{BYTES_A_WORD, WordOptions};
use crate::check::{DAY_MS, is_instant};
use crate::columns::Row;
use crate::error::{Error, Result};
use crate::parts::{PartReader, put, u16_at};
use crate::postings::Postings;

/// The version of the reading of texts. Raise it when a text gets other words, passages, vectors or
/// traits than before: texts of another version are read anew.
pub const TEXT_VERSION: u32 = 3;
/// The bytes of a text without its times and its passages, and those of a time and of a passage
/// without its codes.
const TEXT_BYTES: usize = 6 * size_of::<u32>() + 2 + 2 * size_of::<f64>();
const TOLD_BYTES: usize = 2 * size_of::<f64>();
const PASSAGE_BYTES: usize = size_of::<u16>() + size_of::<f32>();
/// The number of a passage that is not written.
const NOT_WRITTEN: u32 = u32::MAX;

/// How many texts, passages and words a snapshot holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextCounts {
    /// Texts.
    pub texts: u32,
    /// Passages of all texts.
    pub passages: u32,
    /// Words that a text holds.
    pub words: u32,
}

/// The order in which the texts of an index are written.
#[derive(Debug, Default)]
pub struct TextSnapshot {
    /// The rows with a text, in the order of their passages.
    rows: Vec<Row>,
    /// By passage its number in the snapshot, or [`NOT_WRITTEN`].
    numbers: Vec<u32>,
    /// The codes of the words that a text holds.
    words: Vec<u32>,
    passages: u32,
}

impl TextSnapshot {
    /// Returns the order of texts. It has none if the source of their vectors has no name.
    pub fn new(texts: &Texts) -> Self {
        let WordOptions { dimensions, source, .. } = texts.options();
        let has_source = *dimensions == 0 || !source.is_empty();
        if !has_source || texts.is_empty() {
            return Self::default();
        }
        let mut rows = Vec::with_capacity(texts.len());
        let mut numbers = Vec::with_capacity(texts.rows.len());
        let mut passages = 0;
        for passage in 0..texts.rows.len() as u32 {
            let Some(row) = texts.row_of(passage) else {
                numbers.push(NOT_WRITTEN);
                continue;
            };
            if texts.entry(row).is_some_and(|entry| entry.first == passage) {
                rows.push(row);
            }
            numbers.push(passages);
            passages += 1;
        }
        let mut words = Vec::with_capacity(texts.words.count());
        for (code, postings) in (0..).zip(&texts.words.postings) {
            let mut is_held = false;
            postings.for_each(|passage, _| is_held |= numbers[passage as usize] != NOT_WRITTEN);
            if is_held {
                words.push(code);
            }
        }
        Self { rows, numbers, words, passages }
    }

    /// Returns the bytes that the order of texts takes.
    pub fn need(texts: &Texts) -> usize {
        (texts.len() + texts.rows.len() + texts.words.count()) * size_of::<u32>()
    }

    /// Returns the bytes that this order takes.
    pub fn bytes(&self) -> usize {
        [&self.rows, &self.numbers, &self.words]
            .into_iter()
            .map(|list| list.capacity() * size_of::<u32>())
            .sum()
    }

    /// Returns the number of texts, passages and words.
    pub fn counts(&self) -> TextCounts {
        TextCounts {
            texts: self.rows.len() as u32,
            passages: self.passages,
            words: self.words.len() as u32,
        }
    }

    /// Returns the end of a part of texts that begins at a place, and the most bytes of the part.
    /// The part ends with the text that brings it to `enough` bytes.
    pub fn end_of_texts(&self, texts: &Texts, at: usize, enough: usize) -> (usize, usize) {
        let bytes_of = |&row: &Row| {
            let entry = texts.entry(row);
            let (passages, told) =
                entry.map_or((0, 0), |entry| (entry.passages as usize, entry.told.len()));
            TEXT_BYTES + told * TOLD_BYTES + passages * (PASSAGE_BYTES + texts.vectors.code_bytes())
        };
        end_of_part(&self.rows[at..], enough, bytes_of, at)
    }

    /// Writes the texts from one place to another. `places` has the number of each row.
    pub fn put_texts(
        &self,
        texts: &Texts,
        (from, to): (usize, usize),
        places: &[u32],
        out: &mut Vec<u8>,
    ) {
        out.extend(((to - from) as u64).to_le_bytes());
        for &row in &self.rows[from..to] {
            let (Some(entry), size) = (texts.entry(row), texts.sizes[row as usize]) else {
                continue;
            };
            let marks = &texts.marks[row as usize];
            let whole = [places[row as usize], entry.passages, size.words, marks.len() as u32];
            put(out, whole.iter().chain(marks).map(|number| number.to_le_bytes()));
            let parts = [size.length, entry.flags.capitals];
            put(out, parts.into_iter().map(f32::to_le_bytes));
            out.extend([entry.flags.bits(), entry.told.len() as u8]);
            let own = [entry.event.unwrap_or(f64::NAN), entry.utc_offset];
            let instants = entry.told.iter().flat_map(|&(start, end)| [start, end]);
            put(out, own.into_iter().chain(instants).map(f64::to_le_bytes));
            for passage in entry.first..entry.first + entry.passages {
                let passage = passage as usize;
                out.extend(texts.lengths[passage].to_le_bytes());
                put_vector(out, texts.vectors.stored(passage));
            }
        }
    }

    /// Returns the end of a part of words that begins at a place, and the most bytes of the part.
    /// The part ends with the word that brings it to `enough` bytes.
    pub fn end_of_words(&self, texts: &Texts, at: usize, enough: usize) -> (usize, usize) {
        let words = &texts.words;
        let bytes_of = |&code: &u32| {
            3 * size_of::<u32>()
                + words.names.text(code).len()
                + words.vectors.code_bytes()
                + words.postings[code as usize].max_bytes()
        };
        end_of_part(&self.words[at..], enough, bytes_of, at)
    }

    /// Writes the words from one place to another.
    pub fn put_words(&self, texts: &Texts, (from, to): (usize, usize), out: &mut Vec<u8>) {
        let words = &texts.words;
        out.extend(((to - from) as u64).to_le_bytes());
        for &code in &self.words[from..to] {
            let word = words.names.text(code).as_bytes();
            out.extend((word.len() as u32).to_le_bytes());
            out.extend_from_slice(word);
            put_vector(out, words.vectors.stored(code as usize));
            let count_at = out.len();
            out.extend([0; size_of::<u32>()]);
            let postings = &words.postings[code as usize];
            let count = postings.put_all(out, |passage| {
                let number = self.numbers[passage as usize];
                (number != NOT_WRITTEN).then_some(number)
            });
            out[count_at..count_at + size_of::<u32>()].copy_from_slice(&count.to_le_bytes());
        }
    }
}

/// Returns the end of a part among all entries, of which these follow `at`, and its bytes.
fn end_of_part<T>(
    entries: &[T],
    enough: usize,
    bytes_of: impl Fn(&T) -> usize,
    at: usize,
) -> (usize, usize) {
    let (mut end, mut bytes) = (at, size_of::<u64>());
    for entry in entries {
        if bytes >= enough {
            break;
        }
        bytes += bytes_of(entry);
        end += 1;
    }
    (end, bytes)
}

/// Texts that are being read from a snapshot.
pub struct RestoringTexts {
    texts: Texts,
    counts: TextCounts,
}

impl RestoringTexts {
    /// Begins with an index without texts.
    pub fn new(texts: Texts, counts: TextCounts) -> Self {
        Self { texts, counts }
    }

    /// Returns the bytes that the texts take so far.
    pub fn bytes(&self) -> usize {
        self.texts.bytes()
    }

    /// Returns the most bytes that a part of texts or words adds.
    pub fn need(&self, content: &[u8]) -> usize {
        let max_texts = content.len() / TEXT_BYTES;
        let a_text = size_of::<Option<Entry>>() + size_of::<Size>() + size_of::<Marks>();
        let max_words =
            content.len() / (3 * size_of::<u32>() + self.texts.words.vectors.code_bytes());
        // Lists that grow exist twice meanwhile.
        self.texts.vectors.capacity_bytes()
            + self.texts.words.vectors.capacity_bytes()
            + 4 * content.len()
            + (2 * max_texts * a_text).max(2 * max_words * BYTES_A_WORD)
    }

    /// Reads a part of texts. `moment` returns the place in time of the memory of a row, `None` if
    /// there is no memory.
    ///
    /// # Errors
    /// `invalid_snapshot` if no index can have these texts.
    pub fn read_texts(
        &mut self,
        content: &[u8],
        moment: &dyn Fn(Row) -> Option<Moment>,
    ) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "texts" };
        for _ in 0..reader.count(TEXT_BYTES)? {
            let (row, passages, words) = (reader.u32()?, reader.u32()?, reader.u32()?);
            let marks = read_marks(&mut reader)?;
            let (length, capitals) = (read_f32(&mut reader)?, read_f32(&mut reader)?);
            let flags = Flags::restore(reader.take(1)?[0], capitals);
            let (count, event) = (usize::from(reader.take(1)?[0]), read_f64(&mut reader)?);
            let event = (!event.is_nan()).then_some(event);
            let utc_offset = read_f64(&mut reader)?;
            let told = read_told(&mut reader, count)?;
            let sound = passages > 0
                && words >= passages
                && !self.texts.has(row)
                && length >= 0.0
                && length.is_finite()
                && event.is_none_or(is_instant)
                && utc_offset.abs() <= DAY_MS
                && (0.0..=1.0).contains(&capitals);
            let moment = moment(row).filter(|_| sound).ok_or_else(invalid_text)?;
            let first = self.texts.rows.len() as u32;
            for _ in 0..passages {
                let length = u16_at(reader.take(2)?, 0);
                let (step, codes) = read_vector(&mut reader, self.texts.vectors.code_bytes())?;
                if length == 0 || self.texts.rows.len() >= self.counts.passages as usize {
                    return Err(invalid_text());
                }
                self.texts.vectors.restore(step, codes);
                self.texts.lengths.push(length);
                self.texts.rows.push(row);
            }
            let entry = Entry { first, passages, flags, moment, event, utc_offset, told };
            self.texts.enter(row, entry, Size { words, length }, marks);
        }
        reader.end()
    }

    /// Reads a part of words, after all texts.
    ///
    /// # Errors
    /// `invalid_snapshot` if no index can have these words.
    pub fn read_words(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "words" };
        let words = &mut self.texts.words;
        let code_bytes = words.vectors.code_bytes();
        let passages = self.texts.rows.len() as u32;
        for _ in 0..reader.count(3 * size_of::<u32>() + code_bytes)? {
            let word = reader.text()?;
            let (step, codes) = read_vector(&mut reader, code_bytes)?;
            let count = reader.u32()?;
            let postings = Postings::take_all(&mut reader.bytes, count, passages);
            let postings = postings.filter(|_| count > 0).ok_or_else(invalid_word)?;
            if !words.restore(&word, (step, codes), postings) {
                return Err(invalid_word());
            }
        }
        reader.end()
    }

    /// Returns the texts after the last part.
    ///
    /// # Errors
    /// `invalid_snapshot` if texts, passages or words are missing.
    pub fn finish(self) -> Result<Texts> {
        let counts = TextCounts {
            texts: self.texts.len() as u32,
            passages: self.texts.rows.len() as u32,
            words: self.texts.words.count() as u32,
        };
        if counts != self.counts {
            return Err(Error::snapshot("is cut off: some of its texts or words are missing"));
        }
        Ok(self.texts)
    }
}

fn invalid_text() -> Error {
    Error::snapshot("holds an invalid text")
}

fn invalid_word() -> Error {
    Error::snapshot("holds an invalid word")
}

/// Writes the step and the codes of a vector.
#[inline(never)]
fn put_vector(out: &mut Vec<u8>, (step, codes): (f32, &[i8])) {
    out.extend(step.to_le_bytes());
    out.extend(codes.iter().map(|code| code.cast_unsigned()));
}

fn read_f32(reader: &mut PartReader<'_>) -> Result<f32> {
    reader.u32().map(f32::from_bits)
}

fn read_f64(reader: &mut PartReader<'_>) -> Result<f64> {
    reader.u64().map(f64::from_bits)
}

/// Reads the marks of a memory.
fn read_marks(reader: &mut PartReader<'_>) -> Result<Marks> {
    let count = reader.u32()? as usize;
    let bytes = reader.take(count.saturating_mul(size_of::<u32>()))?;
    let marks: Marks = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    if marks.is_sorted_by(|one, other| one < other) { Ok(marks) } else { Err(invalid_text()) }
}

/// Reads the times that a text tells of.
fn read_told(reader: &mut PartReader<'_>, count: usize) -> Result<Box<[(f64, f64)]>> {
    let mut told = Vec::with_capacity(count);
    for _ in 0..count {
        told.push((read_f64(reader)?, read_f64(reader)?));
    }
    let sound = count <= MAX_TOLD
        && told.iter().all(|&(start, end)| start.is_finite() && end.is_finite() && start <= end);
    if sound { Ok(told.into()) } else { Err(invalid_text()) }
}

/// Reads the step and the codes of a vector.
#[inline(never)]
fn read_vector<'a>(reader: &mut PartReader<'a>, codes: usize) -> Result<(f32, &'a [u8])> {
    let step = read_f32(reader)?;
    if step.is_finite() && step >= 0.0 {
        Ok((step, reader.take(codes)?))
    } else {
        Err(Error::snapshot("holds an invalid vector"))
    }
}
