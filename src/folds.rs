//! What characters fold to, where no host gives it: as `host.js` does.

use std::sync::LazyLock;

use regex_syntax::Parser;
use regex_syntax::hir::{Class, HirKind};
use unicode_normalization::UnicodeNormalization;

/// The first and the last digit of each row of digits, of all scripts. Rows have tens of digits from a
/// zero on.
static DIGITS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let digits = Parser::new().parse(r"\d").ok();
    match digits.as_ref().map(|digits| digits.kind()) {
        Some(HirKind::Class(Class::Unicode(digits))) => {
            digits.iter().map(|row| (row.start(), row.end())).collect()
        }
        _ => Vec::new(),
    }
});

/// Letters that people write in another way, and which have no decomposition.
const SPELLED: [(char, &str); 20] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ŧ', "t"),
    ('ŋ', "n"),
    ('ĸ', "k"),
    ('ə', "e"),
    ('ς', "σ"),
    // Letters of Arabic and Persian that stand for each other.
    ('ى', "ي"),
    ('ی', "ي"),
    ('ک', "ك"),
    ('ة', "ه"),
    ('ٱ', "ا"),
];

/// Whether a character is a mark within words: an accent, a vowel sign of Arabic or Hebrew, a
/// lengthening, or one that joins, varies or divides without a form of its own.
fn is_mark(code: u32) -> bool {
    matches!(code,
        0xAD
        | 0x300..=0x36F
        | 0x483..=0x487
        | 0x591..=0x5BD
        | 0x5BF
        | 0x5C1..=0x5C2
        | 0x5C4..=0x5C5
        | 0x5C7
        | 0x610..=0x61A
        | 0x640
        | 0x64B..=0x65F
        | 0x670
        | 0x6D6..=0x6DC
        | 0x6DF..=0x6E4
        | 0x6E7..=0x6E8
        | 0x6EA..=0x6ED
        | 0x200B..=0x200D
        | 0x20D0..=0x20F0
        | 0xFE00..=0xFE0F
        | 0x1F3FB..=0x1F3FF)
}

/// Returns a text without what compatibility, accents and scripts make of one letter.
pub fn folded(text: &str) -> String {
    let mut folded = String::new();
    push_folded(text.nfkd().flat_map(char::to_lowercase), &mut folded);
    folded.nfc().collect()
}

/// Adds decomposed characters in lower case without their accents, in their usual spelling.
fn push_folded(decomposed: impl Iterator<Item = char>, out: &mut String) {
    let mut base = ' ';
    for c in decomposed {
        let code = u32::from(c);
        if is_mark(code) {
            let is_cyrillic = matches!(base, '\u{400}'..='\u{52F}') && base != 'е';
            if is_cyrillic && code <= 0x36F {
                out.push(c);
            }
            continue;
        }
        base = c;
        let row = DIGITS.iter().find(|&&(zero, last)| (zero..=last).contains(&c));
        if let Some(&(zero, _)) = row {
            out.extend(char::from_digit((code - u32::from(zero)) % 10, 10));
        } else if let Some((_, spelling)) = SPELLED.iter().find(|&&(letter, _)| letter == c) {
            out.push_str(spelling);
        } else {
            out.push(c);
        }
    }
}
