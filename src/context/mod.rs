//! Context: what of a memory goes into a prompt, and in which words.

mod lines;

#[cfg(not(target_arch = "wasm32"))]
pub use lines::format_context;
#[cfg(target_arch = "wasm32")]
pub(crate) use lines::lines;
pub use lines::{ContextRow, memory_guidance};
