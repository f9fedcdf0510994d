//! Snapshots of a memory index: a stream of parts, each with a checksum.
//!
//! The first part is the head. Then come nodes in order of sequence, edges in order of sequence,
//! embeddings, texts with their words (see `evidence/snapshot.rs`), and an end. Codes of names refer to the lists in the head, which hold the names in
//! use, so that an index with other codes or another configuration can read them. A set of tags and
//! clusters follows the nodes of the part where it occurs first, and later nodes refer to it by its
//! number. Parts of other kinds belong to the caller; the npm package keeps ids in them.

mod restore;
mod write;

pub use restore::Restoring;
pub use write::Snapshot;

use super::{MAX_DIMENSIONS, NameKind};
use crate::columns::{Label, MAX_SEQUENCE, Node};
use crate::error::{Error, Result};
use crate::evidence::{Learned, Stemming, TEXT_VERSION, TextCounts, WordOptions};
use crate::parts::{self, PartReader, put};

/// The versions that can be read. Those with sets are written: an index that has learned nothing
/// and has no texts can be read by packages that know neither.
const VERSIONS: [Version; 10] = [
    Version::new(1, &[]),
    Version::new(2, &[Holds::Salience]),
    Version::new(3, &[Holds::Sets]),
    Version::new(4, &[Holds::Sets, Holds::Salience]),
    Version::new(5, &[Holds::Sets, Holds::Learned]),
    Version::new(6, &[Holds::Sets, Holds::Learned, Holds::Salience]),
    Version::new(7, &[Holds::Sets, Holds::Texts]),
    Version::new(8, &[Holds::Sets, Holds::Texts, Holds::Salience]),
    Version::new(9, &[Holds::Sets, Holds::Texts, Holds::Learned]),
    Version::new(10, &[Holds::Sets, Holds::Texts, Holds::Learned, Holds::Salience]),
];
/// The most nodes, edges or embeddings of a part.
const ROWS_A_PART: usize = 1 << 16;
/// A part of nodes or embeddings ends with the entry that brings it to this many bytes.
const BYTES_A_PART: usize = 1 << 22;

/// The kind of a part. Codes from 16 on belong to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotPart {
    /// The head: version, counts, names.
    Start,
    /// Nodes, in order of sequence.
    Nodes,
    /// Edges, in order of sequence.
    Edges,
    /// Embeddings, in the order of their nodes.
    Embeddings,
    /// Texts, in the order of their passages.
    Texts,
    /// The words of the texts.
    Words,
    /// The number of parts.
    End,
    /// A part of the caller's, with a kind that the caller defines.
    Own(u32),
}

impl SnapshotPart {
    fn code(self) -> u32 {
        match self {
            Self::Start => 0,
            Self::Nodes => 1,
            Self::Edges => 2,
            Self::Embeddings => 3,
            Self::End => 4,
            Self::Texts => 5,
            Self::Words => 6,
            Self::Own(own) => parts::FIRST_OWN + own,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        [
            Self::Start,
            Self::Nodes,
            Self::Edges,
            Self::Embeddings,
            Self::End,
            Self::Texts,
            Self::Words,
        ]
        .into_iter()
        .find(|part| part.code() == code)
        .or_else(|| code.checked_sub(parts::FIRST_OWN).map(Self::Own))
    }
}

/// What snapshots of a version hold, beside what all hold.
#[derive(Clone, Copy)]
enum Holds {
    /// The salience of nodes.
    Salience,
    /// For nodes the numbers of sets of labels, each of which is written once. Other versions hold
    /// the labels themselves.
    Sets,
    /// What use has taught, in the head.
    Learned,
    /// Texts and their words.
    Texts,
}

/// A version of the format.
#[derive(Clone, Copy)]
struct Version {
    code: u32,
    /// A bit for each [`Holds`].
    bits: u8,
}

impl Version {
    const fn new(code: u32, held: &[Holds]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < held.len() {
            bits |= 1 << held[at] as u8;
            at += 1;
        }
        Self { code, bits }
    }

    fn holds(self, it: Holds) -> bool {
        self.bits & 1 << it as u8 != 0
    }
}

/// The content of the first part: version, counts of nodes, edges and embeddings, dimensions, form,
/// the embeddings' id, the names of each kind (each list after its length), the next sequence
/// numbers, what use has taught (the number of steps, the shifts of all traits, and their means),
/// and of the texts the version of their reading, how their words are read, and their counts.
struct Head {
    version: Version,
    nodes: usize,
    edges: usize,
    embeddings: usize,
    dimensions: usize,
    i8: bool,
    embedding_id: String,
    names: [Vec<String>; 5],
    /// The next sequence numbers of nodes and of edges.
    next: [u64; 2],
    learned: Learned,
    texts: Option<TextHead>,
}

/// How the texts of a snapshot were read, and how many there are.
#[derive(PartialEq)]
struct TextHead {
    version: u32,
    words: WordOptions,
    counts: TextCounts,
}

impl Head {
    fn read(content: &[u8]) -> Result<Self> {
        let mut reader = PartReader { bytes: content, field: "names" };
        let code = reader.u32()?;
        let Some(&version) = VERSIONS.iter().find(|version| version.code == code) else {
            let problem = format!(
                "is of version {code}, and this package reads those up to {}",
                VERSIONS.len()
            );
            return Err(Error::snapshot(problem));
        };
        let mut count = || reader.u32().map(|count| count as usize);
        let (nodes, edges, embeddings, dimensions, i8) =
            (count()?, count()?, count()?, count()?, count()? != 0);
        let embedding_id = reader.text()?;
        let mut names: [Vec<String>; 5] = Default::default();
        for list in &mut names {
            for _ in 0..reader.u32()? {
                list.push(reader.text()?);
            }
        }
        let next = [reader.u64()?, reader.u64()?];
        let learned = if version.holds(Holds::Learned) {
            read_learned(&mut reader)?
        } else {
            Learned::default()
        };
        let texts =
            if version.holds(Holds::Texts) { Some(TextHead::read(&mut reader)?) } else { None };
        reader.end()?;
        if dimensions > MAX_DIMENSIONS || next.iter().any(|&next| next > MAX_SEQUENCE) {
            return Err(Error::snapshot("has an invalid first part"));
        }
        Ok(Self {
            version,
            next,
            nodes,
            edges,
            embeddings,
            dimensions,
            i8,
            embedding_id,
            names,
            learned,
            texts,
        })
    }
}

impl TextHead {
    fn read(reader: &mut PartReader<'_>) -> Result<Self> {
        let version = reader.u32()?;
        let dimensions = reader.u32()? as usize;
        let stemming = match reader.u32()? {
            0 => Stemming::None,
            1 => Stemming::English,
            _ => return Err(Error::snapshot("has an invalid first part")),
        };
        let source = reader.text()?;
        let counts =
            TextCounts { texts: reader.u32()?, passages: reader.u32()?, words: reader.u32()? };
        Ok(Self { version, words: WordOptions { dimensions, stemming, source }, counts })
    }

    fn put(&self, out: &mut Vec<u8>) {
        let Self { version, words, counts } = self;
        let stems = match words.stemming {
            Stemming::None => 0,
            Stemming::English => 1,
        };
        put(out, [*version, words.dimensions as u32, stems].into_iter().map(u32::to_le_bytes));
        put_text(out, &words.source);
        let TextCounts { texts, passages, words } = *counts;
        put(out, [texts, passages, words].into_iter().map(u32::to_le_bytes));
    }

    /// Whether an index that reads words in this way can take the texts.
    fn fits(&self, words: &WordOptions) -> bool {
        self.version == TEXT_VERSION && self.words == *words
    }
}

/// Writes a text after its length.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Reads what use has taught.
fn read_learned(reader: &mut PartReader<'_>) -> Result<Learned> {
    let mut learned = Learned { steps: reader.u32()?, ..Learned::default() };
    for number in learned.shifts.iter_mut().chain(&mut learned.means) {
        *number = f64::from_bits(reader.u64()?);
    }
    if learned.is_sound() { Ok(learned) } else { Err(Error::snapshot("has an invalid first part")) }
}

/// Writes what use has taught.
fn put_learned(out: &mut Vec<u8>, learned: &Learned) {
    out.extend(learned.steps.to_le_bytes());
    put(out, learned.shifts.iter().chain(&learned.means).map(|number| number.to_le_bytes()));
}

/// Returns the kind and the code of a label's name.
fn kind_and_code(label: Label) -> (NameKind, u32) {
    let cluster = || (NameKind::Cluster, label.as_cluster().unwrap_or_default());
    label.as_tag().map_or_else(cluster, |tag| (NameKind::Tag, tag))
}

/// Returns the label of a name: a cluster for that kind, else a tag.
fn label_of(kind: NameKind, code: u32) -> Label {
    if kind == NameKind::Cluster { Label::cluster(code) } else { Label::tag(code) }
}

/// The bytes of a node in every version, without its labels and salience.
const NODE_BYTES: usize = 8 + 5 * 8 + 2 * 4 + 2 * 2 + 1;
/// The bytes of an edge.
const EDGE_BYTES: usize = 2 * 8 + 2 * 4 + 2;

/// The numbers of a node that are doubles in every version, in the order in which they are written.
const NUMBERS: [fn(&Node) -> f64; 5] = [
    |node| node.created_at,
    |node| node.last_accessed,
    |node| node.stability,
    |node| node.retrievability,
    |node| node.difficulty,
];
