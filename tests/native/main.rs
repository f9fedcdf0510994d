//! The crate's tests, one program: thirteen of them would be linked one after the other.

mod bad_input;
mod common;
mod consolidation;
mod fsrs;
mod full_text;
mod golden;
mod graph;
mod layers;
mod math;
mod memory;
mod properties;
mod query;
mod search_golden;
mod turn;
mod vectors;
