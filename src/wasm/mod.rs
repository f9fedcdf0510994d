//! The boundary: all functions that JavaScript can call.
//!
//! Batches cross in the scratch of an [`Engine`]: JavaScript reserves room, writes numbers and text
//! into the module's memory, calls, and reads the answer in the same place. `layout.rs` alone
//! numbers the fields of packed records. A call that is refused returns `false` (or nothing) and
//! keeps the reason for [`take_error`]. Structures are small and rare: a configuration is read from
//! JavaScript's own values, and structures are returned as such, both by `serde-wasm-bindgen`.
//! JavaScript copies a configuration before it passes it, so that a getter or a proxy of the caller
//! runs, and throws, before the module does: what is thrown across the module's frames ends its
//! instance.

mod consolidate;
mod context;
mod decay;
mod embed;
mod full_text;
mod growth;
mod intent;
#[allow(dead_code)] // JavaScript reads some constants that Rust does not
mod layout;
mod memory;
mod merge;
mod pattern;
mod playbook;
mod prompt;
mod query;
mod rerank;
mod salience;
mod scratch;
mod section;
mod signal;
mod turn;

use std::cell::{OnceCell, RefCell};

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::config::Config;
use crate::consolidate::SymbolFinder;
use crate::decay::Curve;
use crate::error::{Error, Result};
use crate::intent::IntentClassifier;
use crate::query::{OrchestratorConfig, QueryConfig};
use crate::rerank::Reranker;
use crate::salience::SalienceTable;
use crate::section::SectionTable;

use self::scratch::Scratch;

/// The functions of one configuration, with scratch for batches.
#[wasm_bindgen]
pub struct Engine {
    table: SectionTable,
    intent: IntentClassifier,
    curve: Curve,
    known_symbols: Vec<String>,
    symbol_finder: OnceCell<SymbolFinder>,
    query: QueryConfig,
    orchestrator: OrchestratorConfig,
    salience: SalienceTable,
    reranker: Reranker,
    scratch: Scratch,
}

#[wasm_bindgen]
impl Engine {
    /// An engine under a configuration: plain data with keys in snake_case, or `undefined` for the
    /// default.
    pub fn create(config: &JsValue) -> Option<Engine> {
        answer(Self::new(config))
    }

    /// Makes room for a batch. Returns `false` if the host has too little memory. Moves the
    /// scratch.
    pub fn reserve(&mut self, numbers: usize, rows: usize, bytes: usize) -> bool {
        self.scratch.reserve(numbers, rows, bytes)
    }

    /// Address of the numbers, in bytes from the beginning of memory.
    pub fn numbers_at(&self) -> usize {
        self.scratch.numbers.as_ptr() as usize
    }

    /// Address of the rows.
    pub fn rows_at(&self) -> usize {
        self.scratch.rows.as_ptr() as usize
    }

    /// Address of the bytes.
    pub fn bytes_at(&self) -> usize {
        self.scratch.bytes.as_ptr() as usize
    }
}

impl Engine {
    fn new(config: &JsValue) -> Result<Self> {
        let config = config_of(config)?;
        Ok(Self {
            salience: SalienceTable::new(&config.salience, &config.sections),
            table: config.sections,
            intent: IntentClassifier::new(&config.intent)?,
            curve: config.curve,
            known_symbols: config.known_symbols,
            symbol_finder: OnceCell::new(),
            query: config.query,
            orchestrator: config.orchestrator,
            reranker: Reranker::default(),
            scratch: Scratch::default(),
        })
    }
}

/// Reads a configuration: plain data, or `undefined` for the default, which is not read, because
/// each function that runs while loading costs its compilation.
fn config_of(config: &JsValue) -> Result<Config> {
    if config.is_undefined() {
        return Ok(Config::default());
    }
    let value = serde_wasm_bindgen::from_value(config.clone());
    Config::read(&value.map_err(|error| Error::config("config", error.to_string()))?)
}

fn grow<T: Clone + Default>(scratch: &mut Vec<T>, length: usize) -> bool {
    let missing = length.saturating_sub(scratch.len());
    let room = scratch.try_reserve_exact(missing).is_ok();
    if room && missing > 0 {
        scratch.resize(length, T::default());
    }
    room
}

thread_local! {
    static LAST_ERROR: RefCell<Option<Error>> = const { RefCell::new(None) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the value of a result, or keeps its error for [`take_error`].
fn answer<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| LAST_ERROR.set(Some(error))).ok()
}

/// Returns the reason of the last refusal, once.
#[wasm_bindgen]
pub fn take_error() -> Option<JsValue> {
    #[derive(Serialize)]
    struct Report<'a> {
        code: &'a str,
        field: &'a str,
        index: Option<usize>,
        problem: &'a str,
        found: Option<f64>,
        known: &'a [&'a str],
    }
    let error = LAST_ERROR.take()?;
    Some(to_js(&Report {
        code: error.code(),
        field: error.field(),
        index: error.index(),
        problem: error.problem(),
        found: error.number_found(),
        known: error.known_keys(),
    }))
}

/// Returns a structure as JavaScript's own values, with null for what is missing. Keys are names of
/// fields, so that none is `__proto__`.
fn to_js(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or_default()
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
}

/// Address of the text of a panic, for reading after the trap that follows it.
#[wasm_bindgen]
pub fn panic_at() -> usize {
    PANIC.with_borrow(|text| text.as_ptr() as usize)
}

/// Length of that text in bytes; 0 if nothing panicked.
#[wasm_bindgen]
pub fn panic_length() -> usize {
    PANIC.with_borrow(String::len)
}

#[cfg(feature = "count-allocations")]
mod counted {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

    /// Bytes allocated and not yet freed.
    #[wasm_bindgen]
    pub fn live_bytes() -> usize {
        ALLOCATOR.allocated()
    }

    /// Panics, so that tests can check the effects of a trap.
    #[wasm_bindgen]
    pub fn trap() {
        panic!("asked to");
    }
}
