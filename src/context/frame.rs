//! Frames: the kind of work that a turn belongs to, by its words.

use std::sync::LazyLock;

use super::MemoryType;
use crate::automaton::Automaton;
use crate::text::is_white_space;

/// The frame of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Work on something, such as code.
    Task,
    /// A question.
    Question,
    /// A choice to be made.
    Decision,
    /// A search for ideas.
    Creative,
    /// Small talk, and every turn that fits no other frame.
    Conversation,
    /// A search for a fault.
    Debug,
}

impl Frame {
    /// All frames, in order.
    pub const ALL: [Self; 6] = [
        Self::Task,
        Self::Question,
        Self::Decision,
        Self::Creative,
        Self::Conversation,
        Self::Debug,
    ];

    /// Returns the id of the frame in data.
    pub fn id(self) -> &'static str {
        ["task", "question", "decision", "creative", "conversation", "debug"][self as usize]
    }

    /// Returns the name of the frame in a prompt.
    pub fn name(self) -> &'static str {
        ["Task", "Question", "Decision", "Creative work", "Conversation", "Debugging"]
            [self as usize]
    }

    /// Returns one sentence that describes the frame.
    pub fn description(self) -> &'static str {
        match self {
            Self::Task => "Something is to be done.",
            Self::Question => "Something is to be known or explained.",
            Self::Decision => "One of several options is to be chosen.",
            Self::Creative => "New ideas are to be found.",
            Self::Conversation => "Nothing in particular is asked for.",
            Self::Debug => "Something does not work, and the reason is to be found.",
        }
    }

    /// Returns the category of decisions made in the frame.
    pub fn category(self) -> &'static str {
        match self {
            Self::Task | Self::Debug => "tooling",
            Self::Question | Self::Conversation => "process",
            Self::Decision | Self::Creative => "architecture",
        }
    }

    /// Returns how much is at stake in the frame.
    pub fn stakes(self) -> &'static str {
        match self {
            Self::Task | Self::Debug => "medium",
            Self::Question | Self::Conversation | Self::Creative => "low",
            Self::Decision => "high",
        }
    }

    /// Returns the words and phrases that hint at the frame. A phrase may stand anywhere.
    fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Task => &[
                "build",
                "fix",
                "create",
                "implement",
                "deploy",
                "run",
                "execute",
                "check",
                "show",
                "list",
                "install",
                "update",
                "delete",
                "move",
                "copy",
            ],
            Self::Question => &["what", "how", "why", "explain", "tell me"],
            Self::Decision => &["should", "choose", "decide", "compare", "trade-off"],
            Self::Creative => &["imagine", "brainstorm", "what if", "design", "explore"],
            Self::Conversation => &["hello", "hi", "thanks", "how are you"],
            Self::Debug => &["error", "bug", "broken", "failing", "crash", "wrong"],
        }
    }

    /// Returns the priority of the frame. Of frames with equal counts of patterns the highest wins.
    fn priority(self) -> u8 {
        match self {
            Self::Conversation => 1,
            Self::Creative => 2,
            Self::Question => 3,
            Self::Task => 4,
            Self::Debug => 5,
            Self::Decision => 6,
        }
    }

    /// Returns the tokens that replace the budget of a type during retrieval, or `None` if the
    /// budget stays.
    pub fn budget(self, memory_type: MemoryType) -> Option<u32> {
        match (self, memory_type) {
            (Self::Conversation, MemoryType::Decision | MemoryType::Fact) => Some(500),
            (Self::Conversation, MemoryType::Procedure | MemoryType::Episode) => Some(0),
            (Self::Decision, MemoryType::Decision) => Some(3500),
            (Self::Decision, MemoryType::Procedure) => Some(2000),
            _ => None,
        }
    }
}

/// The frame of a turn and the confidence in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSelection {
    /// The frame.
    pub frame: Frame,
    /// 0.3 for each pattern found, at most 1. If no pattern is found: 0, and the frame is
    /// Conversation.
    pub confidence: f64,
}

struct Patterns {
    automaton: Automaton,
    /// All patterns, each with its frame.
    all: Vec<(Frame, &'static str)>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let all: Vec<_> = Frame::ALL
        .iter()
        .flat_map(|frame| frame.patterns().iter().map(|&it| (*frame, it)))
        .collect();
    Patterns { automaton: Automaton::new(all.iter().map(|&(_, pattern)| (pattern, 1))), all }
});

/// Returns the frame with the most patterns in the text. Of equal ones the highest priority wins:
/// Decision, Debug, Task, Question, Creative, Conversation.
///
/// A single word counts only between white space: "bug?" is not "bug".
pub fn select_frame(text: &str) -> FrameSelection {
    let Patterns { automaton, all } = &*PATTERNS;
    let mut found: u64 = 0;
    automaton.occurrences(text.as_bytes(), |place, end| {
        let (_, pattern) = all[place];
        let is_apart = || {
            let before = text[..end - pattern.len()].chars().next_back();
            before.is_none_or(is_white_space)
                && text[end..].chars().next().is_none_or(is_white_space)
        };
        if found & 1 << place == 0 && (pattern.contains(' ') || is_apart()) {
            found |= 1 << place;
        }
    });
    let mut counts = [0_u8; Frame::ALL.len()];
    for (place, (frame, _)) in all.iter().enumerate() {
        counts[*frame as usize] += u8::from(found & 1 << place != 0);
    }
    let rank = |frame: &Frame| (counts[*frame as usize], frame.priority());
    let best = Frame::ALL.into_iter().max_by_key(rank).filter(|frame| counts[*frame as usize] > 0);
    best.map_or(FrameSelection { frame: Frame::Conversation, confidence: 0.0 }, |frame| {
        FrameSelection { frame, confidence: (0.3 * f64::from(counts[frame as usize])).min(1.0) }
    })
}
