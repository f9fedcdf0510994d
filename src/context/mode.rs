//! The two sets of rules.

/// The rules that are followed. The seed is the system that they were ported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    /// The rules of the seed without its defects.
    Default,
    /// The rules of the seed as it was shipped.
    SeedCompatible,
}
