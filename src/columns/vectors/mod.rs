//! The embeddings of a memory index: one vector of length 1 for each node that has one, and an
//! exact search for the vectors that are most similar to a query.
//!
//! # Idea
//!
//! A search compares the query with every vector, and reading the vectors is what takes time. So it
//! reads a smaller copy first:
//!
//! | form | stored per component | read by a search |
//! |---|---|---|
//! | [`VectorForm::F32`] | f32, and an i8 code (the *outline*) | all outlines, and the f32 of few |
//! | [`VectorForm::I8`] | an i8 code | all codes |
//!
//! ```text
//! for each batch of 64 vectors:
//!     score them by their codes                           (exact whole-number products, one scale)
//!     F32 only: raise each score to a bound that the true score cannot exceed
//!     for each vector whose score or bound reaches the worst of the best so far:
//!         F32 only: replace it by the f32 product
//!         enter it into the heap of the best
//! ```
//!
//! # Invariants
//!
//! - `slots[row]` and `rows[slot]` are inverse to each other, and the slots have no gaps: the last
//!   vector moves into the place of a removed one.
//! - The result is the one that scoring every vector gives, to the bit, with ties by sequence.
//! - The scores are the same on every platform. Codes are whole numbers, whose products add up
//!   exactly. f32 products are added in a fixed order, see [`dot_f32`].
//!
//! # Why the bound holds in floating point
//!
//! For a query *q*, its rounded form *q′*, a vector *v* and its outline *o*:
//!
//! ```text
//! q · v  =  q′ · o  +  q′ · (v − o)  +  (q − q′) · v
//!        ≤  q′ · o  +  |q′| |v − o|  +  |q − q′| |v|        (Cauchy–Schwarz)
//! ```
//!
//! The first term is the product of the codes. For the second, `|v − o|` is measured when the
//! vector is stored, enlarged by 10⁻⁹ for the rounding of the measurement, and rounded up to f32.
//! The third is a constant of the query, with `|v|` taken as 1.001: rounding to f32 changes the
//! length of a vector, and a snapshot is accepted up to this length. The same constant holds twice
//! the error that adding the f32 products can have. Rounding the bound itself is off by some 10⁻¹⁶,
//! far less than these margins.
//!
//! # Why the scale of an i8 vector is not its step
//!
//! The codes of a vector are multiplied by `1 / (codes · vector)`. With this scale the stored
//! vector has exactly the right length along the original one, and the rounding error is at right
//! angles to it. With the rounding step as scale, one vector would come out a little longer and the
//! next a little shorter, by more than the members of a cluster differ in their similarity to a
//! query.
//!
//! # Cost
//!
//! With f32, 5 bytes a component and 8 a vector (scale and error); with i8, 1 byte a component and
//! 4 a vector (scale). Both have 4 bytes more per vector for its row, and 4 per row for its slot.
//! If all vectors are nearly the same (cosines above 0.99), every vector is read in full as well,
//! and a search takes half as long again as without outlines.

mod best;
mod codes;
mod quantise;
mod slots;

use best::Best;
use codes::Codes;
pub use quantise::is_unit;
use quantise::{
    LONGEST, MAX_CODE, length, max_query_code, outline, quantise, rounding_error, squares,
    summing_error, unit,
};
use slots::{Slots, blocks};

use super::{Column, Row};
use crate::error::{Error, Result};
use crate::math::{AT_ONCE, Block, F64x2, Factors, dot_f32};

/// How embeddings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// As they are, 4 bytes a component, and an outline of each, 1 byte a component.
    F32,
    /// Rounded to whole multiples of 1/127 of the largest component, 1 byte a component.
    I8,
}

/// The embeddings of a memory index: at most one per row, all of length 1 and with the same number
/// of components.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    /// The slot of each row, [`NONE`] where a row has no vector.
    slots: Column<u32>,
    /// The row of each slot.
    rows: Column<Row>,
    store: VectorStore,
}

/// A row without a vector.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
enum VectorStore {
    /// The vectors, their outlines, and how far from each vector its outline is at most.
    F32(Slots<f32>, Codes, Column<f32>),
    I8(Codes),
}

/// An embedding made ready to be compared with the vectors of a memory.
#[derive(Debug)]
pub struct VectorQuery(PreparedQuery);

#[derive(Debug)]
struct PreparedQuery {
    codes: Factors,
    scale: f32,
    /// For vectors in f32.
    exact: Option<Exact>,
}

/// What a query needs where vectors are kept in f32.
#[derive(Debug)]
struct Exact {
    components: Vec<Block<f32>>,
    /// The length of what the codes stand for.
    length: f64,
    /// How far the product of its codes with any vector of length 1 can be from the score of that
    /// vector, at most.
    slack: f64,
}

/// A row and how like a query it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The row.
    pub row: Row,
    /// The cosine, −1 to 1 but for rounding.
    pub score: f64,
}

/// What is kept of one vector, to the bit.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredVector<'a> {
    /// The components.
    F32(&'a [f32]),
    /// Component *i* is about `codes[i]` · `scale`.
    I8 {
        /// Each in [−127, 127].
        codes: Vec<i8>,
        /// About 1/127 of the largest component.
        scale: f32,
    },
}

impl Vectors {
    /// No vectors yet, of this many components each.
    pub fn new(dimensions: usize, form: VectorForm) -> Self {
        let store = match form {
            VectorForm::F32 => {
                VectorStore::F32(Slots::new(dimensions), Codes::new(dimensions), Column::default())
            }
            VectorForm::I8 => VectorStore::I8(Codes::new(dimensions)),
        };
        Self { dimensions, slots: Column::default(), rows: Column::default(), store }
    }

    /// How many components each vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How they are kept.
    pub fn form(&self) -> VectorForm {
        match self.store {
            VectorStore::F32(..) => VectorForm::F32,
            VectorStore::I8(_) => VectorForm::I8,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row has one.
    pub fn has(&self, row: Row) -> bool {
        self.slot(row).is_some()
    }

    /// Refuses what can not be scaled to length 1: a wrong number of components, one that is no
    /// finite number, zeros alone, and components so large that their squares add up to infinity,
    /// or so small that they do so to less than a number holds in full: such a length is off by
    /// more than rounding to f32 is.
    pub fn check(&self, embedding: &[f64]) -> Result<()> {
        let refused = |problem: &str| Error::argument("embedding", problem);
        if embedding.len() != self.dimensions {
            let wanted = format!("must have {} components", self.dimensions);
            return Err(refused(&wanted).found(embedding.len() as f64));
        }
        if let Some(&component) = embedding.iter().find(|component| !component.is_finite()) {
            return Err(refused("must consist of finite numbers").found(component));
        }
        let squares = squares(embedding);
        if squares == f64::INFINITY {
            return Err(refused("is too large: its squares add up to more than a number can hold"));
        }
        if squares < f64::MIN_POSITIVE {
            let zeros = embedding.iter().all(|&component| component == 0.0);
            let small = "is too small: its squares add up to less than a number can hold in full";
            return Err(refused(if zeros { "must not be zero" } else { small }));
        }
        Ok(())
    }

    /// Gives a row its vector, in place of the one it had. [`check`](Self::check) accepts the
    /// embedding.
    ///
    /// # Panics
    /// When the embedding has another number of components.
    pub fn set(&mut self, row: Row, embedding: &[f64]) {
        let unit = unit(embedding);
        match self.store {
            VectorStore::F32(..) => self.restore_f32(row, &unit),
            VectorStore::I8(_) => {
                let (codes, scale) = quantise(&unit, MAX_CODE);
                let codes: Vec<i8> = codes.iter().map(|&code| code as i8).collect();
                self.restore_i8(row, scale, &codes);
            }
        }
    }

    /// Takes a row's vector away, if it has one. The last one moves into its place.
    pub fn remove(&mut self, row: Row) {
        let Some(slot) = self.slot(row) else { return };
        let last = self.len() - 1;
        let moved = self.rows.get(last);
        self.rows.set(slot, moved);
        self.rows.pop();
        self.slots.set(moved as usize, slot as u32);
        self.slots.set(row as usize, NONE);
        match &mut self.store {
            VectorStore::F32(slots, outlines, errors) => {
                slots.swap_remove(slot, last);
                outlines.swap_remove(slot, last);
                errors.swap_remove(slot);
            }
            VectorStore::I8(codes) => codes.swap_remove(slot, last),
        }
    }

    /// Makes an embedding ready. Refuses what [`check`](Self::check) refuses.
    pub fn query(&self, embedding: &[f64]) -> Result<VectorQuery> {
        self.check(embedding)?;
        let unit = unit(embedding);
        let (codes, scale) = quantise(&unit, max_query_code(self.dimensions));
        let exact = matches!(self.store, VectorStore::F32(..)).then(|| Exact {
            components: blocks(&unit),
            length: length(&codes, &codes, |code, _| f64::from(code) * f64::from(scale)),
            slack: rounding_error(&unit, &codes, scale) * LONGEST + summing_error(self.dimensions),
        });
        Ok(VectorQuery(PreparedQuery { codes: Factors::new(&codes), scale, exact }))
    }

    /// The `limit` rows most like a query among those that pass, by cosine from high to low; of
    /// equal ones first that of the lowest `sequence`. Nothing for a query that was made for
    /// vectors of another kind.
    #[inline]
    pub fn similar(
        &self,
        query: &VectorQuery,
        limit: usize,
        passes: Option<&dyn Fn(Row) -> bool>,
        sequence: impl Fn(Row) -> f64,
    ) -> Vec<VectorHit> {
        self.best(query, limit, passes, &sequence)
    }

    /// Compiled once, whatever says the sequence.
    #[inline(never)]
    fn best(
        &self,
        query: &VectorQuery,
        limit: usize,
        passes: Option<&dyn Fn(Row) -> bool>,
        sequence: &dyn Fn(Row) -> f64,
    ) -> Vec<VectorHit> {
        if limit == 0 {
            return Vec::new();
        }
        let VectorQuery(query) = query;
        let codes = self.codes();
        if query.codes.width() != codes.slots.width
            || query.exact.is_some() != matches!(self.store, VectorStore::F32(..))
        {
            return Vec::new();
        }
        let mut best = Best::new(limit, self.len(), sequence);
        let (mut places, mut scores) = ([0; BATCH], [0.0; BATCH]);
        let mut first = 0;
        while first < self.len() {
            let rows = self.rows.part(first, codes.slots.per_segment());
            // Those that are scored at once are neighbours in as many parts of the segment, so that
            // memory is read along as many streams: caches fetch ahead along each of them, which
            // makes up for what a single one waits.
            let part = rows.len().div_ceil(AT_ONCE);
            let mut at = 0;
            while at < part {
                let mut count = 0;
                while at < part && count + AT_ONCE <= BATCH {
                    let abreast: [usize; AT_ONCE] = std::array::from_fn(|lane| at + lane * part);
                    if passes.is_none() && abreast[AT_ONCE - 1] < rows.len() {
                        places[count..count + AT_ONCE].copy_from_slice(&abreast);
                        count += AT_ONCE;
                    } else {
                        for place in abreast {
                            places[count] = place;
                            count += usize::from(
                                place < rows.len()
                                    && passes.is_none_or(|passes| passes(rows[place])),
                            );
                        }
                    }
                    at += 1;
                }
                // A place that there is, for those that are scored along with the others.
                places[count..].fill(0);
                codes.scores(query, first, &places[..count.next_multiple_of(AT_ONCE)], &mut scores);
                self.raise_to_bounds(query, first, &places[..count], &mut scores);
                for (places, scores) in places[..count].chunks(AT_ONCE).zip(scores.as_chunks().0) {
                    if are_below(scores, best.bar) {
                        continue;
                    }
                    for (&place, &score) in places.iter().zip(scores) {
                        if score < best.bar {
                            continue;
                        }
                        let score = self.exact(query, first + place).unwrap_or(score);
                        if score >= best.bar {
                            best.enter(VectorHit { row: rows[place], score });
                        }
                    }
                }
            }
            first += rows.len();
        }
        best.take()
    }

    /// How like a query a row is, as [`similar`](Self::similar) scores it; nothing where the row
    /// has no vector, or where the query was made for vectors of another kind.
    pub fn similarity(&self, VectorQuery(query): &VectorQuery, row: Row) -> Option<f64> {
        let slot = self.slot(row)?;
        let codes = self.codes();
        if query.codes.width() != codes.slots.width {
            return None;
        }
        match self.store {
            VectorStore::F32(..) => self.exact(query, slot),
            VectorStore::I8(_) if query.exact.is_some() => None,
            VectorStore::I8(_) => {
                let place = slot % codes.slots.per_segment();
                let mut scores = [0.0; BATCH];
                codes.scores(query, slot - place, &[place; AT_ONCE], &mut scores);
                Some(scores[0])
            }
        }
    }

    fn codes(&self) -> &Codes {
        match &self.store {
            VectorStore::F32(_, codes, _) | VectorStore::I8(codes) => codes,
        }
    }

    /// In f32: makes products of codes into what the scores of some places, in the segment that
    /// begins with a slot, cannot exceed.
    fn raise_to_bounds(
        &self,
        query: &PreparedQuery,
        first: usize,
        places: &[usize],
        scores: &mut [f64; BATCH],
    ) {
        if let (VectorStore::F32(_, codes, errors), Some(exact)) = (&self.store, &query.exact) {
            let errors = errors.part(first, codes.slots.per_segment());
            for (score, &place) in scores.iter_mut().zip(places) {
                *score += f64::from(errors[place]) * exact.length + exact.slack;
            }
        }
    }

    /// The score of a slot whose vector is kept in f32.
    #[inline(never)]
    fn exact(&self, query: &PreparedQuery, slot: usize) -> Option<f64> {
        match (&self.store, &query.exact) {
            (VectorStore::F32(slots, ..), Some(exact)) => {
                Some(f64::from(dot_f32(&exact.components, slots.vector(slot))))
            }
            _ => None,
        }
    }

    /// Bytes that the vectors take.
    pub fn bytes(&self) -> usize {
        let each = match &self.store {
            VectorStore::F32(slots, codes, _) => {
                slots.bytes_each() + codes.bytes_each() + size_of::<f32>()
            }
            VectorStore::I8(codes) => codes.bytes_each(),
        };
        self.len() * (each + size_of::<Row>()) + self.slots.len() * size_of::<u32>()
    }

    /// Bytes that there is room for.
    pub fn capacity_bytes(&self) -> usize {
        let kept = match &self.store {
            VectorStore::F32(slots, codes, errors) => {
                slots.capacity_bytes() + codes.capacity_bytes() + errors.capacity_bytes()
            }
            VectorStore::I8(codes) => codes.capacity_bytes(),
        };
        kept + self.rows.capacity_bytes() + self.slots.capacity_bytes()
    }

    /// Bytes that `more` vectors, of rows below `rows`, can take beyond what there is room for, at
    /// most. While a first segment moves to a larger place, the old one is still there.
    pub fn need(&self, more: usize, rows: usize) -> usize {
        if more == 0 {
            return 0;
        }
        let kept = match &self.store {
            VectorStore::F32(slots, codes, errors) => {
                let of_codes = codes.need(self.len(), more).saturating_add(errors.need(more));
                slots.need(self.len(), more).saturating_add(of_codes)
            }
            VectorStore::I8(codes) => codes.need(self.len(), more),
        };
        let slots = self.slots.need(rows.saturating_sub(self.slots.len()));
        kept.saturating_add(slots).saturating_add(self.rows.need(more))
    }

    /// What is kept of a row's vector.
    pub fn stored(&self, row: Row) -> Option<StoredVector<'_>> {
        let slot = self.slot(row)?;
        Some(match &self.store {
            VectorStore::F32(slots, ..) => {
                StoredVector::F32(&slots.vector(slot).as_flattened()[..self.dimensions])
            }
            VectorStore::I8(codes) => StoredVector::I8 {
                codes: codes.get(slot, self.dimensions),
                scale: codes.scales.get(slot),
            },
        })
    }

    /// Gives a row what was [`stored`](Self::stored) in f32, unchanged.
    ///
    /// # Panics
    /// When these vectors are kept in another form, or have another number of components.
    pub fn restore_f32(&mut self, row: Row, components: &[f32]) {
        let slot = self.slot_for(row, components.len());
        let VectorStore::F32(slots, codes, errors) = &mut self.store else {
            panic!("the vectors are kept in f32")
        };
        let (outline, scale) = outline(components);
        // Rounded up: a bound that is too low by a bit would be none.
        let error = rounding_error(components, &outline, scale) as f32 * (1.0 + f32::EPSILON);
        slots.write(slot, components);
        codes.write(slot, scale, outline);
        errors.put(slot, error);
    }

    /// Gives a row what was [`stored`](Self::stored) in i8, unchanged.
    ///
    /// # Panics
    /// When these vectors are kept in another form, or have another number of components.
    pub fn restore_i8(&mut self, row: Row, scale: f32, codes: &[i8]) {
        let slot = self.slot_for(row, codes.len());
        let VectorStore::I8(kept) = &mut self.store else { panic!("the vectors are kept in i8") };
        kept.write(slot, scale, codes.to_vec());
    }

    fn slot(&self, row: Row) -> Option<usize> {
        let row = row as usize;
        let slot = if row < self.slots.len() { self.slots.get(row) } else { NONE };
        (slot != NONE).then_some(slot as usize)
    }

    /// The slot of a row that is about to be given so many components; the next one where it has
    /// none.
    fn slot_for(&mut self, row: Row, components: usize) -> usize {
        assert_eq!(components, self.dimensions, "the number of components");
        self.slot(row).unwrap_or_else(|| {
            let slot = self.len();
            while self.slots.len() <= row as usize {
                self.slots.push(NONE);
            }
            self.slots.set(row as usize, slot as u32);
            self.rows.push(row);
            slot
        })
    }
}

/// Rows that are scored one after the other before any of them is compared with the best.
const BATCH: usize = 64;

/// Whether all are below a bar.
#[inline(always)]
fn are_below(scores: &[f64; AT_ONCE], bar: f64) -> bool {
    let bar = F64x2::splat(bar);
    let [first, second] = [0, 2].map(|at| F64x2::new(scores[at], scores[at + 1]).below(bar));
    first.and(second).all()
}
