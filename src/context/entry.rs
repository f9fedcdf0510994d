//! The entries of a prompt: each becomes one line of a section.

use super::plain::{plain, shorten};
use crate::math::{round_to_hundredths, whole_percent};

/// The categories of facts that belong into the user profile.
pub const PROFILE_CATEGORIES: [&str; 3] = ["preference", "person", "rule"];
/// The actions of censors, the strictest first.
pub const CENSOR_ACTIONS: [&str; 3] = ["absolute", "block", "warn"];
/// The most recent conversations that a prompt lists.
pub const RECENT_CONVERSATIONS: u32 = 5;
/// The most hours since a conversation that a prompt lists.
pub const RECENT_HOURS: u32 = 48;

/// The most code points of a fact, and of a conversation's title and summary.
const LONGEST_TEXT: usize = 200;
/// The least relevance of an item of the working memory.
const MIN_RELEVANCE: f64 = 0.7;
/// The outcome of an episode that is left out.
const ABANDONED: &str = "abandoned";

/// A section of a prompt, in the order of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptSection {
    /// The identity of the agent.
    Identity,
    /// Facts about the user that every prompt holds.
    UserProfile,
    /// Censors: what the agent must not do.
    ActiveCensors,
    /// The frame of the turn.
    CurrentFrame,
    /// The items of the agent's working memory.
    WorkingMemory,
    /// Memories of type decision.
    RelatedDecisions,
    /// Memories of type fact.
    RelevantFacts,
    /// Memories of type procedure.
    KnownProcedures,
    /// Conversations of the last hours.
    RecentConversations,
    /// Memories of type episode.
    PastEpisodes,
    /// Memories of type signal.
    Signals,
}

/// The number of sections.
pub const SECTIONS: usize = 11;

impl PromptSection {
    /// All sections, in order.
    pub const ALL: [Self; SECTIONS] = [
        Self::Identity,
        Self::UserProfile,
        Self::ActiveCensors,
        Self::CurrentFrame,
        Self::WorkingMemory,
        Self::RelatedDecisions,
        Self::RelevantFacts,
        Self::KnownProcedures,
        Self::RecentConversations,
        Self::PastEpisodes,
        Self::Signals,
    ];

    /// Returns the name of the section in data. It is also the name of its budget.
    pub const fn name(self) -> &'static str {
        [
            "identity",
            "user_profile",
            "censors",
            "frame",
            "working_memory",
            "decisions",
            "facts",
            "procedures",
            "recent_conversations",
            "episodes",
            "signals",
        ][self as usize]
    }

    /// Returns the heading of the section.
    pub const fn label(self) -> &'static str {
        [
            "Identity",
            "User Profile",
            "Active Censors",
            "Current Frame",
            "Working Memory",
            "Related Decisions",
            "Relevant Facts",
            "Known Procedures",
            "Recent Conversations",
            "Past Episodes",
            "Signals",
        ][self as usize]
    }

    /// Returns the priority, from 1 to 8. Sections of priority 8 are trimmed first.
    pub const fn priority(self) -> u8 {
        [1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8][self as usize]
    }
}

/// An entry of a prompt. An empty text counts as missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PromptEntry<'a> {
    /// A labelled text of the profile, the frame or the working memory.
    Note {
        /// The label.
        label: &'a str,
        /// The text.
        text: &'a str,
    },
    /// An item of the working memory.
    Item {
        /// The text.
        text: &'a str,
        /// The relevance to the turn, in [0, 1].
        relevance: f64,
    },
    /// A censor.
    Censor {
        /// The action, one of [`CENSOR_ACTIONS`].
        action: &'a str,
        /// The forbidden act.
        text: &'a str,
    },
    /// A memory of type decision.
    Decision {
        /// The decision.
        description: &'a str,
        /// The outcome. Shown as `pending` if empty.
        outcome: &'a str,
        /// The confidence, in [0, 1].
        confidence: Option<f64>,
    },
    /// A memory of type fact.
    Fact {
        /// The text. Shortened to 200 code points.
        content: &'a str,
        /// The subject.
        subject: &'a str,
        /// The confidence, in [0, 1].
        confidence: Option<f64>,
    },
    /// A memory of type procedure.
    Procedure {
        /// The name.
        name: &'a str,
        /// The domain. Shown as `general` if empty.
        domain: &'a str,
        /// The number of activations, a whole number.
        activations: f64,
        /// The share of activations that succeeded, in [0, 1].
        effectiveness: Option<f64>,
    },
    /// A memory of type episode.
    Episode {
        /// The summary.
        summary: &'a str,
        /// The outcome. Shown as `ongoing` if empty. An episode that was `abandoned` is left out.
        outcome: &'a str,
        /// The day, such as `2026-01-15`.
        date: &'a str,
    },
    /// A memory of type signal.
    Signal {
        /// The text.
        text: &'a str,
        /// The day since which it is watched, such as `2026-01-15`.
        date: &'a str,
    },
    /// A recent conversation.
    Conversation {
        /// The title. Shortened to 200 code points.
        title: &'a str,
        /// The summary. Shortened to 200 code points.
        summary: &'a str,
    },
}

/// The number of ranks; see [`PromptEntry::rank`].
pub(super) const RANKS: usize = CENSOR_ACTIONS.len() + 1;

impl PromptEntry<'_> {
    /// Returns the line of the entry, or `None` if its text is empty.
    pub(super) fn line(&self) -> Option<String> {
        let line = match *self {
            Self::Note { label: "", text } | Self::Item { text, .. } => {
                ["- ", &shown(text)?].concat()
            }
            Self::Note { label, text } => ["- ", &plain(label), ": ", &shown(text)?].concat(),
            Self::Censor { action, text } => ["- [", &plain(action), "] ", &shown(text)?].concat(),
            Self::Decision { description, outcome, confidence } => {
                let (description, outcome) = (shown(description)?, shown_or(outcome, "pending"));
                ["- [", &outcome, "] ", &description, &sure(" (", confidence, ")")].concat()
            }
            Self::Fact { content, subject, confidence } => {
                let content = shown_shortened(content)?;
                let subject = shown(subject).map_or(String::new(), |it| ["[", &it, "] "].concat());
                ["- ", &subject, &content, &sure(" [", confidence, "]")].concat()
            }
            Self::Procedure { name, domain, activations, effectiveness } => {
                let (name, domain) = (shown(name)?, shown_or(domain, "general"));
                let rate = |it| format!(", effectiveness: {}%", whole_percent(it) as u64);
                let rate = effectiveness.map_or(String::new(), rate);
                format!("- **{name}** ({domain}): activated {}x{rate}", activations as u64)
            }
            Self::Episode { summary, outcome, date } => {
                let (summary, outcome) = (shown(summary)?, shown_or(outcome, "ongoing"));
                ["- [", &outcome, "] ", &summary, " (", day(date), ")"].concat()
            }
            Self::Signal { text, date } => ["- ", &shown(text)?, " (", day(date), ")"].concat(),
            Self::Conversation { title, summary } => {
                let summary =
                    shown_shortened(summary).map_or(String::new(), |it| [": ", &it].concat());
                ["- ", &shown_shortened(title)?, &summary].concat()
            }
        };
        Some(line)
    }

    /// Returns the rank of the entry in its section: lower ranks come first, equal ones keep their
    /// order.
    pub(super) fn rank(&self) -> usize {
        match *self {
            Self::Censor { action, .. } => {
                CENSOR_ACTIONS.iter().position(|it| *it == action).unwrap_or(CENSOR_ACTIONS.len())
            }
            _ => 0,
        }
    }

    /// Whether the prompt has a place for the entry, whatever its text.
    pub(super) fn is_wanted(&self) -> bool {
        match *self {
            Self::Item { relevance, .. } => relevance >= MIN_RELEVANCE,
            Self::Episode { outcome, .. } => outcome != ABANDONED,
            _ => true,
        }
    }
}

/// Returns a text as one line, or `None` if nothing is left of it.
fn shown(text: &str) -> Option<String> {
    Some(plain(text)).filter(|line| !line.is_empty())
}

fn shown_or(text: &str, otherwise: &str) -> String {
    shown(text).unwrap_or_else(|| otherwise.into())
}

fn shown_shortened(text: &str) -> Option<String> {
    shown(&shorten(text, LONGEST_TEXT))
}

fn day(date: &str) -> &str {
    if date.is_empty() { "unknown" } else { date }
}

/// Returns the confidence between two texts, with two decimals (half to even), or an empty text if
/// it is unknown.
fn sure(before: &str, confidence: Option<f64>, after: &str) -> String {
    let Some(confidence) = confidence else {
        return String::new();
    };
    let hundredths = (round_to_hundredths(confidence) * 100.0).round() as u64;
    format!("{before}confidence: {}.{:02}{after}", hundredths / 100, hundredths % 100)
}
