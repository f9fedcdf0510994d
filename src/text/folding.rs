//! Folds the characters of words: to lower case, without what compatibility, accents and scripts
//! make of one letter.
//!
//! # Idea
//!
//! Two characters fold to one if people write them for each other: full width and half width, a
//! ligature and its letters, a letter with accents and without, a letter without a decomposition and
//! its usual spelling ("ß" and "ss", "ł" and "l"), digits of other scripts and those of ASCII. The
//! host has the tables for that. It is asked once for each character.
//!
//! # Invariants
//!
//! - ASCII does not pass through here: the reader of words folds it itself.
//! - A fold depends on the character and those that combine with it, not on the text around.
//!
//! # Cost
//!
//! One search in a table of the characters that were asked for. Ideographs, kana and syllables of
//! Korean need none. Kana with a voicing mark apart and letters of Korean that are written apart ask
//! the host each time; only file names have them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

pub(super) use crate::host::folded as fold_cluster;

/// What a character beyond ASCII becomes.
#[derive(Clone)]
pub(super) enum Folded {
    /// It stays.
    Same,
    /// It is a mark that words lose.
    Mark,
    /// It becomes these characters.
    Text(Rc<str>),
}

thread_local! {
    /// What the host has said of characters.
    static KNOWN: RefCell<FxHashMap<char, Folded>> = RefCell::default();
}

/// Returns what a character beyond ASCII becomes.
pub(super) fn folded(c: char) -> Folded {
    match c {
        '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FC}'
        // Letters of Korean that stand alone would become parts of syllables.
        | '\u{3130}'..='\u{318F}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' => Folded::Same,
        _ => KNOWN.with_borrow_mut(|known| known.entry(c).or_insert_with(|| ask(c)).clone()),
    }
}

#[cold]
fn ask(c: char) -> Folded {
    let mut utf8 = [0; 4];
    let own = &*c.encode_utf8(&mut utf8);
    match &*fold_cluster(own) {
        "" => Folded::Mark,
        text if text == own => Folded::Same,
        text => Folded::Text(text.into()),
    }
}

/// Returns the bytes of the characters at the start of a text that become one: of kana and its
/// voicing mark, or of the letters of a Korean syllable. Returns `None` if the first stands alone.
pub(super) fn cluster(text: &str) -> Option<usize> {
    let mut characters = text.chars();
    let (first, second) = (characters.next()?, characters.next()?);
    let two = first.len_utf8() + second.len_utf8();
    match (first, second) {
        (
            '\u{3041}'..='\u{30FF}' | '\u{FF66}'..='\u{FF9D}',
            '\u{3099}' | '\u{309A}' | '\u{FF9E}' | '\u{FF9F}',
        ) => Some(two),
        ('\u{1100}'..='\u{1112}', '\u{1161}'..='\u{1175}') => {
            let last = characters.next().filter(|c| matches!(c, '\u{11A8}'..='\u{11C2}'));
            Some(two + last.map_or(0, char::len_utf8))
        }
        _ => None,
    }
}
