//! How many tokens each section of a prompt may have, by the frame of the turn.

use serde::Serialize;

use super::Frame;

/// Characters of a token, where nobody counts better.
const CHARACTERS_PER_TOKEN: usize = 4;

/// About how many tokens a text has: one for four code points, and at least one.
pub fn estimate_tokens(text: &str) -> f64 {
    (text.chars().count() / CHARACTERS_PER_TOKEN).max(1) as f64
}

/// The most code points of a text of so many tokens.
pub(super) fn characters_of(tokens: f64) -> f64 {
    tokens * CHARACTERS_PER_TOKEN as f64
}

/// Tokens of a prompt and of its sections, and turns of the conversation that its memories are
/// compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContextBudget {
    /// Of the whole prompt.
    pub total: u32,
    /// Who the agent is.
    pub identity: u32,
    /// What is always known of the user.
    pub user_profile: u32,
    /// What the agent must not do.
    pub censors: u32,
    /// How the agent looks at the turn.
    pub frame: u32,
    /// What the agent is at.
    pub working_memory: u32,
    /// Of memories of type decision.
    pub decisions: u32,
    /// Of facts.
    pub facts: u32,
    /// Of procedures.
    pub procedures: u32,
    /// Of episodes.
    pub episodes: u32,
    /// Of signals: as many as of episodes.
    pub signals: u32,
    /// Turns of the user.
    pub conversation_window: u32,
}

/// The budgets of all frames in their order, and that of any other.
pub const FRAME_BUDGETS: [ContextBudget; Frame::ALL.len() + 1] = [
    budget(8000, 300, [2000, 1500, 1500, 1000], 5),
    budget(6000, 300, [1000, 1500, 500, 500], 5),
    budget(12_000, 300, [3000, 2000, 2000, 1000], 8),
    budget(6000, 100, [1000, 1500, 500, 500], 4),
    budget(3000, 300, [500, 500, 0, 0], 3),
    budget(10_000, 300, [1500, 1000, 2500, 1000], 6),
    budget(8000, 300, [2000, 1500, 1500, 1000], 5),
];

const fn budget(
    total: u32,
    censors: u32,
    [decisions, facts, procedures, episodes]: [u32; 4],
    conversation_window: u32,
) -> ContextBudget {
    ContextBudget {
        total,
        identity: 500,
        user_profile: 200,
        censors,
        frame: 500,
        working_memory: 700,
        decisions,
        facts,
        procedures,
        episodes,
        signals: episodes,
        conversation_window,
    }
}

impl ContextBudget {
    /// The budget of a frame; `None` stands for one of somebody's own.
    pub fn of_frame(frame: Option<Frame>) -> Self {
        FRAME_BUDGETS[frame.map_or(Frame::ALL.len(), |frame| frame as usize)]
    }
}
