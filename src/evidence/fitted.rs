//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or
//! the fit, and not the numbers.
//!
//! Fitted on 2026-11-29. In brackets: the number of questions, and the presets fitted on the set.
//! Weights were kept from an earlier fit; the odds were fitted anew.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.633, hit@1 0.438, recall@10 0.843,
//!   calibration error 0.014. Embedded: nDCG@10 0.631, hit@1 0.428, recall@10 0.851, calibration
//!   error 0.014.
//! - phone-dev (380; measured only): nDCG@10 0.610, hit@1 0.734, recall@10 0.587, calibration error
//!   0.199. Embedded: nDCG@10 0.633, hit@1 0.747, recall@10 0.606, calibration error 0.213.
//! - meetings-dev (237; measured only): nDCG@10 0.382, hit@1 0.439, recall@10 0.216, calibration
//!   error 0.239. Embedded: nDCG@10 0.413, hit@1 0.494, recall@10 0.227, calibration error 0.263.
//! - claims-dev (809; measured only): nDCG@10 0.721, hit@1 0.603, recall@10 0.845, calibration
//!   error 0.028. Embedded: nDCG@10 0.759, hit@1 0.660, recall@10 0.864, calibration error 0.027.
//! - general, dev (266; general, trading): nDCG@10 0.582, hit@1 0.456, recall@10 0.709, calibration
//!   error 0.022. Embedded: nDCG@10 0.678, hit@1 0.544, recall@10 0.821, calibration error 0.031.
//! - general, test (270; measured only): nDCG@10 0.627, hit@1 0.473, recall@10 0.789, calibration
//!   error 0.020. Embedded: nDCG@10 0.715, hit@1 0.535, recall@10 0.882, calibration error 0.031.
//! - trader, dev (227; trading): nDCG@10 0.402, hit@1 0.326, recall@10 0.541, calibration error
//!   0.029. Embedded: nDCG@10 0.414, hit@1 0.348, recall@10 0.556, calibration error 0.035.
//! - trader, test (136; measured only): nDCG@10 0.421, hit@1 0.412, recall@10 0.500, calibration
//!   error 0.017. Embedded: nDCG@10 0.468, hit@1 0.441, recall@10 0.558, calibration error 0.036.
//! - trader, handwritten (91; measured only): nDCG@10 0.421, hit@1 0.407, recall@10 0.530,
//!   calibration error 0.032. Embedded: nDCG@10 0.476, hit@1 0.451, recall@10 0.566, calibration
//!   error 0.050.
//! - trader, others of test (17; measured only): nDCG@10 0.071, hit@1 0.000, recall@10 0.167,
//!   calibration error 0.041. Embedded: nDCG@10 0.083, hit@1 0.000, recall@10 0.200, calibration
//!   error 0.044.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.2;

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
        emb_rank: 0.0,
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
    scale: 1.682,
    of_best: -1.475,
    of_gap: 0.985,
    of_spread: 0.352,
    of_unheld: -1.416,
    offset: -2.267,
};

/// The same, for questions with an embedding.
pub const GENERAL_EMBEDDED: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.195,
        sem: 0.108,
        cov: 0.6,
        p_soft: 1.161,
        p_softcov: 0.959,
        p_sem: 0.288,
        p_sbm: 0.25,
        nb: 0.555,
        win: 1.346,
        ses: 1.308,
        sesb: 0.042,
        date: 2.168,
        told: 1.192,
        p_temp: 0.976,
        p_numq: 0.313,
        p_where: 0.461,
        titlecov: 0.393,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.037,
        vaguerec: 0.349,
        intent: 0.0,
        section_episodic: 0.0,
        section_signals: 0.0,
        section_procedural: 0.0,
        emb: 1.14,
        nb_emb: 0.0,
        ses_emb: 2.172,
        emb_unheld: 0.993,
        emb_rank: 1.0,
        emb_unlike: 1.183,
        ses_unheld: 1.589,
        soft_unheld: 0.965,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.772,
    of_best: -1.583,
    of_gap: 1.052,
    of_spread: 0.216,
    of_unheld: -1.706,
    offset: -1.999,
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
        emb_rank: 0.0,
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
    scale: 1.427,
    of_best: -1.089,
    of_gap: 0.748,
    of_spread: -1.236,
    of_unheld: -0.734,
    offset: -3.021,
};

/// The same, for questions with an embedding.
pub const TRADING_EMBEDDED: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.3,
        sem: 0.157,
        cov: 0.371,
        p_soft: 0.614,
        p_softcov: 0.619,
        p_sem: 0.645,
        p_sbm: 0.551,
        nb: 0.478,
        win: 0.846,
        ses: 1.794,
        sesb: 0.0,
        date: 1.966,
        told: 0.952,
        p_temp: 0.991,
        p_numq: 0.246,
        p_where: 0.205,
        titlecov: 1.386,
        graph: 0.06,
        affinity: 0.857,
        recency_episodic: 0.649,
        recency_signals: 0.948,
        recency_knowledge: -0.247,
        recency_procedural: -0.311,
        lastrec: 0.743,
        vaguerec: 1.278,
        intent: 0.533,
        section_episodic: -0.904,
        section_signals: -1.047,
        section_procedural: -0.022,
        emb: 1.642,
        nb_emb: 0.0,
        ses_emb: 2.055,
        emb_unheld: 1.046,
        emb_rank: 0.25,
        emb_unlike: 0.907,
        ses_unheld: 1.07,
        soft_unheld: 0.436,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.457,
    of_best: -1.172,
    of_gap: 0.75,
    of_spread: -1.613,
    of_unheld: -1.182,
    offset: -2.484,
};
