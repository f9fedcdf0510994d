//! Text of memories as a stretch of one line, which no reader takes for anything but text.

use std::borrow::Cow;

use crate::text::is_white_space;

/// What begins a heading, a list, a quotation or the underline of a heading, where a line begins
/// with it.
const LEADING: [char; 6] = ['#', '-', '+', '*', '>', '='];
/// So many of these in a row begin or end a fence.
const FENCE: usize = 3;
/// What begins a comment.
const COMMENT: &str = "<!--";

/// A text without its line breaks, with a backslash before whatever could mean something in a
/// prompt: a mark that one of its lines begins with, a fence, a comment.
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
            // One space stands for a break and the white space around it.
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

/// Whether a character ends a line in some reader's eyes, though it is no control character.
fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// A beginning of a text of at most so many code points, up to a word's end where there is one,
/// with an ellipsis for the rest.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let text = text.trim_matches(is_white_space);
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.into();
    };
    let beginning = &text[..end];
    let whole = beginning.rfind(is_white_space).map_or(beginning, |space| &beginning[..space]);
    format!("{whole}{ELLIPSIS}").into()
}

/// Stands for what was cut off.
pub const ELLIPSIS: &str = "...";
