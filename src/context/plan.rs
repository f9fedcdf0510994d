//! Retrieval plans: how many memories of each type a turn needs, and their token budgets.

use super::frame::Frame;
use super::turn::{TurnSignals, classify_turn};
use super::{ContextMode, MemoryType};
use crate::intent::IntentClassifier;

/// The most memories of the type with the strongest hint, and of the other types then.
const LIMIT_OF_DOMINANT: u32 = 8;
const LIMIT_OF_OTHERS: u32 = 3;
/// The most memories of each type without any hint.
pub const LIMIT_OF_ALL: u32 = 5;
/// The recency above which a turn asks for something recent.
const RECENT: f64 = 0.5;
/// The recency of a turn that asks for a recap and has no recency above [`RECENT`].
const RECENCY_OF_RECAP: f64 = 0.8;
/// For a turn that asks for something recent: the least number of episodes, and their least budget
/// if the frame limits them.
const EPISODES_WHEN_RECENT: u32 = 8;
const EPISODE_TOKENS_WHEN_RECENT: u32 = 1000;

/// The signals that a plan is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalsToPlan {
    /// The frame, or `None` for one that changes no budget.
    pub frame: Option<Frame>,
    /// See [`TurnSignals::recency`].
    pub recency: f64,
    /// See [`TurnSignals::hints`]. 0 is no hint.
    pub hints: [f64; 5],
    /// Whether the turn is a question.
    pub is_question: bool,
    /// Whether the turn is a greeting or an acknowledgement.
    pub asks_nothing: bool,
    /// Whether the turn has a keyword.
    pub has_keywords: bool,
}

impl From<(&TurnSignals, Option<Frame>)> for SignalsToPlan {
    fn from((signals, frame): (&TurnSignals, Option<Frame>)) -> Self {
        Self {
            frame,
            recency: signals.recency,
            hints: signals.hints,
            is_question: signals.is_question,
            asks_nothing: signals.is_greeting || signals.is_acknowledgement,
            has_keywords: !signals.keywords.is_empty(),
        }
    }
}

/// A retrieval plan. Arrays are in the order of [`MemoryType::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetrievalPlan {
    /// The most memories of each type, or `None` for a type that is not retrieved.
    pub limits: [Option<u32>; 5],
    /// The tokens that replace the frame's budget of each type, or `None` if the budget stays.
    pub budgets: [Option<u32>; 5],
    /// Whether to search for the keywords instead of the whole turn.
    pub by_keywords: bool,
}

impl RetrievalPlan {
    /// The plan that retrieves nothing.
    const NOTHING: Self = Self {
        limits: [None; 5],
        budgets: [Some(0), Some(0), Some(0), Some(0), None],
        by_keywords: false,
    };

    /// Returns the most memories of a type, or `None` if the type is not retrieved.
    pub fn limit(&self, memory_type: MemoryType) -> Option<u32> {
        self.limits[memory_type as usize]
    }

    /// Returns the types that are not searched at all.
    pub fn skipped(&self) -> &'static [MemoryType] {
        if *self == Self::NOTHING { &MemoryType::ALWAYS } else { &[] }
    }
}

/// Plans the retrieval for a turn. Retrieves nothing for a turn that needs no memory, or that has
/// nothing to search for.
///
/// Signals do not compete with the other types: if the turn asks for them, they have the limit and
/// the budget of episodes.
pub fn plan_retrieval(signals: &SignalsToPlan, mode: ContextMode) -> RetrievalPlan {
    let [hints @ .., signal] = signals.hints;
    let wants_signals = mode == ContextMode::Default && signal > 0.0;
    let max = hints.iter().copied().fold(0.0, f64::max);
    let dominant = hints.iter().position(|&hint| hint > 0.0 && hint == max);
    let is_recent = signals.recency > RECENT;
    let says_something = signals.is_question
        || dominant.is_some()
        || wants_signals
        || signals.has_keywords
        || is_recent;
    if signals.asks_nothing || !says_something {
        return RetrievalPlan::NOTHING;
    }
    let mut plan = RetrievalPlan { by_keywords: signals.has_keywords, ..RetrievalPlan::default() };
    for memory_type in MemoryType::ALWAYS {
        let place = memory_type as usize;
        plan.limits[place] = Some(match dominant {
            None => LIMIT_OF_ALL,
            Some(dominant) if dominant == place => LIMIT_OF_DOMINANT,
            Some(_) => LIMIT_OF_OTHERS,
        });
        plan.budgets[place] = signals.frame.and_then(|frame| frame.budget(memory_type));
    }
    let episodes = MemoryType::Episode as usize;
    if is_recent {
        plan.limits[episodes] = plan.limits[episodes].max(Some(EPISODES_WHEN_RECENT));
        plan.budgets[episodes] =
            plan.budgets[episodes].map(|tokens| tokens.max(EPISODE_TOKENS_WHEN_RECENT));
    }
    if wants_signals {
        let signals = MemoryType::Signal as usize;
        (plan.limits[signals], plan.budgets[signals]) =
            (plan.limits[episodes], plan.budgets[episodes]);
    }
    plan
}

/// The signals of a turn and its plan.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnPlan {
    /// The signals of the turn. A turn that asks for a recap has a recency above 0.5.
    pub signals: TurnSignals,
    /// The retrieval plan.
    pub plan: RetrievalPlan,
    /// Whether the turn asks for something recent. The prompt then holds more recent conversations.
    pub is_recent: bool,
}

/// Classifies a turn and plans its retrieval. A turn that asks for a recap counts as one that asks
/// for something recent.
pub fn plan_turn(
    text: &str,
    frame: Option<Frame>,
    intent: &IntentClassifier,
    mode: ContextMode,
) -> TurnPlan {
    let mut signals = classify_turn(text, intent, mode);
    if signals.is_recap && signals.recency <= RECENT {
        signals.recency = RECENCY_OF_RECAP;
    }
    let plan = plan_retrieval(&SignalsToPlan::from((&signals, frame)), mode);
    TurnPlan { plan, is_recent: signals.recency > RECENT, signals }
}
