//! The full-text index: searches, replacing, removal and sweeping against a plain model, valid and
//! forged snapshots, and the bound on its memory.

use nous_wasm::columns::Row;
use nous_wasm::full_text::{MAX_TERMS, TERMS_READ, TextEntry, TextHit, TextIndex, TextRestoring};
use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh64::xxh64;

type Columns = [String; 3];

fn index() -> TextIndex {
    TextIndex::new(usize::MAX)
}

fn add(index: &mut TextIndex, row: Option<Row>, columns: &Columns) -> Row {
    let columns = [&*columns[0], &*columns[1], &*columns[2]];
    index.upsert(&[TextEntry { row, columns }]).unwrap()[0]
}

fn of(texts: &[&str]) -> TextIndex {
    let mut index = index();
    for text in texts {
        add(&mut index, None, &[String::new(), String::new(), text.to_string()]);
    }
    index
}

fn rows(hits: &[TextHit]) -> Vec<Row> {
    hits.iter().map(|hit| hit.row).collect()
}

fn found(index: &mut TextIndex, question: &[&str]) -> Vec<Row> {
    rows(&index.search(question, usize::MAX, None).unwrap())
}

/// Texts of lower-case words between spaces, by row.
#[derive(Debug, Default)]
struct Plain {
    texts: Vec<Option<Columns>>,
}

impl Plain {
    fn there(&self) -> impl Iterator<Item = (Row, &Columns)> {
        self.texts.iter().zip(0..).filter_map(|(text, row)| Some((row, text.as_ref()?)))
    }

    /// Counts the occurrences of a term in a text. Its words follow each other, and the last is a
    /// prefix.
    fn times(columns: &Columns, term: &str) -> usize {
        let term: Vec<&str> = term.split('_').collect();
        let in_column = |column: &String| {
            let words: Vec<&str> = column.split_whitespace().collect();
            let follows = |window: &&[&str]| {
                let (last, before) = window.split_last().unwrap();
                before == &term[..term.len() - 1] && last.starts_with(term[term.len() - 1])
            };
            words.windows(term.len()).filter(follows).count()
        };
        columns.iter().map(in_column).sum()
    }

    fn search(&self, question: &[&str]) -> Vec<(Row, f64)> {
        let length = |columns: &Columns| {
            columns.iter().map(|it| it.split_whitespace().count()).sum::<usize>() as f64
        };
        let all = self.there().count() as f64;
        let average = self.there().map(|(_, columns)| length(columns)).sum::<f64>() / all;
        let holding = |term: &str| {
            self.there().filter(|(_, columns)| Self::times(columns, term) > 0).count() as f64
        };
        let rare: Vec<&str> =
            question.iter().copied().filter(|term| 2.0 * holding(term) < all).collect();
        let is_rare_found = rare.iter().any(|term| holding(term) > 0.0);
        let asked = if is_rare_found { &rare[..] } else { question };
        let score = |columns: &Columns| {
            let one = |term: &&str| {
                let f = Self::times(columns, term) as f64;
                let n = holding(term);
                let idf = ((all - n + 0.5) / (n + 0.5)).ln();
                let idf = if idf <= 0.0 { 1e-6 } else { idf };
                idf * (f * 2.2) / (f + 1.2 * (0.25 + 0.75 * length(columns) / average))
            };
            asked.iter().map(one).sum::<f64>()
        };
        let mut hits: Vec<_> = self.there().map(|(row, columns)| (row, score(columns))).collect();
        hits.retain(|&(_, score)| score > 0.0);
        hits
    }
}

/// Checks that both find the same texts with the same scores, ordered by score, then by row.
fn assert_same(index: &mut TextIndex, plain: &Plain, question: &[&str]) {
    let hits = index.search(question, usize::MAX, None).unwrap();
    let in_order = |pair: &[TextHit]| {
        pair[0].score > pair[1].score
            || (pair[0].score == pair[1].score && pair[0].row < pair[1].row)
    };
    assert!(hits.windows(2).all(in_order), "{hits:?}");
    let mut by_row = hits.clone();
    by_row.sort_by_key(|hit| hit.row);
    let expected = plain.search(question);
    assert_eq!(
        rows(&by_row),
        expected.iter().map(|&(row, _)| row).collect::<Vec<_>>(),
        "{question:?}"
    );
    for (hit, (_, score)) in by_row.iter().zip(&expected) {
        assert!(
            (hit.score - score).abs() <= 1e-12 * score,
            "{question:?}: {} and {score}",
            hit.score
        );
    }
    for limit in [0, 1, 3] {
        let best = index.search(question, limit, None).unwrap();
        assert_eq!(best, hits[..limit.min(hits.len())]);
    }
    let odd: Vec<Row> =
        by_row.iter().map(|hit| hit.row).filter(|row| row % 2 == 1).chain([9_999]).collect();
    let among = index.search(question, usize::MAX, Some(&odd)).unwrap();
    assert_eq!(among, hits.iter().copied().filter(|hit| hit.row % 2 == 1).collect::<Vec<_>>());
}

fn word() -> impl Strategy<Value = String> {
    // Few words, some with a common prefix, and some frequent.
    prop_oneof![4 => "[xyz]{1,2}", 2 => Just("xx".to_owned()), 1 => "[xyz][a-e]{2,3}"]
}

fn columns() -> impl Strategy<Value = Columns> {
    let text = |most| vec(word(), 0..most).prop_map(|words| words.join(" "));
    (text(3), text(3), text(9)).prop_map(|(title, summary, body)| [title, summary, body])
}

#[derive(Clone, Debug)]
enum Step {
    Add(Columns),
    Replace(usize, Columns),
    Remove(usize),
    Restore,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => columns().prop_map(Step::Add),
        2 => (any::<usize>(), columns()).prop_map(|(which, columns)| Step::Replace(which, columns)),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => Just(Step::Restore),
    ];
    vec(step, 1..40)
}

fn write(index: &TextIndex) -> Vec<Vec<u8>> {
    let mut snapshot = index.snapshot().unwrap();
    std::iter::from_fn(|| index.next_part(&mut snapshot).unwrap()).collect()
}

fn restore(parts: &[Vec<u8>]) -> nous_wasm::Result<TextIndex> {
    let mut restoring = TextRestoring::begin(&parts[0], usize::MAX, 0)?;
    for part in &parts[1..] {
        assert_eq!(TextRestoring::part_length(&part[..32])?, part.len());
        restoring.read(part)?;
    }
    restoring.finish()
}

proptest! {
    #[test]
    fn searches_equal_the_plain_model(steps in steps(), questions in vec(vec("[xyz][a-c]?(_[xyz])?", 1..5), 1..4)) {
        let (mut index, mut plain) = (index(), Plain::default());
        for step in steps {
            let there: Vec<Row> = plain.there().map(|(row, _)| row).collect();
            let one = |which: usize| there.get(which % there.len().max(1)).copied();
            match step {
                Step::Add(columns) => {
                    prop_assert_eq!(add(&mut index, None, &columns) as usize, plain.texts.len());
                    plain.texts.push(Some(columns));
                }
                Step::Replace(which, columns) => if let Some(row) = one(which) {
                    prop_assert_eq!(add(&mut index, Some(row), &columns), row);
                    plain.texts[row as usize] = Some(columns);
                }
                Step::Remove(which) => if let Some(row) = one(which) {
                    prop_assert_eq!(index.remove(&[row, row, 77_777]), 1);
                    plain.texts[row as usize] = None;
                }
                // A snapshot holds the present texts, in their order.
                Step::Restore => {
                    index = restore(&write(&index)).unwrap();
                    plain.texts.retain(Option::is_some);
                }
            }
            prop_assert_eq!(index.len(), plain.there().count());
        }
        for question in &questions {
            let question: Vec<&str> = question.iter().map(String::as_str).collect();
            assert_same(&mut index, &plain, &question);
        }
    }

    #[test]
    fn any_text_is_found_by_its_tokens(text in any::<String>()) {
        let mut index = of(&[&text]);
        let hits = index.search(&[&text], 1, None).unwrap();
        prop_assert_eq!(hits.is_empty(), index.words() == 0);
        prop_assert!(restore(&write(&index)).is_ok());
    }

    #[test]
    fn a_damaged_snapshot_is_refused(at in any::<usize>(), bit in 0..8_u32) {
        let mut parts = write(&of(&["gold breaks out", "silver does not"]));
        let part = at % parts.len();
        let byte = (at / parts.len()) % parts[part].len();
        parts[part][byte] ^= 1 << bit;
        let sound = TextRestoring::part_length(&parts[part]).is_ok_and(|length| length == parts[part].len());
        if sound {
            prop_assert_eq!(restore(&parts).unwrap_err().code(), "invalid_snapshot");
        }
    }
}

#[test]
fn words_equal_those_of_unicode61() {
    let mut index = of(&["Crème BRÛLÉE", "naïve, Straße", "ΣΊΣΥΦΟΣ", "one2three", "snake_case"]);
    for (term, row) in [
        ("creme", 0),
        ("brulee", 0),
        ("CRÈ", 0),
        ("naive", 1),
        ("straße", 1),
        ("σίσυφος", 2),
        ("one2", 3),
    ] {
        assert_eq!(found(&mut index, &[term]), [row], "{term}");
    }
    assert_eq!(
        found(&mut index, &["e\u{301}\u{300}"]),
        [] as [Row; 0],
        "a mark leaves nothing, and é is no beginning here"
    );
    assert_eq!(found(&mut index, &["snake_c"]), [4]);
    assert_eq!(found(&mut index, &["case_snake"]), [] as [Row; 0]);
}

#[test]
fn scripts_without_spaces_are_found_by_pairs() {
    let texts = [
        "比特币价格上涨",
        "金の価格は高い",
        "ราคาทองคำขึ้น",
        "BTC価格",
        "가격이 오른다",
        "nothing of all this",
    ];
    let mut index = of(&texts);
    assert_eq!(found(&mut index, &["价格"]), [0]);
    assert_eq!(found(&mut index, &["価格"]), [3, 1], "the shorter text first");
    assert_eq!(found(&mut index, &["ทองคำ"]), [2]);
    assert_eq!(found(&mut index, &["btc"]), [3]);
    assert_eq!(found(&mut index, &["오른"]), [4]);
    // A single character is the beginning of a pair, or the end of its run.
    assert_eq!(found(&mut index, &["涨"]), [0]);
    assert_eq!(found(&mut index, &["金"]), [1]);
}

#[test]
fn stop_words_and_frequent_words_count_only_alone() {
    let mut index =
        of(&["what the gold did", "what silver did", "gold", "gold and the moon", "copper", "tin"]);
    assert_eq!(found(&mut index, &["what", "did", "the", "silver"]), [1]);
    assert_eq!(found(&mut index, &["what", "silver", "gold"]), [1], "half of all hold gold");
    assert_eq!(found(&mut index, &["what"]), [1, 0]);
    assert_eq!(found(&mut index, &["gold"]), [2, 0, 3]);
    assert_eq!(found(&mut index, &["what", "unheard"]), [1, 0]);
}

#[test]
fn the_number_of_terms_is_limited() {
    let texts: Vec<String> = (0..200).map(|n| format!("w{n}x")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut index = of(&texts);
    assert_eq!(found(&mut index, &texts).len(), MAX_TERMS);
    let mut asked = vec!["the"; TERMS_READ - 1];
    asked.extend(&texts);
    assert_eq!(found(&mut index, &asked), [0], "no more are looked at");
    assert_eq!(found(&mut index, &[&texts.join("_")]), [] as [Row; 0]);
}

#[test]
fn rows_keep_their_order_in_a_sweep() {
    let mut index = index();
    let texts: Vec<Columns> =
        (0..1200).map(|n| [format!("title{n}"), String::new(), "same words".into()]).collect();
    for columns in &texts {
        add(&mut index, None, columns);
    }
    assert!(!index.sweep());
    let full = index.bytes();
    assert_eq!(index.remove(&(0..1200).filter(|row| row % 3 > 0).collect::<Vec<_>>()), 800);
    assert!(index.sweep());
    assert!(!index.sweep());
    assert!(index.bytes() < full / 2, "{} of {full}", index.bytes());
    assert_eq!((index.len(), index.row_count()), (400, 400));
    assert_eq!(found(&mut index, &["same"]), (0..400).collect::<Vec<_>>());
    assert_eq!(found(&mut index, &["title300"]), [100]);
    assert_eq!(found(&mut index, &["title301"]), [] as [Row; 0], "its words went with it");
    index.remove(&(0..400).collect::<Vec<_>>());
    assert!(index.sweep());
    assert_eq!((index.bytes(), index.words()), (TextIndex::new(1).bytes(), 0));
}

#[test]
fn a_full_index_refuses_and_is_unchanged() {
    let mut index = TextIndex::new(64 << 10);
    let texts: Vec<String> = (0..40).map(|n| format!("alpha beta{n} gamma{}", n * n)).collect();
    let mut kept = 0;
    let refused = loop {
        let entries: Vec<TextEntry<'_>> =
            texts.iter().map(|text| TextEntry { row: None, columns: [text, "", text] }).collect();
        match index.upsert(&entries) {
            Ok(_) => kept += texts.len(),
            Err(error) => break error,
        }
    };
    assert_eq!((refused.code(), refused.field()), ("out_of_memory", "documents"));
    assert_eq!(index.len(), kept);
    assert!(kept > 0 && index.bytes() <= 64 << 10);
    assert_eq!(rows(&index.search(&["alpha"], 3, None).unwrap()), [0, 1, 2]);
    let words = index.words();
    let long = "new words ".repeat(9_999);
    assert!(index.upsert(&[TextEntry { row: Some(0), columns: [&long, "", ""] }]).is_err());
    assert_eq!((index.words(), index.search(&["new"], 3, None).unwrap()), (words, vec![]));
}

#[test]
fn a_snapshot_holds_no_word_of_removed_or_replaced_texts() {
    let mut index = of(&["gold kiwi", "gold breaks mango", "silver out", "gold out"]);
    add(&mut index, Some(1), &["gold breaks".into(), String::new(), String::new()]);
    index.remove(&[0]);
    let bytes = write(&index).concat();
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    let words = ["gold", "breaks", "silver", "out", "kiwi", "mango"];
    assert_eq!(words.map(holds), [true, true, true, true, false, false]);
    let mut restored = restore(&write(&index)).unwrap();
    let rows = |index: &mut TextIndex, word: &str| -> Vec<Row> {
        index.search(&[word], 9, None).unwrap().iter().map(|hit| hit.row).collect()
    };
    assert_eq!(words.map(|word| rows(&mut restored, word).len()), [2, 1, 1, 2, 0, 0]);
}

#[test]
fn a_changed_index_ends_its_snapshot() {
    let mut index = of(&["a b", "c d"]);
    let mut snapshot = index.snapshot().unwrap();
    index.next_part(&mut snapshot).unwrap();
    index.remove(&[0]);
    assert_eq!(index.next_part(&mut snapshot).unwrap_err().code(), "invalid_snapshot");
}

/// Returns a part with another content, and the checksum of that content.
fn forged(part: &[u8], content: &[u8]) -> Vec<u8> {
    let mut bytes = part[..16].to_vec();
    bytes.extend((content.len() as u64).to_le_bytes());
    let hashed = [&bytes, content].concat();
    bytes.extend(xxh64(&hashed, 0).to_le_bytes());
    bytes.extend(content);
    bytes
}

#[test]
fn forged_snapshots_are_refused() {
    let parts = write(&of(&["gold breaks out", "silver does not"]));
    assert_eq!(parts.len(), 4);
    let with = |place: usize, content: &[u8]| {
        let mut parts = parts.clone();
        parts[place] = forged(&parts[place], content);
        restore(&parts).map(|index| index.len())
    };
    assert_eq!(with(1, &parts[1][32..]).unwrap(), 2, "what is not changed is sound");
    let entries = |entries: &[&[u8]]| {
        let mut content = (entries.len() as u64).to_le_bytes().to_vec();
        for entry in entries {
            content.extend((entry.len() as u32).to_le_bytes());
            content.extend(*entry);
        }
        content
    };
    let wrong: [(usize, Vec<u8>); 10] = [
        (0, [2_u32, 6, 2].iter().flat_map(|number| number.to_le_bytes()).collect()),
        (0, [1_u32, 6, 3].iter().flat_map(|number| number.to_le_bytes()).collect()),
        (0, vec![1, 0, 0, 0]),
        (1, entries(&[b"gold", b"gold", b"a", b"b", b"c", b"d"])),
        (1, entries(&[b"", b"gold", b"a", b"b", b"c", b"d"])),
        (1, entries(&[b"\xff", b"gold", b"a", b"b", b"c", b"d"])),
        (2, entries(&[&[0, 0, 1], &[0, 1]])),
        (2, entries(&[&[0, 0, 1], &[0, 0, 7]])),
        (2, entries(&[&[0, 0, 1], &[0, 0, 0x81]])),
        (2, u64::MAX.to_le_bytes().to_vec()),
    ];
    for (place, content) in wrong {
        assert_eq!(
            with(place, &content).unwrap_err().code(),
            "invalid_snapshot",
            "{place}: {content:?}"
        );
    }
    for order in [&[0, 2, 1, 3][..], &[0, 1, 2], &[0, 1, 3], &[1, 2, 3], &[0, 0], &[0, 1, 2, 3, 3]]
    {
        let parts: Vec<Vec<u8>> = order.iter().map(|&place| parts[place].clone()).collect();
        assert_eq!(
            restore(&parts).map(|index| index.len()).unwrap_err().code(),
            "invalid_snapshot",
            "{order:?}"
        );
    }
}
