//! A model in an instance of its own.

use wasm_bindgen::prelude::*;

use crate::adapter::Adapter;
use crate::file::Reader;
use crate::model::{DIMENSIONS, Model, Purpose};
use crate::pairs::Pairs;

/// A model that is about to be read. What is wrong is kept for `problem`.
#[wasm_bindgen]
#[derive(Default)]
pub struct ModelReader {
    reader: Reader,
    problem: Option<String>,
}

#[wasm_bindgen]
impl ModelReader {
    /// A reader without bytes.
    pub fn create() -> ModelReader {
        Self::default()
    }

    /// Reads the next bytes of the file. Returns whether they are right.
    pub fn add(&mut self, bytes: &[u8]) -> bool {
        self.problem = self.reader.add(bytes).err().map(|error| error.to_string());
        self.problem.is_none()
    }

    /// Returns the model, or nothing if the file is wrong.
    pub fn finish(&mut self) -> Option<LoadedModel> {
        match std::mem::take(&mut self.reader).finish() {
            Ok(model) => Some(LoadedModel {
                model,
                codes: Vec::new(),
                lengths: Vec::new(),
                pairs: Pairs::default(),
            }),
            Err(error) => {
                self.problem = Some(error.to_string());
                None
            }
        }
    }

    /// What is wrong.
    pub fn problem(&mut self) -> Option<String> {
        self.problem.take()
    }
}

/// A model, the texts that it is about to embed, and the pairs that it is about to read.
#[wasm_bindgen]
pub struct LoadedModel {
    model: Model,
    codes: Vec<u32>,
    lengths: Vec<usize>,
    pairs: Pairs,
}

#[wasm_bindgen]
impl LoadedModel {
    /// The name of the model.
    pub fn id(&self) -> String {
        self.model.id().to_owned()
    }

    /// Components of a vector.
    pub fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    /// The most word pieces of a text that count.
    pub fn max_pieces(&self) -> usize {
        self.model.max_pieces()
    }

    /// Returns the number of word pieces of a text.
    pub fn count(&self, text: &str) -> usize {
        self.model.pieces(text, Purpose::Passage, &mut Vec::new())
    }

    /// Adds a text to those that `run` embeds for the same purpose, unless it has no word piece.
    /// Returns the number of its pieces.
    pub fn add(&mut self, text: &str, is_question: bool) -> usize {
        let before = self.codes.len();
        let count = self.model.pieces(text, purpose(is_question), &mut self.codes);
        if count > 0 {
            self.lengths.push(self.codes.len() - before);
        }
        count
    }

    /// Returns the vectors of the texts that were added, and forgets the texts. Nothing if a text
    /// has no direction.
    pub fn run(&mut self, is_question: bool) -> Option<Vec<f32>> {
        let purpose = purpose(is_question);
        let vectors = self.model.embed_pieces(&self.codes, &self.lengths, purpose).ok();
        self.codes.clear();
        self.lengths.clear();
        vectors
    }

    /// Makes the model a reader of pairs, or else of questions, by an adapter file. If a name is
    /// given, the adapter must have it. Returns what is wrong.
    pub fn adapt(&mut self, file: &[u8], for_pairs: bool, name: Option<String>) -> Option<String> {
        let adapter = match Adapter::read(file) {
            Ok(adapter) => adapter,
            Err(error) => return Some(error.to_string()),
        };
        let found = adapter.id();
        if let Some(name) = name.filter(|name| name != found) {
            return Some(format!("the adapter file is {found}, and this package needs {name}"));
        }
        if adapter.reads_pairs() != for_pairs {
            let (wanted, other) =
                if for_pairs { ("pairs", "questions") } else { ("questions", "pairs") };
            return Some(format!("the adapter file {found} is for {other}, not for {wanted}"));
        }
        self.model.adapt(adapter).err().map(|error| error.to_string())
    }

    /// Returns whether the model reads pairs.
    pub fn reads_pairs(&self) -> bool {
        self.model.pairs.is_some()
    }

    /// Returns whether the model has an adapter for questions.
    pub fn reads_questions(&self) -> bool {
        self.model.questions.is_some()
    }

    /// Adds a pair to those that `run_pairs` reads.
    pub fn add_pair(&mut self, older: &str, newer: &str) {
        self.model.add_pair(older, newer, &mut self.pairs);
    }

    /// Returns the numbers of the pairs that were added, and forgets the pairs. Nothing if one is
    /// not finite.
    pub fn run_pairs(&mut self) -> Option<Vec<f32>> {
        let pairs = std::mem::take(&mut self.pairs);
        self.model.run_pairs(&pairs).ok()
    }
}

fn purpose(is_question: bool) -> Purpose {
    if is_question { Purpose::Question } else { Purpose::Passage }
}
