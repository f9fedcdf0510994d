//! The parts of words: of camelCase, and what is left of a word without its clitics or its particle.

/// The fewest letters of a part of a row of capitals, such as "URL" in "NSURL".
const FEWEST_CAPITALS: usize = 3;
/// A longer word is no name, and has no parts.
const LONGEST_NAME: usize = 128;
/// A longer row of capitals is no abbreviation.
const MOST_CAPITALS: usize = 12;

/// Calls `add` with the words of a name in camelCase, in lower case: "user" and "token" of
/// "userToken", "http" and "server" of "HTTPServer". None if the name has one word.
#[inline(never)]
pub(super) fn camel_parts(name: &str, mut add: impl FnMut(&str)) {
    if !name.is_ascii() || name.len() > LONGEST_NAME {
        return;
    }
    let mut pieces = pieces_of(name);
    // One letter before a word belongs to it: "iPhone", "OAuth".
    if pieces.len() > 1 && pieces[0].len() == 1 {
        pieces.remove(0);
        pieces[0] = &name[..1 + pieces[0].len()];
    }
    // The plural of capitals is one word: "PDFs".
    let is_plural = pieces.len() == 2
        && pieces[1].len() == 2
        && pieces[1].as_bytes()[0].is_ascii_uppercase()
        && pieces[1].ends_with('s');
    if pieces.len() < 2 || is_plural {
        return;
    }
    for piece in pieces.into_iter().filter(|piece| piece.len() > 1) {
        let lower = piece.to_ascii_lowercase();
        add(&lower);
        let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        if letters.len() > 1 && letters.len() < lower.len() {
            add(letters);
        }
        let is_capitals = piece.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_capitals && piece.len() <= MOST_CAPITALS {
            for length in FEWEST_CAPITALS..piece.len().saturating_sub(1) {
                add(&lower[..length]);
                add(&lower[lower.len() - length..]);
            }
        }
    }
}

/// Returns the pieces of a name: a capital letter begins one, and so does the last of a row of
/// capitals if a small letter follows.
fn pieces_of(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        let is_capital = bytes[at].is_ascii_uppercase();
        let after_capital = bytes[at - 1].is_ascii_uppercase();
        let before_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if is_capital && (!after_capital || before_small) {
            pieces.push(&name[start..at]);
            start = at;
        }
    }
    pieces.push(&name[start..]);
    pieces
}

/// The prefixes of Hebrew: and, the, in, to, as, from, that.
const OF_HEBREW: [char; 7] = ['ו', 'ה', 'ב', 'ל', 'כ', 'מ', 'ש'];
/// The prefixes of Arabic: the article with conjunctions and prepositions, and these alone.
const OF_ARABIC: [&str; 14] =
    ["وال", "فال", "بال", "كال", "ولل", "وب", "ول", "ال", "لل", "و", "ف", "ب", "ل", "ك"];
/// The suffixes of Arabic: my, your, his, her, our, their.
const ARABIC_SUFFIXES: [&str; 8] = ["هما", "ها", "هم", "هن", "كم", "نا", "ه", "ي"];
/// The fewest letters that are left of a word behind an article, and otherwise.
const FEWEST_BEHIND_ARTICLE: usize = 2;
const FEWEST_LEFT: usize = 3;

/// Calls `add` with what is left of a word of Hebrew or Arabic without its clitics.
#[inline(never)]
pub(super) fn clitic_parts(word: &str, mut add: impl FnMut(&str)) {
    match word.chars().next() {
        Some('\u{5D0}'..='\u{5EA}') => {
            let mut rest = word;
            // Three at most: "ושב…".
            for _ in 0..3 {
                let mut letters = rest.chars();
                if !letters.next().is_some_and(|c| OF_HEBREW.contains(&c)) {
                    break;
                }
                rest = letters.as_str();
                if rest.chars().count() < FEWEST_BEHIND_ARTICLE {
                    break;
                }
                add(rest);
            }
        }
        Some('\u{620}'..='\u{6FF}') => {
            let mut left = |rest: &str, fewest: usize| {
                if rest.chars().count() >= fewest {
                    add(rest);
                }
            };
            let prefix = OF_ARABIC.iter().find_map(|prefix| word.strip_prefix(prefix));
            let has_article = prefix.is_some_and(|rest| word.len() - rest.len() > 2);
            let fewest = if has_article { FEWEST_BEHIND_ARTICLE } else { FEWEST_LEFT };
            for rest in [Some(word), prefix].into_iter().flatten() {
                if rest.len() < word.len() {
                    left(rest, fewest);
                }
                if let Some(stem) = ARABIC_SUFFIXES.iter().find_map(|it| rest.strip_suffix(it)) {
                    left(stem, FEWEST_LEFT);
                }
            }
        }
        _ => {}
    }
}

/// The particles that follow a noun of Korean, sorted.
const PARTICLES: [&str; 30] = [
    "가",
    "같은",
    "과",
    "까지",
    "께",
    "는",
    "도",
    "들",
    "들이",
    "로",
    "를",
    "만",
    "밖에",
    "보다",
    "부터",
    "야",
    "에",
    "에게",
    "에서",
    "와",
    "으로",
    "은",
    "을",
    "의",
    "이",
    "이다",
    "이랑",
    "이에요",
    "입니다",
    "처럼",
];

/// Returns the noun of one syllable at the start of a run of Korean, if the rest of the run is a
/// particle.
pub(super) fn noun_of(run: &str) -> Option<char> {
    let mut characters = run.chars();
    let noun = characters.next().filter(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'))?;
    PARTICLES.binary_search(&characters.as_str()).ok().map(|_| noun)
}

/// Ideographs of Chinese that carry no subject.
const FUNCTION_IDEOGRAPHS: &str = "\
    不与个为么之也了于些什从他以们会但何你來個們其几则到則去又可向吗吧呀呢和哦哪啊嗎\
    嘛因在多她如它对對少就幾应很從怎您想應我或所把於是會有来此每沒没為的着給给而能與\
    若著被裡要該說誰讓让该说谁跟过还这這過還那都里麼\
";

/// Whether a character is an ideograph, or repeats one.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '々' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a character is an ideograph that can be a word of its own.
pub(super) fn is_telling_ideograph(c: char) -> bool {
    is_ideograph(c) && c != '々' && !FUNCTION_IDEOGRAPHS.contains(c)
}

/// Whether a word is a pair of ideographs of which none carries a subject.
pub(crate) fn is_function_pair(word: &str) -> bool {
    word.chars().count() == 2 && word.chars().all(|c| FUNCTION_IDEOGRAPHS.contains(c))
}
