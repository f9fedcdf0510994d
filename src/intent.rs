//! Intent: the sections that a question asks for, found by its words.
//!
//! The strings of all sections are searched in one pass over the question.

use std::cell::OnceCell;

use serde::{Deserialize, Deserializer, Serialize};

use crate::automaton::{Automaton, MAX_STATES};
use crate::error::{Error, Result};
use crate::section::{INTENT_ORDER, Section, SectionSet};
use crate::settings::{Entries, Key};
use crate::text::{is_white_space, is_word, lower_case, straighten};

/// The settings of intent classification.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntentConfig {
    /// The default matcher.
    pub matcher: Matcher,
    /// Strings that replace the built-in ones of a section, by section code.
    #[serde(deserialize_with = "read_strings")]
    pub strings: [Option<Vec<String>>; 4],
}

/// The occurrences of a string that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Matcher {
    /// Any occurrence, inside words too.
    #[default]
    Substring,
    /// Whole words and phrases only.
    Words,
}

/// Reads strings by the names of their sections.
fn read_strings<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<[Option<Vec<String>>; 4], D::Error> {
    let mut strings = [const { None }; 4];
    for (Key(section), of_section) in Entries::<Key<Section>, _>::deserialize(deserializer)?.0 {
        strings[section as usize] = Some(of_section);
    }
    Ok(strings)
}

/// The built-in strings of a section, those of a trading agent.
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

/// The strings in a question that ask for a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The section.
    pub section: Section,
    /// The number of occurrences of all its strings.
    pub evidence: usize,
    /// The strings found, in the order of the table.
    pub strings: Vec<FoundString>,
}

/// A string found in a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundString {
    /// The string, in lower case.
    pub string: String,
    /// The number of occurrences, overlapping ones included.
    pub count: usize,
}

/// Finds the sections that a question asks for.
///
/// ```
/// use nous_wasm::{IntentClassifier, Matcher, Section};
/// let intent = IntentClassifier::default();
/// let asked = |query, matcher| intent.classify(query, matcher).iter().collect::<Vec<_>>();
/// assert_eq!(asked("Which Signals are firing?", Matcher::Substring), [Section::Signals]);
/// // "flexitime" contains "exit", but not as a whole word.
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
        let strings = INTENT_ORDER.iter().flat_map(|&section| {
            built_in(section).iter().map(move |&string| (section, string.to_string()))
        });
        Self::of(strings.collect(), Matcher::default())
    }
}

impl IntentClassifier {
    /// Creates a classifier. Configured strings replace the built-in ones.
    ///
    /// # Errors
    /// `invalid_config` for a blank string, and for more than 65,535 bytes of strings in all.
    pub fn new(config: &IntentConfig) -> Result<Self> {
        let mut strings = Vec::new();
        for section in INTENT_ORDER {
            let Some(own) = &config.strings[section as usize] else {
                strings
                    .extend(built_in(section).iter().map(|&string| (section, string.to_string())));
                continue;
            };
            for (place, string) in own.iter().enumerate() {
                if string.chars().all(is_white_space) {
                    let path = format!("intent.strings.{}[{place}]", section.name());
                    return Err(Error::config(path, "must not be blank"));
                }
                strings.push((section, lower_case(string).into_owned()));
            }
        }
        let bytes: usize = strings.iter().map(|(_, string)| string.len()).sum();
        if bytes > MAX_STATES - 1 {
            let problem = format!("must not exceed {} bytes in all", MAX_STATES - 1);
            return Err(Error::config("intent.strings", problem).found(bytes as f64));
        }
        Ok(Self::of(strings, config.matcher))
    }

    fn of(strings: Vec<(Section, String)>, matcher: Matcher) -> Self {
        Self { strings, matcher, substring: OnceCell::new(), words: OnceCell::new() }
    }

    /// Returns the default matcher.
    pub fn matcher(&self) -> Matcher {
        self.matcher
    }

    /// Returns the sections with at least one string in the question, in time linear in its length.
    pub fn classify(&self, query: &str, matcher: Matcher) -> SectionSet {
        match matcher {
            // The automaton ignores the case of ASCII letters itself.
            Matcher::Substring if query.is_ascii() => self.sections(query),
            Matcher::Substring => self.sections(&lower_case(query)),
            Matcher::Words => {
                let lower = lower_case(query);
                let text = straighten(&lower);
                let strings = self.words();
                let mut found = SectionSet::default();
                strings.automaton.occurrences(text.as_bytes(), |place, end| {
                    let string = &strings.all[place];
                    if !found.contains(string.section) && string.stands_alone(&text, end) {
                        found.insert(string.section);
                    }
                });
                found
            }
        }
    }

    fn sections(&self, text: &str) -> SectionSet {
        SectionSet::from_bits(self.substring().automaton.marks(text.as_bytes()))
    }

    /// Returns the same sections in [`INTENT_ORDER`], each with the strings found.
    pub fn explain(&self, query: &str, matcher: Matcher) -> Vec<Evidence> {
        let lower = lower_case(query);
        let (strings, text) = match matcher {
            Matcher::Substring => (self.substring(), lower),
            Matcher::Words => (self.words(), straighten(&lower).into_owned().into()),
        };
        let mut counts = vec![0; strings.all.len()];
        strings.automaton.occurrences(text.as_bytes(), |place, end| {
            if matcher == Matcher::Substring || strings.all[place].stands_alone(&text, end) {
                counts[place] += 1;
            }
        });
        let found = INTENT_ORDER.into_iter().map(|section| {
            let of_section = self
                .strings
                .iter()
                .zip(&counts)
                .filter(|((own, _), count)| *own == section && **count > 0);
            let strings: Vec<FoundString> = of_section
                .map(|((_, string), &count)| FoundString { string: string.clone(), count })
                .collect();
            Evidence { section, evidence: strings.iter().map(|found| found.count).sum(), strings }
        });
        found.filter(|evidence| evidence.evidence > 0).collect()
    }

    fn substring(&self) -> &Strings {
        self.substring.get_or_init(|| Strings::new(&self.strings))
    }

    fn words(&self) -> &Strings {
        self.words.get_or_init(|| {
            let straight = |(section, string): &(Section, String)| {
                (*section, straighten(string).trim_matches(' ').to_string())
            };
            Strings::new(&self.strings.iter().map(straight).collect::<Vec<_>>())
        })
    }
}

/// One of the strings searched.
#[derive(Debug)]
struct Sought {
    section: Section,
    bytes: usize,
    starts_in_word: bool,
    ends_in_word: bool,
}

impl Sought {
    fn new(section: Section, string: &str) -> Self {
        Self {
            section,
            bytes: string.len(),
            starts_in_word: string.chars().next().is_some_and(is_word),
            ends_in_word: string.chars().next_back().is_some_and(is_word),
        }
    }

    /// Whether the occurrence that ends at `end` is bounded by non-word characters on both sides.
    fn stands_alone(&self, text: &str, end: usize) -> bool {
        let (before, after) = (&text[..end - self.bytes], &text[end..]);
        let continues_one = self.starts_in_word && before.chars().next_back().is_some_and(is_word);
        let continues = self.ends_in_word && after.chars().next().is_some_and(is_word);
        !continues_one && !continues
    }
}

/// All strings and their automaton. Its marks are sets of sections.
#[derive(Debug)]
struct Strings {
    all: Vec<Sought>,
    automaton: Automaton,
}

impl Strings {
    fn new(strings: &[(Section, String)]) -> Self {
        let marked = strings
            .iter()
            .map(|(section, string)| (string.as_str(), SectionSet::from(*section).bits()));
        Self {
            all: strings.iter().map(|(section, string)| Sought::new(*section, string)).collect(),
            automaton: Automaton::new(marked),
        }
    }
}
