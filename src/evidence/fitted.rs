//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or
//! the fit, and not the numbers.
//!
//! Fitted on 2026-11-29. In brackets: the number of questions, and the presets fitted on the set.
//! Weights were kept from an earlier fit; the odds were fitted anew.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.633, hit@1 0.438, recall@10 0.843,
//!   calibration error 0.030. Embedded: nDCG@10 0.635, hit@1 0.437, recall@10 0.849, calibration
//!   error 0.031.
//! - phone-dev (380; general, trading): nDCG@10 0.610, hit@1 0.734, recall@10 0.587, calibration
//!   error 0.026. Embedded: nDCG@10 0.633, hit@1 0.747, recall@10 0.606, calibration error 0.023.
//! - meetings-dev (237; general, trading): nDCG@10 0.382, hit@1 0.439, recall@10 0.216, calibration
//!   error 0.136. Embedded: nDCG@10 0.414, hit@1 0.481, recall@10 0.229, calibration error 0.150.
//! - claims-dev (809; general, trading): nDCG@10 0.721, hit@1 0.603, recall@10 0.845, calibration
//!   error 0.062. Embedded: nDCG@10 0.759, hit@1 0.658, recall@10 0.867, calibration error 0.065.
//! - general, dev (266; general, trading): nDCG@10 0.582, hit@1 0.456, recall@10 0.709, calibration
//!   error 0.038. Embedded: nDCG@10 0.655, hit@1 0.510, recall@10 0.802, calibration error 0.031.
//! - general, test (270; measured only): nDCG@10 0.627, hit@1 0.473, recall@10 0.789, calibration
//!   error 0.036. Embedded: nDCG@10 0.691, hit@1 0.502, recall@10 0.866, calibration error 0.028.
//! - trader, dev (227; trading): nDCG@10 0.402, hit@1 0.326, recall@10 0.541, calibration error
//!   0.030. Embedded: nDCG@10 0.418, hit@1 0.362, recall@10 0.561, calibration error 0.023.
//! - trader, test (136; measured only): nDCG@10 0.421, hit@1 0.412, recall@10 0.500, calibration
//!   error 0.045. Embedded: nDCG@10 0.464, hit@1 0.441, recall@10 0.549, calibration error 0.014.
//! - trader, handwritten (91; measured only): nDCG@10 0.421, hit@1 0.407, recall@10 0.530,
//!   calibration error 0.040. Embedded: nDCG@10 0.472, hit@1 0.451, recall@10 0.560, calibration
//!   error 0.042.
//! - trader, others of test (17; measured only): nDCG@10 0.071, hit@1 0.000, recall@10 0.167,
//!   calibration error 0.071. Embedded: nDCG@10 0.105, hit@1 0.000, recall@10 0.267, calibration
//!   error 0.049.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.25;

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
        emb_failing: 0.0,
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
    scale: 1.377,
    of_best: -0.81,
    of_gap: 0.686,
    of_spread: -5.785,
    of_unheld: -0.118,
    offset: -3.963,
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
        emb_failing: 4.25,
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
    scale: 1.681,
    of_best: -1.522,
    of_gap: 0.973,
    of_spread: 0.273,
    of_unheld: -1.905,
    offset: -1.755,
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
        emb_failing: 0.0,
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
    scale: 1.335,
    of_best: -0.773,
    of_gap: 0.616,
    of_spread: -5.506,
    of_unheld: -0.247,
    offset: -3.774,
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
        emb_failing: 0.5,
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
    scale: 1.461,
    of_best: -1.18,
    of_gap: 0.754,
    of_spread: -1.644,
    of_unheld: -1.203,
    offset: -2.446,
};
