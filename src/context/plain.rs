//! Escapes memory text for a prompt, so that no reader takes it for structure.

use std::borrow::Cow;

use crate::text::is_white_space;

/// Characters that begin a heading, a list, a quotation or the underline of a heading, at the start
/// of a line.
const LEADING: [char; 6] = ['#', '-', '+', '*', '>', '='];
/// The number of equal characters that begin or end a fence.
const FENCE: usize = 3;
/// The beginning of a comment.
const COMMENT: &str = "<!--";

/// Returns a text without its line breaks. A backslash stands before each mark that could be read
/// as structure: a mark at the start of one of its lines, a fence, a comment.
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    // Whether a line of the text begins here.
    let mut begins = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run =
            if matches!(c, '`' | '~') { rest.len() - rest.trim_start_matches(c).len() } else { 0 };
        let (here, after) = rest.split_at(run.max(c.len_utf8()));
        rest = after;
        if c.is_control() || is_separator(c) {
            begins = true;
            continue;
        }
        if begins {
            if is_white_space(c) {
                continue;
            }
            // One space replaces a line break and the white space around it.
            line.truncate(line.trim_end_matches(is_white_space).len());
            if !line.is_empty() {
                line.push(' ');
            }
        }
        let is_mark = begins && LEADING.contains(&c);
        if is_mark || run >= FENCE || (c == '<' && rest.starts_with(&COMMENT[1..])) {
            line.push('\\');
        }
        line.push_str(here);
        begins = false;
    }
    line.truncate(line.trim_end_matches(is_white_space).len());
    line
}

/// Whether some readers end a line at this character, although it is not a control character.
fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns the first `most` code points of a text, cut at the end of a word if possible, and an
/// ellipsis. Returns a text that is not longer unchanged.
pub fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    let text = text.trim_matches(is_white_space);
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text.into();
    };
    let beginning = &text[..end];
    let whole = beginning.rfind(is_white_space).map_or(beginning, |space| &beginning[..space]);
    format!("{whole}{ELLIPSIS}").into()
}

/// Replaces the text that was cut off.
pub const ELLIPSIS: &str = "...";
