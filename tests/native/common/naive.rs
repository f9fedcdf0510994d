//! The rules in plain Rust: the property tests compare the kernels with them, and the benchmarks
//! use them as baselines.

use std::collections::HashMap;

use nous_wasm::signal::SIGNALS;
use nous_wasm::{
    Candidate, ContextRow, DecayColumns, Hit, Lifecycle, MergeOptions, Query, Ranked, Section,
    SectionTable, Selected, Weighting, Weights,
};

/// Milliseconds in a day.
pub const DAY: f64 = 86_400_000.0;

/// The exp and tanh of the rules.
pub trait Math {
    fn exp(x: f64) -> f64;
    fn tanh(x: f64) -> f64;
}

/// The functions of the crate: results are equal to the bit.
pub struct Ported;

impl Math for Ported {
    fn exp(x: f64) -> f64 {
        nous_wasm::math::exp(x)
    }
    fn tanh(x: f64) -> f64 {
        nous_wasm::math::tanh(x)
    }
}

// ---- ranking ------------------------------------------------------------------------------------

/// The whole batch by score, high to low, stable.
pub fn rerank<M: Math>(candidates: &[Candidate], query: &Query<'_>) -> Vec<Ranked> {
    let max_bm25 = candidates.iter().map(|candidate| candidate.bm25_score).fold(0.0, f64::max);
    let rate = |(index, candidate): (usize, &Candidate)| {
        let breakdown = signals::<M>(candidate, query, max_bm25, candidates.len());
        let weights = weights_of(candidate, query.weighting).to_array();
        let parts: [f64; 6] = std::array::from_fn(|i| weights[i] * breakdown[i]);
        let score = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + parts[5];
        let largest = |best, place| if parts[place] > parts[best] { place } else { best };
        let primary_signal = (0..SIGNALS.len()).reduce(largest).unwrap();
        Ranked { index, score, breakdown, primary_signal }
    };
    let mut ranking: Vec<Ranked> = candidates.iter().enumerate().map(rate).collect();
    ranking.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("no score is NaN"));
    ranking
}

fn weights_of(candidate: &Candidate, weighting: Weighting<'_>) -> Weights {
    match weighting {
        Weighting::Uniform(weights) => weights,
        Weighting::Sections(table) if table.enabled() => {
            table.profile(candidate.section).reranking_weights
        }
        Weighting::Sections(_) => Weights::GLOBAL,
    }
}

fn signals<M: Math>(
    candidate: &Candidate,
    query: &Query<'_>,
    max_bm25: f64,
    candidates: usize,
) -> [f64; 6] {
    let days = |from: f64| ((query.now - from) / DAY).floor();
    let keyword = match (max_bm25, candidates) {
        (0.0, _) => 0.5,
        (_, 1) => 1.0,
        _ => candidate.bm25_score / max_bm25,
    };
    let recency = M::exp(-days(candidate.last_accessed) / 30.0);
    let authority = match query.avg_inbound_edges {
        0.0 => 0.5,
        average => (candidate.inbound_edge_count / average / 2.0).min(1.0),
    };
    let new = if days(candidate.created_at) < 7.0 { 0.2 } else { 0.0 };
    let affinity = (M::tanh(candidate.access_count / 10.0) * recency + new).min(1.0);
    [candidate.semantic_score, keyword, candidate.graph_score, recency, authority, affinity]
}

// ---- decay --------------------------------------------------------------------------------------

/// Retrievability on the exponential curve and lifecycle of each node.
pub fn decay_columns<M: Math>(
    columns: DecayColumns<'_>,
    now: f64,
    table: &SectionTable,
    retrievability: &mut [f64],
    lifecycle: &mut [u8],
) {
    for node in 0..columns.stability.len() {
        let stability = columns.stability[node];
        let decay = &table
            .profile(Section::from_code(columns.section[node]).expect("a section code"))
            .decay;
        let days = ((now - columns.last_accessed[node]) / DAY).max(0.0);
        let r = if stability <= 0.0 { 0.0 } else { M::exp(-days / stability) };
        let days_dormant = if r < decay.weak_threshold { days } else { 0.0 };
        let state = if r > decay.active_threshold {
            Lifecycle::Active
        } else if r > decay.weak_threshold {
            Lifecycle::Weak
        } else if days_dormant < 60.0 {
            Lifecycle::Dormant
        } else if days_dormant < 120.0 {
            Lifecycle::Compress
        } else {
            Lifecycle::Archive
        };
        retrievability[node] = r;
        lifecycle[node] = state as u8;
    }
}

// ---- intent -------------------------------------------------------------------------------------

/// The built-in strings in the order of results, as specified.
const STRINGS: [(Section, &str); 4] = [
    (
        Section::Signals,
        "signal · signals · firing · active signal · what's happening · whats happening · right now · current · live · \
         real-time · realtime · alert · anomaly · anomalies · scanner · watchpoint · watchpoints · watching",
    ),
    (
        Section::Episodic,
        "my trade · my position · my trades · my positions · last time · when did i · when i · trade history · \
         what happened · my short · my long · entry · exit · closed · opened · pnl · profit · loss · drawdown · \
         session · conversation · yesterday · last week",
    ),
    (
        Section::Knowledge,
        "lesson · lessons · learned · learning · principle · principles · what do i know · thesis · theses · theory · \
         pattern · insight · insights · wisdom · rule · why does · why do · how does · how do · understand · explain",
    ),
    (
        Section::Procedural,
        "playbook · playbooks · procedure · process · how do i trade · my setup · my process · steps for · \
         strategy for · approach for · when i see · my plan for · template · missed opportunity · good pass",
    ),
];

/// The strings of each section, in the order of results.
pub type Table = Vec<(Section, Vec<String>)>;

/// The built-in table.
pub fn intent_table() -> Table {
    STRINGS.map(|(section, list)| (section, list.split(" · ").map(String::from).collect())).into()
}

/// Returns the sections of which a string occurs anywhere.
pub fn classify(query: &str, table: &Table) -> Vec<Section> {
    let text = query.to_lowercase();
    let asked = table
        .iter()
        .filter(|(_, strings)| strings.iter().any(|string| text.contains(string.as_str())));
    asked.map(|&(section, _)| section).collect()
}

/// Counts the places of `text` at which the string begins.
pub fn count_substring(text: &str, string: &str) -> usize {
    let text = text.to_lowercase();
    let string = string.to_lowercase();
    text.char_indices().filter(|&(at, _)| text[at..].starts_with(&string)).count()
}

/// Counts the places of `text` at which the phrase begins as whole words. No word character may
/// touch a word character at its edges, any run of white space separates its words, and apostrophes
/// of all forms are equal.
pub fn count_phrase(text: &str, phrase: &str, is_word: impl Fn(char) -> bool) -> usize {
    let straight = |text: &str| -> Vec<char> {
        let lower = text.to_lowercase();
        lower.chars().map(|c| if matches!(c, '‘' | '’' | 'ʼ' | '＇') { '\'' } else { c }).collect()
    };
    let (text, phrase) = (straight(text), straight(phrase));
    let words: Vec<&[char]> =
        phrase.split(|&c| is_white_space(c)).filter(|word| !word.is_empty()).collect();
    let (first, last) = (words[0][0], *words[words.len() - 1].last().unwrap());
    let matches_at = |start: usize| {
        let mut at = start;
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                let white = text[at..].iter().take_while(|&&c| is_white_space(c)).count();
                if white == 0 {
                    return false;
                }
                at += white;
            }
            if !text[at..].starts_with(word) {
                return false;
            }
            at += word.len();
        }
        let touched_before = is_word(first) && start > 0 && is_word(text[start - 1]);
        let touched_after = is_word(last) && at < text.len() && is_word(text[at]);
        !touched_before && !touched_after
    };
    (0..text.len()).filter(|&start| matches_at(start)).count()
}

/// ECMAScript's `\s`, which differs from Unicode's white space in U+0085 and U+FEFF.
pub fn is_white_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}')
}

// ---- merge --------------------------------------------------------------------------------------

/// Merging, step by step.
pub fn merge_and_select(
    sub_results: &[&[Hit<'_>]],
    options: &MergeOptions,
    table: &SectionTable,
) -> Vec<Selected> {
    let instance = |group: usize, row: usize| {
        let score = sub_results[group][row].score;
        Selected { group, row, score: if score.is_finite() { score } else { 0.0 }, boosted: false }
    };
    let id_of = |it: &Selected| sub_results[it.group][it.row].id.unwrap_or_default();
    let has_id = |hit: &Hit<'_>| hit.id.is_some_and(|id| !id.is_empty());

    // 1, 2: the best instance of each id, by first occurrence.
    let mut kept: Vec<Selected> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    for (group, results) in sub_results.iter().enumerate() {
        for (row, hit) in results.iter().enumerate().filter(|(_, hit)| has_id(hit)) {
            let candidate = instance(group, row);
            let place = *place_of.entry(hit.id.unwrap_or_default()).or_insert(kept.len());
            match kept.get_mut(place) {
                None => kept.push(candidate),
                Some(best) if candidate.score > best.score => *best = candidate,
                Some(_) => {}
            }
        }
    }
    // 3: sections that the question asks for are boosted.
    for it in &mut kept {
        let section = sub_results[it.group][it.row].section;
        let boost = table.own_boost(section).unwrap_or(options.intent_boost);
        if table.enabled() && options.intents.contains(section) && boost > 1.0 {
            it.score *= boost;
            it.boosted = true;
        }
    }
    // 4, 5: sorted by score, down to a share of the best.
    let mut ranked = kept.clone();
    ranked.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("no score is NaN"));
    let Some(top) = ranked.first() else { return Vec::new() };
    let cutoff = top.score * options.relevance_ratio;
    let good = ranked.iter().filter(|it| it.score >= cutoff).take(options.max_results);
    let mut selected: Vec<Selected> = good.copied().collect();
    // 6: every sub-query with results is covered.
    if sub_results.len() > 1 {
        let mut covered: Vec<usize> = selected.iter().map(|it| it.group).collect();
        let mut chosen: Vec<&str> = selected.iter().map(id_of).collect();
        for (group, results) in sub_results.iter().enumerate() {
            if covered.contains(&group) || selected.len() >= options.max_results {
                continue;
            }
            let fresh =
                |hit: &Hit<'_>| has_id(hit) && !chosen.contains(&hit.id.unwrap_or_default());
            let Some(row) = results.iter().position(fresh) else { continue };
            let id = results[row].id.unwrap_or_default();
            let best = kept[place_of[id]];
            selected.push(if (best.group, best.row) == (group, row) {
                best
            } else {
                instance(group, row)
            });
            chosen.push(id);
            covered.push(best.group);
        }
    }
    // 7: the best, if nothing was selected.
    if selected.is_empty() {
        selected.push(*top);
    }
    selected
}

/// Each unordered pair of different ids of one group, once.
pub fn co_recall_pairs(selected: &[(u32, u32)]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for first in 0..selected.len() {
        for second in first + 1..selected.len() {
            let ((a, group), (b, other)) = (selected[first], selected[second]);
            let known = |&(i, j): &(usize, usize)| {
                let pair = (selected[i].0, selected[j].0);
                pair == (a, b) || pair == (b, a)
            };
            if group == other && a != b && !pairs.iter().any(known) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

// ---- context ------------------------------------------------------------------------------------

/// Lines of context.
pub fn format_context(
    rows: &[ContextRow<'_>],
    max_tokens: f64,
    table: &SectionTable,
) -> Option<String> {
    let mut lines = Vec::new();
    let mut used = 0;
    for row in rows {
        let line = context_line(row, table);
        used += line.chars().count();
        if used as f64 > max_tokens * 4.0 {
            break;
        }
        lines.push(line);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `- [label · SECTION] title (date): text`
pub fn context_line(row: &ContextRow<'_>, table: &SectionTable) -> String {
    let given = |field: Option<&str>| field.filter(|text| !text.is_empty()).map(String::from);
    let subtype = row.subtype.or(row.node_type).unwrap_or("");
    let label = subtype.strip_prefix("custom:").unwrap_or(subtype);
    let section = given(row.memory_section)
        .unwrap_or_else(|| table.section_of(given(Some(subtype)).as_deref()).name().into());
    let title = row.title.unwrap_or("Untitled");
    let date: String = row.created_at.unwrap_or_default().chars().take(10).collect();
    let body = given(row.body).unwrap_or_default();
    let text = text_in_json(&body).or(given(row.body)).or(given(row.summary)).unwrap_or_default();
    format!("- [{label} · {section}] {title} ({date}): {text}")
}

/// Returns the `text` of a JSON object if it is a string that is not empty.
pub fn text_in_json(body: &str) -> Option<String> {
    if !body.starts_with('{') {
        return None;
    }
    let object: serde_json::Value = serde_json::from_str(body).ok()?;
    let text = object.get("text")?.as_str()?;
    (!text.is_empty()).then(|| text.into())
}
