//! What stands in the sections of a prompt, line by line.

use super::plain::{plain, shorten};
use crate::math::{round_to_hundredths, whole_percent};

/// Facts of these categories are always known of the user.
pub const PROFILE_CATEGORIES: [&str; 3] = ["preference", "person", "rule"];
/// How strictly something is forbidden, the strictest first.
pub const CENSOR_ACTIONS: [&str; 3] = ["absolute", "block", "warn"];
/// As many conversations of the last hours, at most, are told of.
pub const RECENT_CONVERSATIONS: u32 = 5;
/// See [`RECENT_CONVERSATIONS`].
pub const RECENT_HOURS: u32 = 48;

/// Code points of a fact, and of a conversation's title and summary.
const LONGEST_TEXT: usize = 200;
/// Less relevant items are not in mind.
const IN_MIND: f64 = 0.7;
/// How an episode ended that is not told.
const ABANDONED: &str = "abandoned";

/// A section of a prompt, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptSection {
    /// Who the agent is.
    Identity,
    /// What is always known of the user.
    UserProfile,
    /// What the agent must not do.
    ActiveCensors,
    /// How the agent looks at the turn.
    CurrentFrame,
    /// What the agent is at.
    WorkingMemory,
    /// Memories of type decision.
    RelatedDecisions,
    /// Memories of type fact.
    RelevantFacts,
    /// Memories of type procedure.
    KnownProcedures,
    /// What was talked about in the last days.
    RecentConversations,
    /// Memories of type episode.
    PastEpisodes,
    /// Memories of type signal.
    Signals,
}

/// How many sections there are.
pub const SECTIONS: usize = 11;

impl PromptSection {
    /// All of them, in order.
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

    /// Its name in data, which is that of its budget where it has one.
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

    /// Its heading.
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

    /// 1 is trimmed last, 8 first.
    pub const fn priority(self) -> u8 {
        [1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8][self as usize]
    }
}

/// What a line is made of. Empty texts are missing ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PromptEntry<'a> {
    /// Of the profile, the frame or the working memory.
    Note {
        /// What it is.
        label: &'a str,
        /// What it says.
        text: &'a str,
    },
    /// Something in mind.
    Item {
        /// What it is.
        text: &'a str,
        /// How much it has to do with the turn.
        relevance: f64,
    },
    /// Something forbidden.
    Censor {
        /// How strictly.
        action: &'a str,
        /// What.
        text: &'a str,
    },
    /// A memory of type decision.
    Decision {
        /// What was decided.
        description: &'a str,
        /// What came of it.
        outcome: &'a str,
        /// How sure it was, in [0, 1].
        confidence: Option<f64>,
    },
    /// A memory of type fact.
    Fact {
        /// What is known.
        content: &'a str,
        /// Of what.
        subject: &'a str,
        /// How surely, in [0, 1].
        confidence: Option<f64>,
    },
    /// A memory of type procedure.
    Procedure {
        /// What it is called.
        name: &'a str,
        /// What it is for.
        domain: &'a str,
        /// How often it was followed. Whole.
        activations: f64,
        /// How often with success, in [0, 1].
        effectiveness: Option<f64>,
    },
    /// A memory of type episode.
    Episode {
        /// What happened.
        summary: &'a str,
        /// How it ended.
        outcome: &'a str,
        /// The day, such as `2026-01-15`.
        date: &'a str,
    },
    /// A memory of type signal.
    Signal {
        /// What is to be watched.
        text: &'a str,
        /// Since what day.
        date: &'a str,
    },
    /// A conversation of the last days.
    Conversation {
        /// What it was about.
        title: &'a str,
        /// What was said.
        summary: &'a str,
    },
}

/// How many ranks there are; see [`PromptEntry::rank`].
pub(super) const RANKS: usize = CENSOR_ACTIONS.len() + 1;

impl PromptEntry<'_> {
    /// Its line; `None` where it says nothing.
    pub(super) fn line(&self) -> Option<String> {
        let line = match *self {
            Self::Note { label: "", text } | Self::Item { text, .. } => {
                ["- ", &said(text)?].concat()
            }
            Self::Note { label, text } => ["- ", &plain(label), ": ", &said(text)?].concat(),
            Self::Censor { action, text } => ["- [", &plain(action), "] ", &said(text)?].concat(),
            Self::Decision { description, outcome, confidence } => {
                let (description, outcome) = (said(description)?, said_or(outcome, "pending"));
                ["- [", &outcome, "] ", &description, &sure(" (", confidence, ")")].concat()
            }
            Self::Fact { content, subject, confidence } => {
                let content = said_shortly(content)?;
                let subject = said(subject).map_or(String::new(), |it| ["[", &it, "] "].concat());
                ["- ", &subject, &content, &sure(" [", confidence, "]")].concat()
            }
            Self::Procedure { name, domain, activations, effectiveness } => {
                let (name, domain) = (said(name)?, said_or(domain, "general"));
                let rate = |it| format!(", effectiveness: {}%", whole_percent(it) as u64);
                let rate = effectiveness.map_or(String::new(), rate);
                format!("- **{name}** ({domain}): activated {}x{rate}", activations as u64)
            }
            Self::Episode { summary, outcome, date } => {
                let (summary, outcome) = (said(summary)?, said_or(outcome, "ongoing"));
                ["- [", &outcome, "] ", &summary, " (", day(date), ")"].concat()
            }
            Self::Signal { text, date } => ["- ", &said(text)?, " (", day(date), ")"].concat(),
            Self::Conversation { title, summary } => {
                let summary =
                    said_shortly(summary).map_or(String::new(), |it| [": ", &it].concat());
                ["- ", &said_shortly(title)?, &summary].concat()
            }
        };
        Some(line)
    }

    /// What comes before what in its section; of equals the first.
    pub(super) fn rank(&self) -> usize {
        match *self {
            Self::Censor { action, .. } => {
                CENSOR_ACTIONS.iter().position(|it| *it == action).unwrap_or(CENSOR_ACTIONS.len())
            }
            _ => 0,
        }
    }

    /// Whether it has a place in a prompt, apart from what it says.
    pub(super) fn is_wanted(&self) -> bool {
        match *self {
            Self::Item { relevance, .. } => relevance >= IN_MIND,
            Self::Episode { outcome, .. } => outcome != ABANDONED,
            _ => true,
        }
    }
}

/// A text as it is shown; `None` where there is nothing to show.
fn said(text: &str) -> Option<String> {
    Some(plain(text)).filter(|line| !line.is_empty())
}

fn said_or(text: &str, otherwise: &str) -> String {
    said(text).unwrap_or_else(|| otherwise.into())
}

fn said_shortly(text: &str) -> Option<String> {
    said(&shorten(text, LONGEST_TEXT))
}

fn day(date: &str) -> &str {
    if date.is_empty() { "unknown" } else { date }
}

/// How sure something is, with two decimals, of two as near the even one; nothing where that is
/// unknown.
fn sure(before: &str, confidence: Option<f64>, after: &str) -> String {
    let Some(confidence) = confidence else {
        return String::new();
    };
    let hundredths = (round_to_hundredths(confidence) * 100.0).round() as u64;
    format!("{before}confidence: {}.{:02}{after}", hundredths / 100, hundredths % 100)
}
