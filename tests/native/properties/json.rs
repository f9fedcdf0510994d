//! Bodies that are JSON objects, or nearly: their text is read as by JavaScript's `JSON.parse`.

use super::*;

#[derive(Clone, Debug)]
enum Json {
    Word(&'static str),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        select(
            &[
                "",
                "text",
                "a \"quote\"",
                "back\\slash",
                "\n\t\u{8}\u{c}\r\0\u{1f}",
                "é🚀\u{2028}",
                "/"
            ][..]
        )
        .prop_map(String::from),
    ]
}

fn entries(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Vec<(String, Json)>> {
    let key = prop_oneof![
        3 => Just(String::from("text")),
        2 => select(&["", "Text", "text ", "te", "texts", "__proto__", "é"][..]).prop_map(String::from),
    ];
    vec((key, value), 0..5)
}

fn json() -> impl Strategy<Value = Json> {
    let words = ["null", "true", "false", "0", "-0", "7", "-1.5", "2e3", "1E-2", "0.10"];
    let leaf = prop_oneof![1 => select(words.to_vec()).prop_map(Json::Word), 2 => text().prop_map(Json::Text)];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::List),
            entries(inner).prop_map(Json::Object)
        ]
    })
}

/// Writes JSON in one of its many forms. `style` decides on white space and on escapes.
fn write(json: &Json, style: &mut impl Iterator<Item = u8>, out: &mut String) {
    let mut space = |out: &mut String| {
        out.push_str(["", "", "", " ", "\n", "\t\r "][usize::from(style.next().unwrap_or(0) % 6)])
    };
    match json {
        Json::Word(word) => out.push_str(word),
        Json::Text(text) => write_text(text, style, out),
        Json::List(entries) => {
            out.push('[');
            space(out);
            for (place, entry) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(entry, style, out);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            out.push('{');
            space(out);
            for (place, (key, value)) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_text(key, style, out);
                out.push(':');
                write(value, style, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, style: &mut impl Iterator<Item = u8>, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        let short = match c {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '/' => Some("\\/"),
            '\n' => Some("\\n"),
            '\r' => Some("\\r"),
            '\t' => Some("\\t"),
            '\u{8}' => Some("\\b"),
            '\u{c}' => Some("\\f"),
            _ => None,
        };
        match (style.next().unwrap_or(0) % 3, short) {
            (0, _) if c >= ' ' && c != '"' && c != '\\' => out.push(c),
            (1, Some(short)) => out.push_str(short),
            (style, _) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&if style == 0 {
                        format!("\\u{unit:04x}")
                    } else {
                        format!("\\u{unit:04X}")
                    });
                }
            }
        }
    }
    out.push('"');
}

/// The text of an object, in any form that JSON allows.
pub fn object() -> impl Strategy<Value = String> {
    (entries(json()), vec(any::<u8>(), 1..40)).prop_map(|(entries, style)| {
        let mut out = String::new();
        write(&Json::Object(entries), &mut style.into_iter().cycle(), &mut out);
        out
    })
}

/// Returns the text of the line for this body.
fn shown(body: &str) -> String {
    let row = ContextRow { body: Some(body), title: Some("t"), ..ContextRow::default() };
    let line = format_context(&[row], f64::INFINITY, &SectionTable::default()).expect("a line");
    line.strip_prefix("- [ · KNOWLEDGE] t (): ").expect("the head of the line").into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_text_of_an_object_is_shown(body in object()) {
        let parsed: serde_json::Value = serde_json::from_str(&body).expect("well-formed");
        let text = parsed.get("text").and_then(serde_json::Value::as_str).filter(|text| !text.is_empty());
        prop_assert_eq!(shown(&body), text.unwrap_or(&body));
    }

    /// One character more or less: if a parser accepts it, it is read, else it is shown unchanged.
    #[test]
    fn broken_json_is_accepted_only_if_a_parser_accepts_it(
        body in object(), place in any::<prop::sample::Index>(), change in prop::option::of("[\"\\\\{}:,0a\\x01 ]"),
    ) {
        let mut characters: Vec<char> = body.chars().collect();
        // The brace in front stays, because it makes the body be read as JSON.
        let place = 1 + place.index(characters.len() - 1);
        match change {
            Some(new) => characters.splice(place..place, new.chars()).for_each(drop),
            None => drop(characters.remove(place)),
        }
        let body: String = characters.into_iter().collect();
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&body) {
            // Only half of a surrogate pair is refused by serde_json and allowed by JSON.
            prop_assume!(!error.to_string().contains("surrogate") && !error.to_string().contains("hex escape"));
        }
        let text = naive::text_in_json(&body);
        prop_assert_eq!(shown(&body), text.unwrap_or(body));
    }

    #[test]
    fn any_text_after_a_brace_never_panics(tail in any::<String>()) {
        let body = format!("{{{tail}");
        prop_assert!(!shown(&body).is_empty());
    }
}

#[test]
fn json_that_serde_refuses_is_read_as_in_javascript() {
    let deep = |open: &str, close: &str, depth| [open.repeat(depth), close.repeat(depth)].join("0");
    let lists = deep("[", "]", 100_000);
    let objects = deep(r#"{"a":"#, "}", 100_000);
    let found = [
        format!(r#"{{"a":{lists},"text":"found"}}"#),
        format!(r#"{{"text":"found","a":{lists}}}"#),
        format!(r#"{{"a":{objects},"text":"found"}}"#),
        format!(r#"{{"text":{lists},"text":"found"}}"#),
        r#"{"a":1e999,"text":"found","b":-1e-999}"#.into(),
        format!(
            r#"{{"a":{}.{}e+{},"text":"found"}}"#,
            "9".repeat(5000),
            "1".repeat(5000),
            "7".repeat(5000)
        ),
        r#"{"text":"first","text":7,"text":"found"}"#.into(),
        r#"{"\u0074e\u0078t":"\u0066ound"}"#.into(),
        "{\"\\ud800\":1,\"text\":\"found\"}".into(),
        "{ \t\r\n\"text\" \n:\t\"found\"\r}\n ".into(),
    ];
    for body in &found {
        assert_eq!(shown(body), "found", "{}", &body[..body.len().min(60)]);
    }
}

#[test]
fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
    for (escaped, read) in [
        (r"\ud83d", "\u{FFFD}"),
        (r"\ude80", "\u{FFFD}"),
        (r"\ud83d\ude80", "🚀"),
        (r"\uD83D\uDE80", "🚀"),
        (r"a\ud83db", "a\u{FFFD}b"),
        (r"\ude80\ud83d", "\u{FFFD}\u{FFFD}"),
        (r"\ud83d\ud83d\ude80", "\u{FFFD}🚀"),
        (r"\ud83d\ude80\ude80", "🚀\u{FFFD}"),
        (r"\ud83d\n", "\u{FFFD}\n"),
        (r"\ud83d\u0041", "\u{FFFD}A"),
        (r"\ud7ff\ue000", "\u{D7FF}\u{E000}"),
        (r"\ud83d\\ude80", "\u{FFFD}\\ude80"),
    ] {
        assert_eq!(shown(&format!(r#"{{"text":"{escaped}"}}"#)), read, "{escaped}");
        assert_eq!(
            shown(&format!(r#"{{"{escaped}":"{escaped}","text":"found"}}"#)),
            "found",
            "{escaped}"
        );
    }
}

#[test]
fn invalid_json_is_shown_unchanged() {
    let unclosed = r#"{"text":"x","a":"#.to_string() + &"[".repeat(100_000);
    let bodies = [
        "{",
        "{}",
        "{]",
        r#"{"text":"#,
        r#"{"text":"x""#,
        r#"{"text":"x",}"#,
        r#"{"text":"x"} x"#,
        r#"{"text":"x"}}"#,
        r#"{text:"x"}"#,
        r#"{'text':'x'}"#,
        r#"{"text":"x" /* no comments */}"#,
        r#"{"text":"\x41"}"#,
        r#"{"text":"\u12"}"#,
        r#"{"text":"\ud83d\u12"}"#,
        r#"{"text":"x","a":01}"#,
        r#"{"text":"x","a":+1}"#,
        r#"{"text":"x","a":.5}"#,
        r#"{"text":"x","a":1.}"#,
        r#"{"text":"x","a":1e}"#,
        r#"{"text":"x","a":NaN}"#,
        r#"{"text":"x","a":Infinity}"#,
        r#"{"text":"x","a":undefined}"#,
        "{\"text\":\"a line\nbreak\"}",
        "{\"text\":\"a \0 byte\"}",
        "{\"a\tb\":1,\"text\":\"x\"}",
        "{\"text\":\"x\",\"a\":\"\u{1f}\"}",
        "{\u{A0}\"text\":\"x\"}",
        "{\u{FEFF}\"text\":\"x\"}",
        // JSON, but without a text to show.
        r#"{"text":""}"#,
        r#"{"text":7}"#,
        r#"{"text":null}"#,
        r#"{"text":["x"]}"#,
        r#"{"text":{"text":"x"}}"#,
        r#"{"a":{"text":"x"}}"#,
        r#"{"__proto__":{"text":"x"}}"#,
        r#"{"text":"first","text":7}"#,
        r#"{"text":"first","text":""}"#,
        r#" {"text":"a blank before"}"#,
        r#"[{"text":"in a list"}]"#,
        "\u{FEFF}{\"text\":\"x\"}",
        &unclosed,
    ];
    for body in bodies {
        assert_eq!(shown(body), body);
    }
}
