//! A memory with all that it holds, for an agent that wants to know more of it than its line in a
//! prompt.

use super::memory_type::MemoryType;
use super::plain::plain;

/// What is told of a memory. Empty texts are missing ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryDetail<'a> {
    /// What it is to a prompt.
    pub memory_type: MemoryType,
    /// What it is called.
    pub title: &'a str,
    /// What else is known of it, each with its name.
    pub fields: &'a [(&'a str, &'a str)],
    /// What it says, in as many lines as it has.
    pub text: &'a str,
}

/// In place of a title that says nothing.
const UNTITLED: &str = "Untitled";

impl MemoryDetail<'_> {
    /// The type and the title, a line for each field that says something, and the text as a
    /// quotation, line by line: none of it is shortened, and none of it can be taken for anything
    /// but text.
    pub fn write(&self) -> String {
        let title = Some(plain(self.title)).filter(|title| !title.is_empty());
        let mut lines =
            vec![format!("{}: {}", self.memory_type.label(), title.as_deref().unwrap_or(UNTITLED))];
        let fields = self.fields.iter().map(|&(name, value)| (plain(name), plain(value)));
        lines.extend(
            fields
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| format!("{name}: {value}")),
        );
        let quoted = quote(self.text);
        if !quoted.is_empty() {
            lines.push(String::new());
            lines.push(quoted);
        }
        lines.join("\n")
    }
}

/// The lines of a text behind marks of quotation; of empty ones in a row one stays, and none at the
/// ends.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut has_gap = false;
    for line in text.lines().map(plain) {
        if line.is_empty() {
            has_gap = true;
            continue;
        }
        if !quoted.is_empty() {
            quoted.push_str(if has_gap { "\n>\n" } else { "\n" });
        }
        quoted.push_str("> ");
        quoted.push_str(&line);
        has_gap = false;
    }
    quoted
}
