//! Collects the evidence of every memory for a question.
//!
//! # Idea
//!
//! Each word of the question is read alone. Its matches are walked in order of nearness, and every
//! passage that holds one keeps the best nearness and a sum of occurrences weighted by nearness⁴.
//! Only then is it known in how many memories the word occurs, and with that its rarity. So the
//! passages that were touched are read a second time and added to the columns of passages and
//! memories. At the end each memory takes the best of its passages.
//!
//! What the runs say of a memory is computed when its evidence is read: it is read of few memories
//! ([`Bounds`](super::Bounds) pass over the others). Only the three best of each run are collected
//! for all: the probability knows their spread.
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
//! the filters, and the bounds that the caller asks for. The evidence of a memory takes some thirty
//! reads around it.

use super::flags::Flags;
use super::likeness::marks_of;
use super::meaning::{Cosines, Meaning, failing};
use super::neighbours::{Match, Neighbours};
use super::question::Question;
use super::runs::{Layout, Spot};
use super::spans::{Span, around, held_in, joined};
use super::texts::{Text, Texts, unpacked};
use super::traits::Traits;
use super::weights::{Fit, OfQuestion, Values};
use super::windows::Windows;
use super::words::{Embed, shown};
use serde::Serialize;

use crate::check::DAY_MS;
use crate::columns::Row;
use crate::error::{Error, Result};
use crate::math::ln;
use crate::order::sort_descending;
use crate::section::Section;
use crate::text::reading::Held;

/// The parameters of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The nearness above which a word counts as held.
const HELD: f64 = 0.55;
/// The most memories that hold a rare identifier, and what its rarity is multiplied by.
const RARE: u32 = 2;
const OF_RARE_IDENTIFIER: f64 = 2.0;
/// The shares of meaning and words in the evidence of a run.
const MEANING: f64 = 0.7;
/// Texts of more words profit less from the memories around them: they hold much already.
const SHORT: f64 = 80.0;
/// The value of a section that the question asks for.
pub(super) const INTENT: f64 = 0.4;

/// What evidence needs to know of a memory besides its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// Its section.
    pub section: Section,
    /// Whether the question asks for that section.
    pub is_asked: bool,
    /// exp(−days / 30) since its creation.
    pub recency: f64,
    /// The affinity signal.
    pub affinity: f64,
    /// Its activation, 0 if activation did not reach it.
    pub activation: f64,
}

/// A question, as evidence is collected for it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The question.
    pub text: &'a str,
    /// The present by the clock of the caller; `None` if times of the question are not understood.
    pub local: Option<f64>,
    /// By row, the cosine of the embeddings of the question and of the memory; NaN for a memory
    /// without one. `None` for a question without an embedding.
    pub cosines: Option<&'a [f64]>,
    /// Memories that say nothing, neither of themselves nor of those around them; ascending.
    pub excluded: &'a [Row],
}

/// How much meaning counts for a question, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OfMeaning {
    /// Whether the memory has no embedding yet, so that its cosine is an estimate.
    pub is_estimated: bool,
    /// The share of the question that no memory holds, words weighted by their rarity.
    pub unheld: f64,
    /// The share of the question to whose words no passage of a memory has near ones.
    pub unlike: f64,
    /// What a cosine of 1 weighs for this question.
    pub weight: f64,
    /// What it would weigh if one memory held all words of the question.
    pub least_weight: f64,
}

/// The evidence of all memories for one question. Kept for the next question, whose columns it then
/// holds.
#[derive(Debug, Default)]
pub struct Evidence {
    neighbours: Neighbours,
    passages: PassageSums,
    pub(super) memories: MemorySums,
    pub(super) segments: SegmentSums,
    pub(super) windows: Windows,
    pub(super) meaning: Meaning,
    /// Products of the question's vector, by passage.
    products: Vec<f64>,
    of_passages: LengthNorms,
    of_memories: LengthNorms,
    best_bm: f64,
    pub(super) best_sbm: f64,
    pub(super) best_p_sbm: f64,
    /// The sum of the rarities of the question's words.
    pub(super) all_rarity: f64,
    /// The standard deviation of `sesb`.
    spread: f64,
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
pub(super) struct MemorySums {
    word: Vec<MemoryWord>,
    touched: Vec<Row>,
    pub all: Vec<MemorySum>,
    pub touched_by_any: Vec<Row>,
    /// `bm` over the best of the question.
    pub bm: Vec<f64>,
    /// Cosines with the question's vector; every row with a text is written.
    pub sem: Vec<f64>,
    pub p_sem: Vec<f64>,
    /// 0.7 · `sem` + 0.3 · `bm`; every row with a text is written.
    pub nearness: Vec<f64>,
}

/// What a memory holds of one word of the question. All zeros if it holds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct MemoryWord {
    /// The nearness of the nearest match.
    nearest: f64,
    weighted: f64,
    forms: u32,
    in_title: bool,
}

/// What a memory holds of the whole question.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemorySum {
    bm: f64,
    pub sbm: f64,
    pub cov: f64,
    pub titlecov: f64,
    /// Of the passages, the largest each.
    pub soft: f64,
    pub held: f64,
    pub p_sbm: f64,
}

impl MemorySum {
    /// Whether the memory holds a word of the question or one near to it.
    fn is_touched(&self) -> bool {
        self.sbm > 0.0
    }
}

/// Columns by segment of runs.
#[derive(Debug, Default)]
pub(super) struct SegmentSums {
    /// The three best `bm` of the segment, falling.
    pub three: Vec<[f64; 3]>,
    /// The mean of the three best of its run.
    pub sesb: Vec<f64>,
}

impl Evidence {
    /// Reads a question, and collects the evidence of every memory with a text. `passes` says which
    /// memories may be found; evidence that is relative to the best of the question is relative to
    /// the best of these.
    pub fn collect(
        &mut self,
        texts: &mut Texts,
        asked: Asked<'_>,
        passes: impl Fn(Row) -> bool,
        embed: &mut Embed<'_>,
    ) -> Question {
        let Asked { text, local, cosines, excluded } = asked;
        let question = Question::read(text, local, texts, &mut self.neighbours, embed);
        texts.runs.lay_out();
        self.clear(texts);
        self.all_rarity = 0.0;
        let words = texts.total_words as f64;
        self.of_passages.set(words / texts.passages() as f64);
        self.of_memories.set(words / texts.count as f64);
        for place in 0..question.words.len() {
            self.read_word(texts, &question, place, excluded);
        }
        self.fold_passages(texts);
        self.read_vectors(texts, &question, excluded);
        self.find_best(texts, &passes);
        self.read_runs(texts, &passes);
        self.read_meaning(texts, cosines, excluded, passes);
        question
    }

    fn clear(&mut self, texts: &Texts) {
        let Self { passages, memories, segments, windows, .. } = self;
        let layout = texts.runs.layout();
        windows.clear(layout);
        segments.three.clear();
        segments.three.resize(layout.segments.len(), [0.0; 3]);
        segments.sesb.resize(layout.segments.len(), 0.0);
        for passage in passages.touched_by_any.drain(..) {
            if let Some(sum) = passages.all.get_mut(passage as usize) {
                *sum = PassageSum::default();
            }
        }
        passages.word.resize(texts.rows.len(), PassageWord::default());
        passages.all.resize(texts.rows.len(), PassageSum::default());
        for row in memories.touched_by_any.drain(..) {
            let at = row as usize;
            if at < memories.all.len() {
                memories.all[at] = MemorySum::default();
                memories.bm[at] = 0.0;
            }
        }
        let rows = texts.rows();
        memories.word.resize(rows, MemoryWord::default());
        memories.all.resize(rows, MemorySum::default());
        for column in
            [&mut memories.bm, &mut memories.sem, &mut memories.p_sem, &mut memories.nearness]
        {
            column.resize(rows, 0.0);
        }
    }

    /// Adds what one word of the question says of passages and memories.
    fn read_word(&mut self, texts: &Texts, question: &Question, place: usize, excluded: &[Row]) {
        let Self { passages, memories, windows, .. } = self;
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
        if !excluded.is_empty() {
            let PassageSums { word, touched, .. } = passages;
            touched.retain(|&passage| {
                let row = texts.row_of(passage);
                let is_out = row.is_some_and(|row| excluded.binary_search(&row).is_ok());
                if is_out {
                    word[passage as usize] = PassageWord::default();
                }
                !is_out
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
            raise(&mut word.nearest, found.nearest);
            word.weighted += found.weighted;
            word.forms += found.forms;
            word.in_title |= found.in_title;
        }
        // An identifier of hardly any memory says what the question is about.
        let is_rare = question.words[place].is_identifying && frequency <= RARE;
        let weight = if is_rare { OF_RARE_IDENTIFIER } else { 1.0 };
        let (count, frequency) = (texts.count as f64, f64::from(frequency));
        let rarity = ln(1.0 + count / (1.0 + frequency));
        let bm_rarity = ln(1.0 + (count - frequency + 0.5) / (frequency + 0.5));
        let (rarity, bm_rarity) = (weight * rarity, weight * bm_rarity);
        self.all_rarity += rarity;

        let held = memories.touched.iter();
        let held = held.map(|&row| (row, memories.word[row as usize].nearest));
        windows.add_word(texts.runs.layout(), held, rarity);

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
            let length = self.of_passages.get(texts.lengths[at].into());
            sum.sbm += bm_rarity * saturated(word.weighted, length);
        }
        for row in memories.touched.drain(..) {
            let at = row as usize;
            let word = std::mem::take(&mut memories.word[at]);
            let sum = &mut memories.all[at];
            if !sum.is_touched() {
                memories.touched_by_any.push(row);
            }
            let length = self.of_memories.get(texts.sizes[at].words);
            sum.sbm += bm_rarity * saturated(word.weighted, length);
            if word.forms > 0 {
                sum.bm += bm_rarity * saturated(f64::from(word.forms), length);
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
    fn read_vectors(&mut self, texts: &Texts, question: &Question, excluded: &[Row]) {
        let Self { memories: MemorySums { sem, p_sem, nearness, .. }, products, .. } = self;
        let Some(vector) = &question.vector else {
            for column in [sem, p_sem, nearness] {
                column.fill(0.0);
            }
            return;
        };
        products.clear();
        texts.vectors.products(vector, 0, |_, product| products.push(product));
        // The passages of a memory follow each other.
        let mut place = 0;
        for of_memory in texts.rows.chunk_by(|one, other| one == other) {
            let (first, row) = (place, of_memory[0] as usize);
            place += of_memory.len();
            // Removed ones belong to no row.
            let Some(size) = texts.sizes.get(row) else { continue };
            let (mut sum, mut best) = (0.0, 0.0);
            for (place, &product) in (first..place).zip(&products[first..place]) {
                sum += product;
                // Only a product above 0 can raise the best. Its vector has a length.
                if product > 0.0 {
                    raise(&mut best, product / texts.vectors.length(place));
                }
            }
            sem[row] = if size.length > 0.0 { sum / f64::from(size.length) } else { 0.0 };
            p_sem[row] = best;
            nearness[row] = MEANING * sem[row];
        }
        for &row in excluded {
            for column in [&mut *sem, &mut *p_sem, &mut *nearness] {
                if let Some(product) = column.get_mut(row as usize) {
                    *product = 0.0;
                }
            }
        }
    }

    fn find_best(&mut self, texts: &Texts, passes: impl Fn(Row) -> bool) {
        (self.best_bm, self.best_sbm, self.best_p_sbm) = (0.0, 0.0, 0.0);
        let (mut best_cov, mut best_held) = (0.0, 0.0);
        let MemorySums { touched_by_any, all, bm, sem, nearness, .. } = &mut self.memories;
        for &row in touched_by_any.iter().filter(|&&row| passes(row)) {
            let at = row as usize;
            raise(&mut self.best_bm, all[at].bm);
            raise(&mut self.best_sbm, all[at].sbm);
            raise(&mut self.best_p_sbm, all[at].p_sbm);
            raise(&mut best_cov, all[at].cov);
            raise(&mut best_held, all[at].held);
        }
        self.meaning.unheld = 1.0 - share_of(best_cov, self.all_rarity);
        self.meaning.failing = failing(self.meaning.unheld);
        self.meaning.unlike = 1.0 - share_of(best_held, self.all_rarity);
        for &row in touched_by_any.iter() {
            let at = row as usize;
            // A memory that the filters exclude may hold more than the best of the others.
            let share = share_of(all[at].bm, self.best_bm).min(1.0);
            if share > 0.0 {
                bm[at] = share;
                nearness[at] = MEANING * sem[at] + (1.0 - MEANING) * share;
                let segment = texts.runs.layout().spot(row).segment;
                if segment > 0 {
                    put(&mut self.segments.three[segment as usize], share);
                }
            }
        }
    }

    /// Finds the three best of each run, and their spread.
    fn read_runs(&mut self, texts: &Texts, passes: impl Fn(Row) -> bool) {
        let layout = texts.runs.layout();
        let mut spread = Spread::default();
        for &row in &layout.singles {
            spread.add(self.sesb(layout.spot(row), row), usize::from(passes(row)));
        }
        let SegmentSums { three, sesb } = &mut self.segments;
        for run in layout.runs() {
            let mean = mean_of(best_of(&three[run.clone()]));
            sesb[run.clone()].fill(mean);
            for segment in run {
                let rows = layout.rows_of(segment);
                spread.add(mean, rows.iter().filter(|&&row| passes(row)).count());
            }
        }
        self.spread = spread.deviation();
    }

    /// Returns the mean of the three best `bm` in the run of a memory.
    pub(super) fn sesb(&self, spot: Spot, row: Row) -> f64 {
        match spot.segment {
            0 => mean_of([self.memories.bm[row as usize], 0.0, 0.0]),
            segment => self.segments.sesb[segment as usize],
        }
    }

    /// Returns the sum of the `bm` around a memory, over their distances.
    pub(super) fn nb(&self, layout: &Layout, row: Row) -> f64 {
        layout.sum_around(row, &self.memories.bm)
    }

    /// Returns the best nearness of a memory and those around it.
    pub(super) fn ses(&self, layout: &Layout, row: Row) -> f64 {
        layout.best_around(row, &self.memories.nearness)
    }

    /// Reads the cosines of embeddings.
    fn read_meaning(
        &mut self,
        texts: &Texts,
        cosines: Option<&[f64]>,
        excluded: &[Row],
        passes: impl Fn(Row) -> bool,
    ) {
        let Self { memories, meaning, all_rarity, .. } = self;
        let known = |row: usize| (memories.sem[row], share_of(memories.all[row].soft, *all_rarity));
        let cosines = cosines.map(|cosines| Cosines { cosines, excluded });
        meaning.read(cosines, texts.rows(), texts.runs.layout(), passes, known);
    }

    /// Whether the question has an embedding, and any memory.
    pub fn is_embedded(&self) -> bool {
        self.meaning.is_given
    }

    /// Returns how much meaning counts for a memory whose cosine is an estimate or not, `None` if the
    /// question has no embedding.
    pub fn of_meaning(&self, is_estimated: bool, fit: &Fit) -> Option<OfMeaning> {
        let Meaning { is_given, unheld, unlike, .. } = self.meaning;
        let least_weight = fit.weights.emb;
        is_given.then_some(OfMeaning {
            is_estimated,
            unheld,
            unlike,
            weight: least_weight
                + fit.weights.emb_unheld * unheld
                + fit.weights.emb_unlike * unlike,
            least_weight,
        })
    }

    /// Returns what a probability knows of the question, by its best and its second best sum.
    pub fn of_question(&self, best: f64, second: f64) -> OfQuestion {
        OfQuestion { best, second, spread: self.spread, unheld: self.meaning.unheld }
    }

    /// Returns 0.7 · `sem` + 0.3 · `bm` of a memory, by which activation chooses its seeds.
    pub fn nearness(&self, row: Row) -> f64 {
        self.memories.nearness[row as usize]
    }

    /// Returns the evidence of a memory that has a text.
    pub fn values(
        &self,
        texts: &Texts,
        question: &Question,
        row: Row,
        circumstances: &Circumstances,
        traits: &Traits,
    ) -> Values {
        let at = row as usize;
        if !texts.has(row) {
            return Values::default();
        }
        let Self { memories, meaning, all_rarity, .. } = self;
        let layout = texts.runs.layout();
        let spot = layout.spot(row);
        let &Circumstances { section, recency, .. } = circumstances;
        let of = |wanted: Section, value: f64| if section == wanted { value } else { 0.0 };
        let mut values = Values {
            sem: memories.sem[at],
            p_sem: memories.p_sem[at],
            ses: self.ses(layout, row),
            sesb: self.sesb(spot, row),
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
            qm: traits.qm,
            prevq: traits.prevq,
            len: traits.len,
            num: traits.num,
            cap: traits.cap,
            pos: traits.pos,
            ..Values::default()
        };
        // Most memories are not touched, and most questions ask for none of the rest.
        let held = &memories.all[at];
        if held.is_touched() {
            values.bm = memories.bm[at];
            values.sbm = share_of(held.sbm, self.best_sbm);
            values.cov = share_of(held.cov, *all_rarity);
            values.p_soft = share_of(held.soft, *all_rarity);
            values.p_softcov = share_of(held.held, *all_rarity);
            values.p_sbm = share_of(held.p_sbm, self.best_p_sbm);
            values.titlecov = share_of(held.titlecov, *all_rarity);
            values.soft_unheld = values.p_soft * meaning.unheld;
        }
        let brevity = || (SHORT / f64::from(texts.sizes[at].words)).min(1.0);
        if meaning.is_given {
            values.emb = meaning.emb[at];
            values.nb_emb = layout.sum_around(row, &meaning.emb) * brevity();
            values.ses_emb = layout.best_around(row, &meaning.emb);
            values.emb_unheld = values.emb * meaning.unheld;
            values.emb_rank = meaning.rank(values.emb) * meaning.failing;
            values.emb_unlike = values.emb * meaning.unlike;
            values.ses_unheld = values.ses_emb * meaning.unheld;
        }
        let (nb, around) = (self.nb(layout, row), self.windows.sum(spot.cell));
        if nb > 0.0 || around > 0.0 {
            let brevity = brevity();
            values.nb = nb * brevity;
            values.win = (share_of(around, *all_rarity) - values.p_soft).max(0.0) * brevity;
        }
        if let Some(entry) = texts.entry(row).filter(|_| question.asks_for_more()) {
            let flag = |asked: bool, bit: u8| f64::from(u8::from(asked && entry.flags.has(bit)));
            let sought = question.sought;
            let at = entry.happened_at();
            values.date = date_of(question, &[(at, at + 1.0)]);
            values.told = (date_of(question, &entry.told) - values.date).max(0.0);
            values.p_temp = flag(sought.time, Flags::TIME);
            values.p_numq = flag(sought.number, Flags::NUMBER);
            values.p_where = flag(sought.place, Flags::NAME);
            if question.is_of_time && values.date + values.told > 0.0 {
                // What the memory holds of the question is its time: all of it.
                (values.cov, values.p_soft, values.p_softcov) = (1.0, 1.0, 1.0);
            }
        }
        values
    }

    /// Returns the best passage of a memory with a text, and the nearest word of the memory for
    /// each word of the question. Reads all postings of these words. If the `text` of the memory is
    /// given, its places are returned, too.
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
            let all = held_in(text);
            let marks = marks_of(all.iter().map(|(name, ..)| texts.words.mark_of(name)));
            let at = row as usize;
            let words_of_text = all.iter().filter(|&&(_, held, _)| held == Held::Word);
            let spans_of_words: Vec<Span> = words_of_text.map(|&(.., span)| span).collect();
            let is_own =
                marks == texts.marks[at] && spans_of_words.len() == texts.sizes[at].words as usize;
            if !is_own {
                let problem = "must be the title and the text that the memory was stored with";
                return Err(Error::argument("text", problem));
            }
            let own = best.first_word as usize..(best.first_word + best.words) as usize;
            best.spans = Some(around(&spans_of_words[own]));
            let codes: Vec<Option<u32>> =
                all.iter().map(|(name, ..)| texts.words.names.code(name)).collect();
            for (word, asked) in words.iter_mut().zip(&question.words) {
                let is_found = |code: &Option<u32>| {
                    asked
                        .matches
                        .iter()
                        .any(|it| Some(it.word) == *code && it.nearness == word.nearness)
                };
                let found = all.iter().zip(&codes).filter(|(_, code)| is_found(code));
                let mut spans: Vec<Span> = found.map(|(&(.., span), _)| span).collect();
                // An identifier begins before its last word.
                sort_descending(&mut spans, |span| -span.place());
                word.spans = Some(joined(spans.into_iter()));
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
        let mut max = f64::NEG_INFINITY;
        let mut first_word = 0;
        for (place, passage) in own.clone().enumerate() {
            let words = u32::from(texts.lengths[passage as usize]);
            let soft = self.passages.all[passage as usize].soft;
            if soft > max {
                max = soft;
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
                found: found.map(|(it, _)| shown(texts.words.names.text(it.word)).into()),
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
        // The word, the sum and four columns.
        let of_row = size_of::<MemoryWord>() + size_of::<MemorySum>() + 4 * size_of::<f64>();
        let of_segment = size_of::<[f64; 3]>() + size_of::<f64>();
        word.capacity() * of_passage
            + (touched.capacity() + touched_by_any.capacity()) * size_of::<u32>()
            + self.memories.all.capacity() * of_row
            + self.segments.three.capacity() * of_segment
            + self.products.capacity() * size_of::<f64>()
            + self.windows.bytes()
            + self.meaning.bytes()
            + self.neighbours.bytes()
    }
}

/// The term of BM25 for a number of occurrences in a text of this length norm.
fn saturated(occurrences: f64, norm: f64) -> f64 {
    occurrences * (K1 + 1.0) / (occurrences + norm)
}

/// Sums for the standard deviation of numbers from 0 to 1. They are added as whole numbers. These
/// are exact for a million numbers, so that the order of the runs does not matter.
#[derive(Debug, Default)]
struct Spread {
    count: f64,
    total: f64,
    squares: f64,
}

impl Spread {
    const UNITS: f64 = 65_536.0;

    /// Adds a number so many times.
    fn add(&mut self, number: f64, times: usize) {
        let times = times as f64;
        self.count += times;
        if number > 0.0 {
            let units = (number * Self::UNITS).round();
            self.total += units * times;
            self.squares += units * units * times;
        }
    }

    fn deviation(&self) -> f64 {
        let count = self.count.max(1.0);
        let mean = self.total / count;
        (self.squares / count - mean * mean).max(0.0).sqrt() / Self::UNITS
    }
}

/// What BM25 makes of the length of a text relative to the average: `K1` for a text of average
/// length. Most texts are short, and a table saves a division for each word that they hold.
#[derive(Debug, Default)]
struct LengthNorms {
    average: f64,
    short: Vec<f64>,
}

impl LengthNorms {
    /// The lengths of the table.
    const SHORT: u32 = 64;

    fn set(&mut self, average: f64) {
        if self.average != average || self.short.is_empty() {
            self.average = average;
            self.short.clear();
            self.short.extend((0..Self::SHORT).map(|words| Self::of(words, average)));
        }
    }

    fn of(words: u32, average: f64) -> f64 {
        K1 * (1.0 - B + B * f64::from(words) / average)
    }

    fn get(&self, words: u32) -> f64 {
        match self.short.get(words as usize) {
            Some(&norm) => norm,
            None => Self::of(words, self.average),
        }
    }
}

pub(super) fn share_of(value: f64, all: f64) -> f64 {
    if all > 0.0 { value / all } else { 0.0 }
}

/// Puts a number among three that fall, if it is above the last.
fn put(three: &mut [f64; 3], number: f64) {
    let [first, second, third] = *three;
    if number > third {
        *three = if number > first {
            [number, first, second]
        } else if number > second {
            [first, number, second]
        } else {
            [first, second, number]
        };
    }
}

/// Returns the best three of some segments.
pub(super) fn best_of(segments: &[[f64; 3]]) -> [f64; 3] {
    let mut three = [0.0; 3];
    segments.as_flattened().iter().for_each(|&number| put(&mut three, number));
    three
}

fn mean_of(three: [f64; 3]) -> f64 {
    (three[0] + three[1] + three[2]) / 3.0
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
