//! Finds many strings in one pass over a text.
//!
//! An automaton (Aho and Corasick, 1975) with every transition written out, over classes of bytes
//! instead of bytes, so that it fits into a processor's first caches.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer};

use crate::settings::wrong_number;

/// The most states: their numbers have 16 bits.
pub const MAX_STATES: usize = 1 << 16;
/// The most strings of a configured list. Their places fit into 16 bits.
const MAX_STRINGS: usize = 10_000;
const ROOT: u16 = 0;

/// Reads a list of strings that fit into one [`Automaton`].
pub(crate) fn read_sought<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let strings = Vec::<String>::deserialize(deserializer)?;
    if strings.len() > MAX_STRINGS {
        let problem = format!("must have at most {MAX_STRINGS} entries");
        return Err(wrong_number(strings.len() as f64, &problem));
    }
    let bytes: usize = strings.iter().map(String::len).sum();
    if bytes > MAX_STATES - 1 {
        let problem = format!("must not exceed {} bytes in all", MAX_STATES - 1);
        return Err(wrong_number(bytes as f64, &problem));
    }
    Ok(strings)
}

/// The automaton of some strings. Each string has a place and a mark of up to eight bits.
#[derive(Debug)]
pub struct Automaton {
    /// The class of each byte. ASCII capitals share the class of their small letters. Bytes of
    /// class 0 are in no string.
    classes: [u8; 256],
    /// log2 of the length of a state's row in `next`.
    row_bits: u32,
    /// The next state, by state and class.
    next: Vec<u16>,
    /// The marks of all strings that end in a state, those of its suffixes included.
    marks: Vec<u8>,
    /// The union of all marks.
    every: u8,
    /// The places of the strings that end in a state, without those of its suffixes.
    ends: Vec<Vec<u16>>,
    /// The longest proper suffix of a state in which a string ends, or ROOT if there is none.
    shorter: Vec<u16>,
}

impl Automaton {
    /// Creates the automaton of strings in lower case, with fewer than [`MAX_STATES`] bytes in
    /// all. Marks are not 0.
    pub fn new<'a>(strings: impl Iterator<Item = (&'a str, u8)>) -> Self {
        Self::of(&strings.collect::<Vec<_>>())
    }

    /// Not generic: one copy of it in the module serves all callers.
    fn of(strings: &[(&str, u8)]) -> Self {
        let mut classes = [0; 256];
        let mut class_count = 1;
        for &byte in strings.iter().flat_map(|(string, _)| string.as_bytes()) {
            let class = &mut classes[usize::from(byte)];
            if *class == 0 {
                // UTF-8 has fewer than 255 byte values, so the count stays within a byte.
                *class = class_count;
                class_count += 1;
            }
        }
        for letter in b'a'..=b'z' {
            classes[usize::from(letter.to_ascii_uppercase())] = classes[usize::from(letter)];
        }
        let row_bits = usize::from(class_count).next_power_of_two().trailing_zeros();
        let mut built = Self {
            classes,
            row_bits,
            next: Vec::new(),
            marks: Vec::new(),
            every: 0,
            ends: Vec::new(),
            shorter: Vec::new(),
        };
        built.add_state();
        for (place, &(string, mark)) in strings.iter().enumerate() {
            built.add_string(place as u16, string, mark);
        }
        built.complete();
        built
    }

    fn add_state(&mut self) -> u16 {
        let state = self.marks.len() as u16;
        self.next.resize(self.next.len() + (1 << self.row_bits), ROOT);
        self.marks.push(0);
        self.ends.push(Vec::new());
        self.shorter.push(ROOT);
        state
    }

    fn slot(&self, state: u16, class: u8) -> usize {
        usize::from(state) << self.row_bits | usize::from(class)
    }

    fn add_string(&mut self, place: u16, string: &str, mark: u8) {
        let mut state = ROOT;
        for &byte in string.as_bytes() {
            let slot = self.slot(state, self.classes[usize::from(byte)]);
            state = match self.next[slot] {
                ROOT => {
                    let state = self.add_state();
                    self.next[slot] = state;
                    state
                }
                known => known,
            };
        }
        self.ends[usize::from(state)].push(place);
        self.marks[usize::from(state)] |= mark;
        self.every |= mark;
    }

    /// Turns the trie of strings into an automaton. From the root outwards, a missing transition of
    /// a state becomes that of its longest proper suffix.
    fn complete(&mut self) {
        let mut suffix = vec![ROOT; self.marks.len()];
        let mut queue = VecDeque::from([ROOT]);
        while let Some(state) = queue.pop_front() {
            for class in 0..1u16 << self.row_bits {
                let slot = self.slot(state, class as u8);
                let fallback = self.next[self.slot(suffix[usize::from(state)], class as u8)];
                let next = self.next[slot];
                if next == ROOT {
                    self.next[slot] = fallback;
                    continue;
                }
                let onward = if state == ROOT { ROOT } else { fallback };
                suffix[usize::from(next)] = onward;
                self.marks[usize::from(next)] |= self.marks[usize::from(onward)];
                self.shorter[usize::from(next)] = match self.ends[usize::from(onward)].is_empty() {
                    true => self.shorter[usize::from(onward)],
                    false => onward,
                };
                queue.push_back(next);
            }
        }
    }

    /// Returns the union of the marks of all strings that occur anywhere.
    pub fn marks(&self, text: &[u8]) -> u8 {
        let mut found = 0;
        let mut state = ROOT;
        for &byte in text {
            state = self.next[self.slot(state, self.classes[usize::from(byte)])];
            found |= self.marks[usize::from(state)];
            if found == self.every {
                break;
            }
        }
        found
    }

    /// Calls `report` for every occurrence of every string, with the place of the string and the
    /// end of the occurrence in the text. Of occurrences with one end the longest comes first.
    pub fn occurrences(&self, text: &[u8], mut report: impl FnMut(usize, usize)) {
        let mut state = ROOT;
        for (place, &byte) in text.iter().enumerate() {
            state = self.next[self.slot(state, self.classes[usize::from(byte)])];
            if self.marks[usize::from(state)] == 0 {
                continue;
            }
            let mut ending = state;
            loop {
                for &string in &self.ends[usize::from(ending)] {
                    report(usize::from(string), place + 1);
                }
                ending = self.shorter[usize::from(ending)];
                if ending == ROOT {
                    break;
                }
            }
        }
    }
}
