//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or the
//! fit, and not the numbers.
//!
//! Fitted on 2026-11-25. In brackets: the number of questions, and the presets fitted on the set.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.637, hit@1 0.441, recall@10 0.846, calibration error 0.009.
//! - phone-dev (380; general, trading): nDCG@10 0.600, hit@1 0.716, recall@10 0.579, calibration error 0.044.
//! - meetings-dev (237; general, trading): nDCG@10 0.358, hit@1 0.418, recall@10 0.202, calibration error 0.090.
//! - claims-dev (809; general, trading): nDCG@10 0.717, hit@1 0.598, recall@10 0.843, calibration error 0.071.
//! - general, dev (266; general, trading): nDCG@10 0.580, hit@1 0.452, recall@10 0.709, calibration error 0.027.
//! - general, test (270; measured only): nDCG@10 0.618, hit@1 0.465, recall@10 0.781, calibration error 0.028.
//! - trader, dev (227; trading): nDCG@10 0.406, hit@1 0.335, recall@10 0.541, calibration error 0.031.
//! - trader, test (136; measured only): nDCG@10 0.421, hit@1 0.412, recall@10 0.509, calibration error 0.047.
//! - trader, handwritten (91; measured only): nDCG@10 0.419, hit@1 0.407, recall@10 0.530, calibration error 0.040.
//! - trader, others of test (17; measured only): nDCG@10 0.072, hit@1 0.000, recall@10 0.167, calibration error 0.092.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.3;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.538,
        sem: 0.981,
        cov: 0.444,
        p_soft: 1.301,
        p_softcov: 1.322,
        p_sem: 0.947,
        p_sbm: 0.643,
        nb: 0.661,
        win: 2.032,
        ses: 2.203,
        sesb: 0.301,
        date: 2.114,
        told: 1.168,
        p_temp: 1.227,
        p_numq: 0.347,
        p_where: 0.633,
        titlecov: 0.794,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.183,
        vaguerec: 0.0,
        intent: 0.0,
        section_episodic: 0.0,
        section_signals: 0.0,
        section_procedural: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.352,
    of_best: -0.81,
    of_spread: -9.365,
    offset: -3.224,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.605,
        sem: 1.094,
        cov: 0.216,
        p_soft: 0.808,
        p_softcov: 0.788,
        p_sem: 1.295,
        p_sbm: 0.741,
        nb: 0.568,
        win: 1.373,
        ses: 2.657,
        sesb: 0.0,
        date: 1.852,
        told: 0.917,
        p_temp: 1.116,
        p_numq: 0.285,
        p_where: 0.402,
        titlecov: 2.126,
        graph: 0.08,
        affinity: 0.86,
        recency_episodic: 0.667,
        recency_signals: 0.933,
        recency_knowledge: -0.347,
        recency_procedural: -0.29,
        lastrec: 0.806,
        vaguerec: 1.355,
        intent: 0.645,
        section_episodic: -0.911,
        section_signals: -1.022,
        section_procedural: 0.0,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 1.367,
    of_best: -0.793,
    of_spread: -8.867,
    offset: -3.353,
};
