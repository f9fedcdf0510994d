//! Memories that supersede others, and their sums.
//!
//! # Idea
//!
//! A memory takes the sum of the one that it supersedes, if that is higher: it is about the same
//! thing. The older memory loses a step. Edges are read in their order, so that a chain of
//! corrections moves up one by one.
//!
//! Memories that edges of this type connect are a *line*. An edge changes sums within its line
//! alone. So a question computes the sums of those lines only that can reach the bar: the sum that
//! a memory must have to come up. The lines are kept until an edge changes.
//!
//! # Circles
//!
//! Edges may go round in a circle: what was replaced became true again. Then the memory holds whose
//! edge came last, and the others stand behind it: those that it supersedes first. Of the edges
//! among memories of a circle only those count that lead away from it in that order. So no memory
//! supersedes itself, and of every line one memory at least is superseded by none.
//!
//! # Soundness
//!
//! A sum that supersession changes is never above the highest sum of its line: the newer memory
//! takes the higher of two, and the older one loses. A line whose memories all stay below the bar
//! by their own evidence stays below it.
//!
//! # Cost
//!
//! A bound for each memory of a line, and sums for the lines that can reach the bar. After a change
//! of an edge, one pass over all edges. Five bytes for each row up to the last in a line, and
//! twelve for each edge of the type.

use rustc_hash::FxHashMap;

use super::{Filters, MemoryIndex};
use crate::columns::{Graph, Row};
use crate::evidence::{Bounds, Question};
use crate::section::SectionSet;

/// The type of the edge from a memory to the one that it supersedes.
const SUPERSEDES: &str = "supersedes";
/// What a superseded memory loses: the sum of the memory that supersedes it is higher by this.
const STEP_BEHIND: f64 = 1.0;
/// The line of a memory that is in none.
const NO_LINE: Row = Row::MAX;

/// The sum of a memory that supersedes another one or is superseded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Superseding {
    pub sum: f64,
    pub by: Option<Row>,
}

/// The lines of an index. A line is named by one of its memories.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The newer and the older end of each edge, in the order of the edges.
    pairs: Vec<(Row, Row)>,
    /// The memories of all lines.
    members: Vec<Row>,
    /// By row.
    line_of: Vec<Row>,
    /// By line: whether it can reach the bar.
    is_live: Vec<bool>,
    /// The count of changes of the edges when the lines were made.
    made_at: Option<u64>,
}

impl Lines {
    /// Makes the lines anew, if edges have changed. `edge_type` is the code of the type, `None` if
    /// no edge has it.
    #[inline(never)]
    fn refresh(&mut self, graph: &Graph, edge_type: Option<u32>) {
        if self.made_at == Some(graph.changes()) {
            return;
        }
        *self = Self { made_at: Some(graph.changes()), ..Self::default() };
        for slot in edge_type.map(|code| graph.of_type(code as u16)).unwrap_or_default() {
            if let Some(edge) = graph.edge(slot)
                && edge.source != edge.target
            {
                self.pairs.push((edge.source, edge.target));
            }
        }
        drop_circles(&mut self.pairs);
        let ends = self.pairs.iter().map(|&(newer, older)| newer.max(older) as usize + 1);
        let rows = ends.max().unwrap_or(0);
        // Each memory of a line leads to another one, and the one that names the line to itself.
        self.line_of.resize(rows, NO_LINE);
        for &(newer, older) in &self.pairs {
            let (one, other) = (named(&mut self.line_of, newer), named(&mut self.line_of, older));
            self.line_of[one as usize] = other;
        }
        for row in 0..rows as Row {
            if self.holds(row) {
                named(&mut self.line_of, row);
                self.members.push(row);
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
        self.pairs.capacity() * size_of::<(Row, Row)>()
            + (self.members.capacity() + self.line_of.capacity()) * size_of::<Row>()
            + self.is_live.capacity()
    }
}

/// No place.
const NOWHERE: u32 = u32::MAX;

/// Drops the pairs that do not count; see "Circles". It takes linear time. Circles are strongly
/// connected components (Tarjan 1972, without recursion). Memories have numbers here in the order
/// in which the pairs name them.
#[inline(never)]
fn drop_circles(pairs: &mut Vec<(Row, Row)>) {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut ends: Vec<u32> = Vec::with_capacity(2 * pairs.len());
    for &(newer, older) in &*pairs {
        for row in [newer, older] {
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
        circle_of[newer] != circle_of[older] || order[newer] < order[older]
    });
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
    /// Makes the lines of supersession anew, if edges have changed.
    pub(super) fn refresh_lines(&mut self) {
        self.answering.lines.refresh(&self.graph, self.edge_types.code(SUPERSEDES));
    }

    /// Returns the memories that supersede one, in the order of their edges.
    pub fn successors(&mut self, row: Row) -> Vec<Row> {
        self.refresh_lines();
        let Lines { pairs, .. } = &self.answering.lines;
        if !self.answering.lines.holds(row) {
            return Vec::new();
        }
        pairs.iter().filter(|&&(_, older)| older == row).map(|&(newer, _)| newer).collect()
    }

    /// Puts memories that answer before the memories that they supersede, in the lines that can
    /// reach a bar; in all lines without a bar. Lines must be fresh.
    #[inline(never)]
    pub(super) fn supersede(
        &mut self,
        question: &Question,
        sections: SectionSet,
        filters: &Filters,
        now: f64,
        bar: Option<(&Bounds, f64)>,
    ) {
        let mut lines = std::mem::take(&mut self.answering.lines);
        let Lines { pairs, members, line_of, is_live, .. } = &mut lines;
        is_live.fill(bar.is_none());
        if let Some((bounds, bar)) = bar {
            for &row in &*members {
                let is_live = &mut is_live[line_of[row as usize] as usize];
                *is_live = *is_live
                    || self.has_text(row) && self.may_reach(bar, bounds, sections, row, now);
            }
        }
        let mut changed: FxHashMap<Row, Superseding> = FxHashMap::default();
        let mut read: Vec<(Row, Row)> = Vec::new();
        let has = |row| self.has_text(row) && self.passes(row, filters, now);
        for &(newer, older) in &*pairs {
            if !is_live[line_of[newer as usize] as usize] || !has(newer) || !has(older) {
                continue;
            }
            let sum = |row: Row| match changed.get(&row) {
                Some(known) => Some(known.sum),
                None => self.score_alone(question, sections, row, now),
            };
            let Some(of_older) = sum(older) else { continue };
            let of_newer = sum(newer).unwrap_or(of_older);
            let by = changed.get(&newer).and_then(|known| known.by);
            changed.insert(newer, Superseding { sum: of_newer.max(of_older), by });
            changed.insert(older, Superseding { sum: of_older - STEP_BEHIND, by: Some(newer) });
            read.push((newer, older));
        }
        // A later edge may have lowered a successor: each of a chain stands behind its own.
        for (newer, older) in read.into_iter().rev() {
            let bound = changed.get(&newer).map_or(f64::INFINITY, |it| it.sum - STEP_BEHIND);
            if let Some(it) = changed.get_mut(&older) {
                it.sum = it.sum.min(bound);
            }
        }
        self.answering.superseding = changed;
        self.answering.lines = lines;
    }
}
