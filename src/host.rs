//! Functions of the host. In WebAssembly they are the JavaScript engine's, so that the module need
//! not carry them. Natively they are the crate's own or those of the standard library.

#[cfg(not(target_arch = "wasm32"))]
mod here {
    use unicode_normalization::UnicodeNormalization;

    /// Returns the text in lower case, by Unicode.
    pub fn lower_case(text: &str) -> String {
        text.to_lowercase()
    }

    /// Returns the text decomposed by canonical equivalence (NFD), each character in lower case.
    pub fn decomposed_lower_case(text: &str) -> String {
        text.nfd().flat_map(char::to_lowercase).collect()
    }

    pub use crate::folds::folded;
    pub use crate::math::pow;
}

#[cfg(target_arch = "wasm32")]
mod here {
    use js_sys::Function;
    use wasm_bindgen::prelude::*;

    // Not `JSON::parse` of js-sys: an import that catches exceptions leaks a slot of the externref
    // table for each.
    #[wasm_bindgen(module = "/src/host.js")]
    extern "C" {
        /// Returns the `text` of a JSON object.
        pub fn text_of_json(body: &str) -> Option<String>;

        /// Returns the text in lower case, by Unicode.
        pub fn lower_case(text: &str) -> String;

        /// Adds the vector of a word to a sum of numbers, both at an address of this module's
        /// memory, by the caller's function, which must not throw. Returns whether the word has a
        /// vector.
        pub fn add_word(add: &Function, word: usize, length: usize, sum: usize) -> bool;

        /// Returns the text decomposed by canonical equivalence (NFD), each character in lower case.
        pub fn decomposed_lower_case(text: &str) -> String;

        /// Returns a text without what compatibility, accents and scripts make of one letter.
        pub fn folded(text: &str) -> String;

        /// Returns the tokens of a text by the caller's function, which must not throw.
        pub fn count_tokens(count: &Function, text: &str) -> f64;
    }

    #[wasm_bindgen]
    extern "C" {
        /// Returns x to the power of y.
        #[wasm_bindgen(js_namespace = Math)]
        pub fn pow(x: f64, y: f64) -> f64;
    }
}

pub(crate) use here::*;
