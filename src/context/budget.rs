//! Token budgets for the sections of a prompt, by the frame of the turn.

use serde::Serialize;

use super::Frame;

/// Characters of a token in the estimate.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Estimates the tokens of a text: one for four code points, and at least one.
pub fn estimate_tokens(text: &str) -> f64 {
    (text.chars().count() / CHARACTERS_PER_TOKEN).max(1) as f64
}

/// Returns the most code points of a text of this many tokens, by the estimate.
pub(super) fn characters_of(tokens: f64) -> f64 {
    tokens * CHARACTERS_PER_TOKEN as f64
}

/// Budgets in tokens, and the number of turns that memories are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContextBudget {
    /// The whole prompt.
    pub total: u32,
    /// The identity of the agent.
    pub identity: u32,
    /// The user profile.
    pub user_profile: u32,
    /// The censors.
    pub censors: u32,
    /// The frame.
    pub frame: u32,
    /// The working memory.
    pub working_memory: u32,
    /// Memories of type decision.
    pub decisions: u32,
    /// Memories of type fact.
    pub facts: u32,
    /// Memories of type procedure.
    pub procedures: u32,
    /// Memories of type episode.
    pub episodes: u32,
    /// Memories of type signal. Equal to the budget of episodes.
    pub signals: u32,
    /// The number of the user's last turns that memories are compared with.
    pub conversation_window: u32,
}

/// The budgets of all frames in order, and last that of any other frame.
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
    /// Returns the budget of a frame. `None` stands for a frame that the caller defines.
    pub fn of_frame(frame: Option<Frame>) -> Self {
        FRAME_BUDGETS[frame.map_or(Frame::ALL.len(), |frame| frame as usize)]
    }
}
