//! Snapshots of a full-text index: its words and the sequences of its texts.
//!
//! The first part holds version and counts. Then come the words in the order of their codes, the
//! texts in their order, and an end. A reader gives texts rows from 0 on and rebuilds the postings.
//! Removed texts are left out, and so are words that no text holds any more. The other words have
//! codes of their own in the snapshot.

use super::{BREAK, COLUMNS, NO_SLOT, ParsedText, TextIndex, for_each_number, numbers};
use crate::columns::Row;
use crate::error::{Error, Result};
use crate::parts::{self, FIRST_OWN, PartReader};

/// The version of the format.
const VERSION: u32 = 1;
/// The approximate size of a part in bytes.
const BYTES_A_PART: usize = 1 << 22;

/// The kinds of parts, distinct from those of a memory index.
const START: u32 = 8;
const WORDS: u32 = 9;
const TEXTS: u32 = 10;
const END: u32 = 11;

/// A snapshot that is being written.
#[derive(Debug)]
pub struct TextSnapshot {
    rows: Vec<Row>,
    /// The words that some text holds, by their codes in the index.
    words: Vec<u32>,
    /// For each code of a word in the index, its place in `words`.
    places: Vec<u32>,
    next: Next,
    parts: u64,
    /// The index's count of changes when the snapshot began.
    changes: u64,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    Start,
    Words(usize),
    Texts(usize),
    End,
    Nothing,
}

impl TextSnapshot {
    /// Returns the rows in the order in which their texts are written.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns a part of a kind that the caller defines.
    pub fn own_part(&mut self, own: u32, content: &[u8]) -> Vec<u8> {
        self.part(FIRST_OWN + own, content)
    }

    fn part(&mut self, kind: u32, content: &[u8]) -> Vec<u8> {
        let bytes = parts::part(kind, self.parts, content);
        self.parts += 1;
        bytes
    }
}

/// Writes a count and then entries, each after its length, until all are written or the part is
/// full. Returns the place of the first entry that is not written.
fn fill(out: &mut Vec<u8>, from: usize, all: usize, put: impl Fn(usize, &mut Vec<u8>)) -> usize {
    const LENGTH: usize = size_of::<u32>();
    out.extend([0; 8]);
    let mut at = from;
    while at < all && out.len() < BYTES_A_PART {
        let start = out.len();
        out.extend([0; LENGTH]);
        put(at, out);
        let length = (out.len() - start - LENGTH) as u32;
        out[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
        at += 1;
    }
    out[..8].copy_from_slice(&((at - from) as u64).to_le_bytes());
    at
}

impl TextIndex {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// `out_of_memory` if 4 GiB have no room for the bytes that it needs: 4 for each text, 8 for
    /// each word, and two parts. They do not count against the bound.
    pub fn snapshot(&self) -> Result<TextSnapshot> {
        let need = (self.slots.len() + 2 * self.postings.len()) * size_of::<u32>();
        self.afford_snapshot(need + 4 * BYTES_A_PART)?;
        let rows = (0..self.slots.len() as Row)
            .filter(|&row| self.slots[row as usize] != NO_SLOT)
            .collect();
        let mut words = Vec::with_capacity(self.postings.len());
        let mut places = Vec::with_capacity(self.postings.len());
        for (code, postings) in (0..).zip(&self.postings) {
            places.push(words.len() as u32);
            if postings.documents > 0 {
                words.push(code);
            }
        }
        Ok(TextSnapshot { rows, words, places, next: Next::Start, parts: 0, changes: self.changes })
    }

    /// Returns the next part of a snapshot, or `None` after the last.
    ///
    /// # Errors
    /// `invalid_snapshot` if the index has changed since the snapshot began.
    pub fn next_part(&self, snapshot: &mut TextSnapshot) -> Result<Option<Vec<u8>>> {
        if snapshot.changes != self.changes {
            return Err(Error::snapshot(
                "cannot be finished: the index changed while it was being written",
            ));
        }
        let (words, texts) = (snapshot.words.len(), snapshot.rows.len());
        let mut content = Vec::new();
        let kind = match snapshot.next {
            Next::Start => {
                content.extend(VERSION.to_le_bytes());
                content.extend((words as u32).to_le_bytes());
                content.extend((texts as u32).to_le_bytes());
                snapshot.next = Next::Words(0);
                START
            }
            Next::Words(at) if at < words => {
                let word = |at: usize, out: &mut Vec<u8>| {
                    out.extend(self.vocabulary.names.text(snapshot.words[at]).as_bytes());
                };
                let end = fill(&mut content, at, words, word);
                snapshot.next = Next::Words(end);
                WORDS
            }
            Next::Words(_) | Next::Texts(_) => {
                let at = if let Next::Texts(at) = snapshot.next { at } else { 0 };
                let sequence = |at: usize, out: &mut Vec<u8>| {
                    let slot = self.slots[snapshot.rows[at] as usize] as usize;
                    for_each_number(&self.sequences[slot], |number| {
                        let place = |code: u32| snapshot.places[code as usize] + 1;
                        numbers::put(out, number.checked_sub(1).map_or(BREAK, place));
                    });
                };
                let end = fill(&mut content, at, texts, sequence);
                snapshot.next = if end < texts { Next::Texts(end) } else { Next::End };
                TEXTS
            }
            Next::End => {
                content.extend(snapshot.parts.to_le_bytes());
                snapshot.next = Next::Nothing;
                END
            }
            Next::Nothing => return Ok(None),
        };
        Ok(Some(snapshot.part(kind, &content)))
    }
}

/// Restores an index from a snapshot, part by part.
#[derive(Debug)]
pub struct TextRestoring {
    index: TextIndex,
    words: usize,
    texts: usize,
    parts: u64,
    ended: bool,
}

impl TextRestoring {
    /// Returns the length of the part that begins with this header.
    ///
    /// # Errors
    /// `invalid_snapshot` if it is not a header.
    pub fn part_length(header: &[u8]) -> Result<usize> {
        parts::part_length(header)
    }

    /// Begins with the first part, for an index of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// `invalid_snapshot` if the part is damaged, is not the first part of a full-text index, or
    /// has another version.
    pub fn begin(part: &[u8], max_bytes: usize, elsewhere: usize) -> Result<Self> {
        let (START, content) = parts::open(part, 0)? else {
            return Err(Error::snapshot(
                "is not of a full-text index, or does not begin with its first part",
            ));
        };
        let mut reader = PartReader { bytes: content, field: "counts" };
        let version = reader.u32()?;
        if version != VERSION {
            return Err(Error::snapshot(format!(
                "is of version {version}, and this package reads {VERSION}"
            )));
        }
        let (words, texts) = (reader.u32()? as usize, reader.u32()? as usize);
        reader.end()?;
        let mut index = TextIndex::new(max_bytes);
        index.set_elsewhere(elsewhere);
        Ok(Self { index, words, texts, parts: 1, ended: false })
    }

    /// Sets the bytes of the caller's scratch, which count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.index.set_elsewhere(bytes);
    }

    /// Returns the number of texts read.
    pub fn texts(&self) -> usize {
        self.index.len()
    }

    /// Reads the next part. Returns kind and content of a part that the caller defined, and `None`
    /// for other parts.
    ///
    /// # Errors
    /// `invalid_snapshot` if the part is damaged or no index can have its content; `out_of_memory`.
    pub fn read<'a>(&mut self, part: &'a [u8]) -> Result<Option<(u32, &'a [u8])>> {
        let (kind, content) = parts::open(part, self.parts)?;
        if self.ended {
            return Err(Error::snapshot("has parts after its end"));
        }
        self.parts += 1;
        match kind {
            WORDS => self.read_words(content)?,
            TEXTS => self.read_texts(content)?,
            END => self.read_end(content)?,
            own if own >= FIRST_OWN => return Ok(Some((own - FIRST_OWN, content))),
            _ => return Err(parts::unknown_kind()),
        }
        Ok(None)
    }

    /// Returns the index after the last part.
    ///
    /// # Errors
    /// `invalid_snapshot` if parts are missing.
    pub fn finish(self) -> Result<TextIndex> {
        if self.ended {
            Ok(self.index)
        } else {
            Err(Error::snapshot("is cut off: its end is missing"))
        }
    }

    fn read_words(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "words" };
        let count = reader.count(size_of::<u32>())?;
        let names = self.index.vocabulary.names.need(count, content.len());
        self.index.afford("snapshot", names + count * super::BYTES_A_WORD)?;
        let names = &mut self.index.vocabulary.names;
        for _ in 0..count {
            let word = reader.text()?;
            if word.is_empty() || names.code(&word).is_some() {
                return Err(Error::snapshot("holds an invalid word"));
            }
            names.code_or_new(&word);
        }
        // A snapshot may hold words without texts.
        self.index.reach_words();
        reader.end()
    }

    fn read_texts(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "texts" };
        let count = reader.count(size_of::<u32>())?;
        for _ in 0..count {
            let length = reader.u32()? as usize;
            let read = self.sound(reader.take(length)?)?;
            self.index.afford("snapshot", TextIndex::cost(&read))?;
            self.index.put(None, read);
        }
        reader.end()
    }

    /// Checks a sequence: it has all columns, and only known words.
    fn sound(&self, sequence: &[u8]) -> Result<ParsedText> {
        let words = self.index.vocabulary.names.count();
        let (mut length, mut breaks, mut known) = (0, 0, true);
        let mut again = Vec::with_capacity(sequence.len());
        for_each_number(sequence, |number| {
            known &= number as usize <= words;
            if number == BREAK {
                breaks += 1
            } else {
                length += 1
            }
            numbers::put(&mut again, number);
        });
        if known && breaks + 1 == COLUMNS && again == sequence {
            Ok(ParsedText { sequence: again.into(), length })
        } else {
            Err(Error::snapshot("holds an invalid text"))
        }
    }

    fn read_end(&mut self, content: &[u8]) -> Result<()> {
        let mut reader = PartReader { bytes: content, field: "end" };
        let parts = reader.u64()?;
        reader.end()?;
        let counts = (self.index.vocabulary.names.count(), self.index.len());
        if parts.checked_add(1) != Some(self.parts) || counts != (self.words, self.texts) {
            return Err(Error::snapshot("is cut off: some of its parts are missing"));
        }
        self.ended = true;
        Ok(())
    }
}
