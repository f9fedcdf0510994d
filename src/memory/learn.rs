//! Learning from use: which of the memories that were shown for a question were used.

use super::{Ask, Filters, MemoryIndex};
use crate::columns::Row;
use crate::error::Result;
use crate::evidence::{Embed, KINDS, Learned, Shown, TRAITS};

/// A memory that was shown for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownRow {
    /// The memory.
    pub row: Row,
    /// Whether it was used.
    pub is_used: bool,
}

/// The use of memories that were shown for a question.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// The question.
    pub text: &'a str,
    /// When it was asked, in milliseconds since 1970.
    pub now: f64,
    /// The memories that were shown, each once.
    pub shown: &'a [ShownRow],
}

/// What a step of learning did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// The number of memories that counted; 0 if nothing was learned.
    pub counted: usize,
    /// The change of the weight of each trait.
    pub moved: [f64; TRAITS],
}

impl MemoryIndex {
    /// Learns from the use of memories: moves the weights of traits by one step, so that memories like
    /// the used ones rank higher. Memories without a text do not count. Nothing is learned if none of
    /// the others was used, or all of them.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` that is not an instant; `out_of_memory`. Then nothing changes.
    pub fn learn(&mut self, feedback: &Feedback<'_>, embed: &mut Embed<'_>) -> Result<Step> {
        let &Feedback { text, now, shown } = feedback;
        let filters = Filters::default();
        let ask = Ask { text, filters: &filters, limit: 0, min_score: 0.0, now };
        let (question, sections) = self.collect(&ask, true, embed)?;
        let mut judged = Vec::with_capacity(shown.len());
        for &ShownRow { row, is_used } in shown.iter().filter(|one| self.has_text(one.row)) {
            let values = self.values(&question, sections, row, now);
            let mut traits = [0.0; TRAITS];
            traits.copy_from_slice(&values.to_array()[KINDS - TRAITS..]);
            judged.push(Shown { sum: self.sum(&values), traits, is_used });
        }
        let before = *self.learned();
        let mut learned = before;
        if !learned.learn(&judged) {
            return Ok(Step::default());
        }
        self.changes += 1;
        self.answering.learn(learned);
        let mut moved = learned.shifts;
        moved.iter_mut().zip(before.shifts).for_each(|(moved, before)| *moved -= before);
        Ok(Step { counted: judged.len(), moved })
    }

    /// Returns what use has taught.
    pub fn learned(&self) -> &Learned {
        self.answering.learned()
    }

    /// Replaces what use has taught. The default forgets it.
    ///
    /// # Errors
    /// As [`Learned::check`]. Then nothing changes.
    pub fn set_learned(&mut self, learned: Learned) -> Result<()> {
        learned.check()?;
        self.changes += 1;
        self.answering.learn(learned);
        Ok(())
    }
}
