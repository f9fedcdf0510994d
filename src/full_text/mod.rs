//! A resident full-text index: texts of a title, a summary and a body, found by the words in them,
//! ranked by BM25.
//!
//! Words and scores are those of SQLite's FTS5 with its defaults: the `unicode61` tokenizer, words
//! found by their beginnings, `bm25()` without weights (its sign turned, so that more is better).
//! Two things are not. Text of scripts that leave no space between words, which FTS5 takes for one
//! word, is held as overlapping pairs, as [`crate::search::terms()`] cuts questions. And words that
//! say nothing (stop words, or words in at least half of all texts) count
//! only where no other word of the question is found; FTS5 gives the latter a millionth of a point.
//!
//! Each text is kept as the sequence of its words' codes. That tells what to take away when it
//! goes, where words follow each other, and all that the rest of the index is made from: snapshots
//! hold nothing else, and what was removed is swept out by making it anew.

mod characters;
mod numbers;
mod postings;
mod query;
mod snapshot;
mod tokens;
mod vocabulary;

use rustc_hash::FxHashSet;

use crate::columns::{MOST_ADDRESSED, Names, Row};
use crate::error::{Error, Result};
use crate::order::Selection;
use postings::{Postings, Slot};
use tokens::each_token;
use vocabulary::Vocabulary;

pub use query::{MOST_TERMS, TERMS_READ, TextHit};
pub use snapshot::{TextRestoring, TextSnapshot};

/// The texts of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEntry<'a> {
    /// The row of the one that it replaces, in whose place of the order it stands; none for a new
    /// one.
    pub row: Option<Row>,
    /// Title, summary and body, each read by itself: no words follow each other from one into the
    /// next.
    pub columns: [&'a str; COLUMNS],
}

/// Columns of an entry.
pub const COLUMNS: usize = 3;

/// What stands between the columns of a sequence; the codes of words are one higher there.
const BREAK: u32 = 0;
/// The length of a text that was removed.
const GONE: u32 = u32::MAX;
/// The slot of a row that was removed.
const NOWHERE: Slot = Slot::MAX;
/// Removed texts are swept out when there are so many more than half as many as there are texts.
const SWEEP_AT_LEAST: usize = 256;
/// The share of `max_bytes` that is not counted on: blocks that were given back and fit nothing.
const PIECES_SHARE: usize = 16;
/// The share that texts leave free, so that what is full can still be searched; that one is in it.
const SPARE_SHARE: usize = 8;
/// What a block of memory costs beside its content.
const BLOCK: usize = 2 * size_of::<usize>();
/// Bytes that a text takes beside its sequence: length, row, place, count, place in a tally, score,
/// and where the sequence is.
const BYTES_A_SLOT: usize =
    5 * size_of::<u32>() + size_of::<f64>() + size_of::<Box<[u8]>>() + BLOCK;

/// The full-text index of one agent.
#[derive(Debug)]
pub struct TextIndex {
    max_bytes: usize,
    /// Bytes that stand elsewhere and count against `max_bytes`: the caller's scratch.
    elsewhere: usize,
    vocabulary: Vocabulary,
    /// By code of a word.
    postings: Vec<Postings>,
    posting_bytes: usize,
    /// By slot: how many words a text has, its row, and its words.
    lengths: Vec<u32>,
    rows: Vec<Row>,
    sequences: Vec<Box<[u8]>>,
    sequence_bytes: usize,
    /// By row.
    slots: Vec<Slot>,
    documents: usize,
    words: u64,
    /// Counts changes, so that what is being written notices them.
    changes: u64,
    tally: query::Tally,
    selection: Selection,
}

/// A text that was read.
struct ParsedText {
    sequence: Box<[u8]>,
    length: u32,
}

impl TextIndex {
    /// An empty index that takes so many bytes at most.
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

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// How many rows there are, with a text or without; every row is below this.
    pub fn row_count(&self) -> usize {
        self.slots.len()
    }

    /// How many words there are in all texts together, each as often as it stands there.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Bytes that the index takes, removed texts included until they are swept out.
    pub fn bytes(&self) -> usize {
        self.vocabulary.capacity_bytes()
            + self.postings.len() * (size_of::<Postings>() + BLOCK)
            + self.posting_bytes
            + self.sequence_bytes
            + self.lengths.len() * BYTES_A_SLOT
    }

    /// Says how many bytes stand elsewhere and count against the bound.
    pub fn set_elsewhere(&mut self, bytes: usize) {
        self.elsewhere = bytes;
    }

    /// Whether a call that keeps so many bytes more stays within the bound, and leaves what
    /// searches need for a while.
    ///
    /// # Errors
    /// `out_of_memory` when it does not.
    pub fn afford(&self, field: &str, need: usize) -> Result<()> {
        self.compare(field, need, self.max_bytes - self.max_bytes / SPARE_SHARE)
    }

    /// Whether a call that needs so many bytes for a while stays within the bound. What is full can
    /// still be searched.
    ///
    /// # Errors
    /// `out_of_memory` when it does not.
    pub fn afford_for_now(&self, field: &str, need: usize) -> Result<()> {
        self.compare(field, need, self.max_bytes - self.max_bytes / PIECES_SHARE)
    }

    /// Whether a snapshot can take so many bytes for a while; it does not count against the bound.
    ///
    /// # Errors
    /// `out_of_memory` when a 32-bit module cannot address as much.
    pub fn afford_snapshot(&self, need: usize) -> Result<()> {
        self.compare("snapshot", need, self.max_bytes.max(MOST_ADDRESSED))
    }

    #[inline(never)]
    fn compare(&self, field: &str, need: usize, most: usize) -> Result<()> {
        let left = most.saturating_sub(self.bytes() + self.elsewhere);
        if need <= left {
            return Ok(());
        }
        let problem =
            format!("could need {} MiB more, and {} are left", need.div_ceil(1 << 20), left >> 20);
        Err(Error::memory(field, problem))
    }

    /// Adds texts, and replaces those whose row is told, which has to hold one; the answer is the
    /// row of each. Rows rise, and are never taken again before [`TextIndex::sweep`].
    ///
    /// # Errors
    /// `out_of_memory`. Nothing is changed then.
    pub fn upsert(&mut self, entries: &[TextEntry<'_>]) -> Result<Vec<Row>> {
        let mut fresh = Names::default();
        let mut all = Vec::with_capacity(entries.len());
        // Lists that grow make room for a quarter more.
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

    /// What a text adds at most, its new words aside.
    fn cost(read: &ParsedText) -> usize {
        // Columns of what there is by slot may have to move, and are there twice meanwhile.
        2 * BYTES_A_SLOT
            + read.sequence.len()
            + read.length as usize * (postings::MOST_BYTES + postings::SPARE)
    }

    /// The sequence of a text; words that the index does not know get the codes that follow its
    /// own.
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

    /// Adds a text whose words all have their codes.
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

    /// Has postings for every word.
    fn reach_words(&mut self) {
        self.postings.resize_with(self.vocabulary.names.count(), Postings::default);
    }

    /// Removes texts. Rows without one are passed over; the answer is how many were.
    pub fn remove(&mut self, rows: &[Row]) -> usize {
        self.changes += 1;
        let before = self.documents;
        for &row in rows {
            if self.has(row) {
                self.take(row);
                self.slots[row as usize] = NOWHERE;
            }
        }
        before - self.documents
    }

    /// Whether a row has a text.
    pub fn has(&self, row: Row) -> bool {
        self.slots.get(row as usize).is_some_and(|&slot| slot != NOWHERE)
    }

    /// Takes a row's text away, of which there remains what its words hold of it.
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
        self.lengths[slot] = GONE;
        self.documents -= 1;
    }

    /// Makes the index anew without what was removed, where that is much; whether it did. Rows are
    /// then given anew, from 0 on, in the order in which they were.
    pub fn sweep(&mut self) -> bool {
        let gone = self.lengths.len() - self.documents;
        let is_much =
            gone >= SWEEP_AT_LEAST + self.documents / 2 || (self.documents == 0 && gone > 0);
        if is_much {
            self.make_anew();
        }
        is_much
    }

    fn make_anew(&mut self) {
        let mut anew = Self::new(self.max_bytes);
        (anew.elsewhere, anew.changes) = (self.elsewhere, self.changes + 1);
        self.postings = Vec::new();
        let old = std::mem::take(&mut self.vocabulary).names;
        let mut codes: Vec<Option<u32>> = vec![None; old.count()];
        for &slot in self.slots.iter().filter(|&&slot| slot != NOWHERE) {
            let mut sequence = Vec::new();
            for_each_number(&self.sequences[slot as usize], |number| {
                let number = number.checked_sub(1).map_or(BREAK, |code| {
                    let give = || anew.vocabulary.names.code_or_new(old.text(code));
                    *codes[code as usize].get_or_insert_with(give) + 1
                });
                numbers::put(&mut sequence, number);
            });
            self.sequences[slot as usize] = Box::default();
            anew.put(
                None,
                ParsedText { sequence: sequence.into(), length: self.lengths[slot as usize] },
            );
        }
        *self = anew;
    }
}

/// What a new word takes beside its name.
const BYTES_A_WORD: usize = 2 * size_of::<Postings>() + BLOCK + 2 * size_of::<u32>();

/// The numbers of a sequence.
fn for_each_number(mut sequence: &[u8], mut with: impl FnMut(u32)) {
    while let Some(number) = numbers::take(&mut sequence) {
        with(number);
    }
}

/// The words of a sequence by their codes, each as often as it stands there.
fn for_each_word(sequence: &[u8], mut with: impl FnMut(u32)) {
    for_each_number(sequence, |number| {
        if let Some(code) = number.checked_sub(1) {
            with(code);
        }
    });
}
