//! Word pieces and vectors of texts.

use std::cell::RefCell;

use nous_minilm::{DIMENSIONS, Model, Purpose};
use proptest::prelude::*;
use xxhash_rust::xxh64::xxh64;

use crate::common::{generated_texts, golden, golden_bytes, model};

fn pieces(model: &Model, text: &str) -> Vec<u32> {
    let mut codes = Vec::new();
    model.pieces(text, Purpose::Passage, &mut codes);
    codes
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|number| number.to_bits()).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

#[derive(serde::Deserialize)]
struct Pieces {
    /// Of each hundred texts, the number of their pieces and a hash of the codes.
    blocks: Vec<(usize, String)>,
    texts: Vec<(String, Vec<u32>)>,
}

#[test]
fn pieces_of_texts_equal_the_recorded_ones() {
    let model = model();
    let recorded: Pieces = golden("minilm/pieces.json");
    assert_eq!(recorded.texts.len(), 300);
    for (text, codes) in &recorded.texts {
        assert_eq!(pieces(&model, text), *codes, "pieces of {text:?}");
    }
    let texts = generated_texts();
    assert_eq!((texts.len(), recorded.blocks.len()), (20_000, 200));
    for (place, (block, expected)) in texts.chunks(100).zip(recorded.blocks).enumerate() {
        let mut bytes = Vec::new();
        let mut sum = 0;
        for text in block {
            let mut codes = Vec::new();
            sum += model.pieces(text, Purpose::Passage, &mut codes);
            let length = codes.len() as u32;
            bytes.extend([length].iter().chain(&codes).flat_map(|number| number.to_le_bytes()));
        }
        let found = (sum, format!("{:016x}", xxh64(&bytes, 0)));
        assert_eq!(found, expected, "pieces of texts from {}", 100 * place);
    }
}

/// In WebAssembly all thousand are compared, which natively takes longer.
#[test]
fn vectors_are_near_those_of_the_published_weights() {
    let mut model = model();
    let texts: Vec<String> = golden("minilm/vectors.json");
    let recorded = golden_bytes("minilm/vectors.bin");
    assert_eq!((texts.len(), recorded.len()), (1000, 1000 * DIMENSIONS));
    let recorded = recorded.chunks_exact(DIMENSIONS).step_by(10);
    let some: Vec<&String> = texts.iter().step_by(10).collect();
    let embedded = model.embed(&some, Purpose::Passage).unwrap();
    let cosines = embedded.vectors.chunks_exact(DIMENSIONS).zip(recorded).map(|(a, b)| {
        let b: Vec<f32> = b.iter().map(|&byte| f32::from(byte.cast_signed())).collect();
        cosine(a, &b)
    });
    let cosines: Vec<f64> = cosines.collect();
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    let worst = cosines.iter().copied().fold(1.0, f64::min);
    assert!(mean >= 0.99 && worst >= 0.93, "mean {mean}, worst {worst}");
}

#[test]
fn texts_that_mean_the_same_are_near_each_other() {
    let mut model = model();
    let texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ];
    let embedded = model.embed(&texts, Purpose::Passage).unwrap();
    let vectors: Vec<&[f32]> = embedded.vectors.chunks_exact(DIMENSIONS).collect();
    for (place, expected) in [1.0, 0.695, 0.943, 0.257].into_iter().enumerate() {
        let found = cosine(vectors[0], vectors[place]);
        assert!((found - expected).abs() < 0.015, "{}: {found}", texts[place]);
        let length = cosine(vectors[place], vectors[place]);
        assert!((length - 1.0).abs() < 1e-6, "{length}");
    }
    assert_eq!(embedded.pieces, [5, 5, 6, 5]);
}

#[test]
fn vectors_have_the_bits_of_webassembly() {
    let mut model = model();
    let texts: Vec<String> = golden("minilm/bits.json");
    let recorded = golden_bytes("minilm/bits.bin");
    let recorded: Vec<u32> =
        recorded.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    let vectors = model.embed(&texts, Purpose::Passage).unwrap().vectors;
    assert_eq!(recorded.len(), texts.len() * DIMENSIONS);
    let both = vectors.chunks_exact(DIMENSIONS).zip(recorded.chunks_exact(DIMENSIONS));
    for (text, (found, expected)) in texts.iter().zip(both) {
        assert_eq!(bits(found), expected, "bits of {text:?}");
    }
}

#[test]
fn a_vector_does_not_depend_on_its_batch() {
    let all: Vec<String> = golden("minilm/vectors.json");
    let model = RefCell::new(model());
    let embed =
        |texts: &[&String]| model.borrow_mut().embed(texts, Purpose::Passage).unwrap().vectors;
    let batches = prop::collection::vec(prop::sample::select((0..200).collect::<Vec<_>>()), 1..9);
    let config = ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() };
    proptest!(config, |(batch in batches)| {
        let texts: Vec<&String> = batch.iter().map(|&at| &all[at]).collect();
        let together = embed(&texts);
        for (text, vector) in texts.iter().zip(together.chunks_exact(DIMENSIONS)) {
            prop_assert_eq!(bits(vector), bits(&embed(&[text])));
        }
    });
}

#[test]
fn a_text_longer_than_a_batch_of_layers_has_the_same_vector_after_others() {
    let mut model = model();
    let long = "one two three ".repeat(300);
    let alone = model.embed(&[&long], Purpose::Passage).unwrap();
    assert_eq!(alone.pieces, [900]);
    // Five texts of 256 places are more than the layers take at once.
    let many = model.embed(&[&long; 5], Purpose::Passage).unwrap();
    for vector in many.vectors.chunks_exact(DIMENSIONS) {
        assert_eq!(bits(vector), bits(&alone.vectors));
    }
    let cut = "one two three ".repeat(84) + "one two";
    let cut = model.embed(&[cut], Purpose::Passage).unwrap();
    assert_eq!(cut.pieces, [254]);
    assert_eq!(bits(&cut.vectors), bits(&alone.vectors));
}

#[test]
fn a_text_without_pieces_has_no_vector() {
    let mut model = model();
    let embedded =
        model.embed(&["", "tea", "\u{301} \u{200d}\n", "tea"], Purpose::Passage).unwrap();
    assert_eq!(embedded.pieces, [0, 1, 0, 1]);
    let vectors: Vec<&[f32]> = embedded.vectors.chunks_exact(DIMENSIONS).collect();
    assert!(vectors[0].iter().chain(vectors[2]).all(|&number| number == 0.0));
    assert_eq!(vectors[1], vectors[3]);
    assert_eq!(model.embed(&[""; 0], Purpose::Passage).unwrap(), Default::default());
}

#[test]
fn special_pieces_in_a_text_are_text() {
    let model = model();
    assert_eq!(pieces(&model, "tea").len(), 3);
    // A bracket, the letters, and a bracket.
    assert!(model.pieces("[SEP]", Purpose::Passage, &mut Vec::new()) > 2);
    let codes = pieces(&model, "[CLS] tea [SEP]");
    assert_eq!(codes.iter().filter(|&&code| code == codes[0]).count(), 1);
}

#[test]
fn wrong_codes_and_lengths_are_errors_and_change_nothing() {
    let mut model = model();
    let before = model.embed(&["tea"], Purpose::Passage).unwrap();
    let known = model.vocabulary() as u32;
    let places = model.max_pieces() + 2;
    let message = |codes: &[u32], lengths: &[usize], model: &mut Model| {
        model.embed_pieces(codes, lengths, Purpose::Passage).unwrap_err().to_string()
    };
    let empty = "texts[1] must have from 1 to 256 pieces, found 0";
    assert_eq!(message(&[1], &[1, 0], &mut model), empty);
    let long = "texts[0] must have from 1 to 256 pieces, found 257";
    assert_eq!(message(&vec![1; places + 1], &[places + 1], &mut model), long);
    let huge = "texts[0] must have from 1 to 256 pieces, found 18446744073709551615";
    assert_eq!(message(&[1], &[usize::MAX], &mut model), huge);
    let few = "the texts must have 3 pieces in all, found 2";
    assert_eq!(message(&[1, 2], &[2, 1], &mut model), few);
    let unknown = format!("codes[1] must be less than {known}, found {known}");
    assert_eq!(message(&[1, known], &[2], &mut model), unknown);
    assert!(model.embed_pieces(&vec![known - 1; places], &[places], Purpose::Passage).is_ok());
    assert_eq!(model.embed(&["tea"], Purpose::Passage).unwrap(), before);
}
