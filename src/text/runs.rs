//! Runs of characters between white space.

use super::{Span, is_white_space};

/// Returns the end of the white space that begins here.
pub fn skip_white_space(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    from + rest.len() - rest.trim_start_matches(is_white_space).len()
}

/// Returns the end of the run that begins here.
fn skip_run(text: &str, from: usize) -> usize {
    text[from..].find(is_white_space).map_or(text.len(), |length| from + length)
}

/// Returns the runs of a text from a place on, in order.
pub fn runs(text: &str, from: usize) -> impl Iterator<Item = Span> + Clone {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = skip_white_space(text, at);
        at = skip_run(text, start);
        (at > start).then_some(Span { start, end: at })
    })
}

/// Returns the runs of a text, the last first.
pub fn runs_from_end(text: &str) -> impl Iterator<Item = Span> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let run = rest.trim_end_matches(is_white_space);
        let start = run
            .char_indices()
            .rev()
            .find(|&(_, c)| is_white_space(c))
            .map_or(0, |(at, c)| at + c.len_utf8());
        rest = &text[..start];
        (start < run.len()).then_some(Span { start, end: run.len() })
    })
}

/// Returns the span without the white space around it.
pub fn trim(text: &str, span: Span) -> Span {
    let start = skip_white_space(&text[..span.end], span.start);
    Span { start, end: start + text[start..span.end].trim_end_matches(is_white_space).len() }
}

/// Returns the run without a final `'s`, or `None` if nothing is left.
pub fn without_possessive(text: &str, run: Span) -> Option<Span> {
    let [first @ .., b'\'', b's' | b'S'] = run.of(text).as_bytes() else { return None };
    (!first.is_empty()).then_some(Span { start: run.start, end: run.end - 2 })
}
