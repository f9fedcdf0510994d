//! What the host has, and the module would have to carry: in WebAssembly the functions of the JavaScript engine, natively
//! those of the standard library.

#[cfg(not(target_arch = "wasm32"))]
mod here {
    /// The text in lower case, by all of Unicode.
    pub fn lower_case(text: &str) -> String {
        text.to_lowercase()
    }

    /// x to the power of y.
    pub fn pow(x: f64, y: f64) -> f64 {
        x.powf(y)
    }
}

#[cfg(target_arch = "wasm32")]
mod here {
    use wasm_bindgen::prelude::*;

    /// The text in lower case, by all of Unicode; the host is asked only where there is more than ASCII.
    pub fn lower_case(text: &str) -> String {
        if text.is_ascii() { text.to_ascii_lowercase() } else { host_lower_case(text) }
    }

    // Not `JSON::parse` of js-sys: an import whose exceptions are caught leaks a slot of the externref table for each.
    #[wasm_bindgen(module = "/src/host.js")]
    extern "C" {
        /// The `text` of a JSON object.
        pub fn text_of_json(body: &str) -> Option<String>;

        #[wasm_bindgen(js_name = lower_case)]
        fn host_lower_case(text: &str) -> String;
    }

    #[wasm_bindgen]
    extern "C" {
        /// x to the power of y.
        #[wasm_bindgen(js_namespace = Math)]
        pub fn pow(x: f64, y: f64) -> f64;
    }
}

pub(crate) use here::*;
