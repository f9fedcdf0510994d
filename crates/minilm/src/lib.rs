//! The sentence transformers all-MiniLM-L6-v2 and multilingual-e5-small: texts that mean the same
//! have vectors with a large dot product, though they share no word.
//!
//! A [`Model`] is read from its file, whole by [`Model::read`] or in parts by [`Reader`]. It gives
//! each text a vector of [`DIMENSIONS`] numbers and length 1:
//!
//! ```no_run
//! use nous_minilm::{Model, Purpose};
//! let mut model = Model::read(&std::fs::read("minilm-l6.bin")?)?;
//! let question = model.embed(&["Which beverage does Mira like?"], Purpose::Question)?.vectors;
//! let answer = model.embed(&["She prefers tea."], Purpose::Passage)?.vectors;
//! let cosine: f32 = question.iter().zip(answer).map(|(a, b)| a * b).sum();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Adapter`] makes the first of them a reader of pairs: see [`Model::replacing`]. Another one
//! moves vectors of questions towards those of their answers.
//!
//! | module | subject |
//! |---|---|
//! | `file` | The format of the model file, and its checks. |
//! | `adapter` | The format of the adapter file, and its checks. |
//! | `bytes` | The numbers of both, and their checks. |
//! | `model` | From texts to vectors. |
//! | `pairs` | From two texts to one number. |
//! | `tokenizer` | The word pieces of texts. |
//! | `layer` | A layer of the transformer: attention, norms, activation. |
//! | `attention` | Which words of a text a word takes up. |
//! | `linear`, `products` | Products of whole numbers: nine tenths of the time. |
//! | `lanes` | Four numbers at once. |
//!
//! # Equal bits
//!
//! A vector has the same bits natively, in every WebAssembly engine, alone and among others, and so
//! has the number of a pair. Whole numbers are summed exactly. Numbers of f32 are added, multiplied
//! and divided in one order, each result rounded as IEEE 754 says: no fused multiplication, no
//! relaxed instruction, no function of the host. No number depends on another text of the batch.

mod adapter;
mod attention;
mod bytes;
mod error;
mod file;
mod host;
mod lanes;
mod layer;
mod linear;
mod model;
mod pairs;
mod products;
mod tokenizer;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use adapter::Adapter;
pub use error::{Error, Result};
pub use file::Reader;
pub use model::{DIMENSIONS, Embedded, MAX_PLACES, Model, Purpose};
pub use pairs::MAX_PAIR_PIECES;
