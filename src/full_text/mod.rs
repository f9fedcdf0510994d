//! A resident full-text index over titles, summaries and bodies, ranked by BM25.
//!
//! Words and scores are those of SQLite's FTS5 with its defaults: the `unicode61` tokenizer, prefix
//! queries, and `bm25()` without column weights, with the sign turned so that more is better. There
//! are two differences. First, text of scripts without spaces between words, which FTS5 takes for
//! one word, is indexed as overlapping pairs, as [`crate::search::terms()`] splits questions.
//! Second, stop words and words in at least half of all texts count only if no other word of the
//! question is found. FTS5 gives such frequent words a score of a millionth.
//!
//! Each text is stored as the sequence of its words' codes. The sequences serve to remove a text,
//! to find phrases, and to rebuild the rest of the index. So snapshots hold nothing else, and
//! removed texts are swept out by a rebuild.

mod query;
mod snapshot;
mod vocabulary;

use rustc_hash::FxHashSet;

use crate::columns::{MAX_ADDRESSED, Names, Row};
use crate::error::{Error, Result};
use crate::order::Selection;
use crate::postings::{self, Postings, Slot, numbers};
use crate::text::tokens::each_token;
use vocabulary::Vocabulary;

pub use query::{MAX_TERMS, TERMS_READ, TextHit};
pub use snapshot::{TextRestoring, TextSnapshot};

/// The texts of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEntry<'a> {
    /// The row whose text this one replaces; it keeps its place in the order. `None` for a new
    /// text.
    pub row: Option<Row>,
    /// Title, summary and body. A phrase never spans two of them.
    pub columns: [&'a str; COLUMNS],
}

/// The number of columns of an entry.
pub const COLUMNS: usize = 3;

/// The separator of columns in a sequence. Codes of words are one higher there.
const BREAK: u32 = 0;
/// The length of a removed text.
const REMOVED: u32 = u32::MAX;
/// The slot of a row whose text was removed.
const NO_SLOT: Slot = Slot::MAX;
/// Removed texts are swept out if they exceed half of the texts by this number.
const SWEEP_AT_LEAST: usize = 256;
/// The share of `max_bytes` that is left for fragmentation: freed blocks that fit nothing else.
const PIECES_SHARE: usize = 16;
/// The share that texts leave free, so that a full index can still be searched. It includes the
/// share for fragmentation.
const SPARE_SHARE: usize = 8;
/// The overhead of an allocated block.
const BLOCK: usize = 2 * size_of::<usize>();
/// The bytes of a text besides its sequence: length, row, place, count, place in a tally, score,
/// and the pointer to the sequence.
const BYTES_A_SLOT: usize =
    5 * size_of::<u32>() + size_of::<f64>() + size_of::<Box<[u8]>>() + BLOCK;

/// The full-text index of one agent.
#[derive(Debug)]
pub struct TextIndex {
    max_bytes: usize,
    /// Bytes of the caller's scratch, which count against `max_bytes`.
    elsewhere: usize,
    vocabulary: Vocabulary,
    /// By the code of a word.
    postings: Vec<Postings>,
    posting_bytes: usize,
    /// By slot: the number of words of a text, its row, and its sequence.
    lengths: Vec<u32>,
    rows: Vec<Row>,
    sequences: Vec<Box<[u8]>>,
    sequence_bytes: usize,
    /// By row.
    slots: Vec<Slot>,
    documents: usize,
    words: u64,
    /// The number of changes. A snapshot that is being written compares it.
    changes: u64,
    tally: query::Tally,
    selection: Selection,
}

/// A text split into words.
struct ParsedText {
    sequence: Box<[u8]>,
    length: u32,
}

impl TextIndex {
    /// Creates an empty index of at most `max_bytes` bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            elsewhere: 0,
            vocabulary: Vocabulary::default(),
            postings: Vec::new(),
            posting_bytes: 0,
            lengths: Vec::new(),
            rows: Vec::new(),
            sequences: Vec::new(),
            sequence_bytes: 0,
            slots: Vec::new(),
            documents: 0,
            words: 0,
            changes: 0,
            tally: query::Tally::default(),
            selection: Selection::default(),
        }
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Whether the index has no text.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Returns the number of rows, with a text or without. Every row is below it.
    pub fn row_count(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of words in all texts, repetitions included.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Returns the bytes of the index, including removed texts until they are swept out.
    pub fn bytes(&self) -> usize {
        self.vocabulary.capacity_bytes()
            + self.postings.len() * (size_of::<Postings>() + BLOCK)
            + self.posting_bytes
            + self.sequence_bytes
            + self.lengths.len() * BYTES_A_SLOT
    }

    /// Sets the bytes of the caller's scratch, which count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.elsewhere = bytes;
    }

    /// Checks whether a call that keeps `need` more bytes stays within the bound and leaves the
    /// bytes that searches need.
    ///
    /// # Errors
    /// `out_of_memory` if it does not.
    pub fn afford(&self, field: &str, need: usize) -> Result<()> {
        self.compare(field, need, self.max_bytes - self.max_bytes / SPARE_SHARE)
    }

    /// Checks whether a call that needs `need` bytes for its duration stays within the bound. A
    /// full index can still be searched.
    ///
    /// # Errors
    /// `out_of_memory` if it does not.
    pub fn afford_for_now(&self, field: &str, need: usize) -> Result<()> {
        self.compare(field, need, self.max_bytes - self.max_bytes / PIECES_SHARE)
    }

    /// Checks whether a snapshot can take `need` bytes for its duration. They do not count against
    /// the bound.
    ///
    /// # Errors
    /// `out_of_memory` if a 32-bit module cannot address them.
    pub fn afford_snapshot(&self, need: usize) -> Result<()> {
        self.compare("snapshot", need, self.max_bytes.max(MAX_ADDRESSED))
    }

    #[inline(never)]
    fn compare(&self, field: &str, need: usize, max: usize) -> Result<()> {
        let left = max.saturating_sub(self.bytes() + self.elsewhere);
        if need <= left {
            return Ok(());
        }
        let problem =
            format!("could need {} MiB more, and {} are left", need.div_ceil(1 << 20), left >> 20);
        Err(Error::memory(field, problem))
    }

    /// Adds texts, and replaces those whose entry names a row, which must have a text. Returns the
    /// row of each. Rows rise, and are not used again before [`TextIndex::sweep`].
    ///
    /// # Errors
    /// `out_of_memory`. Then nothing is changed.
    pub fn upsert(&mut self, entries: &[TextEntry<'_>]) -> Result<Vec<Row>> {
        let mut fresh = Names::default();
        let mut all = Vec::with_capacity(entries.len());
        // Lists that grow reserve a quarter more.
        let mut need = self.posting_bytes / 4;
        for entry in entries {
            let read = self.read(&entry.columns, &mut fresh);
            need += Self::cost(&read);
            let words = self.vocabulary.names.need(fresh.count(), fresh.text_bytes())
                + fresh.count() * BYTES_A_WORD;
            self.afford("documents", need + words + fresh.capacity_bytes())?;
            all.push(read);
        }
        self.changes += 1;
        fresh.iter().for_each(|word| {
            self.vocabulary.names.code_or_new(word);
        });
        drop(fresh);
        let rows = entries.iter().zip(all).map(|(entry, read)| self.put(entry.row, read));
        Ok(rows.collect())
    }

    /// Returns the most bytes that a text adds, without its new words.
    fn cost(read: &ParsedText) -> usize {
        // Columns by slot may move, and exist twice meanwhile.
        2 * BYTES_A_SLOT
            + read.sequence.len()
            + read.length as usize * (postings::MAX_BYTES + postings::SPARE)
    }

    /// Splits a text into the sequence of its words. Words that the index does not know get codes
    /// after its own.
    fn read(&self, columns: &[&str; COLUMNS], fresh: &mut Names) -> ParsedText {
        let (mut sequence, mut token) = (Vec::new(), String::new());
        let mut length = 0;
        let known = &self.vocabulary.names;
        for (column, text) in columns.iter().enumerate() {
            if column > 0 {
                numbers::put(&mut sequence, BREAK);
            }
            each_token(text, &mut token, |word, _| {
                let code = known
                    .code(word)
                    .unwrap_or_else(|| known.count() as u32 + fresh.code_or_new(word));
                numbers::put(&mut sequence, code + 1);
                length += 1;
            });
        }
        ParsedText { sequence: sequence.into(), length }
    }

    /// Adds a text whose words all have codes.
    fn put(&mut self, row: Option<Row>, ParsedText { sequence, length }: ParsedText) -> Row {
        let slot = self.lengths.len() as Slot;
        let row = match row {
            Some(row) => {
                self.take(row);
                self.slots[row as usize] = slot;
                row
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as Row - 1
            }
        };
        self.reach_words();
        let Self { postings, posting_bytes, .. } = self;
        for_each_word(&sequence, |code| *posting_bytes += postings[code as usize].add(slot));
        self.lengths.push(length);
        self.rows.push(row);
        self.sequence_bytes += sequence.len();
        self.sequences.push(sequence);
        self.documents += 1;
        self.words += u64::from(length);
        self.tally.reach(self.lengths.len());
        row
    }

    /// Adds empty postings for new words.
    fn reach_words(&mut self) {
        self.postings.resize_with(self.vocabulary.names.count(), Postings::default);
    }

    /// Removes texts. Skips rows without a text. Returns the number removed.
    pub fn remove(&mut self, rows: &[Row]) -> usize {
        self.changes += 1;
        let before = self.documents;
        for &row in rows {
            if self.has(row) {
                self.take(row);
                self.slots[row as usize] = NO_SLOT;
            }
        }
        before - self.documents
    }

    /// Whether a row has a text.
    pub fn has(&self, row: Row) -> bool {
        self.slots.get(row as usize).is_some_and(|&slot| slot != NO_SLOT)
    }

    /// Removes the text of a row. Its postings stay until the next sweep.
    fn take(&mut self, row: Row) {
        let slot = self.slots[row as usize] as usize;
        let sequence = std::mem::take(&mut self.sequences[slot]);
        let mut seen = FxHashSet::default();
        let postings = &mut self.postings;
        for_each_word(&sequence, |code| {
            if seen.insert(code) {
                postings[code as usize].documents -= 1;
            }
        });
        self.sequence_bytes -= sequence.len();
        self.words -= u64::from(self.lengths[slot]);
        self.lengths[slot] = REMOVED;
        self.documents -= 1;
    }

    /// Rebuilds the index without removed texts if these are many. Returns whether it did. Then
    /// rows are numbered from 0 again, in their order.
    pub fn sweep(&mut self) -> bool {
        let removed = self.lengths.len() - self.documents;
        let is_due =
            removed >= SWEEP_AT_LEAST + self.documents / 2 || (self.documents == 0 && removed > 0);
        if is_due {
            self.rebuild();
        }
        is_due
    }

    fn rebuild(&mut self) {
        let mut rebuilt = Self::new(self.max_bytes);
        (rebuilt.elsewhere, rebuilt.changes) = (self.elsewhere, self.changes + 1);
        self.postings = Vec::new();
        let old = std::mem::take(&mut self.vocabulary).names;
        let mut codes: Vec<Option<u32>> = vec![None; old.count()];
        for &slot in self.slots.iter().filter(|&&slot| slot != NO_SLOT) {
            let mut sequence = Vec::new();
            for_each_number(&self.sequences[slot as usize], |number| {
                let number = number.checked_sub(1).map_or(BREAK, |code| {
                    let give = || rebuilt.vocabulary.names.code_or_new(old.text(code));
                    *codes[code as usize].get_or_insert_with(give) + 1
                });
                numbers::put(&mut sequence, number);
            });
            self.sequences[slot as usize] = Box::default();
            rebuilt.put(
                None,
                ParsedText { sequence: sequence.into(), length: self.lengths[slot as usize] },
            );
        }
        *self = rebuilt;
    }
}

/// The bytes of a new word besides its name.
const BYTES_A_WORD: usize = 2 * size_of::<Postings>() + BLOCK + 2 * size_of::<u32>();

/// Calls `with` for each number of a sequence.
fn for_each_number(mut sequence: &[u8], mut with: impl FnMut(u32)) {
    while let Some(number) = numbers::take(&mut sequence) {
        with(number);
    }
}

/// Calls `with` for the code of each word of a sequence, repetitions included.
fn for_each_word(sequence: &[u8], mut with: impl FnMut(u32)) {
    for_each_number(sequence, |number| {
        if let Some(code) = number.checked_sub(1) {
            with(code);
        }
    });
}
