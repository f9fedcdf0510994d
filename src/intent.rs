//! Intent: which sections a question asks for, judged by its words.
//!
//! All strings of all sections are sought in one pass over the question, whatever their number: they form one
//! automaton (Aho and Corasick, 1975) with every transition written out, over classes of bytes rather than
//! bytes, so that the whole of it stays within a processor's first cache.

use std::cell::OnceCell;
use std::collections::VecDeque;

use serde::Serialize;

use crate::config::{IntentConfig, Matcher};
use crate::error::{Error, Result};
use crate::host::lower_case;
use crate::section::Section;

/// The order in which sections are answered.
pub const INTENT_ORDER: [Section; 4] = [Section::Signals, Section::Episodic, Section::Knowledge, Section::Procedural];

/// The built-in strings of a section, of a trading agent.
fn built_in(section: Section) -> &'static [&'static str] {
    match section {
        Section::Signals => &[
            "signal",
            "signals",
            "firing",
            "active signal",
            "what's happening",
            "whats happening",
            "right now",
            "current",
            "live",
            "real-time",
            "realtime",
            "alert",
            "anomaly",
            "anomalies",
            "scanner",
            "watchpoint",
            "watchpoints",
            "watching",
        ],
        Section::Episodic => &[
            "my trade",
            "my position",
            "my trades",
            "my positions",
            "last time",
            "when did i",
            "when i",
            "trade history",
            "what happened",
            "my short",
            "my long",
            "entry",
            "exit",
            "closed",
            "opened",
            "pnl",
            "profit",
            "loss",
            "drawdown",
            "session",
            "conversation",
            "yesterday",
            "last week",
        ],
        Section::Knowledge => &[
            "lesson",
            "lessons",
            "learned",
            "learning",
            "principle",
            "principles",
            "what do i know",
            "thesis",
            "theses",
            "theory",
            "pattern",
            "insight",
            "insights",
            "wisdom",
            "rule",
            "why does",
            "why do",
            "how does",
            "how do",
            "understand",
            "explain",
        ],
        Section::Procedural => &[
            "playbook",
            "playbooks",
            "procedure",
            "process",
            "how do i trade",
            "my setup",
            "my process",
            "steps for",
            "strategy for",
            "approach for",
            "when i see",
            "my plan for",
            "template",
            "missed opportunity",
            "good pass",
        ],
    }
}

/// Sections as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionSet(u8);

impl SectionSet {
    /// One bit a section, by its code.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set of these bits.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0b1111)
    }

    /// Whether the section is in the set.
    pub fn contains(self, section: Section) -> bool {
        self.0 & Self::of(section).0 != 0
    }

    /// The sections of the set, in [`INTENT_ORDER`].
    pub fn iter(self) -> impl Iterator<Item = Section> {
        INTENT_ORDER.into_iter().filter(move |&section| self.contains(section))
    }

    fn of(section: Section) -> Self {
        Self(1 << section as u8)
    }

    fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What in a question speaks for a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The section asked for.
    pub section: Section,
    /// Occurrences of all its strings together.
    pub evidence: usize,
    /// The strings found, in the order of the table.
    pub strings: Vec<Found>,
}

/// A string found in a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The string, in lower case.
    pub string: String,
    /// How often it occurs, overlapping occurrences included.
    pub count: usize,
}

/// Finds the sections that a question asks for.
///
/// ```
/// use nous_wasm::{IntentClassifier, Matcher, Section};
/// let intent = IntentClassifier::default();
/// let asked = |query, matcher| intent.classify(query, matcher).iter().collect::<Vec<_>>();
/// assert_eq!(asked("Which Signals are firing?", Matcher::Substring), [Section::Signals]);
/// // "exit" hides in flexitime; whole words tell the two apart.
/// assert_eq!(asked("flexitime", Matcher::Substring), [Section::Episodic]);
/// assert_eq!(asked("flexitime", Matcher::Words), []);
/// ```
#[derive(Debug)]
pub struct IntentClassifier {
    strings: Vec<(Section, String)>,
    matcher: Matcher,
    substring: OnceCell<Strings>,
    words: OnceCell<Strings>,
}

impl Default for IntentClassifier {
    fn default() -> Self {
        let strings = INTENT_ORDER
            .iter()
            .flat_map(|&section| built_in(section).iter().map(move |&string| (section, string.to_string())));
        Self::of(strings.collect(), Matcher::default())
    }
}

impl IntentClassifier {
    /// A classifier with the configured strings in place of the built-in ones.
    ///
    /// # Errors
    /// `invalid_config` for a string that is blank, and for more than 65,535 bytes of strings in all.
    pub fn new(config: &IntentConfig) -> Result<Self> {
        let mut strings = Vec::new();
        for section in INTENT_ORDER {
            let Some(own) = &config.strings[section as usize] else {
                strings.extend(built_in(section).iter().map(|&string| (section, string.to_string())));
                continue;
            };
            for (place, string) in own.iter().enumerate() {
                if string.chars().all(is_white_space) {
                    let path = format!("intent.strings.{}[{place}]", section.name());
                    return Err(Error::config(path, "must not be blank"));
                }
                strings.push((section, lower_case(string)));
            }
        }
        let bytes: usize = strings.iter().map(|(_, string)| string.len()).sum();
        if bytes > MOST_STATES - 1 {
            let problem = format!("must not exceed {} bytes in all", MOST_STATES - 1);
            return Err(Error::config("intent.strings", problem).found(bytes as f64));
        }
        Ok(Self::of(strings, config.matcher))
    }

    fn of(strings: Vec<(Section, String)>, matcher: Matcher) -> Self {
        Self { strings, matcher, substring: OnceCell::new(), words: OnceCell::new() }
    }

    /// The matcher to use when a call does not say.
    pub fn matcher(&self) -> Matcher {
        self.matcher
    }

    /// The sections that have at least one string in the question; time linear in its length.
    pub fn classify(&self, query: &str, matcher: Matcher) -> SectionSet {
        match matcher {
            Matcher::Substring if query.is_ascii() => self.substring().sections(query.as_bytes()),
            Matcher::Substring => self.substring().sections(lower_case(query).as_bytes()),
            Matcher::Words => {
                let text = straighten(&lower_case(query));
                let strings = self.words();
                let mut found = SectionSet::default();
                strings.occurrences(text.as_bytes(), |string, end| {
                    if !found.contains(string.section) && string.stands_alone(&text, end) {
                        found.insert(SectionSet::of(string.section));
                    }
                });
                found
            }
        }
    }

    /// The same sections in [`INTENT_ORDER`], each with the strings that were found.
    pub fn explain(&self, query: &str, matcher: Matcher) -> Vec<Evidence> {
        let lower = lower_case(query);
        let (strings, text) = match matcher {
            Matcher::Substring => (self.substring(), lower),
            Matcher::Words => (self.words(), straighten(&lower)),
        };
        let mut counts = vec![0; strings.all.len()];
        strings.occurrences(text.as_bytes(), |string, end| {
            if matcher == Matcher::Substring || string.stands_alone(&text, end) {
                counts[string.place] += 1;
            }
        });
        let found = INTENT_ORDER.into_iter().map(|section| {
            let of_section =
                self.strings.iter().zip(&counts).filter(|((own, _), count)| *own == section && **count > 0);
            let strings: Vec<Found> =
                of_section.map(|((_, string), &count)| Found { string: string.clone(), count }).collect();
            Evidence { section, evidence: strings.iter().map(|found| found.count).sum(), strings }
        });
        found.filter(|evidence| evidence.evidence > 0).collect()
    }

    fn substring(&self) -> &Strings {
        self.substring.get_or_init(|| Strings::new(self.strings.iter().cloned()))
    }

    fn words(&self) -> &Strings {
        self.words.get_or_init(|| {
            Strings::new(
                self.strings
                    .iter()
                    .map(|(section, string)| (*section, straighten(string).trim_matches(' ').to_string())),
            )
        })
    }
}

/// White space as ECMAScript's `\s` has it.
fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// Typographic apostrophes become `'`, and every run of white space one blank.
fn straighten(text: &str) -> String {
    let mut straight = String::with_capacity(text.len());
    let mut after_blank = false;
    for c in text.chars() {
        let blank = is_white_space(c);
        match c {
            _ if blank && after_blank => {}
            _ if blank => straight.push(' '),
            '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}' => straight.push('\''),
            _ => straight.push(c),
        }
        after_blank = blank;
    }
    straight
}

/// Whether a character belongs to words: `\w` of UTS #18, Annex C.
fn is_word(c: char) -> bool {
    regex_syntax::is_word_character(c)
}

/// States are numbered in 16 bits.
const MOST_STATES: usize = 1 << 16;
const ROOT: u16 = 0;

/// One of the strings sought.
#[derive(Debug)]
struct Sought {
    place: usize,
    section: Section,
    bytes: usize,
    starts_in_word: bool,
    ends_in_word: bool,
}

impl Sought {
    /// Whether no word goes on across either edge of the occurrence that ends at `end`.
    fn stands_alone(&self, text: &str, end: usize) -> bool {
        let (before, after) = (&text[..end - self.bytes], &text[end..]);
        let continues_one = self.starts_in_word && before.chars().next_back().is_some_and(is_word);
        let goes_on = self.ends_in_word && after.chars().next().is_some_and(is_word);
        !continues_one && !goes_on
    }
}

/// The automaton over all strings.
#[derive(Debug)]
struct Strings {
    all: Vec<Sought>,
    /// Class of each byte; ASCII capitals share the class of their small letters. Class 0 is in no string.
    classes: [u8; 256],
    /// log2 of the length of a state's row.
    row_bits: u32,
    /// The next state, by state and class.
    next: Vec<u16>,
    /// Sections whose strings end in a state, those of its suffixes included.
    sections: Vec<SectionSet>,
    /// All sections that have a string at all.
    every: SectionSet,
    /// The strings that end in a state itself.
    ends: Vec<Vec<u16>>,
    /// The longest proper suffix of a state in which a string ends; ROOT for none.
    shorter: Vec<u16>,
}

impl Strings {
    fn new(strings: impl Iterator<Item = (Section, String)>) -> Self {
        let strings: Vec<(Section, String)> = strings.collect();
        let mut classes = [0; 256];
        let mut class_count = 1;
        for &byte in strings.iter().flat_map(|(_, string)| string.as_bytes()) {
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
            all: Vec::new(),
            classes,
            row_bits,
            next: Vec::new(),
            sections: Vec::new(),
            every: SectionSet::default(),
            ends: Vec::new(),
            shorter: Vec::new(),
        };
        built.add_state();
        for (place, (section, string)) in strings.into_iter().enumerate() {
            built.add_string(place, section, &string);
        }
        built.complete();
        built
    }

    fn add_state(&mut self) -> u16 {
        let state = self.sections.len() as u16;
        self.next.resize(self.next.len() + (1 << self.row_bits), ROOT);
        self.sections.push(SectionSet::default());
        self.ends.push(Vec::new());
        self.shorter.push(ROOT);
        state
    }

    fn slot(&self, state: u16, class: u8) -> usize {
        usize::from(state) << self.row_bits | usize::from(class)
    }

    fn add_string(&mut self, place: usize, section: Section, string: &str) {
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
        self.ends[usize::from(state)].push(place as u16);
        self.sections[usize::from(state)].insert(SectionSet::of(section));
        self.every.insert(SectionSet::of(section));
        self.all.push(Sought {
            place,
            section,
            bytes: string.len(),
            starts_in_word: string.chars().next().is_some_and(is_word),
            ends_in_word: string.chars().next_back().is_some_and(is_word),
        });
    }

    /// Turns the tree of strings into an automaton: from the root outwards, a missing transition of a state
    /// becomes that of its longest proper suffix.
    fn complete(&mut self) {
        let mut suffix = vec![ROOT; self.sections.len()];
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
                let inherited = self.sections[usize::from(onward)];
                self.sections[usize::from(next)].insert(inherited);
                self.shorter[usize::from(next)] = match self.ends[usize::from(onward)].is_empty() {
                    true => self.shorter[usize::from(onward)],
                    false => onward,
                };
                queue.push_back(next);
            }
        }
    }

    /// The sections of which a string occurs anywhere.
    fn sections(&self, text: &[u8]) -> SectionSet {
        let mut found = SectionSet::default();
        let mut state = ROOT;
        for &byte in text {
            state = self.next[self.slot(state, self.classes[usize::from(byte)])];
            found.insert(self.sections[usize::from(state)]);
            if found == self.every {
                break;
            }
        }
        found
    }

    /// Reports every occurrence of every string, with the place where it ends.
    fn occurrences(&self, text: &[u8], mut report: impl FnMut(&Sought, usize)) {
        let mut state = ROOT;
        for (place, &byte) in text.iter().enumerate() {
            state = self.next[self.slot(state, self.classes[usize::from(byte)])];
            if self.sections[usize::from(state)] == SectionSet::default() {
                continue;
            }
            let mut ending = state;
            loop {
                for &string in &self.ends[usize::from(ending)] {
                    report(&self.all[usize::from(string)], place + 1);
                }
                ending = self.shorter[usize::from(ending)];
                if ending == ROOT {
                    break;
                }
            }
        }
    }
}
