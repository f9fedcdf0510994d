//! What the host has, and the module would have to carry: in WebAssembly the functions of the
//! JavaScript engine, natively the crate's own or those of the standard library.

#[cfg(not(target_arch = "wasm32"))]
mod here {
    /// The text in lower case, by all of Unicode.
    pub fn lower_case(text: &str) -> String {
        text.to_lowercase()
    }

    pub use crate::math::pow;
}

#[cfg(target_arch = "wasm32")]
mod here {
    use js_sys::Function;
    use wasm_bindgen::prelude::*;

    // Not `JSON::parse` of js-sys: an import whose exceptions are caught leaks a slot of the
    // externref table for each.
    #[wasm_bindgen(module = "/src/host.js")]
    extern "C" {
        /// The `text` of a JSON object.
        pub fn text_of_json(body: &str) -> Option<String>;

        /// The text in lower case, by all of Unicode.
        pub fn lower_case(text: &str) -> String;

        /// Tokens of a text by the caller's own function, which does not throw.
        pub fn count_tokens(count: &Function, text: &str) -> f64;
    }

    #[wasm_bindgen]
    extern "C" {
        /// x to the power of y.
        #[wasm_bindgen(js_namespace = Math)]
        pub fn pow(x: f64, y: f64) -> f64;
    }
}

pub(crate) use here::*;
