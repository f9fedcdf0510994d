//! The words of time expressions, in English, German and Japanese.

use std::sync::LazyLock;

use super::calendar::Unit;

/// The meaning of a word or mark in an expression of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// No word of time.
    Other,
    /// The end of the text.
    End,
    /// A mark.
    Mark(char),
    /// A number of one to four digits: its value and the count of its digits.
    Number(u16, u8),
    /// A place in an order: "7th", "first".
    Ordinal(u8),
    /// A number word: the least and the most that it means.
    Count(u8, u8),
    /// "half".
    Half,
    /// A number word that is rare in times.
    Large,
    /// "a", "an": the number one, in front of units.
    A,
    /// A unit.
    Unit(Unit),
    /// A month, from 0, and how safe it is to take the word for one.
    Month(u8, Safety),
    /// A weekday, from 0 for Monday, and how safe it is to take the word for one.
    Weekday(u8, Safety),
    /// A season, from 0 for spring.
    Season(u8),
    /// A day, counted from today.
    Day(i8),
    /// A unit, counted from the present one: "先週".
    Relative(i8, Unit),
    /// "last" (−1), "this" (0), "next" (1).
    Which(i8),
    /// "past": last, or a stretch up to the present.
    Past,
    /// A part of the day: its first hour and the hour after its last.
    Part(u8, u8),
    /// The night before today.
    LastNight,
    /// A part of a longer stretch: its first (0), middle (1) or last (2) third.
    Third(u8),
    /// "am" (0), "pm" (12), behind a number.
    Meridiem(u8),
    /// "午前" (0), "午後" (12), in front of a number.
    MeridiemBefore(u8),
    /// A word in front of an hour or behind it: "Uhr", "時".
    Clock,
    /// "o" of "o'clock", "p" of "p.m.", "m" of "p.m.", "s" of "1990s", "q" of "Q3", "h" of "H1".
    Letter(char),
    /// Articles.
    The,
    /// "in", and German "in", "im".
    In,
    /// "during", "within".
    During,
    /// "on".
    On,
    /// "at", "um".
    At,
    /// "of".
    Of,
    /// "am", which is also German for "on".
    Am,
    /// "since", "seit".
    Since,
    /// "until", "by", "bis".
    Until,
    /// "before".
    Before,
    /// "vor": "before", and "ago" in front of a number.
    Vor,
    /// "after".
    After,
    /// "between".
    Between,
    /// "from".
    From,
    /// "to".
    To,
    /// "and".
    And,
    /// "ago", behind a number.
    Ago,
    /// "now".
    Now,
    /// "morgen": tomorrow, or morning.
    Morgen,
    /// "年" behind a number.
    YearMark,
    /// "月" behind a number.
    MonthMark,
    /// "日" behind a number.
    DayMark,
    /// "以来", "から": since, behind an expression.
    SinceBehind,
    /// "まで": until, behind an expression.
    UntilBehind,
    /// A word of time that names no range: "recently".
    Vague,
}

/// How safe it is to take a word for a month or a weekday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// It means nothing else.
    Safe,
    /// It also means something else, or is a name: "May", "August".
    Unsafe,
    /// It is short for one: "Mon", "Dec".
    Short,
}

use Safety::{Safe, Short, Unsafe};

const WORDS: &[(Word, &str)] = &[
    (Word::Month(0, Safe), "january januar jänner"),
    (Word::Month(1, Safe), "february februar"),
    (Word::Month(2, Unsafe), "march"),
    (Word::Month(2, Safe), "märz"),
    (Word::Month(3, Unsafe), "april"),
    (Word::Month(4, Unsafe), "may mai"),
    (Word::Month(5, Unsafe), "june"),
    (Word::Month(5, Safe), "juni"),
    (Word::Month(6, Safe), "july juli"),
    (Word::Month(7, Unsafe), "august"),
    (Word::Month(8, Safe), "september"),
    (Word::Month(9, Safe), "october oktober"),
    (Word::Month(10, Safe), "november"),
    (Word::Month(11, Safe), "december dezember"),
    (Word::Month(0, Short), "jan"),
    (Word::Month(1, Short), "feb"),
    (Word::Month(2, Short), "mar"),
    (Word::Month(3, Short), "apr"),
    (Word::Month(5, Short), "jun"),
    (Word::Month(6, Short), "jul"),
    (Word::Month(7, Short), "aug"),
    (Word::Month(8, Short), "sep sept"),
    (Word::Month(9, Short), "oct okt"),
    (Word::Month(10, Short), "nov"),
    (Word::Month(11, Short), "dec dez"),
    (Word::Weekday(0, Safe), "monday montag 月曜日 月曜"),
    (Word::Weekday(1, Safe), "tuesday dienstag 火曜日 火曜"),
    (Word::Weekday(2, Safe), "wednesday mittwoch 水曜日 水曜"),
    (Word::Weekday(3, Safe), "thursday donnerstag 木曜日 木曜"),
    (Word::Weekday(4, Safe), "friday freitag 金曜日 金曜"),
    (Word::Weekday(5, Safe), "saturday samstag sonnabend 土曜日 土曜"),
    (Word::Weekday(6, Safe), "sunday sonntag 日曜日 日曜"),
    (Word::Weekday(0, Short), "mon"),
    (Word::Weekday(1, Short), "tue tues"),
    (Word::Weekday(2, Short), "wed"),
    (Word::Weekday(3, Short), "thu thur thurs"),
    (Word::Weekday(4, Short), "fri"),
    (Word::Weekday(5, Short), "sat"),
    (Word::Weekday(6, Short), "sun"),
    (Word::Season(0), "spring springtime frühling frühjahr 春"),
    (Word::Season(1), "summer summertime sommer 夏"),
    (Word::Season(2), "autumn fall herbst 秋"),
    (Word::Season(3), "winter wintertime 冬"),
    (Word::Day(0), "today heute 今日"),
    (Word::Day(-1), "yesterday gestern 昨日 きのう"),
    (Word::Day(-2), "vorgestern 一昨日 おととい"),
    (Word::Day(1), "tomorrow 明日 あした"),
    (Word::Day(2), "übermorgen 明後日 あさって"),
    (Word::Morgen, "morgen"),
    (Word::Relative(-2, Unit::Week), "先々週"),
    (Word::Relative(-1, Unit::Week), "先週"),
    (Word::Relative(0, Unit::Week), "今週"),
    (Word::Relative(1, Unit::Week), "来週"),
    (Word::Relative(2, Unit::Week), "再来週"),
    (Word::Relative(-2, Unit::Month), "先々月"),
    (Word::Relative(-1, Unit::Month), "先月"),
    (Word::Relative(0, Unit::Month), "今月"),
    (Word::Relative(1, Unit::Month), "来月"),
    (Word::Relative(-2, Unit::Year), "一昨年 おととし"),
    (Word::Relative(-1, Unit::Year), "去年 昨年"),
    (Word::Relative(0, Unit::Year), "今年"),
    (Word::Relative(1, Unit::Year), "来年"),
    (
        Word::Which(-1),
        "last previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges \
         vergangene vergangenen vergangener vergangenes",
    ),
    (Word::Which(0), "this current diese diesen dieser dieses diesem"),
    (
        Word::Which(1),
        "next coming upcoming nächste nächsten nächster nächstes nächstem kommende \
         kommenden kommender kommendes",
    ),
    (Word::Past, "past 過去 ここ"),
    (Word::Unit(Unit::Second), "seconds sec secs sekunde sekunden 秒"),
    (Word::Unit(Unit::Minute), "minute minutes mins minuten 分"),
    (Word::Unit(Unit::Hour), "hour hours hrs stunde stunden 時間"),
    (Word::Unit(Unit::Day), "day days tag tage tagen tages 日間"),
    (Word::Unit(Unit::Weekend), "weekend weekends wochenende wochenenden 週末"),
    (Word::Unit(Unit::Week), "week weeks woche wochen 週間 週"),
    (
        Word::Unit(Unit::Month),
        "month months monat monate monaten monats ヶ月 か月 カ月 ヵ月 ケ月 ヶ月間 か月間 カ月間",
    ),
    (Word::Unit(Unit::Quarter), "quarter quarters quartal quartale quartalen"),
    (Word::Unit(Unit::Year), "year years yrs jahr jahre jahren jahres 年間"),
    (Word::Unit(Unit::Decade), "decade decades jahrzehnt jahrzehnte jahrzehnten"),
    (Word::A, "a an ein eine einem einen einer"),
    (Word::Count(1, 1), "one 一"),
    (Word::Count(2, 2), "two zwei couple 二"),
    (Word::Count(3, 3), "three drei 三"),
    (Word::Count(4, 4), "four vier 四"),
    (Word::Count(5, 5), "five fünf 五"),
    (Word::Count(6, 6), "six sechs 六"),
    (Word::Count(7, 7), "seven sieben 七"),
    (Word::Count(8, 8), "eight acht 八"),
    (Word::Count(9, 9), "nine neun 九"),
    (Word::Count(10, 10), "ten zehn 十"),
    (Word::Count(11, 11), "eleven elf 十一"),
    (Word::Count(12, 12), "twelve zwölf 十二"),
    (Word::Count(15, 15), "fifteen fünfzehn"),
    (Word::Count(20, 20), "twenty zwanzig 二十"),
    (Word::Count(30, 30), "thirty dreißig 三十"),
    (Word::Count(2, 5), "few 数"),
    (Word::Count(2, 7), "several some einige einigen paar mehrere mehreren"),
    (Word::Half, "half halb halbe halben halber halbes hälfte 半"),
    (
        Word::Large,
        "thirteen fourteen sixteen seventeen eighteen nineteen forty fifty sixty seventy eighty \
         ninety hundred hundreds thousand thousands million millions billion billions dozen dozens \
         twice dreizehn vierzehn sechzehn siebzehn achtzehn neunzehn vierzig fünfzig sechzig \
         siebzig achtzig neunzig hundert tausend millionen zweimal dutzend",
    ),
    (Word::Ordinal(1), "first erste ersten erstes"),
    (Word::Ordinal(2), "second zweite zweiten zweites"),
    (Word::Ordinal(3), "third dritte dritten drittes"),
    (Word::Ordinal(4), "fourth vierte vierten viertes"),
    (Word::Ordinal(5), "fifth"),
    (Word::Ordinal(6), "sixth"),
    (Word::Ordinal(7), "seventh"),
    (Word::Ordinal(8), "eighth"),
    (Word::Ordinal(9), "ninth"),
    (Word::Ordinal(10), "tenth"),
    (Word::Part(6, 12), "morning vormittag vormittags"),
    (Word::Part(5, 9), "früh"),
    (Word::Part(12, 13), "noon midday mittag mittags"),
    (Word::Part(12, 18), "afternoon nachmittag nachmittags"),
    (Word::Part(18, 24), "evening abend abends"),
    (Word::Part(18, 30), "night nacht nachts tonight 今夜 今晩"),
    (Word::Part(0, 1), "midnight mitternacht"),
    (Word::LastNight, "昨夜 昨晩"),
    (Word::Third(0), "early beginning start anfang"),
    (Word::Third(1), "mid middle mitte"),
    (Word::Third(2), "late end ende"),
    (Word::Meridiem(12), "pm"),
    (Word::MeridiemBefore(0), "午前"),
    (Word::MeridiemBefore(12), "午後"),
    (Word::Clock, "clock uhr 時"),
    (Word::Letter('o'), "o"),
    (Word::Letter('p'), "p"),
    (Word::Letter('m'), "m"),
    (Word::Letter('s'), "s"),
    (Word::Letter('q'), "q"),
    (Word::Letter('h'), "h"),
    (Word::The, "the der die das dem den des"),
    (Word::In, "in im"),
    (Word::During, "during within over throughout während"),
    (Word::On, "on"),
    (Word::At, "at around um gegen"),
    (Word::Of, "of の"),
    (Word::Am, "am"),
    (Word::Since, "since seit"),
    (Word::Until, "until till by bis"),
    (Word::Before, "before"),
    (Word::Vor, "vor"),
    (Word::After, "after nach"),
    (Word::Between, "between zwischen"),
    (Word::From, "from von vom"),
    (Word::To, "to through"),
    (Word::And, "and und"),
    (Word::Ago, "ago 前"),
    (Word::Now, "now"),
    (Word::YearMark, "年"),
    (Word::MonthMark, "月"),
    (Word::DayMark, "日"),
    (Word::SinceBehind, "以来 以降 から"),
    (Word::UntilBehind, "まで"),
    (
        Word::Vague,
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays montags dienstags \
         mittwochs donnerstags freitags samstags sonntags recently lately nowadays currently \
         soon earlier later everyday daily weekly monthly yearly kürzlich neulich damals \
         früher bald 最近 毎日 毎週 毎月 毎年",
    ),
];

/// The most characters of a word of Chinese or Japanese writing.
pub const MAX_UNSPACED: usize = 4;

/// The slots of the table of words: a power of two, above twice the count of words.
const SLOTS: usize = 1 << 11;

/// The words with their meanings, each in the first free slot from its hash on.
static MEANINGS: LazyLock<Vec<(&'static str, Word)>> = LazyLock::new(|| {
    let mut slots = vec![("", Word::Other); SLOTS];
    for &(meaning, words) in WORDS {
        for word in words.split(' ') {
            let free = slot(&slots, word);
            slots[free] = (word, meaning);
        }
    }
    slots
});

/// Returns the slot of a word, or the free one in which it would be.
fn slot(slots: &[(&str, Word)], word: &str) -> usize {
    // FNV-1a, by its upper bits.
    let hash = word
        .bytes()
        .fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let mut at = (hash >> 16) as usize ^ hash as usize;
    loop {
        at &= SLOTS - 1;
        let (other, _) = slots[at];
        if other.is_empty() || other == word {
            return at;
        }
        at += 1;
    }
}

/// Returns the meaning of a word in lower case.
#[inline(never)]
pub fn meaning(word: &str) -> Word {
    MEANINGS[slot(&MEANINGS, word)].1
}

/// Returns the character in lower case: of ASCII and of the German umlauts.
pub fn lower(c: char) -> char {
    match c {
        'Ä' => 'ä',
        'Ö' => 'ö',
        'Ü' => 'ü',
        _ => c.to_ascii_lowercase(),
    }
}
