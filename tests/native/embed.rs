//! Token tables: words, tokens and vectors of recorded texts, sums of words against sums of texts,
//! and damaged tables.

use std::fs::{self, File};

use flate2::read::GzDecoder;
use nous_wasm::embed::{TokenTable, normalised, words};
use proptest::prelude::*;
use serde::de::DeserializeOwned;

use crate::common::assert_is;

fn golden<T: DeserializeOwned>(name: &str) -> T {
    let file = File::open(format!("tests/golden/embed/{name}.json.gz")).unwrap();
    serde_json::from_reader(std::io::BufReader::new(GzDecoder::new(file))).unwrap()
}

fn shipped(name: &str) -> TokenTable {
    let path = format!("js/embedder/tables/{name}.bin");
    TokenTable::read(fs::read(path).unwrap()).unwrap()
}

/// The bytes of a table with these tokens. Row *i* holds *i* + 1, and its scale is 2^−*i*.
fn table(tokens: &[&str], dimensions: u32) -> Vec<u8> {
    let rows = (0..tokens.len()).flat_map(|at| vec![at as u8 + 1; dimensions as usize]).collect();
    table_of(b"NOUSEMB1", tokens, dimensions, rows)
}

/// The bytes of a table with these tokens and rows. The scale of row *i* is 2^−*i*.
fn table_of(magic: &[u8; 8], tokens: &[&str], dimensions: u32, rows: Vec<u8>) -> Vec<u8> {
    let vocabulary = tokens.join("\n");
    let mut bytes = magic.to_vec();
    for count in [tokens.len() as u32, dimensions, vocabulary.len() as u32] {
        bytes.extend(count.to_le_bytes());
    }
    bytes.extend(vocabulary.bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend((0..tokens.len()).flat_map(|at| 0.5_f32.powi(at as i32).to_le_bytes()));
    bytes.extend(rows);
    bytes
}

/// The bytes of rows of numbers from −8 to 7, in four bits.
fn in_four_bits(numbers: &[i8]) -> Vec<u8> {
    let half = |number: i8| (number + 8) as u8;
    let blocks = numbers.chunks_exact(16);
    blocks.flat_map(|block| (0..8).map(|at| half(block[at]) | half(block[at + 8]) << 4)).collect()
}

fn read(tokens: &[&str]) -> TokenTable {
    TokenTable::read(table(tokens, 16)).unwrap()
}

fn codes(table: &TokenTable, word: &str) -> Vec<u32> {
    let mut codes = Vec::new();
    assert_eq!(table.pieces(word, &mut codes), !codes.is_empty());
    codes
}

#[test]
fn words_and_tokens_of_texts_equal_the_recorded_ones() {
    for (name, count) in [("nous-128", 20_000), ("multilingual-128", 2_000)] {
        let table = shipped(name);
        let recorded: Vec<(String, String, Vec<i64>)> = golden(&format!("tokens-{name}"));
        assert_eq!(recorded.len(), count);
        let mut codes = Vec::new();
        for (text, expected, tokens) in &recorded {
            let normal = normalised(text);
            let found: Vec<&str> = words(&normal).map(|word| word.text).collect();
            assert_eq!(found.join(" "), *expected, "words of {text:?}");
            let mut all = Vec::new();
            for word in found {
                codes.clear();
                if table.pieces(word, &mut codes) {
                    all.extend(codes.iter().map(|&code| i64::from(code)));
                } else {
                    all.push(-1);
                }
            }
            assert_eq!(all, *tokens, "tokens of {text:?}");
        }
    }
}

#[test]
fn vectors_of_texts_equal_the_recorded_ones() {
    for (name, count) in [("nous-128", 200), ("nous-256", 50), ("multilingual-128", 200)] {
        let table = shipped(name);
        let recorded: Vec<(String, f64, Vec<u32>)> = golden(&format!("vectors-{name}"));
        assert_eq!(recorded.len(), count);
        let mut vector = vec![f32::NAN; table.dimensions()];
        for (text, coverage, bits) in &recorded {
            assert_is(table.embed(text, &mut vector), *coverage, format!("coverage of {text:?}"));
            let found: Vec<u32> = vector.iter().map(|component| component.to_bits()).collect();
            assert_eq!(found, *bits, "vector of {text:?}");
        }
    }
}

#[test]
fn a_table_has_a_name_of_its_dimensions_and_bytes() {
    let (small, large) = (shipped("nous-128"), shipped("nous-256"));
    let multilingual = shipped("multilingual-128");
    assert_eq!((small.tokens(), small.dimensions()), (20_000, 128));
    assert_eq!((multilingual.tokens(), multilingual.dimensions()), (40_000, 128));
    assert_eq!((large.tokens(), large.dimensions()), (20_000, 256));
    assert_eq!(small.id(), "nous-128-6e2b8e92");
    assert_eq!(large.id(), "nous-256-652fff12");
    assert_eq!(multilingual.id(), "nous-128-e2e3ba03");
    assert!(small.bytes() < 1_800_000, "{} bytes", small.bytes());
    assert_eq!(small.token(0), "!");
    assert_eq!(small.token(5_005), "##ris");
}

#[test]
fn a_word_is_covered_by_the_longest_tokens_from_its_start() {
    let table = read(&["a", "ab", "##b", "##bc", "##c", "é", "#", "##日本"]);
    assert_eq!(codes(&table, "ab"), [1]);
    assert_eq!(codes(&table, "abc"), [1, 4]);
    assert_eq!(codes(&table, "abbc"), [1, 3]);
    assert_eq!(codes(&table, "a日本b"), [0, 7, 2]);
    assert_eq!(codes(&table, "éb"), [5, 2]);
    assert_eq!(codes(&table, "#"), [6]);
    for word in ["", "b", "abd", "a日", "##b", "##"] {
        assert_eq!(codes(&table, word), [0; 0], "tokens of {word:?}");
    }
}

#[test]
fn a_word_of_more_than_100_characters_is_not_covered() {
    let table = read(&["é", "##é"]);
    assert_eq!(codes(&table, &"é".repeat(100)).len(), 100);
    assert_eq!(codes(&table, &"é".repeat(101)), [0; 0]);
    assert_eq!(codes(&table, &"é".repeat(1_000_000)), [0; 0]);
}

#[test]
fn a_text_without_a_known_word_has_no_vector() {
    let table = read(&["tea", "!"]);
    for (text, coverage) in [
        ("", 0.0),
        ("coffee", 0.0),
        ("!", 0.0),
        ("coffee!", 0.0),
        ("tea!", 1.0),
        ("tea, coffee", 0.5),
    ] {
        let mut vector = [f32::NAN; 16];
        assert_eq!(table.embed(text, &mut vector), coverage, "coverage of {text:?}");
        let expected = if coverage == 0.0 { 0.0 } else { 0.25 };
        assert_eq!(vector, [expected; 16], "vector of {text:?}");
    }
}

#[test]
fn rows_that_cancel_each_other_give_no_vector() {
    let mut bytes = table(&["up", "down"], 16);
    let rows = bytes.len() - 32;
    bytes[rows - 4..rows].copy_from_slice(&1_f32.to_le_bytes());
    bytes[rows + 16..].fill((-1_i8).cast_unsigned());
    let table = TokenTable::read(bytes).unwrap();
    let mut vector = [f32::NAN; 16];
    assert_eq!(table.embed("up", &mut vector), 1.0);
    assert_eq!(table.embed("up down", &mut vector), 0.0);
    assert_eq!(vector, [0.0; 16]);
}

#[test]
fn a_damaged_table_is_refused_with_its_fault() {
    let whole = table(&["a", "##b", "cd"], 16);
    assert!(TokenTable::read(&*whole).is_ok());
    let refused = |bytes: &[u8]| {
        let error = TokenTable::read(bytes).unwrap_err();
        assert_eq!((error.code(), error.field()), ("invalid_argument", "table"));
        error.to_string()
    };
    let begins = "table must begin with NOUSEMB1 or NOUSEMB2 and three counts";
    for length in 0..whole.len() {
        let expected = if length < 20 {
            begins.to_owned()
        } else {
            format!("table must have 88 bytes by its header, found {length}")
        };
        assert_eq!(refused(&whole[..length]), expected);
    }
    let with = |at: usize, patch: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + patch.len()].copy_from_slice(patch);
        refused(&bytes)
    };
    let number = |at: usize, number: u32| with(at, &number.to_le_bytes());
    assert_eq!(
        refused(&[&*whole, b"x"].concat()),
        "table must have 88 bytes by its header, found 89"
    );
    assert_eq!(with(0, b"n"), begins);
    let tokens = "table must have at least 1 and at most 1048576 tokens";
    assert_eq!(number(8, 0), format!("{tokens}, found 0"));
    assert_eq!(number(8, u32::MAX), format!("{tokens}, found 4294967295"));
    assert_eq!(number(8, 1 << 20), "table must have 20971548 bytes by its header, found 88");
    let dimensions = "table must have dimensions in steps of 16, at most 1024";
    for wrong in [0, 8, 24, 1040, u32::MAX] {
        assert_eq!(number(12, wrong), format!("{dimensions}, found {wrong}"));
    }
    assert_eq!(number(16, u32::MAX), "table must have 4294967376 bytes by its header, found 88");
    assert_eq!(number(16, 7), "table must have zeros between vocabulary and scales");
    assert_eq!(with(20, b"\xFF"), "table must have a vocabulary in UTF-8");
    assert_eq!(with(21, b"-"), "table must have a vocabulary of 3 tokens by its header, found 2");
    assert_eq!(with(20, b"\na"), "row 0: table must have no empty token");
    assert_eq!(with(26, b"\na"), "table must have a vocabulary of 3 tokens by its header, found 4");
    assert_eq!(refused(&table(&["a", "##", "b"], 16)), "row 1: table must have no empty token");
    assert_eq!(refused(&table(&["a", "b", "a"], 16)), "row 2: table must have no token twice");
    let scales = "table must have scales that are 0 or lie between 1e-12 and 1000";
    for wrong in [f32::NAN, f32::INFINITY, -1.0, -f32::MIN_POSITIVE, 1e-13, 1001.0] {
        let problem = with(32, &wrong.to_le_bytes());
        assert_eq!(problem, format!("row 1: {scales}, found {}", f64::from(wrong)));
    }
    assert_eq!(with(40 + 47, b"\x80"), "row 2: table must have rows of numbers from -127 on");
}

#[test]
fn a_damaged_table_of_four_bits_is_refused_with_its_fault() {
    let whole = table_of(b"NOUSEMB2", &["a", "##b", "cd"], 32, vec![0x90; 48]);
    assert!(TokenTable::read(&*whole).is_ok());
    let refused = |bytes: &[u8]| TokenTable::read(bytes).unwrap_err().to_string();
    for length in 20..whole.len() {
        let expected = format!("table must have 88 bytes by its header, found {length}");
        assert_eq!(refused(&whole[..length]), expected);
    }
    // The same counts with rows of eight bits.
    let mut wide = whole.clone();
    wide[7] = b'1';
    assert_eq!(refused(&wide), "table must have 136 bytes by its header, found 88");
    wide[7] = b'3';
    assert_eq!(refused(&wide), "table must begin with NOUSEMB1 or NOUSEMB2 and three counts");
}

proptest! {
    #[test]
    fn a_row_of_four_bits_gives_the_sum_of_the_same_row_of_eight(
        numbers in prop::collection::vec(-8_i8..8, 2 * 48),
    ) {
        let tokens = ["tea", "##s"];
        let eight = numbers.iter().map(|number| number.cast_unsigned()).collect();
        let eight = TokenTable::read(table_of(b"NOUSEMB1", &tokens, 48, eight)).unwrap();
        let four = table_of(b"NOUSEMB2", &tokens, 48, in_four_bits(&numbers));
        let four = TokenTable::read(four).unwrap();
        prop_assert_eq!(four.dimensions(), 48);
        prop_assert!(four.bytes() < eight.bytes());
        for word in ["tea", "teas", "teass"] {
            let (mut expected, mut found) = ([0.25_f32; 48], [0.25_f32; 48]);
            prop_assert_eq!(eight.add_word(word, &mut expected), four.add_word(word, &mut found));
            prop_assert_eq!(expected.map(f32::to_bits), found.map(f32::to_bits));
        }
        let place = numbers.len() / 2;
        let mut first = [0.0; 48];
        four.add_word("tea", &mut first);
        let expected: Vec<f32> = numbers[..place].iter().map(|&number| number.into()).collect();
        prop_assert_eq!(first.to_vec(), expected);
    }

    /// Characters of every plane, and words of the table.
    #[test]
    fn a_vector_is_the_sum_of_its_words_with_length_1(
        text in r"([a-zA-Z,.' ]{0,12}|\PC{0,4}|tea|Deploys ){0,8}",
    ) {
        thread_local! {
            static TABLE: TokenTable = shipped("nous-128");
        }
        TABLE.with(|table| {
            let mut sum = [0.0_f32; 128];
            let (mut all, mut covered) = (0.0, 0.0);
            for word in words(&normalised(&text)) {
                let is_covered = table.add_word(word.text, &mut sum);
                if !word.is_mark {
                    all += 1.0;
                    covered += f64::from(u8::from(is_covered));
                }
            }
            let mut vector = [f32::NAN; 128];
            let coverage = table.embed(&text, &mut vector);
            assert_is(coverage, if covered > 0.0 { covered / all } else { 0.0 }, &text);
            let length = sum.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            for (component, sum) in vector.iter().zip(sum) {
                let expected = if covered > 0.0 { f64::from(sum) / length } else { 0.0 };
                assert!((f64::from(*component) - expected).abs() < 1e-6, "vector of {text:?}");
            }
        });
    }

    #[test]
    fn a_changed_byte_is_refused_or_gives_a_table(at in 0_usize..88, byte: u8) {
        let mut bytes = table(&["a", "##b", "cd"], 16);
        bytes[at] = byte;
        if let Ok(table) = TokenTable::read(bytes) {
            let mut vector = vec![f32::NAN; table.dimensions()];
            let coverage = table.embed("ab cd!", &mut vector);
            prop_assert!((0.0..=1.0).contains(&coverage));
            prop_assert!(vector.iter().all(|component| component.is_finite()));
        }
    }
}
