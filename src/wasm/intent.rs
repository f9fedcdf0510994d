//! Intent over text in the scratch.

use wasm_bindgen::prelude::*;

use super::{Engine, to_js};
use crate::intent::Matcher;

pub(super) fn matcher(words: bool) -> Matcher {
    if words { Matcher::Words } else { Matcher::Substring }
}

#[wasm_bindgen]
impl Engine {
    /// Returns the sections that the first `length` bytes ask for, one bit each by section code.
    pub fn classify_intent(&self, length: usize, words: bool) -> u8 {
        self.intent.classify(self.scratch.text(0, length), matcher(words)).bits()
    }

    /// Returns the evidence in the first `length` bytes.
    pub fn explain_intent(&self, length: usize, words: bool) -> JsValue {
        to_js(&self.intent.explain(self.scratch.text(0, length), matcher(words)))
    }
}
