//! Functions of the host. In WebAssembly they are the JavaScript engine's, so that the module need
//! not carry their tables.

#[cfg(not(target_arch = "wasm32"))]
mod here {
    use unicode_normalization::UnicodeNormalization;

    /// Returns the text decomposed by canonical equivalence (NFD), each character in lower case.
    pub fn decomposed_lower_case(text: &str) -> String {
        text.nfd().flat_map(char::to_lowercase).collect()
    }
}

#[cfg(target_arch = "wasm32")]
mod here {
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen(module = "/src/host.js")]
    extern "C" {
        /// Returns the text decomposed by canonical equivalence (NFD), each character in lower case.
        pub fn decomposed_lower_case(text: &str) -> String;
    }
}

pub(crate) use here::*;
