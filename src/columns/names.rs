//! Names as numbers: types, subtypes, tags and clusters are kept once, and nodes hold their codes.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::column::growth;

/// Texts and their codes, in the order of first sight. A text that something was given is kept for
/// good.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Rc<str>>,
    codes: FxHashMap<Rc<str>, u32>,
    text_bytes: usize,
}

/// What a text or a set has beside its content: its counts, and what allocation adds.
const BLOCK: usize = 2 * size_of::<usize>() + 16;

/// Bytes that a list and a map of the same entries have room for.
fn room<L, M>(list: usize, map: usize) -> usize {
    list * size_of::<L>() + places(map) * place::<M>()
}

/// Bytes that so many entries can take beyond that, at most: while one moves to a larger place, the
/// old one is still there.
fn need<L, M>(list: usize, map: usize, wanted: usize) -> usize {
    let list = growth(list, wanted, usize::MAX).saturating_mul(size_of::<L>());
    list.saturating_add(
        growth(places(map), places(wanted), usize::MAX).saturating_mul(place::<M>()),
    )
}

/// The places of a map that takes so many entries: one in eight stays free.
fn places(entries: usize) -> usize {
    if entries == 0 { 0 } else { (entries * 8 / 7).next_power_of_two() }
}

/// Bytes of a place: a map has a byte beside each entry.
const fn place<M>() -> usize {
    size_of::<M>() + 1
}

impl Names {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// The code of a text, if it has one.
    pub fn code(&self, text: &str) -> Option<u32> {
        self.codes.get(text).copied()
    }

    /// The code of a text, a new one where it has none.
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

    /// Forgets all texts but the first `count`; nothing has the codes of the others.
    pub fn truncate(&mut self, count: usize) {
        for text in self.texts.drain(count.min(self.texts.len())..) {
            self.text_bytes -= text.len();
            self.codes.remove(&text);
        }
    }

    /// The text of a code that was given.
    pub fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    /// All texts in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Bytes that the texts take.
    pub fn bytes(&self) -> usize {
        self.text_bytes + self.count() * (BLOCK + size_of::<Rc<str>>() + place::<(Rc<str>, u32)>())
    }

    /// Bytes that there is room for.
    pub fn capacity_bytes(&self) -> usize {
        let lists = room::<Rc<str>, (Rc<str>, u32)>(self.texts.capacity(), self.codes.capacity());
        self.text_bytes + self.count() * BLOCK + lists
    }

    /// Bytes of all texts together.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Bytes that `more` texts, which have `bytes` together, can take beyond what there is room
    /// for, at most.
    pub fn need(&self, more: usize, bytes: usize) -> usize {
        let lists = need::<Rc<str>, (Rc<str>, u32)>(
            self.texts.capacity(),
            self.codes.capacity(),
            self.count() + more,
        );
        lists.saturating_add(bytes + more * BLOCK)
    }
}

/// A tag or a cluster, as sets hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(u32);

impl Label {
    /// The tag of a code.
    pub fn tag(code: u32) -> Self {
        Self(code << 1)
    }

    /// The cluster of a code.
    pub fn cluster(code: u32) -> Self {
        Self(code << 1 | 1)
    }

    /// The label in the form in which snapshots hold it.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The label of such bits.
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The code, where this is a tag.
    pub fn as_tag(self) -> Option<u32> {
        (self.0 & 1 == 0).then_some(self.0 >> 1)
    }

    /// The code, where this is a cluster.
    pub fn as_cluster(self) -> Option<u32> {
        (self.0 & 1 == 1).then_some(self.0 >> 1)
    }
}

/// Sets of labels, each kept once however many nodes have it, and no longer than one does.
#[derive(Debug)]
pub struct LabelSets {
    sets: Vec<LabelSet>,
    places: FxHashMap<Rc<[Label]>, u32>,
    free: Vec<u32>,
    /// Bytes of the labels of the sets that are used, with their blocks.
    label_bytes: usize,
}

#[derive(Debug)]
struct LabelSet {
    labels: Rc<[Label]>,
    users: u32,
}

/// The set without a label.
pub const NO_LABELS: u32 = 0;

/// What a set is in the list, with the place that it may take among the free ones, and in the map.
type Listed = (LabelSet, u32);
type Mapped = (Rc<[Label]>, u32);

impl Default for LabelSets {
    fn default() -> Self {
        let none = LabelSet { labels: Rc::default(), users: 0 };
        Self { sets: vec![none], places: FxHashMap::default(), free: Vec::new(), label_bytes: 0 }
    }
}

impl LabelSets {
    /// The labels of a set, in the order in which they were given.
    pub fn labels(&self, set: u32) -> &[Label] {
        &self.sets[set as usize].labels
    }

    /// The set of these labels, with one user more. No label is there twice.
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
        let new = LabelSet { labels: Rc::clone(&labels), users: 1 };
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

    /// Adds a user to a set that has one.
    pub fn share(&mut self, set: u32) -> u32 {
        if set != NO_LABELS {
            self.sets[set as usize].users += 1;
        }
        set
    }

    /// Below this is every set.
    pub fn bound(&self) -> usize {
        self.sets.len()
    }

    /// All labels of all sets, some more than once.
    pub fn all_labels(&self) -> impl Iterator<Item = Label> {
        self.sets.iter().flat_map(|set| set.labels.iter().copied())
    }

    /// Takes one user from a set.
    pub fn release(&mut self, set: u32) {
        if set == NO_LABELS {
            return;
        }
        let LabelSet { labels, users } = &mut self.sets[set as usize];
        *users -= 1;
        if *users == 0 {
            let labels = std::mem::take(labels);
            self.label_bytes -= Self::cost(&labels);
            self.places.remove(&labels);
            self.free.push(set);
        }
    }

    /// Bytes that the sets take which are used.
    pub fn bytes(&self) -> usize {
        self.label_bytes + self.places.len() * (size_of::<Listed>() + place::<Mapped>())
    }

    /// Bytes that there is room for.
    pub fn capacity_bytes(&self) -> usize {
        self.label_bytes + room::<Listed, Mapped>(self.sets.capacity(), self.places.capacity())
    }

    /// Bytes that `more` sets, which have so many labels together, can take beyond what there is
    /// room for, at most.
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
