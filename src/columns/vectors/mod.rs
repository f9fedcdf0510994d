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

/// The form in which embeddings are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// f32, 4 bytes a component, and an outline of each vector, 1 byte a component.
    F32,
    /// Rounded to whole multiples of 1/127 of the largest component, 1 byte a component.
    I8,
}

/// The embeddings of a memory index: at most one per row, all of length 1 and with the same number
/// of components.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    /// The slot of each row, or [`NONE`] for a row without a vector.
    slots: Column<u32>,
    /// The row of each slot.
    rows: Column<Row>,
    store: VectorStore,
}

/// The slot of a row without a vector.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
enum VectorStore {
    /// The vectors, their outlines, and for each the largest possible distance of the outline from
    /// the vector.
    F32(Slots<f32>, Codes, Column<f32>),
    I8(Codes),
}

/// An embedding prepared for comparison with stored vectors.
#[derive(Debug)]
pub struct VectorQuery(PreparedQuery);

#[derive(Debug)]
struct PreparedQuery {
    codes: Factors,
    scale: f32,
    /// The exact query, for vectors in f32.
    exact: Option<Exact>,
}

/// The exact form of a query, for vectors in f32.
#[derive(Debug)]
struct Exact {
    components: Vec<Block<f32>>,
    /// The length of the rounded query.
    length: f64,
    /// The most that the product of the query's codes with a vector of length 1 can differ from the
    /// exact score of that vector.
    slack: f64,
}

/// A row and its similarity to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The row.
    pub row: Row,
    /// The cosine, from −1 to 1 up to rounding.
    pub score: f64,
}

/// The stored form of one vector, to the bit.
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
    /// Creates an empty store for vectors of this many components.
    pub fn new(dimensions: usize, form: VectorForm) -> Self {
        let store = match form {
            VectorForm::F32 => {
                VectorStore::F32(Slots::new(dimensions), Codes::new(dimensions), Column::default())
            }
            VectorForm::I8 => VectorStore::I8(Codes::new(dimensions)),
        };
        Self { dimensions, slots: Column::default(), rows: Column::default(), store }
    }

    /// Returns the number of components of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the form of the vectors.
    pub fn form(&self) -> VectorForm {
        match self.store {
            VectorStore::F32(..) => VectorForm::F32,
            VectorStore::I8(_) => VectorForm::I8,
        }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row has a vector.
    pub fn has(&self, row: Row) -> bool {
        self.slot(row).is_some()
    }

    /// Refuses an embedding that cannot be scaled to length 1: a wrong number of components, a
    /// component that is not finite, only zeros, and components so large that their squares
    /// overflow or so small that the sum of their squares loses bits. Such a length has a larger
    /// error than rounding to f32.
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

    /// Stores the vector of a row and replaces an existing one. [`check`](Self::check) must accept
    /// the embedding.
    ///
    /// # Panics
    /// If the embedding has another number of components.
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

    /// Removes the vector of a row, if it has one. The last vector moves into its slot.
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

    /// Prepares an embedding for comparison. Refuses the same embeddings as [`check`](Self::check).
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

    /// Returns the `limit` rows that are most similar to a query, among those that pass, by cosine
    /// from high to low. Equal ones are ordered by `sequence`. Returns an empty list for a query
    /// prepared for vectors of another form or length.
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

    /// Takes `sequence` as a trait object, so that it is compiled only once.
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
            // The rows that are scored at once are neighbours in as many parts of the segment.
            // Memory is then read along several streams, and the caches prefetch each of them,
            // which hides more latency than one stream would.
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
                // Unused places of a batch must exist, because they are scored too.
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

    /// Returns the similarity of a row to a query, as [`similar`](Self::similar) scores it. Returns
    /// `None` if the row has no vector, or if the query was prepared for another form or length.
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

    /// Writes the similarity of every row below `rows` to a query, as [`similar`](Self::similar)
    /// scores it; NaN for a row without a vector. A query of another form or length writes NaN
    /// alone.
    pub fn similarities(&self, query: &VectorQuery, rows: usize, out: &mut Vec<f64>) {
        out.clear();
        out.resize(rows, f64::NAN);
        let VectorQuery(query) = query;
        let codes = self.codes();
        let is_exact = matches!(self.store, VectorStore::F32(..));
        if query.codes.width() != codes.slots.width || query.exact.is_some() != is_exact {
            return;
        }
        let mut scores = [0.0; BATCH];
        let mut first = 0;
        while first < self.len() {
            let part = self.rows.part(first, codes.slots.per_segment());
            for (batch, rows) in part.chunks(BATCH).enumerate() {
                let from = batch * BATCH;
                if !is_exact {
                    let places: [usize; BATCH] =
                        std::array::from_fn(|at| (from + at).min(part.len() - 1));
                    let used = rows.len().next_multiple_of(AT_ONCE);
                    codes.scores(query, first, &places[..used], &mut scores);
                }
                for (at, (&row, &score)) in rows.iter().zip(&scores).enumerate() {
                    let score = self.exact(query, first + from + at).unwrap_or(score);
                    out[row as usize] = score;
                }
            }
            first += part.len();
        }
    }

    fn codes(&self) -> &Codes {
        match &self.store {
            VectorStore::F32(_, codes, _) | VectorStore::I8(codes) => codes,
        }
    }

    /// For f32: raises the products of codes of some places, in the segment that begins with a
    /// slot, to upper bounds of their scores.
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

    /// Returns the score of a slot for f32 vectors, and `None` for other forms.
    #[inline(never)]
    fn exact(&self, query: &PreparedQuery, slot: usize) -> Option<f64> {
        match (&self.store, &query.exact) {
            (VectorStore::F32(slots, ..), Some(exact)) => {
                Some(f64::from(dot_f32(&exact.components, slots.vector(slot))))
            }
            _ => None,
        }
    }

    /// Returns the bytes of the vectors.
    pub fn bytes(&self) -> usize {
        let each = match &self.store {
            VectorStore::F32(slots, codes, _) => {
                slots.bytes_each() + codes.bytes_each() + size_of::<f32>()
            }
            VectorStore::I8(codes) => codes.bytes_each(),
        };
        self.len() * (each + size_of::<Row>()) + self.slots.len() * size_of::<u32>()
    }

    /// Returns the allocated bytes.
    pub fn capacity_bytes(&self) -> usize {
        let kept = match &self.store {
            VectorStore::F32(slots, codes, errors) => {
                slots.capacity_bytes() + codes.capacity_bytes() + errors.capacity_bytes()
            }
            VectorStore::I8(codes) => codes.capacity_bytes(),
        };
        kept + self.rows.capacity_bytes() + self.slots.capacity_bytes()
    }

    /// Returns the most bytes that `more` vectors, of rows below `rows`, can take beyond the
    /// allocated ones. While a first segment moves, its old allocation still exists.
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

    /// Returns the stored form of a row's vector.
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

    /// Stores the vector of a row from its [`stored`](Self::stored) f32 form, unchanged.
    ///
    /// # Panics
    /// If these vectors have another form or number of components.
    pub fn restore_f32(&mut self, row: Row, components: &[f32]) {
        let slot = self.slot_for(row, components.len());
        let VectorStore::F32(slots, codes, errors) = &mut self.store else {
            panic!("the vectors are kept in f32")
        };
        let (outline, scale) = outline(components);
        // Rounded up, because the bound must not be too low by even one bit.
        let error = rounding_error(components, &outline, scale) as f32 * (1.0 + f32::EPSILON);
        slots.write(slot, components);
        codes.write(slot, scale, outline);
        errors.put(slot, error);
    }

    /// Stores the vector of a row from its [`stored`](Self::stored) i8 form, unchanged.
    ///
    /// # Panics
    /// If these vectors have another form or number of components.
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

    /// Returns the slot for the vector of a row: its present slot, else the next one. Checks the
    /// number of components.
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

/// The number of rows that are scored before they are compared with the best.
const BATCH: usize = 64;

/// Whether all scores are below a bar.
#[inline(always)]
fn are_below(scores: &[f64; AT_ONCE], bar: f64) -> bool {
    let bar = F64x2::splat(bar);
    let [first, second] = [0, 2].map(|at| F64x2::new(scores[at], scores[at + 1]).below(bar));
    first.and(second).all()
}
