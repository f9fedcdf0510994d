//! Numbers of pairs and vectors of questions, against the formulas in f64, and adapter files.

use std::iter::repeat_n;

use nous_minilm::{Adapter, DIMENSIONS, MAX_PAIR_PIECES, Model, Purpose};
use xxhash_rust::xxh64::xxh64;

use crate::common::{adapter, asking, bytes_of, closed, golden, golden_bytes, model};

const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ntea\n##s\n!\ncoffee";
const CLS: usize = 2;
const SEP: usize = 3;
const PLACES: usize = 91;
const LAYERS: usize = 2;
const INNER: usize = 1536;
const SHAPES: [(usize, usize); 4] = [(384, 1152), (384, 384), (384, INNER), (INNER, 384)];
/// One for each linear layer of an adapter.
const RANKS: [usize; 4] = [8, 16, 24, 64];

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    /// A number between −1 and 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn many(&mut self, count: usize, around: f32, range: f32) -> Vec<f32> {
        (0..count).map(|_| around + range * self.next()).collect()
    }
}

/// A linear layer as in a file, with eight bits.
struct Linear {
    inputs: usize,
    scales: Vec<f32>,
    biases: Vec<f32>,
    rows: Vec<i8>,
}

impl Linear {
    /// Outputs are about as large as the inputs times `gain`.
    fn new(inputs: usize, outputs: usize, gain: f32, bias: f32, random: &mut Random) -> Self {
        let scale = gain / (73.0 * (inputs as f32).sqrt());
        Self {
            inputs,
            scales: random.many(outputs, scale, 0.2 * scale),
            biases: random.many(outputs, 0.0, bias),
            rows: (0..inputs * outputs).map(|_| (127.0 * random.next()) as i8).collect(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let rows = self.rows.iter().map(|weight| weight.cast_unsigned()).collect();
        [bytes_of(&self.scales), bytes_of(&self.biases), rows].concat()
    }

    fn run(&self, inputs: &[f64]) -> Vec<f64> {
        let rows = self.rows.chunks_exact(self.inputs).zip(&self.scales).zip(&self.biases);
        rows.map(|((row, &scale), &bias)| {
            let products = row.iter().zip(inputs).map(|(&weight, input)| f64::from(weight) * input);
            products.sum::<f64>() * f64::from(scale) + f64::from(bias)
        })
        .collect()
    }
}

/// The four linear layers of a layer, and its two norms.
struct Layer<L> {
    linears: [L; 4],
    norms: [Vec<f32>; 2],
}

/// A model and its adapter in plain numbers.
struct Plain {
    word_scales: Vec<f32>,
    words: Vec<u8>,
    places: Vec<f32>,
    norm: Vec<f32>,
    layers: Vec<Layer<Linear>>,
    rows: Vec<f32>,
    adapted: Vec<Layer<[Linear; 2]>>,
    head: Vec<f32>,
    bias: f32,
}

fn norm_of(random: &mut Random) -> Vec<f32> {
    [random.many(DIMENSIONS, 1.0, 0.3), random.many(DIMENSIONS, 0.0, 0.3)].concat()
}

impl Plain {
    fn new() -> Self {
        let random = &mut Random(7);
        let pieces = VOCABULARY.split('\n').count();
        let layers = |random: &mut Random| Layer {
            linears: SHAPES.map(|(inputs, outputs)| Linear::new(inputs, outputs, 1.0, 0.2, random)),
            norms: [norm_of(random), norm_of(random)],
        };
        let adapted = |random: &mut Random| Layer {
            linears: std::array::from_fn(|part| {
                let ((inputs, outputs), rank) = (SHAPES[part], RANKS[part]);
                let down = Linear::new(inputs, rank, 1.0, 0.0, random);
                [down, Linear::new(rank, outputs, 0.5, 0.2, random)]
            }),
            norms: [norm_of(random), norm_of(random)],
        };
        Self {
            word_scales: random.many(pieces, 0.02, 0.01),
            words: (0..pieces * DIMENSIONS / 2)
                .map(|_| (128.0 + 127.0 * random.next()) as u8)
                .collect(),
            places: random.many(PLACES * DIMENSIONS, 0.0, 0.1),
            norm: norm_of(random),
            layers: (0..LAYERS).map(|_| layers(random)).collect(),
            rows: random.many(2 * DIMENSIONS, 0.0, 0.1),
            adapted: (0..LAYERS).map(|_| adapted(random)).collect(),
            head: random.many(2 * DIMENSIONS, 0.0, 0.1),
            bias: 0.25,
        }
    }

    fn model_file(&self) -> Vec<u8> {
        let mut file = b"NOUSMLM1".to_vec();
        let pieces = self.word_scales.len();
        let counts = [pieces, PLACES, self.layers.len(), 8, VOCABULARY.len()];
        file.extend(counts.iter().flat_map(|&count| (count as u32).to_le_bytes()));
        file.extend(VOCABULARY.as_bytes());
        file.resize(file.len().next_multiple_of(4), 0);
        file.extend(bytes_of(&self.word_scales));
        file.extend(&self.words);
        file.extend(bytes_of(&self.places));
        file.extend(bytes_of(&self.norm));
        for Layer { linears, norms } in &self.layers {
            for (part, linear) in linears.iter().enumerate() {
                file.extend(linear.bytes());
                if part % 2 == 1 {
                    file.extend(bytes_of(&norms[part / 2]));
                }
            }
        }
        closed(file)
    }

    /// The adapter file for pairs without its hash.
    fn adapter_content(&self) -> Vec<u8> {
        let mut file = self.start_of(b"NOUSMLA1");
        file.extend(bytes_of(&self.rows));
        file.extend(self.layers_of_adapter());
        file.extend(bytes_of(&self.head));
        file.extend(self.bias.to_le_bytes());
        file
    }

    /// The adapter file for questions without its hash.
    fn question_content(&self) -> Vec<u8> {
        [self.start_of(b"NOUSMLQ1"), self.layers_of_adapter()].concat()
    }

    fn start_of(&self, magic: &[u8; 8]) -> Vec<u8> {
        let model = self.model_file();
        let hash = xxh64(&model[..model.len() - 8], 0);
        let mut file = magic.to_vec();
        file.extend(((hash >> 32) as u32).to_le_bytes());
        file.extend((self.adapted.len() as u32).to_le_bytes());
        file
    }

    fn layers_of_adapter(&self) -> Vec<u8> {
        let mut file = Vec::new();
        for Layer { linears, norms } in &self.adapted {
            for [down, up] in linears {
                file.extend((down.scales.len() as u32).to_le_bytes());
                file.extend([down.bytes(), up.bytes()].concat());
            }
            file.extend(norms.iter().flat_map(|norm| bytes_of(norm)));
        }
        file
    }

    fn model(&self) -> Model {
        let mut model = Model::read(&self.model_file()).unwrap();
        model.adapt(Adapter::read(&closed(self.adapter_content())).unwrap()).unwrap();
        model
    }

    /// The number of a pair, of the codes of both texts.
    fn number(&self, older: &[usize], newer: &[usize]) -> f64 {
        let first = [&[CLS], older, &[SEP]].concat();
        let second = [newer, &[SEP]].concat();
        let kinds = repeat_n(0, first.len()).chain(repeat_n(1, second.len()));
        let codes: Vec<usize> = first.iter().chain(&second).copied().collect();
        let rows: Vec<&[f32]> =
            kinds.map(|kind| &self.rows[kind * DIMENSIONS..][..DIMENSIONS]).collect();
        let states = self.states(&codes, &rows);
        let both = states[0].iter().copied().chain(mean_of(&states));
        let products = both.zip(&self.head).map(|(number, &share)| number * f64::from(share));
        products.sum::<f64>() + f64::from(self.bias)
    }

    /// The vector of a question, of its codes.
    fn vector(&self, question: &[usize]) -> Vec<f64> {
        let codes = [&[CLS], question, &[SEP]].concat();
        let none: &[f32] = &[0.0; DIMENSIONS];
        let mean: Vec<f64> = mean_of(&self.states(&codes, &vec![none; codes.len()])).collect();
        let length = mean.iter().map(|number| number * number).sum::<f64>().sqrt();
        mean.into_iter().map(|number| number / length).collect()
    }

    /// The last states of codes, each with a row that its first state gains.
    fn states(&self, codes: &[usize], rows: &[&[f32]]) -> Vec<Vec<f64>> {
        let codes = codes.iter().zip(rows).enumerate();
        let mut states: Vec<Vec<f64>> = codes
            .map(|(place, (&code, row))| {
                let state = (0..DIMENSIONS).map(|at| {
                    let word = self.word(code, at);
                    let place = f64::from(self.places[place * DIMENSIONS + at]);
                    word + place + f64::from(row[at])
                });
                normed(state.collect(), &self.norm)
            })
            .collect();
        for (layer, adapted) in self.layers.iter().zip(&self.adapted) {
            let run = |part: usize, state: &[f64]| {
                let [down, up] = &adapted.linears[part];
                sum(&layer.linears[part].run(state), &up.run(&down.run(state)))
            };
            let heads: Vec<Vec<f64>> = states.iter().map(|state| run(0, state)).collect();
            for (state, query) in states.iter_mut().zip(&heads) {
                let taken = attended(query, &heads);
                let after = normed(sum(state, &run(1, &taken)), &adapted.norms[0]);
                let inner: Vec<f64> = run(2, &after).into_iter().map(gelu).collect();
                *state = normed(sum(&after, &run(3, &inner)), &adapted.norms[1]);
            }
        }
        states
    }

    fn word(&self, code: usize, at: usize) -> f64 {
        let byte = self.words[code * DIMENSIONS / 2 + at / 16 * 8 + at % 8];
        let half = if at % 16 < 8 { byte & 15 } else { byte >> 4 };
        (f64::from(half) - 8.0) * f64::from(self.word_scales[code])
    }
}

fn mean_of(states: &[Vec<f64>]) -> impl Iterator<Item = f64> {
    let count = states.len() as f64;
    (0..DIMENSIONS).map(move |at| states.iter().map(|state| state[at]).sum::<f64>() / count)
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn normed(state: Vec<f64>, norm: &[f32]) -> Vec<f64> {
    let mean = state.iter().sum::<f64>() / DIMENSIONS as f64;
    let squares = state.iter().map(|number| (number - mean).powi(2)).sum::<f64>();
    let deviation = (squares / DIMENSIONS as f64 + 1e-12).sqrt();
    let (weights, biases) = norm.split_at(DIMENSIONS);
    let learned = weights.iter().zip(biases);
    let both = state.iter().zip(learned);
    both.map(|(number, (&weight, &bias))| {
        (number - mean) / deviation * f64::from(weight) + f64::from(bias)
    })
    .collect()
}

/// What a query takes up of the values, head by head.
fn attended(query: &[f64], heads: &[Vec<f64>]) -> Vec<f64> {
    (0..12)
        .flat_map(|head| {
            let at = 32 * head;
            let product = |key: &Vec<f64>| -> f64 {
                (at..at + 32).map(|place| query[place] * key[DIMENSIONS + place]).sum()
            };
            let powers: Vec<f64> = heads.iter().map(|key| product(key).exp()).collect();
            let all: f64 = powers.iter().sum();
            let value = move |place: usize| -> f64 {
                let values = heads.iter().map(|value| value[2 * DIMENSIONS + place]);
                values.zip(&powers).map(|(value, power)| value * power / all).sum()
            };
            (at..at + 32).map(value).collect::<Vec<f64>>()
        })
        .collect()
}

fn gelu(x: f64) -> f64 {
    // The share below x, by Simpson's rule over 200 steps from 0.
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = x / 200.0;
    let inner: f64 = (1..200)
        .map(|at| density(f64::from(at) * step) * if at % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    x * (0.5 + step / 3.0 * (density(0.0) + inner + density(x)))
}

fn text_of(codes: &[usize]) -> String {
    let pieces: Vec<&str> = VOCABULARY.split('\n').collect();
    codes.iter().map(|&code| format!("{} ", pieces[code])).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn refusal(file: &[u8]) -> String {
    match Adapter::read(file) {
        Ok(_) => "none".into(),
        Err(error) => error.to_string(),
    }
}

/// A number of a token in sixteen bits is off by 2⁻¹⁶ of its largest, and the sums of two layers by
/// some ten thousandths. The numbers of these pairs lie further apart.
#[test]
fn numbers_of_pairs_are_those_of_the_formulas() {
    let plain = Plain::new();
    let mut model = plain.model();
    let pairs: [(&[usize], &[usize]); 6] = [
        (&[4], &[7]),
        (&[7], &[4]),
        (&[4, 6, 4, 7, 7, 6], &[7, 6]),
        (&[], &[4, 7]),
        (&[6, 6, 6], &[]),
        (&[], &[]),
    ];
    let texts: Vec<(String, String)> =
        pairs.iter().map(|(older, newer)| (text_of(older), text_of(newer))).collect();
    let found = model.replacing(&texts).unwrap();
    for ((older, newer), found) in pairs.iter().zip(&found) {
        let expected = plain.number(older, newer);
        assert!(
            (f64::from(*found) - expected).abs() < 1e-3,
            "{older:?} {newer:?}: {found}, {expected}"
        );
    }
    for (at, one) in found.iter().enumerate() {
        assert!(found[..at].iter().all(|other| (one - other).abs() > 0.02), "{found:?}");
    }
}

#[test]
fn vectors_of_questions_are_those_of_the_formulas() {
    let plain = Plain::new();
    let mut bare = Model::read(&plain.model_file()).unwrap();
    let mut model = Model::read(&plain.model_file()).unwrap();
    model.adapt(Adapter::read(&closed(plain.question_content())).unwrap()).unwrap();
    let questions: [&[usize]; 5] = [&[4], &[7], &[4, 6, 4, 7, 7, 6], &[6, 6, 6], &[7, 4]];
    let texts = questions.map(text_of);
    let found = model.embed(&texts, Purpose::Question).unwrap().vectors;
    for (question, found) in questions.iter().zip(found.chunks_exact(DIMENSIONS)) {
        for (number, expected) in found.iter().zip(plain.vector(question)) {
            assert!((f64::from(*number) - expected).abs() < 1e-4, "{question:?}");
        }
    }
    // Passages have the vectors of the bare model, and pairs need another adapter.
    let passages = [&mut model, &mut bare]
        .map(|model| bits(&model.embed(&texts, Purpose::Passage).unwrap().vectors));
    assert_eq!(passages[0], passages[1]);
    assert_ne!(bits(&found), passages[0]);
    assert!(model.replacing(&[("tea", "coffee")]).is_err());
    // An adapter for pairs changes no question.
    model.adapt(Adapter::read(&closed(plain.adapter_content())).unwrap()).unwrap();
    let again = model.embed(&texts, Purpose::Question).unwrap().vectors;
    assert_eq!(bits(&again), bits(&found));
}

#[test]
fn of_each_text_44_word_pieces_count() {
    let plain = Plain::new();
    let mut model = plain.model();
    let (tea, coffee) = ([4; MAX_PAIR_PIECES], [7; MAX_PAIR_PIECES]);
    let (older, newer) = (text_of(&tea), text_of(&coffee));
    let whole = model.replacing(&[(&older, &newer)]).unwrap();
    assert!((f64::from(whole[0]) - plain.number(&tea, &coffee)).abs() < 1e-3);
    let longer = [(older.clone() + "!", newer.clone() + "! tea")];
    assert_eq!(bits(&model.replacing(&longer).unwrap()), bits(&whole));
    let shorter = [(text_of(&tea[1..]), newer.clone()), (older, text_of(&coffee[1..]))];
    for number in model.replacing(&shorter).unwrap() {
        assert_ne!(number.to_bits(), whole[0].to_bits());
    }
}

#[test]
fn a_number_does_not_depend_on_the_other_pairs() {
    let mut model = model();
    model.adapt(Adapter::read(&adapter()).unwrap()).unwrap();
    let sentence = "Mira moved from Porto to Ghent, and takes the tram to the office. ";
    // Eighteen pairs of up to 91 codes are more than the layers take at once.
    let pairs: Vec<(String, String)> = (0..18)
        .map(|at| (sentence[at..].repeat(1 + at % 4), sentence[2 * at..].repeat(1 + at % 3)))
        .collect();
    let together = model.replacing(&pairs).unwrap();
    assert_eq!(together.len(), pairs.len());
    for (pair, number) in pairs.iter().zip(&together) {
        let alone = model.replacing(std::slice::from_ref(pair)).unwrap();
        assert_eq!(alone[0].to_bits(), number.to_bits(), "{pair:?}");
    }
    assert!(model.replacing(&[("", ""); 0]).unwrap().is_empty());
}

#[derive(serde::Deserialize)]
struct Pair {
    older: String,
    newer: String,
}

#[test]
fn numbers_have_the_bits_of_webassembly() {
    let mut model = model();
    model.adapt(Adapter::read(&adapter()).unwrap()).unwrap();
    let pairs: Vec<Pair> = golden("minilm/pairs.json");
    let recorded = golden_bytes("minilm/pairs.bin");
    let recorded: Vec<u32> =
        recorded.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    let texts: Vec<(&str, &str)> =
        pairs.iter().map(|pair| (pair.older.as_str(), pair.newer.as_str())).collect();
    assert!(texts.len() > 20);
    assert_eq!(bits(&model.replacing(&texts).unwrap()), recorded);
}

#[test]
fn vectors_of_questions_have_the_bits_of_webassembly() {
    let mut model = model();
    model.adapt(Adapter::read(&asking()).unwrap()).unwrap();
    let texts: Vec<String> = golden("minilm/bits.json");
    let recorded = golden_bytes("minilm/questions.bin");
    let recorded: Vec<u32> =
        recorded.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    assert!(texts.len() > 20);
    assert_eq!(bits(&model.embed(&texts, Purpose::Question).unwrap().vectors), recorded);
}

#[test]
fn vectors_are_the_same_with_an_adapter() {
    let plain = Plain::new();
    let mut bare = Model::read(&plain.model_file()).unwrap();
    let mut adapted = plain.model();
    let texts = ["tea!", "", "coffee teas tea"];
    adapted.replacing(&[("tea", "coffee")]).unwrap();
    let vectors = [&mut bare, &mut adapted]
        .map(|model| model.embed(&texts, Purpose::Passage).unwrap().vectors);
    assert_eq!(bits(&vectors[0]), bits(&vectors[1]));
    let message = bare.replacing(&[("tea", "coffee")]).unwrap_err().to_string();
    assert_eq!(message, "the model reads no pairs: give it an adapter first");
}

#[test]
fn an_adapter_of_another_model_is_refused() {
    let mut plain = Plain::new();
    let of_plain = closed(plain.adapter_content());
    let mut package = model();
    let message = package.adapt(Adapter::read(&of_plain).unwrap()).unwrap_err().to_string();
    let name = Model::read(&plain.model_file()).unwrap().id().to_owned();
    assert_eq!(
        message,
        format!("the adapter file is for {name}, and the model is {}", package.id())
    );
    plain.adapted.truncate(1);
    let fewer = Adapter::read(&closed(plain.adapter_content())).unwrap();
    let mut two = Model::read(&plain.model_file()).unwrap();
    let message = two.adapt(fewer).unwrap_err().to_string();
    assert_eq!(message, "the adapter file must have 2 layers as its model, found 1");
    assert!(two.replacing(&[("tea", "coffee")]).is_err());
}

#[test]
fn an_adapter_has_the_name_of_its_use_and_hash() {
    let plain = Plain::new();
    let contents = [("replacing", plain.adapter_content()), ("asking", plain.question_content())];
    for (name, content) in contents {
        let id = format!("{name}-384-{:08x}", xxh64(&content, 0) >> 32);
        let adapter = Adapter::read(&closed(content)).unwrap();
        assert_eq!(adapter.id(), id);
        assert_eq!(adapter.reads_pairs(), name == "replacing");
    }
}

#[test]
fn wrong_counts_say_which() {
    let content = Plain::new().adapter_content();
    let with = |at: usize, count: u32| {
        let mut content = content.clone();
        content[at..at + 4].copy_from_slice(&count.to_le_bytes());
        refusal(&closed(content))
    };
    let mut other = content.clone();
    other[7] = b'2';
    let message = "the adapter file must begin with NOUSMLA1 or NOUSMLQ1";
    assert_eq!(refusal(&closed(other)), message);
    for wrong in [0, 49, u32::MAX] {
        let problem = format!("must have from 1 to 48 layers, found {wrong}");
        assert_eq!(with(12, wrong), format!("the adapter file {problem}"));
    }
    let first_rank = 16 + 8 * DIMENSIONS;
    for wrong in [0, 4, 12, 72, u32::MAX] {
        let rule = "must have as a rank a multiple of 8 between 8 and 64";
        let expected = format!("the adapter file {rule}, found {wrong} in layer 0");
        assert_eq!(with(first_rank, wrong), expected);
    }
    let mut longer = closed(content.clone());
    let whole = longer.len();
    longer.push(0);
    let found = whole + 1;
    let problem = format!("must have {whole} bytes by its counts, found {found}");
    assert_eq!(refusal(&longer), format!("the adapter file {problem}"));
}

#[test]
fn numbers_and_scales_out_of_range_are_refused_with_their_place() {
    let content = Plain::new().adapter_content();
    let (rows, scales) = (16, 16 + 8 * DIMENSIONS + 4);
    let head = content.len() - 4 - 8 * DIMENSIONS;
    let places = [
        (rows + 4, "the rows of both texts must have numbers", 1),
        (scales, "layer 0 must have scales", 0),
        (scales + 4 * 8, "layer 0 must have numbers", 0),
        (head - 4, "layer 1 must have numbers", DIMENSIONS - 1),
        (head + 8, "the head must have numbers", 2),
        (content.len() - 4, "the bias of the head must have numbers", 0),
    ];
    for (at, problem, place) in places {
        for wrong in [f32::NAN, f32::INFINITY, -2e6, 2e6] {
            let mut content = content.clone();
            content[at..at + 4].copy_from_slice(&wrong.to_le_bytes());
            let message = refusal(&closed(content));
            assert!(
                message.starts_with(&format!("the adapter file is wrong: {problem}")),
                "{message}"
            );
            assert!(message.ends_with(&format!("found another at {place}")), "{message}");
        }
    }
}

#[test]
fn the_largest_numbers_give_numbers_or_an_error() {
    for (scale, number) in [(1e3_f32, 1e6_f32), (1e3, -1e6), (1e-12, 1e6), (0.0, 0.0)] {
        let mut plain = Plain::new();
        let file = plain.model_file();
        for layer in &mut plain.adapted {
            for linear in layer.linears.iter_mut().flatten() {
                linear.scales.fill(scale);
                linear.biases.fill(number);
            }
            layer.norms.iter_mut().for_each(|norm| norm.fill(number));
        }
        plain.head.fill(number);
        plain.rows.fill(number);
        let mut model = Model::read(&file).unwrap();
        model.adapt(Adapter::read(&closed(plain.adapter_content())).unwrap()).unwrap();
        match model.replacing(&[("tea", "coffee"), ("", "")]) {
            Ok(numbers) => assert!(numbers.iter().all(|number| number.is_finite())),
            Err(error) => {
                assert!(error.to_string().starts_with("pairs[0] has no number"), "{error}")
            }
        }
    }
}

/// A file of one layer with ranks of 8, and where its counts and its end are.
fn small_file(content_of: fn(&Plain) -> Vec<u8>) -> (Vec<u8>, Vec<usize>) {
    let mut plain = Plain::new();
    plain.adapted.truncate(1);
    let random = &mut Random(3);
    let mut counts: Vec<usize> = (0..16).collect();
    let rows = plain.adapter_content().len() - plain.question_content().len() - 4;
    let is_of_pairs = content_of(&plain).len() > plain.question_content().len();
    // The rows are as long as the head.
    let mut at = 16 + if is_of_pairs { rows / 2 } else { 0 };
    for (linears, (inputs, outputs)) in plain.adapted[0].linears.iter_mut().zip(SHAPES) {
        let down = Linear::new(inputs, 8, 1.0, 0.0, random);
        *linears = [down, Linear::new(8, outputs, 0.5, 0.2, random)];
        counts.extend(at..at + 4);
        at += 4 + 8 * (8 + inputs) + outputs * (8 + 8);
    }
    let file = closed(content_of(&plain));
    counts.extend(file.len() - 12..file.len());
    (file, counts)
}

/// The contents of both formats.
const CONTENTS: [fn(&Plain) -> Vec<u8>; 2] = [Plain::adapter_content, Plain::question_content];

#[test]
fn a_file_that_is_cut_off_is_refused_with_its_bytes() {
    for content_of in CONTENTS {
        let (file, counts) = small_file(content_of);
        for length in (0..file.len()).step_by(23).chain(counts) {
            let message = refusal(&file[..length]);
            let start = format!("the adapter file is cut off: {length} bytes of at least ");
            let least = message.strip_prefix(&start).and_then(|least| least.parse::<usize>().ok());
            assert!(least.is_some_and(|least| length < least && least <= file.len()), "{message}");
        }
    }
}

#[test]
fn a_damaged_byte_anywhere_is_an_error() {
    for content_of in CONTENTS {
        let (file, counts) = small_file(content_of);
        assert!(Adapter::read(&file).is_ok());
        let mut damaged = file.clone();
        // Most bytes are weights, so of these some are tried.
        for place in (0..file.len()).step_by(89).chain(counts) {
            damaged[place] ^= 1 << (place % 8);
            assert!(Adapter::read(&damaged).is_err(), "{place}");
            damaged[place] = file[place];
        }
    }
}
