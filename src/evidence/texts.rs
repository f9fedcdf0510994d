//! The texts of memories: words, passages and runs, by the row of the memory.

use super::flags::Flags;
use super::likeness::{self, Marks, marks_of};
use super::neighbours::Match;
use super::passages::ParsedText;
use super::runs::Runs;
use super::vectors::CodedVectors;
use super::words::{Embed, WordOptions, Words};
use crate::check::DAY_MS;
use crate::columns::{Names, Row};
use crate::error::Result;
use crate::times::find;

/// The text of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text<'a> {
    /// Its title, or an empty text.
    pub title: &'a str,
    /// Its body, or an empty text.
    pub body: &'a str,
    /// The instant of the event that it tells of, in milliseconds since 1970.
    pub event: Option<f64>,
    /// The clock by which its day is told: milliseconds before UTC, such as 3,600,000 in Berlin.
    pub utc_offset: f64,
}

/// The place of a memory in time, by which runs are ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The instant of its creation, in milliseconds since 1970.
    pub created_at: f64,
    /// Its place in every order.
    pub sequence: u64,
    /// The code of its cluster, if it is in one.
    pub cluster: Option<u32>,
}

/// The row of a passage whose memory was removed.
const REMOVED: Row = Row::MAX;
/// Removed passages are folded away if they exceed half of the others by this number.
const FOLD_AT_LEAST: usize = 256;

/// The most times of a text that are kept.
pub(super) const MAX_TOLD: usize = 8;
/// A longer time, such as a year, says too little of when something happened.
const LONGEST_TOLD: f64 = 32.0 * DAY_MS;

/// A memory's part of the index.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its first passage. Its other passages follow.
    pub first: u32,
    pub passages: u32,
    pub flags: Flags,
    pub moment: Moment,
    /// The instant of its event, if it tells of one.
    pub event: Option<f64>,
    /// Added to instants, it gives those of the clock by which its day is told.
    pub utc_offset: f64,
    /// The times that the text names, by its clock, relative to the creation of the memory. Each is
    /// its first instant and the one after its last.
    pub told: Box<[(f64, f64)]>,
}

/// The size of a text. Apart from [`Entry`], because every question reads it of every memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// 0 if the memory has no text.
    pub words: u32,
    /// The length of the sum of its words' vectors.
    pub length: f32,
}

/// The texts of one agent's memories.
pub struct Texts {
    options: WordOptions,
    pub(super) words: Words,
    /// By row.
    entries: Vec<Option<Entry>>,
    /// By row.
    pub(super) sizes: Vec<Size>,
    pub(super) runs: Runs,
    /// By passage.
    pub(super) rows: Vec<Row>,
    pub(super) lengths: Vec<u16>,
    pub(super) vectors: CodedVectors,
    removed: usize,
    pub(super) count: usize,
    /// The number of words in all texts, and in all passages that were not removed.
    pub(super) total_words: u64,
    /// The marks of the words of each memory, by row. Not in its entry, which every question reads.
    pub(super) marks: Vec<Marks>,
    /// The number of times that all texts tell of, and of all marks.
    told: usize,
    all_marks: usize,
    token: String,
    changes: u64,
    /// The number of changes after which cached neighbours are wrong.
    pub(super) folds: u64,
}

/// Texts of a batch that were parsed and not yet stored.
pub struct ParsedTexts<'a> {
    texts: Vec<(Text<'a>, ParsedText, Flags)>,
    fresh: Names,
}

impl Texts {
    /// Creates an empty index. The dimensions are those of the vectors that `embed` gives.
    pub fn new(options: WordOptions) -> Self {
        let dimensions = options.dimensions;
        Self {
            words: Words::new(dimensions, options.stemming),
            options,
            entries: Vec::new(),
            sizes: Vec::new(),
            runs: Runs::default(),
            rows: Vec::new(),
            lengths: Vec::new(),
            vectors: CodedVectors::new(dimensions),
            removed: 0,
            count: 0,
            total_words: 0,
            marks: Vec::new(),
            told: 0,
            all_marks: 0,
            token: String::new(),
            changes: 0,
            folds: 0,
        }
    }

    /// Returns how words are read.
    pub fn options(&self) -> &WordOptions {
        &self.options
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no memory has a text.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of texts that were stored, removed or moved so far.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns a number above every row with a text.
    pub fn rows(&self) -> usize {
        self.entries.len()
    }

    /// Whether a memory has a text.
    pub fn has(&self, row: Row) -> bool {
        self.sizes.get(row as usize).is_some_and(|size| size.words > 0)
    }

    /// Returns when what a memory tells of happened, by its clock.
    pub fn happened_at(&self, row: Row) -> Option<f64> {
        self.entry(row).map(Entry::happened_at)
    }

    pub(super) fn entry(&self, row: Row) -> Option<&Entry> {
        self.entries.get(row as usize)?.as_ref()
    }

    /// Parses a batch of texts. Changes nothing.
    ///
    /// # Errors
    /// That of `afford`, which is called with the bytes that storing the texts can need.
    pub fn parse<'a>(
        &mut self,
        texts: &[Text<'a>],
        afford: impl Fn(usize) -> Result<()>,
    ) -> Result<ParsedTexts<'a>> {
        let mut token = std::mem::take(&mut self.token);
        let known = &self.words.names;
        let mut fresh = Names::default();
        let mut parsed = Vec::with_capacity(texts.len());
        let mut need = 0;
        let mut outcome = Ok(());
        for text in texts {
            let read = ParsedText::new(text.title, text.body, &mut token, |word| {
                known.code(word).unwrap_or_else(|| known.count() as u32 + fresh.code_or_new(word))
            });
            need += size_of::<Entry>() * 3
                + size_of::<Size>() * 3
                + MAX_TOLD * size_of::<(f64, f64)>()
                + (read.words.len() + read.others.len()) * (4 + 2 * size_of::<u32>())
                + read.ends.len() * (2 * CodedVectors::bytes_each(self.words.dimensions()) + 64);
            let flags = Flags::of(text.title, text.body);
            parsed.push((*text, read, flags));
            let postings = parsed
                .iter()
                .map(|(_, read, _): &(Text<'_>, ParsedText, Flags)| {
                    read.words.len() + read.others.len()
                })
                .sum();
            outcome = afford(need + self.words.need(&fresh, postings) + fresh.capacity_bytes());
            if outcome.is_err() {
                break;
            }
        }
        self.token = token;
        outcome.map(|()| ParsedTexts { texts: parsed, fresh })
    }

    /// Stores texts that were just parsed, as those of the memories of `rows`. A text replaces the
    /// one that its memory has; an empty text removes it. `moment` returns the place of a memory in
    /// time.
    pub fn store(
        &mut self,
        parsed: ParsedTexts<'_>,
        rows: impl Iterator<Item = Row>,
        moment: impl Fn(Row) -> Moment,
        embed: &mut Embed<'_>,
    ) {
        for word in parsed.fresh.iter() {
            self.words.code_or_new(word, embed);
        }
        for (row, (text, words, flags)) in rows.zip(&parsed.texts) {
            self.remove(row);
            let moment = moment(row);
            self.put(row, words, *flags, moment, text);
        }
        self.fold_if_due();
    }

    fn put(&mut self, row: Row, text: &ParsedText, flags: Flags, moment: Moment, given: &Text<'_>) {
        if text.words.is_empty() {
            return;
        }
        let dimensions = self.words.dimensions();
        let first = self.rows.len() as u32;
        let mut whole = vec![0.0; dimensions];
        let mut counts: Vec<(u32, u32, bool)> = Vec::new();
        let mut start = 0;
        let mut others = text.others.iter().peekable();
        for &end in &text.ends {
            let passage = self.rows.len() as u32;
            let mut sum = vec![0.0; dimensions];
            for &word in &text.words[start..end] {
                self.words.vectors.add_to(word as usize, &mut sum);
            }
            whole.iter_mut().zip(&sum).for_each(|(whole, part)| *whole += part);
            self.vectors.push(&sum);
            self.rows.push(row);
            self.lengths.push((end - start).min(usize::from(u16::MAX)) as u16);

            // A passage has few words, so that looking through them is quicker than a map.
            counts.clear();
            let words = text.words[start..end].iter().copied().zip(start as u32..);
            let of_passage =
                std::iter::from_fn(|| others.next_if(|&&(place, _)| (place as usize) < end));
            let others = of_passage.map(|&(place, other)| (other, place));
            for (word, place) in words.chain(others) {
                let in_title = (place as usize) < text.title;
                match counts.iter_mut().find(|known| known.0 == word) {
                    Some(known) => *known = (word, known.1 + 1, known.2 || in_title),
                    None => counts.push((word, 1, in_title)),
                }
            }
            for &(word, count, in_title) in &counts {
                self.words.post(word, passage, packed(count, in_title));
            }
            start = end;
        }
        let others = text.others.iter().map(|&(_, other)| other);
        let names = text.words.iter().copied().chain(others);
        let marks = marks_of(names.map(|name| self.words.mark(name)));
        let squares = whole.iter().fold(0.0, |sum, &part| sum + f64::from(part) * f64::from(part));
        let size = Size { words: text.words.len() as u32, length: squares.sqrt() as f32 };
        let passages = text.ends.len() as u32;
        let told = told(given, moment.created_at);
        let &Text { event, utc_offset, .. } = given;
        let entry = Entry { first, passages, flags, moment, event, utc_offset, told };
        self.enter(row, entry, size, marks);
    }

    /// Stores the entry of a memory whose passages were added.
    #[inline(never)]
    pub(super) fn enter(&mut self, row: Row, entry: Entry, size: Size, marks: Marks) {
        let place = row as usize;
        if self.entries.len() <= place {
            self.entries.resize_with(place + 1, || None);
            self.sizes.resize(place + 1, Size::default());
            self.marks.resize_with(place + 1, Marks::default);
        }
        let Moment { created_at, sequence, cluster } = entry.moment;
        self.runs.add(row, cluster, created_at, sequence);
        self.told += entry.told.len();
        self.total_words += u64::from(size.words);
        self.all_marks += marks.len();
        self.marks[place] = marks;
        self.sizes[place] = size;
        self.entries[place] = Some(entry);
        self.count += 1;
        self.changes += 1;
    }

    /// Removes the text of a memory, if it has one.
    pub fn remove(&mut self, row: Row) {
        let Some(entry) = self.entries.get_mut(row as usize).and_then(Option::take) else { return };
        for passage in entry.first..entry.first + entry.passages {
            self.rows[passage as usize] = REMOVED;
        }
        let Moment { created_at, sequence, cluster } = entry.moment;
        self.runs.remove(row, cluster, created_at, sequence);
        self.removed += entry.passages as usize;
        self.count -= 1;
        self.changes += 1;
        self.total_words -= u64::from(std::mem::take(&mut self.sizes[row as usize]).words);
        self.told -= entry.told.len();
        self.all_marks -= std::mem::take(&mut self.marks[row as usize]).len();
    }

    /// Whether the texts of two memories repeat each other: they share nine of ten words, and every
    /// number. Both memories must have a text.
    pub fn repeat(&self, one: Row, other: Row) -> bool {
        likeness::repeat(&self.marks[one as usize], &self.marks[other as usize])
    }

    /// Returns how alike the texts of two memories are, from 0 to 1, by their words and by the
    /// vectors of their first passages.
    pub fn likeness(&self, one: Row, other: Row) -> f64 {
        let first = |row: Row| Some((&*self.marks[row as usize], self.entry(row)?.first));
        let (Some(one), Some(other)) = (first(one), first(other)) else { return 0.0 };
        likeness::likeness(one, other, &self.vectors)
    }

    /// Tells the index that a memory has another place in time.
    pub fn move_to(&mut self, row: Row, moment: Moment) {
        let Some(Some(entry)) = self.entries.get_mut(row as usize) else { return };
        let before = std::mem::replace(&mut entry.moment, moment);
        if before != moment {
            self.changes += 1;
            self.runs.remove(row, before.cluster, before.created_at, before.sequence);
            self.runs.add(row, moment.cluster, moment.created_at, moment.sequence);
        }
    }

    /// Folds removed passages away if they are many. Rows stay.
    pub fn fold_if_due(&mut self) {
        let alive = self.rows.len() - self.removed;
        if self.removed <= alive / 2 + FOLD_AT_LEAST {
            return;
        }
        let mut renumbered = vec![u32::MAX; self.rows.len()];
        let mut vectors = CodedVectors::new(self.words.dimensions());
        let (mut rows, mut lengths) = (Vec::new(), Vec::new());
        for (passage, &row) in self.rows.iter().enumerate() {
            if row != REMOVED {
                renumbered[passage] = rows.len() as u32;
                rows.push(row);
                lengths.push(self.lengths[passage]);
                vectors.push_from(&self.vectors, passage);
            }
        }
        for entry in self.entries.iter_mut().flatten() {
            entry.first = renumbered[entry.first as usize];
        }
        self.words = self.words.folded(self.options.stemming, &renumbered);
        (self.rows, self.lengths, self.vectors) = (rows, lengths, vectors);
        self.removed = 0;
        self.folds += 1;
    }

    /// Returns the number of passages.
    pub(super) fn passages(&self) -> usize {
        self.rows.len() - self.removed
    }

    /// Returns the row of a passage, `None` if its memory was removed.
    pub(super) fn row_of(&self, passage: u32) -> Option<Row> {
        Some(self.rows[passage as usize]).filter(|&row| row != REMOVED)
    }

    /// Whether any text holds one of some words.
    pub(super) fn hold(&self, words: &[Match]) -> bool {
        let mut is_held = false;
        for it in words {
            self.words.postings[it.word as usize].for_each(|passage, _| {
                is_held |= self.row_of(passage).is_some();
            });
        }
        is_held
    }

    /// Returns the bytes that the texts take.
    pub fn bytes(&self) -> usize {
        self.words.bytes()
            + self.entries.capacity() * size_of::<Option<Entry>>()
            + self.sizes.capacity() * size_of::<Size>()
            + self.told * size_of::<(f64, f64)>()
            + self.marks.capacity() * size_of::<Marks>()
            + self.all_marks * size_of::<u32>()
            + self.runs.bytes()
            + self.rows.capacity() * size_of::<Row>()
            + self.lengths.capacity() * size_of::<u16>()
            + self.vectors.capacity_bytes()
    }
}

/// Returns the times that a text names. If it tells of an event, only those that do not depend on
/// when it was told: "yesterday" would be the day before the memory was stored.
fn told(text: &Text<'_>, created_at: f64) -> Box<[(f64, f64)]> {
    let mut told = named(text, created_at);
    if let Some(event) = text.event {
        let of_event = named(text, event);
        told.retain(|time| of_event.contains(time));
    }
    told.retain(|(start, end)| end - start <= LONGEST_TOLD);
    told.truncate(MAX_TOLD);
    told.into()
}

/// Returns the times that a text names, relative to an instant.
#[inline(never)]
fn named(text: &Text<'_>, instant: f64) -> Vec<(f64, f64)> {
    let mut named = Vec::new();
    for part in [text.title, text.body] {
        let times = find(part, instant + text.utc_offset);
        named.extend(times.iter().map(|time| (time.start, time.end)));
    }
    named
}

impl Entry {
    /// Returns when it happened, by its clock: the time of its event, or else of its creation.
    pub fn happened_at(&self) -> f64 {
        self.event.unwrap_or(self.moment.created_at) + self.utc_offset
    }
}

/// Packs the count of a word in a passage with a mark whether it is in the title. One occurrence in
/// the body is 1, which takes the fewest bytes.
fn packed(count: u32, in_title: bool) -> u32 {
    2 * count - 1 + u32::from(in_title)
}

/// Returns the count of a word in a passage, and whether it is in the title.
pub(super) fn unpacked(number: u32) -> (u32, bool) {
    (number.div_ceil(2), number.is_multiple_of(2))
}
