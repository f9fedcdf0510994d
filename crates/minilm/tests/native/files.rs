//! Model files: small ones that are right, and damaged ones.

use nous_minilm::{DIMENSIONS, Model, Purpose, Reader};
use proptest::prelude::*;

use crate::common::{bytes_of, closed};

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ntea\n##s\n!";
const HEADER: usize = 28;

/// What a small file consists of.
#[derive(Clone)]
struct Parts {
    head: Vec<u8>,
    vocabulary: Vec<u8>,
    scales: Vec<f32>,
    rows: Vec<u8>,
    places: Vec<f32>,
    layer: Vec<u8>,
    /// Between vocabulary and scales: of a unigram model scores, replacements and prefixes.
    tokenizer: Vec<u8>,
    /// The head of a unigram model.
    turning: Vec<f32>,
}

/// The pieces of a unigram model: those that have texts.
const PIECES: [(&str, f32); 8] = [
    ("!", -4.0),
    ("s", -3.0),
    ("tea", -2.5),
    ("▁", -3.5),
    ("▁q", -1.0),
    ("▁tea", -2.0),
    ("▁teas", -9.0),
    ("▁x", -1.0),
];
const REPLACEMENTS: &str = "\t\0 \0Ａ\0x\0";
const PREFIXES: &str = "x \nq q ";

/// Bytes with zeros up to a multiple of 4.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    all.resize(bytes.len().next_multiple_of(4), 0);
    all
}

impl Parts {
    /// A file with one layer.
    fn new(bits: usize) -> Self {
        let pieces = VOCABULARY.split('\n').count();
        let counts = [pieces, 5, 1, bits, VOCABULARY.len()];
        let mut head = b"NOUSMLM1".to_vec();
        head.extend(counts.iter().flat_map(|&count| (count as u32).to_le_bytes()));
        let mut vocabulary = VOCABULARY.as_bytes().to_vec();
        vocabulary.resize(vocabulary.len().next_multiple_of(4), 0);
        let norm: Vec<f32> = [1.0, 0.0].iter().flat_map(|&number| [number; DIMENSIONS]).collect();
        let numbers = |count: usize| (0..count).map(|at| (at % 7) as f32 * 0.1 - 0.3);
        let places = numbers(5 * DIMENSIONS).chain(norm.clone()).collect();
        let mut layer = Vec::new();
        for (part, (inputs, outputs)) in
            [(384, 1152), (384, 384), (384, 1536), (1536, 384)].into_iter().enumerate()
        {
            layer.extend(std::iter::repeat_n(1e-4_f32, outputs).flat_map(f32::to_le_bytes));
            layer.extend(numbers(outputs).flat_map(f32::to_le_bytes));
            if bits == 4 {
                let factors = 0..inputs * outputs / 32;
                layer
                    .extend(factors.flat_map(|at| ((at % 999) as i16 * 32 - 16_000).to_le_bytes()));
            }
            layer.extend((0..inputs * outputs * bits / 8).map(|at| (at % 251) as u8));
            if part % 2 == 1 {
                layer.extend(norm.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        Self {
            head,
            vocabulary,
            scales: vec![0.01; pieces],
            rows: (0..pieces * DIMENSIONS / 2).map(|at| (at % 253) as u8).collect(),
            places,
            layer,
            tokenizer: Vec::new(),
            turning: Vec::new(),
        }
    }

    /// A file of a unigram model with one layer.
    fn unigram(bits: usize) -> Self {
        let texts: Vec<&str> = PIECES.iter().map(|&(text, _)| text).collect();
        let scores: Vec<f32> = PIECES.iter().map(|&(_, score)| score).collect();
        Self::unigram_of(
            bits,
            texts.join("\n").as_bytes(),
            &scores,
            REPLACEMENTS.as_bytes(),
            PREFIXES,
        )
    }

    fn unigram_of(
        bits: usize,
        vocabulary: &[u8],
        scores: &[f32],
        replacements: &[u8],
        prefixes: &str,
    ) -> Self {
        let mut parts = Self::new(bits);
        let pieces = scores.len() + 3;
        let counts = [pieces, 5, 1, bits, vocabulary.len(), replacements.len(), prefixes.len()];
        parts.head = b"NOUSMLM2".to_vec();
        parts.head.extend(counts.iter().flat_map(|&count| (count as u32).to_le_bytes()));
        parts.vocabulary = padded(vocabulary);
        let others = [padded(replacements), padded(prefixes.as_bytes())].concat();
        parts.tokenizer = [bytes_of(scores), others].concat();
        parts.scales = vec![0.01; pieces];
        parts.rows = (0..pieces * DIMENSIONS / 2).map(|at| (at % 253) as u8).collect();
        parts.turning = vec![0.0; (2 + DIMENSIONS) * DIMENSIONS];
        for at in 0..DIMENSIONS {
            parts.turning[(2 + at) * DIMENSIONS + at] = 1.0;
        }
        parts
    }

    /// The file, with its hash.
    fn file(&self) -> Vec<u8> {
        let mut file = self.head.clone();
        file.extend(&self.vocabulary);
        file.extend(&self.tokenizer);
        file.extend(bytes_of(&self.scales));
        file.extend(&self.rows);
        file.extend(bytes_of(&self.places));
        file.extend(&self.layer);
        file.extend(bytes_of(&self.turning));
        closed(file)
    }
}

fn refusal(file: &[u8]) -> String {
    Model::read(file).unwrap_err().to_string()
}

fn in_pieces(file: &[u8], sizes: &[usize]) -> Model {
    let mut reader = Reader::default();
    let mut rest = file;
    for &size in sizes.iter().cycle() {
        let (now, later) = rest.split_at(size.min(rest.len()));
        reader.add(now).unwrap();
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    reader.finish().unwrap()
}

#[test]
fn files_with_six_and_eight_bits_are_read_to_the_last_byte() {
    let ids = [6, 8].map(|bits| {
        let file = Parts::new(bits).file();
        let mut model = Model::read(&file).unwrap();
        assert_eq!((model.vocabulary(), model.max_pieces()), (7, 3));
        let vectors = model.embed(&["Teas!", "tea", "unknown"], Purpose::Passage).unwrap();
        assert_eq!(vectors.pieces, [3, 1, 1]);
        assert!(vectors.vectors.iter().all(|number| number.is_finite()));
        model.id().to_owned()
    });
    assert!(ids.iter().all(|id| id.starts_with("minilm-384-") && id.len() == 19), "{ids:?}");
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn six_and_eight_bits_of_the_same_weights_give_the_same_vectors() {
    let (mut six, mut eight) = (Parts::new(6), Parts::new(8));
    let weights: Vec<i8> = (0..1_769_472).map(|at| (at * 37 % 64) as i8 - 32).collect();
    let (mut from_six, mut from_eight) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (part, (inputs, outputs)) in
        [(384, 1152), (384, 384), (384, 1536), (1536, 384)].into_iter().enumerate()
    {
        let these = &weights[at..at + inputs * outputs];
        at += inputs * outputs;
        let before: Vec<u8> = [2e-3_f32, 0.1]
            .iter()
            .flat_map(|number| number.to_le_bytes().repeat(outputs))
            .collect();
        from_six.extend(&before);
        from_eight.extend(&before);
        from_eight.extend(these.iter().map(|&weight| weight.cast_unsigned()));
        for four in these.as_chunks::<4>().0 {
            let bits = four
                .iter()
                .rev()
                .fold(0_u32, |bits, &weight| bits << 6 | u32::from((weight + 32).cast_unsigned()));
            from_six.extend(&bits.to_le_bytes()[..3]);
        }
        if part % 2 == 1 {
            let norm: Vec<u8> = [1.0_f32, 0.0]
                .iter()
                .flat_map(|number| number.to_le_bytes().repeat(DIMENSIONS))
                .collect();
            from_six.extend(&norm);
            from_eight.extend(&norm);
        }
    }
    (six.layer, eight.layer) = (from_six, from_eight);
    let vectors = [six, eight].map(|parts| {
        Model::read(&parts.file())
            .unwrap()
            .embed(&["tea teas!", "!"], Purpose::Passage)
            .unwrap()
            .vectors
    });
    assert_eq!(vectors[0], vectors[1]);
}

#[test]
fn blocks_of_four_bits_give_the_vectors_of_the_eight_bits_that_they_become() {
    let (mut four, mut eight) = (Parts::unigram(4), Parts::unigram(8));
    let (mut from_four, mut from_eight) = (Vec::new(), Vec::new());
    for (part, (inputs, outputs)) in
        [(384, 1152), (384, 384), (384, 1536), (1536, 384)].into_iter().enumerate()
    {
        let before: Vec<u8> = [2e-3_f32, 0.1]
            .iter()
            .flat_map(|number| number.to_le_bytes().repeat(outputs))
            .collect();
        from_four.extend(&before);
        from_eight.extend(&before);
        let factors: Vec<i16> =
            (0..inputs * outputs / 32).map(|at| (at * 977 % 65_536) as u16 as i16).collect();
        from_four.extend(factors.iter().flat_map(|factor| factor.to_le_bytes()));
        for (block, &factor) in factors.iter().enumerate() {
            let fours: [i8; 32] = std::array::from_fn(|at| ((block + 7 * at) % 16) as i8 - 8);
            from_four.extend((0..16).map(|at| {
                (fours[at] + 8).cast_unsigned() | (fours[at + 16] + 8).cast_unsigned() << 4
            }));
            from_eight.extend(fours.map(|four| {
                let exact = f64::from(four) * f64::from(factor) / 2048.0;
                ((exact + 0.5).floor().clamp(-127.0, 127.0) as i8).cast_unsigned()
            }));
        }
        if part % 2 == 1 {
            let norm: Vec<f32> =
                [1.0, 0.0].iter().flat_map(|number| [number; DIMENSIONS]).copied().collect();
            from_four.extend(bytes_of(&norm));
            from_eight.extend(bytes_of(&norm));
        }
    }
    (four.layer, eight.layer) = (from_four, from_eight);
    let vectors = [four, eight].map(|parts| {
        let mut model = Model::read(&parts.file()).unwrap();
        model.embed(&["tea teas!", "!"], Purpose::Question).unwrap().vectors
    });
    assert_eq!(vectors[0], vectors[1]);
}

fn unigram_pieces(model: &Model, text: &str, purpose: Purpose) -> Vec<u32> {
    let mut codes = Vec::new();
    model.pieces(text, purpose, &mut codes);
    codes
}

#[test]
fn a_unigram_model_covers_words_by_the_largest_sum_behind_the_prefix_of_their_purpose() {
    let model = Model::read(&Parts::unigram(4).file()).unwrap();
    assert!(model.id().starts_with("e5-384-"), "{}", model.id());
    // Of five places two are for the start and the end, two for the longer prefix.
    assert_eq!((model.vocabulary(), model.max_pieces()), (11, 1));
    let [unknown, start, end] = [8, 9, 10];
    let passage = |text| unigram_pieces(&model, text, Purpose::Passage);
    let question = |text| unigram_pieces(&model, text, Purpose::Question);
    assert_eq!(passage("tea"), [start, 7, 5, end]);
    assert_eq!(question("tea"), [start, 4, 4, 5, end]);
    // "▁tea" and "s" have -5, "▁teas" has -9. The second is cut off.
    assert_eq!(passage("teas"), [start, 7, 5, end]);
    assert_eq!(model.pieces("teas", Purpose::Passage, &mut Vec::new()), 2);
    // Unknown characters in a row are one piece; a replaced one is known.
    assert_eq!(passage("Ａ"), [start, 7, 7, end]);
    assert_eq!(model.pieces("雨雪\t雨 tea!", Purpose::Passage, &mut Vec::new()), 6);
    assert_eq!(unigram_pieces(&model, "▁雨", Purpose::Passage)[2..], [3, end]);
    assert!(!passage("q").contains(&unknown));
    for nothing in ["", " ", "\t \t"] {
        assert!(passage(nothing).is_empty() && question(nothing).is_empty());
    }
}

#[test]
fn a_head_takes_the_centre_of_a_purpose_away_and_turns_the_rest() {
    let embed = |parts: &Parts, purpose| {
        Model::read(&parts.file()).unwrap().embed(&["tea"], purpose).map(|found| found.vectors)
    };
    let plain = Parts::unigram(8);
    let vector = embed(&plain, Purpose::Passage).unwrap();
    let mut turned = plain.clone();
    // Passages lose the first half; components change places.
    turned.turning[..DIMENSIONS / 2].copy_from_slice(&vector[..DIMENSIONS / 2]);
    let rows = &mut turned.turning[2 * DIMENSIONS..];
    rows.fill(0.0);
    for at in 0..DIMENSIONS {
        rows[at * DIMENSIONS + (at + 1) % DIMENSIONS] = 2.0;
    }
    let found = embed(&turned, Purpose::Passage).unwrap();
    let rest: f32 = vector[DIMENSIONS / 2..].iter().map(|number| number * number).sum();
    for (at, component) in found.iter().enumerate() {
        let from = (at + 1) % DIMENSIONS;
        let expected = if from < DIMENSIONS / 2 { 0.0 } else { vector[from] / rest.sqrt() };
        assert!((component - expected).abs() < 1e-6, "{at}");
    }
    let question = embed(&turned, Purpose::Question).unwrap();
    let same = embed(&plain, Purpose::Question).unwrap();
    assert!((0..DIMENSIONS).all(|at| (question[at] - same[(at + 1) % DIMENSIONS]).abs() < 1e-6));
    turned.turning.fill(0.0);
    let message = embed(&turned, Purpose::Passage).unwrap_err().to_string();
    assert!(message.contains("texts[0] has no direction"), "{message}");
}

#[test]
fn a_wrong_unigram_part_says_what_is_wrong() {
    let of = |vocabulary: &[u8], scores: &[f32], replacements: &[u8], prefixes: &str| {
        refusal(&Parts::unigram_of(6, vocabulary, scores, replacements, prefixes).file())
    };
    let vocabulary = |text: &[u8]| {
        let count = text.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let message = of(text, &vec![-1.0; count], b"", PREFIXES);
        message.strip_prefix("the vocabulary of the model file ").unwrap().to_owned()
    };
    assert_eq!(vocabulary(b"a\n\xff"), "must be UTF-8");
    assert_eq!(vocabulary(b"\na"), "must have no empty word piece, found one at 0");
    assert_eq!(vocabulary(b"b\na"), "must be ordered by bytes, found another order at 1");
    assert_eq!(vocabulary(b"a\na"), "must be ordered by bytes, found another order at 1");
    let long = "a".repeat(256);
    let limit = "must have word pieces of 255 bytes at most, found another at 0";
    assert_eq!(vocabulary(long.as_bytes()), limit);
    let expected = "the vocabulary of the model file must have as many texts as scores, found 2";
    assert_eq!(of(b"a\nb", &[-1.0], b"", PREFIXES), expected);
    for (at, wrong) in [1e-6, f32::MIN, -2e6, f32::NAN, f32::INFINITY].into_iter().enumerate() {
        let mut scores = vec![-1.0; 5];
        scores[at] = wrong;
        let message = of(b"a\nb\nc\nd\ne", &scores, b"", PREFIXES);
        assert!(message.ends_with(&format!("found another at {at}")), "{message}");
    }
    let replacements = |text: &[u8]| {
        let message = of(b"a", &[-1.0], text, PREFIXES);
        message.strip_prefix("the replacements of the model file ").unwrap().to_owned()
    };
    assert_eq!(replacements(b"\xff\0a\0"), "must be UTF-8");
    for cut in ["a", "a\0", "a\0b", "a\0b\0c\0"] {
        assert_eq!(replacements(cut.as_bytes()), "must be pairs of texts that end with a zero");
    }
    let order = "must be ordered by their sources, found another at";
    assert_eq!(replacements(b"\0b\0"), format!("{order} 0"));
    for wrong in ["b\0x\0a\0x\0", "a\0x\0a\0y\0"] {
        assert_eq!(replacements(wrong.as_bytes()), format!("{order} 1"));
    }
    let prefixes =
        "the prefixes of the model file must be two texts in UTF-8, joined by a line feed";
    assert_eq!(of(b"a", &[-1.0], b"", "passage"), prefixes);
    let room = "the model file leaves no room: prefixes of 3 word pieces in 5 places";
    assert_eq!(of("▁a".as_bytes(), &[-1.0], b"", "a a a \n"), room);
    let mut parts = Parts::unigram(4);
    *parts.tokenizer.last_mut().unwrap() = 1;
    assert_eq!(refusal(&parts.file()), "the prefixes of the model file must end with zeros alone");
    let mut parts = Parts::unigram(4);
    parts.turning[7] = f32::NAN;
    let message = refusal(&parts.file());
    assert!(message.contains("the head must have numbers of magnitude"), "{message}");
    for (place, most, what) in [(5, 1 << 20, "the replacements"), (6, 1 << 8, "the prefixes")] {
        let mut parts = Parts::unigram(4);
        parts.head[8 + 4 * place..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
        let least = if place == 5 { 0 } else { 1 };
        let found = u32::MAX;
        let problem = format!("must have from {least} to {most} bytes of {what}, found {found}");
        assert_eq!(refusal(&parts.file()), format!("the model file {problem}"));
    }
}

#[test]
fn a_file_is_the_same_whole_and_in_parts_of_any_size() {
    for file in [Parts::new(6).file(), Parts::unigram(4).file()] {
        the_same_in_parts(&file);
    }
}

fn the_same_in_parts(file: &[u8]) {
    let mut whole = Model::read(file).unwrap();
    let expected = whole.embed(&["teas tea"], Purpose::Passage).unwrap();
    let sizes = prop::collection::vec(1_usize..400_000, 1..6);
    let config = ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() };
    proptest!(config, |(sizes in sizes)| {
        let mut model = in_pieces(file, &sizes);
        prop_assert_eq!(model.id(), whole.id());
        prop_assert_eq!(&model.embed(&["teas tea"], Purpose::Passage).unwrap(), &expected);
    });
}

#[test]
fn a_header_out_of_range_says_which_count() {
    assert_eq!(
        refusal(b"NOUSEMB1, and more bytes than a header"),
        "the model file must begin with NOUSMLM1 or NOUSMLM2"
    );
    for (place, least, most, what) in [
        (0, 4, 1 << 18, "word pieces"),
        (1, 3, 512, "places"),
        (2, 1, 48, "layers"),
        (3, 4, 8, "bits of a weight"),
        (4, 1, 1 << 23, "bytes of the vocabulary"),
    ] {
        for wrong in [least - 1, most + 1, u32::MAX] {
            let mut parts = Parts::new(6);
            parts.head[8 + 4 * place..][..4].copy_from_slice(&wrong.to_le_bytes());
            let problem = format!("must have from {least} to {most} {what}, found {wrong}");
            assert_eq!(refusal(&parts.file()), format!("the model file {problem}"));
        }
    }
    let mut parts = Parts::new(6);
    parts.head[20] = 7;
    assert_eq!(
        refusal(&parts.file()),
        "the model file must have 4, 6 or 8 bits of a weight, found 7"
    );
}

#[test]
fn a_wrong_vocabulary_says_what_is_wrong() {
    let with = |text: &[u8]| {
        let mut parts = Parts::new(6);
        let pieces = text.iter().filter(|&&byte| byte == b'\n').count() + 1;
        parts.head[8..12].copy_from_slice(&(pieces as u32).to_le_bytes());
        parts.head[24..28].copy_from_slice(&(text.len() as u32).to_le_bytes());
        parts.vocabulary = text.to_vec();
        parts.vocabulary.resize(text.len().next_multiple_of(4), 0);
        parts.scales.resize(pieces, 0.5);
        parts.rows.resize(pieces * DIMENSIONS / 2, 0);
        parts
    };
    let problem = |text: &[u8]| {
        let message = refusal(&with(text).file());
        message.strip_prefix("the vocabulary of the model file ").unwrap().to_owned()
    };
    assert!(Model::read(&with(b"[CLS]\n[SEP]\n[UNK]\nx").file()).is_ok());
    for missing in ["[CLS]", "[SEP]", "[UNK]"] {
        let text = VOCABULARY.replace(missing, "other");
        assert_eq!(problem(text.as_bytes()), format!("must have the word piece {missing}"));
    }
    assert_eq!(problem(b"[CLS]\n[SEP]\n[UNK]\n\xff"), "must be UTF-8");
    let empty = "must have no empty word piece, found one at 3";
    assert_eq!(problem(b"[CLS]\n[SEP]\n[UNK]\n"), empty);
    assert_eq!(problem(b"[CLS]\n[SEP]\n[UNK]\n##"), empty);
    let twice = "must have no word piece twice, found one at 3";
    assert_eq!(problem(b"[CLS]\n[SEP]\n[UNK]\n[CLS]"), twice);
    let mut parts = Parts::new(6);
    parts.head[8] += 1;
    assert!(refusal(&parts.file()).ends_with("must have 8 word pieces, found 7"));
    let mut parts = with(b"[CLS]\n[SEP]\n[UNK]\nxyz");
    parts.vocabulary[22..].copy_from_slice(b" \0");
    assert!(refusal(&parts.file()).ends_with("must end with zeros alone"));
}

#[test]
fn scales_and_numbers_out_of_range_are_refused_with_their_place() {
    let wrong = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e4, 1e-20];
    for (at, wrong) in wrong.into_iter().enumerate() {
        let mut parts = Parts::new(6);
        parts.scales[at] = wrong;
        let message = refusal(&parts.file());
        assert!(message.contains("word pieces must have scales"), "{message}");
        assert!(message.ends_with(&format!("found another at {at}")), "{message}");
        let mut parts = Parts::new(6);
        parts.layer[4 * at..][..4].copy_from_slice(&wrong.to_le_bytes());
        let message = refusal(&parts.file());
        assert!(message.contains("layer 0 must have scales"), "{message}");
    }
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2e6, -2e6] {
        for at in [0, 5 * DIMENSIONS, 6 * DIMENSIONS] {
            let mut parts = Parts::new(8);
            parts.places[at] = wrong;
            let message = refusal(&parts.file());
            assert!(message.contains("places must have numbers of magnitude"), "{message}");
        }
        let mut parts = Parts::new(8);
        let last = parts.layer.len() - 4;
        parts.layer[last..].copy_from_slice(&wrong.to_le_bytes());
        let message = refusal(&parts.file());
        assert!(message.contains("layer 0 must have numbers of magnitude"), "{message}");
    }
}

#[test]
fn the_largest_numbers_of_a_file_give_vectors_or_an_error() {
    for bits in [6, 8] {
        for (scale, number) in [(1e3_f32, 1e6_f32), (1e3, -1e6), (1e-12, 1e6), (0.0, 0.0)] {
            let mut parts = Parts::new(bits);
            parts.scales.fill(scale);
            parts.rows.fill(0);
            parts.places.fill(number);
            let mut at = 0;
            for (inputs, outputs, norms) in
                [(384, 1152, 0), (384, 384, 2), (384, 1536, 0), (1536, 384, 2)]
            {
                let mut put = |value: f32, count: usize| {
                    for _ in 0..count {
                        parts.layer[at..at + 4].copy_from_slice(&value.to_le_bytes());
                        at += 4;
                    }
                };
                put(scale, outputs);
                put(number, outputs);
                at += inputs * outputs * bits / 8;
                let mut put = |value: f32, count: usize| {
                    for _ in 0..count {
                        parts.layer[at..at + 4].copy_from_slice(&value.to_le_bytes());
                        at += 4;
                    }
                };
                put(number, norms * DIMENSIONS);
            }
            let mut model = Model::read(&parts.file()).unwrap();
            match model.embed(&["tea", "teas!"], Purpose::Passage) {
                Ok(embedded) => assert!(embedded.vectors.iter().all(|number| number.is_finite())),
                Err(error) => assert!(error.to_string().contains("has no direction"), "{error}"),
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_or_longer_is_refused() {
    cut_off_or_longer(&Parts::new(6).file(), HEADER);
    cut_off_or_longer(&Parts::unigram(4).file(), HEADER + 8);
}

fn cut_off_or_longer(file: &[u8], header: usize) {
    let whole = file.len();
    for length in [0, 1, 8, HEADER - 1] {
        let least = if length < 8 { HEADER } else { header };
        let expected = format!("the model file is cut off: {length} bytes of at least {least}");
        assert_eq!(refusal(&file[..length]), expected);
    }
    let lengths = prop_oneof![header..header + 9000, header..whole, whole - 20..whole];
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() };
    proptest!(config, |(length in lengths)| {
        let expected = format!("the model file is cut off: {length} bytes of at least {whole}");
        prop_assert_eq!(refusal(&file[..length]), expected);
    });
    let longest = format!("the model file is cut off: {} bytes of at least {header}", header - 1);
    assert_eq!(refusal(&file[..header - 1]), longest);
    for more in [1, 8, 4000] {
        let mut longer = file.to_vec();
        longer.resize(whole + more, 0);
        let found = whole + more;
        let problem = format!("must have {whole} bytes by its header, found {found} or more");
        assert_eq!(refusal(&longer), format!("the model file {problem}"));
    }
}

#[test]
fn damage_anywhere_is_an_error() {
    for file in [Parts::new(6).file(), Parts::unigram(4).file()] {
        damaged_anywhere(&file);
    }
}

fn damaged_anywhere(file: &[u8]) {
    // Most of a file are weights, so the parts before them are tried as often.
    let places = prop_oneof![0..HEADER, HEADER..9000, 0..file.len(), file.len() - 8..file.len()];
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    proptest!(config, |(place in places, change in 1_u8..)| {
        let mut damaged = file.to_vec();
        damaged[place] ^= change;
        prop_assert!(Model::read(&damaged).is_err());
        // With a hash that fits, the file may be another right one, and never ends the program.
        damaged.truncate(file.len() - 8);
        if let Ok(mut model) = Model::read(&closed(damaged)) {
            prop_assert!(place >= HEADER);
            let _ = model.embed(&["tea teas!"], Purpose::Passage);
        }
    });
}
