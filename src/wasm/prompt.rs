//! Preparing a prompt over numbers and text in the scratch: deduplication, usage, selection and
//! writing.

use js_sys::{Array, Function};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::Engine;
use super::layout::{
    SHARED, SHARED_IS_ENOUGH, SHARED_SIMILARITY, USAGE, USAGE_RATE, USAGE_SCORE, WRITTEN,
    WRITTEN_END, WRITTEN_SECTION, WRITTEN_START, WRITTEN_TOKENS,
};
use super::turn::mode;
use crate::context::{
    self, CENSOR_ACTIONS, ContextBudget, FRAME_BUDGETS, FoundMemory, LIMIT_OF_ALL, MAX_USES,
    MIN_SCORES, MemoryDetail, MemoryType, MemoryUse, Omitted, PROFILE_CATEGORIES, PromptEntry,
    PromptLimits, PromptSection, RECENT_CONVERSATIONS, RECENT_HOURS, REFERENCED_FROM,
    SAID_IN_MEANING, SAID_IN_WORDS, SECTIONS, SEED_MESSAGES, Selecting, USE_DAYS, Unselected,
};
use crate::host::count_tokens;
use crate::text::units;

/// Reads numbers and texts in order. The length of a text in bytes precedes it among the numbers.
struct Reader<'a> {
    engine: &'a Engine,
    number: usize,
    byte: usize,
}

impl<'a> Reader<'a> {
    fn number(&mut self) -> f64 {
        self.number += 1;
        self.engine.scratch.numbers[self.number - 1]
    }

    fn numbers(&mut self, count: usize) -> &'a [f64] {
        self.number += count;
        &self.engine.scratch.numbers[self.number - count..self.number]
    }

    fn array<const COUNT: usize>(&mut self) -> [f64; COUNT] {
        std::array::from_fn(|_| self.number())
    }

    fn codes(&mut self, count: usize) -> Vec<u32> {
        self.numbers(count).iter().map(|&code| code as u32).collect()
    }

    fn text(&mut self) -> &'a str {
        let length = self.number() as usize;
        self.byte += length;
        self.engine.scratch.text(self.byte - length, length)
    }

    fn texts(&mut self, count: usize) -> Vec<&'a str> {
        (0..count).map(|_| self.text()).collect()
    }

    /// Reads a share, or `None` for NaN.
    fn share(&mut self) -> Option<f64> {
        Some(self.number()).filter(|share| !share.is_nan())
    }

    /// Reads the code of a section, two numbers and three texts, whose meaning depends on the
    /// section.
    fn entry(&mut self) -> (PromptSection, PromptEntry<'a>) {
        let section = PromptSection::ALL[self.number() as usize % SECTIONS];
        let numbers = (self.share(), self.share());
        let (text, label, detail) = (self.text(), self.text(), self.text());
        let entry = match (section, numbers) {
            (PromptSection::ActiveCensors, _) => PromptEntry::Censor { action: label, text },
            (PromptSection::RelatedDecisions, (confidence, _)) => {
                PromptEntry::Decision { description: text, outcome: label, confidence }
            }
            (PromptSection::RelevantFacts, (confidence, _)) => {
                PromptEntry::Fact { content: text, subject: label, confidence }
            }
            (PromptSection::KnownProcedures, (activations, effectiveness)) => {
                let activations = activations.unwrap_or_default();
                PromptEntry::Procedure { name: text, domain: label, activations, effectiveness }
            }
            (PromptSection::RecentConversations, _) => {
                PromptEntry::Conversation { title: text, summary: detail }
            }
            (PromptSection::PastEpisodes, _) => {
                PromptEntry::Episode { summary: text, outcome: label, date: detail }
            }
            (PromptSection::Signals, _) => PromptEntry::Signal { text, date: detail },
            (_, (Some(relevance), _)) => PromptEntry::Item { text, relevance },
            _ => PromptEntry::Note { label, text },
        };
        (section, entry)
    }
}

#[wasm_bindgen]
impl Engine {
    /// Reads texts, then others. Writes a `SHARED` for each text: its similarity to the most
    /// similar of the others, and whether it exceeds the threshold of a duplicate.
    pub fn similarities(&mut self, texts: usize, others: usize, seed_compatible: bool) {
        let mut reader = self.reader();
        let (texts, others) = (reader.texts(texts), reader.texts(others));
        let shared = context::similarities(&texts, &others, mode(seed_compatible));
        self.write_shared(shared, |shared| shared > SAID_IN_WORDS);
    }

    /// Numbers: embeddings of memories, then of messages. Writes the same as `similarities`.
    pub fn cosines(&mut self, memories: usize, messages: usize, dimensions: usize) {
        let (memories, rest) = self.scratch.numbers.split_at(memories * dimensions);
        let cosines = context::cosines(memories, &rest[..messages * dimensions], dimensions);
        self.write_shared(cosines, |cosine| cosine > SAID_IN_MEANING);
    }

    /// Reads texts, then a response. Writes a `SHARED` for each text: its similarity to the
    /// response, and whether the response referenced it.
    pub fn feedback(&mut self, texts: usize, seed_compatible: bool) {
        let mut reader = self.reader();
        let (texts, response) = (reader.texts(texts), reader.text());
        let shared = context::similarities(&texts, &[response], mode(seed_compatible));
        self.write_shared(shared, |shared| shared >= REFERENCED_FROM);
    }

    /// Reads for each memory the count of its uses, and of each use its instant and a flag for
    /// referenced. Writes the boost of each memory.
    pub fn usage_boosts(&mut self, memories: usize, seed_compatible: bool) {
        let mut reader = self.reader();
        let boosts: Vec<f64> = (0..memories)
            .map(|_| context::usage_boost(&reader.uses(), mode(seed_compatible)))
            .collect();
        self.write_numbers(boosts);
    }

    /// Reads the count of uses, and these. Writes a `USAGE`.
    pub fn usage_score(&mut self, now: f64, seed_compatible: bool) {
        let uses = self.reader().uses();
        let mut usage = [0.0; USAGE];
        usage[USAGE_SCORE] = context::usage_score(&uses, now);
        usage[USAGE_RATE] = context::usage_rate(&uses, mode(seed_compatible));
        self.write_numbers(usage);
    }

    /// Reads the least score of each type; how much the turn asks for something recent, and the
    /// present; the count of active censors, and these; of each memory its type, id, relevance,
    /// flag for the same frame, creation, boost, the count of its censors, and these; its text,
    /// outcome and topic. Writes for each memory its place among the selected, or −1 less the code
    /// of the reason that it was not selected.
    pub fn select_memories(&mut self, memories: usize, seed_compatible: bool) {
        let mut reader = self.reader();
        let min_scores = reader.array();
        let [recency, now] = reader.array();
        let active = reader.number() as usize;
        let active = reader.codes(active);
        let mut censors: Vec<Vec<u32>> = Vec::new();
        let mut found: Vec<FoundMemory<'_>> = Vec::new();
        for _ in 0..memories {
            let memory_type = MemoryType::ALL[reader.number() as usize % MemoryType::ALL.len()];
            let (id, relevance, same_frame) =
                (reader.number() as u32, reader.number(), reader.number() != 0.0);
            let (created_at, usage_boost, count) =
                (reader.number(), reader.number(), reader.number() as usize);
            censors.push(reader.codes(count));
            let (text, outcome, topic) = (reader.text(), reader.text(), reader.text());
            found.push(FoundMemory {
                memory_type,
                id,
                relevance,
                same_frame,
                censors: &[],
                created_at,
                usage_boost,
                text,
                outcome,
                topic,
            });
        }
        for (memory, censors) in found.iter_mut().zip(&censors) {
            memory.censors = censors;
        }
        let by =
            Selecting { mode: mode(seed_compatible), min_scores, censors: &active, recency, now };
        let selection = context::select(&found, &by);
        let mut answer: Vec<f64> = selection
            .unselected
            .iter()
            .map(|why| why.map_or(0.0, |why| -1.0 - f64::from(why as u8)))
            .collect();
        for (place, &row) in selection.order.iter().enumerate() {
            answer[row as usize] = place as f64;
        }
        self.write_numbers(answer);
    }

    /// Reads the tokens of the whole and of each section, the identity, and the entries. Returns
    /// the prompt, its tokens, the count of its sections, a `WRITTEN` each, and for the identity
    /// and each entry the code of the reason that it was omitted, or −1.
    ///
    /// Does not write to the scratch: counting tokens may call this very engine again.
    pub fn write_prompt(
        &self,
        entries: usize,
        seed_compatible: bool,
        count: Option<Function>,
    ) -> Array {
        let mut reader = self.reader();
        let total = reader.number();
        let sections = reader.array();
        let identity = reader.text();
        let entries: Vec<_> = (0..entries).map(|_| reader.entry()).collect();
        let limits = PromptLimits { mode: mode(seed_compatible), total, sections };
        let prompt = context::write_prompt(identity, &entries, &limits, &counting(count.as_ref()));
        let mut answer = vec![prompt.tokens, prompt.sections.len() as f64];
        for section in &prompt.sections {
            let (start, end) = section.content;
            let begins = units(&prompt.text[..start]);
            let ends = begins + units(&prompt.text[start..end]);
            let mut written = [0.0; WRITTEN];
            written[WRITTEN_SECTION] = f64::from(section.section as u8);
            written[WRITTEN_START] = begins as f64;
            written[WRITTEN_END] = ends as f64;
            written[WRITTEN_TOKENS] = section.tokens;
            answer.extend(written);
        }
        let reasons = [prompt.identity].into_iter().chain(prompt.omitted);
        answer.extend(reasons.map(|why| why.map_or(-1.0, |why| f64::from(why as u8))));
        let array = Array::of1(&prompt.text.into());
        for number in answer {
            array.push(&number.into());
        }
        array
    }

    /// Text: an identity. Returns the identity shortened to `most` tokens, and its tokens.
    pub fn write_identity(&self, length: usize, max: f64, count: Option<Function>) -> Array {
        let (text, tokens) =
            context::write_identity(self.scratch.text(0, length), max, &counting(count.as_ref()));
        Array::of2(&text.into(), &tokens.into())
    }

    /// Reads the code of a memory's type, the count of fields, title, text, and of each field its
    /// name and value. Returns all of it as text.
    pub fn memory_detail(&self) -> String {
        let mut reader = self.reader();
        let memory_type = MemoryType::ALL[reader.number() as usize % MemoryType::ALL.len()];
        let fields = reader.number() as usize;
        let (title, text) = (reader.text(), reader.text());
        let fields: Vec<_> = (0..fields).map(|_| (reader.text(), reader.text())).collect();
        MemoryDetail { memory_type, title, fields: &fields, text }.write()
    }

    /// Returns an estimate of the tokens of a text.
    pub fn estimate_tokens(&self, length: usize) -> f64 {
        context::estimate_tokens(self.scratch.text(0, length))
    }
}

impl Engine {
    fn reader(&self) -> Reader<'_> {
        Reader { engine: self, number: 0, byte: 0 }
    }

    /// Writes an answer over the numbers of the call.
    fn write_numbers(&mut self, answer: impl IntoIterator<Item = f64>) {
        for (place, number) in self.scratch.numbers.iter_mut().zip(answer) {
            *place = number;
        }
    }

    fn write_shared(&mut self, similarities: Vec<f64>, is_enough: impl Fn(f64) -> bool) {
        self.write_numbers(similarities.into_iter().flat_map(|similarity| {
            let mut shared = [0.0; SHARED];
            shared[SHARED_SIMILARITY] = similarity;
            shared[SHARED_IS_ENOUGH] = f64::from(is_enough(similarity));
            shared
        }));
    }
}

impl Reader<'_> {
    fn uses(&mut self) -> Vec<MemoryUse> {
        let count = self.number() as usize;
        (0..count)
            .map(|_| MemoryUse { at: self.number(), referenced: self.number() != 0.0 })
            .collect()
    }
}

/// Returns the caller's function that counts tokens, or the estimate.
fn counting(count: Option<&Function>) -> impl Fn(&str) -> f64 {
    move |text| {
        count.map_or_else(|| context::estimate_tokens(text), |count| count_tokens(count, text))
    }
}

/// The names and numbers of preparing a prompt.
#[derive(Serialize)]
pub struct ContextConstants {
    min_scores: [f64; MemoryType::ALL.len()],
    unselected: [&'static str; Unselected::NAMES.len()],
    omitted: [&'static str; Omitted::NAMES.len()],
    sections: [(&'static str, &'static str, u8); SECTIONS],
    budgets: [ContextBudget; FRAME_BUDGETS.len()],
    limit_without_plan: u32,
    max_uses: u32,
    use_days: u32,
    seed_messages: u32,
    recent_conversations: u32,
    recent_hours: u32,
    profile_categories: [&'static str; PROFILE_CATEGORIES.len()],
    censor_actions: [&'static str; CENSOR_ACTIONS.len()],
}

impl ContextConstants {
    /// Returns the constants.
    pub fn new() -> Self {
        Self {
            min_scores: MIN_SCORES,
            unselected: Unselected::NAMES,
            omitted: Omitted::NAMES,
            sections: PromptSection::ALL.map(|it| (it.name(), it.label(), it.priority())),
            budgets: FRAME_BUDGETS,
            limit_without_plan: LIMIT_OF_ALL,
            max_uses: MAX_USES,
            use_days: USE_DAYS,
            seed_messages: SEED_MESSAGES,
            recent_conversations: RECENT_CONVERSATIONS,
            recent_hours: RECENT_HOURS,
            profile_categories: PROFILE_CATEGORIES,
            censor_actions: CENSOR_ACTIONS,
        }
    }
}
