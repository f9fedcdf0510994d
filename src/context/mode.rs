//! The two sets of rules for context.

/// The set of rules. The *seed* is the system that the rules were ported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    /// The rules of the seed with its defects corrected.
    Default,
    /// The rules of the seed as they were shipped, defects included.
    SeedCompatible,
}
