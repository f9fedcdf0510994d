//! Intent: the automaton against a search for each string alone.

use super::*;
use nous_wasm::intent::IntentConfig;
use nous_wasm::section::INTENT_ORDER;

/// Word characters by hand, for every character of the generators below. Panics for any other.
fn is_word(c: char) -> bool {
    match c {
        'a'..='z' | '0'..='9' | '_' => true,
        // Letters, with and without case, within the basic plane and outside of it.
        'é' | 'ß' | 'σ' | 'ς' | 'λ' | 'ο' | 'γ' | '中' | '𝒶' | 'ª' | 'ſ' | 'ﬁ' => {
            true
        }
        // Marks, a digit, a letter number, an enclosed letter, a connector and the joiners.
        '\u{301}' | '\u{307}' | '٣' | 'ⅷ' | 'ⓐ' | '‿' | '\u{200C}' | '\u{200D}' => true,
        // Numbers that are not digits, symbols, punctuation, and invisible characters that are
        // neither marks nor joiners.
        '½' | '²' | '🚀' | '€' | '+' | '-' | '.' | '?' | '\'' | '*' | '\u{200B}' | '\u{85}'
        | '\0' => false,
        c if naive::is_white_space(c) => false,
        c => panic!("{c:?} has no class here"),
    }
}

/// Characters that test case, white space, apostrophes and the edges of words.
const ODD: &str = "’‘ʼ＇'\t\n\u{A0}\u{3000}\u{FEFF}\u{85}_-9éÉ\u{301}\u{200D}\u{200C}\u{200B}𝒶🚀ΣΛİẞ\u{212A}ſﬁ½²٣ⅧⒶ‿ª中\0+.?*€";

fn one_of(characters: &str) -> impl Strategy<Value = String> + use<> {
    select(characters.chars().collect::<Vec<_>>()).prop_map(String::from)
}

/// A variant of a built-in string: letter case, white space, apostrophes, a part of it.
fn known() -> impl Strategy<Value = String> {
    let all: Vec<String> =
        naive::intent_table().into_iter().flat_map(|(_, strings)| strings).collect();
    (select(all), 0..7).prop_map(|(string, disguise)| match disguise {
        0 => string.to_uppercase(),
        1 => string.replace(' ', " \t "),
        2 => string.replace('\'', "’"),
        3 => string[1..].into(),
        4 => string[..string.len() - 1].into(),
        5 => string.replace('k', "\u{212A}").replace('s', "S"),
        _ => string,
    })
}

fn text() -> impl Strategy<Value = String> {
    let words = [
        "btc",
        "funding",
        "the",
        "de",
        "s",
        "deliver",
        "ruler",
        "go",
        "a",
        "ab",
        "ΛΟΓΟΣ",
        "e\u{301}",
    ];
    let part = prop_oneof![3 => known(), 2 => select(words.to_vec()).prop_map(String::from), 2 => one_of(ODD)];
    (vec(part, 0..14), select(vec!["", " ", "  ", "\n"])).prop_map(|(parts, glue)| parts.join(glue))
}

/// Configured strings over a small alphabet, so that they overlap, contain and touch one another.
fn own() -> impl Strategy<Value = Vec<String>> {
    let small = vec(one_of("aabbA \t'’-ÉéΣİ𝒶中K\u{301}½go"), 1..6).prop_map(|parts| parts.concat());
    let string = prop_oneof![3 => small, 1 => known(), 1 => one_of(ODD)];
    let not_blank =
        string.prop_filter("not blank", |string| !string.chars().all(naive::is_white_space));
    vec(not_blank, 0..8)
}

/// A text in which such strings are likely to occur.
fn own_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![own().prop_map(|strings| strings.concat()), text()];
    vec(part, 0..5).prop_map(|parts| parts.concat())
}

fn classifier(own: &[Option<Vec<String>>; 4]) -> (IntentClassifier, naive::Table) {
    let config = IntentConfig { matcher: Matcher::Substring, strings: own.clone() };
    let mut table = naive::intent_table();
    for (section, strings) in &mut table {
        if let Some(own) = &own[*section as usize] {
            *strings = own.clone();
        }
    }
    (IntentClassifier::new(&config).unwrap(), table)
}

/// Compares both matchers with their plain implementations: sections, strings, counts.
fn assert_finds(classifier: &IntentClassifier, table: &naive::Table, text: &str) {
    for matcher in [Matcher::Substring, Matcher::Words] {
        let count = |string: &str| match matcher {
            Matcher::Substring => naive::count_substring(text, string),
            Matcher::Words => naive::count_phrase(text, string, is_word),
        };
        let expected: Vec<(Section, Vec<(String, usize)>)> = table
            .iter()
            .map(|(section, strings)| {
                let counted = strings.iter().map(|string| (string.to_lowercase(), count(string)));
                (*section, counted.filter(|&(_, count)| count > 0).collect::<Vec<_>>())
            })
            .filter(|(_, found)| !found.is_empty())
            .collect();
        let explained = classifier.explain(text, matcher);
        let found: Vec<(Section, Vec<(String, usize)>)> = explained
            .iter()
            .map(|evidence| {
                let strings =
                    evidence.strings.iter().map(|found| (found.string.clone(), found.count));
                (evidence.section, strings.collect())
            })
            .collect();
        assert_eq!(found, expected, "{matcher:?} in {text:?}");
        for evidence in &explained {
            assert_eq!(
                evidence.evidence,
                evidence.strings.iter().map(|found| found.count).sum::<usize>()
            );
        }
        let sections: Vec<Section> = classifier.classify(text, matcher).iter().collect();
        assert_eq!(
            sections,
            expected.iter().map(|(section, _)| *section).collect::<Vec<_>>(),
            "{matcher:?} in {text:?}"
        );
        if matcher == Matcher::Substring {
            let lower: naive::Table = table
                .iter()
                .map(|(section, strings)| {
                    (*section, strings.iter().map(|string| string.to_lowercase()).collect())
                })
                .collect();
            assert_eq!(sections, naive::classify(text, &lower));
        }
    }
}

proptest! {
    #[test]
    fn built_in_strings_equal_a_search_for_each(text in text()) {
        assert_finds(&IntentClassifier::default(), &naive::intent_table(), &text);
    }

    #[test]
    fn configured_strings_equal_a_search_for_each(
        own in [prop::option::of(own()), prop::option::of(own()), prop::option::of(own()), prop::option::of(own())],
        text in own_text(),
    ) {
        let (classifier, table) = classifier(&own);
        assert_finds(&classifier, &table, &text);
    }

    #[test]
    fn overlapping_occurrences_all_count(strings in vec("[ab]{1,5}", 1..12), text in "[ab]{0,60}") {
        let (classifier, table) = classifier(&[Some(strings), None, Some(vec![]), None]);
        assert_finds(&classifier, &table, &text);
    }

    #[test]
    fn any_text_is_searched(text in any::<String>()) {
        let (classifier, table) = (IntentClassifier::default(), naive::intent_table());
        let found: Vec<Section> = classifier.classify(&text, Matcher::Substring).iter().collect();
        prop_assert_eq!(&found, &naive::classify(&text, &table));
        let words = classifier.explain(&text, Matcher::Words).len();
        prop_assert_eq!(words, classifier.classify(&text, Matcher::Words).iter().count());
    }

    #[test]
    fn word_matches_are_substring_matches_in_straightened_text(text in text()) {
        let straight = text.replace(['‘', '’', 'ʼ', '＇'], "'");
        let straight: Vec<&str> = straight.split(naive::is_white_space).filter(|part| !part.is_empty()).collect();
        let classifier = IntentClassifier::default();
        let letters = classifier.classify(&straight.join(" "), Matcher::Substring);
        prop_assert!(classifier.classify(&text, Matcher::Words).iter().all(|section| letters.contains(section)));
    }
}

#[test]
fn sections_are_returned_in_their_order() {
    let query = "my playbook: a lesson from yesterday about a live signal";
    for matcher in [Matcher::Substring, Matcher::Words] {
        let asked: Vec<Section> =
            IntentClassifier::default().classify(query, matcher).iter().collect();
        assert_eq!(asked, INTENT_ORDER);
    }
}

#[test]
fn strings_up_to_the_limit_are_found_and_longer_ones_refused() {
    let strings = |bytes: usize| {
        [None, None, None, None].map(|_: Option<()>| Some(vec!["xy".repeat(bytes / 8)]))
    };
    let max = 65_528;
    let (long, _) = classifier(&strings(max));
    assert_eq!(long.classify(&"xy".repeat(max / 8), Matcher::Substring).bits(), 0b1111);
    assert_eq!(long.classify(&"xy".repeat(max / 8 - 1), Matcher::Substring).bits(), 0);

    let one = |bytes| [Some(vec!["x".repeat(bytes)]), Some(vec![]), Some(vec![]), Some(vec![])];
    let (longest, _) = classifier(&one(65_535));
    assert_eq!(longest.classify(&"x".repeat(65_535), Matcher::Words).bits(), 0b0001);
    assert_eq!(longest.classify(&"x".repeat(65_534), Matcher::Substring).bits(), 0);
    let config = IntentConfig { matcher: Matcher::Substring, strings: one(65_536) };
    let error = IntentClassifier::new(&config).unwrap_err();
    assert_eq!((error.code(), error.field()), ("invalid_config", "intent.strings"));
    assert_eq!(error.number_found(), Some(65_536.0));
}
