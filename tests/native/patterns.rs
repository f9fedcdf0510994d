//! Patterns of users: linear time, limits, case, and errors with the place of the pattern.

use nous_wasm::PatternSet;
use nous_wasm::pattern::{MAX_PATTERN_BYTES, MAX_PATTERNS};

fn matches(pattern: &str, text: &str) -> bool {
    PatternSet::new([pattern]).unwrap().first_match(text).is_some()
}

#[test]
fn the_first_pattern_that_matches_counts() {
    let patterns = PatternSet::new(["b+", "[ab]", "c"]).unwrap();
    assert_eq!(
        ["b", "a", "c", "d", ""].map(|text| patterns.first_match(text)),
        [Some(0), Some(1), Some(2), None, None]
    );
    assert_eq!(PatternSet::new([]).unwrap().first_match("a"), None);
}

#[test]
fn letters_match_in_either_case_in_and_beyond_ascii() {
    for (pattern, text) in [
        ("ärztin", "Die ÄRZTIN kam"),
        ("ÄRZTIN", "die ärztin"),
        ("[äÖ]x", "Äx"),
        ("straße", "STRAßE"),
        (r"\bSatz\S", "satz:"),
        (r"\x41", "a"),
        ("привет", "ПРИВЕТ"),
    ] {
        assert!(matches(pattern, text), "{pattern} in {text}");
    }
    // An escape is not lowered.
    assert!(!matches(r"^\S+$", "a b"));
    assert!(!matches(r"^ä\W$", "Äb"));
}

#[test]
fn a_pattern_that_would_go_back_answers_at_once() {
    // By trying one branch after the other, each takes more than 2^10,000 steps.
    let text = format!("{}!", "a".repeat(20_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]
    {
        assert!(!matches(pattern, &text), "{pattern}");
    }
}

#[test]
fn a_pattern_that_the_engine_cannot_take_is_refused_by_its_place() {
    let long = "a".repeat(MAX_PATTERN_BYTES + 1);
    let deep = format!("{}a{}", "(".repeat(100), ")".repeat(100));
    for (pattern, part) in [
        ("(", "without closing"),
        ("(?=a)", "say it in other words"),
        ("(?<!a)b", "say it in other words"),
        (r"(a)\1", "say it in other words"),
        ("(a{500}){500}", "divide it"),
        (&*deep, "divide it"),
        (&*long, "must have at most 2000 bytes"),
        (r"\p{L}", "must be a regular expression"),
    ] {
        let error = PatternSet::new(["a", pattern]).unwrap_err();
        assert_eq!((error.code(), error.field()), ("invalid_argument", "pattern"), "{error}");
        assert_eq!(error.index(), Some(1));
        assert!(error.problem().contains(part), "{error}");
    }
    let many = PatternSet::new(std::iter::repeat_n("a", MAX_PATTERNS + 1)).unwrap_err();
    assert_eq!((many.field(), many.index()), ("patterns", None));
}
