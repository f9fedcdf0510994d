//! Collects the evidence of every memory for a question.
//!
//! # Idea
//!
//! Each word of the question is read alone. Its matches are walked in order of nearness, and every
//! passage that holds one keeps the best nearness and a sum of occurrences weighted by nearness⁴.
//! Only then is it known in how many memories the word occurs, and with that its rarity. So the
//! passages that were touched are read a second time and added to the columns of passages and
//! memories. At the end each memory takes the best of its passages, and runs are read in order.
//!
//! # Invariants
//!
//! - A column is 0 for every passage and memory that no word touched. Lists of the touched ones
//!   tell what to clear, so that the cost depends on the postings and not on the size of the index.
//! - Words are added in the order of the question, matches in order of nearness.
//!
//! # Cost
//!
//! Three passes grow with the number of memories whatever the question: the products of vectors,
//! the runs, and the sum of evidence that the caller makes.

use super::flags::Flags;
use super::likeness::marks_of;
use super::neighbours::{Match, Neighbours};
use super::question::Question;
use super::runs::Layout;
use super::spans::{Span, around, joined, tokens_of};
use super::texts::{Entry, Text, Texts, unpacked};
use super::weights::Values;
use super::words::Embed;
use serde::Serialize;

use crate::check::DAY_MS;
use crate::columns::Row;
use crate::error::{Error, Result};
use crate::math::ln;
use crate::section::Section;

/// The parameters of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The nearness above which a word counts as held.
const HELD: f64 = 0.55;
/// The shares of meaning and words in the evidence of a run.
const MEANING: f64 = 0.7;
/// The memories before and after that count.
const REACH: usize = 3;
/// The value of a section that the question asks for.
const INTENT: f64 = 0.4;

/// What evidence needs to know of a memory besides its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// Its section.
    pub section: Section,
    /// Whether the question asks for that section.
    pub is_asked: bool,
    /// exp(−days / 30) since the last access.
    pub recency: f64,
    /// The affinity signal.
    pub affinity: f64,
    /// Its activation, 0 if activation did not reach it.
    pub activation: f64,
}

impl Circumstances {
    /// Circumstances that add no evidence.
    pub const NONE: Self = Self {
        section: Section::Knowledge,
        is_asked: false,
        recency: 0.0,
        affinity: 0.0,
        activation: 0.0,
    };
}

/// The evidence of all memories for one question. Kept for the next question, whose columns it then
/// holds.
#[derive(Debug, Default)]
pub struct Evidence {
    neighbours: Neighbours,
    passages: PassageSums,
    memories: MemorySums,
    run: RunColumns,
    best_bm: f64,
    best_sbm: f64,
    best_p_sbm: f64,
    /// The sum of the rarities of the question's words.
    all_rarity: f64,
}

/// A word of a question, and the nearest word that a memory holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchedWord {
    /// The word of the question.
    pub asked: String,
    /// The nearest word of the memory, `None` if no word is near.
    pub found: Option<String>,
    /// The nearness of the two: 1 for forms of one word, 0 if no word is near.
    pub nearness: f64,
    /// Whether the best passage holds the word that was found.
    pub in_passage: bool,
    /// Where the text holds the word that was found, or an equally near one. `None` if no text was
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<Span>>,
}

/// The passage of a memory that speaks most for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BestPassage {
    /// Its place among the passages of the memory, from 0.
    pub passage: u32,
    /// The first word, counted from the beginning of the title.
    pub first_word: u32,
    /// The number of words.
    pub words: u32,
    /// Where it stands in title and body. `None` if no text was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<Span>>,
}

/// Sums by passage.
#[derive(Debug, Default)]
struct PassageSums {
    /// For the word at hand.
    word: Vec<PassageWord>,
    touched: Vec<u32>,
    /// Over all words.
    all: Vec<PassageSum>,
    touched_by_any: Vec<u32>,
}

/// What a passage holds of one word of the question. All zeros if it holds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct PassageWord {
    /// The nearness of the nearest match.
    nearest: f64,
    /// Occurrences, each weighted by nearness⁴.
    weighted: f64,
    /// Occurrences of forms of the word.
    forms: u32,
    in_title: bool,
}

/// What a passage holds of the whole question.
#[derive(Clone, Copy, Debug, Default)]
struct PassageSum {
    soft: f64,
    held: f64,
    sbm: f64,
}

/// Sums by row.
#[derive(Debug, Default)]
struct MemorySums {
    word: Vec<MemoryWord>,
    touched: Vec<Row>,
    all: Vec<MemorySum>,
    touched_by_any: Vec<Row>,
    /// Products with the question's vector; every row is written.
    sem: Vec<f64>,
    p_sem: Vec<f64>,
}

/// What a memory holds of one word of the question. All zeros if it holds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct MemoryWord {
    weighted: f64,
    forms: u32,
    in_title: bool,
}

/// What a memory holds of the whole question.
#[derive(Clone, Copy, Debug, Default)]
struct MemorySum {
    bm: f64,
    sbm: f64,
    cov: f64,
    titlecov: f64,
    /// The best passage.
    soft: f64,
    held: f64,
    p_sbm: f64,
    is_touched: bool,
}

/// Columns by row that runs give; every row is written.
#[derive(Debug, Default)]
struct RunColumns {
    nb: Vec<f64>,
    nbsoft: Vec<f64>,
    ses: Vec<f64>,
    sesb: Vec<f64>,
}

impl Evidence {
    /// Reads a question, and collects the evidence of every memory with a text. `passes` says which
    /// memories may be found; evidence that is relative to the best of the question is relative to
    /// the best of these.
    pub fn collect(
        &mut self,
        texts: &mut Texts,
        text: &str,
        now: f64,
        passes: impl Fn(Row) -> bool,
        embed: &mut Embed<'_>,
    ) -> Question {
        let question = Question::read(text, now, texts, &mut self.neighbours, embed);
        self.clear(texts);
        self.all_rarity = 0.0;
        for place in 0..question.words.len() {
            self.read_word(texts, &question, place);
        }
        self.fold_passages(texts);
        self.read_vectors(texts, &question);
        self.find_best(&passes);
        self.read_runs(texts);
        question
    }

    fn clear(&mut self, texts: &Texts) {
        let Self { passages, memories, run, .. } = self;
        for passage in passages.touched_by_any.drain(..) {
            if let Some(sum) = passages.all.get_mut(passage as usize) {
                *sum = PassageSum::default();
            }
        }
        passages.word.resize(texts.rows.len(), PassageWord::default());
        passages.all.resize(texts.rows.len(), PassageSum::default());
        for row in memories.touched_by_any.drain(..) {
            if let Some(sum) = memories.all.get_mut(row as usize) {
                *sum = MemorySum::default();
            }
        }
        let rows = texts.entries.len();
        memories.word.resize(rows, MemoryWord::default());
        memories.all.resize(rows, MemorySum::default());
        for column in [
            &mut memories.sem,
            &mut memories.p_sem,
            &mut run.nb,
            &mut run.nbsoft,
            &mut run.ses,
            &mut run.sesb,
        ] {
            column.resize(rows, 0.0);
        }
    }

    /// Adds what one word of the question says of passages and memories.
    fn read_word(&mut self, texts: &Texts, question: &Question, place: usize) {
        let Self { passages, memories, .. } = self;
        for found in &question.words[place].matches {
            let square = found.nearness * found.nearness;
            let share = square * square;
            texts.words.postings[found.word as usize].for_each(|passage, number| {
                let (count, in_title) = unpacked(number);
                let word = &mut passages.word[passage as usize];
                if word.nearest == 0.0 {
                    // Matches come in order of nearness: the first is the nearest.
                    word.nearest = found.nearness;
                    passages.touched.push(passage);
                }
                word.weighted += f64::from(count) * share;
                if found.is_form {
                    word.forms += count;
                    word.in_title |= in_title;
                }
            });
        }
        let mut frequency = 0_u32;
        for &passage in &passages.touched {
            let Some(row) = texts.row_of(passage) else { continue };
            let found = &passages.word[passage as usize];
            let word = &mut memories.word[row as usize];
            if word.weighted == 0.0 {
                memories.touched.push(row);
            }
            frequency += u32::from(word.forms == 0 && found.forms > 0);
            word.weighted += found.weighted;
            word.forms += found.forms;
            word.in_title |= found.in_title;
        }
        let (count, frequency) = (texts.count as f64, f64::from(frequency));
        let rarity = ln(1.0 + count / (1.0 + frequency));
        let bm_rarity = ln(1.0 + (count - frequency + 0.5) / (frequency + 0.5));
        self.all_rarity += rarity;

        let average = texts.total_words as f64 / texts.passages() as f64;
        for passage in passages.touched.drain(..) {
            let at = passage as usize;
            let word = std::mem::take(&mut passages.word[at]);
            let sum = &mut passages.all[at];
            if sum.soft == 0.0 {
                passages.touched_by_any.push(passage);
            }
            sum.soft += rarity * (word.nearest * word.nearest);
            if word.nearest > HELD {
                sum.held += rarity;
            }
            let length = f64::from(texts.lengths[at]);
            sum.sbm += bm_rarity * saturated(word.weighted, length, average);
        }
        let average = texts.total_words as f64 / count;
        for row in memories.touched.drain(..) {
            let at = row as usize;
            let word = std::mem::take(&mut memories.word[at]);
            let sum = &mut memories.all[at];
            if !sum.is_touched {
                sum.is_touched = true;
                memories.touched_by_any.push(row);
            }
            let length = texts.entry(row).map_or(0.0, |entry| f64::from(entry.words));
            sum.sbm += bm_rarity * saturated(word.weighted, length, average);
            if word.forms > 0 {
                sum.bm += bm_rarity * saturated(f64::from(word.forms), length, average);
                sum.cov += rarity;
            }
            if word.in_title {
                sum.titlecov += rarity;
            }
        }
    }

    /// Gives each memory the best of its passages.
    fn fold_passages(&mut self, texts: &Texts) {
        let Self { passages, memories, .. } = self;
        for &passage in &passages.touched_by_any {
            let Some(row) = texts.row_of(passage) else { continue };
            let (of_passage, sum) =
                (&passages.all[passage as usize], &mut memories.all[row as usize]);
            raise(&mut sum.soft, of_passage.soft);
            raise(&mut sum.held, of_passage.held);
            raise(&mut sum.p_sbm, of_passage.sbm);
        }
    }

    /// Compares the question's vector with those of all passages.
    fn read_vectors(&mut self, texts: &Texts, question: &Question) {
        let MemorySums { sem, p_sem, .. } = &mut self.memories;
        sem.fill(0.0);
        p_sem.fill(0.0);
        let Some(vector) = &question.vector else { return };
        texts.vectors.products(vector, 0, |place, product| {
            let Some(row) = texts.row_of(place as u32) else { return };
            let row = row as usize;
            sem[row] += product;
            let length = texts.vectors.length(place);
            if length > 0.0 {
                raise(&mut p_sem[row], product / length);
            }
        });
        for (sem, entry) in sem.iter_mut().zip(&texts.entries) {
            match entry {
                Some(Entry { length, .. }) if *length > 0.0 => *sem /= f64::from(*length),
                _ => *sem = 0.0,
            }
        }
    }

    fn find_best(&mut self, passes: impl Fn(Row) -> bool) {
        (self.best_bm, self.best_sbm, self.best_p_sbm) = (0.0, 0.0, 0.0);
        let memories = &self.memories;
        for &row in memories.touched_by_any.iter().filter(|&&row| passes(row)) {
            let sum = &memories.all[row as usize];
            raise(&mut self.best_bm, sum.bm);
            raise(&mut self.best_sbm, sum.sbm);
            raise(&mut self.best_p_sbm, sum.p_sbm);
        }
    }

    fn bm(&self, at: usize) -> f64 {
        share_of(self.memories.all[at].bm, self.best_bm)
    }

    fn soft(&self, at: usize) -> f64 {
        share_of(self.memories.all[at].soft, self.all_rarity)
    }

    fn read_runs(&mut self, texts: &mut Texts) {
        let mut run = std::mem::take(&mut self.run);
        run.nb.fill(0.0);
        run.nbsoft.fill(0.0);
        let Layout { rows, ends } = texts.runs.layout();
        let mut start = 0;
        for &end in ends {
            let rows = &rows[start..end];
            start = end;
            let mut best = 0.0;
            let mut three = [0.0; 3];
            for (place, &row) in rows.iter().enumerate() {
                let at = row as usize;
                let bm = self.bm(at);
                raise(&mut best, MEANING * self.memories.sem[at] + (1.0 - MEANING) * bm);
                if !self.memories.all[at].is_touched {
                    continue;
                }
                if bm > three[2] {
                    three = if bm > three[0] {
                        [bm, three[0], three[1]]
                    } else if bm > three[1] {
                        [three[0], bm, three[1]]
                    } else {
                        [three[0], three[1], bm]
                    };
                }
                let soft = self.soft(at);
                for distance in 1..=REACH {
                    let others = [place.checked_sub(distance), Some(place + distance)];
                    for other in others.into_iter().flatten() {
                        if let Some(&other) = rows.get(other) {
                            run.nb[other as usize] += bm / distance as f64;
                            run.nbsoft[other as usize] += soft / distance as f64;
                        }
                    }
                }
            }
            let mean = (three[0] + three[1] + three[2]) / 3.0;
            for &row in rows {
                run.ses[row as usize] = best;
                run.sesb[row as usize] = mean;
            }
        }
        self.run = run;
    }

    /// Returns 0.7 · `sem` + 0.3 · `bm` of a memory, by which activation chooses its seeds.
    pub fn nearness(&self, row: Row) -> f64 {
        let at = row as usize;
        MEANING * self.memories.sem[at] + (1.0 - MEANING) * self.bm(at)
    }

    /// Returns the evidence of a memory that has a text.
    pub fn values(
        &self,
        texts: &Texts,
        question: &Question,
        row: Row,
        circumstances: &Circumstances,
    ) -> Values {
        let at = row as usize;
        let Some(entry) = texts.entry(row) else { return Values::default() };
        let memories = &self.memories;
        let held = &memories.all[at];
        let flag = |asked: bool, bit: u8| f64::from(u8::from(asked && entry.flags.has(bit)));
        let &Circumstances { section, recency, .. } = circumstances;
        let of = |wanted: Section, value: f64| if section == wanted { value } else { 0.0 };
        let sought = question.sought;
        let made = entry.moment.created_at;
        let date = date_of(question, &[(made, made + 1.0)]);
        Values {
            bm: self.bm(at),
            sbm: share_of(held.sbm, self.best_sbm),
            sem: memories.sem[at],
            cov: share_of(held.cov, self.all_rarity),
            p_soft: self.soft(at),
            p_softcov: share_of(held.held, self.all_rarity),
            p_sem: memories.p_sem[at],
            p_sbm: share_of(held.p_sbm, self.best_p_sbm),
            nb: self.run.nb[at],
            nbsoft: self.run.nbsoft[at],
            ses: self.run.ses[at],
            sesb: self.run.sesb[at],
            date,
            told: (date_of(question, &entry.told) - date).max(0.0),
            p_temp: flag(sought.time, Flags::TIME),
            p_numq: flag(sought.number, Flags::NUMBER),
            p_where: flag(sought.place, Flags::NAME),
            titlecov: share_of(held.titlecov, self.all_rarity),
            graph: circumstances.activation,
            affinity: circumstances.affinity,
            recency_episodic: of(Section::Episodic, recency),
            recency_signals: of(Section::Signals, recency),
            recency_knowledge: of(Section::Knowledge, recency),
            recency_procedural: of(Section::Procedural, recency),
            lastrec: if question.asks_latest { recency } else { 0.0 },
            vaguerec: if question.is_vague { recency } else { 0.0 },
            intent: if circumstances.is_asked { INTENT } else { 0.0 },
            section_episodic: of(Section::Episodic, 1.0),
            section_signals: of(Section::Signals, 1.0),
            section_procedural: of(Section::Procedural, 1.0),
        }
    }

    /// Returns the best passage of a memory with a text, and the nearest word of the memory for each
    /// word of the question. Reads all postings of these words. If the `text` of the memory is given,
    /// its places are returned, too.
    ///
    /// # Errors
    /// `invalid_argument` for a text that is not the one of the memory: it has other words.
    pub fn matches(
        &self,
        texts: &Texts,
        question: &Question,
        row: Row,
        text: Option<&Text<'_>>,
    ) -> Result<Option<(BestPassage, Vec<MatchedWord>)>> {
        let Some((mut best, mut words)) = self.best_matches(texts, question, row) else {
            return Ok(None);
        };
        if let Some(text) = text {
            let tokens = tokens_of(text);
            let is_own = texts.entry(row).is_some_and(|entry| {
                marks_of(tokens.iter().map(|(word, _)| texts.words.mark_of(word)))
                    == texts.marks[row as usize]
                    && tokens.len() == entry.words as usize
            });
            if !is_own {
                let problem = "must be the title and the text that the memory was stored with";
                return Err(Error::argument("text", problem));
            }
            let own = best.first_word as usize..(best.first_word + best.words) as usize;
            let spans: Vec<Span> = tokens[own].iter().map(|&(_, span)| span).collect();
            best.spans = Some(around(&spans));
            let codes: Vec<Option<u32>> =
                tokens.iter().map(|(word, _)| texts.words.names.code(word)).collect();
            for (word, asked) in words.iter_mut().zip(&question.words) {
                let is_found = |code: &Option<u32>| {
                    asked
                        .matches
                        .iter()
                        .any(|it| Some(it.word) == *code && it.nearness == word.nearness)
                };
                let spans = tokens.iter().zip(&codes).filter(|(_, code)| is_found(code));
                word.spans = Some(joined(spans.map(|(&(_, span), _)| span)));
            }
        }
        Ok(Some((best, words)))
    }

    fn best_matches(
        &self,
        texts: &Texts,
        question: &Question,
        row: Row,
    ) -> Option<(BestPassage, Vec<MatchedWord>)> {
        let entry = texts.entry(row)?;
        let own = entry.first..entry.first + entry.passages;
        let mut best = BestPassage { passage: 0, first_word: 0, words: 0, spans: None };
        let mut most = f64::NEG_INFINITY;
        let mut first_word = 0;
        for (place, passage) in own.clone().enumerate() {
            let words = u32::from(texts.lengths[passage as usize]);
            let soft = self.passages.all[passage as usize].soft;
            if soft > most {
                most = soft;
                best = BestPassage { passage: place as u32, first_word, words, spans: None };
            }
            first_word += words;
        }
        let first_of_best = entry.first + best.passage;
        let in_best = |passage: u32| passage == first_of_best;
        // Whether a passage of the memory holds the word of a match, and whether the best one does.
        let held = |it: &Match| {
            let mut held = None;
            texts.words.postings[it.word as usize].for_each(|passage, _| {
                if own.contains(&passage) {
                    held = Some(held == Some(true) || in_best(passage));
                }
            });
            held
        };
        let words = question.words.iter().map(|asked| {
            let found = asked.matches.iter().find_map(|it| Some((it, held(it)?)));
            MatchedWord {
                asked: asked.text.clone(),
                found: found.map(|(it, _)| texts.words.names.text(it.word).into()),
                nearness: found.map_or(0.0, |(it, _)| it.nearness),
                in_passage: found.is_some_and(|(_, in_passage)| in_passage),
                spans: None,
            }
        });
        Some((best, words.collect()))
    }

    /// Returns the bytes of the columns and the kept words.
    pub fn bytes(&self) -> usize {
        let PassageSums { word, touched, touched_by_any, .. } = &self.passages;
        let of_passage = size_of::<PassageWord>() + size_of::<PassageSum>();
        // The word, the sum and six columns.
        let of_row = size_of::<MemoryWord>() + size_of::<MemorySum>() + 6 * size_of::<f64>();
        word.capacity() * of_passage
            + (touched.capacity() + touched_by_any.capacity()) * size_of::<u32>()
            + self.memories.all.capacity() * of_row
            + self.neighbours.bytes()
    }
}

/// The term of BM25 for a number of occurrences.
fn saturated(occurrences: f64, length: f64, average: f64) -> f64 {
    occurrences * (K1 + 1.0) / (occurrences + K1 * (1.0 - B + B * length / average))
}

fn share_of(value: f64, all: f64) -> f64 {
    if all > 0.0 { value / all } else { 0.0 }
}

fn raise(value: &mut f64, other: f64) {
    if other > *value {
        *value = other;
    }
}

/// Returns 2 if one of the ranges meets a day that the question names, 1 if one meets a longer time
/// that it names, and else 0.
fn date_of(question: &Question, ranges: &[(f64, f64)]) -> f64 {
    let mut best = 0.0;
    for time in &question.times {
        if ranges.iter().any(|&(start, end)| start < time.end && time.start < end) {
            let is_day = time.end - time.start <= DAY_MS;
            let value = if is_day { 2.0 } else { 1.0 };
            raise(&mut best, value);
        }
    }
    best
}
