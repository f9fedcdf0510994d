//! The time of what a question asks for: what holds, what was before, or how it changed.
//!
//! Languages: English, German, Spanish, French, and the common words of Japanese. A question that
//! says nothing of the kind asks for what holds: "What was her name?" asks for the name.

use super::TimeExpression;
use super::asked::Words;
use super::lexicon::Word;

/// The time of what a question asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Era {
    /// What holds: "Where do I live?"
    Present,
    /// What held before: "Where did I live before?"
    Before,
    /// What held at a time that is over: "Where did I live in March?" The instant after it, in
    /// milliseconds since 1970, by the clock of the question.
    Until(f64),
    /// How it changed: "How did my address change?"
    Course,
}

impl Era {
    /// Its place among the eras, from 0.
    pub fn code(self) -> usize {
        match self {
            Self::Present => 0,
            Self::Before => 1,
            Self::Until(_) => 2,
            Self::Course => 3,
        }
    }
}

/// Words of questions for what was before, wherever they stand.
const BEFORE: &str = "previously previous formerly former earlier originally initially früher \
     frühere früherer früheren früheres vorher vorherige vorheriger vorherigen vorheriges zuvor \
     damals damalige damaliger damaligen ehemals ehemalige ehemaliger ehemaligen einst \
     ursprünglich anfangs anteriormente previamente antes anterior anteriores antaño \
     originalmente inicialmente solía solías solíamos solían auparavant autrefois jadis \
     précédemment précédent précédente initialement anciennement ancien ancienne";
/// Words behind which such a word compares, and tells of no time before.
const COMPARES: &str = "als de than que";
/// The same, of several words.
const BEFORE_IN_WORDS: [&[&str]; 10] = [
    &["back", "then"],
    &["at", "first"],
    &["in", "the", "past"],
    &["in", "those", "days"],
    &["at", "the", "time"],
    &["at", "that", "time"],
    &["in", "der", "vergangenheit"],
    &["al", "principio"],
    &["en", "el", "pasado"],
    &["dans", "le", "passé"],
];
/// "before": at the end of a clause, or of what was.
const BEFORE_AT_END: &str = "before avant";
const WAS: &str = "did was were had";
/// Behind these, "used to" tells of a purpose, or of a habit of today.
const IS: &str = "is are be been being get getting am s re m";
/// "old" is what was before behind these.
const OLD: &str = "old alte alten altes antiguo antigua";
const OWNERS: &str = "my our your his her its their the s meine meinen meiner mein unsere unseren \
     unserer unser ihre ihren seine seinen das die mi nuestra nuestro su la el";

/// "How has", "wie hat": what follows may change.
const HOW: &str = "how what wie was cómo como qué que comment";
const HAS: &str = "did does has have had hat haben ha han a ont est sont";
const CHANGED: &str = "change changed changes develop developed evolve evolved verändert geändert \
     gewandelt entwickelt cambiado cambió cambiaron evolucionado evolucionó changé évolué";
/// Words of questions for a course, wherever they stand.
const COURSE: &str = "timeline historial evolución historique verlauf werdegang";
/// The same, of several words.
const COURSE_IN_WORDS: [&[&str]; 13] = [
    &["over", "time"],
    &["over", "the", "years"],
    &["over", "the", "months"],
    &["history", "of"],
    &["since", "when"],
    &["seit", "wann"],
    &["im", "laufe"],
    &["geschichte", "von"],
    &["desde", "cuándo"],
    &["a", "lo", "largo"],
    &["historia", "de"],
    &["depuis", "quand"],
    &["au", "fil"],
];

/// Strings of Japanese.
const JAPANESE_BEFORE: [&str; 4] = ["以前", "昔", "かつて", "前は"];
const JAPANESE_COURSE: [&str; 6] = ["変化", "推移", "履歴", "経緯", "いつから", "どう変わ"];

/// Returns the time of what a question asks for. `times` are its expressions of time, as
/// [`find`](super::find) returns them for `now`. Its last line says what is asked: an agent may ask
/// a turn together with those before it.
///
/// ```
/// use nous_wasm::times::{Era, era, find};
/// let now = 1_687_255_200_000.0; // 2023-06-20T10:00:00Z
/// let of = |question: &str| era(question, &find(question, now), now);
/// assert_eq!(of("Where do I live?"), Era::Present);
/// assert_eq!(of("Where did I live before?"), Era::Before);
/// assert_eq!(of("How has our rent changed?"), Era::Course);
/// // Until the first of April.
/// assert_eq!(of("Where did I live in March?"), Era::Until(1_680_307_200_000.0));
/// ```
pub fn era(question: &str, times: &[TimeExpression], now: f64) -> Era {
    let ended = question.trim_end_matches([' ', '\r', '\n']);
    let from = ended.rfind('\n').map_or(0, |end| end + 1);
    let question = &ended[from..];
    let words = Words::new(question);
    let is_unspaced = words.tokens.iter().any(|token| token.unspaced);
    let holds =
        |strings: &[&str]| is_unspaced && strings.iter().any(|string| question.contains(string));
    let all = || 0..words.tokens.len();
    let says = |phrases: &[&[&str]]| {
        all().any(|at| {
            phrases
                .iter()
                .any(|phrase| (0..phrase.len()).all(|of| words.lower(at + of) == phrase[of]))
        })
    };
    let changes = |at: usize| {
        words.is_of(at, HOW)
            && (words.is_of(at + 1, CHANGED)
                || words.is_of(at + 1, HAS)
                    && (at + 2..words.tokens.len()).any(|later| words.is_of(later, CHANGED)))
    };
    if says(&COURSE_IN_WORDS)
        || holds(&JAPANESE_COURSE)
        || all().any(|at| words.is_of(at, COURSE) || changes(at))
    {
        return Era::Course;
    }
    // What ends at the present, such as "since March", is not over.
    let named = times.iter().filter(|time| time.span.start >= from).map(|time| time.end);
    let over = named.fold(f64::NEG_INFINITY, f64::max);
    if over > f64::NEG_INFINITY && over < now.floor() {
        return Era::Until(over);
    }
    let was = |at: usize| {
        let before = at.wrapping_sub(1);
        let ends = || match words.token(at + 1) {
            None => true,
            Some(token) => matches!(token.word, Word::Mark(_)),
        };
        words.is_of(at, BEFORE) && !words.is_of(at + 1, COMPARES)
            || words.is_of(at, BEFORE_AT_END)
                && (ends() || (0..at).any(|earlier| words.is_of(earlier, WAS)))
            || words.is_of(at, OLD) && words.is_of(before, OWNERS)
            || words.is_of(at, "used") && words.is_of(at + 1, "to") && !words.is_of(before, IS)
            || words.is_of(at, "use")
                && words.is_of(at + 1, "to")
                && (0..at).any(|earlier| words.is_of(earlier, "did"))
    };
    if says(&BEFORE_IN_WORDS) || holds(&JAPANESE_BEFORE) || all().any(was) {
        return Era::Before;
    }
    Era::Present
}
