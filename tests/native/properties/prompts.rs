//! Prompts: overlap of texts, usage, selection and budgets.

use std::collections::BTreeSet;

use nous_wasm::context::{
    ContextBudget, ContextMode, FoundMemory, MemoryDetail, MemoryType, MemoryUse, Omitted,
    PromptEntry, PromptLimits, PromptSection, SECTIONS, Selecting, cosines, estimate_tokens,
    frame_boost, recency_boost, select, similarities, usage_boost, usage_rate, usage_score,
    write_identity, write_prompt,
};
use nous_wasm::is_stop_word;

use super::*;

const MODES: [ContextMode; 2] = [ContextMode::Default, ContextMode::SeedCompatible];

fn mode() -> impl Strategy<Value = ContextMode> {
    select_from(&MODES)
}

fn select_from<T: Copy + std::fmt::Debug + 'static>(
    values: &'static [T],
) -> impl Strategy<Value = T> {
    proptest::sample::select(values)
}

/// Words, imitations of prompt structure, and any text.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select_from(&[
            "redis",
            "Redis",
            "cache",
            "the",
            "with",
            "deploy",
            "ab",
            "λόγος",
            "ΛΌΓΟΣ",
            "今天",
            "🙂"
        ])
        .prop_map(String::from),
        select_from(&[
            "## Identity",
            "\n## Identity\n\n",
            "\r# x",
            "\u{2028}- y",
            "\n===\n",
            "```",
            "<!--",
            "\t",
            "\u{85}#"
        ])
        .prop_map(String::from),
        any::<String>(),
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.join(" "))
}

mod overlap {
    use super::*;

    fn words(text: &str, mode: ContextMode) -> BTreeSet<String> {
        text.to_lowercase()
            .split(|c| !regex_syntax::is_word_character(c))
            .filter(|word| word.chars().count() >= 3)
            .filter(|word| mode == ContextMode::SeedCompatible || !is_stop_word(word))
            .map(String::from)
            .collect()
    }

    proptest! {
        #[test]
        fn is_the_share_of_words_of_the_shorter_text(
            texts in vec(text(), 0..5), others in vec(text(), 0..4), mode in mode(),
        ) {
            let (texts, others): (Vec<&str>, Vec<&str>) =
                (texts.iter().map(String::as_str).collect(), others.iter().map(String::as_str).collect());
            let shares = similarities(&texts, &others, mode);
            prop_assert_eq!(shares.len(), texts.len());
            for (text, share) in texts.iter().zip(shares) {
                let own = words(text, mode);
                let max = others.iter().map(|other| {
                    let other = words(other, mode);
                    let fewer = own.len().min(other.len());
                    if fewer == 0 { 0.0 } else { own.intersection(&other).count() as f64 / fewer as f64 }
                });
                prop_assert_eq!(share, max.fold(0.0, f64::max));
            }
        }
    }

    #[test]
    fn of_examples() {
        let of = |one: &str, other: &str, mode| similarities(&[one], &[other], mode)[0];
        for mode in MODES {
            assert_eq!(of("brown fox jumps", "the quick brown fox", mode), 2.0 / 3.0);
            assert_eq!(of("", "", mode), 0.0);
            assert_eq!(of("a is of", "a is of", mode), 0.0);
            assert_eq!(of("Redis cache", "redis CACHE is fast and simple", mode), 1.0);
            assert_eq!(
                of("alpha beta gamma delta", "alpha beta something else entirely", mode),
                0.5
            );
        }
        assert_eq!(of("the fox", "the dog", ContextMode::SeedCompatible), 0.5);
        assert_eq!(of("the fox", "the dog", ContextMode::Default), 0.0);
    }
}

mod embeddings {
    use super::*;

    #[test]
    fn are_compared_by_cosine_and_zero_vectors_give_0() {
        let memories = [1.0, 0.0, 3.0, 4.0, 0.0, 0.0, -1.0, 0.0, 1e200, 1e200];
        let messages = [2.0, 0.0, 0.0, 0.0];
        assert_eq!(cosines(&memories, &messages, 2), [1.0, 0.6, 0.0, 0.0, 0.0]);
        assert_eq!(cosines(&memories[6..8], &messages[..2], 2), [-1.0]);
        assert_eq!(cosines(&memories, &[], 2), [0.0; 5]);
        assert!(cosines(&[], &messages, 2).is_empty());
    }
}

mod usage {
    use super::*;

    fn uses() -> impl Strategy<Value = Vec<MemoryUse>> {
        let day = 86_400_000.0;
        let at = prop_oneof![
            (0..4000_i64).prop_map(move |hours| NOW - hours as f64 * day / 24.0),
            -8.64e15..8.64e15
        ];
        vec((at, any::<bool>()).prop_map(|(at, referenced)| MemoryUse { at, referenced }), 0..40)
    }

    proptest! {
        #[test]
        fn rates_lie_in_0_to_1_and_boosts_in_their_range(uses in uses()) {
            for (mode, min, max) in [(ContextMode::Default, 0.3, 2.0), (ContextMode::SeedCompatible, 0.5, 1.5)] {
                let (rate, boost) = (usage_rate(&uses, mode), usage_boost(&uses, mode));
                prop_assert!((0.0..=1.0).contains(&rate), "{rate}");
                prop_assert!((min..=max).contains(&boost), "{boost}");
                let all = uses.iter().all(|it| it.referenced);
                let none = uses.iter().all(|it| !it.referenced);
                if uses.len() >= 2 && (all || none) {
                    prop_assert_eq!((rate, boost), if all { (1.0, max) } else { (0.0, min) });
                }
            }
        }

        #[test]
        fn a_further_use_moves_the_rate_towards_itself(uses in uses(), mode in mode()) {
            let newest = uses.iter().fold(NOW, |newest, it| newest.max(it.at));
            let rate = usage_rate(&uses, mode);
            for referenced in [true, false] {
                let more: Vec<MemoryUse> = uses.iter().copied().chain([MemoryUse { at: newest, referenced }]).collect();
                let moved = usage_rate(&more, mode);
                prop_assert!(if referenced { moved >= rate } else { moved <= rate }, "{rate} to {moved}");
            }
        }

        #[test]
        fn a_score_only_shrinks_as_time_goes_by(uses in uses(), earlier in -8.64e15..8.64e15, days in 0.0..1000.0) {
            let (then, now) = (usage_score(&uses, earlier), usage_score(&uses, earlier + days * 86_400_000.0));
            prop_assert!(0.0 <= now && now <= then, "{then} to {now}");
        }
    }

    #[test]
    fn of_examples() {
        let day = 86_400_000.0;
        let use_of = |days: f64, referenced| MemoryUse { at: NOW - days * day, referenced };
        assert_eq!(usage_score(&[use_of(7.0, true)], NOW), 0.5);
        assert_eq!(
            usage_score(&[use_of(7.0, true), use_of(0.0, true), use_of(0.0, false)], NOW),
            1.5
        );
        assert_eq!(usage_score(&[use_of(-3.0, true)], NOW), 1.0);
        assert_eq!(usage_score(&[], NOW), 0.0);
        let [yes, no] = [true, false].map(|referenced| use_of(1.0, referenced));
        assert_eq!(usage_boost(&[yes, yes, no], ContextMode::SeedCompatible), 0.5 + 2.0 / 3.0);
        assert_eq!(usage_boost(&[no, no, no], ContextMode::SeedCompatible), 0.5);
        assert_eq!(usage_boost(&[yes, no], ContextMode::Default), 1.15);
        for mode in MODES {
            assert_eq!(usage_boost(&[], mode), 1.0);
            assert_eq!(usage_boost(&[no], mode), 1.0);
        }
        // After a week the same count half: 1 of 1.5 was referenced.
        assert_eq!(
            usage_boost(&[use_of(7.0, false), use_of(0.0, true)], ContextMode::Default),
            0.3 + 1.7 * (1.0 / 1.5)
        );
        // So long ago that both weights underflow, but their ratio stays.
        let ages_ago = [use_of(90_000_000.0, true), use_of(90_000_000.0, false)];
        assert_eq!(usage_rate(&ages_ago, ContextMode::Default), 0.5);
    }
}

mod selection {
    use super::*;

    #[derive(Clone, Debug)]
    struct Found {
        memory_type: MemoryType,
        id: u32,
        relevance: f64,
        same_frame: bool,
        censors: Vec<u32>,
        usage_boost: f64,
        created_at: f64,
        text: String,
        topic: &'static str,
    }

    impl Found {
        fn borrow(&self) -> FoundMemory<'_> {
            FoundMemory {
                memory_type: self.memory_type,
                id: self.id,
                relevance: self.relevance,
                same_frame: self.same_frame,
                censors: &self.censors,
                created_at: self.created_at,
                usage_boost: self.usage_boost,
                text: &self.text,
                outcome: "",
                topic: self.topic,
            }
        }
    }

    fn censors() -> impl Strategy<Value = Vec<u32>> {
        proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=4)
    }

    prop_compose! {
        fn found()(
            memory_type in select_from(&MemoryType::ALL),
            id in 0..30_u32,
            relevance in prop_oneof![select_from(&[0.0, -0.0, 0.2, 0.3, 1.0, -1.0]), -1.0..1.0],
            same_frame in any::<bool>(),
            censors in censors(),
            usage_boost in select_from(&[0.3, 1.0, 1.15, 2.0]),
            created_at in select_from(&[f64::NEG_INFINITY, 0.0, NOW]),
            text in text(),
            topic in select_from(&["", "Redis", "redis x", "deploy", "unknown"]),
        ) -> Found {
            Found { memory_type, id, relevance, same_frame, censors, usage_boost, created_at, text, topic }
        }
    }

    proptest! {
        #[test]
        fn selects_each_memory_once_or_has_a_reason(
            found in vec(found(), 0..40),
            active in censors(),
            mode in mode(),
            recency in select_from(&[0.0, 0.3, 1.0]),
        ) {
            let found: Vec<FoundMemory> = found.iter().map(Found::borrow).collect();
            let by = Selecting { mode, min_scores: [0.2; 5], censors: &active, recency, now: NOW };
            let selection = select(&found, &by);
            let of = |row: u32| &found[row as usize];
            prop_assert_eq!(selection.unselected.len(), found.len());
            let selected: BTreeSet<u32> = selection.order.iter().copied().collect();
            prop_assert_eq!(selected.len(), selection.order.len());
            for (row, reason) in (0..).zip(&selection.unselected) {
                prop_assert_eq!(reason.is_none(), selected.contains(&row));
            }
            let ids: BTreeSet<u32> = selection.order.iter().map(|&row| of(row).id).collect();
            prop_assert_eq!(ids.len(), selection.order.len());
            prop_assert!(selection.order.is_sorted_by_key(|&row| of(row).memory_type as u8));
            if mode == ContextMode::Default {
                let score = |row: u32| {
                    let it = of(row);
                    let boost = frame_boost(it.same_frame, it.censors, &active);
                    it.relevance * boost * it.usage_boost * recency_boost(it.created_at, recency, NOW)
                };
                let in_order = |a: u32, b: u32| score(a) > score(b) || (score(a) == score(b) && of(a).id < of(b).id);
                let holds = |&[a, b]: &[u32; 2]| of(a).memory_type != of(b).memory_type || in_order(a, b);
                prop_assert!(selection.order.array_windows().all(holds));
            }
        }

        #[test]
        fn boosts_circumstances_by_1_to_1_56(same_frame in any::<bool>(), stored in censors(), active in censors()) {
            let boost = frame_boost(same_frame, &stored, &active);
            prop_assert!((1.0..=1.3 * 1.2).contains(&boost));
            prop_assert_eq!(boost, frame_boost(same_frame, &active, &stored));
        }
    }

    #[test]
    fn boosts_of_examples() {
        assert_eq!(frame_boost(true, &[1, 2], &[2, 1]), 1.56);
        assert_eq!(frame_boost(true, &[], &[1]), 1.3);
        assert_eq!(frame_boost(false, &[1, 2, 3], &[3, 4]), 1.05);
        assert_eq!(frame_boost(false, &[1], &[]), 1.0);
    }
}

mod writing {
    use super::*;

    #[derive(Clone, Debug)]
    enum Line {
        Note(String, String),
        Decision(String, String, Option<f64>),
        Fact(String, String),
        Procedure(String, f64, Option<f64>),
        Episode(String, String),
        Conversation(String, String),
    }

    impl Line {
        fn entry(&self) -> (PromptSection, PromptEntry<'_>) {
            match self {
                Self::Note(label, text) => {
                    (PromptSection::WorkingMemory, PromptEntry::Note { label, text })
                }
                Self::Decision(description, outcome, confidence) => {
                    let confidence = *confidence;
                    (
                        PromptSection::RelatedDecisions,
                        PromptEntry::Decision { description, outcome, confidence },
                    )
                }
                Self::Fact(content, subject) => (
                    PromptSection::RelevantFacts,
                    PromptEntry::Fact { content, subject, confidence: None },
                ),
                Self::Procedure(name, activations, effectiveness) => {
                    let (activations, effectiveness) = (*activations, *effectiveness);
                    (
                        PromptSection::KnownProcedures,
                        PromptEntry::Procedure { name, domain: "", activations, effectiveness },
                    )
                }
                Self::Episode(summary, outcome) => (
                    PromptSection::PastEpisodes,
                    PromptEntry::Episode { summary, outcome, date: "2026-01-15" },
                ),
                Self::Conversation(title, summary) => (
                    PromptSection::RecentConversations,
                    PromptEntry::Conversation { title, summary },
                ),
            }
        }
    }

    fn line() -> impl Strategy<Value = Line> {
        prop_oneof![
            (text(), text()).prop_map(|(label, text)| Line::Note(label, text)),
            (text(), text(), prop::option::of(0.0..1.0))
                .prop_map(|(a, b, c)| Line::Decision(a, b, c)),
            (text(), text()).prop_map(|(content, subject)| Line::Fact(content, subject)),
            (text(), 0..100_u32, prop::option::of(0.0..1.0)).prop_map(|(a, b, c)| Line::Procedure(
                a,
                f64::from(b),
                c
            )),
            (text(), text()).prop_map(|(summary, outcome)| Line::Episode(summary, outcome)),
            (text(), text()).prop_map(|(title, summary)| Line::Conversation(title, summary)),
        ]
    }

    /// Token counters. The result of one of them does not rise with length.
    const COUNTERS: [fn(&str) -> f64; 4] = [
        estimate_tokens,
        |text| text.split_whitespace().count() as f64,
        |text| 3.0 + (text.len() as f64 / 40.0).powi(2),
        |text| (text.len() * 37 % 101) as f64,
    ];

    fn limits() -> impl Strategy<Value = PromptLimits> {
        let max = prop_oneof![0..60_u32, 0..1000_u32].prop_map(f64::from);
        let sections = proptest::collection::vec(max, SECTIONS);
        (0..300_u32, sections).prop_map(|(total, sections)| {
            let mut limits: [f64; SECTIONS] = sections.try_into().expect("one limit per section");
            limits[PromptSection::RecentConversations as usize] = f64::INFINITY;
            PromptLimits { mode: ContextMode::Default, total: f64::from(total), sections: limits }
        })
    }

    /// Splits at every character that some reader takes for a line break.
    fn lines_of(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
    }

    proptest! {
        #[test]
        fn no_budget_is_exceeded_with_any_counter(
            identity in text(), lines in vec(line(), 0..20), limits in limits(), counter in select_from(&COUNTERS),
        ) {
            let entries: Vec<_> = lines.iter().map(Line::entry).collect();
            let prompt = write_prompt(&identity, &entries, &limits, &counter);
            prop_assert!(prompt.text.is_empty() || counter(&prompt.text) <= limits.total);
            prop_assert!(prompt.text.is_empty() || prompt.tokens == counter(&prompt.text));
            for written in &prompt.sections {
                let content = &prompt.text[written.content.0..written.content.1];
                prop_assert_eq!(written.tokens, counter(content));
                prop_assert!(written.tokens <= limits.sections[written.section as usize]);
            }
        }

        /// Every entry is in the prompt as a whole line under its heading, and the prompt has no
        /// other text.
        #[test]
        fn memories_never_add_a_heading(lines in vec(line(), 0..20), limits in limits()) {
            let entries: Vec<_> = lines.iter().map(Line::entry).collect();
            let prompt = write_prompt("I am.", &entries, &limits, &estimate_tokens);
            let headings: Vec<String> = prompt.sections.iter().map(|it| format!("## {}", it.section.label())).collect();
            let mut found = Vec::new();
            let mut items = 0;
            for line in lines_of(&prompt.text) {
                match line {
                    "" | "I am." | "I..." => {}
                    _ if line.starts_with("- ") => {
                        let text = line.trim_start_matches("- ");
                        prop_assert!(!text.starts_with(['#', '-', '+', '*', '>', '=']) || text.starts_with("**"), "{line}");
                        prop_assert!(!line.replace("\\```", "").replace("\\~~~", "").starts_with("```"), "{line}");
                        items += 1;
                    }
                    _ => found.push(line.to_string()),
                }
            }
            prop_assert_eq!(found, headings);
            prop_assert_eq!(items, prompt.omitted.iter().filter(|why| why.is_none()).count());
        }

        #[test]
        fn what_is_too_long_is_trimmed_from_the_end(lines in vec(line(), 0..20), total in 0..400_u32) {
            let entries: Vec<_> = lines.iter().map(Line::entry).collect();
            let limits = PromptLimits {
                mode: ContextMode::Default,
                total: f64::from(total),
                sections: [f64::INFINITY; SECTIONS],
            };
            let prompt = write_prompt("I am.", &entries, &limits, &estimate_tokens);
            let places = |why: Option<Omitted>| {
                let order = |&(place, _): &(usize, _)| (entries[place].0 as u8, place);
                let omitted = prompt.omitted.iter().enumerate();
                omitted.filter(move |&(_, its)| *its == why).map(|it| order(&it)).collect::<Vec<_>>()
            };
            let last = places(None).into_iter().max();
            let first = places(Some(Omitted::Total)).into_iter().min();
            prop_assert!(last.zip(first).is_none_or(|(last, first)| last < first));
        }

        #[test]
        fn an_identity_keeps_whole_words(words in vec("[a-z]{1,9}", 1..60), max in 3..40_u32) {
            let identity = words.join(" ");
            let (text, tokens) = write_identity(&identity, f64::from(max), &estimate_tokens);
            prop_assert!(tokens <= f64::from(max));
            let beginning = text.strip_suffix("...").unwrap_or(&text);
            prop_assert!(identity.starts_with(beginning));
            prop_assert!(beginning == identity || text.ends_with("...") && identity[beginning.len()..].starts_with(' '));
        }
    }

    #[test]
    fn the_seed_cuts_at_the_budget_and_counts_cut_entries() {
        let text = "longer ".repeat(20);
        let entries = [(
            PromptSection::RelatedDecisions,
            PromptEntry::Decision { description: &text, outcome: "", confidence: None },
        )];
        let limits = PromptLimits {
            mode: ContextMode::SeedCompatible,
            total: 1.0,
            sections: [5.0; SECTIONS],
        };
        let prompt = write_prompt("I am.", &entries, &limits, &estimate_tokens);
        assert_eq!(
            prompt.text,
            "## Identity\n\nI am.\n\n## Related Decisions\n\n- [pending] longe..."
        );
        assert_eq!(prompt.omitted, [None]);
        let limits = PromptLimits { mode: ContextMode::Default, total: 100.0, ..limits };
        let prompt = write_prompt("I am.", &entries, &limits, &estimate_tokens);
        assert_eq!(prompt.text, "## Identity\n\nI am.");
        assert_eq!(prompt.omitted, [Some(Omitted::Budget)]);
    }

    #[test]
    fn budgets_of_frames() {
        use nous_wasm::context::Frame;
        let conversation = ContextBudget::of_frame(Some(Frame::Conversation));
        assert_eq!((conversation.total, conversation.procedures), (3000, 0));
        let decision = ContextBudget::of_frame(Some(Frame::Decision));
        assert_eq!((decision.total, decision.decisions), (12_000, 3000));
        assert_eq!(ContextBudget::of_frame(None), ContextBudget::of_frame(Some(Frame::Task)));
        assert_eq!(estimate_tokens("abcd"), 1.0);
        assert_eq!(estimate_tokens(&"a".repeat(400)), 100.0);
        assert_eq!(estimate_tokens(""), 1.0);
    }
}

mod detail {
    use super::*;

    fn written(title: &str, fields: &[(&str, &str)], text: &str) -> String {
        MemoryDetail { memory_type: MemoryType::Decision, title, fields, text }.write()
    }

    #[test]
    fn holds_every_field_with_a_value() {
        let fields =
            [("id", "a1"), ("outcome", ""), ("tags", " \n"), ("signals", r#"{"symbol":"BTC"}"#)];
        let detail = written("Hold BTC", &fields, "\n\nAbove 40k.\r\n\n \nSell below.\n");
        assert_eq!(
            detail,
            "Decision: Hold BTC\nid: a1\nsignals: {\"symbol\":\"BTC\"}\n\n> Above 40k.\n>\n> Sell below."
        );
        assert_eq!(written(" ", &[], " \n "), "Decision: Untitled");
    }

    #[test]
    fn is_never_read_as_structure() {
        let detail = written(
            "# Identity\n## System",
            &[("a\nb", "```\n- c")],
            "# You\n\n```\n> quoted\u{2028}# more\r- x",
        );
        let quoted = "> \\# You\n>\n> \\```\n> \\> quoted \\# more \\- x";
        assert_eq!(
            detail,
            format!("Decision: \\# Identity \\## System\na b: \\``` \\- c\n\n{quoted}")
        );
    }
}
