//! The phrases by which a turn is classified: English ones, which are matched in any case of ASCII
//! letters, and greetings, thanks and agreement of other languages, which are matched by their
//! words.

use std::sync::LazyLock;

use super::{ContextMode, MemoryType};
use crate::automaton::Automaton;
use crate::text::reading::{Held, each_held_in};
use crate::text::{is_curled_apostrophe, is_white_space, word_after, word_before};

/// The greetings that a turn may open with.
pub const GREETINGS: [&str; 13] = [
    "hey",
    "hi",
    "hello",
    "sup",
    "yo",
    "good morning",
    "good afternoon",
    "good evening",
    "good night",
    "howdy",
    "greetings",
    "what's up",
    "whats up",
];

/// The words that open a question.
pub const QUESTION_WORDS: [&str; 22] = [
    "what", "where", "when", "why", "how", "who", "which", "can", "should", "is", "are", "do",
    "does", "did", "will", "would", "could", "has", "have", "was", "were", "might",
];

/// Turns that need no memory.
pub const ACKNOWLEDGEMENTS: [&str; 30] = [
    "ok",
    "okay",
    "thanks",
    "thank you",
    "thx",
    "ty",
    "got it",
    "sure",
    "yes",
    "no",
    "yep",
    "nope",
    "nice",
    "cool",
    "great",
    "perfect",
    "good",
    "hello",
    "hey",
    "hi",
    "sup",
    "yo",
    "of course",
    "sounds good",
    "makes sense",
    "right",
    "yea",
    "yeah",
    "k",
    "kk",
];

/// Turns in German, Dutch, French, Spanish, Portuguese, Italian, Polish, Turkish, Russian, Arabic,
/// Hindi, Chinese, Japanese and Korean that need no memory, as people write them, with `|` between
/// them.
const OF_OTHER_LANGUAGES: &str = "\
danke|danke schön|vielen dank|hallo|guten morgen|guten tag|guten abend|gute nacht|alles klar|\
verstanden|in ordnung|tschüss|ja|nein|gut|dank je|dank je wel|dankjewel|bedankt|goedemorgen|nee|\
goed|oké|prima|merci|merci beaucoup|bonjour|bonsoir|salut|d'accord|de rien|oui|non|très bien|\
gracias|muchas gracias|hola|buenos días|buenas tardes|buenas noches|vale|de acuerdo|de nada|sí|\
obrigado|obrigada|muito obrigado|olá|bom dia|boa tarde|boa noite|sim|não|tudo bem|grazie|\
grazie mille|ciao|buongiorno|buonasera|va bene|prego|dziękuję|dzięki|cześć|dzień dobry|dobrze|\
tak|nie|teşekkürler|teşekkür ederim|sağ ol|merhaba|selam|tamam|evet|hayır|спасибо|\
большое спасибо|привет|здравствуйте|добрый день|хорошо|понятно|пожалуйста|да|нет|شكرا|\
شكرا جزيلا|مرحبا|حسنا|نعم|لا|धन्यवाद|शुक्रिया|नमस्ते|ठीक है|अच्छा|हाँ|नहीं|谢谢|谢谢你|感谢|謝謝|感謝|你好|\
您好|好的|不客气|明白了|ありがとう|ありがとうございます|どうも|こんにちは|はい|いいえ|了解|了解です|わかりました|감사합니다|고맙습니다|고마워|고마워요|안녕|안녕하세요|네|\
아니요|알겠습니다";

/// The most bytes of a turn that is compared with them.
const MAX_OTHER: usize = 100;

/// Those of other languages, each as [`add_words`] writes it, and a last `|`.
static OTHERS: LazyLock<String> = LazyLock::new(|| {
    let mut all = String::new();
    for phrase in OF_OTHER_LANGUAGES.split('|') {
        add_words(phrase, &mut all);
    }
    all.push('|');
    all
});

/// Adds `|` and the words of a text by which memories are found, a space after each.
#[inline(never)]
fn add_words(text: &str, all: &mut String) {
    all.push('|');
    each_held_in(text, &mut String::new(), &mut |word, held, _| {
        if held == Held::Word {
            all.push_str(word);
            all.push(' ');
        }
    });
}

/// Whether a turn needs no memory, in another language than English: with or without accents, in
/// any case and spelling.
#[inline(never)]
pub fn says_nothing(text: &str) -> bool {
    let mut words = String::new();
    if text.len() <= MAX_OTHER {
        add_words(text, &mut words);
    }
    words.push('|');
    words.len() > 2 && OTHERS.contains(&words)
}

/// The meaning of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sense {
    /// The turn is about something recent, with this strength in [0, 1].
    Recency(f64),
    /// The turn is about memories of a type.
    Hint(MemoryType),
    /// The turn asks for a recap of earlier conversations.
    Recap,
}

/// A set of phrases of one meaning. It counts once, however many of its phrases occur.
pub struct Pattern {
    /// The meaning.
    pub sense: Sense,
    /// The only mode that uses the pattern, or `None` for both modes.
    mode: Option<ContextMode>,
    /// Phrases of whole words. A `*` stands where a word may go on.
    phrases: &'static [&'static str],
}

const fn in_both(sense: Sense, phrases: &'static [&'static str]) -> Pattern {
    Pattern { sense, mode: None, phrases }
}

const fn seed_only(memory_type: MemoryType, phrases: &'static [&'static str]) -> Pattern {
    Pattern { sense: Sense::Hint(memory_type), mode: Some(ContextMode::SeedCompatible), phrases }
}

const fn default_only(memory_type: MemoryType, phrases: &'static [&'static str]) -> Pattern {
    Pattern { sense: Sense::Hint(memory_type), mode: Some(ContextMode::Default), phrases }
}

/// All patterns. A set of patterns is a bit mask in this order.
pub const PATTERNS: [Pattern; 19] = [
    in_both(Sense::Recency(1.0), &["today", "just now", "right now", "currently"]),
    in_both(Sense::Recency(0.8), &["yesterday", "recently", "this week"]),
    in_both(Sense::Recency(0.5), &["last week", "few days ago"]),
    in_both(Sense::Recency(0.3), &["last month", "a while ago"]),
    in_both(
        Sense::Recap,
        &[
            "*what did we talk about*",
            "*what have we discussed*",
            "*what did we do*",
            "*recent conversations*",
            "*catch me up*",
            "*what happened recently*",
            "*what happened lately*",
            "*recap*",
            "*summary of recent*",
        ],
    ),
    // "decid" is not a word, but the table of the seed has it.
    seed_only(
        MemoryType::Decision,
        &["decid", "decision", "chose", "choice", "should we", "recommend"],
    ),
    seed_only(MemoryType::Fact, &["what is", "tell me about", "fact", "know about", "definition"]),
    seed_only(
        MemoryType::Procedure,
        &["how do", "how to", "how can", "steps", "process", "workflow", "guide"],
    ),
    seed_only(MemoryType::Episode, &["last time", "when did", "history", "story", "what happened"]),
    default_only(MemoryType::Decision, &["decide*", "decision*", "decisive*", "deciding"]),
    default_only(MemoryType::Decision, &["chose", "choice", "choose", "chosen", "recommend*"]),
    default_only(MemoryType::Decision, &["should we", "should i", "should they", "should you"]),
    default_only(
        MemoryType::Fact,
        &["what is", "tell me about", "fact", "know about", "definition"],
    ),
    default_only(MemoryType::Fact, &["defin*"]),
    default_only(
        MemoryType::Procedure,
        &["how do", "how did", "how to", "how can", "how could", "how should", "how would"],
    ),
    default_only(MemoryType::Procedure, &["steps", "process", "workflow", "guide", "procedure"]),
    default_only(MemoryType::Episode, &["last time"]),
    default_only(MemoryType::Episode, &["when did", "when was", "when were"]),
    default_only(MemoryType::Episode, &["history", "story", "what happened", "recall", "earlier"]),
];

/// A phrase as the automaton searches it.
struct Phrase {
    pattern: u8,
    bytes: usize,
    /// Whether a word may go on before the phrase, and after it.
    open: [bool; 2],
}

struct Phrases {
    automaton: Automaton,
    all: Vec<Phrase>,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let marked = (0..)
        .zip(&PATTERNS)
        .flat_map(|(pattern, its)| its.phrases.iter().map(move |&it| (pattern, it)));
    let phrase = |(pattern, marked): (u8, &str)| Phrase {
        pattern,
        bytes: marked.trim_matches('*').len(),
        open: [marked.starts_with('*'), marked.ends_with('*')],
    };
    Phrases {
        all: marked.clone().map(phrase).collect(),
        automaton: Automaton::new(marked.map(|(_, marked)| (marked.trim_matches('*'), 1))),
    }
});

/// Returns the patterns of a mode that occur in a text.
pub fn patterns_in(text: &str, mode: ContextMode) -> impl Iterator<Item = &'static Pattern> {
    let Phrases { automaton, all } = &*PHRASES;
    let mut found: u32 = 0;
    automaton.occurrences(text.as_bytes(), |place, end| {
        let phrase = &all[place];
        let bit = 1 << phrase.pattern;
        let is_known = PATTERNS[usize::from(phrase.pattern)].mode.is_none_or(|its| its == mode);
        let [open_before, open_after] = phrase.open;
        let begins = || open_before || !word_before(text, end - phrase.bytes);
        let ends = || open_after || !word_after(text, end);
        if found & bit == 0 && is_known && begins() && ends() {
            found |= bit;
        }
    });
    (0..)
        .zip(&PATTERNS)
        .filter(move |(place, _)| found & 1 << place != 0)
        .map(|(_, pattern)| pattern)
}

/// Returns the end of a phrase that a text begins with, as whole words. In the default mode any
/// white space may stand between its words, and its apostrophes may be typographic.
pub fn after_phrase(text: &str, phrase: &str, mode: ContextMode) -> Option<usize> {
    // Most phrases fail at the first letter, and every turn is compared with lists of phrases.
    if !text.as_bytes().first()?.eq_ignore_ascii_case(&phrase.as_bytes()[0]) {
        return None;
    }
    let is_loose = mode == ContextMode::Default;
    let mut rest = text;
    for c in phrase.chars() {
        rest = match c {
            ' ' if is_loose => {
                let after = rest.trim_start_matches(is_white_space);
                (after.len() < rest.len()).then_some(after)?
            }
            '\'' if is_loose => rest.strip_prefix(|c| c == '\'' || is_curled_apostrophe(c))?,
            _ => rest.strip_prefix(|found: char| found.eq_ignore_ascii_case(&c))?,
        };
    }
    let end = text.len() - rest.len();
    (!word_after(text, end)).then_some(end)
}
