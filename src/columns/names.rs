//! Codes of names: types, subtypes, tags and clusters are stored once, and nodes hold their codes.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::column::growth;

/// Texts and their codes, numbered by first occurrence. A text keeps its code for good.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Rc<str>>,
    codes: FxHashMap<Rc<str>, u32>,
    text_bytes: usize,
}

/// The overhead of a text or a set: its counts, and the overhead of an allocation.
const BLOCK: usize = 2 * size_of::<usize>() + 16;

/// Returns the allocated bytes of a list and a map of the same entries.
fn room<L, M>(list: usize, map: usize) -> usize {
    list * size_of::<L>() + places(map) * place::<M>()
}

/// Returns the most bytes that `wanted` entries can take beyond the allocated ones. While a list or
/// map moves, its old allocation still exists.
fn need<L, M>(list: usize, map: usize, wanted: usize) -> usize {
    let list = growth(list, wanted, usize::MAX).saturating_mul(size_of::<L>());
    list.saturating_add(
        growth(places(map), places(wanted), usize::MAX).saturating_mul(place::<M>()),
    )
}

/// Returns the places of a map of this many entries: one in eight stays free.
fn places(entries: usize) -> usize {
    if entries == 0 { 0 } else { (entries * 8 / 7).next_power_of_two() }
}

/// Returns the bytes of a place. A map has one more byte for each.
const fn place<M>() -> usize {
    size_of::<M>() + 1
}

impl Names {
    /// Returns the number of texts.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// Returns the code of a text, or `None` if the text has none.
    pub fn code(&self, text: &str) -> Option<u32> {
        self.codes.get(text).copied()
    }

    /// Returns the code of a text. A new text gets a new code.
    pub fn code_or_new(&mut self, text: &str) -> u32 {
        self.code(text).unwrap_or_else(|| {
            let code = self.texts.len() as u32;
            let text: Rc<str> = text.into();
            self.text_bytes += text.len();
            self.texts.push(Rc::clone(&text));
            self.codes.insert(text, code);
            code
        })
    }

    /// Removes all texts but the first `count`. Nothing may use the codes of the others.
    pub fn truncate(&mut self, count: usize) {
        for text in self.texts.drain(count.min(self.texts.len())..) {
            self.text_bytes -= text.len();
            self.codes.remove(&text);
        }
    }

    /// Returns the text of a code, which must exist.
    pub fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    /// Returns all texts in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Returns the bytes of the texts.
    pub fn bytes(&self) -> usize {
        self.text_bytes + self.count() * (BLOCK + size_of::<Rc<str>>() + place::<(Rc<str>, u32)>())
    }

    /// Returns the allocated bytes.
    pub fn capacity_bytes(&self) -> usize {
        let lists = room::<Rc<str>, (Rc<str>, u32)>(self.texts.capacity(), self.codes.capacity());
        self.text_bytes + self.count() * BLOCK + lists
    }

    /// Returns the bytes of all texts together, without overhead.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Returns the most bytes that `more` texts of `bytes` bytes in all can take beyond the
    /// allocated ones.
    pub fn need(&self, more: usize, bytes: usize) -> usize {
        let lists = need::<Rc<str>, (Rc<str>, u32)>(
            self.texts.capacity(),
            self.codes.capacity(),
            self.count() + more,
        );
        lists.saturating_add(bytes + more * BLOCK)
    }
}

/// A tag or a cluster in a set of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(u32);

impl Label {
    /// Returns the label of a tag.
    pub fn tag(code: u32) -> Self {
        Self(code << 1)
    }

    /// Returns the label of a cluster.
    pub fn cluster(code: u32) -> Self {
        Self(code << 1 | 1)
    }

    /// Returns one of 64 bits. Labels share bits, evenly.
    fn mark(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9E37_79B9) >> 26)
    }

    /// Returns the label as snapshots store it.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the label of stored bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the code of a tag, or `None` for a cluster.
    pub fn as_tag(self) -> Option<u32> {
        (self.0 & 1 == 0).then_some(self.0 >> 1)
    }

    /// Returns the code of a cluster, or `None` for a tag.
    pub fn as_cluster(self) -> Option<u32> {
        (self.0 & 1 == 1).then_some(self.0 >> 1)
    }
}

/// Sets of labels. Each is stored once for all nodes that have it, and freed with the last of them.
#[derive(Debug)]
pub struct LabelSets {
    sets: Vec<LabelSet>,
    places: FxHashMap<Rc<[Label]>, u32>,
    free: Vec<u32>,
    /// The bytes of the labels of sets in use, overhead included.
    label_bytes: usize,
}

#[derive(Debug)]
struct LabelSet {
    labels: Rc<[Label]>,
    users: u32,
    /// The marks of all labels. A filter asks the sets of all memories for a label that few have:
    /// the marks rule out most of them, without reading the labels from elsewhere in memory.
    marks: u64,
}

impl LabelSet {
    fn new(labels: Rc<[Label]>, users: u32) -> Self {
        let marks = labels.iter().fold(0, |marks, label| marks | label.mark());
        Self { labels, users, marks }
    }
}

/// The number of the empty set.
pub const NO_LABELS: u32 = 0;

/// A set in the list, a place among the free ones, and a key of the map, for counting bytes.
type Listed = (LabelSet, u32);
type Mapped = (Rc<[Label]>, u32);

impl Default for LabelSets {
    fn default() -> Self {
        let none = LabelSet::new(Rc::default(), 0);
        Self { sets: vec![none], places: FxHashMap::default(), free: Vec::new(), label_bytes: 0 }
    }
}

impl LabelSets {
    /// Returns the labels of a set, in the order in which they were added.
    pub fn labels(&self, set: u32) -> &[Label] {
        &self.sets[set as usize].labels
    }

    /// Whether a set has a label.
    #[inline]
    pub fn holds(&self, set: u32, label: Label) -> bool {
        let LabelSet { labels, marks, .. } = &self.sets[set as usize];
        marks & label.mark() != 0 && labels.contains(&label)
    }

    /// Returns the set of these labels, which must differ, and counts one more user of it.
    pub fn acquire(&mut self, labels: &[Label]) -> u32 {
        if labels.is_empty() {
            return NO_LABELS;
        }
        if let Some(&set) = self.places.get(labels) {
            self.sets[set as usize].users += 1;
            return set;
        }
        let labels: Rc<[Label]> = labels.into();
        self.label_bytes += Self::cost(&labels);
        let new = LabelSet::new(Rc::clone(&labels), 1);
        let set = match self.free.pop() {
            Some(set) => {
                self.sets[set as usize] = new;
                set
            }
            None => {
                self.sets.push(new);
                self.sets.len() as u32 - 1
            }
        };
        self.places.insert(labels, set);
        set
    }

    /// Counts one more user of a set that is in use.
    pub fn share(&mut self, set: u32) -> u32 {
        if set != NO_LABELS {
            self.sets[set as usize].users += 1;
        }
        set
    }

    /// Returns a number above that of every set.
    pub fn bound(&self) -> usize {
        self.sets.len()
    }

    /// Returns the labels of all sets. Some labels are returned more than once.
    pub fn all_labels(&self) -> impl Iterator<Item = Label> {
        self.sets.iter().flat_map(|set| set.labels.iter().copied())
    }

    /// Counts one user of a set less, and frees the set after the last.
    pub fn release(&mut self, set: u32) {
        if set == NO_LABELS {
            return;
        }
        let LabelSet { labels, users, .. } = &mut self.sets[set as usize];
        *users -= 1;
        if *users == 0 {
            let labels = std::mem::take(labels);
            self.label_bytes -= Self::cost(&labels);
            self.places.remove(&labels);
            self.free.push(set);
        }
    }

    /// Returns the bytes of the sets in use.
    pub fn bytes(&self) -> usize {
        self.label_bytes + self.places.len() * (size_of::<Listed>() + place::<Mapped>())
    }

    /// Returns the allocated bytes.
    pub fn capacity_bytes(&self) -> usize {
        self.label_bytes + room::<Listed, Mapped>(self.sets.capacity(), self.places.capacity())
    }

    /// Returns the most bytes that `more` sets with `labels` labels in all can take beyond the
    /// allocated ones.
    pub fn need(&self, more: usize, labels: usize) -> usize {
        if more == 0 {
            return 0;
        }
        let wanted = self.sets.len() + more.saturating_sub(self.free.len());
        let lists = need::<Listed, Mapped>(self.sets.capacity(), self.places.capacity(), wanted);
        lists.saturating_add(labels * size_of::<Label>() + more * BLOCK)
    }

    fn cost(labels: &[Label]) -> usize {
        size_of_val(labels) + BLOCK
    }
}
