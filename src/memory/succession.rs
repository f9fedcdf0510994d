//! Memories that replace others, and their sums.
//!
//! # Idea
//!
//! A memory that supersedes another one takes its sum, if that is higher: it is about the same
//! thing. The older memory loses a step. Edges are read in their order, so that a chain of
//! corrections moves up one by one.
//!
//! Memories that edges of this type connect are a *line*. An edge changes sums within its line
//! alone. So a question computes the sums of those lines only that can reach the bar: the sum that
//! a memory must have to come up. The lines are kept until an edge changes.
//!
//! # Guesses
//!
//! An edge of the type `likely_supersedes` is a guess; its strength is the probability. A guess
//! orders two memories and does no more: the newer one takes the higher sum, and the older one
//! stands directly behind. If the guess is wrong, an answer has lost one place. A guess about a
//! memory that another one supersedes does not count: that is decided.
//!
//! An edge of the type `possibly_supersedes` is a guess of less than even odds. It orders two
//! memories as well, if the newer one answers about as well by itself, and is not told. Both stay
//! rivals: the question has two answers, as far as anyone knows.
//!
//! An edge of the type `faintly_supersedes` orders nothing. Who shows the older memory may show the
//! newer one beside it: [`MemoryIndex::may_supersede`].
//!
//! # Questions for the past
//!
//! For a question for what was before, pairs are turned round: the older one takes the sum. Those
//! whose newer memory is current are turned, so that the value before the current one is the first
//! of its line. If the question names a time, those are turned whose newer memory is of a later
//! time: the first is what held then. For a question for a course all are turned: the line is in
//! the order of time.
//!
//! Turning makes no circle. Memories that are current have no pair to a newer one, and become the
//! last. Of a named time: pairs of later memories lead from older to newer, all others from newer
//! to older, and none leads from a later memory to another one.
//!
//! # Circles
//!
//! Edges may go round in a circle: what was replaced became true again. Then the memory holds whose
//! edge came last, and the others stand behind it: those that it supersedes first. Of the edges
//! among memories of a circle only those count that lead away from it in that order. So no memory
//! supersedes itself, and of every line one memory at least is superseded by none. This is so for
//! the edges of each type. A guess in a circle with edges of a surer type does not count.
//!
//! # Soundness
//!
//! A sum that a pair changes is never above the highest sum of its line: the first memory takes the
//! higher of two, and the other one loses. A line whose memories all stay below the bar by their
//! own evidence stays below it.
//!
//! # Cost
//!
//! A bound for each memory of a line, and sums for the lines that can reach the bar. After a change
//! of an edge, three passes over all edges. Nine bytes for each row up to the last in a line, and
//! sixteen for each edge of the three types.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{Filters, MemoryIndex};
use crate::columns::{Graph, Names, Row};
use crate::evidence::Question;
use crate::order::sort_descending;
use crate::section::SectionSet;
use crate::times::Era;

/// The type of the edge from a memory to the one that it supersedes.
const SUPERSEDES: &str = "supersedes";
/// The type of the edge from a memory to one that it seems to replace.
const LIKELY_SUPERSEDES: &str = "likely_supersedes";
/// The type of the edge from a memory to one that it may replace.
const POSSIBLY_SUPERSEDES: &str = "possibly_supersedes";
/// The type of the edge from a memory to one that it replaces with a low probability.
const FAINTLY_SUPERSEDES: &str = "faintly_supersedes";
/// By how much the sum of the first of two memories is higher, if one supersedes the other.
const STEP_BEHIND: f64 = 1.0;
/// The same, if that is a guess.
const STEP_OF_GUESS: f64 = 0.25;
/// By how much the sum of the second of two memories may be higher, if the pair is only possible.
const REACH_OF_POSSIBLE: f64 = 0.6;
/// The line of a memory that is in none.
const NO_LINE: Row = Row::MAX;

/// Returns the codes of the types of edges that are guesses; `None` if no edge has one.
pub(super) fn guesses_among(edge_types: &Names) -> [Option<u32>; 3] {
    [LIKELY_SUPERSEDES, POSSIBLY_SUPERSEDES, FAINTLY_SUPERSEDES].map(|name| edge_types.code(name))
}

/// A memory that replaces another one, or that another one replaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Replacement {
    /// The other memory.
    pub row: Row,
    /// The probability that the newer one replaces the older one.
    pub probability: f64,
}

/// The place of a memory in its line, for a question.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// Its sum, if the line changed it.
    pub sum: Option<f64>,
    /// The memory that it stands behind.
    pub behind: Option<Row>,
    pub superseded_by: Option<Row>,
    /// What a guess says, of the memory as the older one, and as the newer one.
    pub replaced_by: Option<Replacement>,
    pub replaces: Option<Replacement>,
}

/// How sure it is that a memory replaces another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grade {
    Sure,
    Likely,
    Possible,
}

/// An edge of a line, in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    edge: u32,
    newer: Row,
    older: Row,
    grade: Grade,
}

/// The lines of an index. A line is named by one of its memories.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The edges that count, in their order.
    pairs: Vec<Pair>,
    /// The memories of all lines.
    members: Vec<Row>,
    /// By row.
    line_of: Vec<Row>,
    /// The same without pairs that are only possible.
    told_of: Vec<Row>,
    /// By line: whether it can reach the bar.
    is_live: Vec<bool>,
    /// The count of changes of the edges when the lines were made.
    made_at: Option<u64>,
}

impl Lines {
    /// Makes the lines anew, if edges have changed. `codes` are those of the types, the surest first;
    /// `None` if no edge has it.
    #[inline(never)]
    fn refresh(&mut self, graph: &Graph, codes: [Option<u32>; 3]) {
        if self.made_at == Some(graph.changes()) {
            return;
        }
        *self = Self { made_at: Some(graph.changes()), ..Self::default() };
        let mut decided: FxHashSet<Row> = FxHashSet::default();
        for (code, grade) in codes.into_iter().zip([Grade::Sure, Grade::Likely, Grade::Possible]) {
            let slots = code.map(|code| graph.of_type(code as u16)).unwrap_or_default();
            let pairs = slots.into_iter().filter_map(|slot| {
                let ends = graph.edge(slot)?;
                let (newer, older) = (ends.source, ends.target);
                let counts = newer != older && !decided.contains(&older);
                counts.then_some(Pair { edge: slot, newer, older, grade })
            });
            let mut pairs: Vec<Pair> = pairs.collect();
            drop_circles(&mut pairs, 0);
            if grade == Grade::Sure {
                decided = pairs.iter().map(|pair| pair.older).collect();
            }
            let surer = self.pairs.len();
            self.pairs.append(&mut pairs);
            if surer > 0 && self.pairs.len() > surer {
                drop_circles(&mut self.pairs, surer);
            }
        }
        sort_descending(&mut self.pairs, |pair| -(graph.sequence(pair.edge) as f64));
        let ends = self.pairs.iter().map(|pair| pair.newer.max(pair.older) as usize + 1);
        let rows = ends.max().unwrap_or(0);
        // Each memory of a line leads to another one, and the one that names the line to itself.
        self.line_of.resize(rows, NO_LINE);
        self.told_of.resize(rows, NO_LINE);
        for &Pair { newer, older, grade, .. } in &self.pairs {
            join(&mut self.line_of, newer, older);
            if grade != Grade::Possible {
                join(&mut self.told_of, newer, older);
            }
        }
        for row in 0..rows as Row {
            if self.holds(row) {
                named(&mut self.line_of, row);
                self.members.push(row);
            }
            if self.told_of[row as usize] != NO_LINE {
                named(&mut self.told_of, row);
            }
        }
        self.is_live.resize(rows, false);
    }

    /// Whether a memory is in a line.
    #[inline(always)]
    pub fn holds(&self, row: Row) -> bool {
        self.line_of.get(row as usize).is_some_and(|&line| line != NO_LINE)
    }

    /// Returns the memories of the lines that can reach the bar.
    pub fn live(&self) -> impl Iterator<Item = Row> {
        self.members
            .iter()
            .copied()
            .filter(|&row| self.is_live[self.line_of[row as usize] as usize])
    }

    pub fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + (self.members.capacity() + self.line_of.capacity() + self.told_of.capacity())
                * size_of::<Row>()
            + self.is_live.capacity()
    }
}

/// No place.
const NOWHERE: u32 = u32::MAX;

/// Drops the pairs that do not count; see "Circles". It takes linear time. Circles are strongly
/// connected components (Tarjan 1972, without recursion). Memories have numbers here in the order
/// in which the pairs name them. The first `sure` pairs are in no circle by themselves: they stay,
/// and all others of a circle are dropped.
#[inline(never)]
fn drop_circles(pairs: &mut Vec<Pair>, sure: usize) {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut ends: Vec<u32> = Vec::with_capacity(2 * pairs.len());
    for pair in &*pairs {
        for row in [pair.newer, pair.older] {
            let next = numbers.len() as u32;
            ends.push(*numbers.entry(row).or_insert(next));
        }
    }
    let nowhere = vec![NOWHERE; numbers.len()];
    // The pairs of a newer memory are a list, in order: its first pair, and the next of each pair.
    let mut first = nowhere.clone();
    let mut next = vec![NOWHERE; pairs.len()];
    for at in (0..pairs.len()).rev() {
        next[at] = std::mem::replace(&mut first[ends[2 * at] as usize], at as u32);
    }
    let older_of = |pair: u32| ends[2 * pair as usize + 1];

    let mut found_at = nowhere.clone();
    let mut lowest = nowhere.clone();
    let mut circle_of = nowhere.clone();
    // What is left to read of each memory of a path.
    let mut unread = first.clone();
    let (mut path, mut open, mut count) = (Vec::new(), Vec::new(), 0);
    for start in 0..nowhere.len() as u32 {
        path.push(start);
        while let Some(&node) = path.last() {
            let at = node as usize;
            if found_at[at] == NOWHERE {
                (found_at[at], lowest[at]) = (count, count);
                count += 1;
                open.push(node);
            }
            let pair = unread[at];
            if pair != NOWHERE {
                let older = older_of(pair);
                if found_at[older as usize] == NOWHERE {
                    path.push(older);
                } else {
                    // It was read whole, or it is open.
                    unread[at] = next[pair as usize];
                    if circle_of[older as usize] == NOWHERE {
                        lowest[at] = lowest[at].min(lowest[older as usize]);
                    }
                }
                continue;
            }
            path.pop();
            while lowest[at] == found_at[at]
                && circle_of[at] == NOWHERE
                && let Some(member) = open.pop()
            {
                circle_of[member as usize] = node;
            }
        }
    }

    // By circle: the newer end of the last pair within it.
    let mut heads = nowhere.clone();
    for pair in ends.chunks_exact(2) {
        let [newer, older] = [pair[0], pair[1]].map(|end| circle_of[end as usize]);
        if newer == older {
            heads[newer as usize] = pair[0];
        }
    }
    let mut order = nowhere;
    let mut reached = path;
    for head in heads {
        if head == NOWHERE {
            continue;
        }
        let mut at = reached.len();
        order[head as usize] = at as u32;
        reached.push(head);
        while at < reached.len() {
            let mut pair = first[reached[at] as usize];
            while pair != NOWHERE {
                let older = older_of(pair) as usize;
                if circle_of[older] == circle_of[head as usize] && order[older] == NOWHERE {
                    order[older] = reached.len() as u32;
                    reached.push(older as u32);
                }
                pair = next[pair as usize];
            }
            at += 1;
        }
    }
    let mut at = 0;
    pairs.retain(|_| {
        let [newer, older] = [ends[at], ends[at + 1]].map(|end| end as usize);
        at += 2;
        circle_of[newer] != circle_of[older]
            || if sure > 0 { at <= 2 * sure } else { order[newer] < order[older] }
    });
}

/// Makes one line of those of two rows.
fn join(leads_to: &mut [Row], one: Row, other: Row) {
    let (one, other) = (named(leads_to, one), named(leads_to, other));
    leads_to[one as usize] = other;
}

#[inline(never)]
fn of(standing: &mut FxHashMap<Row, Standing>, row: Row) -> &mut Standing {
    standing.entry(row).or_default()
}

/// Returns the memory that names the line of a row, and lets the row lead to it at once. A row
/// without a line begins one.
#[inline(never)]
fn named(leads_to: &mut [Row], row: Row) -> Row {
    if leads_to[row as usize] == NO_LINE {
        leads_to[row as usize] = row;
    }
    let mut name = row;
    while leads_to[name as usize] != name {
        let next = leads_to[name as usize];
        leads_to[name as usize] = leads_to[next as usize];
        name = next;
    }
    leads_to[row as usize] = name;
    name
}

impl MemoryIndex {
    /// Makes the lines anew, if edges have changed.
    pub(super) fn refresh_lines(&mut self) {
        let types = [SUPERSEDES, LIKELY_SUPERSEDES, POSSIBLY_SUPERSEDES];
        let codes = types.map(|name| self.edge_types.code(name));
        self.answering.lines.refresh(&self.graph, codes);
    }

    /// Returns the slots of the edges of a memory's line that count, in their order. None if it is
    /// in no line. What is only possible is no part of a line here.
    pub fn line(&mut self, row: Row) -> Vec<u32> {
        self.refresh_lines();
        let Lines { pairs, told_of, .. } = &self.answering.lines;
        let Some(&line) = told_of.get(row as usize).filter(|&&line| line != NO_LINE) else {
            return Vec::new();
        };
        let told = pairs.iter().filter(|pair| pair.grade != Grade::Possible);
        let its = told.filter(|pair| told_of[pair.newer as usize] == line);
        its.map(|pair| pair.edge).collect()
    }

    /// Returns the slots of the guesses that another memory replaces this one, the surest first.
    pub fn may_supersede(&self, row: Row) -> Vec<u32> {
        let guesses = guesses_among(&self.edge_types);
        let is_guess = |slot: u32| guesses.contains(&Some(self.graph.edge_type(slot).into()));
        let its = self.graph.neighbours(row).filter(|it| it.row != row);
        let mut slots: Vec<u32> = its.map(|it| it.edge).filter(|&slot| is_guess(slot)).collect();
        slots.retain(|&slot| self.graph.edge(slot).is_some_and(|ends| ends.target == row));
        sort_descending(&mut slots, |&slot| self.graph.strength(slot));
        slots
    }

    /// Orders the memories of the lines that can reach a bar, by the time that the question asks
    /// for; those of all lines without a bar. Lines must be fresh.
    #[inline(never)]
    pub(super) fn supersede(
        &mut self,
        question: &Question,
        sections: SectionSet,
        filters: &Filters,
        now: f64,
        bar: Option<f64>,
    ) {
        let mut lines = std::mem::take(&mut self.answering.lines);
        let Lines { pairs, members, line_of, is_live, .. } = &mut lines;
        is_live.fill(bar.is_none());
        if let Some(bar) = bar {
            for &row in &*members {
                let is_live = &mut is_live[line_of[row as usize] as usize];
                *is_live = *is_live
                    || self.has_text(row)
                        && !self.is_below(bar, row)
                        && self.may_reach(bar, sections, row, now);
            }
        }
        let mut standing: FxHashMap<Row, Standing> = FxHashMap::default();
        let has = |row| self.has_text(row) && self.passes(row, filters, now);
        let read: Vec<Pair> = pairs
            .iter()
            .filter(|pair| is_live[line_of[pair.newer as usize] as usize])
            .filter(|pair| has(pair.newer) && has(pair.older))
            .copied()
            .collect();
        for &Pair { edge, newer, older, grade } in &read {
            let probability = self.graph.strength(edge);
            match grade {
                Grade::Sure => of(&mut standing, older).superseded_by = Some(newer),
                Grade::Likely => {
                    let by = Replacement { row: newer, probability };
                    of(&mut standing, older).replaced_by = Some(by);
                    let its = Replacement { row: older, probability };
                    of(&mut standing, newer).replaces = Some(its);
                }
                Grade::Possible => {}
            }
        }
        let is_current = |row: Row| {
            standing
                .get(&row)
                .is_none_or(|its| its.superseded_by.is_none() && its.replaced_by.is_none())
        };
        let is_turned = |pair: &Pair| match question.era {
            Era::Present => false,
            Era::Before => is_current(pair.newer),
            Era::Until(end) => {
                self.answering.texts.happened_at(pair.newer).is_some_and(|at| at >= end)
            }
            Era::Course => true,
        };
        let (turned, kept): (Vec<Pair>, Vec<Pair>) = read.into_iter().partition(is_turned);
        // The first and the second of each pair. Those that are turned go from the newest back.
        let kept = kept.into_iter().map(|it| (it.newer, it.older, it.grade));
        let turned = turned.into_iter().rev().map(|it| (it.older, it.newer, it.grade));
        let mut put: Vec<(Row, Row, f64)> = Vec::new();
        for (first, second, grade) in kept.chain(turned) {
            let sum = |row: Row| match standing.get(&row).and_then(|its| its.sum) {
                Some(sum) => Some(sum),
                None => self.score_alone(question, sections, row, now),
            };
            let Some(of_second) = sum(second) else { continue };
            let own = sum(first);
            let is_far = own.is_none_or(|own| of_second - own > REACH_OF_POSSIBLE);
            if grade == Grade::Possible && is_far {
                continue;
            }
            let of_first = own.map_or(of_second, |sum| sum.max(of_second));
            let is_sure = grade == Grade::Sure;
            let step = if is_sure { STEP_BEHIND } else { STEP_OF_GUESS };
            let loss = if is_sure { STEP_BEHIND } else { 0.0 };
            of(&mut standing, first).sum = Some(of_first);
            let its = of(&mut standing, second);
            its.sum = Some(of_second - loss);
            // What is only possible leaves the other one a rival.
            if grade != Grade::Possible {
                its.behind = Some(first);
            }
            put.push((first, second, step));
        }
        // A later pair may have lowered the first: each of a chain stands behind its own.
        for (first, second, step) in put.into_iter().rev() {
            let bound = standing[&first].sum.map_or(f64::INFINITY, |sum| sum - step);
            if let Some(Standing { sum: Some(sum), .. }) = standing.get_mut(&second) {
                *sum = sum.min(bound);
            }
        }
        self.answering.standing = standing;
        self.answering.lines = lines;
    }
}
