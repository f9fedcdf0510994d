//! Sections and constants as structures. JavaScript reads them once and defines no number of its own.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::prompt::ContextConstants;
use super::{Engine, to_js};
use crate::consolidate::{self, PlaybookRule};
use crate::context::{Frame, MAX_NAMED, MemoryType, TYPED_SUBTYPES};
use crate::decay::{self, AlgorithmType, DECAY, DecayConstants, Lifecycle};
use crate::evidence::{ANSWERABLE, Fit, MAX_LEARNED, NAMES, Preset, trait_names};
use crate::intent::Matcher;
use crate::merge::MergeOptions;
use crate::playbook::EDGE_STRENGTHENING;
use crate::query::{
    ATTRIBUTE_WORDS, Category, FLAGS, Level, MAX_PARTS, OrchestratorConfig, QueryType,
};
use crate::salience::SalienceFields;
use crate::search::{STORED_EDGE_STRENGTHS, UNKNOWN_EDGE_WEIGHT};
use crate::section::{INTENT_ORDER, Section, SectionProfile, Subtype, Weights};
use crate::signal::SIGNALS;
use crate::times::Grain;

#[wasm_bindgen]
impl Engine {
    /// Returns the settings of the engine's configuration, defaults included.
    pub fn describe(&self) -> JsValue {
        #[derive(Serialize)]
        struct Description<'a> {
            enabled: bool,
            default_section: u8,
            intent_boost: f64,
            words: bool,
            profiles: &'a [SectionProfile],
            subtypes: &'a [Subtype],
            known_symbols: &'a [String],
            orchestrator: &'a OrchestratorConfig,
            stakes: Vec<SalienceFields<'a>>,
            weighs: [bool; 3],
        }
        to_js(&Description {
            enabled: self.table.enabled(),
            default_section: self.table.default_section() as u8,
            intent_boost: self.table.intent_boost(),
            words: self.intent.matcher() == Matcher::Words,
            profiles: self.table.profiles(),
            subtypes: self.table.subtypes(),
            known_symbols: &self.known_symbols,
            orchestrator: &self.orchestrator,
            stakes: self.salience.all_fields().collect(),
            weighs: self.salience.weighs(),
        })
    }
}

/// Returns the names and numbers that no configuration changes.
#[wasm_bindgen]
pub fn constants() -> JsValue {
    #[derive(Serialize)]
    struct TypeConstants {
        name: &'static str,
        initial_stability: f64,
        initial_difficulty: f64,
    }
    #[derive(Serialize)]
    struct Disqualifiers {
        category: &'static str,
        reason: &'static str,
        patterns: &'static [&'static str],
    }
    #[derive(Serialize)]
    struct MemoryTypes {
        names: [&'static str; 5],
        budgets: [&'static str; 5],
        of_sections: [&'static str; 4],
        of_subtypes: [(&'static str, &'static str); 4],
        max_named: usize,
    }
    #[derive(Serialize)]
    struct FrameConstants {
        id: &'static str,
        name: &'static str,
        description: &'static str,
        category: &'static str,
        stakes: &'static str,
    }
    #[derive(Serialize)]
    struct FittedWeights<'a> {
        /// In the order of `evidence`.
        weights: &'a [f64],
        scale: f64,
        of_best: f64,
        of_gap: f64,
        of_spread: f64,
        of_unheld: f64,
        offset: f64,
    }
    #[derive(Serialize)]
    struct Constants<'a> {
        sections: [&'static str; 4],
        intent_order: [Section; 4],
        signals: [&'static str; 6],
        lifecycles: [&'static str; 5],
        types: [TypeConstants; 7],
        unknown_type: TypeConstants,
        reranking_weights: Weights,
        decay: DecayConstants,
        relevance_ratio: f64,
        max_results: usize,
        disqualifiers: [Disqualifiers; 6],
        query_types: [&'static str; 2],
        grains: [&'static str; 9],
        attribute_words: [&'static str; 20],
        confidence_levels: [&'static str; 3],
        confidence_flags: [&'static str; 5],
        max_parts: usize,
        edge_strengthening: f64,
        memory_types: MemoryTypes,
        frames: [FrameConstants; 6],
        episode_sources: [&'static str; 5],
        relearned: f64,
        trade_bands: [&'static [&'static str]; 3],
        playbook_rule: PlaybookRule,
        context: ContextConstants,
        edge_strengths: [(&'static str, f64); 8],
        unknown_edge_strength: f64,
        answerable: f64,
        traits: &'static [&'static str],
        max_learned: f64,
        evidence: &'static [&'static str],
        fitted: [FittedWeights<'a>; 4],
    }
    let [general, trading] = [Preset::General, Preset::Trading].map(Preset::fits);
    let fits = [general.plain, general.embedded, trading.plain, trading.embedded];
    let weights = fits.map(|fit| fit.weights.to_array());
    let fitted = |place: usize| {
        let Fit { scale, of_best, of_gap, of_spread, of_unheld, offset, .. } = fits[place];
        let weights = &weights[place];
        FittedWeights { weights, scale, of_best, of_gap, of_spread, of_unheld, offset }
    };
    let of_type = |name, node_type| TypeConstants {
        name,
        initial_stability: decay::initial_stability(node_type),
        initial_difficulty: decay::initial_difficulty(node_type),
    };
    let merge = MergeOptions::default();
    to_js(&Constants {
        sections: Section::ALL.map(Section::name),
        intent_order: INTENT_ORDER,
        signals: SIGNALS,
        lifecycles: Lifecycle::ALL.map(Lifecycle::name),
        types: AlgorithmType::ALL.map(|it| of_type(it.name(), Some(it))),
        unknown_type: of_type("unknown", None),
        reranking_weights: Weights::GLOBAL,
        decay: DECAY,
        relevance_ratio: merge.relevance_ratio,
        max_results: merge.max_results,
        disqualifiers: Category::ALL.map(|category| Disqualifiers {
            category: category.name(),
            reason: category.reason(),
            patterns: category.patterns(),
        }),
        query_types: QueryType::NAMES,
        grains: Grain::NAMES,
        attribute_words: ATTRIBUTE_WORDS,
        confidence_levels: Level::NAMES,
        confidence_flags: FLAGS,
        max_parts: MAX_PARTS,
        edge_strengthening: EDGE_STRENGTHENING,
        memory_types: MemoryTypes {
            names: MemoryType::ALL.map(MemoryType::name),
            budgets: MemoryType::ALL.map(MemoryType::budget),
            of_sections: Section::ALL.map(|section| MemoryType::of_section(section).name()),
            of_subtypes: TYPED_SUBTYPES.map(|(subtype, its)| (subtype, its.name())),
            max_named: MAX_NAMED,
        },
        frames: Frame::ALL.map(|frame| FrameConstants {
            id: frame.id(),
            name: frame.name(),
            description: frame.description(),
            category: frame.category(),
            stakes: frame.stakes(),
        }),
        episode_sources: consolidate::SOURCES,
        relearned: consolidate::RELEARNED,
        trade_bands: [&consolidate::WEEKDAYS, &consolidate::HOURS, &consolidate::FUNDING],
        playbook_rule: consolidate::PLAYBOOK_RULE,
        context: ContextConstants::new(),
        edge_strengths: STORED_EDGE_STRENGTHS,
        unknown_edge_strength: UNKNOWN_EDGE_WEIGHT,
        answerable: ANSWERABLE,
        traits: trait_names(),
        max_learned: MAX_LEARNED,
        evidence: &NAMES,
        fitted: [fitted(0), fitted(1), fitted(2), fitted(3)],
    })
}
