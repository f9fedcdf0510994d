//! Replaces weak results by better ones that a search for their titles finds, or drops them.

use rustc_hash::FxHashSet;

/// A result with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The number of its node. Results with equal numbers are the same node.
    pub id: u32,
    /// Higher is better.
    pub score: f64,
}

/// The state of the search for a selected result's title.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TitleSearch<'a> {
    /// The result has no title.
    NoTitle,
    /// The search has not run yet.
    NotYet,
    /// The search failed, so the result stays.
    Failed,
    /// The search returned these results.
    Found(&'a [Scored]),
}

/// The decision about a selected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays: it is not weak, or its search failed, or it is the best of results that would all
    /// be dropped.
    Kept,
    /// The result at this place of its search replaces it.
    Replaced(usize),
    /// It is dropped: the search found nothing better.
    NothingBetter,
    /// It is dropped: it has no title.
    NoTitle,
    /// It is dropped: the budget of replacements is used up.
    Budget,
    /// Its title has to be searched for.
    ToSearch,
    /// It waits for the searches of earlier results.
    Undecided,
}

/// Decides about each selected result, in order.
///
/// A result below `floor` is replaced by the best result of the search for its title that has a
/// higher score and is not selected yet, as long as fewer than `budget` are replaced. Otherwise it
/// is dropped. If all would be dropped, the best one stays. Call again with the results of the
/// searches until no decision is [`Fate::ToSearch`].
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
    let is_dropped =
        |fate: &Fate| matches!(fate, Fate::NothingBetter | Fate::NoTitle | Fate::Budget);
    if fates.iter().all(is_dropped) {
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

/// Returns the place of the first result with the highest score above `score` whose id is not
/// taken.
fn best(found: &[Scored], score: f64, taken: &FxHashSet<u32>) -> Option<usize> {
    let better =
        found.iter().enumerate().filter(|(_, it)| it.score > score && !taken.contains(&it.id));
    better
        .reduce(|best, it| if it.1.score > best.1.score { it } else { best })
        .map(|(place, _)| place)
}
