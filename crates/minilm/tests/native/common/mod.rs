//! Recorded answers, and the model file of the package.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use nous_minilm::Model;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh64::xxh64;

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The model of the package.
pub fn model() -> Model {
    Model::read(&fs::read(at("js/minilm/model/minilm-l6.bin")).unwrap()).unwrap()
}

/// The bytes of the package's adapter file for pairs.
pub fn adapter() -> Vec<u8> {
    fs::read(at("js/minilm/model/replacing.bin")).unwrap()
}

/// The bytes of the package's adapter file for questions.
pub fn asking() -> Vec<u8> {
    fs::read(at("js/minilm/model/asking.bin")).unwrap()
}

/// The multilingual model.
pub fn multilingual() -> Model {
    Model::read(&fs::read(at("js/e5/model/e5-small.bin")).unwrap()).unwrap()
}

/// The bytes of a recorded file, such as `minilm/bits.bin`.
pub fn golden_bytes(name: &str) -> Vec<u8> {
    let file = fs::File::open(at(&format!("tests/golden/{name}.gz"))).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// A recorded file.
pub fn golden<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&golden_bytes(name)).unwrap()
}

/// The 20,000 texts whose pieces are recorded.
pub fn generated_texts() -> Vec<String> {
    let file = fs::File::open(at("tests/golden/embed/tokens-nous-128.json.gz")).unwrap();
    let recorded: Vec<(String, String, Vec<i64>)> =
        serde_json::from_reader(std::io::BufReader::new(GzDecoder::new(file))).unwrap();
    recorded.into_iter().map(|(text, ..)| text).collect()
}

pub fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A file with its hash.
pub fn closed(mut file: Vec<u8>) -> Vec<u8> {
    let hash = xxh64(&file, 0);
    file.extend(hash.to_le_bytes());
    file
}
