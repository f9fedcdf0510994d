//! What a question asks for, and whether a text holds it: times, numbers, places, persons.

use super::lexicon::Word;
use super::tokens::{Token, tokens};

/// The kinds of thing that a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// It asks when, or how long.
    pub time: bool,
    /// It asks how many, or how much.
    pub number: bool,
    /// It asks where.
    pub place: bool,
    /// It asks who.
    pub person: bool,
}

/// Verbs that follow a question word, and that do not follow a conjunction.
const AUXILIARIES: &str = "did do does is was were are am will would has have had can could should shall may \
     might must s d re ll didn doesn isn wasn aren ist war waren wird werden hat habe \
     haben hatte kann kam";
/// Words before a question word that is not the first of its clause.
const BEFORE_QUESTIONS: &str = "and or but know knows remember tell me us exactly recall wonder ask since until till \
     from by with to for of about at in on und oder seit bis mit von für zu";
/// Words behind which "when" asks, whatever follows.
const BEFORE_WHEN: &str =
    "know knows remember tell me us exactly recall wonder ask since until till seit bis";
/// Nouns that follow "what", "which" or "welche", by kind.
const TIMES: &str = "time day date month year week weekday hour season uhrzeit tag datum monat jahr woche \
     wochentag";
const NUMBERS: &str = "number amount percentage percent price cost total count score age size distance \
     height weight rate share fraction zahl anzahl preis";
const PLACES: &str = "place city country town village state region area location street address continent \
     restaurant hotel ort stadt land straße gegend";
const PERSONS: &str = "person people friend friends colleague man woman relative person leute freund \
     freundin kollege kollegin";
/// Words that follow "how" or "wie", by kind.
const HOW_LONG: &str = "long often lange oft";
const HOW_MUCH: &str = "many much old far tall big large high heavy deep wide fast viel viele vielen alt \
     weit groß hoch schwer";
/// Words that ask by themselves, by kind.
const WHERE: &str = "where wo wohin woher";
const WHO: &str = "who whom whose wer wen wem wessen";

/// Strings that ask in Japanese, by kind.
const JAPANESE: [&[&str]; 4] = [
    &["いつ", "何時", "何日", "何月", "何年", "何曜日", "何週", "どのくらい", "どれくらい"],
    &["いくつ", "いくら", "何人", "何個", "何回", "何枚", "何台", "何本", "何匹", "何歳", "何度"],
    &["どこ", "どちら"],
    &["誰", "だれ", "どなた"],
];

/// Returns what a question asks for. It may ask for several things, or for none of these.
///
/// Question words count at the start of a clause, or behind words such as "know" and "with": "the
/// day when" and "the man who" do not ask.
///
/// ```
/// use nous_wasm::times::sought;
/// assert!(sought("When did Mira move?").time);
/// assert!(sought("How many cats does Mira have, and where are they?").place);
/// assert!(!sought("What did she say when I called?").time);
/// ```
pub fn sought(question: &str) -> Sought {
    let words = Words::new(question);
    let mut found = Sought::default();
    for at in 0..words.tokens.len() {
        match words.lower(at) {
            "when" | "wann" => found.time |= words.asks(at) && words.goes_on(at),
            "how" | "wie" => {
                // "how many days" asks for both.
                let is_long = words.is_of(at + 1, HOW_LONG);
                let many = words.is_of(at + 1, HOW_MUCH);
                found.time |= is_long
                    || many
                        && matches!(words.token(at + 2), Some(Token { word: Word::Unit(_), .. }));
                found.number |= many;
            }
            "what" | "which" | "welche" | "welcher" | "welches" | "welchem" | "welchen" => {
                // "what is the date", "what was the name of the city".
                let mut noun = at + 1;
                if words.is_of(noun, "is was s are were ist war") {
                    noun += 1;
                }
                if words.is_of(noun, "the her his their my der die das") {
                    noun += 1;
                }
                found.time |= words.is_of(noun, TIMES);
                found.number |= words.is_of(noun, NUMBERS);
                found.place |= words.is_of(noun, PLACES);
                found.person |= words.is_of(noun, PERSONS);
            }
            word if is_in(word, WHERE) => found.place |= words.asks(at),
            word if is_in(word, WHO) => found.person |= words.asks(at),
            _ => {}
        }
    }
    let asks = |kind: usize| JAPANESE[kind].iter().any(|string| question.contains(string));
    if words.tokens.iter().any(|token| token.unspaced) {
        found.time |= asks(0);
        found.number |= asks(1);
        found.place |= asks(2);
        found.person |= asks(3);
    }
    found
}

/// Whether a text holds a number: digits, or a number word of English or German other than "one",
/// or one of Japanese in front of a counter.
///
/// ```
/// use nous_wasm::times::holds_number;
/// assert!(holds_number("She has three cats."));
/// assert!(!holds_number("One of them is grey."));
/// ```
pub fn holds_number(text: &str) -> bool {
    if text.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let tokens = tokens(text);
    tokens.iter().enumerate().any(|(at, token)| match token.word {
        Word::Number(..) => true,
        Word::Count(min, max) if token.unspaced => {
            min == max && tokens.get(at + 1).is_some_and(|next| counts(next, text))
        }
        Word::Count(min, max) => min == max && min > 1,
        Word::Large => true,
        _ => false,
    })
}

/// Whether a token stands behind numbers in Japanese.
fn counts(token: &Token, text: &str) -> bool {
    matches!(
        token.word,
        Word::Unit(_) | Word::YearMark | Word::MonthMark | Word::DayMark | Word::Clock
    ) || "つ人個回枚本円冊匹台歳度杯軒".contains(token.span.of(text))
}

/// Whether a text holds a name: a word that begins with a capital letter, has two letters or more,
/// does not begin a sentence, and is no month or weekday. Scripts without capital letters hold no
/// names by this rule, and in German every noun is one.
///
/// ```
/// use nous_wasm::times::holds_name;
/// assert!(holds_name("We went to Berlin."));
/// assert!(!holds_name("We went home. Then I slept."));
/// ```
pub fn holds_name(text: &str) -> bool {
    tokens(text).windows(2).any(|pair| {
        let token = pair[1];
        let begins = match pair[0].word {
            Word::Mark(mark) => {
                !matches!(mark, ',' | '-' | '–' | '/' | '&' | '(' | '\'' | '’' | '@' | '#')
            }
            _ => false,
        };
        let word = token.span.of(text);
        token.capital
            && !begins
            && word.chars().nth(1).is_some()
            && !matches!(token.word, Word::Month(..) | Word::Weekday(..) | Word::Vague)
    })
}

/// Returns the number of words of a text that begin with a capital letter, and the number of all
/// its words and numbers. In Chinese, Japanese and Korean a character is a word, or a word of the
/// lexicon of times.
///
/// ```
/// use nous_wasm::times::count_capitals;
/// assert_eq!(count_capitals("Ask Mira, not me."), (2, 4));
/// ```
#[inline(never)]
pub fn count_capitals(text: &str) -> (usize, usize) {
    let all = tokens(text);
    let words = all.iter().filter(|token| !matches!(token.word, Word::Mark(_)));
    (all.iter().filter(|token| token.capital).count(), words.count())
}

/// Whether a word is in a list.
fn is_in(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The tokens of a text with their lower case.
pub(super) struct Words {
    pub tokens: Vec<Token>,
    lower: Vec<String>,
}

impl Words {
    pub fn new(text: &str) -> Self {
        let tokens = tokens(text);
        let lower = tokens
            .iter()
            .map(|token| token.span.of(text).chars().map(super::lexicon::lower).collect())
            .collect();
        Self { tokens, lower }
    }

    pub fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    pub fn lower(&self, at: usize) -> &str {
        self.lower.get(at).map_or("", |word| word)
    }

    pub fn is_of(&self, at: usize, list: &str) -> bool {
        self.token(at).is_some() && is_in(self.lower(at), list)
    }

    /// Whether a question word asks: it is the first of its clause, or a verb such as "know" or a
    /// preposition stands before it.
    fn asks(&self, at: usize) -> bool {
        at == 0
            || matches!(self.tokens[at - 1].word, Word::Mark(_))
            || self.is_of(at - 1, BEFORE_QUESTIONS)
    }

    /// Whether a question goes on behind "when": with a verb or the end.
    fn goes_on(&self, at: usize) -> bool {
        match self.token(at + 1) {
            None => true,
            Some(Token { word: Word::Mark(_), .. }) => true,
            _ => self.is_of(at + 1, AUXILIARIES) || self.is_of(at.wrapping_sub(1), BEFORE_WHEN),
        }
    }
}
