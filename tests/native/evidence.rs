//! Answers to questions in words: the rules one by one.

use std::collections::HashMap;

use nous_wasm::Config;
use nous_wasm::Value;
use nous_wasm::columns::{Row, VectorForm};
use nous_wasm::evidence::{
    EmbeddingScale, Field, GENERAL, GENERAL_EMBEDDED, Learned, NAMES, OfQuestion, Preset, Span,
    Stemming, Text, Values, WordOptions,
};
use nous_wasm::memory::{
    Access, Answer, Ask, EdgeChange, Embedding, EntryText, Feedback, Filters, MemoryIndex,
    NameKind, NodeChange, Options, Replacement, Step, Target, Why,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::common::{NOW, assert_is};

const MINUTE: f64 = 60_000.0;
const DAY: f64 = 86_400_000.0;

const NODE: NodeChange<'static> = NodeChange {
    target: Target::New,
    sequence: None,
    created_at: None,
    last_accessed: Access::Kept,
    access_count: None,
    stability: None,
    retrievability: None,
    difficulty: None,
    salience: None,
    state: None,
    node_type: None,
    subtype: None,
    tags: None,
    clusters: None,
    embedding: Embedding::Kept,
};

/// A memory index with the vectors of some words.
struct Memory {
    index: MemoryIndex,
    vectors: HashMap<&'static str, Vec<f32>>,
}

impl Memory {
    fn new() -> Self {
        Self::with(&json!({}), usize::MAX)
    }

    fn with(config: &serde_json::Value, max_bytes: usize) -> Self {
        let options =
            Options { dimensions: 0, form: VectorForm::F32, embedding_id: "".into(), max_bytes };
        let config = Config::read(&Value::deserialize(config).unwrap()).unwrap();
        let mut index = MemoryIndex::new(options, config).unwrap();
        index.keep_texts(WordOptions::default());
        Self { index, vectors: HashMap::new() }
    }

    fn with_vectors(vectors: &[(&'static str, &[f32])]) -> Self {
        let mut memory = Self::new();
        let dimensions = vectors[0].1.len();
        memory.index.keep_texts(WordOptions { dimensions, ..WordOptions::default() });
        memory.vectors = vectors.iter().map(|&(word, vector)| (word, vector.to_vec())).collect();
        memory
    }

    /// Adds nodes with a title and a body. `None` keeps the text of a node.
    fn upsert(
        &mut self,
        nodes: &[(NodeChange<'_>, Option<(&str, &str)>)],
    ) -> nous_wasm::Result<Vec<Row>> {
        let batch: Vec<NodeChange<'_>> = nodes.iter().map(|&(node, _)| node).collect();
        let texts: Vec<EntryText<'_>> = nodes
            .iter()
            .enumerate()
            .filter_map(|(entry, (_, text))| {
                let (title, body) = (*text)?;
                Some(EntryText { entry, text: Text { title, body, event: None, utc_offset: 0.0 } })
            })
            .collect();
        let Self { index, vectors } = self;
        index.upsert_with_texts(&batch, &texts, NOW, &mut |word, sum| {
            let Some(vector) = vectors.get(word) else { return false };
            sum.iter_mut().zip(vector).for_each(|(sum, part)| *sum += part);
            true
        })
    }

    /// Adds memories with these texts.
    fn add(&mut self, texts: &[&str]) -> Vec<Row> {
        let nodes: Vec<_> = texts.iter().map(|&text| (NODE, Some(("", text)))).collect();
        self.upsert(&nodes).unwrap()
    }

    /// Adds memories with these texts, a minute after one another.
    fn talk(&mut self, texts: &[&str]) -> Vec<Row> {
        let nodes: Vec<_> = (0..)
            .zip(texts)
            .map(|(place, &text)| {
                let created_at = Some(NOW - DAY + f64::from(place) * MINUTE);
                (NodeChange { created_at, ..NODE }, Some(("", text)))
            })
            .collect();
        self.upsert(&nodes).unwrap()
    }

    /// Gives a memory another text.
    fn set(&mut self, row: Row, title: &str, body: &str) {
        let change = NodeChange { target: Target::There(row), ..NODE };
        self.upsert(&[(change, Some((title, body)))]).unwrap();
    }

    fn run<T>(
        &mut self,
        ask: &Ask<'_>,
        call: impl FnOnce(
            &mut MemoryIndex,
            &Ask<'_>,
            &mut dyn FnMut(&str, &mut [f32]) -> bool,
        ) -> nous_wasm::Result<T>,
    ) -> nous_wasm::Result<T> {
        let Self { index, vectors } = self;
        call(index, ask, &mut |word, sum| {
            let Some(vector) = vectors.get(word) else { return false };
            sum.iter_mut().zip(vector).for_each(|(sum, part)| *sum += part);
            true
        })
    }

    fn answers(&mut self, ask: &Ask<'_>) -> Vec<Answer> {
        self.run(ask, |index, ask, embed| index.ask(ask, embed)).unwrap()
    }

    fn why(&mut self, row: Row, text: &str) -> Why {
        let filters = Filters::default();
        self.run(&question(text, &filters), |index, ask, embed| index.why(row, ask, None, embed))
            .unwrap()
    }

    fn evidence_for(&mut self, ask: &Ask<'_>) -> HashMap<Row, Values> {
        let all = self.run(ask, |index, ask, embed| index.evidence(ask, embed)).unwrap();
        all.into_iter().collect()
    }

    /// The evidence of every memory.
    fn evidence(&mut self, text: &str) -> HashMap<Row, Values> {
        let filters = Filters::default();
        self.evidence_for(&question(text, &filters))
    }

    /// The rows of all answers.
    fn ranking(&mut self, text: &str) -> Vec<Row> {
        let filters = Filters::default();
        self.answers(&question(text, &filters)).iter().map(|answer| answer.row).collect()
    }

    /// The word of a memory that matches a question of one word, and its nearness.
    fn found(&mut self, row: Row, word: &str) -> (Option<String>, f64) {
        let why = self.why(row, word);
        assert_eq!(why.words.len(), 1, "{word}");
        (why.words[0].found.clone(), why.words[0].nearness)
    }
}

fn question<'a>(text: &'a str, filters: &'a Filters) -> Ask<'a> {
    Ask {
        text,
        embedding: None,
        embedding_scale: None,
        filters,
        among: None,
        limit: usize::MAX,
        min_score: 0.0,
        diversity: 0.0,
        now: NOW,
        utc_offset: Some(0.0),
    }
}

/// A sentence of `count` words that occur nowhere else, numbered from `first`.
fn sentence(first: usize, count: usize) -> String {
    let words: Vec<String> = (first..first + count).map(|number| format!("w{number}")).collect();
    words.join(" ") + "."
}

// ---- passages -----------------------------------------------------------------------------------

/// The first word and the length of the passages of a text whose words are w0, w1 and so on.
fn passages(title: &str, body: &str, words: usize) -> Vec<(u32, u32)> {
    let mut memory = Memory::new();
    let rows = memory.upsert(&[(NODE, Some((title, body)))]).unwrap();
    let mut passages: Vec<(u32, u32)> = Vec::new();
    for word in 0..words {
        let passage = memory.why(rows[0], &format!("w{word}")).passage;
        assert!((passage.first_word..passage.first_word + passage.words).contains(&(word as u32)));
        if passages.len() == passage.passage as usize {
            passages.push((passage.first_word, passage.words));
        }
        assert_eq!(passages[passage.passage as usize], (passage.first_word, passage.words));
    }
    passages
}

#[test]
fn a_passage_ends_with_the_sentence_that_brings_it_to_forty_words() {
    let body = [sentence(0, 25), sentence(25, 14), sentence(39, 1), sentence(40, 12)].join(" ");
    assert_eq!(passages("", &body, 52), [(0, 40), (40, 12)]);
}

#[test]
fn a_sentence_that_would_bring_a_passage_over_sixty_words_begins_the_next_one() {
    let body = [sentence(0, 39), sentence(39, 21)].join(" ");
    assert_eq!(passages("", &body, 60), [(0, 60)]);
    let body = [sentence(0, 39), sentence(39, 22)].join(" ");
    assert_eq!(passages("", &body, 61), [(0, 39), (39, 22)]);
}

#[test]
fn a_sentence_of_more_than_sixty_words_is_cut() {
    assert_eq!(passages("", &sentence(0, 150), 150), [(0, 40), (40, 40), (80, 40), (120, 30)]);
    assert_eq!(passages("", &sentence(0, 60), 60), [(0, 60)]);
}

#[test]
fn a_last_passage_of_fewer_than_ten_words_joins_the_one_before() {
    let body = [sentence(0, 40), sentence(40, 9)].join(" ");
    assert_eq!(passages("", &body, 49), [(0, 49)]);
    let body = [sentence(0, 40), sentence(40, 10)].join(" ");
    assert_eq!(passages("", &body, 50), [(0, 40), (40, 10)]);
    assert_eq!(passages("", &sentence(0, 3), 3), [(0, 3)]);
}

#[test]
fn the_title_belongs_to_the_first_passage() {
    let body = [sentence(5, 36), sentence(41, 30)].join(" ");
    assert_eq!(passages("w0 w1 w2 w3 w4", &body, 71), [(0, 41), (41, 30)]);
    assert_eq!(passages(&sentence(0, 80), "", 80), [(0, 80)]);
}

#[test]
fn sentences_end_at_lines_and_at_marks_before_white_space() {
    let (one, other) = ("w0 ".to_string() + &sentence(1, 39)[..], sentence(40, 20));
    let one = one.trim_end_matches('.');
    for end in [". ", "?\t", "!\" ", "…) ", "\n", "。", "！", "."] {
        let body = format!("{one}{end}{other}");
        // A full stop inside a word of a host or a number ends no sentence.
        let expected = if end == "." { vec![(0, 60)] } else { vec![(0, 40), (40, 20)] };
        assert_eq!(passages("", &body, 60), expected, "{end:?}");
    }
}

#[test]
fn a_long_memory_does_not_win_by_holding_many_words() {
    let mut memory = Memory::new();
    let scattered = ["Lisbon", "moved", "flat"].map(|word| format!("{word} {}", sentence(0, 45)));
    let rows = memory.add(&[&scattered.join(" "), "In Lisbon she moved into a flat."]);
    let all = memory.evidence("Lisbon moved flat");
    let [long, short] = [all[&rows[0]], all[&rows[1]]];
    assert_is(long.cov, 1.0, "the whole text holds all words");
    assert!(long.p_softcov < 0.5 && short.p_softcov == 1.0, "{long:?} {short:?}");
}

// ---- words --------------------------------------------------------------------------------------

#[test]
fn forms_of_a_word_match_with_nearness_one_and_in_any_case() {
    let mut memory = Memory::new();
    let row = memory.add(&["Mira MOVED. Öfter nach Köln."])[0];
    assert_eq!(memory.found(row, "moving"), (Some("moved".into()), 1.0));
    assert_eq!(memory.found(row, "mira"), (Some("mira".into()), 1.0));
    assert_eq!(memory.found(row, "Koln"), (Some("koln".into()), 1.0));
    memory.index.keep_texts(WordOptions { stemming: Stemming::None, ..WordOptions::default() });
    memory.set(row, "", "Mira moved.");
    assert_eq!(memory.found(row, "moving"), (None, 0.0));
}

#[test]
fn a_word_that_no_text_holds_is_found_by_its_letters() {
    let mut memory = Memory::new();
    let row = memory.add(&["The dentist praised tomatoes and rebalancing; bus, x1234."])[0];
    let expected = |word: &str, nearness| (Some(word.to_owned()), nearness);
    for (asked, found) in [
        ("dent", expected("dentist", 0.8)),
        ("dentsit", expected("dentist", 0.85)),
        ("dentis", expected("dentist", 0.8)),
        ("dentistt", expected("dentist", 0.85)),
        ("dintist", expected("dentist", 0.85)),
        // Two changes only for words of eight letters or more.
        ("dintost", (None, 0.0)),
        ("rebelanzing", expected("rebalancing", 0.7)),
        // The first letter is right.
        ("tentist", (None, 0.0)),
        // Fewer than four letters, or a digit: no comparison of letters.
        ("bu", (None, 0.0)),
        ("x123", (None, 0.0)),
    ] {
        assert_eq!(memory.found(row, asked), found, "{asked}");
    }
    // A text holds the word now, so that others are not taken for it.
    memory.add(&["Dent is a surname."]);
    assert_eq!(memory.found(row, "dent"), (None, 0.0));
}

#[test]
fn letters_of_three_bytes_are_compared_like_others() {
    let mut memory = Memory::new();
    let row = memory.add(&["გამარჯობა"])[0];
    assert_eq!(memory.found(row, "გამარჯობბა"), (Some("გამარჯობა".into()), 0.85));
    assert_eq!(memory.found(row, "გამარჯობბბა"), (Some("გამარჯობა".into()), 0.7));
}

#[test]
fn words_with_near_vectors_match_with_their_cosine() {
    let mut memory = Memory::with_vectors(&[
        ("doctor", &[1.0, 0.0]),
        ("physician", &[0.96, 0.28]),
        ("nurse", &[0.6, 0.8]),
        ("banana", &[0.28, 0.96]),
        ("who", &[1.0, 0.0]),
    ]);
    let rows = memory.add(&["The physician.", "Who is the nurse?", "A banana."]);
    let nearness = |memory: &mut Memory, row| memory.found(row, "doctor").1;
    assert!((nearness(&mut memory, rows[0]) - 0.96).abs() < 0.01);
    // A stop word is no neighbour, even if its vector is the same.
    assert!((nearness(&mut memory, rows[1]) - 0.6).abs() < 0.01);
    assert_eq!(memory.found(rows[1], "doctor").0.as_deref(), Some("nurse"));
    // Below 0.3.
    assert_eq!(memory.found(rows[2], "doctor"), (None, 0.0));
    let all = memory.evidence("doctor");
    assert!(all[&rows[0]].sem > 0.9 && all[&rows[2]].sem > 0.2, "{all:?}");
    assert_eq!(all[&rows[0]].bm, 0.0);
    assert!(all[&rows[0]].sbm == 1.0 && all[&rows[0]].p_softcov == 1.0);
}

#[test]
fn a_question_has_the_same_vector_whether_or_not_a_text_holds_its_words() {
    let vectors: &[(&str, &[f32])] =
        &[("doctor", &[0.31, 0.77, -0.13]), ("clinic", &[0.3, 0.71, 0.2])];
    let sem = |others: &[&str]| {
        let mut memory = Memory::with_vectors(vectors);
        let row = memory.add(&["The clinic."])[0];
        memory.add(others);
        memory.evidence("doctor clinic")[&row].sem
    };
    assert_is(sem(&[]), sem(&["A doctor."]), "sem");
}

#[test]
fn vectors_that_are_not_finite_count_as_none() {
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut memory = Memory::with_vectors(&[
            ("one", &[1.0, 0.0]),
            ("two", &[wrong, 1.0]),
            ("three", &[0.9, 0.1]),
        ]);
        let rows = memory.add(&["one", "two", "three two"]);
        for (_, values) in memory.evidence("one two") {
            assert!(values.to_array().iter().all(|value| value.is_finite()), "{values:?}");
        }
        assert_eq!(memory.found(rows[1], "one"), (None, 0.0));
        assert_eq!(memory.ranking("two").len(), 3);
    }
}

#[test]
fn stop_words_count_only_if_the_question_has_no_others() {
    let mut memory = Memory::new();
    let rows = memory.add(&["Who was it?", "The coffee was good."]);
    assert_eq!(memory.why(rows[1], "Was it the coffee?").words.len(), 1);
    let words: Vec<String> =
        memory.why(rows[0], "who was it, who?").words.into_iter().map(|it| it.asked).collect();
    assert_eq!(words, ["who", "was", "it"]);
    assert_eq!(memory.ranking("who was it")[0], rows[0]);
}

#[test]
fn function_words_of_the_language_of_a_question_do_not_count() {
    let mut memory = Memory::new();
    let row = memory.add(&["the house"])[0];
    let mut words = |asked: &str| -> Vec<String> {
        memory.why(row, asked).words.into_iter().map(|it| it.asked).collect()
    };
    assert_eq!(words("Wann war der Ausflug an den Titisee?"), ["ausflug", "titisee"]);
    assert_eq!(words("Où est la maison de ma tante ?"), ["maison", "tante"]);
    assert_eq!(words("¿Dónde está la casa de mi tía?"), ["casa", "tia"]);
    // English questions keep the same words, also if names hold words of another language.
    assert_eq!(
        words("What did the son of Rosa de la Cruz do?"),
        ["son", "rosa", "de", "la", "cruz"]
    );
    assert_eq!(words("war films"), ["war", "films"]);
    assert_eq!(words("wie war das"), ["wie", "war", "das"]);
}

#[test]
fn of_a_long_question_the_32_rarest_words_of_texts_count_in_its_order() {
    let mut memory = Memory::new();
    let rare = sentence(0, 34).replace('.', "");
    let row = memory.add(&["coffee bread", "coffee bread", "coffee", &rare])[0];
    let words = |memory: &mut Memory, asked: &str| -> Vec<String> {
        memory.why(row, asked).words.into_iter().map(|it| it.asked).collect()
    };
    let first = |count: usize| (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>();
    assert_eq!(words(&mut memory, &format!("coffee bread {rare}")), first(32));
    // Words that no text holds are left out before frequent ones.
    let asked = format!("v1 v2 coffee v3 bread {}", sentence(0, 30));
    let expected = [vec!["coffee".into(), "bread".into()], first(30)].concat();
    assert_eq!(words(&mut memory, &asked), expected);
}

// ---- small memories -----------------------------------------------------------------------------

#[test]
fn three_memories_rank_sensibly() {
    let mut memory = Memory::new();
    let rows = memory.add(&[
        "Mira moved to Lisbon in May.",
        "Jonas bakes bread with rye flour.",
        "The invoice of the dentist is paid.",
    ]);
    for (question, best) in [
        ("Where does Mira live since she moved?", 0),
        ("Which flour is in the bread of Jonas?", 1),
        ("Did I pay the dentist's invoice?", 2),
    ] {
        assert_eq!(memory.ranking(question)[0], rows[best], "{question}");
    }
}

#[test]
fn a_word_that_every_memory_holds_still_counts() {
    for count in [1, 2, 3] {
        let mut memory = Memory::new();
        let rows = memory.add(&vec!["Mira likes coffee."; count]);
        let values = memory.evidence("coffee")[&rows[0]];
        for value in [values.bm, values.sbm, values.cov, values.p_soft, values.p_sbm] {
            assert_is(value, 1.0, format!("{count} memories"));
        }
    }
}

#[test]
fn a_question_without_words_has_no_answers() {
    let mut memory = Memory::new();
    memory.add(&["coffee", "bread", "…"]);
    assert_eq!(memory.index.texts(), 2, "a text without words is none");
    for question in ["", "?", " \n", "🚀"] {
        assert!(memory.ranking(question).is_empty(), "{question:?}");
        let all = memory.evidence(question);
        assert_eq!(all.len(), 2);
        assert!(all.values().all(|it| it.bm == 0.0 && it.cov == 0.0 && it.ses == 0.0));
    }
}

// ---- runs ---------------------------------------------------------------------------------------

/// `nb` of memories made at these minutes, of which those at the places of `holding` hold the word.
fn nearby(minutes: &[f64], clusters: Option<&[u32]>, holding: usize) -> Vec<f64> {
    let mut memory = Memory::new();
    let lists: Vec<[u32; 1]> = clusters.unwrap_or_default().iter().map(|&it| [it]).collect();
    for name in ["one", "two"] {
        memory.index.name(NameKind::Cluster, name).unwrap();
    }
    let nodes: Vec<_> = minutes
        .iter()
        .enumerate()
        .map(|(place, minute)| {
            let clusters = lists.get(place).map(|list| &list[..]);
            let created_at = Some(NOW - DAY + minute * MINUTE);
            let text = if place == holding { "coffee" } else { "bread" };
            (NodeChange { created_at, clusters, ..NODE }, Some(("", text)))
        })
        .collect();
    let rows = memory.upsert(&nodes).unwrap();
    let all = memory.evidence("coffee");
    rows.iter().map(|row| all[row].nb).collect()
}

#[test]
fn the_three_memories_before_and_after_in_a_run_get_a_share_by_distance() {
    let minutes: Vec<f64> = (0..9).map(|place| f64::from(place) * 10.0).collect();
    let third = 1.0 / 3.0;
    assert_eq!(nearby(&minutes, None, 4), [0.0, third, 0.5, 1.0, 0.0, 1.0, 0.5, third, 0.0]);
}

#[test]
fn a_run_ends_where_an_hour_passes() {
    assert_eq!(nearby(&[0.0, 59.99, 119.9], None, 1), [1.0, 0.0, 1.0]);
    assert_eq!(nearby(&[0.0, 60.0, 120.0], None, 1), [0.0, 0.0, 0.0]);
}

#[test]
fn memories_that_were_loaded_together_are_no_run() {
    const SECOND: f64 = 1.0 / 60.0;
    let just_below = 0.999 * SECOND;
    // Talk stores three at once: a message, its reply and a note.
    assert_eq!(nearby(&[0.0, just_below, 2.0 * just_below], None, 1), [1.0, 0.0, 1.0]);
    assert_eq!(nearby(&[0.0; 3], None, 1), [1.0, 0.0, 1.0]);
    assert_eq!(nearby(&[0.0; 4], None, 1), [0.0; 4]);
    let loaded = [0.0, just_below, 2.0 * just_below, 3.0 * just_below];
    assert_eq!(nearby(&loaded, None, 1), [0.0; 4]);
    assert_eq!(nearby(&[0.0, 1.0, 2.0, 3.0].map(|at| at * SECOND), None, 1), [1.0, 0.0, 1.0, 0.5]);
    // What was said before and after is no run with them.
    assert_eq!(nearby(&[-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0], None, 5)[4..], [0.0, 0.0, 1.0]);
    assert_eq!(nearby(&[0.0; 4], Some(&[0, 0, 0, 0]), 1), [1.0, 0.0, 1.0, 0.5], "a cluster");
}

#[test]
fn a_run_is_in_order_of_creation_whatever_the_order_of_insertion() {
    assert_eq!(nearby(&[30.0, 0.0, 20.0, 10.0], None, 1), [1.0 / 3.0, 0.0, 0.5, 1.0]);
}

#[test]
fn the_memories_of_a_cluster_are_a_run_of_their_own_without_gaps() {
    let minutes = [0.0, 1.0, 2.0, 9_000.0];
    assert_eq!(nearby(&minutes, Some(&[0, 1, 0, 0]), 0), [0.0, 0.0, 1.0, 0.5]);
}

#[test]
fn a_memory_that_moves_in_time_or_into_a_cluster_leaves_its_run() {
    let mut memory = Memory::new();
    let cluster = [memory.index.name(NameKind::Cluster, "one").unwrap()];
    let rows = memory.add(&["coffee", "bread"]);
    let nb = |memory: &mut Memory| memory.evidence("coffee")[&rows[1]].nb;
    assert_is(nb(&mut memory), 1.0, "made together");
    let change = NodeChange { target: Target::There(rows[1]), ..NODE };
    for (change, expected) in [
        (NodeChange { created_at: Some(NOW + DAY), ..change }, 0.0),
        (NodeChange { created_at: Some(NOW + MINUTE), ..change }, 1.0),
        (NodeChange { clusters: Some(&cluster), ..change }, 0.0),
        (NodeChange { clusters: Some(&[]), ..change }, 1.0),
    ] {
        memory.upsert(&[(change, None)]).unwrap();
        assert_is(nb(&mut memory), expected, format!("{change:?}"));
    }
}

#[test]
fn every_memory_of_a_run_gets_the_best_of_the_run() {
    let mut memory = Memory::new();
    let rows = memory.add(&["coffee", "bread", "tea"]);
    let all = memory.evidence("coffee");
    for row in rows {
        assert_is(all[&row].ses, 0.3_f64.max(1.0 - 0.7), "ses");
        assert_is(all[&row].sesb, 1.0 / 3.0, "sesb");
    }
}

// ---- filters, limits, order ---------------------------------------------------------------------

#[test]
fn the_best_of_a_run_counts_for_the_twelve_memories_before_and_after_it() {
    let mut memory = Memory::new();
    let cluster = [memory.index.name(NameKind::Cluster, "one").unwrap()];
    let nodes: Vec<_> = (0..40)
        .map(|place| {
            let text = if place == 20 { "coffee" } else { "bread" };
            let created_at = Some(NOW + f64::from(place) * MINUTE);
            (NodeChange { created_at, clusters: Some(&cluster), ..NODE }, Some(("", text)))
        })
        .collect();
    let rows = memory.upsert(&nodes).unwrap();
    let all = memory.evidence("coffee");
    for (place, row) in rows.iter().enumerate() {
        let expected = if (8..=32).contains(&place) { 1.0 - 0.7 } else { 0.0 };
        assert_is(all[row].ses, expected, "ses");
        assert_is(all[row].sesb, 1.0 / 3.0, "sesb");
    }
}

#[test]
fn evidence_is_relative_to_the_best_memory_that_passes_the_filters() {
    let mut memory = Memory::new();
    let tag = [memory.index.name(NameKind::Tag, "kept").unwrap()];
    let tagged = NodeChange { tags: Some(&tag), ..NODE };
    let rows = memory
        .upsert(&[
            (NODE, Some(("", "coffee coffee coffee"))),
            (tagged, Some(("", "coffee and a long tail of other words"))),
            (tagged, Some(("", "bread"))),
        ])
        .unwrap();
    let filters = Filters { tags_all: tag.to_vec(), ..Filters::default() };
    let all = memory.evidence_for(&question("coffee", &filters));
    assert_eq!(all.len(), 2);
    assert_is(all[&rows[1]].bm, 1.0, "best of those that pass");
    assert!(memory.evidence("coffee")[&rows[1]].bm < 1.0);
    let answers = memory.answers(&question("coffee", &filters));
    assert_eq!(answers.iter().map(|it| it.row).collect::<Vec<_>>(), rows[1..]);
    let why = memory.run(&question("coffee", &filters), |index, ask, embed| {
        index.why(rows[0], ask, None, embed)
    });
    assert_eq!(why.unwrap_err().field(), "id");
}

#[test]
fn an_excluded_memory_says_nothing_of_itself_nor_of_those_around_it() {
    let mut memory = Memory::new();
    let rows = memory.talk(&["bread and cheese", "tea", "coffee tonight", "rice"]);
    let evidence = |memory: &mut Memory, excluded: &[Row]| {
        let filters = Filters { excluded: excluded.to_vec(), ..Filters::default() };
        memory.evidence_for(&question("coffee tonight", &filters))
    };
    let all = evidence(&mut memory, &[]);
    assert!(all[&rows[1]].nb > 0.0 && all[&rows[3]].win > 0.0);
    let rest = evidence(&mut memory, &rows[2..3]);
    assert!(!rest.contains_key(&rows[2]));
    for row in [rows[0], rows[1], rows[3]] {
        assert_eq!([rest[&row].nb, rest[&row].win, rest[&row].ses, rest[&row].sesb], [0.0; 4]);
    }
    // A row without a memory excludes nothing.
    assert_eq!(evidence(&mut memory, &[Row::MAX]), all);
}

#[test]
fn memories_that_the_filters_exclude_do_not_move_the_odds() {
    let mut memory = Memory::new();
    let tag = [memory.index.name(NameKind::Tag, "drinks").unwrap()];
    let at = |hours: f64| NodeChange { created_at: Some(NOW - hours * 60.0 * MINUTE), ..NODE };
    let tagged = |hours: f64| NodeChange { tags: Some(&tag), ..at(hours) };
    let rows = memory
        .upsert(&[
            (at(9.0), Some(("", "coffee coffee coffee"))),
            (
                tagged(6.0),
                Some(("", "Coffee grows in Brazil, and it takes a long while to ripen.")),
            ),
            (tagged(3.0), Some(("", "bread"))),
        ])
        .unwrap();
    let filters = Filters { tags_all: tag.to_vec(), ..Filters::default() };
    let ask = question("coffee", &filters);
    let why = memory.run(&ask, |index, ask, embed| index.why(rows[1], ask, None, embed)).unwrap();
    // Of the two that pass, `sesb` is 1/3 and 0: the deviation is 1/6.
    let of = OfQuestion { best: why.sum, second: 0.0, spread: 1.0 / 6.0, unheld: 0.0 };
    let expected = GENERAL.odds(of).offset;
    assert!((why.offset - expected).abs() < 1e-3, "{} {expected}", why.offset);
    let values = memory.evidence_for(&ask);
    assert!(values.values().all(|it| it.ses <= 1.0 && it.nb <= 2.0));
}

#[test]
fn the_odds_know_what_is_behind_the_best_and_what_no_memory_holds() {
    let mut memory = Memory::new();
    let filters = Filters::default();
    // Each superseded memory stands behind its successor, and tells nothing of other answers.
    let line = memory.talk(&[
        "green tea",
        "tea from the market by the harbour",
        "bread",
        "bread with salt and butter",
    ]);
    supersede(&mut memory, &[(line[1], line[0])]);
    let mut of = |text: &str, second: usize| {
        let ask = question(text, &filters);
        let answers = memory.answers(&ask);
        let first = answers[0].row;
        let why = memory.run(&ask, |index, ask, embed| index.why(first, ask, None, embed));
        let Values { soft_unheld, p_soft, .. } = answers[0].evidence;
        let (best, second, unheld) = (answers[0].sum, answers[second].sum, soft_unheld / p_soft);
        // All memories are in one run, so that runs do not differ.
        let odds = GENERAL.odds(OfQuestion { best, second, spread: 0.0, unheld });
        assert_is(why.unwrap().offset, odds.offset, text);
        assert_is(answers[0].score, odds.probability(best), text);
        (answers, unheld)
    };
    let (answers, unheld) = of("tea", 2);
    assert_eq!((answers[1].superseded_by, unheld), (Some(line[1]), 0.0));
    let (known, _) = of("bread", 1);
    let (doubted, unheld) = of("bread zzyzx", 1);
    assert!(unheld > 0.5 && doubted[0].score < known[0].score);
}

#[test]
fn answers_end_before_the_first_below_min_score() {
    let mut memory = Memory::new();
    memory.talk(&["coffee and bread", "coffee", "bread", "tea"]);
    let filters = Filters::default();
    let all = memory.answers(&question("coffee with bread", &filters));
    assert_eq!(all.len(), 4);
    assert!(all.is_sorted_by(|one, other| one.score >= other.score));
    for (place, answer) in all.iter().enumerate() {
        let ask = Ask { min_score: answer.score, ..question("coffee with bread", &filters) };
        let kept = memory.answers(&ask).len();
        assert!(kept > place && all[kept..].iter().all(|it| it.score < answer.score));
    }
    let none = Ask { min_score: 1.0, ..question("coffee with bread", &filters) };
    assert_eq!(memory.answers(&none), []);
    for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let ask = Ask { min_score: wrong, ..question("coffee", &filters) };
        let refused = memory.run(&ask, |index, ask, embed| index.ask(ask, embed)).unwrap_err();
        assert_eq!(refused.field(), "min_score");
    }
}

#[test]
fn equal_answers_are_in_order_of_sequence_even_if_rows_are_used_again() {
    let mut memory = Memory::new();
    // No two are in one run.
    let mut made = NOW;
    let mut coffee = || {
        made -= 100.0 * MINUTE;
        (NodeChange { created_at: Some(made), ..NODE }, Some(("", "coffee")))
    };
    let rows = memory.upsert(&[coffee(), coffee(), coffee()]).unwrap();
    assert_eq!(memory.ranking("coffee"), rows);
    memory.index.remove(&rows[..1]);
    // The new memory takes the row of the first.
    let new = memory.upsert(&[coffee()]).unwrap();
    assert_eq!(new, rows[..1]);
    assert_eq!(memory.ranking("coffee"), [rows[1], rows[2], new[0]]);
    assert_eq!(memory.why(new[0], "coffee").rank, Some(3));
    let change = NodeChange { target: Target::There(rows[2]), sequence: Some(0), ..NODE };
    memory.upsert(&[(change, None)]).unwrap();
    assert_eq!(memory.ranking("coffee"), [rows[2], rows[1], new[0]]);
    let filters = Filters::default();
    let listed = memory
        .run(&question("coffee", &filters), |index, ask, embed| index.evidence(ask, embed))
        .unwrap();
    let listed: Vec<Row> = listed.into_iter().map(|(row, _)| row).collect();
    assert_eq!(listed, [rows[2], rows[1], new[0]]);
}

// ---- use, edges ---------------------------------------------------------------------------------

#[test]
fn an_access_in_the_future_counts_as_one_of_today() {
    let mut memory = Memory::new();
    let accesses = [NOW, NOW + 9.0 * DAY, 8.64e15];
    // No two are in one run.
    let mut made = NOW;
    let nodes = accesses.map(|instant| {
        made -= 100.0 * MINUTE;
        let (created_at, last_accessed) = (Some(made), Access::At(instant));
        (NodeChange { created_at, last_accessed, ..NODE }, Some(("", "coffee")))
    });
    let rows = memory.upsert(&nodes).unwrap();
    let filters = Filters::default();
    let answers = memory.answers(&question("coffee", &filters));
    assert_eq!(answers.iter().map(|it| it.row).collect::<Vec<_>>(), rows);
    for answer in answers {
        assert_is(answer.evidence.recency_knowledge, 1.0, "recency");
        assert_is(answer.evidence.vaguerec, 1.0, "vaguerec");
        assert_is(answer.evidence.affinity, 0.2, "affinity");
        assert!(answer.sum.is_finite() && answer.score > 0.0);
    }
}

#[test]
fn activation_comes_over_edges_by_type_or_by_strength() {
    for (edge_weight, expected) in [("type", 0.5), ("learned", 0.25)] {
        let config = json!({ "search": { "edge_weight": edge_weight, "max_hops": 1 } });
        let mut memory = Memory::with(&config, usize::MAX);
        let rows = memory.add(&["coffee", "bread"]);
        let edge = EdgeChange {
            target: Target::New,
            ends: Some((rows[0], rows[1])),
            edge_type: None,
            strength: Some(0.25),
            sequence: None,
        };
        memory.index.link(&[edge]).unwrap();
        let all = memory.evidence("coffee");
        // The seed has 0.7 · 0.3; a hop keeps 0.8 of it.
        let seed = 0.7 * (1.0 - 0.7);
        assert!((all[&rows[1]].graph - seed * expected * 0.8).abs() < 1e-15, "{edge_weight}");
        assert_is(all[&rows[0]].graph, 0.0, "own activation is no evidence");
        assert_eq!(memory.evidence("tea")[&rows[1]].graph, 0.0);
    }
}

#[test]
fn infinite_activation_leaves_sums_finite() {
    let config = json!({
        "search": { "initial_activation": f64::MAX, "max_hops": 9 },
        "evidence": { "weights": { "graph": 1000.0 } },
    });
    let mut memory = Memory::with(&config, usize::MAX);
    let rows = memory.add(&["coffee", "coffee", "coffee bread"]);
    let ends = [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0)];
    let edges = ends.map(|(from, to)| EdgeChange {
        target: Target::New,
        ends: Some((rows[from], rows[to])),
        edge_type: None,
        strength: None,
        sequence: None,
    });
    memory.index.link(&edges).unwrap();
    let filters = Filters::default();
    let answers = memory.answers(&question("coffee", &filters));
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|it| it.sum.is_finite() && it.score == 1.0), "{answers:?}");
}

// ---- times --------------------------------------------------------------------------------------

/// The evidence of the only memory, which was made at an instant and tells of an event.
fn evidence_of(question: &str, body: &str, event: Option<f64>, created_at: f64) -> Values {
    evidence_by_clock(question, body, (event, created_at), 0.0)
}

/// The evidence of the only memory, whose day is told by a clock that is so far before UTC.
fn evidence_by_clock(
    question: &str,
    body: &str,
    (event, created_at): (Option<f64>, f64),
    utc_offset: f64,
) -> Values {
    let mut memory = Memory::new();
    let batch = [NodeChange { created_at: Some(created_at), ..NODE }];
    let texts = [EntryText { entry: 0, text: Text { title: "", body, event, utc_offset } }];
    let rows = memory.index.upsert_with_texts(&batch, &texts, NOW, &mut |_, _| false).unwrap();
    memory.evidence(question)[&rows[0]]
}

#[test]
fn of_the_text_of_an_event_only_times_count_that_do_not_depend_on_the_telling() {
    let last_year = Some(NOW - 400.0 * DAY);
    for (body, told) in [
        ("Mira moved yesterday.", 0.0),
        ("Mira moved last week.", 0.0),
        ("Mira moves on 19 February 2026.", 1.0),
    ] {
        let question = "What happened in the last 7 days?";
        let found = evidence_of(question, body, last_year, NOW);
        assert_eq!((found.date, found.told), (0.0, told), "{body}");
        let noted = evidence_of(question, body, None, NOW);
        assert_eq!((noted.date, noted.told), (1.0, 0.0), "{body}");
    }
}

#[test]
fn the_clock_of_a_memory_decides_its_day() {
    const HOUR: f64 = DAY / 24.0;
    // Ten in the evening of 19 February, by a clock eight hours behind UTC.
    let evening = NOW.div_euclid(DAY) * DAY + 6.0 * HOUR;
    let day = |question: &str, times, offset: f64| {
        evidence_by_clock(question, "Supper.", times, offset * HOUR).date
    };
    for times in [(Some(evening), NOW), (None, evening)] {
        assert_eq!(day("What was on 20 February 2026?", times, 0.0), 2.0);
        assert_eq!(day("What was on 19 February 2026?", times, 0.0), 0.0);
        assert_eq!(day("What was on 20 February 2026?", times, -8.0), 0.0);
        assert_eq!(day("What was on 19 February 2026?", times, -8.0), 2.0);
    }
}

#[test]
fn the_words_of_a_time_are_not_asked_for_unless_nothing_else_is_said() {
    let held = |question: &str, body: &str| evidence_of(question, body, None, NOW - 300.0 * DAY);
    for (question, body) in [
        ("What did I do two weeks ago?", "Two trout."),
        ("What did I catch in the last two weeks?", "The last two apples."),
        ("What did I do last Friday?", "Friday is a day of rest."),
        ("What did I do in May 2019?", "The report of May 2019."),
    ] {
        let found = held(question, body);
        assert_eq!((found.bm, found.sem), (0.0, 0.0), "{question}");
    }
    for (question, body) in [
        ("What did we plan last Friday?", "Friday is a day of rest."),
        ("Friday", "Friday is a day of rest."),
        ("on Friday", "Friday is a day of rest."),
        ("What did we plant two weeks before 11 May 2019?", "The report of May 2019."),
        ("Which goals did we have in Q3 2019?", "The sum of Q3."),
        ("Who caught two trout?", "Two trout."),
        ("Who signed the lease of 10.12.2020?", "10.12.2020"),
        ("Who signed the lease of 2020-12-10?", "2020-12-10"),
        ("Who signed the lease of 10/12/20?", "10/12/20"),
        ("Tell me about 1.2.27", "1.2.27"),
    ] {
        assert!(held(question, body).bm > 0.0, "{question}");
    }
}

#[test]
fn a_memory_of_the_time_holds_all_of_a_question_that_asks_for_nothing_else() {
    let question = "What did I do last week?";
    let made = evidence_of(question, "Bought a kettle.", None, NOW - 7.0 * DAY);
    assert_eq!((made.cov, made.p_soft, made.p_softcov, made.date), (1.0, 1.0, 1.0, 1.0));
    let other = evidence_of(question, "Bought a kettle.", None, NOW - 70.0 * DAY);
    assert_eq!((other.cov, other.p_soft, other.p_softcov, other.date), (0.0, 0.0, 0.0, 0.0));
    let more = evidence_of("What did I buy last week?", "Sold a lamp.", None, NOW - 7.0 * DAY);
    assert_eq!((more.p_soft, more.date), (0.0, 1.0));
}

#[test]
fn a_question_that_names_a_time_finds_what_was_made_then_and_what_tells_of_it() {
    // NOW is 20 February 2026.
    let (may, day) = (NOW - 280.0 * DAY, "What was on 16 May 2025?");
    for (question, date) in [("What was in May 2025?", 1.0), (day, 2.0), ("in June 2025", 0.0)] {
        let made = evidence_of(question, "Mira moved.", None, may);
        assert_eq!((made.date, made.told), (date, 0.0), "{question}");
        let event = evidence_of(question, "Mira moved.", Some(may), NOW);
        assert_eq!((event.date, event.told), (date, 0.0), "{question}");
        let told_then = evidence_of(question, "Mira moved.", Some(NOW), may);
        assert_eq!((told_then.date, told_then.told), (0.0, 0.0), "{question}");
        let named = evidence_of(question, "Mira moves on 16 May 2025.", None, NOW);
        assert_eq!((named.date, named.told), (0.0, date), "{question}");
    }
    // Relative to the creation of the memory; a whole year says too little.
    assert_is(evidence_of(day, "Mira moved yesterday.", None, may + DAY).told, 2.0, "yesterday");
    assert_is(evidence_of(day, "Mira moved in 2025.", None, NOW).told, 0.0, "a year");
    // What `date` says is not said twice.
    let both = evidence_of(day, "Mira moved today.", None, may);
    assert_eq!((both.date, both.told), (2.0, 0.0));
}

#[test]
fn an_event_that_is_no_instant_is_refused_by_its_place() {
    for event in [f64::NAN, f64::INFINITY, 8.64e15 + 2.0, -8.64e15 - 2.0] {
        let mut memory = Memory::new();
        let text = |event| Text { title: "", body: "Mira moved.", event, utc_offset: 0.0 };
        let texts = [
            EntryText { entry: 0, text: text(Some(NOW)) },
            EntryText { entry: 1, text: text(Some(event)) },
        ];
        let upserted =
            memory.index.upsert_with_texts(&[NODE, NODE], &texts, NOW, &mut |_, _| false);
        let refused = upserted.unwrap_err();
        assert_eq!((refused.field(), refused.index()), ("event_time", Some(1)), "{event}");
        assert!(memory.index.is_empty());
    }
}

#[test]
fn a_question_that_asks_when_where_or_how_many_finds_times_names_and_numbers() {
    let asked = |question: &str, body: &str| {
        let values = evidence_of(question, body, None, NOW);
        [values.p_temp, values.p_where, values.p_numq]
    };
    assert_eq!(asked("When did she move?", "She moved in spring 2024."), [1.0, 0.0, 0.0]);
    assert_eq!(asked("Where did she move?", "She moved to Lisbon."), [0.0, 1.0, 0.0]);
    assert_eq!(asked("How many cats are there?", "She has three cats."), [0.0, 0.0, 1.0]);
    assert_eq!(asked("Did she move?", "On 3 May she moved 5 cats to Lisbon."), [0.0; 3]);
    assert_eq!(asked("When did she move?", "She moved the chair."), [0.0; 3]);
}

// ---- corrections --------------------------------------------------------------------------------

/// Adds memories with these texts, of which each supersedes the one before. Returns their rows.
fn corrected(memory: &mut Memory, texts: &[&str]) -> Vec<Row> {
    let rows = memory.add(texts);
    let ends: Vec<_> = rows.windows(2).map(|pair| (pair[1], pair[0])).collect();
    supersede(memory, &ends);
    rows
}

/// Links newer memories with the older ones that they supersede.
fn supersede(memory: &mut Memory, ends: &[(Row, Row)]) {
    connect(memory, "supersedes", None, ends);
}

/// Links newer memories with the older ones that they seem to replace.
fn guess(memory: &mut Memory, probability: f64, ends: &[(Row, Row)]) {
    connect(memory, "likely_supersedes", Some(probability), ends);
}

fn connect(memory: &mut Memory, edge_type: &str, strength: Option<f64>, ends: &[(Row, Row)]) {
    let code = memory.index.name(NameKind::EdgeType, edge_type).unwrap();
    let edges: Vec<EdgeChange> = ends
        .iter()
        .map(|&ends| EdgeChange {
            target: Target::New,
            ends: Some(ends),
            edge_type: Some(code),
            strength,
            sequence: None,
        })
        .collect();
    memory.index.link(&edges).unwrap();
}

#[test]
fn a_superseded_memory_stands_behind_its_successor_and_names_it() {
    let mut memory = Memory::new();
    let asked = "Which milk does Mira buy?";
    let rows = corrected(&mut memory, &["Mira buys oat milk every week.", "Now it is soy."]);
    let filters = Filters::default();
    let answers = memory.answers(&question(asked, &filters));
    assert_eq!(answers.iter().map(|it| it.row).collect::<Vec<_>>(), [rows[1], rows[0]]);
    assert_eq!((answers[0].superseded_by, answers[1].superseded_by), (None, Some(rows[1])));
    assert!((answers[0].sum - answers[1].sum - 1.0).abs() < 1e-12);
    for (place, answer) in answers.iter().enumerate() {
        let why = memory.why(answer.row, asked);
        assert_eq!((why.rank, why.superseded_by), (Some(place + 1), answer.superseded_by));
        let all: f64 = why.evidence.iter().map(|it| it.contribution).sum();
        assert!((all - why.sum).abs() < 1e-12, "supersession is among the contributions");
        assert_eq!(why.evidence.iter().filter(|it| it.name == "supersession").count(), 1);
    }
    // Without its successor the memory counts as before.
    memory.index.remove(&rows[1..]);
    let alone = memory.answers(&question(asked, &filters));
    assert_eq!((alone.len(), alone[0].superseded_by), (1, None));
}

#[test]
fn what_is_only_possible_puts_the_newer_of_two_equal_answers_first_and_is_not_told() {
    let mut memory = Memory::new();
    let rows = memory.add(&[
        "Mira buys oat milk every week.",
        "Mira buys soy milk every week.",
        "Mira buys milk.",
        "The bridge is closed in May.",
    ]);
    let asked = "Which milk does Mira buy every week?";
    let before = memory.ranking(asked);
    assert_eq!(before[..2], [rows[0], rows[1]]);
    let unsure = memory.answers(&question(asked, &Filters::default()))[0].score;
    connect(&mut memory, "possibly_supersedes", Some(0.4), &[(rows[1], rows[0])]);
    let filters = Filters::default();
    let answers = memory.answers(&question(asked, &filters));
    assert_eq!([answers[0].row, answers[1].row], [rows[1], rows[0]]);
    for answer in answers {
        assert_eq!((answer.replaced_by, answer.replaces, answer.superseded_by), (None, None, None));
    }
    assert!(memory.index.line(rows[0]).is_empty());
    // The other one stays a rival: an order is no certainty.
    let score = memory.answers(&question(asked, &filters))[0].score;
    assert!(score < unsure + 0.1, "{unsure} became {score}");
    // One that answers far worse, or not at all, is about something else.
    connect(&mut memory, "possibly_supersedes", Some(0.4), &[(rows[3], rows[1])]);
    assert_eq!(memory.ranking(asked)[..2], [rows[1], rows[0]]);
    // What is sure, or likely, decides.
    guess(&mut memory, 0.8, &[(rows[0], rows[1])]);
    assert_eq!(memory.ranking(asked)[..2], [rows[0], rows[1]]);
}

#[test]
fn a_faint_guess_orders_nothing_and_is_listed_behind_surer_ones() {
    let mut memory = Memory::new();
    let rows = memory.add(&[
        "Mira buys oat milk every week.",
        "Mira buys soy milk every week.",
        "Mira buys rice milk every week.",
    ]);
    let asked = "Which milk does Mira buy every week?";
    let filters = Filters::default();
    let before = memory.answers(&question(asked, &filters));
    let pair = [(rows[1], rows[0]), (rows[0], rows[0])];
    connect(&mut memory, "faintly_supersedes", Some(0.1), &pair);
    assert_eq!(memory.answers(&question(asked, &filters)), before);
    connect(&mut memory, "supersedes", Some(1.0), &[(rows[2], rows[1])]);
    connect(&mut memory, "possibly_supersedes", Some(0.4), &[(rows[2], rows[0])]);
    let newer_of = |row| {
        let slots = memory.index.may_supersede(row);
        slots.iter().map(|&slot| memory.index.edge(slot).unwrap().source).collect::<Vec<_>>()
    };
    assert_eq!(newer_of(rows[0]), [rows[2], rows[1]]);
    assert!(newer_of(rows[1]).is_empty());
}

#[test]
fn a_chain_of_corrections_and_a_circle_of_them_end() {
    let mut memory = Memory::new();
    let rows = corrected(&mut memory, &["coffee and tea", "coffee", "cocoa"]);
    assert_eq!(memory.ranking("coffee and tea"), [rows[2], rows[1], rows[0]]);
    supersede(&mut memory, &[(rows[0], rows[2]), (rows[1], rows[1])]);
    assert_eq!(memory.ranking("coffee and tea").len(), 3);
}

#[test]
fn a_guess_orders_two_memories_and_costs_one_place() {
    let mut memory = Memory::new();
    let texts = ["Mira buys oat milk every week.", "Mira buys milk.", "Now it is soy."];
    let rows = memory.add(&texts);
    let (asked, filters) = ("Which milk does Mira buy every week?", Filters::default());
    let before = memory.answers(&question(asked, &filters));
    assert_eq!(before.iter().map(|it| it.row).collect::<Vec<_>>(), rows);
    guess(&mut memory, 0.83, &[(rows[2], rows[0])]);
    let answers = memory.answers(&question(asked, &filters));
    assert_eq!(answers.iter().map(|it| it.row).collect::<Vec<_>>(), [rows[2], rows[0], rows[1]]);
    // The newer one is not above the best of its line, and the older one stays directly behind.
    assert_eq!(answers[0].sum, before[0].sum);
    assert_eq!(answers[1].sum, before[0].sum - 0.25);
    assert_eq!(answers[2].sum, before[1].sum);
    let other = |row: Row| Some(Replacement { row, probability: 0.83 });
    assert_eq!((answers[0].replaced_by, answers[0].replaces), (None, other(rows[0])));
    assert_eq!((answers[1].replaced_by, answers[1].replaces), (other(rows[2]), None));
    assert_eq!(answers[1].superseded_by, None);
    for (place, answer) in answers.iter().enumerate() {
        let why = memory.why(answer.row, asked);
        assert_eq!((why.rank, why.sum), (Some(place + 1), answer.sum));
        let replacements = (answer.replaced_by, answer.replaces);
        assert_eq!((why.replaced_by, why.replaces), replacements);
    }
    // Whoever passes alone counts as before.
    let typed = Filters { created_before: Some(NOW - DAY), ..Filters::default() };
    assert!(memory.answers(&question(asked, &typed)).is_empty());
    // A strength that changes is told from then on; use together does not change it.
    let edge = memory.index.line(rows[0])[0];
    assert!(memory.index.strengthen(&[&rows], 0.1).unwrap().is_empty());
    assert_eq!(memory.index.edge(edge).unwrap().strength, 0.83);
}

#[test]
fn a_question_for_the_past_gets_the_old_value_and_one_for_a_course_all_in_order() {
    let texts =
        ["Mira's rent is 900 euros.", "Mira's rent is 1,000 euros.", "Mira's rent is 1,100 euros."];
    let asked = [
        ("What is Mira's rent?", [2, 1, 0]),
        ("What was Mira's rent before?", [1, 0, 2]),
        ("How did Mira's rent change?", [0, 1, 2]),
        ("What was Mira's rent a week ago?", [1, 0, 2]),
        ("What was Mira's rent two months ago?", [0, 1, 2]),
    ];
    for is_guess in [[false, false], [true, true], [false, true], [true, false]] {
        let mut memory = Memory::new();
        let nodes: Vec<_> = texts
            .iter()
            .zip([90.0, 30.0, 2.0])
            .map(|(text, days)| {
                let made = Some(NOW - days * DAY);
                (NodeChange { created_at: made, ..NODE }, Some(("", *text)))
            })
            .collect();
        let rows = memory.upsert(&nodes).unwrap();
        for (place, is_guess) in is_guess.into_iter().enumerate() {
            let ends = [(rows[place + 1], rows[place])];
            if is_guess { guess(&mut memory, 0.7, &ends) } else { supersede(&mut memory, &ends) }
        }
        for (question, order) in asked {
            let wanted = order.map(|place: usize| rows[place]);
            let found = memory.ranking(question);
            // The first of a line is sure, and behind it a guess costs less than what is sure.
            let count = if is_guess[0] == is_guess[1] { 3 } else { 1 };
            assert_eq!(found[..count], wanted[..count], "{question} {is_guess:?}");
        }
        // What the edges tell does not depend on the question.
        let filters = Filters::default();
        for (question_, _) in asked {
            let answers = memory.answers(&question(question_, &filters));
            let newest = answers.iter().find(|it| it.row == rows[2]).unwrap();
            assert_eq!((newest.superseded_by, newest.replaced_by), (None, None));
            for it in answers.iter().filter(|it| it.row != rows[2]) {
                assert!(it.superseded_by.is_some() != it.replaced_by.is_some());
            }
        }
    }
}

#[test]
fn a_guess_gives_way_to_what_is_sure_and_carries_no_activation() {
    let mut memory = Memory::new();
    let rows = memory.add(&["coffee and tea", "coffee", "cocoa"]);
    let filters = Filters::default();
    // Two guesses that go round in a circle: the last one holds.
    guess(&mut memory, 0.9, &[(rows[1], rows[0]), (rows[0], rows[1])]);
    assert_eq!(memory.ranking("coffee and tea")[..2], rows[..2]);
    // With one that is sure, no guess of the circle counts.
    supersede(&mut memory, &[(rows[1], rows[0])]);
    let answers = memory.answers(&question("coffee and tea", &filters));
    assert_eq!((answers[0].row, answers[0].replaced_by), (rows[1], None));
    // A memory that is superseded is no older memory of a guess.
    guess(&mut memory, 0.9, &[(rows[2], rows[0])]);
    assert_eq!(memory.ranking("coffee and tea")[..2], [rows[1], rows[0]]);
    guess(&mut memory, 0.9, &[(rows[2], rows[1])]);
    assert_eq!(memory.ranking("coffee and tea"), [rows[2], rows[1], rows[0]]);
    let graph = NAMES.iter().position(|name| *name == "graph").unwrap();
    let of_cocoa = |memory: &mut Memory| {
        let answers = memory.answers(&question("coffee and tea", &filters));
        answers.iter().find(|it| it.row == rows[2]).unwrap().evidence.to_array()[graph]
    };
    assert_eq!(of_cocoa(&mut memory), 0.0);
    let other = [(rows[2], rows[1])];
    connect(&mut memory, "relates_to", None, &other);
    assert!(of_cocoa(&mut memory) > 0.0);
}

#[test]
fn few_answers_are_the_first_of_all_answers() {
    // Few answers are found with bounds, and all of them without.
    let words = ["coffee", "tea", "bread", "milk", "deploy", "friday", "mira", "jonas"];
    let long =
        ["the latest coffee with milk", "coffee for mira before", "how did mira deploy over time?"];
    for (round, preset) in ["general", "trading"].into_iter().enumerate() {
        let mut memory = Memory::with(&json!({ "evidence": { "preset": preset } }), usize::MAX);
        let subtypes = ["custom:turn_summary", "custom:signal", "custom:lesson", "custom:playbook"]
            .map(|name| memory.index.name(NameKind::Subtype, name).unwrap());
        let texts: Vec<String> = (0..900)
            .map(|place: usize| {
                let word = |step: usize| words[place * step % 89 % words.len()];
                format!("{} {} {} {}", word(3), word(7), word(31), sentence(place % 400, 3))
            })
            .collect();
        let nodes: Vec<_> = texts
            .iter()
            .zip(0_u32..)
            .map(|(text, place)| {
                let made = NOW - f64::from(place * 37 % 900) * 40.0 * MINUTE;
                let node = NodeChange {
                    sequence: Some(u64::from(place * 61 % 1_000)),
                    created_at: Some(made),
                    last_accessed: Access::At(NOW - f64::from(place * 13 % 50) * DAY),
                    access_count: Some(place * 7 % 40),
                    subtype: Some(subtypes[(place % 4) as usize]),
                    ..NODE
                };
                (node, Some(("", text.as_str())))
            })
            .collect();
        let rows = memory.upsert(&nodes).unwrap();
        for corrections in [0, 120, 700] {
            let ends: Vec<_> =
                (0..corrections).map(|it| (rows[it * 17 % 900], rows[it * 29 % 880])).collect();
            let (sure, guesses) = ends.split_at(corrections / 2);
            supersede(&mut memory, sure);
            guess(&mut memory, 0.8, guesses);
            if round == 1 {
                let shifts = [0.4, -0.3, 0.5, 0.2, -0.1, 0.3];
                let learned = Learned { steps: 9, shifts, ..Learned::default() };
                memory.index.set_learned(learned).unwrap();
            }
            let filters = Filters::default();
            for text in words.iter().chain(&long) {
                let ask = question(text, &filters);
                let all = memory.answers(&ask);
                for limit in [1, 10, 100] {
                    let first = memory.answers(&Ask { limit, ..ask.clone() });
                    assert_eq!(first, all[..limit.min(all.len())], "{preset} {corrections} {text}");
                }
            }
        }
    }
}

/// Words with vectors, of which some are near to others.
const NEAR_WORDS: [(&str, &[f32]); 8] = [
    ("coffee", &[1.0, 0.1, 0.0]),
    ("espresso", &[0.9, 0.3, 0.1]),
    ("tea", &[0.7, 0.7, 0.0]),
    ("bread", &[0.1, 1.0, 0.2]),
    ("deploy", &[-0.8, 0.1, 0.6]),
    ("release", &[-0.7, 0.3, 0.7]),
    ("mira", &[0.0, -1.0, 0.3]),
    ("friday", &[0.1, 0.1, -1.0]),
];

/// Returns whole numbers below a bound, the same ones for the same seed.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

/// A memory whose memories are in long and short runs and alone, with links and corrections. Their
/// rows are in another order than their runs, and some wait for their embedding.
fn runs_of_all_lengths(seed: u64, weights: &serde_json::Value) -> (Memory, Vec<Row>) {
    let mut next = numbers(seed);
    let preset = if next(2) == 0 { "general" } else { "trading" };
    let config = json!({ "evidence": { "preset": preset, "weights": weights } });
    let options = Options {
        dimensions: 2,
        form: VectorForm::F32,
        embedding_id: "test".into(),
        max_bytes: usize::MAX,
    };
    let config = Config::read(&Value::deserialize(&config).unwrap()).unwrap();
    let mut index = MemoryIndex::new(options, config).unwrap();
    index.keep_texts(WordOptions { dimensions: 3, ..WordOptions::default() });
    let vectors = NEAR_WORDS.map(|(word, vector)| (word, vector.to_vec()));
    let mut memory = Memory { index, vectors: HashMap::from(vectors) };

    let count = 331 + next(90);
    let (mut texts, mut clusters, mut embeddings) = (Vec::new(), Vec::new(), Vec::new());
    let mut left = 0;
    for place in 0..count {
        let words: Vec<&str> = (0..next(4)).map(|_| NEAR_WORDS[next(8)].0).collect();
        let rest = if next(9) == 0 { 100 } else { 4 };
        texts.push(format!("{} {}", words.join(" "), sentence(next(40), rest)));
        if left == 0 {
            left = [1, 1, 2, 4, 13, 14, 30, 75][next(8)];
            let name = format!("run {place}");
            clusters.push(memory.index.name(NameKind::Cluster, &name).unwrap());
        } else {
            clusters.push(clusters[place - 1]);
        }
        left -= 1;
        let component = |number: usize| number as f64 / 50.0 - 0.999;
        embeddings.push((next(4) > 0).then(|| [component(next(100)), component(next(100))]));
    }
    let subtypes = ["custom:turn_summary", "custom:signal", "custom:lesson", "custom:playbook"]
        .map(|name| memory.index.name(NameKind::Subtype, name).unwrap());
    // 149 is a prime that divides no count.
    let nodes: Vec<_> = (0..count)
        .map(|row| row * 149 % count)
        .map(|place| {
            let node = NodeChange {
                created_at: Some(NOW - (count - place) as f64 * 50.0 * MINUTE),
                access_count: Some((place * 7 % 40) as u32),
                subtype: Some(subtypes[place % 4]),
                clusters: Some(std::slice::from_ref(&clusters[place])),
                embedding: embeddings[place]
                    .as_ref()
                    .map_or(Embedding::None, |it| Embedding::Given(it)),
                ..NODE
            };
            (node, Some(("", texts[place].as_str())))
        })
        .collect();
    let rows = memory.upsert(&nodes).unwrap();
    let ends: Vec<_> =
        (0..60).map(|_| (rows[next(count)], rows[next(count)])).filter(|(a, b)| a != b).collect();
    connect(&mut memory, "relates_to", None, &ends[..40]);
    if next(2) == 0 {
        supersede(&mut memory, &ends[40..]);
    }
    (memory, rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn bounds_pass_over_no_memory_that_comes_up(
        seed in any::<u64>(),
        words in vec(proptest::sample::select(&NEAR_WORDS[..]), 1..5),
        others in proptest::sample::select(&["", "zebra w7", "latest", "when w3", "w1 w2 w4"][..]),
        weights in vec((0..NAMES.len(), -20..30_i8), 0..7),
        (is_embedded, excludes, filters_out) in any::<(bool, bool, bool)>(),
    ) {
        let weights: HashMap<&str, f64> =
            weights.iter().map(|&(at, it)| (NAMES[at], f64::from(it) / 10.0)).collect();
        let (mut memory, rows) = runs_of_all_lengths(seed, &json!(weights));
        let filters = Filters {
            excluded: if excludes { rows.iter().copied().step_by(9).collect() } else { vec![] },
            created_after: filters_out.then_some(NOW - 14.0 * DAY),
            ..Filters::default()
        };
        let text = words.iter().map(|it| it.0).chain([others]).collect::<Vec<_>>().join(" ");
        let embedding = is_embedded.then_some(&[0.6, -0.8][..]);
        let ask = Ask { embedding, ..question(&text, &filters) };
        // Of all answers every sum is computed.
        let all = memory.answers(&ask);
        for limit in [1, 10, 64] {
            let first = memory.answers(&Ask { limit, ..ask.clone() });
            prop_assert_eq!(&first[..], &all[..limit.min(all.len())]);
        }
        for (place, answer) in all.iter().enumerate().step_by(29) {
            let why = memory.run(&ask, |index, ask, embed| index.why(answer.row, ask, None, embed));
            prop_assert_eq!(why.unwrap().rank, Some(place + 1));
        }
    }
}

// ---- changes, folds, memory ---------------------------------------------------------------------

#[test]
fn a_text_replaces_the_one_before_and_an_empty_one_removes_it() {
    let mut memory = Memory::new();
    let row = memory.add(&["coffee"])[0];
    memory.set(row, "Breakfast", "bread");
    let values = memory.evidence("coffee")[&row];
    assert_eq!((values.bm, values.cov), (0.0, 0.0));
    assert_is(memory.evidence("breakfast")[&row].titlecov, 1.0, "titlecov");
    memory.set(row, "", " … ");
    assert!(!memory.index.has_text(row) && memory.index.texts() == 0);
    assert!(memory.ranking("bread").is_empty());
    memory.set(row, "", "tea");
    memory.index.remove(&[row]);
    assert_eq!(memory.index.texts(), 0);
    assert!(memory.ranking("tea").is_empty());
}

#[test]
fn of_a_batch_that_names_a_memory_twice_the_last_text_stays() {
    let mut memory = Memory::new();
    let again = NodeChange { target: Target::Entry(0), ..NODE };
    let rows = memory
        .upsert(&[(NODE, Some(("", "coffee"))), (again, Some(("", "bread"))), (again, None)])
        .unwrap();
    assert_eq!(memory.index.texts(), 1);
    assert_is(memory.evidence("bread")[&rows[0]].bm, 1.0, "bm");
    assert_is(memory.evidence("coffee")[&rows[0]].bm, 0.0, "bm");
}

#[test]
fn removed_passages_are_folded_away_and_answers_stay() {
    let mut memory = Memory::with_vectors(&[("coffee", &[1.0, 0.5]), ("tea", &[0.9, 0.6])]);
    memory.add(&["Mira drinks coffee.", "Jonas drinks tea.", "Bread is baked."]);
    let questions = ["coffee", "Who drinks tea?", "bakery", "espresso"];
    let before = questions.map(|question| memory.evidence(question));
    let long = |round: usize| -> String {
        (0..30).map(|place| sentence(round * 2_000 + place * 40, 40) + " ").collect()
    };
    let mut max = 0;
    let row = memory.add(&[&long(0)])[0];
    for round in 1..100 {
        memory.set(row, "", &long(round));
        if round < 40 {
            max = memory.index.bytes().texts.max(max);
        }
    }
    // 3,000 passages and 120,000 words came and went.
    assert!(memory.index.bytes().texts < max + max / 4, "{} {max}", memory.index.bytes().texts);
    memory.index.remove(&[row]);
    for (question, before) in questions.iter().zip(before) {
        assert_eq!(memory.evidence(question), before, "{question}");
    }
}

#[test]
fn a_batch_that_has_no_room_changes_nothing() {
    let mut memory = Memory::with(&json!({}), 8 << 20);
    let rows = memory.add(&["coffee", "bread"]);
    let (before, bytes) = (memory.evidence("coffee"), memory.index.bytes());
    let large: String = (0..400).map(|place| sentence(place * 1_000, 1_000) + "\n").collect();
    let change = NodeChange { target: Target::There(rows[0]), access_count: Some(9), ..NODE };
    let refused =
        memory.upsert(&[(change, Some(("", "tea"))), (NODE, Some(("tea", &large)))]).unwrap_err();
    assert_eq!((refused.code(), refused.field()), ("out_of_memory", "texts"));
    assert_eq!(memory.index.len(), 2);
    assert_eq!(memory.index.node(rows[0]).unwrap().access_count, 0);
    assert_eq!(memory.evidence("coffee"), before);
    assert_eq!(memory.evidence("tea").values().map(|it| it.bm).sum::<f64>(), 0.0);
    assert_eq!(memory.index.bytes().nodes, bytes.nodes);
}

#[test]
fn texts_count_against_the_bound_until_it_is_reached() {
    let bound = 6 << 20;
    let mut memory = Memory::with(&json!({}), bound);
    let mut stored = 0;
    let refused = loop {
        let text = sentence(stored * 300, 300);
        match memory.upsert(&[(NODE, Some(("", &text)))]) {
            Ok(_) => stored += 1,
            Err(refused) => break refused,
        }
        assert!(stored < 10_000);
    };
    assert_eq!(refused.code(), "out_of_memory");
    assert!(stored > 5, "{stored} texts of 300 words");
    let used = memory.index.bytes();
    assert!(used.texts > bound / 8 && used.texts + used.nodes_capacity < bound, "{used:?}");
    // A full index still answers.
    assert_eq!(memory.ranking("w7")[0], 0);
}

// ---- why ----------------------------------------------------------------------------------------

fn check_why(why: &Why) {
    let all: f64 = why.evidence.iter().map(|it| it.contribution).sum();
    assert!((all - why.sum).abs() < 1e-12, "{all} {}", why.sum);
    // In the order of the lanes the sum is exact.
    let mut lanes = [0.0; 4];
    for (kind, name) in NAMES.iter().enumerate() {
        if let Some(found) = why.evidence.iter().find(|it| it.name == *name) {
            assert_is(found.contribution, found.value * found.weight, name);
            lanes[kind % 4] += found.contribution;
        }
    }
    assert_is((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), why.sum, "sum");
    let expected = 1.0 / (1.0 + (-(why.scale * why.sum + why.offset)).exp());
    assert!((why.score - expected).abs() < 1e-15);
    assert!(why.evidence.is_sorted_by(|one, other| one.contribution >= other.contribution));
    assert!(why.evidence.iter().all(|it| it.value != 0.0));
}

#[test]
fn reasons_are_refused_for_a_memory_without_a_text() {
    let mut memory = Memory::new();
    memory.add(&["coffee"]);
    let row = memory.upsert(&[(NODE, None)]).unwrap()[0];
    let filters = Filters::default();
    for row in [row, 99] {
        let refused = memory.run(&question("coffee", &filters), |index, ask, embed| {
            index.why(row, ask, None, embed)
        });
        assert_eq!(refused.unwrap_err().field(), "id", "{row}");
    }
}

const VOCABULARY: [&str; 14] = [
    "coffee",
    "coffees",
    "bread",
    "moved",
    "moving",
    "Lisbon",
    "dentist",
    "the",
    "was",
    "May 2025",
    "yesterday",
    "three",
    "invoice",
    "paid",
];

fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = proptest::sample::select(&VOCABULARY[..]);
    vec(vec(word, 0..60).prop_map(|words| words.join(" ")), 1..25)
}

fn asked() -> impl Strategy<Value = String> {
    let words = [&VOCABULARY[..], &["cofee", "dentit", "zebra", "When", "how many"]].concat();
    vec(proptest::sample::select(words), 0..6).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_first_answers_do_not_depend_on_the_limit(texts in texts(), asked in asked()) {
        let mut memory = Memory::new();
        memory.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let filters = Filters::default();
        let all = memory.answers(&question(&asked, &filters));
        prop_assert!(all.len() <= memory.index.texts());
        for limit in 0..all.len() {
            let some = memory.answers(&Ask { limit, ..question(&asked, &filters) });
            prop_assert_eq!(&some[..], &all[..limit]);
        }
    }

    #[test]
    fn among_some_memories_the_answers_are_theirs_of_all(
        texts in texts(),
        copies in 0..120_usize,
        ends in vec((0..1_000_usize, 0..1_000_usize), 0..8),
        asked in asked(),
        seed in any::<u64>(),
        (limit, diversity) in (0..90_usize, 0..3_u8),
        (min_score, one_in) in (0..4_u8, 1..40_u64),
    ) {
        let mut memory = Memory::new();
        let texts: Vec<String> = texts
            .iter()
            .cycle()
            .take(if texts.is_empty() { 0 } else { texts.len() + copies })
            .enumerate()
            .map(|(place, text)| format!("{text} w{}", place / 3))
            .collect();
        let rows = memory.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        if !rows.is_empty() {
            let ends: Vec<_> =
                ends.iter().map(|&(a, b)| (rows[a % rows.len()], rows[b % rows.len()])).collect();
            supersede(&mut memory, &ends);
        }
        let filters = Filters::default();
        let all = Ask {
            diversity: f64::from(diversity) / 2.0,
            min_score: f64::from(min_score) / 20.0,
            ..question(&asked, &filters)
        };
        let mut some: Vec<Row> = rows
            .into_iter()
            .filter(|&row| {
                let mixed = (u64::from(row) ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (mixed >> 32) % one_in == 0
            })
            .collect();
        let mut expected = memory.answers(&all);
        expected.retain(|answer| some.contains(&answer.row));
        expected.truncate(limit);
        // A row without a memory, and one that is named twice.
        some.extend([u32::MAX, *some.first().unwrap_or(&0)].iter().take(some.len()));
        prop_assert_eq!(memory.answers(&Ask { limit, among: Some(&some), ..all }), expected);
    }

    #[test]
    fn reasons_add_up_to_the_sum_of_the_answer(texts in texts(), asked in asked()) {
        let mut memory = Memory::new();
        memory.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let filters = Filters::default();
        for (place, answer) in memory.answers(&question(&asked, &filters)).iter().enumerate() {
            let why = memory.why(answer.row, &asked);
            check_why(&why);
            prop_assert_eq!(why.rank, Some(place + 1));
            prop_assert_eq!((why.sum, why.score), (answer.sum, answer.score));
        }
    }

    #[test]
    fn a_text_that_is_removed_and_comes_again_changes_nothing(
        texts in texts(),
        asked in asked(),
        place in 0_usize..25,
    ) {
        let mut memory = Memory::new();
        let rows = memory.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let before = memory.evidence(&asked);
        let place = place % texts.len();
        memory.set(rows[place], "", "");
        memory.evidence(&asked);
        memory.set(rows[place], "", &texts[place]);
        prop_assert_eq!(memory.evidence(&asked), before);
    }
}

// ---- answers that are alike ---------------------------------------------------------------------

/// Adds memories with these texts, no two of which are in one run.
fn add_apart(memory: &mut Memory, texts: &[&str]) -> Vec<Row> {
    let made = |at: usize| Some(NOW - 100.0 * MINUTE * at as f64);
    let nodes: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, &text)| (NodeChange { created_at: made(at), ..NODE }, Some(("", text))))
        .collect();
    memory.upsert(&nodes).unwrap()
}

/// Returns words with ten others that only this text holds.
fn about(words: &str, first: usize) -> String {
    format!("{words} {}", sentence(first, 10))
}

#[test]
fn a_memory_that_repeats_a_better_one_stands_behind_the_others_and_names_it() {
    let mut memory = Memory::new();
    let deploy = |number: &str| format!("Deploy {number} is out and {}", sentence(100, 20));
    let (one, other) = (deploy("118"), deploy("119"));
    let texts = [&one, &one, &other, &about("deploy", 0), &about("deploy", 20)];
    let rows = add_apart(&mut memory, &texts.map(|it| it.as_str()));
    let filters = Filters::default();
    let answers = memory.answers(&question("deploy out", &filters));
    let copy = answers.last().unwrap();
    assert_eq!((copy.row, copy.similar_to), (rows[1], Some(rows[0])));
    // Another number is another memory.
    assert_eq!(answers[..2].iter().map(|it| it.row).collect::<Vec<_>>(), [rows[0], rows[2]]);
    assert!(answers[..4].iter().all(|it| it.similar_to.is_none()));
    assert_eq!(memory.why(rows[1], "deploy out").rank, Some(5));
    assert_eq!(memory.why(rows[1], "deploy out").similar_to, Some(rows[0]));
}

#[test]
fn diversity_moves_a_memory_behind_one_that_says_something_else() {
    let mut memory = Memory::new();
    let twin = about("coffee bread jam", 0);
    let like = format!("{twin} tea w50 w51 w52");
    let rows = add_apart(&mut memory, &[&twin, &like, &about("coffee bread", 80)]);
    let filters = Filters::default();
    let plain = question("coffee bread jam", &filters);
    let order = |memory: &mut Memory, diversity: f64| -> Vec<(Row, Option<Row>)> {
        let ask = Ask { diversity, ..plain.clone() };
        memory.answers(&ask).iter().map(|it| (it.row, it.similar_to)).collect()
    };
    assert_eq!(order(&mut memory, 0.0), [(rows[0], None), (rows[1], None), (rows[2], None)]);
    let moved = [(rows[0], None), (rows[2], None), (rows[1], Some(rows[0]))];
    assert_eq!(order(&mut memory, 1.0), moved);
}

#[test]
fn the_first_answers_do_not_depend_on_the_limit_whatever_the_diversity() {
    let mut memory = Memory::new();
    let texts: Vec<String> =
        (0..150).map(|at| format!("coffee {} w{}", sentence(at % 9 * 12, 12), at % 40)).collect();
    memory.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let filters = Filters::default();
    for diversity in [0.0, 0.3, 1.0] {
        let ask = Ask { diversity, ..question("coffee w3 w7", &filters) };
        let all = memory.answers(&ask);
        assert_eq!(all.len(), 150);
        assert!(all.iter().any(|it| it.similar_to.is_some()));
        for limit in [1, 5, 10, 63, 64, 65, 149] {
            assert_eq!(memory.answers(&Ask { limit, ..ask.clone() }), all[..limit]);
        }
        for (place, answer) in all.iter().enumerate().step_by(10) {
            let why = memory.run(&ask, |index, ask, embed| index.why(answer.row, ask, None, embed));
            let why = why.unwrap();
            assert_eq!((why.rank, why.similar_to), (Some(place + 1), answer.similar_to));
        }
    }
    for wrong in [-0.1, 1.1, f64::NAN] {
        let ask = Ask { diversity: wrong, ..question("coffee", &filters) };
        let refused = memory.run(&ask, |index, ask, embed| index.ask(ask, embed)).unwrap_err();
        assert_eq!(refused.field(), "diversity");
    }
}

// ---- places in a text ---------------------------------------------------------------------------

#[test]
fn reasons_say_where_a_text_holds_words_and_passage() {
    let mut memory = Memory::new();
    let (title, body) = ("Größe 🙂 of the house", "She moved house. 比特币价格 moves, naïve.");
    let rows = memory.upsert(&[(NODE, Some((title, body)))]).unwrap();
    let filters = Filters::default();
    let ask = question("move houses 币价", &filters);
    let text = Text { title, body, event: None, utc_offset: 0.0 };
    let why =
        memory.run(&ask, |index, ask, embed| index.why(rows[0], ask, Some(&text), embed)).unwrap();
    let slice = |span: &Span| {
        let part = if span.field == Field::Title { title } else { body };
        let units: Vec<u16> = part.encode_utf16().collect();
        String::from_utf16(&units[span.start as usize..span.end as usize]).unwrap()
    };
    let found: Vec<(String, Vec<String>)> = why
        .words
        .iter()
        .map(|it| (it.asked.clone(), it.spans.as_ref().unwrap().iter().map(slice).collect()))
        .collect();
    let of = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert_eq!(found[0], ("move".to_owned(), of(&["moved", "moves"])));
    assert_eq!(found[1], ("houses".to_owned(), of(&["house", "house"])));
    assert_eq!(found[2], ("币价".to_owned(), of(&["币价"])));
    let passage: Vec<String> = why.passage.spans.unwrap().iter().map(slice).collect();
    assert_eq!(passage, [title, &body[..body.len() - 1]]);
    for (title, body) in [("", body), (title, ""), (title, "She moved house. 比特币价格 moves.")]
    {
        let other = Text { title, body, event: None, utc_offset: 0.0 };
        let refused = memory
            .run(&ask, |index, ask, embed| index.why(rows[0], ask, Some(&other), embed))
            .unwrap_err();
        assert_eq!(refused.field(), "text");
    }
}

// ---- what memories are like, and learning from use ----------------------------------------------

impl Memory {
    fn learn(&mut self, text: &str, rows: &[Row], used: &[Row]) -> Step {
        let unused: Vec<Row> = rows.iter().copied().filter(|row| !used.contains(row)).collect();
        let feedback = Feedback {
            text,
            embedding: None,
            embedding_scale: None,
            now: NOW,
            used,
            unused: &unused,
        };
        self.index.learn(&feedback, &mut |_, _| false).unwrap()
    }
}

#[test]
fn traits_say_what_a_memory_is_like() {
    let mut memory = Memory::new();
    let texts =
        ["Who drinks tea?", "Mira drinks three cups.", "tea tea", "Tea. Mira and Jonas drink Tea"];
    let rows = memory.talk(&texts);
    let all = memory.evidence("coffee");
    let of = |row: usize| all[&rows[row]];
    let by_row = |of: fn(&Values) -> f64| rows.iter().map(|row| of(&all[row])).collect::<Vec<_>>();
    assert_eq!(by_row(|it| it.qm), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(by_row(|it| it.prevq), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(by_row(|it| it.num), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(by_row(|it| it.pos), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
    assert_eq!(of(1).cap, 0.25);
    assert_eq!(of(2).cap, 0.0);
    assert!(of(2).len < of(0).len && of(0).len < 0.0);
    let long = memory.add(&[&sentence(0, 20), &sentence(20, 900)]);
    let all = memory.evidence("coffee");
    assert_eq!((all[&long[0]].len, all[&long[1]].len), (0.0, 1.5));
}

#[test]
fn traits_connect_no_memory_with_a_question() {
    let config = json!({ "evidence": { "weights": { "qm": 9.0, "cap": 9.0, "pos": 9.0 } } });
    let mut memory = Memory::with(&config, usize::MAX);
    memory.add(&["Who? Mira?", "Tea."]);
    assert!(memory.ranking("xylophone").is_empty());
}

#[test]
fn traits_without_a_weight_are_no_evidence_of_an_answer() {
    let mut memory = Memory::new();
    let rows = memory.add(&["Does Mira drink tea?"]);
    let filters = Filters::default();
    let before = memory.answers(&question("tea", &filters))[0];
    assert_eq!((before.evidence.qm, before.evidence.len), (0.0, 0.0));
    assert_eq!(memory.evidence("tea")[&rows[0]].qm, 1.0);
}

#[test]
fn memories_like_the_used_ones_rank_higher_after_learning() {
    let mut memory = Memory::new();
    let rows = memory.add(&["Tea for Mira?", "Tea for Mira."]);
    assert_eq!(memory.ranking("tea Mira"), rows);
    let mut before = 0.0;
    for _ in 0..20 {
        let step = memory.learn("tea Mira", &rows, &rows[1..]);
        assert_eq!(step.counted, 2);
        let learned = *memory.index.learned();
        assert!(step.moved[0] < 0.0, "questions were not used");
        assert_is(learned.shifts[0], before + step.moved[0], "moved");
        before = learned.shifts[0];
    }
    assert_eq!(memory.index.learned().steps, 20);
    assert_eq!(memory.ranking("tea Mira"), [rows[1], rows[0]]);
    let why = memory.why(rows[0], "tea Mira");
    let qm = why.evidence.iter().find(|it| it.name == "qm").unwrap();
    assert_eq!(qm.weight, before);
    memory.index.set_learned(Learned::default()).unwrap();
    assert_eq!(memory.ranking("tea Mira"), rows);
}

#[test]
fn what_was_learned_stays_within_its_bounds_and_fades() {
    let mut memory = Memory::new();
    let rows = memory.add(&["Tea for Mira?", "Tea for Mira."]);
    for _ in 0..2_000 {
        memory.learn("tea Mira", &rows, &rows[..1]);
    }
    let max = memory.index.learned().shifts[0];
    assert!(max > 0.5 && max <= 2.0, "{max}");
    for _ in 0..200 {
        memory.learn("tea Mira", &rows, &rows[1..]);
    }
    assert!(memory.index.learned().shifts[0] < 0.0);
}

#[test]
fn feedback_that_tells_nothing_apart_teaches_nothing() {
    let mut memory = Memory::new();
    let rows = memory.add(&["Tea?", "Tea."]);
    let bare = memory.upsert(&[(NODE, None)]).unwrap()[0];
    for used in [&[] as &[Row], &rows, &[bare]] {
        assert_eq!(memory.learn("tea", &[rows[0], rows[1], bare], used), Step::default());
    }
    assert_eq!(*memory.index.learned(), Learned::default());
}

#[test]
fn learning_does_not_raise_the_scores_of_all_memories_shown() {
    let mut memory = Memory::new();
    let texts: Vec<String> = (0..6).map(|n| format!("Tea {}", "again ".repeat(4 * n))).collect();
    let rows = memory.add(&texts.iter().map(|it| &it[..]).collect::<Vec<_>>());
    let filters = Filters::default();
    let logits = |memory: &mut Memory| -> f64 {
        let answers = memory.answers(&question("tea", &filters));
        answers.iter().map(|it| (it.score / (1.0 - it.score)).ln()).sum()
    };
    let before = logits(&mut memory);
    for _ in 0..50 {
        memory.learn("tea", &rows, &rows[4..]);
    }
    let learned = *memory.index.learned();
    assert!(learned.shifts[2] > 0.1);
    // The best sum rises more than the mean. Nothing else moves the mean of the logits.
    let max = learned.shifts[2] * (1.5 - learned.means[2]);
    let moved = (logits(&mut memory) - before) / rows.len() as f64;
    assert!(moved <= 1e-9 && moved >= GENERAL.of_best * max, "{moved} {max}");
}

#[test]
fn other_weights_count_from_the_next_question_on_and_learning_stays() {
    let evidence = json!({ "evidence": {
        "preset": "trading",
        "weights": { "qm": 0.5, "len": -3.0, "p_soft": 0.25 },
    } });
    let texts = ["Tea for Mira?", "Green tea for Mira, every morning.", "Mira met Jonas."];
    let said = |memory: &mut Memory, rows: &[Row]| {
        let filters = Filters::default();
        let answers = memory.answers(&question("tea Mira", &filters));
        let why: Vec<Why> = rows.iter().map(|&row| memory.why(row, "tea Mira")).collect();
        (answers, why, *memory.index.learned())
    };
    let [mut weighed, mut made] = [json!({}), evidence.clone()].map(|config| {
        let mut memory = Memory::with(&config, usize::MAX);
        memory.add(&texts);
        memory
    });
    let rows: Vec<Row> = (0..texts.len() as Row).collect();
    weighed.learn("tea Mira", &rows, &rows[1..2]);
    made.index.set_learned(*weighed.index.learned()).unwrap();
    let general = said(&mut weighed, &rows);
    let fit = Config::read(&Value::deserialize(&evidence).unwrap()).unwrap().evidence;
    weighed.index.weigh(fit);
    let after = said(&mut weighed, &rows);
    assert_eq!(after, said(&mut made, &rows));
    assert_ne!(after.0, general.0);
    weighed.index.weigh(Preset::General.fits());
    assert_eq!(said(&mut weighed, &rows), general);
}

// ---- embeddings ---------------------------------------------------------------------------------

/// A memory whose nodes have embeddings of two components; `None` for one that waits.
fn embedded(nodes: &[(&str, Option<[f64; 2]>)]) -> (Memory, Vec<Row>) {
    let options = Options {
        dimensions: 2,
        form: VectorForm::F32,
        embedding_id: "test".into(),
        max_bytes: usize::MAX,
    };
    let index = MemoryIndex::new(options, Config::default()).unwrap();
    let mut memory = Memory { index, vectors: HashMap::new() };
    let batch: Vec<_> = nodes
        .iter()
        .map(|(text, components)| {
            let embedding = components.as_ref().map_or(Embedding::None, |it| Embedding::Given(it));
            (NodeChange { embedding, ..NODE }, Some(("", *text)))
        })
        .collect();
    let rows = memory.upsert(&batch).unwrap();
    (memory, rows)
}

fn asked_with<'a>(text: &'a str, embedding: &'a [f64], filters: &'a Filters) -> Ask<'a> {
    Ask { embedding: Some(embedding), ..question(text, filters) }
}

#[test]
fn meaning_counts_the_more_the_less_of_the_question_any_memory_holds() {
    let (mut memory, rows) = embedded(&[
        ("She prefers tea.", Some([1.0, 0.0])),
        ("The ferry is late.", Some([0.0, 1.0])),
        ("A coat hangs there.", Some([0.6, 0.8])),
    ]);
    let filters = Filters::default();
    let mut of = |text: &str| {
        let ask = asked_with(text, &[1.0, 0.0], &filters);
        let values = memory.evidence_for(&ask)[&rows[2]];
        let why = memory.run(&ask, |index, ask, embed| index.why(rows[2], ask, None, embed));
        (values, why.unwrap().meaning.unwrap())
    };
    let weights = GENERAL_EMBEDDED.weights;
    for (text, unheld) in [("beverage", 1.0), ("ferry", 0.0)] {
        let (values, meaning) = of(text);
        assert!((values.emb - 0.6).abs() < 1e-6, "{text}");
        assert_is(meaning.unheld, unheld, text);
        assert_is(values.emb_unheld, values.emb * unheld, text);
        // Here words hold all of a question or nothing, so that they fail it as much as they are missing.
        assert_is(values.emb_rank, 5.0 / 6.0 * unheld, text);
        assert_is(values.emb_unlike, values.emb * meaning.unlike, text);
        assert_is(values.ses_unheld, values.ses_emb * unheld, text);
        let gated = weights.emb_unheld * unheld + weights.emb_unlike * meaning.unlike;
        assert!((meaning.weight - (weights.emb + gated)).abs() < 1e-12, "{text}");
    }
    // The three were made at one instant: they are a run.
    let (values, _) = of("ferry");
    assert!((values.ses_emb - 1.0).abs() < 1e-6);
    assert!((values.nb_emb - (1.0 / 2.0 + 0.0)).abs() < 1e-6);
    let ask = asked_with("beverage", &[1.0, 0.0], &filters);
    let best: Vec<Row> = memory.answers(&ask).iter().map(|answer| answer.row).collect();
    assert_eq!(best[0], rows[0], "no word is held, so that meaning decides");
}

#[test]
fn where_words_fail_the_place_of_a_cosine_among_those_that_may_be_found_counts() {
    let mut memory = Memory::new();
    memory.index = MemoryIndex::new(
        Options {
            dimensions: 2,
            form: VectorForm::F32,
            embedding_id: "".into(),
            max_bytes: usize::MAX,
        },
        Config::default(),
    )
    .unwrap();
    memory.index.keep_texts(WordOptions::default());
    let tag = memory.index.name(NameKind::Tag, "kept").unwrap();
    // The cosine falls with the place; the third and the fourth have the same one.
    let cosine = |place: usize| 0.99 - 0.01 * (if place == 3 { 2 } else { place }) as f64;
    let embeddings: Vec<[f64; 2]> =
        (0..60).map(|place| [cosine(place), (1.0 - cosine(place).powi(2)).sqrt()]).collect();
    let tags = [tag];
    let batch: Vec<_> = embeddings
        .iter()
        .enumerate()
        .map(|(place, embedding)| {
            let embedding = Embedding::Given(embedding);
            // All but the first may be found under the filter.
            let tags = (place > 0).then_some(&tags[..]);
            (NodeChange { embedding, tags, ..NODE }, Some(("", "The ferry is late.")))
        })
        .collect();
    let rows = memory.upsert(&batch).unwrap();
    let all = Filters::default();
    let kept = Filters { tags_all: vec![tag], ..Filters::default() };
    let mut ranks = |text: &str, filters: &Filters| -> Vec<f64> {
        let evidence = memory.evidence_for(&asked_with(text, &[1.0, 0.0], filters));
        rows.iter().map(|row| evidence.get(row).map_or(f64::NAN, |it| it.emb_rank)).collect()
    };
    let of = |place: usize| 5.0 / (5.0 + place as f64);
    let found = ranks("beverage", &all);
    assert_eq!(found[..6], [of(0), of(1), of(2), of(2), of(4), of(5)]);
    assert_is(found[49], of(49), "the fiftieth");
    assert_is(found[50], 0.0, "the fifty-first");
    let found = ranks("beverage", &kept);
    assert!(found[0].is_nan(), "the filter excludes the first");
    assert_eq!(found[1..4], [of(0), of(1), of(1)]);
    assert_is(found[50], of(49), "the fiftieth under the filter");
    assert!(ranks("ferry", &all).iter().all(|&rank| rank == 0.0), "words do not fail");
}

#[test]
fn a_cosine_counts_by_its_place_between_unrelated_and_related_texts() {
    let vector = |cosine: f64| [cosine, (1.0 - cosine * cosine).sqrt()];
    let cosines = [-1.0, -0.2, 0.0, 0.3, 0.7, 0.78, 0.8, 0.9, 1.0];
    let nodes = cosines.map(|cosine| ("She prefers tea.", Some(vector(cosine))));
    let (mut memory, rows) = embedded(&nodes);
    let filters = Filters::default();
    let mut of = |of_unrelated: f64, of_related: f64| {
        let embedding_scale = Some(EmbeddingScale { of_unrelated, of_related });
        let ask = Ask { embedding_scale, ..asked_with("coat", &[1.0, 0.0], &filters) };
        let all = memory.evidence_for(&ask);
        rows.iter().map(|row| all[row].emb).collect::<Vec<f64>>()
    };
    // The fitted scale changes nothing.
    let (low, high) = (0.058, 0.435);
    let own = of(low, high);
    assert!(own.iter().zip(cosines).all(|(value, cosine)| (value - cosine).abs() < 1e-6));
    for (unrelated, related) in [(0.75, 0.81), (-0.3, 1.0), (0.0, 0.2)] {
        let values = of(unrelated, related);
        assert!(values.is_sorted() && values.iter().all(|value| value.abs() <= 1.0));
        for (value, cosine) in values.iter().zip(cosines) {
            let place = (cosine - unrelated) / (related - unrelated);
            let expected = low + place * (high - low);
            assert!((value - expected.clamp(-1.0, 1.0)).abs() < 1e-5, "{cosine}");
        }
    }
    let refused = |of_unrelated: f64, of_related: f64| {
        let (mut memory, _) = embedded(&nodes);
        let embedding_scale = Some(EmbeddingScale { of_unrelated, of_related });
        let ask = Ask { embedding_scale, ..asked_with("coat", &[1.0, 0.0], &filters) };
        memory.run(&ask, |index, ask, embed| index.ask(ask, embed)).unwrap_err().field().to_owned()
    };
    for wrong in [-1.01, 1.01, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(wrong, 1.0), "embedding_scale.of_unrelated", "{wrong}");
    }
    for wrong in [0.5, 0.1, 1.01, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(0.5, wrong), "embedding_scale.of_related", "{wrong}");
    }
}

#[test]
fn learning_weighs_the_evidence_that_the_answer_was_ranked_by() {
    let nodes = [
        ("She prefers tea. It is warm.", Some([1.0, 0.0])),
        ("The ferry is late?", Some([0.0, 1.0])),
    ];
    let learned = |embedding: Option<&[f64]>| {
        let (mut memory, rows) = embedded(&nodes);
        let feedback = Feedback {
            text: "beverage",
            embedding,
            embedding_scale: None,
            now: NOW,
            used: &rows[..1],
            unused: &rows[1..],
        };
        memory.index.learn(&feedback, &mut |_, _| false).unwrap().moved
    };
    let [without, with, against] =
        [None, Some(&[1.0, 0.0][..]), Some(&[0.0, 1.0])].map(|it| learned(it)[0].abs());
    assert!(with < without, "the used memory stood first: there is less to learn");
    assert!(against > without, "it stood last: there is more");
}

#[test]
fn a_memory_that_waits_for_its_embedding_gets_an_estimate() {
    let (mut memory, rows) = embedded(&[
        ("She prefers tea.", Some([1.0, 0.0])),
        ("The ferry is late.", None),
        ("Another text.", None),
    ]);
    let filters = Filters::default();
    let ask = asked_with("ferry", &[1.0, 0.0], &filters);
    let all = memory.evidence_for(&ask);
    assert!(all[&rows[1]].emb > all[&rows[2]].emb, "more words, a higher estimate");
    assert!(all[&rows[2]].emb > 0.0);
    for (row, is_estimated) in rows.iter().zip([false, true, true]) {
        let why = memory.run(&ask, |index, ask, embed| index.why(*row, ask, None, embed)).unwrap();
        assert_eq!(why.meaning.unwrap().is_estimated, is_estimated);
    }
    // Without any embedding there is nothing to compare with: as if the question had none.
    let (mut memory, rows) = embedded(&[("She prefers tea.", None), ("The ferry is late.", None)]);
    let answers = memory.answers(&ask);
    assert_eq!(answers, memory.answers(&question("ferry", &filters)));
    let why = memory.run(&ask, |index, ask, embed| index.why(rows[0], ask, None, embed));
    assert_eq!(why.unwrap().meaning, None);
}

#[test]
fn an_embedding_that_cannot_be_compared_is_refused() {
    let (mut memory, _) = embedded(&[("She prefers tea.", Some([1.0, 0.0]))]);
    let filters = Filters::default();
    for wrong in [&[1.0][..], &[1.0, 0.0, 0.0], &[0.0, 0.0], &[f64::NAN, 1.0], &[]] {
        let ask = asked_with("tea", wrong, &filters);
        let refused = memory.run(&ask, |index, ask, embed| index.ask(ask, embed)).unwrap_err();
        assert_eq!(refused.field(), "embedding", "{wrong:?}");
    }
}

#[test]
fn sections_that_are_disabled_weigh_nothing() {
    let of = |config: serde_json::Value| {
        let mut memory = Memory::with(&config, usize::MAX);
        let rows = memory.add(&["Mira drinks tea."]);
        let config = Config::read(&Value::deserialize(&config).unwrap()).unwrap();
        let before = memory.why(rows[0], "tea Mira").sum;
        memory.index.weigh(config.evidence);
        assert_eq!(memory.why(rows[0], "tea Mira").sum, before);
        before
    };
    let weights = |knowledge: f64| {
        json!({ "preset": "trading", "weights": {
            "recency_episodic": knowledge, "recency_signals": knowledge,
            "recency_knowledge": knowledge, "recency_procedural": knowledge,
        } })
    };
    let off = json!({ "enabled": false });
    let plain = of(json!({ "sections": off, "evidence": weights(0.0) }));
    assert_eq!(of(json!({ "sections": off, "evidence": weights(3.0) })), plain);
    assert_ne!(of(json!({ "evidence": weights(3.0) })), plain);
}

#[test]
fn learned_numbers_out_of_range_are_refused() {
    let mut memory = Memory::new();
    let mut learned = Learned { steps: 1, ..Learned::default() };
    learned.shifts[2] = 2.5;
    let error = memory.index.set_learned(learned).unwrap_err();
    assert_eq!(error.field(), "learned");
    learned.shifts[2] = f64::NAN;
    assert!(memory.index.set_learned(learned).is_err());
    assert_eq!(*memory.index.learned(), Learned::default());
}
