//! Normalises a text and splits it into words, as BERT's tokenizer without case does.

use std::borrow::Cow;

use super::characters::{Role, ascii_role, role};

/// A word of a normalised text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text of the word; not empty.
    pub text: &'a str,
    /// Whether the word is a punctuation character.
    pub is_mark: bool,
}

/// Returns a text in lower case, decomposed (NFD), and without controls and combining marks.
///
/// `decomposed_lower_case` is the host's: it returns a text decomposed by canonical equivalence, each
/// character in lower case. It is asked about texts beyond ASCII.
///
/// ```
/// use nous_wordpiece::normalised;
/// assert_eq!(normalised("Tea\0 FOR two", |_| unreachable!()), "tea for two");
/// ```
pub fn normalised(text: &str, decomposed_lower_case: impl Fn(&str) -> String) -> Cow<'_, str> {
    if !text.is_ascii() {
        let mut lower = decomposed_lower_case(text);
        lower.retain(|c| role(c) != Role::Dropped);
        return Cow::Owned(lower);
    }
    let is_dropped = |byte| ascii_role(byte) == Role::Dropped;
    if text.bytes().any(is_dropped) {
        let kept = text.chars().filter(|&c| role(c) != Role::Dropped);
        Cow::Owned(kept.map(|c| c.to_ascii_lowercase()).collect())
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the words of a normalised text, in order: runs of letters and digits, single punctuation
/// characters and single Chinese characters.
///
/// ```
/// use nous_wordpiece::words;
/// let texts: Vec<&str> = words("it's 日本!").map(|word| word.text).collect();
/// assert_eq!(texts, ["it", "'", "s", "日", "本", "!"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (at, first, bytes) = find(rest, |role| role != Role::Space)?;
        rest = &rest[at..];
        let length = match first {
            Role::Mark | Role::Ideograph => bytes,
            _ => find(rest, |role| role != Role::Letter).map_or(rest.len(), |(at, ..)| at),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(Word { text: word, is_mark: first == Role::Mark })
    })
}

/// Returns place, role and bytes of the first character with a role that is sought.
#[inline]
fn find(text: &str, is_sought: impl Fn(Role) -> bool) -> Option<(usize, Role, usize)> {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let (role, bytes) = if byte.is_ascii() {
            (ascii_role(byte), 1)
        } else {
            let c = text[at..].chars().next()?;
            (role(c), c.len_utf8())
        };
        if is_sought(role) {
            return Some((at, role, bytes));
        }
        at += bytes;
    }
    None
}
