//! The tests of the crate in one program, because linking one program per file takes longer.

mod bad_input;
mod common;
mod consolidation;
mod embed;
mod evidence;
mod fsrs;
mod full_text;
mod golden;
mod graph;
mod layers;
mod math;
mod memory;
mod patterns;
mod properties;
mod query;
mod search_golden;
mod times;
mod turn;
mod vectors;
