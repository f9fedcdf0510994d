//! Context: recalled memories as lines of text, and the passage that explains their tags to an
//! agent.

use super::budget::characters_of;
use crate::section::SectionTable;

/// A year, a month and a day: `2026-01-15`.
const DATE_CHARACTERS: usize = 10;

/// A recalled memory, as a line is made of it. An empty subtype or title is shown empty; a missing
/// one is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextRow<'a> {
    /// Such as `custom:lesson`; the label, without its prefix.
    pub subtype: Option<&'a str>,
    /// The label where there is no subtype.
    pub node_type: Option<&'a str>,
    /// The section shown; if empty or missing, that of the subtype, or of the type where there is
    /// no subtype.
    pub memory_section: Option<&'a str>,
    /// The title; `Untitled` when missing.
    pub title: Option<&'a str>,
    /// The body: text, or a JSON object whose `text` is shown.
    pub body: Option<&'a str>,
    /// Shown in place of an empty body.
    pub summary: Option<&'a str>,
    /// Creation in ISO 8601, of which the date is shown.
    pub created_at: Option<&'a str>,
}

/// One line for each memory, in order, until one would pass the budget of `max_tokens` at 4 code
/// points each; line breaks between lines are free. `None` when there is no line.
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

/// [`format_context`] with the host's way to read the `text` of a JSON object: where there is
/// JavaScript, its own parser is right by definition, and ours need not be downloaded.
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

/// The passage for an agent's system prompt: the four sections, what each holds, how fast it fades,
/// for what sort of question it is put first, and the tags in recalled context.
pub fn memory_guidance() -> &'static str {
    include_str!("memory_guidance.md")
}

#[cfg(not(target_arch = "wasm32"))]
mod json {
    //! The `text` of a JSON object, as JavaScript's `JSON.parse` would give it.

    use std::fmt;

    use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
    use serde_json::value::RawValue;

    /// The `text` of a body, if it is a string.
    ///
    /// Accepts exactly what `JSON.parse` does, at any depth; of a repeated key the last one counts;
    /// half of a surrogate pair becomes U+FFFD.
    pub fn text_of(body: &str) -> Option<String> {
        let mut reader = serde_json::Deserializer::from_str(body);
        let object = reader.deserialize_map(ObjectVisitor).ok()?;
        reader.end().ok()?;
        if object.control_in_key {
            // In keys, read as bytes, control characters pass even where they are not escaped.
            serde_json::from_str::<IgnoredAny>(body).ok()?;
        }
        serde_json::Deserializer::from_str(object.text?.get()).deserialize_bytes(WellFormed).ok()
    }

    /// What is to be known of an object.
    struct Object<'de> {
        /// What stands after its last `text`.
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

    /// A key, which need not be Unicode: an escape may hold half of a surrogate pair.
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

    /// Reads a string, each half of a surrogate pair in it as U+FFFD.
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
                // Nothing else is invalid, and of the three bytes of such a half only the first is
                // this one.
                if chunk.invalid() == [0xED] {
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
            Ok(text)
        }
    }
}
