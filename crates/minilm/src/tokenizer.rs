//! The word pieces of texts, as the model learned them.

use nous_unigram::{Replacements, words as unigram_words};
use nous_wordpiece::{Fault, MAX_CHARACTERS, Pieces, normalised, words};

use crate::error::{Error, Result};
use crate::host::decomposed_lower_case;
use crate::model::Purpose;

/// The pieces of a unigram model without a text: the unknown one, that before a text, and that after
/// it.
pub(crate) const SPECIAL: usize = 3;

/// What names of models of word pieces begin with.
pub(crate) const WORD_PIECE: &str = "minilm";

/// Finds the pieces of texts.
pub(crate) enum Tokenizer {
    WordPiece(WordPiece),
    Unigram(Unigram),
}

impl Tokenizer {
    /// Returns what names of its models begin with.
    pub fn family(&self) -> &'static str {
        match self {
            Self::WordPiece(_) => WORD_PIECE,
            Self::Unigram(_) => "e5",
        }
    }

    /// Returns the number of pieces. Codes are smaller.
    pub fn count(&self) -> usize {
        match self {
            Self::WordPiece(it) => it.pieces.count(),
            Self::Unigram(it) => it.pieces.count() + SPECIAL,
        }
    }

    /// Returns the most pieces of a text that count, in so many places.
    pub fn most(&self, places: usize) -> usize {
        match self {
            Self::WordPiece(_) => places - 2,
            Self::Unigram(it) => places - 2 - it.longest_prefix(),
        }
    }

    /// Writes the codes of the pieces of a text, with those before and after them, but no more of
    /// its own than `most`. Returns the number of its own pieces. If it is 0, writes nothing.
    pub fn pieces(&self, text: &str, purpose: Purpose, most: usize, codes: &mut Vec<u32>) -> usize {
        match self {
            Self::WordPiece(it) => it.write(text, most, codes),
            Self::Unigram(it) => it.write(text, purpose, most, codes),
        }
    }
}

/// The word pieces of a BERT model without case.
pub(crate) struct WordPiece {
    text: Vec<u8>,
    pieces: Pieces,
    /// `[CLS]`, which stands before the pieces of a text.
    start: u32,
    /// `[SEP]`, which stands after them.
    end: u32,
    /// `[UNK]`, which stands for a word that pieces do not cover.
    unknown: u32,
}

impl WordPiece {
    /// Reads so many pieces, among them the three that every text needs.
    pub fn new(text: Vec<u8>, expected: usize) -> Result<Self> {
        if str::from_utf8(&text).is_err() {
            return Err(fault("must be UTF-8"));
        }
        let count = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        if count != expected {
            return Err(fault(&format!("must have {expected} word pieces, found {count}")));
        }
        let pieces = Pieces::new(&text).map_err(|problem| match problem {
            Fault::Empty(code) => {
                fault(&format!("must have no empty word piece, found one at {code}"))
            }
            Fault::Twice(code) => {
                fault(&format!("must have no word piece twice, found one at {code}"))
            }
        })?;
        let special = |name: &str| {
            let mut codes = [0; MAX_CHARACTERS];
            // The longest piece that fits, which is the whole if there is one.
            match pieces.cover(&text, name, &mut codes) {
                1 => Ok(codes[0]),
                _ => Err(fault(&format!("must have the word piece {name}"))),
            }
        };
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Ok(Self { text, pieces, start, end, unknown })
    }

    fn write(&self, text: &str, most: usize, codes: &mut Vec<u32>) -> usize {
        let first = codes.len();
        codes.push(self.start);
        let count = self.cover(text, most, codes);
        if count == 0 {
            codes.truncate(first);
        } else {
            codes.push(self.end);
        }
        count
    }

    /// Writes the codes of two texts, with the one before them and the one after each, but no more of
    /// a text's own than `most`. Returns the number of codes up to that after the first text.
    pub fn write_pair(
        &self,
        first: &str,
        second: &str,
        most: usize,
        codes: &mut Vec<u32>,
    ) -> usize {
        let from = codes.len();
        codes.push(self.start);
        self.cover(first, most, codes);
        codes.push(self.end);
        let length = codes.len() - from;
        self.cover(second, most, codes);
        codes.push(self.end);
        length
    }

    /// Writes the codes of the first pieces of a text. Returns the number of all.
    fn cover(&self, text: &str, most: usize, codes: &mut Vec<u32>) -> usize {
        let mut count = 0;
        let mut covering = [0; MAX_CHARACTERS];
        for word in words(&normalised(text, decomposed_lower_case)) {
            let covered = match self.pieces.cover(&self.text, word.text, &mut covering) {
                0 => std::slice::from_ref(&self.unknown),
                covered => &covering[..covered],
            };
            let room = most.saturating_sub(count).min(covered.len());
            codes.extend_from_slice(&covered[..room]);
            count += covered.len();
        }
        count
    }
}

/// The pieces of a unigram model, which knows a question from a text by its prefix.
pub(crate) struct Unigram {
    pieces: nous_unigram::Pieces,
    replacements: Replacements,
    passage: Prefix,
    question: Prefix,
}

/// What stands before a text.
struct Prefix {
    text: String,
    /// Its pieces.
    count: usize,
}

impl Unigram {
    /// Reads the pieces but the special ones.
    pub fn new(
        vocabulary: Vec<u8>,
        scores: Box<[f32]>,
        replacements: Vec<u8>,
        prefixes: &[u8],
    ) -> Result<Self> {
        let pieces = nous_unigram::Pieces::new(vocabulary, scores);
        let pieces = pieces.map_err(|problem| fault(&problem.to_string()))?;
        let replacements = Replacements::new(replacements).map_err(|problem| {
            Error::new(format!("the replacements of the model file {problem}"))
        })?;
        let prefixes = str::from_utf8(prefixes).ok().and_then(|both| both.split_once('\n'));
        let Some((passage, question)) = prefixes else {
            let problem = "must be two texts in UTF-8, joined by a line feed";
            return Err(Error::new(format!("the prefixes of the model file {problem}")));
        };
        let prefix = |text: &str| {
            let mut codes = Vec::new();
            cover(&pieces, &replacements.normalised(text), &mut codes);
            Prefix { text: text.into(), count: codes.len() }
        };
        let (passage, question) = (prefix(passage), prefix(question));
        Ok(Self { pieces, replacements, passage, question })
    }

    /// Returns the pieces of the longer prefix.
    pub fn longest_prefix(&self) -> usize {
        self.passage.count.max(self.question.count)
    }

    fn write(&self, text: &str, purpose: Purpose, most: usize, codes: &mut Vec<u32>) -> usize {
        let prefix = match purpose {
            Purpose::Passage => &self.passage,
            Purpose::Question => &self.question,
        };
        let first = codes.len();
        // The code before these stands for what is unknown.
        let start = self.pieces.count() as u32 + 1;
        codes.push(start);
        let text = self.replacements.normalised(&format!("{}{text}", prefix.text));
        cover(&self.pieces, &text, codes);
        let count = (codes.len() - first - 1).saturating_sub(prefix.count);
        if count == 0 {
            codes.truncate(first);
            return 0;
        }
        codes.truncate(first + 1 + prefix.count + most);
        codes.push(start + 1);
        count
    }
}

/// Adds the codes of the pieces of a normalised text.
fn cover(pieces: &nous_unigram::Pieces, text: &str, codes: &mut Vec<u32>) {
    unigram_words(text).for_each(|word| pieces.cover(&word, codes));
}

fn fault(problem: &str) -> Error {
    Error::new(format!("the vocabulary of the model file {problem}"))
}
