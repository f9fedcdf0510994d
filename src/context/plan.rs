//! What to retrieve for a turn: how many memories of which types, and with how much of the prompt
//! for them.

use super::frame::Frame;
use super::turn::{TurnSignals, classify_turn};
use super::{ContextMode, MemoryType};
use crate::intent::IntentClassifier;

/// How many memories of the type that is asked for most, and of any other then.
const LIMIT_OF_DOMINANT: u32 = 8;
const LIMIT_OF_OTHERS: u32 = 3;
/// How many of each type when nothing speaks for one.
pub const LIMIT_OF_ALL: u32 = 5;
/// Above this, something recent is meant.
const RECENT: f64 = 0.5;
/// How recent a turn is taken to be that asks what was talked about.
const RECENCY_OF_RECAP: f64 = 0.8;
/// At least so many episodes, and tokens for them where a frame limits these, when something recent
/// is meant.
const EPISODES_WHEN_RECENT: u32 = 8;
const EPISODE_TOKENS_WHEN_RECENT: u32 = 1000;

/// The signals that a plan is made by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalsToPlan {
    /// The frame of mind; none for one that changes no budget.
    pub frame: Option<Frame>,
    /// See [`TurnSignals::recency`].
    pub recency: f64,
    /// See [`TurnSignals::hints`]. 0 is none.
    pub hints: [f64; 5],
    /// Whether something is asked.
    pub is_question: bool,
    /// Whether it is a greeting or an acknowledgement.
    pub asks_nothing: bool,
    /// Whether there is a keyword.
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

/// What to retrieve, in the order of [`MemoryType::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetrievalPlan {
    /// The most memories of each type; none for a type that is not asked for.
    pub limits: [Option<u32>; 5],
    /// Tokens that replace the frame's budget of each type.
    pub budgets: [Option<u32>; 5],
    /// Whether to search for the keywords, rather than for the turn as it is.
    pub by_keywords: bool,
}

impl RetrievalPlan {
    /// The plan that retrieves nothing.
    const NOTHING: Self = Self {
        limits: [None; 5],
        budgets: [Some(0), Some(0), Some(0), Some(0), None],
        by_keywords: false,
    };

    /// The most memories of a type.
    pub fn limit(&self, memory_type: MemoryType) -> Option<u32> {
        self.limits[memory_type as usize]
    }

    /// The types that are not even to be searched for.
    pub fn skipped(&self) -> &'static [MemoryType] {
        if *self == Self::NOTHING { &MemoryType::ALWAYS } else { &[] }
    }
}

/// Plans what to retrieve. A turn that asks nothing, and one that says nothing to search by, has
/// nothing retrieved for it.
///
/// Signals are not weighed against the other types: where they are asked for, they have the limit
/// and the budget of episodes.
pub fn plan_retrieval(signals: &SignalsToPlan, mode: ContextMode) -> RetrievalPlan {
    let [hints @ .., signal] = signals.hints;
    let wants_signals = mode == ContextMode::Default && signal > 0.0;
    let most = hints.iter().copied().fold(0.0, f64::max);
    let dominant = hints.iter().position(|&hint| hint > 0.0 && hint == most);
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

/// A turn understood, and what to retrieve for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnPlan {
    /// What the turn asks; if it asks what was talked about, as something recent.
    pub signals: TurnSignals,
    /// What to retrieve.
    pub plan: RetrievalPlan,
    /// Whether something recent is meant, so that a prompt tells more of it.
    pub is_recent: bool,
}

/// Understands a turn and plans for it. One that asks what was talked about is taken to mean
/// something recent.
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
