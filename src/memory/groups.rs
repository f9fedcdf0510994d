//! Groups of nodes that were recalled together: which nodes share a group.

use rustc_hash::FxHashMap;

use crate::columns::Row;

/// The groups of each node, so that an edge in several groups is looked at once.
pub(super) struct Groups {
    /// The place of each row among the members.
    places: FxHashMap<Row, u32>,
    members: Vec<Member>,
    /// The groups of each member, in chains.
    links: Vec<GroupLink>,
    /// For each group the last row that was compared and is in it.
    asked: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Member {
    row: Row,
    last_link: u32,
    /// The row that was compared last, and whether the two share a group. Two nodes may have
    /// several edges.
    compared: Row,
    shares: bool,
}

/// A group of a member, and the link before.
#[derive(Clone, Copy)]
struct GroupLink {
    group: u32,
    before: u32,
}

/// The end of a chain.
const END: u32 = u32::MAX;
/// No row.
const NO_ROW: Row = Row::MAX;

impl Groups {
    /// The most bytes of this many groups that list this many rows in all.
    pub fn need(groups: usize, listed: usize) -> usize {
        // The map and the members may have twice the room they need, and grow beside their old
        // allocation.
        let each =
            size_of::<GroupLink>() + 4 * (size_of::<(Row, u32)>() + 1) + 3 * size_of::<Member>();
        listed.saturating_mul(each).saturating_add(groups * size_of::<Row>())
    }

    /// These groups, which list `listed` rows in all, without the rows for which `exists` is false.
    pub fn new(groups: &[&[Row]], listed: usize, exists: impl Fn(Row) -> bool) -> Self {
        let mut whole = Self {
            places: FxHashMap::default(),
            members: Vec::new(),
            links: Vec::with_capacity(listed),
            asked: vec![NO_ROW; groups.len()],
        };
        for (rows, group) in groups.iter().zip(0..) {
            rows.iter().filter(|&&row| exists(row)).for_each(|&row| whole.add(row, group));
        }
        whole
    }

    fn add(&mut self, row: Row, group: u32) {
        let next = self.members.len() as u32;
        let place = *self.places.entry(row).or_insert(next);
        if place == next {
            self.members.push(Member { row, last_link: END, compared: NO_ROW, shares: false });
        }
        let link = self.links.len() as u32;
        let before = std::mem::replace(&mut self.members[place as usize].last_link, link);
        self.links.push(GroupLink { group, before });
    }

    /// The rows, each once.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.members.iter().map(|member| member.row)
    }

    /// Calls `each` with every row in turn, and with a function that returns whether another row
    /// shares a group with it.
    pub fn compare(&mut self, mut each: impl FnMut(Row, &mut dyn FnMut(Row) -> bool)) {
        for place in 0..self.members.len() {
            let Member { row, mut last_link, .. } = self.members[place];
            while let Some(&GroupLink { group, before }) = self.links.get(last_link as usize) {
                self.asked[group as usize] = row;
                last_link = before;
            }
            each(row, &mut |other| self.shares(row, other));
        }
    }

    fn shares(&mut self, row: Row, other: Row) -> bool {
        let Some(member) = self.places.get(&other).map(|&place| &mut self.members[place as usize])
        else {
            return false;
        };
        if member.compared != row {
            let first = self.links.get(member.last_link as usize);
            let mut links =
                std::iter::successors(first, |link| self.links.get(link.before as usize));
            member.shares = links.any(|link| self.asked[link.group as usize] == row);
            member.compared = row;
        }
        member.shares
    }
}
