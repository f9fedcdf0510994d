//! The embeddings of a resident memory: for each node that has one its vector, scaled to length 1,
//! in f32 or in a quarter of the room; and which nodes' vectors are most like that of a question.

use super::column::{doubled, growth, room};
use super::{Column, Row, SEGMENT};
use crate::error::{Error, Result};
use crate::math::{AT_ONCE, Block, F64x2, Factors, LANES, dot_f32, dots_i8, offset_binary};

/// How embeddings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// As they are, 4 bytes a component, and an outline of each, 1 byte a component.
    F32,
    /// Rounded to whole multiples of 1/127 of the largest component, 1 byte a component.
    I8,
}

/// The embeddings of a memory, at most one a row, all of length 1 and of the same number of
/// components.
///
/// In i8, a component is rounded to a whole multiple of a step, 1/127 of the largest one. The whole
/// numbers are its codes. They are multiplied by a scale that is not the step: with it, what is
/// kept of a vector has its exact length along the vector itself, so that what rounding adds stands
/// at right angles to it. With the step instead, rounding makes one vector a little longer and the
/// next a little shorter, by more than members of one cluster differ in how like a query they are.
/// A query is rounded in the same manner, but far finer: its codes are taken only for as long as
/// the search lasts.
///
/// In f32, a search reads the outlines of all vectors: codes as well, and a bound on what rounding
/// took away. Whatever cannot be among the best by that bound is passed over, and only the rest is
/// read in f32. What is found is the same to the bit, for a quarter of the bytes.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    /// The slot of each row, [`NONE`] where a row has no vector.
    slots: Column<u32>,
    /// The row of each slot.
    rows: Column<Row>,
    kept: Kept,
}

/// A row without a vector.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
enum Kept {
    /// The vectors, their outlines, and how far from each vector its outline is at most.
    F32(Slots<f32>, Codes, Column<f32>),
    I8(Codes),
}

/// Vectors as codes, with a scale for each.
#[derive(Debug)]
struct Codes {
    slots: Slots<i8>,
    scales: Column<f32>,
}

/// An embedding made ready to be compared with the vectors of a memory.
#[derive(Debug)]
pub struct VectorQuery(Ready);

#[derive(Debug)]
struct Ready {
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
pub struct Found {
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
    /// No vectors yet, of so many components each.
    pub fn new(dimensions: usize, form: VectorForm) -> Self {
        let kept = match form {
            VectorForm::F32 => {
                Kept::F32(Slots::new(dimensions), Codes::new(dimensions), Column::default())
            }
            VectorForm::I8 => Kept::I8(Codes::new(dimensions)),
        };
        Self { dimensions, slots: Column::default(), rows: Column::default(), kept }
    }

    /// How many components each vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How they are kept.
    pub fn form(&self) -> VectorForm {
        match self.kept {
            Kept::F32(..) => VectorForm::F32,
            Kept::I8(_) => VectorForm::I8,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
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
        match self.kept {
            Kept::F32(..) => self.restore_f32(row, &unit),
            Kept::I8(_) => {
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
        match &mut self.kept {
            Kept::F32(slots, outlines, errors) => {
                slots.swap_remove(slot, last);
                outlines.swap_remove(slot, last);
                errors.swap_remove(slot);
            }
            Kept::I8(codes) => codes.swap_remove(slot, last),
        }
    }

    /// Makes an embedding ready. Refuses what [`check`](Self::check) refuses.
    pub fn query(&self, embedding: &[f64]) -> Result<VectorQuery> {
        self.check(embedding)?;
        let unit = unit(embedding);
        let (codes, scale) = quantise(&unit, max_query_code(self.dimensions));
        let exact = matches!(self.kept, Kept::F32(..)).then(|| Exact {
            components: blocks(&unit),
            length: length(&codes, &codes, |code, _| f64::from(code) * f64::from(scale)),
            slack: rounding_error(&unit, &codes, scale) * LONGEST + summing_error(self.dimensions),
        });
        Ok(VectorQuery(Ready { codes: Factors::new(&codes), scale, exact }))
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
    ) -> Vec<Found> {
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
    ) -> Vec<Found> {
        if limit == 0 {
            return Vec::new();
        }
        let VectorQuery(query) = query;
        let codes = self.codes();
        if query.codes.width() != codes.slots.width
            || query.exact.is_some() != matches!(self.kept, Kept::F32(..))
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
                            best.enter(Found { row: rows[place], score });
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
        match self.kept {
            Kept::F32(..) => self.exact(query, slot),
            Kept::I8(_) if query.exact.is_some() => None,
            Kept::I8(_) => {
                let place = slot % codes.slots.per_segment();
                let mut scores = [0.0; BATCH];
                codes.scores(query, slot - place, &[place; AT_ONCE], &mut scores);
                Some(scores[0])
            }
        }
    }

    fn codes(&self) -> &Codes {
        match &self.kept {
            Kept::F32(_, codes, _) | Kept::I8(codes) => codes,
        }
    }

    /// In f32: makes products of codes into what the scores of some places, in the segment that
    /// begins with a slot, cannot exceed.
    fn raise_to_bounds(
        &self,
        query: &Ready,
        first: usize,
        places: &[usize],
        scores: &mut [f64; BATCH],
    ) {
        if let (Kept::F32(_, codes, errors), Some(exact)) = (&self.kept, &query.exact) {
            let errors = errors.part(first, codes.slots.per_segment());
            for (score, &place) in scores.iter_mut().zip(places) {
                *score += f64::from(errors[place]) * exact.length + exact.slack;
            }
        }
    }

    /// The score of a slot whose vector is kept in f32.
    #[inline(never)]
    fn exact(&self, query: &Ready, slot: usize) -> Option<f64> {
        match (&self.kept, &query.exact) {
            (Kept::F32(slots, ..), Some(exact)) => {
                Some(f64::from(dot_f32(&exact.components, slots.vector(slot))))
            }
            _ => None,
        }
    }

    /// Bytes that the vectors take.
    pub fn bytes(&self) -> usize {
        let each = match &self.kept {
            Kept::F32(slots, codes, _) => {
                slots.bytes_each() + codes.bytes_each() + size_of::<f32>()
            }
            Kept::I8(codes) => codes.bytes_each(),
        };
        self.len() * (each + size_of::<Row>()) + self.slots.len() * size_of::<u32>()
    }

    /// Bytes that there is room for.
    pub fn capacity_bytes(&self) -> usize {
        let kept = match &self.kept {
            Kept::F32(slots, codes, errors) => {
                slots.capacity_bytes() + codes.capacity_bytes() + errors.capacity_bytes()
            }
            Kept::I8(codes) => codes.capacity_bytes(),
        };
        kept + self.rows.capacity_bytes() + self.slots.capacity_bytes()
    }

    /// Bytes that `more` vectors, of rows below `rows`, can take beyond what there is room for, at
    /// most. While a first segment moves to a larger place, the old one is still there.
    pub fn need(&self, more: usize, rows: usize) -> usize {
        if more == 0 {
            return 0;
        }
        let kept = match &self.kept {
            Kept::F32(slots, codes, errors) => {
                let of_codes = codes.need(self.len(), more).saturating_add(errors.need(more));
                slots.need(self.len(), more).saturating_add(of_codes)
            }
            Kept::I8(codes) => codes.need(self.len(), more),
        };
        let slots = self.slots.need(rows.saturating_sub(self.slots.len()));
        kept.saturating_add(slots).saturating_add(self.rows.need(more))
    }

    /// What is kept of a row's vector.
    pub fn stored(&self, row: Row) -> Option<StoredVector<'_>> {
        let slot = self.slot(row)?;
        Some(match &self.kept {
            Kept::F32(slots, ..) => {
                StoredVector::F32(&slots.vector(slot).as_flattened()[..self.dimensions])
            }
            Kept::I8(codes) => StoredVector::I8 {
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
        let Kept::F32(slots, codes, errors) = &mut self.kept else {
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
        let Kept::I8(kept) = &mut self.kept else { panic!("the vectors are kept in i8") };
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

impl Codes {
    fn new(dimensions: usize) -> Self {
        Self { slots: Slots::new(dimensions), scales: Column::default() }
    }

    /// Writes into a slot, or into the next one.
    fn write(&mut self, slot: usize, scale: f32, mut codes: Vec<i8>) {
        offset_binary(&mut codes);
        self.slots.write(slot, &codes);
        self.scales.put(slot, scale);
    }

    /// The codes of a slot, so many.
    fn get(&self, slot: usize, count: usize) -> Vec<i8> {
        let mut codes = self.slots.vector(slot).as_flattened()[..count].to_vec();
        offset_binary(&mut codes);
        codes
    }

    fn swap_remove(&mut self, slot: usize, last: usize) {
        self.slots.swap_remove(slot, last);
        self.scales.swap_remove(slot);
    }

    fn bytes_each(&self) -> usize {
        self.slots.bytes_each() + size_of::<f32>()
    }

    fn capacity_bytes(&self) -> usize {
        self.slots.capacity_bytes() + self.scales.capacity_bytes()
    }

    fn need(&self, length: usize, more: usize) -> usize {
        self.slots.need(length, more).saturating_add(self.scales.need(more))
    }

    /// Scores some places in the segment that begins with a slot.
    #[inline(never)]
    fn scores(&self, query: &Ready, first: usize, places: &[usize], scores: &mut [f64; BATCH]) {
        let (codes, scales) =
            (self.slots.segment(first), self.scales.part(first, self.slots.per_segment()));
        let (places, scores) =
            (places.as_chunks::<AT_ONCE>().0, scores.as_chunks_mut::<AT_ONCE>().0);
        for (scores, places) in scores.iter_mut().zip(places) {
            let sums =
                dots_i8(&query.codes, places.map(|place| &codes[place * query.codes.width()..]));
            *scores = std::array::from_fn(|row| {
                f64::from(sums[row]) * f64::from(scales[places[row]]) * f64::from(query.scale)
            });
        }
    }
}

/// Whether all are below a bar.
#[inline(always)]
fn are_below(scores: &[f64; AT_ONCE], bar: f64) -> bool {
    let bar = F64x2::splat(bar);
    let [first, second] = [0, 2].map(|at| F64x2::new(scores[at], scores[at + 1]).below(bar));
    first.and(second).all()
}

/// The squares of all components, added from the first to the last.
fn squares(embedding: &[f64]) -> f64 {
    embedding.iter().fold(0.0, |sum, component| sum + component * component)
}

/// The embedding scaled to length 1: each component divided in f64, then rounded.
#[inline(never)]
fn unit(embedding: &[f64]) -> Vec<f32> {
    let length = squares(embedding).sqrt();
    embedding.iter().map(|component| (component / length) as f32).collect()
}

/// The largest code of what is kept.
const MAX_CODE: u16 = 127;

/// The largest code of a query: as many as an i16 takes, and so few that no sum of so many products
/// overflows an i32.
fn max_query_code(dimensions: usize) -> u16 {
    let most = i32::MAX as u64 / (u64::from(MAX_CODE) * dimensions as u64);
    most.min(i16::MAX as u64) as u16
}

/// The codes of a vector and their scale.
///
/// The step is the largest component divided by the largest code in f64, then rounded to f32; a
/// code is its component divided by the step in f64, then rounded, halves away from zero. The scale
/// is 1 / the product of codes and vector, which is added in f64 from the first component to the
/// last; it is rounded to f32.
///
/// That product is never 0: no code is of another sign than its component, so that none of the
/// terms is below 0, and the largest component, which is greater than 0 in a vector of length 1,
/// has the largest code.
#[inline(never)]
fn quantise(unit: &[f32], max_code: u16) -> (Vec<i16>, f32) {
    let largest = unit.iter().fold(0.0, |largest: f32, component| largest.max(component.abs()));
    let step = f64::from((f64::from(largest) / f64::from(max_code)) as f32);
    let codes: Vec<i16> =
        unit.iter().map(|&component| (f64::from(component) / step).round() as i16).collect();
    let products =
        codes.iter().zip(unit).map(|(&code, &component)| f64::from(code) * f64::from(component));
    let along = products.fold(0.0, |sum, product| sum + product);
    (codes, (1.0 / along) as f32)
}

/// The codes of an outline, and its scale: the largest component has the code 127. Unlike
/// [`quantise`], in f32 throughout, since what it is off by is measured anyway.
#[inline(never)]
fn outline(unit: &[f32]) -> (Vec<i8>, f32) {
    let largest = unit.iter().fold(0.0, |largest: f32, component| largest.max(component.abs()));
    let per_unit = f32::from(MAX_CODE) / largest;
    // Where floats are whole numbers, adding rounds, and the last byte is what was added: that goes
    // in lanes.
    let code = |component: &f32| (component * per_unit + WHOLE_NUMBERS).to_bits() as i8;
    (unit.iter().map(code).collect(), largest / f32::from(MAX_CODE))
}

/// The middle of those f32 whose last bit counts one.
const WHOLE_NUMBERS: f32 = 12_582_912.0;

/// The greatest length of a vector that was scaled to length 1, or was read from a snapshot.
const LONGEST: f64 = 1.001;

/// Whether a vector can have been scaled to length 1.
pub fn is_unit(components: &[f32]) -> bool {
    let length = length(components, components, |component, _| f64::from(component));
    (2.0 - LONGEST..=LONGEST).contains(&length)
}

/// How far a vector is from what its codes stand for; rounding in here is made up for.
fn rounding_error<C: Copy + Into<f64>>(unit: &[f32], codes: &[C], scale: f32) -> f64 {
    let off = |component: f32, code: C| f64::from(component) - code.into() * f64::from(scale);
    length(unit, codes, off) * (1.0 + 1e-9)
}

/// How far a sum of products in f32, as it is taken for a score, can be from the exact one, at
/// most, where both vectors have length 1: each step rounds by no more than 2⁻²⁴ of what it adds
/// up, and twice that is allowed for.
fn summing_error(dimensions: usize) -> f64 {
    (dimensions.div_ceil(LANES) + LANES.ilog2() as usize + 1) as f64 * f64::from(f32::EPSILON)
}

/// The length of a vector each component of which is made of two numbers, its squares added in
/// eight lanes.
#[inline(always)]
fn length<A: Copy, B: Copy>(first: &[A], second: &[B], component: impl Fn(A, B) -> f64) -> f64 {
    let square = |(&first, &second): (&A, &B)| {
        let component = component(first, second);
        component * component
    };
    let ((firsts, first_rest), (seconds, second_rest)) =
        (first.as_chunks::<8>(), second.as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (first, second) in firsts.iter().zip(seconds) {
        lanes
            .iter_mut()
            .zip(first.iter().zip(second))
            .for_each(|(lane, pair)| *lane += square(pair));
    }
    let rest = first_rest.iter().zip(second_rest).fold(0.0, |sum, pair| sum + square(pair));
    (lanes.iter().sum::<f64>() + rest).sqrt()
}

/// Components in blocks, the last one padded with zeros.
fn blocks<T: Copy + Default>(components: &[T]) -> Vec<Block<T>> {
    let mut blocks = vec![[T::default(); LANES]; components.len().div_ceil(LANES)];
    blocks.as_flattened_mut()[..components.len()].copy_from_slice(components);
    blocks
}

/// Bytes of a segment, or up to half as many; fewer, where a segment of a column takes no more of
/// them.
const SEGMENT_BYTES: usize = 4 << 20;
/// Rows that are scored one after the other before any of them is compared with the best.
const BATCH: usize = 64;

/// The components of vectors side by side, without gaps, in segments: growing copies nothing but
/// the first one.
#[derive(Debug)]
struct Slots<T> {
    /// Blocks of a vector.
    width: usize,
    /// Bits of a place within its segment.
    bits: u32,
    /// All full but the last in use; behind it at most one to spare.
    segments: Vec<Vec<Block<T>>>,
}

impl<T: Copy + Default> Slots<T> {
    fn new(dimensions: usize) -> Self {
        let mut slots = Self { width: dimensions.div_ceil(LANES), bits: 0, segments: Vec::new() };
        slots.bits = (SEGMENT_BYTES / slots.bytes_each().max(1)).clamp(1, SEGMENT).ilog2();
        slots
    }

    /// Vectors in a segment.
    fn per_segment(&self) -> usize {
        1 << self.bits
    }

    fn bytes_each(&self) -> usize {
        self.width * size_of::<Block<T>>()
    }

    /// Bytes that `more` vectors beside so many can take beyond what there is room for, at most.
    fn need(&self, length: usize, more: usize) -> usize {
        let each = self.bytes_each().max(1);
        growth(self.capacity_bytes() / each, length.saturating_add(more), self.per_segment())
            .saturating_mul(each)
    }

    fn capacity_bytes(&self) -> usize {
        room(&self.segments, self.width << self.bits) * size_of::<Block<T>>()
    }

    /// The segment of a slot, and where it begins therein.
    #[inline(always)]
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot >> self.bits, (slot & ((1 << self.bits) - 1)) * self.width)
    }

    fn vector(&self, slot: usize) -> &[Block<T>] {
        let (at, start) = self.place(slot);
        &self.segments[at][start..][..self.width]
    }

    /// The segment that begins with a slot.
    fn segment(&self, first: usize) -> &[Block<T>] {
        &self.segments[first >> self.bits]
    }

    /// Writes into a slot, or into the next one.
    fn write(&mut self, slot: usize, components: &[T]) {
        let blocks = blocks(components);
        let (at, start) = self.place(slot);
        if at == self.segments.len() {
            self.segments.push(Vec::new());
        }
        let segment = &mut self.segments[at];
        if start < segment.len() {
            segment[start..][..self.width].copy_from_slice(&blocks);
            return;
        }
        if start == segment.capacity() {
            let whole = 1 << self.bits;
            let room = if at == 0 { doubled(slot).min(whole) } else { whole };
            segment.reserve_exact(room * self.width - start);
        }
        segment.extend_from_slice(&blocks);
    }

    /// Moves the last vector into a slot.
    fn swap_remove(&mut self, slot: usize, last: usize) {
        let ((to, start), (from, end)) = (self.place(slot), self.place(last));
        let mut segment = std::mem::take(&mut self.segments[from]);
        if from == to {
            segment.copy_within(end.., start);
        } else {
            self.segments[to][start..][..self.width].copy_from_slice(&segment[end..]);
        }
        segment.truncate(end);
        self.segments[from] = segment;
        self.segments.truncate(last.div_ceil(1 << self.bits) + 1);
    }
}

/// The best rows so far.
struct Best<'a> {
    limit: usize,
    /// A score below this is not among them.
    bar: f64,
    /// As soon as there are as many as are wanted, a heap, the worst on top.
    standings: Vec<Found>,
    sequence: &'a dyn Fn(Row) -> f64,
}

impl<'a> Best<'a> {
    fn new(limit: usize, most: usize, sequence: &'a dyn Fn(Row) -> f64) -> Self {
        Self {
            limit,
            bar: f64::NEG_INFINITY,
            standings: Vec::with_capacity(limit.min(most)),
            sequence,
        }
    }

    #[inline(never)]
    fn enter(&mut self, newcomer: Found) {
        if self.standings.len() < self.limit {
            self.standings.push(newcomer);
            if self.standings.len() < self.limit {
                return;
            }
            self.make_heap();
        } else if self.is_behind(&self.standings[0], &newcomer) {
            self.standings[0] = newcomer;
            self.sink(0, self.limit);
        }
        self.bar = self.standings[0].score;
    }

    fn make_heap(&mut self) {
        for place in (0..self.standings.len() / 2).rev() {
            self.sink(place, self.standings.len());
        }
    }

    /// From the best to the worst: whoever is on top of the heap goes behind all others, again and
    /// again.
    fn take(mut self) -> Vec<Found> {
        if self.standings.len() < self.limit {
            self.make_heap();
        }
        for end in (1..self.standings.len()).rev() {
            self.standings.swap(0, end);
            self.sink(0, end);
        }
        self.standings
    }

    fn is_behind(&self, one: &Found, other: &Found) -> bool {
        let place = |row| ((self.sequence)(row), row);
        one.score < other.score || (one.score == other.score && place(one.row) > place(other.row))
    }

    /// Moves an entry down the heap, which ends before a place, until none below it is worse.
    #[inline(never)]
    fn sink(&mut self, mut place: usize, end: usize) {
        let moving = self.standings[place];
        loop {
            let heap = &self.standings[..end];
            let mut below = 2 * place + 1;
            if below + 1 < end && self.is_behind(&heap[below + 1], &heap[below]) {
                below += 1;
            }
            if below >= end || !self.is_behind(&heap[below], &moving) {
                self.standings[place] = moving;
                return;
            }
            self.standings[place] = heap[below];
            place = below;
        }
    }
}
