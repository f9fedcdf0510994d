//! The marks by which a text asks, in every script.

use super::trim;

/// Whether the last sentence of a text asks, by its marks. It ends with a question mark of any
/// script, or it holds `¿`, or the mark of Armenian, which stands within a word. `;` asks at the
/// end of a sentence whose letters are mostly Greek.
#[inline(never)]
pub fn ends_as_question(text: &str) -> bool {
    let text = trim(text);
    let last = text.chars().next_back().unwrap_or(' ');
    if matches!(
        last,
        '?' | '？' | '؟' | '፧' | '՞' | '\u{37E}' | '\u{2047}'..='\u{2049}' | '\u{FE16}'
    ) {
        return true;
    }
    if text.is_ascii() {
        return false;
    }
    let mut has_begun = false;
    let mut greek = 0;
    for c in text.chars().rev() {
        match c {
            '.' | '!' | '?' | ';' | '։' | '\n' if has_begun => break,
            '.' | '!' | '?' | ';' | '։' | '\n' => {}
            '¿' | '՞' => return true,
            _ => {
                has_begun = true;
                greek += i32::from(matches!(c, '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}'));
                greek -= i32::from(c.is_ascii_alphabetic());
            }
        }
    }
    last == ';' && greek > 0
}
