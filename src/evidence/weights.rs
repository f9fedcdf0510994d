//! The kinds of evidence, and what each of them weighs.

use crate::math::exp;

/// Lists the kinds of evidence. Makes the fields of [`Values`], in this order.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A number for each kind of evidence: its value for a memory, or its weight.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Values {
            $($(#[$doc])* pub $name: f64,)*
        }

        /// The names of the kinds of evidence, in order. Sums are added in this order.
        pub const NAMES: [&str; KINDS] = [$(stringify!($name)),*];

        /// The number of kinds of evidence.
        pub const KINDS: usize = [$(stringify!($name)),*].len();

        impl Values {
            /// Returns the numbers in the order of [`NAMES`].
            pub fn to_array(&self) -> [f64; KINDS] {
                [$(self.$name),*]
            }

            /// Returns the numbers of an array in the order of [`NAMES`].
            pub fn from_array(values: [f64; KINDS]) -> Self {
                let [$($name),*] = values;
                Self { $($name),* }
            }
        }
    };
}

kinds! {
    /// BM25 of the whole text, over the best of the question.
    bm,
    /// BM25 of the whole text where neighbours count as occurrences, over the best of the question.
    sbm,
    /// Cosine of the sums of word vectors of the question and of the whole text.
    sem,
    /// The share of the question that the whole text holds, words weighted by their rarity.
    cov,
    /// The squared nearness of the nearest words in a passage, weighted by rarity; best passage.
    p_soft,
    /// The share of the question whose nearest word in a passage is near; best passage.
    p_softcov,
    /// Cosine of the sums of word vectors of the question and of a passage; best passage.
    p_sem,
    /// BM25 with neighbours of a passage; best passage, over the best of the question.
    p_sbm,
    /// `bm` of the memories before and after in the run, less with distance; less for a long text.
    nb,
    /// What the memory and the five before and after it in the run hold of the question together,
    /// beyond its own `p_soft`; less for a long text.
    win,
    /// The best of 0.7 · `sem` + 0.3 · `bm` of the memory and the twelve before and after it in the
    /// run.
    ses,
    /// The mean of the three best `bm` in the run.
    sesb,
    /// The question names a time, and it happened then, by the time of the memory's event or else
    /// of its creation: 1, and 2 for a day.
    date,
    /// The question names a time, and the text tells of it: 1, and 2 for a day, less `date`.
    told,
    /// The question asks when, and the text holds an expression of time.
    p_temp,
    /// The question asks how many, and the text holds a number.
    p_numq,
    /// The question asks where, and the text holds a name.
    p_where,
    /// The share of the question that the title holds, words weighted by their rarity.
    titlecov,
    /// Activation over edges from the memories that answer best by meaning and words.
    graph,
    /// Frequent and recent use.
    affinity,
    /// Recency of a memory of EPISODIC, by the time of its creation.
    recency_episodic,
    /// Recency of a memory of SIGNALS, by the time of its creation.
    recency_signals,
    /// Recency of a memory of KNOWLEDGE, by the time of its creation.
    recency_knowledge,
    /// Recency of a memory of PROCEDURAL, by the time of its creation.
    recency_procedural,
    /// Recency of creation, if the question asks for the latest.
    lastrec,
    /// Recency of creation, if the question has two words or fewer.
    vaguerec,
    /// 0.4 if the question asks for the section of the memory.
    intent,
    /// 1 for a memory of EPISODIC.
    section_episodic,
    /// 1 for a memory of SIGNALS.
    section_signals,
    /// 1 for a memory of PROCEDURAL.
    section_procedural,
    /// Cosine of the embeddings of the question and of the memory; estimated for a memory without
    /// one. 0 if the question has none, as are the next five.
    emb,
    /// `emb` of the memories before and after in the run, less with distance; less for a long text.
    nb_emb,
    /// The best `emb` of the memory and the twelve before and after it in the run.
    ses_emb,
    /// `emb` times the share of the question that no memory holds.
    emb_unheld,
    /// The place of `emb` among those of all memories that may be found, where words fail the
    /// question: 1 for the largest, 1/2 for the sixth, 0 from the fifty-first on. All are
    /// multiplied by how far words fail: 0 if a memory holds 45 % of the question, 1 if none holds
    /// more than 25 %.
    emb_rank,
    /// `emb` times the share of the question to whose words no passage has near ones.
    emb_unlike,
    /// `ses_emb` times the share of the question that no memory holds.
    ses_unheld,
    /// `p_soft` times the share of the question that no memory holds.
    soft_unheld,
    /// The text ends as a question.
    qm,
    /// The memory before it in its run ends as a question.
    prevq,
    /// ln((1 + words) / 21) / 2, between −1.5 and 1.5: 0 for a text of twenty words.
    len,
    /// The text holds a number.
    num,
    /// The share of its words that begin with a capital letter.
    cap,
    /// Its place in its run: 0 for the first memory, 1 for the last, 0 for the only one.
    pos,
}

/// The number of kinds that say what a memory is like, whatever the question: the last ones. What
/// they weigh differs from one memory to another, so that only use teaches it.
pub const TRAITS: usize = 6;

/// The least cosine of texts that have anything to do with each other. Vectors of unlike texts are
/// hardly ever orthogonal.
const NEAR: f64 = 0.3;
/// The same for embeddings. An answer that shares no word with its question can be as far away.
const NEAR_BY_EMBEDDING: f64 = 0.2;

impl Values {
    /// Returns whether anything connects the memory with the question. The memory's own time, use
    /// and section do not, unless the question asks for them.
    pub fn speaks(&self, weights: &Values) -> bool {
        // Every word that a memory shares with the question raises `p_soft`.
        self.p_soft != 0.0
            || self.sem >= NEAR
            || self.emb >= NEAR_BY_EMBEDDING
            || self.ses >= NEAR
            || self.nb != 0.0
            || self.date != 0.0
            || self.told != 0.0
            || self.graph * weights.graph != 0.0
            || self.lastrec * weights.lastrec != 0.0
            || self.intent * weights.intent != 0.0
    }
}

/// What a ranking by evidence weighs, and how its sum becomes a probability.
///
/// Sums of different questions are not on one scale. Where many memories hold the words of the
/// question, the best sum is high, whether it answers or not. Where the words spread evenly over
/// all runs, no run stands out. An answer stands clear of the memories behind it; where no memory
/// holds the words of the question, there may be none. So the probability depends on the question,
/// too: see [`OfQuestion`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The weight of each kind of evidence.
    pub weights: Values,
    /// What a sum adds to the logarithm of the odds, for each unit.
    pub scale: f64,
    /// What the best sum of the question adds.
    pub of_best: f64,
    /// What the distance of the best sum from the second adds.
    pub of_gap: f64,
    /// What the spread of `sesb` over the memories that may be found adds: its standard deviation.
    pub of_spread: f64,
    /// What the share of the question that no memory holds adds.
    pub of_unheld: f64,
    /// The logarithm of the odds if all of these are 0.
    pub offset: f64,
}

/// What a probability knows of its question besides the sum of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfQuestion {
    /// The best sum; 0 if nothing answers.
    pub best: f64,
    /// The second best sum of a memory that none supersedes, among the best 64; 0 without one.
    pub second: f64,
    /// The standard deviation of `sesb` over the memories that may be found.
    pub spread: f64,
    /// The share of the question that no memory holds, words weighted by their rarity.
    pub unheld: f64,
}

/// How a sum becomes a probability for one question: 1 / (1 + exp(−(`scale` · sum + `offset`))).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// What a sum adds to the logarithm of the odds, for each unit.
    pub scale: f64,
    /// The logarithm of the odds of a sum of 0.
    pub offset: f64,
}

impl Odds {
    /// Returns the probability that a memory with this sum answers.
    pub fn probability(self, sum: f64) -> f64 {
        1.0 / (1.0 + exp(-(self.scale * sum + self.offset)))
    }
}

/// The fits of a ranking by evidence: for questions with an embedding, and for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fits {
    /// For questions without an embedding.
    pub plain: Fit,
    /// For questions with one.
    pub embedded: Fit,
}

impl Fits {
    /// Returns these fits, each changed.
    pub fn map(self, change: impl Fn(Fit) -> Fit) -> Self {
        Self { plain: change(self.plain), embedded: change(self.embedded) }
    }
}

impl Fit {
    /// Returns the odds for a question.
    pub fn odds(&self, OfQuestion { best, second, spread, unheld }: OfQuestion) -> Odds {
        let of_sums = self.of_best * best + self.of_gap * (best - second);
        let of_words = self.of_spread * spread + self.of_unheld * unheld;
        Odds { scale: self.scale, offset: self.offset + of_sums + of_words }
    }

    /// Returns the fit without what sections weigh: their recency, themselves, and whether the
    /// question asks for them.
    pub fn without_sections(mut self) -> Self {
        let weights = &mut self.weights;
        for weight in [
            &mut weights.recency_episodic,
            &mut weights.recency_signals,
            &mut weights.recency_knowledge,
            &mut weights.recency_procedural,
            &mut weights.intent,
            &mut weights.section_episodic,
            &mut weights.section_signals,
            &mut weights.section_procedural,
        ] {
            *weight = 0.0;
        }
        self
    }

    /// Whether evidence weighs that says what a memory is like.
    pub fn weighs_traits(&self) -> bool {
        self.weights.to_array()[KINDS - TRAITS..].iter().any(|&weight| weight != 0.0)
    }
}
