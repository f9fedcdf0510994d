//! A memory with all its fields, for an agent that asks for more than its line in a prompt.

use super::memory_type::MemoryType;
use super::plain::plain;

/// The contents of a memory. An empty text counts as missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryDetail<'a> {
    /// The type of the memory in a prompt.
    pub memory_type: MemoryType,
    /// The title. Shown as `Untitled` if empty.
    pub title: &'a str,
    /// Further fields, as pairs of name and value.
    pub fields: &'a [(&'a str, &'a str)],
    /// The text, of any number of lines.
    pub text: &'a str,
}

/// Replaces an empty title.
const UNTITLED: &str = "Untitled";

impl MemoryDetail<'_> {
    /// Returns the type and the title, a line for each field with a value, and the text as a
    /// quotation. Nothing is shortened. Escapes keep the text from being read as structure.
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

/// Returns the lines of a text behind quotation marks (`> `). Empty lines at the ends are dropped,
/// and of several in a row one stays.
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
