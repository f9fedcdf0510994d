//! Turns of conversation over text in the scratch. Places in a text cross in UTF-16 units, and
//! JavaScript cuts its own string with them.

use wasm_bindgen::prelude::*;

use super::Engine;
use super::layout::{
    PLAN, PLAN_BUDGETS, PLAN_BY_KEYWORDS, PLAN_LIMITS, PLAN_NONE, PLAN_SKIPPED, PLANNED_IS_RECENT,
    PLANNED_PLAN, PLANNED_TURN, SPAN, SPAN_END, SPAN_START, TO_PLAN, TO_PLAN_HINTS,
    TO_PLAN_RECENCY, TURN, TURN_ENTITIES, TURN_ENTITY_COUNT, TURN_HINTS, TURN_INPUT,
    TURN_IS_ACKNOWLEDGEMENT, TURN_IS_GREETING, TURN_IS_QUESTION, TURN_IS_RECAP, TURN_KEYWORD_COUNT,
    TURN_KEYWORDS, TURN_RECENCY,
};
use super::query::Units;
use crate::context::{
    self, ContextMode, Frame, MAX_NAMED, MemoryType, RetrievalPlan, SignalsToPlan, TurnSignals,
    next_topic, select_frame,
};

const TYPES: usize = MemoryType::ALL.len();
const _: () = assert!(TURN_KEYWORD_COUNT - TURN_HINTS == TYPES && TO_PLAN - TO_PLAN_HINTS == TYPES);
const _: () = assert!(PLAN_BUDGETS - PLAN_LIMITS == TYPES && PLAN - PLAN_BUDGETS == TYPES);
const _: () = assert!(TURN_ENTITIES - TURN_KEYWORDS == SPAN * MAX_NAMED);
const _: () = assert!(TURN - TURN_ENTITIES == SPAN * MAX_NAMED);

pub(super) fn mode(seed_compatible: bool) -> ContextMode {
    if seed_compatible { ContextMode::SeedCompatible } else { ContextMode::Default }
}

#[wasm_bindgen]
impl Engine {
    /// Classifies the first `length` bytes. Writes a `TURN` to the numbers.
    pub fn classify_turn(&mut self, length: usize, seed_compatible: bool) {
        let signals = context::classify_turn(
            self.scratch.text(0, length),
            &self.intent,
            mode(seed_compatible),
        );
        self.write_turn(length, &signals);
    }

    /// Plans the retrieval for a turn in a frame (one past the last for no frame). Writes a
    /// `PLANNED` to the numbers.
    pub fn plan_turn(&mut self, length: usize, frame: usize, seed_compatible: bool) {
        let frame = Frame::ALL.get(frame).copied();
        let planned = context::plan_turn(
            self.scratch.text(0, length),
            frame,
            &self.intent,
            mode(seed_compatible),
        );
        self.write_turn(length, &planned.signals);
        self.write_plan(PLANNED_PLAN, &planned.plan);
        self.scratch.numbers[PLANNED_IS_RECENT] = f64::from(u8::from(planned.is_recent));
    }

    /// Numbers: a `TO_PLAN`. Writes a `PLAN` to them.
    pub fn plan_retrieval(
        &mut self,
        frame: usize,
        is_question: bool,
        asks_nothing: bool,
        has_keywords: bool,
        seed_compatible: bool,
    ) {
        let mut hints = [0.0; TYPES];
        hints.copy_from_slice(&self.scratch.numbers[TO_PLAN_HINTS..TO_PLAN]);
        let frame = Frame::ALL.get(frame).copied();
        let recency = self.scratch.numbers[TO_PLAN_RECENCY];
        let signals =
            SignalsToPlan { frame, recency, hints, is_question, asks_nothing, has_keywords };
        self.write_plan(0, &context::plan_retrieval(&signals, mode(seed_compatible)));
    }

    /// Selects the frame of the first `length` bytes. Writes the confidence in it to the numbers
    /// and returns its place.
    pub fn select_frame(&mut self, length: usize) -> u8 {
        let selection = select_frame(self.scratch.text(0, length));
        self.scratch.numbers[0] = selection.confidence;
        selection.frame as u8
    }

    /// Finds the topic that the first `length` bytes open. Writes a `SPAN` to the numbers. Returns
    /// `false` if they continue the last topic.
    pub fn next_topic(&mut self, length: usize) -> bool {
        let text = self.scratch.text(0, length);
        let Some(topic) = next_topic(text) else { return false };
        let [start, end] = Units::new(text).span(topic).map(f64::from);
        self.scratch.numbers[SPAN_START] = start;
        self.scratch.numbers[SPAN_END] = end;
        true
    }
}

impl Engine {
    fn write_turn(&mut self, length: usize, signals: &TurnSignals) {
        let mut units = Units::new(self.scratch.text(0, length));
        let input = units.at(signals.input) as f64;
        let mut spans = [0.0; 2 * SPAN * MAX_NAMED];
        let (keywords, entities) = spans.split_at_mut(SPAN * MAX_NAMED);
        for (spans, named) in [(keywords, &signals.keywords), (entities, &signals.entities)] {
            for (span, &named) in spans.as_chunks_mut().0.iter_mut().zip(named) {
                *span = units.span(named).map(f64::from);
            }
        }
        let flag = |is: bool| f64::from(u8::from(is));
        let out = &mut self.scratch.numbers[PLANNED_TURN..PLANNED_TURN + TURN];
        out[TURN_INPUT] = input;
        out[TURN_RECENCY] = signals.recency;
        out[TURN_IS_QUESTION] = flag(signals.is_question);
        out[TURN_IS_GREETING] = flag(signals.is_greeting);
        out[TURN_IS_ACKNOWLEDGEMENT] = flag(signals.is_acknowledgement);
        out[TURN_IS_RECAP] = flag(signals.is_recap);
        out[TURN_HINTS..TURN_KEYWORD_COUNT].copy_from_slice(&signals.hints);
        out[TURN_KEYWORD_COUNT] = signals.keywords.len() as f64;
        out[TURN_ENTITY_COUNT] = signals.entities.len() as f64;
        out[TURN_KEYWORDS..].copy_from_slice(&spans);
    }

    fn write_plan(&mut self, at: usize, plan: &RetrievalPlan) {
        let skipped = plan.skipped();
        let limits = MemoryType::ALL.map(|its| match plan.limit(its) {
            Some(limit) => f64::from(limit),
            None if skipped.contains(&its) => PLAN_SKIPPED,
            None => PLAN_NONE,
        });
        let budgets = plan.budgets.map(|tokens| tokens.map_or(PLAN_NONE, f64::from));
        let out = &mut self.scratch.numbers[at..at + PLAN];
        out[PLAN_BY_KEYWORDS] = f64::from(u8::from(plan.by_keywords));
        out[PLAN_LIMITS..PLAN_BUDGETS].copy_from_slice(&limits);
        out[PLAN_BUDGETS..].copy_from_slice(&budgets);
    }
}
