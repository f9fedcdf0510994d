//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or
//! the fit, and not the numbers.
//!
//! Fitted on 2026-11-26. In brackets: the number of questions, and the presets fitted on the set.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.636, hit@1 0.440, recall@10 0.846,
//!   calibration error 0.009.
//! - phone-dev (380; general, trading): nDCG@10 0.599, hit@1 0.718, recall@10 0.576, calibration
//!   error 0.040.
//! - meetings-dev (237; general, trading): nDCG@10 0.382, hit@1 0.439, recall@10 0.216, calibration
//!   error 0.107.
//! - claims-dev (809; general, trading): nDCG@10 0.717, hit@1 0.598, recall@10 0.842, calibration
//!   error 0.082.
//! - general, dev (266; general, trading): nDCG@10 0.580, hit@1 0.452, recall@10 0.709, calibration
//!   error 0.032.
//! - general, test (270; measured only): nDCG@10 0.625, hit@1 0.477, recall@10 0.784, calibration
//!   error 0.032.
//! - trader, dev (227; trading): nDCG@10 0.408, hit@1 0.335, recall@10 0.546, calibration error
//!   0.033.
//! - trader, test (136; measured only): nDCG@10 0.423, hit@1 0.419, recall@10 0.502, calibration
//!   error 0.052.
//! - trader, handwritten (91; measured only): nDCG@10 0.423, hit@1 0.418, recall@10 0.530,
//!   calibration error 0.046.
//! - trader, others of test (17; measured only): nDCG@10 0.071, hit@1 0.000, recall@10 0.167,
//!   calibration error 0.102.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.3;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.465,
        sem: 0.895,
        cov: 0.361,
        p_soft: 1.268,
        p_softcov: 1.278,
        p_sem: 0.912,
        p_sbm: 0.609,
        nb: 0.617,
        win: 1.814,
        ses: 2.633,
        sesb: 0.275,
        date: 2.083,
        told: 1.151,
        p_temp: 1.201,
        p_numq: 0.343,
        p_where: 0.632,
        titlecov: 0.771,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.179,
        vaguerec: 0.0,
        intent: 0.0,
        section_episodic: 0.0,
        section_signals: 0.0,
        section_procedural: 0.0,
        emb: 0.0,
        nb_emb: 0.0,
        ses_emb: 0.0,
        emb_unheld: 0.0,
        emb_unlike: 0.0,
        ses_unheld: 0.0,
        soft_unheld: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.33,
    of_best: -0.8,
    of_spread: -10.325,
    offset: -3.021,
};

/// The same, for questions with an embedding.
pub const GENERAL_EMBEDDED: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.465,
        sem: 0.895,
        cov: 0.361,
        p_soft: 1.268,
        p_softcov: 1.278,
        p_sem: 0.912,
        p_sbm: 0.609,
        nb: 0.617,
        win: 1.814,
        ses: 2.633,
        sesb: 0.275,
        date: 2.083,
        told: 1.151,
        p_temp: 1.201,
        p_numq: 0.343,
        p_where: 0.632,
        titlecov: 0.771,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.179,
        vaguerec: 0.0,
        intent: 0.0,
        section_episodic: 0.0,
        section_signals: 0.0,
        section_procedural: 0.0,
        emb: 1.0,
        nb_emb: 0.0,
        ses_emb: 0.5,
        emb_unheld: 3.0,
        emb_unlike: 1.0,
        ses_unheld: 0.0,
        soft_unheld: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.33,
    of_best: -0.8,
    of_spread: -10.325,
    offset: -3.021,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.543,
        sem: 0.998,
        cov: 0.154,
        p_soft: 0.785,
        p_softcov: 0.785,
        p_sem: 1.25,
        p_sbm: 0.707,
        nb: 0.534,
        win: 1.212,
        ses: 2.963,
        sesb: 0.0,
        date: 1.831,
        told: 0.908,
        p_temp: 1.097,
        p_numq: 0.285,
        p_where: 0.404,
        titlecov: 2.083,
        graph: 0.077,
        affinity: 0.854,
        recency_episodic: 0.656,
        recency_signals: 0.923,
        recency_knowledge: -0.347,
        recency_procedural: -0.287,
        lastrec: 0.797,
        vaguerec: 1.342,
        intent: 0.643,
        section_episodic: -0.902,
        section_signals: -1.012,
        section_procedural: 0.0,
        emb: 0.0,
        nb_emb: 0.0,
        ses_emb: 0.0,
        emb_unheld: 0.0,
        emb_unlike: 0.0,
        ses_unheld: 0.0,
        soft_unheld: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.311,
    of_best: -0.756,
    of_spread: -9.957,
    offset: -3.111,
};

/// The same, for questions with an embedding.
pub const TRADING_EMBEDDED: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.543,
        sem: 0.998,
        cov: 0.154,
        p_soft: 0.785,
        p_softcov: 0.785,
        p_sem: 1.25,
        p_sbm: 0.707,
        nb: 0.534,
        win: 1.212,
        ses: 2.963,
        sesb: 0.0,
        date: 1.831,
        told: 0.908,
        p_temp: 1.097,
        p_numq: 0.285,
        p_where: 0.404,
        titlecov: 2.083,
        graph: 0.077,
        affinity: 0.854,
        recency_episodic: 0.656,
        recency_signals: 0.923,
        recency_knowledge: -0.347,
        recency_procedural: -0.287,
        lastrec: 0.797,
        vaguerec: 1.342,
        intent: 0.643,
        section_episodic: -0.902,
        section_signals: -1.012,
        section_procedural: 0.0,
        emb: 1.0,
        nb_emb: 0.0,
        ses_emb: 0.5,
        emb_unheld: 3.0,
        emb_unlike: 1.0,
        ses_unheld: 0.0,
        soft_unheld: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.311,
    of_best: -0.756,
    of_spread: -9.957,
    offset: -3.111,
};
