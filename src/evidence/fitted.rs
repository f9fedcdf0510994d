//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or the
//! fit, and not the numbers.
//!
//! Fitted on 2026-11-25. In brackets: the number of questions, and the presets fitted on the set.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.637, hit@1 0.444, recall@10 0.846, calibration error 0.052.
//! - phone-dev (380; general, trading): nDCG@10 0.598, hit@1 0.718, recall@10 0.575, calibration error 0.041.
//! - meetings-dev (237; general, trading): nDCG@10 0.357, hit@1 0.409, recall@10 0.203, calibration error 0.182.
//! - claims-dev (809; general, trading): nDCG@10 0.720, hit@1 0.604, recall@10 0.845, calibration error 0.068.
//! - general, dev (266; general, trading): nDCG@10 0.577, hit@1 0.444, recall@10 0.711, calibration error 0.031.
//! - general, test (270; measured only): nDCG@10 0.620, hit@1 0.465, recall@10 0.785, calibration error 0.030.
//! - trader, dev (227; trading): nDCG@10 0.391, hit@1 0.344, recall@10 0.508, calibration error 0.022.
//! - trader, test (136; measured only): nDCG@10 0.406, hit@1 0.382, recall@10 0.498, calibration error 0.023.
//! - trader, handwritten (91; measured only): nDCG@10 0.398, hit@1 0.374, recall@10 0.505, calibration error 0.033.
//! - trader, others of test (17; measured only): nDCG@10 0.069, hit@1 0.000, recall@10 0.167, calibration error 0.049.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.2;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.539,
        sem: 0.947,
        cov: 0.453,
        p_soft: 1.267,
        p_softcov: 1.374,
        p_sem: 0.951,
        p_sbm: 0.636,
        nb: 0.663,
        win: 2.027,
        ses: 2.198,
        sesb: 0.315,
        date: 2.116,
        told: 1.17,
        p_temp: 1.231,
        p_numq: 0.342,
        p_where: 0.63,
        titlecov: 0.803,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.191,
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
    scale: 0.514,
    of_best: 0.0,
    of_spread: 0.0,
    offset: -4.779,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.583,
        sem: 1.012,
        cov: 0.339,
        p_soft: 1.016,
        p_softcov: 0.945,
        p_sem: 1.194,
        p_sbm: 0.71,
        nb: 0.613,
        win: 1.613,
        ses: 2.623,
        sesb: 0.045,
        date: 1.963,
        told: 1.023,
        p_temp: 1.169,
        p_numq: 0.301,
        p_where: 0.416,
        titlecov: 1.88,
        graph: 0.087,
        affinity: 0.811,
        recency_episodic: 0.742,
        recency_signals: 1.056,
        recency_knowledge: -0.157,
        recency_procedural: 0.098,
        lastrec: 0.221,
        vaguerec: 0.585,
        intent: 0.553,
        section_episodic: -0.935,
        section_signals: -0.988,
        section_procedural: -0.085,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 0.545,
    of_best: 0.0,
    of_spread: 0.0,
    offset: -4.919,
};
