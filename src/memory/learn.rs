//! Learning from use: which of the memories that were shown for a question were used.

use super::{Ask, Filters, MemoryIndex};
use crate::columns::Row;
use crate::error::{Error, Result};
use crate::evidence::{Embed, EmbeddingScale, KINDS, Learned, Shown, TRAITS};

/// The use of memories that were shown for a question.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// The question.
    pub text: &'a str,
    /// Its embedding and the scale of its cosines, as [`Ask`] takes them.
    pub embedding: Option<&'a [f64]>,
    /// See `embedding`.
    pub embedding_scale: Option<EmbeddingScale>,
    /// When it was asked, in milliseconds since 1970.
    pub now: f64,
    /// The memories that were shown and used.
    pub used: &'a [Row],
    /// The others that were shown. No memory is in both lists, or twice in one.
    pub unused: &'a [Row],
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
    /// Learns from the use of memories: moves the weights of traits by one step, so that memories
    /// like the used ones rank higher. Memories without a text do not count. Nothing is learned if
    /// none of the others was used, or all of them.
    ///
    /// # Errors
    /// `invalid_argument` for a `now` that is not an instant, an embedding that cannot be compared,
    /// and a scale out of range; `out_of_memory`. Then nothing changes.
    pub fn learn(&mut self, feedback: &Feedback<'_>, embed: &mut Embed<'_>) -> Result<Step> {
        let &Feedback { text, embedding, embedding_scale, now, used, unused } = feedback;
        let filters = Filters::default();
        let ask = Ask {
            text,
            embedding,
            embedding_scale,
            filters: &filters,
            among: None,
            limit: 0,
            min_score: 0.0,
            diversity: 0.0,
            now,
            utc_offset: Some(0.0),
        };
        let (question, sections) = self.collect(&ask, true, embed)?;
        let mut judged = Vec::with_capacity(used.len() + unused.len());
        for (place, &row) in used.iter().chain(unused).enumerate() {
            if !self.has_text(row) {
                continue;
            }
            let is_used = place < used.len();
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
    /// `invalid_argument` for a number that is not from −2 to 2. Then nothing changes.
    pub fn set_learned(&mut self, learned: Learned) -> Result<()> {
        if !learned.is_sound() {
            return Err(Error::argument("learned", "must hold numbers from -2 to 2"));
        }
        self.changes += 1;
        self.answering.learn(learned);
        Ok(())
    }
}
