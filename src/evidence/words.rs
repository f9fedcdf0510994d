//! The vocabulary: every word of the texts with its stem, its vector and its postings.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::likeness::mark;
use super::vectors::CodedVectors;
use crate::columns::Names;
use crate::postings::{self, Postings};
use crate::text::is_stop_word;
use crate::text::reading::{BARE, PART, STEM};

/// The language whose words are stemmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stemming {
    /// English words: "moved" and "moving" are forms of one word.
    #[default]
    English,
    /// Every word counts as it is.
    None,
}

/// How words are read, and where they get their vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordOptions {
    /// The components of a word's vector; 0 if words have no vectors.
    pub dimensions: usize,
    /// The language whose words are stemmed.
    pub stemming: Stemming,
    /// The name of the source of the vectors. A snapshot holds it, and its texts are restored with
    /// vectors of the same name alone. If it is empty although words have vectors, snapshots hold
    /// no texts.
    pub source: String,
}

/// Adds the vector of a word in lower case to a sum. Returns `false` if the word has no vector.
pub type Embed<'a> = dyn FnMut(&str, &mut [f32]) -> bool + 'a;

/// Stems words.
pub(super) struct Stems(Option<Stemmer>);

impl Stems {
    pub fn new(stemming: Stemming) -> Self {
        Self((stemming == Stemming::English).then(|| Stemmer::create(Algorithm::English)))
    }

    /// Returns the stem of a name. Words with other characters than a to z are their own stem. What
    /// stands in another word keeps the first character of its name.
    #[inline(never)]
    pub fn of<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let word = shown(name);
        match &self.0 {
            Some(stemmer) if word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                let stem = stemmer.stem(word);
                let within = &name[..name.len() - word.len()];
                if within.is_empty() { stem } else { Cow::Owned([within, &stem].concat()) }
            }
            _ => Cow::Borrowed(name),
        }
    }
}

/// The words of all texts. A word stays until the index is folded.
pub(super) struct Words {
    pub names: Names,
    stemmer: Stems,
    stems: Names,
    /// The stem of each word.
    stem_of: Vec<u32>,
    /// The mark of each stem.
    marks: Vec<u32>,
    /// The words of each stem, in the order in which they came.
    of_stem: Vec<Vec<u32>>,
    /// Whether a word can be a neighbour: a stop word cannot.
    is_content: Vec<bool>,
    pub vectors: CodedVectors,
    pub postings: Vec<Postings>,
    posting_bytes: usize,
    /// A vector that is being summed.
    sum: Vec<f32>,
}

/// The bytes of a word besides its text, its vector and its postings: its stem, lists and flags.
pub(super) const BYTES_A_WORD: usize = 160;

impl Words {
    pub fn new(dimensions: usize, stemming: Stemming) -> Self {
        Self {
            names: Names::default(),
            stemmer: Stems::new(stemming),
            stems: Names::default(),
            stem_of: Vec::new(),
            marks: Vec::new(),
            of_stem: Vec::new(),
            is_content: Vec::new(),
            vectors: CodedVectors::new(dimensions),
            postings: Vec::new(),
            posting_bytes: 0,
            sum: vec![0.0; dimensions],
        }
    }

    pub fn count(&self) -> usize {
        self.names.count()
    }

    pub fn dimensions(&self) -> usize {
        self.sum.len()
    }

    /// Returns the code of a word, a new one if it has none.
    pub fn code_or_new(&mut self, word: &str, embed: &mut Embed<'_>) -> u32 {
        let code = self.names.code_or_new(word);
        if code as usize == self.stem_of.len() {
            self.sum.fill(0.0);
            if !self.sum.is_empty() && is_plain(word) && !embed(word, &mut self.sum) {
                self.sum.fill(0.0);
            }
            let sum = std::mem::take(&mut self.sum);
            self.vectors.push(&sum);
            self.sum = sum;
            self.add_facts(word, code);
        }
        code
    }

    #[inline(never)]
    fn add_facts(&mut self, word: &str, code: u32) {
        let stem = self.stems.code_or_new(&self.stemmer.of(word));
        self.stem_of.push(stem);
        if stem as usize == self.of_stem.len() {
            self.of_stem.push(Vec::new());
            self.marks.push(mark(self.stems.text(stem)));
        }
        self.of_stem[stem as usize].push(code);
        self.is_content.push(is_plain(word) && is_content(word));
        self.postings.push(Postings::default());
    }

    /// Adds a passage to the postings of a word. Passages rise.
    pub fn post(&mut self, code: u32, passage: u32, count: u32) {
        self.posting_bytes += self.postings[code as usize].put(passage, count);
    }

    pub fn is_content(&self, code: u32) -> bool {
        self.is_content[code as usize]
    }

    pub fn stem(&self, code: u32) -> u32 {
        self.stem_of[code as usize]
    }

    /// Returns the mark of a word: words of one stem have one mark.
    pub fn mark(&self, code: u32) -> u32 {
        self.marks[self.stem(code) as usize]
    }

    /// Returns the mark of a word that may be in no text.
    pub fn mark_of(&self, word: &str) -> u32 {
        mark(&self.stemmer.of(word))
    }

    /// Returns the code of a stem that may be of no word.
    pub fn stem_code(&self, stem: &str) -> Option<u32> {
        self.stems.code(stem)
    }

    /// Returns the stem of a word as text.
    pub fn stem_text(&self, word: &str) -> String {
        self.stemmer.of(word).into_owned()
    }

    /// Returns the words of a stem.
    pub fn of_stem(&self, stem: &str) -> &[u32] {
        self.stem_code(stem).map_or(&[], |stem| &self.of_stem[stem as usize])
    }

    /// Adds a word that a snapshot holds. Returns `false` if the word is there already.
    pub fn restore(&mut self, word: &str, (step, codes): (f32, &[u8]), postings: Postings) -> bool {
        let is_new = self.names.code(word).is_none();
        if is_new {
            let code = self.names.code_or_new(word);
            self.vectors.restore(step, codes);
            self.add_facts(word, code);
            self.posting_bytes += postings.capacity();
            self.postings[code as usize] = postings;
        }
        is_new
    }

    /// Returns the words whose postings hold a passage that `is_alive`, with those passages
    /// renumbered.
    pub fn folded(&self, stemming: Stemming, renumbered: &[u32]) -> Self {
        let mut folded = Self::new(self.dimensions(), stemming);
        for code in 0..self.count() as u32 {
            let mut added = None;
            self.postings[code as usize].for_each(|passage, count| {
                let Some(&to) = renumbered.get(passage as usize).filter(|&&to| to != u32::MAX)
                else {
                    return;
                };
                let code = *added.get_or_insert_with(|| folded.copy(self, code));
                folded.post(code, to, count);
            });
        }
        folded
    }

    fn copy(&mut self, other: &Self, code: u32) -> u32 {
        let word = other.names.text(code);
        let copy = self.names.code_or_new(word);
        self.vectors.push_from(&other.vectors, code as usize);
        self.add_facts(word, copy);
        copy
    }

    pub fn bytes(&self) -> usize {
        self.names.capacity_bytes()
            + self.stems.capacity_bytes()
            + self.count() * BYTES_A_WORD
            + self.vectors.capacity_bytes()
            + self.posting_bytes
    }

    /// Returns the most bytes that new words and postings can add.
    pub fn need(&self, fresh: &Names, postings: usize) -> usize {
        let words = fresh.count();
        // Stems take at most as much as their words. Lists that grow exist twice meanwhile.
        2 * self.names.need(words, fresh.text_bytes())
            + words * (2 * BYTES_A_WORD + 2 * CodedVectors::bytes_each(self.dimensions()))
            + postings * (postings::MAX_BYTES + postings::SPARE)
            + if words > 0 { self.vectors.capacity_bytes() } else { 0 }
            + self.posting_bytes / 4
    }
}

/// Whether a name is that of a word without signs. Others have no vector, and are no neighbours.
pub(super) fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// Returns a name as it stands in texts.
pub(super) fn shown(name: &str) -> &str {
    name.trim_start_matches([PART, STEM, BARE])
}

/// Whether a word carries content: it is no stop word and no rest of a contraction.
pub(super) fn is_content(word: &str) -> bool {
    !is_stop_word(word) && !matches!(word, "s" | "t" | "d" | "m" | "ll" | "re" | "ve" | "don")
}
