//! Recalled memories as lines of text, and the passage of a system prompt that explains their tags.

use super::budget::characters_of;
use crate::section::SectionTable;

/// The length of a date such as `2026-01-15`.
const DATE_CHARACTERS: usize = 10;

/// A recalled memory that becomes a line. An empty subtype or title stays empty; a missing one is
/// replaced by a default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextRow<'a> {
    /// The subtype, such as `custom:lesson`. The label is the subtype without its prefix.
    pub subtype: Option<&'a str>,
    /// The label if there is no subtype.
    pub node_type: Option<&'a str>,
    /// The section shown. If empty or missing: the section of the subtype, or of the type if there
    /// is no subtype.
    pub memory_section: Option<&'a str>,
    /// The title. Shown as `Untitled` if missing.
    pub title: Option<&'a str>,
    /// The body: text, or a JSON object whose `text` is shown.
    pub body: Option<&'a str>,
    /// The summary, shown if the body is empty.
    pub summary: Option<&'a str>,
    /// The creation time in ISO 8601. Only its date is shown.
    pub created_at: Option<&'a str>,
}

/// Returns one line for each memory, in order, until a line would exceed the budget of `max_tokens`
/// at 4 code points each. Line breaks do not count. Returns `None` if there is no line.
///
/// ```
/// use nous_wasm::{ContextRow, SectionTable, format_context};
/// let row = ContextRow {
///     subtype: Some("custom:lesson"),
///     title: Some("Funding squeezes often reverse"),
///     body: Some(r#"{ "text": "Wait for the second candle." }"#),
///     created_at: Some("2026-01-15T09:30:00Z"),
///     ..ContextRow::default()
/// };
/// let lines = format_context(&[row], 100.0, &SectionTable::default());
/// let line = "- [lesson · KNOWLEDGE] Funding squeezes often reverse (2026-01-15): \
///     Wait for the second candle.";
/// assert_eq!(lines.as_deref(), Some(line));
/// ```
#[cfg(not(target_arch = "wasm32"))]
pub fn format_context(
    rows: &[ContextRow<'_>],
    max_tokens: f64,
    table: &SectionTable,
) -> Option<String> {
    lines(rows, max_tokens, table, json::text_of)
}

/// [`format_context`] with the host's function that reads the `text` of a JSON object. In
/// JavaScript that is the engine's own parser, which is right by definition and keeps ours out of
/// the download.
pub(crate) fn lines(
    rows: &[ContextRow<'_>],
    max_tokens: f64,
    table: &SectionTable,
    text_of: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let budget = characters_of(max_tokens);
    let mut text = String::new();
    let mut used = 0;
    for row in rows {
        let line = line(row, table, &text_of);
        used += line.chars().count();
        if used as f64 > budget {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    (!text.is_empty()).then_some(text)
}

fn line(
    row: &ContextRow<'_>,
    table: &SectionTable,
    text_of: impl Fn(&str) -> Option<String>,
) -> String {
    let subtype = row.subtype.or(row.node_type).unwrap_or_default();
    let label = subtype.strip_prefix("custom:").unwrap_or(subtype);
    let section = present(row.memory_section)
        .unwrap_or_else(|| table.section_of(present(Some(subtype))).name());
    let title = row.title.unwrap_or("Untitled");
    let created_at = row.created_at.unwrap_or_default();
    let date_end =
        created_at.char_indices().nth(DATE_CHARACTERS).map_or(created_at.len(), |(end, _)| end);
    let date = &created_at[..date_end];
    let body = row.body.unwrap_or_default();
    let from_json = if body.starts_with('{') { text_of(body) } else { None };
    let text =
        present(from_json.as_deref()).or(present(Some(body))).or(row.summary).unwrap_or_default();
    format!("- [{label} · {section}] {title} ({date}): {text}")
}

fn present(field: Option<&str>) -> Option<&str> {
    field.filter(|text| !text.is_empty())
}

/// Returns the passage for an agent's system prompt. It describes the four sections, their
/// contents, their decay and the questions that they are boosted for, and the tags in recalled
/// context.
pub fn memory_guidance() -> &'static str {
    include_str!("memory_guidance.md")
}

#[cfg(not(target_arch = "wasm32"))]
mod json {
    //! Reads the `text` of a JSON object as JavaScript's `JSON.parse` does.

    use std::fmt;

    use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
    use serde_json::value::RawValue;

    /// Returns the `text` of a body if it is a string.
    ///
    /// Accepts exactly what `JSON.parse` accepts, at any depth. Of a repeated key the last one
    /// counts. Half of a surrogate pair becomes U+FFFD.
    pub fn text_of(body: &str) -> Option<String> {
        let mut reader = serde_json::Deserializer::from_str(body);
        let object = reader.deserialize_map(ObjectVisitor).ok()?;
        reader.end().ok()?;
        if object.control_in_key {
            // Keys are read as bytes, which lets unescaped control characters pass; this check
            // refuses them.
            serde_json::from_str::<IgnoredAny>(body).ok()?;
        }
        serde_json::Deserializer::from_str(object.text?.get()).deserialize_bytes(WellFormed).ok()
    }

    /// The parts of an object that are needed.
    struct Object<'de> {
        /// The raw value of its last `text`.
        text: Option<&'de RawValue>,
        control_in_key: bool,
    }

    struct ObjectVisitor;

    impl<'de> Visitor<'de> for ObjectVisitor {
        type Value = Object<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut object = Object { text: None, control_in_key: false };
            while let Some(key) = map.next_key::<Key>()? {
                let value: &RawValue = map.next_value()?;
                object.control_in_key |= key.has_control;
                if key.is_text {
                    object.text = Some(value);
                }
            }
            Ok(object)
        }
    }

    /// A key. It may not be valid Unicode: an escape may hold half of a surrogate pair.
    struct Key {
        is_text: bool,
        has_control: bool,
    }

    impl<'de> Deserialize<'de> for Key {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_bytes(KeyVisitor)
        }
    }

    struct KeyVisitor;

    impl Visitor<'_> for KeyVisitor {
        type Value = Key;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a key")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Key, E> {
            Ok(Key {
                is_text: bytes == b"text",
                has_control: bytes.iter().any(|&byte| byte < b' '),
            })
        }
    }

    /// Reads a string and replaces each half of a surrogate pair by U+FFFD.
    struct WellFormed;

    impl Visitor<'_> for WellFormed {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                // Only surrogate halves are invalid here, and only the first of their three bytes
                // is 0xED.
                if chunk.invalid() == [0xED] {
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
            Ok(text)
        }
    }
}
