//! Word pieces and vectors of texts by the multilingual model.

use nous_minilm::{DIMENSIONS, Model, Purpose};
use xxhash_rust::xxh64::xxh64;

use crate::common::{generated_texts, golden, golden_bytes, multilingual};

fn pieces(model: &Model, text: &str, purpose: Purpose) -> Vec<u32> {
    let mut codes = Vec::new();
    model.pieces(text, purpose, &mut codes);
    codes
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

#[derive(serde::Deserialize)]
struct Recorded {
    /// Of each hundred texts, the number of their pieces and a hash of the codes.
    blocks: Vec<(usize, String)>,
    /// A text, and its pieces as a passage and as a question.
    texts: Vec<(String, Vec<u32>, Vec<u32>)>,
}

#[test]
fn pieces_of_texts_equal_the_recorded_ones() {
    let model = multilingual();
    let recorded: Recorded = golden("e5/pieces.json");
    assert!(recorded.texts.len() > 300);
    for (text, passage, question) in &recorded.texts {
        assert_eq!(pieces(&model, text, Purpose::Passage), *passage, "pieces of {text:?}");
        assert_eq!(pieces(&model, text, Purpose::Question), *question, "pieces of {text:?}");
    }
    let texts = generated_texts();
    assert_eq!((texts.len(), recorded.blocks.len()), (20_000, 200));
    for (place, (block, expected)) in texts.chunks(100).zip(recorded.blocks).enumerate() {
        let mut bytes = Vec::new();
        let mut sum = 0;
        for text in block {
            let codes = pieces(&model, text, Purpose::Passage);
            sum += codes.len();
            let length = codes.len() as u32;
            bytes.extend([length].iter().chain(&codes).flat_map(|number| number.to_le_bytes()));
        }
        let found = (sum, format!("{:016x}", xxh64(&bytes, 0)));
        assert_eq!(found, expected, "pieces of texts from {}", 100 * place);
    }
}

/// In WebAssembly all are compared, which natively takes longer.
#[test]
fn vectors_are_near_those_of_the_source() {
    let mut model = multilingual();
    let texts: Vec<String> = golden("e5/vectors.json");
    let recorded = golden_bytes("e5/vectors.bin");
    assert_eq!(recorded.len(), texts.len() * DIMENSIONS);
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
    assert!(mean >= 0.97 && worst >= 0.9, "mean {mean}, worst {worst}");
}

#[test]
fn vectors_have_the_bits_of_webassembly() {
    let mut model = multilingual();
    let texts: Vec<String> = golden("e5/bits.json");
    let recorded = golden_bytes("e5/bits.bin");
    let recorded: Vec<u32> =
        recorded.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    assert_eq!(recorded.len(), texts.len() * DIMENSIONS);
    for (place, (text, expected)) in texts.iter().zip(recorded.chunks_exact(DIMENSIONS)).enumerate()
    {
        let purpose = if place % 2 == 1 { Purpose::Question } else { Purpose::Passage };
        let found = model.embed(&[text], purpose).unwrap().vectors;
        let found: Vec<u32> = found.iter().map(|number| number.to_bits()).collect();
        assert_eq!(found, expected, "bits of {text:?}");
    }
}

#[test]
fn questions_find_texts_of_another_language_before_others_of_their_own() {
    let mut model = multilingual();
    let texts = [
        "Sie trinkt am liebsten Tee.",
        "Die Miete steigt im April um achtzig Euro.",
        "The ferry is late in winter.",
        "彼女は毎朝走る。",
    ];
    let texts = model.embed(&texts, Purpose::Passage).unwrap().vectors;
    for (question, expected) in [
        ("Which beverage does Mira like?", 0),
        ("¿Cuánto cuesta ahora el alquiler?", 1),
        ("Ist die Fähre verspätet?", 2),
        ("Wer läuft jeden Morgen?", 3),
    ] {
        let question = model.embed(&[question], Purpose::Question).unwrap().vectors;
        let cosines: Vec<f64> =
            texts.chunks_exact(DIMENSIONS).map(|text| cosine(text, &question)).collect();
        let best = cosines[expected];
        assert!(cosines.iter().all(|&one| one <= best), "{expected}: {cosines:?}");
    }
}

#[test]
fn a_long_word_without_spaces_is_cut_like_any_other_text() {
    let mut model = multilingual();
    let long = "東京の天気は晴れです。".repeat(3000);
    let count = model.pieces(&long, Purpose::Passage, &mut Vec::new());
    assert!(count > 10_000, "{count}");
    // The prefix of questions is one piece longer.
    assert_eq!(pieces(&model, &long, Purpose::Passage).len(), 255);
    assert_eq!(pieces(&model, &long, Purpose::Question).len(), 256);
    let embedded = model.embed(&[&long, "東京"], Purpose::Passage).unwrap();
    assert!(embedded.vectors.iter().all(|number| number.is_finite()));
}

#[test]
fn a_text_without_pieces_has_no_vector() {
    let mut model = multilingual();
    let embedded = model.embed(&["", " \u{200b}\n", "Tee"], Purpose::Question).unwrap();
    assert_eq!(embedded.pieces[..2], [0, 0]);
    assert!(embedded.vectors[..2 * DIMENSIONS].iter().all(|&number| number == 0.0));
    assert!(embedded.vectors[2 * DIMENSIONS..].iter().any(|&number| number != 0.0));
}
