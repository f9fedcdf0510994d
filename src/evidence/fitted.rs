//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or
//! the fit, and not the numbers.
//!
//! Fitted on 2026-11-29. In brackets: the number of questions, and the presets fitted on the set.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.633, hit@1 0.435, recall@10 0.845,
//!   calibration error 0.011. Embedded: nDCG@10 0.635, hit@1 0.437, recall@10 0.849, calibration
//!   error 0.014.
//! - phone-dev (380; general, trading): nDCG@10 0.612, hit@1 0.732, recall@10 0.592, calibration
//!   error 0.038. Embedded: nDCG@10 0.633, hit@1 0.747, recall@10 0.606, calibration error 0.041.
//! - meetings-dev (237; general, trading): nDCG@10 0.377, hit@1 0.435, recall@10 0.212, calibration
//!   error 0.102. Embedded: nDCG@10 0.414, hit@1 0.481, recall@10 0.229, calibration error 0.124.
//! - claims-dev (809; general, trading): nDCG@10 0.721, hit@1 0.603, recall@10 0.847, calibration
//!   error 0.084. Embedded: nDCG@10 0.759, hit@1 0.658, recall@10 0.867, calibration error 0.076.
//! - general, dev (266; general, trading): nDCG@10 0.589, hit@1 0.465, recall@10 0.716, calibration
//!   error 0.031. Embedded: nDCG@10 0.655, hit@1 0.510, recall@10 0.802, calibration error 0.029.
//! - general, test (270; measured only): nDCG@10 0.627, hit@1 0.469, recall@10 0.789, calibration
//!   error 0.027. Embedded: nDCG@10 0.691, hit@1 0.502, recall@10 0.866, calibration error 0.030.
//! - trader, dev (227; trading): nDCG@10 0.401, hit@1 0.326, recall@10 0.537, calibration error
//!   0.031. Embedded: nDCG@10 0.418, hit@1 0.362, recall@10 0.561, calibration error 0.022.
//! - trader, test (136; measured only): nDCG@10 0.421, hit@1 0.412, recall@10 0.499, calibration
//!   error 0.054. Embedded: nDCG@10 0.464, hit@1 0.441, recall@10 0.549, calibration error 0.023.
//! - trader, handwritten (91; measured only): nDCG@10 0.424, hit@1 0.418, recall@10 0.527,
//!   calibration error 0.041. Embedded: nDCG@10 0.472, hit@1 0.451, recall@10 0.560, calibration
//!   error 0.032.
//! - trader, others of test (17; measured only): nDCG@10 0.069, hit@1 0.000, recall@10 0.167,
//!   calibration error 0.099. Embedded: nDCG@10 0.105, hit@1 0.000, recall@10 0.267, calibration
//!   error 0.083.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.3;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.599,
        sem: 0.948,
        cov: 0.402,
        p_soft: 1.027,
        p_softcov: 1.018,
        p_sem: 0.943,
        p_sbm: 0.463,
        nb: 0.684,
        win: 1.51,
        ses: 2.536,
        sesb: 0.324,
        date: 2.276,
        told: 1.187,
        p_temp: 1.001,
        p_numq: 0.386,
        p_where: 0.285,
        titlecov: 0.954,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.0,
        vaguerec: 0.438,
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
        soft_unheld: 1.156,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.286,
    of_best: -0.769,
    of_spread: -10.1,
    offset: -2.968,
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
    scale: 1.342,
    of_best: -0.824,
    of_spread: -10.736,
    offset: -2.938,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.694,
        sem: 1.078,
        cov: 0.17,
        p_soft: 0.567,
        p_softcov: 0.575,
        p_sem: 1.343,
        p_sbm: 0.664,
        nb: 0.587,
        win: 0.963,
        ses: 2.896,
        sesb: 0.0,
        date: 1.981,
        told: 0.92,
        p_temp: 0.949,
        p_numq: 0.317,
        p_where: 0.07,
        titlecov: 1.91,
        graph: 0.076,
        affinity: 0.882,
        recency_episodic: 0.687,
        recency_signals: 0.951,
        recency_knowledge: -0.219,
        recency_procedural: -0.283,
        lastrec: 0.754,
        vaguerec: 1.386,
        intent: 0.653,
        section_episodic: -0.886,
        section_signals: -1.025,
        section_procedural: 0.0,
        emb: 0.0,
        nb_emb: 0.0,
        ses_emb: 0.0,
        emb_unheld: 0.0,
        emb_unlike: 0.0,
        ses_unheld: 0.0,
        soft_unheld: 0.66,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.251,
    of_best: -0.692,
    of_spread: -9.75,
    offset: -3.246,
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
    scale: 1.236,
    of_best: -0.682,
    of_spread: -10.122,
    offset: -3.371,
};
