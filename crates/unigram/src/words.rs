//! Splits a normalised text into words.

/// Stands before each word of a text.
pub const SPACE: char = '▁';

/// Returns the words of a normalised text, in order, each with [`SPACE`] before it. A [`SPACE`] in
/// the text begins a word, too.
///
/// ```
/// use nous_unigram::words;
/// assert_eq!(words("two words").collect::<Vec<_>>(), ["▁two", "▁words"]);
/// assert_eq!(words("").count(), 0);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.strip_prefix([' ', SPACE]).unwrap_or(text);
    let is_empty = text.is_empty();
    let parts = text.split([' ', SPACE]).map(|word| format!("{SPACE}{word}"));
    parts.take(if is_empty { 0 } else { usize::MAX })
}
