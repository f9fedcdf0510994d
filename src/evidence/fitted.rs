//! The fitted weights of the two presets.

use super::weights::{Fit, Values};

/// The score from which on an answer counts as one. If no memory reaches it, the question has no
/// answer.
pub const ANSWERABLE: f64 = 0.3;

/// For any memory: people, projects, documents.
pub const GENERAL: Fit = Fit {
    weights: Values {
        bm: -0.25,
        sbm: 1.12,
        sem: 0.41,
        cov: 0.54,
        p_soft: 1.33,
        p_softcov: 1.59,
        p_sem: 0.34,
        p_sbm: 1.13,
        nb: 1.08,
        nbsoft: 0.49,
        ses: 3.37,
        sesb: 4.36,
        date: 3.23,
        told: 3.0,
        p_temp: 1.55,
        p_numq: 0.2,
        p_where: 0.53,
        titlecov: 0.0,
        graph: 0.0,
        affinity: 0.0,
        recency_episodic: 0.0,
        recency_signals: 0.0,
        recency_knowledge: 0.0,
        recency_procedural: 0.0,
        lastrec: 0.0,
        vaguerec: 0.0,
        intent: 0.0,
        section_episodic: 0.0,
        section_signals: 0.0,
        section_procedural: 0.0,
    },
    scale: 1.0,
    offset: -8.0,
};

/// For the memory of a trading agent.
pub const TRADING: Fit = GENERAL;
