//! Turns of conversation over text in the scratch. Places in a text cross in UTF-16 units:
//! JavaScript cuts its own string.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::query::Units;
use crate::context::{
    self, ContextMode, Frame, MOST_NAMED, MemoryType, RetrievalPlan, SignalsToPlan, TurnSignals,
    next_topic, select_frame,
};

const TYPES: usize = MemoryType::ALL.len();
/// Numbers that tell of a turn: the beginning of what is understood, recency, four flags, hints,
/// how many keywords and entities, and the ends of each, with room for the most.
const SIGNALS: usize = HEAD + 4 * MOST_NAMED;
const HEAD: usize = 8 + TYPES;
/// Numbers that tell of a plan: whether by keywords, a limit and a budget for each type.
const PLAN: usize = 1 + 2 * TYPES;
/// Stands for a limit or a budget that there is not, and for a type that is skipped.
const NONE: f64 = -1.0;
const SKIPPED: f64 = -2.0;

pub(super) fn mode(seed_compatible: bool) -> ContextMode {
    if seed_compatible { ContextMode::SeedCompatible } else { ContextMode::Default }
}

#[wasm_bindgen]
impl Engine {
    /// Numbers get what the first `length` bytes ask of memory: see [`SIGNALS`].
    pub fn classify_turn(&mut self, length: usize, seed_compatible: bool) {
        let signals =
            context::classify_turn(self.text(0, length), &self.intent, mode(seed_compatible));
        self.tell_signals(length, &signals);
    }

    /// Numbers get the same, what to retrieve in a frame (one past the last is none), and whether
    /// something recent is meant.
    pub fn plan_turn(&mut self, length: usize, frame: usize, seed_compatible: bool) {
        let frame = Frame::ALL.get(frame).copied();
        let told =
            context::plan_turn(self.text(0, length), frame, &self.intent, mode(seed_compatible));
        self.tell_signals(length, &told.signals);
        self.tell_plan(SIGNALS, &told.plan);
        self.numbers[SIGNALS + PLAN] = f64::from(u8::from(told.is_recent));
    }

    /// Numbers: recency, and hints. They get a plan: see [`PLAN`].
    pub fn plan_retrieval(
        &mut self,
        frame: usize,
        is_question: bool,
        asks_nothing: bool,
        has_keywords: bool,
        seed_compatible: bool,
    ) {
        let mut hints = [0.0; TYPES];
        hints.copy_from_slice(&self.numbers[1..=TYPES]);
        let frame = Frame::ALL.get(frame).copied();
        let recency = self.numbers[0];
        let signals =
            SignalsToPlan { frame, recency, hints, is_question, asks_nothing, has_keywords };
        self.tell_plan(0, &context::plan_retrieval(&signals, mode(seed_compatible)));
    }

    /// Numbers get the confidence in the frame of the first `length` bytes, whose place is the
    /// answer.
    pub fn select_frame(&mut self, length: usize) -> u8 {
        let selection = select_frame(self.text(0, length));
        self.numbers[0] = selection.confidence;
        selection.frame as u8
    }

    /// Numbers get the ends of the topic that the first `length` bytes open; `false` when they go
    /// on with the last.
    pub fn next_topic(&mut self, length: usize) -> bool {
        let text = self.text(0, length);
        let Some(topic) = next_topic(text) else { return false };
        let ends = Units::new(text).span(topic).map(f64::from);
        self.numbers[..ends.len()].copy_from_slice(&ends);
        true
    }
}

impl Engine {
    fn tell_signals(&mut self, length: usize, signals: &TurnSignals) {
        let mut units = Units::new(self.text(0, length));
        let input = units.at(signals.input) as f64;
        let mut ends = [0.0; 4 * MOST_NAMED];
        let (keywords, entities) = ends.split_at_mut(2 * MOST_NAMED);
        for (ends, named) in [(keywords, &signals.keywords), (entities, &signals.entities)] {
            for (ends, &span) in ends.as_chunks_mut().0.iter_mut().zip(named) {
                *ends = units.span(span).map(f64::from);
            }
        }
        let flags = [
            signals.is_question,
            signals.is_greeting,
            signals.is_acknowledgement,
            signals.is_recap,
        ];
        let counts = [signals.keywords.len(), signals.entities.len()];
        let (head, rest) = self.numbers[..SIGNALS].split_at_mut(HEAD);
        head[..2].copy_from_slice(&[input, signals.recency]);
        head[2..6].copy_from_slice(&flags.map(|is| f64::from(u8::from(is))));
        head[6..HEAD - 2].copy_from_slice(&signals.hints);
        head[HEAD - 2..].copy_from_slice(&counts.map(|count| count as f64));
        rest.copy_from_slice(&ends);
    }

    fn tell_plan(&mut self, at: usize, plan: &RetrievalPlan) {
        let skipped = plan.skipped();
        let limits = MemoryType::ALL.map(|its| match plan.limit(its) {
            Some(limit) => f64::from(limit),
            None if skipped.contains(&its) => SKIPPED,
            None => NONE,
        });
        let budgets = plan.budgets.map(|tokens| tokens.map_or(NONE, f64::from));
        let told = &mut self.numbers[at..at + PLAN];
        told[0] = f64::from(u8::from(plan.by_keywords));
        told[1..=TYPES].copy_from_slice(&limits);
        told[1 + TYPES..].copy_from_slice(&budgets);
    }
}
