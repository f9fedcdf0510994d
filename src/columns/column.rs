//! A column: a list that grows by segments, so that growing copies nothing and at most one segment
//! is spare.

/// Bits of a place within its segment.
const SEGMENT_BITS: u32 = 16;
/// Entries of a segment. The columns of a node take some 4 MiB for as many.
pub const SEGMENT: usize = 1 << SEGMENT_BITS;

/// A list in segments of [`SEGMENT`] entries. The first one alone grows as it is needed, so that a
/// small memory is small.
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
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
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

    /// Adds an entry that there is no room for yet.
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

    /// Takes the last entry away, if there is one. A segment goes with its last entry.
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

    /// The entry at a place that is there. Out of line, as it is asked for in many places; loops
    /// take [`Column::at`].
    #[inline(never)]
    pub fn get(&self, place: usize) -> T {
        self.at(place)
    }

    /// [`Column::get`] for loops that count their nanoseconds.
    #[inline(always)]
    pub fn at(&self, place: usize) -> T {
        self.segments[place >> SEGMENT_BITS][place & (SEGMENT - 1)]
    }

    /// Changes the entry at a place that is there.
    #[inline(never)]
    pub fn set(&mut self, place: usize, value: T) {
        self.segments[place >> SEGMENT_BITS][place & (SEGMENT - 1)] = value;
    }

    /// Changes the entry at a place that is there, or adds the next one.
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

    /// The entries from a place on, as many as are wanted, or up to the end of the segment.
    pub(super) fn part(&self, from: usize, wanted: usize) -> &[T] {
        let (segment, place) = (&self.segments[from >> SEGMENT_BITS], from & (SEGMENT - 1));
        &segment[place..segment.len().min(place.saturating_add(wanted))]
    }

    /// All entries, where they fit into one segment.
    pub fn as_one(&self) -> Option<&[T]> {
        match &self.segments[..] {
            [] => Some(&[]),
            [only] => Some(only),
            _ => None,
        }
    }

    /// The segments in order, all full but the last.
    pub fn segments(&self) -> &[Vec<T>] {
        &self.segments
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.segments.iter().flatten().copied()
    }

    /// Bytes that there is room for.
    pub fn capacity_bytes(&self) -> usize {
        self.room() * size_of::<T>()
    }

    fn room(&self) -> usize {
        room(&self.segments, SEGMENT)
    }

    /// Bytes that `more` entries, added one by one, can take beyond what there is room for, at
    /// most. While the first segment moves to a larger place, the old one is still there.
    pub fn need(&self, more: usize) -> usize {
        growth(self.room(), self.length.saturating_add(more), SEGMENT)
            .saturating_mul(size_of::<T>())
    }
}

/// Entries that a list takes beyond its room until `wanted` fit in, the most at any moment. It
/// grows by segments of `whole` entries, the first one by [`doubled`]; while that moves to a larger
/// place, the old one is still there.
///
/// `wanted` may be what a damaged count says: `usize::MAX` stands for all that is more.
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

/// Entries that there is room for in segments of `whole` entries, of which only the first can be
/// smaller, as long as it is the only one.
#[inline(always)]
pub(super) fn room<T>(segments: &[Vec<T>], whole: usize) -> usize {
    match segments {
        [] => 0,
        [only] => only.capacity(),
        all => all.len() * whole,
    }
}

/// The room of a first segment after it has been full.
pub(super) fn doubled(room: usize) -> usize {
    (2 * room).max(4)
}
