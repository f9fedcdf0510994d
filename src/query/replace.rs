//! What to do about weak results: replace them by better ones that their titles lead to, or leave
//! them out.

use rustc_hash::FxHashSet;

/// A result that was selected, or that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Results of one id are one node.
    pub id: u32,
    /// Higher is better.
    pub score: f64,
}

/// What the search for a selected result's title came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TitleSearch<'a> {
    /// It has no title to search for.
    NoTitle,
    /// It was not searched for yet.
    NotYet,
    /// The search failed, which says nothing about the result.
    Failed,
    /// These were found.
    Found(&'a [Scored]),
}

/// What becomes of a selected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays: it is not weak, or its search failed, or nothing would be left without it.
    Kept,
    /// What stands at this place of those found for it takes its place.
    Replaced(usize),
    /// It goes: nothing better was found.
    NothingBetter,
    /// It goes: it has no title.
    NoTitle,
    /// It goes: as many as may be were replaced before it.
    Budget,
    /// Its title is to be searched for.
    ToSearch,
    /// Those that are to be searched for come first.
    Undecided,
}

/// Decides in order: a result below `floor` is replaced by the best that the search for its title
/// found, is not selected yet and has a higher score; as long as fewer than `budget` are replaced.
/// Else it goes, but never do all: the best stays. Called again with what the searches came to,
/// until none is [`Fate::ToSearch`].
pub fn settle_weak(
    selected: &[Scored],
    searches: &[TitleSearch<'_>],
    floor: f64,
    budget: usize,
) -> Vec<Fate> {
    let mut taken: FxHashSet<u32> = selected.iter().map(|it| it.id).collect();
    let (mut replaced, mut to_search) = (0, 0);
    let mut fates = Vec::with_capacity(selected.len());
    for (weak, search) in selected.iter().zip(searches) {
        let fate = if weak.score >= floor {
            Fate::Kept
        } else if *search == TitleSearch::NoTitle {
            Fate::NoTitle
        } else if replaced >= budget {
            Fate::Budget
        } else if *search == TitleSearch::NotYet && replaced + to_search < budget {
            to_search += 1;
            Fate::ToSearch
        } else if to_search > 0 {
            Fate::Undecided
        } else if let TitleSearch::Found(found) = *search {
            match best(found, weak.score, &taken) {
                Some(place) => {
                    taken.insert(found[place].id);
                    replaced += 1;
                    Fate::Replaced(place)
                }
                None => Fate::NothingBetter,
            }
        } else {
            Fate::Kept
        };
        fates.push(fate);
    }
    let gone = |fate: &Fate| matches!(fate, Fate::NothingBetter | Fate::NoTitle | Fate::Budget);
    if fates.iter().all(gone) {
        let best = selected
            .iter()
            .enumerate()
            .reduce(|best, it| if it.1.score > best.1.score { it } else { best });
        if let Some((place, _)) = best {
            fates[place] = Fate::Kept;
        }
    }
    fates
}

/// The first of the highest score above `score` whose id is not taken.
fn best(found: &[Scored], score: f64, taken: &FxHashSet<u32>) -> Option<usize> {
    let better =
        found.iter().enumerate().filter(|(_, it)| it.score > score && !taken.contains(&it.id));
    better
        .reduce(|best, it| if it.1.score > best.1.score { it } else { best })
        .map(|(place, _)| place)
}
