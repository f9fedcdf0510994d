//! A column: a list of segments. Growing copies at most the first segment, and at most one segment
//! is spare.

/// The number of bits of a place within its segment.
const SEGMENT_BITS: u32 = 16;
/// Entries of a segment. The columns of nodes take about 4 MiB for this many.
pub const SEGMENT: usize = 1 << SEGMENT_BITS;

/// A list in segments of [`SEGMENT`] entries. Only the first segment grows by doubling, so that a
/// small index is small.
#[derive(Debug)]
pub struct Column<T> {
    segments: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { segments: Vec::new(), length: 0 }
    }
}

impl<T: Copy> Column<T> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds an entry.
    #[inline(never)]
    pub fn push(&mut self, value: T) {
        match self.segments.last_mut() {
            Some(last) if last.len() < last.capacity().min(SEGMENT) => last.push(value),
            _ => self.push_grown(value),
        }
        self.length += 1;
    }

    /// Adds an entry that needs an allocation.
    #[cold]
    #[inline(never)]
    fn push_grown(&mut self, value: T) {
        let place = self.length & (SEGMENT - 1);
        if place == 0 {
            self.segments.push(Vec::new());
        }
        let room = if self.segments.len() == 1 { doubled(place).min(SEGMENT) } else { SEGMENT };
        if let Some(last) = self.segments.last_mut() {
            last.reserve_exact(room - place);
            last.push(value);
        }
    }

    /// Removes the last entry, if there is one. A segment is freed with its last entry.
    #[inline(never)]
    pub(super) fn pop(&mut self) {
        if let Some(last) = self.segments.last_mut() {
            last.pop();
            self.length -= 1;
            if last.is_empty() {
                self.segments.pop();
            }
        }
    }

    /// Returns the entry at a place, which must exist. Out of line, because it has many callers;
    /// loops use [`Column::at`].
    #[inline(never)]
    pub fn get(&self, place: usize) -> T {
        self.at(place)
    }

    /// [`Column::get`], inlined for hot loops.
    #[inline(always)]
    pub fn at(&self, place: usize) -> T {
        self.segments[place >> SEGMENT_BITS][place & (SEGMENT - 1)]
    }

    /// Changes the entry at a place, which must exist.
    #[inline(never)]
    pub fn set(&mut self, place: usize, value: T) {
        self.segments[place >> SEGMENT_BITS][place & (SEGMENT - 1)] = value;
    }

    /// Changes the entry at a place, or adds it if the place is the next one.
    pub(super) fn put(&mut self, place: usize, value: T) {
        if place == self.length {
            self.push(value);
        } else {
            self.set(place, value);
        }
    }

    /// Moves the last entry to a place.
    pub(super) fn swap_remove(&mut self, place: usize) {
        self.set(place, self.get(self.length - 1));
        self.pop();
    }

    /// Returns the entries from a place on: `wanted` entries, or fewer at the end of the segment.
    pub(super) fn part(&self, from: usize, wanted: usize) -> &[T] {
        let (segment, place) = (&self.segments[from >> SEGMENT_BITS], from & (SEGMENT - 1));
        &segment[place..segment.len().min(place.saturating_add(wanted))]
    }

    /// Returns all entries if they are in one segment.
    pub fn as_one(&self) -> Option<&[T]> {
        match &self.segments[..] {
            [] => Some(&[]),
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the segments in order. All but the last are full.
    pub fn segments(&self) -> &[Vec<T>] {
        &self.segments
    }

    /// Returns the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.segments.iter().flatten().copied()
    }

    /// Returns the allocated bytes.
    pub fn capacity_bytes(&self) -> usize {
        self.room() * size_of::<T>()
    }

    fn room(&self) -> usize {
        room(&self.segments, SEGMENT)
    }

    /// Returns the most bytes that adding `more` entries one by one can take beyond the allocated
    /// ones. While the first segment moves, its old allocation still exists.
    pub fn need(&self, more: usize) -> usize {
        growth(self.room(), self.length.saturating_add(more), SEGMENT)
            .saturating_mul(size_of::<T>())
    }
}

/// Returns the most entries that are allocated at any moment beyond `room`, until `wanted` fit. A
/// list grows by segments of `whole` entries, the first one by [`doubled`]. While that moves, its
/// old allocation still exists.
///
/// `wanted` may come from a damaged snapshot: the result saturates at `usize::MAX`.
#[inline(never)]
pub(super) fn growth(room: usize, wanted: usize, whole: usize) -> usize {
    let before = room.min(whole);
    let (mut old, mut first) = (0, before);
    while first < wanted.min(whole) {
        old = first;
        first = doubled(first).min(whole);
    }
    let others = wanted.div_ceil(whole).saturating_mul(whole).saturating_sub(room.max(whole));
    others.saturating_add(old + first - before)
}

/// Returns the allocated entries of segments of `whole` entries. Only a single segment can be
/// smaller.
#[inline(always)]
pub(super) fn room<T>(segments: &[Vec<T>], whole: usize) -> usize {
    match segments {
        [] => 0,
        [only] => only.capacity(),
        all => all.len() * whole,
    }
}

/// Returns the capacity of a first segment after it was full.
pub(super) fn doubled(room: usize) -> usize {
    (2 * room).max(4)
}
