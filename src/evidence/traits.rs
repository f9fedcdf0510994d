//! What a memory is like, whatever the question: whether it asks, how long it is, where it stands.
//!
//! # Idea
//!
//! Whether questions, long texts or texts with numbers answer differs from one memory to another.
//! In talk between people a question hardly answers; in chats with an assistant the questions are
//! the memory. So these kinds weigh 0 until use teaches their weights, or the configuration names
//! them.
//!
//! # Invariants
//!
//! - The column is read only after [`TraitColumn::refresh`] at the current count of changes.
//! - A memory without a text has no traits.
//!
//! # Cost
//!
//! Nothing while all these kinds weigh 0. Else one pass over all memories after each change of the
//! texts, and 48 bytes for each row.

use super::flags::Flags;
use super::texts::Texts;
use crate::columns::Row;
use crate::math::ln;

/// The number of words of a text that is neither long nor short.
const MIDDLE: f64 = 20.0;
/// The greatest size of `len`.
pub(super) const LONGEST: f64 = 1.5;

/// What a memory is like. The fields are the last kinds of evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traits {
    pub(super) qm: f64,
    pub(super) prevq: f64,
    pub(super) len: f64,
    pub(super) num: f64,
    pub(super) cap: f64,
    pub(super) pos: f64,
}

impl Traits {
    /// Traits that add no evidence.
    pub const NONE: Self = Self { qm: 0.0, prevq: 0.0, len: 0.0, num: 0.0, cap: 0.0, pos: 0.0 };
}

/// The traits of all memories, by row.
#[derive(Debug, Default)]
pub struct TraitColumn {
    traits: Vec<Traits>,
    /// The count of changes of the texts when they were computed.
    computed_at: Option<u64>,
}

impl TraitColumn {
    /// Computes the traits of all memories, if the texts have changed since the last time. Runs
    /// must be laid out.
    pub fn refresh(&mut self, texts: &Texts) {
        if self.computed_at == Some(texts.changes()) {
            return;
        }
        self.computed_at = Some(texts.changes());
        self.traits.clear();
        self.traits.resize(texts.rows(), Traits::NONE);
        for run in texts.runs.layout().rows_of_runs() {
            let mut follows_question = false;
            for (place, &row) in run.iter().enumerate() {
                let Some(entry) = texts.entry(row) else { continue };
                let flag = |bit: u8| f64::from(u8::from(entry.flags.has(bit)));
                let words = f64::from(texts.sizes[row as usize].words);
                let length = ln((1.0 + words) / (1.0 + MIDDLE)) / 2.0;
                self.traits[row as usize] = Traits {
                    qm: flag(Flags::QUESTION),
                    prevq: f64::from(u8::from(follows_question)),
                    len: length.clamp(-LONGEST, LONGEST),
                    num: flag(Flags::NUMBER),
                    cap: f64::from(entry.flags.capitals),
                    pos: if place == 0 { 0.0 } else { place as f64 / (run.len() - 1) as f64 },
                };
                follows_question = entry.flags.has(Flags::QUESTION);
            }
        }
    }

    /// Returns the traits of a memory.
    #[inline(always)]
    pub fn of(&self, row: Row) -> &Traits {
        self.traits.get(row as usize).unwrap_or(&Traits::NONE)
    }

    /// Returns the allocated bytes.
    pub fn bytes(&self) -> usize {
        self.traits.capacity() * size_of::<Traits>()
    }
}
