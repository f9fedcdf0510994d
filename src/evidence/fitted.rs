//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or the
//! fit, and not the numbers.
//!
//! Fitted on 2026-11-25. In brackets: the number of questions, and the presets fitted on the set.
//!
//! - conversations-dev (1014; general, trading): nDCG@10 0.627, hit@1 0.435, recall@10 0.840, calibration error 0.061.
//! - phone-dev (380; general, trading): nDCG@10 0.592, hit@1 0.716, recall@10 0.566, calibration error 0.019.
//! - meetings-dev (237; general, trading): nDCG@10 0.350, hit@1 0.443, recall@10 0.197, calibration error 0.139.
//! - claims-dev (809; general, trading): nDCG@10 0.718, hit@1 0.597, recall@10 0.846, calibration error 0.072.
//! - general, dev (266; general, trading): nDCG@10 0.586, hit@1 0.456, recall@10 0.728, calibration error 0.037.
//! - general, test (270; measured only): nDCG@10 0.618, hit@1 0.469, recall@10 0.778, calibration error 0.029.
//! - trader, dev (227; trading): nDCG@10 0.399, hit@1 0.326, recall@10 0.538, calibration error 0.026.
//! - trader, test (136; measured only): nDCG@10 0.409, hit@1 0.390, recall@10 0.490, calibration error 0.034.
//! - trader, handwritten (91; measured only): nDCG@10 0.402, hit@1 0.374, recall@10 0.516, calibration error 0.018.
//! - trader, others of test (17; measured only): nDCG@10 0.069, hit@1 0.000, recall@10 0.167, calibration error 0.060.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.2;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.709,
        sem: 0.718,
        cov: 0.12,
        p_soft: 0.805,
        p_softcov: 1.101,
        p_sem: 0.764,
        p_sbm: 0.664,
        nb: 1.008,
        nbsoft: 0.0,
        ses: 2.769,
        sesb: 0.799,
        date: 2.299,
        told: 1.248,
        p_temp: 1.156,
        p_numq: 0.344,
        p_where: 0.473,
        titlecov: 0.866,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.201,
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
    scale: 0.492,
    offset: -4.533,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = Fit {
    weights: Values {
        bm: 0.0,
        sbm: 0.764,
        sem: 0.831,
        cov: 0.088,
        p_soft: 0.592,
        p_softcov: 0.643,
        p_sem: 1.1,
        p_sbm: 0.739,
        nb: 0.832,
        nbsoft: 0.0,
        ses: 3.07,
        sesb: 0.267,
        date: 2.045,
        told: 1.029,
        p_temp: 1.067,
        p_numq: 0.297,
        p_where: 0.162,
        titlecov: 1.891,
        graph: 0.085,
        affinity: 0.806,
        recency_episodic: 0.778,
        recency_signals: 1.124,
        recency_knowledge: -0.132,
        recency_procedural: 0.135,
        lastrec: 0.176,
        vaguerec: 0.679,
        intent: 0.596,
        section_episodic: -0.976,
        section_signals: -1.042,
        section_procedural: -0.066,
        qm: 0.0,
        prevq: 0.0,
        len: 0.0,
        num: 0.0,
        cap: 0.0,
        pos: 0.0,
    },
    scale: 0.545,
    offset: -4.775,
};
