//! Words of German, French and Spanish questions that carry no subject, as English stop words do.
//!
//! # Idea
//!
//! In a memory that is mostly English, "der" and "an" are rare. By their rarity they would count
//! more than the subject of a German question. But one language's function word is another's
//! subject: "war", "die", "son". So the function words of a question say its language, and only
//! those of this language are left out.
//!
//! # Invariants
//!
//! - English wins with as many function words as another language, so that a name such as "de la
//!   Cruz" does not change an English question.
//! - A word of one letter says no language: it can be a name.
//! - One function word says no language: "war films" and "my son" are English.
//! - English stop words are left out of every question.
//!
//! # Cost
//!
//! Three binary searches for each word of a question.

/// The words of a language, sorted, and folded as tokens are: "fur" for "für".
type Language = &'static [&'static str];

const GERMAN: Language = &[
    "aber", "als", "am", "an", "auf", "aus", "bei", "beim", "bin", "bis", "das", "dass", "dein",
    "deine", "dem", "den", "der", "des", "dich", "die", "dir", "du", "ein", "eine", "einem",
    "einen", "einer", "eines", "er", "es", "euch", "fur", "haben", "habt", "hat", "hatte",
    "hatten", "ich", "ihm", "ihn", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "ins",
    "ist", "ja", "kann", "man", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir",
    "mit", "nach", "nicht", "noch", "oder", "sein", "seine", "seinem", "seinen", "seiner", "sich",
    "sie", "sind", "uber", "um", "und", "uns", "unser", "unsere", "unserem", "unseren", "unserer",
    "vom", "von", "vor", "wann", "war", "waren", "warum", "was", "wegen", "welche", "welchem",
    "welchen", "welcher", "welches", "wem", "wen", "wer", "werden", "wie", "wir", "wird", "wo",
    "wurde", "wurden", "zu", "zum", "zur",
];

const FRENCH: Language = &[
    "a", "au", "aux", "avec", "c", "ce", "ces", "cette", "comment", "d", "dans", "de", "des", "du",
    "elle", "elles", "en", "est", "et", "etaient", "etait", "il", "ils", "j", "je", "l", "la",
    "le", "les", "leur", "leurs", "lui", "m", "ma", "mais", "me", "mes", "moi", "mon", "n", "ne",
    "nos", "notre", "nous", "on", "ont", "ou", "par", "pas", "pour", "pourquoi", "qu", "quand",
    "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "s", "sa", "se", "ses", "son",
    "sont", "sur", "t", "ta", "te", "tes", "toi", "ton", "tu", "un", "une", "vos", "votre", "vous",
    "y",
];

const SPANISH: Language = &[
    "a", "al", "como", "con", "cual", "cuales", "cuando", "de", "del", "donde", "el", "ella",
    "ellas", "ellos", "en", "era", "eran", "es", "esta", "estan", "este", "fue", "ha", "han",
    "hay", "la", "las", "le", "les", "lo", "los", "me", "mi", "mis", "no", "nos", "nuestra",
    "nuestro", "o", "para", "pero", "por", "porque", "que", "quien", "quienes", "se", "ser", "si",
    "sin", "sobre", "son", "su", "sus", "te", "tu", "tus", "un", "una", "y", "yo",
];

/// The fewest function words that say a language.
const FEWEST: usize = 2;

/// Returns the function words of the language of a question: the one that most of its words belong
/// to. None for English, of whose function words the question holds `english`.
pub(super) fn function_words<'a>(
    words: impl Iterator<Item = &'a str> + Clone,
    english: usize,
) -> Language {
    let (mut best, mut max): (Language, usize) = (&[], english.max(FEWEST - 1));
    for language in [GERMAN, FRENCH, SPANISH] {
        let count = words
            .clone()
            .filter(|word| word.len() > 1 && language.binary_search(word).is_ok())
            .count();
        if count > max {
            (best, max) = (language, count);
        }
    }
    best
}
