//! Context lines and their budget; for JSON in bodies see `json`.

use super::*;

#[derive(Clone, Debug, Default)]
struct Row {
    subtype: Option<String>,
    node_type: Option<String>,
    memory_section: Option<String>,
    title: Option<String>,
    body: Option<String>,
    summary: Option<String>,
    created_at: Option<String>,
}

impl Row {
    fn borrow(&self) -> ContextRow<'_> {
        ContextRow {
            subtype: self.subtype.as_deref(),
            node_type: self.node_type.as_deref(),
            memory_section: self.memory_section.as_deref(),
            title: self.title.as_deref(),
            body: self.body.as_deref(),
            summary: self.summary.as_deref(),
            created_at: self.created_at.as_deref(),
        }
    }
}

fn field() -> impl Strategy<Value = Option<String>> {
    let text = prop_oneof![
        any::<String>(),
        "[a-z ]{0,30}",
        select(
            &[
                "",
                "🚀🚀",
                "e\u{301}",
                "line\nbreak",
                "custom:",
                "custom:lesson",
                "custom:signal",
                "👩‍👩‍👧"
            ][..]
        )
        .prop_map(String::from),
    ];
    prop::option::of(text)
}

fn row() -> impl Strategy<Value = Row> {
    let body = prop_oneof![field(), crate::properties::json::object().prop_map(Some)];
    let date = prop_oneof![field(), Just(Some("2026-01-15T09:30:00.000Z".into()))];
    (field(), field(), field(), field(), body, field(), date).prop_map(
        |(subtype, node_type, memory_section, title, body, summary, created_at)| Row {
            subtype,
            node_type,
            memory_section,
            title,
            body,
            summary,
            created_at,
        },
    )
}

proptest! {
    #[test]
    fn lines_equal_the_plain_implementation(rows in vec(row(), 0..8), quarters in -8..2000i32) {
        let table = SectionTable::default();
        let rows: Vec<ContextRow> = rows.iter().map(Row::borrow).collect();
        for max_tokens in [f64::from(quarters) / 4.0, f64::from(quarters) / 3.0, 4000.0, f64::INFINITY] {
            let text = format_context(&rows, max_tokens, &table);
            prop_assert_eq!(text, naive::format_context(&rows, max_tokens, &table));
        }
    }

    /// As many whole lines as fit, and no more. Line breaks between lines do not count.
    #[test]
    fn the_budget_takes_whole_lines_in_order(rows in vec(row(), 0..8), max_tokens in 0..120) {
        let table = SectionTable::default();
        let rows: Vec<ContextRow> = rows.iter().map(Row::borrow).collect();
        let lines: Vec<String> =
            rows.iter().map(|row| format_context(&[*row], f64::INFINITY, &table).expect("a line")).collect();
        let budget = 4 * max_tokens as usize;
        let spent = |lines: &[String]| lines.iter().map(|line| line.chars().count()).sum::<usize>();
        let max = (0..=lines.len()).take_while(|&taken| spent(&lines[..taken]) <= budget).last().unwrap_or(0);
        let expected = (max > 0).then(|| lines[..max].join("\n"));
        prop_assert_eq!(format_context(&rows, f64::from(max_tokens), &table), expected);
    }
}
